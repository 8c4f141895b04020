//! Entry calls: what happens at the call, while it waits, and when it ends.
//!
//! A call of a task meets an accepting task in one step, and otherwise waits in the queue of the entry. A call of a
//! protected entry first tests the barrier, with the lock free. A conditional call is taken at once or not at all; a timed
//! call may be withdrawn at any time until it is taken. The triggering call of an asynchronous select is the same call at a
//! deeper level (`Caller::level`), so everything here serves both.
//!
//! Queues are first in, first out. A call of a task that is completed or aborted raises Tasking_Error (9.5.3). A call ends
//! with its results in the arguments (`finish_call`) or with an exception (`fail_call`).

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    /// Where the entry is not known, the call may go to each of those that it can be.
    pub(super) fn entry_call(
        &self,
        run: StepRun<'_, 'p>,
        target: &Expr,
        mode: &CallMode,
        out: &mut Vec<Successor>,
    ) {
        let entry = match self.program.eval(&run.state, target) {
            Err(exception) => return out.push(run.raising(exception)),
            Ok(entry) => entry,
        };
        let caller = Caller { task: run.task, level: 0 };
        let possible = self.possible_entries(target, entry);
        if possible.is_empty() {
            return out.push(run.stop_with(StepEvent::Unsupported));
        }
        for possible in possible {
            let mut run = run.clone();
            run.guessed |= entry == Value::Any;
            run.forget_results(caller, possible);
            self.call_entry(run, caller, possible, Some(mode), out);
        }
    }

    /// The entries that a target may be: one if its value is known, otherwise all that the
    /// expression can evaluate to.
    fn possible_entries(&self, target: &Expr, value: Value) -> Vec<EntryId> {
        match value {
            Value::Known(entry) => self.program.entry_number(entry).into_iter().collect(),
            Value::Any => self.program.possible_entries(target),
        }
    }

    /// A call comes to an entry; without a mode it is a plain one.
    pub(super) fn call_entry(
        &self,
        run: StepRun<'_, 'p>,
        caller: Caller,
        entry: EntryId,
        mode: Option<&CallMode>,
        out: &mut Vec<Successor>,
    ) {
        match self.program.entries[entry.index()].owner {
            Owner::Task(owner) => self.call_task(run, caller, (owner, entry), mode, out),
            Owner::Object(object) => self.call_object(run, caller, (object, entry), mode, out),
        }
    }

    fn call_task(
        &self,
        mut run: StepRun<'_, 'p>,
        caller: Caller,
        (owner, entry): (TaskId, EntryId),
        mode: Option<&CallMode>,
        out: &mut Vec<Successor>,
    ) {
        let task = caller.task;
        let callee = &run.state.tasks[owner.index()];
        if callee.status >= Status::Completed || callee.aborted {
            run.raise(task, ExceptionId::TASKING_ERROR, true);
            return out.push(run.done(StepEvent::Ran));
        }
        let ready = self.ready_alternatives(&run.state, owner, entry);
        if ready.is_empty() {
            if let Some(CallMode::Conditional { otherwise }) = mode {
                run.go(task, *otherwise);
                return out.push(run.done(StepEvent::Otherwise));
            }
            run.enqueue(caller, entry, true);
            return out.push(run.done(StepEvent::Queued(entry)));
        }
        for alternative in ready {
            let mut run = run.clone();
            let site = run.state.tasks[owner.index()].pc;
            let whole = run.start_rendezvous(caller, owner, entry, site, alternative);
            out.push(run.done(StepEvent::Accepted { caller: task, acceptor: owner, entry, whole }));
        }
    }

    /// A barrier that is not known is both open and closed.
    fn call_object(
        &self,
        mut run: StepRun<'_, 'p>,
        caller: Caller,
        (object, entry): (ObjectId, EntryId),
        mode: Option<&CallMode>,
        out: &mut Vec<Successor>,
    ) {
        let task = caller.task;
        if run.state.locks[object.index()] != Lock::Free {
            return;
        }
        let barrier = self.barrier(&run.state, entry);
        if barrier != Ok(Value::Known(0)) {
            let mut open = run.clone();
            open.guessed |= barrier == Ok(Value::Any);
            let what = match barrier {
                Err(_) => {
                    open.raise(task, ExceptionId::PROGRAM_ERROR, true);
                    open.fail_all(self.entries_of_object(object));
                    StepEvent::BarrierRaised(entry)
                }
                Ok(_) => {
                    open.enter(caller, entry, object);
                    StepEvent::Entered(entry)
                }
            };
            out.push(open.done(what));
        }
        if !matches!(barrier, Ok(Value::Known(0) | Value::Any)) {
            return;
        }
        run.guessed |= barrier == Ok(Value::Any);
        match mode {
            Some(CallMode::Conditional { otherwise }) => {
                run.go(task, *otherwise);
                out.push(run.done(StepEvent::Otherwise));
            }
            _ if queue_is_full(self.program, &run.state, entry) => {
                run.raise(task, ExceptionId::PROGRAM_ERROR, true);
                out.push(run.done(StepEvent::Ran));
            }
            _ => {
                run.enqueue(caller, entry, true);
                // The longer queue may open a barrier that asks for 'Count.
                self.serve(run, object, out, |_| StepEvent::Queued(entry));
            }
        }
    }

    pub(super) fn time_out(
        &self,
        state: &State,
        task: TaskId,
        entry: EntryId,
        cancellable: bool,
        out: &mut Vec<Successor>,
    ) {
        let ts = &state.tasks[task.index()];
        let target = match &self.program.node(ts.pc).action {
            Action::EntryCall { mode: CallMode::Timed { timeout: t }, .. }
            | Action::EntryCall { mode: CallMode::Conditional { otherwise: t }, .. }
                if cancellable =>
            {
                *t
            }
            _ => return,
        };
        let mut run = StepRun::new(self, state.clone(), task);
        match self.program.entries[entry.index()].owner {
            Owner::Task(_) => {
                run.withdraw(task, 0);
                run.go(task, target);
                out.push(run.done(StepEvent::TimedOut));
            }
            Owner::Object(object) => {
                // Withdrawing a call is a protected action: it changes 'Count.
                if state.locks[object.index()] != Lock::Free {
                    return;
                }
                run.withdraw(task, 0);
                run.go(task, target);
                self.serve(run, object, out, |_| StepEvent::TimedOut);
            }
        }
    }
}

impl<'p> StepRun<'_, 'p> {
    /// The cells that carry the arguments of a call.
    pub(super) fn args(&self, caller: Caller) -> &'p [VarId] {
        let ts = &self.state.tasks[caller.task.index()];
        let site = match caller.level {
            0 => ts.pc,
            level => ts.transfers[usize::from(level) - 1].site,
        };
        match &self.program().node(site).action {
            Action::EntryCall { args, .. } => args,
            Action::Async { trigger: Trigger::Call { args, .. }, .. } => args,
            _ => &[],
        }
    }

    /// Results have no value yet when a call is made.
    pub(super) fn forget_results(&mut self, caller: Caller, entry: EntryId) {
        let semantics = self.semantics;
        let args = self.args(caller);
        for i in semantics.results.get(entry.index()).into_iter().flatten() {
            if let Some(arg) = args.get(*i) {
                let init = self.program().vars[arg.index()].init;
                self.set(*arg, init);
            }
        }
    }

    pub(super) fn enqueue(&mut self, caller: Caller, entry: EntryId, cancellable: bool) {
        self.state.queues[entry.index()].push(caller);
        let ts = &mut self.state.tasks[caller.task.index()];
        match caller.level {
            0 => ts.wait = Wait::Queued { entry, cancellable },
            level => {
                ts.transfers[usize::from(level) - 1].trigger = Pending::Queued { entry, cancellable };
            }
        }
    }

    pub(super) fn withdraw(&mut self, task: TaskId, level: u8) {
        self.withdraw_silently(task, level);
        if level == 0 {
            self.state.tasks[task.index()].wait = Wait::Nothing;
        }
    }

    pub(super) fn withdraw_silently(&mut self, task: TaskId, level: u8) {
        let caller = Caller { task, level };
        let ts = &self.state.tasks[task.index()];
        let entry = match (level, ts.wait) {
            (0, Wait::Queued { entry, .. }) => Some(entry),
            (0, _) => None,
            (level, _) => match ts.transfers.get(usize::from(level) - 1).map(|t| t.trigger) {
                Some(Pending::Queued { entry, .. }) => Some(entry),
                _ => None,
            },
        };
        if let Some(entry) = entry {
            self.state.queues[entry.index()].retain(|c| *c != caller);
        }
    }

    /// The caller goes on after its call.
    pub(super) fn finish_call(&mut self, caller: Caller) {
        let program = self.program();
        let ts = &mut self.state.tasks[caller.task.index()];
        if caller.level > 0 {
            ts.transfers[usize::from(caller.level) - 1].trigger = Pending::Done;
            return;
        }
        ts.wait = Wait::Nothing;
        ts.due |= ts.aborted;
        match &program.node(ts.pc).action {
            Action::EntryCall { next, .. } => ts.pc = *next,
            Action::Async { triggered, .. } => ts.pc = *triggered,
            _ => {}
        }
    }

    /// The caller's call fails with an exception.
    pub(super) fn fail_call(&mut self, caller: Caller, exception: ExceptionId, by_tasking: bool) {
        if caller.level > 0 {
            let transfers = &mut self.state.tasks[caller.task.index()].transfers;
            transfers[usize::from(caller.level) - 1].trigger = Pending::Failed { exception, by_tasking };
            return;
        }
        // The end of a call is where an abort takes effect: nobody sees the exception then.
        let ts = &self.state.tasks[caller.task.index()];
        let inside = ts.deferred > 0
            || ts.frames.iter().any(|f| f.serving.is_some())
            || self.state.locks.iter().any(|lock| *lock == Lock::Write(caller.task));
        if ts.aborted && !inside {
            self.resume(caller.task, exception);
        } else {
            self.raise(caller.task, exception, by_tasking);
        }
        self.completion_point(caller.task);
    }

    /// Every call that waits for one of the entries fails.
    pub(super) fn fail_all(&mut self, entries: &[EntryId]) {
        for entry in entries {
            for caller in std::mem::take(&mut self.state.queues[entry.index()]) {
                self.fail_call(caller, ExceptionId::PROGRAM_ERROR, true);
            }
        }
    }
}

/// Whether a queue is as long as a restriction allows.
fn queue_is_full(program: &Program, state: &State, entry: EntryId) -> bool {
    program.queue_limit.is_some_and(|limit| state.queues[entry.index()].len() >= usize::from(limit))
}
