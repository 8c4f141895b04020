//! Monitors: automata that follow what happens, as part of the meaning of a program.
//!
//! A monitor is the automaton of a property. Its state is a cell of the program, and steps of the
//! semantics move it: whoever explores the program explores the property with it.

use crate::expr::{Expr, Value};
use crate::program::*;

/// An automaton with what moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    pub name: String,
    /// The language it was written in, and how.
    pub language: &'static str,
    pub text: String,
    pub span: rendez_source::Span,
    /// What its letters are called.
    pub symbols: Vec<String>,
    /// Holds the state.
    pub cell: VarId,
    pub letters: usize,
    /// The successor of each state for each letter.
    pub next: Vec<u32>,
    pub accepting: Vec<bool>,
    /// No accepting state can be reached any more.
    pub doomed: Vec<bool>,
    /// What stands for which letter; the first that fits counts.
    pub watch: Vec<(Happening, u32)>,
}

/// How a value must compare: equal to a number or not.
pub type Comparison = (bool, i64);

/// Something that a monitor can see.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
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
pub enum Fit {
    Yes,
    No,
    /// It depends on a value that is not known.
    Maybe,
}

impl Fit {
    fn of(found: bool) -> Fit {
        if found { Fit::Yes } else { Fit::No }
    }

    /// Both.
    pub fn and(self, other: Fit) -> Fit {
        match (self, other) {
            (Fit::No, _) | (_, Fit::No) => Fit::No,
            (Fit::Yes, Fit::Yes) => Fit::Yes,
            _ => Fit::Maybe,
        }
    }
}

/// Whether a value compares as it must.
pub fn compares(test: Option<Comparison>, value: Value) -> Fit {
    match (test, value) {
        (None, _) => Fit::Yes,
        (Some(_), Value::Any) => Fit::Maybe,
        (Some((equal, wanted)), Value::Known(v)) => Fit::of((v == wanted) == equal),
    }
}

/// What happens in one moment of a step.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
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

impl Happening {
    /// Whether a moment is this one. `read` gives values of cells.
    pub fn fits(&self, program: &Program, moment: Moment, read: &dyn Fn(VarId) -> Value) -> Fit {
        match (self, moment) {
            (Happening::Event(name), Moment::Event(found)) => Fit::of(name.eq_ignore_ascii_case(found)),
            (Happening::Accept { entries, by, values }, Moment::Accept { caller, entry, formals }) => {
                if !entries.contains(&entry) || by.is_some_and(|t| t != caller) {
                    return Fit::No;
                }
                values.iter().zip(formals).fold(Fit::Yes, |fit, (wanted, formal)| {
                    fit.and(compares(wanted.map(|w| (true, w)), read(formal.cell)))
                })
            }
            (Happening::Finish { entries, by }, Moment::Finish { caller, entry }) => {
                Fit::of(entries.contains(&entry) && by.is_none_or(|t| t == caller))
            }
            (Happening::Write { cells, value }, Moment::Write(cell, v)) if cells.contains(&cell) => {
                compares(*value, v)
            }
            (Happening::Test { cells, value }, Moment::Test(expr)) => {
                let mut fit = Fit::No;
                expr.each_cell(program, &mut |cell| {
                    if cells.contains(&cell) {
                        fit = match (fit, compares(*value, read(cell))) {
                            (Fit::Yes, _) | (_, Fit::Yes) => Fit::Yes,
                            (Fit::Maybe, _) | (_, Fit::Maybe) => Fit::Maybe,
                            _ => Fit::No,
                        };
                    }
                });
                fit
            }
            (Happening::Enter { procs }, Moment::Enter(proc)) => Fit::of(procs.contains(&proc)),
            (Happening::Start(tasks), Moment::Start(t)) | (Happening::End(tasks), Moment::End(t)) => {
                Fit::of(tasks.contains(&t))
            }
            _ => Fit::No,
        }
    }

    /// Whether it may happen in a step of some task that is at this action.
    pub fn may_happen_at(&self, program: &Program, action: &Action) -> bool {
        match (self, action) {
            (Happening::Event(name), Action::Event { name: found, .. }) => name.eq_ignore_ascii_case(found),
            (Happening::Event(_), _) => false,
            (
                Happening::Write { cells, .. },
                Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. },
            ) => {
                let mut found = false;
                to.each_cell(program, |cell| found |= cells.contains(&cell));
                found
            }
            (Happening::Write { .. }, action) => matches!(action, Action::Return | Action::Call { .. }),
            (Happening::Test { cells, .. }, Action::Branch { .. } | Action::Select { .. }) => {
                let mut found = false;
                action.each_expr(&mut |e| e.each_cell(program, &mut |c| found |= cells.contains(&c)));
                found
            }
            (Happening::Test { .. }, _) => false,
            (Happening::Enter { procs }, Action::Call { proc, .. }) => procs.contains(proc),
            (Happening::Enter { .. }, _) => false,
            // A rendezvous with a task begins where it is accepted or called.
            (Happening::Accept { entries, .. }, action)
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
                Happening::Accept { .. } | Happening::Finish { .. },
                Action::Return | Action::EndAccept { .. } | Action::FailAccept { .. } | Action::Unlock { .. },
            ) => true,
            (
                Happening::Accept { .. } | Happening::Finish { .. } | Happening::Start(_) | Happening::End(_),
                action,
            ) => {
                let timing = matches!(action, Action::Undefer { .. } | Action::Delay { .. });
                !crate::access::is_sequential(action) && !timing
            }
        }
    }
}

impl Monitor {
    /// The monitor that sees the same letters and accepts everything.
    pub fn watching(&self) -> Monitor {
        Monitor { next: vec![0; self.letters], accepting: vec![true], doomed: vec![false], ..self.clone() }
    }

    /// For each letter the first letter with the same effect everywhere.
    pub fn alike(&self) -> Vec<u32> {
        let states = self.accepting.len() as u32;
        let column = |l: u32| (0..states).map(|s| self.step(s, l)).collect::<Vec<_>>();
        let columns: Vec<Vec<u32>> = (0..self.letters as u32).map(column).collect();
        let first = |c: &Vec<u32>| columns.iter().position(|other| other == c).unwrap_or(0) as u32;
        columns.iter().map(first).collect()
    }

    pub fn step(&self, state: u32, letter: u32) -> u32 {
        self.next[state as usize * self.letters + letter as usize]
    }

    /// The letters that a moment may be; the last is certain, or the moment may be none of them.
    pub fn letters<'a>(
        &'a self,
        program: &'a Program,
        moment: Moment<'a>,
        read: &'a dyn Fn(VarId) -> Value,
    ) -> impl Iterator<Item = (u32, Fit)> + 'a {
        let mut certain = false;
        self.watch.iter().filter_map(move |(happening, letter)| {
            if certain {
                return None;
            }
            let fit = happening.fits(program, moment, read);
            certain = fit == Fit::Yes;
            (fit != Fit::No).then_some((*letter, fit))
        })
    }
}

impl Program {
    /// Whether some monitor may move in a step of a task that is at this action.
    pub fn is_monitored(&self, action: &Action) -> bool {
        self.monitors.iter().flat_map(|m| &m.watch).any(|(h, _)| h.may_happen_at(self, action))
    }

    /// The cells whose values monitors look at, apart from their own.
    pub fn cells_of_monitors(&self) -> Vec<VarId> {
        let mut all = Vec::new();
        for (happening, _) in self.monitors.iter().flat_map(|m| &m.watch) {
            match happening {
                Happening::Write { cells, .. } | Happening::Test { cells, .. } => all.extend(cells),
                Happening::Accept { entries, values, .. } if !values.is_empty() => {
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
