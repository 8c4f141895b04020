//! The states found so far, packed, and the steps between them.

use hashbrown::HashTable;
use rendez_model::TaskId;
use rendez_model::semantics::Move;
use rendez_model::state::State;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A step between two states.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: u32,
    pub task: u16,
    pub flags: u8,
}

impl Edge {
    /// The target of a step that is not followed.
    pub const ELSEWHERE: u32 = u32::MAX;

    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

pub struct Graph {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    /// How each state was first reached.
    parents: Vec<(u32, Move)>,
    edges: Vec<Edge>,
    edge_ends: Vec<usize>,
    like: State,
    scratch: Vec<u8>,
}

impl Graph {
    pub fn new(initial: State) -> Graph {
        let mut graph = Graph {
            bytes: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            parents: Vec::new(),
            edges: Vec::new(),
            edge_ends: Vec::new(),
            like: initial.clone(),
            scratch: Vec::new(),
        };
        let none = Move { task: TaskId(0), choice: 0 };
        graph.insert(&initial, 0, none);
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
            + self.edge_ends.capacity() * 8
    }

    fn slice(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    pub fn state(&self, id: u32) -> State {
        State::decode(self.slice(id), &self.like)
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, state: &State, parent: u32, mv: Move) -> (u32, bool) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        state.encode(&mut scratch);
        let hash = hash(&scratch);
        let found = self.index.find(hash, |id| self.slice(*id) == scratch.as_slice()).copied();
        let result = match found {
            Some(id) => (id, false),
            None => {
                let id = self.ends.len() as u32;
                self.bytes.extend_from_slice(&scratch);
                self.ends.push(self.bytes.len());
                self.parents.push((parent, mv));
                let (bytes, ends) = (&self.bytes, &self.ends);
                self.index.insert_unique(hash, id, |id| {
                    let id = *id as usize;
                    let start = if id == 0 { 0 } else { ends[id - 1] };
                    self::hash(&bytes[start..ends[id]])
                });
                (id, true)
            }
        };
        self.scratch = scratch;
        result
    }

    /// Adds an edge of the state that is being expanded.
    pub fn add_edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// States are expanded in the order of their numbers.
    pub fn finish_state(&mut self) {
        self.edge_ends.push(self.edges.len());
    }

    pub fn expanded(&self) -> usize {
        self.edge_ends.len()
    }

    pub fn edges(&self, id: u32) -> &[Edge] {
        let id = id as usize;
        if id >= self.edge_ends.len() {
            return &[];
        }
        let start = if id == 0 { 0 } else { self.edge_ends[id - 1] };
        &self.edges[start..self.edge_ends[id]]
    }

    /// The moves that first led to a state.
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
