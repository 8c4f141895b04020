//! What passes make of programs.

use rendez_analysis::passes;
use rendez_cases::Case;
use rendez_model::{Loc, Program, VarId, text, validate};

/// The lines of a program without spans.
fn lines(program: &Program) -> Vec<String> {
    let shown = ["queues", "var", "temporary", "entry", "proc", "handler", "node", "assume", "unchecked"];
    let text = text::print(program);
    let lines = text.lines().filter(|line| shown.iter().any(|s| line.starts_with(s)));
    // An alternative of a select statement has a span, too, and nothing behind it but brackets.
    let without_spans = |line: &str| {
        let (start, rest) = line.split_once(" @0:").unwrap_or((line, ""));
        match line.strip_prefix("unchecked @0:") {
            Some(span) => format!("unchecked at line {}", span.split(':').next().unwrap_or_default()),
            None => format!(
                "{start}{}",
                rest.find(']').map_or("", |at| rest[at..].split(" @").next().unwrap_or(""))
            ),
        }
    };
    lines.map(without_spans).collect()
}

/// The program after the pass, if it is another one. It must still be valid.
fn after(case: &Case, pass: impl Fn(&mut Program)) -> (Vec<String>, Vec<String>) {
    let mut program = case.program();
    let before = lines(&program);
    pass(&mut program);
    let broken = validate(&program);
    assert!(broken.is_empty(), "the pass breaks the program: {broken:?}");
    (before, lines(&program))
}

/// All that is left: for passes that give locations new numbers.
fn listing(case: &Case, pass: impl Fn(&mut Program)) -> String {
    let (before, after) = after(case, pass);
    if before == after { "unchanged".into() } else { after.join("\n") }
}

/// What goes and what comes: for passes that keep numbers.
fn difference(case: &Case, pass: impl Fn(&mut Program)) -> String {
    let (before, after) = after(case, pass);
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| format!("- {line}\n"));
    let new = after.iter().filter(|line| !before.contains(line)).map(|line| format!("+ {line}\n"));
    let out: String = gone.chain(new).collect();
    if out.is_empty() { "unchanged".into() } else { out }
}

/// `! keep N...` names cells that always matter, `! delays` makes delays an order.
pub(crate) fn slice(case: &Case) -> String {
    let keep: Vec<VarId> = case.numbers("keep").into_iter().map(VarId).collect();
    let delays = match case.option("delays") {
        Some(_) => passes::Delays::Ordered,
        None => passes::Delays::Any,
    };
    listing(case, |program| passes::slice(program, &keep, delays))
}

pub(crate) fn constants(case: &Case) -> String {
    difference(case, passes::fold_constants)
}

/// `! keep N...` names locations that stay.
pub(crate) fn compact(case: &Case) -> String {
    let keep: Vec<Loc> = case.numbers("keep").into_iter().map(Loc).collect();
    listing(case, |program| passes::compact(program, &keep))
}

pub(crate) fn granularity(case: &Case) -> String {
    difference(case, passes::split_accesses)
}

/// `! bound N` on recursion.
pub(crate) fn inline(case: &Case) -> String {
    let bound = case.numbers("bound").first().map_or(3, |n| *n as usize);
    listing(case, |program| {
        passes::inline(program, bound);
        let exits: Vec<Loc> = program.tasks.iter().map(|t| t.exit).collect();
        passes::compact(program, &exits);
    })
}

pub(crate) fn inputs(case: &Case) -> String {
    difference(case, passes::classify_inputs)
}

pub(crate) fn locks(case: &Case) -> String {
    difference(case, passes::drop_idle_locks)
}

/// `! forget N...` names cells.
pub(crate) fn opaque(case: &Case) -> String {
    let forget = case.numbers("forget");
    difference(case, |program| passes::make_opaque(program, |v, _| forget.contains(&v.0)))
}

pub(crate) fn unknown(case: &Case) -> String {
    difference(case, passes::doubt_unknown_values)
}
