//! The search: every reachable state, breadth first.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rendez_evidence::{
    Control, Effort, End, Entries, Options, POLLS, PROGRESS, Seen, Stats, Witness, alive, races, seen_in,
};
use rendez_model::semantics::{Move, Outcome, Semantics, Step, What};
use rendez_model::state::State;
use rendez_model::{Action, Program, TaskId};
use rustc_hash::FxHashSet;

use crate::graph::{Edge, Graph};
use crate::local::LocalSteps;

/// Something noticed on the way, with the move that leads to it.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub state: u32,
    /// None if the state itself shows it.
    pub mv: Option<Move>,
    pub what: Seen,
}

/// Everything a search found out.
pub struct Search {
    pub graph: Graph,
    pub sightings: Vec<Sighting>,
    pub entries: Entries,
    pub witness: Witness,
    /// A step was possible only because a value is unknown.
    pub guesses: bool,
    /// A bound cut an execution short.
    pub stopped: bool,
    pub end: End,
    pub stats: Stats,
}

/// Explores the program.
pub fn search(semantics: &Semantics, local: &LocalSteps, options: &Options, control: &Control) -> Search {
    let started = Instant::now();
    let program = semantics.program;
    let mut run = Run {
        semantics,
        local,
        options,
        sightings: Vec::new(),
        known: FxHashSet::default(),
        effort: Effort::new(program),
        entries: Entries::new(program),
        witness: Witness::default(),
        guesses: false,
        stopped: false,
        cut: false,
        progress: false,
    };
    let first = run.first_state();
    let mut graph = Graph::new(first);
    let mut end = End::Complete;
    let mut next = 0u32;
    while (next as usize) < graph.len() {
        if next.is_multiple_of(256) {
            control.states.store(graph.len(), Ordering::Relaxed);
            if control.stop.load(Ordering::Relaxed) {
                end = End::Interrupted;
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
        next += 1;
    }
    let stats = Stats {
        states: graph.len(),
        transitions: graph.transitions(),
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: graph.memory(),
        flow: None,
        ilp: None,
    };
    Search {
        graph,
        sightings: run.sightings,
        entries: run.entries,
        witness: run.witness,
        guesses: run.guesses,
        stopped: run.stopped,
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

struct Run<'s, 'p> {
    semantics: &'s Semantics<'p>,
    local: &'s LocalSteps,
    options: &'s Options,
    sightings: Vec<Sighting>,
    known: FxHashSet<Seen>,
    effort: Effort,
    entries: Entries,
    witness: Witness,
    guesses: bool,
    stopped: bool,
    /// A step of the state that is being expanded was not followed.
    cut: bool,
    /// A step of the state that is being expanded does more than look at variables again.
    progress: bool,
}

impl Run<'_, '_> {
    fn program(&self) -> &Program {
        self.semantics.program
    }

    fn first_state(&mut self) -> State {
        let initial = self.semantics.initial();
        let mut seen = Vec::new();
        let state = self.local.settle(self.semantics, initial, |o| seen.push(o.step.clone()));
        for step in &seen {
            self.note(step, &state, 0, None);
        }
        state
    }

    fn expand(&mut self, graph: &mut Graph, id: u32) {
        let state = graph.state(id);
        let mut seen = Vec::new();
        races(self.program(), &self.local.access, &state, |race| seen.push(race));
        for race in seen {
            self.see(race, id, None);
        }
        self.cut = false;
        // A local step alone is enough, unless it leads nowhere new: then everything is tried,
        // so that a task that runs for ever does not hide the others.
        let alone = self.local.ample(self.program(), &state);
        if let Some(task) = alone
            && self.moves(graph, id, &state, task, Pace::Any) > 0
        {
            self.finish(graph);
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
                if Some(t) == alone {
                    self.progress = before;
                }
            }
            if self.progress {
                break;
            }
        }
        let any = graph.transitions() > before || self.cut;
        self.finish(graph);
        if !any && state.tasks.iter().any(|t| alive(t.status)) {
            self.see(Seen::Blocked, id, None);
        }
    }

    /// Ends the expansion of a state. A step that is not followed leads somewhere all the same.
    fn finish(&self, graph: &mut Graph) {
        if self.cut {
            graph.add_edge(Edge { to: Edge::ELSEWHERE, task: 0, flags: PROGRESS });
        }
        graph.finish_state();
    }

    /// Adds the steps of one task; the number of new states.
    fn moves(&mut self, graph: &mut Graph, id: u32, state: &State, task: TaskId, pace: Pace) -> usize {
        let mut out = Vec::new();
        self.semantics.successors(state, task, &mut out);
        let mut fresh = 0;
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
            self.note(&outcome.step, &outcome.state, id, Some(mv));
            if matches!(outcome.step.what, What::Unsupported) {
                self.see(Seen::Unsupported { loc: outcome.step.loc }, id, Some(mv));
                self.cut = true;
                continue;
            }
            if outcome.step.what == What::Stopped {
                self.stopped = true;
                self.cut = true;
                continue;
            }
            let mut settled = Vec::new();
            let after = self.local.settle(self.semantics, outcome.state, |o| {
                if o.step.task == task {
                    flags |= self.effort.of(self.program(), &self.local.access, o, &o.state);
                }
                settled.push(o.step.clone());
            });
            for step in &settled {
                self.note(step, &after, id, Some(mv));
            }
            self.progress |= flags & (POLLS | PROGRESS) != POLLS;
            let (to, new) = graph.insert(&after, id, mv);
            fresh += usize::from(new);
            graph.add_edge(Edge { to, task: task.0 as u16, flags });
        }
        fresh
    }

    /// Whether the step is possible only because some delay is over.
    fn ends_delay(&self, outcome: &Outcome, before: &State) -> bool {
        match outcome.step.what {
            What::TimedOut => true,
            What::Transferred => {
                // One of the asynchronous selects was triggered by a call, or by its delay.
                let ts = &before.tasks[outcome.step.task.index()];
                !ts.transfers.iter().any(|t| t.fired)
            }
            _ => matches!(self.program().node(outcome.step.loc).action, Action::Delay { .. }),
        }
    }

    /// Records what a step shows.
    fn note(&mut self, step: &Step, after: &State, state: u32, mv: Option<Move>) {
        for seen in seen_in(step) {
            self.see(seen, state, mv);
        }
        self.entries.note(self.semantics.program, step, after);
        self.witness.note(self.semantics.program, step);
    }

    fn see(&mut self, seen: Seen, state: u32, mv: Option<Move>) {
        // Every blocked state counts: they are told apart later.
        if seen == Seen::Blocked || self.known.insert(seen.clone()) {
            self.sightings.push(Sighting { state, mv, what: seen });
        }
    }
}
