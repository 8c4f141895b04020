//! What runs at the moment: shown on a terminal, stopped by an interrupt.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use rendez_evidence::Control;

struct Running {
    engine: &'static str,
    what: String,
    control: Arc<Control>,
    started: Instant,
}

/// The searches that run, and how much is decided.
#[derive(Default)]
pub struct Board {
    running: Mutex<Vec<Running>>,
    interrupted: AtomicBool,
    asked: AtomicUsize,
    decided: AtomicUsize,
    /// Threads whose work is done.
    spare: AtomicUsize,
}

impl Board {
    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs an engine where an interrupt and `call_off` reach it.
    pub fn run<R>(&self, engine: &'static str, what: &str, work: impl FnOnce(&Control) -> R) -> R {
        let control = Arc::new(Control::default());
        let entry = Running { engine, what: what.into(), control: control.clone(), started: Instant::now() };
        self.running().push(entry);
        // An interrupt between two engines counts for the second.
        if self.is_interrupted() {
            control.stop.store(true, Ordering::Relaxed);
        }
        control.spare.store(self.spare.load(Ordering::Relaxed), Ordering::Relaxed);
        let result = work(&control);
        self.running().retain(|r| !Arc::ptr_eq(&r.control, &control));
        result
    }

    /// Stops whatever runs: everything is decided.
    pub fn call_off(&self) {
        self.running().iter().for_each(|r| r.control.stop.store(true, Ordering::Relaxed));
    }

    /// A thread has nothing more to do: whoever runs may use it.
    pub fn lend(&self) {
        let running = self.running();
        let spare = self.spare.fetch_add(1, Ordering::Relaxed) + 1;
        running.iter().for_each(|r| r.control.spare.store(spare, Ordering::Relaxed));
    }

    pub fn is_busy(&self) -> bool {
        !self.running().is_empty()
    }

    fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.call_off();
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// How many answers there are of those that are wanted.
    pub fn note(&self, decided: usize, asked: usize) {
        self.decided.store(decided, Ordering::Relaxed);
        self.asked.store(asked, Ordering::Relaxed);
    }

    fn line(&self) -> String {
        let mut parts = Vec::new();
        let asked = self.asked.load(Ordering::Relaxed);
        if asked > 0 {
            parts.push(format!("{} of {asked} decided", self.decided.load(Ordering::Relaxed)));
        }
        if let Some(bytes) = resident() {
            parts.push(HumanBytes(bytes).to_string());
        }
        for r in self.running().iter() {
            let states = r.control.states.load(Ordering::Relaxed);
            let rate = states as f64 / r.started.elapsed().as_secs_f64().max(0.001);
            parts.push(match states {
                0 => format!("{} ({})", r.engine, r.what),
                _ => format!(
                    "{} ({}) {} states, {} a second",
                    r.engine,
                    r.what,
                    HumanCount(states as u64),
                    HumanCount(rate as u64)
                ),
            });
        }
        parts.join("; ")
    }
}

/// Bytes of memory that the process has.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Works with progress on a terminal, and a clean end on interrupt.
pub fn watched<R>(timeout: Option<Duration>, work: impl FnOnce(&Board) -> R) -> R {
    let board = Arc::new(Board::default());
    let stop = board.clone();
    let _ = ctrlc::set_handler(move || stop.interrupt());
    let done = Arc::new(AtomicBool::new(false));
    let watcher = std::io::stderr().is_terminal().then(|| {
        let (board, done) = (board.clone(), done.clone());
        std::thread::spawn(move || show(&board, &done, timeout))
    });
    let result = work(&board);
    done.store(true, Ordering::Relaxed);
    if let Some(watcher) = watcher {
        watcher.thread().unpark();
        let _ = watcher.join();
    }
    result
}

/// A line that is kept up to date once the work takes longer than a moment: a bar where there is a limit.
fn show(board: &Board, done: &AtomicBool, timeout: Option<Duration>) {
    let started = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(150));
        if started.elapsed() < Duration::from_millis(700) {
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let (bar, style) = match timeout {
                Some(t) => {
                    (ProgressBar::new(t.as_secs().max(1)), "[{bar:20}] {pos} of {len} s  {wide_msg:.dim}")
                }
                None => (ProgressBar::new_spinner(), "{spinner} {elapsed}  {wide_msg:.dim}"),
            };
            bar.with_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()))
        });
        bar.set_position(started.elapsed().as_secs());
        bar.set_message(board.line());
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
