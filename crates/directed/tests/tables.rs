//! What directed search finds, and after how many states under each order.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_directed::{Directed, DirectedSettings, Heuristic, Measure, Order, SearchTarget, seek};
use rendez_search::local_steps;
use rendez_verdict::{Control, Engine, Options, Outcome, Verdict, all_checks};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("verdicts", verdicts), ("order", order)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

fn verdicts(case: &Case) -> String {
    let program = case.program();
    summary(&Directed::default().check(&program, &all_checks(), &Options::default(), &Control::default()))
}

/// How many states are found before the error, and how long its trace is, by heuristic and order.
fn order(case: &Case) -> String {
    let program = case.program();
    let semantics = rendez_analysis::semantics(&program, 32);
    let options = Options { merge_local: false, ..Options::default() };
    let local = local_steps(&program, &options);
    let mut out = String::new();
    for (name, wanted) in [("blocking", SearchTarget::Blocking), ("assertion", SearchTarget::Assertion)] {
        for (how, heuristic, order) in [
            ("breadth first", Heuristic::Blind, Order::AStar),
            ("shortest by estimate", Heuristic::Measured(Measure::Efca), Order::AStar),
            ("nearest first", Heuristic::Measured(Measure::Efca), Order::Best),
            ("fewest switches", Heuristic::Measured(Measure::Efca), Order::Switches),
        ] {
            let settings =
                DirectedSettings { order, heuristic: Some(heuristic), ..DirectedSettings::default() };
            let found = seek(&semantics, &local, wanted, heuristic, &settings, &options, &Control::default());
            let search = found.search;
            let trace = match search.found {
                Some((state, last)) => {
                    let moves = search.graph.path(state).len() + usize::from(last.is_some());
                    format!("found after {moves} steps")
                }
                None => "not found".into(),
            };
            out += &format!("{name}, {how}: {trace}, {} states\n", search.graph.len());
        }
    }
    out
}

/// The checks that do not hold, and why; then where something is wrong with rendez itself.
fn summary(outcome: &Outcome) -> String {
    let mut out = String::new();
    let properties = outcome.properties.iter().map(|p| (p.name.as_str(), &p.answer));
    for (name, answer) in outcome.answers.iter().map(|(kind, a)| (kind.name(), a)).chain(properties) {
        let findings = match answer {
            Verdict::Holds => continue,
            Verdict::Violated(findings) => findings,
            Verdict::Inconclusive(reason, findings) => {
                out += &format!("{name}? {}\n", reason);
                findings
            }
        };
        findings.iter().for_each(|f| out += &format!("{name}: {}\n", f.message));
    }
    assert!(outcome.contradictions.is_empty(), "{:?}", outcome.contradictions);
    if out.is_empty() { "all checks hold\n".into() } else { out }
}
