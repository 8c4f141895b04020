//! Tests on random programs, in parallel: the same ones each time unless others are asked for. What fails is shrunk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::{Program, program, shrink};

/// What a test of a case says about a program: nothing if it does not apply.
pub type Tested = Option<Result<(), String>>;

/// The first program of a test, unless another is asked for.
const SEED: u64 = 1;

/// How often a failing program is tried to be made smaller.
const SHRINKING: usize = 500;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Tests random programs, `usual` ones unless RENDEZ_PROGRAMS says how many, from RENDEZ_SEED on, until RENDEZ_SECONDS
/// are over if that is set. For each seed and source there are cases, and each is tested. Panics with the smallest program that fails;
/// otherwise says how many programs there were, and how many cases applied.
pub fn trials(
    usual: u64,
    cases: impl Fn(u64, &str) -> Vec<String> + Sync,
    test: impl Fn(&str, &str) -> Tested + Sync,
) -> (u64, u64) {
    trials_of(program, usual, cases, test)
}

/// The same with programs that somebody else writes, from a seed and a name.
pub fn trials_of(
    write: impl Fn(u64, &str) -> Program + Sync,
    usual: u64,
    cases: impl Fn(u64, &str) -> Vec<String> + Sync,
    test: impl Fn(&str, &str) -> Tested + Sync,
) -> (u64, u64) {
    let first = number("RENDEZ_SEED", SEED);
    let most = number("RENDEZ_PROGRAMS", usual);
    let (started, seconds) = (Instant::now(), number("RENDEZ_SECONDS", u64::MAX));
    let (next, tested, applied) = (AtomicU64::new(first), AtomicU64::new(0), AtomicU64::new(0));
    let failure: Mutex<Option<String>> = Mutex::new(None);
    let failed = || failure.lock().is_ok_and(|f| f.is_some());
    // A panic on the way is a failure like any other.
    let caught = |case: &str, source: &str| {
        catch_unwind(AssertUnwindSafe(|| test(case, source))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Some(Err(text.unwrap_or_else(|| "panic".into())))
        })
    };
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + most || started.elapsed().as_secs() >= seconds || failed() {
                return;
            }
            tested.fetch_add(1, Ordering::Relaxed);
            let generated = write(seed, "Main");
            let source = generated.to_string();
            for case in cases(seed, &source) {
                match caught(&case, &source) {
                    None => {}
                    Some(Ok(())) => {
                        applied.fetch_add(1, Ordering::Relaxed);
                    }
                    Some(Err(first)) => {
                        let fails = |p: &Program| matches!(caught(&case, &p.to_string()), Some(Err(_)));
                        let small = shrink(&generated, SHRINKING, fails).to_string();
                        let why = match caught(&case, &small) {
                            Some(Err(why)) => why,
                            _ => first,
                        };
                        if let Ok(mut failure) = failure.lock() {
                            *failure = Some(format!("seed {seed}: {why}\n{case}\n{small}"));
                        }
                        return;
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    if let Ok(Some(failure)) = failure.into_inner() {
        panic!("{failure}");
    }
    (tested.into_inner(), applied.into_inner())
}
