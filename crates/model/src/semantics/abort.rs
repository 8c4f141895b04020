//! Abort statements, and the points at which they take effect.
//!
//! An abort marks its victims and their dependents. A marked task may run on until its next abort completion point, so that
//! what it still does is possible; the step that completes it is possible at once. It is due, and can do nothing else,
//! after a call, a rendezvous, an activation or an abort statement of its own (9.8). A task that was not activated yet ends
//! immediately. Aborts are deferred in protected actions, in clean-ups, and between `Defer` and `Undefer`
//! (`State::defers_abort`). The queues that aborted tasks leave change 'Count, so every barrier may be tested again
//! (`serve_all`).

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn abort_tasks(
        &self,
        mut run: StepRun<'_, 'p>,
        tasks: &[Expr],
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        let mut victims = Vec::new();
        for expr in tasks {
            let victim = self.program.eval(&run.state, expr).and_then(|value| match value {
                Value::Known(t) => self.program.task_ref(t).map(Some),
                Value::Any => Ok(None),
            });
            match victim {
                Ok(Some(t)) => victims.push(t),
                Ok(None) => return out.push(run.done(StepEvent::Unsupported)),
                Err(exception) => return out.push(run.raising(exception)),
            }
        }
        run.go(run.task, next);
        let victims = run.abort(&victims);
        run.completion_point(run.task);
        self.serve_all(run, StepEvent::Aborted(victims), out);
    }

    pub(super) fn defer(&self, mut run: StepRun<'_, 'p>, next: Loc) -> Successor {
        run.state.tasks[run.task.index()].deferred += 1;
        run.goes_to(next)
    }

    pub(super) fn undefer(&self, mut run: StepRun<'_, 'p>, next: Loc) -> Successor {
        let ts = &mut run.state.tasks[run.task.index()];
        ts.deferred = ts.deferred.saturating_sub(1);
        run.go(run.task, next);
        run.completion_point(run.task);
        run.done(StepEvent::Ran)
    }

    /// Steps that take control from a task, which is aborted or in an abortable part. Whether it can do nothing else:
    /// up to the next point where the abort must take effect it may go on.
    pub(super) fn interrupt(&self, state: &State, task: TaskId, out: &mut Vec<Successor>) -> bool {
        let ts = &state.tasks[task.index()];
        let at_completion = ts.wait != Wait::Nothing || self.is_abort_completion(ts.pc);
        if ts.aborted {
            let firm = |t: &Transfer| t.trigger == Pending::Served || !self.can_withdraw(state, t.trigger);
            if self.leaves_queue(state, task) && !ts.transfers.iter().any(firm) {
                let mut run = StepRun::new(self, state.clone(), task);
                run.kill(task);
                self.serve_all(run, StepEvent::Aborted(vec![task]), out);
            }
            if ts.due || at_completion {
                return true;
            }
        }
        self.interrupt_by_trigger(state, task, at_completion, out)
    }

    fn is_abort_completion(&self, loc: Loc) -> bool {
        use Action::*;
        matches!(
            self.program.node(loc).action,
            EntryCall { .. }
                | Select { .. }
                | Activate { .. }
                | Await { .. }
                | Delay { .. }
                | Abort { .. }
                | Async { .. }
        )
    }
}

impl<'p> StepRun<'_, 'p> {
    /// An abort that is pending must take effect before the task does anything else.
    pub(super) fn completion_point(&mut self, task: TaskId) {
        let ts = &mut self.state.tasks[task.index()];
        ts.due |= ts.aborted && ts.status < Status::Completed;
    }

    /// Marks tasks and their dependents.
    pub(super) fn abort(&mut self, victims: &[TaskId]) -> Vec<TaskId> {
        let mut all: Vec<TaskId> = victims.to_vec();
        for victim in victims {
            let masters: Vec<MasterId> = (0..self.program().masters.len())
                .map(MasterId::from)
                .filter(|m| self.program().masters[m.index()].owner == *victim)
                .collect();
            all.extend(self.semantics.dependents(&self.state, &masters));
        }
        all.sort();
        all.dedup();
        for &task in &all {
            let ts = &mut self.state.tasks[task.index()];
            match ts.status {
                Status::Completed | Status::Terminated => continue,
                Status::Unborn | Status::Created => {
                    self.end(task);
                    self.state.tasks[task.index()].aborted = true;
                    continue;
                }
                Status::Activating | Status::Active => {}
            }
            // It completes by itself, soon: until then others may still take its calls.
            ts.aborted = true;
        }
        all
    }

    pub(super) fn kill(&mut self, task: TaskId) {
        self.withdraw_silently(task, 0);
        // The exit location completes it once more, which changes nothing.
        self.finish(task);
    }
}
