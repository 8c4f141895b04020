//! The commands.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rendez_evidence::{Control, Kind, Options, Outcome};
use rendez_model::Program;
use rendez_model::semantics::Semantics;
use rendez_reach::cats::Ticg;
use rendez_reach::{Config, Tig, ctl};
use rendez_report::{Report, Style};
use rendez_source::{Diagnostic, Severity, SourceMap, render};

use crate::arguments::*;

/// Exit statuses; the report decides between holds, violated and inconclusive.
pub const BAD_INPUT: u8 = 2;
const INTERNAL: u8 = 4;

pub fn run(arguments: Arguments) -> u8 {
    match arguments.command {
        Command::Check(check) => run_check(&check),
        Command::Dump(dump) => run_dump(&dump),
        Command::Simulate(simulate) => crate::simulate::run(&simulate),
        Command::Graph(graph) => run_graph(&graph),
        Command::Bench(bench) => crate::bench::run(&bench),
    }
}

/// A program read from its files and made ready.
pub struct Ready {
    pub map: SourceMap,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// Variables that annotations ask to be followed.
    tracked: Vec<String>,
    /// How deep recursion is followed.
    pub recursion: usize,
}

fn colour(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none()
}

fn complain(map: &SourceMap, diagnostics: &[Diagnostic]) {
    let colour = colour(std::io::stderr().is_terminal());
    for diagnostic in diagnostics {
        crate::complain!("{}", render(map, diagnostic, colour));
    }
}

/// Reads the program as the front end writes it; prints what is wrong.
pub fn read(input: &Input) -> Result<Ready, u8> {
    let mut map = SourceMap::default();
    let request = match crate::sources::request(input, &mut map) {
        Ok(request) => request,
        Err(diagnostic) => {
            complain(&map, &[diagnostic]);
            return Err(BAD_INPUT);
        }
    };
    let front = rendez_ada::read(&request, &crate::sources::Disk);
    let Some(program) = front.program else {
        complain(&front.map, &front.diagnostics);
        return Err(BAD_INPUT);
    };
    let broken = rendez_model::validate(&program);
    if !broken.is_empty() {
        for invalid in broken.iter().take(5) {
            crate::complain!("internal error: {invalid}");
        }
        return Err(INTERNAL);
    }
    Ok(Ready {
        map: front.map,
        program,
        diagnostics: front.diagnostics,
        tracked: front.tracked,
        recursion: input.recursion_bound.into(),
    })
}

/// Makes a program ready for exploration: the passes, in order.
pub fn prepare(input: &Input, ready: &mut Ready) -> Result<(), u8> {
    use rendez_model::passes::*;
    let program = &mut ready.program;
    let named = |program: &Program, wanted: &str| -> Vec<rendez_model::VarId> {
        let wanted = wanted.to_lowercase();
        (0..program.vars.len())
            .filter(|v| {
                let name = program.vars[*v].name.to_lowercase();
                let base = name.split('(').next().unwrap_or(&name);
                name == wanted || base == wanted || base.ends_with(&format!(".{wanted}"))
            })
            .map(rendez_model::VarId::from)
            .collect()
    };
    for name in &input.untrack {
        let cells = named(program, name);
        if cells.is_empty() {
            crate::complain!("error: --untrack {name}: the program has no such variable");
            return Err(BAD_INPUT);
        }
        make_opaque(program, |v, _| cells.contains(&v));
    }
    let mut keep = Vec::new();
    for name in input.track.iter().chain(&ready.tracked) {
        let cells = named(program, name);
        if cells.is_empty() {
            crate::complain!("error: --track {name}: the program has no such variable");
            return Err(BAD_INPUT);
        }
        keep.extend(cells);
    }
    if input.granularity == Granularity::Access {
        split_accesses(program);
    }
    for proc in recursive_procedures(program) {
        // Each task has a copy of its own; the source has one.
        let name = program.procs[proc.index()].name.split(" of ").next().unwrap_or("").to_owned();
        let span = program.node(program.procs[proc.index()].start).span;
        program
            .assume(format!("{name} is followed to {} calls within each other", input.recursion_bound), span);
    }
    propagate_constants(program);
    slice(program, &keep);
    drop_idle_locks(program);
    let broken = rendez_model::validate(program);
    for invalid in broken.iter().take(5) {
        crate::complain!("internal error: {invalid}");
    }
    if broken.is_empty() { Ok(()) } else { Err(INTERNAL) }
}

fn run_check(check: &Check) -> u8 {
    let mut only = Vec::new();
    for name in &check.only {
        match Kind::ALL.iter().find(|k| k.name() == name) {
            Some(kind) => only.push(*kind),
            None => {
                let names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
                crate::complain!("error: there is no check `{name}`; there are {}", names.join(", "));
                return BAD_INPUT;
            }
        }
    }
    if check.timeout.is_some_and(|t| !t.is_finite() || t <= 0.0) {
        crate::complain!("error: --timeout takes a positive number of seconds");
        return BAD_INPUT;
    }
    let mut ready = match read(&check.input) {
        Ok(ready) => ready,
        Err(status) => return status,
    };
    if let Err(status) = prepare(&check.input, &mut ready) {
        return status;
    }
    let options = Options {
        max_states: check.states,
        timeout: check.timeout.map(Duration::from_secs_f64),
        memory: check.memory,
        merge_local: !check.no_merge,
        skip_guesses: false,
        recursion: check.input.recursion_bound.into(),
        long_delays: check.delays == Delays::Long,
    };
    // Long delays are an order between steps that only the reference explorer knows.
    let plain = check.engine == Engine::Explore || (check.engine == Engine::Auto && options.long_delays);
    if check.engine == Engine::Reach && options.long_delays {
        crate::complain!("error: --delays long is for --engine explore");
        return BAD_INPUT;
    }
    if check.keep != Keep::States && (plain || !check.property.is_empty()) {
        crate::complain!("error: --keep is for the default checks with --engine reach");
        return BAD_INPUT;
    }
    let questions = match questions(check, &mut ready) {
        Ok(questions) => questions,
        Err(status) => return status,
    };
    if questions.is_empty() && check.fair != Fair::None {
        crate::complain!("error: --fair is for temporal properties, and there is none");
        return BAD_INPUT;
    }
    let config = Config {
        threads: check.threads.into(),
        merge: options.merge_local,
        stubborn: !check.no_stubborn,
        symmetry: !check.no_symmetry,
        deadlock_only: false,
        first_only: false,
        keep: match check.keep {
            Keep::States => rendez_reach::Keep::States,
            Keep::Hashes => rendez_reach::Keep::Hashes,
            Keep::Bits => rendez_reach::Keep::Bits,
        },
    };
    let outcome = watched(|control| {
        let mut outcome = match plain {
            _ if !check.property.is_empty() => Outcome::nothing("reach"),
            true => rendez_explore::check(&ready.program, &options, control),
            false => rendez_reach::check(&ready.program, &options, &config, control),
        };
        if !questions.is_empty() {
            let fairness = match check.fair {
                Fair::None => ctl::Fairness::None,
                Fair::Weak => ctl::Fairness::Weak,
                Fair::Fifo => ctl::Fairness::Fifo,
            };
            let (properties, stats) =
                ctl::decide(&ready.program, &questions, &options, &config, fairness, control);
            outcome.properties = properties;
            if !check.property.is_empty() {
                outcome.stats = stats;
            }
        }
        outcome
    });
    for contradiction in &outcome.contradictions {
        crate::complain!("internal error: {contradiction}");
    }
    if !outcome.contradictions.is_empty() {
        return INTERNAL;
    }
    let report = Report {
        program: &ready.program,
        map: &ready.map,
        outcome: &outcome,
        diagnostics: &ready.diagnostics,
        only: &only,
        deny_warnings: check.deny.is_some(),
    };
    let text = match check.format {
        Format::Json => rendez_report::json(&report) + "\n",
        Format::Text => {
            let colour = colour(std::io::stdout().is_terminal());
            rendez_report::text(&report, Style { colour, full: check.full })
        }
    };
    if let Some(file) = &check.save_trace {
        let first = outcome.answers.iter().find_map(|(kind, answer)| match answer {
            _ if !only.is_empty() && !only.contains(kind) => None,
            rendez_evidence::Answer::Violated(list) => list.iter().find_map(|f| f.trace.as_ref()),
            _ => None,
        });
        match first {
            Some(trace) => {
                let saved = crate::simulate::write_trace(&ready.program, &trace.moves);
                if let Err(error) = std::fs::write(file, saved) {
                    crate::complain!("error: {}: cannot be written: {error}", file.display());
                    return BAD_INPUT;
                }
            }
            None => crate::complain!("note: there is no trace to save"),
        }
    }
    // A reader that has seen enough closes the pipe: no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    report.status()
}

/// The formulas to decide: those of files, and those asserted in the source.
fn questions(check: &Check, ready: &mut Ready) -> Result<Vec<ctl::Question>, u8> {
    let mut all = Vec::new();
    for file in &check.property {
        let read = std::fs::read(file).map_err(|e| e.to_string());
        let text = read.and_then(|b| rendez_source::decode(&b).map_err(|_| "this is not text".to_owned()));
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                crate::complain!("error: {}: cannot be read: {error}", file.display());
                return Err(BAD_INPUT);
            }
        };
        let id = ready.map.add(file.display().to_string(), text.clone());
        let span = |(line, column): (u32, u32)| rendez_source::Span {
            file: id,
            line,
            column,
            end_line: line,
            end_column: column + 1,
        };
        let found = rendez_property::ctl::parse_file(&text).and_then(|list| {
            list.iter()
                .map(|p| ctl::Question::new(&ready.program, &p.name, &p.formula, span(p.position)))
                .collect::<Result<Vec<_>, _>>()
        });
        match found {
            Ok(found) => all.extend(found),
            Err(wrong) => {
                complain(&ready.map, &[Diagnostic::error(span(wrong.position), wrong.message)]);
                return Err(BAD_INPUT);
            }
        }
    }
    if check.property.is_empty() {
        for question in ctl::Question::asserted(&ready.program) {
            match question {
                Ok(question) => all.push(question),
                Err((wrong, span)) => {
                    complain(&ready.map, &[Diagnostic::error(span, wrong.message)]);
                    return Err(BAD_INPUT);
                }
            }
        }
    }
    Ok(all)
}

/// Searches with progress on a terminal, and a clean end on interrupt.
fn watched(search: impl FnOnce(&Control) -> Outcome) -> Outcome {
    let control = Arc::new(Control::default());
    let stop = control.clone();
    let _ = ctrlc::set_handler(move || stop.stop.store(true, Ordering::Relaxed));
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let watcher = std::io::stderr().is_terminal().then(|| {
        let (control, done) = (control.clone(), done.clone());
        std::thread::spawn(move || {
            let started = std::time::Instant::now();
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                if started.elapsed() > Duration::from_secs(1) && !done.load(Ordering::Relaxed) {
                    let states = control.states.load(Ordering::Relaxed);
                    let rate = states as f64 / started.elapsed().as_secs_f64();
                    eprint!("\r{states} states, {rate:.0} a second ");
                }
            }
            eprint!("\r{:50}\r", "");
        })
    });
    let outcome = search(&control);
    done.store(true, Ordering::Relaxed);
    if let Some(watcher) = watcher {
        let _ = watcher.join();
    }
    outcome
}

fn run_dump(dump: &Dump) -> u8 {
    if dump.stage == Stage::Tree {
        for source in &dump.input.sources {
            let bytes = match std::fs::read(source) {
                Ok(bytes) => bytes,
                Err(error) => {
                    crate::complain!("error: {}: cannot be read: {error}", source.display());
                    return BAD_INPUT;
                }
            };
            let Ok(text) = rendez_source::decode(&bytes) else {
                crate::complain!("error: {}: this is not source text", source.display());
                return BAD_INPUT;
            };
            print!("{}", rendez_ada::parse::tree_text(&text));
        }
        return 0;
    }
    let mut ready = match read(&dump.input) {
        Ok(ready) => ready,
        Err(status) => return status,
    };
    if dump.stage == Stage::Explored
        && let Err(status) = prepare(&dump.input, &mut ready)
    {
        return status;
    }
    let warnings: Vec<Diagnostic> =
        ready.diagnostics.iter().filter(|d| d.severity != Severity::Error).cloned().collect();
    complain(&ready.map, &warnings);
    let _ = std::io::stdout().write_all(rendez_model::text::print(&ready.program).as_bytes());
    0
}

fn run_graph(graph: &Graph) -> u8 {
    let mut ready = match read(&graph.input) {
        Ok(ready) => ready,
        Err(status) => return status,
    };
    if let Err(status) = prepare(&graph.input, &mut ready) {
        return status;
    }
    let semantics = Semantics::bounded(&ready.program, ready.recursion);
    let tig = match graph.tig {
        Construction::Modified => Tig::Modified,
        Construction::Optimized => Tig::Optimized,
        Construction::Unoptimized => Tig::Unoptimized,
    };
    let options = Options { max_states: 1_000_000, ..Options::default() };
    let Some(ticg) = Ticg::new(&semantics, tig, &options, &Control::default()) else {
        crate::complain!("error: the graph has more than {} states", options.max_states);
        return BAD_INPUT;
    };
    let dot = match graph.kind {
        GraphKind::Tig => ticg.tasks_dot(),
        GraphKind::Ticg => ticg.dot(graph.states),
    };
    let text = match graph.format {
        GraphFormat::Dot => dot,
        GraphFormat::Svg => match draw(&dot) {
            Some(svg) => svg,
            None => {
                crate::complain!("error: --format svg needs the program `dot` of Graphviz");
                return BAD_INPUT;
            }
        },
    };
    let _ = std::io::stdout().write_all(text.as_bytes());
    0
}

/// Lets Graphviz draw a graph.
fn draw(dot: &str) -> Option<String> {
    use std::process::{Command, Stdio};
    let mut child =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    let text = dot.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
