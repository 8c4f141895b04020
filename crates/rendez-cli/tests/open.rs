//! Programs that are still misunderstood, each with the outcome that it should have in its first line:
//! `--  expect: KIND, ?KIND, !KIND ; why` names the checks that are violated, may be, or must not be.
//!
//! None may crash or be rejected. One whose answers are not wrong any more belongs into the corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The checks with their verdicts, and the exit status.
fn verdicts(file: &Path) -> (i32, BTreeMap<String, String>) {
    let output = Command::new(env!("CARGO_BIN_EXE_rendez"))
        .args(["check", "--threads", "1", "--timeout", "5"])
        .arg(file)
        .output()
        .expect("rendez runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        if let [kind, verdict @ ("holds" | "violated" | "inconclusive")] = words[..] {
            all.insert(kind.to_owned(), verdict.to_owned());
        }
    }
    (output.status.code().unwrap_or(-1), all)
}

/// Whether something is said that is not so.
fn is_wrong(expect: &str, found: &BTreeMap<String, String>) -> bool {
    let words: Vec<&str> =
        expect.split([',', ' ']).map(str::trim).filter(|w| !w.is_empty() && *w != "none").collect();
    let named = |mark: char, kind: &str| words.iter().any(|w| w.strip_prefix(mark) == Some(kind));
    let missed = |kind: &&str| {
        kind.starts_with(|c: char| c.is_alphabetic()) && found.get(*kind).is_none_or(|v| v == "holds")
    };
    let free = |kind: &str| {
        let warning = matches!(kind, "dead-entry" | "server-idle");
        words.contains(&kind) || named('?', kind) || (warning && !named('!', kind))
    };
    words.iter().any(missed) || found.iter().any(|(kind, verdict)| verdict == "violated" && !free(kind))
}

#[test]
fn open_programs_are_still_misunderstood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/open");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the open programs").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("source text");
        let first = text.lines().next().unwrap_or_default();
        let expect =
            first.strip_prefix("--  expect: ").and_then(|e| e.split(';').next()).expect("an outcome");
        let (status, found) = verdicts(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if !matches!(status, 0 | 1 | 3) {
            failures.push(format!("{name}: status {status}"));
        } else if !is_wrong(expect, &found) {
            failures.push(format!("{name} is right now: move it into the corpus"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
