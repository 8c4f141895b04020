//! Declarations.

use std::rc::Rc;

use rendez_model::{Action, Expr as Model, Sharing, Storage};
use rendez_source::{Diagnostic, Span};

use crate::checks::Clause;
use crate::elaborate::{Cleanup, Elaborator, full_name};
use crate::env::*;
use crate::library;
use crate::parse::{dotted, last_ident};
use crate::static_expression::Staticness;
use crate::syntax::{self, *};

/// Bits that are accessed together.
const BYTE: i64 = 8;

/// A component with its first and last byte, if they are known.
type Placed = (String, Option<(i64, i64)>);

impl<'a> Elaborator<'a> {
    pub(crate) fn declare_all(&mut self, decls: &'a [Decl]) {
        self.register_bodies(self.cx.scope, decls);
        self.elaborating.push(self.cx.scope);
        let mut generic = false;
        let mut before = None;
        for decl in decls {
            self.declare(decl);
            match (&decl.kind, before) {
                (DeclKind::Subprogram { spec, .. }, _) => before = Some(spec),
                (DeclKind::Pragma { .. }, Some(spec)) => {
                    if let Some(clause) = Clause::of_pragma(decl) {
                        self.add_contract(spec, self.cx.scope, clause);
                    }
                }
                (DeclKind::Pragma { .. } | DeclKind::Use { .. }, None) => {}
                _ => before = None,
            }
            if let DeclKind::Generic { .. } = decl.kind {
                generic = true;
            } else if generic && Clause::of_pragma(decl).is_some() {
                self.program.assume("contracts that pragmas give to generic subprograms hold", decl.span);
            } else if !matches!(decl.kind, DeclKind::Pragma { .. }) {
                generic = false;
            }
        }
        self.elaborating.pop();
    }

    /// A subprogram has one more contract.
    fn add_contract(&mut self, spec: &Spec, scope: ScopeId, clause: Clause<'a>) {
        let key = (scope, spec.ident.key.clone(), profile(spec));
        let all = self.contracts.entry(key).or_default();
        if !all.iter().any(|c| c.span == clause.span) {
            all.push(clause);
        }
    }

    fn add_contracts(&mut self, spec: &Spec, scope: ScopeId, aspects: &'a [Aspect]) {
        for aspect in aspects {
            if let Some(clause) = Clause::new(&aspect.name, aspect.class, aspect.value.as_ref()) {
                self.add_contract(spec, scope, clause);
            }
        }
    }

    /// The declaration and the body of a library subprogram have the same contracts.
    pub(crate) fn unit_contracts(&mut self, unit: &str, spec: &'a Spec, scope: ScopeId) {
        let declared = self.units.specs.get(unit).map(|i| &self.units.all[*i].decl.kind);
        let Some(DeclKind::Subprogram { spec: declared, .. }) = declared else { return };
        let key = (declared.ident.key.clone(), profile(declared));
        let known = self
            .contracts
            .iter()
            .filter(|((at, name, types), _)| *at != scope && (name, types) == (&key.0, &key.1));
        let mut all = Vec::new();
        for ((at, ..), clauses) in known {
            let own = clauses.iter().filter(|c| c.span.file == declared.ident.span.file);
            all.extend(own.map(|c| Clause { scope: Some(*at), ..*c }));
        }
        all.sort_by_key(|c| (c.span.line, c.span.column));
        for clause in all {
            self.add_contract(spec, scope, clause);
        }
    }

    pub(crate) fn declare(&mut self, decl: &'a Decl) {
        let outer = std::mem::replace(&mut self.cx.span, decl.span);
        if matches!(decl.kind, DeclKind::Object { .. }) {
            self.program.declarations.insert(decl.span);
        }
        self.declare_kind(decl);
        self.read_now();
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
            DeclKind::Type { name, discriminants, def, aspects } => {
                self.type_declaration(name, discriminants, def);
                if let Some(Binding::Type(ty)) = self.look_up(self.cx.scope, &name.key).first() {
                    self.type_contracts(*ty, name, aspects);
                }
            }
            DeclKind::Subtype { name, subtype, aspects } => {
                self.check_constraint(subtype);
                let mut ty = self.subtype(subtype);
                if !aspects.is_empty() {
                    ty = self.new_subtype(name.text.clone(), ty, self.kind(ty).clone());
                    self.type_contracts(ty, name, aspects);
                }
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
                    SubprogramBody::Separate => match self.subunit(&spec.ident) {
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
            DeclKind::Task { name, single, discriminants, entries, interfaces, priority, aspects } => {
                let of = self.unit_type(name, discriminants, decl.span);
                self.unit_types[of.0].implements = !interfaces.is_empty();
                self.unit_types[of.0].entries = entries.iter().collect();
                self.unit_types[of.0].priority = priority.as_ref();
                self.unit_aspects(of, aspects);
                let kind = TypeKind::Task { of, constraint: None };
                self.bind_unit_type(name, *single, kind);
            }
            DeclKind::TaskBody { name, body } => match self.find_unit_type(&name.key) {
                Some(of) => self.unit_types[of.0].body = UnitBody::Task(body),
                None => self.reject(name.span, format!("task body `{}` has no specification", name.text)),
            },
            DeclKind::Protected {
                name,
                single,
                discriminants,
                items,
                private,
                interfaces,
                priority,
                aspects,
            } => {
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
                self.unit_types[of.0].priority = priority.as_ref();
                self.unit_aspects(of, aspects);
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
            DeclKind::Operational { of, attribute, value } => {
                let ty = match self.look_up(self.cx.scope, &of.key).first() {
                    Some(Binding::Type(ty)) => Some(*ty),
                    _ => None,
                };
                match (ty, attribute.key.as_str()) {
                    (Some(ty), "read" | "write" | "input" | "output" | "put_image") => {
                        let key = (self.root(ty), attribute.key.clone());
                        self.operational.insert(key, (value, self.cx.scope));
                    }
                    (None, "address") => self.address(value, attribute.span),
                    _ => {}
                }
            }
            DeclKind::Stub { name } => {
                if let Some(body) = self.subunit(name) {
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

    /// The subunit that completes a body stub.
    fn subunit(&self, stub: &Ident) -> Option<&'a Decl> {
        let units = self.units;
        units.proper_bodies.get(&stub.span).map(|index| &units.all[*index].decl)
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
        aspects: &'a [Aspect],
    ) {
        if let TypeRef::Subtype(subtype) = ty {
            self.check_constraint(subtype);
        }
        for aspect in aspects.iter().filter(|a| a.name.key == "address") {
            if let Some(value) = &aspect.value {
                self.address(value, aspect.name.span);
            }
        }
        let mut ty = self.type_ref(ty);
        // The bounds of an unconstrained array come from its initial value, which is evaluated once.
        let mut evaluated = None;
        if let (TypeKind::Array { bounds: None, dimensions: 1, element }, Some(init)) =
            (self.kind(ty).clone(), init)
        {
            let bounds = match &init.kind {
                ExprKind::Aggregate(_) | ExprKind::Str(_) => self.bounds_of_value(init),
                _ => {
                    let value = self.value(init, Some(ty));
                    let bounds = match &value {
                        Val::Composite(obj, of) => self.object_bounds(obj, *of, 0),
                        _ => None,
                    };
                    evaluated = Some(value);
                    bounds
                }
            };
            if let Some(bounds) = bounds {
                let kind = TypeKind::Array { bounds: Some(vec![bounds]), dimensions: 1, element };
                ty = self.new_subtype("array", ty, kind);
            }
        }
        let is_declared_constant = constant;
        let constant = constant || (init.is_some() && !self.units.assigned.contains(&name.key));
        if constant
            && self.domain(ty).is_some()
            && let Some(init) = init
        {
            let value = self.value(init, Some(ty));
            let value = self.enter_subtype(value, ty);
            if let Val::Scalar(Model::Const(value), _) = value
                && !self.checks_designated(ty, value)
            {
                if let Some(rendez_model::Domain::Range(lo, hi)) = self.domain(ty)
                    && !(lo..=hi).contains(&value)
                {
                    self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                }
                let staticness =
                    if is_declared_constant { self.staticness(init) } else { Staticness::Dynamic };
                self.static_constants.insert((self.cx.scope, name.key.clone()), staticness);
                self.bind_object(name, Obj::Const(value), ty, true);
                return;
            }
            let obj = self.make(ty, &name.text, name.span);
            self.declared(|e| e.store_value(&obj, ty, value));
            self.bind_object(name, obj, ty, true);
            return;
        }
        let obj = self.make(ty, &name.text, name.span);
        self.set_sharing(&obj, ty, aspects.iter().map(|a| a.name.key.as_str()));
        if aspects.iter().any(|a| matches!(a.name.key.as_str(), "pack" | "component_size")) {
            self.share_storage(std::slice::from_ref(&obj), &name.text, name.span);
        }
        if init.is_none() && self.excludes_null.contains(&ty) {
            self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
        }
        if let Some(value) = evaluated {
            self.declared(|e| e.assign_value(&obj, ty, value));
        } else if let Some(init) = init {
            let value = match &obj {
                Obj::Cell(_) => {
                    let value = self.value(init, Some(ty));
                    self.enter_subtype(value, ty)
                }
                _ => Val::Unknown { input: false },
            };
            match (&obj, value) {
                // Declared once, before anybody can look: the value is there from the start.
                (Obj::Cell(cell), Val::Scalar(Model::Const(v), _))
                    if self.declared_once() && self.fits(*cell, v) && !self.checks_designated(ty, v) =>
                {
                    self.program.vars[cell.index()].init = rendez_model::Value::Known(v);
                }
                (Obj::Cell(_), value) => self.declared(|e| e.store_value(&obj, ty, value)),
                _ => self.declared(|e| e.assign_expr(&obj, ty, init)),
            }
        } else {
            self.check_default(&obj, ty);
        }
        self.control_object(&obj, ty, init, name.span);
        self.bind_object(name, obj, ty, constant);
    }

    /// An address is given to a variable.
    fn address(&mut self, value: &'a syntax::Expr, span: Span) {
        self.effects(value);
        self.program.assume("an address clause makes no two variables share memory", span);
    }

    /// Whether an access value must designate something that fits the constraint of its subtype.
    fn checks_designated(&self, ty: TypeId, value: i64) -> bool {
        value != -1 && matches!(self.kind(ty), TypeKind::Access { constrained: true, .. })
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
            _ => None,
        }
    }

    /// Elaborating a range constraint that exceeds the range of its type raises an exception.
    pub(crate) fn check_constraint(&mut self, subtype: &'a Subtype) {
        match &subtype.constraint {
            Some(Constraint::Range(range)) => {
                let base = self.type_named(&subtype.mark);
                self.check_bounds(range, self.range_of(base), Some(base));
            }
            Some(Constraint::Args(args)) => {
                let base = self.type_named(&subtype.mark);
                let Some(indices) = self.index_ranges.get(&self.root(base)).cloned() else { return };
                for (arg, index) in args.iter().zip(indices) {
                    self.check_bounds(&arg.value, index, None);
                }
            }
            _ => {}
        }
    }

    fn check_bounds(&mut self, range: &'a Choice, within: Option<(i64, i64)>, base: Option<TypeId>) {
        let mut calls = false;
        range.each_expr(&mut |e| calls |= crate::expression::may_call(e));
        if calls {
            // They are made where the subtype is made.
            return self.doubt();
        }
        if let Some(within) = within
            && let Some((lo, hi)) = self.range(range, base)
        {
            self.check_range(&lo, &hi, within);
        }
    }

    fn set_sharing<'n>(&mut self, obj: &Obj, ty: TypeId, names: impl Iterator<Item = &'n str>) {
        for sharing in names.filter_map(sharing_of) {
            self.share(obj, ty, sharing);
        }
    }

    pub(crate) fn share(&mut self, obj: &Obj, ty: TypeId, sharing: Sharing) {
        for (leaf, _) in self.leaves(obj, ty) {
            if let Obj::Cell(var) = leaf {
                self.program.vars[var.index()].sharing = sharing;
            }
        }
    }

    fn declaration_pragma(&mut self, name: &'a Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        match name.key.as_str() {
            "atomic" | "volatile" | "atomic_components" | "volatile_components" => {
                for (_, arg) in args {
                    match self.meaning(arg) {
                        Meaning::Object(obj, ty, _) => {
                            self.set_sharing(&obj, ty, [name.key.as_str()].into_iter());
                        }
                        Meaning::Type(ty) => {
                            let sharing = sharing_of(&name.key).unwrap_or(Sharing::Plain);
                            self.type_sharing.insert(self.root(ty), sharing);
                        }
                        _ => {}
                    }
                }
            }
            "pack" => {
                for (_, arg) in args {
                    if let Meaning::Type(ty) = self.meaning(arg) {
                        self.packed.insert(self.root(ty));
                    }
                }
            }
            "component_size" => {
                if let [(_, mark), (_, size)] = args
                    && let Meaning::Type(ty) = self.meaning(mark)
                {
                    let bits = self.scalar(size, None).and_then(|s| s.constant());
                    // Whole bytes are told apart.
                    if bits.is_none_or(|bits| bits % BYTE != 0) {
                        self.packed.insert(self.root(ty));
                    }
                }
            }
            LAYOUT => self.record_layout(args),
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
            "assertion_policy" => self.assertion_policy(args),
            "predicate"
            | "static_predicate"
            | "dynamic_predicate"
            | "type_invariant"
            | "invariant"
            | "default_initial_condition" => self.type_pragma(name, args),
            "check_policy" => self.check_policy(args),
            "assert" | "check" | "assume" | "assert_and_cut" => self.assertion_pragma(name, args),
            "detect_blocking" => self.detect_blocking = true,
            "task_dispatching_policy" | "locking_policy" | "queuing_policy" | "priority" => {
                let policy = args.first().map(|a| dotted(&a.1)).unwrap_or_default();
                self.ceilings |= name.key == "locking_policy" && policy == "ceiling_locking";
                if name.key == "queuing_policy" && policy == "priority_queuing" {
                    self.reject(name.span, "priority queuing: entry queues are modelled first in, first out");
                }
            }
            "partition_elaboration_policy" if args.first().is_some_and(|a| dotted(&a.1) == "sequential") => {
                let what = "sequential elaboration: library tasks are activated with their package";
                self.reject(name.span, what);
            }
            _ => {}
        }
    }

    /// A record representation clause: components within the same byte share storage.
    fn record_layout(&mut self, args: &'a [(Option<Ident>, syntax::Expr)]) {
        let Some(((_, mark), clauses)) = args.split_first() else { return };
        let Meaning::Type(ty) = self.meaning(mark) else { return };
        let mut placed: Vec<Placed> = Vec::new();
        for clause in clauses.chunks_exact(3) {
            let mut number = |i: usize| self.scalar(&clause[i].1, None).and_then(|v| v.constant());
            let bytes = match (number(0), number(1), number(2)) {
                (Some(position), Some(first), Some(last)) => {
                    let from = position.saturating_add(first.div_euclid(BYTE));
                    Some((from, position.saturating_add(last.div_euclid(BYTE))))
                }
                _ => None,
            };
            placed.extend(clause[0].0.as_ref().map(|name| (name.key.clone(), bytes)));
        }
        // Groups of those that overlap, or may.
        let mut groups: Vec<Vec<Placed>> = Vec::new();
        for one in placed {
            let overlaps = |other: &Placed| match (one.1, other.1) {
                (Some((a, b)), Some((c, d))) => a <= d && c <= b,
                _ => true,
            };
            let (joined, apart) = groups.into_iter().partition::<Vec<_>, _>(|g| g.iter().any(overlaps));
            groups = apart;
            groups.push(joined.into_iter().flatten().chain([one]).collect());
        }
        let groups = groups.into_iter().filter(|g| g.len() > 1);
        let groups = groups.map(|g| g.into_iter().map(|c| c.0).collect()).collect();
        self.layouts.insert(self.root(ty), groups);
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
                    self.detect_blocking = true;
                    self.ceilings = true;
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
            Renamed::Object
                if self.result_types(target).is_some_and(|all| all.iter().any(|ty| self.is_active(*ty))) =>
            {
                self.reject(target.span, "a name for a task or protected object that a function returns");
                self.bind(scope, &name.key, Binding::Opaque);
            }
            Renamed::Object => match self.meaning(target) {
                Meaning::Object(obj, ty, constant) => {
                    // It stays the object that it is now.
                    let obj = self.frozen_object(obj);
                    self.bind(scope, &name.key, Binding::Object { obj, ty, constant });
                }
                meaning @ (Meaning::Subprograms(_)
                | Meaning::Operation { .. }
                | Meaning::Prefixed { .. }
                | Meaning::Routine { .. }
                | Meaning::Value(..)) => {
                    let value = self.meaning_value(meaning, None, target);
                    let binding = self.renamed_value(name, value);
                    self.bind(scope, &name.key, binding);
                }
                Meaning::Unknown { .. } => self.bind(scope, &name.key, Binding::Opaque),
                Meaning::Undeclared(text) => {
                    self.reject(target.span, text);
                    self.bind(scope, &name.key, Binding::Opaque);
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

    /// A name for a value that is computed once, where it is declared.
    fn renamed_value(&mut self, name: &Ident, value: Val) -> Binding<'a> {
        match value {
            Val::Scalar(Model::Const(value), None) => Binding::Number(value),
            Val::Scalar(Model::Const(value), Some(ty)) => {
                Binding::Object { obj: Obj::Const(value), ty, constant: true }
            }
            Val::Scalar(value, ty) => {
                let ty = ty.unwrap_or(self.std.integer);
                let obj = self.make(ty, &name.text, name.span);
                self.declared(|e| e.assign_value(&obj, ty, Val::Scalar(value, Some(ty))));
                Binding::Object { obj, ty, constant: true }
            }
            // Every call has a place of its own for its result.
            Val::Composite(obj, ty) => Binding::Object { obj, ty, constant: true },
            Val::Unknown { .. } => Binding::Opaque,
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
            priority: None,
            exclusive: false,
        });
        UnitTypeId(self.unit_types.len() - 1)
    }

    /// What the aspects of a task or protected type, and of its entries, say about calls.
    fn unit_aspects(&mut self, of: UnitTypeId, aspects: &'a [syntax::Aspect]) {
        let unit = &mut self.unit_types[of.0];
        let exclusive = aspects.iter().find(|a| a.name.key == "exclusive_functions");
        let of_entries = unit.entries.iter().flat_map(|e| &e.aspects);
        let limits: Vec<Span> = (aspects.iter().chain(of_entries))
            .filter(|a| a.name.key == "max_entry_queue_length")
            .map(|a| a.name.span)
            .collect();
        if let Some(aspect) = exclusive {
            let value = aspect.value.as_ref().map_or(Some(1), |v| self.scalar(v, None)?.constant());
            self.unit_types[of.0].exclusive = value == Some(1);
        }
        for span in limits {
            self.program.assume("no entry queue is longer than its Max_Entry_Queue_Length", span);
        }
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
        self.add_contracts(spec, scope, &spec.aspects);
        let sub = Subprogram { name, spec, scope, span, kind: kind.clone() };
        self.scopes[scope.0]
            .names
            .entry(spec.ident.key.clone())
            .or_default()
            .insert(0, Binding::Subprogram(Rc::new(sub)));
    }

    /// What a subprogram requires and promises.
    pub(crate) fn contracts_of(&self, sub: &Subprogram<'a>) -> Vec<Clause<'a>> {
        let key = (sub.scope, sub.spec.ident.key.clone(), profile(sub.spec));
        let own = || {
            let aspects = sub.spec.aspects.iter();
            aspects.filter_map(|a| Clause::new(&a.name, a.class, a.value.as_ref())).collect()
        };
        self.contracts.get(&key).cloned().unwrap_or_else(own)
    }

    /// The same, with what pragmas at the head of its body say.
    pub(crate) fn all_contracts_of(&self, sub: &Subprogram<'a>, decls: &'a [Decl]) -> Vec<Clause<'a>> {
        let mut all = self.contracts_of(sub);
        let head =
            decls.iter().take_while(|d| matches!(d.kind, DeclKind::Pragma { .. } | DeclKind::Use { .. }));
        all.extend(head.filter_map(Clause::of_pragma));
        all
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
        self.inherit_policies(scope);
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
                let declared = spec;
                let spec = match body {
                    Some(Decl { kind: DeclKind::Subprogram { spec, .. }, .. }) => spec,
                    _ => spec,
                };
                self.add_contracts(spec, scope, &declared.aspects);
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
            DeclKind::Object { ty, init, constant: copied, .. } => {
                let outer = std::mem::replace(&mut self.cx.scope, scope);
                let ty = self.type_ref(ty);
                self.cx.scope = outer;
                let value = match actual {
                    Some(actual) => {
                        // A formal of mode in is a constant with the value of now.
                        if let Meaning::Object(obj, ty, constant) = self.meaning(actual)
                            && (!copied || constant || self.is_active(ty))
                        {
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
                let value = match self.enter_subtype(value, ty) {
                    Val::Scalar(value, of) => Val::Scalar(self.within(value, ty), of),
                    value => value,
                };
                let obj = match value {
                    Val::Scalar(Model::Const(v), _) => Obj::Const(v),
                    value => {
                        let obj = self.make(ty, &name.text, name.span);
                        self.declared(|e| e.store_value(&obj, ty, value));
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
        for arg in args {
            if let Choice::Expr(e) = &arg.value
                && let Some(Meaning::Subprograms(_)) = self.quiet_meaning(e)
            {
                let what = "a subprogram that an instance of a library unit calls is taken not to synchronise and to access nothing shared";
                self.program.assume(what, e.span);
            }
        }
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
        if tasks.iter().any(|(t, _)| !self.program.tasks[t.index()].background) {
            self.blocks();
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
            self.guarded(
                |e| {
                    e.declare_all(decls);
                    let declared = e.program.objects.len();
                    e.handled(handled);
                    // Whoever is taken away from here cleans up all the same.
                    e.emit(|next| Action::Await { masters: vec![master], next });
                    e.close_objects(objects, declared);
                    if let Some(region) = controlled {
                        e.leave_region(region, None);
                    }
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
                        e.leave_region(region, Some(occurrence));
                    }
                    e.end_path(Action::Resume { occurrence });
                },
            );
            self.cx.cleanups.pop();
            if controlled.is_some() {
                self.cx.cleanups.pop();
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
        let function = self.cx.ret.as_ref().is_some_and(|r| r.result.is_some());
        self.block(decls, handled, &name);
        match function {
            // It ends without a return statement.
            true => self.raise(rendez_model::ExceptionId::PROGRAM_ERROR),
            false => self.put(Action::Skip { next: target }),
        }
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
        DeclKind::Type { def, .. } => matches!(def, TypeDef::Access(..)),
        DeclKind::Package { .. } | DeclKind::PackageBody { .. } | DeclKind::Stub { .. } => true,
        _ => false,
    }
}

/// What a pragma or aspect says about unsynchronised access.
fn sharing_of(name: &str) -> Option<Sharing> {
    match name {
        "atomic" | "atomic_components" => Some(Sharing::Atomic),
        "volatile" | "volatile_components" => Some(Sharing::Volatile),
        _ => None,
    }
}

/// Parameter and result types as written, to pair bodies with declarations.
fn profile(spec: &Spec) -> String {
    let mark = |ty: &TypeRef| match ty {
        TypeRef::Subtype(s) => dotted(&s.mark).rsplit('.').next().unwrap_or("").to_owned(),
        TypeRef::Access(t, _) => format!("access {}", dotted(t)),
        TypeRef::AccessSubprogram(_) => "access subprogram".into(),
        TypeRef::Array(..) => "array".into(),
    };
    let mut text: Vec<String> = spec.params.iter().map(|p| mark(&p.ty)).collect();
    text.push(spec.result.as_ref().map_or("-".into(), mark));
    text.join(",")
}
