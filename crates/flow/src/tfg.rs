//! Trace flow graphs: the control-flow graphs of all tasks, joined where tasks interact.
//!
//! The graph is that of FLAVERS (Dwyer et al., 2004, sections 4.1.2 to 4.3). Every interaction of two participants is a
//! communication node: it belongs to both, is entered from one node of each, and leads to successors in both. An
//! initial node leads to the first nodes of all tasks, and the end of the main program to the final node. What may
//! happen in parallel is kept as a relation (`mhp.rs`), and nodes that are never reached are removed.
//!
//! An accept statement with a body needs two communication nodes, for its start and its end, and a node between them in
//! which the caller waits. There is one such node for each pair of a call and an accept statement, so the end of a
//! nested rendezvous never frees the wrong caller.
//!
//! Ours goes beyond the paper in these points:
//! - A protected object is a participant like a task, with three nodes: free, read and held. Locks and protected
//!   entries are communication nodes with it.
//! - Starting a task, waiting for its end, calls of completed tasks, and rendezvous that end with an exception are
//!   interactions, too. The paper models programs in which none of these goes wrong.
//! - Tasks that nothing tells apart share one set of nodes. An operation stays in a shared node only if it does the
//!   same whoever does it; otherwise what it writes becomes unknown. A class knows its size, so a node may happen in
//!   parallel with itself. The graph then does not grow with the number of clients, except by sets of values that they
//!   pass.
//! - A main program that only starts tasks and waits for them is left out; the end of any task then leads to the final
//!   node.
//!
//! Each of these adds paths or keeps them, and none removes a path that an execution takes. So whatever propagation
//! proves holds, and what it finds is replayed on the semantics.
mod assembly;

use std::collections::BTreeSet;

use rendez_analysis::parallel::Parallel;
use rendez_model::monitor::Monitor;
use rendez_model::{EntryId, Loc, ObjectId, Program, TaskId, VarId};

use crate::cfg::{Facts, Letter, Op, Unfit};
use crate::mhp::Bits;
use assembly::Assembly;

pub type NodeId = u32;

/// Participants that share nodes: alike tasks, or one protected object.
#[derive(Clone, Debug)]
pub struct Class {
    pub members: Vec<TaskId>,
    pub object: Option<ObjectId>,
    pub init: NodeId,
    /// None where the end is never reached, as for an object.
    pub last: Option<NodeId>,
    /// Somebody starts it; until then it is at its first node.
    pub dormant: bool,
}

impl Class {
    pub fn size(&self) -> usize {
        if self.object.is_some() { 1 } else { self.members.len() }
    }
}

/// What a node is, for people and for replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Local,
    /// A rendezvous begins, or begins and ends.
    Accept {
        entry: EntryId,
        whole: bool,
    },
    Finish {
        entry: EntryId,
    },
    /// The body of a protected entry begins.
    Enter {
        entry: EntryId,
    },
    /// Any other interaction: a lock, the start or end of a task, an exception.
    Other,
}

#[derive(Clone, Debug)]
pub struct TfgNode {
    /// The classes it belongs to: none, one, or two.
    pub classes: Vec<u16>,
    pub kind: NodeKind,
    pub loc: Loc,
    pub ops: Vec<Op>,
    pub letters: Vec<Letter>,
    /// For communication nodes: where the two participants come from.
    pub from: Option<(NodeId, NodeId)>,
    /// Where they go on: one list for each class.
    pub then: [Vec<NodeId>; 2],
    pub unsupported: bool,
    /// The participant is completed or has ended.
    pub completed: bool,
}

impl TfgNode {
    pub fn is_com(&self) -> bool {
        self.from.is_some()
    }

    pub fn successors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.then[0].iter().chain(&self.then[1]).copied()
    }
}

pub struct Tfg {
    pub classes: Vec<Class>,
    pub nodes: Vec<TfgNode>,
    pub initial: NodeId,
    pub last: NodeId,
    /// The communication nodes that each node leads to.
    pub communications: Vec<Vec<NodeId>>,
    /// May happen in parallel.
    pub mhp: Parallel,
    /// The main program only starts the tasks and waits for them: it is not followed.
    pub without_main: bool,
    /// What numbers that stand for sets mean.
    pub sets: Vec<BTreeSet<i64>>,
}

/// How a graph is built.
pub struct TfgPlan<'a> {
    pub program: &'a Program,
    pub facts: &'a Facts,
    pub automata: &'a [Monitor],
    /// Tasks that have nodes of their own whatever they look like.
    pub separate: &'a BTreeSet<TaskId>,
    /// Whether other tasks that are alike share nodes.
    pub merge: bool,
    /// Cells that may be followed: what is done to them stays visible.
    pub cells: &'a BTreeSet<VarId>,
    /// Merge silent nodes with the same predecessors.
    pub optimise: bool,
    /// As published: calls of completed tasks do not fail.
    pub published: bool,
}

impl Tfg {
    pub fn new(plan: &TfgPlan) -> Result<Tfg, Unfit> {
        Assembly::new(plan)?.finish()
    }

    /// The control edges.
    pub fn control_edges(&self) -> usize {
        self.control().iter().map(Vec::len).sum()
    }

    /// Where control goes from each node, communication nodes included.
    pub fn control(&self) -> Vec<Vec<NodeId>> {
        let unique = |(n, communications): (&TfgNode, &Vec<NodeId>)| {
            n.successors()
                .chain(communications.iter().copied())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect()
        };
        self.nodes.iter().zip(&self.communications).map(unique).collect()
    }

    /// Where a participant goes on from a node, communication nodes included.
    pub fn within(&self, n: NodeId, class: u16) -> Vec<NodeId> {
        let node = &self.nodes[n as usize];
        if !node.is_com() {
            return node.then[0].iter().chain(&self.communications[n as usize]).copied().collect();
        }
        let sides = node.classes.iter().zip(&node.then).filter(|(c, _)| **c == class);
        sides.flat_map(|(_, side)| side.iter().copied()).collect()
    }

    fn find_communications(&mut self) {
        self.communications = vec![Vec::new(); self.nodes.len()];
        for (c, node) in self.nodes.iter().enumerate() {
            if let Some((p, q)) = node.from {
                self.communications[p as usize].push(c as NodeId);
                if q != p {
                    self.communications[q as usize].push(c as NodeId);
                }
            }
        }
    }

    /// The pairs of nodes that may happen in parallel, each once.
    pub fn mhp_pairs(&self) -> Vec<(NodeId, NodeId)> {
        let mut pairs = Vec::new();
        for a in 0..self.nodes.len() as NodeId {
            for b in self.mhp.row(a).ones().filter(|b| *b > a) {
                pairs.push((a, b));
            }
        }
        pairs
    }

    /// Edges between tasks for the given nodes.
    pub fn mip_edges(&self, events: &Bits) -> usize {
        let all = events.ones();
        all.map(|a| self.mhp.row(a).ones().filter(|b| events.get(*b)).count()).sum()
    }

    /// Leaves out what is never reached.
    fn keep(&mut self) {
        const NONE: u32 = Parallel::NO_NUMBER;
        let mut number = vec![NONE; self.nodes.len()];
        let mut next = 0;
        for (n, slot) in number.iter_mut().enumerate() {
            let stays =
                self.mhp.is_reached(n as NodeId) || n as NodeId == self.initial || n as NodeId == self.last;
            if stays {
                *slot = next;
                next += 1;
            }
        }
        let old = std::mem::take(&mut self.nodes);
        for (n, mut node) in old.into_iter().enumerate() {
            if number[n] == NONE {
                continue;
            }
            for side in &mut node.then {
                *side = side.iter().map(|s| number[*s as usize]).filter(|s| *s != NONE).collect();
            }
            node.from = node.from.map(|(p, q)| (number[p as usize], number[q as usize]));
            self.nodes.push(node);
        }
        self.mhp = self.mhp.renumbered(&number, next as usize);
        self.initial = number[self.initial as usize];
        self.last = number[self.last as usize];
        for class in &mut self.classes {
            class.init = number[class.init as usize];
            class.last = class.last.map(|last| number[last as usize]).filter(|last| *last != NONE);
        }
    }
}
