//! What formulas of branching time notice.
//!
//! A step without a choice that no formula notices leads to a state in which the same formulas hold: it is
//! passed. Without a choice means that it is alone in a stubborn set, so that whatever else happens, before it or after it,
//! leads to the same; this keeps all of branching time but for the counting of steps (Gerth, Kuiper, Peled and
//! Penczek, Information and Computation, 1999). Every state that is kept is expanded wholly, so that nothing is put off
//! for ever.

use rendez_model::TaskId;
use rendez_model::semantics::Step;
use rendez_petri::step_cache::StepCache;
use rendez_verdict::{Resolved, is_event};

/// The formulas that are to be decided.
#[derive(Clone, Debug)]
pub struct Noticed(pub Vec<Resolved>);

impl Noticed {
    /// Finds out which outcomes are noticed, of those that a task turned out to have with some contents of slots.
    pub fn extend(&self, seen: &mut Vec<bool>, cache: &StepCache, task: usize, values: &[u32]) {
        let mut looked = vec![false; values.len()];
        cache.trees.looked_at(task, |slot| values[slot], |slot| looked[slot] = true);
        let tasks = cache.trees.tasks();
        for (number, outcome) in cache.trees.outcomes.iter().enumerate().skip(seen.len()) {
            let (first, last) = outcome.changes;
            let changes = &cache.trees.changes[first as usize..last as usize];
            let of_tasks = || changes.iter().map(|c| (c.0 as usize, c.1)).filter(|c| c.0 < tasks);
            // Whoever is changed was looked at: otherwise it could have been anything before.
            let changes = |is: &Fact| {
                of_tasks().any(|(slot, new)| !looked[slot] || is(slot, values[slot]) != is(slot, new))
            };
            let steps = &cache.stories[number].steps;
            seen.push(self.0.iter().any(|formula| notices(formula, cache, steps, &changes)));
        }
    }
}

/// Something about a task with some contents of its slot.
type Fact<'f> = dyn Fn(usize, u32) -> bool + 'f;

/// Whether a formula notices steps; `changes` says whether something becomes true or untrue of a task's contents.
fn notices(formula: &Resolved, cache: &StepCache, steps: &[Step], changes: &dyn Fn(&Fact) -> bool) -> bool {
    let inner = |f: &Resolved| notices(f, cache, steps, changes);
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
