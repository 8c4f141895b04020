//! Calls of procedures, and returns.
//!
//! FLAVERS inlines calls in the source; here a call opens a context. A recursive call shares the context that is already
//! open, and its returns lead to all callers: an over-approximation. Returns that were filled before a new caller is
//! found are filled again. What locals of a recursive procedure hold is not followed.
//!
//! Results are assigned one after the other when the call returns, then the locals are gone. An assignment of a result
//! may fail its check, and then the exception is raised where the call stands.

use rendez_model::monitor::MonitorEvent;
use rendez_model::{Action, ExceptionId, Expr, Loc, ProcId};

use super::super::letters::{finished, variants};
use super::super::{Id, Letter, Op, copies_out};
use super::{Builder, ContextFrame, Raised};

impl Builder<'_> {
    pub(super) fn call(&mut self, id: Id, context: u32, loc: Loc, proc: ProcId, args: &[Expr]) {
        let program = self.program;
        let formals = &program.procs[proc.index()].formals;
        let mut ops = Vec::new();
        for (formal, arg) in formals.iter().zip(args) {
            if formal.mode.copies_in() {
                ops.push(Op::Set(formal.cell, arg.clone()));
            }
        }
        // A procedure that calls itself is followed without telling its calls apart.
        let mut at = context;
        let mut inner = None;
        while let (parent, Some(frame)) = &self.contexts.list[at as usize] {
            if matches!(frame, ContextFrame::Call { proc: p, .. } if *p == proc) {
                inner = Some(at);
                break;
            }
            at = *parent;
        }
        let inner = match inner {
            Some(known) => {
                self.contexts.returns.entry(known).or_default().push((context, loc));
                // Returns that were written before must learn of the new place.
                let again: Vec<(u32, Loc)> = self
                    .places
                    .keys()
                    .filter(|(c, l)| *c == known && matches!(program.node(*l).action, Action::Return))
                    .copied()
                    .collect();
                for (c, l) in again {
                    let node = self.places[&(c, l)];
                    self.nodes[node as usize].succ.clear();
                    self.nodes[node as usize].ops.clear();
                    self.work.push((c, l));
                }
                known
            }
            None => self.push(context, ContextFrame::Call { site: loc, proc }),
        };
        let target = self.place(inner, program.procs[proc.index()].start);
        let seen = variants(program, self.automata, MonitorEvent::Enter(proc), None);
        let ways = seen.into_iter().map(|v| {
            let mut all = v.ops;
            all.extend(ops.clone());
            (all, v.letters, vec![target])
        });
        let ways = ways.collect();
        self.ways(id, ways);
        for arg in args {
            self.or_raise(id, context, loc, arg);
        }
    }

    pub(super) fn returned(&mut self, id: Id, context: u32, loc: Loc) {
        let program = self.program;
        let (parent, frame) = self.contexts.list[context as usize].clone();
        match frame {
            Some(ContextFrame::Call { site, proc }) => {
                let mut to = vec![(parent, site)];
                to.extend(self.contexts.returns.get(&context).cloned().unwrap_or_default());
                for (back, site) in to {
                    self.return_to(id, (context, loc), (back, site), proc);
                }
            }
            Some(ContextFrame::Entry { site, proc, entry }) => {
                let Action::EntryCall { args, next, .. } = &program.node(site).action else { return };
                let formals = &program.procs[proc.index()].formals;
                let mut ops = copies_out(formals, args);
                ops.extend(self.leave(proc));
                let letters = finished(program, self.automata, self.task, entry);
                let target = self.place(parent, *next);
                self.ways(id, vec![(ops, letters, vec![target])]);
            }
            _ => {
                let which = Raised::Just(ExceptionId::PROGRAM_ERROR);
                let raised = self.raise(context, loc, which, &[]);
                self.nodes[id as usize].succ.extend(raised);
            }
        }
    }

    /// The return of a procedure to one of its callers.
    fn return_to(&mut self, id: Id, (context, loc): (u32, Loc), (back, site): (u32, Loc), proc: ProcId) {
        let program = self.program;
        let Action::Call { outs, next, .. } = &program.node(site).action else { return };
        let formals = &program.procs[proc.index()].formals;
        let target = self.place(back, *next);
        let recursive = self.facts.recursive.iter().any(|r| *r)
            && program.procs[proc.index()].locals.iter().any(|l| self.facts.recursive[l.index()]);
        let mut ways = vec![(Vec::new(), Vec::new())];
        let mut fails = Vec::new();
        for (i, place) in outs {
            let value = match recursive {
                true => Expr::Any,
                false => Expr::Var(formals[*i].cell),
            };
            if self.may_fail(place, &value) {
                fails.push(Op::Fails(place.clone(), value.clone()));
            }
            let mut next_ways = Vec::new();
            for (ops, letters) in &ways {
                for variant in self.writes(place, &value) {
                    let (mut ops, mut letters): (Vec<Op>, Vec<Letter>) = (ops.clone(), letters.clone());
                    ops.extend(variant.ops);
                    ops.push(Op::Assign(place.clone(), value.clone()));
                    letters.extend(variant.letters);
                    next_ways.push((ops, letters));
                }
            }
            ways = next_ways;
        }
        let leave = self.leave(proc);
        for (mut ops, letters) in ways {
            ops.extend(leave.clone());
            let way = self.step(context, loc, ops, vec![target]);
            self.nodes[way as usize].letters = letters;
            self.nodes[id as usize].succ.push(way);
        }
        for fail in fails {
            let mut ops = vec![fail];
            ops.extend(leave.clone());
            let raised = self.raise(back, site, Raised::Just(ExceptionId::CONSTRAINT_ERROR), &ops);
            self.nodes[id as usize].succ.extend(raised);
        }
    }
}
