//! Numbers that look random, the same on every machine.

/// Marsaglia's xorshift: all that schedules need.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed. The state must not be 0, so seed 0 begins as another number.
    pub fn new(seed: u64) -> Random {
        Random(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}
