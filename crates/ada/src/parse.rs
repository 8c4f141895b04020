//! Text to syntax tree, by way of tree-sitter's Ada grammar.
//!
//! The grammar hides many rules, so their parts stand side by side among the children of one
//! node; the functions here read such sequences from left to right.

use std::collections::HashMap;

use rendez_source::{Diagnostic, FileId, Span};
use tree_sitter::{Node, Parser, Tree};

use crate::syntax::*;

/// A parsed file: what could be read, and what was wrong.
pub struct Parsed {
    pub units: Vec<Unit>,
    pub tracked: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Trees of texts that were parsed before: several programs may share units.
#[derive(Default)]
pub struct Trees {
    known: HashMap<String, Tree>,
}

impl Trees {
    fn tree(&mut self, text: &str) -> Option<Tree> {
        if let Some(tree) = self.known.get(text) {
            return Some(tree.clone());
        }
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_ada::LANGUAGE.into()).expect("the grammar fits the parser");
        let tree = parser.parse(text, None)?;
        self.known.insert(text.to_owned(), tree.clone());
        Some(tree)
    }
}

/// Parses one file.
pub fn parse(file: FileId, text: &str, trees: &mut Trees) -> Parsed {
    let mut parsed = Parsed { units: Vec::new(), tracked: Vec::new(), diagnostics: Vec::new() };
    let Some(tree) = trees.tree(text) else {
        parsed.diagnostics.push(Diagnostic::general("the file cannot be parsed"));
        return parsed;
    };
    let mut cx = Cx { text, file, notes: Vec::new(), fixed: None, diagnostics: Vec::new(), depth: 0 };
    if tree.root_node().has_error() {
        cx.syntax_errors(tree.root_node());
        parsed.diagnostics = cx.diagnostics;
        return parsed;
    }
    // Walking the whole tree is not free, and few files have annotations.
    if text.contains("--@") {
        cx.collect_notes(tree.root_node(), &mut parsed.tracked);
    }
    parsed.units = cx.units(tree.root_node());
    for note in cx.notes.iter().filter(|n| !n.used) {
        parsed.diagnostics.push(
            Diagnostic::error(note.span, "this annotation does not stand before a statement")
                .help("put it on a line of its own, before the statement it speaks of"),
        );
    }
    parsed.diagnostics.append(&mut cx.diagnostics);
    parsed
}

/// The syntax tree as tree-sitter prints it, one node a line, for `rendez dump`.
pub fn tree_text(text: &str) -> String {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ada::LANGUAGE.into()).expect("the grammar fits the parser");
    let Some(tree) = parser.parse(text, None) else { return String::new() };
    let mut out = String::new();
    let mut work = vec![(tree.root_node(), 0usize)];
    while let Some((node, depth)) = work.pop() {
        if !node.is_named() {
            continue;
        }
        let start = node.start_position();
        out.push_str(&format!("{:depth$}{} {}:{}", "", node.kind(), start.row + 1, start.column + 1));
        if node.named_child_count() == 0 {
            out.push_str(&format!(" {:?}", &text[node.byte_range()]));
        }
        out.push('\n');
        let mut children = Vec::new();
        for i in 0..node.child_count() {
            children.extend(node.child(i));
        }
        work.extend(children.into_iter().rev().map(|c| (c, depth + 2)));
    }
    out
}

struct Note {
    at: usize,
    stmt: StmtKind,
    span: Span,
    used: bool,
}

struct Cx<'t> {
    text: &'t str,
    file: FileId,
    notes: Vec<Note>,
    /// The span of everything, while an annotation is parsed.
    fixed: Option<Span>,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
}

/// Deeper nesting than this is refused: the stack is finite.
const MAX_DEPTH: usize = 400;

type N<'a> = Node<'a>;

impl<'t> Cx<'t> {
    fn span(&self, node: N) -> Span {
        if let Some(span) = self.fixed {
            return span;
        }
        let (start, end) = (node.start_position(), node.end_position());
        Span {
            file: self.file,
            line: start.row as u32 + 1,
            column: start.column as u32 + 1,
            end_line: end.row as u32 + 1,
            end_column: end.column as u32 + 1,
        }
    }

    fn text(&self, node: N) -> &'t str {
        &self.text[node.byte_range()]
    }

    fn ident(&self, node: N) -> Ident {
        Ident::new(self.text(node), self.span(node))
    }

    fn children<'a>(&self, node: N<'a>) -> Vec<N<'a>> {
        let mut cursor = node.walk();
        node.children(&mut cursor).filter(|c| c.kind() != "comment").collect()
    }

    fn child<'a>(&self, node: N<'a>, kind: &str) -> Option<N<'a>> {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|c| c.kind() == kind)
    }

    fn has(&self, node: N, kind: &str) -> bool {
        self.child(node, kind).is_some()
    }

    /// The children that carry a field name.
    fn field<'a>(&self, node: N<'a>, name: &str) -> Vec<N<'a>> {
        let mut cursor = node.walk();
        node.children_by_field_name(name, &mut cursor).filter(|c| c.kind() != "comment").collect()
    }

    fn syntax_errors(&mut self, root: N) {
        if let Some((at, message)) = unbalanced(self.text) {
            let before = &self.text[..at];
            let line = before.matches('\n').count() as u32 + 1;
            let column = (at - before.rfind('\n').map_or(0, |n| n + 1)) as u32 + 1;
            let span = Span { file: self.file, line, column, end_line: line, end_column: column + 3 };
            self.diagnostics.push(Diagnostic::error(span, format!("syntax error: {message}")));
            return;
        }
        let mut work = vec![root];
        while let Some(node) = work.pop() {
            if self.diagnostics.len() >= 5 {
                return;
            }
            if node.is_missing() {
                let what = node.kind();
                self.diagnostics.push(
                    Diagnostic::error(self.span(node), format!("syntax error: {what} is missing"))
                        .label("expected here"),
                );
            } else if node.is_error() {
                let text = self.text(node);
                let first: String = text.chars().take_while(|c| *c != '\n').take(40).collect();
                let message = if first.trim().is_empty() {
                    "syntax error".to_owned()
                } else {
                    format!("syntax error near `{}`", first.trim())
                };
                let mut span = self.span(node);
                if span.end_line > span.line {
                    span.end_line = span.line;
                    span.end_column = span.column + first.len() as u32;
                }
                self.diagnostics.push(Diagnostic::error(span, message).label("not understood"));
            } else if node.has_error() {
                let mut cursor = node.walk();
                let mut children: Vec<N> = node.children(&mut cursor).collect();
                children.reverse();
                work.extend(children);
            }
        }
        if self.diagnostics.is_empty() {
            self.diagnostics.push(Diagnostic::error(self.span(root), "syntax error"));
        }
    }

    // ---- annotations -------------------------------------------------------------------------

    fn collect_notes(&mut self, root: N, tracked: &mut Vec<String>) {
        let mut cursor = root.walk();
        let mut found = Vec::new();
        'walk: loop {
            let node = cursor.node();
            if node.kind() == "comment" {
                if self.text(node).starts_with("--@") {
                    found.push(node);
                }
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        for node in found {
            let span = self.span(node);
            let body = self.text(node)[3..].trim();
            let (word, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
            let rest = rest.trim();
            let stmt = match word {
                "event" if !rest.is_empty() => StmtKind::Event(rest.to_owned()),
                "assert" if !rest.is_empty() => match self.condition(rest, span) {
                    Some(cond) => StmtKind::Assertion(cond, rest.to_owned()),
                    None => {
                        self.diagnostics.push(
                            Diagnostic::error(span, "the annotation's condition is no Ada expression")
                                .label("a boolean expression is expected after `assert`"),
                        );
                        continue;
                    }
                },
                "track" if !rest.is_empty() => {
                    tracked.push(rest.to_lowercase());
                    continue;
                }
                _ => {
                    self.diagnostics.push(
                        Diagnostic::error(span, format!("unknown annotation `{word}`"))
                            .help("known are: --@ event NAME, --@ assert CONDITION, --@ track VARIABLE"),
                    );
                    continue;
                }
            };
            self.notes.push(Note { at: node.start_byte(), stmt, span, used: false });
        }
    }

    fn condition(&self, text: &str, span: Span) -> Option<Expr> {
        let wrapped = format!("procedure X is begin pragma Assert ({text}); end X;");
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_ada::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&wrapped, None)?;
        if tree.root_node().has_error() {
            return None;
        }
        let mut cx = Cx {
            text: &wrapped,
            file: self.file,
            notes: Vec::new(),
            fixed: Some(span),
            diagnostics: Vec::new(),
            depth: 0,
        };
        let units = cx.units(tree.root_node());
        let DeclKind::Subprogram { body: SubprogramBody::Body(body), .. } = &units.first()?.decl.kind else {
            return None;
        };
        match &body.handled.stmts.first()?.kind {
            StmtKind::Pragma { args, .. } => args.first().map(|a| a.1.clone()),
            _ => None,
        }
    }

    fn take_notes(&mut self, before: usize, out: &mut Vec<Stmt>) {
        for note in &mut self.notes {
            if !note.used && note.at < before {
                note.used = true;
                out.push(Stmt { kind: note.stmt.clone(), span: note.span, labels: Vec::new() });
            }
        }
    }

    // ---- units -------------------------------------------------------------------------------

    fn units(&mut self, root: N) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut withs = Vec::new();
        let mut context = Vec::new();
        for unit in self.children(root) {
            for child in self.children(unit) {
                match child.kind() {
                    "with_clause" => withs.extend(self.name_list(child)),
                    "private" => {}
                    "use_clause" | "pragma_g" => context.extend(self.decl(child)),
                    "subunit" => {
                        let parent = self.field(child, "parent_unit_name");
                        let parent = self.names(&parent);
                        let body = self.children(child).into_iter().next_back();
                        if let Some(decl) = body.and_then(|b| self.decl(b).into_iter().next()) {
                            units.push(Unit {
                                withs: std::mem::take(&mut withs),
                                context: std::mem::take(&mut context),
                                separate: Some(parent),
                                decl,
                            });
                        }
                    }
                    kind if kind.ends_with("_statement") || kind == "entry_declaration" => {
                        self.diagnostics
                            .push(Diagnostic::error(self.span(child), "a compilation unit is expected here"));
                    }
                    _ => {
                        for decl in self.decl(child) {
                            if matches!(decl.kind, DeclKind::Ignored) {
                                continue;
                            }
                            units.push(Unit {
                                withs: std::mem::take(&mut withs),
                                context: std::mem::take(&mut context),
                                separate: None,
                                decl,
                            });
                        }
                    }
                }
            }
        }
        units
    }

    /// A sequence of names separated by commas.
    fn name_list(&mut self, node: N) -> Vec<Expr> {
        let children = self.children(node);
        let mut out = Vec::new();
        let mut part = Vec::new();
        for child in children {
            match child.kind() {
                "," | ";" => {
                    if !part.is_empty() {
                        out.push(self.names(&part));
                        part.clear();
                    }
                }
                "with" | "use" | "limited" | "private" | "abort" | "type" | "all" => {}
                _ => part.push(child),
            }
        }
        if !part.is_empty() {
            out.push(self.names(&part));
        }
        out
    }

    // ---- declarations ------------------------------------------------------------------------

    fn decls(&mut self, node: Option<N>) -> Vec<Decl> {
        let Some(node) = node else { return Vec::new() };
        self.children(node).into_iter().flat_map(|c| self.decl(c)).collect()
    }

    fn decl(&mut self, node: N) -> Vec<Decl> {
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
                    .map_or(TypeRef::AccessSubprogram, |c| self.type_ref(c));
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
                one(DeclKind::Type { name, discriminants, def })
            }
            "private_type_declaration" | "private_extension_declaration" => one(DeclKind::Type {
                name: self.first_identifier(node),
                discriminants: self.discriminants(node),
                def: TypeDef::Private,
            }),
            "incomplete_type_declaration" => one(DeclKind::Type {
                name: self.first_identifier(node),
                discriminants: self.discriminants(node),
                def: TypeDef::Incomplete,
            }),
            "formal_complete_type_declaration" | "formal_incomplete_type_declaration" => {
                one(DeclKind::Type {
                    name: self.first_identifier(node),
                    discriminants: Vec::new(),
                    def: TypeDef::Formal,
                })
            }
            "subtype_declaration" => {
                let name = self.first_identifier(node);
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "is").map_or(0, |i| i + 1);
                let subtype = self.subtype(&children[at..]);
                one(DeclKind::Subtype { name, subtype })
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
                        }
                    }
                }
                one(DeclKind::Task {
                    name: self.first_identifier(node),
                    single: node.kind() == "single_task_declaration",
                    discriminants: self.discriminants(node),
                    entries,
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
            "formal_object_declaration" => one(self.object(node)),
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
            "attribute_definition_clause"
            | "enumeration_representation_clause"
            | "record_representation_clause"
            | "at_clause" => one(DeclKind::Ignored),
            _ => Vec::new(),
        }
    }

    fn pragma(&mut self, node: N) -> (Ident, Vec<(Option<Ident>, Expr)>) {
        let name = self.first_identifier(node);
        let mut args = Vec::new();
        for child in self.children(node) {
            if child.kind() == "pragma_argument_association" {
                let label = self.child(child, "identifier").map(|i| self.ident(i));
                if let Some(e) = self.child(child, "expression") {
                    let e = self.expr(e);
                    args.push((label, e));
                }
            }
        }
        (name, args)
    }

    fn object(&mut self, node: N) -> DeclKind {
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
    fn assigned(&mut self, node: N) -> Option<Expr> {
        let children = self.children(node);
        let at = children.iter().position(|c| c.kind() == ":=")?;
        children.get(at + 1).map(|e| self.expr(*e))
    }

    fn aspects(&mut self, node: N) -> Vec<Aspect> {
        let Some(list) =
            self.child(node, "aspect_specification").and_then(|a| self.child(a, "aspect_mark_list"))
        else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for association in self.children(list) {
            if association.kind() == "aspect_association" {
                let name = self.first_identifier(association);
                let value = self.child(association, "expression").map(|e| self.expr(e));
                out.push(Aspect { name, value });
            }
        }
        out
    }

    fn first_identifier(&self, node: N) -> Ident {
        self.child(node, "identifier").map_or(Ident::default(), |i| self.ident(i))
    }

    /// The identifiers before the colon.
    fn leading_identifiers(&self, node: N) -> Vec<Ident> {
        self.children(node)
            .into_iter()
            .take_while(|c| c.kind() != ":")
            .filter(|c| c.kind() == "identifier")
            .map(|c| self.ident(c))
            .collect()
    }

    fn discriminants(&mut self, node: N) -> Vec<Param> {
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

    fn params(&mut self, node: N) -> Vec<Param> {
        let Some(part) = self.child(node, "formal_part") else { return Vec::new() };
        let mut out = Vec::new();
        for specification in self.children(part) {
            if specification.kind() == "parameter_specification" {
                self.param(specification, &mut out);
            }
        }
        out
    }

    fn param(&mut self, node: N, out: &mut Vec<Param>) {
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

    fn entry(&mut self, node: N) -> EntryDecl {
        let name = self.field(node, "entry_name").first().map_or(Ident::default(), |n| self.ident(*n));
        let children = self.children(node);
        let open = children.iter().position(|c| c.kind() == "(");
        let family = open.map(|open| {
            let close = children.iter().position(|c| c.kind() == ")").unwrap_or(children.len());
            self.discrete_range(&children[open + 1..close])
        });
        EntryDecl { name, family, params: self.params(node) }
    }

    fn formals(&mut self, node: N) -> Vec<Decl> {
        let part = self.child(node, "generic_formal_part");
        self.decls(part)
    }

    fn spec(&mut self, node: N) -> Spec {
        let inner = self
            .child(node, "procedure_specification")
            .or_else(|| self.child(node, "function_specification"));
        let Some(inner) = inner else {
            let name = Expr { kind: ExprKind::Other("name"), span: self.span(node) };
            return Spec { name, ident: Ident::default(), params: Vec::new(), result: None };
        };
        let name = self.field(inner, "name");
        let name = self.names(&name);
        let params = self.params(inner);
        let result = self.child(inner, "result_profile").map(|r| {
            let children = self.children(r);
            self.type_ref_of(&children[1..])
        });
        Spec { ident: last_ident(&name), name, params, result }
    }

    fn body(&mut self, node: N) -> Body {
        let part = self.child(node, "non_empty_declarative_part");
        let decls = self.decls(part);
        let handled = self
            .child(node, "handled_sequence_of_statements")
            .map_or(Handled::default(), |h| self.handled(h));
        Body { decls, handled }
    }

    // ---- types -------------------------------------------------------------------------------

    fn type_ref(&mut self, node: N) -> TypeRef {
        let children = self.children(node);
        self.type_ref_of(&children)
    }

    fn type_ref_of(&mut self, nodes: &[N]) -> TypeRef {
        for node in nodes {
            match node.kind() {
                "access_definition" => {
                    if self.has(*node, "procedure") || self.has(*node, "function") {
                        return TypeRef::AccessSubprogram;
                    }
                    let mark = self.field(*node, "subtype_mark");
                    return TypeRef::Access(Box::new(self.names(&mark)));
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

    fn subtype(&mut self, nodes: &[N]) -> Subtype {
        let mut name = Vec::new();
        let mut constraint = None;
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
        Subtype { mark: self.names(&name), constraint }
    }

    fn range(&mut self, node: N) -> Choice {
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

    fn discrete_range(&mut self, nodes: &[N]) -> Choice {
        if let [node] = nodes
            && node.kind() == "range_g"
        {
            return self.range(*node);
        }
        if let [node] = nodes
            && node.kind() == "index_subtype_definition"
        {
            // `T range <>`: the bounds are left open.
            return Choice::Others;
        }
        Choice::Subtype(Box::new(self.subtype(nodes)))
    }

    fn array(&mut self, node: N) -> (Vec<Choice>, TypeRef) {
        let children = self.children(node);
        let open = children.iter().position(|c| c.kind() == "(").unwrap_or(0);
        let close = children.iter().position(|c| c.kind() == ")").unwrap_or(children.len());
        let mut ranges = Vec::new();
        for part in children[open + 1..close].split(|c| c.kind() == ",") {
            ranges.push(self.discrete_range(part));
        }
        let element =
            self.child(node, "component_definition").map_or(TypeRef::AccessSubprogram, |c| self.type_ref(c));
        (ranges, element)
    }

    fn type_def(&mut self, node: N) -> TypeDef {
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
                    None => TypeDef::Real,
                },
                "floating_point_definition"
                | "ordinary_fixed_point_definition"
                | "decimal_fixed_point_definition" => TypeDef::Real,
                "array_type_definition" => {
                    let (ranges, element) = self.array(child);
                    TypeDef::Array(ranges, Box::new(element))
                }
                "record_type_definition" => TypeDef::Record(
                    self.child(child, "record_definition").map_or(RecordDef::default(), |r| self.record(r)),
                ),
                "access_to_object_definition" => {
                    let children = self.children(child);
                    let rest: Vec<N> = children
                        .into_iter()
                        .filter(|c| !matches!(c.kind(), "access" | "general_access_modifier"))
                        .collect();
                    TypeDef::Access(self.subtype(&rest))
                }
                "access_to_subprogram_definition" => TypeDef::AccessSubprogram,
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
                        .and_then(|e| self.child(e, "record_definition"))
                        .map(|r| self.record(r));
                    TypeDef::Derived(parent, extension)
                }
                "interface_type_definition" => TypeDef::Interface,
                _ => continue,
            };
            return def;
        }
        TypeDef::Private
    }

    fn record(&mut self, node: N) -> RecordDef {
        match self.child(node, "component_list") {
            Some(list) => self.component_list(list),
            None => RecordDef::default(),
        }
    }

    fn component_list(&mut self, node: N) -> RecordDef {
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

    // ---- statements --------------------------------------------------------------------------

    fn handled(&mut self, node: N) -> Handled {
        let mut handled = Handled { span: self.span(node), ..Handled::default() };
        for child in self.children(node) {
            match child.kind() {
                "sequence_of_statements" => handled.stmts = self.stmts(child),
                "exception_handler" => {
                    let occurrence =
                        self.child(child, "choice_parameter_specification").map(|c| self.first_identifier(c));
                    let mut choices = Vec::new();
                    if let Some(list) = self.child(child, "exception_choice_list") {
                        for choice in self.children(list) {
                            if choice.kind() != "exception_choice" {
                                continue;
                            }
                            let name = self.field(choice, "exception_name");
                            choices.push(if name.is_empty() { None } else { Some(self.names(&name)) });
                        }
                    }
                    let stmts =
                        self.child(child, "sequence_of_statements").map_or(Vec::new(), |s| self.stmts(s));
                    let span = self.span(child);
                    handled.handlers.push(HandlerSyntax { occurrence, choices, stmts, span });
                }
                _ => {}
            }
        }
        handled
    }

    fn stmts_of(&mut self, node: N, field: &str) -> Vec<Stmt> {
        match self.field(node, field).first() {
            Some(s) => self.stmts(*s),
            None => Vec::new(),
        }
    }

    fn stmts(&mut self, node: N) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut labels = Vec::new();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.diagnostics.push(Diagnostic::error(self.span(node), "statements are nested too deeply"));
            self.depth -= 1;
            return out;
        }
        for child in self.children(node) {
            if child.kind() == "label" {
                labels.extend(self.field(child, "statement_identifier").first().map(|i| self.ident(*i)));
                continue;
            }
            self.take_notes(child.start_byte(), &mut out);
            let kind = self.stmt(child);
            out.push(Stmt { kind, span: self.head_span(child), labels: std::mem::take(&mut labels) });
        }
        // Annotations between the last statement and the word that ends the sequence.
        let mut after = node.next_sibling();
        while let Some(n) = after.filter(|n| n.kind() == "comment") {
            after = n.next_sibling();
        }
        if let Some(end) = after {
            self.take_notes(end.start_byte(), &mut out);
        }
        if !labels.is_empty() {
            let span = self.span(node);
            out.push(Stmt { kind: StmtKind::Null, span, labels });
        }
        self.depth -= 1;
        out
    }

    /// The span of a statement's first line only, if it has several: messages point at its head.
    fn head_span(&self, node: N) -> Span {
        let mut span = self.span(node);
        if span.end_line > span.line {
            let first = self.text(node).split('\n').next().unwrap_or("");
            span.end_line = span.line;
            span.end_column = span.column + first.trim_end().len() as u32;
        }
        span
    }

    fn stmt(&mut self, node: N) -> StmtKind {
        let other = |what| Expr { kind: ExprKind::Other(what), span: self.span(node) };
        let missing = other("expression");
        match node.kind() {
            "null_statement" => StmtKind::Null,
            "assignment_statement" => {
                let target = self.field(node, "variable_name");
                let target = self.names(&target);
                StmtKind::Assign(target, self.assigned(node).unwrap_or(missing))
            }
            "procedure_call_statement" => StmtKind::Call(self.call(node)),
            "simple_return_statement" => {
                StmtKind::Return(self.child(node, "expression").map(|e| self.expr(e)))
            }
            "extended_return_statement" => {
                let Some(object) = self.child(node, "extended_return_object_declaration") else {
                    return StmtKind::Unsupported("extended return");
                };
                let name = self.first_identifier(object);
                let children = self.children(object);
                let at = children.iter().position(|c| c.kind() == ":").map_or(0, |i| i + 1);
                let end = children
                    .iter()
                    .position(|c| matches!(c.kind(), ":=" | "aspect_specification"))
                    .unwrap_or(children.len());
                let ty = self.type_ref_of(&children[at.min(end)..end]);
                let init = self.assigned(object);
                let body = self.child(node, "handled_sequence_of_statements").map(|h| self.handled(h));
                StmtKind::ExtendedReturn { name, ty, init, body }
            }
            "if_statement" => {
                let mut arms = Vec::new();
                let condition = self.field(node, "condition").first().map(|c| self.expr(*c));
                let body = self.stmts_of(node, "statements");
                arms.push((condition.unwrap_or(missing), body));
                for child in self.children(node) {
                    if child.kind() == "elsif_statement_item" {
                        let condition = self.field(child, "condition").first().map(|c| self.expr(*c));
                        let body = self.stmts_of(child, "statements");
                        let other = Expr { kind: ExprKind::Other("expression"), span: self.span(child) };
                        arms.push((condition.unwrap_or(other), body));
                    }
                }
                let otherwise = self.stmts_of(node, "else_statements");
                StmtKind::If(arms, otherwise)
            }
            "case_statement" => {
                let on = self.child(node, "expression").map(|e| self.expr(e));
                let mut arms = Vec::new();
                for child in self.children(node) {
                    if child.kind() == "case_statement_alternative" {
                        let choices =
                            self.child(child, "discrete_choice_list").map_or(Vec::new(), |c| self.choices(c));
                        let body =
                            self.child(child, "sequence_of_statements").map_or(Vec::new(), |s| self.stmts(s));
                        arms.push((choices, body));
                    }
                }
                StmtKind::Case(on.unwrap_or(missing), arms)
            }
            "loop_statement" => {
                let label = self
                    .child(node, "loop_label")
                    .and_then(|l| self.field(l, "statement_identifier").first().copied())
                    .map(|i| self.ident(i));
                let scheme = self.child(node, "iteration_scheme").map(|s| self.scheme(s));
                let body = self.stmts_of(node, "statements");
                StmtKind::Loop { label, scheme, body }
            }
            "block_statement" => {
                let part = self.child(node, "non_empty_declarative_part");
                let decls = self.decls(part);
                let handled = self
                    .child(node, "handled_sequence_of_statements")
                    .map_or(Handled::default(), |h| self.handled(h));
                StmtKind::Block { decls, handled }
            }
            "exit_statement" => StmtKind::Exit {
                label: self.field(node, "loop_name").first().map(|i| self.ident(*i)),
                when: self.field(node, "condition").first().map(|c| self.expr(*c)),
            },
            "goto_statement" => StmtKind::Goto(
                self.field(node, "label_name").first().map_or(Ident::default(), |i| self.ident(*i)),
            ),
            "accept_statement" => StmtKind::Accept(self.accept(node)),
            "selective_accept" => self.selective_accept(node),
            "conditional_entry_call" | "timed_entry_call" => {
                let Some(alternative) = self.child(node, "entry_call_alternative") else {
                    return StmtKind::Unsupported("entry call alternative");
                };
                let call =
                    self.child(alternative, "procedure_call_statement").map_or(missing, |c| self.call(c));
                let then =
                    self.child(alternative, "sequence_of_statements").map_or(Vec::new(), |s| self.stmts(s));
                if node.kind() == "conditional_entry_call" {
                    let otherwise =
                        self.child(node, "sequence_of_statements").map_or(Vec::new(), |s| self.stmts(s));
                    return StmtKind::ConditionalCall { call, then, otherwise };
                }
                match self.child(node, "delay_alternative") {
                    Some(d) => {
                        let (delay, otherwise) = self.delay_alternative(d);
                        StmtKind::TimedCall { call, then, delay, otherwise }
                    }
                    None => StmtKind::Unsupported("timed entry call"),
                }
            }
            "asynchronous_select" => {
                let abortable = self.stmts_of(node, "abortable_part");
                let Some(trigger) = self.child(node, "triggering_alternative") else {
                    return StmtKind::Unsupported("asynchronous select");
                };
                let then =
                    self.child(trigger, "sequence_of_statements").map_or(Vec::new(), |s| self.stmts(s));
                let Some(first) = self.children(trigger).into_iter().next() else {
                    return StmtKind::Unsupported("asynchronous select");
                };
                let kind = self.stmt(first);
                let trigger = Stmt { kind, span: self.span(first), labels: Vec::new() };
                StmtKind::Asynchronous { trigger: Box::new(trigger), then, abortable }
            }
            "delay_until_statement" | "delay_relative_statement" => {
                StmtKind::Delay(self.child(node, "expression").map_or(missing, |e| self.expr(e)))
            }
            "abort_statement" => StmtKind::Abort(self.name_list(node)),
            "raise_statement" => {
                let name = self.field(node, "name");
                StmtKind::Raise(if name.is_empty() { None } else { Some(self.names(&name)) })
            }
            "requeue_statement" => {
                let name = self.field(node, "name");
                StmtKind::Requeue { entry: self.names(&name), with_abort: self.has(node, "abort") }
            }
            "pragma_g" => {
                let (name, args) = self.pragma(node);
                StmtKind::Pragma { name, args }
            }
            "parallel_block_statement" => StmtKind::Unsupported("parallel block"),
            "gnatprep_if_statement" => StmtKind::Unsupported("gnatprep text"),
            _ => StmtKind::Unsupported("statement"),
        }
    }

    fn call(&mut self, node: N) -> Expr {
        let children = self.children(node);
        let rest: Vec<N> = children.into_iter().filter(|c| c.kind() != ";").collect();
        self.names(&rest)
    }

    fn scheme(&mut self, node: N) -> Scheme {
        if self.has(node, "parallel") {
            return Scheme::Unsupported("parallel loop");
        }
        if let Some(condition) = self.field(node, "condition").first() {
            return Scheme::While(self.expr(*condition));
        }
        if let Some(spec) = self.child(node, "loop_parameter_specification") {
            let (name, reverse, domain, filter) = self.loop_parameter(spec);
            if filter {
                return Scheme::Unsupported("loop with an iterator filter");
            }
            return Scheme::For { name, reverse, domain };
        }
        if let Some(spec) = self.child(node, "iterator_specification") {
            let name = self.first_identifier(spec);
            let array = self.field(spec, "iterator_name");
            let array = self.names(&array);
            if self.has(spec, "of") && !self.has(spec, "iterator_filter") {
                return Scheme::Of { name, reverse: self.has(spec, "reverse"), array };
            }
            return Scheme::Unsupported("loop over an iterator");
        }
        Scheme::Unsupported("loop over a procedure")
    }

    fn loop_parameter(&mut self, node: N) -> (Ident, bool, Choice, bool) {
        let name = self.first_identifier(node);
        let reverse = self.has(node, "reverse");
        let filter = self.has(node, "iterator_filter");
        let children = self.children(node);
        let at = children
            .iter()
            .position(|c| matches!(c.kind(), "reverse"))
            .or_else(|| children.iter().position(|c| c.kind() == "in"))
            .map_or(0, |i| i + 1);
        let rest: Vec<N> = children[at..].iter().copied().filter(|c| c.kind() != "iterator_filter").collect();
        let domain = self.discrete_range(&rest);
        (name, reverse, domain, filter)
    }

    fn accept(&mut self, node: N) -> Accept {
        let entry =
            self.field(node, "entry_direct_name").first().map_or(Ident::default(), |n| self.ident(*n));
        let index = self.field(node, "entry_index").first().map(|e| self.expr(*e));
        let params = self.params(node);
        let body = self.child(node, "handled_sequence_of_statements").map(|h| self.handled(h));
        Accept { entry, index, params, body, span: self.head_span(node) }
    }

    fn selective_accept(&mut self, node: N) -> StmtKind {
        let mut alternatives = Vec::new();
        let mut otherwise = None;
        let mut guard = None;
        for child in self.children(node) {
            match child.kind() {
                "guard" => guard = self.field(child, "condition").first().map(|c| self.expr(*c)),
                "select_alternative" => {
                    let Some(inner) = self.children(child).into_iter().next() else { continue };
                    let alternative = match inner.kind() {
                        "accept_alternative" => {
                            let Some(accept) = self.child(inner, "accept_statement") else { continue };
                            let accept = self.accept(accept);
                            let then = self
                                .child(inner, "sequence_of_statements")
                                .map_or(Vec::new(), |s| self.stmts(s));
                            SelectAlternative::Accept(accept, then)
                        }
                        "delay_alternative" => {
                            let (delay, then) = self.delay_alternative(inner);
                            SelectAlternative::Delay(delay, then)
                        }
                        _ => SelectAlternative::Terminate,
                    };
                    alternatives.push((guard.take(), alternative));
                }
                "sequence_of_statements" => otherwise = Some(self.stmts(child)),
                _ => {}
            }
        }
        StmtKind::Select { alternatives, otherwise }
    }

    fn delay_alternative(&mut self, node: N) -> (Expr, Vec<Stmt>) {
        let mut delay = Expr { kind: ExprKind::Other("delay"), span: self.span(node) };
        let mut then = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "delay_until_statement" | "delay_relative_statement" => {
                    if let Some(e) = self.child(child, "expression") {
                        delay = self.expr(e);
                    }
                }
                "sequence_of_statements" => then = self.stmts(child),
                _ => {}
            }
        }
        (delay, then)
    }

    // ---- expressions -------------------------------------------------------------------------

    fn choices(&mut self, node: N) -> Vec<Choice> {
        let mut out = Vec::new();
        for child in self.children(node) {
            if child.kind() == "discrete_choice" {
                let children = self.children(child);
                out.push(match children[..] {
                    [only] if only.kind() == "others" => Choice::Others,
                    [only] if only.kind() == "range_g" => self.range(only),
                    [only] if only.kind() == "expression" => Choice::Expr(self.expr(only)),
                    _ => Choice::Subtype(Box::new(self.subtype(&children))),
                });
            }
        }
        out
    }

    /// Any expression node.
    fn expr(&mut self, node: N) -> Expr {
        match node.kind() {
            "expression" | "term" => {
                let children = self.children(node);
                self.sequence(&children)
            }
            _ => self.names(&[node]),
        }
    }

    /// The flattened parts of an expression: relations joined by logical operators.
    fn sequence(&mut self, nodes: &[N]) -> Expr {
        self.depth += 1;
        let mut i = 0;
        let result = if self.depth > MAX_DEPTH {
            let span = nodes.first().map_or(Span::NOWHERE, |n| self.span(*n));
            self.diagnostics.push(Diagnostic::error(span, "the expression is nested too deeply"));
            Expr { kind: ExprKind::Other("deep nesting"), span }
        } else {
            self.logical(nodes, &mut i)
        };
        self.depth -= 1;
        result
    }

    fn join(&self, left: Expr, op: Binary, right: Expr) -> Expr {
        let span = Span { end_line: right.span.end_line, end_column: right.span.end_column, ..left.span };
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    fn logical(&mut self, nodes: &[N], i: &mut usize) -> Expr {
        let mut left = self.relation(nodes, i);
        while let Some(node) = nodes.get(*i) {
            let op = match node.kind() {
                "and" => Binary::And,
                "or" => Binary::Or,
                "xor" => Binary::Xor,
                _ => break,
            };
            *i += 1;
            let op = match (op, nodes.get(*i).map(|n| n.kind())) {
                (Binary::And, Some("then")) => {
                    *i += 1;
                    Binary::AndThen
                }
                (Binary::Or, Some("else")) => {
                    *i += 1;
                    Binary::OrElse
                }
                _ => op,
            };
            let right = self.relation(nodes, i);
            left = self.join(left, op, right);
        }
        left
    }

    fn relation(&mut self, nodes: &[N], i: &mut usize) -> Expr {
        let left = self.simple(nodes, i);
        if let Some(node) = nodes.get(*i)
            && node.kind() == "relational_operator"
        {
            let op = match self.text(*node) {
                "=" => Binary::Equal,
                "/=" => Binary::NotEqual,
                "<" => Binary::Less,
                "<=" => Binary::LessEqual,
                ">" => Binary::Greater,
                _ => Binary::GreaterEqual,
            };
            *i += 1;
            let right = self.simple(nodes, i);
            return self.join(left, op, right);
        }
        left
    }

    fn simple(&mut self, nodes: &[N], i: &mut usize) -> Expr {
        let mut sign = None;
        if let Some(node) = nodes.get(*i)
            && node.kind() == "unary_adding_operator"
        {
            sign = Some(if self.text(*node) == "-" { Unary::Minus } else { Unary::Plus });
            *i += 1;
        }
        let mut left = self.factor(nodes, i);
        if let Some(op) = sign {
            let span = left.span;
            left = Expr { kind: ExprKind::Unary(op, Box::new(left)), span };
        }
        while let Some(node) = nodes.get(*i) {
            let op = match (node.kind(), self.text(*node)) {
                ("binary_adding_operator", "+") => Binary::Add,
                ("binary_adding_operator", "-") => Binary::Subtract,
                ("binary_adding_operator", _) => Binary::Concat,
                ("multiplying_operator", "*") => Binary::Multiply,
                ("multiplying_operator", "/") => Binary::Divide,
                ("multiplying_operator", word) if word.eq_ignore_ascii_case("mod") => Binary::Mod,
                ("multiplying_operator", _) => Binary::Rem,
                _ => break,
            };
            *i += 1;
            let right = self.factor(nodes, i);
            left = self.join(left, op, right);
        }
        left
    }

    fn factor(&mut self, nodes: &[N], i: &mut usize) -> Expr {
        let Some(&node) = nodes.get(*i) else {
            return Expr { kind: ExprKind::Other("expression"), span: Span::NOWHERE };
        };
        let span = self.span(node);
        match node.kind() {
            // A term is an explicit node; its factors and operators are its children.
            "term" => {
                *i += 1;
                let children = self.children(node);
                self.sequence(&children)
            }
            "factor_power" => {
                *i += 1;
                let left = self.field(node, "left");
                let right = self.field(node, "right");
                let left = self.primary(&left, &mut 0);
                let right = self.primary(&right, &mut 0);
                self.join(left, Binary::Power, right)
            }
            "factor_abs" | "factor_not" => {
                *i += 1;
                let children = self.children(node);
                let operand = self.primary(&children, &mut 1);
                let op = if node.kind() == "factor_abs" { Unary::Abs } else { Unary::Not };
                Expr { kind: ExprKind::Unary(op, Box::new(operand)), span }
            }
            _ => self.primary(nodes, i),
        }
    }

    /// A whole name: every part of `nodes` belongs to it.
    fn names(&mut self, nodes: &[N]) -> Expr {
        if nodes.is_empty() {
            return Expr { kind: ExprKind::Other("name"), span: Span::NOWHERE };
        }
        self.primary(nodes, &mut 0)
    }

    fn primary(&mut self, nodes: &[N], i: &mut usize) -> Expr {
        let Some(&node) = nodes.get(*i) else {
            return Expr { kind: ExprKind::Other("expression"), span: Span::NOWHERE };
        };
        *i += 1;
        let span = self.span(node);
        let mut e = if node.kind() == "(" {
            // A parenthesised expression, its parts up to the matching parenthesis.
            let mut inner = Expr { kind: ExprKind::Other("expression"), span };
            while let Some(&n) = nodes.get(*i) {
                *i += 1;
                if n.kind() == ")" {
                    break;
                }
                inner = self.expr(n);
            }
            inner
        } else {
            Expr { kind: self.atom(node), span }
        };
        loop {
            match nodes.get(*i).map(|n| n.kind()) {
                Some("tick") => {
                    *i += 1;
                    let Some(&attribute) = nodes.get(*i) else { break };
                    *i += 1;
                    let name = Ident::new(self.text(attribute), self.span(attribute));
                    let span =
                        Span { end_line: name.span.end_line, end_column: name.span.end_column, ..e.span };
                    e = Expr { kind: ExprKind::Attribute(Box::new(e), name), span };
                }
                Some("actual_parameter_part") => {
                    let part = nodes[*i];
                    *i += 1;
                    let end = self.span(part);
                    let args = self.args(part);
                    let span = Span { end_line: end.end_line, end_column: end.end_column, ..e.span };
                    e = Expr { kind: ExprKind::Call(Box::new(e), args), span };
                }
                _ => return e,
            }
        }
        e
    }

    fn atom(&mut self, node: N) -> ExprKind {
        match node.kind() {
            "identifier" => ExprKind::Name(self.ident(node)),
            "numeric_literal" => number(self.text(node)),
            "primary_null" => ExprKind::Null,
            "string_literal" => {
                let text = self.text(node);
                ExprKind::Str(text[1..text.len() - 1].to_owned())
            }
            "character_literal" => ExprKind::Char(self.text(node).chars().nth(1).unwrap_or(' ')),
            "selected_component" => {
                let children = self.children(node);
                let at = children.iter().rposition(|c| c.kind() == ".").unwrap_or(0);
                let prefix = self.names(&children[..at]);
                let selector = children.get(at + 1).map_or(Ident::default(), |c| self.ident(*c));
                ExprKind::Select(Box::new(prefix), selector)
            }
            "function_call" => {
                let children = self.children(node);
                self.names(&children).kind
            }
            "slice" => {
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "(").unwrap_or(children.len());
                ExprKind::Slice(Box::new(self.names(&children[..at])))
            }
            "qualified_expression" => {
                let children = self.children(node);
                let at = children.iter().rposition(|c| c.kind() == "tick").unwrap_or(0);
                let mark = self.names(&children[..at]);
                let value = self.primary(&children, &mut (at + 1));
                ExprKind::Qualified(Box::new(mark), Box::new(value))
            }
            "expression" | "term" => self.expr(node).kind,
            "factor_power" | "factor_abs" | "factor_not" => self.factor(&[node], &mut 0).kind,
            "relation_membership" => {
                let children = self.children(node);
                let at =
                    children.iter().position(|c| matches!(c.kind(), "not" | "in")).unwrap_or(children.len());
                let negated = children.get(at).is_some_and(|c| c.kind() == "not");
                let value = self.sequence(&children[..at]);
                let mut choices = Vec::new();
                if let Some(list) = self.child(node, "membership_choice_list") {
                    let parts = self.children(list);
                    for part in parts.split(|c| c.kind() == "|") {
                        choices.push(match part {
                            [only] if only.kind() == "range_g" => self.range(*only),
                            _ => Choice::Expr(self.sequence(part)),
                        });
                    }
                }
                ExprKind::In(Box::new(value), choices, negated)
            }
            "if_expression" => {
                let mut arms = Vec::new();
                let mut otherwise = None;
                let children = self.children(node);
                let mut exprs: Vec<N> = Vec::new();
                let mut in_else = false;
                for child in children {
                    match child.kind() {
                        "else" => in_else = true,
                        "expression" if in_else => otherwise = Some(Box::new(self.expr(child))),
                        "expression" => exprs.push(child),
                        "elsif_expression_item" => {
                            let parts: Vec<N> = self
                                .children(child)
                                .into_iter()
                                .filter(|c| c.kind() == "expression")
                                .collect();
                            if let [c, v] = parts[..] {
                                let pair = (self.expr(c), self.expr(v));
                                arms.push(pair);
                            }
                        }
                        _ => {}
                    }
                }
                if let [c, v, ..] = exprs[..] {
                    let pair = (self.expr(c), self.expr(v));
                    arms.insert(0, pair);
                }
                ExprKind::If(arms, otherwise)
            }
            "case_expression" => {
                let on = self.child(node, "expression").map(|e| self.expr(e));
                let mut arms = Vec::new();
                for child in self.children(node) {
                    if child.kind() == "case_expression_alternative" {
                        let choices =
                            self.child(child, "discrete_choice_list").map_or(Vec::new(), |c| self.choices(c));
                        if let Some(value) = self.child(child, "expression") {
                            let value = self.expr(value);
                            arms.push((choices, value));
                        }
                    }
                }
                match on {
                    Some(on) => ExprKind::Case(Box::new(on), arms),
                    None => ExprKind::Other("case expression"),
                }
            }
            "quantified_expression" => {
                let all = self.child(node, "quantifier").is_some_and(|q| self.has(q, "all"));
                let spec = self.child(node, "loop_parameter_specification");
                let predicate = self.field(node, "predicate").first().map(|p| self.expr(*p));
                match (spec, predicate) {
                    (Some(spec), Some(predicate)) => {
                        let (name, _, domain, filter) = self.loop_parameter(spec);
                        if filter {
                            return ExprKind::Other("quantified expression with a filter");
                        }
                        ExprKind::Quantified {
                            all,
                            name,
                            domain: Box::new(domain),
                            predicate: Box::new(predicate),
                        }
                    }
                    _ => ExprKind::Other("quantified expression over an iterator"),
                }
            }
            "allocator" => {
                if let Some(q) = self.child(node, "qualified_expression") {
                    let ExprKind::Qualified(mark, value) = self.atom(q) else {
                        return ExprKind::Other("allocator");
                    };
                    let subtype = Subtype { mark: *mark, constraint: None };
                    return ExprKind::New(Box::new(subtype), Some(value));
                }
                let children = self.children(node);
                let rest: Vec<N> = children
                    .into_iter()
                    .filter(|c| !matches!(c.kind(), "new" | "subpool_specification"))
                    .collect();
                ExprKind::New(Box::new(self.subtype(&rest)), None)
            }
            "record_aggregate" => {
                let list = self.child(node, "record_component_association_list");
                ExprKind::Aggregate(list.map_or(Vec::new(), |l| self.components(l)))
            }
            "positional_array_aggregate" | "named_array_aggregate" | "null_array_aggregate" => {
                ExprKind::Aggregate(self.components(node))
            }
            "raise_expression" => {
                let name = self.field(node, "exception_name");
                ExprKind::Raise(Box::new(self.names(&name)))
            }
            "target_name" => ExprKind::Other("target name"),
            "extension_aggregate" => ExprKind::Other("extension aggregate"),
            "record_delta_aggregate" | "array_delta_aggregate" => ExprKind::Other("delta aggregate"),
            "declare_expression" => ExprKind::Other("declare expression"),
            _ => ExprKind::Other("expression"),
        }
    }

    fn components(&mut self, node: N) -> Vec<Component> {
        let mut out = Vec::new();
        let mut choices: Option<Vec<Choice>> = None;
        for child in self.children(node) {
            match child.kind() {
                "component_choice_list" => {
                    let parts = self.children(child);
                    let named = parts
                        .into_iter()
                        .filter(|c| c.kind() != "|")
                        .map(|c| {
                            if c.kind() == "others" { Choice::Others } else { Choice::Expr(self.names(&[c])) }
                        })
                        .collect();
                    choices = Some(named);
                }
                "others" => choices = Some(vec![Choice::Others]),
                "array_component_association" => {
                    let list = self.child(child, "discrete_choice_list");
                    let Some(list) = list else {
                        let span = self.span(child);
                        let value = Expr { kind: ExprKind::Other("iterated component"), span };
                        out.push(Component { choices: vec![Choice::Others], value });
                        continue;
                    };
                    let choices = self.choices(list);
                    let span = self.span(child);
                    let value = self
                        .child(child, "expression")
                        .map_or(Expr { kind: ExprKind::Default, span }, |e| self.expr(e));
                    out.push(Component { choices, value });
                }
                "expression" => {
                    let value = self.expr(child);
                    out.push(Component { choices: choices.take().unwrap_or_default(), value });
                }
                "<>" => {
                    let value = Expr { kind: ExprKind::Default, span: self.span(child) };
                    out.push(Component { choices: choices.take().unwrap_or_default(), value });
                }
                _ => {}
            }
        }
        out
    }

    fn args(&mut self, node: N) -> Vec<Arg> {
        let mut out = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "(" | ")" | "," => {}
                "parameter_association" => {
                    let names: Vec<Ident> =
                        self.child(child, "component_choice_list").map_or(Vec::new(), |l| {
                            self.children(l)
                                .into_iter()
                                .filter(|c| c.kind() == "identifier" || c.kind() == "string_literal")
                                .map(|c| self.ident(c))
                                .collect()
                        });
                    let value = match self.child(child, "expression") {
                        Some(e) => self.expr(e),
                        None => Expr { kind: ExprKind::Default, span: self.span(child) },
                    };
                    if names.is_empty() {
                        out.push(Arg { name: None, value: Choice::Expr(value) });
                    } else {
                        for name in names {
                            out.push(Arg { name: Some(name), value: Choice::Expr(value.clone()) });
                        }
                    }
                }
                "range_g" => {
                    let value = self.range(child);
                    out.push(Arg { name: None, value });
                }
                _ => {
                    let value = self.expr(child);
                    out.push(Arg { name: None, value: Choice::Expr(value) });
                }
            }
        }
        out
    }
}

/// The last part of a dotted name.
pub fn last_ident(name: &Expr) -> Ident {
    match &name.kind {
        ExprKind::Name(ident) | ExprKind::Select(_, ident) => ident.clone(),
        ExprKind::Str(text) => Ident::new(&format!("\"{text}\""), name.span),
        _ => Ident::default(),
    }
}

/// A dotted name in the form in which units are looked up.
pub fn dotted(name: &Expr) -> String {
    match &name.kind {
        ExprKind::Name(ident) => ident.key.clone(),
        ExprKind::Select(prefix, ident) => format!("{}.{}", dotted(prefix), ident.key),
        ExprKind::Str(text) => format!("\"{}\"", text.to_lowercase()),
        _ => String::new(),
    }
}

fn number(text: &str) -> ExprKind {
    let text = text.replace('_', "").to_lowercase();
    if let Some((base, rest)) = text.split_once('#') {
        let (digits, exponent) = rest.split_once('#').unwrap_or((rest, ""));
        let base: i64 = base.parse().unwrap_or(10);
        if digits.contains('.') || !(2..=16).contains(&base) {
            return ExprKind::Real;
        }
        let exponent = exponent.trim_start_matches('e');
        let exponent: u32 = if exponent.is_empty() { 0 } else { exponent.parse().unwrap_or(u32::MAX) };
        let value = i64::from_str_radix(digits, base as u32)
            .ok()
            .and_then(|v| base.checked_pow(exponent).and_then(|p| v.checked_mul(p)));
        return value.map_or(ExprKind::Real, ExprKind::Int);
    }
    if text.contains('.') {
        return ExprKind::Real;
    }
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: u32 = exponent.trim_start_matches('+').parse().unwrap_or(u32::MAX);
    let value =
        digits.parse::<i64>().ok().and_then(|v| 10i64.checked_pow(exponent).and_then(|p| v.checked_mul(p)));
    value.map_or(ExprKind::Real, ExprKind::Int)
}

/// The first word that closes something else than what is open, for a better message than the
/// parser's: `end A` where `end if` is due, or an end too many.
fn unbalanced(text: &str) -> Option<(usize, String)> {
    // What is open: the word that must follow `end`, empty if a name may.
    let mut open: Vec<(&'static str, usize)> = Vec::new();
    let mut words: Vec<(usize, String)> = Vec::new();
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'-' if bytes.get(i + 1) == Some(&b'-') => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
            }
            b'"' => {
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' && bytes[i] != b'\n' {
                    i += 1;
                }
                i += 1;
            }
            b'\'' if bytes.get(i + 2) == Some(&b'\'') => i += 3,
            c if c.is_ascii_alphabetic() || c >= 128 => {
                let start = i;
                while i < bytes.len()
                    && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_' || bytes[i] >= 128)
                {
                    i += 1;
                }
                words.push((start, String::from_utf8_lossy(&bytes[start..i]).to_lowercase()));
            }
            b';' => {
                words.push((i, ";".into()));
                i += 1;
            }
            _ => i += 1,
        }
    }
    let word = |k: usize| words.get(k).map_or("", |w| w.1.as_str());
    let mut k = 0;
    while k < words.len() {
        let at = words[k].0;
        match word(k) {
            // Declarations inside statements have too many forms to be followed.
            "declare" => return None,
            "end" => {
                let next = word(k + 1);
                k += usize::from(["if", "loop", "select", "case", "record", "return"].contains(&next));
                let closes = match next {
                    "if" | "loop" | "select" => next,
                    "case" | "record" => {
                        k += 1;
                        continue;
                    }
                    _ => "",
                };
                match open.pop() {
                    // The end of a specification.
                    None => {}
                    Some((due, _)) if due != closes => {
                        let due = if due.is_empty() { "end NAME".to_owned() } else { format!("end {due}") };
                        return Some((at, format!("`{due}` is expected before this")));
                    }
                    Some(_) => {}
                }
            }
            // Conditional expressions stand in parentheses and have no end.
            "if" if k > 0
                && matches!(word(k - 1), ";" | "then" | "else" | "begin" | "loop" | "do" | "abort") =>
            {
                open.push(("if", at));
            }
            "loop" => open.push(("loop", at)),
            "select" => open.push(("select", at)),
            "begin" | "do" => open.push(("", at)),
            _ => {}
        }
        k += 1;
    }
    let (due, at) = open.last()?;
    let word = if due.is_empty() { "begin" } else { due };
    Some((*at, format!("this `{word}` is never closed")))
}
