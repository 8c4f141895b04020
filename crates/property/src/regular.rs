//! Properties of event sequences: quantified regular expressions, automata, patterns and queries.
//!
//! A file holds bindings `event SYMBOL = PATTERN;` and properties, each of which may have a name: `NAME: for events
//! {...} show all executions satisfy ...;`, `NAME: pattern: ...;`, `automaton NAME all { ... }`, a graph in Graphviz's
//! language, or `(defquery NAME ...)`.
//!
//! Quantified regular expressions come from Cecil (Olender and Osterweil, 1990) by way of FLAVERS (Dwyer et al., 2004,
//! section 3): an alphabet, a quantifier over executions, and an expression. Steps that have no name of the alphabet
//! are ignored; `.` and `~[...]` are relative to it. Repetition binds tightest, then `;`, then `|`.
//!
//! Whatever the language, a property becomes an automaton over the letters of a program, with what it demands of
//! executions without end (`automaton.rs`). `no executions` complements it. That is possible only when the letters are
//! known, so a property is kept in a form that does not depend on them.
//!
//! The reader is defensive, since property files come from users: sizes of expressions, nesting and repetitions are
//! limited before anything is built, a name that is used twice is an error, and each message has a place. Properties
//! without a name are numbered.

use crate::automaton::{Dfa, Names, Nfa, Recurring, Regex, TOO_LARGE, Test};
use crate::events::{Binding, binding};
use crate::inca::{self, IntervalQuery};
use crate::pattern::Demand;
use crate::scan::{Scanner, Token, Words};
use crate::{Position, Wrong, dot, pattern};

/// How a property of event sequences is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// A quantified regular expression.
    Qre,
    /// An automaton.
    Fsa,
    /// A property pattern.
    Pattern,
    /// A query of INCA.
    Inca,
}

/// A property of event sequences.
#[derive(Clone, Debug)]
pub struct Regular {
    pub name: String,
    pub notation: Notation,
    pub text: String,
    pub position: Position,
    /// The alphabet.
    pub symbols: Vec<(String, Position)>,
    /// Symbols without which it demands nothing, as far as it says so by its form.
    pub triggers: Vec<u32>,
    pub meaning: Meaning,
}

/// What a property says of executions.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// All complete executions are among these sequences, or none is.
    Sequences { nfa: Nfa, all: bool },
    /// What a pattern demands of all executions.
    Pattern(Demand),
    /// None is as the query says.
    Query(IntervalQuery),
}

impl Regular {
    pub(crate) fn new(
        name: String,
        notation: Notation,
        position: Position,
        symbols: Vec<(String, Position)>,
        meaning: Meaning,
    ) -> Regular {
        Regular { name, notation, text: String::new(), position, symbols, triggers: Vec::new(), meaning }
    }

    /// Accepts the sequences that all complete executions must be in, if these are the letters.
    pub fn automaton(&self, letters: &[Names]) -> Result<Dfa, Wrong> {
        Ok(self.recurring(letters)?.dfa)
    }

    /// The same with what it demands of executions that do not end.
    pub fn recurring(&self, letters: &[Names]) -> Result<Recurring, Wrong> {
        let of_ends = |dfa: Dfa| Recurring { dfa, again: Vec::new() };
        let found = match &self.meaning {
            Meaning::Sequences { nfa, all: true } => nfa.deterministic(letters).map(of_ends),
            Meaning::Sequences { nfa, all: false } => {
                nfa.deterministic(letters).map(|dfa| of_ends(dfa.complement()))
            }
            Meaning::Pattern(demand) => demand.over(letters),
            Meaning::Query(query) => query.over(letters).property(letters.len()).map(of_ends),
        };
        found.ok_or_else(|| Wrong::at(self.position, TOO_LARGE))
    }

    /// The intervals over these letters, if it was written as a query.
    pub fn query(&self, letters: &[Names]) -> Option<IntervalQuery> {
        match &self.meaning {
            Meaning::Query(query) => Some(query.over(letters)),
            Meaning::Sequences { .. } | Meaning::Pattern(_) => None,
        }
    }
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub bindings: Vec<Binding>,
    pub properties: Vec<Regular>,
}

/// Whether a text is about event sequences, and not a temporal formula.
pub fn is_regular(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    if scanner.peek_char(0) == Some('(') && text.to_lowercase().contains("(defquery") {
        return true;
    }
    let mut before = [Token::End, Token::End];
    while let Ok(token) = scanner.next(Words::Names) {
        let Token::Word(word) = &token else {
            match (&before[1], &token) {
                (Token::End, Token::End) | (_, Token::End) => return false,
                (Token::Word(w), Token::Sign(":")) if w.eq_ignore_ascii_case("pattern") => return true,
                // `event X =`, where X may have been read with what follows.
                (Token::Word(_), Token::Sign("=")) if matches!(&before[0], Token::Word(w) if w.eq_ignore_ascii_case("event")) =>
                {
                    return true;
                }
                _ => {}
            }
            before = [before[1].clone(), token];
            continue;
        };
        let after = |w: &str| matches!(&before[1], Token::Word(b) if b.eq_ignore_ascii_case(w));
        if ["automaton", "digraph"].iter().any(|k| word.eq_ignore_ascii_case(k)) && !after("event")
            || (word.eq_ignore_ascii_case("events") && after("for"))
        {
            return true;
        }
        before = [before[1].clone(), token];
    }
    false
}

/// Reads a file of properties.
pub fn parse_file(text: &str) -> Result<File, Wrong> {
    let mut scanner = Scanner::new(text);
    let mut file = File::default();
    loop {
        let start = (scanner.position(), scanner.offset());
        let words = Words::Symbols;
        if scanner.take(";", words) {
            continue;
        }
        if scanner.peek(words)? == Token::End {
            break;
        }
        if scanner.take("event", words) {
            let bound = binding(&mut scanner)?;
            if file.bindings.iter().any(|b| b.symbol == bound.symbol) {
                return Err(Wrong::at(bound.position, format!("`{}` is bound twice", bound.symbol)));
            }
            file.bindings.push(bound);
            continue;
        }
        let name = property_name(&mut scanner);
        let start = (start.0, scanner.offset());
        let mut property = if scanner.peek_char(0) == Some('(') {
            let found = inca::parse(&mut scanner)?;
            let new = |b: &Binding| !file.bindings.iter().any(|known| known.symbol == b.symbol);
            let more: Vec<Binding> = found.bindings.into_iter().filter(new).collect();
            file.bindings.extend(more);
            found.property
        } else if scanner.take("for", words) {
            quantified(&mut scanner)?
        } else if scanner.take("pattern:", words) {
            let pattern = pattern::parse(&mut scanner)?;
            let meaning = Meaning::Pattern(pattern.demand);
            let property = Regular::new(String::new(), Notation::Pattern, start.0, pattern.symbols, meaning);
            Regular { triggers: pattern.triggers, ..property }
        } else if scanner.take("automaton", words) {
            automaton(&mut scanner)?
        } else if scanner.take("digraph", words) {
            dot::parse(&mut scanner)?
        } else {
            return Err(scanner.wrong(
                "expected a property: `for events {...} show all executions satisfy ...`, `pattern: ...`, `automaton ...`, `digraph ...`, `(defquery ...)`, or a binding `event NAME = ...`",
                words,
            ));
        };
        property.position = start.0;
        let words = scanner.since(start.1);
        property.text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        property.text = property.text.trim_end_matches(';').to_owned();
        if let Some(name) = name {
            property.name = name;
        }
        if !property.name.is_empty() && file.properties.iter().any(|p| p.name == property.name) {
            let message = format!("there is another property `{}` in this file", property.name);
            return Err(Wrong::at(property.position, message));
        }
        file.properties.push(property);
    }
    for at in 0..file.properties.len() {
        if file.properties[at].name.is_empty() {
            let names = (at + 1..).map(|n| format!("property {n}"));
            let free = |name: &String| !file.properties.iter().any(|p| p.name == *name);
            file.properties[at].name = names.into_iter().find(free).unwrap_or_default();
        }
    }
    match file.properties.is_empty() {
        true => Err(Wrong::at((1, 1), "there is no property in this file")),
        false => Ok(file),
    }
}

/// `NAME:` before a property; as colons belong to symbols, the colon may be part of the word.
fn property_name(scanner: &mut Scanner) -> Option<String> {
    let mut ahead = scanner.clone();
    let Ok(Token::Word(word)) = ahead.next(Words::Symbols) else { return None };
    let name = match word.strip_suffix(':') {
        Some(name) => name.to_owned(),
        None if ahead.take(":", Words::Symbols) => word,
        None => return None,
    };
    if name.eq_ignore_ascii_case("pattern") {
        return None;
    }
    *scanner = ahead;
    Some(name)
}

/// After `for`.
fn quantified(scanner: &mut Scanner) -> Result<Regular, Wrong> {
    let words = Words::Symbols;
    scanner.expect("events", words)?;
    scanner.expect("{", words)?;
    let symbols = symbol_list(scanner, "}")?;
    scanner.expect("show", words)?;
    let all = quantifier(scanner)?;
    scanner.expect("executions", words)?;
    scanner.expect("satisfy", words)?;
    let position = scanner.position();
    let mut parser = Expression { scanner, symbols: &symbols, depth: 0 };
    let regex = parser.either()?;
    if regex.size() > MOST {
        return Err(Wrong::at(position, "this expression is too large"));
    }
    if !matches!(scanner.peek(words)?, Token::End) {
        scanner.expect(";", words)?;
    }
    let meaning = Meaning::Sequences { nfa: regex.automaton(), all };
    Ok(Regular::new(String::new(), Notation::Qre, position, symbols, meaning))
}

pub(crate) fn quantifier(scanner: &mut Scanner) -> Result<bool, Wrong> {
    match () {
        () if scanner.take("all", Words::Symbols) => Ok(true),
        () if scanner.take("no", Words::Symbols) => Ok(false),
        () => Err(scanner.wrong("expected `all` or `no`", Words::Symbols)),
    }
}

fn symbol_list(scanner: &mut Scanner, end: &str) -> Result<Vec<(String, Position)>, Wrong> {
    let mut symbols: Vec<(String, Position)> = Vec::new();
    loop {
        let position = scanner.position();
        let name = scanner.word("an event", Words::Symbols)?;
        if symbols.iter().any(|s| s.0 == name) {
            return Err(Wrong::at(position, format!("`{name}` is listed twice")));
        }
        symbols.push((name, position));
        if !scanner.take(",", Words::Symbols) {
            scanner.expect(end, Words::Symbols)?;
            return Ok(symbols);
        }
    }
}

struct Expression<'a> {
    scanner: &'a mut Scanner,
    symbols: &'a [(String, Position)],
    /// Parentheses that are open.
    depth: usize,
}

/// Repetitions and nesting beyond this make no sensible property.
const MOST: usize = 200_000;
const DEEPEST: usize = 1_000;

impl Expression<'_> {
    fn either(&mut self) -> Result<Regex, Wrong> {
        let mut parts = vec![self.sequence()?];
        while self.scanner.take("|", Words::Symbols) {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Regex::Either(parts) })
    }

    fn sequence(&mut self) -> Result<Regex, Wrong> {
        let mut parts = vec![self.postfix()?];
        loop {
            // A semicolon may also end the property.
            let mut ahead = self.scanner.clone();
            if !ahead.take(";", Words::Symbols) {
                break;
            }
            let operand = match ahead.peek(Words::Symbols)? {
                Token::Sign(sign) => ["(", "[", "~", "."].contains(&sign),
                Token::Word(word) => self.symbols.iter().any(|s| s.0 == word),
                _ => false,
            };
            if !operand {
                if let Token::Word(word) = ahead.peek(Words::Symbols)?
                    && !starts_item(&ahead, &word)
                {
                    let position = ahead.position();
                    return Err(self.unknown(&word, position));
                }
                break;
            }
            *self.scanner = ahead;
            parts.push(self.postfix()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Regex::Sequence(parts) })
    }

    fn postfix(&mut self) -> Result<Regex, Wrong> {
        let words = Words::Symbols;
        let position = self.scanner.position();
        let mut regex = self.primary()?;
        loop {
            regex = if self.scanner.take("*", words) {
                regex.star()
            } else if self.scanner.take("+", words) {
                Regex::Sequence(vec![regex.clone(), regex.star()])
            } else if self.scanner.take("?", words) {
                regex.optional()
            } else if self.scanner.take("^", words) {
                let position = self.scanner.position();
                let word = self.scanner.word("a number", words)?;
                let times = word.parse::<usize>().ok().filter(|n| (1..=MOST).contains(n));
                let times = times.ok_or_else(|| Wrong::at(position, "expected a number from 1"))?;
                if regex.size().saturating_mul(times) > MOST {
                    return Err(Wrong::at(position, "this expression is too large"));
                }
                Regex::Sequence(vec![regex; times])
            } else {
                break;
            };
            if regex.size() > MOST {
                return Err(Wrong::at(position, "this expression is too large"));
            }
        }
        Ok(regex)
    }

    fn primary(&mut self) -> Result<Regex, Wrong> {
        let words = Words::Symbols;
        let position = self.scanner.position();
        if self.scanner.take("(", words) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(Wrong::at(position, "parentheses are nested too deeply"));
            }
            let inner = self.either()?;
            self.depth -= 1;
            self.scanner.expect(")", words)?;
            return Ok(inner);
        }
        if self.scanner.take(".", words) {
            return Ok(Regex::Step(Test::anything()));
        }
        let complement = self.scanner.take("~", words);
        if complement || matches!(self.scanner.peek(words)?, Token::Sign("[")) {
            self.scanner.expect("[", words)?;
            // The pattern catalogue writes `[- a, b]`.
            let complement = complement | self.scanner.take("-", words);
            let mut set = vec![self.symbol()?];
            while self.scanner.take(",", words) {
                set.push(self.symbol()?);
            }
            self.scanner.expect("]", words)?;
            return Ok(Regex::Step(match complement {
                true => Test::none_of(set),
                false => Test::one_of(set),
            }));
        }
        Ok(Regex::Step(Test::one_of(vec![self.symbol()?])))
    }

    fn symbol(&mut self) -> Result<u32, Wrong> {
        let position = self.scanner.position();
        let word = self.scanner.word("an event", Words::Symbols)?;
        let known = self.symbols.iter().position(|s| s.0 == word);
        known.map(|s| s as u32).ok_or_else(|| self.unknown(&word, position))
    }

    fn unknown(&self, word: &str, position: Position) -> Wrong {
        Wrong::at(position, format!("`{word}` is not one of the events of this property"))
    }
}

/// Whether a word begins the next item of a file.
fn starts_item(scanner: &Scanner, word: &str) -> bool {
    ["event", "for", "automaton", "digraph", "pattern:"].iter().any(|w| word.eq_ignore_ascii_case(w))
        || property_name(&mut scanner.clone()).is_some()
}

/// After `automaton`: `NAME all { events a, b; states s, t; start s; accepting s, t; s -> t on a, b; }`; the states
/// need not be listed.
fn automaton(scanner: &mut Scanner) -> Result<Regular, Wrong> {
    let words = Words::Symbols;
    let position = scanner.position();
    let mut name = String::new();
    if !matches!(scanner.peek(words)?, Token::Word(w) if w == "all" || w == "no") {
        name = scanner.word("a name", words)?;
    }
    let all = quantifier(scanner)?;
    scanner.expect("{", words)?;
    let mut graph = WrittenAutomaton { all, ..WrittenAutomaton::default() };
    let mut declared = false;
    while !scanner.take("}", words) {
        if scanner.take("events", words) {
            graph.symbols = symbol_list(scanner, ";")?;
            declared = true;
        } else if scanner.take("states", words) {
            graph.states.get_or_insert_default().extend(symbol_list(scanner, ";")?.into_iter().map(|s| s.0));
        } else if scanner.take("start", words) {
            let position = scanner.position();
            let state = scanner.word("a state", words)?;
            if graph.start.replace((position, state)).is_some() {
                return Err(Wrong::at(position, "there is one start"));
            }
            scanner.expect(";", words)?;
        } else if scanner.take("accepting", words) {
            loop {
                graph.accepting.push((scanner.position(), scanner.word("a state", words)?));
                if !scanner.take(",", words) {
                    break;
                }
            }
            scanner.expect(";", words)?;
        } else {
            let place = scanner.position();
            let from = scanner.word("a state, `events`, `states`, `start`, `accepting` or `}`", words)?;
            scanner.expect("->", words)?;
            let from = (place, from);
            let to = (scanner.position(), scanner.word("a state", words)?);
            scanner.expect("on", words)?;
            loop {
                let position = scanner.position();
                let symbol = scanner.word("an event", words)?;
                graph.moves.push((from.clone(), (position, symbol), to.clone()));
                if !scanner.take(",", words) {
                    break;
                }
            }
            scanner.expect(";", words)?;
        }
    }
    let _ = scanner.take(";", words);
    graph.finish(name, declared, position)
}

/// An automaton as written, with names.
#[derive(Default)]
pub(crate) struct WrittenAutomaton {
    pub(crate) all: bool,
    pub(crate) symbols: Vec<(String, Position)>,
    /// All of them, if they are listed.
    pub(crate) states: Option<Vec<String>>,
    pub(crate) start: Option<Placed>,
    pub(crate) accepting: Vec<Placed>,
    /// From a state, on an event, to a state.
    pub(crate) moves: Vec<(Placed, Placed, Placed)>,
}

/// A name, and where it stands.
pub(crate) type Placed = (Position, String);

impl WrittenAutomaton {
    /// `declared` if the alphabet was given; otherwise it is what stands at the moves.
    pub(crate) fn finish(
        mut self,
        name: String,
        declared: bool,
        position: Position,
    ) -> Result<Regular, Wrong> {
        let mut states: Vec<String> = self.states.clone().unwrap_or_default();
        let unknown = |(place, name): &Placed| {
            Wrong::at(*place, format!("`{name}` is not one of the states of this automaton"))
        };
        let listed = self.states.is_some();
        let mut number = |state: &Placed| match states.iter().position(|s| *s == state.1) {
            Some(known) => Ok(known),
            None if listed => Err(unknown(state)),
            None => {
                states.push(state.1.clone());
                Ok(states.len() - 1)
            }
        };
        let start = self.start.ok_or_else(|| Wrong::at(position, "the automaton has no start"))?;
        let start = number(&start)?;
        let mut moves = Vec::new();
        for (from, (place, symbol), to) in &self.moves {
            let letter = match self.symbols.iter().position(|s| s.0 == *symbol) {
                Some(letter) => letter,
                None if declared => {
                    let message = format!("`{symbol}` is not one of the events of this automaton");
                    return Err(Wrong::at(*place, message));
                }
                None => {
                    self.symbols.push((symbol.clone(), *place));
                    self.symbols.len() - 1
                }
            };
            moves.push((number(from)?, letter, number(to)?));
        }
        if self.symbols.is_empty() {
            return Err(Wrong::at(position, "the automaton has no events"));
        }
        let mut accepting = Vec::new();
        for state in &self.accepting {
            match states.iter().position(|s| *s == state.1) {
                Some(known) => accepting.push(known),
                None => return Err(unknown(state)),
            }
        }
        let mut nfa = Nfa::default();
        nfa.start = start;
        (0..states.len()).for_each(|_| {
            nfa.state();
        });
        for (from, letter, to) in moves {
            nfa.connect(from, &Test::one_of(vec![letter as u32]), to);
        }
        accepting.into_iter().for_each(|s| nfa.accepting[s] = true);
        let meaning = Meaning::Sequences { nfa, all: self.all };
        Ok(Regular::new(name, Notation::Fsa, position, self.symbols, meaning))
    }
}

impl Regular {
    /// The automaton in Graphviz's language, in the form that is read back; it shows steps with one name each.
    pub fn dot(&self) -> Result<String, Wrong> {
        dot::print(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::singles;

    fn one(text: &str) -> Regular {
        parse_file(text).expect("a property").properties.swap_remove(0)
    }

    /// The automaton of steps with one name each.
    fn with_single_names(property: &Regular) -> Dfa {
        property.automaton(&singles(property.symbols.len())).expect("small enough")
    }

    #[test]
    fn the_published_property_has_its_published_automaton() {
        let text = "for events {valid, invalid, transaction}\nshow all executions satisfy invalid*; (valid; transaction)?";
        let property = one(text);
        assert_eq!(property.notation, Notation::Qre);
        // Three states and the trap.
        let automaton = with_single_names(&property);
        assert_eq!(automaton.len(), 4);
        assert_eq!(automaton.doomed().iter().filter(|d| **d).count(), 1);
        assert!(automaton.accepts(&[1, 1, 0, 2]));
        assert!(!automaton.accepts(&[0]));
    }

    #[test]
    fn patterns_agree_with_their_expressions() {
        let pairs = [
            ("absence; p", "~[p]*"),
            ("absence; p; scope: before r", "~[r]* | ~[p,r]*; r; .*"),
            ("absence; p; scope: after q", "~[q]*; (q; ~[p]*)?"),
            ("absence; p; scope: between q and r", "(~[q]*; q; ~[p,r]*; r)*; ~[q]*; (q; ~[r]*)?"),
            ("absence; p; scope: after q until r", "(~[q]*; q; ~[p,r]*; r)*; ~[q]*; (q; ~[p,r]*)?"),
            ("existence; p", "~[p]*; p; .*"),
            ("existence; p; scope: before r", "~[r]* | ~[p,r]*; p; .*"),
            ("existence; p; scope: after q", "~[q]*; (q; ~[p]*; p; .*)?"),
            ("existence; p; scope: between q and r", "(~[q]*; q; ~[p,r]*; p; ~[r]*; r)*; ~[q]*; (q; ~[r]*)?"),
            (
                "existence; p; scope: after q until r",
                "(~[q]*; q; ~[p,r]*; p; ~[r]*; r)*; ~[q]*; (q; ~[p,r]*; p; ~[r]*)?",
            ),
            ("bounded existence; p at most 2", "((~[p]*; p)?)^2; ~[p]*"),
            ("precedence; q precedes p", "~[p]* | ~[q,p]*; q; .*"),
            ("precedence chain; q, r precedes p", "~[p]* | ~[p,q]*; q; ~[p,r]*; r; .*"),
            ("precedence chain; p precedes q, r", "~[q,p]*; (p; .* | q; ~[r]*)?"),
        ];
        for (pattern, expression) in pairs {
            let a = one(&format!("pattern: {pattern}; events: p, q, r"));
            let b = one(&format!("for events {{p, q, r}} show all executions satisfy {expression}"));
            let number = |name: &str, list: &Regular| {
                list.symbols.iter().position(|s| s.0 == name).expect("the same symbols") as u32
            };
            // The catalogue's expressions are about steps with one name each.
            let letters = |list: &Regular| -> Vec<Names> {
                ["p", "q", "r"].iter().map(|name| vec![number(name, list)]).collect()
            };
            let (x, y) = (a.automaton(&letters(&a)), b.automaton(&letters(&b)));
            assert_eq!(x, y, "{pattern}");
        }
    }

    #[test]
    fn a_step_has_all_its_names() {
        let letters: [Names; 4] = [vec![0], vec![1], vec![0, 1], vec![2]];
        // The steps are {a}, {b}, {a, b} and {c}.
        let cases: [(&str, &[usize], bool); 12] = [
            ("a; b", &[2, 2], true),
            ("a; b", &[0, 2], true),
            ("a; b", &[2, 0], false),
            ("~[a]", &[2], false),
            ("~[a]", &[1], true),
            ("[a, c]", &[2], true),
            (".", &[2], true),
            ("a | b; c", &[2], true),
            ("a | b; c", &[2, 3], true),
            ("(a; c)*; (b; c)^2", &[2, 3, 2, 3, 2, 3], true),
            ("(a; c)*; (b; c)^2", &[2, 3, 0, 3], false),
            ("~[c]*; c", &[2, 0, 3], true),
        ];
        for (expression, word, accepted) in cases {
            let property = one(&format!("for events {{a, b, c}} show all executions satisfy {expression}"));
            let automaton = property.automaton(&letters).expect("small enough");
            assert_eq!(automaton.accepts(word), accepted, "{expression} on {word:?}");
        }
        let text = "automaton x all { events a, b, c; start s; accepting t; s -> t on a; s -> u on b; u -> t on c; }";
        let automaton = one(text).automaton(&letters).expect("small enough");
        assert!(automaton.accepts(&[2]) && automaton.accepts(&[2, 3]) && !automaton.accepts(&[0, 3]));
    }

    #[test]
    fn both_ends_of_a_scope_may_be_one_event() {
        let accepts = |pattern: &str, word: &str| {
            let property = one(&format!("pattern: {pattern}; events: p, q"));
            let number =
                |c: char| property.symbols.iter().position(|s| s.0 == c.to_string()).expect("a name");
            with_single_names(&property).accepts(&word.chars().map(number).collect::<Vec<_>>())
        };
        let between = "existence; p; scope: between q and q";
        for (word, accepted) in
            [("qpq", true), ("qpqpq", true), ("qpqq", false), ("qq", false), ("pq", true), ("q", true)]
        {
            assert_eq!(accepts(between, word), accepted, "{between} on {word}");
        }
        let until = "absence; p; scope: after q until q";
        for (word, accepted) in [("pqq", true), ("qqp", false), ("p", true)] {
            assert_eq!(accepts(until, word), accepted, "{until} on {word}");
        }
    }

    #[test]
    fn automata_come_back_from_their_graphs() {
        let text = "automaton twice no { events a, b; start x; accepting z; x -> y on a; y -> z on a; y -> x on b; z -> z on a, b; }";
        let property = one(text);
        assert_eq!(property.name, "twice");
        let back = one(&property.dot().expect("small enough"));
        assert_eq!(with_single_names(&back), with_single_names(&property));
        let names = |p: &Regular| p.symbols.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&back), names(&property));
    }

    #[test]
    fn mistakes_have_a_place() {
        let wrong = |text: &str| parse_file(text).map(|_| ()).map_err(|w| w.position);
        assert_eq!(wrong("for events {a} show all executions satisfy a; b"), Err((1, 47)));
        assert_eq!(wrong("for events {a}\nshow some executions satisfy a"), Err((2, 6)));
        assert_eq!(wrong("pattern: presence; p"), Err((1, 10)));
        assert_eq!(wrong("event a = accept;\n"), Err((1, 17)));
        assert_eq!(wrong("-- nothing\n"), Err((1, 1)));
        assert_eq!(wrong("automaton x all { events a; start s; s -> t on b; }"), Err((1, 48)));
        assert_eq!(wrong("automaton x all { events a; start s; accepting t; s -> s on a; }"), Err((1, 48)));
        assert_eq!(wrong("automaton x all { events a; states s; start s; s -> t on a; }"), Err((1, 53)));
        assert_eq!(wrong("digraph { start -> s; t [shape=doublecircle]; s -> s [label=a]; }"), Err((1, 23)));
        assert_eq!(wrong("a: pattern: absence; p;\na: pattern: absence; q"), Err((2, 1)));
        assert_eq!(wrong("pattern: absence; p; scope: after q; scope: after r"), Err((1, 38)));
        let query = |flags: &str, more: &str| {
            let last = format!("(interval :ends-with '(\"b\"){more})");
            wrong(&format!(
                "(defquery \"x\" {flags}\n(omega-star-less (sequence (interval :initial t :ends-with '(\"a\"))\n{last})))"
            ))
        };
        assert_eq!(query("\"nofair\"", ""), Ok(()));
        assert_eq!(query("\"fair\"", ""), Ok(()));
        assert_eq!(query("\"fairly\"", ""), Err((1, 15)));
        assert_eq!(query("\"nofair\"", " :initial t"), Err((3, 29)));
        assert_eq!(query("\"nofair\"", " :open t :open t"), Err((3, 37)));
        assert_eq!(query("\"nofair\" (sequence)", ""), Err((2, 1)));
        assert_eq!(
            wrong(
                "(defquery \"x\" \"fair\" (sequence (interval :initial t :perpetual t :require '(\"a\"))))"
            ),
            Err((1, 15))
        );
        assert_eq!(
            wrong("(defquery \"x\" \"nofair\" (series (interval :initial t :ends-with '(\"a\"))))"),
            Err((1, 24))
        );
        assert_eq!(wrong("for events {a} show all executions satisfy (a^99999)^99999"), Err((1, 54)));
        let deep = format!("for events {{a}} show all executions satisfy {}a", "(".repeat(5_000));
        assert_eq!(wrong(&deep), Err((1, 1044)));
        let long = format!("for events {{a}} show all executions satisfy {}a", "a; ".repeat(300_000));
        assert_eq!(wrong(&long), Err((1, 44)));
    }

    #[test]
    fn several_properties_share_bindings() {
        let text = "event up = accept fork(1).up by phil(2) or write x = 3;\nevent r=0 = test r = 0;\n\
            one: for events {up, r=0} show no executions satisfy .*; up; up; .*;\n\
            two: pattern: absence; up; scope: after r=0;\n";
        let file = parse_file(text).expect("two properties");
        assert_eq!(file.bindings.len(), 2);
        assert_eq!(file.bindings[0].patterns.len(), 2);
        let names: Vec<&str> = file.properties.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        let unnamed = parse_file("pattern: absence; p; pattern: absence; q").expect("two properties");
        let names: Vec<&str> = unnamed.properties.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["property 1", "property 2"]);
        assert!(is_regular(text) && !is_regular("p: always event x;"));
        assert!(!is_regular("p: always event x"));
    }
}
