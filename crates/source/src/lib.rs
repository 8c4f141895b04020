//! Source files, places in them, and diagnostics as data.
//!
//! Every crate that reads text reports what is wrong as [`Diagnostic`] values; only a renderer
//! turns them into text. Nothing here prints or opens files: the text is handed in.

mod diagnostic;
mod map;

pub use diagnostic::{Diagnostic, Severity, render};
pub use map::{FileId, NotText, SourceMap, Span, decode};
