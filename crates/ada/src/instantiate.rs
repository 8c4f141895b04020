//! Making objects: storage for variables, instances of tasks and protected objects.

use std::collections::HashMap;
use std::rc::Rc;

use rendez_model::{
    Action, Cut, Domain, Expr as Model, MasterId, ObjectId, Owner, Place, Protected, Storage, TaskId, Value,
};
use rendez_source::Span;

use crate::checks::Checks;
use crate::elaborate::{Elaborator, Fixup, FixupSource, Job, Leaf};
use crate::env::*;
use crate::syntax::{self, *};

/// Values of larger types are shown as numbers.
const MOST_LITERALS: usize = 100;

impl<'a> Elaborator<'a> {
    /// Makes an object of a type, with its default initialisation.
    pub(crate) fn make(&mut self, ty: TypeId, name: &str, span: Span) -> Obj {
        self.depth += 1;
        let obj = if self.depth > 60 { Obj::Opaque } else { self.make_kind(ty, name, span) };
        self.depth -= 1;
        let root = self.root(ty);
        if let Some(sharing) = self.type_sharing.get(&root).copied() {
            self.share(&obj, ty, sharing);
        }
        if self.packed.contains(&root) {
            self.share_storage(std::slice::from_ref(&obj), name, span);
        } else if let (Some(groups), Obj::Record(fields)) = (self.layouts.get(&root).cloned(), &obj) {
            for group in groups {
                let within = fields.iter().filter(|f| group.contains(&f.0));
                let parts: Vec<Obj> = within.map(|f| f.1.clone()).collect();
                self.share_storage(&parts, name, span);
            }
        }
        obj
    }

    /// The parts of these objects are not accessed independently of each other.
    pub(crate) fn share_storage(&mut self, parts: &[Obj], name: &str, span: Span) {
        if let Storage::Component(_) = self.cx.storage {
            return;
        }
        let mut cells = Vec::new();
        parts.iter().for_each(|part| cells_in(part, &mut cells));
        if cells.len() > 1 {
            let name = format!("{}{name}", self.cx.prefix);
            let whole = self.cell(name, Domain::Opaque, Value::Any, span);
            self.neighbours.push((whole, cells));
        }
    }

    fn make_kind(&mut self, ty: TypeId, name: &str, span: Span) -> Obj {
        if self.is_whole(ty) {
            let name = format!("{}{name}", self.cx.prefix);
            return Obj::Cell(self.cell(name, Domain::Opaque, Value::Any, span));
        }
        match self.kind(ty).clone() {
            TypeKind::Integer { lo, hi, .. } | TypeKind::Enumeration { lo, hi, .. } => {
                let name = format!("{}{name}", self.cx.prefix);
                let cell = self.cell(name, Domain::Range(lo, hi), Value::Any, span);
                if let TypeKind::Enumeration { literals, .. } = self.kind(ty)
                    && literals.len() <= MOST_LITERALS
                {
                    let literals = literals.to_vec();
                    self.program.literals.insert(cell, literals);
                }
                Obj::Cell(cell)
            }
            TypeKind::Access { .. } | TypeKind::AccessSubprogram { .. } => {
                let name = format!("{}{name}", self.cx.prefix);
                match self.excludes_null.contains(&ty) {
                    true => Obj::Cell(self.cell(name, Domain::Range(0, 65535), Value::Any, span)),
                    false => Obj::Cell(self.cell(name, Domain::Range(-1, 65535), Value::Known(-1), span)),
                }
            }
            TypeKind::Array { bounds: Some(bounds), element, .. } => {
                let size = elements(&bounds);
                if size > self.bounds.active_elements {
                    self.reject(span, format!("an array of {size} tasks or protected objects is too large"));
                    return Obj::Opaque;
                }
                let mut elements = Vec::new();
                let mut index: Vec<i64> = bounds.iter().map(|b| b.0).collect();
                for _ in 0..size {
                    let position = index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                    elements.push(self.make(element, &format!("{name}({position})"), span));
                    for d in (0..index.len()).rev() {
                        index[d] += 1;
                        if index[d] <= bounds[d].1 {
                            break;
                        }
                        index[d] = bounds[d].0;
                    }
                }
                Obj::Array(Rc::new(ArrayObj { bounds, elements, element }))
            }
            TypeKind::Record { .. } => self.make_record(ty, name, span, None),
            TypeKind::Task { of, constraint } => {
                let discriminants = self.discriminants(of, constraint);
                let master = self.cx.master;
                if self.too_deep(of, master) {
                    return Obj::Opaque;
                }
                let task = self.make_task(of, name, span, discriminants, master);
                self.cx.pending.push((task, self.cx.region));
                self.attach_entries(task, span);
                Obj::Task(task)
            }
            TypeKind::Protected { of, constraint } => {
                let discriminants = self.discriminants(of, constraint);
                Obj::Protected(self.make_protected(of, name, span, discriminants))
            }
            TypeKind::Array { bounds: None, .. } => {
                self.reject(span, "an array of tasks or protected objects with unknown bounds");
                Obj::Opaque
            }
            TypeKind::Real
            | TypeKind::Opaque
            | TypeKind::Unfinished
            | TypeKind::Interface
            | TypeKind::Unmodelled(_) => Obj::Opaque,
        }
    }

    /// Whether an object of the type is one cell that is not followed, whatever it consists of.
    pub(crate) fn is_whole(&mut self, ty: TypeId) -> bool {
        match self.kind(ty).clone() {
            TypeKind::Real
            | TypeKind::Opaque
            | TypeKind::Unfinished
            | TypeKind::Interface
            | TypeKind::Unmodelled(_) => true,
            TypeKind::Integer { .. } | TypeKind::Enumeration { .. } => self.domain(ty).is_none(),
            TypeKind::Array { bounds, element, .. } => {
                let most = self.bounds.array_elements;
                let large = bounds.is_none_or(|bounds| elements(&bounds) > most);
                (large || element == self.std.letter) && !self.is_active(element)
            }
            _ => false,
        }
    }

    /// Some part of an object that is not told from its other parts.
    pub(crate) fn part_of(&mut self, obj: &Obj) -> Obj {
        let mut cells = Vec::new();
        match obj {
            Obj::Designated { pool, path, .. } => {
                return Obj::Among(self.fixup(FixupSource::Pool(*pool, path.clone()), Leaf::Parts));
            }
            Obj::Among(_) => return obj.clone(),
            obj => cells_in(obj, &mut cells),
        }
        if cells.is_empty() {
            return Obj::Opaque;
        }
        // Or none of them.
        cells.push(-1);
        Obj::Among(self.program.add_table("some of these", 0, cells))
    }

    /// Tasks within tasks without end, by recursion: beyond a depth, executions are not followed.
    pub(crate) fn too_deep(&mut self, of: UnitTypeId, master: MasterId) -> bool {
        // Tasks that create tasks of their own kind.
        let makers = std::iter::successors(Some(self.cx.task), |t| self.made_by.get(t).copied());
        let alike = |t: &TaskId| self.task_instances.get(t).is_some_and(|i| i.of == of);
        let most = self.bounds.tasks_per_allocator;
        if makers.filter(alike).count() >= most {
            let name = &self.unit_types[of.0].name;
            let reason = format!("tasks of {name} create tasks of {name} at most {most} deep");
            self.end_path(Action::Stop { why: Cut::Bound, reason });
            return true;
        }
        let mut depth = 0;
        let mut at = Some(master);
        while let Some(master) = at {
            depth += 1;
            at = self.program.tasks[self.program.masters[master.index()].owner.index()].master;
        }
        if depth <= self.bounds.task_nesting {
            return false;
        }
        let reason = format!("tasks are declared within tasks at most {} deep", self.bounds.task_nesting);
        self.end_path(Action::Stop { why: Cut::Bound, reason });
        true
    }

    fn make_record(
        &mut self,
        ty: TypeId,
        name: &str,
        span: Span,
        given: Option<(&'a [Arg], ScopeId)>,
    ) -> Obj {
        let TypeKind::Record { def, discriminants, scope, parent, constraint } = self.kind(ty).clone() else {
            return Obj::Opaque;
        };
        let given = given.or(constraint);
        let mut fields = Vec::new();
        if let Some(parent) = parent
            && let Obj::Record(inherited) = self.make_record(parent, name, span, given)
        {
            fields.extend(inherited.iter().cloned());
        }
        let bound = self.bind_discriminants(discriminants, scope, given);
        let inner = self.new_scope(scope, name);
        for (param, obj, ty) in bound {
            // A record's discriminants are components; they may be assigned as a whole.
            let stored = match (&obj, self.domain(ty)) {
                (Obj::Const(_), Some(domain)) if given.is_none() => {
                    let cell = self.cell(
                        format!("{}{name}.{}", self.cx.prefix, param.name.text),
                        domain,
                        Value::Any,
                        span,
                    );
                    let value = self.read(&obj);
                    self.assign(Place::Var(cell), value);
                    Obj::Cell(cell)
                }
                // Parameters and results have discriminants that come with their values.
                (Obj::Opaque, Some(domain)) if given.is_none() => {
                    let name = format!("{}{name}.{}", self.cx.prefix, param.name.text);
                    Obj::Cell(self.cell(name, domain, Value::Any, span))
                }
                _ => obj.clone(),
            };
            self.bind(inner, &param.name.key, Binding::Object { obj, ty, constant: true });
            fields.push((param.name.key.clone(), stored, ty));
        }
        let outer = std::mem::replace(&mut self.cx.scope, inner);
        // With discriminants that may change, what depends on them has no fixed bounds.
        let changing: &[Param] = if given.is_none() { discriminants } else { &[] };
        self.make_components(def, name, changing, &mut fields);
        self.cx.scope = outer;
        Obj::Record(Rc::new(fields))
    }

    fn make_components(
        &mut self,
        def: &'a RecordDef,
        name: &str,
        changing: &[Param],
        fields: &mut Vec<(String, Obj, TypeId)>,
    ) {
        for decl in &def.components {
            let DeclKind::Object { names, ty, init, .. } = &decl.kind else { continue };
            let depends = changing.iter().any(|d| depends_on(ty, &d.name.key));
            for field in names {
                let mut ty = self.type_ref(ty);
                if depends && matches!(self.kind(ty), TypeKind::Array { .. }) && !self.is_active(ty) {
                    ty = self.root(ty);
                }
                let outer = std::mem::replace(&mut self.in_component, true);
                let obj = self.make(ty, &format!("{name}.{}", field.text), field.span);
                self.in_component = outer;
                match init {
                    Some(init) => self.declared(|e| e.assign_expr(&obj, ty, init)),
                    None => self.check_default(&obj, ty),
                }
                fields.push((field.key.clone(), obj, ty));
            }
        }
        // All variants have storage at once: a wrong variant is a check that is not modelled.
        for (_, inner) in def.variants.iter().flat_map(|v| &v.variants) {
            self.make_components(inner, name, changing, fields);
        }
    }

    /// Values of the discriminants of a task or protected object. Their cells belong to the
    /// object, which may outlive the subprogram that makes it.
    pub(crate) fn discriminants(
        &mut self,
        of: UnitTypeId,
        constraint: Option<(&'a [Arg], ScopeId)>,
    ) -> Vec<(&'a Param, Obj, TypeId)> {
        let (params, scope) = (self.unit_types[of.0].discriminants, self.unit_types[of.0].scope);
        self.detached(|e| e.bind_discriminants(params, scope, constraint))
    }

    /// Gives an object its initial value.
    pub(crate) fn declared(&mut self, code: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.in_declaration, true);
        code(self);
        self.in_declaration = outer;
    }

    /// Assigns to something that nobody can name yet.
    pub(crate) fn assign_fresh(&mut self, target: &Obj, ty: TypeId, value: &'a syntax::Expr) {
        let outer = std::mem::replace(&mut self.fresh, true);
        self.assign_expr(target, ty, value);
        self.fresh = outer;
    }

    /// Makes cells that are no locals of the subprogram that is being written.
    pub(crate) fn detached<T>(&mut self, code: impl FnOnce(&mut Self) -> T) -> T {
        let locals = std::mem::take(&mut self.cx.locals);
        let storage = std::mem::replace(&mut self.cx.storage, Storage::Shared);
        let result = code(self);
        self.cx.storage = storage;
        self.cx.locals = locals;
        result
    }

    /// Values of discriminants, from a constraint or their defaults. Constants stay constants.
    pub(crate) fn bind_discriminants(
        &mut self,
        params: &'a [Param],
        scope: ScopeId,
        constraint: Option<(&'a [Arg], ScopeId)>,
    ) -> Vec<(&'a Param, Obj, TypeId)> {
        let mut out = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let here = std::mem::replace(&mut self.cx.scope, scope);
            let ty = self.type_ref(&param.ty);
            self.cx.scope = here;
            let given = constraint.and_then(|(args, at)| {
                args.iter()
                    .find(|a| a.name.as_ref().is_some_and(|n| n.key == param.name.key))
                    .or_else(|| args.get(i).filter(|a| a.name.is_none()))
                    .map(|a| (a, at))
            });
            // A bare name may have been read as a subtype mark.
            let given = given.and_then(|(arg, at)| match &arg.value {
                Choice::Expr(e) => Some((e, at)),
                Choice::Subtype(s) if s.constraint.is_none() => Some((&s.mark, at)),
                _ => None,
            });
            let value = match given {
                Some((e, at)) => {
                    let here = std::mem::replace(&mut self.cx.scope, at);
                    let before = self.cx.cur;
                    let value = self.scalar(e, Some(ty));
                    self.cx.scope = here;
                    if self.in_component && self.cx.cur != before {
                        // It is evaluated once, with the type, not with every object.
                        self.reject(e.span, "a call in the constraint of a component");
                    }
                    value
                }
                _ => match &param.default {
                    Some(default) => {
                        let here = std::mem::replace(&mut self.cx.scope, scope);
                        let value = self.scalar(default, Some(ty));
                        self.cx.scope = here;
                        value
                    }
                    None => None,
                },
            };
            let value = match value {
                Some(value) => match self.enter_subtype(Val::Scalar(value, Some(ty)), ty) {
                    Val::Scalar(value, _) => Some(self.within(value, ty)),
                    _ => None,
                },
                None => None,
            };
            let has_value = given.is_some() || param.default.is_some();
            let obj = match (value, self.domain(ty)) {
                (Some(Model::Const(v)), Some(Domain::Range(lo, hi))) if v < lo || hi < v => {
                    self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                    Obj::Const(v)
                }
                (Some(Model::Const(v)), _) => Obj::Const(v),
                (None | Some(Model::Any), Some(_)) if has_value => {
                    self.unknown_into(ty);
                    Obj::Opaque
                }
                (Some(value), Some(domain)) => {
                    let cell = self.cell(
                        format!("{}{}", self.cx.prefix, param.name.text),
                        domain,
                        Value::Any,
                        param.name.span,
                    );
                    self.assign(Place::Var(cell), value);
                    Obj::Cell(cell)
                }
                _ => Obj::Opaque,
            };
            out.push((param, obj, ty));
        }
        out
    }

    pub(crate) fn make_task(
        &mut self,
        of: UnitTypeId,
        name: &str,
        span: Span,
        discriminants: Vec<(&'a Param, Obj, TypeId)>,
        master: MasterId,
    ) -> TaskId {
        let name = format!("{}{name}", self.cx.prefix);
        let task = self.program.add_task(name.clone(), Some(master), span);
        self.program.tasks[task.index()].background = self.unit_types[of.0].background;
        self.made_by.insert(task, self.cx.task);
        let scope = self.new_scope(self.unit_types[of.0].scope, name.clone());
        for (param, obj, ty) in discriminants {
            self.bind(scope, &param.name.key, Binding::Object { obj, ty, constant: true });
        }
        let entries = self.make_entries(of, scope, Owner::Task(task));
        let instance = Instance { of, scope, entries, name };
        self.task_instances.insert(task, Rc::new(instance));
        if self.unit_types[of.0].implements {
            let ty = self.new_type("task", TypeKind::Task { of, constraint: None });
            self.member(&Obj::Task(task), ty);
        }
        self.jobs.push_back(Job::Task(task));
        task
    }

    fn make_entries(
        &mut self,
        of: UnitTypeId,
        scope: ScopeId,
        owner: Owner,
    ) -> HashMap<String, EntrySet<'a>> {
        let mut sets = HashMap::new();
        let outer = std::mem::replace(&mut self.cx.scope, scope);
        for decl in self.unit_types[of.0].entries.clone() {
            let bounds = match &decl.family {
                None => None,
                Some(family) => match self.family_range(family) {
                    Some((lo, hi)) if hi.saturating_sub(lo) < self.bounds.array_elements => Some((lo, hi)),
                    _ => {
                        self.reject(decl.name.span, "an entry family whose bounds are not known");
                        Some((0, -1))
                    }
                },
            };
            let first = rendez_model::EntryId::from(self.program.entries.len());
            let indices: Vec<Option<i64>> = match bounds {
                None => vec![None],
                Some((lo, hi)) => (lo..=hi).map(Some).collect(),
            };
            for index in indices {
                let name = match index {
                    None => decl.name.text.clone(),
                    Some(i) => format!("{}({i})", decl.name.text),
                };
                self.program.add_entry(name, owner, None, decl.name.span);
            }
            let set = EntrySet { decl, first, bounds, scope };
            self.bind(scope, &decl.name.key, Binding::Entry(Rc::new(set.clone())));
            sets.insert(decl.name.key.clone(), set);
        }
        self.cx.scope = outer;
        sets
    }

    /// The index range of an entry family.
    fn family_range(&mut self, family: &'a Choice) -> Option<(i64, i64)> {
        if let Choice::Subtype(subtype) = family {
            self.check_constraint(subtype);
        }
        self.static_range(family, None)
    }

    pub(crate) fn make_protected(
        &mut self,
        of: UnitTypeId,
        name: &str,
        span: Span,
        discriminants: Vec<(&'a Param, Obj, TypeId)>,
    ) -> InstanceId {
        let name = format!("{}{name}", self.cx.prefix);
        let object = ObjectId::from(self.program.objects.len());
        self.program.objects.push(Protected { name: name.clone(), span });
        let id = InstanceId(object.index());
        let scope = self.new_scope(self.unit_types[of.0].scope, name.clone());
        for (param, obj, ty) in discriminants {
            self.bind(scope, &param.name.key, Binding::Object { obj, ty, constant: true });
        }
        let entries = self.make_entries(of, scope, Owner::Object(object));
        let instance = Instance { of, scope, entries, name: name.clone() };
        self.instances.push(Rc::new(instance));
        // Components belong to the object.
        let outer_scope = std::mem::replace(&mut self.cx.scope, scope);
        let outer_storage = std::mem::replace(&mut self.cx.storage, Storage::Component(object));
        let outer_prefix = std::mem::replace(&mut self.cx.prefix, format!("{name}."));
        let outer_locals = std::mem::take(&mut self.cx.locals);
        for decl in self.unit_types[of.0].items.clone() {
            match &decl.kind {
                DeclKind::Object { .. } => {
                    let outer = std::mem::replace(&mut self.in_component, true);
                    self.declare(decl);
                    self.in_component = outer;
                }
                DeclKind::Subprogram { spec, .. } => {
                    self.bind_operation(id, spec, scope, decl.span);
                }
                _ if crate::checks::Clause::of_pragma(decl).is_some() => {
                    self.program
                        .assume("contracts that pragmas give to protected operations hold", decl.span);
                }
                _ => {}
            }
        }
        self.cx.scope = outer_scope;
        self.cx.storage = outer_storage;
        self.cx.prefix = outer_prefix;
        self.cx.locals = outer_locals;
        self.attach_interrupts(id, span);
        id
    }

    /// The environment interrupts: a task in the background for every handler.
    fn attach_interrupts(&mut self, id: InstanceId, span: Span) {
        let of = self.instances[id.0].of;
        let mut handlers: Vec<String> = Vec::new();
        for item in &self.unit_types[of.0].items {
            match &item.kind {
                DeclKind::Subprogram { spec, .. }
                    if spec
                        .aspects
                        .iter()
                        .any(|a| matches!(a.name.key.as_str(), "attach_handler" | "interrupt_handler")) =>
                {
                    handlers.push(spec.ident.key.clone());
                }
                DeclKind::Pragma { name, args }
                    if matches!(name.key.as_str(), "attach_handler" | "interrupt_handler") =>
                {
                    handlers.extend(args.first().map(|a| crate::parse::last_ident(&a.1).key));
                }
                _ => {}
            }
        }
        for handler in handlers {
            let name = format!("{} interrupt {handler}", self.instances[id.0].name);
            let task = self.interrupt(name, span);
            self.jobs.push_back(Job::Interrupt { task, instance: id, handler });
        }
    }

    /// The same for entries of a task that the hardware calls.
    fn attach_entries(&mut self, of: TaskId, span: Span) {
        let instance = self.task_instances[&of].clone();
        for set in instance.entries.values().filter(|s| s.decl.interrupt) {
            let task = self.interrupt(format!("{} interrupt {}", instance.name, set.decl.name.text), span);
            let parameters = !set.decl.params.is_empty();
            self.jobs.push_back(Job::InterruptEntry { task, entry: set.first, parameters });
        }
    }

    /// A task of the environment, for an interrupt.
    fn interrupt(&mut self, name: String, span: Span) -> TaskId {
        let task = self.program.add_task(name, Some(self.cx.master), span);
        self.program.tasks[task.index()].background = true;
        self.cx.pending.push((task, self.cx.region));
        self.program.assume("interrupts that are handled come at any time, any number of times", span);
        task
    }

    // ---- reading and writing objects ---------------------------------------------------------

    /// The value of a scalar object.
    pub(crate) fn read(&mut self, obj: &Obj) -> Model {
        match obj {
            Obj::Cell(var) => Model::Var(*var),
            Obj::Const(value) => Model::Const(*value),
            Obj::Value(value) => value.clone(),
            Obj::Task(task) => Model::Const(i64::from(task.0)),
            Obj::Chosen { index, choices } => {
                if choices.iter().all(|c| matches!(c, Obj::Const(_))) {
                    let values = choices.iter().map(|c| if let Obj::Const(v) = c { *v } else { 0 }).collect();
                    let table = self.program.add_table("constants", 0, values);
                    return Model::Lookup(table, Box::new(index.clone()));
                }
                if choices.iter().all(|c| matches!(c, Obj::Task(_))) {
                    let values = choices
                        .iter()
                        .map(|c| if let Obj::Task(t) = c { i64::from(t.0) } else { -1 })
                        .collect();
                    let table = self.program.add_table("tasks", 0, values);
                    return Model::Lookup(table, Box::new(index.clone()));
                }
                if let Some(table) = self.cells(choices) {
                    return Model::Load(table, Box::new(index.clone()));
                }
                match self.part_of(obj) {
                    Obj::Among(table) => Model::Load(table, Box::new(Model::Any)),
                    _ => Model::Any,
                }
            }
            Obj::Designated { pool, index, path } => {
                let table = self.fixup(FixupSource::Pool(*pool, path.clone()), Leaf::Cell);
                Model::Load(table, Box::new(index.clone()))
            }
            Obj::Among(table) => Model::Load(*table, Box::new(Model::Any)),
            Obj::Array(_) | Obj::Record(_) | Obj::Protected(_) | Obj::Opaque => Model::Any,
        }
    }

    /// Where an assignment to a scalar object goes.
    pub(crate) fn place(&mut self, obj: &Obj) -> Place {
        match obj {
            Obj::Cell(var) => Place::Var(*var),
            Obj::Chosen { index, choices } => match self.cells(choices) {
                Some(table) => Place::Indexed(table, index.clone()),
                None => match self.part_of(obj) {
                    Obj::Among(table) => Place::Indexed(table, Model::Any),
                    _ => Place::Nowhere,
                },
            },
            Obj::Designated { pool, index, path } => {
                let table = self.fixup(FixupSource::Pool(*pool, path.clone()), Leaf::Cell);
                Place::Indexed(table, index.clone())
            }
            Obj::Among(table) => Place::Indexed(*table, Model::Any),
            _ => Place::Nowhere,
        }
    }

    fn cells(&mut self, choices: &[Obj]) -> Option<rendez_model::TableId> {
        let values: Option<Vec<i64>> =
            choices.iter().map(|c| if let Obj::Cell(v) = c { Some(i64::from(v.0)) } else { None }).collect();
        Some(self.program.add_table("cells", 0, values?))
    }

    /// A table to be filled when all objects are known.
    pub(crate) fn fixup(&mut self, source: FixupSource, leaf: Leaf) -> rendez_model::TableId {
        let key = match &source {
            FixupSource::Pool(pool, path) => format!("{pool:?}{path:?}{leaf:?}"),
            FixupSource::Tasks => format!("tasks{leaf:?}"),
        };
        if let Some(table) = self.fixup_tables.get(&key) {
            return *table;
        }
        // A value that no other table has keeps it apart until it is filled.
        let table = rendez_model::TableId::from(self.program.tables.len());
        self.program.tables.push(rendez_model::Table {
            name: "designated".into(),
            first: 0,
            values: vec![i64::MIN + table.index() as i64],
        });
        self.fixups.push(Fixup { table, source, leaf });
        self.fixup_tables.insert(key, table);
        table
    }

    pub(crate) fn pool(&mut self, ty: TypeId) -> PoolId {
        // Objects of different types may be designated by access to a class.
        if self.is_tagged(ty) || matches!(self.kind(ty), TypeKind::Protected { .. } | TypeKind::Task { .. }) {
            return PoolId(0);
        }
        let root = self.root(ty);
        if let Some(pool) = self.pool_of.get(&root) {
            return *pool;
        }
        let pool = PoolId(self.pools.len());
        self.pools.push(Vec::new());
        self.pool_of.insert(root, pool);
        pool
    }

    /// The number of an object in its pool.
    pub(crate) fn member(&mut self, obj: &Obj, ty: TypeId) -> usize {
        let pool = self.pool(ty);
        let known = self.pools[pool.0].iter().position(|(o, _)| same(o, obj));
        known.unwrap_or_else(|| {
            self.pools[pool.0].push((obj.clone(), ty));
            self.pools[pool.0].len() - 1
        })
    }

    /// An object whose address is taken, and its parts, may be designated by access values of unknown origin.
    pub(crate) fn expose(&mut self, obj: &Obj, ty: TypeId) {
        match obj {
            Obj::Cell(_) | Obj::Array(_) | Obj::Record(_) => {
                self.member(obj, ty);
            }
            Obj::Chosen { choices, .. } => choices.iter().for_each(|c| self.expose(c, ty)),
            _ => {}
        }
        if let Obj::Array(_) | Obj::Record(_) = obj {
            for (part, ty) in self.components(obj, ty).unwrap_or_default() {
                self.expose(&part, ty);
            }
        }
    }

    /// The number that an access value to this object has.
    pub(crate) fn reference_to(&mut self, obj: &Obj, ty: TypeId) -> Model {
        match obj {
            // Access values to tasks are task numbers.
            Obj::Task(task) => Model::Const(i64::from(task.0)),
            Obj::Chosen { .. } if matches!(self.kind(ty), TypeKind::Task { .. }) => self.read(obj),
            Obj::Designated { index, path, .. } if path.is_empty() => index.clone(),
            Obj::Opaque | Obj::Designated { .. } | Obj::Among(_) => Model::Any,
            Obj::Chosen { index, choices } => {
                let numbers: Vec<i64> =
                    choices.iter().map(|c| self.reference_to(c, ty).constant().unwrap_or(-1)).collect();
                let table = self.program.add_table("references", 0, numbers);
                Model::Lookup(table, Box::new(index.clone()))
            }
            _ => {
                let number = self.member(obj, ty);
                Model::Const(number as i64)
            }
        }
    }

    /// What an access value designates.
    pub(crate) fn designated(&mut self, value: Model, target: TypeId) -> Obj {
        if let (Model::Const(n), TypeKind::Task { .. }) = (&value, self.kind(target))
            && *n >= 0
        {
            return Obj::Task(TaskId(*n as u32));
        }
        let pool = self.pool(target);
        if let Model::Const(n) = value
            && let Some(obj) = usize::try_from(n).ok().and_then(|n| self.pools[pool.0].get(n))
        {
            return obj.0.clone();
        }
        // What may be called must be known.
        if value.is_any() && (self.is_active(target) || self.types[target.0].class_wide) {
            return Obj::Opaque;
        }
        Obj::Designated { pool, index: value, path: Rc::new(Vec::new()) }
    }

    /// Follows access values until something else is found.
    pub(crate) fn dereferenced(&mut self, obj: Obj, ty: TypeId) -> (Obj, TypeId) {
        match *self.kind(ty) {
            TypeKind::Access { target, .. } => {
                let value = self.read(&obj);
                (self.designated(value, target), target)
            }
            _ => (obj, ty),
        }
    }

    /// A component of a record object.
    pub(crate) fn field(&mut self, obj: &Obj, ty: TypeId, name: &str) -> Option<(Obj, TypeId)> {
        match obj {
            Obj::Record(fields) => fields.iter().find(|f| f.0 == name).map(|f| (f.1.clone(), f.2)),
            Obj::Chosen { index, choices } => {
                let mut found = Vec::new();
                let mut field_type = None;
                for choice in choices.iter() {
                    let (obj, ty) = self.field(choice, ty, name)?;
                    found.push(obj);
                    field_type = Some(ty);
                }
                Some((Obj::Chosen { index: index.clone(), choices: Rc::new(found) }, field_type?))
            }
            Obj::Designated { pool, index, path } => {
                let field_type = self.fields(ty).iter().find(|f| f.0 == name)?.1;
                let mut path = path.as_ref().clone();
                path.push(Step::Field(name.to_owned()));
                Some((Obj::Designated { pool: *pool, index: index.clone(), path: Rc::new(path) }, field_type))
            }
            _ => {
                let field_type = self.fields(ty).iter().find(|f| f.0 == name)?.1;
                Some((self.part_of(obj), field_type))
            }
        }
    }

    /// An element of an array object.
    pub(crate) fn element(&mut self, obj: &Obj, ty: TypeId, indices: &[Model]) -> (Obj, TypeId) {
        let (bounds, element) = match (obj, self.kind(ty).clone()) {
            (Obj::Array(array), _) => (array.bounds.clone(), array.element),
            (Obj::Chosen { choices, .. }, _) if matches!(choices.first(), Some(Obj::Array(_))) => {
                let Some(Obj::Array(array)) = choices.first() else { return (Obj::Opaque, self.std.opaque) };
                (array.bounds.clone(), array.element)
            }
            (_, TypeKind::Array { bounds: Some(bounds), element, .. }) => (bounds, element),
            (_, kind) => {
                self.doubt();
                indices.iter().for_each(|i| self.note(i.clone()));
                let element = match kind {
                    TypeKind::Array { element, .. } => element,
                    _ => self.std.opaque,
                };
                return (self.part_of(obj), element);
            }
        };
        if indices.len() != bounds.len() {
            return (self.part_of(obj), element);
        }
        let mut position = Model::Const(0);
        let mut length = 1;
        for (index, (lo, hi)) in indices.iter().zip(&bounds) {
            let size = crate::env::length((*lo, *hi));
            length = i64::saturating_mul(length, size);
            if let Model::Const(i) = index
                && (i < lo || i > hi)
            {
                self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                return (Obj::Opaque, element);
            }
            let checked = match index {
                Model::Const(_) => index.clone(),
                Model::Any => {
                    self.doubt();
                    Model::Any
                }
                _ => Model::Check(Box::new(index.clone()), *lo, *hi),
            };
            use rendez_model::BinaryOp::*;
            let offset = if *lo == 0 { checked } else { Model::binary(Subtract, checked, Model::Const(*lo)) };
            position = match &position {
                Model::Const(0) => offset,
                _ => Model::binary(Add, Model::binary(Multiply, position, Model::Const(size)), offset),
            };
        }
        let element_obj = match obj {
            // Its elements are not told apart.
            Obj::Designated { .. } if self.is_whole(ty) => {
                self.note(position);
                self.part_of(obj)
            }
            Obj::Array(array) => match &position {
                Model::Const(i) => array.elements[*i as usize].clone(),
                _ => Obj::Chosen { index: position, choices: Rc::new(array.elements.clone()) },
            },
            Obj::Chosen { index, choices } => {
                let mut all = Vec::new();
                for choice in choices.iter() {
                    match choice {
                        Obj::Array(array) if array.elements.len() as i64 == length => {
                            all.extend(array.elements.iter().cloned());
                        }
                        _ => {
                            self.note(position);
                            self.note(index.clone());
                            return (self.part_of(obj), element);
                        }
                    }
                }
                use rendez_model::BinaryOp::*;
                let index = Model::binary(
                    Add,
                    Model::binary(Multiply, index.clone(), Model::Const(length)),
                    position,
                );
                Obj::Chosen { index, choices: Rc::new(all) }
            }
            Obj::Designated { pool, index, path } => {
                let mut path = path.as_ref().clone();
                let index = match position {
                    Model::Const(i) => {
                        path.push(Step::Element(i as usize));
                        index.clone()
                    }
                    position => {
                        path.push(Step::AnyElement(length as usize));
                        use rendez_model::BinaryOp::*;
                        Model::binary(
                            Add,
                            Model::binary(Multiply, index.clone(), Model::Const(length)),
                            position,
                        )
                    }
                };
                Obj::Designated { pool: *pool, index, path: Rc::new(path) }
            }
            _ => {
                self.note(position);
                self.part_of(obj)
            }
        };
        (element_obj, element)
    }

    /// The direct components of a composite object.
    pub(crate) fn components(&mut self, obj: &Obj, ty: TypeId) -> Option<Vec<(Obj, TypeId)>> {
        match (obj, self.kind(ty).clone()) {
            (Obj::Record(fields), _) => Some(fields.iter().map(|f| (f.1.clone(), f.2)).collect()),
            (Obj::Array(array), _) => {
                Some(array.elements.iter().map(|e| (e.clone(), array.element)).collect())
            }
            (Obj::Chosen { .. } | Obj::Designated { .. }, TypeKind::Record { .. }) => {
                let names: Vec<String> = self.fields(ty).iter().map(|f| f.0.clone()).collect();
                names.iter().map(|n| self.field(obj, ty, n)).collect()
            }
            (Obj::Chosen { choices, .. }, TypeKind::Array { .. }) => {
                let Some(Obj::Array(array)) = choices.first() else { return None };
                self.all_elements(obj, ty, &array.bounds.clone())
            }
            (Obj::Designated { .. }, TypeKind::Array { bounds: Some(bounds), .. }) if !self.is_whole(ty) => {
                self.all_elements(obj, ty, &bounds)
            }
            _ => None,
        }
    }

    fn all_elements(&mut self, obj: &Obj, ty: TypeId, bounds: &[(i64, i64)]) -> Option<Vec<(Obj, TypeId)>> {
        let mut index: Vec<i64> = bounds.iter().map(|b| b.0).collect();
        let size = elements(bounds);
        if size > self.bounds.array_elements {
            return None;
        }
        let mut all = Vec::new();
        for _ in 0..size {
            let at: Vec<Model> = index.iter().map(|i| Model::Const(*i)).collect();
            all.push(self.element(obj, ty, &at));
            for d in (0..index.len()).rev() {
                index[d] += 1;
                if index[d] <= bounds[d].1 {
                    break;
                }
                index[d] = bounds[d].0;
            }
        }
        Some(all)
    }

    /// All parts of an object that have a cell of their own, in a fixed order.
    pub(crate) fn leaves(&mut self, obj: &Obj, ty: TypeId) -> Vec<(Obj, TypeId)> {
        match self.kind(ty) {
            TypeKind::Array { .. } | TypeKind::Record { .. } => match (self.components(obj, ty), obj) {
                (Some(parts), _) => parts.into_iter().flat_map(|(o, t)| self.leaves(&o, t)).collect(),
                (None, Obj::Designated { .. }) => vec![(self.part_of(obj), ty)],
                (None, Obj::Cell(_) | Obj::Among(_) | Obj::Chosen { .. }) => vec![(obj.clone(), ty)],
                (None, _) => Vec::new(),
            },
            TypeKind::Task { .. } | TypeKind::Protected { .. } => Vec::new(),
            _ => vec![(obj.clone(), ty)],
        }
    }

    /// Assigns the value of an expression to an object.
    pub(crate) fn assign_expr(&mut self, target: &Obj, ty: TypeId, value: &'a syntax::Expr) {
        if let ExprKind::Aggregate(components) = &value.kind {
            let fresh = self.in_declaration || self.fresh || self.is_active(ty);
            if fresh && self.assign_aggregate(target, ty, components) {
                return self.check_predicates(target, ty);
            }
            if self.assign_constants(target, ty, components) {
                return;
            }
        }
        let aggregate = matches!(value.kind, ExprKind::Aggregate(_));
        // The value is there as a whole before anything of the target changes; it has the target's bounds.
        let shape = match (target, self.kind(ty).clone()) {
            (Obj::Array(array), TypeKind::Array { bounds: None, dimensions, element }) if aggregate => {
                let kind = TypeKind::Array { bounds: Some(array.bounds.clone()), dimensions, element };
                self.new_subtype("array", ty, kind)
            }
            _ => ty,
        };
        // Whatever the evaluation writes is not the target.
        let declared = std::mem::take(&mut self.in_declaration);
        let fresh = std::mem::take(&mut self.fresh);
        let value = self.value(value, Some(shape));
        (self.in_declaration, self.fresh) = (declared, fresh);
        match value {
            value @ Val::Unknown { .. } if aggregate => {
                let unknown = self.enter_subtype(value, ty);
                self.note_value(unknown);
                self.forget(target, ty);
            }
            value => self.assign_value(target, ty, value),
        }
    }

    /// Assigns an aggregate whose components are constants that fit: then nobody can tell in which order. False if
    /// it is another one.
    fn assign_constants(&mut self, target: &Obj, ty: TypeId, given: &'a [Component]) -> bool {
        fn constant(e: &Elaborator, value: &syntax::Expr) -> bool {
            match &value.kind {
                ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Null => true,
                ExprKind::Unary(Unary::Minus, value) => matches!(value.kind, ExprKind::Int(_)),
                ExprKind::Name(name) => matches!(
                    e.look_up(e.cx.scope, &name.key).first(),
                    Some(
                        Binding::Literal(..)
                            | Binding::Number(_)
                            | Binding::Object { obj: Obj::Const(_), .. }
                    )
                ),
                ExprKind::Aggregate(given) => given.iter().all(|c| constant(e, &c.value)),
                _ => false,
            }
        }
        let discriminated =
            matches!(self.kind(ty), TypeKind::Record { discriminants, .. } if !discriminants.is_empty());
        if discriminated || !given.iter().all(|c| constant(self, &c.value)) || !self.predicates(ty).is_empty()
        {
            return false;
        }
        let (first, rejected) = (self.program.nodes.len(), self.rejected.len());
        let probe = self.reserve();
        let before = std::mem::replace(&mut self.cx.cur, probe);
        let noted = std::mem::take(&mut self.cx.reads);
        let understood = self.assign_aggregate(target, ty, given) && self.cx.reads.is_empty();
        let plain = |node: &rendez_model::Node| match &node.action {
            Action::Assign { to: Place::Var(cell), value: Model::Const(value), .. } => {
                match self.program.vars[cell.index()].domain {
                    Domain::Range(lo, hi) => (lo..=hi).contains(value),
                    Domain::Opaque => true,
                }
            }
            Action::Assign { to: Place::Var(cell), value: Model::Any, .. } => {
                self.program.vars[cell.index()].domain == Domain::Opaque
            }
            // The location where it ends.
            Action::Return => true,
            _ => false,
        };
        let plain = understood && self.program.nodes[first..].iter().all(plain);
        self.cx.reads = noted;
        if !plain {
            self.rejected.truncate(rejected);
            self.cx.cur = before;
            return false;
        }
        let end = std::mem::replace(&mut self.cx.cur, before);
        self.put(Action::Skip { next: probe });
        self.cx.cur = end;
        true
    }

    pub(crate) fn assign_value(&mut self, target: &Obj, ty: TypeId, value: Val) {
        let value = self.enter_subtype(value, ty);
        self.store_value(target, ty, value);
    }

    /// Assigns a value that satisfies the predicates of the target.
    pub(crate) fn store_value(&mut self, target: &Obj, ty: TypeId, value: Val) {
        match value {
            Val::Scalar(value, from) => {
                let to = self.place(target);
                if self.domain(ty).is_none() {
                    self.unfollowed_check(ty);
                }
                if value.is_any() && !self.covers(ty, from) {
                    self.unknown_into(ty);
                }
                self.accessibility(ty, from, &value);
                if let TypeKind::Access { constrained: true, .. } = self.kind(ty)
                    && value != Model::Const(-1)
                {
                    self.perhaps(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                }
                self.assign(to, value);
            }
            Val::Composite(source, source_type) => {
                match self.same_lengths(target, ty, &source, source_type) {
                    Some(true) => {}
                    Some(false) => return self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR),
                    None => self.unknown_into(ty),
                }
                self.check_discriminants(target, ty, &source);
                let from = self.leaves(&source, source_type);
                let to = self.leaves(target, ty);
                if from.len() == to.len() {
                    self.copy(&from, &to);
                } else {
                    self.note_object(&source, source_type);
                    self.forget(target, ty);
                }
            }
            Val::Unknown { .. } => {
                self.unfollowed_check(ty);
                self.unknown_into(ty);
                self.forget(target, ty);
            }
        }
    }

    /// Assigns one part after the other.
    fn copy(&mut self, from: &[(Obj, TypeId)], to: &[(Obj, TypeId)]) {
        let mut values: Vec<Model> = from.iter().map(|(from, _)| self.read(from)).collect();
        let places: Vec<Place> = to.iter().map(|(to, _)| self.place(to)).collect();
        // All is read before anything is written.
        for i in 1..values.len() {
            let mut written = false;
            values[i].each_cell(&self.program, &mut |cell| {
                places[..i].iter().for_each(|p| p.each_cell(&self.program, |c| written |= c == cell));
            });
            if written {
                values = values.into_iter().map(|v| self.kept(v)).collect();
                break;
            }
        }
        for (place, value) in places.into_iter().zip(values) {
            self.assign(place, value);
        }
    }

    /// Whether two arrays have the same lengths, if that is known; true of anything else.
    pub(crate) fn same_lengths(
        &self,
        target: &Obj,
        ty: TypeId,
        source: &Obj,
        source_type: TypeId,
    ) -> Option<bool> {
        if !matches!(self.kind(ty), TypeKind::Array { .. }) {
            return Some(true);
        }
        let lengths = |obj: &Obj, ty: TypeId| -> Option<Vec<i64>> {
            let bounds = match (obj, self.kind(ty)) {
                (Obj::Array(array), _) => &array.bounds,
                (_, TypeKind::Array { bounds: Some(bounds), .. }) => bounds,
                _ => return None,
            };
            Some(bounds.iter().map(|b| length(*b)).collect())
        };
        Some(lengths(target, ty)? == lengths(source, source_type)?)
    }

    /// Discriminants that are fixed must have the same values in what is assigned.
    fn check_discriminants(&mut self, target: &Obj, ty: TypeId, source: &Obj) {
        let (Obj::Record(to), Obj::Record(from)) = (target, source) else {
            self.check_unknown_discriminants(target, ty, source);
            return self.unfollowed_check(ty);
        };
        let fixed = |o: &Obj| matches!(o, Obj::Const(_));
        if let TypeKind::Record { discriminants, .. } = *self.kind(ty)
            && !discriminants.iter().all(|d| to.iter().any(|f| f.0 == d.name.key && fixed(&f.1)))
        {
            self.check_unknown_discriminants(target, ty, source);
        }
        let constrained: &[Param] = match *self.kind(ty) {
            TypeKind::Record { discriminants, constraint: Some(_), .. } => discriminants,
            _ => &[],
        };
        for (name, obj, _) in to.iter() {
            let Some(other) = from.iter().find(|f| f.0 == *name) else { continue };
            match obj {
                Obj::Const(fixed) => {
                    let value = self.read(&other.1);
                    self.check_equal(*fixed, value);
                }
                obj if constrained.iter().any(|d| d.name.key == *name) => {
                    match (self.read(obj), self.read(&other.1)) {
                        (Model::Any, _) | (_, Model::Any) => self.doubt(),
                        (a, b) if a == b => {}
                        (a, b) => {
                            self.require(Model::equal(a, b), rendez_model::ExceptionId::CONSTRAINT_ERROR);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether the discriminants of the target may change is not known here: those of a variable may if they have
    /// defaults; those of what an allocator made may not; a parameter has those of its argument.
    fn check_unknown_discriminants(&mut self, target: &Obj, ty: TypeId, source: &Obj) {
        let TypeKind::Record { discriminants, .. } = *self.kind(ty) else { return };
        if self.in_declaration || self.fresh {
            return;
        }
        for param in discriminants {
            let key = &param.name.key;
            let (to, from) = (self.field(target, ty, key), self.field(source, ty, key));
            let same = match (to, from) {
                (Some((to, _)), Some((from, _))) => {
                    let (to, from) = (self.read(&to), self.read(&from));
                    !to.is_any() && to == from
                }
                _ => false,
            };
            if !same {
                return self.doubt();
            }
        }
    }

    /// An argument has the discriminants that the subtype of its parameter says.
    pub(crate) fn check_constrained(&mut self, obj: &Obj, from: TypeId, ty: TypeId) {
        let TypeKind::Record { discriminants, scope, constraint: Some(constraint), .. } = *self.kind(ty)
        else {
            return;
        };
        for (param, fixed, _) in self.bind_discriminants(discriminants, scope, Some(constraint)) {
            match (fixed, self.field(obj, from, &param.name.key)) {
                (Obj::Const(fixed), Some((given, _))) => {
                    let value = self.read(&given);
                    self.check_equal(fixed, value);
                }
                _ => self.doubt(),
            }
        }
    }

    /// Raises Constraint_Error unless a value is the one that it must be.
    fn check_equal(&mut self, fixed: i64, value: Model) {
        match value {
            Model::Const(v) if v == fixed => {}
            Model::Any => self.doubt(),
            value => {
                let (same, differs) = self.branch(Some(Model::equal(value, Model::Const(fixed))));
                self.cx.cur = differs;
                self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
                self.cx.cur = same;
            }
        }
    }

    /// Range checks on values that are not followed are taken to succeed, unless the program is
    /// prepared for their failure.
    pub(crate) fn unfollowed_check(&mut self, ty: TypeId) {
        let unfollowed = match self.kind(ty) {
            TypeKind::Opaque | TypeKind::Real => true,
            TypeKind::Record { discriminants, .. } => !discriminants.is_empty(),
            _ => false,
        };
        let prepared = self.cx.prepared_for.contains(&rendez_model::ExceptionId::CONSTRAINT_ERROR);
        if unfollowed && (prepared || self.bounds.checks == Checks::MayFail) {
            self.perhaps(rendez_model::ExceptionId::CONSTRAINT_ERROR);
        } else if self.narrow.contains(&ty) {
            self.doubt();
        }
    }

    /// Whether every value of a type is one of another.
    fn covers(&self, ty: TypeId, from: Option<TypeId>) -> bool {
        match (self.range_of(ty), from.and_then(|f| self.range_of(f))) {
            (Some((lo, hi)), Some((least, most))) => lo <= least && most <= hi,
            _ => false,
        }
    }

    /// What an anonymous access value designates must live as long as the type that it is converted to: nobody
    /// follows that.
    pub(crate) fn accessibility(&mut self, ty: TypeId, from: Option<TypeId>, value: &Model) {
        let anonymous =
            |t: TypeId| self.types[t.0].name == "access" && matches!(self.kind(t), TypeKind::Access { .. });
        let known = matches!(value, Model::Const(_));
        if !known
            && from.is_some_and(anonymous)
            && !anonymous(ty)
            && matches!(self.kind(ty), TypeKind::Access { .. })
        {
            self.doubt();
        }
    }

    /// The object may now have any value.
    pub(crate) fn forget(&mut self, target: &Obj, ty: TypeId) {
        for (leaf, _) in self.leaves(target, ty) {
            let place = self.place(&leaf);
            self.assign(place, Model::Any);
        }
    }

    /// The environment gives the object a value.
    pub(crate) fn input(&mut self, target: &Obj, ty: TypeId) {
        for (leaf, _) in self.leaves(target, ty) {
            let to = self.place(&leaf);
            if self.is_unfollowed(&to) || matches!(leaf, Obj::Among(_)) {
                self.assign(to, Model::Any);
            } else if to != Place::Nowhere {
                self.emit(|next| Action::Havoc { to, next });
            }
        }
    }

    /// Assigns an aggregate component by component; false if its shape is not understood.
    pub(crate) fn assign_aggregate(&mut self, target: &Obj, ty: TypeId, given: &'a [Component]) -> bool {
        if !matches!(target, Obj::Array(_)) && self.is_whole(ty) {
            return false;
        }
        match self.kind(ty).clone() {
            TypeKind::Record { .. } => {
                let Some(names) = self.present_fields(ty, given) else { return false };
                let mut done = vec![false; names.len()];
                let mut next = 0;
                for component in given {
                    if component.choices.is_empty() {
                        if next < names.len() {
                            self.assign_component(target, ty, &names[next].0, &component.value);
                            done[next] = true;
                        }
                        next += 1;
                        continue;
                    }
                    for choice in &component.choices {
                        match choice {
                            Choice::Expr(e) => {
                                let key = crate::parse::last_ident(e).key;
                                self.assign_component(target, ty, &key, &component.value);
                                if let Some(i) = names.iter().position(|n| n.0 == key) {
                                    done[i] = true;
                                }
                            }
                            _ => {
                                for (i, (name, _)) in names.iter().enumerate() {
                                    if !std::mem::replace(&mut done[i], true) {
                                        self.assign_component(target, ty, name, &component.value);
                                    }
                                }
                            }
                        }
                    }
                }
                true
            }
            TypeKind::Array { .. } => {
                let (bounds, element) = match target {
                    Obj::Array(array) => (array.bounds.clone(), array.element),
                    _ => match self.kind(ty) {
                        TypeKind::Array { bounds: Some(bounds), element, .. } => (bounds.clone(), *element),
                        _ => return false,
                    },
                };
                let slides = self.slides_within(ty).filter(|_| bounds.len() == 1);
                if bounds.len() > 1 {
                    return self.assign_matrix(target, ty, &bounds, element, given, &mut Vec::new());
                }
                let Some(values) = self.spread(bounds[0], slides, given) else { return false };
                for (index, value) in values {
                    let (obj, element) = self.element(target, ty, &[Model::Const(index)]);
                    if !matches!(value.kind, ExprKind::Default) {
                        self.assign_expr(&obj, element, value);
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// The components that a record aggregate gives values to, in order: those of the variant
    /// that its discriminant selects. None if that cannot be told.
    fn present_fields(&mut self, ty: TypeId, given: &'a [Component]) -> Option<Vec<(String, TypeId)>> {
        let all = self.fields(ty).as_ref().clone();
        let TypeKind::Record { def, scope, .. } = *self.kind(ty) else { return Some(all) };
        let mut absent: Vec<String> = Vec::new();
        self.absent_fields(def, scope, &all, given, &mut absent)?;
        Some(all.into_iter().filter(|f| !absent.contains(&f.0)).collect())
    }

    fn absent_fields(
        &mut self,
        def: &'a RecordDef,
        scope: ScopeId,
        all: &[(String, TypeId)],
        given: &'a [Component],
        absent: &mut Vec<String>,
    ) -> Option<()> {
        let Some(part) = &def.variants else { return Some(()) };
        let (position, (_, ty)) = all.iter().enumerate().find(|(_, f)| f.0 == part.on.key)?;
        let named = given.iter().find(|c| {
            c.choices.iter().any(|choice| match choice {
                Choice::Expr(e) => crate::parse::last_ident(e).key == part.on.key,
                _ => false,
            })
        });
        let value = named.or_else(|| given.get(position).filter(|c| c.choices.is_empty()))?;
        let value = self.scalar(&value.value, Some(*ty))?;
        value.constant()?;
        let mut found = false;
        for (choices, inner) in &part.variants {
            let here = std::mem::replace(&mut self.cx.scope, scope);
            let chosen = self.chosen(&value, choices, Some(*ty)).constant();
            self.cx.scope = here;
            if chosen? != 0 && !found {
                found = true;
                self.absent_fields(inner, scope, all, given, absent)?;
            } else {
                all_names(inner, absent);
            }
        }
        Some(())
    }

    fn assign_matrix(
        &mut self,
        target: &Obj,
        ty: TypeId,
        bounds: &[(i64, i64)],
        element: TypeId,
        given: &'a [Component],
        at: &mut Vec<Model>,
    ) -> bool {
        let Some(values) = self.spread(bounds[at.len()], None, given) else { return false };
        for (index, value) in values {
            at.push(Model::Const(index));
            let done = if at.len() == bounds.len() {
                let (obj, _) = self.element(target, ty, at);
                if !matches!(value.kind, ExprKind::Default) {
                    self.assign_expr(&obj, element, value);
                }
                true
            } else if let ExprKind::Aggregate(inner) = &value.kind {
                self.assign_matrix(target, ty, bounds, element, inner, at)
            } else {
                false
            };
            at.pop();
            if !done {
                return false;
            }
        }
        true
    }

    /// The range of the index subtype of an array type: an aggregate with other bounds than its target slides to those,
    /// but not out of this range (RM 4.3.3, 4.6), nor where it is qualified (4.7).
    fn slides_within(&mut self, ty: TypeId) -> Option<(i64, i64)> {
        if std::mem::take(&mut self.exact_bounds) {
            return None;
        }
        let root = self.root(ty);
        match (self.index_ranges.get(&root), self.kind(root)) {
            (Some(ranges), _) => ranges.first().copied().flatten(),
            (None, TypeKind::Array { bounds: Some(bounds), .. }) => bounds.first().copied(),
            _ => None,
        }
    }

    /// Which value goes to which index of a one-dimensional aggregate, which may slide from within a range.
    fn spread(
        &mut self,
        (lo, hi): (i64, i64),
        slides: Option<(i64, i64)>,
        given: &'a [Component],
    ) -> Option<Vec<(i64, &'a syntax::Expr)>> {
        if hi.saturating_sub(lo) >= self.bounds.array_elements {
            return None;
        }
        let mut values: Vec<(i64, &'a syntax::Expr)> = Vec::new();
        let mut next = lo;
        for component in given {
            if component.choices.is_empty() {
                values.push((next, &component.value));
                next += 1;
            }
            for choice in &component.choices {
                match choice {
                    Choice::Others => {
                        let rest: Vec<i64> =
                            (lo..=hi).filter(|i| !values.iter().any(|v| v.0 == *i)).collect();
                        values.extend(rest.into_iter().map(|i| (i, &component.value)));
                    }
                    choice => {
                        let (a, b) = match self.static_range(choice, None) {
                            Some(range) => range,
                            None => {
                                let Choice::Expr(e) = choice else { return None };
                                let i = self.scalar(e, None)?.constant()?;
                                (i, i)
                            }
                        };
                        if b.saturating_sub(a) > self.bounds.array_elements {
                            return None;
                        }
                        values.extend((a..=b).map(|i| (i, &component.value)));
                    }
                }
            }
        }
        // Without others, an aggregate has bounds of its own.
        let others = given.iter().flat_map(|c| &c.choices).any(|c| matches!(c, Choice::Others));
        let within = |(least, most): &(i64, i64)| values.iter().all(|v| (*least..=*most).contains(&v.0));
        if !others
            && slides.as_ref().is_some_and(within)
            && let Some(first) = values.iter().map(|v| v.0).min()
        {
            values.iter_mut().for_each(|v| v.0 = v.0.saturating_sub(first).saturating_add(lo));
        }
        if values.iter().any(|v| v.0 < lo || hi < v.0) || values.len() as i64 != length((lo, hi)) {
            self.raise(rendez_model::ExceptionId::CONSTRAINT_ERROR);
            values.clear();
        }
        Some(values)
    }

    fn assign_component(&mut self, target: &Obj, ty: TypeId, name: &str, value: &'a syntax::Expr) {
        if matches!(value.kind, ExprKind::Default) {
            return;
        }
        match self.field(target, ty, name) {
            Some((Obj::Const(fixed), ty)) => {
                if let Some(value) = self.scalar(value, Some(ty)) {
                    self.check_equal(fixed, value);
                }
            }
            Some((obj, ty)) => self.assign_expr(&obj, ty, value),
            None => self.effects(value),
        }
    }
}

/// Every cell of an object.
pub(crate) fn cells_in(obj: &Obj, out: &mut Vec<i64>) {
    match obj {
        Obj::Cell(cell) => out.push(i64::from(cell.0)),
        Obj::Array(array) => array.elements.iter().for_each(|e| cells_in(e, out)),
        Obj::Record(fields) => fields.iter().for_each(|f| cells_in(&f.1, out)),
        Obj::Chosen { choices, .. } => choices.iter().for_each(|c| cells_in(c, out)),
        _ => {}
    }
}

/// Whether the constraint of a component names a discriminant.
fn depends_on(ty: &TypeRef, name: &str) -> bool {
    fn expr(e: &syntax::Expr, name: &str) -> bool {
        match &e.kind {
            ExprKind::Name(ident) => ident.key == name,
            ExprKind::Call(prefix, args) => expr(prefix, name) || args.iter().any(|a| choice(&a.value, name)),
            ExprKind::Binary(_, a, b) => expr(a, name) || expr(b, name),
            ExprKind::Unary(_, a) | ExprKind::Qualified(_, a) | ExprKind::Attribute(a, _) => expr(a, name),
            _ => false,
        }
    }
    fn choice(c: &Choice, name: &str) -> bool {
        match c {
            Choice::Expr(e) => expr(e, name),
            Choice::Range(a, b) => expr(a, name) || expr(b, name),
            Choice::Subtype(s) => expr(&s.mark, name) || constraint(s.constraint.as_ref(), name),
            Choice::RangeOf(..) | Choice::Open(_) | Choice::Others => false,
        }
    }
    fn constraint(c: Option<&Constraint>, name: &str) -> bool {
        match c {
            Some(Constraint::Range(range)) => choice(range, name),
            Some(Constraint::Args(args)) => args.iter().any(|a| choice(&a.value, name)),
            _ => false,
        }
    }
    match ty {
        TypeRef::Subtype(s) => constraint(s.constraint.as_ref(), name),
        TypeRef::Array(ranges, _) => ranges.iter().any(|r| choice(r, name)),
        _ => false,
    }
}

/// Every component of a record definition, variants included.
fn all_names(def: &RecordDef, out: &mut Vec<String>) {
    for decl in &def.components {
        if let DeclKind::Object { names, .. } = &decl.kind {
            out.extend(names.iter().map(|n| n.key.clone()));
        }
    }
    for (_, inner) in def.variants.iter().flat_map(|v| &v.variants) {
        all_names(inner, out);
    }
}

pub(crate) fn same(a: &Obj, b: &Obj) -> bool {
    match (a, b) {
        (Obj::Cell(a), Obj::Cell(b)) => a == b,
        (Obj::Task(a), Obj::Task(b)) => a == b,
        (Obj::Protected(a), Obj::Protected(b)) => a == b,
        (Obj::Array(a), Obj::Array(b)) => Rc::ptr_eq(a, b),
        (Obj::Record(a), Obj::Record(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}
