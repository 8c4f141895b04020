//! Properties of event sequences, bound to a program: names become cells, entries and tasks.

use rendez_model::monitor::{Happening, Monitor};
use rendez_model::{Action, Domain, EntryId, ProcId, Program, Sharing, Storage, TaskId, Value, Var, VarId};
use rendez_property::events::{Pattern, Test};
use rendez_property::regular::{File, Regular};
use rendez_property::{Position, Wrong};
use rendez_source::Span;

/// Whether a name of the program is the one that is wanted, whatever its case and however much of
/// its prefix is given. Without an index, every element of an array is wanted.
pub fn same(full: &str, wanted: &str) -> bool {
    let normal = |s: &str| s.to_lowercase().replace(' ', "");
    let (full, wanted) = (normal(full), normal(wanted));
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
    let plain = |full: &str| full.split(" of ").next().unwrap_or(full).to_owned();
    let fits = |v: &usize| same(&program.vars[*v].name, name) || same(&plain(&program.vars[*v].name), name);
    (0..program.vars.len()).filter(fits).map(VarId::from).collect()
}

fn procs(program: &Program, name: &str, by: Option<&[TaskId]>) -> Vec<ProcId> {
    let fits = |p: &usize| {
        let proc = &program.procs[*p];
        let plain = proc.name.split(" of ").next().unwrap_or(&proc.name);
        same(plain, name) && by.is_none_or(|by| by.contains(&proc.task))
    };
    (0..program.procs.len()).filter(fits).map(ProcId::from).collect()
}

/// What a pattern stands for; one happening for each task that may be meant by a caller's name.
pub(crate) fn happenings(
    program: &Program,
    pattern: &Pattern,
    at: Position,
) -> Result<Vec<Happening>, Wrong> {
    let some = |what: &str, name: &str| Wrong::at(at, format!("the program has no {what} `{name}`"));
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
            .any(|n| matches!(&n.action, Action::Event { name: n, .. } if n.eq_ignore_ascii_case(name)))
    };
    Ok(match pattern {
        Pattern::Event(name) => match annotated(name) {
            true => vec![Happening::Event(name.clone())],
            false => return Err(some("event", name)),
        },
        Pattern::Named(name) if annotated(name) => vec![Happening::Event(name.clone())],
        Pattern::Named(name) => match entries(program, name) {
            none if none.is_empty() => return Err(some("event or entry", name)),
            entries => vec![Happening::Accept { entries, by: None, values: Vec::new() }],
        },
        Pattern::Accept { entry, by, values } => match entries(program, entry) {
            none if none.is_empty() => return Err(some("entry", entry)),
            entries => callers(by)?
                .into_iter()
                .map(|by| Happening::Accept { entries: entries.clone(), by, values: values.clone() })
                .collect(),
        },
        Pattern::Finish { entry, by } => match entries(program, entry) {
            none if none.is_empty() => return Err(some("entry", entry)),
            entries => callers(by)?
                .into_iter()
                .map(|by| Happening::Finish { entries: entries.clone(), by })
                .collect(),
        },
        Pattern::Write { variable, value } => match cells(program, variable) {
            none if none.is_empty() => return Err(some("variable", variable)),
            cells => vec![Happening::Write { cells, value: comparison(value) }],
        },
        Pattern::Test { variable, value } => match cells(program, variable) {
            none if none.is_empty() => return Err(some("variable", variable)),
            cells => vec![Happening::Test { cells, value: comparison(value) }],
        },
        Pattern::Enter { procedure, by } => {
            let by: Option<Vec<TaskId>> = match by {
                None => None,
                some => Some(callers(some)?.into_iter().flatten().collect()),
            };
            match procs(program, procedure, by.as_deref()) {
                none if none.is_empty() => return Err(some("subprogram with a body", procedure)),
                procs => vec![Happening::Enter { procs }],
            }
        }
        Pattern::Start(name) => match tasks(program, name) {
            none if none.is_empty() => return Err(some("task", name)),
            tasks => vec![Happening::Start(tasks)],
        },
        Pattern::End(name) => match tasks(program, name) {
            none if none.is_empty() => return Err(some("task", name)),
            tasks => vec![Happening::End(tasks)],
        },
    })
}

/// The monitor of a property.
fn monitor(program: &Program, file: &File, property: &Regular, span: Span) -> Result<Monitor, Wrong> {
    let mut watch: Vec<(Happening, u32)> = Vec::new();
    for (letter, (symbol, position)) in property.symbols.iter().enumerate() {
        let patterns = match file.bindings.iter().find(|b| b.symbol == *symbol) {
            Some(bound) => bound.patterns.iter().map(|p| (p.clone(), bound.position)).collect(),
            None => vec![(Pattern::Named(symbol.clone()), *position)],
        };
        for (pattern, position) in patterns {
            for happening in happenings(program, &pattern, position)? {
                if watch.iter().any(|(known, other)| *known == happening && *other != letter as u32) {
                    let message = format!("`{symbol}` stands for something that another event stands for");
                    return Err(Wrong::at(position, message));
                }
                watch.push((happening, letter as u32));
            }
        }
    }
    let dfa = &property.automaton;
    Ok(Monitor {
        name: property.name.clone(),
        language: property.language,
        text: property.text.clone(),
        span,
        symbols: property.symbols.iter().map(|s| s.0.clone()).collect(),
        cell: VarId::default(),
        letters: dfa.letters,
        next: dfa.next.clone(),
        accepting: dfa.accepting.clone(),
        doomed: dfa.doomed(),
        watch,
    })
}

/// Finds the names of the properties of a file in the program.
pub fn bind(program: &Program, file: &File, span: impl Fn(Position) -> Span) -> Result<Vec<Monitor>, Wrong> {
    file.properties.iter().map(|p| monitor(program, file, p, span(p.position))).collect()
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
            span: Span::NOWHERE,
        });
        program.monitors.push(monitor);
    }
}
