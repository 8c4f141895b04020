//! The published elimination of spurious cycles, as rows of a linear system.
//!
//! Siegel and Avrunin (2002, section 3.2.2) give each state a depth and choose transitions: each state that is entered
//! is entered by a chosen transition, from a state of smaller depth. Following chosen transitions backwards, depths
//! fall, so the start is reached, and no flow goes around a cycle that it never entered. Choices are 0 or 1; the
//! condition on depths is switched off by a large constant where a transition is not chosen.
//!
//! To tell that a state is entered, the rows need a bound on how often a transition happens. What is proved with these
//! rows holds for executions within the bound only, which the paper says, too. The bound is an assumption of the
//! verdict and stands in the certificate. Section 3.2.3 applies the rows to chosen tasks; here to chosen components and
//! intervals.
//!
//! By default the engine does without: it cuts off cycles lazily and without a bound (`rendez_ilp`). The bound also
//! hurts numerically, because with a constant of ten thousand a choice of a hundred-thousandth passes for zero and
//! still lets flow through. These rows exist to compare sizes and times with the paper, and for users who want the
//! published analysis.

use rendez_petri::net::Net;
use rustc_hash::FxHashMap;

use crate::system::{Row, System};

/// Where cycles are kept out: in the component that stands for a slot, in one interval or in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sector {
    pub slot: u32,
    pub interval: Option<u32>,
}

/// A way from one vertex to another, and the column that counts how often it is gone; without one,
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub from: u32,
    pub to: u32,
    pub flow: Option<u32>,
}

/// Adds depths for vertices and choices of arcs. Tells how many rows are added that are not just
/// bounds of one column.
pub fn keep_connected(system: &mut System, vertices: usize, arcs: &[Arc], bound: i64) -> usize {
    let before = system.rows.len();
    let n = vertices as i64;
    let depth = system.columns as u32;
    system.columns += vertices;
    for v in 0..vertices as u32 {
        system.rows.push(Row::at_most(vec![(depth + v, 1)], n));
    }
    let mut bounds = vertices;
    let mut into: Vec<Vec<(u32, Option<u32>)>> = vec![Vec::new(); vertices];
    for Arc { from, to, flow } in arcs {
        let chosen = system.columns as u32;
        system.columns += 1;
        into[*to as usize].push((chosen, *flow));
        system.rows.push(Row::at_most(vec![(chosen, 1)], 1));
        bounds += 1;
        match flow {
            Some(flow) => {
                system.rows.push(Row::at_most(vec![(*flow, 1)], bound));
                bounds += 1;
                system.rows.push(Row::at_least(vec![(*flow, 1), (chosen, -1)], 0));
            }
            None => system.rows.push(Row::at_most(vec![(chosen, 1)], 1)),
        }
        let terms = match from == to {
            true => vec![(chosen, -(n + 1))],
            false => vec![(depth + to, 1), (depth + from, -1), (chosen, -(n + 1))],
        };
        system.rows.push(Row::at_least(terms, -n));
    }
    for list in into.iter().filter(|list| !list.is_empty()) {
        let size = list.len() as i64;
        let mut terms: Vec<(u32, i64)> = list.iter().map(|(s, _)| (*s, bound * size)).collect();
        terms.extend(list.iter().filter_map(|(_, flow)| flow.map(|f| (f, -1))));
        let fixed = list.iter().filter(|(_, flow)| flow.is_none()).count() as i64;
        system.rows.push(Row::at_least(terms, fixed));
    }
    system.rows.len() - before - bounds
}

/// Adds them for some components of a net.
pub fn add(system: &mut System, net: &Net, sectors: &[Sector], bound: i64) {
    let intervals = net.places.iter().map(|p| p.interval + 1).max().unwrap_or(0);
    for (c, component) in net.components.iter().enumerate() {
        for interval in 0..intervals {
            let wanted = |s: &Sector| {
                component.slots.contains(&s.slot) && s.interval.is_none_or(|wanted| wanted == interval)
            };
            if sectors.iter().any(wanted) {
                let (vertices, arcs) = automaton(net, c as u32, interval);
                keep_connected(system, vertices, &arcs, bound);
            }
        }
    }
}

/// The places of a component in an interval, behind a vertex from which it comes there.
fn automaton(net: &Net, component: u32, interval: u32) -> (usize, Vec<Arc>) {
    let mut vertex: FxHashMap<u32, u32> = FxHashMap::default();
    for (p, place) in net.places.iter().enumerate() {
        if place.component == component && place.interval == interval {
            vertex.insert(p as u32, vertex.len() as u32 + 1);
        }
    }
    let first = net.initial.iter().filter_map(|p| vertex.get(p));
    let mut arcs: Vec<Arc> = first.map(|to| Arc { from: 0, to: *to, flow: None }).collect();
    for (t, transition) in net.transitions.iter().enumerate() {
        for (from, to) in transition.before.iter().zip(&transition.after) {
            if let Some(to) = vertex.get(to) {
                let from = vertex.get(from).copied().unwrap_or(0);
                arcs.push(Arc { from, to: *to, flow: Some(t as u32) });
            }
        }
    }
    (vertex.len() + 1, arcs)
}
