//! Packed states in a table that several threads share.
//!
//! A state is a few words. States lie one after the other in chunks that never move; an
//! open-addressing index of 32-bit entries, five of them bits of the hash, finds them. A thread that
//! wants to add a state writes it first and then publishes its number in the index; if another was
//! faster, the number is kept for the next one. The index grows between levels of the search only.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rendez_network::network::Outcome;

/// Where each slot lies in the words of a state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    places: Vec<Place>,
    widths: Vec<u32>,
    pub words: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    word: u32,
    shift: u32,
    mask: u64,
}

/// A change of one slot, ready to be made.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub word: u32,
    pub keep: u64,
    pub bits: u64,
}

impl Patch {
    #[inline]
    pub fn apply(self, words: &mut [u64]) {
        let word = &mut words[self.word as usize];
        *word = *word & self.keep | self.bits;
    }
}

/// Makes the changes of an outcome in a packed state.
#[inline]
pub fn apply(outcome: &Outcome, patches: &[Patch], words: &mut [u64]) {
    for patch in &patches[outcome.changes.0 as usize..outcome.changes.1 as usize] {
        patch.apply(words);
    }
}

impl Layout {
    /// For slots with so many contents each.
    pub fn new(counts: impl Iterator<Item = usize>) -> Layout {
        let mut layout = Layout::default();
        let (mut word, mut shift) = (0u32, 0u32);
        for count in counts {
            let width = usize::BITS - count.saturating_sub(1).leading_zeros();
            if shift + width > 64 {
                word += 1;
                shift = 0;
            }
            layout.places.push(Place { word, shift: shift & 63, mask: ((1u128 << width) - 1) as u64 });
            layout.widths.push(width);
            shift += width;
        }
        layout.words = word as usize + 1;
        layout
    }

    pub fn fits(&self, slot: usize, value: u32) -> bool {
        u64::from(value) <= self.places[slot].mask
    }

    #[inline]
    pub fn get(&self, words: &[u64], slot: usize) -> u32 {
        let place = self.places[slot];
        (words[place.word as usize] >> place.shift & place.mask) as u32
    }

    /// Word, shift and mask of a slot.
    pub fn place(&self, slot: usize) -> (u32, u32, u64) {
        let place = self.places[slot];
        (place.word, place.shift, place.mask)
    }

    pub fn patch(&self, slot: usize, value: u32) -> Patch {
        let place = self.places[slot];
        Patch { word: place.word, keep: !(place.mask << place.shift), bits: u64::from(value) << place.shift }
    }

    pub fn pack(&self, values: &[u32]) -> Vec<u64> {
        let mut words = vec![0; self.words];
        self.pack_into(values, &mut words);
        words
    }

    pub fn pack_into(&self, values: &[u32], words: &mut [u64]) {
        words.fill(0);
        for (place, value) in self.places.iter().zip(values) {
            words[place.word as usize] |= u64::from(*value) << place.shift;
        }
    }

    pub fn unpack(&self, words: &[u64], values: &mut Vec<u32>) {
        values.clear();
        values.extend((0..self.places.len()).map(|slot| self.get(words, slot)));
    }
}

/// States per chunk.
const CHUNK: usize = 1 << 14;
const CHUNKS: usize = (1 << TAG_SHIFT) / CHUNK;
const TAG_SHIFT: u32 = 27;
/// More states than this cannot be numbered.
pub const MOST_STATES: usize = (1 << TAG_SHIFT) - CHUNK;
/// The parent of a number that no state has.
const HOLE: u32 = u32::MAX;
/// Marks a parent: not all steps of the state were followed.
const PARTIAL: u32 = 1 << 31;

struct Chunk {
    words: Box<[AtomicU64]>,
    parents: Box<[AtomicU32]>,
    /// With stubborn sets: where the set of each state began.
    starts: Box<[AtomicU32]>,
}

pub struct Store {
    width: usize,
    starts: bool,
    index: Box<[AtomicU32]>,
    chunks: Box<[OnceLock<Chunk>]>,
    next: AtomicU32,
}

/// Numbers that a thread has taken and not used yet.
#[derive(Default)]
pub struct Spare {
    next: u32,
    end: u32,
    /// How many are taken at once; several threads would wait for each other otherwise.
    pub block: u32,
}

#[inline]
pub fn hash(words: &[u64]) -> u64 {
    let mut h = 0u64;
    for w in words {
        let x = u128::from(*w ^ h ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        h = (x as u64) ^ (x >> 64) as u64;
    }
    h ^ h >> 32
}

impl Store {
    pub fn new(width: usize, capacity: usize, starts: bool) -> Store {
        let size = (capacity * 2).next_power_of_two().max(1 << 12);
        Store {
            width,
            starts,
            index: (0..size).map(|_| AtomicU32::new(0)).collect(),
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(0),
        }
    }

    /// Numbers given out; some few may be holes.
    #[inline]
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }

    pub fn memory(&self) -> usize {
        let used = self.len().div_ceil(CHUNK);
        self.index.len() * 4
            + used * CHUNK * (self.width * 8 + if self.starts { 8 } else { 4 })
            + self.chunks.len() * 40
    }

    /// Whether the index should grow before many more states are added.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        self.len() > self.index.len() / 6 * 5
    }

    pub fn grow(&mut self) {
        let size = self.index.len() * 2;
        self.index = (0..size).map(|_| AtomicU32::new(0)).collect();
        let mut words = vec![0; self.width];
        for id in 0..self.len() as u32 {
            if self.parent(id).is_some() {
                self.read(id, &mut words);
                let hash = hash(&words);
                self.place(hash, id);
            }
        }
    }

    /// Puts a number into the index without looking for its like.
    fn place(&self, hash: u64, id: u32) {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        while self.index[at].load(Ordering::Relaxed) != 0 {
            at = (at + 1) & mask;
        }
        self.index[at].store(entry(hash, id), Ordering::Relaxed);
    }

    fn chunk(&self, id: u32) -> &Chunk {
        let width = self.width;
        self.chunks[id as usize / CHUNK].get_or_init(|| Chunk {
            words: (0..CHUNK * width).map(|_| AtomicU64::new(0)).collect(),
            parents: (0..CHUNK).map(|_| AtomicU32::new(HOLE)).collect(),
            starts: (0..if self.starts { CHUNK } else { 0 }).map(|_| AtomicU32::new(0)).collect(),
        })
    }

    #[inline]
    pub fn read(&self, id: u32, words: &mut [u64]) {
        let start = id as usize % CHUNK * self.width;
        let stored = &self.chunk(id).words[start..start + self.width];
        for (to, from) in words.iter_mut().zip(stored) {
            *to = from.load(Ordering::Relaxed);
        }
    }

    #[inline]
    fn equals(&self, id: u32, words: &[u64]) -> bool {
        let start = id as usize % CHUNK * self.width;
        let stored = &self.chunk(id).words[start..start + self.width];
        stored.iter().zip(words).all(|(a, b)| a.load(Ordering::Relaxed) == *b)
    }

    /// The state from which a state was first reached, itself for the first; None for a hole.
    pub fn parent(&self, id: u32) -> Option<u32> {
        let parent = self.chunk(id).parents[id as usize % CHUNK].load(Ordering::Relaxed);
        (parent != HOLE).then_some(parent & !PARTIAL)
    }

    /// Notes that a reduction left steps of a state out; `which` says how.
    pub fn set_partial(&self, id: u32, which: u32) {
        let chunk = self.chunk(id);
        chunk.parents[id as usize % CHUNK].fetch_or(PARTIAL, Ordering::Relaxed);
        if let Some(starts) = chunk.starts.get(id as usize % CHUNK) {
            starts.store(which, Ordering::Relaxed);
        }
    }

    /// How steps of a state were left out, if some were.
    pub fn partial(&self, id: u32) -> Option<u32> {
        let chunk = self.chunk(id);
        let parent = chunk.parents[id as usize % CHUNK].load(Ordering::Relaxed);
        let which = || chunk.starts.get(id as usize % CHUNK).map_or(0, |s| s.load(Ordering::Relaxed));
        (parent != HOLE && parent & PARTIAL != 0).then(which)
    }

    /// What is at the place where a search for a state with this hash begins.
    #[inline]
    pub fn glance(&self, hash: u64) -> u32 {
        self.index[hash as usize & (self.index.len() - 1)].load(Ordering::Acquire)
    }

    /// Whether that is the state itself.
    #[inline]
    pub fn is_at(&self, entry: u32, hash: u64, words: &[u64]) -> bool {
        entry != 0 && entry >> TAG_SHIFT == tag(hash) && self.equals((entry & ID_MASK) - 1, words)
    }

    /// The number of a state, if it is there.
    pub fn find(&self, words: &[u64]) -> Option<u32> {
        let hash = hash(words);
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let found = self.index[at].load(Ordering::Acquire);
            if found == 0 {
                return None;
            }
            let id = (found & ID_MASK) - 1;
            if found >> TAG_SHIFT == tag(hash) && self.equals(id, words) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a state; whether it is new.
    #[inline]
    pub fn insert(&self, words: &[u64], hash: u64, parent: u32, spare: &mut Spare) -> bool {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        let tag = tag(hash);
        loop {
            let found = self.index[at].load(Ordering::Acquire);
            if found == 0 {
                let id = self.write(words, parent, spare);
                match self.index[at].compare_exchange(
                    0,
                    entry(hash, id),
                    Ordering::Release,
                    Ordering::Acquire,
                ) {
                    Ok(_) => return true,
                    Err(_) => {
                        // Somebody else took the place: look again, and keep the number.
                        self.chunk(id).parents[id as usize % CHUNK].store(HOLE, Ordering::Relaxed);
                        spare.next -= 1;
                        continue;
                    }
                }
            }
            if found >> TAG_SHIFT == tag && self.equals((found & ID_MASK) - 1, words) {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a state that is known to be new, under the next number; None makes a hole.
    pub fn append(&self, words: &[u64], parent: Option<u32>, partial: Option<u32>) {
        let id = self.write(words, parent.unwrap_or(HOLE), &mut Spare::default());
        if parent.is_some() {
            self.place(hash(words), id);
        }
        if let Some(which) = partial {
            self.set_partial(id, which);
        }
    }

    fn write(&self, words: &[u64], parent: u32, spare: &mut Spare) -> u32 {
        if spare.next == spare.end {
            let block = spare.block.max(1);
            spare.next = self.next.fetch_add(block, Ordering::Relaxed);
            spare.end = spare.next + block;
        }
        let id = spare.next;
        spare.next += 1;
        let chunk = self.chunk(id);
        let start = id as usize % CHUNK * self.width;
        for (to, from) in chunk.words[start..start + self.width].iter().zip(words) {
            to.store(*from, Ordering::Relaxed);
        }
        chunk.parents[id as usize % CHUNK].store(parent, Ordering::Relaxed);
        id
    }

    /// Gives up the numbers that a thread did not use: they are holes. How many there were.
    pub fn discard(&self, spare: &mut Spare) -> usize {
        let unused = (spare.end - spare.next) as usize;
        spare.next = spare.end;
        unused
    }
}

const ID_MASK: u32 = (1 << TAG_SHIFT) - 1;

#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 59) as u32
}

#[inline]
fn entry(hash: u64, id: u32) -> u32 {
    tag(hash) << TAG_SHIFT | (id + 1)
}
