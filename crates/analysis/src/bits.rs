//! Sets of numbers, a bit for each.

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    pub(crate) words: Vec<u64>,
}

impl Bits {
    pub fn new(size: usize) -> Bits {
        Bits { words: vec![0; size.div_ceil(64)] }
    }

    /// Makes room for so many numbers.
    pub fn grow(&mut self, size: usize) {
        if size > self.words.len() * 64 {
            self.words.resize(size.div_ceil(64), 0);
        }
    }

    /// An empty set with as much room.
    pub(crate) fn like(&self) -> Bits {
        Bits { words: vec![0; self.words.len()] }
    }

    pub fn get(&self, i: u32) -> bool {
        self.words[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// 64 numbers; none where there is no room for them.
    pub fn word(&self, w: usize) -> u64 {
        self.words.get(w).copied().unwrap_or(0)
    }

    /// The same, where there may be no room for a number.
    pub fn holds(&self, i: u32) -> bool {
        self.word(i as usize / 64) >> (i % 64) & 1 == 1
    }

    /// Whether two sets have something in common.
    pub fn intersects(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether it was not there.
    pub fn set(&mut self, i: u32) -> bool {
        let word = &mut self.words[i as usize / 64];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }

    pub fn unset(&mut self, i: u32) {
        self.words[i as usize / 64] &= !(1 << (i % 64));
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The numbers that another set does not have.
    pub fn without(&self, other: &Bits) -> impl Iterator<Item = u32> {
        let words = self.words.iter().enumerate().map(|(w, mine)| (w, mine & !other.word(w)));
        words.flat_map(|(w, rest)| numbers(w, rest))
    }

    /// Adds another set.
    pub fn add(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(mine, word)| *mine |= word);
    }

    /// Adds another set, for which room is made.
    pub fn unite(&mut self, other: &Bits) {
        self.grow(other.words.len() * 64);
        self.add(&other.words);
    }

    /// Adds another set, and tells what was new.
    pub fn take_new(&mut self, other: &Bits, new: &mut Vec<u32>) {
        for (w, (mine, word)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let fresh = word & !*mine;
            *mine |= fresh;
            new.extend(numbers(w, fresh));
        }
    }

    /// The least number that another set has, too.
    pub fn first_common(&self, other: &Bits) -> Option<u32> {
        let words = self.words.iter().zip(&other.words).enumerate();
        let mut both = words.map(|(w, (a, b))| (w, a & b)).filter(|(_, both)| *both != 0);
        both.next().map(|(w, both)| w as u32 * 64 + both.trailing_zeros())
    }

    pub fn ones(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(w, word)| numbers(w, *word))
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }
}

/// The numbers in a word of a set.
fn numbers(w: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(w as u32 * 64 + bit)
    })
}
