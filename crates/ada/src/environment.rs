//! The most general environment of a library unit: tasks that call its visible operations in any
//! order, any number of times, with any arguments.
//!
//! It is written as Ada text, a child procedure of the unit, which sees what the unit declares.

use std::fmt::Write;

use rendez_source::{Diagnostic, SourceMap};

use crate::syntax::*;
use crate::units::Units;

/// The simple name of the procedure.
pub const NAME: &str = "rendez_environment";

struct Operation {
    /// What is called, as seen from inside the unit.
    name: String,
    /// Names and types of the parameters.
    params: Vec<(String, String)>,
    result: Option<String>,
    /// The index range of an entry family.
    family: bool,
}

/// Writes the environment of a unit.
pub fn environment(units: &Units, map: &SourceMap, root: &str, clients: usize) -> Result<String, Diagnostic> {
    let Some(unit) = units.specs.get(root).or_else(|| units.bodies.get(root)).map(|u| &units.all[*u]) else {
        return Err(Diagnostic::general(format!("--root {root}: no such unit was found in the given files")));
    };
    let mut operations = Vec::new();
    let simple = root.rsplit('.').next().unwrap_or(root);
    let child = match &unit.decl.kind {
        DeclKind::Package { decls, .. } => {
            collect(decls, "", map, &mut operations);
            true
        }
        DeclKind::Subprogram { spec, .. } => {
            operations.push(operation(simple, &spec.params, spec.result.as_ref(), map));
            false
        }
        DeclKind::Generic { .. } => {
            return Err(Diagnostic::error(unit.decl.span, format!("generic unit `{root}` cannot be a root"))
                .help("analyse a unit that instantiates it"));
        }
        _ => {
            return Err(Diagnostic::error(unit.decl.span, format!("unit `{root}` cannot be a root")));
        }
    };
    let mut text = String::new();
    let out = &mut text;
    let name = if child { format!("{root}.{NAME}") } else { NAME.to_owned() };
    if !child {
        let _ = writeln!(out, "with {root};");
    }
    let _ = writeln!(out, "procedure {name} is");
    let _ = writeln!(out, "   protected Rendez_Rest is entry Wait; end Rendez_Rest;");
    let _ = writeln!(out, "   protected body Rendez_Rest is");
    let _ = writeln!(out, "      entry Wait when False is begin null; end Wait;");
    let _ = writeln!(out, "   end Rendez_Rest;");
    for (i, operation) in operations.iter().enumerate() {
        write_call(out, i, operation);
    }
    let _ = writeln!(out, "   task type Environment;");
    let _ = writeln!(out, "   pragma Annotate (Rendez, Background, Environment);");
    let _ = writeln!(out, "   task body Environment is\n   begin\n      loop");
    match operations.len() {
        0 => {
            let _ = writeln!(out, "         Rendez_Rest.Wait;");
        }
        1 => {
            let _ = writeln!(out, "         Rendez_Call_0;");
        }
        n => {
            for i in 0..n - 1 {
                let word = if i == 0 { "if" } else { "elsif" };
                let _ =
                    writeln!(out, "         {word} Rendez_Model.Chosen then\n            Rendez_Call_{i};");
            }
            let _ = writeln!(out, "         else\n            Rendez_Call_{};\n         end if;", n - 1);
        }
    }
    let _ = writeln!(out, "      end loop;\n   end Environment;");
    let _ = writeln!(out, "   Rendez_Clients : array (1 .. {clients}) of Environment;");
    let _ = writeln!(out, "begin\n   Rendez_Rest.Wait;\nend {name};");
    Ok(text)
}

fn write_call(out: &mut String, i: usize, operation: &Operation) {
    let _ = writeln!(out, "   procedure Rendez_Call_{i} is");
    for (name, ty) in &operation.params {
        let _ = writeln!(out, "      Rendez_{name} : {ty};");
    }
    if operation.family {
        let _ = writeln!(out, "      Rendez_Index : Integer;");
    }
    let _ = writeln!(out, "   begin");
    for (name, _) in &operation.params {
        let _ = writeln!(out, "      Rendez_Model.Havoc (Rendez_{name});");
    }
    let mut call = operation.name.clone();
    if operation.family {
        let _ = writeln!(out, "      Rendez_Model.Havoc (Rendez_Index);");
        call.push_str(" (Rendez_Index)");
    }
    if !operation.params.is_empty() {
        let args: Vec<String> = operation.params.iter().map(|(n, _)| format!("Rendez_{n}")).collect();
        let _ = write!(call, " ({})", args.join(", "));
    }
    match operation.result {
        Some(ref result) => {
            let _ = writeln!(out, "      declare Rendez_Result : {result} := {call}; begin null; end;");
        }
        None => {
            let _ = writeln!(out, "      {call};");
        }
    }
    // What the operation raises is the business of its caller.
    let _ = writeln!(out, "   exception\n      when others => null;\n   end Rendez_Call_{i};");
}

/// The operations that declarations offer.
fn collect(decls: &[Decl], prefix: &str, map: &SourceMap, out: &mut Vec<Operation>) {
    for decl in decls {
        match &decl.kind {
            // Operators are called by expressions only.
            DeclKind::Subprogram { spec, body }
                if !matches!(body, SubprogramBody::Abstract) && !spec.ident.key.starts_with('"') =>
            {
                let name = format!("{prefix}{}", spec.ident.text);
                out.push(operation(&name, &spec.params, spec.result.as_ref(), map));
            }
            DeclKind::Protected { name, single: true, items, .. } => {
                collect_items(items, &format!("{prefix}{}.", name.text), map, out);
            }
            DeclKind::Task { name, single: true, entries, .. } => {
                for entry in entries {
                    out.push(entry_operation(entry, &format!("{prefix}{}.", name.text), map));
                }
            }
            DeclKind::Package { name, decls, .. } => {
                let inner = format!("{prefix}{}.", crate::parse::last_ident(name).text);
                collect(decls, &inner, map, out);
            }
            _ => {}
        }
    }
}

fn collect_items(items: &[Decl], prefix: &str, map: &SourceMap, out: &mut Vec<Operation>) {
    for item in items {
        match &item.kind {
            DeclKind::Subprogram { spec, .. } => {
                let name = format!("{prefix}{}", spec.ident.text);
                out.push(operation(&name, &spec.params, spec.result.as_ref(), map));
            }
            DeclKind::Entry(entry) => out.push(entry_operation(entry, prefix, map)),
            _ => {}
        }
    }
}

fn entry_operation(entry: &EntryDecl, prefix: &str, map: &SourceMap) -> Operation {
    let mut operation = operation(&format!("{prefix}{}", entry.name.text), &entry.params, None, map);
    operation.family = entry.family.is_some();
    operation
}

fn operation(name: &str, params: &[Param], result: Option<&TypeRef>, map: &SourceMap) -> Operation {
    Operation {
        name: name.to_owned(),
        params: params.iter().map(|p| (p.name.text.clone(), type_text(&p.ty, map))).collect(),
        result: result.map(|r| type_text(r, map)),
        family: false,
    }
}

/// A type as it is written.
fn type_text(ty: &TypeRef, map: &SourceMap) -> String {
    let mark = |e: &Expr| map.text(e.span.file)[map.range(e.span)].to_owned();
    match ty {
        TypeRef::Subtype(subtype) => mark(&subtype.mark),
        TypeRef::Access(target, _) => format!("access {}", mark(target)),
        TypeRef::AccessSubprogram(_) => "access procedure".into(),
        TypeRef::Array(..) => "String".into(),
    }
}
