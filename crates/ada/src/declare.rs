//! Declarations.

use std::rc::Rc;

use rendez_model::{Action, Expr as Model, Sharing, Storage};
use rendez_source::{Diagnostic, Span};

use crate::elaborate::{Cleanup, Elaborator, full_name};
use crate::env::*;
use crate::library;
use crate::parse::{dotted, last_ident};
use crate::syntax::{self, *};

impl<'a> Elaborator<'a> {
    pub(crate) fn declare_all(&mut self, decls: &'a [Decl]) {
        self.register_bodies(self.cx.scope, decls);
        for decl in decls {
            self.declare(decl);
        }
    }

    pub(crate) fn declare(&mut self, decl: &'a Decl) {
        let outer = std::mem::replace(&mut self.cx.span, decl.span);
        self.declare_kind(decl);
        self.cx.span = outer;
    }

    fn declare_kind(&mut self, decl: &'a Decl) {
        match &decl.kind {
            DeclKind::Object { names, constant, ty, init, aspects } => {
                for name in names {
                    self.object(name, *constant, ty, init.as_ref(), aspects);
                }
            }
            DeclKind::Number { names, value } => {
                let value = self.scalar(value, None).and_then(|e| e.constant());
                for name in names {
                    let binding = value.map_or(Binding::Opaque, Binding::Number);
                    self.bind(self.cx.scope, &name.key, binding);
                }
            }
            DeclKind::Type { name, discriminants, def } => self.type_declaration(name, discriminants, def),
            DeclKind::Subtype { name, subtype } => {
                self.check_constraint(subtype);
                let ty = self.subtype(subtype);
                self.bind(self.cx.scope, &name.key, Binding::Type(ty));
            }
            DeclKind::Exception { names } => {
                for name in names {
                    let id = self.program.add_exception(name.text.clone());
                    self.bind(self.cx.scope, &name.key, Binding::Exception(id));
                }
            }
            DeclKind::Renaming { name, what, target } => self.renaming(name, what, target, decl.span),
            DeclKind::Subprogram { spec, body } => {
                let body = match body {
                    SubprogramBody::Separate => match self.subunit(&spec.ident.key) {
                        Some(Decl { kind: DeclKind::Subprogram { body, .. }, .. }) => {
                            SubprogramKind::Body(body)
                        }
                        _ => SubprogramKind::Plain,
                    },
                    SubprogramBody::None => SubprogramKind::Plain,
                    SubprogramBody::Abstract => SubprogramKind::Abstract,
                    body => SubprogramKind::Body(body),
                };
                // The body of a generic subprogram is used by its instances.
                let generic = self.scopes[self.cx.scope.0]
                    .names
                    .get(&spec.ident.key)
                    .is_some_and(|l| l.iter().any(|b| matches!(b, Binding::Generic { .. })));
                if generic {
                    self.generic_bodies.insert((self.cx.scope, spec.ident.key.clone()), decl);
                } else {
                    self.bind_subprogram(spec, &body, self.cx.scope, decl.span);
                }
            }
            DeclKind::Package { name, decls, private } => {
                let scope = self.new_scope(self.cx.scope, full_name(name));
                self.bind(self.cx.scope, &last_ident(name).key, Binding::Package(scope));
                // Bodies of generics declared inside may stand in the package body, further on.
                self.register_bodies(scope, decls);
                let body = self.generic_bodies.get(&(self.cx.scope, dotted(name))).copied();
                if let Some(Decl { kind: DeclKind::PackageBody { decls, .. }, .. }) = body {
                    self.register_bodies(scope, decls);
                }
                self.in_package(scope, name, |e| {
                    e.declare_all(decls);
                    e.declare_all(private);
                });
            }
            DeclKind::PackageBody { name, decls, handled } => {
                match self.look_up(self.cx.scope, &last_ident(name).key).into_iter().next() {
                    Some(Binding::Package(scope)) => self.package_body(scope, name, decls, handled.as_ref()),
                    Some(Binding::Generic { .. }) => {
                        self.generic_bodies.insert((self.cx.scope, dotted(name)), decl);
                    }
                    _ => self
                        .reject(decl.span, format!("package body `{}` has no specification", dotted(name))),
                }
            }
            DeclKind::Task { name, single, discriminants, entries, interfaces } => {
                let of = self.unit_type(name, discriminants, decl.span);
                self.unit_types[of.0].implements = !interfaces.is_empty();
                self.unit_types[of.0].entries = entries.iter().collect();
                let kind = TypeKind::Task { of, constraint: None };
                self.bind_unit_type(name, *single, kind);
            }
            DeclKind::TaskBody { name, body } => match self.find_unit_type(&name.key) {
                Some(of) => self.unit_types[of.0].body = UnitBody::Task(body),
                None => self.reject(name.span, format!("task body `{}` has no specification", name.text)),
            },
            DeclKind::Protected { name, single, discriminants, items, private, interfaces } => {
                let of = self.unit_type(name, discriminants, decl.span);
                self.unit_types[of.0].implements = !interfaces.is_empty();
                let all: Vec<&'a Decl> = items.iter().chain(private).collect();
                self.unit_types[of.0].entries = all
                    .iter()
                    .filter_map(|d| match &d.kind {
                        DeclKind::Entry(entry) => Some(entry),
                        _ => None,
                    })
                    .collect();
                self.unit_types[of.0].items = all;
                let kind = TypeKind::Protected { of, constraint: None };
                self.bind_unit_type(name, *single, kind);
            }
            DeclKind::ProtectedBody { name, items } => match self.find_unit_type(&name.key) {
                Some(of) => self.unit_types[of.0].body = UnitBody::Protected(items),
                None => {
                    self.reject(name.span, format!("protected body `{}` has no specification", name.text));
                }
            },
            DeclKind::Generic { formals, decl: inner } => {
                let (name, _) = crate::units::unit_name(inner);
                let simple = name.rsplit('.').next().unwrap_or(&name).to_owned();
                let scope = self.cx.scope;
                self.bind(scope, &simple, Binding::Generic { formals, decl: inner, scope });
            }
            DeclKind::Instance { ident, generic, args, name } => {
                self.instance(ident, name, generic, args, decl.span)
            }
            DeclKind::Use { names, is_type } => {
                if *is_type {
                    return;
                }
                for name in names {
                    match self.meaning(name) {
                        Meaning::Package(scope) => self.scopes[self.cx.scope.0].uses.push(scope),
                        Meaning::Library(unit) => self.scopes[self.cx.scope.0].library_uses.push(unit),
                        _ => {
                            // The name of a unit without source, or of one that is not visible.
                            let unit = dotted(name);
                            if library::is_predefined(&unit) {
                                self.scopes[self.cx.scope.0].library_uses.push(unit.into());
                            }
                        }
                    }
                }
            }
            DeclKind::Pragma { name, args } => self.declaration_pragma(name, args),
            DeclKind::Stub { name } => {
                if let Some(body) = self.subunit(&name.key) {
                    self.declare(body);
                } else {
                    self.reject(name.span, format!("the separate body of `{}` was not found", name.text));
                }
            }
            DeclKind::Unsupported(what) => self.reject(decl.span, format!("{what} is not modelled")),
            DeclKind::Entry(_)
            | DeclKind::EntryBody { .. }
            | DeclKind::FormalSubprogram { .. }
            | DeclKind::FormalPackage { .. }
            | DeclKind::Ignored => {}
        }
    }

    fn subunit(&mut self, name: &str) -> Option<&'a Decl> {
        let suffix = format!(".{name}");
        let units = self.units;
        let index = units.subunits.iter().find(|(full, _)| full.ends_with(&suffix)).map(|(_, i)| *i)?;
        Some(&units.all[index].decl)
    }

    fn in_package(&mut self, scope: ScopeId, name: &syntax::Expr, code: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.cx.scope, scope);
        let prefix = format!("{}{}.", self.cx.prefix, full_name(name));
        let outer_prefix = std::mem::replace(&mut self.cx.prefix, prefix);
        let outer_region = std::mem::replace(&mut self.cx.region, scope);
        code(self);
        self.cx.region = outer_region;
        self.cx.prefix = outer_prefix;
        self.cx.scope = outer;
    }

    fn package_body(
        &mut self,
        scope: ScopeId,
        name: &'a syntax::Expr,
        decls: &'a [Decl],
        handled: Option<&'a Handled>,
    ) {
        self.in_package(scope, name, |e| {
            e.declare_all(decls);
            // Tasks of the package start with its body, those around it later.
            let outer = e.cx.package.replace(scope);
            match handled {
                Some(handled) => e.handled(handled),
                None => e.activate_pending(),
            }
            e.cx.package = outer;
        });
    }

    fn object(
        &mut self,
        name: &'a Ident,
        constant: bool,
        ty: &'a TypeRef,
        init: Option<&'a syntax::Expr>,
        aspects: &[Aspect],
    ) {
        if let TypeRef::Subtype(subtype) = ty {
            self.check_constraint(subtype);
        }
        let mut ty = self.type_ref(ty);
        // The bounds of an unconstrained array come from its initial value.
        if let (TypeKind::Array { bounds: None, dimensions: 1, element }, Some(init)) =
            (self.kind(ty).clone(), init)
            && let Some(bounds) = self.bounds_of_value(init)
        {
            let kind = TypeKind::Array { bounds: Some(vec![bounds]), dimensions: 1, element };
            ty = self.new_subtype("array", ty, kind);
        }
        let constant = constant || (init.is_some() && !self.units.assigned.contains(&name.key));
        if constant
            && self.domain(ty).is_some()
            && let Some(init) = init
        {
            let value = self.value(init, Some(ty));
            if let Val::Scalar(Model::Const(value), _) = value {
                if let Some(rendez_model::Domain::Range(lo, hi)) = self.domain(ty)
                    && !(lo..=hi).contains(&value)
                {
                    self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                }
                self.bind_object(name, Obj::Const(value), ty, true);
                return;
            }
            let obj = self.make(ty, &name.text, name.span);
            self.assign_value(&obj, ty, value);
            self.bind_object(name, obj, ty, true);
            return;
        }
        let obj = self.make(ty, &name.text, name.span);
        self.set_sharing(&obj, ty, aspects.iter().map(|a| a.name.key.as_str()));
        if let Some(init) = init {
            let value = match &obj {
                Obj::Cell(_) => self.value(init, Some(ty)),
                _ => Val::Unknown { input: false },
            };
            match (&obj, value) {
                // Declared once, before anybody can look: the value is there from the start.
                (Obj::Cell(cell), Val::Scalar(Model::Const(v), _))
                    if self.declared_once() && self.fits(*cell, v) =>
                {
                    self.program.vars[cell.index()].init = rendez_model::Value::Known(v);
                }
                (Obj::Cell(_), value) => self.assign_value(&obj, ty, value),
                _ => self.assign_expr(&obj, ty, init),
            }
        }
        self.control_object(&obj, ty, init.is_some(), name.span);
        self.bind_object(name, obj, ty, constant);
    }

    /// In a declarative part that the environment task elaborates once.
    fn declared_once(&self) -> bool {
        self.cx.task == rendez_model::TaskId::ENVIRONMENT
            && !self.cx.repeated
            && self.cx.storage != self.local_storage()
    }

    fn fits(&self, cell: rendez_model::VarId, value: i64) -> bool {
        matches!(self.program.vars[cell.index()].domain, rendez_model::Domain::Range(lo, hi) if lo <= value && value <= hi)
    }

    /// The index range that an initial value gives to an array.
    fn bounds_of_value(&mut self, value: &'a syntax::Expr) -> Option<(i64, i64)> {
        match &value.kind {
            ExprKind::Aggregate(components) => {
                let mut range: Option<(i64, i64)> = None;
                let mut positional = 0;
                for component in components {
                    if component.choices.is_empty() {
                        positional += 1;
                    }
                    for choice in &component.choices {
                        let (lo, hi) = match self.static_range(choice, None) {
                            Some(range) => range,
                            None => {
                                let Choice::Expr(e) = choice else { return None };
                                let i = self.scalar(e, None)?.constant()?;
                                (i, i)
                            }
                        };
                        range = Some(range.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi))));
                    }
                }
                range.or(Some((1, positional)))
            }
            ExprKind::Str(text) => Some((1, text.chars().count() as i64)),
            _ => self.bounds_of(value, 0),
        }
    }

    /// Elaborating a range constraint that exceeds the range of its type raises an exception.
    pub(crate) fn check_constraint(&mut self, subtype: &'a Subtype) {
        let Some(Constraint::Range(range)) = &subtype.constraint else { return };
        let base = self.type_named(&subtype.mark);
        if let (Some((lo, hi)), Some((first, last))) =
            (self.range_of(base), self.static_range(range, Some(base)))
            && first <= last
            && (first < lo || hi < last)
        {
            self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
        }
    }

    fn set_sharing<'n>(&mut self, obj: &Obj, ty: TypeId, names: impl Iterator<Item = &'n str>) {
        for name in names {
            let sharing = match name {
                "atomic" | "atomic_components" => Sharing::Atomic,
                "volatile" | "volatile_components" => Sharing::Volatile,
                _ => continue,
            };
            for (leaf, _) in self.leaves(obj, ty) {
                if let Obj::Cell(var) = leaf {
                    self.program.vars[var.index()].sharing = sharing;
                }
            }
        }
    }

    fn declaration_pragma(&mut self, name: &Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        match name.key.as_str() {
            "atomic" | "volatile" | "atomic_components" | "volatile_components" => {
                for (_, arg) in args {
                    if let Meaning::Object(obj, ty, _) = self.meaning(arg) {
                        self.set_sharing(&obj, ty, [name.key.as_str()].into_iter());
                    }
                }
            }
            "annotate" => {
                let words: Vec<String> = args.iter().map(|a| dotted(&a.1)).collect();
                let what = match &words[..] {
                    [tool, ..] if tool != "rendez" => return,
                    [_, what, task] if what == "background" => self.find_task_type(task),
                    _ => None,
                };
                match what {
                    Some(of) => self.set_background(of),
                    None => self.diagnostics.push(
                        Diagnostic::warning(name.span, "unknown annotation for rendez")
                            .help("known among declarations is: Annotate (Rendez, Background, Task)"),
                    ),
                }
            }
            "profile" | "restrictions" => self.restrictions(args),
            "task_dispatching_policy" | "locking_policy" | "queuing_policy" | "priority" => {
                let policy = args.first().map(|a| dotted(&a.1)).unwrap_or_default();
                if name.key == "queuing_policy" && policy == "priority_queuing" {
                    self.reject(name.span, "priority queuing: entry queues are modelled first in, first out");
                }
            }
            _ => {}
        }
    }

    /// Restrictions are facts only where the program states them.
    fn restrictions(&mut self, args: &'a [(Option<Ident>, syntax::Expr)]) {
        for (name, value) in args {
            let (what, number) = match name {
                Some(name) => (name.key.clone(), self.scalar(value, None).and_then(|v| v.constant())),
                None => (dotted(value), None),
            };
            match what.as_str() {
                "ravenscar" | "jorvik" | "gnat_extended_ravenscar" | "gnat_ravenscar_edf" => {
                    self.program.queue_limit = (what != "jorvik").then_some(1).or(self.program.queue_limit);
                    self.program.assume(
                        format!("profile {what} holds: its restrictions on entry queues are checked at run time, the others by the compiler"),
                        self.cx.span,
                    );
                }
                "max_entry_queue_length" => {
                    self.program.queue_limit = number.and_then(|n| u8::try_from(n).ok());
                }
                _ => {}
            }
        }
    }

    fn renaming(&mut self, name: &'a Ident, what: &'a Renamed, target: &'a syntax::Expr, span: Span) {
        let scope = self.cx.scope;
        match what {
            Renamed::Object => match self.meaning(target) {
                Meaning::Object(obj, ty, constant) => {
                    self.bind(scope, &name.key, Binding::Object { obj, ty, constant });
                }
                _ => self.bind(scope, &name.key, Binding::Renamed(target, scope)),
            },
            Renamed::Subprogram(spec) => {
                self.bind_subprogram(spec, &SubprogramKind::Renamed(target, scope), scope, span);
            }
            Renamed::Package => {
                let binding = match self.meaning(target) {
                    Meaning::Package(inner) => Binding::Package(inner),
                    Meaning::Library(unit) => Binding::Library(unit),
                    _ => Binding::Library(dotted(target).into()),
                };
                self.bind(scope, &name.key, binding);
            }
            Renamed::Exception | Renamed::Generic => {
                let binding = match self.meaning(target) {
                    Meaning::Exception(id) => Binding::Exception(id),
                    Meaning::Generic { formals, decl, scope } => Binding::Generic { formals, decl, scope },
                    Meaning::Library(unit) => Binding::Library(unit),
                    _ => Binding::Opaque,
                };
                self.bind(scope, &name.key, binding);
            }
        }
    }

    fn unit_type(&mut self, name: &Ident, discriminants: &'a [Param], span: Span) -> UnitTypeId {
        self.unit_types.push(UnitType {
            name: name.text.clone(),
            span,
            scope: self.cx.scope,
            discriminants,
            entries: Vec::new(),
            items: Vec::new(),
            body: UnitBody::Missing,
            implements: false,
            background: false,
        });
        UnitTypeId(self.unit_types.len() - 1)
    }

    fn bind_unit_type(&mut self, name: &'a Ident, single: bool, kind: TypeKind<'a>) {
        let scope = self.cx.scope;
        if single {
            let ty = self.new_type(name.text.clone(), kind);
            // The body of a single task is found through its type.
            self.bind(scope, &format!("{} type", name.key), Binding::Type(ty));
            let obj = self.make(ty, &name.text, name.span);
            self.bind(scope, &name.key, Binding::Object { obj, ty, constant: true });
            return;
        }
        let unfinished = match self.scopes[scope.0].names.get(&name.key).and_then(|l| l.first()) {
            Some(Binding::Type(ty)) if matches!(self.types[ty.0].kind, TypeKind::Unfinished) => Some(*ty),
            _ => None,
        };
        match unfinished {
            Some(ty) => self.types[ty.0].kind = kind,
            None => {
                let ty = self.new_type(name.text.clone(), kind);
                self.bind(scope, &name.key, Binding::Type(ty));
            }
        }
    }

    /// Tasks of a type belong to the environment, also one that is there already.
    fn set_background(&mut self, of: UnitTypeId) {
        self.unit_types[of.0].background = true;
        for (task, _) in self.task_instances.iter().filter(|(_, instance)| instance.of == of) {
            self.program.tasks[task.index()].background = true;
        }
    }

    /// The kind of a task or protected object, or of such a type.
    fn find_unit_kind(&self, key: &str) -> Option<&TypeKind<'a>> {
        let named = |name: String| match self.look_up(self.cx.scope, &name).into_iter().next() {
            Some(Binding::Type(ty)) => Some(self.kind(ty)),
            _ => None,
        };
        let is_unit = |kind: &&TypeKind| matches!(kind, TypeKind::Task { .. } | TypeKind::Protected { .. });
        [format!("{key} type"), key.to_owned()].into_iter().filter_map(named).find(is_unit)
    }

    fn find_unit_type(&self, key: &str) -> Option<UnitTypeId> {
        match self.find_unit_kind(key)? {
            TypeKind::Task { of, .. } | TypeKind::Protected { of, .. } => Some(*of),
            _ => None,
        }
    }

    fn find_task_type(&self, key: &str) -> Option<UnitTypeId> {
        match self.find_unit_kind(key)? {
            TypeKind::Task { of, .. } => Some(*of),
            _ => None,
        }
    }

    pub(crate) fn bind_subprogram(
        &mut self,
        spec: &'a Spec,
        kind: &SubprogramKind<'a>,
        scope: ScopeId,
        span: Span,
    ) {
        let key = spec.ident.key.clone();
        let profile = profile(spec);
        let list = self.scopes[scope.0].names.entry(key.clone()).or_default();
        // A body completes its declaration; anything but overloads is hidden.
        list.retain(|b| match b {
            Binding::Subprogram(s) => {
                self::profile(s.spec) != profile || !matches!(s.kind, SubprogramKind::Plain)
            }
            Binding::Literal(..) => true,
            _ => false,
        });
        let name = format!("{}{}", self.cx.prefix, spec.ident.text);
        let sub = Subprogram { name, spec, scope, span, kind: kind.clone() };
        list.insert(0, Binding::Subprogram(Rc::new(sub)));
    }

    // ---- generics ----------------------------------------------------------------------------

    fn instance(
        &mut self,
        ident: &'a Ident,
        name: &'a syntax::Expr,
        generic: &'a syntax::Expr,
        args: &'a [Arg],
        span: Span,
    ) {
        let here = self.cx.scope;
        let (formals, decl, outer) = match self.meaning(generic) {
            Meaning::Generic { formals, decl, scope } => (formals, decl, scope),
            Meaning::Library(unit) => {
                self.library_instance(ident, &unit, args);
                return;
            }
            _ => {
                let unit = dotted(generic);
                if library::is_predefined(&unit) {
                    self.library_instance(ident, &unit.into(), args);
                } else {
                    self.reject(span, format!("generic unit `{unit}` is not visible here"));
                }
                return;
            }
        };
        let scope = self.new_scope(outer, ident.text.clone());
        let mut position = 0;
        for formal in formals {
            let names: Vec<&'a Ident> = match &formal.kind {
                DeclKind::Object { names, .. } => names.iter().collect(),
                DeclKind::Type { name, .. } | DeclKind::FormalPackage { name } => vec![name],
                DeclKind::FormalSubprogram { spec, .. } => vec![&spec.ident],
                DeclKind::Use { .. } => {
                    self.cx.scope = scope;
                    self.declare(formal);
                    self.cx.scope = here;
                    continue;
                }
                _ => continue,
            };
            for name in names {
                let actual = args
                    .iter()
                    .find(|a| a.name.as_ref().is_some_and(|n| n.key == name.key))
                    .or_else(|| args.get(position).filter(|a| a.name.is_none()))
                    .and_then(|a| match &a.value {
                        Choice::Expr(e) if !matches!(e.kind, ExprKind::Default) => Some(e),
                        _ => None,
                    });
                position += 1;
                self.bind_formal(scope, here, name, formal, actual);
            }
        }
        let simple = {
            let (full, _) = crate::units::unit_name(decl);
            full.rsplit('.').next().unwrap_or(&full).to_owned()
        };
        let body = self.generic_bodies.get(&(outer, simple.clone())).copied();
        match &decl.kind {
            DeclKind::Package { decls, private, .. } => {
                self.bind(here, &ident.key, Binding::Package(scope));
                // Inside, the generic's own name means the instance.
                self.bind(scope, &simple, Binding::Package(scope));
                self.register_bodies(scope, decls);
                if let Some(Decl { kind: DeclKind::PackageBody { decls, .. }, .. }) = body {
                    self.register_bodies(scope, decls);
                }
                self.in_package(scope, name, |e| {
                    e.declare_all(decls);
                    e.declare_all(private);
                });
                if let Some(Decl { kind: DeclKind::PackageBody { decls, handled, .. }, .. }) = body {
                    self.package_body(scope, name, decls, handled.as_ref());
                }
            }
            DeclKind::Subprogram { spec, .. } => {
                let kind = match body {
                    Some(Decl { kind: DeclKind::Subprogram { body, .. }, .. }) => SubprogramKind::Body(body),
                    _ => SubprogramKind::Plain,
                };
                let spec = match body {
                    Some(Decl { kind: DeclKind::Subprogram { spec, .. }, .. }) => spec,
                    _ => spec,
                };
                let sub =
                    Subprogram { name: format!("{}{}", self.cx.prefix, ident.text), spec, scope, span, kind };
                self.bind(here, &ident.key, Binding::Subprogram(Rc::new(sub)));
            }
            _ => self.reject(span, "this kind of generic unit"),
        }
    }

    fn bind_formal(
        &mut self,
        scope: ScopeId,
        here: ScopeId,
        name: &'a Ident,
        formal: &'a Decl,
        actual: Option<&'a syntax::Expr>,
    ) {
        match &formal.kind {
            DeclKind::Type { .. } => {
                let binding = match actual.map(|a| self.meaning(a)) {
                    Some(Meaning::Type(ty)) => {
                        // The actual's literals and operations come along.
                        Binding::Type(ty)
                    }
                    _ => Binding::Type(self.std.opaque),
                };
                self.bind(scope, &name.key, binding);
            }
            DeclKind::Object { ty, init, .. } => {
                let outer = std::mem::replace(&mut self.cx.scope, scope);
                let ty = self.type_ref(ty);
                self.cx.scope = outer;
                let value = match actual {
                    Some(actual) => {
                        if let Meaning::Object(obj, ty, constant) = self.meaning(actual) {
                            self.bind(scope, &name.key, Binding::Object { obj, ty, constant });
                            return;
                        }
                        self.value(actual, Some(ty))
                    }
                    None => {
                        let outer = std::mem::replace(&mut self.cx.scope, scope);
                        let value = match init {
                            Some(init) => self.value(init, Some(ty)),
                            None => Val::Unknown { input: false },
                        };
                        self.cx.scope = outer;
                        value
                    }
                };
                let obj = match value {
                    Val::Scalar(Model::Const(v), _) => Obj::Const(v),
                    value => {
                        let obj = self.make(ty, &name.text, name.span);
                        self.assign_value(&obj, ty, value);
                        obj
                    }
                };
                self.bind(scope, &name.key, Binding::Object { obj, ty, constant: true });
            }
            DeclKind::FormalSubprogram { spec, default, .. } => {
                let target = match (actual, default) {
                    (Some(actual), _) => Some((actual, here)),
                    (None, Some(default)) => Some((default, scope)),
                    (None, None) => None,
                };
                match target {
                    Some((target, at)) => {
                        self.bind_subprogram(spec, &SubprogramKind::Renamed(target, at), scope, name.span);
                    }
                    None => {
                        // By default, what is visible under the same name at the instance.
                        for binding in self.look_up(here, &name.key).into_iter().rev() {
                            self.bind(scope, &name.key, binding);
                        }
                    }
                }
            }
            DeclKind::FormalPackage { .. } => {
                let binding = match actual.map(|a| self.meaning(a)) {
                    Some(Meaning::Package(package)) => Binding::Package(package),
                    Some(Meaning::Library(unit)) => Binding::Library(unit),
                    // What is used of it is then not visible, and rejected.
                    _ => return,
                };
                self.bind(scope, &name.key, binding);
            }
            _ => {}
        }
    }

    /// An instance of a library generic without source. Random numbers of a discrete subtype are
    /// any value of it; the rest is opaque.
    fn library_instance(&mut self, ident: &'a Ident, unit: &Rc<str>, args: &'a [Arg]) {
        if library::synchronises(unit) {
            self.bind(self.cx.scope, &ident.key, Binding::Library(unit.clone()));
            return;
        }
        if unit.ends_with("discrete_random") {
            let ty = match args.first().map(|a| &a.value) {
                Some(Choice::Expr(e)) => self.type_named(e),
                _ => self.std.opaque,
            };
            let scope = self.new_scope(self.cx.scope, ident.text.clone());
            self.bind(scope, "generator", Binding::Type(self.std.opaque));
            self.bind(scope, "random", Binding::Library(format!("random:{}", ty.0).into()));
            self.bind(scope, "reset", Binding::Library("ada.numerics.discrete_random.reset".into()));
            self.bind(self.cx.scope, &ident.key, Binding::Package(scope));
            return;
        }
        let unit = match unit.rsplit('.').next() {
            // Instances of I/O generics print.
            Some(last) if last.ends_with("_io") => format!("{unit}.{}", ident.key).into(),
            _ => unit.clone(),
        };
        self.bind(self.cx.scope, &ident.key, Binding::Library(unit));
    }

    // ---- declarative regions -----------------------------------------------------------------

    /// Activates the tasks declared since the last activation.
    pub(crate) fn activate_pending(&mut self) {
        let package = self.cx.package;
        let (tasks, later) = std::mem::take(&mut self.cx.pending)
            .into_iter()
            .partition::<Vec<_>, _>(|(_, region)| package.is_none_or(|p| p == *region));
        self.cx.pending = later;
        if tasks.is_empty() {
            return;
        }
        let early = |t: &rendez_model::TaskId| {
            let instance = self.task_instances.get(t);
            instance.is_some_and(|i| matches!(self.unit_types[i.of.0].body, UnitBody::Missing))
        };
        if tasks.iter().any(|(t, _)| early(t)) {
            // The body is not elaborated yet.
            return self.raise(rendez_model::ExceptionId::PROGRAM_ERROR);
        }
        let tasks = tasks.iter().map(|(t, _)| Model::Const(i64::from(t.0))).collect();
        self.emit(|next| Action::Activate { tasks, next });
    }

    /// Code of a declarative part and its statements: declarations, activation, statements,
    /// waiting for dependents. The caller decides what becomes of an exception.
    pub(crate) fn block(&mut self, decls: &'a [Decl], handled: &'a Handled, name: &str) {
        let outer_scope = self.cx.scope;
        self.cx.scope = self.new_scope(outer_scope, name);
        let outer_pending = std::mem::take(&mut self.cx.pending);
        let outer_package = self.cx.package.take();
        let outer_region = std::mem::replace(&mut self.cx.region, self.cx.scope);
        let declares = decls.iter().any(declares_active);
        if !declares {
            self.declare_all(decls);
            self.handled(handled);
        } else {
            let controlled = self.enter_region(name);
            let outer_controlled = std::mem::replace(&mut self.cx.controlled, controlled);
            self.cx.cleanups.extend(controlled.map(Cleanup::Finalize));
            let task = self.cx.task;
            let master = self.program.add_master(format!("{}{name}", self.cx.prefix), task);
            let outer_master = std::mem::replace(&mut self.cx.master, master);
            self.cx.cleanups.push(Cleanup::Await(master));
            let first = self.program.tasks.len();
            let objects = self.program.objects.len();
            let mut declared = objects;
            self.guarded(
                |e| {
                    e.declare_all(decls);
                    declared = e.program.objects.len();
                    e.handled(handled);
                },
                |e, occurrence| {
                    // Tasks of this master that were not activated are never going to be.
                    let tasks = (first..e.program.tasks.len())
                        .map(rendez_model::TaskId::from)
                        .filter(|t| e.program.tasks[t.index()].master == Some(master))
                        .collect();
                    e.emit(|next| Action::Abandon { tasks, next });
                    e.emit(|next| Action::Await { masters: vec![master], next });
                    e.close_objects(objects, e.program.objects.len());
                    if let Some(region) = controlled {
                        e.leave_region(region);
                    }
                    e.end_path(Action::Resume { occurrence });
                },
            );
            self.cx.cleanups.pop();
            self.emit(|next| Action::Await { masters: vec![master], next });
            self.close_objects(objects, declared);
            if let Some(region) = controlled {
                self.cx.cleanups.pop();
                self.leave_region(region);
            }
            self.cx.controlled = outer_controlled;
            self.cx.master = outer_master;
        }
        self.cx.pending = outer_pending;
        self.cx.package = outer_package;
        self.cx.region = outer_region;
        self.cx.scope = outer_scope;
    }

    /// The code of a subprogram: its declarations and statements, with `return`.
    pub(crate) fn subprogram_code(
        &mut self,
        decls: &'a [Decl],
        handled: &'a Handled,
        result: Option<(Obj, TypeId)>,
        name: String,
    ) {
        let target = self.reserve();
        let ret = crate::elaborate::ReturnCx { target, cleanups: self.cx.cleanups.len(), result };
        let outer = self.cx.ret.replace(ret);
        self.block(decls, handled, &name);
        self.put(Action::Skip { next: target });
        self.cx.cur = target;
        self.cx.ret = outer;
    }

    pub(crate) fn bind_operation(&mut self, id: InstanceId, spec: &'a Spec, scope: ScopeId, span: Span) {
        let kind = SubprogramKind::Operation(id);
        let name = format!("{}.{}", self.program.objects[id.0].name, spec.ident.text);
        let sub = Subprogram { name, spec, scope, span, kind };
        self.bind(scope, &spec.ident.key, Binding::Subprogram(Rc::new(sub)));
    }

    pub(crate) fn local_storage(&self) -> Storage {
        Storage::Local(self.cx.task)
    }
}

/// Whether a declarative part makes its block a master, or may have tasks that others create.
fn declares_active(decl: &Decl) -> bool {
    match &decl.kind {
        DeclKind::Task { single, .. } => *single,
        DeclKind::Object { .. } | DeclKind::Instance { .. } => true,
        DeclKind::Type { def, .. } => matches!(def, TypeDef::Access(_)),
        DeclKind::Package { .. } | DeclKind::PackageBody { .. } | DeclKind::Stub { .. } => true,
        _ => false,
    }
}

/// Parameter and result types as written, to pair bodies with declarations.
fn profile(spec: &Spec) -> String {
    let mark = |ty: &TypeRef| match ty {
        TypeRef::Subtype(s) => dotted(&s.mark).rsplit('.').next().unwrap_or("").to_owned(),
        TypeRef::Access(t) => format!("access {}", dotted(t)),
        TypeRef::AccessSubprogram(_) => "access subprogram".into(),
        TypeRef::Array(..) => "array".into(),
    };
    let mut text: Vec<String> = spec.params.iter().map(|p| mark(&p.ty)).collect();
    text.push(spec.result.as_ref().map_or("-".into(), mark));
    text.join(",")
}
