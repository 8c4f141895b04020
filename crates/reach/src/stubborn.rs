//! Stubborn sets: which steps must be followed in a state so that the others can wait.
//!
//! This file computes, for a state, a small set of tasks whose steps represent the steps of all. The sets are strong
//! stubborn sets (Valmari, *Stubborn sets for reduced state space generation*, LNCS 483, 1991); Godefroid's persistent
//! sets (LNCS 1032, 1996) are close relatives. A *unit* is what a task does at one location where it rests: its step
//! there, with everything local that follows. A set of units is closed under two rules:
//! - with a unit that can happen now, it contains whatever could interfere: units that involve the same tasks where
//!   they are now, and units that read or write the same shared data;
//! - with a unit that cannot happen now, it contains all units one of which must happen first: those that bring the
//!   task there, or those that change what its step looked at in vain.
//!
//! Why this is right: no unit outside the set enables, disables or influences a unit inside, so whatever the others do
//! first can also be done afterwards. Closure only postpones steps; a step that is postponed for ever (the ignoring
//! problem) is found in the bottom strongly connected components of the reduced graph and followed there, which is
//! Valmari's solution (`search.rs`). Every finite execution is then the beginning of an explored one, up to the order
//! of independent steps. A step that a monitor sees writes the monitor's cell, so the order of visible steps is kept.
//!
//! Ours differs in two ways. What a unit reads and writes *now* is not over-approximated from the code: the step was
//! learnt from the semantics, so its decision tree says it exactly. The code is asked only about units elsewhere
//! (`stubborn/units.rs`). And the search for a set is memoised: what is known of the set around a task stays valid
//! until a task that the closure consulted changes.
//!
//! The smallest set is not guaranteed. Starts are tried in order, tasks that moved last first, with a bound on the size
//! that doubles, and the effort is capped. Where the sets turn out to leave almost nothing out, the search begins again
//! without them. Races have a search of their own, because the reduction does not keep which accesses are about to
//! happen together. Programs with aborts, asynchronous selects, requeues or tasks of the environment are searched
//! without stubborn sets. An earlier version ignored monitors and lost the order of independent events: a wrong *holds*
//! (docs/soundness.md).

use std::cell::Cell;
use std::sync::Arc;

use rendez_model::Action;
use rendez_verdict::alive;

use crate::maybe_number::MaybeNumber;
use crate::store::Layout;
use rendez_petri::slots::Slots;
use rendez_petri::step_cache::DecisionTrees;
use rendez_petri::steps::Steps;

mod units;
use units::CodeGraph;

/// What the code says about units.
pub struct Stubborn {
    tasks: usize,
    slots: usize,
    /// By location: the unit, if tasks rest there.
    unit_at: Vec<MaybeNumber>,
    units: Vec<Unit>,
    /// By task entry: units that call it.
    callers: Vec<Vec<u32>>,
    /// By slot of a task: units that change it though the task takes no part.
    intruders: Vec<Vec<u32>>,
    /// By slot or mark: units that look at it, and that change it. Of a task's slot, units of others that look at
    /// its cells.
    readers: Vec<Vec<u32>>,
    writers: Vec<Vec<u32>>,
}

#[derive(Default)]
struct Unit {
    task: u32,
    /// Entries that the task accepts here.
    accepts: Vec<u32>,
    /// The task only waits here for others.
    inert: bool,
    /// Units after which the task may be here.
    before: Vec<u32>,
    /// A plain call: the task that must accept it.
    acceptor: Option<u32>,
    /// Where that task accepts the call.
    accepted_at: Arc<[u32]>,
    /// Units one of which must happen before that task is at such a place.
    before_accept: Arc<[u32]>,
    /// Tasks that must all have ended before it can happen.
    awaits: Vec<u32>,
    /// Marks it looks at and changes: whether a task has come to its end.
    looks: Vec<u32>,
    marks: Vec<u32>,
}

/// Room for the search for a set, and what is still true of the state looked at before.
#[derive(Default)]
pub struct Scratch {
    /// By slot: its contents.
    values: Vec<u32>,
    at: Vec<MaybeNumber>,
    can_move: Vec<bool>,
    /// By task: a bit for each slot that its step looks at.
    watched: Vec<u64>,
    /// A bit for each slot that is no longer as it was, and for each task whose step looks at one.
    changed: Vec<u64>,
    altered: Vec<u64>,
    /// By task: what is known of the set around its step.
    set_sizes: Vec<SetSize>,
    /// By task: a bit for each task whose step matters for that.
    consulted: Vec<u64>,
    asked: Vec<u64>,
    /// Tasks that the last step changed.
    pub moved_last: Vec<bool>,
    chosen: Vec<u32>,
    seen: Vec<u32>,
    epoch: u32,
    work: Vec<u32>,
    needs: Vec<u32>,
    visits: usize,
    /// For looking at what was reached.
    pub looking: Looking,
}

/// What is known of the set around the step of one task.
#[derive(Clone, Copy, Default)]
enum SetSize {
    #[default]
    Unknown,
    AtLeast(usize),
    Known(usize),
}

/// Where tasks are and who can move; remembers whom it was asked about.
struct Positions<'s> {
    at: &'s [MaybeNumber],
    can_move: &'s [bool],
    consulted: &'s [Cell<u64>],
}

impl Positions<'_> {
    fn at(&self, task: usize) -> MaybeNumber {
        let word = &self.consulted[task / 64];
        word.set(word.get() | 1 << (task % 64));
        self.at[task]
    }

    /// Whether a task is at a unit and can move there.
    fn happens(&self, task: usize, unit: u32) -> bool {
        self.at(task) == MaybeNumber::of(unit) && self.can_move[task]
    }
}

/// A state, and what is known of its steps.
#[derive(Clone, Copy)]
pub struct LocatedState<'a> {
    pub trees: &'a DecisionTrees,
    pub layout: &'a Layout,
    pub locations: &'a [LocationTable],
    pub words: &'a [u64],
}

/// What is needed to list the successors of a state, kept from one to the next.
#[derive(Default)]
pub struct Looking {
    pub words: Vec<u64>,
    pub to: Vec<u64>,
    pub run: Vec<u32>,
    pub values: Vec<u32>,
    pub factors: Vec<u16>,
    pub alike: Vec<bool>,
    pub some: Vec<u32>,
}

impl Stubborn {
    /// None if the program does something that stubborn sets do not cover.
    pub fn new(steps: &Steps, slots: &Slots) -> Option<Stubborn> {
        use Action::*;
        let covered = |a: &Action| {
            !matches!(a, Requeue { .. } | Abort { .. } | Async { .. } | Close { .. } | EndAsync { .. })
        };
        let (unobservable, mut nodes) = (&steps.unobservable, steps.semantics.program.nodes.iter());
        if !unobservable.no_interrupts || unobservable.background || !nodes.all(|n| covered(&n.action)) {
            return None;
        }
        Some(CodeGraph::new(steps, slots).stubborn())
    }

    /// Looks for the smallest set of tasks whose steps must be followed in a state: a task from
    /// which it is built, and how many there are. None if no task can move, or if all steps must be
    /// followed. An error is a task whose step is not known.
    pub fn smallest(&self, here: LocatedState, scratch: &mut Scratch) -> Result<Option<(u32, usize)>, usize> {
        self.smallest_below(usize::MAX, here, scratch)
    }

    /// A task whose step is a stubborn set by itself, if there is one.
    pub fn singleton(&self, here: LocatedState, scratch: &mut Scratch) -> Result<Option<u32>, usize> {
        let found = self.smallest_below(2, here, scratch)?;
        Ok(found.filter(|f| f.1 == 1).map(|f| f.0))
    }

    /// The smallest set with fewer tasks than that.
    fn smallest_below(
        &self,
        limit: usize,
        here: LocatedState,
        scratch: &mut Scratch,
    ) -> Result<Option<(u32, usize)>, usize> {
        let movers = self.look(here, scratch)?;
        if movers == 1 {
            return Ok(scratch.can_move.iter().position(|m| *m).map(|t| (t as u32, 1)));
        }
        scratch.visits = 0;
        let mut best: Option<(u32, usize)> = None;
        // Small sets are looked for first: large ones take long.
        let mut most = 2;
        while movers > 0 && best.is_none() {
            // Those that moved last come first: one thing is finished before the next is begun.
            for last in [true, false] {
                for start in (0..self.tasks).rev() {
                    if !scratch.can_move[start] || scratch.moved_last[start] != last {
                        continue;
                    }
                    let limit = best.map_or(most.min(movers), |b| b.1);
                    let count = match scratch.set_sizes[start] {
                        SetSize::Known(count) => Some(count).filter(|c| *c < limit),
                        SetSize::AtLeast(count) if count >= limit => None,
                        _ => self.close(here.trees, start as u32, limit, scratch),
                    };
                    if let Some(count) = count {
                        best = Some((start as u32, count));
                    }
                    if best.is_some_and(|b| b.1 == 1) || scratch.visits > 1000 + 20 * self.units.len() {
                        return Ok(best);
                    }
                }
            }
            if most >= movers.min(limit) {
                break;
            }
            most *= 2;
        }
        Ok(best)
    }

    /// How many tasks could move in the state that was looked at last.
    pub fn movers(&self, scratch: &Scratch) -> usize {
        scratch.can_move.iter().filter(|m| **m).count()
    }

    /// The tasks whose steps are followed with that of one task.
    pub fn set_around<'c>(&self, here: LocatedState, start: u32, scratch: &'c mut Scratch) -> &'c [u32] {
        scratch.chosen.clear();
        if self.look(here, scratch).is_ok() {
            self.close(here.trees, start, usize::MAX, scratch);
        }
        &scratch.chosen
    }

    /// Closes the set around the step of one task: the tasks to follow are in `scratch.chosen`.
    /// How many, if fewer than `limit`.
    fn close(&self, trees: &DecisionTrees, start: u32, limit: usize, scratch: &mut Scratch) -> Option<usize> {
        scratch.epoch += 1;
        scratch.seen.resize(self.units.len(), 0);
        scratch.chosen.clear();
        let epoch = scratch.epoch;
        let mut work = std::mem::take(&mut scratch.work);
        let mut list = std::mem::take(&mut scratch.needs);
        work.clear();
        let width = self.tasks.div_ceil(64);
        let mut consulted = std::mem::take(&mut scratch.asked);
        consulted.clear();
        consulted.resize(width, 0);
        let positions = Positions {
            at: &scratch.at,
            can_move: &scratch.can_move,
            consulted: Cell::from_mut(&mut consulted[..]).as_slice_of_cells(),
        };
        let mut least = 0;
        let values = &scratch.values;
        // Who can move is at a unit.
        let first = positions.at(start as usize).get()?;
        scratch.seen[first as usize] = epoch;
        work.push(first);
        while let Some(unit) = work.pop() {
            scratch.visits += 1;
            let task = self.units[unit as usize].task as usize;
            if positions.happens(task, unit) {
                scratch.chosen.push(task as u32);
                if scratch.chosen.len() >= limit {
                    break;
                }
                // What is around that one is around this one.
                if let SetSize::AtLeast(count) | SetSize::Known(count) = scratch.set_sizes[task]
                    && count >= limit
                    && task != start as usize
                {
                    let theirs = &scratch.consulted[task * width..][..width];
                    positions.consulted.iter().zip(theirs).for_each(|(a, b)| a.set(a.get() | b));
                    least = count;
                    break;
                }
            }
            let seen = &scratch.seen;
            list.clear();
            let inside = |u: u32| seen[u as usize] == epoch;
            self.needs(trees, values, unit, &positions, inside, |n| list.push(n));
            for next in &list {
                if std::mem::replace(&mut scratch.seen[*next as usize], epoch) != epoch {
                    work.push(*next);
                }
            }
            scratch.visits += list.len() / 32;
        }
        scratch.needs = list;
        scratch.work = work;
        scratch.consulted[start as usize * width..][..width].copy_from_slice(&consulted);
        scratch.asked = consulted;
        let count = least.max(scratch.chosen.len());
        scratch.set_sizes[start as usize] = match count < limit {
            true => SetSize::Known(count),
            false => SetSize::AtLeast(count),
        };
        (count < limit).then_some(count)
    }

    /// Finds out where tasks are and who can move; how many can. An error is a task whose step is not
    /// known.
    fn look(&self, here: LocatedState, scratch: &mut Scratch) -> Result<usize, usize> {
        let LocatedState { trees, layout, locations, words } = here;
        let (tasks, slots) = (self.tasks, self.slots);
        let (per_watch, per_task) = (slots.div_ceil(64), tasks.div_ceil(64));
        let first = scratch.values.is_empty();
        if first {
            scratch.values.resize(slots, 0);
            scratch.at.resize(tasks, MaybeNumber::NONE);
            scratch.can_move.resize(tasks, false);
            scratch.watched.resize(tasks * per_watch, 0);
            scratch.consulted.resize(tasks * per_task, 0);
            scratch.set_sizes.resize(tasks, SetSize::Unknown);
        }
        let Scratch { values, at, can_move, watched, altered, changed, set_sizes, consulted, .. } = scratch;
        changed.clear();
        changed.resize(per_watch, 0);
        for (slot, old) in values.iter_mut().enumerate() {
            let new = layout.get(words, slot);
            if std::mem::replace(old, new) != new || first {
                changed[slot / 64] |= 1 << (slot % 64);
            }
        }
        let intersects = |a: &[u64], b: &[u64]| a.iter().zip(b).any(|(a, b)| a & b != 0);
        altered.clear();
        altered.resize(per_task, 0);
        for (t, locations) in locations.iter().enumerate().take(tasks) {
            let watched = &mut watched[t * per_watch..][..per_watch];
            if !first && !intersects(watched, changed) {
                continue;
            }
            altered[t / 64] |= 1 << (t % 64);
            let value = |slot: usize| values[slot];
            watched.fill(0);
            trees.looked_at(t, value, |slot| watched[slot / 64] |= 1 << (slot % 64));
            let Some(range) = trees.known(t, value) else {
                values.clear();
                return Err(t);
            };
            can_move[t] = !range.is_empty();
            let location = locations[values[t] as usize].get();
            at[t] = location.map_or(MaybeNumber::NONE, |loc| self.unit_at[loc as usize]);
        }
        for (t, size) in set_sizes.iter_mut().enumerate() {
            if first || intersects(&consulted[t * per_task..][..per_task], altered) {
                *size = SetSize::Unknown;
            }
        }
        // A task that moves from a place without unit: nothing is known about it.
        if can_move.iter().zip(at).any(|(moves, at)| *moves && *at == MaybeNumber::NONE) {
            return Ok(0);
        }
        Ok(can_move.iter().filter(|m| **m).count())
    }

    /// What must be in a set with a unit.
    fn needs(
        &self,
        trees: &DecisionTrees,
        values: &[u32],
        unit: u32,
        positions: &Positions,
        inside: impl Fn(u32) -> bool,
        mut add: impl FnMut(u32),
    ) {
        let u = &self.units[unit as usize];
        let task = u.task as usize;
        let value = |slot: usize| values[slot];
        let cost = |b: u32| match inside(b) {
            true => 0,
            false if positions.happens(self.units[b as usize].task as usize, b) => 1000,
            false => 1,
        };
        let here = positions.at(task) == MaybeNumber::of(unit);
        if !here || !positions.can_move[task] {
            // Who waits for the end of others waits for each of those that live: one is enough.
            let living =
                u.awaits.iter().map(|d| *d as usize).filter(|d| positions.at(*d) != MaybeNumber::NONE);
            let price = |d: &usize| {
                let mut sum: usize = 0;
                self.involving(*d, positions, &mut |b| sum += cost(b));
                sum
            };
            if let Some(dependent) = living.min_by_key(price) {
                return self.involving(dependent, positions, &mut add);
            }
        }
        if !here {
            // The task must come here first; or, if it calls somebody who is not at an accept
            // statement for it, that one must come there first. Whichever adds less, above all of
            // what can move.
            let own = u.before.iter().chain(&self.intruders[task]);
            if let Some(acceptor) = u.acceptor
                && positions.at(acceptor as usize).get().is_none_or(|at| !u.accepted_at.contains(&at))
            {
                let mine: usize = own.clone().map(|b| cost(*b)).sum();
                let theirs: usize = u.before_accept.iter().map(|b| cost(*b)).sum();
                if theirs < mine {
                    return u.before_accept.iter().for_each(|b| add(*b));
                }
            }
            return own.for_each(|b| add(*b));
        }
        if !positions.can_move[task] {
            // Something that its step looked at in vain must change first.
            return trees.looked_at(task, value, |slot| match slot < self.tasks {
                true => self.involving(slot, positions, &mut add),
                false => self.writers[slot].iter().for_each(|w| add(*w)),
            });
        }
        // Whatever could interfere.
        let mut involve = |slot: usize, changed: bool| {
            match slot < self.tasks {
                true => self.involving(slot, positions, &mut add),
                false => self.writers[slot].iter().for_each(|w| add(*w)),
            }
            if changed {
                self.readers[slot].iter().for_each(|r| add(*r));
            }
        };
        trees.looked_at(task, value, |slot| involve(slot, false));
        for number in trees.known(task, value).unwrap_or(0..0) {
            let outcome = &trees.outcomes[number as usize];
            for (slot, _) in &trees.changes[outcome.changes.0 as usize..outcome.changes.1 as usize] {
                involve(*slot as usize, true);
            }
        }
        for mark in &u.looks {
            self.writers[*mark as usize].iter().for_each(|w| add(*w));
        }
        for mark in &u.marks {
            self.writers[*mark as usize].iter().for_each(|w| add(*w));
            self.readers[*mark as usize].iter().for_each(|r| add(*r));
        }
    }

    /// Every unit that could move a task from where it is.
    fn involving(&self, task: usize, positions: &Positions, add: &mut impl FnMut(u32)) {
        self.intruders[task].iter().for_each(|u| add(*u));
        if let Some(unit) = positions.at(task).get() {
            let u = &self.units[unit as usize];
            if !u.inert {
                add(unit);
            }
            for entry in &u.accepts {
                self.callers[*entry as usize].iter().for_each(|c| add(*c));
            }
        }
    }
}

/// By contents of a task's slot: the location where the task is, none if it is not alive.
pub type LocationTable = Vec<MaybeNumber>;

/// Brings the tables up to date with what was learnt.
pub fn update_locations(tables: &mut [LocationTable], slots: &Slots) {
    for (t, table) in tables.iter_mut().enumerate() {
        for number in table.len()..slots.count(t) {
            let at = slots.task(t, number as u32).filter(|ts| alive(ts.status));
            table.push(at.map_or(MaybeNumber::NONE, |ts| MaybeNumber::of(ts.pc.0)));
        }
    }
}
