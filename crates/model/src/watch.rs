//! Vectors that can report which of their parts are used.
//!
//! An engine that wants to know what a step depends on runs the step on a watched state. Whatever the semantics looks
//! at or changes is logged, in the order of the first accesses, so that the engine learns the read and write sets of
//! the step without a second definition of what a step reads. Everything that memoises, reorders or reduces steps
//! builds on this: decision trees, nets, stubborn sets, and the order of traces.
//!
//! It is right as long as every access goes through the vector's index operations. A walk over a vector counts as a
//! read of every part. `peek` and `put` bypass the log; they are for code whose result must not depend on what it sees,
//! such as encoding a state.
//!
//! Clones share what does not change, in chunks of about a kilobyte (copy on write), since a step of a large program
//! changes a few of very many parts. Two states are compared chunk by chunk, and shared chunks are equal without a
//! look.

use std::ops::{Index, IndexMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// What was accessed, by number of the part.
pub struct Log {
    seen: Vec<AtomicBool>,
    order: Mutex<Vec<u32>>,
}

impl Log {
    /// For a state with so many parts.
    pub(crate) fn new(parts: usize) -> Log {
        Log { seen: (0..parts).map(|_| AtomicBool::new(false)).collect(), order: Mutex::default() }
    }

    fn order(&self) -> MutexGuard<'_, Vec<u32>> {
        self.order.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The parts accessed so far, each once, in the order of the first accesses.
    pub fn take(&self) -> Vec<u32> {
        let order = std::mem::take(&mut *self.order());
        order.iter().for_each(|part| self.seen[*part as usize].store(false, Ordering::Relaxed));
        order
    }

    fn touch(&self, part: u32) {
        let seen = &self.seen[part as usize];
        if !seen.load(Ordering::Relaxed) {
            seen.store(true, Ordering::Relaxed);
            self.order().push(part);
        }
    }
}

/// A vector of parts. An index is logged as one access; a walk over all as one of every part.
///
/// Clones share what is not changed, in chunks: a step of a large program copies the few parts that it
/// changes, not the state.
pub struct Watched<T> {
    chunks: Vec<Arc<[T]>>,
    len: usize,
    first: u32,
    log: Option<Arc<Log>>,
}

impl<T> Watched<T> {
    /// So many parts make a chunk, a power of two: a kilobyte, more or less.
    const CHUNK: usize = {
        let fit = 1024 / (size_of::<T>() + 1);
        if fit < 4 { 4 } else { 1 << fit.ilog2() }
    };

    pub(crate) fn watch(&mut self, first: &mut u32, log: &Arc<Log>) {
        self.first = *first;
        *first += self.len as u32;
        self.log = Some(log.clone());
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether what is looked at is logged.
    pub fn is_watched(&self) -> bool {
        self.log.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One part, without a word to the log. What is learnt from it must not matter.
    pub fn peek(&self, index: usize) -> &T {
        &self.chunks[index / Self::CHUNK][index % Self::CHUNK]
    }

    /// Every part, each of which is logged.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        if self.log.is_some() {
            (0..self.len).for_each(|i| self.touch(i));
        }
        self.unlogged()
    }

    fn unlogged(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The parts in which another vector of the same length may differ, without a word to the log.
    pub fn changed<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let chunks = self.chunks.iter().zip(&other.chunks).enumerate();
        let differ = chunks.filter(|(_, (a, b))| !Arc::ptr_eq(a, b));
        differ.flat_map(|(c, (a, _))| (0..a.len()).map(move |i| c * Self::CHUNK + i))
    }

    fn touch(&self, index: usize) {
        if let Some(log) = &self.log {
            log.touch(self.first + index as u32);
        }
    }
}

impl<T: Clone> Watched<T> {
    /// Every part, without a word to the log: for states that nobody goes on from.
    pub(crate) fn unlogged_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flat_map(|chunk| Arc::make_mut(chunk).iter_mut())
    }
}

impl<T: Clone + PartialEq> Watched<T> {
    /// Sets a part, without a word to the log; nothing is copied where it is the same.
    pub fn put(&mut self, index: usize, item: &T) {
        if self.peek(index) != item {
            let chunk = Arc::make_mut(&mut self.chunks[index / Self::CHUNK]);
            chunk[index % Self::CHUNK].clone_from(item);
        }
    }
}

impl<T> Clone for Watched<T> {
    fn clone(&self) -> Self {
        Watched { chunks: self.chunks.clone(), len: self.len, first: self.first, log: self.log.clone() }
    }
}

impl<T> Index<usize> for Watched<T> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        self.touch(index);
        self.peek(index)
    }
}

impl<T: Clone> IndexMut<usize> for Watched<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.touch(index);
        &mut Arc::make_mut(&mut self.chunks[index / Self::CHUNK])[index % Self::CHUNK]
    }
}

impl<T> FromIterator<T> for Watched<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let (mut chunks, mut len) = (Vec::new(), 0);
        loop {
            let chunk: Arc<[T]> = items.by_ref().take(Self::CHUNK).collect();
            if chunk.is_empty() {
                return Watched { chunks, len, first: 0, log: None };
            }
            len += chunk.len();
            chunks.push(chunk);
        }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.unlogged()).finish()
    }
}

impl<T: PartialEq> PartialEq for Watched<T> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<[T]>, &Arc<[T]>)| Arc::ptr_eq(a, b) || a == b;
        self.len == other.len && self.chunks.iter().zip(&other.chunks).all(same)
    }
}

impl<T: Eq> Eq for Watched<T> {}

impl<T: std::hash::Hash> std::hash::Hash for Watched<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.chunks.iter().for_each(|chunk| chunk.hash(state));
    }
}
