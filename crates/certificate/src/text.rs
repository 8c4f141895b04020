//! Certificates as text: what was proved about which files, how the net is made, and the proof.
//!
//! A certificate is meant to be checked by a reader who trusts neither the engine nor the solver. It holds everything
//! that `rendez verify` needs to derive the net again: the arguments with which the program is read, the bound on
//! recursion, the components that are composed, in order, and the published bound if it was used. It then lists the
//! steps of the proof (`proof.rs`), one per line, with multipliers as fractions. If the net alone shows the property,
//! because no transition can do what is asked for, the word `closed` stands in place of the proof.
//!
//! Places, columns and rows are numbers in the net that is derived, so the derivation must be deterministic. Each file
//! has a fingerprint, FNV-1a with two different starts. It tells an edited file, not a forged one: a certificate is
//! refused for another version of the program, but nobody is protected from a forger. A forged proof would be found out
//! by the check itself.
//!
//! The format is line by line, so that an error can be reported at its line. Anything unknown, anything behind the end
//! and anything missing is an error.

use std::fmt::Write;

use num_rational::BigRational;

use crate::depths::Sector;
use crate::derive::Plan;
use crate::proof::{Proof, ProofStep};

/// A proof with what it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The arguments with which the program is read.
    pub arguments: Vec<String>,
    /// Files and fingerprints of their contents.
    pub files: Vec<(String, String)>,
    /// The property, or `deadlock`.
    pub property: String,
    pub recursion: usize,
    pub plan: Plan,
    /// Without it the net alone shows the property.
    pub proof: Option<Proof>,
}

/// Nothing is said about executions in which something happens more often.
pub const MOST_BOUND: i64 = 1_000_000_000;
const TITLE: &str = "rendez certificate 1";

impl Certificate {
    pub fn print(&self) -> String {
        let mut out = format!("{TITLE}\n");
        let mut line = |words: String| {
            let _ = writeln!(out, "{words}");
        };
        self.arguments.iter().for_each(|a| line(format!("argument {a}")));
        self.files.iter().for_each(|(name, print)| line(format!("file {print} {name}")));
        line(format!("property {}", self.property));
        line(format!("recursion {}", self.recursion));
        line(format!("apart {}", self.plan.apart));
        self.plan.merges.iter().for_each(|(a, b)| line(format!("merge {a} {b}")));
        if !self.plan.augmented.is_empty() {
            line(format!("bound {}", self.plan.bound));
        }
        for Sector { slot, interval } in &self.plan.augmented {
            line(format!("augment {slot}{}", interval.map_or(String::new(), |k| format!(" {k}"))));
        }
        match &self.proof {
            None => line("closed".into()),
            Some(proof) => proof.steps.iter().for_each(|step| {
                let list = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
                line(match step {
                    ProofStep::Sum(rows) => {
                        let rows: Vec<String> = rows.iter().map(|(row, y)| format!("{row}*{y}")).collect();
                        format!("sum {}", rows.join(" "))
                    }
                    ProofStep::Empty(places) => format!("empty {}", list(places)),
                    ProofStep::Trap(places) => format!("trap {}", list(places)),
                    ProofStep::Whole(column, value) => format!("whole {column} {value}"),
                });
            }),
        }
        line("end".into());
        out
    }

    /// Reads a certificate; what is wrong with which line, if something is.
    pub fn parse(text: &str) -> Result<Certificate, (usize, String)> {
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, TITLE)) => {}
            _ => return Err((1, format!("expected `{TITLE}`"))),
        }
        let mut found = Certificate::default();
        let mut proof = Proof::default();
        let mut closed = false;
        let mut ended = false;
        for (at, line) in lines {
            let wrong = |what: &str| (at + 1, what.to_owned());
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let numbers =
                || -> Option<Vec<u32>> { rest.split_whitespace().map(|n| n.parse().ok()).collect() };
            if ended {
                return Err(wrong("something follows the end"));
            }
            match word {
                "argument" => found.arguments.push(rest.to_owned()),
                "file" => {
                    let (print, name) = rest.split_once(' ').ok_or_else(|| wrong("expected a file"))?;
                    found.files.push((name.to_owned(), print.to_owned()));
                }
                "property" => found.property = rest.to_owned(),
                "recursion" => found.recursion = rest.parse().map_err(|_| wrong("expected a number"))?,
                "apart" => found.plan.apart = rest.parse().map_err(|_| wrong("expected true or false"))?,
                "merge" => match numbers().as_deref() {
                    Some([a, b]) => found.plan.merges.push((*a, *b)),
                    _ => return Err(wrong("expected two numbers")),
                },
                "bound" => {
                    let bound = rest.parse().ok().filter(|b| (1..=MOST_BOUND).contains(b));
                    found.plan.bound = bound.ok_or_else(|| wrong("expected a number"))?;
                }
                "augment" => {
                    let sector = match numbers().as_deref() {
                        Some([slot]) => Sector { slot: *slot, interval: None },
                        Some([slot, interval]) => Sector { slot: *slot, interval: Some(*interval) },
                        _ => return Err(wrong("expected one or two numbers")),
                    };
                    found.plan.augmented.push(sector);
                }
                "closed" => closed = true,
                "end" => ended = true,
                "empty" | "trap" => {
                    let places = numbers().ok_or_else(|| wrong("expected numbers of places"))?;
                    proof.steps.push(match word {
                        "empty" => ProofStep::Empty(places),
                        _ => ProofStep::Trap(places),
                    });
                }
                "whole" => {
                    let parts =
                        rest.split_once(' ').and_then(|(c, v)| Some((c.parse().ok()?, v.parse().ok()?)));
                    let (column, value) = parts.ok_or_else(|| wrong("expected a column and a number"))?;
                    proof.steps.push(ProofStep::Whole(column, value));
                }
                "sum" => {
                    let one = |part: &str| {
                        let (row, y) = part.split_once('*')?;
                        let (over, under) = y.split_once('/').unwrap_or((y, "1"));
                        if under.trim_start_matches('0').is_empty() {
                            return None;
                        }
                        Some((row.parse().ok()?, BigRational::new(over.parse().ok()?, under.parse().ok()?)))
                    };
                    let rows: Option<Vec<(u32, BigRational)>> = rest.split_whitespace().map(one).collect();
                    proof
                        .steps
                        .push(ProofStep::Sum(rows.ok_or_else(|| wrong("expected rows and multipliers"))?));
                }
                _ => return Err(wrong("nothing that a certificate says")),
            }
        }
        if !ended || (closed && !proof.steps.is_empty()) {
            return Err((text.lines().count(), "the certificate is cut off or contradicts itself".into()));
        }
        found.proof = (!closed).then_some(proof);
        Ok(found)
    }
}

/// A fingerprint of a text.
pub fn fingerprint(bytes: &[u8]) -> String {
    // FNV-1a, twice with different starts: tells an edited file, not a forged one.
    let run = |start: u64| {
        bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
    };
    format!("{:016x}{:016x}", run(0xcbf2_9ce4_8422_2325), run(0x6c62_272e_07bb_0142))
}
