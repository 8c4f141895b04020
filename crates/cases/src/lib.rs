//! Tests that are files: a small program in the model's text form, a line `====`, and what a crate says about it.
//!
//! ```text
//! # A call waits until its entry is accepted.
//! ! keep 0
//! program "call"
//! task 0 "main" - 0 1 0
//! node 0 - skip 1
//! node 1 - terminate
//! ====
//! what the crate says
//! ```
//!
//! Lines that begin with `#` are comments, lines that begin with `!` are options of the table. Spans may be left out:
//! an item without one, and each bare `@`, gets the line where it stands. The five predefined exceptions need not be
//! listed, and a file that mentions no `program` is called after itself.
//!
//! Every file is a test of its own: `cargo test -p rendez-model --test tables semantics::call`. With `UPDATE=1`, what
//! follows `====` is written anew; read the difference before you commit it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rendez_model::{ExceptionId, Program, text, validate};

/// What stands above the line `====` of a file.
pub struct Case {
    pub name: String,
    pub text: String,
}

impl Case {
    /// The rest of the option line that begins with a word.
    pub fn option(&self, word: &str) -> Option<&str> {
        self.options(word).first().copied()
    }

    /// The rest of each option line that begins with a word.
    pub fn options(&self, word: &str) -> Vec<&str> {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix('!'));
        let split = lines.map(|line| line.trim().split_once(' ').unwrap_or((line.trim(), "")));
        split.filter(|(first, _)| *first == word).map(|(_, rest)| rest.trim()).collect()
    }

    /// The numbers of an option, none if it is not there.
    pub fn numbers(&self, word: &str) -> Vec<u32> {
        let words = self.option(word).unwrap_or_default().split_whitespace();
        words.map(|n| n.parse().expect("a number")).collect()
    }

    /// The program in the full text form. Lines keep their numbers.
    pub fn written_out(&self) -> String {
        let mut out = String::new();
        let mut exceptions = String::new();
        for (i, line) in self.text.lines().enumerate() {
            if line.starts_with("exception ") {
                exceptions.push_str(&format!("{line}\n"));
            } else if !line.starts_with(['#', '!']) {
                out.push_str(&with_spans(line, i + 1));
            }
            out.push('\n');
        }
        for name in ExceptionId::PREDEFINED {
            out.push_str(&format!("exception {name:?}\n"));
        }
        out.push_str(&exceptions);
        if !self.text.lines().any(|line| line.starts_with("program ")) {
            out.push_str(&format!("program {:?}\n", self.name));
        }
        out
    }

    /// The program, which must be one.
    pub fn program(&self) -> Program {
        let program = match text::parse(&self.written_out()) {
            Ok(program) => program,
            Err(error) => panic!("line {}: {}", error.line, error.message),
        };
        let broken: Vec<String> = validate(&program).iter().map(ToString::to_string).collect();
        assert!(broken.is_empty(), "not a program: {}", broken.join("; "));
        program
    }
}

fn with_spans(line: &str, number: usize) -> String {
    let span = format!("@0:{number}:1-{number}:9");
    let mut line = line.to_owned();
    for end in [" ", "]"] {
        line = line.replace(&format!(" @{end}"), &format!(" {span}{end}"));
    }
    let spanned = ["var ", "temporary ", "task ", "object ", "entry ", "node ", "assume "];
    let has_one = line.rsplit(' ').next().is_some_and(|last| last.starts_with('@') && !last.contains(']'));
    if spanned.iter().any(|item| line.starts_with(item)) && !has_one {
        line.push(' ');
        line.push_str(&span);
    }
    line
}

/// A folder below `tests/data`, and what is said about each of its files.
pub type Table = (&'static str, fn(&Case) -> String);

/// Runs every file of some folders. `crate_folder` is `env!("CARGO_MANIFEST_DIR")`.
pub fn run(crate_folder: &str, tables: &[Table]) -> ExitCode {
    let data = Path::new(crate_folder).join("tests/data");
    let mut trials = Vec::new();
    for &(folder, answer) in tables {
        let files = files(&data.join(folder));
        assert!(!files.is_empty(), "tests/data/{folder} is empty");
        for file in files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{folder}::{stem}");
            trials.push(Trial::test(name, move || compare(&file, stem, answer)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The files of a folder in the order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

const RULE: &str = "====\n";

fn compare(file: &Path, name: String, answer: fn(&Case) -> String) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let (input, expected) = text.split_once(RULE).unwrap_or((&text, ""));
    let case = Case { name, text: input.to_owned() };
    let mut answer = answer(&case);
    if !answer.is_empty() && !answer.ends_with('\n') {
        answer.push('\n');
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, format!("{input}{RULE}{answer}"))?;
        return Ok(());
    }
    if !text.contains(RULE) {
        return Err("no line `====`: UPDATE=1 writes it".into());
    }
    if answer == expected {
        return Ok(());
    }
    Err(format!("{}\n{}", file.display(), difference(expected, &answer)).into())
}

/// Both texts in one, with signs before the lines that only one of them has.
fn difference(expected: &str, found: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut common = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = match a[i] == b[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = String::new();
    while i < a.len() || j < b.len() {
        let (sign, line) = if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            (' ', a[i - 1])
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            ('-', a[i - 1])
        } else {
            j += 1;
            ('+', b[j - 1])
        };
        out.push_str(&format!("{sign} {line}\n"));
    }
    out
}
