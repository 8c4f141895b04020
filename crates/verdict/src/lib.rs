//! What engines have in common: limits, what a search notices, traces and their replay, the kinds
//! of blocking, and verdicts.
//!
//! An engine looks at the model and hands in what it saw with the moves that lead there; here the
//! moves are replayed on the bare semantics, and only what replays becomes a finding.

mod after;
mod bind;
mod blocking;
mod engine;
mod finding;
mod formula;
mod lasso;
mod observation;
mod overlap;
mod predicate;
mod promise;
mod random;
mod reason;
mod reorder;
mod stuck;
mod trace;
mod verdict;
mod wait_reason;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

pub use bind::{Bound, bind, follow, same};
pub use blocking::{Blocked, WaiterRole, Waiting, all_stuck, is_final, kinds_of_blocking, why_blocked};
pub use engine::{Engine, Query, Support, all_checks, all_sequences, checks, formulas, with_automata_of};
pub use finding::{Finding, Kind, Severity};
pub use formula::{BoundFormula, Fairness, Resolved, accepted, annotation, awaits_lock, covers, is_event};
pub use lasso::{Excuse, Round, Stance, is_whole, lasso, queued, stands_still};
pub use observation::{
    Entries, Observation, POLLS, PROGRESS, ProgressClassifier, Witness, alive, entries_in, races, seen_in,
};
pub use random::Random;
pub use reason::{Dependent, Obstacle, Reason};
pub use rendez_model::monitor::Language;
pub use reorder::fewest_switches;
pub use stuck::stuck;
pub use trace::{Trace, TraceStep, replay};
pub use verdict::{
    EngineId, Findings, Nonprogress, Outcome, PropertyAnswer, Verdict, open_for_ever, vacuous,
};
pub use wait_reason::{Doing, WaitCause, WaitReason};

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
    /// Which executions count that do not end.
    pub fairness: Fairness,
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
            fairness: Fairness::default(),
        }
    }
}

/// How a search tells the outside about its progress and is told to stop.
#[derive(Default)]
pub struct Control {
    pub stop: AtomicBool,
    /// Which limit of the whole run was met, if it was not a person who stopped the search.
    limit: AtomicU8,
    pub states: AtomicUsize,
    /// Threads that nobody else needs any more.
    pub spare: AtomicUsize,
}

impl Control {
    /// Tells the search to stop, and why.
    pub fn stop(&self, end: End) {
        let limit = match end {
            End::Time => 1,
            End::Memory => 2,
            _ => 0,
        };
        self.limit.store(limit, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why the search was told to stop, if it was.
    pub fn ended(&self) -> Option<End> {
        if !self.stop.load(Ordering::Relaxed) {
            return None;
        }
        Some(match self.limit.load(Ordering::Relaxed) {
            1 => End::Time,
            2 => End::Memory,
            _ => End::Interrupted,
        })
    }
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
    pub fn obstacle(self) -> Obstacle {
        match self {
            End::Time => Obstacle::Time,
            End::Memory => Obstacle::Memory,
            End::States => Obstacle::States,
            End::Complete | End::Interrupted | End::Found | End::Hashed => Obstacle::Other,
        }
    }

    /// What cut an analysis short.
    pub fn cause(self) -> &'static str {
        match self {
            End::Complete => "",
            End::States => "the limit on states was reached",
            End::Time => "the time limit was reached",
            End::Memory => "the memory limit was reached",
            End::Interrupted => "interrupted",
            End::Hashed => "states may have been missed",
            End::Found => "the search ended with what it looked for",
        }
    }

    /// Why nothing more is known.
    pub fn why(self) -> Reason {
        Reason::Ended { end: self, states: None }
    }

    /// Why nothing more is known of a search after so many states; nothing if it saw all of them.
    pub fn reason(self, states: usize) -> Option<Reason> {
        (self != End::Complete).then_some(Reason::Ended { end: self, states: Some(states) })
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

impl Stats {
    /// The larger of two searches, and the time of both.
    #[must_use]
    pub fn max(self, other: Stats) -> Stats {
        Stats {
            states: self.states.max(other.states),
            transitions: self.transitions.max(other.transitions),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            seconds: self.seconds + other.seconds,
            ..self
        }
    }
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
