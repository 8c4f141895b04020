//! Which cells surely have a value whenever they are read, and which guards therefore need not be evaluated.
//!
//! A guard of a select statement decides nothing if no call waits for its alternative and another call is accepted. The
//! semantics then leaves it alone, and a step depends on fewer cells, which means fewer steps to learn and smaller
//! nets. Leaving a guard alone is right only if evaluating it could have no effect: it surely has a value, so that
//! nothing depends on a guess, and it raises no exception.
//!
//! Having a value is definite assignment. A local cell without an initial value is fine if it is not live at the start
//! of its task, because then every path writes it before it reads it (`liveness.rs`). The rest is a fixpoint over
//! assignments, in which cells only ever lose the property: from untracked values, from results and arguments of calls
//! that may have none, across all entries to which a call may go. Order is ignored, so a cell that may ever get
//! something unknown is never sure.

use crate::access::Access;
use crate::liveness::Liveness;
use rendez_model::expr::{Expr, Place, Value};
use rendez_model::program::*;

/// By location: a select statement all of whose guards have a value and raise nothing.
pub fn plain_selects(program: &Program) -> Vec<bool> {
    let mut plain = vec![false; program.nodes.len()];
    let several = |node: &Node| match &node.action {
        Action::Select { alternatives, .. } => {
            alternatives.len() > 1 && alternatives.iter().any(|a| a.guard.is_some())
        }
        _ => false,
    };
    if !program.nodes.iter().any(several) {
        return plain;
    }
    let access = Access::new(program);
    let Some(liveness) = Liveness::new(program, &access) else { return plain };
    let definite = DefiniteAssignment::new(program, &access, &liveness);
    for (loc, node) in program.nodes.iter().enumerate().filter(|(_, node)| several(node)) {
        if let Action::Select { alternatives, delays, terminate, .. } = &node.action {
            let guards = alternatives
                .iter()
                .filter_map(|a| a.guard.as_ref())
                .chain(delays.iter().filter_map(|d| d.0.as_ref()))
                .chain(terminate.iter().flatten());
            plain[loc] = alternatives.iter().all(|a| a.entry.constant().is_some())
                && guards.into_iter().all(|g| definite.has_value(g) && !g.may_raise(program));
        }
    }
    plain
}

struct DefiniteAssignment<'p> {
    program: &'p Program,
    /// Cells that may be read without a value.
    unsure: Vec<bool>,
    changed: bool,
}

impl<'p> DefiniteAssignment<'p> {
    fn new(program: &'p Program, access: &Access, liveness: &Liveness) -> DefiniteAssignment<'p> {
        let code: Vec<&Action> = access.code.iter().flatten().map(|l| &program.node(*l).action).collect();
        // Parameters have the value of the argument whenever the body runs.
        let mut given = vec![false; program.vars.len()];
        let accepted = code.iter().flat_map(|action| match action {
            Action::Select { alternatives, .. } => &alternatives[..],
            _ => &[],
        });
        let formals = accepted.flat_map(|a| &a.formals).chain(program.procs.iter().flat_map(|p| &p.formals));
        formals.filter(|f| f.mode.copies_in()).for_each(|f| given[f.cell.index()] = true);
        let unsure = program.vars.iter().enumerate().map(|(v, var)| {
            let written_first = match var.storage {
                Storage::Local(task) => !liveness.is_live(program.tasks[task.index()].start, VarId::from(v)),
                _ => false,
            };
            var.domain == Domain::Opaque || (var.init == Value::Any && !written_first && !given[v])
        });
        let mut definite = DefiniteAssignment { program, unsure: unsure.collect(), changed: true };
        let requeues = code.iter().any(|action| matches!(action, Action::Requeue { .. }));
        while std::mem::take(&mut definite.changed) {
            for action in &code {
                definite.follow(action, &code, requeues);
            }
        }
        definite
    }

    /// Whether an expression has a value, if it raises nothing.
    fn has_value(&self, e: &Expr) -> bool {
        let mut has = true;
        e.walk(&mut |e| has &= *e != Expr::Any);
        e.each_cell(self.program, &mut |cell| has &= !self.unsure[cell.index()]);
        has
    }

    fn lose(&mut self, cell: VarId) {
        self.changed |= !std::mem::replace(&mut self.unsure[cell.index()], true);
    }

    /// A place gets something, with a value or without.
    fn assign(&mut self, to: &Place, value: bool) {
        let mut known = value;
        to.each_index(&mut |index| known &= self.has_value(index));
        if !known {
            let program = self.program;
            to.each_cell(program, |cell| self.lose(cell));
        }
    }

    fn follow(&mut self, action: &Action, code: &[&'p Action], requeues: bool) {
        let program = self.program;
        match action {
            Action::Assign { to, value, .. } => self.assign(to, self.has_value(value)),
            Action::Havoc { to, .. } => self.assign(to, false),
            Action::Allocate { to, .. } => self.assign(to, true),
            Action::Call { proc, args, outs, .. } => {
                let formals = &program.procs[proc.index()].formals;
                for (i, formal) in formals.iter().enumerate().filter(|(_, f)| f.mode.copies_in()) {
                    if !args.get(i).is_some_and(|arg| self.has_value(arg)) {
                        self.lose(formal.cell);
                    }
                }
                for (i, to) in outs {
                    self.assign(to, !self.unsure[formals[*i].cell.index()]);
                }
            }
            Action::EntryCall { entry, args, .. } => {
                let entries = program.possible_entries(entry);
                let meant = |e: &EntryId| requeues || entries.contains(e);
                let bodies = program.bodies.iter().filter(|((_, e), _)| meant(e));
                for (_, body) in bodies {
                    self.pass(args, &program.procs[body.index()].formals);
                }
                for action in code {
                    if let Action::Select { alternatives, .. } = action {
                        for a in alternatives {
                            if program.possible_entries(&a.entry).iter().any(meant) {
                                self.pass(args, &a.formals);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Arguments go to parameters, and results come back.
    fn pass(&mut self, args: &[VarId], formals: &[Formal]) {
        for (i, formal) in formals.iter().enumerate() {
            let arg = args.get(i).copied();
            if formal.mode.copies_in() && arg.is_none_or(|arg| self.unsure[arg.index()]) {
                self.lose(formal.cell);
            }
            if let Some(arg) = arg
                && formal.mode.copies_out()
                && self.unsure[formal.cell.index()]
            {
                self.lose(arg);
            }
        }
    }
}
