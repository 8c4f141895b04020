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
use rendez_verdict::{Answer, BoundFormula, End, Obstacle, Options, Outcome};

use crate::portfolio::{Ask, Job, Verdicts, lock};
use crate::prepare::Queries;
use crate::settings::Engine;

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
struct Subject {
    program: Option<Program>,
    queries: Queries,
    questions: Vec<BoundFormula>,
    /// Engines that have nothing more to say.
    finished: Mutex<Vec<Engine>>,
}

impl Job<'_> {
    /// The default checks, or each property by itself: what it costs does not depend on its neighbours.
    fn subjects(&self) -> Vec<Subject> {
        let all = &self.prepared.program;
        let finished = || Mutex::new(Vec::new());
        let (queries, questions) = (self.prepared.queries.clone(), self.questions.to_vec());
        if self.checks || (all.monitors.len() <= 1 && questions.is_empty()) {
            return vec![Subject { program: None, queries, questions, finished: finished() }];
        }
        let single = |m: usize| Subject {
            program: (all.monitors.len() > 1).then(|| passes::for_monitor(all, m)),
            queries: vec![queries.get(m).cloned().flatten()],
            questions: Vec::new(),
            finished: finished(),
        };
        let mut subjects: Vec<Subject> = (0..all.monitors.len()).map(single).collect();
        if !questions.is_empty() {
            let mut program = all.clone();
            program.monitors.clear();
            subjects.push(Subject {
                program: Some(program),
                queries: Vec::new(),
                questions,
                finished: finished(),
            });
        }
        subjects
    }

    /// Only one engine. What is left of the time is shared by those subjects that are still to come.
    pub fn alone(&self, engine: Engine) -> Outcome {
        let subjects = self.subjects();
        if let [_] = &subjects[..] {
            return self.run(engine, &self.all(), self.options);
        }
        let verdicts = Mutex::new(Verdicts::new(self));
        for (i, subject) in subjects.iter().enumerate() {
            let share = |left: Duration| left / (subjects.len() - i) as u32;
            let options = Options { timeout: self.budget.left().map(share), ..self.options.clone() };
            self.settle(&verdicts, self.run(engine, &self.ask(subject), &options));
        }
        let outcome = verdicts.into_inner().unwrap_or_else(|p| p.into_inner()).outcome;
        Outcome { engine, ..outcome }
    }

    /// Lets engines take turns until everything is decided or the budget is spent.
    pub fn auto(&self) -> Outcome {
        let started = Instant::now();
        let verdicts = Mutex::new(Verdicts::new(self));
        let subjects = self.subjects();
        let executable = self.prepared.program.wide_select().is_none();
        // What the user takes for granted only `flow` understands.
        let flow_only = !executable || !self.flow.given.is_empty();
        let all =
            |memory| Turns { job: self, verdicts: &verdicts, subjects: &subjects, engines: &[], memory };
        let turns = |engines: &[Engine], memory: f64| Turns { engines, ..all(memory) }.take();
        if flow_only {
            turns(&[Engine::Flow], 1.0);
        } else {
            if self.settings.certificates.is_some() {
                self.certify(&verdicts, &subjects);
            }
            let (prove, hunt): (&[Engine], &[Engine]) = match self.checks {
                true => (&[Engine::Reach], &[Engine::Directed, Engine::Ilp]),
                false => (&[Engine::Flow, Engine::Reach], &[Engine::Directed, Engine::Ilp]),
            };
            if self.threads > 1 {
                // What is decided at once needs no second thread.
                let at_once = self.options.timeout.map_or(AT_ONCE, |t| AT_ONCE.min(t / 8));
                Turns { engines: prove, ..all(1.0) }.round(at_once);
                std::thread::scope(|scope| {
                    let hunter = std::thread::Builder::new().stack_size(64 << 20);
                    let _ = hunter.spawn_scoped(scope, || {
                        turns(hunt, 0.25);
                        self.budget.lend();
                    });
                    turns(prove, 0.75);
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
                if let Answer::Inconclusive(why, list) = answer
                    && list.is_empty()
                    && why.obstacle == Obstacle::Time
                {
                    *why = why.clone().advising(format!(
                        "an error was found before this was decided; --timeout gives it more time ({why})"
                    ));
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
            self.settle(verdicts, self.run(Engine::Ilp, &self.ask(subject), &options));
        }
    }

    fn ask<'s>(&'s self, subject: &'s Subject) -> Ask<'s> {
        Ask {
            program: subject.program.as_ref().unwrap_or(&self.prepared.program),
            queries: subject.queries.clone(),
            questions: &subject.questions,
            checks: self.checks,
            wanted: Vec::new(),
        }
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
    subjects: &'a [Subject],
    engines: &'a [Engine],
    /// The part of the memory that they may use.
    memory: f64,
}

impl Turns<'_, '_> {
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
    fn waiting(&self) -> Vec<(&Subject, Engine)> {
        let mut waiting = Vec::new();
        for subject in self.subjects.iter().filter(|s| self.is_open(s)) {
            let finished = subject.finished.lock().unwrap_or_else(|p| p.into_inner());
            let engines = self.engines.iter().filter(|e| !finished.contains(e) && decides(**e, subject));
            waiting.extend(engines.map(|e| (subject, *e)));
        }
        waiting
    }

    fn is_open(&self, subject: &Subject) -> bool {
        let verdicts = lock(self.verdicts);
        match self.job.checks {
            true => !verdicts.is_done(self.job),
            false => {
                let open = verdicts.open_properties();
                let program = subject.program.as_ref().unwrap_or(&self.job.prepared.program);
                let names = program.monitors.iter().map(|m| &m.name);
                names.chain(subject.questions.iter().map(|q| &q.name)).any(|n| open.contains(n))
            }
        }
    }

    fn turn(&self, subject: &Subject, engine: Engine, turn: Option<Duration>) {
        if !self.is_open(subject) || self.job.budget.is_interrupted() {
            return;
        }
        let job = self.job;
        let mut ask = job.ask(subject);
        ask.wanted = lock(self.verdicts).open_checks(job);
        let open = lock(self.verdicts).open_properties();
        let questions: Vec<BoundFormula> =
            subject.questions.iter().filter(|q| open.contains(&q.name)).cloned().collect();
        ask.questions = &questions;
        let memory = (job.options.memory as f64 * self.memory) as usize;
        let options = Options { timeout: turn, memory, ..job.options.clone() };
        let began = Instant::now();
        let outcome = job.run(engine, &ask, &options);
        let early = turn.is_none_or(|t| began.elapsed() < t.mul_f64(1.0 - UNUSED));
        if early && outcome.end != End::Time {
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

/// Whether an engine has anything to say about a subject.
fn decides(engine: Engine, subject: &Subject) -> bool {
    let formulas = !subject.questions.is_empty();
    let counts = |q: &Option<rendez_certificate::Query>| q.as_ref().is_some_and(|q| !q.is_followed);
    match engine {
        Engine::Flow | Engine::Ilp if formulas => false,
        Engine::Flow | Engine::Reach | Engine::Directed => !subject.queries.iter().any(counts),
        _ => true,
    }
}
