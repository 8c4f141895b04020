//! How many states a search finds, and what it sees on its way, with local steps merged and without.

use std::collections::BTreeSet;
use std::process::ExitCode;

use rendez_cases::Case;
use rendez_search::{Breadth, local_steps, search};
use rendez_verdict::{Control, Options};

fn main() -> ExitCode {
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &[("states", states)])
}

/// States, edges, states from which nothing leads anywhere, and the kinds of occurrences.
fn states(case: &Case) -> String {
    let program = case.program();
    let semantics = rendez_analysis::semantics(&program, 32);
    let mut out = String::new();
    for (name, merge_local) in [("every step", false), ("local steps merged", true)] {
        let options = Options { merge_local, ..Options::default() };
        let local = local_steps(&program, &options);
        let found = search(&semantics, &local, &options, &Control::default(), &mut Breadth::default());
        let graph = &found.graph;
        let ends = (0..graph.len() as u32).filter(|id| graph.edges(*id).is_empty()).count();
        let seen: BTreeSet<String> =
            found.occurrences.iter().map(|o| format!("{:?}", o.what).replace('\n', " ")).collect();
        out += &format!(
            "{name}: {} states, {} edges, {ends} without a step, {:?}\n",
            graph.len(),
            graph.transitions(),
            found.end
        );
        seen.iter().for_each(|s| out += &format!("  {s}\n"));
    }
    out
}
