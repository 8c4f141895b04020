//! Trace flow graphs in Graphviz's language.

use rendez_model::Program;
use rendez_model::monitor::Monitor;

use crate::tfg::Tfg;

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
