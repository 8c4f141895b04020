//! The graphs of a page: of tasks, and of properties.

use rendez_reach::Tig;
use rendez_reach::cats::Ticg;
use rendez_report::Picture;
use rendez_verdict::{Control, Options};

use crate::prepare::Prepared;

/// Larger programs have no pictures of their tasks.
const MOST_DRAWN: usize = 20_000;
const MOST_GRAPHS: usize = 24;

/// The automata of the rules, and the task interaction graphs of the program where it is small.
pub fn pictures(prepared: &Prepared) -> Vec<Picture> {
    let mut all = Vec::new();
    for file in prepared.rules.iter().filter(|f| f.is_regular()) {
        let automata = file.automata(&prepared.map).unwrap_or_default();
        let graph = |(name, dot): (String, String)| {
            let title = format!("property {}", file.full_name(&name));
            Picture { title, dot }
        };
        all.extend(automata.into_iter().map(graph));
    }
    let semantics = rendez_analysis::semantics(&prepared.program, prepared.recursion);
    let options = Options { max_states: MOST_DRAWN, ..Options::default() };
    if prepared.program.wide_select().is_none()
        && let Some(ticg) = Ticg::new(&semantics, Tig::Modified, &options, &Control::default())
    {
        let graphs = ticg.task_dots().into_iter().take(MOST_GRAPHS);
        all.extend(graphs.map(|(task, dot)| Picture { title: format!("task {task}"), dot }));
    }
    all
}
