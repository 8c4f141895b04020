//! The state cut into slots, each of which numbers the contents it ever had.
//!
//! There is a slot for each task with its own cells and queues, one for each protected object with its components, and
//! one for each shared cell. A state is then a tuple of small numbers. This is the collapse compression of SPIN
//! (Holzmann, *State compression in SPIN*, 1997), with two gains beyond memory: a step is a change of a few numbers,
//! and what a step depends on is a few slots, so it can be memoised (`step_cache.rs`).
//!
//! Numbering normalises. A cell that is dead where its task rests has no value; a task that has ended, or is not there
//! yet, has no location; parts without a value, empty queues and free locks are not stored at all. States that differ
//! in nothing else get the same number. This is right because a dead cell is written before it is read on every path,
//! and a cell that somebody else reads is never dead (`rendez_analysis::liveness`).
//!
//! A task or object with very many contents makes every step with it be learnt for each of them. Its cells then get
//! slots of their own, and a step depends only on those that it reads. What is forgotten then needs care: a dead cell
//! with a slot of its own must be reset by the step that makes it dead, although this step does not look at it.
//!
//! The other kinds of task interaction graphs tell apart what the program does not: which interaction led to a node, or
//! that a rendezvous has begun. Such notes are kept beside the content of a task.

use std::collections::HashMap;

use indexmap::IndexSet;
use rendez_analysis::access::Access;
use rendez_analysis::liveness::Liveness;
use rendez_analysis::symmetry::Permutation;
use rendez_model::code::each_written;
use rendez_model::state::{Caller, Lock, State, Status, TaskState, Wait};
use rendez_model::{EntryId, Loc, ObjectId, Owner, Program, Storage, TaskId, Value, VarId};
use rustc_hash::FxBuildHasher;

/// What one part of a slot holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SlotPart {
    Cell(Value),
    Task(TaskState),
    Queue(Vec<Caller>),
    Lock(Lock),
    Note(Note),
}

/// What task interaction graphs other than the modified kind tell apart, though the program does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Note {
    /// The interaction that led here, by number.
    pub last: u32,
    /// In a rendezvous on this entry that has begun and will end here.
    pub engaged: Option<(EntryId, RendezvousRole)>,
}

/// One's part in a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RendezvousRole {
    Caller,
    Acceptor,
}

/// Names a part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PartName {
    Cell(usize),
    Task(usize),
    Queue(usize),
    Lock(usize),
}

/// The parts of a slot that hold something, in order: parts that are not there are cells with any value, empty
/// queues and free locks. Most are, in programs with many entries.
type Content = Box<[(u32, SlotPart)]>;

/// Where the note of a content is: behind all parts, as no part has that number.
const NOTE: u32 = u32::MAX;

/// Whose cells have slots of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SlotSplit {
    #[default]
    Nobody,
    /// All tasks. A step changes nothing that it does not look at.
    Tasks,
    /// The tasks and objects with these slots. What is read no more is forgotten, whatever it was.
    These(Vec<usize>),
}

pub struct Slots {
    /// By number of the part, as a watched state counts them.
    slot_of: Vec<u32>,
    parts: Vec<Vec<PartName>>,
    values: Vec<IndexSet<Content, FxBuildHasher>>,
    /// A state in which no cell, queue or lock holds anything.
    blank: State,
    /// Contents of tasks carry notes.
    noted: bool,
    /// Cells that are of no interest any more are forgotten.
    liveness: Option<Liveness>,
    /// By task: its cells that have slots of their own and may be forgotten.
    forgotten: Vec<Vec<(VarId, u32)>>,
    /// By slot: the task whose cell it is, if that may be forgotten.
    keepers: Vec<Option<TaskId>>,
    /// How many slots may have cells beside other things.
    mixed: usize,
}

impl Slots {
    /// The slots of the tasks come first, in their order, then those of objects.
    pub fn new(program: &Program, access: &Access, like: &State, noted: bool, split: &SlotSplit) -> Slots {
        let tasks = program.tasks.len();
        let object = |o: usize| tasks + o;
        let mut next = tasks + program.objects.len();
        let mut names = Vec::new();
        let mut slot_of = Vec::new();
        let sole = sole_users(program, access);
        let is_split = |slot: usize| match split {
            SlotSplit::Nobody => false,
            SlotSplit::Tasks => slot < tasks,
            SlotSplit::These(slots) => slots.contains(&slot),
        };
        let mixed = next;
        let mut forgotten = vec![Vec::new(); tasks];
        for (v, var) in program.vars.iter().enumerate() {
            let together = match (var.storage, sole[v]) {
                (Storage::Local(task), _) | (Storage::Shared, Some(task)) => Some(task.index()),
                (Storage::Component(o), _) => Some(object(o.index())),
                (Storage::Shared, None) => None,
            };
            let slot = together.filter(|slot| !is_split(*slot)).unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            if let (Some(task), SlotSplit::These(_)) = (together.filter(|t| *t < tasks && *t != slot), split)
            {
                forgotten[task].push((VarId::from(v), slot as u32));
            }
            slot_of.push(slot as u32);
            names.push(PartName::Cell(v));
        }
        for t in 0..tasks {
            slot_of.push(t as u32);
            names.push(PartName::Task(t));
        }
        for (e, entry) in program.entries.iter().enumerate() {
            slot_of.push(match entry.owner {
                Owner::Task(task) => task.0,
                Owner::Object(o) => object(o.index()) as u32,
            });
            names.push(PartName::Queue(e));
        }
        for o in 0..program.objects.len() {
            slot_of.push(object(o) as u32);
            names.push(PartName::Lock(o));
        }
        let mut parts = vec![Vec::new(); next];
        for (slot, name) in slot_of.iter().zip(names) {
            parts[*slot as usize].push(name);
        }
        let values = vec![IndexSet::default(); next];
        let liveness = Liveness::new(program, access);
        let mut keepers = vec![None; next];
        for (task, cells) in forgotten.iter().enumerate() {
            cells.iter().for_each(|(_, slot)| keepers[*slot as usize] = Some(TaskId::from(task)));
        }
        let mut blank = like.clone();
        (0..blank.vars.len()).for_each(|v| blank.vars.put(v, &Value::Any));
        (0..blank.queues.len()).for_each(|e| blank.queues.put(e, &Vec::new()));
        (0..blank.locks.len()).for_each(|o| blank.locks.put(o, &Lock::Free));
        Slots { slot_of, parts, values, blank, noted, liveness, forgotten, keepers, mixed }
    }

    /// Forgets nothing from now on: to be said before there are contents.
    pub fn remember(&mut self) {
        self.liveness = None;
    }

    /// Whether a slot has cells beside other things.
    pub fn is_mixed(&self, slot: usize) -> bool {
        slot < self.mixed && self.parts[slot].iter().any(|name| matches!(name, PartName::Cell(_)))
    }

    /// The task whose cell a slot is, if the cell is forgotten where it is read no more.
    pub fn keeper(&self, slot: usize) -> Option<TaskId> {
        self.keepers[slot]
    }

    /// Calls `f` with the slots of cells that a task forgets on its way from a content to a location.
    pub fn each_forgotten(&self, task: usize, number: u32, to: Loc, mut f: impl FnMut(u32)) {
        let from = self.task(task, number).map(|ts| ts.pc);
        let (Some(liveness), Some(from)) = (&self.liveness, from) else { return };
        for (cell, slot) in &self.forgotten[task] {
            if liveness.is_live(from, *cell) && !liveness.is_live(to, *cell) {
                f(*slot);
            }
        }
    }

    /// What a slot is called.
    pub fn name(&self, program: &Program, slot: usize) -> String {
        let objects = program.tasks.len()..program.tasks.len() + program.objects.len();
        match self.parts[slot].first() {
            _ if slot < program.tasks.len() => program.tasks[slot].name.clone(),
            _ if objects.contains(&slot) => program.objects[slot - objects.start].name.clone(),
            Some(PartName::Cell(v)) => program.vars[*v].name.clone(),
            _ => String::new(),
        }
    }

    pub fn count_slots(&self) -> usize {
        self.parts.len()
    }

    /// The slot that a part of a watched state belongs to.
    pub fn slot_of(&self, part: u32) -> u32 {
        self.slot_of[part as usize]
    }

    /// How many contents a slot has had.
    pub fn count(&self, slot: usize) -> usize {
        self.values[slot].len()
    }

    /// The number of what a slot holds in a state.
    pub fn number(&mut self, program: &Program, state: &State, slot: usize, note: Note) -> u32 {
        // The slots of tasks come first.
        let task = (slot < program.tasks.len()).then(|| tidy(program, slot, state.tasks.peek(slot)));
        let note = (self.noted && task.is_some()).then_some((NOTE, SlotPart::Note(note)));
        let pc = match self.keepers[slot] {
            Some(keeper) => Some(rests_at(program, keeper.index(), state.tasks.peek(keeper.index()))),
            None => task.as_ref().map(|ts| ts.pc),
        };
        let dead = |v: usize| match (pc, &self.liveness) {
            (Some(pc), Some(liveness)) => !liveness.is_live(pc, VarId::from(v)),
            _ => false,
        };
        let held = |(k, name): (usize, &PartName)| {
            let part = match *name {
                PartName::Cell(v) => match *state.vars.peek(v) {
                    Value::Any => return None,
                    _ if dead(v) => return None,
                    value => SlotPart::Cell(value),
                },
                PartName::Task(t) => {
                    SlotPart::Task(task.clone().unwrap_or_else(|| tidy(program, t, state.tasks.peek(t))))
                }
                PartName::Queue(e) => match state.queues.peek(e) {
                    queue if queue.is_empty() => return None,
                    queue => SlotPart::Queue(queue.clone()),
                },
                PartName::Lock(o) => match *state.locks.peek(o) {
                    Lock::Free => return None,
                    lock => SlotPart::Lock(lock),
                },
            };
            Some((k as u32, part))
        };
        let content: Content = self.parts[slot].iter().enumerate().filter_map(held).chain(note).collect();
        self.values[slot].insert_full(content).0 as u32
    }

    /// Where the parts of each slot go under a permutation: for each slot the one it comes from, and for
    /// each of its parts the place of that part there. None if parts that are together are parted.
    pub fn sources(&self, permutation: &Permutation) -> Option<Vec<(usize, Vec<usize>)>> {
        let to = |name: PartName| match name {
            PartName::Cell(v) => PartName::Cell(permutation.var(VarId::from(v)).index()),
            PartName::Task(t) => PartName::Task(permutation.task(TaskId::from(t)).index()),
            PartName::Queue(e) => PartName::Queue(permutation.entry(EntryId::from(e)).index()),
            PartName::Lock(o) => PartName::Lock(permutation.object(ObjectId::from(o)).index()),
        };
        let mut place = HashMap::new();
        for (slot, parts) in self.parts.iter().enumerate() {
            for (k, name) in parts.iter().enumerate() {
                place.insert(to(*name), (slot, k));
            }
        }
        let source = |parts: &Vec<PartName>| {
            let places: Vec<(usize, usize)> = parts.iter().filter_map(|n| place.get(n).copied()).collect();
            let slot = places.first()?.0;
            let whole = places.len() == parts.len() && self.parts[slot].len() == parts.len();
            let together = places.iter().all(|p| p.0 == slot);
            (whole && together).then(|| (slot, places.into_iter().map(|p| p.1).collect()))
        };
        self.parts.iter().map(source).collect()
    }

    /// The number, in another slot, of a content that was renamed. None if it is not there yet and has
    /// a queue of several callers, unless that is `wanted`: their orders are too many to number them
    /// all in advance.
    pub fn renamed(
        &mut self,
        permutation: &Permutation,
        (from, places): (usize, &[usize]),
        number: u32,
        to: usize,
        wanted: bool,
    ) -> Option<u32> {
        let content = &self.values[from][number as usize];
        let rename = |part: &SlotPart| match part {
            SlotPart::Task(ts) => SlotPart::Task(permutation.task_state(ts)),
            SlotPart::Queue(queue) => SlotPart::Queue(permutation.queue(queue)),
            SlotPart::Lock(lock) => SlotPart::Lock(permutation.lock(*lock)),
            SlotPart::Cell(_) | SlotPart::Note(_) => part.clone(),
        };
        let part = |k: usize| content.binary_search_by_key(&(k as u32), |held| held.0).ok();
        let held = |(j, k): (usize, &usize)| Some((j as u32, rename(&content[part(*k)?].1)));
        let content: Content = places.iter().enumerate().filter_map(held).collect();
        let queues = content.iter().any(|p| matches!(&p.1, SlotPart::Queue(queue) if queue.len() > 1));
        match queues && !wanted {
            true => self.values[to].get_index_of(&content).map(|n| n as u32),
            false => Some(self.values[to].insert_full(content).0 as u32),
        }
    }

    /// Puts a numbered content into a state, in place of another, if the slot held one.
    pub fn fill(&self, state: &mut State, slot: usize, old: Option<u32>, number: u32) {
        let new = &self.values[slot][number as usize];
        let held = old.map_or(&[][..], |old| &self.values[slot][old as usize]);
        let gone = held.iter().filter(|(k, _)| new.binary_search_by_key(k, |held| held.0).is_err());
        for name in gone.filter_map(|(k, _)| self.parts[slot].get(*k as usize)) {
            match *name {
                PartName::Cell(v) => state.vars.put(v, &Value::Any),
                PartName::Queue(e) => state.queues.put(e, &Vec::new()),
                PartName::Lock(o) => state.locks.put(o, &Lock::Free),
                PartName::Task(_) => {}
            }
        }
        for (k, part) in new {
            match (self.parts[slot].get(*k as usize), part) {
                (Some(PartName::Cell(v)), SlotPart::Cell(value)) => state.vars.put(*v, value),
                (Some(PartName::Task(t)), SlotPart::Task(ts)) => state.tasks.put(*t, ts),
                (Some(PartName::Queue(e)), SlotPart::Queue(queue)) => state.queues.put(*e, queue),
                (Some(PartName::Lock(o)), SlotPart::Lock(lock)) => state.locks.put(*o, lock),
                _ => {}
            }
        }
    }

    /// A state whose slots hold nothing.
    pub(crate) fn blank(&self) -> State {
        self.blank.clone()
    }

    /// The state that has these contents.
    pub fn state(&self, numbers: impl Iterator<Item = u32>) -> State {
        let mut state = self.blank();
        for (slot, number) in numbers.enumerate() {
            self.fill(&mut state, slot, None, number);
        }
        state
    }

    /// The note of a numbered content.
    pub fn note(&self, slot: usize, number: u32) -> Note {
        match self.values[slot][number as usize].last() {
            Some((_, SlotPart::Note(note))) => *note,
            _ => Note::default(),
        }
    }

    /// What a numbered content says about the task of a slot.
    pub fn task(&self, slot: usize, number: u32) -> Option<&TaskState> {
        self.values[slot][number as usize].iter().find_map(|(_, part)| match part {
            SlotPart::Task(ts) => Some(ts),
            _ => None,
        })
    }

    /// The cells of a slot that hold a value.
    pub fn cells(&self, slot: usize, number: u32) -> impl Iterator<Item = (VarId, i64)> + '_ {
        self.values[slot][number as usize].iter().filter_map(move |(k, part)| {
            match (self.parts[slot].get(*k as usize), part) {
                (Some(PartName::Cell(v)), SlotPart::Cell(Value::Known(value))) => {
                    Some((VarId::from(*v), *value))
                }
                _ => None,
            }
        })
    }

    pub fn memory(&self) -> usize {
        let contents = self.values.iter().flatten();
        contents.map(|content| 48 + content.len() * size_of::<(u32, SlotPart)>()).sum()
    }
}

/// Where a task that is not there stopped is of no interest.
pub(crate) fn rests_at(program: &Program, task: usize, ts: &TaskState) -> Loc {
    match ts.status {
        Status::Unborn | Status::Terminated => program.tasks[task].start,
        _ => ts.pc,
    }
}

fn tidy(program: &Program, task: usize, ts: &TaskState) -> TaskState {
    let mut ts = ts.clone();
    if matches!(ts.status, Status::Unborn | Status::Terminated) {
        ts.pc = rests_at(program, task, &ts);
        ts.wait = Wait::Nothing;
        ts.frames.clear();
        ts.accepts.clear();
        ts.transfers.clear();
    }
    ts
}

/// The one task whose code names a cell, if it is one only.
fn sole_users(program: &Program, access: &Access) -> Vec<Option<TaskId>> {
    let mut users: Vec<Option<TaskId>> = vec![None; program.vars.len()];
    let mut several = vec![false; program.vars.len()];
    for (t, code) in access.code.iter().enumerate() {
        for loc in code {
            let mut touch = |cell: VarId| match users[cell.index()] {
                None => users[cell.index()] = Some(TaskId::from(t)),
                Some(other) => several[cell.index()] |= other.index() != t,
            };
            let action = &program.node(*loc).action;
            action.each_expr(&mut |e| e.each_cell(program, &mut touch));
            each_written(program, action, &mut touch);
        }
    }
    users.into_iter().zip(several).map(|(user, several)| user.filter(|_| !several)).collect()
}
