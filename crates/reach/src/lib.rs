//! The reachability engine: every state of the program, packed, from steps learnt once.
//!
//! [`quiet`] says which waiting nobody can observe, [`steps`] makes the steps of task interaction
//! graphs out of steps of the semantics, [`network`] learns them as decision trees over [`slots`],
//! [`search`] applies them to packed states in a [`store`], leaving out what [`stubborn`] sets make
//! superfluous and what [`symmetry`] makes alike, and [`check`] decides the default checks, [`ctl`]
//! temporal formulas. [`hashed`] searches keep less than the states.

pub mod cats;
mod check;
pub mod ctl;
mod fast;
mod finite;
mod graph;
mod hashed;
mod network;
mod quiet;
mod search;
mod slots;
mod steps;
mod store;
mod stubborn;
mod symmetry;
mod walk;

pub use check::{check, held_without_data, properties, reach};
pub use hashed::Keep;
pub use network::Tig;
pub use search::{Config, Reached};
