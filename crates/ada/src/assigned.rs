//! Which names a program may assign to.
//!
//! A variable whose name is never a target, never an argument of a call statement and never
//! aliased keeps its initial value: it is as good as a constant, and may bound an array or an
//! entry family. One that alone decides when a loop ends stays a variable: who looks at it again and again waits for
//! a change that never comes, and that is worth reporting.

use std::collections::HashSet;

use crate::syntax::*;

/// The names that something in the program may assign to.
#[derive(Default)]
pub struct Names {
    names: HashSet<String>,
    /// A function has an out parameter: then any expression may assign.
    all: bool,
    /// The names in each condition that ends a loop.
    ends: Vec<Vec<String>>,
}

impl Names {
    pub fn contains(&self, name: &str) -> bool {
        self.all || self.names.contains(name)
    }

    fn insert(&mut self, name: String) {
        self.names.insert(name);
    }

    fn ends_a_loop(&mut self, condition: &Expr) {
        let mut names = Vec::new();
        each_name(condition, &mut names);
        self.ends.push(names);
    }

    /// Adds the variables that alone decide when a loop ends.
    pub fn with_ends_of_loops(mut self) -> Names {
        let ends = std::mem::take(&mut self.ends);
        let fixed = ends.into_iter().filter(|names| !names.iter().any(|n| self.names.contains(n)));
        let fixed: Vec<String> = fixed.flatten().collect();
        self.names.extend(fixed);
        self
    }
}

fn each_name(e: &Expr, out: &mut Vec<String>) {
    if let ExprKind::Name(ident) = &e.kind {
        out.push(ident.key.clone());
    }
    e.each_part(&mut |part| each_name(part, out));
}

pub fn in_decl(decl: &Decl, out: &mut Names) {
    match &decl.kind {
        DeclKind::Subprogram { spec, body } => {
            out.all |= spec.result.is_some() && spec.params.iter().any(|p| p.mode != ParamMode::In);
            in_params(&spec.params, out);
            match body {
                SubprogramBody::Body(body) => in_body(body, out),
                SubprogramBody::Expression(e) => aliases(e, out),
                _ => {}
            }
        }
        DeclKind::TaskBody { body, .. } => in_body(body, out),
        DeclKind::EntryBody { body, barrier, params, .. } => {
            aliases(barrier, out);
            in_params(params, out);
            in_body(body, out);
        }
        DeclKind::Package { decls, private, .. } => {
            decls.iter().chain(private).for_each(|d| in_decl(d, out));
        }
        DeclKind::PackageBody { decls, handled, .. } => {
            decls.iter().for_each(|d| in_decl(d, out));
            if let Some(handled) = handled {
                in_handled(handled, out);
            }
        }
        DeclKind::Protected { discriminants, items, private, .. } => {
            in_params(discriminants, out);
            items.iter().chain(private).for_each(|d| in_decl(d, out));
        }
        DeclKind::Task { discriminants, .. } => in_params(discriminants, out),
        DeclKind::ProtectedBody { items, .. } => items.iter().for_each(|d| in_decl(d, out)),
        DeclKind::Generic { decl, .. } => in_decl(decl, out),
        DeclKind::Instance { args, .. } => in_args(args, out),
        DeclKind::Renaming { target, .. } => target_name(target, out),
        DeclKind::Object { ty, init, .. } => {
            in_type(ty, out);
            in_exprs(init, out);
        }
        DeclKind::Type { discriminants, def, .. } => {
            in_params(discriminants, out);
            match def {
                TypeDef::Record(def) => in_record(def, out),
                TypeDef::Access(subtype, _) => in_subtype(subtype, out),
                TypeDef::Array(_, element) => in_type(element, out),
                TypeDef::Derived(parent, extension) => {
                    in_subtype(parent, out);
                    extension.iter().for_each(|def| in_record(def, out));
                }
                _ => {}
            }
        }
        DeclKind::Subtype { subtype, .. } => in_subtype(subtype, out),
        _ => {}
    }
}

fn in_record(def: &RecordDef, out: &mut Names) {
    def.components.iter().for_each(|d| in_decl(d, out));
    def.variants.iter().flat_map(|v| &v.variants).for_each(|v| in_record(&v.1, out));
}

fn in_params(params: &[Param], out: &mut Names) {
    params.iter().for_each(|p| in_exprs(&p.default, out));
}

fn in_type(ty: &TypeRef, out: &mut Names) {
    match ty {
        TypeRef::Subtype(subtype) => in_subtype(subtype, out),
        TypeRef::Array(_, element) => in_type(element, out),
        TypeRef::Access(..) | TypeRef::AccessSubprogram(_) => {}
    }
}

fn in_subtype(subtype: &Subtype, out: &mut Names) {
    if let Some(Constraint::Args(args)) = &subtype.constraint {
        args.iter().for_each(|a| a.value.each_expr(&mut |e| aliases(e, out)));
    }
}

fn in_exprs<'e>(list: impl IntoIterator<Item = &'e Expr>, out: &mut Names) {
    list.into_iter().for_each(|e| aliases(e, out));
}

fn in_body(body: &Body, out: &mut Names) {
    body.decls.iter().for_each(|d| in_decl(d, out));
    in_handled(&body.handled, out);
}

fn in_handled(handled: &Handled, out: &mut Names) {
    in_stmts(&handled.stmts, out);
    handled.handlers.iter().for_each(|h| in_stmts(&h.stmts, out));
}

fn in_stmts(stmts: &[Stmt], out: &mut Names) {
    for stmt in stmts {
        in_stmt(&stmt.kind, out);
    }
}

fn in_stmt(stmt: &StmtKind, out: &mut Names) {
    match stmt {
        StmtKind::Assign(target, value) => {
            target_name(target, out);
            in_exprs([target, value], out);
        }
        StmtKind::Call(call) => in_call(call, out),
        StmtKind::Return(value) => in_exprs(value, out),
        StmtKind::ExtendedReturn { init, body, .. } => {
            in_exprs(init, out);
            body.iter().for_each(|b| in_handled(b, out));
        }
        StmtKind::If(arms, otherwise) => {
            for (condition, then) in arms {
                let leaves = |s: &Stmt| matches!(s.kind, StmtKind::Exit { .. } | StmtKind::Return(_));
                if then.last().is_some_and(leaves) {
                    out.ends_a_loop(condition);
                }
                aliases(condition, out);
                in_stmts(then, out);
            }
            in_stmts(otherwise, out);
        }
        StmtKind::Case(on, arms) => {
            aliases(on, out);
            arms.iter().for_each(|a| in_stmts(&a.1, out));
        }
        StmtKind::Loop { scheme, body, .. } => {
            match scheme {
                Some(Scheme::While(e)) => {
                    out.ends_a_loop(e);
                    aliases(e, out);
                }
                // The loop parameter stands for the elements.
                Some(Scheme::Of { array, .. }) => target_name(array, out),
                _ => {}
            }
            in_stmts(body, out);
        }
        StmtKind::Parallel(parts) => parts.iter().for_each(|p| in_stmts(p, out)),
        StmtKind::Block { decls, handled } => {
            decls.iter().for_each(|d| in_decl(d, out));
            in_handled(handled, out);
        }
        StmtKind::Accept(accept) => in_accept(accept, out),
        StmtKind::Select { alternatives, otherwise } => {
            for (guard, alternative) in alternatives {
                in_exprs(guard, out);
                match alternative {
                    SelectAlternative::Accept(accept, then) => {
                        in_accept(accept, out);
                        in_stmts(then, out);
                    }
                    SelectAlternative::Delay(_, then) => in_stmts(then, out),
                    SelectAlternative::Terminate => {}
                }
            }
            otherwise.iter().for_each(|o| in_stmts(o, out));
        }
        StmtKind::ConditionalCall { call, then, otherwise }
        | StmtKind::TimedCall { call, then, otherwise, .. } => {
            in_call(call, out);
            in_stmts(then, out);
            in_stmts(otherwise, out);
        }
        StmtKind::Asynchronous { trigger, then, abortable } => {
            in_stmt(&trigger.kind, out);
            in_stmts(then, out);
            in_stmts(abortable, out);
        }
        StmtKind::Exit { when, .. } => {
            when.iter().for_each(|e| out.ends_a_loop(e));
            in_exprs(when, out);
        }
        _ => {}
    }
}

fn in_accept(accept: &Accept, out: &mut Names) {
    if let Some(body) = &accept.body {
        in_handled(body, out);
    }
}

fn in_call(call: &Expr, out: &mut Names) {
    if let ExprKind::Call(_, args) = &call.kind {
        in_args(args, out);
    }
}

fn in_args(args: &[Arg], out: &mut Names) {
    for arg in args {
        if let Choice::Expr(e) = &arg.value {
            target_name(e, out);
            aliases(e, out);
        }
    }
}

/// The name at the root of a target: of `A (I).B` it is A. Selected names count by every part.
fn target_name(e: &Expr, out: &mut Names) {
    match &e.kind {
        ExprKind::Name(ident) => {
            out.insert(ident.key.clone());
        }
        ExprKind::Select(prefix, ident) => {
            out.insert(ident.key.clone());
            target_name(prefix, out);
        }
        ExprKind::Call(prefix, args) => {
            target_name(prefix, out);
            in_args(args, out);
        }
        ExprKind::Slice(prefix, _) | ExprKind::Qualified(_, prefix) => target_name(prefix, out),
        _ => {}
    }
}

/// Names whose access value or address is taken.
fn aliases(e: &Expr, out: &mut Names) {
    if let ExprKind::Attribute(prefix, attribute) = &e.kind
        && matches!(attribute.key.as_str(), "access" | "unchecked_access" | "unrestricted_access" | "address")
    {
        target_name(prefix, out);
    }
    e.each_part(&mut |part| aliases(part, out));
}
