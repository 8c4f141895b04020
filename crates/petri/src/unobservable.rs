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
use rendez_model::{Action, CallMode, EntryId, Expr, Node, Owner, Program, Storage, TaskId, Trigger, VarId};

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
        let mut found = Observers {
            program,
            access,
            entry: vec![true; program.entries.len()],
            only_plain_calls: vec![true; program.entries.len()],
            no_interrupts: true,
        };
        for e in tracked_queues {
            found.entry[e.index()] = false;
        }
        found.actions();
        found.expressions();
        found.barriers();
        if !found.no_interrupts {
            found.entry.fill(false);
        }
        let select = found.selects();
        let completion = found.completions();
        let Observers { entry, no_interrupts, .. } = found;
        let background = program.tasks.iter().any(|t| t.background);
        let activators = activators(program, access);
        Unobservable { entry, select, no_interrupts, completion, activators, background }
    }
}

/// What observes that somebody waits, in the making.
struct Observers<'p> {
    program: &'p Program,
    access: &'p Access,
    /// As in [`Unobservable`].
    entry: Vec<bool>,
    no_interrupts: bool,
    /// All calls of the entry are plain ones.
    only_plain_calls: Vec<bool>,
}

impl Observers<'_> {
    fn observe(&mut self, e: &Expr) {
        each(self.program, e, |e| self.entry[e.index()] = false);
    }

    /// Actions that observe queues, or interrupt tasks.
    fn actions(&mut self) {
        let program = self.program;
        for node in &program.nodes {
            match &node.action {
                Action::Abort { .. } | Action::Async { .. } => self.no_interrupts = false,
                Action::Close { object, .. } => {
                    for (i, e) in program.entries.iter().enumerate() {
                        self.entry[i] &= e.owner != Owner::Object(*object);
                    }
                }
                Action::Requeue { entry: e, .. } => self.observe(e),
                Action::EntryCall { entry: e, mode, .. } => {
                    if !steady(program, self.access, e) {
                        self.observe(e);
                    }
                    if *mode != CallMode::Plain {
                        each(program, e, |e| self.only_plain_calls[e.index()] = false);
                    }
                }
                _ => {}
            }
            if let Action::Async { trigger: Trigger::Call { entry: e, .. }, .. } = &node.action {
                self.observe(e);
            }
        }
    }

    /// Attributes that observe queues or tasks, in actions and barriers.
    fn expressions(&mut self) {
        let program = self.program;
        let mut exprs: Vec<&Expr> = program.entries.iter().filter_map(|e| e.barrier.as_ref()).collect();
        program.nodes.iter().for_each(|node| node.action.each_expr(&mut |e| exprs.push(e)));
        for e in exprs {
            e.walk(&mut |e| match e {
                Expr::Count(e) => self.observe(e),
                Expr::Callable(_) | Expr::Terminated(_) => self.no_interrupts = false,
                _ => {}
            });
        }
    }

    /// A barrier that looks beyond its object, or that may raise, treats queued calls and later
    /// ones differently; and so does a bound on the length of queues.
    fn barriers(&mut self) {
        let (program, access) = (self.program, self.access);
        for (i, e) in program.entries.iter().enumerate() {
            if let (Owner::Object(object), Some(barrier)) = (e.owner, &e.barrier) {
                let mut own = !barrier.may_raise(program);
                barrier.each_cell(program, &mut |cell| {
                    let var = &program.vars[cell.index()];
                    own &= var.storage == Storage::Component(object) || !access.shared[cell.index()];
                });
                if !own {
                    for (j, other) in program.entries.iter().enumerate() {
                        self.entry[j] &= other.owner != e.owner;
                    }
                }
            }
            if matches!(e.owner, Owner::Object(_)) && program.queue_limit.is_some() {
                self.entry[i] = false;
            }
        }
    }

    /// What monitors watch for.
    fn watched(&self) -> impl Iterator<Item = &EventPattern> {
        self.program.monitors.iter().flat_map(|m| &m.watch).map(|(h, _)| h)
    }

    /// By location: nobody can tell whether the task waits at the select or has not come there.
    fn selects(&self) -> Vec<bool> {
        let program = self.program;
        let unobservable = |node: &Node| {
            let looks = |h: &EventPattern| {
                matches!(h, EventPattern::Test { .. }) && h.may_happen_at(program, &node.action)
            };
            let seen = self.watched().any(looks);
            let mut unobservable =
                self.no_interrupts && !seen && matches!(node.action, Action::Select { .. });
            if unobservable {
                node.action.each_expr(&mut |e| unobservable &= steady(program, self.access, e));
            }
            unobservable
        };
        program.nodes.iter().map(unobservable).collect()
    }

    /// By task: that it completes can be observed only by plain callers and by its master.
    fn completions(&self) -> Vec<bool> {
        let ends_count = self.watched().any(|h| matches!(h, EventPattern::Start(_) | EventPattern::End(_)));
        let mut completion = vec![self.no_interrupts && !ends_count; self.program.tasks.len()];
        for (i, e) in self.program.entries.iter().enumerate() {
            if let Owner::Task(owner) = e.owner {
                completion[owner.index()] &= self.entry[i] && self.only_plain_calls[i];
            }
        }
        completion
    }
}

/// By task: the tasks that may activate it.
fn activators(program: &Program, access: &Access) -> Vec<Vec<TaskId>> {
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
    activators
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
