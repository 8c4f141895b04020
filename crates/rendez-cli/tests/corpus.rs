//! The corpus: one purpose a program, the expected outcome in its leading comment.
//!
//! `--  expect: KIND, KIND?` lists the checks that are violated, with a question mark those that
//! stay inconclusive; `--  expect: holds` means none. `--  options: …` adds command-line options,
//! `--  states: N` pins the number of states, `--  trace: TEXT` must occur in the report.
//! `--  conformance: WHY` leaves a program out where compiled programs are compared with the model.
//! `--  reject: TEXT` expects a message and exit status 2. `--  property: FILE` names a file beside the
//! program: then its properties are decided, by the flow engine, too, which may leave open what executions do that
//! block or go on for ever.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().take_while(|l| l.starts_with("--")).find_map(|line| {
        line.trim_start_matches('-').trim().strip_prefix(name)?.strip_prefix(':').map(str::trim)
    })
}

fn rendez(options: &[&str], file: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rendez"))
        .arg("check")
        .args(options)
        .arg(file)
        .output()
        .expect("rendez runs");
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The checks that a text report calls violated, or inconclusive.
fn verdicts(report: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        if let [kind, verdict] = words[..] {
            match verdict {
                "violated" => found.push(kind.to_owned()),
                "inconclusive" => found.push(format!("{kind}?")),
                _ => {}
            }
        }
    }
    found
}

/// The properties that an engine leaves to those that look at whole executions.
fn left_open(report: &str) -> Vec<&str> {
    let open = report.lines().filter(|l| l.contains("executions that block or go on for ever only"));
    open.filter_map(|l| l.split_whitespace().next()).collect()
}

fn check(file: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let text = rendez_source::decode(&bytes).map_err(|_| "no text".to_owned())?;
    let beside = field(&text, "property").map(|p| file.with_file_name(p).display().to_string());
    let mut options: Vec<&str> =
        field(&text, "options").map_or(Vec::new(), |o| o.split_whitespace().collect());
    if let Some(path) = &beside {
        options.extend(["--property", path]);
    }
    let mut reference = options.clone();
    if !options.contains(&"--engine") {
        reference.extend(["--engine", "explore"]);
    }
    let (status, report, errors) = rendez(&reference, file);
    if let Some(message) = field(&text, "reject") {
        if status != 2 || !errors.contains(message) {
            return Err(format!("expected rejection with `{message}`, got status {status}: {errors}"));
        }
        return Ok(());
    }
    let expect = field(&text, "expect").ok_or("no `expect:` in the leading comment")?;
    let mut wanted: Vec<String> =
        expect.split(',').map(|w| w.trim().to_owned()).filter(|w| w != "holds").collect();
    wanted.sort();
    let mut found = verdicts(&report);
    found.sort();
    // A run that breaks down says nothing, and so finds nothing.
    if found != wanted || !matches!(status, 0 | 1 | 3) {
        return Err(format!("expected {wanted:?}, found {found:?} (status {status})\n{report}{errors}"));
    }
    if let Some(states) = field(&text, "states")
        && !report.contains(&format!(" {states} states,"))
    {
        return Err(format!("expected {states} states\n{report}"));
    }
    if let Some(trace) = field(&text, "trace")
        && !report.contains(trace)
    {
        return Err(format!("the report does not say `{trace}`\n{report}"));
    }
    // Whatever the engine and its reductions, the verdicts are the same.
    if options.contains(&"--delays") || options.contains(&"--engine") {
        return Ok(());
    }
    let slow = text.contains("--  slow");
    let engines = [
        &["--engine", "explore", "--no-merge"][..],
        &["--engine", "reach"],
        &["--engine", "flow"],
        &["--engine", "flow", "--no-symmetry", "--no-stubborn"],
        &["--engine", "ilp"],
        &["--engine", "auto"],
    ];
    let sequences = beside.as_ref().is_some_and(|path| !path.ends_with(".ctl"));
    for other in engines {
        if (slow && other.contains(&"--no-merge"))
            || (!sequences && (other.contains(&"flow") || other.contains(&"ilp")))
        {
            continue;
        }
        let mut options = options.clone();
        options.extend(other);
        let (status, report, errors) = rendez(&options, file);
        let open = left_open(&report);
        let closed = |list: &[String]| -> Vec<String> {
            list.iter().filter(|name| !open.contains(&name.trim_end_matches('?'))).cloned().collect()
        };
        let mut these = verdicts(&report);
        these.sort();
        if closed(&these) != closed(&found) || !matches!(status, 0 | 1 | 3) {
            return Err(format!(
                "{other:?} changes the verdict from {found:?} to {these:?} (status {status})\n{report}{errors}"
            ));
        }
    }
    // A directed search finds nothing that is not there, and what it does not find is open at best.
    if beside.is_none() && !options.contains(&"--fair") {
        options.extend(["--engine", "directed", "--timeout", "1"]);
        let (status, report, errors) = rendez(&options, file);
        let kind = |k: &str| k.trim_end_matches('?').to_owned();
        let known: Vec<String> = found.iter().map(|k| kind(k)).collect();
        let these = verdicts(&report);
        let wrong = these.iter().find(|k| !k.ends_with('?') && !known.contains(k));
        if wrong.is_some() || !matches!(status, 0 | 1 | 3) {
            return Err(format!("directed: {wrong:?}, status {status}\n{report}{errors}"));
        }
        let said: Vec<String> = these.iter().map(|k| kind(k)).collect();
        if let Some(missing) = found.iter().find(|k| !k.ends_with('?') && !said.contains(&kind(k))) {
            return Err(format!("directed: {missing} is said to hold\n{report}{errors}"));
        }
    }
    Ok(())
}

/// The programs of the corpus, each a test of its own: `cargo test -p rendez --test corpus phil`.
fn main() -> std::process::ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the corpus").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    assert!(files.len() >= 100, "the corpus has only {} programs", files.len());
    let trial = |file: PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&file).map_err(Failed::from))
    };
    let trials = files.into_iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
