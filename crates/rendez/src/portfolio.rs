//! Who decides what: one engine if the user names it, otherwise several under one budget.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rendez_model::Program;
use rendez_reach::{Config, ctl};
use rendez_verdict::{
    Answer, BoundFormula, Control, End, EngineId, Finding, Kind, Language, Obstacle, Options, Outcome,
    PropertyAnswer, Reason, Severity, Stats,
};

use crate::budget::Budget;
use crate::prepare::{Prepared, Queries};
use crate::settings::{Engine, Settings};

/// What is to be decided, and how.
pub struct Job<'a> {
    pub prepared: &'a Prepared,
    pub settings: &'a Settings,
    /// The default checks, not properties of the user's.
    pub checks: bool,
    /// Checks that matter; all if there is none.
    pub only: &'a [Kind],
    pub questions: &'a [BoundFormula],
    pub options: &'a Options,
    pub config: &'a Config,
    pub flow: &'a rendez_flow::Settings,
    pub linear: &'a rendez_ilp::Settings,
    pub directed: &'a rendez_directed::Settings,
    /// Threads that engines may use together.
    pub threads: usize,
    pub budget: &'a Budget,
}

/// A part of a job: what is still open.
pub struct Ask<'a> {
    pub program: &'a Program,
    pub queries: Queries,
    pub questions: &'a [BoundFormula],
    pub checks: bool,
    /// Default checks that are open; all if there is none.
    pub wanted: Vec<Kind>,
}

impl Job<'_> {
    pub fn all(&self) -> Ask<'_> {
        Ask {
            program: &self.prepared.program,
            queries: self.prepared.queries.clone(),
            questions: self.questions,
            checks: self.checks,
            wanted: self.only.to_vec(),
        }
    }

    /// Whether a default check is asked for.
    pub fn wants(&self, kind: Kind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }

    pub fn run(&self, engine: Engine, ask: &Ask, options: &Options) -> Outcome {
        // No automaton follows a query that counts: only integer programming understands it.
        let counts =
            |m: usize| ask.queries.get(m).is_some_and(|q| q.as_ref().is_some_and(|q| !q.is_followed));
        if engine != Engine::Ilp && (0..ask.program.monitors.len()).any(counts) {
            let mut program = ask.program.clone();
            let keep = |m: &usize| !counts(*m);
            let kept: Vec<usize> = (0..program.monitors.len()).filter(keep).collect();
            program.monitors = kept.iter().map(|m| ask.program.monitors[*m].clone()).collect();
            let queries = kept.iter().map(|m| ask.queries[*m].clone()).collect();
            let wanted = ask.wanted.clone();
            return self.run(engine, &Ask { program: &program, queries, wanted, ..*ask }, options);
        }
        let what = match (ask.checks, ask.program.monitors.len() + ask.questions.len()) {
            (true, _) => "default checks".to_owned(),
            (false, 1) => match (ask.program.monitors.first(), ask.questions.first()) {
                (Some(m), _) => m.name.clone(),
                (None, question) => question.map_or(String::new(), |q| q.name.clone()),
            },
            (false, n) => format!("{n} properties"),
        };
        self.budget
            .run(engine.name(), &what, options.timeout, |control| self.decide(engine, ask, options, control))
    }

    fn decide(&self, engine: Engine, ask: &Ask, options: &Options, control: &Control) -> Outcome {
        let program = ask.program;
        let started = Instant::now();
        let mut outcome = match engine {
            Engine::Ilp => self.linear(ask, options, control),
            _ if !ask.checks && program.monitors.is_empty() => Outcome::nothing(engine),
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
                Outcome { properties, stats, ..Outcome::nothing(EngineId::Flow) }
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
                let config = Config { wanted: ask.wanted.clone(), ..self.config.clone() };
                rendez_reach::check(program, options, &config, control)
            }
            Engine::Reach | Engine::Auto => rendez_reach::properties(program, options, self.config, control),
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
        let (properties, stats) = ctl::decide(program, ask.questions, &options, self.config, control);
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
        if let Some(folder) = &self.settings.certificates
            && let Err(why) =
                crate::certificates::write(folder, &mut decided, self.prepared, &self.settings.command_line)
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
        Outcome { properties, stats, contradictions, ..Outcome::nothing(EngineId::Ilp) }
    }

    fn context(&self) -> Context<'_> {
        Context {
            program: &self.prepared.program,
            recursion: self.options.recursion,
            command_line: &self.settings.command_line,
        }
    }

    pub fn settle(&self, verdicts: &Mutex<Verdicts>, outcome: Outcome) {
        let mut verdicts = lock(verdicts);
        verdicts.take(outcome, self.context());
        let (decided, asked) = verdicts.count();
        self.budget.note(decided, asked);
        self.budget.keep(&verdicts.outcome);
        if verdicts.is_done(self) {
            self.budget.call_off();
        }
    }

    pub fn is_open(&self, verdicts: &Mutex<Verdicts>) -> bool {
        !self.budget.is_interrupted() && !lock(verdicts).is_done(self)
    }

    /// Lets every engine that can decide something come to its end, and compares.
    pub fn all_engines(&self) -> Outcome {
        let started = Instant::now();
        let flow_only = self.prepared.program.wide_select().is_some() || !self.flow.given.is_empty();
        let engines: &[Engine] = match (flow_only, self.checks) {
            (true, _) => &[Engine::Flow],
            (false, true) => &[Engine::Reach, Engine::Explore, Engine::Directed, Engine::Ilp],
            (false, false) => &[Engine::Flow, Engine::Reach, Engine::Explore, Engine::Ilp, Engine::Directed],
        };
        let mut verdicts = Verdicts::new(self);
        for (i, engine) in engines.iter().enumerate() {
            let mut ask = self.all();
            if matches!(engine, Engine::Explore | Engine::Flow | Engine::Ilp) {
                // Temporal formulas are for others.
                ask.questions = &[];
            }
            let left = (engines.len() - i) as u32;
            let share = |t: Duration| t.saturating_sub(started.elapsed()) / left;
            let options = Options { timeout: self.options.timeout.map(share), ..self.options.clone() };
            verdicts.take(self.run(*engine, &ask, &options), self.context());
            self.budget.keep(&verdicts.outcome);
        }
        let mut outcome = verdicts.outcome;
        outcome.stats.seconds = started.elapsed().as_secs_f64();
        outcome
    }
}

pub fn lock<'v>(verdicts: &'v Mutex<Verdicts>) -> std::sync::MutexGuard<'v, Verdicts> {
    verdicts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What answers are about, and how they were asked for.
#[derive(Clone, Copy)]
struct Context<'a> {
    program: &'a Program,
    recursion: usize,
    command_line: &'a [String],
}

/// What is known so far.
pub struct Verdicts {
    pub outcome: Outcome,
    /// Every reachable state was seen: what the checks leave open stays open.
    complete: bool,
}

/// Waiting for ever.
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
    pub fn new(job: &Job) -> Verdicts {
        let reason = || Reason::new(Obstacle::Time, "no engine came to an answer within the limits");
        let unknown = || Answer::Inconclusive(reason(), Vec::new());
        let mut outcome = Outcome::nothing(EngineId::Reach);
        outcome.end = End::Interrupted;
        if job.checks {
            outcome.answers = Kind::ALL.iter().map(|k| (*k, unknown())).collect();
        }
        let monitors = job.prepared.program.monitors.iter().map(|m| PropertyAnswer {
            name: m.name.clone(),
            language: m.language,
            engine: EngineId::Auto,
            text: m.text.clone(),
            answer: unknown(),
            covers: rendez_verdict::covers(m, job.options.fairness),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        });
        let questions =
            job.questions.iter().map(|q| q.answered(EngineId::Auto, job.options.fairness, unknown()));
        outcome.properties = monitors.chain(questions).collect();
        Verdicts { outcome, complete: false }
    }

    /// The default checks that are open.
    pub fn open_checks(&self, job: &Job) -> Vec<Kind> {
        let open = |(k, a): &&(Kind, Answer)| job.wants(*k) && !is_final(a);
        self.outcome.answers.iter().filter(open).map(|(k, _)| *k).collect()
    }

    pub fn open_properties(&self) -> Vec<String> {
        let open = self.outcome.properties.iter().filter(|p| !is_final(&p.answer));
        open.map(|p| p.name.clone()).collect()
    }

    pub fn any_error(&self) -> bool {
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

    pub fn is_done(&self, job: &Job) -> bool {
        let checked = self.complete || self.open_checks(job).is_empty();
        checked && self.open_properties().is_empty()
    }

    /// Takes over what an engine found out; what contradicts the rest is kept as a contradiction.
    fn take(&mut self, mut new: Outcome, context: Context) {
        let ours = &mut self.outcome;
        ours.contradictions.append(&mut new.contradictions);
        ours.reached
            .extend(new.reached.into_iter().filter(|d| !ours.reached.contains(d)).collect::<Vec<_>>());
        let bounds = new.bounds.into_iter().filter(|d| !ours.bounds.contains(d));
        ours.bounds.extend(bounds.collect::<Vec<_>>());
        ours.long_delays |= new.long_delays;
        let (engine, stats) = (new.engine, new.stats);
        let complete = new.end == End::Complete && matches!(engine, EngineId::Reach | EngineId::Explore);
        if !new.answers.is_empty() && !ours.answers.is_empty() {
            let mut contradictions = Vec::new();
            for ((kind, old), (_, fresh)) in ours.answers.iter_mut().zip(new.answers) {
                let (by, known) = match ours.engines.iter().find(|e| e.0 == *kind) {
                    Some((_, engine, stats)) => (*engine, stats.states),
                    None => (ours.engine, 0),
                };
                if matches!(
                    (&*old, &fresh),
                    (Answer::Holds, Answer::Violated(_)) | (Answer::Violated(_), Answer::Holds)
                ) {
                    contradictions.push(contradiction(context, kind.name(), (by, old), (engine, &fresh)));
                }
                if let (Answer::Violated(known), Answer::Violated(more)) = (&mut *old, &fresh)
                    && !(complete && engine == EngineId::Reach)
                {
                    join(known, more);
                    continue;
                }
                // The first final answer counts, but an exhaustive search names what it found best.
                let better = match (is_final(old), is_final(&fresh)) {
                    // Of two that know nothing, the one that looked further says why.
                    (false, false) => {
                        let further = engine != EngineId::Directed && stats.states >= known;
                        has_findings(&fresh) || (!has_findings(old) && further)
                    }
                    (false, true) => true,
                    (true, true) => complete && !self.complete && engine == EngineId::Reach,
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
            if fresh.language == Language::Deadlock {
                deadlock(ours, fresh, stats, context);
                continue;
            }
            let Some(old) = ours.properties.iter_mut().find(|p| p.name == fresh.name) else { continue };
            match (&old.answer, &fresh.answer) {
                (Answer::Holds, Answer::Violated(_)) | (Answer::Violated(_), Answer::Holds) => {
                    let (first, second) = ((old.engine, &old.answer), (fresh.engine, &fresh.answer));
                    ours.contradictions.push(contradiction(context, &old.name, first, second));
                }
                (Answer::Holds, Answer::Holds) => {
                    old.vacuous = old.vacuous.take().or(fresh.vacuous);
                }
                // Of two that know nothing, a search for one kind of error says least.
                (a, b)
                    if !is_final(a)
                        && (is_final(b)
                            || has_findings(b)
                            || (!has_findings(a)
                                && (fresh.engine != EngineId::Directed || old.engine == EngineId::Auto))) =>
                {
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
/// a proof is a result of its own, for tasks may wait for ever while others run. Where nobody runs for ever, it says
/// that nobody waits for ever either.
fn deadlock(ours: &mut Outcome, fresh: PropertyAnswer, stats: Stats, context: Context) {
    match &fresh.answer {
        Answer::Violated(list) => {
            for finding in list {
                let Some((kind, old)) = ours.answers.iter_mut().find(|(k, _)| *k == finding.kind) else {
                    continue;
                };
                if matches!(old, Answer::Holds) {
                    let by = ours.engines.iter().find(|e| e.0 == *kind).map_or(ours.engine, |e| e.1);
                    let (first, second) = ((by, &Answer::Holds), (EngineId::Ilp, &fresh.answer));
                    ours.contradictions.push(contradiction(context, kind.name(), first, second));
                } else if !is_final(old) {
                    *old = Answer::Violated(vec![finding.clone()]);
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, EngineId::Ilp, fresh.stats.unwrap_or(stats)));
                }
            }
        }
        Answer::Holds => {
            let semantics = rendez_analysis::semantics(context.program, context.recursion);
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
                let (first, second) = ((EngineId::Ilp, &Answer::Holds), (ours.engine, &violated));
                ours.contradictions.push(contradiction(context, "deadlock", first, second));
            }
            if rendez_reach::everybody_ends(context.program) {
                for (kind, old) in ours.answers.iter_mut().filter(|(k, a)| is_blocking(*k) && !is_final(a)) {
                    *old = Answer::Holds;
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, EngineId::Ilp, fresh.stats.unwrap_or(stats)));
                }
            }
            ours.properties.retain(|p| p.language != Language::Deadlock);
            ours.properties.push(fresh);
        }
        Answer::Inconclusive(..) => {}
    }
}

/// Two engines that do not agree, with what is needed to see it again.
fn contradiction(
    context: Context,
    property: &str,
    first: (EngineId, &Answer),
    second: (EngineId, &Answer),
) -> String {
    let mut text = format!("{property}: {} says that it ", first.0.name());
    let verdict = |a: &Answer| if matches!(a, Answer::Holds) { "holds" } else { "is violated" };
    text += &format!("{}, {} that it {}\n", verdict(first.1), second.0.name(), verdict(second.1));
    text += &format!("  version: rendez {}\n", env!("CARGO_PKG_VERSION"));
    let words: Vec<&str> =
        context.command_line.iter().map(String::as_str).filter(|a| *a != "--cross-check").collect();
    for (engine, _) in [first, second] {
        text += &format!("  rendez {} --engine {}\n", words.join(" "), engine.name());
    }
    for (_, answer) in [first, second] {
        if let Answer::Violated(list) = answer
            && let Some(trace) = list.first().and_then(|f| f.trace.as_ref())
        {
            text += "  the trace, for `rendez simulate --trace`:\n";
            text += &crate::saved_trace::print(context.program, &trace.moves);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(engine: EngineId, answer: fn(Kind) -> Answer) -> Outcome {
        let answers = Kind::ALL.iter().map(|k| (*k, answer(*k))).collect();
        Outcome { answers, ..Outcome::nothing(engine) }
    }

    fn context(program: &Program) -> Context<'_> {
        Context { program, recursion: 1, command_line: &[] }
    }

    fn found(_: Kind) -> Answer {
        Answer::Violated(Vec::new())
    }

    fn verdicts() -> Verdicts {
        let unknown = |_| Answer::Inconclusive(String::new().into(), Vec::new());
        Verdicts { outcome: outcome(EngineId::Reach, unknown), complete: false }
    }

    #[test]
    fn engines_that_do_not_agree_are_an_error() {
        let program = Program::default();
        let mut all = verdicts();
        all.take(outcome(EngineId::Reach, |_| Answer::Holds), context(&program));
        all.take(outcome(EngineId::Directed, found), context(&program));
        let races: Vec<&String> =
            all.outcome.contradictions.iter().filter(|c| c.starts_with("race: ")).collect();
        assert_eq!(races.len(), 1);
        assert!(races[0].contains("reach says that it holds, directed that it is violated"));
        assert!(races[0].contains("--engine directed"));
    }

    #[test]
    fn kinds_of_blocking_are_compared() {
        let program = Program::default();
        let mut all = verdicts();
        let circular = |k| if k == Kind::CircularWait { found(k) } else { Answer::Holds };
        let client = |k| if k == Kind::ClientBlocked { found(k) } else { Answer::Holds };
        all.take(outcome(EngineId::Reach, circular), context(&program));
        assert!(all.outcome.contradictions.is_empty());
        all.take(outcome(EngineId::Directed, client), context(&program));
        let about = |kind: &str| all.outcome.contradictions.iter().filter(|c| c.starts_with(kind)).count();
        assert_eq!(all.outcome.contradictions.len(), 2);
        assert_eq!((about("circular-wait: "), about("client-blocked: ")), (1, 1));
    }

    /// What `--cross-check` does with an engine that gives another name to what all of them see.
    #[test]
    fn a_cross_check_notices_one_that_disagrees() {
        let program = Program::default();
        let circular = |k| if k == Kind::CircularWait { found(k) } else { Answer::Holds };
        let planted = |k| match k {
            Kind::CircularWait | Kind::ServerIdle => found(k),
            _ => Answer::Holds,
        };
        let told = |last: fn(Kind) -> Answer| {
            let answers = [
                outcome(EngineId::Reach, circular),
                outcome(EngineId::Explore, circular),
                outcome(EngineId::Directed, last),
            ];
            let mut all = verdicts();
            answers.into_iter().for_each(|answer| all.take(answer, context(&program)));
            all.outcome.contradictions
        };
        assert_eq!(told(circular), Vec::<String>::new());
        let found = told(planted);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("server-idle: "));
        assert!(found[0].contains("says that it holds, directed that it is violated"));
    }

    /// A state without steps that one engine has and another denies.
    #[test]
    fn a_deadlock_that_others_deny_is_an_error() {
        let program = Program::default();
        let mut all = verdicts();
        all.take(outcome(EngineId::Reach, |_| Answer::Holds), context(&program));
        let finding = Finding {
            kind: Kind::CircularWait,
            severity: Severity::Error,
            message: String::new(),
            span: rendez_source::Span::NOWHERE,
            tasks: Vec::new(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            trace: None,
            waiting: Vec::new(),
            guessed: false,
            unshown: false,
        };
        let fresh = PropertyAnswer {
            name: "deadlock".into(),
            language: Language::Deadlock,
            engine: EngineId::Ilp,
            text: String::new(),
            answer: Answer::Violated(vec![finding]),
            covers: String::new(),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        };
        all.take(Outcome { properties: vec![fresh], ..Outcome::nothing(EngineId::Ilp) }, context(&program));
        assert_eq!(all.outcome.contradictions.len(), 1);
        assert!(all.outcome.contradictions[0].starts_with("circular-wait: reach says that it holds, ilp"));
    }
}
