//! Random programs: directed search must find what the reference explorer finds and nothing else,
//! whatever the order and the heuristic, and A* the shortest trace. RENDEZ_SEED and RENDEZ_PROGRAMS
//! choose others and more; what fails is shrunk.

use std::sync::atomic::{AtomicU64, Ordering};

use rendez_directed::{Directed, DirectedSettings, Heuristic, Measure, Order, SearchTarget, seek};
use rendez_explore::Explore;
use rendez_verdict::{Control, End, Engine, Kind, Options, Verdict, all_checks};

const STATES: usize = 10_000;

fn compare(source: &str, found_some: &AtomicU64) -> Option<Result<(), String>> {
    let program = rendez_ada::read_text(source).program?;
    let options = Options { max_states: STATES, merge_local: false, ..Options::default() };
    let control = Control::default();
    let exact = Explore.check(&program, &all_checks(), &options, &control);
    if exact.end != End::Complete || !exact.reached.is_empty() {
        return None;
    }
    let semantics = rendez_analysis::semantics(&program, options.recursion);
    let local = rendez_search::local_steps(&program, &options);
    let run = |wanted: SearchTarget, heuristic: Heuristic, order: Order, partial: bool| {
        let settings = DirectedSettings { order, seed: 7, partial, ..DirectedSettings::default() };
        seek(&semantics, &local, wanted, heuristic, &settings, &options, &control).search
    };
    let measures = [Measure::Fsm, Measure::Efsm(0), Measure::Efsm(1), Measure::Fca, Measure::Efca];
    for wanted in
        [SearchTarget::Blocking, SearchTarget::Race, SearchTarget::Assertion, SearchTarget::Exception]
    {
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
        let outcome = Directed::default().check(&program, &all_checks(), &options, &control);
        if !outcome.contradictions.is_empty() {
            return Some(Err(format!("{:?}", outcome.contradictions)));
        }
        for ((kind, said), (_, known)) in outcome.answers.iter().zip(&exact.answers) {
            let fits = match said {
                Verdict::Holds => matches!(known, Verdict::Holds),
                Verdict::Violated(_) => !matches!(known, Verdict::Holds),
                Verdict::Inconclusive(..) => true,
            };
            if !fits {
                return Some(Err(format!("{kind:?}, merged {merge_local}: {said:?}, not {known:?}")));
            }
        }
        let certain = |answers: &[(Kind, Verdict)], kinds: &[Kind]| {
            answers.iter().any(|(k, a)| kinds.contains(k) && matches!(a, Verdict::Violated(_)))
        };
        let waiting: &[Kind] = &[Kind::CircularWait, Kind::ClientBlocked, Kind::Spin];
        for kinds in [waiting, &[Kind::Race], &[Kind::Assertion]] {
            if certain(&exact.answers, kinds) && !certain(&outcome.answers, kinds) {
                return Some(Err(format!("{kinds:?}, merged {merge_local}: not found")));
            }
        }
    }
    Some(Ok(()))
}

#[test]
fn directed_search_finds_what_there_is_in_random_programs() {
    let found = AtomicU64::new(0);
    let (count, decided) =
        rendez_generate::trials(100, |_, _| vec![String::new()], |_, source| compare(source, &found));
    println!("{decided} programs, {} errors found in each of several ways", found.into_inner());
    assert!(decided * 3 > count, "only {decided} of {count} programs were small enough");
}
