//! Inlining of calls, with a bound on recursion.
//!
//! Calls are replaced by copies of the procedure: arguments are assigned, the body runs, results are assigned. Analyses
//! that look at single control-flow graphs then see whole tasks; `rendez_reach` uses it for its proofs by the code
//! alone. All arguments are evaluated before any is assigned, so an argument that reads a cell which another one sets
//! gets a temporary.
//!
//! A procedure without recursion is never active twice in a task, so all its copies share its locals. A recursive
//! procedure gets fresh locals for each copy, and is copied at most so many times within itself; deeper calls stop the
//! execution with a reason, which verdicts report. Several recursive calls in one body would make copies grow
//! exponentially, so growth is limited, with the same effect.
//!
//! Handlers are copied along with the code that they guard, and an exception that the procedure does not handle reaches
//! the handler around the call.
//!
//! Depth is counted along the stack of copies being made. Earlier, every later call of a procedure was treated as a
//! call within itself.

use std::collections::HashMap;

use rendez_model::expr::{Expr, Place};
use rendez_model::program::*;

/// Several calls of itself make the copies of a procedure grow exponentially: beyond this many
/// more locations no more are made.
const MAX_GROWTH: usize = 15_000;

/// Replaces calls by copies of the procedures. A recursive procedure is copied at most `bound`
/// times within itself; executions that go deeper are not followed, which is noted as an
/// assumption. Every copy of a recursive procedure has locals of its own; other procedures are
/// never active twice in a task and keep theirs.
pub fn inline(program: &mut Program, bound: usize) {
    let recursive = recursive_procs(program);
    let limit = program.nodes.len() + MAX_GROWTH;
    let mut inliner = Inliner { program, bound, recursive, limit };
    for t in 0..inliner.program.tasks.len() {
        let start = inliner.program.tasks[t].start;
        let locs = inliner.program.reachable(start);
        inliner.region(&locs, &mut Vec::new());
    }
    let bodies: Vec<ProcId> = inliner.program.bodies.values().copied().collect();
    for proc in bodies {
        let start = inliner.program.procs[proc.index()].start;
        let locs = inliner.program.reachable(start);
        inliner.region(&locs, &mut vec![proc]);
    }
    let exits: Vec<Loc> = program.tasks.iter().map(|t| t.exit).collect();
    super::compact(program, &exits);
}

/// The procedures that may call themselves.
pub fn recursive_procedures(program: &Program) -> Vec<ProcId> {
    let recursive = recursive_procs(program);
    (0..recursive.len()).filter(|p| recursive[*p]).map(ProcId::from).collect()
}

/// Procedures on a cycle of calls.
fn recursive_procs(program: &Program) -> Vec<bool> {
    let n = program.procs.len();
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (p, proc) in program.procs.iter().enumerate() {
        for loc in program.reachable(proc.start) {
            if let Action::Call { proc, .. } = &program.node(loc).action {
                calls[p].push(proc.index());
            }
        }
    }
    (0..n)
        .map(|p| {
            let mut seen = vec![false; n];
            let mut work = calls[p].clone();
            while let Some(q) = work.pop() {
                if q == p {
                    return true;
                }
                if !std::mem::replace(&mut seen[q], true) {
                    work.extend(&calls[q]);
                }
            }
            false
        })
        .collect()
}

struct Inliner<'p> {
    program: &'p mut Program,
    bound: usize,
    recursive: Vec<bool>,
    limit: usize,
}

impl Inliner<'_> {
    /// Replaces the calls at these locations; `stack` are the procedures they are in.
    fn region(&mut self, locs: &[Loc], stack: &mut Vec<ProcId>) {
        for &loc in locs {
            let Action::Call { proc, args, outs, next } = self.program.node(loc).action.clone() else {
                continue;
            };
            let depth = stack.iter().filter(|p| **p == proc).count();
            if depth >= self.bound || self.program.nodes.len() > self.limit {
                let name = self.program.procs[proc.index()].name.clone();
                let times = depth.min(self.bound);
                let reason = format!("{name} is called within itself at most {times} times");
                self.program.nodes[loc.index()].action = Action::Stop { why: Cut::Bound, reason };
                continue;
            }
            let (copy, body) = self.copy(proc, loc, &args, &outs, next);
            self.program.nodes[loc.index()].action = Action::Skip { next: copy };
            stack.push(proc);
            self.region(&body, stack);
            stack.pop();
        }
    }

    /// Copies a procedure for one call: arguments in, body, results out. The locations of the body
    /// are those that may hold calls.
    fn copy(
        &mut self,
        proc: ProcId,
        site: Loc,
        args: &[Expr],
        outs: &[(usize, Place)],
        next: Loc,
    ) -> (Loc, Vec<Loc>) {
        let original = self.program.procs[proc.index()].clone();
        let (span, outer) = (self.program.node(site).span, self.program.node(site).handler);
        // Fresh locals where the procedure may be active more than once.
        let mut cells: HashMap<VarId, VarId> = HashMap::new();
        if self.recursive[proc.index()] {
            for local in &original.locals {
                let var = self.program.vars[local.index()].clone();
                self.program.vars.push(var);
                cells.insert(*local, VarId::from(self.program.vars.len() - 1));
            }
        }
        let cell = |v: VarId| cells.get(&v).copied().unwrap_or(v);
        // Results are assigned behind the body, in order.
        let mut after = next;
        for (i, place) in outs.iter().rev() {
            let value = Expr::Var(cell(original.formals[*i].cell));
            let action = Action::Assign { to: place.clone(), value, next: after };
            after = self.program.add_node(action, span, outer);
        }
        let body = self.program.reachable(original.start);
        let first = self.program.nodes.len();
        let renumber: HashMap<Loc, Loc> =
            body.iter().enumerate().map(|(i, loc)| (*loc, Loc::from(first + i))).collect();
        let mut handlers: HashMap<HandlerId, HandlerId> = HashMap::new();
        let mut tables: HashMap<TableId, TableId> = HashMap::new();
        for loc in &body {
            let mut node = self.program.node(*loc).clone();
            node.action.map_successors(|l| renumber[&l]);
            if node.action == Action::Return {
                node.action = Action::Skip { next: after };
            }
            if !cells.is_empty() {
                self.rename(&mut node.action, &cells, &mut tables);
            }
            node.handler = self.handler(node.handler, outer, &renumber, &cells, &mut handlers);
            self.program.nodes.push(node);
        }
        // Arguments: all are evaluated before any is assigned.
        let inputs: Vec<(VarId, Expr)> = original
            .formals
            .iter()
            .zip(args)
            .filter(|(f, _)| f.mode.copies_in())
            .map(|(f, e)| (cell(f.cell), e.clone()))
            .collect();
        let mut entry = renumber[&original.start];
        let mut early = Vec::new();
        for (to, value) in inputs.iter().rev() {
            // A direct assignment is right unless another argument reads the cell.
            let clash = inputs.iter().any(|(other, e)| {
                let mut reads = false;
                e.each_cell(self.program, &mut |c| reads |= c == *to);
                reads && other != to
            });
            if clash {
                let kept = self.program.vars[to.index()].clone();
                self.program.vars.push(kept);
                let kept = VarId::from(self.program.vars.len() - 1);
                let action = Action::Assign { to: Place::Var(*to), value: Expr::Var(kept), next: entry };
                entry = self.program.add_node(action, span, outer);
                early.push((*to, kept, value.clone()));
            }
        }
        for (to, value) in inputs.iter().rev() {
            if !early.iter().any(|(of, ..)| of == to) {
                let action = Action::Assign { to: Place::Var(*to), value: value.clone(), next: entry };
                entry = self.program.add_node(action, span, outer);
            }
        }
        for (_, kept, value) in early {
            let action = Action::Assign { to: Place::Var(kept), value, next: entry };
            entry = self.program.add_node(action, span, outer);
        }
        (entry, body.iter().map(|loc| renumber[loc]).collect())
    }

    fn handler(
        &mut self,
        id: Option<HandlerId>,
        outer: Option<HandlerId>,
        renumber: &HashMap<Loc, Loc>,
        cells: &HashMap<VarId, VarId>,
        done: &mut HashMap<HandlerId, HandlerId>,
    ) -> Option<HandlerId> {
        let Some(id) = id else { return outer };
        if let Some(copy) = done.get(&id) {
            return Some(*copy);
        }
        let mut handler = self.program.handlers[id.index()].clone();
        handler.choices.iter_mut().for_each(|c| c.1 = renumber[&c.1]);
        handler.occurrence = handler.occurrence.map(|v| cells.get(&v).copied().unwrap_or(v));
        handler.outer = self.handler(handler.outer, outer, renumber, cells, done);
        self.program.handlers.push(handler);
        let copy = HandlerId::from(self.program.handlers.len() - 1);
        done.insert(id, copy);
        Some(copy)
    }

    /// Replaces cells in an action, tables of cells included.
    fn rename(
        &mut self,
        action: &mut Action,
        cells: &HashMap<VarId, VarId>,
        tables: &mut HashMap<TableId, TableId>,
    ) {
        let program = &mut *self.program;
        let mut table = |t: TableId| {
            *tables.entry(t).or_insert_with(|| {
                let mut copy = program.tables[t.index()].clone();
                let mut touched = false;
                for value in &mut copy.values {
                    if let Some(new) = u32::try_from(*value).ok().and_then(|v| cells.get(&VarId(v))) {
                        *value = i64::from(new.0);
                        touched = true;
                    }
                }
                if touched { program.add_table(copy.name, copy.first, copy.values) } else { t }
            })
        };
        let cell = |v: VarId| cells.get(&v).copied().unwrap_or(v);
        // Tables of constants are never renamed: only `Load` and places hold cells.
        action.map_exprs(&mut |e| {
            let taken = std::mem::replace(e, Expr::Any);
            *e = taken.rewrite(&mut |e| match e {
                Expr::Var(v) => Expr::Var(cell(v)),
                Expr::Load(t, i) => Expr::Load(table(t), i),
                e => e,
            });
        });
        let mut place = |p: &mut Place| match p {
            Place::Var(v) => *v = cell(*v),
            Place::Indexed(t, _) => *t = table(*t),
            Place::Nowhere => {}
        };
        match action {
            Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => place(to),
            Action::Call { outs, .. } => outs.iter_mut().for_each(|o| place(&mut o.1)),
            Action::EntryCall { args, .. } | Action::Async { trigger: Trigger::Call { args, .. }, .. } => {
                args.iter_mut().for_each(|a| *a = cell(*a));
            }
            Action::Select { alternatives, .. } => {
                alternatives.iter_mut().flat_map(|a| &mut a.formals).for_each(|f| f.cell = cell(f.cell));
            }
            Action::FailAccept { occurrence } | Action::Resume { occurrence } => {
                *occurrence = cell(*occurrence)
            }
            _ => {}
        }
    }
}
