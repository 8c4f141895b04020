//! Calls of procedures.
//!
//! A procedure is written for one calling task, so its locals are ordinary cells. Only a recursive call saves them, in its
//! frame; on every other way out they get their initial values back, because nobody can see them then and states stay few.
//! Parameters are copied in and out. Calls deeper than the bound on recursion end the execution (`Stopped`), which makes
//! every check that would otherwise hold inconclusive.
//!
//! Entry bodies are procedures as well. Their frame stands on the location of the entry call, or, where the body is run
//! for somebody else's triggering call, names that call (`serving`).

use super::{Semantics, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Value};
use crate::monitor::MonitorEvent;
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    /// A call that would be active too often ends the execution.
    pub(super) fn call_procedure(&self, mut run: StepRun<'_, 'p>, proc: ProcId, args: &[Expr]) -> Successor {
        let frames = &run.state.tasks[run.task.index()].frames;
        if frames.iter().filter(|f| f.proc == proc).count() >= self.recursion {
            return run.stop();
        }
        run.call(run.task, proc, args);
        run.done(StepEvent::Ran)
    }

    pub(super) fn return_from_procedure(&self, mut run: StepRun<'_, 'p>) -> Successor {
        run.return_from(run.task);
        run.done(StepEvent::Ran)
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Calls a procedure from the current location.
    pub(super) fn call(&mut self, task: TaskId, proc: ProcId, args: &[Expr]) {
        let program = self.program();
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match program.eval(&self.state, arg) {
                Ok(value) => values.push(value),
                Err(exception) => return self.raise(task, exception, false),
            }
        }
        self.push_frame(task, proc);
        for (formal, value) in program.procs[proc.index()].formals.iter().zip(values) {
            if formal.mode.copies_in() {
                self.set(formal.cell, value);
            }
        }
        self.go(task, program.procs[proc.index()].start);
    }

    pub(super) fn push_frame(&mut self, task: TaskId, proc: ProcId) {
        let locals = &self.program().procs[proc.index()].locals;
        let ts = &mut self.state.tasks[task.index()];
        let recursive = ts.frames.iter().any(|f| f.proc == proc);
        let saved =
            if recursive { locals.iter().map(|l| self.state.vars[l.index()]).collect() } else { Vec::new() };
        ts.frames.push(Frame { site: ts.pc, proc, saved, serving: None });
    }

    /// Gives the locals of a procedure that is left the values they had before the call; outside
    /// of recursion nobody can see them, and their initial values keep states few.
    pub(super) fn leave(&mut self, frame: &Frame) {
        let program = self.program();
        for (i, local) in program.procs[frame.proc.index()].locals.iter().enumerate() {
            let value = frame.saved.get(i).copied();
            self.state.vars[local.index()] = value.unwrap_or(program.vars[local.index()].init);
        }
    }

    pub(super) fn return_from(&mut self, task: TaskId) {
        let program = self.program();
        let Some(frame) = self.state.tasks[task.index()].frames.pop() else {
            return self.raise(task, ExceptionId::PROGRAM_ERROR, false);
        };
        let formals = &program.procs[frame.proc.index()].formals;
        if !program.monitors.is_empty()
            && let Some(((_, entry), _)) = program.bodies.iter().find(|(_, proc)| **proc == frame.proc)
        {
            self.sees(MonitorEvent::Finish { caller: frame.serving.map_or(task, |c| c.task), entry: *entry });
        }
        if let Some(caller) = frame.serving {
            self.copy_out(formals, self.args(caller));
            self.leave(&frame);
            self.go(task, frame.site);
            return self.finish_call(caller);
        }
        match &program.node(frame.site).action {
            Action::Call { outs, next, .. } => {
                let results: Vec<Value> = outs.iter().map(|(i, _)| self.get(formals[*i].cell)).collect();
                self.leave(&frame);
                self.go(task, frame.site);
                for ((_, place), value) in outs.iter().zip(results) {
                    if let Err(exception) = self.store(place, value) {
                        return self.raise(task, exception, false);
                    }
                }
                self.go(task, *next);
            }
            Action::EntryCall { args, next, .. } => {
                self.copy_out(formals, args);
                self.leave(&frame);
                self.go(task, *next);
                self.completion_point(task);
            }
            Action::Async { trigger: Trigger::Call { args, .. }, triggered, .. } => {
                self.copy_out(formals, args);
                self.leave(&frame);
                self.go(task, *triggered);
            }
            _ => self.raise(task, ExceptionId::PROGRAM_ERROR, false),
        }
    }

    pub(super) fn copy_out(&mut self, formals: &[Formal], args: &[VarId]) {
        for (formal, arg) in formals.iter().zip(args) {
            if formal.mode.copies_out() {
                let value = self.get(formal.cell);
                self.set(*arg, value);
            }
        }
    }

    /// A call that is requeued keeps the values of all its parameters, results included.
    pub(super) fn copy_in(&mut self, formals: &[Formal], args: &[VarId]) {
        let requeues = self.semantics.requeues();
        for (formal, arg) in formals.iter().zip(args) {
            let value = if formal.mode.copies_in() || requeues {
                self.get(*arg)
            } else {
                self.program().vars[formal.cell.index()].init
            };
            self.set(formal.cell, value);
        }
    }
}
