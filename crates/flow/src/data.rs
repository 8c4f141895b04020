//! Constraints on data: what is known of tracked variables on a path.
//!
//! In FLAVERS (Dwyer et al., 2004, section 6.1), a variable automaton has one state per value of a variable, and
//! conditions and assignments are its letters. Here one automaton tracks all chosen cells together. Its state is a
//! valuation: a known value, or unknown, for each of them. Operations are evaluated with the expressions of the model,
//! so conditions over several variables, indices and range checks are decided when the cells that they read are known.
//!
//! Why this is right: a cell that is not tracked is unknown, and an operation fails only if it fails for all values
//! that the unknown parts may have. A path is rejected only where a condition cannot have the value that the path
//! needs, where an assignment that the path makes surely raises an exception, or where an exception that it takes
//! surely is not raised. So no path of an execution is rejected.
//!
//! A condition on a tracked but unknown cell may tell its value: up to 64 values are tried, and if one is left, it is
//! known from then on; if none is left, the path is infeasible. Where tasks that share a node pass different constants,
//! the parameter stands for a set of values: comparisons with values outside the set are decided, all others are
//! unknown.
//!
//! Short circuits are evaluated as the language says, with the possibility that only the operand which is evaluated
//! fails. The lengths of queues and the states of tasks are not tracked.

use std::collections::BTreeSet;

use rendez_model::expr::{apply_binary, apply_unary};
use rendez_model::{BinaryOp, Domain, Expr, Place, Program, Value, VarId};

use crate::cfg::Op;

/// What evaluating an expression may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Weighed {
    /// None if it surely raises an exception.
    value: Option<Value>,
    raises: bool,
}

impl Weighed {
    fn of(value: Value) -> Weighed {
        Weighed { value: Some(value), raises: false }
    }

    fn also(self, raises: bool) -> Weighed {
        Weighed { raises: self.raises || raises, ..self }
    }

    const ERROR: Weighed = Weighed { value: None, raises: true };
}

/// Numbers from here on stand for sets: the value is one of them, nobody knows which.
const SETS: i64 = i64::MIN / 2;
const MOST_SETS: i64 = 1 << 20;

/// The number that stands for a set.
pub fn one_of(set: usize) -> i64 {
    SETS + set as i64
}

/// Values of all cells; those that are not followed are unknown.
pub struct Data<'p> {
    program: &'p Program,
    values: Vec<Value>,
    /// The cells that are followed, in the order of valuations.
    pub cells: Vec<VarId>,
    /// Cells that an operation wrote though they are not followed.
    touched: Vec<VarId>,
    followed: Vec<bool>,
    /// What numbers that stand for sets mean.
    sets: &'p [BTreeSet<i64>],
}

/// Up to this many values of a cell are tried to learn from a condition.
const MOST_VALUES: i64 = 64;

impl<'p> Data<'p> {
    pub fn new(program: &'p Program, cells: &[VarId], sets: &'p [BTreeSet<i64>]) -> Data<'p> {
        let mut followed = vec![false; program.vars.len()];
        cells.iter().for_each(|c| followed[c.index()] = true);
        Data {
            program,
            values: vec![Value::Any; program.vars.len()],
            cells: cells.to_vec(),
            touched: Vec::new(),
            followed,
            sets,
        }
    }

    fn set_of(&self, value: i64) -> Option<&'p BTreeSet<i64>> {
        (SETS..SETS + MOST_SETS).contains(&value).then(|| &self.sets[(value - SETS) as usize])
    }

    /// Whether a value is between two others.
    fn within(&self, value: i64, lo: i64, hi: i64) -> bool {
        let inside = |v: &i64| lo <= *v && *v <= hi;
        self.set_of(value).map_or(inside(&value), |set| set.iter().all(inside))
    }

    /// An operation on two values, of which one may stand for a set; None if it surely raises.
    fn apply_binary(&self, op: BinaryOp, a: i64, b: i64) -> Option<Value> {
        let equal = match (self.set_of(a), self.set_of(b)) {
            (None, None) => return apply_binary(op, a, b).ok().map(Value::Known),
            (Some(s), None) if !s.contains(&b) => false,
            (None, Some(s)) if !s.contains(&a) => false,
            (Some(s), Some(t)) if s.is_disjoint(t) => false,
            _ => return Some(Value::Any),
        };
        Some(match op {
            BinaryOp::Equal => Value::Known(i64::from(equal)),
            BinaryOp::NotEqual => Value::Known(i64::from(!equal)),
            _ => Value::Any,
        })
    }

    /// The valuation at the start.
    pub fn initial(&self) -> Vec<Value> {
        self.cells.iter().map(|c| self.program.vars[c.index()].init).collect()
    }

    /// What operations make of a valuation; false if they cannot happen with it.
    pub fn run(&mut self, valuation: &mut [Value], ops: &[Op]) -> bool {
        for (cell, value) in self.cells.iter().zip(&*valuation) {
            self.values[cell.index()] = *value;
        }
        let possible = ops.iter().all(|op| self.apply(op));
        for (cell, value) in self.cells.iter().zip(valuation) {
            *value = self.values[cell.index()];
        }
        for cell in self.touched.drain(..) {
            self.values[cell.index()] = Value::Any;
        }
        possible
    }

    fn set(&mut self, cell: VarId, value: Value) {
        if self.program.vars[cell.index()].domain == Domain::Opaque {
            return;
        }
        if !self.followed[cell.index()] {
            self.touched.push(cell);
        }
        self.values[cell.index()] = value;
    }

    fn get(&self, cell: VarId) -> Value {
        match self.program.vars[cell.index()].domain {
            Domain::Opaque => Value::Any,
            Domain::Range(..) => self.values[cell.index()],
        }
    }

    fn apply(&mut self, op: &Op) -> bool {
        match op {
            Op::Assume(expr, wanted) => self.assume(expr, *wanted),
            Op::Raises(expr) => self.weigh(expr).raises,
            Op::Assign(place, expr) => {
                let Some(value) = self.weigh(expr).value else { return false };
                self.store(place, value)
            }
            Op::Set(cell, expr) => {
                let Some(value) = self.weigh(expr).value else { return false };
                self.set(*cell, value);
                true
            }
            Op::Fails(place, expr) => {
                let weighed = self.weigh(expr);
                weighed.raises
                    || weighed.value.is_some_and(|value| match place {
                        Place::Nowhere => false,
                        Place::Var(cell) => self.beyond(*cell, value),
                        Place::Indexed(table, index) => match self.weigh(index).value {
                            None | Some(Value::Any) => true,
                            Some(Value::Known(i)) if self.set_of(i).is_some() => true,
                            Some(Value::Known(i)) => match self.program.at(*table, i) {
                                Ok(cell) if cell >= 0 => self.beyond(VarId(cell as u32), value),
                                _ => true,
                            },
                        },
                    })
            }
            Op::Havoc(place) => self.store(place, Value::Any),
            Op::Copy { to, from } => {
                let value = self.get(*from);
                self.set(*to, value);
                true
            }
            Op::Reset(cell) => {
                self.set(*cell, self.program.vars[cell.index()].init);
                true
            }
        }
    }

    /// Whether a value may be out of the range of a cell.
    fn beyond(&self, cell: VarId, value: Value) -> bool {
        match (self.program.vars[cell.index()].domain, value) {
            (Domain::Opaque, _) => false,
            (_, Value::Any) => true,
            (Domain::Range(lo, hi), Value::Known(v)) => !self.within(v, lo, hi),
        }
    }

    fn store(&mut self, place: &Place, value: Value) -> bool {
        match place {
            Place::Nowhere => true,
            Place::Var(cell) => {
                if let Value::Known(v) = value
                    && self.beyond(*cell, value)
                {
                    if self.set_of(v).is_none() {
                        return false;
                    }
                    self.set(*cell, Value::Any);
                    return true;
                }
                self.set(*cell, value);
                true
            }
            Place::Indexed(table, index) => match self.weigh(index).value {
                None => false,
                Some(Value::Known(i)) if self.set_of(i).is_none() => match self.program.at(*table, i) {
                    Ok(cell) if cell >= 0 => self.store(&Place::Var(VarId(cell as u32)), value),
                    _ => false,
                },
                Some(_) => {
                    place.each_cell(self.program, |cell| self.set(cell, Value::Any));
                    true
                }
            },
        }
    }

    fn assume(&mut self, expr: &Expr, wanted: bool) -> bool {
        let fits = |v: Option<Value>| match v {
            None => false,
            Some(Value::Any) => true,
            Some(Value::Known(v)) => (v != 0) == wanted,
        };
        if !fits(self.weigh(expr).value) {
            return false;
        }
        // A condition on a cell that is followed but unknown may tell its value.
        let mut unknown = Vec::new();
        expr.each_cell(self.program, &mut |cell| {
            if self.followed[cell.index()] && self.get(cell) == Value::Any && !unknown.contains(&cell) {
                unknown.push(cell);
            }
        });
        for cell in unknown {
            let Domain::Range(lo, hi) = self.program.vars[cell.index()].domain else { continue };
            if hi.saturating_sub(lo) >= MOST_VALUES {
                continue;
            }
            let mut possible = Vec::new();
            for v in lo..=hi {
                self.values[cell.index()] = Value::Known(v);
                if fits(self.weigh(expr).value) {
                    possible.push(v);
                }
            }
            self.values[cell.index()] = match possible[..] {
                [] => return false,
                [one] => Value::Known(one),
                _ => Value::Any,
            };
        }
        true
    }

    fn weigh(&self, expr: &Expr) -> Weighed {
        match expr {
            Expr::Const(v) => Weighed::of(Value::Known(*v)),
            Expr::Any => Weighed::of(Value::Any),
            Expr::Var(cell) => Weighed::of(self.get(*cell)),
            Expr::Load(table, index) => self.at(index, |i| match self.program.at(*table, i) {
                Ok(cell) if cell >= 0 => Some(self.get(VarId(cell as u32))),
                _ => None,
            }),
            Expr::Lookup(table, index) => {
                self.at(index, |i| self.program.at(*table, i).ok().map(Value::Known))
            }
            Expr::Unary(op, e) => self.known(e, |v| apply_unary(*op, v).ok(), expr),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => self.weigh_short_circuit(*op, a, b),
            Expr::Binary(op, a, b) => self.weigh_binary(*op, a, b, expr),
            Expr::If(c, a, b) => self.weigh_conditional(c, a, b),
            Expr::Check(e, lo, hi) => self.weigh_check(e, *lo, *hi),
            // Queues and the states of tasks are not followed.
            Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_) => Weighed::of(Value::Any).also(true),
        }
    }

    /// The second operand is not evaluated if the first one decides.
    fn weigh_short_circuit(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Weighed {
        let decided = i64::from(op == BinaryOp::Or);
        let left = self.weigh(a);
        match left.value {
            None => Weighed::ERROR,
            Some(Value::Known(v)) if (v != 0) == (decided == 1) => {
                Weighed::of(Value::Known(decided)).also(left.raises)
            }
            Some(Value::Known(_)) => {
                let right = self.weigh(b);
                let truth = |v: Value| match v {
                    Value::Known(v) => Value::Known(i64::from(v != 0)),
                    Value::Any => Value::Any,
                };
                Weighed { value: right.value.map(truth), raises: left.raises || right.raises }
            }
            Some(Value::Any) => {
                let right = self.weigh(b);
                let value = match right.value {
                    None => Value::Known(decided),
                    Some(Value::Known(v)) if (v != 0) == (decided == 1) => Value::Known(decided),
                    _ => Value::Any,
                };
                Weighed::of(value).also(left.raises || right.raises)
            }
        }
    }

    fn weigh_binary(&self, op: BinaryOp, a: &Expr, b: &Expr, whole: &Expr) -> Weighed {
        let (left, right) = (self.weigh(a), self.weigh(b));
        let raises = left.raises || right.raises;
        match (left.value, right.value) {
            (None, _) | (_, None) => Weighed::ERROR,
            (Some(Value::Known(a)), Some(Value::Known(b))) => match self.apply_binary(op, a, b) {
                Some(v) => Weighed::of(v).also(raises || v == Value::Any),
                None => Weighed::ERROR,
            },
            _ => Weighed::of(Value::Any).also(raises || whole.may_raise(self.program)),
        }
    }

    fn weigh_conditional(&self, condition: &Expr, a: &Expr, b: &Expr) -> Weighed {
        let cond = self.weigh(condition);
        match cond.value {
            None => Weighed::ERROR,
            Some(Value::Known(0)) => self.weigh(b).also(cond.raises),
            Some(Value::Known(_)) => self.weigh(a).also(cond.raises),
            Some(Value::Any) => {
                let (a, b) = (self.weigh(a), self.weigh(b));
                let value = match (a.value, b.value) {
                    (None, None) => None,
                    (None, one) | (one, None) => one,
                    (Some(a), Some(b)) => Some(if a == b { a } else { Value::Any }),
                };
                Weighed { value, raises: cond.raises || a.raises || b.raises }
            }
        }
    }

    /// A value that must be in a range.
    fn weigh_check(&self, e: &Expr, lo: i64, hi: i64) -> Weighed {
        let inner = self.weigh(e);
        match inner.value {
            None => Weighed::ERROR,
            Some(Value::Known(v)) if !self.within(v, lo, hi) => match self.set_of(v) {
                Some(_) => Weighed::of(Value::Any).also(true),
                None => Weighed::ERROR,
            },
            Some(Value::Known(v)) => Weighed::of(Value::Known(v)).also(inner.raises),
            Some(Value::Any) => Weighed::of(Value::Any).also(true),
        }
    }

    fn at(&self, index: &Expr, value: impl Fn(i64) -> Option<Value>) -> Weighed {
        let index = self.weigh(index);
        match index.value {
            None => Weighed::ERROR,
            Some(Value::Any) => Weighed::of(Value::Any).also(true),
            Some(Value::Known(i)) if self.set_of(i).is_some() => Weighed::of(Value::Any).also(true),
            Some(Value::Known(i)) => match value(i) {
                Some(value) => Weighed::of(value).also(index.raises),
                None => Weighed::ERROR,
            },
        }
    }

    fn known(&self, e: &Expr, f: impl Fn(i64) -> Option<i64>, whole: &Expr) -> Weighed {
        let inner = self.weigh(e);
        match inner.value {
            None => Weighed::ERROR,
            Some(Value::Any) => Weighed::of(Value::Any).also(inner.raises || whole.may_raise(self.program)),
            Some(Value::Known(v)) if self.set_of(v).is_some() => Weighed::of(Value::Any).also(true),
            Some(Value::Known(v)) => match f(v) {
                Some(v) => Weighed::of(Value::Known(v)).also(inner.raises),
                None => Weighed::ERROR,
            },
        }
    }
}

/// Every cell that an operation reads or writes.
pub fn each_cell(program: &Program, op: &Op, f: &mut dyn FnMut(VarId)) {
    match op {
        Op::Assume(e, _) | Op::Raises(e) => e.each_cell(program, f),
        Op::Assign(place, e) | Op::Fails(place, e) => {
            place.each_cell(program, &mut *f);
            place.each_index(&mut |i| i.each_cell(program, f));
            e.each_cell(program, f);
        }
        Op::Havoc(place) => {
            place.each_cell(program, &mut *f);
            place.each_index(&mut |i| i.each_cell(program, f));
        }
        Op::Copy { to, from } => {
            f(*to);
            f(*from);
        }
        Op::Set(cell, e) => {
            f(*cell);
            e.each_cell(program, f);
        }
        Op::Reset(cell) => f(*cell),
    }
}
