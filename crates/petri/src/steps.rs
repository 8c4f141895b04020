//! Steps of task interaction graphs, made of steps of the semantics.
//!
//! In a task interaction graph (Long and Clarke, ICSE 1989; Young et al., 1995, section 3.2), an edge is a
//! synchronisation, and everything that a task does between two of them belongs to a node. A step here is accordingly a
//! short run of the model's own steps: a call and the accept statement that takes it, or whatever else begins it, with
//! all local steps that follow in any task. The semantics is the only source of what can happen, and a step remembers
//! the single moves it consists of, so any path replays.
//!
//! Local steps may run without interleaving because they read and write nothing of other tasks: no task can prevent
//! them, and they prevent nobody (Lipton's reduction, CACM 1975; by itself each is a persistent set in Godefroid's
//! sense). A local step with several outcomes is not run; the task rests there, as one that only chooses for itself. A
//! run stops where a formula or a monitor must see a task, and before steps that start or end a task if a property
//! watches that.
//!
//! A task may run local steps for ever. A run is cut after some thousands of steps, and before that as soon as a state
//! of the run comes back: the state is compared with one that is renewed each time the run has doubled (Brent's way of
//! finding a cycle). The task then simply rests there.
//!
//! With groups, choices that tasks make for themselves are not steps but belong to the step that depends on them, as
//! published; this is for reproducing the paper's graphs.
//!
//! Where a wait is not a step, a state without steps is not yet one in which the semantics sees anybody wait. `commit`
//! lets the waits begin, for verdicts and traces.

use std::cell::RefCell;

use rendez_analysis::access::Access;
use rendez_analysis::symmetry::Permutation;
use rendez_model::monitor::EventPattern;
use rendez_model::semantics::{Move, Semantics, Step, StepEvent, Successor};
use rendez_model::state::{State, Status, Wait};
use rendez_model::{Action, CallMode, EntryId, Loc, MasterId, Owner, Program, TaskId, Value};
use rendez_verdict::{ProgressClassifier, alive, entries_in};

use crate::unobservable::Unobservable;

/// One step with all that belongs to it.
pub struct MacroStep {
    pub state: State,
    pub moves: Vec<Move>,
    pub steps: Vec<Step>,
    /// Entries that are called, and that are served.
    pub entries: Vec<(EntryId, bool, bool)>,
    /// Tasks that moved, and whether that was progress or a look at something.
    pub movers: Vec<(TaskId, u8)>,
    pub fate: Fate,
    pub guessed: bool,
    /// The groups of steps that tasks with a choice have chosen.
    pub groups: Vec<(TaskId, u32)>,
}

impl MacroStep {
    fn new(state: &State) -> MacroStep {
        MacroStep {
            state: state.clone(),
            moves: Vec::new(),
            steps: Vec::new(),
            entries: Vec::new(),
            movers: Vec::new(),
            fate: Fate::Followed,
            guessed: false,
            groups: Vec::new(),
        }
    }

    fn add(&mut self, program: &Program, mv: Move, outcome: Successor) {
        let entries = &mut self.entries;
        entries_in(program, &outcome.step, &outcome.state, |e, called, accepted| {
            entries.push((e, called, accepted));
        });
        self.moves.push(mv);
        self.steps.push(outcome.step);
        self.state = outcome.state;
    }
}

/// Whether a step is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Followed,
    /// It depends on a value that is not known, and such steps are not wanted.
    Skipped,
    /// A bound ends the execution.
    Stopped,
    Unsupported,
}

pub struct Steps<'s, 'p> {
    pub semantics: &'s Semantics<'p>,
    pub access: Access,
    pub unobservable: Unobservable,
    effort: ProgressClassifier,
    merge: bool,
    skip_guesses: bool,
    /// Choices of tasks are groups of steps, not steps.
    pub groups: bool,
    /// By location: tasks must be seen to stop here.
    pub stops: Vec<bool>,
    /// Entries with a barrier that turned out to be unknown: their queues must be followed.
    pub tracked_queues: RefCell<Vec<EntryId>>,
    /// Entries that are called, though the wait for them is no step.
    pub called: RefCell<Vec<EntryId>>,
}

/// Of more groups at one place the rest are steps.
const MOST_GROUPS: usize = 64;

/// Local steps of one task in one go; a longer run is cut into several states.
const CHUNK: usize = 5_000;

impl<'s, 'p> Steps<'s, 'p> {
    pub fn new(
        semantics: &'s Semantics<'p>,
        merge: bool,
        skip_guesses: bool,
        tracked_queues: &[EntryId],
        visible: &[Loc],
    ) -> Self {
        let mut stops: Vec<bool> =
            semantics.program.nodes.iter().map(|n| starts_or_ends(semantics.program, &n.action)).collect();
        visible.iter().for_each(|loc| stops[loc.index()] = true);
        let access = Access::new(semantics.program);
        let unobservable = Unobservable::new(semantics.program, &access, tracked_queues);
        let effort = ProgressClassifier::new(semantics.program);
        let tracked_queues = RefCell::new(tracked_queues.to_vec());
        Steps {
            semantics,
            access,
            unobservable,
            effort,
            merge,
            skip_guesses,
            groups: false,
            stops,
            tracked_queues,
            called: RefCell::default(),
        }
    }

    fn action(&self, state: &State, task: TaskId) -> &'p Action {
        &self.semantics.program.node(state.tasks[task.index()].pc).action
    }

    /// The state in which the search starts.
    pub fn first(&self) -> MacroStep {
        let start = self.semantics.initial();
        let mut first = MacroStep::new(&start);
        let work = (0..start.tasks.len()).map(TaskId::from).collect();
        self.run_local(&mut first, work);
        first
    }

    /// Every step that a task can make, alone or as a caller. With groups, choices that tasks make for
    /// themselves are no steps: they are made with the step that depends on them.
    pub fn of(&self, state: &State, task: TaskId, out: &mut Vec<MacroStep>) {
        if !self.groups {
            return self.macro_steps(state, task, out);
        }
        for (group, chosen) in self.choices(state, task).into_iter().enumerate() {
            let mut inner = Vec::new();
            let acceptor = self.called(&chosen.state, task).filter(|a| self.chooses(&chosen.state, *a));
            match acceptor {
                None => {
                    let mut found = Vec::new();
                    self.macro_steps(&chosen.state, task, &mut found);
                    inner.extend(found.into_iter().map(|m| (Vec::new(), m)));
                }
                Some(acceptor) => {
                    for (g, other) in self.choices(&chosen.state, acceptor).into_iter().enumerate() {
                        let mut found = Vec::new();
                        self.macro_steps(&other.state, task, &mut found);
                        let has_rendezvous = |m: &MacroStep| {
                            m.steps.iter().any(|s| matches!(s.what, StepEvent::Accepted { .. }))
                        };
                        for m in found.into_iter().filter(has_rendezvous) {
                            inner.push((vec![(acceptor, g as u32)], after(&other, m)));
                        }
                    }
                }
            }
            for (mut groups, step) in inner {
                groups.push((task, group as u32));
                let mut step = after(&chosen, step);
                step.groups = groups;
                out.push(step);
            }
        }
    }

    /// The ways in which a task may resolve its own choices, up to where it interacts.
    pub fn choices(&self, state: &State, task: TaskId) -> Vec<MacroStep> {
        let mut done = Vec::new();
        let mut work = vec![MacroStep::new(state)];
        while let Some(run) = work.pop() {
            if !self.chooses(&run.state, task) || done.len() + work.len() >= MOST_GROUPS {
                done.push(run);
                continue;
            }
            for (mv, outcome) in self.successors(&run.state, task).into_iter().rev() {
                let mut found = Vec::new();
                self.push(&run.state, vec![(mv, outcome)], &mut found);
                work.extend(found.into_iter().map(|m| after(&run, m)));
            }
        }
        done
    }

    /// The task that a task is about to call.
    fn called(&self, state: &State, task: TaskId) -> Option<TaskId> {
        let ts = &state.tasks[task.index()];
        let Action::EntryCall { entry, .. } = self.action(state, task) else { return None };
        if !alive(ts.status) || ts.wait != Wait::Nothing {
            return None;
        }
        match self.semantics.program.eval(state, entry) {
            Ok(Value::Known(e)) => match self.semantics.program.entries[e as usize].owner {
                Owner::Task(owner) => Some(owner),
                Owner::Object(_) => None,
            },
            _ => None,
        }
    }

    fn macro_steps(&self, state: &State, task: TaskId, out: &mut Vec<MacroStep>) {
        let ts = &state.tasks[task.index()];
        if !alive(ts.status) {
            return;
        }
        let (wait, loc) = (ts.wait, ts.pc);
        let idle = wait == Wait::Nothing;
        let undisturbed = idle && !ts.aborted && ts.transfers.is_empty();
        let action = self.action(state, task);
        if let (true, Action::Await { masters, .. }) = (undisturbed, action) {
            return self.await_dependents(state, task, masters, out);
        }
        if undisturbed && self.unobservable.select[loc.index()] && self.semantics.only_waits(state, task) {
            return;
        }
        let base = self.successors(state, task);
        for (mv, outcome) in base {
            match (&outcome.step.what, action) {
                (StepEvent::Queued(entry), Action::EntryCall { mode, .. })
                    if idle && self.unobservable.entry[entry.index()] =>
                {
                    if outcome.step.guessed {
                        note(&self.tracked_queues, *entry);
                    }
                    note(&self.called, *entry);
                    if let Owner::Task(owner) = self.semantics.program.entries[entry.index()].owner {
                        self.accepted(state, task, owner, (mv, outcome.clone()), out);
                    }
                    if let CallMode::Timed { .. } = mode {
                        self.then_timeout(state, task, (mv, outcome), out);
                    }
                }
                (StepEvent::Waits, Action::Select { .. })
                    if self.unobservable.select[loc.index()] && (self.groups || !outcome.step.guessed) =>
                {
                    self.then_timeout(state, task, (mv, outcome), out);
                }
                _ => self.push(state, vec![(mv, outcome)], out),
            }
        }
        if let (true, Action::EntryCall { entry, mode: CallMode::Conditional { .. }, .. }) = (idle, action) {
            let entries = match self.semantics.program.eval(state, entry) {
                Ok(Value::Known(e)) => self.semantics.program.entry_number(e).into_iter().collect(),
                Ok(Value::Any) => self.semantics.program.possible_entries(entry),
                Err(_) => Vec::new(),
            };
            let mut acceptors = Vec::new();
            for entry in entries {
                if let Owner::Task(owner) = self.semantics.program.entries[entry.index()].owner
                    && owner != task
                    && !acceptors.contains(&owner)
                {
                    acceptors.push(owner);
                    self.taken_at_once(state, task, owner, out);
                }
            }
        }
    }

    /// A call is made, and the called task, which has come to an accept statement, takes it.
    fn accepted(
        &self,
        state: &State,
        caller: TaskId,
        acceptor: TaskId,
        call: (Move, Successor),
        out: &mut Vec<MacroStep>,
    ) {
        let ts = &state.tasks[acceptor.index()];
        if ts.wait != Wait::Nothing || !matches!(self.action(state, acceptor), Action::Select { .. }) {
            return;
        }
        if self.semantics.takes_nobody(&call.1.state, acceptor) {
            return;
        }
        for (mv, taken) in self.successors(&call.1.state, acceptor) {
            if matches!(taken.step.what, StepEvent::Accepted { caller: c, .. } if c == caller) {
                self.push(state, vec![call.clone(), (mv, taken)], out);
            }
        }
    }

    /// A conditional call finds a task that waits at an accept statement.
    fn taken_at_once(&self, state: &State, caller: TaskId, acceptor: TaskId, out: &mut Vec<MacroStep>) {
        if !self.is_quietly_waiting(state, acceptor) {
            return;
        }
        for (first, waits) in self.successors(state, acceptor) {
            if waits.step.what != StepEvent::Waits || waits.step.guessed {
                continue;
            }
            for (second, met) in self.successors(&waits.state, caller) {
                if matches!(met.step.what, StepEvent::Accepted { acceptor: a, .. } if a == acceptor) {
                    self.push(state, vec![(first, waits.clone()), (second, met)], out);
                }
            }
        }
    }

    /// At an accept statement or select whose waiting is not a step of its own.
    pub fn is_quietly_waiting(&self, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        ts.wait == Wait::Nothing && ts.status == Status::Active && self.unobservable.select[ts.pc.index()]
    }

    /// The wait begins and its time is over, in one step.
    fn then_timeout(&self, state: &State, task: TaskId, first: (Move, Successor), out: &mut Vec<MacroStep>) {
        for (mv, late) in self.successors(&first.1.state, task) {
            if late.step.what == StepEvent::TimedOut {
                self.push(state, vec![first.clone(), (mv, late)], out);
            }
        }
    }

    /// A master waits for its dependents; those at a terminate alternative end with it.
    fn await_dependents(&self, state: &State, task: TaskId, masters: &[MasterId], out: &mut Vec<MacroStep>) {
        let mut waiting = Vec::new();
        if !self.all_done(state, masters, &mut waiting) {
            return;
        }
        let mut before = state.clone();
        let mut prefix = Vec::new();
        for dependent in waiting {
            if before.tasks[dependent.index()].wait == Wait::Nothing {
                let waits = self
                    .successors(&before, dependent)
                    .into_iter()
                    .find(|(_, o)| o.step.what == StepEvent::Waits && !o.step.guessed);
                let Some(waits) = waits else { return };
                before = waits.1.state.clone();
                if !self.semantics.at_terminate(&before, dependent) {
                    return;
                }
                prefix.push(waits);
            }
        }
        for last in self.successors(&before, task) {
            let mut run = prefix.clone();
            run.push(last);
            self.push(state, run, out);
        }
    }

    /// Whether every task that depends on the masters is done, or at a select with terminate.
    /// Looks no further than the first that is not.
    fn all_done(&self, state: &State, masters: &[MasterId], waiting: &mut Vec<TaskId>) -> bool {
        let program = self.semantics.program;
        for (t, task) in program.tasks.iter().enumerate() {
            let id = TaskId::from(t);
            let Some(master) = task.master.filter(|m| !task.background && masters.contains(m)) else {
                continue;
            };
            debug_assert!(masters.contains(&master));
            if !alive(state.tasks[t].status) {
                continue;
            }
            let may_end = match self.action(state, id) {
                Action::Select { terminate: Some(_), .. } => {
                    self.semantics.at_terminate(state, id) || self.is_quietly_waiting(state, id)
                }
                _ => false,
            };
            if !may_end {
                return false;
            }
            waiting.push(id);
            let own: Vec<MasterId> = (0..program.masters.len())
                .map(MasterId::from)
                .filter(|m| program.masters[m.index()].owner == id)
                .collect();
            if !own.is_empty() && !self.all_done(state, &own, waiting) {
                return false;
            }
        }
        true
    }

    pub fn successors(&self, state: &State, task: TaskId) -> Vec<(Move, Successor)> {
        let mut out = Vec::new();
        self.semantics.successors(state, task, &mut out);
        out.into_iter().enumerate().map(|(i, o)| (Move { task, choice: i as u32 }, o)).collect()
    }

    /// Moves from a state with what they do, as they are when everything is renamed.
    pub fn renamed(
        &self,
        moves: impl Iterator<Item = Move>,
        from: &State,
        permutation: &Permutation,
    ) -> Vec<(Move, Successor)> {
        let mut state = from.clone();
        let mut result = Vec::new();
        for mv in moves {
            let mut here = self.successors(&state, mv.task);
            if mv.choice as usize >= here.len() {
                break;
            }
            let next = here.swap_remove(mv.choice as usize).1.state;
            let (like, task) = (permutation.state(&next), permutation.task(mv.task));
            let mut there = self.successors(&permutation.state(&state), task);
            // Nearly always the same choice.
            let same = |choice: &usize| there.get(*choice).is_some_and(|(_, o)| o.state == like);
            let choice = Some(mv.choice as usize).filter(same).or_else(|| (0..there.len()).find(same));
            match choice {
                Some(choice) => result.push(there.swap_remove(choice)),
                None => break,
            }
            state = next;
        }
        result
    }

    /// Adds a run of single steps, with the local steps that follow.
    fn push(&self, before: &State, run: Vec<(Move, Successor)>, out: &mut Vec<MacroStep>) {
        let program = self.semantics.program;
        let mut result = MacroStep::new(before);
        let mut work = Vec::new();
        for (mv, outcome) in run {
            result.guessed |= outcome.step.guessed;
            let flags = self.effort.of(program, &self.access, &outcome, &result.state);
            moved(&mut result.movers, mv.task, flags);
            match outcome.step.what {
                StepEvent::Stopped => result.fate = Fate::Stopped,
                StepEvent::Unsupported => result.fate = Fate::Unsupported,
                _ => {}
            }
            if result.fate == Fate::Followed {
                self.wake(&result.state, &outcome.state, &mut work);
                if !work.contains(&mv.task) {
                    work.push(mv.task);
                }
            }
            result.add(program, mv, outcome);
        }
        if result.guessed && self.skip_guesses {
            result.fate = Fate::Skipped;
        }
        if result.fate == Fate::Followed {
            self.run_local(&mut result, work);
        }
        out.push(result);
    }

    /// Tasks that a step changed, or that may have waited for what it did.
    fn wake(&self, before: &State, after: &State, work: &mut Vec<TaskId>) {
        let add = |work: &mut Vec<TaskId>, task: TaskId| {
            if !work.contains(&task) {
                work.push(task);
            }
        };
        for t in before.tasks.changed(&after.tasks) {
            // Parts that differ were accessed by the step, so they are in the log already.
            let (a, b) = (before.tasks.peek(t), after.tasks.peek(t));
            if a == b {
                continue;
            }
            add(work, TaskId::from(t));
            if a.status != b.status && a.status == Status::Activating {
                // A master that waits for the end of its tasks goes on in a step of its own: otherwise
                // each of them would have to look at all others.
                for parent in &self.unobservable.activators[t] {
                    add(work, *parent);
                }
            }
        }
    }

    /// Runs steps that concern no other task until none is left.
    fn run_local(&self, run: &mut MacroStep, mut work: Vec<TaskId>) {
        if !self.merge {
            return;
        }
        work.sort();
        let mut budget = CHUNK + work.len() * 8;
        while let Some(task) = work.first().copied() {
            work.remove(0);
            // A state of this run to compare later ones with, a newer one each time the run is twice as long: who
            // comes back to it would go on like this for ever.
            let (mut seen, mut steps, mut newer) = (None, 0, 8);
            while budget > 0 && self.runs_alone(&run.state, task) && seen.as_ref() != Some(&run.state) {
                steps += 1;
                if steps == newer {
                    (seen, newer) = (Some(run.state.clone()), 2 * newer);
                }
                let mut next = self.successors(&run.state, task);
                if next.len() != 1
                    || matches!(next[0].1.step.what, StepEvent::Stopped | StepEvent::Unsupported)
                {
                    break;
                }
                let Some((mv, outcome)) = next.pop() else { break };
                let flags = self.effort.of(self.semantics.program, &self.access, &outcome, &run.state);
                moved(&mut run.movers, task, flags);
                let mut woken = Vec::new();
                self.wake(&run.state, &outcome.state, &mut woken);
                for other in woken {
                    if other != task && !work.contains(&other) {
                        work.push(other);
                    }
                }
                run.add(self.semantics.program, mv, outcome);
                budget -= 1;
            }
        }
    }

    /// Whether the next step of a task concerns nobody else, so that it may as well come at once.
    pub fn runs_alone(&self, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        if !alive(ts.status) || ts.aborted || !ts.transfers.is_empty() || self.stops[ts.pc.index()] {
            return false;
        }
        match (ts.wait, self.action(state, task)) {
            (Wait::Activation, _) => self.unobservable.no_interrupts,
            (Wait::Nothing, action) => match action {
                Action::Activate { .. } => self.unobservable.no_interrupts,
                Action::Complete { .. } => self.unobservable.completion[task.index()],
                Action::Await { masters, .. } => {
                    self.unobservable.no_interrupts
                        && !self.unobservable.background
                        && self.none_alive(state, masters)
                }
                Action::Terminate => self.unobservable.no_interrupts && !self.unobservable.background,
                _ => {
                    (ts.status != Status::Completed || self.unobservable.no_interrupts)
                        && self.access.is_local(self.semantics.program, state, task)
                }
            },
            _ => false,
        }
    }

    fn none_alive(&self, state: &State, masters: &[MasterId]) -> bool {
        let mut tasks = self.semantics.program.tasks.iter().enumerate();
        !tasks.any(|(t, task)| {
            task.master.is_some_and(|m| masters.contains(&m)) && alive(state.tasks[t].status)
        })
    }

    /// Whether a task rests at a choice of its own: its steps concern nobody else.
    pub fn chooses(&self, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        self.merge
            && ts.wait == Wait::Nothing
            && self.access.local[ts.pc.index()]
            && self.runs_alone(state, task)
    }

    /// From a state without further steps: the calls and accept statements that wait, so that the
    /// semantics sees them wait, too.
    pub fn commit(&self, state: &State) -> (State, Vec<Move>) {
        let mut state = state.clone();
        let mut moves = Vec::new();
        for task in (0..state.tasks.len()).map(TaskId::from) {
            if let Some(mv) = self.begin_wait(&mut state, task) {
                moves.push(mv);
            }
        }
        (state, moves)
    }

    /// Lets one task begin a wait that is no step of its own here.
    pub fn begin_wait(&self, state: &mut State, task: TaskId) -> Option<Move> {
        let waits = self.successors(state, task).into_iter().find(|(_, o)| {
            matches!(o.step.what, StepEvent::Queued(_) | StepEvent::Waits) && !o.step.guessed
        })?;
        *state = waits.1.state;
        Some(waits.0)
    }
}

/// Whether a monitor sees a task start or end in an action that would otherwise run with others.
fn starts_or_ends(program: &Program, action: &Action) -> bool {
    let mut watched = program.monitors.iter().flat_map(|m| &m.watch).map(|(h, _)| h);
    match action {
        Action::Activate { .. } => watched.any(|h| matches!(h, EventPattern::Start(_))),
        Action::Terminate => watched.any(|h| matches!(h, EventPattern::End(_))),
        _ => false,
    }
}

/// One run after another.
fn after(first: &MacroStep, mut second: MacroStep) -> MacroStep {
    second.moves = first.moves.iter().copied().chain(second.moves).collect();
    second.steps = first.steps.iter().cloned().chain(second.steps).collect();
    second.entries = first.entries.iter().copied().chain(second.entries).collect();
    for (task, flags) in &first.movers {
        moved(&mut second.movers, *task, *flags);
    }
    second.guessed |= first.guessed;
    second
}

fn moved(movers: &mut Vec<(TaskId, u8)>, task: TaskId, flags: u8) {
    match movers.iter_mut().find(|m| m.0 == task) {
        Some(mover) => mover.1 |= flags,
        None => movers.push((task, flags)),
    }
}

fn note(list: &RefCell<Vec<EntryId>>, entry: EntryId) {
    let mut list = list.borrow_mut();
    if !list.contains(&entry) {
        list.push(entry);
    }
}
