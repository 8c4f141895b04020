//! The flow engine: what FLAVERS was, with its constraints chosen by itself.
//!
//! [`cfg`] unfolds each task into a control-flow graph, `refine` leaves out what means nothing,
//! [`tfg`] joins the graphs where tasks interact, [`mhp`] finds out what may happen in parallel,
//! [`constraint`] and [`data`] tell infeasible paths, [`propagate`] lets tuples of automaton states
//! flow through the graph, [`select`] chooses constraints, `explain` looks for the execution
//! behind a path that no constraint rejects, and `dump` draws the graph.

pub mod cfg;
pub mod constraint;
pub mod data;
mod decide;
mod dump;
mod explain;
pub mod mhp;
pub mod propagate;
mod refine;
pub mod select;
pub mod tfg;

pub use decide::{Settings, Wanted, cells_to_follow, decide};
pub use dump::dot;
