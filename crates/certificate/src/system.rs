//! The linear system of a net: necessary conditions for an execution.
//!
//! Columns count how often each transition happens. For each place there is a flow row, the state equation of Petri
//! nets (Murata, *Petri nets: properties, analysis and applications*, 1989): what enters and what is there at first
//! covers what leaves. In intervals before the last one it is an equation, since every token moves on; in the last
//! interval a token may stay where it is. For questions about a marking, the places have columns of their own, and the
//! row is an equation with them.
//!
//! What is asked for adds rows: the target happens once; or every list of places has at most so many tokens; or an
//! interval contains what a query requires, and satisfies its linear constraints on numbers of events. An infinite
//! interval is a cycle: its steps leave every place as they found it, and at least one of them happens (Corbett and
//! Avrunin, *Using integer programming to verify general safety and liveness properties*, 1995).
//!
//! Why this is right: count the transitions of an execution with the property asked for, and all rows are satisfied. So
//! if no whole numbers satisfy them, there is no such execution. The converse does not hold; `rendez_ilp` deals with
//! solutions that have no execution.
//!
//! A transition has one column, not one for each task that takes part, so rows that match the two sides of a
//! rendezvous, which INCA needs, do not arise. Executions are to be short: the objective counts transitions, not
//! places.

use rendez_petri::net::{Net, PlaceId, Transition, TransitionRole};

use crate::query::IntervalQuery;

/// The sum of the terms is at least a number, or equal to it. All columns are whole numbers, zero or
/// more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub terms: Vec<(u32, i64)>,
    pub equal: bool,
    pub least: i64,
}

impl Row {
    pub fn at_least(terms: Vec<(u32, i64)>, least: i64) -> Row {
        Row { terms, equal: false, least }
    }

    pub fn at_most(terms: Vec<(u32, i64)>, most: i64) -> Row {
        Row { terms: terms.into_iter().map(|(c, k)| (c, -k)).collect(), equal: false, least: -most }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Some target happens, once, as the last thing.
    Target,
    /// What the intervals of a query need; the net is unrolled for them.
    Query(IntervalQuery),
    /// A marking with at most so many of some places marked, for each of the lists.
    Marking(Vec<(Vec<PlaceId>, i64)>),
}

/// Columns are the transitions, in their order, and for markings the places behind them.
#[derive(Clone, Debug)]
pub struct System {
    pub columns: usize,
    pub rows: Vec<Row>,
    /// Columns that are to be small: executions as short as possible.
    pub transitions: usize,
    /// Whether columns for the places are behind them.
    pub has_places: bool,
}

impl System {
    /// Bytes that solving it takes, about.
    pub fn memory(&self) -> usize {
        let terms: usize = self.rows.iter().map(|r| r.terms.len()).sum();
        self.columns * 1000 + self.rows.len() * 400 + terms * 300
    }

    pub fn new(net: &Net, goal: &Goal) -> System {
        let transitions = net.transitions.len();
        let marking = matches!(goal, Goal::Marking(_));
        let last = net.places.iter().map(|p| p.interval).max().unwrap_or(0);
        let mut flow: Vec<Vec<(u32, i64)>> = vec![Vec::new(); net.places.len()];
        for (t, transition) in net.transitions.iter().enumerate() {
            let mut change = |p: PlaceId, by: i64| match flow[p as usize].last_mut() {
                Some((column, k)) if *column == t as u32 => *k += by,
                _ => flow[p as usize].push((t as u32, by)),
            };
            transition.before.iter().for_each(|p| change(*p, -1));
            transition.after.iter().for_each(|p| change(*p, 1));
        }
        let mut rows = Vec::new();
        for (p, mut terms) in flow.into_iter().enumerate() {
            terms.retain(|t| t.1 != 0);
            let initial = i64::from(net.initial.contains(&(p as PlaceId)));
            if marking {
                terms.push(((transitions + p) as u32, -1));
            }
            let equal = marking || net.places[p].interval < last;
            rows.push(Row { terms, equal, least: -initial });
        }
        let with = |role: &dyn Fn(TransitionRole) -> bool| -> Vec<(u32, i64)> {
            let all = net.transitions.iter().enumerate();
            all.filter(|(_, t)| role(t.role)).map(|(t, _)| (t as u32, 1)).collect()
        };
        let target = with(&|r| matches!(r, TransitionRole::Target | TransitionRole::Unsupported));
        let mut columns = transitions;
        match goal {
            Goal::Target => rows.push(Row { terms: target, equal: true, least: 1 }),
            Goal::Query(query) => {
                if query.intervals.last().is_some_and(|i| !i.ends.is_empty()) {
                    rows.push(Row { terms: target, equal: true, least: 1 });
                }
                query_rows(net, query, &mut rows);
            }
            Goal::Marking(lists) => {
                columns += net.places.len();
                for (places, most) in lists {
                    let terms = places.iter().map(|p| (transitions as u32 + p, 1)).collect();
                    rows.push(Row::at_most(terms, *most));
                }
            }
        }
        System { columns, rows, transitions, has_places: marking }
    }
}

/// What the intervals require; the letters of the transitions carry the interval.
fn query_rows(net: &Net, query: &IntervalQuery, rows: &mut Vec<Row>) {
    for (k, interval) in query.intervals.iter().enumerate() {
        let count = |letters: &[u32], factor: i64, terms: &mut Vec<(u32, i64)>| {
            for (t, transition) in net.transitions.iter().enumerate() {
                let times =
                    transition.letters.iter().filter(|l| usize::from(l.0) == k && letters.contains(&l.1));
                let times = times.count() as i64;
                if times > 0 {
                    terms.push((t as u32, times * factor));
                }
            }
        };
        if interval.perpetual {
            // A loop: everything is where it was, and something has happened.
            let mine = |t: &&(u32, &Transition)| {
                t.1.role == TransitionRole::Step
                    && t.1.before.iter().all(|p| net.places[*p as usize].interval as usize == k)
            };
            let all: Vec<(u32, &Transition)> =
                net.transitions.iter().enumerate().map(|(t, x)| (t as u32, x)).collect();
            let mut flow: Vec<Vec<(u32, i64)>> = vec![Vec::new(); net.places.len()];
            for (t, transition) in all.iter().filter(mine) {
                for (from, to) in transition.before.iter().zip(&transition.after).filter(|(a, b)| a != b) {
                    flow[*from as usize].push((*t, -1));
                    flow[*to as usize].push((*t, 1));
                }
            }
            let loops = flow.into_iter().filter(|terms| !terms.is_empty());
            rows.extend(loops.map(|terms| Row { terms, equal: true, least: 0 }));
            rows.push(Row::at_least(all.iter().filter(mine).map(|(t, _)| (*t, 1)).collect(), 1));
        }
        for letters in &interval.require {
            let mut terms = Vec::new();
            count(letters, 1, &mut terms);
            rows.push(Row::at_least(terms, 1));
        }
        for linear in &interval.constraints {
            let mut terms = Vec::new();
            for (letters, factor) in &linear.terms {
                count(letters, *factor, &mut terms);
            }
            terms.sort_unstable();
            let mut sum: Vec<(u32, i64)> = Vec::new();
            for (column, k) in terms {
                match sum.last_mut() {
                    Some(last) if last.0 == column => last.1 += k,
                    _ => sum.push((column, k)),
                }
            }
            rows.push(Row { terms: sum, equal: linear.equal, least: linear.least });
        }
    }
}
