//! The verdicts of the reference explorer on small programs.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_explore::Explore;
use rendez_source::Span;
use rendez_verdict::{Control, Engine, Options, Outcome, Verdict, all_checks, all_sequences, bind, follow};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("verdicts", verdicts), ("properties", properties)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// The default checks; whether local steps are merged changes nothing but the number of states.
fn verdicts(case: &Case) -> String {
    let program = case.program();
    let run = |merge_local| {
        let options = Options { merge_local, ..Options::default() };
        Explore.check(&program, &all_checks(), &options, &Control::default())
    };
    let (plain, merged) = (run(false), run(true));
    assert_eq!(summary(&plain), summary(&merged), "merging changes a verdict");
    format!(
        "{}{} states, {} with local steps merged",
        summary(&plain),
        plain.stats.states,
        merged.stats.states
    )
}

/// Properties of event sequences, given by `! property`.
fn properties(case: &Case) -> String {
    let mut program = case.program();
    let text = case.options("property").join("\n");
    let file = rendez_property::regular::parse_file(&text).expect("a property");
    let bound = bind(&program, &file, |_| Span::NOWHERE).expect("names of the program");
    follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    let queries = [all_checks(), all_sequences(&program)].concat();
    summary(&Explore.check(&program, &queries, &Options::default(), &Control::default()))
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
