//! The communication nodes: one for each way in which two participants can interact.
//!
//! Every role of a node names its partner's role, so the nodes are found by going through all roles and, for each, the
//! roles that fit. Two members of one class can meet if the class has two members. A protected object is a participant
//! with three nodes: free, read, held. A lock leads it from one to another.
//!
//! A rendezvous with a body begins at one communication node and ends at others, with a node in between in which the
//! caller waits. This node belongs to one pair of a call and an accept statement, so the end frees the right caller. It
//! may also end with an exception in both tasks, with a requeue, or, where the accepting task can be taken away at any
//! time, without its partner. For all of these there are edges; which of them can occur is left to the constraints.

use std::collections::BTreeSet;

use rendez_model::{EntryId, Expr, Formal, Loc, LockMode, ObjectId, TaskId, VarId};

use super::{Assembly, NodeId, NodeKind, Side, TfgNode};
use crate::cfg::{
    Id, InteractionRole, Op, Participation, Unfit, accepted, begun, copies_in, copies_out, finished,
};
use crate::data::one_of;

/// A role of a node in the graph of a class.
#[derive(Clone)]
struct Port {
    class: usize,
    at: Id,
    role: InteractionRole,
}

/// A node in which a caller waits for the end of a rendezvous.
struct OpenRendezvous {
    /// The accepting class and its accept statement.
    class: usize,
    accept: Id,
    node: NodeId,
    caller: Port,
    entry: EntryId,
}

/// The nodes of a protected object, counted from the first.
const FREE: u32 = 0;
const READ: u32 = 1;
const HELD: u32 = 2;

impl Assembly<'_> {
    /// Adds the communication nodes.
    pub(super) fn connect(&mut self) -> Result<(), Unfit> {
        let ports = self.ports();
        let mut waits: Vec<OpenRendezvous> = Vec::new();
        for port in &ports {
            match &port.role.part {
                Participation::Call { .. } => self.call(port, &ports, &mut waits),
                Participation::Refused { entry } => self.refused(port, *entry),
                Participation::Enter { .. } => self.enter(port),
                Participation::Lock { object, mode } => self.lock(port, *object, *mode),
                Participation::Unlock { object } => self.unlock(port, *object),
                Participation::Start { tasks } => self.start(port, tasks, &ports),
                Participation::Join { tasks } => self.join(port, tasks, &ports),
                // The partner's role makes the node.
                Participation::Accept { .. }
                | Participation::Finish { .. }
                | Participation::Fail { .. }
                | Participation::Requeue { .. }
                | Participation::Terminable
                | Participation::Startable
                | Participation::Broken { .. } => {}
            }
        }
        waits.iter().try_for_each(|wait| self.end_rendezvous(wait, &ports))
    }

    fn ports(&self) -> Vec<Port> {
        let mut all = Vec::new();
        for (class, graph) in self.graphs.iter().enumerate() {
            for (id, node) in graph.nodes.iter().enumerate() {
                all.extend(node.roles.iter().map(|r| Port { class, at: id as Id, role: r.clone() }));
            }
        }
        all
    }

    fn loc(&self, port: &Port) -> Loc {
        self.graphs[port.class].nodes[port.at as usize].loc
    }

    /// A participant that comes from a role's node and goes on as the role says.
    fn side(&self, port: &Port) -> Side {
        let then = self.globals(port.class, &port.role.then);
        Side { class: port.class, from: self.global(port.class, port.at), then }
    }

    /// Whether members of two classes can meet.
    fn room(&self, a: usize, b: usize) -> bool {
        a != b || self.classes[a].size() > 1
    }

    /// A protected object that goes from one of its nodes to others.
    fn object(&self, object: ObjectId, from: u32, to: &[u32]) -> Side {
        let class = self.object_class[object.index()];
        let first = self.classes[class].init;
        Side { class, from: first + from, then: to.iter().map(|t| first + t).collect() }
    }

    /// Adds a node that carries nothing.
    fn silent(&mut self, loc: Loc, sides: [Side; 2]) {
        self.com(NodeKind::Other, loc, sides, Vec::new(), Vec::new());
    }

    /// The beginnings of the rendezvous of a call.
    fn call(&mut self, port: &Port, ports: &[Port], waits: &mut Vec<OpenRendezvous>) {
        let Participation::Call { entry, args, more, .. } = &port.role.part else { return };
        let Some(called) = self.class_of_entry(*entry) else { return };
        let caller = self.classes[port.class].members[0];
        let loc = self.loc(port);
        for other in ports.iter().filter(|o| o.class == called.0) {
            let Participation::Accept { entry, formals, accept, whole } = &other.role.part else { continue };
            let (entry, accept, whole) = (*entry, *accept, *whole);
            if self.class_of_entry(entry) != Some(called) || !self.room(port.class, other.class) {
                continue;
            }
            let automata = self.plan.automata;
            for (test, mut letters) in accepted(self.plan.program, automata, caller, entry, formals) {
                let mut ops = self.arguments(port.class, formals, args, more);
                ops.extend(test);
                let mut first = self.side(port);
                if whole {
                    ops.extend(results(formals, args));
                    letters.extend(finished(self.plan.program, automata, caller, entry));
                } else {
                    let classes = vec![port.class as u16];
                    let node = self.add(TfgNode { classes, loc, ..self.nodes[0].clone() });
                    waits.push(OpenRendezvous {
                        class: other.class,
                        accept,
                        node,
                        caller: port.clone(),
                        entry,
                    });
                    first.then = vec![node];
                }
                let sides = [first, self.side(other)];
                self.com(NodeKind::Accept { entry, whole }, loc, sides, ops, letters);
            }
        }
    }

    /// A call that fails because the task is completed.
    fn refused(&mut self, port: &Port, entry: EntryId) {
        let Some((other, _)) = self.class_of_entry(entry) else { return };
        if !self.room(port.class, other) {
            // Who calls himself waits for ever.
            return;
        }
        for at in 0..self.graphs[other].nodes.len() {
            if self.graphs[other].nodes[at].completed {
                let there = self.global(other, at as Id);
                let completed = Side { class: other, from: there, then: vec![there] };
                self.silent(self.loc(port), [self.side(port), completed]);
            }
        }
    }

    fn enter(&mut self, port: &Port) {
        let Participation::Enter { entry, object, formals, args } = &port.role.part else { return };
        let program = self.plan.program;
        let caller = self.classes[port.class].members[0];
        let barrier = &program.entries[entry.index()].barrier;
        for (test, letters) in accepted(program, self.plan.automata, caller, *entry, formals) {
            let mut ops: Vec<Op> = barrier.iter().map(|b| Op::Assume(b.clone(), true)).collect();
            ops.extend(copies_in(self.plan.facts, formals, args));
            ops.extend(test);
            let sides = [self.side(port), self.object(*object, FREE, &[HELD])];
            self.com(NodeKind::Enter { entry: *entry }, self.loc(port), sides, ops, letters);
        }
    }

    fn lock(&mut self, port: &Port, object: ObjectId, mode: LockMode) {
        let ways: &[(u32, u32)] = match mode {
            LockMode::Write => &[(FREE, HELD)],
            LockMode::Read => &[(FREE, READ), (READ, READ)],
        };
        for (from, to) in ways {
            self.silent(self.loc(port), [self.side(port), self.object(object, *from, &[*to])]);
        }
    }

    /// Of several readers, the last one frees the object.
    fn unlock(&mut self, port: &Port, object: ObjectId) {
        for (from, to) in [(HELD, &[FREE][..]), (READ, &[FREE, READ])] {
            self.silent(self.loc(port), [self.side(port), self.object(object, from, to)]);
        }
    }

    fn start(&mut self, port: &Port, tasks: &[TaskId], ports: &[Port]) {
        for class in self.classes_of(tasks).into_iter().filter(|c| *c != port.class) {
            let letters = begun(self.plan.program, self.plan.automata, self.classes[class].members[0]);
            for other in ports.iter().filter(|o| o.class == class && o.role.part == Participation::Startable)
            {
                let sides = [self.side(port), self.side(other)];
                self.com(NodeKind::Other, self.loc(port), sides, Vec::new(), letters.clone());
            }
        }
    }

    fn join(&mut self, port: &Port, tasks: &[TaskId], ports: &[Port]) {
        let loc = self.loc(port);
        for class in self.classes_of(tasks).into_iter().filter(|c| *c != port.class) {
            // It has ended, or never ran, or waits to be ended.
            let (init, last) = (self.classes[class].init, self.classes[class].last);
            for there in BTreeSet::from_iter(last.into_iter().chain([init])) {
                self.silent(loc, [self.side(port), Side { class, from: there, then: vec![there] }]);
            }
            for other in ports.iter().filter(|o| o.class == class && o.role.part == Participation::Terminable)
            {
                let here = self.global(port.class, port.at);
                let still = Side { class: port.class, from: here, then: vec![here] };
                self.silent(loc, [still, self.side(other)]);
            }
        }
    }

    /// The ways in which a rendezvous with a body ends.
    fn end_rendezvous(&mut self, wait: &OpenRendezvous, ports: &[Port]) -> Result<(), Unfit> {
        let OpenRendezvous { class, accept, node, ref caller, entry } = *wait;
        let Participation::Call { args, site, .. } = &caller.role.part else { return Ok(()) };
        let broken = self.broken(caller, *site, ports);
        // An accept statement that may be left at any time lets its caller down.
        let abortable = self.classes[class].members.iter().any(|t| self.plan.facts.abortable[t.index()]);
        if abortable || !self.graphs[class].fragile.is_empty() {
            self.nodes[node as usize].then[0].extend(&broken);
        }
        let loc = self.nodes[node as usize].loc;
        let waiting = |then: Vec<NodeId>| Side { class: caller.class, from: node, then };
        for other in ports.iter().filter(|o| o.class == class) {
            match &other.role.part {
                Participation::Finish { accept: a, formals } if *a == accept => {
                    let task = self.classes[caller.class].members[0];
                    let letters = finished(self.plan.program, self.plan.automata, task, entry);
                    let back = self.globals(caller.class, &caller.role.then);
                    let sides = [waiting(back), self.side(other)];
                    self.com(NodeKind::Finish { entry }, loc, sides, results(formals, args), letters);
                }
                Participation::Fail { accept: a } if *a == accept => {
                    self.silent(loc, [waiting(broken.clone()), self.side(other)]);
                }
                Participation::Requeue { accept: a, entry: target, formals } if *a == accept => {
                    let back = self.pending(caller.class, *site, *target);
                    if back.is_empty() {
                        let reason = "a requeue whose call is not known".to_owned();
                        return Err(Unfit { reason, loc });
                    }
                    let sides = [waiting(back), self.side(other)];
                    self.com(NodeKind::Other, loc, sides, results(formals, args), Vec::new());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where a caller goes on if the rendezvous fails.
    fn broken(&self, caller: &Port, site: Id, ports: &[Port]) -> Vec<NodeId> {
        let fails = |o: &&Port| {
            o.class == caller.class
                && o.at == caller.at
                && matches!(o.role.part, Participation::Broken { site: s } if s == site)
        };
        ports.iter().filter(fails).flat_map(|o| self.globals(o.class, &o.role.then)).collect()
    }

    /// Where a call waits for an entry that it is requeued to.
    fn pending(&self, class: usize, site: Id, target: EntryId) -> Vec<NodeId> {
        let port = self.class_of_entry(target);
        let fits = |e: EntryId| e == target || port.is_some_and(|p| Some(p) == self.class_of_entry(e));
        let pending = &self.graphs[class].sites[site as usize].pending;
        pending.iter().filter(|(e, _)| fits(*e)).map(|(_, n)| self.global(class, *n)).collect()
    }

    /// How parameters arrive. Of tasks that share a node it is known at most which values they pass.
    fn arguments(
        &mut self,
        class: usize,
        formals: &[Formal],
        args: &[VarId],
        more: &[Vec<VarId>],
    ) -> Vec<Op> {
        let mut ops = copies_in(self.plan.facts, formals, args);
        if self.classes[class].size() == 1 {
            return ops;
        }
        let all: Vec<&[VarId]> = std::iter::once(args).chain(more.iter().map(Vec::as_slice)).collect();
        for op in &mut ops {
            let Op::Copy { to, from } = op else { continue };
            let Some(position) = args.iter().position(|a| a == from) else { continue };
            let values: Option<BTreeSet<i64>> =
                all.iter().map(|args| self.plan.facts.constant[args[position].index()]).collect();
            let Some(values) = values else { continue };
            let value = match values.len() {
                1 => values.first().copied().unwrap_or(0),
                _ => {
                    let known = self.sets.iter().position(|s| *s == values);
                    let set = known.unwrap_or_else(|| {
                        self.sets.push(values);
                        self.sets.len() - 1
                    });
                    one_of(set)
                }
            };
            *op = Op::Set(*to, Expr::Const(value));
        }
        ops
    }

    fn classes_of(&self, tasks: &[TaskId]) -> Vec<usize> {
        let set: BTreeSet<usize> = tasks.iter().filter_map(|t| self.class_of[t.index()]).collect();
        set.into_iter().collect()
    }
}

/// Results are copied out, then the parameters are gone.
fn results(formals: &[Formal], args: &[VarId]) -> Vec<Op> {
    let mut ops = copies_out(formals, args);
    ops.extend(formals.iter().map(|f| Op::Reset(f.cell)));
    ops
}
