//! The published tables, as far as they take seconds.

use std::process::Command;

struct Run {
    status: i32,
    out: String,
    err: String,
}

fn bench(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_rendez-bench")).args(arguments).output().expect("it runs");
    Run {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn table_ii_of_cats_is_reproduced() {
    let run = bench(&["cats"]);
    assert!(run.out.contains("46 of 47 rows equal"), "{}", run.out);
    assert!(!run.out.contains("DIFFERENT"), "{}", run.out);
}

#[test]
fn the_tables_of_flavers_are_reproduced() {
    for part in ["atm", "table-vi"] {
        let run = bench(&["flavers", "--only", part]);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
        assert!(!run.out.contains("DIFFERENT"), "{}", run.out);
    }
}

#[test]
fn the_figures_of_inca_are_reproduced() {
    for part in ["example", "figure-10"] {
        let run = bench(&["inca", "--only", part]);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    }
}

#[test]
fn the_tables_of_directed_search_are_reproduced() {
    // Status 0: e-FCA generates the fewest states on every row, and patterns half of that on average.
    let run = bench(&["directed", "--only", "tables"]);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
}

#[test]
fn families_that_are_not_there_are_refused() {
    let run = bench(&["cats", "--emit", "nothing:3"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("there is no family `nothing`; there are:"), "{}", run.err);
    let run = bench(&["cats", "--emit", "figure-2:2"]);
    assert_eq!((run.status, run.out.contains("procedure Figure_2")), (0, true), "{}", run.out);
}
