//! Which tasks share a graph.
//!
//! Two tasks are alike if their control-flow graphs are, node by node: the same letters and edges, and roles of the same
//! shape. The shape of a role leaves out whose entry is called, as long as it is the same entry of tasks of one class.
//! Automata must see the same of both, so every mark that an automaton puts on the entries, the start or the end of a
//! task is compared as well. A task for which a constraint asks stays alone.
//!
//! A main program that only starts tasks and waits for them is left out here, too: without letters, without operations
//! on followed cells, without loops, and with nobody started twice, nothing depends on where it is.

use rendez_model::monitor::{EventPattern, Monitor};
use rendez_model::{EntryId, LockMode, Owner, Program, TaskId};
use std::collections::BTreeSet;

use super::super::{Class, TfgPlan};
use super::Assembly;
use crate::cfg::{Builder, Cfg, Id, InteractionRole, Participation, Unfit, begun};
use crate::data::each_cell;
use crate::refine::refine;

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
                EventPattern::Accept { entries, by, values } => (0, entries, by, values.clone()),
                EventPattern::Finish { entries, by } => (1, entries, by, Vec::new()),
                EventPattern::Start(tasks) | EventPattern::End(tasks) => {
                    let kind = if matches!(happening, EventPattern::Start(_)) { 2 } else { 3 };
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
pub(super) fn ordinal(program: &Program, entry: EntryId) -> usize {
    let owner = program.entries[entry.index()].owner;
    program.entries[..entry.index()].iter().filter(|e| e.owner == owner).count()
}

/// What a role looks like, whoever it is for.
pub(super) fn shape(program: &Program, role: &InteractionRole) -> (u8, usize, usize, Vec<Id>) {
    let target = |entry: EntryId| match program.entries[entry.index()].owner {
        Owner::Task(_) => ordinal(program, entry),
        Owner::Object(_) => usize::MAX - entry.index(),
    };
    let (kind, a, b) = match &role.part {
        Participation::Call { entry, site, .. } => (0, target(*entry), *site as usize),
        Participation::Enter { entry, .. } => (1, entry.index(), 0),
        Participation::Accept { entry, accept, .. } => (2, target(*entry), *accept as usize),
        Participation::Finish { accept, .. } => (3, *accept as usize, 0),
        Participation::Fail { accept } => (4, *accept as usize, 0),
        Participation::Requeue { accept, entry, .. } => (5, *accept as usize, target(*entry)),
        Participation::Lock { object, mode } => (6, object.index(), usize::from(*mode == LockMode::Read)),
        Participation::Unlock { object } => (7, object.index(), 0),
        Participation::Start { tasks } => (8, tasks.first().map_or(0, |t| t.index()), 0),
        Participation::Join { tasks } => (9, tasks.first().map_or(0, |t| t.index()), 0),
        Participation::Terminable => (10, 0, 0),
        Participation::Startable => (11, 0, 0),
        Participation::Refused { entry } => (12, target(*entry), 0),
        Participation::Broken { site } => (13, *site as usize, 0),
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

/// Sorts tasks into classes. The main program has one of its own, unless it is left out.
fn sort_into_classes(plan: &TfgPlan, cfgs: &[Cfg], without_main: bool) -> Vec<Vec<usize>> {
    let program = plan.program;
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for t in usize::from(without_main)..cfgs.len() {
        let separate = t == 0 || !plan.merge || plan.separate.contains(&TaskId::from(t));
        let mark = marks(program, plan.automata, TaskId::from(t));
        let same = |class: &Vec<usize>| {
            let first = class[0];
            let other = TaskId::from(first);
            !(first == 0 || plan.separate.contains(&other))
                && plan.facts.abortable[first] == plan.facts.abortable[t]
                && marks(program, plan.automata, other) == mark
                && alike(program, &cfgs[first], &cfgs[t])
        };
        match classes.iter().position(|c| !separate && same(c)) {
            Some(c) => classes[c].push(t),
            None => classes.push(vec![t]),
        }
    }
    classes
}

impl<'a> Assembly<'a> {
    pub(in super::super) fn new(plan: &'a TfgPlan) -> Result<Self, Unfit> {
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
        let classes = sort_into_classes(plan, &cfgs, without_main);
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
            // The nodes get their numbers when everything is joined.
            assembly.classes.push(Class { members, object: None, init: 0, last: None, dormant: false });
        }
        for (c, class) in classes.iter().enumerate() {
            let members: Vec<&Cfg> = class.iter().map(|t| &cfgs[*t]).collect();
            let graph = assembly.graph(&members);
            let first = &graph.nodes[graph.init as usize];
            assembly.classes[c].dormant = first.roles.iter().any(|r| r.part == Participation::Startable);
            assembly.graphs.push(graph);
        }
        Ok(assembly)
    }

    /// The graph that the members of a class share, without what means nothing.
    fn graph(&self, members: &[&Cfg]) -> Cfg {
        let plan = self.plan;
        let mut graph = self.unite(members);
        Self::forget(plan, &mut graph);
        self.fold_chains(&mut graph);
        if plan.published {
            for node in &mut graph.nodes {
                node.roles.retain(|r| {
                    !matches!(r.part, Participation::Refused { .. } | Participation::Broken { .. })
                });
            }
        }
        refine(&mut graph, plan.optimise);
        graph
    }

    /// Operations on cells that are not followed mean nothing.
    fn forget(plan: &TfgPlan, cfg: &mut Cfg) {
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
                Participation::Start { tasks } => (true, tasks),
                Participation::Join { tasks } => (false, tasks),
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
    fn is_trivial(plan: &TfgPlan, cfgs: &[Cfg]) -> bool {
        let main = &cfgs[0];
        let mut plain = main.nodes.iter().all(|n| {
            let visible = n.ops.iter().any(|op| {
                let mut found = false;
                each_cell(plan.program, op, &mut |c| found |= plan.cells.contains(&c));
                found
            });
            let parts = |r: &InteractionRole| match &r.part {
                Participation::Start { tasks } => tasks.len() == 1,
                Participation::Join { .. } => true,
                _ => false,
            };
            !visible && n.letters.is_empty() && !n.unsupported && n.roles.iter().all(parts)
        });
        // Nobody is started twice, and nobody waits to be ended by it.
        for t in started_by(main) {
            let starts = main.nodes.iter().filter(|n| {
                n.roles
                    .iter()
                    .any(|r| matches!(&r.part, Participation::Start { tasks } if tasks.contains(&t)))
            });
            plain &= starts.count() == 1;
        }
        let mut color = vec![0u8; main.nodes.len()];
        plain &= acyclic(main, main.init, &mut color);
        plain
            && cfgs[1..].iter().all(|c| {
                c.nodes.iter().all(|n| n.roles.iter().all(|r| r.part != Participation::Terminable))
                    && begun(plan.program, plan.automata, c.task).is_empty()
            })
    }
}

fn started_by(main: &Cfg) -> BTreeSet<TaskId> {
    let roles = main.nodes.iter().flat_map(|n| &n.roles);
    roles
        .filter_map(|r| match &r.part {
            Participation::Start { tasks } => Some(tasks.clone()),
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
