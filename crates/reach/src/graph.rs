//! The reachability graph: numbered states and the edges between them, as flat arrays.
//!
//! As in CATS (Young et al., 1995, section 3.3.1 and figure 9), the structure is separate from what is known about
//! states and edges: attributes are vectors indexed by state or edge number. The edges of a state are a range of one
//! array (compressed sparse rows). An edge is a run of outcomes, because chains of deterministic steps are collapsed;
//! the array of ends is made only if some run is longer than one.
//!
//! The search stores states, not edges. The graph is made afterwards by expanding every state once more, with the same
//! reductions as in the search, and by looking the targets up in the index, many at a time so that memory is fetched
//! for all of them at once. Threads make parts of it for ranges of states, which are then joined. This takes a second
//! pass but spares most searches the memory, since many questions need no edges at all.
//!
//! The second half of the file answers who moves in a bottom strongly connected component when there is symmetry. An
//! edge leads to the representative of its target's orbit, so tasks may have changed places on the way. `Roles` follows
//! each task of the first state through the permutations of all edges, and joins two tasks that come to the same place
//! on different ways (a union-find structure). What one task of a role does, every task of that role does sooner or
//! later, because the component can be traversed again with the tasks exchanged. So a step is followed for ever, or a
//! task never moves again, by role and not by name.

use std::ops::Range;
use std::time::Instant;

use rendez_analysis::bottom_components;
use rendez_model::TaskId;
use rendez_verdict::{Control, End};
use rustc_hash::FxHashMap;

use crate::expand::{Orbit, View};
use crate::index::Index;
use crate::store::Finder;
use crate::stubborn::Scratch;
use rendez_petri::steps::Fate;

pub struct ReachabilityGraph {
    /// Where the edges of each state begin; one more than there are states.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// The outcomes of each edge, and where those of an edge end; without that, each has one.
    outcomes: Vec<u32>,
    ends: Option<Vec<u32>>,
}

/// Edges whose targets are looked for at once.
const TOGETHER: usize = 128;
/// The target of a step that is not followed: no state has that number.
const ELSEWHERE: u32 = u32::MAX;
/// Edges and outcomes are numbered in 32 bits.
const MOST_NUMBERS: usize = u32::MAX as usize;

/// What making a graph may take.
#[derive(Clone, Copy)]
pub struct GraphLimits<'c> {
    pub bytes: usize,
    pub until: Option<Instant>,
    pub control: &'c Control,
}

impl GraphLimits<'_> {
    fn end(&self, bytes: usize) -> Option<End> {
        if bytes > self.bytes {
            Some(End::Memory)
        } else if let Some(told) = self.control.ended() {
            Some(told)
        } else {
            self.until.is_some_and(|until| Instant::now() > until).then_some(End::Time)
        }
    }
}

impl ReachabilityGraph {
    /// The end if a limit is met.
    pub fn new(view: &View, index: &Index, limits: GraphLimits) -> Result<ReachabilityGraph, End> {
        let n = view.store.len() as u32;
        let threads = if n < 4096 { 1 } else { view.threads().max(1) as u32 };
        let part = |k: u32| (u64::from(n) * u64::from(k) / u64::from(threads)) as u32;
        let finder = &view.store.finder(index, threads as usize);
        let bytes = limits.bytes.saturating_sub(finder.memory()) / threads as usize;
        let limits = GraphLimits { bytes, ..limits };
        let parts: Vec<Result<ReachabilityGraph, End>> = std::thread::scope(|scope| {
            let part = |k: u32| {
                scope.spawn(move || ReachabilityGraph::of(view, finder, part(k)..part(k + 1), limits))
            };
            let others: Vec<_> = (1..threads).map(part).collect();
            let first = ReachabilityGraph::of(view, finder, 0..n / threads, limits);
            let others = others.into_iter().map(|part| part.join().unwrap_or(Err(End::Interrupted)));
            std::iter::once(first).chain(others).collect()
        });
        let mut parts = parts.into_iter();
        let mut graph = parts.next().unwrap_or(Err(End::Interrupted))?;
        for part in parts {
            let part = part?;
            if graph.outcomes.len() + part.outcomes.len() >= MOST_NUMBERS {
                return Err(End::Memory);
            }
            graph.append(&part);
        }
        Ok(graph)
    }

    /// The edges of some states.
    fn of(
        view: &View,
        finder: &Finder,
        states: Range<u32>,
        limits: GraphLimits,
    ) -> Result<ReachabilityGraph, End> {
        let mut scratch = Scratch::default();
        let mut graph = ReachabilityGraph {
            starts: Vec::with_capacity(states.len() + 1),
            targets: Vec::new(),
            outcomes: Vec::new(),
            ends: None,
        };
        graph.starts.push(0);
        // Edges whose targets are looked for together, and these.
        let (mut edges, mut targets) = (Vec::new(), Vec::new());
        let last = states.end.saturating_sub(1);
        for id in states {
            view.successors(id, Orbit::OneMember, &mut scratch, |run, to, _| {
                if view.trees.outcomes[run[0] as usize].fate == Fate::Followed {
                    edges.push(graph.targets.len());
                    targets.extend_from_slice(to);
                }
                graph.add(ELSEWHERE, run);
            });
            if edges.len() >= TOGETHER || id == last {
                finder.find(&targets, |which, target| graph.targets[edges[which]] = target);
                edges.clear();
                targets.clear();
                let numbers = graph.outcomes.len() < MOST_NUMBERS;
                if let Some(end) = limits.end(if numbers { graph.memory() } else { usize::MAX }) {
                    return Err(end);
                }
            }
            graph.starts.push(graph.targets.len() as u32);
        }
        Ok(graph)
    }

    /// Adds the edges of the states that follow.
    fn append(&mut self, other: &ReachabilityGraph) {
        let (edges, outcomes) = (self.targets.len() as u32, self.outcomes.len() as u32);
        if self.ends.is_some() || other.ends.is_some() {
            let mine = self.ends.get_or_insert_with(|| (1..=edges).collect());
            match &other.ends {
                Some(ends) => mine.extend(ends.iter().map(|e| e + outcomes)),
                None => mine.extend((1..=other.targets.len() as u32).map(|e| e + outcomes)),
            }
        }
        self.starts.extend(other.starts[1..].iter().map(|s| s + edges));
        self.targets.extend(&other.targets);
        self.outcomes.extend(&other.outcomes);
    }

    fn add(&mut self, target: u32, run: &[u32]) {
        if run.len() != 1 && self.ends.is_none() {
            self.ends = Some((1..=self.targets.len() as u32).collect());
        }
        self.targets.push(target);
        self.outcomes.extend_from_slice(run);
        if let Some(ends) = &mut self.ends {
            ends.push(self.outcomes.len() as u32);
        }
    }

    fn memory(&self) -> usize {
        let ends = self.ends.as_ref().map_or(0, Vec::capacity);
        4 * (self.starts.capacity() + self.targets.capacity() + self.outcomes.capacity() + ends)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The numbers of a state's edges.
    pub fn range(&self, id: u32) -> Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// The state that an edge leads to; None if its step is not followed.
    #[inline]
    pub fn target(&self, edge: usize) -> Option<u32> {
        Some(self.targets[edge]).filter(|to| *to != ELSEWHERE)
    }

    /// The outcomes that happen on an edge.
    pub fn run(&self, edge: usize) -> &[u32] {
        match &self.ends {
            None => &self.outcomes[edge..=edge],
            Some(ends) => {
                let from = if edge == 0 { 0 } else { ends[edge - 1] as usize };
                &self.outcomes[from..ends[edge] as usize]
            }
        }
    }

    /// Outcomes and targets of a state's edges.
    pub fn edges(&self, id: u32) -> impl Iterator<Item = (&[u32], Option<u32>)> + '_ {
        self.range(id).map(|e| (self.run(e), self.target(e)))
    }

    pub fn bottom_components(&self) -> Vec<Vec<u32>> {
        bottom_components(self.len(), |id, k| self.targets[self.range(id)].get(k).copied())
    }
}

/// Which task is which in the states of a set that is never left.
///
/// A step leads to a state that may stand for another one, in which alike tasks have changed places.
/// Tasks that change places on some way around have one role: what one of them does, the others do
/// too, sooner or later.
pub struct Roles {
    /// By state and task: the task it is in the first state. Nothing without symmetry.
    first: FxHashMap<u32, Vec<u32>>,
    /// By task in the first state.
    role: Vec<u32>,
}

impl Roles {
    pub fn new(view: &View, graph: &ReachabilityGraph, component: &[u32]) -> Roles {
        let mut roles = Roles { first: FxHashMap::default(), role: Vec::new() };
        let (Some(symmetry), Some(start)) = (view.symmetry, component.first()) else { return roles };
        let tasks = view.trees.tasks();
        roles.role = (0..tasks as u32).collect();
        roles.first.insert(*start, roles.role.clone());
        let mut scratch = Scratch::default();
        let mut work = vec![*start];
        while let Some(id) = work.pop() {
            // Nothing happens there, or the number has no state at all.
            if graph.range(id).is_empty() {
                continue;
            }
            let mut edge = graph.range(id).start;
            let here = roles.first[&id].clone();
            view.each_pair(id, |t, u| roles.unite(here[t], here[u]));
            let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
            view.successors(id, Orbit::OneMember, &mut scratch, |_, _, factors| {
                let target = graph.target(edge);
                edge += 1;
                if let Some(target) = target {
                    let mut there = vec![0; tasks];
                    for (t, first) in here.iter().enumerate() {
                        there[symmetry.task(factors, TaskId::from(t)).index()] = *first;
                    }
                    found.push((target, there));
                }
            });
            for (target, there) in found {
                match roles.first.get(&target).cloned() {
                    Some(known) => known.iter().zip(&there).for_each(|(a, b)| roles.unite(*a, *b)),
                    None => {
                        roles.first.insert(target, there);
                        work.push(target);
                    }
                }
            }
        }
        roles
    }

    /// The role of a task in a state.
    pub fn of(&self, id: u32, task: usize) -> usize {
        self.first.get(&id).map_or(task, |first| self.find(first[task]) as usize)
    }

    fn find(&self, mut task: u32) -> u32 {
        while self.role[task as usize] != task {
            task = self.role[task as usize];
        }
        task
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.role[a.max(b) as usize] = a.min(b);
    }
}
