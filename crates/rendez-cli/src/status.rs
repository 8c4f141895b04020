//! Exit statuses, and how the command says what is wrong.

use std::io::IsTerminal;
use std::path::Path;

use rendez::Error;

/// Bad usage or bad input.
pub const BAD_INPUT: u8 = 2;
/// A fault of rendez.
pub const INTERNAL: u8 = 4;

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

/// Whether a stream is to be coloured.
pub fn colour(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none()
}

/// Says why a run cannot begin; the exit status.
pub fn failed(error: &Error) -> u8 {
    for message in error.messages(colour(std::io::stderr().is_terminal())) {
        complain!("{message}");
    }
    match error {
        Error::Internal(_) => INTERNAL,
        Error::Input { .. } | Error::Settings(_) | Error::File { .. } => BAD_INPUT,
    }
}

/// Writes a file.
pub fn write(file: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(file, text).map_err(|error| Error::File {
        path: file.to_owned(),
        problem: format!("cannot be written: {error}"),
    })
}

/// Prints a text that may be long; a reader that has seen enough closes the pipe: no error.
pub fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}
