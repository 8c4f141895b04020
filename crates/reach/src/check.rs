//! The default checks, decided from what was reached.
//!
//! Deadlock checking in CATS (Young et al., 1995, section 3.3.1) looks at single states for a choice of edge groups
//! that leaves no edge. Here a choice that a task makes for itself is a step, so a blocked state is simply one without
//! steps; `cats.rs` has the published check. What the default checks need beyond that is decided as follows:
//! - Exceptions, assertions and served entries are outcomes of steps. The search keeps one state for each outcome that
//!   shows something, and the trace to it is made afterwards.
//! - Tasks that wait for ever or spin while others run are found in the bottom strongly connected components of the
//!   graph. Who has no edge in such a component never moves again, and who only polls there spins.
//! - Races are pairs of tasks about to access the same variable. Stubborn sets do not keep which accesses are about to
//!   happen together, so races have a search of their own.
//!
//! One limit covers everything, and each part gets its share. Stubborn sets are tried for a moment, then a plain search
//! of a few million states, because a stubborn set costs about a hundred times a plain step, and then stubborn sets for
//! the rest of the time. Programs with very many tasks are first searched for blocked states by descent (`walk.rs`),
//! since a bug in a large program is mostly found soon.
//!
//! Where a limit is hit, three arguments without a complete search are tried: nobody can wait for ever by the code
//! alone (`progress.rs`), no exception can be raised by the code alone (`exceptions.rs`), and the program does not
//! block without the counters of tasks that end (`finite.rs`). The last one is an abstraction, refined along spurious
//! traces: a trace that blocks is followed in the program itself, and the data that decide its first impossible step
//! are tracked from then on. What the code alone proves is compared with every finding, and a contradiction is an
//! internal error.
//!
//! Findings that depend on an untracked value cause a second search without such steps, because a certain finding may
//! exist beside them.

use std::time::{Duration, Instant};

use rendez_analysis::access::Access;
use rendez_analysis::passes::recursive_procedures;
use rendez_model::code::{each_read, each_written};
use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::state::{State, Status, TaskState, Wait};
use rendez_model::{Action, BinaryOp, EntryId, Expr, Loc, Node, Place, Program, TaskId, VarId};
use rendez_verdict::{
    Control, End, EngineId, Entries, Findings, Forever, Kind, Options, Outcome, POLLS, PROGRESS, Reason,
    Seen, Stats, Witness, alive, all_stuck, awaits_lock, kinds_of_blocking, races, seen_in,
};
use rustc_hash::FxHashSet;

use crate::ctl;
use crate::exceptions::never_raised;
use crate::finite;
use crate::graph::{Graph, Roles};
use crate::hashed::{self, Keep};
use crate::progress::never_blocks;
use crate::reached::Reached;
use crate::search::{Again, Config, search};
use crate::walk::{Reporter, descend, walk};
use rendez_petri::slots::SlotSplit;
use rendez_petri::step_cache::{StepCache, Tig};
use rendez_petri::steps::{Fate, Steps};

/// Searches the program and decides the default checks. What is too large is searched once more
/// without the counters of its loops, if it cannot run for ever.
pub fn check(program: &Program, options: &Options, config: &Config, control: &Control) -> Outcome {
    if config.keep != Keep::States {
        return hunted(program, options, config, control, &[]);
    }
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut findings = Findings::new(&semantics);
    let forgotten = finite::forgettable(program);
    let ends = forgotten.contains(&true);
    // Without shared variables nobody races, as far as the model goes.
    let ends_early = ends_early(program);
    let only_races = Kind::ALL.iter().all(|k| *k == Kind::Race || !config.wants(*k));
    let shares = config.wants(Kind::Race)
        && (Access::new(program).shared.contains(&true) || (only_races && ends_early));
    // One limit for everything: what is tried later gets its share.
    let part = match (ends, shares) {
        (false, false) => 1.0,
        (true, _) => 0.45,
        (false, true) => 0.85,
    };
    // A bug in a large program is found first; if none is found soon, nothing is lost.
    if program.tasks.len() > LARGE && !only_races {
        let time = share(options, started, 0.25).timeout.unwrap_or(Duration::from_secs(30));
        walk_about(&semantics, options, time, control, &mut findings, descend);
    }
    let mut run = match findings.is_empty() && !only_races {
        true => exactly(&semantics, &share(options, started, part), config, control, &mut findings),
        false => Run::of_hunt(program),
    };
    let mut held = Vec::new();
    let limited = matches!(run.end, End::Time | End::Memory | End::States);
    let freely = (limited || !findings.is_empty()) && never_blocks(program);
    let harmless = if limited || !findings.is_empty() { never_raised(program) } else { Vec::new() };
    if freely && limited {
        held = BLOCKING.to_vec();
    } else if ends && limited && !findings.any_blocking() {
        let (kinds, stats) = spared(program, forgotten, &share(options, started, 0.75), config, control);
        held = kinds;
        run.stats.states += stats.states;
        run.stats.transitions += stats.transitions;
    }
    if limited {
        let time = share(options, started, 0.92).timeout.unwrap_or(Duration::from_secs(10));
        walk_about(&semantics, options, time.min(Duration::from_secs(20)), control, &mut findings, walk);
    }
    if freely && findings.any_blocking() {
        findings
            .contradictions
            .push("the code alone shows that nobody waits for ever, but somebody does".into());
    }
    for kind in &harmless {
        if findings.any(*kind) {
            let text = format!("the code alone shows that {} holds, but it does not", kind.name());
            findings.contradictions.push(text);
        }
    }
    held.extend(harmless);
    let racing = match shares {
        true => Some(race_search(&semantics, &share(options, started, 1.0), config, control, &mut findings)),
        false => None,
    };
    let why = |kind: Kind| match (kind, &racing) {
        (Kind::Race, Some((end, states))) => end.reason(*states),
        (Kind::Race, None) if !config.wants(Kind::Race) => "it was not asked for".into(),
        (Kind::Race, None) if !ends_early => Reason::default(),
        _ if held.contains(&kind) => Reason::default(),
        _ => run.end.reason(run.stats.states),
    };
    run.stats.seconds = started.elapsed().as_secs_f64();
    let end = match (run.end, &racing) {
        (End::Complete, Some((end, _))) => *end,
        (end, _) => end,
    };
    Outcome {
        engine: EngineId::Reach,
        engines: Vec::new(),
        answers: findings.answers(&run.entries, why),
        properties: Vec::new(),
        stats: run.stats,
        end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        bounds: findings.bounds,
        long_delays: false,
    }
}

/// Whether the program may go on where the model ends: at a bound, or at something that is not modelled.
fn ends_early(program: &Program) -> bool {
    let ends = |n: &Node| {
        matches!(n.action, Action::Unsupported { .. } | Action::Stop { .. } | Action::Allocate { .. })
    };
    program.nodes.iter().any(ends) || !recursive_procedures(program).is_empty()
}

/// Looks for errors only, and keeps less than the states.
fn hunted(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
    tracked_queues: &[EntryId],
) -> Outcome {
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let mut findings = Findings::new(&semantics);
    let steps = Steps::new(&semantics, options.merge_local, options.skip_guesses, tracked_queues, &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let mut known: FxHashSet<Seen> = FxHashSet::default();
    let mut stuck_at: FxHashSet<Vec<Loc>> = FxHashSet::default();
    let first = &cache.first;
    see(&first.steps, &first.moves, &[], &first.state, &mut known, &mut findings);
    // Both look at what was found.
    let shared = std::cell::RefCell::new((findings, known));
    let mut about = AboutToAccess::default();
    let hunted = hashed::hunt(
        &mut cache,
        config.keep,
        options,
        control,
        |cache, here, stuck| {
            let (findings, known) = &mut *shared.borrow_mut();
            let fresh = about.look(cache, |slot| here.values[slot]);
            if !fresh && !stuck {
                return;
            }
            let state = cache.slots.state(here.values.iter().copied());
            if fresh {
                races(program, &cache.steps.access, &state, |seen| {
                    if known.insert(seen.clone()) {
                        findings.seen(&seen, &cache.moves(here.path), &state);
                    }
                });
            }
            // Those that differ only in data are one.
            let places = || state.tasks.iter().map(|t| t.pc).collect();
            if stuck
                && state.tasks.iter().any(|t| alive(t.status))
                && stuck_at.len() < 50
                && stuck_at.insert(places())
            {
                blocked(&cache.steps, cache.moves(here.path), &state, findings);
            }
        },
        |cache, here, number| {
            let (findings, known) = &mut *shared.borrow_mut();
            let story = &cache.stories[number as usize];
            let state = cache.slots.state(here.values.iter().copied());
            let fate = cache.trees.outcomes[number as usize].fate;
            if fate == Fate::Skipped {
                return;
            }
            not_followed(fate, &story.steps, &state, findings);
            if story.seen.iter().any(|s| !known.contains(s)) {
                see(&story.steps, &story.moves, &cache.moves(here.path), &state, known, findings);
            }
        },
    );
    let louder = cache.steps.tracked_queues.borrow().clone();
    if hunted.end != End::Interrupted && louder.len() > tracked_queues.len() {
        return self::hunted(program, options, config, control, &louder);
    }
    let (mut findings, _) = shared.into_inner();
    let states = hunted.stats.states;
    let missed = format!(
        "only {} were kept; the probability that states were missed is about {:.1e}",
        if config.keep == Keep::Bits { "bits of states" } else { "hashes of states" },
        -(-hunted.missed).exp_m1(),
    );
    let reason = match hunted.end {
        End::Complete => Reason::from(format!("{states} states were searched, but {missed}")),
        end => Reason::new(end.obstacle(), format!("{}, and {missed}", end.reason(states))),
    };
    Outcome {
        engine: EngineId::Reach,
        engines: Vec::new(),
        // Nothing is claimed about entries.
        answers: findings.answers(&Entries::new(program), |_| reason.clone()),
        properties: Vec::new(),
        stats: hunted.stats,
        end: if hunted.end == End::Complete { End::Hashed } else { hunted.end },
        reached: findings.reached,
        contradictions: findings.contradictions,
        bounds: findings.bounds,
        long_delays: false,
    }
}

/// The options with what is left of the time: up to a part of all of it.
pub fn share(options: &Options, started: Instant, part: f64) -> Options {
    let left = |t: Duration| t.mul_f64(part).saturating_sub(started.elapsed()).max(Duration::from_millis(20));
    Options { timeout: options.timeout.map(left), ..options.clone() }
}

/// The checks that hold in a program because they hold without some of its data.
pub fn held_without_data(
    program: &Program,
    options: &Options,
    config: &Config,
    control: &Control,
) -> Vec<Kind> {
    spared(program, finite::forgettable(program), options, config, control).0
}

/// Waiting for ever, in all its kinds.
const BLOCKING: [Kind; 4] = [Kind::CircularWait, Kind::ClientBlocked, Kind::ServerIdle, Kind::Spin];

/// So often is a model without data refined.
const REFINEMENTS: usize = 40;

/// The checks that hold in a program because they hold without some data of tasks that end. Begins
/// without all that can be forgotten; where the model without it blocks, the trace is followed in the
/// program itself, and what decides the first step that is not possible there is remembered from then
/// on.
fn spared(
    program: &Program,
    mut forgotten: Vec<bool>,
    options: &Options,
    config: &Config,
    control: &Control,
) -> (Vec<Kind>, Stats) {
    let started = Instant::now();
    let config = &Config { first_only: true, ..config.clone() };
    let mut stats = Stats::default();
    for _ in 0..REFINEMENTS {
        if !forgotten.contains(&true) {
            break;
        }
        let coarse = finite::forget(program, &forgotten);
        let semantics = rendez_analysis::semantics(&coarse, options.recursion);
        let reached = reach(&semantics, &share(options, started, 1.0), config, control, &[]);
        stats.states += reached.stats.states;
        stats.transitions += reached.stats.transitions;
        let stuck = |id: &&u32| reached.state(**id).tasks.iter().any(|t| alive(t.status));
        let blocked = reached.blocked.iter().find(stuck);
        let cut = |o: &rendez_petri::step_cache::Outcome| matches!(o.fate, Fate::Stopped | Fate::Unsupported);
        match blocked {
            Some(id) => {
                let way = reached.way(*id);
                if !refine(program, &coarse, &way.moves, options, &mut forgotten) {
                    break;
                }
            }
            None if reached.end == End::Complete && !reached.cache.trees.outcomes.iter().any(cut) => {
                let mut findings = Findings::new(&semantics);
                let Ok(graph) = reached.graph(control) else { break };
                forever(&reached, graph, &mut findings);
                if findings.any_blocking() || !findings.contradictions.is_empty() {
                    break;
                }
                return (BLOCKING.to_vec(), stats);
            }
            None => break,
        }
    }
    (Vec::new(), stats)
}

/// Follows a run of a model without some data in the program itself. Where it cannot be followed,
/// remembers the data that decide; whether there was such a step.
fn refine(
    program: &Program,
    coarse: &Program,
    moves: &[Move],
    options: &Options,
    forgotten: &mut [bool],
) -> bool {
    let (exact, coarse) = (
        rendez_analysis::semantics(program, options.recursion),
        rendez_analysis::semantics(coarse, options.recursion),
    );
    let (mut here, mut there) = (exact.initial(), coarse.initial());
    let mut out = Vec::new();
    for mv in moves {
        out.clear();
        coarse.successors(&there, mv.task, &mut out);
        if mv.choice as usize >= out.len() {
            return false;
        }
        let next = out.swap_remove(mv.choice as usize);
        let at = here.tasks[mv.task.index()].pc;
        let (before, after) = (there.tasks[mv.task.index()].pc, next.state.tasks[mv.task.index()].pc);
        there = next.state;
        let was_there = before.index() < program.nodes.len();
        // An assignment that may leave the range, or the choice whether it does.
        if was_there && coarse.program.node(before).action != program.node(before).action {
            continue;
        }
        let raises = matches!(coarse.program.node(before).action, Action::Raise { .. }) && !was_there;
        if !raises {
            out.clear();
            exact.successors(&here, mv.task, &mut out);
            let position = out.iter().position(|o| {
                let pc = o.state.tasks[mv.task.index()].pc;
                pc == after && o.step.what == next.step.what
            });
            if let Some(position) = position {
                here = out.swap_remove(position).state;
                continue;
            }
        }
        // What the step reads, and what an assignment changes.
        let mut more = false;
        let mut remember = |cell: VarId| {
            // All instances of one declaration: they are alike.
            let span = program.vars[cell.index()].span;
            for (v, var) in program.vars.iter().enumerate() {
                if var.span == span
                    && var.name.rsplit('.').next() == program.vars[cell.index()].name.rsplit('.').next()
                {
                    more |= std::mem::replace(&mut forgotten[v], false);
                }
            }
        };
        let action = &program.node(at).action;
        action.each_expr(&mut |e| e.each_cell(program, &mut remember));
        rendez_model::code::each_written(program, action, &mut remember);
        keep_sources(program, forgotten);
        return more;
    }
    false
}

/// What is remembered is worth nothing without what it is computed from.
fn keep_sources(program: &Program, forgotten: &mut [bool]) {
    let mut again = true;
    while std::mem::take(&mut again) {
        for node in &program.nodes {
            if let Action::Assign { to: Place::Var(v), value, .. } = &node.action
                && !forgotten[v.index()]
            {
                value.each_cell(program, &mut |cell| {
                    again |= std::mem::replace(&mut forgotten[cell.index()], false);
                });
            }
        }
    }
}

/// What a search for everything but races found out besides findings.
struct Run {
    end: End,
    stats: Stats,
    entries: Entries,
}

impl Run {
    /// After a hunt that found something: the rest is not known.
    fn of_hunt(program: &Program) -> Run {
        let entries = Entries::new(program);
        Run { end: End::Found, stats: Stats::default(), entries }
    }
}

/// Programs with more tasks are first hunted for blocked states.
const LARGE: usize = 150;

/// Looks for anything along random schedules.
fn walk_about(
    semantics: &Semantics,
    options: &Options,
    time: Duration,
    control: &Control,
    findings: &mut Findings,
    walk: impl Fn(&mut StepCache, Duration, &Control, &mut Reporter),
) {
    let steps = Steps::new(semantics, options.merge_local, options.skip_guesses, &[], &[]);
    let mut cache = StepCache::new(steps, Tig::Modified);
    let mut known: FxHashSet<Seen> = FxHashSet::default();
    walk(&mut cache, time, control, &mut |cache, moves, state, seen| {
        if seen != Seen::Blocked {
            if known.insert(seen.clone()) {
                findings.seen(&seen, moves, state);
            }
            return;
        }
        let (last, waits) = cache.steps.commit(state);
        let moves: Vec<Move> = moves.iter().copied().chain(waits).collect();
        let stuck = |t: usize| cache.steps.successors(&last, TaskId::from(t)).is_empty();
        if (0..last.tasks.len()).all(stuck) {
            findings.seen(&Seen::Blocked, &moves, &last);
        }
    });
}

/// Searches a program as it is.
fn exactly(
    semantics: &Semantics,
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> Run {
    let started = Instant::now();
    let mut entries = Entries::new(semantics.program);
    let reached = reach(semantics, options, config, control, &[]);
    let seen = collect(&reached, findings, &mut entries, control);
    if seen.guesses && findings.any_guessed() {
        // Findings that need a guess may have a twin that does not.
        let certain = Options { skip_guesses: true, ..share(options, started, 1.0) };
        let second = reach(semantics, &certain, config, control, &[]);
        let aside = findings.set_aside();
        collect(&second, findings, &mut Entries::new(semantics.program), control);
        findings.take_back(aside);
    }
    let end = seen.no_graph.unwrap_or(reached.end);
    Run { end, stats: reached.stats, entries }
}

/// Stubborn sets keep everything but who is about to access what at the same time: races are
/// looked for in a search of their own.
fn race_search(
    semantics: &Semantics,
    options: &Options,
    config: &Config,
    control: &Control,
    findings: &mut Findings,
) -> (End, usize) {
    let started = Instant::now();
    let config = Config { stubborn: false, ..config.clone() };
    let reached = reach(semantics, &share(options, started, 0.8), &config, control, &[]);
    let late = || options.timeout.is_some_and(|t| started.elapsed() > t);
    let whole = races_of(&reached, findings, late);
    for (outcome, id) in &reached.notable {
        let fate = reached.cache.trees.outcomes[*outcome as usize].fate;
        let steps = &reached.cache.stories[*outcome as usize].steps;
        if matches!(fate, Fate::Stopped | Fate::Unsupported) {
            not_followed(fate, steps, &reached.state(*id), findings);
        }
    }
    let end = if whole || reached.end != End::Complete { reached.end } else { End::Time };
    (end, reached.stats.states)
}

/// Searches, again if entries turn out to need their queues. Tasks are seen to stop at `stops`.
/// Stubborn sets cost a hundred times what a plain step costs: where they do not come to an end at once, a
/// plain search of a few million states may.
pub fn reach<'s, 'p>(
    semantics: &'s Semantics<'p>,
    options: &Options,
    config: &Config,
    control: &Control,
    stops: &[Loc],
) -> Reached<'s, 'p> {
    let started = Instant::now();
    // A search that came to its end within its share may take all that is left for its graph.
    let until = options.timeout.map(|t| started + t);
    let with = |options: &Options, config: &Config| {
        let mut reached = repeat(semantics, options, config, stops, |cache, config, options| {
            search(cache, config, options, control)
        });
        reached.until = until;
        reached
    };
    let ended = |reached: &Reached| matches!(reached.end, End::Complete | End::Interrupted);
    if !config.stubborn || config.branching.is_some() || semantics.program.tasks.len() > MANY {
        return with(options, config);
    }
    let brief = options.timeout.map_or(AT_ONCE, |t| AT_ONCE.min(t / 4));
    let first = with(&Options { timeout: Some(brief), ..options.clone() }, config);
    if first.end != End::Time {
        return first;
    }
    // Nothing is gained, and that is known already.
    if !first.is_reduced() {
        drop(first);
        return with(&share(options, started, 1.0), &Config { stubborn: false, ..config.clone() });
    }
    drop(first);
    let second = with(&plain_limits(options), &Config { stubborn: false, ..config.clone() });
    if ended(&second) {
        return second;
    }
    drop(second);
    with(&share(options, started, 1.0), config)
}

/// Limits for a plain search that stubborn sets wait for.
pub fn plain_limits(options: &Options) -> Options {
    let time = options.timeout.map_or(PLAIN_TIME, |t| PLAIN_TIME.min(t / 4));
    Options { timeout: Some(time), max_states: options.max_states.min(PLAIN_STATES), ..options.clone() }
}

/// How long stubborn sets are tried first, and how far a plain search goes before they are tried again.
const AT_ONCE: Duration = Duration::from_millis(400);
const PLAIN_TIME: Duration = Duration::from_secs(5);
const PLAIN_STATES: usize = 3_000_000;
/// So many tasks have too many states for that.
const MANY: usize = 60;

/// Runs a search until it need not start again.
fn repeat<'s, 'p>(
    semantics: &'s Semantics<'p>,
    options: &Options,
    config: &Config,
    stops: &[Loc],
    search: impl Fn(StepCache<'s, 'p>, &Config, &Options) -> Result<Reached<'s, 'p>, Again>,
) -> Reached<'s, 'p> {
    let started = Instant::now();
    let all = 0..if config.meet && !config.waits { 0 } else { semantics.program.entries.len() };
    let (mut tracked_queues, mut apart) = (all.map(EntryId::from).collect::<Vec<_>>(), Vec::new());
    let mut config = config.clone();
    loop {
        let mut steps =
            Steps::new(semantics, options.merge_local, options.skip_guesses, &tracked_queues, stops);
        if config.waits {
            steps.unobservable.select.fill(false);
        }
        let mut cache = StepCache::with(steps, Tig::Modified, &SlotSplit::These(apart.clone()));
        if !config.forget {
            cache.slots.remember();
        }
        match search(cache, &config, &share(options, started, 1.0)) {
            Ok(reached) => return reached,
            Err(Again::Loud(more)) => tracked_queues = more,
            Err(Again::Apart(more)) => apart.extend(more),
            Err(Again::Plainly) => config.stubborn = false,
        }
    }
}

#[derive(Default)]
struct Noticed {
    guesses: bool,
    /// Why there is none.
    no_graph: Option<End>,
}

fn collect(reached: &Reached, findings: &mut Findings, entries: &mut Entries, control: &Control) -> Noticed {
    let cache = &reached.cache;
    let mut noticed = Noticed::default();
    let mut known: FxHashSet<Seen> = FxHashSet::default();
    let mut found: FxHashSet<Seen> = FxHashSet::default();
    let first = &cache.first;
    see(&first.steps, &first.moves, &[], &first.state, &mut found, findings);
    for (outcome, id) in &reached.notable {
        let story = &cache.stories[*outcome as usize];
        let state = reached.state(*id);
        not_followed(cache.trees.outcomes[*outcome as usize].fate, &story.steps, &state, findings);
        if story.seen.iter().any(|s| !known.contains(s)) && skipped_not(reached, *outcome) {
            let way = reached.way(*id);
            // The like of what was seen is not looked at once more.
            known.extend(story.seen.iter().cloned());
            let run = cache.steps.renamed(story.moves.iter().copied(), &state, &way.permutation);
            let (moves, steps): (Vec<Move>, Vec<Step>) = run.into_iter().map(|(m, o)| (m, o.step)).unzip();
            see(&steps, &moves, &way.moves, &way.state, &mut found, findings);
        }
    }
    for (entry, called, accepted) in first.entries.iter().chain(cache.stories.iter().flat_map(|s| &s.entries))
    {
        entries.add(*entry, *called, *accepted);
    }
    for entry in cache.steps.called.borrow().iter() {
        entries.add(*entry, true, false);
    }
    if let Some(symmetry) = &reached.symmetry {
        symmetry.spread(cache.steps.semantics.program, entries);
    }
    noticed.guesses = cache.trees.outcomes.iter().any(|o| o.guessed);
    blocked_states(reached, findings);
    if reached.end == End::Complete {
        match reached.graph(control) {
            Ok(graph) => forever(reached, graph, findings),
            Err(end) => noticed.no_graph = Some(end),
        }
    }
    noticed
}

/// Decides the properties that monitors follow, and nothing else.
pub fn properties(program: &Program, options: &Options, config: &Config, control: &Control) -> Outcome {
    let started = Instant::now();
    let semantics = rendez_analysis::semantics(program, options.recursion);
    let reached = reach(&semantics, options, config, control, &[]);
    let mut findings = Findings::of_properties(&semantics);
    let noticed = collect(&reached, &mut findings, &mut Entries::new(program), control);
    if noticed.guesses && findings.any_guessed() {
        let certain = Options { skip_guesses: true, ..share(options, started, 1.0) };
        let second = reach(&semantics, &certain, config, control, &[]);
        let aside = findings.set_aside();
        collect(&second, &mut findings, &mut Entries::new(program), control);
        findings.take_back(aside);
    }
    let mut witness = Witness::default();
    let stories = reached.cache.stories.iter().flat_map(|s| &s.steps);
    reached.cache.first.steps.iter().chain(stories).for_each(|step| witness.note(program, step));
    let end = noticed.no_graph.unwrap_or(reached.end);
    let mut stats = reached.stats;
    drop(reached);
    let why = end.reason(stats.states);
    let live = findings.open_for_ever();
    let mut open = why.clone();
    if why.is_empty() && !live.is_empty() {
        let left = share(options, started, 1.0);
        let (cut, more) = ctl::recurring(&semantics, &live, &left, config, control, &mut findings);
        open = cut;
        stats = stats.max(more);
    }
    let answers = findings.all_properties(EngineId::Reach, &witness, options.fairness, (&live, &open), &why);
    Outcome {
        properties: answers,
        stats,
        end,
        reached: findings.reached,
        contradictions: findings.contradictions,
        bounds: findings.bounds,
        ..Outcome::nothing(EngineId::Reach)
    }
}

/// Notes where an execution is not followed any further.
fn not_followed(fate: Fate, steps: &[Step], state: &State, findings: &mut Findings) {
    let loc = steps.last().map_or(state.tasks[0].pc, |s| s.loc);
    match fate {
        Fate::Stopped => findings.seen(&Seen::Stopped { loc }, &[], state),
        Fate::Unsupported => findings.seen(&Seen::Unsupported { loc }, &[], state),
        Fate::Skipped | Fate::Followed => {}
    }
}

fn skipped_not(reached: &Reached, outcome: u32) -> bool {
    reached.cache.trees.outcomes[outcome as usize].fate != Fate::Skipped
}

/// Reports what the steps of a run show, each with the moves up to it.
fn see(
    steps: &[Step],
    moves: &[Move],
    before: &[Move],
    state: &State,
    known: &mut FxHashSet<Seen>,
    findings: &mut Findings,
) {
    for (i, step) in steps.iter().enumerate() {
        for seen in seen_in(step) {
            if known.insert(seen.clone()) {
                let mut all = before.to_vec();
                all.extend(&moves[..=i]);
                findings.seen(&seen, &all, state);
            }
        }
    }
}

fn blocked_states(reached: &Reached, findings: &mut Findings) {
    let steps = &reached.cache.steps;
    // The way to a state takes long: those that differ only in data are one.
    let mut known: FxHashSet<(Vec<Kind>, Vec<Loc>)> = FxHashSet::default();
    for id in &reached.blocked {
        let state = reached.state(*id);
        if state.tasks.iter().any(|t| alive(t.status)) {
            let (last, _) = steps.commit(&state);
            let stuck = all_stuck(steps.semantics.program, &last);
            let found = kinds_of_blocking(steps.semantics, &last, &stuck);
            let kinds = found.iter().map(|b| b.kind).collect();
            if known.insert((kinds, last.tasks.iter().map(|t| t.pc).collect())) {
                let way = reached.way(*id);
                blocked(steps, way.moves, &way.state, findings);
            }
        }
    }
}

/// A state in which nothing can happen.
fn blocked(steps: &Steps, mut moves: Vec<Move>, state: &State, findings: &mut Findings) {
    let (last, waits) = steps.commit(state);
    moves.extend(waits);
    let moving = (0..last.tasks.len()).find(|t| !steps.successors(&last, TaskId::from(*t)).is_empty());
    match moving {
        Some(task) => {
            let name = &steps.semantics.program.tasks[task].name;
            findings.contradictions.push(format!("a state without steps lets {name} go on"));
        }
        None => findings.seen(&Seen::Blocked, &moves, &last),
    }
}

/// Pairs of tasks about to access one variable. Whether all states were looked at before it was `late`.
fn races_of(reached: &Reached, findings: &mut Findings, late: impl Fn() -> bool) -> bool {
    let steps = &reached.cache.steps;
    let mut known = FxHashSet::default();
    let mut whole = true;
    let mut about = AboutToAccess::default();
    let mut words = vec![0; reached.layout.words];
    let mut found = Vec::new();
    let mut reported: FxHashSet<Seen> = FxHashSet::default();
    for id in 0..reached.store.len() as u32 {
        if id.is_multiple_of(1024) && late() {
            whole = false;
            break;
        }
        reached.store.read(id, &mut words);
        if about.look(&reached.cache, |slot| reached.layout.get(&words, slot)) {
            let state = reached.state(id);
            races(steps.semantics.program, &steps.access, &state, |seen| found.push((seen, id)));
        }
    }
    for (seen, id) in found {
        if known.insert(seen) {
            let way = reached.way(id);
            races(steps.semantics.program, &steps.access, &way.state, |seen| {
                if reported.insert(seen.clone()) {
                    findings.seen(&seen, &way.moves, &way.state);
                }
            });
        }
    }
    whole
}

/// Tells states in which two tasks may race from the others. Two tasks with the same contents race or do not, whatever the
/// others do, unless what they access depends on something that is stored elsewhere, or a lock keeps off an abort.
#[derive(Default)]
struct AboutToAccess {
    /// By task and contents: whether the task is about to access something shared, and whether more than its
    /// contents says what that is.
    about: Vec<Vec<(bool, bool)>>,
    pairs: FxHashSet<[u32; 4]>,
    busy: Vec<(u32, u32, bool)>,
    /// Whether there is something shared.
    shares: Option<bool>,
}

impl AboutToAccess {
    /// Whether some two tasks may race here that were not seen to be here together.
    fn look(&mut self, cache: &StepCache, value: impl Fn(usize) -> u32) -> bool {
        let steps = &cache.steps;
        let program = steps.semantics.program;
        if !*self.shares.get_or_insert_with(|| steps.access.shared.contains(&true)) {
            return false;
        }
        self.about.resize(program.tasks.len(), Vec::new());
        self.busy.clear();
        for (t, about) in self.about.iter_mut().enumerate() {
            let number = value(t);
            while about.len() <= number as usize {
                let ts = cache.slots.task(t, about.len() as u32);
                let accesses = ts.is_some_and(|ts| {
                    matches!(ts.status, Status::Active | Status::Activating)
                        && ts.wait == Wait::Nothing
                        && accesses(steps, &program.node(ts.pc).action)
                        && (!steps.access.local[ts.pc.index()]
                            || program.node(ts.pc).action == Action::Return)
                });
                about.push((accesses, ts.is_some_and(|ts| ts.due || depends_on_others(cache, t, ts))));
            }
            let (accesses, depends) = about[number as usize];
            if accesses {
                self.busy.push((t as u32, number, depends));
            }
        }
        let mut fresh = false;
        for (i, a) in self.busy.iter().enumerate() {
            for b in &self.busy[i + 1..] {
                fresh |= self.pairs.insert([a.0, a.1, b.0, b.1]) || a.2 || b.2;
            }
        }
        fresh
    }
}

/// Whether what a task is about to access depends on more than its own contents: an index or a condition that is stored
/// elsewhere, or queues and locks, where a barrier is to be looked at.
fn depends_on_others(cache: &StepCache, task: usize, ts: &TaskState) -> bool {
    let program = cache.steps.semantics.program;
    let mut found = false;
    let mut look = |e: &Expr| {
        e.each_cell(program, &mut |cell| found |= cache.slots.slot_of(cell.0) as usize != task);
    };
    let action = &program.node(ts.pc).action;
    action.each_expr(&mut |e| {
        e.walk(&mut |e| match e {
            Expr::Load(_, decides)
            | Expr::Binary(BinaryOp::And | BinaryOp::Or, decides, _)
            | Expr::If(decides, ..) => look(decides),
            _ => {}
        });
    });
    match action {
        Action::Assign { to, .. } | Action::Havoc { to, .. } | Action::Allocate { to, .. } => {
            to.each_index(&mut look);
        }
        Action::Return => {
            if let Some(frame) = ts.frames.last()
                && let Action::Call { outs, .. } = &program.node(frame.site).action
            {
                outs.iter().for_each(|(_, place)| place.each_index(&mut look));
            }
        }
        Action::EntryCall { .. }
        | Action::Async { .. }
        | Action::EndAsync { .. }
        | Action::Requeue { .. }
        | Action::Abort { .. }
        | Action::Unlock { .. } => {
            let shared = &cache.steps.access.shared;
            let barriers = program.entries.iter().filter_map(|e| e.barrier.as_ref());
            barriers.for_each(|b| b.each_cell(program, &mut |c| found |= shared[c.index()]));
        }
        _ => {}
    }
    found
}

/// Whether an action may read or write something shared.
fn accesses(steps: &Steps, action: &Action) -> bool {
    let program = steps.semantics.program;
    // The results of a call are written when it returns.
    let mut found = *action == Action::Return;
    each_read(program, action, &mut |cell| found |= steps.access.shared[cell.index()]);
    each_written(program, action, |cell| found |= steps.access.shared[cell.index()]);
    found
}

/// Looks at every set of states that is never left.
fn forever(reached: &Reached, graph: &Graph, findings: &mut Findings) {
    let cache = &reached.cache;
    let program = cache.steps.semantics.program;
    let mut spinning: Vec<(u32, TaskId)> = Vec::new();
    let mut stuck: Vec<(u32, Vec<TaskId>)> = Vec::new();
    for mut component in graph.bottom_components() {
        // By role.
        let mut moves: Vec<Option<u8>> = vec![None; program.tasks.len()];
        let roles = Roles::new(&reached.view(), graph, &component);
        for id in &component {
            for outcome in graph.edges(*id).flat_map(|(run, _)| run) {
                for (task, flags) in &cache.stories[*outcome as usize].movers {
                    let mover = &mut moves[roles.of(*id, task.index())];
                    *mover = Some(mover.unwrap_or(0) | flags);
                }
            }
        }
        // A single state without steps is blocked or ended, which others look at.
        if moves.iter().all(Option::is_none) {
            continue;
        }
        component.sort_unstable();
        component.truncate(MOST_TRIED);
        let first = component[0];
        for (t, task) in program.tasks.iter().enumerate() {
            let flags = moves[roles.of(first, t)];
            if flags.is_some_and(|f| f & PROGRESS == 0 && f & POLLS != 0) && !task.background {
                spinning.push((first, TaskId::from(t)));
            }
        }
        let of = |id: u32| {
            let mut tasks = all_stuck(program, &reached.state(id));
            tasks.retain(|t| moves[roles.of(id, t.index())].is_none());
            (id, tasks)
        };
        // A wait must be begun, for the semantics to see it. Who finds a lock taken cannot move, but has not begun.
        let waits = |(id, tasks): &(u32, Vec<TaskId>)| {
            let (state, _) = begun(&cache.steps, reached.state(*id), tasks);
            let begun = |t: &TaskId| {
                cache.steps.successors(&state, *t).is_empty() && !awaits_lock(program, &state, *t)
            };
            tasks.iter().all(begun)
        };
        let some = component.iter().map(|id| of(*id)).find(waits).unwrap_or_else(|| of(first));
        if !some.1.is_empty() {
            stuck.push(some);
        }
    }
    spinning.sort_unstable();
    for (id, task) in spinning {
        let way = reached.way(id);
        findings.forever(&Forever::Spins(way.permutation.task(task)), &way.moves, &way.state);
    }
    stuck.sort_unstable();
    stuck_tasks(reached, &stuck, findings);
}

/// So many states of a set that is never left are tried to show who is stuck there.
const MOST_TRIED: usize = 1000;

/// Lets tasks begin waits that are no steps of their own here.
fn begun(steps: &Steps, mut state: State, tasks: &[TaskId]) -> (State, Vec<Move>) {
    let moves = tasks.iter().filter_map(|t| steps.begin_wait(&mut state, *t)).collect();
    (state, moves)
}

/// Reports who never moves again, each time with a state of a set that is never left.
fn stuck_tasks(reached: &Reached, stuck: &[(u32, Vec<TaskId>)], findings: &mut Findings) {
    let steps = &reached.cache.steps;
    // The way to a state takes long: those in which the same tasks are stuck at the same places are one.
    let mut known = FxHashSet::default();
    for (id, tasks) in stuck {
        let (state, _) = begun(steps, reached.state(*id), tasks);
        let found = kinds_of_blocking(steps.semantics, &state, tasks);
        let kinds: Vec<Kind> = found.iter().map(|b| b.kind).collect();
        let places: Vec<(TaskId, Loc)> = tasks.iter().map(|t| (*t, state.tasks[t.index()].pc)).collect();
        if known.insert((kinds, places)) {
            let mut way = reached.way(*id);
            let tasks: Vec<TaskId> = tasks.iter().map(|t| way.permutation.task(*t)).collect();
            let (state, waits) = begun(steps, way.state, &tasks);
            way.moves.extend(waits);
            findings.forever(&Forever::Stuck(tasks), &way.moves, &state);
        }
    }
}
