//! Exceptions that no execution raises, by the code alone.
//!
//! An interval analysis (Cousot and Cousot, POPL 1977) finds for every location of a task between which numbers the
//! cells are that only this task accesses. All other cells may have any value of their domain at any time. An action
//! may raise what its expressions may raise with such values, and what a rule of tasking may raise there: a call of a
//! task's entry may raise Tasking_Error, a select without an open alternative Program_Error. A kind of exception that
//! no reachable action raises is raised in no execution.
//!
//! Why this is right: a cell counts as private only if nobody else reads or writes it, it is no parameter of an entry,
//! and no body of an entry writes it. So what other tasks do between two steps of a task does not change what is known,
//! and tasks can be analysed one by one. Handlers are followed from every action that may raise something, whatever
//! they catch.
//!
//! Intervals must be widened. After a few visits of a join, a bound that still grows jumps to the next constant that
//! the program mentions, because loops are left at such numbers; later it jumps to the bound of the domain. This is
//! widening with thresholds (Blanchet et al., PLDI 2003), with the program itself as the source of the thresholds.
//! There is no narrowing pass: branches cut the interval that enters them.
//!
//! An interval also says whether the cell may hold a value that the model does not follow. Such a value passes every
//! check, here as in the semantics.
//!
//! The search would show the same, but only once it is complete, and a loop that counts to a million does not let it.
//! Constructs by which one task decides where another one continues (aborts, asynchronous selects, requeues) are left
//! to the search, as are recursion and very large programs: the analysis then claims nothing. The proof is used when a
//! limit is hit, and is compared with what the search finds.

use rendez_analysis::access::Access;
use rendez_analysis::passes::{inline, recursive_procedures};
use rendez_model::code::{closure_by, each_written, task_code};
use rendez_model::{
    Action, BinaryOp, Cut, Domain, EntryId, ExceptionId, Expr, Formal, Loc, Owner, Place, ProcId, Program,
    Storage, TableId, TaskId, UnaryOp, Value, VarId,
};
use rendez_verdict::Kind;

/// After so many visits of a location to which several ways lead, bounds that still grow become the next number that the
/// program mentions: loops are left at such numbers.
const PATIENCE: u32 = 4;

/// After so many, they become those of the domain.
const MOST_PATIENCE: u32 = 20;

/// Larger programs are left to a search.
const MOST_LOCATIONS: usize = 20_000;

/// More visits of locations than this, and the analysis is given up.
const MOST_VISITS: usize = 200_000;

/// Numbers this far from zero cannot overflow when two of them are added.
const SMALL: i64 = 1 << 40;

/// The kinds of exceptions that no execution raises, and, for exceptions that nobody handles, of which no task dies.
pub fn never_raised(program: &Program) -> Vec<Kind> {
    if program.open || program.queue_limit.is_some() || !recursive_procedures(program).is_empty() {
        return Vec::new();
    }
    let mut inlined = program.clone();
    inline(&mut inlined, 1);
    if inlined.nodes.len() > MOST_LOCATIONS {
        return Vec::new();
    }
    let mut raised = RaisedKinds::default();
    let mut left = MOST_VISITS;
    let private = private_cells(program, &inlined);
    let (joins, numbers, owners) = (joins(&inlined), numbers(&inlined), owners(&inlined));
    for task in (0..inlined.tasks.len()).map(TaskId::from) {
        let mine = (0..inlined.vars.len()).filter(|v| private[*v] && owners[*v] == Some(task));
        let mine = mine.map(VarId::from).collect();
        let mut analysis = Analysis::new(&inlined, task, mine, &joins, &numbers);
        match analysis.run(left) {
            Some(visits) => left -= visits,
            None => return Vec::new(),
        }
        raised.also(analysis.raised);
    }
    let mut held = Vec::new();
    if !raised.tasking_error {
        held.push(Kind::TaskingError);
    }
    if !raised.program_error {
        held.push(Kind::ProgramError);
    }
    if !raised.other {
        held.push(Kind::UnhandledException);
    }
    held
}

/// What some action may raise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RaisedKinds {
    /// Tasking_Error, by a rule of tasking.
    tasking_error: bool,
    /// Program_Error, by a rule of tasking.
    program_error: bool,
    /// Anything else: a failed check, a raise statement.
    other: bool,
}

impl RaisedKinds {
    const OTHER: RaisedKinds = RaisedKinds { tasking_error: false, program_error: false, other: true };

    fn also(&mut self, more: RaisedKinds) {
        self.tasking_error |= more.tasking_error;
        self.program_error |= more.program_error;
        self.other |= more.other;
    }

    fn any(self) -> bool {
        self != RaisedKinds::default()
    }
}

/// By cell: whether only assignments of one task's own code change it, and only that code reads it. `program` is the
/// one that procedures were copied into.
fn private_cells(original: &Program, program: &Program) -> Vec<bool> {
    let shared = Access::new(program).shared;
    let mut private: Vec<bool> = (0..program.vars.len())
        .map(|v| &program.vars[v])
        .zip(&shared)
        .map(|(v, shared)| {
            // Locks keep those who access a component apart, but they are several.
            !shared && !matches!(v.storage, Storage::Component(_)) && matches!(v.domain, Domain::Range(..))
        })
        .collect();
    // Cells that carry parameters of entries, or caught exceptions, change without an assignment.
    for node in &program.nodes {
        match &node.action {
            Action::EntryCall { args, .. } => args.iter().for_each(|v| private[v.index()] = false),
            Action::Select { alternatives, .. } => {
                let formals = alternatives.iter().flat_map(|a| &a.formals);
                formals.for_each(|f| private[f.cell.index()] = false);
            }
            _ => {}
        }
    }
    program.handlers.iter().filter_map(|h| h.occurrence).for_each(|v| private[v.index()] = false);
    // A body of an entry runs in the midst of a call.
    for proc in program.bodies.values() {
        let body = &program.procs[proc.index()];
        body.locals.iter().for_each(|v| private[v.index()] = false);
        body.formals.iter().for_each(|f| private[f.cell.index()] = false);
        for loc in program.reachable(body.start) {
            each_written(program, &program.node(loc).action, |v| private[v.index()] = false);
        }
    }
    // Locals have their initial values whenever a procedure is called.
    for (p, proc) in original.procs.iter().enumerate() {
        let mine = original.reachable(proc.start);
        let given: Vec<VarId> = proc.formals.iter().filter(|f| f.mode.copies_in()).map(|f| f.cell).collect();
        for v in proc.locals.iter().filter(|v| !given.contains(v)) {
            private[v.index()] = private[v.index()] && is_set_first(original, ProcId::from(p), &mine, *v);
        }
    }
    private
}

/// By cell: the last task whose code accesses it, which is the only one if it is not shared.
fn owners(program: &Program) -> Vec<Option<TaskId>> {
    let mut owners = vec![None; program.vars.len()];
    for task in (0..program.tasks.len()).map(TaskId::from) {
        for loc in task_code(program, task) {
            let action = &program.node(loc).action;
            action.each_expr(&mut |e| e.each_cell(program, &mut |v| owners[v.index()] = Some(task)));
            each_written(program, action, |v| owners[v.index()] = Some(task));
        }
    }
    owners
}

/// Whether a procedure assigns to a local of its own before it reads it or returns it, and nobody else accesses it.
fn is_set_first(program: &Program, proc: ProcId, mine: &[Loc], v: VarId) -> bool {
    let of_formal = |f: &Formal| f.cell == v && f.mode.copies_out();
    let returned = program.procs[proc.index()].formals.iter().any(of_formal);
    let reads = |loc: Loc| {
        let mut reads = returned && program.node(loc).action == Action::Return;
        program.node(loc).action.each_expr(&mut |e| e.each_cell(program, &mut |c| reads |= c == v));
        reads
    };
    let writes = |loc: Loc| {
        let mut writes = false;
        each_written(program, &program.node(loc).action, |c| writes |= c == v);
        writes
    };
    let sets =
        |loc: Loc| matches!(&program.node(loc).action, Action::Assign { to: Place::Var(c), .. } if *c == v);
    let mut own = vec![false; program.nodes.len()];
    mine.iter().for_each(|l| own[l.index()] = true);
    if (0..own.len()).map(Loc::from).any(|l| !own[l.index()] && (reads(l) || writes(l))) {
        return false;
    }
    let before = closure_by(program, vec![program.procs[proc.index()].start], |loc, work| {
        // An assignment that fails sets nothing.
        if !sets(loc) {
            program.node(loc).action.each_successor(|next| work.push(next));
        }
        work.extend(program.handlers_at(loc).map(|(_, to)| to));
    });
    !before.into_iter().any(|l| reads(l) || (writes(l) && !sets(l)))
}

/// By location: whether control may come there from several places.
fn joins(program: &Program) -> Vec<bool> {
    let mut ways = vec![0u8; program.nodes.len()];
    let mut add = |to: Loc| ways[to.index()] = ways[to.index()].saturating_add(1);
    for node in &program.nodes {
        node.action.successors().into_iter().for_each(&mut add);
    }
    program.handlers.iter().flat_map(|h| &h.choices).for_each(|(_, to)| (0..2).for_each(|_| add(*to)));
    program.tasks.iter().flat_map(|t| [t.start, t.exit]).for_each(&mut add);
    program.procs.iter().for_each(|p| add(p.start));
    ways.iter().map(|w| *w > 1).collect()
}

/// The constants that a program mentions, sorted.
fn numbers(program: &Program) -> Vec<i64> {
    let mut all = Vec::new();
    for node in &program.nodes {
        node.action.each_expr(&mut |e| e.walk(&mut |e| all.extend(e.constant())));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What is known of one cell: it is one of these numbers, or its value is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    lo: i64,
    hi: i64,
    unknown: bool,
}

impl Interval {
    fn join(self, other: Interval) -> Interval {
        Interval {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            unknown: self.unknown || other.unknown,
        }
    }

    /// A value that the model does not follow, and no number.
    const UNKNOWN: Interval = Interval { lo: i64::MAX, hi: i64::MIN, unknown: true };

    const ANYTHING: Interval = Interval { lo: i64::MIN, hi: i64::MAX, unknown: true };

    fn between(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi, unknown: false }
    }

    fn has_numbers(self) -> bool {
        self.lo <= self.hi
    }

    /// Whether every number in it lies between two others.
    fn lies_in(self, lo: i64, hi: i64) -> bool {
        !self.has_numbers() || (lo <= self.lo && self.hi <= hi)
    }

    fn cut(self, lo: i64, hi: i64) -> Interval {
        let cut = Interval { lo: self.lo.max(lo), hi: self.hi.min(hi), ..self };
        if cut.has_numbers() { cut } else { Interval { unknown: self.unknown, ..Interval::UNKNOWN } }
    }

    /// The numbers left if it is compared with another one and the result is, or may be, true.
    fn compared(self, op: BinaryOp, other: Interval) -> Interval {
        use BinaryOp::*;
        // Nobody knows what comes of a comparison with something unknown.
        if other.unknown || !other.has_numbers() {
            return self;
        }
        match op {
            Less => self.cut(i64::MIN, other.hi.saturating_sub(1)),
            LessEqual => self.cut(i64::MIN, other.hi),
            Greater => self.cut(other.lo.saturating_add(1), i64::MAX),
            GreaterEqual => self.cut(other.lo, i64::MAX),
            Equal => self.cut(other.lo, other.hi),
            NotEqual if other.lo == other.hi && self.lo == other.lo => {
                self.cut(other.lo.saturating_add(1), i64::MAX)
            }
            NotEqual if other.lo == other.hi && self.hi == other.lo => {
                self.cut(i64::MIN, other.lo.saturating_sub(1))
            }
            _ => self,
        }
    }
}

fn product(a: Interval, b: Interval) -> Interval {
    if !a.has_numbers() || !b.has_numbers() {
        return Interval::UNKNOWN;
    }
    let ends = [a.lo, a.hi].into_iter().flat_map(|x| [b.lo, b.hi].map(|y| x.saturating_mul(y)));
    let range = ends.fold((i64::MAX, i64::MIN), |(lo, hi), p| (lo.min(p), hi.max(p)));
    Interval { unknown: a.unknown || b.unknown, ..Interval::between(range.0, range.1) }
}

/// What is true where a comparison is false.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match op {
        Less => GreaterEqual,
        LessEqual => Greater,
        Greater => LessEqual,
        GreaterEqual => Less,
        Equal => NotEqual,
        NotEqual => Equal,
        _ => return None,
    })
}

/// The same comparison with its operands in the other order.
fn flipped(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
        same => same,
    }
}

/// By tracked cell.
type KnownIntervals = Vec<Interval>;

/// The analysis of one task.
struct Analysis<'p> {
    program: &'p Program,
    task: TaskId,
    tracked: Vec<VarId>,
    /// By cell: its place in what is known.
    slot: Vec<Option<usize>>,
    /// By location: what is known there; nothing if control cannot come there.
    at: Vec<Option<KnownIntervals>>,
    visits: Vec<u32>,
    /// By location: whether several ways lead there.
    joins: &'p [bool],
    /// The constants of the program, sorted.
    numbers: &'p [i64],
    work: Vec<Loc>,
    /// Locations of bodies of protected entries, which other tasks may execute.
    in_body: Vec<bool>,
    /// Locations at which the task is still being activated: who dies there fails its activator.
    activation: Vec<bool>,
    raised: RaisedKinds,
}

impl<'p> Analysis<'p> {
    fn new(
        program: &'p Program,
        task: TaskId,
        tracked: Vec<VarId>,
        joins: &'p [bool],
        numbers: &'p [i64],
    ) -> Analysis<'p> {
        let mut slot = vec![None; program.vars.len()];
        for (i, v) in tracked.iter().enumerate() {
            slot[v.index()] = Some(i);
        }
        let mut in_body = vec![false; program.nodes.len()];
        for proc in program.bodies.values() {
            let code = program.reachable(program.procs[proc.index()].start);
            code.iter().for_each(|l| in_body[l.index()] = true);
        }
        let mut activation = vec![false; program.nodes.len()];
        let until_activated = closure_by(program, vec![program.tasks[task.index()].start], |loc, work| {
            if !matches!(program.node(loc).action, Action::Activated { .. }) {
                program.node(loc).action.each_successor(|next| work.push(next));
                work.extend(program.handlers_at(loc).map(|(_, to)| to));
            }
        });
        if task != TaskId::ENVIRONMENT {
            until_activated.into_iter().for_each(|l| activation[l.index()] = true);
        }
        Analysis {
            program,
            task,
            tracked,
            slot,
            at: vec![None; program.nodes.len()],
            visits: vec![0; program.nodes.len()],
            joins,
            numbers,
            work: Vec::new(),
            in_body,
            activation,
            raised: RaisedKinds::default(),
        }
    }

    /// Visits locations until nothing is new; how many visits that took, if they are not too many and everything is
    /// covered.
    fn run(&mut self, most: usize) -> Option<usize> {
        let of_task = &self.program.tasks[self.task.index()];
        let anything: KnownIntervals = self.tracked.iter().map(|v| self.domain(*v)).collect();
        let bodies = self.program.bodies.range((self.task, EntryId(0))..=(self.task, EntryId(u32::MAX)));
        let starts: Vec<ProcId> = bodies.map(|(_, proc)| *proc).collect();
        let first = self.tracked.iter().map(|v| match self.program.vars[v.index()].init {
            Value::Known(init) => Interval::between(init, init),
            Value::Any => Interval::UNKNOWN,
        });
        let first = first.collect();
        self.flow(of_task.start, &first);
        // A task that is never activated goes there at once.
        self.flow(of_task.exit, &first);
        for proc in starts {
            self.flow(self.program.procs[proc.index()].start, &anything);
        }
        let mut visits = 0;
        while let Some(loc) = self.work.pop() {
            visits += 1;
            if visits > most || !self.visit(loc) {
                return None;
            }
        }
        Some(visits)
    }

    fn domain(&self, v: VarId) -> Interval {
        match self.program.vars[v.index()].domain {
            Domain::Range(lo, hi) => Interval { lo, hi, unknown: true },
            Domain::Opaque => Interval::UNKNOWN,
        }
    }

    /// What a cell may be.
    fn cell(&self, v: VarId, known: &KnownIntervals) -> Interval {
        self.slot[v.index()].map_or_else(|| self.domain(v), |slot| known[slot])
    }

    /// Control may come to a location with these values.
    fn flow(&mut self, to: Loc, values: &KnownIntervals) {
        let i = to.index();
        let Some(old) = &self.at[i] else {
            self.at[i] = Some(values.clone());
            self.work.push(to);
            return;
        };
        let mut new: KnownIntervals = old.iter().zip(values).map(|(a, b)| a.join(*b)).collect();
        if new == *old {
            return;
        }
        // Every loop has such a location.
        self.visits[i] += u32::from(self.joins[i]);
        if self.visits[i] > PATIENCE {
            let numbers = if self.visits[i] > MOST_PATIENCE { &[][..] } else { self.numbers };
            for (k, (new, old)) in new.iter_mut().zip(old).enumerate() {
                let domain = self.domain(self.tracked[k]);
                if new.lo < old.lo {
                    let below = numbers.partition_point(|n| *n <= new.lo).checked_sub(1);
                    new.lo = below.map_or(domain.lo, |n| numbers[n].max(domain.lo));
                }
                if new.hi > old.hi {
                    let above = numbers.get(numbers.partition_point(|n| *n < new.hi));
                    new.hi = above.map_or(domain.hi, |n| (*n).min(domain.hi));
                }
            }
        }
        self.at[i] = Some(new);
        self.work.push(to);
    }

    /// Follows the action of a location; false if it is not covered.
    fn visit(&mut self, loc: Loc) -> bool {
        let program = self.program;
        let action = &program.node(loc).action;
        let Some(known) = self.at[loc.index()].clone() else { return true };
        let Some(mut raised) = self.raised_by(action, &known) else { return false };
        // Who executes the body of an entry may fail somebody else's call, and who is called may fail the caller.
        if raised.any() && self.in_body[loc.index()] {
            raised.also(RaisedKinds::OTHER);
        }
        self.raised.also(raised);
        let passed_on =
            matches!(action, Action::Resume { .. } | Action::EntryCall { .. } | Action::Activate { .. });
        if raised.any() || passed_on {
            let (handlers, escapes) = program.caught_at(loc);
            handlers.into_iter().for_each(|to| self.flow(to, &known));
            // Whoever dies while it is activated fails its activator; also of what a body raised that it called.
            self.raised.tasking_error |= escapes && self.activation[loc.index()];
            if escapes {
                self.flow(program.tasks[self.task.index()].exit, &known);
            }
        }
        let of_task = &program.tasks[self.task.index()];
        match action {
            Action::Select { terminate: Some(_), .. } => self.flow(of_task.exit, &known),
            // Where its declaration is elaborated again, a task begins again with the values that it left.
            Action::Terminate => {
                self.flow(of_task.start, &known);
                self.flow(of_task.exit, &known);
            }
            _ => {}
        }
        match action {
            Action::Branch { cond, yes, no } => {
                for (to, wanted) in [(*yes, true), (*no, false)] {
                    if let Some(left) = self.refined(&known, cond, wanted) {
                        self.flow(to, &left);
                    }
                }
            }
            Action::Assign { to: Place::Var(v), value, next } if self.slot[v.index()].is_some() => {
                let mut after = known.clone();
                let domain = self.domain(*v);
                let stored = self.interval(value, &known).cut(domain.lo, domain.hi);
                if let Some(slot) = self.slot[v.index()] {
                    after[slot] = stored;
                }
                // Every value is outside of the range.
                if stored.has_numbers() || stored.unknown {
                    self.flow(*next, &after);
                }
            }
            action => {
                let mut after = known.clone();
                each_written(program, action, |v| {
                    if let Some(slot) = self.slot[v.index()] {
                        after[slot] = self.domain(v);
                    }
                });
                for next in action.successors() {
                    self.flow(next, &after);
                }
            }
        }
        true
    }

    /// What an action may raise; nothing if it is not covered.
    fn raised_by(&self, action: &Action, known: &KnownIntervals) -> Option<RaisedKinds> {
        let mut raised = RaisedKinds::default();
        match action {
            Action::Skip { .. }
            | Action::Event { .. }
            | Action::Branch { .. }
            | Action::Choose { .. }
            | Action::Delay { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::EndAccept { .. }
            | Action::Activate { .. }
            | Action::Activated { .. }
            | Action::Abandon { .. }
            | Action::Complete { .. }
            | Action::Await { .. }
            | Action::Defer { .. }
            | Action::Undefer { .. }
            | Action::Resume { .. }
            | Action::Return
            | Action::Terminate
            | Action::Stop { why: Cut::User, .. } => {}
            // An expression of an assertion that raises an exception makes it fail.
            Action::Assert { .. } => return Some(raised),
            Action::FailAccept { .. } => raised.also(RaisedKinds::OTHER),
            Action::Assign { to, value, .. } => {
                raised.other = !self.stores(to, self.interval(value, known), known);
            }
            Action::Havoc { to, .. } => raised.other = !self.stores(to, Interval::UNKNOWN, known),
            Action::EntryCall { entry, .. } => {
                for e in self.program.possible_entries(entry) {
                    raised.also(self.raised_by_call(e));
                }
            }
            Action::Select { alternatives, otherwise, .. } => {
                let open = |guard: &Option<Expr>| guard.as_ref().is_none_or(|g| g.constant() == Some(1));
                raised.program_error = otherwise.is_none() && !alternatives.iter().any(|a| open(&a.guard));
            }
            Action::Raise { exception, by_tasking: true } => match exception.constant() {
                Some(e) if e == i64::from(ExceptionId::TASKING_ERROR.0) => raised.tasking_error = true,
                Some(e) if e == i64::from(ExceptionId::PROGRAM_ERROR.0) => raised.program_error = true,
                _ => raised = RaisedKinds { tasking_error: true, program_error: true, other: true },
            },
            Action::Raise { .. } => raised.other = true,
            _ => return None,
        }
        action.each_expr(&mut |e| raised.other |= self.may_raise(e, known));
        Some(raised)
    }

    fn raised_by_call(&self, entry: EntryId) -> RaisedKinds {
        let owner = match self.program.entries[entry.index()].owner {
            Owner::Task(_) => return RaisedKinds { tasking_error: true, ..RaisedKinds::default() },
            Owner::Object(object) => Owner::Object(object),
        };
        // A barrier that raises an exception fails the calls in all queues of its object.
        let anything: KnownIntervals = self.tracked.iter().map(|v| self.domain(*v)).collect();
        let of_object = self.program.entries.iter().filter(|e| e.owner == owner);
        let fails = of_object.filter_map(|e| e.barrier.as_ref()).any(|b| self.may_raise(b, &anything));
        RaisedKinds { program_error: fails, ..RaisedKinds::default() }
    }

    /// Whether a value can be stored without an exception.
    fn stores(&self, to: &Place, value: Interval, known: &KnownIntervals) -> bool {
        let takes = |v: VarId| match self.program.vars[v.index()].domain {
            Domain::Opaque => true,
            Domain::Range(lo, hi) => value.lies_in(lo, hi),
        };
        match to {
            Place::Nowhere => true,
            Place::Var(v) => takes(*v),
            Place::Indexed(table, index) => self
                .named(*table, index, known)
                .is_some_and(|values| values.iter().all(|v| *v >= 0 && takes(VarId(*v as u32)))),
        }
    }

    /// What a table holds at the numbers that an index may be; nothing if some of them lie outside. An index that nobody
    /// knows raises nothing.
    fn named(&self, table: TableId, index: &Expr, known: &KnownIntervals) -> Option<&'p [i64]> {
        let table = &self.program.tables[table.index()];
        let index = self.interval(index, known);
        if !index.has_numbers() {
            return Some(&[]);
        }
        let at = |i: i64| usize::try_from(i.checked_sub(table.first)?).ok();
        table.values.get(at(index.lo)?..=at(index.hi)?)
    }

    /// What the value of an expression may be, if its evaluation raises nothing.
    fn interval(&self, e: &Expr, known: &KnownIntervals) -> Interval {
        use BinaryOp::*;
        match e {
            Expr::Const(v) => Interval::between(*v, *v),
            Expr::Any => Interval::UNKNOWN,
            Expr::Var(v) => self.cell(*v, known),
            Expr::Check(e, lo, hi) => self.interval(e, known).cut(*lo, *hi),
            Expr::Unary(UnaryOp::Wrap(modulus), e) => {
                Interval { unknown: self.interval(e, known).unknown, ..Interval::between(0, modulus - 1) }
            }
            Expr::Binary(op @ (Add | Subtract), a, b) => {
                let (a, b) = (self.interval(a, known), self.interval(b, known));
                if !a.has_numbers() || !b.has_numbers() {
                    return Interval::UNKNOWN;
                }
                let (lo, hi) = match op {
                    Add => (a.lo.saturating_add(b.lo), a.hi.saturating_add(b.hi)),
                    _ => (a.lo.saturating_sub(b.hi), a.hi.saturating_sub(b.lo)),
                };
                Interval { lo, hi, unknown: a.unknown || b.unknown }
            }
            Expr::Binary(Multiply, a, b) => product(self.interval(a, known), self.interval(b, known)),
            Expr::Binary(Mod, a, b) => match (self.interval(a, known), self.interval(b, known)) {
                (a, by) if a.has_numbers() && by.has_numbers() && by.lo > 0 => {
                    Interval { unknown: a.unknown || by.unknown, ..Interval::between(0, by.hi - 1) }
                }
                _ => Interval::ANYTHING,
            },
            Expr::Binary(
                And | Or | Xor | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual,
                ..,
            )
            | Expr::Unary(UnaryOp::Not, _)
            | Expr::Callable(_)
            | Expr::Terminated(_) => Interval { unknown: true, ..Interval::between(0, 1) },
            Expr::If(c, a, b) => {
                let of = |e: &Expr, wanted| Some(self.interval(e, &self.refined(known, c, wanted)?));
                let joined = match (of(a, true), of(b, false)) {
                    (Some(a), Some(b)) => a.join(b),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => Interval::UNKNOWN,
                };
                Interval { unknown: true, ..joined }
            }
            Expr::Load(table, index) => {
                let all = &self.program.tables[table.index()].values;
                let cells = self.named(*table, index, known).unwrap_or(all);
                let cells = cells.iter().filter(|v| **v >= 0).map(|v| self.cell(VarId(*v as u32), known));
                cells.fold(Interval::UNKNOWN, Interval::join)
            }
            Expr::Lookup(table, _) => self.program.tables[table.index()]
                .values
                .iter()
                .fold(Interval::UNKNOWN, |all, v| all.join(Interval::between(*v, *v))),
            Expr::Count(_) | Expr::Unary(..) | Expr::Binary(..) => Interval::ANYTHING,
        }
    }

    /// Whether the evaluation of an expression may raise an exception.
    fn may_raise(&self, e: &Expr, known: &KnownIntervals) -> bool {
        use BinaryOp::*;
        let small = |e: &Expr| self.interval(e, known).lies_in(-SMALL, SMALL);
        // Where the right side of a short circuit is evaluated, the left one is not known to be false.
        let right = |a: &Expr, b: &Expr, wanted| {
            self.refined(known, a, wanted).is_some_and(|k| self.may_raise(b, &k))
        };
        match e {
            Expr::Const(_) | Expr::Any | Expr::Var(_) => false,
            Expr::Load(table, index) => {
                let cells = self.named(*table, index, known);
                !cells.is_some_and(|cells| cells.iter().all(|v| *v >= 0)) || self.may_raise(index, known)
            }
            Expr::Lookup(table, index) => {
                self.named(*table, index, known).is_none() || self.may_raise(index, known)
            }
            Expr::Check(e, lo, hi) => !self.interval(e, known).lies_in(*lo, *hi) || self.may_raise(e, known),
            Expr::Unary(op, e) => {
                let overflows = matches!(op, UnaryOp::Negate | UnaryOp::Abs) && !small(e);
                overflows || self.may_raise(e, known)
            }
            Expr::Binary(And, a, b) => self.may_raise(a, known) || right(a, b, true),
            Expr::Binary(Or, a, b) => self.may_raise(a, known) || right(a, b, false),
            Expr::Binary(op, a, b) => {
                let fails = match op {
                    Add | Subtract => !(small(a) && small(b)),
                    Divide | Mod | Rem => {
                        let by = self.interval(b, known);
                        !small(a) || by.has_numbers() && by.lo <= 0 && by.hi >= 0
                    }
                    Multiply => {
                        !product(self.interval(a, known), self.interval(b, known)).lies_in(-SMALL, SMALL)
                    }
                    Power => true,
                    _ => false,
                };
                fails || self.may_raise(a, known) || self.may_raise(b, known)
            }
            Expr::If(c, a, b) => self.may_raise(c, known) || right(c, a, true) || right(c, b, false),
            Expr::Count(e) => self.may_raise(e, known),
            Expr::Callable(e) | Expr::Terminated(e) => {
                let last = self.program.tasks.len() as i64 - 1;
                !self.interval(e, known).lies_in(0, last) || self.may_raise(e, known)
            }
        }
    }

    /// What is known where a condition is not known to be false (or, if `wanted` is not set, not known to be true); nothing
    /// if control cannot come there.
    fn refined(&self, known: &KnownIntervals, cond: &Expr, wanted: bool) -> Option<KnownIntervals> {
        use BinaryOp::*;
        match (cond, wanted) {
            (Expr::Const(v), _) => ((*v != 0) == wanted).then(|| known.clone()),
            (Expr::Unary(UnaryOp::Not, e), _) => self.refined(known, e, !wanted),
            (Expr::Binary(And, a, b), true) | (Expr::Binary(Or, a, b), false) => {
                self.refined(&self.refined(known, a, wanted)?, b, wanted)
            }
            (Expr::Var(v), _) => {
                let op = if wanted { NotEqual } else { Equal };
                self.narrowed(known.clone(), *v, op, Interval::between(0, 0))
            }
            (Expr::Binary(op, a, b), _) => {
                let Some(op) = (if wanted { opposite(*op).map(|_| *op) } else { opposite(*op) }) else {
                    return Some(known.clone());
                };
                let (x, y) = (self.interval(a, known), self.interval(b, known));
                let mut left = known.clone();
                if let Expr::Var(v) = **a {
                    left = self.narrowed(left, v, op, y)?;
                }
                if let Expr::Var(v) = **b {
                    left = self.narrowed(left, v, flipped(op), x)?;
                }
                Some(left)
            }
            _ => Some(known.clone()),
        }
    }

    fn narrowed(
        &self,
        mut known: KnownIntervals,
        v: VarId,
        op: BinaryOp,
        other: Interval,
    ) -> Option<KnownIntervals> {
        if let Some(slot) = self.slot[v.index()] {
            known[slot] = known[slot].compared(op, other);
            if !known[slot].has_numbers() && !known[slot].unknown {
                return None;
            }
        }
        Some(known)
    }
}
