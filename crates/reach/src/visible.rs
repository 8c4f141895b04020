//! Visible transitions for formulas of branching time.
//!
//! Stubborn sets keep linear time only. To keep branching time (without a next-step operator), a state may be passed
//! over only if exactly one transition leads on, that transition is invisible, and it is independent of all others: it
//! is alone in a stubborn set (Gerth, Kuiper, Peled and Penczek, *A partial order approach to branching time logic
//! model checking*, Information and Computation, 1999). The state before such a step and the state after it satisfy the
//! same formulas, because whatever else happens, before the step or after it, leads to the same states. Every state
//! that is kept is expanded fully, so nothing is ignored.
//!
//! This file decides visibility. An outcome is visible if it makes an atomic proposition about a task's location or end
//! true or untrue, or if it contains an event that an operator of some formula distinguishes: for `always EVENT` the
//! events that do not match, for the other operators those that match. That is found once for each outcome, when it is
//! learnt, from the contents of the slots before and after.
//!
//! Fairness asks in every state who could have moved, so nothing is passed over there. The gain can be large: for ten
//! ordered philosophers and a formula about one fork, 980 states were left of 59,049.

use rendez_model::TaskId;
use rendez_model::semantics::Step;
use rendez_petri::step_cache::StepCache;
use rendez_verdict::{Resolved, is_event};

/// The formulas that are to be decided.
#[derive(Clone, Debug)]
pub struct Visible(pub Vec<Resolved>);

impl Visible {
    /// Finds out which outcomes are visible, of those that a task turned out to have with some contents of slots.
    pub fn extend(&self, visible: &mut Vec<bool>, cache: &StepCache, task: usize, values: &[u32]) {
        let mut looked = vec![false; values.len()];
        cache.trees.looked_at(task, |slot| values[slot], |slot| looked[slot] = true);
        let tasks = cache.trees.tasks();
        for (number, outcome) in cache.trees.outcomes.iter().enumerate().skip(visible.len()) {
            let (first, last) = outcome.changes;
            let changes = &cache.trees.changes[first as usize..last as usize];
            let of_tasks = || changes.iter().map(|c| (c.0 as usize, c.1)).filter(|c| c.0 < tasks);
            // Whoever is changed was looked at: otherwise it could have been anything before.
            let changes = |is: &Fact| {
                of_tasks().any(|(slot, new)| !looked[slot] || is(slot, values[slot]) != is(slot, new))
            };
            let steps = &cache.stories[number].steps;
            visible.push(self.0.iter().any(|formula| observes(formula, cache, steps, &changes)));
        }
    }
}

/// Something about a task with some contents of its slot.
type Fact<'f> = dyn Fn(usize, u32) -> bool + 'f;

/// Whether a formula observes steps; `changes` says whether something becomes true or untrue of a task's contents.
fn observes(formula: &Resolved, cache: &StepCache, steps: &[Step], changes: &dyn Fn(&Fact) -> bool) -> bool {
    let inner = |f: &Resolved| observes(f, cache, steps, changes);
    let program = cache.steps.semantics.program;
    let operand = |f: &Resolved, wanted: bool| match (f.is_about_events(), f.is_mixed()) {
        (true, true) => steps.iter().any(|s| is_event(program, s)) || inner(f),
        (true, false) => steps.iter().any(|s| is_event(program, s) && f.matches(program, s) == wanted),
        (false, _) => inner(f),
    };
    match formula {
        Resolved::Const(_) | Resolved::Accept(..) | Resolved::Event(_) => false,
        Resolved::At(..) | Resolved::Ended(_) => changes(&|slot, content| {
            let task = cache.slots.task(slot, content);
            task.is_some_and(|ts| formula.is_of(TaskId::from(slot), ts))
        }),
        Resolved::Not(f) => inner(f),
        Resolved::And(a, b) | Resolved::Or(a, b) => inner(a) || inner(b),
        Resolved::Always(f) => operand(f, false),
        Resolved::Eventually(f) | Resolved::Potentially(f) => operand(f, true),
        Resolved::Until(a, x, _) => inner(a) || operand(x, true),
    }
}
