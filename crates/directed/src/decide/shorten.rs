//! Traces that people can read.
//!
//! A trace is reordered to few task switches, and steps that the error does not need are left out (`fewest_switches` in
//! `rendez_verdict`). If there are still many switches, a short search that counts switches instead of steps may find a
//! better trace to the same error: first hasty ones, then an exact one if time allows.
//!
//! Every change is replayed on the semantics and accepted only if the trace still shows the error, so shortening can
//! fail to help but cannot make a trace wrong.

use std::time::Duration;

use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::{State, Wait};
use rendez_search::SearchResult;
use rendez_verdict::{
    Kind, Observation, Options, Trace, fewest_switches, kinds_of_blocking, races, replay, seen_in, stuck,
};

use super::schedule::SearchSchedule;
use super::seek::{Chase, seek_by};
use super::{DirectedSettings, Heuristic};
use crate::distance::Measure;
use crate::frontier::Order;

/// Searches for traces with few task switches: hasty ones, and an exact one if time allows.
const SHORT: [(Order, Heuristic); 5] = [
    (Order::Runs(30), Heuristic::Blind),
    (Order::Runs(30), Heuristic::Pattern),
    (Order::Runs(30), Heuristic::Measured(Measure::Efca)),
    (Order::Runs(300), Heuristic::Measured(Measure::Efca)),
    (Order::Switches, Heuristic::Measured(Measure::Efca)),
];

/// Traces with so few task switches are not made shorter.
const FEW: usize = 3;

impl SearchSchedule<'_, '_> {
    /// The steps that the stuck tasks need, in an order with few task switches.
    pub(super) fn only_stuck(
        &self,
        chase: Chase,
        tasks: &[TaskId],
        moves: Vec<Move>,
        state: State,
    ) -> (Vec<Move>, State) {
        let clients: Vec<TaskId> = tasks
            .iter()
            .copied()
            .filter(|t| matches!(state.tasks[t.index()].wait, Wait::Queued { .. }))
            .collect();
        let named = kinds_of_blocking(self.semantics, &state, tasks).into_iter().next();
        let named = named.map_or(clients, |b| b.tasks);
        let mut best = (moves, state, usize::MAX);
        if let Some(shorter) = self.shorter(&named, &best.0) {
            best = shorter;
        }
        for how in SHORT {
            // Each of them must at least do something after the other.
            if best.2 <= named.len() {
                break;
            }
            let Some(found) = self.by_switches(chase, how, false) else { continue };
            let Some((id, None)) = found.found else { continue };
            let state = found.graph.state(id);
            let path = self.shown.unmerged(self.semantics, &found.graph.path(id));
            let tasks = stuck(self.semantics, &state);
            if let Some(first) = kinds_of_blocking(self.semantics, &state, &tasks).first()
                && let Some(shorter) = self.shorter(&first.tasks, &path)
                && shorter.2 < best.2
            {
                best = shorter;
            }
        }
        (best.0, best.1)
    }

    /// The steps that some tasks need to come where they are stuck, if they are so without the others.
    pub(super) fn shorter(&self, named: &[TaskId], moves: &[Move]) -> Option<(Vec<Move>, State, usize)> {
        [named, &[]].into_iter().find_map(|needed| {
            let (fewer, switches) = self.reordered(moves, needed)?;
            let end = replay(self.semantics, &fewer)?.last;
            let still = stuck(self.semantics, &end);
            named.iter().all(|t| still.contains(t)).then_some((fewer, end, switches))
        })
    }

    pub(super) fn reordered(&self, moves: &[Move], needed: &[TaskId]) -> Option<(Vec<Move>, usize)> {
        fewest_switches(self.semantics, &self.local.access, moves, needed)
    }

    /// A trace with fewer task switches to the same kind of error, if one is found in a short time.
    pub(super) fn fewer(
        &self,
        chase: Chase,
        idle: bool,
        what: &Observation,
        moves: &[Move],
    ) -> Option<(Vec<Move>, State)> {
        let (_, now) = self.reordered(moves, &needed(what))?;
        if now <= FEW {
            return None;
        }
        let all = SHORT.iter().filter_map(|how| self.fewer_by(chase, *how, idle, what, now));
        all.min_by_key(|f| f.2).map(|(moves, state, _)| (moves, state))
    }

    pub(super) fn fewer_by(
        &self,
        chase: Chase,
        how: (Order, Heuristic),
        idle: bool,
        what: &Observation,
        now: usize,
    ) -> Option<(Vec<Move>, State, usize)> {
        let found = self.by_switches(chase, how, idle)?;
        let (id, mv) = found.found?;
        let occurrence = found.occurrences.iter().find(|s| (s.state, s.mv) == (id, mv))?;
        if std::mem::discriminant(&occurrence.what) != std::mem::discriminant(what) {
            return None;
        }
        let mut path = found.graph.path(id);
        path.extend(mv);
        let path = self.shown.unmerged(self.semantics, &path);
        let (fewer, switches) = self.reordered(&path, &needed(&occurrence.what))?;
        let trace = replay(self.semantics, &fewer)?;
        (switches < now && self.shows(&trace, what)).then_some((fewer, trace.last, switches))
    }

    /// Whether a trace shows what was seen. That nobody can move is so in the same state only, to which
    /// every order of all steps leads.
    pub(super) fn shows(&self, trace: &Trace, what: &Observation) -> bool {
        match what {
            Observation::Race { .. } => {
                let mut found = false;
                races(self.semantics.program, &self.local.access, &trace.last, |race| found |= race == *what);
                found
            }
            Observation::Blocked | Observation::Unsupported { .. } | Observation::Stopped { .. } => true,
            _ => trace.steps.iter().any(|s| seen_in(&s.step).any(|seen| seen == *what)),
        }
    }

    /// A search by task switches, for a short time.
    pub(super) fn by_switches(
        &self,
        chase: Chase,
        (order, heuristic): (Order, Heuristic),
        idle: bool,
    ) -> Option<SearchResult> {
        let useless = heuristic == Heuristic::Pattern && chase.pattern.is_none();
        if !self.settings.shorten || self.settings.order == Order::Switches || useless {
            return None;
        }
        let time = (self.left() / 8).min(Duration::from_millis(1500));
        let only = if idle { vec![Kind::ServerIdle] } else { self.settings.only.clone() };
        let settings = DirectedSettings { order, only, ..self.settings.clone() };
        let options = Options { timeout: Some(time), ..chase.options.clone() };
        let chase = Chase { options: &options, ..chase };
        Some(seek_by(self.semantics, &self.shown, chase, heuristic, &settings, self.control).search)
    }
}

/// The tasks whose last steps show what was seen; nobody's in particular if all matter.
pub(super) fn needed(what: &Observation) -> Vec<TaskId> {
    match what {
        Observation::Exception { task, .. } | Observation::Assertion { task, .. } => vec![*task],
        Observation::Race { first, second, .. } => vec![first.0, second.0],
        Observation::Blocked
        | Observation::Unsupported { .. }
        | Observation::Stopped { .. }
        | Observation::Broken { .. } => Vec::new(),
    }
}
