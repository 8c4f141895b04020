//! Temporal formulas, and what monitors demand of executions that do not end, over the reachability graph.
//!
//! The algorithm is that of Clarke, Emerson and Sistla (*Automatic verification of finite-state concurrent systems
//! using temporal logic specifications*, 1986), with operators about events as CATS has them (Young et al., 1995,
//! section 3.3.1, table I): subformulas become bit vectors, from the inside out, and every operator is one backward
//! pass. `a until x` fails where some path avoids `x` and comes to a state without `a`, or, being strong, continues for
//! ever without `x`. Steps that are no events are not seen by operators about events. A state without steps continues
//! for ever with a step that is no event; so may one that only the environment leaves, which need not come.
//!
//! We differ from the papers in three ways.
//! - Steps that depend on an untracked value may or may not be possible. So each formula has two answers, states where
//!   it surely holds and states where it may hold. For the first, paths that count against the formula use all edges,
//!   and paths that it asks for only certain ones; for the second it is the other way round, and negation exchanges the
//!   two (the three-valued reading of Bruns and Godefroid, CAV 1999). What lies beyond a bound is treated in the same
//!   way. A formula that does not surely hold, but may, is inconclusive.
//! - Fairness restricts the loops. A strongly connected component counts if it passes over no task, against the
//!   fairness that is asked for; otherwise only the part in which every task passed over waits for a lock is decomposed
//!   again (nested decomposition, as Emerson and Lei use it for strong fairness).
//! - Fairness also asks who stands at an accept statement and which call is in a queue, so there are two graphs. In the
//!   first, a call and its acceptance are one step and it is unknown which loops are fair: what holds against all loops
//!   holds, what fails without any loop fails. The rest is decided in a graph in which every wait begins with a step of
//!   its own. So are formulas that mix quantifiers, because the first graph has no state between a call and its
//!   acceptance, in which the choice is already made.
//!
//! A failure is shown by following the formula from the initial state: shortest paths to a bad state, and loops that
//! visit whatever excuses each task. Every trace is replayed, and that a loop closes and is fair is checked on the
//! semantics. `potentially F` once held because of uncertain steps, and `always EVENT` counted steps that are not
//! events; random formulas are now compared with plain fixpoints (`explore/temporal.rs`).

use std::time::Instant;

use rendez_model::semantics::{Move, Semantics, Step, What};
use rendez_model::state::State;
use rendez_model::{EntryId, Loc, Program, TaskId};
use rendez_verdict::{
    Answer, Control, End, EngineId, Excuse, Fairness, Findings, Obstacle, Options, PropertyAnswer, Question,
    Reason, Resolved, Round, Stance, Stats, Trace, accepted, is_event, is_whole, lasso, meets_bound, queued,
    replay,
};

use crate::check::{plain_limits, reach, share};
use crate::graph::{ELSEWHERE, Graph};
use crate::noticed::Noticed;
use crate::reached::Reached;
use crate::search::Config;
use rendez_petri::step_cache::Story;
use rendez_petri::steps::Fate;

/// Bits of states.
type Bits = Vec<bool>;

/// Which answer is wanted where not all is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// States where the formula surely holds.
    Surely,
    /// And those where it may hold.
    Perhaps,
}

impl Bound {
    fn other(self) -> Bound {
        match self {
            Bound::Surely => Bound::Perhaps,
            Bound::Perhaps => Bound::Surely,
        }
    }
}

/// What `until` leads to: states, and edges on which it is met.
struct Goal {
    states: Bits,
    edges: Bits,
}

impl Goal {
    fn is_at(&self, state: usize) -> bool {
        self.states[state]
    }

    fn is_avoided(&self, edge: usize) -> bool {
        !self.edges[edge]
    }
}

/// The graph with its attributes, ready for formulas.
pub struct Checker<'a, 's, 'p> {
    reached: &'a Reached<'s, 'p>,
    graph: &'a Graph,
    /// Edges by target: where those of a state begin, and the edges.
    before: Vec<u32>,
    edges_before: Vec<u32>,
    sources: Vec<u32>,
    /// By edge: it does not depend on a value that is not known.
    sure: Bits,
    /// By outcome: who begins it, and the queue that this does no more than put a call into.
    begins: Vec<Option<(TaskId, Option<EntryId>)>>,
    /// By outcome: the entries of calls that are accepted.
    serves: Vec<Vec<EntryId>>,
    /// By outcome: it happens only if the environment moves.
    foreign: Bits,
    /// By state: an execution meets a bound there.
    beyond: Bits,
    /// The bound that one meets, in words.
    bound: Option<Reason>,
    fairness: Fairness,
    /// Waits are no steps here: of loops it is not known whether they are fair.
    coarse: bool,
}

/// What became of the search for an execution that breaks a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hunt {
    Found,
    Nothing,
    /// There is a loop of which it is not known whether it is fair.
    Open,
}

impl<'a, 's, 'p> Checker<'a, 's, 'p> {
    /// The end if there is no graph within the limits.
    fn new(
        reached: &'a Reached<'s, 'p>,
        fairness: Fairness,
        coarse: bool,
        control: &Control,
    ) -> Result<Self, End> {
        let graph = reached.graph(control)?;
        let n = graph.len();
        let mut sources = vec![0; graph.edge_count()];
        let mut before = vec![0u32; n + 1];
        for s in 0..n as u32 {
            for e in graph.range(s) {
                sources[e] = s;
                if graph.target(e) != ELSEWHERE {
                    before[graph.target(e) as usize + 1] += 1;
                }
            }
        }
        for i in 0..n {
            before[i + 1] += before[i];
        }
        let mut next = before.clone();
        let mut edges_before = vec![0; before[n] as usize];
        for e in 0..graph.edge_count() {
            if graph.target(e) != ELSEWHERE {
                let at = &mut next[graph.target(e) as usize];
                edges_before[*at as usize] = e as u32;
                *at += 1;
            }
        }
        let outcomes = &reached.cache.trees.outcomes;
        let is_sure = |e: usize| !graph.run(e).iter().any(|o| outcomes[*o as usize].guessed);
        let sure = (0..graph.edge_count()).map(is_sure).collect();
        let program = reached.cache.steps.semantics.program;
        let stories = &reached.cache.stories;
        let first = |s: &Story| s.steps.first().map(|step| (step.task, queued(program, step)));
        let begins = stories.iter().map(first).collect();
        let served = |s: &Story| s.steps.iter().filter_map(accepted).map(|(_, entry)| entry).collect();
        let serves = stories.iter().map(served).collect();
        let foreign = stories.iter().map(|s| is_foreign(program, s)).collect();
        let bounds: Vec<Option<String>> = (0..stories.len()).map(|o| bound_of(reached, o)).collect();
        let meets = |e: usize| graph.run(e).iter().any(|o| bounds[*o as usize].is_some());
        let beyond = (0..n as u32).map(|s| graph.range(s).any(meets)).collect();
        let mut met = reached.notable.iter().map(|(o, _)| *o as usize);
        let bound = met.find_map(|o| bounds[o].clone()).map(|b| meets_bound(&b));
        Ok(Checker {
            reached,
            graph,
            before,
            edges_before,
            sources,
            sure,
            begins,
            serves,
            foreign,
            beyond,
            bound,
            fairness,
            coarse,
        })
    }

    fn program(&self) -> &'p Program {
        self.reached.cache.steps.semantics.program
    }

    /// Whether the formula holds at the start; if not, a trace that shows it. Nothing if that takes a graph with all
    /// waits.
    fn decide(&self, question: &Question) -> Option<Answer> {
        let formula = &question.resolved;
        let holds = |bound: Bound| self.eval(formula, bound)[0];
        if holds(Bound::Surely) {
            return Some(Answer::Holds);
        }
        // A trace that depends on nothing unknown, if there is one.
        let bound = if holds(Bound::Perhaps) { Bound::Surely } else { Bound::Perhaps };
        if bound == Bound::Surely && self.coarse {
            return None;
        }
        Some(self.fails(question, bound))
    }

    /// A formula does not hold, or that depends on what is not known.
    fn fails(&self, question: &Question, bound: Bound) -> Answer {
        let formula = &question.resolved;
        let unknown = || Reason::from("whether it holds depends on a value that the model does not follow");
        if let (Bound::Surely, Some(met)) = (bound, &self.bound) {
            return Answer::Inconclusive(met.clone(), Vec::new());
        }
        if bound == Bound::Surely && !tells(formula, false) {
            return Answer::Inconclusive(unknown(), Vec::new());
        }
        let mut trail = Trail::default();
        self.show(formula, (bound, false), 0, &mut trail);
        let trace = self.trace(&trail).filter(|t| self.is_shown(&trail, t));
        match question.broken(self.program(), trace) {
            Answer::Violated(found) if bound == Bound::Surely => Answer::Inconclusive(unknown(), found),
            answer => answer,
        }
    }

    fn states(&self, f: impl Fn(u32) -> bool) -> Bits {
        (0..self.graph.len() as u32).map(f).collect()
    }

    /// Whether an edge counts on ways that a formula speaks against.
    fn counts_against(&self, edge: usize, bound: Bound) -> bool {
        bound == Bound::Surely || self.sure[edge]
    }

    /// Whether an edge counts on ways that a formula asks for.
    fn counts_for(&self, edge: usize, bound: Bound) -> bool {
        self.counts_against(edge, bound.other())
    }

    fn eval(&self, formula: &Resolved, bound: Bound) -> Bits {
        match formula {
            Resolved::Const(value) => self.states(|_| *value),
            Resolved::At(..) | Resolved::Ended(_) => {
                let slots = &self.reached.cache.slots;
                let is =
                    |t: usize, n: u32| slots.task(t, n).is_some_and(|ts| formula.is_of(TaskId::from(t), ts));
                let of = |t: usize| (t, (0..slots.count(t) as u32).map(|n| is(t, n)).collect::<Bits>());
                let all = (0..self.program().tasks.len()).map(of);
                let some: Vec<(usize, Bits)> = all.filter(|(_, bits)| bits.contains(&true)).collect();
                self.by_slots(|value| some.iter().any(|(t, bits)| bits[value(*t) as usize]))
            }
            Resolved::Not(f) => not(self.eval(f, bound.other())),
            Resolved::And(a, b) => {
                self.eval(a, bound).into_iter().zip(self.eval(b, bound)).map(|(a, b)| a && b).collect()
            }
            Resolved::Or(a, b) => {
                self.eval(a, bound).into_iter().zip(self.eval(b, bound)).map(|(a, b)| a || b).collect()
            }
            Resolved::Always(f) => {
                let bad = self.or_beyond(self.against(f, bound).0, bound == Bound::Surely);
                self.not_reaching(bad, |e| self.counts_against(e, bound))
            }
            Resolved::Potentially(f) => {
                let good = self.or_beyond(self.in_favour(f, bound).0, bound == Bound::Perhaps);
                not(self.not_reaching(good, |e| self.counts_for(e, bound)))
            }
            Resolved::Eventually(f) => {
                self.until(&self.states(|_| true), &self.goal(f, bound), false, bound).0
            }
            Resolved::Until(a, x, weak) => {
                self.until(&self.eval(a, bound), &self.goal(x, bound), *weak, bound).0
            }
            // Operators about events look at these themselves.
            Resolved::Accept(..) | Resolved::Event(_) => self.states(|_| false),
        }
    }

    /// Some states and, if these count, those in which an execution meets a bound.
    fn or_beyond(&self, states: Bits, counts: bool) -> Bits {
        states.into_iter().zip(&self.beyond).map(|(s, beyond)| s || counts && *beyond).collect()
    }

    /// States that `always f` speaks against, or the edges from them.
    fn against(&self, f: &Resolved, bound: Bound) -> (Bits, Option<Bits>) {
        match f.is_about_events() {
            false => (not(self.eval(f, bound)), None),
            true => self.with_edges(self.events(f, false, bound), |e| self.counts_against(e, bound)),
        }
    }

    /// States that `potentially f` asks for, or the edges from them.
    fn in_favour(&self, f: &Resolved, bound: Bound) -> (Bits, Option<Bits>) {
        match f.is_about_events() {
            false => (self.eval(f, bound), None),
            true => self.with_edges(self.events(f, true, bound), |e| self.counts_for(e, bound)),
        }
    }

    fn with_edges(&self, mut edges: Bits, counts: impl Fn(usize) -> bool) -> (Bits, Option<Bits>) {
        edges.iter_mut().enumerate().for_each(|(e, bit)| *bit &= counts(e));
        (self.states(|s| self.graph.range(s).any(|e| edges[e])), Some(edges))
    }

    fn goal(&self, x: &Resolved, bound: Bound) -> Goal {
        let no_edge = || vec![false; self.graph.edge_count()];
        match x.is_about_events() {
            true => Goal { states: self.states(|_| false), edges: self.events(x, true, bound) },
            false => Goal { states: self.eval(x, bound), edges: no_edge() },
        }
    }

    /// Edges with an event of which a formula is true, or not true.
    fn events(&self, f: &Resolved, wanted: bool, bound: Bound) -> Bits {
        match f.is_mixed() {
            false => self.steps(|s, program| f.matches(program, s) == wanted),
            true => {
                let events = self.steps(|_, _| true);
                events.into_iter().zip(self.of_step(f, bound)).map(|(e, so)| e && so == wanted).collect()
            }
        }
    }

    /// Edges of whose event, and of the state that it leads to, a formula is true. Where a formula is about both,
    /// every step is an edge of its own.
    fn of_step(&self, f: &Resolved, bound: Bound) -> Bits {
        let both =
            |a: &Resolved, b: &Resolved| self.of_step(a, bound).into_iter().zip(self.of_step(b, bound));
        match f {
            Resolved::Not(f) => not(self.of_step(f, bound.other())),
            Resolved::And(a, b) => both(a, b).map(|(a, b)| a && b).collect(),
            Resolved::Or(a, b) => both(a, b).map(|(a, b)| a || b).collect(),
            Resolved::Accept(..) | Resolved::Event(_) => self.steps(|s, program| f.matches(program, s)),
            state => {
                let so = self.eval(state, bound);
                let at = |e: usize| match self.graph.target(e) {
                    ELSEWHERE => bound == Bound::Perhaps,
                    to => so[to as usize],
                };
                (0..self.graph.edge_count()).map(at).collect()
            }
        }
    }

    /// Edges with an event that is so; that is found out once for each outcome.
    fn steps(&self, f: impl Fn(&Step, &Program) -> bool) -> Bits {
        let program = self.program();
        let is = |s: &Step| is_event(program, s) && f(s, program);
        let stories = &self.reached.cache.stories;
        let found: Bits = stories.iter().map(|story| story.steps.iter().any(is)).collect();
        let on = |e: usize| self.graph.run(e).iter().any(|o| found[*o as usize]);
        (0..self.graph.edge_count()).map(on).collect()
    }

    /// States by what their slots hold.
    fn by_slots(&self, f: impl Fn(&dyn Fn(usize) -> u32) -> bool) -> Bits {
        let mut words = vec![0; self.reached.layout.words];
        (0..self.graph.len() as u32)
            .map(|s| {
                self.reached.store.read(s, &mut words);
                f(&|slot| self.reached.layout.get(&words, slot))
            })
            .collect()
    }

    /// States from which no path over the edges leads to one of `targets`.
    fn not_reaching(&self, mut targets: Bits, passes: impl Fn(usize) -> bool) -> Bits {
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
    fn until(&self, a: &Bits, goal: &Goal, weak: bool, bound: Bound) -> (Bits, Bits) {
        // Inside: neither at the goal nor without `a`. An event must not match on the way.
        let inside: Bits = (0..a.len()).map(|s| !goal.is_at(s) && a[s]).collect();
        let open = |s: usize| bound == Bound::Surely && self.beyond[s];
        let mut ends: Bits = (0..a.len()).map(|s| !goal.is_at(s) && (!a[s] || open(s))).collect();
        let passes = |e: usize| goal.is_avoided(e) && self.counts_against(e, bound);
        if !weak {
            for s in self.goes_on_for_ever(&inside, &passes, bound) {
                ends[s as usize] = true;
            }
        }
        let from = |e: usize| passes(e) && inside[self.sources[e] as usize];
        (self.not_reaching(ends.clone(), from), ends)
    }

    /// States inside a set from which an infinite path stays there, as far as fairness lets it:
    /// members of fair components, and states in which nobody needs to move.
    fn goes_on_for_ever(&self, inside: &Bits, passes: &dyn Fn(usize) -> bool, bound: Bound) -> Vec<u32> {
        let ended = |s: &u32| inside[*s as usize] && self.may_end(*s);
        let ended = (0..inside.len() as u32).filter(ended);
        // Where loops may be fair or not, they count against what surely holds.
        let rounds = match self.coarse && bound == Bound::Perhaps {
            true => Vec::new(),
            false => self.fair_components(inside, passes),
        };
        ended.chain(rounds.into_iter().flatten()).collect()
    }

    /// Whether an execution may be over in a state: there is no step, or only the environment has some.
    fn may_end(&self, s: u32) -> bool {
        let foreign = |e: usize| self.graph.run(e).first().is_some_and(|o| self.foreign[*o as usize]);
        self.graph.range(s).all(foreign)
    }

    /// Sets of states inside a set, each with ways between all of them, in which an execution may stay for ever.
    fn fair_components(&self, inside: &Bits, passes: &dyn Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let allowed: Bits =
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

    fn within(&self, edge: usize, inside: &Bits) -> bool {
        let to = self.graph.target(edge);
        to != ELSEWHERE && inside[self.sources[edge] as usize] && inside[to as usize]
    }

    /// Strongly connected components with at least one edge.
    fn components(&self, states: &[u32], allowed: &Bits) -> Vec<Vec<u32>> {
        let mut local = vec![u32::MAX; self.graph.len()];
        for (i, s) in states.iter().enumerate() {
            local[*s as usize] = i as u32;
        }
        let inner = |s: u32, e: usize| -> Option<u32> {
            let to = self.graph.target(e);
            (allowed[e] && to != ELSEWHERE && local[to as usize] != u32::MAX && local[s as usize] != u32::MAX)
                .then(|| local[to as usize])
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
    fn passed_over(&self, component: &[u32], allowed: &Bits) -> Vec<TaskId> {
        if self.fairness == Fairness::None || self.coarse {
            return Vec::new();
        }
        let mut member = vec![false; self.graph.len()];
        component.iter().for_each(|s| member[*s as usize] = true);
        self.round(component, |e| allowed[e] && self.within(e, &member)).passed_over()
    }

    /// What happens in a component, and how tasks stand there.
    fn round(&self, component: &[u32], inner: impl Fn(usize) -> bool) -> Round<'p> {
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
    fn stances(&self, s: u32, wanted: impl Fn(TaskId) -> bool) -> Vec<Option<Stance>> {
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

    fn served(&self, edge: usize) -> impl Iterator<Item = EntryId> + '_ {
        self.graph.run(edge).iter().flat_map(|o| &self.serves[*o as usize]).copied()
    }

    fn movers(&self, edge: usize) -> impl Iterator<Item = TaskId> + '_ {
        let stories = &self.reached.cache.stories;
        self.graph.run(edge).iter().flat_map(|o| &stories[*o as usize].movers).map(|m| m.0)
    }

    /// Follows a way that shows why a formula holds in a state, or why it does not.
    fn show(&self, formula: &Resolved, (bound, truth): (Bound, bool), from: u32, trail: &mut Trail) {
        match (formula, truth) {
            (Resolved::Not(f), _) => self.show(f, (bound.other(), !truth), from, trail),
            (Resolved::And(a, b) | Resolved::Or(a, b), _) => {
                // One that is so by itself, or both are: then one that is about what follows tells more.
                let so = |f: &Resolved| self.eval(f, bound)[from as usize] == truth;
                let parts = [b, a];
                let telling = parts.iter().find(|f| so(f) && tells(f, truth));
                if let Some(f) = telling.or_else(|| parts.iter().find(|f| so(f))) {
                    self.show(f, (bound, truth), from, trail);
                }
            }
            (Resolved::Always(f), false) => {
                let passes = |e: usize| self.counts_against(e, bound);
                self.show_way(f, (bound, truth), self.against(f, bound), (from, &passes), trail);
            }
            (Resolved::Potentially(f), true) => {
                let passes = |e: usize| self.counts_for(e, bound);
                self.show_way(f, (bound, truth), self.in_favour(f, bound), (from, &passes), trail);
            }
            (Resolved::Eventually(f), false) => {
                let always = Resolved::Const(true);
                self.show_until(&always, &self.goal(f, bound), (false, bound), from, trail);
            }
            (Resolved::Until(a, x, weak), false) => {
                self.show_until(a, &self.goal(x, bound), (*weak, bound), from, trail);
            }
            _ => {}
        }
    }

    /// The shortest way to one of some states, and over one of its edges if these are what matters.
    fn show_way(
        &self,
        f: &Resolved,
        so: (Bound, bool),
        (targets, edges): (Bits, Option<Bits>),
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
    fn show_after(&self, f: &Resolved, (bound, truth): (Bound, bool), edge: usize, trail: &mut Trail) {
        let to = self.graph.target(edge);
        match f {
            _ if to == ELSEWHERE => {}
            Resolved::Not(f) => self.show_after(f, (bound.other(), !truth), edge, trail),
            Resolved::And(a, b) | Resolved::Or(a, b) => {
                let so = |f: &Resolved| self.of_step(f, bound)[edge] == truth;
                let parts = [b, a];
                let telling = parts.iter().find(|f| so(f) && tells(f, truth));
                if let Some(f) = telling.or_else(|| parts.iter().find(|f| so(f))) {
                    self.show_after(f, (bound, truth), edge, trail);
                }
            }
            Resolved::Accept(..) | Resolved::Event(_) => {}
            state => self.show(state, (bound, truth), to, trail),
        }
    }

    fn show_until(
        &self,
        a: &Resolved,
        goal: &Goal,
        (weak, bound): (bool, Bound),
        from: u32,
        trail: &mut Trail,
    ) {
        let holds = self.eval(a, bound);
        let (_, ends) = self.until(&holds, goal, weak, bound);
        let inside: Bits = (0..holds.len()).map(|s| !goal.is_at(s) && holds[s]).collect();
        let avoids = |e: usize| goal.is_avoided(e) && self.counts_against(e, bound);
        let passes = |e: usize| avoids(e) && inside[self.sources[e] as usize];
        let at = self.walk(from, &ends, &passes, trail);
        match holds[at as usize] {
            false => self.show(a, (bound, false), at, trail),
            true => self.show_for_ever(at, &inside, &avoids, trail),
        }
    }

    /// The shortest way to one of some states; the trail takes its edges.
    fn walk(&self, from: u32, targets: &Bits, passes: &dyn Fn(usize) -> bool, trail: &mut Trail) -> u32 {
        let mut came: Vec<u32> = vec![u32::MAX; self.graph.len()];
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
                let to = self.graph.target(e);
                if to != ELSEWHERE && passes(e) && !std::mem::replace(&mut seen[to as usize], true) {
                    came[to as usize] = e as u32;
                    queue.push_back(to);
                }
            }
        }
        from
    }

    /// From a state where an execution may be over, or that is in a fair component: how it goes on for ever.
    fn show_for_ever(&self, at: u32, inside: &Bits, passes: &dyn Fn(usize) -> bool, trail: &mut Trail) {
        match self.may_end(at) {
            true => trail.ends = true,
            false => self.close_loop(at, inside, passes, trail),
        }
    }

    /// From a state in a fair component: a loop that does what fairness asks for.
    fn close_loop(&self, at: u32, inside: &Bits, passes: &dyn Fn(usize) -> bool, trail: &mut Trail) {
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
                self.graph.target(e)
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
    fn trace(&self, trail: &Trail) -> Option<Trace> {
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
    fn waits(&self, state: &State) -> Vec<Move> {
        let tasks = (0..self.program().tasks.len()).map(TaskId::from);
        let mut state = state.clone();
        let own = tasks.filter(|t| !self.program().tasks[t.index()].background);
        own.filter_map(|t| self.reached.cache.steps.begin_wait(&mut state, t)).collect()
    }

    /// Whether a trace that is to go on for ever does so on the semantics.
    fn is_shown(&self, trail: &Trail, trace: &Trace) -> bool {
        let for_ever = trail.ends || trail.loop_from.is_some();
        !for_ever || is_whole(self.reached.cache.steps.semantics, trace, self.fairness)
    }

    /// Looks for an execution that never brings a monitor to one of the sets to which it must come again and again.
    fn recurs(&self, monitor: u16, findings: &mut Findings) -> Hunt {
        let property = &self.program().monitors[usize::from(monitor)];
        let mut hunt = Hunt::Nothing;
        // A trace that depends on nothing unknown is better.
        for bound in [Bound::Perhaps, Bound::Surely] {
            for set in &property.again {
                let Some(goal) = self.visits(monitor, set) else {
                    findings.contradictions.push(format!("{} is not part of the states", property.name));
                    return Hunt::Found;
                };
                let inside: Bits = goal.states.iter().map(|there| !there).collect();
                let passes = |e: usize| self.counts_against(e, bound);
                let avoids = |e: usize| passes(e) && goal.is_avoided(e);
                let mut ends = self.states(|s| inside[s as usize] && self.may_end(s));
                if !ends.contains(&true) {
                    let rounds = self.fair_components(&inside, &avoids);
                    rounds.into_iter().flatten().for_each(|s| ends[s as usize] = true);
                }
                let mut trail = Trail::default();
                let at = self.walk(0, &ends, &passes, &mut trail);
                if !ends[at as usize] {
                    continue;
                }
                self.show_for_ever(at, &inside, &avoids, &mut trail);
                match self.trace(&trail) {
                    Some(trace) if !self.coarse || self.is_shown(&trail, &trace) => {
                        let execution = (&trace.moves[..], trace.loop_from);
                        findings.never_again(monitor, set, execution, self.fairness);
                        return Hunt::Found;
                    }
                    _ if self.coarse => hunt = Hunt::Open,
                    _ => {
                        findings.contradictions.push("a trace that goes on for ever does not replay".into());
                        return Hunt::Found;
                    }
                }
            }
        }
        hunt
    }

    /// Where a monitor is in one of a set of states, and the edges on which it passes one.
    /// Nothing if states do not tell where it is.
    fn visits(&self, monitor: u16, set: &[bool]) -> Option<Goal> {
        let slots = &self.reached.cache.slots;
        let property = &self.program().monitors[usize::from(monitor)];
        let value =
            |slot: usize, n: u32| slots.cells(slot, n).find(|c| c.0 == property.cell).map(|c| c.1 as u32);
        let of =
            |slot: usize| (0..slots.count(slot) as u32).map(|n| value(slot, n)).collect::<Option<Vec<u32>>>();
        let known = (0..slots.count_slots()).filter(|slot| slots.count(*slot) > 0);
        let (slot, values) = known.into_iter().find_map(|slot| of(slot).map(|values| (slot, values)))?;
        let mut at = vec![0; self.graph.len()];
        let mut words = vec![0; self.reached.layout.words];
        for (s, at) in at.iter_mut().enumerate() {
            self.reached.store.read(s as u32, &mut words);
            *at = values[self.reached.layout.get(&words, slot) as usize];
        }
        let stories = self.reached.cache.stories.iter();
        let letters_of = |s: &Story| -> Vec<u32> {
            s.steps.iter().flat_map(|s| &s.letters).filter(|l| l.0 == monitor).map(|l| l.1).collect()
        };
        let letters: Vec<Vec<u32>> = stories.map(letters_of).collect();
        let passes = |e: usize| {
            let mut now = at[self.sources[e] as usize];
            self.graph.run(e).iter().flat_map(|o| &letters[*o as usize]).any(|letter| {
                now = property.step(now, *letter);
                set[now as usize]
            })
        };
        let edges = (0..self.graph.edge_count()).map(passes).collect();
        Some(Goal { states: at.iter().map(|at| set[*at as usize]).collect(), edges })
    }
}

/// Whether a step happens only if the environment moves: before it, others do no more than begin to wait.
fn is_foreign(program: &Program, story: &Story) -> bool {
    let own = |s: &&Step| !program.tasks[s.task.index()].background;
    let waits = |s: &Step| s.what == What::Waits || queued(program, s).is_some();
    story.steps.iter().find(|s| !own(s) || !waits(s)).is_some_and(|s| !own(&s))
}

fn not(bits: Bits) -> Bits {
    bits.into_iter().map(|b| !b).collect()
}

/// Whether a way can show that a formula holds, or that it does not.
fn tells(formula: &Resolved, truth: bool) -> bool {
    match formula {
        Resolved::Not(f) => tells(f, !truth),
        Resolved::And(a, b) | Resolved::Or(a, b) => tells(a, truth) || tells(b, truth),
        Resolved::Always(_) | Resolved::Eventually(_) | Resolved::Until(..) => !truth,
        Resolved::Potentially(_) => truth,
        _ => false,
    }
}

#[derive(Default)]
struct Trail {
    edges: Vec<u32>,
    loop_from: Option<usize>,
    /// It leads to where an execution may be over.
    ends: bool,
}

/// Of more states than this, looking at all edges takes longer than leaving some out.
const FEW_STATES: usize = 200_000;

/// Decides formulas. Under fairness, those that this leaves open are decided in a graph with all waits.
pub fn decide(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats) {
    let started = Instant::now();
    let (mut answers, mut stats) = coarsely(program, questions, options, config, control);
    let open: Vec<Question> =
        questions.iter().zip(&answers).filter(|(_, a)| a.is_none()).map(|(q, _)| q.clone()).collect();
    if !open.is_empty() {
        let left = share(options, started, 1.0);
        let exact = Config { stubborn: false, waits: true, ..config.clone() };
        let (more, other, _) = over_graph(program, &open, &left, &exact, control);
        let mut more = more.into_iter();
        answers.iter_mut().filter(|a| a.is_none()).for_each(|a| *a = more.next().flatten());
        stats = stats.max(other);
    }
    let answers = answers.into_iter().zip(questions);
    (answers.map(|(answer, question)| answered(question, answer, options)).collect(), stats)
}

/// Decides formulas as far as that is possible without a graph with all waits. Little is left out where every choice
/// counts: a plain search comes first.
fn coarsely(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Option<Answer>>, Stats) {
    let started = Instant::now();
    let plain = Config { stubborn: false, ..config.clone() };
    if !config.stubborn || !config.merge {
        let (answers, stats, _) = over_graph(program, questions, options, &plain, control);
        return (answers, stats);
    }
    let limits = plain_limits(options);
    let limits = Options { max_states: limits.max_states.min(FEW_STATES), ..limits };
    let (answers, stats, end) = over_graph(program, questions, &limits, &plain, control);
    match end {
        End::States if limits.max_states == options.max_states => (answers, stats),
        End::Time | End::Memory | End::States => {
            let left = share(options, started, 1.0);
            let (answers, stats, _) = over_graph(program, questions, &left, config, control);
            (answers, stats)
        }
        _ => (answers, stats),
    }
}

/// Decides formulas over one graph, and says how the search for it ended.
pub fn decide_by(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats, End) {
    let (answers, stats, end) = over_graph(program, questions, options, config, control);
    let answers = questions.iter().zip(answers).map(|(q, answer)| answered(q, answer, options));
    (answers.collect(), stats, end)
}

fn answered(question: &Question, answer: Option<Answer>, options: &Options) -> PropertyAnswer {
    let open = || Answer::Inconclusive("it depends on what is fair".into(), Vec::new());
    let assumptions = options.fairness.assumption().map(str::to_owned).into_iter().collect();
    let answer = answer.unwrap_or_else(open);
    PropertyAnswer { assumptions, ..question.answered(EngineId::Reach, options.fairness, answer) }
}

/// Decides formulas over one graph, but for those that take one with all waits.
fn over_graph(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Option<Answer>>, Stats, End) {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let stops: Vec<Loc> = questions.iter().flat_map(|q| q.stops.iter().copied()).collect();
    // Branching time tells when a choice is made: only steps without one are passed.
    let noticed = Noticed(questions.iter().map(|q| q.resolved.clone()).collect());
    let config = Config { symmetry: false, branching: Some(noticed), ..config.clone() };
    let reached = reach(&semantics, options, &config, control, &stops);
    let checker = checker(&reached, options.fairness, &config, control);
    // Where a call and its acceptance are one step, no state lies between them, in which the choice is made already.
    let hides_choices = config.meet && !config.waits;
    let answer = |question: &Question| match &checker {
        Ok(_) if hides_choices && question.resolved.mixes_quantifiers() => None,
        Ok(checker) => checker.decide(question),
        Err((_, why)) => Some(Answer::Inconclusive(why.clone(), Vec::new())),
    };
    let answers = questions.iter().map(answer).collect();
    let end = checker.err().map_or(End::Complete, |(end, _)| end);
    (answers, reached.stats, end)
}

/// The graph of what was reached, ready for formulas; or why there is none.
fn checker<'a, 's, 'p>(
    reached: &'a Reached<'s, 'p>,
    fairness: Fairness,
    config: &Config,
    control: &Control,
) -> Result<Checker<'a, 's, 'p>, (End, Reason)> {
    let outcomes = &reached.cache.trees.outcomes;
    let cut = |fate: Fate| reached.notable.iter().any(|(o, _)| outcomes[*o as usize].fate == fate);
    if cut(Fate::Unsupported) {
        let text = "an execution reaches something that is not modelled";
        return Err((reached.end, Reason::new(Obstacle::Unmodelled, text)));
    }
    let coarse = fairness != Fairness::None && !config.waits;
    let checker = match reached.end {
        End::Complete => Checker::new(reached, fairness, coarse, control),
        end => Err(end),
    };
    checker.map_err(|end| (end, end.reason(reached.stats.states)))
}

/// The bound that an outcome meets.
fn bound_of(reached: &Reached, outcome: usize) -> Option<String> {
    let semantics = reached.cache.steps.semantics;
    if reached.cache.trees.outcomes[outcome].fate != Fate::Stopped {
        return None;
    }
    semantics.program.bound_at(reached.cache.stories[outcome].steps.last()?.loc, semantics.recursion)
}

/// Looks at the executions that block or go on for ever: what they break of what some monitors demand becomes a
/// finding. Every step counts here, in every order. Says why the rest is open, if it is.
pub fn recurring(
    semantics: &Semantics,
    monitors: &[u16],
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> (Reason, Stats) {
    let started = Instant::now();
    let noticed = Some(Noticed(Vec::new()));
    let config = Config { stubborn: false, symmetry: false, branching: noticed, ..config.clone() };
    let (mut left, mut stats) = (monitors.to_vec(), Stats::default());
    for waits in [false, true] {
        let config = Config { waits, ..config.clone() };
        let reached = reach(semantics, &share(options, started, 1.0), &config, control, &[]);
        stats = stats.max(reached.stats);
        match checker(&reached, options.fairness, &config, control) {
            Ok(checker) => left.retain(|m| checker.recurs(*m, findings) == Hunt::Open),
            Err((_, why)) => return (why, stats),
        }
        if left.is_empty() {
            break;
        }
    }
    (Reason::default(), stats)
}
