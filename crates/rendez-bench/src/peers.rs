//! Side by side with SPIN: the same rendezvous, every interleaving, one thread.

use std::process::Command;
use std::time::{Duration, Instant};

use rendez_reach::{Config, reach};
use rendez_verdict::{Control, End, Options};

use super::{families, model};

/// What a search came to.
pub(super) struct Row {
    pub states: usize,
    /// Without what it takes to make ready.
    pub seconds: f64,
    /// To learn the steps, or to make the verifier.
    pub ready: f64,
    /// Of the states and the table that finds them.
    pub bytes: usize,
    /// Of everything else.
    pub other_bytes: usize,
}

/// Searches are repeated for so many seconds and not more than so often, and the fastest counts.
const REPEAT: f64 = 2.0;
const TIMES: usize = 40;
/// One thread and two are compared so often at the least.
const TURNS: usize = 5;
/// SPIN's own clock is too coarse for shorter searches.
const SHORT: f64 = 0.3;

fn fastest(mut run: impl FnMut() -> Option<Row>) -> Option<Row> {
    let from = Instant::now();
    let mut best = run()?;
    for _ in 1..TIMES {
        if from.elapsed().as_secs_f64() > REPEAT {
            break;
        }
        let again = run()?;
        if again.seconds < best.seconds {
            best = again;
        }
    }
    Some(best)
}

/// The fastest of one thread's searches and of two threads', in turns: what slows the machine down for a while slows both.
fn one_and_two(family: &str, n: usize) -> Option<(Row, Row)> {
    let (from, run) = (Instant::now(), |threads: usize| ours(family, n, threads, false, 600));
    let (mut one, mut two) = (run(1)?, run(2)?);
    for turn in 1..TIMES {
        if turn >= TURNS && from.elapsed().as_secs_f64() > 2.0 * REPEAT {
            break;
        }
        for (threads, best) in [(1, &mut one), (2, &mut two)] {
            let again = run(threads)?;
            if again.seconds < best.seconds {
                *best = again;
            }
        }
    }
    Some((one, two))
}

/// Our search, with all reductions or with none.
pub(super) fn ours(family: &str, n: usize, threads: usize, reduced: bool, seconds: u64) -> Option<Row> {
    let program = model(family, n, &[]);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let options = Options {
        max_states: 100_000_000,
        memory: 8 << 30,
        timeout: Some(Duration::from_secs(seconds)),
        ..Options::default()
    };
    let config =
        Config { threads, stubborn: reduced, symmetry: reduced, deadlock_only: true, ..Config::default() };
    let from = Instant::now();
    let reached = reach(&semantics, &options, &config, &Control::default(), &[]);
    // A search that had to start again has only learnt something.
    let searching = (reached.stats.seconds - reached.learning.as_secs_f64()).max(1e-6);
    (reached.end == End::Complete).then_some(Row {
        states: reached.stats.states,
        seconds: searching,
        ready: from.elapsed().as_secs_f64() - searching,
        bytes: reached.states_memory(),
        other_bytes: reached.stats.peak_bytes - reached.states_memory(),
    })
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
    let from = Instant::now();
    run("spin", &["-a", "model.pml"])?;
    run("gcc", &["-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"])?;
    let ready = from.elapsed().as_secs_f64();
    let pan = folder.join("pan");
    // A stack and a hash table of the right size, so that neither the time nor the memory is wasted.
    let (depth, bits) = (format!("-m{}", states * 3 + 10_000), format!("-w{}", states.ilog2() + 1));
    fastest(|| {
        let from = Instant::now();
        let output = run(pan.to_str()?, &[&depth, &bits, "-c0"])?;
        let wall = from.elapsed().as_secs_f64();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let states = number(&text, "states, stored")?;
        // It counts in hundredths of a second; for short runs a clock outside is better.
        let elapsed = number(&text, "pan: elapsed time").filter(|seconds| *seconds > SHORT);
        // The states and the table that finds them, as we count ours; the stack is left out.
        let memory =
            number(&text, "actual memory usage for states")? + number(&text, "memory used for hash table")?;
        Some(Row {
            states: states as usize,
            seconds: elapsed.unwrap_or(wall),
            ready,
            bytes: (memory * 1024.0 * 1024.0) as usize,
            other_bytes: 0,
        })
    })
}

/// The rows whose name begins with `only`, or all.
pub(super) fn run(only: Option<&str>) -> u8 {
    let folder = std::env::temp_dir().join(format!("rendez-peers-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        crate::complain!("error: {}: cannot be made", folder.display());
        return crate::BAD_INPUT;
    }
    crate::say!("Every interleaving, no reduction, one thread; SPIN with -O2 -DSAFETY -DNOREDUCE.\n");
    crate::say!(
        "| program | states | SPIN states | rendez s | SPIN s | rendez states/s | SPIN states/s | ratio | rendez bytes/state | SPIN bytes/state | ratio | two threads | learning s | making s |"
    );
    crate::say!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
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
        return crate::BAD_INPUT;
    }
    for (family, n) in rows {
        let Some((own, two)) = one_and_two(family, n) else { continue };
        let two = own.seconds / two.seconds;
        let rate = |row: &Row| row.states as f64 / row.seconds;
        let each = |row: &Row| row.bytes as f64 / row.states as f64;
        let text = |theirs: Option<String>| theirs.unwrap_or_else(|| "-".into());
        let spin = spin(family, n, own.states, &folder);
        let of = |f: &dyn Fn(&Row) -> String| text(spin.as_ref().map(f));
        crate::say!(
            "| {family}:{n} | {} | {} | {:.4} | {} | {:.0} | {} | {} | {:.1} | {} | {} | {two:.2} | {:.4} | {} |",
            own.states,
            of(&|s| s.states.to_string()),
            own.seconds,
            of(&|s| format!("{:.3}", s.seconds)),
            rate(&own),
            of(&|s| format!("{:.0}", rate(s))),
            of(&|s| format!("{:.1}", rate(&own) / rate(s))),
            each(&own),
            of(&|s| format!("{:.1}", each(s))),
            of(&|s| format!("{:.1}", each(s) / each(&own))),
            own.ready,
            of(&|s| format!("{:.1}", s.ready)),
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
    0
}
