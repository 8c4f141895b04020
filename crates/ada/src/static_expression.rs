//! Which expressions are static (RM 4.9). Static expressions are evaluated exactly: no intermediate result of theirs
//! overflows, whatever its type.
//!
//! This looks at the text and at what names stand for, and writes no code. Where it is not clear whether an expression
//! is static, a check that would fail is a check that may fail.

use crate::elaborate::Elaborator;
use crate::env::{Binding, Meaning, Obj, ScopeId};
use crate::syntax::{self, Arg, Choice, ExprKind};

/// Whether an expression is static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Staticness {
    Static,
    Unclear,
    Dynamic,
}

use Staticness::{Dynamic, Static, Unclear};

impl<'a> Elaborator<'a> {
    /// Whether an expression is static.
    pub(crate) fn staticness(&mut self, e: &'a syntax::Expr) -> Staticness {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Real | ExprKind::Char(_) => Static,
            ExprKind::Name(ident) => self.static_name(self.cx.scope, &ident.key),
            ExprKind::Select(prefix, selector) => match self.quiet_meaning(prefix) {
                Some(Meaning::Package(scope)) => self.static_in(scope, &selector.key).unwrap_or(Unclear),
                Some(Meaning::Library(_)) | None => Unclear,
                Some(_) => Dynamic,
            },
            ExprKind::Call(prefix, args) => self.static_call(prefix, args),
            ExprKind::Attribute(prefix, _) => match self.quiet_meaning(prefix) {
                Some(Meaning::Type(ty)) if self.is_standard(ty) => Static,
                _ => Unclear,
            },
            ExprKind::Qualified(_, operand) | ExprKind::Unary(_, operand) => self.staticness(operand),
            ExprKind::Binary(_, a, b) => self.staticness(a).max(self.staticness(b)),
            ExprKind::If(arms, otherwise) => {
                let arms = arms.iter().flat_map(|(condition, value)| [condition, value]);
                let parts: Vec<&syntax::Expr> = arms.chain(otherwise.as_deref()).collect();
                parts.into_iter().map(|part| self.staticness(part)).max().unwrap_or(Unclear)
            }
            _ => Unclear,
        }
    }

    /// A conversion or an attribute of a static operand is static; a call of a function is not.
    fn static_call(&mut self, prefix: &'a syntax::Expr, args: &'a [Arg]) -> Staticness {
        let is_type = match &prefix.kind {
            ExprKind::Attribute(of, _) => matches!(self.quiet_meaning(of), Some(Meaning::Type(_))),
            _ => matches!(self.quiet_meaning(prefix), Some(Meaning::Type(_))),
        };
        if !is_type {
            return Dynamic;
        }
        let mut all = Static;
        for arg in args {
            all = all.max(match &arg.value {
                Choice::Expr(e) => self.staticness(e),
                _ => Unclear,
            });
        }
        all
    }

    fn static_name(&self, scope: ScopeId, key: &str) -> Staticness {
        let directly = std::iter::successors(Some(scope), |s| self.scopes[s.0].parent);
        let found = directly.clone().find_map(|s| self.static_in(s, key));
        let used = || directly.flat_map(|s| &self.scopes[s.0].uses).find_map(|s| self.static_in(*s, key));
        found.or_else(used).unwrap_or(Unclear)
    }

    /// A name of a scope, if it is declared there.
    fn static_in(&self, scope: ScopeId, key: &str) -> Option<Staticness> {
        Some(match self.scopes[scope.0].names.get(key)?.first()? {
            Binding::Number(_) | Binding::Literal(..) => Static,
            Binding::Object { obj: Obj::Const(_), .. } => {
                self.static_constants.get(&(scope, key.to_owned())).copied().unwrap_or(Unclear)
            }
            Binding::Object { .. } | Binding::Subprogram(_) | Binding::Entry(_) => Dynamic,
            _ => Unclear,
        })
    }

    /// Whether a type is one of package Standard.
    fn is_standard(&self, ty: crate::env::TypeId) -> bool {
        self.types[ty.0].scope == self.std.scope
    }
}
