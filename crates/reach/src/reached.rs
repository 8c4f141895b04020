//! What a search has reached, and how its states are reached.
//!
//! The search stores neither edges nor, mostly, exact parents. This file makes a trace to a state when one is wanted:
//! it expands the few states that may be its parents, nearest to the start first, until one leads to it, and so on back
//! to the initial state. The expansion is the same as in the search, reductions included, so the state is found; the
//! one difference is that the steps of redundant tasks are followed too, because a path may have been found before it was known
//! that two tasks are alike. Numbers grow along breadth-first levels, so the trace is a shortest one in the explored
//! graph where nothing was set aside.
//!
//! With symmetry, a stored state stands for its orbit, and the path leads through representatives. The permutations
//! that were applied on the path are composed, and each step is renamed back by the inverse before it is appended. The
//! moves that come out are those of the original program and are replayed on the semantics like any others.
//!
//! `Reached` also makes the graph of all edges, once, when a check needs it, within what is left of time and memory.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use rendez_analysis::symmetry::Permutation;
use rendez_model::semantics::Move;
use rendez_model::state::State;
use rendez_petri::step_cache::StepCache;
use rendez_petri::steps::Fate;
use rendez_verdict::{Control, End, Stats};

use crate::expand::{Orbit, View};
use crate::graph::{GraphLimits, ReachabilityGraph};
use crate::index::Index;
use crate::search::Config;
use crate::store::{Layout, Patch, Store};
use crate::stubborn::{LocationTable, Scratch, Stubborn};
use crate::symmetry::{Factors, Symmetry};

/// Everything that was reached.
pub struct Reached<'s, 'p> {
    pub config: Config,
    pub stubborn: Option<Stubborn>,
    pub symmetry: Option<Symmetry>,
    pub locations: Vec<LocationTable>,
    /// By outcome: it is visible to formulas of branching time.
    pub visible: Vec<bool>,
    pub cache: StepCache<'s, 'p>,
    pub layout: Layout,
    pub patches: Vec<Patch>,
    pub store: Store,
    pub index: Index,
    /// States in which nothing can happen.
    pub blocked: Vec<u32>,
    /// Outcomes in which something notable happens, each with the first state it was seen in.
    pub notable: Vec<(u32, u32)>,
    pub end: End,
    pub stats: Stats,
    /// How long it took to learn what tasks can do.
    pub learning: Duration,
    /// Bytes that may still be used, and how long.
    pub left: usize,
    pub until: Option<Instant>,
    pub graph: OnceCell<Result<ReachabilityGraph, End>>,
}

impl Reached<'_, '_> {
    /// Bytes of the states and the table that finds them.
    pub fn states_memory(&self) -> usize {
        self.store.memory()
    }

    /// The state with a number.
    pub fn state(&self, id: u32) -> State {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        self.cache.slots.state((0..self.cache.slots.count_slots()).map(|slot| self.layout.get(&words, slot)))
    }

    pub fn view(&self) -> View<'_> {
        View {
            trees: &self.cache.trees,
            layout: &self.layout,
            patches: &self.patches,
            store: &self.store,
            config: &self.config,
            stubborn: self.stubborn.as_ref(),
            symmetry: self.symmetry.as_ref(),
            locations: &self.locations,
            fast: None,
            visible: &self.visible,
            version: 0,
        }
    }

    /// Whether steps were left out.
    pub fn is_reduced(&self) -> bool {
        self.stubborn.is_some()
    }

    /// All edges; the end if a limit is met.
    pub fn graph(&self, control: &Control) -> Result<&ReachabilityGraph, End> {
        let limits = GraphLimits { bytes: self.left, until: self.until, control };
        self.graph
            .get_or_init(|| ReachabilityGraph::new(&self.view(), &self.index, limits))
            .as_ref()
            .map_err(|end| *end)
    }

    pub fn take_graph(&mut self, control: &Control) -> Option<ReachabilityGraph> {
        _ = self.graph(control);
        self.graph.take().and_then(Result::ok)
    }

    /// The outcomes that lead to a state from the start.
    pub fn path(&self, id: u32) -> Vec<u32> {
        self.edges(id).into_iter().flat_map(|e| e.1).collect()
    }

    /// On the way to a state: each state, the outcomes from there, and the factors after them.
    fn edges(&self, mut id: u32) -> Vec<(u32, Vec<u32>, Factors)> {
        let mut target = vec![0; self.layout.words];
        let mut path = Vec::new();
        let mut scratch = Scratch::default();
        while id != 0 {
            self.store.read(id, &mut target);
            let mut taken = None;
            // The first is the nearest to the start.
            for parent in self.store.parents(id) {
                self.view().successors(parent, Orbit::AllMembers, &mut scratch, |run, to, factors| {
                    let followed = self.cache.trees.outcomes[run[0] as usize].fate == Fate::Followed;
                    if taken.is_none() && followed && to == target {
                        taken = Some((parent, run.to_vec(), factors.to_vec()));
                    }
                });
                if taken.is_some() {
                    break;
                }
            }
            let Some(edge) = taken else { break };
            id = edge.0;
            path.push(edge);
        }
        path.reverse();
        path
    }

    /// A way to a state.
    pub fn way(&self, id: u32) -> StatePath {
        let steps = &self.cache.steps;
        let program = steps.semantics.program;
        let mut way = StatePath {
            moves: self.cache.first.moves.clone(),
            state: State::clone(&self.cache.first.state),
            permutation: Permutation::identity(program),
        };
        // How the states at hand are turned; what really happens is turned back.
        let mut turned = Permutation::identity(program);
        for (from, run, factors) in self.edges(id) {
            let moves = run.iter().flat_map(|o| self.cache.stories[*o as usize].moves.iter().copied());
            match way.permutation.is_identity() {
                true => way.moves.extend(moves),
                false => {
                    let run = steps.renamed(moves, &self.state(from), &way.permutation);
                    way.moves.extend(run.into_iter().map(|m| m.0));
                }
            }
            if let (Some(symmetry), false) = (&self.symmetry, factors.is_empty()) {
                turned = symmetry.permutation(program, &factors).after(&turned);
                way.permutation = turned.inverse();
            }
        }
        way.state = way.permutation.state(&self.state(id));
        way
    }
}

/// How a state is reached. Where there is symmetry, the state that stands for others is not the one
/// that is reached.
pub struct StatePath {
    pub moves: Vec<Move>,
    /// The state that is reached.
    pub state: State,
    /// What becomes of the names of tasks in the state that was kept.
    pub permutation: Permutation,
}
