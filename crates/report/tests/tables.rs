//! Stories: the steps of a trace in words, those that matter marked; and which findings stand together.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_explore::Explore;
use rendez_report::{Report, tell};
use rendez_source::SourceMap;
use rendez_verdict::{Control, Engine, Options, Verdict, all_checks};

fn main() -> ExitCode {
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &[("stories", stories)])
}

/// Each finding with its story. A star marks what matters.
fn stories(case: &Case) -> String {
    let program = case.program();
    let outcome = Explore.check(&program, &all_checks(), &Options::default(), &Control::default());
    let mut out = String::new();
    for (kind, answer) in &outcome.answers {
        let (Verdict::Violated(findings) | Verdict::Inconclusive(_, findings)) = answer else { continue };
        for finding in findings {
            out += &format!("{}: {}\n", kind.name(), finding.message);
            for told in tell(&program, finding) {
                let star = if told.matters { "*" } else { " " };
                let task = &program.tasks[told.task.index()].name;
                let changes: String = told.changes.iter().map(|(v, to)| format!("; {v} = {to}")).collect();
                out += &format!("  {star} line {}: {task} {}{changes}\n", told.span.line, told.text);
            }
        }
    }
    let report = Report {
        program: &program,
        map: &SourceMap::default(),
        outcome: &outcome,
        diagnostics: &[],
        only: &[],
        deny_warnings: false,
    };
    out += &format!("status {}\n", report.status());
    out
}
