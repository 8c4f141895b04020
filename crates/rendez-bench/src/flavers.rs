//! The tables of the FLAVERS papers beside ours.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use rendez_flow::cfg::Facts;
use rendez_flow::constraint::{Constraint, Problem};
use rendez_flow::mhp::Bits;
use rendez_flow::propagate::{Conclusion, Interleaving, propagate};
use rendez_flow::tfg::{NodeKind, Tfg, TfgPlan};
use rendez_flow::{Flow, FlowSettings, cells_to_follow};
use rendez_model::{Program, TaskId, VarId};
use rendez_verdict::{Control, Engine, Options, PropertyAnswer, Verdict, all_sequences};

use super::flavers_families::{FAMILIES, Family, Property};
use super::growth::{Curve, plot};

/// The model of a program of a family with one of its properties, after all passes.
pub fn followed(source: &str, property: &str, name: &str) -> Program {
    let mut program = read(source);
    let file = rendez_property::regular::parse_file(property)
        .unwrap_or_else(|w| panic!("{name}: {w:?}\n{property}"));
    let bound = rendez_verdict::bind(&program, &file, |_| rendez_source::Span::NOWHERE)
        .unwrap_or_else(|w| panic!("{name}: {w:?}"));
    rendez_verdict::follow(&mut program, bound.into_iter().map(|b| b.monitor).collect());
    passed(program)
}

/// The model of a program, after all passes.
pub fn prepared(source: &str) -> Program {
    passed(read(source))
}

fn read(source: &str) -> Program {
    let front = rendez_ada::read_text(source);
    front.program.unwrap_or_else(|| panic!("{:?}", front.diagnostics))
}

fn passed(mut program: Program) -> Program {
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    rendez_analysis::passes::drop_idle_locks(&mut program);
    program
}

fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|f| f.name == name).expect("a family")
}

fn with(family: &Family, property: &Property, n: usize, m: usize) -> Program {
    followed(&(family.ada)(n, m), &(property.text)(n, m), property.name)
}

fn options(seconds: u64) -> Options {
    Options {
        timeout: Some(Duration::from_secs(seconds)),
        memory: 4 << 30,
        max_states: 400_000_000,
        ..Options::default()
    }
}

fn verdict(answer: &PropertyAnswer) -> String {
    match &answer.answer {
        Verdict::Holds => "holds".into(),
        Verdict::Violated(_) => "VIOLATED".into(),
        Verdict::Inconclusive(why, _) => {
            format!("inconclusive: {}", why.to_string().chars().take(60).collect::<String>())
        }
    }
}

/// Runs all tables, or only those whose name contains a word.
pub fn run(output: Option<&Path>, only: Option<&str>) -> u8 {
    let wanted = |name: &str| only.is_none_or(|o| name.contains(o));
    let mut fine = true;
    if wanted("atm") {
        fine &= atm();
    }
    if wanted("table-viii") {
        fine &= table_viii();
    }
    if wanted("table-vi") {
        fine &= table_vi();
    }
    if wanted("sizes") {
        fine &= sizes();
    }
    if wanted("largest") {
        fine &= largest();
    }
    if wanted("reduction") {
        fine &= reduction();
    }
    if only == Some("propagation") {
        propagation();
    }
    if wanted("growth") {
        growth(output);
    }
    u8::from(!fine)
}

const ATM: &str = include_str!("../atm.adb");

/// Figure, property, source, which source, with the variable automaton, tasks, and whether it holds.
type Stage<'a> = (&'a str, &'a str, &'a str, &'a str, bool, &'a [&'a str], bool);

/// The running example of the paper.
fn atm() -> bool {
    crate::say!("## The automated teller machine\n");
    let fig_3 = "for events {valid, invalid, transaction}\nshow all executions satisfy invalid*; (valid; transaction)?\n";
    let fig_11 = "for events {valid, invalid, eat_card}\nshow all executions satisfy (invalid?; valid) | (invalid; eat_card) | invalid?\n";
    let source = ATM.to_owned();
    let fixed = source.replace("Count = 2", "Count = 1");
    let mut fine = true;
    let program = followed(&source, fig_3, "Figure 3");
    let tfg = graph(&program, &BTreeSet::new(), false);
    let pairs = tfg.mhp_pairs();
    crate::say!(
        "Figure 8: {} nodes (published 23), {} control edges (33), {} pairs of nodes that may happen in parallel (14)",
        tfg.nodes.len(),
        tfg.control_edges(),
        pairs.len()
    );
    fine &= (tfg.nodes.len(), tfg.control_edges(), pairs.len()) == (23, 33, 14);
    let smaller = graph(&program, &BTreeSet::new(), true);
    crate::say!("Figure 9: {} nodes (18)", smaller.nodes.len());
    fine &= smaller.nodes.len() == 18;
    crate::say!("\n| property | program | constraints | paper | ours | path |\n|---|---|---|---|---|---|");
    let task = |program: &Program, name: &str| {
        (0..program.tasks.len()).find(|t| program.tasks[*t].name == name).map(TaskId::from)
    };
    let count = |program: &Program| -> Vec<VarId> {
        (0..program.vars.len()).filter(|v| program.vars[*v].name == "ATM.Count").map(VarId::from).collect()
    };
    let rows: [Stage; 7] = [
        ("Figure 3", fig_3, &source, "as published", false, &[], true),
        ("Figure 11", fig_11, &source, "as published", false, &[], false),
        ("Figure 11", fig_11, &source, "as published", true, &[], false),
        ("Figure 11", fig_11, &source, "as published", true, &["ATM"], false),
        ("Figure 11", fig_11, &source, "as published", true, &["ATM", "Customer"], false),
        ("Figure 11", fig_11, &fixed, "Count = 1", true, &[], false),
        ("Figure 11", fig_11, &fixed, "Count = 1", true, &["ATM"], true),
    ];
    for (name, property, source, which, variable, tasks, holds) in rows {
        let program = followed(source, property, name);
        let cells: BTreeSet<VarId> =
            if variable { count(&program).into_iter().collect() } else { BTreeSet::new() };
        let tfg = graph(&program, &cells, false);
        let mut constraints = Vec::new();
        if variable {
            constraints.push(Constraint::Cells(cells.iter().copied().collect()));
        }
        for t in tasks {
            let class =
                tfg.classes.iter().position(|c| task(&program, t).is_some_and(|t| c.members.contains(&t)));
            constraints.extend(class.map(|c| Constraint::Order(c as u16)));
        }
        let mut problem = Problem::new(&program, &tfg, &program.monitors, &constraints);
        let edges = Interleaving::new(&problem, &program, false);
        let run = propagate(&mut problem, &edges, &options(10), &Control::default(), Instant::now());
        let word = |h: bool| if h { "holds" } else { "inconclusive" };
        let path = match &run.verdict {
            Conclusion::Broken { path, .. } => {
                let events = path.iter().filter(|n| {
                    let node = &tfg.nodes[**n as usize];
                    node.is_com() || !node.ops.is_empty()
                });
                events.map(|n| tfg.describe(&program, *n)).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        };
        let ours = run.verdict == Conclusion::Holds;
        fine &= ours == holds;
        let mut used: Vec<String> = tasks.iter().map(|t| format!("TA {t}")).collect();
        if variable {
            used.insert(0, "VA count".into());
        }
        let used = if used.is_empty() { "none".to_owned() } else { used.join(", ") };
        crate::say!("| {name} | {which} | {used} | {} | {} | {path} |", word(holds), word(ours));
    }
    crate::say!("\nChosen automatically:\n");
    for (name, property, source) in [
        ("Figure 3", fig_3, &source),
        ("Figure 11", fig_11, &source),
        ("Figure 11, Count = 1", fig_11, &fixed),
    ] {
        let program = followed(source, property, name);
        let answer = Flow::default()
            .check(&program, &all_sequences(&program), &options(60), &Control::default())
            .properties
            .swap_remove(0);
        let rounds = answer.stats.and_then(|s| s.flow).map_or(0, |f| f.rounds);
        crate::say!("- {name}: {}, constraints: {}, {rounds} rounds", verdict(&answer), listed(&answer));
        fine &= matches!(answer.answer, Verdict::Violated(_)) == (name == "Figure 11");
    }
    crate::say!();
    fine
}

fn listed(answer: &PropertyAnswer) -> String {
    match (&answer.answer, answer.constraints.is_empty()) {
        (Verdict::Holds, true) => "none".into(),
        (Verdict::Holds, false) => answer.constraints.join("; "),
        _ => "-".into(),
    }
}

/// A graph with nodes of its own for each task.
fn graph(program: &Program, cells: &BTreeSet<VarId>, optimise: bool) -> Tfg {
    let mut facts = Facts::new(program);
    facts.unchecked = true;
    let plan = TfgPlan {
        program,
        facts: &facts,
        automata: &program.monitors,
        separate: &BTreeSet::new(),
        merge: false,
        cells,
        optimise,
        published: true,
    };
    Tfg::new(&plan).expect("a program that can be analysed")
}

/// Every rendezvous counts as an event, as in the published implementation.
fn published_events(tfg: &Tfg) -> Bits {
    let mut events = Bits::new(tfg.nodes.len());
    for (n, node) in tfg.nodes.iter().enumerate() {
        let is_rendezvous = node.is_com() && node.kind != NodeKind::Other;
        if is_rendezvous || !node.letters.is_empty() {
            events.set(n as u32);
        }
    }
    events
}

/// Sizes for the host version of the philosophers.
fn table_viii() -> bool {
    crate::say!("## Table VIII: host philosophers, mutual exclusion\n");
    crate::say!(
        "Published: 18n + 8 nodes (the last one is not counted), 32n^2 + 35n - 88 edges (132 for n = 2).\n"
    );
    crate::say!("| n | nodes | ours | edges | ours | |\n|---|---|---|---|---|---|");
    let host = family("flavers-dp-host");
    let mut fine = true;
    for n in 2..=20 {
        let program = with(host, &host.properties[0], n, 0);
        let tfg = graph(&program, &BTreeSet::new(), true);
        let nodes = tfg.nodes.len() - 1;
        let edges = tfg.control_edges() + tfg.mip_edges(&published_events(&tfg));
        let wanted = (18 * n + 8, if n == 2 { 132 } else { 32 * n * n + 35 * n - 88 });
        let same = (nodes, edges) == wanted;
        fine &= same;
        crate::say!(
            "| {n} | {} | {nodes} | {} | {edges} | {} |",
            wanted.0,
            wanted.1,
            if same { "" } else { "DIFFERENT" }
        );
    }
    crate::say!();
    fine
}

/// The constraints that are found for each version of the philosophers.
fn table_vi() -> bool {
    crate::say!("## Table VI: constraints for the philosophers, chosen automatically (n = 5)\n");
    crate::say!("Ours as published: communication nodes are events, whatever the constraints.\n");
    crate::say!(
        "| version | property | published | ours as published | ours | rounds |\n|---|---|---|---|---|---|"
    );
    let mut fine = true;
    for name in ["flavers-dp-standard", "flavers-dp-manager", "flavers-dp-dictionary", "flavers-dp-host"] {
        let family = family(name);
        for property in family.properties {
            let program = with(family, property, 5, 0);
            let answer = Flow::default()
                .check(&program, &all_sequences(&program), &options(60), &Control::default())
                .properties
                .swap_remove(0);
            let rounds = answer.stats.and_then(|s| s.flow).map_or(0, |f| f.rounds);
            fine &= matches!(answer.answer, Verdict::Holds);
            let settings = FlowSettings { published: true, separate: true, ..FlowSettings::default() };
            let old = Flow { settings }
                .check(&program, &all_sequences(&program), &options(60), &Control::default())
                .properties
                .swap_remove(0);
            let tell = |answer: &PropertyAnswer| match answer.answer {
                Verdict::Holds => listed(answer),
                _ => verdict(answer),
            };
            crate::say!(
                "| {name} | {} | {} | {} | {} | {rounds} |",
                property.name,
                property.published,
                tell(&old),
                tell(&answer)
            );
        }
    }
    crate::say!();
    fine
}

/// Family, second number, property, published degrees of nodes, edges, tuples and node-tuples.
type Law = (&'static str, usize, usize, [usize; 4]);

/// Tables II, V, III, VIII and XI.
const LAWS: &[Law] = &[
    ("flavers-rw", 0, 1, [1, 1, 2, 2]),
    ("flavers-gas", 3, 2, [1, 2, 1, 2]),
    ("flavers-gas", 3, 3, [1, 2, 2, 3]),
    ("flavers-dp-host", 0, 0, [1, 2, 0, 1]),
    ("flavers-chiron", 0, 8, [1, 2, 2, 3]),
];

const DEGREES: [&str; 4] = ["constant", "linear", "quadratic", "cubic"];

/// How the graph grows with nodes of their own for each task, and the propagation as it is done.
fn sizes() -> bool {
    crate::say!("## Growth laws: sizes fitted by a polynomial\n");
    crate::say!(
        "Each cell: the degree of the smallest polynomial that fits, the largest value, the published degree.\nNodes and edges: of the graph in which every task has nodes of its own. Tuples: as decided by default.\n"
    );
    crate::say!(
        "| family | property | n | nodes | edges | tuples | node-tuples |\n|---|---|---|---|---|---|---|"
    );
    let mut fine = true;
    for (name, second, property, published) in LAWS {
        let family = family(name);
        let property = &family.properties[*property];
        let sizes: Vec<usize> =
            (0..7).map(|i| 5 + i * if *name == "flavers-chiron" { 3 } else { 1 }).collect();
        let mut values: [Vec<f64>; 4] = Default::default();
        for n in &sizes {
            let program = with(family, property, *n, *second);
            let tfg = graph(&program, &BTreeSet::new(), true);
            let edges = tfg.control_edges() + tfg.mip_edges(&published_events(&tfg));
            let answer = Flow::default()
                .check(&program, &all_sequences(&program), &options(60), &Control::default())
                .properties
                .swap_remove(0);
            fine &= matches!(answer.answer, Verdict::Holds);
            let flow = answer.stats.and_then(|s| s.flow).unwrap_or_default();
            let row = [tfg.nodes.len(), edges, flow.tuples, flow.node_tuples];
            values.iter_mut().zip(row).for_each(|(list, value)| list.push(value as f64));
        }
        let points: Vec<f64> = sizes.iter().map(|n| *n as f64).collect();
        let cells: Vec<String> = values
            .iter()
            .zip(published)
            .map(|(list, published)| {
                let (degree, residual) = fit(&points, list);
                fine &= degree <= *published;
                let exact = if residual < 1e-6 { "" } else { ", not exactly" };
                let last = list[list.len() - 1];
                format!("{}{exact}, {last} ({})", DEGREES[degree], DEGREES[*published])
            })
            .collect();
        let last = sizes[sizes.len() - 1];
        crate::say!("| {name} | {} | {last} | {} |", property.name, cells.join(" | "));
    }
    crate::say!();
    fine
}

/// The smallest degree of a polynomial that fits within one percent by least squares, and its
/// greatest relative residual; cubic if none does.
fn fit(points: &[f64], values: &[f64]) -> (usize, f64) {
    let mut worst = 0.0;
    for degree in 0..DEGREES.len() {
        // Normal equations, solved by elimination.
        let size = degree + 1;
        let mut rows = vec![vec![0.0; size + 1]; size];
        for (x, y) in points.iter().zip(values) {
            for (i, row) in rows.iter_mut().enumerate() {
                for (j, cell) in row.iter_mut().enumerate() {
                    *cell += if j < size { x.powi((i + j) as i32) } else { x.powi(i as i32) * y };
                }
            }
        }
        for i in 0..size {
            let pivot = rows[i].clone();
            for (k, row) in rows.iter_mut().enumerate() {
                if k != i {
                    let factor = row[i] / pivot[i];
                    row.iter_mut().zip(&pivot).for_each(|(cell, p)| *cell -= factor * p);
                }
            }
        }
        let at = |x: f64| (0..size).map(|i| rows[i][size] / rows[i][i] * x.powi(i as i32)).sum::<f64>();
        worst = points.iter().zip(values).map(|(x, y)| (at(*x) - y).abs() / y).fold(0.0, f64::max);
        if worst < 0.01 {
            return (degree, worst);
        }
    }
    (DEGREES.len() - 1, worst)
}

/// Family, second number, size, property, and what the paper needed.
type Row = (&'static str, usize, usize, usize, &'static str);

const LARGEST: &[Row] = &[
    ("flavers-rw", 0, 200, 0, "29 s"),
    ("flavers-rw", 0, 200, 1, "6,901 s"),
    ("flavers-rw", 0, 200, 2, "about 30 s"),
    ("flavers-rw", 0, 200, 3, "about 33 s"),
    ("flavers-gas", 1, 200, 0, "out of memory beyond 7"),
    ("flavers-gas", 2, 200, 0, "out of memory beyond 5"),
    ("flavers-gas", 3, 200, 0, "out of memory beyond 4"),
    ("flavers-gas", 3, 200, 1, "proved"),
    ("flavers-gas", 3, 200, 2, "proved, 61,000 s by its fit"),
    ("flavers-gas", 1, 200, 3, "-"),
    ("flavers-gas", 2, 200, 3, "out of memory beyond 46"),
    ("flavers-gas", 3, 200, 3, "out of memory beyond 25"),
    ("flavers-dp-standard", 0, 200, 0, "proved"),
    ("flavers-dp-standard", 0, 200, 1, "proved"),
    ("flavers-dp-manager", 0, 200, 0, "proved"),
    ("flavers-dp-manager", 0, 200, 1, "proved"),
    ("flavers-dp-dictionary", 0, 200, 0, "proved"),
    ("flavers-dp-dictionary", 0, 200, 1, "proved"),
    ("flavers-dp-host", 0, 200, 0, "917 s by its fit"),
    ("flavers-dp-host", 0, 200, 1, "proved"),
    ("flavers-chiron", 0, 53, 0, "proved"),
    ("flavers-chiron", 0, 53, 1, "proved"),
    ("flavers-chiron", 0, 53, 2, "proved"),
    ("flavers-chiron", 0, 53, 3, "proved"),
    ("flavers-chiron", 0, 53, 4, "proved"),
    ("flavers-chiron", 0, 53, 5, "proved"),
    ("flavers-chiron", 0, 53, 6, "proved"),
    ("flavers-chiron", 0, 53, 7, "proved"),
    ("flavers-chiron", 0, 53, 8, "7,079 s by its fit"),
    ("flavers-chiron-decomposed", 0, 53, 0, "-"),
    ("flavers-chiron-decomposed", 0, 20, 6, "proved at 53"),
    ("flavers-chiron-decomposed", 0, 53, 8, "-"),
];

/// Every property at the largest size of the paper, with constraints chosen automatically.
fn largest() -> bool {
    crate::say!("## The properties at the paper's largest sizes\n");
    crate::say!(
        "Seconds are those of the analysis, all rounds of choosing constraints included, and with reading the source.\n"
    );
    crate::say!(
        "| family | n | property | paper | ours | seconds | with source | kB | nodes | node-tuples | rounds | constraints |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut fine = true;
    for (name, m, n, property, published) in LARGEST {
        let family = family(name);
        let property = &family.properties[*property];
        let started = Instant::now();
        let program = with(family, property, *n, *m);
        let ready = started.elapsed().as_secs_f64();
        let answer = Flow::default()
            .check(&program, &all_sequences(&program), &options(120), &Control::default())
            .properties
            .swap_remove(0);
        let stats = answer.stats.unwrap_or_default();
        let flow = stats.flow.unwrap_or_default();
        fine &= matches!(answer.answer, Verdict::Holds);
        let size = if *m > 0 { format!("{n}, {m} pumps") } else { n.to_string() };
        crate::say!(
            "| {name} | {size} | {} | {published} | {} | {:.2} | {:.2} | {} | {} | {} | {} | {} |",
            property.name,
            verdict(&answer),
            stats.seconds,
            ready + stats.seconds,
            stats.peak_bytes / 1024,
            flow.nodes,
            flow.node_tuples,
            flow.rounds,
            listed(&answer)
        );
    }
    crate::say!();
    fine
}

/// Edges between tasks with separate nodes: as published, where every communication node is an event;
/// between the events of a proof's constraints; and after the partial-order reduction. Once with the
/// constraints of the proof, once with all there are.
fn reduction() -> bool {
    crate::say!("## Edges between tasks, before and after the partial-order reduction\n");
    crate::say!(
        "| family | n | property | constraints | as published | between events in use | reduced | removed | verdict with and without |\n|---|---|---|---|---|---|---|---|---|"
    );
    let mut fine = true;
    let (mut shares, mut rows) = (0.0, 0);
    let cases: [(&str, usize, usize); 8] = [
        ("flavers-chiron", 2, 2),
        ("flavers-cyclic", 2, 0),
        ("flavers-cyclic", 4, 0),
        ("flavers-dp-manager", 3, 0),
        ("flavers-dp-host", 3, 0),
        ("flavers-rw", 2, 1),
        ("flavers-ring", 2, 0),
        ("flavers-ring", 3, 0),
    ];
    for (name, n, property) in cases {
        let family = family(name);
        let property = &family.properties[property];
        let program = with(family, property, n, 2);
        let settings = FlowSettings { separate: true, ..FlowSettings::default() };
        let answer = Flow { settings }
            .check(&program, &all_sequences(&program), &options(60), &Control::default())
            .properties
            .swap_remove(0);
        let facts = Facts::new(&program);
        let cells = cells_to_follow(&program, &facts);
        let plan = TfgPlan {
            program: &program,
            facts: &facts,
            automata: &program.monitors,
            separate: &BTreeSet::new(),
            merge: false,
            cells: &cells,
            optimise: true,
            published: false,
        };
        let tfg = Tfg::new(&plan).expect("a program that can be analysed");
        let all: Vec<Constraint> =
            rendez_flow::select::candidates(&program, &tfg).into_iter().flat_map(|c| c.parts).collect();
        let chosen = named(&program, &tfg, &answer.constraints);
        for (which, constraints) in [("of the proof", chosen), ("all", all)] {
            let mut words = Vec::new();
            let (mut published, mut before, mut after) = (0, 0, 0);
            for reduced in [true, false] {
                let whole = Problem::with(&program, &tfg, &program.monitors, &constraints, true);
                published = Interleaving::new(&whole, &program, false).before;
                let mut problem = Problem::new(&program, &tfg, &program.monitors, &constraints);
                let edges = Interleaving::new(&problem, &program, reduced);
                if reduced {
                    (before, after) = (edges.before, edges.after);
                }
                let limits = Options { max_states: 3_000_000, ..options(20) };
                let run = propagate(&mut problem, &edges, &limits, &Control::default(), Instant::now());
                words.push(match run.verdict {
                    Conclusion::Holds => "holds",
                    Conclusion::Cut(_) => "cut",
                    _ => "inconclusive",
                });
            }
            fine &= words[0] == words[1] || words.contains(&"cut");
            let share =
                if published == 0 { 0.0 } else { 100.0 * (published - after) as f64 / published as f64 };
            shares += share;
            rows += 1;
            crate::say!(
                "| {name} | {n} | {} | {which} | {published} | {before} | {after} | {share:.0} % | {}, {} |",
                property.name,
                words[0],
                words[1]
            );
        }
    }
    crate::say!(
        "\nOn average {:.0} % are removed (published: 25 % where any were).\n",
        shares / f64::from(rows.max(1))
    );
    fine
}

/// One propagation for a profiler: 200 philosophers with a host, the three task automata of the paper,
/// every task with nodes of its own.
fn propagation() {
    let host = family("flavers-dp-host");
    let program = with(host, &host.properties[0], 200, 0);
    let tfg = graph(&program, &BTreeSet::new(), true);
    let names = ["task Phil_1", "task Phil_2", "task Fork_2"].map(str::to_owned);
    let constraints = named(&program, &tfg, &names);
    let mut problem = Problem::new(&program, &tfg, &program.monitors, &constraints);
    let edges = Interleaving::new(&problem, &program, true);
    let started = Instant::now();
    let run = propagate(&mut problem, &edges, &options(60), &Control::default(), started);
    crate::say!(
        "{} tuples, {} node-tuples, {:.1} ns each (published: 87 and 273,584)",
        run.tuples,
        run.node_tuples,
        1e9 * started.elapsed().as_secs_f64() / run.node_tuples as f64
    );
}

/// Constraints by the names that a verdict gives them.
fn named(program: &Program, tfg: &Tfg, names: &[String]) -> Vec<Constraint> {
    let mut found = Vec::new();
    for name in names {
        if let Some(task) = name.strip_prefix("task ") {
            let class = tfg.classes.iter().position(|c| {
                c.members.first().is_some_and(|t| program.tasks[t.index()].name == task) && c.size() == 1
            });
            found.extend(class.map(|c| Constraint::Order(c as u16)));
        } else if let Some(object) = name.strip_prefix("object ") {
            let class = tfg
                .classes
                .iter()
                .position(|c| c.object.is_some_and(|o| program.objects[o.index()].name == object));
            found.extend(class.map(|c| Constraint::Order(c as u16)));
        } else if let Some(cells) = name.strip_prefix("variable ") {
            let cells: Vec<VarId> = cells
                .split(", ")
                .filter_map(|c| program.vars.iter().position(|v| v.name == c).map(VarId::from))
                .collect();
            found.push(Constraint::Cells(cells));
        }
    }
    found
}

/// Seconds against size, as pictures.
fn growth(output: Option<&Path>) {
    crate::say!("## Growth: seconds of the analysis\n");
    crate::say!("| family | property | n = 10 | 50 | 100 | 200 |\n|---|---|---|---|---|---|");
    let mut curves: Vec<Curve> = Vec::new();
    for (name, property) in [
        ("flavers-rw", 0),
        ("flavers-rw", 1),
        ("flavers-gas", 0),
        ("flavers-gas", 3),
        ("flavers-dp-host", 0),
        ("flavers-dp-manager", 0),
    ] {
        let family = family(name);
        let property = &family.properties[property];
        let mut cells = Vec::new();
        let mut points = Vec::new();
        for n in [10usize, 50, 100, 200] {
            let program = with(family, property, n, 3);
            let answer = Flow::default()
                .check(&program, &all_sequences(&program), &options(120), &Control::default())
                .properties
                .swap_remove(0);
            let seconds = answer.stats.unwrap_or_default().seconds;
            cells.push(match answer.answer {
                Verdict::Holds => format!("{seconds:.2}"),
                _ => verdict(&answer),
            });
            points.push((n, 0, seconds, 0));
        }
        crate::say!("| {name} | {} | {} |", property.name, cells.join(" | "));
        let short = name.trim_start_matches("flavers-");
        curves.push((format!("{short}: {}", property.name), points));
    }
    if let Some(folder) = output {
        let file = folder.join("flavers-time.svg");
        if let Err(error) = std::fs::write(&file, plot(&curves, "seconds", |p| p.2.max(1e-4))) {
            crate::complain!("error: {}: cannot be written: {error}", file.display());
        }
    }
    crate::say!();
}
