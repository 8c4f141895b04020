//! Finding the compilation units of a program and the order of their elaboration.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rendez_source::{Diagnostic, SourceMap, Span, decode};

use crate::library;
use crate::parse::{Trees, dotted, parse};
use crate::project::Naming;
use crate::syntax::*;

/// The file system, as far as the front end looks at it.
pub trait Files {
    /// The bytes of a file, or why it cannot be read.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;

    /// The files in a folder; none if it cannot be listed.
    fn list(&self, folder: &Path) -> Vec<PathBuf>;

    /// The folders in a folder.
    fn folders(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// A single text, whatever file is asked for.
pub struct Text<'t>(pub &'t str);

impl Files for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Larger files are refused: no source text written by people is as large.
const MAX_FILE: usize = 8 << 20;

/// The units of a program.
pub struct Units {
    pub all: Vec<Unit>,
    /// Library units without source, opaque.
    pub opaque: Vec<(String, Span)>,
    pub tracked: Vec<String>,
    pub specs: HashMap<String, usize>,
    pub bodies: HashMap<String, usize>,
    /// Subunits by the full name of what they complete.
    subunits: HashMap<String, usize>,
    /// Subunits by the place of the stub that they complete.
    pub proper_bodies: HashMap<Span, usize>,
    /// Simple names that something in the program may assign to.
    pub assigned: crate::assigned::Names,
    /// Some unit requeues calls.
    pub requeues: bool,
}

pub struct Search<'s> {
    pub sources: &'s [PathBuf],
    pub include: &'s [PathBuf],
    /// Units that the user declares to be without effect on synchronisation.
    pub opaque: &'s [String],
    pub naming: &'s Naming,
    /// A source text that is in no file.
    pub extra: Option<(&'s str, &'s str)>,
}

/// Reads the named files and everything they need.
pub fn load(
    search: &Search,
    files: &dyn Files,
    trees: &mut Trees,
    map: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Units {
    let mut loader = Loader {
        search,
        system: files,
        trees,
        map,
        diagnostics,
        units: Units {
            all: Vec::new(),
            opaque: Vec::new(),
            tracked: Vec::new(),
            specs: HashMap::new(),
            bodies: HashMap::new(),
            subunits: HashMap::new(),
            proper_bodies: HashMap::new(),
            assigned: crate::assigned::Names::default(),
            requeues: false,
        },
        files: HashSet::new(),
        tried: HashSet::new(),
        folders: HashMap::new(),
        texts: HashMap::new(),
    };
    for source in search.sources {
        loader.file(source, None);
    }
    if let Some((name, text)) = search.extra {
        loader.add_file(Path::new(name), text.as_bytes());
    }
    loader.complete();
    let mut assigned = crate::assigned::Names::default();
    for unit in &loader.units.all {
        crate::assigned::in_decl(&unit.decl, &mut assigned);
    }
    loader.units.assigned = assigned.with_ends_of_loops();
    loader.units
}

struct Loader<'s> {
    search: &'s Search<'s>,
    system: &'s dyn Files,
    trees: &'s mut Trees,
    map: &'s mut SourceMap,
    diagnostics: &'s mut Vec<Diagnostic>,
    units: Units,
    files: HashSet<PathBuf>,
    tried: HashSet<String>,
    folders: HashMap<PathBuf, HashMap<String, PathBuf>>,
    /// Texts of files that were looked into for units, in lower case.
    texts: HashMap<PathBuf, String>,
}

impl Loader<'_> {
    /// Reads and parses one file; false if there is none. A file that was asked for by name must
    /// exist, one that is merely looked for need not.
    fn file(&mut self, path: &Path, wanted: Option<&str>) -> bool {
        if self.files.contains(path) {
            return true;
        }
        let bytes = match self.system.read(path) {
            Ok(bytes) => bytes,
            Err(_) if wanted.is_some() => return false,
            Err(error) => {
                self.diagnostics
                    .push(Diagnostic::general(format!("{}: cannot be read: {error}", path.display())));
                return false;
            }
        };
        self.add_file(path, &bytes);
        true
    }

    fn add_file(&mut self, path: &Path, bytes: &[u8]) {
        self.files.insert(path.to_owned());
        let name = path.display().to_string();
        if bytes.len() > MAX_FILE {
            self.diagnostics.push(Diagnostic::general(format!(
                "{name}:1:1: the file has {} bytes; source files of more than {MAX_FILE} bytes are refused",
                bytes.len()
            )));
            return;
        }
        let text = match decode(bytes) {
            Ok(text) => text,
            Err(not_text) => {
                let line = 1 + bytes[..not_text.at].iter().filter(|b| **b == b'\n').count();
                self.diagnostics.push(Diagnostic::general(format!(
                    "{name}:{line}:1: this is not source text: byte {} is NUL",
                    not_text.at
                )));
                return;
            }
        };
        let file = self.map.add(name.clone(), text);
        let text = self.map.text(file).to_owned();
        if text.trim().is_empty() {
            self.diagnostics.push(Diagnostic::general(format!("{name}:1:1: the file is empty")));
            return;
        }
        self.units.requeues |= text.to_lowercase().contains("requeue");
        let parsed = parse(file, &text, self.trees);
        self.units.tracked.extend(parsed.tracked);
        let failed = !parsed.diagnostics.is_empty();
        self.diagnostics.extend(parsed.diagnostics);
        if parsed.units.is_empty() && !failed {
            self.diagnostics
                .push(Diagnostic::general(format!("{name}:1:1: the file holds no compilation unit")));
        }
        for unit in parsed.units {
            self.add(unit);
        }
    }

    fn add(&mut self, unit: Unit) {
        let index = self.units.all.len();
        let (name, is_body) = unit_name(&unit.decl);
        if let Some(parent) = &unit.separate {
            self.units.subunits.insert(format!("{}.{name}", dotted(parent)), index);
        } else if is_body {
            self.units.bodies.entry(name).or_insert(index);
        } else {
            self.units.specs.entry(name).or_insert(index);
        }
        self.units.all.push(unit);
    }

    /// Finds every unit that is named by a with clause, or is a parent, body or subunit.
    fn complete(&mut self) {
        let mut next = 0;
        while next < self.units.all.len() {
            let unit = &self.units.all[next];
            next += 1;
            let (name, is_body) = unit_name(&unit.decl);
            let withs: Vec<(String, Span)> =
                unit.withs.iter().chain(&unit.limited).map(|w| (dotted(w), w.span)).collect();
            let separate = unit.separate.as_ref().map(dotted);
            let stubs = stubs(&unit.decl);
            let needs_body = matches!(
                unit.decl.kind,
                DeclKind::Package { .. }
                    | DeclKind::Generic { .. }
                    | DeclKind::Subprogram { body: SubprogramBody::None, .. }
            );
            let needs_spec = matches!(unit.decl.kind, DeclKind::PackageBody { .. });
            for (with, span) in withs {
                self.find(&with, span);
            }
            if separate.is_none() {
                if let Some((parent, _)) = name.rsplit_once('.') {
                    self.find(parent, Span::NOWHERE);
                }
                if is_body && !self.units.specs.contains_key(&name) {
                    let found = self.look(&name, &["ads"]);
                    if !found && needs_spec && !self.units.specs.contains_key(&name) {
                        let span = self.units.all[next - 1].decl.span;
                        self.diagnostics.push(Diagnostic::error(
                            Span { end_line: span.line, ..span },
                            format!("the specification of package `{name}` was not found"),
                        ));
                    }
                }
                if needs_body && !self.units.bodies.contains_key(&name) {
                    self.look(&name, &["adb"]);
                }
            }
            let prefix = match &separate {
                Some(parent) => format!("{parent}.{name}"),
                None => name,
            };
            for stub in stubs {
                let full = format!("{prefix}.{}", stub.key);
                if !self.units.subunits.contains_key(&full) {
                    self.look(&full, &["sub"]);
                }
                if let Some(subunit) = self.units.subunits.get(&full) {
                    self.units.proper_bodies.insert(stub.span, *subunit);
                }
            }
        }
    }

    fn find(&mut self, name: &str, span: Span) {
        if self.units.specs.contains_key(name) || self.units.bodies.contains_key(name) {
            return;
        }
        if !self.tried.insert(name.to_owned()) {
            return;
        }
        if self.look(name, &["ads", "adb"]) {
            return;
        }
        if !library::is_predefined(name) && self.scan(name) {
            return;
        }
        let asked = self.search.opaque.iter().any(|o| o == "*" || o.eq_ignore_ascii_case(name));
        if library::is_predefined(name) || asked {
            self.units.opaque.push((name.to_owned(), span));
            return;
        }
        let (spec, body) = (self.search.naming.file(name, false), self.search.naming.file(name, true));
        self.diagnostics.push(
            Diagnostic::error(span, format!("unit `{name}` was not found")).label("needed here").help(
                format!(
                    "looked for {spec} and {body} beside the sources; name its folder with -I DIR, \
                     or say --opaque {name} if it does not synchronise tasks"
                ),
            ),
        );
    }

    /// The folders in which units are looked for, in order.
    fn search_path(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for source in self.search.sources {
            let folder = source.parent().unwrap_or(Path::new("")).to_owned();
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.extend(self.search.include.iter().cloned());
        folders
    }

    /// Files whose names say nothing about their units (`.ada`, `.a`) are found by what they hold.
    fn scan(&mut self, name: &str) -> bool {
        for folder in self.search_path() {
            let mut files: Vec<PathBuf> = self.listing(&folder).values().cloned().collect();
            files.retain(|f| f.extension().is_some_and(|e| e == "ada" || e == "a"));
            files.sort();
            for file in files {
                if self.files.contains(&file) || !self.declares(&file, name) {
                    continue;
                }
                self.file(&file, Some(name));
                if self.units.specs.contains_key(name) || self.units.bodies.contains_key(name) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a file seems to declare a library unit.
    fn declares(&mut self, file: &Path, name: &str) -> bool {
        let system = self.system;
        let text = self.texts.entry(file.to_owned()).or_insert_with(|| {
            let bytes = system.read(file).unwrap_or_default();
            decode(&bytes).unwrap_or_default().to_lowercase()
        });
        text.match_indices(name).any(|(at, _)| {
            let after = text[at + name.len()..].chars().next().unwrap_or(' ');
            let before = text[..at].trim_end();
            !after.is_alphanumeric()
                && after != '_'
                && after != '.'
                && ["package", "body", "procedure", "function"].iter().any(|word| before.ends_with(word))
        })
    }

    fn look(&mut self, name: &str, endings: &[&str]) -> bool {
        let folders = self.search_path();
        let before = self.units.all.len();
        for ending in endings {
            let wanted = match *ending {
                "sub" => self.search.naming.subunit(name),
                ending => self.search.naming.file(name, ending == "adb"),
            };
            for folder in &folders {
                let found = self.listing(folder).get(&wanted).cloned();
                if found.is_some_and(|path| self.file(&path, Some(name))) {
                    break;
                }
            }
            let model = format!("{}.{ending}", name.replace('.', "-"));
            let path = Path::new(rendez_model::LIBRARY_FOLDER).join(&model);
            if self.units.all.len() == before
                && let Some(text) = library::model(&model)
                && !self.files.contains(&path)
            {
                self.add_file(&path, text.as_bytes());
                // Its body, if it has one, is found when the unit is completed.
                break;
            }
        }
        self.units.all.len() > before
    }

    /// The files of a folder by their names in lower case: GNAT writes them so, other systems do
    /// not tell cases apart.
    fn listing(&mut self, folder: &Path) -> &HashMap<String, PathBuf> {
        let system = self.system;
        self.folders.entry(folder.to_owned()).or_insert_with(|| {
            let mut names = HashMap::new();
            for path in system.list(folder) {
                if let Some(name) = path.file_name() {
                    names.entry(name.to_string_lossy().to_lowercase()).or_insert_with(|| path.clone());
                }
            }
            names
        })
    }
}

/// The full name of a unit in lower case, and whether it is a body.
pub fn unit_name(decl: &Decl) -> (String, bool) {
    match &decl.kind {
        DeclKind::Package { name, .. } => (dotted(name), false),
        DeclKind::PackageBody { name, .. } => (dotted(name), true),
        DeclKind::Subprogram { spec, body } => (dotted(&spec.name), !matches!(body, SubprogramBody::None)),
        DeclKind::Generic { decl, .. } => unit_name(decl),
        DeclKind::Instance { name, .. } => (dotted(name), false),
        DeclKind::TaskBody { name, .. } | DeclKind::ProtectedBody { name, .. } => (name.key.clone(), true),
        DeclKind::Renaming { name, .. } => (name.key.clone(), false),
        _ => (String::new(), false),
    }
}

/// The names of the body stubs in the declarative part of a unit.
fn stubs(decl: &Decl) -> Vec<Ident> {
    let decls = match &decl.kind {
        DeclKind::PackageBody { decls, .. } => decls,
        DeclKind::Subprogram { body: SubprogramBody::Body(body), .. } => &body.decls,
        DeclKind::TaskBody { body, .. } => &body.decls,
        _ => return Vec::new(),
    };
    decls
        .iter()
        .filter_map(|d| match &d.kind {
            DeclKind::Stub { name } => Some(name.clone()),
            DeclKind::Subprogram { spec, body: SubprogramBody::Separate } => Some(spec.ident.clone()),
            _ => None,
        })
        .collect()
}
