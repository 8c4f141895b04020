//! Names and expressions.

use rendez_source::{Diagnostic, Span};

use super::{Cx, MAX_DEPTH, N, number};
use crate::syntax::*;

impl Cx<'_> {
    pub(super) fn choices(&mut self, node: N) -> Vec<Choice> {
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
    pub(super) fn expr(&mut self, node: N) -> Expr {
        match node.kind() {
            "expression" | "term" => {
                let children = self.children(node);
                self.sequence(&children)
            }
            _ => self.names(&[node]),
        }
    }

    /// The flattened parts of an expression: relations joined by logical operators.
    pub(super) fn sequence(&mut self, nodes: &[N]) -> Expr {
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

    pub(super) fn join(&self, left: Expr, op: Binary, right: Expr) -> Expr {
        let span = Span { end_line: right.span.end_line, end_column: right.span.end_column, ..left.span };
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    pub(super) fn logical(&mut self, nodes: &[N], i: &mut usize) -> Expr {
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

    pub(super) fn relation(&mut self, nodes: &[N], i: &mut usize) -> Expr {
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

    pub(super) fn simple(&mut self, nodes: &[N], i: &mut usize) -> Expr {
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

    pub(super) fn factor(&mut self, nodes: &[N], i: &mut usize) -> Expr {
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
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "**").unwrap_or(0);
                let left = self.primary(&children[..at], &mut 0);
                let right = self.primary(&children[(at + 1).min(children.len())..], &mut 0);
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
    pub(super) fn names(&mut self, nodes: &[N]) -> Expr {
        if nodes.is_empty() {
            return Expr { kind: ExprKind::Other("name"), span: Span::NOWHERE };
        }
        self.primary(nodes, &mut 0)
    }

    pub(super) fn primary(&mut self, nodes: &[N], i: &mut usize) -> Expr {
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

    pub(super) fn atom(&mut self, node: N) -> ExprKind {
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
                let range = match self.child(node, "range_g") {
                    Some(range) => self.range(range),
                    None => Choice::Others,
                };
                ExprKind::Slice(Box::new(self.names(&children[..at])), Box::new(range))
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
                    let subtype = Subtype { mark: *mark, constraint: None, not_null: false };
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
                let children = self.children(node);
                let at = children.iter().position(|c| c.kind() == "with");
                let message = at.map(|at| Box::new(self.sequence(&children[at + 1..])));
                ExprKind::Raise(Box::new(self.names(&name)), message)
            }
            "target_name" => ExprKind::Other("target name"),
            "record_delta_aggregate" | "array_delta_aggregate" => {
                let base = self.child(node, "expression").map(|e| self.expr(e));
                let base = base.unwrap_or(Expr { kind: ExprKind::Default, span: self.span(node) });
                let mut components = self.components(node);
                // The first one is the base.
                components.remove(0);
                if let Some(list) = self.child(node, "record_component_association_list") {
                    components.extend(self.components(list));
                }
                ExprKind::Delta(Box::new(base), components)
            }
            "extension_aggregate" => {
                let mut parts: Vec<Expr> = self.components(node).into_iter().map(|c| c.value).collect();
                if let Some(list) = self.child(node, "record_component_association_list") {
                    parts.extend(self.components(list).into_iter().map(|c| c.value));
                }
                ExprKind::Parts(parts)
            }
            "declare_expression" => ExprKind::Other("declare expression"),
            _ => ExprKind::Other("expression"),
        }
    }

    pub(super) fn components(&mut self, node: N) -> Vec<Component> {
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

    pub(super) fn args(&mut self, node: N) -> Vec<Arg> {
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
