//! What is known so far: answers of engines are taken over one after the other, and compared.

use std::sync::Mutex;

use rendez_model::Program;
use rendez_verdict::{
    End, EngineId, Finding, Kind, Language, Outcome, PropertyAnswer, Reason, Severity, Stats, Verdict,
};

use crate::portfolio::Job;

pub fn lock<'v>(verdicts: &'v Mutex<Verdicts>) -> std::sync::MutexGuard<'v, Verdicts> {
    verdicts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What answers are about, and how they were asked for.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub program: &'a Program,
    pub recursion: usize,
    pub command_line: &'a [String],
}

/// What is known so far.
pub struct Verdicts {
    pub outcome: Outcome,
    /// Every reachable state was seen: what the checks leave open stays open.
    complete: bool,
}

/// Waiting for ever.
fn is_blocking(kind: Kind) -> bool {
    matches!(kind, Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin)
}

pub fn is_final(answer: &Verdict) -> bool {
    matches!(answer, Verdict::Holds | Verdict::Violated(_))
}

fn has_findings(answer: &Verdict) -> bool {
    matches!(answer, Verdict::Violated(list) | Verdict::Inconclusive(_, list) if !list.is_empty())
}

impl Verdicts {
    pub fn new(job: &Job) -> Verdicts {
        let unknown = || Verdict::Inconclusive(Reason::NoAnswer, Vec::new());
        let mut outcome = Outcome::nothing(EngineId::Reach);
        outcome.end = End::Interrupted;
        // Integer programming alone decides no default check.
        let is_linear = job.settings.engine == EngineId::Ilp;
        if job.has_checks() && !is_linear {
            outcome.answers = Kind::ALL.iter().map(|k| (*k, unknown())).collect();
        }
        let deadlock = (job.has_checks() && is_linear).then(|| rendez_ilp::about_deadlock(unknown()));
        let monitors = job.prepared.program.monitors.iter().map(|m| PropertyAnswer {
            name: m.name.clone(),
            language: m.language,
            engine: EngineId::Auto,
            text: m.text.clone(),
            answer: unknown(),
            covers: rendez_verdict::covers(m, job.options.fairness),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        });
        let questions =
            job.formulas().iter().map(|q| q.answered(EngineId::Auto, job.options.fairness, unknown()));
        outcome.properties = deadlock.into_iter().chain(monitors).chain(questions).collect();
        Verdicts { outcome, complete: false }
    }

    /// The default checks that are open.
    pub fn open_checks(&self, job: &Job) -> Vec<Kind> {
        let open = |(k, a): &&(Kind, Verdict)| job.wants(*k) && !is_final(a);
        self.outcome.answers.iter().filter(open).map(|(k, _)| *k).collect()
    }

    pub fn open_properties(&self) -> Vec<String> {
        let open = self.outcome.properties.iter().filter(|p| !is_final(&p.answer));
        open.map(|p| p.name.clone()).collect()
    }

    pub fn any_error(&self) -> bool {
        let answers = self.outcome.answers.iter().map(|(_, a)| a);
        answers.chain(self.outcome.properties.iter().map(|p| &p.answer)).any(
            |a| matches!(a, Verdict::Violated(list) if list.iter().any(|f| f.severity == Severity::Error)),
        )
    }

    pub fn count(&self, job: &Job) -> (usize, usize) {
        let answers = self.outcome.answers.iter().filter(|(k, _)| job.wants(*k)).map(|(_, a)| a);
        let all = answers.chain(self.outcome.properties.iter().map(|p| &p.answer));
        (all.clone().filter(|a| is_final(a)).count(), all.count())
    }

    pub fn is_done(&self, job: &Job) -> bool {
        let checked = self.complete || self.open_checks(job).is_empty();
        checked && self.open_properties().is_empty()
    }

    /// Takes over what an engine found out; what contradicts the rest is kept as a contradiction.
    pub fn take(&mut self, mut new: Outcome, context: Context) {
        let ours = &mut self.outcome;
        ours.contradictions.append(&mut new.contradictions);
        ours.failures.append(&mut new.failures);
        ours.reached
            .extend(new.reached.into_iter().filter(|d| !ours.reached.contains(d)).collect::<Vec<_>>());
        let bounds = new.bounds.into_iter().filter(|d| !ours.bounds.contains(d));
        ours.bounds.extend(bounds.collect::<Vec<_>>());
        ours.long_delays |= new.long_delays;
        let (engine, stats) = (new.engine, new.stats);
        if !new.answers.is_empty() && !ours.answers.is_empty() {
            let complete = new.end == End::Complete && matches!(engine, EngineId::Reach | EngineId::Explore);
            self.take_checks(new.answers, (engine, stats, complete), context);
        }
        for mut fresh in new.properties {
            fresh.stats = fresh.stats.or(Some(stats));
            match fresh.language {
                Language::Deadlock => deadlock(&mut self.outcome, fresh, stats, context),
                _ => self.take_property(fresh, context),
            }
        }
        let ours = &mut self.outcome;
        if ours.answers.is_empty() {
            let of = ours.properties.iter().filter_map(|p| p.stats);
            ours.stats.peak_bytes = of.clone().map(|s| s.peak_bytes).max().unwrap_or(0);
            ours.stats.flow = of.clone().filter_map(|s| s.flow).next_back();
            ours.stats.ilp = of.clone().filter_map(|s| s.ilp).next_back();
            ours.stats.states = of.clone().map(|s| s.states).max().unwrap_or(0);
            ours.stats.transitions = of.map(|s| s.transitions).max().unwrap_or(0);
        }
    }

    /// The verdicts of an engine on default checks. The first final verdict counts,
    /// but an exhaustive search names what it found best.
    fn take_checks(
        &mut self,
        answers: Vec<(Kind, Verdict)>,
        (engine, stats, complete): (EngineId, Stats, bool),
        context: Context,
    ) {
        let ours = &mut self.outcome;
        for (kind, fresh) in answers {
            let Some((_, old)) = ours.answers.iter_mut().find(|(k, _)| *k == kind) else { continue };
            let (by, known) = match ours.engines.iter().find(|e| e.0 == kind) {
                Some((_, engine, stats)) => (*engine, stats.states),
                None => (ours.engine, 0),
            };
            if contradict(old, &fresh) {
                ours.contradictions.push(contradiction(context, kind.name(), (by, old), (engine, &fresh)));
            }
            if let (Verdict::Violated(known), Verdict::Violated(more)) = (&mut *old, &fresh)
                && !(complete && engine == EngineId::Reach)
            {
                join(known, more);
                continue;
            }
            let better = match (is_final(old), is_final(&fresh)) {
                // Of two that know nothing, the one that looked further says why.
                (false, false) => {
                    let further = engine != EngineId::Directed && stats.states >= known;
                    has_findings(&fresh) || (!has_findings(old) && further)
                }
                (false, true) => true,
                (true, true) => complete && !self.complete && engine == EngineId::Reach,
                (true, false) => false,
            };
            if better {
                *old = fresh;
                ours.engines.retain(|e| e.0 != kind);
                ours.engines.push((kind, engine, stats));
            }
        }
        ours.stats.states += stats.states;
        ours.stats.transitions += stats.transitions;
        ours.stats.peak_bytes = ours.stats.peak_bytes.max(stats.peak_bytes);
        self.complete |= complete;
        if complete {
            ours.end = End::Complete;
        }
    }

    /// The verdict of an engine on a property.
    fn take_property(&mut self, fresh: PropertyAnswer, context: Context) {
        let ours = &mut self.outcome;
        let Some(old) = ours.properties.iter_mut().find(|p| p.name == fresh.name) else {
            let text = format!("{} answers {}, which nobody asked", fresh.engine.name(), fresh.name);
            ours.contradictions.push(text);
            return;
        };
        // Of two that know nothing, a search for one kind of error says least.
        let says_more = fresh.engine != EngineId::Directed || old.engine == EngineId::Auto;
        match (&old.answer, &fresh.answer) {
            (a, b) if contradict(a, b) => {
                let (first, second) = ((old.engine, a), (fresh.engine, b));
                ours.contradictions.push(contradiction(context, &old.name, first, second));
            }
            (Verdict::Holds, Verdict::Holds) => old.vacuous = old.vacuous.take().or(fresh.vacuous),
            (a, _) if is_final(a) => {}
            (a, b) if is_final(b) || has_findings(b) || (!has_findings(a) && says_more) => *old = fresh,
            _ => {}
        }
    }
}

/// Whether one says that it holds and the other that it does not.
fn contradict(one: &Verdict, other: &Verdict) -> bool {
    matches!((one, other), (Verdict::Holds, Verdict::Violated(_)) | (Verdict::Violated(_), Verdict::Holds))
}

/// Adds findings that are not known yet, those with the fewest task switches first.
fn join(known: &mut Vec<Finding>, more: &[Finding]) {
    for finding in more {
        let same = |f: &Finding| f.span == finding.span && f.tasks == finding.tasks;
        match known.iter_mut().find(|f| same(f)) {
            Some(old) if switches(finding) < switches(old) => *old = finding.clone(),
            Some(_) => {}
            None => known.push(finding.clone()),
        }
    }
    known.sort_by_key(|f| (f.severity, switches(f)));
}

/// How often another task goes on in the trace of a finding.
fn switches(finding: &Finding) -> usize {
    let moves = finding.trace.as_ref().map_or(&[][..], |t| &t.moves);
    moves.windows(2).filter(|w| w[0].task != w[1].task).count()
}

/// What integer programming says about states in which nobody can move, beside the checks on blocking:
/// a proof is a result of its own, for tasks may wait for ever while others run. Where nobody runs for ever, it says
/// that nobody waits for ever either.
fn deadlock(ours: &mut Outcome, fresh: PropertyAnswer, stats: Stats, context: Context) {
    match &fresh.answer {
        Verdict::Violated(list) => {
            for finding in list {
                let Some((kind, old)) = ours.answers.iter_mut().find(|(k, _)| *k == finding.kind) else {
                    continue;
                };
                if matches!(old, Verdict::Holds) {
                    let by = ours.engines.iter().find(|e| e.0 == *kind).map_or(ours.engine, |e| e.1);
                    let (first, second) = ((by, &Verdict::Holds), (EngineId::Ilp, &fresh.answer));
                    ours.contradictions.push(contradiction(context, kind.name(), first, second));
                } else if !is_final(old) {
                    *old = Verdict::Violated(vec![finding.clone()]);
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, EngineId::Ilp, fresh.stats.unwrap_or(stats)));
                }
            }
        }
        Verdict::Holds => {
            let semantics = rendez_analysis::semantics(context.program, context.recursion);
            let stands_still = |f: &&Finding| {
                let last = f.trace.as_ref().map(|t| &t.last);
                is_blocking(f.kind) && last.is_some_and(|last| semantics.enabled(last).is_empty())
            };
            let found = ours.answers.iter().find_map(|(k, a)| match a {
                Verdict::Violated(list) if is_blocking(*k) => list.iter().find(stands_still),
                _ => None,
            });
            if let Some(finding) = found {
                let violated = Verdict::Violated(vec![finding.clone()]);
                let (first, second) = ((EngineId::Ilp, &Verdict::Holds), (ours.engine, &violated));
                ours.contradictions.push(contradiction(context, "deadlock", first, second));
            }
            if rendez_reach::everybody_ends(context.program) {
                for (kind, old) in ours.answers.iter_mut().filter(|(k, a)| is_blocking(*k) && !is_final(a)) {
                    *old = Verdict::Holds;
                    ours.engines.retain(|e| e.0 != *kind);
                    ours.engines.push((*kind, EngineId::Ilp, fresh.stats.unwrap_or(stats)));
                }
            }
            ours.properties.retain(|p| p.language != Language::Deadlock);
            ours.properties.push(fresh);
        }
        Verdict::Inconclusive(..) => {}
    }
}

/// Two engines that do not agree, with what is needed to see it again.
fn contradiction(
    context: Context,
    property: &str,
    first: (EngineId, &Verdict),
    second: (EngineId, &Verdict),
) -> String {
    let mut text = format!("{property}: {} says that it ", first.0.name());
    let verdict = |a: &Verdict| if matches!(a, Verdict::Holds) { "holds" } else { "is violated" };
    text += &format!("{}, {} that it {}\n", verdict(first.1), second.0.name(), verdict(second.1));
    text += &format!("  version: rendez {}\n", env!("CARGO_PKG_VERSION"));
    let words: Vec<&str> =
        context.command_line.iter().map(String::as_str).filter(|a| *a != "--cross-check").collect();
    for (engine, _) in [first, second] {
        text += &format!("  rendez {} --engine {}\n", words.join(" "), engine.name());
    }
    for (_, answer) in [first, second] {
        if let Verdict::Violated(list) = answer
            && let Some(trace) = list.first().and_then(|f| f.trace.as_ref())
        {
            text += "  the trace, for `rendez simulate --trace`:\n";
            text += &crate::saved_trace::print(context.program, &trace.moves);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(engine: EngineId, answer: fn(Kind) -> Verdict) -> Outcome {
        let answers = Kind::ALL.iter().map(|k| (*k, answer(*k))).collect();
        Outcome { answers, ..Outcome::nothing(engine) }
    }

    fn context(program: &Program) -> Context<'_> {
        Context { program, recursion: 1, command_line: &[] }
    }

    fn found(_: Kind) -> Verdict {
        Verdict::Violated(Vec::new())
    }

    fn verdicts() -> Verdicts {
        let unknown = |_| Verdict::Inconclusive(Reason::NoAnswer, Vec::new());
        Verdicts { outcome: outcome(EngineId::Reach, unknown), complete: false }
    }

    #[test]
    fn engines_that_do_not_agree_are_an_error() {
        let program = Program::default();
        let mut all = verdicts();
        all.take(outcome(EngineId::Reach, |_| Verdict::Holds), context(&program));
        all.take(outcome(EngineId::Directed, found), context(&program));
        let races: Vec<&String> =
            all.outcome.contradictions.iter().filter(|c| c.starts_with("race: ")).collect();
        assert_eq!(races.len(), 1);
        assert!(races[0].contains("reach says that it holds, directed that it is violated"));
        assert!(races[0].contains("--engine directed"));
    }

    #[test]
    fn kinds_of_blocking_are_compared() {
        let program = Program::default();
        let mut all = verdicts();
        let circular = |k| if k == Kind::CircularWait { found(k) } else { Verdict::Holds };
        let client = |k| if k == Kind::ClientBlocked { found(k) } else { Verdict::Holds };
        all.take(outcome(EngineId::Reach, circular), context(&program));
        assert!(all.outcome.contradictions.is_empty());
        all.take(outcome(EngineId::Directed, client), context(&program));
        let about = |kind: &str| all.outcome.contradictions.iter().filter(|c| c.starts_with(kind)).count();
        assert_eq!(all.outcome.contradictions.len(), 2);
        assert_eq!((about("circular-wait: "), about("client-blocked: ")), (1, 1));
    }

    /// What `--cross-check` does with an engine that gives another name to what all of them see.
    #[test]
    fn a_cross_check_notices_one_that_disagrees() {
        let program = Program::default();
        let circular = |k| if k == Kind::CircularWait { found(k) } else { Verdict::Holds };
        let planted = |k| match k {
            Kind::CircularWait | Kind::ServerIdle => found(k),
            _ => Verdict::Holds,
        };
        let told = |last: fn(Kind) -> Verdict| {
            let answers = [
                outcome(EngineId::Reach, circular),
                outcome(EngineId::Explore, circular),
                outcome(EngineId::Directed, last),
            ];
            let mut all = verdicts();
            answers.into_iter().for_each(|answer| all.take(answer, context(&program)));
            all.outcome.contradictions
        };
        assert_eq!(told(circular), Vec::<String>::new());
        let found = told(planted);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("server-idle: "));
        assert!(found[0].contains("says that it holds, directed that it is violated"));
    }

    /// A state without steps that one engine has and another denies.
    #[test]
    fn a_deadlock_that_others_deny_is_an_error() {
        let program = Program::default();
        let mut all = verdicts();
        all.take(outcome(EngineId::Reach, |_| Verdict::Holds), context(&program));
        let finding = Finding {
            kind: Kind::CircularWait,
            severity: Severity::Error,
            message: String::new(),
            span: rendez_source::Span::NOWHERE,
            tasks: Vec::new(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            trace: None,
            waiting: Vec::new(),
            guessed: false,
            unshown: false,
        };
        let fresh = PropertyAnswer {
            name: "deadlock".into(),
            language: Language::Deadlock,
            engine: EngineId::Ilp,
            text: String::new(),
            answer: Verdict::Violated(vec![finding]),
            covers: String::new(),
            assumptions: Vec::new(),
            vacuous: None,
            stats: None,
            constraints: Vec::new(),
            certificate: None,
        };
        all.take(Outcome { properties: vec![fresh], ..Outcome::nothing(EngineId::Ilp) }, context(&program));
        assert_eq!(all.outcome.contradictions.len(), 1);
        assert!(all.outcome.contradictions[0].starts_with("circular-wait: reach says that it holds, ilp"));
    }
}
