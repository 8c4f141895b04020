//! From a program as the front end writes it to one that engines decide: rules are bound, passes run in their order.

use rendez_analysis::passes;
use rendez_model::{Program, VarId};
use rendez_source::{Diagnostic, SourceMap, Span};
use rendez_verdict::BoundFormula;

use crate::error::Error;
use crate::load::{Loaded, is_valid};
use crate::rules::{self, RuleFile};

pub use rendez_analysis::passes::Delays;

/// By monitor: the query it was written as.
pub type Queries = Vec<Option<rendez_certificate::IntervalQuery>>;

/// What is one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// A statement.
    #[default]
    Statement,
    /// A single read or write of a shared variable.
    Access,
}

/// How a program is made ready.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Variables that are followed although they seem to influence nothing.
    pub track: Vec<String>,
    /// Variables that have any value at any time.
    pub untrack: Vec<String>,
    /// What is one step.
    pub granularity: Granularity,
    /// Calls of a recursive procedure within each other, at most.
    pub recursion: usize,
    /// Constraints for `flow` instead of those it would choose: `task:NAME`, `variable:NAME`, or a file with an
    /// automaton that executions are taken to satisfy.
    pub constraints: Vec<String>,
    /// What is known of the order of delays.
    pub delays: Delays,
    /// Variables that never change are replaced by their values.
    pub constants: bool,
    /// What no verdict depends on is removed.
    pub slicing: bool,
    /// Locks that nobody waits for are dropped.
    pub locks: bool,
    /// Temporal formulas are bound, those of files or those asserted in the source.
    pub formulas: bool,
}

impl Default for Preparation {
    fn default() -> Preparation {
        Preparation {
            track: Vec::new(),
            untrack: Vec::new(),
            granularity: Granularity::Statement,
            recursion: rendez_model::semantics::DEFAULT_RECURSION,
            constraints: Vec::new(),
            delays: Delays::Any,
            constants: true,
            slicing: true,
            locks: true,
            formulas: true,
        }
    }
}

/// A program that engines can decide.
pub struct Prepared {
    /// The files that were read, those of rules included.
    pub map: SourceMap,
    /// The model after all passes; its monitors follow the properties of event sequences.
    pub program: Program,
    /// Warnings and notes of the front end.
    pub diagnostics: Vec<Diagnostic>,
    /// How deep recursion is followed.
    pub recursion: usize,
    /// By monitor: the query it was written as.
    pub queries: Queries,
    /// Temporal formulas.
    pub questions: Vec<BoundFormula>,
    /// The files of rules. Without any, the default checks are decided.
    pub rules: Vec<RuleFile>,
    /// The constraints that the user asks for.
    pub(crate) constraints: rendez_flow::FlowSettings,
    /// What was taken to be known of the order of delays.
    pub(crate) delays: Delays,
}

impl Prepared {
    /// Whether the default checks are asked for, and no rules.
    pub fn has_checks(&self) -> bool {
        self.rules.is_empty()
    }

    /// Refuses what cannot be executed, which only `flow` understands.
    pub fn is_executable(&self) -> Result<(), Error> {
        let Some(loc) = self.program.wide_select() else { return Ok(()) };
        let span = self.program.node(loc).span;
        let message = "a select with more than 510 alternatives is only for --engine flow";
        Err(Error::input(&self.map, vec![Diagnostic::error(span, message)]))
    }
}

/// Binds rules to a program and runs the passes.
pub fn prepare(loaded: Loaded, how: &Preparation, rules: Vec<RuleFile>) -> Result<Prepared, Error> {
    let Loaded { mut map, mut program, diagnostics, tracked, .. } = loaded;
    let mut constraints = constraints(&how.constraints, &mut program, &mut map)?;
    let mut queries = Vec::new();
    rules::follow(&rules, &map, &mut program, &mut queries)?;
    let count = program.monitors.len();
    rendez_verdict::follow(&mut program, std::mem::take(&mut constraints.given));
    if how.formulas {
        rules::mark(&rules, &map, &mut program)?;
    }
    simplify(how, &tracked, &mut program)?;
    constraints.given = program.monitors.split_off(count);
    let questions = match how.formulas {
        true => rules::questions(&rules, &map, &program)?,
        false => Vec::new(),
    };
    let (recursion, delays) = (how.recursion, how.delays);
    Ok(Prepared { map, program, diagnostics, recursion, queries, questions, rules, constraints, delays })
}

/// The passes, in order.
fn simplify(how: &Preparation, tracked: &[String], program: &mut Program) -> Result<(), Error> {
    use passes::*;
    let cells = |program: &Program, option: &str, name: &str| match named(program, name) {
        cells if cells.is_empty() => {
            Err(Error::settings(format!("--{option} {name}: the program has no such variable")))
        }
        cells => Ok(cells),
    };
    for name in &how.untrack {
        let cells = cells(program, "untrack", name)?;
        make_opaque(program, |v, _| cells.contains(&v));
        let what = format!("checks on {name}, which is not followed, and on what is computed from it, pass");
        program.assume(what, Span::NOWHERE);
    }
    let mut keep = Vec::new();
    for name in how.track.iter().chain(tracked) {
        keep.extend(cells(program, "track", name)?);
    }
    if how.granularity == Granularity::Access {
        split_accesses(program);
    }
    for proc in recursive_procedures(program) {
        let proc = &program.procs[proc.index()];
        let (name, span) = (proc.plain_name().to_owned(), program.node(proc.start).span);
        program.assume(format!("{name} is followed to {} calls within each other", how.recursion), span);
    }
    if how.constants {
        propagate_constants(program);
    }
    if how.slicing {
        slice(program, &keep, how.delays);
    }
    classify_inputs(program);
    if how.locks {
        drop_idle_locks(program);
    }
    is_valid(program)
}

/// The cells that a name stands for.
fn named(program: &Program, wanted: &str) -> Vec<VarId> {
    let wanted = wanted.to_lowercase();
    (0..program.vars.len())
        .filter(|v| {
            let name = program.vars[*v].name.to_lowercase();
            let base = name.split('(').next().unwrap_or(&name);
            name == wanted || base == wanted || base.ends_with(&format!(".{wanted}"))
        })
        .map(VarId::from)
        .collect()
}

/// The constraints that the user asks for.
fn constraints(
    specs: &[String],
    program: &mut Program,
    map: &mut SourceMap,
) -> Result<rendez_flow::FlowSettings, Error> {
    use rendez_flow::RequestedConstraint;
    let mut settings = rendez_flow::FlowSettings::default();
    let mut wanted = Vec::new();
    for spec in specs {
        let none =
            |what: &str| Error::settings(format!("--constraint {spec}: the program has no such {what}"));
        if let Some(name) = spec.strip_prefix("task:") {
            let fits = |t: &usize| rendez_verdict::same(&program.tasks[*t].name, name);
            let found: Vec<RequestedConstraint> =
                (0..program.tasks.len()).filter(fits).map(|t| RequestedConstraint::Task(t.into())).collect();
            if found.is_empty() {
                return Err(none("task"));
            }
            wanted.extend(found);
        } else if let Some(name) = spec.strip_prefix("variable:") {
            let found = named(program, name);
            if found.is_empty() {
                return Err(none("variable"));
            }
            wanted.push(RequestedConstraint::Cells(found));
        } else {
            let files = rules::read_rules(&[spec.into()], map)?;
            let file = &files[0];
            let found = rendez_property::regular::parse_file(&file.text)
                .and_then(|list| rendez_verdict::bind(program, &list, |p| file.span(p)));
            let found = found.map_err(|wrong| file.refuse(map, wrong))?;
            settings.given.extend(found.into_iter().map(|bound| bound.monitor));
        }
    }
    if !wanted.is_empty() {
        settings.constraints = Some(wanted);
    }
    Ok(settings)
}
