//! What stands for the solver in a build without it: every linear program stays open, and nothing is refuted.
//!
//! The engine still decides what needs no linear program, such as a query whose events do not exist. Everything else is
//! inconclusive, and the reason names the feature that is missing.

use std::time::Instant;

use num_rational::BigRational;
use rendez_certificate::{Row, System};

/// What [`Solved::Failed`] means.
pub const FAILED: &str = "this build has no solver for linear programs (cargo feature `solver`)";

/// A linear program that nobody solves.
pub struct Lp;

/// What comes of it.
pub enum Solved {
    Infeasible,
    Optimal(Vec<f64>),
    Late,
    /// There is no solver.
    Failed,
}

impl Lp {
    pub fn new(_: &System, _: &[Row]) -> Lp {
        Lp
    }

    pub fn add(&mut self, _: &Row) {}

    pub fn fix(&mut self, _: &[(u32, i64)], _: bool) {}

    pub fn solve(&mut self, _: Option<Instant>) -> Solved {
        Solved::Failed
    }
}

/// Whether there is a solution in whole numbers.
pub enum Whole {
    Found(Vec<f64>),
    Infeasible,
    Unknown,
}

/// Nothing is known.
pub fn whole(_: &System, _: &[Row], _: f64) -> Whole {
    Whole::Unknown
}

/// Nothing is refuted.
pub fn refute(_: &System, _: &[Row]) -> Option<Vec<(u32, BigRational)>> {
    None
}
