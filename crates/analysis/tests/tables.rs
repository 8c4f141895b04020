//! What every analysis finds out about small programs, and what every pass makes of them; among them, the programs of
//! which nothing may be said and that must stay as they are.

mod passes;

use std::process::ExitCode;

use rendez_analysis::access::{Access, touched};
use rendez_analysis::liveness::Liveness;
use rendez_analysis::loop_control::LoopControl;
use rendez_analysis::parallel::Parallel;
use rendez_analysis::postdominators::Postdominators;
use rendez_analysis::symmetry::{Permutation, Symmetry, symmetries};
use rendez_analysis::{bottom_components, components, semantics};
use rendez_cases::Case;
use rendez_model::{Action, EntryId, Loc, ObjectId, Program, TaskId, VarId};

fn main() -> ExitCode {
    rendez_cases::run(
        env!("CARGO_MANIFEST_DIR"),
        &[
            ("access", access),
            ("touched", touches),
            ("liveness", liveness),
            ("postdominators", postdominators),
            ("loop_control", loop_control),
            ("plain_selects", plain_selects),
            ("raising", raising),
            ("symmetry", symmetry),
            ("parallel", parallel),
            ("components", strong_components),
            ("slice", passes::slice),
            ("constants", passes::constants),
            ("compact", passes::compact),
            ("granularity", passes::granularity),
            ("inline", passes::inline),
            ("inputs", passes::inputs),
            ("locks", passes::locks),
            ("opaque", passes::opaque),
            ("unknown", passes::unknown),
        ],
    )
}

fn locations(program: &Program) -> impl Iterator<Item = Loc> {
    (0..program.nodes.len()).map(Loc::from)
}

fn cells(program: &Program, wanted: impl Fn(VarId) -> bool) -> String {
    let cells = (0..program.vars.len()).map(VarId::from).filter(|v| wanted(*v));
    list(cells.map(|v| program.vars[v.index()].name.clone()))
}

fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    if items.is_empty() { "none".into() } else { items.join(" ") }
}

/// Which cells are shared, and which locations are local.
fn access(case: &Case) -> String {
    let program = case.program();
    let access = Access::new(&program);
    let shared = cells(&program, |v| access.shared[v.index()]);
    let local = list(locations(&program).filter(|l| access.local[l.index()]).map(|l| l.0));
    let mut out = format!("shared: {shared}\nlocal: {local}\n");
    for (task, code) in program.tasks.iter().zip(&access.code) {
        let mut code: Vec<u32> = code.iter().map(|l| l.0).collect();
        code.sort_unstable();
        out += &format!("code of {}: {}\n", task.name, list(code));
    }
    out
}

/// What each task reads and writes of what is shared, with its first action, in the initial state.
fn touches(case: &Case) -> String {
    let program = case.program();
    let access = Access::new(&program);
    let state = semantics(&program, 32).initial();
    let mut out = String::new();
    for (t, task) in program.tasks.iter().enumerate() {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        touched(&program, &access, &state, TaskId::from(t), &mut reads, &mut writes);
        let show =
            |all: Vec<(VarId, bool)>| {
                list(all.into_iter().map(|(v, sure)| {
                    format!("{}{}", program.vars[v.index()].name, if sure { "" } else { "?" })
                }))
            };
        out += &format!("{} reads {}, writes {}\n", task.name, show(reads), show(writes));
    }
    out
}

/// The cells that are live at each location.
fn liveness(case: &Case) -> String {
    let program = case.program();
    let Some(liveness) = Liveness::new(&program, &Access::new(&program)) else {
        return "nothing is said".into();
    };
    let live = |loc| cells(&program, |v| liveness.is_live(loc, v));
    locations(&program).map(|loc| format!("{}: {}\n", loc.0, live(loc))).collect()
}

/// Where the arms of each branch meet, and what lies before that.
fn postdominators(case: &Case) -> String {
    let program = case.program();
    let all = Postdominators::new(&program);
    let mut out = String::new();
    for loc in locations(&program).filter(|l| is_branch(&program, *l)) {
        let meet = all.immediate(loc).map_or("nowhere".into(), |l| l.0.to_string());
        let mut region: Vec<u32> = all.region(loc).iter().map(|l| l.0).collect();
        region.sort_unstable();
        let loops = if all.loops(loc) { ", loops" } else { "" };
        out += &format!("{}: arms meet at {meet}, before that {}{loops}\n", loc.0, list(region));
    }
    out
}

fn is_branch(program: &Program, loc: Loc) -> bool {
    matches!(program.node(loc).action, Action::Branch { .. } | Action::Choose { .. })
}

/// Which branches decide about another round of a loop.
fn loop_control(case: &Case) -> String {
    let program = case.program();
    let control = LoopControl::new(&program);
    let branches = locations(&program).filter(|l| is_branch(&program, *l));
    let answer = |l: Loc| if control.repeats(l) { "decides about another round" } else { "does not" };
    branches.map(|l| format!("{}: {}\n", l.0, answer(l))).collect()
}

/// Whether a task that begins with a select statement need not look at its guards if nobody calls.
fn plain_selects(case: &Case) -> String {
    let program = case.program();
    let semantics = semantics(&program, 32);
    let state = semantics.initial();
    let mut out = String::new();
    for (t, task) in program.tasks.iter().enumerate() {
        if matches!(program.node(task.start).action, Action::Select { .. }) {
            let plain = semantics.takes_nobody(&state, TaskId::from(t));
            out +=
                &format!("{}: guards {} evaluated\n", task.name, if plain { "need not be" } else { "are" });
        }
    }
    out
}

/// Which locations may raise an exception.
fn raising(case: &Case) -> String {
    let program = case.program();
    let semantics = semantics(&program, 32);
    format!("may raise: {}", list(locations(&program).filter(|l| semantics.may_raise(*l)).map(|l| l.0)))
}

/// What goes where, under each symmetry.
fn symmetry(case: &Case) -> String {
    let program = case.program();
    let all = symmetries(&program);
    if all.is_empty() {
        return "no symmetry".into();
    }
    let show = |s: &Symmetry| {
        let p: &Permutation = &s.permutation;
        let mut moved = Vec::new();
        for i in 0..program.tasks.len() {
            moved.push((
                program.tasks[i].name.clone(),
                program.tasks[p.task(TaskId::from(i)).index()].name.clone(),
            ));
        }
        for e in (0..program.entries.len()).map(EntryId::from) {
            moved.push((program.entry_name(e), program.entry_name(p.entry(e))));
        }
        for i in 0..program.objects.len() {
            let to = p.object(ObjectId::from(i));
            moved.push((program.objects[i].name.clone(), program.objects[to.index()].name.clone()));
        }
        for i in 0..program.vars.len() {
            let to = p.var(VarId::from(i));
            moved.push((program.vars[i].name.clone(), program.vars[to.index()].name.clone()));
        }
        let moved = list(moved.into_iter().filter(|(a, b)| a != b).map(|(a, b)| format!("{a}->{b}")));
        let early = (0..s.too_early.len()).filter(|l| s.too_early[*l]);
        format!("{moved}; too early at {}\n", list(early))
    };
    all.iter().map(show).collect()
}

/// The relation that follows from `! start N...`, where participants are, and steps `! step BEFORE... -> AFTER...`.
fn parallel(case: &Case) -> String {
    let numbers =
        |text: &str| -> Vec<u32> { text.split_whitespace().map(|n| n.parse().expect("a number")).collect() };
    let steps: Vec<(Vec<u32>, Vec<u32>)> = (case.options("step").into_iter())
        .map(|line| line.split_once("->").expect("places before and after"))
        .map(|(before, after)| (numbers(before), numbers(after)))
        .collect();
    let start = case.numbers("start");
    let places = steps.iter().flat_map(|(a, b)| a.iter().chain(b)).chain(&start).max().map_or(0, |n| *n + 1);
    let mut relation = Parallel::new(places as usize);
    let pairs = |relation: &mut Parallel, all: &[u32]| {
        for (i, a) in all.iter().enumerate() {
            relation.reach(*a);
            all[i + 1..].iter().for_each(|b| relation.pair(*a, *b));
        }
    };
    pairs(&mut relation, &start);
    while relation.take().is_some() {
        for (before, after) in &steps {
            let together = before.iter().enumerate().all(|(i, a)| {
                relation.is_reached(*a) && before[i + 1..].iter().all(|b| relation.get(*a, *b))
            });
            if together {
                pairs(&mut relation, after);
                after.iter().for_each(|n| relation.come(*n, before, |_, _| true));
            }
        }
    }
    let row = |n: u32| format!("{n}: {}\n", list((0..places).filter(|m| relation.get(n, *m))));
    (0..places).map(|n| if relation.is_reached(n) { row(n) } else { format!("{n}: not reached\n") }).collect()
}

/// Strongly connected components of a graph of edges `! edge FROM TO`, and those that are never left.
fn strong_components(case: &Case) -> String {
    let edges: Vec<Vec<u32>> = (case.options("edge").into_iter())
        .map(|line| line.split_whitespace().map(|n| n.parse().expect("a number")).collect())
        .collect();
    let n = edges.iter().flatten().max().map_or(0, |n| *n as usize + 1);
    let target = |from: u32, i: usize| edges.iter().filter(|e| e[0] == from).nth(i).map(|e| e[1]);
    let show = |mut all: Vec<Vec<u32>>| {
        all.iter_mut().for_each(|c| c.sort_unstable());
        all.sort();
        all.iter().map(|c| format!("{{{}}}", list(c))).collect::<Vec<_>>().join(" ")
    };
    format!("all: {}\nbottom: {}", show(components(n, target)), show(bottom_components(n, target)))
}
