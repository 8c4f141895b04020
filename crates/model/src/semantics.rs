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
//! decide nothing (`definite_assignment.rs` in `analysis`), so that a step reads only what matters to it.
//!
//! This file dispatches; each construct has a file of its own in `semantics/`. `run.rs` is a step in the making, and the
//! other files extend it by what their constructs do to a state.
//!
//! The semantics knows no engine. It reads and writes the state through watched vectors (`watch.rs`), which is how
//! engines learn what a step depends on. It was tested against GNAT: logs of compiled programs must be sequences of
//! events of the model, and the tests of chapter 9 of ACATS are run. Both, and random programs, found most of its
//! errors (docs/soundness.md).

mod abort;
mod activation;
mod data;
mod entry_call;
mod exceptions;
mod monitoring;
mod procedure;
mod protected;
mod rendezvous;
mod requeue;
mod run;
mod select;
mod termination;
mod transfer;

use std::sync::OnceLock;

use crate::expr::Value;
use crate::monitor::Sight;
use crate::program::*;
use crate::state::*;
use run::StepRun;

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
pub struct Successor {
    pub state: State,
    pub step: Step,
}

/// What happened in a step, for people and for properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub task: TaskId,
    pub loc: Loc,
    pub what: StepEvent,
    /// Exceptions raised in the course of the step.
    pub raised: Vec<Raised>,
    /// The step is one of several only because the model does not know a value.
    pub guessed: bool,
    /// What monitors may have seen, one event after the other, until it is decided.
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
pub enum StepEvent {
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
    pub fn step(&self, state: &State, mv: Move) -> Option<Successor> {
        let mut out = Vec::new();
        self.successors(state, mv.task, &mut out);
        out.into_iter().nth(mv.choice as usize)
    }

    /// Every step that one task can make, in a fixed order.
    pub fn successors(&self, state: &State, task: TaskId, out: &mut Vec<Successor>) {
        if self.program.monitors.is_empty() {
            return self.steps(state, task, out);
        }
        let mut plain = Vec::new();
        self.steps(state, task, &mut plain);
        for outcome in plain {
            self.monitored(state, outcome, out);
        }
    }

    pub fn entries_of_task(&self, task: TaskId) -> &[EntryId] {
        &self.task_entries[task.index()]
    }

    pub fn entries_of_object(&self, object: ObjectId) -> &[EntryId] {
        &self.object_entries[object.index()]
    }

    fn steps(&self, state: &State, task: TaskId, out: &mut Vec<Successor>) {
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
            Wait::Select { open } => self.select_times_out(state, task, open, out),
            Wait::Activation => self.end_activation(state, task, out),
        }
    }

    /// The steps of a task that waits for nothing: the action at its location.
    fn act(&self, state: &State, task: TaskId, out: &mut Vec<Successor>) {
        let action = &self.program.node(state.tasks[task.index()].pc).action;
        let mut run = StepRun::new(self, state.clone(), task);
        run.looks_at(action);
        out.push(match action {
            Action::Skip { next } | Action::Event { next, .. } | Action::Delay { next } => run.goes_to(*next),
            Action::Assign { to, value, next } => self.assign(run, to, value, *next),
            Action::Havoc { to, next } => return self.havoc(run, task, to, *next, out),
            Action::Branch { cond, yes, no } => return self.branch(run, cond, (*yes, *no), out),
            Action::Choose { targets } => return self.choose(&run, targets, out),
            Action::Assert { cond, next, .. } => return self.assert(run, cond, *next, out),
            Action::Call { proc, args, .. } => self.call_procedure(run, *proc, args),
            Action::Return => self.return_from_procedure(run),
            Action::EntryCall { entry, mode, .. } => return self.entry_call(run, entry, mode, out),
            Action::Select { .. } => return self.select(run, out),
            Action::EndAccept { next } => self.end_accept(run, *next),
            Action::FailAccept { occurrence } => self.fail_accept(run, *occurrence),
            Action::Requeue { entry, with_abort, next } => {
                return self.requeue(run, entry, *with_abort, *next, out);
            }
            Action::Lock { object, mode, next } => {
                return out.extend(self.lock(run, *object, *mode, *next));
            }
            Action::Unlock { object, next } => return self.unlock(run, *object, *next, out),
            Action::Close { object, next } => self.close(run, *object, *next),
            Action::Allocate { pool, to, next } => self.allocate(run, pool, to, *next),
            Action::Activate { tasks, next } => self.activate(run, tasks, *next),
            Action::Activated { next } => self.activated(run, *next),
            Action::Abandon { tasks, next } => self.abandon(state, run, tasks, *next),
            Action::Complete { next } => self.complete(run, *next),
            Action::Await { masters, next } => {
                return self.await_dependents(state, run, masters, *next, out);
            }
            Action::Terminate => self.terminate(run),
            Action::Abort { tasks, next } => return self.abort_tasks(run, tasks, *next, out),
            Action::Defer { next } => self.defer(run, *next),
            Action::Undefer { next } => self.undefer(run, *next),
            Action::Raise { exception, by_tasking } => self.raise(run, exception, *by_tasking),
            Action::Resume { occurrence } => self.resume(run, *occurrence),
            Action::Async { trigger, abortable, triggered } => {
                return self.start_async(run, trigger, (*abortable, *triggered), out);
            }
            Action::EndAsync { next } => return self.end_async(run, *next, out),
            Action::Stop { .. } => run.stop(),
            // The step is possible once, so that a search sees it; then nothing follows.
            Action::Unsupported { .. } => run.stop_with(StepEvent::Unsupported),
        });
    }
}

/// How deep recursion is followed if nobody says otherwise.
pub const DEFAULT_RECURSION: usize = 32;

/// Up to this many values a cell's range is enumerated when the environment sets it.
pub const HAVOC_VALUES: i64 = 16;
