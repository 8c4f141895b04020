//! What the symbols of a property stand for in a program.
//!
//! A binding `event SYMBOL = PATTERN or PATTERN ...;` says which happenings of the program a symbol means: a rendezvous
//! begins or ends, a variable is assigned or tested, a subprogram is called, a task starts or ends, an annotated event.
//! In FLAVERS, events are attached to statements and calls (Dwyer et al., 2004, section 3), and in INCA to rendezvous
//! with their parameters (Siegel and Avrunin, 2002, section 2.1); patterns cover both. What a pattern does not say does
//! not matter, so `accept Pump.Start` means any caller and any values.
//!
//! This file only reads. Names are kept as written, since this crate knows no program; `rendez_verdict::bind` looks
//! them up, and reports those that mean nothing. A symbol without a binding is an annotated event or an entry of that
//! name.

use crate::scan::{Scanner, Token, Words};
use crate::{Position, Wrong};

/// Something that happens in a program, by the names that its author gave. What is not said does
/// not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// An annotated event, or a rendezvous on the only entry of that name.
    Named(String),
    /// An annotated event.
    Event(String),
    /// A rendezvous or a protected action on an entry begins.
    Accept { entry: String, by: Option<String>, values: Vec<Option<i64>> },
    /// It ends, and the caller goes on.
    Finish { entry: String, by: Option<String> },
    /// A variable is assigned to.
    Write { variable: String, value: Option<Test> },
    /// A variable is looked at in a condition, a guard or a barrier while the test holds.
    Test { variable: String, value: Option<Test> },
    /// A task, or some task, calls a subprogram.
    Enter { procedure: String, by: Option<String> },
    /// A task is started.
    Start(String),
    /// A task has come to its end.
    End(String),
}

/// How a value must compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub equal: bool,
    pub value: i64,
}

impl Test {
    pub fn holds(self, value: i64) -> bool {
        (value == self.value) == self.equal
    }
}

/// A symbol with what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub symbol: String,
    /// Any of these.
    pub patterns: Vec<Pattern>,
    pub position: Position,
}

fn value(scanner: &mut Scanner) -> Result<i64, Wrong> {
    let negative = scanner.take("-", Words::Names);
    let word = scanner.word("a number", Words::Names)?;
    let known = match word.to_lowercase().as_str() {
        "true" => Some(1),
        "false" => Some(0),
        number => number.replace('_', "").parse::<i64>().ok(),
    };
    match known {
        Some(value) => Ok(if negative { -value } else { value }),
        None => Err(scanner.wrong(
            "expected a number, `true` or `false` (the position of an enumeration literal, from 0)",
            Words::Names,
        )),
    }
}

fn test(scanner: &mut Scanner) -> Result<Option<Test>, Wrong> {
    for (sign, equal) in [("=", true), (":=", true), ("/=", false)] {
        if scanner.take(sign, Words::Names) {
            return Ok(Some(Test { equal, value: value(scanner)? }));
        }
    }
    Ok(None)
}

/// Reads `SYMBOL = PATTERN or PATTERN ... ;` after the word `event`.
pub fn binding(scanner: &mut Scanner) -> Result<Binding, Wrong> {
    let position = scanner.position();
    let symbol = scanner.word("the name of an event", Words::Symbols)?;
    scanner.expect("=", Words::Symbols)?;
    let mut patterns = vec![pattern(scanner)?];
    while scanner.take("or", Words::Names) {
        patterns.push(pattern(scanner)?);
    }
    scanner.expect(";", Words::Names)?;
    Ok(Binding { symbol, patterns, position })
}

fn by(scanner: &mut Scanner) -> Result<Option<String>, Wrong> {
    match scanner.take("by", Words::Names) {
        true => name(scanner, "the name of a task").map(Some),
        false => Ok(None),
    }
}

/// A name of the program; there may be blanks before its indices, as Ada is written.
fn name(scanner: &mut Scanner, what: &str) -> Result<String, Wrong> {
    let words = Words::Names;
    let mut name = scanner.word(what, words)?;
    while scanner.take("(", words) {
        name.push('(');
        loop {
            if scanner.take("-", words) {
                name.push('-');
            }
            name += &scanner.word("an index", words)?;
            if !scanner.take(",", words) {
                break;
            }
            name.push(',');
        }
        scanner.expect(")", words)?;
        name.push(')');
        if scanner.take(".", words) {
            name.push('.');
            name += &scanner.word("a name", words)?;
        }
    }
    Ok(name)
}

fn pattern(scanner: &mut Scanner) -> Result<Pattern, Wrong> {
    let word = scanner.word(
        "what the event stands for: `accept ENTRY`, `finish ENTRY`, `write VARIABLE`, `test VARIABLE`, `enter SUBPROGRAM`, `start TASK`, `end TASK`, `event NAME`",
        Words::Names,
    )?;
    Ok(match word.to_lowercase().as_str() {
        "accept" => {
            let entry = name(scanner, "the name of an entry")?;
            let by = by(scanner)?;
            let mut values = Vec::new();
            if scanner.take("with", Words::Names) {
                scanner.expect("(", Words::Names)?;
                loop {
                    let any = matches!(scanner.peek(Words::Names)?, Token::Sign("*"));
                    values.push(match any {
                        true => {
                            scanner.next(Words::Names)?;
                            None
                        }
                        false => Some(value(scanner)?),
                    });
                    if !scanner.take(",", Words::Names) {
                        break;
                    }
                }
                scanner.expect(")", Words::Names)?;
            }
            Pattern::Accept { entry, by, values }
        }
        "finish" => {
            let entry = name(scanner, "the name of an entry")?;
            Pattern::Finish { entry, by: by(scanner)? }
        }
        "write" => {
            let variable = name(scanner, "the name of a variable")?;
            Pattern::Write { variable, value: test(scanner)? }
        }
        "test" => {
            let variable = name(scanner, "the name of a variable")?;
            Pattern::Test { variable, value: test(scanner)? }
        }
        "enter" => {
            let procedure = name(scanner, "the name of a subprogram")?;
            Pattern::Enter { procedure, by: by(scanner)? }
        }
        "start" => Pattern::Start(name(scanner, "the name of a task")?),
        "end" => Pattern::End(name(scanner, "the name of a task")?),
        "event" => Pattern::Event(name(scanner, "the name of an event")?),
        _ => Pattern::Named(word),
    })
}
