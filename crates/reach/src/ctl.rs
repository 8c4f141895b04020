//! Temporal formulas over the reachability graph: bit vectors, from the inside out.
//!
//! A formula about states is a bit per state, one about events a bit per edge. Every operator is one
//! backward pass. `a until x` fails where some path avoids `x` and comes to a state without `a`, or,
//! being strong, goes on for ever without `x`: the second part looks for components of what is left,
//! and fairness decides which of them count. A state without steps goes on for ever, too, with a step
//! that is no event.

use rendez_evidence::{
    Answer, Control, End, Options, PropertyAnswer, Question, Resolved, Stats, Trace, replay,
};
use rendez_model::semantics::{Move, Semantics, What};
use rendez_model::state::{Status, Wait};
use rendez_model::{Action, EntryId, Loc, Program, TaskId};

use crate::check::reach;
use crate::graph::{ELSEWHERE, Graph};
use crate::reached::Reached;
use crate::search::Config;
use rendez_network::steps::Fate;

/// Which infinite executions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    #[default]
    None,
    /// A task that can go on all the time does so some time.
    Weak,
    /// And who waits for an entry that is served again and again is served some time.
    Fifo,
}

impl Fairness {
    pub fn assumption(self) -> Option<&'static str> {
        match self {
            Fairness::None => None,
            Fairness::Weak => {
                Some("the scheduler is weakly fair: a task that can go on all the time does so")
            }
            Fairness::Fifo => Some(
                "the scheduler is weakly fair, and a call waiting in a queue that is served again and again is served",
            ),
        }
    }
}

/// Bits of states or of edges.
type Bits = Vec<bool>;

enum Value {
    States(Bits),
    Edges(Bits),
    Const(bool),
}

/// The graph with its attributes, ready for formulas.
pub struct Checker<'a, 's, 'p> {
    reached: &'a Reached<'s, 'p>,
    graph: &'a Graph,
    /// Edges by target: where those of a state begin, and the edges.
    before: Vec<u32>,
    edges_before: Vec<u32>,
    sources: Vec<u32>,
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
        Ok(Checker { reached, graph, before, edges_before, sources, fairness })
    }

    fn program(&self) -> &'p Program {
        self.reached.network.steps.semantics.program
    }

    /// Whether the formula holds at the start; if not, a trace that shows it.
    pub fn decide(&self, question: &Question) -> Answer {
        let holds = match self.eval(&question.resolved) {
            Value::States(bits) => bits[0],
            Value::Const(value) => value,
            Value::Edges(_) => true,
        };
        if holds {
            return Answer::Holds;
        }
        let mut trail = Trail::default();
        self.explain(&question.resolved, 0, &mut trail);
        question.broken(self.trace(&trail))
    }

    fn states(&self, f: impl Fn(u32) -> bool) -> Bits {
        (0..self.graph.len() as u32).map(f).collect()
    }

    fn eval(&self, ready: &Resolved) -> Value {
        let combine =
            |a: &Resolved, b: &Resolved, op: fn(bool, bool) -> bool| match (self.eval(a), self.eval(b)) {
                (Value::Const(a), Value::Const(b)) => Value::Const(op(a, b)),
                (Value::Const(c), Value::States(x)) | (Value::States(x), Value::Const(c)) => {
                    Value::States(x.into_iter().map(|x| op(x, c)).collect())
                }
                (Value::Const(c), Value::Edges(x)) | (Value::Edges(x), Value::Const(c)) => {
                    Value::Edges(x.into_iter().map(|x| op(x, c)).collect())
                }
                (Value::States(a), Value::States(b)) => {
                    Value::States(a.into_iter().zip(b).map(|(a, b)| op(a, b)).collect())
                }
                (Value::Edges(a), Value::Edges(b)) => {
                    Value::Edges(a.into_iter().zip(b).map(|(a, b)| op(a, b)).collect())
                }
                // The parser lets states and events not be mixed.
                (other, _) => other,
            };
        match ready {
            Resolved::Const(value) => Value::Const(*value),
            Resolved::Accept(entries, by) => self.edges_with(
                |what| match what {
                    What::Accepted { entry, caller, .. } => {
                        entries.contains(entry) && by.is_none_or(|b| b == *caller)
                    }
                    What::Released { served: Some((caller, entry)), .. } => {
                        entries.contains(entry) && by.is_none_or(|b| b == *caller)
                    }
                    _ => false,
                },
                |task, what| match what {
                    What::Entered(entry) => entries.contains(entry) && by.is_none_or(|b| b == task),
                    _ => false,
                },
            ),
            Resolved::Event(name) => {
                let program = self.program();
                self.edges_where(|loc| match &program.node(loc).action {
                    Action::Event { name: n, .. } => n.eq_ignore_ascii_case(name),
                    _ => false,
                })
            }
            Resolved::At(task, locs) => {
                let slots = &self.reached.network.slots;
                let tasks: Vec<usize> = match task {
                    Some(task) => vec![task.index()],
                    None => (0..self.program().tasks.len()).collect(),
                };
                let at: Vec<Bits> = tasks
                    .iter()
                    .map(|t| {
                        let here = |n: usize| {
                            slots.task(*t, n as u32).is_some_and(|ts| {
                                ts.wait == Wait::Nothing
                                    && matches!(ts.status, Status::Active | Status::Activating)
                                    && locs.contains(&ts.pc)
                            })
                        };
                        (0..slots.count(*t)).map(here).collect()
                    })
                    .collect();
                Value::States(
                    self.by_slots(|value| tasks.iter().zip(&at).any(|(t, at)| at[value(*t) as usize])),
                )
            }
            Resolved::Ended(task) => {
                let slots = &self.reached.network.slots;
                let ended: Bits = (0..slots.count(task.index()))
                    .map(|n| {
                        slots.task(task.index(), n as u32).is_some_and(|ts| ts.status == Status::Terminated)
                    })
                    .collect();
                Value::States(self.by_slots(|value| ended[value(task.index()) as usize]))
            }
            Resolved::Not(f) => match self.eval(f) {
                Value::Const(value) => Value::Const(!value),
                Value::States(bits) => Value::States(bits.into_iter().map(|b| !b).collect()),
                Value::Edges(bits) => Value::Edges(bits.into_iter().map(|b| !b).collect()),
            },
            Resolved::And(a, b) => combine(a, b, |a, b| a && b),
            Resolved::Or(a, b) => combine(a, b, |a, b| a || b),
            Resolved::Always(f) => Value::States(match self.eval(f) {
                // A step that is no event does not count against `always EVENT`.
                Value::Edges(bits) => {
                    let bad = self.states(|s| self.graph.range(s).any(|e| !bits[e]));
                    self.not_reaching(bad, |_| true)
                }
                value => {
                    let good = self.as_states(value);
                    self.not_reaching(good.iter().map(|g| !g).collect(), |_| true)
                }
            }),
            Resolved::Potentially(f) => {
                let good = match self.eval(f) {
                    Value::Edges(bits) => self.states(|s| self.graph.range(s).any(|e| bits[e])),
                    value => self.as_states(value),
                };
                Value::States(self.not_reaching(good, |_| true).into_iter().map(|b| !b).collect())
            }
            Resolved::Eventually(f) => {
                Value::States(self.until(&self.states(|_| true), &self.eval(f), false).0)
            }
            Resolved::Until(a, x, weak) => {
                let a = self.as_states(self.eval(a));
                Value::States(self.until(&a, &self.eval(x), *weak).0)
            }
        }
    }

    fn as_states(&self, value: Value) -> Bits {
        match value {
            Value::States(bits) => bits,
            Value::Const(value) => self.states(|_| value),
            Value::Edges(bits) => self.states(|s| self.graph.range(s).any(|e| bits[e])),
        }
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

    /// Edges by what happens on them; the verdict on each outcome is found once.
    fn edges_by(&self, f: impl Fn(usize) -> bool) -> Value {
        let verdicts: Bits = (0..self.reached.network.stories.len()).map(f).collect();
        Value::Edges(
            (0..self.graph.edge_count())
                .map(|e| self.graph.run(e).iter().any(|o| verdicts[*o as usize]))
                .collect(),
        )
    }

    fn edges_with(&self, f: impl Fn(&What) -> bool, g: impl Fn(TaskId, &What) -> bool) -> Value {
        let stories = &self.reached.network.stories;
        self.edges_by(|o| stories[o].steps.iter().any(|s| f(&s.what) || g(s.task, &s.what)))
    }

    fn edges_where(&self, f: impl Fn(Loc) -> bool) -> Value {
        let stories = &self.reached.network.stories;
        self.edges_by(|o| stories[o].steps.iter().any(|s| f(s.loc)))
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
    fn until(&self, a: &Bits, x: &Value, weak: bool) -> (Bits, Bits) {
        let goal = |s: usize| match x {
            Value::States(bits) => bits[s],
            Value::Const(value) => *value,
            Value::Edges(_) => false,
        };
        let avoids = |e: usize| match x {
            Value::Edges(bits) => !bits[e],
            _ => true,
        };
        let n = self.graph.len();
        // Inside: neither at the goal nor without `a`. An event must not match on the way.
        let inside: Bits = (0..n).map(|s| !goal(s) && a[s]).collect();
        let mut ends: Bits = (0..n).map(|s| !goal(s) && !a[s]).collect();
        if !weak {
            for s in self.goes_on_for_ever(&inside, &avoids) {
                ends[s as usize] = true;
            }
        }
        let from = |e: usize| avoids(e) && inside[self.sources[e] as usize];
        let holds = self.not_reaching(ends.clone(), from);
        (holds, ends)
    }

    /// States inside a set from which an infinite path stays there, as far as fairness lets it:
    /// members of fair components, and states without any step.
    fn goes_on_for_ever(&self, inside: &Bits, passes: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let mut result: Vec<u32> = (0..inside.len() as u32)
            .filter(|s| inside[*s as usize] && self.graph.range(*s).is_empty())
            .collect();
        let mut allowed: Bits =
            (0..self.graph.edge_count()).map(|e| passes(e) && self.within(e, inside)).collect();
        let mut work = vec![(0..inside.len() as u32).filter(|s| inside[*s as usize]).collect::<Vec<u32>>()];
        while let Some(states) = work.pop() {
            for component in self.components(&states, &allowed) {
                match self.unfair(&component, &allowed) {
                    Verdict::Fair => result.extend(component),
                    Verdict::Never => {}
                    Verdict::Without(edges) => {
                        edges.iter().for_each(|e| allowed[*e as usize] = false);
                        work.push(component);
                    }
                }
            }
        }
        result
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
        let mut rests = vec![false; tasks];
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
            can.iter().zip(&mut rests).for_each(|(can, rests)| *rests |= !can);
        }
        if (0..tasks).any(|t| !moves[t] && !rests[t]) {
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

    /// Follows the failure of a formula from a state where it does not hold.
    fn explain(&self, ready: &Resolved, from: u32, trail: &mut Trail) {
        match ready {
            Resolved::And(a, b) => {
                let a_holds = self.as_states(self.eval(a))[from as usize];
                self.explain(if a_holds { b } else { a }, from, trail);
            }
            // The part that is about what follows is the telling one.
            Resolved::Or(a, b) => {
                let temporal = |r: &Resolved| {
                    matches!(
                        r,
                        Resolved::Always(_)
                            | Resolved::Eventually(_)
                            | Resolved::Until(..)
                            | Resolved::Or(..)
                            | Resolved::And(..)
                    )
                };
                if temporal(b) {
                    self.explain(b, from, trail);
                } else if temporal(a) {
                    self.explain(a, from, trail);
                }
            }
            Resolved::Always(f) => match self.eval(f) {
                Value::Edges(bits) => {
                    let bad = self.states(|s| self.graph.range(s).any(|e| !bits[e]));
                    let at = self.walk(from, &bad, &|_| true, trail);
                    if let Some(e) = self.graph.range(at).find(|e| !bits[*e]) {
                        trail.edges.push(e as u32);
                    }
                }
                value => {
                    let good = self.as_states(value);
                    let bad: Bits = good.iter().map(|g| !g).collect();
                    let at = self.walk(from, &bad, &|_| true, trail);
                    self.explain(f, at, trail);
                }
            },
            Resolved::Eventually(f) => {
                self.explain_until(&self.states(|_| true), &self.eval(f), false, from, trail)
            }
            Resolved::Until(a, x, weak) => {
                let a = self.as_states(self.eval(a));
                self.explain_until(&a, &self.eval(x), *weak, from, trail);
            }
            _ => {}
        }
    }

    fn explain_until(&self, a: &Bits, x: &Value, weak: bool, from: u32, trail: &mut Trail) {
        let (_, ends) = self.until(a, x, weak);
        let avoids = |e: usize| match x {
            Value::Edges(bits) => !bits[e],
            _ => true,
        };
        let goal = |s: usize| matches!(x, Value::States(bits) if bits[s]);
        let inside: Bits = (0..self.graph.len()).map(|s| !goal(s) && a[s]).collect();
        let passes = |e: usize| avoids(e) && inside[self.sources[e] as usize];
        let at = self.walk(from, &ends, &passes, trail);
        if a[at as usize] && !self.graph.range(at).is_empty() {
            self.close_loop(at, &inside, &avoids, trail);
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
        let allowed: Bits =
            (0..self.graph.edge_count()).map(|e| passes(e) && self.within(e, inside)).collect();
        let states: Vec<u32> = (0..inside.len() as u32).filter(|s| inside[*s as usize]).collect();
        let Some(component) = self.components(&states, &allowed).into_iter().find(|c| c.contains(&at)) else {
            return;
        };
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

/// Decides formulas over one graph.
pub fn decide(
    program: &Program,
    questions: &[Question],
    options: &Options,
    config: &Config,
    fairness: Fairness,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats) {
    let semantics = Semantics::bounded(program, options.recursion);
    let stops: Vec<Loc> = questions.iter().flat_map(|q| q.stops.iter().copied()).collect();
    // Branching time tells when a choice is made: no reduction but the merging of single steps.
    let config = Config { merge: false, stubborn: false, symmetry: false, ..config.clone() };
    let reached = reach(&semantics, options, &config, control, &stops);
    let unmodelled = reached.notable.iter().find_map(|(o, _)| {
        let cut = reached.network.tables.outcomes[*o as usize].fate;
        (cut == Fate::Unsupported).then(|| "an execution reaches something that is not modelled".to_owned())
    });
    let why = |end: End| end.reason(reached.stats.states);
    let checker = match (reached.end, unmodelled) {
        (End::Complete, None) => Checker::new(&reached, fairness, control).map_err(why),
        (End::Complete, Some(cut)) => Err(cut),
        (end, _) => Err(why(end)),
    };
    let answer = |question: &Question| {
        let answer = match &checker {
            Ok(checker) => checker.decide(question),
            Err(why) => Answer::Inconclusive(why.clone(), Vec::new()),
        };
        let assumptions = fairness.assumption().map(str::to_owned).into_iter().collect();
        PropertyAnswer { assumptions, ..question.answered("reach", answer) }
    };
    (questions.iter().map(answer).collect(), reached.stats)
}
