//! Values, expressions, places, and their evaluation.

use crate::program::{Domain, EntryId, ExceptionId, Program, TableId, TaskId, VarId};
use crate::state::{State, Status};

/// A number, or any number at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Known(i64),
    Any,
}

impl Value {
    pub fn known(self) -> Option<i64> {
        match self {
            Value::Known(value) => Some(value),
            Value::Any => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Known(value.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    Negate,
    Abs,
    /// Reduction modulo a positive number, for modular types.
    Wrap(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Mod,
    Rem,
    Power,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Const(i64),
    /// A value that the model does not follow.
    Any,
    Var(VarId),
    /// The cell that the table names at the index.
    Load(TableId, Box<Expr>),
    /// The constant that the table holds at the index.
    Lookup(TableId, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Raises Constraint_Error outside the range.
    Check(Box<Expr>, i64, i64),
    /// Number of callers in the queue of an entry.
    Count(Box<Expr>),
    Callable(Box<Expr>),
    Terminated(Box<Expr>),
}

/// Where an assignment goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Var(VarId),
    /// The cell that the table names at the index.
    Indexed(TableId, Expr),
    /// Nowhere: the value is not followed.
    Nowhere,
}

impl Place {
    pub fn each_index<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        if let Place::Indexed(_, index) = self {
            f(index);
        }
    }

    pub fn map_index(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        if let Place::Indexed(_, index) = self {
            f(index);
        }
    }

    /// Every cell that an assignment to this place may change.
    pub fn each_cell(&self, program: &Program, mut f: impl FnMut(VarId)) {
        match self {
            Place::Var(var) => f(*var),
            Place::Indexed(table, _) => program.tables[table.index()]
                .values
                .iter()
                .filter(|&&v| v >= 0)
                .for_each(|&v| f(VarId(v as u32))),
            Place::Nowhere => {}
        }
    }
}

impl Expr {
    pub const FALSE: Expr = Expr::Const(0);
    pub const TRUE: Expr = Expr::Const(1);

    pub fn constant(&self) -> Option<i64> {
        match self {
            Expr::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub fn is_any(&self) -> bool {
        *self == Expr::Any
    }

    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        Expr::unary(UnaryOp::Not, self)
    }

    /// Builds and folds.
    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        match operand {
            Expr::Const(value) => match apply_unary(op, value) {
                Ok(value) => Expr::Const(value),
                Err(_) => Expr::Unary(op, Box::new(operand)),
            },
            Expr::Any => Expr::Any,
            Expr::Unary(UnaryOp::Not, inner) if op == UnaryOp::Not => *inner,
            _ => Expr::Unary(op, Box::new(operand)),
        }
    }

    /// Builds and folds.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        use BinaryOp::*;
        match (op, &left, &right) {
            (_, Expr::Const(a), Expr::Const(b)) => match apply_binary(op, *a, *b) {
                Ok(value) => Expr::Const(value),
                Err(_) => Expr::Binary(op, Box::new(left), Box::new(right)),
            },
            (And, Expr::Const(0), _) => Expr::FALSE,
            (And, left, Expr::Const(0)) if left.is_harmless() => Expr::FALSE,
            (And, Expr::Const(1), _) => right,
            (And, _, Expr::Const(1)) => left,
            (Or, Expr::Const(1), _) => Expr::TRUE,
            (Or, left, Expr::Const(1)) if left.is_harmless() => Expr::TRUE,
            (Or, Expr::Const(0), _) => right,
            (Or, _, Expr::Const(0)) => left,
            (And | Or, _, _) => Expr::Binary(op, Box::new(left), Box::new(right)),
            (_, Expr::Any, other) | (_, other, Expr::Any) if other.is_harmless() => Expr::Any,
            _ => Expr::Binary(op, Box::new(left), Box::new(right)),
        }
    }

    /// Whether its evaluation fails no check, sums that are too large aside.
    fn is_harmless(&self) -> bool {
        let mut harmless = true;
        self.walk(&mut |e| {
            use BinaryOp::{Divide, Mod, Power, Rem};
            harmless &= !matches!(
                e,
                Expr::Check(..)
                    | Expr::Load(..)
                    | Expr::Lookup(..)
                    | Expr::Binary(Divide | Mod | Rem | Power, ..)
                    | Expr::Callable(_)
                    | Expr::Terminated(_)
            );
        });
        harmless
    }

    pub fn equal(left: Expr, right: Expr) -> Expr {
        Expr::binary(BinaryOp::Equal, left, right)
    }

    /// Visits this expression and all below it.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        match self {
            Expr::Const(_) | Expr::Any | Expr::Var(_) => {}
            Expr::Load(_, e)
            | Expr::Lookup(_, e)
            | Expr::Unary(_, e)
            | Expr::Check(e, ..)
            | Expr::Count(e)
            | Expr::Callable(e)
            | Expr::Terminated(e) => e.walk(f),
            Expr::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Expr::If(a, b, c) => {
                a.walk(f);
                b.walk(f);
                c.walk(f);
            }
        }
    }

    /// Rewrites bottom-up, folding on the way.
    pub fn rewrite(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let mut go = |e: Box<Expr>| Box::new(e.rewrite(f));
        let rebuilt = match self {
            Expr::Const(_) | Expr::Any | Expr::Var(_) => self,
            Expr::Load(t, e) => Expr::Load(t, go(e)),
            Expr::Lookup(t, e) => Expr::Lookup(t, go(e)),
            Expr::Unary(op, e) => Expr::unary(op, *go(e)),
            Expr::Check(e, lo, hi) => match *go(e) {
                Expr::Const(v) if lo <= v && v <= hi => Expr::Const(v),
                Expr::Any => Expr::Any,
                e => Expr::Check(Box::new(e), lo, hi),
            },
            Expr::Count(e) => Expr::Count(go(e)),
            Expr::Callable(e) => Expr::Callable(go(e)),
            Expr::Terminated(e) => Expr::Terminated(go(e)),
            Expr::Binary(op, a, b) => {
                let a = *go(a);
                let b = *go(b);
                Expr::binary(op, a, b)
            }
            Expr::If(a, b, c) => {
                let a = *go(a);
                let b = go(b);
                let c = go(c);
                match a {
                    Expr::Const(0) => *c,
                    Expr::Const(_) => *b,
                    _ if b == c && a.is_harmless() => *b,
                    _ => Expr::If(Box::new(a), b, c),
                }
            }
        };
        f(rebuilt)
    }

    /// Whether evaluating it may raise an exception.
    pub fn may_raise(&self, program: &Program) -> bool {
        use BinaryOp::*;
        let mut may = false;
        self.walk(&mut |e| {
            may |= match e {
                Expr::Load(..) | Expr::Lookup(..) | Expr::Check(..) => true,
                Expr::Binary(Add | Subtract, a, b) => !(a.is_small(program) && b.is_small(program)),
                Expr::Binary(Multiply | Divide | Mod | Rem | Power, ..) => true,
                Expr::Unary(UnaryOp::Negate | UnaryOp::Abs, e) => !e.is_small(program),
                _ => false,
            };
        });
        may
    }

    /// A constant or cell whose values are far from overflow.
    fn is_small(&self, program: &Program) -> bool {
        let far = |v: i64| v > -(1 << 40) && v < 1 << 40;
        match self {
            Expr::Const(v) => far(*v),
            Expr::Var(v) => match program.vars[v.index()].domain {
                Domain::Range(lo, hi) => far(lo) && far(hi),
                Domain::Opaque => true,
            },
            _ => false,
        }
    }

    /// Whether its value is surely one of a cell's.
    pub fn fits(&self, program: &Program, cell: VarId) -> bool {
        let Domain::Range(lo, hi) = program.vars[cell.index()].domain else { return true };
        self.bounds(program).is_some_and(|(least, most)| lo <= least && most <= hi)
    }

    /// Between which numbers its value surely is, if it raises nothing.
    pub fn bounds(&self, program: &Program) -> Option<(i64, i64)> {
        use BinaryOp::*;
        match self {
            Expr::Const(v) => Some((*v, *v)),
            Expr::Var(v) => match program.vars[v.index()].domain {
                Domain::Range(lo, hi) => Some((lo, hi)),
                Domain::Opaque => None,
            },
            Expr::Check(_, lo, hi) => Some((*lo, *hi)),
            Expr::Unary(UnaryOp::Not, _) => Some((0, 1)),
            Expr::Binary(And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, ..) => {
                Some((0, 1))
            }
            Expr::Binary(op @ (Add | Subtract), a, b) => {
                let ((a, most_a), (b, most_b)) = (a.bounds(program)?, b.bounds(program)?);
                match op {
                    Add => Some((a.checked_add(b)?, most_a.checked_add(most_b)?)),
                    _ => Some((a.checked_sub(most_b)?, most_a.checked_sub(b)?)),
                }
            }
            _ => None,
        }
    }

    /// Every cell that the expression may read.
    pub fn each_cell(&self, program: &Program, f: &mut dyn FnMut(VarId)) {
        self.walk(&mut |e| match e {
            Expr::Var(var) => f(*var),
            Expr::Load(table, _) => program.tables[table.index()]
                .values
                .iter()
                .filter(|&&v| v >= 0)
                .for_each(|&v| f(VarId(v as u32))),
            _ => {}
        });
    }
}

/// The value of an operation on known values.
pub fn apply_unary(op: UnaryOp, value: i64) -> Result<i64, ExceptionId> {
    let overflow = ExceptionId::CONSTRAINT_ERROR;
    match op {
        UnaryOp::Not => Ok(i64::from(value == 0)),
        UnaryOp::Negate => value.checked_neg().ok_or(overflow),
        UnaryOp::Abs => value.checked_abs().ok_or(overflow),
        UnaryOp::Wrap(modulus) => Ok(value.rem_euclid(modulus)),
    }
}

/// The value of an operation on known values.
pub fn apply_binary(op: BinaryOp, a: i64, b: i64) -> Result<i64, ExceptionId> {
    use BinaryOp::*;
    let arithmetic = match op {
        Add => a.checked_add(b),
        Subtract => a.checked_sub(b),
        Multiply => a.checked_mul(b),
        Divide => a.checked_div(b),
        // Ada's mod takes the sign of the divisor, rem that of the dividend.
        Mod => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        Rem => a.checked_rem(b),
        Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        And => Some(i64::from(a != 0 && b != 0)),
        Or => Some(i64::from(a != 0 || b != 0)),
        Xor => Some(i64::from((a != 0) != (b != 0))),
        Equal => Some(i64::from(a == b)),
        NotEqual => Some(i64::from(a != b)),
        Less => Some(i64::from(a < b)),
        LessEqual => Some(i64::from(a <= b)),
        Greater => Some(i64::from(a > b)),
        GreaterEqual => Some(i64::from(a >= b)),
    };
    arithmetic.ok_or(ExceptionId::CONSTRAINT_ERROR)
}

impl Program {
    /// The value of an expression in a state, or the exception that its evaluation raises.
    pub fn eval(&self, state: &State, expr: &Expr) -> Result<Value, ExceptionId> {
        Ok(match expr {
            Expr::Const(value) => Value::Known(*value),
            Expr::Any => Value::Any,
            Expr::Var(var) => self.read(state, *var),
            Expr::Load(table, index) => match self.eval(state, index)? {
                Value::Any => Value::Any,
                Value::Known(index) => self.read(state, self.cell_at(*table, index)?),
            },
            Expr::Lookup(table, index) => match self.eval(state, index)? {
                Value::Any => Value::Any,
                Value::Known(index) => Value::Known(self.at(*table, index)?),
            },
            Expr::Unary(op, e) => match self.eval(state, e)? {
                Value::Known(value) => Value::Known(apply_unary(*op, value)?),
                Value::Any => Value::Any,
            },
            Expr::Binary(op, a, b) => {
                let a = self.eval(state, a)?;
                // Short circuit: the right operand of a decided conjunction or disjunction may
                // raise an exception that the program guards against.
                match (op, a) {
                    (BinaryOp::And, Value::Known(0)) => return Ok(Value::Known(0)),
                    (BinaryOp::Or, Value::Known(1)) => return Ok(Value::Known(1)),
                    _ => {}
                }
                let b = self.eval(state, b)?;
                match (op, a, b) {
                    (_, Value::Known(a), Value::Known(b)) => Value::Known(apply_binary(*op, a, b)?),
                    (BinaryOp::And, _, Value::Known(0)) => Value::Known(0),
                    (BinaryOp::Or, _, Value::Known(1)) => Value::Known(1),
                    _ => Value::Any,
                }
            }
            Expr::If(c, a, b) => match self.eval(state, c)? {
                Value::Known(0) => self.eval(state, b)?,
                Value::Known(_) => self.eval(state, a)?,
                Value::Any => {
                    let (a, b) = (self.eval(state, a)?, self.eval(state, b)?);
                    if a == b { a } else { Value::Any }
                }
            },
            Expr::Check(e, lo, hi) => match self.eval(state, e)? {
                Value::Known(value) if value < *lo || value > *hi => {
                    return Err(ExceptionId::CONSTRAINT_ERROR);
                }
                value => value,
            },
            Expr::Count(entry) => match self.eval(state, entry)? {
                Value::Known(entry) => Value::Known(state.queues[EntryId(entry as u32).index()].len() as i64),
                Value::Any => Value::Any,
            },
            Expr::Callable(task) => match self.eval(state, task)? {
                Value::Known(task) => {
                    let task = &state.tasks[self.task_ref(task)?.index()];
                    (task.status < Status::Completed && !task.aborted).into()
                }
                Value::Any => Value::Any,
            },
            Expr::Terminated(task) => match self.eval(state, task)? {
                Value::Known(task) => {
                    (state.tasks[self.task_ref(task)?.index()].status == Status::Terminated).into()
                }
                Value::Any => Value::Any,
            },
        })
    }

    /// The task that a number stands for; none is Constraint_Error.
    pub(crate) fn task_ref(&self, number: i64) -> Result<TaskId, ExceptionId> {
        if number < 0 || number as usize >= self.tasks.len() {
            return Err(ExceptionId::CONSTRAINT_ERROR);
        }
        Ok(TaskId(number as u32))
    }

    fn read(&self, state: &State, var: VarId) -> Value {
        match self.vars[var.index()].domain {
            Domain::Opaque => Value::Any,
            Domain::Range(..) => state.vars[var.index()],
        }
    }

    /// The cell that a table names at an index; a negative number names none.
    fn cell_at(&self, table: TableId, index: i64) -> Result<VarId, ExceptionId> {
        u32::try_from(self.at(table, index)?).map(VarId).map_err(|_| ExceptionId::CONSTRAINT_ERROR)
    }

    /// The table's value at an index; outside the table, Constraint_Error.
    pub fn at(&self, table: TableId, index: i64) -> Result<i64, ExceptionId> {
        let table = &self.tables[table.index()];
        index
            .checked_sub(table.first)
            .and_then(|i| usize::try_from(i).ok())
            .and_then(|i| table.values.get(i).copied())
            .ok_or(ExceptionId::CONSTRAINT_ERROR)
    }

    /// Writes a value, checking the range of a tracked cell.
    pub fn write(&self, state: &mut State, var: VarId, value: Value) -> Result<(), ExceptionId> {
        match (self.vars[var.index()].domain, value) {
            (Domain::Opaque, _) => {}
            (Domain::Range(lo, hi), Value::Known(v)) if v < lo || v > hi => {
                return Err(ExceptionId::CONSTRAINT_ERROR);
            }
            (Domain::Range(..), value) => state.vars[var.index()] = value,
        }
        Ok(())
    }

    /// Assigns to a place. An unknown index may mean any cell of the table: all become unknown.
    pub fn store(&self, state: &mut State, to: &Place, value: Value) -> Result<(), ExceptionId> {
        match to {
            Place::Nowhere => Ok(()),
            Place::Var(var) => self.write(state, *var, value),
            Place::Indexed(table, index) => match self.eval(state, index)? {
                Value::Known(index) => {
                    let var = self.cell_at(*table, index)?;
                    self.write(state, var, value)
                }
                Value::Any => {
                    for &cell in self.tables[table.index()].values.iter().filter(|&&v| v >= 0) {
                        let var = VarId(cell as u32);
                        if self.vars[var.index()].domain != Domain::Opaque {
                            state.vars[var.index()] = Value::Any;
                        }
                    }
                    Ok(())
                }
            },
        }
    }
}
