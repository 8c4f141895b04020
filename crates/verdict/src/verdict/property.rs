//! Properties of event sequences, which monitors follow.
//!
//! A step breaks a property if no continuation satisfies it, and the end of the program if the sequence so far does not. An
//! execution that blocks or never ends breaks one that demands something again and again. Such an execution is shown as a
//! lasso, and must be whole: nobody is left out for ever who must go on under the fairness that is assumed (`lasso.rs`).

use rendez_model::Value;
use rendez_model::monitor::Monitor;
use rendez_model::semantics::Move;

use super::claim::{Claim, Known};
use super::key::FindingKey;
use super::vacuity::vacuous;
use super::{Claimed, EngineId, Findings, PropertyAnswer, Verdict};
use crate::finding::{Finding, Kind, Severity};
use crate::formula::{Fairness, covers};
use crate::lasso::{is_whole, lasso};
use crate::observation::{Observation, Witness};
use crate::trace::{Trace, replay};
use crate::{Dependent, Reason};

impl Findings<'_, '_> {
    pub(super) fn broken(&mut self, monitor: u16, moves: &[Move]) {
        let property = &self.program.monitors[usize::from(monitor)];
        let key = FindingKey::Property(monitor);
        let message = format!("{} does not hold", property.name);
        let claim = match property.accepting.iter().all(|a| *a) {
            // Who only watches is broken by nothing.
            true => Claim::Other,
            false => Claim::Step(Observation::Broken { monitor }),
        };
        self.breaks(monitor, message, claim, moves);
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

    fn breaks(&mut self, monitor: u16, message: String, claim: Claim, moves: &[Move]) {
        let claimed = Claimed {
            key: FindingKey::Property(monitor),
            kind: Kind::Sequence,
            severity: Severity::Error,
            message,
            span: self.program.monitors[usize::from(monitor)].span,
            tasks: &[],
            claim,
        };
        self.add(claimed, moves);
    }

    /// A run that is repeated from some move on is what a property forbids.
    pub fn repeated(&mut self, monitor: u16, moves: &[Move], loop_from: usize) {
        let property = &self.program.monitors[usize::from(monitor)];
        let key = FindingKey::Property(monitor);
        let message = format!("{} does not hold", property.name);
        let start = replay(self.semantics, &moves[..loop_from]).map(|t| t.last);
        if replay(self.semantics, moves).map(|t| t.last) != start {
            self.contradictions.push(format!("{message}: the loop does not lead back to where it begins"));
            return;
        }
        self.breaks(monitor, message, Claim::Other, moves);
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
        let message = format!("{} does not hold: {how}", property.name);
        let finding = Finding {
            trace: Some(trace),
            guessed,
            ..Finding::new(Kind::Sequence, Severity::Error, message, property.span)
        };
        // What stands still there stands still however one comes there.
        self.findings.insert(FindingKey::Property(monitor), Known { finding, claim: Claim::Stuck });
    }

    /// Whether a monitor is known to be broken, by a trace that needs no guess.
    pub fn is_broken(&self, monitor: u16) -> bool {
        self.findings.get(&FindingKey::Property(monitor)).is_some_and(|k| !k.finding.guessed)
    }

    /// The verdicts on the properties that monitors follow; `why` says what leaves each of them open.
    pub fn properties(
        &mut self,
        engine: EngineId,
        witness: &Witness,
        fairness: Fairness,
        why: impl Fn(usize) -> Option<Reason>,
    ) -> Vec<PropertyAnswer> {
        let unknown = self.not_followed();
        let mut all = Vec::new();
        for (m, monitor) in self.program.monitors.iter().enumerate() {
            let cut = why(m).or_else(|| unknown.clone());
            let finding = self.findings.remove(&FindingKey::Property(m as u16)).map(|k| self.tidied(k));
            let answer = match (finding, &cut) {
                (Some(finding), _) if !finding.guessed => Verdict::Violated(vec![finding]),
                (Some(finding), _) => {
                    Verdict::Inconclusive(Reason::Untracked(Dependent::Trace), vec![finding])
                }
                (None, Some(why)) => Verdict::Inconclusive(why.clone(), Vec::new()),
                (None, None) => Verdict::Holds,
            };
            let vacuous = match answer {
                Verdict::Holds => vacuous(monitor, m as u16, witness),
                _ => None,
            };
            all.push(PropertyAnswer {
                name: monitor.name.clone(),
                language: monitor.language,
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
        engine: EngineId,
        witness: &Witness,
        fairness: Fairness,
        (live, open): (&[u16], Option<&Reason>),
        why: Option<&Reason>,
    ) -> Vec<PropertyAnswer> {
        let of = |m: usize| if live.contains(&(m as u16)) { open.cloned() } else { why.cloned() };
        let mut answers = self.properties(engine, witness, fairness, of);
        for (answer, monitor) in answers.iter_mut().zip(&self.program.monitors) {
            if monitor.is_live() {
                answer.assumptions.extend(fairness.assumption().map(str::to_owned));
            }
        }
        answers
    }
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
