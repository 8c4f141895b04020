//! Threads that expand breadth-first levels together.
//!
//! The threads work in rounds. In each round every thread expands a run of neighbouring states and lists the hashes of
//! what it finds; after a barrier, every thread looks up, in the lists of all, the hashes that belong to its own
//! segments of the index; after another barrier, everybody computes from the same bits which states are new and what
//! their numbers are, and writes those of its own list.
//!
//! So each entry of the index has one owner, by the first bits of its hash, as in the parallel Murphi verifier (Stern
//! and Dill, CAV 1997), but the states lie in shared memory and only hashes change hands. The design avoids what
//! lockless shared tables (Laarman, van de Pol and Weber, FMCAD 2010) have to live with: threads that write to one
//! cache line in turn wait for each other, however little they write. A list is read by everybody and written by its
//! owner only, and never in the same phase. The locks around lists only prove that to the compiler; nobody ever waits
//! for one.
//!
//! Why the numbers do not depend on the number of threads: the lists, one behind the other, are the list that a single
//! thread would have made, and a state gets its number where it occurs first in that order. The only exceptions are
//! states at which a step was not known yet: they are set aside, and one thread expands them after the level. `cargo
//! test` compares two and three threads with one, state by state, over the corpus.
//!
//! Two earlier designs were dropped. The first inserted states into one shared table, where a number that lost a race
//! was kept for the next state. The second gave each thread a part of the table and let threads send each other the
//! states that belong elsewhere; both could leave numbers without a state.
//!
//! A barrier spins for a moment and then yields the processor. A thread that panics tells the others, who would
//! otherwise wait for it for ever.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::expand::{Expansion, Followed, Shared, Worker};
use crate::index::{Glance, Index, Lookup, SEGMENTS, Segment, expect, segment_of, want_room};
use crate::search::{MISSES, Outlook};

/// States that are expanded together.
pub const BATCH: u32 = 64;
/// States that are expanded in a round, at the least and at the most.
const SHORT_ROUND: usize = 1 << 10;
const LONG_ROUND: usize = 1 << 15;
/// The same where each takes long.
const SLOW_ROUND: usize = 1 << 9;
/// How often limits are looked at then.
const OFTEN: u32 = 16;
/// Words that are listed in a round, about, if every task can move.
const LONG_LIST: usize = 1 << 22;
/// States to be expanded later, at the most.
const MOST_DEFERRED: usize = 4096;
/// Hashes that are looked up together.
const TOGETHER: usize = 128;

/// What a thread has found in a round, in order.
#[derive(Default)]
pub struct List {
    pub hashes: Vec<u64>,
    /// If the hashes do not say all about them.
    pub words: Vec<u64>,
    /// Those up to a number were found from states between two numbers.
    found: Vec<(usize, (u32, u32))>,
}

impl List {
    fn clear(&mut self) {
        self.hashes.clear();
        self.words.clear();
        self.found.clear();
    }

    /// What was listed since the last time has these parents.
    #[inline]
    pub fn sign(&mut self, parents: (u32, u32)) {
        if self.found.last().map_or(0, |found| found.0) < self.hashes.len() {
            self.found.push((self.hashes.len(), parents));
        }
    }
}

/// What the threads have in common.
pub struct LevelWorkers<'l> {
    threads: usize,
    /// Levels with fewer states are not for several threads.
    large: usize,
    outlook: Outlook,
    /// Whether so many states are enough for now.
    limit: &'l (dyn Fn() -> bool + Sync),
    lists: Vec<RwLock<List>>,
    /// By list and owner: which of the list are new, as bits.
    new: Vec<RwLock<Vec<u64>>>,
    /// How often somebody came to a meeting.
    arrived: AtomicUsize,
    failed: AtomicBool,
    /// Whether to stop now or behind the level: there are states to be expanded later, or more is known by now than the
    /// tables at hand say. Both are written before the first meeting of a round and read before the second.
    stop: AtomicBool,
    pause: AtomicBool,
    /// A limit is met.
    over: AtomicBool,
    /// There are states that are to be expanded again. Written before the last meeting of a round and read behind it.
    again: AtomicBool,
}

impl<'l> LevelWorkers<'l> {
    pub fn new(
        threads: usize,
        large: usize,
        outlook: Outlook,
        limit: &'l (dyn Fn() -> bool + Sync),
    ) -> LevelWorkers<'l> {
        LevelWorkers {
            threads,
            large,
            outlook,
            limit,
            lists: (0..threads).map(|_| RwLock::default()).collect(),
            new: (0..threads * threads).map(|_| RwLock::default()).collect(),
            arrived: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            pause: AtomicBool::new(false),
            over: AtomicBool::new(false),
            again: AtomicBool::new(false),
        }
    }

    /// Waits for all threads.
    fn barrier(&self) {
        let meeting = self.arrived.fetch_add(1, Ordering::AcqRel) / self.threads;
        let mut looks = 0;
        let waiting = || self.arrived.load(Ordering::Acquire) / self.threads == meeting;
        while waiting() && !self.failed.load(Ordering::Acquire) {
            looks += 1;
            match looks < 1 << 6 {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }

    /// Expands states from one on: the rest of a level, and large levels behind it. Returns the first state that was
    /// not expanded and the end of its level. States at which something is unknown are left for later, and the level behind
    /// theirs is not begun.
    pub fn work(
        &self,
        workers: &mut [Worker],
        shared: &Shared,
        index: &mut Index,
        level: Range<u32>,
    ) -> Range<u32> {
        let Some((first, others)) = workers.split_first_mut() else { return level };
        let each = SEGMENTS.div_ceil(self.threads);
        let mut segments = index.segments().chunks_mut(each);
        let own = segments.next().unwrap_or_default();
        let member = |me: usize| Member { workers: self, shared, me, first: me * each };
        std::thread::scope(|scope| {
            for (worker, me) in others.iter_mut().zip(1..) {
                let (part, level) = (segments.next().unwrap_or_default(), level.clone());
                scope.spawn(move || member(me).rounds(worker, part, level));
            }
            member(0).rounds(first, own, level.clone())
        })
    }
}

/// Nobody waits for a thread that has failed.
struct Present<'a>(&'a LevelWorkers<'a>);

impl Drop for Present<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.failed.store(true, Ordering::Release);
        }
    }
}

/// One of the threads.
struct Member<'a> {
    workers: &'a LevelWorkers<'a>,
    shared: &'a Shared<'a>,
    me: usize,
    /// The first of its segments.
    first: usize,
}

impl Member<'_> {
    /// All that is computed here from what all know comes out the same for everybody.
    fn rounds(&self, worker: &mut Worker, segments: &mut [Segment], level: Range<u32>) -> Range<u32> {
        let _present = Present(self.workers);
        let (workers, store) = (self.workers, self.shared.store);
        let (mut at, mut to, mut len) = (level.start, level.end, store.len());
        let most = LONG_LIST / (self.shared.layout.words * self.shared.trees.tasks().max(1));
        let most = most.clamp(SHORT_ROUND, LONG_ROUND);
        let mut outlook = workers.outlook;
        loop {
            let round = match self.shared.fast {
                Some(_) => (len / 8).clamp(SHORT_ROUND, most) * workers.threads / 2,
                None => SLOW_ROUND * workers.threads,
            };
            let end = to.min(at.saturating_add(round as u32));
            let part = |k: usize| at + (u64::from(end - at) * k as u64 / workers.threads as u64) as u32;
            self.expand(worker, part(self.me)..part(self.me + 1));
            let full = worker.deferred.len() > MOST_DEFERRED || want_room(segments);
            if full || (self.me == 0 && (workers.limit)()) {
                workers.stop.store(true, Ordering::Relaxed);
            }
            let known = self.shared.trees.size();
            let outdated = self.shared.fast.is_some_and(|fast| fast.known < known);
            let missed = outdated && worker.missed * workers.threads > MISSES * known;
            if !worker.deferred.is_empty() || missed {
                workers.pause.store(true, Ordering::Relaxed);
            }
            workers.barrier();
            let stop = workers.stop.load(Ordering::Relaxed);
            let pause = workers.pause.load(Ordering::Relaxed);
            if self.me == 0 {
                workers.again.store(false, Ordering::Relaxed);
            }
            let lists: Vec<_> = workers.lists.iter().map(read).collect();
            self.look_up(worker, segments, &lists, len);
            workers.barrier();
            len = self.number(worker, segments, &lists, len);
            drop(lists);
            at = end;
            if !worker.again.is_empty() {
                workers.again.store(true, Ordering::Relaxed);
            }
            // What was written is read, and lists are written to again.
            workers.barrier();
            if stop || workers.failed.load(Ordering::Acquire) {
                return at..to;
            }
            if at == to && !workers.again.load(Ordering::Relaxed) {
                if pause || len - to as usize <= workers.large {
                    return at..to;
                }
                let before = std::mem::replace(&mut to, len as u32);
                expect(segments, outlook.expect((to - before) as usize, len));
            }
        }
    }

    /// Lists what some states lead to.
    fn expand(&self, worker: &mut Worker, ids: Range<u32>) {
        let mut list = self.workers.lists[self.me].write().unwrap_or_else(PoisonError::into_inner);
        list.clear();
        let Some(fast) = self.shared.fast else {
            for id in std::mem::take(&mut worker.again) {
                self.expand_one(worker, &mut list, id, Expansion::WithoutFirst);
            }
            for id in ids {
                // At a limit the search ends, and nobody asks for the rest.
                let look = self.me == 0 && id.is_multiple_of(OFTEN) && (self.workers.limit)();
                if look {
                    self.workers.stop.store(true, Ordering::Relaxed);
                }
                if look || self.workers.over.load(Ordering::Relaxed) {
                    self.workers.over.store(true, Ordering::Relaxed);
                    break;
                }
                self.expand_one(worker, &mut list, id, Expansion::Reduced);
            }
            return;
        };
        let mut id = ids.start;
        while id < ids.end {
            let next = ids.end.min(id + BATCH);
            id = match worker.list_batch(self.shared, fast, &mut list, id..next) {
                Ok(()) => next,
                Err((unknown, _)) => {
                    worker.deferred.push(unknown);
                    unknown + 1
                }
            };
        }
    }

    /// The same for a state without bits or flat tables.
    fn expand_one(&self, worker: &mut Worker, list: &mut List, id: u32, expansion: Expansion) {
        let Ok(followed) = worker.find(self.shared, id, expansion) else {
            return worker.deferred.push(id);
        };
        let from = list.hashes.len();
        worker.list_found(self.shared, list, (id, id));
        match followed {
            // Whether that leads to something new is seen later.
            Followed::First => worker.first.push((id, from..list.hashes.len())),
            _ => worker.mark(self.shared, id, followed),
        }
    }

    /// Adds to the index what of all lists belongs there, and notes what is new.
    fn look_up(
        &self,
        worker: &mut Worker,
        segments: &mut [Segment],
        lists: &[RwLockReadGuard<List>],
        len: usize,
    ) {
        let store = self.shared.store;
        worker.fresh.clear();
        // Until they have numbers, states have those that they would have if all were new.
        let numbers = len + lists.iter().map(|list| list.hashes.len()).sum::<usize>();
        if segments.iter().any(|segment| !segment.has_states()) {
            let mut coming = [0; SEGMENTS];
            let hashes = lists.iter().flat_map(|list| &list.hashes);
            hashes.for_each(|hash| coming[segment_of(*hash)] += 1);
            for (segment, coming) in segments.iter_mut().zip(&coming[self.first..]) {
                store.make_room(segment, *coming, numbers);
            }
        }
        let mut before = len;
        let mut mine = [(0, 0); TOGETHER];
        let own = self.first..self.first + segments.len();
        for (k, list) in lists.iter().enumerate() {
            let mut new = write(&self.workers.new[k * self.workers.threads + self.me]);
            new.clear();
            new.resize(list.hashes.len().div_ceil(64), 0);
            for (from, hashes) in (0..).step_by(TOGETHER).zip(list.hashes.chunks(TOGETHER)) {
                let mut kept = 0;
                for (i, hash) in (from..).zip(hashes) {
                    mine[kept] = (*hash, i);
                    kept += usize::from(own.contains(&segment_of(*hash)));
                }
                // Memory is fetched for all while the next is computed.
                let some = kept;
                if !list.words.is_empty() {
                    let touched = mine[..some].iter().map(|(hash, _)| {
                        let segment = &segments[segment_of(*hash) - self.first];
                        match segment.glance(segment.first(*hash), *hash) {
                            Glance::Perhaps(id) if (id as usize) < len => store.first_word(id),
                            _ => 0,
                        }
                    });
                    std::hint::black_box(touched.fold(0, |all, word| all | word));
                }
                kept = 0;
                for i in 0..some {
                    mine[kept] = mine[i];
                    let hash = mine[i].0;
                    kept += usize::from(!segments[segment_of(hash) - self.first].is_first(hash));
                }
                for (hash, i) in &mine[..kept] {
                    let segment = &mut segments[segment_of(*hash) - self.first];
                    let is_new = match segment.has_states() {
                        true => {
                            if segment.is_crowded() {
                                store.make_room(segment, 1, numbers);
                            }
                            segment.add(*hash)
                        }
                        false => {
                            let is = |id: u32| self.is(lists, len, id, *hash, list, *i);
                            match segment.find(*hash, is) {
                                Lookup::Here => false,
                                Lookup::Free(place) => {
                                    let number = (before + i) as u32;
                                    segment.put(place, *hash, number);
                                    worker.fresh.push((segment_of(*hash) - self.first, place, number));
                                    true
                                }
                            }
                        }
                    };
                    new[i / 64] |= u64::from(is_new) << (i % 64);
                }
            }
            before += list.hashes.len();
        }
    }

    /// Whether the state with a number, perhaps one that it has for the time being, is that at a place of a list.
    fn is(
        &self,
        lists: &[RwLockReadGuard<List>],
        len: usize,
        id: u32,
        hash: u64,
        list: &List,
        at: usize,
    ) -> bool {
        let (store, width) = (self.shared.store, self.shared.layout.words);
        let word = if width == 1 { store.word_of(hash) } else { 0 };
        let words = if width == 1 { &[word][..] } else { &list.words[at * width..][..width] };
        let Some(mut other) = (id as usize).checked_sub(len) else { return store.equals(id, words) };
        for list in lists {
            match other.checked_sub(list.hashes.len()) {
                Some(further) => other = further,
                None if width == 1 => return list.hashes[other] == hash,
                None => return list.words[other * width..][..width] == *words,
            }
        }
        false
    }

    /// Gives numbers to what is new, and writes what is of the own list. How many states there are then.
    fn number(
        &self,
        worker: &mut Worker,
        segments: &mut [Segment],
        lists: &[RwLockReadGuard<List>],
        len: usize,
    ) -> usize {
        let (workers, store, width) = (self.workers, self.shared.store, self.shared.layout.words);
        let mut next = len;
        // For each list: which are new, and the number of the first new one of each word of bits.
        let mut numbers: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
        for (k, list) in lists.iter().enumerate() {
            let mut new = vec![0; list.hashes.len().div_ceil(64)];
            for owner in 0..workers.threads {
                let some = read(&workers.new[k * workers.threads + owner]);
                new.iter_mut().zip(some.iter()).for_each(|(all, some)| *all |= some);
            }
            let first = |bits: &u64| {
                next += bits.count_ones() as usize;
                next as u32 - bits.count_ones()
            };
            let firsts = new.iter().map(first).collect();
            numbers.push((new, firsts));
        }
        let (list, (new, firsts)) = (&lists[self.me], &numbers[self.me]);
        let behind = numbers.get(self.me + 1..).and_then(|rest| rest.iter().find_map(|list| list.1.first()));
        let own = firsts.first().copied().unwrap_or(0)..behind.copied().unwrap_or(next as u32);
        let (mut id, words) = (own.start, store.words_of(&own));
        let (mut from, mut written) = (0, 0);
        worker.hashes.clear();
        for (end, parents) in &list.found {
            let (first, last) = (from / 64, end.div_ceil(64));
            for (at, bits) in (first * 64..).step_by(64).zip(&new[first..last]) {
                // Those of the list from one number on, up to another.
                let before = if from > at { !(u64::MAX << (from - at)) } else { 0 };
                let behind = if *end < at + 64 { u64::MAX << (end - at) } else { 0 };
                let mut bits = bits & !before & !behind;
                while bits != 0 {
                    let at = at + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    match width {
                        1 => worker.hashes.push(list.hashes[at]),
                        _ => store.write(id, &list.words[at * width..][..width], &words),
                    }
                    id += 1;
                }
            }
            from = *end;
            store.note_all(own.start + written..id, *parents, &mut worker.writer);
            written = id - own.start;
        }
        store.write_words(own.start, &worker.hashes);
        for (id, range) in std::mem::take(&mut worker.first) {
            match range.into_iter().any(|at| new[at / 64] >> (at % 64) & 1 != 0) {
                true => worker.mark(self.shared, id, Followed::First),
                false => worker.again.push(id),
            }
        }
        for (segment, place, number) in worker.fresh.drain(..) {
            let mut at = number as usize - len;
            for (list, (new, firsts)) in lists.iter().zip(&numbers) {
                match at.checked_sub(list.hashes.len()) {
                    Some(further) => at = further,
                    None => {
                        let before = new[at / 64] & !(u64::MAX << (at % 64));
                        segments[segment].renumber(place, firsts[at / 64] + before.count_ones());
                        break;
                    }
                }
            }
        }
        if self.me == 0 {
            store.set_len(next);
        }
        next
    }
}

/// Whoever failed while holding a lock takes the whole search with it.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
