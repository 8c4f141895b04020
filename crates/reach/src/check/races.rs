//! Races: pairs of tasks about to access the same variable, one of them to write it.
//!
//! Stubborn sets do not keep which accesses are about to happen together, so races have a search of their own without
//! them. Looking at every pair in every state would take longer than the search. Two tasks with the same contents race
//! or do not, whatever the others do, so each pair of contents is looked at once. The exception is an access that depends
//! on something stored elsewhere: an index, a condition, or a barrier that an unlock makes somebody evaluate. States
//! with such an access are always looked at.

use std::time::Instant;

use rendez_model::code::{each_read, each_written};
use rendez_model::semantics::Semantics;
use rendez_model::state::{Status, TaskState, Wait};
use rendez_model::{Action, BinaryOp, Expr};
use rendez_petri::step_cache::StepCache;
use rendez_petri::steps::{Fate, Steps};
use rendez_verdict::{Control, End, Findings, Observation, Options, races};
use rustc_hash::FxHashSet;

use super::exhaustive::reach;
use super::{not_followed, share};
use crate::reached::Reached;
use crate::search::Config;

/// Stubborn sets keep everything but who is about to access what at the same time: races are
/// looked for in a search of their own.
pub(super) fn race_search(
    semantics: &Semantics,
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> (End, usize) {
    let started = Instant::now();
    let config = Config { stubborn: false, ..config.clone() };
    let reached = reach(semantics, &share(options, started, 0.8), &config, control, &[]);
    let late = || options.timeout.is_some_and(|t| started.elapsed() > t);
    let all_states = races_of(&reached, findings, late);
    for (outcome, id) in &reached.notable {
        let fate = reached.cache.trees.outcomes[*outcome as usize].fate;
        let steps = &reached.cache.stories[*outcome as usize].steps;
        if matches!(fate, Fate::Stopped | Fate::Unsupported) {
            not_followed(fate, steps, &reached.state(*id), findings);
        }
    }
    let end = if all_states || reached.end != End::Complete { reached.end } else { End::Time };
    (end, reached.stats.states)
}

/// Pairs of tasks about to access one variable. Whether all states were looked at before it was `late`.
fn races_of(reached: &Reached, findings: &mut Findings, late: impl Fn() -> bool) -> bool {
    let steps = &reached.cache.steps;
    let mut known = FxHashSet::default();
    let mut all_states = true;
    let mut about = AboutToAccess::default();
    let mut words = vec![0; reached.layout.words];
    let mut found = Vec::new();
    let mut reported: FxHashSet<Observation> = FxHashSet::default();
    for id in 0..reached.store.len() as u32 {
        if id.is_multiple_of(1024) && late() {
            all_states = false;
            break;
        }
        reached.store.read(id, &mut words);
        if about.look(&reached.cache, |slot| reached.layout.get(&words, slot)) {
            let state = reached.state(id);
            races(steps.semantics.program, &steps.access, &state, |seen| found.push((seen, id)));
        }
    }
    for (seen, id) in found {
        if known.insert(seen) {
            let way = reached.way(id);
            races(steps.semantics.program, &steps.access, &way.state, |seen| {
                if reported.insert(seen.clone()) {
                    findings.seen(&seen, &way.moves, &way.state);
                }
            });
        }
    }
    all_states
}

/// Tells states in which two tasks may race from the others. Two tasks with the same contents race or do not, whatever the
/// others do, unless what they access depends on something that is stored elsewhere, or a lock keeps off an abort.
#[derive(Default)]
pub(super) struct AboutToAccess {
    /// By task and contents: whether the task is about to access something shared, and whether more than its
    /// contents says what that is.
    about: Vec<Vec<(bool, bool)>>,
    pairs: FxHashSet<[u32; 4]>,
    busy: Vec<(u32, u32, bool)>,
    /// Whether there is something shared.
    shares: Option<bool>,
}

impl AboutToAccess {
    /// Whether some two tasks may race here that were not seen to be here together.
    pub(super) fn look(&mut self, cache: &StepCache, value: impl Fn(usize) -> u32) -> bool {
        let steps = &cache.steps;
        let program = steps.semantics.program;
        if !*self.shares.get_or_insert_with(|| steps.access.shared.contains(&true)) {
            return false;
        }
        self.about.resize(program.tasks.len(), Vec::new());
        self.busy.clear();
        for (t, about) in self.about.iter_mut().enumerate() {
            let number = value(t);
            while about.len() <= number as usize {
                let ts = cache.slots.task(t, about.len() as u32);
                let accesses = ts.is_some_and(|ts| {
                    matches!(ts.status, Status::Active | Status::Activating)
                        && ts.wait == Wait::Nothing
                        && accesses(steps, &program.node(ts.pc).action)
                        && (!steps.access.local[ts.pc.index()]
                            || program.node(ts.pc).action == Action::Return)
                });
                about.push((accesses, ts.is_some_and(|ts| ts.due || depends_on_others(cache, t, ts))));
            }
            let (accesses, depends) = about[number as usize];
            if accesses {
                self.busy.push((t as u32, number, depends));
            }
        }
        let mut fresh = false;
        for (i, a) in self.busy.iter().enumerate() {
            for b in &self.busy[i + 1..] {
                fresh |= self.pairs.insert([a.0, a.1, b.0, b.1]) || a.2 || b.2;
            }
        }
        fresh
    }
}

/// Whether what a task is about to access depends on more than its own contents: an index or a condition that is stored
/// elsewhere, or queues and locks, where a barrier is to be looked at.
fn depends_on_others(cache: &StepCache, task: usize, ts: &TaskState) -> bool {
    let program = cache.steps.semantics.program;
    let mut found = false;
    let mut look = |e: &Expr| {
        e.each_cell(program, &mut |cell| found |= cache.slots.slot_of(cell.0) as usize != task);
    };
    let action = &program.node(ts.pc).action;
    action.each_expr(&mut |e| {
        e.walk(&mut |e| match e {
            Expr::Load(_, decides)
            | Expr::Binary(BinaryOp::And | BinaryOp::Or, decides, _)
            | Expr::If(decides, ..) => look(decides),
            _ => {}
        });
    });
    match action {
        Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => {
            to.each_index(&mut look);
        }
        Action::Return => {
            if let Some(frame) = ts.frames.last()
                && let Action::Call { outs, .. } = &program.node(frame.site).action
            {
                outs.iter().for_each(|(_, place)| place.each_index(&mut look));
            }
        }
        Action::EntryCall { .. }
        | Action::Async { .. }
        | Action::EndAsync { .. }
        | Action::Requeue { .. }
        | Action::Abort { .. }
        | Action::Unlock { .. } => {
            let shared = &cache.steps.access.shared;
            let barriers = program.entries.iter().filter_map(|e| e.barrier.as_ref());
            barriers.for_each(|b| b.each_cell(program, &mut |c| found |= shared[c.index()]));
        }
        _ => {}
    }
    found
}

/// Whether an action may read or write something shared.
fn accesses(steps: &Steps, action: &Action) -> bool {
    let program = steps.semantics.program;
    // The results of a call are written when it returns.
    let mut found = *action == Action::Return;
    each_read(program, action, &mut |cell| found |= steps.access.shared[cell.index()]);
    each_written(program, action, |cell| found |= steps.access.shared[cell.index()]);
    found
}
