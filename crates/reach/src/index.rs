//! Which states are known: open addressing with 32 bits per entry.
//!
//! For a state of one word, the table is compact in the sense of Cleary (*Compact hash tables using bidirectional
//! linear probing*, IEEE Transactions on Computers, 1984). A bijection mixes the state into a hash of as many bits
//! (`store.rs`). The position at which the hash belongs says most of these bits; the entry holds the rest, the
//! remainder, so that the table alone tells whether a state is known. No state is fetched to compare, and the table
//! grows without a look at the states.
//!
//! We store the displacement, the distance from the position where the hash belongs, beside the remainder; Cleary's
//! table has a few marker bits instead and must move entries about. With a displacement, an entry is written once and
//! never moves, at the price of at least four bits. The rare hashes whose displacement does not fit go to an ordinary
//! hash set. Positions are never freed, so a later lookup of such a hash overflows in the same way and finds it there.
//! The number of positions is four to seven times a power of two, which keeps the division that recovers a hash from
//! its position exact in integers, and lets the table grow by less than a factor of two.
//!
//! States with more bits have entries with the number of a state and some bits of its hash, and are compared. A table
//! that is too small for its remainders holds numbers too, until it has grown.
//!
//! The table is cut into segments by the first bits of hashes. Each grows when it has to, and belongs to one thread at
//! a time, so no two threads write to the same memory and nothing is locked. The lockless shared table of Laarman, van
//! de Pol and Weber (FMCAD 2010), and the parallel compact table of van der Vegt and Laarman (MEMICS 2011), share all
//! positions among all threads; our earlier table did so too, and threads that write to one cache line in turn waited
//! for each other.

use rustc_hash::FxHashSet;

/// As many segments as the first bits of a hash tell apart.
pub const SEGMENTS: usize = 1 << FIRST;
const FIRST: u32 = 4;

/// All segments, in the order of hashes.
#[derive(Default)]
pub struct Index(Vec<Segment>);

/// A table for the hashes with some first bits.
pub struct Segment {
    places: Vec<u32>,
    size: Size,
    entries: EntryFormat,
    states: usize,
    /// With so many states it should grow.
    crowded: usize,
    /// So many are to be expected.
    expected: usize,
    /// Hashes, without the first bits, of states too far from where they belong.
    far: FxHashSet<u64>,
}

/// A number of places: four to seven times a power of two. So the hashes that belong to a place are told by the
/// power of two and one of few multiples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    times: u32,
    log: u32,
}

/// What entries are; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryFormat {
    /// One more than the number of a state in so many bits, and bits of the hash.
    Numbers { bits: u32 },
    /// So many of the last bits of a hash that has zeros behind, and one more than the distance.
    States { zeros: u32, bits: u32 },
}

/// What is known of a state by its entry alone.
pub enum Glance {
    Known,
    Unknown,
    /// The state with this number may be it.
    Perhaps(u32),
}

/// Where a state is.
pub enum Lookup {
    Here,
    /// It would belong to this place.
    Free(usize),
}

/// Bits of an entry that tell a distance, at the least.
const DISTANCE: u32 = 4;
/// More bits of a hash than this leave few for the distance.
const ROOMY: u32 = 26;
/// Places that a segment has at the least: grown fourfold twice, these are enough for some ten thousand states.
const FEWEST: usize = 80;
const SMALL: usize = 1 << 9;
/// Places that are looked at together when a segment grows.
const BLOCK: usize = 1 << 10;
/// Bits of numbers, beyond those that say how many places a segment has: there are several segments, and not
/// all are alike.
const SPARE: u32 = FIRST + 3;
/// Numbers have not more bits than this.
const LONGEST_NUMBER: u32 = 30;

impl Size {
    /// The least with at least so many places.
    fn at_least(places: usize) -> Size {
        let places = places.max(FEWEST);
        let log = places.ilog2() - 2;
        match places.div_ceil(1 << log) as u32 {
            7 | 8 => Size { times: 4, log: log + 1 },
            times => Size { times, log },
        }
    }

    fn places(self) -> usize {
        (self.times as usize) << self.log
    }
}

impl Index {
    /// For so many states. Their hashes have zeros behind; `None` if they do not tell states apart.
    pub fn new(states: usize, zeros: Option<u32>) -> Index {
        let size = Size::at_least(states / SEGMENTS / 4 * 5);
        Index((0..SEGMENTS).map(|_| Segment::new(size, zeros)).collect())
    }

    pub fn memory(&self) -> usize {
        self.0.iter().map(Segment::memory).sum()
    }

    #[inline(always)]
    pub fn segment(&self, hash: u64) -> &Segment {
        &self.0[segment_of(hash)]
    }

    #[inline(always)]
    pub fn segment_mut(&mut self, hash: u64) -> &mut Segment {
        &mut self.0[segment_of(hash)]
    }

    pub fn segments(&mut self) -> &mut [Segment] {
        &mut self.0
    }

    /// So many states are to be expected in all.
    pub fn expect(&mut self, states: usize) {
        expect(&mut self.0, states);
    }

    /// Whether its segments will soon grow, and states must be read for that.
    pub fn wants_room(&self) -> bool {
        want_room(&self.0)
    }

    /// Whether all entries are numbers.
    pub fn has_numbers(&self) -> bool {
        !self.0.iter().any(Segment::has_states)
    }
}

/// So many states are to be expected in all segments of the index, of which these are some.
pub fn expect(segments: &mut [Segment], states: usize) {
    segments.iter_mut().for_each(|segment| segment.expected = states / SEGMENTS);
}

/// Whether some segments will soon grow, on the whole, and states must be read for that: they are better read one after
/// the other for all segments at once.
pub fn want_room(segments: &[Segment]) -> bool {
    let numbers = || segments.iter().filter(|segment| !segment.has_states());
    let (states, crowded) = numbers().fold((0, 0), |all, s| (all.0 + s.states, all.1 + s.crowded));
    crowded > 0 && states * 16 > crowded * 15
}

/// Which segment a hash belongs to.
#[inline(always)]
pub fn segment_of(hash: u64) -> usize {
    (hash >> (64 - FIRST)) as usize
}

impl Segment {
    fn new(size: Size, zeros: Option<u32>) -> Segment {
        let numbers = EntryFormat::Numbers { bits: (size.log + 2 + SPARE).min(LONGEST_NUMBER) };
        // Of the bits of a hash some choose the segment, and most of the others the place.
        let rest = zeros.map(|zeros| (64 - FIRST).saturating_sub(zeros));
        let (size, entries) = match (zeros, rest) {
            // There are so few states that they cannot crowd it.
            (Some(zeros), Some(rest)) if rest > 5 && size.log + 2 > rest => {
                (Size { times: 7, log: rest - 2 }, EntryFormat::States { zeros, bits: 0 })
            }
            (Some(zeros), Some(rest)) if rest > 5 && rest - size.log - 2 <= 32 - DISTANCE => {
                (size, EntryFormat::States { zeros, bits: rest - size.log - 2 })
            }
            _ => (size, numbers),
        };
        let places = size.places();
        let crowded = match entries {
            // The fewer bits tell a distance, the shorter it must be.
            EntryFormat::States { bits, .. } if bits > ROOMY => places / 2,
            EntryFormat::States { .. } => places / 7 * 6,
            EntryFormat::Numbers { .. } => places / 5 * 4,
        };
        Segment {
            places: vec![0; places],
            size,
            entries,
            states: 0,
            crowded,
            expected: 0,
            far: FxHashSet::default(),
        }
    }

    pub fn memory(&self) -> usize {
        self.places.len() * size_of::<u32>() + self.far.capacity() * 9
    }

    /// Whether it should grow before states are added.
    #[inline(always)]
    pub fn is_crowded(&self) -> bool {
        self.states >= self.crowded
    }

    /// Whether it has room for so many more states, with numbers below one. Where entries are states, these may come
    /// one by one.
    pub fn has_room(&self, states: usize, numbers: usize) -> bool {
        match self.entries {
            EntryFormat::Numbers { bits } => numbers < 1 << bits && self.states + states <= self.crowded,
            EntryFormat::States { .. } => !self.is_crowded(),
        }
    }

    /// Whether the entries say all about states.
    #[inline(always)]
    pub fn has_states(&self) -> bool {
        matches!(self.entries, EntryFormat::States { .. })
    }

    /// Makes it larger, with room for so many more states and for numbers below one. `zeros` are behind hashes, as when
    /// it was made; `hash_of` finds the hash of a state by its number.
    pub fn grow(&mut self, zeros: Option<u32>, more: usize, numbers: usize, hash_of: impl Fn(u32) -> u64) {
        while !self.has_room(more, numbers) {
            let next = self.larger(zeros, numbers);
            let old = std::mem::replace(self, next);
            match (old.entries, self.entries) {
                (EntryFormat::States { .. }, EntryFormat::States { .. }) => {
                    let (mut hashes, mut outside) = (Vec::new(), Vec::new());
                    let mut taken = vec![0; self.places.len().div_ceil(64)];
                    for from in (0..old.places.len()).step_by(BLOCK) {
                        old.hashes(from..old.places.len().min(from + BLOCK), &mut hashes);
                        self.refill(&mut taken, &hashes, &mut outside);
                    }
                    self.states = old.states - old.far.len() - outside.len();
                    let far = old.far.iter().map(|hash| hash >> FIRST);
                    far.chain(outside).for_each(|hash| _ = self.add(hash));
                }
                (EntryFormat::Numbers { bits }, _) => {
                    let entries = old.places.iter().filter(|entry| **entry != 0);
                    let ids = entries.map(|entry| (entry & ((1 << bits) - 1)) - 1);
                    self.place(ids.map(|id| (hash_of(id), id)));
                }
                (EntryFormat::States { .. }, EntryFormat::Numbers { .. }) => {
                    unreachable!("entries that are states stay so")
                }
            }
        }
    }

    /// An empty one with more places, or with more bits for numbers.
    fn larger(&self, zeros: Option<u32>, numbers: usize) -> Segment {
        let places = self.places.len();
        let long = matches!(self.entries, EntryFormat::Numbers { bits } if numbers >= 1 << bits);
        let size = match self.entries {
            EntryFormat::Numbers { .. } if long && self.states < self.crowded => self.size,
            // The larger, the less may be wasted; but what is surely needed is had at once.
            EntryFormat::States { bits, .. } if bits <= ROOMY => match places {
                0..SMALL => Size::at_least(places * 4),
                _ => Size::at_least((self.expected / 6 * 7).clamp(places + 1, places * 2)),
            },
            // Soon entries will be states.
            _ if zeros.is_some() => Size::at_least(places * 2),
            _ => Size::at_least(places / 2 * 3),
        };
        let mut next = Segment { expected: self.expected, ..Segment::new(size, zeros) };
        if let EntryFormat::Numbers { bits } = &mut next.entries {
            let needed = usize::BITS - numbers.leading_zeros() + 1;
            *bits = (*bits).max(needed).min(LONGEST_NUMBER);
        }
        next
    }

    /// Where the search for a hash begins. The greater the hash, the later in the segment.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << FIRST) * self.places.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.places.len() { 0 } else { at + 1 }
    }

    /// The entry of a state at the place where it belongs, and what is added to it at each place further on;
    /// 0 if the entry is a number.
    #[inline(always)]
    fn entry(&self, hash: u64) -> (u32, u32) {
        match self.entries {
            EntryFormat::States { zeros, bits } => {
                (1 << bits | (hash >> zeros) as u32 & ((1 << bits) - 1), 1 << bits)
            }
            // Not those that choose the place.
            EntryFormat::Numbers { bits } => {
                ((hash << (FIRST + self.size.log + 2) >> 32) as u32 >> bits << bits, 0)
            }
        }
    }

    /// What is at the place where the search for a hash begins.
    #[inline(always)]
    pub fn first(&self, hash: u64) -> u32 {
        self.places[self.home(hash)]
    }

    /// Whether an entry at that place is that of a state with this hash.
    #[inline(always)]
    pub fn glance(&self, found: u32, hash: u64) -> Glance {
        let (entry, _) = self.entry(hash);
        match self.entries {
            EntryFormat::States { .. } if found == entry => Glance::Known,
            EntryFormat::Numbers { bits } if found != 0 && (found ^ entry) >> bits == 0 => {
                Glance::Perhaps((found & ((1 << bits) - 1)) - 1)
            }
            _ => Glance::Unknown,
        }
    }

    /// Whether a state is where the search for it begins. Not for numbers.
    #[inline(always)]
    pub fn is_first(&self, hash: u64) -> bool {
        self.has_states() && self.first(hash) == self.entry(hash).0
    }

    /// Adds a state by its hash; whether it is new. Not for numbers.
    #[inline]
    pub fn add(&mut self, hash: u64) -> bool {
        let (mut entry, further) = self.entry(hash);
        let home = self.home(hash);
        // Mostly neither the end of the table nor the greatest distance is near: nothing but places is looked at.
        let end = self.places.len().min(home + (1 << DISTANCE) - 2);
        for place in &mut self.places[home..end] {
            if *place == entry {
                return false;
            }
            if *place == 0 {
                *place = entry;
                self.states += 1;
                return true;
            }
            entry += further;
        }
        self.add_further(hash, end, entry, further)
    }

    /// The same, from a place on that is not near where the state belongs.
    #[cold]
    fn add_further(&mut self, hash: u64, at: usize, mut entry: u32, further: u32) -> bool {
        let mut at = if at == self.places.len() { 0 } else { at };
        loop {
            let found = self.places[at];
            if found == entry {
                return false;
            }
            if found == 0 {
                self.places[at] = entry;
                self.states += 1;
                return true;
            }
            let Some(next) = entry.checked_add(further) else {
                // Whoever did not find a place will not find it later on.
                let new = self.far.insert(hash << FIRST);
                self.states += usize::from(new);
                return new;
            };
            entry = next;
            at = self.after(at);
        }
    }

    /// Fills the table, which was empty, with hashes; those that find no place are left. Bits say which places are
    /// taken: no loop whose end nobody could foresee.
    fn refill(&mut self, taken: &mut [u64], hashes: &[u64], outside: &mut Vec<u64>) {
        for hash in hashes {
            let (entry, further) = self.entry(*hash);
            let home = self.home(*hash);
            let at = free(taken, home);
            let distance = at.and_then(|at| further.checked_mul((at - home) as u32));
            match (at, distance.and_then(|distance| entry.checked_add(distance))) {
                (Some(at), Some(entry)) if at < self.places.len() => {
                    taken[at / 64] |= 1 << (at % 64);
                    self.places[at] = entry;
                }
                _ => outside.push(*hash),
            }
        }
    }

    /// Looks for a state that `is` tells from others. Only for numbers.
    #[inline]
    pub fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Lookup {
        let mut at = self.home(hash);
        loop {
            let found = self.places[at];
            match self.glance(found, hash) {
                _ if found == 0 => return Lookup::Free(at),
                Glance::Perhaps(id) if is(id) => return Lookup::Here,
                _ => at = self.after(at),
            }
        }
    }

    /// Puts the number of a state to the place that is free for it.
    #[inline]
    pub fn put(&mut self, at: usize, hash: u64, id: u32) {
        self.states += 1;
        self.places[at] = self.entry(hash).0 | (id + 1);
    }

    /// Another number for the state at a place.
    #[inline]
    pub fn renumber(&mut self, at: usize, id: u32) {
        if let EntryFormat::Numbers { bits } = self.entries {
            self.places[at] = self.places[at] >> bits << bits | (id + 1);
        }
    }

    /// The number of a state that `is` tells from others. Only for numbers.
    pub fn number(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let found = self.places[at];
            match self.glance(found, hash) {
                _ if found == 0 => return None,
                Glance::Perhaps(id) if is(id) => return Some(id),
                _ => at = self.after(at),
            }
        }
    }

    /// Puts in states that are not there, by hash and number. There is room for them.
    pub fn place(&mut self, states: impl Iterator<Item = (u64, u32)>) {
        for (hash, id) in states {
            match self.has_states() {
                true => _ = self.add(hash),
                false => {
                    let mut at = self.home(hash);
                    while self.places[at] != 0 {
                        at = self.after(at);
                    }
                    self.put(at, hash, id);
                }
            }
        }
    }

    /// Every hash that lies in a part of the table, nearly in order, without the bits that chose the segment; not for
    /// numbers.
    fn hashes(&self, part: std::ops::Range<usize>, hashes: &mut Vec<u64>) {
        hashes.clear();
        let EntryFormat::States { zeros, bits } = self.entries else { return };
        let (places, times) = (self.places.len() as u32, u64::from(self.size.times));
        let mask = (1u64 << bits) - 1;
        // Of so many hashes, one after the other, each place of a few has about the same share: these are the least.
        let shift = 64 - FIRST - zeros - self.size.log;
        let least: [u64; 8] = std::array::from_fn(|k| ((k as u64) << shift).div_ceil(times));
        // Exact for numbers of places as they can be.
        let inverse = (1u64 << 34) / times + 1;
        hashes.resize(part.len(), 0);
        let mut kept = 0;
        for (at, entry) in (part.start as u32..).zip(&self.places[part]) {
            let distance = (entry >> bits).wrapping_sub(1);
            let home = at.wrapping_sub(distance);
            let home = u64::from(if at >= distance { home } else { home.wrapping_add(places) });
            let whole = (home * inverse) >> 34;
            let least = least[(home - whole * times) as usize & 7];
            let hash = least + (u64::from(*entry).wrapping_sub(least) & mask);
            // Without a branch for places that are empty.
            hashes[kept] = (whole << shift | hash) << zeros;
            kept += usize::from(*entry != 0);
        }
        hashes.truncate(kept);
    }
}

/// The first place from one on that is not taken, if there is one.
#[inline(always)]
fn free(taken: &[u64], from: usize) -> Option<usize> {
    let first = taken.get(from / 64)? | !(u64::MAX << (from % 64));
    if first != u64::MAX {
        return Some(from / 64 * 64 + first.trailing_ones() as usize);
    }
    let next = (from / 64 + 1..taken.len()).find(|w| taken[*w] != u64::MAX)?;
    Some(next * 64 + taken[next].trailing_ones() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes of so many bits, with zeros behind.
    fn hashes(bits: u32, n: u64) -> impl Iterator<Item = u64> {
        (0..n).map(move |i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) << (64 - bits))
    }

    #[test]
    fn hashes_come_back_from_where_they_lie() {
        for bits in [11, 17, 23, 30, 34] {
            let (n, zeros) = ((1u64 << bits).min(60_000), Some(64 - bits));
            let mut index = Index::new(0, zeros);
            let mut known = FxHashSet::default();
            for hash in hashes(bits, n) {
                let segment = index.segment_mut(hash);
                assert!(segment.has_states());
                if segment.is_crowded() {
                    segment.grow(zeros, 1, 0, |_| 0);
                }
                assert_eq!(segment.add(hash), known.insert(hash), "{bits} bits");
            }
            assert!(hashes(bits, n).all(|hash| !index.segment_mut(hash).add(hash)));
            let mut seen = FxHashSet::default();
            for (k, segment) in index.segments().iter().enumerate() {
                let first = (k as u64) << (64 - FIRST);
                let mut lie = Vec::new();
                segment.hashes(0..segment.places.len(), &mut lie);
                let far = segment.far.iter().map(|hash| hash >> FIRST);
                lie.into_iter().chain(far).for_each(|hash| assert!(seen.insert(first | hash)));
            }
            assert_eq!(seen, known);
        }
    }

    #[test]
    fn numbers_become_states_once_there_are_enough_places() {
        let (bits, n) = (42, 120_000);
        let zeros = Some(64 - bits);
        let mut index = Index::new(0, zeros);
        let all: Vec<u64> = hashes(bits, n).collect();
        for (id, hash) in (0..).zip(&all) {
            let segment = index.segment_mut(*hash);
            segment.grow(zeros, 1, id as usize + 1, |id| all[id as usize]);
            let new = match segment.has_states() {
                true => segment.add(*hash),
                false => match segment.find(*hash, |id| all[id as usize] == *hash) {
                    Lookup::Here => false,
                    Lookup::Free(at) => {
                        segment.put(at, *hash, id);
                        true
                    }
                },
            };
            assert!(new, "{id}");
        }
        assert!(!index.has_numbers());
        for hash in &all {
            let segment = index.segment_mut(*hash);
            let known = |id: u32| all[id as usize] == *hash;
            assert!(if segment.has_states() {
                !segment.add(*hash)
            } else {
                segment.number(*hash, known).is_some()
            });
        }
        assert_eq!(index.segments().iter().map(|segment| segment.states).sum::<usize>(), all.len());
    }

    #[test]
    fn what_lies_too_far_is_found_all_the_same() {
        // All belong to the same place.
        let mut index = Index::new(0, Some(26));
        let hash = |i: u64| i << 26;
        let segment = index.segment_mut(0);
        for i in 0..50 {
            assert!(segment.add(hash(i)));
        }
        assert!((0..50).all(|i| !segment.add(hash(i))));
        assert!(!segment.far.is_empty());
        segment.grow(Some(26), 1, 0, |_| 0);
        assert!((0..50).all(|i| !segment.add(hash(i))));
        assert!(segment.add(hash(50)));
    }
}
