//! Temporal formulas over the reachability graph: bit vectors, from the inside out.
//!
//! Every operator is one backward pass. `a until x` fails where some path avoids `x` and comes to a state
//! without `a`, or, being strong, goes on for ever without `x`: the second part looks for components of what
//! is left, and fairness decides which of them count. A state without steps goes on for ever, too, with a
//! step that is no event. Steps that are no events are not noticed by operators about events.
//!
//! Steps that depend on a value which the model does not know may not be there. So there are two answers, the
//! states where a formula surely holds and those where it may hold: ways that it speaks against count with all
//! steps, ways that it asks for with those that are sure. It holds, it does not, or that depends on the value.

use std::time::Instant;

use rendez_evidence::{
    Answer, Control, End, Fairness, Options, PropertyAnswer, Question, Resolved, Stats, Trace, awaits_lock,
    is_event, replay,
};
use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::state::Wait;
use rendez_model::{Action, EntryId, Loc, Program, TaskId};

use crate::check::{plain_limits, reach, share};
use crate::graph::{ELSEWHERE, Graph};
use crate::noticed::Noticed;
use crate::reached::Reached;
use crate::search::Config;
use rendez_network::steps::Fate;

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

/// What `until` leads to.
enum Goal {
    States(Bits),
    /// By edge: an event on it matches.
    Events(Bits),
}

impl Goal {
    fn is_at(&self, state: usize) -> bool {
        matches!(self, Goal::States(bits) if bits[state])
    }

    fn is_avoided(&self, edge: usize) -> bool {
        !matches!(self, Goal::Events(bits) if bits[edge])
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
    fairness: Fairness,
}

impl<'a, 's, 'p> Checker<'a, 's, 'p> {
    /// The end if there is no graph within the limits.
    pub fn new(reached: &'a Reached<'s, 'p>, fairness: Fairness, control: &Control) -> Result<Self, End> {
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
        let outcomes = &reached.network.tables.outcomes;
        let is_sure = |e: usize| !graph.run(e).iter().any(|o| outcomes[*o as usize].guessed);
        let sure = (0..graph.edge_count()).map(is_sure).collect();
        Ok(Checker { reached, graph, before, edges_before, sources, sure, fairness })
    }

    fn program(&self) -> &'p Program {
        self.reached.network.steps.semantics.program
    }

    /// Whether the formula holds at the start; if not, a trace that shows it.
    pub fn decide(&self, question: &Question) -> Answer {
        let formula = &question.resolved;
        let holds = |bound: Bound| self.eval(formula, bound)[0];
        if holds(Bound::Surely) {
            return Answer::Holds;
        }
        let unknown = || "whether it holds depends on a value that the model does not follow".to_owned();
        // A trace that depends on nothing unknown, if there is one.
        let bound = if holds(Bound::Perhaps) { Bound::Surely } else { Bound::Perhaps };
        if bound == Bound::Surely && !tells(formula, false) {
            return Answer::Inconclusive(unknown(), Vec::new());
        }
        let mut trail = Trail::default();
        self.show(formula, (bound, false), 0, &mut trail);
        match question.broken(self.program(), self.trace(&trail)) {
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
                let slots = &self.reached.network.slots;
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
                self.not_reaching(self.against(f, bound).0, |e| self.counts_against(e, bound))
            }
            Resolved::Potentially(f) => {
                not(self.not_reaching(self.in_favour(f, bound).0, |e| self.counts_for(e, bound)))
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

    /// States that `always f` speaks against, or the edges from them.
    fn against(&self, f: &Resolved, bound: Bound) -> (Bits, Option<Bits>) {
        match f.is_about_events() {
            false => (not(self.eval(f, bound)), None),
            true => self.with_edges(self.events(f, false), |e| self.counts_against(e, bound)),
        }
    }

    /// States that `potentially f` asks for, or the edges from them.
    fn in_favour(&self, f: &Resolved, bound: Bound) -> (Bits, Option<Bits>) {
        match f.is_about_events() {
            false => (self.eval(f, bound), None),
            true => self.with_edges(self.events(f, true), |e| self.counts_for(e, bound)),
        }
    }

    fn with_edges(&self, mut edges: Bits, counts: impl Fn(usize) -> bool) -> (Bits, Option<Bits>) {
        edges.iter_mut().enumerate().for_each(|(e, bit)| *bit &= counts(e));
        (self.states(|s| self.graph.range(s).any(|e| edges[e])), Some(edges))
    }

    fn goal(&self, x: &Resolved, bound: Bound) -> Goal {
        match x.is_about_events() {
            true => Goal::Events(self.events(x, true)),
            false => Goal::States(self.eval(x, bound)),
        }
    }

    /// Edges with an event of which a formula is true, or not true; that is found out once for each outcome.
    fn events(&self, f: &Resolved, wanted: bool) -> Bits {
        let program = self.program();
        let is = |s: &Step| is_event(program, s) && f.matches(program, s) == wanted;
        let stories = &self.reached.network.stories;
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
        let mut ends: Bits = (0..a.len()).map(|s| !goal.is_at(s) && !a[s]).collect();
        let passes = |e: usize| goal.is_avoided(e) && self.counts_against(e, bound);
        if !weak {
            for s in self.goes_on_for_ever(&inside, &passes) {
                ends[s as usize] = true;
            }
        }
        let from = |e: usize| passes(e) && inside[self.sources[e] as usize];
        (self.not_reaching(ends.clone(), from), ends)
    }

    /// States inside a set from which an infinite path stays there, as far as fairness lets it:
    /// members of fair components, and states without any step.
    fn goes_on_for_ever(&self, inside: &Bits, passes: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let ended = |s: &u32| inside[*s as usize] && self.graph.range(*s).is_empty();
        let ended = (0..inside.len() as u32).filter(ended);
        ended.chain(self.fair_components(inside, passes).0.into_iter().flatten()).collect()
    }

    /// Components inside a set in which an execution may stay for ever, and the edges that it may take there again and
    /// again.
    fn fair_components(&self, inside: &Bits, passes: &dyn Fn(usize) -> bool) -> (Vec<Vec<u32>>, Bits) {
        let mut allowed: Bits =
            (0..self.graph.edge_count()).map(|e| passes(e) && self.within(e, inside)).collect();
        let mut found = Vec::new();
        let mut work = vec![(0..inside.len() as u32).filter(|s| inside[*s as usize]).collect::<Vec<u32>>()];
        while let Some(states) = work.pop() {
            for component in self.components(&states, &allowed) {
                match self.unfair(&component, &allowed) {
                    Verdict::Fair => found.push(component),
                    Verdict::Never => {}
                    Verdict::Without(edges) => {
                        edges.iter().for_each(|e| allowed[*e as usize] = false);
                        work.push(component);
                    }
                }
            }
        }
        (found, allowed)
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
        let all = rendez_evidence::components(states.len(), |s, k| edges[s as usize].get(k).copied());
        all.into_iter()
            .filter(|c| c.len() > 1 || edges[c[0] as usize].contains(&c[0]))
            .map(|c| c.into_iter().map(|i| states[i as usize]).collect())
            .collect()
    }

    /// Whether an execution may stay in a component for ever.
    fn unfair(&self, component: &[u32], allowed: &Bits) -> Verdict {
        if self.fairness == Fairness::None {
            return Verdict::Fair;
        }
        let tasks = self.program().tasks.len();
        let mut member = vec![false; self.graph.len()];
        component.iter().for_each(|s| member[*s as usize] = true);
        let inner = |e: usize| {
            let to = self.graph.target(e);
            allowed[e] && to != ELSEWHERE && member[to as usize]
        };
        let mut moves = vec![false; tasks];
        // Those that never can go on, or not in some state, unless it is just a lock that they wait for.
        let (mut stuck, mut rests) = (vec![true; tasks], vec![false; tasks]);
        for s in component {
            let mut can = vec![false; tasks];
            for e in self.graph.range(*s) {
                for o in self.graph.run(e) {
                    for (task, _) in &self.reached.network.stories[*o as usize].movers {
                        can[task.index()] = true;
                        moves[task.index()] |= inner(e);
                    }
                }
            }
            let mut state = None;
            for t in 0..tasks {
                stuck[t] &= !can[t];
                if !can[t] && !rests[t] {
                    let state = state.get_or_insert_with(|| self.reached.state(*s));
                    rests[t] = !awaits_lock(self.program(), state, TaskId::from(t));
                }
            }
        }
        // Nothing is taken for granted about the environment.
        let must = |t: usize| !self.program().tasks[t].background && !rests[t] && !stuck[t];
        if (0..tasks).any(|t| !moves[t] && must(t)) {
            return Verdict::Never;
        }
        if self.fairness != Fairness::Fifo {
            return Verdict::Fair;
        }
        // Who waits in a queue that is served for others again and again is served: those edges
        // cannot be taken for ever while the waiting task does not move.
        let mut forbidden = Vec::new();
        for t in (0..tasks).filter(|t| !moves[*t]) {
            for entry in self.calls(component[0], t) {
                for s in component {
                    for e in self.graph.range(*s).filter(|e| inner(*e)) {
                        let serves = self.graph.run(e).iter().any(|o| {
                            self.reached.network.stories[*o as usize]
                                .entries
                                .iter()
                                .any(|u| u.0 == entry && u.2)
                        });
                        if serves {
                            forbidden.push(e as u32);
                        }
                    }
                }
            }
        }
        if forbidden.is_empty() { Verdict::Fair } else { Verdict::Without(forbidden) }
    }

    /// The entry that a task which does not move calls in a state.
    fn calls(&self, state: u32, task: usize) -> Vec<EntryId> {
        let full = self.reached.state(state);
        let ts = &full.tasks[task];
        match (ts.wait, &self.program().node(ts.pc).action) {
            (Wait::Queued { entry, .. }, _) => vec![entry],
            (Wait::Nothing, Action::EntryCall { entry, .. }) => match self.program().eval(&full, entry) {
                Ok(rendez_model::Value::Known(e)) => self.program().entry_number(e).into_iter().collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
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
                let edge = self.graph.range(at).find(|e| edges[*e]);
                trail.edges.extend(edge.map(|e| e as u32));
            }
            None => self.show(f, so, at, trail),
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
            true if self.graph.range(at).is_empty() => {}
            true => self.close_loop(at, &inside, &avoids, trail),
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

    /// From a state in a fair component: a loop that does what fairness asks for.
    fn close_loop(&self, at: u32, inside: &Bits, passes: &dyn Fn(usize) -> bool, trail: &mut Trail) {
        let (components, allowed) = self.fair_components(inside, passes);
        let Some(component) = components.into_iter().find(|c| c.contains(&at)) else { return };
        let mut member = vec![false; self.graph.len()];
        component.iter().for_each(|s| member[*s as usize] = true);
        let inner = |e: usize| {
            let to = self.graph.target(e);
            allowed[e] && to != ELSEWHERE && member[to as usize]
        };
        trail.loop_from = Some(trail.edges.len());
        let mut here = at;
        if self.fairness != Fairness::None {
            // Every task that moves in the component moves in the loop.
            let mut wanted: Vec<usize> = (0..self.program().tasks.len()).collect();
            while let Some(t) = wanted.pop() {
                let moves = |e: usize| {
                    self.graph.run(e).iter().any(|o| {
                        self.reached.network.stories[*o as usize].movers.iter().any(|m| m.0.index() == t)
                    })
                };
                let sources =
                    self.states(|s| member[s as usize] && self.graph.range(s).any(|e| inner(e) && moves(e)));
                if sources.iter().any(|s| *s) {
                    here = self.walk(here, &sources, &inner, trail);
                    if let Some(e) = self.graph.range(here).find(|e| inner(*e) && moves(*e)) {
                        trail.edges.push(e as u32);
                        here = self.graph.target(e);
                    }
                }
            }
        } else if let Some(e) = self.graph.range(here).find(|e| inner(*e)) {
            trail.edges.push(e as u32);
            here = self.graph.target(e);
        }
        let back = self.states(|s| s == at);
        self.walk(here, &back, &inner, trail);
    }

    /// The trace of a failure, replayed.
    fn trace(&self, trail: &Trail) -> Option<Trace> {
        let network = &self.reached.network;
        let mut moves: Vec<Move> = network.first.moves.clone();
        let mut loop_from = None;
        for (i, edge) in trail.edges.iter().enumerate() {
            if trail.loop_from == Some(i) {
                loop_from = Some(moves.len());
            }
            for o in self.graph.run(*edge as usize) {
                moves.extend(&network.stories[*o as usize].moves);
            }
        }
        let mut trace = replay(network.steps.semantics, &moves)?;
        trace.loop_from = loop_from;
        Some(trace)
    }
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

enum Verdict {
    Fair,
    Never,
    /// Only if these edges are not taken for ever.
    Without(Vec<u32>),
}

#[derive(Default)]
struct Trail {
    edges: Vec<u32>,
    loop_from: Option<usize>,
}

/// Of more states than this, looking at all edges takes longer than leaving some out.
const FEW_STATES: usize = 200_000;

/// Decides formulas. Little is left out where every choice counts: a plain search comes first.
pub fn decide(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    fairness: Fairness,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats) {
    let started = Instant::now();
    let plain = Config { stubborn: false, ..config.clone() };
    // Fairness asks who could have moved, in every state.
    if !config.stubborn || !config.merge || fairness != Fairness::None {
        let (answers, stats, _) = decide_by(program, questions, options, &plain, fairness, control);
        return (answers, stats);
    }
    let limits = plain_limits(options);
    let limits = Options { max_states: limits.max_states.min(FEW_STATES), ..limits };
    let (answers, stats, end) = decide_by(program, questions, &limits, &plain, fairness, control);
    match end {
        End::States if limits.max_states == options.max_states => (answers, stats),
        End::Time | End::Memory | End::States => {
            let left = share(options, started, 1.0);
            let (answers, stats, _) = decide_by(program, questions, &left, config, fairness, control);
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
    fairness: Fairness,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats, End) {
    let semantics = Semantics::bounded(program, options.recursion);
    let stops: Vec<Loc> = questions.iter().flat_map(|q| q.stops.iter().copied()).collect();
    // Branching time tells when a choice is made: only steps without one are passed.
    let noticed = Noticed(questions.iter().map(|q| q.resolved.clone()).collect());
    let config = Config { symmetry: false, branching: Some(noticed), ..config.clone() };
    let reached = reach(&semantics, options, &config, control, &stops);
    let unmodelled = reached.notable.iter().find_map(|(o, _)| {
        let cut = reached.network.tables.outcomes[*o as usize].fate;
        (cut == Fate::Unsupported).then(|| "an execution reaches something that is not modelled".to_owned())
    });
    let why = |end: End| end.reason(reached.stats.states);
    let checker = match (reached.end, unmodelled.is_some()) {
        (End::Complete, false) => Checker::new(&reached, fairness, control),
        (end, _) => Err(end),
    };
    let answer = |question: &Question| {
        let answer = match (&checker, &unmodelled) {
            (_, Some(cut)) => Answer::Inconclusive(cut.clone(), Vec::new()),
            (Ok(checker), _) => checker.decide(question),
            (Err(end), _) => Answer::Inconclusive(why(*end), Vec::new()),
        };
        let assumptions = fairness.assumption().map(str::to_owned).into_iter().collect();
        PropertyAnswer { assumptions, ..question.answered("reach", answer) }
    };
    let answers = questions.iter().map(answer).collect();
    let end = checker.err().unwrap_or(End::Complete);
    (answers, reached.stats, end)
}
