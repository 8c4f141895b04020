//! INCA's queries: a violation, described as a sequence of intervals of an execution.
//!
//! The query language is that of INCA (Corbett and Avrunin, *Using integer programming to verify general safety and
//! liveness properties*, 1995; Siegel and Avrunin, 2002, section 2.1). Each interval ends with certain events, requires
//! some, forbids some, and may constrain how often events occur, by linear conditions; the last one may be perpetual, a
//! loop. Unless the first interval is *initial*, anything may come before it.
//!
//! A query without counts and without a perpetual interval is a regular language, and its property is that no execution
//! is in it. `automaton` builds it backwards, interval by interval: a state is the set of required lists that were
//! seen, so an interval with k lists has 2 to the k states, and more than six lists are refused. Such a query can be
//! decided by every engine, as an automaton. The others are only followed by their intervals
//! (`rendez_certificate::query`), and only `ilp` decides them.
//!
//! The step that ends an interval belongs to it and must have none of the forbidden names; a query once matched
//! although it had one. A perpetual interval with `"fair"` is refused, because the equations do not know fairness;
//! without one, fairness makes no difference, since every finite execution can be continued fairly.
//!
//! Queries are read as nested lists, as INCA's are. Words that are not known, and keywords given twice, are errors at
//! their place.

use crate::automaton::{Dfa, Names, Nfa, Test, singles};
use crate::events::{Binding, Pattern};
use crate::regular::{Meaning, Notation, Regular};
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

impl Interval {
    /// Whether a letter may be its last: that one belongs to the interval, so it may not be forbidden either.
    pub fn ends_with(&self, letter: u32) -> bool {
        self.ends.contains(&letter) && !self.forbid.contains(&letter)
    }

    /// Whether a letter may occur and the interval goes on.
    pub fn goes_on_with(&self, letter: u32) -> bool {
        !self.forbid.contains(&letter) && (self.open || !self.ends.contains(&letter))
    }
}

/// Intervals one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalQuery {
    pub intervals: Vec<Interval>,
    /// An automaton says when the query is met; otherwise only its intervals do.
    pub is_followed: bool,
    /// Symbols that stand for whatever events of the program a predicate fits.
    pub predicates: Vec<(u32, Predicate)>,
}

/// Says which events are meant, by what they look like when they are written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// The caller, the entry and the values, each of which may be `*`.
    Written {
        caller: String,
        entry: String,
        values: Vec<String>,
    },
    /// A name that is bound in the file.
    Named(String),
    Prefix(String),
    Contains(String),
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
    Not(Box<Predicate>),
}

impl IntervalQuery {
    /// Whether the sequences that it describes are a regular language.
    fn is_regular(&self) -> bool {
        self.intervals.iter().all(|i| !i.perpetual && i.constraints.is_empty())
    }

    /// The query about steps with several names: each of its symbols stands for the letters that have it.
    pub fn over(&self, sets: &[Names]) -> IntervalQuery {
        let letters = |list: &Letters| -> Letters {
            let has = |set: &Names| set.iter().any(|name| list.contains(name));
            (0..sets.len()).filter(|s| has(&sets[*s])).map(|s| s as u32).collect()
        };
        let linear = |c: &Linear| Linear {
            terms: c.terms.iter().map(|(list, factor)| (letters(list), *factor)).collect(),
            ..c.clone()
        };
        let interval = |i: &Interval| Interval {
            ends: letters(&i.ends),
            require: i.require.iter().map(letters).collect(),
            forbid: letters(&i.forbid),
            constraints: i.constraints.iter().map(linear).collect(),
            ..i.clone()
        };
        IntervalQuery {
            intervals: self.intervals.iter().map(interval).collect(),
            predicates: Vec::new(),
            ..self.clone()
        }
    }

    /// The property that no execution meets the query, for so many symbols; None if it is too large.
    pub fn property(&self, letters: usize) -> Option<Dfa> {
        match self.is_followed {
            true => Some(self.automaton(letters)?.complement()),
            false => Some(Dfa { letters, next: vec![0; letters], accepting: vec![true], start: 0 }),
        }
    }

    /// The automaton of the sequences that meet it, sooner or later.
    fn automaton(&self, letters: usize) -> Option<Dfa> {
        let mut nfa = Nfa::default();
        let end = nfa.state();
        nfa.accepting[end] = true;
        nfa.connect(end, &Test::anything(), end);
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
                    let is = Test::one_of(vec![letter]);
                    let new = (0..lists).filter(|r| interval.require[*r].contains(&letter));
                    let then = new.fold(seen, |seen, r| seen | 1 << r);
                    if interval.ends_with(letter) && then == all {
                        nfa.connect(*state, &is, after);
                    }
                    if interval.goes_on_with(letter) {
                        nfa.connect(*state, &is, states[then]);
                    }
                }
            }
            if interval.ends.is_empty() {
                nfa.silently(states[all], after);
            }
            after = states[0];
        }
        nfa.start = after;
        nfa.deterministic(&singles(letters))
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
    predicates: Vec<(u32, Predicate)>,
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
    let mut reader = Reader { symbols: Vec::new(), bindings: Vec::new(), predicates: Vec::new() };
    let (body, fair) = parts(&list[2..], position)?;
    let mut query = IntervalQuery::default();
    reader.body(body, &mut query)?;
    if query.intervals.is_empty() {
        return Err(Wrong::at(body.position(), "the query has no intervals"));
    }
    if let Some(k) = query.intervals.iter().position(|i| i.perpetual)
        && k + 1 < query.intervals.len()
    {
        return Err(Wrong::at(body.position(), "only the last interval can be perpetual"));
    }
    // Whatever happens up to some moment can be followed by something fair.
    if let Some(place) = fair.filter(|_| query.intervals.iter().any(|i| i.perpetual)) {
        let message = "a perpetual interval may be unfair to some task here: write \"nofair\"";
        return Err(Wrong::at(place, message));
    }
    query.is_followed = query.is_regular();
    query.predicates = reader.predicates;
    let property = Regular::new(name, Notation::Inca, position, reader.symbols, Meaning::Query(query));
    Ok(Found { property, bindings: reader.bindings })
}

/// The intervals of a query, and where it says that executions are fair.
fn parts(list: &[Form], position: Position) -> Result<(&Form, Option<Position>), Wrong> {
    let (mut body, mut fair) = (None, None);
    for form in list {
        match form {
            Form::Text(word, at) | Form::Word(word, at) => match word.as_str() {
                _ if body.is_some() => return Err(Wrong::at(*at, "the query ends with its intervals")),
                "" | "nofair" => {}
                "fair" => fair = Some(*at),
                _ => return Err(Wrong::at(*at, "expected \"fair\", \"nofair\" or the intervals")),
            },
            Form::List(_, at) => {
                if body.replace(form).is_some() {
                    return Err(Wrong::at(*at, "a query has one sequence of intervals"));
                }
            }
        }
    }
    let body = body.ok_or_else(|| Wrong::at(position, "the query has no intervals"))?;
    Ok((body, fair))
}

impl Reader {
    fn body(&mut self, form: &Form, query: &mut IntervalQuery) -> Result<(), Wrong> {
        let Form::List(list, at) = form else {
            return Err(Wrong::at(form.position(), "expected `(sequence ...)` or `(interval ...)`"));
        };
        match form.head() {
            Some("interval") => {
                let (interval, initial) = self.interval(&list[1..], *at)?;
                if let Some(place) = initial.filter(|_| !query.intervals.is_empty()) {
                    return Err(Wrong::at(place, "only the first interval can be initial"));
                }
                if query.intervals.is_empty() && initial.is_none() {
                    // It may begin anywhere.
                    query.intervals.push(Interval::default());
                }
                query.intervals.push(interval);
                Ok(())
            }
            Some("omega-star-less" | "sequence") => list[1..].iter().try_for_each(|f| self.body(f, query)),
            _ => Err(Wrong::at(*at, "expected `(sequence ...)` or `(interval ...)`")),
        }
    }

    /// An interval, and where it says that it is the first.
    fn interval(&mut self, list: &[Form], at: Position) -> Result<(Interval, Option<Position>), Wrong> {
        let mut interval = Interval::default();
        let mut initial = None;
        let mut said: Vec<&str> = Vec::new();
        let mut rest = list.iter();
        while let Some(key) = rest.next() {
            let Form::Word(word, here) = key else {
                return Err(Wrong::at(key.position(), "expected a keyword such as `:ends-with`"));
            };
            if said.contains(&word.as_str()) {
                return Err(Wrong::at(*here, format!("`{word}` is said twice")));
            }
            said.push(word);
            let Some(value) = rest.next() else {
                return Err(Wrong::at(*here, format!("`{word}` has no value")));
            };
            let flag = || match value {
                Form::Word(w, _) if w == "t" => Ok(true),
                Form::Word(w, _) if w == "nil" => Ok(false),
                other => Err(Wrong::at(other.position(), "expected `t` or `nil`")),
            };
            match word.as_str() {
                ":initial" => initial = flag()?.then_some(*here),
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
            (_, Some("and" | "not" | "prefix" | "contains")) => {
                let predicate = predicate(form)?;
                Ok(vec![self.meant(&written(form), predicate, form.position())])
            }
            _ => Err(Wrong::at(
                form.position(),
                "expected an event: a text, `(rendezvous ...)`, `(prefix ...)`, `(contains ...)`, or `and`, `or`, `not` of these",
            )),
        }
    }

    /// The number of a symbol: a bound name, or an event written out.
    fn letter(&mut self, text: &str, at: Position) -> Result<u32, Wrong> {
        let known = self.symbols.iter().position(|s| s.0 == text);
        if let Some(known) = known {
            return Ok(known as u32);
        }
        if let Some(predicate) = in_full(text, at)? {
            let Predicate::Written { caller, entry, values } = &predicate else { unreachable!("in full") };
            let number = |value: &String| match value.to_lowercase().as_str() {
                "*" => Some(None),
                "true" => Some(Some(1)),
                "false" => Some(Some(0)),
                value => value.parse().ok().map(Some),
            };
            let Some(values) = values.iter().map(number).collect() else {
                // Literals are known to the program only.
                return Ok(self.meant(text, predicate, at));
            };
            let by = (caller != "*").then(|| caller.clone());
            let patterns = vec![Pattern::Accept { entry: entry.clone(), by, values }];
            self.bindings.push(Binding { symbol: text.to_owned(), patterns, position: at });
        }
        self.symbols.push((text.to_owned(), at));
        Ok(self.symbols.len() as u32 - 1)
    }

    /// The number of a symbol that stands for what a predicate fits.
    fn meant(&mut self, text: &str, predicate: Predicate, at: Position) -> u32 {
        let known = self.symbols.iter().position(|s| s.0 == text);
        known.unwrap_or_else(|| {
            self.symbols.push((text.to_owned(), at));
            self.predicates.push((self.symbols.len() as u32 - 1, predicate));
            self.symbols.len() - 1
        }) as u32
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

/// An event as `accept(CALLER;TASK.ENTRY;VALUES)` or `call(...)`, if the text is one.
fn in_full(text: &str, at: Position) -> Result<Option<Predicate>, Wrong> {
    let inner = text
        .strip_suffix(')')
        .and_then(|t| t.strip_prefix("accept(").or_else(|| t.strip_prefix("call(")).map(str::to_owned));
    let Some(inner) = inner else { return Ok(None) };
    let mut parts = inner.split(';').map(str::trim);
    let (caller, entry) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    if entry.is_empty() {
        return Err(Wrong::at(at, "expected `accept(CALLER;TASK.ENTRY;VALUES)`"));
    }
    let values = parts.flat_map(|p| p.split(',')).map(str::trim).filter(|v| !v.is_empty());
    Ok(Some(Predicate::Written {
        caller: if caller.is_empty() { "*" } else { caller }.to_owned(),
        entry: entry.to_owned(),
        values: values.map(str::to_owned).collect(),
    }))
}

fn predicate(form: &Form) -> Result<Predicate, Wrong> {
    let Form::List(list, at) = form else {
        return match form {
            Form::Text(text, at) => Ok(in_full(text, *at)?.unwrap_or_else(|| Predicate::Named(text.clone()))),
            other => Err(Wrong::at(other.position(), "expected an event or a predicate")),
        };
    };
    let all = || list[1..].iter().map(predicate).collect::<Result<Vec<_>, _>>();
    match (form.head(), &list[1..]) {
        (Some("rendezvous"), [Form::Text(text, here)]) => in_full(&format!("accept({text})"), *here)?
            .ok_or_else(|| Wrong::at(*here, "expected `CALLER;TASK.ENTRY;VALUES`")),
        (Some("prefix"), [Form::Text(text, _)]) => Ok(Predicate::Prefix(text.clone())),
        (Some("contains"), [Form::Text(text, _)]) => Ok(Predicate::Contains(text.clone())),
        (Some("and"), [_, ..]) => Ok(Predicate::And(all()?)),
        (Some("or"), [_, ..]) => Ok(Predicate::Or(all()?)),
        (Some("not"), [one]) => Ok(Predicate::Not(Box::new(predicate(one)?))),
        (Some(head @ ("rendezvous" | "prefix" | "contains")), _) => {
            Err(Wrong::at(*at, format!("`{head}` takes one text")))
        }
        (Some("not"), _) => Err(Wrong::at(*at, "`not` takes one predicate")),
        _ => Err(Wrong::at(*at, "expected `prefix`, `contains`, `rendezvous`, `and`, `or` or `not`")),
    }
}

/// A form as it would be written.
fn written(form: &Form) -> String {
    match form {
        Form::Word(word, _) => word.clone(),
        Form::Text(text, _) => format!("\"{text}\""),
        Form::List(list, _) => format!("({})", list.iter().map(written).collect::<Vec<_>>().join(" ")),
    }
}
