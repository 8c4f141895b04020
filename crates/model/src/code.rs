//! Questions about code that its text alone answers: what it can reach, and what an action reads and writes.
//!
//! The semantics and the monitors ask some of them, the analyses of `rendez-analysis` most. What takes a fixpoint
//! over the program stands there.

use crate::expr::Expr;
use crate::program::*;

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

/// The barriers of a protected object.
pub fn each_barrier<'p>(program: &'p Program, object: ObjectId, f: &mut dyn FnMut(EntryId, &'p Expr)) {
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
