//! Names and expressions.

use std::rc::Rc;

use rendez_model::{Action, BinaryOp, Domain, ExceptionId, Expr as Model, Place, UnaryOp};

use rendez_source::Span;

use crate::elaborate::{Elaborator, FixupSource, Leaf};
use crate::env::*;
use crate::library;
use crate::syntax::{self, *};

impl<'a> Elaborator<'a> {
    // ---- names -------------------------------------------------------------------------------

    /// What a name means here.
    pub(crate) fn meaning(&mut self, name: &'a syntax::Expr) -> Meaning<'a> {
        self.depth += 1;
        let meaning = if self.depth > 200 {
            Meaning::Undeclared("a name that is nested too deeply".into())
        } else {
            self.meaning_of(name)
        };
        self.depth -= 1;
        meaning
    }

    fn meaning_of(&mut self, name: &'a syntax::Expr) -> Meaning<'a> {
        match &name.kind {
            ExprKind::Name(ident) => self.simple_name(&ident.key, &ident.text),
            ExprKind::Str(text) => self.simple_name(&format!("\"{}\"", text.to_lowercase()), text),
            ExprKind::Char(c) => {
                let list = self.look_up(self.cx.scope, &format!("'{c}'"));
                let literals: Vec<(TypeId, i64)> = list
                    .iter()
                    .filter_map(|b| if let Binding::Literal(t, v) = b { Some((*t, *v)) } else { None })
                    .collect();
                if literals.is_empty() {
                    Meaning::Value(Model::Const(i64::from(u32::from(*c))), None)
                } else {
                    Meaning::Literals(literals)
                }
            }
            ExprKind::Select(prefix, selector) => self.selected(prefix, selector),
            ExprKind::Call(prefix, args) => self.applied(name, prefix, args),
            ExprKind::Attribute(prefix, attribute) => {
                if matches!(attribute.key.as_str(), "class" | "base")
                    && let Meaning::Type(ty) = self.meaning(prefix)
                {
                    let class = attribute.key == "class";
                    return Meaning::Type(if class { self.class_wide(ty) } else { ty });
                }
                if attribute.key == "identity"
                    && let Meaning::Exception(id) = self.meaning(prefix)
                {
                    return Meaning::Exception(id);
                }
                {
                    let value = self.value(name, None);
                    self.as_meaning(value)
                }
            }
            ExprKind::Slice(prefix) => match self.meaning(prefix) {
                Meaning::Object(_, ty, constant) => Meaning::Object(Obj::Opaque, ty, constant),
                _ => Meaning::Unknown { input: false },
            },
            ExprKind::Qualified(mark, value) => {
                let ty = self.type_named(mark);
                match self.value(value, Some(ty)) {
                    Val::Scalar(value, _) => Meaning::Value(value, Some(ty)),
                    Val::Composite(obj, ty) => Meaning::Object(obj, ty, true),
                    Val::Unknown { input } => Meaning::Unknown { input },
                }
            }
            _ => {
                let value = self.value(name, None);
                self.as_meaning(value)
            }
        }
    }

    fn simple_name(&mut self, key: &str, text: &str) -> Meaning<'a> {
        let list = self.look_up(self.cx.scope, key);
        self.bindings(list, text)
    }

    pub(crate) fn bindings(&mut self, list: Vec<Binding<'a>>, text: &str) -> Meaning<'a> {
        let Some(first) = list.first().cloned() else {
            return Meaning::Undeclared(format!("`{text}` is not visible here"));
        };
        match first {
            Binding::Object { obj, ty, constant } => Meaning::Object(obj, ty, constant),
            Binding::Number(value) => Meaning::Value(Model::Const(value), None),
            Binding::Type(ty) => Meaning::Type(ty),
            Binding::Exception(id) => Meaning::Exception(id),
            Binding::Package(scope) => Meaning::Package(scope),
            Binding::Generic { formals, decl, scope } => Meaning::Generic { formals, decl, scope },
            Binding::Library(unit) => Meaning::Library(unit),
            Binding::Opaque => Meaning::Unknown { input: false },
            Binding::Entry(set) => {
                Meaning::Entry(EntryRef { entry: Model::Const(i64::from(set.first.0)), set })
            }
            Binding::Renamed(target, scope) => {
                let outer = std::mem::replace(&mut self.cx.scope, scope);
                let meaning = self.meaning(target);
                self.cx.scope = outer;
                meaning
            }
            Binding::Literal(..) if list.iter().all(|b| matches!(b, Binding::Literal(..))) => {
                Meaning::Literals(
                    list.iter()
                        .filter_map(|b| if let Binding::Literal(t, v) = b { Some((*t, *v)) } else { None })
                        .collect(),
                )
            }
            Binding::Literal(..) | Binding::Subprogram(_) => {
                let subs = list
                    .iter()
                    .filter_map(|b| if let Binding::Subprogram(s) = b { Some(s.clone()) } else { None })
                    .collect();
                Meaning::Subprograms(subs)
            }
        }
    }

    /// Subprograms of a simple name that an entry of the same name does not hide.
    pub(crate) fn subprograms_named(
        &mut self,
        name: &syntax::Expr,
        function: bool,
    ) -> Vec<Rc<Subprogram<'a>>> {
        let ExprKind::Name(ident) = &name.kind else { return Vec::new() };
        self.look_up(self.cx.scope, &ident.key)
            .into_iter()
            .filter_map(|b| if let Binding::Subprogram(s) = b { Some(s) } else { None })
            .filter(|s| s.spec.result.is_some() == function)
            .collect()
    }

    fn selected(&mut self, prefix: &'a syntax::Expr, selector: &'a Ident) -> Meaning<'a> {
        match self.meaning(prefix) {
            Meaning::Package(scope) => {
                let list = self.scopes[scope.0].names.get(&selector.key).cloned().unwrap_or_default();
                if list.is_empty() {
                    // A package body sees the names of its context through its own name, too.
                    let inherited = self.look_up(scope, &selector.key);
                    if inherited.is_empty()
                        && let Some(unit) = self.used_library(prefix, selector)
                    {
                        return Meaning::Library(unit);
                    }
                    return self.bindings(inherited, &selector.text);
                }
                self.bindings(list, &selector.text)
            }
            Meaning::Library(unit) => {
                let full = format!("{unit}.{}", selector.key);
                // Units of the hierarchy may have source.
                if let Some(binding) = self.library_unit(&full) {
                    return self.bindings(vec![binding], &selector.text);
                }
                Meaning::Library(full.into())
            }
            Meaning::Object(obj, ty, constant) => match self.prefixed(ty, selector, prefix) {
                Some(operation) => match self.interface_operation(&obj, ty, selector) {
                    Some(entry) => entry,
                    None => operation,
                },
                None => self.component(obj, ty, constant, selector),
            },
            Meaning::Subprograms(subs) => {
                // `P.X` inside subprogram P names its local X.
                let local = self.look_up(self.cx.scope, &selector.key);
                let enclosing = subs.iter().any(|s| self.is_enclosing(s));
                if enclosing && !local.is_empty() {
                    return self.bindings(local, &selector.text);
                }
                // A function call without parameters.
                match self.call_function(&subs, &[], None, prefix.span) {
                    Val::Composite(obj, ty) => self.component(obj, ty, true, selector),
                    Val::Scalar(value, Some(ty)) => match *self.kind(ty) {
                        TypeKind::Access { target, .. } => {
                            let obj = self.designated(value, target);
                            self.component(obj, target, false, selector)
                        }
                        _ => Meaning::Unknown { input: false },
                    },
                    _ => Meaning::Unknown { input: false },
                }
            }
            Meaning::Value(value, Some(ty)) => match *self.kind(ty) {
                TypeKind::AccessSubprogram { .. } if selector.key == "all" => Meaning::Routine { value, ty },
                TypeKind::Access { target, .. } => {
                    let obj = self.designated(value, target);
                    if selector.key == "all" {
                        return Meaning::Object(obj, target, false);
                    }
                    self.component(obj, target, false, selector)
                }
                _ => Meaning::Unknown { input: false },
            },
            Meaning::Type(_) => {
                // The current instance of a task or protected type, inside its body.
                let list = self.look_up(self.cx.scope, &selector.key);
                self.bindings(list, &selector.text)
            }
            Meaning::Undeclared(text) => {
                // A loop, block or unit name as prefix of what it declares.
                let local = self.look_up(self.cx.scope, &selector.key);
                if local.is_empty() || text.contains("nested") {
                    return Meaning::Undeclared(text);
                }
                self.bindings(local, &selector.text)
            }
            Meaning::Unknown { input } => Meaning::Unknown { input },
            _ => Meaning::Unknown { input: false },
        }
    }

    /// An operation of an interface that entries implement: then it may be called in a select.
    fn interface_operation(&mut self, obj: &Obj, ty: TypeId, selector: &Ident) -> Option<Meaning<'a>> {
        let (obj, ty) = self.dereferenced(obj.clone(), ty);
        let TypeKind::Interface = self.kind(ty) else { return None };
        let otherwise = self
            .unit_types
            .iter()
            .any(|unit| unit.implements && !unit.entries.iter().any(|e| e.name.key == selector.key));
        if otherwise { None } else { self.interface_entry(&obj, selector) }
    }

    /// `P.X` where P names a package that is not visible here, and a use clause makes another P of
    /// the library visible.
    fn used_library(&self, prefix: &syntax::Expr, selector: &Ident) -> Option<Rc<str>> {
        let ExprKind::Name(name) = &prefix.kind else { return None };
        let mut at = Some(self.cx.scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0];
            for used in &scope.library_uses {
                let package = format!("{used}.{}", name.key);
                let below = format!("{package}.");
                if self.units.opaque.iter().any(|u| u.0 == package || u.0.starts_with(&below)) {
                    return Some(format!("{package}.{}", selector.key).into());
                }
            }
            at = scope.parent;
        }
        None
    }

    fn is_enclosing(&self, sub: &Subprogram<'a>) -> bool {
        let mut at = Some(self.cx.scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0];
            if scope.name.eq_ignore_ascii_case(&sub.spec.ident.text) {
                return true;
            }
            at = scope.parent;
        }
        false
    }

    /// A component, entry or operation of an object.
    fn component(&mut self, obj: Obj, ty: TypeId, constant: bool, selector: &'a Ident) -> Meaning<'a> {
        if let TypeKind::Access { target, .. } = *self.kind(ty) {
            let value = self.read(&obj);
            let designated = self.designated(value, target);
            if selector.key == "all" {
                return Meaning::Object(designated, target, false);
            }
            return self.component(designated, target, false, selector);
        }
        if selector.key == "all" && matches!(self.kind(ty), TypeKind::AccessSubprogram { .. }) {
            return Meaning::Routine { value: self.read(&obj), ty };
        }
        if let Obj::Opaque = obj
            && self.is_active(ty)
        {
            return Meaning::Undeclared("a task or protected object that cannot be determined".into());
        }
        match self.kind(ty).clone() {
            TypeKind::Record { .. } => match self.field(&obj, ty, &selector.key) {
                Some((obj, ty)) => Meaning::Object(obj, ty, constant),
                None => Meaning::Undeclared(format!(
                    "`{}` is no component or operation that is visible here",
                    selector.text
                )),
            },
            TypeKind::Interface => self.interface_entry(&obj, selector).unwrap_or_else(|| {
                Meaning::Undeclared(format!("`{}` is no operation of the interface", selector.text))
            }),
            TypeKind::Unmodelled(what) => Meaning::Undeclared(format!("{what} is not modelled")),
            TypeKind::Task { of, .. } => {
                let decl = self.unit_types[of.0].entries.iter().find(|e| e.name.key == selector.key);
                match decl {
                    Some(_) => self.entry_of(&obj, of, selector, true),
                    None => Meaning::Undeclared(format!("`{}` is no entry of the task", selector.text)),
                }
            }
            TypeKind::Protected { of, .. } => {
                let is_entry = self.unit_types[of.0].entries.iter().any(|e| e.name.key == selector.key);
                if is_entry {
                    return self.entry_of(&obj, of, selector, false);
                }
                if let Obj::Protected(id) = obj {
                    let scope = self.instances[id.0].scope;
                    let list = self.scopes[scope.0].names.get(&selector.key).cloned().unwrap_or_default();
                    return self.bindings(list, &selector.text);
                }
                Meaning::Operation { prefix: obj, ty, name: selector.clone() }
            }
            TypeKind::Opaque => Meaning::Unknown { input: false },
            _ => Meaning::Undeclared(format!("`{}` is not visible here", selector.text)),
        }
    }

    fn entry_of(&mut self, obj: &Obj, of: UnitTypeId, selector: &'a Ident, task: bool) -> Meaning<'a> {
        let name = selector.key.clone();
        let set = match obj {
            Obj::Task(t) => self.task_instances.get(t).and_then(|i| i.entries.get(&name)).cloned(),
            Obj::Protected(p) => self.instances[p.0].entries.get(&name).cloned(),
            _ => None,
        };
        if let Some(set) = set {
            return Meaning::Entry(EntryRef {
                entry: Model::Const(i64::from(set.first.0)),
                set: Rc::new(set),
            });
        }
        // The profile and family of any instance serves for all.
        let example = match obj {
            Obj::Chosen { choices, .. } => choices.iter().find_map(|c| match c {
                Obj::Task(t) => self.task_instances.get(t)?.entries.get(&name).cloned(),
                Obj::Protected(p) => self.instances[p.0].entries.get(&name).cloned(),
                _ => None,
            }),
            _ => {
                let unit = &self.unit_types[of.0];
                let decl = unit.entries.iter().find(|e| e.name.key == name).copied();
                let scope = unit.scope;
                match decl {
                    Some(decl) => {
                        let outer = std::mem::replace(&mut self.cx.scope, scope);
                        let bounds = match &decl.family {
                            Some(family) => self.static_range(family, None),
                            None => None,
                        };
                        self.cx.scope = outer;
                        if decl.family.is_some() && bounds.is_none() {
                            return Meaning::Undeclared("an entry family with unknown bounds".into());
                        }
                        Some(EntrySet { decl, first: rendez_model::EntryId(0), bounds, scope })
                    }
                    None => None,
                }
            }
        };
        let Some(set) = example else {
            return Meaning::Undeclared(format!("`{}` is no entry here", selector.text));
        };
        let entry = match obj {
            Obj::Chosen { index, choices } => {
                let numbers = choices
                    .iter()
                    .map(|c| {
                        let set = match c {
                            Obj::Task(t) => self.task_instances.get(t).and_then(|i| i.entries.get(&name)),
                            Obj::Protected(p) => self.instances[p.0].entries.get(&name),
                            _ => None,
                        };
                        set.map_or(-1, |s| i64::from(s.first.0))
                    })
                    .collect();
                let table = self.program.add_table(format!("{name} entries"), 0, numbers);
                Model::Lookup(table, Box::new(index.clone()))
            }
            Obj::Designated { pool, index, path } => {
                let source = if task && path.is_empty() {
                    FixupSource::Tasks
                } else {
                    FixupSource::Pool(*pool, path.clone())
                };
                let table = self.fixup(source, Leaf::Entry(name));
                Model::Lookup(table, Box::new(index.clone()))
            }
            _ => return Meaning::Undeclared("a task or protected object that cannot be determined".into()),
        };
        Meaning::Entry(EntryRef { entry, set: Rc::new(set) })
    }

    /// `prefix (args)`: a call, an element, a conversion or an entry of a family.
    fn applied(&mut self, whole: &'a syntax::Expr, prefix: &'a syntax::Expr, args: &'a [Arg]) -> Meaning<'a> {
        if matches!(prefix.kind, ExprKind::Attribute(..)) {
            return {
                let value = self.attribute_call(prefix, args);
                self.as_meaning(value)
            };
        }
        match self.meaning(prefix) {
            Meaning::Object(obj, ty, constant) => {
                let (obj, ty) = self.dereferenced(obj, ty);
                if let TypeKind::AccessSubprogram { .. } = self.kind(ty) {
                    let value = self.read(&obj);
                    let result = self.call_routine(value, ty, args, whole.span);
                    return self.as_meaning(result);
                }
                self.indexed(obj, ty, constant, args)
            }
            Meaning::Routine { value, ty } => {
                let result = self.call_routine(value, ty, args, whole.span);
                self.as_meaning(result)
            }
            Meaning::Prefixed { subs, prefix, dereference } => {
                let result = self.call_prefixed(&subs, (prefix, dereference), args, true, whole.span);
                self.as_meaning(result)
            }
            Meaning::Value(value, Some(ty)) if matches!(self.kind(ty), TypeKind::AccessSubprogram { .. }) => {
                let result = self.call_routine(value, ty, args, whole.span);
                self.as_meaning(result)
            }
            Meaning::Value(value, Some(ty)) if matches!(self.kind(ty), TypeKind::Access { .. }) => {
                let TypeKind::Access { target, .. } = *self.kind(ty) else {
                    return Meaning::Unknown { input: false };
                };
                let obj = self.designated(value, target);
                self.indexed(obj, target, false, args)
            }
            Meaning::Type(ty) => {
                let Some(Arg { value: Choice::Expr(e), .. }) = args.first() else {
                    return Meaning::Unknown { input: false };
                };
                {
                    let value = self.conversion(ty, e);
                    self.as_meaning(value)
                }
            }
            Meaning::Entry(mut entry) => {
                if let (Some((lo, hi)), Some(Arg { value: Choice::Expr(e), .. })) =
                    (entry.set.bounds, args.first())
                {
                    let ty = self.family_type(&entry.set);
                    let index = self.scalar(e, Some(ty)).unwrap_or(Model::Any);
                    let offset = match index {
                        Model::Const(i) if i < lo || i > hi => {
                            self.raise(ExceptionId::CONSTRAINT_ERROR);
                            Model::Const(0)
                        }
                        Model::Const(i) => Model::Const(i - lo),
                        index => Model::binary(
                            BinaryOp::Subtract,
                            Model::Check(Box::new(index), lo, hi),
                            Model::Const(lo),
                        ),
                    };
                    entry.entry = Model::binary(BinaryOp::Add, entry.entry, offset);
                    entry.set = Rc::new(EntrySet { bounds: None, ..entry.set.as_ref().clone() });
                    return Meaning::Entry(entry);
                }
                Meaning::Entry(entry)
            }
            Meaning::Subprograms(subs) => {
                let value = self.call_function(&subs, args, None, whole.span);
                self.as_meaning(value)
            }
            Meaning::Operation { prefix: obj, ty, name } => {
                let value = self.call_operation(&obj, ty, &name, args, true, whole.span);
                self.as_meaning(value)
            }
            Meaning::Library(name) => {
                let value = self.library_call(&name, args, whole.span);
                self.as_meaning(value)
            }
            Meaning::Unknown { input } => {
                for arg in args {
                    if let Choice::Expr(e) = &arg.value {
                        self.value(e, None);
                    }
                }
                Meaning::Unknown { input }
            }
            Meaning::Undeclared(text) => Meaning::Undeclared(text),
            _ => Meaning::Unknown { input: false },
        }
    }

    fn as_meaning(&self, value: Val) -> Meaning<'a> {
        match value {
            Val::Scalar(value, ty) => Meaning::Value(value, ty),
            Val::Composite(obj, ty) => Meaning::Object(obj, ty, true),
            Val::Unknown { input } => Meaning::Unknown { input },
        }
    }

    fn family_type(&mut self, set: &EntrySet<'a>) -> TypeId {
        let outer = std::mem::replace(&mut self.cx.scope, set.scope);
        let ty = match &set.decl.family {
            Some(family) => self.range_type(family),
            None => self.std.integer,
        };
        self.cx.scope = outer;
        ty
    }

    fn indexed(&mut self, obj: Obj, ty: TypeId, constant: bool, args: &'a [Arg]) -> Meaning<'a> {
        if let TypeKind::Unmodelled(what) = self.kind(ty) {
            return Meaning::Undeclared(format!("{what} is not modelled"));
        }
        let mut indices = Vec::new();
        for arg in args {
            match &arg.value {
                Choice::Expr(e) => indices.push(self.scalar(e, None).unwrap_or(Model::Any)),
                _ => return Meaning::Object(Obj::Opaque, ty, constant),
            }
        }
        let (obj, ty) = self.element(&obj, ty, &indices);
        Meaning::Object(obj, ty, constant)
    }

    /// The root type of a discrete expression, without evaluating it.
    pub(crate) fn discrete_type(&mut self, e: &'a syntax::Expr) -> Option<TypeId> {
        match &e.kind {
            ExprKind::Name(ident) => {
                let list = self.look_up(self.cx.scope, &ident.key);
                match list.first()? {
                    Binding::Object { ty, .. } => Some(self.root(*ty)),
                    Binding::Literal(ty, _) => Some(self.root(*ty)),
                    Binding::Subprogram(s) => {
                        let result = s.spec.result.as_ref()?;
                        let scope = s.scope;
                        let outer = std::mem::replace(&mut self.cx.scope, scope);
                        let ty = self.type_ref(result);
                        self.cx.scope = outer;
                        Some(self.root(ty))
                    }
                    _ => None,
                }
            }
            ExprKind::Attribute(prefix, attribute) => match attribute.key.as_str() {
                "first" | "last" | "succ" | "pred" | "val" | "min" | "max" => match self.meaning(prefix) {
                    Meaning::Type(ty) if self.range_of(ty).is_some() => Some(self.root(ty)),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Call(prefix, _) if matches!(prefix.kind, ExprKind::Attribute(..)) => {
                self.discrete_type(prefix)
            }
            ExprKind::Call(prefix, _) => {
                if let ExprKind::Name(ident) = &prefix.kind {
                    let list = self.look_up(self.cx.scope, &ident.key);
                    return match list.first()? {
                        Binding::Object { ty, .. } => match self.kind(*ty) {
                            TypeKind::Array { element, .. } => Some(self.root(*element)),
                            _ => None,
                        },
                        Binding::Type(ty) => Some(self.root(*ty)),
                        Binding::Subprogram(_) => self.discrete_type(prefix),
                        _ => None,
                    };
                }
                None
            }
            ExprKind::Qualified(mark, _) => {
                let ty = self.type_named(mark);
                Some(self.root(ty))
            }
            ExprKind::Select(prefix, selector) => match self.quiet_meaning(prefix)? {
                Meaning::Package(scope) => match self.scopes[scope.0].names.get(&selector.key)?.first()? {
                    Binding::Object { ty, .. } | Binding::Literal(ty, _) => Some(self.root(*ty)),
                    _ => None,
                },
                Meaning::Object(_, ty, _) => {
                    let ty = match *self.kind(ty) {
                        TypeKind::Access { target, .. } => target,
                        _ => ty,
                    };
                    let field = self.fields(ty).iter().find(|f| f.0 == selector.key)?.1;
                    Some(self.root(field))
                }
                _ => None,
            },
            ExprKind::Binary(
                Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Mod
                | Binary::Rem,
                a,
                b,
            ) => self.discrete_type(a).or_else(|| self.discrete_type(b)),
            ExprKind::Unary(Unary::Minus | Unary::Plus | Unary::Abs, a) => self.discrete_type(a),
            _ => None,
        }
    }

    /// The meaning of a plain dotted name, which no code is written for.
    pub(crate) fn quiet_meaning(&mut self, name: &'a syntax::Expr) -> Option<Meaning<'a>> {
        match &name.kind {
            ExprKind::Name(_) => Some(self.meaning(name)),
            ExprKind::Select(prefix, _) => {
                self.quiet_meaning(prefix)?;
                match self.quiet_prefix(prefix) {
                    true => Some(self.meaning(name)),
                    false => None,
                }
            }
            ExprKind::Call(prefix, args) if args.iter().all(|a| self.is_quiet(&a.value)) => {
                let Meaning::Object(_, ty, _) = self.quiet_meaning(prefix)? else { return None };
                let ty = match *self.kind(ty) {
                    TypeKind::Access { target, .. } => target,
                    _ => ty,
                };
                matches!(self.kind(ty), TypeKind::Array { .. }).then(|| self.meaning(name))
            }
            _ => None,
        }
    }

    /// Whether no code is needed to evaluate an index.
    fn is_quiet(&self, index: &Choice) -> bool {
        fn quiet(e: &Elaborator, index: &syntax::Expr) -> bool {
            match &index.kind {
                ExprKind::Int(_) => true,
                ExprKind::Name(ident) => matches!(
                    e.look_up(e.cx.scope, &ident.key).first(),
                    Some(Binding::Object { .. } | Binding::Literal(..) | Binding::Number(_))
                ),
                ExprKind::Binary(_, a, b) => quiet(e, a) && quiet(e, b),
                _ => false,
            }
        }
        matches!(index, Choice::Expr(e) if quiet(self, e))
    }

    fn quiet_prefix(&mut self, prefix: &'a syntax::Expr) -> bool {
        match &prefix.kind {
            ExprKind::Name(ident) => {
                !matches!(self.look_up(self.cx.scope, &ident.key).first(), Some(Binding::Subprogram(_)))
            }
            ExprKind::Select(inner, _) => self.quiet_prefix(inner),
            ExprKind::Call(inner, args) => {
                self.quiet_prefix(inner) && args.iter().all(|a| self.is_quiet(&a.value))
            }
            _ => false,
        }
    }

    // ---- values ------------------------------------------------------------------------------

    /// The value of a discrete or access expression, None if it is not followed.
    pub(crate) fn scalar(&mut self, e: &'a syntax::Expr, want: Option<TypeId>) -> Option<Model> {
        match self.value(e, want) {
            Val::Scalar(value, _) => Some(value),
            _ => None,
        }
    }

    /// A condition, as an expression; None if the environment decides it.
    pub(crate) fn condition(&mut self, e: &'a syntax::Expr) -> Option<Model> {
        match self.value(e, Some(self.std.boolean)) {
            Val::Scalar(value, _) => Some(value),
            Val::Composite(..) => Some(Model::Any),
            Val::Unknown { input: true } => None,
            Val::Unknown { input: false } => Some(Model::Any),
        }
    }

    /// Branches on a condition to two new locations.
    pub(crate) fn branch(&mut self, condition: Option<Model>) -> (rendez_model::Loc, rendez_model::Loc) {
        let yes = self.reserve();
        let no = self.reserve();
        match condition {
            None => self.put(Action::Choose { targets: vec![yes, no] }),
            Some(Model::Const(0)) => self.put(Action::Skip { next: no }),
            Some(Model::Const(_)) => self.put(Action::Skip { next: yes }),
            Some(cond) => self.put(Action::Branch { cond, yes, no }),
        }
        (yes, no)
    }

    pub(crate) fn value(&mut self, e: &'a syntax::Expr, want: Option<TypeId>) -> Val {
        let outer = std::mem::replace(&mut self.cx.span, e.span);
        if e.span.is_nowhere() {
            self.cx.span = outer;
        }
        self.depth += 1;
        let value = if self.depth > 300 { Val::Unknown { input: false } } else { self.value_of(e, want) };
        self.depth -= 1;
        self.cx.span = outer;
        value
    }

    fn value_of(&mut self, e: &'a syntax::Expr, want: Option<TypeId>) -> Val {
        match &e.kind {
            ExprKind::Int(value) => Val::Scalar(Model::Const(*value), None),
            ExprKind::Real => Val::Unknown { input: false },
            ExprKind::Null => Val::Scalar(Model::Const(-1), want),
            ExprKind::Str(text) => {
                let Some(TypeKind::Array { element, .. }) = want.map(|w| self.kind(w).clone()) else {
                    return Val::Unknown { input: false };
                };
                let bounds = Some(vec![(1, text.chars().count() as i64)]);
                let ty = self.new_type("string", TypeKind::Array { bounds, dimensions: 1, element });
                Val::Composite(Obj::Opaque, ty)
            }
            ExprKind::Name(_)
            | ExprKind::Select(..)
            | ExprKind::Call(..)
            | ExprKind::Char(_)
            | ExprKind::Slice(_) => {
                if let ExprKind::Call(prefix, args) = &e.kind {
                    // Overloaded functions are told apart by the expected type.
                    if !matches!(prefix.kind, ExprKind::Attribute(..))
                        && let Meaning::Subprograms(subs) = self.meaning(prefix)
                    {
                        return self.call_function(&subs, args, want, e.span);
                    }
                    if let Meaning::Entry(_) = self.meaning(prefix) {
                        let functions = self.subprograms_named(prefix, true);
                        if !functions.is_empty() {
                            return self.call_function(&functions, args, want, e.span);
                        }
                    }
                    if let ExprKind::Name(_) | ExprKind::Select(..) = &prefix.kind
                        && let Meaning::Library(name) = self.meaning(prefix)
                    {
                        return self.library_call(&name, args, e.span);
                    }
                }
                let meaning = self.meaning(e);
                self.meaning_value(meaning, want, e)
            }
            ExprKind::Attribute(prefix, attribute) => self.attribute(prefix, attribute, want),
            ExprKind::Qualified(mark, value) => {
                let ty = self.type_named(mark);
                self.value(value, Some(ty))
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.value(operand, want);
                let (value, ty) = match operand {
                    Val::Scalar(value, ty) => (value, ty),
                    other => return other,
                };
                let value = match op {
                    Unary::Plus => value,
                    Unary::Minus => self.wrapped(Model::unary(UnaryOp::Negate, value), ty),
                    Unary::Abs => Model::unary(UnaryOp::Abs, value),
                    Unary::Not => match ty.and_then(|t| self.modulus(t)) {
                        Some(m) => Model::binary(BinaryOp::Subtract, Model::Const(m - 1), value),
                        None => Model::unary(UnaryOp::Not, value),
                    },
                };
                Val::Scalar(value, ty)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, want),
            ExprKind::In(value, choices, negated) => {
                let ty = self.discrete_type(value);
                let value = match self.value(value, ty) {
                    Val::Scalar(value, _) => value,
                    Val::Unknown { input } => return Val::Unknown { input },
                    Val::Composite(..) => Model::Any,
                };
                let mut any = Model::FALSE;
                for choice in choices {
                    let one = self.is_in(&value, choice, ty);
                    any = Model::binary(BinaryOp::Or, any, one);
                }
                let result = if *negated { any.not() } else { any };
                Val::Scalar(result, Some(self.std.boolean))
            }
            ExprKind::If(arms, otherwise) => self.if_expression(arms, otherwise.as_deref(), want),
            ExprKind::Case(on, arms) => {
                let ty = self.discrete_type(on);
                let value = match self.value(on, ty) {
                    Val::Scalar(value, _) => value,
                    _ => Model::Any,
                };
                let Some(domain) = want.and_then(|w| self.domain(w)) else {
                    return Val::Unknown { input: false };
                };
                let result = self.temporary("case", domain);
                let join = self.reserve();
                for (choices, arm) in arms {
                    let mut any = Model::FALSE;
                    for choice in choices {
                        let one = self.is_in(&value, choice, ty);
                        any = Model::binary(BinaryOp::Or, any, one);
                    }
                    let (yes, no) = self.branch(Some(any));
                    self.cx.cur = yes;
                    let arm = self.scalar(arm, want).unwrap_or(Model::Any);
                    self.assign(Place::Var(result), arm);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = no;
                }
                self.goto(join);
                self.cx.cur = join;
                Val::Scalar(Model::Var(result), want)
            }
            ExprKind::Quantified { all, name, domain, predicate } => {
                let Some((lo, hi)) = self.static_range(domain, None) else {
                    return Val::Unknown { input: false };
                };
                if hi - lo > self.bounds.unrolled_iterations {
                    return Val::Unknown { input: false };
                }
                let ty = self.range_type(domain);
                let mut result = if *all { Model::TRUE } else { Model::FALSE };
                for i in lo..=hi {
                    let outer = self.cx.scope;
                    self.cx.scope = self.new_scope(outer, "");
                    self.bind_object(name, Obj::Const(i), ty, true);
                    let one = self.condition(predicate).unwrap_or(Model::Any);
                    self.cx.scope = outer;
                    let op = if *all { BinaryOp::And } else { BinaryOp::Or };
                    result = Model::binary(op, result, one);
                }
                Val::Scalar(result, Some(self.std.boolean))
            }
            ExprKind::Aggregate(_) => {
                let Some(ty) = want else { return Val::Unknown { input: false } };
                if self.is_active(ty)
                    || !matches!(self.kind(ty), TypeKind::Array { .. } | TypeKind::Record { .. })
                {
                    return Val::Unknown { input: false };
                }
                let local = self.local_storage();
                let outer = std::mem::replace(&mut self.cx.storage, local);
                let obj = self.make(ty, "aggregate", e.span);
                self.cx.storage = outer;
                if matches!(obj, Obj::Opaque) {
                    return Val::Unknown { input: false };
                }
                let ExprKind::Aggregate(components) = &e.kind else { return Val::Unknown { input: false } };
                match self.assign_aggregate(&obj, ty, components) {
                    true => Val::Composite(obj, ty),
                    false => Val::Unknown { input: false },
                }
            }
            ExprKind::New(subtype, init) => {
                let made = self.allocate(subtype, init.as_deref(), want, e.span);
                let ty = self.subtype(subtype);
                match made {
                    Val::Scalar(value, access) => Val::Scalar(self.as_interface(value, ty, want), access),
                    made => made,
                }
            }
            ExprKind::Raise(name) => {
                match self.meaning(name) {
                    Meaning::Exception(id) => self.raise(id),
                    _ => self.reject(e.span, "raise of an exception that is not visible here"),
                }
                Val::Scalar(Model::Any, want)
            }
            ExprKind::Default => Val::Unknown { input: false },
            ExprKind::Other(_) => Val::Unknown { input: false },
        }
    }

    fn meaning_value(&mut self, meaning: Meaning<'a>, want: Option<TypeId>, e: &'a syntax::Expr) -> Val {
        match meaning {
            Meaning::Object(obj, ty, _) => self.object_value(obj, ty),
            Meaning::Value(value, ty) => Val::Scalar(value, ty.or(want)),
            Meaning::Unknown { input } => Val::Unknown { input },
            Meaning::Literals(literals) => {
                let root = want.map(|w| self.root(w));
                let chosen =
                    literals.iter().find(|(ty, _)| Some(self.root(*ty)) == root).or(literals.first());
                match chosen {
                    Some((ty, value)) => Val::Scalar(Model::Const(*value), Some(*ty)),
                    None => Val::Unknown { input: false },
                }
            }
            Meaning::Subprograms(subs) => {
                // The wanted type may single out an enumeration literal of the same name.
                if let ExprKind::Name(ident) = &e.kind
                    && let Some(root) = want.map(|w| self.root(w))
                {
                    for binding in self.look_up(self.cx.scope, &ident.key) {
                        if let Binding::Literal(ty, value) = binding
                            && self.root(ty) == root
                        {
                            return Val::Scalar(Model::Const(value), Some(ty));
                        }
                    }
                }
                // Functions of the same name that need arguments are not meant.
                if let ExprKind::Name(ident) = &e.kind
                    && !subs.iter().any(|s| crate::call::fits(&s.spec.params, &[]))
                    && let Some(Binding::Literal(ty, value)) = self
                        .look_up(self.cx.scope, &ident.key)
                        .into_iter()
                        .find(|b| matches!(b, Binding::Literal(..)))
                {
                    return Val::Scalar(Model::Const(value), Some(ty));
                }
                self.call_function(&subs, &[], want, e.span)
            }
            Meaning::Operation { prefix, ty, name } => {
                self.call_operation(&prefix, ty, &name, &[], true, e.span)
            }
            Meaning::Routine { value, ty } => self.call_routine(value, ty, &[], e.span),
            Meaning::Prefixed { subs, prefix, dereference } => {
                self.call_prefixed(&subs, (prefix, dereference), &[], true, e.span)
            }
            Meaning::Library(name) => self.library_call(&name, &[], e.span),
            Meaning::Undeclared(text) => {
                self.reject(e.span, text);
                Val::Scalar(Model::Any, want)
            }
            Meaning::Exception(id) => Val::Scalar(Model::Const(i64::from(id.0)), None),
            Meaning::Type(ty) => {
                // The current instance of a task type: the task itself.
                match self.kind(ty) {
                    TypeKind::Task { .. } => Val::Composite(Obj::Task(self.cx.task), ty),
                    _ => Val::Unknown { input: false },
                }
            }
            Meaning::Entry(_) => match self.subprograms_named(e, true) {
                functions if functions.is_empty() => {
                    self.reject(e.span, "an entry stands where a value is expected");
                    Val::Scalar(Model::Any, want)
                }
                functions => self.call_function(&functions, &[], want, e.span),
            },
            Meaning::Package(_) | Meaning::Generic { .. } => Val::Unknown { input: false },
        }
    }

    pub(crate) fn object_value(&mut self, obj: Obj, ty: TypeId) -> Val {
        if self.domain(ty).is_some() {
            if let Obj::Opaque = obj {
                return Val::Scalar(Model::Any, Some(ty));
            }
            let value = self.read(&obj);
            return Val::Scalar(value, Some(ty));
        }
        match self.kind(ty) {
            TypeKind::Opaque | TypeKind::Unfinished | TypeKind::Unmodelled(_) => {
                Val::Unknown { input: false }
            }
            _ => Val::Composite(obj, ty),
        }
    }

    fn wrapped(&self, value: Model, ty: Option<TypeId>) -> Model {
        match ty.and_then(|t| self.modulus(t)) {
            Some(modulus) => Model::unary(UnaryOp::Wrap(modulus), value),
            None => value,
        }
    }

    fn is_in(&mut self, value: &Model, choice: &'a Choice, ty: Option<TypeId>) -> Model {
        let between = |lo: Model, hi: Model| {
            Model::binary(
                BinaryOp::And,
                Model::binary(BinaryOp::GreaterEqual, value.clone(), lo),
                Model::binary(BinaryOp::LessEqual, value.clone(), hi),
            )
        };
        match choice {
            Choice::Others => Model::TRUE,
            Choice::Expr(e) => {
                if let Some((lo, hi)) = self.range(choice, ty) {
                    return between(lo, hi);
                }
                match self.scalar(e, ty) {
                    Some(other) => Model::equal(value.clone(), other),
                    None => Model::Any,
                }
            }
            choice => match self.range(choice, ty) {
                Some((lo, hi)) => between(lo, hi),
                None => Model::Any,
            },
        }
    }

    /// Choices of a case statement, as a condition on the value.
    pub(crate) fn chosen(&mut self, value: &Model, choices: &'a [Choice], ty: Option<TypeId>) -> Model {
        let mut any = Model::FALSE;
        for choice in choices {
            let one = self.is_in(value, choice, ty);
            any = Model::binary(BinaryOp::Or, any, one);
        }
        any
    }

    fn if_expression(
        &mut self,
        arms: &'a [(syntax::Expr, syntax::Expr)],
        otherwise: Option<&'a syntax::Expr>,
        want: Option<TypeId>,
    ) -> Val {
        let domain = match want.and_then(|w| self.domain(w)) {
            Some(domain) => domain,
            None if otherwise.is_none() => Domain::BOOLEAN,
            None => match self.domain(self.std.integer) {
                Some(domain)
                    if arms.iter().all(|a| {
                        self.discrete_type(&a.1).is_some() || matches!(a.1.kind, ExprKind::Int(_))
                    }) =>
                {
                    domain
                }
                _ => return Val::Unknown { input: false },
            },
        };
        let result = self.temporary("if", domain);
        let join = self.reserve();
        for (condition, value) in arms {
            let condition = self.condition(condition);
            let (yes, no) = self.branch(condition);
            self.cx.cur = yes;
            let value = self.scalar(value, want).unwrap_or(Model::Any);
            self.assign(Place::Var(result), value);
            self.put(Action::Skip { next: join });
            self.cx.cur = no;
        }
        let value = match otherwise {
            Some(value) => self.scalar(value, want).unwrap_or(Model::Any),
            None => Model::TRUE,
        };
        self.assign(Place::Var(result), value);
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
        Val::Scalar(Model::Var(result), want)
    }

    fn binary(
        &mut self,
        op: Binary,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        want: Option<TypeId>,
    ) -> Val {
        use Binary as B;
        match op {
            B::AndThen | B::OrElse => return self.short_circuit(op, left, right),
            B::Concat => {
                self.value(left, None);
                self.value(right, None);
                return Val::Unknown { input: false };
            }
            _ => {}
        }
        let comparison =
            matches!(op, B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual);
        let ty =
            if comparison { self.discrete_type(left).or_else(|| self.discrete_type(right)) } else { want };
        let a = self.value(left, ty);
        // A type found on the left helps to resolve literals on the right.
        let right_ty = match &a {
            Val::Scalar(_, Some(t)) => Some(*t),
            Val::Composite(_, t) => Some(*t),
            _ => ty,
        };
        // A call on the right may change what the left has read: leave room to keep it.
        let keep =
            may_call(right) && matches!(&a, Val::Scalar(v, _) if !matches!(v, Model::Const(_) | Model::Any));
        let before = self.cx.cur;
        if keep {
            self.emit(|next| Action::Skip { next });
        }
        let start = self.cx.cur;
        let b = self.value(right, right_ty);
        if keep && self.cx.cur == start {
            // Nothing was written: the room is not needed.
            self.cx.cur = before;
        }
        let a = match a {
            Val::Scalar(value, t) if keep && self.cx.cur != before => {
                let domain = t.and_then(|t| self.domain(t)).unwrap_or(Domain::Range(i64::MIN + 1, i64::MAX));
                let kept = self.temporary("left", domain);
                let node = &mut self.program.nodes[before.index()];
                node.action = Action::Assign { to: Place::Var(kept), value, next: start };
                Val::Scalar(Model::Var(kept), t)
            }
            other => other,
        };
        if self.user_operator(op, &a, &b) {
            return match comparison {
                true => Val::Scalar(Model::Any, Some(self.std.boolean)),
                false => Val::Unknown { input: false },
            };
        }
        let input = matches!(a, Val::Unknown { input: true }) || matches!(b, Val::Unknown { input: true });
        match (a, b) {
            (Val::Scalar(x, tx), Val::Scalar(y, ty)) => {
                let result_type = if comparison { Some(self.std.boolean) } else { tx.or(ty).or(want) };
                let operand_type = tx.or(ty);
                let op = match op {
                    B::Add => BinaryOp::Add,
                    B::Subtract => BinaryOp::Subtract,
                    B::Multiply => BinaryOp::Multiply,
                    B::Divide => BinaryOp::Divide,
                    B::Mod => BinaryOp::Mod,
                    B::Rem => BinaryOp::Rem,
                    B::Power => BinaryOp::Power,
                    B::Equal => BinaryOp::Equal,
                    B::NotEqual => BinaryOp::NotEqual,
                    B::Less => BinaryOp::Less,
                    B::LessEqual => BinaryOp::LessEqual,
                    B::Greater => BinaryOp::Greater,
                    B::GreaterEqual => BinaryOp::GreaterEqual,
                    B::And | B::Or | B::Xor if operand_type.is_some_and(|t| self.modulus(t).is_some()) => {
                        // Bit operations on modular values are not followed.
                        return Val::Scalar(Model::Any, result_type);
                    }
                    B::And => BinaryOp::And,
                    B::Or => BinaryOp::Or,
                    B::Xor => BinaryOp::Xor,
                    B::AndThen | B::OrElse | B::Concat => return Val::Unknown { input },
                };
                if let (BinaryOp::Mod | BinaryOp::Rem, Model::Var(v), Model::Const(m)) = (op, &x, &y)
                    && self.random.contains(v)
                    && (1..=16).contains(m)
                {
                    // Any number of a large range leaves any remainder.
                    let rest = self.temporary("random", Domain::Range(0, m - 1));
                    self.emit(|next| Action::Havoc { to: Place::Var(rest), next });
                    return Val::Scalar(Model::Var(rest), result_type);
                }
                let value = Model::binary(op, x, y);
                let value = if comparison { value } else { self.wrapped(value, operand_type) };
                Val::Scalar(value, result_type)
            }
            (Val::Composite(x, tx), Val::Composite(y, ty)) if matches!(op, B::Equal | B::NotEqual) => {
                let (xs, ys) = (self.leaves(&x, tx), self.leaves(&y, ty));
                if xs.len() != ys.len() || xs.is_empty() {
                    return Val::Scalar(Model::Any, Some(self.std.boolean));
                }
                // Parts that are not followed may differ.
                let mut all = if self.is_followed(tx) { Model::TRUE } else { Model::Any };
                for ((x, _), (y, _)) in xs.iter().zip(&ys) {
                    let one = Model::equal(self.read(x), self.read(y));
                    all = Model::binary(BinaryOp::And, all, one);
                }
                let value = if op == B::Equal { all } else { all.not() };
                Val::Scalar(value, Some(self.std.boolean))
            }
            _ if input => Val::Unknown { input: true },
            _ if comparison => Val::Scalar(Model::Any, Some(self.std.boolean)),
            _ => Val::Unknown { input: false },
        }
    }

    /// Whether the program defines this operator for the type of an operand. Such an operator is
    /// not followed: its result is any value, which is noted.
    fn user_operator(&mut self, op: Binary, a: &Val, b: &Val) -> bool {
        let symbol = match op {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Mod => "mod",
            Binary::Rem => "rem",
            Binary::Power => "**",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::Equal | Binary::NotEqual => "=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::AndThen | Binary::OrElse | Binary::Concat => return false,
        };
        let subs: Vec<Rc<Subprogram<'a>>> = self
            .look_up(self.cx.scope, &format!("\"{symbol}\""))
            .into_iter()
            .filter_map(|b| if let Binding::Subprogram(s) = b { Some(s) } else { None })
            .collect();
        let mut operands = Vec::new();
        for val in [a, b] {
            if let Val::Scalar(_, Some(ty)) | Val::Composite(_, ty) = val {
                operands.push(self.root(*ty));
            }
        }
        for sub in subs {
            let here = std::mem::replace(&mut self.cx.scope, sub.scope);
            let types: Vec<TypeId> = sub.spec.params.iter().map(|p| self.type_ref(&p.ty)).collect();
            self.cx.scope = here;
            if types.iter().any(|t| operands.contains(&self.root(*t))) {
                self.program.assume(
                    format!(
                        "the program's own operator \"{symbol}\" returns any value and does not synchronise"
                    ),
                    sub.span,
                );
                return true;
            }
        }
        false
    }

    fn short_circuit(&mut self, op: Binary, left: &'a syntax::Expr, right: &'a syntax::Expr) -> Val {
        let boolean = self.std.boolean;
        let first = self.condition(left);
        let before = self.cx.cur;
        let probe = self.reserve();
        self.cx.cur = probe;
        let second = self.condition(right);
        let model_op = if op == Binary::AndThen { BinaryOp::And } else { BinaryOp::Or };
        if self.cx.cur == probe {
            // Nothing was written for the right operand: a plain expression will do.
            self.cx.cur = before;
            return match (first, second) {
                (Some(a), Some(b)) => Val::Scalar(Model::binary(model_op, a, b), Some(boolean)),
                (Some(Model::Const(v)), None) if (v == 0) == (op == Binary::AndThen) => {
                    Val::Scalar(Model::Const(v), Some(boolean))
                }
                _ => Val::Unknown { input: true },
            };
        }
        let result = self.temporary("and", Domain::BOOLEAN);
        let join = self.reserve();
        self.assign_condition(result, second);
        self.put(Action::Skip { next: join });
        self.cx.cur = before;
        let (yes, no) = self.branch(first);
        let (evaluate, decided, value) = if op == Binary::AndThen { (yes, no, 0) } else { (no, yes, 1) };
        self.cx.cur = evaluate;
        self.put(Action::Skip { next: probe });
        self.cx.cur = decided;
        self.assign(Place::Var(result), Model::Const(value));
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
        Val::Scalar(Model::Var(result), Some(boolean))
    }

    fn assign_condition(&mut self, to: rendez_model::VarId, condition: Option<Model>) {
        match condition {
            Some(value) => self.assign(Place::Var(to), value),
            None => self.emit(|next| Action::Havoc { to: Place::Var(to), next }),
        }
    }

    fn conversion(&mut self, ty: TypeId, e: &'a syntax::Expr) -> Val {
        let value = self.value(e, Some(ty));
        match (value, self.kind(ty)) {
            (Val::Scalar(value, _), TypeKind::Integer { lo, hi, modulus: None }) => {
                let (lo, hi) = (*lo, *hi);
                match value {
                    Model::Const(v) if lo <= v && v <= hi => Val::Scalar(Model::Const(v), Some(ty)),
                    Model::Any => Val::Scalar(Model::Any, Some(ty)),
                    value => Val::Scalar(Model::Check(Box::new(value), lo, hi), Some(ty)),
                }
            }
            (Val::Scalar(value, from), _) if self.domain(ty).is_some() => {
                let value = match from.map(|f| self.kind(f)) {
                    Some(TypeKind::Access { target, .. }) => {
                        let target = *target;
                        self.as_interface(value, target, Some(ty))
                    }
                    _ => value,
                };
                Val::Scalar(value, Some(ty))
            }
            (Val::Scalar(..), _) => Val::Unknown { input: false },
            (Val::Composite(obj, _), _) => Val::Composite(obj, ty),
            (Val::Unknown { input }, _) => Val::Unknown { input },
        }
    }

    // ---- attributes --------------------------------------------------------------------------

    fn attribute(&mut self, prefix: &'a syntax::Expr, attribute: &Ident, want: Option<TypeId>) -> Val {
        let integer = Some(self.std.integer);
        match attribute.key.as_str() {
            "first" | "last" | "length" => {
                let result_type = match self.quiet_meaning(prefix) {
                    Some(Meaning::Type(ty)) if self.range_of(ty).is_some() => Some(ty),
                    _ => integer,
                };
                match self.bounds_of(prefix, 0) {
                    Some((lo, hi)) => {
                        let value = match attribute.key.as_str() {
                            "first" => lo,
                            "last" => hi,
                            _ => (hi - lo + 1).max(0),
                        };
                        Val::Scalar(Model::Const(value), result_type)
                    }
                    None => Val::Unknown { input: false },
                }
            }
            "count" => match self.meaning(prefix) {
                Meaning::Entry(entry) => Val::Scalar(Model::Count(Box::new(entry.entry)), integer),
                _ => Val::Scalar(Model::Any, integer),
            },
            "callable" | "terminated" => {
                let task = match self.meaning(prefix) {
                    Meaning::Object(obj, ty, _) => {
                        let (obj, ty) = self.dereferenced(obj, ty);
                        self.reference_to(&obj, ty)
                    }
                    Meaning::Type(_) => Model::Const(i64::from(self.cx.task.0)),
                    _ => Model::Any,
                };
                let value = match task {
                    Model::Any => Model::Any,
                    task if attribute.key == "callable" => Model::Callable(Box::new(task)),
                    task => Model::Terminated(Box::new(task)),
                };
                Val::Scalar(value, Some(self.std.boolean))
            }
            "access" | "unchecked_access" | "unrestricted_access" => match self.meaning(prefix) {
                Meaning::Object(obj, ty, _) => {
                    let value = self.reference_to(&obj, ty);
                    let value = self.as_interface(value, ty, want);
                    let ty = match want {
                        Some(want) if matches!(self.kind(want), TypeKind::Access { .. }) => want,
                        _ => self.access_to(ty),
                    };
                    Val::Scalar(value, Some(ty))
                }
                Meaning::Type(ty) => match self.kind(ty) {
                    TypeKind::Task { .. } => Val::Scalar(Model::Const(i64::from(self.cx.task.0)), want),
                    TypeKind::Protected { .. } => match self.cx.object {
                        Some(id) => {
                            let value = self.reference_to(&Obj::Protected(id), ty);
                            Val::Scalar(value, want)
                        }
                        None => Val::Scalar(Model::Any, want),
                    },
                    _ => Val::Scalar(Model::Any, want),
                },
                Meaning::Subprograms(subs) => match self.routine(&subs, want) {
                    Some(number) => Val::Scalar(number, want),
                    None => Val::Unknown { input: false },
                },
                _ => Val::Unknown { input: false },
            },
            "identity" => match self.meaning(prefix) {
                Meaning::Object(obj, ty, _) => {
                    let (obj, ty) = self.dereferenced(obj, ty);
                    Val::Scalar(self.reference_to(&obj, ty), want)
                }
                Meaning::Type(_) => Val::Scalar(Model::Const(i64::from(self.cx.task.0)), want),
                _ => Val::Unknown { input: false },
            },
            "valid" => Val::Scalar(Model::TRUE, Some(self.std.boolean)),
            "modulus" => match self.meaning(prefix) {
                Meaning::Type(ty) => match self.modulus(ty) {
                    Some(m) => Val::Scalar(Model::Const(m), None),
                    None => Val::Unknown { input: false },
                },
                _ => Val::Unknown { input: false },
            },
            "image" | "img" => {
                self.value(prefix, None);
                Val::Unknown { input: false }
            }
            _ => Val::Unknown { input: false },
        }
    }

    fn attribute_call(&mut self, prefix: &'a syntax::Expr, args: &'a [Arg]) -> Val {
        let ExprKind::Attribute(of, attribute) = &prefix.kind else {
            return Val::Unknown { input: false };
        };
        let first = match args.first().map(|a| &a.value) {
            Some(Choice::Expr(e)) => e,
            _ => return Val::Unknown { input: false },
        };
        let key = attribute.key.as_str();
        if matches!(key, "first" | "last" | "length") {
            let dimension = self.scalar(first, None).and_then(|e| e.constant()).unwrap_or(1);
            let bounds = usize::try_from(dimension - 1).ok().and_then(|d| self.bounds_of(of, d));
            return match bounds {
                Some((lo, hi)) => {
                    let value = match key {
                        "first" => lo,
                        "last" => hi,
                        _ => (hi - lo + 1).max(0),
                    };
                    Val::Scalar(Model::Const(value), Some(self.std.integer))
                }
                None => Val::Unknown { input: false },
            };
        }
        let ty = match self.meaning(of) {
            Meaning::Type(ty) => ty,
            Meaning::Entry(_) if key == "count" => self.std.integer,
            _ => self.std.opaque,
        };
        let Some((lo, hi)) = self.range_of(ty) else {
            // Still evaluated: its argument may be a call.
            self.value(first, None);
            return Val::Unknown { input: false };
        };
        let (base_lo, base_hi) = self.range_of(self.root(ty)).unwrap_or((lo, hi));
        let Some(value) = self.scalar(first, Some(ty)) else {
            return Val::Unknown { input: false };
        };
        let checked = |value: Model| match value {
            Model::Const(v) if base_lo <= v && v <= base_hi => Model::Const(v),
            Model::Any => Model::Any,
            value => Model::Check(Box::new(value), base_lo, base_hi),
        };
        match key {
            "pos" => Val::Scalar(value, Some(self.std.integer)),
            "val" => Val::Scalar(checked(value), Some(ty)),
            "succ" | "pred" => {
                let op = if key == "succ" { BinaryOp::Add } else { BinaryOp::Subtract };
                let next = Model::binary(op, value, Model::Const(1));
                let next = match self.modulus(ty) {
                    Some(_) => self.wrapped(next, Some(ty)),
                    None => checked(next),
                };
                Val::Scalar(next, Some(ty))
            }
            "min" | "max" => {
                let Some(Arg { value: Choice::Expr(second), .. }) = args.get(1) else {
                    return Val::Unknown { input: false };
                };
                let Some(other) = self.scalar(second, Some(ty)) else {
                    return Val::Unknown { input: false };
                };
                let op = if key == "min" { BinaryOp::LessEqual } else { BinaryOp::GreaterEqual };
                let cond = Model::binary(op, value.clone(), other.clone());
                let value = match cond {
                    Model::Const(0) => other,
                    Model::Const(_) => value,
                    cond => Model::If(Box::new(cond), Box::new(value), Box::new(other)),
                };
                Val::Scalar(value, Some(ty))
            }
            _ => Val::Unknown { input: false },
        }
    }

    // ---- library -----------------------------------------------------------------------------

    /// Exceptions that a library operation may raise: those that the program is prepared for.
    fn library_exceptions(&mut self, name: &str) {
        let mut prepared = false;
        let mut possible = self.cx.prepared_for.clone();
        let reads = name.rsplit('.').next().is_some_and(|last| last.starts_with("get"));
        if self.bounds.input_ends && reads && name.contains("_io") {
            possible.push(self.library_exception("ada.io_exceptions.end_error"));
            // Characters have no wrong form.
            let unit = name.rsplit('.').nth(1).unwrap_or_default();
            if !["text_io", "wide_text_io", "wide_wide_text_io"].contains(&unit) {
                possible.push(self.library_exception("ada.io_exceptions.data_error"));
            }
        }
        possible.sort_unstable();
        possible.dedup();
        for exception in possible {
            let text = self.program.exception_name(exception).to_owned();
            let Some(environment) = library::may_raise(name, &text) else { continue };
            prepared = true;
            let (fails, passes) = self.branch((!environment).then_some(Model::Any));
            self.cx.cur = fails;
            self.raise(exception);
            self.cx.cur = passes;
        }
        if !prepared && reads {
            self.program.assume(
                "input has the right form and does not end where nobody handles End_Error and Data_Error by name (--input-ends)",
                Span::NOWHERE,
            );
        }
    }

    /// What models of library units ask of the model itself.
    fn intrinsic(&mut self, operation: &str, args: &'a [Arg], span: Span) -> Val {
        let arg = match args.first().map(|a| &a.value) {
            Some(Choice::Expr(e)) => self.scalar(e, None).unwrap_or(Model::Any),
            _ => Model::Any,
        };
        let boolean = Some(self.std.boolean);
        match operation {
            "self" => Val::Scalar(Model::Const(i64::from(self.cx.task.0)), None),
            "any_boolean" => Val::Scalar(Model::Any, boolean),
            "chosen" => Val::Unknown { input: true },
            "havoc" => {
                if let Some(Arg { value: Choice::Expr(e), .. }) = args.first()
                    && let Meaning::Object(obj, ty, _) = self.meaning(e)
                {
                    self.input(&obj, ty);
                }
                Val::Unknown { input: false }
            }
            _ if arg.is_any() => {
                self.reject(span, "a task that cannot be determined");
                Val::Scalar(Model::Any, None)
            }
            "is_callable" => Val::Scalar(Model::Callable(Box::new(arg)), boolean),
            "is_terminated" => Val::Scalar(Model::Terminated(Box::new(arg)), boolean),
            "master_of" => {
                let table = self.fixup(FixupSource::Tasks, Leaf::Master);
                Val::Scalar(Model::Lookup(table, Box::new(arg)), None)
            }
            "abort_task" => {
                self.emit(|next| Action::Abort { tasks: vec![arg], next });
                Val::Unknown { input: false }
            }
            _ => {
                self.reject(span, format!("there is no intrinsic `{operation}`"));
                Val::Unknown { input: false }
            }
        }
    }

    /// A call of something in a library unit without source.
    pub(crate) fn library_call(&mut self, name: &str, args: &'a [Arg], span: rendez_source::Span) -> Val {
        if let Some(operation) = name.strip_prefix("rendez_model.") {
            return self.intrinsic(operation, args, span);
        }
        if library::synchronises(name) {
            self.reject(span, format!("{name}: the library's own synchronisation is not modelled"));
            return Val::Unknown { input: false };
        }
        if let Some(ty) = name.strip_prefix("random:").and_then(|t| t.parse().ok()).map(TypeId) {
            return match self.domain(ty) {
                Some(domain) => {
                    let temporary = self.temporary("random", domain);
                    self.emit(|next| Action::Havoc { to: Place::Var(temporary), next });
                    if matches!(domain, Domain::Range(0.., hi) if hi > 1 << 16) {
                        self.random.insert(temporary);
                    }
                    Val::Scalar(Model::Var(temporary), Some(ty))
                }
                None => Val::Unknown { input: true },
            };
        }
        self.library_exceptions(name);
        let silent = library::is_silent(name);
        let mut input = library::is_input(name);
        for arg in args {
            let Choice::Expr(e) = &arg.value else { continue };
            if silent || !matches!(e.kind, ExprKind::Name(_) | ExprKind::Select(..) | ExprKind::Call(..)) {
                input |= matches!(self.value(e, None), Val::Unknown { input: true });
                continue;
            }
            match self.meaning(e) {
                Meaning::Unknown { input: true } => input = true,
                Meaning::Object(obj, ty, false) => {
                    if library::is_input(name) {
                        self.input(&obj, ty);
                    } else {
                        self.forget(&obj, ty);
                    }
                }
                Meaning::Subprograms(subs) => {
                    self.call_function(&subs, &[], None, e.span);
                }
                _ => {}
            }
        }
        Val::Unknown { input }
    }
}

/// Whether evaluating an expression may run code of the program.
fn may_call(e: &syntax::Expr) -> bool {
    match &e.kind {
        ExprKind::Call(..) | ExprKind::New(..) => true,
        ExprKind::Unary(_, a) | ExprKind::Qualified(_, a) => may_call(a),
        ExprKind::Binary(_, a, b) => may_call(a) || may_call(b),
        _ => false,
    }
}
