//! The commands.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use rendez_analysis::passes;
use rendez_model::Program;
use rendez_reach::cats::Ticg;
use rendez_reach::{Config, Tig};
use rendez_report::{Report, Style};
use rendez_source::{Diagnostic, Severity, SourceMap, render};
use rendez_verdict::{Control, Fairness, Kind, Options, Outcome, Question};

use crate::arguments::*;
use crate::portfolio::{Job, Verdicts};
use crate::progress::watched;

/// Exit statuses; the report decides between holds, violated and inconclusive.
pub const BAD_INPUT: u8 = 2;
const INTERNAL: u8 = 4;

pub fn run(arguments: Arguments) -> u8 {
    match arguments.command {
        Command::Check(check) => run_check(*check),
        Command::Dump(dump) => run_dump(&dump),
        Command::Simulate(simulate) => crate::simulate::run(&simulate),
        Command::Graph(graph) => run_graph(&graph),
        Command::Verify(verify) => crate::certificates::run(&verify),
        Command::Explain(explain) => crate::explain::run(&explain),
        Command::Completions(completions) => {
            let mut script = Vec::new();
            clap_complete::generate(completions.shell, &mut Arguments::command(), "rendez", &mut script);
            let _ = std::io::stdout().write_all(&script);
            0
        }
        Command::Man => match crate::explain::manual() {
            Ok(page) => {
                let _ = std::io::stdout().write_all(&page);
                0
            }
            Err(error) => {
                crate::complain!("internal error: {error}");
                INTERNAL
            }
        },
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
    /// By monitor: the query it was written as.
    pub queries: Queries,
}

pub type Queries = Vec<Option<rendez_certificate::Query>>;

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
        queries: Vec::new(),
    })
}

/// The cells that a name stands for.
fn named(program: &Program, wanted: &str) -> Vec<rendez_model::VarId> {
    let wanted = wanted.to_lowercase();
    (0..program.vars.len())
        .filter(|v| {
            let name = program.vars[*v].name.to_lowercase();
            let base = name.split('(').next().unwrap_or(&name);
            name == wanted || base == wanted || base.ends_with(&format!(".{wanted}"))
        })
        .map(rendez_model::VarId::from)
        .collect()
}

/// Makes a program ready for exploration: the passes, in order.
pub fn prepare(input: &Input, ready: &mut Ready, delays: passes::Delays) -> Result<(), u8> {
    use passes::*;
    let program = &mut ready.program;
    for name in &input.untrack {
        let cells = named(program, name);
        if cells.is_empty() {
            crate::complain!("error: --untrack {name}: the program has no such variable");
            return Err(BAD_INPUT);
        }
        make_opaque(program, |v, _| cells.contains(&v));
        let what = format!("checks on {name}, which is not followed, and on what is computed from it, pass");
        program.assume(what, rendez_source::Span::NOWHERE);
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
    let does = |what| !input.without.contains(&what);
    if does(Simplification::Constants) {
        propagate_constants(program);
    }
    if does(Simplification::Slicing) {
        slice(program, &keep, delays);
    }
    classify_inputs(program);
    if does(Simplification::Locks) {
        drop_idle_locks(program);
    }
    let broken = rendez_model::validate(program);
    for invalid in broken.iter().take(5) {
        crate::complain!("internal error: {invalid}");
    }
    if !broken.is_empty() {
        return Err(INTERNAL);
    }
    Ok(())
}

/// The program of a check and the queries of its properties, after all passes.
pub fn prepared(check: &Check) -> Result<(Ready, Queries), u8> {
    let mut ready = read(&check.input)?;
    let files = property_files(&check.property, &mut ready.map)?;
    properties(check, &files, &mut ready)?;
    let queries = std::mem::take(&mut ready.queries);
    Ok((ready, queries))
}

/// Thirty years.
const MOST_SECONDS: f64 = 1e9;

fn run_check(check: Check) -> u8 {
    let started = Instant::now();
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
    if !only.is_empty() && !check.property.is_empty() {
        crate::complain!(
            "error: --only is for the default checks, and --property asks about other things instead"
        );
        return BAD_INPUT;
    }
    if check.timeout.is_some_and(|t| !(t > 0.0 && t <= MOST_SECONDS)) {
        crate::complain!("error: --timeout takes a positive number of seconds, at most a billion");
        return BAD_INPUT;
    }
    if check.states == 0 {
        crate::complain!("error: --states takes a positive number");
        return BAD_INPUT;
    }
    let mut ready = match read(&check.input) {
        Ok(ready) => ready,
        Err(status) => return status,
    };
    let files = match property_files(&check.property, &mut ready.map) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let (questions, settings) = match properties(&check, &files, &mut ready) {
        Ok(all) => all,
        Err(status) => return status,
    };
    let flows = matches!(check.engine, Engine::Flow | Engine::Auto)
        && !ready.program.monitors.is_empty()
        && questions.is_empty();
    if !flows && let Err(status) = executable(&ready) {
        return status;
    }
    let options = Options {
        max_states: check.states,
        timeout: check.timeout.map(|t| Duration::from_secs_f64(t).saturating_sub(started.elapsed())),
        memory: check.memory,
        merge_local: !check.no_merge,
        skip_guesses: false,
        recursion: check.input.recursion_bound.into(),
        long_delays: check.delays == Delays::Long,
        fairness: match check.fair {
            Some(Fair::None) => Fairness::None,
            Some(Fair::Fifo) => Fairness::Fifo,
            Some(Fair::Weak) | None => Fairness::Weak,
        },
    };
    // Long delays are an order between steps that only the reference explorer knows.
    let plain = check.engine == Engine::Explore || (check.engine == Engine::Auto && options.long_delays);
    if !plain && options.long_delays {
        crate::complain!("error: --delays long is for --engine explore");
        return BAD_INPUT;
    }
    let reaches = !plain && matches!(check.engine, Engine::Reach | Engine::Auto);
    if check.keep != Keep::States && (!reaches || !check.property.is_empty()) {
        crate::complain!("error: --keep is for the default checks with --engine reach");
        return BAD_INPUT;
    }
    if questions.is_empty() && check.fair.is_some() && !ready.program.monitors.iter().any(|m| m.is_live()) {
        crate::complain!(
            "error: --fair is for properties that executions without end may break, and there is none"
        );
        return BAD_INPUT;
    }
    let threads: usize = match check.threads {
        Some(n) => n.into(),
        None if check.engine == Engine::Auto => {
            std::thread::available_parallelism().map_or(1, |n| n.get().min(2))
        }
        None => 1,
    };
    let config = Config {
        // One of the threads of the portfolio looks for errors.
        threads: if check.engine == Engine::Auto { (threads - 1).max(1) } else { threads },
        merge: options.merge_local,
        stubborn: !check.no_stubborn,
        symmetry: !check.no_symmetry,
        meet: !check.input.without.contains(&Simplification::Meeting),
        forget: !check.input.without.contains(&Simplification::Forgetting),
        keep: match check.keep {
            Keep::States => rendez_reach::Keep::States,
            Keep::Hashes => rendez_reach::Keep::Hashes,
            Keep::Bits => rendez_reach::Keep::Bits,
        },
        ..Config::default()
    };
    if check.engine == Engine::Ilp && !only.is_empty() {
        crate::complain!("error: --only is for the default checks, which --engine ilp does not decide");
        return BAD_INPUT;
    }
    if check.engine == Engine::Ilp && !questions.is_empty() {
        crate::complain!(
            "error: --engine ilp decides properties of event sequences and deadlock, no temporal formulas"
        );
        return BAD_INPUT;
    }
    let directed = match directed_settings(&check, &only) {
        Ok(settings) => settings,
        Err(wrong) => {
            crate::complain!("error: {wrong}");
            return BAD_INPUT;
        }
    };
    let linear = match linear_settings(&check, &ready) {
        Ok(settings) => settings,
        Err(wrong) => {
            crate::complain!("error: {wrong}");
            return BAD_INPUT;
        }
    };
    if let Some(folder) = &check.certificate
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        crate::complain!("error: {}: cannot be made: {error}", folder.display());
        return BAD_INPUT;
    }
    let asked = Arc::new(Asked { check, ready, files, only });
    let late = {
        let asked = asked.clone();
        move |outcome: Outcome| std::process::exit(asked.tell(&outcome).into())
    };
    let outcome = watched(&options, late, |board| {
        let Asked { check, ready, only, .. } = &*asked;
        let job = Job {
            ready,
            checks: check.property.is_empty(),
            only,
            questions: &questions,
            options: &options,
            config: &config,
            flow: &settings,
            linear: &linear,
            directed: &directed,
            certificate: check.certificate.as_deref(),
            threads,
            board,
        };
        board.keep(&Verdicts::new(&job).outcome);
        match check.engine {
            _ if check.cross_check => job.all_engines(),
            _ if plain => job.alone(Engine::Explore),
            Engine::Auto if check.keep == Keep::States => job.auto(),
            engine => job.alone(engine),
        }
    });
    asked.tell(&outcome)
}

/// A check that is under way.
struct Asked {
    check: Check,
    ready: Ready,
    files: Vec<PropertyFile>,
    only: Vec<Kind>,
}

impl Asked {
    /// Prints and writes what was found out; the exit status.
    fn tell(&self, outcome: &Outcome) -> u8 {
        let Asked { check, ready, files, only } = self;
        for contradiction in &outcome.contradictions {
            crate::complain!("internal error: {contradiction}");
        }
        if !outcome.contradictions.is_empty() {
            return INTERNAL;
        }
        let report = Report {
            program: &ready.program,
            map: &ready.map,
            outcome,
            diagnostics: &ready.diagnostics,
            only,
            deny_warnings: check.deny.is_some(),
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
        if let Some(file) = &check.report {
            let page = rendez_report::html(&report, &pictures(ready, files));
            if let Err(status) = write(file, &page) {
                return status;
            }
        }
        if let Some(file) = &check.save_trace {
            let first = outcome.answers.iter().find_map(|(kind, answer)| match answer {
                _ if !only.is_empty() && !only.contains(kind) => None,
                rendez_verdict::Answer::Violated(list) => list.iter().find_map(|f| f.trace.as_ref()),
                _ => None,
            });
            match first {
                Some(trace) => {
                    if let Err(status) =
                        write(file, &crate::simulate::write_trace(&ready.program, &trace.moves))
                    {
                        return status;
                    }
                }
                None => crate::complain!("note: there is no trace to save"),
            }
        }
        // A reader that has seen enough closes the pipe: no error.
        let _ = std::io::stdout().write_all(text.as_bytes());
        report.status()
    }
}

fn write(file: &Path, text: &str) -> Result<(), u8> {
    std::fs::write(file, text).map_err(|error| {
        crate::complain!("error: {}: cannot be written: {error}", file.display());
        BAD_INPUT
    })
}

/// Larger programs have no pictures of their tasks.
const MOST_DRAWN: usize = 20_000;
const MOST_GRAPHS: usize = 24;

/// The graphs of a page: of tasks, and of properties.
fn pictures(ready: &Ready, files: &[PropertyFile]) -> Vec<rendez_report::Graph> {
    let mut all = Vec::new();
    for file in files.iter().filter(|f| f.is_regular()) {
        let list = rendez_property::regular::parse_file(&file.text).map(|l| l.properties).unwrap_or_default();
        let graph = |p: &rendez_property::regular::Regular| {
            let title = format!("property {}", file.full_name(&p.name));
            p.dot().ok().map(|dot| rendez_report::Graph { title, dot })
        };
        all.extend(list.iter().filter_map(graph));
    }
    let semantics = rendez_analysis::semantics(&ready.program, ready.recursion);
    let options = Options { max_states: MOST_DRAWN, ..Options::default() };
    if ready.program.wide_select().is_none()
        && let Some(ticg) = Ticg::new(&semantics, Tig::Modified, &options, &Control::default())
    {
        let graphs = ticg.task_dots().into_iter().take(MOST_GRAPHS);
        all.extend(graphs.map(|(task, dot)| rendez_report::Graph { title: format!("task {task}"), dot }));
    }
    all
}

fn style(check: &Check, colour: bool) -> Style {
    use rendez_report::Depth;
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

/// Where spurious cycles are kept out.
fn linear_settings(check: &Check, ready: &Ready) -> Result<rendez_ilp::Settings, String> {
    use rendez_certificate::Sector;
    let mut settings = rendez_ilp::Settings { bound: check.bound, ..rendez_ilp::Settings::default() };
    if !check.augment.is_empty() && check.engine != Engine::Ilp {
        return Err("--augment is for --engine ilp".into());
    }
    let intervals = ready.queries.iter().flatten().map(|q| q.intervals.len()).max().unwrap_or(1);
    for place in &check.augment {
        let (name, interval) = match place.split_once(':') {
            None => (place.as_str(), None),
            Some((name, number)) => {
                let inside = |k: &u32| (1..=intervals).contains(&(*k as usize));
                let Some(number) = number.parse().ok().filter(inside) else {
                    return Err(format!("--augment {place}: there are only the intervals 1 to {intervals}"));
                };
                (name, Some(number - 1))
            }
        };
        let tasks = &ready.program.tasks;
        let wanted = |t: &usize| name == "all" || rendez_verdict::same(&tasks[*t].name, name);
        let before = settings.augmented.len();
        let found = (0..tasks.len()).filter(wanted);
        settings.augmented.extend(found.map(|t| Sector { slot: t as u32, interval }));
        if settings.augmented.len() == before {
            return Err(format!("--augment {place}: the program has no such task"));
        }
    }
    Ok(settings)
}

/// How a directed search is to go; what is wrong if options contradict each other.
fn directed_settings(check: &Check, only: &[Kind]) -> Result<rendez_directed::Settings, String> {
    use rendez_directed::{Measure, Order};
    let used = [
        ("--heuristic", check.heuristic.is_some()),
        ("--search", check.search.is_some()),
        ("--seed", check.seed.is_some()),
        ("--calls", check.calls.is_some()),
        ("--weight", check.weight.is_some()),
        ("--beam", check.beam.is_some()),
    ];
    if check.engine != Engine::Directed {
        return match used.iter().find(|u| u.1) {
            Some((option, _)) => Err(format!("{option} is for --engine directed")),
            None => Ok(rendez_directed::Settings::default()),
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
    Ok(rendez_directed::Settings {
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
        only: only.to_vec(),
        partial: true,
    })
}

/// Refuses what cannot be executed.
pub fn executable(ready: &Ready) -> Result<(), u8> {
    let Some(loc) = ready.program.wide_select() else { return Ok(()) };
    let span = ready.program.node(loc).span;
    let message = "a select with more than 510 alternatives is only for --engine flow";
    complain(&ready.map, &[Diagnostic::error(span, message)]);
    Err(BAD_INPUT)
}

/// Makes the program ready for its properties: those that monitors follow, temporal formulas, and
/// constraints.
fn properties(
    check: &Check,
    files: &[PropertyFile],
    ready: &mut Ready,
) -> Result<(Vec<Question>, rendez_flow::Settings), u8> {
    let mut settings = constraints(&check.constraint, ready)?;
    settings.unreduced = check.no_stubborn;
    settings.separate = check.no_symmetry;
    follow(files, ready)?;
    let count = ready.program.monitors.len();
    let wrong = match (check.engine, count) {
        (Engine::Flow, 0) => {
            Some("--engine flow decides properties of event sequences: give some with --property")
        }
        (Engine::Auto | Engine::Ilp, _) if check.certificate.is_some() && check.cross_check => {
            Some("--certificate and --cross-check exclude each other")
        }
        (Engine::Auto | Engine::Ilp, _) => None,
        (_, _) if check.cross_check => Some("--cross-check is for all engines: name none with --engine"),
        (_, _) if ready.queries.iter().flatten().any(|q| !q.is_followed) => {
            Some("a query with constraints or a perpetual interval is for --engine ilp")
        }
        (_, _) if check.certificate.is_some() => Some("--certificate is for --engine ilp"),
        _ => None,
    };
    let wrong = wrong.or(match (check.engine, count) {
        (Engine::Flow | Engine::Auto, 1..) => None,
        _ if check.constraint.is_empty() => None,
        _ => Some("--constraint is for properties of event sequences with --engine flow"),
    });
    if let Some(wrong) = wrong {
        crate::complain!("error: {wrong}");
        return Err(BAD_INPUT);
    }
    rendez_verdict::follow(&mut ready.program, settings.given);
    let delays = match check.delays {
        Delays::Any => passes::Delays::Any,
        Delays::Long => passes::Delays::Ordered,
    };
    mark(files, ready)?;
    prepare(&check.input, ready, delays)?;
    settings.given = ready.program.monitors.split_off(count);
    Ok((questions(files, ready)?, settings))
}

/// The constraints that the user asks for.
fn constraints(specs: &[String], ready: &mut Ready) -> Result<rendez_flow::Settings, u8> {
    use rendez_flow::Wanted;
    let mut settings = rendez_flow::Settings::default();
    let mut wanted = Vec::new();
    for spec in specs {
        let program = &ready.program;
        if let Some(name) = spec.strip_prefix("task:") {
            let fits = |t: &usize| rendez_verdict::same(&program.tasks[*t].name, name);
            let found: Vec<Wanted> =
                (0..program.tasks.len()).filter(fits).map(|t| Wanted::Task(t.into())).collect();
            if found.is_empty() {
                crate::complain!("error: --constraint {spec}: the program has no such task");
                return Err(BAD_INPUT);
            }
            wanted.extend(found);
        } else if let Some(name) = spec.strip_prefix("variable:") {
            let found = named(program, name);
            if found.is_empty() {
                crate::complain!("error: --constraint {spec}: the program has no such variable");
                return Err(BAD_INPUT);
            }
            wanted.push(Wanted::Cells(found));
        } else {
            let files = property_files(&[spec.into()], &mut ready.map)?;
            let file = &files[0];
            let found = rendez_property::regular::parse_file(&file.text)
                .and_then(|list| rendez_verdict::bind(&ready.program, &list, |p| file.span(p)));
            let found = found.map_err(|wrong| file.refuse(&ready.map, wrong))?;
            settings.given.extend(found.into_iter().map(|bound| bound.monitor));
        }
    }
    if !wanted.is_empty() {
        settings.constraints = Some(wanted);
    }
    Ok(settings)
}

/// A file of properties, with its text.
pub struct PropertyFile {
    id: rendez_source::FileId,
    text: String,
    /// Tells its properties from those of the same name in other files.
    label: String,
    /// Names of properties that other files have, too.
    shared: Vec<String>,
}

impl PropertyFile {
    /// What its properties are called.
    fn names(&self) -> Vec<String> {
        match self.is_regular() {
            true => rendez_property::regular::parse_file(&self.text)
                .map_or(Vec::new(), |file| file.properties.into_iter().map(|p| p.name).collect()),
            false => rendez_property::ctl::parse_file(&self.text)
                .map_or(Vec::new(), |list| list.into_iter().map(|p| p.name).collect()),
        }
    }

    /// What a property is called among those of all files.
    fn full_name(&self, name: &str) -> String {
        match self.shared.iter().any(|s| s == name) {
            true => format!("{name} ({})", self.label),
            false => name.to_owned(),
        }
    }

    fn span(&self, (line, column): (u32, u32)) -> rendez_source::Span {
        rendez_source::Span { file: self.id, line, column, end_line: line, end_column: column + 1 }
    }

    fn is_regular(&self) -> bool {
        rendez_property::regular::is_regular(&self.text)
    }

    fn refuse(&self, map: &SourceMap, wrong: rendez_property::Wrong) -> u8 {
        complain(map, &[Diagnostic::error(self.span(wrong.position), wrong.message)]);
        BAD_INPUT
    }
}

fn property_files(files: &[std::path::PathBuf], map: &mut SourceMap) -> Result<Vec<PropertyFile>, u8> {
    let mut all = Vec::new();
    for file in files {
        let read = std::fs::read(file).map_err(|e| e.to_string());
        if read.as_ref().is_ok_and(|bytes| std::str::from_utf8(bytes).is_err()) {
            let id = map.add(file.display().to_string(), String::new());
            let file = PropertyFile { id, text: String::new(), label: String::new(), shared: Vec::new() };
            return Err(file.refuse(map, rendez_property::Wrong::at((1, 1), "this file is not UTF-8")));
        }
        let text = read.and_then(|b| rendez_source::decode(&b).map_err(|_| "this is not text".to_owned()));
        match text {
            Ok(text) => {
                let id = map.add(file.display().to_string(), text.clone());
                let given = files.iter().filter(|f| f.file_name() == file.file_name()).count();
                let label = match given {
                    1 => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                    _ => format!("{}, file {}", file.display(), all.len() + 1),
                };
                all.push(PropertyFile { id, text, label, shared: Vec::new() });
            }
            Err(error) => {
                crate::complain!("error: {}: cannot be read: {error}", file.display());
                return Err(BAD_INPUT);
            }
        }
    }
    if all.len() > 1 {
        let names: Vec<Vec<String>> = all.iter().map(PropertyFile::names).collect();
        for (i, file) in all.iter_mut().enumerate() {
            let others = |name: &String| names.iter().enumerate().any(|(k, n)| k != i && n.contains(name));
            file.shared = names[i].iter().filter(|name| others(name)).cloned().collect();
        }
    }
    Ok(all)
}

/// Lets the program be followed by the properties of event sequences in some files.
fn follow(files: &[PropertyFile], ready: &mut Ready) -> Result<(), u8> {
    let mut monitors = Vec::new();
    for file in files.iter().filter(|f| f.is_regular()) {
        let found = rendez_property::regular::parse_file(&file.text)
            .and_then(|list| rendez_verdict::bind(&ready.program, &list, |p| file.span(p)));
        for mut bound in found.map_err(|wrong| file.refuse(&ready.map, wrong))? {
            bound.monitor.name = file.full_name(&bound.monitor.name);
            monitors.push(bound.monitor);
            ready.queries.push(bound.query);
        }
    }
    rendez_verdict::follow(&mut ready.program, monitors);
    Ok(())
}

/// Lets the program keep the places that formulas are about: those of files, or those asserted in the source.
fn mark(files: &[PropertyFile], ready: &mut Ready) -> Result<(), u8> {
    for file in files.iter().filter(|f| !f.is_regular()) {
        let marked = rendez_property::ctl::parse_file(&file.text)
            .and_then(|list| list.iter().try_for_each(|p| Question::mark(&mut ready.program, &p.formula)));
        marked.map_err(|wrong| file.refuse(&ready.map, wrong))?;
    }
    if files.is_empty()
        && let Err((wrong, span)) = Question::mark_asserted(&mut ready.program)
    {
        complain(&ready.map, &[Diagnostic::error(span, wrong.message)]);
        return Err(BAD_INPUT);
    }
    Ok(())
}

/// The formulas to decide: those of files, and those asserted in the source.
fn questions(files: &[PropertyFile], ready: &Ready) -> Result<Vec<Question>, u8> {
    let mut all = Vec::new();
    for file in files.iter().filter(|f| !f.is_regular()) {
        let found = rendez_property::ctl::parse_file(&file.text).and_then(|list| {
            list.iter()
                .map(|p| {
                    Question::new(&ready.program, &file.full_name(&p.name), &p.formula, file.span(p.position))
                })
                .collect::<Result<Vec<_>, _>>()
        });
        all.extend(found.map_err(|wrong| file.refuse(&ready.map, wrong))?);
    }
    if files.is_empty() {
        for question in Question::asserted(&ready.program) {
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
        && let Err(status) = prepare(&dump.input, &mut ready, passes::Delays::Any)
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
    let files = match property_files(graph.property.as_slice(), &mut ready.map) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let about_property = matches!(graph.kind, GraphKind::Property | GraphKind::Tfg | GraphKind::Flowgraph);
    if about_property != graph.property.is_some() && graph.kind != GraphKind::Fsa {
        crate::complain!(
            "error: --kind property, tfg and flowgraph need --property, and no other kind but fsa has one"
        );
        return BAD_INPUT;
    }
    let linear = matches!(graph.kind, GraphKind::Fsa | GraphKind::Flowgraph);
    if matches!(graph.format, GraphFormat::Lp | GraphFormat::Mps) && !linear {
        crate::complain!("error: --format lp and mps are for --kind fsa and flowgraph");
        return BAD_INPUT;
    }
    if graph.kind == GraphKind::Property {
        let file = &files[0];
        let dots = rendez_property::regular::parse_file(&file.text)
            .and_then(|list| list.properties.iter().map(|p| p.dot()).collect::<Result<Vec<String>, _>>());
        return match dots {
            Ok(dots) => show(&dots.concat(), graph.format),
            Err(wrong) => file.refuse(&ready.map, wrong),
        };
    }
    if let Err(status) =
        follow(&files, &mut ready).and_then(|()| prepare(&graph.input, &mut ready, passes::Delays::Any))
    {
        return status;
    }
    if graph.kind == GraphKind::Tfg {
        return trace_flow_graph(&ready.program, graph.format);
    }
    if let Err(status) = executable(&ready) {
        return status;
    }
    if linear {
        return linear_graph(graph, ready);
    }
    let semantics = rendez_analysis::semantics(&ready.program, ready.recursion);
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
        _ => ticg.dot(graph.states),
    };
    show(&dot, graph.format)
}

/// Prints the trace flow graph of the first property.
fn trace_flow_graph(program: &Program, format: GraphFormat) -> u8 {
    if program.monitors.is_empty() {
        crate::complain!("error: --kind tfg is for properties of event sequences");
        return BAD_INPUT;
    }
    let facts = rendez_flow::cfg::Facts::new(program);
    let plan = rendez_flow::tfg::Plan {
        program,
        facts: &facts,
        automata: &program.monitors[..1],
        separate: &Default::default(),
        merge: false,
        cells: &Default::default(),
        optimise: true,
        published: false,
    };
    match rendez_flow::tfg::Tfg::new(&plan) {
        Ok(tfg) => show(&rendez_flow::dot(program, &program.monitors[..1], &tfg, true), format),
        Err(unfit) => {
            crate::complain!("error: {} ({})", unfit.reason, program.node(unfit.loc).span);
            BAD_INPUT
        }
    }
}

/// Prints a graph, drawn if that is wanted.
fn show(dot: &str, format: GraphFormat) -> u8 {
    let text = match format {
        GraphFormat::Dot | GraphFormat::Lp | GraphFormat::Mps => dot.to_owned(),
        GraphFormat::Svg => match rendez_report::draw(dot) {
            Some(svg) => svg,
            None => {
                crate::complain!("error: the graph cannot be drawn; --format dot prints it for Graphviz");
                return BAD_INPUT;
            }
        },
    };
    let _ = std::io::stdout().write_all(text.as_bytes());
    0
}

/// Prints the automata of a program, or its linear system.
fn linear_graph(graph: &Graph, ready: Ready) -> u8 {
    use rendez_certificate::{Plan, Subject};
    use rendez_petri::net::Budget;
    let mut program = ready.program;
    program.monitors.truncate(1);
    let query = ready.queries.into_iter().next().flatten();
    let subject = match (graph.kind, program.monitors.is_empty(), query) {
        (GraphKind::Fsa, true, _) => Subject::Deadlock,
        (GraphKind::Fsa, false, _) => Subject::Property,
        (_, false, Some(query)) => rendez_certificate::subject(&mut program, Some(query), true),
        _ => {
            crate::complain!("error: --kind flowgraph needs an INCA query");
            return BAD_INPUT;
        }
    };
    let semantics = rendez_analysis::semantics(&program, ready.recursion);
    let plan = Plan::default();
    let budget = Budget { until: None, memory: usize::MAX, control: &Control::default() };
    let learnt = rendez_certificate::learn(&semantics, &subject, &plan, budget);
    let Ok(learnt) = learnt else {
        crate::complain!("error: the parts of the program have too many states");
        return BAD_INPUT;
    };
    let text = match graph.format {
        GraphFormat::Lp => rendez_ilp::dump::lp(&plan.system(&learnt.net, &learnt.goal)),
        GraphFormat::Mps => rendez_ilp::dump::mps(&plan.system(&learnt.net, &learnt.goal)),
        _ => rendez_ilp::dump::dot(&program, &learnt.cache, &learnt.net),
    };
    show(&text, graph.format)
}
