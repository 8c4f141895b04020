//! Makes a chosen set of variables opaque: any value at any time.

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
