//! State propagation: tuples of automaton states flow through the trace flow graph, breadth first.
//!
//! This is the analysis of FLAVERS (Dwyer et al., 2004, section 5). Control moves along the edges of a task, or to an
//! event of another task that may happen in parallel. The property is violated if its automaton comes to a state from
//! which it cannot accept, at any node, or if the final node is reached in a state that does not accept while every
//! constraint allows the end. The paper looks at the final node; the first rule also covers executions that block or
//! run for ever.
//!
//! The paper keeps a set of tuples per node. We keep a set of nodes per tuple, as bits. A step to a silent node keeps
//! the tuple, so the successors of a node are a few words that are combined with the words of the tuple; what an event
//! makes of a tuple is computed once per tuple, wherever the event was reached from. In-parallel edges are never made:
//! they are rows of the relation, and an event of a row that was tried with a tuple is not tried again. Breadth-first
//! order makes the first path that is found a shortest one.
//!
//! The partial-order reduction is that of Naumovich, Clarke and Cobleigh (*Using partial order techniques to improve
//! performance of data flow analysis based verification*, 1999, section 4), with changes, since as published it loses
//! orders and proves false properties. Events of one task that no other task's automaton sees are executed in one go.
//! Between events, control may switch to another task only behind an event that is not local, or behind one after which
//! the task meets somebody or comes to its end; and only to an event that stands first after something that is not
//! local. The final node, and the end of every task, count like a meeting: without that, tuples in which all tasks have
//! ended are lost. "After" skips silent nodes. A communication node is never local: an event behind it cannot be
//! postponed together with it, because the meeting concerns the partner as well. Random properties compare the analysis
//! with and without the reduction.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rendez_verdict::{Control, End, Options};
use rustc_hash::FxHashMap;

use crate::constraint::{Problem, Tuple};
use crate::mhp::Bits;
use crate::tfg::NodeId;

/// What propagation found.
pub struct Propagated {
    pub verdict: Conclusion,
    pub tuples: usize,
    pub node_tuples: usize,
    pub bytes: usize,
    /// Nodes that some tuple reaches.
    pub reached: Bits,
    /// Some execution may come to its end.
    pub ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Holds,
    /// A shortest path that breaks the property, and whether it does so at the end.
    Broken {
        path: Vec<NodeId>,
        at_end: bool,
    },
    /// A path to something without a model.
    Unsupported {
        path: Vec<NodeId>,
    },
    Cut(End),
}

/// Where an event may be followed by an event of somebody else.
pub struct Interleaving {
    /// By event node, in the order of `events`.
    rows: Vec<Bits>,
    nodes: Vec<NodeId>,
    /// Events that change nothing.
    neutral: Vec<bool>,
    /// By node.
    ways: Vec<Continuation>,
    /// Silent nodes: a word of the set of nodes, and which of its bits.
    silent: Vec<(u32, u64)>,
    /// Numbers of events.
    followers: Vec<u32>,
    /// Edges before and after the reduction.
    pub before: usize,
    pub after: usize,
}

/// Where control goes from a node: a part of the silent nodes, and a part of the events.
struct Continuation {
    silent: std::ops::Range<u32>,
    followers: std::ops::Range<u32>,
    /// The number of the node as an event, if it is one.
    number: Option<u32>,
    /// The end may follow.
    ends: bool,
    /// Neither is it an event, nor does one follow.
    without_events: bool,
}

impl Interleaving {
    /// All edges between events that may happen in parallel; with `reduced` only those that some
    /// order of events needs.
    pub fn new(problem: &Problem, program: &rendez_model::Program, reduced: bool) -> Interleaving {
        let tfg = problem.tfg;
        let nodes: Vec<NodeId> = problem.events.ones().collect();
        let mut number: Vec<Option<u32>> = vec![None; tfg.nodes.len()];
        for (i, n) in nodes.iter().enumerate() {
            number[*n as usize] = Some(i as u32);
        }
        let mut rows: Vec<Bits> = Vec::with_capacity(nodes.len());
        for n in &nodes {
            let mut row = Bits::new(nodes.len());
            for m in tfg.mhp.row(*n).ones() {
                if let Some(event) = number[m as usize] {
                    row.set(event);
                }
            }
            rows.push(row);
        }
        let before = rows.iter().map(Bits::count).sum();
        let neutral = nodes.iter().map(|n| problem.is_neutral(*n)).collect();
        let mut silent: Vec<(u32, u64)> = Vec::new();
        let mut followers = Vec::new();
        let mut ways = Vec::new();
        for (n, list) in tfg.control().into_iter().enumerate() {
            let from = (silent.len(), followers.len());
            let ends = list.contains(&tfg.last);
            for t in list {
                if let Some(event) = number[t as usize] {
                    followers.push(event);
                    continue;
                }
                match silent[from.0..].iter_mut().find(|(word, _)| *word == t / 64) {
                    Some((_, bits)) => *bits |= 1 << (t % 64),
                    None => silent.push((t / 64, 1 << (t % 64))),
                }
            }
            let without_events = number[n].is_none() && from.1 == followers.len();
            ways.push(Continuation {
                silent: from.0 as u32..silent.len() as u32,
                followers: from.1 as u32..followers.len() as u32,
                number: number[n],
                ends,
                without_events,
            });
        }
        let mut result =
            Interleaving { rows, nodes, neutral, ways, silent, followers, before, after: before };
        if reduced {
            result.reduce(problem, program);
        }
        result
    }

    /// The order of two events that concern different tasks only matters where something else
    /// depends on it. Events of one task that no other task's automaton sees are executed in one
    /// go: nobody comes in between, unless the task meets somebody or ends next.
    fn reduce(&mut self, problem: &Problem, program: &rendez_model::Program) {
        let tfg = problem.tfg;
        let local = problem.locals(program);
        let is_global = |n: NodeId| problem.events.get(n) && local[n as usize].is_none();
        let control = tfg.control();
        let next = |n: NodeId| control[n as usize].iter().copied();
        // Events of a task that follow, over silent nodes of the task, its start or an event that is
        // not its own business. All others can be put right behind what comes before them.
        let mut marked = Bits::new(tfg.nodes.len());
        for class in 0..tfg.classes.len() as u16 {
            let mut seen = Bits::new(tfg.nodes.len());
            let mut work = vec![tfg.classes[usize::from(class)].init];
            for n in problem.events.ones() {
                let node = &tfg.nodes[n as usize];
                if node.classes.contains(&class) && local[n as usize] != Some(class) {
                    work.extend(tfg.within(n, class));
                }
            }
            while let Some(n) = work.pop() {
                if problem.events.get(n) {
                    marked.set(n);
                } else if seen.set(n) {
                    work.extend(tfg.within(n, class));
                }
            }
        }
        // Events after which somebody is met, or the end comes, over silent nodes.
        let goes_out = |n: NodeId| {
            let mut seen = Bits::new(tfg.nodes.len());
            let mut work = vec![n];
            while let Some(at) = work.pop() {
                for s in next(at) {
                    let node = &tfg.nodes[s as usize];
                    if node.is_com() || s == tfg.last || tfg.classes.iter().any(|c| c.last == Some(s)) {
                        return true;
                    }
                    if !problem.events.get(s) && seen.set(s) {
                        work.push(s);
                    }
                }
            }
            false
        };
        for i in 0..self.nodes.len() {
            let n = self.nodes[i];
            if !is_global(n) && !goes_out(n) {
                self.rows[i] = Bits::new(self.nodes.len());
                continue;
            }
            let mut row = Bits::new(self.nodes.len());
            for m in self.rows[i].ones() {
                if marked.get(self.nodes[m as usize]) {
                    row.set(m);
                }
            }
            self.rows[i] = row;
        }
        self.after = self.rows.iter().map(Bits::count).sum();
    }
}

/// A tuple that has come to a node.
struct TupleAt {
    tuple: u32,
    node: NodeId,
    /// The position in the queue that it came from, or `FIRST`.
    from: u32,
}

/// Where the first tuple came from.
const FIRST: u32 = u32::MAX;

/// Propagates until nothing is new, or the property is broken.
pub fn propagate(
    problem: &mut Problem,
    edges: &Interleaving,
    options: &Options,
    control: &Control,
    started: Instant,
) -> Propagated {
    let tfg = problem.tfg;
    let first = problem.initial();
    let mut run = Propagation {
        problem,
        edges,
        tuples: Vec::new(),
        known: FxHashMap::default(),
        at: Vec::new(),
        stride: tfg.nodes.len().div_ceil(64),
        tried: Vec::new(),
        queue: Vec::with_capacity(64 * tfg.nodes.len()),
        out: Vec::new(),
        fresh: Vec::new(),
        ended: false,
    };
    let first = run.tuple(first);
    run.comes(first, tfg.initial);
    run.queue.push(TupleAt { tuple: first, node: tfg.initial, from: FIRST });
    let mut next = 0;
    let verdict = loop {
        if run.problem.is_doomed(&run.tuples[first as usize]) {
            break Conclusion::Broken { path: vec![tfg.initial], at_end: false };
        }
        let Some(&TupleAt { tuple, node, .. }) = run.queue.get(next) else { break Conclusion::Holds };
        if next.is_multiple_of(1024) {
            control.states.store(run.queue.len(), Ordering::Relaxed);
            if let Some(end) = run.limit(options, control, started) {
                break Conclusion::Cut(end);
            }
        }
        let here = next as u32;
        next += 1;
        let way = &edges.ways[node as usize];
        if let Some(found) = run.pass_silent(tuple, way, here) {
            break found;
        }
        if !way.without_events
            && let Some(found) = run.try_events(tuple, way, here)
        {
            break found;
        }
    };
    let mut reached = Bits::new(tfg.nodes.len());
    run.at.chunks(run.stride).for_each(|row| reached.add(row));
    Propagated {
        verdict,
        tuples: run.tuples.len(),
        node_tuples: run.queue.len(),
        bytes: run.bytes(),
        reached,
        ended: run.ended,
    }
}

struct Propagation<'r, 'a> {
    problem: &'r mut Problem<'a>,
    edges: &'r Interleaving,
    tuples: Vec<Tuple>,
    known: FxHashMap<Tuple, u32>,
    /// Per tuple: the nodes it is at, in so many words each.
    at: Vec<u64>,
    stride: usize,
    /// Per tuple: the events that were tried.
    tried: Vec<Bits>,
    queue: Vec<TupleAt>,
    /// An execution may end.
    ended: bool,
    // Room for results, used again and again.
    out: Vec<Tuple>,
    fresh: Vec<u32>,
}

impl Propagation<'_, '_> {
    fn tuple(&mut self, tuple: Tuple) -> u32 {
        if let Some(id) = self.known.get(&tuple) {
            return *id;
        }
        let id = self.tuples.len() as u32;
        self.known.insert(tuple.clone(), id);
        self.tuples.push(tuple);
        self.at.resize(self.at.len() + self.stride, 0);
        self.tried.push(Bits::new(self.edges.nodes.len()));
        id
    }

    fn bytes(&self) -> usize {
        let bits = self.problem.tfg.nodes.len() / 8 + self.edges.nodes.len() / 8;
        self.tuples.len() * (bits + 160) + self.queue.len() * size_of::<TupleAt>()
    }

    /// Whether a tuple is at a node for the first time.
    fn comes(&mut self, tuple: u32, node: NodeId) -> bool {
        let word = &mut self.at[tuple as usize * self.stride + node as usize / 64];
        let new = *word >> (node % 64) & 1 == 0;
        *word |= 1 << (node % 64);
        new
    }

    /// The limit that is met, if one is.
    fn limit(&self, options: &Options, control: &Control, started: Instant) -> Option<End> {
        match () {
            () if control.ended().is_some() => control.ended(),
            () if options.timeout.is_some_and(|t| started.elapsed() > t) => Some(End::Time),
            () if self.bytes() > options.memory => Some(End::Memory),
            () if self.queue.len() > options.max_states => Some(End::States),
            () => None,
        }
    }

    /// A tuple goes on to the silent nodes behind a node, without a change; a verdict if it comes to the end.
    #[inline]
    fn pass_silent(&mut self, tuple: u32, way: &Continuation, here: u32) -> Option<Conclusion> {
        let before = self.queue.len();
        let row = tuple as usize * self.stride;
        for (word, bits) in &self.edges.silent[way.silent.start as usize..way.silent.end as usize] {
            let there = &mut self.at[row + *word as usize];
            let mut new = *bits & !*there;
            *there |= new;
            while new != 0 {
                self.queue.push(TupleAt { tuple, node: word * 64 + new.trailing_zeros(), from: here });
                new &= new - 1;
            }
        }
        let last = self.problem.tfg.last;
        if !way.ends || !self.queue[before..].iter().any(|r| r.node == last) {
            return None;
        }
        self.ended |= self.problem.may_end(&self.tuples[tuple as usize]);
        if !self.problem.fails_at_end(&self.tuples[tuple as usize]) {
            return None;
        }
        while self.queue.last().is_some_and(|r| r.node != last) {
            self.queue.pop();
        }
        Some(Conclusion::Broken { path: path(&self.queue), at_end: true })
    }

    /// Tries the events that follow a node: those of its own task, and those of others.
    #[inline]
    fn try_events(&mut self, tuple: u32, way: &Continuation, here: u32) -> Option<Conclusion> {
        let edges = self.edges;
        for event in &edges.followers[way.followers.start as usize..way.followers.end as usize] {
            if self.tried[tuple as usize].set(*event)
                && let Some(found) = self.try_event(tuple, *event, here)
            {
                return Some(found);
            }
        }
        let row = &edges.rows[way.number? as usize];
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        self.tried[tuple as usize].take_new(row, &mut fresh);
        let found = fresh.iter().find_map(|event| self.try_event(tuple, *event, here));
        self.fresh = fresh;
        found
    }

    /// What an event makes of a tuple; a verdict if that ends the search.
    fn try_event(&mut self, tuple: u32, event: u32, here: u32) -> Option<Conclusion> {
        let node = self.edges.nodes[event as usize];
        if self.edges.neutral[event as usize] {
            if self.comes(tuple, node) {
                self.queue.push(TupleAt { tuple, node, from: here });
            }
            return None;
        }
        let mut out = std::mem::take(&mut self.out);
        self.problem.step(&self.tuples[tuple as usize], node, &mut out);
        let mut found = None;
        for after in out.drain(..) {
            let id = self.tuple(after);
            if !self.comes(id, node) {
                continue;
            }
            self.queue.push(TupleAt { tuple: id, node, from: here });
            if self.problem.tfg.nodes[node as usize].unsupported {
                found = Some(Conclusion::Unsupported { path: path(&self.queue) });
                break;
            }
            if self.problem.is_doomed(&self.tuples[id as usize]) {
                found = Some(Conclusion::Broken { path: path(&self.queue), at_end: false });
                break;
            }
        }
        out.clear();
        self.out = out;
        found
    }
}

/// The nodes that lead to the last one.
fn path(queue: &[TupleAt]) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut at = queue.len() as u32 - 1;
    while at != FIRST {
        nodes.push(queue[at as usize].node);
        at = queue[at as usize].from;
    }
    nodes.reverse();
    nodes
}
