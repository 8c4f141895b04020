//! What monitors of properties see of a step.
//!
//! The automaton of a property moves with the program. A step tells each monitor, one event after the other, what happens:
//! an event, an assignment, a test, a rendezvous, a task that starts or ends. Where a value is not known, an event may carry
//! several sets of names, and the step splits into one outcome for each, marked as guessed. Beyond 256 combinations the
//! step is not followed.
//!
//! A monitor is broken when it comes to a state from which nothing is accepted, or when the program ends in a state that
//! does not accept.

use super::{Semantics, Step, StepEvent, StepRun, Successor};
use crate::expr::{Expr, Place, Value};
use crate::monitor::{MonitorEvent, Sight};
use crate::program::*;
use crate::state::*;

impl<'p> Semantics<'p> {
    /// Moves the monitors along: where it is not certain what they see, everything is possible that it may be.
    pub(super) fn monitored(&self, before: &State, mut outcome: Successor, out: &mut Vec<Successor>) {
        let sights = std::mem::take(&mut outcome.step.sights);
        let ways: usize = sights.iter().map(|s| s.may_be.len()).fold(1, usize::saturating_mul);
        if ways == 0 || ways > 256 {
            let step = Step { what: StepEvent::Unsupported, ..outcome.step };
            return out.push(Successor { step, ..outcome });
        }
        for choice in 0..ways {
            let mut outcome = outcome.clone();
            outcome.step.guessed |= ways > 1;
            let mut rest = choice;
            for sight in &sights {
                let seen = sight.may_be[rest % sight.may_be.len()];
                rest /= sight.may_be.len();
                let Some(set) = seen else { continue };
                let m = sight.monitor;
                let monitor = &self.program.monitors[usize::from(m)];
                let letter = monitor.sets[set as usize].1;
                outcome.step.letters.push((m, letter));
                let Value::Known(at) = outcome.state.vars[monitor.cell.index()] else { continue };
                let next = monitor.step(at as u32, letter);
                if i64::from(next) != at {
                    outcome.state.vars[monitor.cell.index()] = Value::Known(i64::from(next));
                    if monitor.doomed[next as usize] && !monitor.doomed[at as usize] {
                        outcome.step.broken.push(m);
                    }
                }
            }
            self.note_hopeless(before, &mut outcome.step);
            let main = TaskId::ENVIRONMENT.index();
            let followed = !matches!(outcome.step.what, StepEvent::Stopped | StepEvent::Unsupported);
            if followed
                && outcome.step.task == TaskId::ENVIRONMENT
                && outcome.state.tasks[main].status == Status::Terminated
                && before.tasks[main].status != Status::Terminated
            {
                for (m, monitor) in self.program.monitors.iter().enumerate() {
                    let Value::Known(at) = outcome.state.vars[monitor.cell.index()] else { continue };
                    if !monitor.accepting[at as usize] && !monitor.doomed[at as usize] {
                        outcome.step.broken.push(m as u16);
                    }
                }
            }
            out.push(outcome);
        }
    }

    /// A monitor that accepts nothing, whatever happens, is broken as soon as something does.
    fn note_hopeless(&self, before: &State, step: &mut Step) {
        let main = TaskId::ENVIRONMENT.index();
        if step.task != TaskId::ENVIRONMENT || before.tasks[main].pc != self.program.tasks[main].start {
            return;
        }
        for (m, monitor) in self.program.monitors.iter().enumerate() {
            let doomed = |at: Value| matches!(at, Value::Known(at) if monitor.doomed[at as usize]);
            if doomed(before.vars[monitor.cell.index()]) {
                step.broken.push(m as u16);
            }
        }
    }
}

impl<'p> StepRun<'_, 'p> {
    /// Tells the monitors what happens now.
    pub(super) fn sees(&mut self, event: MonitorEvent) {
        let program = self.program();
        for (m, monitor) in program.monitors.iter().enumerate() {
            if let Some(may_be) = monitor.carried(program, event, &|e| program.eval(&self.state, e)) {
                self.sights.push(Sight { monitor: m as u16, may_be });
            }
        }
    }

    /// What monitors see of an action before it takes effect.
    pub(super) fn looks_at(&mut self, action: &'p Action) {
        if self.program().monitors.is_empty() {
            return;
        }
        match action {
            Action::Event { kind: EventKind::Annotated, name, .. } => self.sees(MonitorEvent::Event(name)),
            Action::Branch { cond, .. } => self.sees(MonitorEvent::Test(cond)),
            Action::Assign { to: Place::Var(to), value, .. } if self.program().is_selector(*to) => {
                self.sees(MonitorEvent::Test(value));
            }
            Action::Call { proc, .. } => self.sees(MonitorEvent::Enter(*proc)),
            Action::Select { alternatives, delays, .. } => {
                let guards = alternatives.iter().filter_map(|a| a.guard.as_ref());
                let all: Vec<&Expr> = guards.chain(delays.iter().filter_map(|d| d.0.as_ref())).collect();
                all.into_iter().for_each(|guard| self.sees(MonitorEvent::Test(guard)));
            }
            _ => {}
        }
    }

    /// Tells the monitors that some cell of a place is assigned to.
    pub(super) fn sees_one_of(&mut self, to: &Place, value: Value) {
        let program = self.program();
        for (m, monitor) in program.monitors.iter().enumerate() {
            let mut may_be = Vec::new();
            let mut listed = true;
            to.each_cell(program, |cell| {
                let event = MonitorEvent::Write(cell, value);
                let carried = monitor.carried(program, event, &|e| program.eval(&self.state, e));
                let carried = carried.unwrap_or_else(|| vec![None]);
                listed &= !carried.is_empty();
                may_be.extend(carried);
            });
            may_be.sort_unstable();
            may_be.dedup();
            may_be.retain(|_| listed);
            if may_be != [None] {
                self.sights.push(Sight { monitor: m as u16, may_be });
            }
        }
    }
}
