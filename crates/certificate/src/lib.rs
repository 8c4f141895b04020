//! Necessary conditions for a violation, and proofs that they cannot be met.
//!
//! A [`query`] says what a violation looks like, as intervals of an execution. The [`system`] of a
//! net is a set of linear (in)equalities that the numbers of its transitions satisfy in every
//! execution that the query describes. A [`proof`] that the system has no solution is a tree whose
//! leaves are combinations of rows with rational multipliers; it is checked here, in exact
//! arithmetic, by code that knows no solver.

pub mod depths;
pub mod derive;
pub mod proof;
pub mod query;
pub mod system;
pub mod text;

pub use depths::Sector;
pub use derive::{Learnt, Plan, Subject, learn, subject, verify};
pub use proof::{Proof, ProofStep, check};
pub use query::{Interval, IntervalQuery, unroll};
pub use system::{Goal, Row, System};
