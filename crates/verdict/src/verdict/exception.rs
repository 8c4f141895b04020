//! Exceptions: Tasking_Error and Program_Error raised by the rules of tasking, and exceptions that nobody handles.
//!
//! What a raise statement or a check raises is the program's own business if it is handled; what happens to an interrupt is
//! the environment's. A handled exception of the tasking rules is worth a note. If the same place is also reached without a
//! handler, only that is reported.

use rendez_model::semantics::Move;
use rendez_model::{Action, ExceptionId, TaskId};

use super::claim::Claim;
use super::key::{FindingKey, SourcePlace};
use super::{Claimed, Findings};
use crate::finding::{Kind, Severity};
use crate::observation::Observation;

impl Findings<'_, '_> {
    pub(super) fn exception(&mut self, what: &Observation, moves: &[Move]) {
        let Observation::Exception { task, loc, exception, died, by_tasking } = *what else { return };
        let node = self.program.node(loc);
        let name = self.program.exception_name(exception).to_owned();
        let who = self.task(task).to_owned();
        let outside = self.program.tasks[task.index()].background && !self.program.open;
        let kind = match exception {
            _ if outside && !died => return,
            ExceptionId::TASKING_ERROR if by_tasking => Kind::TaskingError,
            ExceptionId::PROGRAM_ERROR if by_tasking => Kind::ProgramError,
            // What a raise statement or a check raises is the program's own business if handled, what
            // happens to an interrupt is the environment's.
            _ if !died => return,
            _ => Kind::UnhandledException,
        };
        let why = match (kind, &node.action) {
            (Kind::TaskingError, Action::EntryCall { .. }) => ": the called task is no longer there",
            (Kind::TaskingError, Action::Activate { .. }) => ": the activation of a task failed",
            (Kind::ProgramError, Action::Select { .. }) => ": every alternative of the select is closed",
            _ => "",
        };
        let (severity, message) = if died {
            let also = if task == TaskId::ENVIRONMENT { "the main program" } else { "the task" };
            (Severity::Error, format!("{name} in {who}{why}; nobody handles it and {also} ends"))
        } else {
            (Severity::Note, format!("{name} in {who}{why}; it is handled"))
        };
        let key =
            |died| FindingKey::Exception { kind, place: SourcePlace(node.span), name: name.clone(), died };
        if died {
            // The same place may also be reached with a handler around it: the worse one counts.
            self.findings.remove(&key(false));
        }
        let claim = Claim::Step(what.clone());
        let claimed =
            Claimed { key: key(died), kind, severity, message, span: node.span, tasks: &[task], claim };
        self.add(claimed, moves);
    }
}
