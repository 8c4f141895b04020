//! INCA's queries: a violation, described as a sequence of intervals of an execution.
//!
//! A query without counts and without an infinite interval is a regular language, and its property
//! is that no execution is in it.

use crate::automaton::{Dfa, Nfa};
use crate::events::{Binding, Pattern};
use crate::regular::Regular;
use crate::scan::Scanner;
use crate::{Position, Wrong};

/// Some symbols, by number.
pub type Letters = Vec<u32>;

/// A condition on how often symbols occur: the sum of the terms is at least, or exactly, a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    pub terms: Vec<(Letters, i64)>,
    pub equal: bool,
    pub least: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// The symbols that end it; without any it may end at any time.
    pub ends: Letters,
    /// Of each list some symbol must occur.
    pub require: Vec<Letters>,
    /// None of these may occur.
    pub forbid: Letters,
    /// A symbol that ends it may occur inside as well.
    pub open: bool,
    /// It repeats for ever.
    pub perpetual: bool,
    pub constraints: Vec<Linear>,
}

/// Intervals one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub intervals: Vec<Interval>,
    /// An automaton says when the query is met; otherwise only its intervals do.
    pub is_followed: bool,
}

impl Query {
    /// Whether the sequences that it describes are a regular language.
    fn is_regular(&self) -> bool {
        self.intervals.iter().all(|i| !i.perpetual && i.constraints.is_empty())
    }

    /// The automaton of the sequences that meet it, sooner or later.
    fn automaton(&self, letters: usize) -> Option<Dfa> {
        let mut nfa = Nfa::new(letters);
        let end = nfa.state();
        nfa.accepting[end] = true;
        (0..letters).for_each(|l| nfa.connect(end, l, end));
        // States of an interval: which of the required lists were seen.
        let mut after = end;
        for interval in self.intervals.iter().rev() {
            let lists = interval.require.len();
            if lists > 6 {
                return None;
            }
            let all = (1usize << lists) - 1;
            let states: Vec<usize> = (0..=all).map(|_| nfa.state()).collect();
            for (seen, state) in states.iter().enumerate() {
                for letter in 0..letters as u32 {
                    let new = (0..lists).filter(|r| interval.require[*r].contains(&letter));
                    let then = new.fold(seen, |seen, r| seen | 1 << r);
                    let ends = interval.ends.contains(&letter);
                    if ends && then == all {
                        nfa.connect(*state, letter as usize, after);
                    }
                    if !interval.forbid.contains(&letter) && (!ends || interval.open) {
                        nfa.connect(*state, letter as usize, states[then]);
                    }
                }
            }
            if interval.ends.is_empty() {
                nfa.silently(states[all], after);
            }
            after = states[0];
        }
        nfa.deterministic(after)
    }
}

/// What the reader of a query finds.
pub struct Found {
    pub property: Regular,
    /// What events written out stand for.
    pub bindings: Vec<Binding>,
}

#[derive(Clone, Debug)]
enum Form {
    List(Vec<Form>, Position),
    Text(String, Position),
    Word(String, Position),
}

impl Form {
    fn position(&self) -> Position {
        match self {
            Form::List(_, at) | Form::Text(_, at) | Form::Word(_, at) => *at,
        }
    }

    fn head(&self) -> Option<&str> {
        match self {
            Form::List(list, _) => match list.first()? {
                Form::Word(word, _) => Some(word),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Deeper nesting is refused.
const DEEPEST: usize = 64;

fn form(scanner: &mut Scanner, depth: usize) -> Result<Form, Wrong> {
    let at = scanner.position();
    if depth > DEEPEST {
        return Err(Wrong::at(at, "the query is nested too deeply"));
    }
    match scanner.peek_char(0) {
        Some('(') => {
            scanner.advance();
            let mut list = Vec::new();
            loop {
                let here = scanner.position();
                match scanner.peek_char(0) {
                    None => return Err(Wrong::at(at, "this `(` is never closed")),
                    Some(')') => {
                        scanner.advance();
                        return Ok(Form::List(list, at));
                    }
                    Some('\'') => scanner.advance(),
                    Some(_) => list.push(form(scanner, depth + 1)?),
                }
                if list.len() > 10_000 {
                    return Err(Wrong::at(here, "the query is too long"));
                }
            }
        }
        Some('"') => {
            scanner.advance();
            let mut text = String::new();
            loop {
                match scanner.peek_char(0) {
                    None | Some('\n') => return Err(Wrong::at(at, "this text is never closed")),
                    Some('"') => break,
                    Some(c) => text.push(c),
                }
                scanner.advance();
            }
            scanner.advance();
            Ok(Form::Text(text, at))
        }
        _ => {
            let mut word = String::new();
            while let Some(c) = scanner.peek_char(0).filter(|c| !c.is_whitespace() && !"()\"'".contains(*c)) {
                word.push(c);
                scanner.advance();
            }
            match word.is_empty() {
                true => Err(Wrong::at(at, "expected `(`, a text or a word")),
                false => Ok(Form::Word(word.to_lowercase(), at)),
            }
        }
    }
}

struct Reader {
    symbols: Vec<(String, Position)>,
    bindings: Vec<Binding>,
}

/// Reads `(defquery NAME ... (sequence (interval ...) ...))`; the scanner is at the parenthesis.
pub fn parse(scanner: &mut Scanner) -> Result<Found, Wrong> {
    let position = scanner.position();
    let whole = form(scanner, 0)?;
    let Form::List(list, _) = &whole else { return Err(Wrong::at(position, "expected `(defquery ...)`")) };
    let name = match (whole.head(), list.get(1)) {
        (Some("defquery"), Some(Form::Text(name, _) | Form::Word(name, _))) => name.clone(),
        _ => return Err(Wrong::at(position, "expected `(defquery \"NAME\" ...)`")),
    };
    let mut reader = Reader { symbols: Vec::new(), bindings: Vec::new() };
    let Some(body) = list[2..].iter().find(|f| matches!(f, Form::List(..))) else {
        return Err(Wrong::at(position, "the query has no intervals"));
    };
    let mut query = Query::default();
    reader.body(body, &mut query)?;
    if query.intervals.is_empty() {
        return Err(Wrong::at(body.position(), "the query has no intervals"));
    }
    if let Some(k) = query.intervals.iter().position(|i| i.perpetual)
        && k + 1 < query.intervals.len()
    {
        return Err(Wrong::at(body.position(), "only the last interval can be perpetual"));
    }
    let letters = reader.symbols.len();
    query.is_followed = query.is_regular();
    let everything = Dfa { letters, next: vec![0; letters], accepting: vec![true], start: 0 };
    let automaton = match query.is_followed {
        true => query
            .automaton(letters)
            .ok_or_else(|| Wrong::at(position, "the query is too large"))?
            .complement(),
        false => everything,
    };
    let property = Regular {
        name,
        language: "inca",
        text: String::new(),
        position,
        symbols: reader.symbols,
        automaton,
        query: Some(query),
    };
    Ok(Found { property, bindings: reader.bindings })
}

impl Reader {
    fn body(&mut self, form: &Form, query: &mut Query) -> Result<(), Wrong> {
        let Form::List(list, at) = form else {
            return Err(Wrong::at(form.position(), "expected `(sequence ...)` or `(interval ...)`"));
        };
        match form.head() {
            Some("interval") => {
                let (interval, initial) = self.interval(&list[1..], *at)?;
                if query.intervals.is_empty() && !initial {
                    // It may begin anywhere.
                    query.intervals.push(Interval::default());
                }
                query.intervals.push(interval);
                Ok(())
            }
            Some(_) => list[1..].iter().try_for_each(|f| self.body(f, query)),
            None => Err(Wrong::at(*at, "expected `(sequence ...)` or `(interval ...)`")),
        }
    }

    fn interval(&mut self, list: &[Form], at: Position) -> Result<(Interval, bool), Wrong> {
        let mut interval = Interval::default();
        let mut initial = false;
        let mut rest = list.iter();
        while let Some(key) = rest.next() {
            let Form::Word(word, here) = key else {
                return Err(Wrong::at(key.position(), "expected a keyword such as `:ends-with`"));
            };
            let Some(value) = rest.next() else {
                return Err(Wrong::at(*here, format!("`{word}` has no value")));
            };
            let flag = || match value {
                Form::Word(w, _) if w == "t" => Ok(true),
                Form::Word(w, _) if w == "nil" => Ok(false),
                other => Err(Wrong::at(other.position(), "expected `t` or `nil`")),
            };
            match word.as_str() {
                ":initial" => initial = flag()?,
                ":open" => interval.open = flag()?,
                ":perpetual" => interval.perpetual = flag()?,
                ":ends-with" => interval.ends = self.any(value)?,
                ":forbid" => interval.forbid = self.any(value)?,
                ":require" => {
                    let Form::List(list, _) = value else {
                        return Err(Wrong::at(value.position(), "expected a list of events"));
                    };
                    for form in list {
                        let letters = self.event(form)?;
                        interval.require.push(letters);
                    }
                }
                ":constraints" => {
                    let Form::List(list, _) = value else {
                        return Err(Wrong::at(value.position(), "expected a list of conditions"));
                    };
                    for form in list {
                        let linear = self.condition(form)?;
                        interval.constraints.push(linear);
                    }
                }
                other => return Err(Wrong::at(*here, format!("intervals have no `{other}`"))),
            }
        }
        if interval.perpetual && !interval.ends.is_empty() {
            return Err(Wrong::at(at, "a perpetual interval does not end"));
        }
        Ok((interval, initial))
    }

    /// Any of a list of events.
    fn any(&mut self, form: &Form) -> Result<Letters, Wrong> {
        let Form::List(list, at) = form else {
            return Err(Wrong::at(form.position(), "expected a list of events"));
        };
        if list.is_empty() {
            return Err(Wrong::at(*at, "the list of events is empty"));
        }
        let mut all = Vec::new();
        for form in list {
            all.extend(self.event(form)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn event(&mut self, form: &Form) -> Result<Letters, Wrong> {
        match (form, form.head()) {
            (Form::Text(text, at), _) => Ok(vec![self.letter(text, *at)?]),
            (Form::List(list, at), Some("rendezvous")) => match &list[1..] {
                [Form::Text(text, here)] => Ok(vec![self.letter(&format!("accept({text})"), *here)?]),
                _ => Err(Wrong::at(*at, "expected `(rendezvous \"CALLER;TASK.ENTRY;VALUES\")`")),
            },
            (Form::List(list, _), Some("or")) => {
                let mut all = Vec::new();
                for form in &list[1..] {
                    all.extend(self.event(form)?);
                }
                Ok(all)
            }
            (_, Some(head @ ("and" | "not" | "prefix" | "contains"))) => Err(Wrong::at(
                form.position(),
                format!("`{head}` is not supported: name the events, or bind a name to several of them"),
            )),
            _ => {
                Err(Wrong::at(form.position(), "expected an event: a text, `(rendezvous ...)` or `(or ...)`"))
            }
        }
    }

    /// The number of a symbol: a bound name, or an event written out.
    fn letter(&mut self, text: &str, at: Position) -> Result<u32, Wrong> {
        let known = self.symbols.iter().position(|s| s.0 == text);
        if let Some(known) = known {
            return Ok(known as u32);
        }
        let inner = text
            .strip_suffix(')')
            .and_then(|t| t.strip_prefix("accept(").or_else(|| t.strip_prefix("call(")).map(str::to_owned));
        if let Some(inner) = inner {
            let mut parts = inner.split(';').map(str::trim);
            let (caller, entry) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
            if entry.is_empty() {
                return Err(Wrong::at(at, "expected `accept(CALLER;TASK.ENTRY;VALUES)`"));
            }
            let by = (!caller.is_empty() && caller != "*").then(|| caller.to_owned());
            let mut values = Vec::new();
            for value in parts.flat_map(|p| p.split(',')).map(str::trim).filter(|v| !v.is_empty()) {
                values.push(match (value, value.to_lowercase().as_str()) {
                    ("*", _) => None,
                    (_, "true") => Some(1),
                    (_, "false") => Some(0),
                    _ => Some(value.parse().map_err(|_| {
                        let message = format!(
                            "`{value}` is no number (the position of an enumeration literal, from 0)"
                        );
                        Wrong::at(at, message)
                    })?),
                });
            }
            let patterns = vec![Pattern::Accept { entry: entry.to_owned(), by, values }];
            self.bindings.push(Binding { symbol: text.to_owned(), patterns, position: at });
        }
        self.symbols.push((text.to_owned(), at));
        Ok(self.symbols.len() as u32 - 1)
    }

    /// `(>= A B)`, `(<= A B)`, `(= A B)`, `(> A B)` or `(< A B)`.
    fn condition(&mut self, form: &Form) -> Result<Linear, Wrong> {
        let (Form::List(list, at), Some(head)) = (form, form.head()) else {
            return Err(Wrong::at(form.position(), "expected a condition such as `(>= \"A\" 1)`"));
        };
        let [_, left, right] = &list[..] else {
            return Err(Wrong::at(*at, "a condition compares two sides"));
        };
        let (sign, strict, equal) = match head {
            ">=" => (1, 0, false),
            ">" => (1, 1, false),
            "<=" => (-1, 0, false),
            "<" => (-1, 1, false),
            "=" => (1, 0, true),
            other => return Err(Wrong::at(*at, format!("`{other}` compares nothing"))),
        };
        let mut linear = Linear { terms: Vec::new(), equal, least: strict };
        self.sum(left, sign, &mut linear)?;
        self.sum(right, -sign, &mut linear)?;
        Ok(linear)
    }

    fn sum(&mut self, form: &Form, factor: i64, linear: &mut Linear) -> Result<(), Wrong> {
        let number = |f: &Form| match f {
            Form::Word(w, _) => w.parse::<i64>().ok(),
            _ => None,
        };
        match (form, form.head()) {
            (Form::Word(..), _) => match number(form) {
                Some(n) => linear.least -= factor * n,
                None => return Err(Wrong::at(form.position(), "expected a number or an event")),
            },
            (Form::List(list, _), Some("+")) => {
                list[1..].iter().try_for_each(|f| self.sum(f, factor, linear))?;
            }
            (Form::List(list, at), Some("-")) => match &list[1..] {
                [a, b] => {
                    self.sum(a, factor, linear)?;
                    self.sum(b, -factor, linear)?;
                }
                _ => return Err(Wrong::at(*at, "expected `(- A B)`")),
            },
            (Form::List(list, at), Some("*")) => match &list[1..] {
                [k, a] if number(k).is_some() => self.sum(a, factor * number(k).unwrap_or(1), linear)?,
                _ => return Err(Wrong::at(*at, "expected `(* NUMBER A)`")),
            },
            _ => {
                let letters = self.event(form)?;
                linear.terms.push((letters, factor));
            }
        }
        Ok(())
    }
}
