//! Entries that are never called, or never served.
//!
//! Entries of one declaration count together: an array of servers need not all be used. Entries of the models of library
//! units are not the user's.

use std::collections::BTreeMap;

use rendez_model::{EntryId, LIBRARY_FOLDER, Owner};
use rendez_source::Span;

use super::Findings;
use crate::finding::{Finding, Kind, Severity};
use crate::observation::Entries;

impl Findings<'_, '_> {
    pub(super) fn dead_entries(&self, entries: &Entries) -> Vec<Finding> {
        // Entries of one declaration count together: an array of servers need not all be used.
        let mut by_place: BTreeMap<Span, (bool, bool, String)> = BTreeMap::new();
        for (i, entry) in self.program.entries.iter().enumerate() {
            let file = self.program.files.get(entry.span.file.0 as usize);
            if file.is_some_and(|f| f.starts_with(LIBRARY_FOLDER)) {
                continue;
            }
            let id = EntryId::from(i);
            let place =
                by_place.entry(entry.span).or_insert_with(|| (false, false, self.program.entry_name(id)));
            place.0 |= entries.called[i];
            place.1 |= entries.accepted[i];
        }
        by_place
            .into_iter()
            .filter(|(_, (called, accepted, _))| !called || !accepted)
            .map(|(span, (called, _, name))| {
                let object = self
                    .program
                    .entries
                    .iter()
                    .any(|e| e.span == span && matches!(e.owner, Owner::Object(_)));
                let never = match (called, object) {
                    (false, _) => "never called",
                    (true, true) => "called, but never served",
                    (true, false) => "called, but never accepted",
                };
                let message = format!("entry {name} is {never}");
                Finding::new(Kind::DeadEntry, Severity::Warning, message, span)
            })
            .collect()
    }
}
