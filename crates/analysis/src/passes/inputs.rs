//! Classes of input: values that the program cannot tell apart become one.
//!
//! A variable with input may have millions of values. If it is only ever compared with constants, it has a few classes:
//! between two neighbouring constants, all values give the same comparisons. One representative of each class is
//! enough, and the input becomes a choice among them. Comparisons are then decided instead of guessed, so findings that
//! depend on them are certain.
//!
//! Why this is right: every execution with some value has one with the representative of its class that takes the same
//! branches, and every representative is a possible input itself. So nothing is lost or added. Variables that are
//! copied to each other are treated as one group, with the constants of all (a union-find structure), provided that the
//! copy cannot fail a range check.
//!
//! A group is left alone if a value is used in any other way: in arithmetic, as an index, as a parameter of an entry or
//! procedure, in a barrier, in what a monitor watches. So is one with more than 16 classes, and one with no more than
//! 16 values, which the semantics enumerates anyway.

use std::collections::BTreeSet;

use rendez_model::code::each_written;
use rendez_model::expr::{BinaryOp, Expr, Place};
use rendez_model::program::*;

/// More classes are not told apart; so few values are anyway.
const MOST: usize = 16;

/// Replaces each input of many values by a choice among representatives.
pub fn classify_inputs(program: &mut Program) {
    let groups = Groups::new(program);
    for loc in 0..program.nodes.len() {
        let Action::Havoc { to: Place::Var(cell), next } = program.nodes[loc].action else { continue };
        let Some(values) = groups.representatives(program, cell) else { continue };
        let (span, handler) = (program.nodes[loc].span, program.nodes[loc].handler);
        let mut targets = Vec::new();
        for value in values {
            targets.push(Loc::from(program.nodes.len()));
            let action = Action::Assign { to: Place::Var(cell), value: Expr::Const(value), next };
            program.nodes.push(Node { action, span, handler });
        }
        program.nodes[loc].action = Action::Choose { targets };
    }
}

/// Variables that are copied to each other, and what they are compared with.
struct Groups {
    parent: Vec<u32>,
    /// Used in another way.
    other: Vec<bool>,
    constants: Vec<BTreeSet<i64>>,
}

impl Groups {
    fn new(program: &Program) -> Groups {
        let n = program.vars.len();
        let mut groups = Groups {
            parent: (0..n as u32).collect(),
            other: program.vars.iter().map(|v| v.domain == Domain::Opaque).collect(),
            constants: vec![BTreeSet::new(); n],
        };
        for node in &program.nodes {
            groups.see(program, &node.action);
        }
        let mut elsewhere: Vec<VarId> = program.cells_of_monitors();
        for entry in &program.entries {
            entry.barrier.iter().for_each(|b| groups.read(program, b));
        }
        elsewhere.extend(program.procs.iter().flat_map(|p| &p.formals).map(|f| f.cell));
        elsewhere.extend(program.handlers.iter().filter_map(|h| h.occurrence));
        elsewhere.iter().for_each(|v| groups.other[v.index()] = true);
        for v in 0..n {
            let root = groups.root(v as u32) as usize;
            groups.other[root] |= groups.other[v];
            let constants = std::mem::take(&mut groups.constants[v]);
            groups.constants[root].extend(constants);
        }
        groups
    }

    fn root(&self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }

    fn see(&mut self, program: &Program, action: &Action) {
        match action {
            Action::Havoc { to: Place::Var(_), .. }
            | Action::Assign { to: Place::Var(_), value: Expr::Const(_), .. } => return,
            Action::Assign { to: Place::Var(to), value: Expr::Var(from), .. } => {
                let domain = |v: VarId| program.vars[v.index()].domain;
                let wider = match (domain(*from), domain(*to)) {
                    (Domain::Range(lo, hi), Domain::Range(least, most)) => least <= lo && hi <= most,
                    _ => false,
                };
                if wider {
                    let (a, b) = (self.root(from.0), self.root(to.0));
                    self.parent[a as usize] = b;
                    return;
                }
            }
            Action::EntryCall { args, .. } | Action::Async { trigger: Trigger::Call { args, .. }, .. } => {
                args.iter().for_each(|v| self.other[v.index()] = true);
            }
            Action::Select { alternatives, .. } => {
                let formals = alternatives.iter().flat_map(|a| &a.formals);
                formals.for_each(|f| self.other[f.cell.index()] = true);
            }
            Action::FailAccept { occurrence } | Action::Resume { occurrence } => {
                self.other[occurrence.index()] = true;
            }
            _ => {}
        }
        each_written(program, action, |v| self.other[v.index()] = true);
        action.each_expr(&mut |e| self.read(program, e));
    }

    fn read(&mut self, program: &Program, e: &Expr) {
        use BinaryOp::*;
        match e {
            Expr::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, a, b) => {
                match (&**a, &**b) {
                    (Expr::Var(v), Expr::Const(c)) | (Expr::Const(c), Expr::Var(v)) => {
                        self.constants[v.index()].insert(*c);
                    }
                    _ => {
                        self.read(program, a);
                        self.read(program, b);
                    }
                }
            }
            Expr::Unary(_, a) => self.read(program, a),
            Expr::Binary(_, a, b) => {
                self.read(program, a);
                self.read(program, b);
            }
            Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| self.read(program, e)),
            e => e.each_cell(program, &mut |v| self.other[v.index()] = true),
        }
    }

    /// One value of each class, if there are few classes of many values.
    fn representatives(&self, program: &Program, cell: VarId) -> Option<Vec<i64>> {
        let Domain::Range(lo, hi) = program.vars[cell.index()].domain else { return None };
        let root = self.root(cell.0) as usize;
        if self.other[root] || hi.saturating_sub(lo) < MOST as i64 {
            return None;
        }
        let cuts: BTreeSet<i64> = self.constants[root]
            .iter()
            .flat_map(|c| [*c, c.saturating_add(1)])
            .filter(|c| lo < *c && *c <= hi)
            .collect();
        let firsts = std::iter::once(lo).chain(cuts.iter().copied());
        let lasts = cuts.iter().map(|c| c - 1).chain([hi]);
        let values: Vec<i64> =
            firsts.zip(lasts).map(|(first, last)| if last == hi { first } else { last }).collect();
        (values.len() <= MOST).then_some(values)
    }
}
