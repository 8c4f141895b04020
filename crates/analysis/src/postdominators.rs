//! Where the arms of a branch meet again: immediate post-dominators.
//!
//! Slicing may step over a branch only if nothing between the branch and the point where its arms meet is kept; the
//! meeting point is the branch's immediate post-dominator, and the locations in between are those that the branch
//! controls (Ferrante, Ottenstein and Warren, *The program dependence graph and its use in optimization*, 1987). If
//! control can come back to the branch before its arms meet, the branch decides about another iteration of a loop.
//!
//! Post-dominators are computed by iteration over a post-order of the reversed graph (Cooper, Harvey and Kennedy, *A
//! simple, fast dominance algorithm*, 2001), with two extra nodes: all returns lead to one, and everything that ends
//! leads to the other. Code that cannot come to an end has no post-dominator; its loop is given an exit at its head,
//! and it is remembered that this code is endless. For questions about loops around calls, a call that may leave the
//! procedure other than by a return has an edge to the end (`loop_control.rs`).

use rendez_model::program::*;

/// For every branch, where its arms meet and what lies before that.
pub struct Postdominators {
    immediate: Vec<Option<Loc>>,
    region: Vec<Vec<Loc>>,
    loops: Vec<bool>,
}

impl Postdominators {
    pub fn new(program: &Program) -> Postdominators {
        let n = program.nodes.len();
        let mut all =
            Postdominators { immediate: vec![None; n], region: vec![Vec::new(); n], loops: vec![false; n] };
        for task in &program.tasks {
            all.find(program, task.start);
        }
        for proc in &program.procs {
            all.find(program, proc.start);
        }
        all
    }

    /// Where the arms of the branch at `loc` meet again, if they do: its immediate postdominator.
    pub fn immediate(&self, loc: Loc) -> Option<Loc> {
        self.immediate[loc.index()]
    }

    /// What control may pass between the branch and where its arms meet.
    pub fn region(&self, loc: Loc) -> &[Loc] {
        &self.region[loc.index()]
    }

    /// Whether the branch decides about another iteration of a loop.
    pub fn loops(&self, loc: Loc) -> bool {
        self.loops[loc.index()]
    }

    /// Postdominators of the branches of one graph.
    fn find(&mut self, program: &Program, start: Loc) {
        let graph = ControlFlowGraph::new(program, start, |_| false);
        for i in 0..graph.order.len() {
            let loc = graph.order[i];
            if !is_branch(program, loc) {
                continue;
            }
            // Arms that do not meet: one of them never comes to an end.
            let meet = graph.postdominator[i];
            let region = graph.behind(i, meet);
            self.loops[loc.index()] = region.contains(&i);
            if meet < graph.order.len() {
                self.immediate[loc.index()] = Some(graph.order[meet]);
                self.region[loc.index()] = region.into_iter().map(|k| graph.order[k]).collect();
            }
        }
    }
}

pub(crate) fn is_branch(program: &Program, loc: Loc) -> bool {
    matches!(program.node(loc).action, Action::Branch { .. } | Action::Choose { .. })
}

/// The control-flow graph of a task or procedure. Behind its locations there are two more nodes: all returns lead to
/// the first, everything that ends to the second.
pub(crate) struct ControlFlowGraph {
    pub(crate) order: Vec<Loc>,
    succ: Vec<Vec<usize>>,
    /// By location, its immediate postdominator.
    pub(crate) postdominator: Vec<usize>,
    /// Cannot come to an end.
    pub(crate) endless: Vec<bool>,
    /// Can come to a return.
    pub(crate) returns: Vec<bool>,
}

impl ControlFlowGraph {
    /// `leaves` says of a procedure that a call of it may end everything, as an exception does.
    pub(crate) fn new(program: &Program, start: Loc, leaves: impl Fn(ProcId) -> bool) -> ControlFlowGraph {
        let order = program.reachable(start);
        let index: std::collections::HashMap<Loc, usize> =
            order.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let n = order.len();
        let (back, exit) = (n, n + 1);
        let mut succ: Vec<Vec<usize>> = vec![Vec::new(); n + 2];
        succ[back].push(exit);
        for (i, loc) in order.iter().enumerate() {
            let action = &program.node(*loc).action;
            action.each_successor(|l| succ[i].push(index[&l]));
            match action {
                Action::Return => succ[i].push(back),
                Action::Call { proc, .. } if leaves(*proc) => succ[i].push(exit),
                _ if succ[i].is_empty() => succ[i].push(exit),
                _ => {}
            }
        }
        let mut pred: Vec<Vec<usize>> = vec![Vec::new(); n + 2];
        for (i, list) in succ.iter().enumerate() {
            for s in list {
                pred[*s].push(i);
            }
        }
        // A loop without exit is given one at its head, which is found first.
        let mark = |from: usize, reaches: &mut Vec<bool>, pred: &Vec<Vec<usize>>| {
            let mut work = vec![from];
            while let Some(i) = work.pop() {
                if !std::mem::replace(&mut reaches[i], true) {
                    work.extend(&pred[i]);
                }
            }
        };
        let mut returns = vec![false; n + 2];
        mark(back, &mut returns, &pred);
        let mut reaches = vec![false; n + 2];
        mark(exit, &mut reaches, &pred);
        let endless: Vec<bool> = reaches.iter().map(|r| !r).collect();
        for i in 0..n {
            if !reaches[i] {
                succ[i].push(exit);
                pred[exit].push(i);
                mark(i, &mut reaches, &pred);
            }
        }
        let postdominator = immediate_postdominators(&succ, &pred, exit);
        ControlFlowGraph { order, succ, postdominator, endless, returns }
    }

    /// What control may pass behind a location, up to another node.
    pub(crate) fn behind(&self, from: usize, stop: usize) -> Vec<usize> {
        let mut behind = Vec::new();
        let mut seen = vec![false; self.succ.len()];
        seen[stop] = true;
        let mut work = self.succ[from].clone();
        while let Some(k) = work.pop() {
            if k < self.order.len() && !std::mem::replace(&mut seen[k], true) {
                behind.push(k);
                work.extend(&self.succ[k]);
            }
        }
        behind
    }

    /// Whether control may come back to a location.
    pub(crate) fn is_on_cycle(&self, at: usize) -> bool {
        self.behind(at, self.order.len()).contains(&at)
    }
}

/// By iteration over a reverse post-order of the reversed graph. What leads nowhere has the exit.
fn immediate_postdominators(succ: &[Vec<usize>], pred: &[Vec<usize>], exit: usize) -> Vec<usize> {
    let mut post = Vec::new();
    let mut seen = vec![false; succ.len()];
    let mut work = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((i, k)) = work.pop() {
        if let Some(&p) = pred[i].get(k) {
            work.push((i, k + 1));
            if !std::mem::replace(&mut seen[p], true) {
                work.push((p, 0));
            }
        } else {
            post.push(i);
        }
    }
    let mut rank = vec![0; succ.len()];
    for (r, i) in post.iter().enumerate() {
        rank[*i] = r;
    }
    let mut idom: Vec<Option<usize>> = vec![None; succ.len()];
    idom[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &i in post.iter().rev() {
            if i == exit {
                continue;
            }
            let mut new: Option<usize> = None;
            for &s in &succ[i] {
                if idom[s].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => s,
                    Some(mut a) => {
                        let mut b = s;
                        while a != b {
                            while rank[a] < rank[b] {
                                a = idom[a].unwrap_or(exit);
                            }
                            while rank[b] < rank[a] {
                                b = idom[b].unwrap_or(exit);
                            }
                        }
                        a
                    }
                });
            }
            if new.is_some() && idom[i] != new {
                idom[i] = new;
                changed = true;
            }
        }
    }
    idom.into_iter().map(|i| i.unwrap_or(exit)).collect()
}
