//! Random programs with random rules in every language: all engines, and all reductions singly on and off, must
//! agree through the command line. `make agree` asks about others.

use std::path::PathBuf;

use rendez_agree::{Settings, agree};

/// Pairs of a program and a rule, in each language.
const PAIRS: u64 = 500;

#[test]
fn all_ways_to_ask_agree() {
    let summary = agree(&Settings {
        rendez: PathBuf::from(env!("CARGO_BIN_EXE_rendez")),
        seed: 1,
        programs: u64::MAX,
        time: None,
        rules: 2,
        pairs: Some(PAIRS),
        thin: 5,
        states: 2_000,
        folder: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("agree"),
        processes: 2,
    });
    println!("{summary}");
    assert_eq!(summary.contradictions(), 0, "{summary}");
}
