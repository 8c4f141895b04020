//! Language-defined checks and contracts: decided where the values are followed; where they are not, the
//! checks are taken to pass, or may fail.

use rendez_model::{Action, BinaryOp, Domain, ExceptionId, Expr as Model, Owner, Place, TaskId};
use rendez_source::Span;

use std::rc::Rc;

use crate::elaborate::Elaborator;
use crate::env::*;
use crate::parse::dotted;
use crate::static_expression::Staticness;
use crate::syntax::{self, *};

/// What becomes of checks on values that are not followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    /// They pass, which is one of the assumptions.
    #[default]
    Pass,
    /// They may fail.
    MayFail,
}

/// What a program says about its assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Check,
    Ignore,
    Unstated,
}

/// What a pragma says about a kind of assertion, or about all of them.
#[derive(Clone, Debug)]
pub struct Stated {
    pub kind: String,
    pub policy: Policy,
    /// Where it says so; nowhere if that counts for all of its scope.
    pub place: Span,
}

/// What a subprogram or entry requires or promises.
#[derive(Clone, Copy, Debug)]
pub struct Clause<'a> {
    pub kind: &'static str,
    pub condition: Option<&'a syntax::Expr>,
    pub span: Span,
    /// Where it stands, if that is not where the subprogram is declared: the policy there counts.
    pub scope: Option<ScopeId>,
}

impl<'a> Clause<'a> {
    /// The clause that an aspect or a pragma states, if it is one.
    pub(crate) fn new(name: &Ident, class: bool, condition: Option<&'a syntax::Expr>) -> Option<Clause<'a>> {
        let kind = match (name.key.as_str(), class) {
            ("pre" | "precondition", false) => "pre",
            ("pre", true) | ("pre_class", _) => "pre'class",
            ("post" | "postcondition", false) => "post",
            ("post", true) | ("post_class", _) => "post'class",
            ("contract_cases", _) => "contract_cases",
            ("refined_post", _) => "refined_post",
            _ => return None,
        };
        Some(Clause { kind, condition, span: name.span, scope: None })
    }

    /// The same for a pragma.
    pub(crate) fn of_pragma(decl: &'a Decl) -> Option<Clause<'a>> {
        let DeclKind::Pragma { name, args } = &decl.kind else { return None };
        Clause::new(name, false, args.first().map(|a| &a.1))
    }

    fn is_promise(self) -> bool {
        !self.kind.starts_with("pre")
    }
}

/// Whether a policy for one kind of assertion is one for another: some kinds are groups, and some have two names.
fn governs(stated: &str, kind: &str) -> bool {
    let same = |k: &str| match k {
        "precondition" => "pre".to_owned(),
        "postcondition" => "post".to_owned(),
        "invariant" => "type_invariant".to_owned(),
        "pre_class" => "pre'class".to_owned(),
        "post_class" => "post'class".to_owned(),
        k => k.to_owned(),
    };
    let (stated, kind) = (same(stated), same(kind));
    match stated.as_str() {
        "" | "assertions" => true,
        "statement_assertions" => {
            matches!(kind.as_str(), "assert" | "assert_and_cut" | "assume" | "loop_invariant")
        }
        "predicate" => matches!(kind.as_str(), "predicate" | "static_predicate" | "dynamic_predicate"),
        stated => stated == kind,
    }
}

impl<'a> Elaborator<'a> {
    // ---- values ------------------------------------------------------------------------------

    /// A check that the model cannot decide: it passes, unless the user wants otherwise or the program is
    /// prepared for its failure.
    pub(crate) fn doubt(&mut self) {
        let error = ExceptionId::CONSTRAINT_ERROR;
        if self.bounds.checks == Checks::MayFail || self.cx.prepared_for.contains(&error) {
            return self.perhaps(error);
        }
        let library = self.program.files.get(self.cx.span.file.0 as usize);
        let library = library.is_some_and(|f| f.starts_with(rendez_model::LIBRARY_FOLDER));
        if !library && !self.cx.span.is_nowhere() && !self.program.unchecked.contains(&self.cx.span) {
            self.program.unchecked.push(self.cx.span);
        }
    }

    /// An exception may be raised here; nobody knows.
    pub(crate) fn perhaps(&mut self, exception: ExceptionId) {
        let (fails, passes) = self.branch(Some(Model::Any));
        self.cx.cur = fails;
        self.raise(exception);
        self.cx.cur = passes;
    }

    /// A call comes from above a ceiling.
    fn break_ceiling(&mut self) {
        let exception = Model::Const(i64::from(ExceptionId::PROGRAM_ERROR.0));
        self.end_path(Action::Raise { exception, by_tasking: true });
    }

    /// A call may come from above a ceiling.
    fn doubt_ceiling(&mut self) {
        let (fails, passes) = self.branch(Some(Model::Any));
        self.cx.cur = fails;
        self.break_ceiling();
        self.cx.cur = passes;
    }

    /// Raises an exception unless a condition holds.
    pub(crate) fn require(&mut self, condition: Model, exception: ExceptionId) {
        match condition {
            Model::Const(v) if v != 0 => {}
            Model::Const(_) => self.raise(exception),
            condition if self.in_barrier => self.cx.reads.push(Model::Check(Box::new(condition), 1, 1)),
            condition => {
                let (holds, fails) = self.branch(Some(condition));
                self.cx.cur = fails;
                self.raise(exception);
                self.cx.cur = holds;
            }
        }
    }

    /// A range that is not empty lies within another one.
    pub(crate) fn check_range(&mut self, lo: &Model, hi: &Model, (first, last): (i64, i64)) {
        if let (Some((least, _)), Some((_, most))) = (lo.bounds(&self.program), hi.bounds(&self.program))
            && first <= least
            && most <= last
        {
            return;
        }
        if lo.is_any() || hi.is_any() {
            return self.doubt();
        }
        let binary = |op, a: &Model, b: &Model| Model::binary(op, a.clone(), b.clone());
        let empty = binary(BinaryOp::Greater, lo, hi);
        let above = binary(BinaryOp::GreaterEqual, lo, &Model::Const(first));
        let below = binary(BinaryOp::LessEqual, hi, &Model::Const(last));
        let inside = binary(BinaryOp::And, &above, &below);
        self.require(binary(BinaryOp::Or, &empty, &inside), ExceptionId::CONSTRAINT_ERROR);
    }

    /// Whole numbers in the midst of an expression stay in the range of their base type: the failure of this check is
    /// followed only where the program, or the user, asks for it.
    pub(crate) fn intermediate(&mut self, value: &Model, ty: Option<TypeId>, e: &'a syntax::Expr) {
        if let (Model::Const(v), Some(ty)) = (value, ty)
            && let Some((lo, hi)) = self.range_of(self.root(ty)).map(base_range)
            && self.modulus(ty).is_none()
            && (*v < lo || hi < *v)
        {
            return match self.staticness(e) {
                Staticness::Static => {}
                Staticness::Unclear => self.doubt(),
                Staticness::Dynamic => self.raise(ExceptionId::CONSTRAINT_ERROR),
            };
        }
        use BinaryOp::{Add, Divide, Multiply, Power, Subtract};
        let arithmetic = matches!(
            value,
            Model::Binary(Add | Subtract | Multiply | Power | Divide, ..)
                | Model::Unary(rendez_model::UnaryOp::Negate | rendez_model::UnaryOp::Abs, _)
        );
        let universal = ty.is_none();
        let ty = ty.unwrap_or(self.std.integer);
        let Some(range) = self.range_of(self.root(ty)).filter(|_| arithmetic) else { return };
        if self.modulus(ty).is_some() {
            return;
        }
        let (first, last) = base_range(range);
        // Only the first number divided by -1 is too large.
        if let Model::Binary(Divide, of, by) = value
            && (by.constant().is_some_and(|by| by != -1)
                || of.bounds(&self.program).is_some_and(|(least, _)| first < least))
        {
            return;
        }
        let small = |v: i64| v.unsigned_abs() < 1 << 62;
        if let Some((least, most)) = value.bounds(&self.program)
            && first <= least
            && most <= last
        {
            return;
        }
        if universal || !small(first) || !small(last) {
            return self.doubt();
        }
        let prepared = self.cx.prepared_for.contains(&ExceptionId::CONSTRAINT_ERROR);
        if prepared || self.bounds.checks == Checks::MayFail {
            let above = Model::binary(BinaryOp::GreaterEqual, value.clone(), Model::Const(first));
            let below = Model::binary(BinaryOp::LessEqual, value.clone(), Model::Const(last));
            return self.require(Model::binary(BinaryOp::And, above, below), ExceptionId::CONSTRAINT_ERROR);
        }
        let what = "whole numbers in the midst of an expression do not overflow (--checks may-fail)";
        self.program.assume(what, self.cx.span);
    }

    /// A value with the check that it lies in the range of a type.
    pub(crate) fn within(&mut self, value: Model, ty: TypeId) -> Model {
        if self.excludes_null.contains(&ty) {
            return self.not_null(value);
        }
        let Some((lo, hi)) = self.range_of(ty) else { return value };
        match value {
            Model::Const(v) if lo <= v && v <= hi => Model::Const(v),
            Model::Const(_) => {
                self.raise(ExceptionId::CONSTRAINT_ERROR);
                Model::Any
            }
            Model::Any => Model::Any,
            value => match value.bounds(&self.program) {
                Some((least, most)) if lo <= least && most <= hi => value,
                _ => Model::Check(Box::new(value), lo, hi),
            },
        }
    }

    /// A value of which nothing is known gets into an array with bounds, or a type with a smaller range than
    /// its base.
    pub(crate) fn unknown_into(&mut self, ty: TypeId) {
        if let TypeKind::Array { bounds: Some(_), .. } = self.kind(ty) {
            return self.doubt();
        }
        if let (Some(own), Some(base)) = (self.range_of(ty), self.range_of(self.root(ty)))
            && own != base
            && self.modulus(ty).is_none()
        {
            self.doubt();
        }
    }

    /// The divisor of a division, `mod` or `rem` of whole numbers.
    pub(crate) fn divisor(&mut self, of: &Model, by: &Model) {
        match by {
            Model::Const(0) => self.raise(ExceptionId::CONSTRAINT_ERROR),
            Model::Const(_) => {}
            Model::Any => self.doubt(),
            by if of.is_any() => {
                self.note(Model::Binary(BinaryOp::Divide, Box::new(Model::Const(1)), Box::new(by.clone())));
            }
            _ => {}
        }
    }

    /// `T'Value (S)`: decided for a literal.
    pub(crate) fn value_of_image(&mut self, image: &'a syntax::Expr, ty: TypeId) -> Val {
        let ExprKind::Str(text) = &image.kind else {
            self.doubt();
            return Val::Scalar(Model::Any, Some(ty));
        };
        let text = text.trim();
        if text.contains(['#', ':', 'e', 'E']) && text.starts_with(|c: char| !c.is_alphabetic()) {
            // With a base or an exponent.
            self.doubt();
            return Val::Scalar(Model::Any, Some(ty));
        }
        let found = match self.kind(ty) {
            TypeKind::Enumeration { literals, .. } => {
                // The names of control characters are no literals.
                if !text.starts_with('\'') && literals.iter().all(|l| l.starts_with('\'')) {
                    self.doubt();
                    return Val::Scalar(Model::Any, Some(ty));
                }
                let same = |l: &String| match text.starts_with('\'') {
                    true => l == text,
                    false => l.eq_ignore_ascii_case(text),
                };
                literals.iter().position(same).map(|i| i as i64)
            }
            _ => whole_number(text),
        };
        match found {
            // Values of the base type are no error here (RM 3.5).
            Some(value) => match self.range_of(self.root(ty)).map(base_range) {
                Some((lo, hi)) if value < lo || hi < value => {
                    self.raise(ExceptionId::CONSTRAINT_ERROR);
                    Val::Scalar(Model::Any, Some(ty))
                }
                _ => Val::Scalar(Model::Const(value), Some(self.root(ty))),
            },
            None => {
                self.raise(ExceptionId::CONSTRAINT_ERROR);
                Val::Scalar(Model::Any, Some(ty))
            }
        }
    }

    /// A component of a variant is there only if the discriminant says so.
    pub(crate) fn variant_check(&mut self, obj: &Obj, ty: TypeId, name: &str) {
        let TypeKind::Record { def, scope, .. } = *self.kind(ty) else { return };
        let mut parts = Vec::new();
        if !variants_around(def, name, &mut parts) {
            return;
        }
        for (on, choices) in parts {
            let Some((discriminant, of)) = self.field(obj, ty, &on.key) else { continue };
            let value = self.read(&discriminant);
            let here = std::mem::replace(&mut self.cx.scope, scope);
            let present = match value {
                Model::Any => Model::Any,
                value => self.chosen(&value, choices, Some(of)),
            };
            self.cx.scope = here;
            match present {
                Model::Any => self.doubt(),
                present => self.require(present, ExceptionId::CONSTRAINT_ERROR),
            }
        }
    }

    // ---- assertions --------------------------------------------------------------------------

    /// What pragmas say about a kind of assertion at a place in a scope: each counts from its own place on.
    pub(crate) fn policy(&self, kind: &str, scope: ScopeId, place: Span) -> Policy {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0];
            let stated = scope.policies.iter().rev();
            let mut stated = stated.filter(|p| governs(&p.kind, kind) && self.comes_after(place, p.place));
            if let Some(stated) = stated.next() {
                return stated.policy;
            }
            at = scope.parent;
        }
        Policy::Unstated
    }

    /// Whether a place comes after a pragma whose scope it is in.
    fn comes_after(&self, mut place: Span, pragma: Span) -> bool {
        if place.is_nowhere() || pragma.is_nowhere() {
            return true;
        }
        let units = self.units;
        for _ in 0..units.proper_bodies.len() + 1 {
            if place.file == pragma.file {
                return (place.line, place.column) >= (pragma.line, pragma.column);
            }
            // A subunit stands where its stub is.
            let stub = units.proper_bodies.iter().find(|(_, i)| units.all[**i].decl.span.file == place.file);
            let Some((stub, _)) = stub else { break };
            place = *stub;
        }
        // A specification comes before its body.
        let in_body = |s: Span| units.bodies.values().any(|i| units.all[*i].decl.span.file == s.file);
        !in_body(pragma) || in_body(place)
    }

    /// `pragma Assertion_Policy`: of all assertions, or of the kinds that it names.
    pub(crate) fn assertion_policy(&mut self, args: &'a [(Option<Ident>, syntax::Expr)]) {
        for (kind, policy) in args {
            let kind = kind.as_ref().map_or(String::new(), |k| k.key.clone());
            self.state_policy(kind, policy);
        }
    }

    /// `pragma Check_Policy (Kind, Policy)`, the older form of GNAT's.
    pub(crate) fn check_policy(&mut self, args: &'a [(Option<Ident>, syntax::Expr)]) {
        match args {
            [(None, kind), (_, policy)] => self.state_policy(dotted(kind), policy),
            args => self.assertion_policy(args),
        }
    }

    fn state_policy(&mut self, kind: String, policy: &syntax::Expr) {
        let policy = match dotted(policy).as_str() {
            "check" | "on" | "suppressible" => Policy::Check,
            _ => Policy::Ignore,
        };
        let place = self.cx.span;
        self.scopes[self.cx.scope.0].policies.push(Stated { kind, policy, place });
    }

    /// The policies at an instantiation are those of the whole instance.
    pub(crate) fn inherit_policies(&mut self, instance: ScopeId) {
        let mut all = Vec::new();
        let mut at = Some(self.cx.scope);
        while let Some(id) = at {
            let stated = self.scopes[id.0].policies.iter().rev();
            let here = stated.filter(|p| self.comes_after(self.cx.span, p.place));
            all.extend(here.map(|p| Stated { place: Span::NOWHERE, ..p.clone() }));
            at = self.scopes[id.0].parent;
        }
        all.reverse();
        self.scopes[instance.0].policies = all;
    }

    /// Whether evaluating an expression may run code of the program, functions without parameters included.
    fn runs_code(&mut self, e: &'a syntax::Expr) -> bool {
        match &e.kind {
            ExprKind::Unary(_, a) | ExprKind::Qualified(_, a) => self.runs_code(a),
            ExprKind::Binary(_, a, b) => self.runs_code(a) || self.runs_code(b),
            _ => {
                crate::expression::may_call(e)
                    || matches!(self.quiet_meaning(e), Some(Meaning::Subprograms(_)))
            }
        }
    }

    /// An assertion of the user's: it is reported if it fails, and raises an exception if the program
    /// wants it checked.
    pub(crate) fn asserted(&mut self, kind: &str, condition: &'a syntax::Expr, text: String) {
        let policy = self.policy(kind, self.cx.scope, condition.span);
        if policy == Policy::Ignore && self.runs_code(condition) {
            let what = "an assertion that the policy ignores is not evaluated, and not looked at if it calls something";
            return self.program.assume(what, condition.span);
        }
        let cond = self.condition(condition).unwrap_or(Model::Any);
        if policy != Policy::Check {
            self.program.assume(
                "an assertion that fails raises no exception where no Assertion_Policy (Check) is stated",
                Span::NOWHERE,
            );
            return self.emit(|next| Action::Assert { cond, text, next });
        }
        let cell = self.temporary("assertion", Domain::BOOLEAN);
        self.assign(Place::Var(cell), cond);
        self.emit(|next| Action::Assert { cond: Model::Var(cell), text, next });
        self.require(Model::Var(cell), ExceptionId::ASSERTION_ERROR);
    }

    /// Whether a contract that is declared at some place is in force; if the program does not say, that is
    /// noted.
    fn in_force(&mut self, kind: &str, scope: ScopeId, span: Span) -> bool {
        let policy = self.policy(kind, scope, span);
        if policy == Policy::Unstated {
            self.program
                .assume("contracts are not checked where no Assertion_Policy (Check) is stated", span);
        }
        policy == Policy::Check
    }

    /// What is required where a subprogram starts; its parameters, which are in the current scope under the
    /// names that its body gives them, have these objects.
    pub(crate) fn precondition(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        given: &[Clause<'a>],
        bound: &[(Obj, TypeId)],
    ) {
        for clause in given.iter().filter(|c| c.kind == "pre") {
            if let Some(condition) = clause.condition
                && self.in_force(clause.kind, clause.scope.unwrap_or(sub.scope), clause.span)
            {
                let condition = self.condition(condition).unwrap_or(Model::Any);
                self.require(condition, ExceptionId::ASSERTION_ERROR);
            }
        }
        // Of those for a class, inherited ones included, one must hold.
        let mut any: Option<Model> = None;
        let here = self.cx.scope;
        let own = given.iter().map(|c| (*c, here, sub.scope));
        let mut all: Vec<_> = own.filter(|c| c.0.kind == "pre'class").collect();
        for (ancestor, clause) in self.inherited_clauses(sub) {
            if clause.kind == "pre'class" {
                let scope = self.new_scope(ancestor.scope, "");
                for (param, (obj, ty)) in ancestor.spec.params.iter().zip(bound) {
                    let binding = Binding::Object { obj: obj.clone(), ty: *ty, constant: true };
                    self.bind(scope, &param.name.key, binding);
                }
                all.push((clause, scope, ancestor.scope));
            }
        }
        for (clause, scope, declared_in) in all {
            if let Some(condition) = clause.condition
                && self.in_force(clause.kind, clause.scope.unwrap_or(declared_in), clause.span)
            {
                self.cx.scope = scope;
                let one = self.condition(condition).unwrap_or(Model::Any);
                self.cx.scope = here;
                any = Some(match any {
                    Some(any) => self.join(BinaryOp::Or, any, one),
                    None => one,
                });
            }
        }
        if let Some(any) = any {
            self.require(any, ExceptionId::ASSERTION_ERROR);
        }
        self.contract_of_interfaces(sub, "pre'class");
    }

    /// What a promise says of the start of a subprogram is read there.
    pub(crate) fn old_values(&mut self, sub: &Rc<Subprogram<'a>>, given: &[Clause<'a>]) {
        for clause in given.iter().filter(|c| c.is_promise()) {
            if let Some(promise) = clause.condition
                && self.in_force(clause.kind, clause.scope.unwrap_or(sub.scope), clause.span)
            {
                let mut old = Vec::new();
                each_old(promise, &mut old);
                old.into_iter().for_each(|e| self.effects(e));
            }
        }
    }

    /// What is promised where a subprogram ends; values of its start are not followed, nor are promises but the plain ones.
    pub(crate) fn postcondition(
        &mut self,
        sub: &Rc<Subprogram<'a>>,
        given: &[Clause<'a>],
        result: Option<(Obj, TypeId)>,
    ) {
        let outer = std::mem::replace(&mut self.result, result);
        for clause in given.iter().filter(|c| c.is_promise()) {
            if !self.in_force(clause.kind, clause.scope.unwrap_or(sub.scope), clause.span) {
                continue;
            }
            match clause.condition {
                Some(promise) if clause.kind == "post" => {
                    let condition = self.condition(promise).unwrap_or(Model::Any);
                    self.require(condition, ExceptionId::ASSERTION_ERROR);
                }
                promise => {
                    promise.into_iter().for_each(|e| self.effects(e));
                    self.perhaps(ExceptionId::ASSERTION_ERROR);
                }
            }
        }
        self.result = outer;
        let inherited = self.inherited_clauses(sub).into_iter();
        for (ancestor, clause) in inherited.filter(|(_, c)| c.kind == "post'class").collect::<Vec<_>>() {
            if self.in_force(clause.kind, clause.scope.unwrap_or(ancestor.scope), clause.span) {
                self.perhaps(ExceptionId::ASSERTION_ERROR);
            }
        }
        self.contract_of_interfaces(sub, "post'class");
    }

    /// Whether something is required or promised of a subprogram.
    pub(crate) fn has_contracts(&self, sub: &Rc<Subprogram<'a>>) -> bool {
        let class = |c: &Clause| c.kind.ends_with("'class");
        let named = self.contracts.iter().filter(|((_, name, _), _)| *name == sub.spec.ident.key);
        !self.contracts_of(sub).is_empty() || named.into_iter().any(|(_, all)| all.iter().any(class))
    }

    /// A call that dispatches must satisfy the precondition of the operation that it names, even if the one that
    /// is called requires less.
    pub(crate) fn dispatching_contract(&mut self, sub: &Rc<Subprogram<'a>>) {
        let named = self.contracts.iter().filter(|((_, name, _), _)| *name == sub.spec.ident.key);
        let requiring = named.filter(|(_, all)| all.iter().any(|c| c.kind == "pre'class")).count();
        let own = self.contracts_of(sub).into_iter().filter(|c| c.kind == "pre'class");
        if requiring > 1 && own.into_iter().any(|c| self.in_force(c.kind, sub.scope, c.span)) {
            self.perhaps(ExceptionId::ASSERTION_ERROR);
        }
    }

    /// The contracts for a class of the operations that a subprogram overrides.
    fn inherited_clauses(&mut self, sub: &Rc<Subprogram<'a>>) -> Vec<(Rc<Subprogram<'a>>, Clause<'a>)> {
        let Some(mut at) = self.operand(sub) else { return Vec::new() };
        let mut all = Vec::new();
        while let Some(ancestor) = self.types[at.0].parent {
            at = ancestor;
            let scope = self.types[at.0].scope;
            for binding in self.scopes[scope.0].names.get(&sub.spec.ident.key).cloned().unwrap_or_default() {
                if let Binding::Subprogram(other) = binding
                    && other.spec.params.len() == sub.spec.params.len()
                    && other.spec.result.is_some() == sub.spec.result.is_some()
                    && self.operand(&other) == Some(at)
                {
                    let clauses =
                        self.contracts_of(&other).into_iter().filter(|c| c.kind.ends_with("'class"));
                    all.extend(clauses.map(|c| (other.clone(), c)));
                }
            }
        }
        all
    }

    /// The tagged type whose operation a subprogram is.
    fn operand(&mut self, sub: &Subprogram<'a>) -> Option<TypeId> {
        let here = std::mem::replace(&mut self.cx.scope, sub.scope);
        let mut found = None;
        for param in &sub.spec.params {
            let ty = self.type_ref(&param.ty);
            let ty = match *self.kind(ty) {
                TypeKind::Access { target, .. } => target,
                _ => ty,
            };
            if self.is_tagged(ty) && !self.types[ty.0].class_wide {
                found = found.or(Some(self.root(ty)));
            }
        }
        self.cx.scope = here;
        found
    }

    /// A contract that an operation may have from an interface that is not its parent type is not followed.
    fn contract_of_interfaces(&mut self, sub: &Rc<Subprogram<'a>>, kind: &str) {
        let of = match sub.kind {
            SubprogramKind::Operation(id) if self.unit_types[self.instances[id.0].of.0].implements => None,
            SubprogramKind::Operation(_) => return,
            _ => match self.operand(sub) {
                Some(of) if self.types[of.0].parent.is_some() => Some(of),
                _ => return,
            },
        };
        let mut ancestors = Vec::new();
        let mut at = of;
        while let Some(ty) = at {
            ancestors.push(ty);
            at = self.types[ty.0].parent;
        }
        let name = sub.spec.ident.key.clone();
        if self.interface_contract(&name, kind, &ancestors) {
            self.perhaps(ExceptionId::ASSERTION_ERROR);
        }
    }

    /// Whether an interface, other than these, has an operation of this name with such a contract in force.
    fn interface_contract(&mut self, name: &str, kind: &str, but: &[TypeId]) -> bool {
        let named = self.contracts.iter().filter(|((_, key, _), _)| key == name);
        let mut found: Vec<(ScopeId, Span)> = Vec::new();
        for ((scope, ..), clauses) in named {
            found.extend(clauses.iter().filter(|c| c.kind == kind).map(|c| (*scope, c.span)));
        }
        found.into_iter().any(|(scope, span)| {
            let interfaces = self.types.iter().enumerate().any(|(i, ty)| {
                ty.scope == scope && matches!(ty.kind, TypeKind::Interface) && !but.contains(&TypeId(i))
            });
            interfaces && self.in_force(kind, scope, span)
        })
    }

    /// A contract of an entry is not followed.
    pub(crate) fn entry_contract(&mut self, set: &EntrySet<'a>) {
        for aspect in &set.decl.aspects {
            let clause = Clause::new(&aspect.name, aspect.class, aspect.value.as_ref());
            if clause.is_some_and(|c| self.in_force(c.kind, set.scope, c.span)) {
                self.perhaps(ExceptionId::ASSERTION_ERROR);
            }
        }
        for kind in ["pre'class", "post'class"] {
            if self.unit_types.iter().any(|u| u.implements)
                && self.interface_contract(&set.decl.name.key, kind, &[])
            {
                self.perhaps(ExceptionId::ASSERTION_ERROR);
            }
        }
    }

    /// Notes the contracts of a type or subtype.
    pub(crate) fn type_contracts(&mut self, ty: TypeId, name: &'a Ident, aspects: &'a [Aspect]) {
        let failure = aspects.iter().find(|a| a.name.key == "predicate_failure");
        let failure = failure.and_then(|a| a.value.as_ref());
        for aspect in aspects {
            if let Some(condition) = &aspect.value {
                self.type_contract(ty, name, &aspect.name, condition, failure);
            }
        }
    }

    /// `pragma Predicate (T, Condition)` and its like.
    pub(crate) fn type_pragma(&mut self, kind: &'a Ident, args: &'a [(Option<Ident>, syntax::Expr)]) {
        let [(_, named), (_, condition), ..] = args else { return };
        if let Meaning::Type(ty) = self.meaning(named)
            && let ExprKind::Name(name) = &named.kind
        {
            return self.type_contract(ty, name, kind, condition, None);
        }
        self.program.assume("a contract of a type that is not visible here holds", kind.span);
    }

    fn type_contract(
        &mut self,
        ty: TypeId,
        name: &'a Ident,
        kind: &'a Ident,
        condition: &'a syntax::Expr,
        failure: Option<&'a syntax::Expr>,
    ) {
        let contract = Contract { condition, name, scope: self.cx.scope, kind, failure };
        match kind.key.as_str() {
            "predicate" | "static_predicate" | "dynamic_predicate" => {
                self.types[ty.0].predicates.push(contract);
                self.complete_class(ty);
            }
            "type_invariant" | "invariant" => self.types[ty.0].invariants.push(contract),
            "default_initial_condition" if !matches!(condition.kind, ExprKind::Null) => {
                self.types[ty.0].initials.push(contract);
            }
            "read"
            | "write"
            | "input"
            | "output"
            | "put_image"
            | "constant_indexing"
            | "variable_indexing"
            | "implicit_dereference" => {
                let key = (self.root(ty), kind.key.clone());
                self.operational.insert(key, (condition, self.cx.scope));
            }
            _ => {}
        }
    }

    /// The condition that a contract puts on an object.
    fn contract_on(&mut self, contract: &Contract<'a>, obj: Obj, ty: TypeId) -> Model {
        let scope = self.new_scope(contract.scope, "");
        self.bind(scope, &contract.name.key, Binding::Object { obj, ty, constant: true });
        let here = std::mem::replace(&mut self.cx.scope, scope);
        let condition = self.condition(contract.condition).unwrap_or(Model::Any);
        self.cx.scope = here;
        condition
    }

    /// The predicates of a subtype that are checked.
    pub(crate) fn predicates(&mut self, ty: TypeId) -> Vec<Contract<'a>> {
        let mut all = self.types[ty.0].predicates.clone();
        all.retain(|c| self.in_force(&c.kind.key, c.scope, c.kind.span));
        all
    }

    /// A value gets into a subtype: if that has predicates, they are checked after its range. Whoever stores the
    /// value checks the range where there are none.
    pub(crate) fn enter_subtype(&mut self, value: Val, ty: TypeId) -> Val {
        let predicates = self.predicates(ty);
        if predicates.is_empty() {
            return value;
        }
        let (value, obj, ty) = match value {
            Val::Scalar(value, of) => {
                let value = self.within(value, ty);
                let value = self.kept(value);
                (Val::Scalar(value.clone(), of), Obj::Value(value), ty)
            }
            Val::Composite(obj, of) => (Val::Composite(obj.clone(), of), obj, of),
            Val::Unknown { input } => (Val::Unknown { input }, Obj::Opaque, ty),
        };
        self.check_contracts(&predicates, &obj, ty);
        value
    }

    /// The same for an object that has its value already.
    pub(crate) fn check_predicates(&mut self, obj: &Obj, ty: TypeId) {
        let predicates = self.predicates(ty);
        self.check_contracts(&predicates, obj, ty);
    }

    /// What holds of an object without an initial value of its own.
    pub(crate) fn check_default(&mut self, obj: &Obj, ty: TypeId) {
        for contract in self.types[ty.0].initials.clone() {
            if self.in_force(&contract.kind.key, contract.scope, contract.kind.span) {
                self.check_contracts(&[contract], obj, ty);
            }
        }
        if !self.types[ty.0].predicates.is_empty() && self.has_defaults(ty) {
            self.check_predicates(obj, ty);
        }
    }

    /// Whether objects of a type have parts with default values.
    fn has_defaults(&mut self, ty: TypeId) -> bool {
        fn given(def: &RecordDef) -> bool {
            let own =
                def.components.iter().any(|c| matches!(&c.kind, DeclKind::Object { init: Some(_), .. }));
            own || def.variants.iter().flat_map(|v| &v.variants).any(|v| given(&v.1))
        }
        match self.kind(ty).clone() {
            TypeKind::Access { .. } | TypeKind::AccessSubprogram { .. } => true,
            TypeKind::Array { element, .. } => self.has_defaults(element),
            TypeKind::Record { def, discriminants, .. } => {
                given(def)
                    || !discriminants.is_empty()
                    || self.fields(ty).iter().any(|f| f.1 != ty && self.has_defaults(f.1))
            }
            _ => false,
        }
    }

    fn check_contracts(&mut self, contracts: &[Contract<'a>], obj: &Obj, ty: TypeId) {
        for contract in contracts {
            let condition = self.contract_on(contract, obj.clone(), ty);
            match (contract.failure, condition) {
                (_, Model::Const(v)) if v != 0 => {}
                (None, condition) => self.require(condition, ExceptionId::ASSERTION_ERROR),
                (Some(failure), condition) => {
                    let (holds, fails) = self.branch(Some(condition));
                    self.cx.cur = fails;
                    // It may raise something else.
                    let here = std::mem::replace(&mut self.cx.scope, contract.scope);
                    self.effects(failure);
                    self.cx.scope = here;
                    self.raise(ExceptionId::ASSERTION_ERROR);
                    self.cx.cur = holds;
                }
            }
        }
    }

    /// Whether a value satisfies the predicates of a type: membership asks whatever the policy.
    pub(crate) fn satisfies(&mut self, value: &Model, ty: TypeId) -> Model {
        let mut all = Model::TRUE;
        for contract in self.types[ty.0].predicates.clone() {
            let one = self.contract_on(&contract, Obj::Value(value.clone()), ty);
            all = self.join(BinaryOp::And, all, one);
        }
        all
    }

    /// Checks the invariant of a type where a subprogram of its package ends.
    pub(crate) fn check_invariants(&mut self, obj: &Obj, ty: TypeId, declared_in: ScopeId) {
        let root = self.root(ty);
        for contract in self.types[root.0].invariants.clone() {
            if contract.scope == declared_in
                && self.in_force("type_invariant", contract.scope, contract.kind.span)
            {
                let condition = self.contract_on(&contract, obj.clone(), ty);
                self.require(condition, ExceptionId::ASSERTION_ERROR);
            }
        }
    }

    // ---- tasking -----------------------------------------------------------------------------

    /// A potentially blocking operation raises Program_Error in a protected action, or may do so; also in a
    /// subprogram that the action calls.
    pub(crate) fn blocks(&mut self) {
        if self.here().action.is_none() {
            return;
        }
        match self.detect_blocking {
            true => self.raise(ExceptionId::PROGRAM_ERROR),
            false => self.perhaps(ExceptionId::PROGRAM_ERROR),
        }
    }

    /// A call from above the ceiling of a protected object raises Program_Error. Objects without an explicit
    /// ceiling have the highest there is for tasks.
    pub(crate) fn check_ceiling(&mut self, id: InstanceId) {
        let instance = self.instances[id.0].clone();
        if self.cx.object != Some(id) {
            self.check_ceiling_of(instance.of, instance.scope);
        }
    }

    /// The same for the object whose entry is called or requeued to, if it is one.
    pub(crate) fn check_entry_ceiling(&mut self, entry: &Model, set: &EntrySet<'a>) {
        if !self.ceilings {
            return;
        }
        if let Model::Const(called) = entry {
            if let Some(called) = self.program.entry_number(*called)
                && let Owner::Object(object) = self.program.entries[called.index()].owner
            {
                self.check_ceiling(InstanceId(object.index()));
            }
            return;
        }
        // All objects of a type have the same ceiling, unless it depends on a discriminant.
        let with = |u: &UnitType<'a>| u.entries.iter().any(|d| std::ptr::eq(*d, set.decl));
        let Some(of) = self.unit_types.iter().position(with) else { return };
        let named = |u: &UnitType<'a>| u.entries.iter().any(|d| d.name.key == set.decl.name.key);
        if self.unit_types[of].implements
            && self.unit_types.iter().any(|u| u.implements && u.is_protected() && named(u))
        {
            // It may be an object of another type that implements the same interface.
            return self.doubt_ceiling();
        }
        if self.unit_types[of].is_protected() {
            self.check_ceiling_of(UnitTypeId(of), self.unit_types[of].scope);
        }
    }

    fn check_ceiling_of(&mut self, of: UnitTypeId, scope: ScopeId) {
        let Some(ceiling) = self.unit_types[of.0].priority.filter(|_| self.ceilings) else { return };
        let ceiling = self.priority(ceiling, scope);
        let (least, most) = self.active_priority();
        match ceiling {
            Some(ceiling) if most <= ceiling => {}
            Some(ceiling) if least > ceiling => self.break_ceiling(),
            _ => self.doubt_ceiling(),
        }
    }

    /// The least and the greatest priority at which the current code runs.
    fn active_priority(&mut self) -> (i64, i64) {
        const UNKNOWN: (i64, i64) = (i64::MIN, i64::MAX);
        if self.units.opaque.iter().any(|u| u.0 == "ada.dynamic_priorities") {
            return UNKNOWN;
        }
        let around = self.here();
        if let Some(id) = around.action {
            let instance = self.instances[id.0].clone();
            let unit = &self.unit_types[instance.of.0];
            return match unit.priority {
                Some(priority) => self.priority(priority, instance.scope).map_or(UNKNOWN, |p| (p, p)),
                None if unit.handles_interrupts() => (MAX_PRIORITY + 1, MAX_PRIORITY + 1),
                None => (MAX_PRIORITY, MAX_PRIORITY),
            };
        }
        let own = self.base_priority(self.cx.task);
        // A rendezvous has the priority of the caller, if that is higher; an activation that of the creator.
        let creator = match self.made_by.get(&self.cx.task).copied() {
            Some(creator) if self.cx.activating => self.base_priority(creator),
            _ => own,
        };
        match (own, around.accept) {
            (Some(own), false) if creator.is_some_and(|c| c <= own) => (own, own),
            (Some(own), _) => (own, i64::MAX),
            (None, _) => UNKNOWN,
        }
    }

    /// The priority of a task: the one of its creator, if it has none of its own.
    fn base_priority(&mut self, task: TaskId) -> Option<i64> {
        let mut at = task;
        // Whoever created it was created before.
        for _ in 0..=self.made_by.len() {
            let instance = self.task_instances.get(&at).cloned();
            if let Some(instance) = instance
                && let Some(priority) = self.unit_types[instance.of.0].priority
            {
                return self.priority(priority, instance.scope);
            }
            match self.made_by.get(&at) {
                Some(creator) => at = *creator,
                None => break,
            }
        }
        match self.main_priority {
            // Interrupts, and threads of parallel constructs.
            _ if at != TaskId::ENVIRONMENT => None,
            Some(priority) => self.priority(priority, self.main_scope()),
            None => Some(DEFAULT_PRIORITY),
        }
    }

    /// Where the main procedure is declared.
    fn main_scope(&self) -> ScopeId {
        self.scopes
            .iter()
            .position(|s| s.names.contains_key(self.program.name.rsplit('.').next().unwrap_or_default()))
            .map_or(self.std.scope, ScopeId)
    }

    /// The value of a priority, if it is known.
    fn priority(&mut self, e: &'a syntax::Expr, scope: ScopeId) -> Option<i64> {
        let predefined = match &e.kind {
            ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), a, b) => {
                let (a, b) = (self.priority(a, scope)?, self.priority(b, scope)?);
                return if *op == Binary::Add { a.checked_add(b) } else { a.checked_sub(b) };
            }
            ExprKind::Attribute(of, attribute) => format!("{}'{}", dotted(of), attribute.key),
            _ => dotted(e),
        };
        let predefined = predefined.trim_start_matches("system.");
        let value = PRIORITIES.iter().find(|(name, _)| *name == predefined).map(|p| p.1);
        if value.is_some() {
            self.program.assume(
                format!("System.Default_Priority is {DEFAULT_PRIORITY}, Priority'Last {MAX_PRIORITY}"),
                Span::NOWHERE,
            );
            return value;
        }
        // It was evaluated elsewhere: what is written for it here is thrown away.
        let here = std::mem::replace(&mut self.cx.scope, scope);
        let probe = self.reserve();
        let before = std::mem::replace(&mut self.cx.cur, probe);
        let rejected = self.rejected.len();
        let value = self.unread(|e_| e_.scalar(e, None)).and_then(|v| v.constant());
        self.rejected.truncate(rejected);
        self.cx.cur = before;
        self.cx.scope = here;
        value
    }

    /// Whether a subprogram is called before its body is elaborated, further on in the declarations at hand.
    pub(crate) fn is_early(&self, sub: &Subprogram<'a>) -> bool {
        let key = (sub.scope, sub.spec.ident.key.clone());
        let later = match self.generic_bodies.get(&key) {
            Some(Decl { kind: DeclKind::Subprogram { spec, .. }, .. }) => {
                spec.params.len() == sub.spec.params.len()
            }
            _ => false,
        };
        later && matches!(sub.kind, SubprogramKind::Plain) && self.elaborating.contains(&sub.scope)
    }
}

/// The priority that an aspect, or a pragma among its declarations, gives to the main procedure.
pub(crate) fn main_priority(units: &crate::units::Units, main: usize) -> Option<&syntax::Expr> {
    let (name, _) = crate::units::unit_name(&units.all[main].decl);
    let parts = [units.specs.get(&name), Some(&main)].into_iter().flatten();
    parts.into_iter().find_map(|unit| {
        let DeclKind::Subprogram { spec, body } = &units.all[*unit].decl.kind else { return None };
        let is_it = |name: &Ident| matches!(name.key.as_str(), "priority" | "interrupt_priority");
        if let Some(aspect) = spec.aspects.iter().find(|a| is_it(&a.name)) {
            return aspect.value.as_ref();
        }
        let SubprogramBody::Body(body) = body else { return None };
        body.decls.iter().find_map(|d| match &d.kind {
            DeclKind::Pragma { name, args } if is_it(name) => args.first().map(|a| &a.1),
            _ => None,
        })
    })
}

/// The numbers that a type with a range is represented by.
fn base_range((lo, hi): (i64, i64)) -> (i64, i64) {
    let bits = [8, 16, 32].into_iter().find(|bits| {
        let most = (1_i64 << (bits - 1)) - 1;
        -most - 1 <= lo && hi <= most
    });
    match bits {
        Some(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        None => (i64::MIN, i64::MAX),
    }
}

/// As GNAT has them for Linux.
const DEFAULT_PRIORITY: i64 = 48;
const MAX_PRIORITY: i64 = 97;
const PRIORITIES: [(&str, i64); 8] = [
    ("default_priority", DEFAULT_PRIORITY),
    ("max_priority", MAX_PRIORITY),
    ("max_interrupt_priority", MAX_PRIORITY + 1),
    ("priority'first", 0),
    ("priority'last", MAX_PRIORITY),
    ("any_priority'last", MAX_PRIORITY + 1),
    ("interrupt_priority'first", MAX_PRIORITY + 1),
    ("interrupt_priority'last", MAX_PRIORITY + 1),
];

/// The prefixes of 'Old in an expression.
fn each_old<'e>(e: &'e syntax::Expr, out: &mut Vec<&'e syntax::Expr>) {
    if let ExprKind::Attribute(prefix, attribute) = &e.kind
        && attribute.key == "old"
    {
        out.push(prefix);
    }
    e.each_part(&mut |part| each_old(part, out));
}

/// The variant parts around a component, with the choices that make it present; whether it is in one.
fn variants_around<'d>(def: &'d RecordDef, name: &str, out: &mut Vec<(&'d Ident, &'d [Choice])>) -> bool {
    let Some(part) = &def.variants else { return false };
    for (choices, inner) in &part.variants {
        let here = inner.components.iter().any(|c| match &c.kind {
            DeclKind::Object { names, .. } => names.iter().any(|n| n.key == name),
            _ => false,
        });
        out.push((&part.on, choices));
        if here || variants_around(inner, name, out) {
            return true;
        }
        out.pop();
    }
    false
}

/// A whole number as Ada writes it, without exponent and base.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['+', '-']);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && !digits.contains("__")
        && text.len() <= digits.len() + 1;
    plain.then(|| text.replace('_', "").parse().ok()).flatten()
}
