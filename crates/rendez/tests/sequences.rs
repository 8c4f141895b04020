//! Random programs with random properties of event sequences: the flow engine, with and without its
//! reductions, the reachability engine, directed search and the integer-programming engine must agree with the
//! reference explorer. Nothing may be said to hold that does not, and the proofs of what does are
//! checked; whatever is violated was replayed. RENDEZ_SEED and RENDEZ_PROGRAMS
//! choose others and more; what fails is shrunk.

use std::sync::atomic::{AtomicU64, Ordering};

use rendez_evidence::{Answer, Control, End, Options, PropertyAnswer, Random};
use rendez_model::Program;
use rendez_reach::Config;

/// Something that happens in a program, as a property file says it.
fn pattern(program: &Program, random: &mut Random) -> Option<String> {
    let below = |random: &mut Random, n: usize| random.below(n);
    let task = |random: &mut Random| program.tasks[below(random, program.tasks.len())].name.clone();
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
        let p = pattern(program, random)?;
        if patterns.contains(&p) {
            return None;
        }
        text += &format!("event e{l} = {p};\n");
        patterns.push(p);
    }
    let names: Vec<String> = (0..letters).map(|l| format!("e{l}")).collect();
    text += &format!("automaton p all {{ events {}; start s0; accepting s0", names.join(", "));
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
    let monitors = rendez_evidence::bind(program, &file, |_| rendez_source::Span::NOWHERE).ok()?;
    let mut program = program.clone();
    rendez_evidence::follow(&mut program, monitors);
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

fn word(answer: &PropertyAnswer) -> &'static str {
    match answer.answer {
        Answer::Holds => "holds",
        Answer::Violated(_) => "violated",
        Answer::Inconclusive(..) => "inconclusive",
    }
}

fn compare(source: &str, text: &str, tally: &Tally) -> Option<Result<(), String>> {
    let front = rendez_ada::read_text(source);
    let program = followed(&front.program?, text)?;
    let options = Options { max_states: 20_000, merge_local: false, ..Options::default() };
    let control = Control::default();
    let exact = rendez_explore::check(&program, &options, &control);
    if exact.end != End::Complete || !exact.reached.is_empty() {
        return None;
    }
    let exact = &exact.properties[0];
    let mut sliced = program.clone();
    rendez_model::passes::propagate_constants(&mut sliced);
    rendez_model::passes::slice(&mut sliced, &[], rendez_model::passes::Delays::Any);
    rendez_model::passes::classify_inputs(&mut sliced);
    rendez_model::passes::drop_idle_locks(&mut sliced);
    let merged = Options { merge_local: true, ..options.clone() };
    let mut others = vec![(
        "explore, merged and sliced",
        rendez_explore::check(&sliced, &merged, &control).properties.swap_remove(0),
    )];
    let config = Config { symmetry: false, ..Config::default() };
    others.push(("reach", rendez_reach::properties(&program, &merged, &config, &control).0.swap_remove(0)));
    others.push((
        "reach, sliced",
        rendez_reach::properties(&sliced, &merged, &config, &control).0.swap_remove(0),
    ));
    for (name, answer) in &others {
        if word(answer) != word(exact) {
            return Some(Err(format!("{name}: {} instead of {}", word(answer), word(exact))));
        }
    }
    let flow_options = Options { max_states: 200_000, ..options.clone() };
    let mut settings = vec![rendez_flow::Settings::default()];
    settings.push(rendez_flow::Settings { separate: true, unreduced: true, ..Default::default() });
    settings.push(rendez_flow::Settings {
        constraints: Some(Vec::new()),
        separate: true,
        ..Default::default()
    });
    for (i, settings) in settings.iter().enumerate() {
        let program = if i == 0 { &sliced } else { &program };
        let answer = rendez_flow::decide(program, settings, &flow_options, &control).swap_remove(0);
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
    let settings = rendez_directed::Settings::default();
    let answer = rendez_directed::properties(&sliced, &settings, &limits, &control).properties.swap_remove(0);
    match (word(exact), word(&answer)) {
        ("holds", "holds")
        | ("violated", "violated")
        | (_, "inconclusive")
        | ("inconclusive", "violated") => {}
        (exact, said) => return Some(Err(format!("directed: {said} instead of {exact}"))),
    }
    for (settings, proved, found) in [
        (rendez_ilp::Settings::default(), &tally.ilp_proved, &tally.ilp_found),
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
fn augmented(program: &Program) -> rendez_ilp::Settings {
    let sector = |t: usize| rendez_certificate::Sector { slot: t as u32, interval: None };
    let augmented = (0..program.tasks.len()).map(sector).collect();
    rendez_ilp::Settings { augmented, bound: 1_000, ..rendez_ilp::Settings::default() }
}

/// What the integer-programming engine says, its proof checked.
fn linear(
    program: &Program,
    settings: &rendez_ilp::Settings,
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
    let semantics = rendez_model::semantics::Semantics::bounded(program, Options::default().recursion);
    let mut known = std::collections::HashSet::new();
    let mut work = vec![semantics.initial()];
    while let Some(state) = work.pop() {
        let mut moves = false;
        for t in 0..program.tasks.len() {
            let mut out = Vec::new();
            semantics.successors(&state, rendez_model::TaskId::from(t), &mut out);
            moves |= !out.is_empty();
            for outcome in out {
                use rendez_model::semantics::What;
                if outcome.step.guessed || matches!(outcome.step.what, What::Stopped | What::Unsupported) {
                    return None;
                }
                let mut code = Vec::new();
                outcome.state.encode(&mut code);
                if known.insert(code) {
                    work.push(outcome.state);
                }
            }
        }
        if !moves && state.tasks.iter().any(|t| rendez_evidence::alive(t.status)) {
            return Some(true);
        }
        if known.len() > 20_000 {
            return None;
        }
    }
    Some(false)
}

fn compare_deadlock(source: &str, tally: &Tally) -> Option<Result<(), String>> {
    let program = rendez_ada::read_text(source).program?;
    let exact = blocks(&program)?;
    count(if exact { &tally.blocked } else { &tally.free });
    match linear(&program, &rendez_ilp::Settings::default(), Some(())) {
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
    let get = |c: &AtomicU64| c.load(Ordering::Relaxed);
    println!(
        "{} properties: {} hold, of these {} proved by flow, {} without all task automata; {} are violated, {} of these found by flow",
        get(&tally.decided),
        get(&tally.hold),
        get(&tally.proved),
        get(&tally.proved_without_all),
        get(&tally.violated),
        get(&tally.found)
    );
    println!(
        "ilp with depths: {} of those that hold proved, {} of those that are violated found",
        get(&tally.augmented_proved),
        get(&tally.augmented_found)
    );
    println!(
        "ilp: {} of the {} that hold proved, {} of the {} that are violated found; {} of {} programs proved free of deadlock, {} of {} deadlocks found",
        get(&tally.ilp_proved),
        get(&tally.hold),
        get(&tally.ilp_found),
        get(&tally.violated),
        get(&tally.free_proved),
        get(&tally.free),
        get(&tally.blocked_found),
        get(&tally.blocked)
    );
    assert!(get(&tally.decided) > count / 4, "too few programs are small enough");
    // Far below what is usual, but an engine that only shrugs is noticed.
    for (name, proved) in [("flow", &tally.proved), ("ilp", &tally.ilp_proved)] {
        assert!(get(proved) * 2 >= get(&tally.hold), "{name} proves less than half of what holds");
    }
}
