//! What temporal formulas mean: fixpoints over every state, one step of one task at a time.
//!
//! This is the definition that the reachability engine's checker is compared with (`rendez_reach::ctl`), on random
//! formulas and programs, so it is written to be read: operators are those of CTL with events (Clarke, Emerson and
//! Sistla, 1986; Young et al., 1995, section 3.3.1), backward reachability is found by looking at all states again and
//! again, and nothing is reduced or merged. A state without steps continues for ever with a step that is no event, and
//! so may one in which only the environment can move.
//!
//! Under fairness, an execution stays in a strongly connected component for ever only if it passes over no task; the
//! definition is that of `rendez_verdict::lasso`. If tasks are passed over, what remains is the part in which each of
//! them waits for a lock, and that is decomposed again.
//!
//! The same graph decides what monitors demand of executions that do not end: `recurs` looks for one that stands still
//! or goes round without ever bringing the automaton to a set of states to which it must come again and again, and
//! returns it as a lasso.
//!
//! It is meant for small programs: more than some hundred thousand states are refused, and so is anything that depends
//! on an untracked value, since two answers would be needed.

use std::time::Instant;

use rendez_analysis::components;
use rendez_model::semantics::{Move, Step, StepEvent};
use rendez_model::state::State;
use rendez_model::{EntryId, Program, TaskId, Value};
use rendez_search::StateGraph;
use rendez_verdict::{
    Control, Dependent, End, Excuse, Fairness, Findings, Options, Reason, Resolved, Round, Stance, accepted,
    is_event, queued,
};

use rustc_hash::FxHashMap;

/// A step to another state; none if it is no event.
struct EventEdge {
    to: usize,
    task: TaskId,
    choice: u32,
    event: Option<Step>,
    /// The queue that it does no more than put a call into.
    queue: Option<EntryId>,
    /// The entry of a call that is accepted.
    serves: Option<EntryId>,
    /// Monitors, and the states they come to.
    through: Vec<(u16, u32)>,
}

/// Whether a way may take a step: a state, and the number of the step there.
type Passes<'a> = dyn Fn(usize, usize) -> bool + 'a;

/// Moves, and from which of them on they repeat.
type Execution = (Vec<Move>, Option<usize>);

/// More states are too many for plain fixpoints.
const MOST_STATES: usize = 300_000;

/// Every state of a program, and every step.
pub struct Unfolded<'p> {
    program: &'p Program,
    graph: StateGraph,
    edges: Vec<Vec<EventEdge>>,
    /// By state: tasks whose next step meets a bound.
    cut: Vec<Vec<TaskId>>,
    /// A bound that some execution meets, in words.
    bound: Option<Reason>,
    budget: UnfoldingBudget<'p>,
}

/// What all this may take.
struct UnfoldingBudget<'c> {
    until: Option<Instant>,
    memory: usize,
    control: &'c Control,
}

impl UnfoldingBudget<'_> {
    /// Nothing if a limit is met.
    fn poll(&self, bytes: usize) -> Result<(), End> {
        match self.control.ended() {
            Some(end) => Err(end),
            None if bytes > self.memory => Err(End::Memory),
            None if self.until.is_some_and(|until| Instant::now() > until) => Err(End::Time),
            None => Ok(()),
        }
    }
}

/// Why there is no graph, or no answer, after so many states.
fn ended(end: End, states: usize) -> Reason {
    Reason::Ended { end, states: Some(states) }
}

impl<'p> Unfolded<'p> {
    /// Why not, if there are too many states, or something is not known.
    pub fn new(
        program: &'p Program,
        options: &Options,
        control: &'p Control,
    ) -> Result<Unfolded<'p>, Reason> {
        let until = options.timeout.map(|t| Instant::now() + t);
        let budget = UnfoldingBudget { until, memory: options.memory, control };
        let most = options.max_states.min(MOST_STATES);
        let semantics = rendez_analysis::semantics(program, options.recursion);
        let graph = StateGraph::new(semantics.initial(), false);
        let mut all = Unfolded { program, graph, edges: Vec::new(), cut: Vec::new(), bound: None, budget };
        let (mut out, mut steps) = (Vec::new(), 0);
        while all.edges.len() < all.graph.len() {
            let polled = all.budget.poll(all.graph.memory() + steps * size_of::<EventEdge>());
            if let Err(end) = if all.graph.len() > most { Err(End::States) } else { polled } {
                return Err(ended(end, all.graph.len()));
            }
            let number = all.edges.len() as u32;
            let from = all.graph.state(number);
            let (mut own, mut cut) = (Vec::new(), Vec::new());
            for task in (0..program.tasks.len()).map(TaskId::from) {
                out.clear();
                semantics.successors(&from, task, &mut out);
                for (choice, outcome) in (0..).zip(out.drain(..)) {
                    let step = outcome.step;
                    if step.guessed || step.what == StepEvent::Unsupported {
                        return Err(Reason::Untracked(Dependent::Program));
                    }
                    if step.what == StepEvent::Stopped {
                        let bound = program.bound_at(step.loc, options.recursion);
                        all.bound = all.bound.or_else(|| bound.map(Reason::meets));
                        cut.push(task);
                        continue;
                    }
                    let through = through(program, &from, &step);
                    let to = all.graph.insert(&outcome.state, number, Move { task, choice }, 0).0 as usize;
                    let (queue, serves) = (queued(program, &step), accepted(&step).map(|(_, entry)| entry));
                    let event = Some(step).filter(|s| is_event(program, s));
                    own.push(EventEdge { to, task, choice, event, queue, serves, through });
                }
            }
            steps += own.len();
            all.edges.push(own);
            all.cut.push(cut);
        }
        Ok(all)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// A bound that some execution meets: what lies beyond it is not known.
    pub fn bound(&self) -> Option<&Reason> {
        self.bound.as_ref()
    }

    /// Whether a formula holds at the start. Why that is not known, if an execution meets a bound or a limit is met.
    pub fn holds(&self, formula: &Resolved, fairness: Fairness) -> Result<bool, Reason> {
        match &self.bound {
            Some(bound) => Err(bound.clone()),
            None => self.eval(formula, fairness).map(|so| so[0]).map_err(|end| ended(end, self.edges.len())),
        }
    }

    fn eval(&self, formula: &Resolved, fairness: Fairness) -> Result<Vec<bool>, End> {
        let all = || 0..self.edges.len();
        let of = |f: &Resolved| self.eval(f, fairness);
        let possible = |targets: Vec<bool>| self.back(targets, |_, _| true);
        Ok(match formula {
            Resolved::Not(f) => of(f)?.into_iter().map(|b| !b).collect(),
            Resolved::And(a, b) => of(a)?.into_iter().zip(of(b)?).map(|(a, b)| a && b).collect(),
            Resolved::Or(a, b) => of(a)?.into_iter().zip(of(b)?).map(|(a, b)| a || b).collect(),
            Resolved::Always(f) => {
                let bad = match f.is_about_events() {
                    true => {
                        self.events(f, false, fairness)?.into_iter().map(|own| own.contains(&true)).collect()
                    }
                    false => of(f)?.into_iter().map(|b| !b).collect(),
                };
                possible(bad)?.into_iter().map(|b| !b).collect()
            }
            Resolved::Potentially(f) => possible(match f.is_about_events() {
                true => self.events(f, true, fairness)?.into_iter().map(|own| own.contains(&true)).collect(),
                false => of(f)?,
            })?,
            Resolved::Eventually(f) => {
                self.eval(&Resolved::Until(Box::new(Resolved::Const(true)), f.clone(), false), fairness)?
            }
            Resolved::Until(a, x, weak) => {
                let (a, events) = (of(a)?, x.is_about_events());
                let goal = if events { vec![false; self.edges.len()] } else { of(x)? };
                let met = if events { self.events(x, true, fairness)? } else { Vec::new() };
                let avoids = |s: usize, k: usize| !events || !met[s][k];
                // It fails on a way that avoids `x` and comes to a state without `a`, or goes on for ever.
                let mut ends: Vec<bool> = all().map(|s| !goal[s] && !a[s]).collect();
                let inside: Vec<bool> = all().map(|s| !goal[s] && a[s]).collect();
                if !weak {
                    let ever = self.for_ever(&inside, &avoids, fairness)?;
                    ever.into_iter().for_each(|s| ends[s] = true);
                }
                let fails = self.back(ends, |s, k| inside[s] && avoids(s, k))?;
                fails.into_iter().map(|b| !b).collect()
            }
            state => all().map(|s| state.in_state(&self.state(s)).unwrap_or(false)).collect(),
        })
    }

    /// By state and step: the step is an event, of which a formula is true or not.
    fn events(&self, f: &Resolved, wanted: bool, fairness: Fairness) -> Result<Vec<Vec<bool>>, End> {
        let so = self.of_steps(f, fairness)?;
        let event = |s: usize, k: usize| self.edges[s][k].event.is_some() && so[s][k] == wanted;
        Ok((0..so.len()).map(|s| (0..so[s].len()).map(|k| event(s, k)).collect()).collect())
    }

    /// What is about events and states holds of steps: of what they are, and of where they lead to.
    fn of_steps(&self, f: &Resolved, fairness: Fairness) -> Result<Vec<Vec<bool>>, End> {
        let each = |is: &dyn Fn(usize, usize) -> bool| -> Vec<Vec<bool>> {
            (0..self.edges.len()).map(|s| (0..self.edges[s].len()).map(|k| is(s, k)).collect()).collect()
        };
        Ok(match f {
            Resolved::Not(f) => {
                let f = self.of_steps(f, fairness)?;
                each(&|s, k| !f[s][k])
            }
            Resolved::And(a, b) => {
                let (a, b) = (self.of_steps(a, fairness)?, self.of_steps(b, fairness)?);
                each(&|s, k| a[s][k] && b[s][k])
            }
            Resolved::Or(a, b) => {
                let (a, b) = (self.of_steps(a, fairness)?, self.of_steps(b, fairness)?);
                each(&|s, k| a[s][k] || b[s][k])
            }
            Resolved::Accept(..) | Resolved::Event(_) => each(&|s, k| {
                self.edges[s][k].event.as_ref().is_some_and(|step| f.matches(self.program, step))
            }),
            state => {
                let so = self.eval(state, fairness)?;
                each(&|s, k| so[self.edges[s][k].to])
            }
        })
    }

    /// States from which a way over some edges leads to one of some others, found by looking at all of them again and
    /// again.
    fn back(&self, mut found: Vec<bool>, passes: impl Fn(usize, usize) -> bool) -> Result<Vec<bool>, End> {
        loop {
            self.poll()?;
            let mut more = false;
            for s in (0..found.len()).rev() {
                if !found[s] && self.edges[s].iter().enumerate().any(|(k, e)| passes(s, k) && found[e.to]) {
                    found[s] = true;
                    more = true;
                }
            }
            if !more {
                return Ok(found);
            }
        }
    }

    /// States inside a set where an execution that stays there may go round, or stands still.
    fn for_ever(&self, inside: &[bool], passes: &Passes, fairness: Fairness) -> Result<Vec<usize>, End> {
        let still = (0..inside.len()).filter(|s| inside[*s] && self.may_end(*s));
        Ok(still.chain(self.rounds(inside, passes, fairness)?.into_iter().flatten()).collect())
    }

    fn state(&self, s: usize) -> State {
        self.graph.state(s as u32)
    }

    fn poll(&self) -> Result<(), End> {
        self.budget.poll(0)
    }

    fn tasks(&self) -> impl Iterator<Item = TaskId> + use<> {
        (0..self.program.tasks.len()).map(TaskId::from)
    }

    fn background(&self, task: TaskId) -> bool {
        self.program.tasks[task.index()].background
    }

    /// Whether an execution may be over in a state.
    fn may_end(&self, s: usize) -> bool {
        let own = self.edges[s].iter().map(|e| &e.task).chain(&self.cut[s]);
        own.into_iter().all(|task| self.background(*task))
    }

    fn stance(&self, s: usize, task: TaskId) -> Stance {
        if self.cut[s].contains(&task) {
            return Stance::Goes;
        }
        let own = self.edges[s].iter().filter(|e| e.task == task);
        Stance::by_queues(own.map(|e| e.queue))
            .unwrap_or_else(|| Stance::still(self.program, &self.state(s), task))
    }

    /// What happens in a component, and how tasks stand there.
    fn round(
        &self,
        component: &[usize],
        inner: impl Fn(usize, usize) -> bool,
        fairness: Fairness,
    ) -> Round<'p> {
        let mut round = Round::new(self.program, fairness);
        for s in component {
            for (_, e) in self.edges[*s].iter().enumerate().filter(|(k, _)| inner(*s, *k)) {
                round.moves(e.task);
                e.serves.into_iter().for_each(|entry| round.serves(entry));
            }
            self.tasks().for_each(|task| round.stands(task, &self.stance(*s, task)));
        }
        round
    }

    /// Sets of states inside a set, each with ways between all of them, in which an execution that counts may go round
    /// for ever.
    fn rounds(&self, inside: &[bool], passes: &Passes, fairness: Fairness) -> Result<Vec<Vec<usize>>, End> {
        let mut found = Vec::new();
        let mut work: Vec<Vec<usize>> = vec![(0..inside.len()).filter(|s| inside[*s]).collect()];
        // By state: the set that it belongs to now.
        let mut number = vec![0; inside.len()];
        let mut sets = 0;
        let mut begin = |states: &[usize], number: &mut Vec<usize>| {
            sets += 1;
            states.iter().for_each(|s| number[*s] = sets);
            sets
        };
        while let Some(states) = work.pop() {
            let set = begin(&states, &mut number);
            let place: FxHashMap<usize, u32> = states.iter().copied().zip(0..).collect();
            let next = |s: usize| {
                let inner =
                    |(k, e): (usize, &EventEdge)| (number[e.to] == set && passes(s, k)).then(|| place[&e.to]);
                self.edges[s].iter().enumerate().filter_map(inner).collect::<Vec<u32>>()
            };
            let next: Vec<Vec<u32>> = states.iter().map(|s| next(*s)).collect();
            for component in components(states.len(), |s, k| next[s as usize].get(k).copied()) {
                self.poll()?;
                let component: Vec<usize> = component.into_iter().map(|s| states[s as usize]).collect();
                let set = begin(&component, &mut number);
                let inner = |s: usize, k: usize| number[self.edges[s][k].to] == set && passes(s, k);
                let own = |s: usize| (0..self.edges[s].len()).any(|k| inner(s, k));
                if !component.iter().any(|s| own(*s)) {
                    continue;
                }
                let over = match fairness {
                    Fairness::None => Vec::new(),
                    _ => self.round(&component, inner, fairness).passed_over(),
                };
                if over.is_empty() {
                    found.push(component);
                    continue;
                }
                // They may wait for a lock for ever, where none of them ever can go on.
                let locked = |s: &usize| over.iter().all(|t| self.stance(*s, *t) == Stance::Locked);
                work.push(component.into_iter().filter(locked).collect());
            }
        }
        Ok(found)
    }

    /// Looks for an execution that never brings a monitor to one of the sets to which it must come again and again.
    pub fn recurs(&self, monitor: u16, fairness: Fairness, findings: &mut Findings) -> Result<(), End> {
        let property = &self.program.monitors[usize::from(monitor)];
        for set in &property.again {
            let at = |s: usize| match self.state(s).vars[property.cell.index()] {
                Value::Known(at) => set[at as usize],
                Value::Any => false,
            };
            let inside: Vec<bool> = (0..self.edges.len()).map(|s| !at(s)).collect();
            let meets = |(m, at): &(u16, u32)| *m == monitor && set[*at as usize];
            let avoids = |s: usize, k: usize| !self.edges[s][k].through.iter().any(meets);
            let execution = match (0..inside.len()).find(|s| inside[*s] && self.may_end(*s)) {
                Some(s) => self.walk(0, |t| t == s, |_, _| true).map(|(_, moves)| (moves, None)),
                None => match self.rounds(&inside, &avoids, fairness)?.first() {
                    Some(component) => self.lasso(component, &avoids, fairness)?,
                    None => continue,
                },
            };
            match execution {
                Some((moves, loop_from)) => {
                    findings.never_again(monitor, set, (&moves, loop_from), fairness);
                }
                None => {
                    let what = format!("{} does not hold, but there is no way to show it", property.name);
                    findings.contradictions.push(what);
                }
            }
            return Ok(());
        }
        Ok(())
    }

    /// A way to a component, and one round in it that does what fairness asks for.
    fn lasso(
        &self,
        component: &[usize],
        passes: &Passes,
        fairness: Fairness,
    ) -> Result<Option<Execution>, End> {
        let mut member = vec![false; self.edges.len()];
        component.iter().for_each(|s| member[*s] = true);
        let inner = |s: usize, k: usize| member[s] && member[self.edges[s][k].to] && passes(s, k);
        let round = self.round(component, inner, fairness);
        let Some((start, mut moves)) = self.walk(0, |s| member[s], |_, _| true) else { return Ok(None) };
        let from = moves.len();
        let mut here = start;
        // Goes to a step that is wanted, and makes it, if there is one.
        let make = |here: &mut usize, moves: &mut Vec<Move>, wanted: &dyn Fn(&EventEdge) -> bool| {
            let own =
                |s: usize| (0..self.edges[s].len()).find(|k| inner(s, *k) && wanted(&self.edges[s][*k]));
            if let Some((at, way)) = self.walk(*here, |s| own(s).is_some(), inner)
                && let Some(k) = own(at)
            {
                let edge = &self.edges[at][k];
                moves.extend(way);
                moves.push(Move { task: edge.task, choice: edge.choice });
                *here = edge.to;
            }
        };
        for task in self.tasks().filter(|_| fairness != Fairness::None) {
            self.poll()?;
            let stands =
                |s: usize, wanted: &dyn Fn(Stance) -> bool| member[s] && wanted(self.stance(s, task));
            let way = match round.excuse(task) {
                None => return Ok(None),
                Some(Excuse::None) => {
                    // Maybe it has moved on the way.
                    if !moves[from..].iter().any(|mv| mv.task == task) {
                        make(&mut here, &mut moves, &|e| e.task == task);
                    }
                    continue;
                }
                Some(Excuse::Rests) => self.walk(here, |s| stands(s, &|st| st == Stance::Rests), inner),
                Some(Excuse::Queues(entry)) => {
                    make(&mut here, &mut moves, &|e| e.serves == Some(entry));
                    let waits = |st: Stance| matches!(st, Stance::Queues(all) if all.contains(&entry));
                    self.walk(here, |s| stands(s, &waits), inner)
                }
            };
            let Some((at, way)) = way else { return Ok(None) };
            here = at;
            moves.extend(way);
        }
        if moves.len() == from {
            make(&mut here, &mut moves, &|_| true);
        }
        let Some((_, back)) = self.walk(here, |s| s == start, inner) else { return Ok(None) };
        moves.extend(back);
        Ok(Some((moves, Some(from))))
    }

    /// The shortest way to one of some states.
    fn walk(
        &self,
        from: usize,
        wanted: impl Fn(usize) -> bool,
        passes: impl Fn(usize, usize) -> bool,
    ) -> Option<(usize, Vec<Move>)> {
        let mut came: Vec<Option<(usize, Move)>> = vec![None; self.edges.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(s) = queue.pop_front() {
            if wanted(s) {
                let mut moves = Vec::new();
                let mut at = s;
                while at != from {
                    let (before, mv) = came[at]?;
                    moves.push(mv);
                    at = before;
                }
                moves.reverse();
                return Some((s, moves));
            }
            for (_, e) in self.edges[s].iter().enumerate().filter(|(k, _)| passes(s, *k)) {
                if e.to != from && came[e.to].is_none() {
                    came[e.to] = Some((s, Move { task: e.task, choice: e.choice }));
                    queue.push_back(e.to);
                }
            }
        }
        None
    }
}

/// The states that monitors come to in a step.
fn through(program: &Program, before: &State, step: &Step) -> Vec<(u16, u32)> {
    let mut found: Vec<(u16, u32)> = Vec::new();
    for (m, letter) in &step.letters {
        let monitor = &program.monitors[usize::from(*m)];
        let Value::Known(first) = before.vars[monitor.cell.index()] else { continue };
        let now = found.iter().rev().find(|f| f.0 == *m).map_or(first as u32, |f| f.1);
        found.push((*m, monitor.step(now, *letter)));
    }
    found
}
