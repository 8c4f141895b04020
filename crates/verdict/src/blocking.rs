//! Which tasks are blocked, and in which way: one definition for all engines.
//!
//! In a state where tasks are known never to continue, this file says for each of them why it waits and who could end
//! the wait, and gives each its place in one finding. Waiting for one another is a directed graph. A strongly connected
//! component with somebody in a call is a circular wait (the circular-wait condition of Coffman, Elphick and Shoshani,
//! *System deadlocks*, 1971, with the tasks that could help in place of the holder of a resource); tasks that wait for
//! members of a circle stand behind it. Other callers are blocked clients, and servers that nobody calls any more are
//! idle.
//!
//! Ada has no single holder. Who could help is found in the code: everything that a task may still execute from where
//! it is, with the calls and writes in it. A barrier has as helpers the tasks that may still change what it reads, a
//! server the tasks that may still call it. This set is over-approximated, because the code is followed without data.
//! That affects the name of a finding (a client may be called part of a circle), never whether the finding exists.
//! Exceptions are followed only from actions that may raise one, in the sense in which slicing decides it, so the name
//! is the same before and after slicing.
//!
//! Which tasks get stuck later may change what a blocked task is part of. `is_final` says when it cannot: a circle
//! stays a circle, and a task outside of any stays outside if everybody for whom it waits, directly or not, is stuck,
//! too.
//!
//! Engines used to have definitions of their own, and disagreed: a circle beside tasks that continue was not called
//! one, for instance.

use std::collections::HashMap;

use rendez_model::code::{closure_by, each_written};
use rendez_model::semantics::Semantics;
use rendez_model::state::{Lock, Pending, State, Status, Wait};
use rendez_model::{Action, EntryId, Expr, Loc, ObjectId, Owner, Program, TaskId, Trigger, Value, VarId};
use rendez_source::Span;

use crate::finding::Kind;
use crate::observation::alive;
use crate::wait_reason::{Doing, WaitCause, WaitReason};
use rendez_analysis::components;

/// A task that waits: why, and for whom.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub task: TaskId,
    pub span: Span,
    pub reason: WaitReason,
    /// The tasks that could end the wait.
    pub on: Vec<TaskId>,
    /// The entry that it called, or that is to be called.
    pub entry: Option<EntryId>,
    /// The variables that decide whether it ends.
    pub cells: Vec<VarId>,
    pub role: WaiterRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaiterRole {
    /// In an entry call, queued or in a rendezvous.
    Client,
    /// At an accept or select.
    Server,
    /// For dependents, or for an activation.
    Parent,
    /// At a select that it leaves by terminating as soon as everybody else is ready to.
    Leaving,
}

/// Tasks that wait for ever in one way.
#[derive(Clone, Debug)]
pub struct Blocked {
    pub kind: Kind,
    /// Those that it is about.
    pub tasks: Vec<TaskId>,
    /// Those that wait behind them.
    pub behind: Vec<TaskId>,
    /// Why all of these wait.
    pub waiting: Vec<Waiting>,
}

/// Describes every task that waits in a state.
pub fn why_blocked(semantics: &Semantics, state: &State) -> Vec<Waiting> {
    let program = semantics.program;
    let tasks = (0..state.tasks.len()).map(TaskId::from);
    let waiting = tasks.filter_map(|task| {
        let ts = &state.tasks[task.index()];
        if !alive(ts.status) || program.tasks[task.index()].background {
            return None;
        }
        let mut wait = wait_of(semantics, state, task)?;
        let triggers = add_triggers(semantics, state, task, &mut wait.on);
        let (entry, cells) = match ts.wait {
            Wait::Queued { entry, .. } => (Some(entry), barrier_cells(program, entry)),
            Wait::Select { .. } => (semantics.open_entries(state, task).first().copied(), Vec::new()),
            _ => (None, Vec::new()),
        };
        let reason = WaitReason { cause: wait.cause, triggers };
        Some(Waiting {
            task,
            span: program.node(ts.pc).span,
            reason,
            on: wait.on,
            entry,
            cells,
            role: wait.role,
        })
    });
    waiting.collect()
}

/// What a task waits for, apart from its triggering calls.
struct OwnWait {
    cause: WaitCause,
    on: Vec<TaskId>,
    role: WaiterRole,
}

impl OwnWait {
    /// A task in a call, or before one.
    fn client(cause: WaitCause, on: Vec<TaskId>) -> OwnWait {
        OwnWait { cause, on, role: WaiterRole::Client }
    }

    /// A task that waits for its dependents, or for those that it activates.
    fn parent(cause: WaitCause, on: Vec<TaskId>) -> OwnWait {
        OwnWait { cause, on, role: WaiterRole::Parent }
    }
}

/// What a task waits for, if it waits.
fn wait_of(semantics: &Semantics, state: &State, task: TaskId) -> Option<OwnWait> {
    let program = semantics.program;
    let ts = &state.tasks[task.index()];
    Some(match (ts.wait, &program.node(ts.pc).action) {
        (Wait::Queued { entry, .. }, _) => queued(semantics, state, task, entry),
        (Wait::Rendezvous { acceptor }, _) => in_rendezvous(program, state, task, acceptor),
        (Wait::Select { .. }, Action::Select { .. }) => at_select(semantics, state, task),
        (Wait::Activation, Action::Activate { tasks, .. }) => {
            OwnWait::parent(WaitCause::Activation, activating(program, state, tasks))
        }
        (_, Action::Await { masters, .. }) => {
            let on = semantics.dependents(state, masters);
            let names = on.iter().map(|t| program.tasks[t.index()].name.clone()).collect();
            OwnWait::parent(WaitCause::Dependents(names), on)
        }
        (_, Action::Lock { object, .. }) => {
            let name = program.objects[object.index()].name.clone();
            OwnWait::client(WaitCause::Lock { object: name }, holders(semantics, state, task, *object))
        }
        (
            _,
            Action::EntryCall { entry, .. }
            | Action::Requeue { entry, .. }
            | Action::Async { trigger: Trigger::Call { entry, .. }, .. },
        ) => before_call(semantics, state, task, entry)?,
        (_, Action::EndAsync { .. }) => {
            OwnWait::client(WaitCause::TriggeringCall, servers_of_trigger(state, task))
        }
        _ => return None,
    })
}

/// A call waits in the queue of an entry.
fn queued(semantics: &Semantics, state: &State, task: TaskId, entry: EntryId) -> OwnWait {
    let program = semantics.program;
    let name = program.entry_name(entry);
    match program.entries[entry.index()].owner {
        Owner::Task(owner) => {
            let meanwhile = doing(semantics, state, owner)
                .map(|doing| (program.tasks[owner.index()].name.clone(), doing));
            OwnWait::client(
                WaitCause::Acceptance { entry: name, meanwhile },
                vec![starter(program, state, owner)],
            )
        }
        Owner::Object(object) => {
            let values = barrier_values(program, state, object, entry);
            OwnWait::client(
                WaitCause::Barrier { entry: name, values },
                helpers(semantics, state, task, entry),
            )
        }
    }
}

/// A call is being served.
fn in_rendezvous(program: &Program, state: &State, task: TaskId, acceptor: TaskId) -> OwnWait {
    let served = state.tasks[acceptor.index()].accepts.iter().find(|r| r.caller.task == task);
    let entry = served.map(|r| program.entry_name(r.entry));
    let acceptor_name = program.tasks[acceptor.index()].name.clone();
    OwnWait::client(WaitCause::Rendezvous { acceptor: acceptor_name, entry }, vec![acceptor])
}

/// A task waits at an accept or select.
fn at_select(semantics: &Semantics, state: &State, task: TaskId) -> OwnWait {
    let open = semantics.open_entries(state, task);
    let entries = open.iter().map(|e| semantics.program.entry_name(*e)).collect();
    let or_terminate = semantics.at_terminate(state, task);
    OwnWait {
        cause: WaitCause::Call { entries, or_terminate },
        on: callers(semantics, state, task, &open),
        role: if or_terminate { WaiterRole::Leaving } else { WaiterRole::Server },
    }
}

/// A task cannot make its call yet; None if it is not known which call that is.
fn before_call(semantics: &Semantics, state: &State, task: TaskId, entry: &Expr) -> Option<OwnWait> {
    let program = semantics.program;
    let Ok(Value::Known(entry)) = program.eval(state, entry) else { return None };
    let entry = EntryId(entry as u32);
    let on = match program.entries[entry.index()].owner {
        Owner::Object(object) => holders(semantics, state, task, object),
        Owner::Task(owner) => vec![owner],
    };
    Some(OwnWait::client(WaitCause::BeforeCall { entry: program.entry_name(entry) }, on))
}

/// The queued triggering calls of a task, and, added to `on`, who could serve them: serving one of them ends whatever the
/// task does, but a rendezvous.
fn add_triggers(semantics: &Semantics, state: &State, task: TaskId, on: &mut Vec<TaskId>) -> Vec<String> {
    let (program, ts) = (semantics.program, &state.tasks[task.index()]);
    let mut triggers = Vec::new();
    if matches!(ts.wait, Wait::Rendezvous { .. }) {
        return triggers;
    }
    for transfer in ts.transfers.iter().filter(|t| !t.leaving) {
        let Pending::Queued { entry, .. } = transfer.trigger else { continue };
        triggers.push(program.entry_name(entry));
        on.extend(match program.entries[entry.index()].owner {
            Owner::Task(owner) => vec![starter(program, state, owner)],
            Owner::Object(_) => helpers(semantics, state, task, entry),
        });
    }
    on.sort();
    on.dedup();
    triggers
}

/// The first variables that the barrier of an entry looks at, with their values. Components of its own object have short
/// names.
fn barrier_values(
    program: &Program,
    state: &State,
    object: ObjectId,
    entry: EntryId,
) -> Vec<(String, String)> {
    let prefix = format!("{}.", program.objects[object.index()].name);
    let known = barrier_cells(program, entry).into_iter().filter_map(|cell| {
        let name = &program.vars[cell.index()].name;
        let Value::Known(value) = state.vars[cell.index()] else { return None };
        let value = program.value_name(cell, value);
        Some((name.strip_prefix(&prefix).unwrap_or(name).to_owned(), value))
    });
    known.take(4).collect()
}

/// The variables that the barrier of an entry looks at.
fn barrier_cells(program: &Program, entry: EntryId) -> Vec<VarId> {
    let mut cells: Vec<VarId> = Vec::new();
    if let Some(barrier) = &program.entries[entry.index()].barrier {
        barrier.each_cell(program, &mut |cell| {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        });
    }
    cells
}

/// Whoever is in a protected action of an object, or, for all that the code tells, may be reading it.
fn holders(semantics: &Semantics, state: &State, task: TaskId, object: ObjectId) -> Vec<TaskId> {
    let releases = |loc: &Loc| matches!(semantics.program.node(*loc).action, Action::Unlock { object: o, .. } if o == object);
    match state.locks[object.index()] {
        Lock::Write(holder) => vec![holder],
        Lock::Free => Vec::new(),
        Lock::Read(_) => (0..state.tasks.len())
            .map(TaskId::from)
            .filter(|t| *t != task && alive(state.tasks[t.index()].status))
            .filter(|t| future(semantics, state, *t, None).iter().any(releases))
            .collect(),
    }
}

/// A task that accepts calls, or whoever is to start it.
fn starter(program: &Program, state: &State, task: TaskId) -> TaskId {
    match (state.tasks[task.index()].status, program.tasks[task.index()].master) {
        (Status::Unborn | Status::Created, Some(master)) => program.masters[master.index()].owner,
        _ => task,
    }
}

/// Those of some tasks that are still being activated.
fn activating(program: &Program, state: &State, tasks: &[Expr]) -> Vec<TaskId> {
    let started = tasks.iter().filter_map(|t| match program.eval(state, t) {
        Ok(Value::Known(t)) => Some(TaskId(t as u32)),
        _ => None,
    });
    started.filter(|t| state.tasks[t.index()].status == Status::Activating).collect()
}

/// Those that serve the triggering call of an asynchronous select.
fn servers_of_trigger(state: &State, task: TaskId) -> Vec<TaskId> {
    let serves = |t: &TaskId| {
        let ts = &state.tasks[t.index()];
        let bodies = ts.frames.iter().filter_map(|f| f.serving);
        ts.accepts.iter().map(|r| r.caller).chain(bodies).any(|c| c.task == task)
    };
    (0..state.tasks.len()).map(TaskId::from).filter(|t| *t != task && serves(t)).collect()
}

/// What a task that does not accept a call is doing.
fn doing(semantics: &Semantics, state: &State, task: TaskId) -> Option<Doing> {
    let program = semantics.program;
    match state.tasks[task.index()].wait {
        Wait::Queued { entry, .. } => Some(Doing::Queued { entry: program.entry_name(entry) }),
        Wait::Select { .. } => {
            let open = semantics.open_entries(state, task);
            let entries = open.iter().map(|e| program.entries[e.index()].name.clone()).collect();
            Some(Doing::Accepts { entries })
        }
        _ => None,
    }
}

/// Where a task may still go: its location and those its calls return to.
fn future(semantics: &Semantics, state: &State, task: TaskId, not: Option<EntryId>) -> Vec<Loc> {
    let program = semantics.program;
    let ts = &state.tasks[task.index()];
    let mut starts = Vec::new();
    let handlers = program.caught_at(ts.pc).0;
    // A task that waits in a call goes on behind it, one that waits for the end of others never by an exception.
    match (ts.wait, &program.node(ts.pc).action) {
        (Wait::Queued { .. } | Wait::Rendezvous { .. }, action) => {
            action.each_successor(|l| starts.push(l));
            starts.extend(handlers);
        }
        (Wait::Nothing, action @ Action::Await { .. }) => action.each_successor(|l| starts.push(l)),
        _ => starts.push(ts.pc),
    }
    for frame in &ts.frames {
        program.node(frame.site).action.each_successor(|l| starts.push(l));
        // An exception may leave what was called there.
        starts.extend(program.caught_at(frame.site).0);
        starts.extend(frame.serving.map(|_| frame.site));
    }
    // Where an abortable part is left, control goes on behind its trigger.
    for transfer in &ts.transfers {
        program.node(transfer.site).action.each_successor(|l| starts.push(l));
        starts.extend(program.caught_at(transfer.site).0);
    }
    let mut locs = code_from(semantics, starts);
    // Entry bodies that it may run, except that of the entry in question.
    let mut bodies = Vec::new();
    for loc in &locs {
        if let Action::EntryCall { entry, .. } = &program.node(*loc).action {
            for e in semantics.program.possible_entries(entry) {
                if Some(e) != not
                    && let Some(proc) = program.bodies.get(&(task, e))
                {
                    bodies.push(program.procs[proc.index()].start);
                }
            }
        }
    }
    locs.extend(code_from(semantics, bodies));
    locs
}

/// Everything reachable from some locations, through calls, and through the handlers of what may raise an exception.
fn code_from(semantics: &Semantics, starts: Vec<Loc>) -> Vec<Loc> {
    let program = semantics.program;
    closure_by(program, starts, |loc, work| {
        let node = program.node(loc);
        node.action.each_successor(|next| work.push(next));
        if let Action::Call { proc, .. } = &node.action {
            work.push(program.procs[proc.index()].start);
        }
        if semantics.may_raise(loc) {
            work.extend(program.caught_at(loc).0);
        }
    })
}

/// The tasks that could still call one of the entries.
fn callers(semantics: &Semantics, state: &State, server: TaskId, open: &[EntryId]) -> Vec<TaskId> {
    let program = semantics.program;
    (0..state.tasks.len())
        .map(TaskId::from)
        .filter(|t| *t != server && alive(state.tasks[t.index()].status))
        .filter(|t| {
            future(semantics, state, *t, None).iter().any(|loc| match &program.node(*loc).action {
                Action::EntryCall { entry, .. } | Action::Requeue { entry, .. } => {
                    semantics.program.possible_entries(entry).iter().any(|e| open.contains(e))
                }
                _ => false,
            })
        })
        .collect()
}

/// The tasks that could still change what the barrier of a protected entry looks at.
fn helpers(semantics: &Semantics, state: &State, client: TaskId, entry: EntryId) -> Vec<TaskId> {
    let program = semantics.program;
    let Some(barrier) = &program.entries[entry.index()].barrier else { return Vec::new() };
    let cells = barrier_cells(program, entry);
    let mut counted: Vec<EntryId> = Vec::new();
    barrier.walk(&mut |e| {
        if let Expr::Count(e) = e {
            counted.extend(semantics.program.possible_entries(e));
        }
    });
    (0..state.tasks.len())
        .map(TaskId::from)
        .filter(|t| *t != client && alive(state.tasks[t.index()].status))
        .filter(|t| changes(semantics, &future(semantics, state, *t, Some(entry)), &cells, &counted))
        .collect()
}

fn changes(semantics: &Semantics, locs: &[Loc], cells: &[VarId], counted: &[EntryId]) -> bool {
    let program = semantics.program;
    locs.iter().any(|loc| {
        let action = &program.node(*loc).action;
        let mut found = false;
        each_written(program, action, |cell| found |= cells.contains(&cell));
        if let Action::EntryCall { entry, .. } = action
            && !counted.is_empty()
        {
            found |= semantics.program.possible_entries(entry).iter().any(|e| counted.contains(e));
        }
        found
    })
}

/// The tasks that are stuck in a state in which nobody can move, or only the environment.
pub fn all_stuck(program: &Program, state: &State) -> Vec<TaskId> {
    let counts = |t: &TaskId| alive(state.tasks[t.index()].status) && !program.tasks[t.index()].background;
    (0..state.tasks.len()).map(TaskId::from).filter(counts).collect()
}

/// In which ways the tasks are blocked that are stuck in a state of a bottom component.
pub fn kinds_of_blocking(semantics: &Semantics, state: &State, stuck: &[TaskId]) -> Vec<Blocked> {
    let mut waiting = why_blocked(semantics, state);
    waiting.retain(|w| stuck.contains(&w.task));
    let mut all = classify(&waiting);
    // The environment may stop calling at any time.
    all.retain(|b| !semantics.program.open || b.kind != Kind::ServerIdle);
    if all.is_empty() && semantics.enabled(state).is_empty() && !waiting.is_empty() && !semantics.program.open
    {
        // Nobody can move, though nobody is in a call or waits for one.
        let tasks = waiting.iter().map(|w| w.task).collect();
        all.push(Blocked { kind: Kind::ClientBlocked, tasks, behind: Vec::new(), waiting });
    }
    all
}

/// Whether a kind of blocking stays what it is when more tasks get stuck. A circle does; a task outside of
/// any becomes part of one only if somebody whom it waits for, directly or not, still goes on.
pub fn is_final(semantics: &Semantics, state: &State, blocked: &Blocked, stuck: &[TaskId]) -> bool {
    if blocked.kind == Kind::CircularWait {
        return true;
    }
    // Who is not started yet may come to be waited for.
    if state.tasks.iter().any(|t| matches!(t.status, Status::Unborn | Status::Created)) {
        return false;
    }
    let waiting = why_blocked(semantics, state);
    let mut seen = blocked.tasks.clone();
    let mut work = blocked.tasks.clone();
    while let Some(task) = work.pop() {
        let Some(w) = waiting.iter().find(|w| w.task == task) else { return false };
        for on in w.on.iter().filter(|t| alive(state.tasks[t.index()].status)) {
            if !stuck.contains(on) {
                return false;
            }
            if !seen.contains(on) {
                seen.push(*on);
                work.push(*on);
            }
        }
    }
    true
}

/// Gives each of some stuck tasks its place in one finding.
fn classify(waiting: &[Waiting]) -> Vec<Blocked> {
    let place: HashMap<TaskId, u32> = waiting.iter().enumerate().map(|(i, w)| (w.task, i as u32)).collect();
    let next: Vec<Vec<u32>> =
        waiting.iter().map(|w| w.on.iter().filter_map(|t| place.get(t).copied()).collect()).collect();
    let new = |kind, tasks| Blocked { kind, tasks, behind: Vec::new(), waiting: Vec::new() };
    let mut all: Vec<Blocked> = Vec::new();
    // By task: the finding that it belongs to.
    let mut of: Vec<Option<usize>> = vec![None; waiting.len()];
    for circle in circles(waiting, &next) {
        circle.iter().for_each(|i| of[*i] = Some(all.len()));
        all.push(new(Kind::CircularWait, named(waiting, &circle)));
    }
    let within: Vec<bool> = of.iter().map(Option::is_some).collect();
    join(&next, &mut of, all.len());
    for (i, w) in waiting.iter().enumerate() {
        if let (Some(b), false, WaiterRole::Client | WaiterRole::Server) = (of[i], within[i], w.role) {
            all[b].behind.push(w.task);
        }
    }
    for (role, kind) in [(WaiterRole::Client, Kind::ClientBlocked), (WaiterRole::Server, Kind::ServerIdle)] {
        let rest: Vec<usize> =
            (0..waiting.len()).filter(|i| of[*i].is_none() && waiting[*i].role == role).collect();
        if !rest.is_empty() {
            rest.iter().for_each(|i| of[*i] = Some(all.len()));
            all.push(new(kind, rest.iter().map(|i| waiting[*i].task).collect()));
        }
    }
    join(&next, &mut of, all.len());
    for (w, of) in waiting.iter().zip(&of) {
        // Who is about to terminate waits for everybody.
        let first = (w.role == WaiterRole::Leaving && !all.is_empty()).then_some(0);
        if let Some(b) = of.or(first) {
            all[b].waiting.push(w.clone());
        }
    }
    all
}

/// Lets those who belong nowhere join the first finding that they wait for, directly or not.
fn join(next: &[Vec<u32>], of: &mut [Option<usize>], count: usize) {
    for finding in 0..count {
        let mut more = true;
        while std::mem::take(&mut more) {
            for i in 0..of.len() {
                if of[i].is_none() && next[i].iter().any(|n| of[*n as usize] == Some(finding)) {
                    of[i] = Some(finding);
                    more = true;
                }
            }
        }
    }
}

/// The largest sets of tasks in which everybody waits, directly or not, for everybody else, and somebody is
/// in a call. Servers that could call each other, but wait for calls, are idle all the same.
fn circles(waiting: &[Waiting], next: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for component in components(waiting.len(), |s, k| next[s as usize].get(k).copied()) {
        let mut circle: Vec<usize> = component.into_iter().map(|i| i as usize).collect();
        circle.sort_unstable();
        let circular = circle.len() > 1 || next[circle[0]].contains(&(circle[0] as u32));
        if circular && circle.iter().any(|i| waiting[*i].role == WaiterRole::Client) {
            all.push(circle);
        }
    }
    all.sort();
    all
}

/// Those of a circle that are in a call; if there is only one, the others, too.
fn named(waiting: &[Waiting], circle: &[usize]) -> Vec<TaskId> {
    let tasks = |only: &dyn Fn(&Waiting) -> bool| -> Vec<TaskId> {
        circle.iter().map(|i| &waiting[*i]).filter(|w| only(w)).map(|w| w.task).collect()
    };
    let clients = tasks(&|w| w.role == WaiterRole::Client);
    if clients.len() > 1 { clients } else { tasks(&|_| true) }
}
