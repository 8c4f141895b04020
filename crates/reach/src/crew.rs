//! Threads that expand levels together.
//!
//! Threads that write to the same memory in turn wait for each other, however little they write. So each has a
//! part of the index to itself, by hash, and adds the states that belong there. What it finds for the parts of
//! others it puts into letters, which are read when everybody has written theirs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::expand::{Fast, Shared, Unknown, Worker};
use crate::index::Whose;

/// States that are expanded together.
pub const BATCH: u32 = 32;
/// States that a thread takes at a time.
pub const BLOCK: u32 = 64;
const LONGEST_BLOCK: u32 = 128;
/// States that are expanded before letters are read, and before limits are looked at.
const ROUND: usize = 1 << 14;
const STINT: usize = 1 << 17;
/// The same where each state takes long.
const SHORT_STINT: usize = 1 << 13;
/// States in letters before they are read, at the most, and states to be expanded later.
const MOST_WRITTEN: usize = 1 << 17;
const MOST_DEFERRED: usize = 4096;

/// States for another thread.
#[derive(Default)]
pub struct Letter {
    pub hashes: Vec<u64>,
    /// If the hashes do not say all about them.
    pub words: Vec<u64>,
    /// Those up to a number were found from states between two numbers.
    found: Vec<(usize, (u32, u32))>,
    /// How much of `found` has been read.
    read: usize,
}

/// Whether there was room for all that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Enough,
    TooLittle,
}

impl Letter {
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.words.clear();
        self.found.clear();
        self.read = 0;
    }

    /// What was written since the last time has these parents.
    #[inline]
    pub fn sign(&mut self, parents: (u32, u32)) {
        if self.found.last().map_or(0, |found| found.0) < self.hashes.len() {
            self.found.push((self.hashes.len(), parents));
        }
    }
}

/// What the threads have in common.
pub struct Crew {
    threads: usize,
    /// The next state to be expanded, and the end of the level.
    position: AtomicU32,
    to: AtomicU32,
    /// Levels with fewer states are not for several threads.
    large: usize,
    /// By sender and receiver.
    letters: Vec<Mutex<Letter>>,
    /// How often somebody came to a meeting.
    arrived: AtomicUsize,
    failed: AtomicBool,
    /// The round after which to stop, the last one in which a level was done, and the one with which the last level
    /// ends. Each is written between two meetings and read after the second, and says nothing about rounds before
    /// its own: so all threads come to the same end, however much faster one of them is.
    stop_after: AtomicUsize,
    done_in: AtomicUsize,
    last_level: AtomicUsize,
    /// States that were taken.
    taken: AtomicUsize,
}

impl Crew {
    /// For a level, and for those behind it that are large.
    pub fn new(threads: usize, from: u32, to: u32, large: usize) -> Crew {
        Crew {
            threads,
            position: AtomicU32::new(from),
            to: AtomicU32::new(to),
            large,
            letters: (0..threads * threads).map(|_| Mutex::default()).collect(),
            arrived: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            stop_after: AtomicUsize::new(0),
            done_in: AtomicUsize::new(0),
            last_level: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
        }
    }

    /// The end of the level at hand.
    pub fn to(&self) -> u32 {
        self.to.load(Ordering::Relaxed)
    }

    /// Whether all states of the level have been expanded.
    pub fn is_done(&self) -> bool {
        self.position.load(Ordering::Relaxed) >= self.to()
    }

    /// Whether there are letters that were not read.
    pub fn has_letters(&self) -> bool {
        self.letters.iter().any(|letter| letter.lock().is_ok_and(|l| l.read < l.found.len()))
    }

    /// Nobody begins a round after this one.
    fn stop(&self, round: usize) {
        self.stop_after.fetch_min(round, Ordering::Relaxed);
    }

    fn goes_on(&self, round: usize) -> bool {
        self.stop_after.load(Ordering::Relaxed) > round
    }

    /// Waits for all threads.
    fn meet(&self) {
        let meeting = self.arrived.fetch_add(1, Ordering::AcqRel) / self.threads;
        let mut looks = 0;
        let waiting = || self.arrived.load(Ordering::Acquire) / self.threads == meeting;
        while waiting() && !self.failed.load(Ordering::Acquire) {
            looks += 1;
            match looks < 1 << 8 {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }

    /// Some states to be expanded.
    fn take(&self) -> Option<std::ops::Range<u32>> {
        // Neighbours lead to the same states: long blocks, but enough of them for everybody.
        let to = self.to();
        let left = to - self.position.load(Ordering::Relaxed).min(to);
        let block = (left / 16).clamp(BLOCK, LONGEST_BLOCK);
        let start = self.position.fetch_add(block, Ordering::Relaxed);
        self.taken.fetch_add(block as usize, Ordering::Relaxed);
        (start < to).then(|| start..to.min(start + block))
    }

    /// Expands as much as may be done at once.
    pub fn work(&self, workers: &mut [Worker], shared: &Shared) {
        // Letters come first; before they are read there is no room for more.
        let rounds = if self.has_letters() { 0 } else { usize::MAX };
        self.stop_after.store(rounds, Ordering::Relaxed);
        self.done_in.store(usize::MAX, Ordering::Relaxed);
        self.last_level.store(usize::MAX, Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
        let (first, others) = workers.split_at_mut(1);
        std::thread::scope(|scope| {
            for (worker, me) in others.iter_mut().zip(1..) {
                scope.spawn(move || worker.run(shared, self, me));
            }
            first.iter_mut().for_each(|worker| worker.run(shared, self, 0));
        });
    }
}

/// Nobody waits for a thread that has failed.
struct Present<'a>(&'a Crew);

impl Drop for Present<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(0);
            self.0.failed.store(true, Ordering::Release);
        }
    }
}

impl Worker {
    /// One thread's share of the work.
    fn run(&mut self, shared: &Shared, crew: &Crew, me: usize) {
        let _present = Present(crew);
        match shared.fast {
            Some(fast) => {
                self.letters.resize_with(crew.threads, Letter::default);
                self.me = Some(me);
                self.spare.whose = shared.store.part(me, crew.threads);
                self.rounds(shared, fast, crew, me);
                self.spare.whose = Whose::Everybodys;
                self.me = None;
            }
            None => self.run_plainly(shared, crew),
        }
    }

    /// Where each state takes long, threads share the index.
    fn run_plainly(&mut self, shared: &Shared, crew: &Crew) {
        while crew.goes_on(0) {
            let Some(ids) = crew.take() else { return };
            if self.is_late(shared, crew) || crew.taken.load(Ordering::Relaxed) > SHORT_STINT {
                crew.stop(0);
            }
            for id in ids {
                if shared.store.is_state(id) && self.expand(shared, id, false).is_err() {
                    self.deferred.push(id);
                }
            }
        }
    }

    /// Whether something else has to be done soon.
    fn is_late(&self, shared: &Shared, crew: &Crew) -> bool {
        self.deferred.len() > MOST_DEFERRED
            || shared.store.is_crowded()
            || crew.taken.load(Ordering::Relaxed) > STINT
    }

    fn rounds(&mut self, shared: &Shared, fast: &Fast, crew: &Crew, me: usize) {
        for round in 0.. {
            let begun = crew.taken.load(Ordering::Relaxed);
            let written = |worker: &Worker| worker.letters.iter().map(|l| l.hashes.len()).sum::<usize>();
            while crew.goes_on(round) && written(self) < MOST_WRITTEN {
                if crew.taken.load(Ordering::Relaxed) >= begun + ROUND {
                    break;
                }
                let Some(ids) = crew.take() else {
                    crew.done_in.store(round, Ordering::Relaxed);
                    break;
                };
                self.expand_block(shared, fast, crew, round, ids);
                if self.is_late(shared, crew) {
                    crew.stop(round);
                }
            }
            for (letter, slot) in self.letters.iter_mut().zip(&crew.letters[me * crew.threads..]) {
                if let (Ok(mut slot), false) = (slot.lock(), letter.hashes.is_empty()) {
                    std::mem::swap(&mut *slot, letter);
                    letter.clear();
                }
            }
            crew.meet();
            if self.read_letters(shared, crew, me) == Room::TooLittle {
                crew.stop(round);
            }
            crew.meet();
            if !crew.goes_on(round) {
                return;
            }
            if crew.done_in.load(Ordering::Relaxed) == round && !self.next_level(shared, crew, round, me) {
                return;
            }
        }
    }

    /// Goes on to the next level, if nothing is left of this one and that is large.
    fn next_level(&mut self, shared: &Shared, crew: &Crew, round: usize, me: usize) -> bool {
        // The numbers of a level are behind those of the last one.
        self.holes += shared.store.discard(&mut self.spare);
        let is_last = || crew.last_level.load(Ordering::Relaxed) == round;
        if !self.deferred.is_empty() || !self.elsewhere.hashes.is_empty() {
            crew.last_level.store(round, Ordering::Relaxed);
        }
        crew.meet();
        if me == 0 && !is_last() {
            let (from, to) = (crew.to(), shared.store.len() as u32);
            match (to - from) as usize > crew.large {
                true => {
                    crew.position.store(from, Ordering::Relaxed);
                    crew.to.store(to, Ordering::Relaxed);
                }
                false => crew.last_level.store(round, Ordering::Relaxed),
            }
        }
        crew.meet();
        !is_last()
    }

    fn expand_block(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        crew: &Crew,
        round: usize,
        ids: std::ops::Range<u32>,
    ) {
        let mut id = ids.start;
        while id < ids.end {
            let next = ids.end.min(id + BATCH);
            id = match self.expand_batch(shared, fast, id..next) {
                Ok(()) => next,
                Err((at, Unknown::Room)) => {
                    crew.stop(round);
                    self.deferred.extend(at..next);
                    next
                }
                Err((at, _)) => {
                    self.deferred.push(at);
                    at + 1
                }
            };
        }
    }

    /// Adds what others have found for this thread.
    fn read_letters(&mut self, shared: &Shared, crew: &Crew, me: usize) -> Room {
        for sender in 0..crew.threads {
            if let Ok(mut letter) = crew.letters[sender * crew.threads + me].lock()
                && self.read(shared, &mut letter) == Room::TooLittle
            {
                return Room::TooLittle;
            }
        }
        Room::Enough
    }

    /// Adds what a letter has, as far as there is room.
    pub fn read(&mut self, shared: &Shared, letter: &mut Letter) -> Room {
        while let Some((end, parents)) = letter.found.get(letter.read).copied() {
            let start = letter.read.checked_sub(1).map_or(0, |before| letter.found[before].0);
            let width = if letter.words.is_empty() { 0 } else { shared.layout.words };
            let words = &letter.words[start * width..end * width];
            if self.add(shared, &letter.hashes[start..end], words, parents) == Room::TooLittle {
                return Room::TooLittle;
            }
            letter.read += 1;
        }
        Room::Enough
    }
}
