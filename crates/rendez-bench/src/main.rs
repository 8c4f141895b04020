//! The program `rendez-bench`: tables of papers beside ours, and comparisons with other tools.

use std::process::ExitCode;

use clap::Parser;
use rendez_bench::Bench;

fn main() -> ExitCode {
    let bench = Bench::parse();
    // The front end walks syntax trees recursively: give it room.
    let run = std::thread::Builder::new().stack_size(256 << 20).spawn(move || rendez_bench::run(&bench));
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => ExitCode::from(status),
        _ => ExitCode::from(4),
    }
}
