//! May happen in parallel: the least relation of pairs that contains the start and is closed under
//! the steps of single participants and of pairs that meet. A third participant stays where it is,
//! so after a meeting it is parallel to both exactly where it was parallel to both before.

use crate::tfg::{NodeId, Tfg};

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn new(size: usize) -> Bits {
        Bits { words: vec![0; size.div_ceil(64)] }
    }

    pub fn get(&self, i: NodeId) -> bool {
        self.words[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Whether it was not there.
    pub fn set(&mut self, i: NodeId) -> bool {
        let word = &mut self.words[i as usize / 64];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }

    /// Adds another set.
    pub fn add(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(mine, word)| *mine |= word);
    }

    /// Adds another set, and tells what was new.
    pub fn take_new(&mut self, other: &Bits, new: &mut Vec<NodeId>) {
        for (w, (mine, word)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let mut fresh = word & !*mine;
            if fresh != 0 {
                *mine |= fresh;
                while fresh != 0 {
                    new.push(w as NodeId * 64 + fresh.trailing_zeros());
                    fresh &= fresh - 1;
                }
            }
        }
    }

    pub fn ones(&self) -> Ones<'_> {
        Ones { words: &self.words, at: 0, word: self.words.first().copied().unwrap_or(0) }
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }
}

pub struct Ones<'a> {
    words: &'a [u64],
    at: usize,
    word: u64,
}

impl Iterator for Ones<'_> {
    type Item = NodeId;
    fn next(&mut self) -> Option<NodeId> {
        while self.word == 0 {
            self.at += 1;
            self.word = *self.words.get(self.at)?;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.at as NodeId * 64 + bit)
    }
}

/// A relation between nodes, one row of bits each.
#[derive(Clone, Debug)]
pub struct Matrix {
    rows: Vec<Bits>,
}

impl Matrix {
    pub fn new(size: usize) -> Matrix {
        Matrix { rows: vec![Bits::new(size); size] }
    }

    pub fn row(&self, n: NodeId) -> &Bits {
        &self.rows[n as usize]
    }

    pub fn get(&self, a: NodeId, b: NodeId) -> bool {
        self.rows[a as usize].get(b)
    }

    pub fn set(&mut self, a: NodeId, b: NodeId) -> bool {
        self.rows[a as usize].set(b)
    }
}

struct Solver<'t> {
    tfg: &'t Tfg,
    pairs: Matrix,
    reached: Bits,
    work: Vec<NodeId>,
    queued: Bits,
    /// How many members each class has.
    size: Vec<usize>,
}

/// The relation, and the nodes that are reached at all.
pub fn mhp(tfg: &Tfg) -> (Matrix, Bits) {
    let n = tfg.nodes.len();
    let mut solver = Solver {
        tfg,
        pairs: Matrix::new(n),
        reached: Bits::new(n),
        work: Vec::new(),
        queued: Bits::new(n),
        size: tfg.classes.iter().map(crate::tfg::Class::size).collect(),
    };
    let starts: Vec<NodeId> = tfg.classes.iter().map(|c| c.init).collect();
    for a in &starts {
        solver.reach(*a);
        for b in &starts {
            solver.pair(*a, *b);
        }
    }
    while let Some(n) = solver.work.pop() {
        solver.queued.words[n as usize / 64] &= !(1 << (n % 64));
        solver.visit(n);
    }
    (solver.pairs, solver.reached)
}

impl Solver<'_> {
    fn push(&mut self, n: NodeId) {
        if self.queued.set(n) {
            self.work.push(n);
        }
    }

    fn reach(&mut self, n: NodeId) {
        if self.reached.set(n) {
            self.push(n);
        }
    }

    /// Whether there are enough participants for both nodes at once.
    fn fits(&self, a: NodeId, b: NodeId) -> bool {
        let (x, y) = (&self.tfg.nodes[a as usize].classes, &self.tfg.nodes[b as usize].classes);
        x.iter().all(|c| {
            let both = x.iter().filter(|d| *d == c).count() + y.iter().filter(|d| *d == c).count();
            !y.contains(c) || both <= self.size[usize::from(*c)]
        })
    }

    fn pair(&mut self, a: NodeId, b: NodeId) {
        if !self.pairs.get(a, b) && self.fits(a, b) {
            self.pairs.set(a, b);
            self.pairs.set(b, a);
            self.push(a);
            self.push(b);
        }
    }

    /// Everything parallel to all of `of` is parallel to `n`.
    fn inherit(&mut self, n: NodeId, of: &[NodeId]) {
        for w in 0..self.pairs.rows[n as usize].words.len() {
            let both = of.iter().fold(u64::MAX, |all, o| all & self.pairs.rows[*o as usize].words[w]);
            let mut new = both & !self.pairs.rows[n as usize].words[w];
            while new != 0 {
                let x = w as NodeId * 64 + new.trailing_zeros();
                new &= new - 1;
                self.pair(n, x);
            }
        }
    }

    fn visit(&mut self, n: NodeId) {
        let tfg = self.tfg;
        let node = &tfg.nodes[n as usize];
        for s in node.successors() {
            if s != tfg.last {
                self.reach(s);
                self.inherit(s, &[n]);
            }
        }
        if node.is_com() {
            for a in &node.then[0] {
                for b in &node.then[1] {
                    self.pair(*a, *b);
                }
            }
        }
        for &c in &tfg.meets[n as usize] {
            let Some((p, q)) = tfg.nodes[c as usize].from else { continue };
            if self.pairs.get(p, q) {
                self.reach(c);
                self.inherit(c, &[p, q]);
            }
        }
    }
}
