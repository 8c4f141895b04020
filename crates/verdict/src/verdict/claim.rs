//! What an engine claims of a trace, and whether the trace shows it.
//!
//! A failed assertion, an exception, a broken property: the last step shows it. A race: both accesses are about to happen in
//! the last state. Busy waiting lasts for ever, so everything that can follow is examined (`after.rs`), or, where that is
//! too much, the loop of the task alone. States that are looked at are counted over all claims; those of programs with many
//! tasks count for several.

use rendez_model::TaskId;
use rendez_model::state::State;

use super::Findings;
use crate::after::{After, runs_in_a_circle};
use crate::finding::Finding;
use crate::observation::{Observation, ProgressClassifier, races, seen_in};
use crate::trace::{Trace, replay};

/// A finding, and what its trace must show.
pub struct Known {
    pub(super) finding: Finding,
    pub(super) claim: Claim,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Claim {
    /// This is seen in the last step.
    Step(Observation),
    /// This is seen in the last state.
    State(Observation),
    /// The task waits busily from the last state on.
    Spins(TaskId),
    /// Tasks can never go on from the last state; that was looked at.
    Stuck,
    /// Nothing that a single trace could show: whoever found it knows.
    Other,
}

/// Whether a trace shows what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Yes,
    No,
    /// What can follow is too much to look at.
    Unknown,
}

/// States that are looked at for one claim, and for all; those of large programs count for several.
const MOST_AFTER: usize = 30_000;
pub(super) const MOST_IN_ALL: usize = 100_000;
/// Tasks of a program whose states count once.
const FEW_TASKS: usize = 32;

impl Findings<'_, '_> {
    /// Whether a trace shows what is claimed. What a step shows the trace ends with.
    pub(super) fn shows(&mut self, trace: &mut Trace, claim: &Claim) -> Shown {
        let is_so = |so: bool| if so { Shown::Yes } else { Shown::No };
        match claim {
            Claim::Step(seen) => {
                let at = trace.steps.iter().position(|s| seen_in(&s.step).any(|s| s == *seen));
                let Some(at) = at else { return Shown::No };
                if at + 1 < trace.steps.len()
                    && let Some(short) = replay(self.semantics, &trace.moves[..=at])
                {
                    *trace = short;
                }
                Shown::Yes
            }
            Claim::State(race) => is_so(self.is_race(&trace.last, race)),
            Claim::Spins(_) if self.long_delays => Shown::Yes,
            Claim::Spins(task) => {
                let effort = ProgressClassifier::new(self.program);
                let after = self.after(&trace.last);
                let alone = || runs_in_a_circle(self.semantics, &self.access, &effort, &trace.last, *task);
                match after.spins(self.semantics, &self.access, &effort, *task) {
                    Some(spins) => is_so(spins),
                    None if alone() => Shown::Yes,
                    None => Shown::Unknown,
                }
            }
            Claim::Stuck | Claim::Other => Shown::Yes,
        }
    }

    /// What can follow a state, as far as there is room to look at it.
    pub(super) fn after(&mut self, state: &State) -> After {
        let weight = 1 + state.tasks.len() / FEW_TASKS;
        let after = After::new(self.semantics, state, self.left.min(MOST_AFTER) / weight);
        self.left = self.left.saturating_sub(after.len() * weight);
        after
    }

    pub(super) fn is_race(&self, state: &State, race: &Observation) -> bool {
        let mut found = false;
        races(self.program, &self.access, state, |seen| found |= seen == *race);
        found
    }
}
