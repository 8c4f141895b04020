//! Joins the graphs of all tasks into one.
//!
//! First the tasks are sorted into classes (`classes.rs`), whose members share a graph (`unite.rs`). Then all these
//! graphs are laid out one after the other, followed by three nodes for each protected object. Then communication nodes
//! are added (`connect.rs`), `mhp.rs` finds what may happen in parallel, and what is never reached is left out.
//!
//! Operations on cells that are not followed mean nothing and are dropped on the way, and so are operations on locals
//! of tasks that share a graph, since a shared node cannot say whose local it means (`blur`).

mod classes;
mod connect;
mod unite;

use std::collections::BTreeSet;

use rendez_analysis::parallel::Parallel;
use rendez_model::{EntryId, Expr, Loc, ObjectId, Owner, Place, Program, Storage, TaskId, VarId};

use super::{Class, NodeId, NodeKind, Tfg, TfgNode, TfgPlan};
use crate::cfg::{Cfg, Id, Letter, Op, Unfit};
use crate::data::each_cell;
use crate::mhp::mhp;
use classes::ordinal;

pub(super) struct Assembly<'a> {
    plan: &'a TfgPlan<'a>,
    classes: Vec<Class>,
    class_of: Vec<Option<usize>>,
    object_class: Vec<usize>,
    /// The graph of each class of tasks, and for each node the roles of all members.
    graphs: Vec<Cfg>,
    /// Where the nodes of each class begin.
    base: Vec<NodeId>,
    nodes: Vec<TfgNode>,
    without_main: bool,
    sets: Vec<BTreeSet<i64>>,
}

/// What one participant of an interaction does: where it comes from and where it goes on.
struct Side {
    class: usize,
    from: NodeId,
    then: Vec<NodeId>,
}

impl Assembly<'_> {
    pub(super) fn finish(mut self) -> Result<Tfg, Unfit> {
        let program = self.plan.program;
        let initial = self.add(TfgNode {
            classes: Vec::new(),
            kind: NodeKind::Local,
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
                self.nodes.push(TfgNode {
                    classes: vec![class as u16],
                    kind: NodeKind::Local,
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
            self.classes[class].last = Some(base + self.graphs[class].last);
        }
        for object in (0..program.objects.len()).map(ObjectId::from) {
            let class = self.classes.len();
            self.object_class.push(class);
            // Free, read, held.
            let first = self.nodes.len() as NodeId;
            for _ in 0..3 {
                let node = TfgNode { classes: vec![class as u16], ..self.nodes[0].clone() };
                self.add(node);
            }
            self.classes.push(Class {
                members: Vec::new(),
                object: Some(object),
                init: first,
                last: None,
                dormant: false,
            });
        }
        self.connect()?;
        // Main's end is the end of everything; without it, the end of any task leads there.
        for class in 0..self.graphs.len() {
            let (first, end) = (self.classes[class].init, self.classes[class].last);
            self.nodes[initial as usize].then[0].push(first);
            let ends = self.without_main || self.classes[class].members[0] == TaskId::ENVIRONMENT;
            if let (true, Some(end)) = (ends, end) {
                self.nodes[end as usize].then[0].push(last);
            }
        }
        for class in &self.classes[self.graphs.len()..] {
            self.nodes[initial as usize].then[0].push(class.init);
        }
        let Assembly { classes, nodes, without_main, sets, .. } = self;
        let mut tfg = Tfg {
            classes,
            nodes,
            initial,
            last,
            communications: Vec::new(),
            mhp: Parallel::default(),
            without_main,
            sets,
        };
        tfg.find_communications();
        tfg.mhp = mhp(&tfg);
        tfg.keep();
        tfg.find_communications();
        Ok(tfg)
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

    fn add(&mut self, node: TfgNode) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// Adds a communication node.
    fn com(
        &mut self,
        kind: NodeKind,
        loc: Loc,
        [first, second]: [Side; 2],
        ops: Vec<Op>,
        letters: Vec<Letter>,
    ) -> NodeId {
        let ops = self.visible(ops, &[first.class, second.class]);
        self.add(TfgNode {
            classes: vec![first.class as u16, second.class as u16],
            kind,
            loc,
            ops,
            letters,
            from: Some((first.from, second.from)),
            then: [first.then, second.then],
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
