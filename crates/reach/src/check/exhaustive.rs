//! The search of all states, and what its result shows.
//!
//! Stubborn sets are tried for a moment, then a plain search of a few million states, because a stubborn set costs about
//! a hundred times a plain step, and then stubborn sets for the rest of the time. Each of these may have to start again:
//! with the queue of an entry tracked, with slots split up, or without stubborn sets. What was learnt says which, and
//! every restart makes the description of states finer, so there are few.
//!
//! Exceptions, assertions and served entries are outcomes of steps. The search keeps one state for each outcome that
//! shows something, and the trace to it is made here. Findings that depend on an untracked value cause a second search
//! without such steps, because a certain finding may exist beside them.

use std::time::{Duration, Instant};

use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::{EntryId, Loc, Program};
use rendez_petri::slots::SlotSplit;
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::Steps;
use rendez_verdict::{
    Control, End, Entries, Findings, Kind, Observation, Options, Stats, alive, all_stuck, kinds_of_blocking,
};
use rustc_hash::FxHashSet;

use super::components::forever;
use super::{blocked, not_followed, see, share, skipped_not};
use crate::reached::Reached;
use crate::search::{Config, Restart, search};

/// What a search for everything but races found out besides findings.
pub(super) struct Exhaustive {
    pub(super) end: End,
    pub(super) stats: Stats,
    pub(super) entries: Entries,
}

impl Exhaustive {
    /// After a walk that found something: the rest is not known.
    pub(super) fn after_walk(program: &Program) -> Exhaustive {
        let entries = Entries::new(program);
        Exhaustive { end: End::Found, stats: Stats::default(), entries }
    }
}

/// Searches a program as it is.
pub(super) fn exhaustive(
    semantics: &Semantics,
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> Exhaustive {
    let started = Instant::now();
    let mut entries = Entries::new(semantics.program);
    let reached = reach(semantics, options, config, control, &[]);
    let seen = collect(&reached, findings, &mut entries, control);
    if seen.guesses && findings.any_guessed() {
        // Findings that need a guess may have a twin that does not.
        let certain = Options { skip_guesses: true, ..share(options, started, 1.0) };
        let second = reach(semantics, &certain, config, control, &[]);
        let aside = findings.set_aside();
        collect(&second, findings, &mut Entries::new(semantics.program), control);
        findings.take_back(aside);
    }
    let end = seen.no_graph.unwrap_or(reached.end);
    Exhaustive { end, stats: reached.stats, entries }
}

/// Searches, again if entries turn out to need their queues. Tasks are seen to stop at `stops`.
/// Stubborn sets cost a hundred times what a plain step costs: where they do not come to an end at once, a
/// plain search of a few million states may.
pub fn reach<'s, 'p>(
    semantics: &'s Semantics<'p>,
    options: &Options,
    config: &Config,
    control: &Control,
    stops: &[Loc],
) -> Reached<'s, 'p> {
    let started = Instant::now();
    // A search that came to its end within its share may take all that is left for its graph.
    let until = options.timeout.map(|t| started + t);
    let with = |options: &Options, config: &Config| {
        let mut reached = repeat(semantics, options, config, stops, |cache, config, options| {
            search(cache, config, options, control)
        });
        reached.until = until;
        reached
    };
    let ended = |reached: &Reached| matches!(reached.end, End::Complete | End::Interrupted);
    if !config.stubborn || config.branching.is_some() || semantics.program.tasks.len() > MANY {
        return with(options, config);
    }
    let brief = options.timeout.map_or(config.at_once, |t| config.at_once.min(t / 4));
    let first = with(&Options { timeout: Some(brief), ..options.clone() }, config);
    if first.end != End::Time {
        return first;
    }
    // Nothing is gained, and that is known already.
    if !first.is_reduced() {
        drop(first);
        return with(&share(options, started, 1.0), &Config { stubborn: false, ..config.clone() });
    }
    drop(first);
    let second = with(&plain_limits(options), &Config { stubborn: false, ..config.clone() });
    if ended(&second) {
        return second;
    }
    drop(second);
    with(&share(options, started, 1.0), config)
}

/// Limits for a plain search that stubborn sets wait for.
pub fn plain_limits(options: &Options) -> Options {
    let time = options.timeout.map_or(PLAIN_TIME, |t| PLAIN_TIME.min(t / 4));
    Options { timeout: Some(time), max_states: options.max_states.min(PLAIN_STATES), ..options.clone() }
}

/// How far a plain search goes before stubborn sets are tried again.
const PLAIN_TIME: Duration = Duration::from_secs(5);
const PLAIN_STATES: usize = 3_000_000;
/// So many tasks have too many states for that.
const MANY: usize = 60;

/// Runs a search until it need not start again.
fn repeat<'s, 'p>(
    semantics: &'s Semantics<'p>,
    options: &Options,
    config: &Config,
    stops: &[Loc],
    search: impl Fn(StepCache<'s, 'p>, &Config, &Options) -> Result<Reached<'s, 'p>, Restart>,
) -> Reached<'s, 'p> {
    let started = Instant::now();
    let all = 0..if config.synchronous && !config.waits { 0 } else { semantics.program.entries.len() };
    let (mut tracked_queues, mut split) = (all.map(EntryId::from).collect::<Vec<_>>(), Vec::new());
    let mut config = config.clone();
    loop {
        let mut steps =
            Steps::new(semantics, options.merge_local, options.skip_guesses, &tracked_queues, stops);
        if config.waits {
            steps.unobservable.select.fill(false);
        }
        let mut cache = StepCache::with(steps, Tig::Modified, &SlotSplit::These(split.clone()));
        if !config.forget {
            cache.slots.remember();
        }
        match search(cache, &config, &share(options, started, 1.0)) {
            Ok(reached) => return reached,
            Err(Restart::TrackQueues(more)) => tracked_queues = more,
            Err(Restart::SplitSlots(more)) => split.extend(more),
            Err(Restart::WithoutPor) => config.stubborn = false,
        }
    }
}

#[derive(Default)]
pub(super) struct Collected {
    pub(super) guesses: bool,
    /// Why there is none.
    pub(super) no_graph: Option<End>,
}

pub(super) fn collect(
    reached: &Reached,
    findings: &mut Findings,
    entries: &mut Entries,
    control: &Control,
) -> Collected {
    let cache = &reached.cache;
    let mut collected = Collected::default();
    let mut known: FxHashSet<Observation> = FxHashSet::default();
    let mut found: FxHashSet<Observation> = FxHashSet::default();
    let first = &cache.first;
    see(&first.steps, &first.moves, &[], &first.state, &mut found, findings);
    for (outcome, id) in &reached.notable {
        let story = &cache.stories[*outcome as usize];
        let state = reached.state(*id);
        not_followed(cache.trees.outcomes[*outcome as usize].fate, &story.steps, &state, findings);
        if story.seen.iter().any(|s| !known.contains(s)) && skipped_not(reached, *outcome) {
            let way = reached.way(*id);
            // The like of what was seen is not looked at once more.
            known.extend(story.seen.iter().cloned());
            let run = cache.steps.renamed(story.moves.iter().copied(), &state, &way.permutation);
            let (moves, steps): (Vec<Move>, Vec<Step>) = run.into_iter().map(|(m, o)| (m, o.step)).unzip();
            see(&steps, &moves, &way.moves, &way.state, &mut found, findings);
        }
    }
    for (entry, called, accepted) in first.entries.iter().chain(cache.stories.iter().flat_map(|s| &s.entries))
    {
        entries.add(*entry, *called, *accepted);
    }
    for entry in cache.steps.called.borrow().iter() {
        entries.add(*entry, true, false);
    }
    if let Some(symmetry) = &reached.symmetry {
        symmetry.spread(cache.steps.semantics.program, entries);
    }
    collected.guesses = cache.trees.outcomes.iter().any(|o| o.guessed);
    blocked_states(reached, findings);
    if reached.end == End::Complete {
        match reached.graph(control) {
            Ok(graph) => forever(reached, graph, findings),
            Err(end) => collected.no_graph = Some(end),
        }
    }
    collected
}

fn blocked_states(reached: &Reached, findings: &mut Findings) {
    let steps = &reached.cache.steps;
    // The way to a state takes long: those that differ only in data are one.
    let mut known: FxHashSet<(Vec<Kind>, Vec<Loc>)> = FxHashSet::default();
    for id in &reached.blocked {
        let state = reached.state(*id);
        if state.tasks.iter().any(|t| alive(t.status)) {
            let (last, _) = steps.commit(&state);
            let stuck = all_stuck(steps.semantics.program, &last);
            let found = kinds_of_blocking(steps.semantics, &last, &stuck);
            let kinds = found.iter().map(|b| b.kind).collect();
            if known.insert((kinds, last.tasks.iter().map(|t| t.pc).collect())) {
                let way = reached.way(*id);
                blocked(steps, way.moves, &way.state, findings);
            }
        }
    }
}
