//! Reports: what was found, as text for people and as JSON for programs.

mod json;
mod story;
mod text;

use rendez_evidence::{Finding, Kind, Outcome};
use rendez_model::Program;
use rendez_source::{Diagnostic, SourceMap};

pub use json::json;
pub use story::describe;
pub use text::{Style, text};

/// What is reported on.
pub struct Report<'r> {
    pub program: &'r Program,
    pub map: &'r SourceMap,
    pub outcome: &'r Outcome,
    pub diagnostics: &'r [Diagnostic],
    /// Only these checks, if any are named.
    pub only: &'r [Kind],
    /// Warnings count as errors.
    pub deny_warnings: bool,
}

impl Report<'_> {
    fn wanted(&self, kind: Kind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }

    /// The exit status: 0 all hold, 1 some error found, 3 something undecided.
    pub fn status(&self) -> u8 {
        use rendez_evidence::{Answer, Severity};
        let mut undecided = false;
        let checks = self.outcome.answers.iter().filter(|(kind, _)| self.wanted(*kind)).map(|(_, a)| a);
        for answer in checks.chain(self.outcome.properties.iter().map(|p| &p.answer)) {
            match answer {
                Answer::Violated(list) => {
                    let counts = |f: &Finding| {
                        f.severity == Severity::Error
                            || (self.deny_warnings && f.severity == Severity::Warning)
                    };
                    if list.iter().any(counts) {
                        return 1;
                    }
                }
                Answer::Inconclusive(..) => undecided = true,
                Answer::Holds => {}
            }
        }
        if undecided { 3 } else { 0 }
    }
}
