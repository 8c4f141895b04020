//! Rendezvous: from the moment a call is accepted to the end of the accept body.
//!
//! The parameters are copied to the formals of the alternative, which are cells of the acceptor, and back at the end. The
//! acceptor keeps its open rendezvous on a stack, since accept bodies nest. An accept without a body begins and ends in one
//! step. An exception that leaves the body is raised in the caller and again in the acceptor (9.5.2); if the acceptor's own
//! abortable part is left, the caller gets Tasking_Error.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::monitor::MonitorEvent;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn end_accept(&self, mut run: StepRun<'_, 'p>, next: Loc) -> Successor {
        let task = run.task;
        let Some(r) = run.end_rendezvous(task) else {
            return run.raising(ExceptionId::PROGRAM_ERROR);
        };
        run.go(task, next);
        run.completion_point(task);
        run.finish_call(r.caller);
        run.done(StepEvent::EndedAccept { caller: r.caller.task, entry: r.entry })
    }

    pub(super) fn fail_accept(&self, mut run: StepRun<'_, 'p>, occurrence: VarId) -> Successor {
        let task = run.task;
        let exception = run.occurrence(occurrence);
        let left = exception == ExceptionId::TRANSFER;
        if let Some(r) = run.state.tasks[task.index()].accepts.pop() {
            let fails = if left { ExceptionId::TASKING_ERROR } else { exception };
            run.fail_call(r.caller, fails, left);
        }
        run.resume(task, exception);
        run.done(StepEvent::Ran)
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Starts a rendezvous; true if it has no body and so ends at once.
    pub(super) fn start_rendezvous(
        &mut self,
        caller: Caller,
        acceptor: TaskId,
        entry: EntryId,
        site: Loc,
        alternative: usize,
    ) -> bool {
        let program = self.program();
        let Action::Select { alternatives, .. } = &program.node(site).action else {
            return false;
        };
        let taken = &alternatives[alternative];
        let args = self.args(caller);
        self.copy_in(&taken.formals, args);
        self.sees(MonitorEvent::Accept { caller: caller.task, entry, formals: &taken.formals });
        match caller.level {
            0 => self.state.tasks[caller.task.index()].wait = Wait::Rendezvous { acceptor },
            level => {
                let transfers = &mut self.state.tasks[caller.task.index()].transfers;
                transfers[usize::from(level) - 1].trigger = Pending::Served;
            }
        }
        let ts = &mut self.state.tasks[acceptor.index()];
        ts.wait = Wait::Nothing;
        ts.pc = taken.body;
        ts.accepts.push(Rendezvous { caller, entry, site, alternative: alternative as u16 });
        if let Action::EndAccept { next } = program.node(taken.body).action {
            self.end_rendezvous(acceptor);
            self.go(acceptor, next);
            self.finish_call(caller);
            return true;
        }
        false
    }

    /// Takes the innermost rendezvous off the acceptor and copies its results out.
    pub(super) fn end_rendezvous(&mut self, acceptor: TaskId) -> Option<Rendezvous> {
        let r = self.state.tasks[acceptor.index()].accepts.pop()?;
        self.sees(MonitorEvent::Finish { caller: r.caller.task, entry: r.entry });
        self.hand_back(&r);
        Some(r)
    }

    /// Copies the results of an accept body to the arguments of its caller.
    pub(super) fn hand_back(&mut self, r: &Rendezvous) {
        let program = self.program();
        if let Action::Select { alternatives, .. } = &program.node(r.site).action {
            let args = self.args(r.caller);
            let formals = &alternatives[usize::from(r.alternative)].formals;
            self.copy_out(formals, args);
            for formal in formals {
                let init = program.vars[formal.cell.index()].init;
                self.set(formal.cell, init);
            }
        }
    }
}
