//! Solutions without an execution are cut off, until a proof or a solution that may have one is left.
//!
//! INCA's equations admit flow around a cycle that the rest of the flow never enters. Siegel and Avrunin (2002, section
//! 3.1) consider one inequality for each set of states, as in the travelling salesman problem, and reject that: there
//! are too many sets. Their section 3.2 adds depths instead, which needs a bound on how often a step happens. We take
//! the first way, lazily: only sets that a solution violates are looked at, and no bound is needed.
//!
//! Let a solution use transitions that can never all be fired, even if tokens could be split at will (reachability in
//! continuous nets, Fraca and Haddad). Then there is a siphon among the places that they need: a set of places that is
//! empty at first, and that every used transition which enters it also takes from. In every execution, nothing takes
//! from these places, or something enters them without that. If the linear program with the first case has no solution,
//! the second case is a cut; otherwise both cases are examined in turn. Siphons reach across components, so cycles
//! through several tasks are cut off, too.
//!
//! Further steps are branching on a column that is not whole, after a short look for a solution in whole numbers and a
//! look for an execution behind the fractional one; and, for questions about markings, traps: places that are marked at
//! first stay marked if whatever takes from them gives to them (Esparza and Melzer, *Verification of safety properties
//! using integer programming: beyond the state equation*, 2000).
//!
//! Why this is right: each case distinction is exhaustive over the executions, and each case ends with multipliers that
//! refute it. The proof is this tree; its checker derives the rows of each case from the net itself, so no wrong cut
//! can get in. The cuts end, because there are finitely many sets of places; branching on numbers may not, and has a
//! limit.
//!
//! Small sets are tried before large ones, and a case distinction is made only if no set gives a cut.

use std::time::Instant;

use rendez_certificate::proof::{empty_or_entered, trap};
use rendez_certificate::{Proof, ProofStep, Row, System};
use rendez_petri::Net;
use rendez_petri::net::PlaceId;
use rendez_verdict::{Control, End, Reason};

use crate::solve::{FAILED, Lp, Solved, Whole, refute, whole};

pub enum Proved {
    /// There is no solution.
    Nothing(Proof),
    /// Numbers of transitions, and of tokens on places, if the system has them.
    Candidate(Vec<i64>),
    /// There are too many cases; the last solution, not whole.
    Open(Vec<i64>),
    Unknown(Reason),
}

/// How much may be tried.
pub struct ProofLimits<'a> {
    /// Linear programs, and cases that are told apart.
    pub nodes: usize,
    pub branches: usize,
    /// Whether steps that can never be made are cut off.
    pub cuts: bool,
    pub until: Option<Instant>,
    pub control: &'a Control,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ProofStatistics {
    pub programs: usize,
    pub cuts: usize,
    pub branches: usize,
    pub traps: usize,
}

const SMALL: f64 = 1e-6;
/// Seconds for a look for whole numbers.
const SECONDS: f64 = 5.0;
/// So many solutions that are not whole are shown.
const PROBES: usize = 3;

/// The case that is looked at: the rows that it adds to the system, the proof so far, and the cases that are left.
struct Cases<'a> {
    net: &'a Net,
    system: &'a System,
    limits: &'a ProofLimits<'a>,
    steps: Vec<ProofStep>,
    local: Vec<Row>,
    /// How many rows each case that is left shares with this one, and its own.
    open: Vec<(usize, Row)>,
    lp: Lp,
}

/// `probe` is shown solutions that are not whole, and says whether there is an execution behind one.
pub fn prove(
    net: &Net,
    system: &System,
    limits: &ProofLimits,
    statistics: &mut ProofStatistics,
    probe: &mut dyn FnMut(&[i64]) -> bool,
) -> Proved {
    let lp = Lp::new(system, &[]);
    let mut cases = Cases { net, system, limits, steps: Vec::new(), local: Vec::new(), open: Vec::new(), lp };
    let mut last = Vec::new();
    for _ in 0..limits.nodes {
        if let Some(told) = limits.control.ended() {
            return Proved::Unknown(told.why());
        }
        if limits.until.is_some_and(|t| Instant::now() > t) {
            return Proved::Unknown(End::Time.why());
        }
        statistics.programs += 1;
        let x = match cases.lp.solve(limits.until) {
            Solved::Late => return Proved::Unknown(End::Time.why()),
            Solved::Failed => return Proved::Unknown(Reason::method(FAILED)),
            Solved::Optimal(x) => x,
            Solved::Infeasible => match cases.close() {
                Some(proved) => return proved,
                None => continue,
            },
        };
        let (x, sets) = cases.unfireable(x, statistics);
        if !sets.is_empty() {
            match cases.cut(&sets, statistics) {
                true => continue,
                false => return Proved::Open(round_up(&x)),
            }
        }
        // Choices that the system makes come before what follows from them.
        let choices = system.transitions..x.len();
        let column = choices.chain(0..system.transitions).find(|c| !is_whole(x[*c]));
        if let Some(column) = column {
            last = round_up(&x);
            if statistics.branches < PROBES && probe(&last) {
                return Proved::Candidate(last);
            }
            if statistics.branches >= limits.branches {
                return Proved::Open(last);
            }
            cases.branch(column as u32, x[column].floor() as i64, statistics);
            continue;
        }
        if let Some((places, row)) = broken_trap(net, system, &x) {
            cases.steps.push(ProofStep::Trap(places));
            cases.lp.add(&row);
            cases.local.push(row);
            statistics.traps += 1;
            continue;
        }
        return Proved::Candidate(x.iter().map(|v| v.round() as i64).collect());
    }
    Proved::Open(last)
}

fn is_whole(v: f64) -> bool {
    (v - v.round()).abs() < SMALL
}

fn round_up(x: &[f64]) -> Vec<i64> {
    x.iter().map(|v| (v - SMALL).ceil() as i64).collect()
}

impl Cases<'_> {
    /// This case has no solution: goes on with the next, or ends if none is left.
    fn close(&mut self) -> Option<Proved> {
        let Some(sum) = refute(self.system, &self.local) else {
            let why = "the solver says that there is no solution, but that could not be shown exactly";
            return Some(Proved::Unknown(Reason::method(why)));
        };
        self.steps.push(ProofStep::Sum(sum));
        let Some((rows, second)) = self.open.pop() else {
            return Some(Proved::Nothing(Proof { steps: std::mem::take(&mut self.steps) }));
        };
        self.local.truncate(rows);
        self.local.push(second);
        self.lp = Lp::new(self.system, &self.local);
        None
    }

    /// Sets of places that show that a solution can never be fired. Without one, a solution in whole numbers is looked
    /// for, and for sets that show it of that one.
    fn unfireable(&self, x: Vec<f64>, statistics: &mut ProofStatistics) -> (Vec<f64>, Vec<Vec<PlaceId>>) {
        let limits = self.limits;
        let cut = |x: &[f64]| if limits.cuts { unfireable(self.net, x) } else { Vec::new() };
        let sets = cut(&x);
        if sets.is_empty() && !x.iter().all(|v| is_whole(*v)) && statistics.branches < limits.branches {
            // Whole numbers, if they are easy to find.
            statistics.programs += 1;
            let left =
                limits.until.map_or(SECONDS, |t| t.saturating_duration_since(Instant::now()).as_secs_f64());
            if let Whole::Found(found) = whole(self.system, &self.local, left.min(SECONDS)) {
                let sets = cut(&found);
                return (found, sets);
            }
        }
        (x, sets)
    }

    /// Rules out that a set of places stays empty, for every set of which that has no solution. If there is none, both
    /// cases are looked at for the first set; false if there are too many cases.
    fn cut(&mut self, sets: &[Vec<PlaceId>], statistics: &mut ProofStatistics) -> bool {
        let mut forced = false;
        for places in sets {
            let (nothing, entered) = empty_or_entered(self.net, places);
            self.lp.fix(&nothing.terms, true);
            statistics.programs += 1;
            let infeasible = matches!(self.lp.solve(self.limits.until), Solved::Infeasible);
            self.lp.fix(&nothing.terms, false);
            if !infeasible {
                continue;
            }
            self.local.push(nothing);
            let sum = refute(self.system, &self.local);
            self.local.pop();
            let Some(sum) = sum else { continue };
            self.steps.push(ProofStep::Empty(places.clone()));
            self.steps.push(ProofStep::Sum(sum));
            self.lp.add(&entered);
            self.local.push(entered);
            statistics.cuts += 1;
            forced = true;
        }
        if forced {
            return true;
        }
        if statistics.branches >= self.limits.branches {
            return false;
        }
        let (nothing, entered) = empty_or_entered(self.net, &sets[0]);
        self.steps.push(ProofStep::Empty(sets[0].clone()));
        self.split(nothing, entered, statistics);
        true
    }

    /// A column is at most a value, or more.
    fn branch(&mut self, column: u32, value: i64, statistics: &mut ProofStatistics) {
        self.steps.push(ProofStep::Whole(column, value));
        let more = Row::at_least(vec![(column, 1)], value + 1);
        self.split(Row::at_most(vec![(column, 1)], value), more, statistics);
    }

    /// Goes on with the first of two cases and leaves the second for later.
    fn split(&mut self, first: Row, second: Row, statistics: &mut ProofStatistics) {
        self.open.push((self.local.len(), second));
        self.local.push(first);
        self.lp = Lp::new(self.system, &self.local);
        statistics.branches += 1;
    }
}

/// Sets of places that are empty at first and that no transition of the solution enters, though
/// some need them; smallest first.
fn unfireable(net: &Net, x: &[f64]) -> Vec<Vec<PlaceId>> {
    let support: Vec<u32> = (0..net.transitions.len() as u32).filter(|t| x[*t as usize] > SMALL).collect();
    let mut marked = vec![false; net.places.len()];
    net.initial.iter().for_each(|p| marked[*p as usize] = true);
    let mut fired = vec![false; support.len()];
    let mut again = true;
    while std::mem::take(&mut again) {
        for (i, t) in support.iter().enumerate() {
            let transition = &net.transitions[*t as usize];
            if !fired[i] && transition.before.iter().all(|p| marked[*p as usize]) {
                fired[i] = true;
                again = true;
                transition.after.iter().for_each(|p| marked[*p as usize] = true);
            }
        }
    }
    let stuck: Vec<u32> = support.iter().zip(&fired).filter(|(_, f)| !**f).map(|(t, _)| *t).collect();
    let mut sets: Vec<Vec<PlaceId>> = Vec::new();
    for t in stuck.iter().take(12) {
        for p in net.transitions[*t as usize].before.iter().filter(|p| !marked[**p as usize]) {
            // Whatever enters the set must come out of it, among the stuck.
            let mut inside = vec![false; net.places.len()];
            inside[*p as usize] = true;
            let mut set = vec![*p];
            let mut at = 0;
            while at < set.len() {
                let place = set[at];
                at += 1;
                for s in &stuck {
                    let transition = &net.transitions[*s as usize];
                    let enters = transition.after.contains(&place);
                    if enters && !transition.before.iter().any(|q| inside[*q as usize]) {
                        let Some(q) = transition.before.iter().find(|q| !marked[**q as usize]) else {
                            continue;
                        };
                        inside[*q as usize] = true;
                        set.push(*q);
                    }
                }
            }
            set.sort_unstable();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets.sort_by_key(Vec::len);
    sets.truncate(8);
    sets
}

/// A trap that is marked at first but not in the marking of a solution.
fn broken_trap(net: &Net, system: &System, x: &[f64]) -> Option<(Vec<PlaceId>, Row)> {
    if !system.has_places {
        return None;
    }
    let mut inside: Vec<bool> = (0..net.places.len()).map(|p| x[system.transitions + p] < 0.5).collect();
    let mut again = true;
    while std::mem::take(&mut again) {
        for t in &net.transitions {
            if !t.after.iter().any(|p| inside[*p as usize]) {
                for p in &t.before {
                    again |= std::mem::replace(&mut inside[*p as usize], false);
                }
            }
        }
    }
    let places: Vec<PlaceId> = (0..net.places.len() as u32).filter(|p| inside[*p as usize]).collect();
    let row = trap(net, system, &places)?;
    Some((places, row))
}
