//! Who decides what: one engine if the user names it, otherwise several under one budget.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rendez_evidence::{
    Answer, Control, End, Finding, Kind, Options, Outcome, PropertyAnswer, Question, Severity, Stats,
};
use rendez_model::Program;
use rendez_model::semantics::Semantics;
use rendez_reach::{Config, ctl};

use crate::arguments::Engine;
use crate::commands::{Queries, Ready};
use crate::progress::Board;

/// What is to be decided, and how.
pub struct Job<'a> {
    pub ready: &'a Ready,
    /// The default checks, not properties of the user's.
    pub checks: bool,
    /// Checks that matter; all if there is none.
    pub only: &'a [Kind],
    pub questions: &'a [Question],
    pub fairness: rendez_evidence::Fairness,
    pub options: &'a Options,
    pub config: &'a Config,
    pub flow: &'a rendez_flow::Settings,
    pub linear: &'a rendez_ilp::Settings,
    pub directed: &'a rendez_directed::Settings,
    /// Where proofs are written.
    pub certificate: Option<&'a Path>,
    /// Threads that engines may use together.
    pub threads: usize,
    pub board: &'a Board,
}

/// A part of a job: what is still open.
struct Ask<'a> {
    program: &'a Program,
    queries: Queries,
    questions: &'a [Question],
    checks: bool,
}

/// Properties whose state space is this small are decided before anything runs in parallel.
const QUICK_STATES: usize = 50_000;
const QUICK: Duration = Duration::from_secs(2);
/// What an engine of the portfolio gets where nobody sets a limit.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the search goes on once there is an error, where nobody sets a limit.
const ONCE_FOUND: Duration = Duration::from_secs(10);

impl Job<'_> {
    fn all(&self) -> Ask<'_> {
        Ask {
            program: &self.ready.program,
            queries: self.ready.queries.clone(),
            questions: self.questions,
            checks: self.checks,
        }
    }

    /// Only one engine.
    pub fn alone(&self, engine: Engine) -> Outcome {
        self.run(engine, &self.all(), self.options)
    }

    fn run(&self, engine: Engine, ask: &Ask, options: &Options) -> Outcome {
        // No automaton follows a query that counts: only integer programming understands it.
        let counts =
            |m: usize| ask.queries.get(m).is_some_and(|q| q.as_ref().is_some_and(|q| !q.is_followed));
        if engine != Engine::Ilp && (0..ask.program.monitors.len()).any(counts) {
            let mut program = ask.program.clone();
            let keep = |m: &usize| !counts(*m);
            let kept: Vec<usize> = (0..program.monitors.len()).filter(keep).collect();
            program.monitors = kept.iter().map(|m| ask.program.monitors[*m].clone()).collect();
            let queries = kept.iter().map(|m| ask.queries[*m].clone()).collect();
            return self.run(engine, &Ask { program: &program, queries, ..*ask }, options);
        }
        let what = match (ask.checks, ask.program.monitors.len() + ask.questions.len()) {
            (true, _) => "default checks".to_owned(),
            (false, 1) => match (ask.program.monitors.first(), ask.questions.first()) {
                (Some(m), _) => m.name.clone(),
                (None, question) => question.map_or(String::new(), |q| q.name.clone()),
            },
            (false, n) => format!("{n} properties"),
        };
        self.board.run(engine.name(), &what, |control| self.decide(engine, ask, options, control))
    }

    fn decide(&self, engine: Engine, ask: &Ask, options: &Options, control: &Control) -> Outcome {
        let program = ask.program;
        let started = Instant::now();
        let mut outcome = match engine {
            Engine::Ilp => self.linear(ask, options, control),
            _ if !ask.checks && program.monitors.is_empty() => Outcome::nothing(engine.name()),
            Engine::Flow => {
                let properties = rendez_flow::decide(program, self.flow, options, control);
                let of = |stats: fn(&Stats) -> usize| {
                    properties.iter().filter_map(|p| p.stats).map(|s| stats(&s)).max().unwrap_or(0)
                };
                let stats = Stats {
                    seconds: started.elapsed().as_secs_f64(),
                    peak_bytes: of(|s| s.peak_bytes),
                    flow: properties.iter().filter_map(|p| p.stats).filter_map(|s| s.flow).next_back(),
                    ..Default::default()
                };
                Outcome { properties, stats, ..Outcome::nothing("flow") }
            }
            Engine::Directed if ask.checks => {
                rendez_directed::check(program, self.directed, options, control)
            }
            Engine::Directed => rendez_directed::properties(program, self.directed, options, control),
            Engine::Explore if ask.checks => rendez_explore::check(program, options, control),
            Engine::Explore => {
                Outcome { answers: Vec::new(), ..rendez_explore::check(program, options, control) }
            }
            Engine::Reach | Engine::Auto if ask.checks => {
                rendez_reach::check(program, options, self.config, control)
            }
            Engine::Reach | Engine::Auto => {
                let (properties, stats) = rendez_reach::properties(program, options, self.config, control);
                Outcome { properties, stats, ..Outcome::nothing("reach") }
            }
        };
        if ask.questions.is_empty() {
            return outcome;
        }
        if engine == Engine::Directed {
            let decide = |q| rendez_directed::formula(program, q, self.directed, options, control);
            outcome.properties.extend(ask.questions.iter().map(decide));
            return outcome;
        }
        let left = options.timeout.map(|t| t.saturating_sub(started.elapsed()));
        let options = Options { timeout: left, ..options.clone() };
        let (properties, stats) =
            ctl::decide(program, ask.questions, &options, self.config, self.fairness, control);
        outcome.properties.extend(properties);
        if !ask.checks && program.monitors.is_empty() {
            outcome.stats = stats;
        }
        outcome
    }

    /// Decides properties, or deadlock if there are none, by integer programming.
    fn linear(&self, ask: &Ask, options: &Options, control: &Control) -> Outcome {
        let mut decided = match ask.checks {
            true => vec![rendez_ilp::deadlock(ask.program, self.linear, options, control)],
            false => {
                let settings = rendez_ilp::Settings { queries: ask.queries.clone(), ..self.linear.clone() };
                rendez_ilp::decide(ask.program, &settings, options, control)
            }
        };
        let mut contradictions = Vec::new();
        if let Some(folder) = self.certificate
            && let Err(why) = crate::certificates::write(folder, &mut decided, self.ready)
        {
            contradictions.push(why);
        }
        let properties: Vec<PropertyAnswer> = decided.into_iter().map(|d| d.answer).collect();
        let stats = Stats {
            seconds: properties.iter().filter_map(|p| p.stats).map(|s| s.seconds).sum(),
            peak_bytes: properties.iter().filter_map(|p| p.stats).map(|s| s.peak_bytes).max().unwrap_or(0),
            ilp: properties.iter().filter_map(|p| p.stats).filter_map(|s| s.ilp).next_back(),
            ..Default::default()
        };
        Outcome { properties, stats, contradictions, ..Outcome::nothing("ilp") }
    }

    /// The options with what is left of the time up to a part of all of it, and of the memory a part.
    fn share(&self, started: Instant, time: f64, memory: f64) -> Options {
        let left = |t: Duration| t.mul_f64(time).saturating_sub(started.elapsed());
        Options {
            timeout: self.options.timeout.map(|t| left(t).max(Duration::from_millis(10))),
            memory: (self.options.memory as f64 * memory) as usize,
            ..self.options.clone()
        }
    }

    /// Limits for what is tried because it is cheap.
    fn quick(&self) -> Options {
        let timeout = self.options.timeout.map_or(QUICK, |t| (t / 8).min(QUICK));
        let max_states = self.options.max_states.min(QUICK_STATES);
        Options { timeout: Some(timeout), max_states, ..self.options.clone() }
    }

    /// Cheap proofs first, then a directed search beside more expensive ones; until everything is
    /// decided or the budget is spent.
    pub fn auto(&self) -> Outcome {
        let started = Instant::now();
        let verdicts = Mutex::new(Verdicts::new(self));
        let executable = self.ready.program.wide_select().is_none();
        // What the user takes for granted only `flow` understands.
        let flow_only = !executable || !self.flow.given.is_empty();
        if self.certificate.is_some() && !flow_only {
            let ask = self.all();
            self.settle(&verdicts, self.run(Engine::Ilp, &ask, &self.share(started, 0.5, 1.0)));
        }
        if flow_only {
            self.settle(&verdicts, self.run(Engine::Flow, &self.all(), self.options));
        } else if self.checks {
            self.settle(&verdicts, self.run(Engine::Reach, &self.all(), &self.quick()));
        } else {
            self.open(&verdicts, |ask| self.run(Engine::Flow, ask, &self.quick()));
            self.open(&verdicts, |ask| self.run(Engine::Reach, ask, &self.quick()));
        }
        if !flow_only && self.is_open(&verdicts) {
            let hunt = |memory| {
                let limited = self.share(started, 0.3, memory);
                if !self.is_enough(&verdicts) {
                    self.open(&verdicts, |ask| self.run(Engine::Directed, ask, &limited));
                }
                // Whoever sets no limit wants to hear of an error soon.
                if self.threads > 1 && self.is_enough(&verdicts) {
                    let from = Instant::now();
                    while self.is_open(&verdicts) && self.board.is_busy() && from.elapsed() < ONCE_FOUND {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    self.board.call_off();
                    return;
                }
                if self.checks && self.is_open(&verdicts) && self.threads > 1 {
                    let limited = self.share(started, 0.4, memory);
                    let timeout = limited.timeout.or(Some(PATIENCE));
                    let limited = Options { timeout, ..limited };
                    self.settle(&verdicts, self.run(Engine::Ilp, &self.all(), &limited));
                }
                if self.threads > 1 {
                    self.board.lend();
                }
            };
            let prove = |memory| {
                if !self.checks {
                    let patience = |part| {
                        let limited = self.share(started, part, memory);
                        Options { timeout: limited.timeout.or(Some(PATIENCE)), ..limited }
                    };
                    self.open(&verdicts, |ask| self.run(Engine::Flow, ask, &patience(0.3)));
                    self.open(&verdicts, |ask| self.run(Engine::Ilp, ask, &patience(0.6)));
                }
                let end = match self.checks && self.threads == 1 {
                    true => 0.9,
                    false => 1.0,
                };
                let mut limited = self.share(started, end, memory);
                if self.threads == 1 && self.is_enough(&verdicts) {
                    limited.timeout = Some(ONCE_FOUND);
                }
                self.open(&verdicts, |ask| self.run(Engine::Reach, ask, &limited));
            };
            if self.threads > 1 {
                std::thread::scope(|scope| {
                    let hunter = std::thread::Builder::new().stack_size(64 << 20);
                    let _ = hunter.spawn_scoped(scope, || hunt(0.25));
                    prove(0.75);
                    // A search for errors after an exhaustive one that came to its end finds nothing.
                    if !self.is_open(&verdicts) {
                        self.board.call_off();
                    }
                });
            } else {
                hunt(1.0);
                prove(1.0);
                if self.checks && self.is_open(&verdicts) {
                    let limited = self.share(started, 1.0, 1.0);
                    let limited = Options { timeout: limited.timeout.or(Some(PATIENCE)), ..limited };
                    self.settle(&verdicts, self.run(Engine::Ilp, &self.all(), &limited));
                }
            }
        }
        let enough = self.is_enough(&verdicts);
        let mut outcome = verdicts.into_inner().unwrap_or_else(|p| p.into_inner()).outcome;
        outcome.stats.seconds = started.elapsed().as_secs_f64();
        if enough && !self.board.is_interrupted() {
            let answers = outcome.answers.iter_mut().map(|(_, a)| a);
            for answer in answers.chain(outcome.properties.iter_mut().map(|p| &mut p.answer)) {
                if let Answer::Inconclusive(why, list) = answer
                    && list.is_empty()
                {
                    *why = format!(
                        "an error was found before this was decided; --timeout gives it more time ({why})"
                    );
                }
            }
        }
        outcome
    }

    /// Whether an error is known and nobody has said how long to search for more.
    fn is_enough(&self, verdicts: &Mutex<Verdicts>) -> bool {
        self.options.timeout.is_none() && lock(verdicts).any_error()
    }

    /// Lets an engine work on what is open, if anything is.
    fn open(&self, verdicts: &Mutex<Verdicts>, work: impl FnOnce(&Ask) -> Outcome) {
        let names = {
            let verdicts = lock(verdicts);
            match verdicts.is_done(self) {
                true => return,
                false => verdicts.open_properties(),
            }
        };
        let mut program;
        let (mut queries, mut rest) = (self.ready.queries.clone(), &self.ready.program);
        let is_open = |name: &str| names.iter().any(|n| n == name);
        if self.ready.program.monitors.iter().any(|m| !is_open(&m.name)) {
            program = self.ready.program.clone();
            let keep: Vec<bool> = program.monitors.iter().map(|m| is_open(&m.name)).collect();
            program.monitors.retain(|m| is_open(&m.name));
            let mut kept = keep.iter();
            queries.retain(|_| kept.next().copied().unwrap_or(true));
            rest = &program;
        }
        let questions: Vec<Question> = self.questions.iter().filter(|q| is_open(&q.name)).cloned().collect();
        let ask = Ask { program: rest, queries, questions: &questions, checks: self.checks };
        self.settle(verdicts, work(&ask));
    }

    fn settle(&self, verdicts: &Mutex<Verdicts>, outcome: Outcome) {
        let mut verdicts = lock(verdicts);
        verdicts.take(outcome, &self.ready.program, self.options.recursion);
        let (decided, asked) = verdicts.count();
        self.board.note(decided, asked);
        if verdicts.is_done(self) {
            self.board.call_off();
        }
    }

    fn is_open(&self, verdicts: &Mutex<Verdicts>) -> bool {
        !self.board.is_interrupted() && !lock(verdicts).is_done(self)
    }

    /// Lets every engine that can decide something come to its end, and compares.
    pub fn all_engines(&self) -> Outcome {
        let started = Instant::now();
        let mut verdicts = Verdicts::new(self);
        let flow_only = self.ready.program.wide_select().is_some() || !self.flow.given.is_empty();
        let engines: &[Engine] = match (flow_only, self.checks) {
            (true, _) => &[Engine::Flow],
            (false, true) => &[Engine::Reach, Engine::Explore, Engine::Directed, Engine::Ilp],
            (false, false) => &[Engine::Flow, Engine::Reach, Engine::Explore, Engine::Ilp, Engine::Directed],
        };
        for (i, engine) in engines.iter().enumerate() {
            let mut ask = self.all();
            if matches!(engine, Engine::Explore | Engine::Flow | Engine::Ilp) {
                // Temporal formulas are for others.
                ask.questions = &[];
            }
            let left = (engines.len() - i) as u32;
            let share = |t: Duration| t.saturating_sub(started.elapsed()) / left;
            let options = Options { timeout: self.options.timeout.map(share), ..self.options.clone() };
            verdicts.take(self.run(*engine, &ask, &options), &self.ready.program, options.recursion);
        }
        let mut outcome = verdicts.outcome;
        outcome.stats.seconds = started.elapsed().as_secs_f64();
        outcome
    }
}

fn lock<'v>(verdicts: &'v Mutex<Verdicts>) -> std::sync::MutexGuard<'v, Verdicts> {
    verdicts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What is known so far.
struct Verdicts {
    outcome: Outcome,
    /// Every reachable state was seen: what the checks leave open stays open.
    complete: bool,
}

/// Waiting for ever: engines may see different ones of the ways in which a program blocks, and no two
/// need give the same name to it.
fn is_blocking(kind: Kind) -> bool {
    matches!(kind, Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin)
}

fn is_final(answer: &Answer) -> bool {
    matches!(answer, Answer::Holds | Answer::Violated(_))
}

fn has_findings(answer: &Answer) -> bool {
    matches!(answer, Answer::Violated(list) | Answer::Inconclusive(_, list) if !list.is_empty())
}

impl Verdicts {
    fn new(job: &Job) -> Verdicts {
        let unknown = || Answer::Inconclusive("nobody has looked at it".into(), Vec::new());
        let mut outcome = Outcome::nothing("reach");
        outcome.end = End::Interrupted;
        if job.checks {
            outcome.answers = Kind::ALL.iter().map(|k| (*k, unknown())).collect();
        }
        let monitors = job.ready.program.monitors.iter().map(|m| PropertyAnswer {
            name: m.name.clone(),
            kind: m.language,
            engine: "auto",
            text: m.text.clone(),
            answer: unknown(),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        });
        let questions = job.questions.iter().map(|q| q.answered("auto", unknown()));
        outcome.properties = monitors.chain(questions).collect();
        Verdicts { outcome, complete: false }
    }

    fn open_properties(&self) -> Vec<String> {
        let open = self.outcome.properties.iter().filter(|p| !is_final(&p.answer));
        open.map(|p| p.name.clone()).collect()
    }

    fn any_error(&self) -> bool {
        let answers = self.outcome.answers.iter().map(|(_, a)| a);
        answers.chain(self.outcome.properties.iter().map(|p| &p.answer)).any(
            |a| matches!(a, Answer::Violated(list) if list.iter().any(|f| f.severity == Severity::Error)),
        )
    }

    fn count(&self) -> (usize, usize) {
        let answers = self.outcome.answers.iter().map(|(_, a)| a);
        let all = answers.chain(self.outcome.properties.iter().map(|p| &p.answer));
        (all.clone().filter(|a| is_final(a)).count(), all.count())
    }

    fn is_done(&self, job: &Job) -> bool {
        let wanted = |kind: Kind| job.only.is_empty() || job.only.contains(&kind);
        let checked = self.complete || self.outcome.answers.iter().all(|(k, a)| !wanted(*k) || is_final(a));
        checked && self.open_properties().is_empty()
    }

    /// Takes over what an engine found out; what contradicts the rest is kept as a contradiction.
    fn take(&mut self, mut new: Outcome, program: &Program, recursion: usize) {
        let ours = &mut self.outcome;
        ours.contradictions.append(&mut new.contradictions);
        ours.reached
            .extend(new.reached.into_iter().filter(|d| !ours.reached.contains(d)).collect::<Vec<_>>());
        ours.cut |= new.cut;
        ours.long_delays |= new.long_delays;
        let (engine, stats) = (new.engine, new.stats);
        let complete = new.end == End::Complete && matches!(engine, "reach" | "explore");
        let violated = |answers: &[(Kind, Answer)]| {
            let found = |(k, a): &(Kind, Answer)| is_blocking(*k) && matches!(a, Answer::Violated(_));
            answers.iter().any(found)
        };
        if !new.answers.is_empty() && !ours.answers.is_empty() {
            let blocks = [violated(&ours.answers), violated(&new.answers)];
            let mut contradictions = Vec::new();
            for ((kind, old), (_, fresh)) in ours.answers.iter_mut().zip(new.answers) {
                let by = ours.engines.iter().find(|e| e.0 == *kind).map_or(ours.engine, |e| e.1);
                let contradict = match (&*old, &fresh) {
                    (Answer::Holds, Answer::Violated(_)) => !is_blocking(*kind) || !blocks[0],
                    (Answer::Violated(_), Answer::Holds) => !is_blocking(*kind) || !blocks[1],
                    _ => false,
                };
                if contradict {
                    contradictions.push(contradiction(program, kind.name(), (by, old), (engine, &fresh)));
                }
                if let (Answer::Violated(known), Answer::Violated(more)) = (&mut *old, &fresh)
                    && !(complete && engine == "reach")
                {
                    join(known, more);
                    continue;
                }
                // The first final answer counts, but an exhaustive search names what it found best.
                let better = match (is_final(old), is_final(&fresh)) {
                    (false, false) => has_findings(&fresh) || (!has_findings(old) && engine != "directed"),
                    (false, true) => true,
                    (true, true) => complete && !self.complete && engine == "reach",
                    (true, false) => false,
                };
                if better {
                    *old = fresh;
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, engine, stats));
                }
            }
            ours.contradictions.extend(contradictions);
            ours.stats.states += stats.states;
            ours.stats.transitions += stats.transitions;
            ours.stats.peak_bytes = ours.stats.peak_bytes.max(stats.peak_bytes);
            self.complete |= complete;
            if complete {
                ours.end = End::Complete;
            }
        }
        for mut fresh in new.properties {
            fresh.stats = fresh.stats.or(Some(stats));
            if fresh.kind == "deadlock" {
                deadlock(ours, fresh, stats, program, recursion);
                continue;
            }
            let Some(old) = ours.properties.iter_mut().find(|p| p.name == fresh.name) else { continue };
            match (&old.answer, &fresh.answer) {
                (Answer::Holds, Answer::Violated(_)) | (Answer::Violated(_), Answer::Holds) => {
                    let (first, second) = ((old.engine, &old.answer), (fresh.engine, &fresh.answer));
                    ours.contradictions.push(contradiction(program, &old.name, first, second));
                }
                (a, b) if !is_final(a) && (is_final(b) || has_findings(b) || !has_findings(a)) => {
                    *old = fresh;
                }
                _ => {}
            }
        }
        if ours.answers.is_empty() {
            let of = ours.properties.iter().filter_map(|p| p.stats);
            ours.stats.peak_bytes = of.clone().map(|s| s.peak_bytes).max().unwrap_or(0);
            ours.stats.flow = of.clone().filter_map(|s| s.flow).next_back();
            ours.stats.ilp = of.clone().filter_map(|s| s.ilp).next_back();
            ours.stats.states = of.clone().map(|s| s.states).max().unwrap_or(0);
            ours.stats.transitions = of.map(|s| s.transitions).max().unwrap_or(0);
        }
    }
}

/// Adds findings that are not known yet, those with the fewest task switches first.
fn join(known: &mut Vec<Finding>, more: &[Finding]) {
    for finding in more {
        let same = |f: &Finding| f.span == finding.span && f.tasks == finding.tasks;
        match known.iter_mut().find(|f| same(f)) {
            Some(old) if switches(finding) < switches(old) => *old = finding.clone(),
            Some(_) => {}
            None => known.push(finding.clone()),
        }
    }
    known.sort_by_key(|f| (f.severity, switches(f)));
}

/// How often another task goes on in the trace of a finding.
fn switches(finding: &Finding) -> usize {
    let moves = finding.trace.as_ref().map_or(&[][..], |t| &t.moves);
    moves.windows(2).filter(|w| w[0].task != w[1].task).count()
}

/// What integer programming says about states in which nobody can move, beside the checks on blocking:
/// a proof is a result of its own, for tasks may wait for ever while others run.
fn deadlock(ours: &mut Outcome, fresh: PropertyAnswer, stats: Stats, program: &Program, recursion: usize) {
    match &fresh.answer {
        Answer::Violated(list) => {
            for finding in list {
                let Some((kind, old)) = ours.answers.iter_mut().find(|(k, _)| *k == finding.kind) else {
                    continue;
                };
                if !is_final(old) {
                    *old = Answer::Violated(vec![finding.clone()]);
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, "ilp", fresh.stats.unwrap_or(stats)));
                }
            }
            let held = |(k, a): &(Kind, Answer)| !is_blocking(*k) || matches!(a, Answer::Holds);
            if list.iter().any(|f| f.severity == Severity::Error) && ours.answers.iter().all(held) {
                let (first, second) = ((ours.engine, &Answer::Holds), ("ilp", &fresh.answer));
                ours.contradictions.push(contradiction(program, "deadlock", first, second));
            }
        }
        Answer::Holds => {
            let semantics = Semantics::bounded(program, recursion);
            let stands_still = |f: &&Finding| {
                let last = f.trace.as_ref().map(|t| &t.last);
                is_blocking(f.kind) && last.is_some_and(|last| semantics.enabled(last).is_empty())
            };
            let found = ours.answers.iter().find_map(|(k, a)| match a {
                Answer::Violated(list) if is_blocking(*k) => list.iter().find(stands_still),
                _ => None,
            });
            if let Some(finding) = found {
                let violated = Answer::Violated(vec![finding.clone()]);
                let (first, second) = (("ilp", &Answer::Holds), (ours.engine, &violated));
                ours.contradictions.push(contradiction(program, "deadlock", first, second));
            }
            ours.properties.push(fresh);
        }
        Answer::Inconclusive(..) => {}
    }
}

/// Two engines that do not agree, with what is needed to see it again.
fn contradiction(
    program: &Program,
    property: &str,
    first: (&str, &Answer),
    second: (&str, &Answer),
) -> String {
    let mut text = format!("{property}: {} says that it ", first.0);
    let verdict = |a: &Answer| if matches!(a, Answer::Holds) { "holds" } else { "is violated" };
    text += &format!("{}, {} that it {}\n", verdict(first.1), second.0, verdict(second.1));
    text += &format!("  version: rendez {}\n", env!("CARGO_PKG_VERSION"));
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--cross-check").collect();
    for (engine, _) in [first, second] {
        text += &format!("  rendez {} --engine {engine}\n", words.join(" "));
    }
    for (_, answer) in [first, second] {
        if let Answer::Violated(list) = answer
            && let Some(trace) = list.first().and_then(|f| f.trace.as_ref())
        {
            text += "  the trace, for `rendez simulate --trace`:\n";
            text += &crate::simulate::write_trace(program, &trace.moves);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(engine: &'static str, answer: fn(Kind) -> Answer) -> Outcome {
        let answers = Kind::ALL.iter().map(|k| (*k, answer(*k))).collect();
        Outcome { answers, ..Outcome::nothing(engine) }
    }

    fn found(_: Kind) -> Answer {
        Answer::Violated(Vec::new())
    }

    fn verdicts() -> Verdicts {
        let unknown = |_| Answer::Inconclusive(String::new(), Vec::new());
        Verdicts { outcome: outcome("reach", unknown), complete: false }
    }

    #[test]
    fn engines_that_do_not_agree_are_an_error() {
        let program = Program::default();
        let mut all = verdicts();
        all.take(outcome("reach", |_| Answer::Holds), &program, 1);
        all.take(outcome("directed", found), &program, 1);
        let races: Vec<&String> =
            all.outcome.contradictions.iter().filter(|c| c.starts_with("race: ")).collect();
        assert_eq!(races.len(), 1);
        assert!(races[0].contains("reach says that it holds, directed that it is violated"));
        assert!(races[0].contains("--engine directed"));
    }

    #[test]
    fn blocking_may_have_another_name() {
        let program = Program::default();
        let mut all = verdicts();
        let circular = |k| if k == Kind::CircularWait { found(k) } else { Answer::Holds };
        let client = |k| if k == Kind::ClientBlocked { found(k) } else { Answer::Holds };
        all.take(outcome("reach", circular), &program, 1);
        all.take(outcome("directed", client), &program, 1);
        assert!(all.outcome.contradictions.is_empty());
        let count = |a: &(Kind, Answer)| matches!(a.1, Answer::Violated(_));
        assert_eq!(all.outcome.answers.iter().filter(|a| count(a)).count(), 1);
    }
}
