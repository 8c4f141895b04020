//! Which names a program may assign to.
//!
//! A variable whose name is never a target, never an argument of a call statement and never
//! aliased keeps its initial value: it is as good as a constant, and may bound an array or an
//! entry family.

use std::collections::HashSet;

use crate::syntax::*;

/// The names that something in the program may assign to.
#[derive(Default)]
pub struct Names {
    names: HashSet<String>,
    /// A function has an out parameter: then any expression may assign.
    all: bool,
}

impl Names {
    pub fn contains(&self, name: &str) -> bool {
        self.all || self.names.contains(name)
    }

    fn insert(&mut self, name: String) {
        self.names.insert(name);
    }
}

pub fn in_decl(decl: &Decl, out: &mut Names) {
    if let DeclKind::Subprogram { spec, .. } = &decl.kind {
        out.all |= spec.result.is_some() && spec.params.iter().any(|p| p.mode != ParamMode::In);
    }
    match &decl.kind {
        DeclKind::Subprogram { body: SubprogramBody::Body(body), .. } | DeclKind::TaskBody { body, .. } => {
            in_body(body, out);
        }
        DeclKind::EntryBody { body, .. } => in_body(body, out),
        DeclKind::Package { decls, private, .. } => {
            decls.iter().chain(private).for_each(|d| in_decl(d, out));
        }
        DeclKind::PackageBody { decls, handled, .. } => {
            decls.iter().for_each(|d| in_decl(d, out));
            if let Some(handled) = handled {
                in_handled(handled, out);
            }
        }
        DeclKind::ProtectedBody { items, .. } => items.iter().for_each(|d| in_decl(d, out)),
        DeclKind::Generic { decl, .. } => in_decl(decl, out),
        DeclKind::Instance { args, .. } => in_args(args, out),
        DeclKind::Renaming { target, .. } => target_name(target, out),
        DeclKind::Object { init: Some(init), .. } => aliases(init, out),
        _ => {}
    }
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
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                target_name(target, out);
                aliases(value, out);
            }
            StmtKind::Call(call) => in_call(call, out),
            StmtKind::Return(Some(e)) => aliases(e, out),
            StmtKind::ExtendedReturn { body: Some(body), .. } => in_handled(body, out),
            StmtKind::If(arms, otherwise) => {
                arms.iter().for_each(|a| in_stmts(&a.1, out));
                in_stmts(otherwise, out);
            }
            StmtKind::Case(_, arms) => arms.iter().for_each(|a| in_stmts(&a.1, out)),
            StmtKind::Loop { body, .. } => in_stmts(body, out),
            StmtKind::Parallel(parts) => parts.iter().for_each(|p| in_stmts(p, out)),
            StmtKind::Block { decls, handled } => {
                decls.iter().for_each(|d| in_decl(d, out));
                in_handled(handled, out);
            }
            StmtKind::Accept(accept) => in_accept(accept, out),
            StmtKind::Select { alternatives, otherwise } => {
                for (_, alternative) in alternatives {
                    match alternative {
                        SelectAlternative::Accept(accept, then) => {
                            in_accept(accept, out);
                            in_stmts(then, out);
                        }
                        SelectAlternative::Delay(_, then) => in_stmts(then, out),
                        SelectAlternative::Terminate => {}
                    }
                }
                if let Some(otherwise) = otherwise {
                    in_stmts(otherwise, out);
                }
            }
            StmtKind::ConditionalCall { call, then, otherwise }
            | StmtKind::TimedCall { call, then, otherwise, .. } => {
                in_call(call, out);
                in_stmts(then, out);
                in_stmts(otherwise, out);
            }
            StmtKind::Asynchronous { trigger, then, abortable } => {
                in_stmts(std::slice::from_ref(trigger), out);
                in_stmts(then, out);
                in_stmts(abortable, out);
            }
            _ => {}
        }
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
        ExprKind::Slice(prefix) | ExprKind::Qualified(_, prefix) => target_name(prefix, out),
        _ => {}
    }
}

/// Names whose access value is taken.
fn aliases(e: &Expr, out: &mut Names) {
    match &e.kind {
        ExprKind::Attribute(prefix, _) => target_name(prefix, out),
        ExprKind::Call(prefix, args) => {
            aliases(prefix, out);
            args.iter().for_each(|a| {
                if let Choice::Expr(e) = &a.value {
                    aliases(e, out);
                }
            });
        }
        ExprKind::Qualified(_, e) | ExprKind::Unary(_, e) => aliases(e, out),
        ExprKind::Binary(_, a, b) => {
            aliases(a, out);
            aliases(b, out);
        }
        ExprKind::Aggregate(components) => components.iter().for_each(|c| aliases(&c.value, out)),
        _ => {}
    }
}
