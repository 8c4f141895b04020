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

mod learner;

use rendez_analysis::bits::Bits;
use rendez_analysis::parallel::Parallel;
use rendez_model::Loc;
use rendez_verdict::{Control, Observation};
use rustc_hash::{FxHashMap, FxHashSet};

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
pub enum TransitionRole {
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
    /// The number of the outcome in the step cache; None for a transition that is no step of the program.
    pub outcome: Option<u32>,
    pub role: TransitionRole,
    /// What monitors see: monitor and letter.
    pub letters: Vec<(u16, u32)>,
    /// Where the components are before, one place each, and after, in the same order.
    pub before: Vec<PlaceId>,
    pub after: Vec<PlaceId>,
}

impl Transition {
    /// Whether what happens afterwards is of interest.
    pub fn goes_on(&self) -> bool {
        !matches!(self.role, TransitionRole::Target | TransitionRole::Unsupported)
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
    pub is_target: &'a dyn Fn(&Observation) -> bool,
}

/// The number of a place that is left out of a smaller net, as `Parallel::renumbered` takes it.
const LEFT_OUT: u32 = u32::MAX;

impl Net {
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
        let mut component = vec![None; self.components.len()];
        let mut components = Vec::new();
        for (c, old) in std::mem::take(&mut self.components).into_iter().enumerate() {
            if count[c] > 1 {
                component[c] = Some(components.len() as u32);
                components.push(old);
            }
        }
        self.components = components;
        let mut number = vec![LEFT_OUT; self.places.len()];
        let mut places = Vec::new();
        for (p, mut place) in std::mem::take(&mut self.places).into_iter().enumerate() {
            if let Some(component) = component[place.component as usize]
                && self.parallel.is_reached(p as PlaceId)
            {
                number[p] = places.len() as u32;
                place.component = component;
                places.push(place);
            }
        }
        self.places = places;
        self.initial = self.initial.iter().map(|p| number[*p as usize]).filter(|p| *p != LEFT_OUT).collect();
        for t in &mut self.transitions {
            let goes_on = t.goes_on();
            let pairs: Vec<(PlaceId, PlaceId)> = (0..t.before.len())
                .map(|i| {
                    (
                        number[t.before[i] as usize],
                        if goes_on { number[t.after[i] as usize] } else { LEFT_OUT },
                    )
                })
                .filter(|p| p.0 != LEFT_OUT)
                .collect();
            t.before = pairs.iter().map(|p| p.0).collect();
            t.after = if goes_on { pairs.iter().map(|p| p.1).collect() } else { Vec::new() };
        }
        // What does the same to everything that is left is one, and what does nothing is none.
        let mut seen = FxHashSet::default();
        self.transitions.retain(|t| {
            (self.with_loops
                || t.role != TransitionRole::Step
                || !t.letters.is_empty()
                || t.before != t.after)
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
        let mut component = vec![None; self.components.len()];
        for (c, old) in self.components.iter().enumerate() {
            if c as u32 != a && c as u32 != b {
                component[c] = Some(net.components.len() as u32);
                net.components.push(old.clone());
            }
        }
        let joint = net.components.len() as u32;
        net.components.push(both);
        let mut number: Vec<Option<PlaceId>> = vec![None; self.places.len()];
        for (p, place) in self.places.iter().enumerate() {
            if let Some(component) = component[place.component as usize] {
                number[p] = Some(net.places.len() as u32);
                net.places.push(Place { component, ..place.clone() });
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
        net.initial = self.initial.iter().filter_map(|p| number[*p as usize]).collect();
        if let (Some(i), Some(j)) = (i, j) {
            net.initial.extend(pairs.get(&(i, j)));
        }
        for t in &self.transitions {
            self.merge_transition(t, (a, b), &lists, &number, &pairs, &mut net.transitions);
        }
        net.close()
    }

    /// A transition where two components are one: once as it is if it moves neither, otherwise with every place of the
    /// other. `number` has the new places, `pairs` those of the merged component.
    fn merge_transition(
        &self,
        t: &Transition,
        (a, b): (u32, u32),
        lists: &[Vec<PlaceId>],
        number: &[Option<PlaceId>],
        pairs: &FxHashMap<(PlaceId, PlaceId), PlaceId>,
        transitions: &mut Vec<Transition>,
    ) {
        let side = |c: u32| t.before.iter().position(|p| self.component_of(*p) == c);
        let (x, y) = (side(a), side(b));
        let others: Vec<usize> = (0..t.before.len()).filter(|i| Some(*i) != x && Some(*i) != y).collect();
        let base = Transition {
            outcome: t.outcome,
            role: t.role,
            letters: t.letters.clone(),
            before: others.iter().filter_map(|i| number[t.before[*i] as usize]).collect(),
            after: match t.goes_on() {
                true => others.iter().filter_map(|i| number[t.after[*i] as usize]).collect(),
                false => Vec::new(),
            },
        };
        if x.is_none() && y.is_none() {
            transitions.push(base);
            return;
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
                transitions.push(new);
            }
        }
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
