//! rendez verifies concurrent Ada programs for every possible schedule: whether tasks can block for ever, spin, race or
//! die of an exception, and whether rules of your own about the order of events are kept.
//!
//! This crate is what the command `rendez` is made of. A check has four stages, each a function that takes what the one
//! before returns:
//!
//! 1. [`load`] reads sources and writes the program model; [`load_text`] takes a text instead.
//! 2. [`prepare`] binds rules to the model and runs the passes.
//! 3. [`check`] lets engines decide within limits. Its [`Outcome`] holds a verdict on each default check or rule.
//! 4. [`Prepared::report`] presents the outcome: as text, JSON, SARIF, single lines or a page.
//!
//! Nothing here prints, reads the arguments of the process or ends it. What is wrong with the input comes back as an
//! [`Error`] with its places.
//!
//! ```
//! use rendez::{Verdict, Preparation, Settings};
//!
//! let program = "
//!     procedure Main is
//!        task A is entry Go; end A;
//!        task B is entry Go; end B;
//!        task body A is begin B.Go; accept Go; end A;
//!        task body B is begin A.Go; accept Go; end B;
//!     begin
//!        null;
//!     end Main;";
//! let loaded = rendez::load_text(program)?;
//! let prepared = rendez::prepare(loaded, &Preparation::default(), Vec::new())?;
//! let outcome = rendez::check(&prepared, &Settings::default())?;
//!
//! let mut found = Vec::new();
//! for (kind, answer) in &outcome.answers {
//!     if let Verdict::Violated(findings) = answer {
//!         for finding in findings {
//!             let steps = finding.trace.as_ref().map_or(0, |trace| trace.steps.len());
//!             found.push((kind.name(), finding.span.line, steps > 0));
//!         }
//!     }
//! }
//! assert_eq!(found, [("circular-wait", 5, true), ("dead-entry", 3, false), ("dead-entry", 4, false)]);
//! # Ok::<(), rendez::Error>(())
//! ```
//!
//! [`Options`] in [`Settings::limits`] bound the time, the memory and the states of a run:
//! `Options { timeout: Some(Duration::from_secs(10)), ..Options::default() }`. What is open then is
//! [`Verdict::Inconclusive`] with a [`Reason`] and with findings that may be spurious; [`Reason::obstacle`] says which
//! limit is in the way.

#![warn(missing_docs)]

pub mod budget;
pub mod certificates;
mod check;
mod error;
mod load;
mod pictures;
mod portfolio;
mod prepare;
mod rules;
pub mod saved_trace;
mod settings;
mod sources;
mod turns;
mod verdicts;

use rendez_verdict as verdict;

pub use check::{check, check_within};
pub use error::Error;
pub use load::{Loaded, load, load_text, load_with};
pub use pictures::pictures;
pub use prepare::{Delays, Granularity, Preparation, Prepared, Queries, prepare};
pub use rules::{RuleFile, read_rules};
pub use settings::Settings;
pub use sources::{Checks, Disk, Files, Sources, Text};

pub use rendez_report::{Depth, Picture, Report, Style, gnat, html, json, sarif, text};
/// The verdict on one check; a finding; what an engine found out; and why something is open.
pub use verdict::{
    EngineId, Fairness, Finding, Kind, Obstacle, Options, Outcome, PropertyAnswer, Reason, Severity, Verdict,
};

impl Prepared {
    /// What is reported on, with no check left out and warnings no errors.
    pub fn report<'r>(&'r self, outcome: &'r Outcome) -> Report<'r> {
        Report {
            program: &self.program,
            map: &self.map,
            outcome,
            diagnostics: &self.diagnostics,
            only: &[],
            deny_warnings: false,
        }
    }
}
