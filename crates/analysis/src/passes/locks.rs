//! Removes locks that protect nothing.
//!
//! Many programs print through a protected object. A protected action that touches no data that others see, cannot
//! wait, and belongs to an object without entries might as well happen without the lock: nobody can tell who came
//! first. Its steps then are local, and the interleavings of tasks that only print disappear. The same goes for a
//! protected function of an object with entries, if its result does not matter: it may come late, but it always comes,
//! and it opens no barrier.
//!
//! Why this is right: what happens under such a lock commutes with every step of other tasks, so the exclusion has no
//! effect that anybody could observe, provided that all protected actions of the object come to their ends: whoever waited
//! for the lock would have got it. A monitor that sees something inside keeps the lock, because then the order is visible, and so
//! do programs with aborts or asynchronous selects. An end that belongs to two actions stays if one of them keeps its
//! lock.

use crate::access::Access;
use rendez_model::code::each_written;
use rendez_model::program::*;

pub fn drop_idle_locks(program: &mut Program) {
    let access = Access::new(program);
    let stops = |a: &Action| matches!(a, Action::Abort { .. } | Action::Async { .. });
    if access.code.iter().flatten().any(|l| stops(&program.node(*l).action)) {
        return;
    }
    for object in (0..program.objects.len()).map(ObjectId::from) {
        let is_lock =
            |l: &&Loc| matches!(program.node(**l).action, Action::Lock { object: o, .. } if o == object);
        let locks: Vec<Loc> = access.code.iter().flatten().filter(is_lock).copied().collect();
        let idle = |l: &Loc| is_idle(program, &access, *l, object);
        // Whoever waits for the lock gets it only if all protected actions come to their ends.
        if !always_ends(program, &locks, object) {
            continue;
        }
        let mut dropped: Vec<Loc> = match program.entries.iter().any(|e| e.owner == Owner::Object(object)) {
            false if locks.iter().all(idle) => locks.clone(),
            false => Vec::new(),
            // The end of a function opens no barrier.
            true => {
                let reads =
                    |l: &&Loc| matches!(program.node(**l).action, Action::Lock { mode: LockMode::Read, .. });
                locks.iter().filter(reads).copied().filter(|l| idle(l)).collect()
            }
        };
        // An end that belongs to two actions stays for both.
        let ends = |l: &Loc| region(program, *l, object).1;
        loop {
            let kept: Vec<Loc> = locks.iter().filter(|l| !dropped.contains(l)).flat_map(ends).collect();
            let before = dropped.len();
            dropped.retain(|l| !ends(l).iter().any(|e| kept.contains(e)));
            if dropped.len() == before {
                break;
            }
        }
        let gone: Vec<Loc> = dropped.iter().flat_map(|l| ends(l).into_iter().chain([*l])).collect();
        for loc in gone {
            let node = &mut program.nodes[loc.index()];
            if let Action::Lock { next, .. } | Action::Unlock { next, .. } = node.action {
                node.action = Action::Skip { next };
            }
        }
    }
}

/// The locations of a protected action behind its lock, handlers included, and where it ends.
fn region(program: &Program, lock: Loc, object: ObjectId) -> (Vec<Loc>, Vec<Loc>) {
    let (mut seen, mut ends) = (vec![lock], Vec::new());
    let mut work = program.node(lock).action.successors();
    while let Some(loc) = work.pop() {
        if seen.contains(&loc) || ends.contains(&loc) {
            continue;
        }
        let node = program.node(loc);
        if matches!(node.action, Action::Unlock { object: o, .. } if o == object) {
            ends.push(loc);
            continue;
        }
        seen.push(loc);
        work.extend(node.action.successors());
        work.extend(program.caught_at(loc).0);
    }
    seen.remove(0);
    (seen, ends)
}

/// Whether no protected action of an object can wait or go on for ever.
fn always_ends(program: &Program, locks: &[Loc], object: ObjectId) -> bool {
    let owned = |e: EntryId| program.entries[e.index()].owner == Owner::Object(object);
    let bodies = program.bodies.iter().filter(|((_, e), _)| owned(*e));
    let starts = bodies.map(|(_, proc)| program.procs[proc.index()].start);
    // An entry body begins with the lock taken.
    let mut work: Vec<Loc> = starts.collect();
    work.extend(locks.iter().flat_map(|l| program.node(*l).action.successors()));
    let mut ended: Vec<Loc> = Vec::new();
    // Depth first: a location that is met again before it is done is in a loop.
    fn ends(program: &Program, loc: Loc, object: ObjectId, on: &mut Vec<Loc>, ended: &mut Vec<Loc>) -> bool {
        use Action::*;
        if ended.contains(&loc) {
            return true;
        }
        if on.contains(&loc) || on.len() > 200 {
            return false;
        }
        let node = program.node(loc);
        match &node.action {
            Unlock { object: o, .. } if *o == object => return true,
            Skip { .. } | Event { .. } | Assign { .. } | Havoc { .. } | Branch { .. } | Choose { .. } => {}
            Raise { .. } | Resume { .. } if program.caught_at(loc).0.is_empty() => return false,
            Raise { .. } | Resume { .. } | Assert { .. } => {}
            _ => return false,
        }
        on.push(loc);
        let mut next = node.action.successors().into_iter().chain(program.caught_at(loc).0);
        let all = next.all(|l| ends(program, l, object, on, ended));
        on.pop();
        ended.push(loc);
        all
    }
    work.into_iter().all(|l| ends(program, l, object, &mut Vec::new(), &mut ended))
}

/// Whether what happens from a lock to its end concerns nobody else.
fn is_idle(program: &Program, access: &Access, lock: Loc, object: ObjectId) -> bool {
    use Action::*;
    let seen_by_others = |cell: VarId| {
        let var = &program.vars[cell.index()];
        var.domain != Domain::Opaque
            && (access.shared[cell.index()] || matches!(var.storage, Storage::Component(_)))
    };
    region(program, lock, object).0.into_iter().all(|loc| {
        let node = program.node(loc);
        // What a property watches must not mix with what others do under the same lock.
        let mut private = !program.is_monitored(&node.action);
        private &= matches!(
            node.action,
            Skip { .. }
                | Event { .. }
                | Assign { .. }
                | Havoc { .. }
                | Branch { .. }
                | Choose { .. }
                | Raise { .. }
                | Resume { .. }
                | Assert { .. }
        );
        node.action.each_expr(&mut |e| {
            e.each_cell(program, &mut |cell| private &= !seen_by_others(cell));
            e.walk(&mut |e| {
                use rendez_model::expr::Expr;
                private &= !matches!(e, Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_));
            });
        });
        each_written(program, &node.action, |cell| private &= !seen_by_others(cell));
        private
    })
}
