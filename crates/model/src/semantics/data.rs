//! Actions on data: assignment, unknown inputs, branches, free choices, assertions.
//!
//! A value that is not tracked is *any*. A branch on it goes both ways, and an assertion about it both holds and fails;
//! these outcomes are marked as guesses. An input from outside (`havoc`) takes every value of a small range, one outcome
//! each, and is *any* where the range is large or the cells of the place have different ranges.

use super::{HAVOC_VALUES, Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Place, Value};
use crate::monitor::MonitorEvent;
use crate::program::*;

impl<'p> Semantics<'p> {
    /// An assignment that fails a check raises an exception.
    pub(super) fn assign(&self, mut run: StepRun<'_, 'p>, to: &Place, value: &Expr, next: Loc) -> Successor {
        let stored = self.program.eval(&run.state, value).and_then(|value| run.store_at(run.loc, to, value));
        run.go_or_raise(run.task, next, stored);
        run.done(StepEvent::Ran)
    }

    pub(super) fn branch(
        &self,
        mut run: StepRun<'_, 'p>,
        cond: &Expr,
        (yes, no): (Loc, Loc),
        out: &mut Vec<Successor>,
    ) {
        let task = run.task;
        match self.program.eval(&run.state, cond) {
            Err(exception) => out.push(run.raising(exception)),
            Ok(Value::Known(v)) => {
                run.go(task, if v != 0 { yes } else { no });
                out.push(run.done(StepEvent::Took(v != 0)));
            }
            Ok(Value::Any) => {
                for (target, took) in [(yes, true), (no, false)] {
                    let mut run = run.clone();
                    run.guessed = true;
                    run.go(task, target);
                    out.push(run.done(StepEvent::Took(took)));
                }
            }
        }
    }

    pub(super) fn choose(&self, run: &StepRun<'_, 'p>, targets: &[Loc], out: &mut Vec<Successor>) {
        for (i, target) in targets.iter().enumerate() {
            let mut run = run.clone();
            run.go(run.task, *target);
            out.push(run.done(StepEvent::Chose(i as u32)));
        }
    }

    pub(super) fn havoc(
        &self,
        run: StepRun<'_, 'p>,
        task: TaskId,
        to: &crate::expr::Place,
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        let mut domain = None;
        to.each_cell(self.program, |cell| {
            let this = match self.program.vars[cell.index()].domain {
                Domain::Range(lo, hi) if hi.saturating_sub(lo) < HAVOC_VALUES => Some((lo, hi)),
                _ => None,
            };
            domain = match domain {
                None => Some(this),
                Some(before) if before == this => Some(this),
                Some(_) => Some(None),
            };
        });
        let values: Vec<Value> = match domain.flatten() {
            Some((lo, hi)) => (lo..=hi).map(Value::Known).collect(),
            None => vec![Value::Any],
        };
        for value in values {
            let mut run = run.clone();
            let stored = run.store_at(run.state.tasks[task.index()].pc, to, value);
            run.go_or_raise(task, next, stored);
            out.push(run.done(StepEvent::Got(value)));
        }
    }

    pub(super) fn assert(&self, mut run: StepRun<'_, 'p>, cond: &Expr, next: Loc, out: &mut Vec<Successor>) {
        let value = self.program.eval(&run.state, cond);
        run.go(run.task, next);
        match value {
            Ok(Value::Known(0)) | Err(_) => out.push(run.done(StepEvent::AssertionFailed)),
            Ok(Value::Known(_)) => out.push(run.done(StepEvent::Ran)),
            Ok(Value::Any) => {
                run.guessed = true;
                out.push(run.clone().done(StepEvent::Ran));
                out.push(run.done(StepEvent::AssertionFailed));
            }
        }
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Gives a place a value at a location. The first value of an object that is declared there is no assignment.
    pub(super) fn store_at(&mut self, loc: Loc, to: &Place, value: Value) -> Result<(), ExceptionId> {
        match self.program().is_declared_at(loc) {
            true => self.program().store(&mut self.state, to, value),
            false => self.store(to, value),
        }
    }

    /// Assigns to a place.
    pub(super) fn store(&mut self, to: &Place, value: Value) -> Result<(), ExceptionId> {
        let program = self.program();
        if program.monitors.is_empty() {
            return program.store(&mut self.state, to, value);
        }
        let cell = match to {
            Place::Nowhere => return Ok(()),
            Place::Var(cell) => Some(*cell),
            Place::Indexed(table, index) => match program.eval(&self.state, index)? {
                Value::Known(index) => Some(VarId(program.at(*table, index)? as u32)),
                Value::Any => None,
            },
        };
        program.store(&mut self.state, to, value)?;
        match cell {
            Some(cell) => self.sees(MonitorEvent::Write(cell, value)),
            None => self.sees_one_of(to, value),
        }
        Ok(())
    }
}
