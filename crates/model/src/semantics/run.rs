//! A step in the making.
//!
//! A [`StepRun`] owns the state that the step leads to, and gathers what happens on the way: exceptions, guesses, what
//! monitors see. Each construct extends it in a file of its own; here is what all of them need. A step that splits into
//! several outcomes clones its run first.

use super::{Raised, Semantics, Step, StepEvent, Successor};
use crate::expr::Value;
use crate::monitor::Sight;
use crate::program::*;
use crate::state::*;

/// A step in the making.
#[derive(Clone)]
pub(super) struct StepRun<'s, 'p> {
    pub(super) semantics: &'s Semantics<'p>,
    pub(super) state: State,
    pub(super) task: TaskId,
    pub(super) loc: Loc,
    pub(super) raised: Vec<Raised>,
    pub(super) guessed: bool,
    pub(super) sights: Vec<Sight>,
}

impl<'s, 'p> StepRun<'s, 'p> {
    pub(super) fn new(semantics: &'s Semantics<'p>, state: State, task: TaskId) -> Self {
        let loc = state.tasks[task.index()].pc;
        StepRun { semantics, state, task, loc, raised: Vec::new(), guessed: false, sights: Vec::new() }
    }

    /// The same step goes on.
    pub(super) fn after(semantics: &'s Semantics<'p>, outcome: Successor) -> Self {
        let Step { task, loc, raised, guessed, sights, .. } = outcome.step;
        StepRun { semantics, state: outcome.state, task, loc, raised, guessed, sights }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.semantics.program
    }

    pub(super) fn done(self, what: StepEvent) -> Successor {
        Successor {
            state: self.state,
            step: Step {
                task: self.task,
                loc: self.loc,
                what,
                raised: self.raised,
                guessed: self.guessed,
                sights: self.sights,
                letters: Vec::new(),
                broken: Vec::new(),
            },
        }
    }

    pub(super) fn stop(self) -> Successor {
        self.stop_with(StepEvent::Stopped)
    }

    /// The whole execution ends here: no task can go on.
    pub(super) fn stop_with(mut self, what: StepEvent) -> Successor {
        // Nobody goes on from here: what the rest of the state was makes no difference.
        for ts in self.state.tasks.unlogged_mut() {
            ts.status = Status::Terminated;
            ts.wait = Wait::Nothing;
            ts.frames.clear();
            ts.accepts.clear();
            ts.transfers.clear();
        }
        self.state.queues.unlogged_mut().for_each(Vec::clear);
        self.done(what)
    }

    /// The task goes on, and that is all.
    pub(super) fn goes_to(mut self, next: Loc) -> Successor {
        self.go(self.task, next);
        self.done(StepEvent::Ran)
    }

    pub(super) fn go(&mut self, task: TaskId, loc: Loc) {
        self.state.tasks[task.index()].pc = loc;
    }

    pub(super) fn go_or_raise(&mut self, task: TaskId, loc: Loc, result: Result<(), ExceptionId>) {
        match result {
            Ok(()) => self.go(task, loc),
            Err(exception) => self.raise(task, exception, false),
        }
    }

    pub(super) fn set(&mut self, cell: VarId, value: Value) {
        if self.program().vars[cell.index()].domain != Domain::Opaque {
            self.state.vars[cell.index()] = value;
        }
    }

    pub(super) fn get(&self, cell: VarId) -> Value {
        match self.program().vars[cell.index()].domain {
            Domain::Opaque => Value::Any,
            Domain::Range(..) => self.state.vars[cell.index()],
        }
    }
}
