//! The concurrent program model: the one type everything in rendez revolves around.
//!
//! A [`Program`] knows no language and no engine. A front end writes it, passes rewrite it, and
//! [`semantics`] gives it its only meaning: `initial`, `enabled`, `step`.
//!
//! # Glossary
//! - *task*: a thread of control with its own position, created by an activator, depending on a
//!   master. Task 0 is the environment task, which runs the main program.
//! - *entry*: a queue of callers, owned by a task (rendezvous) or by a protected object. Entry
//!   families are flattened: one entry per index.
//! - *cell*: a scalar variable. Arrays and records are many cells; a [`Table`] maps an index to
//!   cells or to constants.
//! - *procedure*: a control-flow graph that is called. Each is written for one calling task, so
//!   its locals are ordinary cells of that task; a recursive call saves and restores them.
//! - *master*: a scope that waits for the tasks declared in it.
//! - *location*: a node of a control-flow graph; its action names the locations that follow.
//! - *opaque*: any value; a branch on it goes both ways.
//!
//! Sequential consistency is assumed: an action takes effect at once for every task.

pub mod build;
pub mod code;
pub mod expr;
pub mod monitor;
pub mod program;
pub mod semantics;
pub mod state;
pub mod text;
mod validate;
pub mod watch;

pub use expr::{BinaryOp, Expr, Place, UnaryOp, Value};
pub use program::*;
pub use validate::{Invalid, validate};
