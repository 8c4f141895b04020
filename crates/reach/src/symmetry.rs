//! Symmetry: of the states that differ only in which of several alike tasks is which, one is enough.
//!
//! Each symmetry of the program moves slots and renames their contents. A state is replaced by a
//! smaller one, slot by slot, as long as some symmetry leads to one: with exchanges of neighbours this
//! sorts, with all turns of a ring it finds the least. Which state stands for its like need not be the
//! same for all of them; then there are a few states more.

use rendez_evidence::Entries;
use rendez_model::symmetry::{Renaming, symmetries};
use rendez_model::{EntryId, Program, TaskId};

use crate::slots::Slots;
use crate::store::Layout;

pub struct Symmetry {
    generators: Vec<Generator>,
}

struct Generator {
    renaming: Renaming,
    targets: Vec<Target>,
}

/// What a slot holds afterwards.
struct Target {
    slot: usize,
    source: usize,
    places: Vec<usize>,
    /// By number of the source's content.
    map: Vec<u32>,
    /// The slot stays, and so do all its contents so far.
    stays: bool,
}

/// The symmetries that led from a state to the one that stands for it, by number.
pub type Turns = Vec<u16>;

impl Symmetry {
    /// None if the program has none that can be used.
    pub fn new(program: &Program, slots: &Slots) -> Option<Symmetry> {
        let generator = |renaming: Renaming| {
            let targets = slots
                .sources(&renaming)?
                .into_iter()
                .enumerate()
                .map(|(slot, (source, places))| {
                    let stays = source == slot && places.iter().enumerate().all(|(i, p)| i == *p);
                    Target { slot, source, places, map: Vec::new(), stays }
                })
                .collect();
            Some(Generator { renaming, targets })
        };
        let mut generators: Vec<Generator> = symmetries(program).into_iter().filter_map(generator).collect();
        generators.truncate(usize::from(u16::MAX));
        (!generators.is_empty()).then_some(Symmetry { generators })
    }

    /// Brings the tables up to date with the contents that slots have had.
    pub fn update(&mut self, slots: &mut Slots) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for generator in &mut self.generators {
                for target in &mut generator.targets {
                    for number in target.map.len()..slots.count(target.source) {
                        let from = (target.source, target.places.as_slice());
                        let to = slots.renamed(&generator.renaming, from, number as u32, target.slot);
                        target.stays &= to as usize == number;
                        target.map.push(to);
                        again = true;
                    }
                }
            }
        }
    }

    /// Replaces a state by the one that stands for it; notes how in `turns`.
    pub fn settle(&self, layout: &Layout, words: &mut [u64], before: &mut Vec<u64>, turns: &mut Turns) {
        turns.clear();
        let count = self.generators.len();
        // There and back, as long as something gets smaller.
        let mut back = false;
        loop {
            let so_far = turns.len();
            for k in 0..count {
                let i = if back { count - 1 - k } else { k };
                let generator = &self.generators[i];
                if generator.is_smaller(layout, words) {
                    before.clear();
                    before.extend_from_slice(words);
                    for target in generator.targets.iter().filter(|t| !t.stays) {
                        let value = target.map[layout.get(before, target.source) as usize];
                        layout.patch(target.slot, value).apply(words);
                    }
                    turns.push(i as u16);
                }
            }
            if turns.len() == so_far {
                return;
            }
            back = !back;
        }
    }

    /// All turns as one renaming.
    pub fn renaming(&self, program: &Program, turns: &[u16]) -> Renaming {
        let identity = Renaming::identity(program);
        turns.iter().fold(identity, |all, i| self.generators[usize::from(*i)].renaming.after(&all))
    }

    /// Where a task goes.
    pub fn task(&self, turns: &[u16], task: TaskId) -> TaskId {
        turns.iter().fold(task, |task, i| self.generators[usize::from(*i)].renaming.task(task))
    }

    /// What happens at an entry may happen at all that are like it.
    pub fn spread(&self, program: &Program, entries: &mut Entries) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for generator in &self.generators {
                for e in (0..program.entries.len()).map(EntryId::from) {
                    let (called, accepted) = (entries.called[e.index()], entries.accepted[e.index()]);
                    again |= entries.add(generator.renaming.entry(e), called, accepted);
                }
            }
        }
    }
}

impl Generator {
    /// Whether the state to which this one leads is smaller.
    fn is_smaller(&self, layout: &Layout, words: &[u64]) -> bool {
        for target in self.targets.iter().filter(|t| !t.stays) {
            let new = target.map[layout.get(words, target.source) as usize];
            let old = layout.get(words, target.slot);
            if new != old {
                return new < old;
            }
        }
        false
    }
}
