//! The command `rendez`.

use std::process::ExitCode;

use clap::Parser;
use rendez_cli::arguments::Arguments;

fn main() -> ExitCode {
    // Bad usage is bad input: status 2, which is also what clap uses.
    let arguments = Arguments::parse();
    // The front end walks syntax trees recursively: give it room.
    let run = std::thread::Builder::new().stack_size(256 << 20).spawn(move || rendez_cli::run(arguments));
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => ExitCode::from(status),
        _ => ExitCode::from(4),
    }
}
