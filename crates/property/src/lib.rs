//! Property languages as data. Knows no program: whoever decides a property looks its names up.

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
