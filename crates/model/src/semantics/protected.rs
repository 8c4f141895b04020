//! Protected actions: locks, barriers, and who runs an entry body.
//!
//! A procedure takes the lock for writing, functions share it for reading. A protected action ends by serving the queues:
//! if the barrier of an entry with callers is open, the lock goes to the first of them, who runs the body itself. If
//! several barriers are open, each is an outcome. Everything that changes a queue is a protected action as well, because a
//! barrier may read 'Count: calls that are queued, withdrawn, requeued, or lost with an aborted task.
//!
//! Ada leaves open which task runs an entry body. For an ordinary call that makes no difference here. The call that
//! triggers an asynchronous select may be run by its own task or by the one whose protected action ends, and both are
//! outcomes. A barrier that raises an exception fails the calls in all queues of the object (9.5.3); it need not be looked
//! at if another barrier is open.

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::Value;
use crate::monitor::MonitorEvent;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    /// Nothing where the lock is held by others.
    pub(super) fn lock(
        &self,
        mut run: StepRun<'_, 'p>,
        object: ObjectId,
        mode: LockMode,
        next: Loc,
    ) -> Option<Successor> {
        let lock = &mut run.state.locks[object.index()];
        *lock = match (*lock, mode) {
            (Lock::Free, LockMode::Write) => Lock::Write(run.task),
            (Lock::Free, LockMode::Read) => Lock::Read(1),
            (Lock::Read(n), LockMode::Read) => Lock::Read(n + 1),
            _ => return None,
        };
        run.go(run.task, next);
        Some(run.done(StepEvent::Locked(object)))
    }

    pub(super) fn unlock(
        &self,
        mut run: StepRun<'_, 'p>,
        object: ObjectId,
        next: Loc,
        out: &mut Vec<Successor>,
    ) {
        run.go(run.task, next);
        let lock = &mut run.state.locks[object.index()];
        match *lock {
            Lock::Read(n) => {
                *lock = if n > 1 { Lock::Read(n - 1) } else { Lock::Free };
                out.push(run.done(StepEvent::Released { object, served: None }));
            }
            _ => {
                *lock = Lock::Free;
                self.serve(run, object, out, |served| StepEvent::Released { object, served });
            }
        }
    }

    /// The object goes out of existence: calls that are still queued fail.
    pub(super) fn close(&self, mut run: StepRun<'_, 'p>, object: ObjectId, next: Loc) -> Successor {
        run.go(run.task, next);
        run.fail_all(self.entries_of_object(object));
        run.done(StepEvent::Ran)
    }

    pub(super) fn barrier(&self, state: &State, entry: EntryId) -> Result<Value, ExceptionId> {
        match &self.program.entries[entry.index()].barrier {
            Some(barrier) => self.program.eval(state, barrier),
            None => Ok(Value::Known(1)),
        }
    }

    /// The end of a step that changed the queue of an entry.
    pub(super) fn serve_entry(
        &self,
        run: StepRun<'_, 'p>,
        entry: EntryId,
        what: StepEvent,
        out: &mut Vec<Successor>,
    ) {
        match self.program.entries[entry.index()].owner {
            Owner::Object(object) => self.serve(run, object, out, |_| what.clone()),
            Owner::Task(_) => out.push(run.done(what)),
        }
    }

    /// Ends a protected action: the lock, free in `run`, goes to a queued caller whose barrier is
    /// open, if there is one. A barrier that raises an exception fails the calls in all queues of the object; it need
    /// not be looked at if another one is open.
    pub(super) fn serve(
        &self,
        mut run: StepRun<'_, 'p>,
        object: ObjectId,
        out: &mut Vec<Successor>,
        what: impl Fn(Option<(TaskId, EntryId)>) -> StepEvent,
    ) {
        let mut open = Vec::new();
        let mut certain = false;
        let mut raises = false;
        for &entry in &self.object_entries[object.index()] {
            let Some(&head) = run.state.queues[entry.index()].first() else {
                continue;
            };
            match self.barrier(&run.state, entry) {
                Ok(Value::Known(0)) => {}
                Ok(value) => {
                    certain |= value != Value::Any;
                    open.push((head, entry, value == Value::Any));
                }
                Err(_) => raises = true,
            }
        }
        for &(head, entry, guessed) in &open {
            let mut run = run.clone();
            run.guessed |= guessed;
            run.state.queues[entry.index()].remove(0);
            if head.level == 0 {
                run.enter(head, entry, object);
                out.push(run.done(what(Some((head.task, entry)))));
                continue;
            }
            // Ada leaves open who runs the body: this task, or the caller itself.
            let mut served = false;
            for server in [run.task, head.task] {
                let mut run = run.clone();
                if !(served && server == run.task) && run.serve_trigger(server, head, entry, object) {
                    served = true;
                    out.push(run.done(what(Some((head.task, entry)))));
                }
            }
            if !served {
                out.push(run.done(StepEvent::Unsupported));
            }
        }
        if raises {
            run.fail_all(self.entries_of_object(object));
            out.push(run.done(what(None)));
        } else if !certain {
            run.guessed |= !open.is_empty();
            out.push(run.done(what(None)));
        }
    }

    /// Aborted callers have left queues: every barrier may look at 'Count.
    pub(super) fn serve_all(&self, run: StepRun<'_, 'p>, what: StepEvent, out: &mut Vec<Successor>) {
        let mut outcomes = vec![run.done(what)];
        for object in (0..self.program.objects.len()).map(ObjectId::from) {
            outcomes = self.serve_each(outcomes, object);
        }
        out.extend(outcomes);
    }

    /// Goes on with steps that may have changed the queues of an object: whoever is inside serves them in the end.
    pub(super) fn serve_each(&self, outcomes: Vec<Successor>, object: ObjectId) -> Vec<Successor> {
        let mut next = Vec::new();
        for outcome in outcomes {
            let waits = |e: &EntryId| !outcome.state.queues[e.index()].is_empty();
            let idle = outcome.state.locks[object.index()] == Lock::Free;
            if !idle || !self.object_entries[object.index()].iter().any(waits) {
                next.push(outcome);
                continue;
            }
            let what = outcome.step.what.clone();
            self.serve(StepRun::after(self, outcome), object, &mut next, |_| what.clone());
        }
        next
    }

    /// Whether a task may leave the queue that it waits in, if it does. For that of a protected object this is a
    /// protected action, since it changes 'Count.
    pub(super) fn leaves_queue(&self, state: &State, task: TaskId) -> bool {
        match state.tasks[task.index()].wait {
            Wait::Queued { entry, .. } => self.is_idle(state, entry),
            _ => true,
        }
    }

    /// Whether nobody is inside the protected object of an entry.
    pub(super) fn is_idle(&self, state: &State, entry: EntryId) -> bool {
        match self.program.entries[entry.index()].owner {
            Owner::Object(object) => state.locks[object.index()] == Lock::Free,
            Owner::Task(_) => true,
        }
    }

    /// Whether a triggering call that waits in a queue may be withdrawn now.
    pub(super) fn can_withdraw(&self, state: &State, trigger: Pending) -> bool {
        match trigger {
            Pending::Queued { entry, cancellable } => cancellable && self.is_idle(state, entry),
            _ => true,
        }
    }
}

impl<'p> StepRun<'_, 'p> {
    /// The caller takes the lock and runs the entry body.
    pub(super) fn enter(&mut self, caller: Caller, entry: EntryId, object: ObjectId) {
        let program = self.program();
        let task = caller.task;
        self.state.tasks[task.index()].wait = Wait::Nothing;
        self.state.locks[object.index()] = Lock::Write(task);
        let Some(&proc) = program.bodies.get(&(task, entry)) else {
            // Validation demands a body for every possible call.
            return;
        };
        let args = self.args(Caller { task, level: 0 });
        self.push_frame(task, proc);
        let formals = &program.procs[proc.index()].formals;
        self.copy_in(formals, args);
        self.sees(MonitorEvent::Accept { caller: task, entry, formals });
        self.go(task, program.procs[proc.index()].start);
    }

    /// Runs the entry body of a call that triggers somebody's asynchronous select, whose
    /// abortable part may go on meanwhile; false if the server is not free to do it.
    pub(super) fn serve_trigger(
        &mut self,
        server: TaskId,
        caller: Caller,
        entry: EntryId,
        object: ObjectId,
    ) -> bool {
        let program = self.program();
        let Some(&proc) = program.bodies.get(&(server, entry)) else { return false };
        if self.state.tasks[server.index()].wait != Wait::Nothing {
            return false;
        }
        self.state.locks[object.index()] = Lock::Write(server);
        self.state.tasks[caller.task.index()].transfers[usize::from(caller.level) - 1].trigger =
            Pending::Served;
        let args = self.args(caller);
        self.push_frame(server, proc);
        if let Some(frame) = self.state.tasks[server.index()].frames.last_mut() {
            frame.serving = Some(caller);
        }
        let formals = &program.procs[proc.index()].formals;
        self.copy_in(formals, args);
        self.sees(MonitorEvent::Accept { caller: caller.task, entry, formals });
        self.go(server, program.procs[proc.index()].start);
        true
    }
}
