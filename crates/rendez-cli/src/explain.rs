//! What findings mean: the pages of docs/findings, and the manual page.

use clap::CommandFactory;

use crate::arguments::{Arguments, Explain};
use crate::status::BAD_INPUT;

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../findings/", $name, ".md")))),*]
    };
}

const PAGES: &[(&str, &str)] = pages![
    "circular-wait",
    "client-blocked",
    "server-idle",
    "spin",
    "tasking-error",
    "program-error",
    "unhandled-exception",
    "race",
    "assertion",
    "dead-entry",
    "ctl",
    "sequence",
    "vacuous",
    "deadlock",
];

/// What a page is about: the line behind its title.
fn about(page: &str) -> &str {
    page.lines().skip(1).find(|l| !l.trim().is_empty()).unwrap_or("")
}

pub fn run(explain: &Explain) -> u8 {
    let Some(name) = &explain.finding else {
        for (name, page) in PAGES {
            crate::say!("{name:<20} {}", about(page));
        }
        return 0;
    };
    let plain = name.trim_matches(['[', ']']).to_lowercase();
    match PAGES.iter().find(|(n, _)| *n == plain) {
        Some((_, page)) => {
            crate::say!("{}", page.trim_end());
            0
        }
        None => {
            let names: Vec<&str> = PAGES.iter().map(|p| p.0).collect();
            crate::complain!("error: there is no finding `{name}`; there are {}", names.join(", "));
            BAD_INPUT
        }
    }
}

/// The manual page: the command, then each of its commands.
pub fn manual() -> std::io::Result<Vec<u8>> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|s| s.get_name() != "help") {
        let man = clap_mangen::Man::new(sub.clone());
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(page)
}
