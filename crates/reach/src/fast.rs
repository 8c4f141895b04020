//! The tables once more, as flat arrays for the layout at hand.
//!
//! While nothing new is learnt, most steps look at their own slot and at one other. For these a few
//! loads from arrays without indirection are enough; everything else is left to the trees.

use crate::store::{Layout, Patch};
use rendez_network::network::{Known, Tables};

pub struct Fast {
    pub tasks: Vec<Task>,
    heads: Vec<Head>,
    kids: Vec<u32>,
    spans: Vec<(u32, u32)>,
    /// For states of one word: what each outcome keeps and sets.
    pub merged: Vec<(u64, u64)>,
    pub built_for: usize,
}

/// A task that may have steps.
pub struct Task {
    pub task: u32,
    word: u32,
    shift: u32,
    mask: u64,
    base: u32,
    count: u32,
}

#[derive(Clone, Copy)]
struct Head {
    kind: Kind,
    word: u32,
    shift: u32,
    mask: u64,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Idle,
    /// The outcomes `first..last`.
    Leaf,
    /// Look at another slot; its children are `first..last`.
    Look,
    Slow,
}

/// What the steps of a task are.
pub enum Found {
    Nothing,
    Outcomes(u32, u32),
    /// Ask the trees.
    Slow,
}

const IDLE: u32 = u32::MAX;
const SLOW: u32 = u32::MAX - 1;

impl Fast {
    pub fn new(tables: &Tables, layout: &Layout, patches: &[Patch]) -> Fast {
        let mut fast = Fast {
            tasks: Vec::new(),
            heads: Vec::new(),
            kids: Vec::new(),
            spans: Vec::new(),
            merged: Vec::new(),
            built_for: tables.size(),
        };
        for task in 0..tables.tasks() {
            let roots = tables.roots(task);
            let base = fast.heads.len() as u32;
            for number in 0..roots {
                let head = fast.head(tables, layout, task, number);
                fast.heads.push(head);
            }
            let (word, shift, mask) = layout.place(task);
            // A task that never has a step of its own is not looked at, as long as all its
            // contents are known.
            let idle = fast.heads[base as usize..].iter().all(|h| h.kind == Kind::Idle);
            if !(idle && tables.all_known(task)) {
                fast.tasks.push(Task { task: task as u32, word, shift, mask, base, count: roots as u32 });
            }
        }
        if layout.words == 1 {
            for outcome in &tables.outcomes {
                let own = &patches[outcome.changes.0 as usize..outcome.changes.1 as usize];
                let keep = own.iter().fold(u64::MAX, |k, p| k & p.keep);
                let bits = own.iter().fold(0, |b, p| b | p.bits);
                fast.merged.push((keep, bits));
            }
        }
        fast
    }

    fn head(&mut self, tables: &Tables, layout: &Layout, task: usize, number: usize) -> Head {
        let head = |kind, first, last| Head { kind, word: 0, shift: 0, mask: 0, first, last };
        match tables.root(task, number) {
            Known::Idle => head(Kind::Idle, 0, 0),
            Known::Outcomes(first, last) if plain(tables, first, last) => head(Kind::Leaf, first, last),
            Known::Look(slot, children) => {
                let first = self.kids.len() as u32;
                for child in children {
                    let kid = match tables.at(*child) {
                        Known::Idle => IDLE,
                        Known::Outcomes(first, last) if plain(tables, first, last) => {
                            self.spans.push((first, last));
                            self.spans.len() as u32 - 1
                        }
                        _ => SLOW,
                    };
                    self.kids.push(kid);
                }
                let (word, shift, mask) = layout.place(slot as usize);
                Head { kind: Kind::Look, word, shift, mask, first, last: self.kids.len() as u32 }
            }
            _ => head(Kind::Slow, 0, 0),
        }
    }

    #[inline]
    pub fn steps(&self, task: &Task, words: &[u64]) -> Found {
        let number = (words[task.word as usize] >> task.shift & task.mask) as u32;
        if number >= task.count {
            return Found::Slow;
        }
        let head = &self.heads[(task.base + number) as usize];
        match head.kind {
            Kind::Idle => Found::Nothing,
            Kind::Leaf => Found::Outcomes(head.first, head.last),
            Kind::Look => {
                let other = (words[head.word as usize] >> head.shift & head.mask) as u32;
                let at = head.first + other;
                if at >= head.last {
                    return Found::Slow;
                }
                match self.kids[at as usize] {
                    IDLE => Found::Nothing,
                    SLOW => Found::Slow,
                    span => {
                        let (first, last) = self.spans[span as usize];
                        Found::Outcomes(first, last)
                    }
                }
            }
            Kind::Slow => Found::Slow,
        }
    }
}

/// Whether nothing has to be noted about some outcomes.
fn plain(tables: &Tables, first: u32, last: u32) -> bool {
    tables.outcomes[first as usize..last as usize].iter().all(|o| !o.notable)
}
