//! Bottom strongly connected components: tasks that spin in them, and tasks that never move there.
//!
//! In a bottom component, every state is visited again and again, or can be. A task that has an edge there but never
//! makes progress, and looks at what others could change, spins: nobody will change it. A task without an edge never
//! moves again. A component that is one state without steps is a blocked state or an end, which the search reports by
//! itself.
//!
//! Which edges are progress, or a look at something, was decided when the step was taken (`rendez_verdict::ProgressClassifier`). A
//! step that is not followed leads elsewhere, so no component with one is a bottom component.

use rendez_model::{Program, TaskId};

use rendez_analysis::bottom_components;
use rendez_verdict::{Nonprogress, POLLS, PROGRESS, all_stuck};

use crate::graph::StateGraph;

/// The components without exit. A step that is not followed leaves a component.
pub fn bottoms(graph: &StateGraph) -> Vec<Vec<u32>> {
    bottom_components(graph.len(), |s, k| graph.edges(s).get(k).map(|e| e.to))
}

/// Looks at every component without exit that holds a cycle. Calls `found` with a state of the
/// component for each.
pub fn forever(program: &Program, graph: &StateGraph, mut found: impl FnMut(u32, Nonprogress)) {
    for component in bottoms(graph) {
        let inside_edges = component.iter().flat_map(|s| graph.edges(*s));
        let mut moves: Vec<(bool, bool, bool)> = Vec::new();
        for edge in inside_edges {
            let t = usize::from(edge.task);
            if moves.len() <= t {
                moves.resize(t + 1, (false, false, false));
            }
            moves[t].0 = true;
            moves[t].1 |= edge.has(PROGRESS);
            moves[t].2 |= edge.has(POLLS);
        }
        if moves.is_empty() {
            // A single state without steps: blocked or ended, which others look at.
            continue;
        }
        let first = component.iter().copied().min().unwrap_or(0);
        for (t, (moved, progress, polls)) in moves.iter().enumerate() {
            if *moved && !progress && *polls && !program.tasks[t].background {
                found(first, Nonprogress::Spins(TaskId::from(t)));
            }
        }
        let mut stuck = all_stuck(program, &graph.state(first));
        stuck.retain(|t| !moves.get(t.index()).is_some_and(|m| m.0));
        if !stuck.is_empty() {
            found(first, Nonprogress::Stuck(stuck));
        }
    }
}
