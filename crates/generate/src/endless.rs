//! Programs that go on for ever: what fairness decides.
//!
//! A server with several accept statements, alternatives, guards or delays, and clients that call it plainly, conditionally or for
//! some time, once or again and again; beside it a protected object whose barrier opens and closes.

use crate::rule::{Entry, Vocabulary};
use crate::{Node, Program, Random};

/// A random program and what rules can speak of in it: the same for the same seed.
pub fn endless(seed: u64, name: &str) -> (Program, Vocabulary) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(7));
    let object = random.chance(50);
    let clients = 1 + random.below(3) as usize;
    let mut w = Writer { object, words: Vocabulary::default(), random };
    let mut entries = vec!["S.A", "S.B"];
    w.words.tasks.push("S".into());
    w.words.tasks.extend((0..clients).map(|c| format!("C{c}")));
    let mut decls = Vec::new();
    if object {
        entries.push("P.W");
        decls.extend(OBJECT.iter().map(|line| Node::fixed(*line)));
    }
    w.words.entries = entries.iter().map(|e| Entry { name: (*e).to_owned(), parameter: false }).collect();
    decls.push(Node::fixed("task S is entry A; entry B; end S;"));
    for c in 0..clients {
        decls.push(Node::fixed(format!("task C{c};")));
    }
    decls.push(Node::fixed("task body S is begin"));
    let serving = (0..1 + w.random.below(2)).map(|_| w.serving()).collect();
    decls.push(Node::part("loop", serving, "end loop;"));
    decls.push(Node::fixed("end S;"));
    for c in 0..clients {
        let mut body: Vec<Node> = (0..1 + w.random.below(3)).flat_map(|_| w.calling()).collect();
        body.push(Node::fixed("null;"));
        let body = match w.random.chance(60) {
            true => vec![Node::around("loop", body, "end loop;")],
            false => body,
        };
        decls.push(Node::part(format!("task body C{c} is begin"), body, format!("end C{c};")));
    }
    let root = Node::part(
        format!("procedure {name} is"),
        vec![whole(decls), Node::fixed("begin"), Node::fixed("null;")],
        format!("end {name};"),
    );
    (Program { name: name.to_owned(), root }, w.words)
}

const OBJECT: [&str; 14] = [
    "protected P is",
    "   entry W;",
    "   procedure Set;",
    "   procedure Clear;",
    "   function Is_Set return Boolean;",
    "private",
    "   Open : Boolean := False;",
    "end P;",
    "protected body P is",
    "   entry W when Open is begin Open := False; end W;",
    "   procedure Set is begin Open := True; end Set;",
    "   procedure Clear is begin Open := False; end Clear;",
    "   function Is_Set return Boolean is begin return Open; end Is_Set;",
    "end P;",
];

/// Declarations that stay together.
fn whole(parts: Vec<Node>) -> Node {
    Node::part("", parts, "")
}

struct Writer {
    random: Random,
    words: Vocabulary,
    object: bool,
}

impl Writer {
    /// What the server does again and again.
    fn serving(&mut self) -> Node {
        let both = ["select accept A;", "or accept B;"];
        let mut lines: Vec<&str> = match self.random.below(8) {
            0 => vec!["accept A;"],
            1 => vec!["accept A;", "accept B;"],
            2 => both.to_vec(),
            3 => [&both[..], &["or terminate;"]].concat(),
            4 => [&both[..], &["or delay 1.0;"]].concat(),
            5 => vec!["select accept A;", "or delay 1.0;"],
            6 => vec!["select accept A;", "else delay 1.0;"],
            _ if self.object => {
                vec!["select when P.Is_Set => accept A;", "or when not P.Is_Set => accept B;"]
            }
            _ => vec!["select accept A;", "or accept B; accept A;"],
        };
        if lines[0].starts_with("select") {
            lines.push("end select;");
        }
        Node::line(lines.join("\n"))
    }

    /// What a client does, some of it an event.
    fn calling(&mut self) -> Vec<Node> {
        let mut found = Vec::new();
        if self.random.chance(40) {
            let event = format!("e{}", self.words.events.len());
            found.push(Node::line(format!("--@ event {event}\nnull;")));
            self.words.events.push(event);
        }
        let what = match self.random.below(if self.object { 11 } else { 7 }) {
            0 | 1 => "S.A;",
            2 => "S.B;",
            3 => "select S.A; else null; end select;",
            4 => "select S.B; or delay 1.0; end select;",
            5 => "select S.A; or delay 1.0; end select;",
            6 => "delay 1.0;",
            7 => "P.Set;",
            8 => "P.W;",
            9 => "P.Clear;",
            _ => "select P.W; or delay 1.0; end select;",
        };
        found.push(Node::line(what));
        found
    }
}
