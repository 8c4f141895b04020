//! Searches that keep only hashes or bits of states: errors are found, and nothing is proved.
//!
//! The search itself is `hashed.rs`; here its steps and states become findings. A state is looked at for races only if
//! a pair of tasks is about to access something for the first time, and blocked states that differ in data only are one,
//! because a trace to each would take longer than the search. If an entry turns out to need its queue, the search starts
//! again with that queue tracked.
//!
//! States whose hashes collide are taken for one, so no check holds. The answer says how probable it is that states
//! were missed.

use std::cell::RefCell;

use rendez_model::{EntryId, Loc, Program};
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::{Fate, Steps};
use rendez_verdict::{
    Control, End, EngineId, Entries, Findings, Observation, Options, Outcome, Reason, alive, races,
};
use rustc_hash::FxHashSet;

use super::races::AboutToAccess;
use super::{blocked, not_followed, see};
use crate::hashed::{self, Keep, PathState};
use crate::search::Config;

/// More blocked states are not looked at.
const MOST_STUCK: usize = 50;

/// Looks for errors only, and keeps less than the states.
pub(super) fn bitstate(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
    tracked_queues: &[EntryId],
) -> Outcome {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let steps = Steps::new(&semantics, options.merge_local, options.skip_guesses, tracked_queues, &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let mut observer = Observer {
        program,
        findings: Findings::new(&semantics),
        known: FxHashSet::default(),
        stuck_at: FxHashSet::default(),
        about: AboutToAccess::default(),
    };
    let first = &cache.first;
    see(&first.steps, &first.moves, &[], &first.state, &mut observer.known, &mut observer.findings);
    // States and outcomes are both observed.
    let observer = RefCell::new(observer);
    let search = hashed::depth_first(
        &mut cache,
        config.keep,
        options,
        control,
        |cache, here, stuck| observer.borrow_mut().state(cache, here, stuck),
        |cache, here, number| observer.borrow_mut().outcome(cache, here, number),
    );
    let more_queues = cache.steps.tracked_queues.borrow().clone();
    if search.end != End::Interrupted && more_queues.len() > tracked_queues.len() {
        return bitstate(program, options, config, control, &more_queues);
    }
    let mut findings = observer.into_inner().findings;
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
        failures: Vec::new(),
        bounds: findings.bounds,
        long_delays: false,
    }
}

/// Makes findings of states and outcomes.
struct Observer<'s, 'p> {
    program: &'p Program,
    findings: Findings<'s, 'p>,
    known: FxHashSet<Observation>,
    /// Where tasks are in the blocked states so far.
    stuck_at: FxHashSet<Vec<Loc>>,
    about: AboutToAccess,
}

impl Observer<'_, '_> {
    /// A state that is new.
    fn state(&mut self, cache: &StepCache, here: PathState, stuck: bool) {
        let fresh = self.about.look(cache, |slot| here.values[slot]);
        if !fresh && !stuck {
            return;
        }
        let state = cache.slots.state(here.values.iter().copied());
        if fresh {
            races(self.program, &cache.steps.access, &state, |seen| {
                if self.known.insert(seen.clone()) {
                    self.findings.seen(&seen, &cache.moves(here.path), &state);
                }
            });
        }
        // Those that differ only in data are one.
        let places = || state.tasks.iter().map(|t| t.pc).collect();
        if stuck
            && state.tasks.iter().any(|t| alive(t.status))
            && self.stuck_at.len() < MOST_STUCK
            && self.stuck_at.insert(places())
        {
            blocked(&cache.steps, cache.moves(here.path), &state, &mut self.findings);
        }
    }

    /// An outcome that shows something.
    fn outcome(&mut self, cache: &StepCache, here: PathState, number: u32) {
        let story = &cache.stories[number as usize];
        let state = cache.slots.state(here.values.iter().copied());
        let fate = cache.trees.outcomes[number as usize].fate;
        if fate == Fate::Skipped {
            return;
        }
        not_followed(fate, &story.steps, &state, &mut self.findings);
        if story.seen.iter().any(|s| !self.known.contains(s)) {
            let before = cache.moves(here.path);
            see(&story.steps, &story.moves, &before, &state, &mut self.known, &mut self.findings);
        }
    }
}
