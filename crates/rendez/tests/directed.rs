//! Random programs: directed search must find what the reference explorer finds and nothing else,
//! whatever the order and the heuristic, and A* the shortest trace. RENDEZ_SEED and RENDEZ_PROGRAMS
//! choose others and more; what fails is shrunk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rendez_directed::{Heuristic, Measure, Order, Settings, Wanted, seek};
use rendez_evidence::{Answer, Control, End, Kind, Options};
use rendez_model::semantics::Semantics;

struct One(String);

impl rendez_ada::Files for One {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

const STATES: usize = 10_000;

fn compare(source: &str, found_some: &AtomicU64) -> Option<Result<(), String>> {
    let request = rendez_ada::Request { sources: vec!["main.adb".into()], ..Default::default() };
    let program = rendez_ada::read(&request, &One(source.to_owned())).program?;
    let options = Options { max_states: STATES, merge_local: false, ..Options::default() };
    let control = Control::default();
    let exact = rendez_explore::check(&program, &options, &control);
    if exact.end != End::Complete || !exact.reached.is_empty() {
        return None;
    }
    let semantics = Semantics::bounded(&program, options.recursion);
    let local = rendez_explore::local_steps(&program, &options);
    let run = |wanted: Wanted, heuristic: Heuristic, order: Order, partial: bool| {
        let settings = Settings { order, seed: 7, partial, ..Settings::default() };
        seek(&semantics, &local, wanted, heuristic, &settings, &options, &control).search
    };
    let measures = [Measure::Fsm, Measure::Efsm(0), Measure::Efsm(1), Measure::Fca, Measure::Efca];
    for wanted in [Wanted::Blocking, Wanted::Race, Wanted::Assertion, Wanted::Exception] {
        let shortest_so_far = std::cell::Cell::new(None);
        let length = |order: Order, heuristic: Heuristic, partial: bool| {
            let search = run(wanted, heuristic, order, partial);
            // With the task that moved last there are more states than without.
            if search.end == End::States {
                return shortest_so_far.get();
            }
            search.found.map(|(id, mv)| search.graph.path(id).len() + usize::from(mv.is_some()))
        };
        let shortest = length(Order::Breadth, Heuristic::Blind, false);
        found_some.fetch_add(u64::from(shortest.is_some()), Ordering::Relaxed);
        for measure in measures {
            let steps = length(Order::AStar, Heuristic::Measured(measure), false);
            if steps != shortest {
                return Some(Err(format!("{wanted:?}, A* with {measure:?}: {steps:?}, not {shortest:?}")));
            }
        }
        let shortest = length(Order::Breadth, Heuristic::Blind, true);
        shortest_so_far.set(shortest);
        let others = [
            (Order::Best, Heuristic::Measured(Measure::Efca)),
            (Order::Best, Heuristic::Pattern),
            (Order::Best, Heuristic::Random),
            (Order::Weighted(300), Heuristic::Measured(Measure::Fca)),
            (Order::Depth, Heuristic::Measured(Measure::Fsm)),
            (Order::Beam(STATES), Heuristic::Measured(Measure::Efca)),
            (Order::Switches, Heuristic::Measured(Measure::Efca)),
        ];
        for (order, heuristic) in others {
            let steps = length(order, heuristic, true);
            if steps.is_some() != shortest.is_some() {
                return Some(Err(format!(
                    "{wanted:?}, {order:?}, {heuristic:?}: {steps:?}, not {shortest:?}"
                )));
            }
        }
    }
    for merge_local in [false, true] {
        let options = Options { max_states: 10 * STATES, merge_local, ..Options::default() };
        let outcome = rendez_directed::check(&program, &Settings::default(), &options, &control);
        if !outcome.contradictions.is_empty() {
            return Some(Err(format!("{:?}", outcome.contradictions)));
        }
        for ((kind, said), (_, known)) in outcome.answers.iter().zip(&exact.answers) {
            // Which blocked tasks count as a circle depends on what the code could still do.
            if matches!(kind, Kind::CircularWait | Kind::ClientBlocked) {
                continue;
            }
            let fits = match said {
                Answer::Holds => matches!(known, Answer::Holds),
                Answer::Violated(_) => !matches!(known, Answer::Holds),
                Answer::Inconclusive(..) => true,
            };
            if !fits {
                return Some(Err(format!("{kind:?}, merged {merge_local}: {said:?}, not {known:?}")));
            }
        }
        let certain = |answers: &[(Kind, Answer)], kinds: &[Kind]| {
            answers.iter().any(|(k, a)| kinds.contains(k) && matches!(a, Answer::Violated(_)))
        };
        let blocked = |answers: &[(Kind, Answer)], wanted: fn(&Answer) -> bool| {
            let of_kind = |k: Kind| matches!(k, Kind::CircularWait | Kind::ClientBlocked);
            answers.iter().any(|(k, a)| of_kind(*k) && wanted(a))
        };
        if blocked(&outcome.answers, |a| matches!(a, Answer::Violated(_)))
            && !blocked(&exact.answers, |a| !matches!(a, Answer::Holds))
        {
            return Some(Err(format!("merged {merge_local}: blocked, {:?}", outcome.answers)));
        }
        let waiting: &[Kind] = &[Kind::CircularWait, Kind::ClientBlocked, Kind::Spin];
        for kinds in [waiting, &[Kind::Race], &[Kind::Assertion]] {
            if certain(&exact.answers, kinds) && !certain(&outcome.answers, kinds) {
                return Some(Err(format!("{kinds:?}, merged {merge_local}: not found")));
            }
        }
    }
    Some(Ok(()))
}

/// A panic on the way is a failure like any other.
fn compared(source: &str, found: &AtomicU64) -> Option<Result<(), String>> {
    std::panic::catch_unwind(|| compare(source, found)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Some(Err(text.unwrap_or_else(|| "panic".into())))
    })
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn directed_search_finds_what_there_is_in_random_programs() {
    // Other programs every day.
    let today = std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs() / 86_400);
    let first = number("RENDEZ_SEED", today * 10_000);
    let count = number("RENDEZ_PROGRAMS", 100);
    let next = AtomicU64::new(first);
    let (decided, found) = (AtomicU64::new(0), AtomicU64::new(0));
    let failure = std::sync::Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, || {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= first + count || failure.lock().expect("no panic").is_some() {
                            return;
                        }
                        let program = rendez_generate::program(seed, "Main");
                        match compared(&program.to_string(), &found) {
                            Some(Ok(())) => {
                                decided.fetch_add(1, Ordering::Relaxed);
                            }
                            None => {}
                            Some(Err(why)) => {
                                let small = rendez_generate::shrink(&program, 300, |p| {
                                    matches!(compared(&p.to_string(), &found), Some(Err(_)))
                                });
                                *failure.lock().expect("no panic") =
                                    Some(format!("seed {seed}: {why}\n{small}"));
                            }
                        }
                    }
                })
                .expect("a thread");
        }
    });
    if let Some(failure) = failure.into_inner().expect("no panic") {
        panic!("{failure}");
    }
    let (decided, found) = (decided.into_inner(), found.into_inner());
    println!("{decided} programs, {found} errors found in each of several ways");
    assert!(decided * 3 > count, "only {decided} of {count} programs were small enough");
}
