//! The meaning of a program: `initial`, `enabled`, `step`.
//!
//! This is the only definition of what can happen. The explorer runs it, the other engines learn their steps from it,
//! and every trace is replayed on it. It follows chapters 9 and 11 of the Ada Reference Manual; docs/semantics.md says
//! how, in prose.
//!
//! A step is one action of one task, at the granularity of the model's locations. Where Ada says that several things
//! happen at once, they happen in one step: a call that meets an accepting task starts the rendezvous, the end of a
//! protected action hands the lock to a queued caller whose barrier is open, a master that is left ends the tasks that
//! wait at `terminate`. All outcomes of a step are listed in a fixed order, so a move is a task and a number, and
//! replays.
//!
//! Time is arbitrary: a delay may end at once or late, so a timeout is possible whenever the task waits. Calls are
//! queued first in, first out. A queued caller of a protected entry runs the entry body itself, with the lock handed
//! over; Ada leaves open which task does it. An aborted task may run on until its next abort completion point.
//!
//! Values that are not tracked are *any*: a branch on such a value goes both ways, and its outcomes are marked as
//! guesses, so that a finding which needs one is possible and not certain. Guards may be left unevaluated where they
//! decide nothing (`sure.rs`), so that a step reads only what matters to it.
//!
//! The semantics knows no engine. It reads and writes the state through watched vectors (`watch.rs`), which is how
//! engines learn what a step depends on. It was tested against GNAT: logs of compiled programs must be sequences of
//! events of the model, and the tests of chapter 9 of ACATS are run. Both, and random programs, found most of its
//! errors (docs/soundness.md).

mod run;

use std::sync::OnceLock;

use crate::expr::{Expr, Value};
use crate::monitor::{Moment, Sight};
use crate::program::*;
use crate::state::*;
use run::Run;

/// A program with the indices that its semantics needs.
pub struct Semantics<'p> {
    pub program: &'p Program,
    /// A procedure is active in a task at most this often; executions that go deeper stop.
    pub recursion: usize,
    object_entries: Vec<Vec<EntryId>>,
    task_entries: Vec<Vec<EntryId>>,
    /// By location: select statements whose guards matter only where somebody waits. Unless an analysis says
    /// so, all guards are looked at.
    plain_selects: Vec<bool>,
    /// By entry: the parameters that are results only. Nothing where no call is ever requeued.
    results: Vec<Vec<usize>>,
    /// By location: whether its action may raise an exception. Only who explains a state asks.
    raising: OnceLock<Vec<bool>>,
    find_raising: fn(&Program) -> Vec<bool>,
}

/// One possible step of a task: `choice` numbers the possibilities at its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub task: TaskId,
    pub choice: u32,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub state: State,
    pub step: Step,
}

/// What happened in a step, for people and for properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub task: TaskId,
    pub loc: Loc,
    pub what: What,
    /// Exceptions raised in the course of the step.
    pub raised: Vec<Raised>,
    /// The step is one of several only because the model does not know a value.
    pub guessed: bool,
    /// What monitors may have seen, one moment after the other, until it is decided.
    pub sights: Vec<Sight>,
    /// What monitors saw: monitor and letter.
    pub letters: Vec<(u16, u32)>,
    /// Monitors that cannot accept any more, or whose execution has ended without acceptance.
    pub broken: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    pub task: TaskId,
    pub loc: Loc,
    pub exception: ExceptionId,
    pub fate: Fate,
    /// Raised by the language rules of tasking, not by a raise statement or a check.
    pub by_tasking: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Handled(Loc),
    /// Left the task body: the task dies.
    Died,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Ran,
    Took(bool),
    Chose(u32),
    Got(Value),
    /// The call waits in the queue.
    Queued(EntryId),
    /// A rendezvous starts; `whole` when it also ends, having no body.
    Accepted {
        caller: TaskId,
        acceptor: TaskId,
        entry: EntryId,
        whole: bool,
    },
    /// A call on a protected entry whose barrier is open.
    Entered(EntryId),
    /// A call on a protected entry whose barrier raises an exception.
    BarrierRaised(EntryId),
    /// Waits at a select.
    Waits,
    TimedOut,
    Otherwise,
    EndedAccept {
        caller: TaskId,
        entry: EntryId,
    },
    Requeued {
        caller: TaskId,
        entry: EntryId,
    },
    Locked(ObjectId),
    /// The protected action ends; maybe a queued call is served next.
    Released {
        object: ObjectId,
        served: Option<(TaskId, EntryId)>,
    },
    Activates(Vec<TaskId>),
    /// Tasks that waited at terminate and end now.
    Ended(Vec<TaskId>),
    Aborted(Vec<TaskId>),
    /// The abortable part is left.
    Transferred,
    AssertionFailed,
    Stopped,
    Unsupported,
}

/// By entry: the positions of parameters that are results only; empty if the program has no requeue.
fn results_of_entries(program: &Program) -> Vec<Vec<usize>> {
    if !program.nodes.iter().any(|n| matches!(n.action, Action::Requeue { .. })) {
        return Vec::new();
    }
    let mut results = vec![Vec::new(); program.entries.len()];
    let mut note = |entry: EntryId, formals: &[Formal]| {
        results[entry.index()] = (0..formals.len()).filter(|i| formals[*i].mode == Mode::Out).collect();
    };
    for node in &program.nodes {
        if let Action::Select { alternatives, .. } = &node.action {
            for a in alternatives {
                program.possible_entries(&a.entry).into_iter().for_each(|e| note(e, &a.formals));
            }
        }
    }
    for ((_, entry), proc) in &program.bodies {
        note(*entry, &program.procs[proc.index()].formals);
    }
    results
}

/// Whether a queue is as long as a restriction allows.
fn queue_is_full(program: &Program, state: &State, entry: EntryId) -> bool {
    program.queue_limit.is_some_and(|limit| state.queues[entry.index()].len() >= usize::from(limit))
}

impl<'p> Semantics<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self::bounded(program, DEFAULT_RECURSION)
    }

    /// With a bound on recursion of its own.
    pub fn bounded(program: &'p Program, recursion: usize) -> Self {
        let none = vec![false; program.nodes.len()];
        Self::with_facts(program, recursion, none, |program| vec![true; program.nodes.len()])
    }

    /// With what an analysis knows of a program, by location: which select statements have guards that all have a
    /// value and raise nothing, so that only those of entries with callers need be read, and what finds the actions
    /// that may raise an exception, if somebody asks. Neither changes what happens in a step.
    pub fn with_facts(
        program: &'p Program,
        recursion: usize,
        plain_selects: Vec<bool>,
        find_raising: fn(&Program) -> Vec<bool>,
    ) -> Self {
        let mut object_entries = vec![Vec::new(); program.objects.len()];
        let mut task_entries = vec![Vec::new(); program.tasks.len()];
        for (i, entry) in program.entries.iter().enumerate() {
            match entry.owner {
                Owner::Task(task) => task_entries[task.index()].push(EntryId::from(i)),
                Owner::Object(object) => object_entries[object.index()].push(EntryId::from(i)),
            }
        }
        let results = results_of_entries(program);
        Semantics {
            program,
            recursion,
            object_entries,
            task_entries,
            plain_selects,
            results,
            raising: OnceLock::new(),
            find_raising,
        }
    }

    /// Whether the action of a location may raise an exception, for all that the code says.
    pub fn may_raise(&self, loc: Loc) -> bool {
        self.raising.get_or_init(|| (self.find_raising)(self.program))[loc.index()]
    }

    /// Whether some call may be requeued.
    fn requeues(&self) -> bool {
        !self.results.is_empty()
    }

    pub fn initial(&self) -> State {
        let tasks = self
            .program
            .tasks
            .iter()
            .enumerate()
            .map(|(i, task)| TaskState {
                status: if i == 0 { Status::Active } else { Status::Unborn },
                pc: task.start,
                wait: Wait::Nothing,
                aborted: false,
                due: false,
                deferred: 0,
                failed: false,
                frames: Vec::new(),
                accepts: Vec::new(),
                transfers: Vec::new(),
            })
            .collect();
        State {
            vars: self.program.vars.iter().map(|v| v.init).collect(),
            tasks,
            queues: self.program.entries.iter().map(|_| Vec::new()).collect(),
            locks: self.program.objects.iter().map(|_| Lock::Free).collect(),
        }
    }

    /// Every step that is possible in a state.
    pub fn enabled(&self, state: &State) -> Vec<Move> {
        let mut out = Vec::new();
        let mut moves = Vec::new();
        for t in 0..state.tasks.len() {
            let task = TaskId::from(t);
            out.clear();
            self.successors(state, task, &mut out);
            moves.extend((0..out.len()).map(|c| Move { task, choice: c as u32 }));
        }
        moves
    }

    /// The result of a step, None if it is not possible.
    pub fn step(&self, state: &State, mv: Move) -> Option<Outcome> {
        let mut out = Vec::new();
        self.successors(state, mv.task, &mut out);
        out.into_iter().nth(mv.choice as usize)
    }

    /// Every step that one task can make, in a fixed order.
    pub fn successors(&self, state: &State, task: TaskId, out: &mut Vec<Outcome>) {
        if self.program.monitors.is_empty() {
            return self.steps(state, task, out);
        }
        let mut plain = Vec::new();
        self.steps(state, task, &mut plain);
        for outcome in plain {
            self.monitored(state, outcome, out);
        }
    }

    /// Moves the monitors along: where it is not certain what they see, everything is possible that it may be.
    fn monitored(&self, before: &State, mut outcome: Outcome, out: &mut Vec<Outcome>) {
        let sights = std::mem::take(&mut outcome.step.sights);
        let ways: usize = sights.iter().map(|s| s.may_be.len()).fold(1, usize::saturating_mul);
        if ways == 0 || ways > 256 {
            let step = Step { what: What::Unsupported, ..outcome.step };
            return out.push(Outcome { step, ..outcome });
        }
        for choice in 0..ways {
            let mut outcome = outcome.clone();
            outcome.step.guessed |= ways > 1;
            let mut rest = choice;
            for sight in &sights {
                let seen = sight.may_be[rest % sight.may_be.len()];
                rest /= sight.may_be.len();
                let Some(set) = seen else { continue };
                let m = sight.monitor;
                let monitor = &self.program.monitors[usize::from(m)];
                let letter = monitor.sets[set as usize].1;
                outcome.step.letters.push((m, letter));
                let Value::Known(at) = outcome.state.vars[monitor.cell.index()] else { continue };
                let next = monitor.step(at as u32, letter);
                if i64::from(next) != at {
                    outcome.state.vars[monitor.cell.index()] = Value::Known(i64::from(next));
                    if monitor.doomed[next as usize] && !monitor.doomed[at as usize] {
                        outcome.step.broken.push(m);
                    }
                }
            }
            self.note_hopeless(before, &mut outcome.step);
            let main = TaskId::ENVIRONMENT.index();
            let followed = !matches!(outcome.step.what, What::Stopped | What::Unsupported);
            if followed
                && outcome.step.task == TaskId::ENVIRONMENT
                && outcome.state.tasks[main].status == Status::Terminated
                && before.tasks[main].status != Status::Terminated
            {
                for (m, monitor) in self.program.monitors.iter().enumerate() {
                    let Value::Known(at) = outcome.state.vars[monitor.cell.index()] else { continue };
                    if !monitor.accepting[at as usize] && !monitor.doomed[at as usize] {
                        outcome.step.broken.push(m as u16);
                    }
                }
            }
            out.push(outcome);
        }
    }

    /// A monitor that accepts nothing, whatever happens, is broken as soon as something does.
    fn note_hopeless(&self, before: &State, step: &mut Step) {
        let main = TaskId::ENVIRONMENT.index();
        if step.task != TaskId::ENVIRONMENT || before.tasks[main].pc != self.program.tasks[main].start {
            return;
        }
        for (m, monitor) in self.program.monitors.iter().enumerate() {
            let doomed = |at: Value| matches!(at, Value::Known(at) if monitor.doomed[at as usize]);
            if doomed(before.vars[monitor.cell.index()]) {
                step.broken.push(m as u16);
            }
        }
    }

    fn steps(&self, state: &State, task: TaskId, out: &mut Vec<Outcome>) {
        let ts = &state.tasks[task.index()];
        if !matches!(ts.status, Status::Activating | Status::Active | Status::Completed) {
            return;
        }
        let interrupted = ts.aborted || !ts.transfers.is_empty();
        if interrupted
            && ts.status != Status::Completed
            && !state.defers_abort(task)
            && self.interrupt(state, task, out)
        {
            return;
        }
        match ts.wait {
            Wait::Nothing => self.act(state, task, out),
            Wait::Rendezvous { .. } => {}
            Wait::Queued { entry, cancellable } => self.time_out(state, task, entry, cancellable, out),
            Wait::Select { open } => {
                let Action::Select { alternatives, delays, .. } = &self.program.node(ts.pc).action else {
                    return;
                };
                for (i, (_, target)) in delays.iter().enumerate() {
                    if open.get(alternatives.len() + i) {
                        let mut run = Run::new(self, state.clone(), task);
                        run.go(task, *target);
                        run.state.tasks[task.index()].wait = Wait::Nothing;
                        out.push(run.done(What::TimedOut));
                    }
                }
            }
            Wait::Activation => {
                let Action::Activate { tasks, next } = &self.program.node(ts.pc).action else {
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
                let mut run = Run::new(self, state.clone(), task);
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
                out.push(run.done(What::Ran));
            }
        }
    }

    /// Steps that take control from a task, which is aborted or in an abortable part. Whether it can do nothing else:
    /// up to the next point where the abort must take effect it may go on.
    fn interrupt(&self, state: &State, task: TaskId, out: &mut Vec<Outcome>) -> bool {
        let ts = &state.tasks[task.index()];
        let at_completion = ts.wait != Wait::Nothing || self.is_abort_completion(ts.pc);
        if ts.aborted {
            let firm = |t: &Transfer| t.trigger == Pending::Served || !self.can_withdraw(state, t.trigger);
            if self.leaves_queue(state, task) && !ts.transfers.iter().any(firm) {
                let mut run = Run::new(self, state.clone(), task);
                run.kill(task);
                self.serve_all(run, What::Aborted(vec![task]), out);
            }
            if ts.due || at_completion {
                return true;
            }
        }
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
                let mut run = Run::new(self, state.clone(), task);
                run.transfer(task, level);
                self.serve_all(run, What::Transferred, out);
            }
            if transfer.fired() && at_completion {
                return true;
            }
        }
        false
    }

    /// Whether a task may leave the queue that it waits in, if it does. For that of a protected object this is a
    /// protected action, since it changes 'Count.
    fn leaves_queue(&self, state: &State, task: TaskId) -> bool {
        match state.tasks[task.index()].wait {
            Wait::Queued { entry, .. } => self.is_idle(state, entry),
            _ => true,
        }
    }

    /// Whether nobody is inside the protected object of an entry.
    fn is_idle(&self, state: &State, entry: EntryId) -> bool {
        match self.program.entries[entry.index()].owner {
            Owner::Object(object) => state.locks[object.index()] == Lock::Free,
            Owner::Task(_) => true,
        }
    }

    /// Whether a triggering call that waits in a queue may be withdrawn now.
    fn can_withdraw(&self, state: &State, trigger: Pending) -> bool {
        match trigger {
            Pending::Queued { entry, cancellable } => cancellable && self.is_idle(state, entry),
            _ => true,
        }
    }

    /// Whether a task has been activated and has not terminated.
    fn is_started(&self, state: &State, task: TaskId) -> bool {
        let status = state.tasks[task.index()].status;
        !matches!(status, Status::Unborn | Status::Created | Status::Terminated)
    }

    /// Tasks that depend on one of the masters, directly or through others, and are alive.
    pub fn dependents(&self, state: &State, masters: &[MasterId]) -> Vec<TaskId> {
        let mut result: Vec<TaskId> = Vec::new();
        loop {
            let before = result.len();
            for (t, task) in self.program.tasks.iter().enumerate() {
                let id = TaskId::from(t);
                let Some(master) = task.master else { continue };
                if !task.background
                    && !result.contains(&id)
                    && (masters.contains(&master)
                        || result.contains(&self.program.masters[master.index()].owner))
                    && self.is_started(state, id)
                {
                    result.push(id);
                }
            }
            if result.len() == before {
                result.sort();
                return result;
            }
        }
    }

    pub fn entries_of_task(&self, task: TaskId) -> &[EntryId] {
        &self.task_entries[task.index()]
    }

    pub fn entries_of_object(&self, object: ObjectId) -> &[EntryId] {
        &self.object_entries[object.index()]
    }

    /// Whether a task has nothing left to do once it terminates.
    fn ends_at_once(&self, task: TaskId) -> bool {
        let exit = self.program.tasks[task.index()].exit;
        let Action::Complete { next } = self.program.node(exit).action else { return true };
        match self.program.node(next).action {
            Action::Await { next, .. } => matches!(self.program.node(next).action, Action::Terminate),
            _ => matches!(self.program.node(next).action, Action::Terminate),
        }
    }

    /// Whether a task waits at a select with an open terminate alternative.
    pub fn at_terminate(&self, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        let (Wait::Select { open }, Action::Select { alternatives, delays, .. }) =
            (ts.wait, &self.program.node(ts.pc).action)
        else {
            return false;
        };
        open.get(alternatives.len() + delays.len())
            && !ts.transfers.iter().any(|t| t.trigger == Pending::Served)
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

    fn is_abort_completion(&self, loc: Loc) -> bool {
        use Action::*;
        matches!(
            self.program.node(loc).action,
            EntryCall { .. }
                | Select { .. }
                | Activate { .. }
                | Await { .. }
                | Delay { .. }
                | Abort { .. }
                | Async { .. }
        )
    }

    fn time_out(
        &self,
        state: &State,
        task: TaskId,
        entry: EntryId,
        cancellable: bool,
        out: &mut Vec<Outcome>,
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
        let mut run = Run::new(self, state.clone(), task);
        match self.program.entries[entry.index()].owner {
            Owner::Task(_) => {
                run.withdraw(task, 0);
                run.go(task, target);
                out.push(run.done(What::TimedOut));
            }
            Owner::Object(object) => {
                // Withdrawing a call is a protected action: it changes 'Count.
                if state.locks[object.index()] != Lock::Free {
                    return;
                }
                run.withdraw(task, 0);
                run.go(task, target);
                self.serve(run, object, out, |_| What::TimedOut);
            }
        }
    }

    /// The steps of a task that waits for nothing: the action at its location.
    fn act(&self, state: &State, task: TaskId, out: &mut Vec<Outcome>) {
        let program = self.program;
        let loc = state.tasks[task.index()].pc;
        let mut run = Run::new(self, state.clone(), task);
        run.looks_at(&program.node(loc).action);
        match &program.node(loc).action {
            Action::Skip { next } | Action::Event { next, .. } | Action::Delay { next } => {
                run.go(task, *next);
                out.push(run.done(What::Ran));
            }
            Action::Assign { to, value, next } => {
                let stored = program.eval(state, value).and_then(|value| run.store_at(loc, to, value));
                run.go_or_raise(task, *next, stored);
                out.push(run.done(What::Ran));
            }
            Action::Havoc { to, next } => self.havoc(run, task, to, *next, out),
            Action::Branch { cond, yes, no } => match program.eval(state, cond) {
                Err(exception) => {
                    run.raise(task, exception, false);
                    out.push(run.done(What::Ran));
                }
                Ok(Value::Known(v)) => {
                    run.go(task, if v != 0 { *yes } else { *no });
                    out.push(run.done(What::Took(v != 0)));
                }
                Ok(Value::Any) => {
                    for (target, took) in [(*yes, true), (*no, false)] {
                        let mut run = run.clone();
                        run.guessed = true;
                        run.go(task, target);
                        out.push(run.done(What::Took(took)));
                    }
                }
            },
            Action::Choose { targets } => {
                for (i, target) in targets.iter().enumerate() {
                    let mut run = run.clone();
                    run.go(task, *target);
                    out.push(run.done(What::Chose(i as u32)));
                }
            }
            Action::Call { proc, args, .. } => {
                let active = state.tasks[task.index()].frames.iter().filter(|f| f.proc == *proc).count();
                if active >= self.recursion {
                    out.push(run.stop());
                    return;
                }
                run.call(task, *proc, args);
                out.push(run.done(What::Ran));
            }
            Action::Return => {
                run.return_from(task);
                out.push(run.done(What::Ran));
            }
            Action::EntryCall { entry: target, mode, .. } => match program.eval(state, target) {
                Err(exception) => {
                    run.raise(task, exception, false);
                    out.push(run.done(What::Ran));
                }
                Ok(entry) => {
                    let caller = Caller { task, level: 0 };
                    if self.possible_entries(target, entry).is_empty() {
                        out.push(run.stop_with(What::Unsupported));
                        return;
                    }
                    for possible in self.possible_entries(target, entry) {
                        let mut run = run.clone();
                        run.guessed |= entry == Value::Any;
                        run.forget_results(caller, possible);
                        self.call_entry(run, caller, possible, Some(mode), out);
                    }
                }
            },
            Action::Select { .. } => self.select(run, task, loc, out),
            Action::EndAccept { next } => {
                let Some(r) = run.end_rendezvous(task) else {
                    run.raise(task, ExceptionId::PROGRAM_ERROR, false);
                    out.push(run.done(What::Ran));
                    return;
                };
                run.go(task, *next);
                run.completion_point(task);
                run.finish_call(r.caller);
                out.push(run.done(What::EndedAccept { caller: r.caller.task, entry: r.entry }));
            }
            Action::FailAccept { occurrence } => {
                let exception = run.occurrence(*occurrence);
                let left = exception == ExceptionId::TRANSFER;
                if let Some(r) = run.state.tasks[task.index()].accepts.pop() {
                    let fails = if left { ExceptionId::TASKING_ERROR } else { exception };
                    run.fail_call(r.caller, fails, left);
                }
                run.resume(task, exception);
                out.push(run.done(What::Ran));
            }
            Action::Requeue { entry, with_abort, next } => match program.eval(state, entry) {
                Ok(Value::Known(entry)) => {
                    let entry = EntryId(entry as u32);
                    self.requeue(run, task, entry, *with_abort, *next, out);
                }
                Ok(Value::Any) => out.push(run.done(What::Unsupported)),
                Err(exception) => {
                    run.raise(task, exception, false);
                    out.push(run.done(What::Ran));
                }
            },
            Action::Lock { object, mode, next } => {
                let lock = &mut run.state.locks[object.index()];
                *lock = match (*lock, mode) {
                    (Lock::Free, LockMode::Write) => Lock::Write(task),
                    (Lock::Free, LockMode::Read) => Lock::Read(1),
                    (Lock::Read(n), LockMode::Read) => Lock::Read(n + 1),
                    _ => return,
                };
                run.go(task, *next);
                out.push(run.done(What::Locked(*object)));
            }
            Action::Unlock { object, next } => {
                let object = *object;
                run.go(task, *next);
                match run.state.locks[object.index()] {
                    Lock::Read(n) if n > 1 => {
                        run.state.locks[object.index()] = Lock::Read(n - 1);
                        out.push(run.done(What::Released { object, served: None }));
                    }
                    Lock::Read(_) => {
                        run.state.locks[object.index()] = Lock::Free;
                        out.push(run.done(What::Released { object, served: None }));
                    }
                    _ => {
                        run.state.locks[object.index()] = Lock::Free;
                        self.serve(run, object, out, |served| What::Released { object, served });
                    }
                }
            }
            Action::Allocate { pool, to, next } => {
                let free = pool.iter().find(|t| state.tasks[t.index()].status == Status::Unborn);
                let Some(&free) = free else {
                    out.push(run.stop());
                    return;
                };
                run.state.tasks[free.index()].status = Status::Created;
                let stored = run.store_at(loc, to, Value::Known(i64::from(free.0)));
                run.go_or_raise(task, *next, stored);
                out.push(run.done(What::Ran));
            }
            Action::Activate { tasks, next } => {
                let mut started = Vec::new();
                for expr in tasks {
                    match program.eval(state, expr) {
                        Ok(Value::Known(t)) => started.push(TaskId(t as u32)),
                        _ => {
                            out.push(run.done(What::Unsupported));
                            return;
                        }
                    }
                }
                for t in &started {
                    let ts = &mut run.state.tasks[t.index()];
                    if matches!(ts.status, Status::Activating | Status::Active | Status::Completed) {
                        // Only recursion can declare the same task twice at a time.
                        out.push(run.done(What::Unsupported));
                        return;
                    }
                    if ts.status == Status::Terminated && ts.aborted {
                        // Aborted before its activation: it never runs.
                        ts.aborted = false;
                        continue;
                    }
                    ts.status = Status::Activating;
                    ts.pc = program.tasks[t.index()].start;
                    ts.failed = false;
                    run.sees(Moment::Start(*t));
                }
                if started.is_empty() {
                    run.go(task, *next);
                } else {
                    run.state.tasks[task.index()].wait = Wait::Activation;
                }
                out.push(run.done(What::Activates(started)));
            }
            Action::Activated { next } => {
                run.state.tasks[task.index()].status = Status::Active;
                run.go(task, *next);
                out.push(run.done(What::Ran));
            }
            Action::Abandon { tasks, next } => {
                for t in tasks {
                    if state.tasks[t.index()].status == Status::Unborn {
                        run.end(*t);
                    }
                }
                run.go(task, *next);
                out.push(run.done(What::Ran));
            }
            Action::Complete { next } => {
                run.go(task, *next);
                run.complete(task);
                out.push(run.done(What::Ran));
            }
            Action::Await { masters, next } => {
                // One task that is not ready is enough: nobody looks at the others.
                let own = |t: &TaskId| {
                    let task = &program.tasks[t.index()];
                    !task.background && task.master.is_some_and(|m| masters.contains(&m))
                };
                let busy = |t: TaskId| self.is_started(state, t) && !self.at_terminate(state, t);
                let leaving = state.tasks[task.index()].transfers.iter().any(|t| t.leaving);
                if !leaving && (0..program.tasks.len()).map(TaskId::from).filter(own).any(busy) {
                    return;
                }
                let dependents = self.dependents(state, masters);
                // What depends on an abortable part that is left is aborted.
                let running = |t: &TaskId| {
                    let ts = &state.tasks[t.index()];
                    ts.status < Status::Completed && !ts.aborted
                };
                if leaving && dependents.iter().any(running) {
                    let victims = run.abort(&dependents);
                    return self.serve_all(run, What::Aborted(victims), out);
                }
                if !dependents.iter().all(|t| self.at_terminate(state, *t)) {
                    return;
                }
                let mut all_ended = true;
                for t in &dependents {
                    if self.ends_at_once(*t) {
                        run.end(*t);
                    } else {
                        run.finish(*t);
                        all_ended = false;
                    }
                }
                if all_ended {
                    run.go(task, *next);
                }
                out.push(run.done(if dependents.is_empty() { What::Ran } else { What::Ended(dependents) }));
            }
            Action::Terminate => {
                run.end(task);
                run.state.tasks[task.index()].aborted = false;
                if task == TaskId::ENVIRONMENT {
                    for (t, other) in program.tasks.iter().enumerate() {
                        if other.background && run.state.tasks[t].status > Status::Created {
                            run.end(TaskId::from(t));
                        }
                    }
                }
                out.push(run.done(What::Ran));
            }
            Action::Abort { tasks, next } => {
                let mut victims = Vec::new();
                for expr in tasks {
                    let victim = program.eval(state, expr).and_then(|value| match value {
                        Value::Known(t) => program.task_ref(t).map(Some),
                        Value::Any => Ok(None),
                    });
                    match victim {
                        Ok(Some(t)) => victims.push(t),
                        Ok(None) => {
                            out.push(run.done(What::Unsupported));
                            return;
                        }
                        Err(exception) => {
                            run.raise(task, exception, false);
                            out.push(run.done(What::Ran));
                            return;
                        }
                    }
                }
                run.go(task, *next);
                let victims = run.abort(&victims);
                run.completion_point(task);
                self.serve_all(run, What::Aborted(victims), out);
            }
            Action::Raise { exception, by_tasking } => {
                let exception = match program.eval(state, exception) {
                    Ok(Value::Known(e)) => ExceptionId(e as u32),
                    _ => ExceptionId::PROGRAM_ERROR,
                };
                run.raise(task, exception, *by_tasking);
                out.push(run.done(What::Ran));
            }
            Action::Resume { occurrence } => {
                let exception = run.occurrence(*occurrence);
                run.resume(task, exception);
                out.push(run.done(What::Ran));
            }
            Action::Assert { cond, next, .. } => {
                let value = program.eval(state, cond);
                run.go(task, *next);
                match value {
                    Ok(Value::Known(0)) | Err(_) => out.push(run.done(What::AssertionFailed)),
                    Ok(Value::Known(_)) => out.push(run.done(What::Ran)),
                    Ok(Value::Any) => {
                        run.guessed = true;
                        out.push(run.clone().done(What::Ran));
                        out.push(run.done(What::AssertionFailed));
                    }
                }
            }
            Action::Async { trigger, abortable, triggered } => {
                self.start_async(run, task, loc, trigger, *abortable, *triggered, out);
            }
            Action::Defer { next } => {
                let ts = &mut run.state.tasks[task.index()];
                ts.deferred += 1;
                run.go(task, *next);
                out.push(run.done(What::Ran));
            }
            Action::Undefer { next } => {
                let ts = &mut run.state.tasks[task.index()];
                ts.deferred = ts.deferred.saturating_sub(1);
                run.go(task, *next);
                run.completion_point(task);
                out.push(run.done(What::Ran));
            }
            Action::Close { object, next } => {
                run.go(task, *next);
                run.fail_all(self.entries_of_object(*object));
                out.push(run.done(What::Ran));
            }
            Action::EndAsync { next } => {
                let Some(level) = run.state.tasks[task.index()].transfers.len().checked_sub(1) else {
                    run.go(task, *next);
                    out.push(run.done(What::Ran));
                    return;
                };
                let transfers = &state.tasks[task.index()].transfers;
                let Transfer { trigger, leaving, .. } = transfers[level];
                if leaving {
                    run.arrive(task, level);
                    out.push(run.done(What::Transferred));
                    return;
                }
                // A trigger that is served is waited for; one that has fired sends control elsewhere, unless an
                // asynchronous select around this one is left.
                let over = transfers[level].fired() && !transfers.iter().any(|t| t.leaving);
                if over || trigger == Pending::Served || !self.can_withdraw(state, trigger) {
                    return;
                }
                run.withdraw_silently(task, level as u8 + 1);
                run.state.tasks[task.index()].transfers.pop();
                run.go(task, *next);
                match trigger {
                    Pending::Queued { entry, .. } => self.serve_entry(run, entry, What::Ran, out),
                    _ => out.push(run.done(What::Ran)),
                }
            }
            Action::Stop { .. } => {
                out.push(run.stop());
            }
            Action::Unsupported { .. } => {
                // The step is possible once, so that a search sees it; then nothing follows.
                out.push(run.stop_with(What::Unsupported));
            }
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

    fn havoc(
        &self,
        run: Run<'_, 'p>,
        task: TaskId,
        to: &crate::expr::Place,
        next: Loc,
        out: &mut Vec<Outcome>,
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
            out.push(run.done(What::Got(value)));
        }
    }

    fn call_entry(
        &self,
        mut run: Run<'_, 'p>,
        caller: Caller,
        entry: EntryId,
        mode: Option<&CallMode>,
        out: &mut Vec<Outcome>,
    ) {
        let task = caller.task;
        match self.program.entries[entry.index()].owner {
            Owner::Task(owner) => {
                let callee = &run.state.tasks[owner.index()];
                if callee.status >= Status::Completed || callee.aborted {
                    run.raise(task, ExceptionId::TASKING_ERROR, true);
                    out.push(run.done(What::Ran));
                    return;
                }
                let ready = self.ready_alternatives(&run.state, owner, entry);
                if ready.is_empty() {
                    match mode {
                        Some(CallMode::Conditional { otherwise }) => {
                            run.go(task, *otherwise);
                            out.push(run.done(What::Otherwise));
                        }
                        _ => {
                            run.enqueue(caller, entry, true);
                            out.push(run.done(What::Queued(entry)));
                        }
                    }
                    return;
                }
                for alternative in ready {
                    let mut run = run.clone();
                    let site = run.state.tasks[owner.index()].pc;
                    let whole = run.start_rendezvous(caller, owner, entry, site, alternative);
                    out.push(run.done(What::Accepted { caller: task, acceptor: owner, entry, whole }));
                }
            }
            Owner::Object(object) => {
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
                            What::BarrierRaised(entry)
                        }
                        Ok(_) => {
                            open.enter(caller, entry, object);
                            What::Entered(entry)
                        }
                    };
                    out.push(open.done(what));
                }
                if matches!(barrier, Ok(Value::Known(0) | Value::Any)) {
                    run.guessed |= barrier == Ok(Value::Any);
                    match mode {
                        Some(CallMode::Conditional { otherwise }) => {
                            run.go(task, *otherwise);
                            out.push(run.done(What::Otherwise));
                        }
                        _ if queue_is_full(self.program, &run.state, entry) => {
                            run.raise(task, ExceptionId::PROGRAM_ERROR, true);
                            out.push(run.done(What::Ran));
                        }
                        _ => {
                            run.enqueue(caller, entry, true);
                            // The longer queue may open a barrier that asks for 'Count.
                            self.serve(run, object, out, |_| What::Queued(entry));
                        }
                    }
                }
            }
        }
    }

    fn barrier(&self, state: &State, entry: EntryId) -> Result<Value, ExceptionId> {
        match &self.program.entries[entry.index()].barrier {
            Some(barrier) => self.program.eval(state, barrier),
            None => Ok(Value::Known(1)),
        }
    }

    /// The end of a step that changed the queue of an entry.
    fn serve_entry(&self, run: Run<'_, 'p>, entry: EntryId, what: What, out: &mut Vec<Outcome>) {
        match self.program.entries[entry.index()].owner {
            Owner::Object(object) => self.serve(run, object, out, |_| what.clone()),
            Owner::Task(_) => out.push(run.done(what)),
        }
    }

    /// Ends a protected action: the lock, free in `run`, goes to a queued caller whose barrier is
    /// open, if there is one. A barrier that raises an exception fails the calls in all queues of the object; it need
    /// not be looked at if another one is open.
    fn serve(
        &self,
        mut run: Run<'_, 'p>,
        object: ObjectId,
        out: &mut Vec<Outcome>,
        what: impl Fn(Option<(TaskId, EntryId)>) -> What,
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
                out.push(run.done(What::Unsupported));
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
    fn serve_all(&self, run: Run<'_, 'p>, what: What, out: &mut Vec<Outcome>) {
        let mut outcomes = vec![run.done(what)];
        for object in (0..self.program.objects.len()).map(ObjectId::from) {
            outcomes = self.serve_each(outcomes, object);
        }
        out.extend(outcomes);
    }

    /// Goes on with steps that may have changed the queues of an object: whoever is inside serves them in the end.
    fn serve_each(&self, outcomes: Vec<Outcome>, object: ObjectId) -> Vec<Outcome> {
        let mut next = Vec::new();
        for outcome in outcomes {
            let waits = |e: &EntryId| !outcome.state.queues[e.index()].is_empty();
            let idle = outcome.state.locks[object.index()] == Lock::Free;
            if !idle || !self.object_entries[object.index()].iter().any(waits) {
                next.push(outcome);
                continue;
            }
            let what = outcome.step.what.clone();
            self.serve(Run::after(self, outcome), object, &mut next, |_| what.clone());
        }
        next
    }

    /// The alternatives of a waiting task that would accept a call on the entry now.
    fn ready_alternatives(&self, state: &State, owner: TaskId, entry: EntryId) -> Vec<usize> {
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

    fn select(&self, run: Run<'_, 'p>, task: TaskId, loc: Loc, out: &mut Vec<Outcome>) {
        let Action::Select { alternatives, otherwise, delays, terminate } = &self.program.node(loc).action
        else {
            return;
        };
        if self.plain_selects[loc.index()] && self.accepts(&run, task, loc, alternatives, out) {
            return;
        }
        // Guards in order: alternatives, delays, terminate. The entry index of an alternative is
        // evaluated with its guard.
        let mut open = Open::default();
        let mut unknown = Vec::new();
        let guards = alternatives
            .iter()
            .map(|a| a.guard.as_ref())
            .chain(delays.iter().map(|d| d.0.as_ref()))
            .chain(terminate.iter().map(|t| t.as_ref()));
        for (i, guard) in guards.enumerate() {
            let value = match guard {
                Some(guard) => self.program.eval(&run.state, guard),
                None => Ok(Value::Known(1)),
            };
            match value {
                Ok(Value::Known(0)) => {}
                Ok(Value::Known(_)) => open.set(i),
                Ok(Value::Any) => unknown.push(i),
                Err(exception) => {
                    let mut run = run;
                    run.raise(task, exception, false);
                    out.push(run.done(What::Ran));
                    return;
                }
            }
        }
        if unknown.len() > UNKNOWN_GUARDS {
            return out.push(run.stop_with(What::Unsupported));
        }
        for choice in 0..1u64 << unknown.len() {
            let mut run = run.clone();
            run.guessed |= !unknown.is_empty();
            let mut open = open;
            for (bit, guard) in unknown.iter().enumerate() {
                if choice >> bit & 1 == 1 {
                    open.set(*guard);
                }
            }
            let mut any_ready = false;
            for (i, alternative) in alternatives.iter().enumerate() {
                if !open.get(i) {
                    continue;
                }
                let entry = match self.program.eval(&run.state, &alternative.entry) {
                    Ok(Value::Known(entry)) => EntryId(entry as u32),
                    Ok(Value::Any) => {
                        out.push(run.done(What::Unsupported));
                        return;
                    }
                    Err(exception) => {
                        run.raise(task, exception, false);
                        out.push(run.done(What::Ran));
                        return;
                    }
                };
                any_ready |= self.accept(&run, task, entry, (loc, i), out);
            }
            if any_ready {
                continue;
            }
            if let Some(otherwise) = otherwise {
                run.go(task, *otherwise);
                out.push(run.done(What::Otherwise));
            } else if open.is_empty() {
                run.raise(task, ExceptionId::PROGRAM_ERROR, true);
                out.push(run.done(What::Ran));
            } else {
                run.state.tasks[task.index()].wait = Wait::Select { open };
                out.push(run.done(What::Waits));
            }
        }
    }

    /// Accepts the first caller of an entry by an alternative of a select statement; whether there is one.
    fn accept(
        &self,
        run: &Run<'_, 'p>,
        task: TaskId,
        entry: EntryId,
        (loc, alternative): (Loc, usize),
        out: &mut Vec<Outcome>,
    ) -> bool {
        let Some(&caller) = run.state.queues[entry.index()].first() else { return false };
        let mut run = run.clone();
        run.state.queues[entry.index()].remove(0);
        let whole = run.start_rendezvous(caller, task, entry, loc, alternative);
        out.push(run.done(What::Accepted { caller: caller.task, acceptor: task, entry, whole }));
        true
    }

    /// The entry of an alternative of a select statement that is open, if somebody waits there.
    fn wanted(&self, state: &State, alternative: &Alternative) -> Option<EntryId> {
        let entry = alternative.entry.constant().map(|e| EntryId(e as u32))?;
        let open = |guard: &Expr| self.program.eval(state, guard) != Ok(Value::Known(0));
        (!state.queues[entry.index()].is_empty() && alternative.guard.as_ref().is_none_or(open))
            .then_some(entry)
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

    /// Accepts whoever waits, looking at no other guards than theirs; whether there was anybody.
    fn accepts(
        &self,
        run: &Run<'_, 'p>,
        task: TaskId,
        loc: Loc,
        alternatives: &[Alternative],
        out: &mut Vec<Outcome>,
    ) -> bool {
        let before = out.len();
        for (i, alternative) in alternatives.iter().enumerate() {
            if let Some(entry) = self.wanted(&run.state, alternative) {
                self.accept(run, task, entry, (loc, i), out);
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

    fn requeue(
        &self,
        mut run: Run<'_, 'p>,
        task: TaskId,
        entry: EntryId,
        with_abort: bool,
        next: Loc,
        out: &mut Vec<Outcome>,
    ) {
        // A requeue to another object starts a protected action there: its lock must be free.
        if let Owner::Object(target) = self.program.entries[entry.index()].owner
            && !matches!(run.state.locks[target.index()], Lock::Free)
            && run.state.locks[target.index()] != Lock::Write(task)
        {
            return;
        }
        let Some((caller, object)) = run.end_for_requeue(task, with_abort, next) else {
            run.raise(task, ExceptionId::PROGRAM_ERROR, false);
            out.push(run.done(What::Ran));
            return;
        };
        let what = What::Requeued { caller: caller.task, entry };
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
        mut run: Run<'_, 'p>,
        caller: Caller,
        entry: EntryId,
        with_abort: bool,
        what: &What,
        out: &mut Vec<Outcome>,
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

    #[allow(clippy::too_many_arguments)]
    fn start_async(
        &self,
        mut run: Run<'_, 'p>,
        task: TaskId,
        loc: Loc,
        trigger: &Trigger,
        abortable: Loc,
        triggered: Loc,
        out: &mut Vec<Outcome>,
    ) {
        let ts = &run.state.tasks[task.index()];
        let transfer =
            Transfer { site: loc, frames: ts.frames.len() as u16, trigger: Pending::Delay, leaving: false };
        match trigger {
            Trigger::Delay => {
                let mut expired = run.clone();
                expired.go(task, triggered);
                out.push(expired.done(What::Transferred));
                run.state.tasks[task.index()].transfers.push(transfer);
                run.go(task, abortable);
                out.push(run.done(What::Ran));
            }
            Trigger::Call { entry, .. } => {
                let entry = match self.program.eval(&run.state, entry) {
                    Ok(Value::Known(entry)) => EntryId(entry as u32),
                    Ok(Value::Any) => {
                        out.push(run.done(What::Unsupported));
                        return;
                    }
                    Err(exception) => {
                        run.raise(task, exception, false);
                        out.push(run.done(What::Ran));
                        return;
                    }
                };
                // A call that is taken at once is an ordinary one: the abortable part never
                // starts. Otherwise it is queued as the trigger of this transfer.
                run.forget_results(Caller { task, level: 0 }, entry);
                let probe = CallMode::Conditional { otherwise: loc };
                let mut middle = Vec::new();
                self.call_entry(run.clone(), Caller { task, level: 0 }, entry, Some(&probe), &mut middle);
                for outcome in middle {
                    if outcome.step.what != What::Otherwise {
                        out.push(outcome);
                        continue;
                    }
                    let mut run = run.clone();
                    run.guessed = outcome.step.guessed;
                    let level = run.state.tasks[task.index()].transfers.len() as u8 + 1;
                    run.state.tasks[task.index()].transfers.push(transfer);
                    run.enqueue(Caller { task, level }, entry, true);
                    run.go(task, abortable);
                    self.serve_entry(run, entry, What::Queued(entry), out);
                }
            }
        }
    }
}

/// How deep recursion is followed if nobody says otherwise.
pub const DEFAULT_RECURSION: usize = 32;

/// A select statement with more guards that are not known is not followed.
const UNKNOWN_GUARDS: usize = 16;

/// Up to this many values a cell's range is enumerated when the environment sets it.
pub const HAVOC_VALUES: i64 = 16;
