//! Tasks, rendezvous, selects, allocators of tasks, entries of protected objects.

use std::collections::HashMap;
use std::rc::Rc;

use rendez_model::{
    Action, Alternative, CallMode, Catch, Cut, EntryId, Expr as Model, Formal, Handler, HandlerId, Loc, Mode,
    ObjectId, Owner, Place, Proc, ProcId, Storage, TaskId, VarId,
};
use rendez_source::Span;

use crate::call::actual_for;
use crate::elaborate::{Around, Cx, Elaborator, Job, ProcInfo, ReturnCx};
use crate::env::*;
use crate::syntax::{self, *};

/// What the caller copies to its variables after a call.
#[derive(Default)]
pub(crate) struct Copies {
    /// Argument cells, places, and the subtype of the place if the value must satisfy predicates.
    back: Vec<(VarId, Place, Option<TypeId>)>,
    /// Objects that must satisfy predicates afterwards.
    objects: Vec<(Obj, TypeId)>,
    /// A check on the way back is not followed.
    unsure: bool,
}

/// A call of an entry that is to be made.
pub(crate) struct EntryCall<'a> {
    pub entry: Model,
    pub args: Vec<VarId>,
    pub copies: Copies,
    pub set: Rc<EntrySet<'a>>,
}

impl<'a> Elaborator<'a> {
    /// Writes the body of a task.
    pub(crate) fn task_code(&mut self, task: TaskId) {
        let instance = self.task_instances[&task].clone();
        let span = self.program.tasks[task.index()].span;
        let start = self.program.add_node(Action::Return, span, None);
        self.program.tasks[task.index()].start = start;
        let exit = self.program.tasks[task.index()].exit;
        let master = self.program.add_master(instance.name.clone(), task);
        let scope = self.new_scope(instance.scope, self.unit_types[instance.of.0].name.clone());
        let cx = Cx {
            task,
            scope,
            cur: start,
            span,
            handler: None,
            cleanups: Vec::new(),
            loops: Vec::new(),
            ret: Some(ReturnCx { target: exit, cleanups: 0, result: None }),
            occurrence: None,
            prepared_for: Vec::new(),
            locals: Vec::new(),
            pending: Vec::new(),
            region: scope,
            package: None,
            master,
            labels: HashMap::new(),
            object: None,
            repeated: false,
            storage: Storage::Local(task),
            prefix: format!("{}.", instance.name),
            after_accept: None,
            around: Around::default(),
            activating: true,
            controlled: None,
            reads: Vec::new(),
        };
        let outer = std::mem::replace(&mut self.cx, cx);
        self.cx.controlled = self.enter_region("");
        match self.unit_types[instance.of.0].body {
            UnitBody::Task(body) => {
                let objects = self.program.objects.len();
                self.declare_all(&body.decls);
                let declared = objects..self.program.objects.len();
                if self.units.requeues && !declared.is_empty() {
                    self.task_objects.push((task, declared));
                }
                self.handled(&body.handled);
                self.put(Action::Skip { next: exit });
            }
            _ => {
                let name = instance.name.clone();
                self.reject(self.unit_types[instance.of.0].span, format!("task `{name}` has no body"));
            }
        }
        self.cx = outer;
    }

    pub(crate) fn interrupt_code(&mut self, task: TaskId, instance: InstanceId, handler: &str) {
        let span = self.program.tasks[task.index()].span;
        let start = self.program.add_node(Action::Return, span, None);
        self.program.tasks[task.index()].start = start;
        let scope = self.instances[instance.0].scope;
        let list = self.scopes[scope.0].names.get(handler).cloned().unwrap_or_default();
        self.task_context(task, start, |e| {
            e.emit(|next| Action::Activated { next });
            let head = e.cx.cur;
            match e.bindings(list, handler) {
                Meaning::Subprograms(subs) => e.again(head, |e| e.call_procedure(&subs, &[], span)),
                _ => e.reject(span, "a handler that is no protected procedure"),
            }
        });
    }

    /// What an interrupt does that calls an entry: it may wait, or give up at any time.
    pub(crate) fn interrupt_entry_code(&mut self, task: TaskId, entry: EntryId, parameters: bool) {
        let span = self.program.tasks[task.index()].span;
        let start = self.program.add_node(Action::Return, span, None);
        self.program.tasks[task.index()].start = start;
        self.task_context(task, start, |e| {
            e.emit(|next| Action::Activated { next });
            if parameters {
                return e.reject(span, "an interrupt entry with parameters");
            }
            let head = e.cx.cur;
            let entry = Model::Const(i64::from(entry.0));
            let mode = CallMode::Timed { timeout: head };
            e.again(head, |e| e.emit(|next| Action::EntryCall { entry, args: Vec::new(), mode, next }));
        });
    }

    /// Goes back to `head` after some code; an exception that leaves an interrupt has no effect.
    fn again(&mut self, head: Loc, code: impl FnOnce(&mut Self)) {
        let outer = self.cx.handler;
        let choices = vec![(Catch::Others, head)];
        self.program.handlers.push(Handler { choices, occurrence: None, outer, cleanup: false });
        self.cx.handler = Some(HandlerId::from(self.program.handlers.len() - 1));
        code(self);
        self.put(Action::Skip { next: head });
        self.cx.handler = outer;
    }

    // ---- calling entries ---------------------------------------------------------------------

    /// A plain call on an entry.
    pub(crate) fn entry_call(&mut self, entry: &EntryRef<'a>, args: &'a [Arg], span: Span) {
        if entry.set.bounds.is_some() {
            self.reject(span, "an entry family is called without an index");
            return;
        }
        let EntryCall { entry, args, copies, set } = self.prepare_entry(entry, args);
        self.before_entry(&entry, &set);
        let outer = std::mem::replace(&mut self.cx.span, span);
        self.emit(|next| Action::EntryCall { entry, args, mode: CallMode::Plain, next });
        self.cx.span = outer;
        self.copy_back(copies);
    }

    /// Evaluates the name of an entry and the arguments of a call on it, whatever the kind of call.
    fn prepare_entry(&mut self, entry: &EntryRef<'a>, args: &'a [Arg]) -> EntryCall<'a> {
        let target = self.settle(entry.entry.clone());
        let (args, copies) = self.entry_arguments(entry, args);
        self.entry_calls.push((self.cx.task, entry.entry.clone()));
        EntryCall { entry: target, args, copies, set: entry.set.clone() }
    }

    /// What is checked when everything is evaluated and a call on an entry is made.
    pub(crate) fn before_entry(&mut self, entry: &Model, set: &EntrySet<'a>) {
        self.check_entry_ceiling(entry, set);
        self.blocks();
        self.entry_contract(set);
    }

    pub(crate) fn copy_back(&mut self, copies: Copies) {
        if copies.unsure {
            self.perhaps(rendez_model::ExceptionId::CONSTRAINT_ERROR);
        }
        for (cell, place, ty) in copies.back {
            let value = Val::Scalar(Model::Var(cell), ty);
            let value = match ty {
                Some(ty) => self.enter_subtype(value, ty),
                None => value,
            };
            if let Val::Scalar(value, _) = value {
                self.assign(place, value);
            }
        }
        for (obj, ty) in copies.objects {
            self.check_predicates(&obj, ty);
        }
    }

    /// Evaluates the arguments of an entry call into cells.
    fn entry_arguments(&mut self, entry: &EntryRef<'a>, args: &'a [Arg]) -> (Vec<VarId>, Copies) {
        let here = self.cx.scope;
        let mut cells = Vec::new();
        let mut copies = Copies::default();
        let mut targets = Vec::new();
        for (i, param) in entry.set.decl.params.iter().enumerate() {
            self.cx.scope = entry.set.scope;
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            let outer = std::mem::replace(&mut self.cx.storage, Storage::Local(self.cx.task));
            let obj = if self.is_active(ty) {
                Obj::Opaque
            } else {
                self.storage_for(
                    ty,
                    &format!("{}.{}", entry.set.decl.name.text, param.name.text),
                    param.name.span,
                )
            };
            self.cx.storage = outer;
            let these = self.cells_of(&obj, ty);
            cells.extend(these.iter().copied());
            let given = actual_for(args, i, &param.name).map(|a| &a.value);
            if let Some(Choice::Expr(e)) = given
                && matches!(self.kind(ty), TypeKind::Array { .. } | TypeKind::Record { .. })
                && let Some(Meaning::Object(_, _, false)) = self.quiet_meaning(e)
            {
                self.program.assume("an argument that is an array or a record is passed by copy", e.span);
            }
            if param.mode == ParamMode::Out {
                if let TypeKind::Record { .. } = self.kind(ty) {
                    self.unfollowed_check(ty);
                }
            } else {
                match (given, &param.default) {
                    (Some(Choice::Expr(e)), _) => self.assign_fresh(&obj, ty, e),
                    (None, Some(default)) => {
                        self.cx.scope = entry.set.scope;
                        self.assign_fresh(&obj, ty, default);
                        self.cx.scope = here;
                    }
                    _ => {}
                }
            }
            if param.mode != ParamMode::In
                && let Some(Choice::Expr(e)) = given
                && let Meaning::Object(target, target_type, _) = self.target(e)
            {
                let leaves = self.leaves(&target, target_type);
                let predicates = !self.predicates(target_type).is_empty();
                let scalar = self.domain(target_type).is_some();
                if predicates && !scalar {
                    copies.objects.push((target.clone(), target_type));
                }
                if leaves.len() == these.len() {
                    for ((leaf, leaf_type), cell) in leaves.iter().zip(&these) {
                        copies.unsure |=
                            matches!(self.kind(*leaf_type), TypeKind::Access { constrained: true, .. });
                        let place = self.place(leaf);
                        let place = self.frozen(place);
                        targets.push((i, place.clone()));
                        if place != Place::Nowhere {
                            copies.back.push((*cell, place, (predicates && scalar).then_some(target_type)));
                        }
                    }
                } else {
                    self.forget(&target, target_type);
                }
            }
        }
        self.note_copies(&targets);
        (cells, copies)
    }

    /// An entry call in a select statement.
    pub(crate) fn prepared_entry(&mut self, call: &'a syntax::Expr) -> Option<EntryCall<'a>> {
        let (entry, args) = self.called_entry(call)?;
        Some(self.prepare_entry(&entry, args))
    }

    fn called_entry(&mut self, call: &'a syntax::Expr) -> Option<(EntryRef<'a>, &'a [Arg])> {
        let (prefix, args): (&'a syntax::Expr, &'a [Arg]) = match &call.kind {
            ExprKind::Call(prefix, args) => (prefix, args),
            _ => (call, &[]),
        };
        let meaning = match self.meaning(prefix) {
            Meaning::Entry(entry) if entry.set.bounds.is_some() && !args.is_empty() => {
                return match self.meaning(call) {
                    Meaning::Entry(entry) => Some((entry, &[])),
                    _ => None,
                };
            }
            // A renamed entry.
            Meaning::Subprograms(subs) => match subs.first().map(|s| s.kind.clone()) {
                Some(SubprogramKind::Renamed(target, scope)) => {
                    let here = std::mem::replace(&mut self.cx.scope, scope);
                    let meaning = self.meaning(target);
                    self.cx.scope = here;
                    meaning
                }
                _ => Meaning::Undeclared("a select statement that calls no entry".into()),
            },
            meaning => meaning,
        };
        match meaning {
            Meaning::Entry(entry) => Some((entry, args)),
            Meaning::Undeclared(text) => {
                self.reject(call.span, text);
                None
            }
            Meaning::Library(name) => {
                let none = self.library_call(&name, args, false, call.span);
                self.note_value(none);
                self.reject(call.span, "a select statement that calls the library");
                None
            }
            _ => {
                self.reject(call.span, "a select statement that calls no entry");
                None
            }
        }
    }

    /// A conditional or timed entry call with the statements that follow either way.
    pub(crate) fn selected_call(
        &mut self,
        call: &'a syntax::Expr,
        then: &'a [Stmt],
        otherwise: &'a [Stmt],
        delay: Option<&'a syntax::Expr>,
    ) {
        let Some(EntryCall { entry, args, copies, set }) = self.prepared_entry(call) else { return };
        // The arguments come first.
        if let Some(delay) = delay {
            self.effects(delay);
        }
        self.before_entry(&entry, &set);
        let join = self.reserve();
        let other = self.reserve();
        let mode = match delay {
            None => CallMode::Conditional { otherwise: other },
            Some(_) => CallMode::Timed { timeout: other },
        };
        self.emit(|next| Action::EntryCall { entry, args, mode, next });
        self.copy_back(copies);
        self.stmts(then);
        self.put(Action::Skip { next: join });
        self.cx.cur = other;
        self.stmts(otherwise);
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
    }

    // ---- accepting ---------------------------------------------------------------------------

    pub(crate) fn accept_statement(&mut self, accept: &'a Accept) {
        let join = self.reserve();
        let Some(alternative) = self.alternative(accept, None, join) else { return };
        self.put(Action::Select {
            alternatives: vec![alternative],
            otherwise: None,
            delays: Vec::new(),
            terminate: None,
        });
        self.cx.cur = join;
    }

    /// The alternative for an accept statement, its body written; the body ends at `join`. Any
    /// code for the entry index stands at the current location, where control stays.
    fn alternative(
        &mut self,
        accept: &'a Accept,
        guard: Option<Model>,
        join: rendez_model::Loc,
    ) -> Option<Alternative> {
        let binding = self.look_up(self.cx.scope, &accept.entry.key).into_iter().next();
        let Some(Binding::Entry(set)) = binding else {
            self.reject(accept.span, format!("`{}` is no entry of this task", accept.entry.text));
            return None;
        };
        let mut entry = Model::Const(i64::from(set.first.0));
        if let (Some((lo, hi)), Some(index)) = (set.bounds, &accept.index) {
            let ty = match &set.decl.family {
                Some(family) => {
                    let here = std::mem::replace(&mut self.cx.scope, set.scope);
                    let ty = self.range_type(family);
                    self.cx.scope = here;
                    ty
                }
                None => self.std.integer,
            };
            let index = self.scalar(index, Some(ty)).unwrap_or(Model::Any);
            if index.is_any() {
                self.reject(accept.span, "the index of the entry family is not known");
                return None;
            }
            let offset = match index {
                Model::Const(i) if i < lo || i > hi => {
                    self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                    return None;
                }
                Model::Const(i) => Model::Const(i - lo),
                index => Model::binary(
                    rendez_model::BinaryOp::Subtract,
                    Model::Check(Box::new(index), lo, hi),
                    Model::Const(lo),
                ),
            };
            entry = Model::binary(rendez_model::BinaryOp::Add, entry, offset);
        }
        self.read_now();
        let here = self.cx.cur;
        let scope = self.cx.scope;
        self.cx.scope = self.new_scope(scope, accept.entry.text.clone());
        let mut formals = Vec::new();
        for param in &accept.params {
            let ty = self.type_ref(&param.ty);
            let obj = if self.is_active(ty) {
                Obj::Opaque
            } else {
                self.storage_for(ty, &format!("{}.{}", accept.entry.text, param.name.text), param.name.span)
            };
            let mode = Mode::from(param.mode);
            formals.extend(self.cells_of(&obj, ty).into_iter().map(|cell| Formal { cell, mode }));
            self.bind_object(&param.name, obj, ty, false);
        }
        let outer_span = std::mem::replace(&mut self.cx.span, accept.span);
        let body = self.reserve();
        self.cx.cur = body;
        match &accept.body {
            Some(handled) if !is_empty(handled) => {
                let end = self.reserve();
                let ret = ReturnCx { target: end, cleanups: self.cx.cleanups.len(), result: None };
                let outer_ret = self.cx.ret.replace(ret);
                let outer_after = self.cx.after_accept.replace((join, self.cx.cleanups.len()));
                self.guarded(
                    |e| {
                        e.handled(handled);
                        e.put(Action::Skip { next: end });
                        e.cx.cur = end;
                        e.put(Action::EndAccept { next: join });
                    },
                    |e, occurrence| e.end_path(Action::FailAccept { occurrence }),
                );
                self.cx.ret = outer_ret;
                self.cx.after_accept = outer_after;
            }
            _ => self.put(Action::EndAccept { next: join }),
        }
        self.cx.scope = scope;
        self.cx.cur = here;
        self.cx.span = outer_span;
        Some(Alternative { guard, entry, formals, body, span: accept.span })
    }

    pub(crate) fn select(
        &mut self,
        given: &'a [(Option<syntax::Expr>, SelectAlternative)],
        otherwise: Option<&'a [Stmt]>,
    ) {
        let join = self.reserve();
        let mut alternatives = Vec::new();
        let mut delays = Vec::new();
        let mut terminate = None;
        for (guard, alternative) in given {
            // Guards are evaluated first, each once, at the start of the select.
            let guard = match guard {
                None => None,
                Some(guard) => match self.condition(guard) {
                    Some(Model::Const(0)) => Some(Model::FALSE),
                    Some(Model::Const(_)) => None,
                    Some(value) => Some(value),
                    None => {
                        let cell = self.temporary("guard", rendez_model::Domain::BOOLEAN);
                        self.emit(|next| Action::Havoc { to: Place::Var(cell), next });
                        Some(Model::Var(cell))
                    }
                },
            };
            self.read_now();
            match alternative {
                SelectAlternative::Accept(accept, then) => {
                    let after = self.reserve();
                    let Some(alternative) = self.alternative(accept, guard, after) else { return };
                    alternatives.push(alternative);
                    let here = std::mem::replace(&mut self.cx.cur, after);
                    self.stmts(then);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = here;
                }
                SelectAlternative::Delay(time, then) => {
                    self.effects(time);
                    self.read_now();
                    let after = self.reserve();
                    delays.push((guard, after));
                    let here = std::mem::replace(&mut self.cx.cur, after);
                    self.stmts(then);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = here;
                }
                SelectAlternative::Terminate => terminate = Some(guard),
            }
        }
        let other = otherwise.map(|stmts| {
            let target = self.reserve();
            let here = std::mem::replace(&mut self.cx.cur, target);
            self.stmts(stmts);
            self.put(Action::Skip { next: join });
            self.cx.cur = here;
            target
        });
        self.put(Action::Select { alternatives, otherwise: other, delays, terminate });
        self.cx.cur = join;
    }

    pub(crate) fn requeue(&mut self, entry: &'a syntax::Expr, with_abort: bool, span: Span) {
        match self.meaning(entry) {
            Meaning::Entry(entry) => {
                if entry.set.bounds.is_some() {
                    self.reject(span, "requeue to an entry family without an index");
                    return;
                }
                let target = entry.entry;
                self.check_entry_ceiling(&target, &entry.set);
                self.requeued.push((target.clone(), self.cx.after_accept.is_some()));
                self.entry_calls.push((self.cx.task, target.clone()));
                // The accept or entry body is left.
                let body = self.cx.ret.as_ref().map_or(self.cx.cleanups.len(), |ret| ret.cleanups);
                let (next, cleanups) = self.cx.after_accept.unwrap_or((self.cx.cur, body));
                self.clean_up(cleanups);
                self.end_path(Action::Requeue { entry: target, with_abort, next });
            }
            Meaning::Undeclared(text) => self.reject(span, text),
            _ => self.reject(span, "requeue to something that is no entry"),
        }
    }

    // ---- protected entries -------------------------------------------------------------------

    /// The body of an entry: barrier, parameters, body, and its index in a family.
    #[allow(clippy::type_complexity)]
    pub(crate) fn entry_body(
        &mut self,
        id: InstanceId,
        entry: EntryId,
    ) -> Option<(&'a syntax::Expr, &'a [Param], &'a Body, Option<(&'a Ident, i64, TypeId)>)> {
        let instance = self.instances[id.0].clone();
        let set = instance.entries.values().find(|s| {
            let count = s.bounds.map_or(1, length) as u32;
            (s.first.0..s.first.0 + count).contains(&entry.0)
        })?;
        let UnitBody::Protected(items) = self.unit_types[instance.of.0].body else { return None };
        let (index, params, barrier, body) = items.iter().find_map(|item| match &item.kind {
            DeclKind::EntryBody { name, index, params, barrier, body } if name.key == set.decl.name.key => {
                Some((index, params, barrier, body))
            }
            _ => None,
        })?;
        let index = match (index, set.bounds) {
            (Some((name, domain)), Some((lo, _))) => {
                let here = std::mem::replace(&mut self.cx.scope, instance.scope);
                let ty = self.range_type(domain);
                self.cx.scope = here;
                Some((name, lo + i64::from(entry.0 - set.first.0), ty))
            }
            _ => None,
        };
        Some((barrier, params, body, index))
    }

    /// Barriers are expressions over the object: they are written when its body is known.
    pub(crate) fn set_barriers(&mut self) {
        for entry in 0..self.program.entries.len() {
            let Owner::Object(object) = self.program.entries[entry].owner else { continue };
            if self.program.entries[entry].barrier.is_some() {
                continue;
            }
            let id = InstanceId(object.index());
            let Some((barrier, _, _, index)) = self.entry_body(id, EntryId::from(entry)) else { continue };
            self.bind_body_operations(id);
            let scope = self.new_scope(self.instances[id.0].scope, "barrier");
            if let Some((name, value, ty)) = index {
                self.bind(scope, &name.key, Binding::Object { obj: Obj::Const(value), ty, constant: true });
            }
            let outer_scope = std::mem::replace(&mut self.cx.scope, scope);
            let outer_object = self.cx.object.replace(id);
            let before = self.cx.cur;
            let probe = self.reserve();
            self.cx.cur = probe;
            let rejected = self.rejected.len();
            self.in_barrier = true;
            let value = self.condition(barrier).unwrap_or(Model::Any);
            let value = self.with_reads(value);
            self.in_barrier = false;
            let written = self.cx.cur != probe || self.rejected.len() > rejected;
            self.cx.cur = before;
            self.cx.scope = outer_scope;
            self.cx.object = outer_object;
            self.rejected.truncate(rejected);
            let value = if written {
                self.program.assume(
                    format!(
                        "the barrier of {} is more than an expression over the object: it is taken to be open or closed at any time, and to raise no exception",
                        self.program.entry_name(EntryId::from(entry))
                    ),
                    barrier.span,
                );
                Model::Any
            } else {
                value
            };
            self.program.entries[entry].barrier = Some(value);
        }
    }

    /// Asks for the bodies of the protected entries that are called; true if there were new ones.
    pub(crate) fn need_entry_bodies(&mut self) -> bool {
        let mut needed = Vec::new();
        let all = (0..self.program.tasks.len()).map(TaskId::from);
        // Whoever is accepted may end in another queue, and anybody may serve a trigger, wherever it went.
        let triggered = !self.triggers.is_empty();
        let passed = self.requeued.iter().filter(|(_, accepted)| *accepted || triggered).map(|r| &r.0);
        let serving = self.triggers.iter().chain(passed).flat_map(|t| all.clone().map(move |task| (task, t)));
        for (task, target) in self.entry_calls.iter().map(|(task, target)| (*task, target)).chain(serving) {
            for entry in self.program.possible_entries(target) {
                if let Owner::Object(object) = self.program.entries[entry.index()].owner
                    && !self.program.bodies.contains_key(&(task, entry))
                {
                    needed.push((task, entry, object));
                }
            }
        }
        needed.sort_by_key(|n| (n.0, n.1));
        needed.dedup();
        for &(task, entry, object) in &needed {
            self.new_entry_proc(task, entry, object);
        }
        !needed.is_empty()
    }

    fn new_entry_proc(&mut self, task: TaskId, entry: EntryId, object: ObjectId) {
        let id = InstanceId(object.index());
        let proc = ProcId::from(self.program.procs.len());
        let span = self.program.entries[entry.index()].span;
        let start = self.program.add_node(Action::Return, span, None);
        let name = format!("{} of {}", self.program.entry_name(entry), self.program.tasks[task.index()].name);
        self.program.procs.push(Proc { name, task, start, formals: Vec::new(), locals: Vec::new() });
        self.program.bodies.insert((task, entry), proc);
        let mut info = ProcInfo::default();
        let mut formals = Vec::new();
        let scope = self.instances[id.0].scope;
        let params: &'a [Param] = match self.entry_body(id, entry) {
            Some((_, params, _, _)) => params,
            None => &[],
        };
        let (outer_scope, outer_locals, outer_storage, outer_prefix) = (
            std::mem::replace(&mut self.cx.scope, scope),
            std::mem::take(&mut self.cx.locals),
            std::mem::replace(&mut self.cx.storage, Storage::Local(task)),
            std::mem::replace(&mut self.cx.prefix, format!("{}.", self.program.entry_name(entry))),
        );
        for param in params {
            let ty = self.type_ref(&param.ty);
            let obj = if self.is_active(ty) {
                Obj::Opaque
            } else {
                self.storage_for(ty, &param.name.text, param.name.span)
            };
            let cells = self.cells_of(&obj, ty);
            let mode = Mode::from(param.mode);
            formals.extend(cells.iter().map(|c| Formal { cell: *c, mode }));
            info.cells.push(cells);
        }
        let locals = std::mem::replace(&mut self.cx.locals, outer_locals);
        self.cx.scope = outer_scope;
        self.cx.storage = outer_storage;
        self.cx.prefix = outer_prefix;
        let header = &mut self.program.procs[proc.index()];
        header.formals = formals;
        header.locals = locals;
        self.proc_info.insert(proc, info);
        self.jobs.push_back(Job::EntryBody { proc, task, instance: id, entry });
    }

    // ---- allocators --------------------------------------------------------------------------

    pub(crate) fn allocate(
        &mut self,
        subtype: &'a Subtype,
        init: Option<&'a syntax::Expr>,
        want: Option<TypeId>,
        span: Span,
    ) -> Val {
        self.check_constraint(subtype);
        let ty = self.subtype(subtype);
        let (access, master) = match want.map(|w| (w, self.kind(w).clone())) {
            Some((w, TypeKind::Access { master, .. })) => (w, master),
            _ => (self.access_to(ty), self.cx.master),
        };
        match self.kind(ty).clone() {
            TypeKind::Task { of, .. } if self.unit_types[of.0].entries.iter().any(|e| e.interrupt) => {
                self.reject(span, "an allocated task with interrupt entries");
                Val::Scalar(Model::Any, Some(access))
            }
            TypeKind::Task { of, .. } if self.too_deep(of, master) => Val::Scalar(Model::Any, Some(access)),
            // Tasks of the environment that start tasks of the environment would never come to an end.
            TypeKind::Task { of, .. }
                if self.unit_types[of.0].background
                    && self.program.tasks[self.cx.task.index()].background =>
            {
                self.reject(span, "an event that a handler is the first to set");
                Val::Scalar(Model::Any, Some(access))
            }
            TypeKind::Task { of, .. } if matches!(self.unit_types[of.0].body, UnitBody::Missing) => {
                // The body is not elaborated yet.
                self.raise(rendez_model::ExceptionId::PROGRAM_ERROR);
                Val::Scalar(Model::Any, Some(access))
            }
            TypeKind::Task { of, constraint } if !self.cx.repeated => {
                self.starts_task(of);
                let discriminants = self.discriminants(of, constraint);
                let name = format!("{}@{}", self.unit_types[of.0].name, span.line);
                let name = self.fresh_name(&name);
                let task = self.make_task(of, &name, span, discriminants, master);
                let number = Model::Const(i64::from(task.0));
                self.emit(|next| Action::Activate { tasks: vec![number.clone()], next });
                Val::Scalar(number, Some(access))
            }
            TypeKind::Task { of, constraint } => {
                self.starts_task(of);
                let value = self.allocate_pool(of, constraint, master, span);
                Val::Scalar(value, Some(access))
            }
            _ if self.is_active(ty) => {
                let value = if self.cx.repeated {
                    self.allocate_counted(ty, init, master, span)
                } else {
                    self.allocate_one(ty, init, master, span)
                };
                Val::Scalar(value, Some(access))
            }
            _ => {
                if self.cx.repeated {
                    // Data that may be allocated any number of times is not followed.
                    if let Some(init) = init {
                        let value = self.value(init, Some(ty));
                        let value = self.enter_subtype(value, ty);
                        self.note_value(value);
                    }
                    let obj = self.one_for_all(ty, span);
                    self.control_allocated(&obj, ty, init, span);
                    return Val::Scalar(Model::Any, Some(access));
                }
                let name = self.fresh_name(&format!("{}@{}", self.types[ty.0].name, span.line));
                let obj = self.detached(|e| e.make(ty, &name, span));
                match init {
                    Some(init) => self.declared(|e| e.assign_expr(&obj, ty, init)),
                    None => self.check_default(&obj, ty),
                }
                self.control_allocated(&obj, ty, init, span);
                let value = self.reference_to(&obj, ty);
                Val::Scalar(value, Some(access))
            }
        }
    }

    /// To create a task may block; those of the environment stand for something else.
    fn starts_task(&mut self, of: UnitTypeId) {
        if !self.unit_types[of.0].background {
            self.blocks();
        }
    }

    /// An object that stands for all that an allocator makes: nobody knows its values.
    fn one_for_all(&mut self, ty: TypeId, span: Span) -> Obj {
        let name = format!("{}@{}", self.types[ty.0].name, span.line);
        let outer = std::mem::replace(&mut self.cx.storage, Storage::Shared);
        let obj = self.detached(|e| e.storage_for(ty, &name, span));
        self.cx.storage = outer;
        let mut cells = Vec::new();
        crate::instantiate::cells_in(&obj, &mut cells);
        for cell in cells {
            self.program.vars[cell as usize].domain = rendez_model::Domain::Opaque;
        }
        self.member(&obj, ty);
        obj
    }

    /// Makes an object with tasks or protected objects in it.
    fn allocate_one(
        &mut self,
        ty: TypeId,
        init: Option<&'a syntax::Expr>,
        master: rendez_model::MasterId,
        span: Span,
    ) -> Model {
        let outer = std::mem::take(&mut self.cx.pending);
        let outer_package = self.cx.package.take();
        let outer_master = std::mem::replace(&mut self.cx.master, master);
        let name = self.fresh_name(&format!("{}@{}", self.types[ty.0].name, span.line));
        let obj = self.detached(|e| e.make(ty, &name, span));
        self.activate_pending();
        self.cx.pending = outer;
        self.cx.package = outer_package;
        self.cx.master = outer_master;
        if let Some(init) = init {
            self.assign_expr(&obj, ty, init);
        }
        self.control_allocated(&obj, ty, init, span);
        self.reference_to(&obj, ty)
    }

    /// The same where the allocator may be evaluated any number of times: the first few
    /// evaluations each make an object of their own, and are counted.
    fn allocate_counted(
        &mut self,
        ty: TypeId,
        init: Option<&'a syntax::Expr>,
        master: rendez_model::MasterId,
        span: Span,
    ) -> Model {
        let count = self.bounds.tasks_per_allocator as i64;
        let reason =
            format!("at most {count} objects are created by the allocator of {} here", self.types[ty.0].name);
        let name = format!("{}allocated", self.cx.prefix);
        let domain = rendez_model::Domain::Range(0, count);
        let counter = self.program.add_var(name, domain, rendez_model::Value::Known(0), Storage::Shared);
        let to = self.temporary("new", rendez_model::Domain::Range(-1, 65535));
        let join = self.reserve();
        for i in 0..count {
            let (this, rest) = self.branch(Some(Model::equal(Model::Var(counter), Model::Const(i))));
            self.cx.cur = this;
            self.assign(Place::Var(counter), Model::Const(i + 1));
            let value = self.allocate_one(ty, init, master, span);
            self.assign(Place::Var(to), value);
            self.put(Action::Skip { next: join });
            self.cx.cur = rest;
        }
        self.put(Action::Stop { why: Cut::Bound, reason });
        self.cx.cur = join;
        Model::Var(to)
    }

    /// A name that no other task or protected object has.
    fn fresh_name(&self, name: &str) -> String {
        let full = |n: &str| format!("{}{n}", self.cx.prefix);
        let taken = |n: &str| {
            let n = full(n);
            self.program.tasks.iter().any(|t| t.name == n) || self.program.objects.iter().any(|o| o.name == n)
        };
        if !taken(name) {
            return name.to_owned();
        }
        (2..).map(|i| format!("{name}#{i}")).find(|n| !taken(n)).unwrap_or_else(|| name.to_owned())
    }

    /// An allocator that may be evaluated any number of times: tasks from a pool.
    fn allocate_pool(
        &mut self,
        of: UnitTypeId,
        constraint: Option<(&'a [Arg], ScopeId)>,
        master: rendez_model::MasterId,
        span: Span,
    ) -> Model {
        let count = self.bounds.tasks_per_allocator;
        let values = self.discriminants(of, constraint);
        let mut pool = Vec::new();
        let mut cells: Vec<Vec<VarId>> = vec![Vec::new(); values.len()];
        for i in 0..count {
            let mut own = Vec::new();
            for (k, (param, _, ty)) in values.iter().enumerate() {
                let obj = match self.domain(*ty) {
                    Some(domain) => {
                        let name = format!("{}{}#{}", self.cx.prefix, param.name.text, i + 1);
                        let cell =
                            self.program.add_var(name, domain, rendez_model::Value::Any, Storage::Shared);
                        cells[k].push(cell);
                        Obj::Cell(cell)
                    }
                    None => Obj::Opaque,
                };
                own.push((*param, obj, *ty));
            }
            let name = format!("{}@{}#{}", self.unit_types[of.0].name, span.line, i + 1);
            pool.push(self.make_task(of, &name, span, own, master));
        }
        let to = self.temporary("new", rendez_model::Domain::Range(-1, 65535));
        let first = i64::from(pool[0].0);
        self.emit(|next| Action::Allocate { pool, to: Place::Var(to), next });
        for (k, (_, obj, _)) in values.iter().enumerate() {
            if cells[k].len() == count {
                let value = self.read(obj);
                let numbers = cells[k].iter().map(|c| i64::from(c.0)).collect();
                let table = self.program.add_table("discriminants", first, numbers);
                self.assign(Place::Indexed(table, Model::Var(to)), value);
            }
        }
        self.emit(|next| Action::Activate { tasks: vec![Model::Var(to)], next });
        Model::Var(to)
    }
}

fn is_empty(handled: &Handled) -> bool {
    handled.stmts.iter().all(|s| matches!(s.kind, StmtKind::Null) && s.labels.is_empty())
}
