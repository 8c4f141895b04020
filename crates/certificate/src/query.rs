//! Queries: a violation as a sequence of intervals of an execution.
//!
//! INCA describes a violation by intervals (Avrunin, Buy, Corbett, Dillon and Wileden, *Automated analysis of
//! concurrent systems with the constrained expression toolset*, 1991; Siegel and Avrunin, 2002, section 2.1): each ends
//! with certain events, requires some, and forbids some. Its flowgraph (section 3.2.1) has one copy of each task's
//! automaton per interval, with connecting edges from a copy to the next.
//!
//! `unroll` does the same with a net: one copy of all places for each interval, and steps that stay within a copy. One
//! component more says which interval it is. The step that ends an interval moves it; all other components follow by
//! steps of their own, which happen only when the interval component is ahead. So copies cannot be left too early, and
//! every execution that the query describes is an execution of the unrolled net.
//!
//! A step of the program may carry several events in a row, because local steps join the step before them. Such a step
//! may begin in one interval and end in another, and each of its events is counted in the interval in which it is seen.
//! All ways to divide it are listed. The event that ends an interval must have none of the forbidden names, in every
//! engine and here.
//!
//! An interval without an event that ends it may end at any time. If an automaton follows the query as well, the
//! automaton says when the query is met.

use rendez_petri::net::{Component, Net, Place, PlaceId, Transition, TransitionRole};

pub use rendez_property::inca::{Interval, IntervalQuery};

/// The intervals that some letters may lead to from one of them, each with how many letters were
/// seen in each interval on the way; the number of intervals stands for the end of the query.
fn runs(query: &IntervalQuery, from: usize, letters: &[u32]) -> Vec<(usize, Vec<usize>)> {
    let mut runs = vec![(from, Vec::new())];
    for letter in letters {
        let mut next = Vec::new();
        for (at, path) in runs {
            if at == query.intervals.len() {
                next.push((at, path));
                continue;
            }
            let interval = &query.intervals[at];
            let mut went = |to: usize| {
                let mut path = path.clone();
                path.push(at);
                if !next.contains(&(to, path.clone())) {
                    next.push((to, path));
                }
            };
            if interval.ends_with(*letter) {
                went(at + 1);
            }
            if interval.goes_on_with(*letter) {
                went(at);
            }
        }
        runs = next;
    }
    runs
}

/// One copy of the net for each interval. A component that says which interval it is moves when an
/// interval ends; the others follow. Letters of the result carry the interval they are seen in
/// instead of a monitor.
pub fn unroll(net: &Net, query: &IntervalQuery) -> Net {
    let count = query.intervals.len() as u32;
    let places = net.places.len() as u32;
    let copy = |p: PlaceId, k: u32| k * places + p;
    let clock = |k: u32| count * places + k;
    let mut result = Net {
        components: net.components.clone(),
        places: Vec::new(),
        initial: net.initial.clone(),
        transitions: Vec::new(),
        stopped: net.stopped,
        with_loops: net.with_loops,
        ..Net::default()
    };
    for k in 0..count {
        result.places.extend(net.places.iter().map(|p| Place { interval: k, ..p.clone() }));
    }
    let time = result.components.len() as u32;
    result.components.push(Component { name: "interval".into(), slots: Vec::new() });
    for k in 0..count {
        result.places.push(Place { component: time, contents: Vec::new(), interval: k });
    }
    result.initial.push(clock(0));
    for t in &net.transitions {
        let letters: Vec<u32> = t.letters.iter().filter(|l| l.0 == 0).map(|l| l.1).collect();
        for k in 0..count {
            for (to, path) in runs(query, k as usize, &letters) {
                let mut new = t.clone();
                new.before = t.before.iter().map(|p| copy(*p, k)).chain([clock(k)]).collect();
                // Where a monitor follows the query, it says when the query is met.
                if query.is_followed && (t.role == TransitionRole::Target) != (to as u32 == count) {
                    continue;
                }
                if to as u32 == count {
                    new.role = TransitionRole::Target;
                    new.after = Vec::new();
                } else if t.goes_on() {
                    new.after =
                        t.after.iter().map(|p| copy(*p, to as u32)).chain([clock(to as u32)]).collect();
                    if to as u32 != k {
                        new.role = TransitionRole::Boundary;
                    }
                }
                new.letters = path.iter().zip(&letters).map(|(i, l)| (*i as u16, *l)).collect();
                result.transitions.push(new);
            }
        }
    }
    for k in 1..count {
        if query.intervals[k as usize - 1].ends.is_empty() {
            result.transitions.push(Transition {
                outcome: None,
                role: TransitionRole::Boundary,
                letters: Vec::new(),
                before: vec![clock(k - 1)],
                after: vec![clock(k)],
            });
        }
        for p in 0..places {
            for now in k..count {
                result.transitions.push(Transition {
                    outcome: None,
                    role: TransitionRole::Connect,
                    letters: Vec::new(),
                    before: vec![copy(p, k - 1), clock(now)],
                    after: vec![copy(p, k), clock(now)],
                });
            }
        }
    }
    result
}
