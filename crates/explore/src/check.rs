//! The default checks, decided from one search.

use std::time::Duration;

use rendez_evidence::{Control, End, Findings, Options, Outcome, Seen};
use rendez_model::semantics::{Move, Semantics};
use rendez_model::{Action, Program};

use crate::local::LocalSteps;
use crate::search::{Breadth, Search, search};
use crate::spin::forever;
use crate::walk::walk;

/// Of random walks.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Explores the program and decides the default checks.
pub fn check(program: &Program, options: &Options, control: &Control) -> Outcome {
    let semantics = Semantics::bounded(program, options.recursion);
    let local = local_steps(program, options);
    let found = search(&semantics, &local, options, control, &mut Breadth::default());
    let mut findings = Findings::new(&semantics);
    collect(&semantics, &local, &found, &mut findings);
    // Findings that need a guess may have a twin that does not: search again without guesses.
    if found.guesses && findings.any_guessed() {
        let certain = Options { skip_guesses: true, ..options.clone() };
        let second = search(&semantics, &local, &certain, control, &mut Breadth::default());
        let aside = findings.set_aside();
        collect(&semantics, &local, &second, &mut findings);
        findings.take_back(aside);
    }
    if found.end != End::Complete && found.end != End::Interrupted && !options.long_delays {
        let time = options.timeout.map_or(Duration::from_secs(10), |t| t / 4).min(Duration::from_secs(30));
        walk(&semantics, &local, time, control, (SEED, 200), |moves, state, seen| {
            findings.seen(&seen, moves, state);
            false
        });
    }
    let properties = findings.properties("explore", &found.witness, &found.end.reason(found.stats.states));
    Outcome {
        engine: "explore",
        engines: Vec::new(),
        answers: findings.answers(&found.entries, |_| found.end.reason(found.stats.states)),
        properties,
        stats: found.stats,
        end: found.end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        cut: found.stopped,
        long_delays: options.long_delays,
    }
}

/// The steps that are run at once with these options.
pub fn local_steps(program: &Program, options: &Options) -> LocalSteps {
    let stops: fn(&Action) -> bool = match options.long_delays {
        true => |a| matches!(a, Action::Delay { .. }),
        false => |_| false,
    };
    LocalSteps::new(program, options.merge_local, stops)
}

fn collect(semantics: &Semantics, local: &LocalSteps, found: &Search, findings: &mut Findings) {
    let path = |state: u32, last: Option<Move>| {
        let mut moves = found.graph.path(state);
        moves.extend(last);
        local.unmerged(semantics, &moves)
    };
    let mut blocked = 0;
    for sighting in &found.sightings {
        if sighting.what == Seen::Blocked {
            blocked += 1;
            // Many blocked states differ only in data; the first of each kind is enough.
            if blocked > 2_000 {
                continue;
            }
        }
        let state = found.graph.state(sighting.state);
        findings.seen(&sighting.what, &path(sighting.state, sighting.mv), &state);
    }
    if found.end == End::Complete {
        let mut all = Vec::new();
        forever(semantics.program, &found.graph, |state, what| all.push((state, what)));
        all.sort_by_key(|a| a.0);
        for (state, what) in all {
            findings.forever(&what, &path(state, None), &found.graph.state(state));
        }
    }
}
