//! Which values may leave the range of whole numbers, and which only if they grow without end.
//!
//! The values that each cell gets are collected over all assignments, calls and entry calls, in whatever order steps
//! happen, until nothing changes (Cousot and Cousot, POPL 1977). A cell whose interval still changes after a few rounds
//! and that depends on itself is widened to its domain and marked as growing; so is whatever is computed from it. Only
//! cells on a cycle of assignments are widened, since the others are stable once the cycle is.
//!
//! An overflow that needs growth happens in the long run only. If the value decides nothing, slicing takes it not to
//! overflow and lists its place.

use std::collections::{BTreeMap, BTreeSet};

use rendez_model::expr::{Expr, Place, Value};
use rendez_model::program::*;

use super::intervals::interval_by;

/// Whether a value may leave the range of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    Never,
    Perhaps,
    /// Only if it grows without end.
    InTheLongRun,
}

/// The values that cells are seen to get, whatever the order of the steps.
pub(super) struct Ranges {
    cells: Vec<Option<(i64, i64)>>,
    /// Cells whose values grow with every round.
    grows: Vec<bool>,
    /// Cells that may depend on their own earlier values: no others can grow.
    circular: Vec<bool>,
}

impl Ranges {
    pub(super) fn new(program: &Program) -> Ranges {
        let known = |v: &Var| match v.init {
            Value::Known(value) => Some((value, value)),
            Value::Any => None,
        };
        let mut ranges = Ranges {
            cells: program.vars.iter().map(known).collect(),
            grows: vec![false; program.vars.len()],
            circular: circular(program, &copies(program)),
        };
        let copies = copies(program);
        let mut round = 0;
        let mut changed = true;
        while changed {
            round += 1;
            changed = false;
            for node in &program.nodes {
                changed |= ranges.visit(program, &node.action, round);
            }
            for cells in &copies {
                let all = cells.iter().filter_map(|c| ranges.cells[c.index()]);
                let values = all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
                let grows = cells.iter().any(|c| ranges.grows[c.index()]);
                for cell in cells {
                    changed |= ranges.widen(program, *cell, values, grows, round);
                }
            }
        }
        ranges
    }

    fn visit(&mut self, program: &Program, action: &Action, round: usize) -> bool {
        let mut changed = false;
        match action {
            Action::Assign { to, value, .. } => {
                let (values, grows) = self.of(program, value);
                to.each_cell(program, |c| changed |= self.widen(program, c, values, grows, round));
            }
            Action::Havoc { to, .. } => to.each_cell(program, |c| {
                if let Domain::Range(lo, hi) = program.vars[c.index()].domain
                    && hi.saturating_sub(lo) < i64::from(i16::MAX)
                {
                    changed |= self.widen(program, c, Some((lo, hi)), false, round);
                }
            }),
            Action::Call { proc, args, outs, .. } => {
                let formals = &program.procs[proc.index()].formals;
                for (formal, arg) in formals.iter().zip(args) {
                    let (values, grows) = self.of(program, arg);
                    changed |= self.widen(program, formal.cell, values, grows, round);
                }
                for (i, place) in outs {
                    let from = formals[*i].cell.index();
                    let (values, grows) = (self.cells[from], self.grows[from]);
                    place.each_cell(program, |c| changed |= self.widen(program, c, values, grows, round));
                }
            }
            _ => {}
        }
        changed
    }

    /// The values of an expression, and whether they grow.
    fn of(&self, program: &Program, e: &Expr) -> (Option<(i64, i64)>, bool) {
        let mut grows = false;
        e.each_cell(program, &mut |c| grows |= self.grows[c.index()]);
        (interval_by(program, &|v| self.cells[v.index()], e), grows)
    }

    /// Lets a cell have more values; after a few rounds, all of its domain if it depends on itself.
    fn widen(
        &mut self,
        program: &Program,
        cell: VarId,
        values: Option<(i64, i64)>,
        grows: bool,
        round: usize,
    ) -> bool {
        let (Domain::Range(least, most), Some((lo, hi))) = (program.vars[cell.index()].domain, values) else {
            return false;
        };
        // What is outside of the domain is not stored.
        let (lo, hi) = (lo.max(least), hi.min(most));
        if lo > hi {
            return false;
        }
        let before = self.cells[cell.index()];
        let mut after = before.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi)));
        let mut changed = before != Some(after);
        if changed && round > ROUNDS && self.circular[cell.index()] {
            after = (least, most);
            self.grows[cell.index()] = true;
        }
        changed |= grows && !std::mem::replace(&mut self.grows[cell.index()], true);
        self.cells[cell.index()] = Some(after);
        changed
    }

    /// Whether an assignment may store more than fits into 32 bits.
    pub(super) fn overflows(&self, program: &Program, to: &Place, value: &Expr) -> Overflow {
        // A check for overflow says no more than the cell does.
        let value = match value {
            Expr::Check(inner, lo, hi) if (*lo, *hi) == (i64::from(i32::MIN), i64::from(i32::MAX)) => inner,
            value => value,
        };
        let (Some((lo, hi)), grows) = self.of(program, value) else { return Overflow::Never };
        let mut over = false;
        to.each_cell(program, |c| {
            if let Domain::Range(least, most) = program.vars[c.index()].domain {
                over |= (least == i64::from(i32::MIN) && lo < least)
                    || (most == i64::from(i32::MAX) && hi > most);
            }
        });
        match (over, grows) {
            (false, _) => Overflow::Never,
            (true, false) => Overflow::Perhaps,
            (true, true) => Overflow::InTheLongRun,
        }
    }
}

/// After so many rounds a value that still gets larger is taken to grow without end.
const ROUNDS: usize = 4;

/// By cell: whether it depends on itself, or stands between cells that do. Cells that entry calls copy between are one.
fn circular(program: &Program, copies: &[Vec<VarId>]) -> Vec<bool> {
    let n = program.vars.len();
    let mut one: Vec<usize> = (0..n).collect();
    for cells in copies {
        for cell in &cells[1..] {
            let (old, new) = (one[cell.index()], one[cells[0].index()]);
            one.iter_mut().filter(|o| **o == old).for_each(|o| *o = new);
        }
    }
    let mut edges: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut edge = |from: VarId, to: VarId| {
        edges.insert((one[from.index()], one[to.index()]));
    };
    for node in &program.nodes {
        match &node.action {
            Action::Assign { to, value, .. } => {
                value.each_cell(program, &mut |from| to.each_cell(program, |to| edge(from, to)));
            }
            Action::Call { proc, args, outs, .. } => {
                let formals = &program.procs[proc.index()].formals;
                for (formal, arg) in formals.iter().zip(args) {
                    arg.each_cell(program, &mut |from| edge(from, formal.cell));
                }
                for (i, place) in outs {
                    place.each_cell(program, |to| edge(formals[*i].cell, to));
                }
            }
            _ => {}
        }
    }
    // What nothing left leads to is on no circle, nor is what leads to nothing left.
    loop {
        let before = edges.len();
        let targets: BTreeSet<usize> = edges.iter().map(|e| e.1).collect();
        edges.retain(|e| targets.contains(&e.0));
        let sources: BTreeSet<usize> = edges.iter().map(|e| e.0).collect();
        edges.retain(|e| sources.contains(&e.1));
        if edges.len() == before {
            break;
        }
    }
    let left: BTreeSet<usize> = edges.into_iter().map(|e| e.0).collect();
    (0..n).map(|v| left.contains(&one[v])).collect()
}

/// Cells between which entry calls may copy: those at the same position of as many parameters.
pub(in super::super) fn copies(program: &Program) -> Vec<Vec<VarId>> {
    let mut all: BTreeMap<(usize, usize), Vec<VarId>> = BTreeMap::new();
    let mut pass = |cells: &[VarId]| {
        for (i, cell) in cells.iter().enumerate() {
            all.entry((cells.len(), i)).or_default().push(*cell);
        }
    };
    let cells = |formals: &[Formal]| -> Vec<VarId> { formals.iter().map(|f| f.cell).collect() };
    for node in &program.nodes {
        match &node.action {
            Action::EntryCall { args, .. } | Action::Async { trigger: Trigger::Call { args, .. }, .. } => {
                pass(args);
            }
            Action::Select { alternatives, .. } => alternatives.iter().for_each(|a| pass(&cells(&a.formals))),
            _ => {}
        }
    }
    program.bodies.values().for_each(|proc| pass(&cells(&program.procs[proc.index()].formals)));
    all.into_values().collect()
}
