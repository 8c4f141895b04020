//! Temporal formulas whose names were found in a program.

use rendez_model::state::{State, Status, TaskState, Wait};
use rendez_model::{Action, EntryId, Loc, Program, TaskId};
use rendez_property::Wrong;
use rendez_property::ctl::{Atom, Formula};
use rendez_source::Span;

use crate::bind::same;
use crate::finding::{Finding, Kind, Severity};
use crate::trace::Trace;
use crate::verdict::{Answer, PropertyAnswer};

/// A formula whose names were found in the program.
#[derive(Clone, Debug)]
pub enum Resolved {
    Const(bool),
    /// Edges on which an entry of the list is accepted, from a certain caller.
    Accept(Vec<EntryId>, Option<TaskId>),
    Event(String),
    /// States in which a task is at one of the locations.
    At(Option<TaskId>, Vec<Loc>),
    Ended(TaskId),
    Not(Box<Resolved>),
    And(Box<Resolved>, Box<Resolved>),
    Or(Box<Resolved>, Box<Resolved>),
    Always(Box<Resolved>),
    Eventually(Box<Resolved>),
    Potentially(Box<Resolved>),
    Until(Box<Resolved>, Box<Resolved>, bool),
}

impl Resolved {
    /// Whether a formula without temporal operators holds in a state; None if it is about more.
    pub fn in_state(&self, state: &State) -> Option<bool> {
        Some(match self {
            Resolved::Const(value) => *value,
            Resolved::At(task, locs) => {
                let at = |ts: &TaskState| {
                    ts.wait == Wait::Nothing
                        && matches!(ts.status, Status::Active | Status::Activating)
                        && locs.contains(&ts.pc)
                };
                match task {
                    Some(task) => at(&state.tasks[task.index()]),
                    None => state.tasks.iter().any(at),
                }
            }
            Resolved::Ended(task) => state.tasks[task.index()].status == Status::Terminated,
            Resolved::Not(f) => !f.in_state(state)?,
            // Both are asked: whether it is about single states must not depend on the state.
            Resolved::And(a, b) => {
                let (a, b) = (a.in_state(state)?, b.in_state(state)?);
                a && b
            }
            Resolved::Or(a, b) => {
                let (a, b) = (a.in_state(state)?, b.in_state(state)?);
                a || b
            }
            _ => return None,
        })
    }
}

/// A formula with what it needs from the search.
#[derive(Clone, Debug)]
pub struct Question {
    pub resolved: Resolved,
    pub text: String,
    pub name: String,
    pub span: Span,
    /// Locations at which tasks must be seen to stop.
    pub stops: Vec<Loc>,
}

impl Question {
    /// Finds the names of a formula in the program.
    pub fn new(program: &Program, name: &str, formula: &Formula, span: Span) -> Result<Question, Wrong> {
        let mut stops = Vec::new();
        let resolved = resolve(program, formula, &mut stops)?;
        Ok(Question { resolved, text: formula.to_string(), name: name.to_owned(), span, stops })
    }

    /// Formulas asserted in the source, each where control comes to its place.
    pub fn asserted(program: &Program) -> Vec<Result<Question, (Wrong, Span)>> {
        let mut found: Vec<(String, Span, Vec<Loc>)> = Vec::new();
        for (i, node) in program.nodes.iter().enumerate() {
            let Action::Event { name, .. } = &node.action else { continue };
            let Some(text) = name.strip_prefix("assert ") else { continue };
            match found.iter_mut().find(|f| f.1 == node.span && f.0 == text) {
                Some(same) => same.2.push(Loc::from(i)),
                None => found.push((text.to_owned(), node.span, vec![Loc::from(i)])),
            }
        }
        let question = |(text, span, locs): (String, Span, Vec<Loc>)| {
            let formula = rendez_property::ctl::parse(&text).map_err(|w| (w, span))?;
            let mut stops = locs.clone();
            let inner = resolve(program, &formula, &mut stops).map_err(|w| (w, span))?;
            let here = Resolved::Not(Box::new(Resolved::At(None, locs)));
            let resolved = Resolved::Always(Box::new(Resolved::Or(Box::new(here), Box::new(inner))));
            let name = format!("assert@{}", span.line);
            Ok(Question { resolved, text, name, span, stops })
        };
        found.into_iter().map(question).collect()
    }
}

impl Question {
    /// The verdict that a trace is a counterexample; not replayed if there is none.
    pub fn broken(&self, trace: Option<Trace>) -> Answer {
        let Some(trace) = trace else {
            return Answer::Inconclusive("the trace does not replay".into(), Vec::new());
        };
        let why = match trace.loop_from {
            Some(_) => "; the steps from LOOP on repeat for ever",
            None => "",
        };
        let guessed = trace.guessed();
        let finding = Finding {
            kind: Kind::Ctl,
            severity: Severity::Error,
            message: format!("{} does not hold: {}{why}", self.name, self.text),
            span: self.span,
            tasks: Vec::new(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            trace: Some(trace),
            waiting: Vec::new(),
            guessed,
        };
        match guessed {
            false => Answer::Violated(vec![finding]),
            true => Answer::Inconclusive(
                "the trace depends on a value that the model does not follow".into(),
                vec![finding],
            ),
        }
    }

    /// A verdict on the formula.
    pub fn answered(&self, engine: &'static str, answer: Answer) -> PropertyAnswer {
        PropertyAnswer {
            name: self.name.clone(),
            kind: "ctl",
            engine,
            text: self.text.clone(),
            answer,
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        }
    }
}

fn resolve(program: &Program, formula: &Formula, stops: &mut Vec<Loc>) -> Result<Resolved, Wrong> {
    let boxed = |f: &Formula, stops: &mut Vec<Loc>| resolve(program, f, stops).map(Box::new);
    Ok(match formula {
        Formula::True => Resolved::Const(true),
        Formula::False => Resolved::Const(false),
        Formula::Not(f) => Resolved::Not(boxed(f, stops)?),
        Formula::And(a, b) => Resolved::And(boxed(a, stops)?, boxed(b, stops)?),
        Formula::Or(a, b) => Resolved::Or(boxed(a, stops)?, boxed(b, stops)?),
        Formula::Always(f) => Resolved::Always(boxed(f, stops)?),
        Formula::Eventually(f) => Resolved::Eventually(boxed(f, stops)?),
        Formula::Potentially(f) => Resolved::Potentially(boxed(f, stops)?),
        Formula::Until { left, right, weak } => {
            Resolved::Until(boxed(left, stops)?, boxed(right, stops)?, *weak)
        }
        Formula::Atom(atom, position) => {
            let wrong = |message: String| Wrong { message, position: *position };
            let task = |name: &str| {
                let found = (0..program.tasks.len()).find(|t| same(&program.tasks[*t].name, name));
                found.map(TaskId::from).ok_or_else(|| wrong(format!("the program has no task `{name}`")))
            };
            match atom {
                Atom::Accept { entry, by } => {
                    let all = (0..program.entries.len()).map(EntryId::from);
                    let found: Vec<EntryId> = all.filter(|e| same(&program.entry_name(*e), entry)).collect();
                    if found.is_empty() {
                        return Err(wrong(format!("the program has no entry `{entry}`")));
                    }
                    Resolved::Accept(found, by.as_deref().map(task).transpose()?)
                }
                Atom::Event(name) => {
                    let is = |loc: &Loc| match &program.node(*loc).action {
                        Action::Event { name: n, .. } => n.eq_ignore_ascii_case(name),
                        _ => false,
                    };
                    let found: Vec<Loc> = (0..program.nodes.len()).map(Loc::from).filter(is).collect();
                    if found.is_empty() {
                        return Err(wrong(format!("the program has no event `{name}`")));
                    }
                    stops.extend(found);
                    Resolved::Event(name.clone())
                }
                Atom::At { task: who, place } => {
                    let found = places(program, place);
                    if found.is_empty() {
                        return Err(wrong(format!("no task does anything at `{place}`")));
                    }
                    stops.extend(&found);
                    Resolved::At(who.as_deref().map(task).transpose()?, found)
                }
                Atom::Ended(name) => Resolved::Ended(task(name)?),
            }
        }
    })
}

/// The locations that a line number, `file:line`, or the name of an event stands for.
fn places(program: &Program, place: &str) -> Vec<Loc> {
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file), line),
        None => (None, place),
    };
    let line: Option<u32> = line.parse().ok();
    let here = |loc: &Loc| {
        let node = program.node(*loc);
        match line {
            Some(line) => {
                let name = program.files.get(node.span.file.0 as usize).map_or("", String::as_str);
                node.span.line == line && file.is_none_or(|f| name.ends_with(f))
            }
            None => {
                matches!(&node.action, Action::Event { name, .. } if name.eq_ignore_ascii_case(place))
            }
        }
    };
    (0..program.nodes.len()).map(Loc::from).filter(here).collect()
}
