//! What makes two findings the same, so that each is reported once.
//!
//! The same thing at the same place is one finding, whoever it happens to; the other tasks are noted with it. Findings of one
//! kind that nothing else puts in order (certainty, severity, length of the trace, place) are reported in the order of their
//! keys.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rendez_source::Span;

use crate::blocking::Blocked;
use crate::finding::Kind;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindingKey {
    /// The places of those that are blocked.
    Blocked {
        kind: Kind,
        places: BTreeSet<SourcePlace>,
    },
    /// Where the task is declared: in its loop it may be seen anywhere.
    Spin(SourcePlace),
    /// Exceptions of one name are not told apart. If one is handled and another one is not, these are two findings.
    Exception {
        kind: Kind,
        place: SourcePlace,
        name: String,
        died: bool,
    },
    /// Where the variable is declared, for array elements and symmetric tasks share it.
    Race(SourcePlace),
    Assertion(SourcePlace),
    /// The number of the monitor.
    Property(u16),
}

impl FindingKey {
    /// The kind, and the places of those that it is about.
    pub(super) fn of_blocked(blocked: &Blocked) -> FindingKey {
        let about = blocked.waiting.iter().filter(|w| blocked.tasks.contains(&w.task));
        FindingKey::Blocked { kind: blocked.kind, places: about.map(|w| SourcePlace(w.span)).collect() }
    }
}

/// A place of the source, in the order of its printed form: line 10 before line 9. Reports have always had this order,
/// and only ties depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourcePlace(pub(super) Span);

impl Ord for SourcePlace {
    fn cmp(&self, other: &SourcePlace) -> Ordering {
        match self == other {
            true => Ordering::Equal,
            false => self.0.to_string().cmp(&other.0.to_string()),
        }
    }
}

impl PartialOrd for SourcePlace {
    fn partial_cmp(&self, other: &SourcePlace) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
