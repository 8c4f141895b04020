//! Computation tree logic with events: formulas and their parser.
//!
//! The logic is CTL (Clarke and Emerson; Clarke, Emerson and Sistla, 1986) in the surface syntax of CATS (Young et al.,
//! 1995, section 3.3.1, table I): `always` is AG, `eventually` AF, `potentially` EF and `until` A(U), with operands
//! about states or about events. Here operands may also combine both: a formula about an event and the state that it
//! leads to holds of a step. `unless` is the weak until. There is no next-step operator: formulas do not count steps.
//!
//! A file holds properties `NAME: FORMULA;`. The name and the last semicolon may be missing, and `--` begins a comment.
//! Prefix operators bind tightest, then `and`, `or`, `->`, and last `until` and `unless`.
//!
//! Formulas are sorted into those about states and those about events. A temporal formula is about states. An event
//! alone is no property, and what must hold *until* something happens is about states; both mistakes are reported with
//! their place. Names are looked up later, by whoever knows a program.

use std::fmt;

use crate::{Position, Wrong};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    True,
    False,
    Atom(Atom, Position),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Potentially(Box<Formula>),
    Until { left: Box<Formula>, right: Box<Formula>, weak: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A rendezvous or protected action on an entry begins; of a certain caller, if one is named.
    Accept { entry: String, by: Option<String> },
    /// An annotated event.
    Event(String),
    /// Some task, or the one that is named, is about to do what stands in a line, or at an event.
    At { task: Option<String>, place: String },
    /// A task has come to its end.
    Ended(String),
}

/// A property with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    pub formula: Formula,
    pub position: Position,
}

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    State,
    /// Steps that are events, and perhaps the states that they lead to.
    Event,
    /// True and false are about anything.
    Either,
}

impl Formula {
    /// What the formula is about; the position of an operand that does not fit, if there is one.
    pub fn sort(&self) -> Result<Sort, Position> {
        match self {
            Formula::True | Formula::False => Ok(Sort::Either),
            Formula::Atom(Atom::Accept { .. } | Atom::Event(_), _) => Ok(Sort::Event),
            Formula::Atom(..) => Ok(Sort::State),
            Formula::Not(f) => f.sort(),
            Formula::And(a, b) | Formula::Or(a, b) => match (a.sort()?, b.sort()?) {
                (Sort::Either, s) | (s, Sort::Either) => Ok(s),
                (Sort::State, Sort::State) => Ok(Sort::State),
                _ => Ok(Sort::Event),
            },
            Formula::Always(f) | Formula::Eventually(f) | Formula::Potentially(f) => {
                f.sort().map(|_| Sort::State)
            }
            Formula::Until { left, right, .. } => {
                right.sort()?;
                match left.sort()? {
                    Sort::Event => Err(left.position()),
                    _ => Ok(Sort::State),
                }
            }
        }
    }

    fn position(&self) -> Position {
        match self {
            Formula::True | Formula::False => (1, 1),
            Formula::Atom(_, position) => *position,
            Formula::Not(f) | Formula::Always(f) | Formula::Eventually(f) | Formula::Potentially(f) => {
                f.position()
            }
            Formula::And(a, _) | Formula::Or(a, _) => a.position(),
            Formula::Until { left, .. } => left.position(),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::True => write!(f, "true"),
            Formula::False => write!(f, "false"),
            Formula::Atom(Atom::Accept { entry, by: None }, _) => write!(f, "accept {entry}"),
            Formula::Atom(Atom::Accept { entry, by: Some(by) }, _) => write!(f, "accept {entry} by {by}"),
            Formula::Atom(Atom::Event(name), _) => write!(f, "event {name}"),
            Formula::Atom(Atom::At { task: None, place }, _) => write!(f, "at {place}"),
            Formula::Atom(Atom::At { task: Some(task), place }, _) => write!(f, "{task} at {place}"),
            Formula::Atom(Atom::Ended(task), _) => write!(f, "ended {task}"),
            Formula::Not(a) => write!(f, "not {a}"),
            Formula::And(a, b) => write!(f, "({a} and {b})"),
            Formula::Or(a, b) => write!(f, "({a} or {b})"),
            Formula::Always(a) => write!(f, "always {a}"),
            Formula::Eventually(a) => write!(f, "eventually {a}"),
            Formula::Potentially(a) => write!(f, "potentially {a}"),
            Formula::Until { left, right, weak } => {
                write!(f, "({left} {} {right})", if *weak { "unless" } else { "until" })
            }
        }
    }
}

/// Whether a text looks like a formula of this logic, and not like a plain condition.
pub fn is_temporal(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| {
        ["always", "eventually", "potentially", "until", "unless", "accept"]
            .iter()
            .any(|k| word.eq_ignore_ascii_case(k))
    })
}

/// Reads a file of properties.
pub fn parse_file(text: &str) -> Result<Vec<Property>, Wrong> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let mut properties = Vec::new();
    while parser.peek() != &Token::End {
        if parser.take(";") {
            continue;
        }
        let position = parser.position();
        let name = match (parser.peek().clone(), parser.tokens.get(parser.at + 1).map(|t| &t.0)) {
            (Token::Word(name), Some(Token::Sign(":"))) => {
                parser.at += 2;
                name
            }
            _ => format!("property {}", properties.len() + 1),
        };
        let formula = parser.formula()?;
        if parser.peek() != &Token::End && !parser.take(";") {
            return Err(parser.wrong("expected `;` or the end of the file"));
        }
        check(&formula)?;
        if properties.iter().any(|p: &Property| p.name == name) {
            return Err(Wrong::at(position, format!("there is another property `{name}` in this file")));
        }
        properties.push(Property { name, formula, position });
    }
    match properties.is_empty() {
        true => Err(Wrong { message: "there is no property in this file".into(), position: (1, 1) }),
        false => Ok(properties),
    }
}

/// Reads one formula.
pub fn parse(text: &str) -> Result<Formula, Wrong> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let formula = parser.formula()?;
    if parser.peek() != &Token::End {
        return Err(parser.wrong("expected the end of the formula"));
    }
    check(&formula)?;
    Ok(formula)
}

fn check(formula: &Formula) -> Result<(), Wrong> {
    let wrong = |message: &str, position| Wrong { message: message.into(), position };
    match formula.sort() {
        Ok(Sort::Event) => {
            Err(wrong("an event is no property: say `eventually` or `always`", formula.position()))
        }
        Ok(_) => Ok(()),
        Err(position) => {
            Err(wrong("what is so until something else happens is about states, not events", position))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
    End,
}

fn tokens(text: &str) -> Result<Vec<(Token, Position)>, Wrong> {
    let mut out = Vec::new();
    let mut position = (1, 1);
    for (n, line) in text.lines().enumerate() {
        let chars: Vec<char> = line.chars().collect();
        let mut i = 0;
        while i < chars.len() {
            position = (n as u32 + 1, i as u32 + 1);
            let rest = |j: usize| chars.get(j).copied();
            match chars[i] {
                c if c.is_whitespace() => i += 1,
                '-' if rest(i + 1) == Some('-') => break,
                '-' if rest(i + 1) == Some('>') => {
                    out.push((Token::Sign("->"), position));
                    i += 2;
                }
                ';' => {
                    out.push((Token::Sign(";"), position));
                    i += 1;
                }
                ':' => {
                    out.push((Token::Sign(":"), position));
                    i += 1;
                }
                '(' => {
                    out.push((Token::Sign("("), position));
                    i += 1;
                }
                ')' => {
                    out.push((Token::Sign(")"), position));
                    i += 1;
                }
                c if c.is_alphanumeric() || c == '_' => {
                    let start = i;
                    // A name goes on over dots, and over parentheses that follow without a space.
                    while let Some(c) = rest(i) {
                        match c {
                            c if c.is_alphanumeric() || c == '_' => i += 1,
                            '.' if rest(i + 1).is_some_and(|c| c.is_alphanumeric()) => i += 1,
                            ':' if rest(i + 1).is_some_and(|c| c.is_ascii_digit()) => i += 1,
                            '(' => match chars[i..].iter().position(|c| *c == ')') {
                                Some(end) if chars[i + 1..i + end].iter().all(|c| is_index(*c)) => {
                                    i += end + 1
                                }
                                _ => break,
                            },
                            _ => break,
                        }
                    }
                    out.push((Token::Word(chars[start..i].iter().collect()), position));
                }
                c => return Err(Wrong { message: format!("unexpected `{c}`"), position }),
            }
        }
    }
    out.push((Token::End, position));
    Ok(out)
}

fn is_index(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ','
}

struct Parser<'t> {
    tokens: &'t [(Token, Position)],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn position(&self) -> Position {
        self.tokens[self.at].1
    }

    fn wrong(&self, message: &str) -> Wrong {
        let found = match self.peek() {
            Token::Word(word) => format!("found `{word}`"),
            Token::Sign(sign) => format!("found `{sign}`"),
            Token::End => "the text ends here".into(),
        };
        Wrong { message: format!("{message}; {found}"), position: self.position() }
    }

    /// Takes a sign or word if it comes next.
    fn take(&mut self, wanted: &str) -> bool {
        let found = match self.peek() {
            Token::Word(word) => word.eq_ignore_ascii_case(wanted),
            Token::Sign(sign) => *sign == wanted,
            Token::End => false,
        };
        self.at += usize::from(found);
        found
    }

    fn formula(&mut self) -> Result<Formula, Wrong> {
        let left = self.implication()?;
        for (word, weak) in [("until", false), ("unless", true)] {
            if self.take(word) {
                let right = self.formula()?;
                return Ok(Formula::Until { left: Box::new(left), right: Box::new(right), weak });
            }
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Formula, Wrong> {
        let left = self.disjunction()?;
        if self.take("->") {
            let right = self.implication()?;
            return Ok(Formula::Or(Box::new(Formula::Not(Box::new(left))), Box::new(right)));
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Formula, Wrong> {
        let mut left = self.conjunction()?;
        while self.take("or") {
            left = Formula::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Formula, Wrong> {
        let mut left = self.prefixed()?;
        while self.take("and") {
            left = Formula::And(Box::new(left), Box::new(self.prefixed()?));
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Result<Formula, Wrong> {
        let position = self.position();
        if self.take("(") {
            let inner = self.formula()?;
            return if self.take(")") { Ok(inner) } else { Err(self.wrong("expected `)`")) };
        }
        let Token::Word(word) = self.peek().clone() else { return Err(self.wrong("expected a formula")) };
        self.at += 1;
        Ok(match word.to_lowercase().as_str() {
            "true" => Formula::True,
            "false" => Formula::False,
            "not" => Formula::Not(Box::new(self.prefixed()?)),
            "always" => Formula::Always(Box::new(self.prefixed()?)),
            "eventually" => Formula::Eventually(Box::new(self.prefixed()?)),
            "potentially" => Formula::Potentially(Box::new(self.prefixed()?)),
            "accept" => {
                let entry = self.name("an entry")?;
                let by = if self.take("by") { Some(self.name("a task")?) } else { None };
                Formula::Atom(Atom::Accept { entry, by }, position)
            }
            "event" => Formula::Atom(Atom::Event(self.name("an event")?), position),
            "at" => Formula::Atom(Atom::At { task: None, place: self.name("a place")? }, position),
            "ended" => Formula::Atom(Atom::Ended(self.name("a task")?), position),
            _ if self.take("at") => {
                Formula::Atom(Atom::At { task: Some(word), place: self.name("a place")? }, position)
            }
            _ => {
                self.at -= 1;
                return Err(self.wrong(
                    "expected a formula: `accept ENTRY`, `event NAME`, `at PLACE`, `TASK at PLACE`, `ended TASK`, an operator",
                ));
            }
        })
    }

    fn name(&mut self, what: &str) -> Result<String, Wrong> {
        match self.peek().clone() {
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.wrong(&format!("expected the name of {what}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_documented() {
        let shown = |text: &str| parse(text).map(|f| f.to_string());
        assert_eq!(shown("always eventually accept f(1).up"), Ok("always eventually accept f(1).up".into()));
        assert_eq!(
            shown("always at 3 and ended t -> true unless at 4"),
            Ok("((not (always at 3 and ended t) or true) unless at 4)".into())
        );
        assert_eq!(shown("at a until accept b.c by d"), Ok("(at a until accept b.c by d)".into()));
        assert_eq!(
            shown("always (accept a.b -> eventually accept a.c)"),
            Ok("always (not accept a.b or eventually accept a.c)".into())
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        let wrong = |text: &str| parse(text).map_err(|w| w.position);
        assert_eq!(wrong("accept a.b"), Err((1, 1)));
        assert_eq!(wrong("(at 3 or accept a.b) until at 4"), Err((1, 2)));
        assert_eq!(wrong("at 3 -> accept a.b"), Err((1, 1)));
        assert_eq!(wrong("always\n  (at 3"), Err((2, 7)));
        assert_eq!(parse_file("-- nothing\n").map_err(|w| w.message.is_empty()), Err(false));
    }
}
