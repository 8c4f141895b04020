//! Vectors that can report which of their parts are used.
//!
//! An engine that wants to know what a step depends on runs it on a watched state: whatever the
//! semantics looks at or changes is logged, so that the answer needs no second definition of what
//! a step reads.

use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::sync::{Arc, Mutex, MutexGuard};

/// What was accessed, by number of the part.
#[derive(Default)]
pub struct Log(Mutex<Touched>);

#[derive(Default)]
struct Touched {
    seen: Vec<bool>,
    order: Vec<u32>,
}

impl Log {
    fn touched(&self) -> MutexGuard<'_, Touched> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The parts accessed so far, each once, in the order of the first accesses.
    pub fn take(&self) -> Vec<u32> {
        let mut touched = self.touched();
        touched.seen.clear();
        std::mem::take(&mut touched.order)
    }

    fn touch(&self, part: u32) {
        let mut touched = self.touched();
        let i = part as usize;
        if i >= touched.seen.len() {
            touched.seen.resize(i + 1, false);
        }
        if !std::mem::replace(&mut touched.seen[i], true) {
            touched.order.push(part);
        }
    }
}

/// A vector of parts. An index is logged as one access; a use as a slice as one of every part.
#[derive(Clone)]
pub struct Watched<T> {
    items: Vec<T>,
    first: u32,
    log: Option<Arc<Log>>,
}

impl<T> Watched<T> {
    pub(crate) fn watch(&mut self, first: &mut u32, log: &Arc<Log>) {
        self.first = *first;
        *first += self.items.len() as u32;
        self.log = Some(log.clone());
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// One part, without a word to the log. What is learnt from it must not matter.
    pub fn peek(&self, index: usize) -> &T {
        &self.items[index]
    }

    /// Every part, without a word to the log: for states that nobody goes on from.
    pub(crate) fn unlogged_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    fn touch(&self, index: usize) {
        if let Some(log) = &self.log {
            log.touch(self.first + index as u32);
        }
    }

    fn touch_all(&self) {
        if self.log.is_some() {
            (0..self.items.len()).for_each(|i| self.touch(i));
        }
    }
}

impl<T> Index<usize> for Watched<T> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        self.touch(index);
        &self.items[index]
    }
}

impl<T> IndexMut<usize> for Watched<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.touch(index);
        &mut self.items[index]
    }
}

impl<T> Deref for Watched<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.touch_all();
        &self.items
    }
}

impl<T> DerefMut for Watched<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.touch_all();
        &mut self.items
    }
}

impl<'a, T> IntoIterator for &'a Watched<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> FromIterator<T> for Watched<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Watched { items: items.into_iter().collect(), first: 0, log: None }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Watched<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<T: Eq> Eq for Watched<T> {}

impl<T: std::hash::Hash> std::hash::Hash for Watched<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.items.hash(state);
    }
}
