//! What a program consists of.

use std::collections::{BTreeMap, BTreeSet};

use rendez_source::Span;

use crate::expr::{Expr, Place, Value};
use crate::monitor::Monitor;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize { self.0 as usize }
        }
        impl From<usize> for $name {
            fn from(index: usize) -> Self { $name(index as u32) }
        }
    )*};
}

index! {
    /// A cell.
    VarId;
    /// A task instance.
    TaskId;
    /// An entry of a task or protected object.
    EntryId;
    /// A protected object.
    ObjectId;
    /// A procedure.
    ProcId;
    /// A location of some control-flow graph.
    Loc;
    /// An exception.
    ExceptionId;
    /// A scope that waits for its dependents.
    MasterId;
    /// A table from indices to cells or constants.
    TableId;
    /// A set of exception handlers.
    HandlerId;
}

impl ExceptionId {
    pub const CONSTRAINT_ERROR: ExceptionId = ExceptionId(0);
    pub const PROGRAM_ERROR: ExceptionId = ExceptionId(1);
    pub const TASKING_ERROR: ExceptionId = ExceptionId(2);
    pub const STORAGE_ERROR: ExceptionId = ExceptionId(3);
    pub const ASSERTION_ERROR: ExceptionId = ExceptionId(4);
    /// No exception: what clean-ups get where an abortable part is left.
    pub const TRANSFER: ExceptionId = ExceptionId(u16::MAX as u32);
    /// The names of the exceptions every program has, in the order of their ids.
    pub const PREDEFINED: [&'static str; 5] =
        ["Constraint_Error", "Program_Error", "Tasking_Error", "Storage_Error", "Assertion_Error"];
}

/// Files in this folder hold models of library units: no code of the user's.
pub const LIBRARY_FOLDER: &str = "rendez-library";

impl TaskId {
    pub const ENVIRONMENT: TaskId = TaskId(0);
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub name: String,
    /// Called by tasks of the environment instead of a main procedure.
    pub open: bool,
    /// No check is taken to pass because its values are not followed.
    pub checks_may_fail: bool,
    /// A statement that accesses several variables is a step for each of them.
    pub accesses_apart: bool,
    /// A longer queue of a protected entry raises Program_Error.
    pub queue_limit: Option<u8>,
    /// Names of the source files, indexed by the file of a span.
    pub files: Vec<String>,
    pub exceptions: Vec<String>,
    pub vars: Vec<Var>,
    /// What the values of a variable are called, from 0 on, if they have names.
    pub literals: BTreeMap<VarId, Vec<String>>,
    pub tables: Vec<Table>,
    pub masters: Vec<Master>,
    pub tasks: Vec<Task>,
    pub objects: Vec<Protected>,
    pub entries: Vec<Entry>,
    pub procs: Vec<Proc>,
    pub handlers: Vec<Handler>,
    pub nodes: Vec<Node>,
    /// The body that a task runs when its call on a protected entry is served.
    pub bodies: BTreeMap<(TaskId, EntryId), ProcId>,
    pub assumptions: Vec<Assumption>,
    /// Where a check on a value that is not followed is taken to pass.
    pub unchecked: Vec<Span>,
    /// Where objects are declared: what they are given there is their first value, no assignment.
    pub declarations: BTreeSet<Span>,
    /// Properties that are followed; no part of the text form.
    pub monitors: Vec<Monitor>,
}

/// Something that the model takes for granted or over-approximates; part of every verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    pub name: String,
    pub domain: Domain,
    pub init: Value,
    pub storage: Storage,
    pub sharing: Sharing,
    /// Holds an intermediate value: the program has no variable of this name.
    pub temporary: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    Range(i64, i64),
    /// Any value at any time; assignments have no effect.
    Opaque,
}

impl Domain {
    pub const BOOLEAN: Domain = Domain::Range(0, 1);
}

/// Who may name a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Declared where several tasks can see it.
    Shared,
    /// A local of the code of one task.
    Local(TaskId),
    /// A component of a protected object.
    Component(ObjectId),
}

/// What the source says about unsynchronised access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    Plain,
    Volatile,
    Atomic,
}

/// `values[i - first]` for an index i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub first: i64,
    pub values: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Master {
    pub name: String,
    pub owner: TaskId,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub name: String,
    pub span: Span,
    /// None for the environment task only.
    pub master: Option<MasterId>,
    pub start: Loc,
    /// Where the task goes when it completes: normally, by an unhandled exception, or aborted.
    pub exit: Loc,
    /// Part of the environment: nobody waits for its end, and the program ends without it.
    pub background: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Protected {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Task(TaskId),
    Object(ObjectId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub owner: Owner,
    /// For entries of protected objects.
    pub barrier: Option<Expr>,
    pub span: Span,
}

/// How a parameter is passed. Both ways copy: at the start and at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    In,
    Out,
    InOut,
}

impl Mode {
    pub fn copies_in(self) -> bool {
        self != Mode::Out
    }

    pub fn copies_out(self) -> bool {
        self != Mode::In
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formal {
    pub cell: VarId,
    pub mode: Mode,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Proc {
    pub name: String,
    /// The task whose code this is.
    pub task: TaskId,
    pub start: Loc,
    pub formals: Vec<Formal>,
    /// Every cell that a recursive call must keep, formals included.
    pub locals: Vec<VarId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub choices: Vec<(Catch, Loc)>,
    /// Receives the number of the exception that was caught.
    pub occurrence: Option<VarId>,
    pub outer: Option<HandlerId>,
    /// Cleans up and lets the exception go on; nobody has handled it then.
    pub cleanup: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catch {
    Exception(ExceptionId),
    Others,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub action: Action,
    pub span: Span,
    pub handler: Option<HandlerId>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallMode {
    Plain,
    /// Taken at once or not at all.
    Conditional {
        otherwise: Loc,
    },
    /// May be withdrawn at any time until it is taken.
    Timed {
        timeout: Loc,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    Read,
    Write,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    pub guard: Option<Expr>,
    /// Evaluates to the number of an entry of the accepting task.
    pub entry: Expr,
    pub formals: Vec<Formal>,
    pub body: Loc,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    Call { entry: Expr, args: Vec<VarId> },
    Delay,
}

/// Who does not want an execution followed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The user, who takes it for granted that nothing beyond matters: one of the assumptions.
    User,
    /// A bound of the analysis: nothing is known of what lies beyond.
    Bound,
}

/// What a mark in the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The user names an event: properties and formulas see it.
    Annotated,
    /// The user asserts a temporal formula where control comes here; the name is its text.
    Asserted,
    /// A call of a library unit; the name is that of the operation.
    Library,
    /// A formula asks whether a task is here; the name is the line.
    Place,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Skip {
        next: Loc,
    },
    /// A mark in the code.
    Event {
        kind: EventKind,
        name: String,
        next: Loc,
    },
    Assign {
        to: Place,
        value: Expr,
        next: Loc,
    },
    /// Any value of the cell's domain.
    Havoc {
        to: Place,
        next: Loc,
    },
    Branch {
        cond: Expr,
        yes: Loc,
        no: Loc,
    },
    /// The environment decides.
    Choose {
        targets: Vec<Loc>,
    },
    Call {
        proc: ProcId,
        args: Vec<Expr>,
        outs: Vec<(usize, Place)>,
        next: Loc,
    },
    Return,
    EntryCall {
        entry: Expr,
        args: Vec<VarId>,
        mode: CallMode,
        next: Loc,
    },
    /// A plain accept is a select with one alternative.
    Select {
        alternatives: Vec<Alternative>,
        otherwise: Option<Loc>,
        delays: Vec<(Option<Expr>, Loc)>,
        terminate: Option<Option<Expr>>,
    },
    EndAccept {
        next: Loc,
    },
    /// An exception leaves an accept body: it is raised in the caller and again here.
    FailAccept {
        occurrence: VarId,
    },
    /// Ends the accept or entry body; the caller goes on waiting in another queue.
    Requeue {
        entry: Expr,
        with_abort: bool,
        next: Loc,
    },
    Lock {
        object: ObjectId,
        mode: LockMode,
        next: Loc,
    },
    Unlock {
        object: ObjectId,
        next: Loc,
    },
    /// Takes an unused task of the pool; beyond the pool the execution is not followed.
    Allocate {
        pool: Vec<TaskId>,
        to: Place,
        next: Loc,
    },
    /// Starts the tasks and waits until their declarations are elaborated.
    Activate {
        tasks: Vec<Expr>,
        next: Loc,
    },
    /// The task's own activation is done.
    Activated {
        next: Loc,
    },
    /// The tasks were declared but will never be activated.
    Abandon {
        tasks: Vec<TaskId>,
        next: Loc,
    },
    /// Calls on the task's entries now fail.
    Complete {
        next: Loc,
    },
    /// Waits for every task that depends on the masters.
    Await {
        masters: Vec<MasterId>,
        next: Loc,
    },
    Terminate,
    Abort {
        tasks: Vec<Expr>,
        next: Loc,
    },
    Raise {
        exception: Expr,
        /// A rule of tasking is broken: no raise statement, no check of a value.
        by_tasking: bool,
    },
    /// The end of a clean-up: the exception goes on.
    Resume {
        occurrence: VarId,
    },
    Assert {
        cond: Expr,
        text: String,
        next: Loc,
    },
    Delay {
        next: Loc,
    },
    /// Asynchronous transfer of control: runs `abortable` until the trigger fires.
    Async {
        trigger: Trigger,
        abortable: Loc,
        triggered: Loc,
    },
    /// The abortable part came to its end.
    EndAsync {
        next: Loc,
    },
    /// From here to the matching `Undefer` an abort has to wait.
    Defer {
        next: Loc,
    },
    Undefer {
        next: Loc,
    },
    /// The protected object goes out of existence: calls that are still queued fail.
    Close {
        object: ObjectId,
        next: Loc,
    },
    /// The execution is not followed any further.
    Stop {
        why: Cut,
        reason: String,
    },
    /// A construct without meaning in the model. Reaching it makes the analysis inconclusive.
    Unsupported {
        text: String,
    },
}

/// Calls a function with every location that an action names, shared or mutable as the action is.
macro_rules! visit_successors {
    ($action:expr, $f:expr) => {{
        use Action::*;
        let mut f = $f;
        match $action {
            Skip { next }
            | Event { next, .. }
            | Assign { next, .. }
            | Havoc { next, .. }
            | Call { next, .. }
            | EndAccept { next }
            | Requeue { next, .. }
            | Lock { next, .. }
            | Unlock { next, .. }
            | Allocate { next, .. }
            | Activate { next, .. }
            | Activated { next }
            | Abandon { next, .. }
            | Complete { next }
            | Await { next, .. }
            | Abort { next, .. }
            | Assert { next, .. }
            | Delay { next }
            | EndAsync { next }
            | Defer { next }
            | Undefer { next }
            | Close { next, .. } => f(next),
            Branch { yes, no, .. } => {
                f(yes);
                f(no);
            }
            Choose { targets } => {
                for target in targets {
                    f(target);
                }
            }
            EntryCall { mode, next, .. } => {
                f(next);
                match mode {
                    CallMode::Plain => {}
                    CallMode::Conditional { otherwise: other } | CallMode::Timed { timeout: other } => {
                        f(other)
                    }
                }
            }
            Select { alternatives, otherwise, delays, .. } => {
                for Alternative { body, .. } in alternatives {
                    f(body);
                }
                if let Some(otherwise) = otherwise {
                    f(otherwise);
                }
                for (_, target) in delays {
                    f(target);
                }
            }
            Async { abortable, triggered, .. } => {
                f(abortable);
                f(triggered);
            }
            Return
            | FailAccept { .. }
            | Resume { .. }
            | Terminate
            | Raise { .. }
            | Stop { .. }
            | Unsupported { .. } => {}
        }
    }};
}

impl Action {
    /// The locations that may follow, exceptions and calls aside.
    pub fn successors(&self) -> Vec<Loc> {
        let mut all = Vec::new();
        self.each_successor(|loc| all.push(loc));
        all
    }

    pub fn each_successor(&self, mut f: impl FnMut(Loc)) {
        visit_successors!(self, |loc: &Loc| f(*loc));
    }

    /// Rewrites every location named by the action.
    pub fn map_successors(&mut self, mut f: impl FnMut(Loc) -> Loc) {
        visit_successors!(self, |loc: &mut Loc| *loc = f(*loc));
    }

    /// Visits every expression that the action evaluates, indices of places included.
    pub fn each_expr<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        use Action::*;
        match self {
            Assign { to, value, .. } => {
                to.each_index(f);
                f(value);
            }
            Havoc { to, .. } | Allocate { to, .. } => to.each_index(f),
            Branch { cond, .. } | Assert { cond, .. } => f(cond),
            Call { args, outs, .. } => {
                args.iter().for_each(&mut *f);
                outs.iter().for_each(|o| o.1.each_index(f));
            }
            EntryCall { entry, .. } | Requeue { entry, .. } => f(entry),
            Select { alternatives, delays, terminate, .. } => {
                for alternative in alternatives {
                    if let Some(guard) = &alternative.guard {
                        f(guard);
                    }
                    f(&alternative.entry);
                }
                delays.iter().filter_map(|d| d.0.as_ref()).for_each(&mut *f);
                if let Some(Some(guard)) = terminate {
                    f(guard);
                }
            }
            Activate { tasks, .. } | Abort { tasks, .. } => tasks.iter().for_each(f),
            Raise { exception, .. } => f(exception),
            Async { trigger: Trigger::Call { entry, .. }, .. } => f(entry),
            _ => {}
        }
    }

    /// Rewrites every expression that the action evaluates.
    pub fn map_exprs(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        use Action::*;
        match self {
            Assign { to, value, .. } => {
                to.map_index(f);
                f(value);
            }
            Havoc { to, .. } | Allocate { to, .. } => to.map_index(f),
            Branch { cond, .. } | Assert { cond, .. } => f(cond),
            Call { args, outs, .. } => {
                args.iter_mut().for_each(&mut *f);
                outs.iter_mut().for_each(|o| o.1.map_index(f));
            }
            EntryCall { entry, .. } | Requeue { entry, .. } => f(entry),
            Select { alternatives, delays, terminate, .. } => {
                for alternative in alternatives {
                    if let Some(guard) = &mut alternative.guard {
                        f(guard);
                    }
                    f(&mut alternative.entry);
                }
                delays.iter_mut().filter_map(|d| d.0.as_mut()).for_each(&mut *f);
                if let Some(Some(guard)) = terminate {
                    f(guard);
                }
            }
            Activate { tasks, .. } | Abort { tasks, .. } => tasks.iter_mut().for_each(f),
            Raise { exception, .. } => f(exception),
            Async { trigger: Trigger::Call { entry, .. }, .. } => f(entry),
            _ => {}
        }
    }
}

impl Var {
    /// The name without the task whose variable it is, if that is told by the name.
    pub fn plain_name(&self) -> &str {
        without_owner(&self.name)
    }
}

impl Proc {
    /// The name of the subprogram, without the task that it is written for.
    pub fn plain_name(&self) -> &str {
        without_owner(&self.name)
    }
}

/// Front ends call a copy that belongs to one task `NAME of TASK`.
fn without_owner(name: &str) -> &str {
    name.split_once(" of ").map_or(name, |(plain, _)| plain)
}

impl Handler {
    /// Where an exception goes that this handler catches.
    pub fn target(&self, exception: ExceptionId) -> Option<Loc> {
        let catches = |c: &Catch| *c == Catch::Others || *c == Catch::Exception(exception);
        self.choices.iter().find(|(c, _)| catches(c)).map(|(_, target)| *target)
    }
}

impl Program {
    /// A value of a variable as the program writes it.
    pub fn value_name(&self, var: VarId, value: i64) -> String {
        let literals = self.literals.get(&var);
        let name = usize::try_from(value).ok().and_then(|v| literals?.get(v));
        name.cloned().unwrap_or_else(|| value.to_string())
    }

    pub fn node(&self, loc: Loc) -> &Node {
        &self.nodes[loc.index()]
    }

    pub fn entry_name(&self, entry: EntryId) -> String {
        let entry = &self.entries[entry.index()];
        let owner = match entry.owner {
            Owner::Task(task) => &self.tasks[task.index()].name,
            Owner::Object(object) => &self.objects[object.index()].name,
        };
        format!("{owner}.{}", entry.name)
    }

    /// The file and line of a location.
    pub fn place(&self, loc: Loc) -> String {
        let span = self.node(loc).span;
        match self.files.get(span.file.0 as usize) {
            Some(file) if !span.is_nowhere() => format!("{file}:{}", span.line),
            _ => "a place that the source does not show".into(),
        }
    }

    /// The bound that an execution meets at a location from which it is not followed; none where the
    /// user wants it so. `recursion` is how deep calls are followed.
    pub fn bound_at(&self, loc: Loc, recursion: usize) -> Option<String> {
        match &self.node(loc).action {
            Action::Stop { why: Cut::Bound, reason } => Some(reason.clone()),
            Action::Allocate { pool, .. } => {
                Some(format!("at most {} tasks are created by the allocator here", pool.len()))
            }
            Action::Call { proc, .. } => {
                let name = &self.procs[proc.index()].name;
                Some(format!("{name} is called within itself at most {recursion} times"))
            }
            _ => None,
        }
    }

    /// A select with more alternatives than a state can hold: it can be analysed, but not executed.
    pub fn wide_select(&self) -> Option<Loc> {
        let wide = |n: &Node| match &n.action {
            Action::Select { alternatives, delays, .. } => {
                alternatives.len() + delays.len() >= crate::state::Open::MOST
            }
            _ => false,
        };
        self.nodes.iter().position(wide).map(Loc::from)
    }

    pub fn exception_name(&self, exception: ExceptionId) -> &str {
        &self.exceptions[exception.index()]
    }

    pub fn assume(&mut self, text: impl Into<String>, span: Span) {
        let assumption = Assumption { text: text.into(), span };
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// Where exceptions of a location may be handled in its procedure, the innermost handler first.
    pub fn handlers_at(&self, loc: Loc) -> impl Iterator<Item = (Catch, Loc)> + '_ {
        let innermost = self.node(loc).handler.map(|id| &self.handlers[id.index()]);
        let outer = |h: &&Handler| h.outer.map(|id| &self.handlers[id.index()]);
        std::iter::successors(innermost, outer).flat_map(|h| h.choices.iter().copied())
    }

    /// Where an exception of a location may lead to in its procedure, and whether it may leave it: nothing
    /// gets past a handler for all.
    pub fn caught_at(&self, loc: Loc) -> (Vec<Loc>, bool) {
        let mut all = Vec::new();
        for (catch, to) in self.handlers_at(loc) {
            all.push(to);
            if catch == Catch::Others {
                return (all, false);
            }
        }
        (all, true)
    }

    /// Every location that control may reach from `start` inside one procedure, handlers
    /// included, in order of discovery.
    pub fn reachable(&self, start: Loc) -> Vec<Loc> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut work = vec![start];
        while let Some(loc) = work.pop() {
            if std::mem::replace(&mut seen[loc.index()], true) {
                continue;
            }
            order.push(loc);
            let node = self.node(loc);
            node.action.each_successor(|next| work.push(next));
            work.extend(self.handlers_at(loc).map(|c| c.1));
        }
        order
    }
}
