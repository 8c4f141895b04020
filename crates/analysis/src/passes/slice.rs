//! Slicing: removes what cannot influence synchronisation, events, assertions, races or checks.
//!
//! Program slicing is Weiser's (1981); Hatcliff, Corbett, Dwyer and others adapted it to concurrent programs and to
//! what temporal properties can observe (*A formal study of slicing for multi-threaded programs with JVM concurrency
//! primitives*, SAS 1999). Here a location is kept if it synchronises, may raise an exception, accesses a shared
//! variable, may be seen by a monitor, or assigns to a cell that matters. A branch is kept if something kept happens
//! before its arms meet again (`postdominators.rs`). A cell matters if its value decides any of these, and what matters on one
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

mod growth;
mod intervals;
mod loops;

use crate::access::Access;
use crate::postdominators::Postdominators;
use rendez_model::code::each_written;
use rendez_model::expr::{BinaryOp, Expr, Place, Value};
use rendez_model::program::*;
use rendez_source::Span;

use growth::{Overflow, Ranges};
use intervals::each_risk;
use loops::{counted, counters, returning};

pub(super) use growth::copies;
pub(crate) use intervals::{may_fail, may_raise};

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
    let cut = SliceResult::of(slicer);
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
    let cut = SliceResult::of(slicer);
    // An assumption of its own is not worth it.
    if !cut.removed_loop && !cut.removed_recursion && !taken_to_pass {
        cut.apply(&mut single);
    }
    single
}

/// What slicing found out.
struct SliceResult {
    matters: Vec<bool>,
    kept: Vec<bool>,
    postdominators: Postdominators,
    removed_loop: bool,
    removed_recursion: bool,
}

impl SliceResult {
    fn of(slicer: Slicer) -> SliceResult {
        let Slicer { matters, kept, facts, removed_loop, removed_recursion, .. } = slicer;
        SliceResult { matters, kept, postdominators: facts.postdominators, removed_loop, removed_recursion }
    }

    fn apply(self, program: &mut Program) {
        let SliceResult { matters, kept, postdominators, .. } = self;
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
    facts: CodeFacts,
    removed_loop: bool,
    removed_recursion: bool,
    /// Delays are no reason to keep a branch.
    timeless: bool,
}

/// What the code tells before anything is removed.
struct CodeFacts {
    postdominators: Postdominators,
    proc_code: Vec<Vec<Loc>>,
    /// Cells that are only set and then counted up or down by one.
    counters: Vec<bool>,
    /// By location: a counter that has not reached its end is counted.
    counted: Vec<bool>,
    /// By procedure: some way through it comes to its end.
    returns: Vec<bool>,
    ranges: Ranges,
}

impl CodeFacts {
    fn new(program: &Program) -> CodeFacts {
        CodeFacts {
            postdominators: Postdominators::new(program),
            proc_code: program.procs.iter().map(|p| program.reachable(p.start)).collect(),
            counters: counters(program),
            counted: counted(program),
            returns: returning(program),
            ranges: Ranges::new(program),
        }
    }
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
            facts: CodeFacts::new(program),
            removed_loop: false,
            removed_recursion: false,
            timeless: delays == Delays::Any && !program.nodes.iter().any(aborts),
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
                if !self.proc_kept[p] && self.facts.proc_code[p].iter().any(|l| self.kept[l.index()]) {
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
                && self.facts.postdominators.loops(Loc::from(i))
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
        !self.facts.counted[loc.index()]
            && (may_fail(self.program, to, value)
                || match self.facts.ranges.overflows(self.program, to, value) {
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
                && !self.facts.counted[i]
                && !node.span.is_nowhere()
                && self.facts.ranges.overflows(self.program, to, value) == Overflow::InTheLongRun
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
                !self.facts.returns[proc.index()]
                    || self.proc_kept[proc.index()]
                    || outs.iter().any(|o| self.touches(&o.1))
            }
            // A loop may never end: only one that counts is sure to.
            Action::Branch { cond, .. }
                if self.facts.postdominators.loops(loc) && !cond.is_any() && !self.counts(cond) =>
            {
                true
            }
            Action::Branch { .. } | Action::Choose { .. } => {
                let matters = |l: &Loc| {
                    let delays = matches!(self.program.node(*l).action, Action::Delay { .. });
                    self.kept[l.index()] && !(delays && self.timeless)
                };
                self.facts.postdominators.immediate(loc).is_none()
                    || self.facts.postdominators.region(loc).iter().any(matters)
            }
            _ => true,
        }
    }

    /// Whether a condition asks if a counter, which nothing else changes, has reached its end.
    fn counts(&self, cond: &Expr) -> bool {
        match cond {
            Expr::Binary(BinaryOp::NotEqual, counter, _) => match **counter {
                Expr::Var(v) => self.facts.counters[v.index()],
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
