//! Assertions that fail.

use rendez_model::semantics::Move;
use rendez_model::{Action, Loc, TaskId};

use super::claim::Claim;
use super::key::{FindingKey, SourcePlace};
use super::{Claimed, Findings};
use crate::finding::{Kind, Severity};
use crate::observation::Observation;

impl Findings<'_, '_> {
    pub(super) fn assertion(&mut self, task: TaskId, loc: Loc, moves: &[Move]) {
        let node = self.program.node(loc);
        let text = match &node.action {
            Action::Assert { text, .. } => text.clone(),
            _ => String::new(),
        };
        let claimed = Claimed {
            key: FindingKey::Assertion(SourcePlace(node.span)),
            kind: Kind::Assertion,
            severity: Severity::Error,
            message: format!("assertion fails in {}: {text}", self.task(task)),
            span: node.span,
            tasks: &[task],
            claim: Claim::Step(Observation::Assertion { task, loc }),
        };
        self.add(claimed, moves);
    }
}
