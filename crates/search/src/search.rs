//! The search: every reachable state, in the order that a frontier gives.
//!
//! This loop knows no order and no goal. A `Frontier` takes the states that are found, says which comes next, and may
//! say what the search is after. `Breadth` is the plain one; directed search is another frontier over the same loop,
//! with estimates and targets. So there is one place where steps are taken, local steps are merged and observations are
//! made.
//!
//! A state is expanded by one local task alone if that leads to a new state, and otherwise by all tasks. A step that
//! leads to something that is not modelled, or meets a bound, is observed but not followed; its source then has an edge
//! elsewhere, so that no set of states with such an edge counts as one that is never left.
//!
//! With long delays, steps are divided into those that end a delay and the others, and the former are taken only where
//! the latter make no progress.
//!
//! A search is complete if the frontier is empty and never dropped a state.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rendez_model::semantics::{Move, Semantics, Step, StepEvent, Successor};
use rendez_model::state::{State, Transfer};
use rendez_model::{Action, Loc, Program, TaskId};
use rendez_verdict::{
    Control, End, Entries, Observation, Options, POLLS, PROGRESS, ProgressClassifier, Stats, Witness, alive,
    races, seen_in,
};
use rustc_hash::FxHashSet;

use crate::graph::{Arrival, Edge, StateGraph};
use crate::local::LocalSteps;

/// Something observed on the way, with the move that leads to it.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub state: u32,
    /// None if the state itself shows it.
    pub mv: Option<Move>,
    pub what: Observation,
}

/// Everything a search found out.
pub struct SearchResult {
    pub graph: StateGraph,
    /// Where the search came to what its frontier wants: a state, and the step from there.
    pub found: Option<(u32, Option<Move>)>,
    pub occurrences: Vec<Occurrence>,
    pub entries: Entries,
    pub witness: Witness,
    /// A step was possible only because a value is unknown.
    pub guesses: bool,
    pub delays: Delays,
    pub end: End,
    pub stats: Stats,
}

/// With long delays: which delays could end in a state.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// They could, but others made progress: the state, the task, and the place of its delay.
    pub put_off: Vec<(u32, TaskId, Loc)>,
    /// They did: the state and the task.
    pub ended: Vec<(u32, TaskId)>,
}

/// The order in which states are expanded, and what the search is after.
pub trait Frontier {
    /// A state was found, or found again at a lower cost.
    fn push(&mut self, id: u32, graph: &StateGraph, state: &State);

    fn pop(&mut self) -> Option<u32>;

    /// What a step of a task costs after one of another.
    fn cost(&self, _last: TaskId, _next: TaskId) -> u32 {
        1
    }

    /// States that differ only in the task that moved last are told apart.
    fn by_task(&self) -> bool {
        false
    }

    /// Whether the search is over once this is seen; `state` is where.
    fn wants(&mut self, _seen: &Observation, _state: &State) -> bool {
        false
    }

    /// Whether the search is over in this state.
    fn is_target(&mut self, _state: &State) -> bool {
        false
    }

    /// A task whose steps are to be tried first. If one leads to a new state the others are put off:
    /// the state comes back, and then there must be no such task.
    fn prefers(&mut self, _id: u32, _state: &State) -> Option<TaskId> {
        None
    }

    /// Takes a state back whose other steps were put off.
    fn put_off(&mut self, _id: u32) {}

    /// Whether every state that is found stays until it is expanded.
    fn keeps_all(&self) -> bool {
        true
    }
}

/// First found, first expanded.
#[derive(Default)]
pub struct Breadth {
    next: u32,
    found: u32,
}

impl Frontier for Breadth {
    fn push(&mut self, id: u32, _: &StateGraph, _: &State) {
        self.found = id + 1;
    }

    fn pop(&mut self) -> Option<u32> {
        let id = self.next;
        (id < self.found).then(|| {
            self.next += 1;
            id
        })
    }
}

/// Explores the program.
pub fn search(
    semantics: &Semantics,
    local: &LocalSteps,
    options: &Options,
    control: &Control,
    frontier: &mut impl Frontier,
) -> SearchResult {
    search_from(semantics, semantics.initial(), local, options, control, frontier)
}

/// Explores what can follow a state.
pub fn search_from(
    semantics: &Semantics,
    start: State,
    local: &LocalSteps,
    options: &Options,
    control: &Control,
    frontier: &mut impl Frontier,
) -> SearchResult {
    let started = Instant::now();
    let program = semantics.program;
    let mut run = StateSearch {
        semantics,
        local,
        options,
        frontier,
        found: None,
        occurrences: Vec::new(),
        known: FxHashSet::default(),
        effort: ProgressClassifier::new(program),
        entries: Entries::new(program),
        witness: Witness::default(),
        guesses: false,
        cut: false,
        progress: false,
        delays: Delays::default(),
    };
    let first = run.first_state(start);
    let mut graph = StateGraph::new(first.clone(), run.frontier.by_task());
    run.frontier.push(0, &graph, &first);
    let mut end = End::Complete;
    // States of many tasks take their time.
    let pause = (2048 / program.tasks.len().max(32)).max(1);
    while let Some(next) = run.frontier.pop() {
        if graph.expanded().is_multiple_of(pause) {
            control.states.store(graph.len(), Ordering::Relaxed);
            if let Some(told) = control.ended() {
                end = told;
            } else if options.timeout.is_some_and(|t| started.elapsed() > t) {
                end = End::Time;
            } else if graph.memory() > options.memory {
                end = End::Memory;
            } else if graph.len() > options.max_states {
                end = End::States;
            }
            if end != End::Complete {
                break;
            }
        }
        run.expand(&mut graph, next);
        if run.found.is_some() {
            end = End::Found;
            break;
        }
    }
    if end == End::Complete && !run.frontier.keeps_all() {
        end = End::Memory;
    }
    let stats = Stats {
        states: graph.len(),
        transitions: graph.transitions(),
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: graph.memory(),
        flow: None,
        ilp: None,
    };
    SearchResult {
        graph,
        found: run.found,
        occurrences: run.occurrences,
        entries: run.entries,
        witness: run.witness,
        guesses: run.guesses,
        delays: run.delays,
        end,
        stats,
    }
}

/// Which steps are wanted: with long delays, those that end one come last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Any,
    Prompt,
    Late,
}

struct StateSearch<'s, 'p, F> {
    semantics: &'s Semantics<'p>,
    local: &'s LocalSteps,
    options: &'s Options,
    frontier: &'s mut F,
    found: Option<(u32, Option<Move>)>,
    occurrences: Vec<Occurrence>,
    known: FxHashSet<Observation>,
    effort: ProgressClassifier,
    entries: Entries,
    witness: Witness,
    guesses: bool,
    /// A step of the state that is being expanded was not followed.
    cut: bool,
    /// A step of the state that is being expanded does more than look at variables again.
    progress: bool,
    delays: Delays,
}

impl<F: Frontier> StateSearch<'_, '_, F> {
    fn program(&self) -> &Program {
        self.semantics.program
    }

    fn first_state(&mut self, initial: State) -> State {
        let mut seen = Vec::new();
        let state = self.local.run_local(self.semantics, initial, |o, _| seen.push(o.step.clone()));
        for step in &seen {
            self.note(step, &state, 0, None, &state);
        }
        state
    }

    fn expand(&mut self, graph: &mut StateGraph, id: u32) {
        let state = graph.state(id);
        let mut seen = Vec::new();
        races(self.program(), &self.local.access, &state, |race| seen.push(race));
        for race in seen {
            self.see(race, id, None, &state);
        }
        if self.found.is_none() && self.frontier.is_target(&state) {
            self.found = Some((id, None));
        }
        if self.found.is_some() {
            return;
        }
        let first_edge = graph.transitions();
        self.cut = false;
        if let Some(task) = self.frontier.prefers(id, &state)
            && self.moves(graph, id, &state, task, Pace::Any) > 0
        {
            self.frontier.put_off(id);
            return;
        }
        // A local step alone is enough, unless it leads nowhere new: then everything is tried,
        // so that a task that runs for ever does not hide the others.
        let local_task = self.local.ample(self.program(), &state);
        if let Some(task) = local_task
            && self.moves(graph, id, &state, task, Pace::Any) > 0
        {
            self.finish(graph, id, first_edge);
            return;
        }
        let before = graph.transitions();
        let paces: &[Pace] =
            if self.options.long_delays { &[Pace::Prompt, Pace::Late] } else { &[Pace::Any] };
        for pace in paces {
            self.progress = false;
            for t in (0..state.tasks.len()).map(TaskId::from) {
                let before = self.progress;
                self.moves(graph, id, &state, t, *pace);
                // A task that runs in circles by itself keeps nobody's delay from ending.
                if Some(t) == local_task {
                    self.progress = before;
                }
            }
            if self.options.long_delays {
                self.note_delays(id, &state, *pace == Pace::Late);
            }
            if self.progress {
                break;
            }
        }
        let any = graph.transitions() > before || self.cut;
        self.finish(graph, id, first_edge);
        if !any && state.tasks.iter().any(|t| alive(t.status)) {
            self.see(Observation::Blocked, id, None, &state);
        }
    }

    /// Ends the expansion of a state. A step that is not followed leads somewhere all the same.
    fn finish(&self, graph: &mut StateGraph, id: u32, first_edge: usize) {
        if self.cut {
            graph.add_edge(Edge { to: Edge::ELSEWHERE, task: 0, flags: PROGRESS });
        }
        graph.finish_state(id, first_edge);
    }

    /// Notes which delays could end in a state, and whether they do.
    fn note_delays(&mut self, id: u32, state: &State, end: bool) {
        let mut out = Vec::new();
        for task in (0..state.tasks.len()).map(TaskId::from) {
            out.clear();
            self.semantics.successors(state, task, &mut out);
            let Some(late) = out.iter().find(|o| self.ends_delay(o, state)) else { continue };
            match end {
                true => self.delays.ended.push((id, task)),
                false => self.delays.put_off.push((id, task, late.step.loc)),
            }
        }
    }

    /// Adds the steps of one task; the number of new states.
    fn moves(&mut self, graph: &mut StateGraph, id: u32, state: &State, task: TaskId, pace: Pace) -> usize {
        let mut out = Vec::new();
        self.semantics.successors(state, task, &mut out);
        let mut fresh = 0;
        let cost = graph.cost(id) + self.frontier.cost(graph.moved(id), task);
        for (choice, outcome) in out.into_iter().enumerate() {
            if pace != Pace::Any && (pace == Pace::Late) != self.ends_delay(&outcome, state) {
                continue;
            }
            if outcome.step.guessed {
                self.guesses = true;
                if self.options.skip_guesses {
                    self.cut = true;
                    continue;
                }
            }
            let mv = Move { task, choice: choice as u32 };
            let mut flags = self.effort.of(self.program(), &self.local.access, &outcome, state);
            self.note(&outcome.step, &outcome.state, id, Some(mv), state);
            if matches!(outcome.step.what, StepEvent::Unsupported) {
                self.see(Observation::Unsupported { loc: outcome.step.loc }, id, Some(mv), state);
                self.cut = true;
                continue;
            }
            if outcome.step.what == StepEvent::Stopped {
                self.see(Observation::Stopped { loc: outcome.step.loc }, id, Some(mv), state);
                self.cut = true;
                continue;
            }
            let mut local_steps = Vec::new();
            let after = self.local.run_local(self.semantics, outcome.state, |o, before| {
                if o.step.task == task {
                    flags |= self.effort.of(self.program(), &self.local.access, o, before);
                }
                local_steps.push(o.step.clone());
            });
            for step in &local_steps {
                self.note(step, &after, id, Some(mv), state);
            }
            self.progress |= flags & (POLLS | PROGRESS) != POLLS;
            let (to, arrival) = graph.insert(&after, id, mv, cost);
            if arrival != Arrival::Known {
                self.frontier.push(to, graph, &after);
            }
            fresh += usize::from(arrival == Arrival::New);
            graph.add_edge(Edge { to, task: task.0 as u16, flags });
        }
        fresh
    }

    /// Whether the step is possible only because some delay is over.
    fn ends_delay(&self, outcome: &Successor, before: &State) -> bool {
        match outcome.step.what {
            StepEvent::TimedOut => true,
            StepEvent::Transferred => {
                // One of the asynchronous selects was triggered by a call, or by its delay.
                let ts = &before.tasks[outcome.step.task.index()];
                !ts.transfers.iter().any(Transfer::fired)
            }
            _ => matches!(self.program().node(outcome.step.loc).action, Action::Delay { .. }),
        }
    }

    /// Records what a step from `before` shows.
    fn note(&mut self, step: &Step, after: &State, id: u32, mv: Option<Move>, before: &State) {
        for seen in seen_in(step) {
            self.see(seen, id, mv, before);
        }
        self.entries.note(self.semantics.program, step, after);
        self.witness.note(self.semantics.program, step);
    }

    fn see(&mut self, seen: Observation, id: u32, mv: Option<Move>, state: &State) {
        if self.found.is_none() && self.frontier.wants(&seen, state) {
            self.found = Some((id, mv));
            self.occurrences.push(Occurrence { state: id, mv, what: seen });
            return;
        }
        // Every blocked state counts: they are told apart later.
        if seen == Observation::Blocked || self.known.insert(seen.clone()) {
            self.occurrences.push(Occurrence { state: id, mv, what: seen });
        }
    }
}
