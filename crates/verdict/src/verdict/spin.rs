//! Nonprogress: what goes on for ever once the search is in a component without exit.
//!
//! A task that runs in circles, looking at what others could change, waits busily if nobody will. Tasks that never move
//! again while others do are blocked (`blocking.rs`).

use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::State;

use super::claim::Claim;
use super::key::{FindingKey, SourcePlace};
use super::{Claimed, Findings};
use crate::finding::{Kind, Severity};

/// Something that goes on for ever once the search is in a component without exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nonprogress {
    /// The task runs in circles, looking at what others could change, and nobody will.
    Spins(TaskId),
    /// The tasks never move again, while others do.
    Stuck(Vec<TaskId>),
}

impl Findings<'_, '_> {
    /// Makes a finding of something that goes on for ever once the moves have led to `full`.
    pub fn forever(&mut self, what: &Nonprogress, moves: &[Move], full: &State) {
        if self.properties_only {
            return;
        }
        match what {
            Nonprogress::Spins(task) => {
                let span = self.program.node(full.tasks[task.index()].pc).span;
                let message = format!(
                    "{} waits busily for ever: nobody will change what it looks at",
                    self.task(*task)
                );
                // In the loop it may be seen anywhere: alike tasks have the same declaration.
                let declared = self.program.tasks[task.index()].span;
                let claimed = Claimed {
                    key: FindingKey::Spin(SourcePlace(declared)),
                    kind: Kind::Spin,
                    severity: Severity::Error,
                    message,
                    span,
                    tasks: &[*task],
                    claim: Claim::Spins(*task),
                };
                self.add(claimed, moves);
            }
            Nonprogress::Stuck(tasks) => self.stuck_at(tasks, moves, full, true),
        }
    }
}
