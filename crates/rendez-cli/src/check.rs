//! `rendez check`: from arguments to settings, and from what was found to what is printed.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rendez::budget::Budget;
use rendez::{
    EngineId, Error, Fairness, Kind, Options, Outcome, Preparation, Prepared, Report, Settings, Style,
    Verdict,
};

use crate::arguments::{self, *};
use crate::progress::shown;
use crate::status::{BAD_INPUT, INTERNAL, colour, failed, print, write};

/// Thirty years.
const MOST_SECONDS: f64 = 1e9;

pub fn run(check: Check) -> u8 {
    let started = Instant::now();
    let asked = match ready(check, started) {
        Ok(asked) => Arc::new(asked),
        Err(error) => return failed(&error),
    };
    let budget = Arc::new(Budget::new(&asked.settings.limits));
    let stop = budget.clone();
    let _ = ctrlc::set_handler(move || stop.interrupt());
    let late = {
        let asked = asked.clone();
        move |outcome: Outcome| std::process::exit(asked.tell(&outcome).into())
    };
    let outcome = shown(&budget, asked.settings.limits.timeout, || {
        rendez::check_within(&asked.prepared, &asked.settings, &budget, late)
    });
    match outcome {
        Ok(outcome) => asked.tell(&outcome),
        Err(error) => failed(&error),
    }
}

/// Reads everything, and looks for options that contradict each other.
fn ready(check: Check, started: Instant) -> Result<Asked, Error> {
    let mut settings = settings(&check)?;
    let prepared = prepared(&check)?;
    settings.limits.timeout = settings.limits.timeout.map(|t| t.saturating_sub(started.elapsed()));
    Ok(Asked { check, prepared, settings })
}

/// The program of a check and its rules, after all passes.
pub fn prepared(check: &Check) -> Result<Prepared, Error> {
    let mut loaded = crate::read(&check.input)?;
    let rules = rendez::read_rules(&check.property, &mut loaded.map)?;
    let how = Preparation {
        constraints: check.constraint.clone(),
        delays: match check.delays {
            Delays::Any => rendez::Delays::Any,
            Delays::Long => rendez::Delays::Ordered,
        },
        ..check.input.preparation()
    };
    rendez::prepare(loaded, &how, rules)
}

/// The settings that the arguments stand for.
pub fn settings(check: &Check) -> Result<Settings, Error> {
    let wrong = |text: &str| Err(Error::Settings(text.to_owned()));
    let mut only = Vec::new();
    for name in &check.only {
        let Some(kind) = Kind::ALL.iter().find(|k| k.name() == name) else {
            let names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
            return Err(Error::Settings(format!(
                "there is no check `{name}`; there are {}",
                names.join(", ")
            )));
        };
        only.push(*kind);
    }
    if !only.is_empty() && !check.property.is_empty() {
        return wrong("--only is for the default checks, and --property asks about other things instead");
    }
    if check.timeout.is_some_and(|t| !(t > 0.0 && t <= MOST_SECONDS)) {
        return wrong("--timeout takes a positive number of seconds, at most a billion");
    }
    if check.states == 0 {
        return wrong("--states takes a positive number");
    }
    let fair = check.fair.map(|fair| match fair {
        Fair::None => Fairness::None,
        Fair::Fifo => Fairness::Fifo,
        Fair::Weak => Fairness::Weak,
    });
    let without = |what| check.input.without.contains(&what);
    Ok(Settings {
        engine: match check.engine {
            arguments::Engine::Auto => EngineId::Auto,
            arguments::Engine::Explore => EngineId::Explore,
            arguments::Engine::Reach => EngineId::Reach,
            arguments::Engine::Flow => EngineId::Flow,
            arguments::Engine::Ilp => EngineId::Ilp,
            arguments::Engine::Directed => EngineId::Directed,
        },
        cross_check: check.cross_check,
        only,
        limits: Options {
            max_states: check.states,
            timeout: check.timeout.map(Duration::from_secs_f64),
            memory: check.memory,
            merge_local: !check.no_merge,
            skip_guesses: false,
            recursion: check.input.recursion_bound.into(),
            long_delays: check.delays == Delays::Long,
            fairness: fair.unwrap_or(Fairness::Weak),
        },
        fair,
        threads: check.threads.map(usize::from),
        reach: rendez_reach::Config {
            stubborn: !check.no_stubborn,
            symmetry: !check.no_symmetry,
            synchronous: !without(Simplification::Meeting),
            forget: !without(Simplification::Forgetting),
            keep: match check.keep {
                Keep::States => rendez_reach::Keep::States,
                Keep::Hashes => rendez_reach::Keep::Hashes,
                Keep::Bits => rendez_reach::Keep::Bits,
            },
            ..rendez_reach::Config::default()
        },
        directed: directed(check).map_err(Error::Settings)?,
        augment: check.augment.clone(),
        augment_bound: Some(check.bound),
        certificates: check.certificate.clone(),
        command_line: std::env::args().skip(1).collect(),
    })
}

/// How a directed search is to go; what is wrong if options contradict each other.
fn directed(check: &Check) -> Result<Option<rendez_directed::DirectedSettings>, String> {
    use rendez_directed::{Measure, Order};
    let used = [
        ("--heuristic", check.heuristic.is_some()),
        ("--search", check.search.is_some()),
        ("--seed", check.seed.is_some()),
        ("--calls", check.calls.is_some()),
        ("--weight", check.weight.is_some()),
        ("--beam", check.beam.is_some()),
    ];
    if check.engine != arguments::Engine::Directed {
        return match used.iter().find(|u| u.1) {
            Some((option, _)) => Err(format!("{option} is for --engine directed")),
            None => Ok(None),
        };
    }
    if check.delays == Delays::Long {
        return Err("--delays long is for --engine explore".into());
    }
    if check.fair.is_some() {
        return Err(
            "--fair is for --engine reach and explore: directed looks at no executions without end".into()
        );
    }
    let random = check.heuristic == Some(Heuristic::Random) || check.search == Some(Search::Walk);
    if check.seed.is_some() && !random {
        return Err("--seed is for --heuristic random and --search walk".into());
    }
    if check.calls.is_some() && check.heuristic != Some(Heuristic::Efsm) {
        return Err("--calls is for --heuristic efsm".into());
    }
    if check.beam.is_some() && !matches!(check.search, Some(Search::Beam | Search::Runs)) {
        return Err("--beam is for --search beam and --search runs".into());
    }
    if check.weight.is_some() && check.search != Some(Search::Weighted) {
        return Err("--weight is for --search weighted".into());
    }
    if check.search == Some(Search::Walk) && check.heuristic.is_some() {
        return Err("--search walk looks at no distances".into());
    }
    let weight = check.weight.unwrap_or(2.0);
    if !(1.0..=1000.0).contains(&weight) {
        return Err("--weight is a number from 1 to 1000".into());
    }
    if check.beam == Some(0) {
        return Err("--beam keeps at least one state".into());
    }
    Ok(Some(rendez_directed::DirectedSettings {
        heuristic: check.heuristic.map(|h| match h {
            Heuristic::None => rendez_directed::Heuristic::Blind,
            Heuristic::Random => rendez_directed::Heuristic::Random,
            Heuristic::Fsm => rendez_directed::Heuristic::Measured(Measure::Fsm),
            Heuristic::Efsm => {
                rendez_directed::Heuristic::Measured(Measure::Efsm(check.calls.unwrap_or(1).into()))
            }
            Heuristic::Fca => rendez_directed::Heuristic::Measured(Measure::Fca),
            Heuristic::Efca => rendez_directed::Heuristic::Measured(Measure::Efca),
            Heuristic::Pattern => rendez_directed::Heuristic::Pattern,
        }),
        order: match check.search.unwrap_or(Search::Best) {
            Search::Best => Order::Best,
            Search::Astar => Order::AStar,
            Search::Weighted => Order::Weighted((weight * 100.0) as u32),
            Search::Depth => Order::Depth,
            Search::Breadth => Order::Breadth,
            Search::Beam => Order::Beam(check.beam.unwrap_or(10_000)),
            Search::Switches => Order::Switches,
            Search::Runs => Order::Runs(check.beam.unwrap_or(100)),
            Search::Walk => Order::Walk,
        },
        seed: check.seed.unwrap_or(1),
        // Whoever names an order wants its trace.
        shorten: check.search.is_none(),
        ..rendez_directed::DirectedSettings::default()
    }))
}

/// A check that is under way.
struct Asked {
    check: Check,
    prepared: Prepared,
    settings: Settings,
}

impl Asked {
    /// Prints and writes what was found out; the exit status.
    fn tell(&self, outcome: &Outcome) -> u8 {
        for contradiction in &outcome.contradictions {
            crate::complain!("internal error: {contradiction}");
        }
        if !outcome.contradictions.is_empty() {
            return INTERNAL;
        }
        let check = &self.check;
        let report = Report {
            only: &self.settings.only,
            deny_warnings: check.deny.is_some(),
            ..self.prepared.report(outcome)
        };
        let text = match check.format {
            Format::Json => rendez_report::json(&report) + "\n",
            Format::Sarif => rendez_report::sarif(&report) + "\n",
            Format::Gnat => rendez_report::gnat(&report),
            Format::Text => {
                let colour = colour(std::io::stdout().is_terminal());
                rendez_report::text(&report, style(check, colour))
            }
        };
        if let Err(error) = self.write(&report, outcome) {
            return failed(&error);
        }
        print(&text);
        for failure in &outcome.failures {
            crate::complain!("error: {failure}");
        }
        if outcome.failures.is_empty() { report.status() } else { BAD_INPUT }
    }

    /// Writes the page and the trace, if they are wanted.
    fn write(&self, report: &Report, outcome: &Outcome) -> Result<(), Error> {
        if let Some(file) = &self.check.report {
            write(file, &rendez_report::html(report, &rendez::pictures(&self.prepared)))?;
        }
        let Some(file) = &self.check.save_trace else { return Ok(()) };
        let wanted = |kind: &Kind| self.settings.only.is_empty() || self.settings.only.contains(kind);
        let first = outcome.answers.iter().find_map(|(kind, answer)| match answer {
            Verdict::Violated(list) if wanted(kind) => list.iter().find_map(|f| f.trace.as_ref()),
            _ => None,
        });
        match first {
            Some(trace) => {
                write(file, &rendez::saved_trace::print(&self.prepared.program, &trace.moves))?;
            }
            None => crate::complain!("note: there is no trace to save"),
        }
        Ok(())
    }
}

fn style(check: &Check, colour: bool) -> Style {
    use rendez::Depth;
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    Style {
        colour,
        depth: match check.trace {
            _ if check.full => Depth::Full,
            TraceDepth::Story => Depth::Story,
            TraceDepth::Lanes => Depth::Lanes,
            TraceDepth::Full => Depth::Full,
        },
        width: columns.filter(|c| *c >= 40).unwrap_or(110),
    }
}
