//! Breadth-first search over packed states.
//!
//! The search applies outcomes that were learnt once (`rendez_petri`) to packed states, level by level. A level is
//! expanded from tables that nobody changes meanwhile, by all threads at once if it is large (`level_workers.rs`). A state at
//! which a step is not known is set aside; one thread learns what it needs afterwards and expands it. Learning may show
//! that a slot needs more bits. Then all states are packed anew, with bits to spare for slots that have been growing,
//! so that this happens seldom.
//!
//! Stubborn sets postpone steps, and some step might be postponed for ever: the ignoring problem. It is solved after
//! the search, in Valmari's way. In every bottom strongly connected component of the reduced graph, a task that could
//! move in some state, and that no edge of the component moves, is ignored; one such state is expanded fully, and the
//! search continues from there until no component ignores anything. Every other cycle can be left towards such a
//! component, so nothing else needs to be checked.
//!
//! A search may have to begin again, with what it has found out: if a queue that nobody seemed to observe must be
//! tracked after all, if stubborn sets leave almost nothing out, or if a task or object has so many contents that its
//! cells had better have slots of their own. Slow growth does not trigger a restart.
//!
//! Each level of enough states gets tables made for the layout at hand: bits (`enabled.rs`), or flat arrays where there
//! are too many outcomes (`flat_tables.rs`). With stubborn sets there are none, and the decision trees are asked.
//!
//! The index grows to the size that recent levels suggest: levels mostly shrink as they grew, so a level larger than
//! all before lets twice the number of states be expected.

use std::cell::OnceCell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rendez_model::EntryId;
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_verdict::{Control, End, Kind, Options, Stats};

use crate::enabled::Enabled;
use crate::expand::{Expansion, Fast, Followed, Form, MOST_BLOCKED, Shared, Unknown, Worker};
use crate::flat_tables::FlatTables;
use crate::graph::{GraphLimits, ReachabilityGraph, Roles};
use crate::hashed::Keep;
use crate::index::Index;
use crate::level_workers::{BATCH, LevelWorkers};
use crate::reached::Reached;
use crate::store::{Layout, MOST_STATES, Patch, Store};
use crate::stubborn::{LocationTable, Stubborn, update_locations};
use crate::symmetry::Symmetry;
use crate::visible::Visible;

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
    pub split_above: usize,
    /// What is visible to formulas of branching time. These are about every choice: each state that is kept is expanded
    /// wholly, and stubborn sets only say which steps are without a choice.
    pub branching: Option<Visible>,
    /// A call and the accept statement that takes it are one step where nobody can tell.
    pub synchronous: bool,
    /// Every wait begins with a step of its own: fairness asks who has come where.
    pub waits: bool,
    /// Forget cells that are read no more.
    pub forget: bool,
    /// Levels of so many states are worth bits and several threads; otherwise that is asked of what these cost.
    pub large: Option<usize>,
    /// The default checks that are asked for; all if there is none.
    pub wanted: Vec<Kind>,
    /// How long stubborn sets are tried before a plain search is. Where numbers of states must not depend on the speed of
    /// the machine, as long as it takes.
    pub at_once: Duration,
}

/// How long stubborn sets are tried first, if nobody says otherwise.
const AT_ONCE: Duration = Duration::from_millis(400);

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
            split_above: 64,
            branching: None,
            synchronous: true,
            waits: false,
            forget: true,
            large: None,
            at_once: AT_ONCE,
            wanted: Vec::new(),
        }
    }
}

impl Config {
    /// Whether a default check is asked for.
    pub fn wants(&self, kind: Kind) -> bool {
        self.wanted.is_empty() || self.wanted.contains(&kind)
    }

    /// Whether a task that only chooses for itself goes first: not where others could make use of its not having chosen.
    pub fn lets_go_first(&self) -> bool {
        self.merge && self.branching.is_none()
    }
}

/// Why a search must start again.
pub enum Restart {
    /// The queues of these entries must be followed.
    TrackQueues(Vec<EntryId>),
    /// Without stubborn sets.
    WithoutPor,
    /// With slots for the cells of those that have these slots.
    SplitSlots(Vec<usize>),
}

/// Reaches every state, as far as limits allow. If it turns out that queues of some entries must be
/// followed that were thought to be unobservable, or that stubborn sets leave nothing out, the search has to
/// start again.
pub fn search<'s, 'p>(
    cache: StepCache<'s, 'p>,
    config: &Config,
    options: &Options,
    control: &Control,
) -> Result<Reached<'s, 'p>, Restart> {
    let mut run = BreadthFirstSearch::new(cache, config, options, control);
    let end = run.everything();
    run.finish(end)
}

struct BreadthFirstSearch<'r, 's, 'p> {
    cache: StepCache<'s, 'p>,
    layout: Layout,
    patches: Vec<Patch>,
    store: Store,
    index: Index,
    config: &'r Config,
    options: &'r Options,
    control: &'r Control,
    started: Instant,
    worker: Worker,
    /// Of other threads.
    others: Vec<Worker>,
    transitions: usize,
    learning: Learning,
    stubborn: Option<Stubborn>,
    symmetry: Option<Symmetry>,
    locations: Vec<LocationTable>,
    fast: Option<Fast>,
    /// By outcome: it is visible to formulas of branching time.
    visible: Vec<bool>,
    packing: Packing,
    /// There are more than a few states.
    late: bool,
    outlook: Outlook,
    /// Once it is complete.
    graph: Option<ReachabilityGraph>,
}

/// What learning steps has cost, and what it has shown.
#[derive(Default)]
struct Learning {
    time: Duration,
    cache_bytes: usize,
    /// How many states there were when something was last learnt.
    last_at: usize,
    /// How many queues were tracked from the beginning.
    tracked_before: usize,
    must_track_queues: bool,
    /// Slots with too many contents.
    varied: Vec<usize>,
}

/// How often states were packed anew.
struct Packing {
    /// States that were packed anew.
    states: usize,
    /// By slot: how many contents it had when that was last done.
    counts: Vec<usize>,
    version: u32,
}

/// The limits that were set, and what they are about.
struct SearchLimits<'r> {
    options: &'r Options,
    control: &'r Control,
    started: Instant,
    store: &'r Store,
    other_bytes: usize,
}

impl SearchLimits<'_> {
    /// The limit that is met, if one is.
    fn end(&self) -> Option<End> {
        let states = self.store.len();
        self.control.states.store(states, Ordering::Relaxed);
        if let Some(told) = self.control.ended() {
            Some(told)
        } else if self.options.timeout.is_some_and(|t| self.started.elapsed() > t) {
            Some(End::Time)
        } else if self.store.memory() + self.other_bytes > self.options.memory {
            Some(End::Memory)
        } else if states > self.options.max_states.min(MOST_STATES) {
            Some(End::States)
        } else {
            None
        }
    }
}

impl<'r, 's, 'p> BreadthFirstSearch<'r, 's, 'p> {
    fn new(
        mut cache: StepCache<'s, 'p>,
        config: &'r Config,
        options: &'r Options,
        control: &'r Control,
    ) -> Self {
        let start = cache.start();
        let mut symmetry = match config.symmetry && cache.tig == Tig::Modified {
            true => {
                let steps = &cache.steps;
                Symmetry::new(steps.semantics.program, &steps.access, &cache.slots)
            }
            false => None,
        };
        if let Some(symmetry) = &mut symmetry {
            symmetry.update(&mut cache.slots);
            cache.count();
        }
        // At first every slot gets new contents again and again: there is room for some, unless slots are many.
        let room = 1 << (ROOMY / start.len().max(1)).clamp(1, MOST_SPARE + 1);
        let layout = Layout::new((0..start.len()).map(|slot| cache.slots.count(slot).max(room)));
        let steps = &cache.steps;
        let stubborn = match config.stubborn && config.merge {
            true => Stubborn::new(steps, &cache.slots),
            false => None,
        };
        let mut locations = vec![LocationTable::default(); steps.semantics.program.tasks.len()];
        update_locations(&mut locations, &cache.slots);
        let tracked_before = steps.tracked_queues.borrow().len();
        let words = layout.pack(&start);
        let counts = (0..start.len()).map(|slot| cache.slots.count(slot)).collect();
        let store = Store::new(&layout, stubborn.is_some());
        store.begin(&words);
        let index = store.index(1, 1);
        BreadthFirstSearch {
            cache,
            layout,
            patches: Vec::new(),
            store,
            index,
            config,
            options,
            control,
            started: Instant::now(),
            worker: Worker::default(),
            others: Vec::new(),
            transitions: 0,
            learning: Learning { tracked_before, ..Learning::default() },
            stubborn,
            symmetry,
            locations,
            fast: None,
            visible: Vec::new(),
            packing: Packing { states: 0, counts, version: 0 },
            late: false,
            outlook: Outlook::default(),
            graph: None,
        }
    }

    fn finish(mut self, end: End) -> Result<Reached<'s, 'p>, Restart> {
        if self.learning.must_track_queues {
            return Err(Restart::TrackQueues(self.cache.steps.tracked_queues.borrow().clone()));
        }
        if self.in_vain() {
            return Err(Restart::WithoutPor);
        }
        if !self.learning.varied.is_empty() {
            return Err(Restart::SplitSlots(self.learning.varied));
        }
        let (threads, until) = (self.threads(), self.until());
        let mut worker = std::mem::take(&mut self.worker);
        worker.notable.sort_by_key(|n| n.1);
        worker.blocked.sort_unstable();
        let stats = Stats {
            states: self.store.len(),
            transitions: self.transitions + worker.transitions,
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: self.store.memory() + self.cache.memory(),
            flow: None,
            ilp: None,
        };
        Ok(Reached {
            config: Config { threads, ..self.config.clone() },
            stubborn: self.stubborn,
            symmetry: self.symmetry,
            locations: self.locations,
            visible: self.visible,
            cache: self.cache,
            layout: self.layout,
            patches: self.patches,
            store: self.store,
            index: self.index,
            blocked: worker.blocked,
            notable: worker.notable,
            end,
            stats,
            learning: self.learning.time,
            left: self.options.memory.saturating_sub(stats.peak_bytes),
            until,
            graph: self.graph.map_or_else(OnceCell::new, |graph| OnceCell::from(Ok(graph))),
        })
    }

    /// Whether some task is alive in a state.
    fn reached_alive(&self, id: u32) -> bool {
        let mut words = vec![0; self.layout.words];
        self.store.read(id, &mut words);
        (0..self.cache.trees.tasks()).any(|t| {
            let number = self.layout.get(&words, t);
            self.cache.slots.task(t, number).is_some_and(|ts| rendez_verdict::alive(ts.status))
        })
    }
}

/// How many states are still to come, by how levels grow and shrink.
#[derive(Clone, Copy, Default)]
pub struct Outlook {
    largest: usize,
}

impl Outlook {
    /// So many states are to be expected, now that a level is to be expanded and there are some states.
    pub fn expect(&mut self, level: usize, states: usize) -> usize {
        let before = self.largest;
        self.largest = before.max(level);
        match level {
            // Levels shrink as they grew, mostly.
            level if level > before => 2 * states,
            level if level >= before / 10 * 9 => states + 2 * level,
            _ => states,
        }
    }
}

/// A task or object with one content for so many states does not multiply what there is to learn.
const STATES_A_CONTENT: usize = 1 << 14;
/// So many looks at trees take as long as making bits anew, for each thing that is known.
pub const MISSES: usize = 4;
/// States of a level that may be worth bits.
const LEAST_LEVEL: usize = 1 << 6;
/// States of a level that are worth several threads; and where there are no bits or flat tables.
const LARGE_LEVEL: usize = 1 << 11;
const LARGE_SLOW_LEVEL: usize = 1 << 8;
/// Bits of states that are few.
const ROOMY: usize = 64;
/// So many states are packed anew in no time, and so many soon.
const FEW: usize = 1 << 9;
const SOON: usize = 1 << 12;
/// Bits that slots have to spare, at most.
const MOST_SPARE: usize = 3;

impl BreadthFirstSearch<'_, '_, '_> {
    /// Reaches everything. Steps that stubborn sets leave out for ever are followed after all.
    fn everything(&mut self) -> End {
        let mut end = self.levels(0);
        let partly = self.stubborn.is_some() && self.config.branching.is_none();
        while end == End::Complete && partly && !self.config.deadlock_only {
            let from = self.store.len();
            let left = self.options.memory.saturating_sub(self.store.memory() + self.learning.cache_bytes);
            let graph = match ReachabilityGraph::new(&self.shared(), &self.index, self.limits(left)) {
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
                early = early.or(self.expand(&mut worker, id, Expansion::Full));
            }
            self.worker = worker;
            end = early.unwrap_or_else(|| self.levels(from));
        }
        end
    }

    /// What a graph may take, with so many bytes left.
    fn limits(&self, bytes: usize) -> GraphLimits<'_> {
        GraphLimits { bytes, until: self.until(), control: self.control }
    }

    fn until(&self) -> Option<Instant> {
        self.options.timeout.and_then(|t| self.started.checked_add(t))
    }

    /// States, one for each set of states that is never left, in which a task can move that is
    /// never followed in the whole set.
    fn ignored(&self, graph: &ReachabilityGraph) -> Vec<u32> {
        let view = self.shared();
        let tasks = self.cache.trees.tasks();
        let mut result = Vec::new();
        let mut words = vec![0; self.layout.words];
        for component in graph.bottom_components() {
            let mut followed = vec![false; tasks];
            let roles = Roles::new(&view, graph, &component);
            for id in &component {
                for outcome in graph.edges(*id).flat_map(|(run, _)| run) {
                    let task = self.cache.trees.outcomes[*outcome as usize].task;
                    followed[roles.of(*id, task.index())] = true;
                }
            }
            let ignored = component
                .iter()
                .copied()
                .filter(|id| Followed::partly(&self.store, *id).is_some_and(|p| p != Followed::All))
                .find(|id| {
                    self.store.read(*id, &mut words);
                    let value = |slot: usize| self.layout.get(&words, slot);
                    (0..tasks).any(|t| {
                        !followed[roles.of(*id, t)]
                            && self.cache.trees.known(t, value).is_none_or(|range| !range.is_empty())
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
            // At first there is room to spare, later on only where nothing new has come for long.
            let early = !std::mem::replace(&mut self.late, to > SOON) && self.late;
            self.narrow(if early { 0 } else { 2 * self.learning.last_at.max(FEW) });
            self.prepare(to - from);
            self.index.expect(self.outlook.expect(to - from, to));
            // Small levels are for one thread: those that are done before another one would have begun.
            let large = if self.fast.is_some() { LARGE_LEVEL } else { LARGE_SLOW_LEVEL };
            let large = self.config.large.unwrap_or(large);
            let done = match self.threads() > 1 && to - from > large {
                true => self.levels_of_many(from as u32, to as u32, large),
                false => self.level_of_one(from as u32, to as u32).map_or(Ok(to), Err),
            };
            match done {
                Ok(to) => from = to,
                Err(end) => return end,
            }
            if self.config.first_only && self.worker.blocked.iter().any(|id| self.reached_alive(*id)) {
                return End::Interrupted;
            }
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

    /// Makes bits or flat tables for a level, if it is large enough to be worth it.
    fn prepare(&mut self, states: usize) {
        let others = self.others.iter_mut().map(|worker| std::mem::take(&mut worker.missed));
        self.worker.missed += others.sum::<usize>();
        if self.stubborn.is_some() || (self.config.lets_go_first() && self.cache.trees.anyone_only_chooses())
        {
            self.fast = None;
            return;
        }
        let known = self.cache.trees.size();
        let worth = match &self.fast {
            Some(fast) => {
                fast.known < known && self.worker.missed > self.config.large.unwrap_or(MISSES * known)
            }
            // Among few states, what comes next is mostly not known yet.
            None => match self.config.large {
                Some(large) => states > large,
                None => self.store.len() >= FEW && states > (known / 4).max(LEAST_LEVEL),
            },
        };
        if worth {
            // Later on, room was asked for by what keeps coming.
            if self.store.len() < SOON {
                self.narrow(0);
            }
            self.worker.missed = 0;
            let (trees, slots) = (&self.cache.trees, &self.cache.slots);
            let counts = (0..slots.count_slots()).map(|slot| slots.count(slot));
            let form = match Enabled::new(trees, counts, &self.layout, &self.patches) {
                Some(enabled) => Form::Bits(enabled),
                None => Form::Flat(FlatTables::new(trees, &self.layout, &self.patches)),
            };
            self.fast = Some(Fast { known, form });
        }
    }

    fn limit(&self) -> Option<End> {
        let again = self.learning.must_track_queues || !self.learning.varied.is_empty() || self.in_vain();
        if again { Some(End::Interrupted) } else { self.bounds().end() }
    }

    fn bounds(&self) -> SearchLimits<'_> {
        SearchLimits {
            options: self.options,
            control: self.control,
            started: self.started,
            store: &self.store,
            other_bytes: self.learning.cache_bytes,
        }
    }

    fn level_of_one(&mut self, from: u32, to: u32) -> Option<End> {
        let mut worker = std::mem::take(&mut self.worker);
        let mut end = self.limit();
        let mut id = from;
        while id < to && end.is_none() {
            // Segments have room for single states, or make it.
            if id.is_multiple_of(BATCH) || self.fast.is_some() {
                self.make_room();
            }
            if let Some(fast) = self.fast.take() {
                if id % 1024 < BATCH {
                    end = self.limit();
                    if end.is_some() {
                        break;
                    }
                }
                let next = to.min(id + BATCH);
                let mut index = std::mem::take(&mut self.index);
                let expanded = worker.expand_batch(&self.shared(), &fast, &mut index, id..next);
                self.index = index;
                match expanded {
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
            end = self.expand(&mut worker, id, Expansion::Reduced);
            if end.is_some() {
                break;
            }
            id += 1;
            // While stubborn sets are looked for, states are slow: look at the clock more often.
            let late = || self.options.timeout.is_some_and(|t| self.started.elapsed() > t);
            let slow = self.cache.trees.tasks() > 64;
            if self.stubborn.is_some() && (id.is_multiple_of(64) || (slow && late())) {
                self.worker = worker;
                end = self.limit();
                worker = std::mem::take(&mut self.worker);
            }
        }
        self.worker = worker;
        end
    }

    /// Lets the index grow, if states must be read for that.
    fn make_room(&mut self) {
        if self.index.wants_room() {
            self.index = self.store.index(2 * self.store.len(), self.threads());
        }
    }

    fn shared(&self) -> Shared<'_> {
        Shared {
            trees: &self.cache.trees,
            layout: &self.layout,
            patches: &self.patches,
            store: &self.store,
            config: self.config,
            stubborn: self.stubborn.as_ref(),
            symmetry: self.symmetry.as_ref(),
            locations: &self.locations,
            fast: self.fast.as_ref(),
            visible: &self.visible,
            version: self.packing.version,
        }
    }

    /// Expands a state, learning what is needed.
    fn expand(&mut self, worker: &mut Worker, id: u32, expansion: Expansion) -> Option<End> {
        loop {
            let mut index = std::mem::take(&mut self.index);
            let expanded = worker.expand(&self.shared(), &mut index, id, expansion);
            self.index = index;
            match expanded {
                Ok(()) => return None,
                Err(unknown) => self.learn(unknown),
            }
            let again = self.learning.must_track_queues || !self.learning.varied.is_empty();
            if again || self.cache.trees.outcomes.len().is_multiple_of(256) {
                self.learning.cache_bytes = self.cache.memory();
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
                self.cache.learn(task, &values);
                self.learning.time += from.elapsed();
                if let Some(visible) = &self.config.branching {
                    visible.extend(&mut self.visible, &self.cache, task, &values);
                }
                let slots = &self.cache.slots;
                self.fast = self.fast.take().filter(|fast| match &fast.form {
                    Form::Bits(_) => true,
                    Form::Flat(flat) => flat.lasts(|slot| slots.count(slot)),
                });
            }
            (Unknown::Image(missing), Some(symmetry)) => symmetry.learn(missing, &mut self.cache.slots),
            (Unknown::Image(_), None) => {}
        }
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.update(&mut self.cache.slots);
            self.cache.count();
        }
        if self.stubborn.is_some() {
            update_locations(&mut self.locations, &self.cache.slots);
        }
        self.learning.must_track_queues |=
            self.cache.steps.tracked_queues.borrow().len() > self.learning.tracked_before;
        let new = &self.cache.trees.changes[self.patches.len()..];
        let slots = &self.cache.slots;
        // In a search that went far, contents that come slowly are no reason to begin again.
        let most = self.config.split_above.max(self.store.len() / STATES_A_CONTENT);
        let varied = |slot: usize| slots.count(slot) > most && slots.is_mixed(slot);
        if self.cache.tig == Tig::Modified && new.iter().any(|c| varied(c.0 as usize)) {
            self.learning.varied = new.iter().map(|c| c.0 as usize).filter(|s| varied(*s)).collect();
            if let Some(symmetry) = &self.symmetry {
                symmetry.close(&mut self.learning.varied);
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
        self.learning.last_at = self.store.len();
    }

    /// Some slot needs more bits.
    fn widen(&mut self) {
        // Where that happens again and again there is room for what comes, and as long as there are few states.
        self.packing.states += self.store.len();
        let spare = self.packing.states / (self.store.len() + 20_000) + usize::from(self.store.len() < FEW);
        self.pack_anew(Some(spare.min(MOST_SPARE)));
    }

    /// With more than some states, room for what may come is given up.
    fn narrow(&mut self, states: usize) {
        if self.store.len() <= states {
            return;
        }
        let slots = &self.cache.slots;
        let tight = Layout::new((0..slots.count_slots()).map(|slot| slots.count(slot)));
        if self.layout.bits > tight.bits + tight.bits / 16 {
            self.pack_anew(None);
        }
    }

    /// Packs all states anew, with bits to spare for slots that have been growing. What they got once they keep,
    /// or it would be asked for again; unless nothing is to be spared at all.
    fn pack_anew(&mut self, spare: Option<usize>) {
        self.fast = None;
        let slots = &self.cache.slots;
        self.packing.counts.resize(slots.count_slots(), 0);
        let room = |slot: usize| {
            let count = slots.count(slot).max(1);
            match spare {
                None => count,
                Some(spare) if count > self.packing.counts[slot].max(1) => {
                    (count << spare).max(self.layout.room(slot))
                }
                Some(spare) => count.max(self.layout.room(slot)).max(1 + spare / 2),
            }
        };
        let layout = Layout::new((0..slots.count_slots()).map(room));
        let store = Store::new(&layout, self.stubborn.is_some());
        store.take_over(&self.store, &self.layout.moves(&layout), self.threads());
        self.index = store.index(store.len(), self.threads());
        self.patches = self
            .cache
            .trees
            .changes
            .iter()
            .map(|(slot, value)| layout.patch(*slot as usize, *value))
            .collect();
        self.packing.counts = (0..slots.count_slots()).map(|slot| slots.count(slot)).collect();
        self.packing.version += 1;
        self.layout = layout;
        self.store = store;
    }

    /// Expands a level, and others behind it that are large; where the last one ends.
    fn levels_of_many(&mut self, from: u32, to: u32, large: usize) -> Result<usize, End> {
        // Whoever wants one state only looks what there is after each level. Threads that are at work go on to smaller
        // levels than those that they would begin with.
        let large = if self.config.first_only { usize::MAX } else { large / 8 };
        let mut workers = std::mem::take(&mut self.others);
        workers.insert(0, std::mem::take(&mut self.worker));
        workers.resize_with(self.threads(), Worker::default);
        let mut left = from..to;
        while !left.is_empty() {
            if let Some(end) = self.limit() {
                self.join(workers);
                return Err(end);
            }
            self.make_room();
            let mut index = std::mem::take(&mut self.index);
            let (bounds, shared) = (self.bounds(), self.shared());
            let limit = || bounds.end().is_some();
            let level = LevelWorkers::new(workers.len(), large, self.outlook, &limit);
            left = level.work(&mut workers, &shared, &mut index, left);
            self.index = index;
            let later = |w: &mut Worker| [std::mem::take(&mut w.again), std::mem::take(&mut w.deferred)];
            let deferred: Vec<u32> = workers.iter_mut().flat_map(later).flatten().collect();
            let mut first = std::mem::take(&mut workers[0]);
            let end = deferred.into_iter().find_map(|id| self.expand(&mut first, id, Expansion::Reduced));
            workers[0] = first;
            if let Some(end) = end {
                self.join(workers);
                return Err(end);
            }
        }
        self.join(workers);
        Ok(left.end as usize)
    }

    fn join(&mut self, mut workers: Vec<Worker>) {
        let mut first = workers.remove(0);
        for other in &mut workers {
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
