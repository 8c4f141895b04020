//! Programs in which nobody waits for ever, by their code alone.
//!
//! The proof looks at where an execution could end up: a state in which no task can move, or a bottom strongly
//! connected component. In either, each task has ended, moves for ever, or waits at one location for ever. A location
//! is *excluded* if no task can wait there for ever:
//! - a call, if its server has ended, waits where it would accept the call, or must return again and again to a select
//!   that would accept it and whose accept body ends. Queues are first in, first out, so a call that waits where calls
//!   of its entry are accepted again and again is served;
//! - an accept statement that is passed once, if some task surely calls it;
//! - a barrier, if it reads only components of its own object, and these are surely set, and only to values that open
//!   it.
//!
//! An exclusion may build only on locations that were excluded before. So the excluded set is a least fixpoint, and
//! tasks that wait for each other in a circle never justify each other. Locks must be released: nothing waits inside a
//! protected action except for locks, and the order in which locks are wanted has no cycle. If every location is
//! excluded, and no task can go on for ever without doing anything, the program neither blocks nor spins, however many
//! tasks it has. A select with `terminate` and the wait for dependents are not excluded: if only these are left, the
//! innermost of them ends.
//!
//! Tasks are followed by their control flow only, except the main program, which is followed with its data
//! (`main_unfolding.rs`), so that a loop over an array of tasks is known to call every one of them. The proof is ours; it is not
//! in the papers on which the engines are built. What it does not cover (recursion, requeues, aborts, asynchronous
//! selects, allocators) makes it give up. It is used when a limit is hit, and compared with every finding of the
//! search.
//!
//! Earlier versions missed three things: the body of an accepted call may call back (a random program showed it); a
//! barrier is not evaluated again when a variable elsewhere is set (a program written for it); and a call whose entry
//! is not known may be a second call of the same entry.

use rendez_analysis::access::Access;
use rendez_analysis::passes::{inline, recursive_procedures};
use rendez_model::code::{closure_by, each_written, never_changes, task_code};
use rendez_model::{
    Action, Alternative, CallMode, Cut, Domain, EntryId, Expr, Loc, ObjectId, Owner, Place, Program, Storage,
    TaskId, VarId,
};

use crate::finite;
use crate::main_unfolding::{MainUnfolding, UnfoldedState};

/// The proof goes through the code once for each place at which somebody may wait: so much, and it is given up.
const MOST_WORK: usize = 20_000_000;

/// Whether no task of a program can wait for ever, busily or not.
pub fn never_blocks(program: &Program) -> bool {
    if program.open || program.queue_limit.is_some() || !recursive_procedures(program).is_empty() {
        return false;
    }
    let mut inlined = program.clone();
    inline(&mut inlined, 1);
    let code: Vec<Vec<Loc>> =
        (0..inlined.tasks.len()).map(|t| task_code(&inlined, TaskId::from(t))).collect();
    let covered = |l: &Loc| {
        !matches!(
            inlined.node(*l).action,
            Action::Call { .. }
                | Action::Requeue { .. }
                | Action::Async { .. }
                | Action::Abort { .. }
                | Action::Close { .. }
                | Action::Allocate { .. }
                | Action::Stop { why: Cut::Bound, .. }
                | Action::Unsupported { .. }
        )
    };
    if !code.iter().flatten().all(covered) {
        return false;
    }
    let is_wait =
        |l: &&Loc| matches!(inlined.node(**l).action, Action::EntryCall { .. } | Action::Select { .. });
    if code.iter().flatten().filter(is_wait).count() * inlined.nodes.len() > MOST_WORK {
        return false;
    }
    let ending = finite::ending(program);
    let shared = Access::new(&inlined).shared;
    let mut proof = ProgressProof {
        safe_calls: vec![false; inlined.entries.len()],
        program: &inlined,
        code,
        ending,
        shared,
        fixed: never_changes(&inlined),
        activations_fail: true,
        main: None,
        waits: Vec::new(),
    };
    proof.activations_fail = proof.a_start_may_raise();
    proof.follow_main();
    if !proof.tasks_start() || !proof.locks_are_released() {
        return false;
    }
    proof.waits = proof.all_waits();
    let mut again = true;
    while std::mem::take(&mut again) {
        for i in (0..proof.waits.len()).rev() {
            if proof.is_excluded(&proof.waits[i]) {
                proof.waits.remove(i);
                again = true;
            }
        }
    }
    // Tasks of the environment may wait for ever.
    proof.waits.iter().all(|w| inlined.tasks[w.task.index()].background)
        && (0..inlined.tasks.len()).all(|t| proof.never_spins(TaskId::from(t)))
}

struct ProgressProof<'p> {
    /// Without procedures but the bodies of entries.
    program: &'p Program,
    code: Vec<Vec<Loc>>,
    /// Tasks that cannot move for ever.
    ending: Vec<bool>,
    /// Cells that several tasks access.
    shared: Vec<bool>,
    /// Variables that nobody changes.
    fixed: Vec<bool>,
    activations_fail: bool,
    /// Entries whose calls do not raise an exception.
    safe_calls: Vec<bool>,
    main: Option<MainUnfolding>,
    /// Places at which a task may wait for ever, as far as is known.
    waits: Vec<PossibleWait>,
}

#[derive(Clone, Copy)]
struct PossibleWait {
    task: TaskId,
    loc: Loc,
}

impl ProgressProof<'_> {
    fn action(&self, loc: Loc) -> &Action {
        &self.program.node(loc).action
    }

    /// Where control may go from a location, exceptions included.
    fn next(&self, task: TaskId, loc: Loc) -> Vec<Loc> {
        let mut all = self.action(loc).successors();
        if self.may_raise(loc) {
            let (handlers, escapes) = self.program.caught_at(loc);
            all.extend(handlers);
            all.extend(escapes.then_some(self.program.tasks[task.index()].exit));
        }
        if let Action::EntryCall { entry, .. } = self.action(loc) {
            for e in self.program.possible_entries(entry) {
                let body = self.program.bodies.get(&(task, e));
                all.extend(body.map(|proc| self.program.procs[proc.index()].start));
            }
        }
        all
    }

    fn may_raise(&self, loc: Loc) -> bool {
        self.raises(loc, &Expr::clone)
    }

    /// Whether an action may raise an exception; `fold` says how an expression looks with what is known.
    fn raises(&self, loc: Loc, fold: &dyn Fn(&Expr) -> Expr) -> bool {
        let mut raises = match self.action(loc) {
            Action::Skip { .. }
            | Action::Event { .. }
            | Action::Branch { .. }
            | Action::Choose { .. }
            | Action::Delay { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::EndAccept { .. }
            | Action::Activated { .. }
            | Action::Complete { .. }
            | Action::Await { .. }
            | Action::Stop { .. }
            | Action::Terminate => false,
            Action::Havoc { to: Place::Var(_), .. } => false,
            Action::Activate { .. } => self.activations_fail,
            Action::Assign { to: Place::Var(v), value, .. } => !fold(value).fits(self.program, *v),
            Action::Assign { to: Place::Indexed(table, index), value, .. } => {
                let cell = fold(index).constant().and_then(|i| self.program.at(*table, i).ok());
                !cell.is_some_and(|c| c >= 0 && fold(value).fits(self.program, VarId(c as u32)))
            }
            Action::EntryCall { entry, .. } => {
                let entry = fold(entry).constant().and_then(|e| self.program.entry_number(e));
                !entry.is_some_and(|e| self.safe_calls[e.index()])
            }
            _ => true,
        };
        self.action(loc).each_expr(&mut |e| raises |= fold(e).may_raise(self.program));
        raises
    }

    /// What can be reached from some locations of a task without going past others.
    fn reachable(&self, task: TaskId, from: Vec<Loc>, stop: impl Fn(Loc) -> bool) -> Vec<Loc> {
        closure_by(self.program, from, |loc, work| {
            if !stop(loc) {
                work.extend(self.next(task, loc));
            }
        })
    }

    /// Whether a task may have to wait at a location, for whatever.
    fn is_wait(&self, loc: Loc) -> bool {
        matches!(
            self.action(loc),
            Action::EntryCall { .. }
                | Action::Select { .. }
                | Action::Lock { .. }
                | Action::Activate { .. }
                | Action::Await { .. }
        )
    }

    /// Whether a task surely leaves some locations.
    fn passes(&self, task: TaskId, locs: &[Loc]) -> bool {
        self.ending[task.index()] || finite::ends_within(self.program, task, locs)
    }

    /// What a task does until it is activated.
    fn activation(&self, task: TaskId) -> Vec<Loc> {
        let stop = |l: Loc| matches!(self.action(l), Action::Activated { .. } | Action::Complete { .. });
        self.reachable(task, vec![self.program.tasks[task.index()].start], stop)
    }

    /// Whether the activation of some task may raise an exception.
    fn a_start_may_raise(&self) -> bool {
        (1..self.program.tasks.len())
            .any(|t| self.activation(TaskId::from(t)).iter().any(|l| self.may_raise(*l)))
    }

    /// Whether no activation takes for ever.
    fn tasks_start(&self) -> bool {
        (1..self.program.tasks.len()).map(TaskId::from).all(|task| {
            let before = self.activation(task);
            let waits = |l: &Loc| self.is_wait(*l) && !matches!(self.action(*l), Action::Lock { .. });
            !before.iter().any(waits) && self.passes(task, &before)
        })
    }

    /// Whether whoever has a lock gives it back: nothing waits meanwhile but for locks of which none is
    /// waited for in a circle.
    fn locks_are_released(&self) -> bool {
        let objects = self.program.objects.len();
        let mut wants: Vec<Vec<usize>> = vec![Vec::new(); objects];
        for (t, code) in self.code.iter().enumerate() {
            let task = TaskId::from(t);
            for (o, wants) in wants.iter_mut().enumerate() {
                let object = ObjectId::from(o);
                let mut starts = Vec::new();
                for loc in code {
                    match self.action(*loc) {
                        Action::Lock { object: locked, next, .. } if *locked == object => starts.push(*next),
                        _ => {}
                    }
                }
                for ((of, entry), proc) in &self.program.bodies {
                    if *of == task && self.program.entries[entry.index()].owner == Owner::Object(object) {
                        starts.push(self.program.procs[proc.index()].start);
                    }
                }
                let stop = |l: Loc| matches!(self.action(l), Action::Unlock { object: given, .. } if *given == object);
                let inside = self.reachable(task, starts, stop);
                for loc in &inside {
                    match self.action(*loc) {
                        Action::Lock { object, .. } => wants.push(object.index()),
                        // Whoever is started comes to the end of its activation, if it gets its locks.
                        Action::Activate { tasks, .. } => {
                            for child in tasks.iter().flat_map(|e| self.possible_tasks(e)) {
                                for l in self.activation(child) {
                                    if let Action::Lock { object, .. } = self.action(l) {
                                        wants.push(object.index());
                                    }
                                }
                            }
                        }
                        _ if self.is_wait(*loc) => return false,
                        _ => {}
                    }
                }
                if !self.passes(task, &inside) {
                    return false;
                }
            }
        }
        let lists = |s: u32, k: usize| wants[s as usize].get(k).map(|o| *o as u32);
        rendez_analysis::components(objects, lists)
            .iter()
            .all(|c| c.len() == 1 && !wants[c[0] as usize].contains(&(c[0] as usize)))
    }

    fn possible_tasks(&self, e: &Expr) -> Vec<TaskId> {
        match e.constant() {
            Some(task) => vec![TaskId(task as u32)],
            None => (1..self.program.tasks.len()).map(TaskId::from).collect(),
        }
    }

    fn all_waits(&self) -> Vec<PossibleWait> {
        let mut all = Vec::new();
        for (t, code) in self.code.iter().enumerate() {
            for loc in code {
                let waits = match self.action(*loc) {
                    Action::EntryCall { mode, .. } => *mode == CallMode::Plain,
                    Action::Select { otherwise, delays, terminate, .. } => {
                        otherwise.is_none()
                            && delays.iter().all(|d| d.0.is_some())
                            && !matches!(terminate, Some(None))
                    }
                    _ => false,
                };
                if waits {
                    all.push(PossibleWait { task: TaskId::from(t), loc: *loc });
                }
            }
        }
        all
    }

    fn is_excluded(&self, wait: &PossibleWait) -> bool {
        match self.action(wait.loc) {
            Action::EntryCall { entry, .. } => {
                self.program.possible_entries(entry).iter().all(|e| self.is_served(wait, *e))
            }
            Action::Select { alternatives, .. } => {
                // Passed once, and somebody surely calls.
                let once = |a: &Alternative| {
                    a.guard.is_none()
                        && a.entry.constant().is_some_and(|e| {
                            let entry = EntryId::from(e as usize);
                            self.only_accept(wait.task, entry, wait.loc) && self.is_surely_called(entry)
                        })
                };
                !self.comes_again(wait.task, wait.loc) && alternatives.iter().any(once)
            }
            _ => false,
        }
    }

    /// Whether a call of an entry cannot wait for ever.
    fn is_served(&self, wait: &PossibleWait, entry: EntryId) -> bool {
        let server = match self.program.entries[entry.index()].owner {
            Owner::Object(object) => {
                let barrier = self.program.entries[entry.index()].barrier.as_ref();
                return barrier.is_none_or(|b| self.opens(object, b));
            }
            Owner::Task(server) => server,
        };
        if server == wait.task || !self.is_born(server, wait.task, wait.loc) {
            return false;
        }
        let start = vec![self.program.tasks[server.index()].start];
        // The only call of an entry finds its server where it has accepted none yet.
        let first = match wait.task {
            TaskId::ENVIRONMENT => self.safe_calls[entry.index()] && self.main.is_some(),
            task => self.is_only_call(task, wait.loc, entry),
        };
        let stops = |l: Loc| match first {
            true => self.accepts_only(l, entry),
            false => matches!(self.action(l), Action::Complete { .. }),
        };
        // It waits where it would accept, or it is one that has ended.
        let living = self.reachable(server, start, stops);
        let rests = living.iter().copied().filter(|l| {
            matches!(self.action(*l), Action::Select { terminate: Some(None), .. } | Action::Await { .. })
        });
        let stuck = self.waits.iter().filter(|w| w.task == server).map(|w| w.loc);
        if !stuck.filter(|l| living.contains(l)).chain(rests).all(|l| self.accepts(l, entry)) {
            return false;
        }
        // What follows the first accept statement is not looked at, but the call waits for its body, too.
        if first && !self.bodies_end(server, entry) {
            return false;
        }
        // Or it comes again and again to where it would.
        let elsewhere = |code: &[Loc]| code.iter().copied().filter(|l| !self.accepts(*l, entry)).collect();
        let elsewhere: Vec<Loc> = elsewhere(if first { &living } else { &self.code[server.index()] });
        self.passes(server, &elsewhere)
    }

    /// Whether the bodies of all accept statements for an entry come to their ends, waiting for nothing but locks.
    fn bodies_end(&self, server: TaskId, entry: EntryId) -> bool {
        let alternatives = self.code[server.index()].iter().flat_map(|l| match self.action(*l) {
            Action::Select { alternatives, .. } => &alternatives[..],
            _ => &[],
        });
        let taken = alternatives.filter(|a| self.program.possible_entries(&a.entry).contains(&entry));
        let ends = |l: Loc| matches!(self.action(l), Action::EndAccept { .. });
        let inside = self.reachable(server, taken.map(|a| a.body).collect(), ends);
        let waits = |l: &Loc| self.is_wait(*l) && !matches!(self.action(*l), Action::Lock { .. });
        !inside.iter().any(waits) && self.passes(server, &inside)
    }

    /// Whether an entry is called once at most: at a location that a task comes to once.
    fn is_only_call(&self, task: TaskId, at: Loc, entry: EntryId) -> bool {
        let calls = |l: &Loc| match self.action(*l) {
            Action::EntryCall { entry: called, .. } => self.program.possible_entries(called).contains(&entry),
            _ => false,
        };
        let name = Expr::Const(i64::from(task.0));
        let starts =
            |l: &Loc| matches!(self.action(*l), Action::Activate { tasks, .. } if tasks.contains(&name));
        let main = TaskId::ENVIRONMENT;
        let mut starters = self.code.iter().flatten().filter(|l| starts(l));
        let once = match (starters.next(), starters.next()) {
            (Some(l), None) => self.code[main.index()].contains(l) && !self.comes_again(main, *l),
            _ => false,
        };
        once && !self.comes_again(task, at)
            && self.code.iter().flatten().filter(|l| calls(l)).all(|l| *l == at)
    }

    /// Whether nothing but a call of an entry lets a task go on from a location.
    fn accepts_only(&self, loc: Loc, entry: EntryId) -> bool {
        let number = Expr::Const(i64::from(entry.0));
        match self.action(loc) {
            Action::Select { alternatives, otherwise: None, delays, terminate: None } => {
                delays.is_empty() && alternatives.iter().all(|a| a.guard.is_none() && a.entry == number)
            }
            _ => false,
        }
    }

    /// Whether a call of an entry is taken wherever a task waits at a location.
    fn accepts(&self, loc: Loc, entry: EntryId) -> bool {
        match self.action(loc) {
            Action::Select { alternatives, .. } => {
                alternatives.iter().any(|a| a.guard.is_none() && a.entry == Expr::Const(i64::from(entry.0)))
            }
            _ => false,
        }
    }

    /// Whether a barrier is open, and those who wait have been let in, once everybody who ends has ended: it depends on
    /// components of the object that are surely set, and only to values with which it is open. Nobody looks at a barrier
    /// again when a variable elsewhere is set.
    fn opens(&self, object: ObjectId, barrier: &Expr) -> bool {
        let mut cells = Vec::new();
        barrier.each_cell(self.program, &mut |cell| cells.push(cell));
        cells.sort_unstable();
        cells.dedup();
        if cells.len() > 3 {
            return false;
        }
        let mut combinations = vec![barrier.clone()];
        for cell in cells {
            let var = &self.program.vars[cell.index()];
            if var.domain == Domain::Opaque || var.storage != Storage::Component(object) {
                return false;
            }
            let mut values = Vec::new();
            let mut always_set = false;
            for (t, code) in self.code.iter().enumerate() {
                let task = TaskId::from(t);
                for loc in code {
                    let mut written = false;
                    each_written(self.program, self.action(*loc), |c| written |= c == cell);
                    match self.action(*loc) {
                        Action::Assign { to: Place::Var(_), value: Expr::Const(value), .. } if written => {
                            values.push(*value);
                            always_set |=
                                task == TaskId::ENVIRONMENT && self.main_passes(|at| at.loc == *loc);
                        }
                        _ if written => return false,
                        _ => {}
                    }
                }
            }
            if !always_set {
                return false;
            }
            values.sort_unstable();
            values.dedup();
            combinations =
                combinations.iter().flat_map(|e| values.iter().map(|v| finite::with(e, cell, *v))).collect();
            if combinations.len() > 64 {
                return false;
            }
        }
        combinations.iter().all(|e| e.constant().is_some_and(|v| v != 0))
    }

    /// Whether the main program has surely ended, or waits for its dependents at the end.
    fn main_has_ended(&self) -> bool {
        let task = TaskId::ENVIRONMENT;
        let start = self.program.tasks[task.index()].start;
        let early = |l: Loc| matches!(self.action(l), Action::Complete { .. });
        let before = self.reachable(task, vec![start], early);
        self.ending[task.index()]
            && !self.waits.iter().any(|w| w.task == task)
            && before.iter().all(|l| match self.action(*l) {
                Action::Select { .. } => false,
                // The last wait for dependents comes before the end.
                Action::Await { .. } => self.only_ends(task, *l),
                _ => true,
            })
    }

    /// Whether nothing but the end of a task follows a location.
    fn only_ends(&self, task: TaskId, loc: Loc) -> bool {
        let after = self.reachable(task, self.action(loc).successors(), |_| false);
        after.iter().all(|l| {
            matches!(
                self.action(*l),
                Action::Skip { .. }
                    | Action::Await { .. }
                    | Action::Complete { .. }
                    | Action::Terminate
                    | Action::Resume { .. }
                    | Action::Event { .. }
            )
        })
    }

    /// Whether the main program has ended and cannot have missed some states.
    fn main_passes(&self, hits: impl Fn(&UnfoldedState) -> bool) -> bool {
        let Some(main) = &self.main else { return false };
        let ends = |at: &UnfoldedState| {
            matches!(self.action(at.loc), Action::Complete { .. } | Action::Await { .. } | Action::Terminate)
        };
        let missed = main.reachable(vec![0], &hits);
        let mut missed = missed.into_iter().map(|s| &main.states[s as usize]);
        self.main_has_ended() && !missed.any(|at| ends(at) && !hits(at))
    }

    /// Follows the main program. A call raises nothing if its server cannot end before it accepts one, nobody else
    /// calls, and the body raises nothing.
    fn follow_main(&mut self) {
        let safe: Vec<bool> =
            (0..self.program.entries.len()).map(|e| self.is_safe(EntryId::from(e))).collect();
        self.safe_calls = safe;
        loop {
            let main =
                MainUnfolding::follow(self.program, TaskId::ENVIRONMENT, |loc, fold| self.raises(loc, fold));
            let Some(main) = main else { return };
            // Only the first call of each.
            let mut again = Vec::new();
            for (s, at) in main.states.iter().enumerate() {
                // A call of nobody knows which entry may be another one of each.
                if let (Action::EntryCall { entry, .. }, None) = (self.action(at.loc), at.entry) {
                    let possible = self.program.possible_entries(entry);
                    again.extend(possible.into_iter().filter(|e| self.safe_calls[e.index()]));
                }
                if let Some(entry) = at.entry.filter(|e| self.safe_calls[e.index()])
                    && main
                        .reachable(main.after(s as u32), |_| false)
                        .iter()
                        .any(|s| main.states[*s as usize].entry == Some(entry))
                {
                    again.push(entry);
                }
            }
            if again.is_empty() {
                self.main = Some(main);
                return;
            }
            again.iter().for_each(|e| self.safe_calls[e.index()] = false);
        }
    }

    fn is_safe(&self, entry: EntryId) -> bool {
        let Owner::Task(server) = self.program.entries[entry.index()].owner else { return false };
        let calls = |l: &Loc| match self.action(*l) {
            Action::EntryCall { entry: called, .. } => self.program.possible_entries(called).contains(&entry),
            _ => false,
        };
        let accepts = |l: Loc| self.accepts_only(l, entry);
        let start = self.program.tasks[server.index()].start;
        let before = self.reachable(server, vec![start], accepts);
        let body_raises = self.code[server.index()].iter().any(|l| match self.action(*l) {
            Action::Select { alternatives, .. } => alternatives
                .iter()
                .filter(|a| self.program.possible_entries(&a.entry).contains(&entry))
                .any(|a| {
                    let end = |l: Loc| matches!(self.action(l), Action::EndAccept { .. });
                    self.reachable(server, vec![a.body], end).iter().any(|l| self.may_raise(*l))
                }),
            _ => false,
        });
        !self.code[1..].iter().flatten().any(calls)
            && !before.iter().any(|l| matches!(self.action(*l), Action::Complete { .. }))
            && !body_raises
    }

    /// Whether somebody surely calls an entry, and has gone on since.
    fn is_surely_called(&self, entry: EntryId) -> bool {
        let plain = |l: Loc| matches!(self.action(l), Action::EntryCall { mode: CallMode::Plain, .. });
        let number = Expr::Const(i64::from(entry.0));
        let calls = |l: Loc| match self.action(l) {
            Action::EntryCall { entry, .. } => plain(l) && *entry == number,
            _ => false,
        };
        self.main_passes(|at| at.entry == Some(entry) && plain(at.loc))
            || (1..self.program.tasks.len())
                .any(|t| self.code[t].iter().any(|l| calls(*l)) && self.task_passes(TaskId::from(t), calls))
    }

    /// Whether a task has surely been started and is past some locations.
    fn task_passes(&self, task: TaskId, hits: impl Fn(Loc) -> bool) -> bool {
        let before = self.reachable(task, vec![self.program.tasks[task.index()].start], &hits);
        let before: Vec<Loc> = before.into_iter().filter(|l| !hits(*l)).collect();
        let stays = |l: &Loc| match self.action(*l) {
            Action::Complete { .. } | Action::Await { .. } | Action::Terminate => true,
            Action::Select { terminate: Some(_), .. } => true,
            _ => self.waits.iter().any(|w| w.task == task && w.loc == *l),
        };
        let name = Expr::Const(i64::from(task.0));
        let waits_there = self.waits.iter().any(|w| w.task == task && hits(w.loc));
        !waits_there
            && !before.iter().any(stays)
            && self.passes(task, &before)
            && self.main_passes(
                |at| matches!(self.action(at.loc), Action::Activate { tasks, .. } if tasks.contains(&name)),
            )
    }

    /// Whether a task accepts an entry nowhere else.
    fn only_accept(&self, task: TaskId, entry: EntryId, loc: Loc) -> bool {
        self.code[task.index()].iter().all(|l| match self.action(*l) {
            Action::Select { alternatives, .. } => {
                *l == loc
                    || !alternatives.iter().any(|a| self.program.possible_entries(&a.entry).contains(&entry))
            }
            _ => true,
        })
    }

    fn comes_again(&self, task: TaskId, loc: Loc) -> bool {
        self.reachable(task, self.next(task, loc), |_| false).contains(&loc)
    }

    /// Whether a task is at least being activated when another is at a location.
    fn is_born(&self, task: TaskId, caller: TaskId, at: Loc) -> bool {
        self.is_born_when(task, caller, at, 0)
    }

    fn is_born_when(&self, task: TaskId, caller: TaskId, at: Loc, depth: usize) -> bool {
        let named = Expr::Const(i64::from(task.0));
        let activates =
            |l: Loc| matches!(self.action(l), Action::Activate { tasks, .. } if tasks.contains(&named));
        let declared = self.code.iter().flatten().any(|l| activates(*l));
        if !declared || depth > self.program.tasks.len() {
            return false;
        }
        // What is started again is not there before that.
        let again = |(t, code): (usize, &Vec<Loc>)| {
            code.iter().any(|l| activates(*l) && self.comes_again(TaskId::from(t), *l))
        };
        if self.code.iter().enumerate().any(again) {
            return false;
        }
        let start = self.program.tasks[caller.index()].start;
        if self.code[caller.index()].iter().any(|l| activates(*l)) {
            let before = self.reachable(caller, vec![start], activates);
            return !before.contains(&at) || activates(at);
        }
        // Whoever starts the caller must have started the task, or starts both.
        let caller_name = Expr::Const(i64::from(caller.0));
        let mut starters = Vec::new();
        for (t, code) in self.code.iter().enumerate() {
            for l in code {
                if matches!(self.action(*l), Action::Activate { tasks, .. } if tasks.contains(&caller_name)) {
                    starters.push((TaskId::from(t), *l));
                }
            }
        }
        !starters.is_empty()
            && starters.iter().all(|(by, l)| activates(*l) || self.is_born_when(task, *by, *l, depth + 1))
    }

    /// Whether a task cannot go on for ever just looking at something.
    fn never_spins(&self, task: TaskId) -> bool {
        let code = &self.code[task.index()];
        let works = |l: &Loc| match self.action(*l) {
            Action::Select { otherwise, .. } => otherwise.is_none(),
            Action::EntryCall { mode, .. } => !matches!(mode, CallMode::Conditional { .. }),
            Action::EndAccept { .. }
            | Action::Activate { .. }
            | Action::Choose { .. }
            | Action::Havoc { .. } => true,
            _ => false,
        };
        let looks = |l: &Loc| {
            let mut looks = matches!(self.action(*l), Action::Select { .. } | Action::EntryCall { .. });
            let branches = matches!(self.action(*l), Action::Branch { .. });
            let mut note = |cell: VarId| {
                looks |= self.shared[cell.index()] || (branches && self.fixed[cell.index()]);
            };
            self.action(*l).each_expr(&mut |e| e.each_cell(self.program, &mut note));
            looks
        };
        let idle: Vec<Loc> = code.iter().copied().filter(|l| !works(l)).collect();
        self.ending[task.index()]
            || !idle.iter().any(looks)
            || finite::ends_within(self.program, task, &idle)
            || code.iter().any(|l| self.is_called_to_end(task, *l))
    }

    /// Whether a task looks for a call that surely comes, and has ended after that.
    fn is_called_to_end(&self, task: TaskId, loc: Loc) -> bool {
        let Action::Select { alternatives, .. } = self.action(loc) else { return false };
        let ends = |a: &Alternative| {
            a.guard.is_none()
                && a.entry.constant().is_some_and(|e| {
                    let entry = EntryId::from(e as usize);
                    self.only_accept(task, entry, loc)
                        && self.is_surely_called(entry)
                        && finite::ends_once_taken(self.program, task, a)
                })
        };
        alternatives.iter().any(ends)
    }
}
