//! One run of the command.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Settings;

/// How long a run may take.
pub const SECONDS: u64 = 5;
/// A run that has used so much of the processor overruns its time, on however busy a machine.
const MOST_WORK: Duration = Duration::from_secs(2 * SECONDS + 5);
/// A run that never gets to work.
const PATIENCE: Duration = Duration::from_secs(600);

const LIMITS: &str = "--memory 500M --format json";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Holds,
    Violated,
    Open,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub enum Ran {
    /// By rule or check.
    Answers(BTreeMap<String, Said>),
    /// Status 2, with its message.
    Refused(String),
    /// What must not happen: in one word, and what was printed.
    Broken(&'static str, String),
}

/// The words of a command, but for its files.
pub fn words(options: &str, states: u64) -> Vec<String> {
    let all = format!("check {options} --timeout {SECONDS} --states {states} {LIMITS}");
    all.split_whitespace().map(str::to_owned).collect()
}

/// Runs the command in a folder of its own, on `main.adb` and a file of rules if there is one.
pub fn run(settings: &Settings, folder: &Path, options: &str, rules: Option<&str>) -> Ran {
    let rendez = &settings.rendez;
    let mut words = words(options, settings.states);
    words.extend(rules.iter().flat_map(|file| ["--property".to_owned(), (*file).to_owned()]));
    words.push("main.adb".into());
    let proofs = folder.join(PROOFS);
    let _ = std::fs::remove_dir_all(&proofs);
    let ran = match output(rendez, folder, &words) {
        Err(why) => return Ran::Broken("hang", why),
        Ok((status, out, err)) => judge(status, &out, &err),
    };
    let files: Vec<String> = std::fs::read_dir(&proofs)
        .map(|all| all.flatten().map(|f| f.path().display().to_string()).collect())
        .unwrap_or_default();
    match (ran, files.is_empty()) {
        (Ran::Answers(answers), false) => {
            verified(rendez, folder, files).map_or(Ran::Answers(answers), |why| why)
        }
        (ran, _) => ran,
    }
}

/// Where `--certificate` writes its proofs.
pub const PROOFS: &str = "proofs";

/// Lets proofs be checked: what came of it if they are wrong.
fn verified(rendez: &Path, folder: &Path, files: Vec<String>) -> Option<Ran> {
    let words: Vec<String> = std::iter::once("verify".to_owned()).chain(files).collect();
    match output(rendez, folder, &words) {
        Err(why) => Some(Ran::Broken("hang", why)),
        Ok((status, _, _)) if status.success() => None,
        Ok((_, out, err)) => Some(Ran::Broken("certificate", format!("error: {out}{err}"))),
    }
}

fn judge(status: ExitStatus, out: &str, err: &str) -> Ran {
    match status.code() {
        Some(0 | 1 | 3) => match answers(out) {
            Some(answers) => Ran::Answers(answers),
            None => Ran::Broken("output", format!("{out}\n{err}")),
        },
        Some(2) => Ran::Refused(err.to_owned()),
        Some(4) => Ran::Broken("internal", err.to_owned()),
        _ => Ran::Broken("crash", format!("{status}\n{err}")),
    }
}

/// Runs a command, what it prints going through files: its status, output and errors.
fn output(rendez: &Path, folder: &Path, words: &[String]) -> Result<(ExitStatus, String, String), String> {
    let file = |name: &str| std::fs::File::create(folder.join(name)).map_err(|e| e.to_string());
    let started = Instant::now();
    let mut child = Command::new(rendez)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file("out")?)
        .stderr(file("err")?)
        .spawn()
        .map_err(|e| format!("{}: {e}", rendez.display()))?;
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE || worked(child.id(), started) > MOST_WORK => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("--timeout {SECONDS} is over by far"));
            }
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let read = |name: &str| std::fs::read(folder.join(name)).map_err(|e| e.to_string());
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((status, text(read("out")?), text(read("err")?)))
}

/// How much of the processor a process has used; since when it runs, where that is not known.
fn worked(id: u32, started: Instant) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok();
    // After the name in parentheses; both numbers are in hundredths of a second.
    let hundredths = stat.as_deref().and_then(|s| s.rsplit_once(')')).and_then(|(_, rest)| {
        let mut fields = rest.split_whitespace().skip(11).map(|f| f.parse::<u64>().ok());
        Some(fields.next()?? + fields.next()??)
    });
    hundredths.map_or(started.elapsed(), |h| Duration::from_millis(10 * h))
}

fn answers(json: &str) -> Option<BTreeMap<String, Said>> {
    let report: serde_json::Value = serde_json::from_str(json).ok()?;
    let mut answers = BTreeMap::new();
    for result in report["results"].as_array()? {
        let verdict = match result["verdict"].as_str()? {
            "holds" => Said::Holds,
            "violated" => Said::Violated,
            "inconclusive" => Said::Open,
            _ => return None,
        };
        answers.insert(result["property"].as_str()?.to_owned(), verdict);
    }
    Some(answers)
}
