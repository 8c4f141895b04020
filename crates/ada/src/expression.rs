//! Names and expressions.

use std::rc::Rc;

use rendez_model::{Action, BinaryOp, Domain, ExceptionId, Expr as Model, Place, UnaryOp, VarId};

use rendez_source::Span;

use crate::elaborate::{Elaborator, FixupSource, Leaf};
use crate::env::*;
use crate::library;
use crate::static_expression::Staticness;
use crate::syntax::{self, *};

/// Expressions with more parts within each other are refused.
const MOST_NESTED: usize = 1000;

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
                    return Meaning::Type(if class { self.class_wide(ty) } else { self.base_of(ty) });
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
            ExprKind::Slice(prefix, range) => self.slice(prefix, range),
            ExprKind::Qualified(mark, value) => {
                let value = self.qualified(mark, value);
                self.as_meaning(value)
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
            Binding::Occurrence(cell) => Meaning::Occurrence(cell),
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
                Some((part, of)) => {
                    self.variant_check(&obj, ty, &selector.key);
                    Meaning::Object(part, of, constant)
                }
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
            TypeKind::Opaque => Meaning::Object(self.part_of(&obj), self.std.opaque, constant),
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
        let is_base = matches!(&prefix.kind, ExprKind::Attribute(_, a) if a.key == "base");
        if matches!(prefix.kind, ExprKind::Attribute(..)) && !is_base {
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
                if let Some(function) = self.own_indexing(ty) {
                    return self.indexed_by(function, prefix, args, whole.span);
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
                let value = self.library_call(&name, args, true, whole.span);
                self.as_meaning(value)
            }
            Meaning::Unknown { input } => {
                self.arguments(args);
                Meaning::Unknown { input }
            }
            Meaning::Undeclared(text) => Meaning::Undeclared(text),
            _ => {
                self.arguments(args);
                Meaning::Unknown { input: false }
            }
        }
    }

    /// `prefix (range)`: the elements of an array that the range names.
    fn slice(&mut self, prefix: &'a syntax::Expr, range: &'a Choice) -> Meaning<'a> {
        let value = match self.meaning(prefix) {
            Meaning::Object(obj, ty, constant) => Ok((obj, ty, constant)),
            meaning => match self.meaning_value(meaning, None, prefix) {
                Val::Composite(obj, ty) => Ok((obj, ty, true)),
                value => Err(value),
            },
        };
        let (obj, ty, constant) = match value {
            Ok(found) => found,
            Err(value) => {
                self.note_value(value);
                self.choice(range);
                return Meaning::Unknown { input: false };
            }
        };
        let (obj, ty) = self.dereferenced(obj, ty);
        let given = self.static_range(range, None);
        let TypeKind::Array { bounds, dimensions: 1, element } = self.kind(ty).clone() else {
            return Meaning::Object(self.part_of(&obj), self.std.opaque, constant);
        };
        let bounds = match &obj {
            Obj::Array(array) => array.bounds.first().copied(),
            _ => bounds.and_then(|b| b.first().copied()),
        };
        if let (Some((lo, hi)), Some((first, last))) = (given, bounds)
            && lo <= hi
            && (lo < first || last < hi)
        {
            self.raise(ExceptionId::CONSTRAINT_ERROR);
            return Meaning::Object(Obj::Opaque, ty, constant);
        }
        let kind = TypeKind::Array { bounds: given.map(|g| vec![g]), dimensions: 1, element };
        let slice = self.new_subtype("slice", ty, kind);
        let obj = match (&obj, given, bounds) {
            (Obj::Array(array), Some((lo, hi)), Some((first, _))) => {
                let elements = match lo <= hi {
                    true => array.elements[(lo - first) as usize..=(hi - first) as usize].to_vec(),
                    false => Vec::new(),
                };
                Obj::Array(Rc::new(ArrayObj { bounds: vec![(lo, hi)], elements, element }))
            }
            _ => self.part_of(&obj),
        };
        Meaning::Object(obj, slice, constant)
    }

    /// Evaluates arguments that nobody looks at.
    pub(crate) fn arguments(&mut self, args: &'a [Arg]) {
        args.iter().for_each(|a| self.choice(&a.value));
    }

    /// Evaluates what a choice or argument consists of.
    fn choice(&mut self, choice: &'a Choice) {
        match choice {
            Choice::Expr(e) => self.effects(e),
            Choice::Range(lo, hi) => {
                self.effects(lo);
                self.effects(hi);
            }
            Choice::RangeOf(prefix, _) => {
                self.attribute_prefix(prefix, true);
            }
            Choice::Subtype(_) | Choice::Open(_) | Choice::Others => {}
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

    /// What the program says of an aspect of a type, or of one that it is derived from.
    pub(crate) fn operational(&self, ty: TypeId, aspect: &str) -> Option<(&'a syntax::Expr, ScopeId)> {
        let mut ancestors = std::iter::successors(Some(self.root(ty)), |t| self.types[t.0].parent);
        ancestors.find_map(|t| self.operational.get(&(t, aspect.to_owned())).copied())
    }

    /// The same of one of its parts.
    pub(crate) fn operational_part(&mut self, ty: TypeId, aspect: &str) -> bool {
        if self.operational.is_empty() {
            return false;
        }
        let parts: Vec<TypeId> = match self.kind(ty).clone() {
            TypeKind::Record { .. } => self.fields(ty).iter().map(|f| f.1).collect(),
            TypeKind::Array { element, .. } => vec![element],
            _ => Vec::new(),
        };
        self.operational(ty, aspect).is_some() || parts.iter().any(|p| self.operational_part(*p, aspect))
    }

    /// The function that indexes objects of a type; none if it may be one of two.
    fn own_indexing(&mut self, ty: TypeId) -> Option<Option<(&'a syntax::Expr, ScopeId)>> {
        let read = self.operational(ty, "constant_indexing");
        let written = self.operational(ty, "variable_indexing");
        match (read, written) {
            (None, None) => None,
            (Some(read), None) => Some(Some(read)),
            _ => Some(None),
        }
    }

    /// `Object (Index)` of a type with an indexing function of its own.
    fn indexed_by(
        &mut self,
        function: Option<(&'a syntax::Expr, ScopeId)>,
        prefix: &'a syntax::Expr,
        args: &'a [Arg],
        span: Span,
    ) -> Meaning<'a> {
        let subs = function.map(|(name, scope)| {
            let here = std::mem::replace(&mut self.cx.scope, scope);
            let meaning = self.meaning(name);
            self.cx.scope = here;
            meaning
        });
        let Some(Meaning::Subprograms(subs)) = subs else {
            return Meaning::Undeclared("an index that calls a function for references".into());
        };
        let mut all = vec![Arg { name: None, value: Choice::Expr(prefix.clone()) }];
        all.extend(args.iter().cloned());
        let all: &'a [Arg] = self.arena.alloc(all);
        let value = self.call_function(&subs, all, None, span);
        if let Val::Composite(_, ty) = value
            && self.operational(ty, "implicit_dereference").is_some()
        {
            return Meaning::Undeclared("an index that calls a function for references".into());
        }
        self.as_meaning(value)
    }

    fn indexed(&mut self, obj: Obj, ty: TypeId, constant: bool, args: &'a [Arg]) -> Meaning<'a> {
        if let TypeKind::Unmodelled(what) = self.kind(ty) {
            return Meaning::Undeclared(format!("{what} is not modelled"));
        }
        let mut indices = Vec::new();
        for arg in args {
            match &arg.value {
                Choice::Expr(e) => indices.push(self.scalar(e, None).unwrap_or(Model::Any)),
                choice => {
                    self.choice(choice);
                    return Meaning::Object(self.part_of(&obj), ty, constant);
                }
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
        let value = self.value(e, want);
        self.only_scalar(value)
    }

    fn only_scalar(&mut self, value: Val) -> Option<Model> {
        match value {
            Val::Scalar(value, _) => Some(value),
            other => {
                self.note_value(other);
                None
            }
        }
    }

    /// A value that no check on its own type follows: it must not have overflowed.
    pub(crate) fn intermediate_value(&mut self, e: &'a syntax::Expr, want: Option<TypeId>) -> Val {
        let value = self.value(e, want);
        if let Val::Scalar(value, ty) = &value {
            self.intermediate(value, ty.or(want), e);
        }
        value
    }

    /// The same for a value that must be scalar.
    pub(crate) fn scalar_operand(&mut self, e: &'a syntax::Expr, want: Option<TypeId>) -> Option<Model> {
        let value = self.intermediate_value(e, want);
        self.only_scalar(value)
    }

    /// A condition, as an expression; None if the environment decides it.
    pub(crate) fn condition(&mut self, e: &'a syntax::Expr) -> Option<Model> {
        match self.value(e, Some(self.std.boolean)) {
            Val::Scalar(value, _) => Some(value),
            Val::Composite(obj, ty) => {
                self.note_object(&obj, ty);
                Some(Model::Any)
            }
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
        let value = match self.depth > MOST_NESTED {
            true => {
                self.reject(
                    e.span,
                    format!("an expression of more than {MOST_NESTED} parts within each other"),
                );
                Val::Unknown { input: false }
            }
            false => self.value_of(e, want),
        };
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
            | ExprKind::Slice(..) => {
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
                        return self.library_call(&name, args, true, e.span);
                    }
                }
                let meaning = self.meaning(e);
                self.meaning_value(meaning, want, e)
            }
            ExprKind::Attribute(prefix, attribute) => self.attribute(prefix, attribute, want),
            ExprKind::Qualified(mark, value) => self.qualified(mark, value),
            ExprKind::Unary(op, operand) => {
                if let Some(value) = self.own_operator(op.symbol(), &[operand]) {
                    return value;
                }
                let operand = match op {
                    Unary::Minus | Unary::Abs => self.intermediate_value(operand, want),
                    Unary::Plus | Unary::Not => self.value(operand, want),
                };
                if self.user_operator(op.symbol(), &[&operand]) {
                    self.note_value(operand);
                    return Val::Unknown { input: false };
                }
                let (value, ty) = match operand {
                    Val::Scalar(value, ty) => (value, ty),
                    Val::Composite(obj, ty) => {
                        self.note_object(&obj, ty);
                        return Val::Unknown { input: false };
                    }
                    other => return other,
                };
                let value = match op {
                    Unary::Plus => value,
                    Unary::Minus => self.wrapped(Model::unary(UnaryOp::Negate, value), ty.or(want)),
                    Unary::Abs => Model::unary(UnaryOp::Abs, value),
                    Unary::Not => match ty.or(want).and_then(|t| self.modulus(t)) {
                        Some(m) => Model::binary(BinaryOp::Subtract, Model::Const(m - 1), value),
                        None => Model::unary(UnaryOp::Not, value),
                    },
                };
                if self.is_long(ty) {
                    self.intermediate(&value, ty, e);
                }
                Val::Scalar(value, ty)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, want),
            ExprKind::In(value, choices, negated) => {
                let of = self.static_type(value);
                let compares = |c: &&'a Choice| matches!(c, Choice::Expr(_));
                for choice in choices.iter().filter(compares) {
                    if let Choice::Expr(e) = choice
                        && !matches!(self.quiet_meaning(e), Some(Meaning::Type(_)))
                        && of.is_some_and(|t| self.own_equality(t, true))
                    {
                        self.reject(e.span, "a membership test that calls the program's own \"=\"");
                    }
                }
                let ty = self.discrete_type(value);
                let value = self.intermediate_value(value, ty);
                let input = matches!(value, Val::Unknown { input: true });
                let value = match value {
                    Val::Scalar(value, _) => value,
                    other => {
                        self.note_value(other);
                        Model::Any
                    }
                };
                let mut any = Model::FALSE;
                for choice in choices {
                    let one = self.is_in(&value, choice, ty);
                    any = self.join(BinaryOp::Or, any, one);
                }
                if input {
                    return Val::Unknown { input };
                }
                let result = if *negated { any.not() } else { any };
                Val::Scalar(result, Some(self.std.boolean))
            }
            ExprKind::If(arms, otherwise) => self.if_expression(arms, otherwise.as_deref(), want),
            ExprKind::Case(on, arms) => {
                let ty = self.discrete_type(on);
                let value = self.scalar_operand(on, ty).unwrap_or(Model::Any);
                let domain = want.and_then(|w| self.domain(w));
                let result = domain.map(|domain| self.temporary("case", domain));
                let join = self.reserve();
                for (choices, arm) in arms {
                    let any = self.chosen(&value, choices, ty);
                    let (yes, no) = self.branch(Some(any));
                    self.cx.cur = yes;
                    self.arm(result, arm, want);
                    self.put(Action::Skip { next: join });
                    self.cx.cur = no;
                }
                self.goto(join);
                self.cx.cur = join;
                match result {
                    Some(result) => Val::Scalar(Model::Var(result), want),
                    None => Val::Unknown { input: false },
                }
            }
            ExprKind::Quantified { all, name, domain, predicate } => {
                let ty = self.range_type(domain);
                if self.skips_values(domain) {
                    self.reject(e.span, "a quantified expression over a subtype with a predicate");
                    return Val::Scalar(Model::Any, Some(self.std.boolean));
                }
                let range = self.static_range(domain, None);
                let few = |r: &(i64, i64)| r.1.saturating_sub(r.0) <= self.bounds.unrolled_iterations;
                let Some((lo, hi)) = range.filter(few) else {
                    // Any number of times, with any value.
                    let outer = self.cx.scope;
                    self.cx.scope = self.new_scope(outer, "");
                    self.repeated(|e| {
                        let obj = match e.domain(ty) {
                            Some(domain) => {
                                let cell = e.temporary(&name.text, domain);
                                e.assign(Place::Var(cell), Model::Any);
                                Obj::Cell(cell)
                            }
                            None => Obj::Opaque,
                        };
                        e.bind_object(name, obj, ty, true);
                        e.effects(predicate);
                    });
                    self.cx.scope = outer;
                    return Val::Unknown { input: false };
                };
                self.quantified(*all, (name, ty), (lo, hi), predicate)
            }
            ExprKind::Aggregate(components) => {
                let parts = |ty: &TypeId| {
                    let composite =
                        matches!(self.kind(*ty), TypeKind::Array { .. } | TypeKind::Record { .. });
                    composite && !self.is_active(*ty) && !self.is_whole(*ty)
                };
                let Some(ty) = want.filter(parts) else { return self.components_of(components, want) };
                let local = self.local_storage();
                let outer = std::mem::replace(&mut self.cx.storage, local);
                let obj = self.make(ty, "aggregate", e.span);
                self.cx.storage = outer;
                let fresh = std::mem::replace(&mut self.fresh, true);
                let understood = self.assign_aggregate(&obj, ty, components);
                self.fresh = fresh;
                match understood {
                    true => Val::Composite(obj, ty),
                    false => self.components_of(components, want),
                }
            }
            ExprKind::Delta(base, components) => {
                let ty = self.static_type(base).or(want);
                let record = ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Record { .. }));
                self.effects(base);
                for component in components {
                    if !record {
                        self.doubt();
                        component.choices.iter().for_each(|c| self.choice(c));
                    }
                    self.effects(&component.value);
                }
                Val::Unknown { input: false }
            }
            ExprKind::Parts(parts) => {
                parts.iter().for_each(|e| self.effects(e));
                Val::Unknown { input: false }
            }
            ExprKind::New(subtype, init) => {
                // The initial value is qualified.
                self.exact_bounds = init.as_ref().is_some_and(|v| matches!(v.kind, ExprKind::Aggregate(_)));
                let made = self.allocate(subtype, init.as_deref(), want, e.span);
                self.exact_bounds = false;
                let ty = self.subtype(subtype);
                match made {
                    Val::Scalar(value, access) => Val::Scalar(self.as_interface(value, ty, want), access),
                    made => made,
                }
            }
            ExprKind::Raise(name, message) => {
                if let Some(message) = message {
                    self.effects(message);
                }
                match self.meaning(name) {
                    Meaning::Exception(id) => self.raise(id),
                    _ => self.reject(e.span, "raise of an exception that is not visible here"),
                }
                Val::Scalar(Model::Any, want)
            }
            ExprKind::Default | ExprKind::Other("target name") => Val::Unknown { input: false },
            ExprKind::Other(what) => {
                self.reject(e.span, format!("{what} is not modelled"));
                Val::Unknown { input: false }
            }
        }
    }

    /// A predicate on the values of a range, one after the other, up to the first that decides.
    fn quantified(
        &mut self,
        all: bool,
        (name, ty): (&'a Ident, TypeId),
        (lo, hi): (i64, i64),
        predicate: &'a syntax::Expr,
    ) -> Val {
        let op = if all { BinaryOp::And } else { BinaryOp::Or };
        let decisive = i64::from(!all);
        // What is known of the values so far; where code was written for one of them, it has decided nothing.
        let mut result = Model::Const(i64::from(all));
        let mut decided: Option<(VarId, rendez_model::Loc)> = None;
        for i in lo..=hi {
            if result == Model::Const(decisive) {
                break;
            }
            let noted = std::mem::take(&mut self.cx.reads);
            let probe = self.reserve();
            let before = std::mem::replace(&mut self.cx.cur, probe);
            let outer = self.cx.scope;
            self.cx.scope = self.new_scope(outer, "");
            self.bind_object(name, Obj::Const(i), ty, true);
            let one = self.condition(predicate).unwrap_or(Model::Any);
            self.cx.scope = outer;
            self.read_now();
            self.cx.reads = noted;
            if self.cx.cur == probe {
                // An expression stops early by itself.
                self.cx.cur = before;
                result = self.join(op, result, one);
                continue;
            }
            let (cell, join) = match decided {
                Some(known) => known,
                None => (self.temporary("quantified", Domain::BOOLEAN), self.reserve()),
            };
            decided = Some((cell, join));
            let end = std::mem::replace(&mut self.cx.cur, before);
            let (yes, no) = self.branch(Some(result));
            let (stop, go_on) = if all { (no, yes) } else { (yes, no) };
            self.cx.cur = stop;
            self.assign(Place::Var(cell), Model::Const(decisive));
            self.put(Action::Skip { next: join });
            self.cx.cur = go_on;
            self.put(Action::Skip { next: probe });
            self.cx.cur = end;
            result = one;
        }
        if let Some((cell, join)) = decided {
            self.assign(Place::Var(cell), result);
            self.put(Action::Skip { next: join });
            self.cx.cur = join;
            result = Model::Var(cell);
        }
        Val::Scalar(result, Some(self.std.boolean))
    }

    /// Evaluates the components of an aggregate that is not followed.
    fn components_of(&mut self, components: &'a [Component], want: Option<TypeId>) -> Val {
        self.exact_bounds = false;
        let bounds = match want.map(|w| self.kind(w)) {
            Some(TypeKind::Array { bounds: Some(bounds), .. }) => Some(elements(bounds)),
            Some(TypeKind::Array { .. } | TypeKind::Opaque) | None => None,
            // Every association of a record is for some component.
            Some(_) => Some(1),
        };
        for component in components {
            let (mut least, mut most) = (0, 0);
            for choice in &component.choices {
                let number = match choice {
                    Choice::Range(..) | Choice::Subtype(_) | Choice::RangeOf(..) => {
                        self.static_range(choice, None).map(length)
                    }
                    Choice::Expr(_) => Some(1),
                    Choice::Others if components.len() == 1 => bounds,
                    Choice::Open(_) | Choice::Others => None,
                };
                least = i64::saturating_add(least, number.unwrap_or(0));
                most = i64::saturating_add(most, number.unwrap_or(1));
            }
            if !component.choices.is_empty() && least == 0 {
                self.read_now();
                if most > 0 {
                    self.perhaps_evaluated(&component.value);
                }
                continue;
            }
            self.read_now();
            let start = self.cx.cur;
            self.effects(&component.value);
            self.read_now();
            if self.cx.cur != start && !component.choices.is_empty() {
                // Once for every component that it stands for.
                let (more, done) = self.branch(Some(Model::Any));
                self.cx.cur = more;
                self.put(Action::Skip { next: start });
                self.cx.cur = done;
            }
        }
        Val::Unknown { input: false }
    }

    /// The value of an association that is perhaps for no component at all.
    fn perhaps_evaluated(&mut self, value: &'a syntax::Expr) {
        let outer = std::mem::replace(&mut self.cx.repeated, true);
        let probe = self.reserve();
        let start = std::mem::replace(&mut self.cx.cur, probe);
        self.effects(value);
        self.read_now();
        self.cx.repeated = outer;
        let end = std::mem::replace(&mut self.cx.cur, start);
        if end == probe {
            return;
        }
        let (some, done) = self.branch(Some(Model::Any));
        self.cx.cur = some;
        self.put(Action::Skip { next: probe });
        self.cx.cur = end;
        let (more, enough) = self.branch(Some(Model::Any));
        self.cx.cur = more;
        self.put(Action::Skip { next: probe });
        self.cx.cur = enough;
        self.put(Action::Skip { next: done });
        self.cx.cur = done;
    }

    /// Code that is executed any number of times.
    pub(crate) fn repeated(&mut self, code: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.cx.repeated, true);
        let head = self.reserve();
        self.put(Action::Skip { next: head });
        self.cx.cur = head;
        let (more, done) = self.branch(Some(Model::Any));
        self.cx.cur = more;
        code(self);
        self.put(Action::Skip { next: head });
        self.cx.cur = done;
        self.cx.repeated = outer;
    }

    /// Builds an expression; what folding takes away is noted.
    pub(crate) fn join(&mut self, op: BinaryOp, left: Model, right: Model) -> Model {
        let value = Model::binary(op, left.clone(), right.clone());
        if !matches!(value, Model::Binary(..)) {
            for operand in [left, right] {
                if operand != value {
                    self.note(operand);
                }
            }
        }
        value
    }

    pub(crate) fn meaning_value(
        &mut self,
        meaning: Meaning<'a>,
        want: Option<TypeId>,
        e: &'a syntax::Expr,
    ) -> Val {
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
            Meaning::Library(name) => self.library_call(&name, &[], true, e.span),
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
            Meaning::Package(_) | Meaning::Generic { .. } | Meaning::Occurrence(_) => {
                Val::Unknown { input: false }
            }
        }
    }

    pub(crate) fn object_value(&mut self, obj: Obj, ty: TypeId) -> Val {
        let value = self.read(&obj);
        if self.domain(ty).is_some() {
            if let Obj::Among(_) = obj {
                self.note(value);
                return Val::Scalar(Model::Any, Some(ty));
            }
            return Val::Scalar(value, Some(ty));
        }
        let composite = matches!(self.kind(ty), TypeKind::Array { .. } | TypeKind::Record { .. });
        if composite || !self.is_whole(ty) {
            return Val::Composite(obj, ty);
        }
        self.note(value);
        Val::Unknown { input: false }
    }

    fn wrapped(&self, value: Model, ty: Option<TypeId>) -> Model {
        match ty.and_then(|t| self.modulus(t)) {
            Some(modulus) => Model::unary(UnaryOp::Wrap(modulus), value),
            None => value,
        }
    }

    fn is_in(&mut self, value: &Model, choice: &'a Choice, ty: Option<TypeId>) -> Model {
        if let Choice::Others = choice {
            return Model::TRUE;
        }
        if let Some((lo, hi)) = self.range(choice, ty) {
            let above = self.join(BinaryOp::GreaterEqual, value.clone(), lo);
            let below = self.join(BinaryOp::LessEqual, value.clone(), hi);
            let inside = self.join(BinaryOp::And, above, below);
            let subtype = match choice {
                Choice::Expr(e) => self.quiet_meaning(e),
                Choice::Subtype(subtype) => Some(Meaning::Type(self.subtype(subtype))),
                _ => None,
            };
            return match subtype {
                Some(Meaning::Type(of)) if !self.types[of.0].predicates.is_empty() => {
                    let satisfied = self.satisfies(value, of);
                    self.join(BinaryOp::And, inside, satisfied)
                }
                _ => inside,
            };
        }
        let other = match choice {
            Choice::Expr(e) => self.scalar_operand(e, ty),
            _ => None,
        };
        self.join(BinaryOp::Equal, value.clone(), other.unwrap_or(Model::Any))
    }

    /// Choices of a case statement, as a condition on the value.
    pub(crate) fn chosen(&mut self, value: &Model, choices: &'a [Choice], ty: Option<TypeId>) -> Model {
        let mut any = Model::FALSE;
        for choice in choices {
            let one = self.is_in(value, choice, ty);
            any = self.join(BinaryOp::Or, any, one);
        }
        any
    }

    /// An arm of a conditional expression.
    fn arm(&mut self, result: Option<VarId>, value: &'a syntax::Expr, want: Option<TypeId>) {
        match result {
            Some(result) => {
                let value = self.scalar(value, want).unwrap_or(Model::Any);
                self.assign(Place::Var(result), value);
            }
            None => {
                let value = self.value(value, want);
                self.note_value(value);
            }
        }
    }

    fn if_expression(
        &mut self,
        arms: &'a [(syntax::Expr, syntax::Expr)],
        otherwise: Option<&'a syntax::Expr>,
        want: Option<TypeId>,
    ) -> Val {
        let discrete = |e: &mut Self, arm: &'a syntax::Expr| {
            e.discrete_type(arm).is_some() || matches!(arm.kind, ExprKind::Int(_))
        };
        let domain = match want.and_then(|w| self.domain(w)) {
            Some(domain) => Some(domain),
            None if otherwise.is_none() => Some(Domain::BOOLEAN),
            None if arms.iter().all(|a| discrete(self, &a.1)) => self.domain(self.std.integer),
            None => None,
        };
        let result = domain.map(|domain| self.temporary("if", domain));
        let join = self.reserve();
        for (condition, value) in arms {
            let condition = self.condition(condition);
            let (yes, no) = self.branch(condition);
            self.cx.cur = yes;
            self.arm(result, value, want);
            self.put(Action::Skip { next: join });
            self.cx.cur = no;
        }
        match (otherwise, result) {
            (Some(value), result) => self.arm(result, value, want),
            (None, Some(result)) => self.assign(Place::Var(result), Model::TRUE),
            (None, None) => {}
        }
        self.put(Action::Skip { next: join });
        self.cx.cur = join;
        match result {
            Some(result) => Val::Scalar(Model::Var(result), want),
            None => Val::Unknown { input: false },
        }
    }

    /// Says that operands, or arguments, are evaluated in the order of the text, where another order may have
    /// another effect: where one of them calls something, and another one does, too, or reads a variable. Each
    /// is given by the first node that it may have written, and whether its value reads a variable.
    pub(crate) fn note_order(&mut self, operands: &[(usize, bool)], span: Span) {
        let mut end = self.program.nodes.len();
        let (mut calls, mut reads) = (0, 0);
        for &(start, reading) in operands.iter().rev() {
            let made = &self.program.nodes[start..end];
            match made.iter().any(|n| matches!(n.action, Action::Call { .. } | Action::Lock { .. })) {
                true => calls += 1,
                false => reads += usize::from(reading),
            }
            end = start;
        }
        if calls > 1 || (calls == 1 && reads > 0) {
            self.program.assume("operands and arguments are evaluated from left to right", span);
        }
    }

    fn reads_cell(&self, value: &Val) -> bool {
        let mut found = false;
        if let Val::Scalar(value, _) = value {
            value.each_cell(&self.program, &mut |_| found = true);
        }
        found || matches!(value, Val::Composite(..))
    }

    fn binary(
        &mut self,
        op: Binary,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        want: Option<TypeId>,
    ) -> Val {
        use Binary as B;
        if let B::AndThen | B::OrElse = op {
            return self.short_circuit(op, left, right);
        }
        if let Some(value) = self.own_operator(op.symbol(), &[left, right]) {
            return value;
        }
        if op == B::NotEqual
            && let Some(value) = self.own_operator("=", &[left, right])
        {
            return match value {
                Val::Scalar(value, ty) => Val::Scalar(value.not(), ty),
                value => value,
            };
        }
        if op == B::Concat {
            let (a, b) = (self.value(left, None), self.value(right, None));
            self.user_operator("&", &[&a, &b]);
            self.note_value(a);
            self.note_value(b);
            return Val::Unknown { input: false };
        }
        let comparison =
            matches!(op, B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual);
        let ty =
            if comparison { self.discrete_type(left).or_else(|| self.discrete_type(right)) } else { want };
        let first = self.program.nodes.len();
        let a = self.value(left, ty);
        let second = self.program.nodes.len();
        // A type found on the left helps to resolve literals on the right.
        let right_ty = match &a {
            Val::Scalar(_, Some(t)) => Some(*t),
            Val::Composite(_, t) => Some(*t),
            _ => ty,
        };
        // A call on the right may change what the left has read: leave room to keep it.
        let keep =
            may_call(right) && matches!(&a, Val::Scalar(v, _) if !matches!(v, Model::Const(_) | Model::Any));
        if keep {
            self.read_now();
        }
        let before = self.cx.cur;
        if keep {
            self.emit(|next| Action::Skip { next });
        }
        let start = self.cx.cur;
        let b = self.value(right, right_ty);
        self.note_order(&[(first, self.reads_cell(&a)), (second, self.reads_cell(&b))], left.span);
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
        if self.user_operator(op.symbol(), &[&a, &b])
            || (op == B::NotEqual && self.user_operator("=", &[&a, &b]))
        {
            self.note_value(a);
            self.note_value(b);
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
                        self.note(x);
                        self.note(y);
                        return Val::Scalar(Model::Any, result_type);
                    }
                    // Both operands are evaluated, whatever the first one is.
                    B::And | B::Or if y.may_raise(&self.program) => {
                        let op = if op == B::And { BinaryOp::Multiply } else { BinaryOp::Add };
                        let both = Model::Binary(op, Box::new(x), Box::new(y));
                        let value = Model::binary(BinaryOp::NotEqual, both, Model::FALSE);
                        return Val::Scalar(value, result_type);
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
                    self.note(x);
                    let rest = self.temporary("random", Domain::Range(0, m - 1));
                    self.emit(|next| Action::Havoc { to: Place::Var(rest), next });
                    return Val::Scalar(Model::Var(rest), result_type);
                }
                if matches!(op, BinaryOp::Divide | BinaryOp::Mod | BinaryOp::Rem) {
                    self.divisor(&x, &y);
                }
                self.intermediate(&x, tx.or(operand_type), left);
                self.intermediate(&y, ty.or(operand_type), right);
                let value = self.join(op, x, y);
                if let Model::Binary(
                    BinaryOp::Add
                    | BinaryOp::Subtract
                    | BinaryOp::Multiply
                    | BinaryOp::Divide
                    | BinaryOp::Power,
                    a,
                    b,
                ) = &value
                    && operand_type.is_none_or(|t| self.modulus(t).is_none())
                {
                    match (a.constant(), b.constant()) {
                        // It is beyond all whole numbers.
                        (Some(_), Some(_)) if operand_type.is_some() => {
                            if self.staticness(left).max(self.staticness(right)) == Staticness::Dynamic {
                                self.raise(ExceptionId::CONSTRAINT_ERROR);
                            } else {
                                self.doubt();
                            }
                            return Val::Scalar(Model::Any, result_type);
                        }
                        _ if self.is_long(operand_type) => self.intermediate(&value, operand_type, right),
                        _ => {}
                    }
                }
                let value = if comparison { value } else { self.wrapped(value, operand_type.or(want)) };
                Val::Scalar(value, result_type)
            }
            (Val::Composite(x, tx), Val::Composite(y, ty)) if matches!(op, B::Equal | B::NotEqual) => {
                if self.own_equality(tx, false) {
                    self.note_object(&x, tx);
                    self.note_object(&y, ty);
                    self.reject(self.cx.span, "an equality that calls the program's own \"=\" of a part");
                    return Val::Scalar(Model::Any, Some(self.std.boolean));
                }
                let (xs, ys) = (self.leaves(&x, tx), self.leaves(&y, ty));
                if xs.len() != ys.len() || xs.is_empty() {
                    self.note_object(&x, tx);
                    self.note_object(&y, ty);
                    return Val::Scalar(Model::Any, Some(self.std.boolean));
                }
                // Parts that are not followed may differ.
                let mut all = if self.is_followed(tx) { Model::TRUE } else { Model::Any };
                for ((x, _), (y, _)) in xs.iter().zip(&ys) {
                    let (x, y) = (self.read(x), self.read(y));
                    let one = self.join(BinaryOp::Equal, x, y);
                    all = self.join(BinaryOp::And, all, one);
                }
                let value = if op == B::Equal { all } else { all.not() };
                Val::Scalar(value, Some(self.std.boolean))
            }
            (a, b) => {
                for (value, operand) in [(a, left), (b, right)] {
                    if let Val::Scalar(value, ty) = &value {
                        self.intermediate(value, *ty, operand);
                    }
                    self.note_value(value);
                }
                match (input, comparison) {
                    (true, _) => Val::Unknown { input },
                    (false, true) => Val::Scalar(Model::Any, Some(self.std.boolean)),
                    (false, false) => Val::Unknown { input },
                }
            }
        }
    }

    /// Whether the base type of a type has 64 bits: then sums cannot be checked after they are made.
    fn is_long(&self, ty: Option<TypeId>) -> bool {
        let range = ty.and_then(|t| self.range_of(self.root(t)));
        range.is_some_and(|(lo, hi)| lo < i64::from(i32::MIN) || i64::from(i32::MAX) < hi)
    }

    /// The type of an expression, if names tell it without evaluation.
    fn static_type(&mut self, e: &'a syntax::Expr) -> Option<TypeId> {
        match &e.kind {
            ExprKind::Qualified(mark, _) => Some(self.type_named(mark)),
            ExprKind::Unary(_, a) => self.static_type(a),
            ExprKind::Binary(op, a, b) => match op {
                Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual => Some(self.std.boolean),
                Binary::Greater | Binary::GreaterEqual => Some(self.std.boolean),
                Binary::Power => self.static_type(a),
                _ => self.static_type(a).or_else(|| self.static_type(b)),
            },
            ExprKind::Attribute(..) => self.discrete_type(e),
            ExprKind::Name(_) | ExprKind::Select(..) | ExprKind::Call(..) => {
                if let Some(types) = self.result_types(e) {
                    let mut roots: Vec<TypeId> = types.iter().map(|t| self.root(*t)).collect();
                    roots.dedup();
                    return if roots.len() == 1 { types.first().copied() } else { None };
                }
                if let ExprKind::Call(prefix, _) = &e.kind {
                    return match self.quiet_meaning(prefix)? {
                        Meaning::Type(ty) => Some(ty),
                        Meaning::Object(_, ty, _) => {
                            let ty = match *self.kind(ty) {
                                TypeKind::Access { target, .. } => target,
                                _ => ty,
                            };
                            match *self.kind(ty) {
                                TypeKind::Array { element, .. } => Some(element),
                                _ => None,
                            }
                        }
                        _ => None,
                    };
                }
                match self.quiet_meaning(e)? {
                    Meaning::Object(_, ty, _) | Meaning::Value(_, Some(ty)) => Some(ty),
                    Meaning::Literals(literals) if literals.len() == 1 => Some(literals[0].0),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The program's own functions for an operator: visible ones, and those declared with the types of the operands.
    fn operators(&mut self, symbol: &str, types: &[TypeId]) -> Vec<Rc<Subprogram<'a>>> {
        let key = format!("\"{symbol}\"");
        let mut all = self.look_up(self.cx.scope, &key);
        for ty in types {
            let ancestors = std::iter::successors(Some(self.root(*ty)), |t| self.types[t.0].parent);
            for ancestor in ancestors {
                let scope = self.types[ancestor.0].scope;
                all.extend(self.scopes[scope.0].names.get(&key).into_iter().flatten().cloned());
            }
        }
        all.into_iter().filter_map(|b| if let Binding::Subprogram(s) = b { Some(s) } else { None }).collect()
    }

    /// Whether a parameter of a type takes operands of another one, perhaps by inheritance.
    fn takes(&self, param: TypeId, operand: TypeId) -> bool {
        let mut ancestors = std::iter::successors(Some(self.root(operand)), |t| self.types[t.0].parent);
        ancestors.any(|t| t == self.root(param))
    }

    /// Calls the program's own operator, if the types of the operands tell that it is meant.
    fn own_operator(&mut self, symbol: &str, operands: &[&'a syntax::Expr]) -> Option<Val> {
        let types: Vec<Option<TypeId>> = operands.iter().map(|e| self.static_type(e)).collect();
        let known: Vec<TypeId> = types.iter().flatten().copied().collect();
        if known.is_empty() {
            return None;
        }
        for sub in self.operators(symbol, &known) {
            if !self.is_written(&sub) || sub.spec.result.is_none() || sub.spec.params.len() != operands.len()
            {
                continue;
            }
            let params = self.types_of(&sub);
            let fits = types.iter().zip(&params).all(|(t, p)| t.is_none_or(|t| self.takes(*p, t)));
            if fits {
                let args: Vec<Arg> =
                    operands.iter().map(|e| Arg { name: None, value: Choice::Expr((*e).clone()) }).collect();
                let args: &'a [Arg] = self.arena.alloc(args);
                return Some(self.call(&sub, args, self.cx.span));
            }
        }
        None
    }

    /// Whether a subprogram, perhaps by another name, is one of the program's own.
    fn is_written(&mut self, sub: &Rc<Subprogram<'a>>) -> bool {
        match sub.kind {
            SubprogramKind::Plain | SubprogramKind::Body(_) => true,
            SubprogramKind::Renamed(target, scope) if self.depth < 100 => {
                let here = std::mem::replace(&mut self.cx.scope, scope);
                self.depth += 10;
                let meaning = self.quiet_meaning(target);
                let own = match meaning {
                    Some(Meaning::Subprograms(subs)) => {
                        let mut others = subs.iter().filter(|s| !Rc::ptr_eq(s, sub));
                        others.any(|s| self.is_written(s))
                    }
                    _ => false,
                };
                self.depth -= 10;
                self.cx.scope = here;
                own
            }
            _ => false,
        }
    }

    /// The types of the parameters of a subprogram.
    fn types_of(&mut self, sub: &Subprogram<'a>) -> Vec<TypeId> {
        let here = std::mem::replace(&mut self.cx.scope, sub.scope);
        let types = sub.spec.params.iter().map(|p| self.type_ref(&p.ty)).collect();
        self.cx.scope = here;
        types
    }

    /// Whether the program may define this operator for operands whose types are known only now, or not at all. It is
    /// not followed then: its result is any value, which is noted.
    fn user_operator(&mut self, symbol: &str, operands: &[&Val]) -> bool {
        let mut known = Vec::new();
        for val in operands {
            if let Val::Scalar(_, Some(ty)) | Val::Composite(_, ty) = val {
                known.push(*ty);
            }
        }
        for sub in self.operators(symbol, &known) {
            let params = self.types_of(&sub);
            if params.len() != operands.len() {
                continue;
            }
            let fits = params.iter().zip(operands).all(|(param, val)| match val {
                Val::Scalar(_, Some(ty)) | Val::Composite(_, ty) => self.takes(*param, *ty),
                Val::Scalar(_, None) => self.domain(*param).is_some(),
                Val::Unknown { .. } => self.domain(*param).is_none(),
            });
            if fits {
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

    /// Whether the equality of objects of a type calls a function of the program for a part, or for the whole.
    fn own_equality(&mut self, ty: TypeId, whole: bool) -> bool {
        let parts: Vec<TypeId> = match self.kind(ty).clone() {
            TypeKind::Record { .. } => self.fields(ty).iter().map(|f| f.1).collect(),
            TypeKind::Array { element, .. } => vec![element],
            _ => return false,
        };
        if whole && matches!(self.kind(ty), TypeKind::Record { .. }) {
            for sub in self.operators("=", &[ty]) {
                let params = self.types_of(&sub);
                if params.len() == 2 && params.iter().all(|p| self.takes(*p, ty)) {
                    return true;
                }
            }
        }
        parts.into_iter().any(|part| self.own_equality(part, true))
    }

    fn short_circuit(&mut self, op: Binary, left: &'a syntax::Expr, right: &'a syntax::Expr) -> Val {
        let boolean = self.std.boolean;
        let first = self.condition(left);
        let first = self.own_reads(first);
        let before = self.cx.cur;
        let probe = self.reserve();
        self.cx.cur = probe;
        let second = self.condition(right);
        let second = self.own_reads(second);
        let model_op = if op == Binary::AndThen { BinaryOp::And } else { BinaryOp::Or };
        if self.cx.cur == probe {
            // Nothing was written for the right operand: a plain expression will do.
            self.cx.cur = before;
            return match (first, second) {
                (Some(Model::Const(v)), _) if (v == 0) == (op == Binary::AndThen) => {
                    Val::Scalar(Model::Const(v), Some(boolean))
                }
                (Some(a), Some(b)) => Val::Scalar(self.join(model_op, a, b), Some(boolean)),
                (a, b) => {
                    a.into_iter().chain(b).for_each(|v| self.note(v));
                    Val::Unknown { input: true }
                }
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

    /// What an operand reads is read before the other operand is looked at: in a barrier, as part of it.
    fn own_reads(&mut self, operand: Option<Model>) -> Option<Model> {
        match operand {
            Some(operand) if self.in_barrier => Some(self.with_reads(operand)),
            operand => {
                self.read_now();
                operand
            }
        }
    }

    fn assign_condition(&mut self, to: rendez_model::VarId, condition: Option<Model>) {
        match condition {
            Some(value) => self.assign(Place::Var(to), value),
            None => self.emit(|next| Action::Havoc { to: Place::Var(to), next }),
        }
    }

    /// `T'(X)`: X must belong to T.
    fn qualified(&mut self, mark: &'a syntax::Expr, value: &'a syntax::Expr) -> Val {
        let ty = self.type_named(mark);
        self.exact_bounds =
            matches!((&value.kind, self.kind(ty)), (ExprKind::Aggregate(_), TypeKind::Array { .. }));
        let value = self.value(value, Some(ty));
        self.exact_bounds = false;
        match self.enter_subtype(value, ty) {
            Val::Scalar(value, _) => Val::Scalar(self.within(value, ty), Some(ty)),
            Val::Composite(obj, of) => {
                // Of an array, the bounds must be the same, too.
                let given = match (&obj, self.kind(of)) {
                    (Obj::Array(array), _) => Some(array.bounds.clone()),
                    (_, TypeKind::Array { bounds, .. }) => bounds.clone(),
                    _ => None,
                };
                match (self.kind(ty), given) {
                    (TypeKind::Array { bounds: Some(bounds), .. }, Some(given)) if *bounds != given => {
                        self.raise(ExceptionId::CONSTRAINT_ERROR);
                    }
                    (TypeKind::Array { bounds: Some(_), .. }, None) => self.unknown_into(ty),
                    _ => {}
                }
                Val::Composite(obj, of)
            }
            Val::Unknown { input } => {
                self.unknown_into(ty);
                Val::Unknown { input }
            }
        }
    }

    fn conversion(&mut self, ty: TypeId, e: &'a syntax::Expr) -> Val {
        let value = self.converted(ty, e);
        self.enter_subtype(value, ty)
    }

    fn converted(&mut self, ty: TypeId, e: &'a syntax::Expr) -> Val {
        let value = self.intermediate_value(e, Some(ty));
        match (value, self.kind(ty).clone()) {
            (Val::Scalar(value, from), TypeKind::Integer { .. } | TypeKind::Enumeration { .. }) => {
                let (lo, hi) = self.range_of(ty).unwrap_or_default();
                let whole = (lo, hi) == (i64::from(i32::MIN), i64::from(i32::MAX));
                let value = match value.bounds(&self.program) {
                    _ if value.is_any() => {
                        if from.and_then(|f| self.range_of(f)).is_none_or(|(a, b)| a < lo || hi < b) {
                            self.unknown_into(ty);
                        }
                        value
                    }
                    Some((least, most)) if lo <= least && most <= hi => value,
                    // From a larger type.
                    _ if whole
                        && from.and_then(|f| self.range_of(f)).is_some_and(|(a, b)| a < lo || hi < b) =>
                    {
                        let value = self.kept(value);
                        self.check_range(&value, &value, (lo, hi));
                        value
                    }
                    _ => self.within(value, ty),
                };
                Val::Scalar(value, Some(ty))
            }
            (Val::Scalar(value, from), _) if self.domain(ty).is_some() => {
                self.converted_access(ty, from, &value);
                let value = match from.map(|f| self.kind(f)) {
                    Some(TypeKind::Access { target, .. }) => {
                        let target = *target;
                        self.as_interface(value, target, Some(ty))
                    }
                    _ => value,
                };
                Val::Scalar(value, Some(ty))
            }
            (Val::Scalar(value, _), _) => {
                self.note(value);
                Val::Unknown { input: false }
            }
            (Val::Composite(obj, from), TypeKind::Real | TypeKind::Opaque | TypeKind::Unfinished) => {
                self.note_object(&obj, from);
                Val::Unknown { input: false }
            }
            (Val::Composite(obj, from), kind) => {
                if matches!(kind, TypeKind::Record { .. }) && self.downward(ty, from) {
                    self.doubt();
                }
                self.check_converted_bounds(ty, from);
                Val::Composite(obj, ty)
            }
            (Val::Unknown { input }, TypeKind::Real) => {
                if self.narrow.contains(&ty) {
                    self.doubt();
                }
                Val::Unknown { input }
            }
            (Val::Unknown { input }, TypeKind::Integer { modulus: None, .. }) => {
                self.doubt();
                match input {
                    true => Val::Unknown { input },
                    false => Val::Scalar(Model::Any, Some(ty)),
                }
            }
            (Val::Unknown { input }, _) => Val::Unknown { input },
        }
    }

    /// The bounds of an array lie in the index subtypes of the unconstrained type that it is converted to (RM 4.6).
    fn check_converted_bounds(&mut self, ty: TypeId, from: TypeId) {
        let TypeKind::Array { bounds: None, .. } = self.kind(ty) else { return };
        let Some(indices) = self.index_ranges.get(&self.root(ty)).cloned() else { return };
        let given = match self.kind(from) {
            TypeKind::Array { bounds: Some(bounds), .. } => Some(bounds.clone()),
            _ => None,
        };
        let within = |k: usize, range: (i64, i64)| {
            let (lo, hi) = *given.as_ref()?.get(k)?;
            Some(lo > hi || range.0 <= lo && hi <= range.1)
        };
        for (k, range) in indices.into_iter().enumerate() {
            let Some(range) = range else { continue };
            match within(k, range) {
                Some(true) => {}
                Some(false) => return self.raise(ExceptionId::CONSTRAINT_ERROR),
                None if from != ty && range != (i64::from(i32::MIN), i64::from(i32::MAX)) => {
                    return self.doubt();
                }
                None => {}
            }
        }
    }

    /// What an access value designates must be of the type, and live long enough.
    fn converted_access(&mut self, ty: TypeId, from: Option<TypeId>, value: &Model) {
        self.accessibility(ty, from, value);
        if let (TypeKind::Access { target, .. }, Some(TypeKind::Access { target: given, .. })) =
            (self.kind(ty), from.map(|f| self.kind(f)))
            && self.downward(*target, *given)
            && *value != Model::Const(-1)
        {
            self.doubt();
        }
    }

    /// Whether an object of a class need not be of the type that it is converted to.
    fn downward(&self, ty: TypeId, from: TypeId) -> bool {
        let mut ancestors = std::iter::successors(Some(self.root(from)), |t| self.types[t.0].parent);
        self.types[from.0].class_wide && !ancestors.any(|t| t == self.root(ty))
    }

    // ---- attributes --------------------------------------------------------------------------

    /// Evaluates the prefix of an attribute that is about the object, not its value: calls are made, indices and
    /// access values on the way to it are read and checked, the object itself is not read.
    pub(crate) fn attribute_prefix(
        &mut self,
        prefix: &'a syntax::Expr,
        dereferences: bool,
    ) -> Option<Prefix> {
        let (obj, ty) = match self.meaning(prefix) {
            Meaning::Type(ty) => return Some(Prefix::Type(ty)),
            Meaning::Object(obj, ty, _) => (obj, ty),
            Meaning::Undeclared(text) => {
                self.reject(prefix.span, text);
                return None;
            }
            // Of the library, whatever they are.
            Meaning::Library(_) | Meaning::Unknown { .. } | Meaning::Occurrence(_) => return None,
            Meaning::Package(_) | Meaning::Generic { .. } | Meaning::Exception(_) | Meaning::Entry(_) => {
                return None;
            }
            meaning => match self.meaning_value(meaning, None, prefix) {
                Val::Composite(obj, ty) => (obj, ty),
                Val::Scalar(value, Some(ty)) => (Obj::Value(value), ty),
                other => {
                    self.note_value(other);
                    return None;
                }
            },
        };
        let (obj, ty) = if dereferences { self.dereferenced(obj, ty) } else { (obj, ty) };
        self.note_way(&obj);
        Some(Prefix::Object(obj, ty))
    }

    /// Reads what chooses an object, and checks that an access value designates one.
    pub(crate) fn note_way(&mut self, obj: &Obj) {
        match obj {
            Obj::Chosen { index, .. } => self.note(index.clone()),
            Obj::Designated { index, .. } => {
                let index = self.not_null(index.clone());
                self.note(index);
            }
            Obj::Value(value) => self.note(value.clone()),
            _ => {}
        }
    }

    /// An access value, with the check that it is not null.
    pub(crate) fn not_null(&mut self, value: Model) -> Model {
        match value {
            Model::Const(n) if n < 0 => {
                self.raise(ExceptionId::CONSTRAINT_ERROR);
                Model::Any
            }
            Model::Const(_) => value,
            Model::Any => {
                self.doubt();
                Model::Any
            }
            value => match value.bounds(&self.program) {
                Some((0.., _)) => value,
                _ => Model::Check(Box::new(value), 0, i64::MAX),
            },
        }
    }

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
                            _ => length((lo, hi)),
                        };
                        // A length is of type universal_integer.
                        let fits = i32::try_from(value).is_ok();
                        let is_length = attribute.key == "length";
                        let result_type =
                            result_type.filter(|ty| !is_length && (fits || *ty != self.std.integer));
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
                let task = match self.attribute_prefix(prefix, true) {
                    Some(Prefix::Object(obj, ty)) => self.reference_to(&obj, ty),
                    Some(Prefix::Type(_)) => Model::Const(i64::from(self.cx.task.0)),
                    None => Model::Any,
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
                    self.note_way(&obj);
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
            "identity" => match self.attribute_prefix(prefix, true) {
                Some(Prefix::Object(obj, ty)) => Val::Scalar(self.reference_to(&obj, ty), want),
                Some(Prefix::Type(_)) => Val::Scalar(Model::Const(i64::from(self.cx.task.0)), want),
                None => Val::Unknown { input: false },
            },
            // Read where the subprogram started.
            "old" => Val::Unknown { input: false },
            "result" if matches!(self.quiet_meaning(prefix), Some(Meaning::Subprograms(_))) => {
                match self.result.clone() {
                    Some((obj, ty)) => self.object_value(obj, ty),
                    None => Val::Unknown { input: false },
                }
            }
            "valid" => {
                self.effects(prefix);
                Val::Scalar(Model::TRUE, Some(self.std.boolean))
            }
            "modulus" => match self.meaning(prefix) {
                Meaning::Type(ty) => match self.modulus(ty) {
                    Some(m) => Val::Scalar(Model::Const(m), None),
                    None => Val::Unknown { input: false },
                },
                _ => Val::Unknown { input: false },
            },
            "address" if matches!(self.quiet_meaning(prefix), Some(Meaning::Subprograms(_))) => {
                Val::Unknown { input: false }
            }
            // Facts about an object, not its value.
            "address" | "size" | "alignment" | "component_size" | "object_size" | "value_size" | "bit"
            | "position" | "first_bit" | "last_bit" | "bit_position" | "constrained" | "tag"
            | "storage_size" | "storage_pool" | "range" => {
                let of = self.attribute_prefix(prefix, attribute.key == "range");
                if let (Some(Prefix::Object(obj, ty)), "address") = (of, attribute.key.as_str()) {
                    self.expose(&obj, ty);
                }
                Val::Unknown { input: false }
            }
            "code_address" | "class" | "base" => Val::Unknown { input: false },
            _ => {
                match self.meaning(prefix) {
                    Meaning::Object(_, ty, _) if self.operational_part(ty, "put_image") => {
                        self.reject(prefix.span, "an image that the program makes itself");
                    }
                    Meaning::Object(obj, ty, _) => self.note_object(&obj, ty),
                    Meaning::Type(_) | Meaning::Library(_) | Meaning::Package(_) | Meaning::Entry(_) => {}
                    meaning => {
                        let value = self.meaning_value(meaning, None, prefix);
                        self.note_value(value);
                    }
                }
                Val::Unknown { input: false }
            }
        }
    }

    fn attribute_call(&mut self, prefix: &'a syntax::Expr, args: &'a [Arg]) -> Val {
        let ExprKind::Attribute(of, attribute) = &prefix.kind else {
            return Val::Unknown { input: false };
        };
        let first = match args.first().map(|a| &a.value) {
            Some(Choice::Expr(e)) => e,
            _ => {
                self.arguments(args);
                return Val::Unknown { input: false };
            }
        };
        let key = attribute.key.as_str();
        if let Some(value) = self.stream_attribute(of, key, args, prefix.span) {
            return value;
        }
        if matches!(key, "first" | "last" | "length") {
            let dimension = self.scalar(first, None).and_then(|e| e.constant()).unwrap_or(1);
            let bounds = usize::try_from(dimension - 1).ok().and_then(|d| self.bounds_of(of, d));
            return match bounds {
                Some((lo, hi)) => {
                    let value = match key {
                        "first" => lo,
                        "last" => hi,
                        _ => length((lo, hi)),
                    };
                    let ty = Some(self.std.integer).filter(|_| key != "length");
                    Val::Scalar(Model::Const(value), ty)
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
            self.arguments(args);
            if key == "value" {
                self.doubt();
            }
            return Val::Unknown { input: false };
        };
        if key == "value" {
            self.effects(first);
            return self.value_of_image(first, ty);
        }
        let (base_lo, base_hi) = self.range_of(self.root(ty)).unwrap_or((lo, hi));
        if !matches!(key, "pos" | "val" | "succ" | "pred" | "min" | "max") {
            self.arguments(args);
            return Val::Unknown { input: false };
        }
        let Some(value) = self.scalar_operand(first, Some(ty)) else {
            self.arguments(&args[1..]);
            return Val::Unknown { input: false };
        };
        let checked = |value: Model| match value {
            Model::Const(v) if base_lo <= v && v <= base_hi => Model::Const(v),
            Model::Any => Model::Any,
            value => Model::Check(Box::new(value), base_lo, base_hi),
        };
        match key {
            // Of type universal_integer.
            "pos" => Val::Scalar(value, None),
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
                let Some(other) = self.scalar_operand(second, Some(ty)) else {
                    self.note(value);
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

    /// `T'Write (Stream, Item)` and its like, where the program says what they do.
    pub(crate) fn stream_attribute(
        &mut self,
        of: &'a syntax::Expr,
        key: &str,
        args: &'a [Arg],
        span: Span,
    ) -> Option<Val> {
        let aspect = match key {
            "read" | "write" | "input" | "output" | "put_image" => key,
            "image" | "wide_image" | "wide_wide_image" => "put_image",
            _ => return None,
        };
        if self.operational.is_empty() {
            return None;
        }
        let Meaning::Type(ty) = self.meaning(of) else { return None };
        let own = self.operational(ty, aspect).filter(|_| aspect == key && !self.types[ty.0].class_wide);
        // By default, Output and Input write and read.
        let other = match aspect {
            "input" => "read",
            "output" => "write",
            aspect => aspect,
        };
        let Some((name, scope)) = own else {
            let class = self.types[ty.0].class_wide;
            if class || self.operational_part(ty, aspect) || self.operational_part(ty, other) {
                self.arguments(args);
                self.reject(span, "an operation on streams that calls one of the program's own");
                return Some(Val::Unknown { input: false });
            }
            return None;
        };
        let here = std::mem::replace(&mut self.cx.scope, scope);
        let meaning = self.meaning(name);
        self.cx.scope = here;
        match meaning {
            Meaning::Subprograms(subs) if key == "input" => Some(self.call_function(&subs, args, None, span)),
            Meaning::Subprograms(subs) => {
                self.call_procedure(&subs, args, span);
                Some(Val::Unknown { input: false })
            }
            _ => {
                self.reject(span, "an operation on streams that is not visible here");
                Some(Val::Unknown { input: false })
            }
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
    pub(crate) fn library_call(
        &mut self,
        name: &str,
        args: &'a [Arg],
        function: bool,
        span: rendez_source::Span,
    ) -> Val {
        if let Some(operation) = name.strip_prefix("rendez_model.") {
            return self.intrinsic(operation, args, span);
        }
        let withed = || self.units.opaque.iter().any(|u| u.0 == "ada.assertions");
        if name == "ada.assertions.assert" || (name.ends_with(".assert") && withed()) {
            return self.assert_call(args);
        }
        if self.raised_by_library(name, args) {
            return Val::Unknown { input: false };
        }
        if let ("exception_identity", [Arg { value: Choice::Expr(of), .. }]) =
            (name.rsplit('.').next().unwrap_or(name), args)
            && let Some(Meaning::Occurrence(cell)) = self.quiet_meaning(of)
            && self.program.vars[cell.index()].storage == self.local_storage()
        {
            return Val::Scalar(Model::Var(cell), None);
        }
        if library::ends_program(name) {
            self.arguments(args);
            let reason = format!("{name} ends the program");
            self.end_path(Action::Stop { why: rendez_model::Cut::User, reason });
            return Val::Unknown { input: false };
        }
        if name.contains("address_to_access_conversions") {
            self.arguments(args);
            self.reject(span, "an access value that is made of an address");
            return Val::Unknown { input: false };
        }
        if library::synchronises(name) {
            self.reject(span, format!("{name}: the library's own synchronisation is not modelled"));
            return Val::Unknown { input: false };
        }
        if let Some(ty) = name.strip_prefix("random:").and_then(|t| t.parse().ok()).map(TypeId) {
            self.unknown_call(None, args, false);
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
        if !function && name.ends_with(".put") && self.puts_into(args) {
            return Val::Unknown { input: false };
        }
        // Output to a file that the program names.
        let file = match args.first().map(|a| &a.value) {
            Some(Choice::Expr(e)) if name.contains("_io.") && library::is_output(name) => {
                self.static_type(e).is_some_and(|t| matches!(self.kind(t), TypeKind::Opaque))
            }
            _ => false,
        };
        if file || (library::may_fail(name) && (function || !args.is_empty())) {
            let what = "files, arguments of the command line and dates are as they should be: the library raises no exception that nobody names";
            self.program.assume(what, span);
        }
        let input = library::is_input(name);
        let reads = library::is_output(name) || (function && !name.contains("random"));
        let given = match reads {
            true => self.read_arguments(args),
            false if input => self.input_arguments(args),
            false => self.unknown_call(None, args, library::is_silent(name)),
        };
        Val::Unknown { input: input || given }
    }

    /// `Ada.Assertions.Assert (Check, Message)` raises Assertion_Error whatever the policy.
    fn assert_call(&mut self, args: &'a [Arg]) -> Val {
        let named = |key: &str| args.iter().position(|a| a.name.as_ref().is_some_and(|n| n.key == key));
        let at = named("check").unwrap_or(0);
        let check = match args.get(at).map(|a| &a.value) {
            Some(Choice::Expr(e)) => self.condition(e).unwrap_or(Model::Any),
            _ => Model::Any,
        };
        let check = self.kept(check);
        for (i, arg) in args.iter().enumerate() {
            if i != at {
                self.choice(&arg.value);
            }
        }
        self.require(check, ExceptionId::ASSERTION_ERROR);
        Val::Unknown { input: false }
    }

    /// `Put (To, Item, ...)` writes an image into a string instead of a file; whether that is what is called.
    fn puts_into(&mut self, args: &'a [Arg]) -> bool {
        let named = args.iter().position(|a| a.name.as_ref().is_some_and(|n| n.key == "to"));
        let first = (args.len() > 1 && args[0].name.is_none()).then_some(0);
        let Some(at) = named.or(first) else { return false };
        let Choice::Expr(e) = &args[at].value else { return false };
        let ty = match &e.kind {
            ExprKind::Slice(prefix, _) => self.quiet_meaning(prefix),
            _ => self.quiet_meaning(e),
        };
        let string = match ty {
            Some(Meaning::Object(_, ty, _)) => match self.kind(ty) {
                TypeKind::Array { element, .. } => *element == self.std.letter,
                TypeKind::Access { target, .. } => matches!(self.kind(*target), TypeKind::Array { .. }),
                _ => false,
            },
            _ => false,
        };
        if named.is_none() && !string {
            return false;
        }
        match self.argument(&args[at].value) {
            Ok((obj, ty)) => {
                self.read_arguments(&args[..at]);
                self.read_arguments(&args[at + 1..]);
                self.forget(&obj, ty);
            }
            Err(_) => self.reject(e.span, "output into something that is not followed"),
        }
        true
    }

    /// Arguments that are only read. Whether the environment chooses one of them.
    fn read_arguments(&mut self, args: &'a [Arg]) -> bool {
        let mut input = false;
        for arg in args {
            match &arg.value {
                Choice::Expr(e) => {
                    self.call_back(&arg.value);
                    let value = self.value(e, None);
                    if let Val::Scalar(value, Some(ty)) = &value {
                        self.called_back(value.clone(), *ty, e.span);
                    }
                    input |= matches!(value, Val::Unknown { input: true });
                    self.note_value(value);
                }
                choice => self.choice(choice),
            }
        }
        input
    }

    fn is_routine(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::AccessSubprogram { .. })
    }

    /// The subprogram that an access value designates may be called any number of times.
    fn called_back(&mut self, value: Model, ty: TypeId, span: Span) {
        if self.is_routine(ty) {
            self.repeated(|e| {
                let none = e.call_routine(value, ty, &[], span);
                e.note_value(none);
            });
        }
    }

    /// Arguments that get a value from outside of the program.
    fn input_arguments(&mut self, args: &'a [Arg]) -> bool {
        let mut input = false;
        for arg in args {
            match self.argument(&arg.value) {
                // Of a type of the library's own nobody knows.
                Ok((obj, ty)) if matches!(self.kind(ty), TypeKind::Opaque) => {
                    self.note_object(&obj, ty);
                    self.perhaps_forget(&obj, ty);
                }
                Ok((obj, ty)) => self.input(&obj, ty),
                Err(chosen) => input |= chosen,
            }
        }
        input
    }

    /// A variable that is an argument of something unknown. Anything else is evaluated: then, whether the
    /// environment chooses it.
    fn argument(&mut self, arg: &'a Choice) -> Result<(Obj, TypeId), bool> {
        let Choice::Expr(e) = arg else {
            self.choice(arg);
            return Err(false);
        };
        let named = matches!(
            e.kind,
            ExprKind::Name(_) | ExprKind::Select(..) | ExprKind::Call(..) | ExprKind::Slice(..)
        );
        let meaning = match named {
            true => self.target(e),
            false => {
                let value = self.value(e, None);
                self.as_meaning(value)
            }
        };
        match &meaning {
            Meaning::Object(obj, ty, _) if self.is_routine(*ty) => {
                let value = self.read(obj);
                self.called_back(value, *ty, e.span);
            }
            Meaning::Value(value, Some(ty)) => self.called_back(value.clone(), *ty, e.span),
            _ => {}
        }
        match meaning {
            Meaning::Object(obj, ty, false) => return Ok((obj, ty)),
            Meaning::Object(obj, ty, true) => self.note_object(&obj, ty),
            Meaning::Value(value, _) => self.note(value),
            Meaning::Unknown { input } => return Err(input),
            Meaning::Undeclared(text) => self.reject(e.span, text),
            Meaning::Type(_) | Meaning::Package(_) | Meaning::Generic { .. } | Meaning::Entry(_) => {}
            meaning => {
                let value = self.meaning_value(meaning, None, e);
                let input = matches!(value, Val::Unknown { input: true });
                self.note_value(value);
                return Err(input);
            }
        }
        Err(false)
    }

    /// A call of something without a body here: it changes its prefix, and of its other arguments nobody knows
    /// which, but for numbers if it is `silent`. Subprograms that are handed to it may be called. Whether the environment chooses an argument.
    pub(crate) fn unknown_call(
        &mut self,
        prefix: Option<(Obj, TypeId)>,
        args: &'a [Arg],
        silent: bool,
    ) -> bool {
        let mut changed = Vec::new();
        let mut input = false;
        for arg in args {
            self.call_back(&arg.value);
            match self.argument(&arg.value) {
                Ok((obj, ty)) => changed.push((obj, ty)),
                Err(chosen) => input |= chosen,
            }
        }
        for (obj, ty) in changed {
            self.note_object(&obj, ty);
            if !silent || self.domain(ty).is_none() {
                self.perhaps_forget(&obj, ty);
            }
        }
        if let Some((obj, ty)) = prefix {
            self.forget(&obj, ty);
        }
        input
    }

    /// The object may have any value now, or the one that it had.
    fn perhaps_forget(&mut self, obj: &Obj, ty: TypeId) {
        if let part @ Obj::Among(_) = self.part_of(obj) {
            self.forget(&part, ty);
        }
    }

    /// A subprogram that an unknown one gets access to may be called any number of times.
    fn call_back(&mut self, arg: &'a Choice) {
        let Choice::Expr(e) = arg else { return };
        let ExprKind::Attribute(of, attribute) = &e.kind else { return };
        if !attribute.key.ends_with("access") {
            return;
        }
        if let Some(Meaning::Subprograms(subs)) = self.quiet_meaning(of)
            && let Some(sub) = subs.first().cloned()
        {
            self.repeated(|e| e.call_with_cells(&sub, None, &[], None));
        }
    }
}

/// Whether evaluating an expression may run code of the program.
pub(crate) fn may_call(e: &syntax::Expr) -> bool {
    match &e.kind {
        ExprKind::Call(..) | ExprKind::New(..) => true,
        ExprKind::Unary(_, a) | ExprKind::Qualified(_, a) => may_call(a),
        ExprKind::Binary(_, a, b) => may_call(a) || may_call(b),
        _ => false,
    }
}
