//! The report that people read.

use std::fmt::Write as _;

use rendez_evidence::{Answer, Finding, Severity};
use rendez_source::{Diagnostic, render};

use crate::{Report, describe};

#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub colour: bool,
    /// Show every step of a trace.
    pub full: bool,
}

/// The whole report.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in report.diagnostics.iter().chain(&report.outcome.reached) {
        let _ = writeln!(out, "{}\n", render(report.map, diagnostic, style.colour));
    }
    for (kind, answer) in &report.outcome.answers {
        if !report.wanted(*kind) {
            continue;
        }
        match answer {
            Answer::Holds => {}
            Answer::Violated(list) => list.iter().for_each(|f| finding(report, style, f, &mut out)),
            Answer::Inconclusive(_, list) => list.iter().for_each(|f| finding(report, style, f, &mut out)),
        }
    }
    for property in &report.outcome.properties {
        match &property.answer {
            Answer::Holds => {}
            Answer::Violated(list) | Answer::Inconclusive(_, list) => {
                list.iter().for_each(|f| finding(report, style, f, &mut out));
            }
        }
    }
    summary(report, style, &mut out);
    out
}

/// A longer trace is shown with its first steps, a gap, and its last steps.
const LONGEST: usize = 80;
const HEAD: usize = 20;

fn paint(style: Style, code: &str, text: &str) -> String {
    if style.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn summary(report: &Report, style: Style, out: &mut String) {
    for (kind, answer) in &report.outcome.answers {
        if report.wanted(*kind) {
            verdict(style, kind.name(), answer, kind.promise(), out);
        }
    }
    for property in &report.outcome.properties {
        verdict(style, &property.name, &property.answer, &property.text, out);
        if let Some(why) = &property.vacuous {
            let _ = writeln!(out, "{:20} {} {why}", "", paint(style, "33", &format!("{:<12}", "vacuously:")));
        }
        if let Some(flow) = property.stats.and_then(|s| s.flow) {
            let with = match property.constraints.is_empty() {
                true => "without constraints".to_owned(),
                false => format!("with {}", property.constraints.join("; ")),
            };
            let proved = matches!(property.answer, Answer::Holds);
            let _ = writeln!(
                out,
                "{:20} {:12} {}{} nodes, {} edges, {} tuples, {} node-tuples, {} round{}",
                "",
                "flow:",
                if proved { format!("{with}; ") } else { String::new() },
                flow.nodes,
                flow.edges,
                flow.tuples,
                flow.node_tuples,
                flow.rounds,
                if flow.rounds == 1 { "" } else { "s" },
            );
        }
        if let Some(ilp) = property.stats.and_then(|s| s.ilp) {
            let _ = writeln!(
                out,
                "{:20} {:12} {} variables, {} constraints, {} linear programs, {} cuts, {} branches, {} merges",
                "", "ilp:", ilp.variables, ilp.constraints, ilp.programs, ilp.cuts, ilp.branches, ilp.merges,
            );
        }
        if let Some(file) = &property.certificate {
            let _ = writeln!(out, "{:20} {:12} {file}", "", "certificate:");
        }
    }
    totals(report, out);
}

fn verdict(style: Style, name: &str, answer: &Answer, promise: &str, out: &mut String) {
    let (mark, code, rest) = match answer {
        Answer::Holds => ("holds", "32", promise.to_owned()),
        Answer::Violated(list) => {
            let worst = list.iter().map(|f| f.severity).min().unwrap_or(Severity::Error);
            let count = match list.len() {
                1 => "1 finding".to_owned(),
                n => format!("{n} findings"),
            };
            let code = if worst == Severity::Error { "31" } else { "33" };
            ("violated", code, format!("{count} ({})", worst.word()))
        }
        Answer::Inconclusive(why, _) => ("inconclusive", "33", why.clone()),
    };
    let _ = writeln!(out, "{name:<20} {} {rest}", paint(style, code, &format!("{mark:<12}")));
}

fn totals(report: &Report, out: &mut String) {
    let stats = &report.outcome.stats;
    let tasks = report.program.tasks.len();
    let counts = match stats.looks_at_states() {
        false => String::new(),
        true => format!(" {} states, {} steps,", stats.states, stats.transitions),
    };
    let _ = writeln!(
        out,
        "\n{}: {tasks} task{},{counts} {:.2} s, {} kB",
        report.program.name,
        if tasks == 1 { "" } else { "s" },
        stats.seconds,
        stats.peak_bytes / 1024
    );
    if tasks == 1 {
        let _ = writeln!(out, "note: the program declares no tasks; only the main procedure runs");
    }
    for assumption in assumptions(report) {
        let _ = writeln!(out, "assumes: {assumption}");
    }
}

/// What every verdict takes for granted.
pub(crate) fn assumptions(report: &Report) -> Vec<String> {
    let mut all = vec![
        "memory is sequentially consistent; a statement takes effect at once".to_owned(),
        format!(
            "delays {}; priorities are ignored; entry queues are first in, first out",
            match report.outcome.long_delays {
                false => "take any time",
                true => "take longer than whatever the other tasks do meanwhile",
            }
        ),
    ];
    if report.outcome.cut {
        all.push("some executions meet a bound named below and are not followed beyond it".to_owned());
    }
    for property in &report.outcome.properties {
        for a in &property.assumptions {
            if !all.contains(a) {
                all.push(a.clone());
            }
        }
    }
    for a in &report.program.assumptions {
        let place = if a.span.is_nowhere() {
            String::new()
        } else {
            format!(" ({}:{})", report.map.name(a.span.file), a.span.line)
        };
        all.push(format!("{}{place}", a.text));
    }
    all
}

fn finding(report: &Report, style: Style, finding: &Finding, out: &mut String) {
    let program = report.program;
    let mut message = format!("{} [{}]", finding.message, finding.kind.name());
    if finding.guessed {
        message = format!("perhaps: {message}");
    }
    let mut diagnostic = match finding.severity {
        Severity::Error => Diagnostic::error(finding.span, message),
        _ => Diagnostic::warning(finding.span, message),
    };
    diagnostic.severity = finding.severity;
    let _ = writeln!(out, "{}", render(report.map, &diagnostic.label(finding.label.clone()), style.colour));
    if let Some((span, text)) = &finding.other {
        let _ = writeln!(
            out,
            "{}",
            render(
                report.map,
                &Diagnostic { severity: Severity::Note, ..Diagnostic::error(*span, text.clone()) },
                style.colour
            )
        );
    }
    let Some(trace) = &finding.trace else {
        out.push('\n');
        return;
    };
    let told: Vec<_> = trace.steps.iter().map(|s| describe(program, s)).collect();
    let total = if style.full { told.len() } else { told.iter().flatten().count() };
    let hidden = if style.full || total <= LONGEST { 0..0 } else { HEAD..total - (LONGEST - HEAD) };
    let mut number = 0;
    let width = trace.steps.iter().map(|s| program.tasks[s.step.task.index()].name.len()).max().unwrap_or(0);
    for (i, (step, told)) in trace.steps.iter().zip(told).enumerate() {
        if trace.loop_from == Some(i) {
            let _ = writeln!(out, "      {}", paint(style, "1", "LOOP: from here on for ever"));
        }
        let node = program.node(step.step.loc);
        let what = match (&told, style.full) {
            (Some((text, _)), _) => text.clone(),
            (None, true) => source(report, node.span),
            (None, false) => continue,
        };
        number += 1;
        if hidden.contains(&(number - 1)) {
            if number - 1 == hidden.start {
                let _ = writeln!(out, "   …  {} steps left out; --full shows them", hidden.len());
            }
            continue;
        }
        let place = if node.span.is_nowhere() {
            String::new()
        } else {
            format!("  {}:{}", report.map.name(node.span.file), node.span.line)
        };
        let task = &program.tasks[step.step.task.index()].name;
        let task = paint(style, "36", &format!("{task:<width$}"));
        let _ = writeln!(out, "{number:>4}  {task}  {what}{}", paint(style, "2", &place));
    }
    if !finding.waiting.is_empty() {
        let _ = writeln!(out, "      {}", paint(style, "1", "at the end:"));
        for w in &finding.waiting {
            let name = &program.tasks[w.task.index()].name;
            let on: Vec<&str> = w.on.iter().map(|t| program.tasks[t.index()].name.as_str()).collect();
            let on =
                if on.is_empty() { "nobody can help".to_owned() } else { format!("-> {}", on.join(", ")) };
            let _ = writeln!(
                out,
                "      {name:<width$}  {}  {on}  {}:{}",
                w.reason,
                report.map.name(w.span.file),
                w.span.line
            );
        }
    }
    out.push('\n');
}

/// The source text of a span, on one line.
fn source(report: &Report, span: rendez_source::Span) -> String {
    if span.is_nowhere() {
        return "goes on".into();
    }
    let text = &report.map.text(span.file)[report.map.range(span)];
    let line = text.lines().next().unwrap_or("").trim();
    if line.len() > 60 { line.chars().take(60).collect() } else { line.to_owned() }
}
