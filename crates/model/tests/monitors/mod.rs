//! Which letters monitors see, step by step.

use rendez_cases::Case;
use rendez_model::monitor::{EventPattern, Language, Monitor};
use rendez_model::semantics::Semantics;
use rendez_model::{Domain, EntryId, ProcId, Program, Sharing, Storage, TaskId, Value, Var, VarId};
use rendez_source::Span;

/// One line for each step of the program that a monitor sees, in the order of a search.
///
/// Each option `! see NAME HAPPENING` makes a symbol. The monitor accepts words in which no symbol occurs twice in
/// a row, so that its states and the step that breaks it are shown, too.
pub(crate) fn steps(case: &Case) -> String {
    let mut program = case.program();
    let (names, happenings): (Vec<&str>, Vec<EventPattern>) =
        case.options("see").into_iter().map(symbol).unzip();
    let monitor = no_repetition(&mut program, &names, happenings);
    program.monitors.push(monitor);
    let semantics = Semantics::new(&program);
    let mut states = vec![semantics.initial()];
    let mut out = String::new();
    let mut at = 0;
    while at < states.len() {
        let before = states[at].clone();
        for mv in semantics.enabled(&before) {
            let outcome = semantics.step(&before, mv).expect("an enabled move is a step");
            let (step, monitor) = (&outcome.step, &program.monitors[0]);
            let letters: Vec<String> = step.letters.iter().map(|l| monitor.letter_name(l.1)).collect();
            if !letters.is_empty() || !step.broken.is_empty() {
                let task = &program.tasks[step.task.index()].name;
                let guess = if step.guessed { ", a guess" } else { "" };
                let broken = if step.broken.is_empty() { "" } else { ", broken" };
                let seen = if letters.is_empty() { "nothing".into() } else { letters.join(", then ") };
                out.push_str(&format!("{task} at {}: {seen}{guess}{broken}\n", step.loc.0));
            }
            if !states.contains(&outcome.state) {
                states.push(outcome.state);
            }
        }
        at += 1;
    }
    out
}

fn symbol(line: &str) -> (&str, EventPattern) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |i: usize| words[i].parse::<u32>().expect("a number");
    let by = words.iter().position(|w| *w == "by").map(|i| TaskId(number(i + 1)));
    let value = words
        .iter()
        .position(|w| ["=", "/="].contains(w))
        .map(|i| (words[i] == "=", words[i + 1].parse().expect("a value")));
    let happening = match words[1] {
        "event" => EventPattern::Event(words[2].to_owned()),
        "accept" => EventPattern::Accept {
            entries: vec![EntryId(number(2))],
            by,
            values: value.map(|(_, v)| Some(v)).into_iter().collect(),
        },
        "finish" => EventPattern::Finish { entries: vec![EntryId(number(2))], by },
        "write" => EventPattern::Write { cells: vec![VarId(number(2))], value },
        "test" => EventPattern::Test { cells: vec![VarId(number(2))], value },
        "enter" => EventPattern::Enter { procs: vec![ProcId(number(2))] },
        "start" => EventPattern::Start(vec![TaskId(number(2))]),
        "end" => EventPattern::End(vec![TaskId(number(2))]),
        other => panic!("nothing called {other} can be seen"),
    };
    (words[0], happening)
}

/// State 0 is the start, state n + 1 follows letter n, and the last one is doomed.
fn no_repetition(program: &mut Program, names: &[&str], happenings: Vec<EventPattern>) -> Monitor {
    // All sets of symbols are letters, the smaller first.
    let n = names.len() as u32;
    let mut sets: Vec<Vec<u32>> =
        (1..1u32 << n).map(|bits| (0..n).filter(|s| bits >> s & 1 == 1).collect()).collect();
    sets.sort_by_key(|set: &Vec<u32>| (set.len(), set.clone()));
    let letters = sets.len();
    let doomed_state = letters as u32 + 1;
    let mut next = Vec::new();
    for state in 0..=doomed_state {
        for letter in 0..letters as u32 {
            let repeats = state == letter + 1 || state == doomed_state;
            next.push(if repeats { doomed_state } else { letter + 1 });
        }
    }
    let states = letters + 2;
    let cell = VarId::from(program.vars.len());
    program.vars.push(Var {
        name: "state of the monitor".into(),
        domain: Domain::Range(0, i64::from(doomed_state)),
        init: Value::Known(0),
        storage: Storage::Shared,
        sharing: Sharing::Atomic,
        temporary: true,
        span: Span::NOWHERE,
    });
    Monitor {
        name: "no repetition".into(),
        language: Language::Fsa,
        text: String::new(),
        span: Span::NOWHERE,
        symbols: names.iter().map(|n| (*n).to_owned()).collect(),
        marks: (0..n).collect(),
        possible: vec![true; names.len()],
        triggers: Vec::new(),
        watch: happenings.into_iter().zip(0..).collect(),
        sets: sets.into_iter().zip(0..).collect(),
        cell,
        letters,
        next,
        accepting: (0..states).map(|s| s as u32 != doomed_state).collect(),
        doomed: (0..states).map(|s| s as u32 == doomed_state).collect(),
        again: Vec::new(),
    }
}
