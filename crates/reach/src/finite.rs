//! Programs whose executions all come to an end, by their loops alone.
//!
//! A loop ends if every round adds to a counter that nothing else in the loop sets: the range of the
//! counter is finite. A server's loop ends if every round accepts a call and its callers' loops end.
//! Such a program terminates or blocks; it cannot run for ever. Then a model that forgets how often
//! loops are run has all its blocked states, and perhaps more: if that model never blocks, the
//! program does not either.

use rendez_evidence::components;
use rendez_model::access::{each_written, task_code};
use rendez_model::passes::{inline, recursive_procedures};
use rendez_model::{Action, BinaryOp, Expr, Loc, Owner, Place, Program, Storage, TaskId, VarId};

/// The counters of the loops of a program that cannot run for ever; None if it perhaps can.
pub fn counters(program: &Program) -> Option<Vec<VarId>> {
    if !recursive_procedures(program).is_empty() || program.tasks.iter().any(|t| t.background) {
        return None;
    }
    let mut flat = program.clone();
    inline(&mut flat, 1);
    let mut finder =
        Finder { program: &flat, task: TaskId::ENVIRONMENT, counters: Vec::new(), serves: Vec::new() };
    for t in 0..flat.tasks.len() {
        finder.task = TaskId::from(t);
        let code = task_code(&flat, finder.task);
        if code.iter().any(|l| matches!(flat.node(*l).action, Action::Call { .. })) {
            return None;
        }
        if !finder.ends(&code, 0) {
            return None;
        }
    }
    let serves = finder.serves.clone();
    let found = finder.counters;
    // Servers must not call each other in a circle.
    let calls = |t: usize| -> Vec<usize> {
        let mut all = Vec::new();
        for loc in task_code(&flat, TaskId::from(t)) {
            let (Action::EntryCall { entry, .. } | Action::Requeue { entry, .. }) = &flat.node(loc).action
            else {
                continue;
            };
            for e in flat.possible_entries(entry) {
                if let Owner::Task(owner) = flat.entries[e.index()].owner {
                    all.push(owner.index());
                }
            }
        }
        all
    };
    let edges: Vec<Vec<usize>> = (0..flat.tasks.len()).map(calls).collect();
    let circles = components(flat.tasks.len(), |t, k| edges[t as usize].get(k).map(|c| *c as u32));
    let circular = |c: &Vec<u32>| {
        (c.len() > 1 || edges[c[0] as usize].contains(&(c[0] as usize)))
            && c.iter().any(|t| serves.contains(&TaskId(*t)))
    };
    if circles.iter().any(circular) {
        return None;
    }
    Some(found)
}

/// Of some counters, those that nothing but the ends of loops depends on.
pub fn forgettable(program: &Program, counters: &[VarId]) -> Vec<VarId> {
    let mut used = vec![false; program.vars.len()];
    for node in &program.nodes {
        let mut note = |e: &Expr| e.each_cell(program, &mut |cell| used[cell.index()] = true);
        match &node.action {
            // The end of the loop, and the counting.
            Action::Branch { cond, .. } if compares(cond) => {}
            Action::Assign { to: Place::Var(v), value, .. } if added_to(value, *v).is_some() => {}
            action => action.each_expr(&mut |e| note(e)),
        }
        match &node.action {
            Action::EntryCall { args, .. } => args.iter().for_each(|a| used[a.index()] = true),
            Action::Select { alternatives, .. } => {
                alternatives.iter().flat_map(|a| &a.formals).for_each(|f| used[f.cell.index()] = true);
            }
            _ => {}
        }
    }
    for barrier in program.entries.iter().filter_map(|e| e.barrier.as_ref()) {
        barrier.each_cell(program, &mut |cell| used[cell.index()] = true);
    }
    counters.iter().copied().filter(|v| !used[v.index()]).collect()
}

/// A cell compared with something that is not the cell of another loop.
fn compares(cond: &Expr) -> bool {
    use BinaryOp::*;
    match cond {
        Expr::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, a, b) => {
            matches!(
                (a.as_ref(), b.as_ref()),
                (Expr::Var(_), Expr::Const(_) | Expr::Var(_)) | (Expr::Const(_), Expr::Var(_))
            )
        }
        Expr::Unary(rendez_model::UnaryOp::Not, inner) => compares(inner),
        _ => false,
    }
}

/// What a value adds to a cell, if it is the cell plus a constant.
fn added_to(value: &Expr, cell: VarId) -> Option<i64> {
    match value {
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => match (a.as_ref(), b.as_ref()) {
            (Expr::Var(v), Expr::Const(c)) if *v == cell && *c != 0 => {
                Some(if *op == BinaryOp::Add { *c } else { -*c })
            }
            (Expr::Const(c), Expr::Var(v)) if *v == cell && *c != 0 && *op == BinaryOp::Add => Some(*c),
            _ => None,
        },
        Expr::Check(inner, ..) => added_to(inner, cell),
        _ => None,
    }
}

struct Finder<'p> {
    program: &'p Program,
    task: TaskId,
    counters: Vec<VarId>,
    /// Tasks with a loop that ends only because its callers stop calling.
    serves: Vec<TaskId>,
}

impl Finder<'_> {
    /// Whether control cannot stay among these locations for ever.
    fn ends(&mut self, locs: &[Loc], depth: usize) -> bool {
        let mut place = std::collections::HashMap::new();
        for (i, loc) in locs.iter().enumerate() {
            place.insert(*loc, i as u32);
        }
        let next: Vec<Vec<u32>> = locs
            .iter()
            .map(|loc| {
                let node = self.program.node(*loc);
                let mut all = Vec::new();
                node.action.each_successor(|l| all.extend(place.get(&l)));
                let mut handler = node.handler;
                while let Some(id) = handler {
                    let h = &self.program.handlers[id.index()];
                    all.extend(h.choices.iter().filter_map(|c| place.get(&c.1)));
                    handler = h.outer;
                }
                all
            })
            .collect();
        for component in components(locs.len(), |s, k| next[s as usize].get(k).copied()) {
            if component.len() == 1 && !next[component[0] as usize].contains(&component[0]) {
                continue;
            }
            let inside: Vec<Loc> = component.iter().map(|i| locs[*i as usize]).collect();
            if depth > 20 || !self.loop_ends(&inside, depth) {
                return false;
            }
        }
        true
    }

    fn loop_ends(&mut self, inside: &[Loc], depth: usize) -> bool {
        // A counter: added to in the loop, in one direction, and not set otherwise.
        let mut candidates: Vec<VarId> = Vec::new();
        for loc in inside {
            if let Action::Assign { to: Place::Var(v), value, .. } = &self.program.node(*loc).action
                && added_to(value, *v).is_some()
                && self.program.vars[v.index()].storage == Storage::Local(self.task)
                && !candidates.contains(v)
            {
                candidates.push(*v);
            }
        }
        for v in candidates {
            let mut direction = 0;
            let mut steady = true;
            let mut rest = Vec::new();
            for loc in inside {
                let action = &self.program.node(*loc).action;
                match action {
                    Action::Assign { to: Place::Var(w), value, .. } if *w == v => match added_to(value, v) {
                        Some(by) if direction == 0 || direction == by.signum() => {
                            direction = by.signum();
                            continue;
                        }
                        _ => steady = false,
                    },
                    Action::EntryCall { args, .. } => steady &= !args.contains(&v),
                    Action::Select { alternatives, .. } => {
                        steady &= !alternatives.iter().flat_map(|a| &a.formals).any(|f| f.cell == v);
                    }
                    action => each_written(self.program, action, |cell| steady &= cell != v),
                }
                rest.push(*loc);
            }
            let finite = matches!(self.program.vars[v.index()].domain, rendez_model::Domain::Range(..));
            if steady && finite && self.ends(&rest, depth + 1) {
                self.counters.push(v);
                return true;
            }
        }
        // A server: every round accepts a call, and waits for it.
        let rest: Vec<Loc> = inside
            .iter()
            .copied()
            .filter(|l| {
                !matches!(&self.program.node(*l).action, Action::Select { otherwise: None, delays, .. } if delays.is_empty())
            })
            .collect();
        if rest.len() < inside.len() && self.ends(&rest, depth + 1) {
            if !self.serves.contains(&self.task) {
                self.serves.push(self.task);
            }
            return true;
        }
        false
    }
}
