//! What each task can do, learnt from the semantics.
//!
//! What a task does next depends on the contents of a few slots only: its own, that of the task it
//! calls, that of a protected object. The first time such a combination turns up, the step is run
//! on a watched state, and what it looked at, in which order, becomes a path in a decision tree;
//! its outcomes become leaves: numbers of slots and their new contents. From then on the step costs
//! a walk down the tree. So the search never interprets the program twice, and yet knows nothing
//! about its meaning that the semantics did not say.

use std::rc::Rc;

use rendez_evidence::Seen;
use rendez_evidence::seen_in;
use rendez_model::semantics::{Move, Step};
use rendez_model::state::State;
use rendez_model::watch::Log;
use rendez_model::{EntryId, TaskId};

use crate::slots::Slots;
use crate::steps::{Fate, Macro, Steps};

const UNKNOWN: u32 = u32::MAX;
/// Known to have no step, whatever the other slots hold.
const IDLE: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
enum Tree {
    /// Look at a slot; the index of its children.
    Look { slot: u32, children: u32 },
    /// A range of outcomes.
    Leaf { first: u32, last: u32 },
}

/// One outcome of a step.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub task: TaskId,
    pub fate: Fate,
    pub guessed: bool,
    /// Range of the slots that change, in `changes`.
    pub changes: (u32, u32),
    /// Exceptions and the like happen on the way.
    pub notable: bool,
}

/// What else is known about an outcome; not needed while searching.
#[derive(Clone, Debug)]
pub struct Story {
    pub moves: Vec<Move>,
    pub steps: Vec<Step>,
    pub movers: Vec<(TaskId, u8)>,
    pub seen: Vec<Seen>,
    pub entries: Vec<(EntryId, bool, bool)>,
}

/// Everything that is needed to find the successors of a state.
#[derive(Default)]
pub struct Tables {
    trees: Vec<Tree>,
    children: Vec<Vec<u32>>,
    /// By task and contents of its slot.
    roots: Vec<Vec<u32>>,
    /// By task and contents: all its steps are choices of its own.
    alone: Vec<Vec<bool>>,
    anyone_alone: bool,
    pub outcomes: Vec<Outcome>,
    /// Slots and their new contents.
    pub changes: Vec<(u32, u32)>,
}

pub struct Network<'s, 'p> {
    pub steps: Steps<'s, 'p>,
    pub slots: Slots,
    pub tables: Tables,
    pub stories: Vec<Story>,
    log: Rc<Log>,
    pub first: Macro,
}

impl Tables {
    pub fn tasks(&self) -> usize {
        self.roots.len()
    }

    /// The outcomes of a task's next step, if this combination of contents was seen before.
    #[inline]
    pub fn known(&self, task: usize, value: impl Fn(usize) -> u32) -> Option<std::ops::Range<u32>> {
        let mut at = *self.roots[task].get(value(task) as usize)?;
        loop {
            if at >= IDLE {
                return if at == IDLE { Some(0..0) } else { None };
            }
            match self.trees[at as usize] {
                Tree::Leaf { first, last } => return Some(first..last),
                Tree::Look { slot, children } => {
                    at = *self.children[children as usize].get(value(slot as usize) as usize)?;
                }
            }
        }
    }

    /// The slots that a task's next step looks at, its own first.
    pub fn looked_at(&self, task: usize, value: impl Fn(usize) -> u32, mut f: impl FnMut(usize)) {
        f(task);
        let mut at = self.roots[task].get(value(task) as usize).copied().unwrap_or(UNKNOWN);
        while at < IDLE
            && let Tree::Look { slot, children } = self.trees[at as usize]
        {
            f(slot as usize);
            let list = &self.children[children as usize];
            at = list.get(value(slot as usize) as usize).copied().unwrap_or(UNKNOWN);
        }
    }

    /// Whether a task with these contents only chooses for itself; None if that is not known.
    #[inline]
    pub fn is_alone(&self, task: usize, number: u32) -> Option<bool> {
        match self.knows(task, number) {
            true => Some(self.alone[task][number as usize]),
            false => None,
        }
    }

    #[inline]
    pub fn anyone_alone(&self) -> bool {
        self.anyone_alone
    }

    fn knows(&self, task: usize, number: u32) -> bool {
        self.roots[task].get(number as usize).is_some_and(|r| *r != UNKNOWN)
    }

    fn insert(&mut self, task: usize, values: &[u32], looked: &[u32], leaf: Tree) {
        let roots = &mut self.roots[task];
        let own = values[task] as usize;
        if roots.len() <= own {
            roots.resize(own + 1, UNKNOWN);
        }
        // Where the next node hangs: a root, or a child.
        let mut place: Option<(u32, usize)> = None;
        let mut at = roots[own];
        for &slot in looked.iter().filter(|s| **s as usize != task) {
            let children = match (at < IDLE).then(|| self.trees[at as usize]) {
                Some(Tree::Look { slot: s, children }) => {
                    debug_assert_eq!(s, slot, "steps look at slots in an order of their own");
                    children
                }
                _ => {
                    let children = self.children.len() as u32;
                    self.children.push(Vec::new());
                    let node = self.trees.len() as u32;
                    self.trees.push(Tree::Look { slot, children });
                    self.hang(task, own, place, node);
                    children
                }
            };
            let value = values[slot as usize] as usize;
            let list = &mut self.children[children as usize];
            if list.len() <= value {
                list.resize(value + 1, UNKNOWN);
            }
            place = Some((children, value));
            at = list[value];
        }
        let empty = matches!(leaf, Tree::Leaf { first, last } if first == last);
        let node = if empty { IDLE } else { self.trees.len() as u32 };
        if !empty {
            self.trees.push(leaf);
        }
        self.hang(task, own, place, node);
    }

    fn hang(&mut self, task: usize, own: usize, place: Option<(u32, usize)>, node: u32) {
        match place {
            None => self.roots[task][own] = node,
            Some((children, value)) => self.children[children as usize][value] = node,
        }
    }
}

impl<'s, 'p> Network<'s, 'p> {
    pub fn new(steps: Steps<'s, 'p>) -> Self {
        let first = steps.first();
        let program = steps.semantics.program;
        let slots = Slots::new(program, &steps.access, &first.state);
        let tables = Tables {
            roots: vec![Vec::new(); program.tasks.len()],
            alone: vec![Vec::new(); program.tasks.len()],
            ..Tables::default()
        };
        Network { slots, tables, stories: Vec::new(), log: Rc::new(Log::default()), first, steps }
    }

    /// The contents of every slot at the start.
    pub fn start(&mut self) -> Vec<u32> {
        let program = self.steps.semantics.program;
        let state = self.first.state.clone();
        (0..self.slots.len()).map(|slot| self.slots.number(program, &state, slot)).collect()
    }

    /// Runs the step of a task on the semantics and remembers what it depends on.
    pub fn learn(&mut self, task: usize, values: &[u32]) {
        let id = TaskId::from(task);
        let mut state = self.slots.state(values.iter().copied());
        state.watch(&self.log);
        self.log.take();
        let mut found = Vec::new();
        self.steps.of(&state, id, &mut found);
        let looked: Vec<u32> = self.slots_of(&self.log.take());
        let first = self.tables.outcomes.len() as u32;
        for step in found {
            self.add(id, &state, &looked, step);
        }
        let last = self.tables.outcomes.len() as u32;
        if !self.tables.knows(task, values[task]) {
            let own = values[task] as usize;
            let alone = self.steps.chooses(&state, id);
            let list = &mut self.tables.alone[task];
            if list.len() <= own {
                list.resize(own + 1, false);
            }
            list[own] = alone;
            self.tables.anyone_alone |= alone;
        }
        self.log.take();
        self.tables.insert(task, values, &looked, Tree::Leaf { first, last });
    }

    fn slots_of(&self, parts: &[u32]) -> Vec<u32> {
        let mut list = Vec::new();
        for part in parts {
            let slot = self.slots.slot_of(*part);
            if !list.contains(&slot) {
                list.push(slot);
            }
        }
        list
    }

    fn add(&mut self, task: TaskId, before: &State, looked: &[u32], step: Macro) {
        let program = self.steps.semantics.program;
        let tables = &mut self.tables;
        let from = tables.changes.len() as u32;
        if step.fate == Fate::Followed {
            for &slot in looked {
                let old = self.slots.number(program, before, slot as usize);
                let new = self.slots.number(program, &step.state, slot as usize);
                if old != new {
                    tables.changes.push((slot, new));
                }
            }
        }
        let seen: Vec<Seen> = step.steps.iter().flat_map(seen_in).collect();
        tables.outcomes.push(Outcome {
            task,
            fate: step.fate,
            guessed: step.guessed,
            changes: (from, tables.changes.len() as u32),
            notable: !seen.is_empty() || step.fate != Fate::Followed,
        });
        self.stories.push(Story {
            moves: step.moves,
            steps: step.steps,
            movers: step.movers,
            seen,
            entries: step.entries,
        });
    }

    pub fn memory(&self) -> usize {
        self.slots.memory()
            + self.tables.trees.len() * 12
            + self.tables.children.iter().map(|c| c.capacity() * 4 + 24).sum::<usize>()
            + self.tables.outcomes.len() * 32
            + self.stories.iter().map(|s| 150 + s.moves.len() * 8 + s.steps.len() * 90).sum::<usize>()
    }
}
