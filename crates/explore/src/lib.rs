//! The reference explorer: plain exhaustive search over the model's step semantics.
//!
//! It visits every reachable state, breadth first, and decides the default checks by looking at
//! each. Its only reduction, on by default and switchable, runs steps that concern no other task
//! ([`rendez_model::access::Access::local`]) at once instead of interleaving them. Every engine is
//! tested against this explorer; it is written to be obviously right, not to be fast.

mod blocking;
mod check;
mod finding;
mod graph;
mod local;
mod search;
mod spin;
mod trace;
mod walk;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use blocking::{Waiting, why_blocked};
pub use check::{Answer, Outcome, check};
pub use finding::{Finding, Kind, Severity};
pub use graph::Graph;
pub use local::LocalSteps;
pub use search::{End, Search, Stats, search};
pub use trace::{Trace, TraceStep, replay};

/// Limits and switches of a search.
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
            max_states: 20_000_000,
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
    pub states: std::sync::atomic::AtomicUsize,
}
