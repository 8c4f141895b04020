//! Which checks may fail, by the intervals of values.
//!
//! The interval of an expression follows from the domains of its cells (interval arithmetic, saturating at the ends of
//! 64 bits). A check whose interval lies inside of its range cannot fail, so it is no reason to keep anything. A value
//! that is not followed at all has no interval, and its check is not taken to fail.
//!
//! Where a part of an expression is evaluated under a condition, the condition decides as well whether a check is made,
//! so the whole expression matters then.

use rendez_model::expr::{BinaryOp, Expr, Place, UnaryOp};
use rendez_model::program::*;

/// The values that an expression may have; None if it is not followed at all.
fn interval(program: &Program, e: &Expr) -> Option<(i64, i64)> {
    let of_cell = |v: VarId| match program.vars[v.index()].domain {
        Domain::Range(lo, hi) => Some((lo, hi)),
        Domain::Opaque => None,
    };
    interval_by(program, &of_cell, e)
}

/// The same, if the values of cells are known more exactly.
pub(super) fn interval_by(
    program: &Program,
    of_cell: &dyn Fn(VarId) -> Option<(i64, i64)>,
    e: &Expr,
) -> Option<(i64, i64)> {
    let interval = |e: &Expr| interval_by(program, of_cell, e);
    Some(match e {
        Expr::Const(v) => (*v, *v),
        Expr::Any => return None,
        Expr::Var(v) => of_cell(*v)?,
        Expr::Load(table, _) => {
            let mut all: Option<(i64, i64)> = None;
            for v in program.tables[table.index()].values.iter().filter(|v| **v >= 0) {
                let (lo, hi) = of_cell(VarId(*v as u32))?;
                all = Some(all.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi))));
            }
            all?
        }
        Expr::Lookup(table, _) => {
            let values = &program.tables[table.index()].values;
            (*values.iter().min()?, *values.iter().max()?)
        }
        Expr::Unary(UnaryOp::Not, _) => (0, 1),
        Expr::Unary(UnaryOp::Negate, e) => {
            let (lo, hi) = interval(e)?;
            (hi.saturating_neg(), lo.saturating_neg())
        }
        Expr::Unary(UnaryOp::Abs, e) => {
            let (lo, hi) = interval(e)?;
            (0, lo.saturating_abs().max(hi.saturating_abs()))
        }
        Expr::Unary(UnaryOp::Wrap(m), _) => (0, m - 1),
        Expr::Binary(op, a, b) => {
            use BinaryOp::*;
            match op {
                And | Or | Xor | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => (0, 1),
                Mod => match b.constant() {
                    Some(m) if m > 0 => (0, m - 1),
                    _ => (i64::MIN, i64::MAX),
                },
                Add | Subtract | Multiply => {
                    let ((a, b), (c, d)) = (interval(a)?, interval(b)?);
                    match op {
                        Add => (a.saturating_add(c), b.saturating_add(d)),
                        Subtract => (a.saturating_sub(d), b.saturating_sub(c)),
                        _ => {
                            let all = [
                                a.saturating_mul(c),
                                a.saturating_mul(d),
                                b.saturating_mul(c),
                                b.saturating_mul(d),
                            ];
                            (all.into_iter().min()?, all.into_iter().max()?)
                        }
                    }
                }
                Divide => {
                    let (lo, hi) = interval(a)?;
                    match b.constant() {
                        Some(m) if m > 0 => (lo / m, hi / m),
                        _ => (lo.min(hi.saturating_neg()), hi.max(lo.saturating_neg())),
                    }
                }
                Rem | Power => (i64::MIN, i64::MAX),
            }
        }
        Expr::If(_, a, b) => {
            let ((a, b), (c, d)) = (interval(a)?, interval(b)?);
            (a.min(c), b.max(d))
        }
        Expr::Check(_, lo, hi) => (*lo, *hi),
        Expr::Count(_) => (0, program.tasks.len() as i64),
        Expr::Callable(_) | Expr::Terminated(_) => (0, 1),
    })
}

/// Values beyond 32 bits are looked at more closely (`overflows`): the domain of a counter says nothing.
fn exceeds((lo, hi): (i64, i64), range: (i64, i64)) -> bool {
    (range.0 > i64::from(i32::MIN) && lo < range.0) || (range.1 < i64::from(i32::MAX) && hi > range.1)
}

/// Whether evaluating an expression may raise an exception.
pub(crate) fn may_raise(program: &Program, e: &Expr) -> bool {
    let mut found = false;
    each_risk(program, e, &mut |_| found = true);
    found
}

/// Visits the parts of an expression whose values decide whether it raises an exception.
pub(super) fn each_risk<'e>(program: &Program, whole: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    // Where a part is evaluated under a condition, everything decides.
    let mut conditional = false;
    whole.walk(&mut |e| {
        conditional |= matches!(e, Expr::If(..) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..));
    });
    let mut f = |part| f(if conditional { whole } else { part });
    whole.walk(&mut |e| match e {
        Expr::Check(inner, lo, hi) if interval(program, inner).is_some_and(|i| exceeds(i, (*lo, *hi))) => {
            f(inner)
        }
        Expr::Load(table, index) | Expr::Lookup(table, index) => {
            let t = &program.tables[table.index()];
            let range = (t.first, t.first + t.values.len() as i64 - 1);
            if interval(program, index).is_some_and(|(lo, hi)| lo < range.0 || hi > range.1) {
                f(index);
            }
        }
        Expr::Binary(BinaryOp::Divide | BinaryOp::Mod | BinaryOp::Rem, _, b) => {
            let zero = match b.constant() {
                Some(v) => v == 0,
                None => interval(program, b).is_some_and(|(lo, hi)| lo <= 0 && hi >= 0),
            };
            if zero {
                f(b);
            }
        }
        _ => {}
    });
}

/// Whether an assignment may fail a range check.
pub(crate) fn may_fail(program: &Program, to: &Place, value: &Expr) -> bool {
    let mut found = false;
    if let Place::Indexed(table, index) = to {
        let t = &program.tables[table.index()];
        let range = (t.first, t.first + t.values.len() as i64 - 1);
        found |= interval(program, index).is_some_and(|(lo, hi)| lo < range.0 || hi > range.1);
    }
    let Some(values) = interval(program, value) else { return found };
    to.each_cell(program, |c| {
        if let Domain::Range(lo, hi) = program.vars[c.index()].domain {
            found |= exceeds(values, (lo, hi));
        }
    });
    found
}
