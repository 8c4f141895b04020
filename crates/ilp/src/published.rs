//! The system as it was published, for comparisons.
//!
//! INCA (Siegel and Avrunin, 2002, sections 2.1 and 3.2) has a variable for each transition of each task's automaton, a
//! flow equation for each state, and an equation for each kind of rendezvous in each interval: as many on the caller's
//! side as on the acceptor's. This file builds that system from a net, for queries with one interval. States that lie
//! on no path from the start to a possible end are trimmed, as the paper describes, and what is handed over in a
//! rendezvous is part of its label.
//!
//! Spurious cycles can be kept out as in section 3.2.2: a depth for each state, a choice for each transition, and a
//! bound on all of them (`rendez_certificate::depths`). The numbers of variables and constraints that this adds are
//! those of figure 10, and those of figure 3 are reproduced, too; elsewhere, the numbers before cycle elimination are
//! larger than the paper's, which are those after INCA's optimisations. `rendez bench inca` prints both.
//!
//! The engine itself does not use this system. It has one variable for each transition of the net, that is, for each
//! pair of transitions that two tasks make together. That is more precise: an equation for each kind of rendezvous lets
//! the two sides be matched across pairs that can never meet.

use std::collections::BTreeMap;

use rendez_certificate::depths::{Arc, keep_connected};
use rendez_certificate::{IntervalQuery, Row, System};
use rendez_model::semantics::StepEvent;
use rendez_model::{Program, TaskId};
use rendez_petri::StepCache;
use rendez_petri::net::{Net, PlaceId, TransitionRole};

/// A transition of a task's automaton.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub component: u32,
    pub from: PlaceId,
    pub to: PlaceId,
    /// Caller, entry, values; whether it begins or ends.
    pub label: String,
    /// Nobody else takes part: nothing has to match it.
    pub internal: bool,
    pub letters: Vec<u32>,
}

/// The automata of a net under a query with one interval.
pub struct Published {
    pub edges: Vec<Edge>,
    /// By component: where it may be at the end.
    pub ends: BTreeMap<u32, Vec<PlaceId>>,
    initial: Vec<PlaceId>,
    states: BTreeMap<PlaceId, u32>,
    query: IntervalQuery,
}

/// What the two sides of a transition have in common.
struct Label {
    text: String,
    /// Who hands something over.
    caller: Option<TaskId>,
    internal: bool,
}

fn label(program: &Program, cache: &StepCache, outcome: u32) -> Label {
    let story = &cache.stories[outcome as usize];
    let met = story.steps.iter().find_map(|s| match s.what {
        StepEvent::Accepted { caller, entry, .. } => Some((caller, entry)),
        StepEvent::Entered(entry) => Some((s.task, entry)),
        _ => None,
    });
    match (met, story.movers.first()) {
        (Some((caller, entry)), _) => {
            let text = format!("{};{}", program.tasks[caller.index()].name, program.entry_name(entry));
            Label { text, caller: Some(caller), internal: false }
        }
        (None, Some((task, _))) if story.steps.is_empty() => {
            let entry = story.entries.first().map_or(String::new(), |e| program.entry_name(e.0));
            let text = format!("end {};{entry}", program.tasks[task.index()].name);
            Label { text, caller: None, internal: false }
        }
        _ => Label { text: format!("internal {outcome}"), caller: None, internal: true },
    }
}

impl Published {
    /// The automata, as far as a violation of the query can use them.
    pub fn new(program: &Program, cache: &StepCache, net: &Net, query: &IntervalQuery) -> Published {
        let interval = &query.intervals[0];
        let mut edges: Vec<Edge> = Vec::new();
        for t in net.transitions.iter().filter(|t| t.role == TransitionRole::Step) {
            let Some(outcome) = t.outcome else { continue };
            let letters: Vec<u32> = t.letters.iter().map(|l| l.1).collect();
            if letters.iter().any(|l| interval.forbid.contains(l)) {
                continue;
            }
            // What is handed over is part of the label, as far as it makes a difference to the caller.
            let Label { mut text, caller, internal } = label(program, cache, outcome);
            let caller = caller.map(|c| &program.tasks[c.index()].name);
            let is_caller = |p: &PlaceId| Some(&net.components[net.component_of(*p) as usize].name) == caller;
            if let Some(side) = t.before.iter().position(is_caller) {
                text += &format!(";{}", t.after[side]);
            }
            for (from, to) in t.before.iter().zip(&t.after) {
                let component = net.component_of(*from);
                let label = match letters.is_empty() {
                    true => text.clone(),
                    false => format!("{text};{letters:?}"),
                };
                let (from, to) = (*from, *to);
                edges.push(Edge { component, from, to, label, internal, letters: letters.clone() });
            }
        }
        edges.sort();
        edges.dedup();
        let mut ends: BTreeMap<u32, Vec<PlaceId>> = BTreeMap::new();
        let last = |e: &&Edge| e.letters.iter().any(|l| interval.ends.contains(l));
        for component in 0..net.components.len() as u32 {
            let mine: Vec<&Edge> = edges.iter().filter(|e| e.component == component).collect();
            let mut places: Vec<PlaceId> = mine.iter().filter(|e| last(e)).map(|e| e.to).collect();
            if places.is_empty() {
                // Whoever takes part in what is required is behind it.
                let mut from: Vec<PlaceId> = Vec::new();
                let needed =
                    |e: &&Edge| interval.require.iter().any(|r| e.letters.iter().any(|l| r.contains(l)));
                let required: Vec<PlaceId> = mine.iter().filter(|e| needed(e)).map(|e| e.to).collect();
                let has_all = edges.iter().filter(needed).all(|e| mine.iter().any(|m| m.label == e.label));
                match required.is_empty() || !has_all {
                    true => from.extend(net.initial.iter().filter(|p| net.component_of(**p) == component)),
                    false => from.extend(required),
                }
                places = closure(&from, &mine);
            }
            places.sort_unstable();
            places.dedup();
            ends.insert(component, places);
        }
        let mut published = Published {
            edges,
            ends,
            initial: net.initial.clone(),
            states: BTreeMap::new(),
            query: query.clone(),
        };
        published.trim(net);
        published
    }

    /// Leaves out what is on no way from the start to the end of an automaton.
    fn trim(&mut self, net: &Net) {
        let mut keep: Vec<PlaceId> = Vec::new();
        for component in 0..net.components.len() as u32 {
            let mine: Vec<&Edge> = self.edges.iter().filter(|e| e.component == component).collect();
            let start: Vec<PlaceId> =
                self.initial.iter().copied().filter(|p| net.component_of(*p) == component).collect();
            let forward = closure(&start, &mine);
            let back: Vec<Edge> =
                mine.iter().map(|e| Edge { from: e.to, to: e.from, ..(*e).clone() }).collect();
            let backward = closure(&self.ends[&component], &back.iter().collect::<Vec<_>>());
            keep.extend(forward.into_iter().filter(|p| backward.contains(p)));
        }
        self.edges.retain(|e| keep.contains(&e.from) && keep.contains(&e.to));
        self.ends.values_mut().for_each(|list| list.retain(|p| keep.contains(p)));
        for p in keep {
            self.states.insert(p, net.component_of(p));
        }
    }

    /// The places and edges of one component, with one vertex before and one behind it.
    pub fn sector(&self, component: u32) -> (usize, usize) {
        let states = self.states.values().filter(|c| **c == component).count();
        let edges = self.edges.iter().filter(|e| e.component == component).count();
        (states + 2, edges + 1 + self.ends[&component].len())
    }

    /// The equations, each with what it is for; columns are the edges, then ends that are not fixed.
    pub fn rows(&self) -> (System, Vec<String>) {
        let mut columns = self.edges.len() as u32;
        let mut rows = Vec::new();
        let mut names = Vec::new();
        for (place, component) in &self.states {
            let mut terms = Vec::new();
            for (e, edge) in self.edges.iter().enumerate() {
                let change = i64::from(edge.to == *place) - i64::from(edge.from == *place);
                if change != 0 {
                    terms.push((e as u32, change));
                }
            }
            let ends = &self.ends[component];
            let mut least = -i64::from(self.initial.contains(place));
            if ends.contains(place) {
                match ends.len() {
                    1 => least += 1,
                    _ => {
                        terms.push((columns, -1));
                        columns += 1;
                    }
                }
            }
            rows.push(Row { terms, equal: true, least });
            names.push(format!("state {place}"));
        }
        let mut labels: BTreeMap<&str, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
        for (e, edge) in self.edges.iter().enumerate() {
            labels.entry(&edge.label).or_default().entry(edge.component).or_default().push(e as u32);
        }
        for (label, sides) in &labels {
            let mut sides = sides.values();
            let first = sides.next().cloned().unwrap_or_default();
            let second = sides.next().cloned().unwrap_or_default();
            let internal = first.iter().any(|e| self.edges[*e as usize].internal);
            let terms = first.iter().map(|e| (*e, 1)).chain(second.iter().map(|e| (*e, -1))).collect();
            if !internal {
                rows.push(Row { terms, equal: true, least: 0 });
                names.push(format!("rendezvous {label}"));
            }
        }
        // Where flow does not demand what ends the interval, a row does.
        let ends = &self.query.intervals[0].ends;
        let is_last = |e: &u32| self.edges[*e as usize].letters.iter().any(|l| ends.contains(l));
        for sides in labels.values() {
            let last = sides.iter().filter(|(_, list)| list.iter().any(is_last));
            let demanded = last.clone().any(|(c, _)| !self.initial.iter().any(|p| self.ends[c].contains(p)));
            if let Some((_, list)) = last.clone().next()
                && !demanded
            {
                let terms = list.iter().copied().filter(is_last).map(|e| (e, 1)).collect();
                rows.push(Row { terms, equal: true, least: 1 });
                names.push("last event".into());
            }
        }
        for required in &self.query.intervals[0].require {
            let has = |e: &&Edge| e.letters.iter().any(|l| required.contains(l));
            // Counted on one side of each rendezvous.
            let mut terms = Vec::new();
            for sides in labels.values() {
                let Some(first) = sides.values().next() else { continue };
                terms.extend(first.iter().filter(|e| has(&&self.edges[**e as usize])).map(|e| (*e, 1)));
            }
            rows.push(Row::at_least(terms, 1));
            names.push("requirement".into());
        }
        let columns = columns as usize;
        (System { columns, rows, transitions: columns, has_places: false }, names)
    }

    /// The published cycle elimination for one component: variables and constraints more, and the
    /// system with them. No transition happens more often than `bound`.
    pub fn augmented(&self, component: u32, bound: i64) -> (usize, usize, System) {
        let (mut system, _) = self.rows();
        let (vertices, edges) = self.sector(component);
        let before = system.columns;
        // The states, the vertex in front and the one behind.
        let places = self.states.iter().filter(|(_, c)| **c == component).map(|(p, _)| *p);
        let vertex: BTreeMap<PlaceId, u32> = places.zip(0..).collect();
        let (first, last) = (vertex.len() as u32, vertex.len() as u32 + 1);
        let mut arcs: Vec<Arc> = Vec::new();
        for (e, edge) in self.edges.iter().enumerate().filter(|(_, e)| e.component == component) {
            arcs.push(Arc { from: vertex[&edge.from], to: vertex[&edge.to], flow: Some(e as u32) });
        }
        for to in self.initial.iter().filter_map(|p| vertex.get(p)) {
            arcs.push(Arc { from: first, to: *to, flow: None });
        }
        for p in &self.ends[&component] {
            arcs.push(Arc { from: vertex[p], to: last, flow: None });
        }
        let constraints = keep_connected(&mut system, vertices, &arcs, bound);
        let variables = system.columns - before;
        system.transitions = system.columns;
        debug_assert_eq!(variables, vertices + edges);
        (variables, constraints, system)
    }
}

fn closure(from: &[PlaceId], edges: &[&Edge]) -> Vec<PlaceId> {
    let mut seen = from.to_vec();
    let mut at = 0;
    while at < seen.len() {
        let here = seen[at];
        for e in edges.iter().filter(|e| e.from == here) {
            if !seen.contains(&e.to) {
                seen.push(e.to);
            }
        }
        at += 1;
    }
    seen
}
