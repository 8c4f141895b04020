//! Linear programs, solved by HiGHS, and multipliers that show exactly that one has no solution.
//!
//! A solver computes with floating-point numbers, so its word is not a proof. This file confines it. `Lp` is an
//! incremental linear program to which cuts are added; its objective is the number of steps, because without one a
//! solution contains gratuitous cycles, which would then have to be cut off one by one. `whole` looks for a solution in
//! whole numbers for a few seconds; what it says about infeasibility is not used.
//!
//! `refute` makes the certificate. By Farkas' lemma, a system without a solution has multipliers for its rows,
//! non-negative for inequalities, whose sum says that a non-positive combination of columns is positive. We do not ask
//! HiGHS for such a ray. We solve the program that asks by how much rows must give way, which always has an optimum,
//! and take its dual solution. The numbers are rounded to multiples of 1, 1/2, 1/6 and so on up to 1/27720, and as a
//! last resort to near fractions by their continued fraction expansion, until the check in exact rationals succeeds. If
//! none succeeds, nothing is claimed.
//!
//! Every multiplier list is checked by the same function that checks certificates (`rendez_certificate::proof`).

use std::time::Instant;

use highs::{Col, HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rendez_certificate::proof::refutes;
use rendez_certificate::{Row, System};

/// What [`Solved::Failed`] means.
pub const FAILED: &str = "the linear program could not be solved";

/// A linear program that grows.
pub struct Lp {
    model: Option<Model>,
    columns: Vec<Col>,
    /// Seconds that were spent on it; the solver's limit is about all of them.
    spent: f64,
    /// A row without terms cannot be met; a model without columns is not looked at by the solver.
    unmet: bool,
}

fn is_unmet(row: &Row) -> bool {
    row.terms.is_empty() && (row.least > 0 || (row.equal && row.least != 0))
}

pub enum Solved {
    Infeasible,
    Optimal(Vec<f64>),
    /// The time was up.
    Late,
    /// The solver gave up.
    Failed,
}

fn silent_model(problem: RowProblem) -> Option<Model> {
    let mut model = problem.try_optimise(Sense::Minimise).ok()?;
    model.make_quiet();
    model.set_option("threads", 1);
    Some(model)
}

/// A system with some rows more, in whole numbers or not; executions are to be short.
fn problem(system: &System, more: &[Row], whole: bool) -> (RowProblem, Vec<Col>) {
    let mut problem = RowProblem::default();
    let cost = |c: usize| if c < system.transitions { 1.0 } else { 0.0 };
    let columns: Vec<Col> = (0..system.columns)
        .map(|c| match whole {
            true => problem.add_integer_column(cost(c), 0..),
            false => problem.add_column(cost(c), 0..),
        })
        .collect();
    for row in system.rows.iter().chain(more) {
        let terms = row.terms.iter().map(|(c, k)| (columns[*c as usize], *k as f64));
        match row.equal {
            true => problem.add_row(row.least as f64..=row.least as f64, terms),
            false => problem.add_row(row.least as f64.., terms),
        }
    }
    (problem, columns)
}

impl Lp {
    /// The relaxation of a system with some rows more; executions are to be short.
    pub fn new(system: &System, more: &[Row]) -> Lp {
        let (problem, columns) = problem(system, more, false);
        let unmet = system.rows.iter().chain(more).any(is_unmet);
        Lp { model: silent_model(problem), columns, spent: 0.0, unmet }
    }

    pub fn add(&mut self, row: &Row) {
        self.unmet |= is_unmet(row);
        if let Some(model) = &mut self.model {
            let terms = row.terms.iter().map(|(c, k)| (self.columns[*c as usize], *k as f64));
            model.add_row(row.least as f64.., terms);
        }
    }

    /// Makes columns zero, or free again.
    pub fn fix(&mut self, columns: &[(u32, i64)], zero: bool) {
        if let Some(model) = &mut self.model {
            let most = if zero { 0.0 } else { f64::INFINITY };
            for (c, _) in columns {
                model.change_column_bounds(self.columns[*c as usize], 0.0..=most);
            }
        }
    }

    pub fn solve(&mut self, until: Option<Instant>) -> Solved {
        let Some(mut model) = self.model.take() else { return Solved::Failed };
        let began = Instant::now();
        if let Some(until) = until {
            model.set_option("time_limit", self.spent + until.saturating_duration_since(began).as_secs_f64());
        }
        let Ok(solved) = model.try_solve() else { return Solved::Failed };
        self.spent += began.elapsed().as_secs_f64();
        let answer = match solved.status() {
            HighsModelStatus::Infeasible | HighsModelStatus::UnboundedOrInfeasible => Solved::Infeasible,
            HighsModelStatus::Optimal => Solved::Optimal(solved.get_solution().columns().to_vec()),
            HighsModelStatus::ModelEmpty if self.unmet => Solved::Infeasible,
            HighsModelStatus::ModelEmpty => Solved::Optimal(vec![0.0; self.columns.len()]),
            HighsModelStatus::ReachedTimeLimit => Solved::Late,
            _ => Solved::Failed,
        };
        self.model = Some(solved.into());
        answer
    }
}

pub enum Whole {
    Found(Vec<f64>),
    /// So the solver says.
    Infeasible,
    Unknown,
}

/// A solution in whole numbers, if one is found within some seconds.
pub fn whole(system: &System, more: &[Row], seconds: f64) -> Whole {
    let (problem, _) = problem(system, more, true);
    let Some(mut model) = silent_model(problem) else { return Whole::Unknown };
    model.set_option("time_limit", seconds);
    model.set_option("mip_feasibility_tolerance", 1e-7);
    model.set_option("mip_max_improving_sols", 1);
    let Ok(solved) = model.try_solve() else { return Whole::Unknown };
    if solved.primal_solution_status() == HighsSolutionStatus::Feasible {
        return Whole::Found(solved.get_solution().columns().iter().map(|v| v.round()).collect());
    }
    match solved.status() {
        HighsModelStatus::Infeasible => Whole::Infeasible,
        _ => Whole::Unknown,
    }
}

/// Multipliers with which the rows cannot be met, checked exactly; None if none were found.
///
/// They are the dual solution of the program that says by how much rows must give way.
pub fn refute(system: &System, more: &[Row]) -> Option<Vec<(u32, BigRational)>> {
    let rows: Vec<&Row> = system.rows.iter().chain(more).collect();
    // A row that cannot be met by itself.
    for (i, row) in rows.iter().enumerate() {
        let one = |n: i64| vec![(i as u32, BigRational::from(BigInt::from(n)))];
        let below = row.terms.iter().all(|t| t.1 <= 0) && row.least > 0;
        let above = row.equal && row.terms.iter().all(|t| t.1 >= 0) && row.least < 0;
        if below || above {
            return Some(one(if below { 1 } else { -1 }));
        }
    }
    let mut problem = RowProblem::default();
    let columns: Vec<Col> = (0..system.columns).map(|_| problem.add_column(0.0, 0..)).collect();
    for row in &rows {
        let mut terms: Vec<(Col, f64)> =
            row.terms.iter().map(|(c, k)| (columns[*c as usize], *k as f64)).collect();
        terms.push((problem.add_column(1.0, 0..), 1.0));
        if row.equal {
            terms.push((problem.add_column(1.0, 0..), -1.0));
            problem.add_row(row.least as f64..=row.least as f64, terms);
        } else {
            problem.add_row(row.least as f64.., terms);
        }
    }
    let solved = silent_model(problem)?.try_solve().ok()?;
    if solved.status() != HighsModelStatus::Optimal {
        return None;
    }
    let duals = solved.get_solution().dual_rows().to_vec();
    let row = |n: u32| rows.get(n as usize).copied();
    for denominator in [1i64, 2, 6, 12, 60, 840, 27_720] {
        let factor = |y: f64| {
            let n = (y * denominator as f64).round() as i64;
            BigRational::new(BigInt::from(n), BigInt::from(denominator))
        };
        let list: Vec<(u32, BigRational)> = duals
            .iter()
            .enumerate()
            .map(|(i, y)| (i as u32, factor(*y)))
            .filter(|m| !m.1.is_zero())
            .collect();
        if refutes(row, &list).is_ok() {
            return Some(list);
        }
    }
    let list: Vec<(u32, BigRational)> =
        duals.iter().enumerate().map(|(i, y)| (i as u32, near(*y))).filter(|m| !m.1.is_zero()).collect();
    refutes(row, &list).is_ok().then_some(list)
}

/// A fraction with a small denominator next to a number.
fn near(y: f64) -> BigRational {
    let (mut a, mut b, mut c, mut d) = (0i64, 1i64, 1i64, 0i64);
    let mut x = y;
    for _ in 0..24 {
        let whole = x.floor();
        if whole.abs() > 1e9 {
            break;
        }
        let w = whole as i64;
        let (e, f) = (w.saturating_mul(c).saturating_add(a), w.saturating_mul(d).saturating_add(b));
        if f.abs() > 1_000_000 {
            break;
        }
        (a, b, c, d) = (c, d, e, f);
        if (x - whole).abs() < 1e-9 || (c as f64 / d as f64 - y).abs() < 1e-12 {
            break;
        }
        x = 1.0 / (x - whole);
    }
    if d == 0 { BigRational::zero() } else { BigRational::new(BigInt::from(c), BigInt::from(d)) }
}
