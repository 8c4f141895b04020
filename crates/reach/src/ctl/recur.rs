//! What monitors demand of executions that do not end.
//!
//! A monitor may have to come to certain sets of its states again and again (the acceptance condition of a Büchi
//! automaton). An execution breaks that if it stays outside of one set for ever: it ends there, or it goes round a loop
//! that is fair and avoids the set, also on its edges, since a monitor may take several steps within one.
//!
//! A graph without waits as steps of their own is tried first. There it is unknown which loops are fair, so a loop counts
//! only if its replay is fair; if a loop was found and its replay is not, the monitor is looked at once more in a graph
//! with all waits. Traces that depend on no unknown value are preferred.

use std::time::Instant;

use rendez_model::semantics::Semantics;
use rendez_petri::step_cache::Story;
use rendez_verdict::{Control, Findings, Options, Reason, Stats};

use super::show::Trail;
use super::{Approximation, Checker, Flags, UntilGoal, checker};
use crate::check::{reach, share};
use crate::search::Config;
use crate::visible::Visible;

/// What became of the search for an execution that breaks a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LassoSearch {
    Found,
    Nothing,
    /// There is a loop of which it is not known whether it is fair.
    Open,
}

/// Looks at the executions that block or go on for ever: what they break of what some monitors demand becomes a
/// finding. Every step counts here, in every order. Says why the rest is open, if it is.
pub fn recurring(
    semantics: &Semantics,
    monitors: &[u16],
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> (Option<Reason>, Stats) {
    let started = Instant::now();
    let visible = Some(Visible(Vec::new()));
    let config = Config { stubborn: false, symmetry: false, branching: visible, ..config.clone() };
    let (mut left, mut stats) = (monitors.to_vec(), Stats::default());
    for waits in [false, true] {
        let config = Config { waits, ..config.clone() };
        let reached = reach(semantics, &share(options, started, 1.0), &config, control, &[]);
        stats = stats.max(reached.stats);
        match checker(&reached, options.fairness, &config, control) {
            Ok(checker) => left.retain(|m| checker.recurs(*m, findings) == LassoSearch::Open),
            Err((_, why)) => return (Some(why), stats),
        }
        if left.is_empty() {
            break;
        }
    }
    (None, stats)
}

impl Checker<'_, '_, '_> {
    /// Looks for an execution that never brings a monitor to one of the sets to which it must come again and again.
    fn recurs(&self, monitor: u16, findings: &mut Findings) -> LassoSearch {
        let property = &self.program().monitors[usize::from(monitor)];
        let mut found = LassoSearch::Nothing;
        // A trace that depends on nothing unknown is better.
        for approximation in [Approximation::Over, Approximation::Under] {
            for set in &property.again {
                let Some(goal) = self.visits(monitor, set) else {
                    findings.contradictions.push(format!("{} is not part of the states", property.name));
                    return LassoSearch::Found;
                };
                let inside: Flags = goal.states.iter().map(|there| !there).collect();
                let passes = |e: usize| self.counts_against(e, approximation);
                let avoids = |e: usize| passes(e) && goal.is_avoided(e);
                let mut ends = self.states(|s| inside[s as usize] && self.may_end(s));
                if !ends.contains(&true) {
                    let fair_loops = self.fair_components(&inside, &avoids);
                    fair_loops.into_iter().flatten().for_each(|s| ends[s as usize] = true);
                }
                let mut trail = Trail::default();
                let at = self.walk(0, &ends, &passes, &mut trail);
                if !ends[at as usize] {
                    continue;
                }
                self.show_for_ever(at, &inside, &avoids, &mut trail);
                match self.trace(&trail) {
                    Some(trace) if !self.coarse || self.is_shown(&trail, &trace) => {
                        let execution = (&trace.moves[..], trace.loop_from);
                        findings.never_again(monitor, set, execution, self.fairness);
                        return LassoSearch::Found;
                    }
                    _ if self.coarse => found = LassoSearch::Open,
                    _ => {
                        findings.contradictions.push("a trace that goes on for ever does not replay".into());
                        return LassoSearch::Found;
                    }
                }
            }
        }
        found
    }

    /// Where a monitor is in one of a set of states, and the edges on which it passes one.
    /// Nothing if states do not tell where it is.
    fn visits(&self, monitor: u16, set: &[bool]) -> Option<UntilGoal> {
        let slots = &self.reached.cache.slots;
        let property = &self.program().monitors[usize::from(monitor)];
        let value =
            |slot: usize, n: u32| slots.cells(slot, n).find(|c| c.0 == property.cell).map(|c| c.1 as u32);
        let of =
            |slot: usize| (0..slots.count(slot) as u32).map(|n| value(slot, n)).collect::<Option<Vec<u32>>>();
        let known = (0..slots.count_slots()).filter(|slot| slots.count(*slot) > 0);
        let (slot, values) = known.into_iter().find_map(|slot| of(slot).map(|values| (slot, values)))?;
        let mut at = vec![0; self.graph.len()];
        let mut words = vec![0; self.reached.layout.words];
        for (s, at) in at.iter_mut().enumerate() {
            self.reached.store.read(s as u32, &mut words);
            *at = values[self.reached.layout.get(&words, slot) as usize];
        }
        let stories = self.reached.cache.stories.iter();
        let letters_of = |s: &Story| -> Vec<u32> {
            s.steps.iter().flat_map(|s| &s.letters).filter(|l| l.0 == monitor).map(|l| l.1).collect()
        };
        let letters: Vec<Vec<u32>> = stories.map(letters_of).collect();
        let passes = |e: usize| {
            let mut now = at[self.sources[e] as usize];
            self.graph.run(e).iter().flat_map(|o| &letters[*o as usize]).any(|letter| {
                now = property.step(now, *letter);
                set[now as usize]
            })
        };
        let edges = (0..self.graph.edge_count()).map(passes).collect();
        Some(UntilGoal { states: at.iter().map(|at| set[*at as usize]).collect(), edges })
    }
}
