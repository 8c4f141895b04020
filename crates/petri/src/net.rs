//! Nets: the parts of a program as automata that move together.
//!
//! A net has one component per slot, and a component is at one of its places. A transition moves some components and
//! may look at others. INCA works on such automata, one per task, which are given (Siegel and Avrunin, 2002, section
//! 2.1); here the net is learnt from the semantics. A step is run on every combination of contents of the slots it
//! looks at, provided that any two of them may be marked together.
//!
//! This is a fixpoint of two things at once. The relation of pairwise co-reachable places (the may-happen-in-parallel
//! relation of Naumovich and Avrunin, on nets the concurrency relation) says which combinations must be tried; a step
//! that turns out to be possible adds places and pairs. Because the relation over-approximates, the net allows every
//! execution of the program, and perhaps more. A step that depends on a value elsewhere is run with some contents of
//! the other slots that fit; if none fit yet, the combination waits for that slot.
//!
//! Composing two components (`merge`) makes one, whose places are the co-reachable pairs of theirs. A transition of one
//! of them happens with every place of the other with which it may; then the relation is computed anew and what is
//! never possible is removed. Composition preserves executions, and removes behaviour that no execution has; it is how
//! `rendez_ilp` refines. A component composed with itself would leave nothing, which once proved everything, so it is
//! refused.
//!
//! Learning is incremental: only combinations with a place that became parallel to something new are looked at, going
//! down the decision trees, and rows of the relation are bits. Places are taken round and round in the order in which
//! they were found, since late places hear of much at once; that took a thirtieth of the looks. Combinations of many
//! slots may multiply, and then the net is given up as too large.

use std::sync::atomic::Ordering;

use rendez_analysis::bits::Bits;
use rendez_analysis::parallel::Parallel;
use rendez_model::Loc;
use rendez_verdict::{Control, Seen};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::step_cache::{Known, StepCache};
use crate::steps::Fate;

pub type PlaceId = u32;

/// Something that is at one place at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    pub name: String,
    /// The slots it stands for.
    pub slots: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub component: u32,
    /// What each of its slots holds.
    pub contents: Vec<u32>,
    /// The interval of a query, from 0.
    pub interval: u32,
}

/// What a transition is to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A step of the program.
    Step,
    /// It ends an interval.
    Boundary,
    /// A component goes on to the next interval.
    Connect,
    /// What the query asks for: nothing need be known about what follows.
    Target,
    /// It leads to something without a meaning in the model.
    Unsupported,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The number of the outcome in the step cache.
    pub outcome: u32,
    pub role: Role,
    /// What monitors see: monitor and letter.
    pub letters: Vec<(u16, u32)>,
    /// Where the components are before, one place each, and after, in the same order.
    pub before: Vec<PlaceId>,
    pub after: Vec<PlaceId>,
}

impl Transition {
    /// Whether what happens afterwards is of interest.
    pub fn goes_on(&self) -> bool {
        !matches!(self.role, Role::Target | Role::Unsupported)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Net {
    pub components: Vec<Component>,
    pub places: Vec<Place>,
    pub initial: Vec<PlaceId>,
    pub transitions: Vec<Transition>,
    /// Which places may be marked together.
    pub parallel: Parallel,
    /// Where some execution is not followed any further.
    pub stopped: Option<Loc>,
    /// Transitions that change nothing are of interest, too.
    pub with_loops: bool,
    /// How large it was before anything was left out.
    pub largest: usize,
}

/// Why there is no net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoNet {
    TooLarge,
    Interrupted,
    /// The time is over.
    Late,
    /// The memory is used up.
    Full,
    /// Waiting that was thought not to be seen is seen: learn again.
    TrackQueues,
}

/// What may be used.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    pub until: Option<std::time::Instant>,
    /// Bytes.
    pub memory: usize,
    pub control: &'a Control,
}

/// How a net is learnt.
pub struct Learning<'a> {
    /// Only combinations are learnt of which any two contents may be there together.
    pub pairwise: bool,
    /// Transitions that change nothing are kept.
    pub with_loops: bool,
    pub most: usize,
    pub budget: Budget<'a>,
    /// What is asked for: the steps that do this.
    pub is_target: &'a dyn Fn(&Seen) -> bool,
}

struct Learner<'n, 's, 'p, 'a> {
    cache: &'n mut StepCache<'s, 'p>,
    learning: &'a Learning<'a>,
    net: Net,
    /// Slot and content of each place.
    held: Vec<(u32, u32)>,
    /// By slot and content.
    ids: Vec<Vec<PlaceId>>,
    of_slot: Vec<Bits>,
    start: Vec<u32>,
    /// What the slots held when a combination was looked at last, and the places of that.
    last: Vec<u32>,
    current: Bits,
    /// Places of tasks whose steps have been looked at.
    begun: Bits,
    /// By slot: places of tasks whose steps look at it.
    watchers: Vec<Bits>,
    /// By place of a task: the other slots that its steps look at.
    looks: Vec<Bits>,
    /// By node of a tree: the places after which there is more to look at, and the slots that are looked at
    /// from there on.
    inner: Vec<Bits>,
    below: Vec<Bits>,
    /// The slots with a place that the one looked at has become parallel to.
    fresh: Bits,
    /// The first outcomes of steps for which no component is without a place.
    possible: FxHashSet<u32>,
    /// Combinations for which some slot has no place, and which slot; by each of their places.
    blocked: Vec<Option<(Vec<PlaceId>, u32)>>,
    blocked_at: Vec<Vec<u32>>,
    consequences: Consequences,
    tracked_queues: usize,
    work: usize,
    deep: usize,
}

const NONE: u32 = u32::MAX;
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
            last: start.clone(),
            current: Bits::default(),
            begun: Bits::default(),
            watchers: vec![Bits::default(); slots],
            looks: Vec::new(),
            inner: Vec::new(),
            below: Vec::new(),
            fresh: Bits::new(slots),
            possible: FxHashSet::default(),
            blocked: Vec::new(),
            blocked_at: Vec::new(),
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
            learner.current.grow(place as usize + 1);
            learner.current.set(place);
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

    /// Bytes, about.
    pub fn memory(&self) -> usize {
        let ends: usize = self.transitions.iter().map(|t| t.before.len() + t.after.len()).sum();
        self.places.len() * 40 + self.transitions.len() * 104 + ends * 4 + self.parallel.memory()
    }

    /// Places, and moves between them, by component.
    pub fn size(&self) -> usize {
        self.places.len() + self.transitions.iter().map(|t| t.before.len()).sum::<usize>()
    }

    pub fn component_of(&self, place: PlaceId) -> u32 {
        self.places[place as usize].component
    }

    /// The places of each component.
    pub fn by_component(&self) -> Vec<Vec<PlaceId>> {
        let mut lists = vec![Vec::new(); self.components.len()];
        for (p, place) in self.places.iter().enumerate() {
            lists[place.component as usize].push(p as PlaceId);
        }
        lists
    }

    /// Finds out which places may be marked together, and leaves out what cannot happen.
    pub fn close(mut self) -> Net {
        let mut parallel = Parallel::new(self.places.len());
        let mut by_place = vec![Vec::new(); self.places.len()];
        for (t, transition) in self.transitions.iter().enumerate() {
            for p in &transition.before {
                by_place[*p as usize].push(t as u32);
            }
        }
        for a in &self.initial {
            parallel.reach(*a);
            for b in self.initial.iter().filter(|b| *b != a) {
                parallel.pair(*a, *b);
            }
        }
        let mut alive = vec![false; self.transitions.len()];
        let mut consequences = Consequences::default();
        while let Some(place) = parallel.take() {
            consequences.follow(place, &mut parallel, &self.transitions);
            for t in &by_place[place as usize] {
                let transition = &self.transitions[*t as usize];
                let together = |(i, a): (usize, &PlaceId)| {
                    parallel.is_reached(*a) && transition.before[..i].iter().all(|b| parallel.get(*a, *b))
                };
                if !alive[*t as usize] && transition.before.iter().enumerate().all(together) {
                    alive[*t as usize] = true;
                    consequences.begin(*t, &mut parallel, &self.transitions);
                }
            }
        }
        self.largest = self.largest.max(self.size());
        let mut keep = alive.iter();
        self.transitions.retain(|_| *keep.next().unwrap_or(&false));
        self.parallel = parallel;
        self.compact()
    }

    /// Leaves out places that are never reached, and components that never move.
    fn compact(mut self) -> Net {
        self.largest = self.largest.max(self.size());
        let mut count = vec![0usize; self.components.len()];
        for (p, place) in self.places.iter().enumerate() {
            if self.parallel.is_reached(p as PlaceId) {
                count[place.component as usize] += 1;
            }
        }
        let mut component = vec![NONE; self.components.len()];
        let mut components = Vec::new();
        for (c, old) in std::mem::take(&mut self.components).into_iter().enumerate() {
            if count[c] > 1 {
                component[c] = components.len() as u32;
                components.push(old);
            }
        }
        self.components = components;
        let mut number = vec![NONE; self.places.len()];
        let mut places = Vec::new();
        for (p, mut place) in std::mem::take(&mut self.places).into_iter().enumerate() {
            if self.parallel.is_reached(p as PlaceId) && component[place.component as usize] != NONE {
                number[p] = places.len() as u32;
                place.component = component[place.component as usize];
                places.push(place);
            }
        }
        self.places = places;
        self.initial = self.initial.iter().map(|p| number[*p as usize]).filter(|p| *p != NONE).collect();
        for t in &mut self.transitions {
            let goes_on = t.goes_on();
            let pairs: Vec<(PlaceId, PlaceId)> = (0..t.before.len())
                .map(|i| {
                    (number[t.before[i] as usize], if goes_on { number[t.after[i] as usize] } else { NONE })
                })
                .filter(|p| p.0 != NONE)
                .collect();
            t.before = pairs.iter().map(|p| p.0).collect();
            t.after = if goes_on { pairs.iter().map(|p| p.1).collect() } else { Vec::new() };
        }
        // What does the same to everything that is left is one, and what does nothing is none.
        let mut seen = FxHashSet::default();
        self.transitions.retain(|t| {
            (self.with_loops || t.role != Role::Step || !t.letters.is_empty() || t.before != t.after)
                && seen.insert((t.role as u8, t.letters.clone(), t.before.clone(), t.after.clone()))
        });
        self.parallel = self.parallel.renumbered(&number, self.places.len());
        self
    }

    /// The net in which two components are one: it is known where both are.
    pub fn merge(&self, a: u32, b: u32) -> Net {
        assert_ne!(a, b, "a component is one with itself");
        let mut net = Net { stopped: self.stopped, with_loops: self.with_loops, ..Net::default() };
        let both = Component {
            name: format!("{} & {}", self.components[a as usize].name, self.components[b as usize].name),
            slots: [&self.components[a as usize].slots[..], &self.components[b as usize].slots[..]].concat(),
        };
        let mut component = vec![NONE; self.components.len()];
        for (c, old) in self.components.iter().enumerate() {
            if c as u32 != a && c as u32 != b {
                component[c] = net.components.len() as u32;
                net.components.push(old.clone());
            }
        }
        let joint = net.components.len() as u32;
        net.components.push(both);
        let mut number = vec![NONE; self.places.len()];
        for (p, place) in self.places.iter().enumerate() {
            if component[place.component as usize] != NONE {
                number[p] = net.places.len() as u32;
                net.places.push(Place { component: component[place.component as usize], ..place.clone() });
            }
        }
        let mut pairs: FxHashMap<(PlaceId, PlaceId), PlaceId> = FxHashMap::default();
        let lists = self.by_component();
        for p in &lists[a as usize] {
            for q in &lists[b as usize] {
                let (x, y) = (&self.places[*p as usize], &self.places[*q as usize]);
                if self.parallel.get(*p, *q) {
                    pairs.insert((*p, *q), net.places.len() as u32);
                    net.places.push(Place {
                        component: joint,
                        contents: [&x.contents[..], &y.contents[..]].concat(),
                        interval: x.interval.max(y.interval),
                    });
                }
            }
        }
        let at = |list: &[PlaceId], c: u32| list.iter().copied().find(|p| self.component_of(*p) == c);
        let (i, j) = (at(&self.initial, a), at(&self.initial, b));
        net.initial = self.initial.iter().map(|p| number[*p as usize]).filter(|p| *p != NONE).collect();
        if let (Some(i), Some(j)) = (i, j) {
            net.initial.extend(pairs.get(&(i, j)));
        }
        for t in &self.transitions {
            let side = |c: u32| t.before.iter().position(|p| self.component_of(*p) == c);
            let (x, y) = (side(a), side(b));
            let others: Vec<usize> = (0..t.before.len()).filter(|i| Some(*i) != x && Some(*i) != y).collect();
            let base = Transition {
                outcome: t.outcome,
                role: t.role,
                letters: t.letters.clone(),
                before: others.iter().map(|i| number[t.before[*i] as usize]).collect(),
                after: match t.goes_on() {
                    true => others.iter().map(|i| number[t.after[*i] as usize]).collect(),
                    false => Vec::new(),
                },
            };
            if x.is_none() && y.is_none() {
                net.transitions.push(base);
                continue;
            }
            let places = |side: Option<usize>, c: u32| match side {
                Some(i) => vec![(t.before[i], t.after.get(i).copied())],
                None => lists[c as usize].iter().map(|p| (*p, Some(*p))).collect(),
            };
            for (p, p_after) in places(x, a) {
                for (q, q_after) in places(y, b) {
                    let Some(before) = pairs.get(&(p, q)) else { continue };
                    let mut new = base.clone();
                    new.before.push(*before);
                    if t.goes_on() {
                        let after = p_after.zip(q_after).and_then(|(p, q)| pairs.get(&(p, q)));
                        let Some(after) = after else { continue };
                        new.after.push(*after);
                    }
                    net.transitions.push(new);
                }
            }
        }
        net.close()
    }
}

/// What follows from transitions that can happen, as more places turn out to be marked together.
#[derive(Default)]
struct Consequences {
    /// By place: the transitions from there that can happen.
    from: Vec<Vec<u32>>,
    /// By place: what it was parallel to when it was looked at last.
    known: Vec<Bits>,
    /// What the place that is looked at has become parallel to since.
    news: Bits,
}

impl Consequences {
    /// A transition turns out to be possible: its components are where it leads, together.
    fn begin(&mut self, number: u32, parallel: &mut Parallel, transitions: &[Transition]) {
        let Transition { before, after, .. } = &transitions[number as usize];
        for (i, a) in after.iter().enumerate() {
            parallel.come(*a, before, |_, _| true);
            after[..i].iter().for_each(|b| parallel.pair(*a, *b));
        }
        // One that concerns nobody leads nowhere else.
        if before != after && !after.is_empty() {
            for p in before {
                if self.from.len() <= *p as usize {
                    self.from.resize(*p as usize + 1, Vec::new());
                }
                self.from[*p as usize].push(number);
            }
        }
    }

    /// A place has become parallel to others: those that a transition from there does not concern stay where
    /// they are.
    fn follow(&mut self, place: PlaceId, parallel: &mut Parallel, transitions: &[Transition]) {
        if self.known.len() <= place as usize {
            self.known.resize(place as usize + 1, Bits::default());
        }
        parallel.news(place, &mut self.known[place as usize], &mut self.news);
        for number in self.from.get(place as usize).into_iter().flatten() {
            let Transition { before, after, .. } = &transitions[*number as usize];
            for (a, was) in after.iter().zip(before) {
                if a != was {
                    parallel.come_among(*a, before, &self.news);
                }
            }
        }
    }
}

impl Learner<'_, '_, '_, '_> {
    fn place(&mut self, slot: u32, content: u32) -> PlaceId {
        let ids = &mut self.ids[slot as usize];
        if ids.len() <= content as usize {
            ids.resize(content as usize + 1, NONE);
        }
        if ids[content as usize] == NONE {
            let id = self.net.places.len() as PlaceId;
            ids[content as usize] = id;
            self.net.places.push(Place { component: slot, contents: vec![content], interval: 0 });
            self.held.push((slot, content));
            self.of_slot[slot as usize].grow(id as usize + 1);
            self.of_slot[slot as usize].set(id);
            self.net.parallel.grow(id as usize + 1);
            self.begun.grow(id as usize + 1);
            self.blocked_at.push(Vec::new());
            self.looks.push(Bits::new(self.start.len()));
        }
        ids[content as usize]
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
            if first || self.looks[place as usize].meets(&self.fresh) {
                self.descend(slot, &mut vec![place], place, first, self.root(slot, place))?;
            }
        }
        for i in std::mem::take(&mut self.blocked_at[place as usize]) {
            let Some((chosen, missing)) = self.blocked[i as usize].clone() else { continue };
            if !self.consequences.news.meets(&self.of_slot[missing as usize]) {
                self.blocked_at[place as usize].push(i);
                continue;
            }
            // If it is still blocked, it is noted anew.
            self.blocked[i as usize] = None;
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
                if new || self.looks[own as usize].meets(&self.fresh) {
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
        mut node: u32,
    ) -> Result<(), NoNet> {
        self.tick()?;
        self.deep += usize::from(chosen.len() > DEEP);
        let found = self.cache.trees.outcomes.len() + self.net.places.len();
        if self.deep > FIRST_WORK + found * WORK {
            return Err(NoNet::TooLarge);
        }
        let mut fits = false;
        loop {
            match self.cache.trees.at(node) {
                Known::Nothing if !new => return Ok(()),
                Known::Nothing => {
                    let Some(values) = self.values(chosen) else { return Ok(()) };
                    self.cache.learn(task as usize, &values);
                    if self.cache.trees.outcomes.len() + self.net.places.len() > self.learning.most {
                        return Err(NoNet::TooLarge);
                    }
                    if self.cache.steps.tracked_queues.borrow().len() > self.tracked_queues {
                        return Err(NoNet::TrackQueues);
                    }
                    self.note_path(task, &values);
                    node = self.walk(task, chosen);
                    fits = true;
                }
                Known::Idle => return Ok(()),
                Known::Outcomes(first, last) => {
                    let fires = new && first < last && chosen.contains(&must);
                    if fires && !self.possible.contains(&first) && (fits || self.values(chosen).is_some()) {
                        // What was possible once stays possible.
                        self.possible.insert(first);
                        (first..last).for_each(|outcome| self.fire(outcome, chosen));
                    }
                    return Ok(());
                }
                // Nothing new is looked at any more, or not the place that must be there.
                Known::Look(..) if !new && !self.below[node as usize].meets(&self.fresh) => return Ok(()),
                Known::Look(..)
                    if !self.below[node as usize].holds(self.slot(must)) && !chosen.contains(&must) =>
                {
                    return Ok(());
                }
                Known::Look(slot, _) => {
                    self.watch(slot, chosen[0]);
                    // Places that are found on the way are looked at for themselves.
                    let mut candidates = Vec::new();
                    let depth = chosen.len();
                    match self.slot(must) == slot {
                        true if chosen.iter().all(|p| self.net.parallel.get(*p, must)) => {
                            candidates.push(must)
                        }
                        true => {}
                        false => {
                            if !chosen.contains(&must) {
                                chosen.push(must);
                            }
                            // With places that are not new, only those that lead on can become so.
                            let (news, inner) = (&self.consequences.news, &self.inner[node as usize]);
                            let among = &self.of_slot[slot as usize];
                            let within = |w: usize| match new {
                                true => u64::MAX,
                                false => news.word(w) | inner.word(w),
                            };
                            self.net.parallel.each_common(chosen, among, within, |q| candidates.push(q));
                            chosen.truncate(depth);
                        }
                    }
                    for q in candidates {
                        let new = new || self.consequences.news.holds(q);
                        let next = self.cache.trees.child(node, self.content(q));
                        chosen.push(q);
                        self.descend(task, chosen, must, new, next)?;
                        chosen.pop();
                        let next = self.cache.trees.child(node, self.content(q));
                        if new && matches!(self.cache.trees.at(next), Known::Look(..)) {
                            self.inner[node as usize].grow(q as usize + 1);
                            self.inner[node as usize].set(q);
                        }
                    }
                    return Ok(());
                }
            }
        }
    }

    fn slot(&self, place: PlaceId) -> u32 {
        self.held[place as usize].0
    }

    fn content(&self, place: PlaceId) -> u32 {
        self.held[place as usize].1
    }

    fn root(&self, task: u32, own: PlaceId) -> u32 {
        self.cache.trees.root_node(task as usize, self.content(own) as usize)
    }

    /// The node of the tree to which the chosen places lead.
    fn walk(&self, task: u32, chosen: &[PlaceId]) -> u32 {
        let trees = &self.cache.trees;
        let mut node = self.root(task, chosen[0]);
        while let Known::Look(slot, _) = trees.at(node) {
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
        while let Known::Look(slot, _) = trees.at(node) {
            path.push((node, slot));
            node = trees.child(node, values[slot as usize]);
        }
        let mut slots = Bits::new(values.len());
        for (node, slot) in path.into_iter().rev() {
            slots.set(slot);
            if self.below.len() <= node as usize {
                self.below.resize(node as usize + 1, Bits::default());
                self.inner.resize(node as usize + 1, Bits::default());
            }
            self.below[node as usize].unite(&slots);
        }
    }

    /// Contents of all slots that go with the chosen places; None if some slot has none, which is noted.
    fn values(&mut self, chosen: &[PlaceId]) -> Option<Vec<u32>> {
        let mut values = match self.learning.pairwise {
            true => self.last.clone(),
            false => self.start.clone(),
        };
        for p in chosen {
            values[self.slot(*p) as usize] = self.content(*p);
        }
        if self.learning.pairwise {
            let common = self.net.parallel.common(chosen);
            let (mut changed, mut missing) = (chosen.to_vec(), None);
            // What was there last need not be written again, if it may be there.
            for old in self.current.without(&common) {
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
                let number = self.blocked.len() as u32;
                self.blocked.push(Some((chosen.to_vec(), missing)));
                chosen.iter().for_each(|p| self.blocked_at[*p as usize].push(number));
                return None;
            }
            for place in changed {
                let (slot, content) = self.held[place as usize];
                let old = std::mem::replace(&mut self.last[slot as usize], content);
                self.current.unset(self.ids[slot as usize][old as usize]);
                self.current.grow(place as usize + 1);
                self.current.set(place);
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
            Fate::Unsupported => Role::Unsupported,
            Fate::Followed if story.seen.iter().any(|s| (self.learning.is_target)(s)) => Role::Target,
            Fate::Followed => Role::Step,
        };
        let letters = story.steps.iter().flat_map(|s| s.letters.iter().map(|l| (l.0, l.1))).collect();
        let changes = self.cache.trees.changes[step.changes.0 as usize..step.changes.1 as usize].to_vec();
        let mut after = Vec::new();
        if role == Role::Step {
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
        self.net.transitions.push(Transition { outcome, role, letters, before, after: after.clone() });
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
