//! Directed search: the states nearest to an error first.
//!
//! The loop is the reference explorer's; here are the order in which it takes states
//! ([`frontier`]), what it is after ([`goal`]), and estimates of how far that is: distances in the
//! control-flow graphs of tasks ([`code`], [`distance`]), and exact distances in a smaller program
//! ([`pattern`]). Procedures are not inlined: the stack of a state tells where they return to.

mod blocking;
mod code;
mod decide;
mod distance;
mod frontier;
mod goal;
mod pattern;
mod radix;

pub use code::FAR;
pub use decide::{Directed, Heuristic, Settings, Wanted, check, formula, properties, seek};
pub use distance::{Distances, Measure};
pub use frontier::Order;
