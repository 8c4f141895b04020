//! Packed states in a table that several threads share.
//!
//! A state is a few words, of which only the bits in use are kept. States lie one after the other in chunks
//! that never move; an [`Index`] knows which there are. Where it holds their numbers, a thread that wants to add
//! a state writes it first and then publishes its number; if another was faster, the number is kept for
//! the next one. The index grows between levels of the search only.
//!
//! States are numbered as they are found, so those that are found from one state, or from the next ones, have
//! numbers close to each other. It is enough to know for a group of them between which numbers their parents
//! are; which one it was is found out again when a way is wanted.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rendez_network::network::Outcome;

use crate::index::{Added, Glance, Index, MOST, Whose, in_parts};

/// Where each slot lies in the words of a state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    places: Vec<Place>,
    widths: Vec<u32>,
    pub words: usize,
    /// The bits that are used, counted from the first.
    pub bits: usize,
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

/// Bits of a packed state that lie side by side in another layout too.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    from: u32,
    right: u32,
    mask: u64,
    to: u32,
    left: u32,
}

/// Makes the changes of an outcome in a packed state.
#[inline]
pub fn apply(outcome: &Outcome, patches: &[Patch], words: &mut [u64]) {
    for patch in &patches[outcome.changes.0 as usize..outcome.changes.1 as usize] {
        patch.apply(words);
    }
}

/// What an outcome keeps and sets in a state of one word.
pub fn merged(outcome: &Outcome, patches: &[Patch]) -> (u64, u64) {
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
            layout.places.push(Place { word, shift: shift & 63, mask: ((1u128 << width) - 1) as u64 });
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
    pub fn moves(&self, to: &Layout) -> Vec<Move> {
        let mut moves: Vec<Move> = Vec::new();
        for (old, new) in self.places.iter().zip(&to.places) {
            let mask = old.mask & new.mask;
            let next = Move { from: old.word, right: old.shift, mask, to: new.word, left: new.shift };
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
/// States that share what is known of their parents.
const GROUP: usize = 64;
/// More states than this cannot be numbered.
pub const MOST_STATES: usize = MOST - (1 << 14);

struct Chunk {
    /// Bits of states, without gaps.
    bits: Box<[AtomicU64]>,
    /// Numbers that no state has.
    holes: Marks,
    /// States of which not all steps were followed.
    partial: Marks,
    /// By group: the least and the greatest parent.
    parents: Box<[(AtomicU32, AtomicU32)]>,
    /// With stubborn sets: the parent of each state, and where its set began.
    exact: Box<[(AtomicU32, AtomicU32)]>,
}

/// A bit for each state of a chunk, once one is set.
type Marks = OnceLock<Box<[AtomicU64]>>;

pub struct Store {
    width: usize,
    bits: usize,
    /// What the last word of a state may use.
    last: u64,
    stubborn: bool,
    index: Index,
    chunks: Vec<OnceLock<Chunk>>,
    next: Apart<AtomicU32>,
    /// States that threads may be about to add, at the most.
    kept: Apart<AtomicUsize>,
    /// How many chunks have marks, of either kind.
    marked: AtomicUsize,
}

/// What several threads write, away from what they only read.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// Numbers that a thread has taken and not used yet.
#[derive(Default)]
pub struct Spare {
    next: u32,
    end: u32,
    /// The words of all states, counted through, that only these numbers have bits in.
    own: std::ops::Range<usize>,
    /// How many are taken at once; several threads would wait for each other otherwise.
    pub block: u32,
    /// How many states there must be room for.
    kept: usize,
    /// Who adds states.
    pub whose: Whose,
    /// A group of states, and parents that were noted for it.
    noted: Option<(u32, (u32, u32))>,
}

impl Spare {
    /// Whether one thread adds states.
    #[inline(always)]
    fn is_alone(&self) -> bool {
        self.block <= 1
    }
}

fn zeros(n: usize) -> Box<[AtomicU64]> {
    (0..n).map(|_| AtomicU64::new(0)).collect()
}

impl Store {
    pub fn new(layout: &Layout, capacity: usize, stubborn: bool) -> Store {
        let used = layout.bits - 64 * (layout.words - 1);
        debug_assert!((1..=64).contains(&used));
        let mut store = Store {
            width: layout.words,
            bits: layout.bits,
            last: if used == 64 { u64::MAX } else { (1 << used) - 1 },
            stubborn,
            index: Index::new(0, None),
            chunks: Vec::new(),
            next: Apart::default(),
            kept: Apart::default(),
            marked: AtomicUsize::new(0),
        };
        store.index = Index::new(capacity, store.zeros());
        store.make_room();
        store
    }

    /// Chunks for as many states as the index has places for, and what threads may take in advance.
    fn make_room(&mut self) {
        self.chunks.resize_with(self.index.capacity() / CHUNK + (1 << 14) / CHUNK, OnceLock::new);
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

    /// The word with a hash.
    #[inline(always)]
    fn word_of(&self, hash: u64) -> u64 {
        self.fold(hash.wrapping_mul(BACK[1])).wrapping_mul(BACK[0]) >> (64 - self.bits)
    }

    /// The later half of the bits in use changed by the other; twice is not at all.
    #[inline(always)]
    fn fold(&self, mixed: u64) -> u64 {
        let unused = 64 - self.bits;
        mixed ^ mixed >> self.bits.div_ceil(2) >> unused << unused
    }

    /// Numbers given out; some few may be holes.
    #[inline]
    pub fn len(&self) -> usize {
        self.next.0.load(Ordering::Relaxed) as usize
    }

    pub fn memory(&self) -> usize {
        let used = self.len().div_ceil(CHUNK);
        let chunk = CHUNK * self.bits / 8 + CHUNK / GROUP * 8 + if self.stubborn { CHUNK * 8 } else { 0 };
        let marks = self.marked.load(Ordering::Relaxed) * CHUNK / 8;
        self.index.memory() + used * chunk + marks + self.chunks.len() * size_of::<OnceLock<Chunk>>()
    }

    /// Whether the index should grow before many more states are added.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        self.index.is_crowded(self.len())
    }

    /// The places of the index that one of several threads has to itself.
    pub fn part(&self, thread: usize, threads: usize) -> Whose {
        Whose::Part(self.index.part(thread, threads))
    }

    /// How many places the index has.
    #[inline]
    pub fn places(&self) -> usize {
        self.index.capacity()
    }

    /// Whether there is room for so many more states. Each of several threads keeps room for the most that it ever
    /// asked for, so that mostly nothing has to be written for the others to see.
    #[inline]
    pub fn has_room(&self, states: usize, spare: &mut Spare) -> bool {
        if spare.is_alone() {
            return self.len() + states <= self.index.most();
        }
        if spare.kept < states {
            self.kept.0.fetch_add(states - spare.kept, Ordering::Relaxed);
            spare.kept = states;
        }
        self.len() + self.kept.0.load(Ordering::Relaxed).max(states) <= self.index.most()
    }

    /// Gives up the room that threads keep, before they begin anew.
    pub fn keep_nothing<'s>(&mut self, spares: impl Iterator<Item = &'s mut Spare>) {
        spares.for_each(|spare| spare.kept = 0);
        *self.kept.0.get_mut() = 0;
    }

    pub fn grow(&mut self, threads: usize) {
        let (next, taken) = self.index.larger(self.zeros(), threads);
        self.index = next;
        self.make_room();
        if !taken {
            self.fill(&self.index, threads);
        }
    }

    /// Puts all states into an index.
    fn fill(&self, index: &Index, threads: usize) {
        in_parts(self.len(), 1, threads, |part, whose| {
            let mut words = vec![0; self.width];
            let states = (part.start as u32..part.end as u32).filter(|id| self.is_state(*id));
            let hashed = states.map(|id| {
                self.read(id, &mut words);
                (self.hash(&words), id)
            });
            index.place(hashed, whose);
        });
    }

    /// For looking up numbers of states.
    pub fn finder(&self, threads: usize) -> Finder<'_> {
        let index = (!self.index.numbers()).then(|| {
            let index = Index::new(self.len(), None);
            self.fill(&index, threads);
            index
        });
        Finder { store: self, index }
    }

    #[inline]
    fn chunk(&self, id: u32) -> &Chunk {
        self.chunks[id as usize / CHUNK].get_or_init(|| Chunk {
            bits: zeros(CHUNK * self.bits / 64 + 2),
            holes: OnceLock::new(),
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

    /// Reads the states with some numbers, one after the other, and tells which numbers are states.
    pub fn read_all(&self, ids: std::ops::Range<u32>, words: &mut Vec<u64>, states: &mut Vec<u32>) {
        words.clear();
        states.clear();
        let mut from = ids.start;
        while from < ids.end {
            let chunk = self.chunk(from);
            let end = ids.end.min((from / CHUNK as u32 + 1) * CHUNK as u32);
            for id in (from..end).filter(|id| !bit(&chunk.holes, *id)) {
                states.push(id);
                words.extend((0..self.width).map(|i| self.word(chunk, id, i)));
            }
            from = end;
        }
    }

    #[inline(always)]
    fn equals(&self, id: u32, words: &[u64]) -> bool {
        let chunk = self.chunk(id);
        words.iter().enumerate().all(|(i, word)| self.word(chunk, id, i) == *word)
    }

    /// Whether some state has a number.
    #[inline]
    pub fn is_state(&self, id: u32) -> bool {
        !bit(&self.chunk(id).holes, id)
    }

    fn mark(&self, marks: &Marks, id: u32) {
        let bits = marks.get_or_init(|| {
            self.marked.fetch_add(1, Ordering::Relaxed);
            zeros(CHUNK / 64)
        });
        put(&bits[id as usize % CHUNK / 64], 1 << (id % 64), Sole::No);
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

    /// Notes that a reduction left steps of a state out; `which` says how.
    pub fn set_partial(&self, id: u32, which: u32) {
        let chunk = self.chunk(id);
        self.mark(&chunk.partial, id);
        if let Some(exact) = chunk.exact.get(id as usize % CHUNK) {
            exact.1.store(which, Ordering::Relaxed);
        }
    }

    /// How steps of a state were left out, if some were.
    pub fn partial(&self, id: u32) -> Option<u32> {
        let chunk = self.chunk(id);
        let which = || chunk.exact.get(id as usize % CHUNK).map_or(0, |e| e.1.load(Ordering::Relaxed));
        bit(&chunk.partial, id).then(which)
    }

    /// What is at the place where a search for a state with this hash begins.
    #[inline(always)]
    pub fn first(&self, hash: u64) -> u32 {
        self.index.first(hash)
    }

    /// Whether that is the state itself.
    #[inline(always)]
    pub fn is_at(&self, entry: u32, hash: u64, words: &[u64]) -> bool {
        match self.index.glance(entry, hash) {
            Glance::Known => true,
            Glance::Unknown => false,
            Glance::Perhaps(id) => self.equals(id, words),
        }
    }

    /// Looks at the states that entries may be, so that memory is fetched for all at once.
    #[inline]
    pub fn look_at(&self, looks: impl Iterator<Item = (u32, u64)>) {
        self.touch(&self.index, looks);
    }

    #[inline]
    fn touch(&self, index: &Index, looks: impl Iterator<Item = (u32, u64)>) {
        let first = |(entry, hash)| match index.glance(entry, hash) {
            Glance::Perhaps(id) => self.word(self.chunk(id), id, 0),
            _ => 0,
        };
        std::hint::black_box(looks.map(first).fold(0, |all, word| all | word));
    }

    /// Adds the first state.
    pub fn begin(&self, words: &[u64]) {
        match words {
            [_] => self.insert_word(self.hash(words), (0, 0), &mut Spare::default()),
            _ => self.insert(words, self.hash(words), (0, 0), &mut Spare::default()),
        };
    }

    /// Whether a state of one word is where the search for it begins.
    #[inline(always)]
    pub fn is_first(&self, hash: u64) -> bool {
        matches!(self.index.glance(self.index.first(hash), hash), Glance::Known)
    }

    /// Adds a state of one word that was found from one of some others.
    #[inline]
    pub fn insert_word(&self, hash: u64, parents: (u32, u32), spare: &mut Spare) -> Added {
        if self.index.numbers() {
            return self.insert(&[self.word_of(hash)], hash, parents, spare);
        }
        let added = self.index.add(hash, &spare.whose);
        if added == Added::New {
            let id = self.write(&[self.word_of(hash)], spare);
            self.note(id, parents, spare);
        }
        added
    }

    /// Adds a state that was found from one of some others, if the index has numbers.
    pub fn insert(&self, words: &[u64], hash: u64, parents: (u32, u32), spare: &mut Spare) -> Added {
        let whose = std::mem::take(&mut spare.whose);
        let mut new = None;
        let added = {
            let spare = std::cell::RefCell::new(&mut *spare);
            let fill = || *new.insert(self.write(words, &mut spare.borrow_mut()));
            let undo = |id| {
                self.erase(id);
                spare.borrow_mut().next -= 1;
            };
            self.index.add_number(hash, &whose, |id| self.equals(id, words), fill, undo)
        };
        spare.whose = whose;
        if let (Added::New, Some(id)) = (added, new) {
            self.note(id, parents, spare);
        }
        added
    }

    /// Notes where a state was found. Those that are found one after the other mostly belong together.
    #[inline]
    fn note(&self, id: u32, parents: (u32, u32), spare: &mut Spare) {
        let noted = (id / GROUP as u32, parents);
        if self.stubborn || spare.noted != Some(noted) {
            spare.noted = Some(noted);
            self.note_parents(id, parents);
        }
    }

    /// Takes over the states of another store, with their slots elsewhere, under the same numbers.
    pub fn take_over(&self, old: &Store, moves: &[Move], threads: usize) {
        self.next.0.store(old.len() as u32, Ordering::Relaxed);
        // Threads have chunks for themselves.
        in_parts(old.len(), CHUNK, threads, |part, _| {
            let (mut before, mut now) = (vec![0; old.width], vec![0; self.width]);
            for id in part.start as u32..part.end as u32 {
                if !old.is_state(id) {
                    self.mark(&self.chunk(id).holes, id);
                    continue;
                }
                old.read(id, &mut before);
                now.fill(0);
                for m in moves {
                    now[m.to as usize] |= (before[m.from as usize] >> m.right & m.mask) << m.left;
                }
                self.write_at(id, &now, |_| Sole::Yes);
                self.note_parents(id, old.noted(id));
                if let Some(which) = old.partial(id) {
                    self.set_partial(id, which);
                }
            }
        });
        self.fill(&self.index, threads);
    }

    #[inline]
    fn write(&self, words: &[u64], spare: &mut Spare) -> u32 {
        if spare.is_alone() {
            let id = self.next.0.load(Ordering::Relaxed);
            self.next.0.store(id + 1, Ordering::Relaxed);
            self.write_at(id, words, |_| Sole::Yes);
            return id;
        }
        if spare.next == spare.end {
            spare.next = self.next.0.fetch_add(spare.block, Ordering::Relaxed);
            spare.end = spare.next + spare.block;
            let bit = |id: u32| id as usize * self.bits;
            spare.own = bit(spare.next).div_ceil(64)..bit(spare.end) / 64;
        }
        let id = spare.next;
        spare.next += 1;
        let before = id as usize / CHUNK * (CHUNK * self.bits / 64);
        self.write_at(id, words, |at| {
            let mine = before + at >= spare.own.start && before + at + 1 < spare.own.end;
            if mine { Sole::Yes } else { Sole::No }
        });
        id
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

    /// Takes back what was written for a number.
    fn erase(&self, id: u32) {
        let chunk = self.chunk(id);
        for i in 0..self.width {
            let word = self.word(chunk, id, i);
            let bit = id as usize % CHUNK * self.bits + i * 64;
            let (at, shift) = (bit / 64, bit % 64);
            chunk.bits[at].fetch_and(!(word << shift), Ordering::Relaxed);
            chunk.bits[at + 1].fetch_and(!(word >> 1 >> (63 - shift)), Ordering::Relaxed);
        }
    }

    /// Gives up the numbers that a thread did not use: they are holes. How many there were.
    pub fn discard(&self, spare: &mut Spare) -> usize {
        let unused = spare.next..spare.end;
        spare.next = spare.end;
        unused.clone().for_each(|id| self.mark(&self.chunk(id).holes, id));
        unused.len()
    }
}

/// Finds numbers of states.
pub struct Finder<'a> {
    store: &'a Store,
    /// If the store's own does not have the numbers.
    index: Option<Index>,
}

impl Finder<'_> {
    pub fn memory(&self) -> usize {
        self.index.as_ref().map_or(0, Index::memory)
    }

    /// Calls `f` with the number of each of some states that is there.
    pub fn find(&self, states: &[u64], mut f: impl FnMut(usize, u32)) {
        let index = self.index.as_ref().unwrap_or(&self.store.index);
        let states = || states.chunks_exact(self.store.width);
        let hashes: Vec<u64> = states().map(|words| self.store.hash(words)).collect();
        let entries: Vec<u32> = hashes.iter().map(|hash| index.first(*hash)).collect();
        self.store.touch(index, entries.into_iter().zip(hashes.iter().copied()));
        for ((which, words), hash) in states().enumerate().zip(hashes) {
            if let Some(id) = index.number(hash, |id| self.store.equals(id, words)) {
                f(which, id);
            }
        }
    }
}

/// Whether nobody else writes at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sole {
    Yes,
    No,
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

#[inline]
fn bit(marks: &Marks, id: u32) -> bool {
    let word = marks.get().map_or(0, |bits| bits[id as usize % CHUNK / 64].load(Ordering::Relaxed));
    word >> (id % 64) & 1 != 0
}
