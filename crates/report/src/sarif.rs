//! The report as SARIF 2.1.0, for code hosts and editors.

use rendez_source::Span;
use rendez_verdict::{Finding, Kind, PropertyAnswer, Reason, Severity, Verdict};
use serde_json::{Value, json};

use crate::text::headline;
use crate::trace::tell;
use crate::{Report, groups};

/// The report as one SARIF log.
pub fn sarif(report: &Report) -> String {
    let mut results: Vec<Value> = groups(report).concat().into_iter().map(|f| result(report, f)).collect();
    results.extend(report.vacuous().into_iter().map(|(span, name, why)| {
        json!({
            "ruleId": "vacuous",
            "kind": "fail",
            "level": "warning",
            "message": { "text": format!("{name} holds vacuously: {why}") },
            "locations": [location(report, span)],
        })
    }));
    let mut rules: Vec<Value> = Kind::ALL.iter().map(|k| rule(k.name(), k.promise(), k.severity())).collect();
    for kind in [Kind::Ctl, Kind::Sequence] {
        rules.push(rule(kind.name(), kind.promise(), kind.severity()));
    }
    rules.push(rule("vacuous", "what a property speaks of can happen", Severity::Warning));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "rendez",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(report),
            }],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn rule(name: &str, promise: &str, severity: Severity) -> Value {
    json!({
        "id": name,
        "shortDescription": { "text": format!("Expected: {promise}.") },
        "help": { "text": format!("`rendez explain {name}` prints what it means and what to do about it.") },
        "defaultConfiguration": { "level": level(severity) },
    })
}

fn location(report: &Report, span: Span) -> Value {
    if span.is_nowhere() {
        return json!({});
    }
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(report.map.name(span.file)) },
        "region": {
            "startLine": span.line.max(1),
            "startColumn": span.column.max(1),
            "endLine": span.end_line.max(span.line).max(1),
            "endColumn": if span.end_line > span.line { span.end_column } else { span.end_column.max(span.column + 1) }.max(1),
        },
    }})
}

/// A file name as a reference: whatever is not plain is quoted.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            b'\\' => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn result(report: &Report, finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.kind.name(),
        // What may be spurious is for a person to look at.
        "kind": if !finding.is_certain() { "review" } else { "fail" },
        "level": if !finding.is_certain() { "none" } else { level(finding.severity) },
        "message": { "text": headline(report, finding) },
        "locations": [location(report, finding.span)],
    });
    if let Some((span, text)) = &finding.other {
        let mut other = location(report, *span);
        other["id"] = json!(1);
        other["message"] = json!({ "text": text });
        result["relatedLocations"] = json!([other]);
    }
    if let Some(flow) = flow(report, finding) {
        result["codeFlows"] = json!([flow]);
    }
    if let Some(property) = report.property_of(finding) {
        result["properties"] = json!({ "property": property.name, "covers": property.covers });
    }
    result
}

/// The trace: one flow for each task, in one order of execution.
fn flow(report: &Report, finding: &Finding) -> Option<Value> {
    let told = tell(report.program, finding);
    let mut tasks: Vec<_> = told.iter().map(|t| t.task).collect();
    tasks.sort();
    tasks.dedup();
    let flows: Vec<Value> = tasks
        .iter()
        .map(|task| {
            let steps: Vec<Value> = told
                .iter()
                .enumerate()
                .filter(|(_, t)| t.task == *task)
                .map(|(i, t)| {
                    let mut place = location(report, t.span);
                    let text = format!("{} {}", report.program.tasks[task.index()].name, t.text);
                    place["message"] = json!({ "text": text });
                    let mut step = json!({
                        "executionOrder": i + 1,
                        "importance": if t.matters { "essential" } else { "important" },
                        "location": place,
                    });
                    if !t.changes.is_empty() {
                        let state = t.changes.iter().map(|(n, v)| (n.clone(), json!({ "text": v })));
                        step["state"] = Value::Object(state.collect());
                    }
                    step
                })
                .collect();
            json!({ "id": report.program.tasks[task.index()].name, "locations": steps })
        })
        .collect();
    (!flows.is_empty()).then(|| json!({ "message": { "text": finding.message }, "threadFlows": flows }))
}

/// What is undecided, and what the front end says.
fn notifications(report: &Report) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for d in report.diagnostics.iter().chain(&report.outcome.reached) {
        let mut note = json!({ "level": level(d.severity), "message": { "text": d.message } });
        if let Some(span) = d.span {
            note["locations"] = json!([location(report, span)]);
        }
        all.push(note);
    }
    for (name, why) in report.undecided() {
        all.push(json!({ "level": "note", "message": { "text": format!("{name} is undecided: {why}") } }));
    }
    for property in report.outcome.properties.iter().filter(|p| matches!(p.answer, Verdict::Holds)) {
        let text = format!("{} holds; it covers {}", property.name, property.covers);
        all.push(json!({ "level": "none", "message": { "text": text } }));
    }
    all
}

impl Report<'_> {
    /// The property that a finding is about.
    fn property_of(&self, finding: &Finding) -> Option<&PropertyAnswer> {
        let has = |p: &&PropertyAnswer| match &p.answer {
            Verdict::Violated(list) | Verdict::Inconclusive(_, list) => {
                list.iter().any(|f| std::ptr::eq(f, finding))
            }
            Verdict::Holds => false,
        };
        self.outcome.properties.iter().find(has)
    }

    /// What has no verdict, and why.
    pub(crate) fn undecided(&self) -> Vec<(&str, &Reason)> {
        let checks = self.outcome.answers.iter().filter(|(k, _)| self.wanted(*k)).map(|(k, a)| (k.name(), a));
        let all = checks.chain(self.outcome.properties.iter().map(|p| (p.name.as_str(), &p.answer)));
        all.filter_map(|(name, answer)| match answer {
            Verdict::Inconclusive(why, _) => Some((name, why)),
            _ => None,
        })
        .collect()
    }
}
