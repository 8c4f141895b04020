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

use crate::solve::{Lp, Solved, Whole, refute, whole};

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
pub struct Limits<'a> {
    /// Linear programs, and cases that are told apart.
    pub nodes: usize,
    pub branches: usize,
    /// Whether steps that can never be made are cut off.
    pub cuts: bool,
    pub until: Option<Instant>,
    pub control: &'a Control,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
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

/// `probe` is shown solutions that are not whole, and says whether there is an execution behind one.
pub fn prove(
    net: &Net,
    system: &System,
    limits: &Limits,
    effort: &mut Effort,
    probe: &mut dyn FnMut(&[i64]) -> bool,
) -> Proved {
    let mut steps = Vec::new();
    let mut local: Vec<Row> = Vec::new();
    let mut open: Vec<(usize, Row)> = Vec::new();
    let mut lp = Lp::new(system, &local);
    let unknown = |why: Reason| Proved::Unknown(why);
    let up = |x: &[f64]| -> Vec<i64> { x.iter().map(|v| (v - SMALL).ceil() as i64).collect() };
    let mut last = Vec::new();
    for _ in 0..limits.nodes {
        if let Some(told) = limits.control.ended() {
            return unknown(told.why());
        }
        if limits.until.is_some_and(|t| Instant::now() > t) {
            return unknown(End::Time.why());
        }
        effort.programs += 1;
        let x = match lp.solve(limits.until) {
            Solved::Late => return unknown(End::Time.why()),
            Solved::Failed => return unknown("the linear program could not be solved".into()),
            Solved::Optimal(x) => x,
            Solved::Infeasible => {
                let Some(sum) = refute(system, &local) else {
                    return unknown(
                        "the solver says that there is no solution, but that could not be shown exactly"
                            .into(),
                    );
                };
                steps.push(ProofStep::Sum(sum));
                let Some((rows, second)) = open.pop() else {
                    return Proved::Nothing(Proof { steps });
                };
                local.truncate(rows);
                local.push(second);
                lp = Lp::new(system, &local);
                continue;
            }
        };
        let is_whole = |v: f64| (v - v.round()).abs() < SMALL;
        let mut x = x;
        let cut = |x: &[f64]| if limits.cuts { unfireable(net, x) } else { Vec::new() };
        let mut sets = cut(&x);
        if sets.is_empty() && !x.iter().all(|v| is_whole(*v)) && effort.branches < limits.branches {
            // Whole numbers, if they are easy to find.
            effort.programs += 1;
            let left =
                limits.until.map_or(SECONDS, |t| t.saturating_duration_since(Instant::now()).as_secs_f64());
            if let Whole::Found(found) = whole(system, &local, left.min(SECONDS)) {
                sets = cut(&found);
                x = found;
            }
        }
        if !sets.is_empty() {
            let mut forced = false;
            for places in &sets {
                let (nothing, entered) = empty_or_entered(net, places);
                lp.fix(&nothing.terms, true);
                effort.programs += 1;
                let infeasible = matches!(lp.solve(limits.until), Solved::Infeasible);
                lp.fix(&nothing.terms, false);
                if !infeasible {
                    continue;
                }
                local.push(nothing);
                let sum = refute(system, &local);
                local.pop();
                let Some(sum) = sum else { continue };
                steps.push(ProofStep::Empty(places.clone()));
                steps.push(ProofStep::Sum(sum));
                lp.add(&entered);
                local.push(entered);
                effort.cuts += 1;
                forced = true;
            }
            if !forced {
                if effort.branches >= limits.branches {
                    return Proved::Open(up(&x));
                }
                let places = &sets[0];
                let (nothing, entered) = empty_or_entered(net, places);
                steps.push(ProofStep::Empty(places.clone()));
                open.push((local.len(), entered));
                local.push(nothing);
                lp = Lp::new(system, &local);
                effort.branches += 1;
            }
            continue;
        }
        // Choices that the system makes come before what follows from them.
        let choices = system.transitions..x.len();
        let column = choices.chain(0..system.transitions).find(|c| !is_whole(x[*c]));
        if let Some(column) = column {
            last = up(&x);
            if effort.branches < PROBES && probe(&last) {
                return Proved::Candidate(last);
            }
            if effort.branches >= limits.branches {
                return Proved::Open(last);
            }
            let value = x[column].floor() as i64;
            steps.push(ProofStep::Whole(column as u32, value));
            open.push((local.len(), Row::at_least(vec![(column as u32, 1)], value + 1)));
            local.push(Row::at_most(vec![(column as u32, 1)], value));
            lp = Lp::new(system, &local);
            effort.branches += 1;
            continue;
        }
        if let Some((places, row)) = broken_trap(net, system, &x) {
            steps.push(ProofStep::Trap(places));
            lp.add(&row);
            local.push(row);
            effort.traps += 1;
            continue;
        }
        return Proved::Candidate(x.iter().map(|v| v.round() as i64).collect());
    }
    Proved::Open(last)
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
