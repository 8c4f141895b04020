//! The default checks, decided from one search.

use std::collections::BTreeMap;
use std::time::Duration;

use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_model::{Action, ExceptionId, Owner, Program, Sharing, TaskId, VarId};
use rendez_source::{Diagnostic, Span};

use crate::blocking::{classify, why_blocked};
use crate::finding::{Finding, Kind, Severity};
use crate::local::LocalSteps;
use crate::search::{End, Search, Seen, Sighting, Stats, search};
use crate::spin::{Forever, forever};
use crate::trace::replay;
use crate::walk::walk;
use crate::{Control, Options};

/// The verdict on one check.
#[derive(Clone, Debug)]
pub enum Answer {
    Holds,
    Violated(Vec<Finding>),
    /// Why nothing is certain, and findings that may be spurious.
    Inconclusive(String, Vec<Finding>),
}

/// The verdicts on all default checks.
pub struct Outcome {
    pub answers: Vec<(Kind, Answer)>,
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

/// At most this many findings of one kind are reported.
const MAX_FINDINGS: usize = 10;

/// Explores the program and decides the default checks.
pub fn check(program: &Program, options: &Options, control: &Control) -> Outcome {
    let semantics = Semantics::bounded(program, options.recursion);
    let local = {
        let stops: fn(&Action) -> bool = match options.long_delays {
            true => |a| matches!(a, Action::Delay { .. }),
            false => |_| false,
        };
        LocalSteps::new(program, options.merge_local, stops)
    };
    let found = search(&semantics, &local, options, control);
    let mut builder = Builder {
        program,
        semantics: &semantics,
        local: &local,
        findings: BTreeMap::new(),
        reached: Vec::new(),
        contradictions: Vec::new(),
    };
    builder.collect(&found);
    // Findings that need a guess may have a twin that does not: search again without guesses.
    if found.guesses && builder.findings.values().any(|f| f.guessed) {
        let certain = Options { skip_guesses: true, ..options.clone() };
        let second = search(&semantics, &local, &certain, control);
        let guessed = std::mem::take(&mut builder.findings);
        builder.collect(&second);
        for (key, finding) in guessed {
            builder.findings.entry(key).or_insert(finding);
        }
    }
    if found.end != End::Complete && found.end != End::Interrupted && !options.long_delays {
        let time = options.timeout.map_or(Duration::from_secs(10), |t| t / 4).min(Duration::from_secs(30));
        walk(&semantics, &local, time, control, |moves, state, seen| builder.seen(&seen, moves, state));
    }
    let mut by_kind: BTreeMap<Kind, Vec<Finding>> = BTreeMap::new();
    for finding in std::mem::take(&mut builder.findings).into_values() {
        by_kind.entry(finding.kind).or_default().push(finding);
    }
    let complete = found.end == End::Complete && builder.reached.is_empty();
    if complete {
        let dead = builder.dead_entries(&found);
        by_kind.insert(Kind::DeadEntry, dead);
    }
    let mut answers = Vec::new();
    for kind in Kind::ALL {
        let mut list = by_kind.remove(&kind).unwrap_or_default();
        list.sort_by_key(|f| (f.severity, f.trace.as_ref().map_or(0, |t| t.steps.len()), f.span));
        list.truncate(MAX_FINDINGS);
        let certain: Vec<Finding> = list.iter().filter(|f| !f.guessed).cloned().collect();
        let answer = if !certain.is_empty() {
            Answer::Violated(certain)
        } else if !list.is_empty() {
            Answer::Inconclusive("the trace depends on a value that the model does not follow".into(), list)
        } else if complete {
            Answer::Holds
        } else {
            Answer::Inconclusive(incomplete(&found, &builder.reached), Vec::new())
        };
        answers.push((kind, answer));
    }
    Outcome {
        answers,
        stats: found.stats,
        end: found.end,
        reached: builder.reached,
        contradictions: builder.contradictions,
        cut: found.stopped,
        long_delays: options.long_delays,
    }
}

fn incomplete(found: &Search, reached: &[Diagnostic]) -> String {
    match found.end {
        End::Complete => format!(
            "an execution reaches something that is not modelled: {}",
            reached.first().map_or("", |d| d.message.as_str())
        ),
        End::States => format!("the limit on states was reached after {}", found.stats.states),
        End::Time => format!("the time limit was reached after {} states", found.stats.states),
        End::Memory => format!("the memory limit was reached after {} states", found.stats.states),
        End::Interrupted => format!("interrupted after {} states", found.stats.states),
    }
}

struct Builder<'s, 'p> {
    program: &'p Program,
    semantics: &'s Semantics<'p>,
    local: &'s LocalSteps,
    /// By what makes two findings the same, so that each is reported once.
    findings: BTreeMap<String, Finding>,
    reached: Vec<Diagnostic>,
    contradictions: Vec<String>,
}

impl Builder<'_, '_> {
    fn collect(&mut self, found: &Search) {
        let mut blocked = 0;
        for sighting in &found.sightings {
            if sighting.what == Seen::Blocked {
                blocked += 1;
                // Many blocked states differ only in data; the first of each kind is enough.
                if blocked > 2_000 {
                    continue;
                }
            }
            self.sighting(found, sighting);
        }
        if found.end == End::Complete {
            let mut all = Vec::new();
            forever(self.program, &found.graph, |state, what| all.push((state, what)));
            all.sort_by_key(|a| a.0);
            for (state, what) in all {
                self.forever(found, state, &what);
            }
        }
    }

    fn task(&self, task: TaskId) -> &str {
        &self.program.tasks[task.index()].name
    }

    fn sighting(&mut self, found: &Search, sighting: &Sighting) {
        let mut moves = found.graph.path(sighting.state);
        moves.extend(sighting.mv);
        self.seen(&sighting.what, &moves, &found.graph.state(sighting.state));
    }

    /// Makes a finding of something seen at the end of some moves; `state` is where it was seen.
    fn seen(&mut self, what: &Seen, moves: &[Move], state: &State) {
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
                self.add(key, Kind::Assertion, Severity::Error, message, node.span, moves);
            }
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
        if self.findings.contains_key(&key) {
            return;
        }
        self.add(key.clone(), kind, kind.severity(), message, span, moves);
        if let Some(finding) = self.findings.get_mut(&key) {
            finding.label = match tasks.first() {
                Some(task) => format!("{} waits here", self.program.tasks[task.index()].name),
                None => String::new(),
            };
            finding.waiting = waiting;
        }
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
        self.add(key, kind, severity, message, node.span, moves);
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
        if self.findings.contains_key(&key) {
            return;
        }
        self.add(key.clone(), Kind::Race, severity, message, a, moves);
        if let Some(finding) = self.findings.get_mut(&key) {
            finding.other = Some(other);
        }
    }

    fn forever(&mut self, found: &Search, state: u32, what: &Forever) {
        let moves = found.graph.path(state);
        let full = found.graph.state(state);
        match what {
            Forever::Spins(task) => {
                let span = self.program.node(full.tasks[task.index()].pc).span;
                let message = format!(
                    "{} waits busily for ever: nobody will change what it looks at",
                    self.task(*task)
                );
                let key = format!("spin {}", self.task(*task));
                if !self.findings.contains_key(&key) {
                    self.add(key, Kind::Spin, Severity::Error, message, span, &moves);
                }
            }
            Forever::Quiet => self.seen(&Seen::Blocked, &moves, &full),
            Forever::Blocked(task) => {
                let mut waiting = why_blocked(self.semantics, &full);
                let Some(own) = waiting.iter().find(|w| w.task == *task).cloned() else { return };
                // Those that still run wait for nothing; only blocked tasks can form a circle.
                waiting.retain(|w| w.task == *task || own.on.contains(&w.task));
                self.blocked(Kind::ClientBlocked, &[*task], waiting, &moves);
            }
        }
    }

    fn dead_entries(&self, found: &Search) -> Vec<Finding> {
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
            place.0 |= found.called[i];
            place.1 |= found.accepted[i];
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
                    label: String::new(),
                    other: None,
                    trace: None,
                    waiting: Vec::new(),
                    guessed: false,
                }
            })
            .collect()
    }

    fn add(
        &mut self,
        key: String,
        kind: Kind,
        severity: Severity,
        message: String,
        span: Span,
        moves: &[Move],
    ) {
        if self.findings.contains_key(&key) {
            return;
        }
        let Some(trace) = replay(self.semantics, self.local, moves) else {
            self.contradictions.push(format!("{message}: the trace does not replay"));
            return;
        };
        let guessed = trace.guessed();
        let finding = Finding {
            kind,
            severity,
            message,
            span,
            label: String::new(),
            other: None,
            waiting: why_blocked_at_end(kind, self.semantics, &trace.last),
            trace: Some(trace),
            guessed,
        };
        self.findings.insert(key, finding);
    }
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
