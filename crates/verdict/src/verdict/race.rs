//! Races: two tasks about to access one variable, one of them writing.
//!
//! There is one report for each variable as declared, because array elements and symmetric tasks share the declaration. An
//! access to one of several elements makes a race possible only; a certain one takes its place.

use rendez_model::Sharing;
use rendez_model::semantics::Move;

use super::claim::Claim;
use super::key::{FindingKey, SourcePlace};
use super::{Claimed, Findings};
use crate::finding::{Kind, Severity};
use crate::observation::Observation;

impl Findings<'_, '_> {
    pub(super) fn race(&mut self, what: &Observation, moves: &[Move]) {
        let Observation::Race { var, first, second, writes, certain } = *what else { return };
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
        let key = FindingKey::Race(SourcePlace(v.span));
        let other = (b, format!("{} {} it here", self.task(second.0), does(writes.1)));
        let tasks = [first.0, second.0];
        let known = self.findings.get(&key).map(|k| &k.finding);
        let only_uncertain =
            known.is_some_and(|f| f.guessed && f.trace.as_ref().is_some_and(|t| !t.guessed()));
        if certain && only_uncertain {
            self.findings.remove(&key);
        }
        if self.is_known(&key, &tasks) {
            return;
        }
        let claimed = Claimed {
            key: key.clone(),
            kind: Kind::Race,
            severity,
            message,
            span: a,
            tasks: &tasks,
            claim: Claim::State(what.clone()),
        };
        self.add(claimed, moves);
        if let Some(known) = self.findings.get_mut(&key) {
            known.finding.other = Some(other);
            known.finding.guessed |= !certain;
        }
    }
}
