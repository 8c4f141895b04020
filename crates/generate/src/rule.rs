//! Random rules about the programs of [`crate::visible`], in every property language.
//!
//! A rule is a tree of text that can be shrunk like a program: parts of lists are left out, and
//! operators are replaced by one of their operands.

use crate::Random;

/// A piece of a rule: text around parts, which are written with a text between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    open: String,
    parts: Vec<Term>,
    between: &'static str,
    close: &'static str,
    /// So many parts must stay.
    least: usize,
    /// One of the parts can stand for all of it.
    unwraps: bool,
}

impl Term {
    fn text(text: impl Into<String>) -> Term {
        Term::list(text, Vec::new(), "", "", 0)
    }

    /// Parts that can be left out, but for a least number of them.
    fn list(
        open: impl Into<String>,
        parts: Vec<Term>,
        between: &'static str,
        close: &'static str,
        least: usize,
    ) -> Term {
        Term { open: open.into(), parts, between, close, least, unwraps: false }
    }

    /// Parts that are all there in any case.
    fn all(open: impl Into<String>, parts: Vec<Term>, between: &'static str, close: &'static str) -> Term {
        let least = parts.len();
        Term::list(open, parts, between, close, least)
    }

    fn operator(
        open: impl Into<String>,
        parts: Vec<Term>,
        between: &'static str,
        close: &'static str,
    ) -> Term {
        Term { unwraps: true, ..Term::list(open, parts, between, close, 1) }
    }

    /// Makes the change numbered `at`, if there is one of this number.
    fn change(&mut self, at: &mut usize) -> bool {
        for i in 0..self.parts.len() {
            if self.parts.len() > self.least {
                if *at == 0 {
                    self.parts.remove(i);
                    return true;
                }
                *at -= 1;
            }
            if self.unwraps {
                if *at == 0 {
                    *self = self.parts.swap_remove(i);
                    return true;
                }
                *at -= 1;
            }
            if self.parts[i].change(at) {
                return true;
            }
        }
        false
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.open)?;
        for (i, part) in self.parts.iter().enumerate() {
            f.write_str(if i > 0 { self.between } else { "" })?;
            part.fmt(f)?;
        }
        f.write_str(self.close)
    }
}

/// The languages of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Qre,
    Fsa,
    Pattern,
    Query,
    Formula,
}

impl Language {
    pub const ALL: [Language; 5] =
        [Language::Qre, Language::Fsa, Language::Pattern, Language::Query, Language::Formula];

    pub fn name(self) -> &'static str {
        match self {
            Language::Qre => "qre",
            Language::Fsa => "fsa",
            Language::Pattern => "pattern",
            Language::Query => "inca",
            Language::Formula => "ctl",
        }
    }
}

/// A rule with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub language: Language,
    /// A query that counts, or that is about a loop: no automaton follows it.
    pub counts: bool,
    /// Rules with the same number say the same, in different words.
    pub twin: Option<u64>,
    /// What its symbols stand for.
    bindings: Term,
    body: Term,
}

impl Rule {
    /// The rule, with its bindings in the order in which they were made or the other way round.
    pub fn text(&self, turned: bool) -> String {
        let mut bindings = self.bindings.clone();
        if turned {
            bindings.parts.reverse();
        }
        format!("{bindings}{}\n", self.body)
    }
}

/// Shrinks a rule while `fails` says that what is left still fails. `fails` is asked at most `budget` times.
pub fn shrink_rule(rule: &Rule, budget: usize, mut fails: impl FnMut(&Rule) -> bool) -> Rule {
    let (mut best, mut left, mut at) = (rule.clone(), budget, 0);
    let mut smaller = false;
    while left > 0 {
        let mut candidate = best.clone();
        let mut number = at;
        if !candidate.body.change(&mut number) && !candidate.bindings.change(&mut number) {
            if !smaller {
                return best;
            }
            (at, smaller) = (0, false);
            continue;
        }
        left -= 1;
        match fails(&candidate) {
            true => (best, smaller) = (candidate, true),
            false => at += 1,
        }
    }
    best
}

/// What rules can speak of in a program.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    pub events: Vec<String>,
    pub entries: Vec<Entry>,
    pub variables: Vec<String>,
    pub tasks: Vec<String>,
    pub procedures: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    /// Whether it has a parameter of the numbers 0 to 2.
    pub parameter: bool,
}

/// The rules of one file: `count` of them, in languages that one file can hold.
pub fn rules(seed: u64, vocabulary: &Vocabulary, languages: &[Language], count: usize) -> Vec<Rule> {
    let mut random = Random::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(11));
    let mut all = Vec::new();
    while all.len() < count {
        let number = all.len();
        let language = languages[number % languages.len()];
        let twins = language != Language::Formula && random.chance(12);
        let mut w = Writer { random: &mut random, vocabulary, number, symbols: Vec::new() };
        match twins {
            true => all.extend(w.twins()),
            false => all.push(w.rule(language)),
        }
    }
    all
}

struct Writer<'a> {
    random: &'a mut Random,
    vocabulary: &'a Vocabulary,
    /// The number of the rule in its file: names are unique there.
    number: usize,
    /// What each symbol stands for.
    symbols: Vec<String>,
}

impl Writer<'_> {
    fn rule(&mut self, language: Language) -> Rule {
        let mut counts = false;
        let letter = if language == Language::Formula { "f" } else { "r" };
        let name = format!("{letter}{}", self.number);
        let body = match language {
            Language::Qre => self.quantified(&name),
            Language::Fsa => self.automaton(&name),
            Language::Pattern => self.pattern(&name),
            Language::Query => {
                counts = self.random.chance(25);
                self.query(&name, counts)
            }
            Language::Formula => self.formula(&name),
        };
        Rule { name, language, counts, twin: None, bindings: self.bindings(), body }
    }

    fn bindings(&self) -> Term {
        let bind = |(i, what): (usize, &String)| Term::text(format!("event {} = {what};\n", self.symbol(i)));
        Term::list("", self.symbols.iter().enumerate().map(bind).collect(), "", "", 0)
    }

    fn symbol(&self, i: usize) -> String {
        format!("{}{}", ["a", "b", "c", "d", "e", "f"][i], self.number)
    }

    /// Makes so many symbols, different ones; more often than not some that fit the same steps.
    fn choose(&mut self, count: usize) {
        let mut tries = 0;
        while self.symbols.len() < count && tries < 50 {
            tries += 1;
            let last = self.symbols.last().cloned();
            let what = match last {
                Some(last) if self.random.chance(30) => self.beside(&last),
                _ => self.happening(),
            };
            if !self.symbols.contains(&what) {
                self.symbols.push(what);
            }
        }
    }

    fn any_symbol(&mut self) -> String {
        let i = self.random.below(self.symbols.len() as u64) as usize;
        self.symbol(i)
    }

    fn one(&mut self) -> Term {
        Term::text(self.any_symbol())
    }

    /// Something that fits steps which another pattern fits, too.
    fn beside(&mut self, pattern: &str) -> String {
        let words: Vec<&str> = pattern.split(' ').collect();
        match words[0] {
            "accept" | "finish" if words.len() > 2 && self.random.chance(50) => words[..2].join(" "),
            "accept" | "finish" => {
                format!("{} {} by {}", words[0], words[1], self.random.pick(&self.vocabulary.tasks))
            }
            "write" | "test" if words.len() > 2 => words[..2].join(" "),
            "write" | "test" => format!("{pattern} = {}", self.random.below(3)),
            "event" => match self.happening() {
                same if pattern.contains(&same) => same,
                more => format!("{pattern} or {more}"),
            },
            _ => self.happening(),
        }
    }

    /// Something that may happen.
    fn happening(&mut self) -> String {
        let v = self.vocabulary;
        match self.random.below(20) {
            0..9 if !v.events.is_empty() => format!("event {}", self.random.pick(&v.events)),
            9..15 if !v.entries.is_empty() => {
                let entry = self.random.pick(&v.entries).clone();
                match self.random.below(8) {
                    0 | 1 => format!("accept {} by {}", entry.name, self.random.pick(&v.tasks)),
                    2 => format!("finish {}", entry.name),
                    3 => format!("finish {} by {}", entry.name, self.random.pick(&v.tasks)),
                    4 | 5 if entry.parameter => {
                        format!("accept {} with ({})", entry.name, self.random.below(3))
                    }
                    _ => format!("accept {}", entry.name),
                }
            }
            15 | 16 if !v.variables.is_empty() => {
                let variable = self.random.pick(&v.variables);
                match self.random.below(4) {
                    0 => format!("write {variable} = {}", self.random.below(3)),
                    1 => format!("write {variable} /= {}", self.random.below(3)),
                    2 => format!("test {variable} = {}", self.random.below(3)),
                    _ => format!("write {variable}"),
                }
            }
            17 if !v.procedures.is_empty() => format!("enter {}", self.random.pick(&v.procedures)),
            18 => format!("start {}", self.random.pick(&v.tasks)),
            _ => format!("end {}", self.random.pick(&v.tasks)),
        }
    }

    fn quantified(&mut self, name: &str) -> Term {
        let count = 1 + self.random.below(4) as usize;
        self.choose(count);
        let quantifier = if self.random.chance(70) { "all" } else { "no" };
        let expression = match self.random.below(12) {
            // Everything, and nothing.
            0 => Term::text(".*"),
            1 => Term::operator("", vec![self.one(), Term::text(format!("~[{}]", self.listed()))], "; ", ""),
            2..6 => self.turns(),
            _ => self.expression(3),
        };
        let symbols = (0..self.symbols.len()).map(|i| Term::text(self.symbol(i))).collect();
        let events = Term::list(format!("{name}: for events {{"), symbols, ", ", "}", 1);
        Term::all(
            "",
            vec![events, Term::text(format!(" show {quantifier} executions satisfy ")), expression],
            "",
            ";",
        )
    }

    /// All symbols.
    fn listed(&self) -> String {
        (0..self.symbols.len()).map(|i| self.symbol(i)).collect::<Vec<_>>().join(", ")
    }

    /// Symbols in turn, in the way in which people write down orders: ((a; b) | (c; d))*.
    fn turns(&mut self) -> Term {
        let turns: Vec<Term> = (0..1 + self.random.below(2))
            .map(|_| {
                let parts = (0..1 + self.random.below(3)).map(|_| self.one()).collect();
                Term::operator("(", parts, "; ", ")")
            })
            .collect();
        let turns = Term::operator("(", turns, " | ", ")");
        let close = *self.random.pick(&["*", "*", "+", "^2", "?"]);
        Term::operator("", vec![turns], "", close)
    }

    fn expression(&mut self, depth: usize) -> Term {
        let kind = if depth == 0 { self.random.below(6) } else { self.random.below(14) };
        match kind {
            0..=2 => self.one(),
            3 => Term::text("."),
            4 => Term::list("[", vec![self.one(), self.one()], ", ", "]", 1),
            5 => {
                let open = *self.random.pick(&["~[", "[- "]);
                Term::list(open, (0..1 + self.random.below(2)).map(|_| self.one()).collect(), ", ", "]", 1)
            }
            6..=8 => {
                let parts = (0..2 + self.random.below(2)).map(|_| self.expression(depth - 1)).collect();
                Term::operator("(", parts, "; ", ")")
            }
            9 | 10 => {
                let parts = (0..2 + self.random.below(2)).map(|_| self.expression(depth - 1)).collect();
                Term::operator("(", parts, " | ", ")")
            }
            _ => {
                let inner = Term::operator("(", vec![self.expression(depth - 1)], "", ")");
                let close = *self.random.pick(&["*", "*", "*", "+", "?", "^2", "^3"]);
                Term::operator("", vec![inner], "", close)
            }
        }
    }

    fn automaton(&mut self, name: &str) -> Term {
        let count = 1 + self.random.below(3) as usize;
        self.choose(count);
        let states = 1 + self.random.below(3);
        let quantifier = if self.random.chance(80) { "all" } else { "no" };
        let mut accepting = Vec::new();
        let mut moves = Vec::new();
        for s in 0..states {
            if self.random.chance(if s == 0 { 85 } else { 65 }) {
                accepting.push(Term::text(format!("s{s}")));
            }
            for symbol in 0..self.symbols.len() {
                if self.random.chance(75) {
                    let to = self.random.below(states);
                    moves.push(Term::text(format!(" s{s} -> s{to} on {};", self.symbol(symbol))));
                }
            }
        }
        if accepting.is_empty() {
            // Nothing is accepted: the only such state is never come to.
            accepting.push(Term::text("never"));
            moves.push(Term::text(format!(" never -> never on {};", self.symbol(0))));
        }
        if moves.is_empty() {
            moves.push(Term::text(format!(" s0 -> s0 on {};", self.symbol(0))));
        }
        let symbols = (0..self.symbols.len()).map(|i| Term::text(self.symbol(i))).collect();
        let events = Term::list(format!("automaton {name} {quantifier} {{ events "), symbols, ", ", ";", 1);
        let accepting = Term::list(" start s0; accepting ", accepting, ", ", ";", 1);
        Term::all("", vec![events, accepting, Term::list("", moves, "", " }", 1)], "", "")
    }

    fn scope(&mut self) -> Term {
        let (q, r) = (self.any_symbol(), self.any_symbol());
        let scope = match self.random.below(6) {
            0 => return Term::list("", Vec::new(), "", "", 0),
            1 => format!(" scope: before {r};"),
            2 => format!(" scope: after {q};"),
            3 => format!(" scope: between {q} and {r};"),
            4 => format!(" scope: after {q} until {r};"),
            _ => " scope: globally;".to_owned(),
        };
        Term::list("", vec![Term::text(scope)], "", "", 0)
    }

    fn pattern(&mut self, name: &str) -> Term {
        let count = 2 + self.random.below(3) as usize;
        self.choose(count);
        let mut chain = |least: u64| {
            let parts = (0..least + self.random.below(2)).map(|_| self.one()).collect();
            Term::list("", parts, ", ", "", 1)
        };
        let (first, second) = (chain(1), chain(2));
        let (p, s) = (self.any_symbol(), self.one());
        let what = match self.random.below(11) {
            0 => vec![Term::text(format!("absence; {p}"))],
            1 => vec![Term::text(format!("existence; {p}"))],
            2 => vec![Term::text(format!("bounded existence; {p} at most {}", self.random.below(3)))],
            3 => vec![Term::text(format!("universality; {p}; events: {}", self.listed()))],
            4 | 5 => vec![Term::text("precedence; "), s, Term::text(format!(" precedes {p}"))],
            6 => vec![Term::text("precedence chain; "), second, Term::text(format!(" precedes {p}"))],
            7 => vec![Term::text(format!("precedence chain; {p} precedes ")), second],
            8 => vec![Term::text("response; "), s, Term::text(format!(" responds to {p}"))],
            9 => {
                let without = match self.random.chance(40) {
                    true => vec![Term::text(format!(" without {}", self.any_symbol()))],
                    false => Vec::new(),
                };
                let without = Term::list("", without, "", "", 0);
                let parts = vec![second, without, Term::text(format!(" responds to {p}"))];
                vec![Term::all("response chain; ", parts, "", "")]
            }
            _ => vec![Term::text(format!("response chain; {p} responds to ")), first],
        };
        let what = Term::all(format!("{name}: pattern: "), what, "", ";");
        Term::all("", vec![what, self.scope()], "", "")
    }

    fn query(&mut self, name: &str, counts: bool) -> Term {
        let count = 1 + self.random.below(3) as usize;
        self.choose(count);
        let intervals = 1 + self.random.below(2);
        let loops = counts && self.random.chance(40);
        let mut parts = Vec::new();
        for i in 0..intervals {
            let last = i + 1 == intervals;
            let mut flags = Vec::new();
            if i == 0 && (self.random.chance(75) || counts) {
                flags.push(Term::text(" :initial t"));
            }
            if self.random.chance(40) {
                flags.push(Term::text(" :open t"));
            }
            flags.push(self.events(" :ends-with '("));
            if self.random.chance(30) {
                flags.push(self.events(" :require '("));
            }
            if self.random.chance(35) {
                flags.push(self.events(" :forbid '("));
            }
            if counts && !loops && last {
                flags.push(self.condition());
            }
            parts.push(Term::list("(interval", flags, "", ")", 1));
        }
        if loops {
            let key = *self.random.pick(&[" :require '(", " :forbid '("]);
            parts.push(Term::list("(interval :perpetual t", vec![self.events(key)], "", ")", 0));
        }
        let open = format!("(defquery \"{name}\" \"nofair\" (omega-star-less (sequence ");
        Term::list(open, parts, " ", ")))", 1)
    }

    fn events(&mut self, open: &str) -> Term {
        let parts =
            (0..1 + self.random.below(2)).map(|_| Term::text(format!("\"{}\"", self.any_symbol()))).collect();
        Term::list(open, parts, " ", ")", 1)
    }

    /// A condition on how often events occur in an interval.
    fn condition(&mut self) -> Term {
        let (a, b) = (self.any_symbol(), self.any_symbol());
        let sign = *self.random.pick(&[">=", ">=", "<=", "="]);
        let n = self.random.below(3);
        Term::text(match self.random.chance(50) {
            true => format!(" :constraints '(({sign} \"{a}\" {n}))"),
            false => format!(" :constraints '(({sign} \"{a}\" (+ {n} \"{b}\")))"),
        })
    }

    /// About states.
    fn state(&mut self, depth: usize) -> Term {
        let v = self.vocabulary;
        let kind = self.random.below(if depth == 0 { 4 } else { 13 });
        match kind {
            0 | 1 if !v.events.is_empty() => Term::text(match self.random.chance(50) {
                true => format!("at {}", self.random.pick(&v.events)),
                false => {
                    let task = self.random.pick(&v.tasks);
                    format!("{task} at {}", self.random.pick(&v.events))
                }
            }),
            0..=3 => Term::text(format!("ended {}", self.random.pick(&v.tasks))),
            4 => Term::operator("(not ", vec![self.state(depth - 1)], "", ")"),
            5 => {
                let between = *self.random.pick(&[" and ", " or ", " -> "]);
                Term::operator("(", vec![self.state(depth - 1), self.state(depth - 1)], between, ")")
            }
            _ => self.temporal(depth - 1),
        }
    }

    /// About events.
    fn occurs(&mut self, depth: usize) -> Term {
        let v = self.vocabulary;
        let kind = self.random.below(if depth == 0 { 4 } else { 6 });
        match kind {
            0 | 1 if !v.events.is_empty() => Term::text(format!("event {}", self.random.pick(&v.events))),
            0..=3 if !v.entries.is_empty() => {
                let entry = &self.random.pick(&v.entries).name;
                match self.random.chance(30) {
                    true => Term::text(format!("accept {entry} by {}", self.random.pick(&v.tasks))),
                    false => Term::text(format!("accept {entry}")),
                }
            }
            5 => {
                let between = *self.random.pick(&[" and ", " or "]);
                Term::operator("(", vec![self.occurs(depth - 1), self.occurs(depth - 1)], between, ")")
            }
            4 if depth > 0 => Term::operator("(not ", vec![self.occurs(depth - 1)], "", ")"),
            _ => Term::text("true"),
        }
    }

    fn temporal(&mut self, depth: usize) -> Term {
        let operand = match self.random.below(20) {
            0..9 => self.occurs(depth.min(1)),
            // Whenever something happens, this is so afterwards.
            9 | 10 if depth > 0 => {
                Term::operator("(", vec![self.occurs(0), self.temporal(depth - 1)], " -> ", ")")
            }
            _ => self.state(depth),
        };
        match self.random.below(9) {
            0..3 => Term::operator("(always ", vec![operand], "", ")"),
            3..5 => Term::operator("(eventually ", vec![operand], "", ")"),
            5 | 6 => Term::operator("(potentially ", vec![operand], "", ")"),
            n => {
                let left = self.state(depth.min(1));
                Term::operator("(", vec![left, operand], [" until ", " unless "][n as usize - 7], ")")
            }
        }
    }

    fn formula(&mut self, name: &str) -> Term {
        let formula = self.temporal(2);
        Term::all(format!("{name}: "), vec![formula], "", ";")
    }

    /// Three symbols, if there are so many, none of which fits a step that another one fits.
    fn apart(&mut self) -> Vec<String> {
        let events = self.vocabulary.events.iter().map(|e| format!("event {e}"));
        let entries = self.vocabulary.entries.iter().map(|e| format!("accept {}", e.name));
        let mut all: Vec<String> = events.chain(entries).collect();
        let mut chosen = Vec::new();
        while chosen.len() < 3 && !all.is_empty() {
            let i = self.random.below(all.len() as u64) as usize;
            chosen.push(all.swap_remove(i));
        }
        chosen
    }

    /// The same in several languages: rules that a finite beginning of an execution breaks.
    fn twins(&mut self) -> Vec<Rule> {
        let first = self.number;
        let symbols = self.apart();
        if symbols.len() < 3 {
            return vec![self.rule(Language::Qre)];
        }
        let kind = self.random.below(8);
        let mut languages = vec![Language::Pattern, Language::Qre];
        if kind != 6 {
            languages.push(Language::Query);
        }
        let rules = languages.into_iter().enumerate().map(|(i, language)| {
            self.number = first + i;
            let (p, q, r) = (self.symbol(0), self.symbol(1), self.symbol(2));
            let count = if kind == 0 || kind == 7 {
                1
            } else if kind < 4 {
                2
            } else {
                3
            };
            self.symbols = symbols[..count].to_vec();
            let words = same(kind, language, &p, &q, &r);
            let name = format!("r{}", self.number);
            let listed = self.listed();
            let body = Term::text(match language {
                Language::Pattern => format!("{name}: pattern: {words};"),
                Language::Qre => {
                    format!("{name}: for events {{{listed}}} show all executions satisfy {words};")
                }
                _ => format!("(defquery \"{name}\" \"nofair\" (omega-star-less (sequence {words})))"),
            });
            let counts = words.contains(":constraints");
            Rule { name, language, counts, twin: Some(first as u64), bindings: self.bindings(), body }
        });
        rules.collect()
    }
}

/// One of some rules about P, Q and R, in the words of a language.
fn same(kind: u64, language: Language, p: &str, q: &str, r: &str) -> String {
    let [pattern, qre, query] = match kind {
        0 => [
            format!("absence; {p}"),
            format!("~[{p}]*"),
            format!("(interval :initial t :ends-with '(\"{p}\"))"),
        ],
        1 => [
            format!("absence; {p}; scope: after {q}"),
            format!("~[{q}]*; ({q}; ~[{p}]*)?"),
            format!("(interval :initial t :ends-with '(\"{q}\")) (interval :ends-with '(\"{p}\"))"),
        ],
        2 => [
            format!("absence; {p}; scope: before {q}"),
            format!("~[{q}]* | ~[{p}, {q}]*; {q}; .*"),
            format!("(interval :initial t :ends-with '(\"{q}\") :require '(\"{p}\"))"),
        ],
        3 => [
            format!("precedence; {q} precedes {p}"),
            format!("~[{p}]* | ~[{p}, {q}]*; {q}; .*"),
            format!("(interval :initial t :ends-with '(\"{p}\") :forbid '(\"{q}\"))"),
        ],
        4 => [
            format!("absence; {p}; scope: between {q} and {r}"),
            format!("(~[{q}]*; {q}; ~[{p}, {r}]*; {r})*; ~[{q}]*; ({q}; ~[{r}]*)?"),
            format!(
                "(interval :initial t :open t :ends-with '(\"{q}\")) (interval :ends-with '(\"{p}\") :forbid '(\"{r}\")) (interval :open t :ends-with '(\"{r}\"))"
            ),
        ],
        5 => [
            format!("absence; {p}; scope: after {q} until {r}"),
            format!("(~[{q}]*; {q}; ~[{p}, {r}]*; {r})*; ~[{q}]*; ({q}; ~[{p}, {r}]*)?"),
            format!(
                "(interval :initial t :open t :ends-with '(\"{q}\")) (interval :ends-with '(\"{p}\") :forbid '(\"{r}\"))"
            ),
        ],
        // A query would let each of several Q in a row begin anew.
        6 => [
            format!("existence; {p}; scope: between {q} and {r}"),
            format!("(~[{q}]*; {q}; ~[{p}, {r}]*; {p}; ~[{r}]*; {r})*; ~[{q}]*; ({q}; ~[{r}]*)?"),
            String::new(),
        ],
        _ => [
            format!("bounded existence; {p} at most 1"),
            format!("({p})?"),
            format!("(interval :initial t :open t :ends-with '(\"{p}\") :constraints '((>= \"{p}\" 2)))"),
        ],
    };
    match language {
        Language::Pattern => pattern,
        Language::Qre => qre,
        _ => query,
    }
}
