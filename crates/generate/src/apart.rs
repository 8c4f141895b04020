//! Programs whose tasks have little to do with each other, and say what they do: annotated events, variables of their
//! own, the starts and ends of tasks. In which order all that comes is for properties to say, and for reductions to
//! respect.

use crate::{Node, Program, Random};

/// A random program of tasks that mostly go their own ways: the same for the same seed.
pub fn apart(seed: u64, name: &str) -> Program {
    let mut random = Random::new(seed);
    let mut w = Apart {
        tasks: 2 + random.below(2),
        server: random.chance(50),
        object: random.chance(40),
        pool: random.chance(15),
        endless: random.chance(10),
        random,
    };
    let root = w.main(name);
    Program { name: name.to_owned(), root }
}

struct Apart {
    random: Random,
    tasks: u64,
    /// Optional parts of the program.
    server: bool,
    object: bool,
    pool: bool,
    /// Some task goes on until it is told to stop, maybe for ever.
    endless: bool,
}

/// Names of events.
const EVENTS: [&str; 4] = ["ping", "pong", "enter", "leave"];

impl Apart {
    fn main(&mut self, name: &str) -> Node {
        let mut decls = Vec::new();
        for t in 0..=self.tasks {
            decls.push(Node::fixed(format!("V{t} : Integer range 0 .. 2 := 0;")));
        }
        if self.endless {
            decls.push(Node::fixed("Stop : Boolean := False;"));
            decls.push(Node::fixed("pragma Volatile (Stop);"));
        }
        if self.object {
            decls.push(self.object());
        }
        if self.server {
            decls.push(Node::fixed("task S is entry A; entry B; end S;"));
        }
        decls.push(self.procedure());
        if self.pool {
            decls.push(Node::fixed("task type W;"));
            decls.push(Node::fixed("type W_Access is access W;"));
            decls.push(Node::fixed("Some_W : W_Access;"));
            decls.push(self.body("task body W", 0, 1));
        }
        for t in 1..=self.tasks {
            decls.push(Node::fixed(format!("task T{t};")));
        }
        for t in 1..=self.tasks {
            let count = 1 + self.random.below(3);
            decls.push(self.body(&format!("task body T{t}"), t, count));
        }
        if self.server {
            decls.push(self.server());
        }
        let count = self.random.below(3);
        let mut body = self.statements(0, 0, count);
        if self.pool {
            body.insert(0, Node::line("Some_W := new W;"));
        }
        if self.endless {
            body.push(Node::fixed(*self.random.pick(&["Stop := True;", "Stop := V0 = 1;"])));
        }
        body.push(Node::fixed("null;"));
        let parts = vec![
            Node::part(format!("procedure {name} is"), decls, ""),
            Node::part("begin", body, format!("end {name};")),
        ];
        Node { head: String::new(), body: parts, tail: String::new(), removable: false }
    }

    /// A body that belongs to a task; each has a variable of its own.
    fn body(&mut self, head: &str, t: u64, count: u64) -> Node {
        let mut body = self.statements(t, 0, count);
        if t == 1 && self.endless {
            let round = vec![self.event(), Node::fixed("exit when Stop;")];
            body.push(Node::around("loop", round, "end loop;"));
        }
        body.push(Node::fixed("null;"));
        if self.random.chance(25) {
            let handler = Node::part("when others =>", vec![self.event(), Node::fixed("null;")], "");
            body.push(Node::around("exception", vec![handler], ""));
        }
        Node::part(format!("{head} is begin"), body, "end;")
    }

    fn procedure(&mut self) -> Node {
        let body = vec![self.event(), Node::fixed("null;")];
        Node::part("procedure Work is begin", body, "end Work;")
    }

    fn object(&mut self) -> Node {
        let (first, second, third) = (self.event(), self.event(), self.event());
        let barrier = *self.random.pick(&["Open", "True", "not Open", "Wait'Count > 1"]);
        let parts = vec![
            Node::fixed("protected P is entry Wait; procedure Set; private Open : Boolean := False; end P;"),
            Node::part("protected body P is", Vec::new(), ""),
            Node::part(
                format!("entry Wait when {barrier} is begin"),
                vec![first, Node::fixed("null;")],
                "end Wait;",
            ),
            Node::part(
                "procedure Set is begin",
                vec![second, Node::line("Open := not Open;"), third, Node::fixed("null;")],
                "end Set;",
            ),
            Node::fixed("end P;"),
        ];
        Node::part("", parts, "")
    }

    fn server(&mut self) -> Node {
        let taken = vec![self.event(), Node::fixed("null;")];
        let then = self.event();
        let accept = match self.random.chance(50) {
            true => Node::fixed("accept A;"),
            false => Node::part("accept A do", taken, "end A;"),
        };
        let mut body = match self.random.chance(60) {
            true => {
                let parts = vec![
                    accept,
                    then,
                    Node::fixed("or"),
                    Node::fixed("accept B;"),
                    Node::fixed("or"),
                    Node::fixed("terminate;"),
                ];
                vec![
                    Node::fixed("loop"),
                    Node::part("select", parts, "end select;"),
                    Node::fixed("end loop;"),
                ]
            }
            false => vec![accept, then, Node::line("accept B;")],
        };
        body.push(Node::fixed("null;"));
        Node::part("task body S is begin", body, "end S;")
    }

    fn event(&mut self) -> Node {
        let name = *self.random.pick(&EVENTS);
        Node::around(format!("--@ event {name}"), vec![Node::fixed("null;")], "")
    }

    fn statements(&mut self, t: u64, depth: u64, count: u64) -> Vec<Node> {
        (0..count).map(|_| self.statement(t, depth)).collect()
    }

    fn statement(&mut self, t: u64, depth: u64) -> Node {
        let value = self.random.below(3);
        if depth < 2 && self.random.chance(25) {
            return self.compound(t, depth);
        }
        match self.random.below(100) {
            0..45 => self.event(),
            45..65 => Node::line(format!("V{t} := {value};")),
            65..72 => Node::line("Work;"),
            72..80 if self.server => Node::line(*self.random.pick(&["S.A;", "S.B;"])),
            80..84 if self.server => {
                let late = vec![self.event(), Node::fixed("null;")];
                let parts = vec![Node::fixed("S.A;"), Node::part("else", late, "")];
                Node::around("select", parts, "end select;")
            }
            84..92 if self.object => Node::line(*self.random.pick(&["P.Set;", "P.Wait;"])),
            92..95 => Node::line("delay 1.0;"),
            95..97 => Node::line("V0 := (V0 + 1) mod 3;"),
            97..98 => Node::line("raise Constraint_Error;"),
            _ => self.event(),
        }
    }

    fn compound(&mut self, t: u64, depth: u64) -> Node {
        let value = self.random.below(3);
        let mut inner = self.statements(t, depth + 1, 1);
        inner.push(Node::fixed("null;"));
        match self.random.below(4) {
            0 => Node::around(format!("if V{t} = {value} then"), inner, "end if;"),
            1 => Node::around("for I in 1 .. 2 loop", inner, "end loop;"),
            2 => {
                let own = vec![self.event(), Node::fixed("null;")];
                let decls = vec![
                    Node::fixed("task Inner;"),
                    Node::part("task body Inner is begin", own, "end Inner;"),
                ];
                let parts = vec![Node::part("declare", decls, ""), Node::part("begin", inner, "")];
                Node { removable: true, ..Node::part("", parts, "end;") }
            }
            _ => {
                inner.push(Node::line("raise Program_Error;"));
                let handled = vec![self.event(), Node::fixed("null;")];
                let handlers = vec![Node::part("when others =>", handled, "")];
                let parts = vec![Node::part("", inner, ""), Node::part("exception", handlers, "")];
                Node::around("begin", parts, "end;")
            }
        }
    }
}
