//! A trace with one column for each task.

use std::fmt::Write as _;

use rendez_model::{Program, TaskId};
use rendez_verdict::Finding;

use crate::trace::Told;

/// A column is at least so wide.
const NARROW: usize = 18;
const WIDE: usize = 34;

/// The steps of a trace, each in the column of its task; `<` and `>` point from a partner's column to it.
pub fn lanes(program: &Program, finding: &Finding, told: &[Told], width: usize) -> String {
    let mut out = String::new();
    let room = width.saturating_sub(6);
    let (columns, others) = columns(finding, told, (room / (NARROW + 1)).max(1));
    if columns.is_empty() {
        return out;
    }
    let wide = (room / columns.len()).saturating_sub(1).clamp(8, WIDE);
    let line = |number: &str, cells: &[String], out: &mut String| {
        let mut line = format!("{number:>4}  ");
        for cell in cells {
            let pad = wide.saturating_sub(cell.chars().count());
            let _ = write!(line, "{cell}{} ", " ".repeat(pad));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    };
    let name = |t: &TaskId| cut(&program.tasks[t.index()].name, wide);
    line("", &columns.iter().map(name).collect::<Vec<_>>(), &mut out);
    line("", &columns.iter().map(|_| "-".repeat(wide)).collect::<Vec<_>>(), &mut out);
    let loop_from = finding.trace.as_ref().and_then(|t| t.loop_from);
    let mut looped = false;
    for (i, step) in told.iter().enumerate() {
        if !looped && loop_from.is_some_and(|from| step.index >= from) {
            looped = true;
            let _ = writeln!(out, "      LOOP: from here on for ever");
        }
        let Some(own) = columns.iter().position(|t| *t == step.task) else {
            // Of the others only what they do to those that are shown.
            if step.partners.iter().any(|p| columns.contains(p)) {
                let who = &program.tasks[step.task.index()].name;
                let _ = writeln!(out, "{:>4}  ({who} {})", i + 1, step.text);
            }
            continue;
        };
        let rows = wrap(&step.text, wide);
        for (r, row) in rows.iter().enumerate() {
            let mut cells = vec![String::new(); columns.len()];
            cells[own] = row.clone();
            for partner in step.partners.iter().filter(|_| r == 0) {
                if let Some(c) = columns.iter().position(|t| t == partner) {
                    cells[c] = if c < own { ">" } else { "<" }.to_owned();
                }
            }
            let number = if r == 0 { (i + 1).to_string() } else { String::new() };
            line(&number, &cells, &mut out);
        }
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|t| program.tasks[t.index()].name.as_str()).collect();
        let shown = names.len().min(6);
        let more =
            if shown < names.len() { format!(" and {} more", names.len() - shown) } else { String::new() };
        let _ = writeln!(out, "      without the steps of {}{more}", names[..shown].join(", "));
    }
    out
}

/// The tasks that get a column: those the finding is about, then those that do most; and the others.
pub(crate) fn columns(finding: &Finding, told: &[Told], most: usize) -> (Vec<TaskId>, Vec<TaskId>) {
    let mut all: Vec<TaskId> = told.iter().flat_map(|t| t.partners.iter().copied().chain([t.task])).collect();
    all.sort();
    all.dedup();
    let steps = |task: TaskId| told.iter().filter(|t| t.task == task || t.partners.contains(&task)).count();
    let near =
        |task: TaskId| told.iter().any(|t| t.matters && (t.task == task || t.partners.contains(&task)));
    all.sort_by_key(|t| (!finding.tasks.contains(t), !near(*t), usize::MAX - steps(*t), *t));
    let mut others = all.split_off(all.len().min(most));
    others.retain(|o| told.iter().any(|t| t.task == *o));
    all.sort();
    others.sort();
    (all, others)
}

fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// Breaks text at blanks.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = cut(word, width);
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= width => {
                row.push(' ');
                row.push_str(&word);
            }
            _ => rows.push(word),
        }
    }
    rows.truncate(4);
    rows
}
