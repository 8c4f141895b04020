//! Why a run cannot even begin, as data: bad input, settings that contradict each other, files that cannot be read or
//! written, and faults of rendez itself.

use std::path::PathBuf;

use rendez_source::{Diagnostic, SourceMap, render};

/// What keeps a program from being checked.
#[derive(Debug)]
pub enum Error {
    /// The sources or rules are wrong at the places of the diagnostics.
    Input {
        /// The files that the places are in.
        map: SourceMap,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// A setting has no sense here, or contradicts another one. Settings are named as the options of the command line.
    Settings(String),
    /// A file or folder cannot be read or written.
    File {
        /// Its path.
        path: PathBuf,
        /// What happened, beginning with a verb: `cannot be read: ...`.
        problem: String,
    },
    /// A fault of rendez: what is said is for those who mend it.
    Internal(Vec<String>),
}

impl Error {
    pub(crate) fn input(map: &SourceMap, diagnostics: Vec<Diagnostic>) -> Error {
        Error::Input { map: map.clone(), diagnostics }
    }

    pub(crate) fn settings(text: impl Into<String>) -> Error {
        Error::Settings(text.into())
    }

    /// What the error says, a line or a block of lines each; with colours for a terminal or without.
    pub fn messages(&self, colour: bool) -> Vec<String> {
        match self {
            Error::Input { map, diagnostics } => diagnostics.iter().map(|d| render(map, d, colour)).collect(),
            Error::Settings(text) => vec![format!("error: {text}")],
            Error::File { path, problem } => vec![format!("error: {}: {problem}", path.display())],
            Error::Internal(list) => list.iter().map(|text| format!("internal error: {text}")).collect(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.messages(false).join("\n"))
    }
}

impl std::error::Error for Error {}
