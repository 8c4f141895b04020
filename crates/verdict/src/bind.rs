//! Properties of event sequences, bound to a program: names become cells, entries and tasks.
//!
//! A property file names things as a reader of the source does, without package prefixes, with or without indices, in
//! any case. This file finds what is meant: all matches, since a name without its index means every element, and a name
//! without its prefix everything that ends so. A name that means nothing is an error at its place, with what else has
//! that name, or what may have been meant; a property that silently watched nothing would hold.
//!
//! The result is a monitor (`rendez_model::monitor`): the automaton of the property, with what stands for which letter.
//! It is built only here, because the letters are sets of names (`overlap.rs`), which depend on the program. Names
//! without which the property demands nothing are kept with it, so that a verdict can say that it holds vacuously.
//!
//! A record stands for its components, which are not declared as objects of their own. Parameters, and variables of
//! tasks and packages, are no records, although their names have a common prefix, too.

use rendez_model::monitor::{EventPattern, Language, Monitor};
use rendez_model::{
    Action, Domain, EntryId, EventKind, Expr, Loc, ProcId, Program, Sharing, Storage, TaskId, Trigger, Value,
    Var, VarId,
};
use rendez_property::automaton::{Recurring, singles};
use rendez_property::events::{Pattern, Test};
use rendez_property::inca::IntervalQuery;
use rendez_property::regular::{File, Notation, Regular};
use rendez_property::{Position, Wrong};
use rendez_source::Span;

use crate::{overlap, predicate};

/// Whether a name of the program is the one that is wanted, whatever its case and however much of
/// its prefix is given. Without an index, every element of an array is wanted; indices of type Boolean are the positions of
/// their values.
pub fn same(full: &str, wanted: &str) -> bool {
    let normal = |s: &str| s.to_lowercase().replace(' ', "");
    let (full, mut wanted) = (normal(full), normal(wanted));
    for (literal, position) in [("false", "0"), ("true", "1")] {
        for (before, after) in [('(', ')'), ('(', ','), (',', ','), (',', ')')] {
            wanted =
                wanted.replace(&format!("{before}{literal}{after}"), &format!("{before}{position}{after}"));
        }
    }
    let fits = |full: &str| full == wanted || full.ends_with(&format!(".{wanted}"));
    fits(&full) || (!wanted.contains('(') && fits(&without_indices(&full)))
}

fn without_indices(name: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        depth += i32::from(*c == '(');
        let keep = depth == 0;
        depth -= i32::from(*c == ')');
        keep
    };
    name.chars().filter(outside).collect()
}

fn tasks(program: &Program, name: &str) -> Vec<TaskId> {
    (0..program.tasks.len()).filter(|t| same(&program.tasks[*t].name, name)).map(TaskId::from).collect()
}

fn entries(program: &Program, name: &str) -> Vec<EntryId> {
    (0..program.entries.len()).map(EntryId::from).filter(|e| same(&program.entry_name(*e), name)).collect()
}

fn cells(program: &Program, name: &str) -> Vec<VarId> {
    let fits = |v: &usize| {
        let var = &program.vars[*v];
        same(&var.name, name) || same(var.plain_name(), name)
    };
    (0..program.vars.len()).filter(fits).map(VarId::from).collect()
}

/// The components of a record of this name. Unlike variables of a package or a task they are not declared as objects.
fn components(program: &Program, name: &str) -> Vec<VarId> {
    let object = program.objects.iter().any(|o| same(&o.name, name));
    let unit = object || !tasks(program, name).is_empty() || !entries(program, name).is_empty();
    // Parameters are not declared as objects, either.
    if unit || !procs(program, name, None).is_empty() {
        return Vec::new();
    }
    let inside = |span: Span| {
        let place = (span.line, span.column);
        let around = |d: &Span| {
            d.file == span.file && (d.line, d.column) <= place && place < (d.end_line, d.end_column)
        };
        program.declarations.iter().any(around)
    };
    let fits = |v: &usize| {
        let var = &program.vars[*v];
        let full = var.plain_name();
        let prefixes = full.char_indices().filter(|(_, c)| *c == '.').map(|(i, _)| &full[..i]);
        !var.temporary && !inside(var.span) && { prefixes }.any(|prefix| same(prefix, name))
    };
    (0..program.vars.len()).filter(fits).map(VarId::from).collect()
}

/// The cells that a variable consists of, whatever is compared with its value.
fn variable(program: &Program, name: &str, value: Option<Test>, at: Position) -> Result<Vec<VarId>, Wrong> {
    match (cells(program, name), components(program, name)) {
        (cells, _) if !cells.is_empty() => Ok(cells),
        (_, parts) if parts.is_empty() => Err(Wrong::at(at, missing(program, "variable", name))),
        _ if value.is_some() => {
            Err(Wrong::at(at, format!("`{name}` is a record: only its components have values to compare")))
        }
        (_, parts) => Ok(parts),
    }
}

/// What is said of a name that is not what it should be: what else has it, or what may be meant.
fn missing(program: &Program, what: &str, name: &str) -> String {
    let no = format!("the program has no {what} `{name}`");
    let is = |found: bool, what: &str| found.then(|| format!("{no}: it is {what}"));
    let object = program.objects.iter().any(|o| same(&o.name, name));
    let other = is(!tasks(program, name).is_empty(), "a task")
        .or_else(|| is(object, "a protected object"))
        .or_else(|| is(!entries(program, name).is_empty(), "an entry"))
        .or_else(|| is(!cells(program, name).is_empty(), "a variable"))
        .or_else(|| is(!components(program, name).is_empty(), "a record"))
        .or_else(|| is(!procs(program, name, None).is_empty(), "a subprogram"));
    if let Some(other) = other {
        return other;
    }
    let (family, last) = (without_indices(name), name.rsplit('.').next().unwrap_or(name));
    match what {
        "entry" | "event or entry" if name.contains('(') && !entries(program, &family).is_empty() => {
            format!("{no}: an index is a number, `true`, `false`, or the position of a literal, from 0")
        }
        // Tasks of a type are known by their own names.
        "entry" | "event or entry" if name.contains('.') && !entries(program, last).is_empty() => {
            let mut names: Vec<String> =
                entries(program, last).iter().map(|e| program.entry_name(*e)).collect();
            let more = if names.len() > 4 { ", ..." } else { "" };
            names.truncate(4);
            format!("{no}: there is {}{more}; `{last}` alone means every one of them", names.join(", "))
        }
        _ => no,
    }
}

fn procs(program: &Program, name: &str, by: Option<&[TaskId]>) -> Vec<ProcId> {
    let fits = |p: &usize| {
        let proc = &program.procs[*p];
        same(proc.plain_name(), name) && by.is_none_or(|by| by.contains(&proc.task))
    };
    (0..program.procs.len()).filter(fits).map(ProcId::from).collect()
}

/// Whether an entry may be called with so many values.
fn takes(program: &Program, entry: EntryId, values: usize) -> bool {
    let mut formals = None;
    for node in &program.nodes {
        if let Action::Select { alternatives, .. } = &node.action {
            let here = alternatives.iter().find(|a| program.possible_entries(&a.entry).contains(&entry));
            formals = formals.or(here.map(|a| a.formals.len()));
        }
    }
    let body = program.bodies.iter().find(|((_, e), _)| *e == entry);
    let formals = formals.or(body.map(|(_, proc)| program.procs[proc.index()].formals.len()));
    // Nobody accepts an entry whose parameters are not known.
    values == 0 || formals.is_none_or(|f| values <= f)
}

/// What a pattern stands for; one happening for each task that may be meant by a caller's name.
pub(crate) fn happenings(
    program: &Program,
    pattern: &Pattern,
    at: Position,
) -> Result<Vec<EventPattern>, Wrong> {
    let some = |what: &str, name: &str| Wrong::at(at, missing(program, what, name));
    let comparison = |t: &Option<Test>| t.map(|t| (t.equal, t.value));
    let callers = |by: &Option<String>| -> Result<Vec<Option<TaskId>>, Wrong> {
        match by {
            None => Ok(vec![None]),
            Some(name) => match tasks(program, name) {
                none if none.is_empty() => Err(some("task", name)),
                found => Ok(found.into_iter().map(Some).collect()),
            },
        }
    };
    let annotated = |name: &str| {
        program
            .nodes
            .iter()
            .any(|n| matches!(&n.action, Action::Event { kind: EventKind::Annotated, name: n, .. } if n.eq_ignore_ascii_case(name)))
    };
    Ok(match pattern {
        Pattern::Event(name) => match annotated(name) {
            true => vec![EventPattern::Event(name.clone())],
            false => return Err(some("event", name)),
        },
        Pattern::Named(name) if annotated(name) => vec![EventPattern::Event(name.clone())],
        Pattern::Named(name) => match entries(program, name) {
            none if none.is_empty() => return Err(some("event or entry", name)),
            entries => vec![EventPattern::Accept { entries, by: None, values: Vec::new() }],
        },
        Pattern::Accept { entry, by, values } => match entries(program, entry) {
            none if none.is_empty() => return Err(some("entry", entry)),
            entries if !entries.iter().any(|e| takes(program, *e, values.len())) => {
                return Err(Wrong::at(at, format!("`{entry}` has fewer parameters than values here")));
            }
            entries => callers(by)?
                .into_iter()
                .map(|by| EventPattern::Accept { entries: entries.clone(), by, values: values.clone() })
                .collect(),
        },
        Pattern::Finish { entry, by } => match entries(program, entry) {
            none if none.is_empty() => return Err(some("entry", entry)),
            entries => callers(by)?
                .into_iter()
                .map(|by| EventPattern::Finish { entries: entries.clone(), by })
                .collect(),
        },
        Pattern::Write { variable: name, value } => {
            vec![EventPattern::Write {
                cells: variable(program, name, *value, at)?,
                value: comparison(value),
            }]
        }
        Pattern::Test { variable: name, value } => {
            vec![EventPattern::Test { cells: variable(program, name, *value, at)?, value: comparison(value) }]
        }
        Pattern::Enter { procedure, by } => {
            let by: Option<Vec<TaskId>> = match by {
                None => None,
                some => Some(callers(some)?.into_iter().flatten().collect()),
            };
            match procs(program, procedure, by.as_deref()) {
                none if none.is_empty() => return Err(some("subprogram with a body", procedure)),
                procs => vec![EventPattern::Enter { procs }],
            }
        }
        Pattern::Start(name) => match tasks(program, name) {
            none if none.is_empty() => return Err(some("task", name)),
            tasks => vec![EventPattern::Start(tasks)],
        },
        Pattern::End(name) => match tasks(program, name) {
            none if none.is_empty() => return Err(some("task", name)),
            tasks => vec![EventPattern::End(tasks)],
        },
    })
}

/// A property whose names are found in a program.
pub struct Bound {
    pub monitor: Monitor,
    /// Its intervals over the letters of the monitor, if it was written as a query.
    pub query: Option<IntervalQuery>,
}

/// What the symbols of a property stand for.
fn watched(program: &Program, file: &File, property: &Regular) -> Result<Vec<(EventPattern, u32)>, Wrong> {
    let mut watch: Vec<(EventPattern, u32)> = Vec::new();
    for (s, (symbol, position)) in property.symbols.iter().enumerate() {
        if let Some(meant) = predicate::meant(program, file, property, s as u32, *position)? {
            watch.extend(meant.into_iter().map(|happening| (happening, s as u32)));
            continue;
        }
        let patterns = match file.bindings.iter().find(|b| b.symbol == *symbol) {
            Some(bound) => bound.patterns.iter().map(|p| (p.clone(), bound.position)).collect(),
            None => vec![(Pattern::Named(symbol.clone()), *position)],
        };
        for (pattern, position) in patterns {
            let found = happenings(program, &pattern, position)?;
            watch.extend(found.into_iter().map(|happening| (happening, s as u32)));
        }
    }
    Ok(watch)
}

fn bound(program: &Program, file: &File, property: &Regular, span: Span) -> Result<Bound, Wrong> {
    let watch = watched(program, file, property)?;
    let names = property.symbols.len();
    let carried = overlap::sets(program, &watch).map_err(|overlap::TooMany| {
        let most = overlap::MOST;
        let message = format!("the names overlap too much: more than {most} sets of them may fit one step");
        Wrong::at(property.position, message)
    })?;
    // The letters: each name alone, and what may be carried together.
    let mut letters = singles(names);
    let mut sets = Vec::new();
    for set in carried {
        let letter = match set[..] {
            [symbol] => symbol,
            _ => {
                letters.push(set.clone());
                letters.len() as u32 - 1
            }
        };
        sets.push((set, letter));
    }
    let recurring = property.recurring(&letters)?;
    let doomed = recurring.doomed();
    let Recurring { dfa, again } = recurring;
    let monitor = Monitor {
        name: property.name.clone(),
        language: match property.notation {
            Notation::Qre => Language::Qre,
            Notation::Fsa => Language::Fsa,
            Notation::Pattern => Language::Pattern,
            Notation::Inca => Language::Inca,
        },
        text: property.text.clone(),
        span,
        symbols: property.symbols.iter().map(|s| s.0.clone()).collect(),
        marks: (0..names as u32).collect(),
        possible: possible(program, &watch, names),
        triggers: property.triggers.clone(),
        watch,
        sets,
        cell: VarId::default(),
        letters: dfa.letters,
        next: dfa.next,
        accepting: dfa.accepting,
        doomed,
        again,
    };
    Ok(Bound { monitor, query: property.query(&letters) })
}

/// By symbol: whether there is code for it. An entry that somebody calls or accepts has some.
fn possible(program: &Program, watch: &[(EventPattern, u32)], symbols: usize) -> Vec<bool> {
    let named =
        |e: &Expr, entries: &[EntryId]| program.possible_entries(e).iter().any(|e| entries.contains(e));
    let mut possible = vec![false; symbols];
    for (happening, symbol) in watch {
        let at = |action: &Action| match (happening, action) {
            (EventPattern::Accept { entries, .. } | EventPattern::Finish { entries, .. }, action) => {
                match action {
                    Action::Select { alternatives, .. } => {
                        alternatives.iter().any(|a| named(&a.entry, entries))
                    }
                    Action::EntryCall { entry, .. }
                    | Action::Requeue { entry, .. }
                    | Action::Async { trigger: Trigger::Call { entry, .. }, .. } => named(entry, entries),
                    _ => false,
                }
            }
            (other, action) => other.may_happen_at(program, action),
        };
        let first = |loc: usize| {
            matches!(happening, EventPattern::Write { .. }) && program.is_declared_at(Loc::from(loc))
        };
        let mut code = program.nodes.iter().enumerate();
        possible[*symbol as usize] |= code.any(|(loc, node)| at(&node.action) && !first(loc));
    }
    possible
}

/// Finds the names of the properties of a file in the program.
pub fn bind(program: &Program, file: &File, span: impl Fn(Position) -> Span) -> Result<Vec<Bound>, Wrong> {
    for binding in &file.bindings {
        for pattern in &binding.patterns {
            happenings(program, pattern, binding.position)?;
        }
    }
    file.properties.iter().map(|p| bound(program, file, p, span(p.position))).collect()
}

/// Lets a program be followed by monitors.
pub fn follow(program: &mut Program, monitors: Vec<Monitor>) {
    for mut monitor in monitors {
        monitor.cell = VarId::from(program.vars.len());
        program.vars.push(Var {
            name: format!("property {}", monitor.name),
            domain: Domain::Range(0, monitor.accepting.len() as i64 - 1),
            init: Value::Known(0),
            storage: Storage::Shared,
            sharing: Sharing::Atomic,
            temporary: false,
            span: Span::NOWHERE,
        });
        program.monitors.push(monitor);
    }
}
