//! The verdicts and states of the reachability engine, with each reduction on and off.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_reach::{Config, Reach, everybody_ends, never_blocks, never_raised};
use rendez_verdict::{Control, Engine, Options, Outcome, Verdict, all_checks};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("reductions", reductions), ("code_alone", code_alone)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// No reduction may change a verdict; each line says how many states it leaves.
fn reductions(case: &Case) -> String {
    let program = case.program();
    let none = Config {
        merge: false,
        stubborn: false,
        symmetry: false,
        synchronous: false,
        forget: false,
        ..Config::default()
    };
    let run = |config: &Config| {
        Reach { config: config.clone() }.check(
            &program,
            &all_checks(),
            &Options::default(),
            &Control::default(),
        )
    };
    let plain = run(&none);
    let mut out = format!("{}none: {} states\n", summary(&plain), plain.stats.states);
    for (name, config) in [
        ("calls and accepts as one step", Config { synchronous: true, ..none.clone() }),
        ("choices first", Config { merge: true, ..none.clone() }),
        ("dead variables forgotten", Config { forget: true, ..none.clone() }),
        ("symmetry", Config { symmetry: true, ..none.clone() }),
        ("stubborn sets", Config { stubborn: true, ..none.clone() }),
        ("all", Config::default()),
        ("all but stubborn sets", Config { stubborn: false, ..Config::default() }),
        ("all but symmetry", Config { symmetry: false, ..Config::default() }),
        ("all but calls and accepts as one step", Config { synchronous: false, ..Config::default() }),
        ("all but forgetting", Config { forget: false, ..Config::default() }),
    ] {
        let reduced = run(&config);
        assert_eq!(summary(&reduced), summary(&plain), "{name} changes a verdict");
        out += &format!("{name}: {} states\n", reduced.stats.states);
    }
    out
}

/// What is shown without a search.
fn code_alone(case: &Case) -> String {
    let program = case.program();
    let yes = |b| if b { "yes" } else { "not shown" };
    let raised: Vec<&str> = never_raised(&program).into_iter().map(|k| k.name()).collect();
    format!(
        "nobody waits for ever: {}\neverybody ends: {}\nholds: {}",
        yes(never_blocks(&program)),
        yes(everybody_ends(&program)),
        raised.join(" ")
    )
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
