//! The invariants of a program. A front end or pass that breaks one has a bug.

use std::fmt;

use crate::expr::{Expr, Place, Value};
use crate::program::*;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks every invariant and lists the broken ones.
pub fn validate(program: &Program) -> Vec<Invalid> {
    let mut check = Check { program, found: Vec::new() };
    check.all();
    check.found
}

struct Check<'p> {
    program: &'p Program,
    found: Vec<Invalid>,
}

impl Check<'_> {
    fn require(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.found.push(Invalid(text()));
        }
    }

    fn all(&mut self) {
        let p = self.program;
        self.require(!p.tasks.is_empty(), || "there is no environment task".into());
        self.require(p.tasks.len() <= 1 << 16, || "more than 65536 tasks".into());
        for (i, predefined) in ExceptionId::PREDEFINED.iter().enumerate() {
            self.require(p.exceptions.get(i).is_some_and(|e| e == predefined), || {
                format!("exception {i} is not {predefined}")
            });
        }
        for (i, var) in p.vars.iter().enumerate() {
            if let Domain::Range(lo, hi) = var.domain {
                self.require(lo <= hi, || format!("cell {i} ({}) has no value", var.name));
                if let Value::Known(v) = var.init {
                    self.require(lo <= v && v <= hi, || {
                        format!("cell {i} ({}) starts outside its range", var.name)
                    });
                }
            }
        }
        for (i, task) in p.tasks.iter().enumerate() {
            self.require(task.master.is_none() == (i == 0), || {
                format!("task {i} ({}): only the environment task has no master", task.name)
            });
            self.loc(task.start, "start of a task");
            self.loc(task.exit, "exit of a task");
            if task.exit.index() < p.nodes.len() {
                self.require(matches!(p.node(task.exit).action, Action::Complete { .. }), || {
                    format!("task {i} ({}) does not exit by completing", task.name)
                });
            }
            if let Some(master) = task.master {
                self.require(master.index() < p.masters.len(), || {
                    format!("task {i}: no master {}", master.0)
                });
            }
        }
        for (i, master) in p.masters.iter().enumerate() {
            self.require(master.owner.index() < p.tasks.len(), || format!("master {i} has no owner"));
        }
        for (i, entry) in p.entries.iter().enumerate() {
            match entry.owner {
                Owner::Task(t) => {
                    self.require(t.index() < p.tasks.len(), || format!("entry {i} has no owner"));
                    self.require(entry.barrier.is_none(), || format!("entry {i} of a task has a barrier"));
                }
                Owner::Object(o) => {
                    self.require(o.index() < p.objects.len(), || format!("entry {i} has no owner"));
                }
            }
            if let Some(barrier) = &entry.barrier {
                self.expr(barrier, &format!("barrier of entry {i}"));
            }
        }
        for (i, proc) in p.procs.iter().enumerate() {
            self.loc(proc.start, &format!("start of procedure {i}"));
            self.require(proc.task.index() < p.tasks.len(), || format!("procedure {i} has no task"));
            for formal in &proc.formals {
                self.require(proc.locals.contains(&formal.cell), || {
                    format!("procedure {i}: formal {} is no local", formal.cell.0)
                });
            }
            for local in &proc.locals {
                self.var(*local, &format!("locals of procedure {i}"));
            }
        }
        for (i, handler) in p.handlers.iter().enumerate() {
            if let Some(outer) = handler.outer {
                self.require(outer.index() < p.handlers.len() && outer.index() != i, || {
                    format!("handler {i} has no outer handler {}", outer.0)
                });
            }
            for choice in &handler.choices {
                self.loc(choice.1, &format!("handler {i}"));
            }
        }
        for ((task, entry), proc) in &p.bodies {
            self.require(
                task.index() < p.tasks.len()
                    && entry.index() < p.entries.len()
                    && proc.index() < p.procs.len(),
                || format!("body of entry {} for task {} names nothing", entry.0, task.0),
            );
        }
        for i in 0..p.nodes.len() {
            self.node(Loc::from(i));
        }
    }

    fn node(&mut self, loc: Loc) {
        let p = self.program;
        let node = p.node(loc);
        let at = format!("location {}", loc.0);
        for next in node.action.successors() {
            self.loc(next, &at);
        }
        if let Some(handler) = node.handler {
            self.require(handler.index() < p.handlers.len(), || format!("{at}: no handler {}", handler.0));
        }
        let mut exprs = Vec::new();
        node.action.each_expr(&mut |e| exprs.push(e));
        for e in exprs {
            self.expr(e, &at);
        }
        match &node.action {
            Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => {
                self.place(to, &at);
            }
            Action::Call { proc, args, outs, .. } => {
                self.require(proc.index() < p.procs.len(), || format!("{at}: no procedure {}", proc.0));
                if let Some(proc) = p.procs.get(proc.index()) {
                    self.require(args.len() == proc.formals.len(), || {
                        format!(
                            "{at}: {} arguments for {} formals of {}",
                            args.len(),
                            proc.formals.len(),
                            proc.name
                        )
                    });
                    for (i, place) in outs {
                        self.place(place, &at);
                        self.require(*i < proc.formals.len(), || format!("{at}: no formal {i}"));
                    }
                }
            }
            Action::EntryCall { args, .. } => args.iter().for_each(|a| self.var(*a, &at)),
            Action::Select { alternatives, delays, terminate, otherwise } => {
                let extras = usize::from(!delays.is_empty())
                    + usize::from(terminate.is_some())
                    + usize::from(otherwise.is_some());
                self.require(extras <= 1, || format!("{at}: delay, else and terminate exclude each other"));
                for alternative in alternatives {
                    alternative.formals.iter().for_each(|f| self.var(f.cell, &at));
                }
            }
            Action::Lock { object, .. } | Action::Unlock { object, .. } => {
                self.require(object.index() < p.objects.len(), || format!("{at}: no object {}", object.0));
            }
            Action::FailAccept { occurrence } | Action::Resume { occurrence } => self.var(*occurrence, &at),
            _ => {}
        }
    }

    fn loc(&mut self, loc: Loc, at: &str) {
        self.require(loc.index() < self.program.nodes.len(), || format!("{at}: no location {}", loc.0));
    }

    fn var(&mut self, var: VarId, at: &str) {
        self.require(var.index() < self.program.vars.len(), || format!("{at}: no cell {}", var.0));
    }

    fn table_of_cells(&mut self, table: TableId, at: &str) {
        let p = self.program;
        match p.tables.get(table.index()) {
            None => self.require(false, || format!("{at}: no table {}", table.0)),
            Some(t) => t.values.iter().filter(|v| **v >= 0).for_each(|v| self.var(VarId(*v as u32), at)),
        }
    }

    fn place(&mut self, place: &Place, at: &str) {
        match place {
            Place::Var(var) => self.var(*var, at),
            Place::Indexed(table, _) => self.table_of_cells(*table, at),
            Place::Nowhere => {}
        }
    }

    fn expr(&mut self, expr: &Expr, at: &str) {
        expr.walk(&mut |e| match e {
            Expr::Var(var) => self.var(*var, at),
            Expr::Load(table, _) => self.table_of_cells(*table, at),
            Expr::Lookup(table, _) => {
                self.require(table.index() < self.program.tables.len(), || {
                    format!("{at}: no table {}", table.0)
                });
            }
            _ => {}
        });
    }
}
