//! From a program to the net and the linear system that a proof is about.
//!
//! A proof about a system is worth nothing if the system is not that of the program. So the engine and the checker of
//! certificates call the same function, and a certificate contains the plan by which the net is made, never the net:
//! `verify` learns the net from the semantics again, composes the components that the plan names, unrolls a query,
//! writes the rows, and checks the proof. Components are composed with other components only; composed with itself, a
//! component would leave nothing of the net, and everything would be proved. That was an error once.
//!
//! The subject is a property (some step breaks the monitor), a query with intervals, or deadlock. For deadlock, the
//! final marking has a column for each place, and there is a row for each set of places with which a transition could
//! happen: not all of them are marked. Rows for one place and all its partners in another component are joined into
//! one, and a place is excluded altogether if somebody can move whatever the other component does, of the places that
//! may happen together with it. Another row says that not all tasks have ended.
//!
//! Steps that depend on an untracked value belong to the net. They are left out only when a certain violation is looked
//! for, never for a proof. Steps that are not modelled count as violations, and where executions are not followed any
//! further, nothing is proved.

use std::collections::BTreeMap;

use rendez_model::Program;
use rendez_model::semantics::Semantics;
use rendez_petri::net::{Budget, Learning, Net, NoNet, PlaceId, Transition, TransitionRole};
use rendez_petri::slots::SlotSplit;
use rendez_petri::{StepCache, Steps, Tig};
use rendez_verdict::{Control, Observation, alive};

use crate::depths::{self, Sector};
use crate::proof::{Proof, check};
use crate::query::{IntervalQuery, unroll};
use crate::system::{Goal, System};

/// What is to be proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The first monitor is never broken.
    Property,
    /// No execution is as the query says; its letters are those of the first monitor.
    Query(IntervalQuery),
    /// There is always somebody who can move, until all have ended.
    Deadlock,
}

/// What is to be proved of the first monitor of a program. A query that an automaton follows is a
/// property like any other, unless its intervals are wanted.
pub fn subject(program: &mut Program, query: Option<IntervalQuery>, intervals: bool) -> Subject {
    match query {
        Some(mut query) if !query.is_followed || intervals => {
            if std::mem::replace(&mut query.is_followed, false) {
                // The intervals follow the query: its automaton only watches.
                let monitor = &mut program.monitors[0];
                *monitor = monitor.watching();
            }
            Subject::Query(query)
        }
        _ => Subject::Property,
    }
}

/// How the net is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Only what may happen according to single places, not pairs, is left out.
    pub single: bool,
    /// Rendezvous with results begin and end in steps of their own.
    pub split: bool,
    /// Steps that depend on a value that is not known are left out: not for proofs.
    pub skip_guesses: bool,
    /// Variables of tasks are components of their own.
    pub apart: bool,
    /// Components that are made one, in this order.
    pub merges: Vec<(u32, u32)>,
    /// Where depths keep out cycles, if nothing happens more often than `bound`.
    pub augmented: Vec<Sector>,
    pub bound: i64,
}

impl Plan {
    /// The system of the net that was made like this.
    pub fn system(&self, net: &Net, goal: &Goal) -> System {
        let mut system = System::new(net, goal);
        depths::add(&mut system, net, &self.augmented, self.bound);
        system
    }
}

/// A program as a net.
pub struct Learnt<'s, 'p> {
    pub cache: StepCache<'s, 'p>,
    pub net: Net,
    pub goal: Goal,
}

/// Nets with more transitions and places are not learnt.
pub const MOST: usize = 400_000;
/// The same as long as tasks and their variables are one.
pub const MOST_WHOLE: usize = 15_000;

pub fn learn<'s, 'p>(
    semantics: &'s Semantics<'p>,
    subject: &Subject,
    plan: &Plan,
    budget: Budget,
) -> Result<Learnt<'s, 'p>, NoNet> {
    let broken = |seen: &Observation| matches!(seen, Observation::Broken { monitor: 0 });
    let nothing = |_: &Observation| false;
    let learning = Learning {
        pairwise: !plan.single,
        with_loops: match subject {
            Subject::Deadlock => true,
            // What changes nothing can go on for ever.
            Subject::Query(query) => query.intervals.iter().any(|i| i.perpetual),
            Subject::Property => false,
        },
        most: if plan.apart { MOST } else { MOST_WHOLE },
        budget,
        is_target: if *subject == Subject::Deadlock { &nothing } else { &broken },
    };
    let mut tracked_queues = Vec::new();
    let (cache, mut net) = loop {
        let steps = Steps::new(semantics, true, plan.skip_guesses, &tracked_queues, &[]);
        let tig = if plan.split { Tig::Split } else { Tig::Modified };
        let apart = if plan.apart { SlotSplit::Tasks } else { SlotSplit::Nobody };
        let mut cache = StepCache::with(steps, tig, &apart);
        match Net::learn(&mut cache, &learning) {
            Ok(net) => break (cache, net),
            Err(NoNet::TrackQueues) => tracked_queues = cache.steps.tracked_queues.borrow().clone(),
            Err(other) => return Err(other),
        }
    };
    if let Subject::Query(query) = subject {
        net = unroll(&net, query);
        if !plan.single {
            net = net.close();
        }
    }
    for (a, b) in &plan.merges {
        // Nothing can be made one with itself.
        if a == b || (*a).max(*b) as usize >= net.components.len() {
            return Err(NoNet::TooLarge);
        }
        net = net.merge(*a, *b);
    }
    let goal = goal(&cache, &net, subject);
    Ok(Learnt { cache, net, goal })
}

/// What a solution must reach.
pub fn goal(cache: &StepCache, net: &Net, subject: &Subject) -> Goal {
    match subject {
        Subject::Property => Goal::Target,
        Subject::Query(query) => Goal::Query(query.clone()),
        Subject::Deadlock => deadlock(cache, net),
    }
}

/// A marking in which nobody can move, and not everybody has ended.
fn deadlock(cache: &StepCache, net: &Net) -> Goal {
    let mut lists: Vec<(Vec<PlaceId>, i64)> = Vec::new();
    let mut known = rustc_hash::FxHashSet::default();
    // With a place, and one of these of another component, somebody can move.
    let mut pairs: BTreeMap<(PlaceId, u32), Vec<PlaceId>> = BTreeMap::new();
    let mut never = vec![false; net.places.len()];
    for t in net.transitions.iter().filter(|t| known.insert(t.before.clone())) {
        match t.before[..] {
            [p] => never[p as usize] = true,
            [p, q] => {
                pairs.entry((p, net.component_of(q))).or_default().push(q);
                pairs.entry((q, net.component_of(p))).or_default().push(p);
            }
            _ => lists.push((t.before.clone(), t.before.len() as i64 - 1)),
        }
    }
    // Wherever the other component may be meanwhile, somebody can move.
    let places = net.by_component();
    for ((p, component), list) in &pairs {
        let together = places[*component as usize].iter().filter(|q| net.parallel.get(*p, **q));
        never[*p as usize] |= together.into_iter().all(|q| list.contains(q));
    }
    for ((p, _), list) in pairs {
        // The same pair may be looked at from both sides.
        let mut list: Vec<PlaceId> = list.into_iter().filter(|q| !never[*q as usize]).collect();
        list.sort_unstable();
        list.dedup();
        if !never[p as usize] && !list.is_empty() {
            lists.push(([vec![p], list].concat(), 1));
        }
    }
    let never = (0..net.places.len() as PlaceId).filter(|p| never[*p as usize]);
    lists.extend(never.map(|p| (vec![p], 0)));
    let tasks = cache.trees.tasks();
    let is_task = |slot: &u32| (*slot as usize) < tasks;
    let has_ended = |slot: u32, content: u32| {
        cache.slots.task(slot as usize, content).is_some_and(|ts| !alive(ts.status))
    };
    let with_tasks: Vec<bool> = net.components.iter().map(|c| c.slots.iter().any(is_task)).collect();
    let mut ended = Vec::new();
    for (p, place) in net.places.iter().enumerate() {
        let slots = &net.components[place.component as usize].slots;
        let all =
            slots.iter().zip(&place.contents).filter(|(s, _)| is_task(s)).all(|(s, c)| has_ended(*s, *c));
        if with_tasks[place.component as usize] && all {
            ended.push(p as PlaceId);
        }
    }
    // Tasks that never move are in no component.
    let moving: Vec<u32> = net.components.iter().flat_map(|c| c.slots.clone()).collect();
    let first = (0..tasks as u32).filter(|t| !moving.contains(t));
    let waits = first.into_iter().any(|t| !has_ended(t, 0));
    if !waits {
        lists.push((ended, with_tasks.iter().filter(|w| **w).count() as i64 - 1));
    }
    Goal::Marking(lists)
}

/// Checks that a program has a property: derives the net and the system anew, and checks the proof.
/// Without a proof, the net alone must show it.
pub fn verify(
    program: &Program,
    recursion: usize,
    subject: &Subject,
    plan: &Plan,
    proof: Option<&Proof>,
) -> Result<(), String> {
    if plan.skip_guesses {
        return Err("steps are left out".into());
    }
    let semantics = rendez_analysis::semantics(program, recursion);
    let unlimited = Budget { until: None, memory: usize::MAX, control: &Control::default() };
    let learnt = learn(&semantics, subject, plan, unlimited).map_err(|e| format!("{e:?}"))?;
    if let Some(loc) = learnt.net.stopped {
        return Err(format!("executions are not followed beyond {}", program.place(loc)));
    }
    if !learnt.is_covered() {
        return Err("an execution may reach something that is not modelled".into());
    }
    if *subject != Subject::Deadlock && learnt.cache.first.steps.iter().any(|s| s.broken.contains(&0)) {
        return Err("it does not hold at the start".into());
    }
    match proof {
        Some(proof) => check(&learnt.net, &plan.system(&learnt.net, &learnt.goal), proof),
        None if learnt.shows() => Ok(()),
        None => Err("the net alone does not show it".into()),
    }
}

impl Learnt<'_, '_> {
    /// Whether what is asked for includes steps without a meaning in the model, or there are none.
    pub fn is_covered(&self) -> bool {
        matches!(self.goal, Goal::Target)
            || self.net.transitions.iter().all(|t| t.role != TransitionRole::Unsupported)
    }

    /// Whether nothing in the net does what is asked for.
    pub fn shows(&self) -> bool {
        matches!(self.goal, Goal::Target) && self.net.transitions.iter().all(Transition::goes_on)
    }
}
