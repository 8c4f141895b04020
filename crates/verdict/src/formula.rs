//! Temporal formulas whose names were found in a program, and what engines need to decide them.
//!
//! The language is CTL with events (`rendez_property::ctl`; Clarke, Emerson and Sistla, 1986; the form with events is
//! that of CATS, Young et al., 1995, section 3.3.1). Here its atoms become locations, entries and annotated events of
//! the program. A location is a state in which a task is about to do what stands there, or waits there; an event is a
//! step that begins a rendezvous or a protected action of an entry, or that is annotated. Steps that are no events are
//! not seen by operators about events.
//!
//! A formula changes how the program may be reduced. Locations that it names are kept by slicing: a mark is put before
//! each of them, before what leads there and behind it. Tasks are seen to stop at these locations, at annotated events,
//! and at their ends if the formula asks for ends, so that merging passes over none of them. A formula about events and
//! states together makes every location a stop. Earlier versions skipped states between two named locations, and
//! reported locations that slicing had removed as missing or as adjacent.
//!
//! Formulas that mix quantifiers, all executions and some, can tell when a choice is made. `mixes_quantifiers` finds
//! them by polarity, so that they are decided with every wait as a step of its own.
//!
//! An assertion in the source, `assert F`, means that F holds whenever control comes to its place, as in CATS: `always
//! (at here -> F)`.

use rendez_model::monitor::{Language, Monitor};
use rendez_model::semantics::{Step, StepEvent};
use rendez_model::state::{Lock, Pending, State, Status, TaskState, Wait};
use rendez_model::{
    Action, CallMode, EntryId, EventKind, Expr, Loc, Node, ObjectId, Owner, Program, TaskId, Trigger, Value,
};
use rendez_property::Wrong;
use rendez_property::ctl::{Atom, Formula};
use rendez_source::Span;

use crate::bind::same;
use crate::finding::{Finding, Kind, Severity};
use crate::observation::alive;
use crate::trace::Trace;
use crate::verdict::{EngineId, PropertyAnswer, Verdict};
use crate::{Dependent, Reason};

/// Which infinite executions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    None,
    /// A task that can go on all the time does so some time; but calls of others on the same entry may come first for ever.
    #[default]
    Weak,
    /// And queues are in order: who waits for an entry that is served again and again is served some time.
    Fifo,
}

impl Fairness {
    pub fn assumption(self) -> Option<&'static str> {
        match self {
            Fairness::None => None,
            Fairness::Weak => {
                Some("the scheduler is weakly fair: a task that can go on all the time does so")
            }
            Fairness::Fifo => Some(
                "the scheduler is weakly fair, and a call waiting in a queue that is served again and again is served",
            ),
        }
    }

    /// The executions that count, in words.
    pub fn covers(self) -> String {
        let under = match self {
            Fairness::None => return "every execution".into(),
            Fairness::Weak => "under weak fairness",
            Fairness::Fifo => "under weak fairness, with queues that serve everybody",
        };
        format!("every execution, {under}")
    }
}

/// The executions that a verdict on a property of event sequences is about, in words.
pub fn covers(monitor: &Monitor, fairness: Fairness) -> String {
    match (monitor.is_safety(), monitor.again.is_empty()) {
        (true, _) => "every execution".into(),
        (false, false) => fairness.covers(),
        (false, true) => {
            "every execution that ends; of the others, that some continuation could satisfy it".into()
        }
    }
}

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
    /// Whether a formula speaks of all executions and, within that, of some, or the other way round.
    pub fn mixes_quantifiers(&self) -> bool {
        self.quantifies(true, true) && self.quantifies(true, false)
    }

    /// Whether a formula, or its negation if `positive` is not set, has an operator about all executions, or about some.
    fn quantifies(&self, positive: bool, all: bool) -> bool {
        let of = |f: &Resolved| f.quantifies(positive, all);
        match self {
            Resolved::Const(_)
            | Resolved::Accept(..)
            | Resolved::Event(_)
            | Resolved::At(..)
            | Resolved::Ended(_) => false,
            Resolved::Not(f) => f.quantifies(!positive, all),
            Resolved::And(a, b) | Resolved::Or(a, b) => of(a) || of(b),
            Resolved::Always(f) | Resolved::Eventually(f) => positive == all || of(f),
            Resolved::Potentially(f) => positive != all || of(f),
            Resolved::Until(a, b, _) => positive == all || of(a) || of(b),
        }
    }

    /// Whether a formula without temporal operators holds in a state; None if it is about more.
    pub fn in_state(&self, state: &State) -> Option<bool> {
        Some(match self {
            Resolved::Const(value) => *value,
            Resolved::At(..) | Resolved::Ended(_) => {
                state.tasks.iter().enumerate().any(|(t, ts)| self.is_of(TaskId::from(t), ts))
            }
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

    /// Whether it is about where some task is, and a task makes it true.
    pub fn is_of(&self, task: TaskId, state: &TaskState) -> bool {
        match self {
            Resolved::At(whose, locs) => whose.is_none_or(|whose| whose == task) && is_at(state, locs),
            Resolved::Ended(whose) => *whose == task && state.status == Status::Terminated,
            _ => false,
        }
    }

    /// Whether it is about events, perhaps together with the states that they lead to.
    pub fn is_about_events(&self) -> bool {
        match self {
            Resolved::Accept(..) | Resolved::Event(_) => true,
            Resolved::Not(f) => f.is_about_events(),
            Resolved::And(a, b) | Resolved::Or(a, b) => a.is_about_events() || b.is_about_events(),
            _ => false,
        }
    }

    /// Whether it is about events and states: it holds of steps that are events, of which it says both what they are
    /// and how it goes on after them.
    pub fn is_mixed(&self) -> bool {
        self.is_about_events() && self.is_about_states()
    }

    fn is_about_states(&self) -> bool {
        match self {
            Resolved::Const(_) | Resolved::Accept(..) | Resolved::Event(_) => false,
            Resolved::Not(f) => f.is_about_states(),
            Resolved::And(a, b) | Resolved::Or(a, b) => a.is_about_states() || b.is_about_states(),
            _ => true,
        }
    }

    /// Whether a formula about events alone is true of a step that is one.
    pub fn matches(&self, program: &Program, step: &Step) -> bool {
        match self {
            Resolved::Const(value) => *value,
            Resolved::Accept(entries, by) => accepted(step)
                .is_some_and(|(caller, entry)| entries.contains(&entry) && by.is_none_or(|b| b == caller)),
            Resolved::Event(name) => {
                annotation(program, step.loc).is_some_and(|n| n.eq_ignore_ascii_case(name))
            }
            Resolved::Not(f) => !f.matches(program, step),
            Resolved::And(a, b) => a.matches(program, step) && b.matches(program, step),
            Resolved::Or(a, b) => a.matches(program, step) || b.matches(program, step),
            _ => false,
        }
    }

    /// Calls `f` with every part, itself first.
    fn each<'r>(&'r self, f: &mut dyn FnMut(&'r Resolved)) {
        f(self);
        match self {
            Resolved::Not(a) | Resolved::Always(a) | Resolved::Eventually(a) | Resolved::Potentially(a) => {
                a.each(f);
            }
            Resolved::And(a, b) | Resolved::Or(a, b) | Resolved::Until(a, b, _) => {
                a.each(f);
                b.each(f);
            }
            _ => {}
        }
    }
}

/// Whether a task is about to do what stands at one of some locations, or waits there.
fn is_at(task: &TaskState, locs: &[Loc]) -> bool {
    matches!(task.status, Status::Active | Status::Activating) && locs.contains(&task.pc)
}

/// Whether a task only waits until another one has left a protected object. Objects are fair: who finds one free again
/// and again enters it, as if protected actions took no time.
pub fn awaits_lock(program: &Program, state: &State, task: TaskId) -> bool {
    let ts = &state.tasks[task.index()];
    let held = |object: ObjectId| state.locks[object.index()] != Lock::Free;
    let object = |entry: &Expr| match program.eval(state, entry) {
        Ok(Value::Known(e)) => match program.entry_number(e).map(|e| program.entries[e.index()].owner) {
            Some(Owner::Object(object)) => Some(object),
            _ => None,
        },
        _ => None,
    };
    let of_entry = |entry: EntryId| match program.entries[entry.index()].owner {
        Owner::Object(object) => Some(object),
        Owner::Task(_) => None,
    };
    let wanted = match (ts.wait, &program.node(ts.pc).action) {
        (Wait::Nothing, Action::Lock { object, .. }) => Some(*object),
        (
            Wait::Nothing,
            Action::EntryCall { entry, .. }
            | Action::Requeue { entry, .. }
            | Action::Async { trigger: Trigger::Call { entry, .. }, .. },
        ) => object(entry),
        // Nobody leaves a queue while somebody is inside.
        (Wait::Queued { entry, .. }, Action::EntryCall { mode: CallMode::Timed { .. }, .. }) => {
            of_entry(entry)
        }
        (Wait::Nothing, Action::EndAsync { .. }) => match ts.transfers.last().map(|t| t.trigger) {
            Some(Pending::Queued { entry, cancellable: true }) => of_entry(entry),
            _ => None,
        },
        _ => None,
    };
    wanted.is_some_and(held)
}

/// Whether a step is an event: a rendezvous or a protected action on an entry begins, or it is annotated. Formulas do
/// not notice other steps.
pub fn is_event(program: &Program, step: &Step) -> bool {
    accepted(step).is_some() || annotation(program, step.loc).is_some()
}

/// The caller and the entry of what begins with a step.
pub fn accepted(step: &Step) -> Option<(TaskId, EntryId)> {
    match step.what {
        StepEvent::Accepted { entry, caller, .. } => Some((caller, entry)),
        StepEvent::Released { served, .. } => served,
        StepEvent::Entered(entry) => Some((step.task, entry)),
        _ => None,
    }
}

/// The name of the event that is annotated at a location.
pub fn annotation(program: &Program, loc: Loc) -> Option<&str> {
    match &program.node(loc).action {
        Action::Event { kind: EventKind::Annotated, name, .. } => Some(name),
        _ => None,
    }
}

/// A formula with what it needs from the search.
#[derive(Clone, Debug)]
pub struct BoundFormula {
    pub resolved: Resolved,
    pub text: String,
    pub name: String,
    pub span: Span,
    /// Locations at which tasks must be seen to stop.
    pub stops: Vec<Loc>,
}

impl BoundFormula {
    /// Finds the names of a formula in the program.
    pub fn new(program: &Program, name: &str, formula: &Formula, span: Span) -> Result<BoundFormula, Wrong> {
        let resolved = resolve(program, formula)?;
        Ok(BoundFormula::about(program, resolved, formula.to_string(), name.to_owned(), span))
    }

    /// A formula, and where tasks must be seen for it.
    fn about(program: &Program, resolved: Resolved, text: String, name: String, span: Span) -> BoundFormula {
        let (mut places, mut events, mut ends, mut mixed) = (Vec::new(), false, false, false);
        resolved.each(&mut |part| match part {
            Resolved::At(_, locs) => places.extend_from_slice(locs),
            Resolved::Ended(_) => ends = true,
            part => {
                events |= part.is_about_events();
                mixed |= part.is_mixed();
            }
        });
        let is_noticed = |loc: &Loc| {
            // The state that an event leads to must be seen.
            mixed
                || (events && annotation(program, *loc).is_some())
                || (ends && matches!(program.node(*loc).action, Action::Terminate))
        };
        let mut stops: Vec<Loc> = (0..program.nodes.len()).map(Loc::from).filter(is_noticed).collect();
        stops.extend(before(program, &places, Raised::Also));
        stops.extend(places);
        BoundFormula { resolved, text, name, span, stops }
    }

    /// Marks the places that a formula is about, so that they stay whatever happens to the program. Names that stand for
    /// nothing are wrong.
    pub fn mark(program: &mut Program, formula: &Formula) -> Result<(), Wrong> {
        match formula {
            Formula::True | Formula::False => {}
            Formula::Not(f) | Formula::Always(f) | Formula::Eventually(f) | Formula::Potentially(f) => {
                BoundFormula::mark(program, f)?;
            }
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until { left: a, right: b, .. } => {
                BoundFormula::mark(program, a)?;
                BoundFormula::mark(program, b)?;
            }
            Formula::Atom(atom, position) => {
                let wrong = |message: String| Wrong { message, position: *position };
                match atom {
                    Atom::At { place, .. } => {
                        let found = places(program, place);
                        if found.is_empty() {
                            return Err(wrong(format!("no task does anything at `{place}`")));
                        }
                        // What leads there is kept, too, and what follows: there a task is elsewhere.
                        let next = |loc: &Loc| program.node(*loc).action.successors();
                        let mut all: Vec<Loc> = found.iter().flat_map(next).collect();
                        all.extend(before(program, &found, Raised::Not));
                        all.extend(found);
                        all.into_iter().for_each(|loc| keep_place(program, loc));
                    }
                    Atom::Event(name) => {
                        let mut all = (0..program.nodes.len()).map(Loc::from);
                        let is = |n: &str| n.eq_ignore_ascii_case(name);
                        if !all.any(|loc| annotation(program, loc).is_some_and(is)) {
                            return Err(wrong(format!("the program has no event `{name}`")));
                        }
                    }
                    Atom::Accept { .. } | Atom::Ended(_) => {}
                }
                resolve(program, formula)?;
            }
        }
        Ok(())
    }

    /// Marks the places that formulas asserted in the source are about.
    pub fn mark_asserted(program: &mut Program) -> Result<(), (Wrong, Span)> {
        for (text, span, _) in asserted(program) {
            let formula = rendez_property::ctl::parse(&text).map_err(|w| (w, span))?;
            BoundFormula::mark(program, &formula).map_err(|w| (w, span))?;
        }
        Ok(())
    }

    /// Formulas asserted in the source, each where control comes to its place.
    pub fn asserted(program: &Program) -> Vec<Result<BoundFormula, (Wrong, Span)>> {
        let question = |(text, span, locs): (String, Span, Vec<Loc>)| {
            let formula = rendez_property::ctl::parse(&text).map_err(|w| (w, span))?;
            let inner = resolve(program, &formula).map_err(|w| (w, span))?;
            let here = Resolved::Not(Box::new(Resolved::At(None, locs)));
            let resolved = Resolved::Always(Box::new(Resolved::Or(Box::new(here), Box::new(inner))));
            Ok(BoundFormula::about(program, resolved, text, format!("assert@{}", span.line), span))
        };
        asserted(program).into_iter().map(question).collect()
    }
}

impl BoundFormula {
    /// Where a task is at the end of a trace, if the formula asks for places: one that is where it asks for, or else one
    /// that it names.
    fn end(&self, program: &Program, trace: &Trace) -> Option<(Span, String)> {
        if trace.loop_from.is_some() {
            return None;
        }
        let tasks = || (0..).map(TaskId::from).zip(trace.last.tasks.iter());
        let (mut there, mut named) = (None, None);
        self.resolved.each(&mut |f| {
            if let Resolved::At(whose, _) = f {
                there = there.or_else(|| tasks().find(|(t, ts)| f.is_of(*t, ts)));
                named = named.or_else(|| tasks().find(|(t, ts)| *whose == Some(*t) && alive(ts.status)));
            }
        });
        let (task, ts) = there.or(named)?;
        let span = program.node(ts.pc).span;
        (!span.is_nowhere())
            .then(|| (span, format!("{} is here at the end", program.tasks[task.index()].name)))
    }

    /// The verdict that a trace is a counterexample; not replayed if there is none.
    pub fn broken(&self, program: &Program, trace: Option<Trace>) -> Verdict {
        let Some(trace) = trace else {
            return Verdict::Inconclusive(Reason::NotReplayed, Vec::new());
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
            other: self.end(program, &trace),
            trace: Some(trace),
            waiting: Vec::new(),
            guessed,
            unshown: false,
        };
        match guessed {
            false => Verdict::Violated(vec![finding]),
            true => Verdict::Inconclusive(Reason::Untracked(Dependent::Trace), vec![finding]),
        }
    }

    /// A verdict on the formula.
    pub fn answered(&self, engine: EngineId, fairness: Fairness, answer: Verdict) -> PropertyAnswer {
        PropertyAnswer {
            name: self.name.clone(),
            language: Language::Ctl,
            engine,
            text: self.text.clone(),
            answer,
            covers: fairness.covers(),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        }
    }
}

/// What is asserted in the source: the text, its place there, and the locations that it belongs to.
fn asserted(program: &Program) -> Vec<(String, Span, Vec<Loc>)> {
    let mut found: Vec<(String, Span, Vec<Loc>)> = Vec::new();
    for (i, node) in program.nodes.iter().enumerate() {
        let Action::Event { kind: EventKind::Asserted, name, .. } = &node.action else { continue };
        match found.iter_mut().find(|f| f.1 == node.span && f.0 == *name) {
            Some(same) => same.2.push(Loc::from(i)),
            None => found.push((name.clone(), node.span, vec![Loc::from(i)])),
        }
    }
    found
}

fn resolve(program: &Program, formula: &Formula) -> Result<Resolved, Wrong> {
    let boxed = |f: &Formula| resolve(program, f).map(Box::new);
    Ok(match formula {
        Formula::True => Resolved::Const(true),
        Formula::False => Resolved::Const(false),
        Formula::Not(f) => Resolved::Not(boxed(f)?),
        Formula::And(a, b) => Resolved::And(boxed(a)?, boxed(b)?),
        Formula::Or(a, b) => Resolved::Or(boxed(a)?, boxed(b)?),
        Formula::Always(f) => Resolved::Always(boxed(f)?),
        Formula::Eventually(f) => Resolved::Eventually(boxed(f)?),
        Formula::Potentially(f) => Resolved::Potentially(boxed(f)?),
        Formula::Until { left, right, weak } => Resolved::Until(boxed(left)?, boxed(right)?, *weak),
        Formula::Atom(atom, position) => {
            let wrong = |message: String| Wrong { message, position: *position };
            let task = |name: &str| {
                let named = |t: &usize| same(&program.tasks[*t].name, name);
                let mut found: Vec<usize> = (0..program.tasks.len()).filter(named).collect();
                // A full name means what is called so, whatever else it is the end of.
                let full = |t: &usize| program.tasks[*t].name.eq_ignore_ascii_case(name);
                if found.iter().any(full) {
                    found.retain(full);
                }
                match found[..] {
                    [] => Err(wrong(format!("the program has no task `{name}`"))),
                    [task] => Ok(TaskId::from(task)),
                    [first, second, ..] => Err(wrong(format!(
                        "several tasks are called `{name}`, such as {} and {}: name one of them",
                        program.tasks[first].name, program.tasks[second].name
                    ))),
                }
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
                Atom::Event(name) => Resolved::Event(name.clone()),
                // What is never reached may be gone.
                Atom::At { task: who, place } => {
                    Resolved::At(who.as_deref().map(task).transpose()?, places(program, place))
                }
                Atom::Ended(name) => Resolved::Ended(task(name)?),
            }
        }
    })
}

/// Whether steps count that raise an exception.
#[derive(PartialEq, Eq)]
enum Raised {
    Also,
    /// They stay in any case.
    Not,
}

/// Locations from which a step may lead to one of some others. Tasks are seen there as well: what happens on the way
/// to one place and what happens at another are steps of their own.
fn before(program: &Program, places: &[Loc], raised: Raised) -> Vec<Loc> {
    let is_place = |loc: &Loc| places.contains(loc);
    let all = || (0..program.nodes.len()).map(Loc::from);
    let caught = program.handlers.iter().any(|h| h.choices.iter().any(|(_, loc)| is_place(loc)));
    if raised == Raised::Also && (caught || program.tasks.iter().any(|t| is_place(&t.exit))) {
        // An exception or an abort may come from anywhere.
        return all().collect();
    }
    let begins = program.procs.iter().any(|p| is_place(&p.start));
    let starts = program.tasks.iter().any(|t| is_place(&t.start));
    let activates = |loc: &Loc| matches!(program.node(*loc).action, Action::Activate { .. });
    let leads = |loc: &Loc| program.node(*loc).action.successors().iter().any(is_place);
    let calls = |loc: &Loc| {
        matches!(
            program.node(*loc).action,
            Action::Call { .. } | Action::EntryCall { .. } | Action::Async { .. }
        )
    };
    let returns = all().any(|loc| calls(&loc) && leads(&loc));
    let ends = |loc: &Loc| {
        matches!(
            program.node(*loc).action,
            Action::Return | Action::EndAccept { .. } | Action::Requeue { .. } | Action::Unlock { .. }
        )
    };
    let others = |loc: &Loc| (begins && calls(loc)) || (starts && activates(loc)) || (returns && ends(loc));
    all().filter(|loc| leads(loc) || others(loc)).collect()
}

/// Puts a mark before what may be left out because nothing depends on it.
fn keep_place(program: &mut Program, loc: Loc) {
    let leads_here =
        |n: &Node| matches!(n.action, Action::Event { kind: EventKind::Place, next, .. } if next == loc);
    if program.nodes.iter().any(leads_here) {
        return;
    }
    let node = program.node(loc);
    if matches!(
        node.action,
        Action::Skip { .. }
            | Action::Assign { .. }
            | Action::Havoc { .. }
            | Action::Branch { .. }
            | Action::Choose { .. }
            | Action::Call { .. }
            | Action::Return
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Delay { .. }
    ) {
        let (node, next) = (node.clone(), Loc::from(program.nodes.len()));
        let name = node.span.line.to_string();
        program.nodes[loc.index()].action = Action::Event { kind: EventKind::Place, name, next };
        program.nodes.push(node);
    }
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
                matches!(&node.action, Action::Event { kind: EventKind::Annotated, name, .. } if name.eq_ignore_ascii_case(place))
            }
        }
    };
    (0..program.nodes.len()).map(Loc::from).filter(here).collect()
}
