//! Tasks that wait for ever: circular waits, blocked clients, idle servers.
//!
//! An engine hands over a state in which some tasks are said to be stuck. If nobody can move there, they are. Otherwise
//! everything that can follow is examined; if that is too much, an argument over the code decides (`stuck.rs`), and what it
//! does not show is reported as unshown. The trace is then extended into a bottom component, so that one finding
//! tells of all who wait for each other.
//!
//! It is a contradiction, and so a bug of rendez, if a task can move that is said to be stuck, or if the kinds of blocking
//! at the end of the trace are others than those that were claimed.

use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::{State, Status};

use super::claim::{Claim, Known};
use super::key::FindingKey;
use super::{Findings, list, plural};
use crate::after::{After, BottomState};
use crate::blocking::{Blocked, WaiterRole, all_stuck, is_final, kinds_of_blocking};
use crate::finding::{Finding, Kind};
use crate::stuck::stuck;
use crate::trace::{Trace, replay};
use rendez_source::Span;

impl Findings<'_, '_> {
    /// Makes a finding of tasks that are stuck at the end of some moves, while others can go on and may get stuck, too.
    pub fn stuck(&mut self, tasks: &[TaskId], moves: &[Move], state: &State) {
        self.stuck_at(tasks, moves, state, false);
    }

    /// Makes findings of tasks that can never go on from the end of some moves. If that is in a bottom component,
    /// no other task will get stuck.
    pub(super) fn stuck_at(&mut self, tasks: &[TaskId], moves: &[Move], state: &State, in_bottom: bool) {
        let claimed = kinds_of_blocking(self.semantics, state, tasks);
        let known = claimed.iter().filter(|b| self.is_known(&FindingKey::of_blocked(b), &b.tasks)).count();
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
            Some(after) => self.ways(tasks, &mut trace, &after, in_bottom),
            None if still => {
                let found = kinds_of_blocking(self.semantics, &trace.last, &there);
                (there, found)
            }
            None => (tasks.to_vec(), kinds_of_blocking(self.semantics, &trace.last, tasks)),
        };
        let same = |a: &Blocked, b: &Blocked| a.kind == b.kind && a.tasks == b.tasks;
        if let Some(b) = claimed.iter().find(|b| in_bottom && !found.iter().any(|f| same(f, b))) {
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
    /// that follows is known, it says so itself; the trace goes on into a bottom component.
    fn ways(
        &self,
        tasks: &[TaskId],
        trace: &mut Trace,
        after: &After,
        in_bottom: bool,
    ) -> (Vec<TaskId>, Vec<Blocked>) {
        if let Some(BottomState { moves, state, stuck }) = after.first_bottom_state(self.semantics) {
            let all: Vec<Move> = trace.moves.iter().copied().chain(moves).collect();
            if all.len() > trace.moves.len()
                && let Some(longer) = replay(self.semantics, &all)
            {
                *trace = longer;
            }
            let found = kinds_of_blocking(self.semantics, &state, &stuck);
            return (stuck, found);
        }
        self.argued(tasks, &trace.last, in_bottom)
    }

    /// What the code alone shows of tasks that are said to be stuck: which of them certainly are, and how they are
    /// blocked.
    fn argued(&self, tasks: &[TaskId], state: &State, in_bottom: bool) -> (Vec<TaskId>, Vec<Blocked>) {
        let certain = stuck(self.semantics, state);
        if in_bottom {
            return (certain, kinds_of_blocking(self.semantics, state, tasks));
        }
        let found = kinds_of_blocking(self.semantics, state, &certain);
        let lasting = found.iter().filter(|b| is_final(self.semantics, state, b, &certain));
        (lasting.flat_map(|b| b.tasks.clone()).collect(), found)
    }

    fn blocked(&mut self, blocked: Blocked, trace: &Trace, shown: bool) {
        let key = FindingKey::of_blocked(&blocked);
        if self.is_known(&key, &blocked.tasks) {
            return;
        }
        let first = blocked.tasks.first();
        let span = blocked.waiting.iter().find(|w| first == Some(&w.task)).map_or(Span::NOWHERE, |w| w.span);
        let message = self.message(&blocked, &trace.last);
        let finding = Finding {
            label: first.map_or(String::new(), |task| format!("{} waits here", self.task(*task))),
            tasks: blocked.tasks,
            trace: Some(trace.clone()),
            waiting: blocked.waiting,
            guessed: trace.guessed(),
            unshown: !shown,
            ..Finding::new(blocked.kind, blocked.kind.severity(), message, span)
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
            waits.is_some_and(|w| matches!(w.role, WaiterRole::Parent | WaiterRole::Leaving))
        };
        match () {
            _ if others.iter().all(|t| done(t) && follows(t)) => "; everybody else is done",
            _ if others.iter().all(follows) => "; everybody else is done or waits for them to end",
            _ => "",
        }
    }
}
