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

use rendez_model::code::{each_barrier, each_written, is_sequential, task_code};
use rendez_model::expr::{BinaryOp, Expr, Place, Value};
use rendez_model::program::*;
use rendez_model::state::{Lock, State};

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

/// A cell that is accessed, and whether that is certain: not if it is one of several, and nobody knows which.
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
    let note = |(cell, certain): Touch, list: &mut Vec<Touch>| {
        if !access.shared[cell.index()] {
            return;
        }
        match list.iter_mut().find(|known| known.0 == cell) {
            Some(known) => known.1 |= certain,
            None => list.push((cell, certain)),
        }
    };
    let here = Here { program, state };
    let mut read = |e: &Expr, certain: bool| here.cells(e, certain, &mut |touch| note(touch, reads));
    action.each_expr(&mut |e| read(e, true));
    // Whoever changes a queue may have to look at the barriers of others that wait at the object.
    let served = |object: ObjectId, certain: bool, read: &mut dyn FnMut(&Expr, bool)| {
        let lock = state.locks[object.index()];
        if lock == Lock::Free || lock == Lock::Write(task) {
            each_barrier(program, object, &mut |entry, barrier| {
                if !state.queues[entry.index()].is_empty() {
                    read(barrier, certain);
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
    fn cells(&self, e: &Expr, certain: bool, f: &mut dyn FnMut(Touch)) {
        match e {
            Expr::Const(_) | Expr::Any => {}
            Expr::Var(var) => f((*var, certain)),
            Expr::Load(table, index) => {
                self.cells(index, certain, f);
                exact_index(self.program, self.state, *table, index, &mut |(cell, one)| {
                    f((cell, one && certain))
                });
            }
            Expr::Lookup(_, e)
            | Expr::Unary(_, e)
            | Expr::Check(e, ..)
            | Expr::Count(e)
            | Expr::Callable(e)
            | Expr::Terminated(e) => self.cells(e, certain, f),
            Expr::Binary(op, a, b) => {
                self.cells(a, certain, f);
                let skips = match op {
                    BinaryOp::And => Some(0),
                    BinaryOp::Or => Some(1),
                    _ => None,
                };
                match skips {
                    Some(skips) => self.part(a, b, certain, |value| value != skips, f),
                    None => self.cells(b, certain, f),
                }
            }
            Expr::If(c, a, b) => {
                self.cells(c, certain, f);
                self.part(c, a, certain, |value| value != 0, f);
                self.part(c, b, certain, |value| value == 0, f);
            }
        }
    }

    /// A part that is evaluated if a condition has some value.
    fn part(
        &self,
        condition: &Expr,
        part: &Expr,
        certain: bool,
        runs: impl Fn(i64) -> bool,
        f: &mut dyn FnMut(Touch),
    ) {
        let evaluated = matches!(self.program.eval(self.state, condition), Ok(Value::Known(v)) if runs(v));
        self.cells(part, certain && evaluated, f);
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
