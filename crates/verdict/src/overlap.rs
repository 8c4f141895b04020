//! Sets of names that one step may carry.
//!
//! A property has names for events, and a step of the program may fit several of them: `write X` and `write X = 1`, or
//! an entry with and without its caller. A letter of the property's automaton is therefore a set of names, and the
//! automaton is built over those sets that can occur. This file lists them, once the names are bound to the program
//! (`bind.rs`).
//!
//! For each kind of moment, the list is a small enumeration: for rendezvous, each named caller and "any other", with
//! every consistent combination of parameter values that names ask for; for assignments, each named value and one that
//! is not named; for conditions, each combination of values of the cells that the condition reads. Passes may remove
//! cells from a condition, so fewer of them may be read than the source says.
//!
//! The list may contain sets that no step has, since values are combined without regard to the program. That is
//! harmless: an automaton with more letters accepts and rejects the same steps. A missing set would be an error; the
//! semantics then counts the step as not modelled, so nothing is proved. A property with more than some thousands of
//! sets is refused.
//!
//! Earlier, a step with two names counted as the first one listed only, and wrong proofs had certificates that verify.

use std::collections::{BTreeMap, BTreeSet};

use rendez_model::monitor::{Comparison, EventPattern, Match, compares};
use rendez_model::{Action, Domain, EntryId, Expr, Place, Program, TaskId, Value, VarId};

/// A property with more sets of names is refused.
pub(crate) const MOST: usize = 4096;

/// There are more than [`MOST`].
pub(crate) struct TooMany;

type Set = BTreeSet<u32>;
type Values = Vec<Option<i64>>;
/// Who must call, with which values, and the symbol.
type Call<'w> = (Option<TaskId>, &'w [Option<i64>], u32);

/// The sets of symbols that a moment may carry, the smaller first.
pub(crate) fn sets(program: &Program, watch: &[(EventPattern, u32)]) -> Result<Vec<Vec<u32>>, TooMany> {
    let mut all: BTreeSet<Set> = BTreeSet::new();
    plain(watch, &mut all);
    calls(watch, &mut all)?;
    all.extend(writes(program, watch).into_values().flatten());
    tests(program, watch, &mut all)?;
    all.remove(&Set::new());
    let mut list: Vec<Vec<u32>> = all.into_iter().map(|set| set.into_iter().collect()).collect();
    list.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    if list.len() > MOST { Err(TooMany) } else { Ok(list) }
}

/// Events, calls of subprograms, and starts and ends of tasks.
fn plain(watch: &[(EventPattern, u32)], all: &mut BTreeSet<Set>) {
    let mut by: BTreeMap<(u8, usize, String), Set> = BTreeMap::new();
    for (happening, symbol) in watch {
        let mut fits = |kind: u8, number: usize, name: &str| {
            by.entry((kind, number, name.to_lowercase())).or_default().insert(*symbol);
        };
        match happening {
            EventPattern::Event(name) => fits(0, 0, name),
            EventPattern::Enter { procs } => procs.iter().for_each(|p| fits(1, p.index(), "")),
            EventPattern::Start(tasks) => tasks.iter().for_each(|t| fits(2, t.index(), "")),
            EventPattern::End(tasks) => tasks.iter().for_each(|t| fits(3, t.index(), "")),
            _ => {}
        }
    }
    all.extend(by.into_values());
}

/// Rendezvous that begin or end.
fn calls(watch: &[(EventPattern, u32)], all: &mut BTreeSet<Set>) -> Result<(), TooMany> {
    let mut by: BTreeMap<(bool, EntryId), Vec<Call>> = BTreeMap::new();
    for (happening, symbol) in watch {
        let (begins, entries, caller, values) = match happening {
            EventPattern::Accept { entries, by, values } => (true, entries, by, &values[..]),
            EventPattern::Finish { entries, by } => (false, entries, by, &[][..]),
            _ => continue,
        };
        for entry in entries {
            by.entry((begins, *entry)).or_default().push((*caller, values, *symbol));
        }
    }
    for list in by.into_values() {
        // Each caller that is named, and the others.
        let callers: BTreeSet<Option<TaskId>> = list.iter().map(|c| c.0).chain([None]).collect();
        for caller in callers {
            let mut with: BTreeMap<&[Option<i64>], Set> = BTreeMap::new();
            for (by, values, symbol) in &list {
                if by.is_none() || *by == caller {
                    with.entry(*values).or_default().insert(*symbol);
                }
            }
            all.extend(combined(with)?);
        }
    }
    Ok(())
}

/// The sets that come of happenings with these values: of any two that agree, both may fit.
fn combined(with: BTreeMap<&[Option<i64>], Set>) -> Result<BTreeSet<Set>, TooMany> {
    let mut regions: BTreeSet<(Values, Set)> = BTreeSet::from([(Values::new(), Set::new())]);
    for (values, symbols) in with {
        let mut next = BTreeSet::new();
        for (known, set) in regions {
            let more: Set = set.union(&symbols).copied().collect();
            match both(&known, values) {
                Some(both) if both == known => {
                    next.insert((known, more));
                }
                Some(both) => {
                    next.insert((both, more));
                    next.insert((known, set));
                }
                None => {
                    next.insert((known, set));
                }
            }
        }
        regions = next;
        if regions.len() > MOST {
            return Err(TooMany);
        }
    }
    Ok(regions.into_iter().map(|r| r.1).collect())
}

/// What two lists of values ask for together, None if they contradict each other.
fn both(a: &[Option<i64>], b: &[Option<i64>]) -> Option<Values> {
    let mut all = Values::new();
    for i in 0..a.len().max(b.len()) {
        all.push(match (a.get(i).copied().flatten(), b.get(i).copied().flatten()) {
            (Some(x), Some(y)) if x != y => return None,
            (x, y) => x.or(y),
        });
    }
    while all.last() == Some(&None) {
        all.pop();
    }
    Some(all)
}

/// By cell: the sets that an assignment may carry.
fn writes(program: &Program, watch: &[(EventPattern, u32)]) -> BTreeMap<VarId, BTreeSet<Set>> {
    let watched = watch.iter().filter_map(|(happening, symbol)| match happening {
        EventPattern::Write { cells, value } => Some((cells, *value, *symbol)),
        _ => None,
    });
    by_value(program, watched)
}

/// By cell: which symbols its values fit.
fn by_value<'w>(
    program: &Program,
    watched: impl Iterator<Item = (&'w Vec<VarId>, Option<Comparison>, u32)>,
) -> BTreeMap<VarId, BTreeSet<Set>> {
    let mut by: BTreeMap<VarId, Vec<(Option<Comparison>, u32)>> = BTreeMap::new();
    for (cells, value, symbol) in watched {
        cells.iter().for_each(|cell| by.entry(*cell).or_default().push((value, symbol)));
    }
    let sets = |(cell, list): (VarId, Vec<(Option<Comparison>, u32)>)| {
        let named: BTreeSet<i64> = list.iter().filter_map(|(test, _)| test.map(|t| t.1)).collect();
        // The values that are named, and one that is not.
        let other = (0..).find(|v| !named.contains(v));
        let mut values: Vec<i64> = named.iter().copied().chain(other).collect();
        if let Domain::Range(lo, hi) = program.vars[cell.index()].domain {
            values = named.into_iter().filter(|v| (lo..=hi).contains(v)).collect();
            values.extend((lo..=hi).find(|v| !values.contains(v)));
        }
        let fitting = |v: i64| -> Set {
            let fits = |test: &Option<Comparison>| compares(*test, Value::Known(v)) == Match::Yes;
            list.iter().filter(|(test, _)| fits(test)).map(|(_, symbol)| *symbol).collect()
        };
        (cell, values.into_iter().map(fitting).collect())
    };
    by.into_iter().map(sets).collect()
}

/// Conditions: each of their cells may have any value, and passes may have removed some of the cells.
fn tests(program: &Program, watch: &[(EventPattern, u32)], all: &mut BTreeSet<Set>) -> Result<(), TooMany> {
    let watched = watch.iter().filter_map(|(happening, symbol)| match happening {
        EventPattern::Test { cells, value } => Some((cells, *value, *symbol)),
        _ => None,
    });
    let by = by_value(program, watched);
    if by.is_empty() {
        return Ok(());
    }
    let mut groups: BTreeSet<Vec<VarId>> = BTreeSet::new();
    let mut condition = |e: &Expr| {
        let mut cells = Vec::new();
        e.each_cell(program, &mut |cell| {
            if by.contains_key(&cell) && !cells.contains(&cell) {
                cells.push(cell);
            }
        });
        groups.insert(cells);
    };
    for node in &program.nodes {
        match &node.action {
            Action::Branch { cond, .. } => condition(cond),
            Action::Assign { to: Place::Var(to), value, .. } if program.is_selector(*to) => condition(value),
            Action::Select { alternatives, delays, .. } => {
                alternatives.iter().filter_map(|a| a.guard.as_ref()).for_each(&mut condition);
                delays.iter().filter_map(|d| d.0.as_ref()).for_each(&mut condition);
            }
            _ => {}
        }
    }
    for cells in groups {
        let mut sets = BTreeSet::from([Set::new()]);
        for cell in cells {
            let with = |set: &Set| by[&cell].iter().map(|more| set | more).collect::<Vec<Set>>();
            let more: Vec<Set> = sets.iter().flat_map(with).collect();
            sets.extend(more);
            if sets.len() > MOST {
                return Err(TooMany);
            }
        }
        all.extend(sets);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(by: Option<u32>, values: &[Option<i64>]) -> EventPattern {
        EventPattern::Accept { entries: vec![EntryId(0)], by: by.map(TaskId), values: values.to_vec() }
    }

    fn found(list: &[EventPattern]) -> Option<Vec<Vec<u32>>> {
        let watch: Vec<(EventPattern, u32)> = list.iter().cloned().zip(0..).collect();
        sets(&Program::default(), &watch).ok()
    }

    #[test]
    fn what_agrees_may_come_together() {
        let any = accept(None, &[]);
        assert_eq!(found(&[any.clone(), accept(Some(1), &[])]), Some(vec![vec![0], vec![0, 1]]));
        assert_eq!(found(&[any.clone(), any.clone()]), Some(vec![vec![0, 1]]));
        let (one, two) = (accept(None, &[Some(1)]), accept(None, &[Some(2)]));
        assert_eq!(found(&[one.clone(), two.clone()]), Some(vec![vec![0], vec![1]]));
        let second = accept(None, &[None, Some(5)]);
        let all = vec![vec![0], vec![0, 1], vec![0, 2], vec![0, 1, 2]];
        assert_eq!(found(&[any, one, second]), Some(all));
        assert_eq!(found(&[accept(Some(1), &[]), accept(Some(2), &[])]), Some(vec![vec![0], vec![1]]));
    }

    #[test]
    fn too_many_sets_are_refused() {
        let at = |i: usize| accept(None, &[vec![None; i], vec![Some(1)]].concat());
        assert!(found(&(0..12).map(at).collect::<Vec<_>>()).is_some());
        assert!(found(&(0..13).map(at).collect::<Vec<_>>()).is_none());
    }
}
