//! What each task can do, cut into parts: the steps of the program, learnt from its semantics.
//!
//! [`quiet`] says which waiting nobody can observe, [`steps`] makes the steps of task interaction
//! graphs out of steps of the semantics, [`slots`] cut the state into parts, and [`network`] learns
//! which parts a step looks at and what it changes. A [`net`] is all that, for every combination of
//! parts that may be there together.

pub mod net;
pub mod network;
pub mod quiet;
pub mod slots;
pub mod steps;

pub use net::Net;
pub use network::{Network, Tig};
pub use steps::Steps;
