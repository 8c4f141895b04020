//! Sets of states that are never left: tasks that wait busily for ever, and tasks that stay
//! blocked while others run.

use rendez_model::state::{Status, Wait};
use rendez_model::{Program, TaskId};

use crate::graph::{Edge, Graph};

/// Something that goes on for ever once the search is in a component without exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forever {
    /// The task runs in circles, looking at what others could change, and nobody will.
    Spins(TaskId),
    /// The task is in an entry call that is never served, while others run.
    Blocked(TaskId),
    /// Only the environment still moves: everybody else is blocked.
    Quiet,
}

/// Looks at every component without exit that holds a cycle. Calls `found` with a state of the
/// component for each.
pub fn forever(program: &Program, graph: &Graph, mut found: impl FnMut(u32, Forever)) {
    for component in bottom_components(graph) {
        let inside_edges = component.iter().flat_map(|s| graph.edges(*s));
        let mut moves: Vec<(bool, bool, bool)> = Vec::new();
        for edge in inside_edges {
            let t = usize::from(edge.task);
            if moves.len() <= t {
                moves.resize(t + 1, (false, false, false));
            }
            moves[t].0 = true;
            moves[t].1 |= edge.has(Edge::PROGRESS);
            moves[t].2 |= edge.has(Edge::POLLS);
        }
        if moves.is_empty() {
            // A single state without steps: blocked or ended, which others look at.
            continue;
        }
        let first = component.iter().copied().min().unwrap_or(0);
        let background = |t: usize| program.tasks[t].background;
        if moves.iter().enumerate().all(|(t, m)| !m.0 || background(t)) {
            found(first, Forever::Quiet);
            continue;
        }
        for (t, (moved, progress, polls)) in moves.iter().enumerate() {
            if *moved && !progress && *polls && !background(t) {
                found(first, Forever::Spins(TaskId::from(t)));
            }
        }
        // Blocked through the whole component, in the same call.
        let state = graph.state(first);
        for (t, ts) in state.tasks.iter().enumerate() {
            let Wait::Queued { .. } = ts.wait else { continue };
            if background(t) {
                continue;
            }
            if ts.status == Status::Terminated || moves.get(t).is_some_and(|m| m.0) {
                continue;
            }
            let stays = component.len() <= 20_000
                && component.iter().all(|s| graph.state(*s).tasks[t].wait == ts.wait);
            if stays {
                found(first, Forever::Blocked(TaskId::from(t)));
            }
        }
    }
}

/// Strongly connected components without an edge to another one.
fn bottom_components(graph: &Graph) -> Vec<Vec<u32>> {
    let n = graph.expanded();
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; n];
    let mut low = vec![0u32; n];
    let mut on_stack = vec![false; n];
    let mut component = vec![UNSEEN; n];
    let mut stack: Vec<u32> = Vec::new();
    let mut next = 0u32;
    let mut components: Vec<Vec<u32>> = Vec::new();
    // Tarjan's algorithm with an explicit stack of (state, next edge).
    for root in 0..n as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        let mut work: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((s, e)) = work.pop() {
            let i = s as usize;
            if e == 0 {
                number[i] = next;
                low[i] = next;
                next += 1;
                stack.push(s);
                on_stack[i] = true;
            }
            let edges = graph.edges(s);
            let mut e = e;
            let mut descended = false;
            while e < edges.len() {
                let to = edges[e].to as usize;
                e += 1;
                if to >= n {
                    continue;
                }
                if number[to] == UNSEEN {
                    work.push((s, e));
                    work.push((to as u32, 0));
                    descended = true;
                    break;
                }
                if on_stack[to] {
                    low[i] = low[i].min(number[to]);
                }
            }
            if descended {
                continue;
            }
            if low[i] == number[i] {
                let id = components.len() as u32;
                let mut members = Vec::new();
                while let Some(m) = stack.pop() {
                    on_stack[m as usize] = false;
                    component[m as usize] = id;
                    members.push(m);
                    if m == s {
                        break;
                    }
                }
                components.push(members);
            }
            if let Some((parent, _)) = work.last() {
                let p = *parent as usize;
                low[p] = low[p].min(low[i]);
            }
        }
    }
    let leaves = |members: &Vec<u32>| {
        let id = component[members[0] as usize];
        members.iter().flat_map(|s| graph.edges(*s)).any(|e| component.get(e.to as usize) != Some(&id))
    };
    components.retain(|members| !leaves(members));
    components
}
