//! The rooms of the house: which crate may depend on which, and what every file has.

use std::path::{Path, PathBuf};

/// Each decides checks on its own.
const ENGINES: [&str; 5] = ["rendez-explore", "rendez-directed", "rendez-reach", "rendez-flow", "rendez-ilp"];

/// Words that say nothing about what a file holds.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "misc", "common", "helpers", "helper"];

/// Packages whose library has a name of its own.
const LIBRARIES: [(&str, &str); 1] = [("layout-rs", "layout")];

struct Package {
    name: String,
    folder: PathBuf,
    dependencies: Vec<String>,
    /// Of tests and examples only.
    dev_dependencies: Vec<String>,
}

/// The members of the workspace, in the order in which it lists them.
fn packages() -> Vec<Package> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = read(&root.join("Cargo.toml"));
    let (_, members) = workspace.split_once("members = [").expect("a list of members");
    let (members, _) = members.split_once(']').expect("the end of the list");
    let folders = members.split('"').skip(1).step_by(2);
    folders.map(|folder| package(root.join(folder))).collect()
}

fn package(folder: PathBuf) -> Package {
    let manifest = read(&folder.join("Cargo.toml"));
    let mut package =
        Package { name: String::new(), folder, dependencies: Vec::new(), dev_dependencies: Vec::new() };
    let mut section = "";
    for line in manifest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = key.split('.').next().unwrap_or(key).trim().to_owned();
        match section {
            "[package]" if key == "name" => package.name = value.trim().trim_matches('"').to_owned(),
            "[dependencies]" => package.dependencies.push(key),
            "[dev-dependencies]" => package.dev_dependencies.push(key),
            _ => {}
        }
    }
    package
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The Rust files below a folder, if there is one.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// Whether some code below the folders names a package; comments do not count.
fn names(package: &str, folders: &[PathBuf]) -> bool {
    let renamed = LIBRARIES.iter().find(|l| l.0 == package).map(|l| l.1);
    let library = renamed.unwrap_or(package).replace('-', "_");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let in_line = |line: &str| {
        !line.trim_start().starts_with("//") && line.split(|c| !is_part(c)).any(|word| word == library)
    };
    folders.iter().flat_map(|f| rust_files(f)).any(|file| read(&file).lines().any(in_line))
}

#[test]
fn a_crate_depends_only_on_crates_listed_before_it() {
    let packages = packages();
    assert!(packages.len() > 10, "the members of the workspace are found");
    for (i, package) in packages.iter().enumerate() {
        for later in &packages[i..] {
            assert!(
                !package.dependencies.contains(&later.name),
                "{} depends on {}, which Cargo.toml lists later",
                package.name,
                later.name
            );
        }
    }
}

#[test]
fn engines_know_neither_each_other_nor_the_front_end() {
    let packages = packages();
    for engine in ENGINES {
        let package = packages.iter().find(|p| p.name == engine).expect("the engine is a member");
        for other in ENGINES.iter().chain(&["rendez-ada"]) {
            assert!(!package.dependencies.iter().any(|d| d == other), "{engine} depends on {other}");
        }
    }
}

#[test]
fn every_declared_dependency_is_used() {
    for package in packages() {
        let sources = [package.folder.join("src")];
        for dependency in &package.dependencies {
            assert!(names(dependency, &sources), "{} does not use {dependency}", package.name);
        }
        let tests = ["src", "tests", "examples", "benches"].map(|folder| package.folder.join(folder));
        for dependency in &package.dev_dependencies {
            assert!(names(dependency, &tests), "the tests of {} do not use {dependency}", package.name);
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in packages().iter().flat_map(|package| rust_files(&package.folder.join("src"))) {
        assert!(read(&file).starts_with("//!"), "{} has no opening comment", file.display());
    }
}

#[test]
fn files_are_named_by_what_they_hold() {
    for file in packages().iter().flat_map(|package| rust_files(&package.folder)) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        assert!(!EMPTY_NAMES.contains(&name), "{} is named by no word of the field", file.display());
    }
}

/// A comment about a crate that has another name by now leads nowhere.
#[test]
fn comments_name_crates_that_are_there() {
    let packages = packages();
    let known: Vec<String> = packages.iter().map(|p| p.name.replace('-', "_")).collect();
    for file in packages.iter().flat_map(|package| rust_files(&package.folder)) {
        for line in read(&file).lines().filter(|line| line.trim_start().starts_with("//")) {
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                let is_there = !word.starts_with("rendez_") || known.iter().any(|k| word == k);
                assert!(is_there, "{} names {word}, which is no crate", file.display());
            }
        }
    }
}
