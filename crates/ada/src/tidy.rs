//! Cleaning up after elaboration: empty steps and unreachable code go away.

use rendez_model::*;

/// Removes skips, waits for masters without tasks, and locations that nothing reaches.
pub fn tidy(program: &mut Program) {
    let busy: Vec<bool> = (0..program.masters.len())
        .map(|m| program.tasks.iter().any(|t| t.master == Some(MasterId::from(m))))
        .collect();
    let exits: Vec<Loc> = program.tasks.iter().map(|t| t.exit).collect();
    for node in &mut program.nodes {
        if let Action::Await { masters, next } = &mut node.action {
            masters.retain(|m| busy[m.index()]);
            if masters.is_empty() {
                node.action = Action::Skip { next: *next };
            }
        }
        if let Action::Activate { tasks, next } = &node.action
            && tasks.is_empty()
        {
            node.action = Action::Skip { next: *next };
        }
    }
    rendez_model::passes::compact(program, &exits);
}
