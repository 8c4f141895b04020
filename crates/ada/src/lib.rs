//! The Ada front end: source text to program model.
//!
//! [`read`] finds the units of a program, parses them with tree-sitter's grammar, elaborates them
//! and yields a [`Program`](rendez_model::Program). It does no I/O of its own: files are read by
//! the [`Files`] it is given. Whatever has no model becomes an `Unsupported` action at its place,
//! so that it matters only if it can be reached.

mod assigned;
mod call;
mod checks;
mod declare;
mod elaborate;
mod env;
mod environment;
mod expression;
mod finalization;
mod instantiate;
pub mod instrument;
mod library;
pub mod parse;
pub mod project;
mod statement;
mod static_expression;
pub mod syntax;
mod tagged;
mod tasking;
mod tidy;
mod types;
pub mod units;

use std::path::PathBuf;

use rendez_model::Program;
use rendez_source::{Diagnostic, SourceMap, Span};

use syntax::DeclKind;

pub use checks::Checks;
pub use elaborate::Bounds;
pub use parse::Trees;
pub use units::{Files, Text};

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub sources: Vec<PathBuf>,
    pub include: Vec<PathBuf>,
    /// Units without source that the user vouches for; `*` is all of them.
    pub opaque: Vec<String>,
    /// The main procedure, if there are several.
    pub main: Option<String>,
    pub bounds: Bounds,
    pub naming: project::Naming,
    /// Analyse this unit with a most general environment instead of a main procedure.
    pub root: Option<String>,
    /// Tasks of the environment.
    pub clients: usize,
}

/// What was read. Without a program there is at least one error among the diagnostics.
pub struct Front {
    pub map: SourceMap,
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
    /// Constructs without a model. They matter only if an execution reaches them.
    pub rejected: Vec<Diagnostic>,
    /// Variables that annotations ask to be followed.
    pub tracked: Vec<String>,
}

/// Reads a program.
pub fn read(request: &Request, files: &dyn Files) -> Front {
    read_with(request, files, &mut Trees::default())
}

/// Reads a program that is one text.
pub fn read_text(text: &str) -> Front {
    read(&Request { sources: vec!["main.adb".into()], ..Default::default() }, &Text(text))
}

/// Reads a program; what was parsed before is not parsed again.
pub fn read_with(request: &Request, files: &dyn Files, trees: &mut Trees) -> Front {
    let (map, units, diagnostics) = load(request, files, trees, None);
    let mut front =
        Front { map, program: None, diagnostics, rejected: Vec::new(), tracked: units.tracked.clone() };
    if front.has_errors() {
        return front;
    }
    let (main, root) = match choose(&units, request) {
        Ok(Start::Main(main)) => (main, None),
        Ok(Start::Root(root)) => (0, Some(root)),
        Err(diagnostic) => {
            front.diagnostics.push(diagnostic);
            return front;
        }
    };
    let Some(root) = root else {
        front.elaborate(&units, main, request);
        return front;
    };
    let clients = request.clients.max(1);
    let text = match environment::environment(&units, &front.map, &root, clients) {
        Ok(text) => text,
        Err(diagnostic) => {
            front.diagnostics.push(diagnostic);
            return front;
        }
    };
    let (map, units, diagnostics) = load(request, files, trees, Some(&text));
    front.map = map;
    front.diagnostics = diagnostics;
    let main = units.all.iter().position(|u| {
        let (name, is_body) = units::unit_name(&u.decl);
        is_body && (name == environment::NAME || name.ends_with(&format!(".{}", environment::NAME)))
    });
    if let (Some(main), false) = (main, front.has_errors()) {
        front.elaborate(&units, main, request);
        if let Some(program) = &mut front.program {
            program.name = format!("{root} and its environment");
            program.open = true;
            program.tasks[0].background = true;
            program.assume(
                format!(
                    "{root} has no main procedure: {clients} tasks of the environment call its visible \
                     operations in any order, any number of times, with any arguments; that they \
                     have to wait, or stop calling, is no finding"
                ),
                Span::NOWHERE,
            );
        }
    }
    front
}

/// Finds and parses the units of a program, and a text that is in no file.
fn load(
    request: &Request,
    files: &dyn Files,
    trees: &mut Trees,
    extra: Option<&str>,
) -> (SourceMap, units::Units, Vec<Diagnostic>) {
    let mut map = SourceMap::default();
    let mut diagnostics = Vec::new();
    let name = format!("{}/{}.adb", rendez_model::LIBRARY_FOLDER, environment::NAME);
    let search = units::Search {
        sources: &request.sources,
        include: &request.include,
        opaque: &request.opaque,
        naming: &request.naming,
        extra: extra.map(|text| (name.as_str(), text)),
    };
    let units = units::load(&search, files, trees, &mut map, &mut diagnostics);
    (map, units, diagnostics)
}

impl Front {
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == rendez_source::Severity::Error)
    }

    fn elaborate(&mut self, units: &units::Units, main: usize, request: &Request) {
        let names = self.map.names().map(str::to_owned).collect();
        let elaborated = elaborate::elaborate(units, main, request.bounds.clone(), names);
        self.diagnostics.extend(elaborated.diagnostics);
        self.rejected = elaborated.rejected;
        if !self.has_errors() {
            let mut program = elaborated.program;
            rendez_analysis::passes::doubt_unknown_values(&mut program);
            self.program = Some(program);
        }
    }
}

/// Where an analysis starts.
enum Start {
    /// At the main procedure, by the number of its unit.
    Main(usize),
    /// With calls from the environment to a unit.
    Root(String),
}

fn choose(units: &units::Units, request: &Request) -> Result<Start, Diagnostic> {
    if let Some(root) = &request.root {
        return Ok(Start::Root(root.to_lowercase()));
    }
    let no_main = match find_main(units, request) {
        Ok(main) => return Ok(Start::Main(main)),
        Err(diagnostic) => diagnostic,
    };
    if request.main.is_some() || no_main.span.is_some() {
        return Err(no_main);
    }
    // A library unit by itself is analysed with every possible caller.
    let mut roots: Vec<String> = Vec::new();
    for unit in &units.all {
        let named = (unit.decl.span.file.0 as usize) < request.sources.len();
        if named && let DeclKind::Package { name, .. } | DeclKind::PackageBody { name, .. } = &unit.decl.kind
        {
            roots.push(parse::dotted(name));
        }
    }
    roots.sort();
    roots.dedup();
    match &roots[..] {
        [] => Err(no_main),
        [only] => Ok(Start::Root(only.clone())),
        several => Err(Diagnostic::general(format!(
            "no main procedure, and several library units: {}",
            several.join(", ")
        ))
        .help("choose one with --root UNIT, to be analysed with every possible caller")),
    }
}

/// The main procedures among some files: their names and where they are.
pub fn find_mains(sources: &[PathBuf], files: &dyn Files) -> Vec<(String, PathBuf)> {
    let mut mains = Vec::new();
    let mut withed = Vec::new();
    for path in sources {
        let Ok(bytes) = files.read(path) else { continue };
        let Ok(text) = rendez_source::decode(&bytes) else { continue };
        let mut map = SourceMap::default();
        let file = map.add("", "");
        for unit in parse::parse(file, &text, &mut Trees::default()).units {
            withed.extend(unit.withs.iter().map(parse::dotted));
            if let DeclKind::Subprogram { spec, body: syntax::SubprogramBody::Body(_) } = &unit.decl.kind
                && unit.separate.is_none()
                && spec.params.is_empty()
                && spec.result.is_none()
            {
                mains.push((parse::dotted(&spec.name), path.clone()));
            }
        }
    }
    mains.retain(|(name, _)| !withed.contains(name));
    mains.sort();
    mains
}

/// The main procedure: a library procedure without parameters that no other unit needs.
fn find_main(units: &units::Units, request: &Request) -> Result<usize, Diagnostic> {
    use syntax::*;
    let withed: Vec<String> = units.all.iter().flat_map(|u| u.withs.iter().map(parse::dotted)).collect();
    let mut candidates: Vec<(usize, String, Span)> = Vec::new();
    for (i, unit) in units.all.iter().enumerate() {
        let DeclKind::Subprogram { spec, body: SubprogramBody::Body(_) } = &unit.decl.kind else {
            continue;
        };
        let name = parse::dotted(&spec.name);
        // The files that were named come first in the map.
        let named = (unit.decl.span.file.0 as usize) < request.sources.len();
        let generic = units
            .specs
            .get(&name)
            .is_some_and(|s| matches!(units.all[*s].decl.kind, DeclKind::Generic { .. }));
        if unit.separate.is_none()
            && spec.params.is_empty()
            && spec.result.is_none()
            && named
            && !generic
            && !withed.contains(&name)
        {
            candidates.push((i, name, spec.ident.span));
        }
    }
    if let Some(main) = &request.main {
        let wanted = main.to_lowercase();
        return candidates
            .iter()
            .find(|c| c.1 == wanted)
            .map(|c| c.0)
            .ok_or_else(|| Diagnostic::general(format!("no main procedure `{main}` in the given files")));
    }
    match &candidates[..] {
        [] => Err(Diagnostic::general(
            "no main procedure: none of the files holds a library procedure without parameters",
        )
        .help("name the file of the main procedure; units it needs are found by themselves")),
        [only] => Ok(only.0),
        several => {
            let names: Vec<&str> = several.iter().map(|c| c.1.as_str()).collect();
            Err(Diagnostic::error(several[1].2, format!("several main procedures: {}", names.join(", ")))
                .label("this could be the main procedure, too")
                .help("choose one with --main NAME"))
        }
    }
}
