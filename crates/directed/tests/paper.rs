//! The worked numbers of the paper on directed model checking: Figures 1, 3 and 5.

use rendez_analysis::access::Access;
use rendez_directed::{Distances, FAR, Measure};
use rendez_model::state::{Frame, TaskState};
use rendez_model::{Action, Loc, ProcId, Program, TaskId};

fn program(source: &'static str) -> Program {
    rendez_ada::read_text(source).program.expect("a program")
}

/// The locations of a procedure in the order of execution.
fn body(program: &Program, name: &str) -> Vec<Loc> {
    let wanted = |p: &&rendez_model::Proc| p.name.to_lowercase().split([' ', '.']).any(|w| w == name);
    let proc = program.procs.iter().find(wanted).expect("a procedure");
    let mut all = program.reachable(proc.start);
    all.sort_by_key(|l| {
        let node = program.node(*l);
        (matches!(node.action, Action::Return), node.span.line, node.span.column)
    });
    all
}

fn event(program: &Program) -> Vec<Loc> {
    let is = |l: &Loc| matches!(program.node(*l).action, Action::Event { .. });
    (0..program.nodes.len()).map(Loc::from).filter(is).collect()
}

/// Figure 1: an error after two calls, whose callees call two more.
const FIGURE_1: &str = "procedure Main is
   Data : Integer := 0;
   procedure G is
   begin
      Data := 1;
   end G;
   procedure F is
   begin
      G;
   end F;
   procedure X is
   begin
      F;
   end X;
   procedure Y is
   begin
      F;
   end Y;
begin
   X;
   Y;
   --@ event error
   null;
end Main;
";

/// The calls of the main program, first and second.
fn calls(program: &Program) -> Vec<Loc> {
    let main = program.reachable(program.tasks[0].start);
    let mut calls: Vec<Loc> =
        main.into_iter().filter(|l| matches!(program.node(*l).action, Action::Call { .. })).collect();
    calls.sort_by_key(|l| program.node(*l).span.line);
    calls
}

fn at(program: &Program, pc: Loc, sites: &[Loc]) -> TaskState {
    let mut state = rendez_analysis::semantics(program, rendez_model::semantics::DEFAULT_RECURSION).initial();
    let ts = &mut state.tasks[0];
    ts.pc = pc;
    let frame = |site: &Loc| Frame { site: *site, proc: ProcId(0), saved: Vec::new(), serving: None };
    ts.frames = sites.iter().map(frame).collect();
    ts.clone()
}

#[test]
fn figures_1_and_5_distances_along_the_stack() {
    let program = program(FIGURE_1);
    let access = Access::new(&program);
    let main = calls(&program);
    let (f, x) = (body(&program, "f"), body(&program, "x"));
    let measure = |measure: Measure, ts: &TaskState| {
        let distances = Distances::new(&program, &access, measure);
        let target = distances.target(TaskId(0), &event(&program)).expect("a target");
        distances.of(&target, ts)
    };
    let distances = Distances::new(&program, &access, Measure::Efca);
    // Figure 5: three steps to the end of F; seven from the second call to the error.
    assert_eq!(distances.to_end(TaskId(0), f[0]), 3);
    assert_eq!(distances.to_end(TaskId(0), x[0]), 5);
    assert_eq!(distances.to_error(TaskId(0), main[1], &event(&program)), 7);
    assert_eq!(distances.to_error(TaskId(0), f[0], &event(&program)), FAR);
    // Section IV: in F, called by X, called by the main program, e-FCA estimates twelve.
    let in_f = at(&program, f[0], &[main[0], x[0]]);
    assert_eq!(measure(Measure::Efca, &in_f), 12);
    // Section II: with one call told apart seven from the start, where fourteen are needed.
    let start = at(&program, main[0], &[]);
    assert_eq!(measure(Measure::Efsm(1), &start), 7);
    assert_eq!(measure(Measure::Efsm(2), &start), 14);
    assert_eq!(measure(Measure::Efca, &start), 14);
    assert_eq!(measure(Measure::Fca, &start), 14);
    assert!(measure(Measure::Fsm, &start) <= 7);
}

#[test]
fn figure_3_distances_to_ends_and_errors() {
    let program = program(
        "procedure Main is
   Data : Integer := 0;
   procedure Sub1 is
   begin
      Data := 1;
      --@ event error
      Data := 2;
   end Sub1;
   procedure Top is
   begin
      if Data = 1 then
         Sub1;
      end if;
      Data := 3;
   end Top;
begin
   Top;
end Main;
",
    );
    let access = Access::new(&program);
    let distances = Distances::new(&program, &access, Measure::Efca);
    let errors = event(&program);
    let both = |l: &Loc| (distances.to_end(TaskId(0), *l), distances.to_error(TaskId(0), *l, &errors));
    let sub: Vec<_> = body(&program, "sub1").iter().map(both).collect();
    assert_eq!(sub, [(3, 1), (2, 0), (1, FAR), (0, FAR)]);
    let top: Vec<_> = body(&program, "top").iter().map(both).collect();
    assert_eq!(top, [(2, 3), (6, 2), (1, FAR), (0, FAR)]);
}

/// Recursion: the end is found through the way that does not recur.
#[test]
fn recursive_graphs_have_ends() {
    let program = program(
        "procedure Main is
   Data : Integer := 0;
   procedure R is
   begin
      if Data = 1 then
         R;
      else
         Data := 1;
      end if;
   end R;
begin
   R;
   --@ event error
   null;
end Main;
",
    );
    let access = Access::new(&program);
    let distances = Distances::new(&program, &access, Measure::Efca);
    let r = body(&program, "r");
    assert_eq!(distances.to_end(TaskId(0), r[0]), 2);
    assert_eq!(distances.to_error(TaskId(0), calls(&program)[0], &event(&program)), 4);
}
