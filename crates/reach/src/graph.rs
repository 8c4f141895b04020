//! The reachability graph: numbered states and the outcomes between them, as flat arrays.
//!
//! The structure is separate from what is known about states and edges: attributes are vectors
//! indexed by state or edge number.

use rendez_evidence::bottom_components;

use crate::search::Reached;
use crate::steps::Fate;

pub struct Graph {
    /// Where the edges of each state begin; one more than there are states.
    starts: Vec<u32>,
    targets: Vec<u32>,
    outcomes: Vec<u32>,
}

/// The target of a step that is not followed.
pub const ELSEWHERE: u32 = u32::MAX;

impl Graph {
    /// None if it has too many edges.
    pub fn new(reached: &Reached) -> Option<Graph> {
        let n = reached.store.len();
        let mut graph =
            Graph { starts: Vec::with_capacity(n + 1), targets: Vec::new(), outcomes: Vec::new() };
        graph.starts.push(0);
        for id in 0..n as u32 {
            if reached.store.parent(id).is_some() {
                reached.successors(id, |outcome, to| {
                    let followed = reached.network.tables.outcomes[outcome as usize].fate == Fate::Followed;
                    let target = if followed { reached.store.find(to) } else { None };
                    graph.targets.push(target.unwrap_or(ELSEWHERE));
                    graph.outcomes.push(outcome);
                });
            }
            if graph.targets.len() >= ELSEWHERE as usize {
                return None;
            }
            graph.starts.push(graph.targets.len() as u32);
        }
        Some(graph)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, id: u32) -> std::ops::Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    /// Outcomes and targets of a state's edges.
    pub fn edges(&self, id: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.range(id).map(|e| (self.outcomes[e], self.targets[e]))
    }

    pub fn bottom_components(&self) -> Vec<Vec<u32>> {
        bottom_components(self.len(), |id, k| self.targets[self.range(id)].get(k).copied())
    }
}
