//! Reads a whole source tree and tells how much of it becomes a model.
//!
//! tree [--seconds N] FOLDER...
//!
//! Every library unit is read in turn, with what it needs: a main procedure as a program, a
//! package or other subprogram with every possible caller. Units that are not in the tree are
//! opaque. Generic units are read with the units that instantiate them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use rendez_ada::syntax::{Decl, DeclKind, SubprogramBody};
use rendez_ada::{Request, Trees};

struct Disk;

impl rendez_ada::Files for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        entries(folder)
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|e| e.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    all.sort();
    all
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>) {
    let mut own = false;
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files, folders);
        } else if path.extension().is_some_and(|e| e == "ads" || e == "adb" || e == "ada") && path.is_file() {
            files.push(path);
            own = true;
        }
    }
    if own {
        folders.push(folder.to_owned());
    }
}

#[derive(Default)]
struct Counts {
    units: usize,
    tasks: usize,
    protected: usize,
}

fn count(decl: &Decl, counts: &mut Counts) {
    match &decl.kind {
        DeclKind::Task { .. } => counts.tasks += 1,
        DeclKind::Protected { .. } => counts.protected += 1,
        DeclKind::Package { decls, private, .. } => {
            decls.iter().chain(private).for_each(|d| count(d, counts));
        }
        DeclKind::PackageBody { decls, .. } => decls.iter().for_each(|d| count(d, counts)),
        DeclKind::Subprogram { body: SubprogramBody::Body(body), .. } | DeclKind::TaskBody { body, .. } => {
            body.decls.iter().for_each(|d| count(d, counts));
        }
        DeclKind::Generic { decl, .. } => count(decl, counts),
        _ => {}
    }
}

/// What became of one unit.
enum Fate {
    Modelled,
    /// Something in it, or in what it needs, has no model.
    Rejected(String),
    Failed(String),
    Slow,
}

fn read(path: &Path, unit: &str, main: bool, folders: &[PathBuf]) -> Fate {
    let request = Request {
        sources: vec![path.to_owned()],
        include: folders.to_vec(),
        opaque: vec!["*".into()],
        main: main.then(|| unit.to_owned()),
        root: (!main).then(|| unit.to_owned()),
        clients: 1,
        ..Request::default()
    };
    let front = rendez_ada::read_with(&request, &Disk, &mut Trees::default());
    match front.program {
        None => {
            let errors = front.diagnostics.iter().find(|d| d.severity == rendez_source::Severity::Error);
            Fate::Failed(errors.map_or(String::new(), |d| d.message.clone()))
        }
        Some(program) if !rendez_model::validate(&program).is_empty() => Fate::Failed("invalid model".into()),
        Some(_) => match front.rejected.first() {
            None => Fate::Modelled,
            Some(first) => Fate::Rejected(first.message.clone()),
        },
    }
}

fn main() {
    let mut seconds = 20;
    let mut roots: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(seconds);
        } else {
            roots.push(argument.into());
        }
    }
    for root in roots {
        tree(&root, Duration::from_secs(seconds));
    }
}

fn tree(root: &Path, limit: Duration) {
    let started = Instant::now();
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    collect(root, &mut files, &mut folders);
    let mut counts = Counts::default();
    let mut syntax_errors = 0;
    let mut units: Vec<(PathBuf, String, bool)> = Vec::new();
    let mut lines = 0;
    for path in &files {
        let Some(text) = std::fs::read(path).ok().and_then(|b| rendez_source::decode(&b).ok()) else {
            continue;
        };
        lines += text.lines().count();
        let mut map = rendez_source::SourceMap::default();
        let file = map.add("", "");
        let parsed = rendez_ada::parse::parse(file, &text, &mut Trees::default());
        syntax_errors += usize::from(!parsed.diagnostics.is_empty());
        for unit in &parsed.units {
            counts.units += 1;
            count(&unit.decl, &mut counts);
            let name = rendez_ada::units::unit_name(&unit.decl).0;
            match &unit.decl.kind {
                DeclKind::Package { .. } => units.push((path.clone(), name, false)),
                DeclKind::Subprogram { spec, body: SubprogramBody::Body(_) } if unit.separate.is_none() => {
                    let main = spec.params.is_empty() && spec.result.is_none();
                    units.push((path.clone(), name, main));
                }
                _ => {}
            }
        }
    }
    let parsed = started.elapsed().as_secs_f64();
    let total = units.len();
    let next = Arc::new(AtomicUsize::new(0));
    let (units, folders) = (Arc::new(units), Arc::new(folders));
    let fates: Arc<Mutex<Vec<(usize, Fate)>>> = Arc::default();
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (next, units, folders, fates) = (next.clone(), units.clone(), folders.clone(), fates.clone());
            std::thread::spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((path, name, main)) = units.get(i).cloned() else { return };
                    let (send, receive) = mpsc::channel();
                    let folders = folders.clone();
                    let _ = std::thread::Builder::new().stack_size(512 << 20).spawn(move || {
                        let _ = send.send(read(&path, &name, main, &folders));
                    });
                    let fate = match receive.recv_timeout(limit) {
                        Ok(fate) => fate,
                        Err(mpsc::RecvTimeoutError::Timeout) => Fate::Slow,
                        Err(_) => Fate::Failed("panic".into()),
                    };
                    fates.lock().expect("no panic").push((i, fate));
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|w| w.join().expect("no panic"));
    let fates = fates.lock().expect("no panic");
    let of = |f: fn(&Fate) -> bool| fates.iter().filter(|(_, fate)| f(fate)).count();
    let modelled = of(|f| matches!(f, Fate::Modelled));
    println!(
        "{}: {} files, {lines} lines, {} with syntax that is not understood; {} units, {} task and {} protected declarations; parsed in {parsed:.1} s",
        root.display(),
        files.len(),
        syntax_errors,
        counts.units,
        counts.tasks,
        counts.protected
    );
    println!(
        "  {total} roots: {modelled} modelled without rejection ({:.0} %), {} with a rejected construct, {} not read, {} slow, {} panics; {:.0} s",
        100.0 * modelled as f64 / total.max(1) as f64,
        of(|f| matches!(f, Fate::Rejected(_))),
        of(|f| matches!(f, Fate::Failed(t) if t != "panic")),
        of(|f| matches!(f, Fate::Slow)),
        of(|f| matches!(f, Fate::Failed(t) if t == "panic")),
        started.elapsed().as_secs_f64()
    );
    let mut reasons: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for (i, fate) in fates.iter() {
        let reason = match fate {
            Fate::Rejected(text) => format!("rejected: {text}"),
            Fate::Failed(text) => format!("failed: {text}"),
            Fate::Slow => format!("slow: {}", units[*i].1),
            Fate::Modelled => continue,
        };
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(r.1));
    for (reason, count) in reasons.iter().take(12) {
        println!("  {count:5} {reason}");
    }
}
