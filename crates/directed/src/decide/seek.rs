//! One search for one kind of error.
//!
//! The order in which states are taken comes from a heuristic, and every heuristic is aimed at the same target: the
//! locations or waits that the kind of error needs. Exact distances come from a smaller program, if there is one that
//! has the error; a state that the smaller program does not have is taken to be farther than all that it has.
//!
//! A heuristic decides the order only. Whatever it says, a search that comes to its end has seen every state, so a wrong
//! distance costs time and nothing else.

use std::time::Instant;

use rendez_model::semantics::Semantics;
use rendez_model::state::State;
use rendez_model::{Action, Program};
use rendez_search::{LocalSteps, SearchResult, search};
use rendez_verdict::{Control, Kind, Observation, Options, Random, all_stuck, kinds_of_blocking};

use super::probe::Probe;
use super::{DirectedSettings, Heuristic, SearchTarget};
use crate::distance::Measure;
use crate::frontier::{Estimate, Guided, Order};
use crate::goal::Guide;
use crate::pattern::{PatternDatabase, smaller};

/// What one search came to.
pub struct Sought {
    pub search: SearchResult,
    /// States of the smaller program that were looked at beforehand.
    pub prepared: usize,
    /// Seconds before the search.
    pub analysis: f64,
}

/// Searches for one kind of error.
pub fn seek(
    semantics: &Semantics,
    local: &LocalSteps,
    wanted: SearchTarget,
    heuristic: Heuristic,
    settings: &DirectedSettings,
    options: &Options,
    control: &Control,
) -> Sought {
    let started = Instant::now();
    let smaller = match heuristic {
        Heuristic::Pattern => simpler(semantics, local, wanted),
        _ => Vec::new(),
    };
    let pattern = pattern(semantics, local, &smaller, wanted, settings, options, control);
    let chase = Chase { wanted, options, pattern: pattern.as_ref() };
    let mut directed = seek_by(semantics, local, chase, heuristic, settings, control);
    directed.analysis = started.elapsed().as_secs_f64() - directed.search.stats.seconds;
    directed
}

/// Smaller programs that may have the same error.
pub(super) fn simpler(
    semantics: &Semantics,
    local: &LocalSteps,
    wanted: SearchTarget,
) -> Vec<(Program, Vec<bool>)> {
    let program = semantics.program;
    let guide = aim(Guide::new(program, &local.access, Measure::Efca, false), program, wanted);
    smaller(program, &guide.sets())
}

/// The distances of the first of some smaller programs that has a target.
pub(super) fn pattern<'r>(
    semantics: &Semantics,
    local: &LocalSteps,
    smaller: &'r [(Program, Vec<bool>)],
    wanted: SearchTarget,
    settings: &DirectedSettings,
    options: &Options,
    control: &Control,
) -> Option<PatternDatabase<'r>> {
    let mut probe = Probe::new(semantics, local, options, control, wanted, settings);
    smaller.iter().find_map(|(less, removed)| {
        PatternDatabase::new(
            less,
            removed.clone(),
            local,
            options,
            control,
            &mut |seen, state| wants(semantics, wanted, seen, state, &settings.only),
            &mut |state| probe.is_target(state),
        )
    })
}

/// What is looked for within which limits, and exact distances if there are some.
#[derive(Clone, Copy)]
pub(super) struct Chase<'c> {
    pub(super) wanted: SearchTarget<'c>,
    pub(super) options: &'c Options,
    pub(super) pattern: Option<&'c PatternDatabase<'c>>,
}

pub(super) fn seek_by(
    semantics: &Semantics,
    local: &LocalSteps,
    chase: Chase,
    heuristic: Heuristic,
    settings: &DirectedSettings,
    control: &Control,
) -> Sought {
    let started = Instant::now();
    let Chase { wanted, options, pattern } = chase;
    let program = semantics.program;
    let lower = matches!(settings.order, Order::AStar);
    let guide = |measure: Measure| {
        let guide = Guide::new(program, &local.access, measure, lower);
        aim(guide, program, wanted)
    };
    let estimate: Estimate = match heuristic {
        Heuristic::Blind => Box::new(|_| (0, None)),
        Heuristic::Random => {
            let mut random = Random::new(settings.seed);
            Box::new(move |_| (random.below(1 << 20) as u32, None))
        }
        Heuristic::Measured(measure) => {
            let guide = guide(measure);
            Box::new(move |state| (guide.estimate(state), None))
        }
        Heuristic::Pattern => {
            let guide = guide(Measure::Efca);
            match pattern {
                None => Box::new(move |state| (guide.estimate(state), None)),
                Some(pattern) => Box::new(move |state| match pattern.estimate(state) {
                    Some((far, task)) => (far, Some(task)),
                    None => (pattern.beyond().saturating_add(guide.estimate(state)), None),
                }),
            }
        }
    };
    let mut probe = Probe::new(semantics, local, options, control, wanted, settings);
    let mut frontier = Guided::new(
        settings.order,
        estimate,
        Box::new(|seen, state| wants(semantics, wanted, seen, state, &settings.only)),
        Box::new(|state| probe.is_target(state)),
    );
    let analysis = started.elapsed();
    let options = Options { timeout: options.timeout.map(|t| t.saturating_sub(analysis)), ..options.clone() };
    let found = search(semantics, local, &options, control, &mut frontier);
    let prepared = pattern.map_or(0, |p| p.states);
    Sought { search: found, prepared, analysis: analysis.as_secs_f64() }
}

/// Lets a guide look for what is wanted.
pub(super) fn aim<'p>(guide: Guide<'p>, program: &Program, wanted: SearchTarget) -> Guide<'p> {
    match wanted {
        SearchTarget::Blocking => guide.blocking(),
        SearchTarget::Race => guide.race(),
        SearchTarget::Assertion => guide.action(|a| matches!(a, Action::Assert { .. })),
        SearchTarget::Exception => guide.action(|a| {
            matches!(
                a,
                Action::Raise { .. }
                    | Action::Assert { .. }
                    | Action::Assign { .. }
                    | Action::EntryCall { .. }
                    | Action::Select { .. }
                    | Action::Activate { .. }
            )
        }),
        SearchTarget::Events(m) => guide.events(&program.monitors[usize::from(m)]),
        SearchTarget::Formula(formula) => guide.formula(formula),
    }
}

/// Whether the search is over once something is seen.
pub(super) fn wants(
    semantics: &Semantics,
    wanted: SearchTarget,
    seen: &Observation,
    state: &State,
    only: &[Kind],
) -> bool {
    match (wanted, seen) {
        (SearchTarget::Blocking, Observation::Blocked) => {
            let stuck = all_stuck(semantics.program, state);
            kinds_of_blocking(semantics, state, &stuck).iter().any(|b| wants_kind(b.kind, only))
        }
        (SearchTarget::Race, Observation::Race { .. })
        | (SearchTarget::Assertion, Observation::Assertion { .. }) => true,
        (SearchTarget::Exception, Observation::Exception { died, .. }) => *died,
        (SearchTarget::Events(m), Observation::Broken { monitor }) => m == *monitor,
        _ => false,
    }
}

/// Whether blocking of a kind is looked for. Idle servers are no error: they are looked for where no error is.
pub(super) fn wants_kind(kind: Kind, only: &[Kind]) -> bool {
    let errors = [Kind::CircularWait, Kind::ClientBlocked, Kind::Spin];
    let asked = |kind: &Kind| only.is_empty() || only.contains(kind);
    asked(&kind) && (kind != Kind::ServerIdle || !errors.iter().any(asked))
}
