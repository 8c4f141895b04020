//! Which tasks come to an end, or block for ever, in every execution; and a program without their counters.
//!
//! The first half decides termination by the shape of loops alone. A loop ends if
//! - every round adds to a counter in one direction, nothing else in the loop sets the counter, and its range is
//!   finite;
//! - it sets a flag with which control leaves the loop before it comes there again;
//! - or it is a server's loop: every round accepts a call, and all callers come to an end.
//!
//! What such an argument covers is taken out of the loop, and the strongly connected components of the rest must end in
//! the same way. A server may count on callers that were shown to end before, so the set of ending tasks is a least
//! fixpoint and no circle of servers justifies itself.
//!
//! The second half forgets data. Take a cell of an ending task that decides only where that task goes. The program
//! without it (every branch on it goes both ways) is an abstraction: it has every execution of the original, and more.
//! Abstraction usually loses deadlocks, because a step that is possible in the abstraction only may hide that the
//! original is stuck. Here it does not: an ending task moves no more once the original has blocked, the abstraction
//! reaches the same place, and what the task can do there does not depend on a forgotten cell, because guards, barriers
//! and indices are never forgotten. So the abstraction has every blocked state and every set of states that is never
//! left, and if it never blocks, the program does not. Nothing follows if it does block; `check.rs` then refines it
//! along the trace, in the manner of counterexample-guided abstraction refinement (Clarke, Grumberg, Jha, Lu and Veith,
//! CAV 2000).
//!
//! A forgotten counter may leave its range and raise an exception, which the model without it must be able to do as
//! well: such an assignment becomes a choice between itself and Constraint_Error, unless its value surely fits. An
//! earlier version left that out. A proof in the abstraction says nothing about which kind of blocking a task meets, so
//! only the absence of all kinds is concluded.

use rendez_analysis::components;
use rendez_analysis::passes::{inline, make_opaque, recursive_procedures};
use rendez_model::code::{each_written, task_code};
use rendez_model::{
    Action, Alternative, BinaryOp, Domain, ExceptionId, Expr, Loc, Node, Owner, Place, Program, Storage,
    TaskId, Var, VarId,
};

/// By task: whether it cannot run for ever.
pub fn ending(program: &Program) -> Vec<bool> {
    let mut ending = vec![false; program.tasks.len()];
    if !recursive_procedures(program).is_empty() {
        return ending;
    }
    let mut inlined = program.clone();
    inline(&mut inlined, 1);
    let calls = |l: &Loc| matches!(inlined.node(*l).action, Action::Call { .. });
    let code: Vec<Vec<Loc>> =
        (0..inlined.tasks.len()).map(|t| task_code(&inlined, TaskId::from(t))).collect();
    // Those that end, and those that end if their callers do.
    let mut serves = vec![false; program.tasks.len()];
    for (t, code) in code.iter().enumerate() {
        if !code.iter().any(calls) && !inlined.tasks[t].background {
            let mut finder = TerminationProof { program: &inlined, task: TaskId::from(t), serves: false };
            let ends = finder.ends(code, true, 0);
            ending[t] = ends && !finder.serves;
            serves[t] = ends && finder.serves;
        }
    }
    let callers = |t: usize| {
        let calls = |l: &Loc| match &inlined.node(*l).action {
            Action::EntryCall { entry, .. } | Action::Requeue { entry, .. } => inlined
                .possible_entries(entry)
                .iter()
                .any(|e| inlined.entries[e.index()].owner == Owner::Task(TaskId::from(t))),
            _ => false,
        };
        (0..code.len()).filter(|c| code[*c].iter().any(calls)).collect::<Vec<_>>()
    };
    let callers: Vec<Vec<usize>> = (0..code.len()).map(callers).collect();
    let mut again = true;
    while std::mem::take(&mut again) {
        for t in 0..code.len() {
            if serves[t] && !ending[t] && callers[t].iter().all(|c| ending[*c]) {
                ending[t] = true;
                again = true;
            }
        }
    }
    ending
}

/// Whether no task can run for ever: then every execution comes to a state in which nobody can move.
pub fn everybody_ends(program: &Program) -> bool {
    !program.open && !program.tasks.iter().any(|t| t.background) && ending(program).iter().all(|e| *e)
}

/// Whether control of a task, in a program without procedures, cannot stay among some locations for ever,
/// whoever calls it.
pub fn ends_within(inlined: &Program, task: TaskId, locs: &[Loc]) -> bool {
    let mut finder = TerminationProof { program: inlined, task, serves: false };
    finder.ends(locs, true, 0) && !finder.serves
}

/// Whether a task that has once accepted a call comes to no select again where it could: the body sets a flag
/// that ends the loop around it.
pub fn ends_once_taken(inlined: &Program, task: TaskId, taken: &Alternative) -> bool {
    let code = task_code(inlined, task);
    let ends = |l: &Loc| matches!(inlined.node(*l).action, Action::EndAccept { .. });
    // The body, up to its first end: straight, so that nothing of it is left out.
    let mut at = taken.body;
    let mut body = Vec::new();
    while !ends(&at) && body.len() < 100 {
        body.push(at);
        match inlined.node(at).action.successors()[..] {
            [next] => at = next,
            _ => return false,
        }
    }
    let finder = TerminationProof { program: inlined, task, serves: false };
    let around = |flag: Loc| -> Vec<Loc> {
        let from =
            |l: Loc| rendez_model::code::closure(inlined, inlined.node(l).action.successors(), |_| true);
        let after = from(flag);
        code.iter().copied().filter(|l| after.contains(l) && from(*l).contains(&flag)).collect()
    };
    body.iter().any(|flag| {
        let inside = around(*flag);
        finder.behind_flag(*flag, &inside).is_some_and(|mut rest| {
            // Neither what is left of the loop nor what comes behind it goes on for ever.
            let after = rendez_model::code::closure(inlined, vec![*flag], |_| true);
            rest.extend(after.into_iter().filter(|l| !inside.contains(l)));
            ends_within(inlined, task, &rest)
        })
    })
}

/// By cell: whether it belongs to a task that ends, only the way of that task depends on it, and no
/// expression with it can raise an exception, assignments to such cells aside.
pub fn forgettable(program: &Program) -> Vec<bool> {
    let ending = ending(program);
    let local = |v: &Var| {
        matches!(v.storage, Storage::Local(task) if ending[task.index()])
            && matches!(v.domain, Domain::Range(..))
    };
    let mut soft: Vec<bool> = program.vars.iter().map(local).collect();
    let harden = |cell: VarId, soft: &mut Vec<bool>| std::mem::replace(&mut soft[cell.index()], false);
    for node in &program.nodes {
        match &node.action {
            Action::Branch { cond, .. } if !cond.may_raise(program) => {}
            Action::Assign { to: Place::Var(v), value, .. }
                if !value.may_raise(program) || added_to(value, *v).is_some() => {}
            action => {
                action.each_expr(&mut |e| {
                    e.each_cell(program, &mut |cell| {
                        harden(cell, &mut soft);
                    });
                });
                match action {
                    Action::EntryCall { args, .. } => args.iter().for_each(|v| {
                        harden(*v, &mut soft);
                    }),
                    Action::Select { alternatives, .. } => {
                        for formal in alternatives.iter().flat_map(|a| &a.formals) {
                            harden(formal.cell, &mut soft);
                        }
                    }
                    Action::FailAccept { occurrence } | Action::Resume { occurrence } => {
                        harden(*occurrence, &mut soft);
                    }
                    action if !matches!(action, Action::Havoc { to: Place::Var(_), .. }) => {
                        each_written(program, action, |cell| {
                            harden(cell, &mut soft);
                        });
                    }
                    _ => {}
                }
            }
        }
    }
    let formals = program.procs.iter().flat_map(|p| &p.formals).map(|f| f.cell);
    let occurrences = program.handlers.iter().filter_map(|h| h.occurrence);
    for cell in formals.chain(occurrences) {
        harden(cell, &mut soft);
    }
    for barrier in program.entries.iter().filter_map(|e| e.barrier.as_ref()) {
        barrier.each_cell(program, &mut |cell| {
            harden(cell, &mut soft);
        });
    }
    // What is copied to something that matters matters.
    let mut again = true;
    while std::mem::take(&mut again) {
        for node in &program.nodes {
            if let Action::Assign { to: Place::Var(v), value, .. } = &node.action
                && !soft[v.index()]
            {
                value.each_cell(program, &mut |cell| again |= harden(cell, &mut soft));
            }
        }
    }
    soft
}

/// The program without the values of some forgettable cells. An assignment that may leave the range
/// of its cell may raise an exception.
pub fn forget(program: &Program, forgotten: &[bool]) -> Program {
    let mut coarse = program.clone();
    for loc in (0..program.nodes.len()).map(Loc::from) {
        let node = program.node(loc);
        let Action::Assign { to: Place::Var(v), value, .. } = &node.action else { continue };
        if forgotten[v.index()] && !stays_in_range(program, loc, *v, value) {
            let again = coarse.add_node(node.action.clone(), node.span, node.handler);
            let exception = Expr::Const(i64::from(ExceptionId::CONSTRAINT_ERROR.0));
            let raise = Action::Raise { exception, by_tasking: false };
            let raise = coarse.add_node(raise, node.span, node.handler);
            coarse.nodes[loc.index()].action = Action::Choose { targets: vec![again, raise] };
        }
    }
    make_opaque(&mut coarse, |v, _| forgotten[v.index()]);
    coarse
}

/// Whether an assignment surely assigns a value of the cell's range.
fn stays_in_range(program: &Program, loc: Loc, v: VarId, value: &Expr) -> bool {
    let Domain::Range(lo, hi) = program.vars[v.index()].domain else { return true };
    if let Some(by) = added_to(value, v) {
        if counts_to_end(program, v) {
            return true;
        }
        // Values from which the step would lead out of the range.
        let from = if by > 0 { hi.checked_sub(by - 1) } else { lo.checked_sub(by + 1) };
        let Some(from) = from else { return false };
        let outside: Vec<i64> = if by > 0 { (from..=hi).collect() } else { (lo..=from).collect() };
        return by.abs() <= 8 && is_tested(program, loc, v, &outside);
    }
    value.fits(program, v)
}

/// Whether a cell is only ever set to constants and counted, by one at a time, towards a value with
/// which it is not counted any further.
fn counts_to_end(program: &Program, v: VarId) -> bool {
    let Domain::Range(lo, hi) = program.vars[v.index()].domain else { return true };
    let (mut starts, mut counted, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (i, node) in program.nodes.iter().enumerate() {
        match &node.action {
            Action::Assign { to: Place::Var(w), value, .. } if *w == v => match (value, added_to(value, v)) {
                (Expr::Const(c), _) => starts.push(*c),
                (_, Some(by @ (1 | -1))) => counted.push((Loc::from(i), by)),
                _ => return false,
            },
            Action::Branch { cond, .. } => cond.walk(&mut |e| {
                if let Expr::Binary(_, a, b) = e
                    && let (Expr::Var(w), Expr::Const(c)) | (Expr::Const(c), Expr::Var(w)) = (&**a, &**b)
                    && *w == v
                {
                    ends.push(*c);
                }
            }),
            action => {
                let mut set = false;
                each_written(program, action, |cell| set |= cell == v);
                if set {
                    return false;
                }
            }
        }
    }
    let up = counted.iter().all(|c| c.1 == 1);
    ends.into_iter().any(|end| {
        (up || counted.iter().all(|c| c.1 == -1))
            && lo <= end
            && end <= hi
            && starts.iter().all(|s| if up { *s <= end } else { *s >= end })
            && counted.iter().all(|(loc, _)| is_tested(program, *loc, v, &[end]))
    })
}

/// Whether control comes to a location only past a branch that some values of a cell do not pass,
/// and that after anything that changes the cell.
fn is_tested(program: &Program, loc: Loc, v: VarId, values: &[i64]) -> bool {
    let changes = |action: &Action| {
        let mut changes = matches!(action, Action::Return | Action::Call { .. });
        each_written(program, action, |cell| changes |= cell == v);
        changes
    };
    let refuses = |node: &Node, target: Loc| match &node.action {
        Action::Branch { cond, yes, no } if yes != no => {
            let passes = i64::from(target == *yes);
            values.iter().all(|x| with(cond, v, *x).constant().is_some_and(|c| i64::from(c != 0) != passes))
        }
        _ => false,
    };
    // Everywhere control may start, or go on after a change, without having passed the branch.
    let mut work: Vec<Loc> = program.tasks.iter().flat_map(|t| [t.start, t.exit]).collect();
    work.extend(program.procs.iter().map(|p| p.start));
    work.extend(program.handlers.iter().flat_map(|h| h.choices.iter().map(|c| c.1)));
    for node in program.nodes.iter().filter(|n| changes(&n.action)) {
        work.extend(node.action.successors());
    }
    let mut seen = vec![false; program.nodes.len()];
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        let node = program.node(at);
        node.action.each_successor(|next| {
            if !refuses(node, next) {
                work.push(next);
            }
        });
    }
    !seen[loc.index()]
}

/// An expression with a value in the place of a cell.
pub fn with(e: &Expr, v: VarId, value: i64) -> Expr {
    e.clone().rewrite(&mut |e| if e == Expr::Var(v) { Expr::Const(value) } else { e })
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

struct TerminationProof<'p> {
    program: &'p Program,
    task: TaskId,
    /// It has a loop that ends only because its callers stop calling.
    serves: bool,
}

impl TerminationProof<'_> {
    /// Whether control cannot stay among these locations for ever; `accepting` calls on the way.
    fn ends(&mut self, locs: &[Loc], accepting: bool, depth: usize) -> bool {
        let mut place = std::collections::HashMap::new();
        for (i, loc) in locs.iter().enumerate() {
            place.insert(*loc, i as u32);
        }
        let next: Vec<Vec<u32>> = locs
            .iter()
            .map(|loc| {
                let node = self.program.node(*loc);
                let mut all = Vec::new();
                match &node.action {
                    Action::Select { otherwise, delays, .. } if !accepting => {
                        let others = otherwise.iter().chain(delays.iter().map(|d| &d.1));
                        all.extend(others.filter_map(|l| place.get(l)));
                    }
                    action => action.each_successor(|l| all.extend(place.get(&l))),
                }
                all.extend(self.program.handlers_at(*loc).filter_map(|c| place.get(&c.1)));
                all
            })
            .collect();
        for component in components(locs.len(), |s, k| next[s as usize].get(k).copied()) {
            if component.len() == 1 && !next[component[0] as usize].contains(&component[0]) {
                continue;
            }
            let inside: Vec<Loc> = component.iter().map(|i| locs[*i as usize]).collect();
            if depth > 20 || !self.loop_ends(&inside, accepting, depth) {
                return false;
            }
        }
        true
    }

    fn loop_ends(&mut self, inside: &[Loc], accepting: bool, depth: usize) -> bool {
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
            let finite = matches!(self.program.vars[v.index()].domain, Domain::Range(..));
            if steady && finite && self.ends(&rest, accepting, depth + 1) {
                return true;
            }
        }
        // Flags: whatever sets one that ends the loop is done once.
        let rest: Vec<Loc> = inside.iter().copied().filter(|l| !self.sets_flag(*l, inside)).collect();
        if rest.len() < inside.len() && self.ends(&rest, accepting, depth + 1) {
            return true;
        }
        // A server: every round accepts a call, and callers come to an end.
        if accepting && self.ends(inside, false, depth + 1) {
            self.serves = true;
            return true;
        }
        false
    }

    /// Whether a location sets a cell to a value that nothing in the loop changes, and with which
    /// the loop is left before control comes there again.
    fn sets_flag(&self, loc: Loc, inside: &[Loc]) -> bool {
        self.behind_flag(loc, inside).is_some()
    }

    /// Where control may be in the loop after that.
    fn behind_flag(&self, loc: Loc, inside: &[Loc]) -> Option<Vec<Loc>> {
        let node = self.program.node(loc);
        let Action::Assign { to: Place::Var(v), value: Expr::Const(value), .. } = &node.action else {
            return None;
        };
        let own = self.program.vars[v.index()].storage == Storage::Local(self.task);
        let same = |l: &Loc| {
            let action = &self.program.node(*l).action;
            let mut same = true;
            match action {
                Action::Assign { to: Place::Var(w), value: Expr::Const(other), .. } if w == v => {
                    same = other == value;
                }
                Action::EntryCall { args, .. } => same = !args.contains(v),
                Action::Select { alternatives, .. } => {
                    same = !alternatives.iter().flat_map(|a| &a.formals).any(|f| f.cell == *v);
                }
                action => each_written(self.program, action, |cell| same &= cell != *v),
            }
            same
        };
        if !own || !inside.iter().all(same) {
            return None;
        }
        // From behind the location, round the loop, never along a branch that the value refuses.
        let mut seen = Vec::new();
        let mut work = node.action.successors();
        while let Some(at) = work.pop() {
            if at == loc {
                return None;
            }
            if !inside.contains(&at) || seen.contains(&at) {
                continue;
            }
            seen.push(at);
            let node = self.program.node(at);
            match &node.action {
                Action::Branch { cond, yes, no } => match with(cond, *v, *value).constant() {
                    Some(c) => work.push(if c != 0 { *yes } else { *no }),
                    None => work.extend([*yes, *no]),
                },
                action => work.extend(action.successors()),
            }
            work.extend(self.program.handlers_at(at).map(|c| c.1));
        }
        Some(seen)
    }
}
