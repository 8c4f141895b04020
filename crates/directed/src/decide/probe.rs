//! States from which some tasks wait for ever, or wait busily for ever, while others can go on.
//!
//! A search for blocking would have to run until nobody can move. So it also asks in each state whether some tasks are
//! stuck whatever the others do, by an argument over the code, or by looking at everything that can follow if that is
//! small. Such a probe costs far more than a step, so it is limited: to a few hundred states, to a few tries for each
//! combination of waiting tasks, and to few failures for each success.
//!
//! In which way tasks are blocked may depend on who else gets stuck later. If so, everything that can follow must agree
//! before the state counts.

use std::hash::{Hash, Hasher};

use rendez_analysis::loop_control::LoopControl;
use rendez_model::semantics::Semantics;
use rendez_model::state::{State, Wait};
use rendez_model::{Action, Expr, TaskId};
use rendez_search::{Breadth, LocalSteps, SearchResult, forever, search_from};
use rendez_verdict::{
    Blocked, Control, End, Kind, Observation, Options, alive, is_final, kinds_of_blocking, stuck,
};

use super::seek::{wants, wants_kind};
use super::{DirectedSettings, SearchTarget};
use crate::frontier::Order;

/// Recognises states from which tasks wait for ever, or wait busily for ever.
pub(super) struct Probe<'a, 'p> {
    semantics: &'a Semantics<'p>,
    local: &'a LocalSteps,
    options: &'a Options,
    control: &'a Control,
    /// By location: a task may come here again and again to look whether something has changed.
    polls: Vec<bool>,
    seen: usize,
    in_vain: usize,
    /// How often waiting tasks at the same places were looked at.
    tried: rustc_hash::FxHashMap<u64, u32>,
    wanted: SearchTarget<'a>,
    settings: &'a DirectedSettings,
}

/// Of states in which the same tasks wait in the same calls so many are looked at.
const TRIES: u32 = 24;

/// States that a probe looks at.
const PROBED: usize = 500;

/// Whether an action looks at what other tasks do: how many wait, who has ended.
fn asks_about_others(action: &Action) -> bool {
    let mut asks = false;
    action.each_expr(&mut |e| {
        e.walk(&mut |e| asks |= matches!(e, Expr::Count(_) | Expr::Callable(_) | Expr::Terminated(_)));
    });
    asks
}

impl<'a, 'p> Probe<'a, 'p> {
    pub(super) fn new(
        semantics: &'a Semantics<'p>,
        local: &'a LocalSteps,
        options: &'a Options,
        control: &'a Control,
        wanted: SearchTarget<'a>,
        settings: &'a DirectedSettings,
    ) -> Probe<'a, 'p> {
        let program = semantics.program;
        let polls = match wanted {
            SearchTarget::Blocking => {
                let loop_control = LoopControl::new(program);
                let looks = |(i, n): (usize, &rendez_model::Node)| {
                    let again = match &n.action {
                        Action::Branch { cond, .. } => {
                            let mut shared = asks_about_others(&n.action);
                            cond.each_cell(program, &mut |c| shared |= local.access.shared[c.index()]);
                            shared
                        }
                        Action::Select { otherwise: Some(_), .. }
                        | Action::EntryCall { mode: rendez_model::CallMode::Conditional { .. }, .. } => {
                            return true;
                        }
                        _ => false,
                    };
                    again && loop_control.repeats(i.into())
                };
                program.nodes.iter().enumerate().map(looks).collect()
            }
            _ => Vec::new(),
        };
        Probe {
            semantics,
            local,
            options,
            control,
            polls,
            seen: 0,
            in_vain: 0,
            tried: Default::default(),
            wanted,
            settings,
        }
    }

    /// Whether a state is what is wanted.
    pub(super) fn is_target(&mut self, state: &State) -> bool {
        match self.wanted {
            SearchTarget::Formula(formula) => formula.in_state(state) == Some(false),
            SearchTarget::Blocking if self.settings.partial && self.settings.order != Order::AStar => {
                self.is_stuck(state) || self.spins(state)
            }
            _ => false,
        }
    }

    /// Whether some tasks are stuck. Others may help at first and not later: of states with the same
    /// tasks waiting only a few are looked at.
    fn is_stuck(&mut self, state: &State) -> bool {
        let mut hasher = rustc_hash::FxHasher::default();
        let mut any = false;
        for (t, ts) in state.tasks.iter().enumerate() {
            if let Wait::Queued { entry, .. } = ts.wait {
                any = true;
                (t, ts.pc, entry).hash(&mut hasher);
            }
        }
        if !any {
            return false;
        }
        let tries = self.tried.entry(hasher.finish()).or_default();
        *tries += 1;
        *tries <= TRIES && self.stuck(state).is_some()
    }

    /// The tasks that are stuck, if that is what is wanted. In which way they are may depend on who else gets stuck: then
    /// everything that can follow must say the same.
    pub(super) fn stuck(&self, state: &State) -> Option<Vec<TaskId>> {
        let tasks = stuck(self.semantics, state);
        if tasks.is_empty() {
            return None;
        }
        let wanted = |kind: Kind| wants_kind(kind, &self.settings.only);
        let found = kinds_of_blocking(self.semantics, state, &tasks);
        let lasts = |b: &Blocked| wanted(b.kind) && is_final(self.semantics, state, b, &tasks);
        if found.iter().any(lasts) {
            return Some(tasks);
        }
        let after = self.from(state)?;
        let mut any = false;
        forever(self.semantics.program, &after.graph, |id, what| {
            if let rendez_verdict::Nonprogress::Stuck(tasks) = what {
                let state = after.graph.state(id);
                any |= kinds_of_blocking(self.semantics, &state, &tasks).iter().any(|b| wanted(b.kind));
            }
        });
        for occurrence in after.occurrences.iter().filter(|s| s.what == Observation::Blocked) {
            any |= wants(
                self.semantics,
                self.wanted,
                &occurrence.what,
                &after.graph.state(occurrence.state),
                &self.settings.only,
            );
        }
        any.then_some(tasks)
    }

    fn spins(&mut self, state: &State) -> bool {
        if self.polls.is_empty() {
            return false;
        }
        self.seen += 1;
        let mut polling = false;
        for ts in state.tasks.iter().filter(|t| alive(t.status) && t.wait == Wait::Nothing) {
            match &self.semantics.program.node(ts.pc).action {
                Action::Await { .. } => {}
                _ if self.polls[ts.pc.index()] => polling = true,
                _ => return false,
            }
        }
        if !polling || self.in_vain * 50 > self.seen + 1_000 {
            return false;
        }
        let found = self.from(state).is_some_and(|found| {
            let mut spins = false;
            forever(self.semantics.program, &found.graph, |_, what| {
                spins |= matches!(what, rendez_verdict::Nonprogress::Spins(_));
            });
            spins
        });
        self.in_vain += usize::from(!found);
        found
    }

    /// Everything that can follow a state, if that is little.
    pub(super) fn from(&self, state: &State) -> Option<SearchResult> {
        let options = Options { max_states: PROBED, timeout: None, ..self.options.clone() };
        let found = search_from(
            self.semantics,
            state.clone(),
            self.local,
            &options,
            self.control,
            &mut Breadth::default(),
        );
        (found.end == End::Complete).then_some(found)
    }
}
