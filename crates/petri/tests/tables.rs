//! Nets of small programs: places, transitions, and what may be marked together; and which waits nobody can observe.

use std::process::ExitCode;

use rendez_analysis::access::Access;
use rendez_cases::Case;
use rendez_petri::net::{Budget, Learning, Net};
use rendez_petri::unobservable::Unobservable;
use rendez_petri::{StepCache, Steps, Tig};
use rendez_verdict::Control;

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("nets", nets), ("unobservable", unobservable)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// The components with their places, each transition with what takes part, and the relation between places.
fn nets(case: &Case) -> String {
    let program = case.program();
    let semantics = rendez_analysis::semantics(&program, 32);
    let control = Control::default();
    let learning = Learning {
        pairwise: true,
        with_loops: false,
        most: 1000,
        budget: Budget { until: None, memory: usize::MAX, control: &control },
        is_target: &|_| false,
    };
    let steps = Steps::new(&semantics, true, false, &[], &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let net = Net::learn(&mut cache, &learning).expect("a net");
    let list = |all: &[u32]| all.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (component, places) in net.components.iter().zip(net.by_component()) {
        out += &format!("{}: places {}\n", component.name, list(&places));
    }
    out += &format!("at the start: {}\n", list(&net.initial));
    for transition in &net.transitions {
        let story = &cache.stories[transition.outcome.expect("a step of the program") as usize];
        let moves: Vec<String> = story
            .moves
            .iter()
            .map(|m| format!("{} {}", program.tasks[m.task.index()].name, m.choice))
            .collect();
        out +=
            &format!("{} -> {}: {}\n", list(&transition.before), list(&transition.after), moves.join(", "));
    }
    for place in 0..net.places.len() as u32 {
        let beside: Vec<u32> = net.parallel.row(place).ones().collect();
        out += &format!("{place} beside {}\n", list(&beside));
    }
    out
}

/// The entries and select statements at which nobody can see who waits.
fn unobservable(case: &Case) -> String {
    let program = case.program();
    let found = Unobservable::new(&program, &Access::new(&program), &[]);
    let of = |all: &[bool], name: &dyn Fn(usize) -> String| -> String {
        let names: Vec<String> = (0..all.len()).filter(|i| all[*i]).map(name).collect();
        if names.is_empty() { "none".into() } else { names.join(" ") }
    };
    let entries = of(&found.entry, &|e| program.entry_name(e.into()));
    let selects = of(&found.select, &|l| l.to_string());
    format!("queues of {entries}\nselect statements at {selects}")
}
