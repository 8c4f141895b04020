//! What temporal formulas mean: fixpoints over every state, one step of one task at a time.
//!
//! Steps that are no events are not noticed. A state without steps goes on for ever with such a step.

use rendez_evidence::{Fairness, Options, Resolved, awaits_lock, components, is_event};
use rendez_model::semantics::{Move, Semantics, Step, What};
use rendez_model::state::State;
use rendez_model::{Program, TaskId};

use crate::graph::{Arrival, Graph};

/// A step to another state; none if it is no event.
struct Edge {
    to: usize,
    task: TaskId,
    event: Option<Step>,
}

/// Every state of a program, and every step.
pub struct Unfolded<'p> {
    program: &'p Program,
    states: Vec<State>,
    edges: Vec<Vec<Edge>>,
}

impl<'p> Unfolded<'p> {
    /// None if there are too many states, or something is not known.
    pub fn new(program: &'p Program, options: &Options) -> Option<Unfolded<'p>> {
        let semantics = Semantics::bounded(program, options.recursion);
        let start = semantics.initial();
        let mut graph = Graph::new(start.clone(), false);
        let (mut states, mut edges) = (vec![start], Vec::new());
        let mut out = Vec::new();
        while edges.len() < states.len() {
            let from = states[edges.len()].clone();
            let mut own = Vec::new();
            for task in (0..program.tasks.len()).map(TaskId::from) {
                out.clear();
                semantics.successors(&from, task, &mut out);
                for (choice, outcome) in (0..).zip(out.drain(..)) {
                    let known = !matches!(outcome.step.what, What::Unsupported | What::Stopped);
                    if outcome.step.guessed || !known || states.len() > options.max_states {
                        return None;
                    }
                    let from = edges.len() as u32;
                    let (to, arrival) = graph.insert(&outcome.state, from, Move { task, choice }, 0);
                    if arrival == Arrival::New {
                        states.push(outcome.state);
                    }
                    let to = to as usize;
                    own.push(Edge { to, task, event: Some(outcome.step).filter(|s| is_event(program, s)) });
                }
            }
            edges.push(own);
        }
        Some(Unfolded { program, states, edges })
    }

    /// Whether a formula holds at the start.
    pub fn holds(&self, formula: &Resolved, fairness: Fairness) -> bool {
        self.eval(formula, fairness)[0]
    }

    fn eval(&self, formula: &Resolved, fairness: Fairness) -> Vec<bool> {
        let all = || 0..self.states.len();
        let of = |f: &Resolved| self.eval(f, fairness);
        let event = |edge: &Edge, f: &Resolved, wanted: bool| {
            edge.event.as_ref().is_some_and(|step| f.matches(self.program, step) == wanted)
        };
        let possible = |targets: Vec<bool>| self.back(targets, |_, _| true);
        match formula {
            Resolved::Not(f) => of(f).into_iter().map(|b| !b).collect(),
            Resolved::And(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a && b).collect(),
            Resolved::Or(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a || b).collect(),
            Resolved::Always(f) => {
                let bad = match f.is_about_events() {
                    true => all().map(|s| self.edges[s].iter().any(|e| event(e, f, false))).collect(),
                    false => of(f).into_iter().map(|b| !b).collect(),
                };
                possible(bad).into_iter().map(|b| !b).collect()
            }
            Resolved::Potentially(f) => possible(match f.is_about_events() {
                true => all().map(|s| self.edges[s].iter().any(|e| event(e, f, true))).collect(),
                false => of(f),
            }),
            Resolved::Eventually(f) => {
                self.eval(&Resolved::Until(Box::new(Resolved::Const(true)), f.clone(), false), fairness)
            }
            Resolved::Until(a, x, weak) => {
                let (a, events) = (of(a), x.is_about_events());
                let goal = if events { vec![false; self.states.len()] } else { of(x) };
                let avoids = |e: &Edge| !(events && event(e, x, true));
                // It fails on a way that avoids `x` and comes to a state without `a`, or goes on for ever.
                let mut ends: Vec<bool> = all().map(|s| !goal[s] && !a[s]).collect();
                let inside: Vec<bool> = all().map(|s| !goal[s] && a[s]).collect();
                if !weak {
                    let ever = self.for_ever(&inside, &avoids, fairness);
                    ever.into_iter().for_each(|s| ends[s] = true);
                }
                let fails = self.back(ends, |s, e| inside[s] && avoids(e));
                fails.into_iter().map(|b| !b).collect()
            }
            state => all().map(|s| state.in_state(&self.states[s]).unwrap_or(false)).collect(),
        }
    }

    /// States from which a way over some edges leads to one of some others, found by looking at all of them again and
    /// again.
    fn back(&self, mut found: Vec<bool>, passes: impl Fn(usize, &Edge) -> bool) -> Vec<bool> {
        loop {
            let mut more = false;
            for s in (0..found.len()).rev() {
                if !found[s] && self.edges[s].iter().any(|e| passes(s, e) && found[e.to]) {
                    found[s] = true;
                    more = true;
                }
            }
            if !more {
                return found;
            }
        }
    }

    /// States inside a set where an execution that stays there may go round, or stands still.
    fn for_ever(&self, inside: &[bool], passes: &dyn Fn(&Edge) -> bool, fairness: Fairness) -> Vec<usize> {
        let within = |s: usize, e: &Edge| inside[s] && inside[e.to] && passes(e);
        let next: Vec<Vec<u32>> = (0..inside.len())
            .map(|s| self.edges[s].iter().filter(|e| within(s, e)).map(|e| e.to as u32).collect())
            .collect();
        let mut found: Vec<usize> =
            (0..inside.len()).filter(|s| inside[*s] && self.edges[*s].is_empty()).collect();
        let mut number = vec![0; inside.len()];
        for (n, component) in
            components(inside.len(), |s, k| next[s as usize].get(k).copied()).into_iter().enumerate()
        {
            component.iter().for_each(|s| number[*s as usize] = n + 1);
            let inner = |s: u32, e: &Edge| within(s as usize, e) && number[e.to] == n + 1;
            let moves = |task: TaskId| {
                let own = |s: &u32| self.edges[*s as usize].iter().any(|e| e.task == task && inner(*s, e));
                component.iter().any(own)
            };
            let stays = |s: &u32, task: TaskId| self.edges[*s as usize].iter().all(|e| e.task != task);
            let rests = |task: TaskId| {
                if self.program.tasks[task.index()].background {
                    return true;
                }
                let waits =
                    |s: &u32| stays(s, task) && !awaits_lock(self.program, &self.states[*s as usize], task);
                component.iter().any(waits) || component.iter().all(|s| stays(s, task))
            };
            let goes_on = component.iter().any(|s| self.edges[*s as usize].iter().any(|e| inner(*s, e)));
            let mut tasks = (0..self.program.tasks.len()).map(TaskId::from);
            if goes_on && (fairness == Fairness::None || tasks.all(|t| moves(t) || rests(t))) {
                found.extend(component.iter().map(|s| *s as usize));
            }
        }
        found
    }
}
