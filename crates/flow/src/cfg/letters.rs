//! What automata see of the actions of a task.
//!
//! The letters of a node are certain. If it depends on data whether an action is an event (an assignment to an element
//! of an array, a value that a property names), the action becomes several nodes, each with the condition under which
//! it is that event. Only the constraints on data decide which of the nodes can be passed. Where no expression can state
//! the condition, both readings stay possible without one, which adds paths and removes none.
//!
//! One action can be several names of one automaton at once. Binding has listed which sets of names a step may carry
//! together; a set that is not listed cannot occur, so no node is made for it.

use rendez_model::monitor::{EventPattern, Match, Monitor, MonitorEvent, tested};
use rendez_model::{BinaryOp, EntryId, Expr, Formal, Program, TaskId, Value};

use super::{Letter, Op};

/// A way in which something may happen: what it needs, and the letters it is.
pub(super) struct Variant {
    pub(super) ops: Vec<Op>,
    pub(super) letters: Vec<Letter>,
}

pub(super) fn equals(cell: Expr, value: i64) -> Expr {
    Expr::binary(BinaryOp::Equal, cell, Expr::Const(value))
}

/// The ways in which an event may be seen by automata. `written` is the expression that is assigned.
pub(super) fn variants(
    program: &Program,
    automata: &[Monitor],
    event: MonitorEvent,
    written: Option<&Expr>,
) -> Vec<Variant> {
    let mut all = vec![Variant { ops: Vec::new(), letters: Vec::new() }];
    for (a, automaton) in automata.iter().enumerate() {
        let ways = readings(program, automaton, event, written);
        let joined = all.iter().flat_map(|before| {
            ways.iter().map(|(ops, letter)| Variant {
                ops: [&before.ops[..], ops].concat(),
                letters: before.letters.iter().copied().chain(letter.map(|l| (a as u8, l))).collect(),
            })
        });
        all = joined.collect();
    }
    all
}

/// The letters that an event may be for one automaton, and what each needs. What no event may carry is left out.
fn readings(
    program: &Program,
    automaton: &Monitor,
    event: MonitorEvent,
    written: Option<&Expr>,
) -> Vec<(Vec<Op>, Option<u32>)> {
    let mut ways: Vec<(Vec<Op>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
    for (happening, symbol) in &automaton.watch {
        let fit = happening.fits(program, event, &|e| Ok(e.constant().map_or(Value::Any, Value::Known)));
        if fit == Match::No {
            continue;
        }
        let test = match fit {
            Match::Maybe => condition(program, happening, event, written),
            _ => None,
        };
        let mut next = Vec::new();
        for (ops, set) in ways {
            let more: Vec<u32> = set.iter().copied().chain([*symbol]).collect();
            if set.contains(symbol) || (fit == Match::Maybe && !automaton.may_carry(&more)) {
                next.push((ops, set));
                continue;
            }
            let given = |took: bool| {
                let assumed = test.iter().map(|t| Op::Assume(t.clone(), took));
                ops.iter().cloned().chain(assumed).collect::<Vec<Op>>()
            };
            next.push((given(true), more));
            if fit == Match::Maybe {
                next.push((given(false), set));
            }
        }
        ways = next;
    }
    let letter = |(ops, mut set): (Vec<Op>, Vec<u32>)| {
        set.sort_unstable();
        match (set.is_empty(), automaton.number(&set)) {
            (true, _) => Some((ops, None)),
            (false, number) => number.map(|n| (ops, Some(automaton.sets[n as usize].1))),
        }
    };
    let found: Vec<_> = ways.into_iter().filter_map(letter).collect();
    assert!(!found.is_empty(), "every set of names that a moment carries is listed");
    found
}

/// What decides whether an event is the happening, if an expression can say it.
fn condition(
    program: &Program,
    happening: &EventPattern,
    event: MonitorEvent,
    written: Option<&Expr>,
) -> Option<Expr> {
    let signed = |e: Expr, equal: bool| if equal { e } else { e.not() };
    match (happening, event) {
        (EventPattern::Write { value: Some((equal, v)), .. }, MonitorEvent::Write(..)) => {
            written.map(|e| signed(equals(e.clone(), *v), *equal))
        }
        (EventPattern::Test { cells, value }, MonitorEvent::Test(expr)) => {
            Some(tested(program, expr, cells, *value))
        }
        (EventPattern::Accept { values, .. }, MonitorEvent::Accept { formals, .. }) => values
            .iter()
            .zip(formals)
            .filter_map(|(v, f)| v.map(|v| equals(Expr::Var(f.cell), v)))
            .reduce(|a, b| Expr::binary(BinaryOp::And, a, b)),
        _ => None,
    }
}

/// The ways in which the beginning of a rendezvous or of a protected entry may be seen.
pub fn accepted(
    program: &Program,
    automata: &[Monitor],
    caller: TaskId,
    entry: EntryId,
    formals: &[Formal],
) -> Vec<(Vec<Op>, Vec<Letter>)> {
    let event = MonitorEvent::Accept { caller, entry, formals };
    variants(program, automata, event, None).into_iter().map(|v| (v.ops, v.letters)).collect()
}

/// What automata see when a task is started.
pub fn begun(program: &Program, automata: &[Monitor], task: TaskId) -> Vec<Letter> {
    variants(program, automata, MonitorEvent::Start(task), None).into_iter().flat_map(|v| v.letters).collect()
}

pub fn finished(program: &Program, automata: &[Monitor], caller: TaskId, entry: EntryId) -> Vec<Letter> {
    let event = MonitorEvent::Finish { caller, entry };
    variants(program, automata, event, None).into_iter().flat_map(|v| v.letters).collect()
}
