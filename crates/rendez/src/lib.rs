//! The command line as a library, so that tests run what users run.

/// Prints a line; a reader that has seen enough and closes the pipe is no error.
#[macro_export]
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// The same, for messages.
#[macro_export]
macro_rules! complain {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

pub mod arguments;
mod bench;
mod certificates;
pub mod commands;
mod explain;
mod portfolio;
mod progress;
mod simulate;
mod sources;
mod turns;
