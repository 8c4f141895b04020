//! Which actions may raise an exception, by the code alone.
//!
//! A call of a procedure may raise one if some action of the procedure may, and no handler there takes it; that is a
//! least fixpoint over call sites. A call of an entry always may. Which checks may fail is decided by the intervals of
//! slicing (`passes/slice.rs`), so the answer is the same before and after slicing and inlining, which remove only what
//! cannot raise.
//!
//! The answer is used where a state is explained, that is, to say who could still help a blocked task: handlers are
//! followed only from actions that may raise something. It is an over-approximation, and a handler that is followed in
//! vain may change the name of a finding, never the finding. When every action counted as raising there, a handler that
//! is never entered decided the kind of blocking until slicing removed it; a random program showed this.
//!
//! The interval analysis of `rendez_reach` is more exact, but it looks at one task at a time with its data, and is
//! about proofs.

use crate::passes::{assignment_may_fail, expression_may_fail};
use rendez_model::program::*;

/// By location: whether its action may raise an exception.
pub fn raising(program: &Program) -> Vec<bool> {
    let mut raising: Vec<bool> = program.nodes.iter().map(|n| by_itself(program, &n.action)).collect();
    let bodies: Vec<Vec<Loc>> = program.procs.iter().map(|p| program.reachable(p.start)).collect();
    let calls: Vec<(usize, ProcId)> = (program.nodes.iter().enumerate())
        .filter_map(|(i, n)| if let Action::Call { proc, .. } = n.action { Some((i, proc)) } else { None })
        .collect();
    let mut again = true;
    while std::mem::take(&mut again) {
        for (site, proc) in &calls {
            let escapes = |l: &Loc| raising[l.index()] && program.caught_at(*l).1;
            if !raising[*site] && bodies[proc.index()].iter().any(escapes) {
                raising[*site] = true;
                again = true;
            }
        }
    }
    raising
}

/// Whether an action may raise an exception, whatever it calls.
fn by_itself(program: &Program, action: &Action) -> bool {
    use Action::*;
    let fails = match action {
        Assign { to, value, .. } => assignment_may_fail(program, to, value),
        Call { proc, outs, .. } => outs.iter().any(|(i, place)| {
            let formal = program.procs[proc.index()].formals[*i].cell;
            assignment_may_fail(program, place, &rendez_model::Expr::Var(formal))
        }),
        Skip { .. } | Event { .. } | Delay { .. } | Branch { .. } | Choose { .. } | Havoc { .. } => false,
        Assert { .. } | Lock { .. } | Unlock { .. } | Defer { .. } | Undefer { .. } | Return => false,
        EndAccept { .. } | Activated { .. } | Complete { .. } | Await { .. } | Terminate | Stop { .. } => {
            false
        }
        _ => true,
    };
    let mut fails = fails;
    action.each_expr(&mut |e| fails |= expression_may_fail(program, e));
    fails
}
