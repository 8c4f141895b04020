//! Controlled types: Initialize when an object is declared, Finalize when its master is left.
//!
//! Every region that declares controlled objects counts those that are initialised in a cell.
//! Whoever leaves the region, normally, by a jump or by an exception, finalises as many; a task
//! that is aborted does so at its end, and an abortable part that is left on the way out. Assignment finalises, copies
//! and adjusts.
//!
//! Protected objects are finalised, too: a call that was requeued to one from outside its master
//! fails with Program_Error.

use std::rc::Rc;

use rendez_model::{
    Action, BinaryOp, Domain, ExceptionId, Expr as Model, Loc, ObjectId, Owner, Place, Storage, Value, VarId,
};
use rendez_source::Span;

use crate::elaborate::Elaborator;
use crate::env::*;
use crate::syntax;

/// The controlled objects of one region, in the order of their declaration.
pub struct Region<'a> {
    pub task: rendez_model::TaskId,
    /// How many of them are initialised.
    count: VarId,
    parts: Vec<(Obj, TypeId, Rc<Subprogram<'a>>)>,
}

impl<'a> Elaborator<'a> {
    /// A new region, if the program has controlled types; its number serves to leave it.
    pub(crate) fn enter_region(&mut self, name: &str) -> Option<usize> {
        self.library_package("ada.finalization")?;
        let name = format!("{}{name} controlled", self.cx.prefix);
        let count = self.program.add_var(name, Domain::Range(0, 255), Value::Known(0), Storage::Shared);
        self.regions.push(Region { task: self.cx.task, count, parts: Vec::new() });
        Some(self.regions.len() - 1)
    }

    /// The user's own version of Initialize, Adjust or Finalize.
    fn control(&mut self, ty: TypeId, name: &str) -> Option<Rc<Subprogram<'a>>> {
        let library = self.library_package("ada.finalization")?;
        let mut at = Some(self.root(ty));
        while let Some(ancestor) = at {
            if self.types[ancestor.0].scope == library {
                let sub = self.primitives(ty, name).into_iter().next()?;
                return (sub.scope != library).then_some(sub);
            }
            at = self.types[ancestor.0].parent;
        }
        None
    }

    /// Whether objects of the type are, or contain, objects whose control is the user's.
    pub(crate) fn is_controlled(&mut self, ty: TypeId) -> bool {
        if self.library_package("ada.finalization").is_none() {
            return false;
        }
        match self.kind(ty).clone() {
            TypeKind::Record { .. } => {
                ["initialize", "adjust", "finalize"].iter().any(|n| self.control(ty, n).is_some())
                    || self.fields(ty).iter().any(|f| self.is_controlled(f.1))
            }
            TypeKind::Array { element, .. } => self.is_controlled(element),
            _ => false,
        }
    }

    /// All parts of an object that are controlled, components first.
    fn controlled_parts(&mut self, obj: &Obj, ty: TypeId, out: &mut Vec<(Obj, TypeId)>) {
        if !self.is_controlled(ty) {
            return;
        }
        for (part, ty) in self.components(obj, ty).unwrap_or_default() {
            self.controlled_parts(&part, ty, out);
        }
        if matches!(self.kind(ty), TypeKind::Record { .. }) {
            out.push((obj.clone(), ty));
        }
    }

    /// Initialises the controlled parts of an object and sees to their finalisation.
    pub(crate) fn control_object(
        &mut self,
        obj: &Obj,
        ty: TypeId,
        init: Option<&'a syntax::Expr>,
        span: Span,
    ) {
        if !self.is_controlled(ty) {
            return;
        }
        if self.cx.controlled.is_none()
            && self.cx.task == rendez_model::TaskId::ENVIRONMENT
            && !self.cx.repeated
        {
            // Objects of library packages: finalised when the program ends.
            self.cx.controlled = self.enter_region("library");
        }
        let Some(region) = self.cx.controlled else {
            return self.reject(span, "a controlled object declared here");
        };
        if matches!(obj, Obj::Opaque) {
            return self.reject(span, "a controlled object that is not followed");
        }
        let mut parts = Vec::new();
        self.controlled_parts(obj, ty, &mut parts);
        if let Some(init) = init {
            self.adjust_initial(&parts, init);
        }
        for (part, ty) in parts {
            let initialize = if init.is_some() { None } else { self.control(ty, "initialize") };
            let finalize = self.control(ty, "finalize");
            self.abort_deferred(|e| {
                if let Some(sub) = initialize {
                    e.call_with_cells(&sub, Some((part.clone(), ty)), &[], None);
                }
                if let Some(sub) = finalize {
                    e.regions[region].parts.push((part, ty, sub));
                    let (count, now) = (e.regions[region].count, e.regions[region].parts.len());
                    e.assign(Place::Var(count), Model::Const(now as i64));
                }
            });
        }
    }

    /// Adjusts an object that got its initial value from another one. What a function returns, or an aggregate holds,
    /// may be made in place.
    fn adjust_initial(&mut self, parts: &[(Obj, TypeId)], init: &'a syntax::Expr) {
        if !parts.iter().any(|(_, ty)| self.control(*ty, "adjust").is_some()) || !self.copies_controlled(init)
        {
            return;
        }
        let copied = match &init.kind {
            syntax::ExprKind::Name(_) | syntax::ExprKind::Select(..) | syntax::ExprKind::Call(..) => {
                matches!(self.quiet_meaning(init), Some(Meaning::Object(..)))
            }
            _ => false,
        };
        if copied {
            return self.abort_deferred(|e| e.control_parts(parts.iter(), "adjust"));
        }
        self.program.assume("temporary objects of controlled types are not finalised", init.span);
        for part in parts {
            let (adjusted, made_in_place) = self.branch(Some(Model::Any));
            self.cx.cur = adjusted;
            self.abort_deferred(|e| e.control_parts(std::iter::once(part), "adjust"));
            self.put(Action::Skip { next: made_in_place });
            self.cx.cur = made_in_place;
        }
    }

    /// Whether an expression may copy objects that are controlled.
    fn copies_controlled(&mut self, e: &'a syntax::Expr) -> bool {
        use syntax::ExprKind as E;
        match &e.kind {
            E::Name(_) | E::Select(..) | E::Call(..) => match (self.quiet_meaning(e), self.result_types(e)) {
                (Some(Meaning::Object(_, ty, _)), _) => self.is_controlled(ty),
                (_, Some(types)) => types.iter().any(|ty| self.is_controlled(*ty)),
                (Some(Meaning::Value(..) | Meaning::Literals(_) | Meaning::Type(_)), _) => false,
                _ => true,
            },
            E::Int(_) | E::Real | E::Str(_) | E::Char(_) | E::Null | E::New(..) | E::Attribute(..) => false,
            E::Binary(..) | E::Unary(..) | E::In(..) | E::Quantified { .. } => false,
            _ => {
                let mut any = false;
                let mut parts = Vec::new();
                e.each_part(&mut |part| parts.push(part));
                for part in parts {
                    any |= self.copies_controlled(part);
                }
                any
            }
        }
    }

    /// Code during which an abort has to wait.
    fn abort_deferred(&mut self, code: impl FnOnce(&mut Self)) {
        self.emit(|next| Action::Defer { next });
        self.guarded(code, |e, occurrence| {
            e.emit(|next| Action::Undefer { next });
            e.end_path(Action::Resume { occurrence });
        });
        self.emit(|next| Action::Undefer { next });
    }

    /// Finalises what is initialised of a region. If that raises an exception the rest is finalised, and then
    /// Program_Error is raised, unless it is an abortable part that is left, as `occurrence` says.
    pub(crate) fn leave_region(&mut self, region: usize, occurrence: Option<VarId>) {
        let parts = self.regions[region].parts.len();
        if parts == 0 {
            return;
        }
        // Where it goes on when the finalisation of a part has failed.
        let failed: Vec<Loc> = (0..parts).map(|_| self.reserve()).collect();
        let join = self.reserve();
        for i in (0..parts).rev() {
            self.finalize_part(region, i, failed[i]);
        }
        self.put(Action::Skip { next: join });
        for i in (1..parts).rev() {
            self.cx.cur = failed[i];
            self.finalize_part(region, i - 1, failed[i - 1]);
            self.put(Action::Skip { next: failed[i - 1] });
        }
        self.cx.cur = failed[0];
        if let Some(cell) = occurrence {
            let transfer = Model::Const(i64::from(ExceptionId::TRANSFER.0));
            let (yes, no) = self.branch(Some(Model::equal(Model::Var(cell), transfer)));
            self.cx.cur = yes;
            self.put(Action::Skip { next: join });
            self.cx.cur = no;
        }
        self.raise(ExceptionId::PROGRAM_ERROR);
        self.cx.cur = join;
    }

    /// Finalises a part of a region if it is initialised; goes elsewhere if that fails.
    fn finalize_part(&mut self, region: usize, i: usize, failed: Loc) {
        let count = self.regions[region].count;
        let (obj, ty, sub) = self.regions[region].parts[i].clone();
        let initialised = Model::binary(BinaryOp::Greater, Model::Var(count), Model::Const(i as i64));
        let (yes, no) = self.branch(Some(initialised));
        self.cx.cur = yes;
        self.emit(|next| Action::Defer { next });
        // The exception ends here: the master gets Program_Error in its place.
        self.caught(
            false,
            |e| {
                e.assign(Place::Var(count), Model::Const(i as i64));
                e.call_with_cells(&sub, Some((obj, ty)), &[], None);
            },
            |e, _| {
                e.emit(|next| Action::Undefer { next });
                e.put(Action::Skip { next: failed });
            },
        );
        self.emit(|next| Action::Undefer { next });
        self.put(Action::Skip { next: no });
        self.cx.cur = no;
    }

    /// Finalises a target, gives it a value, and adjusts it.
    pub(crate) fn controlled_assignment(
        &mut self,
        obj: &Obj,
        ty: TypeId,
        value: &'a syntax::Expr,
        span: Span,
    ) {
        let given = self.value(value, Some(ty));
        if !matches!(value.kind, syntax::ExprKind::Name(_) | syntax::ExprKind::Select(..)) {
            self.program.assume("temporary objects of controlled types are not finalised", span);
        }
        let mut parts = Vec::new();
        self.controlled_parts(obj, ty, &mut parts);
        if matches!(obj, Obj::Opaque) || parts.is_empty() {
            return self.reject(span, "assignment to a controlled object that is not followed");
        }
        self.abort_deferred(|e| {
            e.control_parts(parts.iter().rev(), "finalize");
            e.assign_value(obj, ty, given);
            e.control_parts(parts.iter(), "adjust");
        });
    }

    /// Finalises an object that is deallocated.
    pub(crate) fn finalize_object(&mut self, obj: &Obj, ty: TypeId, span: Span) {
        let obj = self.frozen_object(obj.clone());
        let mut parts = Vec::new();
        self.controlled_parts(&obj, ty, &mut parts);
        if matches!(obj, Obj::Opaque) || parts.is_empty() {
            return self.reject(span, "deallocation of a controlled object that is not followed");
        }
        self.abort_deferred(|e| e.control_parts(parts.iter().rev(), "finalize"));
    }

    /// Calls an operation of control on parts, where the user has one.
    fn control_parts<'p>(&mut self, parts: impl Iterator<Item = &'p (Obj, TypeId)>, name: &str) {
        for (part, ty) in parts {
            if let Some(sub) = self.control(*ty, name) {
                self.call_with_cells(&sub, Some((part.clone(), *ty)), &[], None);
            }
        }
    }

    /// An object made by an allocator: it is initialised, but its end is not followed.
    pub(crate) fn control_allocated(
        &mut self,
        obj: &Obj,
        ty: TypeId,
        init: Option<&'a syntax::Expr>,
        span: Span,
    ) {
        if !self.is_controlled(ty) {
            return;
        }
        self.program.assume("allocated objects of controlled types are not finalised", span);
        let mut parts = Vec::new();
        self.controlled_parts(obj, ty, &mut parts);
        if let Some(init) = init {
            return self.adjust_initial(&parts, init);
        }
        for (part, ty) in parts {
            if let Some(sub) = self.control(ty, "initialize") {
                self.abort_deferred(|e| e.call_with_cells(&sub, Some((part, ty)), &[], None));
            }
        }
    }

    /// Ends the protected objects that were declared since there were `first` of them.
    pub(crate) fn close_objects(&mut self, first: usize, last: usize) {
        if !self.units.requeues {
            return;
        }
        for object in (first..last).map(ObjectId::from) {
            if self.program.entries.iter().any(|e| e.owner == Owner::Object(object)) {
                self.emit(|next| Action::Close { object, next });
            }
        }
    }

    /// At the end of a task, whatever an abort left behind is finalised.
    pub(crate) fn leave_all_regions(&mut self) {
        let task = self.cx.task;
        for region in (0..self.regions.len()).rev() {
            if self.regions[region].task == task {
                self.leave_region(region, None);
            }
        }
    }
}
