//! The verdicts of the integer-programming engine; every proof is checked by the code that knows no solver.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_certificate::verify;
use rendez_ilp::{Decided, Settings, deadlock, decide};
use rendez_model::Program;
use rendez_source::Span;
use rendez_verdict::{Answer, Control, Options, bind, follow};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("verdicts", verdicts), ("deadlock", deadlocks)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// Properties given by `! property`.
fn verdicts(case: &Case) -> String {
    let mut program = case.program();
    let text = case.options("property").join("\n");
    let file = rendez_property::regular::parse_file(&text).expect("a property");
    let bound = bind(&program, &file, |_| Span::NOWHERE).expect("names of the program");
    follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    let decided = decide(&program, &Settings::default(), &Options::default(), &Control::default());
    decided.iter().map(|d| show(&program, d)).collect()
}

fn deadlocks(case: &Case) -> String {
    let program = case.program();
    show(&program, &deadlock(&program, &Settings::default(), &Options::default(), &Control::default()))
}

fn show(program: &Program, decided: &Decided) -> String {
    match &decided.answer.answer {
        Answer::Holds => {
            let proof = decided.proof.as_ref();
            verify(program, Options::default().recursion, &decided.subject, &decided.plan, proof)
                .expect("the proof is accepted");
            let how = if proof.is_some() { "by a proof" } else { "by the net alone" };
            format!("holds {how}\n")
        }
        Answer::Violated(findings) => format!("violated: {}\n", findings[0].message),
        Answer::Inconclusive(reason, _) => format!("open: {}\n", reason.text),
    }
}
