//! Completion, masters, and termination.
//!
//! A task that is completed no longer takes calls: who waits in its queues gets Tasking_Error. It terminates when the tasks
//! that depend on its masters have. A master that is left waits until every dependent has terminated or waits at an open
//! terminate alternative with nobody left to call it; then those end together, in one step (9.3, 9.7.1). Dependents with
//! clean-ups of their own are only sent to their exits.
//!
//! If the environment task terminates, background tasks end with it. Of an abortable part that is left, the dependents are
//! aborted instead of waited for.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::monitor::MonitorEvent;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn complete(&self, mut run: StepRun<'_, 'p>, next: Loc) -> Successor {
        run.go(run.task, next);
        run.complete(run.task);
        run.done(StepEvent::Ran)
    }

    pub(super) fn await_dependents(
        &self,
        state: &State,
        mut run: StepRun<'_, 'p>,
        masters: &[MasterId],
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        // One task that is not ready is enough: nobody looks at the others.
        let own = |t: &TaskId| {
            let task = &self.program.tasks[t.index()];
            !task.background && task.master.is_some_and(|m| masters.contains(&m))
        };
        let busy = |t: TaskId| self.is_started(state, t) && !self.at_terminate(state, t);
        let leaving = state.tasks[run.task.index()].transfers.iter().any(|t| t.leaving);
        if !leaving && (0..self.program.tasks.len()).map(TaskId::from).filter(own).any(busy) {
            return;
        }
        let dependents = self.dependents(state, masters);
        // What depends on an abortable part that is left is aborted.
        let running = |t: &TaskId| {
            let ts = &state.tasks[t.index()];
            ts.status < Status::Completed && !ts.aborted
        };
        if leaving && dependents.iter().any(running) {
            let victims = run.abort(&dependents);
            return self.serve_all(run, StepEvent::Aborted(victims), out);
        }
        if !dependents.iter().all(|t| self.at_terminate(state, *t)) {
            return;
        }
        let mut all_ended = true;
        for t in &dependents {
            if self.ends_at_once(*t) {
                run.end(*t);
            } else {
                run.finish(*t);
                all_ended = false;
            }
        }
        if all_ended {
            run.go(run.task, next);
        }
        out.push(run.done(if dependents.is_empty() { StepEvent::Ran } else { StepEvent::Ended(dependents) }));
    }

    pub(super) fn terminate(&self, mut run: StepRun<'_, 'p>) -> Successor {
        let task = run.task;
        run.end(task);
        run.state.tasks[task.index()].aborted = false;
        if task == TaskId::ENVIRONMENT {
            for (t, other) in self.program.tasks.iter().enumerate() {
                if other.background && run.state.tasks[t].status > Status::Created {
                    run.end(TaskId::from(t));
                }
            }
        }
        run.done(StepEvent::Ran)
    }

    /// Whether a task has been activated and has not terminated.
    fn is_started(&self, state: &State, task: TaskId) -> bool {
        let status = state.tasks[task.index()].status;
        !matches!(status, Status::Unborn | Status::Created | Status::Terminated)
    }

    /// Tasks that depend on one of the masters, directly or through others, and are alive.
    pub fn dependents(&self, state: &State, masters: &[MasterId]) -> Vec<TaskId> {
        let mut result: Vec<TaskId> = Vec::new();
        loop {
            let before = result.len();
            for (t, task) in self.program.tasks.iter().enumerate() {
                let id = TaskId::from(t);
                let Some(master) = task.master else { continue };
                if !task.background
                    && !result.contains(&id)
                    && (masters.contains(&master)
                        || result.contains(&self.program.masters[master.index()].owner))
                    && self.is_started(state, id)
                {
                    result.push(id);
                }
            }
            if result.len() == before {
                result.sort();
                return result;
            }
        }
    }

    /// Whether a task has nothing left to do once it terminates.
    fn ends_at_once(&self, task: TaskId) -> bool {
        let exit = self.program.tasks[task.index()].exit;
        let Action::Complete { next } = self.program.node(exit).action else { return true };
        match self.program.node(next).action {
            Action::Await { next, .. } => matches!(self.program.node(next).action, Action::Terminate),
            _ => matches!(self.program.node(next).action, Action::Terminate),
        }
    }

    /// Whether a task waits at a select with an open terminate alternative.
    pub fn at_terminate(&self, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        let (Wait::Select { open }, Action::Select { alternatives, delays, .. }) =
            (ts.wait, &self.program.node(ts.pc).action)
        else {
            return false;
        };
        open.get(alternatives.len() + delays.len())
            && !ts.transfers.iter().any(|t| t.trigger == Pending::Served)
    }
}

impl<'p> StepRun<'_, 'p> {
    /// The task is completed: whoever calls it, or waits in its queues, gets Tasking_Error.
    pub(super) fn complete(&mut self, task: TaskId) {
        for level in 1..=self.state.tasks[task.index()].transfers.len() {
            self.withdraw_silently(task, level as u8);
        }
        let ts = &mut self.state.tasks[task.index()];
        // A task that is aborted during its activation raises nothing in its activator (9.2).
        ts.failed |= ts.status == Status::Activating && !ts.aborted;
        ts.status = Status::Completed;
        ts.due = false;
        ts.deferred = 0;
        ts.frames.clear();
        ts.transfers.clear();
        for r in std::mem::take(&mut ts.accepts) {
            self.fail_call(r.caller, ExceptionId::TASKING_ERROR, true);
        }
        let semantics = self.semantics;
        for entry in &semantics.task_entries[task.index()] {
            for caller in std::mem::take(&mut self.state.queues[entry.index()]) {
                self.fail_call(caller, ExceptionId::TASKING_ERROR, true);
            }
        }
    }

    pub(super) fn end(&mut self, task: TaskId) {
        if self.state.tasks[task.index()].status < Status::Completed {
            self.complete(task);
        }
        let exit = self.program().tasks[task.index()].exit;
        let ts = &mut self.state.tasks[task.index()];
        let ended = ts.status != Status::Terminated;
        ts.status = Status::Terminated;
        ts.wait = Wait::Nothing;
        ts.pc = exit;
        if ended {
            self.sees(MonitorEvent::End(task));
        }
    }

    /// Sends a task that waited at terminate to its end.
    pub(super) fn finish(&mut self, task: TaskId) {
        let exit = self.program().tasks[task.index()].exit;
        let ts = &mut self.state.tasks[task.index()];
        ts.wait = Wait::Nothing;
        ts.pc = exit;
        self.complete(task);
    }
}
