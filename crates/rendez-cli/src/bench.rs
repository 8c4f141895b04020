//! `rendez bench` starts the program `rendez-bench`, which lies beside this one: tables of papers, and comparisons with
//! other tools, are no part of the tool that users install.

use std::process::Command;

use crate::arguments::Bench;
use crate::complain;
use crate::status::BAD_INPUT;

pub fn run(bench: &Bench) -> u8 {
    let name = format!("rendez-bench{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    let program = beside.filter(|path| path.exists()).unwrap_or_else(|| name.clone().into());
    match Command::new(&program).args(&bench.arguments).status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::status::INTERNAL)
        }
        Err(error) => {
            complain!(
                "error: {name} cannot be started: {error}; it is a program of its own: build it with `cargo build \
                 --release -p rendez-bench`"
            );
            BAD_INPUT
        }
    }
}
