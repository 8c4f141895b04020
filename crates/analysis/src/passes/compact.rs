//! Removes empty steps and unreachable code, and renumbers the rest.
//!
//! The other passes leave `Skip` actions behind, and code that nothing reaches any more. A chain of skips is replaced
//! by its end, once for each chain, so long chains cost linear time. A cycle of skips, as in `loop null; end loop;`,
//! keeps one of them: a task that does nothing for ever must not vanish. Locations that the caller wants to keep, such
//! as the exits of tasks, stay even when they are empty.
//!
//! Then everything reachable from starts and exits of tasks, entry bodies and handlers is kept, and locations,
//! procedures and handlers get new numbers; monitors that name procedures are renamed with them. A skip reads and
//! writes nothing and nobody can tell when it happens, so executions are the same up to such steps.

use rendez_model::monitor::EventPattern;
use rendez_model::program::*;

/// Compacts the control-flow graphs. Locations in `keep` stay even when they are empty steps.
pub fn compact(program: &mut Program, keep: &[Loc]) {
    let mut target: Vec<Option<Loc>> = vec![None; program.nodes.len()];
    let mut on_path = vec![false; program.nodes.len()];
    let mut path = Vec::new();
    for i in 0..program.nodes.len() {
        // Chains of skips end; a cycle of skips (`loop null; end loop`) keeps one of them.
        let mut at = Loc::from(i);
        while let Action::Skip { next } = program.nodes[at.index()].action {
            if target[at.index()].is_some() || on_path[at.index()] || keep.contains(&at) {
                break;
            }
            on_path[at.index()] = true;
            path.push(at);
            at = next;
        }
        let end = target[at.index()].unwrap_or(at);
        for loc in path.drain(..) {
            on_path[loc.index()] = false;
            target[loc.index()] = Some(end);
        }
    }
    let target: Vec<Loc> = target.iter().enumerate().map(|(i, t)| t.unwrap_or(Loc::from(i))).collect();
    for node in &mut program.nodes {
        node.action.map_successors(|loc| target[loc.index()]);
    }
    for handler in &mut program.handlers {
        handler.choices.iter_mut().for_each(|c| c.1 = target[c.1.index()]);
    }
    for task in &mut program.tasks {
        task.start = target[task.start.index()];
    }
    for proc in &mut program.procs {
        proc.start = target[proc.start.index()];
    }
    remove_unreachable(program);
}

/// Keeps what the tasks can reach: locations, procedures, handlers.
fn remove_unreachable(program: &mut Program) {
    let mut nodes = vec![false; program.nodes.len()];
    let mut procs = vec![false; program.procs.len()];
    let mut handlers = vec![false; program.handlers.len()];
    let mut work: Vec<Loc> = program.tasks.iter().flat_map(|t| [t.start, t.exit]).collect();
    let mut called: Vec<ProcId> = program.bodies.values().copied().collect();
    loop {
        while let Some(loc) = work.pop() {
            if std::mem::replace(&mut nodes[loc.index()], true) {
                continue;
            }
            let node = &program.nodes[loc.index()];
            node.action.each_successor(|next| work.push(next));
            if let Action::Call { proc, .. } = &node.action {
                called.push(*proc);
            }
            let mut handler = node.handler;
            while let Some(id) = handler {
                let h = &program.handlers[id.index()];
                if !std::mem::replace(&mut handlers[id.index()], true) {
                    work.extend(h.choices.iter().map(|c| c.1));
                }
                handler = h.outer;
            }
        }
        match called.pop() {
            Some(proc) if !procs[proc.index()] => {
                procs[proc.index()] = true;
                work.push(program.procs[proc.index()].start);
            }
            Some(_) => {}
            None => break,
        }
    }
    let number = |kept: &[bool]| -> Vec<usize> {
        let mut next = 0;
        kept.iter()
            .map(|k| {
                next += usize::from(*k);
                next.wrapping_sub(1)
            })
            .collect()
    };
    let (node_of, proc_of, handler_of) = (number(&nodes), number(&procs), number(&handlers));
    let retain = |kept: &[bool]| {
        let mut i = 0;
        let kept = kept.to_vec();
        move || {
            i += 1;
            kept[i - 1]
        }
    };
    let mut keep = retain(&nodes);
    program.nodes.retain(|_| keep());
    let mut keep = retain(&procs);
    program.procs.retain(|_| keep());
    let mut keep = retain(&handlers);
    program.handlers.retain(|_| keep());
    for node in &mut program.nodes {
        node.action.map_successors(|loc| Loc::from(node_of[loc.index()]));
        node.handler = node.handler.map(|h| HandlerId::from(handler_of[h.index()]));
        if let Action::Call { proc, .. } = &mut node.action {
            *proc = ProcId::from(proc_of[proc.index()]);
        }
    }
    for handler in &mut program.handlers {
        handler.choices.iter_mut().for_each(|c| c.1 = Loc::from(node_of[c.1.index()]));
        handler.outer = handler.outer.map(|h| HandlerId::from(handler_of[h.index()]));
    }
    for task in &mut program.tasks {
        task.start = Loc::from(node_of[task.start.index()]);
        task.exit = Loc::from(node_of[task.exit.index()]);
    }
    for proc in &mut program.procs {
        proc.start = Loc::from(node_of[proc.start.index()]);
    }
    program.bodies.values_mut().for_each(|p| *p = ProcId::from(proc_of[p.index()]));
    // Properties name procedures, too.
    for (happening, _) in program.monitors.iter_mut().flat_map(|m| &mut m.watch) {
        if let EventPattern::Enter { procs: named } = happening {
            named.retain(|p| procs[p.index()]);
            named.iter_mut().for_each(|p| *p = ProcId::from(proc_of[p.index()]));
        }
    }
}
