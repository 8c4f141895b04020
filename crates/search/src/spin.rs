//! Sets of states that are never left: tasks that wait busily for ever, and tasks that never move
//! again while others do.

use rendez_model::{Program, TaskId};

use rendez_analysis::bottom_components;
use rendez_verdict::{Forever, POLLS, PROGRESS, all_stuck};

use crate::graph::Graph;

/// Looks at every component without exit that holds a cycle. Calls `found` with a state of the
/// component for each.
pub fn forever(program: &Program, graph: &Graph, mut found: impl FnMut(u32, Forever)) {
    for component in bottom_components(graph.len(), |s, k| graph.edges(s).get(k).map(|e| e.to)) {
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
                found(first, Forever::Spins(TaskId::from(t)));
            }
        }
        let mut stuck = all_stuck(program, &graph.state(first));
        stuck.retain(|t| !moves.get(t.index()).is_some_and(|m| m.0));
        if !stuck.is_empty() {
            found(first, Forever::Stuck(stuck));
        }
    }
}
