//! `rendez dump`: stages of the pipeline as text.

use rendez::{Error, Preparation};
use rendez_source::{Diagnostic, Severity, SourceMap};

use crate::arguments::{Dump, Stage};
use crate::status::{failed, print};

pub fn run(dump: &Dump) -> u8 {
    let done = match dump.stage {
        Stage::Tree => trees(dump),
        Stage::Model => model(dump),
        Stage::Explored => explored(dump),
    };
    done.map_or_else(|error| failed(&error), |()| 0)
}

fn trees(dump: &Dump) -> Result<(), Error> {
    for source in &dump.input.sources {
        let wrong = |problem: String| Error::File { path: source.clone(), problem };
        let bytes = std::fs::read(source).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let text = rendez_source::decode(&bytes).map_err(|_| wrong("this is not source text".to_owned()))?;
        print(&rendez_ada::parse::tree_text(&text));
    }
    Ok(())
}

fn model(dump: &Dump) -> Result<(), Error> {
    let loaded = crate::read(&dump.input)?;
    warn(loaded.map, loaded.diagnostics);
    print(&rendez_model::text::print(&loaded.program));
    Ok(())
}

fn explored(dump: &Dump) -> Result<(), Error> {
    let how: Preparation = dump.input.preparation_without_formulas();
    let prepared = rendez::prepare(crate::read(&dump.input)?, &how, Vec::new())?;
    warn(prepared.map, prepared.diagnostics);
    print(&rendez_model::text::print(&prepared.program));
    Ok(())
}

/// Shows what the front end warns of.
fn warn(map: SourceMap, mut diagnostics: Vec<Diagnostic>) {
    diagnostics.retain(|d| d.severity != Severity::Error);
    failed(&Error::Input { map, diagnostics });
}
