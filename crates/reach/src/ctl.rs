//! Temporal formulas, and what monitors demand of executions that do not end, over the reachability graph.
//!
//! The algorithm is that of Clarke, Emerson and Sistla (*Automatic verification of finite-state concurrent systems
//! using temporal logic specifications*, 1986), with operators about events as CATS has them (Young et al., 1995,
//! section 3.3.1, table I): subformulas become bit vectors, from the inside out, and every operator is one backward
//! pass. `a until x` fails where some path avoids `x` and comes to a state without `a`, or, being strong, continues for
//! ever without `x`. Steps that are no events are not seen by operators about events. A state without steps continues
//! for ever with a step that is no event; so may one that only the environment leaves, which need not come.
//!
//! We differ from the papers in three ways.
//! - Steps that depend on an untracked value may or may not be possible. So each formula has two answers, states where
//!   it surely holds and states where it may hold. For the first, paths that count against the formula use all edges,
//!   and paths that it asks for only certain ones; for the second it is the other way round, and negation exchanges the
//!   two (the three-valued reading of Bruns and Godefroid, CAV 1999). What lies beyond a bound is treated in the same
//!   way. A formula that does not surely hold, but may, is inconclusive.
//! - Fairness restricts the loops. A strongly connected component counts if it passes over no task, against the
//!   fairness that is asked for; otherwise only the part in which every task passed over waits for a lock is decomposed
//!   again (nested decomposition, as Emerson and Lei use it for strong fairness).
//! - Fairness also asks who stands at an accept statement and which call is in a queue, so there are two graphs. In the
//!   first, a call and its acceptance are one step and it is unknown which loops are fair: what holds against all loops
//!   holds, what fails without any loop fails. The rest is decided in a graph in which every wait begins with a step of
//!   its own. So are formulas that mix quantifiers, because the first graph has no state between a call and its
//!   acceptance, in which the choice is already made.
//!
//! A failure is shown by following the formula from the initial state: shortest paths to a bad state, and loops that
//! visit whatever excuses each task. Every trace is replayed, and that a loop closes and is fair is checked on the
//! semantics. `potentially F` once held because of uncertain steps, and `always EVENT` counted steps that are not
//! events; random formulas are now compared with plain fixpoints (`explore/temporal.rs`).

mod evaluate;
mod fair;
mod recur;
mod show;

use std::time::Instant;

use rendez_model::semantics::{Step, StepEvent};
use rendez_model::{EntryId, Loc, Program, TaskId};
use rendez_verdict::{
    BoundFormula, Control, Dependent, End, EngineId, Fairness, Options, PropertyAnswer, Reason, Stats,
    Verdict, accepted, queued,
};

use crate::check::{plain_limits, reach, share};
use crate::graph::ReachabilityGraph;
use crate::reached::Reached;
use crate::search::Config;
use crate::visible::Visible;
use rendez_petri::step_cache::Story;
use rendez_petri::steps::Fate;
use show::{Trail, tells};

pub use recur::recurring;

/// Bits of states.
type Flags = Vec<bool>;

/// Which answer is wanted where not all is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approximation {
    /// States where the formula surely holds.
    Under,
    /// And those where it may hold.
    Over,
}

impl Approximation {
    fn other(self) -> Approximation {
        match self {
            Approximation::Under => Approximation::Over,
            Approximation::Over => Approximation::Under,
        }
    }
}

/// What `until` leads to: states, and edges on which it is met.
struct UntilGoal {
    states: Flags,
    edges: Flags,
}

impl UntilGoal {
    fn is_at(&self, state: usize) -> bool {
        self.states[state]
    }

    fn is_avoided(&self, edge: usize) -> bool {
        !self.edges[edge]
    }
}

/// The graph with its attributes, ready for formulas.
pub struct Checker<'a, 's, 'p> {
    reached: &'a Reached<'s, 'p>,
    graph: &'a ReachabilityGraph,
    /// Edges by target: where those of a state begin, and the edges.
    before: Vec<u32>,
    edges_before: Vec<u32>,
    sources: Vec<u32>,
    /// By edge: it does not depend on a value that is not known (a must transition).
    must: Flags,
    /// By outcome: who begins it, and the queue that this does no more than put a call into.
    begins: Vec<Option<(TaskId, Option<EntryId>)>>,
    /// By outcome: the entries of calls that are accepted.
    serves: Vec<Vec<EntryId>>,
    /// By outcome: it happens only if the environment moves.
    foreign: Flags,
    /// By state: an execution meets a bound there.
    beyond: Flags,
    /// The bound that one meets, in words.
    bound: Option<Reason>,
    fairness: Fairness,
    /// Waits are no steps here: of loops it is not known whether they are fair.
    coarse: bool,
}

impl<'a, 's, 'p> Checker<'a, 's, 'p> {
    /// The end if there is no graph within the limits.
    fn new(
        reached: &'a Reached<'s, 'p>,
        fairness: Fairness,
        coarse: bool,
        control: &Control,
    ) -> Result<Self, End> {
        let graph = reached.graph(control)?;
        let n = graph.len();
        let mut sources = vec![0; graph.edge_count()];
        let mut before = vec![0u32; n + 1];
        for s in 0..n as u32 {
            for e in graph.range(s) {
                sources[e] = s;
                if let Some(to) = graph.target(e) {
                    before[to as usize + 1] += 1;
                }
            }
        }
        for i in 0..n {
            before[i + 1] += before[i];
        }
        let mut next = before.clone();
        let mut edges_before = vec![0; before[n] as usize];
        for e in 0..graph.edge_count() {
            if let Some(to) = graph.target(e) {
                let at = &mut next[to as usize];
                edges_before[*at as usize] = e as u32;
                *at += 1;
            }
        }
        let outcomes = &reached.cache.trees.outcomes;
        let is_must = |e: usize| !graph.run(e).iter().any(|o| outcomes[*o as usize].guessed);
        let must = (0..graph.edge_count()).map(is_must).collect();
        let program = reached.cache.steps.semantics.program;
        let stories = &reached.cache.stories;
        let first = |s: &Story| s.steps.first().map(|step| (step.task, queued(program, step)));
        let begins = stories.iter().map(first).collect();
        let served = |s: &Story| s.steps.iter().filter_map(accepted).map(|(_, entry)| entry).collect();
        let serves = stories.iter().map(served).collect();
        let foreign = stories.iter().map(|s| is_foreign(program, s)).collect();
        let bounds: Vec<Option<String>> = (0..stories.len()).map(|o| bound_of(reached, o)).collect();
        let meets = |e: usize| graph.run(e).iter().any(|o| bounds[*o as usize].is_some());
        let beyond = (0..n as u32).map(|s| graph.range(s).any(meets)).collect();
        let mut met = reached.notable.iter().map(|(o, _)| *o as usize);
        let bound = met.find_map(|o| bounds[o].clone()).map(Reason::meets);
        Ok(Checker {
            reached,
            graph,
            before,
            edges_before,
            sources,
            must,
            begins,
            serves,
            foreign,
            beyond,
            bound,
            fairness,
            coarse,
        })
    }

    fn program(&self) -> &'p Program {
        self.reached.cache.steps.semantics.program
    }

    /// Whether the formula holds at the start; if not, a trace that shows it. Nothing if that takes a graph with all
    /// waits.
    fn decide(&self, question: &BoundFormula) -> Option<Verdict> {
        let formula = &question.resolved;
        let holds = |approximation: Approximation| self.eval(formula, approximation)[0];
        if holds(Approximation::Under) {
            return Some(Verdict::Holds);
        }
        // A trace that depends on nothing unknown, if there is one.
        let approximation =
            if holds(Approximation::Over) { Approximation::Under } else { Approximation::Over };
        if approximation == Approximation::Under && self.coarse {
            return None;
        }
        Some(self.fails(question, approximation))
    }

    /// A formula does not hold, or that depends on what is not known.
    fn fails(&self, question: &BoundFormula, approximation: Approximation) -> Verdict {
        let formula = &question.resolved;
        let unknown = || Reason::Untracked(Dependent::Formula);
        if let (Approximation::Under, Some(met)) = (approximation, &self.bound) {
            return Verdict::Inconclusive(met.clone(), Vec::new());
        }
        if approximation == Approximation::Under && !tells(formula, false) {
            return Verdict::Inconclusive(unknown(), Vec::new());
        }
        let mut trail = Trail::default();
        self.show(formula, (approximation, false), 0, &mut trail);
        let trace = self.trace(&trail).filter(|t| self.is_shown(&trail, t));
        match question.broken(self.program(), trace) {
            Verdict::Violated(found) if approximation == Approximation::Under => {
                Verdict::Inconclusive(unknown(), found)
            }
            answer => answer,
        }
    }

    fn states(&self, f: impl Fn(u32) -> bool) -> Flags {
        (0..self.graph.len() as u32).map(f).collect()
    }
}

/// Whether a step happens only if the environment moves: before it, others do no more than begin to wait.
fn is_foreign(program: &Program, story: &Story) -> bool {
    let own = |s: &&Step| !program.tasks[s.task.index()].background;
    let waits = |s: &Step| s.what == StepEvent::Waits || queued(program, s).is_some();
    story.steps.iter().find(|s| !own(s) || !waits(s)).is_some_and(|s| !own(&s))
}

fn not(bits: Flags) -> Flags {
    bits.into_iter().map(|b| !b).collect()
}

/// Of more states than this, looking at all edges takes longer than leaving some out.
const FEW_STATES: usize = 200_000;

/// Decides formulas. Under fairness, those that this leaves open are decided in a graph with all waits.
pub fn decide(
    program: &Program,
    questions: &[BoundFormula],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats) {
    let started = Instant::now();
    let (mut answers, mut stats) = coarsely(program, questions, options, config, control);
    let open: Vec<BoundFormula> =
        questions.iter().zip(&answers).filter(|(_, a)| a.is_none()).map(|(q, _)| q.clone()).collect();
    if !open.is_empty() {
        let left = share(options, started, 1.0);
        let exact = Config { stubborn: false, waits: true, ..config.clone() };
        let (more, other, _) = over_graph(program, &open, &left, &exact, control);
        let mut more = more.into_iter();
        answers.iter_mut().filter(|a| a.is_none()).for_each(|a| *a = more.next().flatten());
        stats = stats.max(other);
    }
    let answers = answers.into_iter().zip(questions);
    (answers.map(|(answer, question)| answered(question, answer, options)).collect(), stats)
}

/// Decides formulas as far as that is possible without a graph with all waits. Little is left out where every choice
/// counts: a plain search comes first.
fn coarsely(
    program: &Program,
    questions: &[BoundFormula],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Option<Verdict>>, Stats) {
    let started = Instant::now();
    let plain = Config { stubborn: false, ..config.clone() };
    if !config.stubborn || !config.merge {
        let (answers, stats, _) = over_graph(program, questions, options, &plain, control);
        return (answers, stats);
    }
    let limits = plain_limits(options);
    let limits = Options { max_states: limits.max_states.min(FEW_STATES), ..limits };
    let (answers, stats, end) = over_graph(program, questions, &limits, &plain, control);
    match end {
        End::States if limits.max_states == options.max_states => (answers, stats),
        End::Time | End::Memory | End::States => {
            let left = share(options, started, 1.0);
            let (answers, stats, _) = over_graph(program, questions, &left, config, control);
            (answers, stats)
        }
        _ => (answers, stats),
    }
}

/// Decides formulas over one graph, and says how the search for it ended.
pub fn decide_by(
    program: &Program,
    questions: &[BoundFormula],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<PropertyAnswer>, Stats, End) {
    let (answers, stats, end) = over_graph(program, questions, options, config, control);
    let answers = questions.iter().zip(answers).map(|(q, answer)| answered(q, answer, options));
    (answers.collect(), stats, end)
}

fn answered(question: &BoundFormula, answer: Option<Verdict>, options: &Options) -> PropertyAnswer {
    let open = || Verdict::Inconclusive(Reason::Fairness, Vec::new());
    let assumptions = options.fairness.assumption().map(str::to_owned).into_iter().collect();
    let answer = answer.unwrap_or_else(open);
    PropertyAnswer { assumptions, ..question.answered(EngineId::Reach, options.fairness, answer) }
}

/// Decides formulas over one graph, but for those that take one with all waits.
fn over_graph(
    program: &Program,
    questions: &[BoundFormula],
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Option<Verdict>>, Stats, End) {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let stops: Vec<Loc> = questions.iter().flat_map(|q| q.stops.iter().copied()).collect();
    // Branching time tells when a choice is made: only steps without one are passed.
    let visible = Visible(questions.iter().map(|q| q.resolved.clone()).collect());
    let config = Config { symmetry: false, branching: Some(visible), ..config.clone() };
    let reached = reach(&semantics, options, &config, control, &stops);
    let checker = checker(&reached, options.fairness, &config, control);
    // Where a call and its acceptance are one step, no state lies between them, in which the choice is made already.
    let hides_choices = config.synchronous && !config.waits;
    let answer = |question: &BoundFormula| match &checker {
        Ok(_) if hides_choices && question.resolved.mixes_quantifiers() => None,
        Ok(checker) => checker.decide(question),
        Err((_, why)) => Some(Verdict::Inconclusive(why.clone(), Vec::new())),
    };
    let answers = questions.iter().map(answer).collect();
    let end = checker.err().map_or(End::Complete, |(end, _)| end);
    (answers, reached.stats, end)
}

/// The graph of what was reached, ready for formulas; or why there is none.
fn checker<'a, 's, 'p>(
    reached: &'a Reached<'s, 'p>,
    fairness: Fairness,
    config: &Config,
    control: &Control,
) -> Result<Checker<'a, 's, 'p>, (End, Reason)> {
    let outcomes = &reached.cache.trees.outcomes;
    let cut = |fate: Fate| reached.notable.iter().any(|(o, _)| outcomes[*o as usize].fate == fate);
    if cut(Fate::Unsupported) {
        return Err((reached.end, Reason::unmodelled(None)));
    }
    let coarse = fairness != Fairness::None && !config.waits;
    let checker = match reached.end {
        End::Complete => Checker::new(reached, fairness, coarse, control),
        end => Err(end),
    };
    checker.map_err(|end| (end, Reason::Ended { end, states: Some(reached.stats.states) }))
}

/// The bound that an outcome meets.
fn bound_of(reached: &Reached, outcome: usize) -> Option<String> {
    let semantics = reached.cache.steps.semantics;
    if reached.cache.trees.outcomes[outcome].fate != Fate::Stopped {
        return None;
    }
    semantics.program.bound_at(reached.cache.stories[outcome].steps.last()?.loc, semantics.recursion)
}
