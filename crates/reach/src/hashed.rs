//! Searches that keep less than the states: for finding errors where memory is short.
//!
//! Two classical modes are decided here. *Hash compaction* (Wolper and Leroy, CAV 1993; Stern and Dill) keeps 64 bits
//! of a hash of each visited state. *Bitstate hashing* (Holzmann) sets three bits of one large array, a Bloom filter
//! whose positions come from two hashes by double hashing (Dillinger and Manolios, *Bloom filters in probabilistic
//! verification*, FMCAD 2004). In both, two states may look the same, and what lies behind the second is missed. Such a
//! search therefore shows errors but never their absence; the report says how likely it is that states were missed,
//! from the probability of a collision at each insertion.
//!
//! The search is depth first, so the path to a state is at hand as the stack and nothing else needs to be stored to
//! make a trace. The state itself is one vector that steps change and backtracking restores. Its hash is incremental,
//! in the manner of Zobrist: the exclusive or of one number per slot and content, of which a step changes only the few
//! slots that it writes.
//!
//! Neither stubborn sets nor symmetry is used. The only reduction is that a task which merely chooses for itself goes
//! first; if none of its choices leads to a new state, the steps of all other tasks follow, so no task is postponed for
//! ever. The findings of such a search are as certain as any others: they replay.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rendez_verdict::{Control, End, Options, Stats};

use rendez_petri::step_cache::StepCache;
use rendez_petri::steps::Fate;

/// What is kept of the states that were visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    #[default]
    States,
    /// 64 bits of a hash.
    Hashes,
    /// Three bits of an array.
    Bits,
}

enum Visited {
    Hashes { table: Vec<u64>, count: usize },
    Bits { array: Vec<u64>, ones: usize },
}

/// Bits that are set for a state.
const PROBES: u32 = 3;

impl Visited {
    fn new(keep: Keep, memory: usize) -> Visited {
        match keep {
            Keep::Bits => {
                // Half of the memory; the rest is for the way to the state at hand.
                let words = (memory / 16).max(1 << 10);
                let words = if words.is_power_of_two() { words } else { words.next_power_of_two() / 2 };
                Visited::Bits { array: vec![0; words], ones: 0 }
            }
            _ => Visited::Hashes { table: vec![0; 1 << 16], count: 0 },
        }
    }

    /// Whether a state was not seen before, as far as this can tell.
    fn insert(&mut self, hash: u64) -> bool {
        match self {
            Visited::Hashes { table, count } => {
                if *count > table.len() / 5 * 4 {
                    let larger = vec![0; table.len() * 2];
                    for hash in std::mem::replace(table, larger).into_iter().filter(|h| *h != 0) {
                        place(table, hash);
                    }
                }
                let new = place(table, hash.max(1));
                *count += usize::from(new);
                new
            }
            Visited::Bits { array, ones } => {
                let mask = (array.len() * 64 - 1) as u64;
                let step = mix(hash) | 1;
                let mut new = false;
                for k in 0..PROBES {
                    let bit = hash.wrapping_add(step.wrapping_mul(u64::from(k))) & mask;
                    let word = &mut array[(bit / 64) as usize];
                    if *word >> (bit % 64) & 1 == 0 {
                        *word |= 1 << (bit % 64);
                        *ones += 1;
                        new = true;
                    }
                }
                new
            }
        }
    }

    /// How likely it is that the next new state looks like one that was seen.
    fn risk(&self) -> f64 {
        match self {
            Visited::Hashes { count, .. } => *count as f64 / 2f64.powi(64),
            Visited::Bits { array, ones } => (*ones as f64 / (array.len() * 64) as f64).powi(PROBES as i32),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Visited::Hashes { table, .. } => table.len() * 8,
            Visited::Bits { array, .. } => array.len() * 8,
        }
    }
}

/// Puts a hash into a table; whether it was not there.
fn place(table: &mut [u64], hash: u64) -> bool {
    let mask = table.len() - 1;
    let mut at = hash as usize & mask;
    while table[at] != 0 {
        if table[at] == hash {
            return false;
        }
        at = (at + 1) & mask;
    }
    table[at] = hash;
    true
}

fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// What one slot adds to the hash of a state.
fn share(slot: usize, value: u32) -> u64 {
    mix(((slot as u64) << 32 | u64::from(value)).wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// A state on the way to the one at hand.
struct Level {
    /// The steps that are still to be followed.
    left: Vec<u32>,
    /// A task that only chooses for itself goes first: if that leads nowhere new, the others follow.
    others: bool,
    /// What the step that led here changed: slots and what they held.
    undo: Vec<(u32, u32)>,
    hash: u64,
}

/// What was found on the way to a state: the outcomes taken, and the contents of all slots.
pub struct PathState<'a> {
    pub path: &'a [u32],
    pub values: &'a [u32],
}

/// What such a search comes to.
pub struct HashedSearch {
    pub end: End,
    pub stats: Stats,
    /// How many states were missed, as far as can be expected.
    pub missed: f64,
}

/// Searches depth first. `visit` sees every state that was not seen before and whether it is stuck;
/// `notable` every outcome that shows something, before it is taken.
pub fn depth_first(
    cache: &mut StepCache,
    keep: Keep,
    options: &Options,
    control: &Control,
    mut visit: impl FnMut(&StepCache, PathState, bool),
    mut notable: impl FnMut(&StepCache, PathState, u32),
) -> HashedSearch {
    let started = Instant::now();
    let mut values = cache.start();
    let mut visited = Visited::new(keep, options.memory);
    let first = values.iter().enumerate().fold(0, |h, (slot, value)| h ^ share(slot, *value));
    visited.insert(first);
    let mut path: Vec<u32> = Vec::new();
    let (left, others) = steps(cache, &values, true);
    visit(cache, PathState { path: &path, values: &values }, left.is_empty());
    let mut levels = vec![Level { left, others, undo: Vec::new(), hash: first }];
    let mut noted: Vec<bool> = Vec::new();
    let mut stats = Stats { states: 1, ..Stats::default() };
    let (mut missed, mut peak, mut polls) = (0.0, 0, 0u32);
    let mut end = End::Complete;
    while !levels.is_empty() {
        polls = polls.wrapping_add(1);
        if polls.is_multiple_of(4096) {
            peak = peak.max(visited.memory() + cache.memory() + levels.len() * 130);
            if let Some(met) = limit(options, control, started, stats.states, peak) {
                end = met;
                break;
            }
        }
        let Some(level) = levels.last_mut() else { break };
        let Some(number) = level.left.pop() else {
            if std::mem::take(&mut level.others) {
                level.left = steps(cache, &values, false).0;
                continue;
            }
            for (slot, value) in &level.undo {
                values[*slot as usize] = *value;
            }
            levels.pop();
            path.pop();
            continue;
        };
        let outcome = &cache.trees.outcomes[number as usize];
        stats.transitions += 1;
        if outcome.notable {
            if noted.len() <= number as usize {
                noted.resize(number as usize + 1, false);
            }
            if !std::mem::replace(&mut noted[number as usize], true) {
                notable(cache, PathState { path: &path, values: &values }, number);
            }
            if outcome.fate != Fate::Followed {
                continue;
            }
        }
        let mut hash = level.hash;
        let changes = &cache.trees.changes[outcome.changes.0 as usize..outcome.changes.1 as usize];
        for (slot, value) in changes {
            hash ^= share(*slot as usize, values[*slot as usize]) ^ share(*slot as usize, *value);
        }
        if !visited.insert(hash) {
            continue;
        }
        level.others = false;
        missed += visited.risk();
        stats.states += 1;
        let replace =
            |(slot, value): &(u32, u32)| (*slot, std::mem::replace(&mut values[*slot as usize], *value));
        let undo = changes.iter().map(replace).collect();
        path.push(number);
        let (left, others) = steps(cache, &values, true);
        visit(cache, PathState { path: &path, values: &values }, left.is_empty());
        levels.push(Level { left, others, undo, hash });
    }
    stats.seconds = started.elapsed().as_secs_f64();
    stats.peak_bytes = peak.max(visited.memory() + cache.memory());
    HashedSearch { end, stats, missed }
}

/// The limit that a search meets, if it meets one.
fn limit(options: &Options, control: &Control, started: Instant, states: usize, bytes: usize) -> Option<End> {
    control.states.store(states, Ordering::Relaxed);
    if let Some(told) = control.ended() {
        Some(told)
    } else if options.timeout.is_some_and(|t| started.elapsed() > t) {
        Some(End::Time)
    } else if bytes > options.memory {
        Some(End::Memory)
    } else if states > options.max_states {
        Some(End::States)
    } else {
        None
    }
}

/// The outcomes of all tasks in a state; of one that only chooses for itself, and that there are
/// others, if there is one and it may go first.
fn steps(cache: &mut StepCache, values: &[u32], merge: bool) -> (Vec<u32>, bool) {
    let mut all = Vec::new();
    for task in 0..cache.trees.tasks() {
        if cache.trees.known(task, |slot| values[slot]).is_none() {
            cache.learn(task, values);
        }
        let own = cache.trees.known(task, |slot| values[slot]).unwrap_or(0..0);
        if merge && cache.trees.only_chooses(task, values[task]) == Some(true) && !own.is_empty() {
            return (own.collect(), true);
        }
        all.extend(own);
    }
    (all, false)
}
