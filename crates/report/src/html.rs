//! The report as one page that needs nothing else: what was found, and every trace to step through.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use rendez_model::TaskId;
use rendez_verdict::{EngineId, Finding, Severity, Verdict, WaiterRole, Waiting};
use serde::Serialize;

use crate::text::{SHOWN_CHECKS, assumptions, headline};
use crate::trace::{Told, tell};
use crate::{Report, groups};

/// A page is never larger.
const LARGEST: usize = 2_000_000;
/// Tasks with a lane of their own, and steps of a diagram.
const MOST_LANES: usize = 12;
const MOST_STEPS: usize = 400;
/// Tasks of a wait-for graph.
const MOST_WAITING: usize = 16;
/// Lines of source in a lane.
const MOST_LINES: usize = 120;

/// A picture for the page, in Graphviz's language.
pub struct Picture {
    pub title: String,
    pub dot: String,
}

const CSS: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The page.
pub fn html(report: &Report, graphs: &[Picture]) -> String {
    let mut out = String::new();
    let name = escape(&report.program.name);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>rendez: {name}</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n"
    );
    let groups = groups(report);
    let count: usize = groups.iter().map(Vec::len).sum();
    let tasks = report.program.tasks.len();
    let _ = write!(
        out,
        "<header><h1>{name}</h1><p class=\"soft\">{tasks} task{}, {count} finding{}; checked by rendez {}</p></header>\n<main>\n",
        plural(tasks),
        plural(count),
        env!("CARGO_PKG_VERSION")
    );
    verdicts(report, &mut out);
    let mut left_out: Vec<String> = Vec::new();
    let mut number = 0;
    for group in &groups {
        for (i, finding) in group.iter().enumerate() {
            number += 1;
            let part = section(report, finding, number, i > 0);
            match out.len() + part.len() + 100_000 < LARGEST {
                true => out.push_str(&part),
                false => left_out.push(format!("finding {number}: {}", finding.message)),
            }
        }
    }
    if !graphs.is_empty() {
        out.push_str("<details><summary>Graphs</summary>\n");
        for graph in graphs {
            let part = match draw(&graph.dot) {
                Some(svg) => {
                    format!("<h3>{}</h3>\n<div class=\"graph drawn\">{svg}</div>\n", escape(&graph.title))
                }
                None => String::new(),
            };
            match !part.is_empty() && out.len() + part.len() + 50_000 < LARGEST {
                true => out.push_str(&part),
                false => left_out.push(graph.title.clone()),
            }
        }
        out.push_str("</details>\n");
    }
    out.push_str("<details><summary>What the verdicts take for granted</summary>\n<ul>\n");
    for assumption in assumptions(report, SHOWN_CHECKS) {
        if out.len() + 20_000 > LARGEST {
            left_out.push("more assumptions".into());
            break;
        }
        let _ = writeln!(out, "<li>{}</li>", escape(&assumption));
    }
    out.push_str("</ul></details>\n");
    if !left_out.is_empty() {
        let shown = left_out.len().min(40);
        let _ = writeln!(
            out,
            "<p class=\"left-out\"><b>Left out</b> to keep the page small: {}{}</p>",
            escape(&left_out[..shown].join("; ")),
            if shown < left_out.len() {
                format!(" and {} more", left_out.len() - shown)
            } else {
                String::new()
            }
        );
    }
    let _ = write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One line for each check and property.
fn verdicts(report: &Report, out: &mut String) {
    out.push_str("<table>\n<tr><th>checked</th><th>verdict</th><th></th><th>by</th></tr>\n");
    let mut row = |name: &str,
                   answer: &Verdict,
                   promise: &str,
                   engine: EngineId,
                   [covers, vacuous]: [Option<&str>; 2]| {
        let (word, class, rest) = match answer {
            Verdict::Holds if vacuous.is_some() => {
                let why = vacuous.unwrap_or_default();
                ("holds vacuously", "violated warning".to_owned(), format!("{promise} ({why})"))
            }
            Verdict::Holds => ("holds", "holds".to_owned(), promise.to_owned()),
            Verdict::Violated(list) => {
                let worst = list.iter().map(|f| f.severity).min().unwrap_or(Severity::Error);
                let rest = list.first().map_or(String::new(), |f| headline(report, f));
                ("violated", format!("violated {}", worst.word()), rest)
            }
            Verdict::Inconclusive(why, _) => ("inconclusive", "inconclusive".to_owned(), why.to_string()),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"{class}\">{word}</td><td>{}{}</td><td class=\"soft\">{}</td></tr>",
            escape(name),
            escape(&rest),
            covers.map_or(String::new(), |c| format!("<br><span class=\"soft\">covers {}</span>", escape(c))),
            engine.name(),
        );
    };
    for (kind, answer) in report.outcome.answers.iter().filter(|(k, _)| report.wanted(*k)) {
        let promise = report.outcome.promise(*kind, report.program);
        row(kind.name(), answer, &promise, report.outcome.decided_by(*kind).0, [None; 2]);
    }
    for p in &report.outcome.properties {
        row(&p.name, &p.answer, &p.text, p.engine, [Some(&p.covers), p.vacuous.as_deref()]);
    }
    out.push_str("</table>\n");
}

/// A step, as the script reads it: task, its name, line, text, changes.
#[derive(Serialize)]
struct PageStep<'a> {
    t: usize,
    n: &'a str,
    l: u32,
    x: &'a str,
    c: Vec<String>,
}

fn section(report: &Report, finding: &Finding, number: usize, follows: bool) -> String {
    let program = report.program;
    let name = |t: TaskId| program.tasks[t.index()].name.as_str();
    let mut told = tell(program, finding);
    let hidden = told.len().saturating_sub(MOST_STEPS);
    told.drain(..hidden);
    let mut out = format!(
        "<section class=\"finding {}{}\" id=\"f{number}\" tabindex=\"0\"{}>\n<h2>{} <span class=\"tag\">{} {}</span></h2>\n",
        finding.severity.word(),
        if follows { " follows" } else { "" },
        if told.is_empty() { String::new() } else { format!(" data-steps=\"{}\"", told.len()) },
        escape(&headline(report, finding)),
        finding.severity.word(),
        finding.kind.name()
    );
    if !finding.span.is_nowhere() {
        let (file, line) = (report.map.name(finding.span.file), finding.span.line);
        let text = report.map.text(finding.span.file).lines().nth(line as usize - 1).unwrap_or("");
        let _ = writeln!(out, "<p class=\"mono\">{}:{line}: {}</p>", escape(file), escape(text.trim()));
    }
    if told.is_empty() {
        return out + "</section>\n";
    }
    if hidden > 0 {
        let _ = writeln!(out, "<p class=\"soft\">The first {hidden} steps are left out.</p>");
    }
    out.push_str("<ol class=\"story\">\n");
    for (i, step) in told.iter().enumerate().filter(|(_, s)| s.matters) {
        let _ = writeln!(
            out,
            "<li data-step=\"{0}\"><button type=\"button\">{0}. <b>{1}</b> {2}</button></li>",
            i + 1,
            escape(name(step.task)),
            escape(&step.text)
        );
    }
    out.push_str("</ol>\n");
    waiting(report, finding, number, &mut out);
    out.push_str(
        "<div class=\"bar\"><button type=\"button\" data-go=\"first\" aria-label=\"to the start\">«</button>\
         <button type=\"button\" data-go=\"back\" aria-label=\"one step back\">‹</button>\
         <button type=\"button\" data-go=\"next\" aria-label=\"one step on\">›</button>\
         <button type=\"button\" data-go=\"last\" aria-label=\"to the end\">»</button>",
    );
    let _ = writeln!(
        out,
        "<input type=\"range\" min=\"0\" max=\"{}\" value=\"0\" aria-label=\"step\">\
         <span class=\"what mono\" aria-live=\"polite\"></span></div>",
        told.len()
    );
    let (lanes, others) = crate::lanes::columns(finding, &told, MOST_LANES);
    diagram(report, finding, &told, &lanes, &mut out);
    sources(report, finding, &told, &lanes, &mut out);
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(8).map(|t| name(*t)).collect();
        let more = others.len().saturating_sub(8);
        let _ = writeln!(
            out,
            "<p class=\"soft\">Without lanes of their own: {}{}</p>",
            escape(&names.join(", ")),
            if more > 0 { format!(" and {more} more tasks") } else { String::new() }
        );
    }
    let steps: Vec<PageStep> = told
        .iter()
        .map(|s| PageStep {
            t: s.task.index(),
            n: name(s.task),
            l: s.span.line,
            x: &s.text,
            c: s.changes.iter().map(|(n, v)| format!("{n} := {v}")).filter(|c| !s.text.contains(c)).collect(),
        })
        .collect();
    let data = serde_json::to_string(&steps).unwrap_or_default().replace("</", "<\\/");
    let _ = writeln!(out, "<script type=\"application/json\" class=\"steps\">{data}</script>\n</section>");
    out
}

/// Who waits for whom at the end: a list and a picture.
fn waiting(report: &Report, finding: &Finding, number: usize, out: &mut String) {
    let program = report.program;
    // Whoever waits for the end of all others adds nothing.
    let parent = |w: &&Waiting| w.role == WaiterRole::Parent && !finding.tasks.contains(&w.task);
    let mut all: Vec<&Waiting> = finding.waiting.iter().filter(|w| !parent(w)).collect();
    if all.is_empty() {
        return;
    }
    let name = |t: &TaskId| program.tasks[t.index()].name.as_str();
    let core = |t: &TaskId| finding.tasks.contains(t);
    // Those that the finding is about, those that they wait for, then the others.
    let near = |t: &TaskId| all_on(finding, core).contains(t);
    all.sort_by_key(|w| (!core(&w.task), !near(&w.task)));
    out.push_str("<ul class=\"ends\">\n");
    for w in all.iter().filter(|w| core(&w.task)).take(MOST_WAITING) {
        let _ = writeln!(out, "<li><b>{}</b> {}</li>", escape(name(&w.task)), escape(&w.reason.to_string()));
    }
    out.push_str("</ul>\n");
    let left_out = all.len().saturating_sub(MOST_WAITING);
    all.truncate(MOST_WAITING);
    wait_for_graph(report, finding, &all, number, out);
    if left_out > 0 {
        let _ = writeln!(out, "<p class=\"soft\">{left_out} more tasks wait.</p>");
    }
}

/// Along a circle, each after whom it waits for if possible.
fn along_waits(finding: &Finding, all: &[&Waiting]) -> Vec<TaskId> {
    let core = |t: &TaskId| finding.tasks.contains(t);
    let mut order: Vec<TaskId> = Vec::new();
    let mut next = all.first().map(|w| w.task);
    while order.len() < all.len() {
        let task = match next.filter(|t| !order.contains(t)) {
            Some(task) => task,
            None => match all.iter().find(|w| !order.contains(&w.task)) {
                Some(w) => w.task,
                None => break,
            },
        };
        order.push(task);
        let on = all.iter().find(|w| w.task == task).map_or(&[][..], |w| &w.on);
        let shown = |t: &&TaskId| all.iter().any(|w| w.task == **t) && !order.contains(t);
        next = on.iter().find(|t| shown(t) && core(t)).or_else(|| on.iter().find(shown)).copied();
    }
    order
}

/// Half the width and half the height of a task in the wait-for graph.
const HALF: (f64, f64) = (62.0, 14.0);

/// The picture of who waits for whom: tasks on an ellipse, with arrows between them.
fn wait_for_graph(report: &Report, finding: &Finding, all: &[&Waiting], number: usize, out: &mut String) {
    let name = |t: &TaskId| report.program.tasks[t.index()].name.as_str();
    let red = |t: &TaskId| if finding.tasks.contains(t) { " core" } else { "" };
    let order = along_waits(finding, all);
    let count = order.len() as f64;
    let (rx, ry) = (60.0 + 42.0 * count, 50.0 + 18.0 * count);
    let (cx, cy) = (rx + 90.0, ry + 30.0);
    let place = |t: &TaskId| {
        let i = order.iter().position(|o| o == t)? as f64;
        let angle = std::f64::consts::TAU * i / count - std::f64::consts::FRAC_PI_2;
        Some((cx + rx * angle.cos(), cy + ry * angle.sin()))
    };
    let tip = format!("tip{number}");
    let _ = writeln!(
        out,
        "<h3>Who waits for whom at the end</h3>\n<div class=\"graph\"><svg class=\"waits\" viewBox=\"0 0 {0:.0} {1:.0}\" \
         style=\"max-width:{0:.0}px\" role=\"img\" aria-label=\"who waits for whom\"><defs><marker id=\"{tip}\" viewBox=\"0 0 10 10\" refX=\"9\" \
         refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" \
         fill=\"context-stroke\"/></marker></defs>",
        2.0 * cx,
        2.0 * cy
    );
    for w in all {
        let Some(from) = place(&w.task) else { continue };
        let label = w.entry.map_or(String::new(), |e| report.program.entries[e.index()].name.clone());
        let title = format!("{} {}", escape(name(&w.task)), escape(&w.reason.to_string()));
        for to in w.on.iter().filter_map(place) {
            wait_arrow(from, to, &tip, red(&w.task), &title, &escape(&short(&label, 24)), out);
        }
    }
    let (half, high) = HALF;
    for task in &order {
        let Some((x, y)) = place(task) else { continue };
        let label: String = name(task).chars().take(16).collect();
        let _ = writeln!(
            out,
            "<rect class=\"node{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            red(task),
            x - half,
            y - high,
            2.0 * half,
            2.0 * high,
            y + 4.0,
            escape(&label)
        );
    }
    out.push_str("</svg></div>\n");
}

/// A bow beside the straight line, so that there is room for the way back.
fn wait_arrow(
    (x1, y1): (f64, f64),
    (x2, y2): (f64, f64),
    tip: &str,
    red: &str,
    title: &str,
    label: &str,
    out: &mut String,
) {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let long = dx.hypot(dy).max(1.0);
    let (nx, ny) = (-dy / long, dx / long);
    let (mx, my) = (x1.midpoint(x2) + 24.0 * nx, y1.midpoint(y2) + 24.0 * ny);
    let anchor = match nx {
        _ if nx > 0.4 => "start",
        _ if nx < -0.4 => "end",
        _ => "middle",
    };
    // Where the bow leaves the box of a task.
    let edge = |x: f64, y: f64| {
        let (half, high) = HALF;
        let (dx, dy) = (mx - x, my - y);
        let shrink = (half / dx.abs().max(0.001)).min(high / dy.abs().max(0.001)).min(0.9);
        (x + dx * shrink, y + dy * shrink)
    };
    let ((ax, ay), (bx, by)) = (edge(x1, y1), edge(x2, y2));
    let _ = writeln!(
        out,
        "<path class=\"wait{red}\" marker-end=\"url(#{tip})\" d=\"M{ax:.1} {ay:.1}Q{mx:.1} {my:.1} {bx:.1} \
         {by:.1}\"><title>{title}</title></path><text class=\"why\" x=\"{:.1}\" y=\"{:.1}\" \
         text-anchor=\"{anchor}\">{label}</text>",
        ax.midpoint(bx).midpoint(mx) + 4.0 * nx,
        ay.midpoint(by).midpoint(my) + 4.0 + 9.0 * ny,
    );
}

fn all_on(finding: &Finding, core: impl Fn(&TaskId) -> bool) -> Vec<TaskId> {
    finding.waiting.iter().filter(|w| core(&w.task)).flat_map(|w| w.on.iter().copied()).collect()
}

const LANE: usize = 190;
const ROW: usize = 30;
const TOP: usize = 8;

/// The trace as a sequence diagram, time downwards.
fn diagram(report: &Report, finding: &Finding, told: &[Told], lanes: &[TaskId], out: &mut String) {
    let program = report.program;
    let x = |t: TaskId| lanes.iter().position(|l| *l == t).map(|i| i * LANE + LANE / 2);
    let (width, height) = (lanes.len() * LANE + 120, TOP + told.len() * ROW + 20);
    let _ = writeln!(
        out,
        "<div class=\"diagram\" tabindex=\"0\"><svg class=\"names\" width=\"{width}\" height=\"28\" aria-hidden=\"true\">"
    );
    for (i, task) in lanes.iter().enumerate() {
        let label = short(&program.tasks[task.index()].name, 22);
        let (x, label) = (i * LANE + LANE / 2, escape(&label));
        let _ =
            writeln!(out, "<text class=\"name\" x=\"{x}\" y=\"18\" text-anchor=\"middle\">{label}</text>");
    }
    let _ = writeln!(
        out,
        "</svg><svg class=\"sequence\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"sequence diagram\">"
    );
    for i in 0..lanes.len() {
        let x = i * LANE + LANE / 2;
        let _ = writeln!(out, "<line class=\"life\" x1=\"{x}\" y1=\"0\" x2=\"{x}\" y2=\"{}\"/>", height - 10);
    }
    let loop_from = finding.trace.as_ref().and_then(|t| t.loop_from);
    let mut looped = false;
    for (i, step) in told.iter().enumerate() {
        let y = TOP + i * ROW + ROW / 2;
        if !looped && loop_from.is_some_and(|from| step.index >= from) {
            looped = true;
            let _ = writeln!(
                out,
                "<line class=\"loop\" x1=\"0\" y1=\"{0}\" x2=\"{width}\" y2=\"{0}\"/><text x=\"6\" y=\"{1}\">from here on for ever</text>",
                y - ROW / 2,
                y - ROW / 2 - 3
            );
        }
        let matters = if step.matters { " matters" } else { "" };
        let _ = write!(
            out,
            "<g class=\"step{matters}\" data-step=\"{}\" data-y=\"{y}\" data-x=\"{}\"><rect class=\"hit\" x=\"0\" y=\"{}\" width=\"{width}\" height=\"{ROW}\"/>",
            i + 1,
            x(step.task).unwrap_or(0),
            y - ROW / 2
        );
        let who = &program.tasks[step.task.index()].name;
        let partner = step.partners.iter().find_map(|p| x(*p));
        step_mark(step, who, x(step.task), partner, y, out);
        let _ = writeln!(out, "<title>{} {}</title></g>", escape(who), escape(&step.text));
    }
    out.push_str("</svg></div>\n");
}

/// A step in the diagram: an arrow between two lanes, a dot on one, or a text where neither is shown.
fn step_mark(step: &Told, who: &str, own: Option<usize>, partner: Option<usize>, y: usize, out: &mut String) {
    match (own, partner) {
        (Some(a), Some(b)) => {
            // A call goes from the caller to whoever accepts it.
            let (from, to) = if step.accepts { (b, a) } else { (a, b) };
            let tip = if from < to { to - 8 } else { to + 8 };
            let _ = write!(
                out,
                "<line x1=\"{from}\" y1=\"{0}\" x2=\"{to}\" y2=\"{0}\"/><path d=\"M{tip} {1}L{to} {0}L{tip} {2}\"/>\
                 <text x=\"{3}\" y=\"{4}\" text-anchor=\"middle\">{5}</text>",
                y + 6,
                y + 2,
                y + 10,
                a.midpoint(b),
                y,
                escape(&short(&step.text, 26 * (a.abs_diff(b) / LANE).max(1)))
            );
        }
        (Some(a), None) => {
            let _ = write!(
                out,
                "<circle cx=\"{a}\" cy=\"{y}\" r=\"4\"/><text x=\"{}\" y=\"{}\">{}</text>",
                a + 9,
                y + 4,
                escape(&short(&step.text, 40))
            );
        }
        (None, Some(b)) => {
            let _ = write!(
                out,
                "<circle cx=\"{b}\" cy=\"{y}\" r=\"4\"/><text x=\"{}\" y=\"{}\">{}</text>",
                b + 9,
                y + 4,
                escape(&short(&format!("{who} {}", step.text), 40))
            );
        }
        (None, None) => {
            let _ = write!(
                out,
                "<text x=\"6\" y=\"{}\">{}</text>",
                y + 4,
                escape(&short(&format!("({who} {})", step.text), 60))
            );
        }
    }
}

fn short(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// The source of each task that has a lane: the lines it comes by, and those between.
fn sources(report: &Report, finding: &Finding, told: &[Told], lanes: &[TaskId], out: &mut String) {
    out.push_str("<div class=\"lanes\">\n");
    for task in lanes {
        // A task may run code of several files: the one with most of its steps is shown.
        let mut files: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let own = told.iter().filter(|s| s.task == *task).map(|s| s.span);
        let end = finding.waiting.iter().filter(|w| w.task == *task).map(|w| w.span);
        for span in own.chain(end).filter(|s| !s.is_nowhere()) {
            files.entry(span.file.0).or_default().push(span.line);
        }
        let Some((file, lines)) = files.into_iter().max_by_key(|(_, l)| l.len()) else { continue };
        let file = rendez_source::FileId(file);
        let (first, last) =
            (lines.iter().min().copied().unwrap_or(1), lines.iter().max().copied().unwrap_or(1));
        let (first, last) = (first.saturating_sub(3).max(1), last + 2);
        let wanted =
            |line: u32| (last - first) < MOST_LINES as u32 || lines.iter().any(|l| l.abs_diff(line) <= 2);
        let _ = write!(
            out,
            "<div class=\"lane\" data-task=\"{}\"><h4>{} <span class=\"soft\">{}</span></h4><pre tabindex=\"0\">",
            task.index(),
            escape(&report.program.tasks[task.index()].name),
            escape(report.map.name(file))
        );
        let text = report.map.text(file).lines().enumerate().skip(first as usize - 1);
        for (i, line) in
            text.take((last - first + 1) as usize).filter(|(i, _)| wanted(*i as u32 + 1)).take(MOST_LINES)
        {
            let _ = write!(out, "<span class=\"l\" data-line=\"{}\">{}</span>", i + 1, escape(line));
        }
        out.push_str("</pre></div>\n");
    }
    out.push_str("</div>\n");
}

/// A graph as an SVG picture; nothing if it cannot be drawn.
pub fn draw(dot: &str) -> Option<String> {
    let drawn = || {
        let graph = DotParser::new(dot).process().ok()?;
        let mut builder = GraphBuilder::new();
        builder.visit_graph(&graph);
        let mut visual = builder.get();
        let mut svg = SVGWriter::new();
        visual.do_it(false, false, false, &mut svg);
        Some(svg.finalize())
    };
    // The layout is somebody else's: a graph that it cannot cope with is left out.
    let text = std::panic::catch_unwind(drawn).ok()??;
    // Inside a page without the header of a file.
    text.find("<svg").map(|at| text[at..].to_owned())
}
