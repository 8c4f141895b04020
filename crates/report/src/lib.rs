//! Reports: what was found, as text and as a page for people, as JSON, SARIF and single lines for
//! programs.

mod gnat;
mod html;
mod json;
mod lanes;
mod sarif;
mod story;
mod text;
mod trace;

use rendez_model::Program;
use rendez_source::{Diagnostic, SourceMap, Span};
use rendez_verdict::{Finding, Kind, Obstacle, Outcome};

pub use gnat::gnat;
pub use html::{Picture, draw, html};
pub use json::json;
pub use sarif::sarif;
pub use story::describe;
pub use text::{Depth, Style, text};
pub use trace::{Told, tell};

/// What is reported on.
pub struct Report<'r> {
    pub program: &'r Program,
    pub map: &'r SourceMap,
    pub outcome: &'r Outcome,
    pub diagnostics: &'r [Diagnostic],
    /// Only these checks, if any are named.
    pub only: &'r [Kind],
    /// Warnings count as errors.
    pub deny_warnings: bool,
}

impl Report<'_> {
    /// The properties that hold without saying anything: where they stand, their names, and why.
    fn vacuous(&self) -> Vec<(Span, &str, &str)> {
        let span = |name: &str| self.program.monitors.iter().find(|m| m.name == name).map(|m| m.span);
        let all = self.outcome.properties.iter();
        all.filter_map(|p| {
            Some((span(&p.name).unwrap_or(Span::NOWHERE), p.name.as_str(), p.vacuous.as_deref()?))
        })
        .collect()
    }

    fn wanted(&self, kind: Kind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }

    /// The exit status: 0 all hold, 1 some error found, 3 something undecided.
    pub fn status(&self) -> u8 {
        use rendez_verdict::{Severity, Verdict};
        let mut undecided = false;
        if self.deny_warnings && !self.vacuous().is_empty() {
            return 1;
        }
        let checks = self.outcome.answers.iter().filter(|(kind, _)| self.wanted(*kind)).map(|(_, a)| a);
        for answer in checks.chain(self.outcome.properties.iter().map(|p| &p.answer)) {
            match answer {
                Verdict::Violated(list) => {
                    let counts = |f: &Finding| {
                        f.severity == Severity::Error
                            || (self.deny_warnings && f.severity == Severity::Warning)
                    };
                    if list.iter().any(counts) {
                        return 1;
                    }
                }
                Verdict::Inconclusive(..) => undecided = true,
                Verdict::Holds => {}
            }
        }
        if undecided { 3 } else { 0 }
    }
}

/// All findings, the most serious first, each group with what has the same cause.
fn groups<'r>(report: &'r Report) -> Vec<Vec<&'r Finding>> {
    use rendez_verdict::Verdict;
    let checks = report.outcome.answers.iter().filter(|(kind, _)| report.wanted(*kind)).map(|(_, a)| a);
    let mut all: Vec<&Finding> = Vec::new();
    for answer in checks.chain(report.outcome.properties.iter().map(|p| &p.answer)) {
        if let Verdict::Violated(list) | Verdict::Inconclusive(_, list) = answer {
            all.extend(list);
        }
    }
    all.sort_by_key(|f| (f.severity, !f.is_certain(), f.kind));
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    // Whatever comes about without another finding begins a group.
    let (first, follow): (Vec<&Finding>, Vec<&Finding>) =
        all.iter().partition(|f| !all.iter().any(|g| leads_to(g, f) && !leads_to(f, g)));
    for finding in first {
        match groups.iter_mut().find(|g| is_variant(g[0], finding)) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    for finding in follow {
        match groups.iter_mut().find(|g| leads_to(g[0], finding)) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// Whether two findings are the same tasks waiting for ever in different ways.
fn is_variant(a: &Finding, b: &Finding) -> bool {
    let blocking = matches!(a.kind, Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin);
    blocking
        && a.kind == b.kind
        && a.is_certain() == b.is_certain()
        && (a.kind == Kind::Spin || a.tasks.iter().any(|t| b.tasks.contains(t)))
}

/// Whether one finding is part of how another comes about: an exception from which a task dies in the
/// other's trace, or a circle of tasks one of which the other names.
fn leads_to(cause: &Finding, finding: &Finding) -> bool {
    use rendez_model::semantics::Fate;
    if std::ptr::eq(cause, finding) || finding.is_certain() != cause.is_certain() {
        return false;
    }
    let deadly = |k: Kind| matches!(k, Kind::TaskingError | Kind::ProgramError | Kind::UnhandledException);
    let raised = |f: &Finding| f.trace.as_ref().and_then(|t| t.steps.last().map(|s| s.step.loc));
    match (cause.kind, finding.kind) {
        (k, _) if deadly(k) => {
            let (Some(trace), Some(place)) = (&finding.trace, raised(cause)) else { return false };
            let last = trace.steps.len().saturating_sub(1);
            trace.steps.iter().enumerate().any(|(i, s)| {
                let dies = s.step.raised.iter().any(|r| r.fate == Fate::Died && r.loc == place);
                // What a finding itself ends with is no cause of it.
                dies && (i < last || !deadly(finding.kind))
            })
        }
        (Kind::CircularWait, Kind::ClientBlocked) => {
            let waits = |task, span| cause.waiting.iter().any(|w| w.task == task && w.span == span);
            let own = |t: &rendez_model::TaskId| finding.waiting.iter().find(|w| w.task == *t);
            !finding.tasks.is_empty()
                && finding.tasks.iter().all(|t| own(t).is_some_and(|w| waits(*t, w.span)))
        }
        _ => false,
    }
}

/// What would help where there is no verdict: at which step a trace becomes doubtful, or which limit
/// was in the way.
fn help(report: &Report, answer: &rendez_verdict::Verdict) -> Option<String> {
    let rendez_verdict::Verdict::Inconclusive(why, list) = answer else { return None };
    let program = report.program;
    let guess = list.iter().find_map(|f| f.trace.as_ref()?.steps.iter().find(|s| s.step.guessed));
    if let Some(step) = guess {
        let node = program.node(step.step.loc);
        let mut names: Vec<&str> = Vec::new();
        node.action.each_expr(&mut |e| {
            e.each_cell(program, &mut |cell| {
                let name = program.vars[cell.index()].name.as_str();
                if story::is_named(program, cell) && !names.contains(&name) {
                    names.push(name);
                }
            });
        });
        let place = match node.span.is_nowhere() {
            true => "a step".to_owned(),
            false => format!("{}:{}", report.map.name(node.span.file), node.span.line),
        };
        let about = match names[..] {
            [] => "depends on a value from outside or on data that is not followed".to_owned(),
            _ => format!("depends on {}, which is not followed", names.join(", ")),
        };
        let who = &program.tasks[step.step.task.index()].name;
        return Some(format!(
            "it is certain up to where {who} comes to {place}: what happens there {about}. If the condition can be as \
             the trace needs it, the finding is real"
        ));
    }
    let text = match why.obstacle() {
        _ if why.advises() => return None,
        Obstacle::Time => "--timeout gives more time; --engine directed looks for errors only",
        Obstacle::Memory => {
            "--memory gives more; --untrack VAR forgets a variable; --keep hashes looks for errors only"
        }
        Obstacle::States => "--states raises the limit",
        Obstacle::Bound if report.outcome.long_delays => "without --delays long, a delay may end at any time",
        Obstacle::Bound => "--recursion-bound follows deeper calls, --task-bound more tasks",
        Obstacle::Unmodelled => {
            "the message above names the place; --opaque UNIT takes a unit not to synchronise tasks"
        }
        Obstacle::Other => return None,
    };
    Some(text.to_owned())
}
