//! GNAT project files, as far as they say where sources are.
//!
//! Understood are `with`, `extends`, scenario variables (`external`), typed and plain variables,
//! `case`, lists and concatenation, the attributes about sources and main programs, and package
//! Naming. Other packages and attributes are read over.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rendez_source::{Diagnostic, SourceMap, Span, decode};

use crate::units::Files;

/// What a project says.
#[derive(Clone, Debug, Default)]
pub struct Project {
    pub mains: Vec<String>,
    /// Folders with sources, those of imported projects included.
    pub source_dirs: Vec<PathBuf>,
    pub naming: Naming,
    /// Imported projects that are not at hand.
    pub missing: Vec<String>,
}

/// How files are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    pub spec_suffix: String,
    pub body_suffix: String,
    pub separate_suffix: Option<String>,
    pub dot_replacement: String,
    /// Files of single units: (name, whether a body) to file.
    pub exceptions: HashMap<(String, bool), String>,
}

impl Default for Naming {
    fn default() -> Self {
        Naming {
            spec_suffix: ".ads".into(),
            body_suffix: ".adb".into(),
            separate_suffix: None,
            dot_replacement: "-".into(),
            exceptions: HashMap::new(),
        }
    }
}

impl Naming {
    /// The name of the file of a unit, in lower case.
    pub fn file(&self, unit: &str, body: bool) -> String {
        if let Some(file) = self.exceptions.get(&(unit.to_owned(), body)) {
            return file.to_lowercase();
        }
        let suffix = if body { &self.body_suffix } else { &self.spec_suffix };
        format!("{}{suffix}", unit.replace('.', &self.dot_replacement)).to_lowercase()
    }

    /// The name of the file of a subunit.
    pub fn subunit(&self, unit: &str) -> String {
        let suffix = self.separate_suffix.as_ref().unwrap_or(&self.body_suffix);
        format!("{}{suffix}", unit.replace('.', &self.dot_replacement)).to_lowercase()
    }
}

/// Reads a project file and those it needs. `scenario` gives values to external variables.
pub fn read(
    path: &Path,
    scenario: &[(String, String)],
    files: &dyn Files,
    map: &mut SourceMap,
) -> Result<Project, Diagnostic> {
    let mut reader =
        Reader { scenario, files, map, seen: Vec::new(), projects: HashMap::new(), missing: Vec::new() };
    let name = reader.load(path, None)?;
    let loaded = &reader.projects[&name];
    let mut project = Project { mains: loaded.list("main"), naming: loaded.naming(), ..Project::default() };
    for name in &reader.seen {
        let loaded = &reader.projects[name];
        for folder in loaded.source_dirs(files) {
            if !project.source_dirs.contains(&folder) {
                project.source_dirs.push(folder);
            }
        }
        for (unit, file) in loaded.naming().exceptions {
            project.naming.exceptions.entry(unit).or_insert(file);
        }
    }
    project.missing = reader.missing;
    Ok(project)
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    List(Vec<String>),
}

impl Value {
    fn list(self) -> Vec<String> {
        match self {
            Value::Text(text) => vec![text],
            Value::List(list) => list,
        }
    }

    fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::List(list) => list.join(" "),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Loaded {
    folder: PathBuf,
    /// Attributes and variables by name, those of packages as `package.name`, with their index.
    values: HashMap<(String, String), Value>,
    /// The source folders of an extended project.
    extended: Vec<PathBuf>,
}

impl Loaded {
    fn list(&self, name: &str) -> Vec<String> {
        self.values.get(&(name.to_owned(), String::new())).cloned().map_or(Vec::new(), Value::list)
    }

    fn source_dirs(&self, files: &dyn Files) -> Vec<PathBuf> {
        let mut dirs = match self.values.get(&("source_dirs".to_owned(), String::new())) {
            Some(value) => value.clone().list(),
            None => vec![".".to_owned()],
        };
        dirs.retain(|d| !d.is_empty());
        let mut all = Vec::new();
        for dir in dirs {
            let (dir, recursive) = match dir.strip_suffix("**") {
                Some(rest) => (rest.trim_end_matches('/').to_owned(), true),
                None => (dir, false),
            };
            let folder = match dir.as_str() {
                "." | "" => self.folder.clone(),
                dir => self.folder.join(dir.trim_start_matches("./")),
            };
            if recursive {
                below(&folder, files, 0, &mut all);
            } else {
                all.push(folder);
            }
        }
        all.extend(self.extended.iter().cloned());
        all
    }

    fn naming(&self) -> Naming {
        let mut naming = Naming::default();
        for ((name, index), value) in &self.values {
            let text = value.text();
            let ada = index == "ada";
            match name.as_str() {
                "naming.spec_suffix" | "naming.specification_suffix" if ada => naming.spec_suffix = text,
                "naming.body_suffix" | "naming.implementation_suffix" if ada => naming.body_suffix = text,
                "naming.separate_suffix" => naming.separate_suffix = Some(text),
                "naming.dot_replacement" => naming.dot_replacement = text,
                "naming.spec" | "naming.specification" => {
                    naming.exceptions.insert((index.clone(), false), text);
                }
                "naming.body" | "naming.implementation" => {
                    naming.exceptions.insert((index.clone(), true), text);
                }
                _ => {}
            }
        }
        naming
    }
}

/// A folder and all below it.
fn below(folder: &Path, files: &dyn Files, depth: usize, out: &mut Vec<PathBuf>) {
    out.push(folder.to_owned());
    if depth < 12 {
        for inner in files.folders(folder) {
            below(&inner, files, depth + 1, out);
        }
    }
}

struct Reader<'r> {
    scenario: &'r [(String, String)],
    files: &'r dyn Files,
    map: &'r mut SourceMap,
    /// In the order in which sources are looked for.
    seen: Vec<String>,
    projects: HashMap<String, Loaded>,
    missing: Vec<String>,
}

impl Reader<'_> {
    /// Loads a project; the name under which it is known.
    fn load(&mut self, path: &Path, from: Option<Span>) -> Result<String, Diagnostic> {
        let path = if path.extension().is_none() { path.with_extension("gpr") } else { path.to_owned() };
        let complain = |text: String| match from {
            Some(span) => Diagnostic::error(span, text),
            None => Diagnostic::general(text),
        };
        let key = path.display().to_string();
        if self.projects.contains_key(&key) {
            return Ok(key);
        }
        if self.seen.len() > 200 {
            return Err(complain("too many projects".into()));
        }
        let bytes = self
            .files
            .read(&path)
            .map_err(|e| complain(format!("{}: cannot be read: {e}", path.display())))?;
        let text = decode(&bytes).map_err(|_| complain(format!("{key}:1:1: this is not source text")))?;
        let file = self.map.add(key.clone(), text.clone());
        let tokens = tokens(&text, file);
        self.seen.push(key.clone());
        self.projects.insert(key.clone(), Loaded::default());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut parser = Parser {
            reader: self,
            tokens,
            at: 0,
            loaded: Loaded { folder: folder.clone(), ..Loaded::default() },
            imports: HashMap::new(),
            folder,
            package: String::new(),
            depth: 0,
        };
        parser.project()?;
        let loaded = parser.loaded;
        self.projects.insert(key.clone(), loaded);
        Ok(key)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
    Assign,
    Arrow,
}

fn tokens(text: &str, file: rendez_source::FileId) -> Vec<(Token, Span)> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let chars: Vec<char> = line.chars().collect();
        let mut i = 0;
        while i < chars.len() {
            let start = i;
            let token = match chars[i] {
                '-' if chars.get(i + 1) == Some(&'-') => break,
                '"' => {
                    let mut value = String::new();
                    i += 1;
                    while i < chars.len() {
                        if chars[i] == '"' && chars.get(i + 1) == Some(&'"') {
                            value.push('"');
                            i += 2;
                        } else if chars[i] == '"' {
                            break;
                        } else {
                            value.push(chars[i]);
                            i += 1;
                        }
                    }
                    i += 1;
                    Token::Text(value)
                }
                ':' if chars.get(i + 1) == Some(&'=') => {
                    i += 2;
                    Token::Assign
                }
                '=' if chars.get(i + 1) == Some(&'>') => {
                    i += 2;
                    Token::Arrow
                }
                c if c.is_alphanumeric() || c == '_' => {
                    while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                        i += 1;
                    }
                    Token::Word(chars[start..i].iter().collect::<String>().to_lowercase())
                }
                c if c.is_whitespace() => {
                    i += 1;
                    continue;
                }
                c => {
                    i += 1;
                    Token::Sign(c)
                }
            };
            let line = number as u32 + 1;
            let column =
                |i: usize| chars[..i.min(chars.len())].iter().map(|c| c.len_utf8()).sum::<usize>() as u32 + 1;
            let span = Span { file, line, column: column(start), end_line: line, end_column: column(i) };
            out.push((token, span));
        }
    }
    out
}

struct Parser<'p, 'r> {
    reader: &'p mut Reader<'r>,
    tokens: Vec<(Token, Span)>,
    at: usize,
    loaded: Loaded,
    /// Imported projects by name.
    imports: HashMap<String, String>,
    folder: PathBuf,
    /// The package that is being read, with a dot.
    package: String,
    depth: usize,
}

type Read<T> = Result<T, Diagnostic>;

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    fn span(&self) -> Span {
        match self.tokens.get(self.at).or(self.tokens.last()) {
            Some((_, span)) => *span,
            None => Span::NOWHERE,
        }
    }

    fn fail<T>(&self, expected: &str) -> Read<T> {
        Err(Diagnostic::error(self.span(), format!("{expected} is expected here")).label("project file"))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if w == word)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn accept(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &Token, name: &str) -> Read<()> {
        if self.accept(token) { Ok(()) } else { self.fail(name) }
    }

    fn word(&mut self) -> Read<String> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => self.fail("a name"),
        }
    }

    fn text(&mut self) -> Read<String> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => self.fail("a string"),
        }
    }

    fn semicolon(&mut self) -> Read<()> {
        self.expect(&Token::Sign(';'), "`;`")
    }

    fn project(&mut self) -> Read<()> {
        while self.is_word("with") || self.is_word("limited") {
            self.accept_word("limited");
            self.accept_word("with");
            loop {
                let span = self.span();
                let name = self.text()?;
                self.import(&name, span)?;
                if !self.accept(&Token::Sign(',')) {
                    break;
                }
            }
            self.semicolon()?;
        }
        for kind in ["abstract", "library", "aggregate", "configuration", "standard"] {
            self.accept_word(kind);
        }
        self.accept_word("library");
        if !self.accept_word("project") {
            return self.fail("`project`");
        }
        self.name()?;
        if self.accept_word("extends") {
            self.accept_word("all");
            let span = self.span();
            let name = self.text()?;
            let key = self.import(&name, span)?;
            // What the extended project says holds unless it is said again.
            if let Some(base) = self.reader.projects.get(&key).cloned() {
                self.loaded.extended = base.source_dirs(self.reader.files);
                for ((name, index), value) in base.values {
                    if name != "source_dirs" {
                        self.loaded.values.insert((name, index), value);
                    }
                }
            }
        }
        if !self.accept_word("is") {
            return self.fail("`is`");
        }
        self.declarations(true)?;
        Ok(())
    }

    fn name(&mut self) -> Read<String> {
        let mut name = self.word()?;
        while self.accept(&Token::Sign('.')) {
            name = format!("{name}.{}", self.word()?);
        }
        Ok(name)
    }

    fn import(&mut self, name: &str, span: Span) -> Read<String> {
        let path = self.folder.join(name);
        let key = match self.reader.load(&path, Some(span)) {
            Ok(key) => key,
            // Projects of installed libraries are not there: nothing is known of their sources.
            Err(_) if !name.contains('/') && !name.contains('\\') && !self.exists(&path) => {
                if !self.reader.missing.iter().any(|m| m == name) {
                    self.reader.missing.push(name.to_owned());
                }
                return Ok(String::new());
            }
            Err(error) => return Err(error),
        };
        let simple = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        self.imports.insert(simple.replace('-', "."), key.clone());
        Ok(key)
    }

    fn exists(&self, path: &Path) -> bool {
        let path = if path.extension().is_none() { path.with_extension("gpr") } else { path.to_owned() };
        self.reader.files.read(&path).is_ok()
    }

    /// Declarations up to `end`; without `live` they are only read over.
    fn declarations(&mut self, live: bool) -> Read<()> {
        self.depth += 1;
        if self.depth > 100 {
            return self.fail("less nesting");
        }
        loop {
            if self.accept_word("end") {
                self.accept_word("case");
                while !self.accept(&Token::Sign(';')) {
                    if self.at >= self.tokens.len() {
                        return self.fail("`;`");
                    }
                    self.at += 1;
                }
                break;
            }
            if self.is_word("when") {
                break;
            }
            if self.accept_word("null") {
                self.semicolon()?;
            } else if self.accept_word("package") {
                self.package(live)?;
            } else if self.accept_word("for") {
                self.attribute(live)?;
            } else if self.accept_word("type") {
                self.word()?;
                if !self.accept_word("is") {
                    return self.fail("`is`");
                }
                self.expression()?;
                self.semicolon()?;
            } else if self.accept_word("case") {
                self.case(live)?;
            } else if self.at >= self.tokens.len() {
                return self.fail("`end`");
            } else {
                self.variable(live)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn package(&mut self, live: bool) -> Read<()> {
        let name = self.word()?;
        if self.accept_word("renames") || self.accept_word("extends") {
            let from = self.name()?;
            // `package Naming renames Shared.Naming`: its attributes are taken over.
            if live && let Some((project, package)) = from.rsplit_once('.') {
                let key = self.imports.get(project).cloned().unwrap_or_default();
                let values = self.reader.projects.get(&key).map(|p| p.values.clone()).unwrap_or_default();
                for ((attribute, index), value) in values {
                    if let Some(rest) = attribute.strip_prefix(&format!("{package}.")) {
                        self.loaded.values.insert((format!("{name}.{rest}"), index), value);
                    }
                }
            }
            if self.accept(&Token::Sign(';')) {
                return Ok(());
            }
        }
        if !self.accept_word("is") {
            return self.fail("`is`");
        }
        let outer = std::mem::replace(&mut self.package, format!("{name}."));
        self.declarations(live)?;
        self.package = outer;
        Ok(())
    }

    fn attribute(&mut self, live: bool) -> Read<()> {
        let name = self.word()?;
        let mut index = String::new();
        if self.accept(&Token::Sign('(')) {
            index = match self.peek() {
                Some(Token::Text(_)) => self.text()?.to_lowercase(),
                _ => self.word()?,
            };
            self.expect(&Token::Sign(')'), "`)`")?;
        }
        if !self.accept_word("use") {
            return self.fail("`use`");
        }
        let value = self.expression()?;
        if self.accept_word("at") {
            self.at += 1;
        }
        self.semicolon()?;
        if live {
            self.loaded.values.insert((format!("{}{name}", self.package), index), value);
        }
        Ok(())
    }

    fn variable(&mut self, live: bool) -> Read<()> {
        let name = self.word()?;
        if self.accept(&Token::Sign(':')) {
            self.name()?;
        }
        self.expect(&Token::Assign, "`:=`")?;
        let value = self.expression()?;
        self.semicolon()?;
        if live {
            self.loaded.values.insert((format!("{}{name}", self.package), "variable".into()), value);
        }
        Ok(())
    }

    fn case(&mut self, live: bool) -> Read<()> {
        let subject = self.expression()?.text();
        if !self.accept_word("is") {
            return self.fail("`is`");
        }
        let mut taken = false;
        while self.accept_word("when") {
            let mut chosen = false;
            loop {
                if self.accept_word("others") {
                    chosen = true;
                } else {
                    chosen |= self.text()? == subject;
                }
                if !self.accept(&Token::Sign('|')) {
                    break;
                }
            }
            self.expect(&Token::Arrow, "`=>`")?;
            let this = live && chosen && !taken;
            taken |= chosen;
            self.declarations(this)?;
            // The last branch has read `end case`.
            if !self.is_word("when") {
                return Ok(());
            }
        }
        self.fail("`when`")
    }

    fn expression(&mut self) -> Read<Value> {
        let mut value = self.term()?;
        while self.accept(&Token::Sign('&')) {
            let right = self.term()?;
            value = match (value, right) {
                (Value::Text(a), Value::Text(b)) => Value::Text(a + &b),
                (a, b) => {
                    let mut all = a.list();
                    all.extend(b.list());
                    Value::List(all)
                }
            };
        }
        Ok(value)
    }

    fn term(&mut self) -> Read<Value> {
        match self.peek().cloned() {
            Some(Token::Text(text)) => {
                self.at += 1;
                Ok(Value::Text(text))
            }
            Some(Token::Sign('(')) => {
                self.at += 1;
                let mut all = Vec::new();
                while !self.accept(&Token::Sign(')')) {
                    all.extend(self.expression()?.list());
                    if !self.accept(&Token::Sign(',')) {
                        self.expect(&Token::Sign(')'), "`)`")?;
                        break;
                    }
                }
                Ok(Value::List(all))
            }
            Some(Token::Word(word)) if word == "external" || word == "external_as_list" => {
                self.at += 1;
                self.expect(&Token::Sign('('), "`(`")?;
                let name = self.expression()?.text();
                let default = if self.accept(&Token::Sign(',')) { Some(self.expression()?) } else { None };
                self.expect(&Token::Sign(')'), "`)`")?;
                let given = self.reader.scenario.iter().find(|s| s.0.eq_ignore_ascii_case(&name));
                Ok(match (given, default) {
                    (Some((_, value)), Some(separator)) if word == "external_as_list" => {
                        let separator = separator.text();
                        Value::List(value.split(separator.as_str()).map(str::to_owned).collect())
                    }
                    (Some((_, value)), _) => Value::Text(value.clone()),
                    (None, _) if word == "external_as_list" => Value::List(Vec::new()),
                    (None, Some(default)) => default,
                    (None, None) => Value::Text(String::new()),
                })
            }
            Some(Token::Word(_)) => self.reference(),
            _ => self.fail("a value"),
        }
    }

    /// A variable or attribute, maybe of another project or package.
    fn reference(&mut self) -> Read<Value> {
        let name = self.name()?;
        let mut index = "variable".to_owned();
        let mut key = name.clone();
        if self.accept(&Token::Sign('\'')) {
            let attribute = self.word()?;
            index = String::new();
            if self.accept(&Token::Sign('(')) {
                index = self.text()?.to_lowercase();
                self.expect(&Token::Sign(')'), "`)`")?;
            }
            if attribute == "project_dir" {
                return Ok(Value::Text(String::new()));
            }
            key = format!("{name}.{attribute}");
        } else if self.accept(&Token::Sign('(')) {
            // A function such as Split or Lower: its value is not needed.
            let mut depth = 1;
            while depth > 0 && self.at < self.tokens.len() {
                match self.peek() {
                    Some(Token::Sign('(')) => depth += 1,
                    Some(Token::Sign(')')) => depth -= 1,
                    _ => {}
                }
                self.at += 1;
            }
            return Ok(Value::Text(String::new()));
        }
        let own = |key: &str| self.loaded.values.get(&(key.to_owned(), index.clone())).cloned();
        let found = own(&format!("{}{key}", self.package)).or_else(|| own(&key)).or_else(|| {
            // The longest prefix that names a project.
            let dots: Vec<usize> = key.match_indices('.').map(|d| d.0).collect();
            dots.iter().rev().find_map(|&dot| {
                let rest = &key[dot + 1..];
                match self.imports.get(&key[..dot]) {
                    Some(project) => self
                        .reader
                        .projects
                        .get(project)?
                        .values
                        .get(&(rest.to_owned(), index.clone()))
                        .cloned(),
                    // The project's own name.
                    None => own(rest),
                }
            })
        });
        Ok(found.unwrap_or(Value::List(Vec::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Memory(HashMap<PathBuf, &'static str>);

    impl Files for Memory {
        fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
            let text = self.0.get(path).ok_or(std::io::ErrorKind::NotFound)?;
            Ok(text.as_bytes().to_vec())
        }

        fn list(&self, _: &Path) -> Vec<PathBuf> {
            Vec::new()
        }

        fn folders(&self, folder: &Path) -> Vec<PathBuf> {
            if folder.ends_with("src") { vec![folder.join("deep")] } else { Vec::new() }
        }
    }

    fn project(files: &[(&str, &'static str)], scenario: &[(&str, &str)]) -> Result<Project, Diagnostic> {
        let memory = Memory(files.iter().map(|(p, t)| (PathBuf::from(p), *t)).collect());
        let scenario: Vec<_> = scenario.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        read(Path::new(files[0].0), &scenario, &memory, &mut SourceMap::default())
    }

    const MAIN: &str = r#"
        with "shared/common.gpr";
        project Demo is
           type Mode_Kind is ("debug", "release");
           Mode : Mode_Kind := external ("MODE", "debug");
           Base := ("src/**");  --  everything
           case Mode is
              when "debug" => for Source_Dirs use Base & ("debug");
              when others => for Source_Dirs use Base;
           end case;
           for Main use ("demo.adb");
           package Naming renames Common.Naming;
           package Compiler is
              for Default_Switches ("Ada") use ("-O2") & Common.Flags;
           end Compiler;
        end Demo;"#;

    const COMMON: &str = r#"
        abstract project Common is
           Flags := ("-g", "-gnata");
           for Source_Dirs use ();
           package Naming is
              for Spec_Suffix ("Ada") use ".1.ada";
              for Body_Suffix ("Ada") use ".2.ada";
              for Dot_Replacement use "__";
              for Body ("Odd.One") use "oddone.ada";
           end Naming;
        end Common;"#;

    #[test]
    fn sources_mains_and_names_come_from_the_project() {
        let files = [("demo.gpr", MAIN), ("shared/common.gpr", COMMON)];
        let p = project(&files, &[]).unwrap();
        assert_eq!(p.mains, ["demo.adb"]);
        let dirs: Vec<String> = p.source_dirs.iter().map(|d| d.display().to_string()).collect();
        assert_eq!(dirs, ["src", "src/deep", "debug"]);
        assert_eq!(p.naming.file("a.b", false), "a__b.1.ada");
        assert_eq!(p.naming.file("odd.one", true), "oddone.ada");
        let p = project(&files, &[("mode", "release")]).unwrap();
        assert_eq!(p.source_dirs.len(), 2);
    }

    #[test]
    fn mistakes_have_a_place() {
        let error = project(&[("a.gpr", "project A is\n   for Main use (\"x\";\nend A;")], &[]).unwrap_err();
        assert_eq!(error.span.unwrap().line, 2);
        assert!(project(&[("a.gpr", "with \"sub/b.gpr\"; project A is end A;")], &[]).is_err());
        assert!(project(&[("a.gpr", "project A is")], &[]).is_err());
        // An installed library is not at hand.
        let p = project(&[("a.gpr", "with \"gnatcoll\"; project A is end A;")], &[]).unwrap();
        assert_eq!(p.missing, ["gnatcoll"]);
    }
}
