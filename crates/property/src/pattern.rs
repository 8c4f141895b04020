//! The catalogue of specification patterns, in all its scopes.
//!
//! The patterns are those of Dwyer, Avrunin and Corbett (*Patterns in property specifications for finite-state
//! verification*, ICSE 1999). A pattern is an automaton of what may happen in a stretch of an execution; a scope says
//! which stretches count. The catalogue gives a formula for each combination. We give one automaton for each pattern
//! and one construction for each scope (`scoped`), so all combinations mean the same thing: the steps that open and
//! close a stretch lie outside of it, whatever other names they have, and a step that is both ends of a scope closes
//! one stretch and opens the next.
//!
//! Patterns are about all executions. One that ends, or stands still for ever, must have brought the automaton to an
//! accepting state; one in which events go on for ever must bring it to certain states again and again. For most
//! patterns, these are the accepting states.
//!
//! Response chains need more care, because every stimulus is an obligation of its own, and many may be open at once
//! though each is met. Obligations that have come equally far share their future, so a state is the set of distances.
//! Those that are open at some moment are remembered as owed until they are met; then the ones that are open now become
//! owed, and a colour changes. All are met if there is none open again and again, or the colour changes again and
//! again. This is the breakpoint construction of Miyano and Hayashi (1984).
//!
//! The automata are compared with the catalogue's formulas of linear time on all short finite and periodic words, and
//! on words of steps with several names. That comparison, and external rules, found the mistakes: one chain of
//! responses answered two stimuli, scopes did not open again, and patterns held although a program may block before the
//! required event.

use std::collections::HashMap;

use crate::automaton::{Dfa, MOST_STATES, Names, Nfa, Recurring, Regex, Test};
use crate::scan::{Scanner, Words};
use crate::{Position, Wrong};

/// Where a pattern must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Globally,
    Before(u32),
    After(u32),
    Between(u32, u32),
    AfterUntil(u32, u32),
}

/// A pattern with its symbols as they were written.
pub struct Pattern {
    pub symbols: Vec<(String, Position)>,
    pub demand: Demand,
    /// An execution without one of these satisfies it.
    pub triggers: Vec<u32>,
}

/// What a pattern demands of all executions.
#[derive(Clone, Debug)]
pub enum Demand {
    /// That every stretch of the scope is as an expression says.
    Sequences { stretch: Nfa, scope: Scope },
    /// That every obligation is met that they take on.
    Responses { stimuli: Vec<u32>, responses: Vec<u32>, without: Option<u32>, scope: Scope },
}

/// A use of a pattern before its symbols are known.
#[derive(Clone, Debug)]
enum Shape {
    Absence(u32),
    Existence(u32),
    Bounded(u32, u32),
    Universality(u32),
    Precedence(Vec<u32>, Vec<u32>),
    Response(Vec<u32>, Vec<u32>, Option<u32>),
}

struct Reader<'a> {
    scanner: &'a mut Scanner,
    symbols: Vec<(String, Position)>,
}

impl Reader<'_> {
    fn symbol(&mut self) -> Result<u32, Wrong> {
        let position = self.scanner.position();
        let word = self.scanner.word("an event", Words::Symbols)?;
        Ok(match self.symbols.iter().position(|s| s.0 == word) {
            Some(known) => known as u32,
            None => {
                self.symbols.push((word, position));
                self.symbols.len() as u32 - 1
            }
        })
    }

    fn symbols(&mut self) -> Result<Vec<u32>, Wrong> {
        let mut all = vec![self.symbol()?];
        while self.scanner.take(",", Words::Symbols) {
            all.push(self.symbol()?);
        }
        Ok(all)
    }
}

const NAMES: &str = "absence, existence, bounded existence, universality, precedence, response, precedence chain, response chain";

/// Reads what follows `pattern:`, up to the semicolon at its end or the end of the text.
pub fn parse(scanner: &mut Scanner) -> Result<Pattern, Wrong> {
    let words = Words::Symbols;
    let start = scanner.position();
    let mut name = String::new();
    while !scanner.take(";", words) {
        let word = scanner.word(&format!("the name of a pattern ({NAMES})"), words)?;
        name = format!("{name} {}", word.to_lowercase()).trim().to_owned();
    }
    let mut reader = Reader { scanner, symbols: Vec::new() };
    let shape = match name.as_str() {
        "absence" => Shape::Absence(reader.symbol()?),
        "existence" => Shape::Existence(reader.symbol()?),
        "universality" => Shape::Universality(reader.symbol()?),
        "bounded existence" => {
            let p = reader.symbol()?;
            let most = if reader.scanner.take("at", words) {
                reader.scanner.expect("most", words)?;
                let position = reader.scanner.position();
                let number = reader.scanner.word("a number", words)?;
                number
                    .parse()
                    .ok()
                    .filter(|n| *n <= 1000)
                    .ok_or_else(|| Wrong::at(position, "expected a number up to 1000"))?
            } else {
                2
            };
            Shape::Bounded(p, most)
        }
        "precedence" | "precedence chain" => {
            let causes = reader.symbols()?;
            let position = reader.scanner.position();
            reader.scanner.expect("precedes", words)?;
            let effects = reader.symbols()?;
            if causes.len() > 1 && effects.len() > 1 {
                return Err(Wrong::at(position, "a chain has several causes or several effects, not both"));
            }
            Shape::Precedence(causes, effects)
        }
        "response" | "response chain" => {
            let responses = reader.symbols()?;
            let without = match reader.scanner.take("without", words) {
                true => Some(reader.symbol()?),
                false => None,
            };
            reader.scanner.expect("responds", words)?;
            reader.scanner.expect("to", words)?;
            Shape::Response(reader.symbols()?, responses, without)
        }
        _ => return Err(Wrong::at(start, format!("there is no pattern `{name}`; there are {NAMES}"))),
    };
    let mut scope = None;
    while reader.scanner.take(";", words) {
        let position = reader.scanner.position();
        if reader.scanner.take("scope:", words) {
            if scope.replace(read_scope(&mut reader)?).is_some() {
                return Err(Wrong::at(position, "a pattern has one scope"));
            }
        } else if reader.scanner.take("events:", words) {
            reader.symbols()?;
        } else {
            break;
        }
    }
    let scope = scope.unwrap_or(Scope::Globally);
    let triggers = triggers(&shape, scope);
    let demand = match shape {
        Shape::Response(stimuli, responses, without) => {
            Demand::Responses { stimuli, responses, without, scope }
        }
        shape => Demand::Sequences { stretch: stretch(&shape).automaton(), scope },
    };
    Ok(Pattern { symbols: reader.symbols, demand, triggers })
}

fn read_scope(reader: &mut Reader) -> Result<Scope, Wrong> {
    let words = Words::Symbols;
    let kind = reader.scanner.word("a scope", words)?;
    Ok(match kind.to_lowercase().as_str() {
        "globally" => Scope::Globally,
        "before" => Scope::Before(reader.symbol()?),
        "after" => {
            let q = reader.symbol()?;
            match reader.scanner.take("until", words) {
                true => Scope::AfterUntil(q, reader.symbol()?),
                false => Scope::After(q),
            }
        }
        "between" => {
            let q = reader.symbol()?;
            reader.scanner.expect("and", words)?;
            Scope::Between(q, reader.symbol()?)
        }
        _ => {
            return Err(reader.scanner.wrong(
                "expected a scope: `globally`, `before R`, `after Q`, `between Q and R`, `after Q until R`",
                words,
            ));
        }
    })
}

/// The symbols without which a pattern demands nothing.
fn triggers(shape: &Shape, scope: Scope) -> Vec<u32> {
    let mut all = match scope {
        Scope::Globally => Vec::new(),
        Scope::Before(end) => vec![end],
        Scope::After(start) | Scope::AfterUntil(start, _) => vec![start],
        Scope::Between(start, end) => vec![start, end],
    };
    match shape {
        Shape::Precedence(_, effects) => all.extend(effects),
        Shape::Response(stimuli, ..) => all.extend(stimuli),
        Shape::Absence(_) | Shape::Existence(_) | Shape::Bounded(..) | Shape::Universality(_) => {}
    }
    all
}

fn one(name: u32) -> Regex {
    Regex::Step(Test::one_of(vec![name]))
}

/// Any number of steps without these names.
fn but(names: &[u32]) -> Regex {
    Regex::Step(Test::none_of(names.to_vec())).star()
}

fn seq<const N: usize>(parts: [Regex; N]) -> Regex {
    Regex::Sequence(parts.into())
}

/// What may happen in one stretch.
fn stretch(shape: &Shape) -> Regex {
    match shape {
        Shape::Absence(p) => but(&[*p]),
        Shape::Existence(p) => seq([but(&[*p]), one(*p), but(&[])]),
        Shape::Universality(p) => one(*p).star(),
        Shape::Bounded(p, most) => {
            let mut parts: Vec<Regex> = (0..*most).map(|_| seq([but(&[*p]), one(*p)]).optional()).collect();
            parts.push(but(&[*p]));
            Regex::Sequence(parts)
        }
        // The causes in their order, before the effect; only the last of them may come with it.
        Shape::Precedence(causes, effects) if effects.len() == 1 => {
            let p = effects[0];
            let mut parts = Vec::new();
            for (i, cause) in causes.iter().enumerate() {
                let excluded = if i + 1 == causes.len() { Vec::new() } else { vec![p] };
                parts.push(but(&[p, *cause]));
                parts.push(Regex::Step(Test::one_of(vec![*cause]).and(Test::none_of(excluded))));
            }
            parts.push(but(&[]));
            Regex::Either(vec![but(&[p]), Regex::Sequence(parts)])
        }
        // The cause, before the first effect of a chain that comes to its end.
        Shape::Precedence(causes, effects) => {
            let p = causes[0];
            let mut tail = Regex::Nothing;
            for (i, effect) in effects.iter().enumerate().rev() {
                let not = if i == 0 { but(&[*effect, p]) } else { but(&[*effect]) };
                tail = match i + 1 == effects.len() {
                    true => not,
                    false => seq([not, seq([one(*effect), tail]).optional()]),
                };
            }
            Regex::Either(vec![tail, seq([but(&[effects[0], p]), one(p), but(&[])])])
        }
        Shape::Response(..) => unreachable!("responses are no matter of single words"),
    }
}

impl Demand {
    /// The automaton, if these are the letters; None if it would have too many states.
    pub fn over(&self, letters: &[Names]) -> Option<Recurring> {
        match self {
            // Where it is not accepting it waits for something, and accepts again once that has come.
            Demand::Sequences { stretch, scope } => {
                let dfa = stretch.deterministic(letters)?;
                let base = Recurring { again: vec![dfa.accepting.clone()], dfa };
                Some(scoped(&base, *scope, letters))
            }
            Demand::Responses { stimuli, responses, without, scope } => {
                let base = obligations(stimuli, responses, *without, letters)?;
                Some(scoped(&base, *scope, letters))
            }
        }
    }
}

/// Every stimulus is an obligation: the rest of the stimuli, if they follow in their order, and then the responses in
/// theirs, of which the first may come with the last stimulus. Obligations that have come equally far share their future, so it is enough to know how far
/// some have come.
///
/// With several responses there may be some obligation at any time, though each is met. So those that there are at
/// some moment are remembered as owed, until they are met; then those that there are now become owed, and the colour
/// changes. Each is met if there is none again and again, or the colour changes again and again.
fn obligations(
    stimuli: &[u32],
    responses: &[u32],
    without: Option<u32>,
    letters: &[Names],
) -> Option<Recurring> {
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct At {
        /// How far: the number of stimuli and responses that were seen, as bits.
        far: u64,
        owed: u64,
        colour: bool,
    }
    let (first, last) = (stimuli.len(), stimuli.len() + responses.len());
    if last > 60 {
        return None;
    }
    let responds = |far: usize, letter: &Names| {
        let excluded = without.is_some_and(|z| letter.contains(&z));
        match letter.contains(&responses[far - first]) && (!excluded || far + 1 == last) {
            true => far + 1,
            // No response counts that has this between it and the next.
            false if excluded => first,
            false => far,
        }
    };
    let advance = |far: usize, letter: &Names| match far {
        far if far >= first => responds(far, letter),
        far if !letter.contains(&stimuli[far]) => far,
        far if far + 1 == first => responds(first, letter),
        far => far + 1,
    };
    let all = |set: u64, letter: &Names| {
        let moved = (1..last).filter(|far| set >> far & 1 == 1).map(|far| advance(far, letter));
        moved.filter(|far| *far < last).fold(0, |set, far| set | 1 << far)
    };
    let due = |set: u64| set >> first << first;
    let mut states = vec![At { far: 0, owed: 0, colour: false }];
    let mut number = HashMap::from([(states[0], 0u32)]);
    let mut next = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let now = states[at];
        for letter in letters {
            let fresh = match advance(0, letter) {
                0 => 0,
                far if far == last => 0,
                far => 1 << far,
            };
            let far = all(now.far, letter) | fresh;
            let (owed, colour) = match (due(far), all(now.owed, letter)) {
                (0, _) => (0, false),
                (due, 0) => (due, !now.colour),
                (_, owed) => (owed, now.colour),
            };
            let to = At { far, owed, colour };
            let fresh = states.len() as u32;
            next.push(*number.entry(to).or_insert_with(|| {
                states.push(to);
                fresh
            }));
        }
        if states.len() > MOST_STATES {
            return None;
        }
        at += 1;
    }
    let met: Vec<bool> = states.iter().map(|s| due(s.far) == 0).collect();
    let of = |colour: bool| states.iter().zip(&met).map(|(s, met)| *met || s.colour == colour).collect();
    Some(Recurring {
        again: vec![of(false), of(true)],
        dfa: Dfa { letters: letters.len(), next, accepting: met, start: 0 },
    })
}

/// The executions whose stretches are as the base says. Whatever other names they have, the steps that open and close a
/// stretch do not belong to it. A step with both names of a scope closes one stretch and opens the next.
fn scoped(base: &Recurring, scope: Scope, letters: &[Names]) -> Recurring {
    let Recurring { dfa: base, again } = base;
    let n = base.len() as u32;
    // States of the base, then: outside (all is well), and lost.
    let (outside, lost) = (n, n + 1);
    let (opens, closes) = match scope {
        Scope::Globally => return least(base, again),
        Scope::Before(r) => (None, Some(r)),
        Scope::After(q) => (Some(q), None),
        Scope::Between(q, r) | Scope::AfterUntil(q, r) => (Some(q), Some(r)),
    };
    let is = |letter: &Names, name: Option<u32>| name.is_some_and(|name| letter.contains(&name));
    let open = |letter: &Names| if is(letter, opens) { base.start } else { outside };
    let mut next = Vec::new();
    for s in 0..n {
        for (l, letter) in letters.iter().enumerate() {
            next.push(match is(letter, closes) {
                true if base.accepting[s as usize] => open(letter),
                true => lost,
                false => base.step(s, l),
            });
        }
    }
    next.extend(letters.iter().map(open));
    next.extend(letters.iter().map(|_| lost));
    // A stretch that does not come to its end counts or not.
    let demanding = matches!(scope, Scope::After(_) | Scope::AfterUntil(..));
    let whole = |set: &[bool]| {
        let inside = set.iter().map(|within| *within || !demanding);
        inside.chain([true, false]).collect::<Vec<bool>>()
    };
    let start = if matches!(scope, Scope::Before(_)) { base.start } else { outside };
    let dfa = Dfa { letters: base.letters, next, accepting: whole(&base.accepting), start };
    let again: Vec<Vec<bool>> = again.iter().map(|set| whole(set)).collect();
    least(&dfa, &again)
}

/// The smallest automaton that is in the same sets after every word. A set that holds another says nothing new.
fn least(dfa: &Dfa, again: &[Vec<bool>]) -> Recurring {
    let within = |a: &[bool], b: &[bool]| a.iter().zip(b).all(|(a, b)| !a || *b);
    let mut sets: Vec<&Vec<bool>> = Vec::new();
    for set in again {
        if !sets.iter().any(|known| within(known, set)) {
            sets.retain(|known| !within(set, known));
            sets.push(set);
        }
    }
    let bit = |set: &[bool], s: usize| u32::from(set[s]);
    let class = |s: usize| sets.iter().fold(bit(&dfa.accepting, s), |bits, set| bits << 1 | bit(set, s));
    let (least, old) = dfa.merged((0..dfa.len()).map(class).collect());
    let of = |set: &&Vec<bool>| old.iter().map(|s| set[*s as usize]).collect();
    Recurring { again: sets.iter().map(of).collect(), dfa: least }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a step that some roles of a pattern, or all names of a property, are looked for in, as bits.
    type Bits = u8;

    /// A sequence of steps: some, and then others for ever; if there are none of these it ends.
    #[derive(Clone, Debug)]
    struct Word {
        first: Vec<Bits>,
        ever: Vec<Bits>,
    }

    impl Word {
        fn letter(&self, at: usize) -> Option<Bits> {
            match at.checked_sub(self.first.len()) {
                None => Some(self.first[at]),
                Some(_) if self.ever.is_empty() => None,
                Some(beyond) => Some(self.ever[beyond % self.ever.len()]),
            }
        }

        /// Positions after which everything is as it was before.
        fn len(&self) -> usize {
            self.first.len() + self.ever.len().max(1)
        }

        fn next(&self, at: usize) -> usize {
            if at + 1 == self.len() { self.first.len() } else { at + 1 }
        }

        fn has(&self, role: usize) -> Vec<bool> {
            (0..self.len()).map(|i| self.letter(i).is_some_and(|l| l >> role & 1 == 1)).collect()
        }

        fn after(&self, f: &[bool]) -> Vec<bool> {
            (0..self.len()).map(|i| f[self.next(i)]).collect()
        }

        fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
            let mut so = b.to_vec();
            for _ in 0..2 {
                (0..so.len()).rev().for_each(|i| so[i] |= a[i] && so[self.next(i)]);
            }
            so
        }

        fn finally(&self, f: &[bool]) -> Vec<bool> {
            self.until(&vec![true; f.len()], f)
        }

        /// `a -> b` at every position.
        fn always(&self, a: &[bool], b: &[bool]) -> bool {
            (0..self.len()).all(|i| !a[i] || b[i])
        }

        /// Each step as the roles that its names have.
        fn as_roles(&self, roles: &[usize; 6]) -> Word {
            let role = |l: &Bits| (0..6).fold(0, |bits, i| bits | (l >> roles[i] & 1) << i);
            Word { first: self.first.iter().map(role).collect(), ever: self.ever.iter().map(role).collect() }
        }
    }

    fn not(f: &[bool]) -> Vec<bool> {
        f.iter().map(|b| !b).collect()
    }

    fn and(a: &[bool], b: &[bool]) -> Vec<bool> {
        a.iter().zip(b).map(|(a, b)| *a && *b).collect()
    }

    const P: usize = 0;
    const Q: usize = 1;
    const R: usize = 2;
    const Z: usize = 3;
    /// The ends of a scope.
    const A: usize = 4;
    const B: usize = 5;

    /// The catalogue's formulas of linear time for one stretch.
    fn means(pattern: &str, word: &Word) -> bool {
        let (p, q, r, z) = (word.has(P), word.has(Q), word.has(R), word.has(Z));
        let anything: Vec<bool> = (0..word.len()).map(|i| word.letter(i).is_some()).collect();
        let then = |a: &[bool], b: &[bool]| and(a, &word.after(&word.finally(b)));
        match pattern {
            "absence; p" => !word.finally(&p)[0],
            "existence; p" => word.finally(&p)[0],
            "bounded existence; p at most 1" => !word.finally(&then(&p, &p))[0],
            "bounded existence; p at most 2" => !word.finally(&then(&p, &then(&p, &p)))[0],
            "universality; p" => word.always(&anything, &p),
            "precedence; q precedes p" => !word.finally(&p)[0] || word.until(&not(&p), &q)[0],
            "precedence chain; q, r precedes p" => {
                let chain = and(&and(&q, &not(&p)), &word.after(&word.until(&not(&p), &r)));
                !word.finally(&p)[0] || word.until(&not(&p), &chain)[0]
            }
            "precedence chain; p precedes q, r" => {
                !word.finally(&then(&q, &r))[0] || word.until(&not(&q), &p)[0]
            }
            "response; q responds to p" => word.always(&p, &word.finally(&q)),
            "response chain; q, r responds to p" => word.always(&p, &word.finally(&then(&q, &r))),
            "response chain; q, r without z responds to p" => {
                let rest = word.after(&word.until(&not(&z), &r));
                word.always(&p, &word.finally(&and(&and(&q, &not(&z)), &rest)))
            }
            "response chain; p responds to q, r" => {
                let answered = and(&r, &word.finally(&p));
                word.always(&then(&q, &r), &word.after(&word.finally(&answered)))
            }
            other => panic!("{other}"),
        }
    }

    /// Which roles open and close the stretches of a scope, and whether one counts that is never closed.
    const SCOPES: [(&str, Option<usize>, Option<usize>, bool); 5] = [
        ("globally", None, None, true),
        ("before b", None, Some(B), false),
        ("after a", Some(A), None, true),
        ("between a and b", Some(A), Some(B), false),
        ("after a until b", Some(A), Some(B), true),
    ];

    /// The same for each of the stretches of a scope, which hold neither the step that opens them nor the one that
    /// closes them.
    fn means_in(
        pattern: &str,
        (_, opens, closes, demanding): (&str, Option<usize>, Option<usize>, bool),
        word: &Word,
    ) -> bool {
        let has = |letter: Bits, role: Option<usize>| role.is_some_and(|r| letter >> r & 1 == 1);
        let mut inside = opens.is_none().then_some(0);
        let end = word.first.len() + 3 * word.ever.len();
        for i in 0..end {
            let Some(letter) = word.letter(i) else { break };
            if let Some(from) = inside
                && has(letter, closes)
            {
                let first = (from..i).filter_map(|i| word.letter(i)).collect();
                if !means(pattern, &Word { first, ever: Vec::new() }) {
                    return false;
                }
                inside = None;
            }
            if inside.is_none() && has(letter, opens) {
                inside = Some(i + 1);
            }
        }
        let closed = word.ever.iter().any(|l| has(*l, closes));
        match inside {
            Some(from) if demanding && !closed => {
                let first = (from..end).filter_map(|i| word.letter(i)).collect();
                means(pattern, &Word { first, ever: word.ever.clone() })
            }
            _ => true,
        }
    }

    /// Every set of some names but the empty one: the letter of some bits is the one before their number.
    fn subsets(names: usize) -> Vec<Names> {
        (1..1u32 << names).map(|bits| (0..names as u32).filter(|n| bits >> n & 1 == 1).collect()).collect()
    }

    const NAMES: [&str; 6] = ["p", "q", "r", "z", "a", "b"];

    /// A pattern in a scope, with these names in the place of p, q, r, z, a and b.
    fn written(pattern: &str, scope: &str, roles: &[usize; 6]) -> String {
        let text = format!("{pattern}; scope: {scope}");
        let words = text.split_inclusive([' ', ',', ';']).map(|part| {
            let word = part.trim_end_matches([' ', ',', ';']);
            // `a` and the like are names in these patterns wherever they stand alone.
            match NAMES.iter().position(|n| *n == word) {
                Some(role) => part.replacen(word, NAMES[roles[role]], 1),
                None => part.to_owned(),
            }
        });
        words.collect()
    }

    /// The automaton of a pattern over all sets of names, with the bits of names as its letters have them.
    struct Read {
        automaton: Recurring,
        order: Vec<usize>,
    }

    fn read(text: &str) -> Read {
        let text = format!("{text}; events: {}", NAMES.join(", "));
        let pattern = parse(&mut Scanner::new(&text)).unwrap_or_else(|w| panic!("{text}: {}", w.message));
        let automaton = pattern.demand.over(&subsets(NAMES.len())).expect("small enough");
        let number = |n: &&str| pattern.symbols.iter().position(|s| s.0 == **n).expect("listed");
        Read { automaton, order: NAMES.iter().map(number).collect() }
    }

    impl Read {
        /// Whether the automaton, read as the engines read it, takes a word of sets of names.
        fn takes(&self, word: &Word) -> bool {
            let Recurring { dfa, again } = &self.automaton;
            let step = |state: u32, letter: &Bits| {
                let bits = (0..6).fold(0, |bits, i| bits | usize::from(letter >> i & 1) << self.order[i]);
                dfa.step(state, bits - 1)
            };
            let mut state = word.first.iter().fold(dfa.start, step);
            if word.ever.is_empty() {
                let accepts = dfa.accepting[state as usize];
                assert_eq!(accepts, again.iter().all(|set| set[state as usize]));
                return accepts;
            }
            // After so many rounds the states repeat.
            for _ in 0..dfa.len() {
                state = word.ever.iter().fold(state, step);
            }
            let mut visited = vec![false; again.len()];
            for _ in 0..dfa.len() {
                for letter in &word.ever {
                    state = step(state, letter);
                    visited.iter_mut().zip(again).for_each(|(v, set)| *v |= set[state as usize]);
                }
            }
            visited.iter().all(|v| *v)
        }
    }

    /// All words of single names, up to a length.
    fn words(names: usize, most: usize) -> Vec<Vec<Bits>> {
        let mut all = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..most {
            let to = all.len();
            for i in from..to {
                for l in 0..names {
                    let mut word = all[i].clone();
                    word.push(1 << l);
                    all.push(word);
                }
            }
            from = to;
        }
        all
    }

    const PATTERNS: [&str; 12] = [
        "absence; p",
        "existence; p",
        "bounded existence; p at most 1",
        "bounded existence; p at most 2",
        "universality; p",
        "precedence; q precedes p",
        "precedence chain; q, r precedes p",
        "precedence chain; p precedes q, r",
        "response; q responds to p",
        "response chain; q, r responds to p",
        "response chain; q, r without z responds to p",
        "response chain; p responds to q, r",
    ];

    /// Everybody has a name of their own.
    const APART: [usize; 6] = [0, 1, 2, 3, 4, 5];

    #[test]
    fn patterns_mean_what_the_catalogue_says_of_finite_and_infinite_words() {
        for text in PATTERNS {
            let automaton = read(text);
            for first in words(4, 3) {
                for ever in words(4, 4) {
                    let word = Word { first: first.clone(), ever };
                    assert_eq!(automaton.takes(&word), means(text, &word), "{text} on {word:?}");
                }
            }
        }
    }

    #[test]
    fn scopes_cut_executions_into_stretches() {
        for text in PATTERNS {
            for scope in SCOPES {
                let automaton = read(&written(text, scope.0, &APART));
                for first in words(6, 3) {
                    for ever in words(6, 2) {
                        let word = Word { first: first.clone(), ever };
                        let expected = means_in(text, scope, &word);
                        assert_eq!(automaton.takes(&word), expected, "{text}; {} on {word:?}", scope.0);
                    }
                }
            }
        }
    }

    /// Numbers that look like chance and are the same each time.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % most
        }

        fn word(&mut self, most: usize) -> Vec<Bits> {
            let steps = self.below(most + 1);
            // Steps with one name, and steps with any.
            let step = |chance: &mut Chance| match chance.below(2) {
                0 => 1 << chance.below(6),
                _ => 1 + chance.below(63) as Bits,
            };
            (0..steps).map(|_| step(self)).collect()
        }
    }

    #[test]
    fn steps_with_several_names_and_shared_names_change_no_meaning() {
        let mut chance = Chance(1);
        for text in PATTERNS {
            for scope in SCOPES {
                for round in 0..40 {
                    // The same name may have several roles.
                    let roles = if round < 8 { APART } else { APART.map(|_| chance.below(6)) };
                    let automaton = read(&written(text, scope.0, &roles));
                    for _ in 0..300 {
                        let word = Word { first: chance.word(6), ever: chance.word(3) };
                        let expected = means_in(text, scope, &word.as_roles(&roles));
                        let rule = written(text, scope.0, &roles);
                        assert_eq!(automaton.takes(&word), expected, "{rule} on {word:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_only_steps_can_break_demands_nothing_for_ever() {
        for (text, live) in [
            ("absence; p", false),
            ("universality; p; events: q", false),
            ("bounded existence; p at most 2; scope: after q", false),
            ("precedence; q precedes p", false),
            ("precedence chain; q, r precedes p", false),
            ("precedence chain; p precedes q, r; scope: after z until p", false),
            ("existence; p; scope: between q and r", false),
            ("response; q responds to p; scope: before r", false),
            ("existence; p", true),
            ("existence; p; scope: after q until r", true),
            ("response chain; q, r responds to p", true),
            ("response chain; q, p responds to p", true),
        ] {
            let pattern = parse(&mut Scanner::new(text)).unwrap_or_else(|w| panic!("{text}: {}", w.message));
            let automaton = pattern.demand.over(&subsets(pattern.symbols.len())).expect("small enough");
            let doomed = automaton.doomed();
            let open = |set: &Vec<bool>| set.iter().zip(&doomed).any(|(in_set, doomed)| !in_set && !doomed);
            assert_eq!(automaton.again.iter().any(open), live, "{text}");
        }
    }

    #[test]
    fn a_step_may_be_a_stimulus_and_a_response() {
        for (text, words) in [
            (
                "response; q responds to p",
                &[(&["pq"][..], true), (&["p", "pq"], true), (&["pq", "p"], false)][..],
            ),
            (
                "response chain; q, r responds to p",
                &[(&["pq", "r"], true), (&["pqr"], false), (&["pq", "qr", "r"], true)],
            ),
            (
                "response chain; p responds to q, r",
                &[(&["qr"], true), (&["q", "pr"], true), (&["q", "r", "q"], false)],
            ),
            (
                "response; q responds to p; scope: after a until a",
                &[(&["a", "p", "qa"], false), (&["a", "p", "q", "a"], true)],
            ),
        ] {
            let pattern = parse(&mut Scanner::new(&format!("{text}; events: p, q, r, a")))
                .unwrap_or_else(|w| panic!("{}", w.message));
            let number =
                |c: char| pattern.symbols.iter().position(|s| s.0 == c.to_string()).expect("listed") as u32;
            for (word, accepted) in words {
                let letters: Vec<Names> =
                    word.iter().map(|names| names.chars().map(number).collect()).collect();
                let automaton = pattern.demand.over(&letters).expect("small enough");
                let all: Vec<usize> = (0..letters.len()).collect();
                assert_eq!(automaton.dfa.accepts(&all), *accepted, "{text} on {word:?}");
            }
        }
    }
}
