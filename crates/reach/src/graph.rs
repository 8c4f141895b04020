//! The reachability graph: numbered states and the outcomes between them, as flat arrays.
//!
//! The structure is separate from what is known about states and edges: attributes are vectors
//! indexed by state or edge number.

use rendez_evidence::bottom_components;

use crate::search::View;
use crate::steps::Fate;
use crate::stubborn::Scratch;

pub struct Graph {
    /// Where the edges of each state begin; one more than there are states.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// The outcomes of each edge, and where those of an edge end.
    outcomes: Vec<u32>,
    ends: Vec<u32>,
}

/// The target of a step that is not followed.
pub const ELSEWHERE: u32 = u32::MAX;

impl Graph {
    /// None if it has too many edges.
    pub fn new(view: &View) -> Option<Graph> {
        let n = view.store.len();
        let mut scratch = Scratch::default();
        let mut graph = Graph {
            starts: Vec::with_capacity(n + 1),
            targets: Vec::new(),
            outcomes: Vec::new(),
            ends: Vec::new(),
        };
        graph.starts.push(0);
        for id in 0..n as u32 {
            if view.store.parent(id).is_some() {
                view.successors(id, &mut scratch, |run, to| {
                    let followed = view.tables.outcomes[run[0] as usize].fate == Fate::Followed;
                    let target = if followed { view.store.find(to) } else { None };
                    graph.targets.push(target.unwrap_or(ELSEWHERE));
                    graph.outcomes.extend_from_slice(run);
                    graph.ends.push(graph.outcomes.len() as u32);
                });
            }
            if graph.outcomes.len() >= ELSEWHERE as usize {
                return None;
            }
            graph.starts.push(graph.targets.len() as u32);
        }
        Some(graph)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The numbers of a state's edges.
    pub fn range(&self, id: u32) -> std::ops::Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    pub fn target(&self, edge: usize) -> u32 {
        self.targets[edge]
    }

    /// The outcomes that happen on an edge.
    pub fn run(&self, edge: usize) -> &[u32] {
        let from = if edge == 0 { 0 } else { self.ends[edge - 1] as usize };
        &self.outcomes[from..self.ends[edge] as usize]
    }

    /// Outcomes and targets of a state's edges.
    pub fn edges(&self, id: u32) -> impl Iterator<Item = (&[u32], u32)> + '_ {
        self.range(id).map(|e| (self.run(e), self.targets[e]))
    }

    pub fn bottom_components(&self) -> Vec<Vec<u32>> {
        bottom_components(self.len(), |id, k| self.targets[self.range(id)].get(k).copied())
    }
}
