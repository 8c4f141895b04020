//! Numbers that look random, the same on every machine.

/// Marsaglia's xorshift: all that schedules need.
pub struct Random(u64);

impl Random {
    /// The seed must not be 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}
