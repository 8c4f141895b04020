//! Symmetries: renamings of tasks, and with them of entries, objects, cells and code, that leave a program as it is.
//!
//! Such a renaming is an automorphism of the program, so it maps executions to executions; what that is good for is
//! told in `rendez_reach::symmetry` (Ip and Dill; Emerson and Sistla; Clarke, Enders, Filkorn and Jha, all 1996).
//! There, symmetry is declared by the user or given by process types. In an Ada program, alike tasks may be of one
//! type, or written out with different neighbours, so it is found here.
//!
//! A candidate says where a few tasks go. What follows from that is found by walking the code of a task and of its
//! image in step: a name in one goes to the name in the other at the same place, and a contradiction ends the attempt.
//! Everything else stays. Then the whole program is renamed and compared with itself, so no argument about the walk is
//! needed: what comes out is a symmetry or is rejected. Candidates are exchanges of two tasks of the same shape, each
//! with a few of the next; if a class has none, rotations of the class as a ring.
//!
//! Code that stays and does not come out the same, like that of a main program that starts one task after the other, is
//! no obstacle once no task can come there any more. The symmetry holds from then on, in states in which nobody can;
//! that is noted by location.
//!
//! A monitor may tell alike tasks apart, so programs with monitors have no symmetries here, and neither have those with
//! allocators. Entries and tasks whose numbers are computed must stay where they are.

mod compare;
mod matching;
mod names;

use rendez_model::code::task_code;
use rendez_model::program::*;
use rendez_model::state::{Caller, Frame, Lock, Pending, Rendezvous, State, TaskState, Transfer, Wait};

use matching::Matching;
use names::Name;

/// Where everything goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// By kind of name and number.
    to: [Vec<u32>; KINDS],
}

/// A permutation that leaves the program as it is, from the moment when nobody can come to certain
/// places any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    pub permutation: Permutation,
    /// By location: whether a task there may still come to such a place. Empty if there are none.
    pub too_early: Vec<bool>,
}

const KINDS: usize = 8;

impl Permutation {
    fn of(&self, kind: Name, number: u32) -> u32 {
        self.to[kind as usize][number as usize]
    }

    pub fn task(&self, task: TaskId) -> TaskId {
        TaskId(self.of(Name::Task, task.0))
    }

    pub fn entry(&self, entry: EntryId) -> EntryId {
        EntryId(self.of(Name::Entry, entry.0))
    }

    pub fn object(&self, object: ObjectId) -> ObjectId {
        ObjectId(self.of(Name::Object, object.0))
    }

    pub fn var(&self, var: VarId) -> VarId {
        VarId(self.of(Name::Var, var.0))
    }

    fn loc(&self, loc: Loc) -> Loc {
        Loc(self.of(Name::Loc, loc.0))
    }

    fn caller(&self, caller: Caller) -> Caller {
        Caller { task: self.task(caller.task), ..caller }
    }

    pub fn is_identity(&self) -> bool {
        self.to[Name::Task as usize].iter().enumerate().all(|(i, t)| i == *t as usize)
    }

    /// First another permutation, then this one.
    #[must_use]
    pub fn after(&self, first: &Permutation) -> Permutation {
        let then = |k: usize| first.to[k].iter().map(|n| self.to[k][*n as usize]).collect();
        Permutation { to: std::array::from_fn(then) }
    }

    /// Back from where everything went.
    #[must_use]
    pub fn inverse(&self) -> Permutation {
        let back = |k: usize| {
            let mut back = vec![0; self.to[k].len()];
            self.to[k].iter().enumerate().for_each(|(i, n)| back[*n as usize] = i as u32);
            back
        };
        Permutation { to: std::array::from_fn(back) }
    }

    pub fn identity(program: &Program) -> Permutation {
        Permutation { to: sizes(program).map(|n| (0..n as u32).collect()) }
    }

    pub fn task_state(&self, ts: &TaskState) -> TaskState {
        let wait = match ts.wait {
            Wait::Queued { entry, cancellable } => Wait::Queued { entry: self.entry(entry), cancellable },
            Wait::Rendezvous { acceptor } => Wait::Rendezvous { acceptor: self.task(acceptor) },
            other => other,
        };
        let frame = |f: &Frame| Frame {
            site: self.loc(f.site),
            proc: ProcId(self.of(Name::Proc, f.proc.0)),
            saved: f.saved.clone(),
            serving: f.serving.map(|c| self.caller(c)),
        };
        let accept = |r: &Rendezvous| Rendezvous {
            caller: self.caller(r.caller),
            entry: self.entry(r.entry),
            site: self.loc(r.site),
            alternative: r.alternative,
        };
        let trigger = |trigger: Pending| match trigger {
            Pending::Queued { entry, cancellable } => {
                Pending::Queued { entry: self.entry(entry), cancellable }
            }
            other => other,
        };
        let transfer = |t: &Transfer| Transfer { site: self.loc(t.site), trigger: trigger(t.trigger), ..*t };
        TaskState {
            pc: self.loc(ts.pc),
            wait,
            frames: ts.frames.iter().map(frame).collect(),
            accepts: ts.accepts.iter().map(accept).collect(),
            transfers: ts.transfers.iter().map(transfer).collect(),
            ..ts.clone()
        }
    }

    pub fn queue(&self, queue: &[Caller]) -> Vec<Caller> {
        queue.iter().map(|c| self.caller(*c)).collect()
    }

    pub fn lock(&self, lock: Lock) -> Lock {
        match lock {
            Lock::Write(task) => Lock::Write(self.task(task)),
            other => other,
        }
    }

    pub fn state(&self, state: &State) -> State {
        let mut to = state.clone();
        for v in 0..state.vars.len() {
            to.vars[self.var(VarId::from(v)).index()] = *state.vars.peek(v);
        }
        for t in 0..state.tasks.len() {
            to.tasks[self.task(TaskId::from(t)).index()] = self.task_state(state.tasks.peek(t));
        }
        for e in 0..state.queues.len() {
            to.queues[self.entry(EntryId::from(e)).index()] = self.queue(state.queues.peek(e));
        }
        for o in 0..state.locks.len() {
            to.locks[self.object(ObjectId::from(o)).index()] = self.lock(*state.locks.peek(o));
        }
        to
    }
}

/// How many there are of each kind.
fn sizes(program: &Program) -> [usize; KINDS] {
    [
        program.tasks.len(),
        program.entries.len(),
        program.objects.len(),
        program.vars.len(),
        program.nodes.len(),
        program.procs.len(),
        program.masters.len(),
        program.handlers.len(),
    ]
}

/// Symmetries of a program: exchanges of two tasks; where a set of alike tasks has none, turns of
/// the set as a ring.
pub fn symmetries(program: &Program) -> Vec<Symmetry> {
    let code: Vec<Vec<Loc>> = (0..program.tasks.len()).map(|t| task_code(program, TaskId::from(t))).collect();
    let allocates = |l: &Loc| matches!(program.node(*l).action, Action::Allocate { .. });
    // A monitor may tell alike tasks apart.
    if !program.monitors.is_empty() || code.iter().flatten().any(allocates) {
        return Vec::new();
    }
    // Alike at first sight.
    let mut alike: Vec<(Vec<std::mem::Discriminant<Action>>, Vec<TaskId>)> = Vec::new();
    for (t, code) in code.iter().enumerate().skip(1) {
        let shape = code.iter().map(|l| std::mem::discriminant(&program.node(*l).action)).collect();
        match alike.iter_mut().find(|a| a.0 == shape) {
            Some(class) => class.1.push(TaskId::from(t)),
            None => alike.push((shape, vec![TaskId::from(t)])),
        }
    }
    let mut found: Vec<Symmetry> = Vec::new();
    let add = |symmetry: Symmetry, found: &mut Vec<Symmetry>| {
        if !found.contains(&symmetry) {
            found.push(symmetry);
        }
    };
    for (_, class) in &alike {
        let before = found.len();
        for (i, a) in class.iter().enumerate() {
            let others = class[i + 1..].iter().take(3);
            let swap = others.filter_map(|b| Matching::new(program).complete(&code, &[(*a, *b), (*b, *a)]));
            if let Some(swap) = swap.into_iter().next() {
                add(swap, &mut found);
            }
        }
        if found.len() == before && (3..=LARGEST_RING).contains(&class.len()) {
            let turn: Vec<(TaskId, TaskId)> =
                (0..class.len()).map(|i| (class[i], class[(i + 1) % class.len()])).collect();
            if let Some(turn) = Matching::new(program).complete(&code, &turn) {
                let mut power = turn.clone();
                while !power.permutation.is_identity() {
                    add(power.clone(), &mut found);
                    power.permutation = turn.permutation.after(&power.permutation);
                }
            }
        }
    }
    found
}

/// Rings of more tasks are not looked at.
const LARGEST_RING: usize = 128;
