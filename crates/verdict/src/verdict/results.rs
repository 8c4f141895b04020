//! What is said of a program: verdicts on checks and properties, with who decided and at what cost.

use rendez_model::monitor::Language;
use rendez_source::Diagnostic;

use crate::finding::{Finding, Kind};
use crate::{Dependent, End, Reason, Stats};

/// Who decides checks and properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EngineId {
    /// The portfolio: whatever suits the program and the checks. As the one who decided: nobody yet.
    #[default]
    Auto,
    /// The reference: every step of the semantics, one after the other.
    Explore,
    /// Reachability over packed states.
    Reach,
    /// The states nearest to an error first: bugs in large programs.
    Directed,
    /// Data flow over event sequences: properties of large systems.
    Flow,
    /// Integer programming over numbers of events: huge systems, with proofs.
    Ilp,
}

impl EngineId {
    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            EngineId::Auto => "auto",
            EngineId::Explore => "explore",
            EngineId::Reach => "reach",
            EngineId::Directed => "directed",
            EngineId::Flow => "flow",
            EngineId::Ilp => "ilp",
        }
    }
}

/// The verdict on one check.
#[derive(Clone, Debug)]
pub enum Verdict {
    Holds,
    Violated(Vec<Finding>),
    /// Why nothing is certain, and findings that may be spurious.
    Inconclusive(Reason, Vec<Finding>),
}

/// The verdict on a property of the user's.
#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    pub name: String,
    pub language: Language,
    /// Who decided.
    pub engine: EngineId,
    pub text: String,
    pub answer: Verdict,
    /// The executions that the verdict is about, in words.
    pub covers: String,
    /// What it takes for granted beyond the model.
    pub assumptions: Vec<String>,
    /// Why it holds without saying anything, if so.
    pub vacuous: Option<String>,
    /// Numbers of this property alone.
    pub stats: Option<Stats>,
    /// The constraints that a proof needed.
    pub constraints: Vec<String>,
    /// The file with its proof.
    pub certificate: Option<String>,
}

/// The verdicts on all default checks.
#[derive(Clone)]
pub struct Outcome {
    /// Who decided.
    pub engine: EngineId,
    /// Checks that others decided, with their numbers.
    pub engines: Vec<(Kind, EngineId, Stats)>,
    pub answers: Vec<(Kind, Verdict)>,
    pub properties: Vec<PropertyAnswer>,
    pub stats: Stats,
    pub end: End,
    /// Constructs without a model that some execution reaches.
    pub reached: Vec<Diagnostic>,
    /// Findings whose trace did not replay, and engines that contradict each other: a bug of rendez.
    pub contradictions: Vec<String>,
    /// Proofs that could not be kept.
    pub failures: Vec<String>,
    /// Bounds that some execution meets: what lies beyond is not known.
    pub bounds: Vec<Diagnostic>,
    /// Delays were taken to be long.
    pub long_delays: bool,
}

impl Outcome {
    /// Who decided a check, and at what cost.
    pub fn decided_by(&self, kind: Kind) -> (EngineId, &Stats) {
        let other = self.engines.iter().find(|e| e.0 == kind);
        other.map_or((self.engine, &self.stats), |(_, engine, stats)| (*engine, stats))
    }

    /// For a run in which no default check is decided.
    pub fn nothing(engine: EngineId) -> Outcome {
        Outcome {
            engine,
            engines: Vec::new(),
            answers: Vec::new(),
            properties: Vec::new(),
            stats: Stats::default(),
            end: End::Complete,
            reached: Vec::new(),
            contradictions: Vec::new(),
            failures: Vec::new(),
            bounds: Vec::new(),
            long_delays: false,
        }
    }
}

/// Findings that are certain are a violation; others are candidates.
pub(super) fn verdict(list: Vec<Finding>) -> Verdict {
    let certain: Vec<Finding> = list.iter().filter(|f| f.is_certain()).cloned().collect();
    match &list[..] {
        [] => Verdict::Holds,
        _ if !certain.is_empty() => Verdict::Violated(certain),
        [first, ..] if first.guessed => Verdict::Inconclusive(Reason::Untracked(Dependent::Trace), list),
        _ => Verdict::Inconclusive(Reason::NotShownToLast, list),
    }
}
