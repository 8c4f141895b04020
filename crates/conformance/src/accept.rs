//! Whether the model allows what a program was seen to do.

use rendez_model::semantics::{Semantics, StepEvent, Successor};
use rendez_model::state::{State, Status};
use rendez_model::{Action, EventKind, ExceptionId, Owner, Program, TaskId};
use rendez_search::LocalSteps;
use rustc_hash::{FxHashMap, FxHashSet};

/// A line of a log: who was where. Nobody in particular if somebody else may have run the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub who: Option<String>,
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended.
    Ended,
    /// Nothing more happened.
    Blocked,
    /// It was stopped while it ran.
    Running,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    Allowed,
    /// The longest part of the log that the model allows.
    Mismatch {
        accepted: usize,
    },
    /// The search for an explanation was given up.
    TooLarge,
    /// The explanation leads through something that is not modelled, or where GNAT departs from the manual.
    NotModelled,
}

/// Nodes of one search at most.
const LIMIT: usize = 300_000;

/// Searches for an execution of the model with exactly these events in this order.
pub fn accepts(program: &Program, log: &[Entry], end: End) -> Explanation {
    let semantics = rendez_analysis::semantics(program, rendez_model::semantics::DEFAULT_RECURSION);
    let mut search = Search {
        program,
        local: LocalSteps::new(program, true, |a| matches!(a, Action::Event { .. })),
        semantics: &semantics,
        log,
        end,
        seen: FxHashSet::default(),
        furthest: 0,
        unsupported: false,
    };
    let state = search.local.run_local(&semantics, semantics.initial(), |_, _| {});
    match search.run(state) {
        Some(true) => Explanation::Allowed,
        Some(false) if search.unsupported => Explanation::NotModelled,
        Some(false) => Explanation::Mismatch { accepted: search.furthest },
        None => Explanation::TooLarge,
    }
}

struct Search<'s, 'p> {
    program: &'p Program,
    semantics: &'s Semantics<'p>,
    local: LocalSteps,
    log: &'s [Entry],
    end: End,
    seen: FxHashSet<(u32, u64, u64)>,
    furthest: usize,
    unsupported: bool,
}

type Names = FxHashMap<String, TaskId>;

impl Search<'_, '_> {
    /// Depth first, towards the next event; None if there is too much to look at.
    fn run(&mut self, initial: State) -> Option<bool> {
        let mut stack: Vec<(usize, State, Names)> = vec![(0, initial, Names::default())];
        let mut bytes = Vec::new();
        let mut out: Vec<Successor> = Vec::new();
        while let Some((position, state, names)) = stack.pop() {
            bytes.clear();
            state.encode(&mut bytes);
            let mut known: Vec<(&String, &TaskId)> = names.iter().collect();
            known.sort();
            let key = (position as u32, hash(&bytes, &known, 1), hash(&bytes, &known, 2));
            if !self.seen.insert(key) {
                continue;
            }
            if self.seen.len() > LIMIT {
                return None;
            }
            self.furthest = self.furthest.max(position);
            let expected = self.log.get(position);
            if expected.is_none() && self.end == End::Running {
                return Some(true);
            }
            let wanted = expected.and_then(|e| e.who.as_ref()).and_then(|who| names.get(who)).copied();
            let mut moved = false;
            let mut later = Vec::new();
            let mut next = Vec::new();
            for t in 0..state.tasks.len() {
                let task = TaskId::from(t);
                out.clear();
                self.semantics.successors(&state, task, &mut out);
                for outcome in out.drain(..) {
                    moved |= !self.program.tasks[t].background;
                    if matches!(outcome.step.what, StepEvent::Unsupported | StepEvent::Stopped) {
                        self.unsupported = true;
                        continue;
                    }
                    self.unsupported |= self.departs(&outcome);
                    match &self.program.node(outcome.step.loc).action {
                        Action::Event { kind: EventKind::Annotated, name, .. }
                            if name.contains(':') && outcome.step.what == StepEvent::Ran =>
                        {
                            let Some(expected) = expected.filter(|e| e.label == *name) else { continue };
                            let mut names = names.clone();
                            if let Some(who) = &expected.who {
                                match names.get(who) {
                                    Some(known) if *known != task => continue,
                                    Some(_) => {}
                                    // A task declared in a loop has a new name each time.
                                    None => {
                                        names.insert(who.clone(), task);
                                    }
                                }
                            }
                            let after = self.local.run_local(self.semantics, outcome.state, |_, _| {});
                            next.push((position + 1, after, names));
                        }
                        _ => {
                            let after = self.local.run_local(self.semantics, outcome.state, |_, _| {});
                            let node = (position, after, names.clone());
                            if wanted == Some(task) { next.push(node) } else { later.push(node) }
                        }
                    }
                }
            }
            if expected.is_none() {
                let alive = |t: &usize| {
                    !self.program.tasks[*t].background
                        && !matches!(state.tasks[*t].status, Status::Unborn | Status::Terminated)
                };
                let anybody = (0..state.tasks.len()).any(|t| alive(&t));
                let here = match self.end {
                    End::Ended => !anybody,
                    End::Blocked => anybody && !moved,
                    End::Running => true,
                };
                if here {
                    return Some(true);
                }
            }
            stack.extend(later);
            // Progress in the log is tried before anything else.
            next.sort_by_key(|n| n.0);
            stack.extend(next);
        }
        Some(false)
    }
}

impl Search<'_, '_> {
    /// Whether a call is requeued to a task that has ended. RM 9.5.3(21) raises Tasking_Error in the caller; GNAT raises
    /// Program_Error in everyone who waits at the protected object.
    fn departs(&self, outcome: &Successor) -> bool {
        matches!(outcome.step.what, StepEvent::Requeued { entry, .. }
            if matches!(self.program.entries[entry.index()].owner, Owner::Task(_)))
            && outcome.step.raised.iter().any(|r| r.exception == ExceptionId::TASKING_ERROR)
    }
}

fn hash(bytes: &[u8], names: &[(&String, &TaskId)], seed: u64) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    seed.hash(&mut hasher);
    bytes.hash(&mut hasher);
    names.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "procedure Main is
   task T is
      entry E;
   end T;
   task body T is
   begin
      pragma Annotate (Rendez, Event, \"t:1\");
      accept E do
         pragma Annotate (Rendez, Event, \"t:2\");
      end E;
      pragma Annotate (Rendez, Event, \"t:3\");
   end T;
begin
   pragma Annotate (Rendez, Event, \"m:1\");
   T.E;
   pragma Annotate (Rendez, Event, \"m:2\");
   T.E;
   pragma Annotate (Rendez, Event, \"m:3\");
end Main;
";

    fn verdict(events: &[(&str, &str)], end: End) -> Explanation {
        let front = rendez_ada::read_text(SOURCE);
        let log: Vec<Entry> = events
            .iter()
            .map(|(who, label)| Entry { who: Some((*who).to_owned()), label: (*label).to_owned() })
            .collect();
        accepts(&front.program.expect("a program"), &log, end)
    }

    #[test]
    fn what_can_happen_is_allowed_and_what_cannot_is_not() {
        let good = [("m", "m:1"), ("t", "t:1"), ("t", "t:2"), ("t", "t:3"), ("m", "m:2")];
        assert_eq!(verdict(&good, End::Ended), Explanation::Allowed);
        assert_eq!(verdict(&good[..3], End::Running), Explanation::Allowed);
        // The second call raises Tasking_Error: the main program is never stuck in it for good.
        assert_eq!(verdict(&good, End::Blocked), Explanation::Mismatch { accepted: 5 });
        // Nobody goes on before the rendezvous is over.
        let early = [("m", "m:1"), ("t", "t:1"), ("m", "m:2")];
        assert_eq!(verdict(&early, End::Running), Explanation::Mismatch { accepted: 2 });
        // The second call never returns normally.
        let late = [("m", "m:1"), ("t", "t:1"), ("t", "t:2"), ("t", "t:3"), ("m", "m:2"), ("m", "m:3")];
        assert_eq!(verdict(&late, End::Ended), Explanation::Mismatch { accepted: 5 });
        // One task cannot be two.
        let mixed = [("m", "m:1"), ("m", "t:1")];
        assert_eq!(verdict(&mixed, End::Running), Explanation::Mismatch { accepted: 1 });
    }
}
