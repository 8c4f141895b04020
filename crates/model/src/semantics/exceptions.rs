//! Exceptions: where they are raised, who handles them, and what they leave on the way.
//!
//! An exception goes to the innermost handler of its location, frame by frame; clean-ups on the way handle it and resume it
//! at their end. Out of a task body it ends the task silently, as Ada has it, but the step records it (`Raised`), so that
//! findings can say so. `fate` says beforehand who will handle it in the end, clean-ups aside. An entry body that runs on
//! behalf of another task's call hands the exception to that task.

use super::{Fate, Raised, Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    /// A raise statement. An exception whose identity is not known is taken to be Program_Error.
    pub(super) fn raise(&self, mut run: StepRun<'_, 'p>, exception: &Expr, by_tasking: bool) -> Successor {
        let exception = match self.program.eval(&run.state, exception) {
            Ok(Value::Known(e)) => ExceptionId(e as u32),
            _ => ExceptionId::PROGRAM_ERROR,
        };
        run.raise(run.task, exception, by_tasking);
        run.done(StepEvent::Ran)
    }

    /// The end of a clean-up.
    pub(super) fn resume(&self, mut run: StepRun<'_, 'p>, occurrence: VarId) -> Successor {
        let exception = run.occurrence(occurrence);
        run.resume(run.task, exception);
        run.done(StepEvent::Ran)
    }
}

impl<'p> StepRun<'_, 'p> {
    /// The step that raises an exception by a check.
    pub(super) fn raising(mut self, exception: ExceptionId) -> Successor {
        self.raise(self.task, exception, false);
        self.done(StepEvent::Ran)
    }

    /// Raises an exception in a task, at its current location.
    pub(super) fn raise(&mut self, task: TaskId, exception: ExceptionId, by_tasking: bool) {
        let loc = self.state.tasks[task.index()].pc;
        let fate = self.fate(task, exception);
        self.resume(task, exception);
        self.raised.push(Raised { task, loc, exception, fate, by_tasking });
    }

    /// Who will handle an exception that is raised now, clean-ups aside.
    pub(super) fn fate(&self, task: TaskId, exception: ExceptionId) -> Fate {
        let ts = &self.state.tasks[task.index()];
        let frames = std::iter::once(None).chain(ts.frames.iter().rev().map(Some));
        for frame in frames {
            let loc = frame.map_or(ts.pc, |f| f.site);
            if frame.is_some_and(|f| f.serving.is_some()) {
                // It goes to the task whose call this is.
                return Fate::Handled(loc);
            }
            let mut handler = self.program().node(loc).handler;
            while let Some(id) = handler {
                let h = &self.program().handlers[id.index()];
                if let Some(target) = h.target(exception)
                    && !h.cleanup
                {
                    return Fate::Handled(target);
                }
                handler = h.outer;
            }
        }
        Fate::Died
    }

    /// Control goes to the nearest handler or clean-up, or the task dies.
    pub(super) fn resume(&mut self, task: TaskId, exception: ExceptionId) {
        if exception == ExceptionId::TRANSFER {
            return self.unwind(task);
        }
        let program = self.program();
        self.state.tasks[task.index()].wait = Wait::Nothing;
        let mut loc = self.state.tasks[task.index()].pc;
        loop {
            let mut handler = program.node(loc).handler;
            while let Some(id) = handler {
                let h = &program.handlers[id.index()];
                if let Some(target) = h.target(exception) {
                    if let Some(cell) = h.occurrence {
                        self.set(cell, Value::Known(i64::from(exception.0)));
                    }
                    return self.go(task, target);
                }
                handler = h.outer;
            }
            match self.state.tasks[task.index()].frames.pop() {
                Some(frame) => {
                    self.leave(&frame);
                    loc = frame.site;
                    if let Some(caller) = frame.serving {
                        self.go(task, loc);
                        return self.fail_call(caller, exception, false);
                    }
                }
                None => return self.go(task, program.tasks[task.index()].exit),
            }
        }
    }

    pub(super) fn occurrence(&self, cell: VarId) -> ExceptionId {
        match self.state.vars[cell.index()] {
            Value::Known(e) => ExceptionId(e as u32),
            Value::Any => ExceptionId::PROGRAM_ERROR,
        }
    }
}
