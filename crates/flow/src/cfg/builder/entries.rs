//! Entry calls and requeues.
//!
//! A call waits at a node with a role for its entry. If several entries are possible, or if calls may be requeued, it
//! has a node for each entry that it may wait at, since the caller may go on differently from each. A call of a task has
//! two more roles: it may be refused because the task is completed, and its rendezvous may fail.
//!
//! A requeue inside of an accept statement is a role that sends the caller to its node for the new entry. A requeue
//! inside of a protected entry unlocks the object and leads to the caller's own nodes, because the body of a protected
//! entry is executed by the caller here.

use rendez_model::{Action, CallMode, ExceptionId, Expr, Loc, Owner, VarId};

use super::super::letters::equals;
use super::super::{CallSite, Id, InteractionRole, Op, Participation, copies_out};
use super::{Builder, ContextFrame, Raised};

impl Builder<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn entry_call(
        &mut self,
        id: Id,
        context: u32,
        loc: Loc,
        entry: &Expr,
        args: &[VarId],
        mode: &CallMode,
        next: Loc,
    ) {
        let next = self.place(context, next);
        let otherwise = match mode {
            CallMode::Plain => None,
            CallMode::Conditional { otherwise: l } | CallMode::Timed { timeout: l } => {
                Some(self.place(context, *l))
            }
        };
        let site = self.sites.len() as Id;
        self.sites.push(CallSite::default());
        let called = self.program.possible_entries(entry);
        if called.is_empty() {
            self.nodes[id as usize].unsupported = true;
            return;
        }
        let tasking_error = self.raise(context, loc, Raised::Just(ExceptionId::TASKING_ERROR), &[]);
        let any_error = self.raise(context, loc, Raised::Held(None), &[]);
        let single = called.len() == 1 && self.facts.requeues.is_empty();
        let mut all = called.clone();
        all.extend(self.facts.requeues.iter().filter(|e| !called.contains(e)));
        for e in &all {
            let node = if single { id } else { self.node(context, loc) };
            self.sites[site as usize].pending.push((*e, node));
            if !single && called.contains(e) {
                let ops = match called.len() {
                    1 => Vec::new(),
                    _ => vec![Op::Assume(equals(entry.clone(), i64::from(e.0)), true)],
                };
                let way = self.step(context, loc, ops, vec![node]);
                self.nodes[id as usize].succ.push(way);
            }
            self.nodes[node as usize].succ.extend(otherwise);
            let part = match self.program.entries[e.index()].owner {
                Owner::Task(owner) => {
                    if self.facts.abortable[owner.index()] {
                        self.nodes[node as usize].succ.extend(&tasking_error);
                    }
                    let refused = InteractionRole {
                        part: Participation::Refused { entry: *e },
                        then: tasking_error.clone(),
                    };
                    let broken =
                        InteractionRole { part: Participation::Broken { site }, then: any_error.clone() };
                    self.nodes[node as usize].roles.extend([refused, broken]);
                    Participation::Call { entry: *e, args: args.to_vec(), more: Vec::new(), site }
                }
                Owner::Object(object) => {
                    let Some(proc) = self.program.bodies.get(&(self.task, *e)) else { continue };
                    if self.facts.closed[object.index()]
                        || self.program.queue_limit.is_some()
                        || self.program.a_barrier_may_raise(object)
                    {
                        let which = Raised::Just(ExceptionId::PROGRAM_ERROR);
                        let raised = self.raise(context, loc, which, &[]);
                        self.nodes[node as usize].succ.extend(raised);
                    }
                    let formals = self.program.procs[proc.index()].formals.clone();
                    let inner = self.push(context, ContextFrame::Entry { site: loc, proc: *proc, entry: *e });
                    let body = self.place(inner, self.program.procs[proc.index()].start);
                    let part = Participation::Enter { entry: *e, object, formals, args: args.to_vec() };
                    self.nodes[node as usize].roles.push(InteractionRole { part, then: vec![body] });
                    continue;
                }
            };
            self.nodes[node as usize].roles.push(InteractionRole { part, then: vec![next] });
        }
        self.or_raise(id, context, loc, entry);
    }

    pub(super) fn requeue(&mut self, id: Id, context: u32, loc: Loc, entry: &Expr, next: Loc) {
        let program = self.program;
        let entries = program.possible_entries(entry);
        let (parent, frame) = self.contexts.list[context as usize].clone();
        match frame {
            Some(ContextFrame::Accept { node, site, alternative }) => {
                let Action::Select { alternatives, .. } = &program.node(site).action else { return };
                let next = self.place(parent, next);
                for e in &entries {
                    let formals = alternatives[alternative].formals.clone();
                    let part = Participation::Requeue { accept: node, entry: *e, formals };
                    self.nodes[id as usize].roles.push(InteractionRole { part, then: vec![next] });
                }
            }
            Some(ContextFrame::Entry { site, entry: own, proc }) => {
                let Owner::Object(object) = program.entries[own.index()].owner else { return };
                let Action::EntryCall { args, .. } = &program.node(site).action else { return };
                let mut ops = copies_out(&program.procs[proc.index()].formals, args);
                ops.extend(self.leave(proc));
                // The call that is being served waits again, at another entry.
                let call = self.places[&(parent, site)];
                let sites = self.sites.iter().find(|s| {
                    s.pending.iter().any(|(_, n)| {
                        *n == call
                            || self.nodes[*n as usize].loc == site
                                && self.nodes[*n as usize].context == parent
                    })
                });
                let Some(pending) = sites.map(|s| s.pending.clone()) else {
                    return self.refuse(loc, "a requeue whose call is not known");
                };
                let then: Vec<Id> =
                    pending.iter().filter(|(e, _)| entries.contains(e)).map(|p| p.1).collect();
                let then = vec![self.step(parent, site, ops, then)];
                self.nodes[id as usize]
                    .roles
                    .push(InteractionRole { part: Participation::Unlock { object }, then });
            }
            _ => self.refuse(loc, "a requeue outside of an entry"),
        }
        self.or_raise(id, context, loc, entry);
    }
}
