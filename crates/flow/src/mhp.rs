//! May happen in parallel, on trace flow graphs.
//!
//! Naumovich and Avrunin (*A conservative data flow algorithm for detecting all pairs of statements that may happen in
//! parallel*, FSE 1998; section 4.1.3 of the FLAVERS paper, 2004) compute this relation by data flow equations with a
//! symmetry step. Here it is the least relation that contains the pairs of initial nodes and is closed under what
//! participants can do: one of them goes on alone, or two that are parallel meet. Whoever takes no part in a step stays
//! where it is, and is afterwards parallel to the participants exactly where it was parallel to all of them before.
//! Behind a communication node, the two participants go on and are parallel to each other.
//!
//! Why this is right: read "the pair is in the relation" as "both nodes were reached in some state at the same time".
//! The initial state satisfies the relation, and each step preserves it, so every pair that some state has is in it. It
//! is the pairwise abstraction of the reachable states, the same thing as the concurrency relation of a Petri net.
//!
//! Classes of alike tasks make it slightly larger: two nodes of one class, or a node and itself, may be parallel if the
//! class has members enough for both.
//!
//! The fixpoint itself is `Parallel` in `rendez_model`, which the nets of the ILP engine use as well. Rows are bits, so
//! a step of the worklist is a few operations on words.

use rendez_analysis::parallel::Parallel;

use crate::tfg::{NodeId, Tfg};

pub use rendez_analysis::bits::Bits;

/// The relation; the nodes that are reached at all are in it.
pub fn mhp(tfg: &Tfg) -> Parallel {
    let mut pairs = Parallel::new(tfg.nodes.len());
    let size: Vec<usize> = tfg.classes.iter().map(crate::tfg::Class::size).collect();
    // Whether there are enough participants for both nodes at once.
    let fits = |a: NodeId, b: NodeId| {
        let (x, y) = (&tfg.nodes[a as usize].classes, &tfg.nodes[b as usize].classes);
        x.iter().all(|c| {
            let both = x.iter().filter(|d| *d == c).count() + y.iter().filter(|d| *d == c).count();
            !y.contains(c) || both <= size[usize::from(*c)]
        })
    };
    for a in &tfg.classes {
        pairs.reach(a.init);
        for b in tfg.classes.iter().filter(|b| fits(a.init, b.init)) {
            pairs.pair(a.init, b.init);
        }
    }
    while let Some(n) = pairs.take() {
        let node = &tfg.nodes[n as usize];
        for s in node.successors().filter(|s| *s != tfg.last) {
            pairs.come(s, &[n], fits);
        }
        if node.is_com() {
            for a in &node.then[0] {
                for b in node.then[1].iter().filter(|b| fits(*a, **b)) {
                    pairs.pair(*a, *b);
                }
            }
        }
        for &c in &tfg.communications[n as usize] {
            if let Some((p, q)) = tfg.nodes[c as usize].from
                && pairs.get(p, q)
            {
                pairs.come(c, &[p, q], fits);
            }
        }
    }
    pairs
}
