//! Diagnostics: what is wrong, where, and what would help.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{SourceMap, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub span: Option<Span>,
    pub label: String,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(span), message)
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Some(span), message)
    }

    /// An error of the request as a whole, with no place in a file.
    pub fn general(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, None, message)
    }

    fn new(severity: Severity, span: Option<Span>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            message: message.into(),
            span: span.filter(|s| !s.is_nowhere()),
            label: String::new(),
            help: None,
        }
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Renders a diagnostic with its source line underlined.
pub fn render(map: &SourceMap, diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let title = level.primary_title(diagnostic.message.as_str());
    let mut group: Group = match diagnostic.span {
        Some(span) => {
            // Only the lines around the span are handed over: a file may be huge.
            let first = span.line.saturating_sub(1).max(1);
            let text = map.text(span.file);
            let lines: Vec<&str> = text
                .split('\n')
                .skip(first as usize - 1)
                .take((span.end_line - first + 2).min(12) as usize)
                .map(|l| if l.len() > 400 { cut(l, 400) } else { l })
                .collect();
            let before: usize = lines.iter().take((span.line - first) as usize).map(|l| l.len() + 1).sum();
            let source = lines.join("\n");
            let line_length = lines.get((span.line - first) as usize).map_or(0, |l| l.len());
            let start = floor(&source, before + (span.column as usize - 1).min(line_length));
            let width = if span.end_line == span.line {
                (span.end_column.saturating_sub(span.column)) as usize
            } else {
                line_length.saturating_sub(span.column as usize - 1)
            };
            let end = floor(&source, (start + width.max(1)).min(source.len()).max(start));
            let annotation = AnnotationKind::Primary.span(start..end);
            let annotation = if diagnostic.label.is_empty() {
                annotation
            } else {
                annotation.label(diagnostic.label.clone())
            };
            title.element(
                Snippet::source(source)
                    .line_start(first as usize)
                    .path(map.name(span.file).to_owned())
                    .annotation(annotation),
            )
        }
        None => Group::with_title(title),
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

fn cut(line: &str, at: usize) -> &str {
    &line[..floor(line, at)]
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn the_line_is_underlined() {
        let mut map = SourceMap::default();
        map.add("a.adb", "procedure A is\nbegin\n   Nul;\nend A;\n");
        let span = Span { file: FileId(0), line: 3, column: 4, end_line: 3, end_column: 7 };
        let text = render(&map, &Diagnostic::error(span, "no such name").label("here"), false);
        assert!(text.contains("a.adb:3:4"), "{text}");
        assert!(text.contains("^^^ here"), "{text}");
    }

    #[test]
    fn a_span_past_the_end_does_not_panic() {
        let map = SourceMap::default();
        let span = Span { file: FileId(9), line: 30, column: 40, end_line: 30, end_column: 70 };
        assert!(render(&map, &Diagnostic::error(span, "gone"), false).contains("gone"));
    }
}
