//! The catalogue of specification patterns (Dwyer, Avrunin, Corbett 1999), in all its scopes.
//!
//! A pattern is a language of what may happen in a stretch of an execution; a scope says which
//! stretches count. Both are automata, so every pattern is there in every scope.

use crate::automaton::{Dfa, Regex};
use crate::scan::{Scanner, Words};
use crate::{Position, Wrong};

/// Where a pattern must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Globally,
    Before(usize),
    After(usize),
    Between(usize, usize),
    AfterUntil(usize, usize),
}

/// A pattern with its symbols as they were written.
pub struct Pattern {
    pub symbols: Vec<(String, Position)>,
    pub automaton: Dfa,
}

/// A use of a pattern before its symbols are known.
#[derive(Clone, Debug)]
enum Shape {
    Absence(usize),
    Existence(usize),
    Bounded(usize, u32),
    Universality(usize),
    Precedence(Vec<usize>, Vec<usize>),
    Response(Vec<usize>, Vec<usize>, Option<usize>),
}

struct Reader<'a> {
    scanner: &'a mut Scanner,
    symbols: Vec<(String, Position)>,
}

impl Reader<'_> {
    fn symbol(&mut self) -> Result<usize, Wrong> {
        let position = self.scanner.position();
        let word = self.scanner.word("an event", Words::Symbols)?;
        Ok(match self.symbols.iter().position(|s| s.0 == word) {
            Some(known) => known,
            None => {
                self.symbols.push((word, position));
                self.symbols.len() - 1
            }
        })
    }

    fn symbols(&mut self) -> Result<Vec<usize>, Wrong> {
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
    let mut scope = Scope::Globally;
    while reader.scanner.take(";", words) {
        if reader.scanner.take("scope:", words) {
            scope = read_scope(&mut reader)?;
        } else if reader.scanner.take("events:", words) {
            reader.symbols()?;
        } else {
            break;
        }
    }
    let letters = reader.symbols.len();
    let base = language(&shape, letters)
        .automaton(letters)
        .ok_or_else(|| Wrong::at(start, "the automaton of this pattern is too large"))?;
    Ok(Pattern { symbols: reader.symbols, automaton: scoped(&base, scope) })
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

/// What may happen in one stretch.
fn language(shape: &Shape, letters: usize) -> Regex {
    let but = |not: &[usize]| Regex::OneOf((0..letters).filter(|l| !not.contains(l)).collect()).star();
    let one = |letter: usize| Regex::OneOf(vec![letter]);
    let seq = Regex::Sequence;
    match shape {
        Shape::Absence(p) => but(&[*p]),
        Shape::Existence(p) => seq(vec![but(&[*p]), one(*p), but(&[])]),
        Shape::Universality(p) => one(*p).star(),
        Shape::Bounded(p, most) => {
            let mut parts: Vec<Regex> =
                (0..*most).map(|_| seq(vec![but(&[*p]), one(*p)]).optional()).collect();
            parts.push(but(&[*p]));
            seq(parts)
        }
        // The causes in their order, before the effect.
        Shape::Precedence(causes, effects) if effects.len() == 1 => {
            let p = effects[0];
            let mut parts = Vec::new();
            for cause in causes {
                parts.extend([but(&[p, *cause]), one(*cause)]);
            }
            parts.push(but(&[]));
            Regex::Either(vec![but(&[p]), seq(parts)])
        }
        // The cause, before the first effect of a chain that comes to its end.
        Shape::Precedence(causes, effects) => {
            let p = causes[0];
            let mut tail = Regex::Nothing;
            for (i, effect) in effects.iter().enumerate().rev() {
                let not = if i == 0 { but(&[*effect, p]) } else { but(&[*effect]) };
                tail = match i + 1 == effects.len() {
                    true => not,
                    false => seq(vec![not, seq(vec![one(*effect), tail]).optional()]),
                };
            }
            Regex::Either(vec![tail, seq(vec![but(&[effects[0], p]), one(p), but(&[])])])
        }
        Shape::Response(stimuli, responses, without) => {
            // A round: the stimuli in order, then the responses in order.
            let mut round = Vec::new();
            for s in stimuli {
                round.extend([but(&[*s]), one(*s)]);
            }
            for (i, r) in responses.iter().enumerate() {
                let mut not = vec![*r];
                if i > 0 {
                    not.extend(without);
                }
                round.extend([but(&not), one(*r)]);
            }
            // A stimulus that is not complete demands nothing.
            let mut rest = Regex::Nothing;
            for (i, s) in stimuli.iter().enumerate().rev() {
                rest = match i + 1 == stimuli.len() {
                    true => but(&[*s]),
                    false => seq(vec![but(&[*s]), seq(vec![one(*s), rest]).optional()]),
                };
            }
            seq(vec![seq(round).star(), rest])
        }
    }
}

/// The language of whole executions whose stretches are in the base language.
fn scoped(base: &Dfa, scope: Scope) -> Dfa {
    let n = base.len() as u32;
    // States of the base, then: outside (all is well), and lost.
    let (outside, lost) = (n, n + 1);
    let (opens, closes) = match scope {
        Scope::Globally => return base.minimal(),
        Scope::Before(r) => (None, Some(r)),
        Scope::After(q) => (Some(q), None),
        Scope::Between(q, r) | Scope::AfterUntil(q, r) => (Some(q), Some(r)),
    };
    let reopens = matches!(scope, Scope::Between(..) | Scope::AfterUntil(..));
    let mut next = Vec::new();
    for s in 0..n {
        for l in 0..base.letters {
            next.push(match closes == Some(l) {
                true if base.accepting[s as usize] => outside,
                true => lost,
                false => base.step(s, l),
            });
        }
    }
    for l in 0..base.letters {
        // Before the first R the stretch is open from the start, and it never opens again.
        next.push(match opens == Some(l) && (reopens || matches!(scope, Scope::After(_))) {
            true => base.start,
            false => outside,
        });
    }
    next.extend((0..base.letters).map(|_| lost));
    let demanding = matches!(scope, Scope::After(_) | Scope::AfterUntil(..));
    let mut accepting: Vec<bool> = base.accepting.iter().map(|a| *a || !demanding).collect();
    accepting.extend([true, false]);
    let start = if matches!(scope, Scope::Before(_)) { base.start } else { outside };
    Dfa { letters: base.letters, next, accepting, start }.minimal()
}
