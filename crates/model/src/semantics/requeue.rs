//! Requeue: an accept or entry body ends, and its call goes on in another queue.
//!
//! The old body is left first, and its parameters keep their values, results included. Then the call comes to the new
//! entry: it is accepted at once, or queued, or fails because the task is gone. A protected action ends only after that, so
//! that a requeue to the same object is seen by its own barriers. A requeue to another object starts a protected action
//! there, so its lock must be free.
//!
//! A triggering call that was taken at once, and is requeued with abort, waits from now on: its abortable part starts.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    pub(super) fn requeue(
        &self,
        run: StepRun<'_, 'p>,
        target: &Expr,
        with_abort: bool,
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        match self.program.eval(&run.state, target) {
            Ok(Value::Known(entry)) => self.requeue_to(run, EntryId(entry as u32), with_abort, next, out),
            Ok(Value::Any) => out.push(run.done(StepEvent::Unsupported)),
            Err(exception) => out.push(run.raising(exception)),
        }
    }

    fn requeue_to(
        &self,
        mut run: StepRun<'_, 'p>,
        entry: EntryId,
        with_abort: bool,
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        let task = run.task;
        // A requeue to another object starts a protected action there: its lock must be free.
        if let Owner::Object(target) = self.program.entries[entry.index()].owner
            && !matches!(run.state.locks[target.index()], Lock::Free)
            && run.state.locks[target.index()] != Lock::Write(task)
        {
            return;
        }
        let Some((caller, object)) = run.end_for_requeue(task, with_abort, next) else {
            return out.push(run.raising(ExceptionId::PROGRAM_ERROR));
        };
        let what = StepEvent::Requeued { caller: caller.task, entry };
        let mut passed = Vec::new();
        self.pass_on(run, caller, entry, with_abort, &what, &mut passed);
        // The old protected action ends with the requeue; the new queue is entered first, so
        // that a requeue to the same object is seen by its barriers.
        let target = match self.program.entries[entry.index()].owner {
            Owner::Object(target) if object != Some(target) => Some(target),
            _ => None,
        };
        for object in object.into_iter().chain(target) {
            passed = self.serve_each(passed, object);
        }
        out.extend(passed);
    }

    /// A call that is requeued comes to another entry.
    fn pass_on(
        &self,
        mut run: StepRun<'_, 'p>,
        caller: Caller,
        entry: EntryId,
        with_abort: bool,
        what: &StepEvent,
        out: &mut Vec<Successor>,
    ) {
        let Owner::Task(owner) = self.program.entries[entry.index()].owner else {
            run.enqueue(caller, entry, with_abort);
            return out.push(run.done(what.clone()));
        };
        let callee = &run.state.tasks[owner.index()];
        if callee.status >= Status::Completed || callee.aborted {
            run.fail_call(caller, ExceptionId::TASKING_ERROR, true);
            return out.push(run.done(what.clone()));
        }
        let ready = self.ready_alternatives(&run.state, owner, entry);
        if ready.is_empty() {
            let cancellable = with_abort || run.is_conditional(caller);
            run.enqueue(caller, entry, cancellable);
            return out.push(run.done(what.clone()));
        }
        for alternative in ready {
            let mut run = run.clone();
            let site = run.state.tasks[owner.index()].pc;
            run.start_rendezvous(caller, owner, entry, site, alternative);
            out.push(run.done(what.clone()));
        }
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Whether a call is a conditional one. Requeued to a task that does not accept it at once, GNAT
    /// cancels it, with or without abort; by the language only with abort. Both are possible here.
    pub(super) fn is_conditional(&self, caller: Caller) -> bool {
        let ts = &self.state.tasks[caller.task.index()];
        let action = &self.program().node(ts.pc).action;
        caller.level == 0 && matches!(action, Action::EntryCall { mode: CallMode::Conditional { .. }, .. })
    }

    /// Ends the accept or entry body that a task is in, since its call goes on elsewhere: that call, and the protected
    /// object that is left. The parameters keep their values.
    pub(super) fn end_for_requeue(
        &mut self,
        task: TaskId,
        with_abort: bool,
        next: Loc,
    ) -> Option<(Caller, Option<ObjectId>)> {
        let program = self.program();
        // In an entry body the innermost frame belongs to the queued call; in an accept body the
        // innermost rendezvous does.
        let in_entry_body = self.state.tasks[task.index()].frames.last().is_some_and(|f| {
            let action = &program.node(f.site).action;
            f.serving.is_some() || matches!(action, Action::EntryCall { .. } | Action::Async { .. })
        });
        if !in_entry_body {
            let r = self.state.tasks[task.index()].accepts.pop()?;
            self.hand_back(&r);
            self.go(task, next);
            return Some((self.requeued(r.caller, with_abort), None));
        }
        let frame = self.state.tasks[task.index()].frames.pop()?;
        self.go(task, frame.site);
        let caller = frame.serving.unwrap_or(Caller { task, level: 0 });
        self.copy_out(&program.procs[frame.proc.index()].formals, self.args(caller));
        self.leave(&frame);
        let ((_, entry), _) = program.bodies.iter().find(|(_, proc)| **proc == frame.proc)?;
        let Owner::Object(object) = program.entries[entry.index()].owner else { return None };
        self.state.locks[object.index()] = Lock::Free;
        Some((self.requeued(caller, with_abort), Some(object)))
    }

    /// A triggering call that was taken at once and is requeued now: the abortable part starts.
    pub(super) fn requeued(&mut self, caller: Caller, with_abort: bool) -> Caller {
        let ts = &mut self.state.tasks[caller.task.index()];
        let Action::Async { abortable, .. } = self.semantics.program.node(ts.pc).action else {
            return caller;
        };
        if caller.level > 0 || !with_abort {
            return caller;
        }
        ts.transfers.push(Transfer {
            site: ts.pc,
            frames: ts.frames.len() as u16,
            trigger: Pending::Served,
            leaving: false,
        });
        ts.wait = Wait::Nothing;
        ts.pc = abortable;
        Caller { task: caller.task, level: ts.transfers.len() as u8 }
    }
}
