//! The search that the engines with a plain state space share: one loop over the states, in the order that a
//! frontier gives.
//!
//! `explore` visits every state, breadth first; `directed` visits the states nearest to an error first. Both run
//! local steps at once ([`LocalSteps`]), keep packed states ([`StateGraph`]), and try random schedules where limits cut
//! the search short ([`walk`]). Nothing here decides a check: a search collects occurrences of what a check asks
//! about, and the engines hand them in as findings.

mod graph;
mod local;
mod search;
mod spin;
mod walk;

pub use graph::{Edge, StateGraph};
pub use local::{LocalSteps, local_steps};
pub use search::{Breadth, Delays, Frontier, Occurrence, SearchResult, search, search_from};
pub use spin::{bottoms, forever};
pub use walk::walk;
