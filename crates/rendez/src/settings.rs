//! What is to be decided, by whom, and within which limits.

use std::path::PathBuf;

use rendez_certificate::Sector;
use rendez_reach::{Config, Keep};
use rendez_verdict::{EngineId, Fairness, Kind, Options};

use crate::error::Error;
use crate::prepare::{Delays, Prepared};

/// How a program is checked.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Who decides.
    pub engine: EngineId,
    /// Every engine comes to its end; engines that contradict each other are an internal error.
    pub cross_check: bool,
    /// Default checks that are asked for; all if there is none.
    pub only: Vec<Kind>,
    /// Limits of the whole run, and what is taken for granted. The bound on recursion and what is known of delays are
    /// those that the program was prepared for.
    pub limits: Options,
    /// Which infinite executions count for patterns and temporal formulas; weakly fair ones if nothing is said.
    pub fair: Option<Fairness>,
    /// Threads to search with: by default two for [`EngineId::Auto`], one of which looks for errors, otherwise one.
    pub threads: Option<usize>,
    /// Reductions of `reach`, and what it keeps of each state.
    pub reach: Config,
    /// How `directed` searches; None: whatever suits.
    pub directed: Option<rendez_directed::DirectedSettings>,
    /// Where the published rows keep out spurious cycles of `ilp`: `all`, `TASK` or `TASK:INTERVAL`.
    pub augment: Vec<String>,
    /// How often a step happens at most, for `augment`.
    pub augment_bound: Option<i64>,
    /// The folder that proofs are written to.
    pub certificates: Option<PathBuf>,
    /// The words after `rendez` on the command line, for certificates and messages that tell how to see something
    /// again.
    pub command_line: Vec<String>,
}

impl Settings {
    /// The same settings, with those bounds and assumptions that the program was prepared for.
    pub(crate) fn of(&self, prepared: &Prepared) -> Settings {
        let limits = Options {
            recursion: prepared.recursion,
            long_delays: prepared.delays == Delays::Ordered,
            fairness: self.fair.unwrap_or(self.limits.fairness),
            ..self.limits.clone()
        };
        Settings { limits, ..self.clone() }
    }

    /// Long delays are an order between steps that only the reference explorer knows.
    pub(crate) fn is_plain(&self) -> bool {
        self.engine == EngineId::Explore || (self.engine == EngineId::Auto && self.limits.long_delays)
    }

    /// Whether everything fits together, and the program.
    pub(crate) fn is_fit(&self, prepared: &Prepared) -> Result<(), Error> {
        let count = prepared.program.monitors.len();
        let counted = prepared.queries.iter().flatten().any(|q| !q.is_followed);
        let constrained =
            prepared.constraints.constraints.is_some() || !prepared.constraints.given.is_empty();
        let flows = matches!(self.engine, EngineId::Flow | EngineId::Auto) && count > 0;
        let plain = self.is_plain();
        let reaches = !plain && matches!(self.engine, EngineId::Reach | EngineId::Auto);
        let live = prepared.program.monitors.iter().any(|m| m.is_live());
        let (ilp, any) =
            (self.engine == EngineId::Ilp, matches!(self.engine, EngineId::Auto | EngineId::Ilp));
        let formulas = !prepared.questions.is_empty();
        let wrong = [
            (
                !self.only.is_empty() && !prepared.has_checks(),
                "--only is for the default checks, and --property asks about other things instead",
            ),
            (self.limits.max_states == 0, "--states takes a positive number"),
            (
                self.engine == EngineId::Flow && count == 0,
                "--engine flow decides properties of event sequences: give some with --property",
            ),
            (
                any && self.certificates.is_some() && self.cross_check,
                "--certificate and --cross-check exclude each other",
            ),
            (!any && self.cross_check, "--cross-check is for all engines: name none with --engine"),
            (
                !any && counted,
                "a query with constraints or a perpetual interval is for --engine ilp and auto",
            ),
            (!any && self.certificates.is_some(), "--certificate is for --engine ilp and auto"),
            (
                constrained && !flows,
                "--constraint is for properties of event sequences with --engine flow and auto",
            ),
            (!plain && self.limits.long_delays, "--delays long is for --engine explore and auto"),
            (
                self.reach.keep != Keep::States && (!reaches || !prepared.has_checks()),
                "--keep is for the default checks with --engine reach",
            ),
            (
                !formulas && self.fair.is_some() && !live,
                "--fair is for properties that executions without end may break, and there is none",
            ),
            (
                ilp && !self.only.is_empty(),
                "--only is for the default checks, which --engine ilp does not decide",
            ),
            (
                ilp && formulas,
                "--engine ilp decides properties of event sequences and deadlock, no temporal formulas",
            ),
            (!ilp && !self.augment.is_empty(), "--augment is for --engine ilp"),
        ];
        match wrong.iter().find(|w| w.0) {
            Some((_, text)) => return Err(Error::settings(*text)),
            None if flows && !formulas => {}
            None => prepared.is_executable()?,
        }
        Ok(())
    }

    /// How `flow` decides.
    pub(crate) fn flow(&self, prepared: &Prepared) -> rendez_flow::FlowSettings {
        rendez_flow::FlowSettings {
            unreduced: !self.reach.stubborn,
            separate: !self.reach.symmetry,
            ..prepared.constraints.clone()
        }
    }

    /// Writes proofs to the folder that is named for them.
    pub(crate) fn archive<'a>(&'a self, prepared: &'a Prepared) -> Option<rendez_ilp::Archive<'a>> {
        let folder = self.certificates.as_ref()?;
        Some(Box::new(|proved| crate::certificates::write(folder, proved, prepared, &self.command_line)))
    }

    /// How `ilp` decides: where spurious cycles are kept out.
    pub(crate) fn linear(&self, prepared: &Prepared) -> Result<rendez_ilp::IlpSettings, Error> {
        let mut settings = rendez_ilp::IlpSettings::default();
        if let Some(bound) = self.augment_bound {
            settings.bound = bound;
        }
        let intervals = prepared.queries.iter().flatten().map(|q| q.intervals.len()).max().unwrap_or(1);
        for place in &self.augment {
            let (name, interval) = match place.split_once(':') {
                None => (place.as_str(), None),
                Some((name, number)) => {
                    let inside = |k: &u32| (1..=intervals).contains(&(*k as usize));
                    let number = number.parse().ok().filter(inside).ok_or_else(|| {
                        Error::settings(format!(
                            "--augment {place}: there are only the intervals 1 to {intervals}"
                        ))
                    })?;
                    (name, Some(number - 1))
                }
            };
            let tasks = &prepared.program.tasks;
            let wanted = |t: &usize| name == "all" || rendez_verdict::same(&tasks[*t].name, name);
            let before = settings.augmented.len();
            let found = (0..tasks.len()).filter(wanted);
            settings.augmented.extend(found.map(|t| Sector { slot: t as u32, interval }));
            if settings.augmented.len() == before {
                return Err(Error::settings(format!("--augment {place}: the program has no such task")));
            }
        }
        Ok(settings)
    }

    /// How `reach` searches.
    pub(crate) fn reach(&self) -> Config {
        let threads = self.threads();
        Config {
            // One of the threads of the portfolio looks for errors.
            threads: if self.engine == EngineId::Auto { (threads - 1).max(1) } else { threads },
            merge: self.limits.merge_local,
            ..self.reach.clone()
        }
    }

    /// Threads that engines may use together.
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            Some(n) => n.max(1),
            None if self.engine == EngineId::Auto => {
                std::thread::available_parallelism().map_or(1, |n| n.get().min(2))
            }
            None => 1,
        }
    }
}
