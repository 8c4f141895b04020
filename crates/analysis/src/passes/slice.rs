//! Slicing: removes what cannot influence synchronisation, events, assertions, races or checks.
//!
//! Program slicing is Weiser's (1981); Hatcliff, Corbett, Dwyer and others adapted it to concurrent programs and to
//! what temporal properties can observe (*A formal study of slicing for multi-threaded programs with JVM concurrency
//! primitives*, SAS 1999). Here a location is kept if it synchronises, may raise an exception, accesses a shared
//! variable, may be seen by a monitor, or assigns to a cell that matters. A branch is kept if something kept happens
//! before its arms meet again (`meets.rs`). A cell matters if its value decides any of these, and what matters on one
//! side of a call matters on the other. This is a least fixpoint over locations and cells. A cell matters for all tasks
//! at once, and every access to a shared variable is kept, so dependences between tasks need no separate treatment.
//!
//! Whether a check may fail is decided by intervals: from the domains of cells, and for overflow from the values that
//! cells get in whatever order steps happen. A check that cannot fail is no reason to keep anything. Delays are no
//! reason to keep a branch, unless the program has aborts or delays are taken to order steps.
//!
//! Loops are where slicing may change meaning, since a removed loop may never have ended. A loop that counts to its end
//! is removed without more. One whose end depends on an untracked value is taken to end, and that is printed as an
//! assumption; so is recursion that only computes. Any other loop is kept. A value that grows without end and decides
//! nothing is taken not to overflow, and its place is listed.
//!
//! `cells_that_matter` answers on the folded program, so that what is made of it, such as progress, does not depend on
//! whether a program has been sliced. Past errors: every loop that only computes was assumed to end, so findings came
//! from the code behind it; endless recursion was removed; and with several rules, slicing for one rule dropped
//! overflow checks that another one needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::Access;
use crate::postdominators::Postdominators;
use rendez_model::code::{closure_by, each_written};
use rendez_model::expr::{BinaryOp, Expr, Place, UnaryOp, Value};
use rendez_model::program::*;
use rendez_source::Span;

/// What is known about the length of delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delays {
    /// Nothing: whether there is a delay makes no difference, but where a task may be aborted.
    Any,
    /// They are an order between steps.
    Ordered,
}

/// By cell: whether its value decides anything. The same before and after slicing, so that what is made of
/// it does not depend on whether a program has been sliced.
pub fn cells_that_matter(program: &Program) -> Vec<bool> {
    let mut folded = program.clone();
    super::propagate_constants(&mut folded);
    let mut slicer = Slicer::new(&folded, Delays::Any);
    slicer.run();
    slicer.matters
}

/// Slices the program. Cells named in `keep` always matter.
pub fn slice(program: &mut Program, keep: &[VarId], delays: Delays) {
    let mut slicer = Slicer::new(program, delays);
    keep.iter().for_each(|v| slicer.matters[v.index()] = true);
    slicer.run();
    let unchecked = slicer.unchecked();
    let cut = Cut::of(slicer);
    for span in unchecked {
        if !program.unchecked.contains(&span) {
            program.unchecked.push(span);
        }
    }
    if cut.removed_loop {
        program.assume(
            "loops that only compute, until something happens that is not followed, come to an end",
            Span::NOWHERE,
        );
    }
    if cut.removed_recursion {
        program.assume("recursive calls that only compute come to an end", Span::NOWHERE);
    }
    cut.apply(program);
    let exits: Vec<Loc> = program.tasks.iter().map(|t| t.exit).collect();
    super::compact(program, &exits);
}

/// The program with one of its monitors, and without what only matters to the others. Locations and cells keep
/// their numbers, so that a trace of it is one of the program.
pub fn for_monitor(program: &Program, monitor: usize) -> Program {
    let mut single = program.clone();
    single.monitors = vec![program.monitors[monitor].clone()];
    let mut slicer = Slicer::new(&single, Delays::Ordered);
    slicer.run();
    let taken_to_pass = slicer.unchecked().iter().any(|span| !program.unchecked.contains(span));
    let cut = Cut::of(slicer);
    // An assumption of its own is not worth it.
    if !cut.removed_loop && !cut.removed_recursion && !taken_to_pass {
        cut.apply(&mut single);
    }
    single
}

/// What slicing found out.
struct Cut {
    matters: Vec<bool>,
    kept: Vec<bool>,
    postdominators: Postdominators,
    removed_loop: bool,
    removed_recursion: bool,
}

impl Cut {
    fn of(slicer: Slicer) -> Cut {
        let Slicer { matters, kept, postdominators, removed_loop, removed_recursion, .. } = slicer;
        Cut { matters, kept, postdominators, removed_loop, removed_recursion }
    }

    fn apply(self, program: &mut Program) {
        let Cut { matters, kept, postdominators, .. } = self;
        for (i, node) in program.nodes.iter_mut().enumerate() {
            if kept[i] {
                continue;
            }
            let next = match (&node.action, postdominators.immediate(Loc::from(i))) {
                (Action::Assign { next, .. } | Action::Havoc { next, .. } | Action::Call { next, .. }, _) => {
                    *next
                }
                (Action::Branch { .. } | Action::Choose { .. }, Some(meet)) => meet,
                _ => continue,
            };
            node.action = Action::Skip { next };
        }
        for (i, var) in program.vars.iter_mut().enumerate() {
            if !matters[i] {
                var.domain = Domain::Opaque;
                var.init = Value::Any;
            }
        }
    }
}

struct Slicer<'p> {
    program: &'p Program,
    access: Access,
    matters: Vec<bool>,
    kept: Vec<bool>,
    proc_kept: Vec<bool>,
    postdominators: Postdominators,
    proc_code: Vec<Vec<Loc>>,
    /// Cells that are only set and then counted up or down by one.
    counters: Vec<bool>,
    /// By location: a counter that has not reached its end is counted.
    counted: Vec<bool>,
    removed_loop: bool,
    removed_recursion: bool,
    /// By procedure: some way through it comes to its end.
    returns: Vec<bool>,
    /// Delays are no reason to keep a branch.
    timeless: bool,
    ranges: Ranges,
}

impl<'p> Slicer<'p> {
    fn new(program: &'p Program, delays: Delays) -> Self {
        let n = program.nodes.len();
        let aborts = |n: &Node| matches!(n.action, Action::Abort { .. } | Action::Async { .. });
        Slicer {
            program,
            access: Access::new(program),
            matters: vec![false; program.vars.len()],
            kept: vec![false; n],
            proc_kept: vec![false; program.procs.len()],
            postdominators: Postdominators::new(program),
            proc_code: program.procs.iter().map(|p| program.reachable(p.start)).collect(),
            counters: counters(program),
            counted: counted(program),
            removed_loop: false,
            removed_recursion: false,
            returns: returning(program),
            timeless: delays == Delays::Any && !program.nodes.iter().any(aborts),
            ranges: Ranges::new(program),
        }
    }

    fn run(&mut self) {
        for cell in self.program.cells_of_monitors() {
            self.matters[cell.index()] = true;
        }
        for monitor in &self.program.monitors {
            self.matters[monitor.cell.index()] = true;
        }
        for entry in &self.program.entries {
            if let Some(barrier) = &entry.barrier {
                barrier.each_cell(self.program, &mut |c| self.matters[c.index()] = true);
            }
        }
        for handler in &self.program.handlers {
            if let Some(cell) = handler.occurrence {
                self.matters[cell.index()] = true;
            }
        }
        loop {
            let mut changed = false;
            for i in 0..self.program.nodes.len() {
                changed |= self.visit(Loc::from(i));
            }
            for p in 0..self.proc_kept.len() {
                if !self.proc_kept[p] && self.proc_code[p].iter().any(|l| self.kept[l.index()]) {
                    self.proc_kept[p] = true;
                    changed = true;
                }
            }
            changed |= self.parameters();
            if !changed {
                break;
            }
        }
        self.removed_loop = (0..self.kept.len()).any(|i| {
            !self.kept[i]
                && self.postdominators.loops(Loc::from(i))
                && match &self.program.nodes[i].action {
                    Action::Branch { cond, .. } => cond.is_any(),
                    Action::Choose { .. } => true,
                    _ => false,
                }
        });
        let recursive = super::recursive_procedures(self.program);
        self.removed_recursion = self.program.nodes.iter().zip(&self.kept).any(|(node, kept)| {
            matches!(&node.action, Action::Call { proc, .. } if !kept && recursive.contains(proc))
        });
    }

    fn visit(&mut self, loc: Loc) -> bool {
        let action = &self.program.node(loc).action;
        let before = self.kept[loc.index()];
        let keep = before || self.is_kept(loc, action);
        self.kept[loc.index()] = keep;
        let mut changed = keep && !before;
        if !keep {
            return false;
        }
        let mut needed: Vec<VarId> = Vec::new();
        let program = self.program;
        let cells = std::cell::RefCell::new(&mut needed);
        let need = |e: &Expr| e.each_cell(program, &mut |c| cells.borrow_mut().push(c));
        match action {
            Action::Assign { to, value, .. } => {
                to.each_index(&mut |e| need(e));
                if self.touches(to) || self.may_fail(loc, to, value) {
                    need(value);
                } else {
                    each_risk(program, value, &mut |e| need(e));
                }
            }
            Action::Havoc { to, .. } => to.each_index(&mut |e| need(e)),
            Action::Call { proc, args, outs, .. } => {
                for (formal, arg) in program.procs[proc.index()].formals.iter().zip(args) {
                    if self.matters[formal.cell.index()] {
                        need(arg);
                    } else {
                        each_risk(program, arg, &mut |e| need(e));
                    }
                }
                for (i, place) in outs {
                    place.each_index(&mut |e| need(e));
                    if self.touches(place) {
                        cells.borrow_mut().push(program.procs[proc.index()].formals[*i].cell);
                    }
                }
            }
            action => {
                action.each_expr(&mut |e| need(e));
                if let Action::FailAccept { occurrence } | Action::Resume { occurrence } = action {
                    cells.borrow_mut().push(*occurrence);
                }
            }
        }
        // A range check decides about an exception: the cell that fails it matters.
        if let Action::Assign { to, value, .. } = action
            && self.may_fail(loc, to, value)
        {
            to.each_cell(program, |c| needed.push(c));
        }
        for cell in needed {
            changed |= !std::mem::replace(&mut self.matters[cell.index()], true);
        }
        changed
    }

    /// Whether an assignment may fail a range check.
    fn may_fail(&self, loc: Loc, to: &Place, value: &Expr) -> bool {
        !self.counted[loc.index()]
            && (may_fail(self.program, to, value)
                || match self.ranges.overflows(self.program, to, value) {
                    Overflow::Never => false,
                    Overflow::Perhaps => true,
                    Overflow::InTheLongRun => self.program.checks_may_fail,
                })
    }

    /// Where a value that grows without end, and decides nothing, is taken never to overflow.
    fn unchecked(&self) -> Vec<Span> {
        let mut all = Vec::new();
        for (i, node) in self.program.nodes.iter().enumerate() {
            if let Action::Assign { to, value, .. } = &node.action
                && !self.program.checks_may_fail
                && !self.touches(to)
                && !self.counted[i]
                && !node.span.is_nowhere()
                && self.ranges.overflows(self.program, to, value) == Overflow::InTheLongRun
            {
                all.push(node.span);
            }
        }
        all
    }

    fn touches(&self, place: &Place) -> bool {
        let mut found = false;
        place.each_cell(self.program, |c| found |= self.matters[c.index()]);
        found
    }

    fn accesses_shared(&self, action: &Action) -> bool {
        let mut found = false;
        action.each_expr(&mut |e| {
            e.each_cell(self.program, &mut |c| found |= self.access.shared[c.index()]);
        });
        each_written(self.program, action, |c| found |= self.access.shared[c.index()]);
        found
    }

    fn is_kept(&self, loc: Loc, action: &Action) -> bool {
        let mut raises = false;
        action.each_expr(&mut |e| raises |= may_raise(self.program, e));
        if raises || self.accesses_shared(action) || self.program.is_monitored(action) {
            return true;
        }
        match action {
            Action::Skip { .. } | Action::Return => false,
            Action::Event { kind, .. } => *kind != EventKind::Library,
            Action::Assign { to, value, .. } => self.touches(to) || self.may_fail(loc, to, value),
            Action::Havoc { to, .. } => self.touches(to),
            // What follows a call that never comes back does not happen.
            Action::Call { proc, outs, .. } => {
                !self.returns[proc.index()]
                    || self.proc_kept[proc.index()]
                    || outs.iter().any(|o| self.touches(&o.1))
            }
            // A loop may never end: only one that counts is sure to.
            Action::Branch { cond, .. }
                if self.postdominators.loops(loc) && !cond.is_any() && !self.counts(cond) =>
            {
                true
            }
            Action::Branch { .. } | Action::Choose { .. } => {
                let matters = |l: &Loc| {
                    let delays = matches!(self.program.node(*l).action, Action::Delay { .. });
                    self.kept[l.index()] && !(delays && self.timeless)
                };
                self.postdominators.immediate(loc).is_none()
                    || self.postdominators.region(loc).iter().any(matters)
            }
            _ => true,
        }
    }

    /// Whether a condition asks if a counter, which nothing else changes, has reached its end.
    fn counts(&self, cond: &Expr) -> bool {
        match cond {
            Expr::Binary(BinaryOp::NotEqual, counter, _) => match **counter {
                Expr::Var(v) => self.counters[v.index()],
                _ => false,
            },
            _ => false,
        }
    }

    /// What matters on one side of a call matters on the other.
    fn parameters(&mut self) -> bool {
        let program = self.program;
        // Argument cells and formals, by entry and position.
        let mut args: Vec<Vec<&[VarId]>> = vec![Vec::new(); program.entries.len()];
        let mut formals: Vec<Vec<&[Formal]>> = vec![Vec::new(); program.entries.len()];
        for node in &program.nodes {
            match &node.action {
                Action::EntryCall { entry, args: cells, .. }
                | Action::Async { trigger: Trigger::Call { entry, args: cells }, .. } => {
                    for e in program.possible_entries(entry) {
                        args[e.index()].push(cells);
                    }
                }
                Action::Requeue { .. } => {
                    // The arguments of any call may arrive at any other entry.
                    return self.everything_passed();
                }
                Action::Select { alternatives, .. } => {
                    for a in alternatives {
                        for e in program.possible_entries(&a.entry) {
                            formals[e.index()].push(&a.formals);
                        }
                    }
                }
                _ => {}
            }
        }
        for ((_, entry), proc) in &program.bodies {
            formals[entry.index()].push(&program.procs[proc.index()].formals);
        }
        let mut changed = false;
        for e in 0..program.entries.len() {
            for cells in &args[e] {
                for list in &formals[e] {
                    for (cell, formal) in cells.iter().zip(list.iter()) {
                        let either = self.matters[cell.index()] || self.matters[formal.cell.index()];
                        if either {
                            changed |= !std::mem::replace(&mut self.matters[cell.index()], true);
                            changed |= !std::mem::replace(&mut self.matters[formal.cell.index()], true);
                        }
                    }
                }
            }
        }
        changed
    }

    fn everything_passed(&mut self) -> bool {
        let program = self.program;
        let mut changed = false;
        let mut mark = |cell: VarId| changed |= !std::mem::replace(&mut self.matters[cell.index()], true);
        for node in &program.nodes {
            match &node.action {
                Action::EntryCall { args, .. }
                | Action::Async { trigger: Trigger::Call { args, .. }, .. } => {
                    args.iter().for_each(|a| mark(*a));
                }
                Action::Select { alternatives, .. } => {
                    alternatives.iter().flat_map(|a| &a.formals).for_each(|f| mark(f.cell));
                }
                _ => {}
            }
        }
        for proc in program.bodies.values() {
            program.procs[proc.index()].formals.iter().for_each(|f| mark(f.cell));
        }
        changed
    }
}

/// By procedure: whether some way through its code comes to its end, by calls that come back themselves.
fn returning(program: &Program) -> Vec<bool> {
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
fn counters(program: &Program) -> Vec<bool> {
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
fn counted(program: &Program) -> Vec<bool> {
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

/// The values that an expression may have; None if it is not followed at all.
fn interval(program: &Program, e: &Expr) -> Option<(i64, i64)> {
    let of_cell = |v: VarId| match program.vars[v.index()].domain {
        Domain::Range(lo, hi) => Some((lo, hi)),
        Domain::Opaque => None,
    };
    interval_by(program, &of_cell, e)
}

/// The same, if the values of cells are known more exactly.
fn interval_by(
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
fn each_risk<'e>(program: &Program, whole: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
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

/// Whether a value may leave the range of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overflow {
    Never,
    Perhaps,
    /// Only if it grows without end.
    InTheLongRun,
}

/// The values that cells are seen to get, whatever the order of the steps.
struct Ranges {
    cells: Vec<Option<(i64, i64)>>,
    /// Cells whose values grow with every round.
    grows: Vec<bool>,
    /// Cells that may depend on their own earlier values: no others can grow.
    circular: Vec<bool>,
}

impl Ranges {
    fn new(program: &Program) -> Ranges {
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
    fn overflows(&self, program: &Program, to: &Place, value: &Expr) -> Overflow {
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
pub(super) fn copies(program: &Program) -> Vec<Vec<VarId>> {
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
