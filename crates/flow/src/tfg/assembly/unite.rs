//! One graph for all members of a class.
//!
//! The graph has the roles of all members. An operation stays only if it does the same whichever member executes it;
//! otherwise each cell that some member writes becomes unknown at that node. So the shared graph has every path of each
//! member, with at least the values that the member can produce. Roles that differ only in the partner, where the
//! partners share a graph themselves, are one role; the arguments of all calls are kept, because the sets of values
//! that members pass are known.

use std::collections::BTreeSet;

use rendez_model::{EntryId, Place, TaskId};

use super::classes::shape;
use super::{Assembly, blur};
use crate::cfg::{Cfg, Id, InteractionRole, Op, Participation};

impl Assembly<'_> {
    /// One graph for alike tasks: the roles of all of them, and only those operations that do the same
    /// whoever does them.
    pub(super) fn unite(&self, members: &[&Cfg]) -> Cfg {
        let plan = self.plan;
        let mut graph = members[0].clone();
        if members.len() == 1 {
            return graph;
        }
        let hidden: Vec<TaskId> = members.iter().map(|m| m.task).collect();
        for (i, node) in graph.nodes.iter_mut().enumerate() {
            let all: Vec<Vec<Op>> =
                members.iter().map(|m| blur(plan.program, m.nodes[i].ops.clone(), &hidden)).collect();
            if all.iter().all(|ops| *ops == all[0]) {
                node.ops = all[0].clone();
            } else {
                // Somebody may have changed any of these.
                let mut written = BTreeSet::new();
                for op in all.iter().flatten() {
                    match op {
                        Op::Assign(place, _) | Op::Havoc(place) => {
                            place.each_cell(plan.program, |c| {
                                written.insert(c);
                            });
                        }
                        Op::Set(cell, _) | Op::Copy { to: cell, .. } | Op::Reset(cell) => {
                            written.insert(*cell);
                        }
                        Op::Assume(..) | Op::Raises(_) | Op::Fails(..) => {}
                    }
                }
                node.ops = written.into_iter().map(|c| Op::Havoc(Place::Var(c))).collect();
            }
            for member in &members[1..] {
                for role in &member.nodes[i].roles {
                    match node.roles.iter_mut().find(|r| self.same_port(r, role)) {
                        None => node.roles.push(role.clone()),
                        Some(known) => {
                            if let (Participation::Call { more, .. }, Participation::Call { args, .. }) =
                                (&mut known.part, &role.part)
                            {
                                more.push(args.clone());
                            }
                        }
                    }
                }
            }
        }
        for (s, site) in graph.sites.iter_mut().enumerate() {
            for member in &members[1..] {
                let more: Vec<(EntryId, Id)> =
                    member.sites[s].pending.iter().filter(|p| !site.pending.contains(p)).copied().collect();
                site.pending.extend(more);
            }
        }
        graph
    }

    /// Whether a role of another member adds nothing: everything but the partner is the same anyway.
    fn same_port(&self, a: &InteractionRole, b: &InteractionRole) -> bool {
        match (&a.part, &b.part) {
            (Participation::Call { entry: x, .. }, Participation::Call { entry: y, .. })
            | (Participation::Refused { entry: x }, Participation::Refused { entry: y }) => {
                (x == y
                    || (self.class_of_entry(*x).is_some()
                        && self.class_of_entry(*x) == self.class_of_entry(*y)))
                    && a.then == b.then
            }
            // Locals of the members differ, but nobody follows them.
            _ => shape(self.plan.program, a) == shape(self.plan.program, b),
        }
    }
}
