//! Trace flow graphs, what may happen in parallel in them, and the verdicts of the flow engine.

use std::collections::BTreeSet;
use std::process::ExitCode;

use rendez_cases::Case;
use rendez_flow::cfg::Facts;
use rendez_flow::tfg::{Tfg, TfgPlan};
use rendez_flow::{Flow, cells_to_follow};
use rendez_model::Program;
use rendez_source::Span;
use rendez_verdict::{Control, Engine, Options, Verdict, all_sequences, bind, follow};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("graphs", graphs), ("verdicts", verdicts)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// The program, followed by the properties of `! property`.
fn followed(case: &Case) -> Program {
    let mut program = case.program();
    let text = case.options("property").join("\n");
    let file = rendez_property::regular::parse_file(&text).expect("a property");
    let bound = bind(&program, &file, |_| Span::NOWHERE).expect("names of the program");
    follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    program
}

/// The nodes with their successors, and the pairs of nodes that may happen in parallel.
fn graphs(case: &Case) -> String {
    let program = followed(case);
    let facts = Facts::new(&program);
    let plan = TfgPlan {
        program: &program,
        facts: &facts,
        automata: &program.monitors,
        separate: &BTreeSet::new(),
        merge: true,
        cells: &cells_to_follow(&program, &facts),
        optimise: true,
        published: false,
    };
    let tfg = Tfg::new(&plan).expect("a graph");
    let mut out = String::new();
    for (n, targets) in tfg.control().iter().enumerate() {
        let node = &tfg.nodes[n];
        let letters: Vec<String> =
            node.letters.iter().map(|(a, l)| program.monitors[usize::from(*a)].letter_name(*l)).collect();
        let letters = if letters.is_empty() { String::new() } else { format!(" [{}]", letters.join(", ")) };
        let then: Vec<String> = targets.iter().map(|t| t.to_string()).collect();
        out += &format!("{n}: {}{letters} -> {}\n", tfg.describe(&program, n as u32), then.join(" "));
    }
    let pairs: Vec<String> = tfg.mhp_pairs().iter().map(|(a, b)| format!("{a}-{b}")).collect();
    out + &format!("in parallel: {}\n", pairs.join(" "))
}

/// The verdict, and which constraints a proof needed.
fn verdicts(case: &Case) -> String {
    let program = followed(case);
    let mut out = String::new();
    for answer in Flow::default()
        .check(&program, &all_sequences(&program), &Options::default(), &Control::default())
        .properties
    {
        out += &match &answer.answer {
            Verdict::Holds => format!("holds, with constraints: {}\n", answer.constraints.join(", ")),
            Verdict::Violated(findings) => format!("violated: {}\n", findings[0].message),
            Verdict::Inconclusive(reason, _) => format!("open: {}\n", reason),
        };
        if let Some(why) = answer.vacuous {
            out += &format!("vacuous: {why}\n");
        }
    }
    out
}
