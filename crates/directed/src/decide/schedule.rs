//! One kind of error after another, within the time that is left.
//!
//! Unless the user chooses a heuristic, a kind is searched for in three attempts: quickly with e-FCA, then with exact
//! distances in a smaller program if there is one, then with e-FCA for the rest of its share. An attempt that meets
//! something that depends on an untracked value is repeated without such steps; a finding of the repetition is certain
//! and replaces the other one.
//!
//! A completed search says that nothing remains to be searched. Its end counts only if it followed every step, which
//! one without uncertain steps did not.

use std::time::{Duration, Instant};

use rendez_model::Action;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_search::{LocalSteps, SearchResult, forever, walk};
use rendez_verdict::{
    Control, End, EngineId, Entries, Findings, Kind, Observation, Options, Outcome, Stats, Witness,
    all_stuck, kinds_of_blocking, open_for_ever, replay, stuck,
};

use super::probe::Probe;
use super::seek::{Chase, pattern, seek_by, simpler, wants};
use super::shorten::needed;
use super::{DirectedSettings, Heuristic, PATIENCE, SearchTarget};
use crate::distance::Measure;
use crate::frontier::Order;

/// What the searches have found so far, with the time that is left.
pub(super) struct SearchSchedule<'a, 'p> {
    pub(super) semantics: &'a Semantics<'p>,
    pub(super) local: LocalSteps,
    /// The same, but the end of a rendezvous is a step of its own: it lets the caller go on.
    pub(super) shown: LocalSteps,
    pub(super) settings: &'a DirectedSettings,
    pub(super) options: &'a Options,
    pub(super) control: &'a Control,
    pub(super) started: Instant,
    pub(super) patience: Duration,
    pub(super) findings: Findings<'a, 'p>,
    pub(super) entries: Entries,
    pub(super) witness: Witness,
    pub(super) stats: Stats,
    pub(super) end: End,
}

impl<'a, 'p> SearchSchedule<'a, 'p> {
    pub(super) fn new(
        semantics: &'a Semantics<'p>,
        local: LocalSteps,
        settings: &'a DirectedSettings,
        options: &'a Options,
        control: &'a Control,
    ) -> SearchSchedule<'a, 'p> {
        let ends = |a: &Action| matches!(a, Action::EndAccept { .. } | Action::FailAccept { .. });
        SearchSchedule {
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

    pub(super) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.started.elapsed())
    }

    /// Searches within a share of the time that is left; true if nothing remains to be searched.
    pub(super) fn pursue(&mut self, wanted: SearchTarget, share: u32) -> bool {
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
    pub(super) fn note(&mut self, found: &SearchResult, skip_guesses: bool) {
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
    pub(super) fn take(&mut self, chase: Chase, found: &SearchResult) {
        let Chase { wanted, options, .. } = chase;
        let mut blocked = 0;
        for occurrence in &found.occurrences {
            if occurrence.what == Observation::Blocked {
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
                && occurrence.what == Observation::Blocked
                && matches!(wanted, SearchTarget::Blocking)
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
            && matches!(wanted, SearchTarget::Blocking)
            && !found.occurrences.iter().any(|s| s.state == id && s.what == Observation::Blocked)
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
    pub(super) fn is_idle(&self, state: &State) -> bool {
        let stuck = all_stuck(self.semantics.program, state);
        let found = kinds_of_blocking(self.semantics, state, &stuck);
        !found.is_empty() && found.iter().all(|b| b.kind == Kind::ServerIdle)
    }

    /// What goes on for ever in a graph that begins after some moves.
    fn forever(&mut self, found: &SearchResult, prefix: Option<&[Move]>) {
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

    pub(super) fn walk(&mut self, wanted: SearchTarget, until: Instant) {
        let time = until.saturating_duration_since(Instant::now());
        let (semantics, settings) = (self.semantics, self.settings);
        let mut first: Option<(Vec<Move>, State, Observation)> = None;
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
            self.end = End::Found;
            let fewer = self.reordered(&moves, &needed(&seen)).map(|(fewer, _)| fewer);
            let shows = |f: &Vec<Move>| replay(semantics, f).is_some_and(|t| self.shows(&t, &seen));
            let moves = fewer.filter(shows).unwrap_or(moves);
            self.findings.seen(&seen, &moves, &state);
        }
    }

    pub(super) fn outcome(mut self, properties: bool) -> Outcome {
        self.stats.seconds = self.started.elapsed().as_secs_f64();
        let reason = self.end.reason(self.stats.states);
        let (answers, properties) = match properties {
            true => {
                let monitors = &self.semantics.program.monitors;
                let open = |m: usize| {
                    let open = || open_for_ever(&monitors[m], m as u16, &self.witness);
                    reason.clone().or_else(open)
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
