//! Traces that show why a formula does not hold.
//!
//! The formula is followed from the initial state: the shortest path to a state or an edge that decides it, and from
//! there the part of the formula that is decided. Where an execution must go on for ever, the path ends in a loop that
//! visits whatever excuses each task. Not every formula has such a trace: one that holds on all paths is shown by no
//! path (`tells`).
//!
//! Nothing here is trusted. Every trace is replayed on the semantics, and that a loop closes and is fair is checked
//! there as well.

use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::State;
use rendez_verdict::{Excuse, Fairness, Resolved, Stance, Trace, is_whole, lasso, replay};

use super::{Approximation, Checker, Flags, UntilGoal};

#[derive(Default)]
pub(super) struct Trail {
    pub(super) edges: Vec<u32>,
    pub(super) loop_from: Option<usize>,
    /// It leads to where an execution may be over.
    pub(super) ends: bool,
}

impl Checker<'_, '_, '_> {
    /// Follows a way that shows why a formula holds in a state, or why it does not.
    pub(super) fn show(
        &self,
        formula: &Resolved,
        (approximation, truth): (Approximation, bool),
        from: u32,
        trail: &mut Trail,
    ) {
        match (formula, truth) {
            (Resolved::Not(f), _) => self.show(f, (approximation.other(), !truth), from, trail),
            (Resolved::And(a, b) | Resolved::Or(a, b), _) => {
                // One that is so by itself, or both are: then one that is about what follows tells more.
                let so = |f: &Resolved| self.eval(f, approximation)[from as usize] == truth;
                let parts = [b, a];
                let telling = parts.iter().find(|f| so(f) && tells(f, truth));
                if let Some(f) = telling.or_else(|| parts.iter().find(|f| so(f))) {
                    self.show(f, (approximation, truth), from, trail);
                }
            }
            (Resolved::Always(f), false) => {
                let passes = |e: usize| self.counts_against(e, approximation);
                self.show_way(
                    f,
                    (approximation, truth),
                    self.against(f, approximation),
                    (from, &passes),
                    trail,
                );
            }
            (Resolved::Potentially(f), true) => {
                let passes = |e: usize| self.counts_for(e, approximation);
                self.show_way(
                    f,
                    (approximation, truth),
                    self.in_favour(f, approximation),
                    (from, &passes),
                    trail,
                );
            }
            (Resolved::Eventually(f), false) => {
                let always = Resolved::Const(true);
                self.show_until(&always, &self.goal(f, approximation), (false, approximation), from, trail);
            }
            (Resolved::Until(a, x, weak), false) => {
                self.show_until(a, &self.goal(x, approximation), (*weak, approximation), from, trail);
            }
            _ => {}
        }
    }

    /// The shortest way to one of some states, and over one of its edges if these are what matters.
    pub(super) fn show_way(
        &self,
        f: &Resolved,
        so: (Approximation, bool),
        (targets, edges): (Flags, Option<Flags>),
        (from, passes): (u32, &dyn Fn(usize) -> bool),
        trail: &mut Trail,
    ) {
        let at = self.walk(from, &targets, passes, trail);
        match edges {
            Some(edges) => {
                let Some(edge) = self.graph.range(at).find(|e| edges[*e]) else { return };
                trail.edges.push(edge as u32);
                self.show_after(f, so, edge, trail);
            }
            None => self.show(f, so, at, trail),
        }
    }

    /// Follows a way that shows why a formula about events holds of a step or not, by what comes after it.
    pub(super) fn show_after(
        &self,
        f: &Resolved,
        (approximation, truth): (Approximation, bool),
        edge: usize,
        trail: &mut Trail,
    ) {
        let Some(to) = self.graph.target(edge) else { return };
        match f {
            Resolved::Not(f) => self.show_after(f, (approximation.other(), !truth), edge, trail),
            Resolved::And(a, b) | Resolved::Or(a, b) => {
                let so = |f: &Resolved| self.of_step(f, approximation)[edge] == truth;
                let parts = [b, a];
                let telling = parts.iter().find(|f| so(f) && tells(f, truth));
                if let Some(f) = telling.or_else(|| parts.iter().find(|f| so(f))) {
                    self.show_after(f, (approximation, truth), edge, trail);
                }
            }
            Resolved::Accept(..) | Resolved::Event(_) => {}
            state => self.show(state, (approximation, truth), to, trail),
        }
    }

    pub(super) fn show_until(
        &self,
        a: &Resolved,
        goal: &UntilGoal,
        (weak, approximation): (bool, Approximation),
        from: u32,
        trail: &mut Trail,
    ) {
        let holds = self.eval(a, approximation);
        let (_, ends) = self.until(&holds, goal, weak, approximation);
        let inside: Flags = (0..holds.len()).map(|s| !goal.is_at(s) && holds[s]).collect();
        let avoids = |e: usize| goal.is_avoided(e) && self.counts_against(e, approximation);
        let passes = |e: usize| avoids(e) && inside[self.sources[e] as usize];
        let at = self.walk(from, &ends, &passes, trail);
        match holds[at as usize] {
            false => self.show(a, (approximation, false), at, trail),
            true => self.show_for_ever(at, &inside, &avoids, trail),
        }
    }

    /// The shortest way to one of some states; the trail takes its edges.
    pub(super) fn walk(
        &self,
        from: u32,
        targets: &Flags,
        passes: &dyn Fn(usize) -> bool,
        trail: &mut Trail,
    ) -> u32 {
        // By state that was reached: the edge that led there.
        let mut came: Vec<u32> = vec![0; self.graph.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        let mut seen = vec![false; self.graph.len()];
        seen[from as usize] = true;
        while let Some(s) = queue.pop_front() {
            if targets[s as usize] {
                let mut path = Vec::new();
                let mut at = s;
                while at != from {
                    let edge = came[at as usize];
                    path.push(edge);
                    at = self.sources[edge as usize];
                }
                path.reverse();
                trail.edges.extend(path);
                return s;
            }
            for e in self.graph.range(s) {
                if let Some(to) = self.graph.target(e)
                    && passes(e)
                    && !std::mem::replace(&mut seen[to as usize], true)
                {
                    came[to as usize] = e as u32;
                    queue.push_back(to);
                }
            }
        }
        from
    }

    /// From a state where an execution may be over, or that is in a fair component: how it goes on for ever.
    pub(super) fn show_for_ever(
        &self,
        at: u32,
        inside: &Flags,
        passes: &dyn Fn(usize) -> bool,
        trail: &mut Trail,
    ) {
        match self.may_end(at) {
            true => trail.ends = true,
            false => self.close_loop(at, inside, passes, trail),
        }
    }

    /// From a state in a fair component: a loop that does what fairness asks for.
    pub(super) fn close_loop(
        &self,
        at: u32,
        inside: &Flags,
        passes: &dyn Fn(usize) -> bool,
        trail: &mut Trail,
    ) {
        let components = self.fair_components(inside, passes);
        let Some(component) = components.into_iter().find(|c| c.contains(&at)) else { return };
        let mut member = vec![false; self.graph.len()];
        component.iter().for_each(|s| member[*s as usize] = true);
        let inner = |e: usize| passes(e) && self.within(e, &member);
        let from = trail.edges.len();
        trail.loop_from = Some(from);
        let mut here = at;
        // Goes to an edge that is wanted, and over it, if there is one.
        let make = |here: u32, wanted: &dyn Fn(usize) -> bool, trail: &mut Trail| {
            let own = |s: u32| self.graph.range(s).find(|e| inner(*e) && wanted(*e));
            let sources = self.states(|s| member[s as usize] && own(s).is_some());
            if !sources.contains(&true) {
                return here;
            }
            let at = self.walk(here, &sources, &inner, trail);
            own(at).map_or(at, |e| {
                trail.edges.push(e as u32);
                self.graph.target(e).unwrap_or(at)
            })
        };
        if self.fairness != Fairness::None && !self.coarse {
            let round = self.round(&component, inner);
            for t in (0..self.program().tasks.len()).map(TaskId::from) {
                let stands = |s: u32, is: &dyn Fn(&Stance) -> bool| {
                    member[s as usize]
                        && self.stances(s, |other| other == t)[t.index()].as_ref().is_some_and(is)
                };
                let stances = match round.excuse(t) {
                    Some(Excuse::Rests) => self.states(|s| stands(s, &|st| *st == Stance::Rests)),
                    Some(Excuse::Queues(entry)) => {
                        here = make(here, &|e| self.served(e).any(|s| s == entry), trail);
                        let waits = |st: &Stance| matches!(st, Stance::Queues(all) if all.contains(&entry));
                        self.states(|s| stands(s, &waits))
                    }
                    _ => {
                        let moves = |e: usize| self.movers(e).any(|mover| mover == t);
                        // Maybe it has moved on the way.
                        if !trail.edges[from..].iter().any(|e| moves(*e as usize)) {
                            here = make(here, &moves, trail);
                        }
                        continue;
                    }
                };
                here = self.walk(here, &stances, &inner, trail);
            }
        }
        if trail.edges.len() == from {
            here = make(here, &|_| true, trail);
        }
        let back = self.states(|s| s == at);
        self.walk(here, &back, &inner, trail);
    }

    /// The trace of a failure, replayed.
    pub(super) fn trace(&self, trail: &Trail) -> Option<Trace> {
        let cache = &self.reached.cache;
        let mut moves: Vec<Move> = cache.first.moves.clone();
        let mut loop_from = None;
        for (i, edge) in trail.edges.iter().enumerate() {
            if trail.loop_from == Some(i) {
                loop_from = Some(moves.len());
            }
            for o in self.graph.run(*edge as usize) {
                moves.extend(&cache.stories[*o as usize].moves);
            }
        }
        let semantics = cache.steps.semantics;
        let Some(from) = loop_from else {
            let mut trace = replay(semantics, &moves)?;
            if trail.ends {
                trace.go_on(semantics, &self.waits(&trace.last))?;
            }
            return Some(trace);
        };
        lasso(semantics, &moves, from)
    }

    /// The calls and accept statements that wait where nobody goes on, so that the semantics sees them wait.
    pub(super) fn waits(&self, state: &State) -> Vec<Move> {
        let tasks = (0..self.program().tasks.len()).map(TaskId::from);
        let mut state = state.clone();
        let own = tasks.filter(|t| !self.program().tasks[t.index()].background);
        own.filter_map(|t| self.reached.cache.steps.begin_wait(&mut state, t)).collect()
    }

    /// Whether a trace that is to go on for ever does so on the semantics.
    pub(super) fn is_shown(&self, trail: &Trail, trace: &Trace) -> bool {
        let for_ever = trail.ends || trail.loop_from.is_some();
        !for_ever || is_whole(self.reached.cache.steps.semantics, trace, self.fairness)
    }
}

/// Whether a way can show that a formula holds, or that it does not.
pub(super) fn tells(formula: &Resolved, truth: bool) -> bool {
    match formula {
        Resolved::Not(f) => tells(f, !truth),
        Resolved::And(a, b) | Resolved::Or(a, b) => tells(a, truth) || tells(b, truth),
        Resolved::Always(_) | Resolved::Eventually(_) | Resolved::Until(..) => !truth,
        Resolved::Potentially(_) => truth,
        _ => false,
    }
}
