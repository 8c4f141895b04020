//! The command line: arguments, one file per command, exit statuses. What is decided, and how, is in crate `rendez`.

pub mod arguments;
mod bench;
mod check;
mod dump;
mod explain;
mod graph;
mod progress;
mod simulate;
pub mod status;
mod verify;

use clap::CommandFactory;
use rendez::{Error, Loaded};

use crate::arguments::{Arguments, Command, Input};
use crate::status::{INTERNAL, print};

pub use check::{prepared, settings};

/// Runs a command; its exit status.
pub fn run(arguments: Arguments) -> u8 {
    match arguments.command {
        Command::Check(check) => check::run(*check),
        Command::Dump(dump) => dump::run(&dump),
        Command::Simulate(simulate) => simulate::run(&simulate),
        Command::Graph(graph) => graph::run(&graph),
        Command::Verify(verify) => verify::run(&verify),
        Command::Explain(explain) => explain::run(&explain),
        Command::Completions(completions) => {
            let mut script = Vec::new();
            clap_complete::generate(completions.shell, &mut Arguments::command(), "rendez", &mut script);
            print(&String::from_utf8_lossy(&script));
            0
        }
        Command::Man => match explain::manual() {
            Ok(page) => {
                print(&String::from_utf8_lossy(&page));
                0
            }
            Err(error) => {
                complain!("internal error: {error}");
                INTERNAL
            }
        },
        Command::Bench(bench) => bench::run(&bench),
    }
}

/// Reads what the arguments name, and says what was left out.
fn read(input: &Input) -> Result<Loaded, Error> {
    let loaded = rendez::load(&input.sources())?;
    for note in &loaded.notes {
        complain!("note: {note}");
    }
    Ok(loaded)
}
