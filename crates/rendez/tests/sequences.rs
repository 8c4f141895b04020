//! Random programs with random properties of event sequences: the flow engine, with and without its
//! reductions, the reachability engine, directed search and the integer-programming engine must agree with the
//! reference explorer. Nothing may be said to hold that does not, and the proofs of what does are
//! checked; whatever is violated was replayed. RENDEZ_SEED and RENDEZ_PROGRAMS
//! choose others and more; what fails is shrunk.

use std::sync::atomic::{AtomicU64, Ordering};

use rendez_directed::Directed;
use rendez_explore::Explore;
use rendez_flow::Flow;
use rendez_generate::Tested;
use rendez_model::Program;
use rendez_reach::{Config, Reach};
use rendez_verdict::{Control, End, Engine, Options, PropertyAnswer, Random, Verdict, all_sequences};

/// Something that happens in a program, as a property file says it.
fn pattern(program: &Program, random: &mut Random) -> Option<String> {
    let below = |random: &mut Random, n: usize| random.below(n);
    let task = |random: &mut Random| program.tasks[below(random, program.tasks.len())].name.clone();
    let mut events: Vec<&str> = (program.nodes.iter())
        .filter_map(|n| match &n.action {
            rendez_model::Action::Event { kind: rendez_model::EventKind::Annotated, name, .. } => {
                (!name.contains(' ')).then_some(name.as_str())
            }
            _ => None,
        })
        .collect();
    events.sort_unstable();
    events.dedup();
    if !events.is_empty() && below(random, 3) > 0 {
        return Some(format!("event {}", events[below(random, events.len())]));
    }
    let kind = below(random, 10);
    if kind < 6 && !program.entries.is_empty() {
        let entry = rendez_model::EntryId::from(below(random, program.entries.len()));
        let by = if below(random, 3) == 0 { format!(" by {}", task(random)) } else { String::new() };
        let what = if below(random, 4) == 0 { "finish" } else { "accept" };
        return Some(format!("{what} {}{by}", program.entry_name(entry)));
    }
    let named: Vec<&str> = program
        .vars
        .iter()
        .map(|v| v.name.as_str())
        .filter(|n| n.chars().all(|c| c.is_alphanumeric() || "._".contains(c)))
        .collect();
    if kind < 9 && !named.is_empty() {
        let name = named[below(random, named.len())];
        let what = ["write", "write", "test"][below(random, 3)];
        let value = match below(random, 3) {
            0 => format!(" = {}", below(random, 3)),
            1 => format!(" /= {}", below(random, 3)),
            _ => String::new(),
        };
        return Some(format!("{what} {name}{value}"));
    }
    let called: Vec<&str> = program.procs.iter().filter_map(|p| p.name.split(" of ").next()).collect();
    if !called.is_empty() && below(random, 3) == 0 {
        let name = called[below(random, called.len())];
        return name
            .chars()
            .all(|c| c.is_alphanumeric() || "._".contains(c))
            .then(|| format!("enter {name}"));
    }
    let what = ["start", "end"][below(random, 2)];
    (program.tasks.len() > 1).then(|| {
        let task = &program.tasks[1 + below(random, program.tasks.len() - 1)];
        format!("{what} {}", task.name)
    })
}

/// A random property: a few states, most sequences allowed.
fn property(program: &Program, random: &mut Random) -> Option<String> {
    let letters = 1 + random.below(3);
    let states = 2 + random.below(3);
    let mut text = String::new();
    let mut patterns: Vec<String> = Vec::new();
    for l in 0..letters {
        // Now and then two names for the same thing.
        let p = match patterns.last() {
            Some(last) if random.below(8) == 0 => last.clone(),
            _ => pattern(program, random)?,
        };
        text += &format!("event e{l} = {p};\n");
        patterns.push(p);
    }
    let names: Vec<String> = (0..letters).map(|l| format!("e{l}")).collect();
    let all: Vec<String> = (0..states).map(|s| format!("s{s}")).collect();
    let (events, all) = (names.join(", "), all.join(", "));
    text += &format!("automaton p all {{ events {events}; states {all}; start s0; accepting s0");
    for s in 1..states {
        if random.below(4) > 0 {
            text += &format!(", s{s}");
        }
    }
    text += ";\n";
    for s in 0..states {
        for name in &names {
            if random.below(4) > 0 {
                text += &format!("  s{s} -> s{} on {name};\n", random.below(states));
            }
        }
    }
    Some(text + "}\n")
}

fn followed(program: &Program, text: &str) -> Option<Program> {
    let file = rendez_property::regular::parse_file(text).expect("a property");
    let bound = rendez_verdict::bind(program, &file, |_| rendez_source::Span::NOWHERE).ok()?;
    let mut program = program.clone();
    rendez_verdict::follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    Some(program)
}

#[derive(Default)]
struct Tally {
    decided: AtomicU64,
    hold: AtomicU64,
    proved: AtomicU64,
    proved_without_all: AtomicU64,
    violated: AtomicU64,
    found: AtomicU64,
    ilp_proved: AtomicU64,
    ilp_found: AtomicU64,
    augmented_proved: AtomicU64,
    augmented_found: AtomicU64,
    /// Programs that cannot block, of these proved; that can, of these found.
    free: AtomicU64,
    free_proved: AtomicU64,
    blocked: AtomicU64,
    blocked_found: AtomicU64,
}

impl Tally {
    /// Says what engines proved and found; an engine that only shrugs is noticed.
    fn tell(&self, programs: u64) {
        let get = |c: &AtomicU64| c.load(Ordering::Relaxed);
        println!(
            "{} properties: {} hold, of these {} proved by flow, {} without all task automata; {} are violated, {} of these found by flow",
            get(&self.decided),
            get(&self.hold),
            get(&self.proved),
            get(&self.proved_without_all),
            get(&self.violated),
            get(&self.found)
        );
        println!(
            "ilp with depths: {} of those that hold proved, {} of those that are violated found",
            get(&self.augmented_proved),
            get(&self.augmented_found)
        );
        println!(
            "ilp: {} of the {} that hold proved, {} of the {} that are violated found; {} of {} programs proved free of deadlock, {} of {} deadlocks found",
            get(&self.ilp_proved),
            get(&self.hold),
            get(&self.ilp_found),
            get(&self.violated),
            get(&self.free_proved),
            get(&self.free),
            get(&self.blocked_found),
            get(&self.blocked)
        );
        assert!(get(&self.decided) > programs / 4, "too few programs are small enough");
        // Far below what is usual, but an engine that only shrugs is noticed.
        for (name, proved) in [("flow", &self.proved), ("ilp", &self.ilp_proved)] {
            assert!(get(proved) * 2 >= get(&self.hold), "{name} proves less than half of what holds");
        }
    }
}

fn word(answer: &PropertyAnswer) -> &'static str {
    match answer.answer {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Inconclusive(..) => "inconclusive",
    }
}

/// What the explorer says that follows every step; None if there are too many states, or something is not modelled.
fn exactly(program: &Program, options: &Options) -> Option<PropertyAnswer> {
    let options = Options { merge_local: false, ..options.clone() };
    let mut exact = Explore.check(program, &all_sequences(program), &options, &Control::default());
    (exact.end == End::Complete && exact.reached.is_empty()).then(|| exact.properties.swap_remove(0))
}

/// A program after all passes.
fn passed(program: &Program) -> Program {
    let mut program = program.clone();
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    rendez_analysis::passes::classify_inputs(&mut program);
    rendez_analysis::passes::drop_idle_locks(&mut program);
    program
}

/// Each reduction alone, and all of them: what is said must be what is so.
fn reduced(program: &Program, sliced: &Program, options: &Options, exact: &str) -> Result<(), String> {
    let control = Control::default();
    let agree = |name: &str, answer: PropertyAnswer| match word(&answer) == exact {
        true => Ok(()),
        false => Err(format!("{name}: {} instead of {exact}", word(&answer))),
    };
    let explored = |program: &Program, merge_local: bool| {
        let options = Options { merge_local, ..options.clone() };
        Explore.check(program, &all_sequences(program), &options, &control).properties.swap_remove(0)
    };
    agree("explore, merged", explored(program, true))?;
    agree("explore, sliced", explored(sliced, false))?;
    agree("explore, merged and sliced", explored(sliced, true))?;
    let all = Config::default();
    let merged = Config { stubborn: false, symmetry: false, ..all.clone() };
    let none = Config { merge: false, ..merged.clone() };
    let stubborn = Config { stubborn: true, ..merged.clone() };
    // All that is for large levels only, with cells that have slots of their own.
    let large = Config { split_above: 2, large: Some(0), threads: 2, ..all.clone() };
    for (name, program, config) in [
        ("reach, nothing", program, &none),
        ("reach, merged", program, &merged),
        ("reach, stubborn", program, &stubborn),
        ("reach, sliced", sliced, &none),
        ("reach, sliced, symmetry", sliced, &Config { symmetry: true, ..merged.clone() }),
        ("reach, all", sliced, &all),
        ("reach, all, two threads", sliced, &large),
        ("reach, merged, two threads", program, &Config { stubborn: false, ..large.clone() }),
    ] {
        let options = Options { merge_local: config.merge, ..options.clone() };
        agree(
            name,
            Reach { config: config.clone() }
                .check(program, &all_sequences(program), &options, &control)
                .properties
                .swap_remove(0),
        )?;
    }
    Ok(())
}

fn compare(source: &str, text: &str, tally: &Tally) -> Tested {
    let front = rendez_ada::read_text(source);
    let program = followed(&front.program?, text)?;
    let options = Options { max_states: 20_000, merge_local: false, ..Options::default() };
    let control = Control::default();
    let exact = &exactly(&program, &options)?;
    let sliced = passed(&program);
    if let Err(why) = reduced(&program, &sliced, &options, word(exact)) {
        return Some(Err(why));
    }
    let flow_options = Options { max_states: 200_000, ..options.clone() };
    let mut settings = vec![rendez_flow::FlowSettings::default()];
    settings.push(rendez_flow::FlowSettings { separate: true, unreduced: true, ..Default::default() });
    settings.push(rendez_flow::FlowSettings {
        constraints: Some(Vec::new()),
        separate: true,
        ..Default::default()
    });
    for (i, settings) in settings.iter().enumerate() {
        let program = if i == 0 { &sliced } else { &program };
        let answer = Flow { settings: settings.clone() }
            .check(program, &all_sequences(program), &flow_options, &control)
            .properties
            .swap_remove(0);
        let wrong = match (word(&answer), word(exact)) {
            ("holds", "holds") | ("violated", "violated") | ("inconclusive", _) => false,
            // What depends on a guess is not certain either way.
            ("violated", "inconclusive") => false,
            _ => true,
        };
        if wrong {
            let constraints = answer.constraints.join("; ");
            return Some(Err(format!(
                "flow {i}: {} instead of {}, with {constraints}",
                word(&answer),
                word(exact)
            )));
        }
        if i == 0 {
            let add = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
            add(&tally.decided);
            match (word(exact), word(&answer)) {
                ("holds", w) => {
                    add(&tally.hold);
                    if w == "holds" {
                        add(&tally.proved);
                        let tasks = answer.constraints.iter().filter(|c| c.starts_with("task")).count();
                        if tasks < program.tasks.len() - 1 {
                            add(&tally.proved_without_all);
                        }
                    }
                }
                ("violated", w) => {
                    add(&tally.violated);
                    if w == "violated" {
                        add(&tally.found);
                    }
                }
                _ => {}
            }
        }
    }
    let limits = Options { timeout: Some(std::time::Duration::from_secs(1)), ..Options::default() };
    let answer = Directed::default()
        .check(&sliced, &all_sequences(&sliced), &limits, &control)
        .properties
        .swap_remove(0);
    match (word(exact), word(&answer)) {
        ("holds", "holds")
        | ("violated", "violated")
        | (_, "inconclusive")
        | ("inconclusive", "violated") => {}
        (exact, said) => return Some(Err(format!("directed: {said} instead of {exact}"))),
    }
    for (settings, proved, found) in [
        (rendez_ilp::IlpSettings::default(), &tally.ilp_proved, &tally.ilp_found),
        (augmented(&sliced), &tally.augmented_proved, &tally.augmented_found),
    ] {
        let answer = match linear(&sliced, &settings, None) {
            Ok(answer) => answer,
            Err(why) => return Some(Err(why)),
        };
        match (word(exact), word(&answer)) {
            ("holds", "holds") => count(proved),
            ("violated", "violated") => count(found),
            (_, "inconclusive") | ("inconclusive", "violated") => {}
            (exact, ilp) => {
                let how = if settings.bound == 0 { "ilp" } else { "ilp with depths" };
                return Some(Err(format!("{how}: {ilp} instead of {exact}")));
            }
        }
    }
    Some(Ok(()))
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The published rows against spurious cycles, in all tasks.
fn augmented(program: &Program) -> rendez_ilp::IlpSettings {
    let sector = |t: usize| rendez_certificate::Sector { slot: t as u32, interval: None };
    let augmented = (0..program.tasks.len()).map(sector).collect();
    rendez_ilp::IlpSettings { augmented, bound: 1_000, ..rendez_ilp::IlpSettings::default() }
}

/// What the integer-programming engine says, its proof checked.
fn linear(
    program: &Program,
    settings: &rendez_ilp::IlpSettings,
    deadlock: Option<()>,
) -> Result<PropertyAnswer, String> {
    let control = Control::default();
    let options = Options { timeout: Some(std::time::Duration::from_secs(1)), ..Options::default() };
    let decided = match deadlock {
        Some(()) => rendez_ilp::deadlock(program, settings, &options, &control),
        None => rendez_ilp::decide(program, settings, &options, &control).swap_remove(0),
    };
    if word(&decided.answer) == "holds" {
        rendez_certificate::verify(
            program,
            options.recursion,
            &decided.subject,
            &decided.plan,
            decided.proof.as_ref(),
        )
        .map_err(|e| format!("ilp: the proof is wrong: {e}"))?;
    }
    Ok(decided.answer)
}

/// Whether a state can be reached in which nobody can move, and not all have ended; None if there are
/// too many states, or it depends on a guess.
fn blocks(program: &Program) -> Option<bool> {
    let semantics = rendez_analysis::semantics(program, Options::default().recursion);
    let mut known = std::collections::HashSet::new();
    let mut work = vec![semantics.initial()];
    while let Some(state) = work.pop() {
        let mut moves = false;
        for t in 0..program.tasks.len() {
            let mut out = Vec::new();
            semantics.successors(&state, rendez_model::TaskId::from(t), &mut out);
            moves |= !out.is_empty();
            for outcome in out {
                use rendez_model::semantics::StepEvent;
                if outcome.step.guessed
                    || matches!(outcome.step.what, StepEvent::Stopped | StepEvent::Unsupported)
                {
                    return None;
                }
                let mut code = Vec::new();
                outcome.state.encode(&mut code);
                if known.insert(code) {
                    work.push(outcome.state);
                }
            }
        }
        if !moves && state.tasks.iter().any(|t| rendez_verdict::alive(t.status)) {
            return Some(true);
        }
        if known.len() > 20_000 {
            return None;
        }
    }
    Some(false)
}

fn compare_deadlock(source: &str, tally: &Tally) -> Tested {
    let program = rendez_ada::read_text(source).program?;
    let exact = blocks(&program)?;
    count(if exact { &tally.blocked } else { &tally.free });
    match linear(&program, &rendez_ilp::IlpSettings::default(), Some(())) {
        Err(why) => Some(Err(why)),
        Ok(answer) => match (exact, word(&answer)) {
            (true, "violated") => {
                count(&tally.blocked_found);
                Some(Ok(()))
            }
            (false, "holds") => {
                count(&tally.free_proved);
                Some(Ok(()))
            }
            (_, "inconclusive") => Some(Ok(())),
            (_, said) => Some(Err(format!("deadlock: {said}, but a blocked state is reached: {exact}"))),
        },
    }
}

/// The properties of a program to be tested; an empty one stands for deadlock.
fn cases(seed: u64, source: &str) -> Vec<String> {
    let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
    let deadlock = seed.is_multiple_of(3).then(String::new);
    let properties =
        (0..3).filter_map(|n| property(&program, &mut Random::new((seed * 7 + n) * 2_654_435_769 + 1)));
    deadlock.into_iter().chain(properties).collect()
}

#[test]
fn engines_agree_on_random_properties() {
    let tally = Tally::default();
    let (count, _) = rendez_generate::trials(200, cases, |case, source| match case {
        "" => compare_deadlock(source, &tally),
        property => compare(source, property, &tally),
    });
    tally.tell(count);
}

/// The reductions alone, on tasks that have little to do with each other: in which order things happen is then for the
/// property to say.
fn compare_reductions(source: &str, text: &str, tally: &Tally) -> Tested {
    let program = followed(&rendez_ada::read_text(source).program?, text)?;
    let options = Options { max_states: 6_000, ..Options::default() };
    let exact = exactly(&program, &options)?;
    count(if word(&exact) == "holds" { &tally.hold } else { &tally.violated });
    Some(reduced(&program, &passed(&program), &options, word(&exact)))
}

#[test]
fn reductions_keep_the_order_of_what_happens() {
    let tally = Tally::default();
    let cases = |seed: u64, source: &str| {
        let all = cases(seed, source).into_iter();
        all.filter(|property| !property.is_empty()).collect()
    };
    let test = |property: &str, source: &str| compare_reductions(source, property, &tally);
    let (programs, applied) = rendez_generate::trials_of(rendez_generate::apart, 250, cases, test);
    let (hold, violated) = (tally.hold.into_inner(), tally.violated.into_inner());
    println!("{applied} properties of tasks that are apart: {hold} hold, {violated} do not");
    assert!(applied > programs / 2, "too few programs are small enough");
    assert!(hold.min(violated) > applied / 10, "most properties have the same answer");
}
