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
mod assertion;
mod blocking;
mod claim;
mod dead_entry;
mod exception;
mod key;
mod property;
mod race;
mod results;
mod spin;
mod vacuity;

use std::collections::BTreeMap;

use rendez_analysis::access::Access;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_model::{Action, Loc, Node, Program, TaskId};
use rendez_source::{Diagnostic, Span};

use crate::Reason;
use crate::blocking::all_stuck;
use crate::finding::{Finding, Kind, Severity};
use crate::observation::{Entries, Observation, seen_in};
use crate::reorder::fewest_switches;
use crate::trace::{Trace, replay};
use claim::{Claim, Known, MOST_IN_ALL, Shown};
use key::FindingKey;
use results::verdict;

pub use results::{EngineId, Outcome, PropertyAnswer, Verdict};
pub use spin::Nonprogress;
pub use vacuity::{open_for_ever, vacuous};

/// At most this many findings of one kind are reported.
const MAX_FINDINGS: usize = 10;

/// What was found so far. Every trace is replayed before it is taken in, and what is said of it is looked for
/// in it.
pub struct Findings<'s, 'p> {
    program: &'p Program,
    semantics: &'s Semantics<'p>,
    access: Access,
    /// By what makes two findings the same, so that each is reported once.
    findings: BTreeMap<FindingKey, Known>,
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

/// Findings that were set aside for a search without guesses.
pub struct SetAside(BTreeMap<FindingKey, Known>);

/// A finding in the making, and what its trace must show.
struct Claimed<'a> {
    key: FindingKey,
    kind: Kind,
    severity: Severity,
    message: String,
    span: Span,
    tasks: &'a [TaskId],
    claim: Claim,
}

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
    pub fn set_aside(&mut self) -> SetAside {
        SetAside(std::mem::take(&mut self.findings))
    }

    /// Takes findings back that have no certain twin.
    pub fn take_back(&mut self, SetAside(aside): SetAside) {
        for (key, finding) in aside {
            self.findings.entry(key).or_insert(finding);
        }
    }

    /// Makes a finding of something seen at the end of some moves; `state` is where it was seen.
    pub fn seen(&mut self, what: &Observation, moves: &[Move], state: &State) {
        // What ends the model, and not the program, concerns properties as well.
        let about_properties = matches!(
            what,
            Observation::Broken { .. } | Observation::Unsupported { .. } | Observation::Stopped { .. }
        );
        if self.properties_only && !about_properties {
            return;
        }
        match what {
            Observation::Unsupported { loc } => self.unsupported(*loc),
            Observation::Stopped { loc } => self.stopped(*loc),
            Observation::Blocked => self.stuck_at(&all_stuck(self.program, state), moves, state, true),
            Observation::Exception { .. } => self.exception(what, moves),
            Observation::Assertion { task, loc } => self.assertion(*task, *loc, moves),
            Observation::Broken { monitor } => self.broken(*monitor, moves),
            Observation::Race { .. } => self.race(what, moves),
        }
    }

    fn unsupported(&mut self, loc: Loc) {
        let node = self.program.node(loc);
        let text = match &node.action {
            Action::Unsupported { text } => text.clone(),
            _ => "a value or target that cannot be determined".into(),
        };
        let diagnostic = Diagnostic::warning(node.span, text).label("not modelled");
        if !self.reached.contains(&diagnostic) {
            self.reached.push(diagnostic);
        }
    }

    fn stopped(&mut self, loc: Loc) {
        let bound = self.program.bound_at(loc, self.semantics.recursion);
        let span = self.program.node(loc).span;
        let bound = bound.map(|text| Diagnostic::warning(span, text).label("not followed any further"));
        self.bounds.extend(bound.filter(|b| !self.bounds.contains(b)));
    }

    /// The verdicts. `why` says for each check what cut its search short; nothing if it came to
    /// its end.
    pub fn answers(
        &mut self,
        entries: &Entries,
        why: impl Fn(Kind) -> Option<Reason>,
    ) -> Vec<(Kind, Verdict)> {
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
            Some(why) if !idle(kind) => Some(why),
            _ => unknown.clone(),
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
                (Verdict::Holds, Some(_)) if kind == Kind::DeadEntry && all_used => Verdict::Holds,
                (Verdict::Holds, Some(why)) => Verdict::Inconclusive(why, Vec::new()),
                (answer, _) => answer,
            };
            answers.push((kind, answer));
        }
        answers
    }

    /// The verdict on states in which nobody can move: what was found of the kind.
    pub fn deadlock(&mut self) -> Verdict {
        let list = std::mem::take(&mut self.findings).into_values();
        verdict(list.map(|k| self.tidied(k)).collect())
    }

    /// Why nothing holds for certain although every state was seen: some execution goes on where the
    /// model does not.
    pub fn not_followed(&self) -> Option<Reason> {
        let unmodelled = self.reached.first().map(|d| Reason::unmodelled(Some(d.message.clone())));
        unmodelled.or_else(|| self.bounds.first().map(|d| Reason::meets(&d.message)))
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

    /// Whether something is known already; then it is noted that it happens to these tasks, too.
    fn is_known(&mut self, key: &FindingKey, tasks: &[TaskId]) -> bool {
        let Some(Known { finding, .. }) = self.findings.get_mut(key) else { return false };
        let within = tasks.iter().all(|t| finding.tasks.contains(t));
        let known = within || finding.alike.iter().any(|a| a == tasks);
        if !known && !tasks.is_empty() {
            finding.alike.push(tasks.to_vec());
        }
        true
    }

    fn add(&mut self, claimed: Claimed, moves: &[Move]) {
        let Claimed { key, kind, severity, message, span, tasks, claim } = claimed;
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
            tasks: tasks.to_vec(),
            trace: Some(trace),
            guessed,
            unshown: shown == Shown::Unknown,
            ..Finding::new(kind, severity, message, span)
        };
        self.findings.insert(key, Known { finding, claim });
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
