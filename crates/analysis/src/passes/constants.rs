//! Constant propagation: cells that only ever have one value, and what follows from it.
//!
//! A cell is constant in the whole program if nothing writes it after its initial value, or if it is an `in` parameter
//! that every call gives the same constant. Such cells are replaced by their value, expressions are folded, branches on
//! constants are decided, and this repeats until nothing changes. The analysis ignores the order of steps, which makes
//! it right for any interleaving: a value that nobody writes is the same in every state.
//!
//! Three things are not folded, although they could be:
//! - a read of a shared variable that does not turn out to be constant itself, because it may be a race: an expression
//!   is left alone if folding would drop such a read;
//! - whatever a monitor watches: what a property calls a test is a step, whatever its result;
//! - a condition on variables that never change, if it keeps a task in a loop. The task polls them, and nobody will
//!   ever change them; it must be seen to spin.
//!
//! Each of the three was learnt from a mistake: a race was lost with a folded read, a test of a variable that never
//! changes was folded away before a property saw it (a wrong *holds*), and a task that polls a variable that nothing
//! assigns to was not reported.

use rendez_model::code::each_written;
use rendez_model::expr::{Expr, Place, Value};
use rendez_model::program::*;

/// Replaces cells that are constant in the whole program, folds expressions, and decides branches.
///
/// A cell is constant if nothing writes it after its initial value, or if it is an `in` parameter
/// that every call gives the same constant. What monitors look at is left alone: a condition that a property
/// watches is a step, whatever it says. Repeats until nothing changes.
pub fn propagate_constants(program: &mut Program) {
    fold_constants(program);
    let exits: Vec<Loc> = program.tasks.iter().map(|t| t.exit).collect();
    super::compact(program, &exits);
}

/// The same, with all locations where they were.
pub fn fold_constants(program: &mut Program) {
    let watched = program.cells_of_monitors();
    loop {
        let mut constants = constant_cells(program);
        let mut observed: Vec<bool> = (program.vars.iter().zip(&constants))
            .map(|(v, constant)| v.storage == Storage::Shared && constant.is_none())
            .collect();
        for cell in &watched {
            constants[cell.index()] = None;
            observed[cell.index()] = true;
        }
        let mut changed = false;
        let tables = program.tables.clone();
        let polls = polls(program, &constants);
        for (node, polls) in program.nodes.iter_mut().zip(polls) {
            if polls {
                continue;
            }
            let before = node.action.clone();
            fold_places(&mut node.action, &tables);
            node.action.map_exprs(&mut |e| fold(e, &constants, &observed, &tables));
            if let Action::Branch { cond: Expr::Const(v), yes, no } = &node.action {
                node.action = Action::Skip { next: if *v != 0 { *yes } else { *no } };
            }
            changed |= node.action != before;
        }
        for entry in &mut program.entries {
            if let Some(barrier) = &mut entry.barrier {
                fold(barrier, &constants, &observed, &tables);
            }
        }
        if !changed {
            break;
        }
    }
}

/// By location: a condition that looks at variables which never change, and keeps a task in a loop. It stays, so that the task is
/// seen to wait for somebody to change them.
fn polls(program: &Program, constants: &[Option<i64>]) -> Vec<bool> {
    let looks = |cond: &Expr| {
        let (mut shared, mut fixed) = (false, true);
        cond.walk(&mut |e| match e {
            Expr::Var(v) => {
                shared |= program.vars[v.index()].storage == Storage::Shared;
                fixed &= constants[v.index()].is_some();
            }
            Expr::Load(..) | Expr::Any | Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_) => {
                fixed = false;
            }
            _ => {}
        });
        shared && fixed
    };
    let at = |(i, node): (usize, &Node)| match &node.action {
        Action::Branch { cond, yes, no } if looks(cond) => {
            program.reachable(*yes).contains(&Loc::from(i)) || program.reachable(*no).contains(&Loc::from(i))
        }
        _ => false,
    };
    program.nodes.iter().enumerate().map(at).collect()
}

/// Folds an expression, unless it would no longer read a variable of which that is observed: a shared one, for it may be
/// a race, or one that a property is about.
fn fold(e: &mut Expr, constants: &[Option<i64>], observed: &[bool], tables: &[Table]) {
    let taken = e.clone();
    let at = |table: TableId, index: i64| -> Option<i64> {
        let table = &tables[table.index()];
        usize::try_from(index.checked_sub(table.first)?).ok().and_then(|i| table.values.get(i).copied())
    };
    let folded = taken.rewrite(&mut |e| match &e {
        Expr::Var(v) => constants[v.index()].map_or(e, Expr::Const),
        Expr::Load(table, index) => match index.constant().and_then(|i| at(*table, i)) {
            Some(cell) if cell >= 0 => {
                let var = VarId(cell as u32);
                constants[var.index()].map_or(Expr::Var(var), Expr::Const)
            }
            _ => e,
        },
        Expr::Lookup(table, index) => match index.constant().and_then(|i| at(*table, i)) {
            Some(value) => Expr::Const(value),
            None => e,
        },
        _ => e,
    });
    let mut lost = false;
    e.walk(&mut |part| match part {
        Expr::Var(v) if observed[v.index()] => lost |= !mentions(&folded, part),
        Expr::Load(table, _) => {
            let cells = &tables[table.index()].values;
            let any = cells.iter().any(|c| usize::try_from(*c).is_ok_and(|c| observed.get(c) == Some(&true)));
            lost |= any && matches!(folded, Expr::Const(_));
        }
        _ => {}
    });
    if !lost {
        *e = folded;
    }
}

fn mentions(e: &Expr, part: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |p| found |= p == part);
    found
}

fn fold_places(action: &mut Action, tables: &[Table]) {
    let resolve = |place: &mut Place| {
        if let Place::Indexed(table, Expr::Const(index)) = place {
            let table = &tables[table.index()];
            let cell = index
                .checked_sub(table.first)
                .and_then(|i| usize::try_from(i).ok())
                .and_then(|i| table.values.get(i).copied());
            if let Some(cell) = cell.filter(|c| *c >= 0) {
                *place = Place::Var(VarId(cell as u32));
            }
        }
    };
    match action {
        Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => resolve(to),
        Action::Call { outs, .. } => outs.iter_mut().for_each(|o| resolve(&mut o.1)),
        _ => {}
    }
}

/// What is known of a cell: nothing yet, one value, or several.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    One(i64),
    Several,
}

fn constant_cells(program: &Program) -> Vec<Option<i64>> {
    // Writes other than through `in` parameters.
    let mut written = vec![false; program.vars.len()];
    let mut formal = vec![Known::Nothing; program.vars.len()];
    let mut is_formal = vec![false; program.vars.len()];
    for proc in &program.procs {
        for f in &proc.formals {
            match f.mode {
                Mode::In => is_formal[f.cell.index()] = true,
                Mode::Out | Mode::InOut => written[f.cell.index()] = true,
            }
        }
    }
    for proc in program.bodies.values() {
        for f in &program.procs[proc.index()].formals {
            written[f.cell.index()] = true;
        }
    }
    for node in &program.nodes {
        each_written(program, &node.action, |cell| written[cell.index()] = true);
        match &node.action {
            Action::Call { proc, args, .. } => {
                for (f, arg) in program.procs[proc.index()].formals.iter().zip(args) {
                    let known = &mut formal[f.cell.index()];
                    *known = match (*known, arg) {
                        (Known::Nothing, Expr::Const(v)) => Known::One(*v),
                        (Known::One(a), Expr::Const(v)) if a == *v => Known::One(a),
                        _ => Known::Several,
                    };
                }
            }
            Action::EntryCall { args, .. } | Action::Async { trigger: Trigger::Call { args, .. }, .. } => {
                args.iter().for_each(|a| written[a.index()] = true);
            }
            Action::Select { alternatives, .. } => {
                alternatives.iter().flat_map(|a| &a.formals).for_each(|f| written[f.cell.index()] = true);
            }
            _ => {}
        }
    }
    for handler in &program.handlers {
        if let Some(cell) = handler.occurrence {
            written[cell.index()] = true;
        }
    }
    (0..program.vars.len())
        .map(|i| {
            if written[i] || program.vars[i].domain == Domain::Opaque {
                return None;
            }
            match (is_formal[i], formal[i], program.vars[i].init) {
                (true, Known::One(v), _) => Some(v),
                (false, _, Value::Known(v)) => Some(v),
                _ => None,
            }
        })
        .collect()
}
