//! Dead variables: which cells of a task are of no interest at a location.
//!
//! A cell is live at a location if some path from there reads it before it writes it. Two states that differ in dead
//! cells only have the same continuations, so engines forget dead cells (live-variable reduction: Bozga, Fernandez and
//! Ghirvu, *State space reduction based on live variables analysis*, SAS 1999). The analysis is the classical backward
//! data-flow problem, with rows of bits, one task at a time.
//!
//! Calls make it interprocedural. A return leads to behind every call site, which joins all callers. An exception may
//! go to a handler here, or to those of all callers, so each procedure has a row for what is live where its exceptions
//! go. Entry bodies are code of the calling task. Parameters are read when a call is made, and again whenever it is
//! requeued, since a requeued call passes its arguments on; the end of an accept body reads all results. If every
//! accept statement that takes a plain call only writes an argument, the call overwrites it, so its old value is dead.
//!
//! A cell that another task reads is live everywhere; so are components of objects, cells of barriers and monitors, and
//! locals of recursive procedures. Programs with aborts or asynchronous selects have no liveness at all: control may
//! leave from anywhere.
//!
//! Requeues were the source of errors. Parameters counted as dead while the body of an entry ran that requeues the
//! call, and a variable that is read only after a requeued call was served counted as dead while its caller waited.

use crate::access::Access;
use crate::passes::recursive_procedures;
use rendez_model::expr::{Expr, Place};
use rendez_model::program::*;

/// Rows of bits: one per location, a bit per cell.
struct Rows {
    width: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn new(rows: usize, columns: usize) -> Rows {
        let width = columns.div_ceil(64);
        Rows { width, bits: vec![0; rows * width] }
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.width..(row + 1) * self.width]
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.width + column / 64] |= 1 << (column % 64);
    }

    fn get(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.width + column / 64] >> (column % 64) & 1 != 0
    }
}

pub struct Liveness {
    live: Rows,
    /// Cells that count as live everywhere.
    always: Vec<bool>,
}

impl Liveness {
    /// None where control may be taken from a task at any time: then nothing is said.
    pub fn new(program: &Program, access: &Access) -> Option<Liveness> {
        let taken = |a: &Action| matches!(a, Action::Abort { .. } | Action::Async { .. });
        if access.code.iter().flatten().any(|l| taken(&program.node(*l).action)) {
            return None;
        }
        let requeues = |l: &Loc| matches!(program.node(*l).action, Action::Requeue { .. });
        let mut solver = Solver {
            program,
            uses: Rows::new(program.nodes.len(), program.vars.len()),
            live: Rows::new(program.nodes.len(), program.vars.len()),
            thrown: Rows::new(program.procs.len(), program.vars.len()),
            proc_of: vec![None; program.nodes.len()],
            requeues: access.code.iter().flatten().any(requeues),
            sites: vec![Vec::new(); program.procs.len()],
            written: match access.code.iter().flatten().any(requeues) {
                true => vec![Vec::new(); program.nodes.len()],
                false => results_of_calls(program),
            },
        };
        for p in 0..program.procs.len() {
            for loc in program.reachable(program.procs[p].start) {
                solver.proc_of[loc.index()] = Some(ProcId::from(p));
            }
        }
        for (t, code) in access.code.iter().enumerate() {
            solver.find_uses(TaskId::from(t), code);
        }
        for (t, code) in access.code.iter().enumerate() {
            solver.solve(TaskId::from(t), code);
        }
        Some(Liveness { live: solver.live, always: always(program, access) })
    }

    /// Whether a cell of a task is of interest when the task is at a location.
    pub fn is_live(&self, loc: Loc, cell: VarId) -> bool {
        self.always[cell.index()] || self.live.get(loc.index(), cell.index())
    }
}

/// Cells that somebody else reads, and those of procedures that may call themselves.
fn always(program: &Program, access: &Access) -> Vec<bool> {
    let mut reader: Vec<Option<usize>> = vec![None; program.vars.len()];
    let mut always = vec![false; program.vars.len()];
    for (t, code) in access.code.iter().enumerate() {
        for loc in code {
            program.node(*loc).action.each_expr(&mut |e| {
                e.each_cell(program, &mut |cell| {
                    let first = *reader[cell.index()].get_or_insert(t);
                    always[cell.index()] |= first != t;
                });
            });
        }
    }
    for monitor in &program.monitors {
        always[monitor.cell.index()] = true;
    }
    for cell in program.cells_of_monitors() {
        always[cell.index()] = true;
    }
    for (v, var) in program.vars.iter().enumerate() {
        if let (Storage::Local(task), Some(reader)) = (var.storage, reader[v]) {
            always[v] |= task.index() != reader;
        }
        always[v] |= matches!(var.storage, Storage::Component(_));
    }
    for barrier in program.entries.iter().filter_map(|e| e.barrier.as_ref()) {
        barrier.each_cell(program, &mut |cell| always[cell.index()] = true);
    }
    for proc in recursive_procedures(program) {
        program.procs[proc.index()].locals.iter().for_each(|v| always[v.index()] = true);
    }
    always
}

struct Solver<'p> {
    program: &'p Program,
    uses: Rows,
    live: Rows,
    /// By procedure: what is live where an exception goes that leaves it.
    thrown: Rows,
    proc_of: Vec<Option<ProcId>>,
    /// A call may end up in the body of another entry.
    requeues: bool,
    /// By procedure: where it is called, as a procedure or as an entry body.
    sites: Vec<Vec<Loc>>,
    /// By location of a call: arguments that it only ever writes.
    written: Vec<Vec<VarId>>,
}

/// The arguments of each call of a task that nobody reads, and that have a value when it returns.
fn results_of_calls(program: &Program) -> Vec<Vec<VarId>> {
    // By entry of a task and position: some accept statement reads the parameter.
    let mut reads: Vec<Vec<bool>> = vec![Vec::new(); program.entries.len()];
    for node in &program.nodes {
        if let Action::Select { alternatives, .. } = &node.action {
            for a in alternatives {
                for e in program.possible_entries(&a.entry) {
                    let list = &mut reads[e.index()];
                    list.resize(list.len().max(a.formals.len()), false);
                    a.formals.iter().enumerate().for_each(|(i, f)| list[i] |= f.mode.copies_in());
                }
            }
        }
    }
    let results = |node: &Node| match &node.action {
        Action::EntryCall { entry, args, mode: CallMode::Plain, .. } => {
            let entries = program.possible_entries(entry);
            let of_tasks = entries.iter().all(|e| matches!(program.entries[e.index()].owner, Owner::Task(_)));
            let only_written = |i: &usize| entries.iter().all(|e| reads[e.index()].get(*i) == Some(&false));
            match of_tasks {
                true => (0..args.len()).filter(only_written).map(|i| args[i]).collect(),
                false => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    program.nodes.iter().map(results).collect()
}

impl Solver<'_> {
    fn find_uses(&mut self, task: TaskId, code: &[Loc]) {
        let program = self.program;
        // The end of an accept body hands all results to the caller.
        let mut results = Vec::new();
        for loc in code {
            match &program.node(*loc).action {
                Action::Select { alternatives, .. } => {
                    let formals = alternatives.iter().flat_map(|a| &a.formals);
                    results.extend(formals.filter(|f| f.mode.copies_out()).map(|f| f.cell));
                }
                Action::Call { proc, .. } => self.sites[proc.index()].push(*loc),
                Action::EntryCall { entry, .. } => {
                    for body in self.bodies(task, entry) {
                        self.sites[body.index()].push(*loc);
                    }
                }
                _ => {}
            }
        }
        for loc in code {
            let row = loc.index();
            let uses = &mut self.uses;
            let mut note = |cell: VarId| uses.set(row, cell.index());
            let action = &program.node(*loc).action;
            action.each_expr(&mut |e| e.each_cell(program, &mut note));
            match action {
                Action::EntryCall { args, .. } => {
                    args.iter().filter(|v| !self.written[row].contains(v)).for_each(|v| note(*v));
                }
                Action::EndAccept { .. } => results.iter().for_each(|v| note(*v)),
                Action::Requeue { .. } => {
                    results.iter().for_each(|v| note(*v));
                    let own = self.proc_of[row].iter().flat_map(|p| &program.procs[p.index()].formals);
                    own.filter(|f| f.mode.copies_out()).for_each(|f| note(f.cell));
                }
                Action::FailAccept { occurrence } | Action::Resume { occurrence } => note(*occurrence),
                Action::Return => {
                    if let Some(proc) = self.proc_of[row] {
                        let formals = &program.procs[proc.index()].formals;
                        formals.iter().filter(|f| f.mode.copies_out()).for_each(|f| note(f.cell));
                        for site in &self.sites[proc.index()] {
                            if let Action::Call { outs, .. } = &program.node(*site).action {
                                let mut index = |e: &Expr| e.each_cell(program, &mut note);
                                outs.iter().for_each(|(_, place)| place.each_index(&mut |e| index(e)));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The bodies that a task may run when it calls an entry.
    fn bodies(&self, task: TaskId, entry: &Expr) -> Vec<ProcId> {
        let own = self.program.bodies.range((task, EntryId(0))..=(task, EntryId(u32::MAX)));
        let entries = self.program.possible_entries(entry);
        own.filter(|(of, _)| self.requeues || entries.contains(&of.1)).map(|(_, body)| *body).collect()
    }

    fn solve(&mut self, task: TaskId, code: &[Loc]) {
        let exit = self.program.tasks[task.index()].exit;
        let mut row = vec![0u64; self.live.width];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            // Discovered from the start: backwards is nearly the right order.
            for loc in code.iter().rev() {
                row.copy_from_slice(self.live.row(exit.index()));
                changed |= self.after(task, *loc, &mut row);
                or(&mut row, self.uses.row(loc.index()));
                let start = loc.index() * self.live.width;
                for (i, word) in row.iter().enumerate() {
                    let old = &mut self.live.bits[start + i];
                    changed |= *word & !*old != 0;
                    *old |= *word;
                }
            }
        }
    }

    /// What is live behind a location, and not written by its action. Whether more is known about
    /// exceptions that leave procedures.
    fn after(&mut self, task: TaskId, loc: Loc, row: &mut [u64]) -> bool {
        let program = self.program;
        let node = program.node(loc);
        let live = &self.live;
        match &node.action {
            Action::Select { alternatives, otherwise, delays, .. } => {
                let mut own = vec![0u64; live.width];
                for a in alternatives {
                    own.copy_from_slice(live.row(a.body.index()));
                    a.formals.iter().for_each(|f| clear(&mut own, f.cell));
                    or(row, &own);
                }
                for target in otherwise.iter().chain(delays.iter().map(|d| &d.1)) {
                    or(row, live.row(target.index()));
                }
            }
            Action::Return => {
                if let Some(proc) = self.proc_of[loc.index()] {
                    for site in &self.sites[proc.index()] {
                        program.node(*site).action.each_successor(|l| or(row, live.row(l.index())));
                    }
                }
            }
            action => {
                action.each_successor(|l| or(row, live.row(l.index())));
                let start = |proc: ProcId| program.procs[proc.index()].start.index();
                match action {
                    Action::Assign { to: Place::Var(v), .. } | Action::Havoc { to: Place::Var(v), .. } => {
                        clear(row, *v);
                    }
                    Action::EntryCall { entry, .. } => {
                        self.written[loc.index()].iter().for_each(|v| clear(row, *v));
                        for body in self.bodies(task, entry) {
                            or(row, live.row(start(body)));
                        }
                    }
                    Action::Call { proc, .. } => {
                        let mut own = live.row(start(*proc)).to_vec();
                        let formals = &program.procs[proc.index()].formals;
                        formals.iter().filter(|f| f.mode.copies_in()).for_each(|f| clear(&mut own, f.cell));
                        or(row, &own);
                    }
                    // From an entry body, which the task runs for itself, control goes back to the call, whose
                    // arguments are passed on.
                    Action::Requeue { .. } => {
                        for site in self.proc_of[loc.index()].iter().flat_map(|p| &self.sites[p.index()]) {
                            or(row, live.row(site.index()));
                        }
                    }
                    _ => {}
                }
            }
        }
        // Wherever an exception may go: to a handler here, or to those of callers.
        let mut thrown = vec![0u64; live.width];
        program.handlers_at(loc).for_each(|c| or(&mut thrown, live.row(c.1.index())));
        if let Some(proc) = self.proc_of[loc.index()] {
            or(&mut thrown, self.thrown.row(proc.index()));
        }
        or(row, &thrown);
        let called: Vec<ProcId> = match &node.action {
            Action::Call { proc, .. } => vec![*proc],
            Action::EntryCall { entry, .. } => self.bodies(task, entry),
            _ => Vec::new(),
        };
        let mut changed = false;
        for proc in called {
            let start = proc.index() * self.thrown.width;
            let row = &mut self.thrown.bits[start..start + thrown.len()];
            changed |= row.iter().zip(&thrown).any(|(old, new)| new & !old != 0);
            or(row, &thrown);
        }
        changed
    }
}

fn or(to: &mut [u64], from: &[u64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
}

fn clear(row: &mut [u64], cell: VarId) {
    row[cell.index() / 64] &= !(1 << (cell.index() % 64));
}
