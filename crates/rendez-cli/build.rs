//! The version that `rendez --version` prints: with the commit, where the sources are a checkout.

use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
    let commit = commit.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    let version = match commit {
        Some(commit) => format!("{version} ({})", commit.trim()),
        None => version,
    };
    println!("cargo::rustc-env=RENDEZ_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    // Not there outside of a checkout: then the script runs again, which takes no time.
    println!("cargo::rerun-if-changed=../../.git/HEAD");
    println!("cargo::rerun-if-changed=../../.git/refs/heads");
}
