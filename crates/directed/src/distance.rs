//! How far a task is from where it should come: the distances FSM, EFSM, FCA and e-FCA.
//!
//! All four are lower bounds on the steps in which the task takes part, from Rungta and Mercer (2006, sections II to
//! IV). *FSM* is a shortest path in the graph of the whole task, in which a callee returns to any caller. *EFSM* tells
//! callers apart by the last k calls, and follows the stack of the state: at each frame, the target may lie ahead, or
//! the frame is left and the walk goes on in the caller (figure 2). *FCA* summarises whole callees, so no bound k is
//! needed. *e-FCA* follows the stack with these summaries, and is the default: procedures are not inlined here, so the
//! state has the stack.
//!
//! Why the walk is right: an execution that reaches the target either does so before it leaves the current frame, or
//! leaves it first, by its end or by an exception, and continues in the caller. The minimum over both, frame by frame,
//! is never more than what any execution needs.
//!
//! The paper knows returns only. A frame here may also be left by an exception, which goes on at the handlers of the
//! call site; a body that is run on behalf of somebody else ends where the task was; and an abort, or the end of an
//! asynchronous select, takes the task away from anywhere, so the distance from there counts as well.
//!
//! Distances in the bounded graph of EFSM are computed lazily, per frame. Its size grows exponentially with k, as the
//! paper says; a graph beyond two million nodes is cut, and where the stack is not found in it, FSM is used.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use rendez_analysis::access::Access;
use rendez_model::state::{Frame, Status, TaskState};
use rendez_model::{Action, Loc, Program, TaskId};
use rustc_hash::FxHashMap;

use crate::code::{FAR, NodeNumbers, TaskCode, plus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Fsm,
    /// With so many calls told apart.
    Efsm(usize),
    Fca,
    Efca,
}

/// The code of every task, ready to measure.
pub struct Distances<'p> {
    program: &'p Program,
    measure: Measure,
    places: NodeNumbers,
    codes: Vec<TaskCode>,
    bounded: RefCell<FxHashMap<TaskId, Rc<Bounded>>>,
    aborts: bool,
}

/// The distance of one task to some locations.
pub struct TargetDistance {
    pub task: TaskId,
    /// The nearest way out of the task's graphs leads there: several tasks may come there at once.
    pub after_exit: bool,
    table: DistanceTable,
}

enum DistanceTable {
    /// By node.
    ByNode(Vec<u32>),
    /// By node, without leaving the graph: the rest is on the stack.
    Inside(Vec<u32>),
    Bounded {
        graph: Rc<Bounded>,
        targets: Vec<u32>,
        any_return: Vec<u32>,
        known: RefCell<FxHashMap<u32, Frames>>,
    },
}

/// For one frame of a bounded graph, by node: steps to a target in scope, and to the end.
type Frames = Rc<(Vec<u32>, Vec<u32>)>;

impl<'p> Distances<'p> {
    pub fn new(program: &'p Program, access: &Access, measure: Measure) -> Distances<'p> {
        let places = NodeNumbers::new(program, access);
        let codes = (0..program.tasks.len())
            .map(|t| TaskCode::new(program, access, &places, TaskId::from(t)))
            .collect();
        let aborts =
            program.nodes.iter().any(|n| matches!(n.action, Action::Abort { .. } | Action::Async { .. }));
        Distances { program, measure, places, codes, bounded: RefCell::default(), aborts }
    }

    /// Prepares the distance of a task to some locations of its code; None if it never gets there.
    pub fn target(&self, task: TaskId, locs: &[Loc]) -> Option<TargetDistance> {
        let code = &self.codes[task.index()];
        let targets: Vec<u32> = locs
            .iter()
            .map(|l| self.places.of(*l))
            .zip(locs)
            .filter(|(i, l)| code.locs.get(*i as usize) == Some(l))
            .map(|(i, _)| i)
            .collect();
        if targets.is_empty() {
            return None;
        }
        let inside = code.to_target(&targets);
        let after_exit = inside[code.exit as usize] != FAR;
        let table = match self.measure {
            Measure::Efca => DistanceTable::Inside(inside),
            Measure::Fca => DistanceTable::ByNode(code.to_target_anyhow(&targets)),
            Measure::Fsm => DistanceTable::ByNode(code.to_target_by_any_return(&targets)),
            Measure::Efsm(calls) => {
                let graph = self.bounded(task, calls);
                let any_return = code.to_target_by_any_return(&targets);
                let targets = graph.all(&targets);
                DistanceTable::Bounded { graph, targets, any_return, known: RefCell::default() }
            }
        };
        Some(TargetDistance { task, after_exit, table })
    }

    fn bounded(&self, task: TaskId, calls: usize) -> Rc<Bounded> {
        let make = || Rc::new(Bounded::new(&self.codes[task.index()], calls));
        self.bounded.borrow_mut().entry(task).or_insert_with(make).clone()
    }

    /// How far the task of a target is from it.
    pub fn of(&self, target: &TargetDistance, ts: &TaskState) -> u32 {
        match ts.status {
            Status::Terminated => return FAR,
            Status::Unborn | Status::Created => return plus(1, self.from(target, ts.pc, &[])),
            _ => {}
        }
        let mut best = self.from(target, ts.pc, &ts.frames);
        for transfer in &ts.transfers {
            if let Action::Async { triggered, .. } = self.program.node(transfer.site).action {
                let frames = &ts.frames[..usize::from(transfer.frames).min(ts.frames.len())];
                best = best.min(plus(1, self.from(target, triggered, frames)));
            }
        }
        if self.aborts {
            best = best.min(plus(1, self.from(target, self.program.tasks[target.task.index()].exit, &[])));
        }
        best
    }

    fn from(&self, target: &TargetDistance, pc: Loc, frames: &[Frame]) -> u32 {
        let code = &self.codes[target.task.index()];
        match &target.table {
            DistanceTable::ByNode(table) => table[self.places.of(pc) as usize],
            DistanceTable::Inside(inside) => self.unwind(code, inside, pc, frames),
            DistanceTable::Bounded { graph, targets, any_return, known } => {
                let sites: Vec<u32> = frames.iter().rev().map(|f| self.places.of(f.site)).collect();
                graph
                    .unwind(code, self.places.of(pc), &sites, targets, &mut known.borrow_mut())
                    .unwrap_or(any_return[self.places.of(pc) as usize])
            }
        }
    }

    /// Follows the stack outwards: at each frame the target is ahead, or the frame is left.
    fn unwind(&self, code: &TaskCode, inside: &[u32], pc: Loc, frames: &[Frame]) -> u32 {
        let mut best = FAR;
        // Where the frame may be entered again, and after how many steps; an exception on its way out.
        let mut entries = vec![(0, self.places.of(pc))];
        let mut raised = FAR;
        for frame in frames.iter().rev() {
            let mut end = FAR;
            let mut raise = raised;
            for (cost, node) in entries.drain(..) {
                best = best.min(plus(cost, inside[node as usize]));
                end = end.min(plus(cost, code.to_end[node as usize]));
                raise = raise.min(plus(cost, code.to_raise[node as usize]));
            }
            let at = self.places.of(frame.site);
            raised = FAR;
            match code.site_at[at as usize] {
                // Bodies run for somebody else end where the task was.
                _ if frame.serving.is_some() => entries.push((plus(end, 1), at)),
                Some(site) => {
                    let site = &code.sites[site as usize];
                    if end != FAR {
                        entries.push((plus(end, 1), site.next));
                    }
                    if raise != FAR {
                        entries.extend(site.handlers.iter().map(|h| (plus(raise, 1), *h)));
                        if site.escapes {
                            raised = raise;
                        }
                    }
                }
                None => entries.extend(code.after[at as usize].iter().map(|n| (plus(end, 1), *n))),
            }
        }
        let mut raise = raised;
        for (cost, node) in entries {
            best = best.min(plus(cost, inside[node as usize]));
            raise = raise.min(plus(cost, code.to_raise[node as usize]));
        }
        best.min(plus(plus(raise, 1), inside[code.exit as usize]))
    }

    /// The numbers of the paper at a location: steps to the end of its graph.
    pub fn to_end(&self, task: TaskId, loc: Loc) -> u32 {
        self.codes[task.index()].to_end[self.places.of(loc) as usize]
    }

    /// And to the nearest of some locations without leaving the graph.
    pub fn to_error(&self, task: TaskId, loc: Loc, locs: &[Loc]) -> u32 {
        let targets: Vec<u32> = locs.iter().map(|l| self.places.of(*l)).collect();
        self.codes[task.index()].to_target(&targets)[self.places.of(loc) as usize]
    }
}

/// The graph of a task whose nodes know the last few calls.
struct Bounded {
    calls: usize,
    /// Nodes: location and frame.
    nodes: Vec<(u32, u32)>,
    index: FxHashMap<(u32, u32), u32>,
    /// Frames: a graph and the last calls that led to it, the latest first.
    frames: FxHashMap<(Option<u32>, Vec<u32>), u32>,
    graphs: Vec<(Option<u32>, Vec<u32>)>,
    before: Vec<Vec<u32>>,
    /// By frame: the nodes that return from it.
    ends: Vec<Vec<u32>>,
    /// By node: it is such a node of its frame, and its steps leave the frame.
    is_end: Vec<bool>,
}

impl Bounded {
    fn new(code: &TaskCode, calls: usize) -> Bounded {
        let mut graph = Bounded {
            calls,
            nodes: Vec::new(),
            index: FxHashMap::default(),
            frames: FxHashMap::default(),
            graphs: Vec::new(),
            before: Vec::new(),
            ends: Vec::new(),
            is_end: Vec::new(),
        };
        let is_return: rustc_hash::FxHashSet<u32> =
            code.callees.iter().flat_map(|c| c.ends.iter().copied()).collect();
        let top = graph.frame(None, Vec::new());
        let mut work = VecDeque::new();
        for start in [code.start, code.exit] {
            graph.node(start, top, &mut work);
        }
        // By frame: the nodes that callers go on at.
        let mut resumed: Vec<Vec<u32>> = Vec::new();
        let mut done = 0;
        while let Some(n) = work.pop_front() {
            done += 1;
            if done > MAX_NODES {
                break;
            }
            let (at, frame) = graph.nodes[n as usize];
            for to in &code.after[at as usize] {
                let m = graph.node(*to, frame, &mut work);
                graph.before[m as usize].push(n);
            }
            if let Some(s) = code.site_at[at as usize] {
                let site = &code.sites[s as usize];
                let mut last = vec![site.at];
                last.extend(&graph.graphs[frame as usize].1);
                last.truncate(calls);
                let back = graph.node(site.next, frame, &mut work);
                for c in &site.callees {
                    let inner = graph.frame(Some(*c), last.clone());
                    let start = graph.node(code.callees[*c as usize].start, inner, &mut work);
                    graph.before[start as usize].push(n);
                    resumed.resize(graph.graphs.len().max(resumed.len()), Vec::new());
                    resumed[inner as usize].push(back);
                }
                for h in &site.handlers {
                    let h = graph.node(*h, frame, &mut work);
                    graph.before[h as usize].push(n);
                }
            }
            if is_return.contains(&at) {
                graph.is_end[n as usize] = true;
                graph.ends[frame as usize].push(n);
            }
        }
        for (frame, targets) in resumed.iter().enumerate() {
            for target in targets {
                let ends = graph.ends[frame].clone();
                graph.before[*target as usize].extend(ends);
            }
        }
        graph
    }

    fn frame(&mut self, graph: Option<u32>, calls: Vec<u32>) -> u32 {
        let key = (graph, calls);
        if let Some(found) = self.frames.get(&key) {
            return *found;
        }
        let id = self.graphs.len() as u32;
        self.graphs.push(key.clone());
        self.frames.insert(key, id);
        self.ends.push(Vec::new());
        id
    }

    fn node(&mut self, at: u32, frame: u32, work: &mut VecDeque<u32>) -> u32 {
        *self.index.entry((at, frame)).or_insert_with(|| {
            let id = self.nodes.len() as u32;
            self.nodes.push((at, frame));
            self.before.push(Vec::new());
            self.is_end.push(false);
            work.push_back(id);
            id
        })
    }

    /// The nodes at some locations.
    fn all(&self, targets: &[u32]) -> Vec<u32> {
        (0..self.nodes.len() as u32).filter(|n| targets.contains(&self.nodes[*n as usize].0)).collect()
    }

    /// Steps backwards from some nodes, not through the ends of a frame if one is given.
    fn distances(&self, from: &[u32], closed: Option<u32>) -> Vec<u32> {
        let mut settled = vec![FAR; self.nodes.len()];
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        from.iter().for_each(|n| settled[*n as usize] = 0);
        while let Some(n) = queue.pop_front() {
            let v = settled[n as usize] + 1;
            let frame = self.nodes[n as usize].1;
            for p in &self.before[n as usize] {
                let leaves = self.is_end[*p as usize] && frame != self.nodes[*p as usize].1;
                if leaves && Some(self.nodes[*p as usize].1) == closed {
                    continue;
                }
                if settled[*p as usize] == FAR {
                    settled[*p as usize] = v;
                    queue.push_back(*p);
                }
            }
        }
        settled
    }

    /// The procedure `Extended_FSM` of the paper; None if the stack is not one of the graph's.
    fn unwind(
        &self,
        code: &TaskCode,
        mut pc: u32,
        sites: &[u32],
        targets: &[u32],
        known: &mut FxHashMap<u32, Frames>,
    ) -> Option<u32> {
        let mut best = FAR;
        let mut path = 0;
        for depth in 0..=sites.len() {
            let graph = match depth == sites.len() {
                true => None,
                false => code.graph_of[pc as usize],
            };
            let last: Vec<u32> = sites[depth..].iter().copied().take(self.calls).collect();
            let frame = *self.frames.get(&(graph, last))?;
            let node = *self.index.get(&(pc, frame))? as usize;
            let tables = known
                .entry(frame)
                .or_insert_with(|| {
                    let ends = &self.ends[frame as usize];
                    Rc::new((self.distances(targets, Some(frame)), self.distances(ends, None)))
                })
                .clone();
            best = best.min(plus(path, tables.0[node]));
            if depth == sites.len() {
                break;
            }
            path = plus(path, plus(tables.1[node], 1));
            pc = code.sites[code.site_at[sites[depth] as usize]? as usize].next;
        }
        Some(best)
    }
}

/// Larger graphs are cut.
const MAX_NODES: usize = 2_000_000;
