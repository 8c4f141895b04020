//! Candidates for deadlocks, found in the code.
//!
//! A search for deadlocks needs a target, and "nobody can move" says nothing about direction. This file looks for
//! circles of calls such that each call waits for a task that is at the next one. A call waits for its server, or for
//! somebody who opens its barrier. Who can help is whoever must use the server or object that way next, after the call
//! at which it stands; the server itself may be in a call, or at a select that accepts only what others would call.
//! Servers that stand between two calls are part of the candidate, with the place where they must be.
//!
//! Circles are found breadth first from each call, so each is a shortest one through its start. A circle in which a
//! task would have to be at two places is dropped. Among the others, only those with fewest members are kept, because
//! larger ones are often made of small ones that are not really there. If a candidate is reached, everything needed for
//! the deadlock is at its place; if none exists, the goal is that everybody waits somewhere.
//!
//! Nothing depends on a candidate being real. It only guides the search, and a finding is judged on the state that was
//! reached (`rendez_verdict`).

use std::collections::VecDeque;

use rendez_analysis::access::Access;
use rendez_model::code::{closure, each_written};
use rendez_model::{Action, CallMode, EntryId, Loc, ObjectId, Owner, Program, TaskId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a task may wait at an action, perhaps for ever.
pub fn may_wait(action: &Action) -> bool {
    matches!(
        action,
        Action::EntryCall { .. }
            | Action::Select { .. }
            | Action::Activate { .. }
            | Action::Await { .. }
            | Action::Lock { .. }
            | Action::Requeue { .. }
            | Action::Async { .. }
            | Action::EndAsync { .. }
            | Action::Terminate
            | Action::Complete { .. }
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Resource {
    Task(TaskId),
    Object(ObjectId),
}

/// A call that may wait for ever.
struct WaitingCall {
    task: TaskId,
    loc: Loc,
    entries: Vec<EntryId>,
}

/// What a task does first with a resource after some place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum First {
    Calls(Vec<EntryId>),
    /// The cells that a protected action writes.
    Writes(Vec<VarId>),
}

/// The call that somebody else is at, and the place of the server between.
type WaitLink = (usize, Option<(TaskId, Loc)>);

/// At most so many sets.
const MOST: usize = 200;

/// Circles of calls with the places of the servers between: task, place, and whether it is a server.
pub fn candidates(program: &Program, access: &Access) -> Vec<Vec<(TaskId, Loc, bool)>> {
    let calls = calls(program, access);
    if calls.len() > 4_000 {
        return Vec::new();
    }
    // By resource: the calls after which the task must do something with it, and what.
    let mut holders: FxHashMap<Resource, Vec<(usize, Vec<First>)>> = FxHashMap::default();
    for (i, call) in calls.iter().enumerate() {
        // Who waits for something does not hold it yet.
        let awaited: Vec<Resource> = call.entries.iter().map(|e| owner(program, *e)).collect();
        for (resource, first) in next_uses(program, access, call) {
            if awaited.contains(&resource) {
                continue;
            }
            holders.entry(resource).or_default().push((i, first));
        }
    }
    let selects = selects(program, access);
    let links: Vec<Vec<WaitLink>> =
        calls.iter().map(|call| links(program, &calls, call, &holders, &selects)).collect();
    let mut sets: Vec<Vec<(TaskId, Loc, bool)>> = Vec::new();
    let mut seen = FxHashSet::default();
    for start in 0..calls.len() {
        let Some(circle) = circle(&links, start) else { continue };
        let mut set = Vec::new();
        for (call, via) in circle {
            set.push((calls[call].task, calls[call].loc, false));
            set.extend(via.map(|(task, loc)| (task, loc, true)));
        }
        set.sort();
        set.dedup();
        // Nobody is at two places.
        if set.windows(2).any(|w| w[0].0 == w[1].0) || !seen.insert(set.clone()) {
            continue;
        }
        sets.push(set);
        if sets.len() >= MOST {
            break;
        }
    }
    // Larger circles are often made of smaller ones that are not there.
    let fewest = sets.iter().map(Vec::len).min();
    sets.retain(|s| Some(s.len()) == fewest);
    sets
}

fn calls(program: &Program, access: &Access) -> Vec<WaitingCall> {
    let mut all = Vec::new();
    for (t, code) in access.code.iter().enumerate() {
        for loc in code {
            if let Action::EntryCall { entry, mode: CallMode::Plain, .. } = &program.node(*loc).action {
                let entries = program.possible_entries(entry);
                all.push(WaitingCall { task: TaskId::from(t), loc: *loc, entries });
            }
        }
    }
    all
}

/// The places at which each task accepts, with the entries it accepts there, if it may wait for ever.
fn selects(program: &Program, access: &Access) -> FxHashMap<TaskId, Vec<(Loc, Vec<EntryId>)>> {
    let mut all: FxHashMap<TaskId, Vec<(Loc, Vec<EntryId>)>> = FxHashMap::default();
    for (t, code) in access.code.iter().enumerate() {
        for loc in code {
            if let Action::Select { alternatives, otherwise: None, delays, .. } = &program.node(*loc).action
                && delays.is_empty()
            {
                let entries = alternatives.iter().flat_map(|a| program.possible_entries(&a.entry)).collect();
                all.entry(TaskId::from(t)).or_default().push((*loc, entries));
            }
        }
    }
    all
}

fn owner(program: &Program, entry: EntryId) -> Resource {
    match program.entries[entry.index()].owner {
        Owner::Task(task) => Resource::Task(task),
        Owner::Object(object) => Resource::Object(object),
    }
}

/// For each server and object that the task of a call uses: what it does with it first after the call.
fn next_uses(program: &Program, access: &Access, call: &WaitingCall) -> Vec<(Resource, Vec<First>)> {
    let code = &access.code[call.task.index()];
    let uses = Uses::new(program, code);
    let with_first = |resource: Resource| {
        let first = uses.first_after(call.loc, resource);
        (!first.is_empty()).then_some((resource, first))
    };
    uses.resources.iter().filter_map(|resource| with_first(*resource)).collect()
}

/// What an action does with servers and objects.
fn uses_at(program: &Program, loc: Loc) -> Vec<(Resource, First)> {
    match &program.node(loc).action {
        Action::EntryCall { entry, .. } => {
            let entries = program.possible_entries(entry);
            let mut owners: Vec<Resource> = entries.iter().map(|e| owner(program, *e)).collect();
            owners.sort();
            owners.dedup();
            owners.into_iter().map(|r| (r, First::Calls(entries.clone()))).collect()
        }
        Action::Lock { object, .. } => {
            let inside = region(program, loc, *object);
            vec![(Resource::Object(*object), First::Writes(written(program, &inside)))]
        }
        _ => Vec::new(),
    }
}

/// A call of a procedure.
struct CallSite {
    at: Loc,
    start: Loc,
    /// What follows the call.
    next: Loc,
}

/// What the code of a task does with servers and objects, and its calls of procedures.
struct Uses<'p> {
    program: &'p Program,
    by_loc: FxHashMap<Loc, Vec<(Resource, First)>>,
    resources: Vec<Resource>,
    sites: Vec<CallSite>,
    /// By start of a callee: everything that it may execute.
    inside: FxHashMap<Loc, FxHashSet<Loc>>,
}

impl<'p> Uses<'p> {
    fn new(program: &'p Program, code: &[Loc]) -> Uses<'p> {
        let by_loc: FxHashMap<Loc, Vec<(Resource, First)>> =
            code.iter().map(|loc| (*loc, uses_at(program, *loc))).collect();
        let mut resources: Vec<Resource> = by_loc.values().flatten().map(|u| u.0).collect();
        resources.sort();
        resources.dedup();
        let mut inside: FxHashMap<Loc, FxHashSet<Loc>> = FxHashMap::default();
        let mut sites = Vec::new();
        for loc in code {
            if let Action::Call { proc, next, .. } = &program.node(*loc).action {
                let start = program.procs[proc.index()].start;
                sites.push(CallSite { at: *loc, start, next: *next });
                inside
                    .entry(start)
                    .or_insert_with(|| closure(program, vec![start], |_| true).into_iter().collect());
            }
        }
        Uses { program, by_loc, resources, sites, inside }
    }

    /// What is done first with a resource after a call: forwards from there, over calls that do not use it.
    fn first_after(&self, call: Loc, resource: Resource) -> Vec<First> {
        let program = self.program;
        let used_at = |loc: &Loc| self.by_loc.get(loc).into_iter().flatten().any(|(r, _)| *r == resource);
        let mut first: Vec<First> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut entered = FxHashSet::default();
        let mut work: Vec<Loc> = Vec::new();
        program.node(call).action.each_successor(|l| work.push(l));
        while let Some(loc) = work.pop() {
            if !seen.insert(loc) {
                continue;
            }
            if used_at(&loc) {
                for (_, what) in self.by_loc[&loc].iter().filter(|(r, _)| *r == resource) {
                    if !first.contains(what) {
                        first.push(what.clone());
                    }
                }
                continue;
            }
            match &program.node(loc).action {
                Action::Call { proc, next, .. } => {
                    let start = program.procs[proc.index()].start;
                    if self.inside[&start].iter().any(used_at) {
                        entered.insert(loc);
                        work.push(start);
                    } else {
                        work.push(*next);
                    }
                }
                Action::Return => work.extend(self.returns(loc, &entered)),
                action => action.each_successor(|l| work.push(l)),
            }
        }
        first
    }

    /// Where a return leads: to where its graph was entered from; from anywhere, if that was before the call.
    fn returns(&self, loc: Loc, entered: &FxHashSet<Loc>) -> Vec<Loc> {
        let here = |s: &&CallSite| self.inside[&s.start].contains(&loc);
        let known = self.sites.iter().filter(here).filter(|s| entered.contains(&s.at));
        let known: Vec<Loc> = known.map(|s| s.next).collect();
        match known.is_empty() {
            true => self.sites.iter().filter(here).map(|s| s.next).collect(),
            false => known,
        }
    }
}

/// The places from the lock of an object to its release.
fn region(program: &Program, lock: Loc, object: ObjectId) -> Vec<Loc> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut work = Vec::new();
    program.node(lock).action.each_successor(|l| work.push(l));
    while let Some(loc) = work.pop() {
        if !seen.insert(loc) {
            continue;
        }
        order.push(loc);
        match &program.node(loc).action {
            Action::Unlock { object: o, .. } if *o == object => {}
            Action::Call { proc, next, .. } => {
                order.extend(closure(program, vec![program.procs[proc.index()].start], |_| true));
                work.push(*next);
            }
            action => action.each_successor(|l| work.push(l)),
        }
    }
    order
}

fn written(program: &Program, locs: &[Loc]) -> Vec<VarId> {
    let mut cells = Vec::new();
    for loc in locs {
        each_written(program, &program.node(*loc).action, |cell| cells.push(cell));
    }
    cells.sort();
    cells.dedup();
    cells
}

/// Who else may be waiting so that a call waits for ever: the call it is at, and the place of the
/// server between.
fn links(
    program: &Program,
    calls: &[WaitingCall],
    call: &WaitingCall,
    holders: &FxHashMap<Resource, Vec<(usize, Vec<First>)>>,
    selects: &FxHashMap<TaskId, Vec<(Loc, Vec<EntryId>)>>,
) -> Vec<WaitLink> {
    let mut all = Vec::new();
    for entry in &call.entries {
        let resource = owner(program, *entry);
        let others = || {
            holders.get(&resource).into_iter().flatten().filter(|(other, _)| calls[*other].task != call.task)
        };
        match resource {
            Resource::Task(server) => {
                // The server is in a call itself.
                all.extend((0..calls.len()).filter(|c| calls[*c].task == server).map(|c| (c, None)));
                for (place, accepted) in selects.get(&server).into_iter().flatten() {
                    if accepted.contains(entry) {
                        continue;
                    }
                    let helps = |f: &First| match f {
                        First::Calls(entries) => entries.iter().all(|e| accepted.contains(e)),
                        First::Writes(_) => false,
                    };
                    let held = others().filter(|(_, first)| first.iter().all(helps));
                    all.extend(held.map(|(other, _)| (*other, Some((server, *place)))));
                }
            }
            Resource::Object(_) => {
                let Some(barrier) = &program.entries[entry.index()].barrier else { continue };
                let mut cells = Vec::new();
                barrier.each_cell(program, &mut |cell| cells.push(cell));
                let writes = |f: &First| match f {
                    First::Writes(list) => list.iter().any(|c| cells.contains(c)),
                    First::Calls(entries) => {
                        !entries.contains(entry)
                            && entries.iter().any(|e| {
                                let body = program.bodies.iter().find(|(key, _)| key.1 == *e);
                                body.is_some_and(|(_, proc)| {
                                    let start = program.procs[proc.index()].start;
                                    let inside = closure(program, vec![start], |_| true);
                                    written(program, &inside).iter().any(|c| cells.contains(c))
                                })
                            })
                    }
                };
                let held = others().filter(|(_, first)| first.iter().all(writes));
                all.extend(held.map(|(other, _)| (*other, None)));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// A shortest circle through a call.
fn circle(links: &[Vec<WaitLink>], start: usize) -> Option<Vec<WaitLink>> {
    let mut from: Vec<Option<WaitLink>> = vec![None; links.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(call) = queue.pop_front() {
        for (next, via) in &links[call] {
            if from[*next].is_none() {
                from[*next] = Some((call, *via));
                queue.push_back(*next);
            }
        }
        if from[start].is_some() {
            break;
        }
    }
    let mut all = Vec::new();
    let mut at = start;
    loop {
        let (call, via) = from[at]?;
        all.push((call, via));
        at = call;
        if at == start {
            return Some(all);
        }
    }
}
