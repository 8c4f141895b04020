//! What the main program does by itself: its control flow, with the data that nobody else changes.
//!
//! The proof that nobody waits for ever (`progress.rs`) must know what a task surely does: which entries it calls,
//! which tasks it starts, what it assigns. Control flow alone does not tell that for `for I in Nodes'Range loop Nodes
//! (I).Start; end loop;`, since the loop might not be entered and the index is unknown. So this file unfolds a task
//! into pairs of a location and the values of cells that are known there (conditional constant propagation, but with
//! one node per valuation instead of a join). Loops over constant ranges are run through, and what is called by index
//! is known.
//!
//! Only cells of the task itself, and shared cells that no other task assigns to, have known values. Parameters that
//! come back, input, and what a handler gets are unknown, and a branch on them goes both ways. So the unfolding has
//! every path that the task can take, and perhaps more. What all of its paths pass, the task passes, if it comes to its
//! end.
//!
//! Nothing is joined, so a program whose main task counts far would unfold without end: after 20,000 nodes the file
//! gives up, and with it the parts of the proof that need it. An action that may raise an exception also leads to its
//! handlers; the caller says which actions these are, given what is known.

use rendez_model::code::{each_written, task_code};
use rendez_model::{Action, EntryId, Expr, Loc, Place, Program, Storage, TaskId, Value, VarId};
use rustc_hash::FxHashMap;

/// The ways of a task through its code.
pub struct MainUnfolding {
    pub states: Vec<UnfoldedState>,
    next: Vec<Vec<u32>>,
}

/// A task at a location, with what it calls there if that is known.
pub struct UnfoldedState {
    pub loc: Loc,
    pub entry: Option<EntryId>,
}

/// Values of cells, where they are known.
type KnownCells = Vec<Option<i64>>;

/// More states are not followed.
const MOST: usize = 20_000;

impl MainUnfolding {
    /// Follows a task; None if there is too much to follow. `raises` says whether an action may raise an
    /// exception, given how expressions look with what is known.
    pub fn follow(
        program: &Program,
        task: TaskId,
        raises: impl Fn(Loc, &dyn Fn(&Expr) -> Expr) -> bool,
    ) -> Option<MainUnfolding> {
        let follower = Follower::new(program, task);
        let mut unfolding = MainUnfolding { states: Vec::new(), next: Vec::new() };
        let mut numbers: FxHashMap<(Loc, KnownCells), u32> = FxHashMap::default();
        let mut work = vec![(program.tasks[task.index()].start, follower.at_start())];
        numbers.insert(work[0].clone(), 0);
        unfolding.add(work[0].0);
        while let Some((loc, known)) = work.pop() {
            let number = numbers[&(loc, known.clone())];
            let fold = |e: &Expr| folded(program, &known, e);
            if let Action::EntryCall { entry, .. } = &program.node(loc).action {
                unfolding.states[number as usize].entry =
                    fold(entry).constant().and_then(|e| program.entry_number(e));
            }
            let mut reached = follower.after(loc, &known);
            if raises(loc, &fold) {
                reached.extend(follower.caught(loc, &known));
            }
            for state in reached {
                let to = match numbers.get(&state) {
                    Some(to) => *to,
                    None => {
                        let to = unfolding.add(state.0);
                        if unfolding.states.len() > MOST {
                            return None;
                        }
                        numbers.insert(state.clone(), to);
                        work.push(state);
                        to
                    }
                };
                unfolding.next[number as usize].push(to);
            }
        }
        Some(unfolding)
    }

    fn add(&mut self, loc: Loc) -> u32 {
        self.states.push(UnfoldedState { loc, entry: None });
        self.next.push(Vec::new());
        self.states.len() as u32 - 1
    }

    /// The states on ways from some states that do not go past others.
    pub fn reachable(&self, from: Vec<u32>, stop: impl Fn(&UnfoldedState) -> bool) -> Vec<u32> {
        let mut seen = vec![false; self.states.len()];
        let mut order = Vec::new();
        let mut work = from;
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            order.push(at);
            if !stop(&self.states[at as usize]) {
                work.extend(&self.next[at as usize]);
            }
        }
        order
    }

    /// What follows a state.
    pub fn after(&self, state: u32) -> Vec<u32> {
        self.next[state as usize].clone()
    }
}

/// Follows the actions of one task, with the values of cells that nobody else changes.
struct Follower<'p> {
    program: &'p Program,
    task: TaskId,
    /// By cell: another task may assign to it.
    changed: Vec<bool>,
}

impl<'p> Follower<'p> {
    fn new(program: &'p Program, task: TaskId) -> Follower<'p> {
        let mut changed = vec![false; program.vars.len()];
        for t in (0..program.tasks.len()).map(TaskId::from).filter(|t| *t != task) {
            for loc in task_code(program, t) {
                each_written(program, &program.node(loc).action, |cell| changed[cell.index()] = true);
            }
        }
        Follower { program, task, changed }
    }

    /// Whether only the task changes a cell.
    fn owns(&self, cell: VarId) -> bool {
        match self.program.vars[cell.index()].storage {
            Storage::Local(of) => of == self.task,
            Storage::Shared => !self.changed[cell.index()],
            Storage::Component(_) => false,
        }
    }

    fn at_start(&self) -> KnownCells {
        let known = |v: usize| match self.program.vars[v].init {
            Value::Known(value) if self.owns(VarId::from(v)) => Some(value),
            _ => None,
        };
        (0..self.program.vars.len()).map(known).collect()
    }

    /// Where the action at a location leads without an exception, with what is known then.
    fn after(&self, loc: Loc, known: &KnownCells) -> Vec<(Loc, KnownCells)> {
        let program = self.program;
        let fold = |e: &Expr| folded(program, known, e);
        let mut after = known.clone();
        let mut forget = |place: &Place| place.each_cell(program, |cell| after[cell.index()] = None);
        let mut targets = Vec::new();
        let action = &program.node(loc).action;
        match action {
            Action::Assign { to, value, next } => {
                let to = match to {
                    Place::Indexed(table, index) => match cell_at(program, *table, &fold(index)) {
                        Some(cell) => Place::Var(cell),
                        None => to.clone(),
                    },
                    to => to.clone(),
                };
                forget(&to);
                if let Place::Var(cell) = to
                    && self.owns(cell)
                {
                    after[cell.index()] = fold(value).constant();
                }
                targets.push(*next);
            }
            Action::Branch { cond, yes, no } => match fold(cond).constant() {
                Some(0) => targets.push(*no),
                Some(_) => targets.push(*yes),
                None => targets.extend([*yes, *no]),
            },
            Action::EntryCall { args, .. } => {
                args.iter().for_each(|cell| after[cell.index()] = None);
                action.each_successor(|l| targets.push(l));
            }
            Action::Select { alternatives, .. } => {
                for formal in alternatives.iter().flat_map(|a| &a.formals) {
                    after[formal.cell.index()] = None;
                }
                action.each_successor(|l| targets.push(l));
            }
            Action::Havoc { to, next } | Action::Allocate { to, next, .. } => {
                forget(to);
                targets.push(*next);
            }
            action => action.each_successor(|l| targets.push(l)),
        }
        targets.into_iter().map(|l| (l, after.clone())).collect()
    }

    /// Where an exception at a location leads, with what is known then.
    fn caught(&self, loc: Loc, known: &KnownCells) -> Vec<(Loc, KnownCells)> {
        // Who handles it may have another occurrence in hand.
        let mut caught = known.clone();
        let occurrences = self.program.handlers.iter().filter_map(|h| h.occurrence);
        occurrences.for_each(|c| caught[c.index()] = None);
        let (handlers, escapes) = self.program.caught_at(loc);
        let exit = escapes.then_some(self.program.tasks[self.task.index()].exit);
        handlers.into_iter().chain(exit).map(|l| (l, caught.clone())).collect()
    }
}

fn cell_at(program: &Program, table: rendez_model::TableId, index: &Expr) -> Option<VarId> {
    let cell = program.at(table, index.constant()?).ok()?;
    u32::try_from(cell).ok().map(VarId)
}

/// An expression with what is known in it.
fn folded(program: &Program, known: &KnownCells, e: &Expr) -> Expr {
    let value = |cell: VarId| known[cell.index()].map(Expr::Const);
    e.clone().rewrite(&mut |e| match &e {
        Expr::Var(cell) => value(*cell).unwrap_or(e),
        Expr::Load(table, index) => match cell_at(program, *table, index) {
            Some(cell) => value(cell).unwrap_or(Expr::Var(cell)),
            None => e,
        },
        Expr::Lookup(table, index) => match index.constant().and_then(|i| program.at(*table, i).ok()) {
            Some(value) => Expr::Const(value),
            None => e,
        },
        _ => e,
    })
}
