//! The default checks, decided from what was reached.
//!
//! Deadlock checking in CATS (Young et al., 1995, section 3.3.1) looks at single states for a choice of edge groups
//! that leaves no edge. Here a choice that a task makes for itself is a step, so a blocked state is simply one without
//! steps; `cats.rs` has the published check. What the default checks need beyond that is decided as follows:
//! - Exceptions, assertions and served entries are outcomes of steps. The search keeps one state for each outcome that
//!   shows something, and the trace to it is made afterwards.
//! - Tasks that wait for ever or spin while others run are found in the bottom strongly connected components of the
//!   graph. Who has no edge in such a component never moves again, and who only polls there spins.
//! - Races are pairs of tasks about to access the same variable. Stubborn sets do not keep which accesses are about to
//!   happen together, so races have a search of their own.
//!
//! One limit covers everything, and each part gets its share. Stubborn sets are tried for a moment, then a plain search
//! of a few million states, because a stubborn set costs about a hundred times a plain step, and then stubborn sets for
//! the rest of the time. Programs with very many tasks are first searched for blocked states by descent (`walk.rs`),
//! since a bug in a large program is mostly found soon.
//!
//! Where a limit is hit, three arguments without a complete search are tried: nobody can wait for ever by the code
//! alone (`progress.rs`), no exception can be raised by the code alone (`exceptions.rs`), and the program does not
//! block without the counters of tasks that end (`finite.rs`). The last one is an abstraction, refined along spurious
//! traces: a trace that blocks is followed in the program itself, and the data that decide its first impossible step
//! are tracked from then on. What the code alone proves is compared with every finding, and a contradiction is an
//! internal error.
//!
//! Findings that depend on an untracked value cause a second search without such steps, because a certain finding may
//! exist beside them.

mod abstraction;
mod bitstate;
mod components;
mod exhaustive;
mod races;

use std::time::{Duration, Instant};

use rendez_analysis::access::Access;
use rendez_analysis::passes::recursive_procedures;
use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::state::State;
use rendez_model::{Action, Node, Program, TaskId};
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::{Fate, Steps};
use rendez_verdict::{
    Control, End, EngineId, Entries, Findings, Kind, Observation, Options, Outcome, Reason, Witness, seen_in,
};
use rustc_hash::FxHashSet;

use crate::ctl;
use crate::exceptions::never_raised;
use crate::finite;
use crate::hashed::Keep;
use crate::progress::never_blocks;
use crate::reached::Reached;
use crate::search::Config;
use crate::walk::{Reporter, descend, walk};
use abstraction::with_abstraction;
use bitstate::bitstate;
use exhaustive::{Exhaustive, collect, exhaustive};
use races::race_search;

pub use abstraction::held_without_data;
pub use exhaustive::{plain_limits, reach};

/// Searches the program and decides the default checks. What is too large is searched once more
/// without the counters of its loops, if it cannot run for ever.
pub(crate) fn check(program: &Program, options: &Options, config: &Config, control: &Control) -> Outcome {
    if config.keep != Keep::States {
        return bitstate(program, options, config, control, &[]);
    }
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut findings = Findings::new(&semantics);
    let forgotten = finite::forgettable(program);
    let ends = forgotten.contains(&true);
    // Without shared variables nobody races, as far as the model goes.
    let ends_early = ends_early(program);
    let only_races = Kind::ALL.iter().all(|k| *k == Kind::Race || !config.wants(*k));
    let shares = config.wants(Kind::Race)
        && (Access::new(program).shared.contains(&true) || (only_races && ends_early));
    // One limit for everything: what is tried later gets its share.
    let part = match (ends, shares) {
        (false, false) => 1.0,
        (true, _) => 0.45,
        (false, true) => 0.85,
    };
    // A bug in a large program is found first; if none is found soon, nothing is lost.
    if program.tasks.len() > LARGE && !only_races {
        let time = share(options, started, 0.25).timeout.unwrap_or(Duration::from_secs(30));
        walk_about(&semantics, options, time, control, &mut findings, descend);
    }
    let mut run = match findings.is_empty() && !only_races {
        true => exhaustive(&semantics, &share(options, started, part), config, control, &mut findings),
        false => Exhaustive::after_walk(program),
    };
    let mut held = Vec::new();
    let limited = matches!(run.end, End::Time | End::Memory | End::States);
    let by_code = match limited || !findings.is_empty() {
        true => ByCode::prove(program),
        false => ByCode::default(),
    };
    if by_code.never_blocks && limited {
        held = BLOCKING.to_vec();
    } else if ends && limited && !findings.any_blocking() {
        let (kinds, stats) =
            with_abstraction(program, forgotten, &share(options, started, 0.75), config, control);
        held = kinds;
        run.stats.states += stats.states;
        run.stats.transitions += stats.transitions;
    }
    if limited {
        let time = share(options, started, 0.92).timeout.unwrap_or(Duration::from_secs(10));
        walk_about(&semantics, options, time.min(Duration::from_secs(20)), control, &mut findings, walk);
    }
    by_code.compare(&mut findings);
    held.extend(by_code.never_raised);
    let racing = match shares {
        true => Some(race_search(&semantics, &share(options, started, 1.0), config, control, &mut findings)),
        false => None,
    };
    let why = |kind: Kind| match (kind, &racing) {
        (Kind::Race, Some((end, states))) => end.reason(*states),
        (Kind::Race, None) if !config.wants(Kind::Race) => Some(Reason::NotAsked),
        (Kind::Race, None) if !ends_early => None,
        _ if held.contains(&kind) => None,
        _ => run.end.reason(run.stats.states),
    };
    run.stats.seconds = started.elapsed().as_secs_f64();
    let end = match (run.end, &racing) {
        (End::Complete, Some((end, _))) => *end,
        (end, _) => end,
    };
    Outcome {
        engine: EngineId::Reach,
        engines: Vec::new(),
        answers: findings.answers(&run.entries, why),
        properties: Vec::new(),
        stats: run.stats,
        end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        failures: Vec::new(),
        bounds: findings.bounds,
        long_delays: false,
    }
}

/// What the code alone proves.
#[derive(Default)]
struct ByCode {
    /// Nobody waits for ever.
    never_blocks: bool,
    /// The checks that hold because nothing raises an exception of their kind.
    never_raised: Vec<Kind>,
}

impl ByCode {
    fn prove(program: &Program) -> ByCode {
        ByCode { never_blocks: never_blocks(program), never_raised: never_raised(program) }
    }

    /// A finding that contradicts a proof is an internal error.
    fn compare(&self, findings: &mut Findings) {
        if self.never_blocks && findings.any_blocking() {
            findings
                .contradictions
                .push("the code alone shows that nobody waits for ever, but somebody does".into());
        }
        for kind in &self.never_raised {
            if findings.any(*kind) {
                let text = format!("the code alone shows that {} holds, but it does not", kind.name());
                findings.contradictions.push(text);
            }
        }
    }
}

/// Whether the program may go on where the model ends: at a bound, or at something that is not modelled.
fn ends_early(program: &Program) -> bool {
    let ends = |n: &Node| {
        matches!(n.action, Action::Unsupported { .. } | Action::Stop { .. } | Action::Allocate { .. })
    };
    program.nodes.iter().any(ends) || !recursive_procedures(program).is_empty()
}

/// Decides the properties that monitors follow, and nothing else.
pub(crate) fn properties(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
) -> Outcome {
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let reached = reach(&semantics, options, config, control, &[]);
    let mut findings = Findings::of_properties(&semantics);
    let collected = collect(&reached, &mut findings, &mut Entries::new(program), control);
    if collected.guesses && findings.any_guessed() {
        let certain = Options { skip_guesses: true, ..share(options, started, 1.0) };
        let second = reach(&semantics, &certain, config, control, &[]);
        let aside = findings.set_aside();
        collect(&second, &mut findings, &mut Entries::new(program), control);
        findings.take_back(aside);
    }
    let mut witness = Witness::default();
    let stories = reached.cache.stories.iter().flat_map(|s| &s.steps);
    reached.cache.first.steps.iter().chain(stories).for_each(|step| witness.note(program, step));
    let end = collected.no_graph.unwrap_or(reached.end);
    let mut stats = reached.stats;
    drop(reached);
    let why = end.reason(stats.states);
    let live = findings.open_for_ever();
    let mut open = why.clone();
    if why.is_none() && !live.is_empty() {
        let left = share(options, started, 1.0);
        let (cut, more) = ctl::recurring(&semantics, &live, &left, config, control, &mut findings);
        open = cut;
        stats = stats.max(more);
    }
    let answers = findings.all_properties(
        EngineId::Reach,
        &witness,
        options.fairness,
        (&live, open.as_ref()),
        why.as_ref(),
    );
    Outcome {
        properties: answers,
        stats,
        end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        bounds: findings.bounds,
        ..Outcome::nothing(EngineId::Reach)
    }
}

/// The options with what is left of the time: up to a part of all of it.
pub fn share(options: &Options, started: Instant, part: f64) -> Options {
    let left = |t: Duration| t.mul_f64(part).saturating_sub(started.elapsed()).max(Duration::from_millis(20));
    Options { timeout: options.timeout.map(left), ..options.clone() }
}

/// Waiting for ever, in all its kinds.
const BLOCKING: [Kind; 4] = [Kind::CircularWait, Kind::ClientBlocked, Kind::ServerIdle, Kind::Spin];

/// Programs with more tasks are first searched for blocked states by descent.
const LARGE: usize = 150;

/// Looks for anything along random schedules.
fn walk_about(
    semantics: &Semantics,
    options: &Options,
    time: Duration,
    control: &Control,
    findings: &mut Findings,
    walk: impl Fn(&mut StepCache, Duration, &Control, &mut Reporter),
) {
    let steps = Steps::new(semantics, options.merge_local, options.skip_guesses, &[], &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let mut known: FxHashSet<Observation> = FxHashSet::default();
    walk(&mut cache, time, control, &mut |cache, moves, state, seen| {
        if seen != Observation::Blocked {
            if known.insert(seen.clone()) {
                findings.seen(&seen, moves, state);
            }
            return;
        }
        let (last, waits) = cache.steps.commit(state);
        let moves: Vec<Move> = moves.iter().copied().chain(waits).collect();
        let stuck = |t: usize| cache.steps.successors(&last, TaskId::from(t)).is_empty();
        if (0..last.tasks.len()).all(stuck) {
            findings.seen(&Observation::Blocked, &moves, &last);
        }
    });
}

/// Notes where an execution is not followed any further.
fn not_followed(fate: Fate, steps: &[Step], state: &State, findings: &mut Findings) {
    let loc = steps.last().map_or(state.tasks[0].pc, |s| s.loc);
    match fate {
        Fate::Stopped => findings.seen(&Observation::Stopped { loc }, &[], state),
        Fate::Unsupported => findings.seen(&Observation::Unsupported { loc }, &[], state),
        Fate::Skipped | Fate::Followed => {}
    }
}

fn skipped_not(reached: &Reached, outcome: u32) -> bool {
    reached.cache.trees.outcomes[outcome as usize].fate != Fate::Skipped
}

/// Reports what the steps of a run show, each with the moves up to it.
fn see(
    steps: &[Step],
    moves: &[Move],
    before: &[Move],
    state: &State,
    known: &mut FxHashSet<Observation>,
    findings: &mut Findings,
) {
    for (i, step) in steps.iter().enumerate() {
        for seen in seen_in(step) {
            if known.insert(seen.clone()) {
                let mut all = before.to_vec();
                all.extend(&moves[..=i]);
                findings.seen(&seen, &all, state);
            }
        }
    }
}

/// A state in which nothing can happen.
fn blocked(steps: &Steps, mut moves: Vec<Move>, state: &State, findings: &mut Findings) {
    let (last, waits) = steps.commit(state);
    moves.extend(waits);
    let moving = (0..last.tasks.len()).find(|t| !steps.successors(&last, TaskId::from(*t)).is_empty());
    match moving {
        Some(task) => {
            let name = &steps.semantics.program.tasks[task].name;
            findings.contradictions.push(format!("a state without steps lets {name} go on"));
        }
        None => findings.seen(&Observation::Blocked, &moves, &last),
    }
}
