//! The reference explorer: plain exhaustive search over the model's step semantics.
//!
//! It visits every reachable state, breadth first, and decides the default checks by looking at
//! each. Its only reduction, on by default and switchable, runs steps that concern no other task
//! ([`rendez_analysis::access::Access::local`]) at once instead of interleaving them. Every engine is
//! tested against this explorer; it is written to be obviously right, not to be fast.

mod check;
mod graph;
mod local;
mod search;
mod spin;
mod temporal;
mod walk;

pub use check::{check, local_steps};
pub use graph::{Edge, Graph};
pub use local::LocalSteps;
pub use search::{Breadth, Frontier, Search, Sighting, search, search_from};
pub use spin::forever;
pub use temporal::Unfolded;
pub use walk::walk;
