//! Random programs with random temporal formulas and patterns: the reachability engine must agree with fixpoints over
//! every state of the semantics, before and after slicing, without fairness and with both kinds of it, and with itself
//! without reductions. RENDEZ_SEED and RENDEZ_PROGRAMS choose others and more; what fails is shrunk.

use std::sync::atomic::{AtomicU64, Ordering};

use rendez_directed::Directed;
use rendez_explore::{Explore, Unfolded};
use rendez_model::{EntryId, Program};
use rendez_reach::{Config, Reach};
use rendez_verdict::{
    BoundFormula, Control, Engine, Fairness, Options, Outcome, Query, Random, Reason, Verdict, all_sequences,
};

/// States of the largest programs that are looked at.
const MOST_STATES: usize = 3_000;

fn task(program: &Program, random: &mut Random) -> String {
    program.tasks[random.below(program.tasks.len())].name.clone()
}

/// Something about a state.
fn state(program: &Program, random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => format!("ended {}", task(program, random)),
        1..=4 => {
            let line = program.nodes[random.below(program.nodes.len())].span.line;
            match random.below(2) {
                0 => format!("at {line}"),
                _ => format!("{} at {line}", task(program, random)),
            }
        }
        5 => format!("not ({})", state(program, random, depth - 1)),
        n => {
            let (a, b) = (state(program, random, depth - 1), state(program, random, depth - 1));
            format!("(({a}) {} ({b}))", ["and", "or"][n - 6])
        }
    }
}

/// Something about an event.
fn event(program: &Program, random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 3 } else { 5 }) {
        0..=2 => {
            let entry = EntryId::from(random.below(program.entries.len()));
            let by = match random.below(3) {
                0 => format!(" by {}", task(program, random)),
                _ => String::new(),
            };
            format!("accept {}{by}", program.entry_name(entry))
        }
        3 => format!("not ({})", event(program, random, depth - 1)),
        _ => {
            let (a, b) = (event(program, random, depth - 1), event(program, random, depth - 1));
            format!("(({a}) or ({b}))")
        }
    }
}

/// What a temporal operator is about: events, states, or an event and where it leads to.
fn operand(program: &Program, random: &mut Random) -> String {
    match random.below(5) {
        0 | 1 if !program.entries.is_empty() => event(program, random, 1),
        2 if !program.entries.is_empty() => {
            format!("(({}) and ({}))", event(program, random, 0), state(program, random, 1))
        }
        _ => state(program, random, 2),
    }
}

/// A formula that looks at one execution at a time: who waits for whom first is not told apart.
fn formula(program: &Program, random: &mut Random) -> String {
    let (p, x) = (state(program, random, 1), operand(program, random));
    let until = ["until", "unless"][random.below(2)];
    let simple = match random.below(4) {
        0 => format!("eventually ({x})"),
        1 => format!("potentially ({x})"),
        2 => format!("(({p}) {until} ({x}))"),
        _ => format!("always ({x})"),
    };
    match random.below(8) {
        6 | 7 if !program.entries.is_empty() => {
            let e = event(program, random, 0);
            match random.below(3) {
                0 => format!("always (({e}) -> (({p}) {until} ({x})))"),
                1 => format!("always (({e}) -> ({p}))"),
                _ => format!("always (({e}) -> eventually ({x}))"),
            }
        }
        0 => format!("always eventually ({x})"),
        1 => format!("always (({p}) -> eventually ({x}))"),
        2 => {
            let q = state(program, random, 0);
            format!("always (({q}) -> (({p}) {until} ({x})))")
        }
        3 => format!("not ({simple})"),
        _ => simple,
    }
}

/// Any formula.
fn nested(program: &Program, random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return state(program, random, 0);
    }
    let x = match random.below(3) {
        0 if !program.entries.is_empty() => event(program, random, 1),
        _ => nested(program, random, depth - 1),
    };
    let inner = |random: &mut Random| nested(program, random, depth - 1);
    match random.below(8) {
        0 => format!("not ({})", inner(random)),
        1 => format!("(({}) and ({}))", inner(random), inner(random)),
        2 => format!("(({}) or ({}))", inner(random), inner(random)),
        3 => format!("(({}) until ({x}))", inner(random)),
        4 => format!("(({}) unless ({x}))", inner(random)),
        5 => format!("always ({x})"),
        6 => format!("eventually ({x})"),
        _ => format!("potentially ({x})"),
    }
}

static HOLD: AtomicU64 = AtomicU64::new(0);

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Fifo];

fn sliced(program: &Program) -> Program {
    let mut sliced = program.clone();
    rendez_analysis::passes::propagate_constants(&mut sliced);
    rendez_analysis::passes::slice(&mut sliced, &[], rendez_analysis::passes::Delays::Any);
    rendez_analysis::passes::classify_inputs(&mut sliced);
    rendez_analysis::passes::drop_idle_locks(&mut sliced);
    sliced
}

fn compare(source: &str, text: &str) -> Option<Result<(), String>> {
    let mut program = rendez_ada::read_text(source).program?;
    let formula = rendez_property::ctl::parse(text).ok()?;
    BoundFormula::mark(&mut program, &formula).ok()?;
    let options = Options { max_states: MOST_STATES, ..Options::default() };
    let control = Control::default();
    let unfolded = Unfolded::new(&program, &options, &control).ok()?;
    let sliced = sliced(&program);
    let mut wrong = Vec::new();
    let question =
        |program: &Program| BoundFormula::new(program, "p", &formula, rendez_source::Span::NOWHERE).ok();
    for fairness in FAIRNESS {
        let options = Options { fairness, ..options.clone() };
        let expected = unfolded.holds(&question(&program)?.resolved, fairness).ok()?;
        HOLD.fetch_add(u64::from(expected), Ordering::Relaxed);
        let unmerged = Options { merge_local: false, ..options.clone() };
        for (what, program, options) in
            [("unmerged", &program, &unmerged), ("merged", &program, &options), ("sliced", &sliced, &options)]
        {
            let question = question(program)?;
            let decided =
                Reach::default().check(program, &[Query::Formula(&question)], options, &Control::default());
            let right = match &decided.properties[0].answer {
                Verdict::Holds => expected,
                Verdict::Violated(_) => !expected,
                Verdict::Inconclusive(why, _) => {
                    wrong.push(format!("{what}, {fairness:?}: {why}"));
                    continue;
                }
            };
            if !right {
                wrong.push(format!(
                    "{what}, {fairness:?}: it {} hold",
                    if expected { "does" } else { "does not" }
                ));
            }
        }
    }
    // A directed search understands few formulas, but what it says is so.
    let expected = unfolded.holds(&question(&program)?.resolved, Fairness::None).ok()?;
    let question = question(&sliced)?;
    let brief = Options { timeout: Some(std::time::Duration::from_secs(1)), ..options };
    let queries = [Query::Formula(&question)];
    let directed = Directed::default().check(&sliced, &queries, &brief, &Control::default());
    match &directed.properties[0].answer {
        Verdict::Holds if !expected => wrong.push("directed: it does not hold".into()),
        Verdict::Violated(_) if expected => wrong.push("directed: it does hold".into()),
        _ => {}
    }
    Some(if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) })
}

/// States with and without reductions.
static STATES: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

fn reduce(source: &str, text: &str) -> Option<Result<(), String>> {
    let mut program = rendez_ada::read_text(source).program?;
    let formula = rendez_property::ctl::parse(text).ok()?;
    BoundFormula::mark(&mut program, &formula).ok()?;
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    let question = BoundFormula::new(&program, "p", &formula, rendez_source::Span::NOWHERE).ok()?;
    let fairness = Fairness::None;
    let options = Options { max_states: 2 * MOST_STATES, fairness, ..Options::default() };
    let (mut answers, mut states) = (Vec::new(), Vec::new());
    for stubborn in [true, false] {
        let config = Config { stubborn, ..Config::default() };
        let (decided, stats, _) = rendez_reach::ctl::decide_by(
            &program,
            std::slice::from_ref(&question),
            &options,
            &config,
            &Control::default(),
        );
        states.push(stats.states as u64);
        answers.push(match &decided[0].answer {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Inconclusive(Reason::Untracked(_), _) => "unknown",
            Verdict::Inconclusive(..) => return None,
        });
    }
    STATES.iter().zip(states).for_each(|(all, some)| _ = all.fetch_add(some, Ordering::Relaxed));
    Some(if answers[0] == answers[1] { Ok(()) } else { Err(answers.join(" with reductions, but without ")) })
}

#[test]
fn steps_without_a_choice_change_no_formula() {
    let formulas = |seed: u64, source: &str| {
        let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
        let mut random = Random::new(seed * 2 + 1);
        (0..4).map(|n| nested(&program, &mut random, 1 + n % 3)).collect()
    };
    let (count, decided) = rendez_generate::trials(400, formulas, |text, source| reduce(source, text));
    let [with, without] = [0, 1].map(|i| STATES[i].load(Ordering::Relaxed));
    println!("{decided} formulas about {count} programs; {with} states instead of {without}");
    assert!(decided > count, "only {decided} formulas about {count} programs were decided");
    assert!(with < without, "{with} states instead of {without}");
}

#[test]
fn formulas_mean_what_the_fixpoints_say() {
    let formulas = |seed: u64, source: &str| {
        let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
        let mut random = Random::new(seed * 2 + 1);
        (0..4).map(|_| formula(&program, &mut random)).collect()
    };
    let (count, decided) = rendez_generate::trials(400, formulas, |text, source| compare(source, text));
    let hold = HOLD.load(Ordering::Relaxed);
    println!("{decided} formulas about {count} programs; {hold} of {} verdicts: holds", 3 * decided);
    assert!(decided > count, "only {decided} formulas about {count} programs were decided");
}

/// Formulas about what must come, of the kind that fairness decides.
fn lively(program: &Program, random: &mut Random) -> String {
    let (x, e) = (event(program, random, 0), event(program, random, 0));
    match random.below(5) {
        0 => format!("eventually ({x})"),
        1 => format!("always eventually ({x})"),
        2 => format!("always (({e}) -> eventually ({x}))"),
        3 => format!("potentially ({x})"),
        _ => formula(program, random),
    }
}

#[test]
fn formulas_about_endless_programs_mean_what_the_fixpoints_say() {
    let formulas = |seed: u64, source: &str| {
        let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
        let mut random = Random::new(seed * 2 + 1);
        (0..4).map(|_| lively(&program, &mut random)).collect()
    };
    let write = |seed: u64, name: &str| rendez_generate::endless(seed, name).0;
    let (count, decided) =
        rendez_generate::trials_of(write, 200, formulas, |text, source| compare(source, text));
    println!("{decided} formulas about {count} programs without end");
    assert!(decided > count, "only {decided} formulas about {count} programs were decided");
}

/// A pattern with events of the program, in some scope.
fn pattern(program: &Program, random: &mut Random) -> String {
    let mut text = String::new();
    for name in ["p", "q", "r", "a", "b"] {
        let what = match random.below(4) {
            0 if program.tasks.len() > 1 => {
                let task = &program.tasks[1 + random.below(program.tasks.len() - 1)];
                format!("{} {}", ["start", "end"][random.below(2)], task.name)
            }
            n => {
                let entry = program.entry_name(EntryId::from(random.below(program.entries.len())));
                let by = if n == 1 { format!(" by {}", task(program, random)) } else { String::new() };
                format!("{} {entry}{by}", ["accept", "finish"][random.below(2)])
            }
        };
        text += &format!("event {name} = {what};\n");
    }
    let shapes = [
        "existence; p",
        "response; q responds to p",
        "response; q responds to p",
        "response chain; q, r responds to p",
        "response chain; p responds to q, r",
        "response chain; q, r without b responds to p",
        "absence; p",
        "precedence; q precedes p",
    ];
    let scopes = ["globally", "globally", "before a", "after a", "between a and b", "after a until b"];
    let (shape, scope) = (shapes[random.below(shapes.len())], scopes[random.below(scopes.len())]);
    format!("{text}one: pattern: {shape}; scope: {scope};\n")
}

fn followed(program: &Program, text: &str) -> Option<Program> {
    let file = rendez_property::regular::parse_file(text).expect("a pattern");
    let monitors = rendez_verdict::bind(program, &file, |_| rendez_source::Span::NOWHERE).ok()?;
    let mut program = program.clone();
    rendez_verdict::follow(&mut program, monitors.into_iter().map(|b| b.monitor).collect());
    Some(program)
}

static BROKEN: [AtomicU64; 3] = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];

fn compare_patterns(source: &str, text: &str) -> Option<Result<(), String>> {
    let program = followed(&rendez_ada::read_text(source).program?, text)?;
    let sliced = sliced(&program);
    let control = Control::default();
    let mut wrong = Vec::new();
    for (n, fairness) in FAIRNESS.into_iter().enumerate() {
        let options = Options { max_states: MOST_STATES, fairness, ..Options::default() };
        let said = |outcome: &Outcome| match &outcome.properties[0].answer {
            _ if !outcome.contradictions.is_empty() => outcome.contradictions.join("; "),
            Verdict::Holds => "holds".to_owned(),
            Verdict::Violated(_) => "violated".to_owned(),
            Verdict::Inconclusive(why, _) => why.to_string(),
        };
        let expected = said(&Explore.check(&program, &all_sequences(&program), &options, &control));
        if expected != "holds" && expected != "violated" {
            return match expected.contains("hold") {
                true => Some(Err(format!("explore, {fairness:?}: {expected}"))),
                false => None,
            };
        }
        // Whoever looks at the property as part of the state may need more of them.
        let options = Options { max_states: 20 * MOST_STATES, ..options };
        let unmerged = Options { merge_local: false, ..options.clone() };
        BROKEN[n].fetch_add(u64::from(expected == "violated"), Ordering::Relaxed);
        for (what, program, options) in
            [("unmerged", &program, &unmerged), ("merged", &program, &options), ("sliced", &sliced, &options)]
        {
            let outcome = Reach::default().check(program, &all_sequences(program), options, &control);
            // The product of a program with its property may be too large.
            if outcome.stats.states > options.max_states {
                return None;
            }
            let found = said(&outcome);
            if found != expected {
                wrong.push(format!("{what}, {fairness:?}: {found} instead of {expected}"));
            }
        }
    }
    Some(if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) })
}

#[test]
fn patterns_are_about_all_executions() {
    let patterns = |seed: u64, source: &str| {
        let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
        let mut random = Random::new(seed * 2 + 1);
        match program.entries.is_empty() {
            true => Vec::new(),
            false => (0..4).map(|_| pattern(&program, &mut random)).collect(),
        }
    };
    let (count, decided) =
        rendez_generate::trials(120, patterns, |text, source| compare_patterns(source, text));
    let broken: Vec<u64> = BROKEN.iter().map(|n| n.load(Ordering::Relaxed)).collect();
    println!(
        "{decided} patterns about {count} programs; violated without, with weak, with queues: {broken:?}"
    );
    assert!(2 * decided > count, "only {decided} patterns about {count} programs were decided");
}

#[test]
fn patterns_about_endless_programs_are_about_all_executions() {
    let patterns = |seed: u64, source: &str| {
        let Some(program) = rendez_ada::read_text(source).program else { return Vec::new() };
        let mut random = Random::new(seed * 2 + 1);
        (0..4).map(|_| pattern(&program, &mut random)).collect()
    };
    let write = |seed: u64, name: &str| rendez_generate::endless(seed, name).0;
    let (count, decided) =
        rendez_generate::trials_of(write, 200, patterns, |text, source| compare_patterns(source, text));
    println!("{decided} patterns about {count} programs without end");
    assert!(2 * decided > count, "only {decided} patterns about {count} programs were decided");
}
