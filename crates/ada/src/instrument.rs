//! Source to source: programs that log what they do.
//!
//! Before every statement of a task, procedure, entry body or handler, and at the end of every
//! sequence of statements, the instrumented program tells a package `Rendez_Log` where it is. An
//! annotation makes the same place an event of the model, so that a log can be compared with what
//! the model allows. Bodies of functions stay as they are: how often a barrier is evaluated is
//! nobody's business. Handlers start with a pause: in GNAT's run time a call that follows a
//! Tasking_Error too fast may come back without a rendezvous. Delays are scaled by the package, and every task says which exception it
//! dies of.

use rendez_source::SourceMap;

use crate::parse::{Trees, parse};
use crate::syntax::*;

/// Instruments one source text; None if it cannot be parsed.
pub fn instrument(text: &str) -> Option<String> {
    let mut map = SourceMap::default();
    let file = map.add("", text);
    let parsed = parse(file, text, &mut Trees::default());
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut work = Work { map: &map, inserts: Vec::new() };
    for unit in &parsed.units {
        let start = unit.withs.iter().map(|w| w.span).chain([unit.decl.span]).min()?;
        let mut at = map.range(start).start;
        // A with clause starts with its keyword, not with the name.
        if !unit.withs.is_empty() {
            at = text[..at].to_lowercase().rfind("with")?;
        }
        if unit.separate.is_none() {
            work.insert(at, "with Rendez_Log; ");
        }
        work.decl(&unit.decl, true);
    }
    let mut inserts = work.inserts;
    inserts.sort_by_key(|i| i.0);
    let mut out = String::with_capacity(text.len() * 3);
    let mut from = 0;
    for (at, what) in inserts {
        out.push_str(&text[from..at]);
        out.push_str(&what);
        from = at;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// Who logs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The task itself, which may be delayed here.
    Task,
    /// Whoever calls: another task may run an entry body.
    Anybody,
}

struct Work<'m> {
    map: &'m SourceMap,
    inserts: Vec<(usize, String)>,
}

impl Work<'_> {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.inserts.push((at, text.into()));
    }

    fn event(&mut self, at: usize, label: &str, who: Who) {
        let call = event(label, who);
        self.insert(at, call);
    }

    fn decl(&mut self, decl: &Decl, library: bool) {
        match &decl.kind {
            DeclKind::Subprogram { spec, body: SubprogramBody::Body(body) } => {
                self.decls(&body.decls);
                // The main procedure is a task; other subprograms may be called by anybody.
                let main = library && spec.params.is_empty();
                if spec.result.is_none() {
                    self.body(body, if main { Who::Task } else { Who::Anybody }, main);
                }
            }
            DeclKind::TaskBody { body, .. } => {
                self.decls(&body.decls);
                self.body(body, Who::Task, true);
            }
            DeclKind::EntryBody { body, .. } => {
                self.decls(&body.decls);
                self.handled(&body.handled, Who::Anybody);
            }
            DeclKind::ProtectedBody { items, .. } => self.decls(items),
            DeclKind::Package { decls, private, .. } => {
                self.decls(decls);
                self.decls(private);
            }
            DeclKind::PackageBody { decls, handled, .. } => {
                self.decls(decls);
                if let Some(handled) = handled {
                    self.handled(handled, Who::Anybody);
                }
            }
            DeclKind::Generic { decl, .. } => self.decl(decl, false),
            _ => {}
        }
    }

    fn decls(&mut self, decls: &[Decl]) {
        decls.iter().for_each(|d| self.decl(d, false));
    }

    /// A body; with `last_words` it logs the exception that it dies of.
    fn body(&mut self, body: &Body, who: Who, last_words: bool) {
        let handled = &body.handled;
        let all = handled.stmts.iter().chain(handled.handlers.iter().flat_map(|h| &h.stmts));
        let (Some(first), Some(last)) = (handled.stmts.first(), all.last()) else { return };
        let (start, end) = (self.start(first), self.map.range(last.whole).end);
        if last_words {
            self.insert(start, "begin ");
        }
        self.handled(handled, who);
        if last_words {
            let mut text = String::from(" end; exception");
            for name in ["Constraint_Error", "Program_Error", "Tasking_Error", "others"] {
                text.push_str(&format!(" when {name} => {} raise;", event(&format!("died:{name}"), who)));
            }
            text.push(' ');
            self.insert(end, text);
        }
    }

    fn handled(&mut self, handled: &Handled, who: Who) {
        self.stmts(&handled.stmts, who);
        for handler in &handled.handlers {
            if let (Some(first), Who::Task) = (handler.stmts.first(), who) {
                let start = self.start(first);
                self.insert(start, "Rendez_Log.Recover; ");
            }
            self.stmts(&handler.stmts, who);
        }
    }

    /// Where a statement starts, its labels included.
    fn start(&self, stmt: &Stmt) -> usize {
        self.map.range(stmt.span).start
    }

    fn stmts(&mut self, stmts: &[Stmt], who: Who) {
        for stmt in stmts {
            if matches!(
                stmt.kind,
                StmtKind::Pragma { .. } | StmtKind::Assertion(..) | StmtKind::Event(_) | StmtKind::Formula(_)
            ) {
                continue;
            }
            let label = format!("{}:{}", stmt.span.line, stmt.span.column);
            let start = self.start(stmt);
            self.event(start, &label, who);
            self.stmt(stmt, who);
        }
        // An annotation is a comment: nothing can stand behind it in its line.
        let is_note =
            |s: &&Stmt| matches!(s.kind, StmtKind::Assertion(..) | StmtKind::Event(_) | StmtKind::Formula(_));
        if let Some(last) = stmts.iter().rfind(|s| !is_note(s)) {
            let leaves = matches!(
                last.kind,
                StmtKind::Return(_)
                    | StmtKind::ExtendedReturn { .. }
                    | StmtKind::Raise(..)
                    | StmtKind::Goto(_)
                    | StmtKind::Requeue { .. }
                    | StmtKind::Exit { when: None, .. }
            );
            if !leaves {
                let end = self.map.range(last.whole).end;
                let label = format!("{}:{}e", last.whole.end_line, last.whole.end_column);
                self.event(end, &label, who);
            }
        }
    }

    fn delay(&mut self, time: &Expr) {
        let range = self.map.range(time.span);
        let text = self.map.text(time.span.file);
        // `delay until` keeps its time.
        if text[..range.start].trim_end().to_lowercase().ends_with("delay") {
            self.insert(range.start, "Rendez_Log.Scaled (");
            self.insert(range.end, ")");
        }
    }

    fn stmt(&mut self, stmt: &Stmt, who: Who) {
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => {
                arms.iter().for_each(|a| self.stmts(&a.1, who));
                self.stmts(otherwise, who);
            }
            StmtKind::Case(_, arms) => arms.iter().for_each(|a| self.stmts(&a.1, who)),
            StmtKind::Loop { body, .. } => self.stmts(body, who),
            StmtKind::Parallel(parts) => parts.iter().for_each(|p| self.stmts(p, who)),
            StmtKind::Block { decls, handled } => {
                self.decls(decls);
                self.handled(handled, who);
            }
            StmtKind::Accept(accept) => self.accept(accept, who),
            StmtKind::Select { alternatives, otherwise } => {
                for (_, alternative) in alternatives {
                    match alternative {
                        SelectAlternative::Accept(accept, then) => {
                            self.accept(accept, who);
                            self.stmts(then, who);
                        }
                        SelectAlternative::Delay(time, then) => {
                            self.delay(time);
                            self.stmts(then, who);
                        }
                        SelectAlternative::Terminate => {}
                    }
                }
                self.stmts(otherwise.as_deref().unwrap_or_default(), who);
            }
            StmtKind::ConditionalCall { then, otherwise, .. } => {
                self.stmts(then, who);
                self.stmts(otherwise, who);
            }
            StmtKind::TimedCall { then, delay, otherwise, .. } => {
                self.stmts(then, who);
                self.delay(delay);
                self.stmts(otherwise, who);
            }
            StmtKind::Asynchronous { trigger, then, abortable } => {
                if let StmtKind::Delay(time) = &trigger.kind {
                    self.delay(time);
                }
                self.stmts(then, who);
                self.stmts(abortable, who);
            }
            StmtKind::Delay(time) => self.delay(time),
            _ => {}
        }
    }

    fn accept(&mut self, accept: &Accept, who: Who) {
        if let Some(body) = &accept.body {
            self.handled(body, who);
        }
    }
}

fn event(label: &str, who: Who) -> String {
    let name = match who {
        Who::Task => "Event",
        Who::Anybody => "Note",
    };
    format!("pragma Annotate (Rendez, Event, \"{label}\"); Rendez_Log.{name} (\"{label}\"); ")
}
