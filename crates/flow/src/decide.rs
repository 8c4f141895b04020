//! A verdict on a property of event sequences.
//!
//! For each property, the engine builds a trace flow graph, chooses constraints, propagates, and refines, until the
//! property is proved, violated or left open. This is the methodology of FLAVERS (Dwyer et al., 2004, section 7.1),
//! with the analyst replaced by `select.rs`:
//! - If propagation reaches no violation, the property holds. Constraints that the proof does not need are then left
//!   out, as long as that does not cost much more.
//! - If it finds a path, the candidates that reject the path are noted, and the next set of constraints is tried.
//! - If no candidate rejects the path, an execution is looked for (`explain.rs`). If there is none, alike tasks near the
//!   property get nodes of their own, then all tasks, in programs with few enough tasks.
//! - A path that leads to something that is not modelled, or beyond a bound, leaves the property open.
//!
//! What *holds* means: automata are run on prefixes as well as on complete executions, so a property that only steps or
//! the end of the program can break is covered, including executions that block. A pattern that an execution without
//! end may break otherwise stays open.
//!
//! The verdict says whether a property holds vacuously: because its events never happen, or because constraints that
//! the user gave leave no execution.
//!
//! Letters that the automaton of the property does not tell apart are merged before the graph is made, so tasks that
//! only letters told apart may share nodes. The program is sliced for each property by the caller; cost does not depend
//! on other properties of the file.

use std::collections::BTreeSet;
use std::time::Instant;

use rendez_model::monitor::Monitor;
use rendez_model::{Loc, Program, TaskId, VarId};
use rendez_verdict::{
    Control, EngineId, Findings, FlowStats, Observation, Options, PropertyAnswer, Reason, Stats, Verdict,
    Witness, covers, open_for_ever, vacuous,
};

use crate::cfg::{Facts, is_trackable};
use crate::constraint::{Constraint, Problem};
use crate::explain::{Replay, replay};
use crate::propagate::{Conclusion, Interleaving, Propagated, propagate};
use crate::select::{Suspect, candidates, hitting, rejecting};
use crate::tfg::{NodeId, Tfg, TfgPlan};

/// A constraint that the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedConstraint {
    Task(TaskId),
    Cells(Vec<VarId>),
}

/// What the user asks for.
#[derive(Clone, Debug, Default)]
pub struct FlowSettings {
    /// Only these constraints, instead of those that are chosen.
    pub constraints: Option<Vec<RequestedConstraint>>,
    /// Automata that executions are taken to satisfy.
    pub given: Vec<Monitor>,
    /// Alike tasks have nodes of their own.
    pub separate: bool,
    /// Every order of events that may happen in parallel is followed.
    pub unreduced: bool,
    /// As published: no check and no call fails, and communication nodes always count as events. For
    /// comparisons only.
    pub published: bool,
}

/// Rounds of choosing constraints, at most.
const MOST_ROUNDS: usize = 400;

/// More neighbours of a property are not given nodes of their own.
const MOST_NEAR: usize = 16;

/// Programs with more tasks are not analysed with nodes of their own for each.
const MOST_SEPARATE: usize = 80;

/// The cells that may be followed: finite, and with an influence on something.
pub fn cells_to_follow(program: &Program, facts: &Facts) -> BTreeSet<VarId> {
    let own: Vec<VarId> = program.monitors.iter().map(|m| m.cell).collect();
    (0..program.vars.len())
        .map(VarId::from)
        .filter(|c| is_trackable(program, facts, *c) && !own.contains(c))
        .collect()
}

/// Decides the properties that monitors of the program follow.
pub(crate) fn decide(
    program: &Program,
    settings: &FlowSettings,
    options: &Options,
    control: &Control,
) -> Vec<PropertyAnswer> {
    (0..program.monitors.len())
        .map(|m| {
            let mut named = program.clone();
            named.monitors = vec![program.monitors[m].clone()];
            named.monitors.extend(settings.given.iter().cloned());
            // Letters that the automaton does not tell apart are one, and so are tasks that only
            // letters told apart.
            let mut single = named.clone();
            single.monitors.iter_mut().for_each(Monitor::merge_alike);
            PropertyAnalysis {
                program: &single,
                named: &named,
                settings,
                options,
                control,
                started: Instant::now(),
            }
            .decide()
        })
        .collect()
}

struct PropertyAnalysis<'a> {
    program: &'a Program,
    /// The same with letters as they were written.
    named: &'a Program,
    settings: &'a FlowSettings,
    options: &'a Options,
    control: &'a Control,
    started: Instant,
}

/// What one graph led to.
enum GraphVerdict {
    Proved {
        used: Vec<Constraint>,
        run: Propagated,
    },
    /// An execution breaks it.
    Broken(Box<PropertyAnswer>),
    /// No constraint rejects a path, but no execution was found.
    Stuck {
        why: Reason,
    },
    Cut {
        why: Reason,
    },
}

impl PropertyAnalysis<'_> {
    fn decide(&self) -> PropertyAnswer {
        let mut answer = self.holds();
        if let Some(given) = self.settings.given.iter().find(|g| g.doomed[0]) {
            answer.vacuous = Some(format!("no sequence of events satisfies the constraint {}", given.name));
            return answer;
        }
        let mut facts = Facts::new(self.program);
        facts.unchecked = self.settings.published;
        let cells = cells_to_follow(self.program, &facts);
        let mut separate = self.requested_tasks();
        let mut stats = FlowStats::default();
        let mut bytes = 0;
        let mut merge = !self.settings.separate;
        loop {
            let plan = TfgPlan {
                program: self.program,
                facts: &facts,
                automata: &self.program.monitors,
                separate: &separate,
                merge,
                cells: &cells,
                optimise: true,
                published: self.settings.published,
            };
            let tfg = match Tfg::new(&plan) {
                Ok(tfg) => tfg,
                Err(unfit) => {
                    let line = self.program.place(unfit.loc);
                    let why = Reason::method(format!("{} ({line})", unfit.reason));
                    answer.answer = Verdict::Inconclusive(why, Vec::new());
                    break;
                }
            };
            stats.nodes = tfg.nodes.len();
            let shared = tfg.classes.iter().any(|c| c.size() > 1);
            match self.analyse(&tfg, &mut stats, &mut bytes) {
                GraphVerdict::Proved { used, run } => {
                    self.take_proof(&mut answer, &tfg, &used, &run);
                    break;
                }
                GraphVerdict::Broken(found) => {
                    answer.answer = found.answer;
                    break;
                }
                GraphVerdict::Stuck { .. }
                    if shared && separate.is_empty() && !self.near(&tfg).is_empty() =>
                {
                    separate = self.near(&tfg);
                }
                GraphVerdict::Stuck { .. } if shared && self.program.tasks.len() <= MOST_SEPARATE => {
                    merge = false;
                }
                GraphVerdict::Stuck { why } | GraphVerdict::Cut { why } => {
                    answer.answer = Verdict::Inconclusive(why, Vec::new());
                    break;
                }
            }
        }
        answer.stats = Some(Stats {
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: bytes,
            flow: Some(stats),
            ..Stats::default()
        });
        answer
    }

    /// The answer that the property holds, without a proof so far.
    fn holds(&self) -> PropertyAnswer {
        let property = &self.program.monitors[0];
        let given = self.settings.given.iter();
        PropertyAnswer {
            name: property.name.clone(),
            language: property.language,
            engine: EngineId::Flow,
            text: property.text.clone(),
            answer: Verdict::Holds,
            covers: covers(property, self.options.fairness),
            assumptions: given
                .map(|g| format!("executions satisfy the constraint {}: {}", g.name, g.text))
                .collect(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        }
    }

    /// The tasks whose order the user asks for: each has nodes of its own.
    fn requested_tasks(&self) -> BTreeSet<TaskId> {
        let requested = self.settings.constraints.iter().flatten();
        requested
            .filter_map(|w| match w {
                RequestedConstraint::Task(t) => Some(*t),
                RequestedConstraint::Cells(_) => None,
            })
            .collect()
    }

    /// Says what a proof needed, and whether it says anything.
    fn take_proof(&self, answer: &mut PropertyAnswer, tfg: &Tfg, used: &[Constraint], run: &Propagated) {
        let property = &self.program.monitors[0];
        answer.constraints = used.iter().map(|c| self.name(tfg, c)).collect();
        let nothing_is_left = !self.settings.given.is_empty() && !leaves_something(tfg, run);
        answer.vacuous = match nothing_is_left {
            true => Some("no execution that satisfies the constraints ends or goes on for ever".into()),
            false => vacuous(property, 0, &witness(tfg, run)),
        };
        if let Some(open) = open_for_ever(property, 0, &witness(tfg, run)) {
            answer.answer = Verdict::Inconclusive(open, Vec::new());
            answer.vacuous = None;
        }
    }

    fn problem<'t>(&'t self, tfg: &'t Tfg, constraints: &[Constraint]) -> Problem<'t> {
        Problem::with(self.program, tfg, &self.program.monitors, constraints, self.settings.published)
    }

    /// The tasks that communicate with those the property is about, if they are few.
    fn near(&self, tfg: &Tfg) -> BTreeSet<TaskId> {
        let seen = tfg.nodes.iter().filter(|n| n.letters.iter().any(|l| l.0 == 0));
        let own: BTreeSet<TaskId> = seen
            .flat_map(|n| &n.classes)
            .map(|c| &tfg.classes[usize::from(*c)])
            .filter(|c| c.size() == 1)
            .flat_map(|c| c.members.iter().copied())
            .collect();
        let mut near = BTreeSet::new();
        for t in (0..self.program.tasks.len()).map(TaskId::from) {
            let mut called = BTreeSet::new();
            for loc in rendez_model::code::task_code(self.program, t) {
                if let rendez_model::Action::EntryCall { entry, .. } = &self.program.node(loc).action {
                    for e in self.program.possible_entries(entry) {
                        if let rendez_model::Owner::Task(owner) = self.program.entries[e.index()].owner {
                            called.insert(owner);
                        }
                    }
                }
            }
            if own.contains(&t) {
                near.extend(called);
            } else if !called.is_disjoint(&own) {
                near.insert(t);
            }
        }
        let shared = |t: &TaskId| tfg.classes.iter().any(|c| c.size() > 1 && c.members.contains(t));
        let near: BTreeSet<TaskId> = near.into_iter().filter(shared).collect();
        if near.len() <= MOST_NEAR { near } else { BTreeSet::new() }
    }

    /// What a constraint is called.
    fn name(&self, tfg: &Tfg, constraint: &Constraint) -> String {
        match constraint {
            Constraint::Order(class) => {
                let class = &tfg.classes[usize::from(*class)];
                match (class.object, &class.members[..]) {
                    (Some(object), _) => format!("object {}", self.program.objects[object.index()].name),
                    (None, [task]) => format!("task {}", self.program.tasks[task.index()].name),
                    (None, [first, ..]) => format!(
                        "{} tasks like {}",
                        class.members.len(),
                        self.program.tasks[first.index()].name
                    ),
                    (None, []) => "nothing".into(),
                }
            }
            Constraint::Cells(cells) => {
                let names: Vec<&str> =
                    cells.iter().map(|c| self.program.vars[c.index()].name.as_str()).collect();
                format!("variable {}", names.join(", "))
            }
            Constraint::Given(a) => format!("constraint {}", self.program.monitors[usize::from(*a)].name),
        }
    }

    /// Chooses constraints until no path is left, or no candidate rejects one.
    fn analyse(&self, tfg: &Tfg, stats: &mut FlowStats, bytes: &mut usize) -> GraphVerdict {
        let automata = &self.program.monitors;
        let given: Vec<Constraint> = (1..automata.len()).map(|a| Constraint::Given(a as u8)).collect();
        let mut all = candidates(self.program, tfg);
        let mut rejected: Vec<Vec<usize>> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let chosen = hitting(&all, &rejected);
            let mut constraints = given.clone();
            match &self.settings.constraints {
                Some(wanted) => constraints.extend(wanted.iter().filter_map(|w| requested(tfg, w))),
                None => add_parts(&mut constraints, chosen.iter().flat_map(|c| &all[*c].parts)),
            }
            let mut problem = self.problem(tfg, &constraints);
            let edges = Interleaving::new(&problem, self.program, !self.settings.unreduced);
            let run = propagate(&mut problem, &edges, self.options, self.control, self.started);
            stats.rounds += 1;
            stats.mip_edges = edges.after;
            stats.edges = tfg.control_edges() + edges.after;
            stats.tuples = run.tuples;
            stats.node_tuples = run.node_tuples;
            *bytes = run.bytes.max(*bytes);
            let (path, at_end, unsupported) = match run.verdict {
                Conclusion::Holds => return self.fewest(tfg, constraints, run, given.len(), stats),
                Conclusion::Cut(end) => {
                    return GraphVerdict::Cut { why: end.why() };
                }
                Conclusion::Broken { ref path, at_end } => (path.clone(), at_end, false),
                Conclusion::Unsupported { ref path } => (path.clone(), false, true),
            };
            if self.settings.constraints.is_none() {
                // Where the order of a task is known, what it does silently is known, too.
                let ordered = ordered_classes(&constraints);
                let events = &problem.events;
                let suspect = Suspect { program: self.program, tfg, path: &path, at_end, ordered, events };
                let found = rejecting(&suspect, automata, &mut all, &given);
                if !found.is_empty() {
                    rejected.push(found);
                    continue;
                }
            }
            if unsupported {
                let node = path.last().copied().unwrap_or(0);
                return GraphVerdict::Cut { why: self.not_followed(tfg.nodes[node as usize].loc) };
            }
            return self.follow(tfg, &path);
        }
        GraphVerdict::Cut {
            why: Reason::method(format!("no set of constraints was enough after {MOST_ROUNDS} rounds")),
        }
    }

    /// A path leads to a location from which executions are not followed.
    fn not_followed(&self, loc: Loc) -> Reason {
        let place = Some(self.program.place(loc));
        match self.program.bound_at(loc, self.options.recursion) {
            Some(bound) => Reason::may_meet(bound, place),
            None => Reason::may_be_unmodelled(place),
        }
    }

    /// Leaves out constraints that the proof does not need. Of the first `kept` none is left out.
    fn fewest(
        &self,
        tfg: &Tfg,
        mut used: Vec<Constraint>,
        mut run: Propagated,
        kept: usize,
        stats: &mut FlowStats,
    ) -> GraphVerdict {
        let mut at = kept;
        while self.settings.constraints.is_none() && at < used.len() && used.len() > kept + 1 {
            let mut fewer = used.clone();
            fewer.remove(at);
            let mut problem = self.problem(tfg, &fewer);
            let edges = Interleaving::new(&problem, self.program, !self.settings.unreduced);
            // A proof with less must not cost much more.
            let limits = Options {
                max_states: run.node_tuples.saturating_mul(4).max(100_000),
                ..self.options.clone()
            };
            let again = propagate(&mut problem, &edges, &limits, self.control, self.started);
            if again.verdict == Conclusion::Holds {
                stats.mip_edges = edges.after;
                stats.edges = tfg.control_edges() + edges.after;
                stats.tuples = again.tuples;
                stats.node_tuples = again.node_tuples;
                (used, run) = (fewer, again);
            } else {
                at += 1;
            }
        }
        GraphVerdict::Proved { used, run }
    }

    /// Looks for the execution behind a path.
    fn follow(&self, tfg: &Tfg, path: &[NodeId]) -> GraphVerdict {
        if let Some(loc) = self.program.wide_select() {
            let span = self.program.place(loc);
            let why =
                format!("a path is left, and a select with so many alternatives cannot be executed ({span})");
            return GraphVerdict::Stuck { why: Reason::Method(why) };
        }
        let semantics = rendez_analysis::semantics(self.program, self.options.recursion);
        let written = rendez_analysis::semantics(self.named, self.options.recursion);
        let mut findings = Findings::new(&written);
        let certain = Options { skip_guesses: true, ..self.options.clone() };
        let mut stuck = 0;
        for options in [&certain, self.options] {
            match replay(&semantics, tfg, path, options, self.control) {
                Replay::Found(moves, state) => {
                    findings.seen(&Observation::Broken { monitor: 0 }, &moves, &state);
                    if !findings.contradictions.is_empty() {
                        return GraphVerdict::Stuck {
                            why: Reason::method("a path is left, and its trace does not show the violation"),
                        };
                    }
                    let mut answers = findings.properties(
                        EngineId::Flow,
                        &Witness::default(),
                        self.options.fairness,
                        |_| None,
                    );
                    return GraphVerdict::Broken(Box::new(answers.swap_remove(0)));
                }
                Replay::Stuck(node) => stuck = node,
            }
        }
        let steps: Vec<String> = path
            .iter()
            .filter(|n| {
                let node = &tfg.nodes[**n as usize];
                node.is_com() || !node.letters.is_empty()
            })
            .map(|n| tfg.describe(self.program, *n))
            .collect();
        GraphVerdict::Stuck {
            why: Reason::Method(format!(
                "a path is left that no execution was found for; it fails at: {} (the path: {})",
                tfg.describe(self.program, stuck),
                shorten(&steps)
            )),
        }
    }
}

fn shorten(steps: &[String]) -> String {
    const MOST: usize = 12;
    match steps.len() > MOST {
        true => format!("{}, ... {} more", steps[..MOST].join(", "), steps.len() - MOST),
        false => steps.join(", "),
    }
}

fn requested(tfg: &Tfg, wanted: &RequestedConstraint) -> Option<Constraint> {
    match wanted {
        RequestedConstraint::Task(task) => {
            let class = tfg.classes.iter().position(|c| c.members.contains(task))?;
            Some(Constraint::Order(class as u16))
        }
        RequestedConstraint::Cells(cells) => Some(Constraint::Cells(cells.clone())),
    }
}

/// Adds those constraints that are not there yet.
fn add_parts<'c>(constraints: &mut Vec<Constraint>, parts: impl Iterator<Item = &'c Constraint>) {
    for part in parts {
        if !constraints.contains(part) {
            constraints.push(part.clone());
        }
    }
}

/// The classes whose order is followed.
fn ordered_classes(constraints: &[Constraint]) -> Vec<u16> {
    let class = |c: &Constraint| match c {
        Constraint::Order(class) => Some(*class),
        _ => None,
    };
    constraints.iter().filter_map(class).collect()
}

/// Whether some execution may come to its end, or go on for ever.
fn leaves_something(tfg: &Tfg, run: &Propagated) -> bool {
    let control = tfg.control();
    // Nodes whose successors are all done with are done with.
    let mut left: Vec<NodeId> = run.reached.ones().collect();
    loop {
        let before = left.len();
        let kept: BTreeSet<NodeId> = left.iter().copied().collect();
        left.retain(|n| control[*n as usize].iter().any(|next| kept.contains(next)));
        if left.len() == before {
            return run.ended || before > 0;
        }
    }
}

/// What of the property happens somewhere.
fn witness(tfg: &Tfg, run: &Propagated) -> Witness {
    let mut witness = Witness { ended: run.ended, ..Witness::default() };
    for n in run.reached.ones() {
        let letters = tfg.nodes[n as usize].letters.iter();
        witness.letters.extend(letters.filter(|l| l.0 == 0).map(|l| (0, l.1)));
    }
    witness
}
