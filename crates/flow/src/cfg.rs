//! Control-flow graphs of single tasks, with procedures unfolded.
//!
//! This file makes the graph that FLAVERS analyses for one task (Dwyer, Clarke, Cobleigh and Naumovich, *Flow analysis
//! for verifying properties of concurrent software systems*, 2004, section 4.1.1). A node is something that a task
//! executes. Its operations say what it does to data, its letters what automata see. A task at a node may go on to the
//! successors, or take part in an interaction: a role says in which, and where the task goes on afterwards. `tfg.rs`
//! joins roles that fit together.
//!
//! FLAVERS inlines calls in the source. Here a node is a pair of a location and a context, and a context is the stack
//! of what the task is in the middle of: calls, bodies of protected entries, accept statements, abortable parts. A
//! recursive call shares the context of the call that is already open, and its returns lead to all callers: an
//! over-approximation.
//!
//! Why this is right: every step that the semantics allows the task has its node. Where others decide whether a step
//! can happen and no role says so, it is allowed at any time. An expression that may raise an exception has an edge to
//! every handler that may take it, and out of every procedure that it may leave; an abort or the end of an asynchronous
//! select leads away from every node of its region. What cannot be expressed is refused with its place, never left out.
//!
//! What automata see is worked out here, too. If it depends on data whether an action is an event (an assignment to an
//! element of an array, a value that a property names), the action becomes several nodes, each with the condition under
//! which it is that event. So letters of nodes are certain, and only the constraints on data decide which of the nodes
//! can be passed.
//!
//! As published, no check and no call fails. That reading exists for comparisons with the published tables.

use std::collections::HashMap;

use rendez_model::monitor::{Fit, Happening, Moment, Monitor, tested};
use rendez_model::{
    Action, BinaryOp, CallMode, Cut, Domain, EntryId, EventKind, ExceptionId, Expr, Formal, Loc, LockMode,
    MasterId, ObjectId, Owner, Place, ProcId, Program, TaskId, Trigger, Value, VarId,
};

pub type Id = u32;

/// What a node does to data.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The expression has this truth value.
    Assume(Expr, bool),
    /// Evaluating the expression raises an exception.
    Raises(Expr),
    Assign(Place, Expr),
    /// Gives a cell a value without a look at its range.
    Set(VarId, Expr),
    /// The assignment raises an exception.
    Fails(Place, Expr),
    Havoc(Place),
    Copy {
        to: VarId,
        from: VarId,
    },
    /// The cell gets its initial value.
    Reset(VarId),
}

/// How a node takes part in interactions.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Waits for an entry of a task to accept; `site` numbers the call.
    /// `more` are the arguments of others who share the node.
    Call {
        entry: EntryId,
        args: Vec<VarId>,
        more: Vec<Vec<VarId>>,
        site: Id,
    },
    /// Waits for the lock and the barrier of a protected entry.
    Enter {
        entry: EntryId,
        object: ObjectId,
        formals: Vec<Formal>,
        args: Vec<VarId>,
    },
    /// Ready to accept; `accept` numbers the statement.
    Accept {
        entry: EntryId,
        formals: Vec<Formal>,
        accept: Id,
        whole: bool,
    },
    /// Ends the rendezvous that began with an accept statement.
    Finish {
        accept: Id,
        formals: Vec<Formal>,
    },
    /// An exception ends it, in both tasks.
    Fail {
        accept: Id,
    },
    /// The caller goes to another queue.
    Requeue {
        accept: Id,
        entry: EntryId,
        formals: Vec<Formal>,
    },
    Lock {
        object: ObjectId,
        mode: LockMode,
    },
    Unlock {
        object: ObjectId,
    },
    /// Starts one of the tasks.
    Start {
        tasks: Vec<TaskId>,
    },
    /// Waits for the end of one of the tasks.
    Join {
        tasks: Vec<TaskId>,
    },
    /// May be ended by a master that waits.
    Terminable,
    /// Not running: may be started.
    Startable,
    /// Waits for a call at a task that may be completed.
    Refused {
        entry: EntryId,
    },
    /// The rendezvous of a call may fail.
    Broken {
        site: Id,
    },
}

#[derive(Clone, Debug)]
pub struct Role {
    pub part: Part,
    pub then: Vec<Id>,
}

/// A letter of one of the automata that are followed.
pub type Letter = (u8, u32);

#[derive(Clone, Debug)]
pub struct Node {
    pub loc: Loc,
    pub ops: Vec<Op>,
    pub letters: Vec<Letter>,
    pub succ: Vec<Id>,
    pub roles: Vec<Role>,
    /// The task is completed here: calls fail.
    pub completed: bool,
    /// A construct that has no meaning in the model.
    pub unsupported: bool,
    context: u32,
}

/// A place where an entry is called.
#[derive(Clone, Debug, Default)]
pub struct CallSite {
    /// Where the call waits at each entry it may be requeued to.
    pub pending: Vec<(EntryId, Id)>,
}

/// The control-flow graph of one task.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub task: TaskId,
    pub nodes: Vec<Node>,
    pub init: Id,
    pub last: Id,
    pub sites: Vec<CallSite>,
    /// The nodes of accept statements inside of regions that are left at any time.
    pub fragile: Vec<Id>,
}

/// Facts about the whole program that the graphs of single tasks need.
pub struct Facts {
    /// By task: somebody may abort it.
    pub abortable: Vec<bool>,
    /// Entries that calls may be requeued to.
    requeues: Vec<EntryId>,
    /// Protected objects that may cease to exist.
    closed: Vec<bool>,
    /// Tasks that allocators make.
    pool: Vec<TaskId>,
    /// Locals of procedures that may call themselves.
    pub recursive: Vec<bool>,
    /// As published: no check fails.
    pub unchecked: bool,
    /// Arguments of calls that always have the same value.
    pub constant: Vec<Option<i64>>,
}

/// Why a program cannot be analysed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub reason: String,
    pub loc: Loc,
}

impl Facts {
    pub fn new(program: &Program) -> Facts {
        let mut abortable = vec![false; program.tasks.len()];
        let mut requeues = Vec::new();
        let mut closed = vec![false; program.objects.len()];
        let mut pool = Vec::new();
        for node in &program.nodes {
            match &node.action {
                Action::Abort { tasks, .. } => {
                    for expr in tasks {
                        match expr.constant() {
                            Some(t) => abortable[t as usize] = true,
                            None => abortable.iter_mut().for_each(|a| *a = true),
                        }
                    }
                }
                Action::Requeue { entry, .. } => requeues.extend(program.possible_entries(entry)),
                Action::Close { object, .. } => closed[object.index()] = true,
                Action::Allocate { pool: tasks, .. } => pool.extend(tasks),
                _ => {}
            }
        }
        // An abort takes the dependents with it.
        loop {
            let mut changed = false;
            for (t, task) in program.tasks.iter().enumerate() {
                let owner = task.master.map(|m| program.masters[m.index()].owner.index());
                if !abortable[t] && owner.is_some_and(|o| abortable[o]) {
                    abortable[t] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut recursive = vec![false; program.vars.len()];
        for proc in rendez_analysis::passes::recursive_procedures(program) {
            for cell in &program.procs[proc.index()].locals {
                recursive[cell.index()] = true;
            }
        }
        requeues.sort();
        requeues.dedup();
        // A call that is requeued takes back what bodies assigned to its parameters.
        let constant = match requeues.is_empty() {
            true => constant_arguments(program),
            false => vec![None; program.vars.len()],
        };
        Facts { abortable, requeues, closed, pool, recursive, unchecked: false, constant }
    }
}

/// Cells that only ever carry one number as an argument, and get it right before each call.
fn constant_arguments(program: &Program) -> Vec<Option<i64>> {
    let mut value: Vec<Option<i64>> = vec![None; program.vars.len()];
    let mut spoilt = vec![false; program.vars.len()];
    let mut before: Vec<Vec<Loc>> = vec![Vec::new(); program.nodes.len()];
    let mut outs = vec![Vec::new(); program.entries.len()];
    for (i, node) in program.nodes.iter().enumerate() {
        node.action.each_successor(|s| before[s.index()].push(Loc::from(i)));
        if let Action::Select { alternatives, .. } = &node.action {
            for a in alternatives {
                for e in program.possible_entries(&a.entry) {
                    outs[e.index()].extend((0..a.formals.len()).filter(|f| a.formals[*f].mode.copies_out()));
                }
            }
        }
        match &node.action {
            Action::Assign { to: Place::Var(cell), value: Expr::Const(v), .. } => {
                let known = &mut value[cell.index()];
                spoilt[cell.index()] |= known.is_some_and(|k| k != *v);
                *known = Some(*v);
            }
            action => rendez_model::code::each_written(program, action, |c| spoilt[c.index()] = true),
        }
    }
    for proc in &program.procs {
        proc.formals.iter().for_each(|f| spoilt[f.cell.index()] = true);
    }
    for (i, node) in program.nodes.iter().enumerate() {
        let Action::EntryCall { entry, args, .. } = &node.action else { continue };
        let written: Vec<usize> =
            program.possible_entries(entry).iter().flat_map(|e| outs[e.index()].clone()).collect();
        for (position, cell) in args.iter().enumerate() {
            // Backwards over the assignments to arguments of this call.
            let mut work = before[i].clone();
            let mut fresh = !work.is_empty();
            let mut seen = Vec::new();
            while let Some(loc) = work.pop() {
                match &program.node(loc).action {
                    Action::Assign { to: Place::Var(c), .. } if c == cell => {}
                    Action::Assign { to: Place::Var(c), .. } if args.contains(c) && !seen.contains(&loc) => {
                        seen.push(loc);
                        fresh &= !before[loc.index()].is_empty();
                        work.extend(&before[loc.index()]);
                    }
                    Action::Assign { .. } if seen.contains(&loc) => {}
                    _ => fresh = false,
                }
            }
            spoilt[cell.index()] |= !fresh || written.contains(&position);
        }
    }
    value.into_iter().zip(spoilt).map(|(v, s)| v.filter(|_| !s)).collect()
}

/// One level of what a task is in the middle of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Frame {
    Call { site: Loc, proc: ProcId },
    Entry { site: Loc, proc: ProcId, entry: EntryId },
    Accept { node: Id, site: Loc, alternative: usize },
    Async { site: Loc },
}

/// Which exceptions may be on their way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Just(ExceptionId),
    /// The one that a cell holds, or any.
    Held(Option<VarId>),
}

pub struct Builder<'p> {
    program: &'p Program,
    facts: &'p Facts,
    automata: &'p [Monitor],
    task: TaskId,
    nodes: Vec<Node>,
    /// By context and location.
    places: HashMap<(u32, Loc), Id>,
    /// Parent and frame; the first is empty.
    contexts: Vec<(u32, Option<Frame>)>,
    known_contexts: HashMap<(u32, Frame), u32>,
    work: Vec<(u32, Loc)>,
    sites: Vec<CallSite>,
    /// Where calls of recursive procedures return to, beyond the call that opened the context.
    returns: HashMap<u32, Vec<(u32, Loc)>>,
    last: Id,
    unfit: Option<Unfit>,
    /// Whether the task is begun by somebody, or runs from the start.
    started: bool,
}

/// A way in which something may happen: what it needs, and the letters it is.
struct Variant {
    ops: Vec<Op>,
    letters: Vec<Letter>,
}

fn equals(cell: Expr, value: i64) -> Expr {
    Expr::binary(BinaryOp::Equal, cell, Expr::Const(value))
}

/// The ways in which a moment may be seen by automata. `written` is the expression that is assigned.
fn variants(program: &Program, automata: &[Monitor], moment: Moment, written: Option<&Expr>) -> Vec<Variant> {
    let mut all = vec![Variant { ops: Vec::new(), letters: Vec::new() }];
    for (a, automaton) in automata.iter().enumerate() {
        let ways = readings(program, automaton, moment, written);
        let joined = all.iter().flat_map(|before| {
            ways.iter().map(|(ops, letter)| Variant {
                ops: [&before.ops[..], ops].concat(),
                letters: before.letters.iter().copied().chain(letter.map(|l| (a as u8, l))).collect(),
            })
        });
        all = joined.collect();
    }
    all
}

/// The letters that a moment may be for one automaton, and what each needs. What no moment may carry is left out.
fn readings(
    program: &Program,
    automaton: &Monitor,
    moment: Moment,
    written: Option<&Expr>,
) -> Vec<(Vec<Op>, Option<u32>)> {
    let mut ways: Vec<(Vec<Op>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
    for (happening, symbol) in &automaton.watch {
        let fit = happening.fits(program, moment, &|e| Ok(e.constant().map_or(Value::Any, Value::Known)));
        if fit == Fit::No {
            continue;
        }
        let test = match fit {
            Fit::Maybe => condition(program, happening, moment, written),
            _ => None,
        };
        let mut next = Vec::new();
        for (ops, set) in ways {
            let more: Vec<u32> = set.iter().copied().chain([*symbol]).collect();
            if set.contains(symbol) || (fit == Fit::Maybe && !automaton.may_carry(&more)) {
                next.push((ops, set));
                continue;
            }
            let given = |took: bool| {
                let assumed = test.iter().map(|t| Op::Assume(t.clone(), took));
                ops.iter().cloned().chain(assumed).collect::<Vec<Op>>()
            };
            next.push((given(true), more));
            if fit == Fit::Maybe {
                next.push((given(false), set));
            }
        }
        ways = next;
    }
    let letter = |(ops, mut set): (Vec<Op>, Vec<u32>)| {
        set.sort_unstable();
        match (set.is_empty(), automaton.number(&set)) {
            (true, _) => Some((ops, None)),
            (false, number) => number.map(|n| (ops, Some(automaton.sets[n as usize].1))),
        }
    };
    let found: Vec<_> = ways.into_iter().filter_map(letter).collect();
    assert!(!found.is_empty(), "every set of names that a moment carries is listed");
    found
}

/// What decides whether a moment is the happening, if an expression can say it.
fn condition(
    program: &Program,
    happening: &Happening,
    moment: Moment,
    written: Option<&Expr>,
) -> Option<Expr> {
    let signed = |e: Expr, equal: bool| if equal { e } else { e.not() };
    match (happening, moment) {
        (Happening::Write { value: Some((equal, v)), .. }, Moment::Write(..)) => {
            written.map(|e| signed(equals(e.clone(), *v), *equal))
        }
        (Happening::Test { cells, value }, Moment::Test(expr)) => Some(tested(program, expr, cells, *value)),
        (Happening::Accept { values, .. }, Moment::Accept { formals, .. }) => values
            .iter()
            .zip(formals)
            .filter_map(|(v, f)| v.map(|v| equals(Expr::Var(f.cell), v)))
            .reduce(|a, b| Expr::binary(BinaryOp::And, a, b)),
        _ => None,
    }
}

/// The ways in which the beginning of a rendezvous or of a protected entry may be seen.
pub fn accepted(
    program: &Program,
    automata: &[Monitor],
    caller: TaskId,
    entry: EntryId,
    formals: &[Formal],
) -> Vec<(Vec<Op>, Vec<Letter>)> {
    let moment = Moment::Accept { caller, entry, formals };
    variants(program, automata, moment, None).into_iter().map(|v| (v.ops, v.letters)).collect()
}

/// What automata see when a task is started.
pub fn begun(program: &Program, automata: &[Monitor], task: TaskId) -> Vec<Letter> {
    variants(program, automata, Moment::Start(task), None).into_iter().flat_map(|v| v.letters).collect()
}

pub fn finished(program: &Program, automata: &[Monitor], caller: TaskId, entry: EntryId) -> Vec<Letter> {
    let moment = Moment::Finish { caller, entry };
    variants(program, automata, moment, None).into_iter().flat_map(|v| v.letters).collect()
}

/// Parameters on their way in. Results may have a value already if the call was requeued.
pub fn copies_in(facts: &Facts, formals: &[Formal], args: &[VarId]) -> Vec<Op> {
    formals
        .iter()
        .zip(args)
        .map(|(formal, arg)| match formal.mode.copies_in() {
            true => Op::Copy { to: formal.cell, from: *arg },
            false if !facts.requeues.is_empty() => Op::Havoc(Place::Var(formal.cell)),
            false => Op::Reset(formal.cell),
        })
        .collect()
}

/// Results on their way out.
pub fn copies_out(formals: &[Formal], args: &[VarId]) -> Vec<Op> {
    let outs = formals.iter().zip(args).filter(|(f, _)| f.mode.copies_out());
    outs.map(|(f, arg)| Op::Copy { to: *arg, from: f.cell }).collect()
}

impl<'p> Builder<'p> {
    /// The graph of a task. A task that is not `started` by anybody runs from the beginning.
    pub fn build(
        program: &'p Program,
        facts: &'p Facts,
        automata: &'p [Monitor],
        task: TaskId,
        started: bool,
    ) -> Result<Cfg, Unfit> {
        let builder = Builder {
            program,
            facts,
            automata,
            task,
            nodes: Vec::new(),
            places: HashMap::new(),
            contexts: vec![(0, None)],
            known_contexts: HashMap::new(),
            work: Vec::new(),
            sites: Vec::new(),
            returns: HashMap::new(),
            last: 0,
            unfit: None,
            started,
        };
        builder.run()
    }

    fn run(mut self) -> Result<Cfg, Unfit> {
        let task = &self.program.tasks[self.task.index()];
        self.last = self.node(0, task.exit);
        self.nodes[self.last as usize].completed = true;
        // The task's own declarations are not told from its statements.
        let mut first = task.start;
        while let Action::Activated { next } | Action::Skip { next } = self.program.node(first).action {
            if first == next {
                break;
            }
            first = next;
        }
        let start = self.place(0, first);
        let exit = self.place(0, task.exit);
        while let Some((context, loc)) = self.work.pop() {
            let id = self.places[&(context, loc)];
            self.fill(context, loc, id);
            if self.cleans_up(context, loc) {
                self.refuse(loc, "an abortable part that cleans up is not followed by this engine");
            }
            if let Some(unfit) = self.unfit.take() {
                return Err(unfit);
            }
        }
        self.mark_completed(exit);
        self.take_away(exit);
        let entered = |n: &Node| n.succ.contains(&start) || n.roles.iter().any(|r| r.then.contains(&start));
        let mut init = start;
        if self.started || self.nodes.iter().any(entered) || start == exit {
            init = self.node(0, first);
            match self.started {
                true => {
                    let last = self.last;
                    for n in [init, last] {
                        let role = Role { part: Part::Startable, then: vec![start] };
                        self.nodes[n as usize].roles.push(role);
                    }
                    if self.facts.abortable[self.task.index()] {
                        self.nodes[init as usize].succ.push(exit);
                    }
                }
                false => self.nodes[init as usize].succ.push(start),
            }
        }
        let mut fragile = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let inside = self.frames(node.context).any(|f| matches!(f, Frame::Async { .. }));
            if inside && node.roles.iter().any(|r| matches!(r.part, Part::Accept { .. })) {
                fragile.push(i as Id);
            }
        }
        Ok(Cfg { task: self.task, nodes: self.nodes, init, last: self.last, sites: self.sites, fragile })
    }

    fn frames(&self, context: u32) -> impl Iterator<Item = &Frame> {
        let mut at = context;
        std::iter::from_fn(move || {
            let (parent, frame) = &self.contexts[at as usize];
            at = *parent;
            frame.as_ref()
        })
    }

    /// Whether a task that is taken from a location of an abortable part does something on its way out.
    fn cleans_up(&self, context: u32, loc: Loc) -> bool {
        if !self.frames(context).any(|f| matches!(f, Frame::Async { .. })) {
            return false;
        }
        let end = match self.frames(context).find(|f| !matches!(f, Frame::Accept { .. })) {
            Some(Frame::Async { site }) => Some(self.program.node(*site).handler),
            _ => None,
        };
        let mut handler = self.program.node(loc).handler;
        while let Some(id) = handler
            && end != Some(handler)
        {
            let h = &self.program.handlers[id.index()];
            if h.cleanup && !h.choices.iter().all(|c| self.only_goes_on(c.1)) {
                return true;
            }
            handler = h.outer;
        }
        false
    }

    /// Whether a clean-up has nothing to do.
    fn only_goes_on(&self, mut loc: Loc) -> bool {
        let of = |masters: &[MasterId]| {
            self.program.tasks.iter().any(|t| t.master.is_some_and(|m| masters.contains(&m)))
        };
        loop {
            loc = match &self.program.node(loc).action {
                Action::Resume { .. } | Action::FailAccept { .. } => return true,
                Action::Skip { next } | Action::EndAsync { next } | Action::Undefer { next } => *next,
                Action::Abandon { tasks, next } if tasks.is_empty() => *next,
                Action::Await { masters, next } if !of(masters) => *next,
                _ => return false,
            }
        }
    }

    /// Everything between the exit and the end is completed.
    fn mark_completed(&mut self, exit: Id) {
        let mut work = vec![exit];
        while let Some(n) = work.pop() {
            if std::mem::replace(&mut self.nodes[n as usize].completed, true) && n != self.last && n != exit {
                continue;
            }
            let node = &self.nodes[n as usize];
            for s in node.succ.iter().chain(node.roles.iter().flat_map(|r| &r.then)) {
                if !self.nodes[*s as usize].completed {
                    work.push(*s);
                }
            }
        }
    }

    /// An abort, or the end of a delay, takes the task away from wherever it is.
    fn take_away(&mut self, exit: Id) {
        let abortable = self.facts.abortable[self.task.index()];
        let mut targets: HashMap<Loc, Id> = HashMap::new();
        for n in 0..self.nodes.len() {
            if abortable && !self.nodes[n].completed && !self.nodes[n].succ.contains(&exit) {
                self.nodes[n].succ.push(exit);
            }
            let mut context = self.nodes[n].context;
            loop {
                let (parent, frame) = self.contexts[context as usize].clone();
                let Some(frame) = frame else { break };
                if let Frame::Async { site } = frame
                    && let Action::Async { triggered, .. } = &self.program.node(site).action
                {
                    let known = self.places.get(&(parent, *triggered)).copied();
                    if let Some(target) = known.or_else(|| targets.get(&site).copied())
                        && !self.nodes[n].succ.contains(&target)
                    {
                        targets.insert(site, target);
                        self.nodes[n].succ.push(target);
                    }
                }
                context = parent;
            }
        }
    }

    fn node(&mut self, context: u32, loc: Loc) -> Id {
        self.nodes.push(Node {
            loc,
            ops: Vec::new(),
            letters: Vec::new(),
            succ: Vec::new(),
            roles: Vec::new(),
            completed: false,
            unsupported: false,
            context,
        });
        self.nodes.len() as Id - 1
    }

    /// A node that leads somewhere.
    fn step(&mut self, context: u32, loc: Loc, ops: Vec<Op>, to: Vec<Id>) -> Id {
        let id = self.node(context, loc);
        self.nodes[id as usize].ops = ops;
        self.nodes[id as usize].succ = to;
        id
    }

    /// The node where a task begins what stands at a location.
    fn place(&mut self, context: u32, loc: Loc) -> Id {
        if let Some(known) = self.places.get(&(context, loc)) {
            return *known;
        }
        let terminates = matches!(self.program.node(loc).action, Action::Terminate);
        let id = match terminates && self.end_letters().is_empty() {
            true => self.last,
            false => self.node(context, loc),
        };
        self.places.insert((context, loc), id);
        self.work.push((context, loc));
        id
    }

    fn push(&mut self, context: u32, frame: Frame) -> u32 {
        if let Some(known) = self.known_contexts.get(&(context, frame.clone())) {
            return *known;
        }
        self.contexts.push((context, Some(frame.clone())));
        let id = self.contexts.len() as u32 - 1;
        self.known_contexts.insert((context, frame), id);
        id
    }

    fn go(&mut self, id: Id, context: u32, next: Loc) {
        let target = self.place(context, next);
        self.nodes[id as usize].succ.push(target);
    }

    /// Several ways of doing the same thing: the first takes the node itself if it is the only one.
    fn ways(&mut self, id: Id, ways: Vec<(Vec<Op>, Vec<Letter>, Vec<Id>)>) {
        let (context, loc) = (self.nodes[id as usize].context, self.nodes[id as usize].loc);
        if ways.len() == 1 {
            for (ops, letters, to) in ways {
                let node = &mut self.nodes[id as usize];
                node.ops.extend(ops);
                node.letters.extend(letters);
                node.succ.extend(to);
            }
            return;
        }
        for (ops, letters, to) in ways {
            let way = self.step(context, loc, ops, to);
            self.nodes[way as usize].letters = letters;
            self.nodes[id as usize].succ.push(way);
        }
    }

    /// Where an exception goes: nodes that do what happens on the way.
    fn raise(&mut self, context: u32, loc: Loc, which: Which, before: &[Op]) -> Vec<Id> {
        let program = self.program;
        let mut found = Vec::new();
        let mut ops = before.to_vec();
        let mut context = context;
        let mut at = loc;
        let held = |which: Which, e: ExceptionId, ops: &mut Vec<Op>| {
            if let Which::Held(Some(cell)) = which {
                ops.push(Op::Assume(equals(Expr::Var(cell), i64::from(e.0)), true));
            }
        };
        loop {
            let mut handler = program.node(at).handler;
            while let Some(id) = handler {
                let h = &program.handlers[id.index()];
                let mut closed = false;
                for (catch, target) in &h.choices {
                    let mut ops = ops.clone();
                    let value = match (catch, which) {
                        (rendez_model::Catch::Exception(e), Which::Just(raised)) if *e != raised => continue,
                        (rendez_model::Catch::Exception(e), _) => {
                            held(which, *e, &mut ops);
                            Expr::Const(i64::from(e.0))
                        }
                        (rendez_model::Catch::Others, Which::Just(raised)) => {
                            Expr::Const(i64::from(raised.0))
                        }
                        (rendez_model::Catch::Others, Which::Held(Some(cell))) => Expr::Var(cell),
                        (rendez_model::Catch::Others, Which::Held(None)) => Expr::Any,
                    };
                    if let Some(cell) = h.occurrence {
                        ops.push(Op::Set(cell, value));
                    }
                    let target = self.place(context, *target);
                    found.push(self.step(context, loc, ops, vec![target]));
                    closed = *catch == rendez_model::Catch::Others || matches!(which, Which::Just(_));
                    if closed {
                        break;
                    }
                }
                if closed {
                    return found;
                }
                handler = h.outer;
            }
            // Out of the innermost procedure.
            loop {
                let (parent, frame) = self.contexts[context as usize].clone();
                match frame {
                    None => {
                        let exit = self.place(0, program.tasks[self.task.index()].exit);
                        found.push(self.step(0, loc, ops, vec![exit]));
                        return found;
                    }
                    Some(Frame::Call { site, proc } | Frame::Entry { site, proc, .. }) => {
                        ops.extend(self.leave(proc));
                        // A recursive call may have been made elsewhere.
                        for (other, site) in self.returns.get(&context).cloned().unwrap_or_default() {
                            if other != context {
                                found.extend(self.raise(other, site, which, &ops));
                            }
                        }
                        context = parent;
                        at = site;
                        break;
                    }
                    Some(Frame::Accept { .. } | Frame::Async { .. }) => context = parent,
                }
            }
        }
    }

    /// Locals of a procedure that is left.
    fn leave(&self, proc: ProcId) -> Vec<Op> {
        let locals = &self.program.procs[proc.index()].locals;
        locals
            .iter()
            .map(|l| match self.facts.recursive[l.index()] {
                true => Op::Havoc(Place::Var(*l)),
                false => Op::Reset(*l),
            })
            .collect()
    }

    /// Adds what happens if an expression cannot be evaluated.
    fn or_raise(&mut self, id: Id, context: u32, loc: Loc, expr: &Expr) {
        if expr.may_raise(self.program) && !self.facts.unchecked {
            let which = Which::Just(ExceptionId::CONSTRAINT_ERROR);
            let raised = self.raise(context, loc, which, &[Op::Raises(expr.clone())]);
            self.nodes[id as usize].succ.extend(raised);
        }
    }

    fn may_fail(&self, to: &Place, value: &Expr) -> bool {
        !self.facts.unchecked
            && (value.may_raise(self.program)
                || match to {
                    Place::Nowhere => false,
                    Place::Indexed(..) => true,
                    Place::Var(cell) => !value.is_any() && !value.fits(self.program, *cell),
                })
    }

    /// The ways in which it may be seen that a place is given a value at a location.
    fn stores(&self, loc: Loc, to: &Place, value: &Expr) -> Vec<Variant> {
        match to {
            _ if self.program.is_declared_at(loc) => vec![Variant { ops: Vec::new(), letters: Vec::new() }],
            Place::Var(to) if self.program.is_selector(*to) => {
                variants(self.program, self.automata, Moment::Test(value), None)
            }
            _ => self.writes(to, value),
        }
    }

    /// The ways in which an assignment may be seen.
    fn writes(&self, to: &Place, value: &Expr) -> Vec<Variant> {
        let program = self.program;
        let known = value.constant().map_or(Value::Any, Value::Known);
        match to {
            Place::Nowhere => vec![Variant { ops: Vec::new(), letters: Vec::new() }],
            Place::Var(cell) => variants(program, self.automata, Moment::Write(*cell, known), Some(value)),
            Place::Indexed(table, index) => {
                let first = program.tables[table.index()].first;
                let mut all = Vec::new();
                let mut silent = false;
                for (i, cell) in program.tables[table.index()].values.iter().enumerate() {
                    let Ok(cell) = u32::try_from(*cell) else { continue };
                    let moment = Moment::Write(VarId(cell), known);
                    for mut variant in variants(program, self.automata, moment, Some(value)) {
                        if variant.letters.is_empty() && variant.ops.is_empty() {
                            silent = true;
                            continue;
                        }
                        let here = equals(index.clone(), first + i as i64);
                        variant.ops.insert(0, Op::Assume(here, true));
                        all.push(variant);
                    }
                }
                if silent || all.is_empty() {
                    all.push(Variant { ops: Vec::new(), letters: Vec::new() });
                }
                all
            }
        }
    }

    fn assign(&mut self, id: Id, context: u32, loc: Loc, to: &Place, value: &Expr, next: Loc) {
        let target = self.place(context, next);
        let mut ways = Vec::new();
        for variant in self.stores(loc, to, value) {
            let mut ops = variant.ops;
            ops.push(Op::Assign(to.clone(), value.clone()));
            ways.push((ops, variant.letters, vec![target]));
        }
        if self.may_fail(to, value) {
            let which = Which::Just(ExceptionId::CONSTRAINT_ERROR);
            let fails = Op::Fails(to.clone(), value.clone());
            for raised in self.raise(context, loc, which, &[fails]) {
                ways.push((Vec::new(), Vec::new(), vec![raised]));
            }
        }
        self.ways(id, ways);
    }

    fn possible_tasks(&self, expr: &Expr) -> Vec<TaskId> {
        match expr.constant() {
            Some(t) => vec![TaskId(t as u32)],
            None => self.facts.pool.clone(),
        }
    }

    /// Whether a task may come to its end before its activation is done.
    fn may_fail_activation(&self, task: TaskId) -> bool {
        if self.facts.abortable[task.index()] {
            return true;
        }
        let mut work = vec![self.program.tasks[task.index()].start];
        let mut seen = Vec::new();
        while let Some(loc) = work.pop() {
            if seen.contains(&loc) {
                continue;
            }
            seen.push(loc);
            let action = &self.program.node(loc).action;
            let mut raises = matches!(
                action,
                Action::Raise { .. }
                    | Action::Call { .. }
                    | Action::EntryCall { .. }
                    | Action::Activate { .. }
            );
            action.each_expr(&mut |e| raises |= e.may_raise(self.program));
            if let Action::Assign { to, value, .. } = action {
                raises |= self.may_fail(to, value);
            }
            if raises {
                return true;
            }
            if !matches!(action, Action::Activated { .. }) {
                work.extend(action.successors());
            }
        }
        false
    }

    fn fill(&mut self, context: u32, loc: Loc, id: Id) {
        let program = self.program;
        let action = &program.node(loc).action;
        match action {
            Action::Skip { next }
            | Action::Delay { next }
            | Action::Activated { next }
            | Action::Complete { next }
            | Action::Defer { next }
            | Action::Undefer { next }
            | Action::Close { next, .. }
            | Action::Assert { next, .. } => self.go(id, context, *next),
            Action::Abandon { tasks, next } => {
                let ends = |t: &TaskId| {
                    let seen = variants(program, self.automata, Moment::End(*t), None);
                    seen.iter().any(|v| !v.letters.is_empty())
                };
                if tasks.iter().any(ends) {
                    self.refuse(loc, "the end of a task that never ran is no event here");
                }
                self.go(id, context, *next);
            }
            Action::Event { kind: EventKind::Annotated, name, next } => {
                let target = self.place(context, *next);
                let seen = variants(program, self.automata, Moment::Event(name), None);
                self.ways(id, seen.into_iter().map(|v| (v.ops, v.letters, vec![target])).collect());
            }
            Action::Event { next, .. } => self.go(id, context, *next),
            Action::Assign { to, value, next } => self.assign(id, context, loc, to, value, *next),
            // How many tasks are created is not counted.
            Action::Allocate { .. } => self.nodes[id as usize].unsupported = true,
            Action::Havoc { to, next } => {
                let target = self.place(context, *next);
                let mut ways = Vec::new();
                for variant in self.stores(loc, to, &Expr::Any) {
                    let mut ops = vec![Op::Havoc(to.clone())];
                    ops.extend(
                        variant.ops.into_iter().filter(|op| matches!(op, Op::Assume(e, _) if !e.is_any())),
                    );
                    ways.push((ops, variant.letters, vec![target]));
                }
                if let Place::Indexed(..) = to {
                    let which = Which::Just(ExceptionId::CONSTRAINT_ERROR);
                    let fails = Op::Fails(to.clone(), Expr::Any);
                    for raised in self.raise(context, loc, which, &[fails]) {
                        ways.push((Vec::new(), Vec::new(), vec![raised]));
                    }
                }
                self.ways(id, ways);
            }
            Action::Branch { cond, yes, no } => {
                let (yes, no) = (self.place(context, *yes), self.place(context, *no));
                let mut ways = Vec::new();
                for variant in variants(program, self.automata, Moment::Test(cond), None) {
                    for (target, took) in [(yes, true), (no, false)] {
                        let mut ops = variant.ops.clone();
                        ops.push(Op::Assume(cond.clone(), took));
                        ways.push((ops, variant.letters.clone(), vec![target]));
                    }
                }
                self.ways(id, ways);
                self.or_raise(id, context, loc, cond);
            }
            Action::Choose { targets } => {
                for target in targets {
                    self.go(id, context, *target);
                }
            }
            Action::Call { proc, args, .. } => self.call(id, context, loc, *proc, args),
            Action::Return => self.returned(id, context, loc),
            Action::EntryCall { entry, args, mode, next } => {
                self.entry_call(id, context, loc, entry, args, mode, *next);
            }
            Action::Select { .. } => self.select(id, context, loc),
            Action::EndAccept { next } => {
                let (parent, frame) = self.innermost_accept(context);
                let Some(Frame::Accept { node, site, alternative }) = frame else {
                    return self.refuse(loc, "an accept statement ends that did not begin");
                };
                let Action::Select { alternatives, .. } = &program.node(site).action else { return };
                let formals = alternatives[alternative].formals.clone();
                let then = vec![self.place(parent, *next)];
                self.nodes[id as usize]
                    .roles
                    .push(Role { part: Part::Finish { accept: node, formals }, then });
            }
            Action::FailAccept { occurrence } => {
                let (parent, frame) = self.innermost_accept(context);
                let Some(Frame::Accept { node, .. }) = frame else {
                    return self.refuse(loc, "an accept statement ends that did not begin");
                };
                let then = self.raise(parent, loc, Which::Held(Some(*occurrence)), &[]);
                self.nodes[id as usize].roles.push(Role { part: Part::Fail { accept: node }, then });
            }
            Action::Requeue { entry, next, .. } => self.requeue(id, context, loc, entry, *next),
            Action::Lock { object, mode, next } => {
                let then = vec![self.place(context, *next)];
                let part = Part::Lock { object: *object, mode: *mode };
                self.nodes[id as usize].roles.push(Role { part, then });
            }
            Action::Unlock { object, next } => {
                let then = vec![self.place(context, *next)];
                self.nodes[id as usize].roles.push(Role { part: Part::Unlock { object: *object }, then });
            }
            Action::Activate { tasks, next } => {
                // One after the other; then it waits, for how long is not followed.
                let mut at = id;
                let mut fails = false;
                for expr in tasks {
                    let tasks = self.possible_tasks(expr);
                    fails |= tasks.iter().any(|t| self.may_fail_activation(*t));
                    let after = self.node(context, loc);
                    let role = Role { part: Part::Start { tasks }, then: vec![after] };
                    self.nodes[at as usize].roles.push(role);
                    at = after;
                }
                self.go(at, context, *next);
                if fails {
                    let raised = self.raise(context, loc, Which::Just(ExceptionId::TASKING_ERROR), &[]);
                    self.nodes[at as usize].succ.extend(raised);
                }
            }
            Action::Await { masters, next } => {
                let mut at = id;
                for task in self.dependents(masters) {
                    let after = self.node(context, loc);
                    let role = Role { part: Part::Join { tasks: vec![task] }, then: vec![after] };
                    self.nodes[at as usize].roles.push(role);
                    at = after;
                }
                self.go(at, context, *next);
            }
            Action::Terminate => {
                let letters = self.end_letters();
                if !letters.is_empty() {
                    if program.tasks[self.task.index()].background {
                        self.refuse(loc, "the end of a task of the environment is no event here");
                    }
                    self.nodes[id as usize].letters = letters;
                    let last = self.last;
                    self.nodes[id as usize].succ.push(last);
                }
            }
            Action::Abort { next, .. } => self.go(id, context, *next),
            Action::Raise { exception, .. } => {
                let which = match exception {
                    Expr::Const(e) => Which::Just(ExceptionId(*e as u32)),
                    Expr::Var(cell) => Which::Held(Some(*cell)),
                    _ => Which::Held(None),
                };
                let raised = self.raise(context, loc, which, &[]);
                self.nodes[id as usize].succ.extend(raised);
            }
            Action::Resume { occurrence } => {
                let raised = self.raise(context, loc, Which::Held(Some(*occurrence)), &[]);
                self.nodes[id as usize].succ.extend(raised);
            }
            Action::Async { trigger: Trigger::Delay, abortable, triggered } => {
                self.go(id, context, *triggered);
                let inner = self.push(context, Frame::Async { site: loc });
                self.go(id, inner, *abortable);
            }
            Action::Async { .. } => {
                self.refuse(loc, "an asynchronous select with an entry call is not followed by this engine");
            }
            Action::EndAsync { next } => {
                let outer = match &self.contexts[context as usize] {
                    (parent, Some(Frame::Async { .. })) => *parent,
                    _ => context,
                };
                self.go(id, outer, *next);
            }
            Action::Stop { why: Cut::User, .. } => {}
            Action::Stop { why: Cut::Bound, .. } => self.nodes[id as usize].unsupported = true,
            Action::Unsupported { .. } => self.nodes[id as usize].unsupported = true,
        }
    }

    /// What automata see when the task comes to its end.
    fn end_letters(&self) -> Vec<Letter> {
        let seen = variants(self.program, self.automata, Moment::End(self.task), None);
        seen.into_iter().flat_map(|v| v.letters).collect()
    }

    fn refuse(&mut self, loc: Loc, reason: &str) {
        self.unfit = Some(Unfit { reason: reason.to_owned(), loc });
    }

    /// The accept statement that control is in, and the context around it.
    fn innermost_accept(&self, context: u32) -> (u32, Option<Frame>) {
        let (parent, frame) = &self.contexts[context as usize];
        match frame {
            Some(Frame::Accept { .. }) => (*parent, frame.clone()),
            _ => (context, None),
        }
    }

    fn call(&mut self, id: Id, context: u32, loc: Loc, proc: ProcId, args: &[Expr]) {
        let program = self.program;
        let formals = &program.procs[proc.index()].formals;
        let mut ops = Vec::new();
        for (formal, arg) in formals.iter().zip(args) {
            if formal.mode.copies_in() {
                ops.push(Op::Set(formal.cell, arg.clone()));
            }
        }
        // A procedure that calls itself is followed without telling its calls apart.
        let mut at = context;
        let mut inner = None;
        while let (parent, Some(frame)) = &self.contexts[at as usize] {
            if matches!(frame, Frame::Call { proc: p, .. } if *p == proc) {
                inner = Some(at);
                break;
            }
            at = *parent;
        }
        let inner = match inner {
            Some(known) => {
                self.returns.entry(known).or_default().push((context, loc));
                // Returns that were written before must learn of the new place.
                let again: Vec<(u32, Loc)> = self
                    .places
                    .keys()
                    .filter(|(c, l)| *c == known && matches!(program.node(*l).action, Action::Return))
                    .copied()
                    .collect();
                for (c, l) in again {
                    let node = self.places[&(c, l)];
                    self.nodes[node as usize].succ.clear();
                    self.nodes[node as usize].ops.clear();
                    self.work.push((c, l));
                }
                known
            }
            None => self.push(context, Frame::Call { site: loc, proc }),
        };
        let target = self.place(inner, program.procs[proc.index()].start);
        let seen = variants(program, self.automata, Moment::Enter(proc), None);
        let ways = seen.into_iter().map(|v| {
            let mut all = v.ops;
            all.extend(ops.clone());
            (all, v.letters, vec![target])
        });
        let ways = ways.collect();
        self.ways(id, ways);
        for arg in args {
            self.or_raise(id, context, loc, arg);
        }
    }

    fn returned(&mut self, id: Id, context: u32, loc: Loc) {
        let program = self.program;
        let (parent, frame) = self.contexts[context as usize].clone();
        match frame {
            Some(Frame::Call { site, proc }) => {
                let mut to = vec![(parent, site)];
                to.extend(self.returns.get(&context).cloned().unwrap_or_default());
                for (back, site) in to {
                    let Action::Call { outs, next, .. } = &program.node(site).action else { continue };
                    let formals = &program.procs[proc.index()].formals;
                    let target = self.place(back, *next);
                    // Results one after the other, then the locals are gone.
                    let recursive = self.facts.recursive.iter().any(|r| *r)
                        && program.procs[proc.index()].locals.iter().any(|l| self.facts.recursive[l.index()]);
                    let mut ways = vec![(Vec::new(), Vec::new())];
                    let mut fails = Vec::new();
                    for (i, place) in outs {
                        let value = match recursive {
                            true => Expr::Any,
                            false => Expr::Var(formals[*i].cell),
                        };
                        if self.may_fail(place, &value) {
                            fails.push(Op::Fails(place.clone(), value.clone()));
                        }
                        let mut next_ways = Vec::new();
                        for (ops, letters) in &ways {
                            for variant in self.writes(place, &value) {
                                let (mut ops, mut letters): (Vec<Op>, Vec<Letter>) =
                                    (ops.clone(), letters.clone());
                                ops.extend(variant.ops);
                                ops.push(Op::Assign(place.clone(), value.clone()));
                                letters.extend(variant.letters);
                                next_ways.push((ops, letters));
                            }
                        }
                        ways = next_ways;
                    }
                    let leave = self.leave(proc);
                    for (mut ops, letters) in ways {
                        ops.extend(leave.clone());
                        let way = self.step(context, loc, ops, vec![target]);
                        self.nodes[way as usize].letters = letters;
                        self.nodes[id as usize].succ.push(way);
                    }
                    for fail in fails {
                        let mut ops = vec![fail];
                        ops.extend(leave.clone());
                        let which = Which::Just(ExceptionId::CONSTRAINT_ERROR);
                        let raised = self.raise(back, site, which, &ops);
                        self.nodes[id as usize].succ.extend(raised);
                    }
                }
            }
            Some(Frame::Entry { site, proc, entry }) => {
                let Action::EntryCall { args, next, .. } = &program.node(site).action else { return };
                let formals = &program.procs[proc.index()].formals;
                let mut ops = copies_out(formals, args);
                ops.extend(self.leave(proc));
                let letters = finished(program, self.automata, self.task, entry);
                let target = self.place(parent, *next);
                self.ways(id, vec![(ops, letters, vec![target])]);
            }
            _ => {
                let which = Which::Just(ExceptionId::PROGRAM_ERROR);
                let raised = self.raise(context, loc, which, &[]);
                self.nodes[id as usize].succ.extend(raised);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn entry_call(
        &mut self,
        id: Id,
        context: u32,
        loc: Loc,
        entry: &Expr,
        args: &[VarId],
        mode: &CallMode,
        next: Loc,
    ) {
        let next = self.place(context, next);
        let otherwise = match mode {
            CallMode::Plain => None,
            CallMode::Conditional { otherwise: l } | CallMode::Timed { timeout: l } => {
                Some(self.place(context, *l))
            }
        };
        let site = self.sites.len() as Id;
        self.sites.push(CallSite::default());
        let called = self.program.possible_entries(entry);
        if called.is_empty() {
            self.nodes[id as usize].unsupported = true;
            return;
        }
        let tasking_error = self.raise(context, loc, Which::Just(ExceptionId::TASKING_ERROR), &[]);
        let any_error = self.raise(context, loc, Which::Held(None), &[]);
        let single = called.len() == 1 && self.facts.requeues.is_empty();
        let mut all = called.clone();
        all.extend(self.facts.requeues.iter().filter(|e| !called.contains(e)));
        for e in &all {
            let node = if single { id } else { self.node(context, loc) };
            self.sites[site as usize].pending.push((*e, node));
            if !single && called.contains(e) {
                let ops = match called.len() {
                    1 => Vec::new(),
                    _ => vec![Op::Assume(equals(entry.clone(), i64::from(e.0)), true)],
                };
                let way = self.step(context, loc, ops, vec![node]);
                self.nodes[id as usize].succ.push(way);
            }
            self.nodes[node as usize].succ.extend(otherwise);
            let part = match self.program.entries[e.index()].owner {
                Owner::Task(owner) => {
                    if self.facts.abortable[owner.index()] {
                        self.nodes[node as usize].succ.extend(&tasking_error);
                    }
                    let refused = Role { part: Part::Refused { entry: *e }, then: tasking_error.clone() };
                    let broken = Role { part: Part::Broken { site }, then: any_error.clone() };
                    self.nodes[node as usize].roles.extend([refused, broken]);
                    Part::Call { entry: *e, args: args.to_vec(), more: Vec::new(), site }
                }
                Owner::Object(object) => {
                    let Some(proc) = self.program.bodies.get(&(self.task, *e)) else { continue };
                    if self.facts.closed[object.index()]
                        || self.program.queue_limit.is_some()
                        || self.program.a_barrier_may_raise(object)
                    {
                        let which = Which::Just(ExceptionId::PROGRAM_ERROR);
                        let raised = self.raise(context, loc, which, &[]);
                        self.nodes[node as usize].succ.extend(raised);
                    }
                    let formals = self.program.procs[proc.index()].formals.clone();
                    let inner = self.push(context, Frame::Entry { site: loc, proc: *proc, entry: *e });
                    let body = self.place(inner, self.program.procs[proc.index()].start);
                    let part = Part::Enter { entry: *e, object, formals, args: args.to_vec() };
                    self.nodes[node as usize].roles.push(Role { part, then: vec![body] });
                    continue;
                }
            };
            self.nodes[node as usize].roles.push(Role { part, then: vec![next] });
        }
        self.or_raise(id, context, loc, entry);
    }

    fn select(&mut self, id: Id, context: u32, loc: Loc) {
        let program = self.program;
        let Action::Select { alternatives, otherwise, delays, terminate } = &program.node(loc).action else {
            return;
        };
        let guards = alternatives.iter().filter_map(|a| a.guard.as_ref());
        let guards: Vec<&Expr> = guards
            .chain(delays.iter().filter_map(|d| d.0.as_ref()))
            .chain(terminate.iter().filter_map(|t| t.as_ref()))
            .collect();
        // What automata see of the guards.
        let mut heads = vec![(Vec::<Op>::new(), Vec::<Letter>::new())];
        for guard in alternatives
            .iter()
            .filter_map(|a| a.guard.as_ref())
            .chain(delays.iter().filter_map(|d| d.0.as_ref()))
        {
            let mut next = Vec::new();
            for (ops, letters) in &heads {
                for v in variants(program, self.automata, Moment::Test(guard), None) {
                    let (mut ops, mut letters) = (ops.clone(), letters.clone());
                    ops.extend(v.ops);
                    letters.extend(v.letters);
                    next.push((ops, letters));
                }
            }
            heads = next;
        }
        let mut choices: Vec<Id> = Vec::new();
        let assume =
            |guard: &Option<Expr>| guard.iter().map(|g| Op::Assume(g.clone(), true)).collect::<Vec<_>>();
        for (i, alternative) in alternatives.iter().enumerate() {
            let entries = program.possible_entries(&alternative.entry);
            for entry in &entries {
                let mut ops = assume(&alternative.guard);
                if entries.len() > 1 {
                    ops.push(Op::Assume(equals(alternative.entry.clone(), i64::from(entry.0)), true));
                }
                let node = self.step(context, loc, ops, Vec::new());
                let whole = matches!(program.node(alternative.body).action, Action::EndAccept { .. });
                let then = match program.node(alternative.body).action {
                    Action::EndAccept { next } => vec![self.place(context, next)],
                    _ => {
                        let frame = Frame::Accept { node, site: loc, alternative: i };
                        let inner = self.push(context, frame);
                        vec![self.place(inner, alternative.body)]
                    }
                };
                let formals = alternative.formals.clone();
                let part = Part::Accept { entry: *entry, formals, accept: node, whole };
                self.nodes[node as usize].roles.push(Role { part, then });
                choices.push(node);
            }
            self.or_raise(id, context, loc, &alternative.entry);
        }
        for (guard, target) in delays {
            let target = self.place(context, *target);
            choices.push(self.step(context, loc, assume(guard), vec![target]));
        }
        if let Some(guard) = terminate {
            let exit = self.place(0, program.tasks[self.task.index()].exit);
            let node = self.step(context, loc, assume(guard), Vec::new());
            self.nodes[node as usize].roles.push(Role { part: Part::Terminable, then: vec![exit] });
            choices.push(node);
        }
        if let Some(otherwise) = otherwise {
            choices.push(self.place(context, *otherwise));
        }
        let always = alternatives.iter().any(|a| a.guard.is_none())
            || delays.iter().any(|d| d.0.is_none())
            || terminate.as_ref().is_some_and(|t| t.is_none());
        if otherwise.is_none() && !always {
            let closed: Vec<Op> = guards.iter().map(|g| Op::Assume((*g).clone(), false)).collect();
            choices.extend(self.raise(context, loc, Which::Just(ExceptionId::PROGRAM_ERROR), &closed));
        }
        let ways = heads.into_iter().map(|(ops, letters)| (ops, letters, choices.clone())).collect();
        self.ways(id, ways);
        for guard in guards {
            self.or_raise(id, context, loc, guard);
        }
    }

    fn requeue(&mut self, id: Id, context: u32, loc: Loc, entry: &Expr, next: Loc) {
        let program = self.program;
        let entries = program.possible_entries(entry);
        let (parent, frame) = self.contexts[context as usize].clone();
        match frame {
            Some(Frame::Accept { node, site, alternative }) => {
                let Action::Select { alternatives, .. } = &program.node(site).action else { return };
                let next = self.place(parent, next);
                for e in &entries {
                    let formals = alternatives[alternative].formals.clone();
                    let part = Part::Requeue { accept: node, entry: *e, formals };
                    self.nodes[id as usize].roles.push(Role { part, then: vec![next] });
                }
            }
            Some(Frame::Entry { site, entry: own, proc }) => {
                let Owner::Object(object) = program.entries[own.index()].owner else { return };
                let Action::EntryCall { args, .. } = &program.node(site).action else { return };
                let mut ops = copies_out(&program.procs[proc.index()].formals, args);
                ops.extend(self.leave(proc));
                // The call that is being served waits again, at another entry.
                let call = self.places[&(parent, site)];
                let sites = self.sites.iter().find(|s| {
                    s.pending.iter().any(|(_, n)| {
                        *n == call
                            || self.nodes[*n as usize].loc == site
                                && self.nodes[*n as usize].context == parent
                    })
                });
                let Some(pending) = sites.map(|s| s.pending.clone()) else {
                    return self.refuse(loc, "a requeue whose call is not known");
                };
                let then: Vec<Id> =
                    pending.iter().filter(|(e, _)| entries.contains(e)).map(|p| p.1).collect();
                let then = vec![self.step(parent, site, ops, then)];
                self.nodes[id as usize].roles.push(Role { part: Part::Unlock { object }, then });
            }
            _ => self.refuse(loc, "a requeue outside of an entry"),
        }
        self.or_raise(id, context, loc, entry);
    }

    /// The tasks that must end before masters are left: those without a terminate alternative first.
    fn dependents(&self, masters: &[MasterId]) -> Vec<TaskId> {
        let program = self.program;
        let mut found: Vec<TaskId> = Vec::new();
        loop {
            let before = found.len();
            for (t, task) in program.tasks.iter().enumerate() {
                let id = TaskId::from(t);
                let Some(master) = task.master else { continue };
                let owner = program.masters[master.index()].owner;
                if !task.background
                    && !found.contains(&id)
                    && (masters.contains(&master) || found.contains(&owner))
                {
                    found.push(id);
                }
            }
            if found.len() == before {
                break;
            }
        }
        let terminates = |t: &TaskId| {
            rendez_model::code::task_code(program, *t)
                .iter()
                .any(|l| matches!(program.node(*l).action, Action::Select { terminate: Some(_), .. }))
        };
        let (late, mut early): (Vec<TaskId>, Vec<TaskId>) = found.into_iter().partition(terminates);
        early.extend(late);
        early
    }
}

/// Whether a cell can be followed at all.
pub fn is_trackable(program: &Program, facts: &Facts, cell: VarId) -> bool {
    let var = &program.vars[cell.index()];
    matches!(var.domain, Domain::Range(..)) && !facts.recursive[cell.index()]
}
