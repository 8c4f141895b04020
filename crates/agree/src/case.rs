//! A program with its rules, and what all ways to ask say about them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use rendez_generate::{Language, Program, Random, Rule, endless, rules, shrink, shrink_rule, visible};

use crate::run::{Ran, Said, run, words};
use crate::ways::{Question, Way, ways};
use crate::{Settings, Summary, lock};

/// How often a contradiction is tried to be made smaller: the program, its rule, and the program again.
const SHRINKING: [usize; 3] = [250, 60, 100];
/// What takes long is not tried so often.
const SLOWLY: [usize; 3] = [20, 5, 5];

/// A program and what is asked about it.
pub struct Case {
    pub seed: u64,
    program: Program,
    groups: Vec<Group>,
}

/// Which infinite executions count; if nothing is said, those of a weakly fair scheduler.
const FAIR: [&str; 3] = ["--fair none", "--fair fifo", ""];

/// Rules of one file, or the default checks.
struct Group {
    question: Question,
    rules: Vec<Rule>,
    /// Options of every run: which infinite executions count.
    options: &'static str,
}

impl Group {
    fn ways(&self) -> Vec<Way> {
        ways(self.question, !self.options.is_empty())
    }
}

/// Two ways that do not agree, or one that fails.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// In short, the same for what has likely the same cause.
    pub what: String,
    group: usize,
    /// The rules concerned: one, or two that say the same.
    rules: Vec<String>,
    wrong: Wrong,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    /// The first says that the rule or check holds, the second that it is violated.
    Verdicts { name: String, holds: Way, violated: Way },
    /// Of two rules that say the same, the first holds and the second is violated.
    Twins { holds: (Way, String), violated: (Way, String) },
    /// A run that fails; what it is called.
    Broken { way: Way, how: String },
}

impl Case {
    /// The case of a seed: many rules a file, or, for every second seed, only one.
    pub fn new(seed: u64, many: usize) -> Case {
        // Every third program goes on for ever.
        let (program, words) = if seed % 3 == 2 { endless(seed, "Main") } else { visible(seed, "Main") };
        let regular = [Language::Qre, Language::Fsa, Language::Pattern, Language::Query];
        let few = seed.is_multiple_of(2);
        let (followed, formulas) = match few {
            true => (rules(seed, &words, &[regular[(seed / 2 % 4) as usize]], 1), 1),
            false => (rules(seed, &words, &regular, 4 * many), many),
        };
        let (counting, regular): (Vec<Rule>, Vec<Rule>) = followed.into_iter().partition(|r| r.counts);
        let formulas = rules(seed + 1, &words, &[Language::Formula], formulas);
        let fair = FAIR[(seed / 2 % 3) as usize];
        let patterns = regular.iter().filter(|r| r.language == Language::Pattern).cloned().collect();
        let groups = [
            (Question::Regular, regular, ""),
            (Question::Regular, patterns, FAIR[(seed / 2 % 2) as usize]),
            (Question::Counting, counting, ""),
            (Question::Temporal, formulas, fair),
            (Question::Checks, Vec::new(), ""),
        ];
        let asks = |g: &(Question, Vec<Rule>, &str)| !g.1.is_empty() || g.0 == Question::Checks;
        let group = |(question, rules, options)| Group { question, rules, options };
        Case { seed, program, groups: groups.into_iter().filter(asks).map(group).collect() }
    }

    /// Asks in all ways, or in some of them, and says what does not agree.
    pub fn ask(&self, settings: &Settings, folder: &Path, summary: &Mutex<Summary>) -> Vec<Contradiction> {
        let mut random = Random::new(self.seed);
        let mut found = Vec::new();
        let mut said: BTreeMap<String, (Said, Way)> = BTreeMap::new();
        lock(summary).programs += 1;
        for (number, group) in self.groups.iter().enumerate() {
            let asker = Asker { settings, folder, options: group.options };
            let source = self.program.to_string();
            let (rules, first) = asker.accepted(&source, group, summary);
            if rules.is_empty() && group.question != Question::Checks {
                continue;
            }
            let mut ways = group.ways().into_iter();
            let mut runs: Vec<(Way, Ran)> = ways.next().into_iter().zip([first]).collect();
            for way in ways {
                let odds = settings.thin.max(1) * if way.is_dear() { settings.thin.max(1) } else { 1 };
                if random.below(odds) == 0 {
                    runs.push((way, asker.ask(&source, &rules, way)));
                }
            }
            lock(summary).runs += runs.len() as u64;
            let answers = by_name(&runs);
            count(group.question, &rules, &answers, summary);
            for rule in &rules {
                let verdict = answers.get(&rule.name).into_iter().flatten().find(|a| a.1 != Said::Open);
                said.extend(verdict.map(|(way, verdict)| (rule.name.clone(), (*verdict, *way))));
            }
            found.extend(compare(number, &rules, &runs, &answers));
        }
        found.extend(self.twins(&said));
        found
    }

    /// Rules that say the same must have the same verdict.
    fn twins(&self, said: &BTreeMap<String, (Said, Way)>) -> Vec<Contradiction> {
        let mut found = Vec::new();
        let all = || self.groups.iter().enumerate().flat_map(|(n, g)| g.rules.iter().map(move |r| (n, r)));
        for (first_group, first) in all() {
            for (second_group, second) in all() {
                let verdicts = (said.get(&first.name), said.get(&second.name));
                let (Some((Said::Holds, one)), Some((Said::Violated, other))) = verdicts else {
                    continue;
                };
                if first.twin.is_none() || first.twin != second.twin {
                    continue;
                }
                let languages = (first.language.name(), second.language.name());
                found.push(Contradiction {
                    what: format!("twins: {} holds, {} violated", languages.0, languages.1),
                    // What decides queries that count decides all.
                    group: if first.counts { first_group } else { second_group },
                    rules: vec![first.name.clone(), second.name.clone()],
                    wrong: Wrong::Twins {
                        holds: (*one, first.name.clone()),
                        violated: (*other, second.name.clone()),
                    },
                });
            }
        }
        found
    }

    /// The files that show a contradiction, as small as possible.
    pub fn shrunk(
        &self,
        contradiction: &Contradiction,
        settings: &Settings,
        folder: &Path,
    ) -> Vec<(&'static str, String)> {
        let group = &self.groups[contradiction.group];
        let asker = Asker { settings, folder, options: group.options };
        let all = self.groups.iter().flat_map(|g| &g.rules);
        let mut rules: Vec<Rule> = all.filter(|r| contradiction.rules.contains(&r.name)).cloned().collect();
        // Patterns are asked twice.
        rules.sort_by(|a, b| a.name.cmp(&b.name));
        rules.dedup_by(|a, b| a.name == b.name);
        let mut program = self.program.clone();
        if !asker.still(&program, &rules, contradiction) {
            // It takes the neighbours, too; or it comes and goes.
            rules = group.rules.clone();
        }
        if asker.still(&program, &rules, contradiction) {
            let hangs = matches!(&contradiction.wrong, Wrong::Broken { how, .. } if how.starts_with("hang"));
            let often = if hangs { SLOWLY } else { SHRINKING };
            program = shrink(&program, often[0], |p| asker.still(p, &rules, contradiction));
            if let [rule] = &rules[..] {
                let small = |r: &Rule| asker.still(&program, std::slice::from_ref(r), contradiction);
                rules = vec![shrink_rule(rule, often[1], small)];
            }
            program = shrink(&program, often[2], |p| asker.still(p, &rules, contradiction));
        }
        let source = program.to_string();
        let mut text = format!("seed {}\n{}\n\n", self.seed, contradiction.what);
        for way in group.ways() {
            let file = if rules.is_empty() { "" } else { " --property rules.txt" };
            let command = words(&format!("{} {}", way.options, group.options), settings.states).join(" ");
            let turned = if way.turned { " (bindings the other way round)" } else { "" };
            text += &format!("rendez {command}{file} main.adb{turned}\n");
            text += &match asker.ask(&source, &rules, way) {
                Ran::Answers(answers) => format!("    {answers:?}\n"),
                Ran::Refused(why) => format!("    refused: {why}\n"),
                Ran::Broken(how, why) => format!("    {how}: {why}\n"),
            };
        }
        vec![("main.adb", source), ("rules.txt", written(&rules, false)), ("verdicts.txt", text)]
    }
}

fn written(rules: &[Rule], turned: bool) -> String {
    rules.iter().map(|r| r.text(turned)).collect()
}

/// Asks about programs, through files in a folder of its own.
struct Asker<'a> {
    settings: &'a Settings,
    folder: &'a Path,
    options: &'static str,
}

impl Asker<'_> {
    fn ask(&self, source: &str, rules: &[Rule], way: Way) -> Ran {
        let write = |file: &str, text: &str| std::fs::write(self.folder.join(file), text);
        let written =
            write("main.adb", source).and_then(|()| write("rules.txt", &written(rules, way.turned)));
        if let Err(error) = written {
            return Ran::Broken("files", error.to_string());
        }
        let file = (!rules.is_empty()).then_some("rules.txt");
        run(self.settings, self.folder, &format!("{} {}", way.options, self.options), file)
    }

    /// The rules of a group that are not refused by the first way to ask, and what that says about them.
    fn accepted(&self, source: &str, group: &Group, summary: &Mutex<Summary>) -> (Vec<Rule>, Ran) {
        let first = group.ways()[0];
        let ran = self.ask(source, &group.rules, first);
        if group.rules.is_empty() || !matches!(ran, Ran::Refused(_)) {
            return (group.rules.clone(), ran);
        }
        let mut rules = Vec::new();
        for rule in &group.rules {
            match self.ask(source, std::slice::from_ref(rule), first) {
                Ran::Refused(why) => *lock(summary).refused.entry(in_short(&why)).or_default() += 1,
                _ => rules.push(rule.clone()),
            }
        }
        let ran = self.ask(source, &rules, first);
        (rules, ran)
    }

    /// Whether a contradiction is still there.
    fn still(&self, program: &Program, rules: &[Rule], contradiction: &Contradiction) -> bool {
        let source = program.to_string();
        let says_of = |rules: &[Rule], way: Way, name: &str, verdict| match self.ask(&source, rules, way) {
            Ran::Answers(answers) => all_names(&answers).get(name) == Some(&verdict),
            _ => false,
        };
        let says = |way: Way, name: &str, verdict| says_of(rules, way, name, verdict);
        let alone = |(way, name): &(Way, String), verdict| {
            let rule: Vec<Rule> = rules.iter().filter(|r| r.name == *name).cloned().collect();
            says_of(&rule, *way, name, verdict)
        };
        match &contradiction.wrong {
            Wrong::Verdicts { name, holds, violated } => {
                says(*violated, name, Said::Violated) && says(*holds, name, Said::Holds)
            }
            Wrong::Twins { holds, violated } => alone(holds, Said::Holds) && alone(violated, Said::Violated),
            Wrong::Broken { way, how } => {
                failure(*way, &self.ask(&source, rules, *way)).as_ref() == Some(how)
            }
        }
    }
}

/// Verdicts by rule or check, with one more: whether anybody waits for ever.
fn all_names(answers: &BTreeMap<String, Said>) -> BTreeMap<String, Said> {
    let mut all = answers.clone();
    let kinds = ["circular-wait", "client-blocked", "server-idle", "deadlock"];
    let of: Vec<Said> = kinds.iter().filter_map(|k| answers.get(*k).copied()).collect();
    if of.contains(&Said::Violated) {
        all.insert("blocking".into(), Said::Violated);
    } else if of.iter().filter(|v| **v == Said::Holds).count() >= 3 {
        all.insert("blocking".into(), Said::Holds);
    }
    all
}

type Answers = BTreeMap<String, Vec<(Way, Said)>>;

fn by_name(runs: &[(Way, Ran)]) -> Answers {
    let mut all = Answers::new();
    for (way, ran) in runs {
        if let Ran::Answers(answers) = ran {
            for (name, verdict) in all_names(answers) {
                all.entry(name).or_default().push((*way, verdict));
            }
        }
    }
    all
}

fn count(question: Question, rules: &[Rule], answers: &Answers, summary: &Mutex<Summary>) {
    let mut summary = lock(summary);
    summary.checks += u64::from(question == Question::Checks);
    for rule in rules {
        let verdicts = answers.get(&rule.name).map_or(&[][..], |a| a);
        let pairs = summary.pairs.entry(rule.language).or_default();
        pairs.0 += 1;
        pairs.1 += u64::from(verdicts.iter().any(|a| a.1 != Said::Open));
    }
}

/// What does not agree in the answers to a group of rules.
fn compare(group: usize, rules: &[Rule], runs: &[(Way, Ran)], answers: &Answers) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (name, verdicts) in answers {
        let first = |wanted: Said| verdicts.iter().find(|(_, v)| *v == wanted).map(|(way, _)| *way);
        let (Some(holds), Some(violated)) = (first(Said::Holds), first(Said::Violated)) else {
            continue;
        };
        let rule = rules.iter().find(|r| r.name == *name);
        let subject = rule.map_or(name.as_str(), |r| r.language.name());
        found.push(Contradiction {
            what: format!("{subject}: {} holds, {} violated", shown(holds), shown(violated)),
            group,
            rules: rule.map(|r| r.name.clone()).into_iter().collect(),
            wrong: Wrong::Verdicts { name: name.clone(), holds, violated },
        });
    }
    // Where kinds of blocking differ, so does their sum: once is enough.
    if found.len() > 1 {
        found.retain(|c| !matches!(&c.wrong, Wrong::Verdicts { name, .. } if name == "blocking"));
    }
    let known = !found.is_empty();
    for (way, ran) in runs {
        let Some(how) = failure(*way, ran) else { continue };
        // The command found out by itself what was just found.
        if known && how.contains("says that it") {
            continue;
        }
        let concerned = rules.iter().map(|r| r.name.clone()).collect();
        found.push(Contradiction {
            what: format!("{} {how}", shown(*way)),
            group,
            rules: concerned,
            wrong: Wrong::Broken { way: *way, how },
        });
    }
    found
}

fn shown(way: Way) -> String {
    format!("{}{}", way.options, if way.turned { " turned" } else { "" })
}

/// What a run that fails is called.
fn failure(way: Way, ran: &Ran) -> Option<String> {
    match ran {
        Ran::Answers(_) => None,
        Ran::Refused(why) if way.turned => Some(format!("turned, refused: {}", in_short(why))),
        Ran::Refused(why) => Some(format!("refused: {}", in_short(why))),
        Ran::Broken(how, why) => Some(format!("{how}: {}", in_short(why))),
    }
}

/// The line of a message that says most, without the numbers of rules and threads.
fn in_short(message: &str) -> String {
    let lines = || message.lines().filter(|l| !l.trim().is_empty());
    let line = lines().find(|l| l.contains("error") || l.contains("panicked")).or(lines().next());
    let words = line.unwrap_or("nothing").split_whitespace().map(|word| {
        let letters = word.trim_matches(|c: char| c.is_ascii_digit() || ":`().,".contains(c));
        match letters.len() <= 1 && word.contains(|c: char| c.is_ascii_digit()) {
            true => "#",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ").chars().take(110).collect()
}
