//! What a search observes on its way: exceptions, failed assertions, races, entries in use, and progress.
//!
//! Engines do not decide checks while they search. They report observations, each with the place where it was made, and
//! the findings are worked out afterwards, once, for all engines (`verdict.rs`). So the definitions that a check
//! depends on stand here:
//! - a race is two tasks that are about to access the same variable, at least one of them writing, in one state. An
//!   access to one of several elements whose index is unknown makes the race possible, not certain. Since reads and
//!   writes of shared variables are never merged with other steps, a state before the race exists whenever the race
//!   does;
//! - an entry is used if it is called, and served if a call is accepted; a call that changes a queue while somebody is
//!   served may have opened the barrier for another one, and so counts for it;
//! - progress of a task is communication, or a write of something that decides anything. A task *polls* if it reads, in
//!   a loop whose exit depends on it, what others could change. A task that polls for ever without progress spins.
//!
//! What counts as progress is taken from the program after constants are folded, and from what slicing says matters, so
//! it is the same before and after slicing. Several definitions that depended on slicing, merging or folding were
//! wrong, and random programs showed it (docs/soundness.md): changes of protected data counted only where steps were
//! not merged, writes counted by two definitions, and a loop with a constant exit was endless only after folding.

use std::collections::BTreeSet;

use rendez_analysis::access::{Access, Touch, touched};
use rendez_analysis::loop_control::LoopControl;
use rendez_analysis::passes;
use rendez_model::code::{each_written, never_changes};
use rendez_model::semantics::{Fate, Step, StepEvent, Successor};
use rendez_model::state::{Lock, State, Status, Wait};
use rendez_model::{
    Action, Domain, EntryId, ExceptionId, Loc, ObjectId, Owner, Program, Storage, TaskId, VarId,
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    Exception {
        task: TaskId,
        loc: Loc,
        exception: ExceptionId,
        died: bool,
        by_tasking: bool,
    },
    Assertion {
        task: TaskId,
        loc: Loc,
    },
    Race {
        var: VarId,
        first: (TaskId, Loc),
        second: (TaskId, Loc),
        writes: (bool, bool),
        /// Not if one of them accesses one of several cells, and nobody knows which.
        certain: bool,
    },
    /// No task can move and not all have ended.
    Blocked,
    Unsupported {
        loc: Loc,
    },
    /// The execution is not followed any further.
    Stopped {
        loc: Loc,
    },
    /// A property of event sequences can no longer hold.
    Broken {
        monitor: u16,
    },
}

/// What happens to the monitors of a program in some execution.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// Monitors and letters.
    pub letters: BTreeSet<(u16, u32)>,
    /// Some execution comes to its end.
    pub ended: bool,
}

impl Witness {
    pub fn note(&mut self, program: &Program, step: &Step) {
        self.letters.extend(step.letters.iter().map(|l| (l.0, l.1)));
        self.ended |=
            step.task == TaskId::ENVIRONMENT && matches!(program.node(step.loc).action, Action::Terminate);
    }
}

/// The entries that some execution calls, and those that some execution serves.
#[derive(Clone, Debug)]
pub struct Entries {
    pub called: Vec<bool>,
    pub accepted: Vec<bool>,
}

impl Entries {
    pub fn new(program: &Program) -> Entries {
        Entries { called: vec![false; program.entries.len()], accepted: vec![false; program.entries.len()] }
    }

    /// Notes what a step says about entries; `after` is the state it leads to.
    pub fn note(&mut self, program: &Program, step: &Step, after: &State) {
        entries_in(program, step, after, |entry, called, accepted| {
            self.add(entry, called, accepted);
        });
    }

    /// Whether that was not known.
    pub fn add(&mut self, entry: EntryId, called: bool, accepted: bool) -> bool {
        let (c, a) = (&mut self.called[entry.index()], &mut self.accepted[entry.index()]);
        let new = called && !*c || accepted && !*a;
        *c |= called;
        *a |= accepted;
        new
    }
}

/// The entries that a step calls or serves; `after` is the state it leads to.
pub fn entries_in(program: &Program, step: &Step, after: &State, mut f: impl FnMut(EntryId, bool, bool)) {
    match &step.what {
        // The end of the same step may have served the call.
        StepEvent::Queued(entry) | StepEvent::Requeued { entry, .. } => {
            served_in(program, after, Some(*entry), &mut f);
            let caller = match step.what {
                StepEvent::Requeued { caller, .. } => caller,
                _ => step.task,
            };
            // The trigger of an asynchronous select waits, though its task goes on.
            let waits = after.queues[entry.index()].iter().any(|c| c.task == caller);
            // A barrier that raises an exception serves nobody.
            let failed = step.raised.iter().any(|r| r.task == caller);
            f(*entry, true, !waits && !failed);
        }
        StepEvent::Accepted { entry, .. } | StepEvent::Entered(entry) => f(*entry, true, true),
        StepEvent::BarrierRaised(entry) => f(*entry, true, false),
        StepEvent::Released { served: Some((_, entry)), .. } => f(*entry, false, true),
        // A conditional or timed call that was not taken was a call all the same.
        StepEvent::Otherwise | StepEvent::TimedOut => {
            if let Action::EntryCall { entry, .. } = &program.node(step.loc).action
                && let Some(entry) = entry.constant()
            {
                f(EntryId(entry as u32), true, false);
                served_in(program, after, Some(EntryId(entry as u32)), &mut f);
            }
        }
        StepEvent::Aborted(_) | StepEvent::Transferred => served_in(program, after, None, &mut f),
        // The trigger is withdrawn: the queue is shorter.
        StepEvent::Ran if matches!(program.node(step.loc).action, Action::EndAsync { .. }) => {
            served_in(program, after, None, &mut f);
        }
        _ => {}
    }
}

/// The entries that are being served: calls that come or go change how many wait, and may so open the barrier for
/// somebody else. Those of the object of an entry, or of all.
fn served_in(program: &Program, after: &State, of: Option<EntryId>, f: &mut impl FnMut(EntryId, bool, bool)) {
    let of = of.map(|e| program.entries[e.index()].owner);
    for (o, lock) in after.locks.iter().enumerate() {
        let object = Owner::Object(ObjectId::from(o));
        let Lock::Write(task) = *lock else { continue };
        if of.is_some_and(|owner| owner != object) {
            continue;
        }
        let frames = &after.tasks[task.index()].frames;
        for ((_, entry), proc) in program.bodies.range((task, EntryId(0))..=(task, EntryId(u32::MAX))) {
            if program.entries[entry.index()].owner == object && frames.iter().any(|f| f.proc == *proc) {
                f(*entry, false, true);
            }
        }
    }
}

/// What a step shows: exceptions, a failed assertion, a broken property.
pub fn seen_in(step: &Step) -> impl Iterator<Item = Observation> + '_ {
    let raised = step.raised.iter().map(|raised| Observation::Exception {
        task: raised.task,
        loc: raised.loc,
        exception: raised.exception,
        died: raised.fate == Fate::Died,
        by_tasking: raised.by_tasking,
    });
    let failed = (step.what == StepEvent::AssertionFailed)
        .then_some(Observation::Assertion { task: step.task, loc: step.loc });
    let broken = step.broken.iter().map(|m| Observation::Broken { monitor: *m });
    raised.chain(failed).chain(broken)
}

/// Something that counts as progress of the moving task: communication, output, a write.
pub const PROGRESS: u8 = 1;
/// The moving task looked at something that others can change.
pub const POLLS: u8 = 2;

/// Tells busy waiting from work.
pub struct ProgressClassifier {
    loop_control: LoopControl,
    /// By cell: its value decides something.
    matters: Vec<bool>,
    /// By cell: several tasks could see it change, but nobody ever changes it.
    fixed: Vec<bool>,
}

impl ProgressClassifier {
    pub fn new(program: &Program) -> ProgressClassifier {
        // A loop whose exit is never taken, whatever happens, has none.
        let mut folded = program.clone();
        passes::fold_constants(&mut folded);
        ProgressClassifier {
            loop_control: LoopControl::new(&folded),
            matters: passes::cells_that_matter(&folded),
            fixed: never_changes(program),
        }
    }

    /// Whether a step from `before` is progress, or looks at something again.
    pub fn of(&self, program: &Program, access: &Access, outcome: &Successor, before: &State) -> u8 {
        let mut flags = 0;
        match &program.node(outcome.step.loc).action {
            Action::Select { otherwise: None, .. }
            | Action::EndAccept { .. }
            | Action::Activate { .. }
            | Action::Complete { .. }
            | Action::Await { .. }
            | Action::Terminate
            | Action::Abort { .. }
            | Action::Async { .. } => flags |= PROGRESS,
            // A call that is requeued and comes back for ever to where it was looks at barriers, and gets nowhere.
            Action::Requeue { .. } => flags |= POLLS,
            // The end of a protected action is progress if it lets somebody go on.
            Action::Unlock { .. } => {
                if matches!(outcome.step.what, StepEvent::Released { served: Some(_), .. }) {
                    flags |= PROGRESS;
                }
            }
            Action::EntryCall { .. } | Action::Select { .. } => {
                flags |= match outcome.step.what {
                    StepEvent::Otherwise => POLLS,
                    _ => PROGRESS,
                };
            }
            Action::Assign { .. } | Action::Branch { .. } | Action::Call { .. } | Action::Return => {
                let mut reads = Vec::new();
                let mut writes = Vec::new();
                if before.tasks[outcome.step.task.index()].pc == outcome.step.loc {
                    touched(program, access, before, outcome.step.task, &mut reads, &mut writes);
                }
                let mut writes: Vec<VarId> = writes.into_iter().map(|w| w.0).collect();
                let mut looks = !reads.is_empty();
                if let Action::Branch { cond, .. } = &program.node(outcome.step.loc).action {
                    // A condition that also looks at something else is folded to that part.
                    let (mut some, mut all) = (false, true);
                    cond.each_cell(program, &mut |cell| {
                        some |= self.fixed[cell.index()];
                        all &= self.fixed[cell.index()];
                    });
                    looks |= some && all;
                }
                if looks && self.loop_control.repeats(outcome.step.loc) {
                    flags |= POLLS;
                }
                // What decides nothing is of no use; what is not followed may change.
                let changes = |v: &VarId| {
                    self.matters[v.index()]
                        && (program.vars[v.index()].domain == Domain::Opaque
                            || outcome.state.vars[v.index()] != before.vars[v.index()])
                };
                let mut component = |v: VarId| {
                    if matches!(program.vars[v.index()].storage, Storage::Component(_)) {
                        writes.push(v);
                    }
                };
                let site = before.tasks[outcome.step.task.index()].frames.last().map(|f| f.site);
                match (&program.node(outcome.step.loc).action, site) {
                    (Action::Return, Some(site)) => {
                        each_written(program, &program.node(site).action, &mut component);
                    }
                    (action, _) => each_written(program, action, &mut component),
                }
                if writes.iter().any(changes) {
                    flags |= PROGRESS;
                }
            }
            // A choice decides as little as what it chooses.
            action @ Action::Havoc { .. } => each_written(program, action, |cell| {
                if self.matters[cell.index()] {
                    flags |= PROGRESS;
                }
            }),
            _ => {}
        }
        flags
    }
}

/// Two tasks about to access one variable, one of them writing.
pub fn races(program: &Program, access: &Access, state: &State, mut found: impl FnMut(Observation)) {
    let mut all: Vec<(TaskId, Loc, Vec<Touch>, Vec<Touch>)> = Vec::new();
    for (t, ts) in state.tasks.iter().enumerate() {
        if !matches!(ts.status, Status::Active | Status::Activating) || ts.wait != Wait::Nothing {
            continue;
        }
        // An abort that must take effect comes before anything else.
        if ts.due && !state.defers_abort(TaskId::from(t)) {
            continue;
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        touched(program, access, state, TaskId::from(t), &mut reads, &mut writes);
        if !reads.is_empty() || !writes.is_empty() {
            all.push((TaskId::from(t), ts.pc, reads, writes));
        }
    }
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            for (var, _) in a.3.iter().chain(&a.2) {
                let of = |list: &[Touch]| list.iter().find(|t| t.0 == *var).map(|t| t.1);
                let ((wa, ra), (wb, rb)) = ((of(&a.3), of(&a.2)), (of(&b.3), of(&b.2)));
                // One of them writes; the other one writes or reads. Which is certain counts more.
                let pairs = [(wa, wb), (wa, rb), (ra, wb)];
                let both = pairs.into_iter().filter_map(|(a, b)| a.zip(b)).map(|(a, b)| a && b).max();
                if let Some(certain) = both {
                    let writes = (wa.is_some(), wb.is_some());
                    found(Observation::Race {
                        var: *var,
                        first: (a.0, a.1),
                        second: (b.0, b.1),
                        writes,
                        certain,
                    });
                }
            }
        }
    }
}

pub fn alive(status: Status) -> bool {
    matches!(status, Status::Activating | Status::Active | Status::Completed)
}
