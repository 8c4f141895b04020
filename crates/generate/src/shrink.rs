//! Shrinking: the smallest program that still fails, as far as leaving out and unwrapping go.

use crate::{Node, Program};

/// Shrinks a program while `fails` says that what is left still fails. `fails` is asked at most
/// `budget` times.
pub fn shrink(program: &Program, budget: usize, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = budget;
    loop {
        let mut smaller = false;
        let mut at = 0;
        while left > 0 {
            let mut candidate = best.clone();
            match change(&mut candidate.root.body, &mut { at }) {
                Change::None => break,
                Change::Same => at += 1,
                Change::Done => {
                    left -= 1;
                    if fails(&candidate) {
                        best = candidate;
                        smaller = true;
                    } else {
                        at += 1;
                    }
                }
            }
        }
        if !smaller || left == 0 {
            return best;
        }
    }
}

enum Change {
    /// There is no change of this number.
    None,
    /// This number changes nothing.
    Same,
    Done,
}

/// Makes the change numbered `at`: two for every node, leaving it out and unwrapping it.
fn change(nodes: &mut Vec<Node>, at: &mut usize) -> Change {
    let mut i = 0;
    while i < nodes.len() {
        if *at == 0 {
            if nodes[i].removable {
                nodes.remove(i);
                return Change::Done;
            }
            return Change::Same;
        }
        *at -= 1;
        if *at == 0 {
            let node = &nodes[i];
            // Only statements around statements can be unwrapped.
            if node.removable && !node.body.is_empty() && node.body.iter().all(|n| n.removable) {
                let inner = std::mem::take(&mut nodes[i].body);
                nodes.splice(i..=i, inner);
                return Change::Done;
            }
            return Change::Same;
        }
        *at -= 1;
        match change(&mut nodes[i].body, at) {
            Change::None => {}
            found => return found,
        }
        i += 1;
    }
    Change::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_kept_and_the_rest_goes() {
        let program = crate::program(7, "Main");
        let text = program.to_string();
        let word = if text.contains("P.Set") { "P.Set" } else { "begin" };
        let small = shrink(&program, 10_000, |p| p.to_string().contains(word));
        assert!(small.to_string().contains(word));
        assert!(small.to_string().len() < text.len());
        let again = shrink(&small, 10_000, |p| p.to_string().contains(word));
        assert_eq!(small, again);
    }
}
