//! Text to syntax tree, by way of tree-sitter's Ada grammar.
//!
//! The grammar hides many rules, so their parts stand side by side among the children of one
//! node; the functions here read such sequences from left to right.

mod declaration;
mod expression;
mod statement;

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
                // A temporal formula is decided wherever control comes to this place.
                "assert" if rendez_property::ctl::is_temporal(rest) => {
                    if let Err(wrong) = rendez_property::ctl::parse(rest) {
                        self.diagnostics.push(Diagnostic::error(span, wrong.message));
                        continue;
                    }
                    StmtKind::Formula(rest.to_owned())
                }
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

    /// The annotations that stand between two places of a sequence of statements, as statements of it.
    fn take_notes(&mut self, between: std::ops::Range<usize>, out: &mut Vec<Stmt>) {
        for note in &mut self.notes {
            if !note.used && between.contains(&note.at) {
                note.used = true;
                out.push(Stmt {
                    kind: note.stmt.clone(),
                    span: note.span,
                    whole: note.span,
                    labels: Vec::new(),
                });
            }
        }
    }

    /// Where the text before a node ends, and where that after it begins, comments aside.
    fn around(&self, node: N) -> (usize, usize) {
        let mut before = None;
        let mut at = Some(node);
        while let (None, Some(n)) = (before, at) {
            let mut other = n.prev_sibling();
            while let Some(o) = other.filter(|o| o.kind() == "comment") {
                other = o.prev_sibling();
            }
            before = other.map(|o| o.end_byte());
            at = n.parent();
        }
        let mut after = None;
        let mut at = Some(node);
        while let (None, Some(n)) = (after, at) {
            let mut other = n.next_sibling();
            while let Some(o) = other.filter(|o| o.kind() == "comment") {
                other = o.next_sibling();
            }
            after = other.map(|o| o.start_byte());
            at = n.parent();
        }
        (before.unwrap_or(0), after.unwrap_or(self.text.len()))
    }

    // ---- units -------------------------------------------------------------------------------

    fn units(&mut self, root: N) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut withs = Vec::new();
        let mut limited = Vec::new();
        let mut context = Vec::new();
        for unit in self.children(root) {
            for child in self.children(unit) {
                match child.kind() {
                    "with_clause" if self.has(child, "limited") => limited.extend(self.name_list(child)),
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
                                limited: std::mem::take(&mut limited),
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
                                limited: std::mem::take(&mut limited),
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
