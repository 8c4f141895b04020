//! Who waits for whom, and which kind of blocking it is.

use std::collections::HashMap;

use rendez_model::access::{closure, each_written};
use rendez_model::semantics::Semantics;
use rendez_model::state::{Lock, State, Wait};
use rendez_model::{Action, EntryId, Expr, Loc, Owner, Program, TaskId, Value, VarId};
use rendez_source::Span;

use crate::components::components;
use crate::finding::Kind;
use crate::seen::alive;

/// A task that waits: why, and for whom.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub task: TaskId,
    pub span: Span,
    pub reason: String,
    /// The tasks that could end the wait.
    pub on: Vec<TaskId>,
    /// The entry that it called, or that is to be called.
    pub entry: Option<EntryId>,
    /// The variables that decide whether it ends.
    pub cells: Vec<VarId>,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In an entry call, queued or in a rendezvous.
    Client,
    /// At an accept or select.
    Server,
    /// For dependents, or for an activation.
    Parent,
}

/// Describes every task that waits in a state.
pub fn why_blocked(semantics: &Semantics, state: &State) -> Vec<Waiting> {
    let program = semantics.program;
    let mut all = Vec::new();
    for (t, ts) in state.tasks.iter().enumerate() {
        if !alive(ts.status) || program.tasks[t].background {
            continue;
        }
        let task = TaskId::from(t);
        let node = program.node(ts.pc);
        let name = |e: EntryId| program.entry_name(e);
        let (reason, on, role) = match (ts.wait, &node.action) {
            (Wait::Queued { entry, .. }, _) => match program.entries[entry.index()].owner {
                Owner::Task(owner) => {
                    let why = match doing(semantics, state, owner) {
                        Some(what) => format!(" ({} {what})", program.tasks[owner.index()].name),
                        None => String::new(),
                    };
                    (format!("waits for {} to be accepted{why}", name(entry)), vec![owner], Role::Client)
                }
                Owner::Object(object) => {
                    let prefix = format!("{}.", program.objects[object.index()].name);
                    let now: Vec<String> = barrier_cells(program, entry)
                        .into_iter()
                        .filter_map(|cell| {
                            let name = &program.vars[cell.index()].name;
                            let Value::Known(value) = state.vars[cell.index()] else { return None };
                            let value = program.value_name(cell, value);
                            Some(format!("{} = {value}", name.strip_prefix(&prefix).unwrap_or(name)))
                        })
                        .take(4)
                        .collect();
                    let now = if now.is_empty() { String::new() } else { format!(" ({})", now.join(", ")) };
                    (
                        format!("waits for the barrier of {} to open{now}", name(entry)),
                        helpers(semantics, state, task, entry),
                        Role::Client,
                    )
                }
            },
            (Wait::Rendezvous { acceptor }, _) => {
                let entry = state.tasks[acceptor.index()]
                    .accepts
                    .iter()
                    .find(|r| r.caller.task == task)
                    .map_or(String::new(), |r| format!(" of {}", name(r.entry)));
                let acceptor_name = &program.tasks[acceptor.index()].name;
                (
                    format!("waits for {acceptor_name} to end the rendezvous{entry}"),
                    vec![acceptor],
                    Role::Client,
                )
            }
            (Wait::Select { .. }, Action::Select { .. }) => {
                let open = semantics.open_entries(state, task);
                let names: Vec<String> = open.iter().map(|e| name(*e)).collect();
                let terminate = if semantics.at_terminate(state, task) { " or to terminate" } else { "" };
                (
                    format!("waits for a call of {}{terminate}", names.join(" or ")),
                    callers(semantics, state, task, &open),
                    Role::Server,
                )
            }
            (Wait::Activation, _) => {
                let on: Vec<TaskId> = (0..state.tasks.len())
                    .map(TaskId::from)
                    .filter(|t| state.tasks[t.index()].status == rendez_model::state::Status::Activating)
                    .collect();
                ("waits for the activation of its tasks".into(), on, Role::Parent)
            }
            (_, Action::Await { masters, .. }) => {
                let on = semantics.dependents(state, masters);
                let names: Vec<&str> = on.iter().map(|t| program.tasks[t.index()].name.as_str()).collect();
                (format!("waits for the end of {}", names.join(", ")), on, Role::Parent)
            }
            (_, Action::Lock { object, .. }) => {
                let on = holder(state, object.index());
                let object = &program.objects[object.index()].name;
                (format!("waits for protected object {object}"), on, Role::Client)
            }
            (_, Action::EntryCall { entry, .. }) => match program.eval(state, entry) {
                Ok(Value::Known(e)) => {
                    let entry = EntryId(e as u32);
                    let on = match program.entries[entry.index()].owner {
                        Owner::Object(object) => holder(state, object.index()),
                        Owner::Task(owner) => vec![owner],
                    };
                    (format!("is about to call {}", name(entry)), on, Role::Client)
                }
                _ => continue,
            },
            (_, Action::EndAsync { .. }) => {
                ("waits for the end of the triggering call".into(), Vec::new(), Role::Client)
            }
            _ => continue,
        };
        let cells = match ts.wait {
            Wait::Queued { entry, .. } => barrier_cells(program, entry),
            _ => Vec::new(),
        };
        let entry = match ts.wait {
            Wait::Queued { entry, .. } => Some(entry),
            Wait::Select { .. } => semantics.open_entries(state, task).first().copied(),
            _ => None,
        };
        all.push(Waiting { task, span: node.span, reason, on, entry, cells, role });
    }
    all
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

fn holder(state: &State, object: usize) -> Vec<TaskId> {
    match state.locks[object] {
        Lock::Write(task) => vec![task],
        _ => Vec::new(),
    }
}

/// In a few words, what a task that does not accept is doing.
fn doing(semantics: &Semantics, state: &State, task: TaskId) -> Option<String> {
    let program = semantics.program;
    let ts = &state.tasks[task.index()];
    match ts.wait {
        Wait::Queued { entry, .. } => Some(format!("is itself waiting in {}", program.entry_name(entry))),
        Wait::Select { .. } => {
            let names: Vec<String> = semantics
                .open_entries(state, task)
                .iter()
                .map(|e| program.entries[e.index()].name.clone())
                .collect();
            Some(format!("accepts only {}", names.join(" or ")))
        }
        _ => None,
    }
}

/// Where a task may still go: its location and those its calls return to.
fn future(semantics: &Semantics, state: &State, task: TaskId, not: Option<EntryId>) -> Vec<Loc> {
    let program = semantics.program;
    let ts = &state.tasks[task.index()];
    let mut starts = Vec::new();
    // A task that waits in a call goes on behind it.
    match (ts.wait, &program.node(ts.pc).action) {
        (Wait::Queued { .. } | Wait::Rendezvous { .. }, action) => action.each_successor(|l| starts.push(l)),
        _ => starts.push(ts.pc),
    }
    starts.extend(program.handlers_at(ts.pc).map(|c| c.1));
    for frame in &ts.frames {
        program.node(frame.site).action.each_successor(|l| starts.push(l));
        starts.extend(frame.serving.map(|_| frame.site));
    }
    let mut locs = closure(program, starts, |_| true);
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
    locs.extend(closure(program, bodies, |_| true));
    locs
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

/// What kind of blocking a state is in which nobody can move; None if it is none.
pub fn kind_of_blocking(semantics: &Semantics, state: &State) -> Option<Kind> {
    let (kind, _) = classify(&why_blocked(semantics, state))?;
    // The environment may stop calling at any time.
    (!semantics.program.open || kind != Kind::ServerIdle).then_some(kind)
}

/// What kind of blocking it is that some tasks are stuck, whom to name, and why they wait.
pub fn kind_of_stuck(
    semantics: &Semantics,
    state: &State,
    stuck: &[TaskId],
) -> Option<(Kind, Vec<TaskId>, Vec<Waiting>)> {
    let mut waiting = why_blocked(semantics, state);
    waiting.retain(|w| stuck.contains(&w.task));
    // The circle is among those that are stuck.
    waiting.iter_mut().for_each(|w| w.on.retain(|t| stuck.contains(t)));
    let (kind, named) = classify(&waiting)?;
    (kind != Kind::ServerIdle).then_some((kind, named, waiting))
}

/// Tells the kinds of blocking apart. `stuck` are the tasks that can never go on.
pub fn classify(waiting: &[Waiting]) -> Option<(Kind, Vec<TaskId>)> {
    let clients: Vec<&Waiting> = waiting.iter().filter(|w| w.role == Role::Client).collect();
    if clients.is_empty() {
        let servers: Vec<TaskId> =
            waiting.iter().filter(|w| w.role == Role::Server).map(|w| w.task).collect();
        return match servers.is_empty() {
            false => Some((Kind::ServerIdle, servers)),
            // Only parents wait: for a task that is stuck in a way of its own.
            true if waiting.is_empty() => None,
            true => Some((Kind::ClientBlocked, waiting.iter().map(|w| w.task).collect())),
        };
    }
    match cycle(waiting) {
        Some(tasks) => Some((Kind::CircularWait, tasks)),
        None => Some((Kind::ClientBlocked, clients.iter().map(|w| w.task).collect())),
    }
}

/// The tasks that wait for each other: the largest set in which everybody waits, directly or not,
/// for everybody else. Named are the callers in it; if there is only one, the others, too.
fn cycle(waiting: &[Waiting]) -> Option<Vec<TaskId>> {
    let place: HashMap<TaskId, u32> = waiting.iter().enumerate().map(|(i, w)| (w.task, i as u32)).collect();
    // A master waits for its tasks anyway; that closes no circle of its own.
    let next: Vec<Vec<u32>> = waiting
        .iter()
        .map(|w| {
            let on = w.on.iter().filter_map(|t| place.get(t).copied());
            on.filter(|i| waiting[*i as usize].role != Role::Parent).collect()
        })
        .collect();
    let mut best: Option<Vec<TaskId>> = None;
    for component in components(waiting.len(), |s, k| next[s as usize].get(k).copied()) {
        let circular = component.len() > 1 || next[component[0] as usize].contains(&component[0]);
        let members = component.iter().map(|i| &waiting[*i as usize]);
        let client = |w: &&Waiting| w.role == Role::Client;
        if !circular || !members.clone().any(|w| client(&w)) {
            continue;
        }
        let mut circle: Vec<TaskId> = members.clone().map(|w| w.task).collect();
        circle.sort();
        let mut clients: Vec<TaskId> = members.filter(client).map(|w| w.task).collect();
        clients.sort();
        let named = if clients.len() > 1 { clients } else { circle };
        if best.as_ref().is_none_or(|b| (named.len(), &b[..]) > (b.len(), &named[..])) {
            best = Some(named);
        }
    }
    best
}
