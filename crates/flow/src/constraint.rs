//! Constraints: automata that tell infeasible paths from feasible ones.
//!
//! FLAVERS (Dwyer et al., 2004, sections 6.1 to 6.3) runs a property over all paths of the trace flow graph, many of
//! which no execution takes. A constraint is one more automaton that rejects some of these. The state of the property
//! and of all constraints in use is a tuple.
//!
//! A *task automaton* knows the order of a task's own nodes. Its states are what may come next: the set of event nodes
//! that follow, and whether the task may have ended. In the paper states correspond to nodes; nodes that are followed
//! by the same events are one state here, which gives fewer tuples. Only nodes that some automaton in use looks at are
//! events; all communication nodes are events in the reading that reproduces the published tables.
//!
//! Tasks that share nodes are counted. The automaton of a class knows for each state whether no member is in it, one,
//! or any number: a counter abstraction with the values 0, 1 and many, which over-approximates. It looks only at
//! communication with participants that the property is about; everything else would multiply the counts.
//!
//! *Variable automata* are in `data.rs`; automata given by the user are assumptions and are printed as such.
//!
//! Why this is right: each constraint accepts the projection of every execution, so a path that a constraint rejects
//! belongs to no execution. At the end of the program, a constraint must also allow the end; an object, and a task that
//! was never started, have nothing to end. An earlier version expected them to.
//!
//! The file also says which events concern a single task, for the partial-order reduction (`propagate.rs`). A
//! communication node never does.

use rendez_model::monitor::Monitor;
use rendez_model::{Program, Value, VarId};
use rustc_hash::FxHashMap;

use crate::data::{Data, each_cell};
use crate::mhp::Bits;
use crate::tfg::{Class, NodeId, Tfg, TfgNode};

/// A constraint that a problem may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// The order of what a participant does, by number of its class.
    Order(u16),
    /// The values of cells.
    Cells(Vec<VarId>),
    /// An automaton given by the user, by number; it is an assumption.
    Given(u8),
}

/// Which nodes follow which in one class, silent nodes skipped.
struct Order {
    class: u16,
    /// Of a class with several members, how many are in each state.
    counted: bool,
    /// The state that each event node leads to.
    state_of: Vec<u32>,
    /// For each state the events that may follow.
    allowed: Vec<Bits>,
    /// Whether the participant may have ended.
    accepting: Vec<bool>,
}

/// The state of an order behind a node that is no event of its class.
const NOWHERE: u32 = u32::MAX;

/// What counts may be after one of a class has come from somewhere to a state.
fn arrivals(order: &Order, before: Vec<Vec<u8>>, node: NodeId, to: u32) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for counts in before {
        for from in 0..counts.len() {
            if counts[from] == 0 || !order.allowed[from].get(node) {
                continue;
            }
            let mut after = counts.clone();
            if after[from] == 1 {
                after[from] = 0;
            }
            after[to as usize] = (after[to as usize] + 1).min(MANY);
            if !all.contains(&after) {
                all.push(after);
            }
        }
    }
    all
}

/// The single participants that the property is about.
fn lettered(tfg: &Tfg) -> Vec<bool> {
    let mut own = vec![false; tfg.classes.len()];
    for node in tfg.nodes.iter().filter(|n| n.letters.iter().any(|l| l.0 == 0)) {
        for c in &node.classes {
            own[usize::from(*c)] |= tfg.classes[usize::from(*c)].size() == 1;
        }
    }
    own
}

/// Whether the order of a class looks at a communication node. Of tasks that are counted, only what
/// they do with those the property is about: everything else would multiply the counts.
fn in_alphabet(tfg: &Tfg, own: &[bool], node: &TfgNode, class: u16) -> bool {
    tfg.classes[usize::from(class)].size() == 1
        || !node.letters.is_empty()
        || node.classes.iter().any(|c| own[usize::from(*c)])
}

impl Order {
    fn new(tfg: &Tfg, class: u16, all: &Bits, own: &[bool]) -> Order {
        let n = tfg.nodes.len();
        let mine = |id: NodeId| tfg.nodes[id as usize].classes.contains(&class);
        let mut events = Bits::new(n);
        for id in all.ones().filter(|id| mine(*id)) {
            let node = &tfg.nodes[id as usize];
            if !node.is_com() || in_alphabet(tfg, own, node, class) {
                events.set(id);
            }
        }
        let mut order = Order {
            class,
            counted: tfg.classes[usize::from(class)].size() > 1,
            state_of: vec![NOWHERE; n],
            allowed: Vec::new(),
            accepting: Vec::new(),
        };
        let mut known: FxHashMap<(Bits, bool), u32> = FxHashMap::default();
        let last = tfg.classes[usize::from(class)].last;
        // A task that was never started has nothing to end.
        let Class { dormant, init: first, .. } = tfg.classes[usize::from(class)];
        // An object has no end of its own.
        let endless = tfg.classes[usize::from(class)].object.is_some();
        let mut state = |starts: &[NodeId], ended: bool, order: &mut Order| {
            let mut seen = Bits::new(n);
            let mut next = Bits::new(n);
            let mut accepting = ended || endless;
            let mut work = starts.to_vec();
            while let Some(at) = work.pop() {
                if !mine(at) || !seen.set(at) {
                    continue;
                }
                if events.get(at) {
                    next.set(at);
                    continue;
                }
                accepting |= Some(at) == last || (dormant && at == first);
                work.extend(tfg.within(at, class));
            }
            let fresh = order.allowed.len() as u32;
            *known.entry((next.clone(), accepting)).or_insert_with(|| {
                order.allowed.push(next);
                order.accepting.push(accepting);
                fresh
            })
        };
        let first = state(&[tfg.classes[usize::from(class)].init], false, &mut order);
        debug_assert_eq!(first, 0);
        for id in (0..n as NodeId).filter(|id| mine(*id) && events.get(*id)) {
            let starts = tfg.within(id, class);
            order.state_of[id as usize] = state(&starts, Some(id) == last, &mut order);
        }
        order
    }
}

/// A property on a graph under some constraints: what moves on an event.
pub struct Problem<'a> {
    pub tfg: &'a Tfg,
    pub automata: &'a [Monitor],
    /// The given automata in use; the first is the property.
    used: Vec<u8>,
    orders: Vec<Order>,
    data: Option<Data<'a>>,
    /// Nodes that change the state of something.
    pub events: Bits,
    /// Nodes whose operations matter.
    effective: Bits,
    valuations: Interner<Vec<Value>>,
    counts: Interner<Vec<u8>>,
    pub constraints: Vec<Constraint>,
}

/// Numbers for values that are compared often.
struct Interner<T> {
    known: FxHashMap<T, u32>,
    all: Vec<T>,
}

impl<T: Clone + std::hash::Hash + Eq> Interner<T> {
    fn new() -> Self {
        Interner { known: FxHashMap::default(), all: Vec::new() }
    }

    fn number(&mut self, value: T) -> u32 {
        let fresh = self.all.len() as u32;
        match self.known.entry(value) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(new) => {
                self.all.push(new.key().clone());
                *new.insert(fresh)
            }
        }
    }
}

/// The state of the property and of every constraint.
pub type Tuple = Vec<u32>;

/// A count that means any number.
const MANY: u8 = 2;

impl<'a> Problem<'a> {
    pub fn new(
        program: &'a Program,
        tfg: &'a Tfg,
        automata: &'a [Monitor],
        constraints: &[Constraint],
    ) -> Problem<'a> {
        Problem::with(program, tfg, automata, constraints, false)
    }

    /// As published, every communication node counts as an event.
    pub fn with(
        program: &'a Program,
        tfg: &'a Tfg,
        automata: &'a [Monitor],
        constraints: &[Constraint],
        published: bool,
    ) -> Problem<'a> {
        let n = tfg.nodes.len();
        let mut used = vec![0u8];
        let mut cells: Vec<VarId> = Vec::new();
        for constraint in constraints {
            match constraint {
                Constraint::Given(a) => used.push(*a),
                Constraint::Cells(list) => {
                    cells.extend(list.iter().filter(|c| !cells.contains(c)).collect::<Vec<_>>());
                }
                Constraint::Order(_) => {}
            }
        }
        cells.sort();
        cells.dedup();
        let ordered =
            |class: u16| constraints.iter().any(|c| matches!(c, Constraint::Order(x) if *x == class));
        let own = lettered(tfg);
        let mut events = Bits::new(n);
        let mut effective = Bits::new(n);
        for (id, node) in tfg.nodes.iter().enumerate() {
            let mut matters = false;
            for op in &node.ops {
                each_cell(program, op, &mut |c| matters |= cells.contains(&c));
            }
            if matters {
                effective.set(id as NodeId);
            }
            let seen = node.letters.iter().any(|l| used.contains(&l.0));
            let in_order =
                node.is_com() && node.classes.iter().any(|c| ordered(*c) && in_alphabet(tfg, &own, node, *c));
            if matters || seen || in_order || node.unsupported || (published && node.is_com()) {
                events.set(id as NodeId);
            }
        }
        let classes = 0..tfg.classes.len() as u16;
        let orders = classes.filter(|c| ordered(*c)).map(|c| Order::new(tfg, c, &events, &own)).collect();
        Problem {
            tfg,
            automata,
            used,
            orders,
            data: (!cells.is_empty()).then(|| Data::new(program, &cells, &tfg.sets)),
            events,
            effective,
            valuations: Interner::new(),
            counts: Interner::new(),
            constraints: constraints.to_vec(),
        }
    }

    pub fn initial(&mut self) -> Tuple {
        let mut tuple: Tuple = self.used.iter().map(|_| 0).collect();
        for order in &self.orders {
            tuple.push(match order.counted {
                false => 0,
                true => {
                    let mut counts = vec![0; order.allowed.len()];
                    counts[0] = MANY;
                    self.counts.number(counts)
                }
            });
        }
        if let Some(data) = &self.data {
            tuple.push(self.valuations.number(data.initial()));
        }
        tuple
    }

    /// Whether an event changes the state of nothing in use.
    pub fn is_neutral(&self, node: NodeId) -> bool {
        let what = &self.tfg.nodes[node as usize];
        !what.unsupported
            && !self.effective.get(node)
            && !what.letters.iter().any(|l| self.used.contains(&l.0))
            && self.orders.iter().all(|o| o.state_of[node as usize] == NOWHERE)
    }

    /// The state of the property.
    pub fn property(&self) -> &'a Monitor {
        &self.automata[0]
    }

    pub fn is_doomed(&self, tuple: &[u32]) -> bool {
        self.property().doomed[tuple[0] as usize]
    }

    /// Whether an execution may end with this tuple and break the property.
    pub fn fails_at_end(&self, tuple: &[u32]) -> bool {
        !self.property().accepting[tuple[0] as usize] && self.may_end(tuple)
    }

    /// Whether every constraint lets an execution end here.
    pub fn may_end(&self, tuple: &[u32]) -> bool {
        let given = self.used.iter().enumerate().skip(1);
        given.into_iter().all(|(i, a)| self.automata[usize::from(*a)].accepting[tuple[i] as usize])
            && self.orders.iter().enumerate().all(|(i, order)| {
                let at = tuple[self.used.len() + i];
                match order.counted {
                    false => order.accepting[at as usize],
                    // As many as are known to be somewhere must be where they may end.
                    true => {
                        let counts = &self.counts.all[at as usize];
                        counts.iter().zip(&order.accepting).all(|(c, accepts)| *c != 1 || *accepts)
                    }
                }
            })
    }

    /// The tuples after an event; none if some constraint forbids it.
    pub fn step(&mut self, tuple: &[u32], node: NodeId, out: &mut Vec<Tuple>) {
        let what = &self.tfg.nodes[node as usize];
        let mut next = tuple.to_vec();
        for letter in &what.letters {
            if let Some(i) = self.used.iter().position(|a| *a == letter.0) {
                next[i] = self.automata[usize::from(letter.0)].step(next[i], letter.1);
                if i > 0 && self.automata[usize::from(letter.0)].doomed[next[i] as usize] {
                    return;
                }
            }
        }
        let base = self.used.len();
        let mut branches = Vec::new();
        for (i, order) in self.orders.iter().enumerate() {
            if !what.classes.contains(&order.class) {
                continue;
            }
            let to = order.state_of[node as usize];
            if to == NOWHERE {
                continue;
            }
            if !order.counted {
                if !order.allowed[next[base + i] as usize].get(node) {
                    return;
                }
                next[base + i] = to;
                continue;
            }
            // Somebody of the class comes here; for two of them, one after the other.
            let both = what.classes.iter().filter(|c| **c == order.class).count();
            let mut ways = vec![self.counts.all[next[base + i] as usize].clone()];
            for _ in 0..both {
                ways = arrivals(order, ways, node, to);
            }
            if ways.is_empty() {
                return;
            }
            branches.push((base + i, ways));
        }
        if let Some(data) = &mut self.data
            && self.effective.get(node)
        {
            let last = next.len() - 1;
            let mut valuation = self.valuations.all[next[last] as usize].clone();
            if !data.run(&mut valuation, &what.ops) {
                return;
            }
            next[last] = self.valuations.number(valuation);
        }
        let mut all = vec![next];
        for (slot, ways) in branches {
            let ways: Vec<u32> = ways.into_iter().map(|w| self.counts.number(w)).collect();
            all = all
                .into_iter()
                .flat_map(|t| {
                    ways.iter().map(move |w| {
                        let mut t = t.clone();
                        t[slot] = *w;
                        t
                    })
                })
                .collect();
        }
        out.extend(all);
    }

    /// Whether the constraints forbid a path.
    pub fn rejects(&mut self, path: &[NodeId], at_end: bool) -> bool {
        let mut tuples = vec![self.initial()];
        for node in path {
            if !self.events.get(*node) {
                continue;
            }
            let mut next = Vec::new();
            for tuple in &tuples {
                self.step(tuple, *node, &mut next);
            }
            next.sort();
            next.dedup();
            tuples = next;
            if tuples.is_empty() {
                return true;
            }
        }
        at_end && !tuples.iter().any(|t| self.may_end(t))
    }

    /// For each event the participants that all automata with it are about; none if there are none.
    pub fn locals(&self, program: &Program) -> Vec<Option<u16>> {
        let n = self.tfg.nodes.len();
        // The nodes of each automaton.
        let mut automata: Vec<Vec<NodeId>> = Vec::new();
        for a in &self.used {
            let mine = |id: &NodeId| self.tfg.nodes[*id as usize].letters.iter().any(|l| l.0 == *a);
            automata.push((0..n as NodeId).filter(mine).collect());
        }
        for order in &self.orders {
            automata.push((0..n as NodeId).filter(|id| order.state_of[*id as usize] != NOWHERE).collect());
        }
        if let Some(data) = &self.data {
            // Cells that occur together are one automaton.
            let mut group: Vec<usize> = (0..data.cells.len()).collect();
            let touched = |id: NodeId| {
                let mut found: Vec<usize> = Vec::new();
                for op in &self.tfg.nodes[id as usize].ops {
                    each_cell(program, op, &mut |c| found.extend(data.cells.iter().position(|x| *x == c)));
                }
                found
            };
            for id in self.effective.ones() {
                let found = touched(id);
                for pair in found.windows(2) {
                    let (a, b) = (group[pair[0]], group[pair[1]]);
                    group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
                }
            }
            for g in 0..data.cells.len() {
                let mine = |id: &NodeId| touched(*id).iter().any(|c| group[*c] == g);
                automata.push(self.effective.ones().filter(mine).collect());
            }
        }
        let mut local: Vec<Option<Vec<u16>>> = vec![None; n];
        for nodes in automata {
            let mut common: Option<Vec<u16>> = None;
            for id in &nodes {
                let single = |c: &&u16| self.tfg.classes[usize::from(**c)].size() == 1;
                let classes: Vec<u16> =
                    self.tfg.nodes[*id as usize].classes.iter().filter(single).copied().collect();
                common = Some(match common {
                    None => classes,
                    Some(c) => c.into_iter().filter(|c| classes.contains(c)).collect(),
                });
            }
            let common = common.unwrap_or_default();
            for id in nodes {
                let slot = &mut local[id as usize];
                *slot = Some(match slot.take() {
                    None => common.clone(),
                    Some(c) => c.into_iter().filter(|c| common.contains(c)).collect(),
                });
            }
        }
        // Whoever meets somebody cannot be put off without the other.
        let is_local = |n: usize| !self.tfg.nodes[n].is_com();
        local.into_iter().enumerate().map(|(n, l)| l.filter(|_| is_local(n))?.first().copied()).collect()
    }
}
