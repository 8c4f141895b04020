//! The order in which a directed search looks at states.
//!
//! Directed model checking (Edelkamp, Lluch-Lafuente and Leue; Rungta and Mercer, *An improved distance heuristic
//! function for directed software model checking*, 2006) replaces the stack or queue of a search by a priority queue.
//! The loop is the explorer's; this file is the frontier that it asks for the next state. Keys are made of the steps to
//! a state, g, and the estimate to an error, h:
//! - best-first orders by h, as in the paper, and among equal h prefers the task that moved last and then the state
//!   found last;
//! - A* (Hart, Nilsson and Raphael) orders by g + h, and a weighted A* by g plus a multiple of h. A state that is found
//!   again by a shorter way is put back. With an estimate that never exceeds the true distance, A* finds a shortest
//!   trace;
//! - depth first, breadth first and beam search use the estimate only to order siblings, or a level;
//! - two orders count task switches instead of steps, since traces with few switches are the easiest to read. One is
//!   exact; the other keeps a bounded number of states after each switch. Musuvathi and Qadeer bound the number of
//!   switches in the same way, since many errors need few (PLDI 2007).
//!
//! An estimate may also name the task that should move. Best-first search then tries only this task's steps at first,
//! and puts the state back behind its equals for the others. No state is lost by this.
//!
//! A search that drops states (beam, bounded switches) says so, and proves nothing when its queue is empty.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rendez_model::TaskId;
use rendez_model::state::State;
use rendez_search::{Frontier, StateGraph};
use rendez_verdict::Observation;

/// How a search goes through the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The nearest to the target first, whatever the way that led there.
    Best,
    /// The shortest way first, by steps made and steps estimated.
    AStar,
    /// The estimate counts so many hundredths.
    Weighted(u32),
    /// Deeper and deeper, the nearest first.
    Depth,
    Breadth,
    /// Only so many states of each depth are kept.
    Beam(usize),
    /// The fewest task switches first.
    Switches,
    /// The same, but of the states after each switch only so many are kept.
    Runs(usize),
    /// Random executions, again and again.
    Walk,
}

/// The distance of a state, and the task that should move, if that is known.
pub type Estimate<'a> = Box<dyn FnMut(&State) -> (u32, Option<TaskId>) + 'a>;
type WantsObservation<'a> = Box<dyn FnMut(&Observation, &State) -> bool + 'a>;
type IsTarget<'a> = Box<dyn FnMut(&State) -> bool + 'a>;

/// What decides, the estimate, the last found, and the state.
type QueueEntry = (u64, u32, Reverse<u32>, u32);

/// States waiting to be expanded, with what the search is after.
pub struct Guided<'a> {
    order: Order,
    estimate: Estimate<'a>,
    wants: WantsObservation<'a>,
    target: IsTarget<'a>,
    heap: BinaryHeap<Reverse<QueueEntry>>,
    /// The estimates of states found since the last expansion.
    fresh: Vec<(u32, u32)>,
    stack: Vec<u32>,
    level: VecDeque<u32>,
    /// By state: it waits to be expanded.
    open: Vec<bool>,
    counter: u32,
    dropped: bool,
    /// States of which only the steps of one task are to be tried at first.
    preferred: rustc_hash::FxHashMap<u32, (TaskId, u64, u32)>,
    /// By state: steps to it.
    depth: Vec<u32>,
    /// Task switches up to the states that are expanded now.
    now: u32,
    /// States after the next switch: estimate, steps still to be made up for, and the state.
    seeds: Vec<(u32, Reverse<u32>, u32)>,
}

impl<'a> Guided<'a> {
    pub fn new(
        order: Order,
        estimate: Estimate<'a>,
        wants: WantsObservation<'a>,
        target: IsTarget<'a>,
    ) -> Guided<'a> {
        Guided {
            order,
            estimate,
            wants,
            target,
            heap: BinaryHeap::new(),
            fresh: Vec::new(),
            stack: Vec::new(),
            level: VecDeque::new(),
            open: Vec::new(),
            counter: 0,
            dropped: false,
            preferred: Default::default(),
            depth: Vec::new(),
            now: 0,
            seeds: Vec::new(),
        }
    }
}

impl Frontier for Guided<'_> {
    fn push(&mut self, id: u32, graph: &StateGraph, state: &State) {
        if self.order == Order::Breadth {
            self.level.push_back(id);
            return;
        }
        let known = (id as usize) < self.open.len();
        let shortens = matches!(self.order, Order::AStar | Order::Weighted(_) | Order::Switches);
        if known && !shortens {
            return;
        }
        if !known {
            self.open.resize(id as usize + 1, false);
        }
        // Found again at a lower cost: to be expanded once more.
        self.open[id as usize] = true;
        let (h, next) = (self.estimate)(state);
        if let Order::Runs(_) = self.order {
            let depth = if id == 0 { 0 } else { self.depth[graph.parent(id) as usize] + 1 };
            if self.depth.len() <= id as usize {
                self.depth.resize(id as usize + 1, 0);
            }
            self.depth[id as usize] = depth;
            match graph.cost(id) <= self.now {
                true => self.stack.push(id),
                false => self.seeds.push((h, Reverse(depth), id)),
            }
            return;
        }
        if matches!(self.order, Order::Depth | Order::Beam(_)) {
            self.fresh.push((h, id));
            return;
        }
        let g = u64::from(graph.cost(id));
        let key = match self.order {
            Order::AStar => g + u64::from(h),
            Order::Weighted(percent) => g * 100 + u64::from(h) * u64::from(percent),
            Order::Switches => g,
            // Who moved goes on, if that is as good.
            _ => u64::from(h) * 2 + u64::from(graph.switched(id)),
        };
        // Among equals the nearest, then the one found last.
        self.counter += 1;
        self.heap.push(Reverse((key, h, Reverse(self.counter), id)));
        if let (Order::Best, Some(task)) = (self.order, next) {
            self.preferred.insert(id, (task, key, h));
        }
    }

    fn pop(&mut self) -> Option<u32> {
        match self.order {
            Order::Breadth => self.level.pop_front(),
            Order::Depth => {
                // The nearest on top.
                self.fresh.sort_by_key(|(h, _)| Reverse(*h));
                self.stack.extend(self.fresh.drain(..).map(|(_, id)| id));
                self.stack.pop()
            }
            Order::Runs(width) => {
                if self.stack.is_empty() {
                    self.seeds.sort_unstable();
                    self.dropped |= self.seeds.len() > width;
                    self.seeds.truncate(width);
                    self.stack.extend(self.seeds.drain(..).map(|(_, _, id)| id));
                    self.now += 1;
                }
                self.stack.pop()
            }
            Order::Beam(width) => {
                if self.level.is_empty() {
                    self.fresh.sort_by_key(|(h, _)| *h);
                    if self.fresh.len() > width {
                        self.fresh.truncate(width);
                        self.dropped = true;
                    }
                    self.level.extend(self.fresh.drain(..).map(|(_, id)| id));
                }
                self.level.pop_front()
            }
            _ => loop {
                let Reverse((_, _, _, id)) = self.heap.pop()?;
                // Of several copies the cheapest comes first.
                if std::mem::replace(&mut self.open[id as usize], false) {
                    return Some(id);
                }
            },
        }
    }

    fn cost(&self, last: TaskId, next: TaskId) -> u32 {
        match self.order {
            Order::Switches | Order::Runs(_) => u32::from(last != next),
            _ => 1,
        }
    }

    fn by_task(&self) -> bool {
        matches!(self.order, Order::Switches | Order::Runs(_))
    }

    fn wants(&mut self, seen: &Observation, state: &State) -> bool {
        (self.wants)(seen, state)
    }

    fn is_target(&mut self, state: &State) -> bool {
        (self.target)(state)
    }

    fn prefers(&mut self, id: u32, _: &State) -> Option<TaskId> {
        self.preferred.get(&id).map(|p| p.0)
    }

    fn put_off(&mut self, id: u32) {
        if let Some((_, key, h)) = self.preferred.remove(&id) {
            self.open[id as usize] = true;
            // The last among equals.
            self.heap.push(Reverse((key, h, Reverse(0), id)));
        }
    }

    fn keeps_all(&self) -> bool {
        !self.dropped
    }
}
