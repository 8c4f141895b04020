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

use rendez_model::code::{closure, task_code};
use rendez_model::expr::{Expr, Place};
use rendez_model::program::*;
use rendez_model::state::{Caller, Frame, Lock, Pending, Rendezvous, State, TaskState, Transfer, Wait};

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

/// What a number in an action names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Task,
    Entry,
    Object,
    Var,
    Loc,
    Proc,
    Master,
    Handler,
    /// A table of cells.
    Cells,
    /// A table of constants.
    Constants,
    /// A task, or master, of several whose order does not matter.
    AnyTask,
    AnyMaster,
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
const NOWHERE: u32 = u32::MAX;

/// A permutation that is being made.
struct Matching<'p> {
    program: &'p Program,
    to: [Vec<u32>; KINDS],
    from: [Vec<u32>; KINDS],
    work: Vec<(Loc, Loc)>,
}

impl<'p> Matching<'p> {
    fn new(program: &'p Program) -> Self {
        let nowhere = || sizes(program).map(|n| vec![NOWHERE; n]);
        Matching { program, to: nowhere(), from: nowhere(), work: Vec::new() }
    }

    /// The permutation that follows from where these tasks go, if it is a symmetry.
    fn complete(mut self, code: &[Vec<Loc>], tasks: &[(TaskId, TaskId)]) -> Option<Symmetry> {
        for (a, b) in tasks {
            self.name(Name::Task, a.0, b.0)?;
        }
        while let Some((a, b)) = self.work.pop() {
            self.node(a, b)?;
        }
        for kind in 0..KINDS {
            for i in 0..self.to[kind].len() {
                if self.to[kind][i] == NOWHERE {
                    if self.from[kind][i] != NOWHERE {
                        return None;
                    }
                    self.to[kind][i] = i as u32;
                }
            }
        }
        let permutation = Permutation { to: self.to };
        let too_early = symmetric_from(self.program, code, &permutation)?;
        Some(Symmetry { permutation, too_early })
    }

    /// One thing goes to another, and with it what belongs to it. None if it cannot.
    fn name(&mut self, kind: Name, a: u32, b: u32) -> Option<()> {
        let p = self.program;
        match kind {
            Name::Cells => {
                let (a, b) = (&p.tables[a as usize], &p.tables[b as usize]);
                if a.first != b.first || a.values.len() != b.values.len() {
                    return None;
                }
                for (a, b) in a.values.iter().zip(&b.values) {
                    if *a < 0 || *b < 0 {
                        (a == b).then_some(())?;
                    } else {
                        self.name(Name::Var, *a as u32, *b as u32)?;
                    }
                }
                return Some(());
            }
            Name::Constants => {
                let (a, b) = (&p.tables[a as usize], &p.tables[b as usize]);
                return (a.first == b.first && a.values == b.values).then_some(());
            }
            // Compared in the end.
            Name::AnyTask | Name::AnyMaster => return Some(()),
            _ => {}
        }
        let k = kind as usize;
        let (i, j) = (a as usize, b as usize);
        if self.to[k].get(i)? == &b {
            return Some(());
        }
        if self.to[k][i] != NOWHERE || *self.from[k].get(j)? != NOWHERE {
            return None;
        }
        self.to[k][i] = b;
        self.from[k][j] = a;
        match kind {
            // What stays is looked at in the end.
            Name::Task if a == b => Some(()),
            Name::Task => {
                let (x, y) = (&p.tasks[i], &p.tasks[j]);
                self.loc(x.start, y.start)?;
                self.loc(x.exit, y.exit)?;
                self.optional(Name::Master, x.master.map(|m| m.0), y.master.map(|m| m.0))?;
                let own = |t: u32| -> Vec<u32> {
                    let masters = p.masters.iter().enumerate();
                    masters.filter(|(_, m)| m.owner.0 == t).map(|(i, _)| i as u32).collect()
                };
                self.all(Name::Master, own(a).into_iter(), own(b).into_iter())?;
                // Entry bodies that the tasks run for themselves.
                let bodies = |t: u32| -> (Vec<u32>, Vec<u32>) {
                    let of = p.bodies.range((TaskId(t), EntryId(0))..=(TaskId(t), EntryId(u32::MAX)));
                    of.map(|((_, e), body)| (e.0, body.0)).unzip()
                };
                let ((entries, procs), (others, theirs)) = (bodies(a), bodies(b));
                self.all(Name::Entry, entries.into_iter(), others.into_iter())?;
                self.all(Name::Proc, procs.into_iter(), theirs.into_iter())?;
                self.entries(Owner::Task(TaskId(a)), Owner::Task(TaskId(b)))?;
                self.vars(Storage::Local(TaskId(a)), Storage::Local(TaskId(b)))
            }
            Name::Object => {
                self.entries(Owner::Object(ObjectId(a)), Owner::Object(ObjectId(b)))?;
                self.vars(Storage::Component(ObjectId(a)), Storage::Component(ObjectId(b)))
            }
            Name::Entry => {
                let (x, y) = (&p.entries[i], &p.entries[j]);
                match (x.owner, y.owner) {
                    (Owner::Task(x), Owner::Task(y)) => self.name(Name::Task, x.0, y.0)?,
                    (Owner::Object(x), Owner::Object(y)) => self.name(Name::Object, x.0, y.0)?,
                    _ => return None,
                }
                match (&x.barrier, &y.barrier) {
                    (Some(x), Some(y)) => self.expr(x, y),
                    (None, None) => Some(()),
                    _ => None,
                }
            }
            Name::Var => match (p.vars[i].storage, p.vars[j].storage) {
                (Storage::Shared, Storage::Shared) => Some(()),
                (Storage::Local(x), Storage::Local(y)) => self.name(Name::Task, x.0, y.0),
                (Storage::Component(x), Storage::Component(y)) => self.name(Name::Object, x.0, y.0),
                _ => None,
            },
            Name::Proc => {
                let (x, y) = (&p.procs[i], &p.procs[j]);
                let cells = |p: &Proc| -> Vec<VarId> {
                    p.formals.iter().map(|f| f.cell).chain(p.locals.iter().copied()).collect()
                };
                self.loc(x.start, y.start)?;
                self.name(Name::Task, x.task.0, y.task.0)?;
                self.all(Name::Var, cells(x).iter().map(|v| v.0), cells(y).iter().map(|v| v.0))
            }
            Name::Master => {
                let (x, y) = (p.masters[i].owner, p.masters[j].owner);
                self.name(Name::Task, x.0, y.0)
            }
            Name::Handler => {
                let (x, y) = (&p.handlers[i], &p.handlers[j]);
                if x.choices.len() != y.choices.len() {
                    return None;
                }
                for ((c, l), (d, m)) in x.choices.iter().zip(&y.choices) {
                    (c == d).then_some(())?;
                    self.loc(*l, *m)?;
                }
                self.optional(Name::Var, x.occurrence.map(|v| v.0), y.occurrence.map(|v| v.0))?;
                self.optional(Name::Handler, x.outer.map(|h| h.0), y.outer.map(|h| h.0))
            }
            Name::Loc => {
                self.work.push((Loc(a), Loc(b)));
                Some(())
            }
            _ => Some(()),
        }
    }

    fn loc(&mut self, a: Loc, b: Loc) -> Option<()> {
        self.name(Name::Loc, a.0, b.0)
    }

    fn optional(&mut self, kind: Name, a: Option<u32>, b: Option<u32>) -> Option<()> {
        match (a, b) {
            (Some(a), Some(b)) => self.name(kind, a, b),
            (None, None) => Some(()),
            _ => None,
        }
    }

    fn all(
        &mut self,
        kind: Name,
        a: impl ExactSizeIterator<Item = u32>,
        b: impl ExactSizeIterator<Item = u32>,
    ) -> Option<()> {
        if a.len() != b.len() {
            return None;
        }
        a.zip(b).try_for_each(|(a, b)| self.name(kind, a, b))
    }

    fn entries(&mut self, a: Owner, b: Owner) -> Option<()> {
        let of = |owner: Owner| -> Vec<u32> {
            let all = self.program.entries.iter().enumerate();
            all.filter(|(_, e)| e.owner == owner).map(|(i, _)| i as u32).collect()
        };
        let (a, b) = (of(a), of(b));
        self.all(Name::Entry, a.into_iter(), b.into_iter())
    }

    fn vars(&mut self, a: Storage, b: Storage) -> Option<()> {
        let of = |storage: Storage| -> Vec<u32> {
            let all = self.program.vars.iter().enumerate();
            all.filter(|(_, v)| v.storage == storage).map(|(i, _)| i as u32).collect()
        };
        let (a, b) = (of(a), of(b));
        self.all(Name::Var, a.into_iter(), b.into_iter())
    }

    fn node(&mut self, a: Loc, b: Loc) -> Option<()> {
        let (x, y) = (self.program.node(a), self.program.node(b));
        self.optional(Name::Handler, x.handler.map(|h| h.0), y.handler.map(|h| h.0))?;
        let (left, right) = (skeleton(&x.action), skeleton(&y.action));
        (left.0 == right.0 && left.1.len() == right.1.len()).then_some(())?;
        for ((kind, a), (other, b)) in left.1.into_iter().zip(right.1) {
            (kind == other).then_some(())?;
            self.name(kind, a, b)?;
        }
        Some(())
    }

    fn expr(&mut self, a: &Expr, b: &Expr) -> Option<()> {
        let names = |e: &Expr| {
            let mut e = e.clone();
            let mut names = Vec::new();
            names_in(&mut e, None, &mut |kind, n| {
                names.push((kind, *n));
                *n = 0;
            });
            (e, names)
        };
        let ((a, left), (b, right)) = (names(a), names(b));
        (a == b && left.len() == right.len()).then_some(())?;
        for ((kind, a), (other, b)) in left.into_iter().zip(right) {
            (kind == other).then_some(())?;
            self.name(kind, a, b)?;
        }
        Some(())
    }
}

/// An action without its names, and the names.
fn skeleton(action: &Action) -> (Action, Vec<(Name, u32)>) {
    let mut action = action.clone();
    let mut names = Vec::new();
    each_name(&mut action, &mut |kind, n| {
        names.push((kind, *n));
        *n = 0;
    });
    (action, names)
}

/// What to do with a name: it may be changed.
type Visit<'v> = &'v mut dyn FnMut(Name, &mut u32);

/// Visits every name in an action, and forgets where it stands in the source.
fn each_name(action: &mut Action, f: Visit) {
    use Action::*;
    action.map_successors(|mut loc| {
        f(Name::Loc, &mut loc.0);
        loc
    });
    match action {
        Assign { to, value, .. } => {
            names_in_place(to, f);
            names_in(value, None, f);
        }
        Havoc { to, .. } => names_in_place(to, f),
        Allocate { pool, to, .. } => {
            pool.iter_mut().for_each(|t| f(Name::Task, &mut t.0));
            names_in_place(to, f);
        }
        Branch { cond, .. } | Assert { cond, .. } => names_in(cond, None, f),
        Call { proc, args, outs, .. } => {
            f(Name::Proc, &mut proc.0);
            args.iter_mut().for_each(|e| names_in(e, None, f));
            outs.iter_mut().for_each(|o| names_in_place(&mut o.1, f));
        }
        EntryCall { entry, args, .. } | Async { trigger: Trigger::Call { entry, args }, .. } => {
            names_in(entry, Some(Name::Entry), f);
            args.iter_mut().for_each(|v| f(Name::Var, &mut v.0));
        }
        Select { alternatives, delays, terminate, .. } => {
            for a in alternatives {
                a.span = Default::default();
                names_in(&mut a.entry, Some(Name::Entry), f);
                a.formals.iter_mut().for_each(|p| f(Name::Var, &mut p.cell.0));
                if let Some(guard) = &mut a.guard {
                    names_in(guard, None, f);
                }
            }
            delays.iter_mut().filter_map(|d| d.0.as_mut()).for_each(|e| names_in(e, None, f));
            if let Some(Some(guard)) = terminate {
                names_in(guard, None, f);
            }
        }
        FailAccept { occurrence } | Resume { occurrence } => f(Name::Var, &mut occurrence.0),
        Requeue { entry, .. } => names_in(entry, Some(Name::Entry), f),
        Lock { object, .. } | Unlock { object, .. } | Close { object, .. } => f(Name::Object, &mut object.0),
        Activate { tasks, .. } | Abort { tasks, .. } => {
            tasks.iter_mut().for_each(|e| names_in(e, Some(Name::AnyTask), f));
            tasks.sort_by_key(Expr::constant);
        }
        Abandon { tasks, .. } => {
            tasks.iter_mut().for_each(|t| f(Name::AnyTask, &mut t.0));
            tasks.sort();
        }
        Await { masters, .. } => {
            masters.iter_mut().for_each(|m| f(Name::AnyMaster, &mut m.0));
            masters.sort();
        }
        Raise { exception, .. } => names_in(exception, None, f),
        Skip { .. }
        | Event { .. }
        | Choose { .. }
        | Return
        | EndAccept { .. }
        | Activated { .. }
        | Complete { .. }
        | Terminate
        | Delay { .. }
        | Async { .. }
        | EndAsync { .. }
        | Defer { .. }
        | Undefer { .. }
        | Stop { .. }
        | Unsupported { .. } => {}
    }
}

fn names_in_place(place: &mut Place, f: Visit) {
    match place {
        Place::Var(v) => f(Name::Var, &mut v.0),
        Place::Indexed(table, index) => {
            f(Name::Cells, &mut table.0);
            names_in(index, None, f);
        }
        Place::Nowhere => {}
    }
}

/// Visits the names in an expression; a constant is one if the expression `names` something.
fn names_in(e: &mut Expr, names: Option<Name>, f: Visit) {
    match e {
        Expr::Const(value) => {
            if let (Some(kind), Ok(mut n)) = (names, u32::try_from(*value)) {
                f(kind, &mut n);
                *value = i64::from(n);
            }
        }
        Expr::Any => {}
        Expr::Var(v) => f(Name::Var, &mut v.0),
        Expr::Load(table, index) => {
            f(Name::Cells, &mut table.0);
            names_in(index, None, f);
        }
        Expr::Lookup(table, index) => {
            f(Name::Constants, &mut table.0);
            names_in(index, None, f);
        }
        Expr::Unary(_, e) | Expr::Check(e, ..) => names_in(e, None, f),
        Expr::Count(e) => names_in(e, Some(Name::Entry), f),
        Expr::Callable(e) | Expr::Terminated(e) => names_in(e, Some(Name::Task), f),
        Expr::Binary(_, a, b) => {
            names_in(a, None, f);
            names_in(b, None, f);
        }
        Expr::If(a, b, c) => {
            names_in(a, None, f);
            names_in(b, None, f);
            names_in(c, None, f);
        }
    }
}

/// Compares a program with everything renamed with itself: the locations from which control may
/// still come to where they differ, none if they do not.
fn symmetric_from(program: &Program, code: &[Vec<Loc>], permutation: &Permutation) -> Option<Vec<bool>> {
    let optional = |kind: Name, n: Option<u32>| n.map(|n| permutation.of(kind, n));
    let mut same = true;
    for (t, task) in program.tasks.iter().enumerate() {
        let other = &program.tasks[permutation.task(TaskId::from(t)).index()];
        same &= optional(Name::Master, task.master.map(|m| m.0)) == other.master.map(|m| m.0)
            && permutation.loc(task.start) == other.start
            && permutation.loc(task.exit) == other.exit
            && task.background == other.background;
    }
    for (e, entry) in program.entries.iter().enumerate() {
        let other = &program.entries[permutation.entry(EntryId::from(e)).index()];
        same &= other.owner
            == match entry.owner {
                Owner::Task(t) => Owner::Task(permutation.task(t)),
                Owner::Object(o) => Owner::Object(permutation.object(o)),
            };
        same &= match (&entry.barrier, &other.barrier) {
            (Some(a), Some(b)) => renamed_expr(program, permutation, a) == as_cells(program, b),
            (None, None) => true,
            _ => false,
        };
    }
    for (v, var) in program.vars.iter().enumerate() {
        let other = &program.vars[permutation.var(VarId::from(v)).index()];
        same &= other.storage
            == match var.storage {
                Storage::Shared => Storage::Shared,
                Storage::Local(t) => Storage::Local(permutation.task(t)),
                Storage::Component(o) => Storage::Component(permutation.object(o)),
            };
        same &= (var.domain, var.init, var.sharing) == (other.domain, other.init, other.sharing);
    }
    for (i, p) in program.procs.iter().enumerate() {
        let other = &program.procs[permutation.of(Name::Proc, i as u32) as usize];
        let formals = p.formals.iter().map(|f| (permutation.var(f.cell), f.mode));
        same &= permutation.task(p.task) == other.task
            && permutation.loc(p.start) == other.start
            && formals.eq(other.formals.iter().map(|f| (f.cell, f.mode)))
            && p.locals.iter().map(|v| permutation.var(*v)).eq(other.locals.iter().copied());
    }
    for (i, m) in program.masters.iter().enumerate() {
        let other = &program.masters[permutation.of(Name::Master, i as u32) as usize];
        same &= permutation.task(m.owner) == other.owner;
    }
    for (i, h) in program.handlers.iter().enumerate() {
        let other = &program.handlers[permutation.of(Name::Handler, i as u32) as usize];
        same &= h.choices.iter().map(|(c, l)| (*c, permutation.loc(*l))).eq(other.choices.iter().copied())
            && h.occurrence.map(|v| permutation.var(v)) == other.occurrence
            && optional(Name::Handler, h.outer.map(|h| h.0)) == other.outer.map(|h| h.0)
            && h.cleanup == other.cleanup;
    }
    for ((task, entry), body) in &program.bodies {
        let other = program.bodies.get(&(permutation.task(*task), permutation.entry(*entry)));
        same &= other.is_some_and(|b| b.0 == permutation.of(Name::Proc, body.0));
    }
    let barriers = program.entries.iter().filter_map(|e| e.barrier.as_ref());
    same &= barriers.into_iter().all(|e| computed_names_in(program, permutation, e));
    if !same {
        return None;
    }
    let mut differ = Vec::new();
    for loc in code.iter().flatten() {
        let (node, other) = (program.node(*loc), program.node(permutation.loc(*loc)));
        let same = optional(Name::Handler, node.handler.map(|h| h.0)) == other.handler.map(|h| h.0)
            && computed_names_stay(program, permutation, &node.action)
            && renamed(program, permutation, &node.action) == plain(program, &other.action);
        if !same {
            if permutation.loc(*loc) != *loc {
                return None;
            }
            differ.push(*loc);
        }
    }
    if differ.is_empty() {
        return Some(Vec::new());
    }
    // What happened at an entry before would not be known to have happened at its like.
    if (0..program.entries.len()).map(EntryId::from).any(|e| permutation.entry(e) != e) {
        return None;
    }
    let mut too_early = vec![false; program.nodes.len()];
    for code in code {
        if !differ.iter().any(|l| code.contains(l)) {
            continue;
        }
        let early = |loc: &Loc| closure(program, vec![*loc], |_| true).iter().any(|l| differ.contains(l));
        code.iter().for_each(|l| too_early[l.index()] = early(l));
        let rests = |l: &Loc| matches!(program.node(*l).action, Action::Await { .. } | Action::Select { .. });
        if !code.iter().any(|l| rests(l) && !too_early[l.index()]) {
            return None;
        }
    }
    Some(too_early)
}

/// An entry or task whose number is computed must be one that stays where it is.
fn computed_names_stay(program: &Program, permutation: &Permutation, action: &Action) -> bool {
    use Action::*;
    let mut stay = match action {
        EntryCall { entry, .. } | Requeue { entry, .. } => entries_stay(program, permutation, entry),
        Async { trigger: Trigger::Call { entry, .. }, .. } => entries_stay(program, permutation, entry),
        Select { alternatives, .. } => {
            alternatives.iter().all(|a| entries_stay(program, permutation, &a.entry))
        }
        Activate { tasks, .. } | Abort { tasks, .. } => tasks.iter().all(|e| e.constant().is_some()),
        _ => true,
    };
    action.each_expr(&mut |e| stay &= computed_names_in(program, permutation, e));
    stay
}

fn computed_names_in(program: &Program, permutation: &Permutation, e: &Expr) -> bool {
    let mut stay = true;
    e.walk(&mut |e| match e {
        Expr::Count(e) => stay &= entries_stay(program, permutation, e),
        Expr::Callable(e) | Expr::Terminated(e) => stay &= e.constant().is_some(),
        _ => {}
    });
    stay
}

fn entries_stay(program: &Program, permutation: &Permutation, e: &Expr) -> bool {
    e.constant().is_some() || program.possible_entries(e).into_iter().all(|e| permutation.entry(e) == e)
}

/// Tables are compared by what they hold: the cells a table may name, renamed.
type WithCells<T> = (T, Vec<Vec<i64>>);

fn renamed(program: &Program, permutation: &Permutation, action: &Action) -> WithCells<Action> {
    let mut action = action.clone();
    let mut cells = Vec::new();
    each_name(&mut action, &mut |kind, n| rename(program, Some(permutation), kind, n, &mut cells));
    // Renamed, the members of a set are in another order.
    each_name(&mut action, &mut |_, _| {});
    (action, cells)
}

fn plain(program: &Program, action: &Action) -> WithCells<Action> {
    let mut action = action.clone();
    let mut cells = Vec::new();
    each_name(&mut action, &mut |kind, n| rename(program, None, kind, n, &mut cells));
    (action, cells)
}

fn renamed_expr(program: &Program, permutation: &Permutation, e: &Expr) -> WithCells<Expr> {
    let (mut e, mut cells) = (e.clone(), Vec::new());
    names_in(&mut e, None, &mut |kind, n| rename(program, Some(permutation), kind, n, &mut cells));
    (e, cells)
}

fn as_cells(program: &Program, e: &Expr) -> WithCells<Expr> {
    let (mut e, mut cells) = (e.clone(), Vec::new());
    names_in(&mut e, None, &mut |kind, n| rename(program, None, kind, n, &mut cells));
    (e, cells)
}

fn rename(
    program: &Program,
    permutation: Option<&Permutation>,
    kind: Name,
    n: &mut u32,
    cells: &mut Vec<Vec<i64>>,
) {
    let of = |kind: Name, n: u32| permutation.map_or(n, |r| r.of(kind, n));
    match kind {
        Name::Cells | Name::Constants => {
            let table = &program.tables[*n as usize];
            let cell = |v: &i64| match kind == Name::Cells && *v >= 0 {
                true => i64::from(of(Name::Var, *v as u32)),
                false => *v,
            };
            cells.push(std::iter::once(table.first).chain(table.values.iter().map(cell)).collect());
            *n = 0;
        }
        Name::AnyTask => *n = of(Name::Task, *n),
        Name::AnyMaster => *n = of(Name::Master, *n),
        kind => *n = of(kind, *n),
    }
}
