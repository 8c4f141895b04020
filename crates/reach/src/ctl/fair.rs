//! Where an execution may stay for ever.
//!
//! It may be over in a state without steps, or with steps of the environment only, which need not come. Otherwise it
//! stays in a strongly connected component. Under fairness a component counts if it passes over no task. If it does,
//! the states in which every task passed over waits for a lock are decomposed again (nested decomposition, as Emerson
//! and Lei use it for strong fairness): an execution that stays in the component and is fair must stay in that part.
//!
//! Who is passed over follows from what moves in the component, which entries are served there, and how tasks stand in
//! its states. `Round` in `rendez_verdict` is the one definition of that.

use rendez_model::{EntryId, TaskId};
use rendez_verdict::{Fairness, Round, Stance};

use super::{Checker, Flags};
use crate::maybe_number::MaybeNumber;

impl<'p> Checker<'_, '_, 'p> {
    /// Whether an execution may be over in a state: there is no step, or only the environment has some.
    pub(super) fn may_end(&self, s: u32) -> bool {
        let foreign = |e: usize| self.graph.run(e).first().is_some_and(|o| self.foreign[*o as usize]);
        self.graph.range(s).all(foreign)
    }

    /// Sets of states inside a set, each with ways between all of them, in which an execution may stay for ever.
    pub(super) fn fair_components(&self, inside: &Flags, passes: &dyn Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let allowed: Flags =
            (0..self.graph.edge_count()).map(|e| passes(e) && self.within(e, inside)).collect();
        let mut found = Vec::new();
        let mut work = vec![(0..inside.len() as u32).filter(|s| inside[*s as usize]).collect::<Vec<u32>>()];
        while let Some(states) = work.pop() {
            for component in self.components(&states, &allowed) {
                let over = self.passed_over(&component, &allowed);
                if over.is_empty() {
                    found.push(component);
                    continue;
                }
                // They may wait for a lock for ever, where none of them ever can go on.
                let locked = |s: &u32| {
                    let stances = self.stances(*s, |_| true);
                    over.iter().all(|t| stances[t.index()] == Some(Stance::Locked))
                };
                work.push(component.into_iter().filter(locked).collect());
            }
        }
        found
    }

    pub(super) fn within(&self, edge: usize, inside: &Flags) -> bool {
        self.graph.target(edge).is_some_and(|to| inside[self.sources[edge] as usize] && inside[to as usize])
    }

    /// Strongly connected components with at least one edge.
    pub(super) fn components(&self, states: &[u32], allowed: &Flags) -> Vec<Vec<u32>> {
        let mut local = vec![MaybeNumber::NONE; self.graph.len()];
        for (i, s) in states.iter().enumerate() {
            local[*s as usize] = MaybeNumber::of(i as u32);
        }
        let inner = |s: u32, e: usize| -> Option<u32> {
            let to = self.graph.target(e).filter(|_| allowed[e])?;
            local[to as usize].get().filter(|_| local[s as usize] != MaybeNumber::NONE)
        };
        let edges: Vec<Vec<u32>> =
            states.iter().map(|s| self.graph.range(*s).filter_map(|e| inner(*s, e)).collect()).collect();
        let all = rendez_analysis::components(states.len(), |s, k| edges[s as usize].get(k).copied());
        all.into_iter()
            .filter(|c| c.len() > 1 || edges[c[0] as usize].contains(&c[0]))
            .map(|c| c.into_iter().map(|i| states[i as usize]).collect())
            .collect()
    }

    /// The tasks that an execution which stays in a component passes over, against what fairness asks for.
    pub(super) fn passed_over(&self, component: &[u32], allowed: &Flags) -> Vec<TaskId> {
        if self.fairness == Fairness::None || self.coarse {
            return Vec::new();
        }
        let mut member = vec![false; self.graph.len()];
        component.iter().for_each(|s| member[*s as usize] = true);
        self.round(component, |e| allowed[e] && self.within(e, &member)).passed_over()
    }

    /// What happens in a component, and how tasks stand there.
    pub(super) fn round(&self, component: &[u32], inner: impl Fn(usize) -> bool) -> Round<'p> {
        let mut round = Round::new(self.program(), self.fairness);
        for s in component {
            for e in self.graph.range(*s).filter(|e| inner(*e)) {
                self.movers(e).for_each(|t| round.moves(t));
                self.served(e).for_each(|entry| round.serves(entry));
            }
            let stances = self.stances(*s, |t| !round.rests(t));
            for (t, stance) in stances.iter().enumerate() {
                stance.iter().for_each(|stance| round.stands(TaskId::from(t), stance));
            }
        }
        round
    }

    /// How tasks stand in a state, of those that can do nothing only some.
    pub(super) fn stances(&self, s: u32, wanted: impl Fn(TaskId) -> bool) -> Vec<Option<Stance>> {
        let mut begun: Vec<Vec<Option<EntryId>>> = vec![Vec::new(); self.program().tasks.len()];
        for e in self.graph.range(s) {
            let first = self.graph.run(e).first().and_then(|o| self.begins[*o as usize]);
            first.into_iter().for_each(|(task, queue)| begun[task.index()].push(queue));
        }
        let mut state = None;
        let mut still = |t: TaskId| {
            let state = state.get_or_insert_with(|| self.reached.state(s));
            Stance::still(self.program(), state, t)
        };
        let of = |(t, own): (usize, Vec<Option<EntryId>>)| {
            let able = Stance::by_queues(own.into_iter());
            able.or_else(|| wanted(TaskId::from(t)).then(|| still(TaskId::from(t))))
        };
        begun.into_iter().enumerate().map(of).collect()
    }

    pub(super) fn served(&self, edge: usize) -> impl Iterator<Item = EntryId> + '_ {
        self.graph.run(edge).iter().flat_map(|o| &self.serves[*o as usize]).copied()
    }

    pub(super) fn movers(&self, edge: usize) -> impl Iterator<Item = TaskId> + '_ {
        let stories = &self.reached.cache.stories;
        self.graph.run(edge).iter().flat_map(|o| &stories[*o as usize].movers).map(|m| m.0)
    }
}
