//! Learns the net of a program from its steps.
//!
//! Learning is incremental: only combinations with a place that became parallel to something new are looked at, going
//! down the decision trees, and rows of the relation are bits. Places are taken round and round in the order in which
//! they were found, since late places hear of much at once; that took a thirtieth of the looks. Combinations of many
//! slots may multiply, and then the net is given up as too large.
//!
//! Why nothing is missed: a step is possible in some state only if any two of the contents that it looks at are
//! co-reachable. The relation grows until nothing changes, every pair that is new is looked at with every combination
//! that has it, and a combination for which some slot has no content yet waits until that slot gets one.

use std::sync::atomic::Ordering;

use rendez_analysis::bits::Bits;
use rustc_hash::FxHashSet;

use super::{
    Budget, Component, Consequences, Learning, Net, NoNet, Place, PlaceId, Transition, TransitionRole,
};
use crate::step_cache::{DecisionNode, NodeId, StepCache};
use crate::steps::Fate;

struct Learner<'n, 's, 'p, 'a> {
    cache: &'n mut StepCache<'s, 'p>,
    learning: &'a Learning<'a>,
    net: Net,
    /// Slot and content of each place.
    held: Vec<(u32, u32)>,
    /// By slot and content: its place, if there is one.
    ids: Vec<Vec<Option<PlaceId>>>,
    of_slot: Vec<Bits>,
    start: Vec<u32>,
    last: Combination,
    /// Places of tasks whose steps have been looked at.
    begun: Bits,
    /// By slot: places of tasks whose steps look at it.
    watchers: Vec<Bits>,
    /// By place of a task: the other slots that its steps look at.
    looks: Vec<Bits>,
    subtrees: Subtrees,
    /// The slots with a place that the one looked at has become parallel to.
    fresh: Bits,
    /// The first outcomes of steps for which no component is without a place.
    possible: FxHashSet<u32>,
    blocked: Blocked,
    consequences: Consequences,
    tracked_queues: usize,
    work: usize,
    deep: usize,
}

/// The combination that was looked at last.
struct Combination {
    /// What the slots held.
    values: Vec<u32>,
    /// The places of that.
    places: Bits,
}

/// What lies below each node of the decision trees.
#[derive(Default)]
struct Subtrees {
    /// The places after which there is more to look at.
    inner: Vec<Bits>,
    /// The slots that are looked at from there on.
    slots: Vec<Bits>,
}

/// Combinations for which some slot has no place.
#[derive(Default)]
struct Blocked {
    /// Their places, and the slot; none if the combination is looked at anew.
    combinations: Vec<Option<(Vec<PlaceId>, u32)>>,
    /// By place: the combinations it is in.
    by_place: Vec<Vec<u32>>,
}

/// Combinations of more places than this may multiply: so many of them are looked at, and so many more for
/// each place and outcome that there are.
const DEEP: usize = 4;
const WORK: usize = 30;
const FIRST_WORK: usize = 100_000;

impl Net {
    /// The net of a program, as its step cache tells it.
    pub fn learn(cache: &mut StepCache, learning: &Learning) -> Result<Net, NoNet> {
        let start = cache.start();
        let slots = start.len();
        let tracked_queues = cache.steps.tracked_queues.borrow().len();
        let mut learner = Learner {
            cache,
            learning,
            net: Net { with_loops: learning.with_loops, ..Net::default() },
            held: Vec::new(),
            ids: vec![Vec::new(); slots],
            of_slot: vec![Bits::default(); slots],
            start: start.clone(),
            last: Combination { values: start.clone(), places: Bits::default() },
            begun: Bits::default(),
            watchers: vec![Bits::default(); slots],
            looks: Vec::new(),
            subtrees: Subtrees::default(),
            fresh: Bits::new(slots),
            possible: FxHashSet::default(),
            blocked: Blocked::default(),
            consequences: Consequences::default(),
            tracked_queues,
            work: 0,
            deep: 0,
        };
        for slot in 0..slots as u32 {
            let component = Component { name: String::new(), slots: vec![slot] };
            learner.net.components.push(component);
        }
        for (slot, content) in start.iter().enumerate() {
            let place = learner.place(slot as u32, *content);
            learner.net.initial.push(place);
            learner.last.places.grow(place as usize + 1);
            learner.last.places.set(place);
        }
        let initial = learner.net.initial.clone();
        for a in &initial {
            learner.net.parallel.reach(*a);
            for b in initial.iter().filter(|b| *b != a) {
                learner.net.parallel.pair(*a, *b);
            }
        }
        while let Some(place) = learner.net.parallel.take() {
            learner.look_at(place)?;
        }
        let mut net = learner.net;
        for c in 0..net.components.len() {
            net.components[c].name = cache.slots.name(cache.steps.semantics.program, c);
        }
        Ok(net.compact())
    }
}

impl Learner<'_, '_, '_, '_> {
    fn place(&mut self, slot: u32, content: u32) -> PlaceId {
        let ids = &mut self.ids[slot as usize];
        if ids.len() <= content as usize {
            ids.resize(content as usize + 1, None);
        }
        if let Some(id) = ids[content as usize] {
            return id;
        }
        let id = self.net.places.len() as PlaceId;
        ids[content as usize] = Some(id);
        self.net.places.push(Place { component: slot, contents: vec![content], interval: 0 });
        self.held.push((slot, content));
        self.of_slot[slot as usize].grow(id as usize + 1);
        self.of_slot[slot as usize].set(id);
        self.net.parallel.grow(id as usize + 1);
        self.begun.grow(id as usize + 1);
        self.blocked.by_place.push(Vec::new());
        self.looks.push(Bits::new(self.start.len()));
        id
    }

    /// Something new is known about a place: looks for combinations that are new with it.
    fn look_at(&mut self, place: PlaceId) -> Result<(), NoNet> {
        self.tick()?;
        self.consequences.follow(place, &mut self.net.parallel, &self.net.transitions);
        self.fresh.clear();
        for q in self.consequences.news.ones() {
            self.fresh.set(self.held[q as usize].0);
        }
        let slot = self.slot(place);
        if (slot as usize) < self.cache.trees.tasks() {
            let first = self.begun.set(place);
            if first || self.looks[place as usize].intersects(&self.fresh) {
                self.descend(slot, &mut vec![place], place, first, self.root(slot, place))?;
            }
        }
        for i in std::mem::take(&mut self.blocked.by_place[place as usize]) {
            let Some((chosen, missing)) = self.blocked.combinations[i as usize].clone() else { continue };
            if !self.consequences.news.intersects(&self.of_slot[missing as usize]) {
                self.blocked.by_place[place as usize].push(i);
                continue;
            }
            // If it is still blocked, it is noted anew.
            self.blocked.combinations[i as usize] = None;
            let task = self.slot(chosen[0]);
            let node = self.walk(task, &chosen);
            self.descend(task, &mut chosen.clone(), place, true, node)?;
        }
        let mut others = Vec::new();
        self.net.parallel.each_common(
            &[place],
            &self.watchers[slot as usize],
            |_| u64::MAX,
            |own| {
                let new = self.consequences.news.holds(own);
                if new || self.looks[own as usize].intersects(&self.fresh) {
                    others.push((own, new));
                }
            },
        );
        for (own, new) in others {
            let task = self.slot(own);
            self.descend(task, &mut vec![own], place, new, self.root(task, own))?;
        }
        Ok(())
    }

    /// Whether there is time and room to go on.
    fn tick(&mut self) -> Result<(), NoNet> {
        self.work += 1;
        let Budget { until, memory, control } = self.learning.budget;
        if self.work.is_multiple_of(1024) && control.stop.load(Ordering::Relaxed) {
            return Err(NoNet::Interrupted);
        }
        if self.work.is_multiple_of(256) && until.is_some_and(|t| std::time::Instant::now() > t) {
            return Err(NoNet::Late);
        }
        if self.work.is_multiple_of(16_384) && self.cache.memory() + self.net.memory() > memory {
            return Err(NoNet::Full);
        }
        Ok(())
    }

    /// The steps of a task at its own place look at a slot.
    fn watch(&mut self, slot: u32, own: PlaceId) {
        if self.looks[own as usize].set(slot) {
            self.watchers[slot as usize].grow(own as usize + 1);
            self.watchers[slot as usize].set(own);
        }
    }

    /// Goes down the tree of what a step looks at, for every combination with `must` in it that is new: it
    /// has a place that `must` was not parallel to before. The chosen places lead to a node of the tree.
    fn descend(
        &mut self,
        task: u32,
        chosen: &mut Vec<PlaceId>,
        must: PlaceId,
        new: bool,
        mut node: NodeId,
    ) -> Result<(), NoNet> {
        self.tick()?;
        self.limit_work(chosen.len())?;
        let mut fits = false;
        loop {
            match self.cache.trees.at(node) {
                DecisionNode::Nothing if !new => return Ok(()),
                DecisionNode::Nothing => {
                    let Some(values) = self.values(chosen) else { return Ok(()) };
                    self.learn_step(task, &values)?;
                    node = self.walk(task, chosen);
                    fits = true;
                }
                DecisionNode::Idle => return Ok(()),
                DecisionNode::Outcomes(first, last) => {
                    let fires = new && first < last && chosen.contains(&must);
                    if fires && !self.possible.contains(&first) && (fits || self.values(chosen).is_some()) {
                        // What was possible once stays possible.
                        self.possible.insert(first);
                        (first..last).for_each(|outcome| self.fire(outcome, chosen));
                    }
                    return Ok(());
                }
                // Nothing new is looked at any more, or not the place that must be there.
                DecisionNode::Look(..)
                    if !new && !self.subtrees.slots[node.index()].intersects(&self.fresh) =>
                {
                    return Ok(());
                }
                DecisionNode::Look(..)
                    if !self.subtrees.slots[node.index()].holds(self.slot(must))
                        && !chosen.contains(&must) =>
                {
                    return Ok(());
                }
                DecisionNode::Look(slot, _) => {
                    self.watch(slot, chosen[0]);
                    // Places that are found on the way are looked at for themselves.
                    for q in self.candidates(slot, chosen, must, new, node) {
                        let new = new || self.consequences.news.holds(q);
                        let next = self.cache.trees.child(node, self.content(q));
                        chosen.push(q);
                        self.descend(task, chosen, must, new, next)?;
                        chosen.pop();
                        let next = self.cache.trees.child(node, self.content(q));
                        if new && matches!(self.cache.trees.at(next), DecisionNode::Look(..)) {
                            self.subtrees.inner[node.index()].grow(q as usize + 1);
                            self.subtrees.inner[node.index()].set(q);
                        }
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Gives up where combinations of many places multiply.
    fn limit_work(&mut self, places: usize) -> Result<(), NoNet> {
        self.deep += usize::from(places > DEEP);
        let found = self.cache.trees.outcomes.len() + self.net.places.len();
        if self.deep > FIRST_WORK + found * WORK { Err(NoNet::TooLarge) } else { Ok(()) }
    }

    /// Runs the step of a task on a combination for which it is not known.
    fn learn_step(&mut self, task: u32, values: &[u32]) -> Result<(), NoNet> {
        self.cache.learn(task as usize, values);
        if self.cache.trees.outcomes.len() + self.net.places.len() > self.learning.most {
            return Err(NoNet::TooLarge);
        }
        if self.cache.steps.tracked_queues.borrow().len() > self.tracked_queues {
            return Err(NoNet::TrackQueues);
        }
        self.note_path(task, values);
        Ok(())
    }

    /// The places of a slot that go with the chosen ones, and with the one that must be there.
    fn candidates(
        &self,
        slot: u32,
        chosen: &mut Vec<PlaceId>,
        must: PlaceId,
        new: bool,
        node: NodeId,
    ) -> Vec<PlaceId> {
        if self.slot(must) == slot {
            let fits = chosen.iter().all(|p| self.net.parallel.get(*p, must));
            return if fits { vec![must] } else { Vec::new() };
        }
        let depth = chosen.len();
        if !chosen.contains(&must) {
            chosen.push(must);
        }
        // With places that are not new, only those that lead on can become so.
        let (news, inner) = (&self.consequences.news, &self.subtrees.inner[node.index()]);
        let among = &self.of_slot[slot as usize];
        let within = |w: usize| match new {
            true => u64::MAX,
            false => news.word(w) | inner.word(w),
        };
        let mut candidates = Vec::new();
        self.net.parallel.each_common(chosen, among, within, |q| candidates.push(q));
        chosen.truncate(depth);
        candidates
    }

    fn slot(&self, place: PlaceId) -> u32 {
        self.held[place as usize].0
    }

    fn content(&self, place: PlaceId) -> u32 {
        self.held[place as usize].1
    }

    fn root(&self, task: u32, own: PlaceId) -> NodeId {
        self.cache.trees.root_node(task as usize, self.content(own) as usize)
    }

    /// The node of the tree to which the chosen places lead.
    fn walk(&self, task: u32, chosen: &[PlaceId]) -> NodeId {
        let trees = &self.cache.trees;
        let mut node = self.root(task, chosen[0]);
        while let DecisionNode::Look(slot, _) = trees.at(node) {
            let Some(q) = chosen.iter().find(|p| self.slot(**p) == slot) else { break };
            node = trees.child(node, self.content(*q));
        }
        node
    }

    /// What is looked at on the way that a step has just been learnt for.
    fn note_path(&mut self, task: u32, values: &[u32]) {
        let trees = &self.cache.trees;
        let mut node = trees.root_node(task as usize, values[task as usize] as usize);
        let mut path = Vec::new();
        while let DecisionNode::Look(slot, _) = trees.at(node) {
            path.push((node, slot));
            node = trees.child(node, values[slot as usize]);
        }
        let mut slots = Bits::new(values.len());
        for (node, slot) in path.into_iter().rev() {
            slots.set(slot);
            if self.subtrees.slots.len() <= node.index() {
                self.subtrees.slots.resize(node.index() + 1, Bits::default());
                self.subtrees.inner.resize(node.index() + 1, Bits::default());
            }
            self.subtrees.slots[node.index()].unite(&slots);
        }
    }

    /// Contents of all slots that go with the chosen places; None if some slot has none, which is noted.
    fn values(&mut self, chosen: &[PlaceId]) -> Option<Vec<u32>> {
        let mut values = match self.learning.pairwise {
            true => self.last.values.clone(),
            false => self.start.clone(),
        };
        for p in chosen {
            values[self.slot(*p) as usize] = self.content(*p);
        }
        if self.learning.pairwise {
            let common = self.net.parallel.common(chosen);
            let (mut changed, mut missing) = (chosen.to_vec(), None);
            // What was there last need not be written again, if it may be there.
            for old in self.last.places.without(&common) {
                let slot = self.slot(old);
                if chosen.iter().any(|p| self.slot(*p) == slot) {
                    continue;
                }
                match self.of_slot[slot as usize].first_common(&common) {
                    Some(id) => changed.push(id),
                    None => missing = Some(slot),
                }
            }
            if let Some(missing) = missing {
                let number = self.blocked.combinations.len() as u32;
                self.blocked.combinations.push(Some((chosen.to_vec(), missing)));
                chosen.iter().for_each(|p| self.blocked.by_place[*p as usize].push(number));
                return None;
            }
            for place in changed {
                let (slot, content) = self.held[place as usize];
                let old = std::mem::replace(&mut self.last.values[slot as usize], content);
                if let Some(old) = self.ids[slot as usize][old as usize] {
                    self.last.places.unset(old);
                }
                self.last.places.grow(place as usize + 1);
                self.last.places.set(place);
                values[slot as usize] = content;
            }
        }
        Some(values)
    }

    /// A step becomes a transition.
    fn fire(&mut self, outcome: u32, chosen: &[PlaceId]) {
        let step = self.cache.trees.outcomes[outcome as usize].clone();
        let story = &self.cache.stories[outcome as usize];
        let role = match step.fate {
            Fate::Skipped => return,
            Fate::Stopped => {
                self.net.stopped = story.steps.last().map(|s| s.loc);
                return;
            }
            Fate::Unsupported => TransitionRole::Unsupported,
            Fate::Followed if story.seen.iter().any(|s| (self.learning.is_target)(s)) => {
                TransitionRole::Target
            }
            Fate::Followed => TransitionRole::Step,
        };
        let letters = story.steps.iter().flat_map(|s| s.letters.iter().map(|l| (l.0, l.1))).collect();
        let changes = self.cache.trees.changes[step.changes.0 as usize..step.changes.1 as usize].to_vec();
        let mut after = Vec::new();
        if role == TransitionRole::Step {
            for p in chosen {
                let slot = self.slot(*p);
                after.push(match changes.iter().find(|c| c.0 == slot) {
                    Some((_, content)) => self.place(slot, *content),
                    None => *p,
                });
            }
        }
        let number = self.net.transitions.len() as u32;
        let before = chosen.to_vec();
        self.net.transitions.push(Transition {
            outcome: Some(outcome),
            role,
            letters,
            before,
            after: after.clone(),
        });
        if self.learning.pairwise {
            self.consequences.begin(number, &mut self.net.parallel, &self.net.transitions);
            return;
        }
        for p in after {
            if !self.net.parallel.is_reached(p) {
                self.net.parallel.reach(p);
                let slot = self.slot(p);
                let reached: Vec<u32> = self.net.parallel.reached().ones().collect();
                for q in reached {
                    if self.slot(q) != slot {
                        self.net.parallel.pair(p, q);
                    }
                }
            }
        }
    }
}
