//! Alphabet refinement: nodes that nothing observes are removed from a control-flow graph.
//!
//! This is the refined control-flow graph of FLAVERS (Dwyer et al., 2004, sections 4.1.1 and 4.3). A node without
//! letters, without operations on tracked variables and without roles is silent. Its predecessors are connected with
//! its successors, unless the graph gets more edges by that, which is the rule of the published implementation. Silent
//! nodes with the same predecessors are merged, with the roles of all (figure 9 of the paper).
//!
//! Why this is right: a path through the graph before corresponds to a path after it with the same letters, operations
//! and interactions in the same order, and the other way round. A task that goes round a loop of silent nodes for ever
//! has no path afterwards; FLAVERS speaks about events, so nothing is lost.
//!
//! The first and the last node stay, because task automata start and accept there. The one exception is a silent first
//! node with a single successor that nothing else enters. Siblings are merged only if both or neither of them stand
//! behind the completion of the task, since a call may fail at one of them and not at the other.
//!
//! Both rules are applied in turn until nothing changes. The order matters for the published sizes: for the dining
//! philosophers with a host, merging the alternatives of a select first makes the loop head removable.

use std::collections::{BTreeMap, BTreeSet};

use crate::cfg::{Cfg, Id};

/// An edge into a node: from which node, by itself or through a role.
type Source = (Id, Option<usize>);

struct Refiner<'c> {
    cfg: &'c mut Cfg,
    gone: Vec<bool>,
    sources: Vec<BTreeSet<Source>>,
}

/// Removes silent nodes and, if wanted, merges silent siblings until nothing changes. A node with letters or
/// operations, or with a role, stays, and so do the first and the last. Gives the new number of
/// each node that is left.
pub fn refine(cfg: &mut Cfg, siblings: bool) -> Vec<Option<Id>> {
    let n = cfg.nodes.len();
    let mut refiner = Refiner { cfg, gone: vec![false; n], sources: vec![BTreeSet::new(); n] };
    let mut became: Vec<Id> = (0..n as Id).collect();
    refiner.drop_unreachable();
    refiner.find_sources();
    loop {
        let mut changed = siblings && refiner.merge_siblings(&mut became);
        for id in 0..n as Id {
            changed |= refiner.try_remove(id);
        }
        if !changed {
            break;
        }
    }
    if siblings {
        refiner.drop_first();
    }
    refiner.compact(&mut became)
}

impl Refiner<'_> {
    fn each_edge(&self, id: Id, mut f: impl FnMut(Id, Option<usize>)) {
        let node = &self.cfg.nodes[id as usize];
        node.succ.iter().for_each(|s| f(*s, None));
        for (r, role) in node.roles.iter().enumerate() {
            role.then.iter().for_each(|s| f(*s, Some(r)));
        }
    }

    fn drop_unreachable(&mut self) {
        let mut seen = vec![false; self.cfg.nodes.len()];
        let mut work = vec![self.cfg.init];
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                self.each_edge(id, |s, _| work.push(s));
                for site in &self.cfg.sites {
                    // A call that may be requeued is reached through the one that may be.
                    if site.pending.iter().any(|p| p.1 == id) {
                        work.extend(site.pending.iter().map(|p| p.1));
                    }
                }
            }
        }
        seen[self.cfg.last as usize] = true;
        self.gone = seen.into_iter().map(|s| !s).collect();
    }

    fn find_sources(&mut self) {
        for id in 0..self.cfg.nodes.len() as Id {
            if self.gone[id as usize] {
                continue;
            }
            let node = &mut self.cfg.nodes[id as usize];
            for list in std::iter::once(&mut node.succ).chain(node.roles.iter_mut().map(|r| &mut r.then)) {
                list.sort_unstable();
                list.dedup();
            }
            let mut edges = Vec::new();
            self.each_edge(id, |s, r| edges.push((s, r)));
            for (s, r) in edges {
                self.sources[s as usize].insert((id, r));
            }
        }
    }

    fn silent(&self, id: Id) -> bool {
        let node = &self.cfg.nodes[id as usize];
        !self.gone[id as usize]
            && node.ops.is_empty()
            && node.letters.is_empty()
            && !node.unsupported
            && id != self.cfg.init
            && id != self.cfg.last
    }

    /// A silent first node that only leads to the next one is not needed.
    fn drop_first(&mut self) {
        let first = &self.cfg.nodes[self.cfg.init as usize];
        let silent = first.ops.is_empty() && first.letters.is_empty() && first.roles.is_empty();
        let entered = !self.sources[self.cfg.init as usize].is_empty();
        if let ([next], true, false) = (&first.succ[..], silent, entered)
            && *next != self.cfg.last
            && self.sources[*next as usize].len() == 1
        {
            self.gone[self.cfg.init as usize] = true;
            self.cfg.init = *next;
        }
    }

    /// Puts nodes in the place of one in everything that leads to it.
    fn redirect(&mut self, id: Id, to: &[Id]) {
        for (from, role) in std::mem::take(&mut self.sources[id as usize]) {
            let node = &mut self.cfg.nodes[from as usize];
            let list = match role {
                None => &mut node.succ,
                Some(r) => &mut node.roles[r].then,
            };
            list.retain(|s| *s != id);
            list.extend(to);
            list.sort_unstable();
            list.dedup();
            for target in to {
                self.sources[*target as usize].insert((from, role));
            }
        }
    }

    fn try_remove(&mut self, id: Id) -> bool {
        if !self.silent(id) || !self.cfg.nodes[id as usize].roles.is_empty() {
            return false;
        }
        let succ: Vec<Id> = self.cfg.nodes[id as usize].succ.iter().copied().filter(|s| *s != id).collect();
        self.sources[id as usize].remove(&(id, None));
        let before: BTreeSet<Id> = self.sources[id as usize].iter().map(|s| s.0).collect();
        // How many edges there are with and without the node; parallel ones count once.
        let mut fresh = 0;
        for from in &before {
            let mut known = BTreeSet::new();
            self.each_edge(*from, |s, _| {
                known.insert(s);
            });
            fresh += succ.iter().filter(|s| !known.contains(s)).count();
        }
        if succ.is_empty() || fresh > before.len() + succ.len() {
            return false;
        }
        self.gone[id as usize] = true;
        for s in &succ {
            self.sources[*s as usize].remove(&(id, None));
        }
        self.redirect(id, &succ);
        true
    }

    /// Silent nodes with the same sources become one, with the roles of all.
    fn merge_siblings(&mut self, became: &mut [Id]) -> bool {
        let mut by: BTreeMap<(BTreeSet<Source>, bool), Vec<Id>> = BTreeMap::new();
        for id in 0..self.cfg.nodes.len() as Id {
            if self.silent(id) && !self.sources[id as usize].is_empty() {
                let completed = self.cfg.nodes[id as usize].completed;
                by.entry((self.sources[id as usize].clone(), completed)).or_default().push(id);
            }
        }
        let mut changed = false;
        for siblings in by.into_values().filter(|s| s.len() > 1) {
            let first = siblings[0];
            for other in &siblings[1..] {
                let mut edges = Vec::new();
                self.each_edge(*other, |s, r| edges.push((s, r)));
                for (s, r) in &edges {
                    self.sources[*s as usize].remove(&(*other, *r));
                }
                let node = self.cfg.nodes[*other as usize].clone();
                let offset = self.cfg.nodes[first as usize].roles.len();
                let target = &mut self.cfg.nodes[first as usize];
                target.succ.extend(&node.succ);
                target.succ.sort_unstable();
                target.succ.dedup();
                target.roles.extend(node.roles);
                for (s, r) in edges {
                    self.sources[s as usize].insert((first, r.map(|r| r + offset)));
                }
                self.gone[*other as usize] = true;
                became[*other as usize] = first;
                self.redirect(*other, &[first]);
                changed = true;
            }
        }
        changed
    }

    fn compact(self, became: &mut [Id]) -> Vec<Option<Id>> {
        let mut number = vec![None; self.cfg.nodes.len()];
        let mut kept = Vec::new();
        for (id, gone) in self.gone.iter().enumerate() {
            if !gone {
                number[id] = Some(kept.len() as Id);
                kept.push(self.cfg.nodes[id].clone());
            }
        }
        let new = |id: Id| {
            let mut id = id;
            while became[id as usize] != id {
                id = became[id as usize];
            }
            number[id as usize]
        };
        for node in &mut kept {
            node.succ = node.succ.iter().filter_map(|s| new(*s)).collect();
            for role in &mut node.roles {
                role.then = role.then.iter().filter_map(|s| new(*s)).collect();
            }
        }
        let result: Vec<Option<Id>> = (0..number.len() as Id).map(new).collect();
        self.cfg.init = result[self.cfg.init as usize].unwrap_or(0);
        self.cfg.last = result[self.cfg.last as usize].unwrap_or(0);
        for site in &mut self.cfg.sites {
            site.pending =
                site.pending.iter().filter_map(|(e, n)| Some((*e, result[*n as usize]?))).collect();
        }
        self.cfg.fragile = self.cfg.fragile.iter().filter_map(|n| result[*n as usize]).collect();
        self.cfg.nodes = kept;
        result
    }
}
