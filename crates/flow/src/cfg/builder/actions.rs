//! What an action becomes in the graph.
//!
//! Most actions become one node that leads on. An action that automata may see in several ways becomes several nodes,
//! and a branch one for each outcome. What cannot be expressed is refused with its place.
//!
//! Starting and awaiting tasks become chains of nodes, one task after the other. How long the master waits for the end
//! of activations is not followed, which adds paths. A task whose activation may fail adds the way of the exception.

use rendez_model::monitor::MonitorEvent;
use rendez_model::{
    Action, Cut, EventKind, ExceptionId, Expr, Loc, MasterId, Place, TaskId, Trigger, Value, VarId,
};

use super::super::letters::{Variant, equals, variants};
use super::super::{Id, InteractionRole, Letter, Op, Participation};
use super::{Builder, ContextFrame, Raised};

impl Builder<'_> {
    /// The ways in which it may be seen that a place is given a value at a location.
    pub(super) fn stores(&self, loc: Loc, to: &Place, value: &Expr) -> Vec<Variant> {
        match to {
            _ if self.program.is_declared_at(loc) => vec![Variant { ops: Vec::new(), letters: Vec::new() }],
            Place::Var(to) if self.program.is_selector(*to) => {
                variants(self.program, self.automata, MonitorEvent::Test(value), None)
            }
            _ => self.writes(to, value),
        }
    }

    /// The ways in which an assignment may be seen.
    pub(super) fn writes(&self, to: &Place, value: &Expr) -> Vec<Variant> {
        let program = self.program;
        let known = value.constant().map_or(Value::Any, Value::Known);
        match to {
            Place::Nowhere => vec![Variant { ops: Vec::new(), letters: Vec::new() }],
            Place::Var(cell) => {
                variants(program, self.automata, MonitorEvent::Write(*cell, known), Some(value))
            }
            Place::Indexed(table, index) => {
                let first = program.tables[table.index()].first;
                let mut all = Vec::new();
                let mut silent = false;
                for (i, cell) in program.tables[table.index()].values.iter().enumerate() {
                    let Ok(cell) = u32::try_from(*cell) else { continue };
                    let event = MonitorEvent::Write(VarId(cell), known);
                    for mut variant in variants(program, self.automata, event, Some(value)) {
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

    pub(super) fn assign(&mut self, id: Id, context: u32, loc: Loc, to: &Place, value: &Expr, next: Loc) {
        let target = self.place(context, next);
        let mut ways = Vec::new();
        for variant in self.stores(loc, to, value) {
            let mut ops = variant.ops;
            ops.push(Op::Assign(to.clone(), value.clone()));
            ways.push((ops, variant.letters, vec![target]));
        }
        if self.may_fail(to, value) {
            let which = Raised::Just(ExceptionId::CONSTRAINT_ERROR);
            let fails = Op::Fails(to.clone(), value.clone());
            for raised in self.raise(context, loc, which, &[fails]) {
                ways.push((Vec::new(), Vec::new(), vec![raised]));
            }
        }
        self.ways(id, ways);
    }

    pub(super) fn possible_tasks(&self, expr: &Expr) -> Vec<TaskId> {
        match expr.constant() {
            Some(t) => vec![TaskId(t as u32)],
            None => self.facts.pool.clone(),
        }
    }

    /// Whether a task may come to its end before its activation is done.
    pub(super) fn may_fail_activation(&self, task: TaskId) -> bool {
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

    pub(super) fn fill(&mut self, context: u32, loc: Loc, id: Id) {
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
            Action::Abandon { tasks, next } => self.abandon(id, context, loc, tasks, *next),
            Action::Event { kind: EventKind::Annotated, name, next } => {
                let target = self.place(context, *next);
                let seen = variants(program, self.automata, MonitorEvent::Event(name), None);
                self.ways(id, seen.into_iter().map(|v| (v.ops, v.letters, vec![target])).collect());
            }
            Action::Event { next, .. } => self.go(id, context, *next),
            Action::Assign { to, value, next } => self.assign(id, context, loc, to, value, *next),
            // How many tasks are created is not counted.
            Action::Allocate { .. } => self.nodes[id as usize].unsupported = true,
            Action::Havoc { to, next } => self.havoc(id, context, loc, to, *next),
            Action::Branch { cond, yes, no } => self.branch(id, context, loc, cond, (*yes, *no)),
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
            Action::EndAccept { next } => self.end_accept(id, context, loc, *next),
            Action::FailAccept { occurrence } => self.fail_accept(id, context, loc, *occurrence),
            Action::Requeue { entry, next, .. } => self.requeue(id, context, loc, entry, *next),
            Action::Lock { object, mode, next } => {
                self.role(id, context, Participation::Lock { object: *object, mode: *mode }, *next);
            }
            Action::Unlock { object, next } => {
                self.role(id, context, Participation::Unlock { object: *object }, *next);
            }
            Action::Activate { tasks, next } => self.activate(id, context, loc, tasks, *next),
            Action::Await { masters, next } => self.wait(id, context, loc, masters, *next),
            Action::Terminate => self.terminate(id, loc),
            Action::Abort { next, .. } => self.go(id, context, *next),
            Action::Raise { exception, .. } => {
                let which = match exception {
                    Expr::Const(e) => Raised::Just(ExceptionId(*e as u32)),
                    Expr::Var(cell) => Raised::Held(Some(*cell)),
                    _ => Raised::Held(None),
                };
                self.leave_by(id, context, loc, which);
            }
            Action::Resume { occurrence } => self.leave_by(id, context, loc, Raised::Held(Some(*occurrence))),
            Action::Async { trigger: Trigger::Delay, abortable, triggered } => {
                self.go(id, context, *triggered);
                let inner = self.push(context, ContextFrame::Async { site: loc });
                self.go(id, inner, *abortable);
            }
            Action::Async { .. } => {
                self.refuse(loc, "an asynchronous select with an entry call is not followed by this engine");
            }
            Action::EndAsync { next } => {
                let outer = match &self.contexts.list[context as usize] {
                    (parent, Some(ContextFrame::Async { .. })) => *parent,
                    _ => context,
                };
                self.go(id, outer, *next);
            }
            Action::Stop { why: Cut::User, .. } => {}
            Action::Stop { why: Cut::Bound, .. } => self.nodes[id as usize].unsupported = true,
            Action::Unsupported { .. } => self.nodes[id as usize].unsupported = true,
        }
    }

    fn abandon(&mut self, id: Id, context: u32, loc: Loc, tasks: &[TaskId], next: Loc) {
        let program = self.program;
        let ends = |t: &TaskId| {
            let seen = variants(program, self.automata, MonitorEvent::End(*t), None);
            seen.iter().any(|v| !v.letters.is_empty())
        };
        if tasks.iter().any(ends) {
            self.refuse(loc, "the end of a task that never ran is no event here");
        }
        self.go(id, context, next);
    }

    fn havoc(&mut self, id: Id, context: u32, loc: Loc, to: &Place, next: Loc) {
        let target = self.place(context, next);
        let mut ways = Vec::new();
        for variant in self.stores(loc, to, &Expr::Any) {
            let mut ops = vec![Op::Havoc(to.clone())];
            ops.extend(variant.ops.into_iter().filter(|op| matches!(op, Op::Assume(e, _) if !e.is_any())));
            ways.push((ops, variant.letters, vec![target]));
        }
        if let Place::Indexed(..) = to {
            let which = Raised::Just(ExceptionId::CONSTRAINT_ERROR);
            let fails = Op::Fails(to.clone(), Expr::Any);
            for raised in self.raise(context, loc, which, &[fails]) {
                ways.push((Vec::new(), Vec::new(), vec![raised]));
            }
        }
        self.ways(id, ways);
    }

    fn branch(&mut self, id: Id, context: u32, loc: Loc, cond: &Expr, (yes, no): (Loc, Loc)) {
        let program = self.program;
        let (yes, no) = (self.place(context, yes), self.place(context, no));
        let mut ways = Vec::new();
        for variant in variants(program, self.automata, MonitorEvent::Test(cond), None) {
            for (target, took) in [(yes, true), (no, false)] {
                let mut ops = variant.ops.clone();
                ops.push(Op::Assume(cond.clone(), took));
                ways.push((ops, variant.letters.clone(), vec![target]));
            }
        }
        self.ways(id, ways);
        self.or_raise(id, context, loc, cond);
    }

    fn end_accept(&mut self, id: Id, context: u32, loc: Loc, next: Loc) {
        let program = self.program;
        let (parent, frame) = self.innermost_accept(context);
        let Some(ContextFrame::Accept { node, site, alternative }) = frame else {
            return self.refuse(loc, "an accept statement ends that did not begin");
        };
        let Action::Select { alternatives, .. } = &program.node(site).action else { return };
        let formals = alternatives[alternative].formals.clone();
        let then = vec![self.place(parent, next)];
        self.nodes[id as usize]
            .roles
            .push(InteractionRole { part: Participation::Finish { accept: node, formals }, then });
    }

    fn fail_accept(&mut self, id: Id, context: u32, loc: Loc, occurrence: VarId) {
        let (parent, frame) = self.innermost_accept(context);
        let Some(ContextFrame::Accept { node, .. }) = frame else {
            return self.refuse(loc, "an accept statement ends that did not begin");
        };
        let then = self.raise(parent, loc, Raised::Held(Some(occurrence)), &[]);
        self.nodes[id as usize]
            .roles
            .push(InteractionRole { part: Participation::Fail { accept: node }, then });
    }

    fn activate(&mut self, id: Id, context: u32, loc: Loc, tasks: &[Expr], next: Loc) {
        // One after the other; then it waits, for how long is not followed.
        let mut at = id;
        let mut fails = false;
        for expr in tasks {
            let tasks = self.possible_tasks(expr);
            fails |= tasks.iter().any(|t| self.may_fail_activation(*t));
            let after = self.node(context, loc);
            let role = InteractionRole { part: Participation::Start { tasks }, then: vec![after] };
            self.nodes[at as usize].roles.push(role);
            at = after;
        }
        self.go(at, context, next);
        if fails {
            let raised = self.raise(context, loc, Raised::Just(ExceptionId::TASKING_ERROR), &[]);
            self.nodes[at as usize].succ.extend(raised);
        }
    }

    /// Waits for the tasks that depend on masters.
    fn wait(&mut self, id: Id, context: u32, loc: Loc, masters: &[MasterId], next: Loc) {
        let mut at = id;
        for task in self.dependents(masters) {
            let after = self.node(context, loc);
            let role = InteractionRole { part: Participation::Join { tasks: vec![task] }, then: vec![after] };
            self.nodes[at as usize].roles.push(role);
            at = after;
        }
        self.go(at, context, next);
    }

    fn terminate(&mut self, id: Id, loc: Loc) {
        let program = self.program;
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

    /// A node that takes part in an interaction and goes on.
    fn role(&mut self, id: Id, context: u32, part: Participation, next: Loc) {
        let then = vec![self.place(context, next)];
        self.nodes[id as usize].roles.push(InteractionRole { part, then });
    }

    /// A node that is left by an exception only.
    fn leave_by(&mut self, id: Id, context: u32, loc: Loc, which: Raised) {
        let raised = self.raise(context, loc, which, &[]);
        self.nodes[id as usize].succ.extend(raised);
    }

    /// What automata see when the task comes to its end.
    pub(super) fn end_letters(&self) -> Vec<Letter> {
        let seen = variants(self.program, self.automata, MonitorEvent::End(self.task), None);
        seen.into_iter().flat_map(|v| v.letters).collect()
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
