//! The budget of a run: what runs at the moment, stopped by an interrupt or by a limit of the whole run.
//!
//! Time and memory are one budget for all engines. A watcher looks at the clock and at the memory of the process, and
//! tells engines to stop; whoever does not stop soon is left behind, and the run ends with what is known.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rendez_verdict::{Control, End, Obstacle, Options, Outcome, Reason, Verdict};

struct Running {
    engine: &'static str,
    what: String,
    control: Arc<Control>,
    started: Instant,
    /// When its turn is over.
    until: Option<Instant>,
}

/// The searches that run, how much is decided, and what is left of the limits.
#[derive(Default)]
pub struct Budget {
    running: Mutex<Vec<Running>>,
    interrupted: AtomicBool,
    asked: AtomicUsize,
    decided: AtomicUsize,
    /// Threads whose work is done.
    spare: AtomicUsize,
    /// When the whole run is over.
    deadline: Mutex<Option<Instant>>,
    /// How long the run may take, from when it begins to work.
    timeout: Option<Duration>,
    /// Bytes that the process may have.
    memory: usize,
    /// What is known so far.
    known: Mutex<Option<Outcome>>,
}

impl Budget {
    /// The limits of a run.
    pub fn new(limits: &Options) -> Budget {
        Budget { timeout: limits.timeout, memory: limits.memory, ..Budget::default() }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs an engine where an interrupt, `call_off` and the limits of the run reach it.
    pub fn run<R>(
        &self,
        engine: &'static str,
        what: &str,
        turn: Option<Duration>,
        work: impl FnOnce(&Control) -> R,
    ) -> R {
        let control = Arc::new(Control::default());
        let started = Instant::now();
        let until = turn.and_then(|t| started.checked_add(t));
        self.running().push(Running { engine, what: what.into(), control: control.clone(), started, until });
        // An interrupt between two engines counts for the second.
        if self.is_interrupted() {
            control.stop(End::Interrupted);
        } else if self.left().is_some_and(|left| left.is_zero()) {
            control.stop(End::Time);
        }
        control.spare.store(self.spare.load(Ordering::Relaxed), Ordering::Relaxed);
        let result = work(&control);
        self.running().retain(|r| !Arc::ptr_eq(&r.control, &control));
        result
    }

    /// Stops whatever runs: everything is decided.
    pub fn call_off(&self) {
        self.running().iter().for_each(|r| r.control.stop(End::Interrupted));
    }

    /// Stops those who work on something that is decided.
    pub fn call_off_work_on(&self, what: &str) {
        self.running().iter().filter(|r| r.what == what).for_each(|r| r.control.stop(End::Interrupted));
    }

    fn deadline(&self) -> MutexGuard<'_, Option<Instant>> {
        self.deadline.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The whole run is to end after so much time, if not before.
    pub fn end_within(&self, time: Duration) {
        let mut deadline = self.deadline();
        let then = Instant::now().checked_add(time);
        *deadline = deadline.map_or(then, |d| Some(then.map_or(d, |t| t.min(d))));
    }

    /// What is left of the time for the whole run, if that is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline().map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Stops those whose time is up, and everybody where the memory is.
    fn keep_limits(&self) {
        let now = Instant::now();
        let over = self.left().is_some_and(|left| left.is_zero());
        let full = resident().is_some_and(|bytes| bytes > self.memory as u64);
        for r in self.running().iter().filter(|r| r.control.ended().is_none()) {
            if full {
                r.control.stop(End::Memory);
            } else if over || r.until.is_some_and(|until| now > until) {
                r.control.stop(End::Time);
            }
        }
    }

    /// A thread has nothing more to do: whoever runs may use it.
    pub fn lend(&self) {
        let running = self.running();
        let spare = self.spare.fetch_add(1, Ordering::Relaxed) + 1;
        running.iter().for_each(|r| r.control.spare.store(spare, Ordering::Relaxed));
    }

    /// Remembers what is known, for the case that somebody does not stop in time.
    pub fn keep(&self, outcome: &Outcome) {
        *self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(outcome.clone());
    }

    /// What is known when the run ends although somebody has not stopped.
    fn known_at(&self, end: End) -> Option<Outcome> {
        let mut outcome = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()?;
        let answers = outcome.answers.iter_mut().map(|(_, a)| a);
        for answer in answers.chain(outcome.properties.iter_mut().map(|p| &mut p.answer)) {
            // What stopped an engine for good stays the reason.
            if let Verdict::Inconclusive(why, list) = answer
                && list.is_empty()
                && (why.obstacle() == Obstacle::Time || *why == Reason::NoAnswer)
            {
                *why = Reason::Ended { end, states: Some(outcome.stats.states) };
            }
        }
        Some(outcome)
    }

    /// Why everybody should have stopped, if that is so.
    fn over(&self) -> Option<End> {
        let is_full = |r: &Running| r.control.ended() == Some(End::Memory);
        match self.left() {
            _ if self.is_interrupted() => Some(End::Interrupted),
            Some(left) if left.is_zero() => Some(End::Time),
            _ => self.running().iter().any(is_full).then_some(End::Memory),
        }
    }

    /// Ends the run with what is known.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.call_off();
    }

    /// Whether somebody has ended the run.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// How many answers there are of those that are wanted.
    pub fn note(&self, decided: usize, asked: usize) {
        self.decided.store(decided, Ordering::Relaxed);
        self.asked.store(asked, Ordering::Relaxed);
    }

    /// What runs at the moment, and how far it is.
    pub fn progress(&self) -> Progress {
        let running = |r: &Running| RunningEngine {
            engine: r.engine,
            what: r.what.clone(),
            states: r.control.states.load(Ordering::Relaxed),
            elapsed: r.started.elapsed(),
        };
        Progress {
            asked: self.asked.load(Ordering::Relaxed),
            decided: self.decided.load(Ordering::Relaxed),
            resident: resident(),
            running: self.running().iter().map(running).collect(),
        }
    }
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Checks and properties that are asked for; 0 while that is not known.
    pub asked: usize,
    /// Those that are decided.
    pub decided: usize,
    /// Bytes of memory that the process has, where that can be told.
    pub resident: Option<u64>,
    /// What runs.
    pub running: Vec<RunningEngine>,
}

/// An engine at work.
#[derive(Clone, Debug)]
pub struct RunningEngine {
    /// Its name.
    pub engine: &'static str,
    /// What it works on.
    pub what: String,
    /// States that it has seen; 0 if it looks at none.
    pub states: usize,
    /// How long it has been at it.
    pub elapsed: Duration,
}

/// Bytes of memory that the process has.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// How often the limits are looked at.
const WATCH: Duration = Duration::from_millis(10);

/// How long whoever was told to stop may take to do so.
const GRACE: Duration = Duration::from_secs(1);

/// Works within the limits of the run. Most engines stop soon after they are told to; where one does not, `late` gets what
/// is known.
pub(crate) fn watched<R>(
    budget: &Arc<Budget>,
    late: impl FnOnce(Outcome) + Send + 'static,
    work: impl FnOnce(&Budget) -> R,
) -> R {
    let started = Instant::now();
    if let Some(timeout) = budget.timeout {
        budget.end_within(timeout);
    }
    let done = Arc::new(AtomicBool::new(false));
    let watcher = {
        let (budget, done) = (budget.clone(), done.clone());
        std::thread::spawn(move || {
            let mut over: Option<Instant> = None;
            let mut late = Some(late);
            while !done.load(Ordering::Relaxed) {
                budget.keep_limits();
                let end = budget.over();
                over = end.map(|_| over.unwrap_or_else(Instant::now));
                if over.is_some_and(|since| since.elapsed() > GRACE)
                    && let Some(mut outcome) = end.and_then(|end| budget.known_at(end))
                    && let Some(late) = late.take()
                {
                    outcome.stats.seconds = started.elapsed().as_secs_f64();
                    late(outcome);
                }
                std::thread::park_timeout(WATCH);
            }
        })
    };
    let result = work(budget);
    done.store(true, Ordering::Relaxed);
    watcher.thread().unpark();
    let _ = watcher.join();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use rendez_verdict::EngineId;
    use rendez_verdict::Kind;

    /// What is told of a run whose engine does not stop when it should.
    fn told_of_late(options: &Options, answers: Vec<(Kind, Verdict)>) -> Outcome {
        let (send, receive) = std::sync::mpsc::channel();
        watched(
            &Arc::new(Budget::new(options)),
            move |outcome| send.send(outcome).expect("somebody waits"),
            |budget| {
                budget.keep(&Outcome { answers, ..Outcome::nothing(EngineId::Reach) });
                budget.run("reach", "default checks", None, |_| {
                    receive.recv_timeout(Duration::from_secs(60)).expect("the run ends without its engine")
                })
            },
        )
    }

    #[test]
    fn a_limit_is_kept_although_an_engine_is_not_done() {
        let open = Verdict::Inconclusive(End::Time.why(), Vec::new());
        let answers = vec![(Kind::Race, Verdict::Holds), (Kind::Spin, open)];
        let slow = Options { timeout: Some(Duration::from_millis(10)), ..Options::default() };
        let told = told_of_late(&slow, answers.clone());
        assert!(matches!(told.answers[0], (Kind::Race, Verdict::Holds)));
        let (_, Verdict::Inconclusive(why, _)) = &told.answers[1] else { panic!("nothing is known of it") };
        assert_eq!(why.obstacle(), End::Time.obstacle());
        let large = Options { memory: 1, ..Options::default() };
        let (_, Verdict::Inconclusive(why, _)) = &told_of_late(&large, answers).answers[1] else {
            panic!("nothing is known of it")
        };
        assert_eq!(why.obstacle(), End::Memory.obstacle());
    }
}
