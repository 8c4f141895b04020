//! The names in an action: every number that stands for a task, an entry, a cell, a location and so on.
//!
//! One visitor lists them in a fixed order and may replace them. So the walk that matches two actions, the renaming of
//! an action and the comparison of two renamed actions cannot disagree about what a name is. What is left of an action
//! without its names is its skeleton; two actions match only if their skeletons are equal.
//!
//! A constant is a name where the expression around it says so: the number of a task in `Callable`, of an entry in
//! `Count`.

use rendez_model::expr::{Expr, Place};
use rendez_model::program::*;

/// What a number in an action names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Task,
    Entry,
    Object,
    Var,
    Loc,
    Proc,
    Master,
    Handler,
    /// A table of cells.
    Cells,
    /// A table of constants.
    Constants,
    /// A task, or master, of several whose order does not matter.
    AnyTask,
    AnyMaster,
}
/// An action without its names, and the names.
pub(super) fn skeleton(action: &Action) -> (Action, Vec<(Name, u32)>) {
    let mut action = action.clone();
    let mut names = Vec::new();
    each_name(&mut action, &mut |kind, n| {
        names.push((kind, *n));
        *n = 0;
    });
    (action, names)
}

/// What to do with a name: it may be changed.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Name, &mut u32);

/// Visits every name in an action, and forgets where it stands in the source.
pub(super) fn each_name(action: &mut Action, f: Visit) {
    use Action::*;
    action.map_successors(|mut loc| {
        f(Name::Loc, &mut loc.0);
        loc
    });
    match action {
        Assign { to, value, .. } => {
            names_in_place(to, f);
            names_in(value, None, f);
        }
        Havoc { to, .. } => names_in_place(to, f),
        Allocate { pool, to, .. } => {
            pool.iter_mut().for_each(|t| f(Name::Task, &mut t.0));
            names_in_place(to, f);
        }
        Branch { cond, .. } | Assert { cond, .. } => names_in(cond, None, f),
        Call { proc, args, outs, .. } => {
            f(Name::Proc, &mut proc.0);
            args.iter_mut().for_each(|e| names_in(e, None, f));
            outs.iter_mut().for_each(|o| names_in_place(&mut o.1, f));
        }
        EntryCall { entry, args, .. } | Async { trigger: Trigger::Call { entry, args }, .. } => {
            names_in(entry, Some(Name::Entry), f);
            args.iter_mut().for_each(|v| f(Name::Var, &mut v.0));
        }
        Select { alternatives, delays, terminate, .. } => {
            for a in alternatives {
                a.span = Default::default();
                names_in(&mut a.entry, Some(Name::Entry), f);
                a.formals.iter_mut().for_each(|p| f(Name::Var, &mut p.cell.0));
                if let Some(guard) = &mut a.guard {
                    names_in(guard, None, f);
                }
            }
            delays.iter_mut().filter_map(|d| d.0.as_mut()).for_each(|e| names_in(e, None, f));
            if let Some(Some(guard)) = terminate {
                names_in(guard, None, f);
            }
        }
        FailAccept { occurrence } | Resume { occurrence } => f(Name::Var, &mut occurrence.0),
        Requeue { entry, .. } => names_in(entry, Some(Name::Entry), f),
        Lock { object, .. } | Unlock { object, .. } | Close { object, .. } => f(Name::Object, &mut object.0),
        Activate { tasks, .. } | Abort { tasks, .. } => {
            tasks.iter_mut().for_each(|e| names_in(e, Some(Name::AnyTask), f));
            tasks.sort_by_key(Expr::constant);
        }
        Abandon { tasks, .. } => {
            tasks.iter_mut().for_each(|t| f(Name::AnyTask, &mut t.0));
            tasks.sort();
        }
        Await { masters, .. } => {
            masters.iter_mut().for_each(|m| f(Name::AnyMaster, &mut m.0));
            masters.sort();
        }
        Raise { exception, .. } => names_in(exception, None, f),
        Skip { .. }
        | Event { .. }
        | Choose { .. }
        | Return
        | EndAccept { .. }
        | Activated { .. }
        | Complete { .. }
        | Terminate
        | Delay { .. }
        | Async { .. }
        | EndAsync { .. }
        | Defer { .. }
        | Undefer { .. }
        | Stop { .. }
        | Unsupported { .. } => {}
    }
}

pub(super) fn names_in_place(place: &mut Place, f: Visit) {
    match place {
        Place::Var(v) => f(Name::Var, &mut v.0),
        Place::Indexed(table, index) => {
            f(Name::Cells, &mut table.0);
            names_in(index, None, f);
        }
        Place::Nowhere => {}
    }
}

/// Visits the names in an expression; a constant is one if the expression `names` something.
pub(super) fn names_in(e: &mut Expr, names: Option<Name>, f: Visit) {
    match e {
        Expr::Const(value) => {
            if let (Some(kind), Ok(mut n)) = (names, u32::try_from(*value)) {
                f(kind, &mut n);
                *value = i64::from(n);
            }
        }
        Expr::Any => {}
        Expr::Var(v) => f(Name::Var, &mut v.0),
        Expr::Load(table, index) => {
            f(Name::Cells, &mut table.0);
            names_in(index, None, f);
        }
        Expr::Lookup(table, index) => {
            f(Name::Constants, &mut table.0);
            names_in(index, None, f);
        }
        Expr::Unary(_, e) | Expr::Check(e, ..) => names_in(e, None, f),
        Expr::Count(e) => names_in(e, Some(Name::Entry), f),
        Expr::Callable(e) | Expr::Terminated(e) => names_in(e, Some(Name::Task), f),
        Expr::Binary(_, a, b) => {
            names_in(a, None, f);
            names_in(b, None, f);
        }
        Expr::If(a, b, c) => {
            names_in(a, None, f);
            names_in(b, None, f);
            names_in(c, None, f);
        }
    }
}
