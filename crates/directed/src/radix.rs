//! A queue of numbered items by distance, for searches in which distances never fall.

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
