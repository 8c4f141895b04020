//! Tagged types: operations called with a prefix, dispatching, interfaces.

use std::rc::Rc;

use rendez_model::{Expr as Model, TaskId};
use rendez_source::Span;

use crate::elaborate::{Among, Elaborator, FixupSource, Leaf, Target};
use crate::env::*;
use crate::syntax::{self, *};

impl<'a> Elaborator<'a> {
    pub(crate) fn is_tagged(&self, ty: TypeId) -> bool {
        match self.kind(ty) {
            TypeKind::Record { def, parent, .. } => {
                def.tagged || parent.is_some_and(|p| self.is_tagged(p)) || self.types[ty.0].class_wide
            }
            TypeKind::Interface => true,
            _ => false,
        }
    }

    /// `T'Class`.
    pub(crate) fn class_wide(&mut self, ty: TypeId) -> TypeId {
        if let Some(known) = self.class_types.get(&ty) {
            return *known;
        }
        let kind = self.kind(ty).clone();
        let name = format!("{}'Class", self.types[ty.0].name);
        let class = self.new_subtype(name, ty, kind);
        self.types[class.0].class_wide = true;
        self.class_types.insert(ty, class);
        class
    }

    /// Brings the view of a class up to date with a type that was completed since.
    pub(crate) fn complete_class(&mut self, ty: TypeId) {
        if let Some(class) = self.class_types.get(&ty).copied() {
            self.types[class.0].kind = self.types[ty.0].kind.clone();
            self.types[class.0].predicates = self.types[ty.0].predicates.clone();
        }
    }

    /// The operations of this name that a type has, its own before inherited ones.
    pub(crate) fn primitives(&mut self, ty: TypeId, name: &str) -> Vec<Rc<Subprogram<'a>>> {
        let mut at = Some(self.root(ty));
        while let Some(ty) = at {
            let scope = self.types[ty.0].scope;
            let list = self.scopes[scope.0].names.get(name).cloned().unwrap_or_default();
            let mut found = Vec::new();
            for binding in list {
                if let Binding::Subprogram(sub) = binding
                    && self.operates_on(&sub, ty)
                {
                    found.push(sub);
                }
            }
            if !found.is_empty() {
                return found;
            }
            at = self.types[ty.0].parent;
        }
        Vec::new()
    }

    /// Whether the first parameter of a subprogram is of a type, or gives access to it.
    fn operates_on(&mut self, sub: &Subprogram<'a>, ty: TypeId) -> bool {
        let Some(first) = sub.spec.params.first() else { return false };
        let here = std::mem::replace(&mut self.cx.scope, sub.scope);
        let given = self.type_ref(&first.ty);
        self.cx.scope = here;
        let given = match *self.kind(given) {
            TypeKind::Access { target, .. } => target,
            _ => given,
        };
        self.root(given) == ty
    }

    /// `X.Op` where Op is an operation of the type of X.
    pub(crate) fn prefixed(
        &mut self,
        ty: TypeId,
        selector: &Ident,
        prefix: &'a syntax::Expr,
    ) -> Option<Meaning<'a>> {
        let (object, dereference) = match *self.kind(ty) {
            TypeKind::Access { target, .. } => (target, true),
            _ => (ty, false),
        };
        if !self.is_tagged(object) || self.fields(object).iter().any(|f| f.0 == selector.key) {
            return None;
        }
        let subs = self.primitives(object, &selector.key);
        (!subs.is_empty()).then_some(Meaning::Prefixed { subs, prefix, dereference })
    }

    /// Calls an operation with its prefix as the first argument.
    pub(crate) fn call_prefixed(
        &mut self,
        subs: &[Rc<Subprogram<'a>>],
        (prefix, dereference): (&'a syntax::Expr, bool),
        args: &'a [Arg],
        function: bool,
        span: Span,
    ) -> Val {
        let Some(sub) = subs
            .iter()
            .find(|s| s.spec.result.is_some() == function && crate::call::fits(&s.spec.params[1..], args))
        else {
            self.reject(span, "no operation of the type fits this call");
            return Val::Unknown { input: false };
        };
        let here = std::mem::replace(&mut self.cx.scope, sub.scope);
        let formal = self.type_ref(&sub.spec.params[0].ty);
        self.cx.scope = here;
        let wants_access = matches!(self.kind(formal), TypeKind::Access { .. });
        let mut first = prefix.clone();
        if dereference && !wants_access {
            let all = Ident::new("all", prefix.span);
            first = syntax::Expr { kind: ExprKind::Select(Box::new(first), all), span: prefix.span };
        } else if !dereference && wants_access {
            let access = Ident::new("Access", prefix.span);
            first = syntax::Expr { kind: ExprKind::Attribute(Box::new(first), access), span: prefix.span };
        }
        let mut all = vec![Arg { name: None, value: Choice::Expr(first) }];
        all.extend(args.iter().cloned());
        let all: &'a [Arg] = self.arena.alloc(all);
        self.call(&sub.clone(), all, span)
    }

    /// Whether a call dispatches: the object that decides, if the call's static type is a class.
    pub(crate) fn controlling(&mut self, sub: &Rc<Subprogram<'a>>, args: &'a [Arg]) -> Option<(usize, Obj)> {
        if args.is_empty() || sub.spec.params.is_empty() {
            return None;
        }
        let here = self.cx.scope;
        for (i, param) in sub.spec.params.iter().enumerate() {
            self.cx.scope = sub.scope;
            let formal = self.type_ref(&param.ty);
            self.cx.scope = here;
            let target = match *self.kind(formal) {
                TypeKind::Access { target, .. } => target,
                _ => formal,
            };
            if !self.is_tagged(target) || self.types[target.0].class_wide {
                continue;
            }
            let Some(Choice::Expr(e)) = crate::call::actual_for(args, i, &param.name).map(|a| &a.value)
            else {
                continue;
            };
            if let Some(inner) = self.class_conversion(e) {
                let obj = match self.quiet_meaning(inner) {
                    Some(Meaning::Object(obj, ty, _)) => self.dereferenced(obj, ty).0,
                    _ => Obj::Opaque,
                };
                return Some((i, obj));
            }
            if let Some(Meaning::Object(obj, ty, _)) = self.quiet_meaning(e) {
                let (obj, ty) = self.dereferenced(obj, ty);
                if self.types[ty.0].class_wide {
                    return Some((i, obj));
                }
            } else if self.returns_class(e) {
                return Some((i, Obj::Opaque));
            }
        }
        None
    }

    /// What is converted to a class.
    fn class_conversion(&mut self, e: &'a syntax::Expr) -> Option<&'a syntax::Expr> {
        let (mark, inner) = match &e.kind {
            ExprKind::Qualified(mark, inner) => (mark, &**inner),
            ExprKind::Call(mark, args) => match &args[..] {
                [Arg { value: Choice::Expr(inner), .. }] => (mark, inner),
                _ => return None,
            },
            _ => return None,
        };
        let class = match &mark.kind {
            ExprKind::Attribute(_, attribute) => attribute.key == "class",
            _ => match self.quiet_meaning(mark) {
                Some(Meaning::Type(ty)) => self.types[ty.0].class_wide,
                _ => false,
            },
        };
        class.then_some(inner)
    }

    /// Whether an expression calls a function whose result may be of any type of a class.
    fn returns_class(&mut self, e: &'a syntax::Expr) -> bool {
        let types = self.result_types(e).unwrap_or_default();
        types.iter().any(|ty| self.types[ty.0].class_wide)
    }

    /// The types of the results of functions that an expression may call, if it is such a call.
    pub(crate) fn result_types(&mut self, e: &'a syntax::Expr) -> Option<Vec<TypeId>> {
        let function = match &e.kind {
            ExprKind::Call(prefix, _) => prefix,
            _ => e,
        };
        let Some(Meaning::Subprograms(subs)) = self.quiet_meaning(function) else { return None };
        let here = self.cx.scope;
        let mut types = Vec::new();
        for sub in subs {
            self.cx.scope = sub.scope;
            types.extend(sub.spec.result.as_ref().map(|result| self.type_ref(result)));
        }
        self.cx.scope = here;
        Some(types)
    }

    /// A call of the operation that the tag of an object selects.
    pub(crate) fn dispatch(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        (position, obj): (usize, Obj),
        args: &'a [Arg],
        span: Span,
    ) -> Val {
        // An object that is known is one of those that may be designated.
        let obj = match self.pools[0].iter().position(|(o, _)| crate::instantiate::same(o, &obj)) {
            Some(number) => {
                let index = Model::Const(number as i64);
                Obj::Designated { pool: PoolId(0), index, path: Rc::new(Vec::new()) }
            }
            None => obj,
        };
        match obj {
            Obj::Designated { pool, index, path } if path.is_empty() && position == 0 => {
                let index = self.settle(index);
                self.dispatching_contract(sub);
                let among = Among::Primitives {
                    pool,
                    name: sub.spec.ident.key.clone(),
                    params: sub.spec.params.len(),
                    function: sub.spec.result.is_some(),
                };
                let profile = (sub.spec.params.as_slice(), sub.spec.result.as_ref(), sub.scope);
                self.call_one_of(among, index, profile, &sub.spec.ident.text, args, span)
            }
            _ => {
                self.reject(span, "a call that dispatches on an object that cannot be determined");
                Val::Unknown { input: false }
            }
        }
    }

    /// What the members of a pool do for an operation.
    pub(crate) fn implementations(
        &mut self,
        pool: PoolId,
        name: &str,
        params: usize,
        function: bool,
    ) -> Vec<(i64, Target<'a>)> {
        let mut all = Vec::new();
        for (number, (obj, ty)) in self.pools[pool.0].clone().into_iter().enumerate() {
            let instance = match &obj {
                Obj::Protected(id) => Some(self.instances[id.0].clone()),
                Obj::Task(task) => self.task_instances.get(task).cloned(),
                _ => None,
            };
            let target = if let Some(entry) = instance.as_ref().and_then(|i| i.entries.get(name)) {
                // The prefix takes the place of one parameter.
                let fits = !function && entry.decl.params.len() + 1 == params && entry.bounds.is_none();
                fits.then_some(Target::Entry(entry.first))
            } else if let Some(instance) = instance {
                let list = self.scopes[instance.scope.0].names.get(name).cloned().unwrap_or_default();
                let own = list.into_iter().find_map(|b| match b {
                    Binding::Subprogram(s)
                        if s.spec.result.is_some() == function && s.spec.params.len() + 1 == params =>
                    {
                        Some(s)
                    }
                    _ => None,
                });
                own.map(|sub| Target::Subprogram(sub, None))
            } else {
                None
            };
            let target = target.or_else(|| {
                self.primitives(ty, name)
                    .into_iter()
                    .find(|s| {
                        s.spec.result.is_some() == function
                            && s.spec.params.len() == params
                            && !matches!(s.kind, SubprogramKind::Abstract)
                    })
                    .map(|sub| {
                        // Given access to the object, an operation gets its number.
                        let here = std::mem::replace(&mut self.cx.scope, sub.scope);
                        let first = self.type_ref(&sub.spec.params[0].ty);
                        self.cx.scope = here;
                        let by_access = matches!(self.kind(first), TypeKind::Access { .. });
                        Target::Subprogram(sub, (!by_access).then(|| (obj.clone(), ty)))
                    })
            });
            all.extend(target.map(|t| (number as i64, t)));
        }
        all
    }

    // ---- interfaces --------------------------------------------------------------------------

    /// An entry of whatever an access value to an interface designates.
    pub(crate) fn interface_entry(&mut self, obj: &Obj, selector: &Ident) -> Option<Meaning<'a>> {
        let Obj::Designated { pool, index, path } = obj else { return None };
        let mut example = None;
        for unit in &self.unit_types {
            if unit.implements
                && let Some(decl) = unit.entries.iter().find(|e| e.name.key == selector.key)
            {
                example =
                    Some(EntrySet { decl, first: rendez_model::EntryId(0), bounds: None, scope: unit.scope });
            }
        }
        let set = example.filter(|s| s.decl.family.is_none())?;
        let table = self.fixup(FixupSource::Pool(*pool, path.clone()), Leaf::Entry(selector.key.clone()));
        let entry = Model::Lookup(table, Box::new(index.clone()));
        Some(Meaning::Entry(EntryRef { entry, set: Rc::new(set) }))
    }

    /// The number of a task among everything that implements an interface.
    pub(crate) fn as_interface(&mut self, value: Model, from: TypeId, want: Option<TypeId>) -> Model {
        let wants_interface = match want.map(|w| self.kind(w)) {
            Some(TypeKind::Access { target, .. }) => matches!(self.kind(*target), TypeKind::Interface),
            _ => false,
        };
        if !wants_interface || !matches!(self.kind(from), TypeKind::Task { .. }) {
            return value;
        }
        match value {
            Model::Const(task) if task >= 0 => {
                let obj = Obj::Task(TaskId(task as u32));
                let number = self.member(&obj, from);
                Model::Const(number as i64)
            }
            Model::Const(_) | Model::Any => value,
            value => {
                let table = self.fixup(FixupSource::Tasks, Leaf::Member);
                Model::Lookup(table, Box::new(value))
            }
        }
    }
}
