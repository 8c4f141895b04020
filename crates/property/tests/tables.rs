//! Which short words each pattern accepts in each scope, compared with a definition of its own: what the catalogue
//! says in prose, over words as they are, without automata.

use std::process::ExitCode;

use rendez_cases::Case;
use rendez_property::automaton::{Names, singles};
use rendez_property::regular::parse_file;

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 2] = [("words", words), ("errors", errors)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// All words up to three letters over the symbols of a property and one more, `.`: those that are accepted as
/// complete executions, and those that are not. Words up to five letters must agree with the definition `! means`.
fn words(case: &Case) -> String {
    let text: String =
        case.text.lines().filter(|l| !l.starts_with(['#', '!'])).map(|l| format!("{l}\n")).collect();
    let file = parse_file(&text).expect("a property");
    let mut out = String::new();
    for property in &file.properties {
        let names: Vec<&str> = property.symbols.iter().map(|s| s.0.as_str()).collect();
        let mut letters: Vec<Names> = singles(names.len());
        letters.push(Names::default());
        let automaton = property.automaton(&letters).expect("an automaton");
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        for word in up_to(letters.len(), 5) {
            let shown: String = word.iter().map(|l| names.get(*l).map_or(".", |n| &n[..1])).collect();
            let holds = automaton.accepts(&word);
            if let Some(definition) = case.option("means") {
                assert_eq!(holds, means(definition, &shown), "`{shown}` by the definition");
            }
            if shown.len() <= 3 {
                let list = if holds { &mut accepted } else { &mut refused };
                list.push(if shown.is_empty() { "-".into() } else { shown });
            }
        }
        out += &format!("accepted: {}\nrefused: {}\n", accepted.join(" "), refused.join(" "));
    }
    out
}

fn up_to(letters: usize, length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..length {
        let longer = |word: &Vec<usize>| {
            let word = word.clone();
            (0..letters).map(move |l| [&word[..], &[l]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

/// The definitions in prose, on words with the letters p, q, r, s and others.
fn means(definition: &str, word: &str) -> bool {
    let (what, scope) = definition.split_once(", ").expect("a pattern and a scope");
    stretches(scope, word).iter().all(|stretch| match what {
        "p never" => !stretch.contains('p'),
        "nothing but p" => stretch.chars().all(|c| c == 'p'),
        "p at least once" => stretch.contains('p'),
        "p at most twice" => stretch.matches('p').count() <= 2,
        "q before the first p" => stretch.find('p').is_none_or(|at| stretch[..at].contains('q')),
        "q after every p" => stretch.rfind('p').is_none_or(|at| stretch[at..].contains('q')),
        other => panic!("no definition: {other}"),
    })
}

/// The parts of a word that a scope is about, their borders not included.
fn stretches<'w>(scope: &str, word: &'w str) -> Vec<&'w str> {
    match scope {
        "globally" => vec![word],
        // Only if there is an r at all.
        "before r" => word.find('r').map(|at| &word[..at]).into_iter().collect(),
        "after s" => word.find('s').map(|at| &word[at + 1..]).into_iter().collect(),
        "between s and r" | "after s until r" => {
            let mut all = Vec::new();
            let mut rest = word;
            while let Some(start) = rest.find('s') {
                let inside = &rest[start + 1..];
                let Some(end) = inside.find('r') else {
                    all.extend((scope == "after s until r").then_some(inside));
                    break;
                };
                all.push(&inside[..end]);
                rest = &inside[end + 1..];
            }
            all
        }
        other => panic!("no scope: {other}"),
    }
}

/// Where each line is refused, and why.
fn errors(case: &Case) -> String {
    let lines = case.text.lines().filter(|l| !l.starts_with('#'));
    let answer = |line: &str| match parse_file(line) {
        Ok(_) => format!("{line}\n  accepted\n"),
        Err(wrong) => format!("{line}\n  column {}: {}\n", wrong.position.1, wrong.message),
    };
    lines.map(answer).collect()
}
