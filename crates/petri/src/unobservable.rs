//! Unobservable waits: which queues need not be tracked.
//!
//! A task that calls an entry waits in a queue until it is accepted. Unless something observes the queue, a call that
//! waits cannot be told from one that is not made yet, and a task that waits at an accept statement cannot be told from
//! one that has not come there. Then both meet in one step, queues stay empty, and the many states that differ only in
//! who waits already become one. This is the synchronous communication of task interaction graphs (Long and Clarke,
//! ICSE 1989; Young et al., 1995, section 3.2), which argue in the same way that the order of queues does not matter.
//! There it is a property of the model; here it is a reduction, applied to those entries for which it is exact.
//!
//! What observes a queue: 'Count, a requeue, an abort, an asynchronous select, a bound on lengths, a barrier that looks
//! beyond its object or may raise an exception, and a caller whose choice of an entry others can change in the
//! meantime. What observes a waiting server: a guard that others can change, or one that a property tests. 'Callable
//! and 'Terminated observe everything. Whether the completion of a task can be observed otherwise than by plain callers
//! and by its master is decided here, too.
//!
//! A barrier may turn out to be unknown only during a search. Its entry is then reported, and the search begins again
//! with that queue tracked.
//!
//! What is lost are states between a call and its acceptance, in which it is already decided that the call is accepted.
//! No check can tell, nor can a formula that speaks only of all executions, or only of some. Formulas that mix both,
//! and fairness, can tell: they are decided with all waits as steps of their own. An earlier version decided formulas
//! of the first kind without those states: a wrong *holds* (docs/soundness.md).

use rendez_analysis::access::Access;
use rendez_model::monitor::EventPattern;
use rendez_model::{Action, CallMode, EntryId, Expr, Owner, Program, Storage, TaskId, Trigger, VarId};

/// Static facts about waiting.
pub struct Unobservable {
    /// Nobody can tell whether a call of the entry is queued or not made yet.
    pub entry: Vec<bool>,
    /// By location: nobody can tell whether the task waits at the select or has not come there.
    pub select: Vec<bool>,
    /// No task is aborted or interrupted, and nobody asks whether a task is callable or done.
    pub no_interrupts: bool,
    /// By task: that it completes can be observed only by plain callers and by its master.
    pub completion: Vec<bool>,
    /// By task: the tasks that may activate it.
    pub activators: Vec<Vec<TaskId>>,
    /// Some task belongs to the environment.
    pub background: bool,
}

impl Unobservable {
    /// `tracked_queues` are entries whose queues must be followed for other reasons.
    pub fn new(program: &Program, access: &Access, tracked_queues: &[EntryId]) -> Unobservable {
        let mut no_interrupts = true;
        let mut entry = vec![true; program.entries.len()];
        let mut only_plain_calls = vec![true; program.entries.len()];
        let mut exprs: Vec<&Expr> = program.entries.iter().filter_map(|e| e.barrier.as_ref()).collect();
        for e in tracked_queues {
            entry[e.index()] = false;
        }
        for node in &program.nodes {
            node.action.each_expr(&mut |e| exprs.push(e));
            match &node.action {
                Action::Abort { .. } | Action::Async { .. } => no_interrupts = false,
                Action::Close { object, .. } => {
                    for (i, e) in program.entries.iter().enumerate() {
                        entry[i] &= e.owner != Owner::Object(*object);
                    }
                }
                Action::Requeue { entry: e, .. } => each(program, e, |e| entry[e.index()] = false),
                Action::EntryCall { entry: e, mode, .. } => {
                    if !steady(program, access, e) {
                        each(program, e, |e| entry[e.index()] = false);
                    }
                    if *mode != CallMode::Plain {
                        each(program, e, |e| only_plain_calls[e.index()] = false);
                    }
                }
                _ => {}
            }
            if let Action::Async { trigger: Trigger::Call { entry: e, .. }, .. } = &node.action {
                each(program, e, |e| entry[e.index()] = false);
            }
        }
        for e in exprs {
            e.walk(&mut |e| match e {
                Expr::Count(e) => each(program, e, |e| entry[e.index()] = false),
                Expr::Callable(_) | Expr::Terminated(_) => no_interrupts = false,
                _ => {}
            });
        }
        // A barrier that looks beyond its object, or that may raise, treats queued calls and later
        // ones differently; and so does a bound on the length of queues.
        for (i, e) in program.entries.iter().enumerate() {
            if let (Owner::Object(object), Some(barrier)) = (e.owner, &e.barrier) {
                let mut own = !barrier.may_raise(program);
                barrier.each_cell(program, &mut |cell| {
                    let var = &program.vars[cell.index()];
                    own &= var.storage == Storage::Component(object) || !access.shared[cell.index()];
                });
                if !own {
                    for (j, other) in program.entries.iter().enumerate() {
                        entry[j] &= other.owner != e.owner;
                    }
                }
            }
            if matches!(e.owner, Owner::Object(_)) && program.queue_limit.is_some() {
                entry[i] = false;
            }
        }
        if !no_interrupts {
            entry.fill(false);
        }
        let watched: Vec<&EventPattern> =
            program.monitors.iter().flat_map(|m| &m.watch).map(|(h, _)| h).collect();
        let select = program
            .nodes
            .iter()
            .map(|node| {
                let looks = |h: &EventPattern| {
                    matches!(h, EventPattern::Test { .. }) && h.may_happen_at(program, &node.action)
                };
                let seen = watched.iter().any(|h| looks(h));
                let mut unobservable = no_interrupts && !seen && matches!(node.action, Action::Select { .. });
                if unobservable {
                    node.action.each_expr(&mut |e| unobservable &= steady(program, access, e));
                }
                unobservable
            })
            .collect();
        let ends_count = watched.iter().any(|h| matches!(h, EventPattern::Start(_) | EventPattern::End(_)));
        let mut completion = vec![no_interrupts && !ends_count; program.tasks.len()];
        for (i, e) in program.entries.iter().enumerate() {
            if let Owner::Task(owner) = e.owner {
                completion[owner.index()] &= entry[i] && only_plain_calls[i];
            }
        }
        let mut activators = vec![Vec::new(); program.tasks.len()];
        for (t, code) in access.code.iter().enumerate() {
            for loc in code {
                let Action::Activate { tasks, .. } = &program.node(*loc).action else { continue };
                for e in tasks {
                    match e.constant() {
                        Some(child) => add(&mut activators[child as usize], TaskId::from(t)),
                        None => activators.iter_mut().for_each(|list| add(list, TaskId::from(t))),
                    }
                }
            }
        }
        let background = program.tasks.iter().any(|t| t.background);
        Unobservable { entry, select, no_interrupts, completion, activators, background }
    }
}

fn add(list: &mut Vec<TaskId>, task: TaskId) {
    if !list.contains(&task) {
        list.push(task);
    }
}

fn each(program: &Program, e: &Expr, f: impl FnMut(EntryId)) {
    program.possible_entries(e).into_iter().for_each(f);
}

/// Whether only the task itself can change the value of an expression.
fn steady(program: &Program, access: &Access, e: &Expr) -> bool {
    let mut steady = true;
    e.each_cell(program, &mut |cell: VarId| {
        let component = matches!(program.vars[cell.index()].storage, Storage::Component(_));
        steady &= !access.shared[cell.index()] && !component;
    });
    e.walk(&mut |e| steady &= !matches!(e, Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_)));
    steady
}
