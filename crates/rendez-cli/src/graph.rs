//! `rendez graph`: the graphs that engines work on, in Graphviz's language, drawn, or as linear systems.

use rendez::{Error, Options, Preparation, Prepared};
use rendez_model::Program;
use rendez_reach::Tig;
use rendez_reach::cats::Ticg;
use rendez_source::Diagnostic;
use rendez_verdict::Control;

use crate::arguments::{Construction, Graph, GraphFormat, GraphKind};
use crate::status::{failed, print};

/// Larger graphs of tasks and their product are refused.
const MOST_STATES: usize = 1_000_000;

pub fn run(graph: &Graph) -> u8 {
    match text(graph).and_then(|text| drawn(&text, graph.format)) {
        Ok(text) => {
            print(&text);
            0
        }
        Err(error) => failed(&error),
    }
}

fn text(graph: &Graph) -> Result<String, Error> {
    let mut loaded = crate::read(&graph.input)?;
    let rules = rendez::read_rules(graph.property.as_slice(), &mut loaded.map)?;
    let about_property = matches!(graph.kind, GraphKind::Property | GraphKind::Tfg | GraphKind::Flowgraph);
    let linear = matches!(graph.kind, GraphKind::Fsa | GraphKind::Flowgraph);
    if about_property != graph.property.is_some() && graph.kind != GraphKind::Fsa {
        return Err(Error::Settings(
            "--kind property, tfg and flowgraph need --property, and no other kind but fsa has one".into(),
        ));
    }
    if matches!(graph.format, GraphFormat::Lp | GraphFormat::Mps) && !linear {
        return Err(Error::Settings("--format lp and mps are for --kind fsa and flowgraph".into()));
    }
    if graph.kind == GraphKind::Property {
        let automata = rules[0].automata(&loaded.map)?;
        return Ok(automata.into_iter().map(|(_, dot)| dot).collect());
    }
    let how: Preparation = graph.input.preparation_without_formulas();
    let prepared = rendez::prepare(loaded, &how, rules)?;
    if graph.kind == GraphKind::Tfg {
        return trace_flow_graph(&prepared);
    }
    prepared.is_executable()?;
    match linear {
        true => linear_graph(graph, prepared),
        false => task_graph(graph, &prepared),
    }
}

/// The task interaction graphs, or their product.
fn task_graph(graph: &Graph, prepared: &Prepared) -> Result<String, Error> {
    let semantics = rendez_analysis::semantics(&prepared.program, prepared.recursion);
    let tig = match graph.tig {
        Construction::Modified => Tig::Modified,
        Construction::Optimized => Tig::Optimized,
        Construction::Unoptimized => Tig::Unoptimized,
    };
    let options = Options { max_states: MOST_STATES, ..Options::default() };
    let Some(ticg) = Ticg::new(&semantics, tig, &options, &Control::default()) else {
        return Err(Error::Settings(format!("the graph has more than {MOST_STATES} states")));
    };
    Ok(match graph.kind {
        GraphKind::Tig => ticg.tasks_dot(),
        _ => ticg.dot(graph.states),
    })
}

/// The trace flow graph of the first property.
fn trace_flow_graph(prepared: &Prepared) -> Result<String, Error> {
    let program: &Program = &prepared.program;
    if program.monitors.is_empty() {
        return Err(Error::Settings("--kind tfg is for properties of event sequences".into()));
    }
    let facts = rendez_flow::cfg::Facts::new(program);
    let plan = rendez_flow::tfg::TfgPlan {
        program,
        facts: &facts,
        automata: &program.monitors[..1],
        separate: &Default::default(),
        merge: false,
        cells: &Default::default(),
        optimise: true,
        published: false,
    };
    match rendez_flow::tfg::Tfg::new(&plan) {
        Ok(tfg) => Ok(rendez_flow::dot(program, &program.monitors[..1], &tfg, true)),
        Err(unfit) => Err(Error::Input {
            map: prepared.map.clone(),
            diagnostics: vec![Diagnostic::error(program.node(unfit.loc).span, unfit.reason)],
        }),
    }
}

/// The automata of a program, or its linear system.
fn linear_graph(graph: &Graph, prepared: Prepared) -> Result<String, Error> {
    use rendez_certificate::{Plan, Subject};
    use rendez_petri::net::Budget;
    let mut program = prepared.program;
    program.monitors.truncate(1);
    let query = prepared.queries.into_iter().next().flatten();
    let subject = match (graph.kind, program.monitors.is_empty(), query) {
        (GraphKind::Fsa, true, _) => Subject::Deadlock,
        (GraphKind::Fsa, false, _) => Subject::Property,
        (_, false, Some(query)) => rendez_certificate::subject(&mut program, Some(query), true),
        _ => return Err(Error::Settings("--kind flowgraph needs an INCA query".into())),
    };
    let semantics = rendez_analysis::semantics(&program, prepared.recursion);
    let plan = Plan::default();
    let budget = Budget { until: None, memory: usize::MAX, control: &Control::default() };
    let Ok(learnt) = rendez_certificate::learn(&semantics, &subject, &plan, budget) else {
        return Err(Error::Settings("the parts of the program have too many states".into()));
    };
    Ok(match graph.format {
        GraphFormat::Lp => rendez_ilp::dump::lp(&plan.system(&learnt.net, &learnt.goal)),
        GraphFormat::Mps => rendez_ilp::dump::mps(&plan.system(&learnt.net, &learnt.goal)),
        _ => rendez_ilp::dump::dot(&program, &learnt.cache, &learnt.net),
    })
}

/// A graph, drawn if that is wanted.
fn drawn(dot: &str, format: GraphFormat) -> Result<String, Error> {
    match format {
        GraphFormat::Dot | GraphFormat::Lp | GraphFormat::Mps => Ok(dot.to_owned()),
        GraphFormat::Svg => rendez_report::draw(dot).ok_or_else(|| {
            Error::Settings("the graph cannot be drawn; --format dot prints it for Graphviz".into())
        }),
    }
}
