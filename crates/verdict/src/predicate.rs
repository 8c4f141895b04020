//! Predicates of INCA queries: events that are meant by what they look like.
//!
//! INCA's queries may select events by their printed form, by how it begins or what it contains, combined with `and`,
//! `or` and `not`. There is no other definition of such a predicate than the text. So every rendezvous that the program
//! may have is written out, once for each caller and each combination of values of its parameters, as a call and as an
//! accept, and a predicate means those whose text it fits.
//!
//! Values of parameters with more than 64 values are not told apart, and read `*`; a name that asks for one of these
//! values is an error at its place, not an approximation. So are more than some thousands of combinations, and a
//! predicate that fits nothing. What comes out is ordinary: a list of rendezvous with callers and values, which the
//! monitor sees like any other.

use std::collections::BTreeMap;

use rendez_model::monitor::EventPattern;
use rendez_model::{Action, Domain, EntryId, Formal, Program, TaskId};
use rendez_property::events::Pattern;
use rendez_property::inca::Predicate;
use rendez_property::regular::{File, Meaning, Regular};
use rendez_property::{Position, Wrong};

use crate::bind::{happenings, same};

/// A rendezvous.
struct Event {
    caller: TaskId,
    entry: EntryId,
    /// Where there are few enough.
    values: Vec<Option<i64>>,
    /// As the program writes them.
    names: Vec<String>,
}

/// More values of a parameter, or combinations, are not told apart.
const VALUES: i64 = 64;
const COMBINATIONS: usize = 4096;

/// What a symbol of a query means by a predicate; None if it is a name.
pub(crate) fn meant(
    program: &Program,
    file: &File,
    property: &Regular,
    symbol: u32,
    at: Position,
) -> Result<Option<Vec<EventPattern>>, Wrong> {
    let Meaning::Query(query) = &property.meaning else { return Ok(None) };
    let Some((_, predicate)) = query.predicates.iter().find(|(s, _)| *s == symbol) else { return Ok(None) };
    let events = events(program, property.position)?;
    let fits = check(program, file, predicate, &events, at)?;
    let fitting = events.into_iter().zip(fits).filter(|(_, fits)| *fits);
    let meant: Vec<EventPattern> = fitting
        .map(|(event, _)| EventPattern::Accept {
            entries: vec![event.entry],
            by: Some(event.caller),
            values: event.values,
        })
        .collect();
    if meant.is_empty() {
        let name = &property.symbols[symbol as usize].0;
        return Err(Wrong::at(at, format!("nothing in the program is `{name}`")));
    }
    Ok(Some(meant))
}

/// Every rendezvous that may happen.
fn events(program: &Program, at: Position) -> Result<Vec<Event>, Wrong> {
    let mut formals: BTreeMap<EntryId, &[Formal]> = BTreeMap::new();
    let mut callers: BTreeMap<EntryId, Vec<TaskId>> = BTreeMap::new();
    for task in (0..program.tasks.len()).map(TaskId::from) {
        for loc in rendez_model::code::task_code(program, task) {
            match &program.node(loc).action {
                Action::EntryCall { entry, .. } => {
                    for e in program.possible_entries(entry) {
                        let list = callers.entry(e).or_default();
                        if !list.contains(&task) {
                            list.push(task);
                        }
                    }
                }
                Action::Select { alternatives, .. } => {
                    for a in alternatives {
                        for e in program.possible_entries(&a.entry) {
                            formals.insert(e, &a.formals);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    for ((_, entry), proc) in &program.bodies {
        formals.insert(*entry, &program.procs[proc.index()].formals);
    }
    let mut events = Vec::new();
    for (entry, callers) in callers {
        let list = formals.get(&entry).copied().unwrap_or(&[]);
        let mut combinations: Vec<(Vec<Option<i64>>, Vec<String>)> = vec![(Vec::new(), Vec::new())];
        for formal in list {
            let range = match program.vars[formal.cell.index()].domain {
                Domain::Range(lo, hi) if formal.mode.copies_in() && hi.saturating_sub(lo) < VALUES => {
                    Some(lo..=hi)
                }
                _ => None,
            };
            let each: Vec<(Option<i64>, String)> = match range {
                Some(range) => range.map(|v| (Some(v), program.value_name(formal.cell, v))).collect(),
                None => vec![(None, "*".into())],
            };
            combinations = combinations
                .iter()
                .flat_map(|(values, names)| {
                    each.iter().map(|(value, name)| {
                        let (mut values, mut names) = (values.clone(), names.clone());
                        values.push(*value);
                        names.push(name.clone());
                        (values, names)
                    })
                })
                .collect();
            if combinations.len() > COMBINATIONS {
                let name = program.entry_name(entry);
                return Err(Wrong::at(
                    at,
                    format!("the parameters of {name} have too many values to be told apart"),
                ));
            }
        }
        for caller in callers {
            for (values, names) in &combinations {
                events.push(Event { caller, entry, values: values.clone(), names: names.clone() });
            }
        }
    }
    Ok(events)
}

/// The events that a name means; None if it means something else than rendezvous.
fn named(
    program: &Program,
    file: &File,
    symbol: &str,
    events: &[Event],
    at: Position,
) -> Result<Option<Vec<bool>>, Wrong> {
    let patterns = match file.bindings.iter().find(|b| b.symbol == symbol) {
        Some(bound) => bound.patterns.clone(),
        None => vec![Pattern::Named(symbol.to_owned())],
    };
    let mut fits = vec![false; events.len()];
    for pattern in &patterns {
        for happening in happenings(program, pattern, at)? {
            let EventPattern::Accept { entries, by, values } = happening else { return Ok(None) };
            for (e, event) in events.iter().enumerate() {
                if !entries.contains(&event.entry) || by.is_some_and(|by| by != event.caller) {
                    continue;
                }
                let mut fit = true;
                for (value, wanted) in event.values.iter().zip(&values) {
                    match (value, wanted) {
                        (Some(value), Some(wanted)) => fit &= value == wanted,
                        (None, Some(_)) => {
                            let message = format!(
                                "the values of {} cannot be told apart",
                                program.entry_name(event.entry)
                            );
                            return Err(Wrong::at(at, message));
                        }
                        (_, None) => {}
                    }
                }
                fits[e] |= fit;
            }
        }
    }
    Ok(Some(fits))
}

/// For each event: whether the predicate fits it as a call or as an accept.
fn check(
    program: &Program,
    file: &File,
    predicate: &Predicate,
    events: &[Event],
    at: Position,
) -> Result<Vec<bool>, Wrong> {
    let as_call = holds(program, file, predicate, events, "call", at)?;
    let as_accept = holds(program, file, predicate, events, "accept", at)?;
    Ok(as_call.iter().zip(&as_accept).map(|(a, b)| *a || *b).collect())
}

fn holds(
    program: &Program,
    file: &File,
    predicate: &Predicate,
    events: &[Event],
    kind: &str,
    at: Position,
) -> Result<Vec<bool>, Wrong> {
    let text = |event: &Event| {
        let mut parts =
            vec![program.tasks[event.caller.index()].name.clone(), program.entry_name(event.entry)];
        parts.extend(event.names.iter().cloned());
        normal(&format!("{kind}({})", parts.join(";")))
    };
    let each = |list: &[Predicate]| -> Result<Vec<Vec<bool>>, Wrong> {
        list.iter().map(|p| holds(program, file, p, events, kind, at)).collect()
    };
    let join = |all: Vec<Vec<bool>>, f: fn(bool, bool) -> bool, first: bool| {
        (0..events.len()).map(|e| all.iter().fold(first, |so_far, one| f(so_far, one[e]))).collect()
    };
    Ok(match predicate {
        Predicate::Prefix(start) => events.iter().map(|e| text(e).starts_with(&normal(start))).collect(),
        Predicate::Contains(part) => events.iter().map(|e| text(e).contains(&normal(part))).collect(),
        Predicate::And(list) => join(each(list)?, |a, b| a && b, true),
        Predicate::Or(list) => join(each(list)?, |a, b| a || b, false),
        Predicate::Not(one) => {
            holds(program, file, one, events, kind, at)?.into_iter().map(|fits| !fits).collect()
        }
        Predicate::Named(name) => match named(program, file, name, events, at)? {
            Some(fits) => fits,
            None => return Err(Wrong::at(at, format!("`{name}` is no rendezvous"))),
        },
        Predicate::Written { caller, entry, values } => {
            let fits = |e: &Event| {
                (caller == "*" || same(&program.tasks[e.caller.index()].name, caller))
                    && same(&program.entry_name(e.entry), entry)
                    && values.iter().enumerate().all(|(i, wanted)| {
                        let number = e.values.get(i).copied().flatten();
                        wanted == "*"
                            || e.names.get(i).is_some_and(|name| normal(name) == normal(wanted))
                            || number.is_some_and(|n| wanted.parse() == Ok(n))
                    })
            };
            events.iter().map(fits).collect()
        }
    })
}

fn normal(text: &str) -> String {
    text.to_lowercase().replace(' ', "")
}
