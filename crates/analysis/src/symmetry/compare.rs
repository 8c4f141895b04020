//! Whether a permutation leaves the program as it is.
//!
//! Everything is renamed and compared with what stands where it goes: tasks, entries, cells, procedures, masters,
//! handlers, entry bodies and every reachable action. Tables of cells are compared by their cells, because two tables
//! may list the same ones. A number that is computed cannot be renamed, so tasks and entries that computed expressions
//! may name must stay.
//!
//! If only actions that stay where they are differ, the permutation is a symmetry as soon as no task can come to them
//! any more. The result lists the locations from which one still can.

use rendez_model::code::closure;
use rendez_model::expr::Expr;
use rendez_model::program::*;

use super::Permutation;
use super::names::{Name, each_name, names_in};

/// Compares a program with everything renamed with itself: the locations from which control may
/// still come to where they differ, none if they do not.
pub(super) fn symmetric_from(
    program: &Program,
    code: &[Vec<Loc>],
    permutation: &Permutation,
) -> Option<Vec<bool>> {
    if !same_declarations(program, permutation) {
        return None;
    }
    let differ = differing(program, code, permutation)?;
    if differ.is_empty() {
        return Some(Vec::new());
    }
    // What happened at an entry before would not be known to have happened at its like.
    if (0..program.entries.len()).map(EntryId::from).any(|e| permutation.entry(e) != e) {
        return None;
    }
    too_early(program, code, &differ)
}

/// Whether everything but the actions is as it was.
fn same_declarations(program: &Program, permutation: &Permutation) -> bool {
    let mut barriers = program.entries.iter().filter_map(|e| e.barrier.as_ref());
    same_tasks(program, permutation)
        && same_entries(program, permutation)
        && same_cells(program, permutation)
        && same_procs(program, permutation)
        && same_handlers(program, permutation)
        && barriers.all(|e| computed_names_in(program, permutation, e))
}

fn renamed_option(permutation: &Permutation, kind: Name, n: Option<u32>) -> Option<u32> {
    n.map(|n| permutation.of(kind, n))
}

fn same_tasks(program: &Program, permutation: &Permutation) -> bool {
    let tasks = program.tasks.iter().enumerate().all(|(t, task)| {
        let other = &program.tasks[permutation.task(TaskId::from(t)).index()];
        renamed_option(permutation, Name::Master, task.master.map(|m| m.0)) == other.master.map(|m| m.0)
            && permutation.loc(task.start) == other.start
            && permutation.loc(task.exit) == other.exit
            && task.background == other.background
    });
    let mut masters = program.masters.iter().enumerate();
    tasks
        && masters.all(|(i, m)| {
            let other = &program.masters[permutation.of(Name::Master, i as u32) as usize];
            permutation.task(m.owner) == other.owner
        })
}

fn same_entries(program: &Program, permutation: &Permutation) -> bool {
    program.entries.iter().enumerate().all(|(e, entry)| {
        let other = &program.entries[permutation.entry(EntryId::from(e)).index()];
        let owner = match entry.owner {
            Owner::Task(t) => Owner::Task(permutation.task(t)),
            Owner::Object(o) => Owner::Object(permutation.object(o)),
        };
        let same_barrier = match (&entry.barrier, &other.barrier) {
            (Some(a), Some(b)) => renamed_expr(program, permutation, a) == as_cells(program, b),
            (None, None) => true,
            _ => false,
        };
        other.owner == owner && same_barrier
    })
}

fn same_cells(program: &Program, permutation: &Permutation) -> bool {
    program.vars.iter().enumerate().all(|(v, var)| {
        let other = &program.vars[permutation.var(VarId::from(v)).index()];
        let storage = match var.storage {
            Storage::Shared => Storage::Shared,
            Storage::Local(t) => Storage::Local(permutation.task(t)),
            Storage::Component(o) => Storage::Component(permutation.object(o)),
        };
        other.storage == storage
            && (var.domain, var.init, var.sharing) == (other.domain, other.init, other.sharing)
    })
}

/// Procedures, and which of them are bodies of entries.
fn same_procs(program: &Program, permutation: &Permutation) -> bool {
    let procs = program.procs.iter().enumerate().all(|(i, p)| {
        let other = &program.procs[permutation.of(Name::Proc, i as u32) as usize];
        let formals = p.formals.iter().map(|f| (permutation.var(f.cell), f.mode));
        permutation.task(p.task) == other.task
            && permutation.loc(p.start) == other.start
            && formals.eq(other.formals.iter().map(|f| (f.cell, f.mode)))
            && p.locals.iter().map(|v| permutation.var(*v)).eq(other.locals.iter().copied())
    });
    procs
        && program.bodies.iter().all(|((task, entry), body)| {
            let other = program.bodies.get(&(permutation.task(*task), permutation.entry(*entry)));
            other.is_some_and(|b| b.0 == permutation.of(Name::Proc, body.0))
        })
}

fn same_handlers(program: &Program, permutation: &Permutation) -> bool {
    program.handlers.iter().enumerate().all(|(i, h)| {
        let other = &program.handlers[permutation.of(Name::Handler, i as u32) as usize];
        h.choices.iter().map(|(c, l)| (*c, permutation.loc(*l))).eq(other.choices.iter().copied())
            && h.occurrence.map(|v| permutation.var(v)) == other.occurrence
            && renamed_option(permutation, Name::Handler, h.outer.map(|h| h.0)) == other.outer.map(|h| h.0)
            && h.cleanup == other.cleanup
    })
}

/// The locations whose actions differ though they stay where they are; None if others differ, too.
fn differing(program: &Program, code: &[Vec<Loc>], permutation: &Permutation) -> Option<Vec<Loc>> {
    let mut differ = Vec::new();
    for loc in code.iter().flatten() {
        let (node, other) = (program.node(*loc), program.node(permutation.loc(*loc)));
        let handler = renamed_option(permutation, Name::Handler, node.handler.map(|h| h.0));
        let same = handler == other.handler.map(|h| h.0)
            && computed_names_stay(program, permutation, &node.action)
            && renamed(program, permutation, &node.action) == plain(program, &other.action);
        if !same {
            if permutation.loc(*loc) != *loc {
                return None;
            }
            differ.push(*loc);
        }
    }
    Some(differ)
}

/// By location: whether control may still come from there to where the program differs. None if a task that differs
/// never rests behind all of these places.
fn too_early(program: &Program, code: &[Vec<Loc>], differ: &[Loc]) -> Option<Vec<bool>> {
    let mut too_early = vec![false; program.nodes.len()];
    for code in code {
        if !differ.iter().any(|l| code.contains(l)) {
            continue;
        }
        let early = |loc: &Loc| closure(program, vec![*loc], |_| true).iter().any(|l| differ.contains(l));
        code.iter().for_each(|l| too_early[l.index()] = early(l));
        let rests = |l: &Loc| matches!(program.node(*l).action, Action::Await { .. } | Action::Select { .. });
        if !code.iter().any(|l| rests(l) && !too_early[l.index()]) {
            return None;
        }
    }
    Some(too_early)
}

/// An entry or task whose number is computed must be one that stays where it is.
pub(super) fn computed_names_stay(program: &Program, permutation: &Permutation, action: &Action) -> bool {
    use Action::*;
    let mut stay = match action {
        EntryCall { entry, .. } | Requeue { entry, .. } => entries_stay(program, permutation, entry),
        Async { trigger: Trigger::Call { entry, .. }, .. } => entries_stay(program, permutation, entry),
        Select { alternatives, .. } => {
            alternatives.iter().all(|a| entries_stay(program, permutation, &a.entry))
        }
        Activate { tasks, .. } | Abort { tasks, .. } => tasks.iter().all(|e| e.constant().is_some()),
        _ => true,
    };
    action.each_expr(&mut |e| stay &= computed_names_in(program, permutation, e));
    stay
}

pub(super) fn computed_names_in(program: &Program, permutation: &Permutation, e: &Expr) -> bool {
    let mut stay = true;
    e.walk(&mut |e| match e {
        Expr::Count(e) => stay &= entries_stay(program, permutation, e),
        Expr::Callable(e) | Expr::Terminated(e) => stay &= e.constant().is_some(),
        _ => {}
    });
    stay
}

pub(super) fn entries_stay(program: &Program, permutation: &Permutation, e: &Expr) -> bool {
    e.constant().is_some() || program.possible_entries(e).into_iter().all(|e| permutation.entry(e) == e)
}

/// Tables are compared by what they hold: the cells a table may name, renamed.
pub(super) type WithCells<T> = (T, Vec<Vec<i64>>);

pub(super) fn renamed(program: &Program, permutation: &Permutation, action: &Action) -> WithCells<Action> {
    let mut action = action.clone();
    let mut cells = Vec::new();
    each_name(&mut action, &mut |kind, n| rename(program, Some(permutation), kind, n, &mut cells));
    // Renamed, the members of a set are in another order.
    each_name(&mut action, &mut |_, _| {});
    (action, cells)
}

pub(super) fn plain(program: &Program, action: &Action) -> WithCells<Action> {
    let mut action = action.clone();
    let mut cells = Vec::new();
    each_name(&mut action, &mut |kind, n| rename(program, None, kind, n, &mut cells));
    (action, cells)
}

pub(super) fn renamed_expr(program: &Program, permutation: &Permutation, e: &Expr) -> WithCells<Expr> {
    let (mut e, mut cells) = (e.clone(), Vec::new());
    names_in(&mut e, None, &mut |kind, n| rename(program, Some(permutation), kind, n, &mut cells));
    (e, cells)
}

pub(super) fn as_cells(program: &Program, e: &Expr) -> WithCells<Expr> {
    let (mut e, mut cells) = (e.clone(), Vec::new());
    names_in(&mut e, None, &mut |kind, n| rename(program, None, kind, n, &mut cells));
    (e, cells)
}

pub(super) fn rename(
    program: &Program,
    permutation: Option<&Permutation>,
    kind: Name,
    n: &mut u32,
    cells: &mut Vec<Vec<i64>>,
) {
    let of = |kind: Name, n: u32| permutation.map_or(n, |r| r.of(kind, n));
    match kind {
        Name::Cells | Name::Constants => {
            let table = &program.tables[*n as usize];
            let cell = |v: &i64| match kind == Name::Cells && *v >= 0 {
                true => i64::from(of(Name::Var, *v as u32)),
                false => *v,
            };
            cells.push(std::iter::once(table.first).chain(table.values.iter().map(cell)).collect());
            *n = 0;
        }
        Name::AnyTask => *n = of(Name::Task, *n),
        Name::AnyMaster => *n = of(Name::Master, *n),
        kind => *n = of(kind, *n),
    }
}
