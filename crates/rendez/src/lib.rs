//! The command line as a library, so that tests run what users run.

pub mod arguments;
mod bench;
pub mod commands;
mod simulate;
mod sources;
