//! Automata in Graphviz's language, to look at and to read back.
//!
//! A property can be drawn: states that accept are double circles, states from which nothing is accepted any more are
//! grey, and transitions between two states are joined into one edge. Steps are shown with one name each, since sets of
//! names are known only for a program.
//!
//! The same form is read. A graph is an automaton if edges are labelled with events, an edge from the node `start`
//! leads to the first state, and accepting states are double circles; attributes of the graph give the alphabet and the
//! quantifier, `all` or `no`. Colours and layout mean nothing. What is missing or given twice is an error at its place.
//! So an automaton can be printed, edited and checked again.

use crate::Wrong;
use crate::automaton::singles;
use crate::regular::{Regular, WrittenAutomaton};
use crate::scan::{Scanner, Token, Words};

/// The node that the arrow to the start comes from.
const ARROW: &str = "start";

pub(crate) fn print(property: &Regular) -> Result<String, Wrong> {
    let dfa = property.automaton(&singles(property.symbols.len()))?;
    let names: Vec<&str> = property.symbols.iter().map(|s| s.0.as_str()).collect();
    let mut out = format!("digraph \"{}\" {{\n  rankdir=LR; quantifier=\"all\";\n", property.name);
    out += &format!("  events=\"{}\";\n  {ARROW} [shape=point];\n", names.join(", "));
    let doomed = dfa.doomed();
    for (s, accepting) in dfa.accepting.iter().enumerate() {
        let shape = if *accepting { "doublecircle" } else { "circle" };
        let grey = if doomed[s] { ", color=gray, fontcolor=gray" } else { "" };
        out += &format!("  s{s} [shape={shape}, label=\"{s}\"{grey}];\n");
    }
    out += &format!("  {ARROW} -> s{};\n", dfa.start);
    for s in 0..dfa.len() as u32 {
        for t in 0..dfa.len() as u32 {
            let on: Vec<&str> = (0..dfa.letters).filter(|l| dfa.step(s, *l) == t).map(|l| names[l]).collect();
            if !on.is_empty() {
                let grey = if doomed[t as usize] { ", color=gray, fontcolor=gray" } else { "" };
                out += &format!("  s{s} -> s{t} [label=\"{}\"{grey}];\n", on.join(", "));
            }
        }
    }
    Ok(out + "}\n")
}

/// After `digraph`.
pub(crate) fn parse(scanner: &mut Scanner) -> Result<Regular, Wrong> {
    let words = Words::Names;
    let position = scanner.position();
    let mut name = String::new();
    if !scanner.take("{", words) {
        name = identifier(scanner, "a name")?;
        scanner.expect("{", words)?;
    }
    let mut graph = WrittenAutomaton { all: true, ..WrittenAutomaton::default() };
    let mut declared = false;
    while !scanner.take("}", words) {
        if scanner.take(";", words) {
            continue;
        }
        let place = scanner.position();
        let subject = identifier(scanner, "a node or an attribute")?;
        if scanner.take("=", words) {
            let value = identifier(scanner, "a value")?;
            match subject.as_str() {
                "quantifier" if value == "all" || value == "no" => graph.all = value == "all",
                "quantifier" => return Err(Wrong::at(place, "the quantifier is `all` or `no`")),
                "events" => {
                    declared = true;
                    let symbols = value.split(',').map(|s| (s.trim().to_owned(), place));
                    graph.symbols = symbols.filter(|s| !s.0.is_empty()).collect();
                    let twice = |i: &usize| graph.symbols[..*i].iter().any(|s| s.0 == graph.symbols[*i].0);
                    if let Some(i) = (0..graph.symbols.len()).find(twice) {
                        let message = format!("`{}` is listed twice", graph.symbols[i].0);
                        return Err(Wrong::at(place, message));
                    }
                }
                _ => {}
            }
        } else if scanner.take("->", words) {
            let target = identifier(scanner, "a node")?;
            let attributes = attributes(scanner)?;
            let label = attributes.iter().find(|a| a.0 == "label").map(|a| a.1.as_str());
            match label {
                None if subject == ARROW || subject.starts_with("__") => {
                    if graph.start.replace((place, target)).is_some() {
                        return Err(Wrong::at(place, "there is one start"));
                    }
                }
                None => return Err(Wrong::at(place, "this edge has no label")),
                Some(label) => {
                    for symbol in label.split(',').map(str::trim).filter(|s| !s.is_empty()) {
                        let at = |name: &str| (place, name.to_owned());
                        graph.moves.push((at(&subject), at(symbol), at(&target)));
                    }
                }
            }
        } else {
            let attributes = attributes(scanner)?;
            let double = |(key, value): &(String, String)| {
                (key == "shape" && value == "doublecircle") || (key == "peripheries" && value == "2")
            };
            if !["node", "edge", "graph"].contains(&subject.as_str()) && attributes.iter().any(double) {
                graph.accepting.push((place, subject));
            }
        }
    }
    graph.finish(name, declared, position)
}

fn identifier(scanner: &mut Scanner, what: &str) -> Result<String, Wrong> {
    let mut ahead = scanner.clone();
    match ahead.next(Words::Names)? {
        Token::Word(word) | Token::Text(word) => {
            *scanner = ahead;
            Ok(word)
        }
        _ => Err(scanner.wrong(&format!("expected {what}"), Words::Names)),
    }
}

fn attributes(scanner: &mut Scanner) -> Result<Vec<(String, String)>, Wrong> {
    let words = Words::Names;
    let mut all = Vec::new();
    while scanner.take("[", words) {
        while !scanner.take("]", words) {
            if scanner.take(",", words) || scanner.take(";", words) {
                continue;
            }
            let key = identifier(scanner, "an attribute")?;
            scanner.expect("=", words)?;
            all.push((key, identifier(scanner, "a value")?));
        }
    }
    Ok(all)
}
