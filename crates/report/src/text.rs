//! The report that people read.

use std::fmt::Write as _;

use rendez_source::{Diagnostic, Span, render};
use rendez_verdict::{Finding, Severity, Verdict};

use crate::lanes::lanes;
use crate::trace::{Told, changes, switches, tell};
use crate::{Report, describe, groups, help, is_variant};

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// What matters, in a few lines.
    #[default]
    Story,
    /// One column for each task.
    Lanes,
    /// Every step.
    Full,
}

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub colour: bool,
    pub depth: Depth,
    /// Characters in a line.
    pub width: usize,
}

/// The whole report.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in report.diagnostics.iter().chain(&report.outcome.reached) {
        let _ = writeln!(out, "{}\n", render(report.map, diagnostic, style.colour));
    }
    let groups = groups(report);
    overview(report, style, &groups, &mut out);
    for group in &groups {
        // Other ways in which the same tasks block are in the list above.
        let shown = |f: &&&Finding| {
            style.depth == Depth::Full || !is_variant(group[0], f) || std::ptr::eq(group[0], **f)
        };
        group.iter().filter(shown).for_each(|f| finding(report, style, f, &mut out));
    }
    summary(report, style, &mut out);
    out
}

/// One line for each finding, those with the same cause together.
fn overview(report: &Report, style: Style, groups: &[Vec<&Finding>], out: &mut String) {
    let count: usize = groups.iter().map(Vec::len).sum();
    if count < 2 {
        return;
    }
    let causes = match groups.len() == count {
        true => String::new(),
        false => format!(" with {} cause{}", groups.len(), if groups.len() == 1 { "" } else { "s" }),
    };
    let _ = writeln!(out, "{}", paint(style, "1", &format!("{count} findings{causes}")));
    let all = || groups.iter().flatten();
    let place = |f: &Finding| match f.span.is_nowhere() {
        true => String::new(),
        false => format!("{}:{}", report.map.name(f.span.file), f.span.line),
    };
    let wide = all().map(|f| place(f).chars().count()).max().unwrap_or(0);
    let kinds = all().map(|f| f.kind.name().len()).max().unwrap_or(0);
    for group in groups {
        let variants = group.iter().skip(1).filter(|f| is_variant(group[0], f)).count();
        for (i, f) in group.iter().enumerate() {
            // Of many ways in which the same tasks block, a few.
            if i > MOST_VARIANTS && is_variant(group[0], f) {
                continue;
            }
            let code = if f.severity == Severity::Error { "31" } else { "33" };
            let word = paint(style, code, &format!("{:<7}", f.severity.word()));
            let under = match i {
                0 => "  ",
                _ if is_variant(group[0], f) => "   or ",
                _ => "   so ",
            };
            let pad = if i == 0 { "    " } else { "" };
            let _ = writeln!(
                out,
                "{under}{word}{pad} {:<kinds$}  {:<wide$}  {}",
                f.kind.name(),
                place(f),
                headline(report, f)
            );
        }
        if variants > MOST_VARIANTS {
            let more = variants - MOST_VARIANTS;
            let _ = writeln!(
                out,
                "   or {more} more way{}; --trace full shows them",
                if more == 1 { "" } else { "s" }
            );
        }
    }
    out.push('\n');
}

const MOST_VARIANTS: usize = 3;

/// The message, with how many others it was seen to happen to.
pub(crate) fn headline(report: &Report, f: &Finding) -> String {
    let mut text = f.message.clone();
    if !f.is_certain() {
        text = format!("perhaps: {text}");
    }
    if !f.alike.is_empty() {
        let names: Vec<&str> = match &f.alike[..] {
            all if all.len() <= 3 && all.iter().all(|a| a.len() == 1) => {
                all.iter().map(|a| report.program.tasks[a[0].index()].name.as_str()).collect()
            }
            _ => Vec::new(),
        };
        text += &match (names.is_empty(), f.alike.len()) {
            (false, _) => format!(" (the same for {})", names.join(", ")),
            (true, 1) => " (the same for other tasks)".to_owned(),
            (true, n) => format!(" (the same for {n} other groups of tasks)"),
        };
    }
    text
}

fn paint(style: Style, code: &str, text: &str) -> String {
    if style.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// What would help, if it was not said before.
fn helped(report: &Report, style: Style, answer: &Verdict, said: &mut Vec<String>, out: &mut String) {
    if let Some(help) = help(report, answer).filter(|h| !said.contains(h)) {
        let _ = writeln!(out, "{:20} {} {help}", "", paint(style, "36", &format!("{:<12}", "help:")));
        said.push(help);
    }
}

fn summary(report: &Report, style: Style, out: &mut String) {
    let mut said = Vec::new();
    for (kind, answer) in &report.outcome.answers {
        if report.wanted(*kind) {
            let promise = report.outcome.promise(*kind, report.program);
            verdict(style, kind.name(), answer, &promise, out);
            helped(report, style, answer, &mut said, out);
        }
    }
    for property in &report.outcome.properties {
        verdict(style, &property.name, &property.answer, &property.text, out);
        let _ = writeln!(out, "{:20} {:12} {}", "", "covers:", property.covers);
        helped(report, style, &property.answer, &mut said, out);
        if let Some(why) = &property.vacuous {
            let _ = writeln!(out, "{:20} {} {why}", "", paint(style, "33", &format!("{:<12}", "vacuously:")));
        }
        if let Some(flow) = property.stats.and_then(|s| s.flow) {
            let with = match property.constraints.is_empty() {
                true => "without constraints".to_owned(),
                false => format!("with {}", property.constraints.join("; ")),
            };
            let proved = matches!(property.answer, Verdict::Holds);
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

fn verdict(style: Style, name: &str, answer: &Verdict, promise: &str, out: &mut String) {
    let (mark, code, rest) = match answer {
        Verdict::Holds => ("holds", "32", promise.to_owned()),
        Verdict::Violated(list) => {
            let worst = list.iter().map(|f| f.severity).min().unwrap_or(Severity::Error);
            let count = match list.len() {
                1 => "1 finding".to_owned(),
                n => format!("{n} findings"),
            };
            let code = if worst == Severity::Error { "31" } else { "33" };
            ("violated", code, format!("{count} ({})", worst.word()))
        }
        Verdict::Inconclusive(why, _) => ("inconclusive", "33", why.to_string()),
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
    for assumption in assumptions(report, SHOWN_CHECKS) {
        let _ = writeln!(out, "assumes: {assumption}");
    }
}

/// Checks that are taken to pass.
fn unchecked(report: &Report, places: usize) -> Option<String> {
    let count = report.program.unchecked.len();
    let shown = lines_of(report, &report.program.unchecked, places);
    let (checks, are) = if count == 1 { ("check", "is") } else { ("checks", "are") };
    let text = format!("{count} {checks} on values that are not followed {are} taken to pass");
    (count > 0).then(|| format!("{text} ({shown}; --checks may-fail)"))
}

/// Some places by file and line, each once, and at most so many.
fn lines_of(report: &Report, spans: &[Span], most: usize) -> String {
    let mut all: Vec<(rendez_source::FileId, u32)> = spans.iter().map(|s| (s.file, s.line)).collect();
    all.sort_unstable();
    all.dedup();
    let line = |(file, line): &(rendez_source::FileId, u32)| format!("{}:{line}", report.map.name(*file));
    let mut shown: Vec<String> = all.iter().take(most).map(line).collect();
    if shown.len() < all.len() {
        shown.push("...".into());
    }
    shown.join(", ")
}

/// So many checks that are taken to pass are shown with their places.
pub(crate) const SHOWN_CHECKS: usize = 3;

/// What every verdict takes for granted, with at most some places of checks.
pub(crate) fn assumptions(report: &Report, places: usize) -> Vec<String> {
    let mut all = vec![
        format!(
            "memory is sequentially consistent; {} takes effect at once",
            match report.program.accesses_apart {
                false => "a statement",
                true => "each access to a variable",
            }
        ),
        format!(
            "delays {}; priorities do not decide who runs; entry queues are first in, first out",
            match report.outcome.long_delays {
                false => "take any time",
                true => "take longer than whatever the other tasks do meanwhile",
            }
        ),
    ];
    for bound in &report.outcome.bounds {
        let place =
            bound.span.map_or(String::new(), |s| format!(" ({}:{})", report.map.name(s.file), s.line));
        all.push(format!(
            "some executions meet a bound and are not followed beyond it: {}{place}",
            bound.message
        ));
    }
    all.extend(unchecked(report, places));
    for property in &report.outcome.properties {
        for a in &property.assumptions {
            if !all.contains(a) {
                all.push(a.clone());
            }
        }
    }
    // What is assumed at several places is said once.
    for (i, a) in report.program.assumptions.iter().enumerate() {
        if report.program.assumptions[..i].iter().any(|b| b.text == a.text) {
            continue;
        }
        let same =
            report.program.assumptions[i..].iter().filter(|b| b.text == a.text && !b.span.is_nowhere());
        let spans: Vec<Span> = same.map(|b| b.span).collect();
        let place = match spans.is_empty() {
            true => String::new(),
            false => format!(" ({})", lines_of(report, &spans, places)),
        };
        all.push(format!("{}{place}", a.text));
    }
    all
}

fn finding(report: &Report, style: Style, finding: &Finding, out: &mut String) {
    let message = format!("{} [{}]", headline(report, finding), finding.kind.name());
    let mut diagnostic = match finding.severity {
        Severity::Error => Diagnostic::error(finding.span, message),
        _ => Diagnostic::warning(finding.span, message),
    };
    diagnostic.severity = finding.severity;
    let _ = writeln!(out, "{}", render(report.map, &diagnostic.label(finding.label.clone()), style.colour));
    if let Some((span, text)) = &finding.other {
        let note = Diagnostic { severity: Severity::Note, ..Diagnostic::error(*span, text.clone()) };
        let _ = writeln!(out, "{}", render(report.map, &note, style.colour));
    }
    if finding.trace.is_some() {
        let told = tell(report.program, finding);
        match style.depth {
            Depth::Story => story(report, style, finding, &told, out),
            Depth::Lanes => out.push_str(&lanes(report.program, finding, &told, style.width)),
            Depth::Full => full(report, style, finding, out),
        }
        ending(report, style, finding, out);
        if style.depth == Depth::Story && told.iter().any(|t| !t.matters) {
            let switches = switches(&told);
            let text = format!(
                "all {} steps, {switches} task switch{}: --trace lanes, --trace full",
                told.len(),
                if switches == 1 { "" } else { "es" }
            );
            let _ = writeln!(out, "  {}", paint(style, "2", &text));
        }
    }
    out.push('\n');
}

fn place(report: &Report, style: Style, span: rendez_source::Span) -> String {
    match span.is_nowhere() {
        true => String::new(),
        false => paint(style, "2", &format!("  {}:{}", report.map.name(span.file), span.line)),
    }
}

/// The steps that matter, by their numbers among all that are told.
fn story(report: &Report, style: Style, finding: &Finding, told: &[Told], out: &mut String) {
    let program = report.program;
    let name = |t: rendez_model::TaskId| program.tasks[t.index()].name.as_str();
    let width = told.iter().filter(|t| t.matters).map(|t| name(t.task).chars().count()).max().unwrap_or(0);
    let loop_from = finding.trace.as_ref().and_then(|t| t.loop_from);
    let mut looped = false;
    for (i, step) in told.iter().enumerate() {
        if !looped && loop_from.is_some_and(|from| step.index >= from) {
            looped = true;
            let _ = writeln!(out, "      {}", paint(style, "1", "LOOP: from here on for ever"));
        }
        if step.matters {
            let task = paint(style, "36", &format!("{:<width$}", name(step.task)));
            let _ = writeln!(out, "{:>4}  {task}  {}{}", i + 1, step.text, place(report, style, step.span));
        }
    }
}

/// Every step, with what it changes.
fn full(report: &Report, style: Style, finding: &Finding, out: &mut String) {
    let program = report.program;
    let Some(trace) = &finding.trace else { return };
    let width = trace
        .steps
        .iter()
        .map(|s| program.tasks[s.step.task.index()].name.chars().count())
        .max()
        .unwrap_or(0);
    for (i, step) in trace.steps.iter().enumerate() {
        if trace.loop_from == Some(i) {
            let _ = writeln!(out, "      {}", paint(style, "1", "LOOP: from here on for ever"));
        }
        let span = program.node(step.step.loc).span;
        let what = describe(program, step).map_or_else(|| source(report, span), |(text, _)| text);
        let new: Vec<String> = changes(program, &step.changes)
            .into_iter()
            .map(|(name, value)| format!("{name} := {value}"))
            .filter(|c| !what.contains(c.as_str()))
            .collect();
        let new = if new.is_empty() { String::new() } else { format!("  [{}]", new.join(", ")) };
        let task = &program.tasks[step.step.task.index()].name;
        let task = paint(style, "36", &format!("{task:<width$}"));
        let _ = writeln!(out, "{:>4}  {task}  {what}{new}{}", i + 1, place(report, style, span));
    }
}

/// Of more tasks that wait only the names are shown.
const MOST_WAITING: usize = 12;

/// Who waits for whom.
fn ending(report: &Report, style: Style, finding: &Finding, out: &mut String) {
    if finding.waiting.is_empty() {
        return;
    }
    let program = report.program;
    let name = |t: &rendez_model::TaskId| program.tasks[t.index()].name.as_str();
    let _ = writeln!(out, "      {}", paint(style, "1", "at the end:"));
    let mut waiting: Vec<_> = finding.waiting.iter().collect();
    let core = |task: &rendez_model::TaskId| finding.tasks.contains(task);
    waiting.sort_by_key(|w| !core(&w.task));
    let named = waiting.iter().filter(|w| core(&w.task)).count();
    let most = match style.depth {
        Depth::Full => waiting.len(),
        // What those wait for whom it is about is said with them.
        _ if named > 0 && waiting.len() > named + 2 => named.min(MOST_WAITING),
        _ => MOST_WAITING,
    };
    let shown = &waiting[..most.min(waiting.len())];
    let width = shown.iter().map(|w| name(&w.task).chars().count()).max().unwrap_or(0);
    for w in shown {
        let on: Vec<&str> = w.on.iter().take(6).map(name).collect();
        let mut on = match on.is_empty() {
            true => "; nobody can help".to_owned(),
            // The reason names them.
            false if on.iter().all(|o| w.reason.names(o)) => String::new(),
            false => format!(" -> {}", on.join(", ")),
        };
        if w.on.len() > 6 {
            on += &format!(" and {} more", w.on.len() - 6);
        }
        let task = paint(style, "36", &format!("{:<width$}", name(&w.task)));
        let _ = writeln!(out, "      {task}  {}{on}{}", w.reason, place(report, style, w.span));
    }
    if waiting.len() > shown.len() {
        let rest = &waiting[shown.len()..];
        let names: Vec<&str> = rest.iter().take(6).map(|w| name(&w.task)).collect();
        let more = if rest.len() > 6 { format!(" and {} more", rest.len() - 6) } else { String::new() };
        let wait = if rest.len() == 1 { "waits" } else { "wait" };
        let _ = writeln!(out, "      {}{more} {wait}, too", names.join(", "));
    }
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
