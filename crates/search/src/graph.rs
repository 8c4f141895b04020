//! The states found so far, packed, and the steps between them.
//!
//! States are stored as bytes, one behind the other in one vector. The encoding is equal exactly for equal states
//! (`rendez_model::state`), so comparing bytes is enough, and a hash table of numbers finds them. This is simple, and
//! takes a multiple of the memory that `rendez_reach` takes; the explorer is meant to be obviously right.
//!
//! Each state remembers how it was reached at the least cost, and its edges. Costs are steps, or task switches for
//! searches that count these; such searches also tell states apart by the task that moved last, because the cost of
//! what follows depends on it. A state that is found again more cheaply gets the new parent, so a path always is a
//! cheapest one among those that were explored.

use hashbrown::HashTable;
use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::State;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A step between two states.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// A state, or [`Edge::ELSEWHERE`].
    pub(crate) to: u32,
    pub task: u16,
    pub flags: u8,
}

impl Edge {
    /// The target of a step that is not followed: no state has that number.
    pub(crate) const ELSEWHERE: u32 = u32::MAX;

    /// The state that the step leads to; None if it is not followed.
    pub fn target(self) -> Option<u32> {
        Some(self.to).filter(|to| *to != Edge::ELSEWHERE)
    }

    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// What is new about a state that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    New,
    Cheaper,
    Known,
}

pub struct StateGraph {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    /// How each state was reached, and what that costs.
    parents: Vec<(u32, Move)>,
    costs: Vec<u32>,
    edges: Vec<Edge>,
    /// By state: the edges of its last expansion.
    ranges: Vec<(usize, usize)>,
    expanded: usize,
    /// States that differ only in the task that moved last are told apart.
    by_task: bool,
    like: State,
    scratch: Vec<u8>,
}

impl StateGraph {
    pub fn new(initial: State, by_task: bool) -> StateGraph {
        let mut graph = StateGraph {
            bytes: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            parents: Vec::new(),
            costs: Vec::new(),
            edges: Vec::new(),
            ranges: Vec::new(),
            expanded: 0,
            by_task,
            like: initial.clone(),
            scratch: Vec::new(),
        };
        let none = Move { task: TaskId(0), choice: 0 };
        graph.insert(&initial, 0, none, 0);
        graph
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// Bytes in use, near enough.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * 8
            + self.index.capacity() * 5
            + self.parents.capacity() * size_of::<(u32, Move)>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.costs.capacity() * 4
            + self.ranges.capacity() * size_of::<(usize, usize)>()
    }

    fn slice(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    pub fn state(&self, id: u32) -> State {
        State::decode(self.slice(id), &self.like)
    }

    /// The number of a state, and whether it is new or was reached at a lower cost than before.
    pub fn insert(&mut self, state: &State, parent: u32, mv: Move, cost: u32) -> (u32, Arrival) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        state.encode(&mut scratch);
        if self.by_task {
            // Decoding stops before this.
            scratch.extend((mv.task.0 as u16).to_le_bytes());
        }
        let hash = hash(&scratch);
        let found = self.index.find(hash, |id| self.slice(*id) == scratch.as_slice()).copied();
        let result = match found {
            Some(id) if cost < self.costs[id as usize] => {
                self.costs[id as usize] = cost;
                self.parents[id as usize] = (parent, mv);
                (id, Arrival::Cheaper)
            }
            Some(id) => (id, Arrival::Known),
            None => {
                let id = self.ends.len() as u32;
                self.bytes.extend_from_slice(&scratch);
                self.ends.push(self.bytes.len());
                self.parents.push((parent, mv));
                self.costs.push(cost);
                self.ranges.push((0, 0));
                let (bytes, ends) = (&self.bytes, &self.ends);
                self.index.insert_unique(hash, id, |id| {
                    let id = *id as usize;
                    let start = if id == 0 { 0 } else { ends[id - 1] };
                    self::hash(&bytes[start..ends[id]])
                });
                (id, Arrival::New)
            }
        };
        self.scratch = scratch;
        result
    }

    /// Adds an edge of the state that is being expanded.
    pub fn add_edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// The edges from number `first` on are those of a state.
    pub fn finish_state(&mut self, id: u32, first: usize) {
        self.expanded += 1;
        self.ranges[id as usize] = (first, self.edges.len());
    }

    pub fn expanded(&self) -> usize {
        self.expanded
    }

    pub fn edges(&self, id: u32) -> &[Edge] {
        let (first, end) = self.ranges[id as usize];
        &self.edges[first..end]
    }

    /// What it costs to reach a state.
    pub fn cost(&self, id: u32) -> u32 {
        self.costs[id as usize]
    }

    /// The task whose step led to a state.
    pub fn moved(&self, id: u32) -> TaskId {
        self.parents[id as usize].1.task
    }

    /// The state before.
    pub fn parent(&self, id: u32) -> u32 {
        self.parents[id as usize].0
    }

    /// Whether another task moved before.
    pub fn switched(&self, id: u32) -> bool {
        let (parent, mv) = self.parents[id as usize];
        mv.task != self.moved(parent)
    }

    /// The number of a state, if it was found.
    pub fn find(&mut self, state: &State) -> Option<u32> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        state.encode(&mut scratch);
        let found = self.index.find(hash(&scratch), |id| self.slice(*id) == scratch.as_slice()).copied();
        self.scratch = scratch;
        found
    }

    /// The moves that led to a state at the least cost.
    pub fn path(&self, mut id: u32) -> Vec<Move> {
        let mut moves = Vec::new();
        while id != 0 {
            let (parent, mv) = self.parents[id as usize];
            moves.push(mv);
            id = parent;
        }
        moves.reverse();
        moves
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    // The table uses the high bits, too.
    let h = hasher.finish();
    h ^ (h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
