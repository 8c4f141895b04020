//! Packed states that several threads share.
//!
//! A state is a tuple of slot contents, each of them a number, packed into a few words. Only the bits in use are kept:
//! states lie one after the other, without gaps, in chunks that never move. An [`Index`] knows which states there are.
//! Where LTSmin compresses states into a tree of pairs (Laarman, van de Pol and Weber, *Parallel recursive state
//! compression for free*, SPIN 2011), the compression here is flat: each slot takes the bits that the numbers of its
//! contents need, and when a slot outgrows them, all states are packed anew.
//!
//! For states of one word, hashing is a bijection: multiplication by an odd number and folding one half into the other
//! can both be undone. The hash is therefore as good as the state, and the index can store the part of the hash that
//! its position does not tell (Cleary's quotienting, see `index.rs`). States of several words are hashed in the usual
//! way and compared.
//!
//! States are numbered in the order in which they are found, so the children of neighbouring states have neighbouring
//! numbers. For a group of 64 states it is enough to note between which numbers their parents are; which parent it was
//! is found out by expanding these again, when a trace is wanted. With stubborn sets, expanding a state is expensive,
//! and the parent of each state is kept exactly, with the task from which its set was built.
//!
//! An earlier version let threads publish numbers in a shared table, in which the loser of a race kept its number for
//! the next state. Now each segment of the index belongs to one thread at a time, so every number is that of a state,
//! and numbers do not depend on the number of threads.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rendez_petri::step_cache::MemoisedOutcome;

use crate::index::{Glance, Index, Lookup, SEGMENTS, Segment, segment_of};

/// Where each slot lies in the words of a state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    places: Vec<BitField>,
    widths: Vec<u32>,
    pub words: usize,
    /// The bits that are used, counted from the first.
    pub bits: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct BitField {
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

/// Bits of a packed state that lie side by side in another layout too.
#[derive(Clone, Copy, Debug)]
pub struct BitMove {
    from: u32,
    right: u32,
    mask: u64,
    to: u32,
    left: u32,
}

/// Makes the changes of an outcome in a packed state.
#[inline]
pub fn apply(outcome: &MemoisedOutcome, patches: &[Patch], words: &mut [u64]) {
    for patch in &patches[outcome.changes.0 as usize..outcome.changes.1 as usize] {
        patch.apply(words);
    }
}

/// What an outcome keeps and sets in a state of one word.
pub fn merged(outcome: &MemoisedOutcome, patches: &[Patch]) -> (u64, u64) {
    let own = &patches[outcome.changes.0 as usize..outcome.changes.1 as usize];
    own.iter().fold((u64::MAX, 0), |(keep, bits), p| (keep & p.keep, bits | p.bits))
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
            layout.places.push(BitField { word, shift: shift & 63, mask: ((1u128 << width) - 1) as u64 });
            layout.widths.push(width);
            shift += width;
        }
        layout.words = word as usize + 1;
        layout.bits = (word as usize * 64 + shift as usize).max(1);
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

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.places.len()
    }

    /// How many contents a slot has room for.
    pub fn room(&self, slot: usize) -> usize {
        self.places.get(slot).map_or(1, |place| place.mask as usize + 1)
    }

    /// What takes a packed state to one of another layout with at least the same room for the contents in use:
    /// slots that lie side by side in both go together.
    pub fn moves(&self, to: &Layout) -> Vec<BitMove> {
        let mut moves: Vec<BitMove> = Vec::new();
        for (old, new) in self.places.iter().zip(&to.places) {
            let mask = old.mask & new.mask;
            let next = BitMove { from: old.word, right: old.shift, mask, to: new.word, left: new.shift };
            let beside = moves.last_mut().filter(|last| {
                let width = 64 - last.mask.leading_zeros();
                let same = (last.from, last.to) == (next.from, next.to);
                same && last.right + width == old.shift && last.left + width == new.shift
            });
            match beside {
                _ if mask == 0 => {}
                Some(last) => last.mask |= mask << (old.shift - last.right),
                None => moves.push(next),
            }
        }
        moves
    }

    pub fn unpack(&self, words: &[u64], values: &mut Vec<u32>) {
        values.clear();
        values.extend((0..self.places.len()).map(|slot| self.get(words, slot)));
    }
}

/// Odd numbers that hashes are made with, and those that undo it.
const MIX: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
const BACK: [u64; 2] = [inverse(MIX[0]), inverse(MIX[1])];

/// The number by which an odd one is 1, by Newton's method.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut right = 3;
    while right < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
}

/// States per chunk.
const CHUNK: usize = 1 << 11;
/// Lists of chunks, each twice as long as the one before.
const LISTS: usize = 20;
/// States that share what is known of their parents.
const GROUP: usize = 64;
/// States for which memory is fetched at once.
const TOGETHER: usize = 64;
/// More states than this are not looked for; there are numbers for those that come before it is noticed.
pub const MOST_STATES: usize = 1 << 29;

struct Chunk {
    /// Bits of states, without gaps.
    bits: Box<[AtomicU64]>,
    /// States of which not all steps were followed, once there is one.
    partial: OnceLock<Box<[AtomicU64]>>,
    /// By group: the least and the greatest parent.
    parents: Box<[(AtomicU32, AtomicU32)]>,
    /// With stubborn sets: the parent of each state, and where its set began.
    exact: Box<[(AtomicU32, AtomicU32)]>,
}

pub struct Store {
    width: usize,
    bits: usize,
    /// What the last word of a state may use.
    last: u64,
    stubborn: bool,
    chunks: [OnceLock<Box<[OnceLock<Chunk>]>>; LISTS],
    next: CachePadded<AtomicU32>,
    /// How many chunks have marks.
    marked: AtomicUsize,
    /// Bytes of the index.
    index_bytes: AtomicUsize,
}

/// What several threads write, away from what they only read.
#[derive(Default)]
#[repr(align(128))]
struct CachePadded<T>(T);

/// What whoever writes states keeps in mind.
#[derive(Default)]
pub struct Writer {
    /// A group of states, and parents that were noted for it.
    noted: Option<(u32, (u32, u32))>,
}

/// Whether nobody else writes at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sole {
    Yes,
    No,
}

fn zeros(n: usize) -> Box<[AtomicU64]> {
    (0..n).map(|_| AtomicU64::new(0)).collect()
}

impl Store {
    pub fn new(layout: &Layout, stubborn: bool) -> Store {
        let used = layout.bits - 64 * (layout.words - 1);
        debug_assert!((1..=64).contains(&used));
        Store {
            width: layout.words,
            bits: layout.bits,
            last: if used == 64 { u64::MAX } else { (1 << used) - 1 },
            stubborn,
            chunks: std::array::from_fn(|_| OnceLock::new()),
            next: CachePadded::default(),
            marked: AtomicUsize::new(0),
            index_bytes: AtomicUsize::new(0),
        }
    }

    /// The index of the states that are there, with room for so many.
    pub fn index(&self, states: usize, threads: usize) -> Index {
        let index = self.filled(states, self.zeros(), threads);
        self.index_bytes.store(index.memory(), Ordering::Relaxed);
        index
    }

    fn filled(&self, states: usize, zeros: Option<u32>, threads: usize) -> Index {
        let mut index = Index::new(states, zeros);
        let threads = if self.len() < 1 << 14 { 1 } else { threads.clamp(1, SEGMENTS) };
        let each = SEGMENTS.div_ceil(threads);
        std::thread::scope(|scope| {
            let mut parts = (0..).step_by(each).zip(index.segments().chunks_mut(each));
            let own = parts.next();
            for (first, part) in parts {
                scope.spawn(move || self.fill(part, first, zeros));
            }
            own.into_iter().for_each(|(first, part)| self.fill(part, first, zeros));
        });
        index
    }

    /// Puts those states into segments, counted from one, that belong there.
    fn fill(&self, segments: &mut [Segment], first: usize, zeros: Option<u32>) {
        let (mut words, mut batch) = (vec![0; self.width], Vec::with_capacity(TOGETHER));
        let len = self.len() as u32;
        for id in 0..len {
            self.read(id, &mut words);
            let hash = self.hash(&words);
            if (first..first + segments.len()).contains(&segment_of(hash)) {
                batch.push((segment_of(hash) - first, hash, id));
            }
            if batch.len() == TOGETHER || id + 1 == len {
                // Memory is fetched for all of them at once.
                std::hint::black_box(
                    batch.iter().fold(0, |all, (k, hash, _)| all | segments[*k].first(*hash)),
                );
                for (k, hash, id) in batch.drain(..) {
                    segments[k].grow(zeros, 1, len as usize, |id| self.hash_of(id));
                    segments[k].place(std::iter::once((hash, id)));
                }
            }
        }
    }

    /// The zeros behind hashes, if these tell states apart. Where few of the steps are followed numbers are
    /// needed again and again, and adding states is not what takes the time.
    fn zeros(&self) -> Option<u32> {
        (self.width == 1 && !self.stubborn).then(|| 64 - self.bits as u32)
    }

    /// Of one word another one with the bits in front, no two the same; of several a mixture.
    #[inline(always)]
    pub fn hash(&self, words: &[u64]) -> u64 {
        if let [word] = words {
            let mixed = (word << (64 - self.bits)).wrapping_mul(MIX[0]);
            return self.fold(mixed).wrapping_mul(MIX[1]);
        }
        let mut h = 0u64;
        for w in words {
            let x = u128::from(*w ^ h ^ MIX[0]) * u128::from(MIX[1]);
            h = (x as u64) ^ (x >> 64) as u64;
        }
        h ^ h >> 32
    }

    fn hash_of(&self, id: u32) -> u64 {
        let mut words = [0; 8];
        match words.get_mut(..self.width) {
            Some(words) => {
                self.read(id, words);
                self.hash(words)
            }
            None => {
                let mut words = vec![0; self.width];
                self.read(id, &mut words);
                self.hash(&words)
            }
        }
    }

    /// The word with a hash.
    #[inline(always)]
    pub fn word_of(&self, hash: u64) -> u64 {
        self.fold(hash.wrapping_mul(BACK[1])).wrapping_mul(BACK[0]) >> (64 - self.bits)
    }

    /// The later half of the bits in use changed by the other; twice is not at all.
    #[inline(always)]
    fn fold(&self, mixed: u64) -> u64 {
        let unused = 64 - self.bits;
        mixed ^ mixed >> self.bits.div_ceil(2) >> unused << unused
    }

    /// How many states there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.next.0.load(Ordering::Relaxed) as usize
    }

    /// Says how many states there are, all of which were written.
    pub fn set_len(&self, states: usize) {
        self.next.0.store(states as u32, Ordering::Relaxed);
    }

    /// Bytes of the states and of the index.
    pub fn memory(&self) -> usize {
        let used = self.len().div_ceil(CHUNK);
        let chunk = CHUNK * self.bits / 8 + CHUNK / GROUP * 8 + if self.stubborn { CHUNK * 8 } else { 0 };
        let marks = self.marked.load(Ordering::Relaxed) * CHUNK / 8;
        let lists = (used + 1).next_power_of_two() * size_of::<OnceLock<Chunk>>();
        self.index_bytes.load(Ordering::Relaxed) + used * chunk + marks + lists
    }

    /// Makes room in a segment for so many more states, with numbers below one.
    pub fn make_room(&self, segment: &mut Segment, states: usize, numbers: usize) {
        if !segment.has_room(states, numbers) {
            let before = segment.memory();
            segment.grow(self.zeros(), states, numbers, |id| self.hash_of(id));
            self.index_bytes.fetch_add(segment.memory().saturating_sub(before), Ordering::Relaxed);
        }
    }

    /// For looking up numbers of states.
    pub fn finder<'a>(&'a self, index: &'a Index, threads: usize) -> Finder<'a> {
        let own = (!index.has_numbers()).then(|| self.filled(self.len(), None, threads));
        Finder { store: self, index, own }
    }

    #[inline]
    fn chunk(&self, id: u32) -> &Chunk {
        let number = id as usize / CHUNK + 1;
        let list = number.ilog2();
        let chunks =
            self.chunks[list as usize].get_or_init(|| (0..1 << list).map(|_| OnceLock::new()).collect());
        chunks[number - (1 << list)].get_or_init(|| Chunk {
            bits: zeros(CHUNK * self.bits / 64 + 2),
            partial: OnceLock::new(),
            parents: (0..CHUNK / GROUP).map(|_| (AtomicU32::new(u32::MAX), AtomicU32::new(0))).collect(),
            exact: (0..if self.stubborn { CHUNK } else { 0 })
                .map(|_| (AtomicU32::new(0), AtomicU32::new(0)))
                .collect(),
        })
    }

    /// A word of a state.
    #[inline(always)]
    fn word(&self, chunk: &Chunk, id: u32, i: usize) -> u64 {
        let bit = id as usize % CHUNK * self.bits + i * 64;
        let (at, shift) = (bit / 64, bit % 64);
        let low = chunk.bits[at].load(Ordering::Relaxed) >> shift;
        // Shifted in two steps: a shift by all the bits of a word is none.
        let high = chunk.bits[at + 1].load(Ordering::Relaxed) << 1 << (63 - shift);
        let mask = if i + 1 == self.width { self.last } else { u64::MAX };
        (low | high) & mask
    }

    #[inline]
    pub fn read(&self, id: u32, words: &mut [u64]) {
        let chunk = self.chunk(id);
        for (i, to) in words.iter_mut().enumerate().take(self.width) {
            *to = self.word(chunk, id, i);
        }
    }

    /// Reads the states with some numbers, one after the other.
    pub fn read_all(&self, ids: Range<u32>, words: &mut Vec<u64>) {
        words.clear();
        let mut from = ids.start;
        while from < ids.end {
            let chunk = self.chunk(from);
            let end = ids.end.min((from / CHUNK as u32 + 1) * CHUNK as u32);
            match self.width {
                1 => words.extend((from..end).map(|id| self.word(chunk, id, 0))),
                width => {
                    words.extend((from..end).flat_map(|id| (0..width).map(move |i| self.word(chunk, id, i))))
                }
            }
            from = end;
        }
    }

    #[inline(always)]
    pub fn first_word(&self, id: u32) -> u64 {
        self.word(self.chunk(id), id, 0)
    }

    #[inline(always)]
    pub fn equals(&self, id: u32, words: &[u64]) -> bool {
        let chunk = self.chunk(id);
        words.iter().enumerate().all(|(i, word)| self.word(chunk, id, i) == *word)
    }

    /// The numbers between which the parent of a state is; the first has itself.
    pub fn parents(&self, id: u32) -> std::ops::RangeInclusive<u32> {
        let (least, most) = self.noted(id);
        least..=most.min(id.saturating_sub(1))
    }

    /// What was noted about the parents of a state, and of others of its group.
    fn noted(&self, id: u32) -> (u32, u32) {
        let (chunk, i) = (self.chunk(id), id as usize % CHUNK);
        let load = |number: &AtomicU32| number.load(Ordering::Relaxed);
        match chunk.exact.get(i) {
            Some((parent, _)) => (load(parent), load(parent)),
            None => (load(&chunk.parents[i / GROUP].0), load(&chunk.parents[i / GROUP].1)),
        }
    }

    /// Notes between which numbers the parent of a state is.
    fn note_parents(&self, id: u32, parents: (u32, u32)) {
        let (chunk, i) = (self.chunk(id), id as usize % CHUNK);
        let (least, most) = &chunk.parents[i / GROUP];
        if least.load(Ordering::Relaxed) > parents.0 {
            least.fetch_min(parents.0, Ordering::Relaxed);
        }
        if most.load(Ordering::Relaxed) < parents.1 {
            most.fetch_max(parents.1, Ordering::Relaxed);
        }
        if let Some(exact) = chunk.exact.get(i) {
            exact.0.store(parents.0, Ordering::Relaxed);
        }
    }

    /// Notes that a reduction left steps of a state out; `which` says how (`Followed::mark`).
    pub fn set_partial(&self, id: u32, which: u32) {
        let chunk = self.chunk(id);
        let marks = chunk.partial.get_or_init(|| {
            self.marked.fetch_add(1, Ordering::Relaxed);
            zeros(CHUNK / 64)
        });
        put(&marks[id as usize % CHUNK / 64], 1 << (id % 64), Sole::No);
        if let Some(exact) = chunk.exact.get(id as usize % CHUNK) {
            exact.1.store(which, Ordering::Relaxed);
        }
    }

    /// How steps of a state were left out, if some were.
    pub fn partial(&self, id: u32) -> Option<u32> {
        let chunk = self.chunk(id);
        let marks = chunk.partial.get()?[id as usize % CHUNK / 64].load(Ordering::Relaxed);
        let which = || chunk.exact.get(id as usize % CHUNK).map_or(0, |e| e.1.load(Ordering::Relaxed));
        (marks >> (id % 64) & 1 != 0).then(which)
    }

    /// Looks at the states that entries may be, so that memory is fetched for all at once.
    #[inline]
    pub fn look_at(&self, index: &Index, looks: impl Iterator<Item = (u32, u64)>) {
        let first = |(entry, hash)| match index.segment(hash).glance(entry, hash) {
            Glance::Perhaps(id) => self.first_word(id),
            _ => 0,
        };
        std::hint::black_box(looks.map(first).fold(0, |all, word| all | word));
    }

    /// Adds the first state.
    pub fn begin(&self, words: &[u64]) {
        self.push(words, (0, 0), &mut Writer::default());
    }

    /// Adds a state of one word that was found from one of some others; whether it is new.
    pub fn insert_word(
        &self,
        segment: &mut Segment,
        hash: u64,
        parents: (u32, u32),
        writer: &mut Writer,
    ) -> bool {
        if segment.is_crowded() {
            self.make_room(segment, 1, self.len() + 1);
        }
        if !segment.has_states() {
            return self.insert(segment, &[self.word_of(hash)], hash, parents, writer);
        }
        let new = segment.add(hash);
        if new {
            self.push(&[self.word_of(hash)], parents, writer);
        }
        new
    }

    /// Adds states of one word that were found from one of some others.
    pub fn insert_words(
        &self,
        index: &mut Index,
        hashes: &mut [u64],
        parents: (u32, u32),
        writer: &mut Writer,
    ) {
        let mut new = 0;
        for i in 0..hashes.len() {
            let hash = hashes[i];
            let segment = index.segment_mut(hash);
            if segment.is_crowded() || !segment.has_states() {
                self.insert_word(segment, hash, parents, writer);
            } else {
                hashes[new] = hash;
                new += usize::from(segment.add(hash));
            }
        }
        let from = self.len() as u32;
        let ids = from..from + new as u32;
        self.write_words(from, &hashes[..new]);
        self.set_len(ids.end as usize);
        self.note_all(ids, parents, writer);
    }

    /// Writes states of one word, by their hashes, under numbers from one on. Others may write what is before and
    /// behind.
    pub fn write_words(&self, mut from: u32, mut hashes: &[u64]) {
        while !hashes.is_empty() {
            let (chunk, first) = (self.chunk(from), from as usize % CHUNK);
            let (now, later) = hashes.split_at(hashes.len().min(CHUNK - first));
            let (mut at, mut shift) = (first * self.bits / 64, first * self.bits % 64);
            // The first and the last word may have bits of other states.
            let (start, mut bits) = (at, 0);
            for hash in now {
                let word = self.word_of(*hash);
                bits |= word << shift;
                shift += self.bits;
                if shift >= 64 {
                    match at == start {
                        true => _ = chunk.bits[at].fetch_or(bits, Ordering::Relaxed),
                        false => chunk.bits[at].store(bits, Ordering::Relaxed),
                    }
                    at += 1;
                    shift -= 64;
                    // Shifted in two steps, as nothing may be left.
                    bits = word >> 1 >> (self.bits - shift - 1);
                }
            }
            if shift > 0 {
                chunk.bits[at].fetch_or(bits, Ordering::Relaxed);
            }
            from += now.len() as u32;
            hashes = later;
        }
    }

    /// Notes between which numbers the parents of some states are.
    pub fn note_all(&self, ids: Range<u32>, parents: (u32, u32), writer: &mut Writer) {
        if ids.is_empty() {
            return;
        }
        if self.stubborn {
            return ids.for_each(|id| self.note_parents(id, parents));
        }
        let groups = ids.start / GROUP as u32..ids.end.div_ceil(GROUP as u32);
        for group in groups {
            self.note((group * GROUP as u32).max(ids.start), parents, writer);
        }
    }

    /// Adds a state that was found from one of some others, if the index has numbers; whether it is new.
    pub fn insert(
        &self,
        segment: &mut Segment,
        words: &[u64],
        hash: u64,
        parents: (u32, u32),
        writer: &mut Writer,
    ) -> bool {
        self.make_room(segment, 1, self.len() + 1);
        let Lookup::Free(at) = segment.find(hash, |id| self.equals(id, words)) else { return false };
        let id = self.push(words, parents, writer);
        segment.put(at, hash, id);
        true
    }

    /// Notes where a state was found. Those that are found one after the other mostly belong together.
    #[inline]
    fn note(&self, id: u32, parents: (u32, u32), writer: &mut Writer) {
        let noted = (id / GROUP as u32, parents);
        if self.stubborn || writer.noted != Some(noted) {
            writer.noted = Some(noted);
            self.note_parents(id, parents);
        }
    }

    /// Takes over the states of another store, with their slots elsewhere, under the same numbers.
    pub fn take_over(&self, old: &Store, moves: &[BitMove], threads: usize) {
        self.set_len(old.len());
        // Threads have chunks for themselves.
        let chunks = old.len().div_ceil(CHUNK);
        let threads = if chunks < 8 { 1 } else { threads.max(1) };
        let part = |k: usize| (chunks * k / threads * CHUNK).min(old.len()) as u32;
        std::thread::scope(|scope| {
            for k in 1..threads {
                scope.spawn(move || self.take_some(old, moves, part(k)..part(k + 1)));
            }
            self.take_some(old, moves, 0..part(1));
        });
    }

    fn take_some(&self, old: &Store, moves: &[BitMove], ids: Range<u32>) {
        let (mut before, mut now) = (vec![0; old.width], vec![0; self.width]);
        for id in ids {
            old.read(id, &mut before);
            now.fill(0);
            for m in moves {
                now[m.to as usize] |= (before[m.from as usize] >> m.right & m.mask) << m.left;
            }
            self.write_at(id, &now, |_| Sole::Yes);
            // Others of a group have the same noted about them.
            if self.stubborn || (id as usize).is_multiple_of(GROUP) {
                self.note_parents(id, old.noted(id));
            }
            if let Some(which) = old.partial(id) {
                self.set_partial(id, which);
            }
        }
    }

    /// Writes a state behind the others; its number.
    #[inline]
    pub fn push(&self, words: &[u64], parents: (u32, u32), writer: &mut Writer) -> u32 {
        let id = self.next.0.load(Ordering::Relaxed);
        self.next.0.store(id + 1, Ordering::Relaxed);
        self.write_at(id, words, |_| Sole::Yes);
        self.note(id, parents, writer);
        id
    }

    /// The words of all states, counted through, in which only the states with some numbers have bits.
    pub fn words_of(&self, ids: &Range<u32>) -> Range<usize> {
        let bit = |id: u32| id as usize * self.bits;
        bit(ids.start).div_ceil(64)..bit(ids.end) / 64
    }

    /// Writes a state under a number; some words are this thread's alone.
    #[inline]
    pub fn write(&self, id: u32, words: &[u64], own: &Range<usize>) {
        let before = id as usize / CHUNK * (CHUNK * self.bits / 64);
        self.write_at(id, words, |at| {
            let mine = before + at >= own.start && before + at + 1 < own.end;
            if mine { Sole::Yes } else { Sole::No }
        });
    }

    /// Writes a state; `sole` says whether a word of a chunk and the next one are this thread's alone.
    #[inline(always)]
    fn write_at(&self, id: u32, words: &[u64], sole: impl Fn(usize) -> Sole) {
        let chunk = self.chunk(id);
        for (i, word) in words.iter().enumerate() {
            let bit = id as usize % CHUNK * self.bits + i * 64;
            let (at, shift) = (bit / 64, bit % 64);
            let sole = sole(at);
            put(&chunk.bits[at], word << shift, sole);
            let rest = word >> 1 >> (63 - shift);
            if rest != 0 {
                put(&chunk.bits[at + 1], rest, sole);
            }
        }
    }
}

/// Finds numbers of states.
pub struct Finder<'a> {
    store: &'a Store,
    index: &'a Index,
    /// If that does not have the numbers.
    own: Option<Index>,
}

impl Finder<'_> {
    pub fn memory(&self) -> usize {
        self.own.as_ref().map_or(0, Index::memory)
    }

    /// Calls `f` with the number of each of some states that is there.
    pub fn find(&self, states: &[u64], mut f: impl FnMut(usize, u32)) {
        let index = self.own.as_ref().unwrap_or(self.index);
        let states = || states.chunks_exact(self.store.width);
        let hashes: Vec<u64> = states().map(|words| self.store.hash(words)).collect();
        let entries: Vec<u32> = hashes.iter().map(|hash| index.segment(*hash).first(*hash)).collect();
        self.store.look_at(index, entries.into_iter().zip(hashes.iter().copied()));
        for ((which, words), hash) in states().enumerate().zip(hashes) {
            if let Some(id) = index.segment(hash).number(hash, |id| self.store.equals(id, words)) {
                f(which, id);
            }
        }
    }
}

/// Sets bits of a word.
#[inline(always)]
fn put(word: &AtomicU64, bits: u64, sole: Sole) {
    match sole {
        Sole::Yes => word.store(word.load(Ordering::Relaxed) | bits, Ordering::Relaxed),
        Sole::No => {
            word.fetch_or(bits, Ordering::Relaxed);
        }
    }
}
