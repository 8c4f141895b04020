//! The default checks, decided from one plain search.
//!
//! This is the reference against which the other engines are compared, so it does as little as possible: search
//! everything breadth first, hand over what was observed, look at bottom strongly connected components, and let
//! `rendez_verdict` judge. Local steps may be merged; that can be switched off, and both ways are compared on random
//! programs.
//!
//! Where a finding depends on an untracked value, everything is searched once more without such steps. Where a limit
//! cuts the search short, random schedules follow for a while, since they often end in a blocked state that a
//! breadth-first search has not reached. With `--delays long`, steps that end a delay are taken only where nothing else
//! makes progress; then the search itself says who waits for ever.
//!
//! Properties that executions without end may break are looked at separately, over every single step (`temporal.rs`).
//!
//! Earlier, if there were very many blocked states, or a component was very large, none of them was examined.

use std::time::{Duration, Instant};

use rendez_model::Program;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::{Lock, TaskState};
use rendez_search::{Breadth, LocalSteps, SearchResult, bottoms, forever, local_steps, search, walk};
use rendez_source::{Diagnostic, Span};
use rendez_verdict::{Control, End, EngineId, Findings, Nonprogress, Observation, Options, Outcome, Reason};
use rustc_hash::FxHashSet;

use crate::temporal::Unfolded;

/// Of random walks.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The part of the time that is for the search; the rest is for random walks, where the search is cut short.
const SEARCHED: f64 = 0.8;

/// Explores the program and decides the default checks.
pub(crate) fn check(program: &Program, options: &Options, control: &Control) -> Outcome {
    let started = Instant::now();
    let left = |part: f64| options.timeout.map(|t| t.mul_f64(part).saturating_sub(started.elapsed()));
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let local = local_steps(program, options);
    let exhaustive = Options { timeout: left(SEARCHED), ..options.clone() };
    let found = search(&semantics, &local, &exhaustive, control, &mut Breadth::default());
    let mut findings = Findings::new(&semantics);
    if options.long_delays {
        findings = findings.with_long_delays();
    }
    collect(&semantics, &local, &found, &mut findings);
    // Findings that need a guess may have a twin that does not: search again without guesses.
    if found.guesses && findings.any_guessed() {
        let certain = Options { skip_guesses: true, timeout: left(SEARCHED), ..options.clone() };
        let second = search(&semantics, &local, &certain, control, &mut Breadth::default());
        let aside = findings.set_aside();
        collect(&semantics, &local, &second, &mut findings);
        findings.take_back(aside);
    }
    if found.end != End::Complete && found.end != End::Interrupted && !options.long_delays {
        // Walks take no longer than the search before them.
        let searched = Duration::from_secs_f64(found.stats.seconds).max(Duration::from_millis(200));
        let time = left(1.0).unwrap_or(searched).min(searched).min(Duration::from_secs(10));
        walk(&semantics, &local, time, control, (SEED, 200), |moves, state, seen| {
            findings.seen(&seen, moves, state);
            false
        });
    }
    let why = found.end.reason(found.stats.states);
    let live = findings.open_for_ever();
    let open = match why.is_none() && !live.is_empty() {
        true => {
            let rest = Options { timeout: left(1.0), ..options.clone() };
            for_ever(program, &live, &rest, control, &mut findings)
        }
        false => why.clone(),
    };
    let properties = findings.all_properties(
        EngineId::Explore,
        &found.witness,
        options.fairness,
        (&live, open.as_ref()),
        why.as_ref(),
    );
    Outcome {
        engine: EngineId::Explore,
        engines: Vec::new(),
        answers: findings.answers(&found.entries, |_| found.end.reason(found.stats.states)),
        properties,
        stats: found.stats,
        end: found.end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        failures: Vec::new(),
        bounds: findings.bounds,
        long_delays: options.long_delays,
    }
}

/// Looks at the executions that block or go on for ever, for what some monitors demand of them. Says why that is
/// open, if it is.
fn for_ever(
    program: &Program,
    live: &[u16],
    options: &Options,
    control: &Control,
    findings: &mut Findings,
) -> Option<Reason> {
    if options.long_delays {
        return Some(Reason::method("executions that go on for ever are not looked at with --delays long"));
    }
    match Unfolded::new(program, options, control) {
        Ok(unfolded) => {
            let decided = live.iter().try_for_each(|m| unfolded.recurs(*m, options.fairness, findings));
            decided.map_or_else(|end| end.reason(unfolded.len()), |()| unfolded.bound().cloned())
        }
        Err(why) => Some(why),
    }
}

/// Notes the delays of long ones that end nowhere in what is repeated for ever, although they could.
fn put_off_for_ever(program: &Program, found: &SearchResult, findings: &mut Findings) {
    if found.delays.put_off.is_empty() {
        return;
    }
    for component in bottoms(&found.graph) {
        let inside: FxHashSet<u32> = component.into_iter().collect();
        let ends = |task| found.delays.ended.iter().any(|(s, t)| *t == task && inside.contains(s));
        for (_, task, loc) in found.delays.put_off.iter().filter(|(s, ..)| inside.contains(s)) {
            if !ends(*task) {
                note_put_off(program.node(*loc).span, findings);
            }
        }
    }
}

/// A delay ends, too, although others go on for ever: what follows was put off.
fn note_put_off(span: Span, findings: &mut Findings) {
    let put_off = Diagnostic::warning(span, "this delay, which ends only when all other tasks wait");
    if !findings.bounds.contains(&put_off) {
        findings.bounds.push(put_off);
    }
}

fn collect(semantics: &Semantics, local: &LocalSteps, found: &SearchResult, findings: &mut Findings) {
    let path = |state: u32, last: Option<Move>| {
        let mut moves = found.graph.path(state);
        moves.extend(last);
        local.unmerged(semantics, &moves)
    };
    let mut blocked: FxHashSet<(Vec<TaskState>, Vec<Lock>)> = FxHashSet::default();
    for occurrence in &found.occurrences {
        let state = found.graph.state(occurrence.state);
        // Many blocked states differ only in data, which says nothing about who waits where.
        let places = || (state.tasks.iter().cloned().collect(), state.locks.iter().copied().collect());
        if occurrence.what == Observation::Blocked && !blocked.insert(places()) {
            continue;
        }
        findings.seen(&occurrence.what, &path(occurrence.state, occurrence.mv), &state);
    }
    if found.end == End::Complete {
        let mut all = Vec::new();
        forever(semantics.program, &found.graph, |state, what| all.push((state, what)));
        all.sort_by_key(|a| a.0);
        for (state, what) in all {
            let at = found.graph.state(state);
            if let Nonprogress::Stuck(tasks) = &what
                && let Some(mv) = semantics.enabled(&at).iter().find(|m| tasks.contains(&m.task))
            {
                note_put_off(semantics.program.node(at.tasks[mv.task.index()].pc).span, findings);
                continue;
            }
            findings.forever(&what, &path(state, None), &at);
        }
        put_off_for_ever(semantics.program, found, findings);
    }
}
