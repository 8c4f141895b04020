//! Symmetry: of the states that differ only in which of several alike tasks is which, one is kept.
//!
//! A symmetry is a renaming of tasks, entries, objects, cells and code that maps the program to itself;
//! `rendez_analysis::symmetry` finds them. Such a renaming maps executions to executions, so the states of one orbit
//! block, race and raise exceptions alike, and it is enough to expand one of each orbit (Ip and Dill, *Better
//! verification through symmetry*, 1996; Emerson and Sistla, *Symmetry and model checking*, 1996; Clarke, Enders,
//! Filkorn and Jha, *Exploiting symmetry in temporal logic model checking*, 1996).
//!
//! Each generator moves slots and renames their contents; both are tables over numbers of contents, filled as contents
//! turn up. A state is replaced by a lexicographically smaller one, slot by slot, as long as some generator leads to
//! one: with exchanges of neighbours this sorts, and with all rotations of a ring it finds the least.
//!
//! We do not insist on a canonical representative. To decide whether two states lie in one orbit is at least as hard as
//! graph isomorphism (Clarke et al.), so a local minimum has to do. It is still a member of the orbit, so nothing is
//! missed; an orbit with two representatives only costs a few states more.
//!
//! Two details go beyond the papers:
//! - A symmetry may hold only once start-up code is behind: a main program starts its alike tasks one after the other.
//!   Each generator has guards that say which tasks are past the code that it does not preserve, and it is used only in
//!   states where all of them are.
//! - If a generator maps a state to itself, the tasks that it exchanges are redundant there, and the steps of one stand for
//!   those of the other.
//!
//! Which permutations were applied behind a step is found out again when it is needed. A trace is made by undoing them
//! (`reached.rs`); who moves in a bottom strongly connected component is found by following each task through them
//! (`graph.rs`). Monitors and formulas may tell alike tasks apart, so the reduction is off for them.

use rendez_analysis::access::Access;
use rendez_analysis::symmetry::{self, Permutation, symmetries};
use rendez_model::state::TaskState;
use rendez_model::{EntryId, Loc, Program, TaskId};
use rendez_verdict::Entries;

use crate::store::Layout;
use rendez_petri::slots::Slots;

pub struct Symmetry {
    generators: Vec<Generator>,
}

struct Generator {
    permutation: Permutation,
    /// The tasks that change places, the smaller first.
    pairs: Vec<(usize, usize)>,
    /// Slots that change, in order, and slots that have not changed so far.
    targets: Vec<SlotImage>,
    staying: Vec<SlotImage>,
    /// By location: a task there may still come to where the symmetry does not hold.
    too_early: Vec<bool>,
    guards: Vec<Guard>,
}

/// A task that may come to where a symmetry does not hold.
struct Guard {
    task: usize,
    /// By number of its contents: it cannot any more.
    past: Vec<bool>,
}

/// What a slot holds afterwards.
struct SlotImage {
    slot: usize,
    source: usize,
    places: Vec<usize>,
    /// By number of the source's content: the number of what it becomes, or [`SlotImage::UNKNOWN`].
    map: Vec<u32>,
}

/// A content that has not been renamed yet.
#[derive(Clone, Copy, Debug)]
pub struct Missing {
    generator: u16,
    target: u32,
    number: u32,
}

/// The symmetries that led from a state to the one that stands for it, by number.
pub type Factors = Vec<u16>;

impl Symmetry {
    /// None if the program has none that can be used.
    pub fn new(program: &Program, access: &Access, slots: &Slots) -> Option<Symmetry> {
        let generator = |symmetry: symmetry::Symmetry| {
            let (permutation, too_early) = (symmetry.permutation, symmetry.too_early);
            let early = |code: &Vec<Loc>| !too_early.is_empty() && code.iter().any(|l| too_early[l.index()]);
            let tasks = (0..program.tasks.len()).filter(|t| early(&access.code[*t]));
            let guards = tasks.map(|task| Guard { task, past: Vec::new() }).collect();
            let sources = slots.sources(&permutation)?.into_iter().enumerate();
            let staying = sources
                .map(|(slot, (source, places))| SlotImage { slot, source, places, map: Vec::new() })
                .collect();
            let mut pairs = Vec::new();
            for (t, u) in (0..program.tasks.len()).map(|t| (t, permutation.task(TaskId::from(t)).index())) {
                if t != u && !pairs.contains(&(t.min(u), t.max(u))) {
                    pairs.push((t.min(u), t.max(u)));
                }
            }
            Some(Generator { permutation, pairs, targets: Vec::new(), staying, too_early, guards })
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
                let early = |ts: &TaskState| {
                    let frames = ts.frames.iter().map(|f| f.site);
                    frames.chain([ts.pc]).any(|l| generator.too_early[l.index()])
                };
                for guard in &mut generator.guards {
                    for number in guard.past.len()..slots.count(guard.task) {
                        let ts = slots.task(guard.task, number as u32);
                        guard.past.push(ts.is_some_and(|ts| !early(ts)));
                    }
                }
                let mut moved = false;
                for target in generator.targets.iter_mut().chain(&mut generator.staying) {
                    for number in target.map.len()..slots.count(target.source) {
                        let from = (target.source, target.places.as_slice());
                        let image =
                            slots.renamed(&generator.permutation, from, number as u32, target.slot, false);
                        let to = image.unwrap_or(SlotImage::UNKNOWN);
                        moved |= target.source != target.slot || to as usize != number;
                        target.map.push(to);
                        again = true;
                    }
                }
                if moved {
                    let moves = |t: &SlotImage| {
                        t.source != t.slot || t.map.iter().enumerate().any(|(i, n)| i != *n as usize)
                    };
                    let (more, staying) = std::mem::take(&mut generator.staying).into_iter().partition(moves);
                    generator.staying = staying;
                    generator.targets.extend::<Vec<SlotImage>>(more);
                    generator.targets.sort_by_key(|t| t.slot);
                }
            }
        }
    }

    /// Adds the slots that are like some of the slots given.
    pub fn close(&self, slots: &mut Vec<usize>) {
        let mut next = 0;
        while next < slots.len() {
            let from = slots[next];
            for target in self.generators.iter().flat_map(|g| g.targets.iter().chain(&g.staying)) {
                for (a, b) in [(target.slot, target.source), (target.source, target.slot)] {
                    if a == from && !slots.contains(&b) {
                        slots.push(b);
                    }
                }
            }
            next += 1;
        }
    }

    /// Numbers what a content becomes.
    pub fn learn(&mut self, missing: Missing, slots: &mut Slots) {
        let generator = &mut self.generators[usize::from(missing.generator)];
        let target = &mut generator.targets[missing.target as usize];
        let from = (target.source, target.places.as_slice());
        let image = slots.renamed(&generator.permutation, from, missing.number, target.slot, true);
        target.map[missing.number as usize] = image.unwrap_or(SlotImage::UNKNOWN);
    }

    /// Replaces a state by the one that stands for it; notes how in `factors`.
    pub fn canonise(
        &self,
        layout: &Layout,
        words: &mut [u64],
        values: &mut Vec<u32>,
        factors: &mut Factors,
    ) -> Result<(), Missing> {
        factors.clear();
        layout.unpack(words, values);
        let canonical = self.sort(values, factors);
        if canonical.is_ok() && !factors.is_empty() {
            layout.pack_into(values, words);
        }
        canonical
    }

    fn sort(&self, values: &mut [u32], factors: &mut Factors) -> Result<(), Missing> {
        let mut images = Vec::new();
        let count = self.generators.len();
        // There and back, as long as something gets smaller.
        let mut back = false;
        loop {
            let so_far = factors.len();
            for k in 0..count {
                let i = if back { count - 1 - k } else { k };
                let generator = &self.generators[i];
                let missing = |(target, number): (usize, u32)| Missing {
                    generator: i as u16,
                    target: target as u32,
                    number,
                };
                if generator.is_smaller(values).map_err(missing)? {
                    images.clear();
                    for (k, target) in generator.targets.iter().enumerate() {
                        let image = target.image(values[target.source]);
                        images.push(image.map_err(|number| missing((k, number)))?);
                    }
                    for (target, image) in generator.targets.iter().zip(&images) {
                        values[target.slot] = *image;
                    }
                    factors.push(i as u16);
                }
            }
            if factors.len() == so_far {
                return Ok(());
            }
            back = !back;
        }
    }

    /// Finds the tasks whose steps in a state are the like of those of a task before them.
    pub fn redundant(&self, layout: &Layout, words: &[u64], redundant: &mut Vec<bool>, tasks: usize) {
        redundant.clear();
        redundant.resize(tasks, false);
        for generator in self.generators.iter().filter(|g| g.keeps(layout, words)) {
            generator.pairs.iter().for_each(|pair| redundant[pair.1] = true);
        }
    }

    /// Calls `f` with every two tasks that could change places in a state.
    pub fn each_pair(&self, layout: &Layout, words: &[u64], mut f: impl FnMut(usize, usize)) {
        for generator in self.generators.iter().filter(|g| g.keeps(layout, words)) {
            generator.pairs.iter().for_each(|pair| f(pair.0, pair.1));
        }
    }

    /// All factors as one permutation.
    pub fn permutation(&self, program: &Program, factors: &[u16]) -> Permutation {
        let identity = Permutation::identity(program);
        factors.iter().fold(identity, |all, i| self.generators[usize::from(*i)].permutation.after(&all))
    }

    /// Where a task goes.
    pub fn task(&self, factors: &[u16], task: TaskId) -> TaskId {
        factors.iter().fold(task, |task, i| self.generators[usize::from(*i)].permutation.task(task))
    }

    /// What happens at an entry may happen at all that are like it.
    pub fn spread(&self, program: &Program, entries: &mut Entries) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for generator in &self.generators {
                for e in (0..program.entries.len()).map(EntryId::from) {
                    let (called, accepted) = (entries.called[e.index()], entries.accepted[e.index()]);
                    again |= entries.add(generator.permutation.entry(e), called, accepted);
                }
            }
        }
    }
}

impl SlotImage {
    /// The image of a content that has not been renamed yet: no content has that number.
    const UNKNOWN: u32 = u32::MAX;

    /// The number of what a content becomes; the content, if that has no number yet.
    #[inline]
    fn image(&self, number: u32) -> Result<u32, u32> {
        match self.map[number as usize] {
            SlotImage::UNKNOWN => Err(number),
            image => Ok(image),
        }
    }
}

impl Generator {
    /// Whether it leads to the state itself.
    fn keeps(&self, layout: &Layout, words: &[u64]) -> bool {
        let same = |t: &SlotImage| t.image(layout.get(words, t.source)) == Ok(layout.get(words, t.slot));
        // Nobody can come any more to where the symmetry does not hold.
        let past = |g: &Guard| g.past[layout.get(words, g.task) as usize];
        self.guards.iter().all(past) && self.targets.iter().all(same)
    }

    /// Whether the state to which this one leads is smaller.
    #[inline]
    fn is_smaller(&self, values: &[u32]) -> Result<bool, (usize, u32)> {
        if !self.guards.iter().all(|g| g.past[values[g.task] as usize]) {
            return Ok(false);
        }
        for (k, target) in self.targets.iter().enumerate() {
            let new = target.image(values[target.source]).map_err(|number| (k, number))?;
            let old = values[target.slot];
            if new != old {
                return Ok(new < old);
            }
        }
        Ok(false)
    }
}
