//! Who decides what: one engine if the user names it, otherwise several under one budget.
//!
//! [`TABLE`] says which engines there are and what each is good for; what an engine can say about a query, it says
//! itself ([`Engine::supports`]). Nothing else is known of engines here.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rendez_directed::Directed;
use rendez_explore::Explore;
use rendez_flow::Flow;
use rendez_ilp::Ilp;
use rendez_model::Program;
use rendez_reach::Reach;
use rendez_verdict::{BoundFormula, Engine, EngineId, Kind, Options, Outcome, Query};

use crate::budget::Budget;
use crate::error::Error;
use crate::prepare::{Prepared, Queries};
use crate::settings::Settings;
use crate::verdicts::{Context, Verdicts, lock};

/// What an engine is for in the portfolio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It is likely to decide what it supports.
    Prove,
    /// It is likely to find errors where proofs are far, or to prove what others cannot.
    Hunt,
    /// It is asked only for comparison.
    Compare,
}

/// The engines of the portfolio, the cheapest first.
pub const TABLE: [(EngineId, Lane); 5] = [
    (EngineId::Flow, Lane::Prove),
    (EngineId::Reach, Lane::Prove),
    (EngineId::Explore, Lane::Compare),
    (EngineId::Directed, Lane::Hunt),
    (EngineId::Ilp, Lane::Hunt),
];

/// The engines of a lane, the cheapest first.
pub fn lane(wanted: Lane) -> Vec<EngineId> {
    TABLE.iter().filter(|(_, lane)| *lane == wanted).map(|(id, _)| *id).collect()
}

/// Every engine, as the settings want it.
pub struct Engines<'a> {
    explore: Explore,
    reach: Reach,
    flow: Flow,
    ilp: Ilp<'a>,
    directed: Directed,
}

impl<'a> Engines<'a> {
    pub fn new(prepared: &'a Prepared, settings: &'a Settings) -> Result<Engines<'a>, Error> {
        Ok(Engines {
            explore: Explore,
            reach: Reach { config: settings.reach() },
            flow: Flow { settings: settings.flow(prepared) },
            ilp: Ilp { settings: settings.linear(prepared)?, archive: settings.archive(prepared) },
            directed: Directed { settings: settings.directed.clone().unwrap_or_default() },
        })
    }

    fn get(&self, id: EngineId) -> &dyn Engine {
        match id {
            EngineId::Explore => &self.explore,
            EngineId::Reach | EngineId::Auto => &self.reach,
            EngineId::Flow => &self.flow,
            EngineId::Ilp => &self.ilp,
            EngineId::Directed => &self.directed,
        }
    }

    /// Whether the user gives constraints, which only `flow` understands.
    fn is_constrained(&self) -> bool {
        !self.flow.settings.given.is_empty()
    }
}

/// What is to be decided, and how.
pub struct Job<'a> {
    pub prepared: &'a Prepared,
    pub settings: &'a Settings,
    pub engines: Engines<'a>,
    /// Limits of the run, and what it takes for granted.
    pub options: &'a Options,
    pub budget: &'a Budget,
}

/// A part of a job: queries about a program.
pub struct Ask<'a> {
    pub program: &'a Program,
    pub queries: Vec<Query<'a>>,
}

impl Ask<'_> {
    /// What is decided, for the line on progress.
    fn subject(&self) -> String {
        match &self.queries[..] {
            [Query::Check(_), ..] => "default checks".to_owned(),
            [Query::Sequence { monitor, .. }] => self.program.monitors[*monitor].name.clone(),
            [Query::Formula(formula)] => formula.name.clone(),
            many => format!("{} properties", many.len()),
        }
    }
}

/// Properties of event sequences, each with the query it was written as.
pub fn sequences(queries: &Queries, count: usize) -> Vec<Query<'_>> {
    let intervals = |m: usize| queries.get(m).and_then(Option::as_ref);
    (0..count).map(|monitor| Query::Sequence { monitor, intervals: intervals(monitor) }).collect()
}

impl<'a> Job<'a> {
    /// The default checks are decided, not properties of the user's.
    pub fn has_checks(&self) -> bool {
        self.prepared.has_checks()
    }

    /// Temporal formulas.
    pub fn formulas(&self) -> &'a [BoundFormula] {
        &self.prepared.questions
    }

    /// Everything that is asked.
    pub fn all(&self) -> Ask<'a> {
        let program = &self.prepared.program;
        let mut queries: Vec<Query> = match self.has_checks() {
            true => Kind::ALL.into_iter().filter(|k| self.wants(*k)).map(Query::Check).collect(),
            false => Vec::new(),
        };
        queries.extend(sequences(&self.prepared.queries, program.monitors.len()));
        queries.extend(self.formulas().iter().map(Query::Formula));
        Ask { program, queries }
    }

    /// Whether a default check is asked for.
    pub fn wants(&self, kind: Kind) -> bool {
        let only = &self.settings.only;
        only.is_empty() || only.contains(&kind)
    }

    /// Whether only `flow` understands the program or what is taken for granted.
    pub fn is_for_flow(&self) -> bool {
        self.prepared.program.wide_select().is_some() || self.engines.is_constrained()
    }

    pub fn supports(&self, engine: EngineId, query: &Query) -> bool {
        self.engines.get(engine).supports(query).is_some()
    }

    /// Lets an engine answer what it supports.
    pub fn run(&self, engine: EngineId, ask: &Ask, options: &Options) -> Outcome {
        let engine = self.engines.get(engine);
        let queries = ask.queries.iter().filter(|q| engine.supports(q).is_some()).copied().collect();
        let ask = Ask { program: ask.program, queries };
        if ask.queries.is_empty() {
            return Outcome::nothing(engine.id());
        }
        self.budget.run(engine.id().name(), &ask.subject(), options.timeout, |control| {
            engine.check(ask.program, &ask.queries, options, control)
        })
    }

    /// The same for the only engine of a run. Temporal formulas that it does not understand are left to `reach`.
    pub fn run_alone(&self, engine: EngineId, ask: &Ask, options: &Options) -> Outcome {
        let started = Instant::now();
        let (own, others): (Vec<Query>, Vec<Query>) =
            ask.queries.iter().partition(|q| self.supports(engine, q) || !matches!(q, Query::Formula(_)));
        let mut outcome = self.run(engine, &Ask { program: ask.program, queries: own.clone() }, options);
        if !others.is_empty() {
            let left = options.timeout.map(|t| t.saturating_sub(started.elapsed()));
            let options = Options { timeout: left, ..options.clone() };
            let more = self.run(EngineId::Reach, &Ask { program: ask.program, queries: others }, &options);
            outcome.properties.extend(more.properties);
            if own.is_empty() {
                outcome.stats = more.stats;
            }
        }
        outcome
    }

    pub fn context(&self) -> Context<'_> {
        Context {
            program: &self.prepared.program,
            recursion: self.options.recursion,
            command_line: &self.settings.command_line,
        }
    }

    pub fn settle(&self, verdicts: &Mutex<Verdicts>, outcome: Outcome) {
        let mut verdicts = lock(verdicts);
        verdicts.take(outcome, self.context());
        let (decided, asked) = verdicts.count(self);
        self.budget.note(decided, asked);
        self.budget.keep(&verdicts.outcome);
        if verdicts.is_done(self) {
            self.budget.call_off();
        }
    }

    pub fn is_open(&self, verdicts: &Mutex<Verdicts>) -> bool {
        !self.budget.is_interrupted() && !lock(verdicts).is_done(self)
    }

    /// Lets every engine that can decide something come to its end, and compares.
    pub fn all_engines(&self) -> Outcome {
        let started = Instant::now();
        let ask = self.all();
        let mut engines: Vec<EngineId> = TABLE.iter().map(|(id, _)| *id).collect();
        engines.retain(|e| match self.is_for_flow() {
            true => *e == EngineId::Flow,
            false => ask.queries.iter().any(|q| self.supports(*e, q)),
        });
        let mut verdicts = Verdicts::new(self);
        for (i, engine) in engines.iter().enumerate() {
            let left = (engines.len() - i) as u32;
            let share = |t: Duration| t.saturating_sub(started.elapsed()) / left;
            let options = Options { timeout: self.options.timeout.map(share), ..self.options.clone() };
            verdicts.take(self.run(*engine, &ask, &options), self.context());
            self.budget.keep(&verdicts.outcome);
        }
        let mut outcome = verdicts.outcome;
        outcome.stats.seconds = started.elapsed().as_secs_f64();
        outcome
    }
}
