//! Finite automata over numbered letters, and regular expressions that become automata.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A regular expression over the letters of an alphabet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regex {
    /// The empty word.
    Nothing,
    /// One letter of the set.
    OneOf(Vec<usize>),
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
            Regex::OneOf(_) => 2,
            Regex::Sequence(all) | Regex::Either(all) => {
                all.iter().fold(2, |sum, r| sum.saturating_add(r.size()))
            }
            Regex::Star(r) => r.size().saturating_add(2),
        }
    }

    /// The minimal automaton of its language; None if it would have too many states.
    pub fn automaton(&self, letters: usize) -> Option<Dfa> {
        let mut nfa = Nfa::new(letters);
        let (start, end) = (nfa.state(), nfa.state());
        nfa.add(self, start, end);
        nfa.accepting[end] = true;
        nfa.deterministic(start)
    }
}

/// Larger automata are refused.
pub const MOST_STATES: usize = 100_000;

/// A nondeterministic automaton with empty moves.
#[derive(Clone, Debug)]
pub struct Nfa {
    letters: usize,
    moves: Vec<Vec<(usize, usize)>>,
    silent: Vec<Vec<usize>>,
    pub accepting: Vec<bool>,
}

impl Nfa {
    pub fn new(letters: usize) -> Nfa {
        Nfa { letters, moves: Vec::new(), silent: Vec::new(), accepting: Vec::new() }
    }

    pub fn state(&mut self) -> usize {
        self.moves.push(Vec::new());
        self.silent.push(Vec::new());
        self.accepting.push(false);
        self.moves.len() - 1
    }

    pub fn connect(&mut self, from: usize, letter: usize, to: usize) {
        self.moves[from].push((letter, to));
    }

    /// A move without a letter.
    pub fn silently(&mut self, from: usize, to: usize) {
        self.silent[from].push(to);
    }

    fn add(&mut self, regex: &Regex, from: usize, to: usize) {
        match regex {
            Regex::Nothing => self.silent[from].push(to),
            Regex::OneOf(set) => set.iter().for_each(|l| self.connect(from, *l, to)),
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

    fn close(&self, set: &mut Vec<usize>) {
        let mut at = 0;
        while at < set.len() {
            for next in &self.silent[set[at]] {
                if !set.contains(next) {
                    set.push(*next);
                }
            }
            at += 1;
        }
        set.sort_unstable();
    }

    /// The minimal total deterministic automaton of the same language.
    pub fn deterministic(&self, start: usize) -> Option<Dfa> {
        let mut first = vec![start];
        self.close(&mut first);
        let mut number = HashMap::from([(first.clone(), 0u32)]);
        let mut sets = vec![first];
        let mut next = Vec::new();
        let mut at = 0;
        while at < sets.len() {
            for letter in 0..self.letters {
                let mut set = Vec::new();
                for state in &sets[at] {
                    for (l, to) in &self.moves[*state] {
                        if *l == letter && !set.contains(to) {
                            set.push(*to);
                        }
                    }
                }
                self.close(&mut set);
                let fresh = sets.len() as u32;
                let target = match number.entry(set) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        sets.push(new.key().clone());
                        *new.insert(fresh)
                    }
                };
                next.push(target);
            }
            if sets.len() > MOST_STATES {
                return None;
            }
            at += 1;
        }
        let accepting = sets.iter().map(|s| s.iter().any(|q| self.accepting[*q])).collect();
        Some(Dfa { letters: self.letters, next, accepting, start: 0 }.minimal())
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
        let mut hopeful = self.accepting.clone();
        loop {
            let mut changed = false;
            for s in 0..self.len() {
                if !hopeful[s] && (0..self.letters).any(|l| hopeful[self.step(s as u32, l) as usize]) {
                    hopeful[s] = true;
                    changed = true;
                }
            }
            if !changed {
                return hopeful.into_iter().map(|h| !h).collect();
            }
        }
    }

    /// The smallest automaton of the same language: states that no word tells apart become one,
    /// numbered in the order in which words reach them.
    #[must_use]
    pub fn minimal(&self) -> Dfa {
        let mut class: Vec<u32> = self.accepting.iter().map(|a| u32::from(*a)).collect();
        let mut count = 0;
        loop {
            let mut number: HashMap<Vec<u32>, u32> = HashMap::new();
            let mut finer = Vec::with_capacity(self.len());
            for s in 0..self.len() {
                let mut key = vec![class[s]];
                key.extend((0..self.letters).map(|l| class[self.step(s as u32, l) as usize]));
                let fresh = number.len() as u32;
                finer.push(*number.entry(key).or_insert(fresh));
            }
            class = finer;
            if number.len() == count {
                break;
            }
            count = number.len();
        }
        let mut number = vec![u32::MAX; count];
        let mut order = vec![self.start];
        number[class[self.start as usize] as usize] = 0;
        let mut next = Vec::new();
        let mut at = 0;
        while at < order.len() {
            for letter in 0..self.letters {
                let target = self.step(order[at], letter);
                let slot = &mut number[class[target as usize] as usize];
                if *slot == u32::MAX {
                    *slot = order.len() as u32;
                    order.push(target);
                }
                next.push(*slot);
            }
            at += 1;
        }
        let accepting = order.iter().map(|s| self.accepting[*s as usize]).collect();
        Dfa { letters: self.letters, next, accepting, start: 0 }
    }

    pub fn accepts(&self, word: &[usize]) -> bool {
        let end = word.iter().fold(self.start, |state, letter| self.step(state, *letter));
        self.accepting[end as usize]
    }
}
