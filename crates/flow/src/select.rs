//! The choice of constraints: implicit hitting sets.
//!
//! A user of FLAVERS chooses constraints by hand (Dwyer et al., 2004, section 7.1). Here they are chosen from
//! counterexamples. Each spurious path is rejected by some candidates, one task automaton or one variable. A set of
//! constraints that proves the property must contain a member of every such list, so the cheapest set that hits all
//! lists seen so far is tried next (the implicit hitting set approach of Moreno-Centeno and Karp, 2013, used as
//! abstraction refinement).
//!
//! Why this ends with a small set: a product of constraints rejects a path if some member does, so any sufficient set
//! hits every list, and the first set that suffices costs no more than any other. The search for a cheapest set is
//! branch and bound with a budget; beyond it, the best set found so far is taken, and minimality is lost, not
//! soundness. Every round is an ordinary analysis. Afterwards, members that the proof does not need are left out again
//! (`decide.rs`).
//!
//! Two details deserve care. A path skips silent nodes, so a variable alone rarely contradicts it; where the order of a
//! task is already tracked, all silent completions of the path between its events are tried, and a variable rejects the
//! path only if it rejects every completion. And some paths are rejected only by several candidates together. Then a
//! minimal subset is looked for by leaving out halves, quarters and so on, the dearest first, and becomes a candidate
//! of its own.
//!
//! A task costs more the farther it is, in meetings, from the tasks that the property is about, so the number of rounds
//! does not grow with unrelated tasks. With the published reading, the sets for the dining philosophers are those of
//! Table VI.

use std::collections::VecDeque;

use rendez_model::monitor::Monitor;
use rendez_model::{Domain, Program, Value, VarId};
use rustc_hash::FxHashSet;

use crate::constraint::{Constraint, Problem};
use crate::data::{Data, each_cell};
use crate::mhp::Bits;
use crate::tfg::{NodeId, Tfg};

/// A constraint, or several that only together reject some path, with what they cost.
pub struct Candidate {
    pub parts: Vec<Constraint>,
    cost: f64,
}

/// Everything that could be used.
pub fn candidates(program: &Program, tfg: &Tfg) -> Vec<Candidate> {
    let classes = tfg.classes.len();
    // How far each participant is from those that the property is about.
    let mut own = vec![false; classes];
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); classes];
    let mut size = vec![0usize; classes];
    let mut cells: Vec<VarId> = Vec::new();
    for node in &tfg.nodes {
        let here: Vec<usize> = node.classes.iter().map(|c| usize::from(*c)).collect();
        if node.letters.iter().any(|l| l.0 == 0) {
            here.iter().for_each(|c| own[*c] = true);
        }
        if let [a, b] = here[..] {
            near[a].push(b);
            near[b].push(a);
        }
        here.iter().for_each(|c| size[*c] += 1);
        for op in &node.ops {
            each_cell(program, op, &mut |cell| {
                if matches!(program.vars[cell.index()].domain, Domain::Range(..)) {
                    cells.push(cell);
                }
            });
        }
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    let mut distance: Vec<Option<usize>> = vec![None; classes];
    let mut queue: VecDeque<usize> = (0..classes).filter(|c| own[*c]).collect();
    queue.iter().for_each(|c| distance[*c] = Some(0));
    while let Some(c) = queue.pop_front() {
        for other in &near[c] {
            if distance[*other].is_none() {
                distance[*other] = distance[c].map(|d| d + 1);
                queue.push_back(*other);
            }
        }
    }
    let mut all = Vec::new();
    for class in 0..classes {
        if size[class] == 0 {
            continue;
        }
        let neighbours = near[class].iter().filter(|c| own[**c]).count();
        let far = distance[class].map_or(99, |d| d.min(99)) as f64;
        let many = if tfg.classes[class].size() > 1 { 0.5 } else { 0.0 };
        let cost = (1.0 + far - 0.2 * neighbours.min(4) as f64).max(0.3) + many + 0.001 * size[class] as f64;
        all.push(Candidate { parts: vec![Constraint::Order(class as u16)], cost });
    }
    cells.sort();
    cells.dedup();
    for cell in cells {
        let Domain::Range(lo, hi) = program.vars[cell.index()].domain else { continue };
        let values = hi.saturating_sub(lo).min(1000) as f64;
        all.push(Candidate { parts: vec![Constraint::Cells(vec![cell])], cost: 1.1 + 0.001 * values });
    }
    all
}

/// A path with what is known of it: the participants whose order it respects, and the nodes that
/// count; between those, such a participant may pass any silent nodes that lead on.
pub struct Suspect<'a> {
    pub program: &'a Program,
    pub tfg: &'a Tfg,
    pub path: &'a [NodeId],
    pub at_end: bool,
    pub ordered: Vec<u16>,
    pub events: &'a Bits,
}

/// More ways to complete a path are not looked at.
const MOST_WAYS: usize = 20_000;

impl Suspect<'_> {
    /// Whether some constraints reject the path, however it is completed.
    fn is_rejected(&self, automata: &[Monitor], given: &[Constraint], parts: &[Constraint]) -> bool {
        let (orders, rest): (Vec<Constraint>, Vec<Constraint>) =
            parts.iter().cloned().partition(|p| matches!(p, Constraint::Order(_)));
        let mut fixed = given.to_vec();
        fixed.extend(orders.iter().cloned());
        if !orders.is_empty()
            && Problem::new(self.program, self.tfg, automata, &fixed).rejects(self.path, self.at_end)
        {
            return true;
        }
        let cells: Vec<VarId> = rest
            .iter()
            .flat_map(|p| match p {
                Constraint::Cells(cells) => cells.clone(),
                _ => Vec::new(),
            })
            .collect();
        let mut ordered = self.ordered.clone();
        ordered.extend(orders.iter().filter_map(|p| match p {
            Constraint::Order(class) => Some(*class),
            _ => None,
        }));
        !cells.is_empty() && !self.survives(&cells, &ordered)
    }

    /// Whether the values of some cells let the path happen.
    fn survives(&self, cells: &[VarId], ordered: &[u16]) -> bool {
        let mut data = Data::new(self.program, cells, &self.tfg.sets);
        let follows = |c: &u16| ordered.contains(c) && self.tfg.classes[usize::from(*c)].size() == 1;
        let mut last: Vec<Option<NodeId>> = vec![None; self.tfg.classes.len()];
        let mut values: FxHashSet<Vec<Value>> = FxHashSet::from_iter([data.initial()]);
        for n in self.path {
            let node = &self.tfg.nodes[*n as usize];
            let silent = !self.events.get(*n) && !node.is_com() && node.letters.is_empty();
            if silent && node.classes.iter().any(follows) {
                continue;
            }
            for class in node.classes.iter().filter(|c| follows(c)) {
                match self.on_the_way(&mut data, *class, last[usize::from(*class)], *n, values) {
                    Some(after) => values = after,
                    None => return true,
                }
                last[usize::from(*class)] = Some(*n);
            }
            values =
                values.into_iter().filter_map(|mut v| data.run(&mut v, &node.ops).then_some(v)).collect();
            if values.is_empty() {
                return false;
            }
        }
        // Whoever has begun must come to its end.
        let ends = |c: &u16| self.at_end && follows(c);
        for class in (0..self.tfg.classes.len() as u16).filter(ends) {
            let Some(end) = self.tfg.classes[usize::from(class)].last else { continue };
            match last[usize::from(class)] {
                None => continue,
                Some(n) if n == end => continue,
                from => match self.on_the_way(&mut data, class, from, end, values) {
                    Some(after) => values = after,
                    None => return true,
                },
            }
        }
        !values.is_empty()
    }

    /// The values after silent nodes on some way of a participant to a node; None if there are too many.
    fn on_the_way(
        &self,
        data: &mut Data,
        class: u16,
        from: Option<NodeId>,
        to: NodeId,
        values: FxHashSet<Vec<Value>>,
    ) -> Option<FxHashSet<Vec<Value>>> {
        let starts = match from {
            Some(n) => self.tfg.within(n, class),
            None => vec![self.tfg.classes[usize::from(class)].init],
        };
        let mut seen: FxHashSet<(NodeId, Vec<Value>)> = FxHashSet::default();
        let mut work: Vec<(NodeId, Vec<Value>)> = Vec::new();
        for v in values {
            work.extend(starts.iter().map(|s| (*s, v.clone())));
        }
        let mut found = FxHashSet::default();
        while let Some((n, mut v)) = work.pop() {
            if n == to {
                found.insert(v);
                continue;
            }
            let node = &self.tfg.nodes[n as usize];
            if node.is_com() || !node.letters.is_empty() || !seen.insert((n, v.clone())) {
                continue;
            }
            if seen.len() > MOST_WAYS {
                return None;
            }
            if data.run(&mut v, &node.ops) {
                work.extend(self.tfg.within(n, class).into_iter().map(|s| (s, v.clone())));
            }
        }
        Some(found)
    }
}

/// The candidates that reject a path, by number. Where only several together do, they become a
/// candidate of their own.
pub fn rejecting(
    suspect: &Suspect,
    automata: &[Monitor],
    all: &mut Vec<Candidate>,
    given: &[Constraint],
) -> Vec<usize> {
    let Suspect { program, tfg, path, at_end, .. } = *suspect;
    let rejects = |set: &[usize], all: &[Candidate]| {
        let parts: Vec<Constraint> = set.iter().flat_map(|c| all[*c].parts.clone()).collect();
        suspect.is_rejected(automata, given, &parts)
    };
    // What has no part in the path cannot reject it, unless it must have come to its end.
    let mut classes: Vec<u16> = Vec::new();
    let mut cells: Vec<VarId> = Vec::new();
    for id in path {
        let node = &tfg.nodes[*id as usize];
        classes.extend(&node.classes);
        for op in &node.ops {
            each_cell(program, op, &mut |c| cells.push(c));
        }
    }
    // What participants with a known order do silently may be on it.
    for node in &tfg.nodes {
        if node.classes.iter().any(|c| suspect.ordered.contains(c)) {
            for op in &node.ops {
                each_cell(program, op, &mut |c| cells.push(c));
            }
        }
    }
    cells.sort();
    cells.dedup();
    let takes_part = |part: &Constraint| match part {
        Constraint::Order(class) => at_end || classes.contains(class),
        Constraint::Cells(list) => list.iter().any(|c| cells.binary_search(c).is_ok()),
        Constraint::Given(_) => true,
    };
    let possible: Vec<usize> = (0..all.len()).filter(|c| all[*c].parts.iter().any(takes_part)).collect();
    let found: Vec<usize> = possible.iter().copied().filter(|c| rejects(&[*c], all)).collect();
    if !found.is_empty() {
        return found;
    }
    // Together they may miss something on the path.
    let mut needed: Vec<usize> = (0..all.len()).filter(|c| all[*c].parts.len() == 1).collect();
    if !rejects(&needed, all) {
        return Vec::new();
    }
    // One after the other, the dearest first, is left out if the rest still rejects.
    needed.sort_by(|a, b| all[*b].cost.total_cmp(&all[*a].cost));
    let mut step = needed.len() / 2;
    while step > 0 {
        let mut at = 0;
        while at < needed.len() {
            let mut fewer = needed.clone();
            fewer.drain(at..(at + step).min(needed.len()));
            if rejects(&fewer, all) {
                needed = fewer;
            } else {
                at += step;
            }
        }
        step /= 2;
    }
    let cost = needed.iter().map(|c| all[*c].cost).sum();
    let parts = needed.iter().flat_map(|c| all[*c].parts.clone()).collect();
    all.push(Candidate { parts, cost });
    vec![all.len() - 1]
}

/// Whether some candidates contain all that another one consists of.
fn covers(all: &[Candidate], chosen: &[usize], wanted: usize) -> bool {
    let has = |part: &Constraint| chosen.iter().any(|c| all[*c].parts.contains(part));
    all[wanted].parts.iter().all(has)
}

/// The cheapest set that contains a member of each list.
pub fn hitting(all: &[Candidate], lists: &[Vec<usize>]) -> Vec<usize> {
    let mut best = (f64::INFINITY, Vec::new());
    let mut budget = 200_000usize;
    search(all, lists, &mut Vec::new(), 0.0, &mut best, &mut budget);
    best.1
}

fn search(
    all: &[Candidate],
    lists: &[Vec<usize>],
    chosen: &mut Vec<usize>,
    cost: f64,
    best: &mut (f64, Vec<usize>),
    budget: &mut usize,
) {
    // The first descent always ends; later ones may be cut short.
    if cost >= best.0 || (*budget == 0 && best.0.is_finite()) {
        return;
    }
    *budget = budget.saturating_sub(1);
    let hit = |l: &&Vec<usize>| !l.iter().any(|c| covers(all, chosen, *c));
    let open = lists.iter().filter(hit).min_by_key(|l| l.len());
    let Some(open) = open else {
        *best = (cost, chosen.clone());
        return;
    };
    let mut order = open.clone();
    order.sort_by(|a, b| all[*a].cost.total_cmp(&all[*b].cost));
    for c in order {
        chosen.push(c);
        let more = added(all, chosen);
        search(all, lists, chosen, cost + more, best, budget);
        chosen.pop();
    }
}

/// What the last of some candidates costs beyond the others.
fn added(all: &[Candidate], chosen: &[usize]) -> f64 {
    let Some((last, others)) = chosen.split_last() else { return 0.0 };
    let parts = &all[*last].parts;
    let known = |part: &&Constraint| others.iter().any(|c| all[*c].parts.contains(part));
    let new = parts.iter().filter(|p| !known(p)).count();
    all[*last].cost * new as f64 / parts.len() as f64
}
