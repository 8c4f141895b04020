//! Cleaning up after elaboration: empty steps and unreachable code go away, accesses to shared storage are told.

use rendez_model::code::each_written;
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
    rendez_analysis::passes::compact(program, &exits);
}

/// Whoever accesses a component of something packed accesses the storage around it, too.
pub fn touch_neighbours(program: &mut Program, neighbours: &[(VarId, Vec<i64>)]) {
    let mut storage: Vec<Option<VarId>> = vec![None; program.vars.len()];
    for (whole, cells) in neighbours {
        cells.iter().for_each(|c| storage[*c as usize] = Some(*whole));
    }
    for i in 0..program.nodes.len() {
        let node = program.nodes[i].clone();
        let mut accessed: Vec<(VarId, bool)> = Vec::new();
        let mut note = |cell: VarId, writes: bool| {
            if let Some(whole) = storage[cell.index()]
                && !accessed.iter().any(|a| a.0 == whole)
            {
                accessed.push((whole, writes));
            }
        };
        each_written(program, &node.action, |cell| note(cell, true));
        node.action.each_expr(&mut |e| e.each_cell(program, &mut |cell| note(cell, false)));
        for (whole, writes) in accessed {
            let next = program.add_node(program.nodes[i].action.clone(), node.span, node.handler);
            let (to, value) = match writes {
                true => (Place::Var(whole), Expr::Any),
                false => (Place::Nowhere, Expr::Var(whole)),
            };
            program.nodes[i].action = Action::Assign { to, value, next };
        }
    }
}
