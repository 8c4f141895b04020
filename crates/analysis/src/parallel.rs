//! May happen in parallel: pairs of places that participants may be at together.
//!
//! This is the least symmetric relation that contains the start and is closed under steps: it is what the algorithm of
//! Naumovich and Avrunin (FSE 1998) computes for Ada tasks, and the concurrency relation of a Petri net. A participant
//! that a step does not concern stays where it is; afterwards it is parallel to all who took part exactly where it was
//! parallel to all of them before. Participants of the step are parallel to each other behind it.
//!
//! The relation holds for every pair of places that some state has, because the start satisfies it and every step
//! preserves it. It over-approximates: three places may be pairwise parallel though no state has all three.
//!
//! This file holds the relation and its worklist; what a step is, the caller knows: trace flow graphs
//! (`rendez_flow::mhp`) and nets (`rendez_petri::net`). A row is a set of bits, and closing a step is a conjunction
//! of the rows of its participants, of which only the new bits are looked at. Places whose rows changed are taken round
//! and round in the order in which they were found, because later ones hear of much at once.

use crate::bits::Bits;

/// A relation between places that grows until nothing is new.
#[derive(Clone, Debug, Default)]
pub struct Parallel {
    rows: Vec<Bits>,
    reached: Bits,
    /// Places whose row has changed, to be looked at again.
    queued: Bits,
    /// Where to look for the next of them.
    at: u32,
}

impl Parallel {
    pub fn new(size: usize) -> Parallel {
        let mut relation = Parallel::default();
        relation.grow(size);
        relation
    }

    /// Makes room for so many places.
    pub fn grow(&mut self, size: usize) {
        if size > self.rows.len() {
            if size > self.reached.words.len() * 64 {
                let room = size.max(self.rows.len() * 3 / 2);
                let all = self.rows.iter_mut().chain([&mut self.reached, &mut self.queued]);
                all.for_each(|row| row.grow(room));
            }
            self.rows.resize(size, self.reached.like());
        }
    }

    /// Bytes.
    pub fn memory(&self) -> usize {
        self.rows.iter().map(|row| 24 + row.words.len() * 8).sum()
    }

    pub fn row(&self, a: u32) -> &Bits {
        &self.rows[a as usize]
    }

    pub fn get(&self, a: u32, b: u32) -> bool {
        self.rows[a as usize].get(b)
    }

    /// Whether a place can be reached at all.
    pub fn is_reached(&self, a: u32) -> bool {
        self.reached.get(a)
    }

    pub fn reached(&self) -> &Bits {
        &self.reached
    }

    /// A place that something new is known about. Round and round in the order in which places were found:
    /// the later ones hear of much at once.
    pub fn take(&mut self) -> Option<u32> {
        let words = self.queued.words.len();
        let (first, bit) = (self.at as usize / 64, self.at % 64);
        for i in 0..=words {
            let w = (first + i) % words.max(1);
            let mut word = *self.queued.words.get(w)?;
            if i == 0 {
                word &= u64::MAX << bit;
            }
            if word != 0 {
                let n = w as u32 * 64 + word.trailing_zeros();
                self.queued.words[w] &= !(1 << (n % 64));
                self.at = (n + 1) % (words as u32 * 64);
                return Some(n);
            }
        }
        None
    }

    fn push(&mut self, n: u32) {
        self.queued.set(n);
    }

    pub fn reach(&mut self, n: u32) {
        if self.reached.set(n) {
            self.push(n);
        }
    }

    pub fn pair(&mut self, a: u32, b: u32) {
        if self.rows[a as usize].set(b) {
            self.rows[b as usize].set(a);
            self.push(a);
            self.push(b);
        }
    }

    /// Somebody comes to a place from those `before`, which are parallel; `fits` says whether there
    /// are participants enough for two places.
    pub fn come(&mut self, n: u32, before: &[u32], fits: impl Fn(u32, u32) -> bool) {
        self.come_where(n, before, |_| u64::MAX, fits);
    }

    /// The same, where only some of the places that are parallel to those `before` can be new.
    pub fn come_among(&mut self, n: u32, before: &[u32], among: &Bits) {
        self.come_where(n, before, |w| among.word(w), |_, _| true);
    }

    fn come_where(
        &mut self,
        n: u32,
        before: &[u32],
        among: impl Fn(usize) -> u64,
        fits: impl Fn(u32, u32) -> bool,
    ) {
        self.reach(n);
        for w in 0..self.rows[n as usize].words.len() {
            let mut new = among(w) & !self.rows[n as usize].words[w];
            if new == 0 {
                continue;
            }
            new = before.iter().fold(new, |all, o| all & self.rows[*o as usize].words[w]);
            while new != 0 {
                let x = w as u32 * 64 + new.trailing_zeros();
                new &= new - 1;
                if fits(n, x) {
                    self.pair(n, x);
                }
            }
        }
    }

    /// The places that a place has become parallel to since it was `known` last.
    pub fn news(&self, n: u32, known: &mut Bits, news: &mut Bits) {
        let row = &self.rows[n as usize].words;
        known.words.resize(row.len(), 0);
        news.words.clear();
        news.words.extend(row.iter().zip(&known.words).map(|(row, known)| row & !known));
        known.words.copy_from_slice(row);
    }

    /// The places that are parallel to all of some.
    pub fn common(&self, of: &[u32]) -> Bits {
        let mut all = self.rows[of[0] as usize].clone();
        for o in &of[1..] {
            all.words.iter_mut().zip(&self.rows[*o as usize].words).for_each(|(a, b)| *a &= b);
        }
        all
    }

    /// Of some places those that are parallel to all of others. `within` says, for each word, which numbers
    /// are of interest.
    pub fn each_common(
        &self,
        of: &[u32],
        among: &Bits,
        within: impl Fn(usize) -> u64,
        mut f: impl FnMut(u32),
    ) {
        for (w, word) in among.words.iter().enumerate().filter(|(_, word)| **word != 0) {
            let word = word & within(w);
            let mut all = of.iter().fold(word, |all, o| all & self.rows[*o as usize].words[w]);
            while all != 0 {
                f(w as u32 * 64 + all.trailing_zeros());
                all &= all - 1;
            }
        }
    }

    /// What stands for no new number.
    pub const NO_NUMBER: u32 = u32::MAX;

    /// The relation without the places that have no new number.
    pub fn renumbered(&self, number: &[u32], size: usize) -> Parallel {
        let mut relation = Parallel::new(size);
        for (n, to) in number.iter().enumerate().filter(|(_, to)| **to != Self::NO_NUMBER) {
            for m in self.rows[n].ones().filter(|m| number[*m as usize] != Self::NO_NUMBER) {
                relation.rows[*to as usize].set(number[m as usize]);
            }
            if self.reached.get(n as u32) {
                relation.reached.set(*to);
            }
        }
        relation
    }
}
