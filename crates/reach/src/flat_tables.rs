//! The decision trees once more, as flat arrays for the layout at hand.
//!
//! The trees of `rendez_petri` are made for learning: a node names the slot that it looks at, and its children are
//! found by contents. Here the position and mask of that slot in the packed state are stored in the node, so a few
//! loads from two arrays tell the steps of a task. An outcome of a state of one word is a mask and a word to set.
//!
//! The tables hold only what is common. A step that is not known, or that shows something to a check, is marked as
//! slow, and the trees are asked. So the tables stay right when more is learnt: what is new is found in the trees. The
//! one exception are tasks that never had a step of their own, which are left out altogether; the tables are dropped
//! when such a task gets new contents.
//!
//! These tables came first and serve now where there are too many outcomes for bits (`enabled.rs`).

use crate::store::{Layout, Patch, merged};
use rendez_petri::step_cache::{DecisionNode, DecisionTrees};

pub struct FlatTables {
    pub tasks: Vec<TaskTable>,
    looks: Vec<Look>,
    /// What comes next, by contents: of tasks, then of the slots that are looked at.
    next: Vec<Next>,
    /// For states of one word: what each outcome keeps and sets.
    pub merged: Vec<(u64, u64)>,
    /// Tasks that are not looked at, and how many contents they have had.
    idle: Vec<(usize, usize)>,
}

/// A task that may have steps.
pub struct TaskTable {
    pub task: u32,
    look: Look,
}

/// Where a slot lies, and which part of `next` its contents choose from.
#[derive(Clone, Copy)]
struct Look {
    word: u32,
    shift: u32,
    mask: u64,
    first: u32,
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Idle,
    Outcomes(u32, u32),
    /// Another slot decides.
    Look(u32),
    Slow,
}

/// What the steps of a task are.
pub enum TaskSteps {
    Nothing,
    Outcomes(u32, u32),
    /// Ask the trees.
    Slow,
}

impl FlatTables {
    pub fn new(trees: &DecisionTrees, layout: &Layout, patches: &[Patch]) -> FlatTables {
        let mut flat = FlatTables {
            tasks: Vec::new(),
            looks: Vec::new(),
            next: Vec::new(),
            merged: Vec::new(),
            idle: Vec::new(),
        };
        for task in 0..trees.tasks() {
            let roots = trees.roots(task);
            let look = flat.look(layout, task, roots);
            for number in 0..roots {
                let next = flat.follow(trees, layout, trees.root(task, number));
                flat.next[look.first as usize + number] = next;
            }
            // A task that never has a step of its own is not looked at, as long as all its
            // contents are known.
            let idle = flat.next[look.first as usize..][..roots].iter().all(|next| *next == Next::Idle);
            match idle && trees.all_known(task) {
                true => flat.idle.push((task, roots)),
                false => flat.tasks.push(TaskTable { task: task as u32, look }),
            }
        }
        if layout.words == 1 {
            flat.merged = trees.outcomes.iter().map(|outcome| merged(outcome, patches)).collect();
        }
        flat
    }

    /// Whether it can still be used when more has been learnt: what is new is found in the trees.
    pub fn lasts(&self, count: impl Fn(usize) -> usize) -> bool {
        self.idle.iter().all(|(task, contents)| count(*task) == *contents)
    }

    /// Makes room for what comes after so many contents of a slot.
    fn look(&mut self, layout: &Layout, slot: usize, count: usize) -> Look {
        let (word, shift, mask) = layout.place(slot);
        let first = self.next.len() as u32;
        self.next.resize(self.next.len() + count, Next::Slow);
        Look { word, shift, mask, first, count: count as u32 }
    }

    fn follow(&mut self, trees: &DecisionTrees, layout: &Layout, known: DecisionNode) -> Next {
        match known {
            DecisionNode::Idle => Next::Idle,
            DecisionNode::Outcomes(first, last) if plain(trees, first, last) => Next::Outcomes(first, last),
            DecisionNode::Look(slot, children) => {
                let look = self.look(layout, slot as usize, children.len());
                for (child, at) in children.iter().zip(look.first..) {
                    self.next[at as usize] = self.follow(trees, layout, trees.at(*child));
                }
                self.looks.push(look);
                Next::Look(self.looks.len() as u32 - 1)
            }
            _ => Next::Slow,
        }
    }

    #[inline]
    pub fn steps(&self, task: &TaskTable, words: &[u64]) -> TaskSteps {
        let mut look = &task.look;
        loop {
            let content = (words[look.word as usize] >> look.shift & look.mask) as u32;
            if content >= look.count {
                return TaskSteps::Slow;
            }
            match self.next[(look.first + content) as usize] {
                Next::Idle => return TaskSteps::Nothing,
                Next::Outcomes(first, last) => return TaskSteps::Outcomes(first, last),
                Next::Look(other) => look = &self.looks[other as usize],
                Next::Slow => return TaskSteps::Slow,
            }
        }
    }
}

/// Whether nothing has to be noted about some outcomes.
fn plain(trees: &DecisionTrees, first: u32, last: u32) -> bool {
    trees.outcomes[first as usize..last as usize].iter().all(|o| !o.notable)
}
