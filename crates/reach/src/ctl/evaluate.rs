//! The states in which a formula holds.
//!
//! Subformulas become bit vectors, from the inside out, and every operator is one backward pass over the edges (Clarke,
//! Emerson and Sistla, 1986). `a until x` fails where some path avoids `x` and comes to a state without `a`, or, being
//! strong, continues for ever without `x`; the other operators are special cases.
//!
//! A formula has two answers: states where it surely holds, and states where it may hold. For the first, paths that
//! count against the formula use all edges, and paths that it asks for only certain ones. For the second it is the other
//! way round, and negation exchanges the two. So whatever the unknown values are, the truth lies between the answers.

use rendez_model::semantics::Step;
use rendez_model::{Program, TaskId};
use rendez_verdict::{Resolved, is_event};

use super::{Approximation, Checker, Flags, UntilGoal, not};

impl Checker<'_, '_, '_> {
    /// Whether an edge counts on ways that a formula speaks against.
    pub(super) fn counts_against(&self, edge: usize, approximation: Approximation) -> bool {
        approximation == Approximation::Under || self.must[edge]
    }

    /// Whether an edge counts on ways that a formula asks for.
    pub(super) fn counts_for(&self, edge: usize, approximation: Approximation) -> bool {
        self.counts_against(edge, approximation.other())
    }

    pub(super) fn eval(&self, formula: &Resolved, approximation: Approximation) -> Flags {
        match formula {
            Resolved::Const(value) => self.states(|_| *value),
            Resolved::At(..) | Resolved::Ended(_) => {
                let slots = &self.reached.cache.slots;
                let is =
                    |t: usize, n: u32| slots.task(t, n).is_some_and(|ts| formula.is_of(TaskId::from(t), ts));
                let of = |t: usize| (t, (0..slots.count(t) as u32).map(|n| is(t, n)).collect::<Flags>());
                let all = (0..self.program().tasks.len()).map(of);
                let some: Vec<(usize, Flags)> = all.filter(|(_, bits)| bits.contains(&true)).collect();
                self.by_slots(|value| some.iter().any(|(t, bits)| bits[value(*t) as usize]))
            }
            Resolved::Not(f) => not(self.eval(f, approximation.other())),
            Resolved::And(a, b) => self
                .eval(a, approximation)
                .into_iter()
                .zip(self.eval(b, approximation))
                .map(|(a, b)| a && b)
                .collect(),
            Resolved::Or(a, b) => self
                .eval(a, approximation)
                .into_iter()
                .zip(self.eval(b, approximation))
                .map(|(a, b)| a || b)
                .collect(),
            Resolved::Always(f) => {
                let bad =
                    self.or_beyond(self.against(f, approximation).0, approximation == Approximation::Under);
                self.not_reaching(bad, |e| self.counts_against(e, approximation))
            }
            Resolved::Potentially(f) => {
                let good =
                    self.or_beyond(self.in_favour(f, approximation).0, approximation == Approximation::Over);
                not(self.not_reaching(good, |e| self.counts_for(e, approximation)))
            }
            Resolved::Eventually(f) => {
                self.until(&self.states(|_| true), &self.goal(f, approximation), false, approximation).0
            }
            Resolved::Until(a, x, weak) => {
                self.until(&self.eval(a, approximation), &self.goal(x, approximation), *weak, approximation).0
            }
            // Operators about events look at these themselves.
            Resolved::Accept(..) | Resolved::Event(_) => self.states(|_| false),
        }
    }

    /// Some states and, if these count, those in which an execution meets a bound.
    pub(super) fn or_beyond(&self, states: Flags, counts: bool) -> Flags {
        states.into_iter().zip(&self.beyond).map(|(s, beyond)| s || counts && *beyond).collect()
    }

    /// States that `always f` speaks against, or the edges from them.
    pub(super) fn against(&self, f: &Resolved, approximation: Approximation) -> (Flags, Option<Flags>) {
        match f.is_about_events() {
            false => (not(self.eval(f, approximation)), None),
            true => self
                .with_edges(self.events(f, false, approximation), |e| self.counts_against(e, approximation)),
        }
    }

    /// States that `potentially f` asks for, or the edges from them.
    pub(super) fn in_favour(&self, f: &Resolved, approximation: Approximation) -> (Flags, Option<Flags>) {
        match f.is_about_events() {
            false => (self.eval(f, approximation), None),
            true => {
                self.with_edges(self.events(f, true, approximation), |e| self.counts_for(e, approximation))
            }
        }
    }

    pub(super) fn with_edges(
        &self,
        mut edges: Flags,
        counts: impl Fn(usize) -> bool,
    ) -> (Flags, Option<Flags>) {
        edges.iter_mut().enumerate().for_each(|(e, bit)| *bit &= counts(e));
        (self.states(|s| self.graph.range(s).any(|e| edges[e])), Some(edges))
    }

    pub(super) fn goal(&self, x: &Resolved, approximation: Approximation) -> UntilGoal {
        let no_edge = || vec![false; self.graph.edge_count()];
        match x.is_about_events() {
            true => UntilGoal { states: self.states(|_| false), edges: self.events(x, true, approximation) },
            false => UntilGoal { states: self.eval(x, approximation), edges: no_edge() },
        }
    }

    /// Edges with an event of which a formula is true, or not true.
    pub(super) fn events(&self, f: &Resolved, wanted: bool, approximation: Approximation) -> Flags {
        match f.is_mixed() {
            false => self.steps(|s, program| f.matches(program, s) == wanted),
            true => {
                let events = self.steps(|_, _| true);
                events
                    .into_iter()
                    .zip(self.of_step(f, approximation))
                    .map(|(e, so)| e && so == wanted)
                    .collect()
            }
        }
    }

    /// Edges of whose event, and of the state that it leads to, a formula is true. Where a formula is about both,
    /// every step is an edge of its own.
    pub(super) fn of_step(&self, f: &Resolved, approximation: Approximation) -> Flags {
        let both = |a: &Resolved, b: &Resolved| {
            self.of_step(a, approximation).into_iter().zip(self.of_step(b, approximation))
        };
        match f {
            Resolved::Not(f) => not(self.of_step(f, approximation.other())),
            Resolved::And(a, b) => both(a, b).map(|(a, b)| a && b).collect(),
            Resolved::Or(a, b) => both(a, b).map(|(a, b)| a || b).collect(),
            Resolved::Accept(..) | Resolved::Event(_) => self.steps(|s, program| f.matches(program, s)),
            state => {
                let so = self.eval(state, approximation);
                let at = |e: usize| match self.graph.target(e) {
                    None => approximation == Approximation::Over,
                    Some(to) => so[to as usize],
                };
                (0..self.graph.edge_count()).map(at).collect()
            }
        }
    }

    /// Edges with an event that is so; that is found out once for each outcome.
    pub(super) fn steps(&self, f: impl Fn(&Step, &Program) -> bool) -> Flags {
        let program = self.program();
        let is = |s: &Step| is_event(program, s) && f(s, program);
        let stories = &self.reached.cache.stories;
        let found: Flags = stories.iter().map(|story| story.steps.iter().any(is)).collect();
        let on = |e: usize| self.graph.run(e).iter().any(|o| found[*o as usize]);
        (0..self.graph.edge_count()).map(on).collect()
    }

    /// States by what their slots hold.
    pub(super) fn by_slots(&self, f: impl Fn(&dyn Fn(usize) -> u32) -> bool) -> Flags {
        let mut words = vec![0; self.reached.layout.words];
        (0..self.graph.len() as u32)
            .map(|s| {
                self.reached.store.read(s, &mut words);
                f(&|slot| self.reached.layout.get(&words, slot))
            })
            .collect()
    }

    /// States from which no path over the edges leads to one of `targets`.
    pub(super) fn not_reaching(&self, mut targets: Flags, passes: impl Fn(usize) -> bool) -> Flags {
        let mut work: Vec<u32> = (0..targets.len() as u32).filter(|s| targets[*s as usize]).collect();
        while let Some(s) = work.pop() {
            for e in self.before[s as usize]..self.before[s as usize + 1] {
                let edge = self.edges_before[e as usize] as usize;
                let from = self.sources[edge];
                if passes(edge) && !targets[from as usize] {
                    targets[from as usize] = true;
                    work.push(from);
                }
            }
        }
        targets.into_iter().map(|t| !t).collect()
    }

    /// Where `a until x` holds; and, of those where it fails, the states with which a failure ends.
    pub(super) fn until(
        &self,
        a: &Flags,
        goal: &UntilGoal,
        weak: bool,
        approximation: Approximation,
    ) -> (Flags, Flags) {
        // Inside: neither at the goal nor without `a`. An event must not match on the way.
        let inside: Flags = (0..a.len()).map(|s| !goal.is_at(s) && a[s]).collect();
        let open = |s: usize| approximation == Approximation::Under && self.beyond[s];
        let mut ends: Flags = (0..a.len()).map(|s| !goal.is_at(s) && (!a[s] || open(s))).collect();
        let passes = |e: usize| goal.is_avoided(e) && self.counts_against(e, approximation);
        if !weak {
            for s in self.goes_on_for_ever(&inside, &passes, approximation) {
                ends[s as usize] = true;
            }
        }
        let from = |e: usize| passes(e) && inside[self.sources[e] as usize];
        (self.not_reaching(ends.clone(), from), ends)
    }

    /// States inside a set from which an infinite path stays there, as far as fairness lets it:
    /// members of fair components, and states in which nobody needs to move.
    pub(super) fn goes_on_for_ever(
        &self,
        inside: &Flags,
        passes: &dyn Fn(usize) -> bool,
        approximation: Approximation,
    ) -> Vec<u32> {
        let ended = |s: &u32| inside[*s as usize] && self.may_end(*s);
        let ended = (0..inside.len() as u32).filter(ended);
        // Where loops may be fair or not, they count against what surely holds.
        let fair_loops = match self.coarse && approximation == Approximation::Over {
            true => Vec::new(),
            false => self.fair_components(inside, passes),
        };
        ended.chain(fair_loops.into_iter().flatten()).collect()
    }
}
