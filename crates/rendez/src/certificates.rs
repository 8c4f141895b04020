//! Writing certificates, and checking them: the program is read anew, and so is everything that the
//! proof is about.

use std::path::{Path, PathBuf};

use clap::Parser;
use rendez_certificate::text::{Certificate, fingerprint};
use rendez_certificate::{Sector, Subject, verify};
use rendez_source::SourceMap;
use rendez_verdict::Answer;

use crate::arguments::{Arguments, Command, Verify};
use crate::commands::{BAD_INPUT, Ready, prepared};

/// Writes the proofs of what holds into a folder; each answer learns the name of its file.
pub fn write(folder: &Path, decided: &mut [rendez_ilp::Decided], ready: &Ready) -> Result<(), String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: cannot be written: {e}", path.display());
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    let mut arguments: Vec<String> = Vec::new();
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        if word == "--certificate" {
            given.next();
        } else if !word.starts_with("--certificate=") {
            arguments.push(word);
        }
    }
    for one in decided.iter_mut().filter(|d| matches!(d.answer.answer, Answer::Holds)) {
        let certificate = Certificate {
            arguments: arguments.clone(),
            files: files(&ready.map),
            property: one.answer.name.clone(),
            recursion: ready.recursion,
            plan: one.plan.clone(),
            proof: one.proof.clone(),
        };
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let mut name: String = one.answer.name.chars().map(plain).collect();
        let mut path = folder.join(format!("{name}.certificate"));
        while is_of_another(&path, &one.answer.name) {
            name.push('-');
            path = folder.join(format!("{name}.certificate"));
        }
        std::fs::write(&path, certificate.print()).map_err(|e| failed(&path, e))?;
        one.answer.certificate = Some(path.display().to_string());
    }
    Ok(())
}

/// Whether a file is the certificate of another property: two names may differ only in what no file name has.
fn is_of_another(path: &Path, property: &str) -> bool {
    let known = std::fs::read_to_string(path).ok().and_then(|text| Certificate::parse(&text).ok());
    known.is_some_and(|c| c.property != property)
}

fn files(map: &SourceMap) -> Vec<(String, String)> {
    map.files().map(|(name, text)| (name.to_owned(), fingerprint(text.as_bytes()))).collect()
}

/// Checks certificates: 0 if all are right, 1 if one is wrong.
pub fn run(arguments: &Verify) -> u8 {
    let mut status = 0;
    for path in &arguments.certificates {
        match one(path) {
            Ok(proved) => crate::say!("{}: {proved}", path.display()),
            Err((bad, why)) => {
                crate::complain!("error: {}: {why}", path.display());
                status = status.max(bad);
            }
        }
    }
    status
}

fn one(path: &PathBuf) -> Result<String, (u8, String)> {
    let wrong = |why: String| (1, why);
    let text = std::fs::read(path).map_err(|e| (BAD_INPUT, format!("cannot be read: {e}")))?;
    let text = String::from_utf8_lossy(&text);
    let certificate =
        Certificate::parse(&text).map_err(|(line, why)| (BAD_INPUT, format!("line {line}: {why}")))?;
    let words = std::iter::once("rendez".to_owned()).chain(certificate.arguments.iter().cloned());
    let Ok(Arguments { command: Command::Check(check) }) = Arguments::try_parse_from(words) else {
        return Err((BAD_INPUT, "its arguments are not those of `rendez check`".into()));
    };
    let (ready, queries) =
        prepared(&check).map_err(|status| (status, "its program cannot be read".into()))?;
    if files(&ready.map) != certificate.files {
        return Err(wrong("the files have changed since it was written".into()));
    }
    if ready.recursion != certificate.recursion {
        return Err(wrong("it is about another bound on recursion".into()));
    }
    let mut program = ready.program;
    let mut subject = Subject::Deadlock;
    if !check.property.is_empty() {
        let Some(m) = program.monitors.iter().position(|m| m.name == certificate.property) else {
            return Err(wrong(format!("there is no property {}", certificate.property)));
        };
        if program.monitors.len() > 1 {
            program = rendez_analysis::passes::for_monitor(&program, m);
        }
        let query = queries.get(m).cloned().flatten();
        subject = rendez_certificate::subject(&mut program, query, !certificate.plan.augmented.is_empty());
    }
    verify(&program, certificate.recursion, &subject, &certificate.plan, certificate.proof.as_ref())
        .map_err(wrong)?;
    let plan = &certificate.plan;
    Ok(match plan.augmented.is_empty() || certificate.proof.is_none() {
        true => format!("{} holds", certificate.property),
        false => format!(
            "{} holds, as long as no step of {} happens more than {} times",
            certificate.property,
            match plan.augmented[..] {
                [Sector { slot, .. }] => program.tasks.get(slot as usize).map_or("?", |t| &t.name),
                _ => "several tasks",
            },
            plan.bound
        ),
    })
}
