//! Proofs by integer programming. What is proved must be so, as far as the bare semantics shows; the checker must accept the
//! proof, and refuse the proof of one program for another that does not have the property.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use rendez_certificate::{Plan, Proof, Subject, verify};
use rendez_cli::arguments::{Arguments, Command};
use rendez_model::semantics::{DEFAULT_RECURSION, StepEvent};
use rendez_model::state::Status;
use rendez_model::{Program, TaskId};
use rendez_verdict::{Control, Options, Verdict};

/// Larger programs are passed over.
const MOST_NODES: usize = 30;
const MOST_STATES: usize = 3000;
const SEEDS: std::ops::Range<u64> = 1..8;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

fn simplified(mut program: Program) -> Program {
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    program
}

/// Small programs: every third of the corpus, and generated ones.
fn programs() -> Vec<(String, Program)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(corpus("")).expect("the corpus").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    let text = |file: &PathBuf| rendez_source::decode(&std::fs::read(file).ok()?).ok();
    let of_corpus =
        files.iter().step_by(3).filter_map(|file| Some((file.display().to_string(), text(file)?)));
    let of_seeds = SEEDS.flat_map(|seed| {
        let programs = [rendez_generate::program(seed, "Main"), rendez_generate::apart(seed, "Main")];
        programs.map(|p| (format!("seed {seed}"), p.to_string()))
    });
    let read = |(name, text): (String, String)| {
        let program = rendez_ada::read_text(&text).program.map(simplified)?;
        let fits = program.nodes.len() <= MOST_NODES && program.wide_select().is_none() && !program.open;
        fits.then_some((name, program))
    };
    of_corpus.chain(of_seeds).filter_map(read).collect()
}

/// Whether a state can be reached in which nobody can move and somebody has not ended; none where this is not known.
fn stands_still(program: &Program) -> Option<bool> {
    let semantics = rendez_analysis::semantics(program, rendez_model::semantics::DEFAULT_RECURSION);
    let mut work = vec![semantics.initial()];
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    let mut still = false;
    while let Some(state) = work.pop() {
        let mut key = Vec::new();
        state.encode(&mut key);
        if !known.insert(key) {
            continue;
        }
        if known.len() > MOST_STATES {
            return None;
        }
        let mut out = Vec::new();
        (0..program.tasks.len()).for_each(|t| semantics.successors(&state, TaskId::from(t), &mut out));
        if out
            .iter()
            .any(|o| o.step.guessed || matches!(o.step.what, StepEvent::Unsupported | StepEvent::Stopped))
        {
            return None;
        }
        let lives = |t: usize| !matches!(state.tasks[t].status, Status::Unborn | Status::Terminated);
        still |= out.is_empty() && (0..program.tasks.len()).any(|t| lives(t) && !program.tasks[t].background);
        work.extend(out.into_iter().map(|o| o.state));
    }
    Some(still)
}

struct Case {
    name: String,
    program: Program,
    still: Option<bool>,
    holds: bool,
    plan: Plan,
    proof: Option<Proof>,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let work = || {
        let decided = programs().into_iter().map(|(name, program)| {
            let settings = rendez_ilp::IlpSettings::default();
            let one = rendez_ilp::deadlock(&program, &settings, &Options::default(), &Control::default());
            let holds = matches!(one.answer.answer, Verdict::Holds);
            Case { still: stands_still(&program), name, program, holds, plan: one.plan, proof: one.proof }
        });
        decided.collect()
    };
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).expect("a thread").join().expect("no panic")
});

fn accepted(program: &Program, plan: &Plan, proof: Option<&Proof>) -> bool {
    verify(program, DEFAULT_RECURSION, &Subject::Deadlock, plan, proof).is_ok()
}

#[test]
fn what_is_proved_is_so_and_its_proof_is_accepted() {
    let mut proved = 0;
    for case in CASES.iter().filter(|c| c.holds) {
        assert_ne!(case.still, Some(true), "{}: nobody can move, but that is refuted", case.name);
        assert!(
            accepted(&case.program, &case.plan, case.proof.as_ref()),
            "{}: the proof is refused",
            case.name
        );
        proved += 1;
    }
    let free = CASES.iter().filter(|c| c.still == Some(false)).count();
    println!("{proved} proved, {free} of {} are free", CASES.len());
    assert!(proved * 100 >= free * PROVED, "{proved} proved of {free} in which somebody can always move");
}

/// Of a hundred programs in which somebody can always move, so many are proved at least.
const PROVED: usize = 95;

#[test]
fn proofs_are_refused_for_programs_that_stand_still() {
    let proofs: Vec<&Case> = CASES.iter().filter(|c| c.holds).step_by(40).collect();
    for case in CASES.iter().filter(|c| c.still == Some(true)) {
        assert!(!accepted(&case.program, &case.plan, None), "{}: accepted without a proof", case.name);
        for other in &proofs {
            let wrong = accepted(&case.program, &other.plan, other.proof.as_ref());
            assert!(!wrong, "{}: the proof of {} is accepted", case.name, other.name);
        }
    }
}

#[test]
fn a_rule_that_the_first_step_breaks_is_refused() {
    let [source, rule] =
        ["seq_broken_at_start.adb", "seq_broken_at_start.qre"].map(|f| corpus(f).display().to_string());
    let words = ["rendez", "check", &source, "--property", &rule];
    let Arguments { command: Command::Check(check) } = Arguments::parse_from(words) else {
        panic!("a check")
    };
    let ready = rendez_cli::prepared(&check).expect("a program");
    let plan = Plan::default();
    let refused = verify(&ready.program, ready.recursion, &Subject::Property, &plan, None);
    assert!(refused.is_err());
}

#[test]
fn names_that_look_alike_in_a_folder_have_files_of_their_own() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alike");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let query = |name: &str| {
        format!(
            "(defquery \"{name}\" \"nofair\" (omega-star-less (sequence (interval :initial t :open t \
             :ends-with '(\"any\") :constraints '((>= \"any\" 3))))))\n"
        )
    };
    let text = format!("event any = accept S.E;\n{}{}", query("q-1"), query("q_1"));
    std::fs::write(folder.join("rules.inca"), text).expect("the rules");
    std::fs::copy(corpus("query_counts_overlap.adb"), folder.join("main.adb")).expect("the program");
    let rendez = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rendez"));
        let done = command.args(words).current_dir(&folder).output().expect("rendez runs");
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    // A second run finds the files of the first.
    for _ in 0..2 {
        let words =
            ["check", "--engine", "ilp", "--certificate", "out", "--property", "rules.inca", "main.adb"];
        assert_eq!(rendez(&words).0, Some(0));
    }
    let (status, text) = rendez(&["verify", "out/q-1.certificate", "out/q-1-.certificate"]);
    assert!(status == Some(0) && text.contains("q-1 holds") && text.contains("q_1 holds"), "{text}");
    assert_eq!(std::fs::read_dir(folder.join("out")).expect("certificates").count(), 2);
}
