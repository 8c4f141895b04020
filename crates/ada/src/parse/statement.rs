//! Statements.

use rendez_source::{Diagnostic, Span};

use super::{Cx, MAX_DEPTH, N};
use crate::syntax::*;

impl Cx<'_> {
    pub(super) fn handled(&mut self, node: N) -> Handled {
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

    pub(super) fn stmts_of(&mut self, node: N, field: &str) -> Vec<Stmt> {
        match self.field(node, field).first() {
            Some(s) => self.stmts(*s),
            None => Vec::new(),
        }
    }

    pub(super) fn stmts(&mut self, node: N) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut labels = Vec::new();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.diagnostics.push(Diagnostic::error(self.span(node), "statements are nested too deeply"));
            self.depth -= 1;
            return out;
        }
        let (mut from, end) = self.around(node);
        for child in self.children(node) {
            let already = out.len();
            self.take_notes(from..child.start_byte(), &mut out);
            from = child.end_byte();
            // Whoever comes to a label comes to the annotations behind it, too.
            if let Some(note) = out.get_mut(already) {
                note.labels = std::mem::take(&mut labels);
            }
            if child.kind() == "label" {
                labels.extend(self.field(child, "statement_identifier").first().map(|i| self.ident(*i)));
                continue;
            }
            let kind = self.stmt(child);
            let (span, whole) = (self.head_span(child), self.span(child));
            out.push(Stmt { kind, span, whole, labels: std::mem::take(&mut labels) });
        }
        // Annotations between the last statement and the word that ends the sequence.
        self.take_notes(from..end, &mut out);
        if !labels.is_empty() {
            let span = self.span(node);
            out.push(Stmt { kind: StmtKind::Null, span, whole: span, labels });
        }
        self.depth -= 1;
        out
    }

    /// The statements of an alternative behind the one that it begins with; there may be none, or annotations only.
    fn stmts_after(&mut self, alternative: N, first: N) -> Vec<Stmt> {
        if let Some(sequence) = self.child(alternative, "sequence_of_statements") {
            return self.stmts(sequence);
        }
        let mut out = Vec::new();
        let (_, end) = self.around(alternative);
        self.take_notes(first.end_byte()..end, &mut out);
        out
    }

    /// The span of a statement's first line only, if it has several: messages point at its head.
    pub(super) fn head_span(&self, node: N) -> Span {
        let mut span = self.span(node);
        if span.end_line > span.line {
            let first = self.text(node).split('\n').next().unwrap_or("");
            span.end_line = span.line;
            span.end_column = span.column + first.trim_end().len() as u32;
        }
        span
    }

    pub(super) fn stmt(&mut self, node: N) -> StmtKind {
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
                let Some(first) = self.child(alternative, "procedure_call_statement") else {
                    return StmtKind::Unsupported("entry call alternative");
                };
                let call = self.call(first);
                let then = self.stmts_after(alternative, first);
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
                let Some(first) = self.children(trigger).into_iter().next() else {
                    return StmtKind::Unsupported("asynchronous select");
                };
                let then = self.stmts_after(trigger, first);
                let kind = self.stmt(first);
                let span = self.span(first);
                let trigger = Stmt { kind, span, whole: span, labels: Vec::new() };
                StmtKind::Asynchronous { trigger: Box::new(trigger), then, abortable }
            }
            "delay_until_statement" | "delay_relative_statement" => {
                StmtKind::Delay(self.child(node, "expression").map_or(missing, |e| self.expr(e)))
            }
            "abort_statement" => StmtKind::Abort(self.name_list(node)),
            "raise_statement" => {
                let name = self.field(node, "name");
                let message = self.child(node, "expression").map(|e| self.expr(e));
                StmtKind::Raise(if name.is_empty() { None } else { Some(self.names(&name)) }, message)
            }
            "requeue_statement" => {
                let name = self.field(node, "name");
                StmtKind::Requeue { entry: self.names(&name), with_abort: self.has(node, "abort") }
            }
            "pragma_g" => {
                let (name, args) = self.pragma(node);
                StmtKind::Pragma { name, args }
            }
            "parallel_block_statement" => {
                let parts: Vec<N> = self
                    .children(node)
                    .into_iter()
                    .filter(|c| c.kind() == "sequence_of_statements")
                    .collect();
                StmtKind::Parallel(parts.into_iter().map(|p| self.stmts(p)).collect())
            }
            "gnatprep_if_statement" => StmtKind::Unsupported("gnatprep text"),
            _ => StmtKind::Unsupported("statement"),
        }
    }

    pub(super) fn call(&mut self, node: N) -> Expr {
        let children = self.children(node);
        let rest: Vec<N> = children.into_iter().filter(|c| c.kind() != ";").collect();
        self.names(&rest)
    }

    pub(super) fn scheme(&mut self, node: N) -> Scheme {
        let parallel = self.has(node, "parallel");
        if let Some(condition) = self.field(node, "condition").first() {
            return Scheme::While(self.expr(*condition));
        }
        if let Some(spec) = self.child(node, "loop_parameter_specification") {
            let (name, reverse, domain, filter) = self.loop_parameter(spec);
            if filter {
                return Scheme::Unsupported("loop with an iterator filter");
            }
            if parallel {
                return Scheme::Parallel { name, domain };
            }
            return Scheme::For { name, reverse, domain };
        }
        if parallel {
            return Scheme::Unsupported("parallel loop over an iterator");
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

    pub(super) fn loop_parameter(&mut self, node: N) -> (Ident, bool, Choice, bool) {
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

    pub(super) fn accept(&mut self, node: N) -> Accept {
        let entry =
            self.field(node, "entry_direct_name").first().map_or(Ident::default(), |n| self.ident(*n));
        let index = self.field(node, "entry_index").first().map(|e| self.expr(*e));
        let params = self.params(node);
        let body = self.child(node, "handled_sequence_of_statements").map(|h| self.handled(h));
        Accept { entry, index, params, body, span: self.head_span(node) }
    }

    pub(super) fn selective_accept(&mut self, node: N) -> StmtKind {
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
                            let then = self.stmts_after(inner, accept);
                            SelectAlternative::Accept(self.accept(accept), then)
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
        let some = |wanted: fn(&SelectAlternative) -> bool| {
            alternatives.iter().filter(move |a| wanted(&a.1)).count()
        };
        let delays = some(|a| matches!(a, SelectAlternative::Delay(..)));
        let terminates = some(|a| matches!(a, SelectAlternative::Terminate));
        if usize::from(delays > 0) + terminates + usize::from(otherwise.is_some()) > 1 {
            let message =
                "a select statement has delay alternatives, one terminate alternative, or an else part";
            self.diagnostics.push(Diagnostic::error(self.span(node), message).label("only one of these"));
        }
        if alternatives.len() == delays + terminates {
            let message = "a select statement has an accept alternative";
            self.diagnostics.push(Diagnostic::error(self.span(node), message).label("none here"));
        }
        StmtKind::Select { alternatives, otherwise }
    }

    pub(super) fn delay_alternative(&mut self, node: N) -> (Expr, Vec<Stmt>) {
        let mut delay = Expr { kind: ExprKind::Other("delay"), span: self.span(node) };
        let mut then = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "delay_until_statement" | "delay_relative_statement" => {
                    if let Some(e) = self.child(child, "expression") {
                        delay = self.expr(e);
                    }
                    then = self.stmts_after(node, child);
                }
                _ => {}
            }
        }
        (delay, then)
    }
}
