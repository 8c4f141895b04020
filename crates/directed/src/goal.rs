//! What a directed search is after, as a distance to it.
//!
//! Heuristics for directed model checking are either about the property or about the structure of the program (Rungta
//! and Mercer, 2006, section I). This file combines both: a goal is a condition over locations of tasks, and distances
//! in the tasks' control-flow graphs (`distance.rs`) measure its atoms. As in the formula-based heuristics of Edelkamp,
//! Lluch-Lafuente and Leue, a disjunction takes the minimum of its parts and a conjunction the sum.
//!
//! The sum overestimates where one step moves several tasks. For best-first search that is no harm. For A* the estimate
//! must be a lower bound, so a conjunction is then the larger of the greatest part and the sum divided by the number of
//! tasks that one step can move: two for a rendezvous, three where calls are requeued. Where tasks may reach the goal
//! by ending together with others, only the greatest part counts. The paper's sum is a lower bound for interleaved
//! threads; rendezvous break that.
//!
//! The goals:
//! - blocking: a candidate for a deadlock found in the code (`blocking.rs`), or else everybody at a place where tasks
//!   may wait;
//! - race: two tasks, each at an access to the same variable, one of them a write;
//! - exceptions and assertions: some task at a fitting action;
//! - a property of event sequences: by state of its automaton, the number of events that are still needed, and the
//!   distance to the nearest event that leads on;
//! - a formula: its atoms about locations; everything else counts as near.
//!
//! The distance of one task to one target is computed once per state, even if many goals mention it.

use std::cell::RefCell;

use rendez_analysis::access::Access;
use rendez_model::code::{each_read, each_written};
use rendez_model::monitor::{EventPattern, Monitor};
use rendez_model::state::{State, Status, Wait};
use rendez_model::{Action, Expr, Loc, Owner, Program, TaskId, Value, VarId};
use rendez_verdict::Resolved;

use crate::blocking;
use crate::code::{FAR, plus};
use crate::distance::{Distances, Measure, TargetDistance};

/// Targets are numbered.
type TargetId = u32;

/// A condition on states, with the distance of each part.
#[derive(Clone, Debug)]
pub enum Goal {
    /// A task is at certain locations.
    Near(TargetId),
    /// And waits there.
    Waits(TargetId),
    All(Vec<Goal>),
    Any(Vec<Goal>),
    /// Two tasks are each at theirs.
    Two(Vec<TargetId>, Vec<TargetId>),
    /// By task: everybody is where tasks may wait, or has ended.
    Everybody(Vec<Option<TargetId>>),
    /// By state of a monitor: what leads it on, and how many events are needed then.
    Events(VarId, Vec<Vec<(Goal, u32)>>),
}

/// Estimates how far states are from a goal.
pub struct Guide<'p> {
    program: &'p Program,
    access: &'p Access,
    distances: Distances<'p>,
    targets: Vec<TargetDistance>,
    goal: Goal,
    /// Never more than the steps that are needed.
    admissible: bool,
    /// So many tasks may come nearer in one step.
    movers: u32,
    known: RefCell<Vec<Option<u32>>>,
}

impl<'p> Guide<'p> {
    pub fn new(program: &'p Program, access: &'p Access, measure: Measure, admissible: bool) -> Guide<'p> {
        let rendezvous = !program.entries.is_empty();
        let requeues = program.nodes.iter().any(|n| matches!(n.action, Action::Requeue { .. }));
        Guide {
            program,
            access,
            distances: Distances::new(program, access, measure),
            targets: Vec::new(),
            goal: Goal::All(Vec::new()),
            admissible,
            movers: 1 + u32::from(rendezvous) + u32::from(requeues),
            known: RefCell::default(),
        }
    }

    /// Looks for a place where somebody blocks for ever.
    pub fn blocking(mut self) -> Self {
        let mut goals = Vec::new();
        if !self.admissible {
            for set in blocking::candidates(self.program, self.access) {
                let mut parts = Vec::new();
                for (task, loc, is_server) in set {
                    if let Some(id) = self.target(task, &[loc]) {
                        parts.push(if is_server { Goal::Near(id) } else { Goal::Waits(id) });
                    }
                }
                goals.push(Goal::All(parts));
            }
        }
        self.goal = match goals.is_empty() {
            false => Goal::Any(goals),
            true => {
                let tasks = (0..self.program.tasks.len()).map(TaskId::from);
                let waits = |loc: &Loc| blocking::may_wait(&self.program.node(*loc).action);
                let places: Vec<(TaskId, Vec<Loc>)> = tasks
                    .map(|t| {
                        (t, self.access.code[t.index()].iter().copied().filter(waits).collect::<Vec<Loc>>())
                    })
                    .collect();
                Goal::Everybody(places.into_iter().map(|(t, locs)| self.target(t, &locs)).collect())
            }
        };
        self
    }

    /// Looks for two tasks that access one variable, one of them writing.
    pub fn race(mut self) -> Self {
        let mut goals = Vec::new();
        let program = self.program;
        let shared = (0..program.vars.len()).filter(|v| self.access.shared[*v]).map(VarId::from);
        for var in shared.collect::<Vec<_>>() {
            let (mut writers, mut users) = (Vec::new(), Vec::new());
            for t in (0..program.tasks.len()).map(TaskId::from) {
                let code = &self.access.code[t.index()];
                let writes = |loc: &Loc| {
                    let mut found = false;
                    each_written(program, &program.node(*loc).action, |cell| found |= cell == var);
                    found
                };
                let uses = |loc: &Loc| {
                    let mut found = writes(loc);
                    each_read(program, &program.node(*loc).action, &mut |cell| found |= cell == var);
                    found
                };
                let locs: Vec<Loc> = code.iter().copied().filter(uses).collect();
                if locs.is_empty() {
                    continue;
                }
                let written: Vec<Loc> = locs.iter().copied().filter(writes).collect();
                users.extend(self.target(t, &locs));
                writers.extend(self.target(t, &written));
            }
            goals.push(Goal::Two(writers, users));
        }
        self.goal = Goal::Any(goals);
        self
    }

    /// Looks for somebody at an action that satisfies a condition.
    pub fn action(mut self, wanted: impl Fn(&Action) -> bool) -> Self {
        let program = self.program;
        let mut goals = Vec::new();
        for t in (0..program.tasks.len()).map(TaskId::from) {
            let fits = |loc: &Loc| wanted(&program.node(*loc).action);
            let locs: Vec<Loc> = self.access.code[t.index()].iter().copied().filter(fits).collect();
            goals.extend(self.target(t, &locs).map(Goal::Near));
        }
        self.goal = Goal::Any(goals);
        self
    }

    /// Looks for a state in which a formula does not hold.
    pub fn formula(mut self, formula: &Resolved) -> Self {
        self.goal = self.state(formula, false);
        self
    }

    /// Looks for a sequence of events that breaks a property.
    pub fn events(mut self, monitor: &Monitor) -> Self {
        let states = monitor.accepting.len() as u32;
        let letters = monitor.letters as u32;
        // Events to a state from which nothing is accepted, backwards.
        let mut needed = vec![FAR; states as usize];
        (0..states).filter(|s| monitor.doomed[*s as usize]).for_each(|s| needed[s as usize] = 0);
        loop {
            let before = needed.clone();
            for s in 0..states {
                for l in 0..letters {
                    let next = needed[monitor.step(s, l) as usize];
                    needed[s as usize] = needed[s as usize].min(plus(next, 1));
                }
            }
            if needed == before {
                break;
            }
        }
        let symbols: Vec<Goal> = (0..monitor.symbols.len() as u32)
            .map(|s| {
                let fits = monitor.watch.iter().filter(|w| w.1 == s);
                Goal::Any(fits.map(|(happening, _)| self.happening(happening)).collect())
            })
            .collect();
        let carried = |set: &[u32]| match set {
            [symbol] => symbols[*symbol as usize].clone(),
            _ => Goal::All(set.iter().map(|s| symbols[*s as usize].clone()).collect()),
        };
        let happens: Vec<Goal> = (0..letters)
            .map(|l| {
                let sets = monitor.sets.iter().filter(|(_, letter)| *letter == l);
                Goal::Any(sets.map(|(set, _)| carried(set)).collect())
            })
            .collect();
        let end = self.target(TaskId::ENVIRONMENT, &self.ends(TaskId::ENVIRONMENT)).map(Goal::Near);
        let ways = (0..states)
            .map(|s| {
                let mut ways = Vec::new();
                for l in 0..letters {
                    let next = needed[monitor.step(s, l) as usize];
                    if next < needed[s as usize] {
                        ways.push((happens[l as usize].clone(), next));
                    }
                }
                if !monitor.accepting[s as usize] {
                    ways.extend(end.clone().map(|e| (e, 0)));
                }
                ways
            })
            .collect();
        self.goal = Goal::Events(monitor.cell, ways);
        self
    }

    /// The tasks of the smallest sets that are enough for the goal, a few of them.
    pub fn sets(&self) -> Vec<Vec<TaskId>> {
        let mut sets = Vec::new();
        let goals = match &self.goal {
            Goal::Any(goals) => goals.as_slice(),
            goal => std::slice::from_ref(goal),
        };
        for goal in goals {
            let mut tasks = Vec::new();
            self.tasks(goal, &mut tasks);
            tasks.sort();
            tasks.dedup();
            if !sets.contains(&tasks) {
                sets.push(tasks);
            }
        }
        sets.sort_by_key(Vec::len);
        sets.truncate(2);
        sets
    }

    fn tasks(&self, goal: &Goal, tasks: &mut Vec<TaskId>) {
        match goal {
            Goal::Near(id) | Goal::Waits(id) => tasks.push(self.targets[*id as usize].task),
            Goal::All(goals) => goals.iter().for_each(|g| self.tasks(g, tasks)),
            // One of them is enough.
            Goal::Any(goals) => {
                if let Some(goal) = goals.first() {
                    self.tasks(goal, tasks);
                }
            }
            Goal::Two(first, second) => {
                tasks.extend(first.iter().chain(second).take(3).map(|id| self.targets[*id as usize].task));
            }
            Goal::Everybody(_) | Goal::Events(..) => {
                tasks.extend((0..self.program.tasks.len()).map(TaskId::from));
            }
        }
    }

    /// Whether no state can be a target, as far as the code tells.
    pub fn is_hopeless(&self) -> bool {
        matches!(&self.goal, Goal::Any(goals) if goals.is_empty())
    }

    fn target(&mut self, task: TaskId, locs: &[Loc]) -> Option<TargetId> {
        let target = self.distances.target(task, locs)?;
        self.targets.push(target);
        Some(self.targets.len() as TargetId - 1)
    }

    fn ends(&self, task: TaskId) -> Vec<Loc> {
        let is_end = |l: &Loc| matches!(self.program.node(*l).action, Action::Terminate);
        self.access.code[task.index()].iter().copied().filter(is_end).collect()
    }

    fn state(&mut self, formula: &Resolved, wanted: bool) -> Goal {
        match (formula, wanted) {
            (Resolved::Const(value), _) if *value != wanted => Goal::Any(Vec::new()),
            (Resolved::Not(f), _) => self.state(f, !wanted),
            (Resolved::And(a, b), true) | (Resolved::Or(a, b), false) => {
                Goal::All(vec![self.state(a, wanted), self.state(b, wanted)])
            }
            (Resolved::And(a, b), false) | (Resolved::Or(a, b), true) => {
                Goal::Any(vec![self.state(a, wanted), self.state(b, wanted)])
            }
            (Resolved::At(task, locs), true) => {
                let tasks = match task {
                    Some(task) => vec![*task],
                    None => (0..self.program.tasks.len()).map(TaskId::from).collect(),
                };
                Goal::Any(tasks.into_iter().filter_map(|t| self.target(t, locs)).map(Goal::Near).collect())
            }
            (Resolved::Ended(task), true) => {
                let ends = self.ends(*task);
                Goal::Any(self.target(*task, &ends).map(Goal::Near).into_iter().collect())
            }
            _ => Goal::All(Vec::new()),
        }
    }

    /// The tasks at actions at which something may happen.
    fn happening(&mut self, happening: &EventPattern) -> Goal {
        let program = self.program;
        let near = |guide: &mut Self, tasks: Option<TaskId>, fits: &dyn Fn(&Action) -> bool| {
            let mut goals = Vec::new();
            for t in (0..program.tasks.len()).map(TaskId::from) {
                if tasks.is_none_or(|wanted| wanted == t) {
                    let here = |l: &Loc| fits(&program.node(*l).action);
                    let locs: Vec<Loc> = guide.access.code[t.index()].iter().copied().filter(here).collect();
                    goals.extend(guide.target(t, &locs).map(Goal::Near));
                }
            }
            Goal::Any(goals)
        };
        match happening {
            EventPattern::Accept { entries, by, .. } | EventPattern::Finish { entries, by } => {
                let named = |e: &Expr| program.possible_entries(e).iter().any(|e| entries.contains(e));
                let calls = |action: &Action| match action {
                    Action::EntryCall { entry, .. } | Action::Requeue { entry, .. } => named(entry),
                    _ => false,
                };
                let mut parts = vec![near(self, *by, &calls)];
                let owners: Vec<TaskId> = entries
                    .iter()
                    .filter_map(|e| match program.entries[e.index()].owner {
                        Owner::Task(task) => Some(task),
                        Owner::Object(_) => None,
                    })
                    .collect();
                if owners.len() == entries.len() {
                    let accepts = |action: &Action| match action {
                        Action::Select { alternatives, .. } => alternatives.iter().any(|a| named(&a.entry)),
                        _ => false,
                    };
                    let mut servers = Vec::new();
                    for owner in owners {
                        servers.push(near(self, Some(owner), &accepts));
                    }
                    parts.push(Goal::Any(servers));
                }
                Goal::All(parts)
            }
            EventPattern::Start(tasks) => {
                let ids: Vec<i64> = tasks.iter().map(|t| i64::from(t.0)).collect();
                near(self, None, &|action: &Action| match action {
                    Action::Activate { tasks, .. } => {
                        tasks.iter().any(|t| t.constant().is_none_or(|t| ids.contains(&t)))
                    }
                    _ => false,
                })
            }
            EventPattern::End(tasks) => {
                let mut goals = Vec::new();
                for task in tasks {
                    let ends = self.ends(*task);
                    goals.extend(self.target(*task, &ends).map(Goal::Near));
                }
                Goal::Any(goals)
            }
            other => near(self, None, &|action: &Action| other.may_happen_at(program, action)),
        }
    }

    /// The estimate for a state.
    pub fn estimate(&self, state: &State) -> u32 {
        let mut known = self.known.borrow_mut();
        known.clear();
        known.resize(self.targets.len(), None);
        self.value(&self.goal, state, &mut known)
    }

    fn near(&self, id: TargetId, state: &State, known: &mut [Option<u32>]) -> u32 {
        *known[id as usize].get_or_insert_with(|| {
            let target = &self.targets[id as usize];
            self.distances.of(target, &state.tasks[target.task.index()])
        })
    }

    fn value(&self, goal: &Goal, state: &State, known: &mut [Option<u32>]) -> u32 {
        match goal {
            Goal::Near(id) => self.near(*id, state, known),
            Goal::Waits(id) => {
                let d = self.near(*id, state, known);
                let waits = state.tasks[self.targets[*id as usize].task.index()].wait != Wait::Nothing;
                if d == 0 && waits { 0 } else { plus(d, 1) }
            }
            Goal::All(goals) => {
                let exits = goals.iter().any(|g| self.ends_with_others(g));
                self.combine(goals.iter().map(|g| self.value(g, state, known)), exits)
            }
            Goal::Any(goals) => goals.iter().map(|g| self.value(g, state, known)).min().unwrap_or(FAR),
            Goal::Two(writers, users) => {
                let mut best = FAR;
                for w in writers {
                    let a = self.near(*w, state, known);
                    if a >= best {
                        continue;
                    }
                    for u in users {
                        if self.targets[*u as usize].task != self.targets[*w as usize].task {
                            let b = self.near(*u, state, known);
                            best = best.min(self.combine([a, b].into_iter(), false));
                        }
                    }
                }
                best
            }
            Goal::Everybody(targets) => {
                let mut values = Vec::new();
                for (t, target) in targets.iter().enumerate() {
                    let ts = &state.tasks[t];
                    if matches!(ts.status, Status::Unborn | Status::Created | Status::Terminated)
                        || ts.wait != Wait::Nothing
                    {
                        continue;
                    }
                    if let Some(id) = target {
                        let far = self.near(*id, state, known);
                        // Whoever does not wait has a step to make yet.
                        values.push(if self.admissible { far } else { plus(far, 1) });
                    }
                }
                self.combine(values.into_iter(), true)
            }
            Goal::Events(cell, ways) => {
                let Value::Known(at) = state.vars[cell.index()] else { return 0 };
                let ways = ways.get(at as usize).map_or(&[][..], Vec::as_slice);
                ways.iter().map(|(g, more)| plus(self.value(g, state, known), *more)).min().unwrap_or(FAR)
            }
        }
    }

    /// Whether several tasks may come to the goal in one step, by ending.
    fn ends_with_others(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Near(id) | Goal::Waits(id) => self.targets[*id as usize].after_exit,
            Goal::All(goals) | Goal::Any(goals) => goals.iter().any(|g| self.ends_with_others(g)),
            _ => false,
        }
    }

    /// The distance to all of several conditions. One step may move more than one task.
    fn combine(&self, values: impl Iterator<Item = u32>, exits: bool) -> u32 {
        let (mut sum, mut most) = (0, 0);
        for value in values {
            sum = plus(sum, value);
            most = most.max(value);
        }
        match self.admissible {
            false => sum,
            true if exits || sum == FAR => most,
            true => most.max(sum.div_ceil(self.movers)),
        }
    }
}
