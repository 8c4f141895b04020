//! Times the front end on a folder of Ada files, beside tree-sitter alone, in one process.
//!
//! front_end_speed FOLDER [INCLUDE...]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Files in memory: reading the disk is not what is measured.
struct Memory {
    files: HashMap<PathBuf, Vec<u8>>,
    folders: HashMap<PathBuf, Vec<PathBuf>>,
}

impl Memory {
    fn add_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
            .map(|entries| entries.flatten().map(|e| e.path()).collect())
            .unwrap_or_default();
        all.retain(|p| p.extension().is_some_and(|e| e.to_string_lossy().starts_with('a') || e == "tst"));
        all.sort();
        for path in &all {
            if let Ok(bytes) = std::fs::read(path) {
                self.files.insert(path.clone(), bytes);
            }
        }
        self.folders.insert(folder.to_owned(), all.clone());
        all
    }
}

impl Memory {
    /// Adds the units of a folder under the file names that GNAT would give them: the support
    /// files of ACATS hold several units each.
    fn add_units(&mut self, folder: &Path) {
        let mut listing = Vec::new();
        for path in self.add_folder(folder) {
            let Ok(text) = rendez_source::decode(&self.files[&path]) else { continue };
            let mut map = rendez_source::SourceMap::default();
            let file = map.add("", text.clone());
            let mut from = 0;
            for unit in rendez_ada::parse::parse(file, &text, &mut rendez_ada::Trees::default()).units {
                let end = map.range(unit.decl.span).end;
                let (name, is_body) = rendez_ada::units::unit_name(&unit.decl);
                let ending = if is_body { "adb" } else { "ads" };
                let path = folder.join(format!("{}.{ending}", name.replace('.', "-")));
                self.files.insert(path.clone(), text.as_bytes()[from..end].to_vec());
                listing.push(path);
                from = end;
            }
        }
        self.folders.insert(folder.to_owned(), listing);
    }
}

impl rendez_ada::Files for Memory {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        self.folders.get(folder).cloned().unwrap_or_default()
    }
}

fn main() {
    // Elaboration walks syntax trees recursively.
    std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(measure)
        .expect("a thread")
        .join()
        .expect("no panic");
}

fn measure() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: front_end_speed FOLDER [INCLUDE...]");
        std::process::exit(2);
    };
    let mut memory = Memory { files: HashMap::new(), folders: HashMap::new() };
    let files = memory.add_folder(&folder);
    let include: Vec<PathBuf> = arguments.collect();
    for folder in &include {
        memory.add_units(folder);
    }
    let mut alone = f64::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        for file in &files {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_ada::LANGUAGE.into()).expect("the grammar fits");
            std::hint::black_box(parser.parse(&memory.files[file], None));
        }
        alone = alone.min(started.elapsed().as_secs_f64());
    }
    let (mut modelled, mut clean, mut tasks) = (0, 0, 0);
    let mut reasons: HashMap<String, usize> = HashMap::new();
    let mut trees = rendez_ada::Trees::default();
    let started = Instant::now();
    for file in &files {
        let request = rendez_ada::Request {
            sources: vec![file.clone()],
            include: include.clone(),
            ..rendez_ada::Request::default()
        };
        let front = rendez_ada::read_with(&request, &memory, &mut trees);
        if let Some(program) = &front.program {
            modelled += 1;
            tasks += program.tasks.len() - 1;
            clean += usize::from(front.rejected.is_empty());
        } else if let Some(first) = front.diagnostics.first() {
            *reasons.entry(first.message.clone()).or_default() += 1;
        }
        if std::env::var_os("VERBOSE").is_some() {
            let first = front.diagnostics.iter().chain(&front.rejected).next();
            println!("{}: {}", file.display(), first.map_or("", |d| d.message.as_str()));
        }
    }
    let whole = started.elapsed().as_secs_f64();
    println!(
        "{} files; {modelled} become a model ({clean} with nothing rejected), {tasks} tasks in all",
        files.len()
    );
    println!("tree-sitter alone {alone:.3} s, the whole front end {whole:.3} s: {:.1} times", whole / alone);
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(r.1));
    for (reason, count) in reasons.iter().take(8) {
        println!("{count:>5}  {reason}");
    }
}
