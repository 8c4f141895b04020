//! Which states are known: open addressing, 32 bits an entry.
//!
//! A state of one word is mixed into another word of as many bits, no two into the same. The place where it
//! belongs says most of these bits; the entry says the rest and how far from that place it lies (as in
//! Cleary's compact hash tables, IEEE Transactions on Computers, 1984). So the table alone tells whether
//! a state is known, nothing else has to be fetched, and it grows without a look at the states.
//!
//! States with more bits have entries with a number and some bits of the hash, and are compared.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::FxHashSet;

pub struct Index {
    places: Box<[AtomicU32]>,
    entries: Entries,
    /// Hashes of states too far from where they belong.
    far: Mutex<FxHashSet<u64>>,
}

/// What entries are; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entries {
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

/// Who writes to the places of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Nobody else.
    #[default]
    Mine,
    /// Nobody else, to these; others write elsewhere.
    Part(Range<usize>),
    Everybodys,
}

impl Whose {
    /// The places that may be written to.
    #[inline(always)]
    fn places(&self) -> Range<usize> {
        match self {
            Whose::Part(part) => part.clone(),
            Whose::Mine | Whose::Everybodys => 0..usize::MAX,
        }
    }
}

/// What became of a state that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    New,
    Known,
    /// Its place may be somebody else's.
    Elsewhere,
}

/// Bits of an entry that tell a distance, at the least.
const DISTANCE: u32 = 4;
/// More bits of a hash than this leave few for the distance.
const ROOMY: u32 = 26;
const FEWEST: usize = 1 << 10;
const SMALL: usize = 1 << 13;
const LARGE: usize = 1 << 17;
/// Places that are looked at together when the table grows.
const BLOCK: usize = 1 << 10;
/// States for which memory is fetched at once.
const TOGETHER: usize = 64;
/// More states than this have no numbers.
pub const MOST: usize = 1 << 29;

impl Index {
    /// For so many states. Their hashes have zeros behind; `None` if they do not tell states apart.
    pub fn new(states: usize, zeros: Option<u32>) -> Index {
        Index::with_places((states / 4 * 5).max(FEWEST), zeros)
    }

    fn with_places(places: usize, zeros: Option<u32>) -> Index {
        let entries = match zeros {
            Some(zeros) if 64 - zeros <= places.ilog2() + 32 - DISTANCE => {
                Entries::States { zeros, bits: (64 - zeros).saturating_sub(places.ilog2()) }
            }
            // There are hardly more numbers than places: only those that threads have in stock.
            _ => Entries::Numbers { bits: places.ilog2().max(14) + 2 },
        };
        let places = (0..places).map(|_| AtomicU32::new(0)).collect();
        Index { places, entries, far: Mutex::default() }
    }

    /// One with more places, and whether it has the states; otherwise it is empty.
    pub fn larger(&self, zeros: Option<u32>, threads: usize) -> (Index, bool) {
        let places = self.places.len();
        let next = match self.entries {
            // The larger, the less may be wasted.
            Entries::States { bits, .. } if bits > ROOMY => Index::with_places(places * 2, zeros),
            Entries::States { .. } => match places {
                0..SMALL => Index::with_places(places * 2, zeros),
                SMALL..LARGE => Index::with_places(places / 2 * 3, zeros),
                _ => Index::with_places(places / 4 * 5, zeros),
            },
            // Soon entries will be states.
            Entries::Numbers { .. } if zeros.is_some() => Index::with_places(places * 2, zeros),
            Entries::Numbers { .. } => Index::with_places(places / 2 * 3, zeros),
        };
        let both = matches!((self.entries, next.entries), (Entries::States { .. }, Entries::States { .. }));
        if both {
            // What lies in a part of the table will lie in the same part of the larger one: threads do not meet
            // there. The few that would leave their part come last.
            let last = Mutex::new(Vec::new());
            in_parts(places, 1, threads, |part, _| {
                let new = |at: usize| (at as u128 * next.places.len() as u128 / places as u128) as usize;
                let (mut hashes, mut outside) = (Vec::new(), Vec::new());
                let to = new(part.start)..new(part.end);
                let mut taken = vec![0; to.len().div_ceil(64)];
                for from in part.clone().step_by(BLOCK) {
                    self.hashes(from..part.end.min(from + BLOCK), &mut hashes);
                    next.refill(&to, &mut taken, &hashes, &mut outside);
                }
                if let Ok(mut last) = last.lock() {
                    last.append(&mut outside);
                }
            });
            let far = self.far.lock().map_or_else(|_| Vec::new(), |far| far.iter().copied().collect());
            let outside = last.into_inner().unwrap_or_default();
            far.into_iter().chain(outside).for_each(|hash| _ = next.add(hash, &Whose::Mine));
        }
        (next, both)
    }

    pub fn memory(&self) -> usize {
        self.places.len() * size_of::<u32>() + self.far.lock().map_or(0, |far| far.capacity() * 9)
    }

    /// Whether it should grow before many more states are added.
    #[inline]
    pub fn is_crowded(&self, states: usize) -> bool {
        match self.entries {
            // The fewer bits tell a distance, the shorter it must be.
            Entries::States { bits, .. } if bits > ROOMY => states > self.places.len() / 2,
            Entries::States { .. } => states > self.places.len() / 6 * 5,
            Entries::Numbers { .. } => states > self.places.len() / 5 * 4,
        }
    }

    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    /// How many states there may be: there must be empty places.
    #[inline]
    pub fn most(&self) -> usize {
        self.places.len() - self.places.len() / 16
    }

    /// Whether entries are numbers.
    #[inline(always)]
    pub fn numbers(&self) -> bool {
        matches!(self.entries, Entries::Numbers { .. })
    }

    /// Where the search for a hash begins. The greater the hash, the later in the table.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.places.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.places.len() { 0 } else { at + 1 }
    }

    /// The entry of a state at the place where it belongs, and what is added to it at each place further on;
    /// 0 if the entry is a number.
    #[inline(always)]
    fn entry(entries: Entries, hash: u64) -> (u32, u32) {
        match entries {
            Entries::States { zeros, bits } => {
                (1 << bits | (hash >> zeros) as u32 & ((1 << bits) - 1), 1 << bits)
            }
            // Not those that choose the place.
            Entries::Numbers { bits } => ((hash << (bits - 2) >> 32) as u32 >> bits << bits, 0),
        }
    }

    /// What is at the place where the search for a hash begins.
    #[inline(always)]
    pub fn first(&self, hash: u64) -> u32 {
        self.places[self.home(hash)].load(Ordering::Acquire)
    }

    /// Whether an entry at that place is that of a state with this hash.
    #[inline(always)]
    pub fn glance(&self, found: u32, hash: u64) -> Glance {
        let (entry, _) = Index::entry(self.entries, hash);
        match self.entries {
            Entries::States { .. } if found == entry => Glance::Known,
            Entries::Numbers { bits } if found != 0 && (found ^ entry) >> bits == 0 => {
                Glance::Perhaps((found & ((1 << bits) - 1)) - 1)
            }
            _ => Glance::Unknown,
        }
    }

    /// The places that belong to one of several parts of all hashes alone.
    pub fn part(&self, part: usize, parts: usize) -> Range<usize> {
        (part * self.places.len()).div_ceil(parts)..(part + 1) * self.places.len() / parts
    }

    /// Adds a state by its hash. Not for numbers.
    #[inline]
    pub fn add(&self, hash: u64, whose: &Whose) -> Added {
        let (mut entry, further) = Index::entry(self.entries, hash);
        let (mut at, places) = (self.home(hash), whose.places());
        loop {
            if !places.contains(&at) {
                return Added::Elsewhere;
            }
            let found = self.places[at].load(Ordering::Relaxed);
            if found == entry {
                return Added::Known;
            }
            if found == 0 {
                if *whose != Whose::Everybodys {
                    self.places[at].store(entry, Ordering::Relaxed);
                    return Added::New;
                }
                // Nothing is read by way of an entry, so nothing has to be ordered.
                match self.places[at].compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Added::New,
                    // Somebody else took the place, perhaps with this state.
                    Err(_) => continue,
                }
            }
            let Some(next) = entry.checked_add(further) else {
                // Whoever did not find a place will not find it later on.
                let new = self.far.lock().is_ok_and(|mut far| far.insert(hash));
                return if new { Added::New } else { Added::Known };
            };
            entry = next;
            at = self.after(at);
        }
    }

    /// Fills a part of the table that was empty and that nobody else touches with hashes; those that do not belong
    /// there, or find no place, are left. Bits say which places are taken: no loop whose end nobody could foresee.
    fn refill(&self, part: &Range<usize>, taken: &mut [u64], hashes: &[u64], outside: &mut Vec<u64>) {
        for hash in hashes {
            let (entry, further) = Index::entry(self.entries, *hash);
            let home = self.home(*hash).wrapping_sub(part.start);
            let at = free(taken, home);
            let distance = at.and_then(|at| further.checked_mul((at - home) as u32));
            match (at, distance.and_then(|distance| entry.checked_add(distance))) {
                (Some(at), Some(entry)) if at < part.len() => {
                    taken[at / 64] |= 1 << (at % 64);
                    self.places[part.start + at].store(entry, Ordering::Relaxed);
                }
                _ => outside.push(*hash),
            }
        }
    }

    /// Adds a state that `is` tells from others; `fill` makes its number, which is taken back by `undo` if somebody
    /// else fills the place first. Only for numbers.
    #[inline]
    pub fn add_number(
        &self,
        hash: u64,
        whose: &Whose,
        is: impl Fn(u32) -> bool,
        mut fill: impl FnMut() -> u32,
        mut undo: impl FnMut(u32),
    ) -> Added {
        let (mut at, places) = (self.home(hash), whose.places());
        let (tag, _) = Index::entry(self.entries, hash);
        loop {
            if !places.contains(&at) {
                return Added::Elsewhere;
            }
            let found = self.places[at].load(Ordering::Acquire);
            if found == 0 {
                let id = fill();
                let entry = tag | (id + 1);
                if *whose != Whose::Everybodys {
                    self.places[at].store(entry, Ordering::Release);
                    return Added::New;
                }
                if self.places[at].compare_exchange(0, entry, Ordering::Release, Ordering::Acquire).is_ok() {
                    return Added::New;
                }
                undo(id);
                continue;
            }
            if matches!(self.glance(found, hash), Glance::Perhaps(id) if is(id)) {
                return Added::Known;
            }
            at = self.after(at);
        }
    }

    /// The number of a state that `is` tells from others. Only for numbers.
    pub fn number(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let found = self.places[at].load(Ordering::Acquire);
            match self.glance(found, hash) {
                Glance::Perhaps(id) if is(id) => return Some(id),
                _ if found == 0 => return None,
                _ => at = self.after(at),
            }
        }
    }

    /// Puts in states that are not there, by hash and number.
    pub fn place(&self, states: impl Iterator<Item = (u64, u32)>, whose: &Whose) {
        let mut batch = Vec::with_capacity(TOGETHER);
        let mut states = states.peekable();
        while states.peek().is_some() {
            batch.clear();
            batch.extend(states.by_ref().take(TOGETHER));
            // Memory is fetched for all of them at once.
            std::hint::black_box(batch.iter().fold(0, |all, (hash, _)| all | self.first(*hash)));
            batch.iter().for_each(|(hash, id)| self.place_one(*hash, *id, whose));
        }
    }

    fn place_one(&self, hash: u64, id: u32, whose: &Whose) {
        match self.entries {
            Entries::States { .. } => {
                self.add(hash, whose);
            }
            Entries::Numbers { .. } => {
                let entry = Index::entry(self.entries, hash).0 | (id + 1);
                let mut at = self.home(hash);
                loop {
                    let place = &self.places[at];
                    let (relaxed, free) = (Ordering::Relaxed, place.load(Ordering::Relaxed) == 0);
                    if free && *whose == Whose::Mine {
                        return place.store(entry, relaxed);
                    }
                    if free && place.compare_exchange(0, entry, relaxed, relaxed).is_ok() {
                        return;
                    }
                    at = self.after(at);
                }
            }
        }
    }

    /// Every hash that lies in a part of the table, nearly in order; not for numbers.
    fn hashes(&self, part: Range<usize>, hashes: &mut Vec<u64>) {
        hashes.clear();
        let Entries::States { zeros, bits } = self.entries else { return };
        let places = self.places.len() as u64;
        let (mask, shift) = ((1u64 << bits) - 1, 64 - zeros);
        // The least hash that belongs to a place is home * 2^shift / places, rounded up. This is one or two less, or it.
        let step = ((1u128 << (shift + 32)) / u128::from(places)) as u64;
        hashes.resize(part.len(), 0);
        let mut kept = 0;
        for at in part {
            let entry = self.places[at].load(Ordering::Relaxed);
            let (at, distance) = (at as u64, u64::from((entry >> bits).wrapping_sub(1)));
            let home = if at >= distance { at - distance } else { (at + places).wrapping_sub(distance) };
            let least = ((u128::from(home) * u128::from(step)) >> 32) as u64;
            let hash = least.wrapping_add(u64::from(entry).wrapping_sub(least) & mask);
            let right = self.home(hash << zeros) as u64 == home;
            // Without a branch for places that are empty.
            hashes[kept] = hash.wrapping_add(if right { 0 } else { mask + 1 }) << zeros;
            kept += usize::from(entry != 0);
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

/// Lets threads do their parts of something long; a part begins at a multiple of `step`. Each is told who writes
/// to what they share.
pub fn in_parts(all: usize, step: usize, threads: usize, f: impl Fn(Range<usize>, &Whose) + Sync) {
    let threads = if all < 1 << 14 { 1 } else { threads.max(1) };
    let start = |k: usize| if k == threads { all } else { all / step * k / threads * step };
    let f = &f;
    std::thread::scope(|scope| {
        for k in 1..threads {
            scope.spawn(move || f(start(k)..start(k + 1), &Whose::Everybodys));
        }
        f(0..start(1), if threads == 1 { &Whose::Mine } else { &Whose::Everybodys });
    });
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
            let n = (1u64 << bits).min(60_000);
            let mut index = Index::new(0, Some(64 - bits));
            let mut known = FxHashSet::default();
            for hash in hashes(bits, n) {
                if index.is_crowded(known.len()) {
                    let (next, taken) = index.larger(Some(64 - bits), 2);
                    assert!(taken);
                    index = next;
                }
                let added = if known.insert(hash) { Added::New } else { Added::Known };
                assert_eq!(index.add(hash, &Whose::Mine), added, "{bits} bits");
            }
            assert!(hashes(bits, n).all(|hash| index.add(hash, &Whose::Everybodys) == Added::Known));
            let seen = std::cell::RefCell::new(
                index.far.lock().map_or_else(|_| FxHashSet::default(), |f| f.clone()),
            );
            let mut lie = Vec::new();
            index.hashes(0..index.capacity(), &mut lie);
            lie.into_iter().for_each(|hash| assert!(seen.borrow_mut().insert(hash)));
            assert_eq!(*seen.borrow(), known);
        }
    }

    #[test]
    fn what_lies_too_far_is_found_all_the_same() {
        // All belong to the same place.
        let index = Index::new(0, Some(30));
        let hash = |i: u64| i << 30;
        for i in 0..600 {
            assert_eq!(index.add(hash(i), &Whose::Mine), Added::New);
        }
        assert!((0..600).all(|i| index.add(hash(i), &Whose::Everybodys) == Added::Known));
        assert!(index.far.lock().is_ok_and(|far| !far.is_empty()));
        assert_eq!(index.add(hash(600), &Whose::Mine), Added::New);
    }
}
