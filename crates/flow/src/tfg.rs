//! Trace flow graphs: the control-flow graphs of all tasks, joined where tasks interact.
//!
//! The graph is that of FLAVERS (Dwyer et al., 2004, sections 4.1.2 to 4.3). Every interaction of two participants is a
//! communication node: it belongs to both, is entered from one node of each, and leads to successors in both. An
//! initial node leads to the first nodes of all tasks, and the end of the main program to the final node. What may
//! happen in parallel is kept as a relation (`mhp.rs`), and nodes that are never reached are removed.
//!
//! An accept statement with a body needs two communication nodes, for its start and its end, and a node between them in
//! which the caller waits. There is one such node for each pair of a call and an accept statement, so the end of a
//! nested rendezvous never frees the wrong caller.
//!
//! Ours goes beyond the paper in these points:
//! - A protected object is a participant like a task, with three nodes: free, read and held. Locks and protected
//!   entries are communication nodes with it.
//! - Starting a task, waiting for its end, calls of completed tasks, and rendezvous that end with an exception are
//!   interactions, too. The paper models programs in which none of these goes wrong.
//! - Tasks that nothing tells apart share one set of nodes. An operation stays in a shared node only if it does the
//!   same whoever does it; otherwise what it writes becomes unknown. A class knows its size, so a node may happen in
//!   parallel with itself. The graph then does not grow with the number of clients, except by sets of values that they
//!   pass.
//! - A main program that only starts tasks and waits for them is left out; the end of any task then leads to the final
//!   node.
//!
//! Each of these adds paths or keeps them, and none removes a path that an execution takes. So whatever propagation
//! proves holds, and what it finds is replayed on the semantics.

use std::collections::{BTreeMap, BTreeSet};

use rendez_analysis::parallel::Parallel;
use rendez_model::monitor::{Happening, Monitor};
use rendez_model::{
    Action, EntryId, Expr, Formal, Loc, LockMode, ObjectId, Owner, Place, Program, Storage, TaskId, VarId,
};

use crate::cfg::{
    Builder, Cfg, Facts, Id, Letter, Op, Part, Role, Unfit, accepted, begun, copies_in, copies_out, finished,
};
use crate::data::{each_cell, one_of};
use crate::mhp::{Bits, mhp};
use crate::refine::refine;

pub type NodeId = u32;
pub const NONE: u32 = u32::MAX;

/// Participants that share nodes: alike tasks, or one protected object.
#[derive(Clone, Debug)]
pub struct Class {
    pub members: Vec<TaskId>,
    pub object: Option<ObjectId>,
    pub init: NodeId,
    pub last: NodeId,
    /// Somebody starts it; until then it is at its first node.
    pub dormant: bool,
}

impl Class {
    pub fn size(&self) -> usize {
        if self.object.is_some() { 1 } else { self.members.len() }
    }
}

/// What a node is, for people and for replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Local,
    /// A rendezvous begins, or begins and ends.
    Accept {
        entry: EntryId,
        whole: bool,
    },
    Finish {
        entry: EntryId,
    },
    /// The body of a protected entry begins.
    Enter {
        entry: EntryId,
    },
    /// Any other interaction: a lock, the start or end of a task, an exception.
    Other,
}

#[derive(Clone, Debug)]
pub struct Node {
    /// The classes it belongs to: none, one, or two.
    pub classes: Vec<u16>,
    pub what: What,
    pub loc: Loc,
    pub ops: Vec<Op>,
    pub letters: Vec<Letter>,
    /// For communication nodes: where the two participants come from.
    pub from: Option<(NodeId, NodeId)>,
    /// Where they go on: one list for each class.
    pub then: [Vec<NodeId>; 2],
    pub unsupported: bool,
    /// The participant is completed or has ended.
    pub completed: bool,
}

impl Node {
    pub fn is_com(&self) -> bool {
        self.from.is_some()
    }

    pub fn successors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.then[0].iter().chain(&self.then[1]).copied()
    }
}

pub struct Tfg {
    pub classes: Vec<Class>,
    pub nodes: Vec<Node>,
    pub initial: NodeId,
    pub last: NodeId,
    /// The communication nodes that each node leads to.
    pub meets: Vec<Vec<NodeId>>,
    /// May happen in parallel.
    pub mhp: Parallel,
    /// The main program only starts the tasks and waits for them: it is not followed.
    pub without_main: bool,
    /// What numbers that stand for sets mean.
    pub sets: Vec<BTreeSet<i64>>,
}

/// How a graph is built.
pub struct Plan<'a> {
    pub program: &'a Program,
    pub facts: &'a Facts,
    pub automata: &'a [Monitor],
    /// Tasks that have nodes of their own whatever they look like.
    pub separate: &'a BTreeSet<TaskId>,
    /// Whether other tasks that are alike share nodes.
    pub merge: bool,
    /// Cells that may be followed: what is done to them stays visible.
    pub cells: &'a BTreeSet<VarId>,
    /// Merge silent nodes with the same predecessors.
    pub optimise: bool,
    /// As published: calls of completed tasks do not fail.
    pub published: bool,
}

impl Tfg {
    pub fn new(plan: &Plan) -> Result<Tfg, Unfit> {
        Assembly::new(plan)?.finish()
    }

    /// The control edges.
    pub fn control_edges(&self) -> usize {
        self.control().iter().map(Vec::len).sum()
    }

    /// Where control goes from each node, communication nodes included.
    pub fn control(&self) -> Vec<Vec<NodeId>> {
        let unique = |(n, meets): (&Node, &Vec<NodeId>)| {
            n.successors().chain(meets.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect()
        };
        self.nodes.iter().zip(&self.meets).map(unique).collect()
    }

    /// Where a participant goes on from a node, communication nodes included.
    pub fn within(&self, n: NodeId, class: u16) -> Vec<NodeId> {
        let node = &self.nodes[n as usize];
        if !node.is_com() {
            return node.then[0].iter().chain(&self.meets[n as usize]).copied().collect();
        }
        let sides = node.classes.iter().zip(&node.then).filter(|(c, _)| **c == class);
        sides.flat_map(|(_, side)| side.iter().copied()).collect()
    }

    fn find_meets(&mut self) {
        self.meets = vec![Vec::new(); self.nodes.len()];
        for (c, node) in self.nodes.iter().enumerate() {
            if let Some((p, q)) = node.from {
                self.meets[p as usize].push(c as NodeId);
                if q != p {
                    self.meets[q as usize].push(c as NodeId);
                }
            }
        }
    }

    /// The pairs of nodes that may happen in parallel, each once.
    pub fn mhp_pairs(&self) -> Vec<(NodeId, NodeId)> {
        let mut pairs = Vec::new();
        for a in 0..self.nodes.len() as NodeId {
            for b in self.mhp.row(a).ones().filter(|b| *b > a) {
                pairs.push((a, b));
            }
        }
        pairs
    }

    /// Edges between tasks for the given nodes.
    pub fn mip_edges(&self, events: &Bits) -> usize {
        let all = events.ones();
        all.map(|a| self.mhp.row(a).ones().filter(|b| events.get(*b)).count()).sum()
    }
}

/// A node in which a caller waits for the end of a rendezvous.
struct Waiting {
    /// The accepting class and its accept statement.
    class: usize,
    accept: Id,
    node: NodeId,
    caller: (usize, Id, Role),
    entry: EntryId,
}

/// Automaton, what happens, mark of the symbol, entries, who must call, parameters.
type Mark = (usize, u8, u32, Vec<usize>, Option<TaskId>, Vec<Option<i64>>);

/// What automata see of a task: alike tasks with the same marks are the same to them.
fn marks(program: &Program, automata: &[Monitor], task: TaskId) -> Vec<Mark> {
    let own: Vec<EntryId> = entries_of(program, task);
    let mut marks = Vec::new();
    for (a, automaton) in automata.iter().enumerate() {
        for (happening, symbol) in &automaton.watch {
            let mark = automaton.marks[*symbol as usize];
            let (kind, entries, by, values) = match happening {
                Happening::Accept { entries, by, values } => (0, entries, by, values.clone()),
                Happening::Finish { entries, by } => (1, entries, by, Vec::new()),
                Happening::Start(tasks) | Happening::End(tasks) => {
                    let kind = if matches!(happening, Happening::Start(_)) { 2 } else { 3 };
                    if tasks.contains(&task) {
                        marks.push((a, kind, mark, Vec::new(), None, Vec::new()));
                    }
                    continue;
                }
                _ => continue,
            };
            // Its own entries, whoever calls, by their number; and others' entries that it calls.
            let mine: Vec<usize> = (0..own.len()).filter(|k| entries.contains(&own[*k])).collect();
            if !mine.is_empty() {
                marks.push((a, kind, mark, mine, *by, values.clone()));
            }
            if *by == Some(task) {
                let called = entries.iter().map(|e| e.index()).collect();
                marks.push((a, kind + 4, mark, called, None, values));
            }
        }
    }
    marks.sort();
    marks.dedup();
    marks
}

fn entries_of(program: &Program, task: TaskId) -> Vec<EntryId> {
    let mine = |e: &usize| program.entries[*e].owner == Owner::Task(task);
    (0..program.entries.len()).filter(mine).map(EntryId::from).collect()
}

/// The number of an entry among those of its owner.
fn ordinal(program: &Program, entry: EntryId) -> usize {
    let owner = program.entries[entry.index()].owner;
    program.entries[..entry.index()].iter().filter(|e| e.owner == owner).count()
}

/// What a role looks like, whoever it is for.
fn shape(program: &Program, role: &Role) -> (u8, usize, usize, Vec<Id>) {
    let target = |entry: EntryId| match program.entries[entry.index()].owner {
        Owner::Task(_) => ordinal(program, entry),
        Owner::Object(_) => usize::MAX - entry.index(),
    };
    let (kind, a, b) = match &role.part {
        Part::Call { entry, site, .. } => (0, target(*entry), *site as usize),
        Part::Enter { entry, .. } => (1, entry.index(), 0),
        Part::Accept { entry, accept, .. } => (2, target(*entry), *accept as usize),
        Part::Finish { accept, .. } => (3, *accept as usize, 0),
        Part::Fail { accept } => (4, *accept as usize, 0),
        Part::Requeue { accept, entry, .. } => (5, *accept as usize, target(*entry)),
        Part::Lock { object, mode } => (6, object.index(), usize::from(*mode == LockMode::Read)),
        Part::Unlock { object } => (7, object.index(), 0),
        Part::Start { tasks } => (8, tasks.first().map_or(0, |t| t.index()), 0),
        Part::Join { tasks } => (9, tasks.first().map_or(0, |t| t.index()), 0),
        Part::Terminable => (10, 0, 0),
        Part::Startable => (11, 0, 0),
        Part::Refused { entry } => (12, target(*entry), 0),
        Part::Broken { site } => (13, *site as usize, 0),
    };
    (kind, a, b, role.then.clone())
}

fn alike(program: &Program, a: &Cfg, b: &Cfg) -> bool {
    a.init == b.init
        && a.last == b.last
        && a.nodes.len() == b.nodes.len()
        && a.nodes.iter().zip(&b.nodes).all(|(x, y)| {
            x.letters == y.letters
                && x.succ == y.succ
                && x.completed == y.completed
                && x.unsupported == y.unsupported
                && x.roles.len() == y.roles.len()
                && x.roles.iter().zip(&y.roles).all(|(r, s)| shape(program, r) == shape(program, s))
        })
}

struct Assembly<'a> {
    plan: &'a Plan<'a>,
    classes: Vec<Class>,
    class_of: Vec<Option<usize>>,
    object_class: Vec<usize>,
    /// The graph of each class of tasks, and for each node the roles of all members.
    graphs: Vec<Cfg>,
    /// Where the nodes of each class begin.
    base: Vec<NodeId>,
    nodes: Vec<Node>,
    without_main: bool,
    sets: Vec<BTreeSet<i64>>,
}

impl<'a> Assembly<'a> {
    fn new(plan: &'a Plan) -> Result<Self, Unfit> {
        let program = plan.program;
        let count = program.tasks.len();
        let build = |t: usize, started: bool| {
            Builder::build(program, plan.facts, plan.automata, TaskId::from(t), started)
        };
        let main = build(0, false)?;
        let mut cfgs = vec![main];
        for t in 1..count {
            cfgs.push(build(t, true)?);
        }
        let by_main = started_by(&cfgs[0]);
        let without_main = count > 1 && Self::is_trivial(plan, &cfgs);
        if without_main {
            for t in &by_main {
                cfgs[t.index()] = build(t.index(), false)?;
            }
        }
        for cfg in &mut cfgs {
            Self::forget(plan, cfg);
        }
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for t in usize::from(without_main)..count {
            let alone = t == 0 || !plan.merge || plan.separate.contains(&TaskId::from(t));
            let mark = marks(program, plan.automata, TaskId::from(t));
            let same = |class: &Vec<usize>| {
                let first = class[0];
                let other = TaskId::from(first);
                !(first == 0 || plan.separate.contains(&other))
                    && plan.facts.abortable[first] == plan.facts.abortable[t]
                    && marks(program, plan.automata, other) == mark
                    && alike(program, &cfgs[first], &cfgs[t])
            };
            match classes.iter().position(|c| !alone && same(c)) {
                Some(c) => classes[c].push(t),
                None => classes.push(vec![t]),
            }
        }
        let mut assembly = Assembly {
            plan,
            classes: Vec::new(),
            class_of: vec![None; count],
            object_class: Vec::new(),
            graphs: Vec::new(),
            base: Vec::new(),
            nodes: Vec::new(),
            without_main,
            sets: Vec::new(),
        };
        for class in &classes {
            for t in class {
                assembly.class_of[*t] = Some(assembly.classes.len());
            }
            let members = class.iter().map(|t| TaskId::from(*t)).collect();
            assembly.classes.push(Class { members, object: None, init: NONE, last: NONE, dormant: false });
        }
        for (c, class) in classes.iter().enumerate() {
            let members: Vec<&Cfg> = class.iter().map(|t| &cfgs[*t]).collect();
            let mut graph = assembly.unite(&members);
            Self::forget(plan, &mut graph);
            assembly.fold_chains(&mut graph);
            if plan.published {
                for node in &mut graph.nodes {
                    node.roles.retain(|r| !matches!(r.part, Part::Refused { .. } | Part::Broken { .. }));
                }
            }
            refine(&mut graph, plan.optimise);
            let first = &graph.nodes[graph.init as usize];
            let dormant = first.roles.iter().any(|r| r.part == Part::Startable);
            assembly.classes[c].dormant = dormant;
            assembly.graphs.push(graph);
        }
        Ok(assembly)
    }

    /// Operations on cells that are not followed mean nothing.
    fn forget(plan: &Plan, cfg: &mut Cfg) {
        for node in &mut cfg.nodes {
            node.ops.retain(|op| {
                let mut found = false;
                each_cell(plan.program, op, &mut |c| found |= plan.cells.contains(&c));
                found
            });
        }
    }

    /// Starting or awaiting the members of a class one after the other becomes a loop.
    fn fold_chains(&self, graph: &mut Cfg) {
        let links = |graph: &Cfg, id: Id| -> Option<(bool, usize)> {
            let node = &graph.nodes[id as usize];
            let [role] = &node.roles[..] else { return None };
            let silent = node.ops.is_empty() && node.letters.is_empty() && node.succ.is_empty();
            let (start, tasks) = match &role.part {
                Part::Start { tasks } => (true, tasks),
                Part::Join { tasks } => (false, tasks),
                _ => return None,
            };
            let [task] = tasks[..] else { return None };
            let class = self.class_of[task.index()]?;
            (silent && self.classes[class].size() > 1).then_some((start, class))
        };
        for id in 0..graph.nodes.len() as Id {
            let Some(kind) = links(graph, id) else { continue };
            let mut at = id;
            let mut folded = false;
            while let [next] = graph.nodes[at as usize].roles[0].then[..] {
                if next == id || links(graph, next) != Some(kind) {
                    break;
                }
                at = next;
                folded = true;
            }
            if folded {
                let mut then = graph.nodes[at as usize].roles[0].then.clone();
                then.push(id);
                graph.nodes[id as usize].roles[0].then = then;
            }
        }
    }

    /// Whether the main program only starts the tasks and waits for them.
    fn is_trivial(plan: &Plan, cfgs: &[Cfg]) -> bool {
        let main = &cfgs[0];
        let mut plain = main.nodes.iter().all(|n| {
            let visible = n.ops.iter().any(|op| {
                let mut found = false;
                each_cell(plan.program, op, &mut |c| found |= plan.cells.contains(&c));
                found
            });
            let parts = |r: &Role| match &r.part {
                Part::Start { tasks } => tasks.len() == 1,
                Part::Join { .. } => true,
                _ => false,
            };
            !visible && n.letters.is_empty() && !n.unsupported && n.roles.iter().all(parts)
        });
        // Nobody is started twice, and nobody waits to be ended by it.
        for t in started_by(main) {
            let starts = main.nodes.iter().filter(|n| {
                n.roles.iter().any(|r| matches!(&r.part, Part::Start { tasks } if tasks.contains(&t)))
            });
            plain &= starts.count() == 1;
        }
        let mut color = vec![0u8; main.nodes.len()];
        plain &= acyclic(main, main.init, &mut color);
        plain
            && cfgs[1..].iter().all(|c| {
                c.nodes.iter().all(|n| n.roles.iter().all(|r| r.part != Part::Terminable))
                    && begun(plan.program, plan.automata, c.task).is_empty()
            })
    }

    /// One graph for alike tasks: the roles of all of them, and only those operations that do the same
    /// whoever does them.
    fn unite(&self, members: &[&Cfg]) -> Cfg {
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
                            if let (Part::Call { more, .. }, Part::Call { args, .. }) =
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
    fn same_port(&self, a: &Role, b: &Role) -> bool {
        match (&a.part, &b.part) {
            (Part::Call { entry: x, .. }, Part::Call { entry: y, .. })
            | (Part::Refused { entry: x }, Part::Refused { entry: y }) => {
                (x == y
                    || (self.class_of_entry(*x).is_some()
                        && self.class_of_entry(*x) == self.class_of_entry(*y)))
                    && a.then == b.then
            }
            // Locals of the members differ, but nobody follows them.
            _ => shape(self.plan.program, a) == shape(self.plan.program, b),
        }
    }

    fn class_of_entry(&self, entry: EntryId) -> Option<(usize, usize)> {
        match self.plan.program.entries[entry.index()].owner {
            Owner::Task(t) => Some((self.class_of[t.index()]?, ordinal(self.plan.program, entry))),
            Owner::Object(_) => None,
        }
    }

    fn global(&self, class: usize, id: Id) -> NodeId {
        self.base[class] + id
    }

    fn globals(&self, class: usize, ids: &[Id]) -> Vec<NodeId> {
        ids.iter().map(|i| self.global(class, *i)).collect()
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    #[allow(clippy::too_many_arguments)]
    fn com(
        &mut self,
        what: What,
        loc: Loc,
        first: (usize, NodeId, Vec<NodeId>),
        second: (usize, NodeId, Vec<NodeId>),
        ops: Vec<Op>,
        letters: Vec<Letter>,
    ) -> NodeId {
        let ops = self.visible(ops, &[first.0, second.0]);
        self.add(Node {
            classes: vec![first.0 as u16, second.0 as u16],
            what,
            loc,
            ops,
            letters,
            from: Some((first.1, second.1)),
            then: [first.2, second.2],
            unsupported: false,
            completed: false,
        })
    }

    /// What operations mean where locals of classes are unknown.
    fn visible(&self, ops: Vec<Op>, classes: &[usize]) -> Vec<Op> {
        let hidden: Vec<TaskId> = classes
            .iter()
            .filter(|c| self.classes[**c].size() > 1)
            .flat_map(|c| self.classes[*c].members.iter().copied())
            .collect();
        let ops = blur(self.plan.program, ops, &hidden);
        let known = |op: &Op| {
            let mut found = false;
            each_cell(self.plan.program, op, &mut |c| found |= self.plan.cells.contains(&c));
            found
        };
        ops.into_iter().filter(known).collect()
    }

    fn finish(mut self) -> Result<Tfg, Unfit> {
        let program = self.plan.program;
        let initial = self.add(Node {
            classes: Vec::new(),
            what: What::Local,
            loc: Loc(0),
            ops: Vec::new(),
            letters: Vec::new(),
            from: None,
            then: [Vec::new(), Vec::new()],
            unsupported: false,
            completed: false,
        });
        let last = self.add(self.nodes[0].clone());
        for class in 0..self.graphs.len() {
            self.base.push(self.nodes.len() as NodeId);
            let base = self.nodes.len() as NodeId;
            for node in &self.graphs[class].nodes {
                self.nodes.push(Node {
                    classes: vec![class as u16],
                    what: What::Local,
                    loc: node.loc,
                    ops: node.ops.clone(),
                    letters: node.letters.clone(),
                    from: None,
                    then: [node.succ.iter().map(|s| s + base).collect(), Vec::new()],
                    unsupported: node.unsupported,
                    completed: node.completed,
                });
            }
            self.classes[class].init = base + self.graphs[class].init;
            self.classes[class].last = base + self.graphs[class].last;
        }
        let mut objects = Vec::new();
        for object in (0..program.objects.len()).map(ObjectId::from) {
            let class = self.classes.len();
            self.object_class.push(class);
            // Free, read, held.
            let first = self.nodes.len() as NodeId;
            for _ in 0..3 {
                let node = Node { classes: vec![class as u16], ..self.nodes[0].clone() };
                self.add(node);
            }
            self.classes.push(Class {
                members: Vec::new(),
                object: Some(object),
                init: first,
                last: NONE,
                dormant: false,
            });
            objects.push(first);
        }
        self.connect(&objects)?;
        // Main's end is the end of everything; without it, the end of any task leads there.
        for class in 0..self.graphs.len() {
            let (first, end) = (self.classes[class].init, self.classes[class].last);
            self.nodes[initial as usize].then[0].push(first);
            let ends = self.without_main || self.classes[class].members[0] == TaskId::ENVIRONMENT;
            if ends {
                self.nodes[end as usize].then[0].push(last);
            }
        }
        for first in objects {
            self.nodes[initial as usize].then[0].push(first);
        }
        let Assembly { classes, nodes, without_main, sets, .. } = self;
        let mut tfg = Tfg {
            classes,
            nodes,
            initial,
            last,
            meets: Vec::new(),
            mhp: Parallel::default(),
            without_main,
            sets,
        };
        tfg.find_meets();
        tfg.mhp = mhp(&tfg);
        tfg.keep();
        tfg.find_meets();
        Ok(tfg)
    }

    /// Adds the communication nodes.
    #[allow(clippy::too_many_lines)]
    fn connect(&mut self, objects: &[NodeId]) -> Result<(), Unfit> {
        let program = self.plan.program;
        // Who accepts which entry, who starts, who can be started, ended or joined.
        let mut all: Vec<(usize, Id, Role)> = Vec::new();
        for (class, graph) in self.graphs.iter().enumerate() {
            for (id, node) in graph.nodes.iter().enumerate() {
                all.extend(node.roles.iter().map(|r| (class, id as Id, r.clone())));
            }
        }
        let loc = |s: &Self, class: usize, id: Id| s.graphs[class].nodes[id as usize].loc;
        let room = |s: &Self, a: usize, b: usize| a != b || s.classes[a].size() > 1;
        // Nodes in which callers wait for the end of a rendezvous: the class and accept statement.
        let mut waits: Vec<Waiting> = Vec::new();
        for (class, id, role) in &all {
            let here = self.global(*class, *id);
            let place = loc(self, *class, *id);
            match &role.part {
                Part::Call { entry, args, more, .. } => {
                    let Some(port) = self.class_of_entry(*entry) else { continue };
                    for (other, at, accept) in &all {
                        let Part::Accept { entry: e, formals, accept: number, whole } = &accept.part else {
                            continue;
                        };
                        if *other != port.0
                            || self.class_of_entry(*e) != Some(port)
                            || !room(self, *class, *other)
                        {
                            continue;
                        }
                        let there = self.global(*other, *at);
                        let caller = self.classes[*class].members[0];
                        let then = self.globals(*other, &accept.then);
                        for (test, mut letters) in accepted(program, self.plan.automata, caller, *e, formals)
                        {
                            let mut ops = self.arguments(*class, formals, args, more);
                            ops.extend(test);
                            let back = self.globals(*class, &role.then);
                            let first = if *whole {
                                ops.extend(copies_out(formals, args));
                                ops.extend(formals.iter().map(|f| Op::Reset(f.cell)));
                                letters.extend(finished(program, self.plan.automata, caller, *e));
                                back
                            } else {
                                let wait = self.add(Node {
                                    classes: vec![*class as u16],
                                    loc: place,
                                    ..self.nodes[0].clone()
                                });
                                waits.push(Waiting {
                                    class: *other,
                                    accept: *number,
                                    node: wait,
                                    caller: (*class, *id, role.clone()),
                                    entry: *e,
                                });
                                vec![wait]
                            };
                            let what = What::Accept { entry: *e, whole: *whole };
                            self.com(
                                what,
                                place,
                                (*class, here, first),
                                (*other, there, then.clone()),
                                ops,
                                letters,
                            );
                        }
                    }
                }
                Part::Refused { entry } => {
                    let Some((other, _)) = self.class_of_entry(*entry) else { continue };
                    if !room(self, *class, other) {
                        // Who calls himself waits for ever.
                        continue;
                    }
                    for at in 0..self.graphs[other].nodes.len() {
                        if self.graphs[other].nodes[at].completed {
                            let there = self.global(other, at as Id);
                            let then = self.globals(*class, &role.then);
                            self.com(
                                What::Other,
                                place,
                                (*class, here, then),
                                (other, there, vec![there]),
                                Vec::new(),
                                Vec::new(),
                            );
                        }
                    }
                }
                Part::Enter { entry, object, formals, args } => {
                    let object_class = self.object_class[object.index()];
                    let free = objects[object.index()];
                    let caller = self.classes[*class].members[0];
                    let barrier = program.entries[entry.index()].barrier.clone();
                    for (test, letters) in accepted(program, self.plan.automata, caller, *entry, formals) {
                        let mut ops: Vec<Op> = barrier.iter().map(|b| Op::Assume(b.clone(), true)).collect();
                        ops.extend(copies_in(self.plan.facts, formals, args));
                        ops.extend(test);
                        let then = self.globals(*class, &role.then);
                        let what = What::Enter { entry: *entry };
                        let held = (object_class, free, vec![free + 2]);
                        self.com(what, place, (*class, here, then), held, ops, letters);
                    }
                }
                Part::Lock { object, mode } => {
                    let object_class = self.object_class[object.index()];
                    let free = objects[object.index()];
                    let ways: &[(u32, u32)] = match mode {
                        LockMode::Write => &[(0, 2)],
                        LockMode::Read => &[(0, 1), (1, 1)],
                    };
                    for (from, to) in ways {
                        let then = self.globals(*class, &role.then);
                        let side = (object_class, free + from, vec![free + to]);
                        self.com(What::Other, place, (*class, here, then), side, Vec::new(), Vec::new());
                    }
                }
                Part::Unlock { object } => {
                    let object_class = self.object_class[object.index()];
                    let free = objects[object.index()];
                    for (from, to) in [(2, vec![0]), (1, vec![0, 1])] {
                        let then = self.globals(*class, &role.then);
                        let to = to.into_iter().map(|t| free + t).collect();
                        let side = (object_class, free + from, to);
                        self.com(What::Other, place, (*class, here, then), side, Vec::new(), Vec::new());
                    }
                }
                Part::Start { tasks } => self.start(*class, here, place, role, tasks, &all),
                Part::Join { tasks } => self.join(*class, here, place, role, tasks, &all),
                _ => {}
            }
        }
        for Waiting { class, accept, node: wait, caller: (caller_class, call, role), entry } in waits {
            let Part::Call { args, site, .. } = &role.part else { continue };
            let abortable = self.classes[class].members.iter().any(|t| self.plan.facts.abortable[t.index()]);
            let broken: Vec<NodeId> = all
                .iter()
                .filter(|(c, n, r)| {
                    *c == caller_class
                        && *n == call
                        && matches!(r.part, Part::Broken { site: s } if s == *site)
                })
                .flat_map(|(c, _, r)| self.globals(*c, &r.then))
                .collect();
            // An accept statement that may be left at any time lets its caller down.
            if abortable || !self.graphs[class].fragile.is_empty() {
                self.nodes[wait as usize].then[0].extend(&broken);
            }
            let place = self.nodes[wait as usize].loc;
            for (other, at, end) in &all {
                if *other != class {
                    continue;
                }
                let there = self.global(*other, *at);
                let then = self.globals(*other, &end.then);
                match &end.part {
                    Part::Finish { accept: a, formals } if *a == accept => {
                        let mut ops = copies_out(formals, args);
                        ops.extend(formals.iter().map(|f| Op::Reset(f.cell)));
                        let caller = self.classes[caller_class].members[0];
                        let letters = finished(program, self.plan.automata, caller, entry);
                        let back = self.globals(caller_class, &role.then);
                        let what = What::Finish { entry };
                        self.com(what, place, (caller_class, wait, back), (class, there, then), ops, letters);
                    }
                    Part::Fail { accept: a } if *a == accept => {
                        let side = (caller_class, wait, broken.clone());
                        self.com(What::Other, place, side, (class, there, then), Vec::new(), Vec::new());
                    }
                    Part::Requeue { accept: a, entry: target, formals } if *a == accept => {
                        let mut ops = copies_out(formals, args);
                        ops.extend(formals.iter().map(|f| Op::Reset(f.cell)));
                        let pending = &self.graphs[caller_class].sites[*site as usize].pending;
                        let back: Vec<NodeId> = pending
                            .iter()
                            .filter(|(e, _)| {
                                e == target
                                    || self
                                        .class_of_entry(*e)
                                        .is_some_and(|p| Some(p) == self.class_of_entry(*target))
                            })
                            .map(|(_, n)| self.global(caller_class, *n))
                            .collect();
                        if back.is_empty() {
                            let reason = "a requeue whose call is not known".to_owned();
                            return Err(Unfit { reason, loc: place });
                        }
                        let side = (caller_class, wait, back);
                        self.com(What::Other, place, side, (class, there, then), ops, Vec::new());
                    }
                    _ => {}
                }
            }
        }
        Ok(())
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

    fn start(
        &mut self,
        class: usize,
        here: NodeId,
        loc: Loc,
        role: &Role,
        tasks: &[TaskId],
        all: &[(usize, Id, Role)],
    ) {
        for other in self.classes_of(tasks) {
            if other == class {
                continue;
            }
            let letters = begun(self.plan.program, self.plan.automata, self.classes[other].members[0]);
            for (c, at, startable) in all.iter().filter(|(c, _, r)| *c == other && r.part == Part::Startable)
            {
                let there = self.global(*c, *at);
                let then = self.globals(*c, &startable.then);
                let back = self.globals(class, &role.then);
                let first = (class, here, back);
                self.com(What::Other, loc, first, (other, there, then), Vec::new(), letters.clone());
            }
        }
    }

    fn join(
        &mut self,
        class: usize,
        here: NodeId,
        loc: Loc,
        role: &Role,
        tasks: &[TaskId],
        all: &[(usize, Id, Role)],
    ) {
        for other in self.classes_of(tasks) {
            if other == class {
                continue;
            }
            let back = self.globals(class, &role.then);
            // It has ended, or never ran, or waits to be ended.
            let (init, last) = (self.classes[other].init, self.classes[other].last);
            for there in BTreeSet::from([init, last]) {
                let first = (class, here, back.clone());
                self.com(What::Other, loc, first, (other, there, vec![there]), Vec::new(), Vec::new());
            }
            for (c, at, end) in all.iter().filter(|(c, _, r)| *c == other && r.part == Part::Terminable) {
                let there = self.global(*c, *at);
                let then = self.globals(*c, &end.then);
                let first = (class, here, vec![here]);
                self.com(What::Other, loc, first, (other, there, then), Vec::new(), Vec::new());
            }
        }
    }
}

fn started_by(main: &Cfg) -> BTreeSet<TaskId> {
    let roles = main.nodes.iter().flat_map(|n| &n.roles);
    roles
        .filter_map(|r| match &r.part {
            Part::Start { tasks } => Some(tasks.clone()),
            _ => None,
        })
        .flatten()
        .collect()
}

fn acyclic(cfg: &Cfg, at: Id, color: &mut [u8]) -> bool {
    match color[at as usize] {
        1 => return false,
        2 => return true,
        _ => color[at as usize] = 1,
    }
    let node = &cfg.nodes[at as usize];
    let next: Vec<Id> = node.succ.iter().chain(node.roles.iter().flat_map(|r| &r.then)).copied().collect();
    let fine = next.into_iter().all(|s| acyclic(cfg, s, color));
    color[at as usize] = 2;
    fine
}

/// Replaces what is said about locals of some tasks by nothing.
fn blur(program: &Program, ops: Vec<Op>, hidden: &[TaskId]) -> Vec<Op> {
    if hidden.is_empty() {
        return ops;
    }
    let is_hidden =
        |cell: VarId| matches!(program.vars[cell.index()].storage, Storage::Local(t) if hidden.contains(&t));
    let expr = |e: Expr| {
        e.rewrite(&mut |e| match e {
            Expr::Var(cell) if is_hidden(cell) => Expr::Any,
            Expr::Load(table, index) => {
                let mut hides = false;
                Expr::Load(table, index.clone()).each_cell(program, &mut |c| hides |= is_hidden(c));
                if hides { Expr::Any } else { Expr::Load(table, index) }
            }
            e => e,
        })
    };
    let place = |p: Place| match p {
        Place::Var(cell) if is_hidden(cell) => Place::Nowhere,
        Place::Indexed(table, index) => {
            let mut hides = false;
            Place::Indexed(table, Expr::Any).each_cell(program, |c| hides |= is_hidden(c));
            if hides { Place::Nowhere } else { Place::Indexed(table, expr(index)) }
        }
        p => p,
    };
    ops.into_iter()
        .filter_map(|op| {
            Some(match op {
                Op::Assume(e, wanted) => Op::Assume(expr(e), wanted),
                Op::Raises(e) => match expr(e) {
                    Expr::Any => return None,
                    e => Op::Raises(e),
                },
                Op::Assign(p, e) => Op::Assign(place(p), expr(e)),
                Op::Set(cell, _) if is_hidden(cell) => return None,
                Op::Set(cell, e) => Op::Set(cell, expr(e)),
                Op::Fails(..) => return None,
                Op::Havoc(p) => Op::Havoc(place(p)),
                Op::Copy { to, .. } if is_hidden(to) => return None,
                Op::Copy { to, from } if is_hidden(from) => Op::Set(to, Expr::Any),
                Op::Reset(cell) if is_hidden(cell) => return None,
                op => op,
            })
        })
        .collect()
}

impl Tfg {
    /// Leaves out what is never reached.
    fn keep(&mut self) {
        let mut number = vec![NONE; self.nodes.len()];
        let mut next = 0;
        for (n, slot) in number.iter_mut().enumerate() {
            let stays =
                self.mhp.is_reached(n as NodeId) || n as NodeId == self.initial || n as NodeId == self.last;
            if stays {
                *slot = next;
                next += 1;
            }
        }
        let old = std::mem::take(&mut self.nodes);
        for (n, mut node) in old.into_iter().enumerate() {
            if number[n] == NONE {
                continue;
            }
            for side in &mut node.then {
                *side = side.iter().map(|s| number[*s as usize]).filter(|s| *s != NONE).collect();
            }
            node.from = node.from.map(|(p, q)| (number[p as usize], number[q as usize]));
            self.nodes.push(node);
        }
        self.mhp = self.mhp.renumbered(&number, next as usize);
        self.initial = number[self.initial as usize];
        self.last = number[self.last as usize];
        for class in &mut self.classes {
            class.init = number[class.init as usize];
            if class.last != NONE {
                class.last = number[class.last as usize];
            }
        }
    }

    /// What a node is called.
    pub fn describe(&self, program: &Program, id: NodeId) -> String {
        let node = &self.nodes[id as usize];
        let who = |c: u16| {
            let class = &self.classes[c as usize];
            match class.object {
                Some(object) => program.objects[object.index()].name.clone(),
                None if class.size() > 1 => {
                    format!(
                        "one of {} tasks like {}",
                        class.size(),
                        program.tasks[class.members[0].index()].name
                    )
                }
                None => program.tasks[class.members[0].index()].name.clone(),
            }
        };
        if id == self.initial {
            return "start".into();
        }
        if id == self.last {
            return "end".into();
        }
        match node.what {
            What::Accept { entry, .. } => {
                format!("{} calls {}", who(node.classes[0]), program.entry_name(entry))
            }
            What::Finish { entry } => {
                format!("{} of {} ends", program.entry_name(entry), who(node.classes[0]))
            }
            What::Enter { entry } => format!("{} enters {}", who(node.classes[0]), program.entry_name(entry)),
            What::Other => format!("{} and {} meet", who(node.classes[0]), who(node.classes[1])),
            What::Local => match (&program.node(node.loc).action, node.classes.first()) {
                (Action::Event { name, .. }, Some(c)) => format!("{}: {name}", who(*c)),
                (_, Some(c)) => format!("{} at line {}", who(*c), program.node(node.loc).span.line),
                _ => String::new(),
            },
        }
    }

    /// Groups of nodes by class, for pictures.
    pub fn by_class(&self) -> BTreeMap<u16, Vec<NodeId>> {
        let mut groups: BTreeMap<u16, Vec<NodeId>> = BTreeMap::new();
        for (n, node) in self.nodes.iter().enumerate() {
            if let [class] = node.classes[..] {
                groups.entry(class).or_default().push(n as NodeId);
            }
        }
        groups
    }
}
