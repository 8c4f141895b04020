//! A trace as a story: who does what, in the program's words.

use rendez_model::semantics::StepEvent;
use rendez_model::{Action, EntryId, Expr, Place, Program, Value, VarId};
use rendez_verdict::TraceStep;

/// What a step does, and the event it stands for; None if it is not worth telling.
pub fn describe(program: &Program, step: &TraceStep) -> Option<(String, String)> {
    let mut told = describe_event(program, step);
    for raised in &step.step.raised {
        let name = program.exception_name(raised.exception);
        let text = if raised.task == step.step.task {
            format!("gets {name}")
        } else {
            format!("{} gets {name}", program.tasks[raised.task.index()].name)
        };
        told = Some(match told {
            Some((before, event)) => (format!("{before}; {text}"), event),
            None => (text, name.to_owned()),
        });
    }
    told
}

/// What the event of a step does, without the exceptions that it raises.
fn describe_event(program: &Program, step: &TraceStep) -> Option<(String, String)> {
    let entry = |e: EntryId| program.entry_name(e);
    let task = |t: rendez_model::TaskId| program.tasks[t.index()].name.clone();
    let action = &program.node(step.step.loc).action;
    match &step.step.what {
        StepEvent::Queued(e) => Some((format!("calls {} and waits", entry(*e)), entry(*e))),
        StepEvent::Accepted { caller, acceptor, entry: e, whole } => {
            let text = match *caller == step.step.task {
                true => accepted_call(&entry(*e), &task(*acceptor), *whole),
                false => accept(&program.entries[e.index()].name, &task(*caller), *whole),
            };
            Some((text, entry(*e)))
        }
        StepEvent::Entered(e) | StepEvent::BarrierRaised(e) => {
            Some((format!("calls {}", entry(*e)), entry(*e)))
        }
        StepEvent::Waits => Some(("waits at its accept or select".into(), "select".into())),
        StepEvent::TimedOut => Some(("stops waiting: its delay is over".into(), "timeout".into())),
        StepEvent::Otherwise => Some(("is not served at once and takes the else part".into(), "else".into())),
        StepEvent::EndedAccept { caller, entry: e } => Some((
            format!("ends the rendezvous {} with {}", entry(*e), task(*caller)),
            format!("{}'end", entry(*e)),
        )),
        StepEvent::Requeued { caller, entry: e } => {
            Some((format!("requeues the call of {} to {}", task(*caller), entry(*e)), entry(*e)))
        }
        StepEvent::Locked(object) => {
            let object = &program.objects[object.index()].name;
            Some((format!("enters protected object {object}"), object.clone()))
        }
        StepEvent::Released { object, served } => served.map(|(who, e)| {
            let object = &program.objects[object.index()].name;
            (format!("leaves {object}; now {} is served in {}", task(who), entry(e)), entry(e))
        }),
        StepEvent::Activates(tasks) => {
            let names: Vec<String> = tasks.iter().map(|t| task(*t)).collect();
            Some((format!("activates {}", names.join(", ")), "activate".into()))
        }
        StepEvent::Ended(tasks) => {
            let names: Vec<String> = tasks.iter().map(|t| task(*t)).collect();
            Some((format!("lets {} terminate", names.join(", ")), "terminate".into()))
        }
        StepEvent::Aborted(tasks) => {
            let names: Vec<String> = tasks.iter().map(|t| task(*t)).collect();
            Some((format!("aborts {}", names.join(", ")), "abort".into()))
        }
        StepEvent::Transferred => Some(("leaves its abortable part".into(), "transfer".into())),
        StepEvent::AssertionFailed => Some(("fails an assertion".into(), "assertion".into())),
        StepEvent::Got(value) => match action {
            Action::Havoc { to, .. } => {
                Some((format!("gets {} from outside", assigned(program, to, *value)), "input".into()))
            }
            _ => None,
        },
        StepEvent::Chose(target) => Some(match input(program, step.step.loc, *target as usize) {
            Some(text) => (format!("gets {text} from outside"), "input".into()),
            None => ("goes on as the environment decides".into(), "choice".into()),
        }),
        StepEvent::Took(yes) if step.step.guessed => {
            let way = if *yes { "true" } else { "false" };
            Some((format!("goes on as if the condition, which is not followed, were {way}"), "guess".into()))
        }
        StepEvent::Unsupported => {
            Some(("reaches something that is not modelled".into(), "unsupported".into()))
        }
        StepEvent::Stopped => Some(("reaches a bound".into(), "bound".into())),
        StepEvent::Ran | StepEvent::Took(_) => describe_action(program, step),
    }
}

/// The same of a step that concerns nobody else.
fn describe_action(program: &Program, step: &TraceStep) -> Option<(String, String)> {
    match &program.node(step.step.loc).action {
        Action::Assign { .. } => {
            let shown: Vec<String> = step
                .changes
                .iter()
                .filter(|(v, _)| is_named(program, *v))
                .map(|(v, value)| assignment(program, *v, *value))
                .collect();
            (!shown.is_empty()).then(|| (format!("sets {}", shown.join(", ")), "assign".into()))
        }
        Action::Event { .. } => rendez_verdict::annotation(program, step.step.loc)
            .map(|name| (format!("event {name}"), name.to_owned())),
        Action::Complete { .. } => Some(("completes".into(), "complete".into())),
        _ => None,
    }
}

/// A rendezvous begins with a call; `whole` if it also ends.
fn accepted_call(entry: &str, acceptor: &str, whole: bool) -> String {
    match whole {
        true => format!("calls {entry}, which {acceptor} accepts"),
        false => format!("calls {entry}; the rendezvous with {acceptor} starts"),
    }
}

/// A rendezvous begins at the accept statement; `whole` if it also ends.
fn accept(entry: &str, caller: &str, whole: bool) -> String {
    match whole {
        true => format!("accepts {entry} from {caller}"),
        false => format!("accepts {entry} from {caller}; the rendezvous starts"),
    }
}

/// What a choice of the environment reads, if it is one among values.
fn input(program: &Program, loc: rendez_model::Loc, target: usize) -> Option<String> {
    let node = program.node(loc);
    let Action::Choose { targets } = &node.action else { return None };
    let chosen = program.node(*targets.get(target)?);
    match &chosen.action {
        Action::Assign { to, value: Expr::Const(value), .. } if chosen.span == node.span => {
            Some(assigned(program, to, Value::Known(*value)))
        }
        _ => None,
    }
}

/// Variables of the program, not intermediate values.
pub(crate) fn is_named(program: &Program, var: VarId) -> bool {
    !program.vars[var.index()].temporary
}

fn assignment(program: &Program, var: VarId, value: Value) -> String {
    let name = &program.vars[var.index()].name;
    match value {
        Value::Known(v) => format!("{name} := {}", program.value_name(var, v)),
        Value::Any => format!("{name} := some value"),
    }
}

fn assigned(program: &Program, to: &Place, value: Value) -> String {
    match to {
        Place::Var(var) if is_named(program, *var) => assignment(program, *var, value),
        _ => match value {
            Value::Known(v) => v.to_string(),
            Value::Any => "some value".into(),
        },
    }
}
