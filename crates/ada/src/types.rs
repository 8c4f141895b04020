//! Types: what is known of their values.

use std::rc::Rc;

use rendez_model::{Domain, Expr as Model};

use crate::elaborate::Elaborator;
use crate::env::{Type, *};
use crate::syntax::{self, *};

impl<'a> Elaborator<'a> {
    pub(crate) fn new_type(&mut self, name: impl Into<String>, kind: TypeKind<'a>) -> TypeId {
        let id = TypeId(self.types.len());
        let scope = self.cx.scope;
        self.types.push(Type {
            name: name.into(),
            root: id,
            kind,
            scope,
            parent: None,
            class_wide: false,
            predicates: Vec::new(),
            invariants: Vec::new(),
            initials: Vec::new(),
        });
        id
    }

    pub(crate) fn new_subtype(&mut self, name: impl Into<String>, of: TypeId, kind: TypeKind<'a>) -> TypeId {
        let of = &self.types[of.0];
        let ty = Type { name: name.into(), kind, ..of.clone() };
        self.types.push(ty);
        TypeId(self.types.len() - 1)
    }

    pub(crate) fn kind(&self, ty: TypeId) -> &TypeKind<'a> {
        &self.types[ty.0].kind
    }

    pub(crate) fn root(&self, ty: TypeId) -> TypeId {
        self.types[ty.0].root
    }

    /// `T'Base`: without the constraints and predicates of T.
    pub(crate) fn base_of(&mut self, ty: TypeId) -> TypeId {
        let root = self.root(ty);
        if let Some(known) = self.bases.get(&root) {
            return *known;
        }
        let kind = match (self.kind(root).clone(), self.types[root.0].parent) {
            (TypeKind::Integer { modulus: None, .. }, Some(parent)) => {
                let parent = self.base_of(parent);
                self.kind(parent).clone()
            }
            // As many bytes as its values need.
            (TypeKind::Integer { lo, hi, modulus: None }, None) => {
                let sizes = [7, 15, 31].map(|bits| (-(1_i64 << bits), (1_i64 << bits) - 1));
                let (lo, hi) =
                    sizes.into_iter().find(|s| s.0 <= lo && hi <= s.1).unwrap_or((i64::MIN, i64::MAX));
                TypeKind::Integer { lo, hi, modulus: None }
            }
            (TypeKind::Enumeration { literals, .. }, _) => {
                let hi = literals.len() as i64 - 1;
                TypeKind::Enumeration { literals, lo: 0, hi }
            }
            _ => return ty,
        };
        let name = format!("{}'Base", self.types[root.0].name);
        let base = self.new_subtype(name, root, kind);
        self.types[base.0].predicates.clear();
        self.bases.insert(root, base);
        base
    }

    /// The domain of a cell of a scalar or access type.
    pub(crate) fn domain(&self, ty: TypeId) -> Option<Domain> {
        match *self.kind(ty) {
            TypeKind::Integer { lo, hi, .. } | TypeKind::Enumeration { lo, hi, .. } if lo <= hi => {
                Some(Domain::Range(lo, hi))
            }
            TypeKind::Access { .. } | TypeKind::AccessSubprogram { .. } => {
                let first = if self.excludes_null.contains(&ty) { 0 } else { -1 };
                Some(Domain::Range(first, 65535))
            }
            _ => None,
        }
    }

    /// First and last value of a discrete type.
    pub(crate) fn range_of(&self, ty: TypeId) -> Option<(i64, i64)> {
        match *self.kind(ty) {
            TypeKind::Integer { lo, hi, .. } | TypeKind::Enumeration { lo, hi, .. } => Some((lo, hi)),
            _ => None,
        }
    }

    pub(crate) fn modulus(&self, ty: TypeId) -> Option<i64> {
        match *self.kind(ty) {
            TypeKind::Integer { modulus, .. } => modulus,
            _ => None,
        }
    }

    /// The type that a name denotes; opaque if it is none we know.
    pub(crate) fn type_named(&mut self, name: &'a syntax::Expr) -> TypeId {
        match self.meaning(name) {
            Meaning::Type(ty) => ty,
            Meaning::Library(unit) if crate::library::synchronises(&unit) => {
                self.new_type(&*unit, TypeKind::Unmodelled("the library's own synchronisation"))
            }
            Meaning::Library(unit) if self.has_source(&unit) => {
                self.new_type(&*unit, TypeKind::Unmodelled("a type seen through a limited with clause"))
            }
            Meaning::Undeclared(text) => {
                self.reject(name.span, text);
                self.std.opaque
            }
            _ => self.std.opaque,
        }
    }

    /// Whether a name belongs to a unit of the program that is not elaborated yet.
    fn has_source(&self, name: &str) -> bool {
        let mut unit = name;
        loop {
            if self.units.specs.contains_key(unit) {
                return true;
            }
            match unit.rsplit_once('.') {
                Some((outer, _)) => unit = outer,
                None => return false,
            }
        }
    }

    pub(crate) fn type_ref(&mut self, ty: &'a TypeRef) -> TypeId {
        match ty {
            TypeRef::Subtype(subtype) => self.subtype(subtype),
            TypeRef::Access(target, not_null) => {
                let target = self.type_named(target);
                let ty = self.access_to(target);
                self.exclude_null(ty, *not_null);
                ty
            }
            TypeRef::AccessSubprogram(profile) => {
                let scope = self.cx.scope;
                let ty = self.new_type("access", TypeKind::AccessSubprogram { profile, scope });
                self.exclude_null(ty, profile.not_null);
                ty
            }
            TypeRef::Array(ranges, element) => self.array_type("array", ranges, element),
        }
    }

    pub(crate) fn access_to(&mut self, target: TypeId) -> TypeId {
        let master = self.cx.master;
        self.new_type("access", TypeKind::Access { target, master, constrained: false })
    }

    fn exclude_null(&mut self, ty: TypeId, not_null: bool) {
        if not_null {
            self.excludes_null.insert(ty);
        }
    }

    pub(crate) fn subtype(&mut self, subtype: &'a Subtype) -> TypeId {
        let mut base = self.type_named(&subtype.mark);
        if subtype.not_null && !self.excludes_null.contains(&base) {
            base = self.new_subtype(self.types[base.0].name.clone(), base, self.kind(base).clone());
            self.exclude_null(base, true);
        }
        let Some(constraint) = &subtype.constraint else { return base };
        let name = self.types[base.0].name.clone();
        match (self.kind(base).clone(), constraint) {
            (TypeKind::Integer { modulus, .. }, Constraint::Range(range)) => {
                match self.static_range(range, Some(base)) {
                    Some((lo, hi)) => self.new_subtype(name, base, TypeKind::Integer { lo, hi, modulus }),
                    None => base,
                }
            }
            (TypeKind::Enumeration { literals, .. }, Constraint::Range(range)) => {
                match self.static_range(range, Some(base)) {
                    Some((lo, hi)) => {
                        self.new_subtype(name, base, TypeKind::Enumeration { literals, lo, hi })
                    }
                    None => base,
                }
            }
            (TypeKind::Array { bounds: None, dimensions, element }, Constraint::Args(args)) => {
                let mut bounds = Vec::new();
                for arg in args {
                    match self.static_range(&arg.value, None) {
                        Some(range) => bounds.push(range),
                        // Without bounds; an object of it is any value, or rejected.
                        None => return base,
                    }
                }
                if bounds.len() != dimensions {
                    return base;
                }
                self.new_subtype(name, base, TypeKind::Array { bounds: Some(bounds), dimensions, element })
            }
            (TypeKind::Record { def, discriminants, scope, parent, .. }, Constraint::Args(args)) => {
                let constraint = Some((args.as_slice(), self.cx.scope));
                self.new_subtype(
                    name,
                    base,
                    TypeKind::Record { def, discriminants, scope, parent, constraint },
                )
            }
            (TypeKind::Access { target, master, .. }, Constraint::Args(_)) => {
                let ty = self.new_subtype(name, base, TypeKind::Access { target, master, constrained: true });
                self.exclude_null(ty, self.excludes_null.contains(&base));
                ty
            }
            (TypeKind::Real, Constraint::Range(_) | Constraint::Real) => {
                let ty = self.new_subtype(name, base, TypeKind::Real);
                self.narrow.insert(ty);
                ty
            }
            (TypeKind::Task { of, .. }, Constraint::Args(args)) => {
                let constraint = Some((args.as_slice(), self.cx.scope));
                self.new_subtype(name, base, TypeKind::Task { of, constraint })
            }
            (TypeKind::Protected { of, .. }, Constraint::Args(args)) => {
                let constraint = Some((args.as_slice(), self.cx.scope));
                self.new_subtype(name, base, TypeKind::Protected { of, constraint })
            }
            _ => base,
        }
    }

    pub(crate) fn array_type(&mut self, name: &str, ranges: &'a [Choice], element: &'a TypeRef) -> TypeId {
        let element = self.type_ref(element);
        let dimensions = ranges.len();
        let mut indices = Vec::new();
        for range in ranges {
            if let Choice::Open(mark) = range {
                let index = self.type_named(mark);
                indices.push(self.range_of(index));
            }
        }
        if !indices.is_empty() {
            let ty = self.new_type(name, TypeKind::Array { bounds: None, dimensions, element });
            self.index_ranges.insert(ty, indices);
            return ty;
        }
        let mut bounds = Vec::new();
        for range in ranges {
            match self.static_range(range, None) {
                Some((lo, hi)) => bounds.push((lo, hi)),
                _ => {
                    let kind = TypeKind::Array { bounds: None, dimensions, element };
                    return self.new_type(name, kind);
                }
            }
        }
        self.new_type(name, TypeKind::Array { bounds: Some(bounds), dimensions, element })
    }

    /// The bounds of a discrete range, if they are constants.
    pub(crate) fn static_range(&mut self, range: &'a Choice, want: Option<TypeId>) -> Option<(i64, i64)> {
        match self.range(range, want)? {
            (Model::Const(lo), Model::Const(hi)) => Some((lo, hi)),
            (lo, hi) => {
                self.note(lo);
                self.note(hi);
                None
            }
        }
    }

    /// The bounds of a discrete range, evaluated now.
    pub(crate) fn range(&mut self, range: &'a Choice, want: Option<TypeId>) -> Option<(Model, Model)> {
        match range {
            Choice::Range(lo, hi) => {
                let want = want.or_else(|| self.discrete_type(lo)).or_else(|| self.discrete_type(hi));
                match (self.scalar_operand(lo, want), self.scalar_operand(hi, want)) {
                    (Some(lo), Some(hi)) => Some((lo, hi)),
                    (lo, hi) => {
                        lo.into_iter().chain(hi).for_each(|bound| self.note(bound));
                        None
                    }
                }
            }
            Choice::RangeOf(prefix, dimension) => {
                let dimension = match dimension {
                    Some(d) => usize::try_from(self.scalar(d, None)?.constant()? - 1).ok()?,
                    None => 0,
                };
                let (lo, hi) = self.bounds_of(prefix, dimension)?;
                Some((Model::Const(lo), Model::Const(hi)))
            }
            Choice::Subtype(subtype) => {
                let base = self.type_named(&subtype.mark);
                let (first, last) = self.range_of(base)?;
                match &subtype.constraint {
                    Some(Constraint::Range(range)) => {
                        let (lo, hi) = self.range(range, Some(base))?;
                        self.check_range(&lo, &hi, (first, last));
                        Some((lo, hi))
                    }
                    _ => Some((Model::Const(first), Model::Const(last))),
                }
            }
            Choice::Expr(e) => match self.meaning(e) {
                Meaning::Type(ty) => {
                    let (lo, hi) = self.range_of(ty)?;
                    Some((Model::Const(lo), Model::Const(hi)))
                }
                _ => None,
            },
            Choice::Open(_) | Choice::Others => None,
        }
    }

    /// The discrete type of the values of a range, for the loop parameter.
    pub(crate) fn range_type(&mut self, range: &'a Choice) -> TypeId {
        let ty = match range {
            Choice::Range(lo, hi) => self.discrete_type(lo).or_else(|| self.discrete_type(hi)),
            Choice::RangeOf(prefix, _) => match self.quiet_meaning(prefix) {
                Some(Meaning::Type(ty)) if self.range_of(ty).is_some() => Some(ty),
                _ => None,
            },
            Choice::Subtype(subtype) => Some(self.type_named(&subtype.mark)),
            Choice::Expr(e) => match self.quiet_meaning(e) {
                Some(Meaning::Type(ty)) => Some(ty),
                _ => None,
            },
            Choice::Open(_) | Choice::Others => None,
        };
        let ty = ty.filter(|t| self.range_of(*t).is_some()).unwrap_or(self.std.integer);
        self.root(ty)
    }

    /// Bounds of an array object or type, or of a discrete type. The prefix is evaluated.
    pub(crate) fn bounds_of(&mut self, prefix: &'a syntax::Expr, dimension: usize) -> Option<(i64, i64)> {
        match self.attribute_prefix(prefix, true)? {
            Prefix::Type(ty) => match self.kind(ty) {
                TypeKind::Array { bounds: Some(bounds), .. } => bounds.get(dimension).copied(),
                _ => self.range_of(ty),
            },
            Prefix::Object(obj, ty) => self.object_bounds(&obj, ty, dimension),
        }
    }

    /// Bounds of an array object, if they are known.
    pub(crate) fn object_bounds(&self, obj: &Obj, ty: TypeId, dimension: usize) -> Option<(i64, i64)> {
        match obj {
            Obj::Array(array) => array.bounds.get(dimension).copied(),
            Obj::Chosen { choices, .. } => match choices.first() {
                Some(Obj::Array(array)) => array.bounds.get(dimension).copied(),
                _ => None,
            },
            _ => match self.kind(ty) {
                TypeKind::Array { bounds: Some(bounds), .. } => bounds.get(dimension).copied(),
                _ => None,
            },
        }
    }

    /// Elaborates a type declaration and binds its name.
    pub(crate) fn type_declaration(&mut self, name: &'a Ident, discriminants: &'a [Param], def: &'a TypeDef) {
        // A full declaration completes a private or incomplete one of the same scope.
        let unfinished = self.scopes[self.cx.scope.0].names.get(&name.key).and_then(|l| match l.first() {
            Some(Binding::Type(ty)) if matches!(self.types[ty.0].kind, TypeKind::Unfinished) => Some(*ty),
            _ => None,
        });
        let id = match unfinished {
            Some(id) => id,
            None => {
                let id = self.new_type(name.text.clone(), TypeKind::Unfinished);
                self.bind(self.cx.scope, &name.key, Binding::Type(id));
                id
            }
        };
        let kind = match def {
            TypeDef::Enumeration(literals) => {
                for (i, literal) in literals.iter().enumerate() {
                    self.bind(self.cx.scope, &literal.key, Binding::Literal(id, i as i64));
                }
                let hi = literals.len() as i64 - 1;
                let literals = Rc::new(literals.iter().map(|l| l.text.clone()).collect());
                TypeKind::Enumeration { literals, lo: 0, hi }
            }
            TypeDef::Range(lo, hi) => {
                let lo = self.scalar(lo, None).and_then(|e| e.constant());
                let hi = self.scalar(hi, None).and_then(|e| e.constant());
                match (lo, hi) {
                    (Some(lo), Some(hi)) => TypeKind::Integer { lo, hi, modulus: None },
                    _ => TypeKind::Real,
                }
            }
            TypeDef::Modular(modulus) => match self.scalar(modulus, None).and_then(|e| e.constant()) {
                Some(m) if m > 0 => TypeKind::Integer { lo: 0, hi: m - 1, modulus: Some(m) },
                _ => TypeKind::Real,
            },
            TypeDef::Array(ranges, element) => {
                let array = self.array_type(&name.text, ranges, element);
                if let Some(indices) = self.index_ranges.get(&array).cloned() {
                    self.index_ranges.insert(id, indices);
                }
                self.types[array.0].kind.clone()
            }
            TypeDef::Record(def) => {
                let scope = self.cx.scope;
                TypeKind::Record { def, discriminants, scope, parent: None, constraint: None }
            }
            TypeDef::Access(target, not_null) => {
                self.exclude_null(id, *not_null);
                let target = self.subtype(target);
                TypeKind::Access { target, master: self.cx.master, constrained: false }
            }
            TypeDef::Derived(parent, extension) => {
                let parent = self.subtype(parent);
                self.types[id.0].parent = Some(self.root(parent));
                let inherited = self.types[parent.0].clone();
                self.types[id.0].predicates.extend(inherited.predicates);
                self.types[id.0].initials.extend(inherited.initials);
                // So are the representation clauses.
                if self.packed.contains(&inherited.root) {
                    self.packed.insert(id);
                }
                if let Some(groups) = self.layouts.get(&inherited.root).cloned() {
                    self.layouts.insert(id, groups);
                }
                self.exclude_null(id, self.excludes_null.contains(&parent));
                if self.narrow.contains(&parent) {
                    self.narrow.insert(id);
                }
                if let Some(indices) = self.index_ranges.get(&self.root(parent)).cloned() {
                    self.index_ranges.insert(id, indices);
                }
                match (self.kind(parent).clone(), extension) {
                    // An interface has no components.
                    (TypeKind::Interface, Some(def)) => TypeKind::Record {
                        def,
                        discriminants,
                        scope: self.cx.scope,
                        parent: None,
                        constraint: None,
                    },
                    (TypeKind::Record { .. }, Some(def)) => TypeKind::Record {
                        def,
                        discriminants,
                        scope: self.cx.scope,
                        parent: Some(parent),
                        constraint: None,
                    },
                    (TypeKind::Enumeration { literals, lo, hi }, _) => {
                        for (i, literal) in literals.iter().enumerate() {
                            self.bind(self.cx.scope, &literal.to_lowercase(), Binding::Literal(id, i as i64));
                        }
                        TypeKind::Enumeration { literals, lo, hi }
                    }
                    (kind, _) => kind,
                }
            }
            TypeDef::Private | TypeDef::Incomplete | TypeDef::Formal => return,
            TypeDef::Real(narrow) => {
                if *narrow {
                    self.narrow.insert(id);
                }
                TypeKind::Real
            }
            TypeDef::AccessSubprogram(profile) => {
                self.exclude_null(id, profile.not_null);
                TypeKind::AccessSubprogram { profile, scope: self.cx.scope }
            }
            TypeDef::Interface => TypeKind::Interface,
        };
        self.types[id.0].kind = kind;
        self.complete_class(id);
    }

    /// Names and types of the components of a record type, without a constraint.
    pub(crate) fn fields(&mut self, ty: TypeId) -> Rc<Vec<(String, TypeId)>> {
        if let Some(fields) = self.record_fields.get(&ty) {
            return fields.clone();
        }
        let mut all = Vec::new();
        if let TypeKind::Record { def, discriminants, scope, parent, .. } = self.kind(ty).clone() {
            if let Some(parent) = parent {
                all.extend(self.fields(parent).iter().cloned());
            }
            // Components may depend on the discriminants, which have no values here.
            let inner = self.new_scope(scope, "");
            let outer = std::mem::replace(&mut self.cx.scope, inner);
            for discriminant in discriminants {
                let ty = self.type_ref(&discriminant.ty);
                self.bind_object(&discriminant.name, Obj::Opaque, ty, true);
                all.push((discriminant.name.key.clone(), ty));
            }
            self.unread(|e| e.definition_fields(def, &mut all));
            self.cx.scope = outer;
        }
        let all = Rc::new(all);
        self.record_fields.insert(ty, all.clone());
        all
    }

    fn definition_fields(&mut self, def: &'a RecordDef, all: &mut Vec<(String, TypeId)>) {
        for decl in &def.components {
            if let DeclKind::Object { names, ty, .. } = &decl.kind {
                let ty = self.type_ref(ty);
                all.extend(names.iter().map(|n| (n.key.clone(), ty)));
            }
        }
        for (_, inner) in def.variants.iter().flat_map(|v| &v.variants) {
            self.definition_fields(inner, all);
        }
    }

    /// Whether every part of the values of a type is followed.
    pub(crate) fn is_followed(&mut self, ty: TypeId) -> bool {
        match self.kind(ty).clone() {
            TypeKind::Array { element, .. } => self.is_followed(element),
            TypeKind::Record { .. } => self.fields(ty).iter().all(|f| self.is_followed(f.1)),
            _ => self.domain(ty).is_some(),
        }
    }

    /// Whether objects of the type are, or contain, tasks or protected objects.
    pub(crate) fn is_active(&mut self, ty: TypeId) -> bool {
        match self.kind(ty).clone() {
            TypeKind::Task { .. } | TypeKind::Protected { .. } => true,
            TypeKind::Array { element, .. } => self.is_active(element),
            TypeKind::Record { .. } => self.fields(ty).iter().any(|f| self.is_active(f.1)),
            _ => false,
        }
    }
}
