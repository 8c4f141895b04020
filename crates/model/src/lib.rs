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
//! Words of the field, as they are used in all crates:
//! - *untracked*: the value of a cell is not followed, so the cell is opaque; *tracked*: it is.
//! - *dead variable*: a cell that is written before it is read again, whatever happens; its value makes no difference.
//! - *abstraction*: a program with at least the behaviour of another one, such as one with fewer tracked cells.
//! - *memoised step*: a step whose read set, write set and outcome were learnt once from the semantics, and that is not
//!   run again.
//! - *place*, *transition*: of a Petri net, a control state of one component, and a step that moves some components from
//!   places to places.
//! - *product*: the states of several components or automata together.
//! - *may happen in parallel*: of two locations or nodes, some execution has a task at each of them at the same time.
//! - *co-reachable*: of two places or slot values, some state has both; an analysis finds a superset of these pairs.
//! - *trap*: a set of places that stays marked once it is; *siphon*: one that stays empty once it is.
//! - *stubborn set*: a set of transitions of a state such that exploring only its enabled members preserves what is
//!   asked, since the others do not interfere with it (Valmari).
//! - *visible*: a step that may change what a property observes.
//! - *ignoring problem*: a reduced search that goes in circles postpones some step for ever.
//! - *bottom component*: a strongly connected component that no step leaves.
//! - *lasso*: an infinite execution as a path and a cycle that is repeated from its end.
//! - *permutation*: a renaming of tasks that leaves the program as it is; *orbit*: the states that permutations make of
//!   one.
//! - *witness*: an execution that shows that something can happen.
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
