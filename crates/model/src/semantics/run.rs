//! A step in the making: what calls, rendezvous, exceptions and aborts do to a state.

use super::{Fate, Outcome, Raised, Semantics, Step, What};
use crate::expr::{Expr, Place, Value};
use crate::monitor::{Moment, Sight};
use crate::program::*;
use crate::state::*;

/// A step in the making.
#[derive(Clone)]
pub(super) struct Run<'s, 'p> {
    pub(super) semantics: &'s Semantics<'p>,
    pub(super) state: State,
    pub(super) task: TaskId,
    pub(super) loc: Loc,
    pub(super) raised: Vec<Raised>,
    pub(super) guessed: bool,
    pub(super) sights: Vec<Sight>,
}

impl<'s, 'p> Run<'s, 'p> {
    pub(super) fn new(semantics: &'s Semantics<'p>, state: State, task: TaskId) -> Self {
        let loc = state.tasks[task.index()].pc;
        Run { semantics, state, task, loc, raised: Vec::new(), guessed: false, sights: Vec::new() }
    }

    /// The same step goes on.
    pub(super) fn after(semantics: &'s Semantics<'p>, outcome: Outcome) -> Self {
        let Step { task, loc, raised, guessed, sights, .. } = outcome.step;
        Run { semantics, state: outcome.state, task, loc, raised, guessed, sights }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.semantics.program
    }

    pub(super) fn done(self, what: What) -> Outcome {
        Outcome {
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

    /// Tells the monitors what happens now.
    pub(super) fn sees(&mut self, moment: Moment) {
        let program = self.program();
        for (m, monitor) in program.monitors.iter().enumerate() {
            if let Some(may_be) = monitor.carried(program, moment, &|e| program.eval(&self.state, e)) {
                self.sights.push(Sight { monitor: m as u16, may_be });
            }
        }
    }

    /// What monitors see of an action before it takes effect.
    pub(super) fn looks_at(&mut self, action: &'p Action) {
        if self.program().monitors.is_empty() {
            return;
        }
        match action {
            Action::Event { name, .. } => self.sees(Moment::Event(name)),
            Action::Branch { cond, .. } => self.sees(Moment::Test(cond)),
            Action::Assign { to: Place::Var(to), value, .. } if self.program().is_selector(*to) => {
                self.sees(Moment::Test(value));
            }
            Action::Call { proc, .. } => self.sees(Moment::Enter(*proc)),
            Action::Select { alternatives, delays, .. } => {
                let guards = alternatives.iter().filter_map(|a| a.guard.as_ref());
                let all: Vec<&Expr> = guards.chain(delays.iter().filter_map(|d| d.0.as_ref())).collect();
                all.into_iter().for_each(|guard| self.sees(Moment::Test(guard)));
            }
            _ => {}
        }
    }

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
            Some(cell) => self.sees(Moment::Write(cell, value)),
            None => self.sees_one_of(to, value),
        }
        Ok(())
    }

    /// Tells the monitors that some cell of a place is assigned to.
    fn sees_one_of(&mut self, to: &Place, value: Value) {
        let program = self.program();
        for (m, monitor) in program.monitors.iter().enumerate() {
            let mut may_be = Vec::new();
            let mut listed = true;
            to.each_cell(program, |cell| {
                let moment = Moment::Write(cell, value);
                let carried = monitor.carried(program, moment, &|e| program.eval(&self.state, e));
                let carried = carried.unwrap_or_else(|| vec![None]);
                listed &= !carried.is_empty();
                may_be.extend(carried);
            });
            may_be.sort_unstable();
            may_be.dedup();
            may_be.retain(|_| listed);
            if may_be != [None] {
                self.sights.push(Sight { monitor: m as u16, may_be });
            }
        }
    }

    pub(super) fn stop(self) -> Outcome {
        self.stop_with(What::Stopped)
    }

    /// The whole execution ends here: no task can go on.
    pub(super) fn stop_with(mut self, what: What) -> Outcome {
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

    pub(super) fn go(&mut self, task: TaskId, loc: Loc) {
        self.state.tasks[task.index()].pc = loc;
    }

    pub(super) fn go_or_raise(&mut self, task: TaskId, loc: Loc, result: Result<(), ExceptionId>) {
        match result {
            Ok(()) => self.go(task, loc),
            Err(exception) => self.raise(task, exception, false),
        }
    }

    pub(super) fn occurrence(&self, cell: VarId) -> ExceptionId {
        match self.state.vars[cell.index()] {
            Value::Known(e) => ExceptionId(e as u32),
            Value::Any => ExceptionId::PROGRAM_ERROR,
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

    /// Calls a procedure from the current location.
    pub(super) fn call(&mut self, task: TaskId, proc: ProcId, args: &[Expr]) {
        let program = self.program();
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match program.eval(&self.state, arg) {
                Ok(value) => values.push(value),
                Err(exception) => return self.raise(task, exception, false),
            }
        }
        self.push_frame(task, proc);
        for (formal, value) in program.procs[proc.index()].formals.iter().zip(values) {
            if formal.mode.copies_in() {
                self.set(formal.cell, value);
            }
        }
        self.go(task, program.procs[proc.index()].start);
    }

    pub(super) fn push_frame(&mut self, task: TaskId, proc: ProcId) {
        let locals = &self.program().procs[proc.index()].locals;
        let ts = &mut self.state.tasks[task.index()];
        let recursive = ts.frames.iter().any(|f| f.proc == proc);
        let saved =
            if recursive { locals.iter().map(|l| self.state.vars[l.index()]).collect() } else { Vec::new() };
        ts.frames.push(Frame { site: ts.pc, proc, saved, serving: None });
    }

    /// Gives the locals of a procedure that is left the values they had before the call; outside
    /// of recursion nobody can see them, and their initial values keep states few.
    pub(super) fn leave(&mut self, frame: &Frame) {
        let program = self.program();
        for (i, local) in program.procs[frame.proc.index()].locals.iter().enumerate() {
            let value = frame.saved.get(i).copied();
            self.state.vars[local.index()] = value.unwrap_or(program.vars[local.index()].init);
        }
    }

    pub(super) fn return_from(&mut self, task: TaskId) {
        let program = self.program();
        let Some(frame) = self.state.tasks[task.index()].frames.pop() else {
            return self.raise(task, ExceptionId::PROGRAM_ERROR, false);
        };
        let formals = &program.procs[frame.proc.index()].formals;
        if !program.monitors.is_empty()
            && let Some(((_, entry), _)) = program.bodies.iter().find(|(_, proc)| **proc == frame.proc)
        {
            self.sees(Moment::Finish { caller: frame.serving.map_or(task, |c| c.task), entry: *entry });
        }
        if let Some(caller) = frame.serving {
            self.copy_out(formals, self.args(caller));
            self.leave(&frame);
            self.go(task, frame.site);
            return self.finish_call(caller);
        }
        match &program.node(frame.site).action {
            Action::Call { outs, next, .. } => {
                let results: Vec<Value> = outs.iter().map(|(i, _)| self.get(formals[*i].cell)).collect();
                self.leave(&frame);
                self.go(task, frame.site);
                for ((_, place), value) in outs.iter().zip(results) {
                    if let Err(exception) = self.store(place, value) {
                        return self.raise(task, exception, false);
                    }
                }
                self.go(task, *next);
            }
            Action::EntryCall { args, next, .. } => {
                self.copy_out(formals, args);
                self.leave(&frame);
                self.go(task, *next);
                self.completion_point(task);
            }
            Action::Async { trigger: Trigger::Call { args, .. }, triggered, .. } => {
                self.copy_out(formals, args);
                self.leave(&frame);
                self.go(task, *triggered);
            }
            _ => self.raise(task, ExceptionId::PROGRAM_ERROR, false),
        }
    }

    pub(super) fn copy_out(&mut self, formals: &[Formal], args: &[VarId]) {
        for (formal, arg) in formals.iter().zip(args) {
            if formal.mode.copies_out() {
                let value = self.get(formal.cell);
                self.set(*arg, value);
            }
        }
    }

    /// A call that is requeued keeps the values of all its parameters, results included.
    pub(super) fn copy_in(&mut self, formals: &[Formal], args: &[VarId]) {
        let requeues = self.semantics.requeues();
        for (formal, arg) in formals.iter().zip(args) {
            let value = if formal.mode.copies_in() || requeues {
                self.get(*arg)
            } else {
                self.program().vars[formal.cell.index()].init
            };
            self.set(formal.cell, value);
        }
    }

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

    /// Starts a rendezvous; true if it has no body and so ends at once.
    pub(super) fn start_rendezvous(
        &mut self,
        caller: Caller,
        acceptor: TaskId,
        entry: EntryId,
        site: Loc,
        alternative: usize,
    ) -> bool {
        let program = self.program();
        let Action::Select { alternatives, .. } = &program.node(site).action else {
            return false;
        };
        let taken = &alternatives[alternative];
        let args = self.args(caller);
        self.copy_in(&taken.formals, args);
        self.sees(Moment::Accept { caller: caller.task, entry, formals: &taken.formals });
        match caller.level {
            0 => self.state.tasks[caller.task.index()].wait = Wait::Rendezvous { acceptor },
            level => {
                let transfers = &mut self.state.tasks[caller.task.index()].transfers;
                transfers[usize::from(level) - 1].trigger = Pending::Served;
            }
        }
        let ts = &mut self.state.tasks[acceptor.index()];
        ts.wait = Wait::Nothing;
        ts.pc = taken.body;
        ts.accepts.push(Rendezvous { caller, entry, site, alternative: alternative as u16 });
        if let Action::EndAccept { next } = program.node(taken.body).action {
            self.end_rendezvous(acceptor);
            self.go(acceptor, next);
            self.finish_call(caller);
            return true;
        }
        false
    }

    /// Takes the innermost rendezvous off the acceptor and copies its results out.
    pub(super) fn end_rendezvous(&mut self, acceptor: TaskId) -> Option<Rendezvous> {
        let r = self.state.tasks[acceptor.index()].accepts.pop()?;
        self.sees(Moment::Finish { caller: r.caller.task, entry: r.entry });
        self.hand_back(&r);
        Some(r)
    }

    /// Copies the results of an accept body to the arguments of its caller.
    pub(super) fn hand_back(&mut self, r: &Rendezvous) {
        let program = self.program();
        if let Action::Select { alternatives, .. } = &program.node(r.site).action {
            let args = self.args(r.caller);
            let formals = &alternatives[usize::from(r.alternative)].formals;
            self.copy_out(formals, args);
            for formal in formals {
                let init = program.vars[formal.cell.index()].init;
                self.set(formal.cell, init);
            }
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

    /// An abort that is pending must take effect before the task does anything else.
    pub(super) fn completion_point(&mut self, task: TaskId) {
        let ts = &mut self.state.tasks[task.index()];
        ts.due |= ts.aborted && ts.status < Status::Completed;
    }

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
        self.sees(Moment::Accept { caller: task, entry, formals });
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
        self.sees(Moment::Accept { caller: caller.task, entry, formals });
        self.go(server, program.procs[proc.index()].start);
        true
    }

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

    /// The task is completed: whoever calls it, or waits in its queues, gets Tasking_Error.
    pub(super) fn complete(&mut self, task: TaskId) {
        for level in 1..=self.state.tasks[task.index()].transfers.len() {
            self.withdraw_silently(task, level as u8);
        }
        let ts = &mut self.state.tasks[task.index()];
        // A task that is aborted during its activation raises nothing in its activator (9.2).
        ts.failed |= ts.status == Status::Activating && !ts.aborted;
        ts.status = Status::Completed;
        ts.due = false;
        ts.deferred = 0;
        ts.frames.clear();
        ts.transfers.clear();
        for r in std::mem::take(&mut ts.accepts) {
            self.fail_call(r.caller, ExceptionId::TASKING_ERROR, true);
        }
        let semantics = self.semantics;
        for entry in &semantics.task_entries[task.index()] {
            for caller in std::mem::take(&mut self.state.queues[entry.index()]) {
                self.fail_call(caller, ExceptionId::TASKING_ERROR, true);
            }
        }
    }

    pub(super) fn end(&mut self, task: TaskId) {
        if self.state.tasks[task.index()].status < Status::Completed {
            self.complete(task);
        }
        let exit = self.program().tasks[task.index()].exit;
        let ts = &mut self.state.tasks[task.index()];
        let ended = ts.status != Status::Terminated;
        ts.status = Status::Terminated;
        ts.wait = Wait::Nothing;
        ts.pc = exit;
        if ended {
            self.sees(Moment::End(task));
        }
    }

    /// Sends a task that waited at terminate to its end.
    pub(super) fn finish(&mut self, task: TaskId) {
        let exit = self.program().tasks[task.index()].exit;
        let ts = &mut self.state.tasks[task.index()];
        ts.wait = Wait::Nothing;
        ts.pc = exit;
        self.complete(task);
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
