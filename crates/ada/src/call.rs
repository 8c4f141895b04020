//! Calls of subprograms and protected operations.

use std::collections::HashMap;
use std::rc::Rc;

use rendez_model::{
    Action, BinaryOp, Expr as Model, Formal, LockMode, Mode, ObjectId, Place, Proc, ProcId, Storage, TaskId,
    Value, VarId,
};
use rendez_source::Span;

use crate::elaborate::{
    Among, Around, BoundFormal, Dispatch, Elaborator, Job, ProcInfo, ProcKey, ReturnCx, Target,
};
use crate::env::*;
use crate::syntax::{self, *};

/// Copies of one subprogram at most: recursion could ask for more and more.
const MAX_COPIES: usize = 64;

/// Of those, how many there may be for arguments that could be copied, too.
const MAX_BY_REFERENCE: usize = 8;

/// A value or reference for one parameter.
enum Actual {
    Value(Vec<Model>),
    Reference(Obj, TypeId),
}

/// What must be checked after a call.
#[derive(Default)]
struct Returned {
    /// Cells with values, and where they go.
    values: Vec<(VarId, Place, TypeId)>,
    objects: Vec<(Obj, TypeId)>,
}

/// Where the results of a call go.
struct Results {
    /// By the number of a parameter: the place that it is copied to as the call ends.
    outs: Vec<(usize, Place)>,
    /// Copied behind that, with a check.
    back: Vec<(VarId, Place)>,
    value: Val,
    returned: Returned,
}

impl<'a> Elaborator<'a> {
    pub(crate) fn call_function(
        &mut self,
        subs: &[Rc<Subprogram<'a>>],
        args: &'a [Arg],
        want: Option<TypeId>,
        span: Span,
    ) -> Val {
        let Some(sub) = self.resolve(subs, args, want, true) else {
            // An array returned by a function without parameters, indexed.
            if let Some(sub) = self.resolve(subs, &[], None, true)
                && !args.is_empty()
            {
                let result = self.call(&sub, &[], span);
                if let Val::Composite(obj, ty) = result {
                    let mut indices = Vec::new();
                    for arg in args {
                        if let Choice::Expr(e) = &arg.value {
                            indices.push(self.scalar(e, None).unwrap_or(Model::Any));
                        }
                    }
                    let (obj, ty) = self.element(&obj, ty, &indices);
                    return self.object_value(obj, ty);
                }
                return Val::Unknown { input: false };
            }
            self.reject(span, "no visible function fits this call");
            return Val::Scalar(Model::Any, want);
        };
        self.call(&sub, args, span)
    }

    pub(crate) fn call_procedure(&mut self, subs: &[Rc<Subprogram<'a>>], args: &'a [Arg], span: Span) {
        match self.resolve(subs, args, None, false) {
            Some(sub) => {
                let none = self.call(&sub, args, span);
                self.note_value(none);
            }
            None => self.reject(span, "no visible procedure fits this call"),
        }
    }

    /// Chooses among overloaded subprograms by number, names and types of the parameters.
    fn resolve(
        &mut self,
        subs: &[Rc<Subprogram<'a>>],
        args: &'a [Arg],
        want: Option<TypeId>,
        function: bool,
    ) -> Option<Rc<Subprogram<'a>>> {
        let mut best: Option<(usize, Rc<Subprogram<'a>>)> = None;
        for sub in subs {
            if sub.spec.result.is_some() != function || !fits(&sub.spec.params, args) {
                continue;
            }
            let mut score = 1;
            let outer = self.cx.scope;
            for (i, param) in sub.spec.params.iter().enumerate() {
                let Some(Choice::Expr(e)) = actual_for(args, i, &param.name).map(|a| &a.value) else {
                    continue;
                };
                let Some(given) = self.discrete_type(e) else { continue };
                self.cx.scope = sub.scope;
                let ty = self.type_ref(&param.ty);
                self.cx.scope = outer;
                if self.root(ty) == given {
                    score += 2;
                } else if self.domain(ty).is_some() {
                    score = 0;
                    break;
                }
            }
            if score == 0 && subs.len() > 1 {
                continue;
            }
            if let (Some(want), Some(result)) = (want, &sub.spec.result) {
                self.cx.scope = sub.scope;
                let ty = self.type_ref(result);
                self.cx.scope = outer;
                if self.root(ty) == self.root(want) {
                    score += 2;
                }
            }
            if best.as_ref().is_none_or(|b| score > b.0) {
                best = Some((score, sub.clone()));
            }
        }
        best.map(|b| b.1)
    }

    pub(crate) fn call(&mut self, sub: &Rc<Subprogram<'a>>, args: &'a [Arg], span: Span) -> Val {
        if let Some(object) = self.controlling(sub, args) {
            return self.dispatch(sub, object, args, span);
        }
        match sub.kind.clone() {
            SubprogramKind::Renamed(target, scope) => self.call_renamed(sub, target, scope, args, span),
            SubprogramKind::Abstract => {
                self.reject(
                    span,
                    format!("call of abstract `{}`, which no object decides", sub.spec.ident.text),
                );
                Val::Unknown { input: false }
            }
            SubprogramKind::Operation(id) if self.cx.object != Some(id) => {
                self.call_protected(sub, id, args, span)
            }
            _ if self.is_early(sub) => {
                // The body is not elaborated yet.
                self.raise(rendez_model::ExceptionId::PROGRAM_ERROR);
                Val::Scalar(Model::Any, None)
            }
            _ => {
                if let Some(value) = self.call_inline(sub, args) {
                    return value;
                }
                self.call_proc(sub, args, span)
            }
        }
    }

    fn call_renamed(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        target: &'a syntax::Expr,
        scope: ScopeId,
        args: &'a [Arg],
        span: Span,
    ) -> Val {
        let here = std::mem::replace(&mut self.cx.scope, scope);
        let meaning = self.meaning(target);
        self.cx.scope = here;
        match meaning {
            Meaning::Subprograms(subs) => {
                let subs: Vec<_> = subs.into_iter().filter(|s| !Rc::ptr_eq(s, sub)).collect();
                if sub.spec.result.is_some() {
                    self.call_function(&subs, args, None, span)
                } else {
                    self.call_procedure(&subs, args, span);
                    Val::Unknown { input: false }
                }
            }
            Meaning::Entry(entry) => {
                self.entry_call(&entry, args, span);
                Val::Unknown { input: false }
            }
            Meaning::Operation { prefix, ty, name } => {
                self.call_operation(&prefix, ty, &name, args, sub.spec.result.is_some(), span)
            }
            Meaning::Library(name) => self.library_call(&name, args, sub.spec.result.is_some(), span),
            Meaning::Literals(literals) => match literals.first() {
                Some((ty, value)) => Val::Scalar(Model::Const(*value), Some(*ty)),
                None => Val::Unknown { input: false },
            },
            // A predefined operator.
            _ => {
                self.arguments(args);
                Val::Unknown { input: false }
            }
        }
    }

    /// The body of a subprogram, wherever it was declared.
    fn body_of(&mut self, sub: &Subprogram<'a>) -> Option<(&'a Spec, &'a SubprogramBody)> {
        match &sub.kind {
            SubprogramKind::Body(body) => Some((sub.spec, body)),
            SubprogramKind::Plain => {
                let list = self.scopes[sub.scope.0].names.get(&sub.spec.ident.key)?;
                list.iter().find_map(|b| match b {
                    Binding::Subprogram(s) if s.spec.params.len() == sub.spec.params.len() => match &s.kind {
                        SubprogramKind::Body(body) => Some((s.spec, *body)),
                        _ => None,
                    },
                    _ => None,
                })
            }
            SubprogramKind::Operation(id) => {
                let of = self.instances[id.0].of;
                let UnitBody::Protected(items) = self.unit_types[of.0].body else { return None };
                items.iter().find_map(|item| match &item.kind {
                    DeclKind::Subprogram { spec, body }
                        if spec.ident.key == sub.spec.ident.key
                            && spec.params.len() == sub.spec.params.len()
                            && !matches!(body, SubprogramBody::None) =>
                    {
                        Some((spec, body))
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// A function that only returns an expression is that expression.
    fn call_inline(&mut self, sub: &Rc<Subprogram<'a>>, args: &'a [Arg]) -> Option<Val> {
        let (spec, body) = self.body_of(sub)?;
        let returned = match body {
            SubprogramBody::Expression(e) => e,
            SubprogramBody::Body(body) if body.decls.is_empty() && body.handled.handlers.is_empty() => {
                match &body.handled.stmts[..] {
                    [Stmt { kind: StmtKind::Return(Some(e)), labels, .. }] if labels.is_empty() => e,
                    _ => return None,
                }
            }
            _ => return None,
        };
        if self.depth > 40 || !is_plain(returned) || self.has_contracts(sub) {
            return None;
        }
        let result = spec.result.as_ref()?;
        let here = self.cx.scope;
        let scope = self.new_scope(sub.scope, spec.ident.text.clone());
        let mut bound = Vec::new();
        for (i, param) in spec.params.iter().enumerate() {
            if param.mode != ParamMode::In {
                return None;
            }
            self.cx.scope = sub.scope;
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            let value = match actual_for(args, i, &param.name).map(|a| &a.value) {
                Some(Choice::Expr(e)) => self.value(e, Some(ty)),
                _ => {
                    let default = param.default.as_ref()?;
                    self.cx.scope = sub.scope;
                    let value = self.value(default, Some(ty));
                    self.cx.scope = here;
                    value
                }
            };
            let obj = match self.enter_subtype(value, ty) {
                Val::Scalar(value, _) => Obj::Value(self.within(value, ty)),
                Val::Composite(obj, _) => obj,
                Val::Unknown { .. } => Obj::Opaque,
            };
            bound.push((param, obj, ty));
        }
        for (param, obj, ty) in bound {
            self.bind(scope, &param.name.key, Binding::Object { obj, ty, constant: true });
        }
        self.cx.scope = scope;
        let ty = self.type_ref(result);
        let value = self.value(returned, Some(ty));
        let value = match self.enter_subtype(value, ty) {
            Val::Scalar(value, of) => {
                if value.is_any() && self.discrete_type(returned) != Some(ty) {
                    self.unknown_into(ty);
                }
                Val::Scalar(self.within(value, ty), of)
            }
            Val::Unknown { input } => {
                self.unfollowed_check(ty);
                self.unknown_into(ty);
                Val::Unknown { input }
            }
            other => other,
        };
        self.cx.scope = here;
        Some(value)
    }

    /// Whether a subprogram evaluates an allocator, itself or through what it calls.
    pub(crate) fn creates_objects(&mut self, sub: &Rc<Subprogram<'a>>, depth: usize) -> bool {
        let key = (std::ptr::from_ref(sub.spec).addr(), sub.scope);
        if let Some(known) = self.creators.get(&key) {
            return *known;
        }
        // A subprogram that calls itself creates no more by that.
        self.creators.insert(key, false);
        let creates = match self.body_of(sub) {
            Some((_, SubprogramBody::Body(body))) if depth < 5 => {
                let mut inits = body.decls.iter().filter_map(|d| match &d.kind {
                    DeclKind::Object { init, .. } => init.as_ref(),
                    _ => None,
                });
                inits.any(|e| self.expr_creates(e, sub.scope, depth))
                    || self.stmts_create(&body.handled.stmts, sub.scope, depth)
            }
            // Its body may be declared later.
            None => {
                self.creators.remove(&key);
                return false;
            }
            _ => false,
        };
        self.creators.insert(key, creates);
        creates
    }

    fn call_proc(&mut self, sub: &Rc<Subprogram<'a>>, args: &'a [Arg], span: Span) -> Val {
        let Some((proc, info, actuals)) = self.prepare(sub, args, span) else {
            return Val::Unknown { input: false };
        };
        let (value, returned) = self.emit_call(proc, &info, actuals, sub, args);
        self.take_back(returned);
        value
    }

    /// Evaluates the arguments and finds the procedure that fits them.
    fn prepare(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        args: &'a [Arg],
        span: Span,
    ) -> Option<(ProcId, ProcInfo, Vec<Model>)> {
        let here = self.cx.scope;
        let mut references = String::new();
        let mut actuals = Vec::new();
        let mut order = Vec::new();
        for (i, param) in sub.spec.params.iter().enumerate() {
            self.cx.scope = sub.scope;
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            let given = match actual_for(args, i, &param.name).map(|a| &a.value) {
                Some(Choice::Expr(e)) if !matches!(e.kind, ExprKind::Default) => Some((e, here)),
                _ => param.default.as_ref().map(|d| (d, sub.scope)),
            };
            let by_reference = self.always_by_reference(ty)
                || given.is_some_and(|(e, scope)| scope == here && self.may_be_by_reference(sub, e, ty));
            let first = self.program.nodes.len();
            let actual = match given {
                None => Actual::Value(Vec::new()),
                Some((e, scope)) => {
                    self.cx.scope = scope;
                    let actual = self.actual(e, ty, param.mode, by_reference);
                    self.cx.scope = here;
                    actual
                }
            };
            let mut reads = false;
            if let Actual::Value(given) = &actual {
                given.iter().for_each(|v| v.each_cell(&self.program, &mut |_| reads = true));
            }
            order.push((first, reads));
            if let Actual::Reference(obj, of) = &actual {
                references.push_str(&format!("{obj:?} {of:?};"));
            }
            // What is known of the type of the argument is known of a parameter of its class.
            let ty = match &actual {
                Actual::Reference(obj, of) if self.types[ty.0].class_wide && !matches!(obj, Obj::Opaque) => {
                    *of
                }
                _ => ty,
            };
            actuals.push((ty, actual));
        }
        self.note_order(&order, span);
        // A subprogram that creates objects, called once here, gets a copy of its own: then its
        // allocators are evaluated once, too.
        let code = std::ptr::from_ref(sub.spec).addr();
        let own = !self.cx.repeated
            && self.procs.keys().filter(|k| k.code == code).count() < MAX_COPIES
            && self.creates_objects(sub, 0);
        if own {
            references.push_str(&format!("call {};", self.procs.len()));
        }
        let around = self.around(sub);
        let key = ProcKey { code, scope: sub.scope, task: self.cx.task, references, around };
        let copies = |p: &&ProcKey| p.code == code && p.task == key.task;
        if !self.procs.contains_key(&key) && self.procs.keys().filter(copies).count() >= MAX_COPIES {
            self.reject(span, "a subprogram that is called with too many different objects");
            return None;
        }
        let proc = match self.procs.get(&key) {
            Some(proc) => *proc,
            None => self.new_proc(sub, key, &actuals, span, own),
        };
        let info = self.proc_info[&proc].clone();
        let mut values = Vec::new();
        for ((_, actual), cells) in actuals.into_iter().zip(&info.cells) {
            match actual {
                Actual::Value(given) if given.len() == cells.len() => values.extend(given),
                actual => {
                    if let Actual::Value(given) = actual {
                        given.into_iter().for_each(|v| self.note(v));
                    }
                    values.extend(std::iter::repeat_n(Model::Any, cells.len()));
                }
            }
        }
        values.extend(std::iter::repeat_n(Model::Any, info.result_cells.len()));
        Some((proc, info, values))
    }

    /// Says that the order in which results are copied back is a fixed one, where another order may leave another value:
    /// where those of two parameters, which are given by number, may go to the same cell (RM 6.4.1(17)).
    pub(crate) fn note_copies(&mut self, targets: &[(usize, Place)]) {
        let mut taken: HashMap<VarId, usize> = HashMap::new();
        let mut meet = false;
        for (param, place) in targets {
            place.each_cell(&self.program, |c| meet |= *taken.entry(c).or_insert(*param) != *param);
        }
        if meet {
            let what =
                "the results of a call are copied back in a fixed order, which the language leaves open";
            self.program.assume(what, self.cx.span);
        }
    }

    /// Types whose parameters are never copied here: an object of such a type has an identity, or bounds, or
    /// the bounds of components, of its own.
    fn always_by_reference(&mut self, ty: TypeId) -> bool {
        self.is_active(ty)
            || self.is_tagged(ty)
            || matches!(
                self.kind(ty),
                TypeKind::Array { bounds: None, .. }
                    | TypeKind::Record { discriminants: [_, ..], constraint: None, .. }
                    | TypeKind::Opaque
                    | TypeKind::Unfinished
                    | TypeKind::Interface
                    | TypeKind::Unmodelled(_)
            )
    }

    /// Whether an argument that is an array or record is passed by reference. The language demands this of some
    /// types, leaves it open for the others (RM 6.2), and compilers do it for all but small objects. Each object
    /// needs a copy of the code, so there is a limit; beyond it, and where the object is chosen at run time,
    /// the argument is copied. A value that nobody else can name is always copied.
    fn may_be_by_reference(&mut self, sub: &Subprogram<'a>, e: &'a syntax::Expr, ty: TypeId) -> bool {
        if !matches!(self.kind(ty), TypeKind::Array { .. } | TypeKind::Record { .. }) {
            return false;
        }
        let Some(Meaning::Object(obj, given, constant)) = self.quiet_meaning(e) else { return false };
        if constant {
            return false;
        }
        let fits = match (&obj, self.kind(ty)) {
            (Obj::Array(array), TypeKind::Array { bounds: Some(bounds), .. }) => array.bounds == *bounds,
            (Obj::Record(_), TypeKind::Record { .. }) => self.root(given) == self.root(ty),
            _ => false,
        };
        let code = std::ptr::from_ref(sub.spec).addr();
        let task = self.cx.task;
        let copies = self.procs.keys().filter(|k| k.code == code && k.task == task).count();
        let by_reference = fits && copies < MAX_BY_REFERENCE;
        match by_reference {
            true => {
                self.program.assume("arguments that are arrays or records are passed by reference", e.span)
            }
            false => {
                self.program.assume("an argument that is an array or a record is passed by copy", e.span)
            }
        }
        by_reference
    }

    fn actual(&mut self, e: &'a syntax::Expr, ty: TypeId, mode: ParamMode, by_reference: bool) -> Actual {
        if by_reference {
            let value = self.value_or_object(e, ty);
            let value = match mode {
                ParamMode::Out => value,
                _ => self.enter_subtype(value, ty),
            };
            return match value {
                Val::Composite(obj, from) => {
                    if from != ty {
                        self.check_constrained(&obj, from, ty);
                    }
                    let obj = self.frozen_object(obj);
                    Actual::Reference(obj, from)
                }
                value => {
                    self.note_value(value);
                    self.unfollowed_check(ty);
                    Actual::Reference(Obj::Opaque, ty)
                }
            };
        }
        if mode == ParamMode::Out {
            return Actual::Value(Vec::new());
        }
        let value = self.value(e, Some(ty));
        match self.enter_subtype(value, ty) {
            Val::Scalar(value, _) => {
                let checked = match (self.domain(ty), &value) {
                    _ if self.excludes_null.contains(&ty) => self.not_null(value),
                    (_, Model::Const(_)) => self.within(value, ty),
                    (_, Model::Any) => {
                        if self.narrows(e, ty) {
                            self.unknown_into(ty);
                        }
                        value
                    }
                    (Some(rendez_model::Domain::Range(lo, hi)), _) if self.narrows(e, ty) => {
                        Model::Check(Box::new(value), lo, hi)
                    }
                    _ => value,
                };
                Actual::Value(vec![checked])
            }
            Val::Composite(obj, from) => {
                match self.same_lengths(&Obj::Opaque, ty, &obj, from) {
                    Some(true) => {}
                    Some(false) => self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR),
                    None => self.unknown_into(ty),
                }
                if from != ty {
                    self.check_constrained(&obj, from, ty);
                }
                let leaves = self.leaves(&obj, from);
                Actual::Value(leaves.iter().map(|l| self.read(&l.0)).collect())
            }
            Val::Unknown { .. } => {
                self.unfollowed_check(ty);
                self.unknown_into(ty);
                Actual::Value(Vec::new())
            }
        }
    }

    /// Whether a value of an expression may lie outside the range of a type.
    fn narrows(&mut self, e: &'a syntax::Expr, ty: TypeId) -> bool {
        let given = match &e.kind {
            ExprKind::Name(_) => match self.meaning(e) {
                Meaning::Object(_, given, _) => given,
                _ => return true,
            },
            _ => return true,
        };
        match (self.range_of(given), self.range_of(ty)) {
            (Some((a, b)), Some((lo, hi))) => a < lo || b > hi,
            _ => false,
        }
    }

    fn value_or_object(&mut self, e: &'a syntax::Expr, ty: TypeId) -> Val {
        match &e.kind {
            ExprKind::Name(_) | ExprKind::Select(..) | ExprKind::Call(..) => match self.meaning(e) {
                Meaning::Object(obj, ty, _) => Val::Composite(obj, ty),
                meaning => self.meaning_value(meaning, Some(ty), e),
            },
            _ => self.value(e, Some(ty)),
        }
    }

    fn new_proc(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        key: ProcKey,
        actuals: &[(TypeId, Actual)],
        span: Span,
        once: bool,
    ) -> ProcId {
        let proc = ProcId::from(self.program.procs.len());
        let task = self.cx.task;
        self.program.procs.push(Proc {
            name: format!("{} of {}", sub.name, self.program.tasks[task.index()].name),
            task,
            start: self.cx.cur,
            formals: Vec::new(),
            locals: Vec::new(),
        });
        let start = self.program.add_node(Action::Return, span, None);
        self.program.procs[proc.index()].start = start;
        let around = key.around;
        self.procs.insert(key, proc);
        let (spec, _) = match self.body_of(sub) {
            Some(found) => found,
            None => (sub.spec, &SubprogramBody::None),
        };
        let (outer_locals, outer_storage, outer_prefix) = (
            std::mem::take(&mut self.cx.locals),
            std::mem::replace(&mut self.cx.storage, Storage::Local(task)),
            std::mem::replace(&mut self.cx.prefix, format!("{}.", sub.name)),
        );
        let mut info = ProcInfo::default();
        let mut formals = Vec::new();
        let mut bound = Vec::new();
        for (param, (ty, actual)) in spec.params.iter().zip(actuals) {
            let (obj, ty) = match actual {
                Actual::Reference(obj, _) => (obj.clone(), *ty),
                // A copy for one call may know its constant arguments: they may be bounds.
                Actual::Value(given) if once && param.mode == ParamMode::In && given.len() == 1 => {
                    match given[0] {
                        Model::Const(value) => (Obj::Const(value), *ty),
                        _ => (self.storage_for(*ty, &param.name.text, param.name.span), *ty),
                    }
                }
                Actual::Value(_) => (self.storage_for(*ty, &param.name.text, param.name.span), *ty),
            };
            let cells = match actual {
                Actual::Reference(..) => Vec::new(),
                Actual::Value(_) => self.cells_of(&obj, ty),
            };
            let mode = Mode::from(param.mode);
            formals.extend(cells.iter().map(|c| Formal { cell: *c, mode }));
            info.cells.push(cells);
            bound.push(BoundFormal { name: param.name.clone(), obj, ty });
        }
        if let Some(result) = &spec.result {
            let here = std::mem::replace(&mut self.cx.scope, sub.scope);
            let ty = self.type_ref(result);
            self.cx.scope = here;
            let obj = if self.is_active(ty) { Obj::Opaque } else { self.storage_for(ty, "result", span) };
            info.result_cells = self.cells_of(&obj, ty);
            formals.extend(info.result_cells.iter().map(|c| Formal { cell: *c, mode: Mode::Out }));
            info.result = Some((obj, ty));
        }
        let locals = std::mem::replace(&mut self.cx.locals, outer_locals);
        self.cx.storage = outer_storage;
        self.cx.prefix = outer_prefix;
        let header = &mut self.program.procs[proc.index()];
        header.formals = formals;
        header.locals = locals;
        self.jobs.push_back(Job::Proc {
            proc,
            sub: sub.clone(),
            formals: bound,
            result: info.result.clone(),
            once,
            around,
        });
        self.proc_info.insert(proc, info);
        proc
    }

    /// Storage without initialisation: parameters and results.
    pub(crate) fn storage_for(&mut self, ty: TypeId, name: &str, span: Span) -> Obj {
        let before = self.cx.cur;
        let probe = self.reserve();
        self.cx.cur = probe;
        let pending = self.cx.pending.len();
        let obj = self.unread(|e| e.make(ty, name, span));
        self.cx.pending.truncate(pending);
        self.cx.cur = before;
        obj
    }

    pub(crate) fn cells_of(&mut self, obj: &Obj, ty: TypeId) -> Vec<VarId> {
        self.leaves(obj, ty)
            .iter()
            .filter_map(|(o, _)| if let Obj::Cell(v) = o { Some(*v) } else { None })
            .collect()
    }

    fn emit_call(
        &mut self,
        proc: ProcId,
        info: &ProcInfo,
        values: Vec<Model>,
        sub: &Subprogram<'a>,
        args: &'a [Arg],
    ) -> (Val, Returned) {
        let Results { outs, back, value, returned } = self.results(info, sub, args, false);
        self.emit(|next| Action::Call { proc, args: values, outs, next });
        for (cell, place) in back {
            self.assign(place, Model::Var(cell));
        }
        (value, returned)
    }

    /// Where the results of a call go. Those of a protected operation are copied back when the protected action is
    /// over (RM 9.5.1), unless only this task knows the place.
    fn results(
        &mut self,
        info: &ProcInfo,
        sub: &Subprogram<'a>,
        args: &'a [Arg],
        is_protected: bool,
    ) -> Results {
        let mut returned = Returned::default();
        let mut outs = Vec::new();
        let mut back = Vec::new();
        let mut targets = Vec::new();
        let mut position = 0;
        for (i, (param, cells)) in sub.spec.params.iter().zip(&info.cells).enumerate() {
            if param.mode != ParamMode::In
                && let Some(Choice::Expr(e)) = actual_for(args, i, &param.name).map(|a| &a.value)
                && let Meaning::Object(obj, ty, _) = self.target(e)
            {
                let leaves = self.leaves(&obj, ty);
                let checked = self.checked_back(&obj, ty, &mut returned);
                if leaves.len() == cells.len() {
                    for (k, (leaf, leaf_type)) in leaves.iter().enumerate() {
                        let place = self.place(leaf);
                        let place = self.frozen(place);
                        targets.push((i, place.clone()));
                        match checked || is_protected && !self.is_own(&place) {
                            true => {
                                let place = self.set_aside(cells[k], place, *leaf_type, &mut returned);
                                outs.push((position + k, place));
                            }
                            false => self.copied_out(
                                &place,
                                *leaf_type,
                                cells[k],
                                position + k,
                                &mut outs,
                                &mut back,
                            ),
                        }
                    }
                } else if !cells.is_empty() {
                    self.forget(&obj, ty);
                }
            }
            position += cells.len();
        }
        // The result goes to a place of its own: the next call would overwrite the cells.
        let result = match &info.result {
            None => Val::Unknown { input: false },
            Some((obj, ty)) => {
                if info.result_cells.is_empty() {
                    match obj {
                        Obj::Opaque => Val::Unknown { input: false },
                        _ => Val::Composite(obj.clone(), *ty),
                    }
                } else {
                    let outer = std::mem::replace(&mut self.cx.storage, Storage::Local(self.cx.task));
                    let copy =
                        self.storage_for(*ty, &format!("{}'result", sub.spec.ident.text), self.cx.span);
                    self.cx.storage = outer;
                    for (k, cell) in self.cells_of(&copy, *ty).into_iter().enumerate() {
                        outs.push((position + k, Place::Var(cell)));
                    }
                    self.object_value(copy, *ty)
                }
            }
        };
        self.note_copies(&targets);
        Results { outs, back, value: result, returned }
    }

    /// Whether a place belongs to this task alone. A table whose cells are not known yet may name any.
    fn is_own(&self, place: &Place) -> bool {
        let mut own = match place {
            Place::Indexed(table, _) => self.fixups.iter().all(|f| f.table != *table),
            Place::Var(_) | Place::Nowhere => true,
        };
        place.each_cell(&self.program, |cell| {
            own &= self.program.vars[cell.index()].storage == Storage::Local(self.cx.task);
        });
        own
    }

    /// Notes that an object must satisfy the predicates of its subtype after a call; whether its value is copied
    /// to it and checked before that.
    fn checked_back(&mut self, obj: &Obj, ty: TypeId, returned: &mut Returned) -> bool {
        if self.predicates(ty).is_empty() {
            return false;
        }
        let scalar = self.domain(ty).is_some();
        if !scalar {
            returned.objects.push((obj.clone(), ty));
        }
        scalar
    }

    /// A place for a value that is checked before it goes where it belongs.
    fn set_aside(&mut self, formal: VarId, place: Place, ty: TypeId, returned: &mut Returned) -> Place {
        let kept = self.temporary("returned", self.program.vars[formal.index()].domain);
        returned.values.push((kept, place, ty));
        Place::Var(kept)
    }

    /// Checks what a call gave back.
    fn take_back(&mut self, returned: Returned) {
        for (kept, place, ty) in returned.values {
            if let Val::Scalar(value, _) = self.enter_subtype(Val::Scalar(Model::Var(kept), Some(ty)), ty) {
                self.assign(place, value);
            }
        }
        for (obj, ty) in returned.objects {
            self.check_predicates(&obj, ty);
        }
    }

    /// What a parameter leaves behind goes to its place; by way of a cell, with a check, if that has fewer values.
    fn copied_out(
        &mut self,
        place: &Place,
        ty: TypeId,
        formal: VarId,
        position: usize,
        outs: &mut Vec<(usize, Place)>,
        back: &mut Vec<(VarId, Place)>,
    ) {
        use rendez_model::Domain::Range;
        let given = self.program.vars[formal.index()].domain;
        match (given, self.domain(ty)) {
            _ if *place == Place::Nowhere => {}
            (Range(least, most), Some(Range(lo, hi))) if least < lo || hi < most => {
                let cell = self.temporary("out", given);
                outs.push((position, Place::Var(cell)));
                back.push((cell, place.clone()));
            }
            _ => {
                self.unfollowed_check(ty);
                outs.push((position, place.clone()));
            }
        }
    }

    /// An actual for an out parameter; a conversion on it is looked through.
    pub(crate) fn target(&mut self, e: &'a syntax::Expr) -> Meaning<'a> {
        if let ExprKind::Call(prefix, args) = &e.kind
            && let Some(Arg { value: Choice::Expr(inner), .. }) = args.first()
            && matches!(self.quiet_meaning(prefix), Some(Meaning::Type(_)))
        {
            return self.target(inner);
        }
        self.meaning(e)
    }

    // ---- protected operations ----------------------------------------------------------------

    /// Functions of an object read it together, unless its type says that they exclude each other.
    fn lock_mode(&self, sub: &Subprogram<'a>, id: InstanceId) -> LockMode {
        let exclusive = self.unit_types[self.instances[id.0].of.0].exclusive;
        if sub.spec.result.is_some() && !exclusive { LockMode::Read } else { LockMode::Write }
    }

    fn call_protected(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        id: InstanceId,
        args: &'a [Arg],
        span: Span,
    ) -> Val {
        let object = ObjectId::from(id.0);
        let mode = self.lock_mode(sub, id);
        let Some((proc, info, values)) = self.prepare(sub, args, span) else {
            return Val::Unknown { input: false };
        };
        // Arguments are evaluated before the object is locked.
        let values: Vec<Model> = values.into_iter().map(|v| self.settle(v)).collect();
        let Results { outs, back, value, returned } = self.results(&info, sub, args, true);
        self.check_ceiling(id);
        self.emit(|next| Action::Lock { object, mode, next });
        self.guarded(
            |e| e.emit(|next| Action::Call { proc, args: values, outs, next }),
            |e, occurrence| {
                e.emit(|next| Action::Unlock { object, next });
                e.end_path(Action::Resume { occurrence });
            },
        );
        self.emit(|next| Action::Unlock { object, next });
        for (cell, place) in back {
            self.assign(place, Model::Var(cell));
        }
        self.take_back(returned);
        value
    }

    /// The place as it is now: what its index reads may change before it is written.
    pub(crate) fn frozen(&mut self, place: Place) -> Place {
        match place {
            Place::Indexed(table, index) if index.constant().is_none() => {
                let kept = self.temporary("index", rendez_model::Domain::Range(i64::MIN + 1, i64::MAX));
                self.assign(Place::Var(kept), index);
                Place::Indexed(table, Model::Var(kept))
            }
            place => place,
        }
    }

    /// The object as it is chosen now.
    pub(crate) fn frozen_object(&mut self, obj: Obj) -> Obj {
        let keep = |e: &mut Self, index: Model| match index.constant() {
            Some(_) => index,
            None => {
                let name = format!("{}index", e.cx.prefix);
                let domain = rendez_model::Domain::Range(i64::MIN + 1, i64::MAX);
                let kept = e.cell(name, domain, Value::Any, e.cx.span);
                e.assign(Place::Var(kept), index);
                Model::Var(kept)
            }
        };
        match obj {
            Obj::Chosen { index, choices } => Obj::Chosen { index: keep(self, index), choices },
            Obj::Designated { pool, index, path } => {
                let index = self.not_null(index);
                Obj::Designated { pool, index: keep(self, index), path }
            }
            obj => obj,
        }
    }

    /// The value as it is now.
    pub(crate) fn kept(&mut self, value: Model) -> Model {
        if let Model::Const(_) | Model::Any = value {
            return value;
        }
        let kept = self.temporary("kept", rendez_model::Domain::Range(i64::MIN + 1, i64::MAX));
        self.assign(Place::Var(kept), value);
        Model::Var(kept)
    }

    /// Keeps a value that other tasks could change.
    pub(crate) fn settle(&mut self, value: Model) -> Model {
        let mut shared = false;
        value.each_cell(&self.program, &mut |cell| {
            shared |= self.program.vars[cell.index()].storage != Storage::Local(self.cx.task);
        });
        let mut counts = false;
        value.walk(&mut |e| {
            counts |= matches!(e, Model::Count(_) | Model::Callable(_) | Model::Terminated(_))
        });
        if !shared && !counts {
            return value;
        }
        // What may be called stays known.
        let value = match value {
            Model::Lookup(table, index) => return Model::Lookup(table, self.settle(*index).into()),
            Model::Binary(BinaryOp::Add, base, index)
                if matches!(*base, Model::Const(_) | Model::Lookup(..)) =>
            {
                return Model::binary(BinaryOp::Add, self.settle(*base), self.settle(*index));
            }
            value => value,
        };
        let kept = self.temporary("argument", rendez_model::Domain::Range(i64::MIN + 1, i64::MAX));
        self.assign(Place::Var(kept), value);
        Model::Var(kept)
    }

    /// A protected operation of an object that is chosen at run time.
    pub(crate) fn call_operation(
        &mut self,
        prefix: &Obj,
        ty: TypeId,
        name: &Ident,
        args: &'a [Arg],
        function: bool,
        span: Span,
    ) -> Val {
        match prefix {
            Obj::Protected(id) => {
                let scope = self.instances[id.0].scope;
                let list = self.scopes[scope.0].names.get(&name.key).cloned().unwrap_or_default();
                match self.bindings(list, &name.text) {
                    Meaning::Subprograms(subs) if function => self.call_function(&subs, args, None, span),
                    Meaning::Subprograms(subs) => {
                        self.call_procedure(&subs, args, span);
                        Val::Unknown { input: false }
                    }
                    _ => {
                        self.reject(span, format!("`{}` is no operation here", name.text));
                        Val::Unknown { input: false }
                    }
                }
            }
            Obj::Chosen { index, choices } => {
                let index = self.settle(index.clone());
                let join = self.reserve();
                let mut result = Val::Unknown { input: false };
                let mut shared: Option<(VarId, TypeId)> = None;
                for (i, choice) in choices.iter().enumerate() {
                    let (yes, no) = self.branch(Some(Model::equal(index.clone(), Model::Const(i as i64))));
                    self.cx.cur = yes;
                    let one = self.call_operation(choice, ty, name, args, function, span);
                    if let Val::Scalar(value, Some(ty)) = one
                        && let Some(domain) = self.domain(ty)
                    {
                        let (cell, ty) = match shared {
                            Some(known) => known,
                            None => (self.temporary("result", domain), ty),
                        };
                        shared = Some((cell, ty));
                        self.assign(Place::Var(cell), value);
                        result = Val::Scalar(Model::Var(cell), Some(ty));
                    }
                    self.put(Action::Skip { next: join });
                    self.cx.cur = no;
                }
                self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                self.cx.cur = join;
                result
            }
            Obj::Designated { pool, index, path } => {
                self.call_designated(*pool, index.clone(), path.clone(), ty, name, args, span)
            }
            _ => {
                self.reject(span, "a protected object that cannot be determined");
                Val::Unknown { input: false }
            }
        }
    }

    /// A protected operation of the object that an access value designates.
    #[allow(clippy::too_many_arguments)]
    fn call_designated(
        &mut self,
        pool: PoolId,
        index: Model,
        path: Rc<Vec<Step>>,
        ty: TypeId,
        name: &Ident,
        args: &'a [Arg],
        span: Span,
    ) -> Val {
        let TypeKind::Protected { of, .. } = *self.kind(ty) else {
            self.reject(span, "a protected object that cannot be determined");
            return Val::Unknown { input: false };
        };
        let unit_scope = self.unit_types[of.0].scope;
        let spec = self.unit_types[of.0].items.iter().find_map(|item| match &item.kind {
            DeclKind::Subprogram { spec, .. } if spec.ident.key == name.key && fits(&spec.params, args) => {
                Some(spec)
            }
            _ => None,
        });
        let Some(spec) = spec else {
            self.reject(span, format!("`{}` is no operation here", name.text));
            return Val::Unknown { input: false };
        };
        let among = Among::Operations { of, pool, path, operation: name.clone() };
        let profile = (spec.params.as_slice(), spec.result.as_ref(), unit_scope);
        self.call_one_of(among, index, profile, &name.text, args, span)
    }

    /// The number of a subprogram whose access is taken.
    pub(crate) fn routine(&mut self, subs: &[Rc<Subprogram<'a>>], want: Option<TypeId>) -> Option<Model> {
        let wanted = match want.map(|w| self.kind(w).clone()) {
            Some(TypeKind::AccessSubprogram { profile, scope }) => {
                Some((self.param_types(&profile.params, scope), profile.result.is_some()))
            }
            _ => None,
        };
        let mut found = None;
        for sub in subs {
            let fits = match &wanted {
                None => true,
                Some((params, function)) => {
                    sub.spec.result.is_some() == *function
                        && self.param_types(&sub.spec.params, sub.scope) == *params
                }
            };
            if fits {
                found = Some(sub.clone());
                break;
            }
        }
        let sub = found.or_else(|| subs.first().cloned())?;
        let known = self.routines.iter().position(|r| Rc::ptr_eq(r, &sub));
        let number = known.unwrap_or_else(|| {
            self.routines.push(sub);
            self.routines.len() - 1
        });
        Some(Model::Const(number as i64))
    }

    /// The first subtypes of parameters.
    fn param_types(&mut self, params: &'a [Param], scope: ScopeId) -> Vec<TypeId> {
        let here = std::mem::replace(&mut self.cx.scope, scope);
        let types = params
            .iter()
            .map(|p| {
                let ty = self.type_ref(&p.ty);
                self.root(ty)
            })
            .collect();
        self.cx.scope = here;
        types
    }

    /// Calls the subprogram that an access value designates.
    pub(crate) fn call_routine(&mut self, value: Model, ty: TypeId, args: &'a [Arg], span: Span) -> Val {
        let TypeKind::AccessSubprogram { profile, scope } = *self.kind(ty) else {
            self.reject(span, "a call through an access value is not modelled");
            return Val::Unknown { input: false };
        };
        let params = self.param_types(&profile.params, scope);
        if params.iter().any(|p| self.is_active(*p)) {
            self.reject(span, "a task or protected object passed through an access value");
            return Val::Unknown { input: false };
        }
        match value {
            Model::Const(n) if n < 0 => {
                self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                Val::Scalar(Model::Any, None)
            }
            Model::Const(n) => {
                let sub = self.routines[n as usize].clone();
                self.call(&sub, args, span)
            }
            Model::Any => {
                self.reject(span, "a subprogram that cannot be determined");
                Val::Unknown { input: false }
            }
            value => {
                let among = Among::Routines { params, function: profile.result.is_some() };
                let profile = (profile.params.as_slice(), profile.result.as_ref(), scope);
                self.call_one_of(among, value, profile, "routine", args, span)
            }
        }
    }

    /// What a call can reach is known only at the end: it goes to a procedure that chooses,
    /// written then.
    pub(crate) fn call_one_of(
        &mut self,
        among: Among,
        index: Model,
        (params, result, profile_scope): (&'a [Param], Option<&'a TypeRef>, ScopeId),
        name: &str,
        args: &'a [Arg],
        span: Span,
    ) -> Val {
        let here = self.cx.scope;
        let task = self.cx.task;
        let mut values = vec![index];
        let mut outs = Vec::new();
        let mut back = Vec::new();
        let mut targets = Vec::new();
        let mut formals = Vec::new();
        let (outer_locals, outer_storage, outer_prefix) = (
            std::mem::take(&mut self.cx.locals),
            std::mem::replace(&mut self.cx.storage, Storage::Local(task)),
            std::mem::replace(&mut self.cx.prefix, format!("{name}.")),
        );
        let index_cell =
            self.cell("designated".into(), rendez_model::Domain::Range(-1, 65535), Value::Any, span);
        formals.push(Formal { cell: index_cell, mode: Mode::In });
        let mut cells = Vec::new();
        let mut shapes = Vec::new();
        for param in params {
            self.cx.scope = profile_scope;
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            // Tagged objects are passed by reference: the one that decides is known by its number.
            let these = if self.is_tagged(ty) {
                Vec::new()
            } else {
                let obj = self.storage_for(ty, &param.name.text, span);
                self.cells_of(&obj, ty)
            };
            let mode = Mode::from(param.mode);
            formals.extend(these.iter().map(|c| Formal { cell: *c, mode }));
            cells.extend(these.iter().copied());
            shapes.push((ty, these.len()));
        }
        let result = match result {
            None => None,
            Some(result) => {
                self.cx.scope = profile_scope;
                let ty = self.type_ref(result);
                self.cx.scope = here;
                self.domain(ty).map(|d| (self.cell("result".into(), d, Value::Any, span), ty, d))
            }
        };
        if let Some((cell, ..)) = result {
            formals.push(Formal { cell, mode: Mode::Out });
        }
        let locals = std::mem::replace(&mut self.cx.locals, outer_locals);
        self.cx.storage = outer_storage;
        self.cx.prefix = outer_prefix;
        let mut position = 1;
        let mut returned = Returned::default();
        for (i, (param, (ty, count))) in params.iter().zip(shapes).enumerate() {
            if self.is_tagged(ty) {
                if i > 0 && param.mode != ParamMode::In {
                    self.reject(span, "a second tagged object passed to an operation that dispatches");
                }
                continue;
            }
            if let Some(Choice::Expr(e)) = actual_for(args, i, &param.name).map(|a| &a.value) {
                match self.actual(e, ty, param.mode, false) {
                    Actual::Value(given) if given.len() == count => values.extend(given),
                    actual => {
                        if let Actual::Value(given) = actual {
                            given.into_iter().for_each(|v| self.note(v));
                        }
                        values.extend(std::iter::repeat_n(Model::Any, count));
                    }
                }
                if param.mode != ParamMode::In
                    && let Meaning::Object(obj, ty, _) = self.target(e)
                {
                    let leaves = self.leaves(&obj, ty);
                    let checked = self.checked_back(&obj, ty, &mut returned);
                    for (k, (leaf, leaf_type)) in leaves.iter().enumerate().take(count) {
                        let place = self.place(leaf);
                        let place = self.frozen(place);
                        targets.push((i, place.clone()));
                        let formal = formals[position + k].cell;
                        match checked {
                            true => {
                                let place = self.set_aside(formal, place, ty, &mut returned);
                                outs.push((position + k, place));
                            }
                            false => self.copied_out(
                                &place,
                                *leaf_type,
                                formal,
                                position + k,
                                &mut outs,
                                &mut back,
                            ),
                        }
                    }
                }
            } else {
                values.extend(std::iter::repeat_n(Model::Any, count));
            }
            position += count;
        }
        let value = match result {
            None => Val::Unknown { input: false },
            Some((_, ty, domain)) => {
                let copy = self.temporary("result", domain);
                outs.push((position, Place::Var(copy)));
                values.push(Model::Any);
                Val::Scalar(Model::Var(copy), Some(ty))
            }
        };
        let proc = ProcId::from(self.program.procs.len());
        let start = self.program.add_node(Action::Return, span, None);
        self.program.procs.push(Proc {
            name: format!("{name} chosen at run time"),
            task,
            start,
            formals,
            locals,
        });
        self.jobs.push_back(Job::Dispatch(Dispatch {
            proc,
            task,
            among,
            index: index_cell,
            args: cells,
            result: result.map(|r| r.0),
            around: self.here(),
            span,
        }));
        self.note_copies(&targets);
        self.emit(|next| Action::Call { proc, args: values, outs, next });
        for (cell, place) in back {
            self.assign(place, Model::Var(cell));
        }
        self.take_back(returned);
        value
    }

    pub(crate) fn dispatch_code(&mut self, d: Dispatch) {
        // Other code may still create objects: as long as there is any, this waits.
        if self.jobs.iter().any(|j| !matches!(j, Job::Dispatch(_))) {
            self.jobs.push_back(Job::Dispatch(d));
            return;
        }
        let start = self.program.procs[d.proc.index()].start;
        self.proc_context(d.proc, d.task, self.std.scope, start, |e| {
            e.cx.span = d.span;
            e.cx.around = d.around;
            let end = e.reserve();
            for (number, target) in e.candidates(&d.among) {
                let (yes, no) = e.branch(Some(Model::equal(Model::Var(d.index), Model::Const(number))));
                e.cx.cur = yes;
                match target {
                    Target::Subprogram(sub, object) => {
                        e.call_with_cells(&sub, object, &d.args, d.result);
                    }
                    Target::Entry(entry) => {
                        let set = e.entry_set(entry);
                        let entry = Model::Const(i64::from(entry.0));
                        e.entry_calls.push((d.task, entry.clone()));
                        if let Some(set) = set {
                            e.before_entry(&entry, &set);
                        }
                        let args = d.args.clone();
                        let mode = rendez_model::CallMode::Plain;
                        e.emit(|next| Action::EntryCall { entry, args, mode, next });
                    }
                }
                e.put(Action::Skip { next: end });
                e.cx.cur = no;
            }
            e.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
            e.cx.cur = end;
            e.put(Action::Return);
        });
    }

    /// What is known of an entry by its number.
    fn entry_set(&self, entry: rendez_model::EntryId) -> Option<EntrySet<'a>> {
        let instance = match self.program.entries[entry.index()].owner {
            rendez_model::Owner::Task(task) => self.task_instances.get(&task)?,
            rendez_model::Owner::Object(object) => &self.instances[object.index()],
        };
        instance.entries.values().find(|s| s.first == entry).cloned()
    }

    /// What the code here is part of, for those whom it calls.
    pub(crate) fn here(&self) -> Around {
        match self.cx.object.or(self.cx.around.action) {
            Some(action) => Around { action: Some(action), accept: false },
            None => Around { action: None, accept: self.cx.after_accept.is_some() || self.cx.around.accept },
        }
    }

    /// The same for the code of a subprogram, as far as it makes a difference there.
    fn around(&self, sub: &Subprogram<'a>) -> Around {
        match sub.kind {
            SubprogramKind::Operation(_) => Around::default(),
            _ if self.ceilings => self.here(),
            // That there is a protected action is all that matters, and rendezvous change priorities only.
            _ => Around { action: self.here().action.and(Some(InstanceId(0))), accept: false },
        }
    }

    /// The subprograms that a call may reach, with the numbers that choose them.
    fn candidates(&mut self, among: &Among) -> Vec<(i64, Target<'a>)> {
        let mut all = Vec::new();
        match among {
            Among::Primitives { pool, name, params, function } => {
                return self.implementations(*pool, name, *params, *function);
            }
            Among::Operations { of, pool, path, operation } => {
                let mut number = 0;
                for (member, _) in self.pools[pool.0].clone() {
                    for obj in self.follow(&member, path) {
                        let this = number;
                        number += 1;
                        let Obj::Protected(id) = obj else { continue };
                        if self.instances[id.0].of != *of {
                            continue;
                        }
                        let scope = self.instances[id.0].scope;
                        let list = self.scopes[scope.0].names.get(&operation.key);
                        let sub = list.into_iter().flatten().find_map(|b| match b {
                            Binding::Subprogram(s) => Some(s.clone()),
                            _ => None,
                        });
                        all.extend(sub.map(|s| (this, Target::Subprogram(s, None))));
                    }
                }
            }
            Among::Routines { params, function } => {
                for (number, sub) in self.routines.clone().into_iter().enumerate() {
                    if sub.spec.result.is_some() == *function
                        && self.param_types(&sub.spec.params, sub.scope) == *params
                    {
                        all.push((number as i64, Target::Subprogram(sub, None)));
                    }
                }
            }
        }
        all
    }

    /// Calls a subprogram or protected operation with cells as arguments.
    pub(crate) fn call_with_cells(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        object: Option<(Obj, TypeId)>,
        args: &[VarId],
        result: Option<VarId>,
    ) {
        let here = self.cx.scope;
        let mut references = String::new();
        let mut actuals = Vec::new();
        for param in &sub.spec.params {
            self.cx.scope = sub.scope;
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            let actual = match &object {
                Some((obj, of)) if actuals.is_empty() => {
                    references = format!("{obj:?} {of:?};");
                    Actual::Reference(obj.clone(), *of)
                }
                _ if self.is_tagged(ty) => Actual::Reference(Obj::Opaque, ty),
                _ => Actual::Value(Vec::new()),
            };
            actuals.push((ty, actual));
        }
        let key = ProcKey {
            code: std::ptr::from_ref(sub.spec).addr(),
            scope: sub.scope,
            task: self.cx.task,
            references,
            around: self.around(sub),
        };
        let proc = match self.procs.get(&key) {
            Some(proc) => *proc,
            None => self.new_proc(sub, key, &actuals, sub.span, false),
        };
        let formals = self.program.procs[proc.index()].formals.clone();
        let mut values: Vec<Model> = args.iter().map(|a| Model::Var(*a)).collect();
        values.resize(formals.len(), Model::Any);
        let mut outs = Vec::new();
        for (i, formal) in formals.iter().enumerate() {
            if formal.mode.copies_out() {
                match (args.get(i), result) {
                    (Some(arg), _) => outs.push((i, Place::Var(*arg))),
                    (None, Some(result)) => outs.push((i, Place::Var(result))),
                    _ => {}
                }
            }
        }
        let SubprogramKind::Operation(id) = sub.kind else {
            return self.emit(|next| Action::Call { proc, args: values, outs, next });
        };
        let object = ObjectId::from(id.0);
        let mode = self.lock_mode(sub, id);
        self.check_ceiling(id);
        self.emit(|next| Action::Lock { object, mode, next });
        self.guarded(
            |e| e.emit(|next| Action::Call { proc, args: values, outs, next }),
            |e, occurrence| {
                e.emit(|next| Action::Unlock { object, next });
                e.end_path(Action::Resume { occurrence });
            },
        );
        self.emit(|next| Action::Unlock { object, next });
    }

    // ---- writing procedures ------------------------------------------------------------------

    /// Writes code of a procedure in a context of its own.
    pub(crate) fn proc_context(
        &mut self,
        proc: ProcId,
        task: TaskId,
        scope: ScopeId,
        start: rendez_model::Loc,
        code: impl FnOnce(&mut Self),
    ) {
        let master = self.program.add_master(self.program.procs[proc.index()].name.clone(), task);
        let locals = self.in_context(task, scope, start, master, code);
        self.program.procs[proc.index()].locals.extend(locals);
    }

    /// Writes more code of a task, outside of its body.
    pub(crate) fn task_context(
        &mut self,
        task: TaskId,
        start: rendez_model::Loc,
        code: impl FnOnce(&mut Self),
    ) {
        let master = self.program.add_master(self.program.tasks[task.index()].name.clone(), task);
        self.in_context(task, self.std.scope, start, master, code);
    }

    fn in_context(
        &mut self,
        task: TaskId,
        scope: ScopeId,
        start: rendez_model::Loc,
        master: rendez_model::MasterId,
        code: impl FnOnce(&mut Self),
    ) -> Vec<VarId> {
        let cx = crate::elaborate::Cx {
            task,
            scope,
            cur: start,
            span: self.program.node(start).span,
            handler: None,
            cleanups: Vec::new(),
            loops: Vec::new(),
            ret: None,
            occurrence: None,
            prepared_for: Vec::new(),
            locals: Vec::new(),
            pending: Vec::new(),
            region: scope,
            package: None,
            master,
            labels: std::collections::HashMap::new(),
            object: None,
            repeated: true,
            storage: Storage::Local(task),
            prefix: String::new(),
            after_accept: None,
            around: Around::default(),
            activating: false,
            controlled: None,
            reads: Vec::new(),
        };
        let outer = std::mem::replace(&mut self.cx, cx);
        code(self);
        std::mem::replace(&mut self.cx, outer).locals
    }

    /// Binds the operations that only the body of a protected object declares.
    pub(crate) fn bind_body_operations(&mut self, id: InstanceId) {
        let instance = self.instances[id.0].clone();
        let UnitBody::Protected(items) = self.unit_types[instance.of.0].body else { return };
        for item in items {
            if let DeclKind::Subprogram { spec, .. } = &item.kind
                && !self.scopes[instance.scope.0].names.contains_key(&spec.ident.key)
            {
                self.bind_operation(id, spec, instance.scope, item.span);
            }
        }
    }

    pub(crate) fn proc_code(
        &mut self,
        proc: ProcId,
        sub: &Rc<Subprogram<'a>>,
        formals: Vec<BoundFormal>,
        result: Option<(Obj, TypeId)>,
        once: bool,
        around: Around,
    ) {
        let start = self.program.procs[proc.index()].start;
        let task = self.program.procs[proc.index()].task;
        let body = self.body_of(sub);
        let scope = self.new_scope(sub.scope, sub.spec.ident.text.clone());
        let bound: Vec<(Obj, TypeId)> = formals.iter().map(|f| (f.obj.clone(), f.ty)).collect();
        for formal in formals {
            let BoundFormal { name, obj, ty } = formal;
            self.bind(scope, &name.key, Binding::Object { obj, ty, constant: false });
        }
        let decls: &'a [Decl] = match body {
            Some((_, SubprogramBody::Body(body))) => &body.decls,
            _ => &[],
        };
        let contracts = self.all_contracts_of(sub, decls);
        let name = sub.name.clone();
        self.proc_context(proc, task, scope, start, |e| {
            e.cx.span = sub.span;
            e.cx.prefix = format!("{name}.");
            e.cx.repeated = !once;
            e.cx.around = around;
            if let SubprogramKind::Operation(id) = sub.kind {
                e.bind_body_operations(id);
                e.cx.object = Some(id);
            }
            e.precondition(sub, &contracts, &bound);
            e.old_values(sub, &contracts);
            let returned = result.clone();
            match body {
                Some((_, SubprogramBody::Body(body))) => {
                    e.subprogram_code(&body.decls, &body.handled, result, sub.spec.ident.text.clone());
                }
                Some((_, SubprogramBody::Expression(value))) => {
                    if let Some((obj, ty)) = result {
                        e.assign_fresh(&obj, ty, value);
                    }
                }
                Some((_, SubprogramBody::Null)) => {}
                _ => {
                    // Imported, or its body is not part of the program.
                    for (param, (obj, ty)) in sub.spec.params.iter().zip(&bound) {
                        match param.mode {
                            ParamMode::In => e.note_object(obj, *ty),
                            ParamMode::Out | ParamMode::InOut => e.forget(obj, *ty),
                        }
                    }
                    e.program.assume(
                        format!("subprogram {name} has no body here: it is taken not to synchronise, to raise no exception, and to return any value"),
                        sub.span,
                    );
                }
            }
            e.postcondition(sub, &contracts, returned.clone());
            let params = sub.spec.params.iter().zip(&bound).filter(|(p, _)| p.mode != ParamMode::In);
            for (obj, ty) in params.map(|(_, given)| given).chain(&returned) {
                e.check_invariants(obj, *ty, sub.scope);
            }
            e.put(Action::Return);
        });
    }

    pub(crate) fn entry_code(
        &mut self,
        proc: ProcId,
        task: TaskId,
        id: InstanceId,
        entry: rendez_model::EntryId,
    ) {
        self.bind_body_operations(id);
        let instance = self.instances[id.0].clone();
        let object = ObjectId::from(id.0);
        let start = self.program.procs[proc.index()].start;
        let found = self.entry_body(id, entry);
        let Some((_, params, body, index)) = found else {
            let span = self.program.entries[entry.index()].span;
            self.proc_context(proc, task, instance.scope, start, |e| {
                e.reject(span, "an entry without a body");
            });
            return;
        };
        let scope = self.new_scope(instance.scope, "entry body");
        if let Some((name, value, ty)) = index {
            self.bind(scope, &name.key, Binding::Object { obj: Obj::Const(value), ty, constant: true });
        }
        let entry_name = self.program.entry_name(entry);
        let bound = self.proc_info[&proc].clone();
        self.proc_context(proc, task, scope, start, |e| {
            e.cx.prefix = format!("{entry_name}.");
            e.cx.object = Some(id);
            // The formals were made with the procedure; rebuild their objects from the cells.
            for (param, cells) in params.iter().zip(&bound.cells) {
                let ty = e.type_ref(&param.ty);
                let obj = e.object_from(ty, &mut cells.iter().copied());
                e.bind_object(&param.name, obj, ty, false);
            }
            e.guarded(
                |e| {
                    let target = e.reserve();
                    e.cx.ret = Some(ReturnCx { target, cleanups: e.cx.cleanups.len(), result: None });
                    e.block(&body.decls, &body.handled, "entry");
                    e.put(Action::Skip { next: target });
                    e.cx.cur = target;
                },
                |e, occurrence| {
                    e.emit(|next| Action::Unlock { object, next });
                    e.end_path(Action::Resume { occurrence });
                },
            );
            e.emit(|next| Action::Unlock { object, next });
            e.put(Action::Return);
        });
    }

    /// The object of a type whose scalar parts are the given cells.
    pub(crate) fn object_from(&mut self, ty: TypeId, cells: &mut dyn Iterator<Item = VarId>) -> Obj {
        match self.kind(ty).clone() {
            _ if self.is_whole(ty) => cells.next().map_or(Obj::Opaque, Obj::Cell),
            TypeKind::Integer { .. }
            | TypeKind::Enumeration { .. }
            | TypeKind::Access { .. }
            | TypeKind::AccessSubprogram { .. } => cells.next().map_or(Obj::Opaque, Obj::Cell),
            TypeKind::Array { bounds: Some(bounds), element, .. } => {
                let size = elements(&bounds);
                let elements = (0..size).map(|_| self.object_from(element, cells)).collect();
                Obj::Array(Rc::new(ArrayObj { bounds, elements, element }))
            }
            TypeKind::Record { .. } => {
                let names = self.fields(ty);
                let fields =
                    names.iter().map(|(n, t)| (n.clone(), self.object_from(*t, cells), *t)).collect();
                Obj::Record(Rc::new(fields))
            }
            _ => Obj::Opaque,
        }
    }
}

/// The argument for a parameter: by name, or by position.
pub(crate) fn actual_for<'x>(args: &'x [Arg], position: usize, name: &Ident) -> Option<&'x Arg> {
    args.iter()
        .find(|a| a.name.as_ref().is_some_and(|n| n.key == name.key))
        .or_else(|| args.get(position).filter(|a| a.name.is_none()))
}

/// Whether arguments fit parameters in number and names.
pub(crate) fn fits(params: &[Param], args: &[Arg]) -> bool {
    args.len() <= params.len()
        && args.iter().all(|a| a.name.as_ref().is_none_or(|n| params.iter().any(|p| p.name.key == n.key)))
        && params
            .iter()
            .enumerate()
            .all(|(i, p)| p.default.is_some() || actual_for(args, i, &p.name).is_some())
}

/// Whether an expression can be evaluated without writing code.
fn is_plain(e: &syntax::Expr) -> bool {
    match &e.kind {
        ExprKind::If(..)
        | ExprKind::Case(..)
        | ExprKind::New(..)
        | ExprKind::Aggregate(_)
        | ExprKind::Raise(..)
        | ExprKind::Parts(_)
        | ExprKind::Delta(..)
        | ExprKind::Slice(..)
        | ExprKind::Other(_) => false,
        ExprKind::Unary(_, a) | ExprKind::Qualified(_, a) | ExprKind::Attribute(a, _) => is_plain(a),
        ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        ExprKind::Call(prefix, args) => {
            is_plain(prefix)
                && args.iter().all(|a| if let Choice::Expr(e) = &a.value { is_plain(e) } else { false })
        }
        _ => true,
    }
}
