//! Who accesses what: the base of local steps, races and slicing.
//!
//! A cell is *shared* if several tasks name it and one of them writes it, components of protected objects aside, whose
//! lock keeps tasks apart. Whoever ends a protected action evaluates barriers, so a cell in a barrier counts as named
//! by everybody.
//!
//! An action is *local* if it concerns no other task: it reads and writes nothing shared, cannot be prevented, and
//! prevents nothing. Then it commutes with every step of every other task. Such an action is a both-mover in the sense
//! of Lipton (*Reduction: a method of proving properties of parallel programs*, CACM 1975), and by itself a persistent
//! set (Godefroid, LNCS 1032, 1996); engines may run it at once. Ends of rendezvous and unlocking count as local,
//! although they let others continue, because no other task can come between; they do not where an abort could. An
//! action that a monitor may see is never local, since its order matters. Calls of procedures write their results when
//! they return, so whether a return is local depends on the call.
//!
//! For races, the accesses of the next action are determined in the state at hand. An element with a known index is one
//! cell, with an unknown index any cell of the table, and then not certain. An operand that a short circuit skips may
//! be read all the same, because a machine does not evaluate an expression at once, but not certainly. Barriers that a
//! step evaluates are read by it.
//!
//! Two definitions here were wrong once: a cell that a barrier reads and one task writes outside protected actions
//! counted as private, and skipped operands as certainly read.

use crate::expr::{BinaryOp, Expr, Place, Value};
use crate::program::*;
use crate::state::{Lock, State};

/// Static facts about the accesses of a program.
pub struct Access {
    /// Cells that several tasks name, at least one of them writing, outside of protected actions.
    pub shared: Vec<bool>,
    /// Locations whose action concerns no other task: it reads and writes nothing shared, cannot
    /// be prevented, and prevents nothing. A return is local if the call's results are.
    pub local: Vec<bool>,
    /// For each task, the locations of its code.
    pub code: Vec<Vec<Loc>>,
}

impl Access {
    pub fn new(program: &Program) -> Access {
        let code: Vec<Vec<Loc>> =
            (0..program.tasks.len()).map(|t| task_code(program, TaskId::from(t))).collect();
        let mut first: Vec<Option<usize>> = vec![None; program.vars.len()];
        let mut several = vec![false; program.vars.len()];
        let mut written = vec![false; program.vars.len()];
        for (t, locs) in code.iter().enumerate() {
            for loc in locs {
                let mut touch = |cell: VarId| match first[cell.index()] {
                    None => first[cell.index()] = Some(t),
                    Some(other) => several[cell.index()] |= other != t,
                };
                let action = &program.node(*loc).action;
                action.each_expr(&mut |e| e.each_cell(program, &mut touch));
                each_written(program, action, |cell| {
                    touch(cell);
                    written[cell.index()] = true;
                });
            }
        }
        // Whoever ends a protected action looks at its barriers.
        for barrier in program.entries.iter().filter_map(|e| e.barrier.as_ref()) {
            barrier.each_cell(program, &mut |cell| several[cell.index()] = true);
        }
        let shared: Vec<bool> = (0..program.vars.len())
            .map(|v| several[v] && written[v] && !matches!(program.vars[v].storage, Storage::Component(_)))
            .collect();
        let interruptible =
            program.nodes.iter().any(|n| matches!(n.action, Action::Abort { .. } | Action::Async { .. }));
        let local = program
            .nodes
            .iter()
            .map(|n| is_local(program, &n.action, &shared, interruptible) && !program.is_monitored(&n.action))
            .collect();
        Access { shared, local, code }
    }

    /// Whether the next action of a task concerns no other task.
    pub fn is_local(&self, program: &Program, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        if !self.local[ts.pc.index()] {
            return false;
        }
        match (&program.node(ts.pc).action, ts.frames.last()) {
            (Action::Return, Some(frame)) => match &program.node(frame.site).action {
                Action::Call { outs, .. } => {
                    let mut local = true;
                    for (_, place) in outs {
                        place.each_cell(program, |cell| local &= !self.shared[cell.index()]);
                        place.each_index(&mut |e| {
                            e.each_cell(program, &mut |cell| local &= !self.shared[cell.index()]);
                        });
                    }
                    local
                }
                _ => true,
            },
            _ => true,
        }
    }
}

/// The locations that a task may execute, procedures and entry bodies included.
pub fn task_code(program: &Program, task: TaskId) -> Vec<Loc> {
    let t = &program.tasks[task.index()];
    let bodies = program.bodies.range((task, EntryId(0))..=(task, EntryId(u32::MAX)));
    let mut starts = vec![t.start, t.exit];
    starts.extend(bodies.map(|(_, proc)| program.procs[proc.index()].start));
    closure(program, starts, |_| true)
}

/// Everything reachable from some locations, through handlers and calls. Procedures that
/// `enters` refuses are stepped over.
pub fn closure(program: &Program, starts: Vec<Loc>, enters: impl Fn(ProcId) -> bool) -> Vec<Loc> {
    closure_by(program, starts, |loc, work| {
        let node = program.node(loc);
        node.action.each_successor(|next| work.push(next));
        if let Action::Call { proc, .. } = &node.action
            && enters(*proc)
        {
            work.push(program.procs[proc.index()].start);
        }
        work.extend(program.handlers_at(loc).map(|c| c.1));
    })
}

/// Everything reachable from some locations, each once; `next` adds where one leads.
pub fn closure_by(program: &Program, starts: Vec<Loc>, mut next: impl FnMut(Loc, &mut Vec<Loc>)) -> Vec<Loc> {
    let mut seen = vec![false; program.nodes.len()];
    let mut order = Vec::new();
    let mut work = starts;
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut seen[loc.index()], true) {
            order.push(loc);
            next(loc, &mut work);
        }
    }
    order
}

/// The cells that an action may write, results of calls included; cells that only carry
/// parameters between tasks are not counted.
pub fn each_written(program: &Program, action: &Action, mut f: impl FnMut(VarId)) {
    match action {
        Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => {
            to.each_cell(program, f);
        }
        Action::Call { outs, .. } => outs.iter().for_each(|(_, place)| place.each_cell(program, &mut f)),
        _ => {}
    }
}

/// By cell: whether it is a variable that several tasks could see change, but nobody ever changes.
pub fn never_changes(program: &Program) -> Vec<bool> {
    let mut all: Vec<bool> = program.vars.iter().map(|v| v.storage == Storage::Shared).collect();
    for node in &program.nodes {
        each_written(program, &node.action, |cell| all[cell.index()] = false);
    }
    all
}

/// Whether an action is about control and data only: nobody waits for it.
pub fn is_sequential(action: &Action) -> bool {
    matches!(
        action,
        Action::Skip { .. }
            | Action::Event { .. }
            | Action::Assign { .. }
            | Action::Havoc { .. }
            | Action::Branch { .. }
            | Action::Choose { .. }
            | Action::Call { .. }
            | Action::Return
            | Action::Raise { .. }
            | Action::Resume { .. }
            | Action::Defer { .. }
            | Action::Assert { .. }
    )
}

fn is_local(program: &Program, action: &Action, shared: &[bool], interruptible: bool) -> bool {
    let by_kind = match action {
        action if is_sequential(action) => true,
        // These end somebody's wait, or give a lock away; nothing but an abort can come between.
        Action::EndAccept { .. }
        | Action::FailAccept { .. }
        | Action::Activated { .. }
        | Action::Undefer { .. }
        | Action::Unlock { .. }
        | Action::Delay { .. } => !interruptible,
        _ => false,
    };
    if !by_kind {
        return false;
    }
    let mut local = true;
    action.each_expr(&mut |e| {
        e.each_cell(program, &mut |cell| local &= !shared[cell.index()]);
        e.walk(&mut |e| match e {
            // Inside a protected action nobody else changes the queues of the object.
            Expr::Count(entry) => {
                let of_object = entry
                    .constant()
                    .is_some_and(|e| matches!(program.entries[e as usize].owner, Owner::Object(_)));
                local &= of_object;
            }
            Expr::Callable(_) | Expr::Terminated(_) => local = false,
            _ => {}
        });
    });
    // Whoever gives a lock away looks at the barriers.
    if let Action::Unlock { object, .. } = action {
        each_barrier(program, *object, &mut |_, barrier| {
            barrier.each_cell(program, &mut |cell| local &= !shared[cell.index()]);
        });
    }
    match action {
        // Results are written when the callee returns.
        Action::Call { .. } => {}
        action => each_written(program, action, |cell| local &= !shared[cell.index()]),
    }
    local
}

/// The barriers of a protected object.
fn each_barrier<'p>(program: &'p Program, object: ObjectId, f: &mut dyn FnMut(EntryId, &'p Expr)) {
    for (i, entry) in program.entries.iter().enumerate() {
        if let (Owner::Object(owner), Some(barrier)) = (entry.owner, &entry.barrier)
            && owner == object
        {
            f(EntryId::from(i), barrier);
        }
    }
}

/// Every cell that an action may read, barriers that it evaluates included.
pub fn each_read(program: &Program, action: &Action, f: &mut dyn FnMut(VarId)) {
    action.each_expr(&mut |e| e.each_cell(program, f));
    match action {
        Action::EntryCall { .. }
        | Action::Async { .. }
        | Action::EndAsync { .. }
        | Action::Requeue { .. }
        | Action::Abort { .. } => {
            for barrier in program.entries.iter().filter_map(|e| e.barrier.as_ref()) {
                barrier.each_cell(program, f);
            }
        }
        Action::Unlock { object, .. } => {
            each_barrier(program, *object, &mut |_, barrier| barrier.each_cell(program, f));
        }
        _ => {}
    }
}

/// A cell that is accessed, and whether that is sure: not if it is one of several, and nobody knows which.
pub type Touch = (VarId, bool);

/// The shared cells that the next action of a task reads and writes, in this very state.
pub fn touched(
    program: &Program,
    access: &Access,
    state: &State,
    task: TaskId,
    reads: &mut Vec<Touch>,
    writes: &mut Vec<Touch>,
) {
    let ts = &state.tasks[task.index()];
    let action = &program.node(ts.pc).action;
    let note = |(cell, sure): Touch, list: &mut Vec<Touch>| {
        if !access.shared[cell.index()] {
            return;
        }
        match list.iter_mut().find(|known| known.0 == cell) {
            Some(known) => known.1 |= sure,
            None => list.push((cell, sure)),
        }
    };
    let here = Here { program, state };
    let mut read = |e: &Expr, sure: bool| here.cells(e, sure, &mut |touch| note(touch, reads));
    action.each_expr(&mut |e| read(e, true));
    // Whoever changes a queue may have to look at the barriers of others that wait at the object.
    let served = |object: ObjectId, sure: bool, read: &mut dyn FnMut(&Expr, bool)| {
        let lock = state.locks[object.index()];
        if lock == Lock::Free || lock == Lock::Write(task) {
            each_barrier(program, object, &mut |entry, barrier| {
                if !state.queues[entry.index()].is_empty() {
                    read(barrier, sure);
                }
            });
        }
    };
    match action {
        Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => {
            exact_place(program, state, to, &mut |touch| note(touch, writes));
        }
        Action::Return => {
            if let Some(frame) = ts.frames.last()
                && let Action::Call { outs, .. } = &program.node(frame.site).action
            {
                for (_, place) in outs {
                    exact_place(program, state, place, &mut |touch| note(touch, writes));
                }
            }
        }
        Action::EntryCall { entry, .. }
        | Action::Async { trigger: Trigger::Call { entry, .. }, .. }
        | Action::Requeue { entry, .. } => {
            if let Ok(Value::Known(entry)) = program.eval(state, entry)
                && let Some(entry) = program.entry_number(entry)
                && let Entry { owner: Owner::Object(object), barrier: Some(barrier), .. } =
                    &program.entries[entry.index()]
                && matches!(state.locks[object.index()], lock if lock == Lock::Free || lock == Lock::Write(task))
            {
                read(barrier, true);
                served(*object, false, &mut read);
            }
            if let Action::Requeue { .. } = action {
                let objects = (0..program.objects.len()).map(ObjectId::from);
                objects.for_each(|object| served(object, false, &mut read));
            }
        }
        Action::EndAsync { .. } | Action::Abort { .. } => {
            let objects = (0..program.objects.len()).map(ObjectId::from);
            objects.for_each(|object| served(object, false, &mut read));
        }
        Action::Unlock { object, .. } => served(*object, true, &mut read),
        _ => {}
    }
}

/// Where expressions are looked at.
struct Here<'a> {
    program: &'a Program,
    state: &'a State,
}

impl Here<'_> {
    /// The cells that an expression reads here. A part that is skipped here may be read all the same: `and` is no `and then`,
    /// and a machine does not evaluate an expression at once, so that somebody may change what decides about the part.
    fn cells(&self, e: &Expr, sure: bool, f: &mut dyn FnMut(Touch)) {
        match e {
            Expr::Const(_) | Expr::Any => {}
            Expr::Var(var) => f((*var, sure)),
            Expr::Load(table, index) => {
                self.cells(index, sure, f);
                exact_index(self.program, self.state, *table, index, &mut |(cell, one)| {
                    f((cell, one && sure))
                });
            }
            Expr::Lookup(_, e)
            | Expr::Unary(_, e)
            | Expr::Check(e, ..)
            | Expr::Count(e)
            | Expr::Callable(e)
            | Expr::Terminated(e) => self.cells(e, sure, f),
            Expr::Binary(op, a, b) => {
                self.cells(a, sure, f);
                let skips = match op {
                    BinaryOp::And => Some(0),
                    BinaryOp::Or => Some(1),
                    _ => None,
                };
                match skips {
                    Some(skips) => self.part(a, b, sure, |value| value != skips, f),
                    None => self.cells(b, sure, f),
                }
            }
            Expr::If(c, a, b) => {
                self.cells(c, sure, f);
                self.part(c, a, sure, |value| value != 0, f);
                self.part(c, b, sure, |value| value == 0, f);
            }
        }
    }

    /// A part that is evaluated if a condition has some value.
    fn part(
        &self,
        condition: &Expr,
        part: &Expr,
        sure: bool,
        runs: impl Fn(i64) -> bool,
        f: &mut dyn FnMut(Touch),
    ) {
        let evaluated = matches!(self.program.eval(self.state, condition), Ok(Value::Known(v)) if runs(v));
        self.cells(part, sure && evaluated, f);
    }
}

fn exact_place(program: &Program, state: &State, place: &Place, f: &mut dyn FnMut(Touch)) {
    match place {
        Place::Var(var) => f((*var, true)),
        Place::Indexed(table, index) => exact_index(program, state, *table, index, f),
        Place::Nowhere => {}
    }
}

fn exact_index(program: &Program, state: &State, table: TableId, index: &Expr, f: &mut dyn FnMut(Touch)) {
    match program.eval(state, index) {
        Ok(Value::Known(index)) => {
            if let Ok(cell) = program.at(table, index)
                && cell >= 0
            {
                f((VarId(cell as u32), true));
            }
        }
        Ok(Value::Any) => {
            let values = &program.tables[table.index()].values;
            for &cell in values.iter().filter(|v| **v >= 0) {
                f((VarId(cell as u32), false));
            }
        }
        Err(_) => {}
    }
}

impl Program {
    /// The entry that a number stands for.
    pub fn entry_number(&self, number: i64) -> Option<EntryId> {
        usize::try_from(number).ok().filter(|n| *n < self.entries.len()).map(EntryId::from)
    }

    /// Whether a barrier of an object may raise an exception, which all callers in its queues get, or is not known.
    pub fn a_barrier_may_raise(&self, object: ObjectId) -> bool {
        let own = self.entries.iter().filter(|e| e.owner == Owner::Object(object));
        let may_raise = |barrier: &Expr| {
            let mut unknown = false;
            barrier.walk(&mut |e| unknown |= *e == Expr::Any);
            unknown || barrier.may_raise(self)
        };
        own.filter_map(|e| e.barrier.as_ref()).any(may_raise)
    }

    /// Whether a branch depends on a value that is not tracked: which ways are really possible, nobody knows.
    pub fn branches_on_untracked(&self) -> bool {
        let untracked = |e: &Expr| {
            let mut found = false;
            e.walk(&mut |e| found |= *e == Expr::Any);
            e.each_cell(self, &mut |c| found |= self.vars[c.index()].domain == Domain::Opaque);
            found
        };
        let guards = |action: &Action| {
            let mut found = matches!(action, Action::Choose { .. });
            if matches!(action, Action::Branch { .. } | Action::Select { .. }) {
                action.each_expr(&mut |e| found |= untracked(e));
            }
            found
        };
        self.nodes.iter().any(|n| guards(&n.action))
            || self.entries.iter().filter_map(|e| e.barrier.as_ref()).any(untracked)
    }

    /// The entries that an expression may evaluate to, whatever the data.
    pub fn possible_entries(&self, e: &Expr) -> Vec<EntryId> {
        let of_table = |table: TableId| -> Vec<EntryId> {
            let values = &self.tables[table.index()].values;
            values.iter().filter_map(|v| self.entry_number(*v)).collect()
        };
        // An index into a family is added to its first entry: any entry of the owner will do, unless more is
        // known of the index.
        let families = |firsts: Vec<EntryId>, index: &Expr| -> Vec<EntryId> {
            let bounds = index.bounds(self);
            let near = |first: &EntryId, e: EntryId| {
                let distance = i64::from(e.0) - i64::from(first.0);
                self.entries[first.index()].owner == self.entries[e.index()].owner
                    && bounds.is_none_or(|(least, most)| least <= distance && distance <= most)
            };
            let all = (0..self.entries.len()).map(EntryId::from);
            all.filter(|e| firsts.iter().any(|first| near(first, *e))).collect()
        };
        match e {
            Expr::Const(v) => self.entry_number(*v).into_iter().collect(),
            Expr::Lookup(table, _) => of_table(*table),
            Expr::Binary(crate::expr::BinaryOp::Add, base, index) => match base.as_ref() {
                Expr::Const(v) => families(self.entry_number(*v).into_iter().collect(), index),
                Expr::Lookup(table, _) => families(of_table(*table), index),
                _ => (0..self.entries.len()).map(EntryId::from).collect(),
            },
            _ => (0..self.entries.len()).map(EntryId::from).collect(),
        }
    }
}
