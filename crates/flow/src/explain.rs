//! Looking for the execution that a path stands for.
//!
//! A path that no constraint rejects may still belong to no execution, and a verdict of *violated* needs one. The
//! search runs on the semantics. The rendezvous and the letters of the path, its anchors, must come in the order of the
//! path; what tasks do in between is free. A step that shows an anchor too early, or one that the path does not have,
//! is not followed. The search is best first: states that have matched more anchors come first, then those reached by a
//! task that takes part in the next anchor, then those with a shorter history.
//!
//! The search succeeds as soon as the monitor of the property is broken, even if the path had more to come, and never
//! passes a state in which a constraint that the user gave is broken. Steps that depend on an untracked value are left
//! out in a first attempt, so that a certain violation is preferred. The number of states is limited, less for larger
//! programs.
//!
//! Where a class of alike tasks shares nodes, any member may play its part in the path. If the search fails, the first
//! anchor that it never reached is reported, and `decide.rs` gives tasks nodes of their own before it gives up.

use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;

use rendez_model::semantics::{Move, Semantics, Step, StepEvent as Happened};
use rendez_model::state::State;
use rendez_model::{EntryId, Owner, Program, TaskId};
use rendez_verdict::{Control, Options};
use rustc_hash::FxHashMap;

use crate::tfg::{NodeId, NodeKind, Tfg};

/// Something on a path that an execution must do.
struct Anchor {
    node: NodeId,
    what: Seen,
    /// Who takes part.
    tasks: Vec<TaskId>,
}

enum Seen {
    Accept { callers: Vec<TaskId>, entry: EntryId },
    Letter(u32),
}

/// What came of it.
pub enum Replay {
    /// Moves of an execution that breaks the property.
    Found(Vec<Move>, Box<State>),
    /// The first node of the path that no execution was found to reach.
    Stuck(NodeId),
}

struct OpenState {
    matched: usize,
    helpful: bool,
    depth: u32,
    id: u32,
}

impl OpenState {
    fn key(&self) -> (usize, bool, std::cmp::Reverse<u32>, std::cmp::Reverse<u32>) {
        (self.matched, self.helpful, std::cmp::Reverse(self.depth), std::cmp::Reverse(self.id))
    }
}

impl PartialEq for OpenState {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for OpenState {}
impl PartialOrd for OpenState {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for OpenState {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

fn anchors(tfg: &Tfg, path: &[NodeId]) -> Vec<Anchor> {
    let mut all = Vec::new();
    for id in path {
        let node = &tfg.nodes[*id as usize];
        let members = |c: u16| tfg.classes[usize::from(c)].members.clone();
        let tasks: Vec<TaskId> = node.classes.iter().flat_map(|c| members(*c)).collect();
        if let NodeKind::Accept { entry, .. } | NodeKind::Enter { entry } = node.kind {
            let callers = members(node.classes[0]);
            all.push(Anchor { node: *id, what: Seen::Accept { callers, entry }, tasks: tasks.clone() });
        }
        for (automaton, letter) in &node.letters {
            if *automaton == 0 {
                all.push(Anchor { node: *id, what: Seen::Letter(*letter), tasks: tasks.clone() });
            }
        }
    }
    all
}

/// What of a step counts: calls that are taken, then letters.
fn visible(step: &Step) -> Vec<Result<(TaskId, EntryId), u32>> {
    let mut seen = Vec::new();
    match step.what {
        Happened::Accepted { caller, entry, .. } => seen.push(Ok((caller, entry))),
        Happened::Entered(entry) => seen.push(Ok((step.task, entry))),
        Happened::Released { served: Some((caller, entry)), .. } => seen.push(Ok((caller, entry))),
        _ => {}
    }
    seen.extend(step.letters.iter().filter(|l| l.0 == 0).map(|l| Err(l.1)));
    seen
}

/// Whether two entries are the same, or the same of tasks that share nodes.
fn alike(program: &Program, tfg: &Tfg, a: EntryId, b: EntryId) -> bool {
    let (Owner::Task(s), Owner::Task(t)) =
        (program.entries[a.index()].owner, program.entries[b.index()].owner)
    else {
        return a == b;
    };
    let class = |t: TaskId| tfg.classes.iter().position(|c| c.members.contains(&t));
    let number = |e: EntryId| {
        let owner = program.entries[e.index()].owner;
        program.entries[..e.index()].iter().filter(|x| x.owner == owner).count()
    };
    a == b || s != t && class(s) == class(t) && number(a) == number(b)
}

/// How many anchors are matched after a step, if it fits those that come next.
fn matched_after(
    program: &Program,
    tfg: &Tfg,
    anchors: &[Anchor],
    matched: usize,
    step: &Step,
) -> Option<usize> {
    let seen = visible(step);
    let fits = |(i, seen): (usize, &Result<(TaskId, EntryId), u32>)| match (anchors.get(matched + i), seen) {
        (Some(Anchor { what: Seen::Accept { callers, entry }, .. }), Ok((caller, e))) => {
            callers.contains(caller) && alike(program, tfg, *entry, *e)
        }
        (Some(Anchor { what: Seen::Letter(l), .. }), Err(letter)) => l == letter,
        _ => false,
    };
    seen.iter().enumerate().all(fits).then_some(matched + seen.len())
}

/// The moves to a state, and one more.
fn moves_to(came: &[Option<(u32, Move)>], mut at: u32, last: Move) -> Vec<Move> {
    let mut moves = vec![last];
    while let Some((from, mv)) = came[at as usize] {
        moves.push(mv);
        at = from;
    }
    moves.reverse();
    moves
}

/// Searches for an execution along a path. Monitor 0 is the property; the others must not break.
pub fn replay(
    semantics: &Semantics,
    tfg: &Tfg,
    path: &[NodeId],
    options: &Options,
    control: &Control,
) -> Replay {
    let program = semantics.program;
    let anchors = anchors(tfg, path);
    let first = semantics.initial();
    let mut states = vec![first];
    let mut came: Vec<Option<(u32, Move)>> = vec![None];
    let mut seen: FxHashMap<(Vec<u8>, usize), ()> = FxHashMap::default();
    let mut open = BinaryHeap::from([OpenState { matched: 0, helpful: true, depth: 0, id: 0 }]);
    let mut best = 0;
    let limit = (4_000_000 / (states[0].tasks.len() + states[0].vars.len() + 20)).clamp(2_000, 20_000);
    let mut out = Vec::new();
    while let Some(OpenState { matched, depth, id, .. }) = open.pop() {
        if states.len() > limit || control.stop.load(Ordering::Relaxed) {
            break;
        }
        for task in (0..program.tasks.len()).map(TaskId::from) {
            out.clear();
            semantics.successors(&states[id as usize], task, &mut out);
            for (choice, outcome) in std::mem::take(&mut out).into_iter().enumerate() {
                if options.skip_guesses && outcome.step.guessed {
                    continue;
                }
                if outcome.step.broken.iter().any(|m| *m > 0) {
                    continue;
                }
                let mv = Move { task, choice: choice as u32 };
                if outcome.step.broken.contains(&0) {
                    return Replay::Found(moves_to(&came, id, mv), Box::new(outcome.state));
                }
                if matches!(outcome.step.what, Happened::Stopped | Happened::Unsupported) {
                    continue;
                }
                let Some(at) = matched_after(program, tfg, &anchors, matched, &outcome.step) else {
                    continue;
                };
                best = best.max(at);
                let mut code = Vec::new();
                outcome.state.encode(&mut code);
                if seen.insert((code, at), ()).is_some() {
                    continue;
                }
                let helpful =
                    task == TaskId::ENVIRONMENT || anchors.get(at).is_none_or(|a| a.tasks.contains(&task));
                let id_new = states.len() as u32;
                states.push(outcome.state);
                came.push(Some((id, mv)));
                open.push(OpenState { matched: at, helpful, depth: depth + 1, id: id_new });
            }
        }
    }
    Replay::Stuck(anchors.get(best).map_or(*path.last().unwrap_or(&0), |a| a.node))
}
