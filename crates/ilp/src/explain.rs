//! Looking for an execution that has the transitions of a solution.
//!
//! The tokens of the net are moved one transition at a time. In the first attempt, no transition happens more often
//! than in the solution; any order mostly will do, so the search is depth first. In the second, only the support
//! counts: the transitions of the solution may happen as often as one likes, and the search is breadth first. Wimmel
//! and Wolf look for a realisation of a solution of the state equation in much the same way (*Applying CEGAR to the
//! Petri net state equation*, 2012), and then add constraints; we compose components instead (`decide.rs`).
//!
//! What counts as success depends on the question: a target transition, a marking in which nobody can move, the
//! intervals of a query with the numbers of events that they require, or, for an infinite interval, a path back to a
//! marking with everything required on it.
//!
//! A failure is used, too. Some transition never became possible although each place that it needs was reached: then
//! two of these places were never reached together. Their components are named, since composing them removes this
//! solution. What is named is a guess where only some of the markings are looked at; a bad guess costs time, not
//! soundness.
//!
//! Nothing is concluded from finding an execution of the net: the moves behind it are replayed on the semantics.

use std::sync::atomic::Ordering;

use rendez_certificate::Goal;
use rendez_petri::Net;
use rendez_petri::net::{PlaceId, TransitionRole};
use rendez_verdict::Control;
use rustc_hash::{FxHashMap, FxHashSet};

pub enum Replayed {
    /// Transitions, in the order in which they happen, and from which on they are repeated.
    Found(Vec<u32>, Option<usize>),
    /// What could not happen, and two components whose places never go together.
    Stuck { transition: Option<u32>, apart: Option<(u32, u32)> },
}

struct SearchNode {
    marking: Vec<PlaceId>,
    /// How often each transition of the support may still happen.
    left: Option<Vec<u32>>,
    /// The node it comes from, and by which transition; None for the first.
    parent: Option<(u32, u32)>,
}

/// Searches at most so many markings.
const MOST: usize = 20_000;
/// Looks at so many pairs of places at most.
const PAIRS: usize = 50_000_000;

pub fn replay(net: &Net, goal: &Goal, x: &[i64], control: &Control) -> Replayed {
    within(net, goal, x, control, MOST)
}

/// The same, with a look at so many markings at most.
pub fn within(net: &Net, goal: &Goal, x: &[i64], control: &Control, most: usize) -> Replayed {
    let support: Vec<u32> = (0..net.transitions.len() as u32).filter(|t| x[*t as usize] > 0).collect();
    let mut explored: Vec<Vec<PlaceId>> = Vec::new();
    let mut fired: FxHashSet<u32> = FxHashSet::default();
    for counted in [true, false] {
        let search = FiringSearch { net, goal, support: &support, control, most };
        let counts = counted.then(|| support.iter().map(|t| x[*t as usize].min(1 << 20) as u32).collect());
        if let Some((path, loop_from)) = search.run(counts, &mut explored, &mut fired) {
            return Replayed::Found(path, loop_from);
        }
    }
    // What never happened though it had to, and where its components could not be at once.
    // Some of the markings will do where there are many places: what is refined is a guess.
    let pairs = (net.components.len() * net.components.len()).max(1);
    explored.truncate((PAIRS / pairs).max(20));
    let together: FxHashSet<(PlaceId, PlaceId)> =
        explored.iter().flat_map(|m| m.iter().flat_map(|a| m.iter().map(move |b| (*a, *b)))).collect();
    let mut stuck: Vec<u32> = support.iter().copied().filter(|t| !fired.contains(t)).collect();
    let is_target = |t: u32| !net.transitions[t as usize].goes_on();
    stuck.sort_by_key(|t| is_target(*t));
    let mut apart = None;
    for t in &stuck {
        let before = &net.transitions[*t as usize].before;
        let reached = before.iter().all(|p| together.contains(&(*p, *p)));
        for (i, a) in before.iter().enumerate() {
            for b in &before[..i] {
                if reached && !together.contains(&(*a, *b)) {
                    apart.get_or_insert((net.component_of(*a), net.component_of(*b)));
                }
            }
        }
        if apart.is_some() {
            return Replayed::Stuck { transition: Some(*t), apart };
        }
    }
    if let Goal::Marking(_) = goal {
        let wanted: Vec<PlaceId> =
            (0..net.places.len() as u32).filter(|p| x[net.transitions.len() + *p as usize] > 0).collect();
        for (i, a) in wanted.iter().enumerate() {
            for b in &wanted[..i] {
                let (x, y) = (net.component_of(*a), net.component_of(*b));
                if x != y && !together.contains(&(*a, *b)) {
                    apart.get_or_insert((net.component_of(*a), net.component_of(*b)));
                }
            }
        }
    }
    Replayed::Stuck { transition: stuck.first().copied(), apart }
}

struct FiringSearch<'a> {
    net: &'a Net,
    goal: &'a Goal,
    support: &'a [u32],
    control: &'a Control,
    most: usize,
}

impl FiringSearch<'_> {
    fn run(
        &self,
        counts: Option<Vec<u32>>,
        explored: &mut Vec<Vec<PlaceId>>,
        fired: &mut FxHashSet<u32>,
    ) -> Option<(Vec<u32>, Option<usize>)> {
        let net = self.net;
        let mut marking = vec![0; net.components.len()];
        net.initial.iter().for_each(|p| marking[net.component_of(*p) as usize] = *p);
        let mut nodes = vec![SearchNode { marking, left: counts, parent: None }];
        let mut seen: FxHashMap<(Vec<PlaceId>, Option<Vec<u32>>), ()> = FxHashMap::default();
        // Depth first where numbers limit it, one successor at a time: mostly any order will do. Breadth first
        // otherwise.
        let mut work = std::collections::VecDeque::from([(0u32, 0usize)]);
        let deep = nodes[0].left.is_some();
        while let Some((at, from)) = if deep { work.pop_back() } else { work.pop_front() } {
            if nodes.len() > self.most || self.control.stop.load(Ordering::Relaxed) {
                break;
            }
            if from == 0 {
                if self.is_reached(&nodes[at as usize].marking) || self.is_met(&nodes, at) {
                    return Some((path(&nodes, at), None));
                }
                if let Some(again) = self.repeats(&nodes, at) {
                    let mut path = path(&nodes, at);
                    let from = path.len();
                    path.extend(again);
                    return Some((path, Some(from)));
                }
                explored.push(nodes[at as usize].marking.clone());
            }
            for (i, t) in self.support.iter().enumerate().skip(from) {
                let transition = &net.transitions[*t as usize];
                let SearchNode { marking, left, .. } = &nodes[at as usize];
                let enabled = transition.before.iter().all(|p| marking[net.component_of(*p) as usize] == *p);
                if !enabled || left.as_ref().is_some_and(|l| l[i] == 0) {
                    continue;
                }
                fired.insert(*t);
                if !transition.goes_on() {
                    let mut found = path(&nodes, at);
                    found.push(*t);
                    if transition.role == TransitionRole::Target && self.requirements_met(&found) {
                        return Some((found, None));
                    }
                    continue;
                }
                let mut next = marking.clone();
                transition.after.iter().for_each(|p| next[net.component_of(*p) as usize] = *p);
                let mut left = left.clone();
                if let Some(left) = &mut left {
                    left[i] -= 1;
                }
                if seen.insert((next.clone(), left.clone()), ()).is_none() {
                    nodes.push(SearchNode { marking: next, left, parent: Some((at, *t)) });
                    if deep {
                        work.push_back((at, i + 1));
                    }
                    work.push_back((nodes.len() as u32 - 1, 0));
                    if deep {
                        break;
                    }
                }
            }
        }
        None
    }

    /// Whether the goal is a marking, and this is one.
    fn is_reached(&self, marking: &[PlaceId]) -> bool {
        match self.goal {
            Goal::Marking(lists) => lists.iter().all(|(places, most)| {
                let count =
                    places.iter().filter(|p| marking[self.net.component_of(**p) as usize] == **p).count();
                count as i64 <= *most
            }),
            _ => false,
        }
    }

    /// Whether a query that may end at any time is met.
    fn is_met(&self, nodes: &[SearchNode], at: u32) -> bool {
        let Goal::Query(query) = self.goal else { return false };
        let last = query.intervals.len() - 1;
        let there = |p: &PlaceId| self.net.places[*p as usize].interval as usize == last;
        query.intervals[last].ends.is_empty()
            && nodes[at as usize].marking.iter().all(there)
            && self.requirements_met(&path(nodes, at))
    }

    /// A way back to where one is, if the query ends with a loop: with everything in it that is
    /// required.
    fn repeats(&self, nodes: &[SearchNode], at: u32) -> Option<Vec<u32>> {
        let Goal::Query(query) = self.goal else { return None };
        let last = query.intervals.len() - 1;
        let interval = &query.intervals[last];
        let there = |p: &PlaceId| self.net.places[*p as usize].interval as usize == last;
        let start = &nodes[at as usize].marking;
        // How often something happens in a loop depends on how it is cut.
        let cannot = !interval.perpetual || !interval.constraints.is_empty() || interval.require.len() > 16;
        if cannot || !start.iter().all(there) || !self.met_before(&path(nodes, at), last) {
            return None;
        }
        let all = (1u32 << interval.require.len()) - 1;
        // Each marking with what was done, and where it comes from by which transition.
        type LoopNode = (Vec<PlaceId>, u32, Option<(usize, u32)>);
        let mut known: Vec<LoopNode> = vec![(start.clone(), 0, None)];
        let mut seen: FxHashSet<(Vec<PlaceId>, u32)> = FxHashSet::default();
        let mut next = 0;
        while next < known.len() && known.len() < self.most && !self.control.stop.load(Ordering::Relaxed) {
            let (marking, done, ..) = known[next].clone();
            for t in self.support {
                let transition = &self.net.transitions[*t as usize];
                let place = |p: &PlaceId| marking[self.net.component_of(*p) as usize] == *p;
                if transition.role != TransitionRole::Step || !transition.before.iter().all(place) {
                    continue;
                }
                let mut to = marking.clone();
                transition.after.iter().for_each(|p| to[self.net.component_of(*p) as usize] = *p);
                let mut done = done;
                for (i, letters) in interval.require.iter().enumerate() {
                    let has = transition.letters.iter().any(|l| letters.contains(&l.1));
                    done |= u32::from(has) << i;
                }
                if to == *start && done == all {
                    let mut way = vec![*t];
                    let mut at = next;
                    while let Some((from, by)) = known[at].2 {
                        way.push(by);
                        at = from;
                    }
                    way.reverse();
                    return Some(way);
                }
                if seen.insert((to.clone(), done)) {
                    known.push((to, done, Some((next, *t))));
                }
            }
            next += 1;
        }
        None
    }

    /// Whether the numbers of letters are what a query wants.
    fn requirements_met(&self, path: &[u32]) -> bool {
        let Goal::Query(query) = self.goal else { return true };
        !query.intervals.iter().any(|i| i.perpetual) && self.met_before(path, query.intervals.len())
    }

    /// The same for the first intervals of a query.
    fn met_before(&self, path: &[u32], intervals: usize) -> bool {
        let Goal::Query(query) = self.goal else { return true };
        let count = |k: usize, letters: &[u32]| -> i64 {
            let seen = path.iter().flat_map(|t| &self.net.transitions[*t as usize].letters);
            seen.filter(|l| usize::from(l.0) == k && letters.contains(&l.1)).count() as i64
        };
        query.intervals.iter().take(intervals).enumerate().all(|(k, interval)| {
            interval.require.iter().all(|letters| count(k, letters) > 0)
                && interval.constraints.iter().all(|linear| {
                    let sum: i64 =
                        linear.terms.iter().map(|(letters, factor)| factor * count(k, letters)).sum();
                    if linear.equal { sum == linear.least } else { sum >= linear.least }
                })
        })
    }
}

fn path(nodes: &[SearchNode], mut at: u32) -> Vec<u32> {
    let mut list = Vec::new();
    while let Some((from, by)) = nodes[at as usize].parent {
        list.push(by);
        at = from;
    }
    list.reverse();
    list
}
