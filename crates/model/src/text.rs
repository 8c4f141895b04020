//! The text form of a program: one line per item, prefix expressions. It prints and parses back,
//! and is the form of snapshot tests.
//!
//! ```text
//! var 3 "fork.free" 0 1 = 1 component 0 plain @0:4:7-4:11
//! node 12 h2 assign v3 (sub v3 1) -> 13 @0:9:5-9:20
//! ```

use std::fmt::Write as _;

use rendez_source::{FileId, Span};

use crate::expr::{BinaryOp, Expr, Place, UnaryOp, Value};
use crate::program::*;

const BINARY: [(BinaryOp, &str); 16] = [
    (BinaryOp::Add, "add"),
    (BinaryOp::Subtract, "sub"),
    (BinaryOp::Multiply, "mul"),
    (BinaryOp::Divide, "div"),
    (BinaryOp::Mod, "mod"),
    (BinaryOp::Rem, "rem"),
    (BinaryOp::Power, "pow"),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
    (BinaryOp::Xor, "xor"),
    (BinaryOp::Equal, "eq"),
    (BinaryOp::NotEqual, "ne"),
    (BinaryOp::Less, "lt"),
    (BinaryOp::LessEqual, "le"),
    (BinaryOp::Greater, "gt"),
    (BinaryOp::GreaterEqual, "ge"),
];

/// Prints a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    write_program(program, &mut out).expect("writing to a string does not fail");
    out
}

fn write_program(p: &Program, w: &mut String) -> std::fmt::Result {
    writeln!(w, "program {:?}", p.name)?;
    if let Some(limit) = p.queue_limit {
        writeln!(w, "queues {limit}")?;
    }
    if p.open {
        writeln!(w, "open")?;
    }
    if p.checks_may_fail {
        writeln!(w, "checks")?;
    }
    for file in &p.files {
        writeln!(w, "file {file:?}")?;
    }
    for exception in &p.exceptions {
        writeln!(w, "exception {exception:?}")?;
    }
    for (i, v) in p.vars.iter().enumerate() {
        let domain = match v.domain {
            Domain::Range(lo, hi) => format!("{lo} {hi}"),
            Domain::Opaque => "opaque".into(),
        };
        let storage = match v.storage {
            Storage::Shared => "shared".into(),
            Storage::Local(t) => format!("local {}", t.0),
            Storage::Component(o) => format!("component {}", o.0),
        };
        let sharing = match v.sharing {
            Sharing::Plain => "plain",
            Sharing::Volatile => "volatile",
            Sharing::Atomic => "atomic",
        };
        let kind = if v.temporary { "temporary" } else { "var" };
        writeln!(w, "{kind} {i} {:?} {domain} = {} {storage} {sharing} @{}", v.name, value(v.init), v.span)?;
    }
    for (v, names) in &p.literals {
        let names: Vec<String> = names.iter().map(|n| format!("{n:?}")).collect();
        writeln!(w, "literals {} [{}]", v.0, names.join(" "))?;
    }
    for (i, t) in p.tables.iter().enumerate() {
        writeln!(w, "table {i} {:?} {} [{}]", t.name, t.first, join(t.values.iter()))?;
    }
    for (i, m) in p.masters.iter().enumerate() {
        writeln!(w, "master {i} {:?} {}", m.name, m.owner.0)?;
    }
    for (i, t) in p.tasks.iter().enumerate() {
        let master = option(t.master.map(|m| m.0));
        let background = u8::from(t.background);
        writeln!(w, "task {i} {:?} {master} {} {} {background} @{}", t.name, t.start.0, t.exit.0, t.span)?;
    }
    for (i, o) in p.objects.iter().enumerate() {
        writeln!(w, "object {i} {:?} @{}", o.name, o.span)?;
    }
    for (i, e) in p.entries.iter().enumerate() {
        let owner = match e.owner {
            Owner::Task(t) => format!("task {}", t.0),
            Owner::Object(o) => format!("object {}", o.0),
        };
        let barrier = e.barrier.as_ref().map_or("-".into(), expr);
        writeln!(w, "entry {i} {:?} {owner} {barrier} @{}", e.name, e.span)?;
    }
    for (i, r) in p.procs.iter().enumerate() {
        let locals = join(r.locals.iter().map(|l| l.0));
        writeln!(w, "proc {i} {:?} {} {} [{}] [{locals}]", r.name, r.task.0, r.start.0, formals(&r.formals))?;
    }
    for (i, h) in p.handlers.iter().enumerate() {
        let choices = join(h.choices.iter().map(|(c, loc)| match c {
            Catch::Others => format!("others {}", loc.0),
            Catch::Exception(e) => format!("{} {}", e.0, loc.0),
        }));
        let occurrence = option(h.occurrence.map(|v| v.0));
        writeln!(w, "handler {i} {} {occurrence} {} [{choices}]", option(h.outer.map(|o| o.0)), h.cleanup)?;
    }
    for ((task, entry), proc) in &p.bodies {
        writeln!(w, "body {} {} {}", task.0, entry.0, proc.0)?;
    }
    for (i, n) in p.nodes.iter().enumerate() {
        let handler = option(n.handler.map(|h| h.0));
        writeln!(w, "node {i} {handler} {} @{}", action(&n.action), n.span)?;
    }
    for a in &p.assumptions {
        writeln!(w, "assume {:?} @{}", a.text, a.span)?;
    }
    for span in &p.declarations {
        writeln!(w, "declaration @{span}")?;
    }
    for span in &p.unchecked {
        writeln!(w, "unchecked @{span}")?;
    }
    Ok(())
}

fn join<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
}

fn option(value: Option<u32>) -> String {
    value.map_or("-".into(), |v| v.to_string())
}

fn value(v: Value) -> String {
    v.known().map_or("any".into(), |v| v.to_string())
}

fn formals(all: &[Formal]) -> String {
    join(all.iter().map(|f| {
        let mode = match f.mode {
            Mode::In => "in",
            Mode::Out => "out",
            Mode::InOut => "inout",
        };
        format!("{mode} {}", f.cell.0)
    }))
}

/// The text of an expression.
pub fn expr(e: &Expr) -> String {
    match e {
        Expr::Const(v) => v.to_string(),
        Expr::Any => "any".into(),
        Expr::Var(v) => format!("v{}", v.0),
        Expr::Load(t, i) => format!("(load {} {})", t.0, expr(i)),
        Expr::Lookup(t, i) => format!("(lookup {} {})", t.0, expr(i)),
        Expr::Unary(UnaryOp::Not, e) => format!("(not {})", expr(e)),
        Expr::Unary(UnaryOp::Negate, e) => format!("(neg {})", expr(e)),
        Expr::Unary(UnaryOp::Abs, e) => format!("(abs {})", expr(e)),
        Expr::Unary(UnaryOp::Wrap(m), e) => format!("(wrap {m} {})", expr(e)),
        Expr::Binary(op, a, b) => {
            let name = BINARY.iter().find(|o| o.0 == *op).map_or("?", |o| o.1);
            format!("({name} {} {})", expr(a), expr(b))
        }
        Expr::If(c, a, b) => format!("(if {} {} {})", expr(c), expr(a), expr(b)),
        Expr::Check(e, lo, hi) => format!("(check {} {lo} {hi})", expr(e)),
        Expr::Count(e) => format!("(count {})", expr(e)),
        Expr::Callable(e) => format!("(callable {})", expr(e)),
        Expr::Terminated(e) => format!("(terminated {})", expr(e)),
    }
}

fn place(p: &Place) -> String {
    match p {
        Place::Var(v) => format!("v{}", v.0),
        Place::Indexed(t, i) => format!("(at {} {})", t.0, expr(i)),
        Place::Nowhere => "nowhere".into(),
    }
}

fn event_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Annotated => "event",
        EventKind::Asserted => "asserted",
        EventKind::Library => "library",
        EventKind::Place => "place",
    }
}

fn action(a: &Action) -> String {
    match a {
        Action::Skip { next } => format!("skip {}", next.0),
        Action::Event { kind, name, next } => format!("{} {name:?} {}", event_word(*kind), next.0),
        Action::Assign { to, value, next } => format!("assign {} {} {}", place(to), expr(value), next.0),
        Action::Havoc { to, next } => format!("havoc {} {}", place(to), next.0),
        Action::Branch { cond, yes, no } => format!("branch {} {} {}", expr(cond), yes.0, no.0),
        Action::Choose { targets } => format!("choose [{}]", join(targets.iter().map(|t| t.0))),
        Action::Call { proc, args, outs, next } => format!(
            "call {} [{}] [{}] {}",
            proc.0,
            join(args.iter().map(expr)),
            join(outs.iter().map(|(i, p)| format!("{i} {}", place(p)))),
            next.0
        ),
        Action::Return => "return".into(),
        Action::EntryCall { entry, args, mode, next } => {
            let mode = match mode {
                CallMode::Plain => "plain".into(),
                CallMode::Conditional { otherwise } => format!("conditional {}", otherwise.0),
                CallMode::Timed { timeout } => format!("timed {}", timeout.0),
            };
            format!("entrycall {} [{}] {mode} {}", expr(entry), join(args.iter().map(|v| v.0)), next.0)
        }
        Action::Select { alternatives, otherwise, delays, terminate } => {
            let alternatives = join(alternatives.iter().map(|a| {
                format!(
                    "[{} {} [{}] {} @{}]",
                    a.guard.as_ref().map_or("-".into(), expr),
                    expr(&a.entry),
                    formals(&a.formals),
                    a.body.0,
                    a.span
                )
            }));
            let delays =
                join(delays.iter().map(|(g, l)| format!("{} {}", g.as_ref().map_or("-".into(), expr), l.0)));
            let terminate = match terminate {
                None => "no".into(),
                Some(None) => "-".into(),
                Some(Some(g)) => expr(g),
            };
            format!("select [{alternatives}] {} [{delays}] {terminate}", option(otherwise.map(|l| l.0)))
        }
        Action::EndAccept { next } => format!("endaccept {}", next.0),
        Action::FailAccept { occurrence } => format!("failaccept {}", occurrence.0),
        Action::Requeue { entry, with_abort, next } => {
            format!("requeue {} {with_abort} {}", expr(entry), next.0)
        }
        Action::Lock { object, mode, next } => {
            let mode = if *mode == LockMode::Read { "read" } else { "write" };
            format!("lock {} {mode} {}", object.0, next.0)
        }
        Action::Unlock { object, next } => format!("unlock {} {}", object.0, next.0),
        Action::Allocate { pool, to, next } => {
            format!("allocate [{}] {} {}", join(pool.iter().map(|t| t.0)), place(to), next.0)
        }
        Action::Activate { tasks, next } => format!("activate [{}] {}", join(tasks.iter().map(expr)), next.0),
        Action::Activated { next } => format!("activated {}", next.0),
        Action::Abandon { tasks, next } => {
            format!("abandon [{}] {}", join(tasks.iter().map(|t| t.0)), next.0)
        }
        Action::Complete { next } => format!("complete {}", next.0),
        Action::Await { masters, next } => {
            format!("await [{}] {}", join(masters.iter().map(|m| m.0)), next.0)
        }
        Action::Terminate => "terminate".into(),
        Action::Abort { tasks, next } => format!("abort [{}] {}", join(tasks.iter().map(expr)), next.0),
        Action::Raise { exception, by_tasking: false } => format!("raise {}", expr(exception)),
        Action::Raise { exception, by_tasking: true } => format!("break {}", expr(exception)),
        Action::Resume { occurrence } => format!("resume {}", occurrence.0),
        Action::Assert { cond, text, next } => format!("assert {} {text:?} {}", expr(cond), next.0),
        Action::Delay { next } => format!("delay {}", next.0),
        Action::Async { trigger, abortable, triggered } => {
            let trigger = match trigger {
                Trigger::Delay => "delay".into(),
                Trigger::Call { entry, args } => {
                    format!("call {} [{}]", expr(entry), join(args.iter().map(|v| v.0)))
                }
            };
            format!("async {trigger} {} {}", abortable.0, triggered.0)
        }
        Action::EndAsync { next } => format!("endasync {}", next.0),
        Action::Defer { next } => format!("defer {}", next.0),
        Action::Undefer { next } => format!("undefer {}", next.0),
        Action::Close { object, next } => format!("close {} {}", object.0, next.0),
        Action::Stop { why: Cut::User, reason } => format!("stop {reason:?}"),
        Action::Stop { why: Cut::Bound, reason } => format!("bound {reason:?}"),
        Action::Unsupported { text } => format!("unsupported {text:?}"),
    }
}

/// What is wrong with a text, and in which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub message: String,
}

/// Parses what [`print`] writes.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut program = Program::default();
    for (i, line) in text.lines().enumerate() {
        let wrong = |message| ParseError { line: i + 1, message };
        let tokens = tokens(line).map_err(wrong)?;
        if tokens.is_empty() {
            continue;
        }
        let mut r = Reader { tokens, at: 0 };
        r.item(&mut program).map_err(wrong)?;
        if r.at != r.tokens.len() {
            return Err(wrong("text after the end of the item".into()));
        }
    }
    Ok(program)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Open,
    Close,
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        match c {
            c if c.is_whitespace() => {
                chars.next();
            }
            '(' | '[' => {
                chars.next();
                out.push(Token::Open);
            }
            ')' | ']' => {
                chars.next();
                out.push(Token::Close);
            }
            '"' => {
                let mut end = None;
                let mut escaped = false;
                chars.next();
                for (i, c) in chars.by_ref() {
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        '"' => {
                            end = Some(i);
                            break;
                        }
                        _ => {}
                    }
                }
                let end = end.ok_or("a text without end")?;
                out.push(Token::Text(unescape(&line[start + 1..end])?));
            }
            _ => {
                let mut end = line.len();
                while let Some(&(i, c)) = chars.peek() {
                    if c.is_whitespace() || "()[]\"".contains(c) {
                        end = i;
                        break;
                    }
                    chars.next();
                }
                out.push(Token::Word(line[start..end].to_owned()));
            }
        }
    }
    Ok(out)
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            Some('u') => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let c = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                out.push(c.ok_or("a wrong character code")?);
            }
            Some(c) => out.push(c),
            None => return Err("a text that ends in a backslash".into()),
        }
    }
    Ok(out)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

type Read<T> = Result<T, String>;

impl Reader {
    fn next(&mut self) -> Read<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().ok_or("the line ends too early".into())
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn word(&mut self) -> Read<String> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => Err(format!("expected a word, found {other:?}")),
        }
    }

    fn text(&mut self) -> Read<String> {
        match self.next()? {
            Token::Text(text) => Ok(text),
            other => Err(format!("expected a text in quotes, found {other:?}")),
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Read<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("expected a number, found {word}"))
    }

    fn index<T: From<usize>>(&mut self) -> Read<T> {
        Ok(T::from(self.number::<usize>()?))
    }

    fn option<T: From<usize>>(&mut self) -> Read<Option<T>> {
        if self.peek() == Some(&Token::Word("-".into())) {
            self.at += 1;
            return Ok(None);
        }
        self.index().map(Some)
    }

    fn expect(&mut self, token: &Token) -> Read<()> {
        let found = self.next()?;
        if found == *token { Ok(()) } else { Err(format!("expected {token:?}, found {found:?}")) }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect(&Token::Open)?;
        let mut out = Vec::new();
        while self.peek() != Some(&Token::Close) {
            out.push(item(self)?);
        }
        self.at += 1;
        Ok(out)
    }

    fn span(&mut self) -> Read<Span> {
        let word = self.word()?;
        let numbers: Vec<u32> = word
            .trim_start_matches('@')
            .split([':', '-'])
            .map(|n| n.parse().map_err(|_| format!("expected a span, found {word}")))
            .collect::<Read<_>>()?;
        let [file, line, column, end_line, end_column] = numbers[..] else {
            return Err(format!("expected a span, found {word}"));
        };
        Ok(Span { file: FileId(file), line, column, end_line, end_column })
    }

    fn value(&mut self) -> Read<Value> {
        match self.word()?.as_str() {
            "any" => Ok(Value::Any),
            word => word.parse().map(Value::Known).map_err(|_| format!("expected a value, found {word}")),
        }
    }

    fn formals(&mut self) -> Read<Vec<Formal>> {
        self.list(|r| {
            let mode = match r.word()?.as_str() {
                "in" => Mode::In,
                "out" => Mode::Out,
                "inout" => Mode::InOut,
                word => return Err(format!("expected a mode, found {word}")),
            };
            Ok(Formal { cell: r.index()?, mode })
        })
    }

    fn guard(&mut self) -> Read<Option<Expr>> {
        if self.peek() == Some(&Token::Word("-".into())) {
            self.at += 1;
            return Ok(None);
        }
        self.expr().map(Some)
    }

    fn expr(&mut self) -> Read<Expr> {
        match self.next()? {
            Token::Word(word) if word == "any" => Ok(Expr::Any),
            Token::Word(word) => match word.strip_prefix('v') {
                Some(var) => var
                    .parse()
                    .map(|v| Expr::Var(VarId(v)))
                    .map_err(|_| format!("expected a cell, found {word}")),
                None => word.parse().map(Expr::Const).map_err(|_| format!("expected a number, found {word}")),
            },
            Token::Open => {
                let op = self.word()?;
                let one = |r: &mut Self| r.expr().map(Box::new);
                let e = match op.as_str() {
                    "load" => Expr::Load(self.index()?, one(self)?),
                    "lookup" => Expr::Lookup(self.index()?, one(self)?),
                    "not" => Expr::Unary(UnaryOp::Not, one(self)?),
                    "neg" => Expr::Unary(UnaryOp::Negate, one(self)?),
                    "abs" => Expr::Unary(UnaryOp::Abs, one(self)?),
                    "wrap" => {
                        let modulus = self.number()?;
                        Expr::Unary(UnaryOp::Wrap(modulus), one(self)?)
                    }
                    "if" => Expr::If(one(self)?, one(self)?, one(self)?),
                    "check" => Expr::Check(one(self)?, self.number()?, self.number()?),
                    "count" => Expr::Count(one(self)?),
                    "callable" => Expr::Callable(one(self)?),
                    "terminated" => Expr::Terminated(one(self)?),
                    name => {
                        let op = BINARY.iter().find(|o| o.1 == name);
                        let (op, _) = op.ok_or_else(|| format!("no operator {name}"))?;
                        Expr::Binary(*op, one(self)?, one(self)?)
                    }
                };
                self.expect(&Token::Close)?;
                Ok(e)
            }
            other => Err(format!("expected an expression, found {other:?}")),
        }
    }

    fn place(&mut self) -> Read<Place> {
        if self.peek() == Some(&Token::Open) {
            self.at += 1;
            if self.word()? != "at" {
                return Err("expected a place".into());
            }
            let place = Place::Indexed(self.index()?, self.expr()?);
            self.expect(&Token::Close)?;
            return Ok(place);
        }
        let word = self.word()?;
        match word.strip_prefix('v').and_then(|v| v.parse().ok()) {
            Some(v) => Ok(Place::Var(VarId(v))),
            None if word == "nowhere" => Ok(Place::Nowhere),
            None => Err(format!("expected a place, found {word}")),
        }
    }

    fn item(&mut self, p: &mut Program) -> Read<()> {
        let kind = self.word()?;
        if ["var", "temporary", "table", "master", "task", "object", "entry", "proc", "handler", "node"]
            .contains(&kind.as_str())
        {
            self.number::<usize>()?;
        }
        match kind.as_str() {
            "program" => p.name = self.text()?,
            "open" => p.open = true,
            "checks" => p.checks_may_fail = true,
            "queues" => p.queue_limit = Some(self.number()?),
            "file" => p.files.push(self.text()?),
            "exception" => p.exceptions.push(self.text()?),
            "var" | "temporary" => {
                let temporary = kind == "temporary";
                let name = self.text()?;
                let domain = if self.peek() == Some(&Token::Word("opaque".into())) {
                    self.at += 1;
                    Domain::Opaque
                } else {
                    Domain::Range(self.number()?, self.number()?)
                };
                self.expect(&Token::Word("=".into()))?;
                let init = self.value()?;
                let storage = match self.word()?.as_str() {
                    "shared" => Storage::Shared,
                    "local" => Storage::Local(self.index()?),
                    "component" => Storage::Component(self.index()?),
                    word => return Err(format!("expected a storage, found {word}")),
                };
                let sharing = match self.word()?.as_str() {
                    "plain" => Sharing::Plain,
                    "volatile" => Sharing::Volatile,
                    "atomic" => Sharing::Atomic,
                    word => return Err(format!("expected plain, volatile or atomic, found {word}")),
                };
                p.vars.push(Var { name, domain, init, storage, sharing, temporary, span: self.span()? });
            }
            "literals" => {
                let var = self.index()?;
                p.literals.insert(var, self.list(Self::text)?);
            }
            "table" => p.tables.push(Table {
                name: self.text()?,
                first: self.number()?,
                values: self.list(Self::number)?,
            }),
            "master" => p.masters.push(Master { name: self.text()?, owner: self.index()? }),
            "task" => p.tasks.push(Task {
                name: self.text()?,
                master: self.option()?,
                start: self.index()?,
                exit: self.index()?,
                background: self.number::<u8>()? != 0,
                span: self.span()?,
            }),
            "object" => p.objects.push(Protected { name: self.text()?, span: self.span()? }),
            "entry" => {
                let name = self.text()?;
                let owner = match self.word()?.as_str() {
                    "task" => Owner::Task(self.index()?),
                    _ => Owner::Object(self.index()?),
                };
                p.entries.push(Entry { name, owner, barrier: self.guard()?, span: self.span()? });
            }
            "proc" => p.procs.push(Proc {
                name: self.text()?,
                task: self.index()?,
                start: self.index()?,
                formals: self.formals()?,
                locals: self.list(Self::index)?,
            }),
            "handler" => p.handlers.push(Handler {
                outer: self.option()?,
                occurrence: self.option()?,
                cleanup: self.number()?,
                choices: self.list(|r| {
                    let catch = match r.word()?.as_str() {
                        "others" => Catch::Others,
                        word => Catch::Exception(ExceptionId(
                            word.parse().map_err(|_| format!("expected an exception, found {word}"))?,
                        )),
                    };
                    Ok((catch, r.index()?))
                })?,
            }),
            "body" => {
                let key = (self.index()?, self.index()?);
                p.bodies.insert(key, self.index()?);
            }
            "node" => {
                p.nodes.push(Node { handler: self.option()?, action: self.action()?, span: self.span()? })
            }
            "declaration" => {
                p.declarations.insert(self.span()?);
            }
            "unchecked" => p.unchecked.push(self.span()?),
            "assume" => p.assumptions.push(Assumption { text: self.text()?, span: self.span()? }),
            other => return Err(format!("no item is called {other}")),
        }
        Ok(())
    }

    fn event(&mut self, kind: EventKind) -> Read<Action> {
        Ok(Action::Event { kind, name: self.text()?, next: self.index()? })
    }

    fn action(&mut self) -> Read<Action> {
        Ok(match self.word()?.as_str() {
            "skip" => Action::Skip { next: self.index()? },
            "event" => self.event(EventKind::Annotated)?,
            "asserted" => self.event(EventKind::Asserted)?,
            "library" => self.event(EventKind::Library)?,
            "place" => self.event(EventKind::Place)?,
            "assign" => Action::Assign { to: self.place()?, value: self.expr()?, next: self.index()? },
            "havoc" => Action::Havoc { to: self.place()?, next: self.index()? },
            "branch" => Action::Branch { cond: self.expr()?, yes: self.index()?, no: self.index()? },
            "choose" => Action::Choose { targets: self.list(Self::index)? },
            "call" => Action::Call {
                proc: self.index()?,
                args: self.list(Self::expr)?,
                outs: self.list(|r| Ok((r.number()?, r.place()?)))?,
                next: self.index()?,
            },
            "return" => Action::Return,
            "entrycall" => Action::EntryCall {
                entry: self.expr()?,
                args: self.list(Self::index)?,
                mode: match self.word()?.as_str() {
                    "plain" => CallMode::Plain,
                    "conditional" => CallMode::Conditional { otherwise: self.index()? },
                    _ => CallMode::Timed { timeout: self.index()? },
                },
                next: self.index()?,
            },
            "select" => Action::Select {
                alternatives: self.list(|r| {
                    r.expect(&Token::Open)?;
                    let alternative = Alternative {
                        guard: r.guard()?,
                        entry: r.expr()?,
                        formals: r.formals()?,
                        body: r.index()?,
                        span: r.span()?,
                    };
                    r.expect(&Token::Close)?;
                    Ok(alternative)
                })?,
                otherwise: self.option()?,
                delays: self.list(|r| Ok((r.guard()?, r.index()?)))?,
                terminate: if self.peek() == Some(&Token::Word("no".into())) {
                    self.at += 1;
                    None
                } else {
                    Some(self.guard()?)
                },
            },
            "endaccept" => Action::EndAccept { next: self.index()? },
            "failaccept" => Action::FailAccept { occurrence: self.index()? },
            "requeue" => {
                Action::Requeue { entry: self.expr()?, with_abort: self.number()?, next: self.index()? }
            }
            "lock" => Action::Lock {
                object: self.index()?,
                mode: if self.word()? == "read" { LockMode::Read } else { LockMode::Write },
                next: self.index()?,
            },
            "unlock" => Action::Unlock { object: self.index()?, next: self.index()? },
            "allocate" => {
                Action::Allocate { pool: self.list(Self::index)?, to: self.place()?, next: self.index()? }
            }
            "activate" => Action::Activate { tasks: self.list(Self::expr)?, next: self.index()? },
            "activated" => Action::Activated { next: self.index()? },
            "abandon" => Action::Abandon { tasks: self.list(Self::index)?, next: self.index()? },
            "complete" => Action::Complete { next: self.index()? },
            "await" => Action::Await { masters: self.list(Self::index)?, next: self.index()? },
            "terminate" => Action::Terminate,
            "abort" => Action::Abort { tasks: self.list(Self::expr)?, next: self.index()? },
            "raise" => Action::Raise { exception: self.expr()?, by_tasking: false },
            "break" => Action::Raise { exception: self.expr()?, by_tasking: true },
            "resume" => Action::Resume { occurrence: self.index()? },
            "assert" => Action::Assert { cond: self.expr()?, text: self.text()?, next: self.index()? },
            "delay" => Action::Delay { next: self.index()? },
            "async" => Action::Async {
                trigger: match self.word()?.as_str() {
                    "delay" => Trigger::Delay,
                    _ => Trigger::Call { entry: self.expr()?, args: self.list(Self::index)? },
                },
                abortable: self.index()?,
                triggered: self.index()?,
            },
            "endasync" => Action::EndAsync { next: self.index()? },
            "defer" => Action::Defer { next: self.index()? },
            "undefer" => Action::Undefer { next: self.index()? },
            "close" => Action::Close { object: self.index()?, next: self.index()? },
            "stop" => Action::Stop { why: Cut::User, reason: self.text()? },
            "bound" => Action::Stop { why: Cut::Bound, reason: self.text()? },
            "unsupported" => Action::Unsupported { text: self.text()? },
            other => return Err(format!("no action is called {other}")),
        })
    }
}
