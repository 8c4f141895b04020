//! Which steps are possible in a state, as bits.
//!
//! Every known outcome has a bit. The contents of a slot allow the outcomes whose path in the decision trees does not
//! look at the slot, or looks for just these contents; the outcomes that are possible in a state are those that all its
//! slots allow. So the steps of a state are the conjunction of a few rows of bits, one for each slot, without a branch
//! that the processor could mispredict. Neighbouring slots with few bits are looked up together, in a table for the
//! product of their contents.
//!
//! Why this is right: a leaf of a decision tree is reached exactly if each slot on its path has the contents on that
//! path. The trees are turned into rows mechanically, leaf by leaf, so no definition of "enabled" is added to that of
//! the semantics.
//!
//! Further bits stand for what is not known: a task may have steps under some contents that were never met. If such a
//! bit is set, the trees of that task are asked, where what was learnt since is found, too. If contents exceed what the
//! rows were made for, the whole state is left to the trees. Rows are made anew when such misses have cost as much as
//! making them.
//!
//! Outcomes that show something to a check come last, so a comparison with one number separates them from the others.
//! For states of one word, each outcome is a mask and a word to set.
//!
//! The rows replaced the walk over flat tables (`flat_tables.rs`) for most programs: a search of a gas station took 0.55 of
//! the time, readers and writers 0.65. More than 1,024 bits, or more rows than stay in the near cache, are not worth
//! it, and flat tables remain.

use rendez_petri::step_cache::{DecisionNode, DecisionTrees, NodeId};

use crate::store::{Layout, Patch, merged};

pub struct Enabled {
    groups: Vec<SlotGroup>,
    /// By group and contents: the bits that these allow, in so many blocks.
    rows: Vec<Block>,
    blocks: usize,
    /// All bits that mean something.
    all: Vec<Block>,
    /// The outcomes of the first bits; others are of what is not known.
    outcomes: Vec<u32>,
    /// By further bit: the task whose steps are not known, if it is only one.
    unsure: Vec<Option<u32>>,
    /// How many of the outcomes have nothing to be noted: these come first.
    pub plain: usize,
    /// For states of one word: what the outcome of a bit keeps and sets.
    pub effects: Vec<(u64, u64)>,
    /// By task: the bits of its outcomes.
    of_task: Vec<Block>,
}

/// Bits that are combined at once.
pub type Block = [u64; 2];

/// Slots that lie side by side, and the first row for their contents.
struct SlotGroup {
    word: u32,
    shift: u32,
    mask: u64,
    first: u32,
}

/// Bits of a state that are looked up together.
const TOGETHER: u32 = 8;
/// More bits than this are not combined faster than flat tables are walked.
const MOST_BITS: usize = 1024;
/// More rows than this do not stay where memory is near.
const MOST_ROWS: usize = 1 << 15;

/// Contents of slots, all of which are wanted: one of those listed, for each slot.
type Product = Vec<(u32, Vec<u32>)>;

/// The bits in the making.
struct Maker<'a> {
    trees: &'a DecisionTrees,
    /// How many contents slots have had.
    counts: Vec<u32>,
    /// Outcomes, and where what leads to them ends; it begins behind that of the one before.
    outcomes: Vec<(u32, usize)>,
    paths: Vec<(u32, u32)>,
    /// The contents that led to a node.
    path: Vec<(u32, u32)>,
}

impl Maker<'_> {
    /// Adds the outcomes below a node that looks at a slot; returns what is not known there.
    fn look(&mut self, slot: u32, children: &[NodeId]) -> Vec<Product> {
        // Contents of which nothing is known, and those with the same things unknown below.
        let count = self.counts[slot as usize];
        let mut nothing = Vec::with_capacity(count as usize);
        let mut unknown: Vec<(Vec<Product>, Vec<u32>)> = Vec::new();
        for contents in 0..count {
            match children.get(contents as usize).map_or(DecisionNode::Nothing, |c| self.trees.at(*c)) {
                DecisionNode::Nothing => nothing.push(contents),
                DecisionNode::Idle => {}
                DecisionNode::Look(below, children) => {
                    self.path.push((slot, contents));
                    let below = self.look(below, children);
                    self.path.pop();
                    match unknown.iter_mut().find(|(same, _)| *same == below) {
                        _ if below.is_empty() => {}
                        Some((_, list)) => list.push(contents),
                        None => unknown.push((below, vec![contents])),
                    }
                }
                DecisionNode::Outcomes(first, last) => {
                    for outcome in first..last {
                        self.paths.extend_from_slice(&self.path);
                        self.paths.push((slot, contents));
                        self.outcomes.push((outcome, self.paths.len()));
                    }
                }
            }
        }
        if !nothing.is_empty() {
            unknown.push((vec![Vec::new()], nothing));
        }
        let with = |(below, contents): (Vec<Product>, Vec<u32>)| {
            below.into_iter().map(move |mut product| {
                product.push((slot, contents.clone()));
                product
            })
        };
        unknown.into_iter().flat_map(with).collect()
    }
}

/// What each slot allows, row by row, in the making.
struct SlotRows {
    blocks: usize,
    /// By slot: the bits for which it does not matter; none if it never matters.
    free: Vec<Vec<Block>>,
    /// By slot and contents.
    rows: Vec<Vec<Block>>,
}

impl SlotRows {
    /// A bit wants contents of a slot.
    fn want(&mut self, all: &[Block], layout: &Layout, bit: usize, slot: u32, contents: u32) {
        let (slot, contents) = (slot as usize, contents as usize);
        if self.free[slot].is_empty() {
            self.free[slot] = all.to_vec();
            self.rows[slot].resize(layout.room(slot) * self.blocks, [0; 2]);
        }
        clear(&mut self.free[slot], bit);
        set(&mut self.rows[slot][contents * self.blocks..], bit);
    }
}

fn set(blocks: &mut [Block], bit: usize) {
    blocks[bit / 128][bit / 64 % 2] |= 1 << (bit % 64);
}

fn clear(blocks: &mut [Block], bit: usize) {
    blocks[bit / 128][bit / 64 % 2] &= !(1 << (bit % 64));
}

#[inline(always)]
fn both(a: Block, b: Block) -> Block {
    [a[0] & b[0], a[1] & b[1]]
}

fn either(a: Block, b: Block) -> Block {
    [a[0] | b[0], a[1] | b[1]]
}

impl Enabled {
    /// For contents of slots so many each. None if there are too many outcomes.
    pub fn new(
        trees: &DecisionTrees,
        counts: impl Iterator<Item = usize>,
        layout: &Layout,
        patches: &[Patch],
    ) -> Option<Enabled> {
        let counts: Vec<u32> = counts.map(|count| count as u32).collect();
        let room: usize = (0..counts.len()).map(|slot| layout.room(slot)).sum();
        if room > MOST_ROWS {
            return None;
        }
        let (outcomes, paths, path) = (Vec::new(), Vec::new(), Vec::new());
        let mut maker = Maker { trees, counts, outcomes, paths, path };
        let (mut unknown, mut unsure) = (Vec::new(), Vec::new());
        let mut roots = Vec::new();
        for task in 0..trees.tasks() {
            roots.clear();
            roots.extend((0..trees.roots(task)).map(|n| trees.root_node(task, n)));
            unknown.append(&mut maker.look(task as u32, &roots));
            unsure.resize(unknown.len(), Some(task as u32));
            if maker.outcomes.len() + unknown.len() > MOST_BITS {
                return None;
            }
        }
        // Contents that come later.
        for (slot, count) in maker.counts.iter().enumerate() {
            let later: Vec<u32> = (*count..layout.room(slot) as u32).collect();
            if !later.is_empty() {
                unknown.push(vec![(slot as u32, later)]);
            }
        }
        unsure.resize(unknown.len(), None);
        let starts = std::iter::once(0).chain(maker.outcomes.iter().map(|o| o.1));
        let with_path =
            |(start, (outcome, end)): (usize, &(u32, usize))| (*outcome, &maker.paths[start..*end]);
        let mut outcomes: Vec<(u32, &[(u32, u32)])> = starts.zip(&maker.outcomes).map(with_path).collect();
        outcomes.sort_by_key(|(outcome, _)| trees.outcomes[*outcome as usize].notable);
        let plain = outcomes.partition_point(|(outcome, _)| !trees.outcomes[*outcome as usize].notable);
        let bits = outcomes.len() + unknown.len();
        let blocks = bits.div_ceil(128).max(1);
        let mut all = vec![[0; 2]; blocks];
        (0..bits).for_each(|bit| set(&mut all, bit));
        let mut of_task = vec![[0; 2]; trees.tasks() * blocks];
        let slots = maker.counts.len();
        let mut rows = SlotRows { blocks, free: vec![Vec::new(); slots], rows: vec![Vec::new(); slots] };
        for (bit, (outcome, path)) in outcomes.iter().enumerate() {
            let task = trees.outcomes[*outcome as usize].task.index();
            set(&mut of_task[task * blocks..], bit);
            path.iter().for_each(|(slot, contents)| rows.want(&all, layout, bit, *slot, *contents));
        }
        for (bit, product) in (outcomes.len()..).zip(&unknown) {
            for (slot, list) in product {
                list.iter().for_each(|contents| rows.want(&all, layout, bit, *slot, *contents));
            }
        }
        let effect = |outcome: &u32| merged(&trees.outcomes[*outcome as usize], patches);
        let outcomes: Vec<u32> = outcomes.into_iter().map(|o| o.0).collect();
        let mut enabled = Enabled {
            groups: Vec::new(),
            rows: Vec::new(),
            blocks,
            all,
            effects: if layout.words == 1 { outcomes.iter().map(effect).collect() } else { Vec::new() },
            outcomes,
            unsure,
            plain,
            of_task,
        };
        let mut slot = 0;
        while slot < slots {
            let count = together(layout, &rows, slot);
            enabled.group(layout, &rows, slot..slot + count)?;
            slot += count.max(1);
        }
        Some(enabled)
    }

    /// Adds the rows of slots that lie side by side; none if they are too many.
    fn group(&mut self, layout: &Layout, rows: &SlotRows, slots: std::ops::Range<usize>) -> Option<()> {
        let (word, shift, _) = layout.place(slots.start);
        let place = |slot: usize| {
            let (_, at, mask) = layout.place(slot);
            (at.saturating_sub(shift), mask)
        };
        let mask = slots.clone().map(place).fold(0, |all, (at, mask)| all | mask << at);
        if slots.is_empty() {
            return Some(());
        }
        let first = self.rows.len();
        if first + (mask as usize + 1) * self.blocks > MOST_ROWS {
            return None;
        }
        // Slot by slot: what those before allow, once for each content.
        let (mut group, mut row) = (self.all.clone(), Vec::with_capacity(self.blocks));
        for slot in slots {
            let room = group.len() * layout.room(slot);
            let before = std::mem::replace(&mut group, Vec::with_capacity(room));
            for own in rows.rows[slot].chunks_exact(self.blocks).take(layout.room(slot)) {
                row.clear();
                row.extend(rows.free[slot].iter().zip(own).map(|(free, own)| either(*free, *own)));
                for allowed in before.chunks_exact(self.blocks) {
                    group.extend(allowed.iter().zip(&row).map(|(a, b)| both(*a, *b)));
                }
            }
        }
        self.rows.append(&mut group);
        self.groups.push(SlotGroup { word, shift, mask, first: first as u32 });
        Some(())
    }

    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The bits that a state allows, in blocks from one on.
    #[inline(always)]
    pub fn allowed<const B: usize>(&self, words: &[u64], from: usize) -> [Block; B] {
        let mut all = [[0; 2]; B];
        all.copy_from_slice(&self.all[from..from + B]);
        for group in &self.groups {
            let contents = words[group.word as usize] >> group.shift & group.mask;
            let row = group.first as usize + contents as usize * self.blocks + from;
            let row = &self.rows[row..row + B];
            (0..B).for_each(|i| all[i] = both(all[i], row[i]));
        }
        all
    }

    /// The outcome of a bit; none if something is not known.
    #[inline(always)]
    pub fn outcome(&self, bit: usize) -> Option<u32> {
        self.outcomes.get(bit).copied()
    }

    /// The task whose steps are not known, for a bit without outcome; none if that may be any.
    pub fn unsure(&self, bit: usize) -> Option<u32> {
        self.unsure[bit - self.outcomes.len()]
    }

    /// Takes the outcomes of a task out of blocks from one on.
    pub fn leave_out(&self, task: usize, from: usize, blocks: &mut [Block]) {
        let own = &self.of_task[task * self.blocks + from..];
        blocks.iter_mut().zip(own).for_each(|(block, own)| *block = both(*block, [!own[0], !own[1]]));
    }
}

/// How many slots, from one on, are looked up together; 0 if nobody looks at the first.
fn together(layout: &Layout, rows: &SlotRows, first: usize) -> usize {
    let (word, shift, _) = layout.place(first);
    let beside = |slot: usize| {
        let (w, at, mask) = layout.place(slot);
        let short = || slot == first || mask == 0 || at + mask.count_ones() - shift <= TOGETHER;
        !rows.free[slot].is_empty() && w == word && short()
    };
    (first..rows.free.len()).take_while(|slot| beside(*slot)).count()
}
