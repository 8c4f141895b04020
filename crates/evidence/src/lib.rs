//! What engines have in common: limits, what a search notices, traces and their replay, the kinds
//! of blocking, and verdicts.
//!
//! An engine looks at the model and hands in what it saw with the moves that lead there; here the
//! moves are replayed on the bare semantics, and only what replays becomes a finding.

mod bind;
mod blocking;
mod components;
mod finding;
mod formula;
mod predicate;
mod random;
mod reorder;
mod seen;
mod stuck;
mod trace;
mod verdict;

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

pub use bind::{bind, follow, same};
pub use blocking::{Role, Waiting, kind_of_blocking, kind_of_stuck, why_blocked};
pub use components::{bottom_components, components};
pub use finding::{Finding, Kind, Severity};
pub use formula::{Fairness, Question, Resolved, annotation, awaits_lock, is_event};
pub use predicate::resolve;
pub use random::Random;
pub use reorder::fewest_switches;
pub use seen::{Effort, Entries, POLLS, PROGRESS, Seen, Witness, alive, entries_in, races, seen_in};
pub use stuck::stuck;
pub use trace::{Trace, TraceStep, replay};
pub use verdict::{Answer, Findings, Forever, Outcome, PropertyAnswer, vacuous};

/// Limits of a search, and what it takes for granted.
#[derive(Clone, Debug)]
pub struct Options {
    pub max_states: usize,
    pub timeout: Option<Duration>,
    /// Bytes for states, edges and the index.
    pub memory: usize,
    /// Run local steps at once.
    pub merge_local: bool,
    /// Do not follow steps that are possible only because a value is unknown.
    pub skip_guesses: bool,
    /// How deep recursion is followed.
    pub recursion: usize,
    /// Delays end only where nothing else leads anywhere new.
    pub long_delays: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_states: 100_000_000,
            timeout: None,
            memory: 2 << 30,
            merge_local: true,
            skip_guesses: false,
            recursion: rendez_model::semantics::DEFAULT_RECURSION,
            long_delays: false,
        }
    }
}

/// How a search tells the outside about its progress and is told to stop.
#[derive(Default)]
pub struct Control {
    pub stop: AtomicBool,
    pub states: AtomicUsize,
    /// Threads that nobody else needs any more.
    pub spare: AtomicUsize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was seen.
    Complete,
    States,
    Time,
    Memory,
    Interrupted,
    /// Not all of each state was kept: states may have been missed.
    Hashed,
    /// What was looked for was found.
    Found,
}

impl End {
    /// Why nothing more is known.
    pub fn reason(self, states: usize) -> String {
        match self {
            End::Complete => String::new(),
            End::States => format!("the limit on states was reached after {states}"),
            End::Time => format!("the time limit was reached after {states} states"),
            End::Memory => format!("the memory limit was reached after {states} states"),
            End::Interrupted => format!("interrupted after {states} states"),
            End::Found => format!("the search ended with what it looked for after {states} states"),
            End::Hashed => format!("states may have been missed among {states}"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    pub states: usize,
    pub transitions: usize,
    pub seconds: f64,
    pub peak_bytes: usize,
    /// Of an analysis that looks at no states.
    pub flow: Option<FlowStats>,
    /// Of one that solves linear programs.
    pub ilp: Option<IlpStats>,
}

/// Numbers of a net and of its linear system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IlpStats {
    pub places: usize,
    pub variables: usize,
    pub constraints: usize,
    /// Linear programs that were solved.
    pub programs: usize,
    /// Rows that were added because every execution satisfies them.
    pub cuts: usize,
    /// Cases that were told apart.
    pub branches: usize,
    /// How often two parts of the program were made one.
    pub merges: usize,
    pub bytes: usize,
    /// Places, and moves between them, that were made; those that cannot happen are left out afterwards.
    pub flowgraph: usize,
    /// To make a net of the program; the rest is for proving.
    pub generation: std::time::Duration,
}

impl Stats {
    /// Whether the analysis looked at states of the program one by one.
    pub fn looks_at_states(&self) -> bool {
        self.flow.is_none() && self.ilp.is_none()
    }
}

/// Numbers of a trace flow graph and of what was propagated through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowStats {
    pub nodes: usize,
    /// Control edges and edges between tasks.
    pub edges: usize,
    pub mip_edges: usize,
    pub tuples: usize,
    pub node_tuples: usize,
    /// How many times constraints were chosen.
    pub rounds: usize,
}
