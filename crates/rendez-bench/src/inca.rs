//! The figures of the INCA paper beside ours.

use std::path::Path;
use std::time::{Duration, Instant};

use rendez_certificate::{IntervalQuery, Plan, Subject, learn, verify};
use rendez_ilp::published::Published;
use rendez_ilp::solve::{Whole, whole};
use rendez_ilp::{Decided, IlpSettings};
use rendez_model::Program;
use rendez_verdict::{Control, Options, Verdict};

use super::flavers::followed;
use super::growth::{Curve, plot};

pub const NAMES: &[(&str, &str)] =
    &[("inca-simple", "copies of the second task"), ("inca-relay", "tasks that pass a value on")];

/// The example of section 2 with n copies of its second task.
fn simple(n: usize) -> String {
    let mut out = String::from(
        "procedure Simple is\n   task T1 is\n      entry A;\n      entry B;\n      entry C;\n   end T1;\n   task body T1 is\n   begin\n",
    );
    out += &"      accept C;\n".repeat(n);
    out += "      loop\n         select\n";
    let again = "            accept A;\n            loop\n               select\n                  accept A;\n               or\n                  accept C;\n                  exit;\n               end select;\n            end loop;\n         or\n";
    out += &again.repeat(n);
    out += "            accept B;\n            loop\n               accept A;\n            end loop;\n         end select;\n      end loop;\n   end T1;\n";
    for i in 1..=n {
        out += &format!(
            "   task Client_{i};\n   task body Client_{i} is\n   begin\n      T1.C;\n      loop\n         T1.A;\n      end loop;\n   end Client_{i};\n"
        );
    }
    out + "   task T3;\n   task body T3 is\n   begin\n      T1.B;\n   end T3;\nbegin\n   null;\nend Simple;\n"
}

/// Figure 9 with n tasks.
fn relay(n: usize) -> String {
    let last = n - 1;
    let mut out = format!(
        "procedure Relay is\n   subtype Val is Natural range 0 .. {last};\n   task Resource is\n      entry Set (I : in Val);\n      entry Get (J : out Val);\n   end Resource;\n   task body Resource is\n      X : Val := {last};\n   begin\n      loop\n         select\n            accept Set (I : in Val) do\n               X := I;\n            end Set;\n         or\n            accept Get (J : out Val) do\n               J := X;\n            end Get;\n         end select;\n      end loop;\n   end Resource;\n"
    );
    for i in 0..n {
        let next = (i + 1) % n;
        out += &format!(
            "   task T{i};\n   task body T{i} is\n      Y : Val;\n   begin\n      loop\n         Resource.Get (Y);\n         if Y = {i} then\n            Resource.Set ({next});\n         end if;\n      end loop;\n   end T{i};\n"
        );
    }
    out + "begin\n   null;\nend Relay;\n"
}

const SIMPLE: &str = "event a = accept T1.A;\nevent b = accept T1.B;\n(defquery \"a before b\" \"nofair\"\n  (omega-star-less\n    (sequence\n      (interval :initial t :require '(\"a\") :ends-with '(\"b\")))))\n";
const SIMPLE_TWO: &str = "event a = accept T1.A;\nevent b = accept T1.B;\n(defquery \"a before b\" \"nofair\"\n  (omega-star-less\n    (sequence\n      (interval :initial t :forbid '(\"b\") :ends-with '(\"a\"))\n      (interval :ends-with '(\"b\")))))\n";

/// The value is set to n - 1 though it was never set to 0.
fn relay_first(n: usize) -> String {
    let last = n - 1;
    format!(
        "event p = accept Resource.Set with (0);\nevent r = accept Resource.Set with ({last});\n(defquery \"r without p\" \"nofair\"\n  (omega-star-less\n    (sequence\n      (interval :initial t :forbid '(\"p\") :ends-with '(\"r\")))))\n"
    )
}

/// It is set to n - 1 twice, and not to 0 between.
fn relay_twice(n: usize) -> String {
    let last = n - 1;
    format!(
        "event p = accept Resource.Set with (0);\nevent r = accept Resource.Set with ({last});\n(defquery \"r twice\" \"nofair\"\n  (omega-star-less\n    (sequence\n      (interval :initial t :open t :ends-with '(\"r\"))\n      (interval :forbid '(\"p\") :ends-with '(\"r\")))))\n"
    )
}

/// A program, or one of its queries.
pub fn named_source(name: &str, numbers: &[&str]) -> Result<String, String> {
    let size = numbers.first().map_or(Some(3), |n| n.parse().ok()).filter(|n| (2..=500).contains(n));
    let query = numbers.get(1).map_or(Some(0), |n| n.parse().ok()).filter(|q| *q <= 2);
    let text = match (name, size, query) {
        ("inca-simple", Some(n), Some(0)) => simple(n),
        ("inca-simple", Some(_), Some(1)) => SIMPLE.into(),
        ("inca-simple", Some(_), Some(2)) => SIMPLE_TWO.into(),
        ("inca-relay", Some(n), Some(0)) => relay(n),
        ("inca-relay", Some(n), Some(1)) => relay_first(n),
        ("inca-relay", Some(n), Some(2)) => relay_twice(n),
        _ => {
            return Err(
                "--emit inca-simple|inca-relay:N[:QUERY] takes sizes from 2 to 500, queries 1 and 2".into()
            );
        }
    };
    Ok(text.trim_end().to_owned())
}

fn options(seconds: u64) -> Options {
    Options { timeout: Some(Duration::from_secs(seconds)), ..Options::default() }
}

/// The verdict, with its proof checked anew.
fn certified(program: &Program, decided: &Decided) -> (String, f64) {
    let started = Instant::now();
    let text = match &decided.answer.answer {
        Verdict::Holds => {
            let mut single = program.clone();
            single.monitors.truncate(1);
            let recursion = Options::default().recursion;
            match verify(&single, recursion, &decided.subject, &decided.plan, decided.proof.as_ref()) {
                Ok(()) => "holds, certified".to_owned(),
                Err(why) => format!("WRONG PROOF: {why}"),
            }
        }
        Verdict::Violated(_) => "violated, replayed".into(),
        Verdict::Inconclusive(why, _) => {
            format!("inconclusive: {}", why.to_string().chars().take(50).collect::<String>())
        }
    };
    (text, started.elapsed().as_secs_f64())
}

pub fn run(output: Option<&Path>, only: Option<&str>) -> u8 {
    let wanted = |name: &str| only.is_none_or(|o| name.contains(o));
    let mut fine = true;
    if wanted("example") {
        fine &= example();
    }
    if wanted("figure-10") {
        fine &= figure_10();
    }
    if wanted("families") {
        fine &= families(output);
    }
    if wanted("deadlock") {
        fine &= deadlocks();
    }
    u8::from(!fine)
}

/// The published system of a program under a query of one interval.
fn published(source: &str, text: &str, split: bool) -> (Published, usize) {
    let program = followed(source, text, "query");
    let file = rendez_property::regular::parse_file(text).expect("a query");
    // No two of its events are one step.
    let letters = rendez_property::automaton::singles(program.monitors[0].letters);
    let query: IntervalQuery = file.properties[0].query(&letters).expect("a query");
    // The letters are of interest, not the automaton: it is at one place only.
    let mut observed = program;
    observed.monitors[0] = observed.monitors[0].watching();
    let semantics = rendez_analysis::semantics(&observed, Options::default().recursion);
    let plan = Plan { single: true, split, ..Plan::default() };
    let budget = rendez_petri::net::Budget { until: None, memory: usize::MAX, control: &Control::default() };
    let learnt = match learn(&semantics, &Subject::Property, &plan, budget) {
        Ok(learnt) => learnt,
        Err(why) => panic!("{why:?}"),
    };
    let first =
        learnt.net.components.iter().position(|c| c.name == "Resource" || c.name == "T1").unwrap_or(0);
    (Published::new(&observed, &learnt.cache, &learnt.net, &query), first)
}

/// Figures 3 and 4.
fn example() -> bool {
    crate::say!("## The example of section 2\n");
    let (system, _) = published(&simple(1), SIMPLE, false);
    let (rows, names) = system.rows();
    for (e, edge) in system.edges.iter().enumerate() {
        crate::say!("x{} : {} from {} to {}", e + 1, edge.label, edge.from, edge.to);
    }
    crate::say!();
    for (row, name) in rows.rows.iter().zip(&names) {
        let term = |t: &(u32, i64)| format!("{}x{}", if t.1 < 0 { "- " } else { "+ " }, t.0 + 1);
        let terms: Vec<String> = row.terms.iter().map(term).collect();
        let sign = if row.equal { "=" } else { ">=" };
        crate::say!("{name:<28} {} {sign} {}", terms.join(" "), row.least);
    }
    crate::say!();
    let mut fine = (rows.columns, rows.rows.len()) == (9, 12);
    // What follows the end of the interval is left out, as INCA does.
    let last: Vec<u32> = system.ends.values().filter(|l| l.len() == 1).map(|l| l[0]).collect();
    let behind = |e: &usize| {
        let edge = &system.edges[*e];
        last.contains(&edge.from)
            && edge.from == edge.to
            && edge.label.contains("T1.A")
            && edge.component == 0
    };
    let more: Vec<rendez_certificate::Row> = (0..system.edges.len())
        .filter(behind)
        .map(|e| rendez_certificate::Row::at_most(vec![(e as u32, 1)], 0))
        .collect();
    match whole(&rows, &more, 10.0) {
        Whole::Found(x) => {
            let used: Vec<String> =
                (0..rows.columns).filter(|c| x[*c] > 0.5).map(|c| format!("x{}", c + 1)).collect();
            crate::say!("Spurious solution (Figure 4): {}\n", used.join(", "));
        }
        _ => fine = false,
    }
    for (name, text) in [("one interval", SIMPLE), ("two intervals", SIMPLE_TWO)] {
        let program = followed(&simple(1), text, name);
        let decided =
            rendez_ilp::decide(&program, &IlpSettings::default(), &options(60), &Control::default())
                .swap_remove(0);
        let (verdict, _) = certified(&program, &decided);
        crate::say!("- {name}: {verdict}");
        fine &= verdict == "holds, certified";
    }
    crate::say!();
    fine
}

/// Variables, constraints, those that cycle elimination adds, and seconds of CPLEX.
const FIGURE_10: &[(usize, usize, usize, usize, usize, f64)] = &[
    (3, 23, 19, 28, 45, 0.05),
    (4, 39, 26, 52, 86, 0.05),
    (5, 59, 33, 84, 141, 0.12),
    (6, 83, 40, 124, 210, 0.56),
    (7, 111, 47, 172, 293, 2.93),
    (8, 143, 54, 228, 390, 49.14),
    (9, 179, 61, 292, 501, 717.16),
];

fn figure_10() -> bool {
    crate::say!("## Figure 10: Relay\n");
    crate::say!(
        "The published system, with its cycle elimination (bound 10,000) by HiGHS, and the engine as it is.\n"
    );
    crate::say!(
        "| n | paper variables, constraints | ours as published | added, paper | added, ours | CPLEX | without | with | engine variables, constraints | verdict | seconds, generation and proof | check |"
    );
    crate::say!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut fine = true;
    for (n, variables, constraints, more_v, more_c, cplex) in FIGURE_10 {
        let (system, resource) = published(&relay(*n), &relay_first(*n), true);
        let (rows, _) = system.rows();
        let (added_v, added_c, augmented) = system.augmented(resource as u32, 10_000);
        let without = match whole(&rows, &[], 20.0) {
            Whole::Found(_) => "spurious",
            Whole::Infeasible => "none",
            Whole::Unknown => "unknown",
        };
        let started = Instant::now();
        let with = match whole(&augmented, &[], 20.0) {
            Whole::Found(_) => "a solution".to_owned(),
            Whole::Infeasible => format!("none, {:.2} s", started.elapsed().as_secs_f64()),
            Whole::Unknown => "unknown".into(),
        };
        fine &= (added_v, added_c) == (*more_v, *more_c) && without == "spurious" && with != "a solution";
        let started = Instant::now();
        let program = followed(&relay(*n), &relay_first(*n), "relay");
        let decided =
            rendez_ilp::decide(&program, &IlpSettings::default(), &options(60), &Control::default())
                .swap_remove(0);
        let seconds = started.elapsed().as_secs_f64();
        let (verdict, check) = certified(&program, &decided);
        let ilp = decided.answer.stats.and_then(|s| s.ilp).unwrap_or_default();
        fine &= verdict == "holds, certified" && (*n < 9 || seconds < cplex / 100.0);
        crate::say!(
            "| {n} | {variables}, {constraints} | {}, {} | {more_v}, {more_c} | {added_v}, {added_c} | {cplex} | {without} | {with} | {}, {} | {verdict} | {seconds:.3} | {check:.3} |",
            rows.columns,
            rows.rows.len(),
            ilp.variables,
            ilp.constraints
        );
    }
    crate::say!();
    fine
}

/// Smaller programs are not fitted: what they take is mostly the same.
const SMALLEST: usize = 10;

/// The power of the first that the second grows like: the line through the logarithms with the least squares.
fn power(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().fold((0.0, 0.0), |m, l| (m.0 + l.0 / count, m.1 + l.1 / count));
    let both: f64 = logs.iter().map(|l| (l.0 - mean.0) * (l.1 - mean.1)).sum();
    both / logs.iter().map(|l| (l.0 - mean.0).powi(2)).sum::<f64>()
}

/// Scaled programs: sizes, verdicts and seconds.
fn families(output: Option<&Path>) -> bool {
    crate::say!("## Scaled programs\n");
    crate::say!(
        "| program | n | flowgraph | places | variables | constraints | linear programs | cuts | verdict | generation s | seconds with source | check |"
    );
    crate::say!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut fine = true;
    let mut curves: Vec<Curve> = Vec::new();
    // Sizes of flowgraphs, and the seconds that making them took.
    let mut generated: Vec<Vec<(usize, f64)>> = Vec::new();
    let chiron = |name: &'static str, property: usize| {
        let family = super::flavers_families::FAMILIES.iter().find(|f| f.name == name).expect("a family");
        move |n: usize| ((family.ada)(n, 0), (family.properties[property].text)(n, 0))
    };
    type Make<'a> = Box<dyn Fn(usize) -> (String, String) + 'a>;
    let rows: Vec<(&str, Make, Vec<usize>)> = vec![
        ("simple, one interval", Box::new(|n| (simple(n), SIMPLE.to_owned())), vec![2, 10, 20, 40, 80, 200]),
        ("simple, two intervals", Box::new(|n| (simple(n), SIMPLE_TWO.to_owned())), vec![10, 20, 40]),
        ("relay, r without p", Box::new(|n| (relay(n), relay_first(n))), vec![3, 9, 20, 30, 50, 70, 100]),
        ("relay, r twice", Box::new(|n| (relay(n), relay_twice(n))), vec![3, 10, 20, 30, 100]),
        ("chiron, 1b", Box::new(chiron("flavers-chiron", 0)), vec![2, 5, 10, 20, 40, 70]),
        ("chiron, 4", Box::new(chiron("flavers-chiron", 3)), vec![2, 5, 10, 20, 40, 70]),
        ("chiron decomposed, 1b", Box::new(chiron("chiron-subsystem", 0)), vec![2, 5, 10, 20, 40, 70]),
        ("chiron decomposed, 4", Box::new(chiron("chiron-subsystem", 3)), vec![2, 5, 10, 20, 40, 70]),
    ];
    for (name, make, sizes) in rows {
        let (mut points, mut made) = (Vec::new(), Vec::new());
        for n in sizes {
            let started = Instant::now();
            let (source, text) = make(n);
            let program = followed(&source, &text, name);
            let decided =
                rendez_ilp::decide(&program, &IlpSettings::default(), &options(300), &Control::default())
                    .swap_remove(0);
            let seconds = started.elapsed().as_secs_f64();
            let (verdict, check) = certified(&program, &decided);
            let ilp = decided.answer.stats.and_then(|s| s.ilp).unwrap_or_default();
            fine &= verdict == "holds, certified";
            crate::say!(
                "| {name} | {n} | {} | {} | {} | {} | {} | {} | {verdict} | {:.3} | {seconds:.2} | {check:.2} |",
                ilp.flowgraph,
                ilp.places,
                ilp.variables,
                ilp.constraints,
                ilp.programs,
                ilp.cuts,
                ilp.generation.as_secs_f64()
            );
            made.push((ilp.flowgraph, ilp.generation.as_secs_f64()));
            points.push((n, 0, seconds, 0));
        }
        curves.push((name.to_owned(), points));
        generated.push(made);
    }
    crate::say!();
    crate::say!("Growth, by least squares over the sizes from {SMALLEST} on:\n");
    for ((name, points), made) in curves.iter().zip(&generated) {
        let large = points.iter().zip(made).filter(|(point, _)| point.0 >= SMALLEST);
        let (whole, parts): (Vec<_>, Vec<_>) =
            large.map(|(point, made)| ((point.0 as f64, point.2), (made.0 as f64, made.1))).unzip();
        crate::say!(
            "- {name}, {} sizes: seconds grow like n^{:.2}, generation like the size of the flowgraph ^{:.2}",
            whole.len(),
            power(&whole),
            power(&parts)
        );
    }
    crate::say!();
    if let Some(folder) = output {
        let file = folder.join("inca-time.svg");
        if let Err(error) = std::fs::write(&file, plot(&curves, "seconds", |p| p.2.max(1e-3))) {
            crate::complain!("error: {}: cannot be written: {error}", file.display());
            return false;
        }
    }
    fine
}

/// Philosophers: ordered ones never block, others do.
fn deadlocks() -> bool {
    crate::say!("## Deadlock of philosophers\n");
    crate::say!(
        "| program | n | variables | constraints | linear programs | verdict | seconds with source | check |\n|---|---|---|---|---|---|---|---|"
    );
    let mut fine = true;
    for (name, sizes, holds) in
        [("ordered", &[10, 100, 300, 1000][..], true), ("philosophers", &[10, 100, 300, 1000][..], false)]
    {
        let family = super::FAMILIES.iter().find(|f| f.name == name).expect("a family");
        for n in sizes {
            let started = Instant::now();
            let program = super::flavers::prepared(&family.source(*n, None));
            let decided =
                rendez_ilp::deadlock(&program, &IlpSettings::default(), &options(300), &Control::default());
            let seconds = started.elapsed().as_secs_f64();
            let (verdict, check) = certified(&program, &decided);
            let ilp = decided.answer.stats.and_then(|s| s.ilp).unwrap_or_default();
            fine &= verdict.starts_with(if holds { "holds, certified" } else { "violated" });
            crate::say!(
                "| {name} | {n} | {} | {} | {} | {verdict} | {seconds:.2} | {check:.2} |",
                ilp.variables,
                ilp.constraints,
                ilp.programs
            );
        }
    }
    crate::say!();
    fine
}
