//! The directed engine: searches for one kind of error after the other.
//!
//! Each kind that is asked for gets half of the time that is left, and the last one all of it. Unless the user chooses
//! a heuristic, one search consists of a quick attempt with e-FCA (Rungta and Mercer, 2006), one with exact distances
//! in a smaller program (`pattern.rs`) if there is such a program, and a last one with e-FCA. A kind of error for which
//! the code has no place is not searched for.
//!
//! Often some tasks are stuck while others can continue. So a search for blocking also stops where some tasks can never
//! continue whatever the others do (`rendez_evidence::stuck`), and where everything that can follow is small and shows
//! tasks that are stuck or spin. Such a probe is limited to a few hundred states, to a few tries per combination of
//! waiting tasks, and is given up if it fails too often. In which way tasks are blocked may depend on who else gets
//! stuck; if so, all that can follow must agree.
//!
//! Completed searches prove: if no state was dropped and none is left, the checks are decided as by the explorer. An
//! interrupted search proves nothing.
//!
//! Traces are made readable. A trace is reordered to few task switches (`rendez_evidence`), steps that the error does
//! not need are left out, and a short second search by task switches may find a better one. Every change is replayed,
//! and accepted only if the trace still shows the error. Errors that depend on an untracked value are reported only if
//! a second search without such steps finds none.
//!
//! A temporal formula is only searched for states in which `always F` fails; assertions that are about more are left
//! open. Earlier, such an assertion was said to hold, though nothing had been looked for; `--cross-check` over the
//! corpus showed it.

use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use rendez_analysis::loop_control::LoopControl;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::{State, Wait};
use rendez_model::{Action, Expr, Program, TaskId};
use rendez_search::{Breadth, LocalSteps, Search, forever, local_steps, search, search_from, walk};
use rendez_verdict::{
    Answer, Blocked, Control, End, EngineId, Entries, Findings, Kind, Obstacle, Options, Outcome,
    PropertyAnswer, Question, Random, Reason, Resolved, Seen, Stats, Trace, Witness, alive, all_stuck,
    fewest_switches, is_final, kinds_of_blocking, meets_bound, open_for_ever, races, replay, seen_in, stuck,
};

use crate::distance::Measure;
use crate::frontier::{Estimate, Guided, Order};
use crate::goal::Guide;
use crate::pattern::{Pattern, smaller};

/// What tells how far a state is from an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Nothing does.
    Blind,
    /// Chance.
    Random,
    Measured(Measure),
    /// Exact distances in a smaller program.
    Pattern,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// None: whatever suits.
    pub heuristic: Option<Heuristic>,
    pub order: Order,
    pub seed: u64,
    /// Look for a trace with fewer task switches once there is one.
    pub shorten: bool,
    /// Checks that matter; all if there is none.
    pub only: Vec<Kind>,
    /// Some tasks that are stuck while others can go on are enough; not for A*, whose estimates are
    /// about everybody.
    pub partial: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            heuristic: None,
            order: Order::Best,
            seed: 1,
            shorten: true,
            only: Vec::new(),
            partial: true,
        }
    }
}

/// What a search is after.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'q> {
    /// Tasks that wait for ever, though not only servers for calls.
    Blocking,
    Race,
    Assertion,
    /// An exception that nobody handles.
    Exception,
    /// A property of event sequences that is broken.
    Events(u16),
    /// A state in which a formula does not hold.
    Formula(&'q Resolved),
}

/// What one search came to.
pub struct Directed {
    pub search: Search,
    /// States of the smaller program that were looked at beforehand.
    pub prepared: usize,
    /// Seconds before the search.
    pub analysis: f64,
}

/// Searches for traces with few task switches: hasty ones, and an exact one if time allows.
const SHORT: [(Order, Heuristic); 5] = [
    (Order::Runs(30), Heuristic::Blind),
    (Order::Runs(30), Heuristic::Pattern),
    (Order::Runs(30), Heuristic::Measured(Measure::Efca)),
    (Order::Runs(300), Heuristic::Measured(Measure::Efca)),
    (Order::Switches, Heuristic::Measured(Measure::Efca)),
];

/// Traces with so few task switches are not made shorter.
const FEW: usize = 3;

const UNMODELLED: &str = "an execution reaches something that is not modelled";

/// If nobody says how long to search.
const PATIENCE: Duration = Duration::from_secs(60);

/// Searches for one kind of error.
pub fn seek(
    semantics: &Semantics,
    local: &LocalSteps,
    wanted: Wanted,
    heuristic: Heuristic,
    settings: &Settings,
    options: &Options,
    control: &Control,
) -> Directed {
    let started = Instant::now();
    let smaller = match heuristic {
        Heuristic::Pattern => simpler(semantics, local, wanted),
        _ => Vec::new(),
    };
    let pattern = pattern(semantics, local, &smaller, wanted, settings, options, control);
    let chase = Chase { wanted, options, pattern: pattern.as_ref() };
    let mut directed = seek_by(semantics, local, chase, heuristic, settings, control);
    directed.analysis = started.elapsed().as_secs_f64() - directed.search.stats.seconds;
    directed
}

/// Smaller programs that may have the same error.
fn simpler(semantics: &Semantics, local: &LocalSteps, wanted: Wanted) -> Vec<(Program, Vec<bool>)> {
    let program = semantics.program;
    let guide = aim(Guide::new(program, &local.access, Measure::Efca, false), program, wanted);
    smaller(program, &guide.sets())
}

/// The distances of the first of some smaller programs that has a target.
fn pattern<'r>(
    semantics: &Semantics,
    local: &LocalSteps,
    smaller: &'r [(Program, Vec<bool>)],
    wanted: Wanted,
    settings: &Settings,
    options: &Options,
    control: &Control,
) -> Option<Pattern<'r>> {
    let mut probe = Probe::new(semantics, local, options, control, wanted, settings);
    smaller.iter().find_map(|(less, removed)| {
        Pattern::new(
            less,
            removed.clone(),
            local,
            options,
            control,
            &mut |seen, state| wants(semantics, wanted, seen, state, &settings.only),
            &mut |state| probe.is_target(state),
        )
    })
}

/// What is looked for within which limits, and exact distances if there are some.
#[derive(Clone, Copy)]
struct Chase<'c> {
    wanted: Wanted<'c>,
    options: &'c Options,
    pattern: Option<&'c Pattern<'c>>,
}

fn seek_by(
    semantics: &Semantics,
    local: &LocalSteps,
    chase: Chase,
    heuristic: Heuristic,
    settings: &Settings,
    control: &Control,
) -> Directed {
    let started = Instant::now();
    let Chase { wanted, options, pattern } = chase;
    let program = semantics.program;
    let lower = matches!(settings.order, Order::AStar);
    let guide = |measure: Measure| {
        let guide = Guide::new(program, &local.access, measure, lower);
        aim(guide, program, wanted)
    };
    let estimate: Estimate = match heuristic {
        Heuristic::Blind => Box::new(|_| (0, None)),
        Heuristic::Random => {
            let mut random = Random::new(settings.seed);
            Box::new(move |_| (random.below(1 << 20) as u32, None))
        }
        Heuristic::Measured(measure) => {
            let guide = guide(measure);
            Box::new(move |state| (guide.estimate(state), None))
        }
        Heuristic::Pattern => {
            let guide = guide(Measure::Efca);
            match pattern {
                None => Box::new(move |state| (guide.estimate(state), None)),
                Some(pattern) => Box::new(move |state| match pattern.estimate(state) {
                    Some((far, task)) => (far, Some(task)),
                    None => (pattern.beyond().saturating_add(guide.estimate(state)), None),
                }),
            }
        }
    };
    let mut probe = Probe::new(semantics, local, options, control, wanted, settings);
    let mut frontier = Guided::new(
        settings.order,
        estimate,
        Box::new(|seen, state| wants(semantics, wanted, seen, state, &settings.only)),
        Box::new(|state| probe.is_target(state)),
    );
    let analysis = started.elapsed();
    let options = Options { timeout: options.timeout.map(|t| t.saturating_sub(analysis)), ..options.clone() };
    let found = search(semantics, local, &options, control, &mut frontier);
    let prepared = pattern.map_or(0, |p| p.states);
    Directed { search: found, prepared, analysis: analysis.as_secs_f64() }
}

/// Lets a guide look for what is wanted.
fn aim<'p>(guide: Guide<'p>, program: &Program, wanted: Wanted) -> Guide<'p> {
    match wanted {
        Wanted::Blocking => guide.blocking(),
        Wanted::Race => guide.race(),
        Wanted::Assertion => guide.action(|a| matches!(a, Action::Assert { .. })),
        Wanted::Exception => guide.action(|a| {
            matches!(
                a,
                Action::Raise { .. }
                    | Action::Assert { .. }
                    | Action::Assign { .. }
                    | Action::EntryCall { .. }
                    | Action::Select { .. }
                    | Action::Activate { .. }
            )
        }),
        Wanted::Events(m) => guide.events(&program.monitors[usize::from(m)]),
        Wanted::Formula(formula) => guide.formula(formula),
    }
}

/// Whether the search is over once something is seen.
fn wants(semantics: &Semantics, wanted: Wanted, seen: &Seen, state: &State, only: &[Kind]) -> bool {
    match (wanted, seen) {
        (Wanted::Blocking, Seen::Blocked) => {
            let stuck = all_stuck(semantics.program, state);
            kinds_of_blocking(semantics, state, &stuck).iter().any(|b| wants_kind(b.kind, only))
        }
        (Wanted::Race, Seen::Race { .. }) | (Wanted::Assertion, Seen::Assertion { .. }) => true,
        (Wanted::Exception, Seen::Exception { died, .. }) => *died,
        (Wanted::Events(m), Seen::Broken { monitor }) => m == *monitor,
        _ => false,
    }
}

/// Whether blocking of a kind is looked for; idle servers are no error.
fn wants_kind(kind: Kind, only: &[Kind]) -> bool {
    match only {
        [] => kind != Kind::ServerIdle,
        _ => only.contains(&kind),
    }
}

/// Recognises states from which tasks wait for ever, or wait busily for ever.
struct Probe<'a, 'p> {
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
    wanted: Wanted<'a>,
    settings: &'a Settings,
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
    fn new(
        semantics: &'a Semantics<'p>,
        local: &'a LocalSteps,
        options: &'a Options,
        control: &'a Control,
        wanted: Wanted<'a>,
        settings: &'a Settings,
    ) -> Probe<'a, 'p> {
        let program = semantics.program;
        let polls = match wanted {
            Wanted::Blocking => {
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
    fn is_target(&mut self, state: &State) -> bool {
        match self.wanted {
            Wanted::Formula(formula) => formula.in_state(state) == Some(false),
            Wanted::Blocking if self.settings.partial && self.settings.order != Order::AStar => {
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
    fn stuck(&self, state: &State) -> Option<Vec<TaskId>> {
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
            if let rendez_verdict::Forever::Stuck(tasks) = what {
                let state = after.graph.state(id);
                any |= kinds_of_blocking(self.semantics, &state, &tasks).iter().any(|b| wanted(b.kind));
            }
        });
        for occurrence in after.occurrences.iter().filter(|s| s.what == Seen::Blocked) {
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
                spins |= matches!(what, rendez_verdict::Forever::Spins(_));
            });
            spins
        });
        self.in_vain += usize::from(!found);
        found
    }

    /// Everything that can follow a state, if that is little.
    fn from(&self, state: &State) -> Option<Search> {
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

/// What the searches have found so far, with the time that is left.
struct Hunt<'a, 'p> {
    semantics: &'a Semantics<'p>,
    local: LocalSteps,
    /// The same, but the end of a rendezvous is a step of its own: it lets the caller go on.
    shown: LocalSteps,
    settings: &'a Settings,
    options: &'a Options,
    control: &'a Control,
    started: Instant,
    patience: Duration,
    findings: Findings<'a, 'p>,
    entries: Entries,
    witness: Witness,
    stats: Stats,
    end: End,
}

impl<'a, 'p> Hunt<'a, 'p> {
    fn new(
        semantics: &'a Semantics<'p>,
        local: LocalSteps,
        settings: &'a Settings,
        options: &'a Options,
        control: &'a Control,
    ) -> Hunt<'a, 'p> {
        let ends = |a: &Action| matches!(a, Action::EndAccept { .. } | Action::FailAccept { .. });
        Hunt {
            semantics,
            shown: LocalSteps::new(semantics.program, options.merge_local, ends),
            local,
            settings,
            options,
            control,
            started: Instant::now(),
            patience: options.timeout.unwrap_or(PATIENCE),
            findings: Findings::new(semantics),
            entries: Entries::new(semantics.program),
            witness: Witness::default(),
            stats: Stats::default(),
            end: End::Time,
        }
    }

    fn left(&self) -> Duration {
        self.patience.saturating_sub(self.started.elapsed())
    }

    /// Searches within a share of the time that is left; true if nothing remains to be searched.
    fn pursue(&mut self, wanted: Wanted, share: u32) -> bool {
        let mut time = self.left() / share;
        // Who has an error in hand waits a little for the next.
        if self.findings.any_error() {
            time = time.min((self.started.elapsed() * 2).max(Duration::from_secs(1)));
        }
        let until = Instant::now() + time;
        if self.settings.order == Order::Walk {
            self.walk(wanted, until);
            return false;
        }
        // A quick look, then exact distances, if they are to be had; what they do not lead to may be
        // elsewhere.
        let plan: &[(Heuristic, u32)] = match self.settings.heuristic {
            Some(heuristic) => &[(heuristic, 1)],
            None => {
                let efca = Heuristic::Measured(Measure::Efca);
                &[(efca, 4), (Heuristic::Pattern, 2), (efca, 1)]
            }
        };
        let (semantics, settings, control) = (self.semantics, self.settings, self.control);
        let smaller = std::cell::OnceCell::new();
        let with_time = Options { timeout: Some(time), ..self.options.clone() };
        let mut exact = None;
        for (heuristic, part) in plan {
            if *heuristic == Heuristic::Pattern {
                let smaller = smaller.get_or_init(|| simpler(semantics, &self.local, wanted));
                exact = pattern(semantics, &self.local, smaller, wanted, settings, &with_time, control);
                if exact.is_none() && plan.len() > 1 {
                    continue;
                }
            }
            let mut end = End::Time;
            for skip_guesses in [false, true] {
                let left = until.saturating_duration_since(Instant::now()) / *part;
                if left.is_zero() || self.control.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return false;
                }
                let options = Options { timeout: Some(left), skip_guesses, ..self.options.clone() };
                let chase = Chase { wanted, options: &options, pattern: exact.as_ref() };
                let found = seek_by(semantics, &self.local, chase, *heuristic, settings, control).search;
                self.note(&found, skip_guesses);
                // What needs a guess may have a twin that needs none, which is reported instead.
                let aside = skip_guesses.then(|| self.findings.set_aside());
                self.take(chase, &found);
                let guessed = self.findings.any_guessed();
                if let Some(aside) = aside {
                    self.findings.take_back(aside);
                } else {
                    end = found.end;
                }
                match found.end {
                    End::Interrupted => return false,
                    End::Found if !guessed => return end == End::Complete,
                    _ if !guessed && !found.guesses => break,
                    _ => {}
                }
            }
            if end == End::Complete {
                return true;
            }
        }
        false
    }

    /// Adds what a search says about the program; how it ended counts if it followed everything.
    fn note(&mut self, found: &Search, skip_guesses: bool) {
        self.stats.states += found.stats.states;
        self.stats.transitions += found.stats.transitions;
        self.stats.peak_bytes = self.stats.peak_bytes.max(found.stats.peak_bytes);
        for i in 0..found.entries.called.len() {
            self.entries.add(i.into(), found.entries.called[i], found.entries.accepted[i]);
        }
        self.witness.letters.extend(&found.witness.letters);
        self.witness.ended |= found.witness.ended;
        if !skip_guesses {
            self.end = found.end;
        }
    }

    /// Makes findings of what a search saw.
    fn take(&mut self, chase: Chase, found: &Search) {
        let Chase { wanted, options, .. } = chase;
        let mut blocked = 0;
        for occurrence in &found.occurrences {
            if occurrence.what == Seen::Blocked {
                blocked += 1;
                if blocked > 200 {
                    continue;
                }
            }
            let is_wanted = found.found == Some((occurrence.state, occurrence.mv));
            let mut moves = found.graph.path(occurrence.state);
            moves.extend(occurrence.mv);
            let mut moves = self.local.unmerged(self.semantics, &moves);
            let mut state = found.graph.state(occurrence.state);
            if (is_wanted || (blocked <= 20 && !self.left().is_zero()))
                && let Some((fewer, _)) = self.reordered(&moves, &needed(&occurrence.what))
                && let Some(trace) = replay(self.semantics, &fewer)
                && self.shows(&trace, &occurrence.what)
            {
                moves = fewer;
            }
            // Servers that wait in vain are no error, but their trace should be short, too.
            let idle = blocked == 1
                && occurrence.what == Seen::Blocked
                && matches!(wanted, Wanted::Blocking)
                && self.is_idle(&state);
            if (is_wanted || idle)
                && let Some((fewer, end)) = self.fewer(chase, idle, &occurrence.what, &moves)
            {
                moves = fewer;
                state = end;
            }
            self.findings.seen(&occurrence.what, &moves, &state);
        }
        if found.end == End::Complete {
            self.forever(found, None);
        } else if let Some((id, None)) = found.found
            && matches!(wanted, Wanted::Blocking)
            && !found.occurrences.iter().any(|s| s.state == id && s.what == Seen::Blocked)
        {
            let state = found.graph.state(id);
            let path = found.graph.path(id);
            let probe = Probe::new(self.semantics, &self.local, options, self.control, wanted, self.settings);
            if let Some(tasks) = probe.stuck(&state) {
                let moves = self.local.unmerged(self.semantics, &path);
                let (moves, state) = self.only_stuck(chase, &tasks, moves, state);
                let tasks = stuck(self.semantics, &state);
                self.findings.stuck(&tasks, &moves, &state);
            } else if let Some(after) = probe.from(&state) {
                self.forever(&after, Some(&path));
            }
        }
    }

    /// Whether only servers are blocked in a state in which nobody can move.
    fn is_idle(&self, state: &State) -> bool {
        let stuck = all_stuck(self.semantics.program, state);
        let found = kinds_of_blocking(self.semantics, state, &stuck);
        !found.is_empty() && found.iter().all(|b| b.kind == Kind::ServerIdle)
    }

    /// The steps that the stuck tasks need, in an order with few task switches.
    fn only_stuck(
        &self,
        chase: Chase,
        tasks: &[TaskId],
        moves: Vec<Move>,
        state: State,
    ) -> (Vec<Move>, State) {
        let clients: Vec<TaskId> = tasks
            .iter()
            .copied()
            .filter(|t| matches!(state.tasks[t.index()].wait, Wait::Queued { .. }))
            .collect();
        let named = kinds_of_blocking(self.semantics, &state, tasks).into_iter().next();
        let named = named.map_or(clients, |b| b.tasks);
        let mut best = (moves, state, usize::MAX);
        if let Some(shorter) = self.shorter(&named, &best.0) {
            best = shorter;
        }
        for how in SHORT {
            // Each of them must at least do something after the other.
            if best.2 <= named.len() {
                break;
            }
            let Some(found) = self.by_switches(chase, how, false) else { continue };
            let Some((id, None)) = found.found else { continue };
            let state = found.graph.state(id);
            let path = self.shown.unmerged(self.semantics, &found.graph.path(id));
            let tasks = stuck(self.semantics, &state);
            if let Some(first) = kinds_of_blocking(self.semantics, &state, &tasks).first()
                && let Some(shorter) = self.shorter(&first.tasks, &path)
                && shorter.2 < best.2
            {
                best = shorter;
            }
        }
        (best.0, best.1)
    }

    /// The steps that some tasks need to come where they are stuck, if they are so without the others.
    fn shorter(&self, named: &[TaskId], moves: &[Move]) -> Option<(Vec<Move>, State, usize)> {
        [named, &[]].into_iter().find_map(|needed| {
            let (fewer, switches) = self.reordered(moves, needed)?;
            let end = replay(self.semantics, &fewer)?.last;
            let still = stuck(self.semantics, &end);
            named.iter().all(|t| still.contains(t)).then_some((fewer, end, switches))
        })
    }

    fn reordered(&self, moves: &[Move], needed: &[TaskId]) -> Option<(Vec<Move>, usize)> {
        fewest_switches(self.semantics, &self.local.access, moves, needed)
    }

    /// What goes on for ever in a graph that begins after some moves.
    fn forever(&mut self, found: &Search, prefix: Option<&[Move]>) {
        let mut all = Vec::new();
        forever(self.semantics.program, &found.graph, |state, what| all.push((state, what)));
        all.sort_by_key(|a| a.0);
        for (id, what) in all {
            let mut moves = prefix.unwrap_or_default().to_vec();
            moves.extend(found.graph.path(id));
            let moves = self.local.unmerged(self.semantics, &moves);
            let fewer = self.reordered(&moves, &[]).map(|(fewer, _)| fewer);
            let moves = fewer.filter(|f| replay(self.semantics, f).is_some()).unwrap_or(moves);
            self.findings.forever(&what, &moves, &found.graph.state(id));
        }
    }

    /// A trace with fewer task switches to the same kind of error, if one is found in a short time.
    fn fewer(&self, chase: Chase, idle: bool, what: &Seen, moves: &[Move]) -> Option<(Vec<Move>, State)> {
        let (_, now) = self.reordered(moves, &needed(what))?;
        if now <= FEW {
            return None;
        }
        let all = SHORT.iter().filter_map(|how| self.fewer_by(chase, *how, idle, what, now));
        all.min_by_key(|f| f.2).map(|(moves, state, _)| (moves, state))
    }

    fn fewer_by(
        &self,
        chase: Chase,
        how: (Order, Heuristic),
        idle: bool,
        what: &Seen,
        now: usize,
    ) -> Option<(Vec<Move>, State, usize)> {
        let found = self.by_switches(chase, how, idle)?;
        let (id, mv) = found.found?;
        let occurrence = found.occurrences.iter().find(|s| (s.state, s.mv) == (id, mv))?;
        if std::mem::discriminant(&occurrence.what) != std::mem::discriminant(what) {
            return None;
        }
        let mut path = found.graph.path(id);
        path.extend(mv);
        let path = self.shown.unmerged(self.semantics, &path);
        let (fewer, switches) = self.reordered(&path, &needed(&occurrence.what))?;
        let trace = replay(self.semantics, &fewer)?;
        (switches < now && self.shows(&trace, what)).then_some((fewer, trace.last, switches))
    }

    /// Whether a trace shows what was seen. That nobody can move is so in the same state only, to which
    /// every order of all steps leads.
    fn shows(&self, trace: &Trace, what: &Seen) -> bool {
        match what {
            Seen::Race { .. } => {
                let mut found = false;
                races(self.semantics.program, &self.local.access, &trace.last, |race| found |= race == *what);
                found
            }
            Seen::Blocked | Seen::Unsupported { .. } | Seen::Stopped { .. } => true,
            _ => trace.steps.iter().any(|s| seen_in(&s.step).any(|seen| seen == *what)),
        }
    }

    /// A search by task switches, for a short time.
    fn by_switches(
        &self,
        chase: Chase,
        (order, heuristic): (Order, Heuristic),
        idle: bool,
    ) -> Option<Search> {
        let useless = heuristic == Heuristic::Pattern && chase.pattern.is_none();
        if !self.settings.shorten || self.settings.order == Order::Switches || useless {
            return None;
        }
        let time = (self.left() / 8).min(Duration::from_millis(1500));
        let only = if idle { vec![Kind::ServerIdle] } else { self.settings.only.clone() };
        let settings = Settings { order, only, ..self.settings.clone() };
        let options = Options { timeout: Some(time), ..chase.options.clone() };
        let chase = Chase { options: &options, ..chase };
        Some(seek_by(self.semantics, &self.shown, chase, heuristic, &settings, self.control).search)
    }

    fn walk(&mut self, wanted: Wanted, until: Instant) {
        let time = until.saturating_duration_since(Instant::now());
        let (semantics, settings) = (self.semantics, self.settings);
        let mut first: Option<(Vec<Move>, State, Seen)> = None;
        walk(
            semantics,
            &self.local,
            time,
            self.control,
            (settings.seed, usize::MAX),
            |moves, state, seen| {
                let stop = wants(semantics, wanted, &seen, state, &settings.only);
                if stop && first.is_none() {
                    first = Some((moves.to_vec(), state.clone(), seen));
                }
                stop
            },
        );
        if let Some((moves, state, seen)) = first {
            let fewer = self.reordered(&moves, &needed(&seen)).map(|(fewer, _)| fewer);
            let shows = |f: &Vec<Move>| replay(semantics, f).is_some_and(|t| self.shows(&t, &seen));
            let moves = fewer.filter(shows).unwrap_or(moves);
            self.findings.seen(&seen, &moves, &state);
        }
    }

    fn outcome(mut self, properties: bool) -> Outcome {
        self.stats.seconds = self.started.elapsed().as_secs_f64();
        let reason = self.end.reason(self.stats.states);
        let (answers, properties) = match properties {
            true => {
                let monitors = &self.semantics.program.monitors;
                let open = |m: usize| {
                    if reason.is_empty() {
                        open_for_ever(&monitors[m], m as u16, &self.witness).into()
                    } else {
                        reason.clone()
                    }
                };
                let fairness = self.options.fairness;
                (Vec::new(), self.findings.properties(EngineId::Directed, &self.witness, fairness, open))
            }
            false => (self.findings.answers(&self.entries, |_| reason.clone()), Vec::new()),
        };
        Outcome {
            answers,
            properties,
            stats: self.stats,
            end: self.end,
            reached: self.findings.reached,
            contradictions: self.findings.contradictions,
            bounds: self.findings.bounds,
            ..Outcome::nothing(EngineId::Directed)
        }
    }
}

/// The tasks whose last steps show what was seen; nobody's in particular if all matter.
fn needed(what: &Seen) -> Vec<TaskId> {
    match what {
        Seen::Exception { task, .. } | Seen::Assertion { task, .. } => vec![*task],
        Seen::Race { first, second, .. } => vec![first.0, second.0],
        Seen::Blocked | Seen::Unsupported { .. } | Seen::Stopped { .. } | Seen::Broken { .. } => Vec::new(),
    }
}

/// Looks for errors of every kind.
pub fn check(program: &Program, settings: &Settings, options: &Options, control: &Control) -> Outcome {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let groups: [(Wanted, &[Kind]); 4] = [
        (Wanted::Blocking, &[Kind::CircularWait, Kind::ClientBlocked, Kind::ServerIdle, Kind::Spin]),
        (Wanted::Race, &[Kind::Race]),
        (Wanted::Assertion, &[Kind::Assertion]),
        (Wanted::Exception, &[Kind::TaskingError, Kind::ProgramError, Kind::UnhandledException]),
    ];
    let asked = |kinds: &[Kind]| settings.only.is_empty() || kinds.iter().any(|k| settings.only.contains(k));
    let mut hunt = Hunt::new(&semantics, local_steps(program, options), settings, options, control);
    let possible = |w: Wanted| {
        !aim(Guide::new(program, &hunt.local.access, Measure::Efca, false), program, w).is_hopeless()
    };
    let mut plan: Vec<Wanted> =
        groups.iter().filter(|(w, kinds)| asked(kinds) && possible(*w)).map(|(w, _)| *w).collect();
    if plan.is_empty() {
        // The code has no place for what is asked: a search that comes to its end says so.
        plan.push(Wanted::Blocking);
    }
    for (i, wanted) in plan.iter().enumerate() {
        let done = match wanted {
            Wanted::Race => hunt.findings.any(Kind::Race),
            Wanted::Assertion => hunt.findings.any(Kind::Assertion),
            Wanted::Exception => hunt.findings.any(Kind::UnhandledException),
            _ => false,
        };
        // Half of the time for what is first in the plan, and so on.
        let share = if i + 1 == plan.len() { 1 } else { 2 };
        if !done && hunt.pursue(*wanted, share) {
            break;
        }
    }
    hunt.outcome(false)
}

/// Looks for executions that break the properties that monitors follow.
pub fn properties(program: &Program, settings: &Settings, options: &Options, control: &Control) -> Outcome {
    let started = Instant::now();
    let mut all = Outcome::nothing(EngineId::Directed);
    let count = program.monitors.len() as u32;
    for (m, monitor) in program.monitors.iter().enumerate() {
        let mut one = program.clone();
        one.monitors = vec![monitor.clone()];
        let left = options.timeout.unwrap_or(PATIENCE).saturating_sub(started.elapsed()) / (count - m as u32);
        let options = Options { timeout: Some(left), ..options.clone() };
        let semantics = rendez_analysis::semantics(&one, options.recursion);
        let mut hunt = Hunt::new(&semantics, local_steps(&one, &options), settings, &options, control);
        hunt.findings = Findings::of_properties(&semantics);
        hunt.pursue(Wanted::Events(0), 1);
        let mut outcome = hunt.outcome(true);
        outcome.properties.iter_mut().for_each(|p| p.stats = Some(outcome.stats));
        all.properties.append(&mut outcome.properties);
        all.contradictions.append(&mut outcome.contradictions);
        all.reached.append(&mut outcome.reached);
        all.stats.states += outcome.stats.states;
        all.stats.transitions += outcome.stats.transitions;
        all.stats.peak_bytes = all.stats.peak_bytes.max(outcome.stats.peak_bytes);
        all.bounds.append(&mut outcome.bounds);
    }
    all.stats.seconds = started.elapsed().as_secs_f64();
    all
}

/// Looks for a state in which a formula that is to hold always does not.
pub fn formula(
    program: &Program,
    question: &Question,
    settings: &Settings,
    options: &Options,
    control: &Control,
) -> PropertyAnswer {
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut local = local_steps(program, options);
    question.stops.iter().for_each(|loc| local.access.local[loc.index()] = false);
    let mut stats = Stats::default();
    let mut answer = Answer::Inconclusive(
        "directed search looks for a state in which `always F` fails, F about single states".into(),
        Vec::new(),
    );
    if let Resolved::Always(inner) = &question.resolved
        && inner.in_state(&semantics.initial()).is_some()
    {
        let heuristic = settings.heuristic.unwrap_or(Heuristic::Measured(Measure::Efca));
        let patience = options.timeout.unwrap_or(PATIENCE);
        for skip_guesses in [false, true] {
            let timeout = Some(patience.saturating_sub(started.elapsed()));
            let options = Options { timeout, skip_guesses, ..options.clone() };
            let found =
                seek(&semantics, &local, Wanted::Formula(inner), heuristic, settings, &options, control);
            let found = found.search;
            stats.states += found.stats.states;
            stats.transitions += found.stats.transitions;
            stats.peak_bytes = stats.peak_bytes.max(found.stats.peak_bytes);
            let Some((id, _)) = found.found else {
                if !skip_guesses {
                    let unknown = found.occurrences.iter().find_map(|s| match s.what {
                        Seen::Unsupported { .. } => Some(Reason::new(Obstacle::Unmodelled, UNMODELLED)),
                        Seen::Stopped { loc } => {
                            program.bound_at(loc, options.recursion).map(|b| meets_bound(&b))
                        }
                        _ => None,
                    });
                    answer = match (found.end, unknown) {
                        (End::Complete, None) => Answer::Holds,
                        (End::Complete, Some(why)) => Answer::Inconclusive(why, Vec::new()),
                        (end, _) => Answer::Inconclusive(end.reason(found.stats.states), Vec::new()),
                    };
                }
                break;
            };
            let moves = local.unmerged(&semantics, &found.graph.path(id));
            let fewer = fewest_switches(&semantics, &local.access, &moves, &[]).map(|(f, _)| f);
            let traces = fewer.into_iter().chain([moves]).filter_map(|m| replay(&semantics, &m));
            let shown = traces.into_iter().find(|t| inner.in_state(&t.last) == Some(false));
            answer = question.broken(program, shown);
            // What needs a guess may have a twin that needs none.
            if matches!(answer, Answer::Violated(_)) {
                break;
            }
        }
    }
    stats.seconds = started.elapsed().as_secs_f64();
    PropertyAnswer { stats: Some(stats), ..question.answered(EngineId::Directed, options.fairness, answer) }
}
