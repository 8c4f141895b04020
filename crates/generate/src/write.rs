//! Writing programs.

use crate::{Node, Program, Random};

/// What may stand at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The task whose body this is: 0 is the main program, which has no entries.
    task: u64,
    /// Inside an accept statement.
    accepting: bool,
    /// Inside the abortable part of an asynchronous select.
    abortable: bool,
    depth: usize,
    /// Inside a loop, which may be left.
    looping: bool,
    /// In a subprogram, not in a task body.
    returns: bool,
}

struct Writer {
    random: Random,
    /// Decides about what is marked so below: without it a seed gives the program that it always gave.
    more: Random,
    /// More: entries with parameters that requeue, and whether all do so with abort.
    passes: bool,
    passes_with_abort: bool,
    /// More: an abortable part may hold another asynchronous select, and whatever must be cleaned up.
    nests: bool,
    /// More: a barrier may raise an exception.
    raises: bool,
    tasks: u64,
    /// Optional parts of the program.
    family: bool,
    pool: bool,
    suspension: bool,
    controlled: bool,
    requeue: bool,
    abort: bool,
    asynchronous: bool,
    /// So many clients that are all alike.
    clients: u64,
    /// The tasks are alike, each seen from the one before it.
    ring: bool,
    /// In the procedure itself, which must not call itself without end.
    helping: bool,
    fresh: u64,
}

/// A random program: the same for the same seed.
pub fn program(seed: u64, name: &str) -> Program {
    let mut random = Random::new(seed);
    let mut more = Random::new(!seed);
    let mut w = Writer {
        passes: more.chance(15),
        passes_with_abort: false,
        nests: more.chance(8),
        raises: more.chance(6),
        more,
        tasks: 2 + random.below(2),
        family: random.chance(12),
        pool: random.chance(12),
        suspension: random.chance(10),
        controlled: random.chance(8),
        requeue: random.chance(18),
        abort: random.chance(15),
        asynchronous: random.chance(12),
        clients: if random.chance(25) { 2 + random.below(2) } else { 0 },
        ring: random.chance(10),
        helping: false,
        fresh: 0,
        random,
    };
    let root = w.main(name);
    Program { name: name.to_owned(), root }
}

impl Writer {
    fn main(&mut self, name: &str) -> Node {
        let mut decls = self.declarations();
        let specs: Vec<Node> = (1..=self.tasks).map(|t| self.task_spec(t)).collect();
        // Entry bodies that pass calls on name the tasks.
        let first = if self.passes { 0 } else { decls.len() };
        decls.splice(first..first, specs);
        if self.pool {
            decls.push(Node::fixed("task type W (N : Integer) is entry Go; end W;"));
            decls.push(Node::fixed("type W_Access is access W;"));
        }
        decls.push(self.procedure());
        if self.ring {
            let first = self.task_body(1);
            decls.extend((1..=self.tasks).map(|t| turned(&first, t - 1, self.tasks)));
        } else {
            for t in 1..=self.tasks {
                decls.push(self.task_body(t));
            }
        }
        if self.clients > 0 {
            decls.push(Node::fixed("task type C;"));
            decls.push(self.client_body());
            decls.push(Node::fixed(format!("Clients : array (1 .. {}) of C;", self.clients)));
        }
        if self.pool {
            let body = vec![
                Node::line("if N > 1 then X := (X + N) mod 3; end if;"),
                Node::part(
                    "select",
                    vec![Node::fixed("accept Go;"), Node::fixed("or terminate;")],
                    "end select;",
                ),
            ];
            decls.push(Node::part("task body W is begin", body, "end W;"));
        }
        decls.push(Node::fixed("L : Integer := 0;"));
        let count = 1 + self.random.below(4);
        let place =
            Place { task: 0, accepting: false, abortable: false, depth: 0, looping: false, returns: true };
        let mut body = self.statements(place, count);
        body.push(Node::fixed("null;"));
        let mut context = Vec::new();
        if self.suspension {
            context.push(Node::fixed("with Ada.Synchronous_Task_Control; use Ada.Synchronous_Task_Control;"));
        }
        if self.controlled {
            context.push(Node::fixed("with Ada.Finalization;"));
        }
        let mut parts = context;
        parts.push(Node::part(format!("procedure {name} is"), decls, ""));
        parts.push(Node::part("begin", body, format!("end {name};")));
        Node { head: String::new(), body: parts, tail: String::new(), removable: false }
    }

    fn declarations(&mut self) -> Vec<Node> {
        let barrier = *self.random.pick(&["Value > 0", "Open", "Open or Wait'Count > 1", "Value /= 1"]);
        let barrier = if self.raises { "Bits (Value)" } else { barrier };
        let initially = self.random.below(2);
        let mut decls = vec![
            Node::fixed("X : Integer range 0 .. 2 := 0;"),
            Node::fixed("pragma Volatile (X);"),
            Node::fixed("Flag : Boolean := False;"),
            Node::fixed("pragma Volatile (Flag);"),
        ];
        let mut spec = vec![
            Node::fixed("entry Wait;"),
            Node::fixed("procedure Set (N : Integer);"),
            Node::fixed("function Get return Integer;"),
            Node::fixed("entry Swap (N : in out Integer);"),
        ];
        let mut private = vec![
            Node::fixed(format!("Value : Integer := {initially};")),
            Node::fixed("Open : Boolean := False;"),
        ];
        if self.requeue {
            spec.push(Node::fixed("entry Pass;"));
        }
        if self.passes {
            spec.push(Node::fixed("entry Give (N : in out Integer);"));
            spec.push(Node::fixed("entry Hand (M : Integer; N : out Integer);"));
            spec.push(Node::fixed("entry Again (N : in out Integer);"));
            spec.push(Node::fixed("entry Take (M : Integer; N : out Integer);"));
        }
        if self.raises {
            decls.push(Node::fixed("type Bit_Array is array (0 .. 1) of Boolean;"));
            private.push(Node::fixed("Bits : Bit_Array := (False, True);"));
        }
        if self.family {
            spec.push(Node::fixed("entry Lane (1 .. 2);"));
            private.push(Node::fixed("Turn : Integer := 1;"));
        }
        decls.push(Node::part("protected P is", spec, ""));
        decls.push(Node::part("private", private, "end P;"));
        let close =
            Node::line(*self.random.pick(&["Open := False;", "Value := 0;", "Value := (Value + 1) mod 3;"]));
        let set =
            Node::line(*self.random.pick(&["Value := N;", "Value := N; Open := True;", "Open := not Open;"]));
        let mut swap_body = vec![Node::line("Value := (Value + N) mod 3;"), Node::line("N := Value;")];
        if self.random.chance(15) {
            swap_body.push(Node::line("if N = 2 then raise Program_Error; end if;"));
        }
        let swap = *self.random.pick(&["True", "Open", "Value < 2"]);
        let mut body = vec![
            Node::part(
                format!("entry Wait when {barrier} is begin"),
                vec![close, Node::fixed("null;")],
                "end Wait;",
            ),
            Node::part("procedure Set (N : Integer) is begin", vec![set, Node::fixed("null;")], "end Set;"),
            Node::fixed("function Get return Integer is begin return Value; end Get;"),
            Node::part(
                format!("entry Swap (N : in out Integer) when {swap} is begin"),
                swap_body.into_iter().chain([Node::fixed("null;")]).collect(),
                "end Swap;",
            ),
        ];
        if self.requeue {
            let target = match self.random.below(3) {
                0 => "requeue Wait;",
                1 => "requeue Wait with abort;",
                _ => "if Value = 0 then Open := True; else requeue Wait with abort; end if;",
            };
            let when = *self.random.pick(&["True", "Value < 2"]);
            body.push(Node::part(
                format!("entry Pass when {when} is begin"),
                vec![Node::fixed(target)],
                "end Pass;",
            ));
        }
        if self.passes {
            body.extend(self.passing_bodies());
        }
        if self.family {
            body.push(Node::part(
                "entry Lane (for I in 1 .. 2) when Turn = I is begin",
                vec![Node::line("Turn := 3 - I;"), Node::fixed("null;")],
                "end Lane;",
            ));
        }
        decls.push(Node::part("protected body P is", body, "end P;"));
        if self.suspension {
            decls.push(Node::fixed("S : Suspension_Object;"));
        }
        if self.controlled {
            decls.push(Node::fixed("package G is"));
            decls.push(Node::fixed(
                "type Guard is new Ada.Finalization.Limited_Controlled with record N : Integer := 1; end record;",
            ));
            decls.push(Node::fixed("overriding procedure Initialize (O : in out Guard);"));
            decls.push(Node::fixed("overriding procedure Finalize (O : in out Guard);"));
            decls.push(Node::fixed("end G;"));
            let start = *self.random.pick(&["P.Set (2);", "O.N := 2;", "X := 1;"]);
            let end = *self.random.pick(&["P.Set (O.N);", "X := 0;", "P.Set (0);"]);
            decls.push(Node::fixed("package body G is"));
            decls.push(Node::fixed(format!(
                "overriding procedure Initialize (O : in out Guard) is begin {start} end Initialize;"
            )));
            decls.push(Node::fixed(format!(
                "overriding procedure Finalize (O : in out Guard) is begin {end} end Finalize;"
            )));
            decls.push(Node::fixed("end G;"));
        }
        decls
    }

    /// Entry bodies that pass calls on, with their parameters.
    fn passing_bodies(&mut self) -> Vec<Node> {
        self.passes_with_abort = self.more.chance(50);
        let abort = if self.passes_with_abort { " with abort" } else { "" };
        let open = *self.more.pick(&["Open", "Value > 0", "Value = 1", "Give'Count > 0"]);
        let give = match self.more.below(4) {
            0 => format!("requeue Again{abort};"),
            1 => format!("if N /= Value then requeue Again{abort}; end if;"),
            2 => format!("requeue T1.B{abort};"),
            _ => format!("if N = 2 then requeue Swap{abort}; else requeue Again{abort}; end if;"),
        };
        let again = match self.more.below(3) {
            0 => "Value := N;".to_owned(),
            1 => format!("Open := False; if N > Value then requeue Again{abort}; end if;"),
            _ => format!("Value := (Value + 1) mod 3; if N = 1 then requeue T2.B{abort}; end if;"),
        };
        let body = |head: String, statement: Node, name: &str| {
            Node::part(head, vec![statement, Node::fixed("null;")], format!("end {name};"))
        };
        let mut hand = vec![Node::fixed(format!("N := 1 - Value; requeue Take{abort};"))];
        if self.more.chance(40) {
            hand.insert(0, Node::line("if M = 2 then N := 0; return; end if;"));
        }
        vec![
            Node::part(
                "entry Give (N : in out Integer) when True is begin",
                vec![Node::fixed(give)],
                "end Give;",
            ),
            body(
                format!("entry Again (N : in out Integer) when {open} is begin"),
                Node::line(again),
                "Again",
            ),
            Node::part("entry Hand (M : Integer; N : out Integer) when True is begin", hand, "end Hand;"),
            body(
                "entry Take (M : Integer; N : out Integer) when Value /= 1 is begin".to_owned(),
                Node::line("if N = 1 then Value := M; end if;"),
                "Take",
            ),
        ]
    }

    /// A call of an entry that passes it on.
    fn passing_call(&mut self) -> String {
        (*self.more.pick(&["P.Give (L);", "P.Hand (L, L);", "P.Again (L);"])).to_owned()
    }

    fn task_spec(&mut self, t: u64) -> Node {
        let mut entries = vec![Node::fixed("entry A;"), Node::fixed("entry B (N : in out Integer);")];
        if self.family {
            entries.push(Node::fixed("entry F (1 .. 2);"));
        }
        Node::part(format!("task T{t} is"), entries, format!("end T{t};"))
    }

    fn procedure(&mut self) -> Node {
        let place =
            Place { task: 0, accepting: false, abortable: false, depth: 2, looping: false, returns: true };
        self.helping = true;
        let mut body = self.statements(place, 1);
        self.helping = false;
        body.push(Node::fixed("null;"));
        Node::part("procedure Help (L : in out Integer) is begin", body, "end Help;")
    }

    fn task_body(&mut self, t: u64) -> Node {
        let place =
            Place { task: t, accepting: false, abortable: false, depth: 0, looping: false, returns: false };
        let count = 1 + self.random.below(4);
        let mut body = self.statements(place, count);
        if self.random.chance(45) {
            body.push(self.server(place));
        }
        body.push(Node::fixed("null;"));
        if self.random.chance(15) {
            body.push(Node::around("exception", vec![self.handler(place)], ""));
        }
        Node::part(
            format!("task body T{t} is"),
            vec![Node::fixed("L : Integer := 0;"), Node::part("begin", body, "")],
            format!("end T{t};"),
        )
    }

    fn client_body(&mut self) -> Node {
        let place =
            Place { task: 0, accepting: false, abortable: false, depth: 1, looping: false, returns: false };
        let count = 1 + self.random.below(3);
        let mut body = self.statements(place, count);
        body.push(Node::fixed("null;"));
        let parts = vec![Node::fixed("L : Integer := 0;"), Node::part("begin", body, "")];
        Node::part("task body C is", parts, "end C;")
    }

    /// Serves calls until nobody is left to call.
    fn server(&mut self, place: Place) -> Node {
        let inner = Place { looping: true, depth: 2, ..place };
        let then = self.statements(inner, 1);
        let accept = Node { removable: false, ..self.accept(inner) };
        let parts = vec![
            Node::part("", vec![Node::fixed("accept A;"), Node::part("", then, "")], ""),
            Node::part("or", vec![accept], ""),
            Node::part("or", vec![Node::fixed("terminate;")], ""),
        ];
        Node::around("loop", vec![Node::part("select", parts, "end select;")], "end loop;")
    }

    fn handler(&mut self, place: Place) -> Node {
        let which = *self.random.pick(&["others", "Tasking_Error", "Program_Error | Constraint_Error"]);
        let inner = Place { depth: place.depth + 1, ..place };
        let mut body = self.statements(inner, 1);
        body.push(Node::fixed("null;"));
        Node::part(format!("when {which} =>"), body, "")
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

    /// A task that may be called: mostly another one.
    fn other(&mut self, me: u64) -> u64 {
        let other = 1 + self.random.below(self.tasks);
        if other == me && self.random.chance(90) { 1 + other % self.tasks } else { other }
    }

    fn statement(&mut self, place: Place) -> Node {
        let me = place.task;
        let other = self.other(me);
        let number = self.random.below(3);
        let condition = self.condition(me);
        let serves = me > 0 && !place.accepting && !place.abortable;
        if place.depth < 2 && self.random.chance(35) {
            return self.compound(place);
        }
        if self.passes && self.more.chance(15) {
            return Node::line(self.passing_call());
        }
        match self.random.below(100) {
            0..12 => Node::line(format!("T{other}.A;")),
            12..22 => Node::line(format!("T{other}.B (L);")),
            22..36 if serves => Node::line("accept A;"),
            36..48 if serves => self.accept(place),
            48..53 => Node::line("P.Wait;"),
            53..60 => Node::line(format!("P.Set ({number});")),
            60..64 => Node::line("L := P.Get;"),
            64..68 => Node::line("P.Swap (L);"),
            68..74 => Node::line("X := (X + 1) mod 3;"),
            74..78 => Node::line(format!("Flag := {condition};")),
            78..80 => Node::line("X := X + 1;"),
            80..84 if !self.helping => Node::line("Help (L);"),
            84..86 if self.requeue => Node::line("P.Pass;"),
            86..88 if self.family => Node::line(format!("P.Lane ({});", 1 + number % 2)),
            88..90 if self.family && serves => Node::line(format!("accept F ({});", 1 + number % 2)),
            90..92 if self.family => Node::line(format!("T{other}.F ({});", 1 + number % 2)),
            92..94 if self.suspension => {
                Node::line(*self.random.pick(&["Set_True (S);", "Set_False (S);", "Suspend_Until_True (S);"]))
            }
            94..95 if self.abort => Node::line(format!("abort T{other};")),
            95..96 if place.looping && !place.accepting => Node::line(format!("exit when {condition};")),
            96..97 => Node::line(format!("if {condition} then raise Constraint_Error; end if;")),
            97..98 => Node::line("delay 0.001;"),
            98..99 if place.returns => Node::line(format!("if {condition} then return; end if;")),
            _ => Node::line(format!("L := (L + {number}) mod 3;")),
        }
    }

    fn accept(&mut self, place: Place) -> Node {
        let inner = Place { accepting: true, depth: 2, ..place };
        let number = self.random.below(3);
        let mut body = vec![Node::line(format!("N := (N + {number}) mod 3;"))];
        if self.random.chance(30) {
            body.extend(self.statements(inner, 1));
        }
        if self.random.chance(8) {
            body.push(Node::line("if N = 1 then raise Program_Error; end if;"));
        }
        body.push(Node::fixed("null;"));
        if self.requeue && self.random.chance(25) {
            let target = *self.random.pick(&["P.Wait", "A"]);
            let abort = *self.random.pick(&["", " with abort"]);
            body.push(Node::line(format!("requeue {target}{abort};")));
        }
        if self.passes && self.more.chance(30) {
            let other = 1 + self.more.below(self.tasks);
            let target = self.more.pick(&["P.Again", "P.Give", "P.Swap"]).to_string();
            let target = if self.more.chance(40) { format!("T{other}.B") } else { target };
            let abort = *self.more.pick(&["", " with abort"]);
            body.push(Node::line(format!("if N /= 0 then requeue {target}{abort}; end if;")));
        }
        Node::around("accept B (N : in out Integer) do", body, "end B;")
    }

    fn compound(&mut self, place: Place) -> Node {
        let me = place.task;
        let other = self.other(me);
        let condition = self.condition(me);
        let serves = me > 0 && !place.accepting && !place.abortable;
        let looping = Place { looping: true, ..place };
        match self.random.below(100) {
            0..14 => {
                let yes = self.nested(place);
                let mut parts = vec![Node::part("", yes, "")];
                if self.random.chance(50) {
                    parts.push(Node::part("else", self.nested(place), ""));
                }
                Node::around(format!("if {condition} then"), parts, "end if;")
            }
            14..26 => {
                let rounds = 1 + self.random.below(2);
                self.fresh += 1;
                let i = self.fresh;
                Node::around(format!("for I{i} in 1 .. {rounds} loop"), self.nested(looping), "end loop;")
            }
            26..30 => {
                let mut body = self.nested(looping);
                body.push(Node::fixed(format!("exit when {condition};")));
                Node::around("loop", body, "end loop;")
            }
            30..34 => {
                let arms = (0..3)
                    .map(|n| {
                        let when = if n == 2 { "others".to_owned() } else { n.to_string() };
                        Node::part(format!("when {when} =>"), self.nested(place), "")
                    })
                    .collect();
                Node::around("case X is", arms, "end case;")
            }
            34..56 if serves => self.select(place),
            56..68 => self.selected_call(place, other),
            68..80 => {
                let body = self.nested(place);
                let handler = self.handler(place);
                Node::around(
                    "begin",
                    vec![Node::part("", body, ""), Node::part("exception", vec![handler], "")],
                    "end;",
                )
            }
            80..88 if !place.abortable || self.nests => {
                self.fresh += 1;
                let i = self.fresh;
                let inner = Place {
                    task: 0,
                    accepting: false,
                    abortable: false,
                    depth: 2,
                    looping: false,
                    returns: false,
                };
                let mut body = self.statements(inner, 1);
                body.push(Node::fixed("null;"));
                Node::around(
                    "declare",
                    vec![
                        Node::fixed(format!("task I{i};")),
                        Node::part(
                            format!("task body I{i} is L : Integer := 0; begin"),
                            body,
                            format!("end I{i};"),
                        ),
                        Node::part("begin", self.nested(place), ""),
                    ],
                    "end;",
                )
            }
            88..92 if self.pool && !place.abortable => {
                self.fresh += 1;
                let i = self.fresh;
                let number = self.random.below(3);
                let call = if self.random.chance(60) { format!("R{i}.Go;") } else { "null;".into() };
                Node::around(
                    "declare",
                    vec![
                        Node::fixed(format!("R{i} : W_Access := new W ({number});")),
                        Node::part("begin", vec![Node::fixed(call)], ""),
                    ],
                    "end;",
                )
            }
            92..95 if self.controlled && (!place.abortable || self.nests) => {
                self.fresh += 1;
                let i = self.fresh;
                Node::around(
                    "declare",
                    vec![
                        Node::fixed(format!("G{i} : G.Guard;")),
                        Node::part("begin", self.nested(place), ""),
                    ],
                    "end;",
                )
            }
            95..99
                if (self.asynchronous || self.nests)
                    && !place.accepting
                    && (!place.abortable || self.nests) =>
            {
                let trigger = match self.random.below(3) {
                    // GNAT starts the abortable part after a requeue without abort, too.
                    0 if self.passes_with_abort && self.more.chance(50) => self.passing_call(),
                    0 => "P.Wait;".to_owned(),
                    1 => "delay 0.001;".to_owned(),
                    _ => format!("T{other}.A;"),
                };
                let inner = Place { abortable: true, ..place };
                let then = self.statements(Place { depth: 2, ..inner }, 1);
                Node::around(
                    "select",
                    vec![
                        Node::fixed(trigger),
                        Node::part("", then, ""),
                        Node::part("then abort", self.nested(inner), ""),
                    ],
                    "end select;",
                )
            }
            _ => {
                let state = *self.random.pick(&["'Callable", "'Terminated"]);
                Node::around(format!("if T{other}{state} then"), self.nested(place), "end if;")
            }
        }
    }

    fn select(&mut self, place: Place) -> Node {
        let guard = |w: &mut Self| {
            if w.random.chance(35) { format!("when {} =>", w.condition(place.task)) } else { String::new() }
        };
        let first = guard(self);
        let mut parts = vec![Node::part(
            first,
            vec![
                Node::fixed("accept A;"),
                Node::part("", self.statements(Place { depth: 2, ..place }, 1), ""),
            ],
            "",
        )];
        if self.random.chance(60) {
            let second = guard(self);
            let accept = Node { removable: false, ..self.accept(place) };
            parts.push(Node::part("or", vec![Node::part(second, vec![accept], "")], ""));
        }
        if self.family && self.random.chance(30) {
            parts.push(Node::part("or", vec![Node::fixed("accept F (1);")], ""));
        }
        match self.random.below(5) {
            0 | 1 => parts.push(Node::part("or", vec![Node::fixed("terminate;")], "")),
            2 => parts.push(Node::part("or", vec![Node::fixed("delay 0.001;")], "")),
            3 => parts.push(Node::part("else", self.nested(place), "")),
            _ => {}
        }
        Node::around("select", parts, "end select;")
    }

    fn selected_call(&mut self, place: Place, other: u64) -> Node {
        let call = match self.random.below(4) {
            0 if self.passes && self.more.chance(50) => self.passing_call(),
            0 => "P.Wait;".to_owned(),
            1 => "P.Swap (L);".to_owned(),
            2 => format!("T{other}.B (L);"),
            _ => format!("T{other}.A;"),
        };
        let then = self.statements(Place { depth: 2, ..place }, 1);
        let otherwise = self.nested(place);
        let or = if self.random.chance(50) {
            Node::part("else", otherwise, "")
        } else {
            Node::part("or", vec![Node::fixed("delay 0.001;"), Node::part("", otherwise, "")], "")
        };
        Node::around("select", vec![Node::fixed(call), Node::part("", then, ""), or], "end select;")
    }

    fn condition(&mut self, me: u64) -> String {
        let number = self.random.below(3);
        match self.random.below(7) {
            0 => "Flag".into(),
            1 => format!("X = {number}"),
            2 => format!("L < {}", 1 + number),
            3 => "not Flag and X > 0".into(),
            4 => "P.Get = 0 or else L = 1".into(),
            5 if me > 0 => format!("A'Count {} 0", self.random.pick(&["=", ">"])),
            _ => format!("L /= {number}"),
        }
    }
}

/// What a task does, seen from another task of the ring.
fn turned(node: &Node, by: u64, tasks: u64) -> Node {
    let turn = |text: &str| {
        let mut text = text.to_owned();
        // In two steps, so that no name is turned twice.
        for t in 1..=tasks {
            text = text.replace(&format!("T{t}"), &format!("T#{}", (t - 1 + by) % tasks + 1));
        }
        text.replace("T#", "T")
    };
    Node {
        head: turn(&node.head),
        body: node.body.iter().map(|n| turned(n, by, tasks)).collect(),
        tail: turn(&node.tail),
        removable: node.removable,
    }
}
