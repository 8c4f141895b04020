//! The integer-programming engine: what INCA was, exact.
//!
//! A violation needs a flow through every part of the program: a whole number of each transition of
//! its net that satisfies a linear system. [`solve`] asks HiGHS for such numbers, [`prove`] rules out
//! those that no execution can have, or shows in exact arithmetic that none are left, [`explain`]
//! looks for the execution behind them, and [`decide`] makes parts of the program one where the
//! order of events matters, until there is an answer.

mod decide;
pub mod dump;
pub mod explain;
pub mod prove;
pub mod published;
#[cfg(feature = "solver")]
pub mod solve;
#[cfg(not(feature = "solver"))]
#[path = "without_solver.rs"]
pub mod solve;

pub use decide::{Decided, Settings, deadlock, decide};
