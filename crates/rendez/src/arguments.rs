//! Arguments, as documented in docs/command-line.md.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser, Debug)]
#[command(name = "rendez", version, about = "Verifies concurrent Ada programs for every schedule")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a program can block for ever, race, or break a rule
    Check(Box<Check>),
    /// Print a stage of the pipeline
    Dump(Dump),
    /// Run a program under one schedule
    Simulate(Simulate),
    /// Print a graph in Graphviz's language
    Graph(Graph),
    /// Check certificates of what holds, by code that knows no solver
    Verify(Verify),
    /// Print what a finding means and what to do about it
    Explain(Explain),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Print published tables beside ours, and comparisons with other tools
    Bench(Bench),
}

#[derive(Args, Debug)]
pub struct Explain {
    /// The name in brackets behind a finding, such as circular-wait; nothing for a list
    #[arg(value_name = "FINDING")]
    pub finding: Option<String>,
}

#[derive(Args, Debug)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct Verify {
    /// Files that `check --certificate` wrote
    #[arg(value_name = "CERTIFICATE", required = true)]
    pub certificates: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Graph {
    #[command(flatten)]
    pub input: Input,
    #[arg(long, value_enum)]
    pub kind: GraphKind,
    /// How task interaction graphs are built
    #[arg(long, value_enum, default_value_t = Construction::Modified)]
    pub tig: Construction,
    /// The property whose graph is wanted
    #[arg(long, value_name = "FILE")]
    pub property: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = GraphFormat::Dot)]
    pub format: GraphFormat,
    /// Of larger graphs, only so many states are shown
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub states: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphKind {
    /// The task interaction graph of each task
    Tig,
    /// Their product: the reachability graph
    Ticg,
    /// The trace flow graph of a property
    Tfg,
    /// The automaton of a property
    Property,
    /// The automata of tasks, objects, shared variables and the property, as `ilp` sees them
    Fsa,
    /// The same, one copy for each interval of an INCA query
    Flowgraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Construction {
    /// One node for each place where a task interacts
    Modified,
    /// One node for each interaction that may lead there
    Optimized,
    /// And each rendezvous begins and ends in steps of their own
    Unoptimized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    Dot,
    /// Drawn
    Svg,
    /// The linear system, for solvers; of kinds fsa and flowgraph
    Lp,
    /// The same in another format
    Mps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Checks {
    /// They pass, which is one of the assumptions
    Pass,
    /// They may fail: what needs that is possible, not certain
    MayFail,
}

#[derive(Args, Debug)]
pub struct Bench {
    #[arg(value_enum)]
    pub table: Table,
    /// Print the source of a program instead
    #[arg(long, value_name = "FAMILY:N")]
    pub emit: Option<String>,
    /// Only the parts of `flavers` whose name contains this: atm, table-vi, table-viii, sizes, largest,
    /// reduction, growth, propagation; of `inca`: example, figure-10, families, deadlock; of
    /// `directed`: tables, threads, planted; or of `peers`: FAMILY or FAMILY:N
    #[arg(long, value_name = "PART")]
    pub only: Option<String>,
    /// Where `growth`, `flavers`, `inca` and `directed` write their plots
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// Table II and the reports of CATS
    Cats,
    /// SPIN, in one run
    Peers,
    /// Time and memory against size
    Growth,
    /// The tables of the FLAVERS papers
    Flavers,
    /// The figures of the INCA paper
    Inca,
    /// The tables of the paper on directed model checking
    Directed,
}

/// What every command reads.
#[derive(Args, Debug)]
pub struct Input {
    /// Source files, whose units are found beside them; a project file; or a folder
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// A folder in which units are looked for
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The main procedure, if the files hold several
    #[arg(long, value_name = "NAME")]
    pub main: Option<String>,
    /// Analyse this library unit with every possible caller instead of a main procedure
    #[arg(long, value_name = "UNIT", conflicts_with = "main")]
    pub root: Option<String>,
    /// Tasks of the environment that call a library unit
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=16))]
    pub clients: u16,
    /// A scenario variable of a project file
    #[arg(short = 'X', value_name = "NAME=VALUE")]
    pub scenario: Vec<String>,
    /// A unit without source that does not synchronise tasks
    #[arg(long, value_name = "UNIT")]
    pub opaque: Vec<String>,
    /// Tasks that an allocator creates at most, if its evaluations cannot be counted
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub task_bound: u16,
    /// Calls of a recursive procedure within each other, at most
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub recursion_bound: u16,
    /// Input may end, or have the wrong form, also where nobody handles End_Error and Data_Error by name
    #[arg(long)]
    pub input_ends: bool,
    /// What checks on values that are not followed do
    #[arg(long, value_enum, default_value = "pass")]
    pub checks: Checks,
    /// Follow a variable even if it seems to influence nothing
    #[arg(long, value_name = "VAR")]
    pub track: Vec<String>,
    /// Treat a variable as having any value at any time
    #[arg(long, value_name = "VAR")]
    pub untrack: Vec<String>,
    /// What is one step: a statement, or a single read or write of a shared variable
    #[arg(long, value_enum, default_value_t = Granularity::Statement)]
    pub granularity: Granularity,
    /// Simplifications to leave out, singly: slower, same verdicts
    #[arg(long, value_enum, value_delimiter = ',', hide = true)]
    pub without: Vec<Simplification>,
}

/// What makes a program or its states smaller without changing a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Simplification {
    /// Variables that never change are replaced by their values
    Constants,
    /// What no verdict depends on is removed
    Slicing,
    /// Locks that nobody waits for are dropped
    Locks,
    /// In `reach`, a call and the accept statement that takes it are one step
    Meeting,
    /// In `reach`, variables that are read no more are forgotten
    Forgetting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Granularity {
    Statement,
    Access,
}

#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    pub input: Input,
    /// A file of properties to decide instead of the default checks; may be repeated
    #[arg(long, value_name = "FILE")]
    pub property: Vec<PathBuf>,
    /// A constraint for `flow` instead of those it would choose: `task:NAME`, `variable:NAME`, or a file
    /// with an automaton that executions are taken to satisfy; may be repeated
    #[arg(long, value_name = "SPEC")]
    pub constraint: Vec<String>,
    /// Which infinite executions count for patterns and temporal formulas; weak if nothing is said
    #[arg(long, value_enum)]
    pub fair: Option<Fair>,
    /// Report only this check; may be repeated
    #[arg(long, value_name = "CHECK")]
    pub only: Vec<String>,
    /// Who decides
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// How `directed` estimates distances; by default the last that applies
    #[arg(long, value_enum)]
    pub heuristic: Option<Heuristic>,
    /// The order in which `directed` searches
    #[arg(long, value_enum)]
    pub search: Option<Search>,
    /// For `--heuristic random` and `--search walk`
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Calls that `--heuristic efsm` tells apart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=64))]
    pub calls: Option<u16>,
    /// How much the estimate counts in `--search weighted`
    #[arg(long, value_name = "FACTOR")]
    pub weight: Option<f64>,
    /// States that `--search beam` keeps of each depth, and `--search runs` after each task switch
    #[arg(long, value_name = "N")]
    pub beam: Option<usize>,
    /// Let every engine come to its end; engines that contradict each other are an internal error
    #[arg(long)]
    pub cross_check: bool,
    /// Threads to search with: by default two for `auto`, one of which looks for errors, otherwise one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write a page to look at findings step by step
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Give up when states take this much memory: bytes, or with k, M or G
    #[arg(long, value_name = "BYTES", default_value = "2G", value_parser = bytes)]
    pub memory: usize,
    /// Give up after this many states
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub states: usize,
    /// Count warnings as errors
    #[arg(long, value_parser = ["warnings"])]
    pub deny: Option<String>,
    /// How long a delay takes
    #[arg(long, value_enum, default_value_t = Delays::Any)]
    pub delays: Delays,
    /// How much of a trace is shown
    #[arg(long, value_enum, default_value_t = TraceDepth::Story)]
    pub trace: TraceDepth,
    /// The same as --trace full
    #[arg(long, conflicts_with = "trace")]
    pub full: bool,
    /// Interleave local steps, too: slower, same verdicts
    #[arg(long)]
    pub no_merge: bool,
    /// Follow every order of independent steps: slower, same verdicts
    #[arg(long)]
    pub no_stubborn: bool,
    /// Tell alike tasks apart: slower, same verdicts
    #[arg(long)]
    pub no_symmetry: bool,
    /// What to keep of each state; with less than the states, errors are found but nothing is proved
    #[arg(long, value_enum, default_value_t = Keep::States)]
    pub keep: Keep,
    /// Keep out spurious cycles of `ilp` with the published rows instead of cuts: in all tasks, in a task,
    /// or in one interval of a query; may be repeated
    #[arg(long, value_name = "all|TASK[:INTERVAL]")]
    pub augment: Vec<String>,
    /// How often a step happens at most, for --augment; an assumption of what is proved
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "augment",
        value_parser = clap::value_parser!(i64).range(1..=1_000_000_000))]
    pub bound: i64,
    /// Write proofs of what holds into a folder, for `verify`; with --engine ilp
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Write the trace of the first finding for `simulate --trace`
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// All of it: exact
    States,
    /// 64 bits: hash compaction
    Hashes,
    /// Three bits of an array of half the memory: bitstate
    Bits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fair {
    /// All
    None,
    /// Those in which a task that can go on all the time does so
    Weak,
    /// And in which a queue that is served again and again serves everybody in it
    Fifo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Delays {
    /// Any time: a delay may be over at once, or late
    Any,
    /// Longer than whatever the other tasks do meanwhile
    Long,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Whatever suits the program and the checks
    Auto,
    /// The reference: every step of the semantics, one after the other
    Explore,
    /// Reachability over packed states
    Reach,
    /// Data flow over event sequences: properties of large systems
    Flow,
    /// Integer programming over numbers of events: huge systems, with proofs
    Ilp,
    /// The states nearest to an error first: bugs in large programs
    Directed,
}

impl Engine {
    /// The same in verdicts.
    pub fn id(self) -> rendez_verdict::EngineId {
        use rendez_verdict::EngineId;
        match self {
            Engine::Auto => EngineId::Auto,
            Engine::Explore => EngineId::Explore,
            Engine::Reach => EngineId::Reach,
            Engine::Flow => EngineId::Flow,
            Engine::Ilp => EngineId::Ilp,
            Engine::Directed => EngineId::Directed,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explore => "explore",
            Engine::Reach => "reach",
            Engine::Flow => "flow",
            Engine::Ilp => "ilp",
            Engine::Directed => "directed",
        }
    }
}

/// What `directed` takes for the distance of a state from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// All states are equally far
    None,
    /// Chance
    Random,
    /// Steps in the code, returns to any caller
    Fsm,
    /// With the stack and the last --calls calls
    Efsm,
    /// Steps in the code with calls summed up
    Fca,
    /// With calls summed up and the stack
    Efca,
    /// Exact distances in a program with fewer tasks, then efca
    Pattern,
}

/// The order in which `directed` looks at states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// The nearest to an error first
    Best,
    /// The shortest trace
    Astar,
    /// In between: the estimate counts --weight times
    Weighted,
    /// Deeper and deeper, the nearest first
    Depth,
    Breadth,
    /// The nearest --beam states of each depth
    Beam,
    /// The fewest task switches first
    Switches,
    /// The same with the nearest --beam states after each switch
    Runs,
    /// Random executions
    Walk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceDepth {
    /// What matters, and who waits for whom at the end
    Story,
    /// One column for each task
    Lanes,
    /// Every step, with what it changes
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs; the schema is schema/report-1.schema.json
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// One line a finding, like the compiler's messages
    Gnat,
}

#[derive(Args, Debug)]
pub struct Dump {
    #[command(flatten)]
    pub input: Input,
    #[arg(long, value_enum)]
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The syntax tree
    Tree,
    /// The program model as the front end writes it
    Model,
    /// The program model after all passes, as it is explored
    Explored,
}

#[derive(Args, Debug)]
pub struct Simulate {
    #[command(flatten)]
    pub input: Input,
    /// Choose steps at random from this seed
    #[arg(long, value_name = "N", conflicts_with = "trace")]
    pub seed: Option<u64>,
    /// Follow a saved trace
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
}

fn bytes(text: &str) -> Result<usize, String> {
    let (digits, factor) = match text.chars().last() {
        Some('k' | 'K') => (&text[..text.len() - 1], 1 << 10),
        Some('m' | 'M') => (&text[..text.len() - 1], 1 << 20),
        Some('g' | 'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let number: usize = digits.parse().map_err(|_| format!("`{text}` is no number of bytes"))?;
    number.checked_mul(factor).ok_or_else(|| format!("`{text}` is too much"))
}
