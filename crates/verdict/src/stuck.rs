//! Tasks that can never continue although others can, by an argument over the code.
//!
//! Search finds such tasks in the bottom strongly connected components of the state graph. `directed` does not have the
//! whole graph, and a component may be too large to look at. This file asks instead which set of waiting tasks
//! justifies itself. It assumes that none of them ever continues, and that certain closed barriers never open, and
//! collects what all other tasks may still do under that assumption: which variables they write, which entries they
//! call. If nothing of that ends one of the waits or opens one of the barriers, the assumption is true. Otherwise what
//! does not fit is taken out, and the rest is tried again.
//!
//! This is a greatest fixpoint. It is sound by induction over the steps of any continuation: the first step that
//! contradicted the assumption would be a step of another task, made while the assumption still held, and all of those
//! were collected. The set that is left is the largest that the argument can justify.
//!
//! Code is followed without data, and a call of an entry that is never served ends a path. The argument is not
//! attempted if the program has aborts or asynchronous selects, or if the other tasks may reach something that is not
//! modelled; timed calls and selects with a delay never count as stuck. It says nothing if none of the tasks is in a
//! call.

use std::collections::BTreeSet;

use rendez_model::code::each_written;
use rendez_model::semantics::Semantics;
use rendez_model::state::{State, Status, Wait};
use rendez_model::{Action, CallMode, EntryId, Expr, Loc, Owner, Program, TaskId, Trigger, Value, VarId};

use crate::observation::alive;

/// The tasks that can never go on, whatever the others do; none if nobody of them is in a call.
pub fn stuck(semantics: &Semantics, state: &State) -> Vec<TaskId> {
    let program = semantics.program;
    let in_call = |t: &TaskId| matches!(state.tasks[t.index()].wait, Wait::Queued { .. });
    if !(0..state.tasks.len()).map(TaskId::from).any(|t| in_call(&t))
        || program.nodes.iter().any(|n| matches!(n.action, Action::Abort { .. } | Action::Async { .. }))
    {
        return Vec::new();
    }
    let mut held = Held { semantics, state, tasks: BTreeSet::new(), shut: BTreeSet::new() };
    held.tasks = (0..state.tasks.len()).map(TaskId::from).filter(|t| held.may_be_stuck(*t)).collect();
    held.shut = (0..program.entries.len()).map(EntryId::from).filter(|e| held.is_shut(*e)).collect();
    loop {
        if !held.tasks.iter().any(in_call) {
            return Vec::new();
        }
        let closed = held.closed_entries();
        let uses = held.uses(&closed);
        if uses.anything {
            return Vec::new();
        }
        let shut: BTreeSet<EntryId> =
            held.shut.iter().copied().filter(|e| held.stays_shut(*e, &uses)).collect();
        let tasks: BTreeSet<TaskId> =
            held.tasks.iter().copied().filter(|t| held.stays(*t, &shut, &uses)).collect();
        let before = (held.tasks.len(), held.shut.len());
        (held.tasks, held.shut) = (tasks, shut);
        if (held.tasks.len(), held.shut.len()) == before {
            return held.tasks.into_iter().collect();
        }
    }
}

struct Held<'a, 'p> {
    semantics: &'a Semantics<'p>,
    state: &'a State,
    /// Taken never to go on.
    tasks: BTreeSet<TaskId>,
    /// Entries of objects whose barriers are taken never to open.
    shut: BTreeSet<EntryId>,
}

/// What the other tasks may still do.
#[derive(Default)]
struct Uses {
    written: BTreeSet<VarId>,
    called: BTreeSet<EntryId>,
    objects_closed: bool,
    /// Something that is not modelled.
    anything: bool,
}

impl Held<'_, '_> {
    fn program(&self) -> &Program {
        self.semantics.program
    }

    /// Whether a task waits and cannot go on by itself.
    fn may_be_stuck(&self, task: TaskId) -> bool {
        let ts = &self.state.tasks[task.index()];
        if !alive(ts.status) || ts.aborted || self.is_abortable(task) {
            return false;
        }
        match (ts.wait, &self.program().node(ts.pc).action) {
            // A timed call may be given up.
            (Wait::Queued { cancellable, .. }, action) => {
                !cancellable || matches!(action, Action::EntryCall { mode: CallMode::Plain, .. })
            }
            (Wait::Rendezvous { .. }, _) => true,
            (Wait::Select { open }, Action::Select { alternatives, delays, .. }) => {
                !(0..delays.len()).any(|d| open.get(alternatives.len() + d))
            }
            (Wait::Nothing, Action::Await { masters, .. }) => {
                !self.semantics.dependents(self.state, masters).is_empty()
            }
            _ => false,
        }
    }

    /// Whether a task is in an abortable part, or depends on one that is: it is aborted when that part is left.
    fn is_abortable(&self, mut task: TaskId) -> bool {
        loop {
            if !self.state.tasks[task.index()].transfers.is_empty() {
                return true;
            }
            let Some(master) = self.program().tasks[task.index()].master else { return false };
            task = self.program().masters[master.index()].owner;
        }
    }

    /// Entries that are never served: those of held tasks, and those that are shut.
    fn closed_entries(&self) -> BTreeSet<EntryId> {
        let mut closed = self.shut.clone();
        for task in &self.tasks {
            closed.extend(self.semantics.entries_of_task(*task));
        }
        closed
    }

    /// Whether nobody changes what a barrier looks at.
    fn stays_shut(&self, entry: EntryId, uses: &Uses) -> bool {
        let mut opens = uses.objects_closed;
        if let Some(barrier) = &self.program().entries[entry.index()].barrier {
            barrier.each_cell(self.program(), &mut |cell| opens |= uses.written.contains(&cell));
        }
        !opens
    }

    /// Whether a barrier is closed for certain, and looks at variables only.
    fn is_shut(&self, entry: EntryId) -> bool {
        let Some(barrier) = &self.program().entries[entry.index()].barrier else { return false };
        let mut plain = true;
        barrier.walk(&mut |e| {
            plain &= !matches!(e, Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_));
        });
        // A barrier that raises an exception fails all calls.
        let fails = match self.program().entries[entry.index()].owner {
            Owner::Object(object) => self.program().a_barrier_may_raise(object),
            Owner::Task(_) => false,
        };
        plain && !fails && self.program().eval(self.state, barrier) == Ok(Value::Known(0))
    }

    /// What everybody else may still do. A call of an entry that is never served is the end.
    fn uses(&self, closed: &BTreeSet<EntryId>) -> Uses {
        let program = self.program();
        let mut uses = Uses::default();
        for (t, ts) in self.state.tasks.iter().enumerate() {
            let task = TaskId::from(t);
            if self.tasks.contains(&task) || ts.status == Status::Terminated {
                continue;
            }
            let mut work: Vec<Loc> = vec![program.tasks[t].exit];
            match (ts.wait, &program.node(ts.pc).action) {
                // A task that waits goes on behind its call, if the call may be served.
                (Wait::Queued { .. } | Wait::Rendezvous { .. }, action) => {
                    action.each_successor(|l| work.push(l));
                    work.extend(program.handlers_at(ts.pc).map(|c| c.1));
                    if let Action::EntryCall { entry, .. } = action {
                        for e in program.possible_entries(entry) {
                            work.extend(body(program, task, e));
                        }
                    }
                    // Or in the body of an entry that it was requeued to.
                    if let Wait::Queued { entry, .. } = ts.wait {
                        work.extend(body(program, task, entry));
                    }
                }
                _ => work.push(ts.pc),
            }
            for frame in &ts.frames {
                program.node(frame.site).action.each_successor(|l| work.push(l));
                work.extend(program.handlers_at(frame.site).map(|c| c.1));
                work.extend(frame.serving.map(|_| frame.site));
            }
            for transfer in &ts.transfers {
                program.node(transfer.site).action.each_successor(|l| work.push(l));
            }
            let mut seen = rustc_hash::FxHashSet::default();
            while let Some(loc) = work.pop() {
                if !seen.insert(loc) {
                    continue;
                }
                self.visit(task, loc, closed, &mut uses, &mut work);
            }
        }
        uses
    }

    fn visit(
        &self,
        task: TaskId,
        loc: Loc,
        closed: &BTreeSet<EntryId>,
        uses: &mut Uses,
        work: &mut Vec<Loc>,
    ) {
        let program = self.program();
        let action = &program.node(loc).action;
        each_written(program, action, |cell| {
            uses.written.insert(cell);
        });
        match action {
            Action::EntryCall { entry, mode, .. } => {
                let entries = program.possible_entries(entry);
                uses.called.extend(&entries);
                if *mode == CallMode::Plain && entries.iter().all(|e| closed.contains(e)) {
                    return;
                }
                work.extend(entries.iter().filter_map(|e| body(program, task, *e)));
            }
            Action::Requeue { entry, .. } | Action::Async { trigger: Trigger::Call { entry, .. }, .. } => {
                let entries = program.possible_entries(entry);
                uses.called.extend(&entries);
                // The call of somebody else may be the one that is requeued.
                for t in (0..program.tasks.len()).map(TaskId::from) {
                    work.extend(entries.iter().filter_map(|e| body(program, t, *e)));
                }
            }
            Action::Call { proc, .. } => work.push(program.procs[proc.index()].start),
            Action::Close { .. } => uses.objects_closed = true,
            Action::Unsupported { .. } => uses.anything = true,
            _ => {}
        }
        action.each_successor(|l| work.push(l));
        work.extend(program.handlers_at(loc).map(|c| c.1));
    }

    /// Whether nothing ends the wait of a task.
    fn stays(&self, task: TaskId, shut: &BTreeSet<EntryId>, uses: &Uses) -> bool {
        let ts = &self.state.tasks[task.index()];
        match (ts.wait, &self.program().node(ts.pc).action) {
            (Wait::Queued { entry, .. }, _) => match self.program().entries[entry.index()].owner {
                Owner::Task(owner) => {
                    self.tasks.contains(&owner)
                        && !self.semantics.open_entries(self.state, owner).contains(&entry)
                }
                Owner::Object(_) => shut.contains(&entry),
            },
            (Wait::Rendezvous { acceptor }, _) => self.tasks.contains(&acceptor),
            (Wait::Select { .. }, _) => {
                let open = self.semantics.open_entries(self.state, task);
                // Whoever may terminate does not while a call waits for it.
                let ends = self.semantics.at_terminate(self.state, task)
                    && self
                        .semantics
                        .entries_of_task(task)
                        .iter()
                        .all(|e| self.state.queues[e.index()].is_empty());
                !ends && !open.iter().any(|e| uses.called.contains(e))
            }
            (Wait::Nothing, Action::Await { masters, .. }) => {
                self.semantics.dependents(self.state, masters).iter().any(|t| self.tasks.contains(t))
            }
            _ => false,
        }
    }
}

fn body(program: &Program, task: TaskId, entry: EntryId) -> Option<Loc> {
    program.bodies.get(&(task, entry)).map(|proc| program.procs[proc.index()].start)
}
