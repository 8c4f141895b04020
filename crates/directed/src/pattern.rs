//! Exact distances in a smaller program, as an estimate for the whole one.
//!
//! A pattern database (Culberson and Schaeffer, 1998; Edelkamp for planning and model checking) stores the exact
//! distance from each state of an abstraction to the goal. Here the smaller program has only a few tasks: those of a
//! candidate for the error, or a few of each kind of client; the others are never activated. It keeps all data and the
//! property. It is explored forwards, breadth first with local steps merged, until targets are found and some more, and
//! distances are counted backwards from all targets. The estimate of a state of the whole program is the distance of
//! the state that is left when the other tasks are taken out of it.
//!
//! The smaller program is not an abstraction in the strict sense: a step that needs a removed task is impossible in it,
//! so a distance may be too large, and a state may be unknown. Then e-FCA is used, beyond every known distance. So the
//! estimate is no lower bound, and is meant for best-first search. It is more accurate than distances in control-flow
//! graphs, since it sees how tasks hinder each other: on the paper's kinds of programs, 0.22 times as many states as
//! with e-FCA.
//!
//! The estimate also names the task that makes the first step on a shortest way. Local steps of this task count as
//! fractions of a step, so the search follows one task to its next visible step instead of moving all of them.
//!
//! Smaller programs are tried from small to large; the first with a target is used.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use rendez_model::semantics::Semantics;
use rendez_model::state::{Lock, State};
use rendez_model::{Action, Owner, Program, Storage, TaskId};
use rendez_search::{Breadth, Frontier, LocalSteps, StateGraph, local_steps, search};
use rendez_verdict::{Control, Observation, Options};

use crate::code::FAR;

/// Larger products are of no use.
const STATES: usize = 200_000;

/// Smaller programs: with nobody but the tasks of each set, then with so many tasks of each kind; fewer
/// first. Those that leave nobody out come last. With each the tasks that are left out.
pub fn smaller(program: &Program, sets: &[Vec<TaskId>]) -> Vec<(Program, Vec<bool>)> {
    let mut all: Vec<(Program, Vec<bool>)> = Vec::new();
    let optional = optional(program);
    let without = |keeps: &dyn Fn(usize) -> bool| -> Vec<bool> {
        (0..program.tasks.len()).map(|t| optional[t] && !keeps(t)).collect()
    };
    let kind = |t: usize| program.node(program.tasks[t].start).span;
    let same = |t: usize| (1..t).filter(|o| optional[*o] && kind(*o) == kind(t)).count();
    let by_set = sets.iter().map(|set| without(&|t| set.contains(&TaskId::from(t))));
    let by_kind = (1..=4).map(|keep| without(&|t| same(t) < keep));
    for removed in by_set.chain(by_kind) {
        if all.iter().any(|(_, known)| *known == removed) {
            continue;
        }
        let mut less = program.clone();
        for node in &mut less.nodes {
            match &mut node.action {
                Action::Activate { tasks, .. } => {
                    tasks.retain(|t| t.constant().is_none_or(|t| !removed[t as usize]));
                }
                Action::Allocate { pool, .. } => pool.retain(|t| !removed[t.index()]),
                _ => {}
            }
        }
        all.push((less, removed));
    }
    all
}

/// The tasks that may be left out: nobody calls them, and they are activated by name or come from a pool.
fn optional(program: &Program) -> Vec<bool> {
    let mut named = vec![false; program.tasks.len()];
    for node in &program.nodes {
        match &node.action {
            Action::Activate { tasks, .. } => {
                tasks.iter().filter_map(|t| t.constant()).for_each(|t| named[t as usize] = true);
            }
            Action::Allocate { pool, .. } => pool.iter().for_each(|t| named[t.index()] = true),
            _ => {}
        }
    }
    for entry in &program.entries {
        if let Owner::Task(task) = entry.owner {
            named[task.index()] = false;
        }
    }
    named[0] = false;
    named
}

/// A smaller program with the distances of its states.
pub struct PatternDatabase<'r> {
    semantics: Semantics<'r>,
    local: LocalSteps,
    graph: RefCell<StateGraph>,
    /// By state: steps to the nearest target, and the task that makes the first.
    distance: Vec<(u32, TaskId)>,
    most: u32,
    removed: Vec<bool>,
    initial: State,
    pub states: usize,
}

/// Steps of a task up to its next step that others observe count less than such steps.
const LOCAL: u32 = 4_096;

/// Goes on for a while when targets are found.
struct Every<'a> {
    inner: Breadth,
    expanded: usize,
    /// So many states are enough.
    enough: usize,
    wants: &'a mut dyn FnMut(&Observation, &State) -> bool,
    target: &'a mut dyn FnMut(&State) -> bool,
    targets: Vec<State>,
}

impl Frontier for Every<'_> {
    fn push(&mut self, id: u32, graph: &StateGraph, state: &State) {
        self.inner.push(id, graph, state);
    }

    fn pop(&mut self) -> Option<u32> {
        self.expanded += 1;
        if !self.targets.is_empty() && self.enough == 0 {
            self.enough = 2 * self.expanded + 100;
        }
        (self.enough == 0 || self.expanded < self.enough).then(|| self.inner.pop()).flatten()
    }

    fn wants(&mut self, seen: &Observation, state: &State) -> bool {
        if (self.wants)(seen, state) {
            self.targets.push(state.clone());
        }
        false
    }

    fn is_target(&mut self, state: &State) -> bool {
        if (self.target)(state) {
            self.targets.push(state.clone());
        }
        false
    }
}

impl<'r> PatternDatabase<'r> {
    /// None if the program has too many states, or no target.
    pub fn new(
        program: &'r Program,
        removed: Vec<bool>,
        whole: &LocalSteps,
        options: &Options,
        control: &Control,
        wants: &mut dyn FnMut(&Observation, &State) -> bool,
        target: &mut dyn FnMut(&State) -> bool,
    ) -> Option<PatternDatabase<'r>> {
        let semantics = rendez_analysis::semantics(program, options.recursion);
        let time = options.timeout.map_or(Duration::from_secs(5), |t| t / 5);
        let options = Options {
            merge_local: true,
            max_states: STATES,
            timeout: Some(time),
            skip_guesses: true,
            ..options.clone()
        };
        let mut local = local_steps(program, &options);
        // Where the search must see tasks stop they stop here, too.
        for (here, there) in local.access.local.iter_mut().zip(&whole.access.local) {
            *here &= there;
        }
        let mut every =
            Every { inner: Breadth::default(), expanded: 0, enough: 0, wants, target, targets: Vec::new() };
        let found = search(&semantics, &local, &options, control, &mut every);
        let mut graph = found.graph;
        let n = graph.len();
        let mut before: Vec<Vec<(u32, u16)>> = vec![Vec::new(); n];
        for id in 0..n as u32 {
            for edge in graph.edges(id) {
                if let Some(to) = edge.target() {
                    before[to as usize].push((id, edge.task));
                }
            }
        }
        let mut distance = vec![(FAR, TaskId(0)); n];
        let mut queue = VecDeque::new();
        for target in &every.targets {
            if let Some(id) = graph.find(target)
                && distance[id as usize].0 == FAR
            {
                distance[id as usize].0 = 0;
                queue.push_back(id);
            }
        }
        if queue.is_empty() {
            return None;
        }
        let mut most = 0;
        while let Some(id) = queue.pop_front() {
            most = distance[id as usize].0;
            for (from, task) in &before[id as usize] {
                if distance[*from as usize].0 == FAR {
                    distance[*from as usize] = (most + 1, TaskId(u32::from(*task)));
                    queue.push_back(*from);
                }
            }
        }
        let initial = semantics.initial();
        Some(PatternDatabase {
            semantics,
            local,
            graph: RefCell::new(graph),
            distance,
            most,
            removed,
            initial,
            states: n,
        })
    }

    /// How far a state is from a target: steps that others observe first, then those of the task that
    /// makes the first of them; and that task. None if the smaller program knows no such state.
    pub fn estimate(&self, state: &State) -> Option<(u32, TaskId)> {
        let mut less = state.clone();
        let program = self.semantics.program;
        for (t, removed) in self.removed.iter().enumerate() {
            if *removed {
                less.tasks[t] = self.initial.tasks[t].clone();
            }
        }
        if self.removed.contains(&true) {
            for (v, var) in program.vars.iter().enumerate() {
                if matches!(var.storage, Storage::Local(t) if self.removed[t.index()]) {
                    less.vars[v] = self.initial.vars[v];
                }
            }
            for e in 0..less.queues.len() {
                less.queues[e].retain(|c| !self.removed[c.task.index()]);
            }
            for o in 0..less.locks.len() {
                if matches!(less.locks[o], Lock::Write(t) if self.removed[t.index()]) {
                    less.locks[o] = Lock::Free;
                }
            }
        }
        let mut steps = vec![0u32; self.removed.len()];
        let after_local_steps =
            self.local.run_local(&self.semantics, less, |o, _| steps[o.step.task.index()] += 1);
        let id = self.graph.borrow_mut().find(&after_local_steps)?;
        let (far, task) = self.distance[id as usize];
        if far == FAR {
            return None;
        }
        // At the target everybody has come to rest.
        let (rest, task) = match far {
            0 => (steps.iter().sum(), steps.iter().position(|n| *n > 0).map_or(task, TaskId::from)),
            _ => (steps[task.index()], task),
        };
        Some((far.saturating_mul(LOCAL).saturating_add(rest.min(LOCAL - 1)), task))
    }

    /// More than any estimate.
    pub fn beyond(&self) -> u32 {
        (self.most + 1).saturating_mul(LOCAL)
    }
}
