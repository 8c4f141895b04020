//! The successors of a state, reduced.
//!
//! One state is expanded in one of four ways: by a task that only chooses for itself, by a stubborn set, by all tasks
//! except tasks of one orbit, or by all tasks without any reduction. What is followed is noted beside the state, because graphs and
//! traces expand states again and must follow the same steps.
//!
//! A *chooser* is a task whose next step is local but has several outcomes. Its step is a persistent set by itself
//! (Godefroid, LNCS 1032, 1996): nobody enables, disables or observes it. It goes first, unless all of its outcomes
//! were known already; then all tasks follow, so that a task which runs for ever does not hide the others (the proviso
//! of Bošnački and Holzmann, SPIN 2005, with "new state" as its test).
//!
//! With stubborn sets, a state from which a single deterministic step must be followed need not be stored. The chain of
//! such steps is collapsed: the expansion runs on, up to 64 steps, to a state with a choice. A chain ends before a step
//! that shows something to a check and, for branching time, before one that a formula observes or that depends on an
//! untracked value. Bounding the length keeps cycles of deterministic steps from running for ever; their states are
//! then stored like others.
//!
//! Most of the file is about speed, for the search without stubborn sets. States are expanded in batches, so that
//! memory is fetched for many lookups at a time; about half of all successors occurred a moment ago and are dropped by
//! a small cache of hashes; loops that the processor cannot predict are written without branches. States of one and two
//! words have code of their own.
//!
//! All threads read the same tables, which nobody changes meanwhile. Where something is not known, the expansion adds
//! nothing and says what is missing.

use std::ops::Range;

use crate::enabled::Enabled;
use crate::flat_tables::{FlatTables, TaskSteps};
use crate::index::Index;
use crate::level_workers::List;
use crate::search::Config;
use crate::store::{Layout, Patch, Store, Writer, apply};
use crate::stubborn::{LocatedState, LocationTable, Looking, Scratch, Stubborn};
use crate::symmetry::{Factors, Missing, Symmetry};
use rendez_petri::step_cache::DecisionTrees;
use rendez_petri::steps::Fate;

/// More blocked states than this are not kept: they differ only in data.
pub const MOST_BLOCKED: usize = 2_000;
/// Steps without a choice that are made at once.
const LONGEST_CHAIN: usize = 64;
/// States whose children are not told apart.
const SIBLINGS: u32 = 128;
/// As many hashes as fit where memory is near.
const RECENT_BITS: u32 = 14;

/// What all threads look at.
pub struct Shared<'a> {
    pub trees: &'a DecisionTrees,
    pub layout: &'a Layout,
    pub patches: &'a [Patch],
    pub store: &'a Store,
    pub config: &'a Config,
    pub stubborn: Option<&'a Stubborn>,
    pub symmetry: Option<&'a Symmetry>,
    pub locations: &'a [LocationTable],
    pub fast: Option<&'a Fast>,
    /// By outcome: it is visible to formulas of branching time.
    pub visible: &'a [bool],
    /// How often states were packed anew.
    pub version: u32,
}

/// What is known of steps once more, for the layout at hand, and how much that was.
pub struct Fast {
    pub known: usize,
    pub form: Form,
}

pub enum Form {
    Bits(Enabled),
    /// If there are too many outcomes.
    Flat(FlatTables),
}

/// Which steps of a state to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// As few as will do.
    Reduced,
    /// No task goes first any more: its steps led nowhere new.
    WithoutFirst,
    /// Without any reduction.
    Full,
}

/// Which steps of a state were followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Those of a task that goes first. Unless that leads nowhere new: a task that runs for ever must not hide the
    /// others.
    First,
    /// A stubborn set, and where it begins.
    Set(u32),
    All,
}

impl Followed {
    /// The mark of a state that was expanded fully, in a search with stubborn sets.
    const FULL: u32 = u32::MAX;

    /// As the store keeps it.
    fn mark(self) -> u32 {
        match self {
            Followed::First => 0,
            Followed::Set(start) => start + 1,
            Followed::All => Followed::FULL,
        }
    }

    /// Which steps of a state were followed, if the store has a mark of that. None: all, as usual.
    pub fn partly(store: &Store, id: u32) -> Option<Followed> {
        store.partial(id).map(|mark| match mark {
            0 => Followed::First,
            Followed::FULL => Followed::All,
            start => Followed::Set(start - 1),
        })
    }
}

/// What becomes of tasks whose steps are the like of those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orbit {
    OneMember,
    /// A way may have been found before it was known that they are alike.
    AllMembers,
}

/// The same, for looking at what was reached.
pub type View<'a> = Shared<'a>;

impl Shared<'_> {
    /// How many threads may look at it.
    pub fn threads(&self) -> usize {
        self.config.threads
    }

    fn here<'h>(&'h self, words: &'h [u64]) -> LocatedState<'h> {
        LocatedState { trees: self.trees, layout: self.layout, locations: self.locations, words }
    }

    /// With stubborn sets: goes on from a state as long as there is one step to follow only, so
    /// that just states with a choice are kept. Calls `f` with every outcome taken.
    fn collapse_chain(
        &self,
        from: &[u64],
        to: &mut [u64],
        scratch: &mut Scratch,
        mut f: impl FnMut(u32),
    ) -> Result<(), Unknown> {
        let Some(stubborn) = self.stubborn else { return Ok(()) };
        let mut before = from.to_vec();
        for _ in 0..LONGEST_CHAIN {
            if chooser(self.trees, self.layout, self.config, to)?.is_some() {
                return Ok(());
            }
            let words = &*to;
            let value = |slot: usize| self.layout.get(words, slot);
            let changed = |t: usize| self.layout.get(words, t) != self.layout.get(&before, t);
            scratch.moved_last.clear();
            scratch.moved_last.extend((0..self.trees.tasks()).map(changed));
            let singleton = stubborn.singleton(self.here(words), scratch);
            let singleton = singleton.map_err(|task| Unknown::Step(task, words.to_vec()))?;
            let Some(task) = singleton else { return Ok(()) };
            let range = self.trees.known(task as usize, value).unwrap_or(0..0);
            let number = range.start;
            let outcome = &self.trees.outcomes[number as usize];
            let visible =
                outcome.guessed || self.visible.get(number as usize).is_some_and(|visible| *visible);
            if range.len() != 1 || outcome.notable || (visible && self.config.branching.is_some()) {
                return Ok(());
            }
            before.copy_from_slice(to);
            apply(outcome, self.patches, to);
            f(number);
        }
        Ok(())
    }

    /// Calls `f` with every two tasks that could change places in a state.
    pub fn each_pair(&self, id: u32, f: impl FnMut(usize, usize)) {
        if let Some(symmetry) = self.symmetry {
            let mut words = vec![0; self.layout.words];
            self.store.read(id, &mut words);
            symmetry.each_pair(self.layout, &words, f);
        }
    }

    /// Calls `f` with every run of outcomes that was followed from a state, or cut, where it leads,
    /// and the factors that make it the state that stands for it.
    pub fn successors(
        &self,
        id: u32,
        orbit: Orbit,
        scratch: &mut Scratch,
        mut f: impl FnMut(&[u32], &[u64], &[u16]),
    ) {
        let mut looking = std::mem::take(&mut scratch.looking);
        let Looking { words, to, run, values, factors, alike, some } = &mut looking;
        words.resize(self.layout.words, 0);
        to.resize(self.layout.words, 0);
        self.store.read(id, words);
        let partial = Followed::partly(self.store, id);
        let plain = partial == Some(Followed::All);
        let one = match partial {
            Some(Followed::First) => chooser(self.trees, self.layout, self.config, words).ok().flatten(),
            _ => None,
        };
        let around = match (partial, self.stubborn) {
            (Some(Followed::Set(start)), Some(stubborn)) => {
                some.clear();
                let set = stubborn.set_around(self.here(words), start, scratch);
                some.extend_from_slice(set);
                true
            }
            _ => false,
        };
        alike.clear();
        alike.resize(self.trees.tasks(), false);
        if let (Some(symmetry), false, Orbit::OneMember) = (self.symmetry, around, orbit) {
            symmetry.redundant(self.layout, words, alike, self.trees.tasks());
        }
        for (task, is_redundant) in alike.iter().enumerate() {
            let left_out = match (one, around) {
                (Some(one), _) => one != task,
                (None, true) => !some.contains(&(task as u32)),
                (None, false) => *is_redundant,
            };
            if left_out {
                continue;
            }
            let known = self.trees.known(task, |slot| self.layout.get(words, slot));
            for number in known.unwrap_or(0..0) {
                let outcome = &self.trees.outcomes[number as usize];
                to.copy_from_slice(words);
                apply(outcome, self.patches, to);
                run.clear();
                run.push(number);
                if outcome.fate == Fate::Followed && !plain {
                    let _ = self.collapse_chain(words, to, scratch, |number| run.push(number));
                }
                factors.clear();
                if let Some(symmetry) = self.symmetry {
                    // Everything that is needed was learnt when the state was expanded.
                    let _ = symmetry.canonise(self.layout, to, values, factors);
                }
                f(run, to, factors);
            }
        }
        scratch.looking = looking;
    }
}

/// What each thread has for itself, and away from what others have.
#[derive(Default)]
#[repr(align(128))]
pub struct Worker {
    /// States that are expanded together.
    pub states: Vec<u64>,
    pub words: Vec<u64>,
    pub parent: Vec<u64>,
    pub found: Vec<u64>,
    /// Hashes of those found, and what the index says.
    pub hashes: Vec<u64>,
    pub entries: Vec<u32>,
    /// Hashes of states that were added or came up lately, by their first bits.
    pub recent: Vec<u64>,
    /// With another layout there are other hashes.
    pub recent_for: Option<u32>,
    pub writer: Writer,
    pub values: Vec<u32>,
    pub factors: Factors,
    /// Tasks whose steps are the like of those of others.
    pub redundant: Vec<bool>,
    /// Tasks whose steps had to be found in trees, though there are bits or flat tables; and those of the state at hand.
    pub missed: usize,
    pub unsure: Vec<u32>,
    pub transitions: usize,
    pub noted: Vec<bool>,
    pub notable: Vec<(u32, u32)>,
    pub blocked: Vec<u32>,
    pub deferred: Vec<u32>,
    /// States of which a task goes first, with what of the list that led to; and those where that was nothing new.
    pub first: Vec<(u32, Range<usize>)>,
    pub again: Vec<u32>,
    pub scratch: Scratch,
    /// Tasks that could move where a stubborn set was looked for, and those that were followed.
    pub tried: usize,
    pub followed: usize,
    /// States that came up.
    pub asked: usize,
    /// How often something was left out.
    pub reduced: usize,
    /// The state at hand is expanded without reductions.
    pub plain: bool,
    /// Of what others and this thread have found, what belongs to its segments: segments, places and numbers until
    /// all have numbers.
    pub fresh: Vec<(usize, usize, u32)>,
}

/// What is not known yet.
pub enum Unknown {
    /// The step of a task in some state.
    Step(usize, Vec<u64>),
    /// What a content becomes by a symmetry.
    Image(Missing),
}

/// A task that only chooses for itself, if there is one: it may as well go first.
#[inline]
fn chooser(
    trees: &DecisionTrees,
    layout: &Layout,
    config: &Config,
    words: &[u64],
) -> Result<Option<usize>, Unknown> {
    if config.lets_go_first() && trees.anyone_only_chooses() {
        for task in 0..trees.tasks() {
            let only_chooses = trees.only_chooses(task, layout.get(words, task));
            if only_chooses.ok_or_else(|| Unknown::Step(task, words.to_vec()))? {
                return Ok(Some(task));
            }
        }
    }
    Ok(None)
}

impl Worker {
    /// Expands a state; nothing is added if something is unknown.
    pub fn expand(
        &mut self,
        shared: &Shared,
        index: &mut Index,
        id: u32,
        expansion: Expansion,
    ) -> Result<(), Unknown> {
        let mut followed = self.find(shared, id, expansion)?;
        let before = shared.store.len();
        self.add_found(shared, index, (id, id));
        if followed == Followed::First && shared.store.len() == before {
            followed = self.find(shared, id, Expansion::WithoutFirst)?;
            self.add_found(shared, index, (id, id));
        }
        self.mark(shared, id, followed);
        Ok(())
    }

    /// Notes which steps of a state were followed.
    pub fn mark(&self, shared: &Shared, id: u32, followed: Followed) {
        match followed {
            Followed::All if !self.plain => {}
            followed => shared.store.set_partial(id, followed.mark()),
        }
    }

    /// Finds what a state leads to.
    pub fn find(&mut self, shared: &Shared, id: u32, expansion: Expansion) -> Result<Followed, Unknown> {
        // States of one or two words are common enough to deserve code of their own.
        match shared.layout.words {
            1 => self.find_words::<1>(shared, id, expansion),
            2 => self.find_words::<2>(shared, id, expansion),
            _ => self.find_words::<0>(shared, id, expansion),
        }
    }

    /// For states of `W` words; of any number if that is 0.
    fn find_words<const W: usize>(
        &mut self,
        shared: &Shared,
        id: u32,
        expansion: Expansion,
    ) -> Result<Followed, Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        self.words.resize(width, 0);
        shared.store.read(id, &mut self.words);
        self.plain = shared.stubborn.is_some() && expansion == Expansion::Full;
        self.found.clear();
        if expansion == Expansion::Reduced
            && let Some(task) = chooser(shared.trees, shared.layout, shared.config, &self.words)?
        {
            self.collect::<W>(shared, id, task)?;
            self.go_on::<W>(shared)?;
            return Ok(Followed::First);
        }
        let partly = !self.plain && shared.config.branching.is_none();
        if let Some(stubborn) = shared.stubborn.filter(|_| partly) {
            let mut scratch = std::mem::take(&mut self.scratch);
            self.last_movers(shared, id, &mut scratch.moved_last);
            let smallest = stubborn.smallest(shared.here(&self.words), &mut scratch);
            let smallest = match smallest {
                Ok(smallest) => smallest,
                Err(task) => {
                    self.scratch = scratch;
                    return Err(Unknown::Step(task, self.words.clone()));
                }
            };
            let start = smallest.map(|s| s.0);
            let (movers, chosen) = (stubborn.movers(&scratch), smallest.map(|s| s.1));
            self.asked += 1;
            self.tried += movers;
            self.followed += chosen.unwrap_or(movers);
            self.reduced += usize::from(chosen.is_some_and(|c| c < movers));
            if let Some(start) = start {
                for task in stubborn.set_around(shared.here(&self.words), start, &mut scratch) {
                    self.collect::<W>(shared, id, *task as usize)?;
                }
            }
            self.scratch = scratch;
            if let Some(start) = start {
                self.go_on::<W>(shared)?;
                return Ok(Followed::Set(start));
            }
        }
        self.find_redundant(shared);
        let moves = self.collect_all::<W>(shared, id)?;
        self.go_on::<W>(shared)?;
        if !moves && self.blocked.len() < MOST_BLOCKED {
            self.blocked.push(id);
        }
        Ok(Followed::All)
    }

    /// Expands some states without stubborn sets, from bits or flat tables, all at once: memory is fetched for
    /// many successors at a time. Stops before a state at which something is unknown.
    pub fn expand_batch(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        index: &mut Index,
        ids: Range<u32>,
    ) -> Result<(), (u32, Unknown)> {
        let parents = siblings(&ids);
        let done = self.collect_batch(shared, fast, ids);
        self.add_found(shared, index, parents);
        done
    }

    /// The same, but what is found is listed for those to whom its segments belong.
    pub fn list_batch(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        list: &mut List,
        ids: Range<u32>,
    ) -> Result<(), (u32, Unknown)> {
        let parents = siblings(&ids);
        let done = self.collect_batch(shared, fast, ids);
        self.list_found(shared, list, parents);
        done
    }

    /// Lists what was found from some states.
    pub fn list_found(&mut self, shared: &Shared, list: &mut List, parents: (u32, u32)) {
        match shared.layout.words {
            1 => self.sift(shared),
            width => {
                self.hash_all(shared, width);
                list.words.extend_from_slice(&self.found);
            }
        }
        list.hashes.extend_from_slice(&self.hashes);
        list.sign(parents);
    }

    /// Hashes of the states of several words that were found.
    fn hash_all(&mut self, shared: &Shared, width: usize) {
        self.hashes.clear();
        self.hashes.extend(self.found.chunks_exact(width).map(|words| shared.store.hash(words)));
    }

    /// Collects what some states lead to, up to one at which something is unknown.
    fn collect_batch(&mut self, shared: &Shared, fast: &Fast, ids: Range<u32>) -> Result<(), (u32, Unknown)> {
        match shared.layout.words {
            1 => self.collect_states::<1>(shared, fast, ids),
            2 => self.collect_states::<2>(shared, fast, ids),
            _ => self.collect_states::<0>(shared, fast, ids),
        }
    }

    fn collect_states<const W: usize>(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        ids: Range<u32>,
    ) -> Result<(), (u32, Unknown)> {
        let width = if W == 0 { shared.layout.words } else { W };
        self.words.resize(width, 0);
        self.found.clear();
        let mut unknown = None;
        let mut states = std::mem::take(&mut self.states);
        shared.store.read_all(ids.clone(), &mut states);
        for (id, words) in ids.zip(states.chunks_exact(width)) {
            self.words.copy_from_slice(words);
            let start = self.found.len();
            let collected = self.collect_fast::<W>(shared, fast, id);
            match collected.and_then(|moves| self.canonise(shared, start).map(|()| moves)) {
                Ok(true) => {}
                Ok(false) if self.blocked.len() < MOST_BLOCKED => self.blocked.push(id),
                Ok(false) => {}
                Err(stop) => {
                    self.found.truncate(start);
                    unknown = Some((id, stop));
                    break;
                }
            }
        }
        self.states = states;
        self.transitions += self.found.len() / width;
        unknown.map_or(Ok(()), Err)
    }

    /// Collects all successors of a state; whether some step is possible.
    #[inline]
    fn collect_fast<const W: usize>(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        id: u32,
    ) -> Result<bool, Unknown> {
        if shared.symmetry.is_some() || self.redundant.len() != shared.trees.tasks() {
            self.find_redundant(shared);
        }
        match &fast.form {
            Form::Bits(enabled) => self.collect_enabled::<W>(shared, enabled, id),
            Form::Flat(flat) => self.collect_flat::<W>(shared, flat, id),
        }
    }

    #[inline]
    fn collect_enabled<const W: usize>(
        &mut self,
        shared: &Shared,
        enabled: &Enabled,
        id: u32,
    ) -> Result<bool, Unknown> {
        let before = self.found.len();
        let mut moves = Some(false);
        // As many blocks at once as there are registers for.
        let mut from = 0;
        while from < enabled.blocks() && moves.is_some() {
            let left = enabled.blocks() - from;
            let some = match left {
                1 => self.collect_blocks::<W, 1>(shared, enabled, id, from),
                2 => self.collect_blocks::<W, 2>(shared, enabled, id, from),
                _ => self.collect_blocks::<W, 3>(shared, enabled, id, from),
            };
            moves = moves.zip(some).map(|(a, b)| a | b);
            from += left.min(3);
        }
        let Some(mut moves) = moves else {
            self.unsure.clear();
            self.found.truncate(before);
            self.missed += shared.trees.tasks();
            return self.collect_all::<W>(shared, id);
        };
        while let Some(task) = self.unsure.pop() {
            self.missed += 1;
            if !self.redundant[task as usize] {
                moves |= match self.collect::<W>(shared, id, task as usize) {
                    Ok(some) => some,
                    Err(unknown) => {
                        self.unsure.clear();
                        return Err(unknown);
                    }
                };
            }
        }
        Ok(moves)
    }

    /// Collects successors by outcomes whose bits are in some blocks; whether there are any. Tasks whose steps are not
    /// known are left for later; None if these may be any.
    #[inline]
    fn collect_blocks<const W: usize, const B: usize>(
        &mut self,
        shared: &Shared,
        enabled: &Enabled,
        id: u32,
        from: usize,
    ) -> Option<bool> {
        let width = if W == 0 { shared.layout.words } else { W };
        let mut allowed = enabled.allowed::<B>(&self.words[..width], from);
        if shared.symmetry.is_some() {
            for (task, _) in self.redundant.iter().enumerate().filter(|(_, redundant)| **redundant) {
                enabled.leave_out(task, from, &mut allowed);
            }
        }
        let mut moves = false;
        for (half, bits) in allowed.as_flattened().iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let bit = (from * 2 + half) * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if W == 1 && bit < enabled.plain {
                    let (keep, set) = enabled.effects[bit];
                    self.found.push(self.words[0] & keep | set);
                    moves = true;
                } else if let Some(outcome) = enabled.outcome(bit) {
                    self.follow::<W>(shared, id, outcome);
                    moves = true;
                } else {
                    self.unsure.push(enabled.unsure(bit)?);
                }
            }
        }
        Some(moves)
    }

    #[inline]
    fn collect_flat<const W: usize>(
        &mut self,
        shared: &Shared,
        flat: &FlatTables,
        id: u32,
    ) -> Result<bool, Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        let mut moves = false;
        for task in &flat.tasks {
            if self.redundant[task.task as usize] {
                continue;
            }
            let (first, last) = match flat.steps(task, &self.words[..width]) {
                TaskSteps::Nothing => continue,
                TaskSteps::Outcomes(first, last) => (first, last),
                TaskSteps::Slow => {
                    self.missed += 1;
                    moves |= self.collect::<W>(shared, id, task.task as usize)?;
                    continue;
                }
            };
            moves = true;
            if W == 1 {
                let (word, merged) = (self.words[0], &flat.merged[first as usize..last as usize]);
                self.found.extend(merged.iter().map(|(keep, bits)| word & keep | bits));
            } else {
                (first..last).for_each(|outcome| self.follow::<W>(shared, id, outcome));
            }
        }
        Ok(moves)
    }

    /// The tasks that changed on the way to a state.
    fn last_movers(&mut self, shared: &Shared, id: u32, movers: &mut Vec<bool>) {
        self.parent.resize(self.words.len(), 0);
        shared.store.read(*shared.store.parents(id).start(), &mut self.parent);
        let changed = |t: usize| shared.layout.get(&self.words, t) != shared.layout.get(&self.parent, t);
        movers.clear();
        movers.extend((0..shared.trees.tasks()).map(changed));
    }

    /// Collects the successors by steps of one task; whether it has a step at all.
    #[inline]
    fn collect<const W: usize>(&mut self, shared: &Shared, id: u32, task: usize) -> Result<bool, Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        let words = &self.words[..width];
        let known = shared.trees.known(task, |slot| shared.layout.get(words, slot));
        let range = known.ok_or_else(|| Unknown::Step(task, words.to_vec()))?;
        let moves = !range.is_empty();
        range.for_each(|number| self.follow::<W>(shared, id, number));
        Ok(moves)
    }

    /// Collects the successor by an outcome, if it is to be followed.
    #[inline]
    fn follow<const W: usize>(&mut self, shared: &Shared, id: u32, number: u32) {
        let width = if W == 0 { shared.layout.words } else { W };
        let outcome = &shared.trees.outcomes[number as usize];
        if outcome.notable {
            if self.noted.len() <= number as usize {
                self.noted.resize(number as usize + 1, false);
            }
            if !std::mem::replace(&mut self.noted[number as usize], true) {
                self.notable.push((number, id));
            }
            if outcome.fate != Fate::Followed {
                return;
            }
        }
        let start = self.found.len();
        self.found.extend_from_slice(&self.words[..width]);
        apply(outcome, shared.patches, &mut self.found[start..start + width]);
    }

    /// Collects all successors but those by redundant tasks; whether some step is possible.
    fn collect_all<const W: usize>(&mut self, shared: &Shared, id: u32) -> Result<bool, Unknown> {
        let mut moves = false;
        for task in 0..shared.trees.tasks() {
            if !self.redundant[task] {
                moves |= self.collect::<W>(shared, id, task)?;
            }
        }
        Ok(moves)
    }

    /// Goes on from what was collected to where there is a choice again, and to what stands for that.
    fn go_on<const W: usize>(&mut self, shared: &Shared) -> Result<(), Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        if shared.stubborn.is_some() && !self.plain {
            for start in (0..self.found.len()).step_by(width) {
                let to = &mut self.found[start..start + width];
                shared.collapse_chain(&self.words, to, &mut self.scratch, |_| {})?;
            }
        }
        self.canonise(shared, 0)?;
        self.transitions += self.found.len() / width;
        Ok(())
    }

    /// Adds what was found from some states.
    fn add_found(&mut self, shared: &Shared, index: &mut Index, parents: (u32, u32)) {
        match shared.layout.words {
            1 => {
                self.sift(shared);
                self.add_words(shared, index, parents);
            }
            _ => self.add_states(shared, index, parents),
        }
    }

    fn find_redundant(&mut self, shared: &Shared) {
        let tasks = shared.trees.tasks();
        match shared.symmetry {
            Some(symmetry) => symmetry.redundant(shared.layout, &self.words, &mut self.redundant, tasks),
            None => {
                self.redundant.clear();
                self.redundant.resize(tasks, false);
            }
        }
    }

    /// Replaces what was found by what stands for it.
    fn canonise(&mut self, shared: &Shared, from: usize) -> Result<(), Unknown> {
        if let Some(symmetry) = shared.symmetry {
            for words in self.found[from..].chunks_exact_mut(shared.layout.words) {
                let canonical = symmetry.canonise(shared.layout, words, &mut self.values, &mut self.factors);
                canonical.map_err(Unknown::Image)?;
            }
        }
        Ok(())
    }

    /// Makes hashes of states of one word, but for those that came up a little while ago, as half of them did.
    fn sift(&mut self, shared: &Shared) {
        let bits = (shared.store.len().ilog2() + 1).min(RECENT_BITS);
        // Hash 0 is that of the state in which all began: it is known.
        if self.recent_for != Some(shared.version) || self.recent.len() < 1 << bits {
            self.recent_for = Some(shared.version);
            self.recent.clear();
            self.recent.resize(1 << bits, 0);
        }
        let shift = 64 - self.recent.len().ilog2();
        self.hashes.resize(self.found.len(), 0);
        let mut kept = 0;
        for word in &self.found {
            let hash = shared.store.hash(std::slice::from_ref(word));
            let place = &mut self.recent[(hash >> shift) as usize];
            // Without a branch: nobody could tell in advance where it goes.
            self.hashes[kept] = hash;
            kept += usize::from(*place != hash);
            *place = hash;
        }
        self.hashes.truncate(kept);
    }

    /// Adds the states of one word that have the hashes at hand.
    ///
    /// First the places in the index are looked at, so that memory is fetched for all while the next is
    /// computed, and then what is not there is added.
    fn add_words(&mut self, shared: &Shared, index: &mut Index, parents: (u32, u32)) {
        let hashes = &mut self.hashes;
        let mut kept = 0;
        for i in 0..hashes.len() {
            let hash = hashes[i];
            hashes[kept] = hash;
            kept += usize::from(!index.segment(hash).is_first(hash));
        }
        shared.store.insert_words(index, &mut hashes[..kept], parents, &mut self.writer);
    }

    /// The same for the states of several words that were found.
    fn add_states(&mut self, shared: &Shared, index: &mut Index, parents: (u32, u32)) {
        let (width, store) = (shared.layout.words, shared.store);
        self.hash_all(shared, width);
        let hashes = &self.hashes;
        self.entries.clear();
        self.entries.extend(hashes.iter().map(|hash| index.segment(*hash).first(*hash)));
        store.look_at(index, self.entries.iter().copied().zip(hashes.iter().copied()));
        for (hash, words) in hashes.iter().zip(self.found.chunks_exact(width)) {
            store.insert(index.segment_mut(*hash), words, *hash, parents, &mut self.writer);
        }
    }
}

/// The numbers between which parents are noted to be: what is written seldom is seldom waited for.
fn siblings(ids: &Range<u32>) -> (u32, u32) {
    (ids.start / SIBLINGS * SIBLINGS, ids.end.saturating_sub(1) / SIBLINGS * SIBLINGS + SIBLINGS - 1)
}
