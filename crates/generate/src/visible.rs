//! Programs for rules about events: what the first generator never writes.
//!
//! Tasks that have nothing to do with each other and do visible things, tasks that run on for ever beside
//! others, exceptions that handlers make visible, requeues, allocated tasks, arrays of alike tasks, and
//! programs without end. Programs are small: rules and schedules are what matters.

use crate::rule::{Entry, Vocabulary};
use crate::{Node, Program, Random};

/// What may stand at a place.
#[derive(Clone, Copy)]
struct Place {
    /// The task whose body this is, by its number among all; none is the main program, or a procedure.
    task: Option<usize>,
    /// The server whose body this is.
    server: Option<usize>,
    accepting: bool,
    depth: usize,
}

struct Writer {
    random: Random,
    words: Vocabulary,
    servers: usize,
    /// Optional parts of the program.
    exception: bool,
    object: bool,
    requeue: bool,
    pool: bool,
    alike: bool,
    procedure: bool,
    abort: bool,
    asynchronous: bool,
    variable: bool,
    /// Tasks do things for ever more often than not.
    endless: bool,
    fresh: usize,
}

/// A random program and what rules can speak of in it: the same for the same seed.
pub fn visible(seed: u64, name: &str) -> (Program, Vocabulary) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(5));
    let mut w = Writer {
        servers: random.below(3) as usize,
        exception: random.chance(40),
        object: random.chance(35),
        requeue: random.chance(30),
        pool: random.chance(15),
        alike: random.chance(25),
        procedure: random.chance(20),
        abort: random.chance(8),
        asynchronous: random.chance(6),
        variable: random.chance(35),
        endless: random.chance(20),
        fresh: 0,
        words: Vocabulary::default(),
        random,
    };
    let root = w.main(name);
    (Program { name: name.to_owned(), root }, w.words)
}

/// Declarations that stay or go together.
fn whole(parts: Vec<Node>) -> Node {
    Node::around("", parts, "")
}

const NOWHERE: Place = Place { task: None, server: None, accepting: false, depth: 0 };

impl Writer {
    fn main(&mut self, name: &str) -> Node {
        // Five tasks are enough for what rules are about.
        let workers = match (self.servers, self.alike) {
            (0, false) => 2 + self.random.below(2) as usize,
            (2, _) | (_, true) => 1,
            _ => 1 + self.random.below(2) as usize,
        };
        let mut decls = self.declarations();
        for s in 0..self.servers {
            decls.push(self.specification(s));
        }
        self.words.tasks.extend((0..workers).map(|c| format!("C{c}")));
        if self.procedure {
            self.words.procedures.push("Work".into());
            let mut body = self.statements(Place { depth: 2, ..NOWHERE }, 1);
            body.push(Node::fixed("null;"));
            decls.push(Node { removable: true, ..Node::part("procedure Work is begin", body, "end Work;") });
        }
        if self.pool {
            let mut body = self.statements(Place { depth: 2, ..NOWHERE }, 1);
            body.push(Node::fixed("null;"));
            decls.push(whole(vec![
                Node::fixed("task type W;"),
                Node::fixed("type W_Access is access W;"),
                Node::part("task body W is begin", body, "end W;"),
            ]));
        }
        for s in 0..self.servers {
            let body = self.server(s);
            decls.push(self.task_body(format!("S{s}"), body));
        }
        for c in 0..workers {
            let body = self.worker(c);
            decls
                .push(whole(vec![Node::fixed(format!("task C{c};")), self.task_body(format!("C{c}"), body)]));
        }
        if self.alike {
            decls.push(self.alike_tasks());
        }
        if !self.alike && self.random.chance(25) {
            decls.push(self.bystander());
        }
        let count = self.random.below(3);
        let mut body = self.statements(Place { depth: 1, ..NOWHERE }, count);
        body.push(Node::fixed("null;"));
        if self.exception && self.random.chance(30) {
            body.push(self.handlers(NOWHERE));
        }
        // Rules speak of the names whose statements are really there.
        self.words.events.sort();
        self.words.events.dedup();
        let parts = vec![
            Node::part(format!("procedure {name} is"), decls, ""),
            Node::part("begin", body, format!("end {name};")),
        ];
        Node { head: String::new(), body: parts, tail: String::new(), removable: false }
    }

    fn declarations(&mut self) -> Vec<Node> {
        let mut decls = Vec::new();
        if self.exception {
            decls.push(Node::line("Bad : exception;"));
        }
        if self.variable {
            self.words.variables.push("X".into());
            decls.push(Node::line("X : Integer range 0 .. 2 := 0;\npragma Volatile (X);"));
        }
        if self.object {
            decls.push(self.protected());
        }
        decls
    }

    fn protected(&mut self) -> Node {
        for entry in ["P.Get", "P.Put"] {
            self.words.entries.push(Entry { name: entry.into(), parameter: false });
        }
        if self.requeue {
            self.words.entries.push(Entry { name: "P.Pass".into(), parameter: false });
        }
        let start = self.random.below(2);
        let get = *self.random.pick(&["N > 0", "N > 0 or Get'Count > 1", "N > 1", "True"]);
        let put = *self.random.pick(&["N < 2", "N < 1", "True"]);
        let more = *self.random.pick(&["if N < 2 then N := N + 1; end if;", "N := 2 - N;"]);
        let mut spec =
            vec![Node::fixed("entry Get;"), Node::fixed("entry Put;"), Node::fixed("procedure Add;")];
        let less = "if N > 0 then N := N - 1; end if;";
        let mut body = vec![
            Node::part(format!("entry Get when {get} is begin"), self.action(less), "end Get;"),
            Node::part(format!("entry Put when {put} is begin"), self.action(more), "end Put;"),
            Node::part("procedure Add is begin", vec![Node::line(more), Node::fixed("null;")], "end Add;"),
        ];
        if self.requeue {
            spec.push(Node::fixed("entry Pass;"));
            let when = *self.random.pick(&["True", "N < 2"]);
            let then = *self.random.pick(&[
                "requeue Get;",
                "requeue Get with abort;",
                "if N = 0 then requeue Put; end if;",
                "if N > 0 then requeue Get with abort; end if;",
            ]);
            body.push(Node::part(
                format!("entry Pass when {when} is begin"),
                vec![Node::fixed(then)],
                "end Pass;",
            ));
        }
        whole(vec![
            Node::part("protected P is", spec, ""),
            Node::part("private", vec![Node::fixed(format!("N : Integer := {start};"))], "end P;"),
            Node::part("protected body P is", body, "end P;"),
        ])
    }

    /// What an entry of the protected object does.
    fn action(&mut self, change: &str) -> Vec<Node> {
        let mut body = vec![Node::line(change)];
        if self.random.chance(20) {
            body.push(self.event("inside"));
        }
        if self.exception && self.random.chance(15) {
            body.push(Node::line("if N = 1 then raise Bad; end if;"));
        }
        body.push(Node::fixed("null;"));
        body
    }

    fn specification(&mut self, s: usize) -> Node {
        self.words.tasks.push(format!("S{s}"));
        self.words.entries.push(Entry { name: format!("S{s}.E"), parameter: false });
        self.words.entries.push(Entry { name: format!("S{s}.F"), parameter: true });
        let entries = vec![Node::fixed("entry E;"), Node::fixed("entry F (N : in out Integer);")];
        Node::part(format!("task S{s} is"), entries, format!("end S{s};"))
    }

    fn task_body(&mut self, name: String, mut body: Vec<Node>) -> Node {
        body.push(Node::fixed("null;"));
        if self.exception && self.random.chance(45) {
            let place = Place { depth: 1, ..NOWHERE };
            body.push(self.handlers(place));
        }
        Node::part(
            format!("task body {name} is"),
            vec![Node::fixed("L : Integer := 0;"), Node::part("begin", body, "")],
            format!("end {name};"),
        )
    }

    fn handlers(&mut self, place: Place) -> Node {
        let which = *self.random.pick(&["Bad", "Bad", "others", "Tasking_Error", "Program_Error | Bad"]);
        let mut body = vec![self.event("caught")];
        if self.random.chance(40) {
            body.push(self.statement(Place { depth: 2, ..place }));
        }
        body.push(Node::fixed("null;"));
        Node::around("exception", vec![Node::part(format!("when {which} =>"), body, "")], "")
    }

    /// A statement that rules can see.
    fn event(&mut self, name: &str) -> Node {
        let number = self.random.below(2);
        let name = match self.random.below(10) {
            0 => "shared".to_owned(),
            _ => format!("{name}{number}"),
        };
        self.words.events.push(name.clone());
        Node::line(format!("--@ event {name}\nnull;"))
    }

    fn worker(&mut self, c: usize) -> Vec<Node> {
        let place = Place { task: Some(c), ..NOWHERE };
        let count = 1 + self.random.below(3);
        let mut body = self.statements(place, count);
        if self.random.chance(if self.endless { 60 } else { 12 }) {
            body.push(self.for_ever(place));
        }
        body
    }

    /// Something that is done again and again without end.
    fn for_ever(&mut self, place: Place) -> Node {
        let inner = Place { depth: 1, ..place };
        let count = 1 + self.random.below(2);
        let mut body = self.statements(inner, count);
        body.push(Node::fixed("null;"));
        Node::around("loop", body, "end loop;")
    }

    fn server(&mut self, s: usize) -> Vec<Node> {
        let place = Place { server: Some(s), ..NOWHERE };
        let mut body = Vec::new();
        if self.random.chance(30) {
            body.push(self.statement(Place { depth: 1, ..place }));
        }
        match self.random.below(10) {
            0..3 => {
                let count = 1 + self.random.below(3);
                for _ in 0..count {
                    body.push(self.accept(place));
                    if self.random.chance(35) {
                        body.push(self.event(&format!("s{s}")));
                    }
                }
            }
            3..5 => {
                let mut turn = vec![self.accept(place)];
                if self.random.chance(50) {
                    turn.push(self.event(&format!("s{s}")));
                }
                if self.random.chance(50) {
                    turn.push(self.accept(place));
                }
                turn.push(Node::fixed("null;"));
                body.push(Node::around("loop", turn, "end loop;"));
            }
            5 => {
                let select = self.select(place, false);
                body.push(select);
            }
            _ => {
                let terminate = self.random.chance(80);
                let select = Node { removable: false, ..self.select(place, terminate) };
                body.push(Node::around("loop", vec![select], "end loop;"));
            }
        }
        body
    }

    fn select(&mut self, place: Place, terminate: bool) -> Node {
        let guard = |w: &mut Self| match w.random.below(10) {
            0 if w.variable => "when X = 0 =>".to_owned(),
            1 => "when F'Count = 0 =>".to_owned(),
            2 => "when E'Count > 0 =>".to_owned(),
            _ => String::new(),
        };
        let first = guard(self);
        let mut parts = vec![Node::part(first, self.alternative(place), "")];
        if self.random.chance(70) {
            let second = guard(self);
            let inner = self.alternative(place);
            parts.push(Node::part("or", vec![Node::part(second, inner, "")], ""));
        }
        match self.random.below(10) {
            _ if terminate => parts.push(Node::part("or", vec![Node::fixed("terminate;")], "")),
            0 | 1 => parts.push(Node::part("or", vec![Node::fixed("delay 0.001;")], "")),
            2 | 3 => {
                let inner = self.event("else");
                parts.push(Node::part("else", vec![inner, Node::fixed("null;")], ""));
            }
            _ => {}
        }
        Node::around("select", parts, "end select;")
    }

    fn alternative(&mut self, place: Place) -> Vec<Node> {
        let mut parts = vec![Node { removable: false, ..self.accept(place) }];
        if self.random.chance(35) {
            parts.push(self.event("served"));
        }
        if self.random.chance(15) {
            parts.push(self.accept(place));
        }
        vec![parts.remove(0), Node::part("", parts, "")]
    }

    fn accept(&mut self, place: Place) -> Node {
        let inner = Place { accepting: true, depth: 2, ..place };
        if self.random.chance(45) {
            return Node::line("accept E;");
        }
        let with_parameter = self.random.chance(50);
        let mut body = Vec::new();
        if with_parameter {
            body.push(Node::line(*self.random.pick(&["N := (N + 1) mod 3;", "N := 2;", "N := 0;"])));
        }
        if self.random.chance(40) {
            body.push(self.event("during"));
        }
        if self.random.chance(20) {
            body.push(self.statement(inner));
        }
        if self.exception && self.random.chance(20) {
            let raise = *self.random.pick(&["raise Bad;", "if L = 0 then raise Bad; end if;"]);
            body.push(Node::line(raise));
        }
        body.push(Node::fixed("null;"));
        if self.requeue && self.random.chance(35) {
            let mut targets = vec!["E"];
            targets.extend(if self.object { &["P.Get", "P.Put"][..] } else { &[] });
            if with_parameter {
                targets.push("F");
            }
            let target = *self.random.pick(&targets);
            let abort = *self.random.pick(&["", " with abort"]);
            let condition = *self.random.pick(&["", "if L = 0 then "]);
            let end = if condition.is_empty() { "" } else { " end if;" };
            let count = if condition.is_empty() { "" } else { "L := 1; " };
            body.push(Node::line(format!("{condition}{count}requeue {target}{abort};{end}")));
        }
        match with_parameter {
            true => Node::around("accept F (N : in out Integer) do", body, "end F;"),
            false => Node::around("accept E do", body, "end E;"),
        }
    }

    fn alike_tasks(&mut self) -> Node {
        let count = if self.servers == 2 { 2 } else { 2 + self.random.below(2) };
        let place = Place { depth: 2, ..NOWHERE };
        let mut body = vec![self.event("enter")];
        body.extend(self.statements(place, 1));
        body.push(self.event("leave"));
        body.push(Node::fixed("null;"));
        if self.random.chance(15) {
            body = vec![Node::around("loop", body, "end loop;"), Node::fixed("null;")];
        }
        self.words.tasks.extend((1..=count).map(|i| format!("A({i})")));
        self.words.tasks.push("A".into());
        let parts = vec![Node::fixed("L : Integer := 0;"), Node::part("begin", body, "")];
        whole(vec![
            Node::fixed("task type Alike;"),
            Node::part("task body Alike is", parts, "end Alike;"),
            Node::fixed(format!("A : array (1 .. {count}) of Alike;")),
        ])
    }

    /// A task that has nothing to do with the others and never ends.
    fn bystander(&mut self) -> Node {
        self.words.tasks.push("R".into());
        let body = match self.random.below(4) {
            0 => vec![Node::line("null;")],
            1 => vec![Node::line("M := (M + 1) mod 2;")],
            2 => vec![Node::line("delay 0.001;")],
            _ => vec![self.event("tick")],
        };
        let body = body.into_iter().chain([Node::fixed("null;")]).collect();
        whole(vec![
            Node::fixed("task R;"),
            Node::fixed("task body R is M : Integer := 0; begin"),
            Node::part("loop", body, "end loop;"),
            Node::fixed("end R;"),
        ])
    }

    fn statements(&mut self, place: Place, count: u64) -> Vec<Node> {
        (0..count).map(|_| self.statement(place)).collect()
    }

    fn nested(&mut self, place: Place) -> Vec<Node> {
        let inner = Place { depth: place.depth + 1, ..place };
        let count = 1 + self.random.below(2);
        let mut body = self.statements(inner, count);
        body.push(Node::fixed("null;"));
        body
    }

    /// A name for what a task does.
    fn own(&self, place: Place) -> String {
        match (place.task, place.server) {
            (Some(c), _) => format!("c{c}"),
            (_, Some(s)) => format!("s{s}"),
            _ => "other".into(),
        }
    }

    fn variable(&mut self, place: Place) -> String {
        // Procedures, allocated tasks and the main program have no variable of their own.
        match place.task.is_some() || place.server.is_some() {
            true => "L".into(),
            false => {
                self.fresh += 1;
                format!("L{}", self.fresh)
            }
        }
    }

    fn call(&mut self, place: Place) -> Node {
        let serving = place.server;
        let others: Vec<usize> =
            (0..self.servers).filter(|s| Some(*s) != serving || self.fresh % 7 == 6).collect();
        if others.is_empty() {
            return self.event(&self.own(place));
        }
        let s = *self.random.pick(&others);
        let with_parameter = self.random.chance(40);
        if !with_parameter {
            return self.maybe_selected(place, format!("S{s}.E;"));
        }
        match self.variable(place).as_str() {
            "L" => self.maybe_selected(place, format!("S{s}.F (L);")),
            local => Node::line(format!(
                "declare {local} : Integer := {}; begin S{s}.F ({local}); end;",
                self.random.below(3)
            )),
        }
    }

    /// A call, sometimes one that is given up.
    fn maybe_selected(&mut self, place: Place, call: String) -> Node {
        if place.depth > 1 || !self.random.chance(15) {
            return Node::line(call);
        }
        let gone = self.event("gone");
        let or = match self.random.chance(50) {
            true => Node::part("else", vec![gone, Node::fixed("null;")], ""),
            false => Node::part("or", vec![Node::fixed("delay 0.001;"), gone], ""),
        };
        Node::around("select", vec![Node::fixed(call), or], "end select;")
    }

    fn statement(&mut self, place: Place) -> Node {
        if place.depth < 2 && self.random.chance(25) {
            return self.compound(place);
        }
        match self.random.below(100) {
            0..32 => self.event(&self.own(place)),
            32..58 if self.servers > 0 && !place.accepting => self.call(place),
            58..68 if self.object && !place.accepting => {
                let mut calls = vec!["P.Get;", "P.Put;", "P.Add;"];
                calls.extend(self.requeue.then_some("P.Pass;"));
                let call = *self.random.pick(&calls);
                match call {
                    "P.Add;" => Node::line(call),
                    _ => self.maybe_selected(place, call.into()),
                }
            }
            68..76 if self.variable => {
                Node::line(*self.random.pick(&["X := 1;", "X := 0;", "X := (X + 1) mod 3;", "X := X + 1;"]))
            }
            76..80 if self.procedure && !place.accepting && place.depth < 2 => Node::line("Work;"),
            80..84 if self.exception => match self.variable {
                true => Node::line("if X = 1 then raise Bad; end if;"),
                false => Node::line("raise Bad;"),
            },
            84..88 if self.pool && !place.accepting && place.depth < 2 => {
                self.fresh += 1;
                let i = self.fresh;
                let new = format!("declare W{i} : W_Access := new W; begin null; end;");
                Node::line(new)
            }
            88..90 if self.abort && self.words.tasks.len() > 1 && place.depth < 2 => {
                let plain: Vec<String> = self.words.tasks.iter().filter(|t| t.len() == 2).cloned().collect();
                match plain.is_empty() {
                    true => Node::line("null;"),
                    false => Node::line(format!("abort {};", self.random.pick(&plain))),
                }
            }
            90..92 => Node::line("delay 0.001;"),
            _ => self.event(&self.own(place)),
        }
    }

    fn compound(&mut self, place: Place) -> Node {
        match self.random.below(100) {
            0..20 if self.variable => {
                let condition = *self.random.pick(&["X = 0", "X = 1", "X > 0"]);
                let yes = self.nested(place);
                let mut parts = vec![Node::part("", yes, "")];
                if self.random.chance(40) {
                    parts.push(Node::part("else", self.nested(place), ""));
                }
                Node::around(format!("if {condition} then"), parts, "end if;")
            }
            20..40 => {
                self.fresh += 1;
                let i = self.fresh;
                Node::around(format!("for I{i} in 1 .. 2 loop"), self.nested(place), "end loop;")
            }
            40..75 if self.exception => {
                let mut body = self.nested(place);
                if self.random.chance(40) {
                    body.push(Node::line("raise Bad;"));
                }
                let handler = Node { removable: false, ..self.handlers(place) };
                Node::around("begin", vec![Node::part("", body, ""), handler], "end;")
            }
            75..85 if self.asynchronous && !place.accepting => {
                let trigger = match (self.object, self.servers) {
                    (true, _) => "P.Get;",
                    (_, 1..) if place.server != Some(0) => "S0.E;",
                    _ => "delay 0.001;",
                };
                let (then, part) = (self.event("cut"), self.nested(place));
                Node::around(
                    "select",
                    vec![Node::fixed(trigger), then, Node::part("then abort", part, "")],
                    "end select;",
                )
            }
            85..92 if self.endless && place.depth == 0 => self.for_ever(place),
            _ => self.event(&self.own(place)),
        }
    }
}
