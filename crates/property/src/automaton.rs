//! Finite automata over steps with names, and regular expressions that become automata.
//!
//! A step of an execution carries all the names of a property that fit it, so a letter is a set of names. An expression
//! says of single steps which names they must have and must not have. Which sets occur is known only when the names are
//! bound to a program; only then does an expression become a deterministic automaton. Until then it is a
//! nondeterministic automaton whose transitions are tests (Thompson's construction), independent of the letters.
//!
//! The rest is classical: the subset construction, and minimisation by Hopcroft's algorithm, which splits classes and
//! looks again only at the smaller part. Subset construction may be exponential, so states, transitions and work are
//! limited, and a property that needs more is refused at its place. Building the automaton of a long expression once
//! took minutes.
//!
//! Executions without end need more than an accepting state. `Recurring` adds sets of states to each of which such an
//! execution must return again and again: a deterministic generalised Büchi condition. Which states are doomed, so that
//! nothing that follows can satisfy the property, is then a nested fixpoint: the largest set from which each of the
//! sets can be reached again without leaving it (Emerson and Lei, 1986). A monitor that knows its doomed states reports
//! a violation at the first step that makes it inevitable.
//!
//! Tests compare minimal automata with the textbook refinement on random automata.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// The names that a step carries, by number and in order.
pub type Names = Vec<u32>;

/// What is asked of the names of a step: one of each of some lists is among them, and none of another list is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    some: Vec<Names>,
    none: Names,
}

impl Test {
    pub fn anything() -> Test {
        Test { some: Vec::new(), none: Vec::new() }
    }

    pub fn one_of(names: Names) -> Test {
        Test { some: vec![names], none: Vec::new() }
    }

    pub fn none_of(names: Names) -> Test {
        Test { some: Vec::new(), none: names }
    }

    #[must_use]
    pub fn and(mut self, other: Test) -> Test {
        self.some.extend(other.some);
        self.none.extend(other.none);
        self
    }

    pub fn fits(&self, letter: &[u32]) -> bool {
        self.some.iter().all(|list| list.iter().any(|n| letter.contains(n)))
            && !self.none.iter().any(|n| letter.contains(n))
    }
}

/// Each of so many names alone.
pub fn singles(names: usize) -> Vec<Names> {
    (0..names as u32).map(|n| vec![n]).collect()
}

/// A regular expression over steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regex {
    /// The empty word.
    Nothing,
    /// One step.
    Step(Test),
    Sequence(Vec<Regex>),
    Either(Vec<Regex>),
    /// Any number of times.
    Star(Box<Regex>),
}

impl Regex {
    pub fn optional(self) -> Regex {
        Regex::Either(vec![Regex::Nothing, self])
    }

    pub fn star(self) -> Regex {
        Regex::Star(Box::new(self))
    }

    /// How many states its automaton needs, at most.
    pub fn size(&self) -> usize {
        match self {
            Regex::Nothing => 1,
            Regex::Step(_) => 2,
            Regex::Sequence(all) | Regex::Either(all) => {
                all.iter().fold(2, |sum, r| sum.saturating_add(r.size()))
            }
            Regex::Star(r) => r.size().saturating_add(2),
        }
    }

    /// The automaton of its language.
    pub fn automaton(&self) -> Nfa {
        let mut nfa = Nfa::default();
        let (start, end) = (nfa.state(), nfa.state());
        nfa.add(self, start, end);
        nfa.accepting[end] = true;
        nfa
    }
}

/// Larger automata are refused.
pub const MOST_STATES: usize = 100_000;
/// Moves of all states together.
const MOST_MOVES: usize = 20_000_000;
/// States of the nondeterministic automaton that the states of the deterministic one stand for, together, and those
/// that are looked at to find them.
const MOST_PARTS: usize = 20_000_000;
const MOST_LOOKS: usize = 400_000_000;
/// What is said of them.
pub const TOO_LARGE: &str = "the automaton of this property is too large: it has more than 100 000 states or 20 000 000 moves, or takes too much work";

/// A nondeterministic automaton with empty moves.
#[derive(Clone, Debug, Default)]
pub struct Nfa {
    pub start: usize,
    tests: Vec<Test>,
    /// The number of a test, and where a step that fits it leads.
    moves: Vec<Vec<(usize, usize)>>,
    silent: Vec<Vec<usize>>,
    pub accepting: Vec<bool>,
}

impl Nfa {
    pub fn state(&mut self) -> usize {
        self.moves.push(Vec::new());
        self.silent.push(Vec::new());
        self.accepting.push(false);
        self.moves.len() - 1
    }

    pub fn connect(&mut self, from: usize, test: &Test, to: usize) {
        let known = self.tests.iter().position(|t| t == test);
        let number = known.unwrap_or_else(|| {
            self.tests.push(test.clone());
            self.tests.len() - 1
        });
        self.moves[from].push((number, to));
    }

    /// A move without a step.
    pub fn silently(&mut self, from: usize, to: usize) {
        self.silent[from].push(to);
    }

    fn add(&mut self, regex: &Regex, from: usize, to: usize) {
        match regex {
            Regex::Nothing => self.silent[from].push(to),
            Regex::Step(test) => self.connect(from, test, to),
            Regex::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state();
                    self.add(part, at, next);
                    at = next;
                }
                self.silent[at].push(to);
            }
            Regex::Either(parts) => parts.iter().for_each(|part| {
                let (a, b) = (self.state(), self.state());
                self.silent[from].push(a);
                self.add(part, a, b);
                self.silent[b].push(to);
            }),
            Regex::Star(part) => {
                let (a, b) = (self.state(), self.state());
                self.silent[from].push(a);
                self.silent[b].push(a);
                self.silent[a].push(to);
                self.add(part, a, b);
            }
        }
    }

    /// Adds to some states those that empty moves lead to, and keeps the ones at which words may go on or end, in
    /// order. `stamp` tells the states that are met this time from those of other times. Also how many were met.
    fn close(&self, set: &mut Vec<u32>, met: &mut [u32], stamp: u32) -> usize {
        set.retain(|s| std::mem::replace(&mut met[*s as usize], stamp) != stamp);
        let mut at = 0;
        while at < set.len() {
            for next in &self.silent[set[at] as usize] {
                if std::mem::replace(&mut met[*next], stamp) != stamp {
                    set.push(*next as u32);
                }
            }
            at += 1;
        }
        set.retain(|s| !self.moves[*s as usize].is_empty() || self.accepting[*s as usize]);
        set.sort_unstable();
        at
    }

    /// The minimal total deterministic automaton of the same language over these letters; None if it would be
    /// too large.
    pub fn deterministic(&self, letters: &[Names]) -> Option<Dfa> {
        let fits: Vec<Vec<bool>> =
            letters.iter().map(|letter| self.tests.iter().map(|t| t.fits(letter)).collect()).collect();
        let mut met = vec![0; self.moves.len()];
        let mut stamp = 1;
        let mut first = vec![self.start as u32];
        let mut looks = self.close(&mut first, &mut met, stamp);
        let mut parts = first.len();
        let mut number: HashMap<Rc<[u32]>, u32> = HashMap::from([(Rc::from(&first[..]), 0)]);
        let mut sets: Vec<Rc<[u32]>> = vec![first.into()];
        let mut next = Vec::new();
        let mut at = 0;
        while at < sets.len() {
            let now = Rc::clone(&sets[at]);
            for fits in &fits {
                let mut set = Vec::new();
                for state in now.iter() {
                    let moves = self.moves[*state as usize].iter().filter(|(test, _)| fits[*test]);
                    set.extend(moves.map(|(_, to)| *to as u32));
                }
                stamp += 1;
                looks += now.len() + self.close(&mut set, &mut met, stamp);
                let fresh = sets.len() as u32;
                let target = match number.entry(set.into()) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        parts += new.key().len();
                        sets.push(Rc::clone(new.key()));
                        *new.insert(fresh)
                    }
                };
                next.push(target);
                if sets.len() > MOST_STATES || parts > MOST_PARTS || looks > MOST_LOOKS {
                    return None;
                }
            }
            if next.len() > MOST_MOVES {
                return None;
            }
            at += 1;
        }
        let accepting = sets.iter().map(|s| s.iter().any(|q| self.accepting[*q as usize])).collect();
        Some(Dfa { letters: letters.len(), next, accepting, start: 0 }.minimal())
    }
}

/// An automaton, and sets of states to each of which an execution that does not end must come again and again, or stay
/// there; none if only executions that end must be accepted. A state in all of them is accepting.
#[derive(Clone, Debug)]
pub struct Recurring {
    pub dfa: Dfa,
    pub again: Vec<Vec<bool>>,
}

impl Recurring {
    /// States from which nothing that follows satisfies the property: no end, and nothing that goes on for ever.
    pub fn doomed(&self) -> Vec<bool> {
        let before = Before::new(&self.dfa);
        let ends = self.dfa.leading_to(&before, self.dfa.accepting.clone());
        if self.again.is_empty() {
            return ends.into_iter().map(|hopeful| !hopeful).collect();
        }
        // The largest set from which each of the others can be reached again without leaving it (Emerson and Lei, 1986).
        let mut ever = vec![true; self.dfa.len()];
        loop {
            let mut left = ever.clone();
            for set in &self.again {
                let there = (0..left.len()).map(|s| ever[s] && set[s]).collect();
                let towards = self.dfa.leading_to(&before, there);
                for (s, left) in left.iter_mut().enumerate() {
                    *left &= (0..self.dfa.letters).any(|l| towards[self.dfa.step(s as u32, l) as usize]);
                }
            }
            if left == ever {
                break;
            }
            ever = left;
        }
        ends.iter().zip(&ever).map(|(end, ever)| !end && !ever).collect()
    }
}

/// A total deterministic automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    pub letters: usize,
    /// The successor of each state for each letter, one state after the other.
    pub next: Vec<u32>,
    pub accepting: Vec<bool>,
    pub start: u32,
}

impl Dfa {
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.accepting.is_empty()
    }

    pub fn step(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * self.letters + letter]
    }

    #[must_use]
    pub fn complement(mut self) -> Dfa {
        self.accepting.iter_mut().for_each(|a| *a = !*a);
        self
    }

    /// States from which no accepting state can be reached.
    pub fn doomed(&self) -> Vec<bool> {
        let hopeful = self.leading_to(&Before::new(self), self.accepting.clone());
        hopeful.into_iter().map(|h| !h).collect()
    }

    /// States from which one of some states can be reached, these included.
    fn leading_to(&self, before: &Before, mut there: Vec<bool>) -> Vec<bool> {
        let mut work: Vec<usize> = (0..self.len()).filter(|s| there[*s]).collect();
        while let Some(state) = work.pop() {
            for letter in 0..self.letters {
                for from in before.of(letter, state) {
                    if !std::mem::replace(&mut there[*from as usize], true) {
                        work.push(*from as usize);
                    }
                }
            }
        }
        there
    }

    /// The smallest automaton of the same language: states that no word tells apart become one,
    /// numbered in the order in which words reach them.
    #[must_use]
    pub fn minimal(&self) -> Dfa {
        self.merged(self.accepting.iter().map(|a| u32::from(*a)).collect()).0
    }

    /// States of the same class that no word tells apart become one; `class` tells apart at least those that
    /// accept from those that do not. Also, for each new state, an old one that it stands for.
    pub fn merged(&self, class: Vec<u32>) -> (Dfa, Vec<u32>) {
        let (class, count) = self.refined(&class);
        let mut number: Vec<Option<u32>> = vec![None; count];
        let mut order = vec![self.start];
        number[class[self.start as usize] as usize] = Some(0);
        let mut next = Vec::new();
        let mut at = 0;
        while at < order.len() {
            for letter in 0..self.letters {
                let target = self.step(order[at], letter);
                let slot = &mut number[class[target as usize] as usize];
                let new = *slot.get_or_insert_with(|| {
                    order.push(target);
                    order.len() as u32 - 1
                });
                next.push(new);
            }
            at += 1;
        }
        let accepting = order.iter().map(|s| self.accepting[*s as usize]).collect();
        (Dfa { letters: self.letters, next, accepting, start: 0 }, order)
    }

    /// The coarsest classes within these whose states no letter leads to different classes, and how many there are:
    /// Hopcroft's algorithm, in which the smaller part of what is split has to be looked at again.
    fn refined(&self, class: &[u32]) -> (Vec<u32>, usize) {
        let n = self.len();
        let before = Before::new(self);
        // The states of a class stand together.
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|s| class[*s as usize]);
        let mut place = vec![0; n];
        let mut of = vec![0u32; n];
        let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
        for (i, s) in order.iter().enumerate() {
            match parts.last_mut() {
                Some(part) if class[order[part.start] as usize] == class[*s as usize] => part.end = i + 1,
                _ => parts.push(i..i + 1),
            }
            place[*s as usize] = i;
            of[*s as usize] = parts.len() as u32 - 1;
        }
        let mut work: Vec<usize> = (0..parts.len()).collect();
        let mut moved = vec![0; parts.len()];
        let mut touched = Vec::new();
        while let Some(by) = work.pop() {
            let members = order[parts[by].clone()].to_vec();
            for letter in 0..self.letters {
                for s in members.iter().flat_map(|m| before.of(letter, *m as usize)) {
                    let part = of[*s as usize] as usize;
                    if moved[part] == 0 {
                        touched.push(part);
                    }
                    let (from, to) = (place[*s as usize], parts[part].start + moved[part]);
                    order.swap(from, to);
                    place[order[from] as usize] = from;
                    place[order[to] as usize] = to;
                    moved[part] += 1;
                }
                for part in touched.drain(..) {
                    let whole = parts[part].clone();
                    let cut = whole.start + std::mem::take(&mut moved[part]);
                    if cut == whole.end {
                        continue;
                    }
                    let (front, back) = (whole.start..cut, cut..whole.end);
                    let (new, old) = if front.len() <= back.len() { (front, back) } else { (back, front) };
                    parts[part] = old;
                    order[new.clone()].iter().for_each(|s| of[*s as usize] = parts.len() as u32);
                    work.push(parts.len());
                    parts.push(new);
                    moved.push(0);
                }
            }
        }
        (of, parts.len())
    }

    pub fn accepts(&self, word: &[usize]) -> bool {
        let end = word.iter().fold(self.start, |state, letter| self.step(state, *letter));
        self.accepting[end as usize]
    }
}

/// The states from which each letter leads to a state.
struct Before {
    states: usize,
    first: Vec<u32>,
    from: Vec<u32>,
}

impl Before {
    fn new(dfa: &Dfa) -> Before {
        let n = dfa.len();
        let slot = |s: usize, l: usize| l * n + dfa.step(s as u32, l) as usize;
        let all = || (0..n).flat_map(|s| (0..dfa.letters).map(move |l| (s, l)));
        let mut first = vec![0u32; n * dfa.letters + 1];
        all().for_each(|(s, l)| first[slot(s, l) + 1] += 1);
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut free = first.clone();
        let mut from = vec![0; n * dfa.letters];
        for (s, l) in all() {
            let at = &mut free[slot(s, l)];
            from[*at as usize] = s as u32;
            *at += 1;
        }
        Before { states: n, first, from }
    }

    fn of(&self, letter: usize, state: usize) -> &[u32] {
        let slot = letter * self.states + state;
        &self.from[self.first[slot] as usize..self.first[slot + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of comparing successors, as in the textbook.
    fn plainly(dfa: &Dfa) -> usize {
        let mut class: Vec<usize> = dfa.accepting.iter().map(|a| usize::from(*a)).collect();
        loop {
            let key = |s: usize| {
                let next: Vec<usize> =
                    (0..dfa.letters).map(|l| class[dfa.step(s as u32, l) as usize]).collect();
                (class[s], next)
            };
            let keys: Vec<_> = (0..dfa.len()).map(key).collect();
            let finer: Vec<usize> =
                keys.iter().map(|k| keys.iter().position(|other| other == k).unwrap_or(0)).collect();
            if finer == class {
                class.sort_unstable();
                class.dedup();
                return class.len();
            }
            class = finer;
        }
    }

    #[test]
    fn states_that_no_word_tells_apart_are_one() {
        let mut chance = 1u64;
        let mut below = |most: u64| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (chance >> 33) % most
        };
        for _ in 0..2000 {
            let (n, letters) = (1 + below(12), 1 + below(3));
            let next: Vec<u32> = (0..n * letters).map(|_| below(n) as u32).collect();
            let accepting = (0..n).map(|_| below(4) == 0).collect();
            let dfa = Dfa { letters: letters as usize, next, accepting, start: 0 };
            let class: Vec<u32> = dfa.accepting.iter().map(|a| u32::from(*a)).collect();
            assert_eq!(dfa.refined(&class).1, plainly(&dfa), "{dfa:?}");
            let least = dfa.minimal();
            assert_eq!(least.len(), plainly(&least));
            for word in 0..200usize {
                let word: Vec<usize> = (0..8).map(|i| word / 3usize.pow(i) % 3 % dfa.letters).collect();
                assert_eq!(dfa.accepts(&word), least.accepts(&word));
            }
            let hopeless = dfa.doomed();
            for (s, hopeless) in hopeless.into_iter().enumerate() {
                let reach = |s: usize| {
                    let mut seen = vec![s];
                    let mut at = 0;
                    while at < seen.len() {
                        for l in 0..dfa.letters {
                            let to = dfa.step(seen[at] as u32, l) as usize;
                            if !seen.contains(&to) {
                                seen.push(to);
                            }
                        }
                        at += 1;
                    }
                    seen
                };
                assert_eq!(hopeless, !reach(s).iter().any(|s| dfa.accepting[*s]));
            }
        }
    }

    #[test]
    fn long_expressions_become_automata_in_time() {
        let step = || Regex::Step(Test::one_of(vec![0]));
        let long = Regex::Sequence((0..4000).map(|_| step().optional()).collect());
        assert_eq!(long.automaton().deterministic(&singles(2)).map(|dfa| dfa.len()), Some(4002));
        // The tenth step from the end, and the fortieth.
        let any = || Regex::Step(Test::anything());
        let from_end = |n: usize| {
            let mut parts = vec![any().star(), step()];
            parts.extend((1..n).map(|_| any()));
            Regex::Sequence(parts).automaton().deterministic(&singles(2))
        };
        assert_eq!(from_end(10).map(|dfa| dfa.len()), Some(1024));
        assert_eq!(from_end(40), None);
    }
}
