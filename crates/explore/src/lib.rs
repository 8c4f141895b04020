//! The reference explorer: plain exhaustive search over the model's step semantics.
//!
//! It visits every reachable state, breadth first, and decides the default checks by looking at each. Its only
//! reduction, on by default and switchable, runs steps that concern no other task
//! ([`rendez_analysis::access::Access::local`]) at once instead of interleaving them. Every engine is tested against
//! this explorer; it is written to be obviously right, not to be fast.
//!
//! The loop, the stored states and the merging of local steps are those of crate `search`: directed search is another
//! order over the same loop. `temporal` defines temporal formulas by fixpoints, and `check` puts the verdicts together.

mod check;
mod temporal;

pub use check::check;
pub use temporal::Unfolded;
