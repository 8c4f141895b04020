//! What the code says about units: where tasks rest, what a step there may read and write, and what comes before.
//!
//! This file computes the static half of the stubborn sets (Valmari, LNCS 483, 1991): for every location at which a
//! task can rest, an over-approximation of the slots that its step may read and write, of the units that lead there,
//! and, for an entry call, of the units that bring the acceptor to an accept statement. A step is followed through
//! everything local behind it up to the next resting place, through handlers where an action may raise an exception,
//! and through returns to all call sites.
//!
//! A larger set of conflicts is always right: it only puts more units into a stubborn set. The details all serve to
//! include an effect that a step has on somebody else:
//! - A call carries on what the acceptor does after it, so what the acceptor reads and writes counts for the caller
//!   too.
//! - Whoever ends a protected action, completes, or activates tasks sets waiting tasks going; what these do locally is
//!   part of the step.
//! - A step that moves a task from outside is an *intruder*: it stands with the predecessors of every unit of that
//!   task.
//! - A step that a monitor may see writes the monitor's cell, and the end of the main program reads all of them.
//!
//! The end of a task has a mark of its own beside its slot. Without it, every step of a task would conflict with
//! whoever waits for its end; with it, the ends of different tasks are independent. A master that waits for several
//! tasks needs just one living task in the set, the cheapest.
//!
//! Until the mistake was found, a task that reads a variable of the enclosing task did not depend on the writes of that
//! task, and a wait that never ends was missed (docs/soundness.md).

use std::sync::Arc;

use rendez_analysis::access::Access;
use rendez_model::code::{closure_by, each_written};
use rendez_model::{
    Action, CallMode, EntryId, Expr, Loc, Owner, Place, ProcId, Program, Task, TaskId, VarId,
};
use rendez_petri::slots::Slots;
use rendez_petri::steps::Steps;
use rendez_petri::unobservable::Unobservable;
use rustc_hash::FxHashMap;

use super::{Stubborn, Unit};
use crate::maybe_number::MaybeNumber;

/// The code of all tasks as one graph.
pub struct CodeGraph<'a> {
    program: &'a Program,
    access: &'a Access,
    unobservable: &'a Unobservable,
    slots: &'a Slots,
    /// By location: the procedure it belongs to.
    proc_of: Vec<Option<ProcId>>,
    /// By procedure: the locations from which it is called, as a procedure or as an entry body.
    sites: Vec<Vec<Loc>>,
    task_of: Vec<Option<TaskId>>,
    completes: Vec<bool>,
    /// By task: it may end before its activation is over.
    dies_early: Vec<bool>,
    /// By task: it has a terminate alternative.
    may_terminate: Vec<bool>,
    fails: Vec<bool>,
    /// By location: tasks must be seen to stop here.
    stops: &'a [bool],
}

impl<'a> CodeGraph<'a> {
    pub fn new(steps: &'a Steps<'_, 'a>, slots: &'a Slots) -> Self {
        let (program, access, unobservable) = (steps.semantics.program, &steps.access, &steps.unobservable);
        let n = program.nodes.len();
        let mut proc_of = vec![None; n];
        for p in 0..program.procs.len() {
            for loc in program.reachable(program.procs[p].start) {
                proc_of[loc.index()] = Some(ProcId::from(p));
            }
        }
        let mut task_of = vec![None; n];
        let mut sites = vec![Vec::new(); program.procs.len()];
        for (t, code) in access.code.iter().enumerate() {
            for loc in code {
                task_of[loc.index()] = Some(TaskId::from(t));
                match &program.node(*loc).action {
                    Action::Call { proc, .. } => sites[proc.index()].push(*loc),
                    Action::EntryCall { entry, .. } => {
                        for e in program.possible_entries(entry) {
                            if let Some(body) = program.bodies.get(&(TaskId::from(t), e)) {
                                sites[body.index()].push(*loc);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        let terminates =
            |l: &Loc| matches!(program.node(*l).action, Action::Select { terminate: Some(_), .. });
        let mut code = CodeGraph {
            program,
            access,
            unobservable,
            slots,
            proc_of,
            sites,
            task_of,
            completes: vec![false; program.tasks.len()],
            dies_early: Vec::new(),
            may_terminate: access.code.iter().map(|code| code.iter().any(terminates)).collect(),
            fails: vec![false; program.entries.len()],
            stops: &steps.stops,
        };
        // Which tasks come to their end depends on which calls can fail, and the other way round.
        loop {
            let mut changed = false;
            for t in 0..program.tasks.len() {
                let task = TaskId::from(t);
                for loc in code.reach(vec![program.tasks[t].start], |_| true) {
                    match &program.node(loc).action {
                        Action::Complete { .. } | Action::Terminate => {
                            changed |= !std::mem::replace(&mut code.completes[t], true);
                        }
                        Action::Select { terminate: Some(_), .. } => {
                            changed |= !std::mem::replace(&mut code.completes[t], true);
                        }
                        Action::FailAccept { .. } => {
                            for (e, entry) in program.entries.iter().enumerate() {
                                if entry.owner == Owner::Task(task) {
                                    changed |= !std::mem::replace(&mut code.fails[e], true);
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            if !changed {
                code.dies_early = program.tasks.iter().map(|task| code.dies_early(task)).collect();
                return code;
            }
        }
    }

    /// Whether a task may come to its end before its activation is over.
    fn dies_early(&self, task: &Task) -> bool {
        let active = |l: Loc| matches!(self.program.node(l).action, Action::Activated { .. });
        let ends =
            |l: &Loc| matches!(self.program.node(*l).action, Action::Complete { .. } | Action::Terminate);
        self.reach(vec![task.start], |l| !active(l)).iter().any(ends)
    }

    /// Locations from some on, passing through those that `passes` accepts; others are included
    /// but not passed.
    fn reach(&self, starts: Vec<Loc>, passes: impl Fn(Loc) -> bool) -> Vec<Loc> {
        closure_by(self.program, starts, |loc, work| {
            if passes(loc) {
                self.next(loc, &mut |l| work.push(l));
            }
        })
    }

    /// What a unit may run through, up to where tasks rest. Each location comes with whether the
    /// rendezvous that began with the unit is still going on.
    fn run(&self, starts: Vec<Loc>, own: bool, unit_at: &[MaybeNumber]) -> Vec<(Loc, bool)> {
        let mut seen = vec![[false; 2]; self.program.nodes.len()];
        let mut order = Vec::new();
        let mut work: Vec<(Loc, bool)> = starts.into_iter().map(|l| (l, own)).collect();
        while let Some((loc, own)) = work.pop() {
            if std::mem::replace(&mut seen[loc.index()][usize::from(own)], true) {
                continue;
            }
            order.push((loc, own));
            let action = &self.program.node(loc).action;
            if unit_at[loc.index()] == MaybeNumber::NONE || *action == Action::Return {
                let ends = matches!(action, Action::EndAccept { .. } | Action::FailAccept { .. });
                self.next(loc, &mut |l| work.push((l, own && !ends)));
            }
        }
        order
    }

    /// Where a task may be after the action at a location.
    fn next(&self, loc: Loc, f: &mut dyn FnMut(Loc)) {
        let program = self.program;
        let node = program.node(loc);
        match &node.action {
            Action::Call { proc, .. } => f(program.procs[proc.index()].start),
            Action::Return => {
                if let Some(proc) = self.proc_of[loc.index()] {
                    for site in &self.sites[proc.index()] {
                        program.node(*site).action.each_successor(&mut *f);
                    }
                }
            }
            action => action.each_successor(&mut *f),
        }
        if let Action::EntryCall { entry, .. } = &node.action {
            for e in program.possible_entries(entry) {
                let body = self.task_of[loc.index()].and_then(|t| program.bodies.get(&(t, e)));
                if let Some(body) = body {
                    f(program.procs[body.index()].start);
                }
            }
        }
        if matches!(node.action, Action::Select { terminate: Some(_), .. })
            && let Some(task) = self.task_of[loc.index()]
        {
            f(program.tasks[task.index()].exit);
        }
        if self.may_raise(&node.action) {
            self.handlers(loc, f);
        }
    }

    /// Where an exception raised at a location may go.
    fn handlers(&self, loc: Loc, f: &mut dyn FnMut(Loc)) {
        let mut procs = vec![false; self.program.procs.len()];
        let mut work = vec![loc];
        while let Some(loc) = work.pop() {
            self.program.handlers_at(loc).for_each(|c| f(c.1));
            match self.proc_of[loc.index()] {
                Some(proc) => {
                    if !std::mem::replace(&mut procs[proc.index()], true) {
                        work.extend(&self.sites[proc.index()]);
                    }
                }
                None => {
                    if let Some(task) = self.task_of[loc.index()] {
                        f(self.program.tasks[task.index()].exit);
                    }
                }
            }
        }
    }

    fn may_raise(&self, action: &Action) -> bool {
        let program = self.program;
        match action {
            Action::Raise { .. } | Action::Resume { .. } | Action::FailAccept { .. } => true,
            // Errors of the model itself end an execution otherwise.
            Action::Return | Action::EndAccept { .. } | Action::Lock { .. } | Action::Unlock { .. } => {
                matches!(action, Action::Return)
                    && program.nodes.iter().any(|n| match &n.action {
                        Action::Call { outs, .. } => outs
                            .iter()
                            .any(|(_, place)| matches!(place, Place::Indexed(..)) || narrow(program, place)),
                        _ => false,
                    })
            }
            Action::EntryCall { entry, .. } => {
                entry.may_raise(program)
                    || program.possible_entries(entry).iter().any(|e| {
                        let entry = &program.entries[e.index()];
                        self.fails[e.index()]
                            || match entry.owner {
                                Owner::Task(owner) => self.completes[owner.index()],
                                Owner::Object(object) => {
                                    program.queue_limit.is_some() || program.a_barrier_may_raise(object)
                                }
                            }
                    })
            }
            Action::Select { alternatives, otherwise, delays, terminate } => {
                let guarded = otherwise.is_none()
                    && alternatives.iter().all(|a| a.guard.is_some())
                    && delays.iter().all(|d| d.0.is_some())
                    && !matches!(terminate, Some(None));
                let mut may = guarded;
                action.each_expr(&mut |e| may |= e.may_raise(program));
                may
            }
            Action::Activate { .. } | Action::Allocate { .. } => true,
            action => {
                let mut may = false;
                action.each_expr(&mut |e| may |= e.may_raise(program));
                let narrow = match action {
                    Action::Assign { to, value, .. } => {
                        matches!(to, Place::Indexed(..)) || (narrow(program, to) && !fits(program, to, value))
                    }
                    Action::Havoc { to, .. } => matches!(to, Place::Indexed(..)),
                    _ => false,
                };
                may || narrow
            }
        }
    }

    fn rests(&self, loc: Loc) -> bool {
        if self.stops[loc.index()] {
            return true;
        }
        !self.access.local[loc.index()]
            && !matches!(self.program.node(loc).action, Action::Activate { .. } | Action::Terminate)
            && match self.program.node(loc).action {
                Action::Complete { .. } => {
                    self.task_of[loc.index()].is_some_and(|t| !self.unobservable.completion[t.index()])
                }
                _ => true,
            }
    }

    pub fn stubborn(&self) -> Stubborn {
        let tasks = self.program.tasks.len();
        let slots = self.slots.count_slots();
        // Behind the slots: one mark per task, for its end.
        let marks = slots + tasks;
        let (unit_at, mut units, points) = self.number_units();
        let mut stubborn = Stubborn {
            tasks,
            slots,
            unit_at,
            units: Vec::new(),
            callers: vec![Vec::new(); self.program.entries.len()],
            intruders: vec![Vec::new(); tasks],
            readers: vec![Vec::new(); marks],
            writers: vec![Vec::new(); marks],
        };
        for (u, loc) in points.iter().enumerate() {
            self.describe(u as u32, *loc, &mut units[u], &mut stubborn.callers);
        }
        stubborn.units = units;
        for (u, loc) in points.iter().enumerate() {
            let touched = self.touched_by(u as u32, *loc, &mut stubborn);
            stubborn.depends_on(u as u32, &touched);
        }
        stubborn.carry_on_calls();
        for unit in &mut stubborn.units {
            unit.before.sort_unstable();
            unit.before.dedup();
        }
        let Stubborn { units, intruders, writers, .. } = &mut stubborn;
        let (intruding, ending) = (&*intruders, &writers[slots..]);
        self.meetings(&points, units, |acceptor| [&intruding[acceptor.index()], &ending[acceptor.index()]]);
        stubborn
    }

    /// A unit for each location at which a task may rest; by location its number, the units, and their locations.
    fn number_units(&self) -> (Vec<MaybeNumber>, Vec<Unit>, Vec<Loc>) {
        let program = self.program;
        let mut unit_at = vec![MaybeNumber::NONE; program.nodes.len()];
        let mut units = Vec::new();
        let mut points = Vec::new();
        for (t, code) in self.access.code.iter().enumerate() {
            for loc in code {
                // A return may rest, too, if its results are shared.
                let rests = self.rests(*loc) || program.node(*loc).action == Action::Return;
                if rests && unit_at[loc.index()] == MaybeNumber::NONE {
                    unit_at[loc.index()] = MaybeNumber::of(units.len() as u32);
                    units.push(Unit { task: t as u32, ..Unit::default() });
                    points.push(*loc);
                }
            }
        }
        (unit_at, units, points)
    }

    /// What a unit touches up to where the task rests again. Notes there that the task comes from this unit.
    fn touched_by(&self, id: u32, loc: Loc, stubborn: &mut Stubborn) -> Touched {
        let program = self.program;
        let Stubborn { unit_at, units, callers, readers, .. } = stubborn;
        let u = id as usize;
        let task = units[u].task as usize;
        let mut touched = Touched::new(readers.len(), program.entries.len());
        self.touch(loc, task, &mut touched);
        let mut starts = Vec::new();
        self.next(loc, &mut |l| starts.push(l));
        // The end of the rendezvous that begins here sets only its own caller free.
        let own = matches!(program.node(loc).action, Action::Select { .. });
        for (next, own) in self.run(starts, own, unit_at) {
            let action = &program.node(next).action;
            // Nobody waits at the end of the main program who is alone by then.
            if matches!(action, Action::Await { .. }) {
                self.touch_monitors(action, task, &mut touched);
            }
            let unit = unit_at[next.index()].get();
            if let Some(unit) = unit {
                let accepting = units[u].accepts.clone();
                let before = &mut units[unit as usize].before;
                before.push(id);
                // Somebody's call moves the task on.
                before.extend(accepting.iter().flat_map(|e| &callers[*e as usize]));
            }
            let ends = matches!(action, Action::EndAccept { .. } | Action::FailAccept { .. });
            let passes = unit.is_none() || *action == Action::Return;
            if passes && !(ends && own) {
                self.touch(next, task, &mut touched);
            }
        }
        touched
    }

    /// Where the calls of task entries are accepted, and what brings an acceptor there; `others` move it besides itself.
    fn meetings<'u>(&self, points: &[Loc], units: &mut [Unit], others: impl Fn(TaskId) -> [&'u Vec<u32>; 2]) {
        let program = self.program;
        let mut known: FxHashMap<Vec<EntryId>, [Arc<[u32]>; 2]> = FxHashMap::default();
        for (u, loc) in points.iter().enumerate() {
            let Action::EntryCall { entry, mode: CallMode::Plain, .. } = &program.node(*loc).action else {
                continue;
            };
            let entries = program.possible_entries(entry);
            let owner = |e: &EntryId| match program.entries[e.index()].owner {
                Owner::Task(task) if self.unobservable.entry[e.index()] => Some(task),
                _ => None,
            };
            let Some(acceptor) = entries.first().and_then(owner) else { continue };
            if !entries.iter().all(|e| owner(e) == Some(acceptor)) {
                continue;
            }
            // Calls of the same entries meet the same acceptors.
            let [at, before] = known.entry(entries).or_insert_with_key(|entries| {
                let accepts = |unit: &Unit| {
                    unit.task == acceptor.0 && entries.iter().any(|e| unit.accepts.contains(&e.0))
                };
                let at: Vec<u32> = (0..units.len() as u32).filter(|q| accepts(&units[*q as usize])).collect();
                let own = at.iter().map(|q| &units[*q as usize].before);
                let mut before: Vec<u32> = own.chain(others(acceptor)).flatten().copied().collect();
                before.sort_unstable();
                before.dedup();
                [at.into(), before.into()]
            });
            units[u].acceptor = Some(acceptor.0);
            units[u].accepted_at = at.clone();
            units[u].before_accept = before.clone();
        }
    }

    fn describe(&self, id: u32, loc: Loc, unit: &mut Unit, callers: &mut [Vec<u32>]) {
        match &self.program.node(loc).action {
            Action::EntryCall { entry, .. } => {
                for e in self.program.possible_entries(entry) {
                    if matches!(self.program.entries[e.index()].owner, Owner::Task(_)) {
                        callers[e.index()].push(id);
                    }
                }
            }
            Action::Await { masters, .. } => {
                let dependent = |t: &usize| {
                    let task = &self.program.tasks[*t];
                    let master = task.master.is_some_and(|m| masters.contains(&m));
                    // One at a terminate alternative is ready without having ended.
                    master && !task.background && !self.may_terminate[*t]
                };
                unit.awaits = (0..self.program.tasks.len()).filter(dependent).map(|t| t as u32).collect();
            }
            Action::Select { alternatives, otherwise, delays, .. } => {
                let mut entries: Vec<EntryId> =
                    alternatives.iter().flat_map(|a| self.program.possible_entries(&a.entry)).collect();
                entries.sort();
                entries.dedup();
                unit.inert = otherwise.is_none()
                    && delays.is_empty()
                    && self.unobservable.select[loc.index()]
                    && !self.may_raise(&self.program.node(loc).action)
                    && entries.iter().all(|e| self.unobservable.entry[e.index()]);
                unit.accepts = entries.iter().map(|e| e.0).collect();
            }
            _ => {}
        }
    }

    /// What the action at a location touches beyond the task's own slot.
    fn touch(&self, loc: Loc, task: usize, touched: &mut Touched) {
        let program = self.program;
        let tasks = program.tasks.len();
        let end = |t: usize| self.end_mark(t);
        let action = &program.node(loc).action;
        let slot = |cell: VarId| self.slots.slot_of(cell.0) as usize;
        action.each_expr(&mut |e| e.each_cell(program, &mut |cell| touched.reads[slot(cell)] = true));
        each_written(program, action, |cell| touched.writes[slot(cell)] = true);
        self.touch_monitors(action, task, touched);
        match action {
            Action::Return => {
                for site in self.proc_of[loc.index()].iter().flat_map(|p| &self.sites[p.index()]) {
                    each_written(program, &program.node(*site).action, |cell| {
                        touched.writes[slot(cell)] = true
                    });
                }
            }
            Action::EntryCall { entry, .. } => {
                for e in program.possible_entries(entry) {
                    self.touch_entry(e, touched);
                }
            }
            Action::Lock { object: o, .. } | Action::Unlock { object: o, .. } => {
                self.touch_object(o.index(), touched);
            }
            Action::Select { alternatives, terminate, .. } => {
                if terminate.is_some() {
                    touched.writes[end(task)] = true;
                }
                for e in alternatives.iter().flat_map(|a| program.possible_entries(&a.entry)) {
                    if !self.unobservable.entry[e.index()] {
                        self.touch_callers(e, touched);
                    }
                }
            }
            Action::EndAccept { .. } | Action::FailAccept { .. } => {
                for (e, entry) in program.entries.iter().enumerate() {
                    if entry.owner == Owner::Task(TaskId::from(task)) {
                        self.touch_callers(EntryId::from(e), touched);
                    }
                }
            }
            Action::Activate { tasks: children, .. } => {
                for e in children {
                    for t in possible_tasks(program, e) {
                        self.touch_task(t, touched);
                    }
                }
            }
            Action::Allocate { pool, .. } => pool.iter().for_each(|t| touched.writes[t.index()] = true),
            Action::Abandon { tasks, .. } => {
                for t in tasks {
                    touched.writes[t.index()] = true;
                    touched.writes[end(t.index())] = true;
                }
            }
            Action::Activated { .. } | Action::Complete { .. } | Action::Terminate => {
                // Whoever waits for an activation goes on at once, a master in a step of its own.
                if matches!(action, Action::Activated { .. }) || self.dies_early[task] {
                    self.touch_activators(TaskId::from(task), touched);
                }
                self.touch_end(task, touched);
            }
            Action::Await { .. } => {
                for t in 0..tasks {
                    touched.reads[end(t)] = true;
                    // Tasks at a terminate alternative end with their master.
                    if self.may_terminate[t] && program.tasks[t].master.is_some() {
                        touched.writes[t] = true;
                        touched.writes[end(t)] = true;
                    }
                }
            }
            _ => {}
        }
    }

    /// Behind the slots, the mark for the end of a task.
    fn end_mark(&self, task: usize) -> usize {
        self.slots.count_slots() + task
    }

    /// A call of an entry, up to where it waits.
    fn touch_entry(&self, entry: EntryId, touched: &mut Touched) {
        match self.program.entries[entry.index()].owner {
            Owner::Object(o) => self.touch_object(o.index(), touched),
            Owner::Task(owner) => {
                touched.reads[self.end_mark(owner.index())] = true;
                // A call that really waits in a queue changes the slot of the called task.
                if !self.unobservable.entry[entry.index()] {
                    touched.writes[owner.index()] = true;
                }
            }
        }
    }

    /// A protected action on an object, whose slot comes behind those of tasks.
    fn touch_object(&self, object: usize, touched: &mut Touched) {
        touched.writes[self.program.tasks.len() + object] = true;
        self.touch_barriers(object, touched);
    }

    /// The end of a task, or of its activation: its callers that really wait go on.
    fn touch_end(&self, task: usize, touched: &mut Touched) {
        touched.writes[self.end_mark(task)] = true;
        for (e, entry) in self.program.entries.iter().enumerate() {
            if entry.owner == Owner::Task(TaskId::from(task)) && !self.unobservable.entry[e] {
                self.touch_callers(EntryId::from(e), touched);
            }
        }
    }

    /// What a monitor sees moves it, so that no two such steps change places. When the main program ends, everybody
    /// looks where the monitors are.
    fn touch_monitors(&self, action: &Action, task: usize, touched: &mut Touched) {
        let program = self.program;
        let ends = matches!(action, Action::Await { .. } | Action::Terminate)
            && TaskId::from(task) == TaskId::ENVIRONMENT;
        for monitor in &program.monitors {
            let cell = self.slots.slot_of(monitor.cell.0) as usize;
            touched.writes[cell] |= monitor.watch.iter().any(|(h, _)| h.may_happen_at(program, action));
            touched.reads[cell] |= ends;
        }
    }

    /// Ending a protected action may serve calls that really wait.
    fn touch_barriers(&self, object: usize, touched: &mut Touched) {
        let program = self.program;
        for (e, entry) in program.entries.iter().enumerate() {
            if entry.owner != Owner::Object(object.into()) {
                continue;
            }
            if let Some(barrier) = &entry.barrier {
                let slot = |cell: VarId| self.slots.slot_of(cell.0) as usize;
                barrier.each_cell(program, &mut |cell| touched.reads[slot(cell)] = true);
            }
            if !self.unobservable.entry[e] {
                self.touch_callers(EntryId::from(e), touched);
            }
        }
    }

    /// Everybody who may wait for an entry.
    fn touch_callers(&self, entry: EntryId, touched: &mut Touched) {
        if std::mem::replace(&mut touched.entries[entry.index()], true) {
            return;
        }
        for (t, code) in self.access.code.iter().enumerate() {
            let calls = |loc: &&Loc| match &self.program.node(**loc).action {
                Action::EntryCall { entry: e, .. } => self.program.possible_entries(e).contains(&entry),
                _ => false,
            };
            // It goes on behind its call.
            let mut starts: Vec<Loc> = Vec::new();
            code.iter().filter(calls).for_each(|loc| self.next(*loc, &mut |l| starts.push(l)));
            if !starts.is_empty() {
                touched.writes[t] = true;
                self.touch_on(starts, t, touched);
            }
        }
    }

    /// Everybody who may wait for the activation of a task goes on behind it.
    fn touch_activators(&self, task: TaskId, touched: &mut Touched) {
        for parent in &self.unobservable.activators[task.index()] {
            touched.writes[parent.index()] = true;
            if std::mem::replace(&mut touched.activators[parent.index()], true) {
                continue;
            }
            let activates = |loc: &&Loc| match &self.program.node(**loc).action {
                Action::Activate { tasks, .. } => {
                    tasks.iter().any(|e| possible_tasks(self.program, e).contains(&task))
                }
                _ => false,
            };
            let mut starts: Vec<Loc> = Vec::new();
            let code = self.access.code[parent.index()].iter();
            code.filter(activates).for_each(|loc| self.next(*loc, &mut |l| starts.push(l)));
            self.touch_on(starts, parent.index(), touched);
        }
    }

    /// A task that is set going by others: it may run on locally, whatever that touches.
    fn touch_task(&self, task: TaskId, touched: &mut Touched) {
        touched.writes[task.index()] = true;
        if !touched.tasks[task.index()] {
            touched.tasks[task.index()] = true;
            self.touch_on(vec![self.program.tasks[task.index()].start], task.index(), touched);
        }
    }

    /// What a task touches that runs on locally from somewhere.
    fn touch_on(&self, starts: Vec<Loc>, task: usize, touched: &mut Touched) {
        for loc in self.reach(starts, |_| true) {
            if !self.rests(loc) {
                self.touch(loc, task, touched);
            }
        }
    }
}

impl Stubborn {
    /// Whoever is called or calls goes on, too; what its code touches then is the caller's.
    fn depends_on(&mut self, id: u32, touched: &Touched) {
        let unit = &mut self.units[id as usize];
        for slot in 0..self.slots {
            match (touched.writes[slot], touched.reads[slot]) {
                _ if slot == unit.task as usize => {}
                (true, _) if slot < self.tasks => self.intruders[slot].push(id),
                (true, _) => self.writers[slot].push(id),
                (false, true) => self.readers[slot].push(id),
                (false, false) => {}
            }
        }
        for mark in self.slots..self.slots + self.tasks {
            if touched.writes[mark] {
                self.writers[mark].push(id);
                unit.marks.push(mark as u32);
            }
            if touched.reads[mark] {
                self.readers[mark].push(id);
                unit.looks.push(mark as u32);
            }
        }
    }

    /// A call carries on what the acceptor does after it: its touches belong to the caller.
    fn carry_on_calls(&mut self) {
        let accepting: Vec<(usize, Vec<u32>)> = self
            .units
            .iter()
            .enumerate()
            .filter(|(_, u)| !u.accepts.is_empty())
            .map(|(i, u)| (i, u.accepts.clone()))
            .collect();
        for (select, entries) in accepting {
            for caller in entries.iter().flat_map(|e| self.callers[*e as usize].clone()) {
                let lists = self.readers.iter_mut().chain(&mut self.writers).chain(&mut self.intruders);
                for list in lists {
                    if list.contains(&(select as u32)) && !list.contains(&caller) {
                        list.push(caller);
                    }
                }
                let (marks, looks) = (self.units[select].marks.clone(), self.units[select].looks.clone());
                let caller = &mut self.units[caller as usize];
                caller.marks.extend(marks);
                caller.looks.extend(looks);
            }
        }
    }
}

struct Touched {
    reads: Vec<bool>,
    writes: Vec<bool>,
    tasks: Vec<bool>,
    /// Those that go on because a task of theirs is activated.
    activators: Vec<bool>,
    entries: Vec<bool>,
}

impl Touched {
    fn new(n: usize, entries: usize) -> Touched {
        let no = || vec![false; n];
        Touched { reads: no(), writes: no(), tasks: no(), activators: no(), entries: vec![false; entries] }
    }
}

fn possible_tasks(program: &Program, e: &Expr) -> Vec<TaskId> {
    match e.constant() {
        Some(t) => vec![TaskId(t as u32)],
        None => (0..program.tasks.len()).map(TaskId::from).collect(),
    }
}

/// Whether a value may not fit into a place.
fn narrow(program: &Program, place: &Place) -> bool {
    let mut narrow = false;
    place.each_cell(program, |cell| {
        narrow |= program.vars[cell.index()].domain != rendez_model::Domain::Opaque;
    });
    narrow
}

/// Whether a value surely fits into a place.
fn fits(program: &Program, place: &Place, value: &Expr) -> bool {
    matches!(place, Place::Var(cell) if value.fits(program, *cell))
}
