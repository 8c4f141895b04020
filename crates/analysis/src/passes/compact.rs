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
    let reached = ReachableCode::of(program);
    retain(&mut program.nodes, &reached.nodes);
    retain(&mut program.procs, &reached.procs);
    retain(&mut program.handlers, &reached.handlers);
    renumber(program, &reached);
}

/// What the tasks can reach, by number.
struct ReachableCode {
    nodes: Vec<bool>,
    procs: Vec<bool>,
    handlers: Vec<bool>,
}

impl ReachableCode {
    fn of(program: &Program) -> ReachableCode {
        let mut reached = ReachableCode {
            nodes: vec![false; program.nodes.len()],
            procs: vec![false; program.procs.len()],
            handlers: vec![false; program.handlers.len()],
        };
        let mut work: Vec<Loc> = program.tasks.iter().flat_map(|t| [t.start, t.exit]).collect();
        let mut called: Vec<ProcId> = program.bodies.values().copied().collect();
        loop {
            while let Some(loc) = work.pop() {
                reached.visit(program, loc, &mut work, &mut called);
            }
            let Some(proc) = called.pop() else { return reached };
            if !std::mem::replace(&mut reached.procs[proc.index()], true) {
                work.push(program.procs[proc.index()].start);
            }
        }
    }

    /// Marks a location and its handlers; lists where control goes from there, and which procedures it calls.
    fn visit(&mut self, program: &Program, loc: Loc, work: &mut Vec<Loc>, called: &mut Vec<ProcId>) {
        if std::mem::replace(&mut self.nodes[loc.index()], true) {
            return;
        }
        let node = &program.nodes[loc.index()];
        node.action.each_successor(|next| work.push(next));
        if let Action::Call { proc, .. } = &node.action {
            called.push(*proc);
        }
        let mut handler = node.handler;
        while let Some(id) = handler {
            let h = &program.handlers[id.index()];
            if !std::mem::replace(&mut self.handlers[id.index()], true) {
                work.extend(h.choices.iter().map(|c| c.1));
            }
            handler = h.outer;
        }
    }
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next() == Some(&true));
}

/// The new number of each thing that is kept: how many are kept before it.
fn numbers(kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    kept.iter()
        .map(|k| {
            let number = next;
            next += usize::from(*k);
            number
        })
        .collect()
}

/// Names what is kept by its new number.
fn renumber(program: &mut Program, reached: &ReachableCode) {
    let (node_of, proc_of, handler_of) =
        (numbers(&reached.nodes), numbers(&reached.procs), numbers(&reached.handlers));
    let new_loc = |loc: Loc| Loc::from(node_of[loc.index()]);
    let new_proc = |proc: ProcId| ProcId::from(proc_of[proc.index()]);
    let new_handler = |handler: HandlerId| HandlerId::from(handler_of[handler.index()]);
    for node in &mut program.nodes {
        node.action.map_successors(new_loc);
        node.handler = node.handler.map(new_handler);
        if let Action::Call { proc, .. } = &mut node.action {
            *proc = new_proc(*proc);
        }
    }
    for handler in &mut program.handlers {
        handler.choices.iter_mut().for_each(|c| c.1 = new_loc(c.1));
        handler.outer = handler.outer.map(new_handler);
    }
    for task in &mut program.tasks {
        task.start = new_loc(task.start);
        task.exit = new_loc(task.exit);
    }
    for proc in &mut program.procs {
        proc.start = new_loc(proc.start);
    }
    program.bodies.values_mut().for_each(|p| *p = new_proc(*p));
    // Properties name procedures, too.
    for (happening, _) in program.monitors.iter_mut().flat_map(|m| &mut m.watch) {
        if let EventPattern::Enter { procs: named } = happening {
            named.retain(|p| reached.procs[p.index()]);
            named.iter_mut().for_each(|p| *p = new_proc(*p));
        }
    }
}
