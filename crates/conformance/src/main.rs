//! Conformance: what compiled programs are seen to do must be allowed by the model.
//!
//! Programs of the corpus and generated ones are instrumented, compiled with GNAT and run many
//! times with random delays. Every log must be a possible sequence of events of the model of the
//! same instrumented program; a run that got stuck must be stuck there, too, and exceptions are
//! events. Generated programs that show a mismatch are shrunk.

mod accept;
mod compiled;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use rendez_model::Program;

use accept::{End, Entry, Explanation, accepts};
use compiled::{Compiled, compile};

#[derive(Parser)]
#[command(about = "Compares what programs compiled with GNAT do with what the model allows")]
struct Arguments {
    /// A folder with programs, one per file
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// How many programs to generate
    #[arg(long, default_value_t = 2000)]
    programs: u64,
    /// Runs of each program
    #[arg(long, default_value_t = 20)]
    runs: u64,
    /// The first seed of the generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to work
    #[arg(long, default_value = "target/conformance")]
    folder: PathBuf,
    /// Programs that run at the same time
    #[arg(long, default_value_t = 32)]
    jobs: usize,
    /// Milliseconds without an event after which a run counts as stuck
    #[arg(long, default_value_t = 500)]
    silence: u64,
    /// Only corpus programs whose name contains this
    #[arg(long)]
    only: Option<String>,
}

/// A program ready to be compared.
struct Subject {
    name: String,
    instrumented: String,
    model: Program,
}

/// Instruments a program and reads what came out.
fn subject(name: &str, text: &str) -> Result<Subject, String> {
    let instrumented = rendez_ada::instrument::instrument(text).ok_or("cannot be parsed")?;
    let request = rendez_ada::Request {
        sources: vec!["main.adb".into()],
        opaque: vec!["rendez_log".into()],
        ..Default::default()
    };
    let front = rendez_ada::read(&request, &rendez_ada::Text(&instrumented));
    let mut model = front
        .program
        .ok_or_else(|| front.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
    rendez_analysis::passes::propagate_constants(&mut model);
    Ok(Subject { name: name.to_owned(), instrumented, model })
}

#[derive(Default)]
struct Totals {
    programs: AtomicUsize,
    runs: AtomicUsize,
    ended: AtomicUsize,
    blocked: AtomicUsize,
    running: AtomicUsize,
    events: AtomicUsize,
    too_large: AtomicUsize,
    not_modelled: AtomicUsize,
}

/// A run that the model does not allow.
struct Failure {
    program: usize,
    seed: u64,
    log: Vec<Entry>,
    end: End,
    accepted: usize,
}

/// Runs every subject and compares.
fn compare(
    arguments: &Arguments,
    subjects: &[Subject],
    executable: &Compiled,
    totals: &Totals,
) -> Vec<Failure> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let most = subjects.len() * arguments.runs as usize;
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            let worker = std::thread::Builder::new().stack_size(16 << 20);
            let spawned = worker.spawn_scoped(scope, || {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= most {
                        return;
                    }
                    let (program, run) = (job / arguments.runs as usize, job as u64 % arguments.runs);
                    let seed = arguments.seed * 1000 + run;
                    let found = one_run(arguments, &subjects[program], program, seed, executable, totals);
                    if let Some(failure) = found {
                        failures.lock().expect("no panic").push(failure);
                    }
                }
            });
            spawned.expect("a thread");
        }
    });
    failures.into_inner().expect("no panic")
}

fn one_run(
    arguments: &Arguments,
    subject: &Subject,
    program: usize,
    seed: u64,
    executable: &Compiled,
    totals: &Totals,
) -> Option<Failure> {
    let silence = Duration::from_millis(arguments.silence);
    let (mut log, mut end) = executable.run(program, seed, silence).ok()?;
    let mut verdict = accepts(&subject.model, &log, end);
    // A busy machine may only have been slow.
    for _ in 0..3 {
        if end == End::Blocked
            && matches!(verdict, Explanation::Mismatch { accepted } if accepted == log.len())
        {
            (log, end) = executable.run(program, seed, silence * 8).ok()?;
            verdict = accepts(&subject.model, &log, end);
        }
    }
    totals.runs.fetch_add(1, Ordering::Relaxed);
    totals.events.fetch_add(log.len(), Ordering::Relaxed);
    let kind = match end {
        End::Ended => &totals.ended,
        End::Blocked => &totals.blocked,
        End::Running => &totals.running,
    };
    kind.fetch_add(1, Ordering::Relaxed);
    match verdict {
        Explanation::Allowed => None,
        Explanation::TooLarge => {
            totals.too_large.fetch_add(1, Ordering::Relaxed);
            None
        }
        Explanation::NotModelled => {
            totals.not_modelled.fetch_add(1, Ordering::Relaxed);
            None
        }
        Explanation::Mismatch { accepted } => Some(Failure { program, seed, log, end, accepted }),
    }
}

fn print_failure(subject: &Subject, failure: &Failure) {
    println!("MISMATCH {} (run {}, {:?})", subject.name, failure.seed, failure.end);
    for (i, entry) in failure.log.iter().enumerate() {
        let mark = if i == failure.accepted { "  <-- not possible in the model" } else { "" };
        println!("  {} {}{mark}", entry.who.as_deref().unwrap_or("-"), entry.label);
        if i > failure.accepted + 2 {
            println!("  ...");
            break;
        }
    }
    if failure.accepted == failure.log.len() {
        println!("  <-- here the run was {:?}, the model cannot be", failure.end);
    }
}

/// Shrinks a generated program that shows a mismatch.
fn shrunk(arguments: &Arguments, seed: u64) -> rendez_generate::Program {
    let program = rendez_generate::program(seed, "Small");
    let folder = arguments.folder.join("shrink");
    rendez_generate::shrink(&program, 150, |candidate| {
        let Ok(subject) = subject("Small", &candidate.to_string()) else { return false };
        let _ = std::fs::remove_dir_all(&folder);
        let programs = [("Small".to_owned(), subject.instrumented.clone())];
        let Ok(executable) = compile(&folder, &programs) else { return false };
        let once = Arguments { runs: 40, ..Arguments::parse() };
        !compare(&once, &[subject], &executable, &Totals::default()).is_empty()
    })
}

fn batch(
    arguments: &Arguments,
    name: &str,
    subjects: &[Subject],
    totals: &Totals,
) -> Result<Vec<Failure>, String> {
    let folder = arguments.folder.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let programs: Vec<(String, String)> =
        subjects.iter().map(|s| (s.name.clone(), s.instrumented.clone())).collect();
    let executable = compile(&folder, &programs)?;
    totals.programs.fetch_add(subjects.len(), Ordering::Relaxed);
    let failures = compare(arguments, subjects, &executable, totals);
    let _ = std::fs::remove_dir_all(&folder);
    Ok(failures)
}

fn corpus(arguments: &Arguments, totals: &Totals) -> usize {
    let mut files: Vec<PathBuf> = std::fs::read_dir(&arguments.corpus)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    let mut mismatches = 0;
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if arguments.only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
            continue;
        }
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let Ok(text) = rendez_source::decode(&bytes) else { continue };
        // Where a run does what the verdict assumes that it does not.
        let left_out = text.lines().take_while(|l| l.starts_with("--"));
        if let Some(why) = left_out.into_iter().find_map(|l| l.strip_prefix("--  conformance: ")) {
            println!("{name}: left out: {why}");
            continue;
        }
        let subject = match subject(&name, &text) {
            Ok(subject) => subject,
            Err(why) => {
                println!("{name}: left out: {why}");
                continue;
            }
        };
        match batch(arguments, "corpus", std::slice::from_ref(&subject), totals) {
            Ok(failures) => {
                mismatches += failures.len();
                failures.iter().take(2).for_each(|f| print_failure(&subject, f));
            }
            Err(why) => println!("{name}: left out: {}", why.lines().next().unwrap_or("does not compile")),
        }
    }
    mismatches
}

fn generated(arguments: &Arguments, totals: &Totals) -> usize {
    let mut mismatches = 0;
    let last = arguments.seed + arguments.programs;
    let mut first = arguments.seed;
    while first < last {
        let seeds: Vec<u64> = (first..last.min(first + 50)).collect();
        first += 50;
        let mut subjects = Vec::new();
        for seed in &seeds {
            let name = format!("G{seed}");
            match subject(&name, &rendez_generate::program(*seed, &name).to_string()) {
                Ok(subject) => subjects.push(subject),
                Err(why) => {
                    println!("seed {seed}: {why}");
                    mismatches += 1;
                }
            }
        }
        let failures = match batch(arguments, "generated", &subjects, totals) {
            Ok(failures) => failures,
            Err(why) => {
                println!("seeds {first} ...: {why}");
                mismatches += 1;
                continue;
            }
        };
        mismatches += failures.len();
        let mut told: Vec<usize> = Vec::new();
        for failure in &failures {
            if told.contains(&failure.program) {
                continue;
            }
            told.push(failure.program);
            print_failure(&subjects[failure.program], failure);
            if told.len() == 1 {
                let seed = subjects[failure.program].name[1..].parse().unwrap_or(0);
                println!("{}", shrunk(arguments, seed));
            }
        }
    }
    mismatches
}

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let started = Instant::now();
    // Elaboration walks syntax trees recursively.
    let work = move || {
        let totals = Totals::default();
        let mut mismatches = corpus(&arguments, &totals);
        let from_corpus = totals.programs.load(Ordering::Relaxed);
        if arguments.programs > 0 {
            mismatches += generated(&arguments, &totals);
        }
        let get = |n: &AtomicUsize| n.load(Ordering::Relaxed);
        println!(
            "{from_corpus} corpus and {} generated programs, {} runs, {} events: {} ended, {} got stuck, {} were stopped",
            get(&totals.programs) - from_corpus,
            get(&totals.runs),
            get(&totals.events),
            get(&totals.ended),
            get(&totals.blocked),
            get(&totals.running)
        );
        println!(
            "{mismatches} mismatches; {} runs could not be decided, {} lead through something not modelled or where GNAT departs from the manual; {:.0} s",
            get(&totals.too_large),
            get(&totals.not_modelled),
            started.elapsed().as_secs_f64()
        );
        mismatches
    };
    let result = std::thread::Builder::new().stack_size(256 << 20).spawn(work).map(|t| t.join());
    match result {
        Ok(Ok(0)) => std::process::ExitCode::SUCCESS,
        _ => std::process::ExitCode::FAILURE,
    }
}
