//! Select statements.
//!
//! Each alternative becomes a node that assumes its guard, and the select leads to each of these nodes. The choice is
//! made before a caller is there, so there are paths on which the task waits at one alternative while the caller of
//! another one waits. That adds paths and removes none. An else part or a delay may be taken at any time, since the
//! graph has no clocks. If no alternative is always open, `Program_Error` may be raised under the assumption that all
//! guards are false.

use rendez_model::monitor::MonitorEvent;
use rendez_model::{Action, ExceptionId, Expr, Loc};

use super::super::letters::{equals, variants};
use super::super::{Id, InteractionRole, Letter, Op, Participation};
use super::{Builder, ContextFrame, Raised};

impl Builder<'_> {
    pub(super) fn select(&mut self, id: Id, context: u32, loc: Loc) {
        let program = self.program;
        let Action::Select { alternatives, otherwise, delays, terminate } = &program.node(loc).action else {
            return;
        };
        let guards = alternatives.iter().filter_map(|a| a.guard.as_ref());
        let guards: Vec<&Expr> = guards
            .chain(delays.iter().filter_map(|d| d.0.as_ref()))
            .chain(terminate.iter().filter_map(|t| t.as_ref()))
            .collect();
        let heads = self.heads(loc);
        let mut choices: Vec<Id> = Vec::new();
        for (i, alternative) in alternatives.iter().enumerate() {
            choices.extend(self.alternative(context, loc, i));
            self.or_raise(id, context, loc, &alternative.entry);
        }
        for (guard, target) in delays {
            let target = self.place(context, *target);
            choices.push(self.step(context, loc, assume(guard), vec![target]));
        }
        if let Some(guard) = terminate {
            let exit = self.place(0, program.tasks[self.task.index()].exit);
            let node = self.step(context, loc, assume(guard), Vec::new());
            self.nodes[node as usize]
                .roles
                .push(InteractionRole { part: Participation::Terminable, then: vec![exit] });
            choices.push(node);
        }
        if let Some(otherwise) = otherwise {
            choices.push(self.place(context, *otherwise));
        }
        let always = alternatives.iter().any(|a| a.guard.is_none())
            || delays.iter().any(|d| d.0.is_none())
            || terminate.as_ref().is_some_and(|t| t.is_none());
        if otherwise.is_none() && !always {
            let closed: Vec<Op> = guards.iter().map(|g| Op::Assume((*g).clone(), false)).collect();
            choices.extend(self.raise(context, loc, Raised::Just(ExceptionId::PROGRAM_ERROR), &closed));
        }
        let ways = heads.into_iter().map(|(ops, letters)| (ops, letters, choices.clone())).collect();
        self.ways(id, ways);
        for guard in guards {
            self.or_raise(id, context, loc, guard);
        }
    }

    /// What automata see of the guards.
    fn heads(&self, loc: Loc) -> Vec<(Vec<Op>, Vec<Letter>)> {
        let Action::Select { alternatives, delays, .. } = &self.program.node(loc).action else {
            return Vec::new();
        };
        let guards = alternatives.iter().filter_map(|a| a.guard.as_ref());
        let mut heads = vec![(Vec::<Op>::new(), Vec::<Letter>::new())];
        for guard in guards.chain(delays.iter().filter_map(|d| d.0.as_ref())) {
            let mut next = Vec::new();
            for (ops, letters) in &heads {
                for v in variants(self.program, self.automata, MonitorEvent::Test(guard), None) {
                    let (mut ops, mut letters) = (ops.clone(), letters.clone());
                    ops.extend(v.ops);
                    letters.extend(v.letters);
                    next.push((ops, letters));
                }
            }
            heads = next;
        }
        heads
    }

    /// The nodes that accept a call at an alternative, one for each entry that it may be.
    fn alternative(&mut self, context: u32, loc: Loc, number: usize) -> Vec<Id> {
        let program = self.program;
        let Action::Select { alternatives, .. } = &program.node(loc).action else { return Vec::new() };
        let alternative = &alternatives[number];
        let entries = program.possible_entries(&alternative.entry);
        let mut choices = Vec::new();
        for entry in &entries {
            let mut ops = assume(&alternative.guard);
            if entries.len() > 1 {
                ops.push(Op::Assume(equals(alternative.entry.clone(), i64::from(entry.0)), true));
            }
            let node = self.step(context, loc, ops, Vec::new());
            let whole = matches!(program.node(alternative.body).action, Action::EndAccept { .. });
            let then = match program.node(alternative.body).action {
                Action::EndAccept { next } => vec![self.place(context, next)],
                _ => {
                    let frame = ContextFrame::Accept { node, site: loc, alternative: number };
                    let inner = self.push(context, frame);
                    vec![self.place(inner, alternative.body)]
                }
            };
            let formals = alternative.formals.clone();
            let part = Participation::Accept { entry: *entry, formals, accept: node, whole };
            self.nodes[node as usize].roles.push(InteractionRole { part, then });
            choices.push(node);
        }
        choices
    }
}

fn assume(guard: &Option<Expr>) -> Vec<Op> {
    guard.iter().map(|g| Op::Assume(g.clone(), true)).collect()
}
