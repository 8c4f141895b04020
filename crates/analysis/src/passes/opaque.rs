//! Makes chosen variables untracked: any value at any time.
//!
//! This is the simplest abstraction of data, and it only adds behaviour: a branch on an untracked cell goes both ways,
//! an assignment to it has no effect, and every other step stays. So no error that a step shows is lost, while a
//! finding may be spurious. Outcomes that depend on such a cell are marked as guesses by the semantics.
//!
//! The cell itself stays, without a value. Accesses to it are steps like others, so races and what a monitor sees are
//! not lost. Slicing uses the same representation for cells whose value decides nothing, where nothing is added at all;
//! `finite.rs` of the reachability engine uses this pass to forget loop counters, and argues there why absence of
//! blocking survives.

use rendez_model::expr::Value;
use rendez_model::program::*;

/// Every cell that `chosen` picks loses its value. This only adds behaviour: branches on it go
/// both ways, assignments to it have no effect.
pub fn make_opaque(program: &mut Program, chosen: impl Fn(VarId, &Var) -> bool) {
    for (i, var) in program.vars.iter_mut().enumerate() {
        if chosen(VarId::from(i), var) {
            var.domain = Domain::Opaque;
            var.init = Value::Any;
        }
    }
}
