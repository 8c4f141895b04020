//! Random programs: passes and the merging of local steps must not change a verdict.
//!
//! Each program is explored as the front end wrote it, with every step interleaved; the same with
//! local steps merged; after all passes; and with procedures inlined. The violated checks must be
//! the same. RENDEZ_SEED and RENDEZ_PROGRAMS choose others and more; what fails is shrunk. RENDEZ_STATES
//! passes over larger programs, for long runs: a few large ones take most of the time.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rendez_explore::Explore;
use rendez_model::Program;
use rendez_reach::{Config, Keep, Reach};
use rendez_search::{Breadth, local_steps, search};
use rendez_verdict::{Control, End, Engine, Kind, Options, Outcome, Verdict, all_checks};

/// Programs in which nobody waits for ever, and those of which the code alone shows it.
static FREE: AtomicUsize = AtomicUsize::new(0);
static PROVED: AtomicUsize = AtomicUsize::new(0);

/// Programs with more states are passed over.
static MOST_STATES: LazyLock<usize> =
    LazyLock::new(|| std::env::var("RENDEZ_STATES").ok().and_then(|n| n.parse().ok()).unwrap_or(30_000));

/// The violated checks; None if the state space is too large or something is not modelled.
fn verdicts(program: &Program, merge_local: bool) -> Option<BTreeSet<Kind>> {
    let options = Options { max_states: *MOST_STATES, merge_local, ..Options::default() };
    violated(Explore.check(program, &all_checks(), &options, &Control::default()))
}

/// Whether all states can be visited. Asked first: what is cut short is followed by random walks, which
/// would take most of the time of a test run.
fn is_small(program: &Program) -> bool {
    let options = Options { max_states: *MOST_STATES, merge_local: false, ..Options::default() };
    let (semantics, local) = (
        rendez_analysis::semantics(program, rendez_model::semantics::DEFAULT_RECURSION),
        local_steps(program, &options),
    );
    search(&semantics, &local, &options, &Control::default(), &mut Breadth::default()).end == End::Complete
}

/// The same from the reachability engine.
fn reached(program: &Program, config: Config) -> Option<BTreeSet<Kind>> {
    let options = Options { max_states: *MOST_STATES, merge_local: config.merge, ..Options::default() };
    violated(Reach { config: config.clone() }.check(program, &all_checks(), &options, &Control::default()))
}

fn violated(outcome: Outcome) -> Option<BTreeSet<Kind>> {
    assert!(outcome.contradictions.is_empty(), "{:?}", outcome.contradictions);
    // A triggering call may have nobody to serve it: then nothing is claimed.
    if outcome.end != End::Complete || !outcome.reached.is_empty() {
        return None;
    }
    Some(outcome.answers.iter().filter(|(_, a)| !matches!(a, Verdict::Holds)).map(|(k, _)| *k).collect())
}

/// A panic on the way is a failure like any other.
fn explored_all_ways(source: &str) -> Option<Result<(), String>> {
    std::panic::catch_unwind(|| explore_all_ways(source)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Some(Err(text.unwrap_or_else(|| "panic".into())))
    })
}

fn explore_all_ways(source: &str) -> Option<Result<(), String>> {
    let front = rendez_ada::read_text(source);
    let Some(program) = front.program else {
        return Some(Err(format!("{:?}", front.diagnostics)));
    };
    let printed = rendez_model::text::print(&program);
    match rendez_model::text::parse(&printed) {
        Ok(parsed) if parsed == program => {}
        other => return Some(Err(format!("the text form does not come back: {other:?}"))),
    }
    if !is_small(&program) {
        return None;
    }
    let plain = verdicts(&program, false)?;
    let merged = verdicts(&program, true)?;
    let mut passed = program.clone();
    rendez_analysis::passes::propagate_constants(&mut passed);
    rendez_analysis::passes::slice(&mut passed, &[], rendez_analysis::passes::Delays::Any);
    rendez_analysis::passes::classify_inputs(&mut passed);
    rendez_analysis::passes::drop_idle_locks(&mut passed);
    let broken = rendez_model::validate(&passed);
    if !broken.is_empty() {
        return Some(Err(format!("the passes break the model: {broken:?}")));
    }
    let sliced = verdicts(&passed, true)?;
    let mut flat = program.clone();
    rendez_analysis::passes::inline(&mut flat, 4);
    let inlined = verdicts(&flat, true)?;
    let mut all = vec![("plain", plain), ("merged", merged), ("sliced", sliced), ("inlined", inlined)];
    let config = Config::default();
    let merged = Config { stubborn: false, symmetry: false, ..config.clone() };
    // Cells have slots of their own.
    let apart = Config { split_above: 2, ..merged.clone() };
    // All that is for large levels only.
    let large = Config { merge: false, large: Some(0), ..apart.clone() };
    all.push(("reach, unmerged", reached(&program, large.clone())?));
    all.push(("reach, unmerged, two threads", reached(&program, Config { threads: 2, ..large.clone() })?));
    all.push(("reach, unmerged, symmetry", reached(&passed, Config { symmetry: true, ..large })?));
    all.push(("reach, stubborn, apart", reached(&program, Config { stubborn: true, ..apart.clone() })?));
    all.push(("reach, symmetry, apart", reached(&passed, Config { symmetry: true, ..apart.clone() })?));
    all.push(("reach, apart", reached(&program, apart)?));
    all.push(("reach, stubborn", reached(&program, Config { stubborn: true, ..merged.clone() })?));
    all.push(("reach, symmetry", reached(&passed, Config { symmetry: true, ..merged.clone() })?));
    all.push(("reach", reached(&program, merged)?));
    all.push((
        "reach, all reductions, two threads",
        reached(&passed, Config { threads: 2, large: Some(0), ..config.clone() })?,
    ));
    let options = Options { max_states: *MOST_STATES, ..Options::default() };
    let held = rendez_reach::held_without_data(&passed, &options, &config, &Control::default());
    if let Some(kind) = held.iter().find(|k| all[0].1.contains(*k)) {
        return Some(Err(format!("{kind:?} holds without data but not with them")));
    }
    let waits = [Kind::CircularWait, Kind::ClientBlocked, Kind::ServerIdle, Kind::Spin];
    for (which, program) in [("the program", &program), ("the sliced program", &passed)] {
        let blocks = waits.iter().any(|k| all[0].1.contains(k));
        if blocks && rendez_reach::never_blocks(program) {
            return Some(Err(format!(
                "the code of {which} shows that nobody waits for ever: {:?}",
                all[0].1
            )));
        }
        let raised = rendez_reach::never_raised(program).into_iter().find(|k| all[0].1.contains(k));
        if let Some(kind) = raised {
            return Some(Err(format!(
                "the code of {which} shows that {} holds: {:?}",
                kind.name(),
                all[0].1
            )));
        }
        PROVED.fetch_add(usize::from(!blocks && rendez_reach::never_blocks(program)), Ordering::Relaxed);
        FREE.fetch_add(usize::from(!blocks), Ordering::Relaxed);
    }
    // Searches that keep less than the states find errors only, and none that is not there.
    for keep in [Keep::Hashes, Keep::Bits] {
        let options = Options { memory: 4 << 20, ..options.clone() };
        let config = Config { keep, ..config.clone() };
        let outcome =
            Reach { config: config.clone() }.check(&program, &all_checks(), &options, &Control::default());
        assert!(outcome.contradictions.is_empty(), "{:?}", outcome.contradictions);
        for (kind, answer) in &outcome.answers {
            let wrong = match answer {
                // Without assertions and entries there is nothing to search for.
                Verdict::Holds => {
                    !matches!(kind, Kind::Assertion | Kind::DeadEntry) || all[0].1.contains(kind)
                }
                Verdict::Violated(_) => !all[0].1.contains(kind),
                Verdict::Inconclusive(..) => false,
            };
            if wrong {
                return Some(Err(format!("{kind:?} with {keep:?}: {answer:?}")));
            }
        }
    }
    if is_one_verdict(&all) {
        return Some(Ok(()));
    }
    let lines: Vec<String> = all.iter().map(|(name, found)| format!("{name}: {found:?}")).collect();
    Some(Err(lines.join("\n")))
}

/// Whether the same checks are violated everywhere. Which kind a wait without end is depends on what the code could
/// still do, and passes remove code that does nothing: only those who look at one and the same program name it alike.
fn is_one_verdict(all: &[(&str, BTreeSet<Kind>)]) -> bool {
    let kind = |kind: &Kind| match kind {
        Kind::CircularWait | Kind::ServerIdle => Kind::ClientBlocked,
        kind => *kind,
    };
    let broadly = |found: &BTreeSet<Kind>| found.iter().map(kind).collect::<BTreeSet<Kind>>();
    let alike = |passed: bool| {
        let mut some = all.iter().filter(|(name, _)| *name != "inlined" && is_passed(name) == passed);
        let first = some.next().map(|(_, found)| found);
        some.all(|(_, found)| Some(found) == first)
    };
    all.iter().all(|(_, found)| broadly(found) == broadly(&all[0].1)) && alike(true) && alike(false)
}

/// Whether somebody looked at the program after all passes.
fn is_passed(name: &str) -> bool {
    ["sliced", "symmetry", "all reductions"].iter().any(|w| name.contains(w))
}

/// What was once found at random, without the passes that the command line applies.
#[test]
fn what_was_found_at_random_stays_mended() {
    for source in [
        include_str!("../../../corpus/spin_without_exit.adb"),
        include_str!("../../../corpus/spin_writing_a_component.adb"),
        include_str!("../../../corpus/spin_on_a_constant.adb"),
        include_str!("../../../corpus/spin_left_by_an_exception.adb"),
        include_str!("../../../corpus/abort_due_before_a_write.adb"),
        include_str!("../../../corpus/calls_in_a_circle_once.adb"),
    ] {
        assert_eq!(explored_all_ways(source), Some(Ok(())));
    }
}

#[test]
fn passes_and_merging_keep_the_verdicts_of_random_programs() {
    let (count, decided) =
        rendez_generate::trials(2_000, |_, _| vec![String::new()], |_, source| explored_all_ways(source));
    let (free, proved) = (FREE.load(Ordering::Relaxed), PROVED.load(Ordering::Relaxed));
    println!("{decided} of {count} programs were small enough, and all their verdicts agree");
    println!("{proved} of {free} programs without blocking are seen to be so without a search");
    assert!(decided * 2 > count, "only {decided} of {count} programs were small enough");
}

/// What a call that is accepted depends on: the guard of its entry, and others only if these may fail.
#[test]
fn an_accepted_call_depends_on_its_own_guard() {
    let steps = |source: &str| {
        let mut program = rendez_ada::read_text(source).program.expect("a program");
        rendez_analysis::passes::propagate_constants(&mut program);
        let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
        // Cells have slots of their own.
        let config = Config { split_above: 2, stubborn: false, symmetry: false, ..Config::default() };
        let reached = rendez_reach::reach(&semantics, &Options::default(), &config, &Control::default(), &[]);
        assert_eq!(reached.end, End::Complete);
        (reached.stats.states, reached.cache.trees.outcomes.len())
    };
    let source = include_str!("../../../corpus/guards_of_several_variables.adb");
    let raising = source.replace("when Owner (3) = 0 =>", "when Owner (3) = 0 or else 6 / Owner (3) = 7 =>");
    assert_ne!(source, raising);
    let (few, many) = (steps(source), steps(&raising));
    assert_eq!(few.0, many.0);
    assert!(few.1 * 2 < many.1, "{few:?}, {many:?}");
}

/// Several threads, in large levels from the first one on: the same states and steps as one thread finds, and a way
/// to each of them. Cells have slots of their own, so that some states have several words.
#[test]
fn threads_reach_the_states_that_one_reaches() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(corpus).expect("the corpus").flatten().map(|f| f.path()).collect();
    files.sort();
    let (mut compared, mut wide) = (0, 0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "adb")) {
        let text = std::fs::read(file).ok().and_then(|bytes| rendez_source::decode(&bytes).ok());
        let Some(mut program) = text.and_then(|text| rendez_ada::read_text(&text).program) else { continue };
        rendez_analysis::passes::propagate_constants(&mut program);
        let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
        let options = Options { max_states: 5_000, ..Options::default() };
        let reach = |threads: usize, whole: usize| {
            let plain = Config { merge: false, stubborn: false, symmetry: false, ..Config::default() };
            let config = Config { threads, split_above: whole, large: Some(0), ..plain };
            rendez_reach::reach(&semantics, &options, &config, &Control::default(), &[])
        };
        for whole in [2, 64] {
            let one = reach(1, whole);
            if one.end != End::Complete {
                continue;
            }
            let states = |reached: &rendez_reach::Reached| -> BTreeSet<u64> {
                let hash =
                    |id: u32| BuildHasherDefault::<DefaultHasher>::default().hash_one(reached.state(id));
                (0..reached.stats.states as u32).map(hash).collect()
            };
            let all = states(&one);
            assert_eq!(all.len(), one.stats.states, "{}", file.display());
            for threads in [2, 3] {
                let several = reach(threads, whole);
                assert_eq!(several.stats.states, one.stats.states, "{}", file.display());
                assert_eq!(several.stats.transitions, one.stats.transitions, "{}", file.display());
                assert_eq!(states(&several), all, "{}", file.display());
                let last = several.stats.states as u32;
                for id in (1..last).step_by(1 + last as usize / 50) {
                    assert!(!several.path(id).is_empty(), "{}: {id}", file.display());
                }
            }
            compared += 1;
            wide += usize::from(one.layout.words > 1);
        }
    }
    assert!(compared > 200 && wide > 0, "{compared}, {wide}");
}
