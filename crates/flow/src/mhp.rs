//! May happen in parallel, on trace flow graphs: participants go on alone, or in pairs that meet.

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
        for &c in &tfg.meets[n as usize] {
            if let Some((p, q)) = tfg.nodes[c as usize].from
                && pairs.get(p, q)
            {
                pairs.come(c, &[p, q], fits);
            }
        }
    }
    pairs
}
