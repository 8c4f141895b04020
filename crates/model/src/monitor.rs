//! Monitors: automata that follow what happens, as part of the meaning of a program.
//!
//! A monitor is the deterministic automaton of a property. Its state is a cell of the program, and steps of the
//! semantics move it, so whoever explores the program explores the product with the property (Vardi and Wolper, *An
//! automata-theoretic approach to automatic program verification*, 1986), without knowing that there is one. Reductions
//! respect a monitor in the same way, because the step that it sees writes its cell.
//!
//! What a monitor sees is an *event* of a step: a rendezvous begins or ends, a cell is written, a condition reads a
//! cell, a procedure is called, a task starts or ends, an annotated event. A step may have several events, in order. An
//! event carries all names of the property that fit it, and this set is the letter. Where it depends on an untracked
//! value whether a name fits, the step has one outcome for each set that it may carry, marked as a guess.
//!
//! A property is broken when its automaton comes to a state from which it can accept nothing any more, or when the main
//! program ends in a state that does not accept. Executions that block or go on for ever are not over; some properties
//! demand that certain states recur, and the automaton says which.
//!
//! What counts as reading a cell in a condition follows evaluation: an operand that a short circuit skips is not read,
//! and of an array only the element that is selected. `may_happen_at` over-approximates what a monitor may see at an
//! action; slicing, merging and stubborn sets keep such actions and their order. Folding a test away, merging the start
//! of a task, and reordering independent events each gave a wrong *holds* once.

use std::collections::HashMap;

use crate::expr::{BinaryOp, Expr, Place, Value, apply_binary, apply_unary};
use crate::program::*;

/// The language in which a property is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// A temporal formula; no monitor follows one.
    Ctl,
    /// A quantified regular expression.
    Qre,
    /// An automaton.
    Fsa,
    /// A property pattern.
    Pattern,
    /// A query of INCA.
    Inca,
    /// Nobody wrote it: whether the program can come to a standstill.
    Deadlock,
}

impl Language {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Language::Ctl => "ctl",
            Language::Qre => "qre",
            Language::Fsa => "fsa",
            Language::Pattern => "pattern",
            Language::Inca => "inca",
            Language::Deadlock => "deadlock",
        }
    }
}

/// An automaton with what moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    pub name: String,
    /// The language it was written in, and how.
    pub language: Language,
    pub text: String,
    pub span: rendez_source::Span,
    /// The names of what it sees.
    pub symbols: Vec<String>,
    /// Symbols with the same mark need not be told apart.
    pub marks: Vec<u32>,
    /// Whether the text of the program has what a symbol needs.
    pub possible: Vec<bool>,
    /// Symbols without which the property demands nothing.
    pub triggers: Vec<u32>,
    /// What stands for which symbol.
    pub watch: Vec<(EventPattern, u32)>,
    /// The sets of symbols that one event may carry, the smaller first, and the letter that each of them is.
    pub sets: Vec<(Vec<u32>, u32)>,
    /// Holds the state.
    pub cell: VarId,
    pub letters: usize,
    /// The successor of each state for each letter.
    pub next: Vec<u32>,
    pub accepting: Vec<bool>,
    /// No accepting state can be reached any more.
    pub doomed: Vec<bool>,
    /// Sets of states to each of which an execution that does not end must come again and again; none if the property
    /// is about executions that end.
    pub again: Vec<Vec<bool>>,
}

/// How a value must compare: equal to a number or not.
pub type Comparison = (bool, i64);

/// Something that a monitor can see.
#[derive(Clone, Debug, PartialEq)]
pub enum EventPattern {
    /// An annotated event.
    Event(String),
    /// A rendezvous or the body of a protected entry begins.
    Accept {
        entries: Vec<EntryId>,
        by: Option<TaskId>,
        values: Vec<Option<i64>>,
    },
    /// It ends, and the caller goes on.
    Finish {
        entries: Vec<EntryId>,
        by: Option<TaskId>,
    },
    Write {
        cells: Vec<VarId>,
        value: Option<Comparison>,
    },
    /// A condition or a guard looks at a cell.
    Test {
        cells: Vec<VarId>,
        value: Option<Comparison>,
    },
    Enter {
        procs: Vec<ProcId>,
    },
    Start(Vec<TaskId>),
    End(Vec<TaskId>),
}

/// Whether something is what a monitor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Yes,
    No,
    /// It depends on a value that is not known.
    Maybe,
}

impl Match {
    fn of(found: bool) -> Match {
        if found { Match::Yes } else { Match::No }
    }

    /// One of both.
    pub fn or(self, other: Match) -> Match {
        match (self, other) {
            (Match::Yes, _) | (_, Match::Yes) => Match::Yes,
            (Match::No, Match::No) => Match::No,
            _ => Match::Maybe,
        }
    }

    /// Both.
    pub fn and(self, other: Match) -> Match {
        match (self, other) {
            (Match::No, _) | (_, Match::No) => Match::No,
            (Match::Yes, Match::Yes) => Match::Yes,
            _ => Match::Maybe,
        }
    }
}

/// Whether a value compares as it must.
pub fn compares(test: Option<Comparison>, value: Value) -> Match {
    match (test, value) {
        (None, _) => Match::Yes,
        (Some(_), Value::Any) => Match::Maybe,
        (Some((equal, wanted)), Value::Known(v)) => Match::of((v == wanted) == equal),
    }
}

/// One thing that happens in a step.
#[derive(Clone, Copy, Debug)]
pub enum MonitorEvent<'a> {
    Event(&'a str),
    /// With the parameters that arrive.
    Accept {
        caller: TaskId,
        entry: EntryId,
        formals: &'a [Formal],
    },
    Finish {
        caller: TaskId,
        entry: EntryId,
    },
    Write(VarId, Value),
    /// An expression is evaluated to decide something.
    Test(&'a Expr),
    Enter(ProcId),
    Start(TaskId),
    End(TaskId),
}

/// What a monitor sees of one event of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    pub monitor: u16,
    /// The numbers of the sets of symbols that it may be; None stands for no letter.
    pub may_be: Vec<Option<u32>>,
}

/// Gives the values of expressions at some point of a step.
pub type Values<'a> = &'a dyn Fn(&Expr) -> Result<Value, ExceptionId>;

/// What a temporary cell is called whose value decides which way a task goes: what is copied to it is tested there.
pub const SELECTOR: &str = "selector";

/// Calls `f` for every cell that the evaluation of an expression looks at, and says whether it does so for certain.
/// An operand is not looked at if the one before it decides, or raises an exception.
fn looked_at(
    program: &Program,
    expr: &Expr,
    certain: bool,
    values: Values,
    f: &mut dyn FnMut(VarId, bool),
) -> Result<Value, ExceptionId> {
    let mut look = |e: &Expr, certain: bool| looked_at(program, e, certain, values, f);
    Ok(match expr {
        Expr::Const(_) | Expr::Any => values(expr)?,
        Expr::Var(cell) => {
            f(*cell, certain);
            values(expr)?
        }
        Expr::Load(table, index) => match look(index, certain)? {
            Value::Known(index) => {
                let cell = u32::try_from(program.at(*table, index)?);
                let cell = VarId(cell.map_err(|_| ExceptionId::CONSTRAINT_ERROR)?);
                f(cell, certain);
                values(&Expr::Var(cell))?
            }
            Value::Any => {
                let cells = &program.tables[table.index()].values;
                cells.iter().filter_map(|c| u32::try_from(*c).ok()).for_each(|cell| f(VarId(cell), false));
                Value::Any
            }
        },
        Expr::Lookup(table, index) => match look(index, certain)? {
            Value::Known(index) => Value::Known(program.at(*table, index)?),
            Value::Any => Value::Any,
        },
        Expr::Unary(op, e) => match look(e, certain)? {
            Value::Known(value) => Value::Known(apply_unary(*op, value)?),
            Value::Any => Value::Any,
        },
        Expr::Binary(op, a, b) => {
            let decided = match op {
                BinaryOp::And => Some(0),
                BinaryOp::Or => Some(1),
                _ => None,
            };
            match (look(a, certain)?, decided) {
                (Value::Known(a), Some(d)) if a == d => Value::Known(d),
                // What follows may not be looked at at all, so it raises nothing for certain.
                (Value::Any, Some(_)) => {
                    let _ = look(b, false);
                    Value::Any
                }
                (a, _) => match (a, look(b, certain)?) {
                    (Value::Known(a), Value::Known(b)) => Value::Known(apply_binary(*op, a, b)?),
                    _ => Value::Any,
                },
            }
        }
        Expr::If(c, a, b) => match look(c, certain)? {
            Value::Known(0) => look(b, certain)?,
            Value::Known(_) => look(a, certain)?,
            Value::Any => {
                let _ = look(a, false);
                let _ = look(b, false);
                Value::Any
            }
        },
        Expr::Check(e, lo, hi) => match look(e, certain)? {
            Value::Known(value) if value < *lo || value > *hi => return Err(ExceptionId::CONSTRAINT_ERROR),
            value => value,
        },
        Expr::Count(e) | Expr::Callable(e) | Expr::Terminated(e) => {
            look(e, certain)?;
            values(expr)?
        }
    })
}

/// The condition under which the evaluation of an expression looks at one of some cells while a comparison holds.
pub fn tested(program: &Program, expr: &Expr, cells: &[VarId], value: Option<Comparison>) -> Expr {
    let mut found = Vec::new();
    occurrences(program, expr, &Expr::TRUE, &mut |cell, given: &Expr| {
        if !cells.contains(&cell) {
            return;
        }
        let holds = match value {
            None => Expr::TRUE,
            Some((equal, v)) => {
                let op = if equal { BinaryOp::Equal } else { BinaryOp::NotEqual };
                Expr::binary(op, Expr::Var(cell), Expr::Const(v))
            }
        };
        let both = Expr::binary(BinaryOp::And, given.clone(), holds);
        if !found.contains(&both) {
            found.push(both);
        }
    });
    found.into_iter().reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)).unwrap_or(Expr::FALSE)
}

/// Calls `f` for every cell of an expression, with what must be so for its evaluation to look at it.
fn occurrences(program: &Program, expr: &Expr, given: &Expr, f: &mut dyn FnMut(VarId, &Expr)) {
    let and = |more: Expr| Expr::binary(BinaryOp::And, given.clone(), more);
    match expr {
        Expr::Const(_) | Expr::Any => {}
        Expr::Var(cell) => f(*cell, given),
        Expr::Load(table, index) => {
            occurrences(program, index, given, f);
            let table = &program.tables[table.index()];
            for (i, cell) in table.values.iter().enumerate() {
                let Ok(cell) = u32::try_from(*cell) else { continue };
                let here = Expr::Const(table.first + i as i64);
                f(VarId(cell), &and(Expr::binary(BinaryOp::Equal, (**index).clone(), here)));
            }
        }
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            occurrences(program, a, given, f);
            let open = if *op == BinaryOp::And { (**a).clone() } else { (**a).clone().not() };
            occurrences(program, b, &and(open), f);
        }
        Expr::Binary(_, a, b) => {
            occurrences(program, a, given, f);
            occurrences(program, b, given, f);
        }
        Expr::If(c, a, b) => {
            occurrences(program, c, given, f);
            occurrences(program, a, &and((**c).clone()), f);
            occurrences(program, b, &and((**c).clone().not()), f);
        }
        Expr::Lookup(_, e)
        | Expr::Unary(_, e)
        | Expr::Check(e, ..)
        | Expr::Count(e)
        | Expr::Callable(e)
        | Expr::Terminated(e) => occurrences(program, e, given, f),
    }
}

impl EventPattern {
    /// Whether an event is this one. `values` gives values of expressions.
    pub fn fits(&self, program: &Program, event: MonitorEvent, values: Values) -> Match {
        let read = |cell: VarId| values(&Expr::Var(cell)).unwrap_or(Value::Any);
        match (self, event) {
            (EventPattern::Event(name), MonitorEvent::Event(found)) => {
                Match::of(name.eq_ignore_ascii_case(found))
            }
            (
                EventPattern::Accept { entries, by, values: wanted },
                MonitorEvent::Accept { caller, entry, formals },
            ) => {
                if !entries.contains(&entry) || by.is_some_and(|t| t != caller) {
                    return Match::No;
                }
                wanted.iter().zip(formals).fold(Match::Yes, |fit, (wanted, formal)| {
                    fit.and(compares(wanted.map(|w| (true, w)), read(formal.cell)))
                })
            }
            (EventPattern::Finish { entries, by }, MonitorEvent::Finish { caller, entry }) => {
                Match::of(entries.contains(&entry) && by.is_none_or(|t| t == caller))
            }
            (EventPattern::Write { cells, value }, MonitorEvent::Write(cell, v)) if cells.contains(&cell) => {
                compares(*value, v)
            }
            (EventPattern::Test { cells, value }, MonitorEvent::Test(expr)) => {
                let mut fit = Match::No;
                let _ = looked_at(program, expr, true, values, &mut |cell, certain| {
                    if cells.contains(&cell) {
                        let here = if certain { Match::Yes } else { Match::Maybe };
                        fit = fit.or(here.and(compares(*value, read(cell))));
                    }
                });
                fit
            }
            (EventPattern::Enter { procs }, MonitorEvent::Enter(proc)) => Match::of(procs.contains(&proc)),
            (EventPattern::Start(tasks), MonitorEvent::Start(t))
            | (EventPattern::End(tasks), MonitorEvent::End(t)) => Match::of(tasks.contains(&t)),
            _ => Match::No,
        }
    }

    /// Whether it may happen in a step of some task that is at this action.
    pub fn may_happen_at(&self, program: &Program, action: &Action) -> bool {
        match (self, action) {
            (EventPattern::Event(name), Action::Event { kind: EventKind::Annotated, name: found, .. }) => {
                name.eq_ignore_ascii_case(found)
            }
            (EventPattern::Event(_), _) => false,
            (
                EventPattern::Write { cells, .. },
                Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. },
            ) => {
                let mut found = false;
                to.each_cell(program, |cell| found |= cells.contains(&cell));
                found
            }
            (EventPattern::Write { .. }, action) => matches!(action, Action::Return | Action::Call { .. }),
            (EventPattern::Test { cells, .. }, Action::Branch { .. } | Action::Select { .. }) => {
                let mut found = false;
                action.each_expr(&mut |e| e.each_cell(program, &mut |c| found |= cells.contains(&c)));
                found
            }
            (EventPattern::Test { cells, .. }, Action::Assign { to: Place::Var(to), value, .. }) => {
                let mut found = false;
                value.each_cell(program, &mut |c| found |= cells.contains(&c));
                found && program.is_selector(*to)
            }
            (EventPattern::Test { .. }, _) => false,
            (EventPattern::Enter { procs }, Action::Call { proc, .. }) => procs.contains(proc),
            (EventPattern::Enter { .. }, _) => false,
            // A rendezvous with a task begins where it is accepted or called.
            (EventPattern::Accept { entries, .. }, action)
                if entries.iter().all(|e| matches!(program.entries[e.index()].owner, Owner::Task(_))) =>
            {
                let named = |e: &Expr| program.possible_entries(e).iter().any(|e| entries.contains(e));
                match action {
                    Action::Select { alternatives, .. } => alternatives.iter().any(|a| named(&a.entry)),
                    Action::EntryCall { entry, .. }
                    | Action::Requeue { entry, .. }
                    | Action::Async { trigger: Trigger::Call { entry, .. }, .. } => named(entry),
                    _ => false,
                }
            }
            // Many steps may begin or end somebody's rendezvous, or start or end a task.
            (
                EventPattern::Accept { .. } | EventPattern::Finish { .. },
                Action::Return | Action::EndAccept { .. } | Action::FailAccept { .. } | Action::Unlock { .. },
            ) => true,
            (
                EventPattern::Accept { .. }
                | EventPattern::Finish { .. }
                | EventPattern::Start(_)
                | EventPattern::End(_),
                action,
            ) => {
                let timing = matches!(action, Action::Undefer { .. } | Action::Delay { .. });
                !crate::code::is_sequential(action) && !timing
            }
        }
    }
}

impl Monitor {
    /// The monitor that sees the same letters and accepts everything.
    pub fn watching(&self) -> Monitor {
        Monitor {
            next: vec![0; self.letters],
            accepting: vec![true],
            doomed: vec![false],
            again: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether executions that block or go on for ever may break the property though no step does.
    pub fn is_live(&self) -> bool {
        let open = |set: &Vec<bool>| set.iter().zip(&self.doomed).any(|(within, doomed)| !within && !doomed);
        self.again.iter().any(open)
    }

    /// Whether only a step can break the property, not the end of an execution.
    pub fn is_safety(&self) -> bool {
        self.accepting.iter().zip(&self.doomed).all(|(accepting, doomed)| *accepting || *doomed)
    }

    /// Makes letters with the same effect one, and symbols that may stand for each other in all sets have one mark.
    pub fn merge_alike(&mut self) {
        let states = self.accepting.len() as u32;
        let column = |l: u32| (0..states).map(|s| self.step(s, l)).collect::<Vec<_>>();
        let columns: Vec<Vec<u32>> = (0..self.letters as u32).map(column).collect();
        let first = |l: u32| columns.iter().position(|c| *c == columns[l as usize]).unwrap_or(0) as u32;
        self.sets.iter_mut().for_each(|(_, letter)| *letter = first(*letter));
        for symbol in 0..self.symbols.len() as u32 {
            for mark in 0..symbol {
                if self.marks[mark as usize] != mark || columns[mark as usize] != columns[symbol as usize] {
                    continue;
                }
                let old = std::mem::replace(&mut self.marks[symbol as usize], mark);
                if self.marks_tell_letters_apart() {
                    break;
                }
                self.marks[symbol as usize] = old;
            }
        }
    }

    /// Whether sets of symbols with the same marks are the same letter.
    fn marks_tell_letters_apart(&self) -> bool {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        self.sets.iter().all(|(set, letter)| {
            let mut marks: Vec<u32> = set.iter().map(|s| self.marks[*s as usize]).collect();
            marks.sort_unstable();
            marks.dedup();
            *known.entry(marks).or_insert(*letter) == *letter
        })
    }

    pub fn step(&self, state: u32, letter: u32) -> u32 {
        self.next[state as usize * self.letters + letter as usize]
    }

    /// What a letter is called: the names of a set that it stands for.
    pub fn letter_name(&self, letter: u32) -> String {
        let set = self.sets.iter().find(|(_, l)| *l == letter).map_or(&[][..], |(set, _)| set);
        let names: Vec<&str> = set.iter().map(|s| self.symbols[*s as usize].as_str()).collect();
        names.join(" & ")
    }

    /// The number of a set of symbols in order, among those that an event may carry.
    pub fn number(&self, set: &[u32]) -> Option<u32> {
        let found = self.sets.binary_search_by(|(s, _)| (s.len(), &s[..]).cmp(&(set.len(), set)));
        found.ok().map(|at| at as u32)
    }

    /// Whether an event may carry these symbols, and perhaps others.
    pub fn may_carry(&self, symbols: &[u32]) -> bool {
        self.sets.iter().any(|(set, _)| symbols.iter().all(|s| set.contains(s)))
    }

    /// The numbers of the sets that an event may carry, None among them if it may carry nothing. The result is
    /// None if it certainly carries nothing, and empty if what it carries is not listed.
    pub fn carried(
        &self,
        program: &Program,
        event: MonitorEvent,
        values: Values,
    ) -> Option<Vec<Option<u32>>> {
        let mut fits: Vec<(u32, Match)> = Vec::new();
        for (happening, symbol) in &self.watch {
            let fit = happening.fits(program, event, values);
            match fits.iter_mut().find(|(s, _)| s == symbol) {
                _ if fit == Match::No => {}
                Some((_, known)) => *known = known.or(fit),
                None => fits.push((*symbol, fit)),
            }
        }
        fits.sort_unstable_by_key(|f| f.0);
        let certain: Vec<u32> = fits.iter().filter(|f| f.1 == Match::Yes).map(|f| f.0).collect();
        if certain.len() == fits.len() {
            return (!certain.is_empty()).then(|| self.number(&certain).into_iter().map(Some).collect());
        }
        let within = |set: &[u32]| {
            set.iter().all(|s| fits.iter().any(|f| f.0 == *s)) && certain.iter().all(|s| set.contains(s))
        };
        let nothing = certain.is_empty().then_some(None);
        let sets = (0..self.sets.len()).filter(|s| within(&self.sets[*s].0)).map(|s| Some(s as u32));
        Some(nothing.into_iter().chain(sets).collect())
    }
}

impl Program {
    /// Whether a cell is a copy of what a case statement chooses by.
    pub fn is_selector(&self, cell: VarId) -> bool {
        let var = &self.vars[cell.index()];
        var.temporary && var.name.rsplit('.').next() == Some(SELECTOR)
    }

    /// Whether what is assigned at a location is the first value of an object that is declared there.
    pub fn is_declared_at(&self, loc: Loc) -> bool {
        self.declarations.contains(&self.node(loc).span)
    }

    /// Whether some monitor may move in a step of a task that is at this action.
    pub fn is_monitored(&self, action: &Action) -> bool {
        self.monitors.iter().flat_map(|m| &m.watch).any(|(h, _)| h.may_happen_at(self, action))
    }

    /// The cells whose values monitors look at, apart from their own.
    pub fn cells_of_monitors(&self) -> Vec<VarId> {
        let mut all = Vec::new();
        for (happening, _) in self.monitors.iter().flat_map(|m| &m.watch) {
            match happening {
                EventPattern::Write { cells, .. } => all.extend(cells),
                // What else a condition depends on says whether it looks at them.
                EventPattern::Test { cells, .. } => {
                    all.extend(cells);
                    for node in self.nodes.iter().filter(|n| happening.may_happen_at(self, &n.action)) {
                        node.action.each_expr(&mut |e| e.each_cell(self, &mut |cell| all.push(cell)));
                    }
                    all.sort_unstable();
                    all.dedup();
                }
                EventPattern::Accept { entries, values, .. } if !values.is_empty() => {
                    for node in &self.nodes {
                        if let Action::Select { alternatives, .. } = &node.action {
                            for a in alternatives {
                                if self.possible_entries(&a.entry).iter().any(|e| entries.contains(e)) {
                                    all.extend(a.formals.iter().map(|f| f.cell));
                                }
                            }
                        }
                    }
                    for ((_, entry), proc) in &self.bodies {
                        if entries.contains(entry) {
                            all.extend(self.procs[proc.index()].formals.iter().map(|f| f.cell));
                        }
                    }
                }
                _ => {}
            }
        }
        all
    }
}
