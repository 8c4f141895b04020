//! The reachability engine: every state of the program, packed, from steps learnt once.
//!
//! [`search`] applies the steps of a [`rendez_petri`] to packed states in a [`store`], leaving out
//! what [`stubborn`] sets make superfluous and what [`symmetry`] makes alike, and [`check`] decides
//! the default checks, [`ctl`] temporal formulas. [`hashed`] searches keep less than the states;
//! [`progress`] needs none at all where the code alone shows that nobody waits for ever.

pub mod cats;
mod check;
pub mod ctl;
mod enabled;
mod exceptions;
mod expand;
mod finite;
mod flat_tables;
mod graph;
mod hashed;
mod index;
mod level_workers;
mod main_unfolding;
mod progress;
mod reached;
mod search;
mod store;
mod stubborn;
mod symmetry;
mod visible;
mod walk;

pub use check::{check, held_without_data, properties, reach};
pub use exceptions::never_raised;
pub use finite::everybody_ends;
pub use hashed::Keep;
pub use progress::never_blocks;
pub use reached::Reached;
pub use rendez_petri::Tig;
pub use search::Config;
