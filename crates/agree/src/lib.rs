//! Random programs with random rules, asked of every engine and with every reduction singly on and off,
//! through the command line. Answers that contradict each other are shrunk and kept.

mod case;
mod run;
mod ways;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rendez_generate::Language;

pub use case::{Case, Contradiction};
pub use ways::Question;

/// How much is asked.
pub struct Settings {
    /// The command.
    pub rendez: PathBuf,
    /// The first seed; the others follow it.
    pub seed: u64,
    /// Programs at most.
    pub programs: u64,
    pub time: Option<Duration>,
    /// Rules of each language and program: half the programs have so many, the others one in all.
    pub rules: usize,
    /// Stop when so many pairs of each language were asked.
    pub pairs: Option<u64>,
    /// Of all ways to ask, about one in so many, beside the reference.
    pub thin: u64,
    /// The limit of each run.
    pub states: u64,
    /// Where contradictions are kept.
    pub folder: PathBuf,
    /// Processes at a time.
    pub processes: usize,
}

/// What came of it.
#[derive(Default)]
pub struct Summary {
    pub programs: u64,
    pub runs: u64,
    /// By language: programs with a rule of it, and how many of these were decided.
    pub pairs: BTreeMap<Language, (u64, u64)>,
    /// Programs whose default checks were compared.
    pub checks: u64,
    /// Why rules were refused, and how often.
    pub refused: BTreeMap<String, u64>,
    /// By what contradicts what: how often, and where the first one is kept.
    pub contradictions: BTreeMap<String, (u64, String)>,
}

impl Summary {
    pub fn pairs(&self) -> u64 {
        self.pairs.values().map(|p| p.0).sum()
    }

    pub fn contradictions(&self) -> u64 {
        self.contradictions.values().map(|c| c.0).sum()
    }

    fn has(&self, pairs: u64) -> bool {
        Language::ALL.iter().all(|l| self.pairs.get(l).is_some_and(|p| p.0 >= pairs))
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by = |(l, (asked, decided)): (&Language, &(u64, u64))| {
            format!("{} {asked} ({decided} decided)", l.name())
        };
        let list: Vec<String> = self.pairs.iter().map(by).collect();
        writeln!(
            f,
            "{} pairs of a program and a rule: {}; default checks of {} programs; {} runs",
            self.pairs(),
            list.join(", "),
            self.checks,
            self.runs
        )?;
        for (why, count) in &self.refused {
            writeln!(f, "  refused {count} times: {why}")?;
        }
        for (what, (count, place)) in &self.contradictions {
            writeln!(f, "  CONTRADICTION {count} times: {what}; {place}")?;
        }
        write!(f, "{} contradictions", self.contradictions())
    }
}

/// How often something is said meanwhile.
const PROGRESS: Duration = Duration::from_secs(60);

/// How many contradictions of one kind are shrunk and kept.
const KEPT: u64 = 2;

/// Asks until programs, pairs or time run out.
pub fn agree(settings: &Settings) -> Summary {
    let started = Instant::now();
    let next = AtomicU64::new(settings.seed);
    let summary = Mutex::new(Summary::default());
    let is_over = || {
        let summary = lock(&summary);
        settings.time.is_some_and(|t| started.elapsed() > t) || settings.pairs.is_some_and(|n| summary.has(n))
    };
    let work = |process: usize| {
        let folder = settings.folder.join(format!("work-{}-{process}", std::process::id()));
        if let Err(error) = std::fs::create_dir_all(&folder) {
            panic!("{}: {error}", folder.display());
        }
        let mut told = Instant::now();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= settings.seed.saturating_add(settings.programs) || is_over() {
                break;
            }
            if process == 0 && told.elapsed() > PROGRESS {
                told = Instant::now();
                let summary = lock(&summary);
                println!("seed {seed}: {} pairs, {} runs", summary.pairs(), summary.runs);
            }
            let case = Case::new(seed, settings.rules);
            let found = case.ask(settings, &folder, &summary);
            for contradiction in found {
                keep(settings, &case, &contradiction, &folder, &summary);
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
    };
    std::thread::scope(|scope| {
        for process in 0..settings.processes {
            scope.spawn(move || work(process));
        }
    });
    summary.into_inner().unwrap_or_else(|p| p.into_inner())
}

fn keep(
    settings: &Settings,
    case: &Case,
    contradiction: &Contradiction,
    folder: &std::path::Path,
    summary: &Mutex<Summary>,
) {
    let count = {
        let mut summary = lock(summary);
        let known = summary.contradictions.entry(contradiction.what.clone()).or_default();
        known.0 += 1;
        known.0
    };
    if count > KEPT {
        return;
    }
    let text = case.shrunk(contradiction, settings, folder);
    let name: String =
        contradiction.what.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let kept = settings.folder.join(format!("{name}-{}", case.seed));
    let written = std::fs::create_dir_all(&kept)
        .and_then(|()| text.iter().try_for_each(|(file, text)| std::fs::write(kept.join(file), text)));
    let place = match written {
        Ok(()) => kept.display().to_string(),
        Err(error) => format!("{}: {error}", kept.display()),
    };
    println!("seed {}: {}; kept in {place}", case.seed, contradiction.what);
    if let Some(known) = lock(summary).contradictions.get_mut(&contradiction.what)
        && known.1.is_empty()
    {
        known.1 = place;
    }
}

fn lock(summary: &Mutex<Summary>) -> std::sync::MutexGuard<'_, Summary> {
    summary.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
