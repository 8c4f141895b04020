//! Deciding: the portfolio or one engine, within the limits of the run.

use rendez_reach::Keep;
use rendez_verdict::{EngineId, Outcome};

use crate::budget::{Budget, watched};
use crate::error::Error;
use crate::portfolio::{Engines, Job};
use crate::prepare::Prepared;
use crate::settings::Settings;
use crate::verdicts::Verdicts;

/// Decides what is asked of a program. Engines that do not stop when their time is over are waited for.
pub fn check(prepared: &Prepared, settings: &Settings) -> Result<Outcome, Error> {
    check_within(prepared, settings, &std::sync::Arc::new(Budget::new(&settings.limits)), |_| {})
}

/// Decides what is asked of a program within a budget, which others may look at and interrupt meanwhile. If an engine
/// does not stop although its time is over, `late` gets what is known so far, in another thread.
pub fn check_within(
    prepared: &Prepared,
    settings: &Settings,
    budget: &std::sync::Arc<Budget>,
    late: impl FnOnce(Outcome) + Send + 'static,
) -> Result<Outcome, Error> {
    let settings = &settings.of(prepared);
    settings.is_fit(prepared)?;
    if let Some(folder) = &settings.certificates {
        std::fs::create_dir_all(folder).map_err(|error| Error::File {
            path: folder.clone(),
            problem: format!("cannot be made: {error}"),
        })?;
    }
    let engines = Engines::new(prepared, settings)?;
    Ok(watched(budget, late, |budget| {
        let job = Job { prepared, settings, engines, options: &settings.limits, budget };
        budget.keep(&Verdicts::new(&job).outcome);
        match settings.engine {
            _ if settings.cross_check => job.all_engines(),
            _ if settings.is_plain() => job.alone(EngineId::Explore),
            EngineId::Auto if settings.reach.keep == Keep::States => job.auto(),
            engine => job.alone(engine),
        }
    }))
}
