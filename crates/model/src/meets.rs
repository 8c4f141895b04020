//! Where the arms of a branch meet again: immediate post-dominators.

use crate::program::*;

/// For every branch, where its arms meet and what lies before that.
pub struct Meets {
    meet: Vec<Option<Loc>>,
    region: Vec<Vec<Loc>>,
    loops: Vec<bool>,
    endless: Vec<bool>,
}

impl Meets {
    pub fn new(program: &Program) -> Meets {
        let n = program.nodes.len();
        let mut meets = Meets {
            meet: vec![None; n],
            region: vec![Vec::new(); n],
            loops: vec![false; n],
            endless: vec![false; n],
        };
        for task in &program.tasks {
            meets.find(program, task.start);
        }
        for proc in &program.procs {
            meets.find(program, proc.start);
        }
        meets
    }

    /// Where the arms of the branch at `loc` meet, if they do.
    pub fn at(&self, loc: Loc) -> Option<Loc> {
        self.meet[loc.index()]
    }

    /// What control may pass between the branch and where its arms meet.
    pub fn region(&self, loc: Loc) -> &[Loc] {
        &self.region[loc.index()]
    }

    /// Whether the branch decides about another round of a loop.
    pub fn loops(&self, loc: Loc) -> bool {
        self.loops[loc.index()]
    }

    /// Whether the branch decides about another round of a loop, or is in one that has no exit.
    pub fn repeats(&self, loc: Loc) -> bool {
        self.loops[loc.index()] || self.endless[loc.index()]
    }

    /// Post-dominators of the branches of one graph.
    fn find(&mut self, program: &Program, start: Loc) {
        let order = program.reachable(start);
        let index: std::collections::HashMap<Loc, usize> =
            order.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let n = order.len();
        let exit = n;
        let mut succ: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        let mut pred: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for (i, loc) in order.iter().enumerate() {
            let all = program.node(*loc).action.successors();
            if all.is_empty() {
                succ[i].push(exit);
            }
            succ[i].extend(all.iter().map(|l| index[l]));
        }
        for (i, list) in succ.iter().enumerate() {
            for s in list {
                pred[*s].push(i);
            }
        }
        // A loop without exit is given one at its head, which is found first.
        let mut reaches = vec![false; n + 1];
        let mark = |from: usize, reaches: &mut Vec<bool>, pred: &Vec<Vec<usize>>| {
            let mut work = vec![from];
            while let Some(i) = work.pop() {
                if !std::mem::replace(&mut reaches[i], true) {
                    work.extend(&pred[i]);
                }
            }
        };
        mark(exit, &mut reaches, &pred);
        let endless: Vec<bool> = reaches.iter().map(|r| !r).collect();
        for i in 0..n {
            if !reaches[i] {
                succ[i].push(exit);
                pred[exit].push(i);
                mark(i, &mut reaches, &pred);
            }
        }
        // Immediate post-dominators by iteration over a reverse post-order of the reversed graph.
        let mut post = Vec::new();
        let mut seen = vec![false; n + 1];
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
        let mut rank = vec![0; n + 1];
        for (r, i) in post.iter().enumerate() {
            rank[*i] = r;
        }
        let mut idom: Vec<Option<usize>> = vec![None; n + 1];
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
        for (i, loc) in order.iter().enumerate() {
            if !matches!(program.node(*loc).action, Action::Branch { .. } | Action::Choose { .. }) {
                continue;
            }
            let behind = |stop: usize| {
                let mut behind = Vec::new();
                let mut seen = vec![false; n + 1];
                seen[stop] = true;
                let mut work = succ[i].clone();
                while let Some(k) = work.pop() {
                    if k == exit || std::mem::replace(&mut seen[k], true) {
                        continue;
                    }
                    behind.push(order[k]);
                    work.extend(&succ[k]);
                }
                behind
            };
            // Arms that do not meet: one of them never comes to an end.
            let meet = idom[i].unwrap_or(exit);
            let region = behind(meet);
            self.loops[loc.index()] = region.contains(loc);
            self.endless[loc.index()] = endless[i] && behind(exit).contains(loc);
            if meet != exit {
                self.meet[loc.index()] = Some(order[meet]);
                self.region[loc.index()] = region;
            }
        }
    }
}
