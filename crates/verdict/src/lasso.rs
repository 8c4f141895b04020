//! Executions without end: that a loop closes and is fair, or that nobody can continue.
//!
//! A counterexample to a formula of branching time, or to a pattern that demands something again and again, is a lasso:
//! a path and a loop. This file replays both on the semantics. A loop found in a reduced graph may close only after a
//! few rounds, when old values are gone, so it is repeated until a state comes back.
//!
//! Here is the one definition of fairness that all engines use. Of each task of the program, fairness asks that it
//! moves again and again, or that it can do nothing again and again (weak fairness, or justice, with "can do nothing"
//! evaluated at single states of the loop). Three points are special:
//! - a task that can do nothing only because another one is inside a protected object must move all the same, unless it
//!   never can; protected actions count as if they took no time;
//! - putting a call into a queue is a step that fairness asks for, and so is coming to an accept statement;
//! - without order in queues, a task may put off a call that would have to wait, as long as calls of others on the same
//!   entry are accepted again and again; with `--fair fifo` it may not.
//!
//! A `Round` collects who moves in a loop or component, which entries are served and how each task stands in each
//! state, and then says for each task whether it is excused. The searches use it for components, and the check of a
//! trace for its loop. Before that, the reference explorer, the search and the check had three definitions of which
//! task can continue, and traces did not show what they claimed.

use rendez_model::semantics::{Move, Semantics, Step, StepEvent};
use rendez_model::state::State;
use rendez_model::{Action, CallMode, EntryId, Program, TaskId};

use crate::formula::{Fairness, accepted, awaits_lock};
use crate::trace::{Trace, replay};

/// How often a loop is tried; at first there may be old values.
const MOST_ROUNDS: usize = 5;

/// Repeats the moves from some move on, until everything is as it was before.
pub fn lasso(semantics: &Semantics, moves: &[Move], from: usize) -> Option<Trace> {
    let mut trace = replay(semantics, &moves[..from])?;
    let mut heads = vec![(trace.last.clone(), from)];
    for _ in 0..MOST_ROUNDS {
        if from == moves.len() {
            break;
        }
        trace.go_on(semantics, &moves[from..])?;
        if let Some((_, head)) = heads.iter().find(|(state, _)| *state == trace.last) {
            trace.loop_from = Some(*head);
            return Some(trace);
        }
        heads.push((trace.last.clone(), trace.moves.len()));
    }
    None
}

/// Whether an execution may be over in a state: only the environment could still move.
pub fn stands_still(semantics: &Semantics, state: &State) -> bool {
    semantics.enabled(state).iter().all(|mv| semantics.program.tasks[mv.task.index()].background)
}

/// How a task stands in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It can do nothing, and waits for more than a lock.
    Rests,
    /// It can do nothing, only because another task is inside a protected object.
    Locked,
    /// It can do no more than put a plain call into one of these queues.
    Queues(Vec<EntryId>),
    /// It can do something else.
    Goes,
}

impl Stance {
    /// By what a task can do in a state; nothing if it can do nothing.
    pub fn of<'s>(program: &Program, steps: impl Iterator<Item = &'s Step>) -> Option<Stance> {
        Stance::by_queues(steps.map(|step| queued(program, step)))
    }

    /// By the queues that the steps of a task do no more than put a call into.
    pub fn by_queues(steps: impl Iterator<Item = Option<EntryId>>) -> Option<Stance> {
        let mut found = Vec::new();
        let mut some = false;
        for queue in steps {
            some = true;
            match queue {
                Some(entry) => found.push(entry),
                None => return Some(Stance::Goes),
            }
        }
        some.then_some(Stance::Queues(found))
    }

    /// Of a task that can do nothing.
    pub fn still(program: &Program, state: &State, task: TaskId) -> Stance {
        if awaits_lock(program, state, task) { Stance::Locked } else { Stance::Rests }
    }

    fn is_able(&self) -> bool {
        matches!(self, Stance::Queues(_) | Stance::Goes)
    }
}

/// The queue that a step puts a plain call into, if it does no more than that.
pub fn queued(program: &Program, step: &Step) -> Option<EntryId> {
    match (&step.what, &program.node(step.loc).action) {
        (StepEvent::Queued(entry), Action::EntryCall { mode: CallMode::Plain, .. }) => Some(*entry),
        _ => None,
    }
}

/// What an execution does again and again, and how its tasks stand meanwhile: the one definition of fairness.
///
/// Of an execution that goes on for ever, fairness asks of each task of the program that it moves again and again, or
/// that it can do nothing again and again. Who can do nothing only because another task is inside a protected object must
/// move all the same, unless it never can. Without order in queues, a task may also put off a call that would have to
/// wait, as long as calls of others on the same entry are accepted again and again.
pub struct Round<'p> {
    program: &'p Program,
    fairness: Fairness,
    tasks: Vec<Share>,
    served: Vec<EntryId>,
}

/// What a task has of a round.
#[derive(Clone, Default)]
struct Share {
    moves: bool,
    rests: bool,
    able: bool,
    queues: Vec<EntryId>,
}

/// Why an execution may do without a step of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excuse {
    /// It moves, never can, or belongs to the environment: nothing needs to be shown.
    None,
    /// It rests in some state.
    Rests,
    /// Its call on an entry would wait in some state, and others are served there.
    Queues(EntryId),
}

impl<'p> Round<'p> {
    pub fn new(program: &'p Program, fairness: Fairness) -> Round<'p> {
        Round { program, fairness, tasks: vec![Share::default(); program.tasks.len()], served: Vec::new() }
    }

    pub fn moves(&mut self, task: TaskId) {
        self.tasks[task.index()].moves = true;
    }

    pub fn serves(&mut self, entry: EntryId) {
        if !self.served.contains(&entry) {
            self.served.push(entry);
        }
    }

    pub fn stands(&mut self, task: TaskId, stance: &Stance) {
        let share = &mut self.tasks[task.index()];
        share.rests |= *stance == Stance::Rests;
        share.able |= stance.is_able();
        if let Stance::Queues(entries) = stance {
            let new = |e: &&EntryId| !share.queues.contains(e);
            let more: Vec<EntryId> = entries.iter().filter(new).copied().collect();
            share.queues.extend(more);
        }
    }

    /// Whether it is known that a task rests: then how it stands elsewhere makes no difference.
    pub fn rests(&self, task: TaskId) -> bool {
        self.tasks[task.index()].rests
    }

    /// Nothing if the task must move some time.
    pub fn excuse(&self, task: TaskId) -> Option<Excuse> {
        let share = &self.tasks[task.index()];
        let background = self.program.tasks[task.index()].background;
        if self.fairness == Fairness::None || background || share.moves {
            return Some(Excuse::None);
        }
        if share.rests {
            return Some(Excuse::Rests);
        }
        let passed = share.queues.iter().find(|e| self.fairness == Fairness::Weak && self.served.contains(e));
        match passed {
            Some(entry) => Some(Excuse::Queues(*entry)),
            None => (!share.able).then_some(Excuse::None),
        }
    }

    /// The tasks that must move some time: an execution of this round does so, or is not fair.
    pub fn passed_over(&self) -> Vec<TaskId> {
        (0..self.tasks.len()).map(TaskId::from).filter(|t| self.excuse(*t).is_none()).collect()
    }
}

/// Whether a trace is a whole execution that counts: it repeats a fair loop, or nobody can go on at its end.
pub fn is_whole(semantics: &Semantics, trace: &Trace, fairness: Fairness) -> bool {
    let Some(from) = trace.loop_from else { return stands_still(semantics, &trace.last) };
    if fairness == Fairness::None {
        return true;
    }
    let Some(states) = states(semantics, trace, from) else { return false };
    let mut round = Round::new(semantics.program, fairness);
    trace.moves[from..].iter().for_each(|mv| round.moves(mv.task));
    trace.steps[from..].iter().filter_map(|s| accepted(&s.step)).for_each(|(_, entry)| round.serves(entry));
    for state in &states {
        for task in (0..semantics.program.tasks.len()).map(TaskId::from) {
            let mut out = Vec::new();
            semantics.successors(state, task, &mut out);
            let able = Stance::of(semantics.program, out.iter().map(|o| &o.step));
            round.stands(task, &able.unwrap_or_else(|| Stance::still(semantics.program, state, task)));
        }
    }
    round.passed_over().is_empty()
}

/// The states from a move on.
fn states(semantics: &Semantics, trace: &Trace, from: usize) -> Option<Vec<State>> {
    let mut all = vec![replay(semantics, &trace.moves[..from])?.last];
    for mv in &trace.moves[from..] {
        let next = semantics.step(all.last()?, *mv)?.state;
        all.push(next);
    }
    Some(all)
}
