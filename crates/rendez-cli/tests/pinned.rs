//! What each reduction does with the corpus and with generated programs, pinned: `corpus/pinned.tsv` has the size of each
//! model after the passes, the states that `reach` keeps and the steps that it takes, with all reductions and without one of them, and what the proofs by the
//! code alone show. A reduction that does less than it did, or more, shows here even where no verdict changes.
//!
//! `RENDEZ_PIN=1 cargo test --test pinned` writes the file anew; every line that changes wants a reason.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use rendez_cli::arguments::{Arguments, Command};
use rendez_model::Program;
use rendez_reach::Config;
use rendez_verdict::{Control, End, Options};

/// Larger searches are given up.
const MOST_STATES: usize = 3000;
/// Programs of each generator.
const SEEDS: std::ops::Range<u64> = 1..250;
type Generator = fn(u64) -> rendez_generate::Program;
const GENERATORS: [(&str, Generator); 4] = [
    ("program", |seed| rendez_generate::program(seed, "Main")),
    ("apart", |seed| rendez_generate::apart(seed, "Main")),
    ("endless", |seed| rendez_generate::endless(seed, "Main").0),
    ("visible", |seed| rendez_generate::visible(seed, "Main").0),
];
const HEADER: &str = "program\tnodes\tcells\tall\tno stubborn\tno symmetry\tno meeting\tno forgetting\tno merging\tfree\tends\tnever raised";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let header = text.lines().take_while(|l| l.starts_with("--"));
    header
        .filter_map(|l| l.trim_start_matches('-').trim().strip_prefix(name))
        .find_map(|l| l.strip_prefix(':'))
}

/// A program after all passes, with what its properties follow; none if it is refused.
fn prepared(file: &Path) -> Option<Program> {
    let text = rendez_source::decode(&std::fs::read(file).ok()?).ok()?;
    if field(&text, "reject").is_some() {
        return None;
    }
    let mut words: Vec<String> = vec!["rendez".into(), "check".into(), file.display().to_string()];
    words.extend(field(&text, "options").unwrap_or("").split_whitespace().map(str::to_owned));
    if let Some(property) = field(&text, "property") {
        words.extend(["--property".into(), file.with_file_name(property.trim()).display().to_string()]);
    }
    let Ok(Arguments { command: Command::Check(check) }) = Arguments::try_parse_from(words) else {
        return None;
    };
    let ready = rendez_cli::prepared(&check).ok()?;
    Some(ready.program)
}

fn generated(source: &str) -> Option<Program> {
    let mut program = rendez_ada::read_text(source).program?;
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    rendez_analysis::passes::classify_inputs(&mut program);
    rendez_analysis::passes::drop_idle_locks(&mut program);
    Some(program)
}

/// The line of a program.
fn pinned(name: &str, program: &Program) -> String {
    let semantics = rendez_analysis::semantics(program, rendez_model::semantics::DEFAULT_RECURSION);
    let options = Options { max_states: MOST_STATES, ..Options::default() };
    let config = Config { at_once: Duration::from_secs(3600), ..Config::default() };
    let ways = [
        config.clone(),
        Config { stubborn: false, ..config.clone() },
        Config { symmetry: false, ..config.clone() },
        Config { synchronous: false, ..config.clone() },
        Config { forget: false, ..config.clone() },
        Config { merge: false, ..config.clone() },
    ];
    let mut line = format!("{name}\t{}\t{}", program.nodes.len(), program.vars.len());
    for way in &ways {
        let reached = rendez_reach::reach(&semantics, &options, way, &Control::default(), &[]);
        let _ = match reached.end {
            End::Complete => write!(line, "\t{} {}", reached.stats.states, reached.stats.transitions),
            _ => write!(line, "\tmore"),
        };
    }
    let yes = |b: bool| if b { "yes" } else { "no" };
    let (free, ends) = (rendez_reach::never_blocks(program), rendez_reach::everybody_ends(program));
    let raised = rendez_reach::never_raised(program);
    let held: String = (raised.iter().map(|k| &k.name()[..1])).collect();
    let _ = write!(line, "\t{}\t{}\t{}", yes(free), yes(ends), if held.is_empty() { "-" } else { &held });
    line
}

fn measured() -> Vec<String> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(corpus()).expect("the corpus").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    let of_corpus = files.iter().filter_map(|file| {
        let program = prepared(file).filter(|p| p.wide_select().is_none())?;
        Some(pinned(&file.file_stem()?.to_string_lossy(), &program))
    });
    let seeds = GENERATORS.iter().flat_map(|g| SEEDS.map(move |seed| (g, seed)));
    let of_seeds = seeds.filter_map(|((name, generator), seed)| {
        Some(pinned(&format!("{name} {seed}"), &generated(&generator(seed).to_string())?))
    });
    of_corpus.chain(of_seeds).collect()
}

#[test]
fn reductions_do_what_they_did() {
    let work = std::thread::Builder::new().stack_size(256 << 20).spawn(measured).expect("a thread");
    let lines = work.join().expect("no panic");
    let file = corpus().join("pinned.tsv");
    if std::env::var_os("RENDEZ_PIN").is_some() {
        std::fs::write(&file, format!("{HEADER}\n{}\n", lines.join("\n"))).expect("the file is written");
        return;
    }
    let known = std::fs::read_to_string(&file).expect("corpus/pinned.tsv");
    let known: Vec<&str> = known.lines().skip(1).collect();
    let mut changed = String::new();
    for line in known.iter().filter(|l| !lines.iter().any(|m| m == *l)) {
        let _ = writeln!(changed, "- {line}");
    }
    for line in lines.iter().filter(|l| !known.contains(&l.as_str())) {
        let _ = writeln!(changed, "+ {line}");
    }
    assert!(changed.is_empty(), "{HEADER}\n{changed}");
}
