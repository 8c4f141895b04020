//! Reacts to findings as data: counts those of each kind and lists who waits for whom.
//!
//! `cargo run -p rendez --example findings_as_data -- examples/philosophers.adb`

use std::collections::BTreeMap;

use rendez::{Error, Preparation, Settings, Severity, Sources, Verdict};

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "examples/philosophers.adb".into());
    let loaded = rendez::load(&Sources::path(path))?;
    let prepared = rendez::prepare(loaded, &Preparation::default(), Vec::new())?;
    let outcome = rendez::check(&prepared, &Settings::default())?;
    let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
    for (kind, answer) in &outcome.answers {
        let Verdict::Violated(findings) = answer else { continue };
        for finding in findings.iter().filter(|f| f.severity == Severity::Error) {
            *errors.entry(kind.name()).or_default() += 1;
            for waiting in &finding.waiting {
                let task = &prepared.program.tasks[waiting.task.index()].name;
                println!("{task} {}, line {}", waiting.reason, waiting.span.line);
            }
        }
    }
    for (kind, count) in errors {
        println!("{kind}: {count}");
    }
    Ok(())
}
