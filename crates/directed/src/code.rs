//! The code of a task as graphs that call each other, and how far it is to the end of each.
//!
//! This is the full-context-aware analysis, FCA (Rungta and Mercer, 2006, section III). For each node, *d_end* is the
//! least number of steps to the end of its procedure, and *d_error* the least number to a target without leaving the
//! procedure through its end. A call costs the callee's d_end plus two, one step to enter and one to return.
//!
//! The paper summarises procedures by a depth-first traversal with a matrix of all distances for each, which is cubic
//! and excludes recursion. We use Knuth's generalisation of Dijkstra's algorithm (1977) instead: one search over all
//! procedures at once, backwards from their ends, in which the start of a callee, once it is settled, lets its call
//! sites go on. Every weight is positive, so a value is final when it is taken from the queue, and recursion needs
//! nothing special. Time is close to linear in the size of the code (`radix.rs`).
//!
//! Ada needs some more. Exceptions leave procedures, too: a second value per node counts the steps to an exception that
//! leaves the procedure, and handlers connect both. The body of a protected entry is a callee of the task that runs it.
//! A rendezvous without a body is over in the step that begins it, and a requeued call may run another body, so such
//! steps get shorter edges. All of these keep the values lower bounds on the steps in which the task takes part.
//!
//! Two coarser distances are made here for comparison: FCA without the stack, where the nearest way out of a procedure
//! counts, and FSM, in which a procedure may return to any of its callers.

use rendez_analysis::access::Access;
use rendez_model::{Action, CallMode, Catch, EntryId, Loc, Owner, Place, Program, TaskId, Trigger};
use rustc_hash::FxHashMap;

use crate::radix::Radix;

/// Farther than any execution goes.
pub const FAR: u32 = u32::MAX;

/// Adds distances; what is unreachable stays so.
pub fn plus(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// A place where a graph is called. Who calls a protected entry runs its body.
#[derive(Debug)]
pub struct Site {
    pub at: u32,
    pub callees: Vec<u32>,
    pub next: u32,
    /// Where an exception of the callee may be handled here.
    pub handlers: Vec<u32>,
    /// An exception may also go on to the caller.
    pub escapes: bool,
}

/// A procedure, or the body of a protected entry.
#[derive(Debug)]
pub struct Callee {
    pub start: u32,
    pub ends: Vec<u32>,
    pub sites: Vec<u32>,
}

/// The code of one task. Its nodes are numbered by themselves.
#[derive(Debug)]
pub struct TaskCode {
    pub task: TaskId,
    pub locs: Vec<Loc>,
    pub start: u32,
    pub exit: u32,
    /// Steps inside a graph, forwards and backwards.
    pub after: Vec<Vec<u32>>,
    pub before: Vec<Vec<u32>>,
    pub sites: Vec<Site>,
    /// By node: the site it is.
    pub site_at: Vec<Option<u32>>,
    /// By node: the sites that go on there, and those whose exceptions may.
    continues: Vec<Vec<u32>>,
    handles: Vec<Vec<u32>>,
    pub callees: Vec<Callee>,
    /// By node: the callee it is the start of, and the one it belongs to.
    start_of: Vec<Option<u32>>,
    pub graph_of: Vec<Option<u32>>,
    /// Nodes from which an exception may leave the graph.
    raises: Vec<u32>,
    /// Steps to the end of the graph, and to an exception that leaves it.
    pub to_end: Vec<u32>,
    pub to_raise: Vec<u32>,
}

/// Numbers of the nodes of every location, and what all codes share.
pub struct NodeNumbers {
    place: Vec<u32>,
    /// The entries to which calls are requeued.
    requeued: Vec<EntryId>,
}

impl NodeNumbers {
    /// The number of a location that no task can come to: no node has it.
    const NONE: u32 = u32::MAX;

    pub fn new(program: &Program, access: &Access) -> NodeNumbers {
        let mut place = vec![NodeNumbers::NONE; program.nodes.len()];
        for code in &access.code {
            for (i, loc) in code.iter().enumerate() {
                place[loc.index()] = i as u32;
            }
        }
        let mut requeued = Vec::new();
        for node in &program.nodes {
            if let Action::Requeue { entry, .. } = &node.action {
                requeued.extend(program.possible_entries(entry));
            }
        }
        requeued.sort();
        requeued.dedup();
        NodeNumbers { place, requeued }
    }

    pub fn of(&self, loc: Loc) -> u32 {
        self.place[loc.index()]
    }
}

/// Whether an action may raise an exception where it stands.
fn may_raise(action: &Action) -> bool {
    match action {
        Action::Raise { .. }
        | Action::Resume { .. }
        | Action::FailAccept { .. }
        | Action::Havoc { .. }
        | Action::Assert { .. }
        | Action::EntryCall { .. }
        | Action::Requeue { .. }
        | Action::Activate { .. }
        | Action::Allocate { .. }
        | Action::Lock { .. }
        | Action::Async { .. } => true,
        Action::Assign { to, value, .. } => match to {
            Place::Indexed(..) => true,
            Place::Var(_) | Place::Nowhere => value.constant().is_none(),
        },
        Action::Branch { cond, .. } => cond.constant().is_none(),
        Action::Call { args, .. } => !args.is_empty(),
        Action::Select { alternatives, .. } => alternatives.iter().any(|a| a.guard.is_some()),
        _ => false,
    }
}

impl TaskCode {
    pub fn new(program: &Program, access: &Access, places: &NodeNumbers, task: TaskId) -> TaskCode {
        let locs = access.code[task.index()].clone();
        let n = locs.len();
        let t = &program.tasks[task.index()];
        let mut code = TaskCode {
            task,
            start: places.of(t.start),
            exit: places.of(t.exit),
            after: vec![Vec::new(); n],
            before: vec![Vec::new(); n],
            sites: Vec::new(),
            site_at: vec![None; n],
            continues: vec![Vec::new(); n],
            handles: vec![Vec::new(); n],
            callees: Vec::new(),
            start_of: vec![None; n],
            graph_of: vec![None; n],
            raises: Vec::new(),
            to_end: vec![FAR; n],
            to_raise: vec![FAR; n],
            locs,
        };
        let mut called = FxHashMap::default();
        for i in 0..n {
            code.node(program, places, &mut called, i);
        }
        code.ends(program, places);
        code.exits();
        for i in 0..n {
            for k in 0..code.after[i].len() {
                let to = code.after[i][k] as usize;
                code.before[to].push(i as u32);
            }
        }
        for s in 0..code.sites.len() {
            let Site { next, handlers, callees, .. } = &code.sites[s];
            code.continues[*next as usize].push(s as u32);
            handlers.iter().for_each(|h| code.handles[*h as usize].push(s as u32));
            callees.iter().for_each(|c| code.callees[*c as usize].sites.push(s as u32));
        }
        code.summarise();
        code
    }

    /// Where exceptions of a node are handled in its graph, and whether some are not.
    fn handlers(program: &Program, places: &NodeNumbers, loc: Loc) -> (Vec<u32>, bool) {
        let mut targets = Vec::new();
        for (catch, target) in program.handlers_at(loc) {
            targets.push(places.of(target));
            if catch == Catch::Others {
                return (targets, false);
            }
        }
        (targets, true)
    }

    /// Adds a node: where it leads inside its graph, and what it calls.
    fn node(&mut self, program: &Program, places: &NodeNumbers, called: &mut FxHashMap<Loc, u32>, i: usize) {
        let loc = self.locs[i];
        let action = &program.node(loc).action;
        let (handlers, escapes) = Self::handlers(program, places, loc);
        let mut next_by_callee = None;
        match action {
            Action::Call { proc, next, .. } => {
                let callee = self.callee(places, called, program.procs[proc.index()].start);
                next_by_callee = Some((vec![callee], *next));
            }
            Action::EntryCall { entry, mode, next, .. } => {
                // A call that is requeued runs another body.
                let mut entries = program.possible_entries(entry);
                entries.extend(&places.requeued);
                let (callees, rendezvous) = self.bodies(program, places, called, &entries);
                if rendezvous {
                    self.after[i].push(places.of(*next));
                }
                if !callees.is_empty() {
                    next_by_callee = Some((callees, *next));
                }
                match mode {
                    CallMode::Plain => {}
                    CallMode::Conditional { otherwise: other } | CallMode::Timed { timeout: other } => {
                        self.after[i].push(places.of(*other));
                    }
                }
            }
            Action::Select { alternatives, terminate, .. } => {
                action.each_successor(|l| self.after[i].push(places.of(l)));
                // A rendezvous without a body is over in the same step.
                for a in alternatives {
                    if let Action::EndAccept { next } = program.node(a.body).action {
                        self.after[i].push(places.of(next));
                    }
                }
                if terminate.is_some() {
                    self.after[i].push(self.exit);
                }
            }
            Action::Async { trigger, .. } => {
                action.each_successor(|l| self.after[i].push(places.of(l)));
                if let Trigger::Call { entry, .. } = trigger {
                    // The body of the triggering call, if this task runs it.
                    for e in program.possible_entries(entry) {
                        if let Some(body) = program.bodies.get(&(self.task, e)) {
                            self.after[i].push(places.of(program.procs[body.index()].start));
                        }
                    }
                }
            }
            _ => action.each_successor(|l| self.after[i].push(places.of(l))),
        }
        if may_raise(action) {
            self.after[i].extend(&handlers);
            if escapes {
                self.raises.push(i as u32);
            }
        }
        if let Some((callees, next)) = next_by_callee {
            self.site_at[i] = Some(self.sites.len() as u32);
            let next = places.of(next);
            self.sites.push(Site { at: i as u32, callees, next, handlers, escapes });
        }
    }

    /// The number of the callee that begins at a location.
    fn callee(&mut self, places: &NodeNumbers, called: &mut FxHashMap<Loc, u32>, start: Loc) -> u32 {
        *called.entry(start).or_insert_with(|| {
            let start = places.of(start);
            self.start_of[start as usize] = Some(self.callees.len() as u32);
            self.callees.push(Callee { start, ends: Vec::new(), sites: Vec::new() });
            self.callees.len() as u32 - 1
        })
    }

    /// The bodies of protected entries among those that may be called, and whether there are other entries.
    fn bodies(
        &mut self,
        program: &Program,
        places: &NodeNumbers,
        called: &mut FxHashMap<Loc, u32>,
        entries: &[EntryId],
    ) -> (Vec<u32>, bool) {
        let mut callees = Vec::new();
        let mut rendezvous = false;
        for e in entries {
            match (program.entries[e.index()].owner, program.bodies.get(&(self.task, *e))) {
                (Owner::Object(_), Some(body)) => {
                    callees.push(self.callee(places, called, program.procs[body.index()].start));
                }
                _ => rendezvous = true,
            }
        }
        (callees, rendezvous)
    }

    /// Finds the graph that each node belongs to, and where graphs end.
    fn ends(&mut self, program: &Program, places: &NodeNumbers) {
        for c in 0..self.callees.len() {
            let start = self.callees[c].start;
            for loc in program.reachable(self.locs[start as usize]) {
                let node = places.of(loc);
                self.graph_of[node as usize] = Some(c as u32);
                // A call that is requeued from here ends the body; it may be over in no time.
                if matches!(program.node(loc).action, Action::Return | Action::Requeue { .. }) {
                    self.callees[c].ends.push(node);
                }
            }
        }
    }

    /// An exception that leaves the body of the task leads to its exit.
    fn exits(&mut self) {
        for r in &self.raises {
            if self.graph_of[*r as usize].is_none() {
                self.after[*r as usize].push(self.exit);
            }
        }
    }

    /// Steps to the end of each graph and to exceptions: Dijkstra's algorithm over both at once, in
    /// which the start of a callee, once settled, lets its sites go on. Recursion needs no more.
    fn summarise(&mut self) {
        const END: usize = 0;
        const RAISE: usize = 1;
        let n = self.locs.len();
        let mut settled = [vec![FAR; n], vec![FAR; n]];
        let mut queue = Radix::default();
        let item = |node: u32, kind: usize| node * 2 + kind as u32;
        for callee in &self.callees {
            callee.ends.iter().for_each(|e| queue.push(0, item(*e, END)));
        }
        self.raises.iter().for_each(|r| queue.push(0, item(*r, RAISE)));
        while let Some((v, it)) = queue.pop() {
            let (node, kind) = ((it / 2) as usize, (it % 2) as usize);
            if settled[kind][node] != FAR {
                continue;
            }
            settled[kind][node] = v;
            for p in &self.before[node] {
                queue.push(plus(v, 1), item(*p, kind));
            }
            for (sites, through) in [(&self.continues[node], END), (&self.handles[node], RAISE)] {
                for s in sites {
                    let site = &self.sites[*s as usize];
                    for c in &site.callees {
                        let inside = settled[through][self.callees[*c as usize].start as usize];
                        if inside != FAR {
                            queue.push(plus(v, plus(inside, 2)), item(site.at, kind));
                        }
                    }
                }
            }
            let Some(callee) = self.start_of[node] else { continue };
            for s in &self.callees[callee as usize].sites {
                let site = &self.sites[*s as usize];
                let next = std::slice::from_ref(&site.next);
                let goes_on = if kind == END { next } else { &site.handlers };
                for to in goes_on {
                    for k in [END, RAISE] {
                        let rest = settled[k][*to as usize];
                        if rest != FAR {
                            queue.push(plus(rest, plus(v, 2)), item(site.at, k));
                        }
                    }
                }
                if kind == RAISE && site.escapes {
                    queue.push(plus(v, 1), item(site.at, RAISE));
                }
            }
        }
        let [to_end, to_raise] = settled;
        self.to_end = to_end;
        self.to_raise = to_raise;
    }

    /// Steps to the nearest target without leaving the graph through its end: d_error of the paper.
    pub fn to_target(&self, targets: &[u32]) -> Vec<u32> {
        let mut settled = vec![FAR; self.locs.len()];
        let mut queue = Radix::default();
        targets.iter().for_each(|t| queue.push(0, *t));
        while let Some((v, node)) = queue.pop() {
            let node = node as usize;
            if settled[node] != FAR {
                continue;
            }
            settled[node] = v;
            for p in &self.before[node] {
                queue.push(plus(v, 1), *p);
            }
            for (sites, through) in
                [(&self.continues[node], &self.to_end), (&self.handles[node], &self.to_raise)]
            {
                for s in sites {
                    let site = &self.sites[*s as usize];
                    for c in &site.callees {
                        let inside = through[self.callees[*c as usize].start as usize];
                        if inside != FAR {
                            queue.push(plus(v, plus(inside, 2)), site.at);
                        }
                    }
                }
            }
            if let Some(callee) = self.start_of[node] {
                for s in &self.callees[callee as usize].sites {
                    queue.push(plus(v, 1), self.sites[*s as usize].at);
                }
            }
        }
        settled
    }

    /// The same where it is not known who called: the nearest way out counts. For each node the
    /// distance to a target through the ends of graphs, too.
    pub fn to_target_anyhow(&self, targets: &[u32]) -> Vec<u32> {
        let inside = self.to_target(targets);
        // By callee: from where it returns to, and from where its exceptions go.
        let mut returned = vec![FAR; self.callees.len()];
        let mut raised = vec![FAR; self.callees.len()];
        let value = |node: u32, returned: &[u32], raised: &[u32]| {
            let i = node as usize;
            let (ends, raises) = match self.graph_of[i] {
                Some(g) => (returned[g as usize], raised[g as usize]),
                None => (FAR, inside[self.exit as usize]),
            };
            let out = plus(plus(self.to_end[i], 1), ends).min(plus(plus(self.to_raise[i], 1), raises));
            inside[i].min(out)
        };
        loop {
            let before = (returned.clone(), raised.clone());
            for site in &self.sites {
                let next = value(site.next, &returned, &raised);
                let mut handled =
                    site.handlers.iter().map(|h| value(*h, &returned, &raised)).min().unwrap_or(FAR);
                if site.escapes {
                    handled = handled.min(match self.graph_of[site.at as usize] {
                        Some(g) => raised[g as usize],
                        None => inside[self.exit as usize],
                    });
                }
                for c in &site.callees {
                    let c = *c as usize;
                    returned[c] = returned[c].min(next);
                    raised[c] = raised[c].min(handled);
                }
            }
            if (&returned, &raised) == (&before.0, &before.1) {
                break;
            }
        }
        (0..self.locs.len() as u32).map(|i| value(i, &returned, &raised)).collect()
    }

    /// Steps to the nearest target in the graph of the whole task, in which whoever is called may
    /// return to any caller: the FSM distance.
    pub fn to_target_by_any_return(&self, targets: &[u32]) -> Vec<u32> {
        let mut settled = vec![FAR; self.locs.len()];
        let mut queue = std::collections::VecDeque::new();
        for t in targets {
            settled[*t as usize] = 0;
            queue.push_back(*t);
        }
        let mut raises = vec![Vec::new(); self.callees.len()];
        for r in &self.raises {
            if let Some(g) = self.graph_of[*r as usize] {
                raises[g as usize].push(*r);
            }
        }
        while let Some(node) = queue.pop_front() {
            let v = settled[node as usize] + 1;
            let mut reach = |p: u32| {
                if settled[p as usize] == FAR {
                    settled[p as usize] = v;
                    queue.push_back(p);
                }
            };
            self.before[node as usize].iter().for_each(|p| reach(*p));
            if let Some(callee) = self.start_of[node as usize] {
                self.callees[callee as usize].sites.iter().for_each(|s| reach(self.sites[*s as usize].at));
            }
            for s in &self.continues[node as usize] {
                for c in &self.sites[*s as usize].callees {
                    self.callees[*c as usize].ends.iter().for_each(|e| reach(*e));
                }
            }
            for s in &self.handles[node as usize] {
                for c in &self.sites[*s as usize].callees {
                    raises[*c as usize].iter().for_each(|r| reach(*r));
                }
            }
            if node == self.exit {
                self.raises.iter().for_each(|r| reach(*r));
            }
        }
        settled
    }
}
