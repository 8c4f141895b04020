//! Breadth-first search over packed states.
//!
//! A level is expanded by all threads at once, from tables that nobody changes meanwhile. States at
//! which something unknown turns up are set aside; one thread learns what they need afterwards and
//! expands them, which is also when a slot may need more bits and all states are packed anew.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rendez_evidence::{Control, End, Options, Stats};
use rendez_model::EntryId;
use rendez_model::semantics::Move;
use rendez_model::state::State;
use rendez_model::symmetry::Renaming;

use crate::fast::{Fast, Found};
use crate::graph::{Graph, Limits, Roles};
use crate::hashed::Keep;
use crate::store::{Layout, MOST_STATES, Patch, Spare, Store, apply};
use crate::stubborn::{Looking, Places, Scratch, Stubborn, update_places};
use crate::symmetry::{Missing, Symmetry, Turns};
use rendez_network::network::{Network, Tables, Tig};
use rendez_network::steps::Fate;

/// How to search.
#[derive(Clone, Debug)]
pub struct Config {
    pub threads: usize,
    /// A task that chooses for itself goes first.
    pub merge: bool,
    /// Leave out orders of steps that lead to the same states.
    pub stubborn: bool,
    /// Of states that differ in which of several alike tasks is which, follow one.
    pub symmetry: bool,
    /// Only states in which nothing can happen are of interest.
    pub deadlock_only: bool,
    /// Stop at a state in which nothing can happen.
    pub first_only: bool,
    /// What to keep of states; with less than all of it, nothing is ever proved.
    pub keep: Keep,
    /// A task or object with more contents than this is stored cell by cell.
    pub whole: usize,
}

impl Default for Config {
    /// One thread, with all reductions.
    fn default() -> Config {
        Config {
            threads: 1,
            merge: true,
            stubborn: true,
            symmetry: true,
            deadlock_only: false,
            first_only: false,
            keep: Keep::States,
            whole: 64,
        }
    }
}

/// Why a search must start again.
pub enum Again {
    /// The queues of these entries must be followed.
    Loud(Vec<EntryId>),
    /// Without stubborn sets.
    Plainly,
    /// With slots for the cells of those that have these slots.
    Apart(Vec<usize>),
}

/// Everything that was reached.
pub struct Reached<'s, 'p> {
    config: Config,
    stubborn: Option<Stubborn>,
    pub symmetry: Option<Symmetry>,
    places: Vec<Places>,
    pub network: Network<'s, 'p>,
    pub layout: Layout,
    patches: Vec<Patch>,
    pub store: Store,
    /// States in which nothing can happen.
    pub blocked: Vec<u32>,
    /// Outcomes in which something notable happens, each with the first state it was seen in.
    pub notable: Vec<(u32, u32)>,
    pub end: End,
    pub stats: Stats,
    /// How long it took to learn what tasks can do.
    pub learning: Duration,
    /// Bytes that may still be used, and how long.
    left: usize,
    until: Option<Instant>,
    graph: OnceCell<Result<Graph, End>>,
}

/// More blocked states than this are not kept: they differ only in data.
const MOST_BLOCKED: usize = 2_000;

/// What all threads look at.
pub struct Shared<'a> {
    pub tables: &'a Tables,
    layout: &'a Layout,
    patches: &'a [Patch],
    pub store: &'a Store,
    config: &'a Config,
    stubborn: Option<&'a Stubborn>,
    pub symmetry: Option<&'a Symmetry>,
    places: &'a [Places],
    fast: Option<&'a Fast>,
    /// How often states were packed anew.
    version: u32,
}

/// What becomes of tasks whose steps are the like of those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twins {
    LeftOut,
    /// A way may have been found before it was known that they are alike.
    Followed,
}

/// The same, for looking at what was reached.
pub type View<'a> = Shared<'a>;

impl Shared<'_> {
    /// How many threads may look at it.
    pub fn threads(&self) -> usize {
        self.config.threads
    }

    /// With stubborn sets: goes on from a state as long as there is one step to follow only, so
    /// that just states with a choice are kept. Calls `f` with every outcome taken.
    fn slide(
        &self,
        from: &[u64],
        to: &mut [u64],
        scratch: &mut Scratch,
        mut f: impl FnMut(u32),
    ) -> Result<(), Unknown> {
        let Some(stubborn) = self.stubborn else { return Ok(()) };
        let mut before = from.to_vec();
        for _ in 0..LONGEST_SLIDE {
            if chooser(self.tables, self.layout, self.config, to)?.is_some() {
                return Ok(());
            }
            let words = &*to;
            let value = |slot: usize| self.layout.get(words, slot);
            let changed = |t: usize| self.layout.get(words, t) != self.layout.get(&before, t);
            scratch.moved_last.clear();
            scratch.moved_last.extend((0..self.tables.tasks()).map(changed));
            let smallest = stubborn.smallest(self.tables, self.layout, self.places, words, scratch);
            let smallest = smallest.map_err(|task| Unknown::Step(task, words.to_vec()))?;
            let Some((task, 1)) = smallest else { return Ok(()) };
            let range = self.tables.known(task as usize, value).unwrap_or(0..0);
            let number = range.start;
            let outcome = &self.tables.outcomes[number as usize];
            if range.len() != 1 || outcome.notable {
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
    /// and the turns that make it the state that stands for it.
    pub fn successors(
        &self,
        id: u32,
        twins: Twins,
        scratch: &mut Scratch,
        mut f: impl FnMut(&[u32], &[u64], &[u16]),
    ) {
        let mut looking = std::mem::take(&mut scratch.looking);
        let Looking { words, to, run, values, turns, alike, some } = &mut looking;
        words.resize(self.layout.words, 0);
        to.resize(self.layout.words, 0);
        self.store.read(id, words);
        let partial = self.store.partial(id);
        let plain = partial == Some(PLAIN);
        let one = match partial {
            Some(0) => chooser(self.tables, self.layout, self.config, words).ok().flatten(),
            _ => None,
        };
        let around = match (partial, self.stubborn) {
            (Some(start), Some(stubborn)) if start != 0 && !plain => {
                some.clear();
                let set = stubborn.around(self.tables, self.layout, self.places, words, start - 1, scratch);
                some.extend_from_slice(set);
                true
            }
            _ => false,
        };
        alike.clear();
        alike.resize(self.tables.tasks(), false);
        if let (Some(symmetry), false, Twins::LeftOut) = (self.symmetry, around, twins) {
            symmetry.twins(self.layout, words, alike, self.tables.tasks());
        }
        for (task, is_twin) in alike.iter().enumerate() {
            let left_out = match (one, around) {
                (Some(one), _) => one != task,
                (None, true) => !some.contains(&(task as u32)),
                (None, false) => *is_twin,
            };
            if left_out {
                continue;
            }
            let known = self.tables.known(task, |slot| self.layout.get(words, slot));
            for number in known.unwrap_or(0..0) {
                let outcome = &self.tables.outcomes[number as usize];
                to.copy_from_slice(words);
                apply(outcome, self.patches, to);
                run.clear();
                run.push(number);
                if outcome.fate == Fate::Followed && !plain {
                    let _ = self.slide(words, to, scratch, |number| run.push(number));
                }
                turns.clear();
                if let Some(symmetry) = self.symmetry {
                    // Everything that is needed was learnt when the state was expanded.
                    let _ = symmetry.settle(self.layout, to, values, turns);
                }
                f(run, to, turns);
            }
        }
        scratch.looking = looking;
    }
}

/// What each thread has for itself.
#[derive(Default)]
struct Worker {
    words: Vec<u64>,
    parent: Vec<u64>,
    found: Vec<u64>,
    /// Hash, which of those found it is, and what the index says.
    hashes: Vec<(u64, u32, u32)>,
    /// Hashes of states that were added or came up lately, by their first bits.
    recent: Vec<u64>,
    /// With another layout there are other hashes.
    recent_for: Option<u32>,
    /// The state from which each was found.
    owners: Vec<u32>,
    spare: Spare,
    values: Vec<u32>,
    turns: Turns,
    /// Tasks whose steps are the like of those of others.
    twins: Vec<bool>,
    transitions: usize,
    noted: Vec<bool>,
    notable: Vec<(u32, u32)>,
    blocked: Vec<u32>,
    deferred: Vec<u32>,
    scratch: Scratch,
    /// Tasks that could move where a stubborn set was looked for, and those that were followed.
    tried: usize,
    followed: usize,
    /// States that came up.
    asked: usize,
    /// How often something was left out.
    reduced: usize,
    /// The state at hand is expanded without reductions.
    plain: bool,
}

/// What is not known yet.
enum Unknown {
    /// The step of a task in some state.
    Step(usize, Vec<u64>),
    /// What a content becomes by a symmetry.
    Turn(Missing),
    /// Where to put the states that were found: there is no room for them.
    Room,
}

/// A task that only chooses for itself, if there is one: it may as well go first.
#[inline]
fn chooser(
    tables: &Tables,
    layout: &Layout,
    config: &Config,
    words: &[u64],
) -> Result<Option<usize>, Unknown> {
    if config.merge && tables.anyone_alone() {
        for task in 0..tables.tasks() {
            let alone = tables.is_alone(task, layout.get(words, task));
            if alone.ok_or_else(|| Unknown::Step(task, words.to_vec()))? {
                return Ok(Some(task));
            }
        }
    }
    Ok(None)
}

impl Worker {
    /// Expands a state; nothing is added if something is unknown.
    /// With `whole` no reduction is applied.
    fn expand(&mut self, shared: &Shared, id: u32, whole: bool) -> Result<(), Unknown> {
        // States of one or two words are common enough to deserve code of their own.
        match shared.layout.words {
            1 => self.expand_words::<1>(shared, id, whole),
            2 => self.expand_words::<2>(shared, id, whole),
            _ => self.expand_words::<0>(shared, id, whole),
        }
    }

    /// For states of `W` words; of any number if that is 0.
    fn expand_words<const W: usize>(&mut self, shared: &Shared, id: u32, whole: bool) -> Result<(), Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        self.words.resize(width, 0);
        shared.store.read(id, &mut self.words);
        let tasks = shared.tables.tasks();
        self.plain = shared.stubborn.is_some() && whole;
        if !whole && let Some(task) = chooser(shared.tables, shared.layout, shared.config, &self.words)? {
            self.found.clear();
            self.collect::<W>(shared, id, task)?;
            // Unless it leads nowhere new: a task that runs for ever must not hide the others.
            if self.insert::<W>(shared, id)? {
                shared.store.set_partial(id, 0);
                return Ok(());
            }
        }
        if let Some(stubborn) = shared.stubborn.filter(|_| !self.plain) {
            let mut scratch = std::mem::take(&mut self.scratch);
            self.last_movers(shared, id, &mut scratch.moved_last);
            let (tables, layout) = (shared.tables, shared.layout);
            let places = shared.places;
            let smallest = stubborn.smallest(tables, layout, places, &self.words, &mut scratch);
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
                self.found.clear();
                for task in stubborn.around(tables, layout, places, &self.words, start, &mut scratch) {
                    self.collect::<W>(shared, id, *task as usize)?;
                }
            }
            self.scratch = scratch;
            if let Some(start) = start {
                self.insert::<W>(shared, id)?;
                shared.store.set_partial(id, start + 1);
                return Ok(());
            }
        }
        self.found.clear();
        self.find_twins(shared);
        let mut moves = false;
        for task in 0..tasks {
            if !self.twins[task] {
                moves |= self.collect::<W>(shared, id, task)?;
            }
        }
        self.insert::<W>(shared, id)?;
        if self.plain {
            shared.store.set_partial(id, PLAIN);
        }
        if !moves && self.blocked.len() < MOST_BLOCKED {
            self.blocked.push(id);
        }
        Ok(())
    }

    /// Expands some states without reductions, from flat tables, all at once: memory is fetched for
    /// many successors at a time. Stops before a state at which something is unknown.
    fn expand_batch(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        ids: std::ops::Range<u32>,
    ) -> Result<(), (u32, Unknown)> {
        match shared.layout.words {
            1 => self.expand_fast::<1>(shared, fast, ids),
            2 => self.expand_fast::<2>(shared, fast, ids),
            _ => self.expand_fast::<0>(shared, fast, ids),
        }
    }

    fn expand_fast<const W: usize>(
        &mut self,
        shared: &Shared,
        fast: &Fast,
        ids: std::ops::Range<u32>,
    ) -> Result<(), (u32, Unknown)> {
        let width = if W == 0 { shared.layout.words } else { W };
        self.words.resize(width, 0);
        self.found.clear();
        self.owners.clear();
        let mut unknown = None;
        let (first, blocked) = (ids.start, self.blocked.len());
        for id in ids {
            if !shared.store.is_state(id) {
                continue;
            }
            shared.store.read(id, &mut self.words);
            let start = self.found.len();
            let collected = self.collect_fast::<W>(shared, fast, id);
            match collected.and_then(|moves| self.settle(shared, start).map(|()| moves)) {
                Ok(true) => {}
                Ok(false) if self.blocked.len() < MOST_BLOCKED => self.blocked.push(id),
                Ok(false) => {}
                Err(stop) => {
                    self.found.truncate(start);
                    unknown = Some((id, stop));
                    break;
                }
            }
            self.owners.resize(self.found.len() / width, id);
        }
        if self.insert_found::<W>(shared).is_none() {
            self.blocked.truncate(blocked);
            return Err((first, Unknown::Room));
        }
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
        let width = if W == 0 { shared.layout.words } else { W };
        let mut moves = false;
        let reduced = shared.symmetry.is_some();
        if reduced {
            self.find_twins(shared);
        }
        for task in &fast.tasks {
            if reduced && self.twins[task.task as usize] {
                continue;
            }
            let (first, last) = match fast.steps(task, &self.words[..width]) {
                Found::Nothing => continue,
                Found::Outcomes(first, last) => (first as usize, last as usize),
                Found::Slow => {
                    moves |= self.collect::<W>(shared, id, task.task as usize)?;
                    continue;
                }
            };
            moves = true;
            if W == 1 {
                let word = self.words[0];
                self.found.extend(fast.merged[first..last].iter().map(|(keep, bits)| word & keep | bits));
                continue;
            }
            for outcome in &shared.tables.outcomes[first..last] {
                let start = self.found.len();
                self.found.extend_from_slice(&self.words[..width]);
                let to = &mut self.found[start..start + width];
                apply(outcome, shared.patches, to);
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
        movers.extend((0..shared.tables.tasks()).map(changed));
    }

    /// Collects the successors by steps of one task; whether it has a step at all.
    #[inline]
    fn collect<const W: usize>(&mut self, shared: &Shared, id: u32, task: usize) -> Result<bool, Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        let words = &self.words[..width];
        let known = shared.tables.known(task, |slot| shared.layout.get(words, slot));
        let range = known.ok_or_else(|| Unknown::Step(task, words.to_vec()))?;
        let moves = !range.is_empty();
        for number in range {
            let outcome = &shared.tables.outcomes[number as usize];
            if outcome.notable {
                if self.noted.len() <= number as usize {
                    self.noted.resize(number as usize + 1, false);
                }
                if !std::mem::replace(&mut self.noted[number as usize], true) {
                    self.notable.push((number, id));
                }
                if outcome.fate != Fate::Followed {
                    continue;
                }
            }
            let start = self.found.len();
            self.found.extend_from_slice(&self.words[..width]);
            let to = &mut self.found[start..start + width];
            apply(outcome, shared.patches, to);
        }
        Ok(moves)
    }

    /// Adds what was collected; whether something was new.
    fn insert<const W: usize>(&mut self, shared: &Shared, id: u32) -> Result<bool, Unknown> {
        let width = if W == 0 { shared.layout.words } else { W };
        if shared.stubborn.is_some() && !self.plain {
            for start in (0..self.found.len()).step_by(width) {
                let to = &mut self.found[start..start + width];
                shared.slide(&self.words, to, &mut self.scratch, |_| {})?;
            }
        }
        self.settle(shared, 0)?;
        self.owners.clear();
        self.owners.resize(self.found.len() / width, id);
        self.insert_found::<W>(shared).ok_or(Unknown::Room)
    }

    fn find_twins(&mut self, shared: &Shared) {
        let tasks = shared.tables.tasks();
        match shared.symmetry {
            Some(symmetry) => symmetry.twins(shared.layout, &self.words, &mut self.twins, tasks),
            None => {
                self.twins.clear();
                self.twins.resize(tasks, false);
            }
        }
    }

    /// Replaces what was found by what stands for it.
    fn settle(&mut self, shared: &Shared, from: usize) -> Result<(), Unknown> {
        if let Some(symmetry) = shared.symmetry {
            for words in self.found[from..].chunks_exact_mut(shared.layout.words) {
                let settled = symmetry.settle(shared.layout, words, &mut self.values, &mut self.turns);
                settled.map_err(Unknown::Turn)?;
            }
        }
        Ok(())
    }

    /// Looks up states of one word, but for those that came up a little while ago: half of them did.
    fn sift(&mut self, shared: &Shared) {
        // Hash 0 is that of the state in which all began: it is known.
        if self.recent_for != Some(shared.version) {
            self.recent_for = Some(shared.version);
            self.recent.clear();
        }
        self.recent.resize(1 << RECENT_BITS, 0);
        self.hashes.resize(self.found.len(), (0, 0, 0));
        let mut kept = 0;
        for (word, which) in self.found.iter().zip(0..) {
            let hash = shared.store.hash(std::slice::from_ref(word));
            let place = &mut self.recent[(hash >> (64 - RECENT_BITS)) as usize];
            // Without a branch: nobody could tell in advance where it goes.
            self.hashes[kept] = (hash, which, 0);
            kept += usize::from(*place != hash);
            *place = hash;
        }
        self.hashes.truncate(kept);
        for (hash, _, entry) in &mut self.hashes {
            *entry = shared.store.first(*hash);
        }
    }

    /// Adds what was found, each from its owner; whether something was new. None if there is no room.
    ///
    /// First the places in the index are looked at, so that memory is fetched for all while the next is
    /// computed, and then what is not there is added.
    fn insert_found<const W: usize>(&mut self, shared: &Shared) -> Option<bool> {
        let width = if W == 0 { shared.layout.words } else { W };
        let coming = self.found.len() / width;
        if !shared.store.expect(coming) {
            return None;
        }
        let mut fresh = false;
        self.hashes.clear();
        match W {
            1 => self.sift(shared),
            _ => self.hashes.extend(self.found.chunks_exact(width).zip(0..).map(|(words, which)| {
                let hash = shared.store.hash(words);
                (hash, which, shared.store.first(hash))
            })),
        }
        if W != 1 {
            shared.store.look_at(self.hashes.iter().map(|(hash, _, entry)| (*entry, *hash)));
        }
        for (hash, which, entry) in &self.hashes {
            let words = &self.found[*which as usize * width..][..width];
            if !shared.store.is_at(*entry, *hash, words) {
                let owner = self.owners[*which as usize];
                fresh |= shared.store.insert(words, *hash, owner, &mut self.spare);
            }
        }
        shared.store.came(coming);
        self.transitions += coming;
        Some(fresh)
    }
}

/// Reaches every state, as far as limits allow. If it turns out that queues of some entries must be
/// followed that were thought to be quiet, or that stubborn sets leave nothing out, the search has to
/// start again.
pub fn search<'s, 'p>(
    network: Network<'s, 'p>,
    config: &Config,
    options: &Options,
    control: &Control,
) -> Result<Reached<'s, 'p>, Again> {
    let mut run = Run::new(network, config, options, control);
    let end = run.everything();
    run.finish(end)
}

struct Run<'r, 's, 'p> {
    network: Network<'s, 'p>,
    layout: Layout,
    patches: Vec<Patch>,
    store: Store,
    config: &'r Config,
    options: &'r Options,
    control: &'r Control,
    started: Instant,
    learning: Duration,
    worker: Worker,
    /// Of other threads.
    others: Vec<Worker>,
    transitions: usize,
    network_bytes: usize,
    quiet_entries: usize,
    loud: bool,
    /// Slots with too many contents.
    varied: Vec<usize>,
    stubborn: Option<Stubborn>,
    symmetry: Option<Symmetry>,
    places: Vec<Places>,
    fast: Option<Fast>,
    /// Numbers that no state has.
    holes: usize,
    /// States that were packed anew, and the contents of slots when that was last done.
    packed: usize,
    counts: Vec<usize>,
    version: u32,
    /// How many states there were when something was last learnt.
    learnt_at: usize,
    /// Once it is complete.
    graph: Option<Graph>,
}

impl<'r, 's, 'p> Run<'r, 's, 'p> {
    fn new(
        mut network: Network<'s, 'p>,
        config: &'r Config,
        options: &'r Options,
        control: &'r Control,
    ) -> Self {
        let start = network.start();
        let mut symmetry = match config.symmetry && network.tig == Tig::Modified {
            true => {
                let steps = &network.steps;
                Symmetry::new(steps.semantics.program, &steps.access, &network.slots)
            }
            false => None,
        };
        if let Some(symmetry) = &mut symmetry {
            symmetry.update(&mut network.slots);
            network.count();
        }
        let layout = Layout::new((0..start.len()).map(|slot| network.slots.count(slot).max(2)));
        let steps = &network.steps;
        let stubborn = match config.stubborn && config.merge {
            true => Stubborn::new(steps.semantics.program, &steps.access, &steps.quiet, &network.slots),
            false => None,
        };
        let mut places = vec![Places::default(); steps.semantics.program.tasks.len()];
        update_places(&mut places, &network.slots);
        let quiet_entries = steps.loud.borrow().len();
        let words = layout.pack(&start);
        let store = Store::new(&layout, 1 << 12, stubborn.is_some());
        store.insert(&words, store.hash(&words), 0, &mut Spare::default());
        Run {
            network,
            layout,
            patches: Vec::new(),
            store,
            config,
            options,
            control,
            started: Instant::now(),
            learning: Duration::ZERO,
            worker: Worker::default(),
            others: Vec::new(),
            transitions: 0,
            network_bytes: 0,
            quiet_entries,
            loud: false,
            varied: Vec::new(),
            stubborn,
            symmetry,
            places,
            fast: None,
            holes: 0,
            packed: 0,
            counts: Vec::new(),
            version: 0,
            learnt_at: 0,
            graph: None,
        }
    }

    fn finish(mut self, end: End) -> Result<Reached<'s, 'p>, Again> {
        if self.loud {
            return Err(Again::Loud(self.network.steps.loud.borrow().clone()));
        }
        if self.in_vain() {
            return Err(Again::Plainly);
        }
        if !self.varied.is_empty() {
            return Err(Again::Apart(self.varied));
        }
        let (threads, until) = (self.threads(), self.until());
        let mut worker = std::mem::take(&mut self.worker);
        worker.notable.sort_by_key(|n| n.1);
        worker.blocked.sort_unstable();
        let stats = Stats {
            states: self.store.len() - self.holes,
            transitions: self.transitions + worker.transitions,
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: self.store.memory() + self.network.memory(),
            flow: None,
            ilp: None,
        };
        Ok(Reached {
            config: Config { threads, ..self.config.clone() },
            stubborn: self.stubborn,
            symmetry: self.symmetry,
            places: self.places,
            network: self.network,
            layout: self.layout,
            patches: self.patches,
            store: self.store,
            blocked: worker.blocked,
            notable: worker.notable,
            end,
            stats,
            learning: self.learning,
            left: self.options.memory.saturating_sub(stats.peak_bytes),
            until,
            graph: self.graph.map_or_else(OnceCell::new, |graph| OnceCell::from(Ok(graph))),
        })
    }

    /// Whether some task is alive in a state.
    fn reached_alive(&self, id: u32) -> bool {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        (0..self.network.tables.tasks()).any(|t| {
            let number = self.layout.get(&words, t);
            self.network.slots.task(t, number).is_some_and(|ts| rendez_evidence::alive(ts.status))
        })
    }
}

/// The mark of a state that was expanded without stubborn sets, in a search with them.
const PLAIN: u32 = u32::MAX;
/// A task or object with one content for so many states does not multiply what there is to learn.
const STATES_A_CONTENT: usize = 1 << 14;
/// Bits that slots have to spare, at most.
const MOST_SPARE: usize = 3;
/// Steps without a choice that are made at once.
const LONGEST_SLIDE: usize = 64;
/// States that are expanded together.
const BATCH: u32 = 32;
/// As many hashes as fit where memory is near.
const RECENT_BITS: u32 = 14;
/// States that a thread takes at a time.
const BLOCK: u32 = 64;
const LONGEST_BLOCK: u32 = 1024;

impl Run<'_, '_, '_> {
    /// Reaches everything. Steps that stubborn sets leave out for ever are followed after all.
    fn everything(&mut self) -> End {
        let mut end = self.levels(0);
        while end == End::Complete && self.stubborn.is_some() && !self.config.deadlock_only {
            let from = self.store.len();
            let left = self.options.memory.saturating_sub(self.store.memory() + self.network_bytes);
            let graph = match Graph::new(&self.shared(), self.limits(left)) {
                Ok(graph) => graph,
                Err(end) => return end,
            };
            let ignored = self.ignored(&graph);
            if ignored.is_empty() {
                self.graph = Some(graph);
                break;
            }
            let mut worker = std::mem::take(&mut self.worker);
            let mut early = None;
            for id in ignored {
                early = early.or(self.expand(&mut worker, id, true));
            }
            self.worker = worker;
            end = early.unwrap_or_else(|| self.levels(from));
        }
        end
    }

    /// What a graph may take, with so many bytes left.
    fn limits(&self, bytes: usize) -> Limits<'_> {
        Limits { bytes, until: self.until(), control: self.control }
    }

    fn until(&self) -> Option<Instant> {
        self.options.timeout.and_then(|t| self.started.checked_add(t))
    }

    /// States, one for each set of states that is never left, in which a task can move that is
    /// never followed in the whole set.
    fn ignored(&self, graph: &Graph) -> Vec<u32> {
        let view = self.shared();
        let tasks = self.network.tables.tasks();
        let mut result = Vec::new();
        let mut words = vec![0; self.layout.words];
        for component in graph.bottom_components() {
            let mut followed = vec![false; tasks];
            let roles = Roles::new(&view, graph, &component);
            for id in &component {
                for outcome in graph.edges(*id).flat_map(|(run, _)| run) {
                    let task = self.network.tables.outcomes[*outcome as usize].task;
                    followed[roles.of(*id, task.index())] = true;
                }
            }
            let ignored = component
                .iter()
                .copied()
                .filter(|id| self.store.partial(*id).is_some_and(|p| p != PLAIN))
                .find(|id| {
                    self.store.read(*id, &mut words);
                    let value = |slot: usize| self.layout.get(&words, slot);
                    (0..tasks).any(|t| {
                        !followed[roles.of(*id, t)]
                            && self.network.tables.known(t, value).is_none_or(|range| !range.is_empty())
                    })
                });
            result.extend(ignored);
        }
        result
    }

    fn threads(&self) -> usize {
        self.config.threads + self.control.spare.load(Ordering::Relaxed)
    }

    fn levels(&mut self, mut from: usize) -> End {
        while from < self.store.len() {
            let to = self.store.len();
            self.narrow();
            self.prepare(to - from);
            // Small levels are for one thread: those that are done before another one would have begun.
            let small = if self.fast.is_some() { 16 * BLOCK } else { 4 * BLOCK };
            let end = match self.threads() > 1 && to - from > small as usize {
                true => self.level_of_many(from as u32, to as u32),
                false => self.level_of_one(from as u32, to as u32),
            };
            if let Some(end) = end {
                return end;
            }
            if self.config.first_only && self.worker.blocked.iter().any(|id| self.reached_alive(*id)) {
                return End::Interrupted;
            }
            from = to;
        }
        End::Complete
    }

    /// Whether stubborn sets leave so little out that looking for them costs more than it gains.
    fn in_vain(&self) -> bool {
        let worker = &self.worker;
        let enough = worker.asked > 20_000
            || (worker.asked > 500 && self.started.elapsed() > Duration::from_millis(500));
        // Where few tasks are left there is nothing to leave out; what counts is that something was.
        self.stubborn.is_some()
            && enough
            && worker.followed * 3 > worker.tried * 2
            && worker.reduced * 10 < worker.asked
    }

    /// Makes flat tables for a level, if it is large enough to be worth it.
    fn prepare(&mut self, states: usize) {
        let tables = &self.network.tables;
        let alone = self.config.merge && tables.anyone_alone();
        if self.stubborn.is_some() || alone || states * 4 < tables.size() {
            self.fast = None;
        } else if self.fast.as_ref().is_none_or(|f| f.built_for != tables.size()) {
            self.fast = Some(Fast::new(tables, &self.layout, &self.patches));
        }
    }

    fn limit(&mut self) -> Option<End> {
        let states = self.store.len();
        self.control.states.store(states, Ordering::Relaxed);
        let again = self.loud || !self.varied.is_empty() || self.in_vain();
        if again || self.control.stop.load(Ordering::Relaxed) {
            Some(End::Interrupted)
        } else if self.options.timeout.is_some_and(|t| self.started.elapsed() > t) {
            Some(End::Time)
        } else if self.store.memory() + self.network_bytes > self.options.memory {
            Some(End::Memory)
        } else if states > self.options.max_states.min(MOST_STATES) {
            Some(End::States)
        } else {
            None
        }
    }

    fn level_of_one(&mut self, from: u32, to: u32) -> Option<End> {
        let mut worker = std::mem::take(&mut self.worker);
        let mut end = self.limit();
        let mut id = from;
        while id < to && end.is_none() {
            if let Some(fast) = self.fast.take() {
                if id % 1024 < BATCH {
                    end = self.limit();
                    if end.is_some() {
                        break;
                    }
                }
                if self.store.is_crowded() {
                    self.store.grow(self.threads());
                }
                let next = to.min(id + BATCH);
                let shared = self.shared();
                match worker.expand_batch(&shared, &fast, id..next) {
                    Ok(()) => {
                        id = next;
                        self.fast = Some(fast);
                    }
                    Err((at, unknown)) => {
                        id = at;
                        self.fast = Some(fast);
                        self.learn(unknown);
                    }
                }
                continue;
            }
            if id.is_multiple_of(1024) || self.store.len() > self.options.max_states {
                end = self.limit();
                if end.is_some() {
                    break;
                }
            }
            end = self.expand(&mut worker, id, false);
            if end.is_some() {
                break;
            }
            id += 1;
            // While stubborn sets are looked for, states are slow: look at the clock more often.
            let late = || self.options.timeout.is_some_and(|t| self.started.elapsed() > t);
            let slow = self.network.tables.tasks() > 64;
            if self.stubborn.is_some() && (id.is_multiple_of(64) || (slow && late())) {
                self.worker = worker;
                end = self.limit();
                worker = std::mem::take(&mut self.worker);
            }
        }
        self.worker = worker;
        end
    }

    fn shared(&self) -> Shared<'_> {
        Shared {
            tables: &self.network.tables,
            layout: &self.layout,
            patches: &self.patches,
            store: &self.store,
            config: self.config,
            stubborn: self.stubborn.as_ref(),
            symmetry: self.symmetry.as_ref(),
            places: &self.places,
            fast: self.fast.as_ref(),
            version: self.version,
        }
    }

    /// Expands a state, learning what is needed.
    fn expand(&mut self, worker: &mut Worker, id: u32, whole: bool) -> Option<End> {
        if self.store.is_crowded() {
            self.store.grow(self.threads());
        }
        if !self.store.is_state(id) {
            return None;
        }
        loop {
            let shared = self.shared();
            match worker.expand(&shared, id, whole) {
                Ok(()) => return None,
                Err(unknown) => self.learn(unknown),
            }
            let again = self.loud || !self.varied.is_empty();
            if again || self.network.tables.outcomes.len().is_multiple_of(256) {
                self.network_bytes = self.network.memory();
                let end = self.limit();
                if end.is_some() {
                    return end;
                }
            }
        }
    }

    fn learn(&mut self, unknown: Unknown) {
        match (unknown, &mut self.symmetry) {
            (Unknown::Step(task, words), _) => {
                let mut values = Vec::new();
                self.layout.unpack(&words, &mut values);
                let from = Instant::now();
                self.network.learn(task, &values);
                self.learning += from.elapsed();
                let slots = &self.network.slots;
                self.fast = self.fast.take().filter(|fast| fast.lasts(|slot| slots.count(slot)));
            }
            (Unknown::Turn(missing), Some(symmetry)) => symmetry.learn(missing, &mut self.network.slots),
            (Unknown::Turn(_), None) => {}
            (Unknown::Room, _) => return self.store.grow(self.threads()),
        }
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.update(&mut self.network.slots);
            self.network.count();
        }
        if self.stubborn.is_some() {
            update_places(&mut self.places, &self.network.slots);
        }
        self.loud |= self.network.steps.loud.borrow().len() > self.quiet_entries;
        let new = &self.network.tables.changes[self.patches.len()..];
        let slots = &self.network.slots;
        // In a search that went far, contents that come slowly are no reason to begin again.
        let most = self.config.whole.max(self.store.len() / STATES_A_CONTENT);
        let varied = |slot: usize| slots.count(slot) > most && slots.is_mixed(slot);
        if self.network.tig == Tig::Modified && new.iter().any(|c| varied(c.0 as usize)) {
            self.varied = new.iter().map(|c| c.0 as usize).filter(|s| varied(*s)).collect();
            if let Some(symmetry) = &self.symmetry {
                symmetry.close(&mut self.varied);
            }
        }
        let fits = match self.symmetry {
            Some(_) => (0..slots.count_slots()).all(|s| self.layout.fits(s, slots.count(s) as u32 - 1)),
            None => new.iter().all(|(slot, value)| self.layout.fits(*slot as usize, *value)),
        };
        if fits {
            let layout = &self.layout;
            self.patches.extend(new.iter().map(|(slot, value)| layout.patch(*slot as usize, *value)));
        } else {
            self.widen();
        }
        self.learnt_at = self.store.len();
    }

    /// Some slot needs more bits.
    fn widen(&mut self) {
        // Where that happens again and again there is room for what comes.
        self.packed += self.store.len();
        self.pack_anew(Some((self.packed / (self.store.len() + 20_000)).min(MOST_SPARE)));
    }

    /// Where nothing new has come for long, room for it is given up.
    fn narrow(&mut self) {
        let slots = &self.network.slots;
        let tight = Layout::new((0..slots.count_slots()).map(|slot| slots.count(slot)));
        if self.store.len() > 2 * self.learnt_at && self.layout.bits > tight.bits + tight.bits / 16 {
            self.pack_anew(None);
        }
    }

    /// Packs all states anew, with bits to spare for slots that have been growing. What they got once they keep,
    /// or it would be asked for again; unless nothing is to be spared at all.
    fn pack_anew(&mut self, spare: Option<usize>) {
        self.fast = None;
        let slots = &self.network.slots;
        self.counts.resize(slots.count_slots(), 0);
        let room = |slot: usize| {
            let count = slots.count(slot).max(1);
            match spare {
                None => count,
                Some(spare) if count > self.counts[slot].max(1) => count << spare,
                Some(spare) => count.max(self.layout.room(slot)).max(1 + spare / 2),
            }
        };
        let layout = Layout::new((0..slots.count_slots()).map(room));
        let store = Store::new(&layout, self.store.len(), self.stubborn.is_some());
        store.take_over(&self.store, &self.layout.moves(&layout), self.threads());
        self.patches = self
            .network
            .tables
            .changes
            .iter()
            .map(|(slot, value)| layout.patch(*slot as usize, *value))
            .collect();
        self.counts = (0..slots.count_slots()).map(|slot| slots.count(slot)).collect();
        self.version += 1;
        self.layout = layout;
        self.store = store;
    }

    fn level_of_many(&mut self, from: u32, to: u32) -> Option<End> {
        let position = AtomicU32::new(from);
        let pause = AtomicBool::new(false);
        let mut workers = std::mem::take(&mut self.others);
        workers.insert(0, std::mem::take(&mut self.worker));
        workers.resize_with(self.threads(), Worker::default);
        workers.iter_mut().for_each(|w| w.spare.block = 256);
        loop {
            let limit = self.limit();
            if limit.is_some() {
                self.join(workers);
                return limit;
            }
            if self.store.is_crowded() {
                self.store.grow(self.threads());
            }
            pause.store(false, Ordering::Relaxed);
            let shared = self.shared();
            let budget = AtomicUsize::new(1 << 16);
            let (first, others) = workers.split_at_mut(1);
            std::thread::scope(|scope| {
                let (shared, position, pause, budget) = (&shared, &position, &pause, &budget);
                for worker in others {
                    scope.spawn(move || worker.run(shared, position, to, pause, budget));
                }
                first.iter_mut().for_each(|worker| worker.run(shared, position, to, pause, budget));
            });
            let deferred: Vec<u32> =
                workers.iter_mut().flat_map(|w| std::mem::take(&mut w.deferred)).collect();
            let mut first = std::mem::take(&mut workers[0]);
            let mut end = None;
            // What they lead to is kept apart: its parents are not those of what comes before and behind.
            self.holes += self.store.discard(&mut first.spare);
            for id in deferred {
                end = self.expand(&mut first, id, false);
                if end.is_some() {
                    break;
                }
            }
            self.holes += self.store.discard(&mut first.spare);
            workers[0] = first;
            if end.is_some() || position.load(Ordering::Relaxed) >= to {
                self.join(workers);
                return end;
            }
        }
    }

    fn join(&mut self, mut workers: Vec<Worker>) {
        let mut first = workers.remove(0);
        self.holes += self.store.discard(&mut first.spare);
        first.spare.block = 1;
        for other in &mut workers {
            self.holes += self.store.discard(&mut other.spare);
            self.transitions += std::mem::take(&mut other.transitions);
            for (outcome, state) in other.notable.drain(..) {
                if first.noted.len() <= outcome as usize {
                    first.noted.resize(outcome as usize + 1, false);
                }
                if !std::mem::replace(&mut first.noted[outcome as usize], true) {
                    first.notable.push((outcome, state));
                }
            }
            first.blocked.append(&mut other.blocked);
        }
        first.blocked.truncate(MOST_BLOCKED);
        self.worker = first;
        self.others = workers;
    }
}

impl Worker {
    /// One thread's share of a level.
    fn run(
        &mut self,
        shared: &Shared,
        position: &AtomicU32,
        to: u32,
        pause: &AtomicBool,
        budget: &AtomicUsize,
    ) {
        while !pause.load(Ordering::Relaxed) {
            // Neighbours lead to the same states: long blocks, but enough of them for everybody.
            let block = ((to - position.load(Ordering::Relaxed).min(to)) / 16).clamp(BLOCK, LONGEST_BLOCK);
            let (start, block) = (position.fetch_add(block, Ordering::Relaxed), block as usize);
            if start >= to {
                return;
            }
            let left = budget.fetch_sub(block, Ordering::Relaxed) as isize;
            if left <= block as isize * 2 || self.deferred.len() > 4096 || shared.store.is_crowded() {
                pause.store(true, Ordering::Relaxed);
            }
            let end = to.min(start + block as u32);
            if let Some(fast) = shared.fast {
                let mut id = start;
                while id < end {
                    let next = end.min(id + BATCH);
                    id = match self.expand_batch(shared, fast, id..next) {
                        Ok(()) => next,
                        Err((at, Unknown::Room)) => {
                            pause.store(true, Ordering::Relaxed);
                            self.deferred.extend(at..next);
                            next
                        }
                        Err((at, _)) => {
                            self.deferred.push(at);
                            at + 1
                        }
                    };
                }
                continue;
            }
            for id in start..end {
                if shared.store.is_state(id) && self.expand(shared, id, false).is_err() {
                    self.deferred.push(id);
                }
            }
        }
    }
}

impl Reached<'_, '_> {
    /// Bytes of the states and the table that finds them.
    pub fn states_memory(&self) -> usize {
        self.store.memory()
    }

    /// The state with a number.
    pub fn state(&self, id: u32) -> State {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        self.network
            .slots
            .state((0..self.network.slots.count_slots()).map(|slot| self.layout.get(&words, slot)))
    }

    pub fn view(&self) -> View<'_> {
        View {
            tables: &self.network.tables,
            layout: &self.layout,
            patches: &self.patches,
            store: &self.store,
            config: &self.config,
            stubborn: self.stubborn.as_ref(),
            symmetry: self.symmetry.as_ref(),
            places: &self.places,
            fast: None,
            version: 0,
        }
    }

    /// Whether steps were left out.
    pub fn is_reduced(&self) -> bool {
        self.stubborn.is_some()
    }

    /// All edges; the end if a limit is met.
    pub fn graph(&self, control: &Control) -> Result<&Graph, End> {
        let limits = Limits { bytes: self.left, until: self.until, control };
        self.graph.get_or_init(|| Graph::new(&self.view(), limits)).as_ref().map_err(|end| *end)
    }

    pub fn take_graph(&mut self, control: &Control) -> Option<Graph> {
        _ = self.graph(control);
        self.graph.take().and_then(Result::ok)
    }

    /// The outcomes that lead to a state from the start.
    pub fn path(&self, id: u32) -> Vec<u32> {
        self.edges(id).into_iter().flat_map(|e| e.1).collect()
    }

    /// On the way to a state: each state, the outcomes from there, and the turns after them.
    fn edges(&self, mut id: u32) -> Vec<(u32, Vec<u32>, Turns)> {
        let mut target = vec![0; self.layout.words];
        let mut path = Vec::new();
        let mut scratch = Scratch::default();
        while id != 0 {
            self.store.read(id, &mut target);
            let mut taken = None;
            // The first is the nearest to the start.
            for parent in self.store.parents(id).filter(|p| self.store.is_state(*p)) {
                self.view().successors(parent, Twins::Followed, &mut scratch, |run, to, turns| {
                    let followed = self.network.tables.outcomes[run[0] as usize].fate == Fate::Followed;
                    if taken.is_none() && followed && to == target {
                        taken = Some((parent, run.to_vec(), turns.to_vec()));
                    }
                });
                if taken.is_some() {
                    break;
                }
            }
            let Some(edge) = taken else { break };
            id = edge.0;
            path.push(edge);
        }
        path.reverse();
        path
    }

    /// A way to a state.
    pub fn way(&self, id: u32) -> Way {
        let steps = &self.network.steps;
        let program = steps.semantics.program;
        let mut way = Way {
            moves: self.network.first.moves.clone(),
            state: State::clone(&self.network.first.state),
            renaming: Renaming::identity(program),
        };
        // How the states at hand are turned; what really happens is turned back.
        let mut turned = Renaming::identity(program);
        for (from, run, turns) in self.edges(id) {
            let moves = run.iter().flat_map(|o| self.network.stories[*o as usize].moves.iter().copied());
            match way.renaming.is_identity() {
                true => way.moves.extend(moves),
                false => {
                    let run = steps.renamed(moves, &self.state(from), &way.renaming);
                    way.moves.extend(run.into_iter().map(|m| m.0));
                }
            }
            if let (Some(symmetry), false) = (&self.symmetry, turns.is_empty()) {
                turned = symmetry.renaming(program, &turns).after(&turned);
                way.renaming = turned.inverse();
            }
        }
        way.state = way.renaming.state(&self.state(id));
        way
    }
}

/// How a state is reached. Where there is symmetry, the state that stands for others is not the one
/// that is reached.
pub struct Way {
    pub moves: Vec<Move>,
    /// The state that is reached.
    pub state: State,
    /// What becomes of the names of tasks in the state that was kept.
    pub renaming: Renaming,
}
