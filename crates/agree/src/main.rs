//! Asks all engines the same random questions, and says where they do not agree.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rendez_agree::{Settings, agree};

#[derive(Parser)]
#[command(about = "Asks every engine the same random questions through the command line")]
struct Arguments {
    /// The command to ask
    #[arg(long, value_name = "FILE")]
    rendez: PathBuf,
    /// The first seed; from the clock if none is given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Programs at most
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    programs: u64,
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Rules of each language in a file with many
    #[arg(long, value_name = "N", default_value_t = 1)]
    rules: usize,
    /// Stop after so many pairs of a program and a rule in each language
    #[arg(long, value_name = "N")]
    pairs: Option<u64>,
    /// Of the ways to ask, one in so many
    #[arg(long, value_name = "N", default_value_t = 1)]
    thin: u64,
    /// The limit of each run
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    states: u64,
    /// Where contradictions are kept
    #[arg(long, value_name = "DIR", default_value = "target/agree")]
    folder: PathBuf,
    #[arg(long, value_name = "N", default_value_t = 2)]
    processes: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs());
    // Programs of runs that begin in different seconds are different ones.
    let seed = arguments.seed.unwrap_or(now.wrapping_mul(1_000));
    println!("seed {seed}");
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let settings = Settings {
        rendez: absolute(arguments.rendez),
        seed,
        programs: arguments.programs,
        time: arguments.seconds.map(Duration::from_secs),
        rules: arguments.rules,
        pairs: arguments.pairs,
        thin: arguments.thin,
        states: arguments.states,
        folder: absolute(arguments.folder),
        processes: arguments.processes,
    };
    let summary = agree(&settings);
    println!("{summary}");
    println!("the same again: --seed {seed} --programs {} --rules {}", summary.programs, settings.rules);
    match summary.contradictions() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
