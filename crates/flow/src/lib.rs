//! The flow engine: what FLAVERS was, with its constraints chosen by itself.
//!
//! [`cfg`] unfolds each task into a control-flow graph, `refine` leaves out what means nothing,
//! [`tfg`] joins the graphs where tasks interact, [`mhp`] finds out what may happen in parallel,
//! [`constraint`] and [`data`] tell infeasible paths, [`propagate`] lets tuples of automaton states
//! flow through the graph, [`select`] chooses constraints, `replay` looks for the execution behind
//! a path that no constraint rejects.

pub mod cfg;
pub mod constraint;
pub mod data;
mod decide;
mod dot;
pub mod mhp;
pub mod propagate;
mod refine;
mod replay;
pub mod select;
pub mod tfg;

pub use decide::{Settings, Wanted, cells_to_follow, decide};
pub use dot::dot;
