//! Where exceptions go.
//!
//! An exception leaves the location where it is raised for the first handler that takes it, outwards through handlers
//! and then through the procedures on the stack, whose locals are gone afterwards. Each possible target gets a node of
//! its own with what happens on the way. If it is not known which exception it is, every handler on the way may take
//! it, up to the first one that takes all others; a handler that compares a stored exception assumes the comparison.
//! Whether an expression may raise one at all is decided by the code, so an edge is missing only if none is possible.

use rendez_model::{Catch, ExceptionId, Expr, Loc, Place, ProcId};

use super::super::letters::equals;
use super::super::{Id, Op};
use super::{Builder, ContextFrame, Raised};

impl Builder<'_> {
    /// Where an exception goes: nodes that do what happens on the way.
    pub(super) fn raise(&mut self, context: u32, loc: Loc, which: Raised, before: &[Op]) -> Vec<Id> {
        let program = self.program;
        let mut found = Vec::new();
        let mut ops = before.to_vec();
        let mut context = context;
        let mut at = loc;
        let held = |which: Raised, e: ExceptionId, ops: &mut Vec<Op>| {
            if let Raised::Held(Some(cell)) = which {
                ops.push(Op::Assume(equals(Expr::Var(cell), i64::from(e.0)), true));
            }
        };
        loop {
            let mut handler = program.node(at).handler;
            while let Some(id) = handler {
                let h = &program.handlers[id.index()];
                let mut closed = false;
                for (catch, target) in &h.choices {
                    let mut ops = ops.clone();
                    let value = match (catch, which) {
                        (Catch::Exception(e), Raised::Just(raised)) if *e != raised => continue,
                        (Catch::Exception(e), _) => {
                            held(which, *e, &mut ops);
                            Expr::Const(i64::from(e.0))
                        }
                        (Catch::Others, Raised::Just(raised)) => Expr::Const(i64::from(raised.0)),
                        (Catch::Others, Raised::Held(Some(cell))) => Expr::Var(cell),
                        (Catch::Others, Raised::Held(None)) => Expr::Any,
                    };
                    if let Some(cell) = h.occurrence {
                        ops.push(Op::Set(cell, value));
                    }
                    let target = self.place(context, *target);
                    found.push(self.step(context, loc, ops, vec![target]));
                    closed = *catch == Catch::Others || matches!(which, Raised::Just(_));
                    if closed {
                        break;
                    }
                }
                if closed {
                    return found;
                }
                handler = h.outer;
            }
            // Out of the innermost procedure.
            loop {
                let (parent, frame) = self.contexts.list[context as usize].clone();
                match frame {
                    None => {
                        let exit = self.place(0, program.tasks[self.task.index()].exit);
                        found.push(self.step(0, loc, ops, vec![exit]));
                        return found;
                    }
                    Some(ContextFrame::Call { site, proc } | ContextFrame::Entry { site, proc, .. }) => {
                        ops.extend(self.leave(proc));
                        // A recursive call may have been made elsewhere.
                        for (other, site) in self.contexts.returns.get(&context).cloned().unwrap_or_default()
                        {
                            if other != context {
                                found.extend(self.raise(other, site, which, &ops));
                            }
                        }
                        context = parent;
                        at = site;
                        break;
                    }
                    Some(ContextFrame::Accept { .. } | ContextFrame::Async { .. }) => context = parent,
                }
            }
        }
    }

    /// Locals of a procedure that is left.
    pub(super) fn leave(&self, proc: ProcId) -> Vec<Op> {
        let locals = &self.program.procs[proc.index()].locals;
        locals
            .iter()
            .map(|l| match self.facts.recursive[l.index()] {
                true => Op::Havoc(Place::Var(*l)),
                false => Op::Reset(*l),
            })
            .collect()
    }

    /// Adds what happens if an expression cannot be evaluated.
    pub(super) fn or_raise(&mut self, id: Id, context: u32, loc: Loc, expr: &Expr) {
        if expr.may_raise(self.program) && !self.facts.unchecked {
            let which = Raised::Just(ExceptionId::CONSTRAINT_ERROR);
            let raised = self.raise(context, loc, which, &[Op::Raises(expr.clone())]);
            self.nodes[id as usize].succ.extend(raised);
        }
    }

    pub(super) fn may_fail(&self, to: &Place, value: &Expr) -> bool {
        !self.facts.unchecked
            && (value.may_raise(self.program)
                || match to {
                    Place::Nowhere => false,
                    Place::Indexed(..) => true,
                    Place::Var(cell) => !value.is_any() && !value.fits(self.program, *cell),
                })
    }
}
