//! Proofs that a system of a net has no solution, and their checker.
//!
//! A proof is a tree, written from its root, the first branch before the second. An inner node is a case distinction or
//! adds a row; a leaf is a combination of rows with rational multipliers:
//! - `Sum`: the combination has no positive coefficient and a positive right-hand side, so no numbers that are zero or
//!   more satisfy it. By Farkas' lemma such multipliers exist whenever the rows have no real solution.
//! - `Empty`: for places that are empty at first, no transition takes from them, or one enters them that takes from
//!   none of them. The first transition of an execution that takes from them finds a token there, which such a
//!   transition put there.
//! - `Whole`: a column is at most a number, or more, because executions consist of whole steps.
//! - `Trap`: for places of which one is marked at first, and such that whatever takes from them gives to them, the
//!   final marking has a token there.
//!
//! The checker derives the rows of each case from the net, so a certificate cannot smuggle in a cut. It computes with
//! rationals of any size and calls no solver. It is deliberately short: its correctness, that of the derivation of the
//! net (`derive.rs`) and that of the semantics are what a proof relies on. VIPR (Cheung, Gleixner and Steffy,
//! *Verifying integer programming results*, 2017) has leaves and splits of the same kind, but splits on single linear
//! forms; `Empty` distinguishes two rows that are not complements of each other, so it needs a step of its own.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rendez_petri::net::{Net, PlaceId};
use rustc_hash::FxHashMap;

use crate::system::{Row, System};

/// A step of a proof. The tree is written from its root, the first branch before the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofStep {
    /// The sum of rows with these multipliers cannot be met: no column has a positive coefficient,
    /// and the right-hand side is positive.
    Sum(Vec<(u32, BigRational)>),
    /// No transition touches these places, which are empty at first; or one enters them.
    Empty(Vec<PlaceId>),
    /// A column is at most this number; or it is more.
    Whole(u32, i64),
    /// Places that are marked at first, and stay marked: whatever takes from them gives to them.
    Trap(Vec<PlaceId>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    pub steps: Vec<ProofStep>,
}

/// The two rows of a choice: nothing touches the places, or something enters them.
pub fn empty_or_entered(net: &Net, places: &[PlaceId]) -> (Row, Row) {
    let mut inside = vec![false; net.places.len()];
    places.iter().for_each(|p| inside[*p as usize] = true);
    let mut touching = Vec::new();
    let mut entering = Vec::new();
    for (t, transition) in net.transitions.iter().enumerate() {
        if transition.before.iter().any(|p| inside[*p as usize]) {
            touching.push((t as u32, 1));
        } else if transition.after.iter().any(|p| inside[*p as usize]) {
            entering.push((t as u32, 1));
        }
    }
    (Row::at_most(touching, 0), Row::at_least(entering, 1))
}

/// The row that a trap gives, for systems with columns for places.
pub fn trap(net: &Net, system: &System, places: &[PlaceId]) -> Option<Row> {
    let mut inside = vec![false; net.places.len()];
    places.iter().for_each(|p| inside[*p as usize] = true);
    let kept = net.transitions.iter().all(|t| {
        !t.before.iter().any(|p| inside[*p as usize]) || t.after.iter().any(|p| inside[*p as usize])
    });
    let marked = net.initial.iter().any(|p| inside[*p as usize]);
    (kept && marked && system.has_places)
        .then(|| Row::at_least(places.iter().map(|p| (system.transitions as u32 + p, 1)).collect(), 1))
}

/// Whether the multipliers show that the rows cannot be met.
pub fn refutes<'r>(
    row: impl Fn(u32) -> Option<&'r Row>,
    multipliers: &[(u32, BigRational)],
) -> Result<(), String> {
    let mut sum: FxHashMap<u32, BigRational> = FxHashMap::default();
    let mut right = BigRational::zero();
    for (number, factor) in multipliers {
        let row = row(*number).ok_or_else(|| format!("there is no row {number}"))?;
        if factor.is_negative() && !row.equal {
            return Err(format!("row {number} has a negative multiplier"));
        }
        for (column, k) in &row.terms {
            *sum.entry(*column).or_insert_with(BigRational::zero) += factor * BigInt::from(*k);
        }
        right += factor * BigInt::from(row.least);
    }
    if let Some((column, _)) = sum.iter().find(|(_, k)| k.is_positive()) {
        return Err(format!("column {column} has a positive coefficient"));
    }
    if !right.is_positive() {
        return Err("the right-hand side is not positive".into());
    }
    Ok(())
}

/// Checks a proof that a system of a net has no solution.
pub fn check(net: &Net, system: &System, proof: &Proof) -> Result<(), String> {
    // Rows that hold on the way from the root.
    let mut local: Vec<Row> = Vec::new();
    // How many rows there were, and the row of the second branch.
    let mut open: Vec<(usize, Row)> = Vec::new();
    let mut done = false;
    for (at, step) in proof.steps.iter().enumerate() {
        if done {
            return Err("something follows the end of the proof".into());
        }
        match step {
            ProofStep::Sum(multipliers) => {
                let row = |n: u32| match (n as usize).checked_sub(system.rows.len()) {
                    None => system.rows.get(n as usize),
                    Some(n) => local.get(n),
                };
                refutes(row, multipliers).map_err(|e| format!("step {at}: {e}"))?;
                match open.pop() {
                    Some((rows, second)) => {
                        local.truncate(rows);
                        local.push(second);
                    }
                    None => done = true,
                }
            }
            ProofStep::Empty(places) => {
                if places.iter().any(|p| *p as usize >= net.places.len() || net.initial.contains(p)) {
                    return Err(format!("step {at}: a place is marked at first, or does not exist"));
                }
                let (nothing, entered) = empty_or_entered(net, places);
                open.push((local.len(), entered));
                local.push(nothing);
            }
            ProofStep::Whole(column, value) => {
                if *column as usize >= system.columns {
                    return Err(format!("step {at}: there is no column {column}"));
                }
                open.push((local.len(), Row::at_least(vec![(*column, 1)], value + 1)));
                local.push(Row::at_most(vec![(*column, 1)], *value));
            }
            ProofStep::Trap(places) => {
                if places.iter().any(|p| *p as usize >= net.places.len()) {
                    return Err(format!("step {at}: there is no such place"));
                }
                let row = trap(net, system, places).ok_or_else(|| format!("step {at}: this is no trap"))?;
                local.push(row);
            }
        }
    }
    if done { Ok(()) } else { Err("the proof has no end".into()) }
}
