//! Random programs with random temporal formulas: the reachability engine must agree with fixpoints over every
//! state of the semantics, before and after slicing, with and without fairness. RENDEZ_SEED and RENDEZ_PROGRAMS
//! choose others and more; what fails is shrunk.

use std::sync::atomic::{AtomicU64, Ordering};

use rendez_evidence::{Answer, Control, Fairness, Options, Question, Random};
use rendez_explore::Unfolded;
use rendez_model::{EntryId, Program};
use rendez_reach::Config;

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

/// What a temporal operator is about.
fn operand(program: &Program, random: &mut Random) -> String {
    match random.below(2) {
        0 if !program.entries.is_empty() => event(program, random, 1),
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
    match random.below(6) {
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

static HOLD: AtomicU64 = AtomicU64::new(0);

fn compare(source: &str, text: &str) -> Option<Result<(), String>> {
    let mut program = rendez_ada::read_text(source).program?;
    let formula = rendez_property::ctl::parse(text).ok()?;
    Question::mark(&mut program, &formula).ok()?;
    let options = Options { max_states: MOST_STATES, ..Options::default() };
    let unfolded = Unfolded::new(&program, &options)?;
    let mut sliced = program.clone();
    rendez_model::passes::propagate_constants(&mut sliced);
    rendez_model::passes::slice(&mut sliced, &[], rendez_model::passes::Delays::Any);
    rendez_model::passes::classify_inputs(&mut sliced);
    rendez_model::passes::drop_idle_locks(&mut sliced);
    let mut wrong = Vec::new();
    for fairness in [Fairness::None, Fairness::Fifo] {
        let question =
            |program: &Program| Question::new(program, "p", &formula, rendez_source::Span::NOWHERE).ok();
        let expected = unfolded.holds(&question(&program)?.resolved, fairness);
        HOLD.fetch_add(u64::from(expected), Ordering::Relaxed);
        let unmerged = Options { merge_local: false, ..options.clone() };
        for (what, program, options) in
            [("unmerged", &program, &unmerged), ("merged", &program, &options), ("sliced", &sliced, &options)]
        {
            let (question, config) = (question(program)?, Config::default());
            let decided = rendez_reach::ctl::decide(
                program,
                &[question],
                options,
                &config,
                fairness,
                &Control::default(),
            );
            let right = match &decided.0[0].answer {
                Answer::Holds => expected,
                Answer::Violated(_) => !expected,
                Answer::Inconclusive(why, _) => {
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
    Some(if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) })
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
    println!("{decided} formulas about {count} programs; {hold} of {} verdicts: holds", 2 * decided);
    assert!(decided > count, "only {decided} formulas about {count} programs were decided");
}
