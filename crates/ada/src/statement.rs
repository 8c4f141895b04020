//! Statements.

use rendez_model::monitor::SELECTOR;
use rendez_model::{
    Action, BinaryOp, Catch, Cut, Domain, EventKind, Expr as Model, Handler, HandlerId, Loc, Place, Storage,
    Trigger,
};

use crate::elaborate::{Cleanup, Elaborator, LoopCx};
use crate::env::*;
use crate::parse::dotted;
use crate::syntax::{self, *};
use crate::tasking::EntryCall;

/// What an operation of Ada.Exceptions raises.
pub(crate) enum Raised {
    Nothing,
    This(Model),
    Unknown,
}

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
                self.bind(self.cx.scope, &name.key, Binding::Occurrence(occurrence));
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
            self.read_now();
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
                    self.assign_fresh(obj, *ty, value);
                } else if let Some(value) = value {
                    self.effects(value);
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
                let value = match self.intermediate_value(on, ty) {
                    Val::Scalar(value, _) => Some(self.selector(value)),
                    Val::Unknown { input: true } => None,
                    other => {
                        self.note_value(other);
                        Some(Model::Any)
                    }
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
                self.effects(time);
                self.blocks();
                self.emit(|next| Action::Delay { next });
            }
            StmtKind::Abort(names) => {
                let mut tasks = Vec::new();
                for name in names {
                    let task = match self.attribute_prefix(name, true) {
                        Some(Prefix::Object(obj, ty)) => self.reference_to(&obj, ty),
                        Some(Prefix::Type(_)) => Model::Const(i64::from(self.cx.task.0)),
                        None => Model::Any,
                    };
                    if task.is_any() {
                        self.reject(name.span, "abort of a task that cannot be determined");
                        return;
                    }
                    tasks.push(task);
                }
                self.blocks();
                self.emit(|next| Action::Abort { tasks, next });
            }
            StmtKind::Raise(None, _) => match self.cx.occurrence {
                Some(cell) => self.end_path(Action::Raise { exception: Model::Var(cell), by_tasking: false }),
                None => self.reject(stmt.span, "raise without a handler around it"),
            },
            StmtKind::Raise(Some(name), message) => {
                if let Some(message) = message {
                    self.effects(message);
                }
                match self.meaning(name) {
                    Meaning::Exception(id) => self.raise(id),
                    Meaning::Library(unit) => {
                        let exception = self.library_exception(&unit);
                        self.raise(exception);
                    }
                    _ => self.reject(stmt.span, "raise of an exception that is not visible here"),
                }
            }
            StmtKind::Requeue { entry, with_abort } => self.requeue(entry, *with_abort, stmt.span),
            StmtKind::Pragma { name, args } => self.statement_pragma(name, args),
            StmtKind::Assertion(condition, text) => self.assertion(condition, text.clone()),
            StmtKind::Event(name) => {
                let name = name.clone();
                self.emit(|next| Action::Event { kind: EventKind::Annotated, name, next });
            }
            StmtKind::Formula(text) => {
                let name = text.clone();
                self.emit(|next| Action::Event { kind: EventKind::Asserted, name, next });
            }
            StmtKind::Unsupported(what) => self.reject(stmt.span, format!("{what} is not modelled")),
        }
    }

    /// Exceptions of library units, one for each name.
    pub(crate) fn library_exception(&mut self, name: &str) -> rendez_model::ExceptionId {
        // The assertions of the language raise it without naming the unit.
        if ["ada.assertions.assertion_error", "system.assertions.assert_failure"].contains(&name) {
            return rendez_model::ExceptionId::ASSERTION_ERROR;
        }
        let name = crate::library::renamed(name);
        match self.program.exceptions.iter().position(|e| *e == name) {
            Some(known) => rendez_model::ExceptionId::from(known),
            None => self.program.add_exception(&name),
        }
    }

    /// An assertion for rendez alone.
    fn assertion(&mut self, condition: &'a syntax::Expr, text: String) {
        let cond = self.condition(condition).unwrap_or(Model::Any);
        self.emit(|next| Action::Assert { cond, text, next });
    }

    /// `pragma Assert` and its like; `pragma Check` names the kind of assertion that it is.
    pub(crate) fn assertion_pragma(&mut self, name: &Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        let (kind, condition) = match (name.key.as_str(), args) {
            ("check", [(_, kind), (_, condition), ..]) => (dotted(kind), condition),
            (kind, [(_, condition), ..]) => (kind.to_owned(), condition),
            _ => return,
        };
        self.asserted(&kind, condition, format!("pragma {}", name.text));
    }

    fn statement_pragma(&mut self, name: &Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        match name.key.as_str() {
            "assert" | "check" | "loop_invariant" | "assert_and_cut" | "assume" => {
                self.assertion_pragma(name, args);
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
                        self.emit(|next| Action::Event { kind: EventKind::Annotated, name, next });
                    }
                    (Some("stop"), Some((_, Expr { kind: ExprKind::Str(reason), .. }))) => {
                        let reason = reason.clone();
                        let text = format!("{reason}; executions that go beyond are not followed");
                        self.program.assume(text, self.cx.span);
                        self.end_path(Action::Stop { why: Cut::User, reason });
                    }
                    (Some("bound"), Some((_, Expr { kind: ExprKind::Str(reason), .. }))) => {
                        self.end_path(Action::Stop { why: Cut::Bound, reason: reason.clone() });
                    }
                    (Some("forget"), Some((_, target))) => {
                        if let Meaning::Object(obj, ty, _) = self.meaning(target) {
                            self.forget(&obj, ty);
                        }
                    }
                    _ => self.diagnostics.push(
                        rendez_source::Diagnostic::warning(name.span, "unknown annotation for rendez").help(
                            "known are: Annotate (Rendez, Assert, Condition), (Rendez, Event, Name), \
                             (Rendez, Stop, Reason), (Rendez, Bound, Reason) and (Rendez, Forget, Variable)",
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
            Meaning::Object(Obj::Const(_) | Obj::Value(_), ..) => {
                self.effects(value);
                self.reject(target.span, "an assignment to something that was taken not to change");
            }
            Meaning::Object(obj, ty, _) => {
                // The lengths must be the same, and the target's is not known.
                if let (TypeKind::Array { bounds: None, .. }, false) =
                    (self.kind(ty), matches!(obj, Obj::Array(_)))
                {
                    self.doubt();
                }
                self.assign_expr(&obj, ty, value);
            }
            Meaning::Undeclared(text) => self.reject(target.span, text),
            // Something of a library unit: no task of the program names it otherwise.
            Meaning::Library(_) => self.effects(value),
            _ => {
                self.effects(value);
                self.reject(target.span, "an assignment to something that is not followed");
            }
        }
    }

    fn call_statement(&mut self, call: &'a syntax::Expr) {
        let (prefix, args): (&'a syntax::Expr, &'a [Arg]) = match &call.kind {
            ExprKind::Call(prefix, args) => (prefix, args),
            _ => (call, &[]),
        };
        if let ExprKind::Attribute(of, attribute) = &prefix.kind {
            if let Some(none) = self.stream_attribute(of, &attribute.key, args, call.span) {
                self.note_value(none);
            } else if attribute.key == "read" {
                // From the stream to the object.
                self.unknown_call(None, args, false);
            } else {
                self.effects(call);
            }
            return;
        }
        if let ExprKind::Select(object, _) = &prefix.kind
            && let Some(Meaning::Object(obj, ty, _)) = self.quiet_meaning(object)
        {
            let (obj, ty) = self.dereferenced(obj, ty);
            if let TypeKind::Opaque = self.kind(ty) {
                self.unknown_call(Some((obj, ty)), args, false);
                return;
            }
        }
        match self.meaning(prefix) {
            Meaning::Subprograms(subs) => self.call_procedure(&subs, args, call.span),
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
                        self.entry_call(&entry, &[], call.span);
                    }
                    return;
                }
                self.entry_call(&entry, args, call.span);
            }
            Meaning::Operation { prefix, ty, name } => {
                let none = self.call_operation(&prefix, ty, &name, args, false, call.span);
                self.note_value(none);
            }
            Meaning::Library(name) => {
                if name.ends_with("unchecked_deallocation") {
                    return self.deallocate(args);
                }
                let none = self.library_call(&name, args, false, call.span);
                self.note_value(none);
                let event = name.rsplit('.').next().unwrap_or(&name).to_owned();
                self.emit(|next| Action::Event { kind: EventKind::Library, name: event, next });
            }
            Meaning::Undeclared(text) => self.reject(call.span, text),
            Meaning::Prefixed { subs, prefix, dereference } => {
                let none = self.call_prefixed(&subs, (prefix, dereference), args, false, call.span);
                self.note_value(none);
            }
            Meaning::Routine { value, ty } | Meaning::Value(value, Some(ty)) => {
                let none = self.call_routine(value, ty, args, call.span);
                self.note_value(none);
            }
            Meaning::Object(obj, ty, _) if matches!(self.kind(ty), TypeKind::Opaque) => {
                self.unknown_call(Some((obj, ty)), args, false);
            }
            Meaning::Object(obj, ty, _) => {
                let value = self.read(&obj);
                let none = self.call_routine(value, ty, args, call.span);
                self.note_value(none);
            }
            Meaning::Value(_, None) => {
                self.reject(call.span, "a call through an access value is not modelled");
            }
            Meaning::Unknown { .. } => {
                self.unknown_call(None, args, false);
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

    /// The operations of Ada.Exceptions that raise what they get; whether it is one of them.
    pub(crate) fn raised_by_library(&mut self, name: &str, args: &'a [Arg]) -> bool {
        let operation = name.rsplit('.').next().unwrap_or(name);
        let identity = match operation {
            "raise_exception" => true,
            "reraise_occurrence" => false,
            _ => return false,
        };
        let Some(Choice::Expr(what)) = args.first().map(|a| &a.value) else { return false };
        self.arguments(&args[1..]);
        let raised = match identity {
            true => self.identity(what),
            false => self.occurrence(what),
        };
        match raised {
            Raised::Nothing => {}
            Raised::This(exception) => self.end_path(Action::Raise { exception, by_tasking: false }),
            Raised::Unknown => {
                self.effects(what);
                self.raise_any(identity);
            }
        }
        true
    }

    /// The exception that an occurrence is of.
    fn occurrence(&mut self, e: &'a syntax::Expr) -> Raised {
        match self.quiet_meaning(e) {
            // The cells of other tasks may hold another one by now.
            Some(Meaning::Occurrence(cell))
                if self.program.vars[cell.index()].storage == self.local_storage() =>
            {
                Raised::This(Model::Var(cell))
            }
            Some(Meaning::Library(name)) if name.ends_with(".null_occurrence") => Raised::Nothing,
            _ => Raised::Unknown,
        }
    }

    /// The exception that a value of Exception_Id stands for.
    pub(crate) fn identity(&mut self, e: &'a syntax::Expr) -> Raised {
        let null = Model::Const(i64::from(rendez_model::ExceptionId::CONSTRAINT_ERROR.0));
        match &e.kind {
            ExprKind::Attribute(_, attribute) if attribute.key == "identity" => match self.meaning(e) {
                Meaning::Exception(id) => Raised::This(Model::Const(i64::from(id.0))),
                _ => Raised::Unknown,
            },
            ExprKind::Call(prefix, args) => match (self.quiet_meaning(prefix), &args[..]) {
                (Some(Meaning::Library(name)), [Arg { value: Choice::Expr(of), .. }])
                    if name.ends_with(".exception_identity") =>
                {
                    match self.occurrence(of) {
                        Raised::Nothing => Raised::This(null),
                        raised => raised,
                    }
                }
                _ => Raised::Unknown,
            },
            ExprKind::Name(_) | ExprKind::Select(..) => match self.quiet_meaning(e) {
                Some(Meaning::Library(name)) if name.ends_with(".null_id") => Raised::This(null),
                _ => Raised::Unknown,
            },
            _ => Raised::Unknown,
        }
    }

    /// Nobody knows which exception is raised, or whether any is. Which there are is known at the end.
    fn raise_any(&mut self, surely: bool) {
        let next = self.reserve();
        self.put(Action::Skip { next });
        self.raises_any.push((self.cx.cur, next, surely));
        self.cx.cur = next;
    }

    /// Writes the choices of exceptions that are left open.
    pub(crate) fn write_raises(&mut self) {
        for (from, next, surely) in std::mem::take(&mut self.raises_any) {
            let node = self.program.node(from).clone();
            let mut at = from;
            let exceptions = self.program.exceptions.len();
            for number in 0..exceptions {
                let raise = Action::Raise { exception: Model::Const(number as i64), by_tasking: false };
                let yes = self.program.add_node(raise, node.span, node.handler);
                let no = match (number + 1 == exceptions, surely) {
                    (true, true) => yes,
                    (true, false) => next,
                    _ => self.program.add_node(Action::Return, node.span, node.handler),
                };
                self.program.nodes[at.index()].action = Action::Branch { cond: Model::Any, yes, no };
                at = no;
            }
        }
    }

    /// What a case statement chooses by: the same value for all alternatives, whoever changes it meanwhile.
    fn selector(&mut self, value: Model) -> Model {
        let mut changes = false;
        value.each_cell(&self.program, &mut |cell| {
            changes |= self.program.vars[cell.index()].storage != Storage::Local(self.cx.task);
        });
        value.walk(&mut |e| {
            changes |= matches!(e, Model::Count(_) | Model::Callable(_) | Model::Terminated(_));
        });
        if !changes {
            return value;
        }
        let kept = self.temporary(SELECTOR, Domain::Range(i64::MIN + 1, i64::MAX));
        self.assign(Place::Var(kept), value);
        Model::Var(kept)
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
        if self.skips_values(domain) {
            return self.reject(self.cx.span, "a loop over a subtype with a predicate");
        }
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
                let cell = self.local(&name.text, bounds, name.span);
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
                        let cell = self.local(&name.text, domain, name.span);
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

    /// Whether a range is that of a subtype with predicates: values that do not satisfy them are no part of it.
    pub(crate) fn skips_values(&mut self, domain: &'a Choice) -> bool {
        let ty = match domain {
            Choice::Subtype(subtype) => Some(self.subtype(subtype)),
            Choice::Expr(e) => self.quiet_type(e),
            Choice::RangeOf(e, _) => self.quiet_type(e),
            Choice::Range(..) | Choice::Open(_) | Choice::Others => None,
        };
        ty.is_some_and(|ty| !self.types[ty.0].predicates.is_empty())
    }

    fn quiet_type(&mut self, name: &'a syntax::Expr) -> Option<TypeId> {
        match self.quiet_meaning(name) {
            Some(Meaning::Type(ty)) => Some(ty),
            _ => None,
        }
    }

    /// Every iteration is a thread of control of its own.
    fn parallel_loop(&mut self, name: &'a Ident, domain: &'a Choice, body: &'a [Stmt]) {
        if self.skips_values(domain) {
            return self.reject(self.cx.span, "a loop over a subtype with a predicate");
        }
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
        self.blocks();
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
                if let TypeKind::Record { .. } = self.kind(ty) {
                    self.reject(array.span, "loop over something that is no array");
                    return;
                }
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
                        // A container is asked for every element; an array knows its length.
                        if !matches!(self.kind(ty), TypeKind::Array { .. }) {
                            self.note_object(&obj, ty);
                        }
                        let (more, done) = self.branch(Some(Model::Any));
                        self.cx.cur = more;
                        self.cx.scope = self.new_scope(outer, "loop");
                        let part = self.part_of(&obj);
                        self.bind_object(name, part, element, constant);
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
        let (model_trigger, copies) = match &trigger.kind {
            StmtKind::Delay(time) => {
                self.effects(time);
                // GNAT detects no blocking here.
                if self.here().action.is_some() {
                    self.perhaps(rendez_model::ExceptionId::PROGRAM_ERROR);
                }
                (Trigger::Delay, crate::tasking::Copies::default())
            }
            StmtKind::Call(call) => match self.prepared_entry(call) {
                Some(EntryCall { entry, args, copies, set }) => {
                    self.triggers.extend(self.entry_calls.last().map(|c| c.1.clone()));
                    self.before_entry(&entry, &set);
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
        self.emit(|next| Action::EndAsync { next });
        self.put(Action::Skip { next: join });
        self.cx.cur = triggered;
        self.copy_back(copies);
        self.stmts(then);
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
    }
}
