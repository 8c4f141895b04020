//! Creation and activation of tasks.
//!
//! A declared task is unborn until it is created by its allocator or activated by its master's declarative part. The
//! activator waits until all the tasks that it started are activated or have failed; if one failed, Tasking_Error is raised
//! in the activator (9.2). A task that was aborted before its activation never runs, and that is no failure. An allocator
//! takes a task of a finite pool; beyond the pool the execution is not followed.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Place, Value};
use crate::monitor::MonitorEvent;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn allocate(
        &self,
        mut run: StepRun<'_, 'p>,
        pool: &[TaskId],
        to: &Place,
        next: Loc,
    ) -> Successor {
        let free = pool.iter().find(|t| run.state.tasks[t.index()].status == Status::Unborn);
        let Some(&free) = free else { return run.stop() };
        run.state.tasks[free.index()].status = Status::Created;
        let stored = run.store_at(run.loc, to, Value::Known(i64::from(free.0)));
        run.go_or_raise(run.task, next, stored);
        run.done(StepEvent::Ran)
    }

    pub(super) fn activate(&self, mut run: StepRun<'_, 'p>, tasks: &[Expr], next: Loc) -> Successor {
        let mut started = Vec::new();
        for expr in tasks {
            match self.program.eval(&run.state, expr) {
                Ok(Value::Known(t)) => started.push(TaskId(t as u32)),
                _ => return run.done(StepEvent::Unsupported),
            }
        }
        for t in &started {
            let ts = &mut run.state.tasks[t.index()];
            if matches!(ts.status, Status::Activating | Status::Active | Status::Completed) {
                // Only recursion can declare the same task twice at a time.
                return run.done(StepEvent::Unsupported);
            }
            if ts.status == Status::Terminated && ts.aborted {
                // Aborted before its activation: it never runs.
                ts.aborted = false;
                continue;
            }
            ts.status = Status::Activating;
            ts.pc = self.program.tasks[t.index()].start;
            ts.failed = false;
            run.sees(MonitorEvent::Start(*t));
        }
        if started.is_empty() {
            run.go(run.task, next);
        } else {
            run.state.tasks[run.task.index()].wait = Wait::Activation;
        }
        run.done(StepEvent::Activates(started))
    }

    /// The task's own activation is done.
    pub(super) fn activated(&self, mut run: StepRun<'_, 'p>, next: Loc) -> Successor {
        run.state.tasks[run.task.index()].status = Status::Active;
        run.goes_to(next)
    }

    /// The activator goes on once none of the tasks that it started is still being activated.
    pub(super) fn end_activation(&self, state: &State, task: TaskId, out: &mut Vec<Successor>) {
        let loc = state.tasks[task.index()].pc;
        let Action::Activate { tasks, next } = &self.program.node(loc).action else {
            return;
        };
        let mut started = Vec::new();
        for expr in tasks {
            if let Ok(Value::Known(t)) = self.program.eval(state, expr) {
                started.push(TaskId(t as u32));
            }
        }
        let busy = |t: &TaskId| state.tasks[t.index()].status == Status::Activating;
        if started.iter().any(busy) {
            return;
        }
        let mut run = StepRun::new(self, state.clone(), task);
        run.state.tasks[task.index()].wait = Wait::Nothing;
        let mut failed = false;
        for t in started {
            failed |= std::mem::take(&mut run.state.tasks[t.index()].failed);
        }
        if failed {
            run.raise(task, ExceptionId::TASKING_ERROR, true);
        } else {
            run.go(task, *next);
        }
        run.completion_point(task);
        out.push(run.done(StepEvent::Ran));
    }

    /// The tasks were declared but will never be activated.
    pub(super) fn abandon(
        &self,
        state: &State,
        mut run: StepRun<'_, 'p>,
        tasks: &[TaskId],
        next: Loc,
    ) -> Successor {
        for t in tasks {
            if state.tasks[t.index()].status == Status::Unborn {
                run.end(*t);
            }
        }
        run.go(run.task, next);
        run.done(StepEvent::Ran)
    }
}
