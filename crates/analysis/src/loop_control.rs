//! Which branches decide about another round of a loop.
//!
//! A task spins if it looks, in a loop, at what others could change. So a read is polling only if it decides about
//! another round, or stands in a loop without any exit. For one graph, post-dominators tell that (`postdominators.rs`). But a
//! procedure is a part of whatever calls it: a branch in it that leads to an exception decides about the loop around
//! the call, and the loop around the call may have no exit but that.
//!
//! Instead of inlining, what holds of calls is handed down to what is called, as a least fixpoint: some call of the
//! procedure is in a loop, or in a loop without exit. A branch of the procedure then decides about the loop around the
//! call if one arm goes on behind the call and the other does not. The answer is the one that the program would give
//! with all its calls replaced by copies, so it does not depend on whether calls were inlined. It once did, which a
//! random program showed.

use crate::postdominators::{ControlFlowGraph, is_branch};
use rendez_model::program::*;

pub struct LoopControl {
    repeats: Vec<bool>,
}

/// What is known of the calls of a procedure.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Called {
    /// Some are in a loop.
    in_loop: bool,
    /// Some are in a loop that has no exit.
    endlessly: bool,
}

impl LoopControl {
    pub fn new(program: &Program) -> LoopControl {
        let leaves = leaving(program);
        let graph = |start: Loc| ControlFlowGraph::new(program, start, |proc| leaves[proc.index()]);
        let tasks: Vec<ControlFlowGraph> = program.tasks.iter().map(|task| graph(task.start)).collect();
        let procs: Vec<ControlFlowGraph> = program.procs.iter().map(|proc| graph(proc.start)).collect();
        let mut called = vec![Called::default(); procs.len()];
        loop {
            let before = called.clone();
            let owners = tasks.iter().map(|graph| (graph, Called::default()));
            for (graph, around) in owners.chain(procs.iter().zip(before.iter().copied())) {
                for (i, loc) in graph.order.iter().enumerate() {
                    let Action::Call { proc, .. } = &program.node(*loc).action else { continue };
                    let called = &mut called[proc.index()];
                    let through = graph.returns[i];
                    called.in_loop |= (through && around.in_loop) || graph.is_on_cycle(i);
                    called.endlessly |=
                        (through && around.endlessly) || (graph.endless[i] && graph.is_on_cycle(i));
                }
            }
            if called == before {
                break;
            }
        }
        let mut control = LoopControl { repeats: vec![false; program.nodes.len()] };
        for graph in &tasks {
            control.find(program, graph, Called::default());
        }
        for (graph, called) in procs.iter().zip(called) {
            control.find(program, graph, called);
        }
        control
    }

    /// Whether the branch decides about another round of a loop, or is in one that has no exit.
    pub fn repeats(&self, loc: Loc) -> bool {
        self.repeats[loc.index()]
    }

    fn find(&mut self, program: &Program, graph: &ControlFlowGraph, called: Called) {
        let exit = graph.order.len() + 1;
        for (i, loc) in graph.order.iter().enumerate().filter(|(_, loc)| is_branch(program, **loc)) {
            let loops = graph.behind(i, graph.postdominator[i]).contains(&i);
            let endless = graph.endless[i] && graph.is_on_cycle(i);
            // One arm goes on behind the call, the other one does not.
            let around = called.in_loop && graph.returns[i] && graph.postdominator[i] == exit;
            let around_endless = called.endlessly && graph.returns[i];
            self.repeats[loc.index()] |= loops || endless || around || around_endless;
        }
    }
}

/// Procedures from which there is a way out that is no return.
fn leaving(program: &Program) -> Vec<bool> {
    let bodies: Vec<Vec<Loc>> = program.procs.iter().map(|proc| program.reachable(proc.start)).collect();
    let mut leaves = vec![false; bodies.len()];
    loop {
        let leaves_at = |loc: &Loc| match &program.node(*loc).action {
            Action::Return => false,
            Action::Call { proc, .. } if leaves[proc.index()] => true,
            action => action.successors().is_empty(),
        };
        let now: Vec<bool> = bodies.iter().map(|body| body.iter().any(leaves_at)).collect();
        if now == leaves {
            return leaves;
        }
        leaves = now;
    }
}
