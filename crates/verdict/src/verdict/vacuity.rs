//! Whether a property that holds says anything, and what an engine leaves open that looks at single steps.
//!
//! A property holds vacuously if every sequence satisfies it, if an event without which it demands nothing never happens, or
//! if no sequence can break it with the events that do happen. All of this is computed on the automaton of the property,
//! with the letters that were seen.

use std::collections::BTreeSet;

use rendez_model::monitor::Monitor;

use super::list;
use crate::Reason;
use crate::observation::Witness;

/// Why a property that holds says nothing about the program, if so.
pub fn vacuous(monitor: &Monitor, number: u16, witness: &Witness) -> Option<String> {
    let seen = |letter: u32| witness.letters.contains(&(number, letter));
    let happens = |symbol: u32| monitor.sets.iter().any(|(set, l)| seen(*l) && set.contains(&symbol));
    let absent: Vec<u32> = (0..monitor.symbols.len() as u32).filter(|s| !happens(*s)).collect();
    let without = |symbols: &[u32]| {
        let names: Vec<&str> = symbols.iter().map(|s| monitor.symbols[*s as usize].as_str()).collect();
        let (s, them) = if names.len() == 1 { ("s", "it") } else { ("", "them") };
        format!("{} never happen{s}, and every execution without {them} satisfies this", list(&names))
    };
    if !can_break(monitor, &[]) {
        return Some(match monitor.accepting.iter().all(|a| *a) {
            true => "every sequence of events satisfies it".into(),
            false => "every sequence of steps that can have these names satisfies it".into(),
        });
    }
    let trigger = monitor.triggers.iter().find(|t| absent.contains(t) && !can_break(monitor, &[**t]));
    if let Some(trigger) = trigger {
        return Some(without(&[*trigger]));
    }
    if absent.len() == monitor.symbols.len() && !bans_something(monitor) {
        return Some("none of its events can happen".into());
    }
    if !is_at_stake(monitor, seen)
        && let Some(names) = without_which_nothing_breaks(monitor, &absent)
    {
        return Some(without(&names));
    }
    let reachable_doom = monitor.doomed.iter().any(|d| *d);
    if !witness.ended && !reachable_doom && !monitor.is_live() {
        return Some("only at its end could an execution break it, and none comes to an end".into());
    }
    None
}

/// Whether some sequence of steps without these symbols breaks a property, at once, at its end or by going on for ever.
fn can_break(monitor: &Monitor, without: &[u32]) -> bool {
    let kept = monitor.sets.iter().filter(|(set, _)| !set.iter().any(|s| without.contains(s)));
    let letters: BTreeSet<u32> = kept.map(|(_, letter)| *letter).collect();
    let mut reached = vec![false; monitor.accepting.len()];
    reached[0] = true;
    let mut work = vec![0];
    while let Some(state) = work.pop() {
        if !monitor.accepting[state as usize] {
            return true;
        }
        for letter in &letters {
            let next = monitor.step(state, *letter);
            if !std::mem::replace(&mut reached[next as usize], true) {
                work.push(next);
            }
        }
    }
    false
}

/// As few symbols as possible of some without which no sequence of steps breaks a property: one of them, or what is left
/// if each is left out that can be.
fn without_which_nothing_breaks(monitor: &Monitor, absent: &[u32]) -> Option<Vec<u32>> {
    if let Some(one) = absent.iter().find(|s| !can_break(monitor, &[**s])) {
        return Some(vec![*one]);
    }
    let mut needed = absent.to_vec();
    if can_break(monitor, &needed) {
        return None;
    }
    for symbol in absent {
        let fewer: Vec<u32> = needed.iter().copied().filter(|s| s != symbol).collect();
        if !can_break(monitor, &fewer) {
            needed = fewer;
        }
    }
    Some(needed)
}

/// Whether a property says of some event, for which there is code, that it never happens at all.
fn bans_something(monitor: &Monitor) -> bool {
    let fatal = |symbol: u32, state: u32| {
        monitor.doomed[state as usize] || monitor.doomed[monitor.step(state, symbol) as usize]
    };
    (0..monitor.symbols.len() as u32)
        .filter(|s| monitor.possible[*s as usize])
        .any(|symbol| (0..monitor.accepting.len() as u32).all(|state| fatal(symbol, state)))
}

/// Whether the letters that happen can lead to where an end, or one more letter for which there is code, would
/// break a property.
fn is_at_stake(monitor: &Monitor, seen: impl Fn(u32) -> bool) -> bool {
    let possible = |set: &[u32]| set.iter().all(|s| monitor.possible[*s as usize]);
    let may_come: Vec<u32> = monitor.sets.iter().filter(|(s, _)| possible(s)).map(|(_, l)| *l).collect();
    let mut reached = vec![false; monitor.accepting.len()];
    reached[0] = true;
    let mut work = vec![0];
    while let Some(state) = work.pop() {
        let broken = may_come.iter().any(|l| monitor.doomed[monitor.step(state, *l) as usize]);
        if broken || !monitor.accepting[state as usize] {
            return true;
        }
        for letter in (0..monitor.letters as u32).filter(|l| seen(*l)) {
            let next = monitor.step(state, letter);
            if !std::mem::replace(&mut reached[next as usize], true) {
                work.push(next);
            }
        }
    }
    false
}

/// What an engine leaves open that looks at single steps and at ends of executions only: nothing, if the letters that
/// happen never lead to where something must still come.
pub fn open_for_ever(monitor: &Monitor, number: u16, witness: &Witness) -> Option<Reason> {
    let waits = |state: u32| {
        let outside = monitor.again.iter().any(|set| !set[state as usize]);
        outside && !monitor.doomed[state as usize]
    };
    let seen = |letter: &u32| witness.letters.contains(&(number, *letter));
    let letters: Vec<u32> = (0..monitor.letters as u32).filter(seen).collect();
    let mut met = vec![false; monitor.accepting.len()];
    met[0] = true;
    let mut reached = vec![0];
    let mut at = 0;
    while at < reached.len() {
        for letter in &letters {
            let next = monitor.step(reached[at], *letter);
            if !std::mem::replace(&mut met[next as usize], true) {
                reached.push(next);
            }
        }
        at += 1;
    }
    reached.into_iter().any(waits).then_some(Reason::NeverEnding)
}
