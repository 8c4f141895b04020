//! `rendez verify`: the program is read anew from the words in the certificate, and so is everything that the proof is
//! about.

use std::path::Path;

use clap::Parser;
use rendez::certificates::{Certificate, verify};

use crate::arguments::{Arguments, Command, Verify};
use crate::status::{BAD_INPUT, failed};
use crate::{complain, say};

/// Checks certificates: 0 if all are right, 1 if one is wrong.
pub fn run(arguments: &Verify) -> u8 {
    let mut status = 0;
    for path in &arguments.certificates {
        match one(path) {
            Ok(proved) => say!("{}: {proved}", path.display()),
            Err((bad, why)) => {
                complain!("error: {}: {why}", path.display());
                status = status.max(bad);
            }
        }
    }
    status
}

fn one(path: &Path) -> Result<String, (u8, String)> {
    let text = std::fs::read(path).map_err(|e| (BAD_INPUT, format!("cannot be read: {e}")))?;
    let text = String::from_utf8_lossy(&text);
    let certificate =
        Certificate::parse(&text).map_err(|(line, why)| (BAD_INPUT, format!("line {line}: {why}")))?;
    let words = std::iter::once("rendez".to_owned()).chain(certificate.arguments.iter().cloned());
    let Ok(Arguments { command: Command::Check(check) }) = Arguments::try_parse_from(words) else {
        return Err((BAD_INPUT, "its arguments are not those of `rendez check`".into()));
    };
    let prepared =
        crate::prepared(&check).map_err(|error| (failed(&error), "its program cannot be read".to_owned()))?;
    verify(&certificate, prepared).map_err(|why| (1, why))
}
