//! The search: every reachable state, breadth first.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rendez_model::access::touched;
use rendez_model::meets::Meets;
use rendez_model::semantics::{Fate, Move, Outcome, Semantics, Step, What};
use rendez_model::state::{State, Status, Wait};
use rendez_model::{Action, Domain, EntryId, ExceptionId, Loc, Program, TaskId, VarId};
use rustc_hash::FxHashSet;

use crate::graph::{Edge, Graph};
use crate::local::LocalSteps;
use crate::{Control, Options};

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was seen.
    Complete,
    States,
    Time,
    Memory,
    Interrupted,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    pub states: usize,
    pub transitions: usize,
    pub seconds: f64,
    pub peak_bytes: usize,
}

/// Something noticed on the way, with the move that leads to it.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub state: u32,
    /// None if the state itself shows it.
    pub mv: Option<Move>,
    pub what: Seen,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    Exception {
        task: TaskId,
        loc: Loc,
        exception: ExceptionId,
        died: bool,
        by_tasking: bool,
    },
    Assertion {
        task: TaskId,
        loc: Loc,
    },
    Race {
        var: VarId,
        first: (TaskId, Loc),
        second: (TaskId, Loc),
        writes: (bool, bool),
    },
    /// No task can move and not all have ended.
    Blocked,
    Unsupported {
        loc: Loc,
    },
}

/// Everything a search found out.
pub struct Search {
    pub graph: Graph,
    pub sightings: Vec<Sighting>,
    pub called: Vec<bool>,
    pub accepted: Vec<bool>,
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
        meets: Meets::new(program),
        called: vec![false; program.entries.len()],
        accepted: vec![false; program.entries.len()],
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
    };
    Search {
        graph,
        sightings: run.sightings,
        called: run.called,
        accepted: run.accepted,
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
    meets: Meets,
    called: Vec<bool>,
    accepted: Vec<bool>,
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
        self.races(&state, id);
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
            graph.add_edge(Edge { to: Edge::ELSEWHERE, task: 0, flags: Edge::PROGRESS });
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
            let mut flags = self.flags(&outcome, state);
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
                    flags |= self.flags(o, &o.state);
                }
                settled.push(o.step.clone());
            });
            for step in &settled {
                self.note(step, &after, id, Some(mv));
            }
            self.progress |= flags & (Edge::POLLS | Edge::PROGRESS) != Edge::POLLS;
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

    /// What kind of step this is, for the search for tasks that spin.
    fn flags(&self, outcome: &Outcome, before: &State) -> u8 {
        let program = self.program();
        let action = &program.node(outcome.step.loc).action;
        let mut flags = 0;
        match action {
            Action::Select { otherwise: None, .. }
            | Action::EndAccept { .. }
            | Action::Activate { .. }
            | Action::Complete { .. }
            | Action::Await { .. }
            | Action::Terminate
            | Action::Abort { .. }
            | Action::Async { .. }
            | Action::Unlock { .. }
            | Action::Choose { .. }
            | Action::Havoc { .. } => flags |= Edge::PROGRESS,
            Action::EntryCall { .. } | Action::Select { .. } => {
                flags |= match outcome.step.what {
                    What::Otherwise => Edge::POLLS,
                    _ => Edge::PROGRESS,
                };
            }
            Action::Assign { .. } | Action::Branch { .. } | Action::Call { .. } | Action::Return => {
                let mut reads = Vec::new();
                let mut writes = Vec::new();
                if before.tasks[outcome.step.task.index()].pc == outcome.step.loc {
                    touched(program, &self.local.access, before, outcome.step.task, &mut reads, &mut writes);
                }
                if !reads.is_empty() && self.meets.loops(outcome.step.loc) {
                    flags |= Edge::POLLS;
                }
                // What is not followed may change.
                let changes = |v: &VarId| {
                    program.vars[v.index()].domain == Domain::Opaque
                        || outcome.state.vars[v.index()] != before.vars[v.index()]
                };
                if writes.iter().any(changes) {
                    flags |= Edge::PROGRESS;
                }
            }
            _ => {}
        }
        flags
    }

    /// Records what a step shows.
    fn note(&mut self, step: &Step, after: &State, state: u32, mv: Option<Move>) {
        for raised in &step.raised {
            let seen = Seen::Exception {
                task: raised.task,
                loc: raised.loc,
                exception: raised.exception,
                died: raised.fate == Fate::Died,
                by_tasking: raised.by_tasking,
            };
            self.see(seen, state, mv);
        }
        match &step.what {
            What::AssertionFailed => self.see(Seen::Assertion { task: step.task, loc: step.loc }, state, mv),
            // The end of the same step may have served the call.
            What::Queued(entry) | What::Requeued { entry, .. } => {
                let caller = match step.what {
                    What::Requeued { caller, .. } => caller,
                    _ => step.task,
                };
                let waits =
                    matches!(after.tasks[caller.index()].wait, Wait::Queued { entry: e, .. } if e == *entry);
                self.called[entry.index()] = true;
                self.accepted[entry.index()] |= !waits;
            }
            What::Accepted { entry, .. } => {
                self.called[entry.index()] = true;
                self.accepted[entry.index()] = true;
            }
            What::Entered(entry) => {
                self.called[entry.index()] = true;
                self.accepted[entry.index()] = true;
            }
            What::Released { served: Some((_, entry)), .. } => self.accepted[entry.index()] = true,
            What::Otherwise | What::TimedOut => self.tried(step),
            _ => {}
        }
    }

    /// A conditional or timed call that was not taken was a call all the same.
    fn tried(&mut self, step: &Step) {
        if let Action::EntryCall { entry, .. } = &self.program().node(step.loc).action
            && let Some(entry) = entry.constant()
        {
            self.called[EntryId(entry as u32).index()] = true;
        }
    }

    fn see(&mut self, seen: Seen, state: u32, mv: Option<Move>) {
        // Every blocked state counts: they are told apart later.
        if seen == Seen::Blocked || self.known.insert(seen.clone()) {
            self.sightings.push(Sighting { state, mv, what: seen });
        }
    }

    /// Two tasks about to access one variable, one of them writing.
    fn races(&mut self, state: &State, id: u32) {
        let program = self.semantics.program;
        let mut all: Vec<(TaskId, Loc, Vec<VarId>, Vec<VarId>)> = Vec::new();
        for t in 0..state.tasks.len() {
            let ts = &state.tasks[t];
            if !matches!(ts.status, Status::Active | Status::Activating)
                || ts.wait != rendez_model::state::Wait::Nothing
            {
                continue;
            }
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            touched(program, &self.local.access, state, TaskId::from(t), &mut reads, &mut writes);
            if !reads.is_empty() || !writes.is_empty() {
                all.push((TaskId::from(t), ts.pc, reads, writes));
            }
        }
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                for var in a.3.iter().chain(&a.2) {
                    let (wa, wb) = (a.3.contains(var), b.3.contains(var));
                    if (wa && (wb || b.2.contains(var))) || (wb && (wa || a.2.contains(var))) {
                        let seen =
                            Seen::Race { var: *var, first: (a.0, a.1), second: (b.0, b.1), writes: (wa, wb) };
                        self.see(seen, id, None);
                    }
                }
            }
        }
    }
}

pub(crate) fn alive(status: Status) -> bool {
    matches!(status, Status::Activating | Status::Active | Status::Completed)
}
