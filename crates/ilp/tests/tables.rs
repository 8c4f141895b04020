//! The verdicts of integer programming on small programs, each proof checked in rational arithmetic.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_ilp::{Decided, IlpSettings, deadlock, decide};
use rendez_model::Program;
use rendez_source::Span;
use rendez_verdict::{Control, Options, Verdict, bind, follow};

fn main() -> ExitCode {
    if cfg!(not(feature = "solver")) {
        return ExitCode::SUCCESS;
    }
    let tables: [rendez_cases::Table; 2] = [("deadlock", blocked), ("properties", properties)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// Whether a state can be reached in which nobody can move.
fn blocked(case: &Case) -> String {
    let program = case.program();
    let decided = deadlock(&program, &IlpSettings::default(), &Options::default(), &Control::default());
    summary(&program, &decided)
}

/// Properties of event sequences, given by `! property`.
fn properties(case: &Case) -> String {
    let mut program = case.program();
    let text = case.options("property").join("\n");
    let file = rendez_property::regular::parse_file(&text).expect("a property");
    let bound = bind(&program, &file, |_| Span::NOWHERE).expect("names of the program");
    follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    let decided = decide(&program, &IlpSettings::default(), &Options::default(), &Control::default());
    decided.iter().map(|one| summary(&program, one)).collect()
}

/// The verdict; what was put together for it; and what the checker says of the proof.
fn summary(program: &Program, decided: &Decided) -> String {
    let Decided { answer, subject, plan, proof } = decided;
    let mut out = match &answer.answer {
        Verdict::Holds => "holds\n".to_owned(),
        Verdict::Violated(findings) => format!("violated: {}\n", findings[0].message),
        Verdict::Inconclusive(reason, _) => format!("open: {reason}\n"),
    };
    if let Some(why) = &answer.vacuous {
        out += &format!("vacuous: {why}\n");
    }
    if !plan.merges.is_empty() {
        out += &format!("components that were made one: {:?}\n", plan.merges);
    }
    if matches!(answer.answer, Verdict::Holds) {
        let recursion = Options::default().recursion;
        let checked = rendez_certificate::verify(program, recursion, subject, plan, proof.as_ref());
        out += match (checked, proof) {
            (Ok(()), None) => "the net alone shows it\n",
            (Ok(()), Some(_)) => "the proof is accepted\n",
            (Err(_), _) => "the proof is refused\n",
        };
    }
    out
}
