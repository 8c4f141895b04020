//! Strongly connected components of a directed graph, and those without a way out.
//!
//! This is Tarjan's algorithm (*Depth-first search and linear graph algorithms*, 1972) with an explicit stack, since
//! graphs of states are deeper than any call stack. Components come out each after those that it leads to. The graph is
//! given by a function from a node and a number to a target, so that it may be stored in any form or not at all.
//!
//! A *bottom* component is one that no edge leaves. An edge to a target that is no node of the graph, a step that is
//! not followed, counts as leaving. An execution that has come to a bottom component visits only states of it from then
//! on, which is why checks on waiting for ever look there.

/// The components of the states below `n` without an edge to another one. `target(s, k)` is where
/// the k-th edge of a state leads; a target that is no state counts as another component.
pub fn bottom_components(n: usize, target: impl Fn(u32, usize) -> Option<u32>) -> Vec<Vec<u32>> {
    let mut all = components(n, &target);
    let mut component = vec![u32::MAX; n];
    for (id, members) in all.iter().enumerate() {
        members.iter().for_each(|m| component[*m as usize] = id as u32);
    }
    let leaves = |members: &Vec<u32>| {
        let id = component[members[0] as usize];
        let elsewhere =
            |s: &u32| (0..).map_while(|k| target(*s, k)).any(|to| component.get(to as usize) != Some(&id));
        members.iter().any(elsewhere)
    };
    all.retain(|members| !leaves(members));
    all
}

/// All components, each after those that it leads to.
pub fn components(n: usize, target: impl Fn(u32, usize) -> Option<u32>) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; n];
    let mut low = vec![0u32; n];
    let mut on_stack = vec![false; n];
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
            let mut e = e;
            let mut descended = false;
            while let Some(to) = target(s, e) {
                let to = to as usize;
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
                let mut members = Vec::new();
                while let Some(m) = stack.pop() {
                    on_stack[m as usize] = false;
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
    components
}
