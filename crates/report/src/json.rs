//! The report that programs read: schema 1, stable.

use std::collections::BTreeMap;

use rendez_verdict::{EngineId, Finding, PropertyAnswer, Severity, Stats, Verdict};
use serde::Serialize;

use crate::text::assumptions;
use crate::trace::tell;
use crate::{Report, help};

#[derive(Serialize)]
struct Document {
    schema: u32,
    program: ProgramPart,
    results: Vec<ResultPart>,
    diagnostics: Vec<DiagnosticPart>,
}

#[derive(Serialize)]
struct ProgramPart {
    files: Vec<String>,
    tasks: Vec<String>,
}

#[derive(Serialize)]
struct ResultPart {
    property: String,
    kind: &'static str,
    severity: &'static str,
    verdict: &'static str,
    engine: &'static str,
    replayed: bool,
    assumptions: Vec<String>,
    stats: StatsPart,
    trace: Vec<TracePart>,
    /// The step from which on the trace repeats for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_to: Option<usize>,
    certificate: Option<String>,
    /// The executions that the verdict on a property is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<String>,
    /// Why the property holds without saying anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    vacuous: Option<String>,
    /// The constraints that a proof needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What kind of reason it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacle: Option<&'static str>,
    /// What would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    findings: Vec<FindingPart>,
}

#[derive(Serialize)]
struct StatsPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transitions: Option<usize>,
    #[serde(flatten)]
    flow: Option<FlowPart>,
    #[serde(flatten)]
    ilp: Option<IlpPart>,
    seconds: f64,
    peak_bytes: usize,
}

#[derive(Serialize)]
struct FlowPart {
    tfg_nodes: usize,
    tfg_edges: usize,
    mip_edges: usize,
    tuples: usize,
    node_tuples: usize,
    rounds: usize,
}

#[derive(Serialize)]
struct IlpPart {
    places: usize,
    ilp_variables: usize,
    ilp_constraints: usize,
    linear_programs: usize,
    cuts: usize,
    branches: usize,
    merges: usize,
}

impl From<&Stats> for StatsPart {
    fn from(stats: &Stats) -> StatsPart {
        StatsPart {
            states: stats.looks_at_states().then_some(stats.states),
            transitions: stats.looks_at_states().then_some(stats.transitions),
            flow: stats.flow.map(|f| FlowPart {
                tfg_nodes: f.nodes,
                tfg_edges: f.edges,
                mip_edges: f.mip_edges,
                tuples: f.tuples,
                node_tuples: f.node_tuples,
                rounds: f.rounds,
            }),
            ilp: stats.ilp.map(|i| IlpPart {
                places: i.places,
                ilp_variables: i.variables,
                ilp_constraints: i.constraints,
                linear_programs: i.programs,
                cuts: i.cuts,
                branches: i.branches,
                merges: i.merges,
            }),
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
        }
    }
}

#[derive(Serialize)]
struct TracePart {
    step: usize,
    task: String,
    event: String,
    text: String,
    file: String,
    line: u32,
    /// It belongs to the story.
    matters: bool,
    /// Variables with their new values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    changes: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct FindingPart {
    severity: &'static str,
    message: String,
    file: String,
    line: u32,
    column: u32,
    certain: bool,
    /// The tasks that it is about, and how often it was seen for others.
    tasks: Vec<String>,
    alike: usize,
    trace: Vec<TracePart>,
    waiting: Vec<WaitingPart>,
}

#[derive(Serialize)]
struct WaitingPart {
    task: String,
    reason: String,
    on: Vec<String>,
    file: String,
    line: u32,
}

#[derive(Serialize)]
struct DiagnosticPart {
    severity: &'static str,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

/// The report as one JSON document.
pub fn json(report: &Report) -> String {
    let program = report.program;
    let mut results = Vec::new();
    for (kind, answer) in &report.outcome.answers {
        if report.wanted(*kind) {
            let by = report.outcome.decided_by(*kind);
            results.push(result(report, kind.name(), (kind.name(), kind.severity(), by), answer, None));
        }
    }
    for p in &report.outcome.properties {
        let by = (p.engine, p.stats.as_ref().unwrap_or(&report.outcome.stats));
        results.push(result(report, &p.name, (p.language.name(), Severity::Error, by), &p.answer, Some(p)));
    }
    let diagnostics = report
        .diagnostics
        .iter()
        .chain(&report.outcome.reached)
        .map(|d| DiagnosticPart {
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: d.message.clone(),
            file: d.span.map(|s| report.map.name(s.file).to_owned()),
            line: d.span.map(|s| s.line),
            column: d.span.map(|s| s.column),
        })
        .collect();
    let document = Document {
        schema: 1,
        program: ProgramPart {
            files: report.map.names().map(str::to_owned).collect(),
            tasks: program.tasks.iter().map(|t| t.name.clone()).collect(),
        },
        results,
        diagnostics,
    };
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn result(
    report: &Report,
    property: &str,
    (kind, severity, (engine, stats)): (&'static str, Severity, (EngineId, &Stats)),
    answer: &Verdict,
    asked: Option<&PropertyAnswer>,
) -> ResultPart {
    let (verdict, reason, list): (_, _, &[Finding]) = match answer {
        Verdict::Holds => ("holds", None, &[]),
        Verdict::Violated(list) => ("violated", None, list),
        Verdict::Inconclusive(why, list) => ("inconclusive", Some(why), list),
    };
    let severity = list.iter().map(|f| f.severity).min().unwrap_or(severity);
    let more = asked.map_or(&[][..], |p| &p.assumptions);
    let mut all = assumptions(report, usize::MAX);
    all.retain(|a| more.contains(a) || !report.outcome.properties.iter().any(|p| p.assumptions.contains(a)));
    ResultPart {
        property: property.to_owned(),
        kind,
        severity: severity.word(),
        verdict,
        engine: engine.name(),
        replayed: verdict == "violated" && list.iter().all(|f| f.trace.is_some()),
        assumptions: all,
        stats: stats.into(),
        trace: list.first().map_or(Vec::new(), |f| trace(report, f)),
        loops_to: list.first().and_then(|f| loop_step(report, f)),
        certificate: asked.and_then(|p| p.certificate.clone()),
        covers: asked.map(|p| p.covers.clone()),
        vacuous: asked.and_then(|p| p.vacuous.clone()),
        constraints: asked
            .filter(|p| p.engine == EngineId::Flow && verdict == "holds")
            .map(|p| p.constraints.clone()),
        reason: reason.map(ToString::to_string),
        obstacle: reason.map(|r| r.obstacle().name()),
        help: help(report, answer),
        findings: list.iter().map(|f| finding(report, f)).collect(),
    }
}

/// The step of the told trace from which on it repeats for ever.
fn loop_step(report: &Report, finding: &Finding) -> Option<usize> {
    let from = finding.trace.as_ref()?.loop_from?;
    Some(tell(report.program, finding).iter().filter(|t| t.index < from).count() + 1)
}

fn trace(report: &Report, finding: &Finding) -> Vec<TracePart> {
    let program = report.program;
    let told = tell(program, finding).into_iter().enumerate();
    told.map(|(i, t)| TracePart {
        step: i + 1,
        task: program.tasks[t.task.index()].name.clone(),
        event: t.event,
        text: t.text,
        file: report.map.name(t.span.file).to_owned(),
        line: t.span.line,
        matters: t.matters,
        changes: t.changes.into_iter().collect(),
    })
    .collect()
}

fn finding(report: &Report, finding: &Finding) -> FindingPart {
    let program = report.program;
    FindingPart {
        severity: finding.severity.word(),
        message: finding.message.clone(),
        file: report.map.name(finding.span.file).to_owned(),
        line: finding.span.line,
        column: finding.span.column,
        certain: finding.is_certain(),
        tasks: finding.tasks.iter().map(|t| program.tasks[t.index()].name.clone()).collect(),
        alike: finding.alike.len(),
        trace: trace(report, finding),
        waiting: finding
            .waiting
            .iter()
            .map(|w| WaitingPart {
                task: program.tasks[w.task.index()].name.clone(),
                reason: w.reason.to_string(),
                on: w.on.iter().map(|t| program.tasks[t.index()].name.clone()).collect(),
                file: report.map.name(w.span.file).to_owned(),
                line: w.span.line,
            })
            .collect(),
    }
}
