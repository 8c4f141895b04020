//! The Ada front end: source text to program model.
//!
//! [`read`] finds the units of a program, parses them with tree-sitter's grammar, elaborates them
//! and yields a [`Program`](rendez_model::Program). It does no I/O of its own: files are read by
//! the [`Files`] it is given. Whatever has no model becomes an `Unsupported` action at its place,
//! so that it matters only if it can be reached.

mod assigned;
mod call;
mod declare;
mod elaborate;
mod env;
mod expression;
mod finalization;
mod instantiate;
pub mod instrument;
mod library;
pub mod parse;
mod statement;
pub mod syntax;
mod tagged;
mod tasking;
mod tidy;
mod types;
pub mod units;

use std::path::PathBuf;

use rendez_model::Program;
use rendez_source::{Diagnostic, SourceMap, Span};

pub use elaborate::Bounds;
pub use parse::Trees;
pub use units::Files;

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub sources: Vec<PathBuf>,
    pub include: Vec<PathBuf>,
    /// Units without source that the user vouches for.
    pub opaque: Vec<String>,
    /// The main procedure, if there are several.
    pub main: Option<String>,
    pub bounds: Bounds,
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

/// Reads a program; what was parsed before is not parsed again.
pub fn read_with(request: &Request, files: &dyn Files, trees: &mut Trees) -> Front {
    let mut map = SourceMap::default();
    let mut diagnostics = Vec::new();
    let search =
        units::Search { sources: &request.sources, include: &request.include, opaque: &request.opaque };
    let units = units::load(&search, files, trees, &mut map, &mut diagnostics);
    let mut front =
        Front { map, program: None, diagnostics, rejected: Vec::new(), tracked: units.tracked.clone() };
    if front.diagnostics.iter().any(|d| d.severity == rendez_source::Severity::Error) {
        return front;
    }
    let main = match find_main(&units, request) {
        Ok(main) => main,
        Err(diagnostic) => {
            front.diagnostics.push(diagnostic);
            return front;
        }
    };
    let names = front.map.names().map(str::to_owned).collect();
    let elaborated = elaborate::elaborate(&units, main, request.bounds.clone(), names);
    front.diagnostics.extend(elaborated.diagnostics);
    front.rejected = elaborated.rejected;
    front.program = Some(elaborated.program);
    front
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
