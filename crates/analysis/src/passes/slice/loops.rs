//! What slicing must know about ends: procedures that return, and loops that count to their end.
//!
//! A call of a procedure that never returns is kept, because what follows it does not happen. A procedure returns if
//! some path through its code ends with a return or an exception, using only calls that return themselves: a least
//! fixpoint, so endless recursion does not count.
//!
//! A counter is a cell that is set once and then changed at one place, by one. A loop that tests whether it has reached
//! its end is left some time, and the step that counts cannot leave the range of the cell, because control comes to it
//! only from that test.

use rendez_model::code::{closure_by, each_written};
use rendez_model::expr::{BinaryOp, Expr, Place};
use rendez_model::program::*;

/// By procedure: whether some way through its code comes to its end, by calls that come back themselves.
pub(super) fn returning(program: &Program) -> Vec<bool> {
    let mut returns = vec![false; program.procs.len()];
    loop {
        let mut changed = false;
        for (p, proc) in program.procs.iter().enumerate().filter(|(p, _)| !returns[*p]).collect::<Vec<_>>() {
            let code = closure_by(program, vec![proc.start], |loc, work| match &program.node(loc).action {
                Action::Call { proc, .. } if !returns[proc.index()] => {}
                action => action.each_successor(|next| work.push(next)),
            });
            // An exception ends a procedure as well, and is kept wherever one may be raised.
            let ends = |l: &Loc| matches!(program.node(*l).action, Action::Return | Action::Raise { .. });
            if code.iter().any(ends) {
                returns[p] = true;
                changed = true;
            }
        }
        if !changed {
            return returns;
        }
    }
}

/// Cells whose every change but the first is a step of one, always in the same direction.
pub(super) fn counters(program: &Program) -> Vec<bool> {
    let mut sets = vec![0; program.vars.len()];
    let mut steps = vec![0; program.vars.len()];
    for node in &program.nodes {
        match &node.action {
            Action::Assign { to: Place::Var(v), value, .. } => {
                let step = matches!(
                    value,
                    Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b)
                        if **a == Expr::Var(*v) && **b == Expr::Const(1)
                );
                if step { steps[v.index()] += 1 } else { sets[v.index()] += 1 }
            }
            action => each_written(program, action, |v| sets[v.index()] += 2),
        }
    }
    (0..program.vars.len()).map(|v| sets[v] == 1 && steps[v] == 1).collect()
}

/// Where a cell is counted to the end of its range, one at a time, and control comes only from a test
/// that the end has not been reached.
pub(super) fn counted(program: &Program) -> Vec<bool> {
    let mut before: Vec<Vec<Loc>> = vec![Vec::new(); program.nodes.len()];
    for (i, node) in program.nodes.iter().enumerate() {
        node.action.each_successor(|next| before[next.index()].push(Loc::from(i)));
    }
    let mut entered = vec![false; program.nodes.len()];
    let starts = program.tasks.iter().flat_map(|t| [t.start, t.exit]);
    let starts = starts.chain(program.procs.iter().map(|p| p.start));
    let handlers = program.handlers.iter().flat_map(|h| h.choices.iter().map(|c| c.1));
    starts.chain(handlers).for_each(|loc| entered[loc.index()] = true);
    let tested = |loc: Loc, v: VarId, end: i64| {
        let not_yet = Expr::Binary(BinaryOp::NotEqual, Expr::Var(v).into(), Expr::Const(end).into());
        let mut work = vec![loc];
        let mut seen: Vec<Loc> = Vec::new();
        while let Some(at) = work.pop() {
            if entered[at.index()] || seen.len() > 8 {
                return false;
            }
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            for from in &before[at.index()] {
                match &program.node(*from).action {
                    Action::Skip { .. } => work.push(*from),
                    Action::Branch { cond, yes, no } if *cond == not_yet && *yes == at && yes != no => {}
                    _ => return false,
                }
            }
        }
        true
    };
    let is_counted = |(i, node): (usize, &Node)| {
        let Action::Assign { to: Place::Var(v), value: Expr::Binary(op, a, b), .. } = &node.action else {
            return false;
        };
        let Domain::Range(lo, hi) = program.vars[v.index()].domain else { return false };
        let by_one = **a == Expr::Var(*v) && **b == Expr::Const(1);
        by_one
            && match op {
                BinaryOp::Add => tested(Loc::from(i), *v, hi),
                BinaryOp::Subtract => tested(Loc::from(i), *v, lo),
                _ => false,
            }
    };
    program.nodes.iter().enumerate().map(is_counted).collect()
}
