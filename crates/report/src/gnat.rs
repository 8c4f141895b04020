//! The report as one line a finding, in the form of the compiler's messages, which editors read.

use std::fmt::Write as _;

use rendez_source::Span;
use rendez_verdict::Severity;

use crate::text::headline;
use crate::{Report, groups};

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    }
}

/// The messages, in the order of the report.
pub fn gnat(report: &Report) -> String {
    let mut out = String::new();
    let first = report.map.names().next().unwrap_or("").to_owned();
    let mut line = |span: Option<Span>, severity: Severity, text: &str| {
        let place = match span.filter(|s| !s.is_nowhere()) {
            Some(s) => format!("{}:{}:{}", report.map.name(s.file), s.line, s.column),
            None => format!("{first}:1:1"),
        };
        let text = text.replace('\n', " ");
        let _ = writeln!(out, "{place}: {}: {text}", word(severity));
    };
    for d in report.diagnostics.iter().chain(&report.outcome.reached) {
        line(d.span, d.severity, &d.message);
    }
    for finding in groups(report).concat() {
        // What may be spurious is no error.
        let severity = if !finding.is_certain() { Severity::Note } else { finding.severity };
        let text = format!("{} [{}]", headline(report, finding), finding.kind.name());
        line(Some(finding.span), severity, &text);
        if let Some((span, text)) = &finding.other {
            line(Some(*span), Severity::Note, text);
        }
        for w in finding.waiting.iter().filter(|w| finding.tasks.contains(&w.task)) {
            let name = &report.program.tasks[w.task.index()].name;
            line(Some(w.span), Severity::Note, &format!("{name} {}", w.reason));
        }
    }
    for (span, name, why) in report.vacuous() {
        line(Some(span), Severity::Warning, &format!("{name} holds vacuously: {why} [vacuous]"));
    }
    for (name, why) in report.undecided() {
        line(None, Severity::Note, &format!("{name} is undecided: {why}"));
    }
    out
}
