//! Traces as files: one move a line, the task by number and name.

use rendez_model::semantics::Move;
use rendez_model::{Program, TaskId};

/// The first words of every file.
const HEADER: &str = "rendez trace 1";

/// Writes a trace for `rendez simulate --trace`.
pub fn print(program: &Program, moves: &[Move]) -> String {
    let mut out = format!("{HEADER} {}\n", program.name);
    for mv in moves {
        out.push_str(&format!("{} {} {}\n", mv.task.0, mv.choice, program.tasks[mv.task.index()].name));
    }
    out
}

/// Reads a trace; the line that is wrong, and why.
pub fn parse(text: &str) -> Result<Vec<Move>, (usize, String)> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, first)) if first.starts_with(HEADER) => {}
        _ => return Err((1, "this is no trace saved by rendez".into())),
    }
    let mut moves = Vec::new();
    for (i, line) in lines.filter(|(_, l)| !l.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let task = words.next().and_then(|w| w.parse().ok()).map(TaskId);
        let choice = words.next().and_then(|w| w.parse().ok());
        match (task, choice) {
            (Some(task), Some(choice)) => moves.push(Move { task, choice }),
            _ => return Err((i + 1, "a task number and a choice are expected".into())),
        }
    }
    Ok(moves)
}
