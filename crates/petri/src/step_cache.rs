//! What each task can do: the steps of the program, memoised.
//!
//! What a task does next depends on the contents of a few slots: its own, that of the task it calls, that of a
//! protected object. The first time a combination turns up, the step is run on a watched state, one that logs which of
//! its parts are read (`rendez_model::watch`). What was read, in that order, becomes a path in a decision tree; the
//! outcomes become its leaf: slots with their new contents. From then on, the step costs a walk down the tree. The
//! search never interprets the program twice, and still knows nothing about its meaning that the semantics did not say.
//!
//! Why this is right: the semantics is deterministic in what it reads. Two states that agree on everything that a step
//! read give the same outcomes, because the step could not observe a difference. For the same reason the tree is
//! consistent: which slot is read next depends only on the contents read before. A written part counts as read, so
//! unread slots are unchanged.
//!
//! In CATS, an interaction is a matched pair of edges of two graphs (Young et al., 1995, definition 3.2.5). Here it is
//! a step of the task that begins it, and the tree finds the partners.
//!
//! Along with each outcome, the network keeps its story: the moves it stands for, what they show to checks and
//! monitors, which tasks made progress. A search needs the story only for reports, and for the graphs of formulas.
//!
//! The paper's kinds of graphs differ in what a node is. *Modified* has a node for each place of interaction,
//! *optimized* one for each interaction that may lead there, *unoptimized* also splits each rendezvous in two; *split*
//! does so only where a rendezvous hands something back, for the nets of INCA.

use std::sync::Arc;

use indexmap::IndexSet;
use rendez_model::semantics::{Move, Step, StepEvent};
use rendez_model::state::State;
use rendez_model::watch::Log;
use rendez_model::{Action, EntryId, Loc, Owner, TaskId};
use rendez_verdict::{Observation, seen_in};

use crate::slots::{Note, RendezvousRole, SlotSplit, Slots, rests_at};
use crate::steps::{Fate, MacroStep, Steps};

/// What a slot of the watched state holds before anything was put there: no content has that number.
const NO_CONTENT: u32 = u32::MAX;
/// Slots that are compared at once.
const BLOCK: usize = 16;

/// The number of a node in the decision trees, or one of two that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// No step was learnt for these contents.
    const UNKNOWN: NodeId = NodeId(u32::MAX);
    /// Known to have no step, whatever the other slots hold.
    const IDLE: NodeId = NodeId(u32::MAX - 1);

    /// Whether the trees have a node with this number.
    #[inline]
    fn is_node(self) -> bool {
        self < NodeId::IDLE
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
enum TreeNode {
    /// Look at a slot; the index of its children.
    Look { slot: u32, children: u32 },
    /// A range of outcomes.
    Leaf { first: u32, last: u32 },
}

/// One outcome of a step.
#[derive(Clone, Debug)]
pub struct MemoisedOutcome {
    pub task: TaskId,
    pub fate: Fate,
    pub guessed: bool,
    /// Range of the slots that change, in `changes`.
    pub changes: (u32, u32),
    /// Exceptions and the like happen on the way.
    pub notable: bool,
}

/// What else is known about an outcome; not needed while searching.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pub moves: Vec<Move>,
    pub steps: Vec<Step>,
    pub movers: Vec<(TaskId, u8)>,
    pub seen: Vec<Observation>,
    pub entries: Vec<(EntryId, bool, bool)>,
    /// The groups of steps that tasks with a choice have chosen.
    pub groups: Vec<(TaskId, u32)>,
}

/// A node of a decision tree.
pub enum DecisionNode<'a> {
    Nothing,
    Idle,
    Outcomes(u32, u32),
    /// A slot to look at, and where to go on for each of its contents.
    Look(u32, &'a [NodeId]),
}

/// Everything that is needed to find the successors of a state.
#[derive(Default)]
pub struct DecisionTrees {
    nodes: Vec<TreeNode>,
    children: Vec<Vec<NodeId>>,
    /// By task and contents of its slot.
    roots: Vec<Vec<NodeId>>,
    /// By task and contents: all its steps are choices of its own.
    only_chooses: Vec<Vec<bool>>,
    anyone_only_chooses: bool,
    /// By task: how many contents its slot has had.
    counts: Vec<usize>,
    learnt: usize,
    pub outcomes: Vec<MemoisedOutcome>,
    /// Slots and their new contents.
    pub changes: Vec<(u32, u32)>,
}

pub struct StepCache<'s, 'p> {
    pub steps: Steps<'s, 'p>,
    pub slots: Slots,
    pub trees: DecisionTrees,
    pub stories: Vec<Story>,
    log: Arc<Log>,
    /// The state that was looked at last, watched, and its contents.
    last: State,
    contents: Vec<u32>,
    pub first: MacroStep,
    pub tig: Tig,
    /// Numbers of interactions, for notes.
    sites: IndexSet<(Loc, EntryId, RendezvousRole)>,
}

/// Who takes part in a rendezvous, the number of the interaction, and whether it is still to end.
type Met = (TaskId, u32, Option<(EntryId, RendezvousRole)>);

/// The three kinds of task interaction graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tig {
    /// One node for each place where a task interacts.
    #[default]
    Modified,
    /// One node for each interaction that may lead there.
    Optimized,
    /// And each rendezvous begins and ends in steps of their own.
    Unoptimized,
    /// As the modified kind, but a rendezvous that hands something back begins and ends in steps of
    /// its own, and the acceptor knows the caller in between.
    Split,
}

impl DecisionTrees {
    pub fn tasks(&self) -> usize {
        self.roots.len()
    }

    /// The outcomes of a task's next step, if this combination of contents was seen before.
    #[inline]
    pub fn known(&self, task: usize, value: impl Fn(usize) -> u32) -> Option<std::ops::Range<u32>> {
        let mut at = *self.roots[task].get(value(task) as usize)?;
        loop {
            if !at.is_node() {
                return if at == NodeId::IDLE { Some(0..0) } else { None };
            }
            match self.nodes[at.index()] {
                TreeNode::Leaf { first, last } => return Some(first..last),
                TreeNode::Look { slot, children } => {
                    at = *self.children[children as usize].get(value(slot as usize) as usize)?;
                }
            }
        }
    }

    /// The slots that a task's next step looks at, its own first.
    pub fn looked_at(&self, task: usize, value: impl Fn(usize) -> u32, mut f: impl FnMut(usize)) {
        f(task);
        let mut at = self.roots[task].get(value(task) as usize).copied().unwrap_or(NodeId::UNKNOWN);
        while at.is_node()
            && let TreeNode::Look { slot, children } = self.nodes[at.index()]
        {
            f(slot as usize);
            let list = &self.children[children as usize];
            at = list.get(value(slot as usize) as usize).copied().unwrap_or(NodeId::UNKNOWN);
        }
    }

    /// Whether a task with these contents only chooses for itself; None if that is not known.
    #[inline]
    pub fn only_chooses(&self, task: usize, number: u32) -> Option<bool> {
        match self.knows(task, number) {
            true => Some(self.only_chooses[task][number as usize]),
            false => None,
        }
    }

    /// How many contents of a task's slot have a root.
    pub fn roots(&self, task: usize) -> usize {
        self.roots[task].len()
    }

    pub fn root(&self, task: usize, number: usize) -> DecisionNode<'_> {
        self.at(self.root_node(task, number))
    }

    /// Where the tree of a task with these contents begins.
    pub fn root_node(&self, task: usize, number: usize) -> NodeId {
        self.roots[task].get(number).copied().unwrap_or(NodeId::UNKNOWN)
    }

    /// Where to go on from a node that looks at a slot with these contents.
    pub fn child(&self, node: NodeId, number: u32) -> NodeId {
        match self.at(node) {
            DecisionNode::Look(_, children) => {
                children.get(number as usize).copied().unwrap_or(NodeId::UNKNOWN)
            }
            _ => node,
        }
    }

    pub fn at(&self, node: NodeId) -> DecisionNode<'_> {
        match node {
            NodeId::UNKNOWN => DecisionNode::Nothing,
            NodeId::IDLE => DecisionNode::Idle,
            node => match self.nodes[node.index()] {
                TreeNode::Leaf { first, last } => DecisionNode::Outcomes(first, last),
                TreeNode::Look { slot, children } => {
                    DecisionNode::Look(slot, &self.children[children as usize])
                }
            },
        }
    }

    /// Whether the steps of a task are known for all contents that its slot ever had.
    pub fn all_known(&self, task: usize) -> bool {
        self.counts.get(task) == Some(&self.roots[task].len())
            && self.roots[task].iter().all(|r| *r != NodeId::UNKNOWN)
    }

    /// Grows with everything that is learnt.
    pub fn size(&self) -> usize {
        self.learnt
    }

    #[inline]
    pub fn anyone_only_chooses(&self) -> bool {
        self.anyone_only_chooses
    }

    fn knows(&self, task: usize, number: u32) -> bool {
        self.roots[task].get(number as usize).is_some_and(|r| *r != NodeId::UNKNOWN)
    }

    fn insert(&mut self, task: usize, values: &[u32], looked: &[u32], leaf: TreeNode) {
        self.learnt += 1;
        let roots = &mut self.roots[task];
        let own = values[task] as usize;
        if roots.len() <= own {
            roots.resize(own + 1, NodeId::UNKNOWN);
        }
        // Where the next node hangs: a root, or a child.
        let mut place: Option<(u32, usize)> = None;
        let mut at = roots[own];
        for &slot in looked.iter().filter(|s| **s as usize != task) {
            let children = match at.is_node().then(|| self.nodes[at.index()]) {
                Some(TreeNode::Look { slot: s, children }) => {
                    debug_assert_eq!(s, slot, "steps look at slots in an order of their own");
                    children
                }
                _ => {
                    let children = self.children.len() as u32;
                    self.children.push(Vec::new());
                    let node = NodeId(self.nodes.len() as u32);
                    self.nodes.push(TreeNode::Look { slot, children });
                    self.hang(task, own, place, node);
                    children
                }
            };
            let value = values[slot as usize] as usize;
            let list = &mut self.children[children as usize];
            if list.len() <= value {
                list.resize(value + 1, NodeId::UNKNOWN);
            }
            place = Some((children, value));
            at = list[value];
        }
        let empty = matches!(leaf, TreeNode::Leaf { first, last } if first == last);
        let node = if empty { NodeId::IDLE } else { NodeId(self.nodes.len() as u32) };
        if !empty {
            self.nodes.push(leaf);
        }
        self.hang(task, own, place, node);
    }

    fn hang(&mut self, task: usize, own: usize, place: Option<(u32, usize)>, node: NodeId) {
        match place {
            None => self.roots[task][own] = node,
            Some((children, value)) => self.children[children as usize][value] = node,
        }
    }
}

impl<'s, 'p> StepCache<'s, 'p> {
    pub fn new(steps: Steps<'s, 'p>, tig: Tig) -> Self {
        StepCache::with(steps, tig, &SlotSplit::Nobody)
    }

    pub fn with(steps: Steps<'s, 'p>, tig: Tig, split: &SlotSplit) -> Self {
        let first = steps.first();
        let program = steps.semantics.program;
        let slots = Slots::new(program, &steps.access, &first.state, tig != Tig::Modified, split);
        let trees = DecisionTrees {
            roots: vec![Vec::new(); program.tasks.len()],
            only_chooses: vec![Vec::new(); program.tasks.len()],
            ..DecisionTrees::default()
        };
        let (mut last, contents) = (slots.blank(), vec![NO_CONTENT; slots.count_slots()]);
        StepCache {
            slots,
            trees,
            stories: Vec::new(),
            log: last.watch(),
            last,
            contents,
            first,
            steps,
            tig,
            sites: IndexSet::new(),
        }
    }

    /// The contents of every slot at the start.
    pub fn start(&mut self) -> Vec<u32> {
        let program = self.steps.semantics.program;
        let state = self.first.state.clone();
        (0..self.slots.count_slots())
            .map(|slot| self.slots.number(program, &state, slot, Note::default()))
            .collect()
    }

    /// Runs the step of a task on the semantics and remembers what it depends on.
    pub fn learn(&mut self, task: usize, values: &[u32]) {
        let id = TaskId::from(task);
        if let Some((entry, role)) = self.slots.note(task, values[task]).engaged {
            return self.learn_end(id, entry, role, values);
        }
        let state = self.watched(values);
        let mut found = Vec::new();
        self.steps.of(&state, id, &mut found);
        let looked: Vec<u32> = self.slots_of(&self.log.take());
        let first = self.trees.outcomes.len() as u32;
        for step in found {
            self.add(id, values, &looked, step, first);
        }
        let last = self.trees.outcomes.len() as u32;
        if !self.trees.knows(task, values[task]) {
            let only_chooses = self.steps.chooses(&state, id);
            // With other values in cells that lie elsewhere it might be otherwise.
            let looked = self.slots_of(&self.log.take());
            let elsewhere = looked.iter().any(|s| self.slots.keeper(*s as usize) == Some(id));
            self.learn_only_chooses(task, values[task], only_chooses && !elsewhere);
        }
        self.log.take();
        self.trees.insert(task, values, &looked, TreeNode::Leaf { first, last });
        self.count();
    }

    /// The state with these contents, made of the last one, of which it has most.
    fn watched(&mut self, values: &[u32]) -> State {
        // Most blocks of slots are as they were.
        for (first, block) in (0..).step_by(BLOCK).zip(values.chunks(BLOCK)) {
            if self.contents[first..first + block.len()] == *block {
                continue;
            }
            for (slot, value) in (first..).zip(block) {
                let old = std::mem::replace(&mut self.contents[slot], *value);
                if old != *value {
                    self.slots.fill(&mut self.last, slot, Some(old).filter(|old| *old != NO_CONTENT), *value);
                }
            }
        }
        self.log.take();
        self.last.clone()
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

    fn add(&mut self, task: TaskId, values: &[u32], looked: &[u32], step: MacroStep, first: u32) {
        let program = self.steps.semantics.program;
        let from = self.trees.changes.len();
        if step.fate == Fate::Followed {
            let met = self.meeting(&step);
            for &slot in looked {
                let slot = slot as usize;
                let old = values[slot];
                let mut note = self.slots.note(slot, old);
                if let Some((_, last, engaged)) = met.iter().find(|m| m.0.index() == slot) {
                    // A task in the middle of a rendezvous takes part in no other.
                    if note.engaged.is_some() {
                        self.trees.changes.truncate(from);
                        return;
                    }
                    note = Note { last: *last, engaged: *engaged };
                }
                let new = self.slots.number(program, &step.state, slot, note);
                if old != new {
                    self.trees.changes.push((slot as u32, new));
                }
            }
            self.forget(values, looked, &step);
        }
        let seen: Vec<Observation> = step.steps.iter().flat_map(seen_in).collect();
        let outcome = MemoisedOutcome {
            task,
            fate: step.fate,
            guessed: step.guessed,
            changes: (from as u32, self.trees.changes.len() as u32),
            notable: !seen.is_empty() || step.fate != Fate::Followed,
        };
        // Guards that are not known may let the same thing happen in several ways.
        let same = |o: &MemoisedOutcome| {
            o.guessed == outcome.guessed
                && !o.notable
                && !outcome.notable
                && self.trees.changes[o.changes.0 as usize..o.changes.1 as usize]
                    == self.trees.changes[from..]
        };
        if outcome.guessed && self.trees.outcomes[first as usize..].iter().any(same) {
            self.trees.changes.truncate(from);
            return;
        }
        self.trees.outcomes.push(outcome);
        self.stories.push(Story {
            moves: step.moves,
            steps: step.steps,
            movers: step.movers,
            seen,
            entries: step.entries,
            groups: step.groups,
        });
    }

    /// Cells that have slots of their own and are read no more after a step, though it did not look at them.
    fn forget(&mut self, values: &[u32], looked: &[u32], step: &MacroStep) {
        let program = self.steps.semantics.program;
        let mut slots = Vec::new();
        for &task in looked.iter().filter(|s| (**s as usize) < program.tasks.len()) {
            let task = task as usize;
            let to = rests_at(program, task, step.state.tasks.peek(task));
            self.slots.each_forgotten(task, values[task], to, |slot| slots.push(slot));
        }
        for slot in slots.into_iter().filter(|s| !looked.contains(s)) {
            let new = self.slots.number(program, &step.state, slot as usize, Note::default());
            self.trees.changes.push((slot, new));
        }
    }

    /// Who takes part in the rendezvous of a step, and what that leaves in their notes.
    fn meeting(&mut self, step: &MacroStep) -> Vec<Met> {
        if self.tig == Tig::Modified {
            return Vec::new();
        }
        let mut met = Vec::new();
        for (i, s) in step.steps.iter().enumerate() {
            if let StepEvent::Accepted { caller, acceptor, entry, .. } = s.what {
                let site =
                    |task: TaskId| step.steps[..=i].iter().rev().find(|s| s.task == task).map(|s| s.loc);
                for (task, role) in [(caller, RendezvousRole::Caller), (acceptor, RendezvousRole::Acceptor)] {
                    if self.tig == Tig::Split {
                        met.push(match self.hands_back(entry) {
                            true => (task, caller.0 + 1, Some((entry, role))),
                            false => (task, 0, None),
                        });
                        continue;
                    }
                    let loc = site(task).unwrap_or(s.loc);
                    let last = self.sites.insert_full((loc, entry, role)).0 as u32 + 1;
                    let engaged = (self.tig == Tig::Unoptimized).then_some((entry, role));
                    met.push((task, last, engaged));
                }
            }
        }
        met
    }

    /// Whether some accept statement for an entry has results.
    fn hands_back(&self, entry: EntryId) -> bool {
        let program = self.steps.semantics.program;
        program.nodes.iter().any(|n| match &n.action {
            Action::Select { alternatives, .. } => alternatives.iter().any(|a| {
                a.formals.iter().any(|f| f.mode.copies_out())
                    && program.possible_entries(&a.entry).contains(&entry)
            }),
            _ => false,
        })
    }

    /// The end of a rendezvous that is a step of its own.
    fn learn_end(&mut self, task: TaskId, entry: EntryId, role: RendezvousRole, values: &[u32]) {
        let program = self.steps.semantics.program;
        let partner = match program.entries[entry.index()].owner {
            Owner::Task(owner) if role == RendezvousRole::Caller => Some(owner),
            _ => None,
        };
        let first = self.trees.outcomes.len() as u32;
        let mut looked = vec![task.0];
        if let Some(partner) = partner {
            looked.push(partner.0);
            let from = self.trees.changes.len() as u32;
            let theirs = self.slots.note(partner.index(), values[partner.index()]);
            let mine = self.tig != Tig::Split || theirs.last == task.0 + 1;
            if mine && theirs.engaged == Some((entry, RendezvousRole::Acceptor)) {
                let state = self.slots.state(values.iter().copied());
                for slot in [task.index(), partner.index()] {
                    let mut note = Note { engaged: None, ..self.slots.note(slot, values[slot]) };
                    if self.tig == Tig::Split {
                        note.last = 0;
                    }
                    let new = self.slots.number(program, &state, slot, note);
                    self.trees.changes.push((slot as u32, new));
                }
                self.trees.outcomes.push(MemoisedOutcome {
                    task,
                    fate: Fate::Followed,
                    guessed: false,
                    changes: (from, from + 2),
                    notable: false,
                });
                self.stories.push(Story {
                    movers: vec![(task, 0), (partner, 0)],
                    entries: vec![(entry, false, true)],
                    ..Story::default()
                });
            }
        }
        let last = self.trees.outcomes.len() as u32;
        self.learn_only_chooses(task.index(), values[task.index()], false);
        self.trees.insert(task.index(), values, &looked, TreeNode::Leaf { first, last });
        self.count();
    }

    /// Counts the contents that task slots have had so far.
    pub fn count(&mut self) {
        let slots = &self.slots;
        self.trees.counts = (0..self.trees.roots.len()).map(|t| slots.count(t)).collect();
    }

    /// The single moves of some outcomes, from the start.
    pub fn moves(&self, path: &[u32]) -> Vec<Move> {
        let mut moves = self.first.moves.clone();
        moves.extend(path.iter().flat_map(|o| &self.stories[*o as usize].moves));
        moves
    }

    fn learn_only_chooses(&mut self, task: usize, own: u32, only_chooses: bool) {
        let list = &mut self.trees.only_chooses[task];
        if list.len() <= own as usize {
            list.resize(own as usize + 1, false);
        }
        list[own as usize] = only_chooses;
        self.trees.anyone_only_chooses |= only_chooses;
    }

    pub fn memory(&self) -> usize {
        self.slots.memory()
            + self.trees.nodes.len() * 12
            + self.trees.children.iter().map(|c| c.capacity() * 4 + 24).sum::<usize>()
            + self.trees.outcomes.len() * 32
            + self.stories.iter().map(|s| 150 + s.moves.len() * 8 + s.steps.len() * 90).sum::<usize>()
    }
}
