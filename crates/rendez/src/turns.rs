//! Whose turn it is: engines work on what is open one after the other, briefly at first, then longer and longer.
//!
//! A subject is what is decided by itself: the default checks, one property of event sequences, or all temporal
//! formulas, which share a search. An engine that gives up before its turn is over has nothing more to say about a
//! subject. Turns grow by a factor, so that what is done again costs a part of what is new; the last round of a run
//! with a time limit gets all that is left. With two threads one looks for proofs and the other for errors.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rendez_analysis::passes;
use rendez_model::Program;
use rendez_verdict::{End, EngineId, Obstacle, Options, Outcome, Query, Reason, Verdict};

use crate::portfolio::{Ask, Job, Lane, lane};
use crate::verdicts::{Verdicts, lock};

/// The first turn of an engine.
const FIRST: Duration = Duration::from_millis(400);
/// Each turn is so many times as long as the one before.
const GROWTH: u32 = 4;
/// How long each engine that proves works on a subject before a second thread joins.
const AT_ONCE: Duration = Duration::from_secs(2);
/// How long the search goes on once there is an error, where nobody sets a limit.
const ONCE_FOUND: Duration = Duration::from_secs(10);
/// What is left of a turn when its engine stops on its own.
const UNUSED: f64 = 0.2;

/// What is decided by itself.
struct Subject<'a> {
    /// A program with one automaton, if it is not the whole program.
    program: Option<Program>,
    queries: Vec<Query<'a>>,
    /// Engines that have nothing more to say.
    finished: Mutex<Vec<EngineId>>,
}

impl<'a> Subject<'a> {
    fn new(program: Option<Program>, queries: Vec<Query<'a>>) -> Subject<'a> {
        Subject { program, queries, finished: Mutex::new(Vec::new()) }
    }
}

impl<'a> Job<'a> {
    /// The default checks, or each property by itself: what it costs does not depend on its neighbours.
    fn subjects(&self) -> Vec<Subject<'a>> {
        let Ask { program: all, queries } = self.all();
        let count = all.monitors.len();
        if self.has_checks() || (count <= 1 && self.formulas().is_empty()) {
            return vec![Subject::new(None, queries)];
        }
        let (sequences, formulas): (Vec<Query>, Vec<Query>) =
            queries.into_iter().partition(|q| matches!(q, Query::Sequence { .. }));
        let single = |query| match query {
            Query::Sequence { monitor, intervals } => Subject::new(
                (count > 1).then(|| passes::for_monitor(all, monitor)),
                vec![Query::Sequence { monitor: if count > 1 { 0 } else { monitor }, intervals }],
            ),
            other => Subject::new(None, vec![other]),
        };
        let mut subjects: Vec<Subject> = sequences.into_iter().map(single).collect();
        if !formulas.is_empty() {
            let mut program = all.clone();
            program.monitors.clear();
            subjects.push(Subject::new(Some(program), formulas));
        }
        subjects
    }

    /// Only one engine. What is left of the time is shared by those subjects that are still to come.
    pub fn alone(&self, engine: EngineId) -> Outcome {
        let subjects = self.subjects();
        if let [_] = &subjects[..] {
            return self.run_alone(engine, &self.all(), self.options);
        }
        let verdicts = Mutex::new(Verdicts::new(self));
        for (i, subject) in subjects.iter().enumerate() {
            let share = |left: Duration| left / (subjects.len() - i) as u32;
            let options = Options { timeout: self.budget.left().map(share), ..self.options.clone() };
            self.settle(&verdicts, self.run_alone(engine, &self.ask(subject), &options));
        }
        let outcome = verdicts.into_inner().unwrap_or_else(|p| p.into_inner()).outcome;
        Outcome { engine, ..outcome }
    }

    /// Lets engines take turns until everything is decided or the budget is spent.
    pub fn auto(&self) -> Outcome {
        let started = Instant::now();
        let verdicts = Mutex::new(Verdicts::new(self));
        let subjects = self.subjects();
        let all =
            |memory| Turns { job: self, verdicts: &verdicts, subjects: &subjects, engines: &[], memory };
        let turns = |engines: &[EngineId], memory: f64| Turns { engines, ..all(memory) }.take();
        if self.is_for_flow() {
            turns(&[EngineId::Flow], 1.0);
        } else {
            if self.settings.certificates.is_some() {
                self.certify(&verdicts, &subjects);
            }
            let (prove, hunt) = (lane(Lane::Prove), lane(Lane::Hunt));
            if self.settings.threads() > 1 {
                // What is decided at once needs no second thread.
                let at_once = self.options.timeout.map_or(AT_ONCE, |t| AT_ONCE.min(t / 8));
                Turns { engines: &prove, ..all(1.0) }.round(at_once);
                std::thread::scope(|scope| {
                    let hunter = std::thread::Builder::new().stack_size(64 << 20);
                    let _ = hunter.spawn_scoped(scope, || {
                        turns(&hunt, 0.25);
                        self.budget.lend();
                    });
                    turns(&prove, 0.75);
                    // A search for errors after an exhaustive one that came to its end finds nothing.
                    if !self.is_open(&verdicts) {
                        self.budget.call_off();
                    }
                });
            } else {
                turns(&[prove, hunt].concat(), 1.0);
            }
        }
        let enough = self.is_enough(&verdicts);
        let mut outcome = verdicts.into_inner().unwrap_or_else(|p| p.into_inner()).outcome;
        outcome.stats.seconds = started.elapsed().as_secs_f64();
        if enough && !self.budget.is_interrupted() {
            let answers = outcome.answers.iter_mut().map(|(_, a)| a);
            for answer in answers.chain(outcome.properties.iter_mut().map(|p| &mut p.answer)) {
                if let Verdict::Inconclusive(why, list) = answer
                    && list.is_empty()
                    && (why.obstacle() == Obstacle::Time || *why == Reason::NoAnswer)
                {
                    *why = Reason::ErrorFirst(Box::new(why.clone()));
                }
            }
        }
        outcome
    }

    /// Proofs that are to be written down come from integer programming, which gets half of the time.
    fn certify(&self, verdicts: &Mutex<Verdicts>, subjects: &[Subject]) {
        for (i, subject) in subjects.iter().enumerate() {
            let left = (subjects.len() - i) as u32 * 2;
            let options = Options { timeout: self.budget.left().map(|t| t / left), ..self.options.clone() };
            self.settle(verdicts, self.run(EngineId::Ilp, &self.ask(subject), &options));
        }
    }

    fn ask<'s>(&'s self, subject: &'s Subject<'s>) -> Ask<'s> {
        let program = subject.program.as_ref().unwrap_or(&self.prepared.program);
        Ask { program, queries: subject.queries.clone() }
    }

    /// Whether an error is known and nobody has said how long to search for more.
    fn is_enough(&self, verdicts: &Mutex<Verdicts>) -> bool {
        self.options.timeout.is_none() && lock(verdicts).any_error()
    }
}

/// Some engines that take turns on some subjects.
struct Turns<'a, 'j> {
    job: &'a Job<'j>,
    verdicts: &'a Mutex<Verdicts>,
    subjects: &'a [Subject<'j>],
    engines: &'a [EngineId],
    /// The part of the memory that they may use.
    memory: f64,
}

impl<'j> Turns<'_, 'j> {
    /// Rounds of turns, each longer than the one before.
    fn take(&self) {
        let mut turn = FIRST;
        while self.may_go_on() {
            let waiting = self.waiting();
            // Whoever is alone need not stop for others; and what is left may be too little for another round.
            let round = turn * (1 + GROWTH) * waiting.len() as u32;
            if waiting.len() == 1 || self.job.budget.left().is_some_and(|left| left < round) {
                for (i, (subject, engine)) in waiting.iter().enumerate() {
                    let share = |left: Duration| left / (waiting.len() - i) as u32;
                    self.turn(subject, *engine, self.job.budget.left().map(share));
                }
            } else {
                self.round(turn);
            }
            turn *= GROWTH;
        }
    }

    /// A turn for everybody who waits.
    fn round(&self, turn: Duration) {
        for (subject, engine) in self.waiting() {
            let left = self.job.budget.left();
            self.turn(subject, engine, Some(left.map_or(turn, |left| turn.min(left))));
        }
    }

    fn may_go_on(&self) -> bool {
        let late = self.job.budget.left().is_some_and(|left| left.is_zero());
        !late && self.job.is_open(self.verdicts) && !self.waiting().is_empty()
    }

    /// Who may still have something to say about what is open.
    fn waiting(&self) -> Vec<(&Subject<'j>, EngineId)> {
        let mut waiting = Vec::new();
        for subject in self.subjects.iter().filter(|s| self.is_open(s)) {
            let finished = subject.finished.lock().unwrap_or_else(|p| p.into_inner());
            let engines =
                self.engines.iter().filter(|e| !finished.contains(e) && self.supports(**e, subject));
            waiting.extend(engines.map(|e| (subject, *e)));
        }
        waiting
    }

    /// Whether an engine has anything to say about what is open.
    fn supports(&self, engine: EngineId, subject: &Subject) -> bool {
        self.open(subject).iter().any(|q| self.job.supports(engine, q))
    }

    fn is_open(&self, subject: &Subject) -> bool {
        match self.job.has_checks() {
            true => !lock(self.verdicts).is_done(self.job),
            false => !self.open(subject).is_empty(),
        }
    }

    /// What is still open.
    fn open<'s>(&self, subject: &'s Subject<'s>) -> Vec<Query<'s>> {
        let verdicts = lock(self.verdicts);
        let (checks, properties) = (verdicts.open_checks(self.job), verdicts.open_properties());
        let program = subject.program.as_ref().unwrap_or(&self.job.prepared.program);
        let is_open = |query: &&Query| match query {
            Query::Check(kind) => checks.contains(kind),
            Query::Sequence { monitor, .. } => properties.contains(&program.monitors[*monitor].name),
            Query::Formula(formula) => properties.contains(&formula.name),
        };
        subject.queries.iter().filter(is_open).copied().collect()
    }

    fn turn(&self, subject: &Subject, engine: EngineId, turn: Option<Duration>) {
        if !self.is_open(subject) || self.job.budget.is_interrupted() {
            return;
        }
        let job = self.job;
        let ask = Ask { queries: self.open(subject), ..job.ask(subject) };
        let memory = (job.options.memory as f64 * self.memory) as usize;
        let options = Options { timeout: turn, memory, ..job.options.clone() };
        let began = Instant::now();
        let outcome = job.run(engine, &ask, &options);
        // Whoever ends without a limit has said everything.
        let early = turn.is_some_and(|t| began.elapsed() < t.mul_f64(1.0 - UNUSED));
        if turn.is_none() || (early && outcome.end != End::Time) {
            subject.finished.lock().unwrap_or_else(|p| p.into_inner()).push(engine);
        }
        job.settle(self.verdicts, outcome);
        // Whoever sets no limit wants to hear of an error soon.
        if job.is_enough(self.verdicts) {
            job.budget.end_within(ONCE_FOUND);
        }
        if !self.is_open(subject)
            && let Some(program) = &subject.program
            && let [monitor] = &program.monitors[..]
        {
            job.budget.call_off_work_on(&monitor.name);
        }
    }
}
