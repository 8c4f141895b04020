//! The directed engine: searches for one kind of error after the other.
//!
//! Each kind that is asked for gets half of the time that is left, and the last one all of it. Unless the user chooses
//! a heuristic, one search consists of a quick attempt with e-FCA (Rungta and Mercer, 2006), one with exact distances
//! in a smaller program (`pattern.rs`) if there is such a program, and a last one with e-FCA. A kind of error for which
//! the code has no place is not searched for.
//!
//! Often some tasks are stuck while others can continue. So a search for blocking also stops where some tasks can never
//! continue whatever the others do (`rendez_verdict::stuck`), and where everything that can follow is small and shows
//! tasks that are stuck or spin. Such a probe is limited to a few hundred states, to a few tries per combination of
//! waiting tasks, and is given up if it fails too often. In which way tasks are blocked may depend on who else gets
//! stuck; if so, all that can follow must agree.
//!
//! Completed searches prove: if no state was dropped and none is left, the checks are decided as by the explorer. An
//! interrupted search proves nothing.
//!
//! Traces are made readable. A trace is reordered to few task switches (`rendez_verdict`), steps that the error does
//! not need are left out, and a short second search by task switches may find a better one. Every change is replayed,
//! and accepted only if the trace still shows the error. Errors that depend on an untracked value are reported only if
//! a second search without such steps finds none.
//!
//! A temporal formula is only searched for states in which `always F` fails; assertions that are about more are left
//! open. Earlier, such an assertion was said to hold, though nothing had been looked for; `--cross-check` over the
//! corpus showed it.

mod probe;
mod schedule;
mod seek;
mod shorten;

use std::time::{Duration, Instant};

use rendez_model::Program;
use rendez_search::local_steps;
use rendez_verdict::{
    BoundFormula, Control, EngineId, Findings, Kind, Observation, Options, Outcome, PropertyAnswer, Reason,
    Resolved, Stats, Verdict, fewest_switches, replay,
};

use crate::distance::Measure;
use crate::frontier::Order;
use crate::goal::Guide;
use schedule::SearchSchedule;
use seek::aim;

pub use seek::{Sought, seek};

/// What tells how far a state is from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Nothing does.
    Blind,
    /// Chance.
    Random,
    Measured(Measure),
    /// Exact distances in a smaller program.
    Pattern,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct DirectedSettings {
    /// None: whatever suits.
    pub heuristic: Option<Heuristic>,
    pub order: Order,
    pub seed: u64,
    /// Look for a trace with fewer task switches once there is one.
    pub shorten: bool,
    /// Default checks that are asked for: the engine takes them from its queries.
    pub only: Vec<Kind>,
    /// Some tasks that are stuck while others can go on are enough; not for A*, whose estimates are
    /// about everybody.
    pub partial: bool,
}

impl Default for DirectedSettings {
    fn default() -> DirectedSettings {
        DirectedSettings {
            heuristic: None,
            order: Order::Best,
            seed: 1,
            shorten: true,
            only: Vec::new(),
            partial: true,
        }
    }
}

/// What a search is after.
#[derive(Clone, Copy, Debug)]
pub enum SearchTarget<'q> {
    /// Tasks that wait for ever, though not only servers for calls.
    Blocking,
    Race,
    Assertion,
    /// An exception that nobody handles.
    Exception,
    /// A property of event sequences that is broken.
    Events(u16),
    /// A state in which a formula does not hold.
    Formula(&'q Resolved),
}

/// If nobody says how long to search.
const PATIENCE: Duration = Duration::from_secs(60);

/// Looks for errors of every kind.
pub(crate) fn check(
    program: &Program,
    settings: &DirectedSettings,
    options: &Options,
    control: &Control,
) -> Outcome {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let groups: [(SearchTarget, &[Kind]); 4] = [
        (SearchTarget::Blocking, &[Kind::CircularWait, Kind::ClientBlocked, Kind::ServerIdle, Kind::Spin]),
        (SearchTarget::Race, &[Kind::Race]),
        (SearchTarget::Assertion, &[Kind::Assertion]),
        (SearchTarget::Exception, &[Kind::TaskingError, Kind::ProgramError, Kind::UnhandledException]),
    ];
    let asked = |kinds: &[Kind]| settings.only.is_empty() || kinds.iter().any(|k| settings.only.contains(k));
    let mut schedule =
        SearchSchedule::new(&semantics, local_steps(program, options), settings, options, control);
    let possible = |w: SearchTarget| {
        !aim(Guide::new(program, &schedule.local.access, Measure::Efca, false), program, w).is_hopeless()
    };
    let mut plan: Vec<SearchTarget> =
        groups.iter().filter(|(w, kinds)| asked(kinds) && possible(*w)).map(|(w, _)| *w).collect();
    if plan.is_empty() {
        // The code has no place for what is asked: a search that comes to its end says so.
        plan.push(SearchTarget::Blocking);
    }
    for (i, wanted) in plan.iter().enumerate() {
        let done = match wanted {
            SearchTarget::Race => schedule.findings.any(Kind::Race),
            SearchTarget::Assertion => schedule.findings.any(Kind::Assertion),
            SearchTarget::Exception => schedule.findings.any(Kind::UnhandledException),
            _ => false,
        };
        // Half of the time for what is first in the plan, and so on.
        let share = if i + 1 == plan.len() { 1 } else { 2 };
        if !done && schedule.pursue(*wanted, share) {
            break;
        }
    }
    schedule.outcome(false)
}

/// Looks for executions that break the properties that monitors follow.
pub(crate) fn properties(
    program: &Program,
    settings: &DirectedSettings,
    options: &Options,
    control: &Control,
) -> Outcome {
    let started = Instant::now();
    let mut all = Outcome::nothing(EngineId::Directed);
    let count = program.monitors.len() as u32;
    for (m, monitor) in program.monitors.iter().enumerate() {
        let mut one = program.clone();
        one.monitors = vec![monitor.clone()];
        let left = options.timeout.unwrap_or(PATIENCE).saturating_sub(started.elapsed()) / (count - m as u32);
        let options = Options { timeout: Some(left), ..options.clone() };
        let semantics = rendez_analysis::semantics(&one, options.recursion);
        let mut schedule =
            SearchSchedule::new(&semantics, local_steps(&one, &options), settings, &options, control);
        schedule.findings = Findings::of_properties(&semantics);
        schedule.pursue(SearchTarget::Events(0), 1);
        let mut outcome = schedule.outcome(true);
        outcome.properties.iter_mut().for_each(|p| p.stats = Some(outcome.stats));
        all.properties.append(&mut outcome.properties);
        all.contradictions.append(&mut outcome.contradictions);
        all.reached.append(&mut outcome.reached);
        all.stats.states += outcome.stats.states;
        all.stats.transitions += outcome.stats.transitions;
        all.stats.peak_bytes = all.stats.peak_bytes.max(outcome.stats.peak_bytes);
        all.bounds.append(&mut outcome.bounds);
    }
    all.stats.seconds = started.elapsed().as_secs_f64();
    all
}

/// Looks for a state in which a formula that is to hold always does not.
pub(crate) fn formula(
    program: &Program,
    question: &BoundFormula,
    settings: &DirectedSettings,
    options: &Options,
    control: &Control,
) -> PropertyAnswer {
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut local = local_steps(program, options);
    question.stops.iter().for_each(|loc| local.access.local[loc.index()] = false);
    let mut stats = Stats::default();
    let mut answer = Verdict::Inconclusive(
        Reason::method("directed search looks for a state in which `always F` fails, F about single states"),
        Vec::new(),
    );
    if let Resolved::Always(inner) = &question.resolved
        && inner.in_state(&semantics.initial()).is_some()
    {
        let heuristic = settings.heuristic.unwrap_or(Heuristic::Measured(Measure::Efca));
        let patience = options.timeout.unwrap_or(PATIENCE);
        for skip_guesses in [false, true] {
            let timeout = Some(patience.saturating_sub(started.elapsed()));
            let options = Options { timeout, skip_guesses, ..options.clone() };
            let found = seek(
                &semantics,
                &local,
                SearchTarget::Formula(inner),
                heuristic,
                settings,
                &options,
                control,
            );
            let found = found.search;
            stats.states += found.stats.states;
            stats.transitions += found.stats.transitions;
            stats.peak_bytes = stats.peak_bytes.max(found.stats.peak_bytes);
            let Some((id, _)) = found.found else {
                if !skip_guesses {
                    let unknown = found.occurrences.iter().find_map(|s| match s.what {
                        Observation::Unsupported { .. } => Some(Reason::unmodelled(None)),
                        Observation::Stopped { loc } => {
                            program.bound_at(loc, options.recursion).map(Reason::meets)
                        }
                        _ => None,
                    });
                    answer = match (found.end.reason(found.stats.states), unknown) {
                        (Some(why), _) | (None, Some(why)) => Verdict::Inconclusive(why, Vec::new()),
                        (None, None) => Verdict::Holds,
                    };
                }
                break;
            };
            let moves = local.unmerged(&semantics, &found.graph.path(id));
            let fewer = fewest_switches(&semantics, &local.access, &moves, &[]).map(|(f, _)| f);
            let traces = fewer.into_iter().chain([moves]).filter_map(|m| replay(&semantics, &m));
            let shown = traces.into_iter().find(|t| inner.in_state(&t.last) == Some(false));
            answer = question.broken(program, shown);
            // What needs a guess may have a twin that needs none.
            if matches!(answer, Verdict::Violated(_)) {
                break;
            }
        }
    }
    stats.seconds = started.elapsed().as_secs_f64();
    PropertyAnswer { stats: Some(stats), ..question.answered(EngineId::Directed, options.fairness, answer) }
}
