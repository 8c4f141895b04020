//! Statements.

use rendez_model::{Action, BinaryOp, Catch, Domain, Expr as Model, Handler, HandlerId, Loc, Place, Trigger};

use crate::elaborate::{Cleanup, Elaborator, LoopCx};
use crate::env::*;
use crate::parse::dotted;
use crate::syntax::{self, *};

impl<'a> Elaborator<'a> {
    /// A sequence of statements with its exception handlers.
    ///
    /// Tasks declared before are activated at its `begin`, where its handlers already apply.
    pub(crate) fn handled(&mut self, handled: &'a Handled) {
        if handled.handlers.is_empty() {
            self.begin();
            self.stmts(&handled.stmts);
            return;
        }
        let outer = self.cx.handler;
        let occurrence = self.temporary("occurrence", Domain::Range(0, i64::from(u16::MAX)));
        let id = HandlerId::from(self.program.handlers.len());
        self.program.handlers.push(Handler {
            choices: Vec::new(),
            occurrence: Some(occurrence),
            outer,
            cleanup: false,
        });
        self.cx.handler = Some(id);
        let outer_prepared = self.cx.prepared_for.len();
        for name in handled.handlers.iter().flat_map(|h| &h.choices).flatten() {
            match self.meaning(name) {
                Meaning::Library(unit) => {
                    let exception = self.library_exception(&unit);
                    self.cx.prepared_for.push(exception);
                }
                Meaning::Exception(exception) => self.cx.prepared_for.push(exception),
                _ => {}
            }
        }
        self.begin();
        self.stmts(&handled.stmts);
        self.cx.prepared_for.truncate(outer_prepared);
        self.cx.handler = outer;
        let join = self.reserve();
        self.put(Action::Skip { next: join });
        let outer_occurrence = self.cx.occurrence.replace(occurrence);
        let mut choices = Vec::new();
        for handler in &handled.handlers {
            let target = self.reserve();
            for choice in &handler.choices {
                match choice {
                    None => choices.push((Catch::Others, target)),
                    Some(name) => match self.meaning(name) {
                        Meaning::Exception(exception) => choices.push((Catch::Exception(exception), target)),
                        Meaning::Library(unit) => {
                            let exception = self.library_exception(&unit);
                            choices.push((Catch::Exception(exception), target));
                        }
                        Meaning::Unknown { .. } => {}
                        _ => {
                            self.diagnostics.push(rendez_source::Diagnostic::warning(
                                name.span,
                                "this handler names no exception that is visible here",
                            ));
                        }
                    },
                }
            }
            self.cx.cur = target;
            self.cx.span = handler.span;
            let scope = self.cx.scope;
            if let Some(name) = &handler.occurrence {
                self.cx.scope = self.new_scope(scope, "handler");
                self.bind(self.cx.scope, &name.key, Binding::Opaque);
            }
            self.stmts(&handler.stmts);
            self.cx.scope = scope;
            self.put(Action::Skip { next: join });
        }
        self.program.handlers[id.index()].choices = choices;
        self.cx.occurrence = outer_occurrence;
        self.cx.cur = join;
    }

    fn begin(&mut self) {
        // A task's own activation is over with its declarations, before that of its dependents.
        if self.cx.package.is_none() && std::mem::take(&mut self.cx.activating) {
            self.emit(|next| Action::Activated { next });
        }
        self.activate_pending();
    }

    pub(crate) fn stmts(&mut self, stmts: &'a [Stmt]) {
        for label in stmts.iter().flat_map(|s| &s.labels) {
            let loc = self.reserve();
            let depth = self.cx.cleanups.len();
            self.cx.labels.insert(label.key.clone(), (loc, depth));
        }
        for stmt in stmts {
            for label in &stmt.labels {
                if let Some((loc, _)) = self.cx.labels.get(&label.key).copied() {
                    self.put(Action::Skip { next: loc });
                    self.cx.cur = loc;
                }
            }
            let outer = std::mem::replace(&mut self.cx.span, stmt.span);
            self.stmt(stmt);
            self.cx.span = outer;
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Null => {}
            StmtKind::Assign(target, value) => self.assignment(target, value),
            StmtKind::Call(call) => self.call_statement(call),
            StmtKind::Return(value) => {
                let Some(ret) = self.cx.ret.clone() else { return };
                if let (Some(value), Some((obj, ty))) = (value, &ret.result) {
                    self.assign_expr(obj, *ty, value);
                } else if let Some(value) = value {
                    self.value(value, None);
                }
                self.clean_up(ret.cleanups);
                self.goto(ret.target);
            }
            StmtKind::ExtendedReturn { name, ty, init, body } => {
                let Some(ret) = self.cx.ret.clone() else { return };
                let outer = self.cx.scope;
                self.cx.scope = self.new_scope(outer, "return");
                let declared = self.type_ref(ty);
                let (obj, ty) = ret.result.clone().unwrap_or((Obj::Opaque, declared));
                if let Some(init) = init {
                    self.assign_expr(&obj, ty, init);
                }
                self.bind_object(name, obj, ty, false);
                if let Some(body) = body {
                    self.handled(body);
                }
                self.cx.scope = outer;
                self.clean_up(ret.cleanups);
                self.goto(ret.target);
            }
            StmtKind::If(arms, otherwise) => {
                let join = self.reserve();
                for (condition, body) in arms {
                    let condition = self.condition(condition);
                    let (yes, no) = self.branch(condition);
                    self.cx.cur = yes;
                    self.stmts(body);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = no;
                }
                self.stmts(otherwise);
                self.put(Action::Skip { next: join });
                self.cx.cur = join;
            }
            StmtKind::Case(on, arms) => {
                let ty = self.discrete_type(on);
                let value = match self.value(on, ty) {
                    Val::Scalar(value, _) => Some(self.settle(value)),
                    Val::Unknown { input: true } => None,
                    _ => Some(Model::Any),
                };
                let join = self.reserve();
                for (i, (choices, body)) in arms.iter().enumerate() {
                    let condition = match &value {
                        _ if i + 1 == arms.len() => Some(Model::TRUE),
                        Some(value) => Some(self.chosen(value, choices, ty)),
                        None => None,
                    };
                    let (yes, no) = self.branch(condition);
                    self.cx.cur = yes;
                    self.stmts(body);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = no;
                }
                self.put(Action::Skip { next: join });
                self.cx.cur = join;
            }
            StmtKind::Loop { label, scheme, body } => {
                self.loop_statement(label.as_ref(), scheme.as_ref(), body);
            }
            StmtKind::Block { decls, handled } => self.block(decls, handled, "block"),
            StmtKind::Exit { label, when } => {
                let found = self
                    .cx
                    .loops
                    .iter()
                    .rev()
                    .find(|l| label.as_ref().is_none_or(|label| l.label.as_ref() == Some(&label.key)))
                    .map(|l| (l.exit, l.cleanups));
                let Some((exit, cleanups)) = found else { return };
                let stay = match when {
                    Some(when) => {
                        let condition = self.condition(when);
                        let (yes, no) = self.branch(condition);
                        self.cx.cur = yes;
                        Some(no)
                    }
                    None => None,
                };
                self.clean_up(cleanups);
                self.goto(exit);
                if let Some(stay) = stay {
                    self.cx.cur = stay;
                }
            }
            StmtKind::Goto(label) => match self.cx.labels.get(&label.key).copied() {
                Some((loc, cleanups)) => {
                    self.clean_up(cleanups);
                    self.goto(loc);
                }
                None => self.reject(stmt.span, format!("label `{}` was not found", label.text)),
            },
            StmtKind::Accept(accept) => self.accept_statement(accept),
            StmtKind::Select { alternatives, otherwise } => self.select(alternatives, otherwise.as_deref()),
            StmtKind::ConditionalCall { call, then, otherwise } => {
                self.selected_call(call, then, otherwise, None);
            }
            StmtKind::TimedCall { call, then, delay, otherwise } => {
                self.selected_call(call, then, otherwise, Some(delay));
            }
            StmtKind::Parallel(parts) => {
                let scope = self.cx.scope;
                self.parallel(parts.iter().map(|p| (scope, p.as_slice())).collect());
            }
            StmtKind::Asynchronous { trigger, then, abortable } => {
                self.asynchronous(trigger, then, abortable)
            }
            StmtKind::Delay(time) => {
                self.value(time, None);
                self.emit(|next| Action::Delay { next });
            }
            StmtKind::Abort(names) => {
                let mut tasks = Vec::new();
                for name in names {
                    let task = match self.meaning(name) {
                        Meaning::Object(obj, ty, _) => {
                            let (obj, ty) = self.dereferenced(obj, ty);
                            self.reference_to(&obj, ty)
                        }
                        Meaning::Type(_) => Model::Const(i64::from(self.cx.task.0)),
                        _ => Model::Any,
                    };
                    if task.is_any() {
                        self.reject(name.span, "abort of a task that cannot be determined");
                        return;
                    }
                    tasks.push(task);
                }
                self.emit(|next| Action::Abort { tasks, next });
            }
            StmtKind::Raise(None) => match self.cx.occurrence {
                Some(cell) => self.end_path(Action::Raise { exception: Model::Var(cell) }),
                None => self.reject(stmt.span, "raise without a handler around it"),
            },
            StmtKind::Raise(Some(name)) => match self.meaning(name) {
                Meaning::Exception(id) => self.raise(id),
                Meaning::Library(unit) => {
                    let exception = self.library_exception(&unit);
                    self.raise(exception);
                }
                _ => self.reject(stmt.span, "raise of an exception that is not visible here"),
            },
            StmtKind::Requeue { entry, with_abort } => self.requeue(entry, *with_abort, stmt.span),
            StmtKind::Pragma { name, args } => self.statement_pragma(name, args),
            StmtKind::Assertion(condition, text) => self.assertion(condition, text.clone()),
            StmtKind::Event(name) => {
                let name = name.clone();
                self.emit(|next| Action::Event { name, next });
            }
            StmtKind::Unsupported(what) => self.reject(stmt.span, format!("{what} is not modelled")),
        }
    }

    /// Exceptions of library units, one for each name.
    pub(crate) fn library_exception(&mut self, name: &str) -> rendez_model::ExceptionId {
        let name = crate::library::renamed(name);
        match self.program.exceptions.iter().position(|e| *e == name) {
            Some(known) => rendez_model::ExceptionId::from(known),
            None => self.program.add_exception(&name),
        }
    }

    fn assertion(&mut self, condition: &'a syntax::Expr, text: String) {
        let cond = self.condition(condition).unwrap_or(Model::Any);
        self.emit(|next| Action::Assert { cond, text, next });
    }

    fn statement_pragma(&mut self, name: &Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        match name.key.as_str() {
            "assert" | "check" | "loop_invariant" | "assert_and_cut" => {
                let condition = if name.key == "check" { args.get(1) } else { args.first() };
                if let Some((_, condition)) = condition {
                    self.assertion(condition, format!("pragma {}", name.text));
                }
            }
            "annotate" => {
                let words: Vec<String> = args.iter().take(2).map(|a| dotted(&a.1)).collect();
                if words.first().map(String::as_str) != Some("rendez") {
                    return;
                }
                match (words.get(1).map(String::as_str), args.get(2)) {
                    (Some("assert"), Some((_, condition))) => {
                        self.assertion(condition, "pragma Annotate".into());
                    }
                    (Some("event"), Some((_, value))) => {
                        let name = match &value.kind {
                            ExprKind::Str(text) => text.clone(),
                            _ => dotted(value),
                        };
                        self.emit(|next| Action::Event { name, next });
                    }
                    (Some("stop"), Some((_, Expr { kind: ExprKind::Str(reason), .. }))) => {
                        let reason = reason.clone();
                        let text = format!("{reason}; executions that go beyond are not followed");
                        self.program.assume(text, self.cx.span);
                        self.end_path(Action::Stop { reason });
                    }
                    (Some("forget"), Some((_, target))) => {
                        if let Meaning::Object(obj, ty, _) = self.meaning(target) {
                            self.forget(&obj, ty);
                        }
                    }
                    _ => self.diagnostics.push(
                        rendez_source::Diagnostic::warning(name.span, "unknown annotation for rendez").help(
                            "known are: Annotate (Rendez, Assert, Condition), (Rendez, Event, Name), \
                             (Rendez, Stop, Reason) and (Rendez, Forget, Variable)",
                        ),
                    ),
                }
            }
            _ => {}
        }
    }

    fn assignment(&mut self, target: &'a syntax::Expr, value: &'a syntax::Expr) {
        match self.meaning(target) {
            Meaning::Object(obj, ty, _) if self.is_controlled(ty) => {
                self.controlled_assignment(&obj, ty, value, target.span);
            }
            Meaning::Object(obj, ty, _) => self.assign_expr(&obj, ty, value),
            Meaning::Undeclared(text) => self.reject(target.span, text),
            Meaning::Value(..) | Meaning::Unknown { .. } | Meaning::Library(_) => {
                self.value(value, None);
            }
            Meaning::Subprograms(subs) => {
                // A function returning an access value, implicitly dereferenced.
                self.call_function(&subs, &[], None, target.span);
                self.value(value, None);
            }
            _ => {
                self.value(value, None);
            }
        }
    }

    fn call_statement(&mut self, call: &'a syntax::Expr) {
        let (prefix, args): (&'a syntax::Expr, &'a [Arg]) = match &call.kind {
            ExprKind::Call(prefix, args) => (prefix, args),
            _ => (call, &[]),
        };
        if matches!(prefix.kind, ExprKind::Attribute(..)) {
            self.value(call, None);
            return;
        }
        match self.meaning(prefix) {
            Meaning::Subprograms(subs) => {
                if let Some(exception) = self.raised_by_call(prefix, args) {
                    return self.raise(exception);
                }
                self.call_procedure(&subs, args, call.span);
            }
            Meaning::Entry(entry) => {
                let procedures = self.subprograms_named(prefix, false);
                if entry.set.bounds.is_none()
                    && !crate::call::fits(&entry.set.decl.params, args)
                    && !procedures.is_empty()
                {
                    return self.call_procedure(&procedures, args, call.span);
                }
                if entry.set.bounds.is_some() && !args.is_empty() {
                    if let Meaning::Entry(entry) = self.meaning(call) {
                        self.entry_call(&entry, &[], call.span, None);
                    }
                    return;
                }
                self.entry_call(&entry, args, call.span, None);
            }
            Meaning::Operation { prefix, ty, name } => {
                self.call_operation(&prefix, ty, &name, args, false, call.span);
            }
            Meaning::Library(name) => {
                if let Some(exception) = self.raised_by_call(prefix, args) {
                    return self.raise(exception);
                }
                if name.ends_with("unchecked_deallocation") {
                    return self.deallocate(args);
                }
                self.library_call(&name, args, call.span);
                let event = name.rsplit('.').next().unwrap_or(&name).to_owned();
                self.emit(|next| Action::Event { name: format!("library {event}"), next });
            }
            Meaning::Undeclared(text) => self.reject(call.span, text),
            Meaning::Prefixed { subs, prefix, dereference } => {
                self.call_prefixed(&subs, (prefix, dereference), args, false, call.span);
            }
            Meaning::Routine { value, ty } | Meaning::Value(value, Some(ty)) => {
                self.call_routine(value, ty, args, call.span);
            }
            Meaning::Object(obj, ty, _) => {
                let value = self.read(&obj);
                self.call_routine(value, ty, args, call.span);
            }
            Meaning::Value(_, None) => {
                self.reject(call.span, "a call through an access value is not modelled");
            }
            Meaning::Unknown { .. } => {
                for arg in args {
                    if let Choice::Expr(e) = &arg.value {
                        match self.target(e) {
                            Meaning::Object(obj, ty, false) => self.forget(&obj, ty),
                            Meaning::Undeclared(text) => self.reject(e.span, text),
                            _ => {}
                        }
                    }
                }
            }
            _ => self.reject(call.span, "this is not something that can be called"),
        }
    }

    /// The access value becomes null; a protected object that is known goes out of existence.
    fn deallocate(&mut self, args: &'a [Arg]) {
        let Some(Arg { value: Choice::Expr(e), .. }) = args.first() else { return };
        let Meaning::Object(obj, ty, _) = self.meaning(e) else { return };
        if let (Obj::Protected(id), _) = self.dereferenced(obj.clone(), ty) {
            let object = rendez_model::ObjectId::from(id.0);
            self.emit(|next| Action::Close { object, next });
        } else if let TypeKind::Access { target, .. } = *self.kind(ty) {
            let waited_for = match *self.kind(target) {
                TypeKind::Protected { of, .. } => !self.unit_types[of.0].entries.is_empty(),
                _ => false,
            };
            if waited_for {
                let what = "deallocation of a protected object that cannot be determined";
                return self.reject(e.span, what);
            }
            if self.is_controlled(target) {
                let value = self.read(&obj);
                let (gone, there) = self.branch(Some(Model::equal(value, Model::Const(-1))));
                self.cx.cur = there;
                let (designated, target) = self.dereferenced(obj.clone(), ty);
                self.finalize_object(&designated, target, e.span);
                self.put(Action::Skip { next: gone });
                self.cx.cur = gone;
            }
        }
        let place = self.place(&obj);
        self.assign(place, Model::Const(-1));
    }

    /// `Ada.Exceptions.Raise_Exception (E'Identity)` raises E.
    fn raised_by_call(
        &mut self,
        prefix: &'a syntax::Expr,
        args: &'a [Arg],
    ) -> Option<rendez_model::ExceptionId> {
        if crate::parse::last_ident(prefix).key != "raise_exception" {
            return None;
        }
        match args.first().map(|a| &a.value) {
            Some(Choice::Expr(e)) => match self.meaning(e) {
                Meaning::Exception(id) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    // ---- loops -------------------------------------------------------------------------------

    fn loop_statement(&mut self, label: Option<&'a Ident>, scheme: Option<&'a Scheme>, body: &'a [Stmt]) {
        let exit = self.reserve();
        self.cx.loops.push(LoopCx {
            label: label.map(|l| l.key.clone()),
            exit,
            cleanups: self.cx.cleanups.len(),
        });
        let repeated = self.cx.repeated;
        match scheme {
            None => {
                let head = self.reserve();
                self.put(Action::Skip { next: head });
                self.cx.cur = head;
                self.cx.repeated = true;
                self.stmts(body);
                self.put(Action::Skip { next: head });
            }
            Some(Scheme::While(condition)) => {
                let head = self.reserve();
                self.put(Action::Skip { next: head });
                self.cx.cur = head;
                self.cx.repeated = true;
                let condition = self.condition(condition);
                let (yes, no) = self.branch(condition);
                self.cx.cur = yes;
                self.stmts(body);
                self.put(Action::Skip { next: head });
                self.cx.cur = no;
                self.put(Action::Skip { next: exit });
            }
            Some(Scheme::For { name, reverse, domain }) => self.for_loop(name, *reverse, domain, body, exit),
            Some(Scheme::Parallel { name, domain }) => {
                self.parallel_loop(name, domain, body);
                self.put(Action::Skip { next: exit });
            }
            Some(Scheme::Of { name, reverse, array }) => self.of_loop(name, *reverse, array, body, exit),
            Some(Scheme::Unsupported(what)) => self.reject(self.cx.span, format!("{what} is not modelled")),
        }
        self.cx.repeated = repeated;
        self.cx.loops.pop();
        self.cx.cur = exit;
    }

    fn for_loop(&mut self, name: &'a Ident, reverse: bool, domain: &'a Choice, body: &'a [Stmt], exit: Loc) {
        let ty = self.range_type(domain);
        let range = self.range(domain, None);
        let outer = self.cx.scope;
        self.cx.scope = self.new_scope(outer, "loop");
        match range {
            Some((Model::Const(lo), Model::Const(hi))) if lo > hi => {}
            Some((Model::Const(lo), Model::Const(hi)))
                if self.stmts_create(body, self.cx.scope, 0)
                    && hi.saturating_sub(lo) < self.bounds.unrolled_iterations =>
            {
                let order: Vec<i64> = if reverse { (lo..=hi).rev().collect() } else { (lo..=hi).collect() };
                for i in order {
                    self.cx.scope = self.new_scope(outer, "loop");
                    self.bind_object(name, Obj::Const(i), ty, true);
                    self.stmts(body);
                }
            }
            Some((lo, hi)) => {
                self.cx.repeated = true;
                // The bounds hold by construction.
                let bounds = match (&lo, &hi) {
                    (Model::Const(lo), Model::Const(hi)) => Domain::Range(*lo, *hi),
                    _ => Domain::Range(i64::MIN + 1, i64::MAX),
                };
                let (first, last) = if reverse { (hi, lo) } else { (lo, hi) };
                let last = match last {
                    Model::Const(_) => last,
                    last => {
                        let kept = self.temporary("last", Domain::Range(i64::MIN + 1, i64::MAX));
                        self.assign(Place::Var(kept), last);
                        Model::Var(kept)
                    }
                };
                let cell = self.temporary(&name.text, bounds);
                self.program.vars[cell.index()].span = name.span;
                let body_start = self.reserve();
                let static_range = matches!((&first, &last), (Model::Const(_), Model::Const(_)));
                if !static_range {
                    let op = if reverse { BinaryOp::GreaterEqual } else { BinaryOp::LessEqual };
                    let (yes, no) = self.branch(Some(Model::binary(op, first.clone(), last.clone())));
                    self.cx.cur = no;
                    self.put(Action::Skip { next: exit });
                    self.cx.cur = yes;
                }
                self.assign(Place::Var(cell), first);
                self.put(Action::Skip { next: body_start });
                self.cx.cur = body_start;
                self.bind_object(name, Obj::Cell(cell), ty, true);
                self.stmts(body);
                let (more, done) =
                    self.branch(Some(Model::binary(BinaryOp::NotEqual, Model::Var(cell), last)));
                self.cx.cur = more;
                let op = if reverse { BinaryOp::Subtract } else { BinaryOp::Add };
                self.assign(Place::Var(cell), Model::binary(op, Model::Var(cell), Model::Const(1)));
                self.put(Action::Skip { next: body_start });
                self.cx.cur = done;
            }
            None => {
                // Any number of iterations, with any value.
                self.cx.repeated = true;
                let head = self.reserve();
                self.put(Action::Skip { next: head });
                self.cx.cur = head;
                let (more, done) = self.branch(Some(Model::Any));
                self.cx.cur = more;
                let obj = match self.domain(ty) {
                    Some(domain) => {
                        let cell = self.temporary(&name.text, domain);
                        self.assign(Place::Var(cell), Model::Any);
                        Obj::Cell(cell)
                    }
                    None => Obj::Opaque,
                };
                self.bind_object(name, obj, ty, true);
                self.stmts(body);
                self.put(Action::Skip { next: head });
                self.cx.cur = done;
            }
        }
        self.put(Action::Skip { next: exit });
        self.cx.scope = outer;
    }

    /// Every iteration is a thread of control of its own.
    fn parallel_loop(&mut self, name: &'a Ident, domain: &'a Choice, body: &'a [Stmt]) {
        let ty = self.range_type(domain);
        match self.static_range(domain, None) {
            Some((lo, hi)) if hi.saturating_sub(lo) < self.bounds.unrolled_iterations => {
                let mut parts = Vec::new();
                for i in lo..=hi {
                    let scope = self.new_scope(self.cx.scope, "loop");
                    self.bind(scope, &name.key, Binding::Object { obj: Obj::Const(i), ty, constant: true });
                    parts.push((scope, body));
                }
                self.parallel(parts);
            }
            _ => self.reject(self.cx.span, "a parallel loop whose bounds are not known"),
        }
    }

    /// Runs sequences of statements in parallel: each is a task that the construct waits for.
    fn parallel(&mut self, parts: Vec<(ScopeId, &'a [Stmt])>) {
        let (span, outer) = (self.cx.span, self.cx.task);
        let master = self.program.add_master("parallel", outer);
        let mut tasks = Vec::new();
        for (i, (scope, stmts)) in parts.into_iter().enumerate() {
            let name = format!("{}parallel@{}#{}", self.cx.prefix, span.line, i + 1);
            let task = self.program.add_task(name, Some(master), span);
            let start = self.program.add_node(Action::Return, span, None);
            self.program.tasks[task.index()].start = start;
            let exit = self.program.tasks[task.index()].exit;
            self.task_context(task, start, |e| {
                e.cx.scope = scope;
                e.cx.span = span;
                e.emit(|next| Action::Activated { next });
                e.guarded(
                    |e| e.stmts(stmts),
                    |e, _| e.reject(span, "an exception that leaves a parallel construct"),
                );
                e.put(Action::Skip { next: exit });
            });
            tasks.push(Model::Const(i64::from(task.0)));
        }
        self.emit(|next| Action::Activate { tasks, next });
        self.emit(|next| Action::Await { masters: vec![master], next });
    }

    fn of_loop(
        &mut self,
        name: &'a Ident,
        reverse: bool,
        array: &'a syntax::Expr,
        body: &'a [Stmt],
        exit: Loc,
    ) {
        let meaning = self.meaning(array);
        let outer = self.cx.scope;
        match meaning {
            Meaning::Object(obj, ty, constant) => {
                let (obj, ty) = self.dereferenced(obj, ty);
                match self.components(&obj, ty) {
                    Some(mut elements) => {
                        if reverse {
                            elements.reverse();
                        }
                        for (element, ty) in elements {
                            self.cx.scope = self.new_scope(outer, "loop");
                            self.bind_object(name, element, ty, constant);
                            self.stmts(body);
                        }
                        self.put(Action::Skip { next: exit });
                    }
                    None => {
                        let element = match self.kind(ty) {
                            TypeKind::Array { element, .. } => *element,
                            _ => self.std.opaque,
                        };
                        self.cx.repeated = true;
                        let head = self.reserve();
                        self.put(Action::Skip { next: head });
                        self.cx.cur = head;
                        let (more, done) = self.branch(Some(Model::Any));
                        self.cx.cur = more;
                        self.cx.scope = self.new_scope(outer, "loop");
                        self.bind_object(name, Obj::Opaque, element, constant);
                        self.stmts(body);
                        self.put(Action::Skip { next: head });
                        self.cx.cur = done;
                        self.put(Action::Skip { next: exit });
                    }
                }
            }
            _ => {
                self.reject(array.span, "loop over something that is no array");
            }
        }
        self.cx.scope = outer;
    }

    /// Whether statements contain an allocator, or a call of something that does: then each
    /// iteration of a loop around them may make another object.
    pub(crate) fn stmts_create(&mut self, stmts: &'a [Stmt], scope: ScopeId, depth: usize) -> bool {
        stmts.iter().any(|s| match &s.kind {
            StmtKind::Assign(a, b) => {
                self.expr_creates(a, scope, depth) || self.expr_creates(b, scope, depth)
            }
            StmtKind::Call(e) => self.expr_creates(e, scope, depth),
            StmtKind::Return(e) => e.as_ref().is_some_and(|e| self.expr_creates(e, scope, depth)),
            StmtKind::If(arms, otherwise) => {
                arms.iter().any(|a| self.stmts_create(&a.1, scope, depth))
                    || self.stmts_create(otherwise, scope, depth)
            }
            StmtKind::Case(_, arms) => arms.iter().any(|a| self.stmts_create(&a.1, scope, depth)),
            StmtKind::Loop { body, .. } => self.stmts_create(body, scope, depth),
            StmtKind::Parallel(parts) => parts.iter().any(|p| self.stmts_create(p, scope, depth)),
            StmtKind::Block { decls, handled } => {
                self.stmts_create(&handled.stmts, scope, depth)
                    || decls.iter().any(|d| match &d.kind {
                        DeclKind::Object { init: Some(init), .. } => self.expr_creates(init, scope, depth),
                        _ => false,
                    })
            }
            _ => false,
        })
    }

    pub(crate) fn expr_creates(&mut self, e: &'a syntax::Expr, scope: ScopeId, depth: usize) -> bool {
        match &e.kind {
            ExprKind::New(..) => true,
            ExprKind::Name(ident) => {
                let list = self.look_up(scope, &ident.key);
                list.iter().any(|b| match b {
                    Binding::Subprogram(sub) => self.creates_objects(sub, depth + 1),
                    _ => false,
                })
            }
            ExprKind::Select(prefix, ident) => match &prefix.kind {
                ExprKind::Name(package) => match self.look_up(scope, &package.key).first() {
                    Some(Binding::Package(inner)) => {
                        let list = self.scopes[inner.0].names.get(&ident.key).cloned().unwrap_or_default();
                        list.iter().any(|b| match b {
                            Binding::Subprogram(sub) => self.creates_objects(sub, depth + 1),
                            _ => false,
                        })
                    }
                    _ => false,
                },
                _ => false,
            },
            ExprKind::Call(prefix, args) => {
                self.expr_creates(prefix, scope, depth)
                    || args.iter().any(|a| match &a.value {
                        Choice::Expr(e) => self.expr_creates(e, scope, depth),
                        _ => false,
                    })
            }
            ExprKind::Aggregate(components) => {
                components.iter().any(|c| self.expr_creates(&c.value, scope, depth))
            }
            ExprKind::Qualified(_, e) => self.expr_creates(e, scope, depth),
            _ => false,
        }
    }

    // ---- asynchronous select -----------------------------------------------------------------

    fn asynchronous(&mut self, trigger: &'a Stmt, then: &'a [Stmt], abortable: &'a [Stmt]) {
        if abortable.iter().any(declares_tasks) {
            self.reject(self.cx.span, "an abortable part that declares tasks");
            return;
        }
        let (model_trigger, copies) = match &trigger.kind {
            StmtKind::Delay(time) => {
                self.value(time, None);
                (Trigger::Delay, crate::tasking::Copies::default())
            }
            StmtKind::Call(call) => match self.prepared_entry(call) {
                Some((entry, args, copies)) => {
                    self.triggers.extend(self.entry_calls.last().map(|c| c.1.clone()));
                    (Trigger::Call { entry, args }, copies)
                }
                None => return,
            },
            _ => {
                self.reject(trigger.span, "this trigger of an asynchronous select");
                return;
            }
        };
        let triggered = self.reserve();
        let start = self.reserve();
        let join = self.reserve();
        let (site, regions) = (self.cx.cur, self.regions.len());
        self.put(Action::Async { trigger: model_trigger, abortable: start, triggered });
        self.cx.cur = start;
        self.cx.cleanups.push(Cleanup::EndAsync);
        self.guarded(
            |e| e.stmts(abortable),
            |e, occurrence| {
                e.emit(|next| Action::EndAsync { next });
                e.end_path(Action::Resume { occurrence });
            },
        );
        self.cx.cleanups.pop();
        if self.regions[regions..].iter().any(|r| !r.is_empty()) {
            let end = std::mem::replace(&mut self.cx.cur, site);
            self.reject(self.cx.span, "an abortable part that declares controlled objects");
            self.cx.cur = end;
        }
        self.emit(|next| Action::EndAsync { next });
        self.put(Action::Skip { next: join });
        self.cx.cur = triggered;
        self.copy_back(copies);
        self.stmts(then);
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
    }
}

fn declares_tasks(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Block { decls, handled } => {
            decls.iter().any(|d| matches!(d.kind, DeclKind::Task { .. }))
                || handled.stmts.iter().any(declares_tasks)
        }
        StmtKind::If(arms, otherwise) => {
            arms.iter().any(|a| a.1.iter().any(declares_tasks)) || otherwise.iter().any(declares_tasks)
        }
        StmtKind::Loop { body, .. } => body.iter().any(declares_tasks),
        _ => false,
    }
}
