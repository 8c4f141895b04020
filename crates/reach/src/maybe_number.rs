//! Numbers that may be missing, in four bytes.
//!
//! An `Option` of a number takes eight. Tables by state and by location are large, and the search looks at them for
//! every state, so they hold these.

/// A number, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaybeNumber(u32);

impl MaybeNumber {
    /// Nothing has this number.
    pub const NONE: MaybeNumber = MaybeNumber(u32::MAX);

    #[inline]
    pub fn of(number: u32) -> MaybeNumber {
        MaybeNumber(number)
    }

    #[inline]
    pub fn get(self) -> Option<u32> {
        (self != MaybeNumber::NONE).then_some(self.0)
    }
}
