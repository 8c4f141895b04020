//! Trace flow graphs for people: names of nodes, and pictures in Graphviz's language.
//!
//! In a picture, local nodes are circles, communication nodes are diamonds, start and end are triangles, and the nodes
//! of a task or a protected object share a frame. Nodes with letters are bold. On request, nodes that may happen in
//! parallel are joined by dashed lines.

use std::collections::BTreeMap;

use rendez_model::monitor::Monitor;
use rendez_model::{Action, Program};

use crate::tfg::{NodeId, NodeKind, Tfg};

/// Local nodes as circles, communication nodes as diamonds, start and end as triangles; what may
/// happen in parallel is dashed.
pub fn dot(program: &Program, automata: &[Monitor], tfg: &Tfg, parallel: bool) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph tfg {\n  node [fontsize=10];\n");
    for (class, nodes) in tfg.by_class() {
        let c = &tfg.classes[usize::from(class)];
        let name = match (c.object, c.members.first()) {
            (Some(object), _) => program.objects[object.index()].name.clone(),
            (None, Some(task)) if c.size() > 1 => {
                format!("{} tasks like {}", c.size(), program.tasks[task.index()].name)
            }
            (None, Some(task)) => program.tasks[task.index()].name.clone(),
            _ => String::new(),
        };
        let list: Vec<String> = nodes.iter().map(|n| format!("n{n};")).collect();
        out += &format!("  subgraph cluster_{class} {{ label=\"{}\"; {} }}\n", quoted(&name), list.join(" "));
    }
    for (n, node) in tfg.nodes.iter().enumerate() {
        let id = n as u32;
        let shape = match () {
            () if id == tfg.initial => "triangle",
            () if id == tfg.last => "invtriangle",
            () if node.is_com() => "diamond",
            () => "ellipse",
        };
        let letters: Vec<String> =
            node.letters.iter().map(|(a, l)| automata[usize::from(*a)].letter_name(*l)).collect();
        let label = match letters.is_empty() {
            true => tfg.describe(program, id),
            false => format!("{}\\n{}", tfg.describe(program, id), letters.join(", ")),
        };
        let bold = if letters.is_empty() { "" } else { ", style=bold" };
        out +=
            &format!("  n{n} [shape={shape}, label=\"{}\"{bold}];\n", quoted(&label).replace("\\\\n", "\\n"));
    }
    for (n, targets) in tfg.control().iter().enumerate() {
        for t in targets {
            out += &format!("  n{n} -> n{t};\n");
        }
    }
    if parallel {
        for (a, b) in tfg.mhp_pairs() {
            out += &format!("  n{a} -> n{b} [dir=none, style=dashed, constraint=false, color=gray];\n");
        }
    }
    out + "}\n"
}

impl Tfg {
    /// What a node is called.
    pub fn describe(&self, program: &Program, id: NodeId) -> String {
        let node = &self.nodes[id as usize];
        let who = |c: u16| {
            let class = &self.classes[c as usize];
            match class.object {
                Some(object) => program.objects[object.index()].name.clone(),
                None if class.size() > 1 => {
                    format!(
                        "one of {} tasks like {}",
                        class.size(),
                        program.tasks[class.members[0].index()].name
                    )
                }
                None => program.tasks[class.members[0].index()].name.clone(),
            }
        };
        if id == self.initial {
            return "start".into();
        }
        if id == self.last {
            return "end".into();
        }
        match node.kind {
            NodeKind::Accept { entry, .. } => {
                format!("{} calls {}", who(node.classes[0]), program.entry_name(entry))
            }
            NodeKind::Finish { entry } => {
                format!("{} of {} ends", program.entry_name(entry), who(node.classes[0]))
            }
            NodeKind::Enter { entry } => {
                format!("{} enters {}", who(node.classes[0]), program.entry_name(entry))
            }
            NodeKind::Other => format!("{} and {} meet", who(node.classes[0]), who(node.classes[1])),
            NodeKind::Local => match (&program.node(node.loc).action, node.classes.first()) {
                (Action::Event { name, .. }, Some(c)) => format!("{}: {name}", who(*c)),
                (_, Some(c)) => format!("{} at line {}", who(*c), program.node(node.loc).span.line),
                _ => String::new(),
            },
        }
    }

    /// Groups of nodes by class, for pictures.
    pub fn by_class(&self) -> BTreeMap<u16, Vec<NodeId>> {
        let mut groups: BTreeMap<u16, Vec<NodeId>> = BTreeMap::new();
        for (n, node) in self.nodes.iter().enumerate() {
            if let [class] = node.classes[..] {
                groups.entry(class).or_default().push(n as NodeId);
            }
        }
        groups
    }
}
