//! Verdicts on checks and properties, made of what an engine saw.
//!
//! An engine is not believed. It hands over observations with moves, and this file replays the moves from the initial
//! state on the semantics, and looks in the trace for what is claimed. A failed assertion, an exception, a broken
//! property: the last step shows it. A race: both accesses are about to happen in the last state. Tasks that wait for
//! ever: either nobody can move, or everything that can follow is examined (`after.rs`) and they never move, or an
//! argument over the code shows it (`stuck.rs`). Busy waiting is examined in the same way. A trace that does not
//! replay, or that contradicts its claim, is a bug of rendez and is reported as one; a claim that could not be shown
//! within bounds makes the check inconclusive, with the trace.
//!
//! Findings are grouped by cause. The same thing at the same place is one finding, whoever it happens to. Each trace is
//! then reordered and shortened (`reorder.rs`), and accepted only if it still shows its claim.
//!
//! A finding that depends on an untracked value is a candidate. Certain findings make a check violated; candidates
//! alone make it inconclusive. Engines search a second time without uncertain steps, and `set_aside` and `take_back`
//! keep the candidates that have no certain twin.
//!
//! A check holds if its search was complete, and no execution continued where the model ends: at a bound, or at
//! something that is not modelled. A property that holds may do so vacuously: because an event without which it demands
//! nothing never happens, because every sequence satisfies it, or because no sequence can break it with the events that
//! do happen. These reasons are computed on its automaton, with the letters that were seen. What engines that look at
//! single steps leave open, executions that go on for ever, is said here too.

use std::collections::{BTreeMap, BTreeSet};

use rendez_analysis::access::Access;
use rendez_model::monitor::Monitor;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::{State, Status};
use rendez_model::{Action, ExceptionId, Node, Owner, Program, Sharing, TaskId, Value};
use rendez_source::{Diagnostic, Span};

use crate::after::{After, Settled, runs_in_a_circle};
use crate::blocking::{Blocked, Role, all_stuck, is_final, kinds_of_blocking};
use crate::finding::{Finding, Kind, Severity};
use crate::formula::{Fairness, covers};
use crate::lasso::{is_whole, lasso};
use crate::reorder::fewest_switches;
use crate::seen::{Effort, Entries, Seen, Witness, races, seen_in};
use crate::stuck::stuck;
use crate::trace::{Trace, replay};
use crate::{End, Obstacle, Reason, Stats};

/// The verdict on one check.
#[derive(Clone, Debug)]
pub enum Answer {
    Holds,
    Violated(Vec<Finding>),
    /// Why nothing is certain, and findings that may be spurious.
    Inconclusive(Reason, Vec<Finding>),
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
    /// The executions that the verdict is about, in words.
    pub covers: String,
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
#[derive(Clone)]
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
    /// Bounds that some execution meets: what lies beyond is not known.
    pub bounds: Vec<Diagnostic>,
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
            bounds: Vec::new(),
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
    /// The tasks never move again, while others do.
    Stuck(Vec<TaskId>),
}

/// What was found so far. Every trace is replayed before it is taken in, and what is said of it is looked for
/// in it.
pub struct Findings<'s, 'p> {
    program: &'p Program,
    semantics: &'s Semantics<'p>,
    access: Access,
    /// By what makes two findings the same, so that each is reported once.
    findings: BTreeMap<String, Known>,
    pub reached: Vec<Diagnostic>,
    pub bounds: Vec<Diagnostic>,
    pub contradictions: Vec<String>,
    /// States that may still be looked at to see who can never go on.
    left: usize,
    /// Delays are taken to be long: who waits for the end of one does so for ever.
    long_delays: bool,
    /// Only properties matter, no default checks.
    properties_only: bool,
}

/// A finding, and what its trace must show.
pub struct Known {
    finding: Finding,
    claim: Claim,
}

#[derive(Clone, Debug, PartialEq)]
enum Claim {
    /// This is seen in the last step.
    Step(Seen),
    /// This is seen in the last state.
    State(Seen),
    /// The task waits busily from the last state on.
    Spins(TaskId),
    /// Tasks can never go on from the last state; that was looked at.
    Stuck,
    /// Nothing that a single trace could show: whoever found it knows.
    Other,
}

/// Whether a trace shows what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
    /// What can follow is too much to look at.
    Unknown,
}

/// States that are looked at for one claim, and for all; those of large programs count for several.
const MOST_AFTER: usize = 30_000;
const MOST_IN_ALL: usize = 100_000;
/// Tasks of a program whose states count once.
const FEW_TASKS: usize = 32;

const GUESSED: &str = "the trace depends on a value that the model does not follow";
const UNSHOWN: &str = "what is said to last for ever was not shown to: too many states may follow";

impl<'s, 'p> Findings<'s, 'p> {
    pub fn new(semantics: &'s Semantics<'p>) -> Self {
        Findings {
            program: semantics.program,
            semantics,
            access: Access::new(semantics.program),
            findings: BTreeMap::new(),
            reached: Vec::new(),
            bounds: Vec::new(),
            contradictions: Vec::new(),
            left: MOST_IN_ALL,
            long_delays: false,
            properties_only: false,
        }
    }

    /// For a search that decides properties, and none of the default checks.
    pub fn of_properties(semantics: &'s Semantics<'p>) -> Self {
        Findings { properties_only: true, ..Findings::new(semantics) }
    }

    /// For a search that takes delays to be long.
    pub fn with_long_delays(mut self) -> Self {
        self.long_delays = true;
        self
    }

    fn list(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values().map(|known| &known.finding)
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether tasks were found to wait for ever.
    pub fn any_blocking(&self) -> bool {
        let blocking =
            |k: Kind| matches!(k, Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin);
        self.list().any(|f| blocking(f.kind))
    }

    /// Whether an error was found that does not depend on a guess.
    pub fn any_error(&self) -> bool {
        self.list().any(|f| f.severity == Severity::Error && f.is_certain())
    }

    /// Whether something of a kind was found.
    pub fn any(&self, kind: Kind) -> bool {
        self.list().any(|f| f.kind == kind)
    }

    /// Whether some finding needs a value that the model does not know.
    pub fn any_guessed(&self) -> bool {
        self.list().any(|f| f.guessed)
    }

    /// Sets the findings so far aside, for a search without guesses.
    pub fn set_aside(&mut self) -> BTreeMap<String, Known> {
        std::mem::take(&mut self.findings)
    }

    /// Takes findings back that have no certain twin.
    pub fn take_back(&mut self, aside: BTreeMap<String, Known>) {
        for (key, finding) in aside {
            self.findings.entry(key).or_insert(finding);
        }
    }

    /// The verdicts. `why` says for each check what cut its search short; nothing if it came to
    /// its end.
    pub fn answers(&mut self, entries: &Entries, why: impl Fn(Kind) -> Reason) -> Vec<(Kind, Answer)> {
        let mut by_kind: BTreeMap<Kind, Vec<Known>> = BTreeMap::new();
        for known in std::mem::take(&mut self.findings).into_values() {
            by_kind.entry(known.finding.kind).or_default().push(known);
        }
        let unknown = self.not_followed();
        let nodes = &self.program.nodes;
        // What is not modelled may hold assertions.
        let asserts =
            nodes.iter().any(|n| matches!(n.action, Action::Assert { .. } | Action::Unsupported { .. }));
        let idle = |kind: Kind| match kind {
            Kind::Assertion => !asserts,
            Kind::DeadEntry => self.program.entries.is_empty(),
            _ => false,
        };
        let cut = |kind: Kind| match why(kind) {
            why if why.is_empty() || idle(kind) => unknown.clone(),
            why => Some(why),
        };
        let dead = self.dead_entries(entries);
        // Once every entry was called and served, the rest of the search finds none that is not; but there may be
        // others in what is not followed.
        let cut_off = |n: &Node| {
            matches!(n.action, Action::Unsupported { .. } | Action::Stop { .. } | Action::Allocate { .. })
        };
        let all_used = dead.is_empty() && unknown.is_none() && !nodes.iter().any(cut_off);
        if cut(Kind::DeadEntry).is_none() {
            let dead = dead.into_iter().map(|finding| Known { finding, claim: Claim::Other }).collect();
            by_kind.insert(Kind::DeadEntry, dead);
        }
        let mut answers = Vec::new();
        for kind in Kind::ALL {
            let mut list = by_kind.remove(&kind).unwrap_or_default();
            let length = |f: &Finding| f.trace.as_ref().map_or(0, |t| t.steps.len());
            list.sort_by_key(|k| {
                (!k.finding.is_certain(), k.finding.severity, length(&k.finding), k.finding.span)
            });
            list.truncate(MAX_FINDINGS);
            let list = list.into_iter().map(|k| self.tidied(k)).collect();
            let answer = match (verdict(list), cut(kind)) {
                (Answer::Holds, Some(_)) if kind == Kind::DeadEntry && all_used => Answer::Holds,
                (Answer::Holds, Some(why)) => Answer::Inconclusive(why, Vec::new()),
                (answer, _) => answer,
            };
            answers.push((kind, answer));
        }
        answers
    }

    /// Why nothing holds for certain although every state was seen: some execution goes on where the
    /// model does not.
    pub fn not_followed(&self) -> Option<Reason> {
        let unmodelled = self.reached.first().map(|d| {
            let text = format!("an execution reaches something that is not modelled: {}", d.message);
            Reason::new(Obstacle::Unmodelled, text)
        });
        unmodelled.or_else(|| self.bounds.first().map(|d| meets_bound(&d.message)))
    }

    /// The same finding by a trace with fewer task switches, and without steps that it does not need.
    fn tidied(&self, Known { mut finding, claim }: Known) -> Finding {
        let Some(trace) = finding.trace.as_ref().filter(|t| t.loop_from.is_none()) else { return finding };
        let by_one = matches!(
            finding.kind,
            Kind::TaskingError | Kind::ProgramError | Kind::UnhandledException | Kind::Assertion | Kind::Race
        );
        let needed = if by_one { &finding.tasks[..] } else { &[] };
        let shows = |other: &Trace| match &claim {
            Claim::Step(seen) => other.steps.iter().any(|s| seen_in(&s.step).any(|s| s == *seen)),
            Claim::State(race) => self.is_race(&other.last, race),
            Claim::Spins(_) | Claim::Stuck => other.last == trace.last,
            Claim::Other => true,
        };
        let better = |needed: &[TaskId]| {
            let (moves, _) = fewest_switches(self.semantics, &self.access, &trace.moves, needed)?;
            replay(self.semantics, &moves).filter(|t| shows(t) && t.guessed() == trace.guessed())
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
        // What ends the model, and not the program, concerns properties as well.
        let about_properties =
            matches!(what, Seen::Broken { .. } | Seen::Unsupported { .. } | Seen::Stopped { .. });
        if self.properties_only && !about_properties {
            return;
        }
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
            Seen::Stopped { loc } => {
                let bound = self.program.bound_at(*loc, self.semantics.recursion);
                let span = self.program.node(*loc).span;
                let bound =
                    bound.map(|text| Diagnostic::warning(span, text).label("not followed any further"));
                self.bounds.extend(bound.filter(|b| !self.bounds.contains(b)));
            }
            Seen::Blocked => self.stuck_at(&all_stuck(self.program, state), moves, state, true),
            Seen::Exception { .. } => self.exception(what, moves),
            Seen::Assertion { task, loc } => {
                let node = self.program.node(*loc);
                let text = match &node.action {
                    Action::Assert { text, .. } => text.clone(),
                    _ => String::new(),
                };
                let message = format!("assertion fails in {}: {text}", self.task(*task));
                let key = format!("assert {}", node.span);
                let claim = Claim::Step(what.clone());
                self.add(key, Kind::Assertion, Severity::Error, message, node.span, &[*task], claim, moves);
            }
            Seen::Broken { monitor } => self.broken(*monitor, moves),
            Seen::Race { .. } => self.race(what, moves),
        }
    }

    /// Makes findings of tasks that can never go on from the end of some moves. If everybody else has settled there,
    /// no other task will get stuck.
    fn stuck_at(&mut self, tasks: &[TaskId], moves: &[Move], state: &State, settled: bool) {
        let claimed = kinds_of_blocking(self.semantics, state, tasks);
        let known = claimed.iter().filter(|b| self.is_known(&key_of(b), &b.tasks)).count();
        if known == claimed.len() {
            return;
        }
        let Some(mut trace) = replay(self.semantics, moves) else {
            let message = self.message(&claimed[0], state);
            self.contradictions.push(format!("{message}: the trace does not replay"));
            return;
        };
        let still = self.semantics.enabled(&trace.last).is_empty();
        let after = (!still && !self.long_delays).then(|| self.after(&trace.last));
        let there = all_stuck(self.program, &trace.last);
        let moving = |t: &TaskId| !there.contains(t) || after.as_ref().is_some_and(|a| a.can_move(*t));
        if let Some(task) = tasks.iter().copied().find(moving) {
            let (message, name) = (self.message(&claimed[0], state), self.task(task));
            self.contradictions.push(format!("{message}: at the end of the trace {name} can go on"));
            return;
        }
        let (certain, found) = match after {
            Some(after) => self.ways(tasks, &mut trace, &after, settled),
            None if still => {
                let found = kinds_of_blocking(self.semantics, &trace.last, &there);
                (there, found)
            }
            None => (tasks.to_vec(), kinds_of_blocking(self.semantics, &trace.last, tasks)),
        };
        let same = |a: &Blocked, b: &Blocked| a.kind == b.kind && a.tasks == b.tasks;
        if let Some(b) = claimed.iter().find(|b| settled && !found.iter().any(|f| same(f, b))) {
            let message = self.message(b, state);
            self.contradictions.push(format!("{message}: the trace does not show it"));
            return;
        }
        for b in found {
            let shown = b.tasks.iter().all(|t| certain.contains(t));
            self.blocked(b, &trace, shown);
        }
    }

    /// Which tasks are certainly stuck at the end of a trace, and in which ways tasks are blocked there. Where all
    /// that follows is known, it says so itself; the trace goes on to where everybody has settled.
    fn ways(
        &self,
        tasks: &[TaskId],
        trace: &mut Trace,
        after: &After,
        settled: bool,
    ) -> (Vec<TaskId>, Vec<Blocked>) {
        if let Some(Settled { moves, state, stuck }) = after.settled(self.semantics) {
            let all: Vec<Move> = trace.moves.iter().copied().chain(moves).collect();
            if all.len() > trace.moves.len()
                && let Some(longer) = replay(self.semantics, &all)
            {
                *trace = longer;
            }
            let found = kinds_of_blocking(self.semantics, &state, &stuck);
            return (stuck, found);
        }
        self.argued(tasks, &trace.last, settled)
    }

    /// What the code alone shows of tasks that are said to be stuck: which of them certainly are, and how they are
    /// blocked.
    fn argued(&self, tasks: &[TaskId], state: &State, settled: bool) -> (Vec<TaskId>, Vec<Blocked>) {
        let certain = stuck(self.semantics, state);
        if settled {
            return (certain, kinds_of_blocking(self.semantics, state, tasks));
        }
        let found = kinds_of_blocking(self.semantics, state, &certain);
        let lasting = found.iter().filter(|b| is_final(self.semantics, state, b, &certain));
        (lasting.flat_map(|b| b.tasks.clone()).collect(), found)
    }

    /// What can follow a state, as far as there is room to look at it.
    fn after(&mut self, state: &State) -> After {
        let weight = 1 + state.tasks.len() / FEW_TASKS;
        let after = After::new(self.semantics, state, self.left.min(MOST_AFTER) / weight);
        self.left = self.left.saturating_sub(after.len() * weight);
        after
    }

    fn blocked(&mut self, blocked: Blocked, trace: &Trace, shown: bool) {
        let key = key_of(&blocked);
        if self.is_known(&key, &blocked.tasks) {
            return;
        }
        let first = blocked.tasks.first();
        let span = blocked.waiting.iter().find(|w| first == Some(&w.task)).map_or(Span::NOWHERE, |w| w.span);
        let finding = Finding {
            kind: blocked.kind,
            severity: blocked.kind.severity(),
            message: self.message(&blocked, &trace.last),
            span,
            label: first.map_or(String::new(), |task| format!("{} waits here", self.task(*task))),
            tasks: blocked.tasks,
            alike: Vec::new(),
            other: None,
            trace: Some(trace.clone()),
            waiting: blocked.waiting,
            guessed: trace.guessed(),
            unshown: !shown,
        };
        self.findings.insert(key, Known { finding, claim: Claim::Stuck });
    }

    fn message(&self, blocked: &Blocked, last: &State) -> String {
        let names: Vec<&str> = blocked.tasks.iter().map(|t| self.task(*t)).collect();
        let behind: Vec<&str> = blocked.behind.iter().map(|t| self.task(*t)).collect();
        let behind = match behind.is_empty() {
            true => String::new(),
            false => format!("; {} wait{} behind them", list(&behind), plural(&behind)),
        };
        match blocked.kind {
            Kind::CircularWait if names.len() == 1 => {
                format!("{} waits for itself for ever{behind}", list(&names))
            }
            Kind::CircularWait => format!("{} wait for each other for ever{behind}", list(&names)),
            Kind::ServerIdle => format!(
                "{} wait{} for calls that never come{}",
                list(&names),
                plural(&names),
                self.others(blocked, last)
            ),
            _ => {
                let first = blocked.waiting.iter().find(|w| blocked.tasks.contains(&w.task));
                let reason = first.map_or(String::new(), |w| format!(": {} {}", self.task(w.task), w.reason));
                let are = if names.len() == 1 { "is" } else { "are" };
                format!("{} {are} blocked for ever{reason}", list(&names))
            }
        }
    }

    /// What is left besides idle servers, if that is nothing but who waits for their end.
    fn others(&self, blocked: &Blocked, last: &State) -> &'static str {
        let mut others = all_stuck(self.program, last);
        others.retain(|t| !blocked.tasks.contains(t));
        let done = |t: &TaskId| last.tasks[t.index()].status == Status::Completed;
        let follows = |t: &TaskId| {
            let waits = blocked.waiting.iter().find(|w| w.task == *t);
            waits.is_some_and(|w| matches!(w.role, Role::Parent | Role::Leaving))
        };
        match () {
            _ if others.iter().all(|t| done(t) && follows(t)) => "; everybody else is done",
            _ if others.iter().all(follows) => "; everybody else is done or waits for them to end",
            _ => "",
        }
    }

    fn broken(&mut self, monitor: u16, moves: &[Move]) {
        let property = &self.program.monitors[usize::from(monitor)];
        let key = format!("property {monitor}");
        let message = format!("{} does not hold", property.name);
        let claim = match property.accepting.iter().all(|a| *a) {
            // Who only watches is broken by nothing.
            true => Claim::Other,
            false => Claim::Step(Seen::Broken { monitor }),
        };
        self.add(key.clone(), Kind::Sequence, Severity::Error, message, property.span, &[], claim, moves);
        let Some(Known { finding, .. }) = self.findings.get_mut(&key) else { return };
        let Some(trace) = &finding.trace else { return };
        let doomed = |v: Value| matches!(v, Value::Known(at) if property.doomed[at as usize]);
        let over = !trace.last.tasks.iter().any(|t| crate::alive(t.status));
        let ends = !doomed(trace.last.vars[property.cell.index()]) && over;
        let letters = trace.steps.iter().flat_map(|s| &s.step.letters).filter(|l| l.0 == monitor);
        let word: Vec<String> = letters.map(|l| property.letter_name(l.1)).collect();
        finding.message = match (ends, word.is_empty()) {
            (false, true) => format!("{} does not hold: no sequence of events satisfies it", property.name),
            (false, false) => format!("{} does not hold after: {}", property.name, word.join(", ")),
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
        let start = replay(self.semantics, &moves[..loop_from]).map(|t| t.last);
        if replay(self.semantics, moves).map(|t| t.last) != start {
            self.contradictions.push(format!("{message}: the loop does not lead back to where it begins"));
            return;
        }
        let claim = Claim::Other;
        self.add(key.clone(), Kind::Sequence, Severity::Error, message, property.span, &[], claim, moves);
        let Some(Known { finding, .. }) = self.findings.get_mut(&key) else { return };
        let Some(trace) = &mut finding.trace else { return };
        trace.loop_from = Some(loop_from);
        let word = |from: usize, to: usize| -> String {
            let letters = trace.steps[from..to].iter().flat_map(|s| &s.step.letters);
            let names: Vec<String> =
                letters.filter(|l| l.0 == monitor).map(|l| property.letter_name(l.1)).collect();
            if names.is_empty() { "nothing".into() } else { names.join(", ") }
        };
        let (first, again) = (word(0, loop_from), word(loop_from, trace.steps.len()));
        finding.message = format!("{} does not hold: {first}, and then for ever {again}", property.name);
    }

    /// An execution that blocks or goes on for ever never brings a monitor to one of the sets to which it must come
    /// again and again: its moves, and from which of them on they repeat.
    pub fn never_again(
        &mut self,
        monitor: u16,
        set: &[bool],
        (moves, loop_from): (&[Move], Option<usize>),
        fairness: Fairness,
    ) {
        let property = &self.program.monitors[usize::from(monitor)];
        let trace = match loop_from {
            Some(from) => lasso(self.semantics, moves, from),
            None => replay(self.semantics, moves),
        };
        let shown = trace
            .filter(|t| is_whole(self.semantics, t, fairness) && stays_outside(property, monitor, set, t));
        let Some(trace) = shown else {
            self.contradictions.push(format!("{} does not hold: the trace does not show it", property.name));
            return;
        };
        let words = |from: usize, to: usize| -> Vec<String> {
            let letters = trace.steps[from..to].iter().flat_map(|s| &s.step.letters);
            letters.filter(|l| l.0 == monitor).map(|l| property.letter_name(l.1)).collect()
        };
        let after = |end: usize| match words(0, end) {
            none if none.is_empty() => "without any event".to_owned(),
            some => format!("after {}", some.join(", ")),
        };
        let how = match trace.loop_from {
            None => format!("the program stands still {}", after(trace.steps.len())),
            Some(from) => match words(from, trace.steps.len()) {
                none if none.is_empty() => {
                    format!(
                        "the program goes on for ever {}, with no further event of the property",
                        after(from)
                    )
                }
                some => format!("{} there is {} for ever", after(from), some.join(", ")),
            },
        };
        let guessed = trace.guessed();
        let finding = Finding {
            kind: Kind::Sequence,
            severity: Severity::Error,
            message: format!("{} does not hold: {how}", property.name),
            span: property.span,
            tasks: Vec::new(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            waiting: Vec::new(),
            trace: Some(trace),
            guessed,
            unshown: false,
        };
        // What stands still there stands still however one comes there.
        self.findings.insert(format!("property {monitor}"), Known { finding, claim: Claim::Stuck });
    }

    /// Whether a monitor is known to be broken, by a trace that needs no guess.
    pub fn is_broken(&self, monitor: u16) -> bool {
        self.findings.get(&format!("property {monitor}")).is_some_and(|k| !k.finding.guessed)
    }

    /// The verdict on states in which nobody can move: what was found of the kind.
    pub fn deadlock(&mut self) -> Answer {
        let list = std::mem::take(&mut self.findings).into_values();
        verdict(list.map(|k| self.tidied(k)).collect())
    }

    /// The verdicts on the properties that monitors follow; `why` says what leaves each of them open.
    pub fn properties(
        &mut self,
        engine: &'static str,
        witness: &Witness,
        fairness: Fairness,
        why: impl Fn(usize) -> Reason,
    ) -> Vec<PropertyAnswer> {
        let unknown = self.not_followed();
        let mut all = Vec::new();
        for (m, monitor) in self.program.monitors.iter().enumerate() {
            let why = why(m);
            let cut = if why.is_empty() { unknown.clone() } else { Some(why) };
            let finding = self.findings.remove(&format!("property {m}")).map(|k| self.tidied(k));
            let answer = match (finding, &cut) {
                (Some(finding), _) if !finding.guessed => Answer::Violated(vec![finding]),
                (Some(finding), _) => Answer::Inconclusive(GUESSED.into(), vec![finding]),
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
                covers: covers(monitor, fairness),
                assumptions: Vec::new(),
                vacuous,
                stats: None,
                constraints: Vec::new(),
                certificate: None,
            });
        }
        all
    }

    /// Monitors that executions without end may still break.
    pub fn open_for_ever(&self) -> Vec<u16> {
        let is_open = |m: &u16| self.program.monitors[usize::from(*m)].is_live() && !self.is_broken(*m);
        (0..self.program.monitors.len() as u16).filter(is_open).collect()
    }

    /// The same of an engine that looks at executions without end: `live` are those that it looked at for them, and why
    /// these are open; `why` says so of the others.
    pub fn all_properties(
        &mut self,
        engine: &'static str,
        witness: &Witness,
        fairness: Fairness,
        (live, open): (&[u16], &Reason),
        why: &Reason,
    ) -> Vec<PropertyAnswer> {
        let of = |m: usize| if live.contains(&(m as u16)) { open.clone() } else { why.clone() };
        let mut answers = self.properties(engine, witness, fairness, of);
        for (answer, monitor) in answers.iter_mut().zip(&self.program.monitors) {
            if monitor.is_live() {
                answer.assumptions.extend(fairness.assumption().map(str::to_owned));
            }
        }
        answers
    }

    fn exception(&mut self, what: &Seen, moves: &[Move]) {
        let Seen::Exception { task, loc, exception, died, by_tasking } = *what else { return };
        let node = self.program.node(loc);
        let name = self.program.exception_name(exception).to_owned();
        let who = self.task(task).to_owned();
        let outside = self.program.tasks[task.index()].background && !self.program.open;
        let kind = match exception {
            _ if outside && !died => return,
            ExceptionId::TASKING_ERROR if by_tasking => Kind::TaskingError,
            ExceptionId::PROGRAM_ERROR if by_tasking => Kind::ProgramError,
            // What a raise statement or a check raises is the program's own business if handled, what
            // happens to an interrupt is the environment's.
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
        self.add(key, kind, severity, message, node.span, &[task], Claim::Step(what.clone()), moves);
    }

    fn race(&mut self, what: &Seen, moves: &[Move]) {
        let Seen::Race { var, first, second, writes, sure } = *what else { return };
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
        let known = self.findings.get(&key).map(|k| &k.finding);
        let only_unsure = known.is_some_and(|f| f.guessed && f.trace.as_ref().is_some_and(|t| !t.guessed()));
        if sure && only_unsure {
            self.findings.remove(&key);
        }
        if self.is_known(&key, &tasks) {
            return;
        }
        self.add(key.clone(), Kind::Race, severity, message, a, &tasks, Claim::State(what.clone()), moves);
        if let Some(known) = self.findings.get_mut(&key) {
            known.finding.other = Some(other);
            known.finding.guessed |= !sure;
        }
    }

    /// Makes a finding of something that goes on for ever once the moves have led to `full`.
    pub fn forever(&mut self, what: &Forever, moves: &[Move], full: &State) {
        if self.properties_only {
            return;
        }
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
                let claim = Claim::Spins(*task);
                self.add(key, Kind::Spin, Severity::Error, message, span, &[*task], claim, moves);
            }
            Forever::Stuck(tasks) => self.stuck_at(tasks, moves, full, true),
        }
    }

    /// Makes a finding of tasks that are stuck at the end of some moves, while others can go on and may get stuck, too.
    pub fn stuck(&mut self, tasks: &[TaskId], moves: &[Move], state: &State) {
        self.stuck_at(tasks, moves, state, false);
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
                    (true, true) => "called, but never served",
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
                    unshown: false,
                }
            })
            .collect()
    }

    /// Whether a trace shows what is claimed. What a step shows the trace ends with.
    fn shows(&mut self, trace: &mut Trace, claim: &Claim) -> Shown {
        let is_so = |so: bool| if so { Shown::Yes } else { Shown::No };
        match claim {
            Claim::Step(seen) => {
                let at = trace.steps.iter().position(|s| seen_in(&s.step).any(|s| s == *seen));
                let Some(at) = at else { return Shown::No };
                if at + 1 < trace.steps.len()
                    && let Some(short) = replay(self.semantics, &trace.moves[..=at])
                {
                    *trace = short;
                }
                Shown::Yes
            }
            Claim::State(race) => is_so(self.is_race(&trace.last, race)),
            Claim::Spins(_) if self.long_delays => Shown::Yes,
            Claim::Spins(task) => {
                let effort = Effort::new(self.program);
                let after = self.after(&trace.last);
                let alone = || runs_in_a_circle(self.semantics, &self.access, &effort, &trace.last, *task);
                match after.spins(self.semantics, &self.access, &effort, *task) {
                    Some(spins) => is_so(spins),
                    None if alone() => Shown::Yes,
                    None => Shown::Unknown,
                }
            }
            Claim::Stuck | Claim::Other => Shown::Yes,
        }
    }

    fn is_race(&self, state: &State, race: &Seen) -> bool {
        let mut found = false;
        races(self.program, &self.access, state, |seen| found |= seen == *race);
        found
    }

    /// Whether something is known already; then it is noted that it happens to these tasks, too.
    fn is_known(&mut self, key: &str, tasks: &[TaskId]) -> bool {
        let Some(Known { finding, .. }) = self.findings.get_mut(key) else { return false };
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
        claim: Claim,
        moves: &[Move],
    ) {
        if self.is_known(&key, tasks) {
            return;
        }
        let Some(mut trace) = replay(self.semantics, moves) else {
            self.contradictions.push(format!("{message}: the trace does not replay"));
            return;
        };
        let shown = self.shows(&mut trace, &claim);
        if shown == Shown::No {
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
            waiting: Vec::new(),
            trace: Some(trace),
            guessed,
            unshown: shown == Shown::Unknown,
        };
        self.findings.insert(key, Known { finding, claim });
    }
}

/// What is said where an execution is not followed to its end.
pub fn meets_bound(bound: &str) -> Reason {
    Reason::new(Obstacle::Bound, format!("an execution meets a bound: {bound}"))
}

/// Findings that are certain are a violation; others are candidates.
fn verdict(list: Vec<Finding>) -> Answer {
    let certain: Vec<Finding> = list.iter().filter(|f| f.is_certain()).cloned().collect();
    match &list[..] {
        [] => Answer::Holds,
        _ if !certain.is_empty() => Answer::Violated(certain),
        [first, ..] if first.guessed => Answer::Inconclusive(GUESSED.into(), list),
        _ => Answer::Inconclusive(UNSHOWN.into(), list),
    }
}

/// What makes two ways of blocking the same: the kind, and the places of those that it is about.
fn key_of(blocked: &Blocked) -> String {
    let about = blocked.waiting.iter().filter(|w| blocked.tasks.contains(&w.task));
    let mut places: Vec<String> = about.map(|w| format!("{}", w.span)).collect();
    places.sort();
    places.dedup();
    format!("{} {}", blocked.kind.name(), places.join(" "))
}

/// Why a property that holds says nothing about the program, if so.
pub fn vacuous(monitor: &Monitor, number: u16, witness: &Witness) -> Option<String> {
    let seen = |letter: u32| witness.letters.contains(&(number, letter));
    let happens = |symbol: u32| monitor.sets.iter().any(|(set, l)| seen(*l) && set.contains(&symbol));
    let absent: Vec<u32> = (0..monitor.symbols.len() as u32).filter(|s| !happens(*s)).collect();
    let without = |symbols: &[u32]| {
        let names: Vec<&str> = symbols.iter().map(|s| monitor.symbols[*s as usize].as_str()).collect();
        let (s, them) = if names.len() == 1 { ("s", "it") } else { ("", "them") };
        format!("{} never happen{s}, and every execution without {them} satisfies this", list(&names))
    };
    if !can_break(monitor, &[]) {
        return Some(match monitor.accepting.iter().all(|a| *a) {
            true => "every sequence of events satisfies it".into(),
            false => "every sequence of steps that can have these names satisfies it".into(),
        });
    }
    let trigger = monitor.triggers.iter().find(|t| absent.contains(t) && !can_break(monitor, &[**t]));
    if let Some(trigger) = trigger {
        return Some(without(&[*trigger]));
    }
    if absent.len() == monitor.symbols.len() && !bans_something(monitor) {
        return Some("none of its events can happen".into());
    }
    if !is_at_stake(monitor, seen)
        && let Some(names) = without_which_nothing_breaks(monitor, &absent)
    {
        return Some(without(&names));
    }
    let reachable_doom = monitor.doomed.iter().any(|d| *d);
    if !witness.ended && !reachable_doom && !monitor.is_live() {
        return Some("only at its end could an execution break it, and none comes to an end".into());
    }
    None
}

/// Whether some sequence of steps without these symbols breaks a property, at once, at its end or by going on for ever.
fn can_break(monitor: &Monitor, without: &[u32]) -> bool {
    let kept = monitor.sets.iter().filter(|(set, _)| !set.iter().any(|s| without.contains(s)));
    let letters: BTreeSet<u32> = kept.map(|(_, letter)| *letter).collect();
    let mut reached = vec![false; monitor.accepting.len()];
    reached[0] = true;
    let mut work = vec![0];
    while let Some(state) = work.pop() {
        if !monitor.accepting[state as usize] {
            return true;
        }
        for letter in &letters {
            let next = monitor.step(state, *letter);
            if !std::mem::replace(&mut reached[next as usize], true) {
                work.push(next);
            }
        }
    }
    false
}

/// As few symbols as possible of some without which no sequence of steps breaks a property: one of them, or what is left
/// if each is left out that can be.
fn without_which_nothing_breaks(monitor: &Monitor, absent: &[u32]) -> Option<Vec<u32>> {
    if let Some(one) = absent.iter().find(|s| !can_break(monitor, &[**s])) {
        return Some(vec![*one]);
    }
    let mut needed = absent.to_vec();
    if can_break(monitor, &needed) {
        return None;
    }
    for symbol in absent {
        let fewer: Vec<u32> = needed.iter().copied().filter(|s| s != symbol).collect();
        if !can_break(monitor, &fewer) {
            needed = fewer;
        }
    }
    Some(needed)
}

/// Whether a property says of some event, for which there is code, that it never happens at all.
fn bans_something(monitor: &Monitor) -> bool {
    let fatal = |symbol: u32, state: u32| {
        monitor.doomed[state as usize] || monitor.doomed[monitor.step(state, symbol) as usize]
    };
    (0..monitor.symbols.len() as u32)
        .filter(|s| monitor.possible[*s as usize])
        .any(|symbol| (0..monitor.accepting.len() as u32).all(|state| fatal(symbol, state)))
}

/// Whether the letters that happen can lead to where an end, or one more letter for which there is code, would
/// break a property.
fn is_at_stake(monitor: &Monitor, seen: impl Fn(u32) -> bool) -> bool {
    let possible = |set: &[u32]| set.iter().all(|s| monitor.possible[*s as usize]);
    let may_come: Vec<u32> = monitor.sets.iter().filter(|(s, _)| possible(s)).map(|(_, l)| *l).collect();
    let mut reached = vec![false; monitor.accepting.len()];
    reached[0] = true;
    let mut work = vec![0];
    while let Some(state) = work.pop() {
        let broken = may_come.iter().any(|l| monitor.doomed[monitor.step(state, *l) as usize]);
        if broken || !monitor.accepting[state as usize] {
            return true;
        }
        for letter in (0..monitor.letters as u32).filter(|l| seen(*l)) {
            let next = monitor.step(state, letter);
            if !std::mem::replace(&mut reached[next as usize], true) {
                work.push(next);
            }
        }
    }
    false
}

/// Whether a monitor does not come to one of a set of states in what a trace repeats, or not at its end.
fn stays_outside(property: &Monitor, monitor: u16, set: &[bool], trace: &Trace) -> bool {
    let Value::Known(at) = trace.last.vars[property.cell.index()] else { return false };
    let mut at = at as u32;
    let repeated = trace.steps[trace.loop_from.unwrap_or(trace.steps.len())..].iter();
    let mut letters = repeated.flat_map(|s| &s.step.letters).filter(|l| l.0 == monitor);
    !set[at as usize]
        && letters.all(|l| {
            at = property.step(at, l.1);
            !set[at as usize]
        })
}

/// What an engine leaves open that looks at single steps and at ends of executions only: nothing, if the letters that
/// happen never lead to where something must still come.
pub fn open_for_ever(monitor: &Monitor, number: u16, witness: &Witness) -> String {
    let waits = |state: u32| {
        let outside = monitor.again.iter().any(|set| !set[state as usize]);
        outside && !monitor.doomed[state as usize]
    };
    let seen = |letter: &u32| witness.letters.contains(&(number, *letter));
    let letters: Vec<u32> = (0..monitor.letters as u32).filter(seen).collect();
    let mut met = vec![false; monitor.accepting.len()];
    met[0] = true;
    let mut reached = vec![0];
    let mut at = 0;
    while at < reached.len() {
        for letter in &letters {
            let next = monitor.step(reached[at], *letter);
            if !std::mem::replace(&mut met[next as usize], true) {
                reached.push(next);
            }
        }
        at += 1;
    }
    match reached.into_iter().any(waits) {
        true => "no step and no end breaks it; whether it is kept by executions that block or go on for ever only \
                 --engine reach and explore decide"
            .into(),
        false => String::new(),
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

#[cfg(test)]
mod tests;
