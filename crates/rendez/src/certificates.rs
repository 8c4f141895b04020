//! Writing certificates, and checking them: the program is read anew, and so is everything that the
//! proof is about.

use std::path::Path;

use rendez_certificate::text::fingerprint;
use rendez_certificate::{Sector, Subject};
use rendez_source::SourceMap;

use crate::prepare::Prepared;

pub use rendez_certificate::text::Certificate;

/// Writes a proof into a folder, and returns the name of its file.
pub(crate) fn write(
    folder: &Path,
    proved: &rendez_ilp::Decided,
    prepared: &Prepared,
    command_line: &[String],
) -> Result<String, String> {
    let mut arguments: Vec<String> = Vec::new();
    let mut given = command_line.iter();
    while let Some(word) = given.next() {
        if word == "--certificate" {
            given.next();
        } else if !word.starts_with("--certificate=") {
            arguments.push(word.clone());
        }
    }
    let property = &proved.answer.name;
    let certificate = Certificate {
        arguments,
        files: files(&prepared.map),
        property: property.clone(),
        recursion: prepared.recursion,
        plan: proved.plan.clone(),
        proof: proved.proof.clone(),
    };
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let mut name: String = property.chars().map(plain).collect();
    let mut path = folder.join(format!("{name}.certificate"));
    while is_of_another(&path, property) {
        name.push('-');
        path = folder.join(format!("{name}.certificate"));
    }
    let failed = |e: std::io::Error| format!("{}: cannot be written: {e}", path.display());
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, certificate.print()))
        .map_err(failed)?;
    Ok(path.display().to_string())
}

/// Whether a file is the certificate of another property: two names may differ only in what no file name has.
fn is_of_another(path: &Path, property: &str) -> bool {
    let known = std::fs::read_to_string(path).ok().and_then(|text| Certificate::parse(&text).ok());
    known.is_some_and(|c| c.property != property)
}

fn files(map: &SourceMap) -> Vec<(String, String)> {
    map.files().map(|(name, text)| (name.to_owned(), fingerprint(text.as_bytes()))).collect()
}

/// Checks a certificate against its program, which was read and prepared anew from the words that it names. What it
/// proves, or why it does not.
pub fn verify(certificate: &Certificate, prepared: Prepared) -> Result<String, String> {
    if files(&prepared.map) != certificate.files {
        return Err("the files have changed since it was written".into());
    }
    if prepared.recursion != certificate.recursion {
        return Err("it is about another bound on recursion".into());
    }
    let Prepared { mut program, queries, rules, .. } = prepared;
    let mut subject = Subject::Deadlock;
    if !rules.is_empty() {
        let Some(m) = program.monitors.iter().position(|m| m.name == certificate.property) else {
            return Err(format!("there is no property {}", certificate.property));
        };
        if program.monitors.len() > 1 {
            program = rendez_analysis::passes::for_monitor(&program, m);
        }
        let query = queries.get(m).cloned().flatten();
        subject = rendez_certificate::subject(&mut program, query, !certificate.plan.augmented.is_empty());
    }
    let proof = certificate.proof.as_ref();
    rendez_certificate::verify(&program, certificate.recursion, &subject, &certificate.plan, proof)?;
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
