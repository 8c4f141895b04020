//! Breadth-first search over packed states.
//!
//! A level is expanded by all threads at once, from tables that nobody changes meanwhile. States at
//! which something unknown turns up are set aside; one thread learns what they need afterwards and
//! expands them, which is also when a slot may need more bits and all states are packed anew.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

use rendez_evidence::{Control, End, Options, Stats};
use rendez_model::EntryId;
use rendez_model::semantics::Move;
use rendez_model::state::State;

use crate::network::{Network, Tables};
use crate::steps::Fate;
use crate::store::{Layout, MOST_STATES, Patch, Spare, Store, hash};

/// How to search.
#[derive(Clone, Debug)]
pub struct Config {
    pub threads: usize,
    /// A task that chooses for itself goes first.
    pub merge: bool,
}

/// Everything that was reached.
pub struct Reached<'s, 'p> {
    config: Config,
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
}

/// More blocked states than this are not kept: they differ only in data.
const MOST_BLOCKED: usize = 2_000;

/// What all threads look at.
struct Shared<'a> {
    tables: &'a Tables,
    layout: &'a Layout,
    patches: &'a [Patch],
    store: &'a Store,
    config: &'a Config,
}

/// What each thread has for itself.
#[derive(Default)]
struct Worker {
    words: Vec<u64>,
    found: Vec<u64>,
    hashes: Vec<u64>,
    spare: Spare,
    transitions: usize,
    noted: Vec<bool>,
    notable: Vec<(u32, u32)>,
    blocked: Vec<u32>,
    deferred: Vec<u32>,
}

/// A task whose step is not known yet.
struct Unknown(usize);

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
            if tables.is_alone(task, layout.get(words, task)).ok_or(Unknown(task))? {
                return Ok(Some(task));
            }
        }
    }
    Ok(None)
}

impl Worker {
    /// Expands a state; nothing is added if something is unknown.
    fn expand(&mut self, shared: &Shared, id: u32) -> Result<(), Unknown> {
        let width = shared.layout.words;
        self.words.resize(width, 0);
        shared.store.read(id, &mut self.words);
        let tasks = shared.tables.tasks();
        if let Some(task) = chooser(shared.tables, shared.layout, shared.config, &self.words)? {
            self.found.clear();
            self.collect(shared, id, task)?;
            // Unless it leads nowhere new: a task that runs for ever must not hide the others.
            if self.insert(shared, id) {
                shared.store.set_partial(id);
                return Ok(());
            }
        }
        self.found.clear();
        let mut moves = false;
        for task in 0..tasks {
            moves |= self.collect(shared, id, task)?;
        }
        self.insert(shared, id);
        if !moves && self.blocked.len() < MOST_BLOCKED {
            self.blocked.push(id);
        }
        Ok(())
    }

    /// Collects the successors by steps of one task; whether it has a step at all.
    #[inline]
    fn collect(&mut self, shared: &Shared, id: u32, task: usize) -> Result<bool, Unknown> {
        let words = &self.words;
        let known = shared.tables.known(task, |slot| shared.layout.get(words, slot));
        let range = known.ok_or(Unknown(task))?;
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
            self.found.extend_from_slice(&self.words);
            let to = &mut self.found[start..];
            for patch in &shared.patches[outcome.changes.0 as usize..outcome.changes.1 as usize] {
                patch.apply(to);
            }
        }
        Ok(moves)
    }

    /// Adds what was collected; whether something was new.
    fn insert(&mut self, shared: &Shared, id: u32) -> bool {
        let width = shared.layout.words;
        self.hashes.clear();
        // One pass to find the places, so that memory is fetched while the next is computed.
        let mut near = 0;
        for words in self.found.chunks_exact(width) {
            let hash = hash(words);
            near ^= shared.store.glance(hash);
            self.hashes.push(hash);
        }
        std::hint::black_box(near);
        let mut fresh = false;
        for (words, hash) in self.found.chunks_exact(width).zip(&self.hashes) {
            fresh |= shared.store.insert(words, *hash, id, &mut self.spare);
        }
        self.transitions += self.hashes.len();
        fresh
    }
}

/// Reaches every state, as far as limits allow. If it turns out that queues of some entries must be
/// followed that were thought to be quiet, the search has to start again: these are all of them.
pub fn search<'s, 'p>(
    mut network: Network<'s, 'p>,
    config: &Config,
    options: &Options,
    control: &Control,
) -> Result<Reached<'s, 'p>, Vec<EntryId>> {
    let started = Instant::now();
    let start = network.start();
    let layout = Layout::new(start.iter().map(|_| 2));
    let words = layout.pack(&start);
    let store = Store::new(layout.words, 1 << 12);
    store.insert(&words, hash(&words), 0, &mut Spare::default());
    let mut run = Run {
        network,
        layout,
        patches: Vec::new(),
        store,
        config,
        options,
        control,
        started,
        worker: Worker::default(),
        transitions: 0,
        network_bytes: 0,
        quiet_entries: 0,
        loud: false,
    };
    let known = run.network.steps.loud.borrow().len();
    run.quiet_entries = known;
    let end = run.levels();
    let loud = run.network.steps.loud.borrow().clone();
    if loud.len() > known {
        return Err(loud);
    }
    let mut worker = std::mem::take(&mut run.worker);
    worker.notable.sort_by_key(|n| n.1);
    worker.blocked.sort_unstable();
    let stats = Stats {
        states: run.store.len(),
        transitions: run.transitions + worker.transitions,
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: run.store.memory() + run.network.memory(),
    };
    Ok(Reached {
        config: config.clone(),
        network: run.network,
        layout: run.layout,
        patches: run.patches,
        store: run.store,
        blocked: worker.blocked,
        notable: worker.notable,
        end,
        stats,
    })
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
    worker: Worker,
    transitions: usize,
    network_bytes: usize,
    quiet_entries: usize,
    loud: bool,
}

/// States that a thread takes at a time.
const BLOCK: usize = 64;

impl Run<'_, '_, '_> {
    fn levels(&mut self) -> End {
        let mut from = 0;
        while from < self.store.len() {
            let to = self.store.len();
            // Small levels, and all while much is still to be learnt, are for one thread.
            let end = match self.config.threads > 1 && to - from > 4 * BLOCK {
                true => self.level_of_many(from as u32, to as u32),
                false => self.level_of_one(from as u32, to as u32),
            };
            if let Some(end) = end {
                return end;
            }
            from = to;
        }
        End::Complete
    }

    fn limit(&mut self) -> Option<End> {
        let states = self.store.len();
        self.control.states.store(states, Ordering::Relaxed);
        if self.loud || self.control.stop.load(Ordering::Relaxed) {
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
        let mut end = None;
        for id in from..to {
            if id % 1024 == 0 {
                end = self.limit();
                if end.is_some() {
                    break;
                }
            }
            end = self.expand(&mut worker, id);
            if end.is_some() {
                break;
            }
        }
        self.worker = worker;
        end
    }

    /// Expands a state, learning what is needed.
    fn expand(&mut self, worker: &mut Worker, id: u32) -> Option<End> {
        if self.store.is_crowded() {
            self.store.grow();
        }
        if self.config.threads > 1 && self.store.parent(id).is_none() {
            return None;
        }
        loop {
            let shared = Shared {
                tables: &self.network.tables,
                layout: &self.layout,
                patches: &self.patches,
                store: &self.store,
                config: self.config,
            };
            match worker.expand(&shared, id) {
                Ok(()) => return None,
                Err(Unknown(task)) => self.learn(id, task),
            }
            if self.loud || self.network.tables.outcomes.len().is_multiple_of(256) {
                self.network_bytes = self.network.memory();
                let end = self.limit();
                if end.is_some() {
                    return end;
                }
            }
        }
    }

    fn learn(&mut self, id: u32, task: usize) {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        let mut values = Vec::new();
        self.layout.unpack(&words, &mut values);
        self.network.learn(task, &values);
        self.loud |= self.network.steps.loud.borrow().len() > self.quiet_entries;
        let new = &self.network.tables.changes[self.patches.len()..];
        if new.iter().all(|(slot, value)| self.layout.fits(*slot as usize, *value)) {
            let layout = &self.layout;
            self.patches.extend(new.iter().map(|(slot, value)| layout.patch(*slot as usize, *value)));
        } else {
            self.pack_anew();
        }
    }

    /// Some slot needs more bits.
    fn pack_anew(&mut self) {
        let slots = &self.network.slots;
        let layout = Layout::new((0..slots.len()).map(|slot| slots.count(slot)));
        let store = Store::new(layout.words, self.store.len());
        let mut words = vec![0; self.layout.words];
        let mut values = Vec::new();
        for id in 0..self.store.len() as u32 {
            self.store.read(id, &mut words);
            self.layout.unpack(&words, &mut values);
            store.append(&layout.pack(&values), self.store.parent(id), self.store.is_partial(id));
        }
        self.patches = self
            .network
            .tables
            .changes
            .iter()
            .map(|(slot, value)| layout.patch(*slot as usize, *value))
            .collect();
        self.layout = layout;
        self.store = store;
    }

    fn level_of_many(&mut self, from: u32, to: u32) -> Option<End> {
        let position = AtomicU32::new(from);
        let pause = AtomicBool::new(false);
        let mut workers: Vec<Worker> = (0..self.config.threads).map(|_| Worker::default()).collect();
        workers[0] = std::mem::take(&mut self.worker);
        loop {
            let limit = self.limit();
            if limit.is_some() {
                self.join(workers);
                return limit;
            }
            if self.store.is_crowded() {
                self.store.grow();
            }
            pause.store(false, Ordering::Relaxed);
            let shared = Shared {
                tables: &self.network.tables,
                layout: &self.layout,
                patches: &self.patches,
                store: &self.store,
                config: self.config,
            };
            let budget = AtomicUsize::new(1 << 16);
            std::thread::scope(|scope| {
                for worker in &mut workers {
                    let (shared, position, pause, budget) = (&shared, &position, &pause, &budget);
                    scope.spawn(move || worker.run(shared, position, to, pause, budget));
                }
            });
            let deferred: Vec<u32> =
                workers.iter_mut().flat_map(|w| std::mem::take(&mut w.deferred)).collect();
            let mut first = std::mem::take(&mut workers[0]);
            let mut end = None;
            for id in deferred {
                end = self.expand(&mut first, id);
                if end.is_some() {
                    break;
                }
            }
            workers[0] = first;
            if end.is_some() || position.load(Ordering::Relaxed) >= to {
                self.join(workers);
                return end;
            }
        }
    }

    fn join(&mut self, mut workers: Vec<Worker>) {
        let mut first = workers.remove(0);
        self.store.discard(&mut first.spare);
        for mut other in workers {
            self.store.discard(&mut other.spare);
            self.transitions += other.transitions;
            for (outcome, state) in other.notable {
                if first.noted.len() <= outcome as usize {
                    first.noted.resize(outcome as usize + 1, false);
                }
                if !std::mem::replace(&mut first.noted[outcome as usize], true) {
                    first.notable.push((outcome, state));
                }
            }
            first.blocked.extend(other.blocked);
        }
        first.blocked.truncate(MOST_BLOCKED);
        self.worker = first;
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
            let block = position.fetch_add(BLOCK as u32, Ordering::Relaxed);
            if block >= to {
                return;
            }
            let left = budget.fetch_sub(BLOCK, Ordering::Relaxed);
            if left <= BLOCK * 16 || self.deferred.len() > 4096 || shared.store.is_crowded() {
                pause.store(true, Ordering::Relaxed);
            }
            for id in block..to.min(block + BLOCK as u32) {
                if shared.store.parent(id).is_some() && self.expand(shared, id).is_err() {
                    self.deferred.push(id);
                }
            }
        }
    }
}

impl Reached<'_, '_> {
    /// The state with a number.
    pub fn state(&self, id: u32) -> State {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        self.network.slots.state((0..self.network.slots.len()).map(|slot| self.layout.get(&words, slot)))
    }

    /// Calls `f` with every outcome that was followed from a state, or cut, and where it leads.
    pub fn successors(&self, id: u32, mut f: impl FnMut(u32, &[u64])) {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        let tables = &self.network.tables;
        let chosen = match self.store.is_partial(id) {
            true => chooser(tables, &self.layout, &self.config, &words).ok().flatten(),
            false => None,
        };
        let mut to = words.clone();
        for task in 0..tables.tasks() {
            if chosen.is_some_and(|c| c != task) {
                continue;
            }
            let known = tables.known(task, |slot| self.layout.get(&words, slot));
            for number in known.unwrap_or(0..0) {
                let outcome = &tables.outcomes[number as usize];
                to.copy_from_slice(&words);
                for change in outcome.changes.0..outcome.changes.1 {
                    self.patches[change as usize].apply(&mut to);
                }
                f(number, &to);
            }
        }
    }

    /// The outcomes that lead to a state from the start.
    pub fn path(&self, mut id: u32) -> Vec<u32> {
        let mut ids = vec![id];
        while id != 0 {
            id = self.store.parent(id).unwrap_or(0);
            ids.push(id);
        }
        ids.reverse();
        let mut target = vec![0; self.layout.words];
        let mut path = Vec::new();
        for pair in ids.windows(2) {
            self.store.read(pair[1], &mut target);
            let mut taken = None;
            self.successors(pair[0], |outcome, to| {
                let followed = self.network.tables.outcomes[outcome as usize].fate == Fate::Followed;
                if taken.is_none() && followed && to == target {
                    taken = Some(outcome);
                }
            });
            path.extend(taken);
        }
        path
    }

    /// The single moves that lead to a state.
    pub fn moves(&self, id: u32) -> Vec<Move> {
        let mut moves = self.network.first.moves.clone();
        for outcome in self.path(id) {
            moves.extend(&self.network.stories[outcome as usize].moves);
        }
        moves
    }
}
