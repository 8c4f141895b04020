//! Everything that can follow a state, on nothing but the semantics.
//!
//! A claim that a task waits for ever, or spins, is about all continuations of a state. An engine may have reductions,
//! packed states and a memory of its own; this file checks its claim without any of them. It explores plainly, one step
//! of one task at a time, up to a number of states. If the exploration is complete, its bottom strongly connected
//! components tell who can move again and again; the nearest of them is where the trace is prolonged to, so that
//! everybody in it has settled. A task spins if, in that component, it polls and makes no progress.
//!
//! If too many states follow, nothing is said, and the claim needs another argument: one over the code (`stuck.rs`), or
//! a task that comes back to where it was when it runs alone, having only looked at something.
//!
//! A step that is not modelled, or that meets a bound, leads out of every component, so a component with such a step is
//! no bottom component and nothing behind the step is taken for granted.

use rendez_analysis::access::Access;
use rendez_model::TaskId;
use rendez_model::semantics::{Move, Semantics, StepEvent};
use rendez_model::state::State;
use rustc_hash::FxHashMap;

use crate::blocking::all_stuck;
use crate::observation::{POLLS, PROGRESS, ProgressClassifier};
use rendez_analysis::bottom_components;

/// The states that follow one, as far as they were looked at.
pub struct After {
    /// In the order in which they were found; the first is the one that the others follow.
    states: Vec<Box<[u8]>>,
    /// How each was found.
    parents: Vec<(u32, Move)>,
    /// By state: where its steps lead, and whose they are.
    edges: Vec<Vec<(u32, TaskId)>>,
    /// By task: it can make a step somewhere.
    moves: Vec<bool>,
    /// All were looked at.
    complete: bool,
    like: State,
}

/// The target of a step that is not followed.
const ELSEWHERE: u32 = u32::MAX;

/// A state that is found again whatever happens, and who never moves from there on.
pub struct BottomState {
    pub moves: Vec<Move>,
    pub state: State,
    pub stuck: Vec<TaskId>,
}

impl After {
    /// Looks at no more than `most` states.
    pub fn new(semantics: &Semantics, from: &State, most: usize) -> After {
        let mut after = After {
            states: Vec::new(),
            parents: Vec::new(),
            edges: Vec::new(),
            moves: vec![false; from.tasks.len()],
            complete: true,
            like: from.clone(),
        };
        let mut index: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
        after.insert(&mut index, from, (0, Move { task: TaskId(0), choice: 0 }));
        let mut out = Vec::new();
        while after.edges.len() < after.states.len() {
            if after.states.len() > most {
                after.complete = false;
                break;
            }
            let id = after.edges.len() as u32;
            let state = after.state(id);
            let mut edges = Vec::new();
            for task in (0..state.tasks.len()).map(TaskId::from) {
                out.clear();
                semantics.successors(&state, task, &mut out);
                after.moves[task.index()] |= !out.is_empty();
                for (choice, outcome) in out.drain(..).enumerate() {
                    let to = match outcome.step.what {
                        StepEvent::Unsupported | StepEvent::Stopped => ELSEWHERE,
                        _ => {
                            let mv = Move { task, choice: choice as u32 };
                            after.insert(&mut index, &outcome.state, (id, mv))
                        }
                    };
                    edges.push((to, task));
                }
            }
            after.edges.push(edges);
        }
        after
    }

    fn insert(&mut self, index: &mut FxHashMap<Box<[u8]>, u32>, state: &State, parent: (u32, Move)) -> u32 {
        let mut bytes = Vec::new();
        state.encode(&mut bytes);
        let bytes = bytes.into_boxed_slice();
        if let Some(id) = index.get(&bytes) {
            return *id;
        }
        let id = self.states.len() as u32;
        index.insert(bytes.clone(), id);
        self.states.push(bytes);
        self.parents.push(parent);
        id
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn can_move(&self, task: TaskId) -> bool {
        self.moves[task.index()]
    }

    fn state(&self, id: u32) -> State {
        State::decode(&self.states[id as usize], &self.like)
    }

    /// The nearest set of states that is never left; None if not all is known about what follows.
    fn bottom(&self) -> Option<Vec<u32>> {
        if !self.complete {
            return None;
        }
        let target = |s: u32, k: usize| self.edges[s as usize].get(k).map(|e| e.0);
        let all = bottom_components(self.states.len(), target);
        all.into_iter()
            .map(|mut c| {
                c.sort_unstable();
                c
            })
            .min()
    }

    /// The first state of a bottom component, and who never moves there.
    pub fn first_bottom_state(&self, semantics: &Semantics) -> Option<BottomState> {
        let component = self.bottom()?;
        let state = self.state(component[0]);
        let moves = |t: &TaskId| component.iter().any(|s| self.edges[*s as usize].iter().any(|e| e.1 == *t));
        let mut stuck = all_stuck(semantics.program, &state);
        stuck.retain(|t| !moves(t));
        let mut path = Vec::new();
        let mut at = component[0];
        while at != 0 {
            let (parent, mv) = self.parents[at as usize];
            path.push(mv);
            at = parent;
        }
        path.reverse();
        Some(BottomState { moves: path, state, stuck })
    }

    /// Whether a task does nothing but look at something again and again, in a bottom component.
    pub fn spins(
        &self,
        semantics: &Semantics,
        access: &Access,
        effort: &ProgressClassifier,
        task: TaskId,
    ) -> Option<bool> {
        let mut flags = 0;
        let mut out = Vec::new();
        for id in self.bottom()? {
            let state = self.state(id);
            out.clear();
            semantics.successors(&state, task, &mut out);
            for outcome in &out {
                flags |= effort.of(semantics.program, access, outcome, &state);
            }
        }
        Some(flags & (POLLS | PROGRESS) == POLLS)
    }
}

/// Whether a task that runs alone comes back to where it was, having only looked at something.
pub fn runs_in_a_circle(
    semantics: &Semantics,
    access: &Access,
    effort: &ProgressClassifier,
    from: &State,
    task: TaskId,
) -> bool {
    let mut known: Vec<(State, u8)> = Vec::new();
    let mut state = from.clone();
    let mut out = Vec::new();
    // What was done on the way counts from the state on that is seen again.
    while known.len() < MOST_ROUND {
        if let Some(at) = known.iter().position(|(s, _)| *s == state) {
            let flags = known[at..].iter().fold(0, |all, (_, flags)| all | flags);
            return flags & (POLLS | PROGRESS) == POLLS;
        }
        out.clear();
        semantics.successors(&state, task, &mut out);
        let Some(outcome) = out.drain(..).next() else { return false };
        let flags = effort.of(semantics.program, access, &outcome, &state);
        known.push((std::mem::replace(&mut state, outcome.state), flags));
    }
    false
}

/// Steps of a task that comes back to where it was.
const MOST_ROUND: usize = 500;
