//! Automata and linear systems for other programs.
//!
//! The automata of a net are written for Graphviz: one box for each component and interval, dashed edges from one
//! interval to the next, and the target in red. They are the flowgraph of the INCA paper (Siegel and Avrunin, 2002,
//! section 3.2.1), as the engine sees it.
//!
//! Linear systems are written in the LP and MPS formats, so that other solvers can confirm an answer or be compared.
//! The objective and the integrality of all columns are those that the engine uses. A system has a solution if what is
//! asked for may happen; one without a solution proves the property. A row without terms that cannot be met is written
//! with a zero coefficient in the LP format, so that it is not lost.
//!
//! Cuts are not part of the export: they belong to a proof, and a certificate (`rendez_certificate::text`) has them.

use std::collections::BTreeSet;
use std::fmt::Write;

use rendez_certificate::System;
use rendez_model::Program;
use rendez_petri::StepCache;
use rendez_petri::net::{Net, TransitionRole};

use crate::decide::name;

/// The automata of all components, in Graphviz's language; intervals of a query are boxes of their
/// own, and what leads from one to the next is dashed.
pub fn dot(program: &Program, cache: &StepCache, net: &Net) -> String {
    let mut out = String::from("digraph net {\n  node [shape=circle, label=\"\"];\n");
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    for (c, component) in net.components.iter().enumerate() {
        let places = |k: u32| {
            let mine = move |(_, p): &(usize, &rendez_petri::net::Place)| {
                p.component as usize == c && p.interval == k
            };
            net.places.iter().enumerate().filter(mine).map(|(p, _)| p).collect::<Vec<_>>()
        };
        let last = net.places.iter().map(|p| p.interval).max().unwrap_or(0);
        for k in 0..=last {
            let list = places(k);
            if list.is_empty() {
                continue;
            }
            let title = if last > 0 {
                format!("{}, interval {}", component.name, k + 1)
            } else {
                component.name.clone()
            };
            let _ = writeln!(out, "  subgraph cluster_{c}_{k} {{\n    label=\"{}\";", quoted(&title));
            for p in list {
                let shape = if net.initial.contains(&(p as u32)) { ", penwidth=3" } else { "" };
                let _ = writeln!(out, "    p{p} [label=\"{p}\"{shape}];");
            }
            out.push_str("  }\n");
        }
    }
    let mut known = BTreeSet::new();
    for (t, transition) in net.transitions.iter().enumerate() {
        let label = match transition.role {
            TransitionRole::Connect => String::new(),
            _ => quoted(&name(program, cache, net, t as u32)),
        };
        let style = match transition.role {
            TransitionRole::Connect | TransitionRole::Boundary => ", style=dashed",
            TransitionRole::Target | TransitionRole::Unsupported => ", color=red",
            TransitionRole::Step => "",
        };
        for (i, from) in transition.before.iter().enumerate() {
            let to = transition.after.get(i).copied();
            // Who only looks on has no edge.
            if to == Some(*from) && transition.before.len() > 1 && transition.role != TransitionRole::Step {
                continue;
            }
            let edge = match to {
                Some(to) => format!("  p{from} -> p{to} [label=\"{label}\"{style}];"),
                None => format!("  p{from} -> end [label=\"{label}\"{style}];"),
            };
            if known.insert(edge.clone()) {
                let _ = writeln!(out, "{edge}");
            }
        }
    }
    if net.transitions.iter().any(|t| !t.goes_on()) {
        out.push_str("  end [shape=doublecircle, label=\"end\"];\n");
    }
    out.push_str("}\n");
    out
}

/// A system in the LP format; it has a solution if what is asked for may happen.
pub fn lp(system: &System) -> String {
    let sum = |terms: &[(u32, i64)]| {
        let mut text = String::new();
        for (i, (column, k)) in terms.iter().enumerate() {
            let sign = if *k < 0 { "-" } else { "+" };
            // Long lines are not for every solver.
            let gap = if i % 12 == 11 { "\n   " } else { " " };
            let _ = write!(text, "{gap}{sign} {} x{column}", k.abs());
        }
        text
    };
    let mut out = String::from("Minimize\n length:");
    let all: Vec<(u32, i64)> = (0..system.transitions as u32).map(|c| (c, 1)).collect();
    out.push_str(&sum(&all));
    out.push_str("\nSubject To\n");
    for (i, row) in system.rows.iter().enumerate().filter(|(_, r)| !r.terms.is_empty()) {
        let sign = if row.equal { "=" } else { ">=" };
        let _ = writeln!(out, " r{i}:{} {sign} {}", sum(&row.terms), row.least);
    }
    impossible(system).iter().for_each(|i| {
        let _ = writeln!(out, " r{i}: 0 x0 >= 1");
    });
    out.push_str("General\n");
    (0..system.columns).for_each(|c| {
        let _ = writeln!(out, " x{c}");
    });
    out.push_str("End\n");
    out
}

/// Rows without terms that cannot be met.
fn impossible(system: &System) -> Vec<usize> {
    let bad = |i: &usize| {
        let row = &system.rows[*i];
        row.terms.is_empty() && (row.least > 0 || (row.equal && row.least != 0))
    };
    (0..system.rows.len()).filter(bad).collect()
}

/// A system in the MPS format.
pub fn mps(system: &System) -> String {
    let mut out = String::from("NAME rendez\nROWS\n N length\n");
    for (i, row) in system.rows.iter().enumerate() {
        let _ = writeln!(out, " {} r{i}", if row.equal { 'E' } else { 'G' });
    }
    let mut columns: Vec<Vec<(usize, i64)>> = vec![Vec::new(); system.columns];
    for (i, row) in system.rows.iter().enumerate() {
        row.terms.iter().for_each(|(c, k)| columns[*c as usize].push((i, *k)));
    }
    out.push_str("COLUMNS\n MARKER 'MARKER' 'INTORG'\n");
    for (c, list) in columns.iter().enumerate() {
        let cost = i64::from(c < system.transitions);
        let _ = writeln!(out, " x{c} length {cost}");
        for (row, k) in list {
            let _ = writeln!(out, " x{c} r{row} {k}");
        }
    }
    out.push_str(" MARKER 'MARKER' 'INTEND'\nRHS\n");
    for (i, row) in system.rows.iter().enumerate().filter(|(_, r)| r.least != 0) {
        let _ = writeln!(out, " rhs r{i} {}", row.least);
    }
    out.push_str("BOUNDS\n");
    (0..system.columns).for_each(|c| {
        let _ = writeln!(out, " PL bound x{c}");
    });
    out.push_str("ENDATA\n");
    out
}
