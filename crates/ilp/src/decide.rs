//! A verdict of the integer-programming engine: the violation is impossible, happens, or stays open.
//!
//! INCA (Siegel and Avrunin, *Improving the precision of INCA by eliminating solutions with spurious cycles*, 2002,
//! section 2) asks for a flow through the automata of all tasks that a violation would need. If there is none, there is
//! no violation; if there is one, an analyst must look at it. This file is the loop around that question: learn a net
//! of the program (`rendez_petri`), write its linear system (`rendez_certificate`), prove that it has no solution or
//! find one (`prove.rs`), and look for the execution behind a solution (`explain.rs`).
//!
//! Where the solution has no execution, the abstraction is refined. Flow through separate components does not see in
//! which order they move. The replay says which two components have places that are needed together and never were;
//! these two are composed into one, whose places are pairs that may happen together, and the loop begins again.
//! Otherwise the pair whose composition is smallest is taken. In the end all components may be one, and the net is the
//! graph of states itself. Limits on places and transitions stop this earlier, and the verdict is inconclusive.
//!
//! Why *holds* is right: the net has every execution of the program, and every execution satisfies the system. A
//! composition and a cut preserve this; the proof is checked in rational arithmetic, and again by `rendez verify`,
//! which derives the net anew. *Violated* is replayed on the semantics. If the violation needs a step that depends on
//! an untracked value, the question is asked once more without such steps.
//!
//! Nets become too large if tasks have many variables; then the variables are components of their own from the start. A
//! program that may meet a bound or something that is not modelled is left open. The published elimination of cycles is
//! available as an option, with its bound among the assumptions.

use std::time::Instant;

use rendez_certificate::derive::goal;
use rendez_certificate::{Goal, Learnt, Plan, Proof, Sector, Subject, System, learn, subject};
use rendez_model::Program;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_petri::StepCache;
use rendez_petri::net::{Budget, Net, NoNet, TransitionRole};
use rendez_verdict::{
    Control, End, EngineId, Findings, IlpStats, Language, Observation, Options, PropertyAnswer, Reason,
    Stats, Verdict, Witness, covers, lasso, open_for_ever, vacuous,
};

use crate::explain::{Replayed, replay, within};
use crate::prove::{ProofLimits, ProofStatistics, Proved, prove};

/// What the user asks for.
#[derive(Clone, Debug)]
pub struct IlpSettings {
    /// By monitor: the query it was written as.
    pub queries: Vec<Option<rendez_certificate::IntervalQuery>>,
    /// Where the published rows keep out cycles, instead of cuts; how often a step happens at most.
    pub augmented: Vec<Sector>,
    pub bound: i64,
}

/// How often a step happens at most, if nobody says otherwise.
const BOUND: i64 = 10_000;

impl Default for IlpSettings {
    fn default() -> IlpSettings {
        IlpSettings { queries: Vec::new(), augmented: Vec::new(), bound: BOUND }
    }
}

/// A verdict with the proof behind it.
pub struct Decided {
    pub answer: PropertyAnswer,
    pub subject: Subject,
    pub plan: Plan,
    /// None where the net alone shows it, or where it does not hold.
    pub proof: Option<Proof>,
}

/// Linear programs of one net, at most.
const NODES: usize = 4_000;
/// Cases of one net, as long as it can be made more exact.
const BRANCHES: usize = 12;
/// Markings that are looked at for a solution that is not whole.
const PROBE: usize = 2_000;
/// Components with more places between them are not made one.
const MOST_JOINT: usize = 20_000;
/// Nets with more transitions are not made larger.
const MOST_TRANSITIONS: usize = 150_000;

/// Decides the properties that monitors of the program follow.
pub fn decide(
    program: &Program,
    settings: &IlpSettings,
    options: &Options,
    control: &Control,
) -> Vec<Decided> {
    (0..program.monitors.len())
        .map(|m| {
            let mut single = match program.monitors.len() {
                1 => program.clone(),
                _ => rendez_analysis::passes::for_monitor(program, m),
            };
            let query = settings.queries.get(m).cloned().flatten();
            let subject = subject(&mut single, query, !settings.augmented.is_empty());
            Refinement { program: &single, subject, settings, options, control, started: Instant::now() }
                .decide()
        })
        .collect()
}

/// Decides whether a state can be reached in which nobody can move.
pub fn deadlock(program: &Program, settings: &IlpSettings, options: &Options, control: &Control) -> Decided {
    let subject = Subject::Deadlock;
    Refinement { program, subject, settings, options, control, started: Instant::now() }.decide()
}

/// A verdict on whether a state can be reached in which nobody can move.
pub fn about_deadlock(answer: Verdict) -> PropertyAnswer {
    PropertyAnswer {
        name: "deadlock".into(),
        language: Language::Deadlock,
        engine: EngineId::Ilp,
        text: "somebody can move until all have ended".into(),
        answer,
        covers: "every execution".into(),
        assumptions: Vec::new(),
        vacuous: None,
        stats: None,
        constraints: Vec::new(),
        certificate: None,
    }
}

struct Refinement<'a> {
    program: &'a Program,
    subject: Subject,
    settings: &'a IlpSettings,
    options: &'a Options,
    control: &'a Control,
    started: Instant,
}

enum NetVerdict {
    Proved(Option<Proof>),
    Found { moves: Vec<Move>, state: Box<State>, guessed: bool, loop_from: Option<usize> },
    Unknown(Reason),
}

impl Refinement<'_> {
    fn decide(self) -> Decided {
        let monitor = self.program.monitors.first();
        let mut answer = self.holds();
        let mut plan = self.plan();
        let mut stats = IlpStats::default();
        let mut witness = Witness::default();
        let semantics = rendez_analysis::semantics(self.program, self.options.recursion);
        let mut proof = None;
        match self.search(&semantics, &mut plan, &mut stats, &mut witness) {
            NetVerdict::Proved(found) => {
                proof = found;
                if proof.is_some() {
                    answer.assumptions = self.bounds();
                }
                answer.vacuous = match (monitor, &self.subject) {
                    (Some(monitor), Subject::Property) => vacuous(monitor, 0, &witness),
                    // What only watches says nothing about what could happen.
                    (Some(_), _) if witness.letters.is_empty() => {
                        Some("none of its events can happen".into())
                    }
                    _ => None,
                };
                if let Some(open) = monitor.and_then(|m| open_for_ever(m, 0, &witness)) {
                    answer.answer = Verdict::Inconclusive(open, Vec::new());
                    answer.vacuous = None;
                }
            }
            NetVerdict::Unknown(why) => answer.answer = Verdict::Inconclusive(why, Vec::new()),
            NetVerdict::Found { moves, state, guessed, loop_from } => {
                let mut found = (moves, state, loop_from);
                if guessed {
                    // Perhaps something certain happens as well.
                    let mut certain = Plan { skip_guesses: true, ..self.plan() };
                    let again = self.search(&semantics, &mut certain, &mut stats, &mut Witness::default());
                    if let NetVerdict::Found { moves, state, guessed: false, loop_from } = again {
                        found = (moves, state, loop_from);
                    }
                }
                answer.answer = self.violated(&semantics, &witness, &found.0, &found.1, found.2);
            }
        }
        answer.stats = Some(Stats {
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: stats.bytes,
            ilp: Some(stats),
            ..Stats::default()
        });
        Decided { answer, subject: self.subject, plan, proof }
    }

    /// The answer that nothing violates the property.
    fn holds(&self) -> PropertyAnswer {
        let Some(monitor) = self.program.monitors.first() else { return about_deadlock(Verdict::Holds) };
        PropertyAnswer {
            name: monitor.name.clone(),
            language: monitor.language,
            engine: EngineId::Ilp,
            text: monitor.text.clone(),
            answer: Verdict::Holds,
            covers: covers(monitor, self.options.fairness),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        }
    }

    /// The verdict that an execution shows.
    fn violated(
        &self,
        semantics: &Semantics,
        witness: &Witness,
        moves: &[Move],
        state: &State,
        loop_from: Option<usize>,
    ) -> Verdict {
        let monitor = self.program.monitors.first();
        let mut findings = Findings::new(semantics);
        let seen = if monitor.is_some() { Observation::Broken { monitor: 0 } } else { Observation::Blocked };
        match loop_from {
            Some(from) => findings.repeated(0, moves, from),
            None => findings.seen(&seen, moves, state),
        }
        match monitor {
            _ if !findings.contradictions.is_empty() => Verdict::Inconclusive(Reason::NotShown, Vec::new()),
            Some(_) => {
                let fairness = self.options.fairness;
                findings.properties(EngineId::Ilp, witness, fairness, |_| None).swap_remove(0).answer
            }
            None => findings.deadlock(),
        }
    }

    fn plan(&self) -> Plan {
        let IlpSettings { augmented, bound, .. } = self.settings;
        Plan { augmented: augmented.clone(), bound: *bound, ..Plan::default() }
    }

    /// What a proof with the published rows takes for granted.
    fn bounds(&self) -> Vec<String> {
        let IlpSettings { augmented, bound, .. } = self.settings;
        let of = |s: &Sector| {
            let interval = s.interval.map_or(String::new(), |k| format!(" in interval {}", k + 1));
            let task = &self.program.tasks[s.slot as usize].name;
            format!("no step of {task} happens more than {bound} times{interval} (--bound)")
        };
        let all = augmented.iter().filter(|s| s.interval.is_none()).count() == self.program.tasks.len();
        match all && augmented.len() > 3 {
            true => vec![format!("no step of a task happens more than {bound} times (--bound)")],
            false => augmented.iter().map(of).collect(),
        }
    }

    /// Learns a net and refines it until the question is decided.
    fn search(
        &self,
        semantics: &Semantics,
        plan: &mut Plan,
        stats: &mut IlpStats,
        witness: &mut Witness,
    ) -> NetVerdict {
        let learnt = match self.learn(semantics, plan, stats) {
            Ok(learnt) => learnt,
            Err(why) => return NetVerdict::Unknown(why),
        };
        let Learnt { cache, mut net, goal: mut target } = learnt;
        let stories = cache.stories.iter().flat_map(|s| &s.steps);
        cache.first.steps.iter().chain(stories).for_each(|step| witness.note(self.program, step));
        // What happens before anybody has a choice.
        let first = &cache.first;
        if self.subject != Subject::Deadlock && first.steps.iter().any(|s| s.broken.contains(&0)) {
            return self.found(semantics, &first.moves);
        }
        if let Some(loc) = net.stopped {
            return NetVerdict::Unknown(match self.program.bound_at(loc, self.options.recursion) {
                Some(bound) => Reason::may_meet(bound, None),
                None => Reason::method("an execution may reach a place beyond which it is not followed"),
            });
        }
        loop {
            let system = plan.system(&net, &target);
            stats.places = net.places.len();
            stats.variables = system.columns;
            stats.constraints = system.rows.len();
            let bytes = cache.memory() + net.memory() + system.memory();
            stats.bytes = stats.bytes.max(bytes);
            if bytes > self.options.memory {
                return NetVerdict::Unknown(End::Memory.why());
            }
            let possible = net.transitions.iter().any(|t| !t.goes_on());
            if !possible && matches!(target, Goal::Target) {
                return NetVerdict::Proved(None);
            }
            let x = match self.prove(&net, &system, &target, plan.augmented.is_empty(), stats) {
                Proved::Nothing(proof) => return NetVerdict::Proved(Some(proof)),
                Proved::Unknown(why) => return NetVerdict::Unknown(why),
                Proved::Candidate(x) | Proved::Open(x) => x,
            };
            let (stuck, apart) = match replay(&net, &target, &x, self.control) {
                Replayed::Found(path, loop_from) => {
                    return self.executed(semantics, &cache, &net, &path, loop_from);
                }
                Replayed::Stuck { transition, apart } => (transition, apart),
            };
            let pair = apart.filter(|p| fits(&net, *p)).or_else(|| smallest(&net, &x));
            let Some((a, b)) = pair else {
                return NetVerdict::Unknown(self.unexplained(&cache, &net, &x, stuck));
            };
            if let Some(told) = self.control.ended() {
                return NetVerdict::Unknown(told.why());
            }
            net = net.merge(a, b);
            plan.merges.push((a, b));
            stats.merges += 1;
            target = goal(&cache, &net, &self.subject);
        }
    }

    fn until(&self) -> Option<Instant> {
        self.options.timeout.map(|t| self.started + t)
    }

    /// The net of the program, with variables as components of their own where it would be too large otherwise.
    fn learn<'s, 'p>(
        &self,
        semantics: &'s Semantics<'p>,
        plan: &mut Plan,
        stats: &mut IlpStats,
    ) -> Result<Learnt<'s, 'p>, Reason> {
        let budget = Budget { until: self.until(), memory: self.options.memory, control: self.control };
        let began = Instant::now();
        let mut learnt = learn(semantics, &self.subject, plan, budget);
        if matches!(learnt, Err(NoNet::TooLarge)) {
            plan.apart = true;
            learnt = learn(semantics, &self.subject, plan, budget);
        }
        stats.generation = began.elapsed();
        let learnt = learnt.map_err(|none| match none {
            NoNet::Late => End::Time.why(),
            NoNet::Full => End::Memory.why(),
            NoNet::Interrupted => self.control.ended().unwrap_or(End::Interrupted).why(),
            _ => Reason::method("the parts of the program have too many states"),
        })?;
        stats.flowgraph = learnt.net.largest;
        match learnt.is_covered() {
            true => Ok(learnt),
            false => Err(Reason::may_be_unmodelled(None)),
        }
    }

    /// Asks for a solution of one system. As long as the net can be refined, only a few cases are looked at.
    fn prove(&self, net: &Net, system: &System, target: &Goal, cuts: bool, stats: &mut IlpStats) -> Proved {
        let patient = !cuts || smallest(net, &[]).is_none();
        let limits = ProofLimits {
            nodes: NODES,
            branches: if patient { NODES } else { BRANCHES },
            cuts,
            until: self.until(),
            control: self.control,
        };
        let mut statistics = ProofStatistics::default();
        let mut probe =
            |x: &[i64]| matches!(within(net, target, x, self.control, PROBE), Replayed::Found(..));
        let proved = prove(net, system, &limits, &mut statistics, &mut probe);
        stats.programs += statistics.programs;
        stats.cuts += statistics.cuts + statistics.traps;
        stats.branches += statistics.branches;
        proved
    }

    /// The execution behind a path of the net, which may end in a loop.
    fn executed(
        &self,
        semantics: &Semantics,
        cache: &StepCache,
        net: &Net,
        path: &[u32],
        loop_from: Option<usize>,
    ) -> NetVerdict {
        let moves = |path: &[u32]| {
            let outcomes = path.iter().filter_map(|t| net.transitions[*t as usize].outcome);
            cache.moves(&outcomes.collect::<Vec<u32>>())
        };
        let all = moves(path);
        match loop_from {
            None => self.found(semantics, &all),
            Some(from) => repeated(semantics, &all, moves(&path[..from]).len()),
        }
    }

    /// Why a solution without an execution is left in a net that cannot be refined.
    fn unexplained(&self, cache: &StepCache, net: &Net, x: &[i64], stuck: Option<u32>) -> Reason {
        let is_unsupported = |t: usize| x[t] > 0 && net.transitions[t].role == TransitionRole::Unsupported;
        if (0..net.transitions.len()).any(is_unsupported) {
            return Reason::may_be_unmodelled(None);
        }
        let step = stuck.map_or_else(|| "the end".into(), |t| name(self.program, cache, net, t));
        Reason::Method(format!(
            "numbers of events are left that no execution was found for; this cannot happen in it: {step}"
        ))
    }

    /// Runs moves on the semantics, up to what was looked for.
    fn found(&self, semantics: &Semantics, moves: &[Move]) -> NetVerdict {
        let mut state = semantics.initial();
        let mut done = Vec::new();
        let mut guessed = false;
        for mv in moves {
            let Some(outcome) = semantics.step(&state, *mv) else {
                return NetVerdict::Unknown(Reason::method("internal error: a trace does not replay"));
            };
            guessed |= outcome.step.guessed;
            state = outcome.state;
            done.push(*mv);
            if self.subject != Subject::Deadlock && outcome.step.broken.contains(&0) {
                return NetVerdict::Found { moves: done, state: Box::new(state), guessed, loop_from: None };
            }
        }
        if self.subject == Subject::Deadlock {
            let steps = rendez_petri::Steps::new(semantics, true, false, &[], &[]);
            let (last, waits) = steps.commit(&state);
            done.extend(waits);
            let moves = |t: usize| !steps.successors(&last, rendez_model::TaskId::from(t)).is_empty();
            if !(0..last.tasks.len()).any(moves) {
                return NetVerdict::Found { moves: done, state: Box::new(last), guessed, loop_from: None };
            }
        }
        if matches!(&self.subject, Subject::Query(query) if !query.is_followed) {
            return NetVerdict::Found { moves: done, state: Box::new(state), guessed, loop_from: None };
        }
        NetVerdict::Unknown(Reason::method("internal error: a trace shows nothing"))
    }
}

/// Runs moves on the semantics, and those behind the first few again, until everything is as it was.
fn repeated(semantics: &Semantics, moves: &[Move], first: usize) -> NetVerdict {
    let Some(trace) = lasso(semantics, moves, first) else {
        return NetVerdict::Unknown(Reason::method("a loop of the net is none of the program"));
    };
    let guessed = trace.guessed();
    NetVerdict::Found { moves: trace.moves, state: Box::new(trace.last), guessed, loop_from: trace.loop_from }
}

/// Whether two components may be made one.
fn fits(net: &Net, (a, b): (u32, u32)) -> bool {
    let count = |c: u32| net.places.iter().filter(|p| p.component == c).count();
    let (x, y) = (count(a), count(b));
    let touching = |c: u32, other: u32| {
        let one = net.transitions.iter().filter(|t| {
            t.before.iter().any(|p| net.component_of(*p) == c)
                && !t.before.iter().any(|p| net.component_of(*p) == other)
        });
        one.count()
    };
    let larger = || net.transitions.len() + touching(a, b) * y + touching(b, a) * x;
    x * y <= MOST_JOINT && net.transitions.len() <= MOST_TRANSITIONS && larger() <= MOST_TRANSITIONS
}

/// The two components of a solution that are smallest together, of those that meet.
fn smallest(net: &Net, x: &[i64]) -> Option<(u32, u32)> {
    let mut size = vec![0usize; net.components.len()];
    net.places.iter().for_each(|p| size[p.component as usize] += 1);
    let mut pairs: Vec<(usize, u32, u32)> = Vec::new();
    for wanted in [true, false] {
        for (t, transition) in net.transitions.iter().enumerate() {
            if wanted && x.get(t).is_none_or(|k| *k == 0) {
                continue;
            }
            for (i, p) in transition.before.iter().enumerate() {
                for q in &transition.before[..i] {
                    let (a, b) = (net.component_of(*p), net.component_of(*q));
                    pairs.push((size[a as usize] * size[b as usize], a.min(b), a.max(b)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if let Some((_, a, b)) = pairs.iter().find(|(_, a, b)| fits(net, (*a, *b))) {
            return Some((*a, *b));
        }
    }
    None
}

/// What a transition is called.
pub fn name(program: &Program, cache: &rendez_petri::StepCache, net: &Net, t: u32) -> String {
    use rendez_model::semantics::StepEvent;
    let Some(outcome) = net.transitions[t as usize].outcome else { return "an interval ends".into() };
    let Some(story) = cache.stories.get(outcome as usize) else { return "an interval ends".into() };
    let task = |t: rendez_model::TaskId| program.tasks[t.index()].name.as_str();
    let met = story.steps.iter().find_map(|s| match s.what {
        StepEvent::Accepted { caller, entry, .. } => Some((caller, entry)),
        StepEvent::Entered(entry) => Some((s.task, entry)),
        _ => None,
    });
    match (met, story.steps.first()) {
        (Some((caller, entry)), _) => format!("{} calls {}", task(caller), program.entry_name(entry)),
        (None, Some(step)) => {
            format!("{} goes on at {}", task(step.task), program.node(step.loc).span)
        }
        (None, None) => "a rendezvous ends".into(),
    }
}
