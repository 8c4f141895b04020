//! From sources to a program as the front end writes it.

use rendez_ada::Files;
use rendez_model::Program;
use rendez_source::{Diagnostic, SourceMap};

use crate::error::Error;
use crate::sources::{Disk, Sources, request};

/// A program as the front end writes it, before any pass.
pub struct Loaded {
    /// The files that were read.
    pub map: SourceMap,
    /// The model.
    pub program: Program,
    /// Warnings and notes of the front end.
    pub diagnostics: Vec<Diagnostic>,
    /// Variables that annotations ask to be followed.
    pub tracked: Vec<String>,
    /// What a user should know about what was not read.
    pub notes: Vec<String>,
}

/// Reads a program from the disk.
pub fn load(sources: &Sources) -> Result<Loaded, Error> {
    load_with(sources, &Disk)
}

/// Reads a program that is one text: a main procedure with whatever it declares.
pub fn load_text(text: &str) -> Result<Loaded, Error> {
    load_with(&Sources::path("main.adb"), &rendez_ada::Text(text))
}

/// Reads a program from wherever `files` has it. Project files and folders are looked for on the disk.
pub fn load_with(sources: &Sources, files: &dyn Files) -> Result<Loaded, Error> {
    let mut map = SourceMap::default();
    let mut notes = Vec::new();
    let request =
        request(sources, &mut map, &mut notes).map_err(|diagnostic| Error::input(&map, vec![diagnostic]))?;
    let front = rendez_ada::read(&request, files);
    let Some(program) = front.program else { return Err(Error::input(&front.map, front.diagnostics)) };
    is_valid(&program)?;
    Ok(Loaded { map: front.map, program, diagnostics: front.diagnostics, tracked: front.tracked, notes })
}

/// A model that breaks its own rules is a fault of rendez.
pub(crate) fn is_valid(program: &Program) -> Result<(), Error> {
    let broken = rendez_model::validate(program);
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Error::Internal(broken.iter().take(5).map(ToString::to_string).collect())),
    }
}
