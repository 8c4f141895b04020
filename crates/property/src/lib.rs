//! Property languages as data: reading them, and turning them into automata or formulas.
//!
//! Two kinds of properties exist. Sequences of events are described by quantified regular expressions, automata, the
//! catalogue's patterns, or INCA's queries ([`regular`], [`pattern`], [`inca`]); all of them become automata over steps
//! with names ([`automaton`]), with what they demand of executions without end. Formulas of branching time about states
//! and events are in [`ctl`].
//!
//! This crate knows no program. Names stay as they were written, with their positions; whoever decides a property looks
//! them up (`rendez_verdict`), and only then is it known which names fit the same step, that is, what the letters of
//! an automaton are. So everything here can be tested on words alone.

pub mod automaton;
pub mod ctl;
mod dot;
pub mod events;
pub mod inca;
pub mod pattern;
pub mod regular;
mod scan;

/// Line and column, from 1.
pub type Position = (u32, u32);

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub position: Position,
}

impl Wrong {
    pub fn at(position: Position, message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), position }
    }
}
