//! Unfolds one task: a node for each pair of a location and a context.
//!
//! A context is the stack of what the task is in the middle of. Contexts are numbered, and a worklist of pairs is filled
//! until every pair that control may reach has its node, so the unfolding ends: a recursive call opens no new context.
//! `actions.rs` says what an action becomes, `calls.rs` what calls and returns become, `entries.rs` entry calls and
//! requeues, `select.rs` select statements, and `exceptions.rs` where an exception goes.
//!
//! At the end, edges are added for what may happen anywhere: an abort leads to the task's exit from every node, and the
//! end of an abortable part leads to its alternative from every node inside.

mod actions;
mod calls;
mod entries;
mod exceptions;
mod select;

use std::collections::HashMap;

use rendez_model::monitor::Monitor;
use rendez_model::{Action, EntryId, ExceptionId, Loc, MasterId, ProcId, Program, TaskId, VarId};

use super::{CallSite, Cfg, CfgNode, Facts, Id, InteractionRole, Letter, Op, Participation, Unfit};

/// One level of what a task is in the middle of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ContextFrame {
    Call { site: Loc, proc: ProcId },
    Entry { site: Loc, proc: ProcId, entry: EntryId },
    Accept { node: Id, site: Loc, alternative: usize },
    Async { site: Loc },
}

/// Which exceptions may be on their way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raised {
    Just(ExceptionId),
    /// The one that a cell holds, or any.
    Held(Option<VarId>),
}

pub struct Builder<'p> {
    program: &'p Program,
    facts: &'p Facts,
    automata: &'p [Monitor],
    task: TaskId,
    nodes: Vec<CfgNode>,
    /// By context and location.
    places: HashMap<(u32, Loc), Id>,
    contexts: Contexts,
    work: Vec<(u32, Loc)>,
    sites: Vec<CallSite>,
    last: Id,
    unfit: Option<Unfit>,
    /// Whether the task is begun by somebody, or runs from the start.
    started: bool,
}

/// What the task may be in the middle of.
struct Contexts {
    /// Parent and frame; the first is empty.
    list: Vec<(u32, Option<ContextFrame>)>,
    /// By parent and frame.
    known: HashMap<(u32, ContextFrame), u32>,
    /// Where calls of recursive procedures return to, beyond the call that opened the context.
    returns: HashMap<u32, Vec<(u32, Loc)>>,
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
            contexts: Contexts { list: vec![(0, None)], known: HashMap::new(), returns: HashMap::new() },
            work: Vec::new(),
            sites: Vec::new(),
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
        let entered =
            |n: &CfgNode| n.succ.contains(&start) || n.roles.iter().any(|r| r.then.contains(&start));
        let mut init = start;
        if self.started || self.nodes.iter().any(entered) || start == exit {
            init = self.node(0, first);
            match self.started {
                true => {
                    let last = self.last;
                    for n in [init, last] {
                        let role = InteractionRole { part: Participation::Startable, then: vec![start] };
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
            let inside = self.frames(node.context).any(|f| matches!(f, ContextFrame::Async { .. }));
            if inside && node.roles.iter().any(|r| matches!(r.part, Participation::Accept { .. })) {
                fragile.push(i as Id);
            }
        }
        Ok(Cfg { task: self.task, nodes: self.nodes, init, last: self.last, sites: self.sites, fragile })
    }

    fn frames(&self, context: u32) -> impl Iterator<Item = &ContextFrame> {
        let mut at = context;
        std::iter::from_fn(move || {
            let (parent, frame) = &self.contexts.list[at as usize];
            at = *parent;
            frame.as_ref()
        })
    }

    /// Whether a task that is taken from a location of an abortable part does something on its way out.
    fn cleans_up(&self, context: u32, loc: Loc) -> bool {
        if !self.frames(context).any(|f| matches!(f, ContextFrame::Async { .. })) {
            return false;
        }
        let end = match self.frames(context).find(|f| !matches!(f, ContextFrame::Accept { .. })) {
            Some(ContextFrame::Async { site }) => Some(self.program.node(*site).handler),
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
                let (parent, frame) = self.contexts.list[context as usize].clone();
                let Some(frame) = frame else { break };
                if let ContextFrame::Async { site } = frame
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
        self.nodes.push(CfgNode {
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

    fn push(&mut self, context: u32, frame: ContextFrame) -> u32 {
        if let Some(known) = self.contexts.known.get(&(context, frame.clone())) {
            return *known;
        }
        self.contexts.list.push((context, Some(frame.clone())));
        let id = self.contexts.list.len() as u32 - 1;
        self.contexts.known.insert((context, frame), id);
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

    fn refuse(&mut self, loc: Loc, reason: &str) {
        self.unfit = Some(Unfit { reason: reason.to_owned(), loc });
    }

    /// The accept statement that control is in, and the context around it.
    fn innermost_accept(&self, context: u32) -> (u32, Option<ContextFrame>) {
        let (parent, frame) = &self.contexts.list[context as usize];
        match frame {
            Some(ContextFrame::Accept { .. }) => (*parent, frame.clone()),
            _ => (context, None),
        }
    }
}
