//! What can be known of a program without running it, and passes that make programs simpler.
//!
//! The model knows none of this: a program means the same with and without these facts. Every engine sees them.
//!
//! - Facts about code: [`access`] (who accesses what), [`liveness`] (dead variables), definite assignment,
//!   [`postdominators`], [`loop_control`], raising (which actions may raise an exception).
//! - [`symmetry`]: permutations of tasks that leave a program as it is.
//! - [`passes`]: programs to simpler programs.
//! - Algorithms that several engines need: sets of numbers ([`bits`]), the may-happen-in-parallel relation
//!   ([`parallel`]), strongly connected components ([`components`]).
//!
//! The semantics profits from two facts, but does not depend on this crate: [`semantics`] hands them in. One says
//! which guards a select statement need not read, so that engines that learn steps from what the semantics reads
//! learn less; the other one says which actions may raise an exception, for whoever explains a state.

pub mod access;
pub mod bits;
mod components;
mod definite_assignment;
pub mod liveness;
pub mod loop_control;
pub mod parallel;
pub mod passes;
pub mod postdominators;
mod raising;
pub mod symmetry;

use rendez_model::Program;
use rendez_model::semantics::Semantics;

pub use components::{bottom_components, components};

/// The semantics of a program with the facts that it profits from.
pub fn semantics(program: &Program, recursion: usize) -> Semantics<'_> {
    let plain_selects = definite_assignment::plain_selects(program);
    Semantics::with_facts(program, recursion, plain_selects, raising::raising)
}
