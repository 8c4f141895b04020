//! What follows if a few tasks change places.
//!
//! A candidate says where a few tasks go. The code of a task and the code of its image are walked in step: a name in one
//! goes to the name in the other at the same place, and with a task go its entries, its locals, its masters and its
//! entry bodies. A contradiction ends the attempt. Everything that is not reached stays where it is.
//!
//! The result is a guess: `compare.rs` renames the whole program and compares it with the original, so no argument
//! about the walk is needed.

use rendez_model::expr::Expr;
use rendez_model::program::*;

use super::compare::symmetric_from;
use super::names::{Name, names_in, skeleton};
use super::{KINDS, Permutation, Symmetry, sizes};

/// What has no image yet.
const NOWHERE: u32 = u32::MAX;

/// A permutation that is being made.
pub(super) struct Matching<'p> {
    program: &'p Program,
    to: [Vec<u32>; KINDS],
    from: [Vec<u32>; KINDS],
    work: Vec<(Loc, Loc)>,
}

impl<'p> Matching<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let nowhere = || sizes(program).map(|n| vec![NOWHERE; n]);
        Matching { program, to: nowhere(), from: nowhere(), work: Vec::new() }
    }

    /// The permutation that follows from where these tasks go, if it is a symmetry.
    pub(super) fn complete(mut self, code: &[Vec<Loc>], tasks: &[(TaskId, TaskId)]) -> Option<Symmetry> {
        for (a, b) in tasks {
            self.name(Name::Task, a.0, b.0)?;
        }
        while let Some((a, b)) = self.work.pop() {
            self.node(a, b)?;
        }
        for kind in 0..KINDS {
            for i in 0..self.to[kind].len() {
                if self.to[kind][i] == NOWHERE {
                    if self.from[kind][i] != NOWHERE {
                        return None;
                    }
                    self.to[kind][i] = i as u32;
                }
            }
        }
        let permutation = Permutation { to: self.to };
        let too_early = symmetric_from(self.program, code, &permutation)?;
        Some(Symmetry { permutation, too_early })
    }

    /// One thing goes to another, and with it what belongs to it. None if it cannot.
    fn name(&mut self, kind: Name, a: u32, b: u32) -> Option<()> {
        let p = self.program;
        match kind {
            Name::Cells => return self.cells(a, b),
            Name::Constants => {
                let (a, b) = (&p.tables[a as usize], &p.tables[b as usize]);
                return (a.first == b.first && a.values == b.values).then_some(());
            }
            // Compared in the end.
            Name::AnyTask | Name::AnyMaster => return Some(()),
            _ => {}
        }
        let k = kind as usize;
        let (i, j) = (a as usize, b as usize);
        if self.to[k].get(i)? == &b {
            return Some(());
        }
        if self.to[k][i] != NOWHERE || *self.from[k].get(j)? != NOWHERE {
            return None;
        }
        self.to[k][i] = b;
        self.from[k][j] = a;
        match kind {
            // What stays is looked at in the end.
            Name::Task if a == b => Some(()),
            Name::Task => self.task(a, b),
            Name::Object => {
                self.entries(Owner::Object(ObjectId(a)), Owner::Object(ObjectId(b)))?;
                self.vars(Storage::Component(ObjectId(a)), Storage::Component(ObjectId(b)))
            }
            Name::Entry => self.entry(i, j),
            Name::Var => match (p.vars[i].storage, p.vars[j].storage) {
                (Storage::Shared, Storage::Shared) => Some(()),
                (Storage::Local(x), Storage::Local(y)) => self.name(Name::Task, x.0, y.0),
                (Storage::Component(x), Storage::Component(y)) => self.name(Name::Object, x.0, y.0),
                _ => None,
            },
            Name::Proc => self.proc(i, j),
            Name::Master => {
                let (x, y) = (p.masters[i].owner, p.masters[j].owner);
                self.name(Name::Task, x.0, y.0)
            }
            Name::Handler => self.handler(i, j),
            Name::Loc => {
                self.work.push((Loc(a), Loc(b)));
                Some(())
            }
            _ => Some(()),
        }
    }

    /// Two tables of cells, cell by cell.
    fn cells(&mut self, a: u32, b: u32) -> Option<()> {
        let p = self.program;
        let (a, b) = (&p.tables[a as usize], &p.tables[b as usize]);
        if a.first != b.first || a.values.len() != b.values.len() {
            return None;
        }
        for (a, b) in a.values.iter().zip(&b.values) {
            if *a < 0 || *b < 0 {
                (a == b).then_some(())?;
            } else {
                self.name(Name::Var, *a as u32, *b as u32)?;
            }
        }
        Some(())
    }

    fn task(&mut self, a: u32, b: u32) -> Option<()> {
        let p = self.program;
        let (i, j) = (a as usize, b as usize);
        let (x, y) = (&p.tasks[i], &p.tasks[j]);
        self.loc(x.start, y.start)?;
        self.loc(x.exit, y.exit)?;
        self.optional(Name::Master, x.master.map(|m| m.0), y.master.map(|m| m.0))?;
        let own = |t: u32| -> Vec<u32> {
            let masters = p.masters.iter().enumerate();
            masters.filter(|(_, m)| m.owner.0 == t).map(|(i, _)| i as u32).collect()
        };
        self.all(Name::Master, own(a).into_iter(), own(b).into_iter())?;
        // Entry bodies that the tasks run for themselves.
        let bodies = |t: u32| -> (Vec<u32>, Vec<u32>) {
            let of = p.bodies.range((TaskId(t), EntryId(0))..=(TaskId(t), EntryId(u32::MAX)));
            of.map(|((_, e), body)| (e.0, body.0)).unzip()
        };
        let ((entries, procs), (others, theirs)) = (bodies(a), bodies(b));
        self.all(Name::Entry, entries.into_iter(), others.into_iter())?;
        self.all(Name::Proc, procs.into_iter(), theirs.into_iter())?;
        self.entries(Owner::Task(TaskId(a)), Owner::Task(TaskId(b)))?;
        self.vars(Storage::Local(TaskId(a)), Storage::Local(TaskId(b)))
    }

    fn entry(&mut self, i: usize, j: usize) -> Option<()> {
        let p = self.program;
        let (x, y) = (&p.entries[i], &p.entries[j]);
        match (x.owner, y.owner) {
            (Owner::Task(x), Owner::Task(y)) => self.name(Name::Task, x.0, y.0)?,
            (Owner::Object(x), Owner::Object(y)) => self.name(Name::Object, x.0, y.0)?,
            _ => return None,
        }
        match (&x.barrier, &y.barrier) {
            (Some(x), Some(y)) => self.expr(x, y),
            (None, None) => Some(()),
            _ => None,
        }
    }

    fn proc(&mut self, i: usize, j: usize) -> Option<()> {
        let p = self.program;
        let (x, y) = (&p.procs[i], &p.procs[j]);
        let cells = |p: &Proc| -> Vec<VarId> {
            p.formals.iter().map(|f| f.cell).chain(p.locals.iter().copied()).collect()
        };
        self.loc(x.start, y.start)?;
        self.name(Name::Task, x.task.0, y.task.0)?;
        self.all(Name::Var, cells(x).iter().map(|v| v.0), cells(y).iter().map(|v| v.0))
    }

    fn handler(&mut self, i: usize, j: usize) -> Option<()> {
        let p = self.program;
        let (x, y) = (&p.handlers[i], &p.handlers[j]);
        if x.choices.len() != y.choices.len() {
            return None;
        }
        for ((c, l), (d, m)) in x.choices.iter().zip(&y.choices) {
            (c == d).then_some(())?;
            self.loc(*l, *m)?;
        }
        self.optional(Name::Var, x.occurrence.map(|v| v.0), y.occurrence.map(|v| v.0))?;
        self.optional(Name::Handler, x.outer.map(|h| h.0), y.outer.map(|h| h.0))
    }

    fn loc(&mut self, a: Loc, b: Loc) -> Option<()> {
        self.name(Name::Loc, a.0, b.0)
    }

    fn optional(&mut self, kind: Name, a: Option<u32>, b: Option<u32>) -> Option<()> {
        match (a, b) {
            (Some(a), Some(b)) => self.name(kind, a, b),
            (None, None) => Some(()),
            _ => None,
        }
    }

    fn all(
        &mut self,
        kind: Name,
        a: impl ExactSizeIterator<Item = u32>,
        b: impl ExactSizeIterator<Item = u32>,
    ) -> Option<()> {
        if a.len() != b.len() {
            return None;
        }
        a.zip(b).try_for_each(|(a, b)| self.name(kind, a, b))
    }

    fn entries(&mut self, a: Owner, b: Owner) -> Option<()> {
        let of = |owner: Owner| -> Vec<u32> {
            let all = self.program.entries.iter().enumerate();
            all.filter(|(_, e)| e.owner == owner).map(|(i, _)| i as u32).collect()
        };
        let (a, b) = (of(a), of(b));
        self.all(Name::Entry, a.into_iter(), b.into_iter())
    }

    fn vars(&mut self, a: Storage, b: Storage) -> Option<()> {
        let of = |storage: Storage| -> Vec<u32> {
            let all = self.program.vars.iter().enumerate();
            all.filter(|(_, v)| v.storage == storage).map(|(i, _)| i as u32).collect()
        };
        let (a, b) = (of(a), of(b));
        self.all(Name::Var, a.into_iter(), b.into_iter())
    }

    fn node(&mut self, a: Loc, b: Loc) -> Option<()> {
        let (x, y) = (self.program.node(a), self.program.node(b));
        self.optional(Name::Handler, x.handler.map(|h| h.0), y.handler.map(|h| h.0))?;
        let (left, right) = (skeleton(&x.action), skeleton(&y.action));
        (left.0 == right.0 && left.1.len() == right.1.len()).then_some(())?;
        for ((kind, a), (other, b)) in left.1.into_iter().zip(right.1) {
            (kind == other).then_some(())?;
            self.name(kind, a, b)?;
        }
        Some(())
    }

    fn expr(&mut self, a: &Expr, b: &Expr) -> Option<()> {
        let names = |e: &Expr| {
            let mut e = e.clone();
            let mut names = Vec::new();
            names_in(&mut e, None, &mut |kind, n| {
                names.push((kind, *n));
                *n = 0;
            });
            (e, names)
        };
        let ((a, left), (b, right)) = (names(a), names(b));
        (a == b && left.len() == right.len()).then_some(())?;
        for ((kind, a), (other, b)) in left.into_iter().zip(right) {
            (kind == other).then_some(())?;
            self.name(kind, a, b)?;
        }
        Some(())
    }
}
