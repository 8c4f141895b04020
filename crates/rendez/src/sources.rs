//! From what is named to the files of a program: source files, a project file, or a folder.

use std::path::{Path, PathBuf};

use rendez_ada::project::{self, Naming};
pub use rendez_ada::{Checks, Files, Text};
use rendez_source::{Diagnostic, SourceMap};

/// What is to be read.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Source files, whose units are found beside them; or one project file; or one folder.
    pub paths: Vec<PathBuf>,
    /// Folders in which units are looked for.
    pub include: Vec<PathBuf>,
    /// The main procedure, if the files hold several.
    pub main: Option<String>,
    /// A library unit that is analysed with every possible caller instead of a main procedure.
    pub root: Option<String>,
    /// Tasks of the environment that call a library unit.
    pub clients: usize,
    /// Scenario variables of a project file, as `NAME=VALUE`.
    pub scenario: Vec<String>,
    /// Units without source that do not synchronise tasks.
    pub opaque: Vec<String>,
    /// Tasks that an allocator creates at most, if its evaluations cannot be counted.
    pub task_bound: usize,
    /// Input may end, or have the wrong form, also where nobody handles End_Error and Data_Error by name.
    pub input_ends: bool,
    /// What checks on values that are not followed do.
    pub checks: Checks,
}

impl Default for Sources {
    fn default() -> Sources {
        Sources {
            paths: Vec::new(),
            include: Vec::new(),
            main: None,
            root: None,
            clients: 2,
            scenario: Vec::new(),
            opaque: Vec::new(),
            task_bound: 3,
            input_ends: false,
            checks: Checks::Pass,
        }
    }
}

impl Sources {
    /// One source file, project file or folder.
    pub fn path(path: impl Into<PathBuf>) -> Sources {
        Sources { paths: vec![path.into()], ..Sources::default() }
    }
}

/// The real file system.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path.is_dir() {
            return Err(std::io::Error::other("it is a folder"));
        }
        std::fs::read(path)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        entries(folder)
    }

    fn folders(&self, folder: &Path) -> Vec<PathBuf> {
        let mut inner = entries(folder);
        inner.retain(|p| p.is_dir() && !p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.')));
        inner
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.flatten().map(|e| folder.join(e.file_name())).collect();
    all.sort();
    all
}

/// What the front end is asked to read, and what a user should know about it.
pub(crate) fn request(
    input: &Sources,
    map: &mut SourceMap,
    notes: &mut Vec<String>,
) -> Result<rendez_ada::Request, Diagnostic> {
    let mut request = rendez_ada::Request {
        sources: input.paths.clone(),
        include: input.include.clone(),
        opaque: input.opaque.clone(),
        main: input.main.clone(),
        bounds: rendez_ada::Bounds {
            tasks_per_allocator: input.task_bound,
            input_ends: input.input_ends,
            checks: input.checks,
            ..rendez_ada::Bounds::default()
        },
        naming: Naming::default(),
        root: input.root.clone(),
        clients: input.clients,
    };
    let special = |p: &PathBuf| p.is_dir() || p.extension().is_some_and(|e| e == "gpr");
    let Some(first) = input.paths.iter().find(|p| special(p)) else { return Ok(request) };
    if input.paths.len() > 1 {
        return Err(Diagnostic::general(format!(
            "{}: a project file or a folder must be the only argument",
            first.display()
        )));
    }
    let (folders, mains) = folders_and_mains(first, input, &mut request.naming, map, notes)?;
    let mut mains = named_mains(&mains, &folders);
    if mains.is_empty() {
        mains = rendez_ada::find_mains(&sources(&folders, &request.naming), &Disk);
    }
    let wanted = request.main.take();
    if let Some(wanted) = &wanted {
        let wanted = wanted.to_lowercase();
        mains.retain(|(name, _)| *name == wanted);
    }
    request.include.extend(folders.iter().cloned());
    if let Some(root) = &request.root {
        let file = [false, true]
            .iter()
            .find_map(|body| find(&folders, &request.naming.file(&root.to_lowercase(), *body)));
        let Some(file) = file else {
            return Err(Diagnostic::general(format!("--root {root}: no file of this unit was found")));
        };
        request.sources = vec![file];
        return Ok(request);
    }
    request.sources = vec![the_main(&mains, first, wanted.as_deref())?];
    Ok(request)
}

/// The folders with sources of a project file or folder, and the mains that the project names.
fn folders_and_mains(
    first: &Path,
    input: &Sources,
    naming: &mut Naming,
    map: &mut SourceMap,
    notes: &mut Vec<String>,
) -> Result<(Vec<PathBuf>, Vec<String>), Diagnostic> {
    let project = if first.is_dir() { folder(first)? } else { Some(first.to_owned()) };
    let Some(file) = project else {
        let mut all = Vec::new();
        below(first, 0, &mut all);
        return Ok((all, Vec::new()));
    };
    let scenario = scenario(&input.scenario)?;
    let project = project::read(&file, &scenario, &Disk, map)?;
    *naming = project.naming;
    if !project.missing.is_empty() {
        notes.push(format!(
            "{} imports projects that are not at hand: {}; name the folders of their units with -I",
            file.display(),
            project.missing.join(", ")
        ));
    }
    Ok((project.source_dirs, project.mains))
}

/// The file of the only main procedure.
fn the_main(mains: &[(String, PathBuf)], first: &Path, wanted: Option<&str>) -> Result<PathBuf, Diagnostic> {
    match mains {
        [(_, file)] => Ok(file.clone()),
        [] => Err(Diagnostic::general(match wanted {
            Some(main) => format!("{}: no main procedure `{main}`", first.display()),
            None => format!("{}: no main procedure was found", first.display()),
        })
        .help("name a unit with --root UNIT, to be analysed with every possible caller")),
        several => {
            let mut names: Vec<String> =
                several.iter().map(|(n, f)| format!("{n} ({})", f.display())).collect();
            let count = names.len();
            if count > 12 {
                names.truncate(12);
                names.push(format!("and {} more", count - 12));
            }
            Err(Diagnostic::general(format!(
                "{}: there are {count} main procedures: {}",
                first.display(),
                names.join(", ")
            ))
            .help("choose one with --main NAME"))
        }
    }
}

/// `NAME=VALUE`
fn scenario(given: &[String]) -> Result<Vec<(String, String)>, Diagnostic> {
    given
        .iter()
        .map(|text| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(Diagnostic::general(format!("-X {text}: NAME=VALUE is expected"))),
        })
        .collect()
}

/// The project file of a folder, if it has exactly one.
fn folder(path: &Path) -> Result<Option<PathBuf>, Diagnostic> {
    let mut projects = entries(path);
    projects.retain(|p| p.extension().is_some_and(|e| e == "gpr"));
    match &projects[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        several => {
            let names: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
            Err(Diagnostic::general(format!("{}: there are several projects", path.display()))
                .help(format!("name one of {}", names.join(", "))))
        }
    }
}

/// A folder and all below it, hidden ones aside.
fn below(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) {
    out.push(folder.to_owned());
    if depth < 12 {
        for inner in Disk.folders(folder) {
            below(&inner, depth + 1, out);
        }
    }
}

fn find(folders: &[PathBuf], file: &str) -> Option<PathBuf> {
    folders.iter().find_map(|folder| {
        entries(folder)
            .into_iter()
            .find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().eq_ignore_ascii_case(file)))
    })
}

/// The files of the mains that a project names, with or without ending.
fn named_mains(names: &[String], folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut mains = Vec::new();
    for name in names {
        let file = if name.contains('.') { name.clone() } else { format!("{name}.adb") };
        if let Some(path) = find(folders, &file) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            mains.push((stem.replace('-', "."), path));
        }
    }
    mains
}

/// All bodies in some folders.
fn sources(folders: &[PathBuf], naming: &Naming) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = folders.iter().flat_map(|f| entries(f)).collect();
    let suffix = naming.body_suffix.to_lowercase();
    all.retain(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        name.ends_with(&suffix) || name.ends_with(".ada")
    });
    all
}
