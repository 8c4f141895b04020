//! A line on the terminal that says what runs, once the work takes longer than a moment: a bar where there is a limit.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use rendez::budget::Budget;

/// Shows what runs while some work is done.
pub fn shown<R>(budget: &Arc<Budget>, timeout: Option<Duration>, work: impl FnOnce() -> R) -> R {
    let done = Arc::new(AtomicBool::new(false));
    let thread = std::io::stderr().is_terminal().then(|| {
        let (budget, done) = (budget.clone(), done.clone());
        std::thread::spawn(move || show(&budget, &done, timeout))
    });
    let result = work();
    done.store(true, Ordering::Relaxed);
    if let Some(thread) = thread {
        thread.thread().unpark();
        let _ = thread.join();
    }
    result
}

fn show(budget: &Budget, done: &AtomicBool, timeout: Option<Duration>) {
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
        bar.set_message(line(budget));
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn line(budget: &Budget) -> String {
    let progress = budget.progress();
    let mut parts = Vec::new();
    if progress.asked > 0 {
        parts.push(format!("{} of {} decided", progress.decided, progress.asked));
    }
    parts.extend(progress.resident.map(|bytes| HumanBytes(bytes).to_string()));
    for r in &progress.running {
        let rate = r.states as f64 / r.elapsed.as_secs_f64().max(0.001);
        parts.push(match r.states {
            0 => format!("{} ({})", r.engine, r.what),
            states => format!(
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
