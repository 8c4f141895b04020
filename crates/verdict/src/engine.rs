//! The waist: what an engine is asked, and what it answers.
//!
//! Front ends and passes end in a program, reports begin with an outcome. Between them stand engines, which know
//! neither each other nor who asks: each is an [`Engine`], and whoever combines them needs to know nothing else.

use std::borrow::Cow;

use rendez_model::Program;
use rendez_property::inca;

use crate::finding::Kind;
use crate::formula::BoundFormula;
use crate::verdict::{EngineId, Outcome};
use crate::{Control, Options};

/// One thing that is asked of a program.
#[derive(Clone, Copy, Debug)]
pub enum Query<'a> {
    /// A default check.
    Check(Kind),
    /// A property of event sequences: the automaton with this number follows it. A query of INCA's comes with the
    /// intervals that it was written as.
    Sequence { monitor: usize, intervals: Option<&'a inca::IntervalQuery> },
    /// A temporal formula.
    Formula(&'a BoundFormula),
}

impl Query<'_> {
    /// Whether no automaton says when the query is met, because it counts or goes on for ever: then only its intervals
    /// say what it means.
    pub fn counts(&self) -> bool {
        matches!(self, Query::Sequence { intervals: Some(query), .. } if !query.is_followed)
    }

    /// Whether an automaton of the program follows the query.
    pub fn is_followed(&self) -> bool {
        matches!(self, Query::Sequence { .. }) && !self.counts()
    }
}

/// What an engine can say about a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does not understand the query.
    Nothing,
    /// It may find a violation of this or of what it implies; that it proves something is luck.
    Violations,
    /// It finds violations, and it proves that there are none.
    Verdicts,
}

impl Support {
    pub fn is_some(self) -> bool {
        self != Support::Nothing
    }
}

/// An analysis that answers queries about programs.
pub trait Engine: Sync {
    fn id(&self) -> EngineId;

    /// What it can say about a query.
    fn supports(&self, query: &Query) -> Support;

    /// Answers those queries that it supports, within limits. It polls the control often, tells it how far it is, and
    /// returns what it knows when it is told to stop.
    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome;
}

/// All default checks.
pub fn all_checks() -> Vec<Query<'static>> {
    Kind::ALL.map(Query::Check).to_vec()
}

/// All properties of event sequences that automata of the program follow.
pub fn all_sequences(program: &Program) -> Vec<Query<'static>> {
    (0..program.monitors.len()).map(|monitor| Query::Sequence { monitor, intervals: None }).collect()
}

/// The default checks among some queries.
pub fn checks(queries: &[Query]) -> Vec<Kind> {
    let kind = |q: &Query| if let Query::Check(kind) = q { Some(*kind) } else { None };
    queries.iter().filter_map(kind).collect()
}

/// The temporal formulas among some queries.
pub fn formulas<'a>(queries: &[Query<'a>]) -> Vec<&'a BoundFormula> {
    let formula = |q: &Query<'a>| if let Query::Formula(formula) = q { Some(*formula) } else { None };
    queries.iter().filter_map(formula).collect()
}

/// The program with only those automata that some queries are about, in the order of the program.
pub fn with_automata_of<'p>(program: &'p Program, queries: &[Query]) -> Cow<'p, Program> {
    let asked =
        |m: usize| queries.iter().any(|q| matches!(q, Query::Sequence { monitor, .. } if *monitor == m));
    let kept: Vec<usize> = (0..program.monitors.len()).filter(|m| asked(*m)).collect();
    if kept.len() == program.monitors.len() {
        return Cow::Borrowed(program);
    }
    let mut program = program.clone();
    program.monitors = kept.iter().map(|m| program.monitors[*m].clone()).collect();
    Cow::Owned(program)
}
