//! Verdicts on the default checks, made of what an engine saw.

use std::collections::BTreeMap;

use rendez_model::access::Access;
use rendez_model::monitor::Monitor;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_model::{Action, ExceptionId, Owner, Program, Sharing, TaskId, Value, VarId};
use rendez_source::{Diagnostic, Span};

use crate::blocking::{classify, kind_of_stuck, why_blocked};
use crate::finding::{Finding, Kind, Severity};
use crate::reorder::fewest_switches;
use crate::seen::{Entries, Seen, Witness, races, seen_in};
use crate::trace::{Trace, replay};
use crate::{End, Stats};

/// The verdict on one check.
#[derive(Clone, Debug)]
pub enum Answer {
    Holds,
    Violated(Vec<Finding>),
    /// Why nothing is certain, and findings that may be spurious.
    Inconclusive(String, Vec<Finding>),
}

/// The verdict on a property of the user's.
#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    pub name: String,
    /// The language: `ctl`, `qre`, `fsa` or `pattern`.
    pub kind: &'static str,
    /// Who decided.
    pub engine: &'static str,
    pub text: String,
    pub answer: Answer,
    /// What it takes for granted beyond the model.
    pub assumptions: Vec<String>,
    /// Why it holds without saying anything, if so.
    pub vacuous: Option<String>,
    /// Numbers of this property alone.
    pub stats: Option<Stats>,
    /// The constraints that a proof needed.
    pub constraints: Vec<String>,
    /// The file with its proof.
    pub certificate: Option<String>,
}

/// The verdicts on all default checks.
pub struct Outcome {
    /// Who decided.
    pub engine: &'static str,
    /// Checks that others decided, with their numbers.
    pub engines: Vec<(Kind, &'static str, Stats)>,
    pub answers: Vec<(Kind, Answer)>,
    pub properties: Vec<PropertyAnswer>,
    pub stats: Stats,
    pub end: End,
    /// Constructs without a model that some execution reaches.
    pub reached: Vec<Diagnostic>,
    /// Findings whose trace did not replay: a bug of rendez.
    pub contradictions: Vec<String>,
    /// A bound cut some execution short.
    pub cut: bool,
    /// Delays were taken to be long.
    pub long_delays: bool,
}

impl Outcome {
    /// Who decided a check, and at what cost.
    pub fn decided_by(&self, kind: Kind) -> (&'static str, &Stats) {
        let other = self.engines.iter().find(|e| e.0 == kind);
        other.map_or((self.engine, &self.stats), |(_, engine, stats)| (engine, stats))
    }

    /// For a run in which no default check is decided.
    pub fn nothing(engine: &'static str) -> Outcome {
        Outcome {
            engine,
            engines: Vec::new(),
            answers: Vec::new(),
            properties: Vec::new(),
            stats: Stats::default(),
            end: End::Complete,
            reached: Vec::new(),
            contradictions: Vec::new(),
            cut: false,
            long_delays: false,
        }
    }
}

/// At most this many findings of one kind are reported.
const MAX_FINDINGS: usize = 10;

/// Something that goes on for ever once the search is in a component without exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forever {
    /// The task runs in circles, looking at what others could change, and nobody will.
    Spins(TaskId),
    /// The task is in an entry call that is never served, while others run.
    Blocked(TaskId),
    /// Only the environment still moves: everybody else is blocked.
    Quiet,
}

/// What was found so far. Every trace is replayed before it is taken in.
pub struct Findings<'s, 'p> {
    program: &'p Program,
    semantics: &'s Semantics<'p>,
    /// By what makes two findings the same, so that each is reported once.
    findings: BTreeMap<String, Finding>,
    pub reached: Vec<Diagnostic>,
    pub contradictions: Vec<String>,
}

impl<'s, 'p> Findings<'s, 'p> {
    pub fn new(semantics: &'s Semantics<'p>) -> Self {
        Findings {
            program: semantics.program,
            semantics,
            findings: BTreeMap::new(),
            reached: Vec::new(),
            contradictions: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether tasks were found to wait for ever.
    pub fn any_blocking(&self) -> bool {
        let blocking =
            |k: Kind| matches!(k, Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin);
        self.findings.values().any(|f| blocking(f.kind))
    }

    /// Whether an error was found that does not depend on a guess.
    pub fn any_error(&self) -> bool {
        self.findings.values().any(|f| f.severity == Severity::Error && !f.guessed)
    }

    /// Whether something of a kind was found.
    pub fn any(&self, kind: Kind) -> bool {
        self.findings.values().any(|f| f.kind == kind)
    }

    /// Whether some finding needs a value that the model does not know.
    pub fn any_guessed(&self) -> bool {
        self.findings.values().any(|f| f.guessed)
    }

    /// Sets the findings so far aside, for a search without guesses.
    pub fn set_aside(&mut self) -> BTreeMap<String, Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Takes findings back that have no certain twin.
    pub fn take_back(&mut self, aside: BTreeMap<String, Finding>) {
        for (key, finding) in aside {
            self.findings.entry(key).or_insert(finding);
        }
    }

    /// The verdicts. `why` says for each check what cut its search short; nothing if it came to
    /// its end.
    pub fn answers(&mut self, entries: &Entries, why: impl Fn(Kind) -> String) -> Vec<(Kind, Answer)> {
        let mut by_kind: BTreeMap<Kind, Vec<Finding>> = BTreeMap::new();
        for finding in std::mem::take(&mut self.findings).into_values() {
            by_kind.entry(finding.kind).or_default().push(finding);
        }
        let unmodelled = self
            .reached
            .first()
            .map(|d| format!("an execution reaches something that is not modelled: {}", d.message));
        let nodes = &self.program.nodes;
        let asserts = nodes.iter().any(|n| matches!(n.action, Action::Assert { .. }));
        let idle = |kind: Kind| match kind {
            Kind::Assertion => !asserts,
            Kind::DeadEntry => self.program.entries.is_empty(),
            _ => false,
        };
        let cut = |kind: Kind| match why(kind) {
            why if why.is_empty() || idle(kind) => unmodelled.clone(),
            why => Some(why),
        };
        if cut(Kind::DeadEntry).is_none() {
            by_kind.insert(Kind::DeadEntry, self.dead_entries(entries));
        }
        let mut answers = Vec::new();
        let access = Access::new(self.program);
        for kind in Kind::ALL {
            let mut list = by_kind.remove(&kind).unwrap_or_default();
            list.sort_by_key(|f| (f.severity, f.trace.as_ref().map_or(0, |t| t.steps.len()), f.span));
            list.truncate(MAX_FINDINGS);
            let list: Vec<Finding> = list.into_iter().map(|f| self.tidied(&access, f)).collect();
            let certain: Vec<Finding> = list.iter().filter(|f| !f.guessed).cloned().collect();
            let answer = if !certain.is_empty() {
                Answer::Violated(certain)
            } else if !list.is_empty() {
                Answer::Inconclusive(
                    "the trace depends on a value that the model does not follow".into(),
                    list,
                )
            } else {
                match cut(kind) {
                    None => Answer::Holds,
                    Some(why) => Answer::Inconclusive(why, Vec::new()),
                }
            };
            answers.push((kind, answer));
        }
        answers
    }

    /// The same finding by a trace with fewer task switches, and without steps that it does not need.
    fn tidied(&self, access: &Access, mut finding: Finding) -> Finding {
        let Some(trace) = finding.trace.as_ref().filter(|t| t.loop_from.is_none()) else { return finding };
        let by_one = matches!(
            finding.kind,
            Kind::TaskingError | Kind::ProgramError | Kind::UnhandledException | Kind::Assertion | Kind::Race
        );
        let needed = if by_one { &finding.tasks[..] } else { &[] };
        let shows = |trace: &Trace| match finding.kind {
            Kind::Race => {
                let mut found = false;
                races(self.program, access, &trace.last, |race| {
                    if let Seen::Race { first, second, .. } = race {
                        found |= [first.0, second.0] == finding.tasks[..]
                            && self.program.node(first.1).span == finding.span;
                    }
                });
                found
            }
            kind => self.shows(trace, kind, finding.span),
        };
        let better = |needed: &[TaskId]| {
            let (moves, _) = fewest_switches(self.semantics, access, &trace.moves, needed)?;
            replay(self.semantics, &moves).filter(|t| shows(t) && t.guessed() == finding.guessed)
        };
        if let Some(better) = better(needed).or_else(|| better(&[])) {
            finding.trace = Some(better);
        }
        finding
    }

    fn task(&self, task: TaskId) -> &str {
        &self.program.tasks[task.index()].name
    }

    /// Makes a finding of something seen at the end of some moves; `state` is where it was seen.
    pub fn seen(&mut self, what: &Seen, moves: &[Move], state: &State) {
        match what {
            Seen::Unsupported { loc } => {
                let node = self.program.node(*loc);
                let text = match &node.action {
                    Action::Unsupported { text } => text.clone(),
                    _ => "a value or target that cannot be determined".into(),
                };
                let diagnostic = Diagnostic::warning(node.span, text).label("not modelled");
                if !self.reached.contains(&diagnostic) {
                    self.reached.push(diagnostic);
                }
            }
            Seen::Blocked => {
                let waiting = why_blocked(self.semantics, state);
                let Some((kind, tasks)) = classify(&waiting) else { return };
                self.blocked(kind, &tasks, waiting, moves);
            }
            Seen::Exception { task, loc, exception, died, by_tasking } => {
                self.exception(*task, *loc, *exception, *died, *by_tasking, moves);
            }
            Seen::Assertion { task, loc } => {
                let node = self.program.node(*loc);
                let text = match &node.action {
                    Action::Assert { text, .. } => text.clone(),
                    _ => String::new(),
                };
                let message = format!("assertion fails in {}: {text}", self.task(*task));
                let key = format!("assert {}", node.span);
                self.add(key, Kind::Assertion, Severity::Error, message, node.span, &[*task], moves);
            }
            Seen::Broken { monitor } => self.broken(*monitor, moves),
            Seen::Race { var, first, second, writes } => self.race(*var, *first, *second, *writes, moves),
        }
    }

    fn blocked(
        &mut self,
        kind: Kind,
        tasks: &[TaskId],
        waiting: Vec<crate::blocking::Waiting>,
        moves: &[Move],
    ) {
        // The environment may stop calling at any time.
        if self.program.open && kind == Kind::ServerIdle {
            return;
        }
        let names: Vec<&str> = tasks.iter().map(|t| self.task(*t)).collect();
        let message = match kind {
            Kind::CircularWait if names.len() == 1 => format!("{} waits for itself for ever", list(&names)),
            Kind::CircularWait => format!("{} wait for each other for ever", list(&names)),
            Kind::ServerIdle => format!(
                "{} wait{} for calls that never come; everybody else is done",
                list(&names),
                plural(&names)
            ),
            _ => {
                let first = waiting.iter().find(|w| tasks.contains(&w.task));
                let reason = first.map_or(String::new(), |w| format!(": {} {}", self.task(w.task), w.reason));
                format!(
                    "{} {} blocked for ever{reason}",
                    list(&names),
                    if names.len() == 1 { "is" } else { "are" }
                )
            }
        };
        let first = waiting.iter().find(|w| tasks.first() == Some(&w.task));
        let span = first.map_or(Span::NOWHERE, |w| w.span);
        let places: Vec<String> =
            waiting.iter().filter(|w| tasks.contains(&w.task)).map(|w| format!("{}", w.span)).collect();
        let mut places = places;
        places.sort();
        places.dedup();
        let key = format!("{} {}", kind.name(), places.join(" "));
        if self.is_known(&key, tasks) {
            return;
        }
        self.add(key.clone(), kind, kind.severity(), message, span, tasks, moves);
        if let Some(finding) = self.findings.get_mut(&key) {
            finding.label = match tasks.first() {
                Some(task) => format!("{} waits here", self.program.tasks[task.index()].name),
                None => String::new(),
            };
            finding.waiting = waiting;
        }
    }

    fn broken(&mut self, monitor: u16, moves: &[Move]) {
        let property = &self.program.monitors[usize::from(monitor)];
        let key = format!("property {monitor}");
        let message = format!("{} does not hold", property.name);
        self.add(key.clone(), Kind::Sequence, Severity::Error, message, property.span, &[], moves);
        let Some(finding) = self.findings.get_mut(&key) else { return };
        let Some(trace) = &finding.trace else { return };
        let doomed = |v: Value| matches!(v, Value::Known(at) if property.doomed[at as usize]);
        let over = !trace.last.tasks.iter().any(|t| crate::alive(t.status));
        let ends = !doomed(trace.last.vars[property.cell.index()]) && over;
        let word: Vec<&str> = trace
            .steps
            .iter()
            .flat_map(|s| &s.step.letters)
            .filter(|l| l.0 == monitor)
            .map(|l| property.symbols[l.1 as usize].as_str())
            .collect();
        finding.message = match (ends, word.is_empty()) {
            (false, _) => format!("{} does not hold after: {}", property.name, word.join(", ")),
            (true, true) => format!("{} does not hold: the program ends without any event", property.name),
            (true, false) => {
                format!("{} does not hold: the program ends after {}", property.name, word.join(", "))
            }
        };
    }

    /// A run that is repeated from some move on is what a property forbids.
    pub fn repeated(&mut self, monitor: u16, moves: &[Move], loop_from: usize) {
        let property = &self.program.monitors[usize::from(monitor)];
        let key = format!("property {monitor}");
        let message = format!("{} does not hold", property.name);
        self.add(key.clone(), Kind::Sequence, Severity::Error, message, property.span, &[], moves);
        let Some(finding) = self.findings.get_mut(&key) else { return };
        let Some(trace) = &mut finding.trace else { return };
        trace.loop_from = Some(loop_from);
        let word = |from: usize, to: usize| -> String {
            let letters = trace.steps[from..to].iter().flat_map(|s| &s.step.letters);
            let names: Vec<&str> =
                letters.filter(|l| l.0 == monitor).map(|l| property.symbols[l.1 as usize].as_str()).collect();
            if names.is_empty() { "nothing".into() } else { names.join(", ") }
        };
        let (first, again) = (word(0, loop_from), word(loop_from, trace.steps.len()));
        finding.message = format!("{} does not hold: {first}, and then for ever {again}", property.name);
    }

    /// The verdict on states in which nobody can move: what was found of the kind.
    pub fn deadlock(&mut self) -> Answer {
        let access = Access::new(self.program);
        let list = std::mem::take(&mut self.findings).into_values();
        let list: Vec<Finding> = list.map(|f| self.tidied(&access, f)).collect();
        match list.iter().any(|f| f.guessed) {
            true => Answer::Inconclusive(
                "the trace depends on a value that the model does not follow".into(),
                list,
            ),
            false if list.is_empty() => Answer::Holds,
            false => Answer::Violated(list),
        }
    }

    /// The verdicts on the properties that monitors follow; `why` says what cut the search short.
    pub fn properties(&mut self, engine: &'static str, witness: &Witness, why: &str) -> Vec<PropertyAnswer> {
        let unmodelled = self
            .reached
            .first()
            .map(|d| format!("an execution reaches something that is not modelled: {}", d.message));
        let cut = if why.is_empty() { unmodelled } else { Some(why.to_owned()) };
        let mut all = Vec::new();
        let access = Access::new(self.program);
        for (m, monitor) in self.program.monitors.iter().enumerate() {
            let finding = self.findings.remove(&format!("property {m}")).map(|f| self.tidied(&access, f));
            let answer = match (finding, &cut) {
                (Some(finding), _) if !finding.guessed => Answer::Violated(vec![finding]),
                (Some(finding), _) => Answer::Inconclusive(
                    "the trace depends on a value that the model does not follow".into(),
                    vec![finding],
                ),
                (None, Some(why)) => Answer::Inconclusive(why.clone(), Vec::new()),
                (None, None) => Answer::Holds,
            };
            let vacuous = match answer {
                Answer::Holds => vacuous(monitor, m as u16, witness),
                _ => None,
            };
            all.push(PropertyAnswer {
                name: monitor.name.clone(),
                kind: monitor.language,
                engine,
                text: monitor.text.clone(),
                answer,
                assumptions: Vec::new(),
                vacuous,
                stats: None,
                constraints: Vec::new(),
                certificate: None,
            });
        }
        all
    }

    fn exception(
        &mut self,
        task: TaskId,
        loc: rendez_model::Loc,
        exception: ExceptionId,
        died: bool,
        by_tasking: bool,
        moves: &[Move],
    ) {
        let node = self.program.node(loc);
        let name = self.program.exception_name(exception).to_owned();
        let who = self.task(task).to_owned();
        let kind = match exception {
            ExceptionId::TASKING_ERROR if by_tasking => Kind::TaskingError,
            ExceptionId::PROGRAM_ERROR if by_tasking => Kind::ProgramError,
            // What a raise statement or a check raises is the program's own business if handled.
            _ if !died => return,
            _ => Kind::UnhandledException,
        };
        let why = match (kind, &node.action) {
            (Kind::TaskingError, Action::EntryCall { .. }) => ": the called task is no longer there",
            (Kind::TaskingError, Action::Activate { .. }) => ": the activation of a task failed",
            (Kind::ProgramError, Action::Select { .. }) => ": every alternative of the select is closed",
            _ => "",
        };
        let (severity, message) = if died {
            let also = if task == TaskId::ENVIRONMENT { "the main program" } else { "the task" };
            (Severity::Error, format!("{name} in {who}{why}; nobody handles it and {also} ends"))
        } else {
            (Severity::Note, format!("{name} in {who}{why}; it is handled"))
        };
        let key = format!("{} {} {name} {died}", kind.name(), node.span);
        if died {
            // The same place may also be reached with a handler around it: the worse one counts.
            self.findings.remove(&format!("{} {} {name} false", kind.name(), node.span));
        }
        self.add(key, kind, severity, message, node.span, &[task], moves);
    }

    fn race(
        &mut self,
        var: VarId,
        first: (TaskId, rendez_model::Loc),
        second: (TaskId, rendez_model::Loc),
        writes: (bool, bool),
        moves: &[Move],
    ) {
        let v = &self.program.vars[var.index()];
        let (a, b) = (self.program.node(first.1).span, self.program.node(second.1).span);
        let does = |w: bool| if w { "writes" } else { "reads" };
        let severity = match v.sharing {
            Sharing::Plain => Severity::Error,
            Sharing::Volatile | Sharing::Atomic => Severity::Note,
        };
        let message = format!(
            "{} is unprotected: {} {} it while {} {} it",
            v.name,
            self.task(first.0),
            does(writes.0),
            self.task(second.0),
            does(writes.1)
        );
        // One report per variable as declared: array elements and symmetric tasks share it.
        let key = format!("race {} {}", v.span, self.program.vars[var.index()].span.file.0);
        let other = (b, format!("{} {} it here", self.task(second.0), does(writes.1)));
        let tasks = [first.0, second.0];
        if self.is_known(&key, &tasks) {
            return;
        }
        self.add(key.clone(), Kind::Race, severity, message, a, &tasks, moves);
        if let Some(finding) = self.findings.get_mut(&key) {
            finding.other = Some(other);
        }
    }

    /// Makes a finding of something that goes on for ever once the moves have led to `full`.
    pub fn forever(&mut self, what: &Forever, moves: &[Move], full: &State) {
        match what {
            Forever::Spins(task) => {
                let span = self.program.node(full.tasks[task.index()].pc).span;
                let message = format!(
                    "{} waits busily for ever: nobody will change what it looks at",
                    self.task(*task)
                );
                // In the loop it may be seen anywhere: alike tasks have the same declaration.
                let declared = self.program.tasks[task.index()].span;
                let key = format!("spin {declared}");
                self.add(key, Kind::Spin, Severity::Error, message, span, &[*task], moves);
            }
            Forever::Quiet => self.seen(&Seen::Blocked, moves, full),
            Forever::Blocked(task) => {
                let mut waiting = why_blocked(self.semantics, full);
                let Some(own) = waiting.iter().find(|w| w.task == *task).cloned() else { return };
                // Those that still run wait for nothing; only blocked tasks can form a circle.
                waiting.retain(|w| w.task == *task || own.on.contains(&w.task));
                self.blocked(Kind::ClientBlocked, &[*task], waiting, moves);
            }
        }
    }

    /// Makes a finding of tasks that are stuck at the end of some moves, while others can go on.
    pub fn stuck(&mut self, tasks: &[TaskId], moves: &[Move], state: &State) {
        if let Some((kind, named, waiting)) = kind_of_stuck(self.semantics, state, tasks) {
            self.blocked(kind, &named, waiting, moves);
        }
    }

    fn dead_entries(&self, entries: &Entries) -> Vec<Finding> {
        // Entries of one declaration count together: an array of servers need not all be used.
        let mut by_place: BTreeMap<Span, (bool, bool, String)> = BTreeMap::new();
        for (i, entry) in self.program.entries.iter().enumerate() {
            let file = self.program.files.get(entry.span.file.0 as usize);
            if file.is_some_and(|f| f.starts_with(rendez_model::LIBRARY_FOLDER)) {
                continue;
            }
            let id = rendez_model::EntryId::from(i);
            let place =
                by_place.entry(entry.span).or_insert_with(|| (false, false, self.program.entry_name(id)));
            place.0 |= entries.called[i];
            place.1 |= entries.accepted[i];
        }
        by_place
            .into_iter()
            .filter(|(_, (called, accepted, _))| !called || !accepted)
            .map(|(span, (called, _, name))| {
                let object = self
                    .program
                    .entries
                    .iter()
                    .any(|e| e.span == span && matches!(e.owner, Owner::Object(_)));
                let never = match (called, object) {
                    (false, _) => "never called",
                    (true, true) => "called, but its barrier never opens",
                    (true, false) => "called, but never accepted",
                };
                Finding {
                    kind: Kind::DeadEntry,
                    severity: Severity::Warning,
                    message: format!("entry {name} is {never}"),
                    span,
                    tasks: Vec::new(),
                    alike: Vec::new(),
                    label: String::new(),
                    other: None,
                    trace: None,
                    waiting: Vec::new(),
                    guessed: false,
                }
            })
            .collect()
    }

    /// Whether some step of a trace is what a finding of a kind says of a place; of what is seen in
    /// states, the caller knows.
    fn shows(&self, trace: &Trace, kind: Kind, span: Span) -> bool {
        let here = |loc: rendez_model::Loc| self.program.node(loc).span == span;
        let is_it = |seen: Seen| match (kind, seen) {
            (Kind::Assertion, Seen::Assertion { loc, .. }) => here(loc),
            (Kind::Sequence, Seen::Broken { .. }) => true,
            (
                Kind::TaskingError | Kind::ProgramError | Kind::UnhandledException,
                Seen::Exception { loc, .. },
            ) => here(loc),
            _ => false,
        };
        let by_steps = matches!(
            kind,
            Kind::Assertion
                | Kind::Sequence
                | Kind::TaskingError
                | Kind::ProgramError
                | Kind::UnhandledException
        );
        // Who only watches is broken by nothing: then the caller knows.
        let watching = |m: &Monitor| m.span == span && m.accepting.iter().all(|a| *a);
        let watched = kind == Kind::Sequence && self.program.monitors.iter().any(watching);
        !by_steps || watched || trace.steps.iter().any(|s| seen_in(&s.step).any(is_it))
    }

    /// Whether something is known already; then it is noted that it happens to these tasks, too.
    fn is_known(&mut self, key: &str, tasks: &[TaskId]) -> bool {
        let Some(finding) = self.findings.get_mut(key) else { return false };
        let within = tasks.iter().all(|t| finding.tasks.contains(t));
        let known = within || finding.alike.iter().any(|a| a == tasks);
        if !known && !tasks.is_empty() {
            finding.alike.push(tasks.to_vec());
        }
        true
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        key: String,
        kind: Kind,
        severity: Severity,
        message: String,
        span: Span,
        tasks: &[TaskId],
        moves: &[Move],
    ) {
        if self.is_known(&key, tasks) {
            return;
        }
        let Some(trace) = replay(self.semantics, moves) else {
            self.contradictions.push(format!("{message}: the trace does not replay"));
            return;
        };
        if !self.shows(&trace, kind, span) {
            self.contradictions.push(format!("{message}: the trace does not show it"));
            return;
        }
        let guessed = trace.guessed();
        let finding = Finding {
            kind,
            severity,
            message,
            span,
            tasks: tasks.to_vec(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            waiting: why_blocked_at_end(kind, self.semantics, &trace.last),
            trace: Some(trace),
            guessed,
        };
        self.findings.insert(key, finding);
    }
}

/// Why a property that holds says nothing about the program, if so.
pub fn vacuous(monitor: &Monitor, number: u16, witness: &Witness) -> Option<String> {
    let happens = |letter: u32| witness.letters.contains(&(number, letter));
    if !(0..monitor.letters as u32).any(happens) {
        return Some("none of its events can happen".into());
    }
    let reachable_doom = monitor.doomed.iter().any(|d| *d);
    if !witness.ended && !reachable_doom {
        return Some("only at its end could an execution break it, and none comes to an end".into());
    }
    None
}

fn why_blocked_at_end(
    kind: Kind,
    semantics: &Semantics,
    last: &rendez_model::state::State,
) -> Vec<crate::blocking::Waiting> {
    match kind {
        Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle => why_blocked(semantics, last),
        _ => Vec::new(),
    }
}

fn list(names: &[&str]) -> String {
    match names {
        [] => "somebody".into(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn plural(names: &[&str]) -> &'static str {
    if names.len() == 1 { "s" } else { "" }
}
