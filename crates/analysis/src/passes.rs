//! Passes: programs to simpler programs. Each keeps what the checks ask for, or only adds
//! behaviour and says so in the assumptions.

mod compact;
mod constants;
mod granularity;
mod inline;
mod inputs;
mod locks;
mod opaque;
mod slice;
mod unknown;

pub use compact::compact;
pub use constants::{fold_constants, propagate_constants};
pub use granularity::split_accesses;
pub use inline::{inline, recursive_procedures};
pub use inputs::classify_inputs;
pub use locks::drop_idle_locks;
pub use opaque::make_opaque;
pub use slice::{Delays, cells_that_matter, for_monitor, slice};
pub(crate) use slice::{may_fail as assignment_may_fail, may_raise as expression_may_fail};
pub use unknown::doubt_unknown_values;
