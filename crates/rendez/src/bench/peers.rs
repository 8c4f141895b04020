//! Side by side with SPIN: the same rendezvous, every interleaving, one thread.

use std::process::Command;
use std::time::Duration;

use rendez_evidence::{Control, End, Options};
use rendez_model::semantics::Semantics;
use rendez_reach::{Config, reach};

use super::{families, model};

struct Row {
    states: usize,
    seconds: f64,
    bytes: f64,
}

/// Our search, with all reductions or with none.
pub(super) fn ours(
    family: &str,
    n: usize,
    threads: usize,
    reduced: bool,
    seconds: u64,
) -> Option<(usize, f64, usize)> {
    let program = model(family, n, &[]);
    let semantics = Semantics::new(&program);
    let options = Options {
        max_states: 100_000_000,
        memory: 8 << 30,
        timeout: Some(Duration::from_secs(seconds)),
        ..Options::default()
    };
    let config =
        Config { threads, stubborn: reduced, symmetry: reduced, deadlock_only: true, ..Config::default() };
    let reached = reach(&semantics, &options, &config, &Control::default(), &[]);
    (reached.end == End::Complete).then_some((
        reached.stats.states,
        reached.stats.seconds,
        reached.stats.peak_bytes,
    ))
}

fn number(text: &str, before: &str) -> Option<f64> {
    let line = text.lines().find(|l| l.contains(before))?;
    line.split_whitespace().find_map(|w| w.parse().ok())
}

/// SPIN's verifier, compiled for the model. None if SPIN is not there.
fn spin(family: &str, n: usize, states: usize, folder: &std::path::Path) -> Option<Row> {
    std::fs::write(folder.join("model.pml"), families::promela(family, n)?).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(folder).output().ok().filter(|o| o.status.success())
    };
    run("spin", &["-a", "model.pml"])?;
    run("gcc", &["-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"])?;
    let pan = folder.join("pan");
    // A stack and a hash table of the right size, so that neither the time nor the memory is wasted.
    let (depth, bits) = (format!("-m{}", states * 3 + 10_000), format!("-w{}", states.ilog2() + 1));
    let output = run(pan.to_str()?, &[&depth, &bits, "-c0"])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let states = number(&text, "states, stored")?;
    let elapsed = number(&text, "pan: elapsed time");
    // The states and the table that finds them, as we count ours; the stack is left out.
    let memory =
        number(&text, "actual memory usage for states")? + number(&text, "memory used for hash table")?;
    Some(Row {
        states: states as usize,
        seconds: elapsed.unwrap_or(0.01).max(0.01),
        bytes: memory * 1024.0 * 1024.0 / states,
    })
}

/// The rows whose name begins with `only`, or all.
pub(super) fn run(only: Option<&str>) -> u8 {
    let folder = std::env::temp_dir().join(format!("rendez-peers-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        crate::complain!("error: {}: cannot be made", folder.display());
        return crate::commands::BAD_INPUT;
    }
    crate::say!("Every interleaving, no reduction, one thread; SPIN with -O2 -DSAFETY -DNOREDUCE.\n");
    crate::say!(
        "| program | states | SPIN states | rendez s | SPIN s | rendez states/s | SPIN states/s | ratio | rendez bytes/state | SPIN bytes/state | ratio | two threads |"
    );
    crate::say!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let rows: Vec<(&str, usize)> = (10..=14)
        .map(|n| ("ordered", n))
        .chain((5..=8).map(|n| ("readers-writers", n)))
        .chain((4..=6).map(|n| ("gas-station", n)))
        .filter(|(family, n)| only.is_none_or(|only| format!("{family}:{n}").starts_with(only)))
        .collect();
    if rows.is_empty() {
        crate::complain!(
            "error: no program of that name; there are ordered:10..14, readers-writers:5..8, gas-station:4..6"
        );
        return crate::commands::BAD_INPUT;
    }
    for (family, n) in rows {
        let Some((states, seconds, bytes)) = ours(family, n, 1, false, 600) else { continue };
        let two = ours(family, n, 2, false, 600).map_or(0.0, |t| seconds / t.1);
        let rate = states as f64 / seconds.max(1e-6);
        let each = bytes as f64 / states as f64;
        match spin(family, n, states, &folder) {
            Some(row) => {
                let spins = row.states as f64 / row.seconds;
                crate::say!(
                    "| {family}:{n} | {states} | {} | {seconds:.3} | {:.2} | {rate:.0} | {spins:.0} | {:.1} | {each:.1} | {:.1} | {:.1} | {two:.2} |",
                    row.states,
                    row.seconds,
                    rate / spins,
                    row.bytes,
                    row.bytes / each
                );
            }
            None => crate::say!(
                "| {family}:{n} | {states} | - | {seconds:.3} | - | {rate:.0} | - | - | {each:.1} | - | - | {two:.2} |"
            ),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    0
}
