//! From statements to single reads and writes of shared variables.
//!
//! By default a statement is one step. With `--granularity access`, an action that accesses shared cells more than once
//! is split: each read goes first to a temporary cell of the task's own, in order from left to right, and the write
//! comes last. Other tasks may then act between two reads of one expression, as they may on a machine. Accesses to
//! private cells are not split, since nobody could tell.
//!
//! A read that may not be made is not made early. Elements of arrays under a short circuit or a conditional expression
//! stay in place, because their index may be wrong unless the condition holds; plain variables can be read early
//! without harm. The index of an element is read together with the element.
//!
//! A condition that has become a condition over copies still tests the originals for a property, so monitors that watch
//! a variable also watch its copies. They did not at first, and a rule about tests saw nothing.

use crate::access::Access;
use rendez_model::code::each_written;
use rendez_model::expr::{Expr, Place, Value};
use rendez_model::monitor::EventPattern;
use rendez_model::program::*;

/// Splits every action that accesses shared cells more than once: each read goes to a cell of the
/// task's own first, in order from left to right, and the write comes last.
pub fn split_accesses(program: &mut Program) {
    program.accesses_apart = true;
    let access = Access::new(program);
    for t in 0..program.tasks.len() {
        let task = TaskId::from(t);
        for loc in &access.code[t] {
            split(program, &access, task, *loc);
        }
    }
}

fn split(program: &mut Program, access: &Access, task: TaskId, loc: Loc) {
    let node = program.node(loc).clone();
    let mut writes = 0;
    each_written(program, &node.action, |c| writes += usize::from(access.shared[c.index()]));
    if !matches!(
        node.action,
        Action::Assign { .. } | Action::Branch { .. } | Action::Call { .. } | Action::Assert { .. }
    ) {
        return;
    }
    let mut reads: Vec<Expr> = Vec::new();
    node.action.each_expr(&mut |e| collect(program, access, e, Guarded::No, &mut reads));
    if reads.len() + usize::from(writes > 0) < 2 {
        return;
    }
    // The action moves to a new location; the reads come before it, at the old one.
    let mut action = node.action.clone();
    let mut temporaries = Vec::new();
    for read in &reads {
        let name = match read {
            Expr::Var(v) => format!("{}'read", program.vars[v.index()].name),
            _ => "element'read".into(),
        };
        let domain = Domain::Range(i64::MIN + 1, i64::MAX);
        let temporary = program.add_var(name, domain, Value::Any, Storage::Local(task));
        program.vars[temporary.index()].temporary = true;
        temporaries.push(temporary);
    }
    if matches!(action, Action::Branch { .. }) {
        test_copies(program, &reads, &temporaries);
    }
    let mut next_read = 0;
    action.map_exprs(&mut |e| {
        let taken = std::mem::replace(e, Expr::Any);
        *e = replace(taken, &reads, &temporaries, &mut next_read);
    });
    let mut next = program.add_node(action, node.span, node.handler);
    for (read, to) in reads.iter().zip(&temporaries).skip(1).rev() {
        let action = Action::Assign { to: Place::Var(*to), value: read.clone(), next };
        next = program.add_node(action, node.span, node.handler);
    }
    program.nodes[loc.index()].action =
        Action::Assign { to: Place::Var(temporaries[0]), value: reads[0].clone(), next };
}

/// A condition that looks at copies looks at what was copied: so do the monitors.
fn test_copies(program: &mut Program, reads: &[Expr], copies: &[VarId]) {
    for (read, copy) in reads.iter().zip(copies) {
        let mut from = Vec::new();
        read.each_cell(program, &mut |cell| from.push(cell));
        for (happening, _) in program.monitors.iter_mut().flat_map(|m| &mut m.watch) {
            if let EventPattern::Test { cells, .. } = happening
                && cells.iter().any(|cell| from.contains(cell))
            {
                cells.push(*copy);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Guarded {
    No,
    /// Evaluated only if something else says so: an element must not be read too early, its index
    /// may be wrong.
    Yes,
}

/// The shared reads of an expression from left to right. The index of an element is read with it.
fn collect(program: &Program, access: &Access, e: &Expr, guarded: Guarded, out: &mut Vec<Expr>) {
    match e {
        Expr::Const(_) | Expr::Any | Expr::Lookup(..) => {}
        Expr::Var(v) => {
            if access.shared[v.index()] {
                out.push(e.clone());
            }
        }
        Expr::Load(table, _) => {
            let values = &program.tables[table.index()].values;
            let shared = values.iter().any(|v| *v >= 0 && access.shared[*v as usize]);
            if shared && guarded == Guarded::No {
                out.push(e.clone());
            }
        }
        Expr::Unary(_, e) | Expr::Check(e, ..) | Expr::Count(e) | Expr::Callable(e) | Expr::Terminated(e) => {
            collect(program, access, e, guarded, out);
        }
        Expr::Binary(op, a, b) => {
            collect(program, access, a, guarded, out);
            let lazy = matches!(op, rendez_model::expr::BinaryOp::And | rendez_model::expr::BinaryOp::Or);
            collect(program, access, b, if lazy { Guarded::Yes } else { guarded }, out);
        }
        Expr::If(a, b, c) => {
            collect(program, access, a, guarded, out);
            collect(program, access, b, Guarded::Yes, out);
            collect(program, access, c, Guarded::Yes, out);
        }
    }
}

/// Replaces the reads, in the order in which they were found.
fn replace(e: Expr, reads: &[Expr], cells: &[VarId], next: &mut usize) -> Expr {
    if *next < reads.len() && e == reads[*next] {
        *next += 1;
        return Expr::Var(cells[*next - 1]);
    }
    let mut go = |e: Box<Expr>| Box::new(replace(*e, reads, cells, next));
    match e {
        Expr::Const(_) | Expr::Any | Expr::Var(_) => e,
        Expr::Load(t, e) => Expr::Load(t, go(e)),
        Expr::Lookup(t, e) => Expr::Lookup(t, go(e)),
        Expr::Unary(op, e) => Expr::Unary(op, go(e)),
        Expr::Check(e, lo, hi) => Expr::Check(go(e), lo, hi),
        Expr::Count(e) => Expr::Count(go(e)),
        Expr::Callable(e) => Expr::Callable(go(e)),
        Expr::Terminated(e) => Expr::Terminated(go(e)),
        Expr::Binary(op, a, b) => {
            let a = go(a);
            Expr::Binary(op, a, go(b))
        }
        Expr::If(a, b, c) => {
            let a = go(a);
            let b = go(b);
            Expr::If(a, b, go(c))
        }
    }
}
