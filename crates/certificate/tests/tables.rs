//! Linear systems of small nets, and the checker of proofs: one that is accepted, and what is wrong with others.

use std::process::ExitCode;

use num_bigint::BigInt;
use num_rational::BigRational;
use rendez_cases::Case;
use rendez_certificate::{Plan, Proof, ProofStep, Subject, check, learn};
use rendez_certificate::{Row, System};
use rendez_petri::Net;
use rendez_petri::net::Budget;
use rendez_verdict::Control;

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("systems", systems), ("proofs", proofs)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

fn show(row: &Row) -> String {
    let terms: Vec<String> = row.terms.iter().map(|(column, k)| format!("{k:+} x{column}")).collect();
    format!("{} {} {}", terms.join(" "), if row.equal { "=" } else { ">=" }, row.least)
}

/// The rows that say that nobody can move any more.
fn systems(case: &Case) -> String {
    let program = case.program();
    let semantics = rendez_analysis::semantics(&program, 32);
    let control = Control::default();
    let budget = Budget { until: None, memory: usize::MAX, control: &control };
    let learnt = learn(&semantics, &Subject::Deadlock, &Plan::default(), budget).expect("a net");
    let system = System::new(&learnt.net, &learnt.goal);
    let mut out = format!("{} transitions, {} columns\n", system.transitions, system.columns);
    system.rows.iter().for_each(|row| out += &format!("{}\n", show(row)));
    out
}

/// A system of rows `! row COLUMN*FACTOR ... >= NUMBER`, and a proof that it has no solution, in steps
/// `! step sum ROW*FACTOR ...`, `! step whole COLUMN MOST`, `! step trap PLACE ...`.
fn proofs(case: &Case) -> String {
    let rows: Vec<Row> = case.options("row").into_iter().map(row).collect();
    let columns = rows.iter().flat_map(|r| &r.terms).map(|t| t.0 as usize + 1).max().unwrap_or(0);
    let system = System { columns, rows, transitions: columns, has_places: false };
    let step = |line: &str| -> ProofStep {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "sum" => ProofStep::Sum(words[1..].iter().map(|w| multiplier(w)).collect()),
            "whole" => {
                ProofStep::Whole(words[1].parse().expect("a column"), words[2].parse().expect("a number"))
            }
            "trap" => ProofStep::Trap(words[1..].iter().map(|w| w.parse().expect("a place")).collect()),
            other => panic!("no step is called {other}"),
        }
    };
    let steps = case.options("step").into_iter().map(step).collect();
    let answer = match check(&Net::default(), &system, &Proof { steps }) {
        Ok(()) => "accepted".into(),
        Err(why) => format!("refused: {why}"),
    };
    let rows: String =
        system.rows.iter().enumerate().map(|(i, r)| format!("row {i}: {}\n", show(r))).collect();
    format!("{rows}{answer}")
}

/// `COLUMN*FACTOR ... >= NUMBER`, or `=`.
fn row(line: &str) -> Row {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (terms, end) = words.split_at(words.len() - 2);
    let term = |w: &&str| {
        let (column, k) = w.split_once('*').expect("COLUMN*FACTOR");
        (column.parse().expect("a column"), k.parse().expect("a factor"))
    };
    let least = end[1].parse().expect("a number");
    Row { terms: terms.iter().map(term).collect(), equal: end[0] == "=", least }
}

fn multiplier(word: &str) -> (u32, BigRational) {
    let (row, factor) = word.split_once('*').expect("ROW*FACTOR");
    let (up, down) = factor.split_once('/').unwrap_or((factor, "1"));
    let number = |text: &str| BigInt::from(text.parse::<i64>().expect("a number"));
    (row.parse().expect("a row"), BigRational::new(number(up), number(down)))
}
