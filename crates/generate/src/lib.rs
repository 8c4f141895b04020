//! Random well-formed concurrent Ada programs, for agreement tests and for conformance runs.
//!
//! A program is a tree of lines: it can be printed, and it can be shrunk by leaving out or
//! unwrapping parts as long as somebody says that it still fails. Constructs are weighted roughly
//! as in published programs: rendezvous and protected objects are common, requeue, abort and
//! asynchronous select are rare.

mod apart;
mod endless;
mod rule;
mod shrink;
mod trial;
mod visible;
mod write;

pub use apart::apart;
pub use endless::endless;
pub use rule::{Entry, Language, Rule, Vocabulary, rules, shrink_rule};
pub use shrink::shrink;
pub use trial::{Tested, trials, trials_of};
pub use visible::visible;
pub use write::program;

/// A piece of a program: a line, or a construct with parts between its first and last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub head: String,
    pub body: Vec<Node>,
    pub tail: String,
    /// Whether the program still makes sense without it.
    pub removable: bool,
}

impl Node {
    fn line(text: impl Into<String>) -> Node {
        Node { head: text.into(), body: Vec::new(), tail: String::new(), removable: true }
    }

    fn fixed(text: impl Into<String>) -> Node {
        Node { removable: false, ..Node::line(text) }
    }

    fn around(head: impl Into<String>, body: Vec<Node>, tail: impl Into<String>) -> Node {
        Node { head: head.into(), body, tail: tail.into(), removable: true }
    }

    /// A part that is there in any case, like the branches of an if statement.
    fn part(head: impl Into<String>, body: Vec<Node>, tail: impl Into<String>) -> Node {
        Node { removable: false, ..Node::around(head, body, tail) }
    }

    fn print(&self, indent: usize, out: &mut String) {
        print_lines(&self.head, indent, out);
        let deeper = usize::from(!self.head.is_empty());
        for node in &self.body {
            node.print(indent + deeper, out);
        }
        print_lines(&self.tail, indent, out);
    }
}

/// An annotation and its statement are one node of two lines.
fn print_lines(text: &str, indent: usize, out: &mut String) {
    for line in text.lines() {
        out.push_str(&"   ".repeat(indent));
        out.push_str(line);
        out.push('\n');
    }
}

/// A generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    pub root: Node,
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        self.root.print(0, &mut text);
        f.write_str(&text)
    }
}

/// Marsaglia's xorshift: the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random((seed.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0x2545_f491_4f6c_dd1d) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u64) as usize]
    }
}
