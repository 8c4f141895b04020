//! Declarations and types.

use super::{Cx, N, last_ident};
use crate::syntax::*;

impl Cx<'_> {
    pub(super) fn decls(&mut self, node: Option<N>) -> Vec<Decl> {
        let Some(node) = node else { return Vec::new() };
        self.children(node).into_iter().flat_map(|c| self.decl(c)).collect()
    }

    pub(super) fn decl(&mut self, node: N) -> Vec<Decl> {
        let span = self.span(node);
        let one = |kind| vec![Decl { kind, span }];
        match node.kind() {
            "object_declaration" => {
                if let Some(inner) = self.child(node, "single_task_declaration") {
                    return self.decl(inner);
                }
                if let Some(inner) = self.child(node, "single_protected_declaration") {
                    return self.decl(inner);
                }
                one(self.object(node))
            }
            "component_declaration" => {
                let names = self.leading_identifiers(node);
                let ty = self
                    .child(node, "component_definition")
                    .map_or(TypeRef::AccessSubprogram(Box::default()), |c| self.type_ref(c));
                let init = self.assigned(node);
                one(DeclKind::Object { names, constant: false, ty, init, aspects: self.aspects(node) })
            }
            "number_declaration" => {
                let names = self.leading_identifiers(node);
                let value = self.assigned(node).unwrap_or(Expr { kind: ExprKind::Other("number"), span });
                one(DeclKind::Number { names, value })
            }
            "full_type_declaration" => {
                if let Some(inner) = self
                    .child(node, "task_type_declaration")
                    .or_else(|| self.child(node, "protected_type_declaration"))
                {
                    return self.decl(inner);
                }
                let name = self.first_identifier(node);
                let discriminants = self.discriminants(node);
                let def = self.type_def(node);
                // Aspects of storage are the same as pragmas.
                let mark = Expr { kind: ExprKind::Name(name.clone()), span: name.span };
                let stored = |a: &Aspect| {
                    let flag = a
                        .value
                        .as_ref()
                        .is_none_or(|v| matches!(&v.kind, ExprKind::Name(n) if n.key == "true"));
                    flag && matches!(
                        a.name.key.as_str(),
                        "pack" | "atomic" | "volatile" | "atomic_components" | "volatile_components"
                    )
                };
                let aspects = self.aspects(node);
                let size = |a: &&Aspect| a.name.key == "component_size" && a.value.is_some();
                let pragmas: Vec<Decl> = (aspects.iter().filter(|a| stored(a) || size(a)))
                    .map(|a| {
                        let size = a.value.clone().filter(|_| size(&a)).map(|v| (None, v));
                        let args = std::iter::once((None, mark.clone())).chain(size).collect();
                        DeclKind::Pragma { name: a.name.clone(), args }
                    })
                    .map(|kind| Decl { kind, span })
                    .collect();
                let mut all = one(DeclKind::Type { name, discriminants, def, aspects });
                all.extend(pragmas);
                all
            }
            "private_type_declaration" | "private_extension_declaration" => one(DeclKind::Type {
                name: self.first_identifier(node),
                discriminants: self.discriminants(node),
                def: TypeDef::Private,
                aspects: self.aspects(node),
            }),
            "incomplete_type_declaration" => one(DeclKind::Type {
                name: self.first_identifier(node),
                discriminants: self.discriminants(node),
                def: TypeDef::Incomplete,
                aspects: Vec::new(),
            }),
            "formal_complete_type_declaration" | "formal_incomplete_type_declaration" => {
                one(DeclKind::Type {
                    name: self.first_identifier(node),
                    discriminants: Vec::new(),
                    def: TypeDef::Formal,
                    aspects: Vec::new(),
                })
            }
            "subtype_declaration" => {
                let name = self.first_identifier(node);
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "is").map_or(0, |i| i + 1);
                let subtype = self.subtype(&children[at..]);
                one(DeclKind::Subtype { name, subtype, aspects: self.aspects(node) })
            }
            "exception_declaration" => one(DeclKind::Exception { names: self.leading_identifiers(node) }),
            "object_renaming_declaration" => {
                let target = self.field(node, "object_name");
                let target = self.names(&target);
                one(DeclKind::Renaming { name: self.first_identifier(node), what: Renamed::Object, target })
            }
            "exception_renaming_declaration" => {
                let target = self.field(node, "exception_name");
                let target = self.names(&target);
                one(DeclKind::Renaming {
                    name: self.first_identifier(node),
                    what: Renamed::Exception,
                    target,
                })
            }
            "package_renaming_declaration" => {
                let name = self.field(node, "name");
                let name = self.names(&name);
                let target = self.field(node, "package_name");
                let target = self.names(&target);
                one(DeclKind::Renaming { name: last_ident(&name), what: Renamed::Package, target })
            }
            "generic_renaming_declaration" => {
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "renames").unwrap_or(0);
                let name = children.get(at.wrapping_sub(1)).map_or(Ident::default(), |c| self.ident(*c));
                let target = self.names(&children[at + 1..children.len() - 1]);
                one(DeclKind::Renaming { name, what: Renamed::Generic, target })
            }
            "subprogram_renaming_declaration" => {
                let spec = self.spec(node);
                let target = self.field(node, "callable_entity_name");
                let target = self.names(&target);
                one(DeclKind::Renaming {
                    name: spec.ident.clone(),
                    what: Renamed::Subprogram(Box::new(spec)),
                    target,
                })
            }
            "subprogram_declaration" => {
                let is_abstract = !self.field(node, "is_abstract").is_empty();
                let body = if is_abstract { SubprogramBody::Abstract } else { SubprogramBody::None };
                one(DeclKind::Subprogram { spec: self.spec(node), body })
            }
            "null_procedure_declaration" => {
                one(DeclKind::Subprogram { spec: self.spec(node), body: SubprogramBody::Null })
            }
            "expression_function_declaration" => {
                let spec = self.spec(node);
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "is").map_or(0, |i| i + 1);
                let mut i = at;
                let value = self.primary(&children, &mut i);
                one(DeclKind::Subprogram { spec, body: SubprogramBody::Expression(value) })
            }
            "subprogram_body" => {
                let spec = self.spec(node);
                let body = self.body(node);
                one(DeclKind::Subprogram { spec, body: SubprogramBody::Body(body) })
            }
            "subprogram_body_stub" => {
                one(DeclKind::Subprogram { spec: self.spec(node), body: SubprogramBody::Separate })
            }
            "package_body_stub" | "task_body_stub" | "protected_body_stub" => {
                one(DeclKind::Stub { name: self.first_identifier(node) })
            }
            "body_stub" => self.children(node).into_iter().flat_map(|c| self.decl(c)).collect(),
            "package_declaration" => {
                let name = self.field(node, "name");
                let name = self.names(&name);
                let children = self.children(node);
                let private_at =
                    children.iter().position(|c| c.kind() == "private").unwrap_or(children.len());
                let mut decls = Vec::new();
                let mut private = Vec::new();
                let start = children.iter().position(|c| c.kind() == "is").unwrap_or(0);
                for (i, child) in children.iter().enumerate().skip(start + 1) {
                    if child.kind() == "end" {
                        break;
                    }
                    let target = if i < private_at { &mut decls } else { &mut private };
                    target.extend(self.decl(*child));
                }
                one(DeclKind::Package { name, decls, private })
            }
            "package_body" => {
                let name = self.field(node, "name");
                let name = self.names(&name);
                let part = self.child(node, "non_empty_declarative_part");
                let decls = self.decls(part);
                let handled = self.child(node, "handled_sequence_of_statements").map(|h| self.handled(h));
                one(DeclKind::PackageBody { name, decls, handled })
            }
            "single_task_declaration" | "task_type_declaration" => {
                let mut entries = Vec::new();
                if let Some(definition) = self.child(node, "task_definition") {
                    for child in self.children(definition) {
                        if child.kind() == "entry_declaration" {
                            entries.push(self.entry(child));
                        } else if let Some(name) = self.attached(child) {
                            entries
                                .iter_mut()
                                .filter(|e| e.name.key == name)
                                .for_each(|e| e.interrupt = true);
                        }
                    }
                }
                one(DeclKind::Task {
                    name: self.first_identifier(node),
                    single: node.kind() == "single_task_declaration",
                    discriminants: self.discriminants(node),
                    entries,
                    interfaces: self.interfaces(node),
                    priority: self.priority(node, "task_definition"),
                    aspects: self.aspects(node),
                })
            }
            "task_body" => {
                one(DeclKind::TaskBody { name: self.first_identifier(node), body: self.body(node) })
            }
            "single_protected_declaration" | "protected_type_declaration" => {
                let mut items = Vec::new();
                let mut private = Vec::new();
                if let Some(definition) = self.child(node, "protected_definition") {
                    let mut in_private = false;
                    for child in self.children(definition) {
                        match child.kind() {
                            "private" => in_private = true,
                            "end" => break,
                            _ if in_private => private.extend(self.decl(child)),
                            _ => items.extend(self.decl(child)),
                        }
                    }
                }
                one(DeclKind::Protected {
                    name: self.first_identifier(node),
                    single: node.kind() == "single_protected_declaration",
                    discriminants: self.discriminants(node),
                    items,
                    private,
                    interfaces: self.interfaces(node),
                    priority: self.priority(node, "protected_definition"),
                    aspects: self.aspects(node),
                })
            }
            "protected_body" => {
                let mut items = Vec::new();
                for child in self.children(node) {
                    match child.kind() {
                        "subprogram_declaration"
                        | "subprogram_body"
                        | "null_procedure_declaration"
                        | "expression_function_declaration"
                        | "entry_body"
                        | "pragma_g" => items.extend(self.decl(child)),
                        _ => {}
                    }
                }
                one(DeclKind::ProtectedBody { name: self.first_identifier(node), items })
            }
            "entry_declaration" => one(DeclKind::Entry(self.entry(node))),
            "entry_body" => {
                let index = self.child(node, "entry_index_specification").map(|s| {
                    let name = self.first_identifier(s);
                    let children = self.children(s);
                    let at = children.iter().position(|c| c.kind() == "in").map_or(0, |i| i + 1);
                    (name, self.discrete_range(&children[at..]))
                });
                let params = self.params(node);
                let barrier = self
                    .child(node, "entry_barrier")
                    .and_then(|b| self.child(b, "expression"))
                    .map_or(Expr { kind: ExprKind::Other("barrier"), span }, |e| self.expr(e));
                one(DeclKind::EntryBody {
                    name: self.first_identifier(node),
                    index,
                    params,
                    barrier,
                    body: self.body(node),
                })
            }
            "generic_subprogram_declaration" => {
                let formals = self.formals(node);
                let spec = self.spec(node);
                let decl = Decl { kind: DeclKind::Subprogram { spec, body: SubprogramBody::None }, span };
                one(DeclKind::Generic { formals, decl: Box::new(decl) })
            }
            "generic_package_declaration" => {
                let formals = self.formals(node);
                let package = self.child(node, "package_declaration").map(|p| self.decl(p));
                match package.and_then(|d| d.into_iter().next()) {
                    Some(decl) => one(DeclKind::Generic { formals, decl: Box::new(decl) }),
                    None => one(DeclKind::Unsupported("generic package")),
                }
            }
            "generic_instantiation" => {
                let name = self.field(node, "name");
                let name = self.names(&name);
                let generic = self.field(node, "generic_name");
                let generic = self.names(&generic);
                let (generic, args) = match generic.kind {
                    ExprKind::Call(prefix, args) => (*prefix, args),
                    kind => (Expr { kind, span: generic.span }, Vec::new()),
                };
                one(DeclKind::Instance { ident: last_ident(&name), name, generic, args })
            }
            "formal_object_declaration" => {
                let mut object = self.object(node);
                let mode = self.child(node, "non_empty_mode");
                if let DeclKind::Object { constant, .. } = &mut object {
                    *constant = !mode.is_some_and(|m| self.has(m, "out"));
                }
                one(object)
            }
            "formal_subprogram_declaration" => {
                self.children(node).into_iter().flat_map(|c| self.decl(c)).collect()
            }
            "formal_concrete_subprogram_declaration" | "formal_abstract_subprogram_declaration" => {
                let spec = self.spec(node);
                let default_node = self.child(node, "subprogram_default");
                let name = default_node.map(|d| self.field(d, "default_name")).filter(|n| !n.is_empty());
                let box_default = default_node.is_some_and(|d| self.has(d, "<>"));
                let default = name.map(|n| self.names(&n));
                one(DeclKind::FormalSubprogram { spec, default, box_default })
            }
            "formal_package_declaration" => {
                one(DeclKind::FormalPackage { name: self.first_identifier(node) })
            }
            "use_clause" => {
                let is_type = self.has(node, "type");
                one(DeclKind::Use { names: self.name_list(node), is_type })
            }
            "pragma_g" => {
                let (name, args) = self.pragma(node);
                one(DeclKind::Pragma { name, args })
            }
            "gnatprep_declarative_if_statement" => one(DeclKind::Unsupported("gnatprep text")),
            "attribute_definition_clause" => {
                let attribute = self.children(node).into_iter().rfind(|c| c.kind() == "attribute_designator");
                let attribute = attribute.map(|a| Ident::new(self.text(a), self.span(a)));
                let value = self.child(node, "expression").map(|e| self.expr(e));
                match (attribute, value) {
                    (Some(attribute), Some(size)) if attribute.key == "component_size" => {
                        let mark = self.field(node, "local_name");
                        let args = vec![(None, self.names(&mark)), (None, size)];
                        one(DeclKind::Pragma { name: Ident::new("component_size", span), args })
                    }
                    (Some(attribute), Some(value)) => {
                        one(DeclKind::Operational { of: self.first_identifier(node), attribute, value })
                    }
                    _ => one(DeclKind::Ignored),
                }
            }
            "record_representation_clause" => {
                let mark = self.field(node, "local_name");
                let mut args = vec![(None, self.names(&mark))];
                for clause in self.children(node) {
                    if clause.kind() == "component_clause" {
                        let name = self.field(clause, "local_name");
                        let name = last_ident(&self.names(&name));
                        for bound in ["position", "first_bit", "last_bit"] {
                            let nodes = self.field(clause, bound);
                            let bound = match nodes[..] {
                                [node] => self.expr(node),
                                _ => self.sequence(&nodes),
                            };
                            args.push((Some(name.clone()), bound));
                        }
                    }
                }
                one(DeclKind::Pragma { name: Ident::new(LAYOUT, span), args })
            }
            "enumeration_representation_clause" | "at_clause" => one(DeclKind::Ignored),
            _ if node.is_named() => one(DeclKind::Unsupported("this declaration")),
            _ => Vec::new(),
        }
    }

    pub(super) fn pragma(&mut self, node: N) -> (Ident, Vec<(Option<Ident>, Expr)>) {
        let name = self.first_identifier(node);
        let mut args = Vec::new();
        for child in self.children(node) {
            if child.kind() == "pragma_argument_association" {
                let mut label = self.child(child, "identifier").map(|i| self.ident(i));
                if let Some(label) = label.as_mut().filter(|_| self.child(child, "tick").is_some()) {
                    *label = Ident::new(&format!("{}'Class", label.text), label.span);
                }
                if let Some(e) = self.child(child, "expression") {
                    let e = self.expr(e);
                    args.push((label, e));
                }
            } else if child.kind().ends_with("_expression") {
                // A conditional or quantified expression has no parentheses of its own here.
                let e = self.expr(child);
                args.push((None, e));
            }
        }
        (name, args)
    }

    pub(super) fn object(&mut self, node: N) -> DeclKind {
        let names = self.leading_identifiers(node);
        let constant = self.has(node, "constant");
        let children = self.children(node);
        let at = children.iter().position(|c| c.kind() == ":").map_or(0, |i| i + 1);
        let end = children
            .iter()
            .position(|c| matches!(c.kind(), ":=" | ";" | "aspect_specification"))
            .unwrap_or(children.len());
        let ty = self.type_ref_of(&children[at.min(end)..end]);
        let init = self.assigned(node);
        DeclKind::Object { names, constant, ty, init, aspects: self.aspects(node) }
    }

    /// The expression after `:=`.
    pub(super) fn assigned(&mut self, node: N) -> Option<Expr> {
        let children = self.children(node);
        let at = children.iter().position(|c| c.kind() == ":=")?;
        children.get(at + 1).map(|e| self.expr(*e))
    }

    pub(super) fn aspects(&mut self, node: N) -> Vec<Aspect> {
        let Some(list) =
            self.child(node, "aspect_specification").and_then(|a| self.child(a, "aspect_mark_list"))
        else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for association in self.children(list) {
            if association.kind() == "aspect_association" {
                let name = self.first_identifier(association);
                let class = self.child(association, "tick").is_some();
                let value = self.child(association, "expression").map(|e| self.expr(e));
                out.push(Aspect { name, class, value });
            }
        }
        out
    }

    pub(super) fn first_identifier(&self, node: N) -> Ident {
        self.child(node, "identifier").map_or(Ident::default(), |i| self.ident(i))
    }

    /// The identifiers before the colon.
    pub(super) fn leading_identifiers(&self, node: N) -> Vec<Ident> {
        self.children(node)
            .into_iter()
            .take_while(|c| c.kind() != ":")
            .filter(|c| c.kind() == "identifier")
            .map(|c| self.ident(c))
            .collect()
    }

    pub(super) fn discriminants(&mut self, node: N) -> Vec<Param> {
        let Some(list) = self
            .child(node, "known_discriminant_part")
            .and_then(|d| self.child(d, "discriminant_specification_list"))
        else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for specification in self.children(list) {
            if specification.kind() == "discriminant_specification" {
                self.param(specification, &mut out);
            }
        }
        out
    }

    pub(super) fn params(&mut self, node: N) -> Vec<Param> {
        let Some(part) = self.child(node, "formal_part") else { return Vec::new() };
        let mut out = Vec::new();
        for specification in self.children(part) {
            if specification.kind() == "parameter_specification" {
                self.param(specification, &mut out);
            }
        }
        out
    }

    pub(super) fn param(&mut self, node: N, out: &mut Vec<Param>) {
        let mode = match self.child(node, "non_empty_mode") {
            Some(m) if self.has(m, "out") && self.has(m, "in") => ParamMode::InOut,
            Some(m) if self.has(m, "out") => ParamMode::Out,
            _ => ParamMode::In,
        };
        let children = self.children(node);
        let at = children.iter().position(|c| c.kind() == ":").map_or(0, |i| i + 1);
        let end = children
            .iter()
            .position(|c| matches!(c.kind(), ":=" | "aspect_specification"))
            .unwrap_or(children.len());
        let ty = self.type_ref_of(&children[at.min(end)..end]);
        let default = self.assigned(node);
        for name in self.leading_identifiers(node) {
            out.push(Param { name, mode, ty: ty.clone(), default: default.clone() });
        }
    }

    pub(super) fn entry(&mut self, node: N) -> EntryDecl {
        let name = self.field(node, "entry_name").first().map_or(Ident::default(), |n| self.ident(*n));
        let children = self.children(node);
        let open = children.iter().position(|c| c.kind() == "(");
        let family = open.map(|open| {
            let close = children.iter().position(|c| c.kind() == ")").unwrap_or(children.len());
            self.discrete_range(&children[open + 1..close])
        });
        EntryDecl { name, family, params: self.params(node), interrupt: false, aspects: self.aspects(node) }
    }

    /// The priority that an aspect, or a pragma in the definition, gives to a task or protected object.
    fn priority(&mut self, node: N, definition: &str) -> Option<Expr> {
        let is_it = |name: &Ident| matches!(name.key.as_str(), "priority" | "interrupt_priority");
        // Without a value, an interrupt priority is the highest.
        let span = self.span(node);
        let last = |name: Ident| {
            let mark = Expr { kind: ExprKind::Name(name), span };
            Expr { kind: ExprKind::Attribute(Box::new(mark), Ident::new("Last", span)), span }
        };
        if let Some(aspect) = self.aspects(node).into_iter().find(|a| is_it(&a.name)) {
            return aspect.value.or_else(|| Some(last(aspect.name)));
        }
        let inner = self.child(node, definition).map_or(Vec::new(), |d| self.children(d));
        let pragmas = inner.into_iter().filter(|c| c.kind() == "pragma_g");
        let all: Vec<_> = pragmas.map(|p| self.pragma(p)).collect();
        let (name, args) = all.into_iter().find(|(name, _)| is_it(name))?;
        args.into_iter().next().map(|a| a.1).or_else(|| Some(last(name)))
    }

    /// The entry that a clause attaches to an interrupt: `for E use at ...`, `for E'Address use ...`.
    fn attached(&mut self, clause: N) -> Option<String> {
        let address = match clause.kind() {
            "at_clause" => true,
            "attribute_definition_clause" => {
                let attribute = self.child(clause, "attribute_designator")?;
                self.text(attribute).eq_ignore_ascii_case("address")
            }
            _ => false,
        };
        address.then(|| self.first_identifier(clause).key)
    }

    pub(super) fn formals(&mut self, node: N) -> Vec<Decl> {
        let part = self.child(node, "generic_formal_part");
        self.decls(part)
    }

    /// The interfaces that a task or protected type implements: `is new A and B with`.
    fn interfaces(&mut self, node: N) -> Vec<Expr> {
        let children = self.children(node);
        let Some(at) = children.iter().position(|c| c.kind() == "new") else { return Vec::new() };
        let end = children.iter().position(|c| c.kind() == "with").unwrap_or(children.len()).max(at + 1);
        children[at + 1..end].split(|c| c.kind() == "and").map(|part| self.names(part)).collect()
    }

    /// Parameters and result.
    fn profile(&mut self, node: N) -> Profile {
        let params = self.params(node);
        let result = self.child(node, "result_profile").map(|r| {
            let children = self.children(r);
            self.type_ref_of(&children[1..])
        });
        Profile { params, result, not_null: self.excludes_null(node) }
    }

    /// Whether null is excluded before `access`.
    fn excludes_null(&self, node: N) -> bool {
        let children = self.children(node);
        children.iter().take_while(|c| c.kind() != "access").any(|c| c.kind() == "null_exclusion")
    }

    pub(super) fn spec(&mut self, node: N) -> Spec {
        let inner = self
            .child(node, "procedure_specification")
            .or_else(|| self.child(node, "function_specification"));
        let Some(inner) = inner else {
            let name = Expr { kind: ExprKind::Other("name"), span: self.span(node) };
            return Spec {
                name,
                ident: Ident::default(),
                params: Vec::new(),
                result: None,
                aspects: Vec::new(),
            };
        };
        let name = self.field(inner, "name");
        let name = self.names(&name);
        let Profile { params, result, .. } = self.profile(inner);
        Spec { ident: last_ident(&name), name, params, result, aspects: self.aspects(node) }
    }

    pub(super) fn body(&mut self, node: N) -> Body {
        let part = self.child(node, "non_empty_declarative_part");
        let decls = self.decls(part);
        let handled = self
            .child(node, "handled_sequence_of_statements")
            .map_or(Handled::default(), |h| self.handled(h));
        Body { decls, handled }
    }

    pub(super) fn type_ref(&mut self, node: N) -> TypeRef {
        let children = self.children(node);
        self.type_ref_of(&children)
    }

    pub(super) fn type_ref_of(&mut self, nodes: &[N]) -> TypeRef {
        for node in nodes {
            match node.kind() {
                "access_definition" => {
                    if self.has(*node, "procedure") || self.has(*node, "function") {
                        return TypeRef::AccessSubprogram(Box::new(self.profile(*node)));
                    }
                    let mark = self.field(*node, "subtype_mark");
                    let not_null = self.excludes_null(*node);
                    return TypeRef::Access(Box::new(self.names(&mark)), not_null);
                }
                "array_type_definition" => {
                    let (ranges, element) = self.array(*node);
                    return TypeRef::Array(ranges, Box::new(element));
                }
                _ => {}
            }
        }
        TypeRef::Subtype(Box::new(self.subtype(nodes)))
    }

    pub(super) fn subtype(&mut self, nodes: &[N]) -> Subtype {
        let mut name = Vec::new();
        let mut constraint = None;
        let not_null = nodes.iter().any(|n| n.kind() == "null_exclusion");
        for node in nodes {
            match node.kind() {
                "null_exclusion" | "aliased" | "constant" | "non_empty_mode" | ";" | "not" | "null" => {}
                "range_constraint" => {
                    constraint = self.child(*node, "range_g").map(|r| Constraint::Range(self.range(r)));
                }
                "digits_constraint" | "delta_constraint" => constraint = Some(Constraint::Real),
                "index_constraint" => {
                    let children = self.children(*node);
                    let mut args = Vec::new();
                    for part in children[1..children.len() - 1].split(|c| c.kind() == ",") {
                        args.push(Arg { name: None, value: self.discrete_range(part) });
                    }
                    constraint = Some(Constraint::Args(args));
                }
                "discriminant_constraint" => {
                    let mut args = Vec::new();
                    for child in self.children(*node) {
                        match child.kind() {
                            "discriminant_association" => {
                                let value = self.child(child, "expression");
                                let value = value.map_or(
                                    Expr { kind: ExprKind::Other("constraint"), span: self.span(child) },
                                    |e| self.expr(e),
                                );
                                let labels: Vec<Ident> = self
                                    .children(child)
                                    .into_iter()
                                    .filter(|c| c.kind() == "identifier")
                                    .map(|c| self.ident(c))
                                    .collect();
                                if labels.is_empty() {
                                    args.push(Arg { name: None, value: Choice::Expr(value) });
                                } else {
                                    for label in labels {
                                        let value = Choice::Expr(value.clone());
                                        args.push(Arg { name: Some(label), value });
                                    }
                                }
                            }
                            "(" | ")" | "," => {}
                            _ => {
                                let value = self.expr(child);
                                args.push(Arg { name: None, value: Choice::Expr(value) });
                            }
                        }
                    }
                    constraint = Some(Constraint::Args(args));
                }
                // `Vector (1 .. N)` reads like a slice.
                "slice" => {
                    let children = self.children(*node);
                    let at = children.iter().position(|c| c.kind() == "(").unwrap_or(children.len());
                    name.extend(&children[..at]);
                    if let Some(range) = self.child(*node, "range_g") {
                        let value = self.range(range);
                        constraint = Some(Constraint::Args(vec![Arg { name: None, value }]));
                    }
                }
                _ => name.push(*node),
            }
        }
        Subtype { mark: self.names(&name), constraint, not_null }
    }

    pub(super) fn range(&mut self, node: N) -> Choice {
        let children = self.children(node);
        if let Some(at) = children.iter().position(|c| c.kind() == "..") {
            let low = self.sequence(&children[..at]);
            let high = self.sequence(&children[at + 1..]);
            return Choice::Range(Box::new(low), Box::new(high));
        }
        let at = children.iter().rposition(|c| c.kind() == "tick").unwrap_or(children.len());
        let prefix = self.names(&children[..at]);
        let dimension =
            children.get(at + 1).and_then(|d| self.child(*d, "expression")).map(|e| Box::new(self.expr(e)));
        Choice::RangeOf(Box::new(prefix), dimension)
    }

    pub(super) fn discrete_range(&mut self, nodes: &[N]) -> Choice {
        if let [node] = nodes
            && node.kind() == "range_g"
        {
            return self.range(*node);
        }
        if let [node] = nodes
            && node.kind() == "index_subtype_definition"
        {
            let children = self.children(*node);
            let end = children.iter().position(|c| c.kind() == "range").unwrap_or(children.len());
            return Choice::Open(Box::new(self.names(&children[..end])));
        }
        match self.subtype(nodes) {
            // No discrete subtype has such a constraint: it is a call.
            Subtype { mark, constraint: Some(Constraint::Args(args)), .. } => {
                let span = mark.span;
                Choice::Expr(Expr { kind: ExprKind::Call(Box::new(mark), args), span })
            }
            subtype => Choice::Subtype(Box::new(subtype)),
        }
    }

    pub(super) fn array(&mut self, node: N) -> (Vec<Choice>, TypeRef) {
        let children = self.children(node);
        let open = children.iter().position(|c| c.kind() == "(").unwrap_or(0);
        let close = children.iter().position(|c| c.kind() == ")").unwrap_or(children.len());
        let mut ranges = Vec::new();
        for part in children[open + 1..close].split(|c| c.kind() == ",") {
            ranges.push(self.discrete_range(part));
        }
        let element = self
            .child(node, "component_definition")
            .map_or(TypeRef::AccessSubprogram(Box::default()), |c| self.type_ref(c));
        (ranges, element)
    }

    pub(super) fn type_def(&mut self, node: N) -> TypeDef {
        for child in self.children(node) {
            let def = match child.kind() {
                "enumeration_type_definition" => TypeDef::Enumeration(
                    self.children(child)
                        .into_iter()
                        .filter(|c| matches!(c.kind(), "identifier" | "character_literal"))
                        .map(|c| self.ident(c))
                        .collect(),
                ),
                "signed_integer_type_definition" => {
                    let children = self.children(child);
                    let at = children.iter().position(|c| c.kind() == "..").unwrap_or(1);
                    let low = self.sequence(&children[1..at]);
                    let high = self.sequence(&children[at + 1..]);
                    TypeDef::Range(Box::new(low), Box::new(high))
                }
                "modular_type_definition" => match self.child(child, "expression") {
                    Some(e) => TypeDef::Modular(Box::new(self.expr(e))),
                    None => TypeDef::Real(false),
                },
                "floating_point_definition" => {
                    TypeDef::Real(self.child(child, "real_range_specification").is_some())
                }
                "ordinary_fixed_point_definition" | "decimal_fixed_point_definition" => TypeDef::Real(true),
                "array_type_definition" => {
                    let (ranges, element) = self.array(child);
                    TypeDef::Array(ranges, Box::new(element))
                }
                "record_type_definition" => {
                    let mut def = self
                        .child(child, "record_definition")
                        .map_or(RecordDef::default(), |r| self.record(r));
                    def.tagged = self.has(child, "tagged");
                    TypeDef::Record(def)
                }
                "access_to_object_definition" => {
                    let children = self.children(child);
                    let at = children.iter().position(|c| c.kind() == "access").map_or(0, |i| i + 1);
                    let rest: Vec<N> = children
                        .into_iter()
                        .skip(at)
                        .filter(|c| c.kind() != "general_access_modifier")
                        .collect();
                    TypeDef::Access(self.subtype(&rest), self.excludes_null(child))
                }
                "access_to_subprogram_definition" => TypeDef::AccessSubprogram(Box::new(self.profile(child))),
                "derived_type_definition" => {
                    let children = self.children(child);
                    let at = children.iter().position(|c| c.kind() == "new").map_or(0, |i| i + 1);
                    let end = children
                        .iter()
                        .position(|c| matches!(c.kind(), "and" | "record_extension_part"))
                        .unwrap_or(children.len());
                    let parent = self.subtype(&children[at..end]);
                    let extension = self
                        .child(child, "record_extension_part")
                        .map(|e| {
                            self.child(e, "record_definition")
                                .map_or(RecordDef::default(), |r| self.record(r))
                        })
                        .map(|def| RecordDef { tagged: true, ..def });
                    TypeDef::Derived(parent, extension)
                }
                "interface_type_definition" => TypeDef::Interface,
                _ => continue,
            };
            return def;
        }
        TypeDef::Private
    }

    pub(super) fn record(&mut self, node: N) -> RecordDef {
        match self.child(node, "component_list") {
            Some(list) => self.component_list(list),
            None => RecordDef::default(),
        }
    }

    pub(super) fn component_list(&mut self, node: N) -> RecordDef {
        let mut def = RecordDef::default();
        for child in self.children(node) {
            match child.kind() {
                "component_declaration" => def.components.extend(self.decl(child)),
                "variant_part" => {
                    let on = self.first_identifier(child);
                    let mut variants = Vec::new();
                    if let Some(list) = self.child(child, "variant_list") {
                        for variant in self.children(list) {
                            let choices = self
                                .child(variant, "discrete_choice_list")
                                .map_or(Vec::new(), |c| self.choices(c));
                            let inner = self
                                .child(variant, "component_list")
                                .map_or(RecordDef::default(), |c| self.component_list(c));
                            variants.push((choices, inner));
                        }
                    }
                    def.variants = Some(VariantPart { on, variants });
                }
                _ => {}
            }
        }
        def
    }
}
