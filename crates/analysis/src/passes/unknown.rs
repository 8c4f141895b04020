//! Checks on values that nobody knows.
//!
//! A tracked variable may hold a value that the model does not know: the environment gave it one of very many values,
//! or it was computed from such a value. In the semantics every language-defined check passes for it. That is an
//! assumption about the program, and this pass finds where it is made.
//!
//! Which cells may hold such a value is a least fixpoint over assignments, calls, and parameters of entries, in
//! whatever order steps happen; uninitialised variables are not meant. A check passes unseen if its operand may be
//! unknown and the check is not true of every value in range. Its place is listed, and verdicts say how many there are.
//! Where the program itself is prepared, by a handler that names Constraint_Error, the check becomes a choice: it
//! passes or it raises. With `--checks may-fail` that is done everywhere. Calls into the library's own models are not
//! listed.
//!
//! The choice is a branch on an unknown value, so a finding that needs the exception is possible and not certain.

use rendez_model::expr::{Expr, Place};
use rendez_model::program::{Action, Catch, Domain, ExceptionId, Loc, Node, Program, TableId, VarId};
use rendez_model::semantics::HAVOC_VALUES;
use rendez_source::Span;

use rendez_model::BinaryOp;

/// Lists checks on values that are not known, or lets them fail.
pub fn doubt_unknown_values(program: &mut Program) {
    let unknown = unknown_cells(program);
    if !unknown.contains(&true) {
        return;
    }
    for l in 0..program.nodes.len() {
        let node = &program.nodes[l];
        let library = program.files.get(node.span.file.0 as usize);
        let is_library = library.is_some_and(|f| f.starts_with(rendez_model::LIBRARY_FOLDER));
        if is_library || node.span.is_nowhere() || !passes_unseen(program, &unknown, &node.action) {
            continue;
        }
        if program.checks_may_fail || is_prepared(program, Loc::from(l)) {
            let original = node.clone();
            let raise = Action::Raise {
                exception: Expr::Const(i64::from(ExceptionId::CONSTRAINT_ERROR.0)),
                by_tasking: false,
            };
            let (yes, no) = (Loc::from(program.nodes.len()), Loc::from(program.nodes.len() + 1));
            program.nodes.push(Node { action: raise, ..original.clone() });
            program.nodes.push(original);
            program.nodes[l].action = Action::Branch { cond: Expr::Any, yes, no };
        } else {
            list(program, program.nodes[l].span);
        }
    }
    for e in 0..program.entries.len() {
        let entry = &program.entries[e];
        if entry.barrier.as_ref().is_some_and(|b| evaluates_unseen(program, &unknown, b)) {
            list(program, entry.span);
        }
    }
}

fn list(program: &mut Program, span: Span) {
    if !program.unchecked.contains(&span) {
        program.unchecked.push(span);
    }
}

/// Whether a handler names Constraint_Error before one takes everything.
fn is_prepared(program: &Program, loc: Loc) -> bool {
    program.handlers_at(loc).any(|(catch, _)| catch == Catch::Exception(ExceptionId::CONSTRAINT_ERROR))
}

/// By cell: whether it is followed and may hold a value that is not known. Variables without a first value are not meant.
fn unknown_cells(program: &Program) -> Vec<bool> {
    let mut unknown = vec![false; program.vars.len()];
    let groups = super::slice::copies(program);
    let mut fresh: Vec<VarId> = Vec::new();
    loop {
        for node in &program.nodes {
            each_flow(program, &node.action, &unknown, &mut |cell| fresh.push(cell));
        }
        for group in groups.iter().filter(|g| g.iter().any(|c| unknown[c.index()])) {
            fresh.extend(group);
        }
        fresh.retain(|c| !unknown[c.index()] && program.vars[c.index()].domain != Domain::Opaque);
        if fresh.is_empty() {
            return unknown;
        }
        fresh.drain(..).for_each(|c| unknown[c.index()] = true);
    }
}

/// The cells that an action may give a value that is not known.
fn each_flow(program: &Program, action: &Action, unknown: &[bool], f: &mut dyn FnMut(VarId)) {
    match action {
        Action::Havoc { to, .. } => to.each_cell(program, |cell| match program.vars[cell.index()].domain {
            Domain::Range(lo, hi) if hi.saturating_sub(lo) < HAVOC_VALUES => {}
            _ => f(cell),
        }),
        Action::Assign { to, value, .. } if is_unknown(program, unknown, value) => to.each_cell(program, f),
        Action::Assign { to: to @ Place::Indexed(_, index), .. } if is_unknown(program, unknown, index) => {
            to.each_cell(program, f);
        }
        Action::Call { proc, args, outs, .. } => {
            let formals = &program.procs[proc.index()].formals;
            let given = formals.iter().zip(args).filter(|(_, arg)| is_unknown(program, unknown, arg));
            given.for_each(|(formal, _)| f(formal.cell));
            let back = outs.iter().filter(|(i, _)| unknown[formals[*i].cell.index()]);
            back.for_each(|(_, place)| place.each_cell(program, &mut *f));
        }
        _ => {}
    }
}

/// Whether the value of an expression may be unknown.
fn is_unknown(program: &Program, unknown: &[bool], e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= *e == Expr::Any);
    e.each_cell(program, &mut |c| {
        found |= unknown[c.index()] || program.vars[c.index()].domain == Domain::Opaque;
    });
    found
}

/// Whether the value depends on a cell that is followed and may hold a value that is not known.
fn depends(program: &Program, unknown: &[bool], e: &Expr) -> bool {
    let mut found = false;
    e.each_cell(program, &mut |c| found |= unknown[c.index()]);
    found
}

/// Whether an action makes a check that passes because a value is not known.
fn passes_unseen(program: &Program, unknown: &[bool], action: &Action) -> bool {
    let mut found = false;
    action.each_expr(&mut |e| found |= evaluates_unseen(program, unknown, e));
    let mut gets = |value: &Expr, cell: VarId| {
        found |= depends(program, unknown, value) && !value.fits(program, cell);
    };
    match action {
        Action::Assign { to, value, .. } => {
            to.each_cell(program, |cell| gets(value, cell));
            if let Place::Indexed(table, index) = to {
                let outside = !within(program, index, *table);
                found |= outside && depends(program, unknown, index);
            }
        }
        Action::Call { proc, args, .. } => {
            let formals = &program.procs[proc.index()].formals;
            formals.iter().zip(args).for_each(|(formal, arg)| gets(arg, formal.cell));
        }
        _ => {}
    }
    found
}

/// Whether evaluating an expression makes such a check.
fn evaluates_unseen(program: &Program, unknown: &[bool], e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        let (operand, may_fail) = match e {
            Expr::Load(table, index) | Expr::Lookup(table, index) => (index, !within(program, index, *table)),
            Expr::Check(value, lo, hi) => {
                (value, !value.bounds(program).is_some_and(|(a, b)| *lo <= a && b <= *hi))
            }
            Expr::Binary(BinaryOp::Divide | BinaryOp::Mod | BinaryOp::Rem, _, by) => {
                (by, !by.bounds(program).is_some_and(|(a, b)| a > 0 || b < 0))
            }
            _ => return,
        };
        found |= may_fail && depends(program, unknown, operand);
    });
    found
}

/// Whether an index is surely one of a table.
fn within(program: &Program, index: &Expr, table: TableId) -> bool {
    let table = &program.tables[table.index()];
    let last = table.first + table.values.len() as i64 - 1;
    index.bounds(program).is_some_and(|(a, b)| table.first <= a && b <= last)
}
