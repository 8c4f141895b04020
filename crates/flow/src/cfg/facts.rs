//! What the graph of one task needs to know about the whole program.
//!
//! A task can be aborted, an entry can be the target of a requeue, an object can cease to exist: the code of other tasks
//! decides that, so it is collected once. All of it is over-approximated from the text of the code alone. A target that
//! is computed stands for every task, and an abort reaches the dependents of whoever it reaches.
//!
//! Arguments that always carry one number are recognised as well. The number must be the only one that is ever assigned
//! to the cell, nothing else may write the cell, and every call must be preceded by that assignment with nothing in
//! between but assignments to other arguments. Then the value that arrives is known even where alike tasks share a
//! node. A requeued call takes back what bodies assigned to its parameters, so with requeues nothing is recognised.

use rendez_model::{Action, Domain, EntryId, Expr, Formal, Loc, Place, Program, TaskId, VarId};

use super::Op;

/// Facts about the whole program that the graphs of single tasks need.
pub struct Facts {
    /// By task: somebody may abort it.
    pub abortable: Vec<bool>,
    /// Entries that calls may be requeued to.
    pub(super) requeues: Vec<EntryId>,
    /// Protected objects that may cease to exist.
    pub(super) closed: Vec<bool>,
    /// Tasks that allocators make.
    pub(super) pool: Vec<TaskId>,
    /// Locals of procedures that may call themselves.
    pub recursive: Vec<bool>,
    /// As published: no check fails.
    pub unchecked: bool,
    /// Arguments of calls that always have the same value.
    pub constant: Vec<Option<i64>>,
}

impl Facts {
    pub fn new(program: &Program) -> Facts {
        let mut abortable = vec![false; program.tasks.len()];
        let mut requeues = Vec::new();
        let mut closed = vec![false; program.objects.len()];
        let mut pool = Vec::new();
        for node in &program.nodes {
            match &node.action {
                Action::Abort { tasks, .. } => {
                    for expr in tasks {
                        match expr.constant() {
                            Some(t) => abortable[t as usize] = true,
                            None => abortable.iter_mut().for_each(|a| *a = true),
                        }
                    }
                }
                Action::Requeue { entry, .. } => requeues.extend(program.possible_entries(entry)),
                Action::Close { object, .. } => closed[object.index()] = true,
                Action::Allocate { pool: tasks, .. } => pool.extend(tasks),
                _ => {}
            }
        }
        // An abort takes the dependents with it.
        loop {
            let mut changed = false;
            for (t, task) in program.tasks.iter().enumerate() {
                let owner = task.master.map(|m| program.masters[m.index()].owner.index());
                if !abortable[t] && owner.is_some_and(|o| abortable[o]) {
                    abortable[t] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut recursive = vec![false; program.vars.len()];
        for proc in rendez_analysis::passes::recursive_procedures(program) {
            for cell in &program.procs[proc.index()].locals {
                recursive[cell.index()] = true;
            }
        }
        requeues.sort();
        requeues.dedup();
        // A call that is requeued takes back what bodies assigned to its parameters.
        let constant = match requeues.is_empty() {
            true => constant_arguments(program),
            false => vec![None; program.vars.len()],
        };
        Facts { abortable, requeues, closed, pool, recursive, unchecked: false, constant }
    }
}

/// Cells that only ever carry one number as an argument, and get it right before each call.
fn constant_arguments(program: &Program) -> Vec<Option<i64>> {
    let mut value: Vec<Option<i64>> = vec![None; program.vars.len()];
    let mut spoilt = vec![false; program.vars.len()];
    let mut before: Vec<Vec<Loc>> = vec![Vec::new(); program.nodes.len()];
    let mut outs = vec![Vec::new(); program.entries.len()];
    for (i, node) in program.nodes.iter().enumerate() {
        node.action.each_successor(|s| before[s.index()].push(Loc::from(i)));
        if let Action::Select { alternatives, .. } = &node.action {
            for a in alternatives {
                for e in program.possible_entries(&a.entry) {
                    outs[e.index()].extend((0..a.formals.len()).filter(|f| a.formals[*f].mode.copies_out()));
                }
            }
        }
        match &node.action {
            Action::Assign { to: Place::Var(cell), value: Expr::Const(v), .. } => {
                let known = &mut value[cell.index()];
                spoilt[cell.index()] |= known.is_some_and(|k| k != *v);
                *known = Some(*v);
            }
            action => rendez_model::code::each_written(program, action, |c| spoilt[c.index()] = true),
        }
    }
    for proc in &program.procs {
        proc.formals.iter().for_each(|f| spoilt[f.cell.index()] = true);
    }
    for (i, node) in program.nodes.iter().enumerate() {
        let Action::EntryCall { entry, args, .. } = &node.action else { continue };
        let written: Vec<usize> =
            program.possible_entries(entry).iter().flat_map(|e| outs[e.index()].clone()).collect();
        for (position, cell) in args.iter().enumerate() {
            // Backwards over the assignments to arguments of this call.
            let mut work = before[i].clone();
            let mut fresh = !work.is_empty();
            let mut seen = Vec::new();
            while let Some(loc) = work.pop() {
                match &program.node(loc).action {
                    Action::Assign { to: Place::Var(c), .. } if c == cell => {}
                    Action::Assign { to: Place::Var(c), .. } if args.contains(c) && !seen.contains(&loc) => {
                        seen.push(loc);
                        fresh &= !before[loc.index()].is_empty();
                        work.extend(&before[loc.index()]);
                    }
                    Action::Assign { .. } if seen.contains(&loc) => {}
                    _ => fresh = false,
                }
            }
            spoilt[cell.index()] |= !fresh || written.contains(&position);
        }
    }
    value.into_iter().zip(spoilt).map(|(v, s)| v.filter(|_| !s)).collect()
}

/// Parameters on their way in. Results may have a value already if the call was requeued.
pub fn copies_in(facts: &Facts, formals: &[Formal], args: &[VarId]) -> Vec<Op> {
    formals
        .iter()
        .zip(args)
        .map(|(formal, arg)| match formal.mode.copies_in() {
            true => Op::Copy { to: formal.cell, from: *arg },
            false if !facts.requeues.is_empty() => Op::Havoc(Place::Var(formal.cell)),
            false => Op::Reset(formal.cell),
        })
        .collect()
}

/// Results on their way out.
pub fn copies_out(formals: &[Formal], args: &[VarId]) -> Vec<Op> {
    let outs = formals.iter().zip(args).filter(|(f, _)| f.mode.copies_out());
    outs.map(|(f, arg)| Op::Copy { to: *arg, from: f.cell }).collect()
}

/// Whether a cell can be followed at all.
pub fn is_trackable(program: &Program, facts: &Facts, cell: VarId) -> bool {
    let var = &program.vars[cell.index()];
    matches!(var.domain, Domain::Range(..)) && !facts.recursive[cell.index()]
}
