//! Accept and select statements.
//!
//! A plain accept is a select with one alternative. Guards are evaluated in order: alternatives, delays, terminate; the
//! index of an entry of a family is evaluated with its guard. If callers wait at open alternatives, one outcome accepts
//! each of them. Otherwise the task takes the else part, or waits with the set of open alternatives in its state, where
//! calls and timeouts find it. Program_Error is raised if everything is closed (9.7.1).
//!
//! A guard whose value is unknown is both open and closed: two outcomes, marked as guesses. More than `UNKNOWN_GUARDS` of
//! them are not followed. An earlier version took the guards beyond the limit to be open, which lost behaviour.
//!
//! Where an analysis shows that all guards have a value and raise nothing (`plain_selects`), only the guards of entries
//! with callers are read. A memoised step then depends on less.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn select(&self, run: StepRun<'_, 'p>, out: &mut Vec<Successor>) {
        let Action::Select { alternatives, .. } = &self.program.node(run.loc).action else {
            return;
        };
        if self.plain_selects[run.loc.index()] && self.accepts(&run, alternatives, out) {
            return;
        }
        let (certain, unknown) = match self.guards(&run) {
            Ok(guards) => guards,
            Err(exception) => return out.push(run.raising(exception)),
        };
        if unknown.len() > UNKNOWN_GUARDS {
            return out.push(run.stop_with(StepEvent::Unsupported));
        }
        for choice in 0..1u64 << unknown.len() {
            let mut run = run.clone();
            run.guessed |= !unknown.is_empty();
            let mut open = certain;
            for (bit, guard) in unknown.iter().enumerate() {
                if choice >> bit & 1 == 1 {
                    open.set(*guard);
                }
            }
            if !self.select_with(run, open, out) {
                return;
            }
        }
    }

    /// Which alternatives, delays and terminate alternative, numbered in this order, are open, and of which that is
    /// not known; the exception if a guard raises one.
    fn guards(&self, run: &StepRun<'_, 'p>) -> Result<(Open, Vec<usize>), ExceptionId> {
        let mut open = Open::default();
        let mut unknown = Vec::new();
        let Action::Select { alternatives, delays, terminate, .. } = &self.program.node(run.loc).action
        else {
            return Ok((open, unknown));
        };
        let guards = alternatives
            .iter()
            .map(|a| a.guard.as_ref())
            .chain(delays.iter().map(|d| d.0.as_ref()))
            .chain(terminate.iter().map(|t| t.as_ref()));
        for (i, guard) in guards.enumerate() {
            let value = match guard {
                Some(guard) => self.program.eval(&run.state, guard)?,
                None => Value::Known(1),
            };
            match value {
                Value::Known(0) => {}
                Value::Known(_) => open.set(i),
                Value::Any => unknown.push(i),
            }
        }
        Ok((open, unknown))
    }

    /// A select statement of which it is known what is open. False if the index of an entry has no value: what
    /// else the guards may be then makes no difference.
    fn select_with(&self, mut run: StepRun<'_, 'p>, open: Open, out: &mut Vec<Successor>) -> bool {
        let Action::Select { alternatives, otherwise, .. } = &self.program.node(run.loc).action else {
            return false;
        };
        let mut any_ready = false;
        for (i, alternative) in alternatives.iter().enumerate() {
            if !open.get(i) {
                continue;
            }
            let entry = match self.program.eval(&run.state, &alternative.entry) {
                Ok(Value::Known(entry)) => EntryId(entry as u32),
                Ok(Value::Any) => {
                    out.push(run.done(StepEvent::Unsupported));
                    return false;
                }
                Err(exception) => {
                    out.push(run.raising(exception));
                    return false;
                }
            };
            any_ready |= self.accept(&run, entry, i, out);
        }
        if any_ready {
            return true;
        }
        let task = run.task;
        if let Some(otherwise) = otherwise {
            run.go(task, *otherwise);
            out.push(run.done(StepEvent::Otherwise));
        } else if open.is_empty() {
            run.raise(task, ExceptionId::PROGRAM_ERROR, true);
            out.push(run.done(StepEvent::Ran));
        } else {
            run.state.tasks[task.index()].wait = Wait::Select { open };
            out.push(run.done(StepEvent::Waits));
        }
        true
    }

    /// Accepts the first caller of an entry by an alternative of a select statement; whether there is one.
    fn accept(
        &self,
        run: &StepRun<'_, 'p>,
        entry: EntryId,
        alternative: usize,
        out: &mut Vec<Successor>,
    ) -> bool {
        let Some(&caller) = run.state.queues[entry.index()].first() else { return false };
        let mut run = run.clone();
        let acceptor = run.task;
        run.state.queues[entry.index()].remove(0);
        let whole = run.start_rendezvous(caller, acceptor, entry, run.loc, alternative);
        out.push(run.done(StepEvent::Accepted { caller: caller.task, acceptor, entry, whole }));
        true
    }

    /// The entry of an alternative of a select statement that is open, if somebody waits there.
    fn wanted(&self, state: &State, alternative: &Alternative) -> Option<EntryId> {
        let entry = alternative.entry.constant().map(|e| EntryId(e as u32))?;
        let open = |guard: &Expr| self.program.eval(state, guard) != Ok(Value::Known(0));
        (!state.queues[entry.index()].is_empty() && alternative.guard.as_ref().is_none_or(open))
            .then_some(entry)
    }

    /// Accepts whoever waits, looking at no other guards than theirs; whether there was anybody.
    fn accepts(&self, run: &StepRun<'_, 'p>, alternatives: &[Alternative], out: &mut Vec<Successor>) -> bool {
        let before = out.len();
        for (i, alternative) in alternatives.iter().enumerate() {
            if let Some(entry) = self.wanted(&run.state, alternative) {
                self.accept(run, entry, i, out);
            }
        }
        let has_value = |guard: &Expr| matches!(self.program.eval(&run.state, guard), Ok(Value::Known(_)));
        debug_assert!(
            run.state.vars.is_watched()
                || alternatives.iter().filter_map(|a| a.guard.as_ref()).all(has_value),
            "guards that were thought to have a value have one"
        );
        out.len() > before
    }

    /// A task that waits at a select statement takes a delay alternative.
    pub(super) fn select_times_out(&self, state: &State, task: TaskId, open: Open, out: &mut Vec<Successor>) {
        let loc = state.tasks[task.index()].pc;
        let Action::Select { alternatives, delays, .. } = &self.program.node(loc).action else {
            return;
        };
        for (i, (_, target)) in delays.iter().enumerate() {
            if open.get(alternatives.len() + i) {
                let mut run = StepRun::new(self, state.clone(), task);
                run.go(task, *target);
                run.state.tasks[task.index()].wait = Wait::Nothing;
                out.push(run.done(StepEvent::TimedOut));
            }
        }
    }

    /// The alternatives of a waiting task that would accept a call on the entry now.
    pub(super) fn ready_alternatives(&self, state: &State, owner: TaskId, entry: EntryId) -> Vec<usize> {
        let ts = &state.tasks[owner.index()];
        let (Wait::Select { open }, Action::Select { alternatives, .. }) =
            (ts.wait, &self.program.node(ts.pc).action)
        else {
            return Vec::new();
        };
        let accepts =
            |a: &Alternative| self.program.eval(state, &a.entry) == Ok(Value::Known(i64::from(entry.0)));
        (0..alternatives.len()).filter(|&i| open.get(i) && accepts(&alternatives[i])).collect()
    }

    /// Whether a task that has come to a select statement takes none of the calls that wait. Looks at the guards
    /// of these only, and says no where that is not enough.
    pub fn takes_nobody(&self, state: &State, task: TaskId) -> bool {
        let loc = state.tasks[task.index()].pc;
        match &self.program.node(loc).action {
            Action::Select { alternatives, .. } if self.plain_selects[loc.index()] => {
                alternatives.iter().all(|a| self.wanted(state, a).is_none())
            }
            _ => false,
        }
    }

    /// Whether a task that has come to a select statement can do nothing there but wait for a call, whatever the
    /// guards say.
    pub fn only_waits(&self, state: &State, task: TaskId) -> bool {
        match &self.program.node(state.tasks[task.index()].pc).action {
            Action::Select { alternatives, otherwise: None, delays, terminate: None } => {
                delays.is_empty()
                    && alternatives.iter().any(|a| a.guard.is_none())
                    && self.takes_nobody(state, task)
            }
            _ => false,
        }
    }

    /// The entries that a task waiting at a select accepts now.
    pub fn open_entries(&self, state: &State, task: TaskId) -> Vec<EntryId> {
        let ts = &state.tasks[task.index()];
        let (Wait::Select { open }, Action::Select { alternatives, .. }) =
            (ts.wait, &self.program.node(ts.pc).action)
        else {
            return Vec::new();
        };
        alternatives
            .iter()
            .enumerate()
            .filter(|(i, _)| open.get(*i))
            .filter_map(|(_, a)| match self.program.eval(state, &a.entry) {
                Ok(Value::Known(entry)) => Some(EntryId(entry as u32)),
                _ => None,
            })
            .collect()
    }
}

/// A select statement with more guards that are not known is not followed.
const UNKNOWN_GUARDS: usize = 16;
