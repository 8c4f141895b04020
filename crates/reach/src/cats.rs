//! Task interaction graphs as published: nodes, edges and edge groups, and their product.
//!
//! The model is that of Long and Clarke (ICSE 1989) in the form of CATS (Young, Taylor, Levine, Nies and Brodbeck, *A
//! concurrency analysis tool suite for Ada programs*, 1995, section 3.2). The edges of a task interaction graph are
//! synchronisations. Choices that a task makes for itself are not steps but *groups* of edges: a state of the product
//! stands for every way to choose. So a state may be a deadlock for some choice though edges leave it. To decide that
//! is NP-complete in the number of tasks (section 3.3.1), and small in practice.
//!
//! `choose` looks for one group per task such that no edge of the state agrees with all chosen groups, and such that
//! not all tasks have ended. Tasks with a single group are fixed first, which decides almost every state; then it
//! backtracks over the task with the most edges. An edge whose guard depends on an untracked value may be absent, and
//! does not count. A task that waits for others to end, or may end with them, may stay where it is.
//!
//! Three variants exist, as in table II: *modified* has one node for each place where a task interacts; *optimized* has
//! one for each interaction that may lead there; *unoptimized* also has two steps for each rendezvous, engage and
//! finish. All three are learnt from the semantics like any other step (`rendez_petri`), with groups noted beside the
//! outcomes. `rendez bench cats` reproduces the table: all numbers of states, and all numbers of edges but one, which
//! differs from the printed one in a single digit.
//!
//! The default checks do not use this file. There, choices are steps: that takes more states, but every deadlock is a
//! state without steps, and a trace says which choices were made.

use rendez_model::semantics::{Semantics, StepEvent};
use rendez_model::state::{State, Wait};
use rendez_model::{Action, EntryId, Program, TaskId, Value};
use rendez_verdict::{Control, End, Options, alive};

use crate::graph::ReachabilityGraph;
use crate::reached::Reached;
use crate::search::{Config, search};
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::Steps;

/// The product of task interaction graphs.
pub struct Ticg<'s, 'p> {
    reached: Reached<'s, 'p>,
    graph: ReachabilityGraph,
}

/// A task interaction graph, as far as it can be reached.
pub struct Nodes {
    pub task: String,
    pub nodes: Vec<String>,
    /// From, to, label, group at the source.
    pub edges: Vec<(u32, u32, String, u32)>,
}

impl Nodes {
    /// Nodes and edges in Graphviz's language, with names that begin with a number.
    fn dot(&self, t: usize) -> String {
        let mut out = String::new();
        for (n, label) in self.nodes.iter().enumerate() {
            out.push_str(&format!("    t{t}n{n} [label=\"{n}: {label}\"];\n"));
        }
        for (from, to, label, group) in &self.edges {
            let several = self.edges.iter().any(|e| e.0 == *from && e.3 != *group);
            let group = if several { format!(" / group {group}") } else { String::new() };
            out.push_str(&format!("    t{t}n{from} -> t{t}n{to} [label=\"{label}{group}\"];\n"));
        }
        out
    }
}

impl<'s, 'p> Ticg<'s, 'p> {
    /// None if limits are met.
    pub fn new(
        semantics: &'s Semantics<'p>,
        tig: Tig,
        options: &Options,
        control: &Control,
    ) -> Option<Ticg<'s, 'p>> {
        let config = Config { merge: false, stubborn: false, symmetry: false, ..Config::default() };
        let mut steps = Steps::new(semantics, true, false, &[], &[]);
        steps.groups = true;
        let mut reached = search(StepCache::new(steps, tig), &config, options, control).ok()?;
        if reached.end != End::Complete {
            return None;
        }
        let graph = reached.take_graph(control)?;
        Some(Ticg { reached, graph })
    }

    fn program(&self) -> &'p Program {
        self.reached.cache.steps.semantics.program
    }

    pub fn states(&self) -> usize {
        self.graph.len()
    }

    pub fn edges(&self) -> usize {
        self.graph.edge_count()
    }

    /// States without edges.
    pub fn terminal(&self) -> usize {
        (0..self.graph.len() as u32).filter(|s| self.graph.range(*s).is_empty()).count()
    }

    /// States in which some choice of one group of edges per task leaves nothing that can happen.
    pub fn potential_deadlocks(&self) -> Vec<u32> {
        (0..self.graph.len() as u32).filter(|s| self.may_deadlock(*s)).collect()
    }

    fn may_deadlock(&self, id: u32) -> bool {
        let steps = &self.reached.cache.steps;
        let state = self.reached.state(id);
        // The edges of the state, each with the groups it belongs to.
        let edges: Vec<Vec<(TaskId, u32)>> = self
            .graph
            .edges(id)
            .filter(|(run, _)| !self.needs_unknown_guard(run, &state))
            .map(|(run, _)| self.reached.cache.stories[run[0] as usize].groups.clone())
            .collect();
        let mut tasks = Vec::new();
        for t in (0..state.tasks.len()).map(TaskId::from) {
            if !alive(state.tasks[t.index()].status) {
                continue;
            }
            // A task may stay where it waits for others to end, or where it may end with them.
            let rests = |state: &State| {
                let ts = &state.tasks[t.index()];
                let may_end = matches!(
                    self.program().node(ts.pc).action,
                    Action::Await { .. } | Action::Select { terminate: Some(_), .. }
                );
                !alive(ts.status) || may_end
            };
            let ends: Vec<bool> = steps.choices(&state, t).iter().map(|c| rests(&c.state)).collect();
            tasks.push((t, ends));
        }
        choose(&tasks, &edges, &mut Vec::new(), false)
    }

    /// Whether an accept statement takes part whose guard is not known: it may be closed as well.
    fn needs_unknown_guard(&self, run: &[u32], state: &State) -> bool {
        let story = &self.reached.cache.stories[run[0] as usize];
        story.steps.iter().any(|s| {
            let StepEvent::Accepted { entry, .. } = s.what else { return false };
            let Action::Select { alternatives, .. } = &self.program().node(s.loc).action else {
                return false;
            };
            alternatives
                .iter()
                .filter(|a| a.entry.constant() == Some(i64::from(entry.0)))
                .all(|a| a.guard.as_ref().is_some_and(|g| self.program().eval(state, g) == Ok(Value::Any)))
        })
    }

    /// The interactions that lead to a state, as they happen.
    pub fn path(&self, id: u32) -> Vec<String> {
        self.reached.path(id).iter().filter_map(|o| self.label(*o)).collect()
    }

    /// What each task is ready to do in a state.
    pub fn ready(&self, id: u32) -> Vec<String> {
        let state = self.reached.state(id);
        let mut lines = Vec::new();
        for t in 1..state.tasks.len() {
            let ts = &state.tasks[t];
            if !alive(ts.status) || ts.wait != Wait::Nothing {
                continue;
            }
            let name = &self.program().tasks[t].name;
            match &self.program().node(ts.pc).action {
                Action::EntryCall { entry, .. } => {
                    if let Ok(Value::Known(e)) = self.program().eval(&state, entry) {
                        let entry = self.program().entry_name(EntryId(e as u32));
                        lines.push(format!("{name} attempting to engage {entry}"));
                    }
                }
                Action::Select { alternatives, .. } => {
                    for a in alternatives {
                        if let Ok(Value::Known(e)) = self.program().eval(&state, &a.entry) {
                            let entry = self.program().entry_name(EntryId(e as u32));
                            lines.push(format!("{name} attempting to accept {entry}"));
                        }
                    }
                }
                _ => {}
            }
        }
        lines
    }

    /// The name of an outcome: who meets whom.
    fn label(&self, outcome: u32) -> Option<String> {
        let story = &self.reached.cache.stories[outcome as usize];
        let program = self.program();
        let name = |t: TaskId| program.tasks[t.index()].name.as_str();
        let met = story.steps.iter().find_map(|s| match s.what {
            StepEvent::Accepted { caller, entry, .. } => {
                Some(format!("{}, {}", name(caller), program.entry_name(entry)))
            }
            StepEvent::Entered(entry) => Some(format!("{}, {}", name(s.task), program.entry_name(entry))),
            _ => None,
        });
        match (met, self.reached.cache.tig) {
            (Some(met), Tig::Unoptimized) => Some(format!("Engage {met}")),
            (Some(met), _) => Some(met),
            (None, Tig::Unoptimized) if story.steps.is_empty() => {
                let entry = program.entry_name(story.entries.first()?.0);
                Some(format!("Finish {}, {entry}", name(story.movers.first()?.0)))
            }
            _ => story.steps.first().map(|s| format!("{} goes on", name(s.task))),
        }
    }

    /// The graph of each task: what it did in any state.
    pub fn tasks(&self) -> Vec<Nodes> {
        let program = self.program();
        let cache = &self.reached.cache;
        let mut all: Vec<Nodes> = (0..program.tasks.len())
            .map(|t| Nodes {
                task: program.tasks[t].name.clone(),
                nodes: (0..cache.slots.count(t)).map(|n| self.node(t, n as u32)).collect(),
                edges: Vec::new(),
            })
            .collect();
        let mut words = vec![0; self.reached.layout.words];
        let mut to = words.clone();
        for s in 0..self.graph.len() as u32 {
            self.reached.store.read(s, &mut words);
            for (run, target) in self.graph.edges(s) {
                let Some(target) = target else { continue };
                self.reached.store.read(target, &mut to);
                let story = &cache.stories[run[0] as usize];
                for (task, _) in &story.movers {
                    let t = task.index();
                    let from = self.reached.layout.get(&words, t);
                    let next = self.reached.layout.get(&to, t);
                    let group = story.groups.iter().find(|g| g.0 == *task).map_or(0, |g| g.1);
                    let edge = (from, next, self.side(story, *task), group);
                    if !all[t].edges.contains(&edge) {
                        all[t].edges.push(edge);
                    }
                }
            }
        }
        all.retain(|t| t.nodes.len() > 1 || !t.edges.is_empty());
        all
    }

    /// What a step is from the side of one task: a call, or an accept, which is overlined on paper.
    fn side(&self, story: &rendez_petri::step_cache::Story, task: TaskId) -> String {
        let program = self.program();
        let met = story.steps.iter().find_map(|s| match s.what {
            StepEvent::Accepted { caller, acceptor, entry, .. } => Some((caller, acceptor, entry)),
            _ => None,
        });
        match met {
            Some((caller, _, entry)) if caller == task => format!("call {}", program.entry_name(entry)),
            Some((_, acceptor, entry)) if acceptor == task => format!("accept {}", program.entry_name(entry)),
            _ if story.steps.is_empty() => "finish".into(),
            _ => "goes on".into(),
        }
    }

    /// Where a task is in a node, with the values of its variables.
    fn node(&self, task: usize, number: u32) -> String {
        let slots = &self.reached.cache.slots;
        let program = self.program();
        let Some(ts) = slots.task(task, number) else { return String::new() };
        let mut text = match alive(ts.status) {
            true => format!("line {}", program.node(ts.pc).span.line),
            false => "ended".into(),
        };
        for (cell, value) in slots.cells(task, number) {
            let name = program.vars[cell.index()].name.rsplit('.').next().unwrap_or("").to_owned();
            text.push_str(&format!("\\n{name} = {value}"));
        }
        if slots.note(task, number).engaged.is_some() {
            text.push_str("\\nin rendezvous");
        }
        text
    }

    /// The product in Graphviz's language; the first so many states.
    pub fn dot(&self, most: usize) -> String {
        let mut out = String::from("digraph ticg {\n  node [shape=box];\n");
        let dead = self.potential_deadlocks();
        for s in 0..self.graph.len().min(most) as u32 {
            let colour = if dead.contains(&s) { ", color=red" } else { "" };
            out.push_str(&format!("  {s} [label=\"{}\"{colour}];\n", self.tuple(s)));
            for (run, target) in self.graph.edges(s) {
                if let Some(target) = target.filter(|to| (*to as usize) < most) {
                    let label = self.label(run[0]).unwrap_or_default();
                    out.push_str(&format!("  {s} -> {target} [label=\"{label}\"];\n"));
                }
            }
        }
        if self.graph.len() > most {
            out.push_str(&format!("  // {} more states left out\n", self.graph.len() - most));
        }
        out.push_str("}\n");
        out
    }

    /// The nodes that a state consists of.
    fn tuple(&self, id: u32) -> String {
        let mut words = vec![0; self.reached.layout.words];
        self.reached.store.read(id, &mut words);
        let slots = &self.reached.cache.slots;
        let parts: Vec<String> = (0..self.program().tasks.len())
            .filter(|t| slots.count(*t) > 1)
            .map(|t| format!("{}", self.reached.layout.get(&words, t)))
            .collect();
        parts.join("-")
    }

    /// The graph of each task in Graphviz's language, with its name.
    pub fn task_dots(&self) -> Vec<(String, String)> {
        let graph = |(t, g): (usize, &Nodes)| {
            (g.task.clone(), format!("digraph tig {{\n  node [shape=box];\n{}}}\n", g.dot(t)))
        };
        self.tasks().iter().enumerate().map(graph).collect()
    }

    /// The graphs of the tasks in Graphviz's language.
    pub fn tasks_dot(&self) -> String {
        let mut out = String::from("digraph tig {\n  node [shape=box];\n");
        for (t, graph) in self.tasks().iter().enumerate() {
            out.push_str(&format!("  subgraph cluster_{t} {{\n    label=\"{}\";\n", graph.task));
            out.push_str(&graph.dot(t));
            out.push_str("  }\n");
        }
        out.push_str("}\n");
        out
    }
}

/// Looks for a choice of groups that no edge agrees with, and that does not end all tasks. Tasks
/// with a single group are decided first; then those with most edges.
fn choose(
    tasks: &[(TaskId, Vec<bool>)],
    edges: &[Vec<(TaskId, u32)>],
    chosen: &mut Vec<(TaskId, u32)>,
    waits: bool,
) -> bool {
    // An edge that agrees with what is chosen, and has nothing left to choose, can happen.
    let decided = |t: TaskId| chosen.iter().find(|c| c.0 == t).map(|c| c.1);
    let alive: Vec<&Vec<(TaskId, u32)>> =
        edges.iter().filter(|e| e.iter().all(|(t, g)| decided(*t).is_none_or(|c| c == *g))).collect();
    if alive.iter().any(|e| e.iter().all(|(t, _)| decided(*t).is_some())) {
        return false;
    }
    let open = tasks.iter().filter(|(t, _)| decided(*t).is_none());
    let most_edges = |t: &TaskId| alive.iter().filter(|e| e.iter().any(|g| g.0 == *t)).count();
    let Some((task, ends)) = open.min_by_key(|(t, g)| (g.len() > 1, usize::MAX - most_edges(t))) else {
        return waits;
    };
    for (group, end) in ends.iter().enumerate() {
        chosen.push((*task, group as u32));
        if choose(tasks, edges, chosen, waits || !end) {
            return true;
        }
        chosen.pop();
    }
    false
}
