//! The reference explorer: plain exhaustive search over the model's step semantics.
//!
//! It visits every reachable state, breadth first, and decides the default checks by looking at each. Its only
//! reduction, on by default and switchable, runs steps that concern no other task
//! ([`rendez_model::access::Access::local`]) at once instead of interleaving them. Every engine is tested against this
//! explorer; it is written to be obviously right, not to be fast.
//!
//! `search` is the loop, with the order of states as a parameter: directed search is another order over the same loop.
//! `graph` holds states and edges, `local` the merging of local steps, `spin` looks at bottom strongly connected
//! components, `walk` follows random schedules, `temporal` defines temporal formulas by fixpoints, and `check` puts the
//! verdicts together.

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
