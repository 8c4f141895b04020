//! Published tables beside ours, and comparisons with other tools.

mod directed;
mod families;
mod flavers;
mod flavers_families;
mod growth;
mod inca;
mod peers;

use rendez_model::Program;
use rendez_reach::Tig;
use rendez_reach::cats::Ticg;
use rendez_verdict::{Control, Options};

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use families::FAMILIES;

/// Bad usage or bad input, as in `rendez`.
const BAD_INPUT: u8 = 2;

/// Prints a line; a reader that has seen enough and closes the pipe is no error.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// The same, for messages.
macro_rules! complain {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

pub(crate) use {complain, say};

#[derive(Parser, Debug)]
#[command(
    name = "rendez-bench",
    version,
    about = "Published tables beside ours, and comparisons with other tools"
)]
pub struct Bench {
    #[arg(value_enum)]
    pub table: Table,
    /// Print the source of a program instead
    #[arg(long, value_name = "FAMILY:N")]
    pub emit: Option<String>,
    /// Only the parts of `flavers` whose name contains this: atm, table-vi, table-viii, sizes, largest,
    /// reduction, growth, propagation; of `inca`: example, figure-10, families, deadlock; of
    /// `directed`: tables, threads, planted; or of `peers`: FAMILY or FAMILY:N
    #[arg(long, value_name = "PART")]
    pub only: Option<String>,
    /// Where `growth`, `flavers`, `inca` and `directed` write their plots
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// Table II and the reports of CATS
    Cats,
    /// SPIN, in one run
    Peers,
    /// Time and memory against size
    Growth,
    /// The tables of the FLAVERS papers
    Flavers,
    /// The figures of the INCA paper
    Inca,
    /// The tables of the paper on directed model checking
    Directed,
}

/// Prints a table, or the source of a program; the exit status.
pub fn run(bench: &Bench) -> u8 {
    if let Some(wanted) = &bench.emit {
        return match source(wanted) {
            Ok(text) => {
                say!("{text}");
                0
            }
            Err(why) => {
                complain!("error: {why}");
                BAD_INPUT
            }
        };
    }
    match bench.table {
        Table::Cats => cats(),
        Table::Peers => peers::run(bench.only.as_deref()),
        Table::Growth => growth::run(bench.output.as_deref()),
        Table::Inca => inca::run(bench.output.as_deref(), bench.only.as_deref()),
        Table::Directed => directed::run(bench.output.as_deref(), bench.only.as_deref()),
        Table::Flavers => flavers::run(bench.output.as_deref(), bench.only.as_deref()),
    }
}

/// The source of one program of a family, or one of its properties; or what is wrong with the name.
pub fn source(wanted: &str) -> Result<String, String> {
    let mut parts = wanted.split(':');
    let name = parts.next().unwrap_or_default();
    let numbers: Vec<&str> = parts.collect();
    if let Some(family) = flavers_families::FAMILIES.iter().find(|f| f.name == name) {
        return flavers_source(family, &numbers);
    }
    if name.starts_with("inca-") {
        return inca::named_source(name, &numbers);
    }
    if directed::NAMES.iter().any(|(n, _)| *n == name) {
        return directed::named_source(name, &numbers);
    }
    let Some(family) = FAMILIES.iter().find(|f| f.name == name) else { return Err(families_there_are(name)) };
    let number = |text: &str, least: usize| text.parse::<usize>().ok().filter(|n| (least..=2000).contains(n));
    let sizes = match (numbers.as_slice(), family.second) {
        ([], _) => Some((3, None)),
        ([n], _) => number(n, 2).map(|n| (n, None)),
        ([n, m], Some(_)) => number(n, 1).zip(number(m, 1)).map(|(n, m)| (n, Some(m))),
        _ => None,
    };
    match sizes {
        Some((n, m)) => Ok(family.source(n, m).trim_end().to_owned()),
        None => {
            let second = if family.second.is_some() { "[:M]" } else { "" };
            Err(format!("--emit {name}:N{second} takes numbers from 2 to 2000"))
        }
    }
}

/// The names of all families, with what their numbers mean.
fn families_there_are(name: &str) -> String {
    let mut lines = vec![format!("there is no family `{name}`; there are:")];
    let second = |second: Option<(&str, usize)>| {
        second.map_or(String::new(), |(what, m)| format!("; M {what}, {m} if left out"))
    };
    for family in flavers_families::FAMILIES {
        let second = second(family.second);
        lines.push(format!("  {:<20} N {}{second}; or N:PROPERTY", family.name, family.what));
    }
    lines.extend(inca::NAMES.iter().map(|(name, what)| format!("  {name:<20} N {what}; or N:PROPERTY")));
    lines.extend(directed::NAMES.iter().map(|(name, what)| format!("  {name:<20} N {what}")));
    for family in FAMILIES {
        lines.push(format!("  {:<20} N {}{}", family.name, family.what, second(family.second)));
    }
    lines.join("\n")
}

/// `FAMILY:N`, `FAMILY:N:M`, or with the number of a property behind them, its file.
fn flavers_source(family: &flavers_families::Family, numbers: &[&str]) -> Result<String, String> {
    let parsed: Option<Vec<usize>> = numbers.iter().map(|n| n.parse().ok().filter(|n| *n <= 2000)).collect();
    let m = family.second.map_or(0, |s| s.1);
    let (n, m, property) = match (parsed.as_deref(), family.second) {
        (Some([]), _) => (3, m, 0),
        (Some([n]), _) => (*n, m, 0),
        (Some([n, m]), Some(_)) => (*n, *m, 0),
        (Some([n, property]), None) => (*n, m, *property),
        (Some([n, m, property]), Some(_)) => (*n, *m, *property),
        _ => (0, 0, 0),
    };
    if n < 2 || property > family.properties.len() {
        let second = if family.second.is_some() { "[:M]" } else { "" };
        return Err(format!(
            "--emit {}:N{second}[:PROPERTY] takes sizes from 2 to 2000 and properties from 1 to {}",
            family.name,
            family.properties.len()
        ));
    }
    let text = match property {
        0 => (family.ada)(n, m),
        p => (family.properties[p - 1].text)(n, m),
    };
    Ok(text.trim_end().to_owned())
}

/// The model of one program of a family, after all passes; `untracked` are taken to be anything.
fn model(family: &str, n: usize, untracked: &[&str]) -> Program {
    let family = FAMILIES.iter().find(|f| f.name == family).expect("a family");
    let front = rendez_ada::read_text(&family.source(n, None));
    let mut program = front.program.unwrap_or_else(|| panic!("{:?}", front.diagnostics));
    rendez_analysis::passes::make_opaque(&mut program, |_, v| {
        untracked.iter().any(|u| v.name.to_lowercase().ends_with(&u.to_lowercase()))
    });
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    program
}

/// The rows of Table II: part, construction, and states and edges from two philosophers on.
type Rows = (&'static str, Tig, &'static [(usize, usize)]);

const TABLE_II: &[Rows] = &[
    ("classical", Tig::Unoptimized, &[(40, 56), (268, 576), (1792, 5168), (11744, 42440), (76720, 332928)]),
    (
        "classical",
        Tig::Optimized,
        &[(19, 28), (84, 186), (375, 1112), (1653, 6130), (7282, 32412), (32063, 166502), (141167, 837808)],
    ),
    (
        "classical",
        Tig::Modified,
        &[
            (8, 10),
            (26, 51),
            (80, 212),
            (242, 805),
            (728, 2910),
            (2186, 10199),
            (6560, 34984),
            (19682, 118089),
            (59048, 393650),
        ],
    ),
    ("butler", Tig::Unoptimized, &[(157, 286), (1951, 4968), (22221, 72356)]),
    ("butler", Tig::Optimized, &[(58, 110), (489, 1374), (3794, 14204), (28686, 134045)]),
    ("butler", Tig::Modified, &[(28, 50), (154, 411), (832, 2964), (4474, 19925), (24040, 128478)]),
    ("unrolled butler", Tig::Unoptimized, &[(56, 59), (1025, 2135), (14444, 42467)]),
    (
        "unrolled butler",
        Tig::Optimized,
        &[(28, 31), (317, 737), (2862, 9783), (23767, 105769), (188942, 1029185)],
    ),
    (
        "unrolled butler",
        Tig::Modified,
        &[(11, 11), (79, 161), (511, 1543), (3111, 12389), (18263, 90155), (104679, 625873)],
    ),
];

fn tig_name(tig: Tig) -> &'static str {
    match tig {
        Tig::Unoptimized => "unoptimized",
        Tig::Optimized => "optimized",
        Tig::Modified => "modified",
        Tig::Split => "split",
    }
}

fn cats() -> u8 {
    crate::say!("Table II of CATS: states and edges, published and ours.");
    crate::say!("Edges as published: transitions, a self loop for each terminal state, minus one.\n");
    crate::say!("| program | construction | n | states | ours | edges | ours | deadlocks | |");
    crate::say!("|---|---|---|---|---|---|---|---|---|");
    let (mut equal, mut rows) = (0, 0);
    let options = Options { max_states: 50_000_000, ..Options::default() };
    for (part, tig, published) in TABLE_II {
        for (i, (states, edges)) in published.iter().enumerate() {
            let n = i + 2;
            let program = match *part {
                "classical" => model("philosophers", n, &[]),
                "butler" => model("butler", n, &["room_occupants"]),
                _ => model("butler", n, &[]),
            };
            let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
            let Some(ticg) = Ticg::new(&semantics, *tig, &options, &Control::default()) else {
                crate::say!("| {part} | {} | {n} | {states} | limit | | | | |", tig_name(*tig));
                continue;
            };
            let ours = ticg.edges() + ticg.terminal() - 1;
            let same = ticg.states() == *states && ours == *edges;
            // One digit of the last row is a misprint: the ratios in the table confirm ours.
            let misprint = ticg.states() == *states && *edges == 625_873 && ours == 615_873;
            rows += 1;
            equal += usize::from(same);
            let mark = match (same, misprint) {
                (true, _) => "",
                (false, true) => "misprint",
                (false, false) => "DIFFERENT",
            };
            let deadlocks = match ticg.states() > 30_000 {
                true => "-".to_owned(),
                false => ticg.potential_deadlocks().len().to_string(),
            };
            crate::say!(
                "| {part} | {} | {n} | {states} | {} | {edges} | {ours} | {deadlocks} | {mark} |",
                tig_name(*tig),
                ticg.states()
            );
        }
    }
    crate::say!("\n{equal} of {rows} rows equal");
    crate::say!("\nThe report on four philosophers (unoptimized):\n");
    let program = model("philosophers", 4, &[]);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    if let Some(ticg) = Ticg::new(&semantics, Tig::Unoptimized, &options, &Control::default()) {
        for id in ticg.potential_deadlocks() {
            ticg.path(id).iter().chain(&ticg.ready(id)).for_each(|line| crate::say!("{line}"));
        }
    }
    crate::say!("\nFigures 2 and 7, and Chiron:\n");
    crate::say!("| program | construction | states | edges | potential deadlocks |");
    crate::say!("|---|---|---|---|---|");
    for (family, n, tig) in [
        ("figure-2", 2, Tig::Optimized),
        ("figure-2", 2, Tig::Modified),
        ("figure-7-if", 2, Tig::Modified),
        ("figure-7-select", 2, Tig::Modified),
        ("ordered", 4, Tig::Modified),
        ("ordered", 4, Tig::Optimized),
        ("ordered", 4, Tig::Unoptimized),
        ("chiron-centralised", 2, Tig::Modified),
        ("chiron-centralised", 3, Tig::Modified),
        ("chiron-decomposed", 2, Tig::Modified),
        ("chiron-decomposed", 3, Tig::Modified),
    ] {
        let program = model(family, n, &[]);
        let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
        if let Some(ticg) = Ticg::new(&semantics, tig, &options, &Control::default()) {
            crate::say!(
                "| {family}:{n} | {} | {} | {} | {} |",
                tig_name(tig),
                ticg.states(),
                ticg.edges(),
                ticg.potential_deadlocks().len()
            );
        }
    }
    u8::from(equal + 1 < rows)
}
