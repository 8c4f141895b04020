//! Leaves out locks that protect nothing.
//!
//! Many programs print through a protected object. A protected action that touches no data that others
//! see, cannot wait, and belongs to an object without entries, might as well happen without the lock:
//! nobody can tell who came first.

use crate::access::Access;
use crate::program::*;

pub fn drop_idle_locks(program: &mut Program) {
    let access = Access::new(program);
    let stops = |a: &Action| matches!(a, Action::Abort { .. } | Action::Async { .. });
    if access.code.iter().flatten().any(|l| stops(&program.node(*l).action)) {
        return;
    }
    for object in (0..program.objects.len()).map(ObjectId::from) {
        if program.entries.iter().any(|e| e.owner == Owner::Object(object)) {
            continue;
        }
        let is_lock =
            |l: &&Loc| matches!(program.node(**l).action, Action::Lock { object: o, .. } if o == object);
        let locks: Vec<Loc> = access.code.iter().flatten().filter(is_lock).copied().collect();
        if locks.iter().all(|l| is_idle(program, &access, *l, object)) {
            for node in &mut program.nodes {
                match node.action {
                    Action::Lock { object: o, next, .. } | Action::Unlock { object: o, next }
                        if o == object =>
                    {
                        node.action = Action::Skip { next };
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether what happens from a lock to its end concerns nobody else.
fn is_idle(program: &Program, access: &Access, lock: Loc, object: ObjectId) -> bool {
    use Action::*;
    let seen_by_others = |cell: VarId| {
        let var = &program.vars[cell.index()];
        var.domain != Domain::Opaque
            && (access.shared[cell.index()] || matches!(var.storage, Storage::Component(_)))
    };
    let mut seen = vec![lock];
    let mut work = program.node(lock).action.successors();
    while let Some(loc) = work.pop() {
        if seen.contains(&loc) {
            continue;
        }
        seen.push(loc);
        let node = program.node(loc);
        let mut alone = match &node.action {
            Unlock { object: o, .. } if *o == object => continue,
            Skip { .. } | Event { .. } | Assign { .. } | Havoc { .. } | Branch { .. } | Choose { .. } => true,
            Raise { .. } | Resume { .. } | Assert { .. } => true,
            _ => false,
        };
        node.action.each_expr(&mut |e| {
            e.each_cell(program, &mut |cell| alone &= !seen_by_others(cell));
            e.walk(&mut |e| {
                use crate::expr::Expr;
                alone &= !matches!(e, Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_));
            });
        });
        crate::access::each_written(program, &node.action, |cell| alone &= !seen_by_others(cell));
        if !alone {
            return false;
        }
        work.extend(node.action.successors());
        let mut handler = node.handler;
        while let Some(id) = handler {
            let h = &program.handlers[id.index()];
            work.extend(h.choices.iter().map(|c| c.1));
            // Nothing gets past a handler for all.
            handler = h.outer.filter(|_| !h.choices.iter().any(|c| c.0 == Catch::Others));
        }
    }
    true
}
