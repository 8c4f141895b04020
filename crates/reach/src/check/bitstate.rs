//! Searches that keep only hashes or bits of states: errors are found, and nothing is proved.
//!
//! The search itself is `hashed.rs`; here its steps and states become findings. A state is looked at for races only if
//! a pair of tasks is about to access something for the first time, and blocked states that differ in data only are one,
//! because a trace to each would take longer than the search. If an entry turns out to need its queue, the search starts
//! again with that queue tracked.
//!
//! States whose hashes collide are taken for one, so no check holds. The answer says how probable it is that states
//! were missed.

use rendez_model::{EntryId, Loc, Program};
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::{Fate, Steps};
use rendez_verdict::{
    Control, End, EngineId, Entries, Findings, Observation, Options, Outcome, Reason, alive, races,
};
use rustc_hash::FxHashSet;

use super::races::AboutToAccess;
use super::{blocked, not_followed, see};
use crate::hashed::{self, Keep};
use crate::search::Config;

/// Looks for errors only, and keeps less than the states.
pub(super) fn bitstate(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
    tracked_queues: &[EntryId],
) -> Outcome {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut findings = Findings::new(&semantics);
    let steps = Steps::new(&semantics, options.merge_local, options.skip_guesses, tracked_queues, &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let mut known: FxHashSet<Observation> = FxHashSet::default();
    let mut stuck_at: FxHashSet<Vec<Loc>> = FxHashSet::default();
    let first = &cache.first;
    see(&first.steps, &first.moves, &[], &first.state, &mut known, &mut findings);
    // Both look at what was found.
    let shared = std::cell::RefCell::new((findings, known));
    let mut about = AboutToAccess::default();
    let search = hashed::depth_first(
        &mut cache,
        config.keep,
        options,
        control,
        |cache, here, stuck| {
            let (findings, known) = &mut *shared.borrow_mut();
            let fresh = about.look(cache, |slot| here.values[slot]);
            if !fresh && !stuck {
                return;
            }
            let state = cache.slots.state(here.values.iter().copied());
            if fresh {
                races(program, &cache.steps.access, &state, |seen| {
                    if known.insert(seen.clone()) {
                        findings.seen(&seen, &cache.moves(here.path), &state);
                    }
                });
            }
            // Those that differ only in data are one.
            let places = || state.tasks.iter().map(|t| t.pc).collect();
            if stuck
                && state.tasks.iter().any(|t| alive(t.status))
                && stuck_at.len() < 50
                && stuck_at.insert(places())
            {
                blocked(&cache.steps, cache.moves(here.path), &state, findings);
            }
        },
        |cache, here, number| {
            let (findings, known) = &mut *shared.borrow_mut();
            let story = &cache.stories[number as usize];
            let state = cache.slots.state(here.values.iter().copied());
            let fate = cache.trees.outcomes[number as usize].fate;
            if fate == Fate::Skipped {
                return;
            }
            not_followed(fate, &story.steps, &state, findings);
            if story.seen.iter().any(|s| !known.contains(s)) {
                see(&story.steps, &story.moves, &cache.moves(here.path), &state, known, findings);
            }
        },
    );
    let more_queues = cache.steps.tracked_queues.borrow().clone();
    if search.end != End::Interrupted && more_queues.len() > tracked_queues.len() {
        return bitstate(program, options, config, control, &more_queues);
    }
    let (mut findings, _) = shared.into_inner();
    let states = search.stats.states;
    let reason = Reason::Lossy {
        end: search.end,
        states,
        kept: if config.keep == Keep::Bits { "bits of states" } else { "hashes of states" },
        missed: format!("{:.1e}", -(-search.missed).exp_m1()),
    };
    Outcome {
        engine: EngineId::Reach,
        engines: Vec::new(),
        // Nothing is claimed about entries.
        answers: findings.answers(&Entries::new(program), |_| Some(reason.clone())),
        properties: Vec::new(),
        stats: search.stats,
        end: if search.end == End::Complete { End::Hashed } else { search.end },
        reached: findings.reached,
        contradictions: findings.contradictions,
        bounds: findings.bounds,
        long_delays: false,
    }
}
