//! A monotone priority queue: items by distance, for searches in which distances never fall.
//!
//! This is a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, *Faster algorithms for the shortest path problem*, JACM
//! 1990), in its simplest form with one level. Items whose distances agree with the last one that was taken in all but
//! the lowest k bits share bucket k. When the first non-empty bucket is not the lowest, its least distance becomes the
//! last one, and its items are distributed over lower buckets. An item moves down at most once for each bit, so a
//! search takes time linear in its edges, up to the 32 bits of a distance.
//!
//! Dijkstra's algorithm never pushes less than it took last, which is all that the structure needs. There is no
//! operation to decrease a distance: an item is pushed again, and the caller ignores it when it is settled already.

/// Items of equal leading bits share a bucket; an item moves to a lower bucket at most once for each
/// bit, so that a search takes time linear in its edges but for that factor.
#[derive(Default)]
pub struct Radix {
    last: u32,
    buckets: Vec<Vec<(u32, u32)>>,
}

impl Radix {
    pub fn push(&mut self, distance: u32, item: u32) {
        let bucket = self.bucket(distance);
        if self.buckets.len() <= bucket {
            self.buckets.resize_with(bucket + 1, Vec::new);
        }
        self.buckets[bucket].push((distance, item));
    }

    fn bucket(&self, distance: u32) -> usize {
        (u32::BITS - (distance ^ self.last).leading_zeros()) as usize
    }

    /// An item with the least distance, and that distance.
    pub fn pop(&mut self) -> Option<(u32, u32)> {
        let bucket = self.buckets.iter().position(|b| !b.is_empty())?;
        if bucket > 0 {
            let moved = std::mem::take(&mut self.buckets[bucket]);
            self.last = moved.iter().map(|(d, _)| *d).min()?;
            for (distance, item) in moved {
                self.push(distance, item);
            }
        }
        self.buckets[0].pop()
    }
}
