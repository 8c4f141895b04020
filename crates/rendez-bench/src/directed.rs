//! The tables of the paper on directed model checking beside ours.
//!
//! Its programs were not published: these are written anew, as Ada, with nested calls inserted at
//! random points from a seed.

use std::path::Path;
use std::time::Instant;

use rendez_directed::{DirectedSettings, Heuristic, Measure, Order, SearchTarget, Sought, seek};
use rendez_model::{Loc, Program};
use rendez_verdict::{BoundFormula, Control, End, Options, Random, Resolved};

use super::growth::{Curve, plot};
use crate::BAD_INPUT;

pub const NAMES: &[(&str, &str)] = &[
    ("hyman", "depth of the inserted calls"),
    ("nested-philosophers", "philosophers; M depth of the inserted calls"),
    ("barbers", "tasks: a barber and his customers; M depth of the inserted calls"),
    ("hasty-barbers", "the same, the error is nearer"),
    ("planted", "tasks that work; M depth of the inserted calls"),
];

/// Writes calls of nested procedures here and there.
struct Nest {
    random: Random,
    depth: usize,
}

impl Nest {
    fn new(depth: usize, seed: u64) -> Nest {
        Nest { random: Random::new(seed), depth }
    }

    /// The procedures: each calls the next, the last does something of its own.
    fn procedures(&self) -> String {
        let mut out = String::new();
        for i in (1..=self.depth).rev() {
            let body = match i == self.depth {
                true => "      Local := 1;\n".to_owned(),
                false => format!("      P{0};\n      P{0};\n", i + 1),
            };
            let local = if i == self.depth { "      Local : Integer := 0;\n" } else { "" };
            out += &format!("   procedure P{i} is\n{local}   begin\n{body}   end P{i};\n");
        }
        out
    }

    /// A call of some depth, or nothing.
    fn here(&mut self, indent: usize) -> String {
        if self.depth == 0 || self.random.below(3) == 0 {
            return String::new();
        }
        let from = 1 + self.random.below(self.depth.min(2));
        format!("{:indent$}P{from};\n", "")
    }
}

/// Hyman's algorithm for mutual exclusion, which is wrong.
fn hyman(depth: usize, seed: u64) -> String {
    let mut nest = Nest::new(depth, seed);
    let mut out = format!(
        "procedure Hyman is\n   B0 : Boolean := False;\n   pragma Volatile (B0);\n   B1 : Boolean := False;\n   pragma Volatile (B1);\n   K : Integer range 0 .. 1 := 0;\n   pragma Volatile (K);\n{}",
        nest.procedures()
    );
    for me in 0..2 {
        let other = 1 - me;
        out += &format!("   task T{me};\n   task body T{me} is\n   begin\n      loop\n");
        out += &nest.here(9);
        out += &format!("         B{me} := True;\n");
        out += &nest.here(9);
        out += &format!("         while K /= {me} loop\n");
        out += &nest.here(12);
        out += &format!("            while B{other} loop\n               null;\n            end loop;\n");
        out += &nest.here(12);
        out += &format!("            K := {me};\n         end loop;\n");
        out += &nest.here(9);
        out += &format!("         --@ event critical_{me}\n         B{me} := False;\n");
        out += &nest.here(9);
        out += &format!("      end loop;\n   end T{me};\n");
    }
    out + "begin\n   null;\nend Hyman;\n"
}

const LOCK: &str = "   protected type Lock is\n      entry Seize;\n      procedure Release;\n   private\n      Busy : Boolean := False;\n   end Lock;\n   protected body Lock is\n      entry Seize when not Busy is\n      begin\n         Busy := True;\n      end Seize;\n      procedure Release is\n      begin\n         Busy := False;\n      end Release;\n   end Lock;\n";

const SEMAPHORE: &str = "   protected type Semaphore (Initial : Natural) is\n      entry Wait;\n      procedure Signal;\n   private\n      Count : Integer range 0 .. 8 := Initial;\n   end Semaphore;\n   protected body Semaphore is\n      entry Wait when Count > 0 is\n      begin\n         Count := Count - 1;\n      end Wait;\n      procedure Signal is\n      begin\n         if Count < 8 then\n            Count := Count + 1;\n         end if;\n      end Signal;\n   end Semaphore;\n";

/// Philosophers with forks that are locks, everybody takes the left one first.
fn philosophers(n: usize, depth: usize, seed: u64) -> String {
    let mut nest = Nest::new(depth, seed);
    let mut out = format!(
        "procedure Philosophers is\n{LOCK}   Forks : array (0 .. {}) of Lock;\n{}",
        n - 1,
        nest.procedures()
    );
    for i in 0..n {
        out += &philosopher(&mut nest, i, (i + 1) % n);
    }
    out + "begin\n   null;\nend Philosophers;\n"
}

fn philosopher(nest: &mut Nest, i: usize, j: usize) -> String {
    let mut out = format!(
        "   task Phil_{i};\n   task body Phil_{i} is\n      Meals : Integer range 0 .. 999 := 0;\n   begin\n      loop\n"
    );
    for statement in [
        format!("Forks ({i}).Seize;"),
        format!("Forks ({j}).Seize;"),
        format!("Forks ({j}).Release;"),
        format!("Forks ({i}).Release;"),
        "Meals := (Meals + 1) mod 1000;".to_owned(),
    ] {
        out += &nest.here(9);
        out += &format!("         {statement}\n");
    }
    out += &nest.here(9);
    out + &format!("      end loop;\n   end Phil_{i};\n")
}

/// A barber and n - 1 customers. A customer who finds others waiting, or any if they are hasty, keeps the
/// shop to himself until the barber is ready, who needs the shop for that: then nobody goes on.
fn barbers(n: usize, depth: usize, seed: u64, hasty: bool) -> String {
    let mut nest = Nest::new(depth, seed);
    let mut out = format!(
        "procedure Barbers is\n{SEMAPHORE}   Shop : Semaphore (1);\n   Customers : Semaphore (0);\n   Ready : Semaphore (0);\n   Waiting : Integer range 0 .. {n} := 0;\n   pragma Volatile (Waiting);\n{}",
        nest.procedures()
    );
    out += "   task Barber;\n   task body Barber is\n   begin\n      loop\n";
    for statement in
        ["Customers.Wait;", "Shop.Wait;", "Waiting := Waiting - 1;", "Ready.Signal;", "Shop.Signal;"]
    {
        out += &nest.here(9);
        out += &format!("         {statement}\n");
    }
    out += "      end loop;\n   end Barber;\n";
    out += "   task type Customer;\n   task body Customer is\n";
    if hasty {
        out += "      Visits : Integer range 0 .. 999 := 0;\n   begin\n      loop\n";
        for statement in [
            "Shop.Wait;",
            "Waiting := Waiting + 1;",
            "Customers.Signal;",
            "Ready.Wait;",
            "Shop.Signal;",
            "Visits := (Visits + 1) mod 1000;",
        ] {
            out += &nest.here(9);
            out += &format!("         {statement}\n");
        }
    } else {
        out += "   begin\n      loop\n";
        out += &nest.here(9);
        out += "         Shop.Wait;\n";
        out += &nest.here(9);
        out += "         if Waiting > 0 then\n            Waiting := Waiting + 1;\n";
        out += &nest.here(12);
        out += "            Customers.Signal;\n            Ready.Wait;\n            Shop.Signal;\n";
        out += "         else\n            Waiting := 1;\n";
        out += &nest.here(12);
        out += "            Customers.Signal;\n            Shop.Signal;\n            Ready.Wait;\n         end if;\n";
    }
    out += "      end loop;\n   end Customer;\n";
    out += "   type Customer_Access is access Customer;\n   Next : Customer_Access;\nbegin\n";
    out += &format!("   for I in 1 .. {} loop\n      Next := new Customer;\n   end loop;\n", n - 1);
    out + "end Barbers;\n"
}

/// Two tasks that may block each other among n that only work and report to a server.
fn planted(n: usize, depth: usize, seed: u64) -> String {
    let mut nest = Nest::new(depth, seed);
    let mut out = format!(
        "procedure Planted is\n{LOCK}   Forks : array (0 .. 1) of Lock;\n   task Server is\n      entry Report;\n   end Server;\n{}   task body Server is\n   begin\n      loop\n         select\n            accept Report;\n         or\n            terminate;\n         end select;\n      end loop;\n   end Server;\n",
        nest.procedures()
    );
    for i in 0..n {
        out += &format!(
            "   task Worker_{i};\n   task body Worker_{i} is\n   begin\n      for Round in 1 .. 3 loop\n"
        );
        out += &nest.here(9);
        out += "         Server.Report;\n      end loop;\n";
        out += &format!("   end Worker_{i};\n");
    }
    out += &philosopher(&mut nest, 0, 1);
    out += &philosopher(&mut nest, 1, 0);
    out + "begin\n   null;\nend Planted;\n"
}

fn source(family: &str, n: usize, depth: usize, seed: u64) -> String {
    match family {
        "hyman" => hyman(depth, seed),
        "nested-philosophers" => philosophers(n, depth, seed),
        "barbers" => barbers(n, depth, seed, false),
        "hasty-barbers" => barbers(n, depth, seed, true),
        _ => planted(n, depth, seed),
    }
}

/// A program.
pub fn named_source(name: &str, numbers: &[&str]) -> Result<String, String> {
    let parsed: Option<Vec<u64>> = numbers.iter().map(|n| n.parse().ok()).collect();
    let sizes = match (name, parsed.as_deref()) {
        ("hyman", Some([])) => Some((2, 3, SEED)),
        ("hyman", Some([depth])) => Some((2, *depth as usize, SEED)),
        ("hyman", Some([depth, seed])) => Some((2, *depth as usize, *seed)),
        (_, Some([])) => Some((3, 3, SEED)),
        (_, Some([n])) => Some((*n as usize, 3, SEED)),
        (_, Some([n, depth])) => Some((*n as usize, *depth as usize, SEED)),
        (_, Some([n, depth, seed])) => Some((*n as usize, *depth as usize, *seed)),
        _ => None,
    };
    match sizes.filter(|(n, depth, _)| (2..=500).contains(n) && *depth <= 20) {
        Some((n, depth, seed)) => Ok(source(name, n, depth, seed).trim_end().to_owned()),
        None => Err(format!("--emit {name} takes tasks from 2 to 500, depth up to 20, and a seed")),
    }
}

/// The calls that were inserted for the tables.
const SEED: u64 = 1;
/// No search looks at more states.
const CUT: usize = 1_000_000;

struct Case {
    program: Program,
    /// What must hold always, if the error is no deadlock.
    formula: Option<Resolved>,
    /// Where tasks must be seen to stop for it.
    stops: Vec<Loc>,
}

impl Case {
    fn new(family: &str, n: usize, depth: usize, access: bool) -> Case {
        let text = source(family, n, depth, SEED);
        let front = rendez_ada::read_text(&text);
        let mut program = front.program.unwrap_or_else(|| panic!("{:?}", front.diagnostics));
        if access {
            rendez_analysis::passes::split_accesses(&mut program);
        }
        let mut stops = Vec::new();
        let formula = (family == "hyman").then(|| {
            let parsed = rendez_property::ctl::parse("always not (at critical_0 and at critical_1)");
            let parsed = parsed.expect("a formula");
            let nowhere = rendez_source::Span::NOWHERE;
            let question =
                BoundFormula::new(&program, "mutex", &parsed, nowhere).unwrap_or_else(|w| panic!("{w:?}"));
            stops = question.stops;
            match question.resolved {
                Resolved::Always(inner) => *inner,
                other => other,
            }
        });
        Case { program, formula, stops }
    }

    /// Searches at the granularity of the program: every step is a state.
    fn seek(&self, heuristic: Heuristic, order: Order, seed: u64, merge_local: bool) -> (Sought, f64) {
        let started = Instant::now();
        let options = Options { max_states: CUT, merge_local, memory: 8 << 30, ..Options::default() };
        let semantics = rendez_analysis::semantics(&self.program, options.recursion);
        let mut local = rendez_search::local_steps(&self.program, &options);
        self.stops.iter().for_each(|loc| local.access.local[loc.index()] = false);
        let wanted = self.formula.as_ref().map_or(SearchTarget::Blocking, SearchTarget::Formula);
        let settings = DirectedSettings { order, seed, ..DirectedSettings::default() };
        let found = seek(&semantics, &local, wanted, heuristic, &settings, &options, &Control::default());
        (found, started.elapsed().as_secs_f64())
    }
}

/// States that were generated, seconds, and the length of the trace; None if the error was not found.
type Found = Option<(usize, f64, usize)>;

fn run_one(case: &Case, heuristic: Heuristic, order: Order, seed: u64) -> (Found, f64) {
    let (directed, seconds) = case.seek(heuristic, order, seed, false);
    let search = &directed.search;
    let found = search.found.map(|(id, mv)| {
        (search.stats.states, seconds, search.graph.path(id).len() + usize::from(mv.is_some()))
    });
    (found.filter(|_| search.end == End::Found), directed.analysis)
}

/// The mean of ten random searches; nothing if one of them fails.
fn random(case: &Case) -> Found {
    let mut sum = (0, 0.0, 0);
    for seed in 1..=10 {
        let (states, seconds, steps) = run_one(case, Heuristic::Random, Order::Best, seed).0?;
        sum = (sum.0 + states, sum.1 + seconds, sum.2 + steps);
    }
    Some((sum.0 / 10, sum.1 / 10.0, sum.2 / 10))
}

fn states(found: &Found) -> String {
    found.as_ref().map_or("*".into(), |f| f.0.to_string())
}

fn seconds(found: &Found) -> String {
    found.as_ref().map_or("*".into(), |f| format!("{:.2}", f.1))
}

fn steps(found: &Found) -> String {
    found.as_ref().map_or("*".into(), |f| f.2.to_string())
}

/// Rows of Table II: name, family, tasks, depth, bound of EFSM, statement granularity, and the states
/// that were published for DFS, random, FSM, EFSM and e-FCA.
type Row = (&'static str, &'static str, usize, usize, usize, bool, [&'static str; 5]);

const TABLE_II: &[Row] = &[
    ("Hyman", "hyman", 2, 3, 1, false, ["6478", "15800", "10227", "7160", "3817"]),
    ("Hyman", "hyman", 2, 4, 1, false, ["16190", "59796", "41791", "21909", "13529"]),
    ("Hyman", "hyman", 2, 5, 1, false, ["40471", "91947", "123743", "59951", "38745"]),
    ("D-phil", "nested-philosophers", 2, 2, 1, false, ["157436", "475184", "53897", "4594", "1626"]),
    ("D-phil C", "nested-philosophers", 2, 2, 1, true, ["19769", "11497", "18148", "1036", "415"]),
    ("D-phil", "nested-philosophers", 2, 3, 1, false, ["*", "452092", "54725", "13830", "3816"]),
    ("D-phil C", "nested-philosophers", 2, 3, 1, true, ["157818", "95009", "8575", "3348", "1015"]),
    ("D-phil", "nested-philosophers", 2, 4, 0, false, ["*", "999480", "186419", "36467", "13696"]),
    ("D-phil C", "nested-philosophers", 2, 4, 0, true, ["548127", "173494", "42107", "10224", "3655"]),
    ("D-phil", "nested-philosophers", 2, 5, 0, false, ["*", "*", "334198", "400474", "55876"]),
    ("D-phil C", "nested-philosophers", 2, 5, 0, true, ["*", "370656", "861319", "142350", "14755"]),
    ("Barbers", "barbers", 3, 3, 1, false, ["*", "442285", "82333", "21465", "3298"]),
    ("Barbers", "barbers", 3, 4, 0, false, ["*", "939828", "73940", "75635", "13118"]),
    ("Barbers", "barbers", 3, 5, 0, false, ["*", "*", "378632", "388161", "66608"]),
];

pub fn run(output: Option<&Path>, only: Option<&str>) -> u8 {
    if let Some(folder) = output.filter(|f| !f.is_dir()) {
        crate::complain!("error: {}: there is no such folder", folder.display());
        return BAD_INPUT;
    }
    const PARTS: [&str; 3] = ["tables", "threads", "planted"];
    let wanted = |part: &str| only.is_none_or(|o| part.contains(o));
    if !PARTS.iter().any(|p| wanted(p)) {
        crate::complain!("error: there is no part `{}`; there are {}", only.unwrap_or(""), PARTS.join(", "));
        return BAD_INPUT;
    }
    let mut fine = true;
    if wanted("tables") {
        fine &= tables();
    }
    let mut curves = Vec::new();
    if wanted("threads") {
        curves.extend(threads());
    }
    if let Some(folder) = output
        && !curves.is_empty()
        && !write(&folder.join("directed-threads.svg"), &plot(&curves, "states", |p| p.1 as f64))
    {
        return BAD_INPUT;
    }
    if wanted("planted") {
        let curves = among_many();
        if let Some(folder) = output
            && !write(&folder.join("directed-planted.svg"), &plot(&curves, "seconds", |p| p.2.max(1e-3)))
        {
            return BAD_INPUT;
        }
    }
    u8::from(!fine)
}

fn write(file: &Path, text: &str) -> bool {
    std::fs::write(file, text)
        .map_err(|error| crate::complain!("error: {}: cannot be written: {error}", file.display()))
        .is_ok()
}

/// Tables I and II.
fn tables() -> bool {
    crate::say!("Tables I and II: states generated before the error was found, published in brackets;");
    crate::say!("`*` if not among {CUT}. C: a statement is one step, otherwise a read or a write is.\n");
    crate::say!("| program | T | M | k | DFS | random | FSM | EFSM | e-FCA | pattern | beforehand |");
    crate::say!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut times = Vec::new();
    let mut lengths = Vec::new();
    let mut analyses = Vec::new();
    let mut ratios = Vec::new();
    let mut fewer = true;
    for (name, family, n, depth, k, statement, published) in TABLE_II {
        let case = Case::new(family, *n, *depth, !statement);
        let dfs = run_one(&case, Heuristic::Blind, Order::Depth, 1).0;
        let by_chance = random(&case);
        let measured = |m| run_one(&case, Heuristic::Measured(m), Order::Best, 1);
        let (fsm, fsm_analysis) = measured(Measure::Fsm);
        let (efsm, efsm_analysis) = measured(Measure::Efsm(*k));
        let (efca, fca_analysis) = measured(Measure::Efca);
        let (directed, took) = case.seek(Heuristic::Pattern, Order::Best, 1, false);
        let pattern = directed.search.found.map(|(id, mv)| {
            let steps = directed.search.graph.path(id).len() + usize::from(mv.is_some());
            (directed.search.stats.states, took, steps)
        });
        let row = format!("| {name} | {n} | {depth}");
        let cell = |i: usize, found: &Found| format!("{} ({})", states(found), published[i]);
        crate::say!(
            "{row} | {k} | {} | {} | {} | {} | {} | {} | {} |",
            cell(0, &dfs),
            cell(1, &by_chance),
            cell(2, &fsm),
            cell(3, &efsm),
            cell(4, &efca),
            states(&pattern),
            directed.prepared,
        );
        let most = |f: &Found| f.as_ref().map_or(CUT, |f| f.0);
        fewer &= most(&efca) <= most(&fsm) && most(&efca) <= most(&efsm);
        ratios.push(most(&pattern) as f64 / most(&efca) as f64);
        let shortest = run_one(&case, Heuristic::Measured(Measure::Efca), Order::AStar, 1).0;
        times.push(format!(
            "{row} | {} | {} | {} | {} | {} | {} |",
            seconds(&dfs),
            seconds(&by_chance),
            seconds(&fsm),
            seconds(&efsm),
            seconds(&efca),
            seconds(&pattern)
        ));
        lengths.push(format!(
            "{row} | {} | {} | {} | {} | {} | {} | {} |",
            steps(&dfs),
            steps(&by_chance),
            steps(&fsm),
            steps(&efsm),
            steps(&efca),
            steps(&pattern),
            steps(&shortest)
        ));
        analyses.push(format!(
            "{row} | {:.4} | {:.4} | {:.4} | {:.4} |",
            fsm_analysis, efsm_analysis, fca_analysis, directed.analysis
        ));
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let verdict = if fewer { "fewer than" } else { "NOT always fewer than" };
    crate::say!(
        "\ne-FCA generates {verdict} FSM and EFSM; pattern {mean:.2} times as many as e-FCA on average."
    );
    crate::say!("\nSeconds.\n\n| program | T | M | DFS | random | FSM | EFSM | e-FCA | pattern |");
    crate::say!("|---|---|---|---|---|---|---|---|---|\n{}", times.join("\n"));
    crate::say!("\nSteps of the trace; A* the least to a state in which nobody can move.\n");
    crate::say!("| program | T | M | DFS | random | FSM | EFSM | e-FCA | pattern | A* |");
    crate::say!("|---|---|---|---|---|---|---|---|---|---|\n{}", lengths.join("\n"));
    crate::say!(
        "\nSeconds of static analysis (Table I).\n\n| program | T | M | FSM | EFSM | FCA | pattern |"
    );
    crate::say!("|---|---|---|---|---|---|---|\n{}\n", analyses.join("\n"));
    fewer && mean <= 0.5
}

/// Table III: barbers with more and more customers.
fn threads() -> Vec<Curve> {
    crate::say!("Table III: states generated for barbers, published in brackets.\n");
    crate::say!("| program | T | M | e-FCA | seconds | pattern | seconds |");
    crate::say!("|---|---|---|---|---|---|---|");
    const SIZES: [usize; 10] = [5, 9, 11, 15, 18, 20, 25, 30, 40, 51];
    const PUBLISHED: [(usize, [usize; 10]); 3] = [
        (2, [814, 1070, 1196, 1448, 1641, 1767, 2086, 2401, 3040, 3736]),
        (5, [7064, 7320, 7446, 7698, 7891, 8071, 8336, 8970, 9603, 10306]),
        (9, [92434, 93230, 93356, 93608, 93801, 93927, 94246, 94561, 92500, 95896]),
    ];
    let mut curves = Vec::new();
    let both = ["hasty-barbers", "barbers"];
    for (family, (depth, published)) in both.iter().flat_map(|f| PUBLISHED.map(|p| (*f, p))) {
        // Exact distances of states deep in calls take time.
        if family == "barbers" && depth > 5 {
            continue;
        }
        let (mut efca_points, mut pattern_points) = (Vec::new(), Vec::new());
        let mut lost = false;
        for (n, states_then) in SIZES.iter().zip(published) {
            let case = Case::new(family, *n, depth, true);
            // What is too much for some tasks is too much for more.
            let efca = match lost {
                true => None,
                false => run_one(&case, Heuristic::Measured(Measure::Efca), Order::Best, 1).0,
            };
            lost = efca.is_none();
            let (pattern, _) = run_one(&case, Heuristic::Pattern, Order::Best, 1);
            crate::say!(
                "| {family} | {n} | {depth} | {} ({states_then}) | {} | {} | {} |",
                states(&efca),
                seconds(&efca),
                states(&pattern),
                seconds(&pattern)
            );
            efca_points.extend(efca.map(|f| (*n, f.0, f.1, 0)));
            pattern_points.extend(pattern.map(|f| (*n, f.0, f.1, 0)));
        }
        if family == "hasty-barbers" {
            curves.push((format!("e-FCA, depth {depth}"), efca_points));
            curves.push((format!("pattern, depth {depth}"), pattern_points));
        }
    }
    crate::say!("");
    curves
}

/// A deadlock of two tasks among many others.
fn among_many() -> Vec<Curve> {
    crate::say!("A deadlock planted among tasks that work: states and seconds until it is found.\n");
    crate::say!("| tasks | M | exhaustive | seconds | e-FCA | seconds | pattern | seconds | task switches |");
    crate::say!("|---|---|---|---|---|---|---|---|---|");
    let mut curves: Vec<Curve> =
        ["exhaustive", "e-FCA", "pattern"].iter().map(|n| ((*n).to_owned(), Vec::new())).collect();
    for n in [2, 5, 10, 20, 50, 100, 200] {
        let case = Case::new("planted", n, 4, false);
        let searches = [
            (Heuristic::Blind, Order::Breadth),
            (Heuristic::Measured(Measure::Efca), Order::Best),
            (Heuristic::Pattern, Order::Best),
        ];
        let mut cells = String::new();
        let mut fewest = String::new();
        for (i, (heuristic, order)) in searches.into_iter().enumerate() {
            let (directed, took) = case.seek(heuristic, order, 1, true);
            let search = &directed.search;
            let total = search.stats.states;
            match search.found {
                Some((id, _)) => {
                    cells += &format!(" {total} | {took:.2} |");
                    curves[i].1.push((n, total, took, 0));
                    let path = search.graph.path(id);
                    let switches = path.windows(2).filter(|w| w[0].task != w[1].task).count();
                    fewest = switches.to_string();
                }
                None => cells += &format!(" more than {total} | {took:.2} |"),
            }
        }
        crate::say!("| {} | 4 |{cells} {fewest} |", n + 4);
    }
    crate::say!("");
    curves
}
