//! Rules of the user's: files of properties, bound to a program.
//!
//! Properties of event sequences become monitors, which follow the steps of the model from the beginning on: they are
//! bound before the passes. Temporal formulas are bound after the passes; the places that they name are marked before.

use std::path::{Path, PathBuf};

use rendez_model::Program;
use rendez_source::{Diagnostic, FileId, SourceMap, Span};
use rendez_verdict::BoundFormula;

use crate::error::Error;
use crate::prepare::Queries;

/// A file of properties, with its text.
#[derive(Clone, Debug)]
pub struct RuleFile {
    id: FileId,
    pub(crate) text: String,
    /// Tells its properties from those of the same name in other files.
    label: String,
    /// Names of properties that other files have, too.
    shared: Vec<String>,
}

impl RuleFile {
    /// Rules that are given as text.
    pub fn from_text(name: &str, text: &str, map: &mut SourceMap) -> RuleFile {
        let id = map.add(name.to_owned(), text.to_owned());
        RuleFile { id, text: text.to_owned(), label: name.to_owned(), shared: Vec::new() }
    }

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
    pub fn full_name(&self, name: &str) -> String {
        match self.shared.iter().any(|s| s == name) {
            true => format!("{name} ({})", self.label),
            false => name.to_owned(),
        }
    }

    pub(crate) fn span(&self, (line, column): (u32, u32)) -> Span {
        Span { file: self.id, line, column, end_line: line, end_column: column + 1 }
    }

    /// Whether it holds properties of event sequences, and no temporal formulas.
    pub fn is_regular(&self) -> bool {
        rendez_property::regular::is_regular(&self.text)
    }

    /// The automata of its properties of event sequences, in Graphviz's language, by name.
    pub fn automata(&self, map: &SourceMap) -> Result<Vec<(String, String)>, Error> {
        let refuse = |wrong| self.refuse(map, wrong);
        let file = rendez_property::regular::parse_file(&self.text).map_err(refuse)?;
        file.properties.iter().map(|p| Ok((p.name.clone(), p.dot().map_err(refuse)?))).collect()
    }

    pub(crate) fn refuse(&self, map: &SourceMap, wrong: rendez_property::Wrong) -> Error {
        Error::input(map, vec![Diagnostic::error(self.span(wrong.position), wrong.message)])
    }
}

/// Reads files of properties.
pub fn read_rules(files: &[PathBuf], map: &mut SourceMap) -> Result<Vec<RuleFile>, Error> {
    let mut all = Vec::new();
    for file in files {
        let text = read_rule(file, map)?;
        let id = map.add(file.display().to_string(), text.clone());
        let given = files.iter().filter(|f| f.file_name() == file.file_name()).count();
        let label = match given {
            1 => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            _ => format!("{}, file {}", file.display(), all.len() + 1),
        };
        all.push(RuleFile { id, text, label, shared: Vec::new() });
    }
    if all.len() > 1 {
        let names: Vec<Vec<String>> = all.iter().map(RuleFile::names).collect();
        for (i, file) in all.iter_mut().enumerate() {
            let others = |name: &String| names.iter().enumerate().any(|(k, n)| k != i && n.contains(name));
            file.shared = names[i].iter().filter(|name| others(name)).cloned().collect();
        }
    }
    Ok(all)
}

fn read_rule(file: &Path, map: &mut SourceMap) -> Result<String, Error> {
    let unreadable =
        |why: String| Error::File { path: file.to_owned(), problem: format!("cannot be read: {why}") };
    let bytes = std::fs::read(file).map_err(|e| unreadable(e.to_string()))?;
    if std::str::from_utf8(&bytes).is_err() {
        let empty = RuleFile::from_text(&file.display().to_string(), "", map);
        return Err(empty.refuse(map, rendez_property::Wrong::at((1, 1), "this file is not UTF-8")));
    }
    rendez_source::decode(&bytes).map_err(|_| unreadable("this is not text".to_owned()))
}

/// Lets the program be followed by the properties of event sequences in some files.
pub(crate) fn follow(
    files: &[RuleFile],
    map: &SourceMap,
    program: &mut Program,
    queries: &mut Queries,
) -> Result<(), Error> {
    let mut monitors = Vec::new();
    for file in files.iter().filter(|f| f.is_regular()) {
        let found = rendez_property::regular::parse_file(&file.text)
            .and_then(|list| rendez_verdict::bind(program, &list, |p| file.span(p)));
        for mut bound in found.map_err(|wrong| file.refuse(map, wrong))? {
            bound.monitor.name = file.full_name(&bound.monitor.name);
            monitors.push(bound.monitor);
            queries.push(bound.query);
        }
    }
    rendez_verdict::follow(program, monitors);
    Ok(())
}

/// Lets the program keep the places that formulas are about: those of files, or those asserted in the source.
pub(crate) fn mark(files: &[RuleFile], map: &SourceMap, program: &mut Program) -> Result<(), Error> {
    for file in files.iter().filter(|f| !f.is_regular()) {
        let marked = rendez_property::ctl::parse_file(&file.text)
            .and_then(|list| list.iter().try_for_each(|p| BoundFormula::mark(program, &p.formula)));
        marked.map_err(|wrong| file.refuse(map, wrong))?;
    }
    if files.is_empty()
        && let Err((wrong, span)) = BoundFormula::mark_asserted(program)
    {
        return Err(Error::input(map, vec![Diagnostic::error(span, wrong.message)]));
    }
    Ok(())
}

/// The formulas to decide: those of files, and those asserted in the source.
pub(crate) fn questions(
    files: &[RuleFile],
    map: &SourceMap,
    program: &Program,
) -> Result<Vec<BoundFormula>, Error> {
    let mut all = Vec::new();
    for file in files.iter().filter(|f| !f.is_regular()) {
        let found = rendez_property::ctl::parse_file(&file.text).and_then(|list| {
            list.iter()
                .map(|p| {
                    BoundFormula::new(program, &file.full_name(&p.name), &p.formula, file.span(p.position))
                })
                .collect::<Result<Vec<_>, _>>()
        });
        all.extend(found.map_err(|wrong| file.refuse(map, wrong))?);
    }
    if files.is_empty() {
        for question in BoundFormula::asserted(program) {
            let wrong = |(wrong, span): (rendez_property::Wrong, Span)| {
                Error::input(map, vec![Diagnostic::error(span, wrong.message)])
            };
            all.push(question.map_err(wrong)?);
        }
    }
    Ok(all)
}
