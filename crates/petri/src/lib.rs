//! What each task can do, cut into parts: the steps of the program, learnt from its semantics.
//!
//! [`unobservable`] says which waiting nobody can observe, [`steps`] makes the steps of task interaction
//! graphs out of steps of the semantics, [`slots`] cut the state into parts, and [`step_cache`] learns
//! which parts a step looks at and what it changes. A [`net`] is all that, for every combination of
//! parts that may be there together.

pub mod net;
pub mod slots;
pub mod step_cache;
pub mod steps;
pub mod unobservable;

pub use net::Net;
pub use step_cache::{StepCache, Tig};
pub use steps::Steps;
