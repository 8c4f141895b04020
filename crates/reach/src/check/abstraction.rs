//! The program without data that cannot make it block.
//!
//! An abstraction without the counters of tasks that end (`finite.rs`) has every blocked state of the program, so if it
//! does not block and nobody spins in it, neither does the program. Where it blocks, the trace is followed in the
//! program itself. The first step that is impossible there depends on data; these data, and what they are computed
//! from, belong to the abstraction from then on (counterexample-guided refinement; Clarke, Grumberg, Jha, Lu and Veith,
//! CAV 2000). A trace that can be followed to its end proves nothing here: the search of the program has to find it.
//!
//! All instances of one declaration are added together, because alike tasks need alike data.

use std::time::Instant;

use rendez_model::semantics::Move;
use rendez_model::{Action, Place, Program, VarId};
use rendez_petri::steps::Fate;
use rendez_verdict::{Control, End, Findings, Kind, Options, Stats, alive};

use super::components::forever;
use super::exhaustive::reach;
use super::{BLOCKING, share};
use crate::finite;
use crate::search::Config;

/// The checks that hold in a program because they hold without some of its data.
pub fn held_without_data(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
) -> Vec<Kind> {
    with_abstraction(program, finite::forgettable(program), options, config, control).0
}

/// So often is a model without data refined.
const REFINEMENTS: usize = 40;

/// The checks that hold in a program because they hold without some data of tasks that end. Begins
/// without all that can be forgotten; where the model without it blocks, the trace is followed in the
/// program itself, and what decides the first step that is not possible there is remembered from then
/// on.
pub(super) fn with_abstraction(
    program: &Program,
    mut forgotten: Vec<bool>,
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Kind>, Stats) {
    let started = Instant::now();
    let config = &Config { first_only: true, ..config.clone() };
    let mut stats = Stats::default();
    for _ in 0..REFINEMENTS {
        if !forgotten.contains(&true) {
            break;
        }
        let coarse = finite::forget(program, &forgotten);
        let semantics = rendez_analysis::semantics(&coarse, options.recursion);
        let reached = reach(&semantics, &share(options, started, 1.0), config, control, &[]);
        stats.states += reached.stats.states;
        stats.transitions += reached.stats.transitions;
        let stuck = |id: &&u32| reached.state(**id).tasks.iter().any(|t| alive(t.status));
        let blocked = reached.blocked.iter().find(stuck);
        let cut = |o: &rendez_petri::step_cache::MemoisedOutcome| {
            matches!(o.fate, Fate::Stopped | Fate::Unsupported)
        };
        match blocked {
            Some(id) => {
                let way = reached.way(*id);
                if !refine(program, &coarse, &way.moves, options, &mut forgotten) {
                    break;
                }
            }
            None if reached.end == End::Complete && !reached.cache.trees.outcomes.iter().any(cut) => {
                let mut findings = Findings::new(&semantics);
                let Ok(graph) = reached.graph(control) else { break };
                forever(&reached, graph, &mut findings);
                if findings.any_blocking() || !findings.contradictions.is_empty() {
                    break;
                }
                return (BLOCKING.to_vec(), stats);
            }
            None => break,
        }
    }
    (Vec::new(), stats)
}

/// Follows a run of a model without some data in the program itself. Where it cannot be followed,
/// remembers the data that decide; whether there was such a step.
fn refine(
    program: &Program,
    coarse: &Program,
    moves: &[Move],
    options: &Options,
    forgotten: &mut [bool],
) -> bool {
    let (exact, coarse) = (
        rendez_analysis::semantics(program, options.recursion),
        rendez_analysis::semantics(coarse, options.recursion),
    );
    let (mut here, mut there) = (exact.initial(), coarse.initial());
    let mut out = Vec::new();
    for mv in moves {
        out.clear();
        coarse.successors(&there, mv.task, &mut out);
        if mv.choice as usize >= out.len() {
            return false;
        }
        let next = out.swap_remove(mv.choice as usize);
        let at = here.tasks[mv.task.index()].pc;
        let (before, after) = (there.tasks[mv.task.index()].pc, next.state.tasks[mv.task.index()].pc);
        there = next.state;
        let was_there = before.index() < program.nodes.len();
        // An assignment that may leave the range, or the choice whether it does.
        if was_there && coarse.program.node(before).action != program.node(before).action {
            continue;
        }
        let raises = matches!(coarse.program.node(before).action, Action::Raise { .. }) && !was_there;
        if !raises {
            out.clear();
            exact.successors(&here, mv.task, &mut out);
            let position = out.iter().position(|o| {
                let pc = o.state.tasks[mv.task.index()].pc;
                pc == after && o.step.what == next.step.what
            });
            if let Some(position) = position {
                here = out.swap_remove(position).state;
                continue;
            }
        }
        // What the step reads, and what an assignment changes.
        let mut more = false;
        let mut remember = |cell: VarId| {
            // All instances of one declaration: they are alike.
            let span = program.vars[cell.index()].span;
            for (v, var) in program.vars.iter().enumerate() {
                if var.span == span
                    && var.name.rsplit('.').next() == program.vars[cell.index()].name.rsplit('.').next()
                {
                    more |= std::mem::replace(&mut forgotten[v], false);
                }
            }
        };
        let action = &program.node(at).action;
        action.each_expr(&mut |e| e.each_cell(program, &mut remember));
        rendez_model::code::each_written(program, action, &mut remember);
        keep_sources(program, forgotten);
        return more;
    }
    false
}

/// What is remembered is worth nothing without what it is computed from.
fn keep_sources(program: &Program, forgotten: &mut [bool]) {
    let mut again = true;
    while std::mem::take(&mut again) {
        for node in &program.nodes {
            if let Action::Assign { to: Place::Var(v), value, .. } = &node.action
                && !forgotten[v.index()]
            {
                value.each_cell(program, &mut |cell| {
                    again |= std::mem::replace(&mut forgotten[cell.index()], false);
                });
            }
        }
    }
}
