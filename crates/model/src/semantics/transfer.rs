//! Asynchronous transfer of control: `select <trigger> then abort <abortable part>`.
//!
//! A task has a stack of transfers, one for each asynchronous select that it is in. A trigger is a delay, which may expire
//! at any time, or an entry call, which is queued with the level of its transfer as part of the caller's name. A call that
//! is taken at once is an ordinary one, and the abortable part never starts (9.7.4).
//!
//! Once the trigger has fired, the abortable part may go on to its next abort completion point. Leaving it runs the
//! clean-ups between there and the select (`unwind`, with the pseudo-exception TRANSFER), which defer further aborts. Behind
//! the last one control arrives where the trigger sends it. A triggering call that failed raises its exception there. An
//! abortable part that comes to its end withdraws the trigger, and waits for one that is being served.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::Value;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn start_async(
        &self,
        mut run: StepRun<'_, 'p>,
        trigger: &Trigger,
        (abortable, triggered): (Loc, Loc),
        out: &mut Vec<Successor>,
    ) {
        let task = run.task;
        let ts = &run.state.tasks[task.index()];
        let transfer = Transfer {
            site: run.loc,
            frames: ts.frames.len() as u16,
            trigger: Pending::Delay,
            leaving: false,
        };
        match trigger {
            Trigger::Delay => {
                let mut expired = run.clone();
                expired.go(task, triggered);
                out.push(expired.done(StepEvent::Transferred));
                run.state.tasks[task.index()].transfers.push(transfer);
                run.go(task, abortable);
                out.push(run.done(StepEvent::Ran));
            }
            Trigger::Call { entry, .. } => match self.program.eval(&run.state, entry) {
                Ok(Value::Known(entry)) => {
                    self.call_trigger(run, EntryId(entry as u32), transfer, abortable, out);
                }
                Ok(Value::Any) => out.push(run.done(StepEvent::Unsupported)),
                Err(exception) => out.push(run.raising(exception)),
            },
        }
    }

    /// A call that is taken at once is an ordinary one: the abortable part never starts. Otherwise it is queued as the
    /// trigger of this transfer.
    fn call_trigger(
        &self,
        mut run: StepRun<'_, 'p>,
        entry: EntryId,
        transfer: Transfer,
        abortable: Loc,
        out: &mut Vec<Successor>,
    ) {
        let task = run.task;
        run.forget_results(Caller { task, level: 0 }, entry);
        let probe = CallMode::Conditional { otherwise: run.loc };
        let mut middle = Vec::new();
        self.call_entry(run.clone(), Caller { task, level: 0 }, entry, Some(&probe), &mut middle);
        for outcome in middle {
            if outcome.step.what != StepEvent::Otherwise {
                out.push(outcome);
                continue;
            }
            let mut run = run.clone();
            run.guessed = outcome.step.guessed;
            let level = run.state.tasks[task.index()].transfers.len() as u8 + 1;
            run.state.tasks[task.index()].transfers.push(transfer);
            run.enqueue(Caller { task, level }, entry, true);
            run.go(task, abortable);
            self.serve_entry(run, entry, StepEvent::Queued(entry), out);
        }
    }

    /// The abortable part came to its end.
    pub(super) fn end_async(&self, mut run: StepRun<'_, 'p>, next: Loc, out: &mut Vec<Successor>) {
        let task = run.task;
        let transfers = &run.state.tasks[task.index()].transfers;
        let Some(level) = transfers.len().checked_sub(1) else {
            run.go(task, next);
            return out.push(run.done(StepEvent::Ran));
        };
        let Transfer { trigger, leaving, .. } = transfers[level];
        if leaving {
            run.arrive(task, level);
            return out.push(run.done(StepEvent::Transferred));
        }
        // A trigger that is served is waited for; one that has fired sends control elsewhere, unless an
        // asynchronous select around this one is left.
        let over = transfers[level].fired() && !transfers.iter().any(|t| t.leaving);
        if over || trigger == Pending::Served || !self.can_withdraw(&run.state, trigger) {
            return;
        }
        run.withdraw_silently(task, level as u8 + 1);
        run.state.tasks[task.index()].transfers.pop();
        run.go(task, next);
        match trigger {
            Pending::Queued { entry, .. } => self.serve_entry(run, entry, StepEvent::Ran, out),
            _ => out.push(run.done(StepEvent::Ran)),
        }
    }

    /// Steps in which a trigger takes control from the abortable part. Whether the task can do nothing else.
    pub(super) fn interrupt_by_trigger(
        &self,
        state: &State,
        task: TaskId,
        at_completion: bool,
        out: &mut Vec<Successor>,
    ) -> bool {
        let ts = &state.tasks[task.index()];
        // Waiting for dependents is not interrupted, nor is leaving an abortable part.
        let waits = matches!(self.program.node(ts.pc).action, Action::Await { .. });
        if waits || ts.transfers.iter().any(|t| t.leaving) {
            return false;
        }
        // An asynchronous select that is about to end withdraws its trigger first.
        let ends = matches!(self.program.node(ts.pc).action, Action::EndAsync { .. });
        let first = if ends { ts.transfers.len().saturating_sub(1) } else { 0 };
        for (level, transfer) in ts.transfers.iter().enumerate().skip(first) {
            if transfer.trigger != Pending::Delay && !transfer.fired() {
                continue;
            }
            if self.leaves_queue(state, task) {
                let mut run = StepRun::new(self, state.clone(), task);
                run.transfer(task, level);
                self.serve_all(run, StepEvent::Transferred, out);
            }
            if transfer.fired() && at_completion {
                return true;
            }
        }
        false
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Starts to leave the abortable part of an asynchronous select.
    pub(super) fn transfer(&mut self, task: TaskId, level: usize) {
        self.withdraw(task, 0);
        self.state.tasks[task.index()].transfers[level].leaving = true;
        self.unwind(task);
    }

    /// Control goes to the next clean-up on the way out of the abortable part that is being left, or, behind the
    /// last one, to where the trigger sends it.
    pub(super) fn unwind(&mut self, task: TaskId) {
        let program = self.program();
        let ts = &mut self.state.tasks[task.index()];
        ts.wait = Wait::Nothing;
        let Some(level) = ts.transfers.iter().rposition(|t| t.leaving) else { return };
        let transfer = ts.transfers[level];
        let end = program.node(transfer.site).handler;
        let mut loc = ts.pc;
        loop {
            let inside = self.state.tasks[task.index()].frames.len() > usize::from(transfer.frames);
            let mut handler = program.node(loc).handler;
            while let Some(id) = handler {
                let h = &program.handlers[id.index()];
                // The outermost clean-up ends the asynchronous select itself.
                if !inside && (handler == end || h.outer == end) {
                    break;
                }
                if let Some(target) = h.target(ExceptionId::TRANSFER).filter(|_| h.cleanup) {
                    if let Some(cell) = h.occurrence {
                        self.set(cell, Value::Known(i64::from(ExceptionId::TRANSFER.0)));
                    }
                    return self.go(task, target);
                }
                handler = h.outer;
            }
            if !inside {
                return self.arrive(task, level);
            }
            if let Some(frame) = self.state.tasks[task.index()].frames.pop() {
                self.leave(&frame);
                loc = frame.site;
            }
        }
    }

    /// The abortable part has been left.
    pub(super) fn arrive(&mut self, task: TaskId, level: usize) {
        let ts = &mut self.state.tasks[task.index()];
        let Transfer { site, trigger, .. } = ts.transfers[level];
        ts.transfers.truncate(level);
        ts.pc = site;
        match (trigger, &self.program().node(site).action) {
            (Pending::Failed { exception, by_tasking }, _) => self.raise(task, exception, by_tasking),
            (_, Action::Async { triggered, .. }) => self.go(task, *triggered),
            _ => {}
        }
    }
}
