//! Traces as they are told: the steps worth a sentence, and those of them that matter.

use rendez_model::semantics::{Step, StepEvent};
use rendez_model::{Action, Owner, Program, TaskId, Value, VarId};
use rendez_source::Span;
use rendez_verdict::{Finding, Kind, Trace, TraceStep};

use crate::story::{describe, is_named};

/// A step of a trace as it is told.
pub struct Told {
    /// Its place in the trace.
    pub index: usize,
    pub task: TaskId,
    /// What the task does, without its name.
    pub text: String,
    pub event: String,
    /// The task accepts the call of another one: the arrow of a picture points to it.
    pub accepts: bool,
    pub span: Span,
    /// Tasks that take part.
    pub partners: Vec<TaskId>,
    /// Variables that have a new value behind it.
    pub changes: Vec<(String, String)>,
    /// It belongs to the story of the finding.
    pub matters: bool,
}

/// The steps of a finding's trace that are worth a sentence.
pub fn tell(program: &Program, finding: &Finding) -> Vec<Told> {
    let Some(trace) = &finding.trace else { return Vec::new() };
    let mut told: Vec<Told> = trace
        .steps
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_passed(trace, *index))
        .filter_map(|(index, step)| {
            let (text, event) = describe(program, step)?;
            Some(Told {
                index,
                task: step.step.task,
                text,
                event,
                accepts: is_accepted_here(&step.step),
                span: program.node(step.step.loc).span,
                partners: partners(&step.step.what, step.step.task),
                changes: changes(program, &step.changes),
                matters: false,
            })
        })
        .collect();
    Story { program, finding, trace }.mark(&mut told);
    told
}

/// Whether a step is that of the acceptor, who takes a call that waited.
fn is_accepted_here(step: &Step) -> bool {
    matches!(step.what, StepEvent::Accepted { caller, .. } if caller != step.task)
}

/// Whether a task only comes to where it is met later.
fn is_passed(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index].step;
    let task = step.task;
    let meets = |s: &TraceStep| {
        s.step.task == task || matches!(s.step.what, StepEvent::Accepted { acceptor, .. } if acceptor == task)
    };
    step.what == StepEvent::Waits && trace.steps[index + 1..].iter().any(meets)
}

/// Changed variables of the program with their new values.
pub fn changes(program: &Program, changes: &[(VarId, Value)]) -> Vec<(String, String)> {
    let named = changes.iter().filter(|(v, _)| is_named(program, *v));
    let value = |var: VarId, v: &Value| match v {
        Value::Known(v) => program.value_name(var, *v),
        Value::Any => "some value".to_owned(),
    };
    named.map(|(v, to)| (program.vars[v.index()].name.clone(), value(*v, to))).collect()
}

fn partners(what: &StepEvent, actor: TaskId) -> Vec<TaskId> {
    let mut all = match what {
        StepEvent::Accepted { caller, acceptor, .. } => vec![*caller, *acceptor],
        StepEvent::EndedAccept { caller, .. } | StepEvent::Requeued { caller, .. } => vec![*caller],
        StepEvent::Released { served: Some((who, _)), .. } => vec![*who],
        StepEvent::Aborted(tasks) => tasks.clone(),
        _ => Vec::new(),
    };
    all.retain(|t| *t != actor);
    all
}

/// Longer stories are cut at their beginning.
const LONGEST: usize = 14;

struct Story<'a> {
    program: &'a Program,
    finding: &'a Finding,
    trace: &'a Trace,
}

impl Story<'_> {
    /// Marks what explains the finding: for each task that it is about the last thing that happened to
    /// it, and who last changed what it waits for.
    fn mark(&self, told: &mut [Told]) {
        let (finding, trace) = (self.finding, self.trace);
        let step = |t: &Told| &trace.steps[t.index];
        if matches!(finding.kind, Kind::Sequence | Kind::Ctl) {
            let seen = |t: &Told| !step(t).step.letters.is_empty() || !step(t).step.broken.is_empty();
            match told.iter().any(seen) {
                true => told.iter_mut().for_each(|t| t.matters = seen(t)),
                false => told.iter_mut().for_each(|t| t.matters = is_interaction(&step(t).step.what)),
            }
        } else {
            for (i, task) in self.concerned().into_iter().enumerate() {
                let depth = if i < finding.tasks.len() && finding.waiting.is_empty() { 2 } else { 1 };
                let mine = |t: &&mut Told| t.task == task || t.partners.contains(&task);
                let happened = |t: &&mut Told| is_interaction(&step(t).step.what) || t.event == "complete";
                told.iter_mut()
                    .rev()
                    .filter(|t| mine(t) && happened(t))
                    .take(depth)
                    .for_each(|t| t.matters = true);
                if i < finding.tasks.len() {
                    let unknown = |t: &&mut Told| matches!(t.event.as_str(), "guess" | "choice" | "input");
                    let own = told.iter_mut().rev().filter(|t| t.task == task && unknown(t));
                    own.take(2).for_each(|t| t.matters = true);
                }
            }
            if finding.guessed {
                let guessed = told.iter_mut().rev().filter(|t| step(t).step.guessed);
                guessed.take(3).for_each(|t| t.matters = true);
            }
            for cell in self.cells() {
                let writes = |t: &&mut Told| step(t).changes.iter().any(|(v, _)| *v == cell);
                if let Some(last) = told.iter_mut().rev().find(writes) {
                    last.matters = true;
                }
            }
            if finding.kind == Kind::Spin {
                // Variables of a task's own concern nobody else.
                let own = |t: &&mut Told| {
                    let task = format!("{}.", self.program.tasks[t.task.index()].name);
                    t.changes.iter().all(|(name, _)| name.starts_with(&task))
                };
                let writes = |t: &&mut Told| t.event == "assign" && !own(t);
                told.iter_mut().rev().filter(writes).take(4).for_each(|t| t.matters = true);
            }
            if finding.kind == Kind::ServerIdle {
                // Why nobody calls: calls that were given up, and ends.
                let gone = |t: &&mut Told| {
                    let gave_up = matches!(step(t).step.what, StepEvent::Otherwise | StepEvent::TimedOut);
                    !finding.tasks.contains(&t.task) && (gave_up || t.event == "complete")
                };
                told.iter_mut().rev().filter(gone).take(4).for_each(|t| t.matters = true);
            }
            if finding.waiting.is_empty()
                && let Some(last) = told.last_mut()
            {
                last.matters = true;
            }
            for t in told.iter_mut() {
                t.matters |= step(t).step.raised.iter().any(|r| finding.tasks.contains(&r.task));
            }
        }
        let much = told.iter().filter(|t| t.matters).count();
        told.iter_mut()
            .filter(|t| t.matters)
            .take(much.saturating_sub(LONGEST))
            .for_each(|t| t.matters = false);
    }

    /// The tasks that it is about, and those that they wait for or call.
    fn concerned(&self) -> Vec<TaskId> {
        let mut all = self.finding.tasks.clone();
        let waits = self.finding.waiting.iter().filter(|w| self.finding.tasks.contains(&w.task));
        let mut more: Vec<TaskId> = waits.flat_map(|w| w.on.iter().copied()).collect();
        if self.finding.kind == Kind::TaskingError
            && let Some(last) = self.trace.steps.last()
            && let Action::EntryCall { entry, .. } = &self.program.node(last.step.loc).action
        {
            for e in self.program.possible_entries(entry) {
                if let Owner::Task(owner) = self.program.entries[e.index()].owner {
                    more.push(owner);
                }
            }
        }
        more.truncate(8);
        for task in more {
            if !all.contains(&task) {
                all.push(task);
            }
        }
        all
    }

    /// The variables that decide: those of barriers, and those of an assertion.
    fn cells(&self) -> Vec<VarId> {
        let waits = self.finding.waiting.iter().filter(|w| self.finding.tasks.contains(&w.task));
        let mut all: Vec<VarId> = waits.flat_map(|w| w.cells.iter().copied()).collect();
        if self.finding.kind == Kind::Assertion
            && let Some(last) = self.trace.steps.last()
            && let Action::Assert { cond, .. } = &self.program.node(last.step.loc).action
        {
            cond.each_cell(self.program, &mut |cell| all.push(cell));
        }
        all
    }
}

/// Whether two parties did something together.
fn is_interaction(what: &StepEvent) -> bool {
    matches!(
        what,
        StepEvent::Accepted { .. }
            | StepEvent::Entered(_)
            | StepEvent::BarrierRaised(_)
            | StepEvent::EndedAccept { .. }
            | StepEvent::Requeued { .. }
            | StepEvent::Locked(_)
            | StepEvent::Released { served: Some(_), .. }
            | StepEvent::Aborted(_)
            | StepEvent::TimedOut
            | StepEvent::Otherwise
            | StepEvent::Transferred
    )
}

/// How often another task goes on, steps that are not told left out.
pub fn switches(told: &[Told]) -> usize {
    told.windows(2).filter(|w| w[0].task != w[1].task).count()
}
