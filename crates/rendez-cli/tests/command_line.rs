//! What the command line says and how it ends, on bad input above all.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Run {
    status: i32,
    out: String,
    err: String,
}

fn rendez(arguments: &[&str], folder: &Path) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_rendez"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("rendez runs");
    Run {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The source of a program that `rendez-bench` knows, or of one of its properties.
fn bench(name: &str) -> String {
    rendez_bench::source(name).unwrap_or_else(|why| panic!("{why}")) + "\n"
}

/// A folder with the given files, removed by the next run of the same test.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, bytes) in files {
        std::fs::write(folder.join(file), bytes).expect("a file");
    }
    folder
}

fn refused(name: &str, files: &[(&str, &[u8])], arguments: &[&str], message: &str) {
    let folder = folder(name, files);
    let run = rendez(arguments, &folder);
    assert_eq!(run.status, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains(message), "expected `{message}` in\n{}", run.err);
    assert_eq!(run.out, "");
}

const ONE_TASK: &[u8] = b"procedure Main is\n   task T;\n   task body T is\n   begin\n      null;\n   end T;\nbegin\n   null;\nend Main;\n";

#[test]
fn a_task_of_a_formula_is_one_task() {
    let program = b"procedure Main is\n   task type W;\n   task body W is\n   begin\n      null;\n   end W;\n   A : array (1 .. 2) of W;\nbegin\n   null;\nend Main;\n";
    refused(
        "several",
        &[("a.adb", program), ("a.ctl", b"p: always not ended A;\n")],
        &["check", "--property", "a.ctl", "a.adb"],
        "a.ctl:1:",
    );
    refused(
        "several",
        &[("a.adb", program), ("a.ctl", b"p: always not ended A;\n")],
        &["check", "--property", "a.ctl", "a.adb"],
        "several tasks are called `A`, such as A(1) and A(2): name one of them",
    );
}

#[test]
fn an_empty_file_is_refused() {
    refused("empty", &[("a.adb", b"")], &["check", "a.adb"], "a.adb:1:1: the file is empty");
}

#[test]
fn a_binary_file_is_refused() {
    refused(
        "binary",
        &[("a.adb", b"proc\n\0edure")],
        &["check", "a.adb"],
        "a.adb:2:1: this is not source text",
    );
}

#[test]
fn a_huge_file_is_refused() {
    let text = b"   null;\n".repeat(1_200_000);
    refused("huge", &[("a.adb", &text)], &["check", "a.adb"], "a.adb:1:1: the file has 10800000 bytes");
}

#[test]
fn unbalanced_source_is_refused_at_the_word_that_does_not_fit() {
    let text = b"procedure A is\nbegin\n   if True then\n      null;\nend A;\n";
    refused("unbalanced", &[("a.adb", text)], &["check", "a.adb"], "a.adb:5:1");
}

#[test]
fn a_missing_unit_is_refused_with_a_hint() {
    let text = b"with Nowhere;\nprocedure A is\nbegin\n   null;\nend A;\n";
    refused("missing", &[("a.adb", text)], &["check", "a.adb"], "a.adb:1:6");
    refused("missing", &[("a.adb", text)], &["check", "a.adb"], "-I DIR");
}

#[test]
fn a_missing_unit_may_be_declared_opaque() {
    let text = b"with Nowhere;\nprocedure A is\n   task T;\n   task body T is\n   begin\n      Nowhere.Go;\n   end T;\nbegin\n   null;\nend A;\n";
    let run = rendez(&["check", "--opaque", "nowhere", "a.adb"], &folder("opaque", &[("a.adb", text)]));
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("library unit nowhere is not modelled"));
}

#[test]
fn no_main_and_two_mains_are_refused() {
    let generic = b"generic\nprocedure A;\n";
    refused("no_main", &[("a.ads", generic)], &["check", "a.ads"], "no main procedure");
    let packages = b"package A is\nend A;\npackage B is\nend B;\n";
    refused("no_main", &[("a.ads", packages)], &["check", "a.ads"], "several library units: a, b");
    let two = b"procedure A is\nbegin\n   null;\nend A;\nprocedure B is\nbegin\n   null;\nend B;\n";
    refused("two_mains", &[("a.adb", two)], &["check", "a.adb"], "several main procedures: a, b");
    let run = rendez(&["check", "--main", "B", "a.adb"], &folder("two_mains", &[("a.adb", two)]));
    assert_eq!(run.status, 0);
}

#[test]
fn a_program_without_tasks_is_checked_and_said_to_have_none() {
    let run = rendez(
        &["check", "a.adb"],
        &folder("no_tasks", &[("a.adb", b"procedure A is\nbegin\n   null;\nend A;\n")]),
    );
    assert_eq!(run.status, 0);
    assert!(run.out.contains("the program declares no tasks"));
}

#[test]
fn wrong_arguments_are_refused() {
    refused(
        "arguments",
        &[("a.adb", ONE_TASK)],
        &["check", "--only", "nothing", "a.adb"],
        "there is no check `nothing`",
    );
    refused("arguments", &[("a.adb", ONE_TASK)], &["check", "--track", "Zzz", "a.adb"], "no such variable");
    refused("arguments", &[("a.adb", ONE_TASK)], &["check", "--timeout=-1", "a.adb"], "--timeout takes");
    refused(
        "arguments",
        &[("a.adb", ONE_TASK)],
        &["check", "--states", "0", "a.adb"],
        "--states takes a positive number",
    );
    refused("arguments", &[("a.adb", ONE_TASK)], &["check", "--fair", "weak", "a.adb"], "there is none");
    let safe: (&str, &[u8]) = ("p.qre", b"event a = end T;\npattern: absence; a");
    let given = ["check", "--property", "p.qre", "--fair", "weak", "a.adb"];
    refused("arguments", &[("a.adb", ONE_TASK), safe], &given, "there is none");
    refused("arguments", &[], &["check", "absent.adb"], "absent.adb: cannot be read");
    refused("arguments", &[], &["check", "."], "no main procedure was found");
    refused("arguments", &[("a.adb", ONE_TASK)], &["check", ".", "a.adb"], "must be the only argument");
    refused("arguments", &[("a.gpr", b"project A is")], &["check", "a.gpr"], "`end` is expected here");
    refused("arguments", &[("a.adb", ONE_TASK)], &["check", "--root", "b", "a.adb"], "no such unit");
    refused("arguments", &[("a.gpr", b"")], &["check", "-X", "Y", "a.gpr"], "NAME=VALUE is expected");
    refused("arguments", &[("a.adb", ONE_TASK)], &["simulate", "a.adb"], "--seed N or --trace FILE");
    refused(
        "arguments",
        &[("a.adb", ONE_TASK)],
        &["simulate", "--seed", "1", "--trace", "x", "a.adb"],
        "cannot be used with",
    );
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    let deep = format!(
        "procedure A is\n   X : Integer := {}1{};\nbegin\n   null;\nend A;\n",
        "(".repeat(3000),
        ")".repeat(3000)
    );
    refused("deep", &[("a.adb", deep.as_bytes())], &["check", "a.adb"], "nested too deeply");
}

#[test]
fn latin_1_and_dos_line_ends_are_read() {
    let text = b"--  caf\xe9\r\nprocedure A is\r\n   task T;\r\n   task body T is\r\n   begin\r\n      null;\r\n   end T;\r\nbegin\r\n   null;\r\nend A;\r\n";
    assert_eq!(rendez(&["check", "a.adb"], &folder("latin", &[("a.adb", text)])).status, 0);
}

#[test]
fn units_are_found_beside_the_source_and_in_named_folders() {
    let main = b"with Far, Near;\nprocedure Main is\nbegin\n   Near.T.Go;\n   Far.P;\nend Main;\n";
    let near_spec = b"package Near is\n   task T is\n      entry Go;\n   end T;\nend Near;\n";
    let near_body =
        b"package body Near is\n   task body T is\n   begin\n      accept Go;\n   end T;\nend Near;\n";
    let far_spec = b"package Far is\n   procedure P;\nend Far;\n";
    let far_body = b"package body Far is\n   procedure P is\n   begin\n      null;\n   end P;\nend Far;\n";
    let folder = folder("units", &[("main.adb", main), ("Near.ads", near_spec), ("near.adb", near_body)]);
    std::fs::create_dir_all(folder.join("lib")).expect("a folder");
    std::fs::write(folder.join("lib/far.ads"), far_spec).expect("a file");
    std::fs::write(folder.join("lib/far.adb"), far_body).expect("a file");
    let run = rendez(&["check", "-I", "lib", "main.adb"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("2 tasks"));
}

#[test]
fn limits_end_in_inconclusive() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/e_peterson.adb");
    let source = source.to_string_lossy();
    let run = rendez(&["check", "--states", "10", &source], Path::new("."));
    assert_eq!(run.status, 3, "{}", run.out);
    assert!(run.out.contains("the limit on states was reached"));
}

#[test]
fn json_has_one_result_for_each_check() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/phil.adb");
    let run = rendez(&["check", "--format", "json", &source.to_string_lossy()], Path::new("."));
    assert_eq!(run.status, 1);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["schema"], 1);
    let results = report["results"].as_array().expect("results");
    assert_eq!(results.len(), 10);
    assert_eq!(results[0]["property"], "circular-wait");
    assert_eq!(results[0]["verdict"], "violated");
    assert_eq!(results[0]["replayed"], true);
    assert_eq!(results[0]["trace"][0]["step"], 1);
    assert!(results[0]["stats"]["states"].as_u64().expect("a number") > 0);
    assert!(results[0]["certificate"].is_null());
    assert_eq!(report["program"]["tasks"].as_array().expect("tasks").len(), 7);
}

#[test]
fn a_saved_trace_is_followed_to_its_end() {
    let folder = folder("trace", &[]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/phil.adb");
    let source = source.to_string_lossy();
    let run = rendez(&["check", "--only", "circular-wait", "--save-trace", "t", &source], &folder);
    assert_eq!(run.status, 1);
    let run = rendez(&["simulate", "--trace", "t", &source], &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("nobody can go on"));
    std::fs::write(folder.join("t"), "rendez trace 1 x\n99 0 nobody\n").expect("a file");
    let run = rendez(&["simulate", "--trace", "t", &source], &folder);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("t:2:1: this step is not possible"));
}

#[test]
fn a_random_schedule_depends_on_nothing_but_its_seed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/phil.adb");
    let source = source.to_string_lossy();
    let once = rendez(&["simulate", "--seed", "7", &source], Path::new("."));
    let again = rendez(&["simulate", "--seed", "7", &source], Path::new("."));
    assert_eq!(once.out, again.out);
    assert_ne!(once.out, rendez(&["simulate", "--seed", "8", &source], Path::new(".")).out);
}

/// The model as text, for a program small enough to read.
#[test]
fn the_model_of_a_rendezvous() {
    let text = b"procedure A is\n   task S is\n      entry E (X : Integer);\n   end S;\n   task body S is\n      Y : Integer;\n   begin\n      accept E (X : Integer) do\n         Y := X;\n      end E;\n      pragma Assert (Y = 1);\n   end S;\nbegin\n   S.E (1);\nend A;\n";
    let run = rendez(&["dump", "--stage", "model", "a.adb"], &folder("dump", &[("a.adb", text)]));
    assert_eq!(run.status, 0);
    insta::assert_snapshot!(run.out);
}

const PACKAGE: &[u8] = b"package Box is
   procedure Put (N : Natural);
   Last : Natural := 0;
end Box;
";

const PACKAGE_BODY: &[u8] = b"package body Box is
   procedure Put (N : Natural) is
   begin
      Last := N;
   end Put;
end Box;
";

#[test]
fn a_library_unit_is_analysed_with_every_possible_caller() {
    let folder = folder("root", &[("box.ads", PACKAGE), ("box.adb", PACKAGE_BODY)]);
    for arguments in
        [&["check", "box.ads"][..], &["check", "--root", "Box", "box.adb"], &["check", "--root", "box", "."]]
    {
        let run = rendez(arguments, &folder);
        assert_eq!(run.status, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("race                 violated"), "{}", run.out);
        assert!(run.out.contains("tasks of the environment call its visible operations"), "{}", run.out);
    }
    let run = rendez(&["check", "--clients", "1", "box.ads"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_project_or_a_folder_is_an_argument() {
    let folder = folder(
        "project",
        &[
            ("main.adb", ONE_TASK),
            ("other.adb", b"procedure Other is\nbegin\n   null;\nend Other;\n"),
            ("a.gpr", b"project A is\n   Which := external (\"MAIN\", \"main\");\n   for Main use (Which & \".adb\");\nend A;\n"),
        ],
    );
    let run = rendez(&["check", "a.gpr"], &folder);
    assert!(run.out.contains("main: 2 tasks"), "{}{}", run.out, run.err);
    let run = rendez(&["check", "-X", "MAIN=other", "."], &folder);
    assert!(run.out.contains("other: 1 task"), "{}{}", run.out, run.err);
    std::fs::remove_file(folder.join("a.gpr")).expect("it is there");
    let run = rendez(&["check", "."], &folder);
    assert_eq!(run.status, 2);
    assert!(
        run.err.contains("there are 2 main procedures: main (./main.adb), other (./other.adb)"),
        "{}",
        run.err
    );
    let run = rendez(&["check", ".", "--main", "Main"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
}

#[test]
fn temporal_properties_come_from_files() {
    let source = b"procedure Main is\n   task T is\n      entry Go;\n   end T;\n   task body T is\n   begin\n      loop\n         accept Go;\n      end loop;\n   end T;\nbegin\n   loop\n      T.Go;\n   end loop;\nend Main;\n";
    let files: [(&str, &[u8]); 5] = [
        ("main.adb", source),
        ("place.ctl", b"never: always not (T at 8)"),
        ("good.ctl", b"-- served again and again\nserved: always eventually accept T.Go;\nno_end: not potentially ended T"),
        ("wrong.ctl", b"served: always eventually accept T.Stop"),
        ("broken.ctl", b"served: always\n   (eventually accept"),
    ];
    let folder = folder("ctl", &files);
    let run = rendez(&["check", "--property", "good.ctl", "main.adb"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("served               holds"), "{}", run.out);
    let run = rendez(&["check", "--property", "place.ctl", "main.adb"], &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("note: T is here at the end\n --> main.adb:8:"), "{}", run.out);
    let run = rendez(&["check", "--property", "wrong.ctl", "main.adb"], &folder);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("no entry `T.Stop`") && run.err.contains("wrong.ctl:1:"), "{}", run.err);
    let run = rendez(&["check", "--property", "broken.ctl", "main.adb"], &folder);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("the name of an entry") && run.err.contains("broken.ctl:2:"), "{}", run.err);
    let run = rendez(&["check", "--property", "missing.ctl", "main.adb"], &folder);
    assert_eq!(run.status, 2);
}

#[test]
fn annotations_that_are_not_known_are_pointed_out() {
    let main = |pragma: &str| {
        let source = std::str::from_utf8(ONE_TASK).expect("text");
        source.replace("   task T;\n", &format!("   task T;\n   pragma Annotate ({pragma});\n"))
    };
    for (pragma, told) in [
        ("Rendez, Background, T", false),
        ("Rendez, Backgrund, T", true),
        ("Rendez, Background, U", true),
        ("Other, Backgrund, T", false),
    ] {
        let folder = folder("annotation", &[("main.adb", main(pragma).as_bytes())]);
        let run = rendez(&["check", "main.adb"], &folder);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
        let warning = run.out.contains("unknown annotation") && run.out.contains("main.adb:3:");
        assert_eq!(warning, told, "{pragma}: {}", run.out);
    }
}

#[test]
fn graphs_show_edge_groups() {
    let folder = folder("figure2", &[("figure_2.adb", bench("figure-2:2").as_bytes())]);
    let run = rendez(&["graph", "--kind", "tig", "figure_2.adb"], &folder);
    assert!(
        run.out.starts_with("digraph tig {") && run.out.contains("accept T1.P"),
        "{}{}",
        run.out,
        run.err
    );
    let run = rendez(&["graph", "--kind", "ticg", "--tig", "optimized", "figure_2.adb"], &folder);
    // Five states and four edges, as published.
    assert_eq!(run.out.matches("[label=").count(), 9, "{}", run.out);
}

/// The number of states that `check` reports for a generated program.
fn states(family: &str, options: &[&str]) -> usize {
    let source = bench(family);
    let place = folder(&family.replace(':', "_"), &[("main.adb", source.as_bytes())]);
    let run = rendez(&[&["check", "main.adb"], options].concat(), &place);
    let line = run.out.lines().find(|l| l.contains(" states,")).expect("a line with the number of states");
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|w| *w == "states,").expect("the word");
    words[at - 1].parse().expect("a number")
}

#[test]
fn reductions_leave_few_states() {
    let none = ["--no-stubborn", "--no-symmetry"];
    assert_eq!(states("philosophers:8", &none), 6560);
    assert_eq!(states("philosophers:8", &["--no-stubborn"]), 833);
    assert_eq!(states("philosophers:8", &["--no-symmetry"]), 58);
    assert_eq!(states("readers-writers:4", &none), 1808);
    assert_eq!(states("readers-writers:4", &["--no-stubborn"]), 95);
    assert!(states("philosophers:8", &[]) < 20);
    // Two philosophers out of 13 in resource order do not depend on each other.
    assert!(states("ordered:13", &[]) <= 2 * 436);
}

#[test]
fn searches_that_keep_less_than_the_states_find_errors_and_prove_nothing() {
    let source = bench("philosophers:6");
    let place = folder("hashed", &[("main.adb", source.as_bytes())]);
    for keep in ["hashes", "bits"] {
        let run = rendez(&["check", "--keep", keep, "--memory", "4M", "main.adb"], &place);
        assert_eq!(run.status, 1, "{}", run.out);
        assert!(run.out.contains("circular-wait        violated"), "{}", run.out);
        assert!(run.out.contains("the probability that states were missed is about"), "{}", run.out);
        // There is no assertion that could fail; nothing else is claimed.
        assert_eq!(run.out.matches(" holds ").count(), 1, "{}", run.out);
    }
    let plainly = ["check", "--keep", "bits", "--engine", "explore", "a.adb"];
    refused(
        "hashed_plainly",
        &[("a.adb", ONE_TASK)],
        &plainly,
        "--keep is for the default checks with --engine reach",
    );
}

#[test]
fn a_deadlock_among_hundreds_of_tasks_is_found() {
    let source = bench("philosophers:200");
    let place = folder("many", &[("main.adb", source.as_bytes())]);
    let run = rendez(&["check", "main.adb"], &place);
    assert_eq!(run.status, 1, "{}", run.out);
    assert!(run.out.contains("circular-wait        violated     1 finding"), "{}", run.out);
}

/// The teller machine with its property file.
fn teller(name: &str) -> PathBuf {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let source = std::fs::read(corpus.join("atm.adb")).expect("the program");
    let rules = std::fs::read(corpus.join("atm.qre")).expect("its properties");
    let fixed = String::from_utf8_lossy(&source).replace("Count = 2", "Count = 1").into_bytes();
    folder(name, &[("atm.adb", &source), ("fixed.adb", &fixed), ("atm.qre", &rules)])
}

#[test]
fn wrong_properties_are_refused_at_their_place() {
    let refuse = |file: &str, text: &[u8], arguments: &[&str], message: &str| {
        let mut all = vec!["check", "a.adb"];
        all.extend(arguments);
        refused("properties", &[("a.adb", ONE_TASK), (file, text)], &all, message);
    };
    let given = ["--property", "p.qre"];
    refuse("p.qre", b"pattern: absence; nothing", &given, "p.qre:1:19");
    refuse("p.qre", b"event a = accept T.E;\npattern: absence; a", &given, "the program has no entry `T.E`");
    refuse("p.qre", b"for events {a} show all executions satisfy a; b", &given, "p.qre:1:47");
    refuse("p.qre", b"for events {a show", &given, "p.qre:1:15");
    refuse("p.qre", b"", &given, "there is no property in this file");
    refuse("p.qre", b"\0\x01", &given, "p.qre");
    refuse(
        "p.qre",
        b"event a = start T;\npattern: absence; a",
        &["--engine", "flow"],
        "give some with --property",
    );
    refuse("p.qre", b"", &["--constraint", "task:T"], "--constraint is for properties of event sequences");
    let unknown = ["--property", "p.qre", "--constraint", "task:U"];
    refuse("p.qre", b"event a = start T;\npattern: absence; a", &unknown, "the program has no such task");
}

#[test]
fn flow_finds_the_constraints_that_a_proof_needs() {
    let folder = teller("flow");
    let run = rendez(
        &["check", "--engine", "flow", "--format", "json", "--property", "atm.qre", "fixed.adb"],
        &folder,
    );
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let results = report["results"].as_array().expect("results");
    assert_eq!(results[0]["constraints"], serde_json::json!([]));
    let mut needed: Vec<&str> =
        results[1]["constraints"].as_array().expect("a list").iter().filter_map(|c| c.as_str()).collect();
    needed.sort_unstable();
    assert_eq!(needed, ["task ATM", "variable ATM.Count"]);
    assert_eq!(results[1]["engine"], "flow");
    assert_eq!(results[1]["kind"], "qre");
    assert!(results[1]["stats"]["tfg_nodes"].as_u64() > Some(10));
    assert!(results[1]["stats"].get("states").is_none());
    // The choice can be taken away.
    let only =
        ["check", "--engine", "flow", "--property", "atm.qre", "--constraint", "task:ATM", "fixed.adb"];
    let run = rendez(&only, &folder);
    assert_eq!(run.status, 3, "{}", run.out);
    // What executions are taken to satisfy is an assumption.
    std::fs::write(folder.join("once.qre"), "pattern: bounded existence; invalid at most 1").expect("a file");
    let given = ["check", "--engine", "flow", "--property", "atm.qre", "--constraint", "once.qre", "atm.adb"];
    let run = rendez(&given, &folder);
    assert_eq!(run.status, 0, "{}", run.out);
    assert!(run.out.contains("assumes: executions satisfy the constraint"), "{}", run.out);
}

#[test]
fn graphs_of_properties_are_drawn() {
    let folder = teller("flow_graphs");
    let graph = |kind: &str| rendez(&["graph", "--kind", kind, "--property", "atm.qre", "atm.adb"], &folder);
    let property = graph("property");
    assert!(property.out.contains("digraph \"figure_3\"") && property.out.contains("doublecircle"));
    std::fs::write(folder.join("back.dot"), &property.out).expect("a file");
    let run = rendez(&["check", "--engine", "reach", "--property", "back.dot", "atm.adb"], &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    let tfg = graph("tfg");
    assert_eq!(tfg.out.matches("shape=diamond").count(), 7, "{}", tfg.out);
}

#[test]
fn two_hundred_alike_tasks_cost_as_much_as_a_few() {
    let nodes = |n: usize| {
        let part = |property: &str| {
            let family = format!("flavers-rw:{n}{property}");
            bench(&family)
        };
        let folder = folder(
            &format!("readers_{n}"),
            &[("rw.adb", part("").as_bytes()), ("rw.qre", part(":1").as_bytes())],
        );
        let arguments = ["check", "--engine", "flow", "--format", "json", "--property", "rw.qre", "rw.adb"];
        let run = rendez(&arguments, &folder);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
        let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        report["results"][0]["stats"]["tfg_nodes"].as_u64()
    };
    assert_eq!(nodes(3), nodes(200));
}

/// A program and a query of the bench, in a folder.
fn inca(name: &str, family: &str, query: usize) -> PathBuf {
    let part = |what: String| bench(&what);
    let (ada, text) = (part(family.to_owned()), part(format!("{family}:{query}")));
    folder(name, &[("main.adb", ada.as_bytes()), ("main.inca", text.as_bytes())])
}

#[test]
fn proofs_are_written_and_checked() {
    let folder = inca("certificate", "inca-simple:4", 1);
    let check = ["check", "--engine", "ilp", "--certificate", "out", "--property", "main.inca", "main.adb"];
    let run = rendez(&check, &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    let file = "out/a-before-b.certificate";
    assert!(run.out.contains(file), "{}", run.out);
    let verify = rendez(&["verify", file], &folder);
    assert_eq!((verify.status, verify.out.contains("a before b holds")), (0, true), "{}", verify.err);
    // Neither a changed proof nor a changed program passes.
    let text = std::fs::read_to_string(folder.join(file)).expect("a certificate");
    std::fs::write(folder.join("cut"), text.replace("end\n", "")).expect("a file");
    assert_eq!(rendez(&["verify", "cut"], &folder).status, 2);
    let first = text.lines().position(|l| l.starts_with("sum")).expect("a sum");
    let wrong: Vec<&str> =
        text.lines().enumerate().map(|(i, l)| if i == first { "sum 0*1" } else { l }).collect();
    std::fs::write(folder.join("wrong"), wrong.join("\n")).expect("a file");
    assert_eq!(rendez(&["verify", "wrong"], &folder).status, 1);
    std::fs::write(folder.join("merged"), text.replace("apart false", "apart false\nmerge 1 1"))
        .expect("a file");
    assert_eq!(rendez(&["verify", "merged"], &folder).status, 1);
    let source = std::fs::read_to_string(folder.join("main.adb")).expect("a program");
    std::fs::write(folder.join("main.adb"), source + "--  changed\n").expect("a file");
    assert!(rendez(&["verify", file], &folder).err.contains("changed"));
}

#[test]
fn loops_of_queries_are_shown() {
    let ada = bench("ordered:4");
    let query = |name: &str, last: &str| {
        format!(
            "event one = accept Forks(1).Up;\nevent two = accept Forks(2).Up;\n(defquery \"{name}\" \"nofair\" (sequence\n  (interval :initial t :open t :ends-with '(\"one\"))\n  (interval :perpetual t {last})))\n"
        )
    };
    let folder = folder(
        "perpetual",
        &[
            ("main.adb", ada.as_bytes()),
            ("starves", query("starves", ":forbid '(\"one\") :require '(\"two\")").as_bytes()),
            ("nothing", query("nothing", ":forbid '((prefix \"accept(\"))").as_bytes()),
        ],
    );
    let check = |file: &str| rendez(&["check", "--engine", "ilp", "--property", file, "main.adb"], &folder);
    let run = check("starves");
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("for ever two") && run.out.contains("LOOP"), "{}", run.out);
    // Nobody goes round without a rendezvous.
    let run = check("nothing");
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
}

#[test]
fn published_rows_keep_out_cycles_within_a_bound() {
    let folder = inca("augment", "inca-simple:3", 1);
    let check = |more: &[&str]| {
        let check =
            ["check", "--engine", "ilp", "--certificate", "out", "--property", "main.inca", "main.adb"];
        rendez(&[&check[..], more].concat(), &folder)
    };
    let run = check(&["--augment", "all", "--bound", "50"]);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("no step of a task happens more than 50 times"), "{}", run.out);
    let file = "out/a-before-b.certificate";
    let verify = rendez(&["verify", file], &folder);
    assert!(verify.status == 0 && verify.out.contains("more than 50 times"), "{}{}", verify.out, verify.err);
    // The proof is about these rows.
    let text = std::fs::read_to_string(folder.join(file)).expect("a certificate");
    std::fs::write(folder.join("other"), text.replace("bound 50", "bound 51")).expect("a file");
    assert_eq!(rendez(&["verify", "other"], &folder).status, 1);
    let run = check(&["--augment", "T1:1"]);
    assert!(run.out.contains("more than 10000 times in interval 1"), "{}{}", run.out, run.err);
    for wrong in [&["--augment", "Nobody"][..], &["--augment", "T1:2"], &["--bound", "3"]] {
        assert_eq!(check(wrong).status, 2, "{wrong:?}");
    }
    assert_eq!(rendez(&["check", "--augment", "all", "main.adb"], &folder).status, 2);
    let run = check(&["--memory", "20000"]);
    assert!(run.status == 3 && run.out.contains("the memory limit was reached"), "{}{}", run.out, run.err);
}

#[test]
fn queries_are_decided_by_every_engine_that_can() {
    let folder = inca("queries", "inca-relay:3", 2);
    for engine in ["ilp", "reach", "explore"] {
        let run = rendez(&["check", "--engine", engine, "--property", "main.inca", "main.adb"], &folder);
        assert_eq!(run.status, 0, "{engine}: {}{}", run.out, run.err);
    }
    let counted = "event r = accept Resource.Set with (2);\n(defquery \"three\" \"nofair\" (sequence\n  (interval :initial t :ends-with '(\"r\") :constraints '((>= (rendezvous \"*;Resource.Get\") 3)))))";
    std::fs::write(folder.join("counted.inca"), counted).expect("a file");
    let run = rendez(&["check", "--engine", "reach", "--property", "counted.inca", "main.adb"], &folder);
    assert_eq!(run.status, 2, "{}{}", run.out, run.err);
    let run = rendez(&["check", "--property", "counted.inca", "main.adb"], &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    let run = rendez(&["check", "--engine", "ilp", "--property", "counted.inca", "main.adb"], &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    for (text, place) in
        [("(defquery \"x\"", ":1:1"), ("(defquery \"x\" \"\"\n (interval :ends 3))", ":2:12")]
    {
        std::fs::write(folder.join("bad.inca"), text).expect("a file");
        let run = rendez(&["check", "--property", "bad.inca", "main.adb"], &folder);
        assert!(run.status == 2 && run.err.contains(place), "{}", run.err);
    }
}

#[test]
fn a_deadlock_among_two_hundred_tasks_is_found() {
    let source = bench("planted:200:4");
    let folder = folder("planted", &[("main.adb", source.as_bytes())]);
    let check = ["check", "--engine", "directed", "--only", "circular-wait", "--format", "json", "main.adb"];
    let run = rendez(&check, &folder);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let trace = report["results"][0]["trace"].as_array().expect("a trace");
    let switches = trace.windows(2).filter(|w| w[0]["task"] != w[1]["task"]).count();
    assert!(switches <= 4, "{switches} task switches");
    assert_eq!(report["results"][0]["engine"], "directed");
}

#[test]
fn directed_search_looks_for_what_formulas_exclude() {
    let source = bench("hyman:3");
    let property = b"mutex: always not (at critical_0 and at critical_1);\n";
    let folder = folder("hyman", &[("main.adb", source.as_bytes()), ("m.ctl", property)]);
    for more in [&[][..], &["--search", "astar"], &["--search", "runs"], &["--heuristic", "pattern"]] {
        let mut check = vec!["check", "--engine", "directed", "--property", "m.ctl", "main.adb"];
        check.extend(more);
        let run = rendez(&check, &folder);
        assert_eq!(run.status, 1, "{more:?}: {}{}", run.out, run.err);
        assert!(run.out.contains("mutex does not hold"), "{}", run.out);
    }
    for (more, message) in [
        (&["--engine", "reach", "--heuristic", "efca"][..], "--heuristic is for --engine directed"),
        (&["--engine", "directed", "--beam", "5"], "--beam is for --search beam"),
        (&["--engine", "directed", "--search", "walk", "--heuristic", "fsm"], "looks at no distances"),
        (&["--engine", "directed", "--search", "weighted", "--weight", "0"], "--weight is a number"),
        (&["--engine", "directed", "--seed", "1"], "--seed is for"),
    ] {
        let mut check = vec!["check", "main.adb"];
        check.extend(more);
        let run = rendez(&check, &folder);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{}", run.err);
        assert!(run.err.contains(message), "{}", run.err);
    }
}

#[test]
fn integer_programming_decides_deadlock() {
    // What an execution does behind a construct without a model is not known.
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let run = rendez(&["check", "--engine", "ilp", "reachable_construct.adb"], &corpus);
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    let source = |n: &str| bench(n);
    let folder = folder(
        "linear_deadlock",
        &[
            ("ordered.adb", source("ordered:30").as_bytes()),
            ("left.adb", source("philosophers:30").as_bytes()),
        ],
    );
    for (file, status) in [("ordered.adb", 0), ("left.adb", 1)] {
        let run = rendez(&["check", "--engine", "ilp", file], &folder);
        assert_eq!(run.status, status, "{}{}", run.out, run.err);
    }
}

#[test]
fn automata_and_systems_are_exported() {
    let folder = inca("exported", "inca-simple:2", 2);
    let graph = |arguments: &[&str]| {
        let all = [&["graph"], arguments, &["main.adb"]].concat();
        rendez(&all, &folder)
    };
    let flow = graph(&["--kind", "flowgraph", "--property", "main.inca"]);
    assert!(
        flow.out.contains("T1, interval 2") && flow.out.contains("style=dashed"),
        "{}{}",
        flow.out,
        flow.err
    );
    let lp = graph(&["--kind", "flowgraph", "--property", "main.inca", "--format", "lp"]);
    assert!(lp.out.starts_with("Minimize") && lp.out.ends_with("End\n"), "{}", lp.out);
    let mps = graph(&["--kind", "fsa", "--format", "mps"]);
    assert!(mps.out.starts_with("NAME") && mps.out.ends_with("ENDATA\n"), "{}", mps.out);
    assert_eq!(graph(&["--kind", "tig", "--format", "lp"]).status, 2);
    assert_eq!(graph(&["--kind", "flowgraph"]).status, 2);
}

/// Three servers, and clients who call any of them for a while. `end` is how a server's select ends.
fn many_clients(end: &str) -> String {
    format!(
        "with Ada.Numerics.Discrete_Random;
procedure Main is
   subtype Number is Integer range 1 .. 3;
   package Numbers is new Ada.Numerics.Discrete_Random (Number);
   G : Numbers.Generator;
   task type Server is
      entry Serve;
   end Server;
   Servers : array (Number) of Server;
   task body Server is
   begin
      loop
         select
            accept Serve;
         {end}
         end select;
      end loop;
   end Server;
   task type Client;
   task body Client is
   begin
      for Round in 1 .. 3 loop
         select
            Servers (Numbers.Random (G)).Serve;
         or
            delay 1.0;
         end select;
      end loop;
   end Client;
   Clients : array (1 .. 40) of Client;
begin
   null;
end Main;
"
    )
}

#[test]
fn code_alone_shows_that_nobody_waits_for_ever() {
    let arguments = ["check", "--engine", "reach", "--states", "3000", "a.adb"];
    let verdicts = |name: &str, end: &str| {
        let run = rendez(&arguments, &folder(name, &[("a.adb", many_clients(end).as_bytes())]));
        let line = |check: &str| run.out.lines().find(|l| l.starts_with(check)).unwrap_or("").to_owned();
        ["circular-wait", "client-blocked", "server-idle", "spin", "tasking-error"].map(line)
    };
    let [circular, client, server, spin, error] = verdicts("many_clients", "or\n            terminate;");
    for held in [circular, client, server, spin] {
        assert!(held.contains("holds"), "{held}");
    }
    // The search came to no end.
    assert!(error.contains("inconclusive"), "{error}");
    let [_, _, server, ..] = verdicts("many_clients_idle", "or\n            accept Serve;");
    assert!(!server.contains("holds"), "{server}");
}

/// Two tasks with events of their own, and a counter that only one rule is about.
const TWO_RULES: &[u8] = b"procedure Main is
   Level : Integer := 0;
   task A;
   task B;
   task body A is
   begin
      for I in 1 .. 3 loop
         --@ event a
         null;
         Level := (Level + 1) mod 5;
      end loop;
   end A;
   task body B is
   begin
      for I in 1 .. 3 loop
         --@ event b
         null;
      end loop;
   end B;
begin
   null;
end Main;
";

/// The states that a rule took, by its name.
fn states_of(run: &Run, rule: &str) -> u64 {
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let results = report["results"].as_array().expect("results").clone();
    let result = results.iter().find(|r| r["property"] == rule).expect("the rule");
    result["stats"]["states"].as_u64().expect("a number of states")
}

#[test]
fn what_a_rule_costs_does_not_depend_on_its_neighbours() {
    let order = "order: for events {a, b} show all executions satisfy ((a | b); (a | b))*;\n";
    let others = "event low = write Level = 2;\nevent high = write Level = 3;\n\
        steps: for events {low, high} show all executions satisfy (low; high)*;\n";
    let many = format!("{others}{order}");
    let files: &[(&str, &[u8])] =
        &[("a.adb", TWO_RULES), ("one.qre", order.as_bytes()), ("many.qre", many.as_bytes())];
    let folder = folder("neighbours", files);
    let check = |rules: &str| {
        let options =
            ["--engine", "reach", "--no-stubborn", "--format", "json", "--property", rules, "a.adb"];
        rendez(&[&["check"], &options[..]].concat(), &folder)
    };
    let (alone, among) = (check("one.qre"), check("many.qre"));
    assert_eq!(alone.status, 0, "{}{}", alone.out, alone.err);
    assert_eq!(among.status, 0, "{}{}", among.out, among.err);
    assert_eq!(states_of(&alone, "order"), states_of(&among, "order"));
}

/// What a check that holds promises is true beside what the others found.
#[test]
fn promises_are_true_beside_findings() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for (file, options, says) in [
        (
            "circle_beside_others.adb",
            &[][..],
            &[
                "client-blocked       holds        no task waits for ever in an entry call, circular-wait aside",
                "assertion            holds        there is no assertion that could fail",
            ][..],
        ),
        (
            "forks_as_objects.adb",
            &["--engine", "directed", "--only", "client-blocked"],
            &[
                "client-blocked       holds        no task waits for ever in an entry call, circular-wait aside",
            ],
        ),
        (
            "idle_beside_others.adb",
            &[],
            &[
                "warning: Once waits for calls that never come [server-idle]",
                "client-blocked       holds        no task waits for ever in an entry call\n",
            ],
        ),
        (
            "count_lets_one_pass.adb",
            &[],
            &["dead-entry           holds        every entry is called and served in some execution"],
        ),
    ] {
        let mut arguments = vec!["check", file];
        arguments.extend(options);
        let run = rendez(&arguments, &corpus);
        for line in says {
            assert!(run.out.contains(line), "{file}: expected `{line}` in\n{}{}", run.out, run.err);
        }
    }
}

/// All engines give one name to what blocks.
#[test]
fn engines_agree_about_the_kinds_of_blocking() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for file in ["circle_beside_others.adb", "embrace_with_queue.adb", "forks_as_objects.adb", "phil.adb"] {
        let run = rendez(&["check", "--cross-check", "--timeout", "20", file], &corpus);
        assert_eq!(run.status, 1, "{file}: {}{}", run.out, run.err);
    }
}

/// Conversions of numbers that are not followed, one a line from line 4 on.
fn conversions(count: usize) -> String {
    let lines = "      N := Natural (F);\n".repeat(count);
    format!(
        "procedure Main is\n   F : Float := 1.5; N : Natural := 0;\n   task T;   task body T is begin\n{lines}      F := F + 1.0;\n   end T;\nbegin\n   null;\nend Main;\n"
    )
}

#[test]
fn checks_on_values_that_are_not_followed_are_taken_to_pass_with_their_places() {
    let folder = folder("checks_pass", &[("main.adb", conversions(5).as_bytes())]);
    let run = rendez(&["check", "main.adb"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    let shown = "5 checks on values that are not followed are taken to pass (main.adb:4, main.adb:5, main.adb:6, ...; --checks may-fail)";
    assert!(run.out.contains(shown), "{}", run.out);
    let run = rendez(&["check", "--format", "json", "main.adb"], &folder);
    assert!(run.out.contains("main.adb:7, main.adb:8; --checks may-fail"), "{}", run.out);
}

#[test]
fn checks_on_values_that_are_not_followed_may_fail() {
    let folder = folder("checks_fail", &[("main.adb", conversions(1).as_bytes())]);
    let run = rendez(&["check", "--checks", "may-fail", "main.adb"], &folder);
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("perhaps: Constraint_Error in T"), "{}", run.out);
    assert!(!run.out.contains("taken to pass"), "{}", run.out);
}

#[test]
fn a_counter_that_decides_nothing_is_taken_not_to_overflow() {
    let text = "procedure Main is\n   task T;\n   task body T is\n      N : Integer := 0;\n   begin\n      loop\n         N := N + 1;\n         delay 1.0;\n      end loop;\n   end T;\nbegin\n   null;\nend Main;\n";
    let folder = folder("checks_counter", &[("main.adb", text.as_bytes())]);
    let run = rendez(&["check", "main.adb"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("1 check on values that are not followed is taken to pass (main.adb:7;"),
        "{}",
        run.out
    );
}

const FILES: &[u8] = b"procedure Main is
   task File is
      entry Open;
      entry Close;
   end File;
   task body File is
   begin
      loop
         select accept Open; or accept Close; or terminate; end select;
      end loop;
   end File;
begin
   File.Open;
   File.Close;
end Main;
";

#[test]
fn properties_of_the_same_name_are_told_apart() {
    let opened = "event o = accept File.Open;\nfor events {o} show all executions satisfy o?\n";
    let closed = "event c = accept File.Close;\nfor events {c} show no executions satisfy .*; c; .*\n";
    let both = format!("{opened};\n{closed}");
    let twice = "event o = accept File.Open;\na: pattern: existence; o;\na: pattern: absence; o;\n";
    let folder = folder(
        "names",
        &[
            ("main.adb", FILES),
            ("opened.qre", opened.as_bytes()),
            ("closed.qre", closed.as_bytes()),
            ("both.qre", both.as_bytes()),
            ("twice.qre", twice.as_bytes()),
        ],
    );
    for engine in ["auto", "reach", "flow"] {
        let files = ["--property", "opened.qre", "--property", "closed.qre"];
        let run = rendez(&[&["check", "--engine", engine, "main.adb"], &files[..]].concat(), &folder);
        assert_eq!(run.status, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("property 1 (opened.qre) holds"), "{}", run.out);
        assert!(run.out.contains("property 1 (closed.qre) violated"), "{}", run.out);
        let run = rendez(&["check", "--engine", engine, "--property", "both.qre", "main.adb"], &folder);
        assert_eq!(run.status, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("property 2           violated"), "{}", run.out);
    }
    let again = ["check", "--property", "closed.qre", "--property", "closed.qre", "main.adb"];
    let run = rendez(&again, &folder);
    assert!(run.status == 1 && run.out.contains("(closed.qre, file 2)"), "{}{}", run.out, run.err);
    let run = rendez(&["check", "--property", "twice.qre", "main.adb"], &folder);
    assert!(
        run.status == 2 && run.err.contains("there is another property `a` in this file\n --> twice.qre:3:1"),
        "{}",
        run.err
    );
}

#[test]
fn names_that_match_nothing_are_refused() {
    let rule = "for events {o} show all executions satisfy o?\n";
    for (bindings, message) in [
        (
            "event o = accept File.Open;\nevent x = accept File.Oben;\n",
            "the program has no entry `File.Oben`\n --> bad.qre:2:7",
        ),
        (
            "event o = accept File.Open with (1);\n",
            "`File.Open` has fewer parameters than values here\n --> bad.qre:1:7",
        ),
    ] {
        let text = format!("{bindings}{rule}");
        let files = [("main.adb", FILES), ("bad.qre", text.as_bytes())];
        refused("unbound", &files, &["check", "--property", "bad.qre", "main.adb"], message);
    }
}

#[test]
fn queries_whose_events_never_happen_hold() {
    let ada = "procedure Never is
   task S is entry A; entry B; end S;
   task C;
   task body S is begin accept A; accept B; end S;
   task body C is begin S.B; S.A; end C;
begin
   null;
end Never;
";
    let query = "event a = accept S.A;\nevent b = accept S.B;
(defquery \"twice\" \"nofair\" (sequence (interval :initial t :open t :ends-with '(\"a\" \"b\") :constraints '((>= \"a\" 2)))))
(defquery \"forever\" \"nofair\" (sequence (interval :initial t :open t :ends-with '(\"a\" \"b\"))
  (interval :perpetual t :require '(\"a\"))))
";
    let folder = folder("never", &[("main.adb", ada.as_bytes()), ("main.inca", query.as_bytes())]);
    let check = ["check", "--engine", "ilp", "--certificate", "out", "--property", "main.inca", "main.adb"];
    let run = rendez(&check, &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    let run = rendez(&["verify", "out/twice.certificate", "out/forever.certificate"], &folder);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    assert_eq!(rendez(&["check", "--property", "main.inca", "main.adb"], &folder).status, 0);
}

#[test]
fn proofs_about_steps_with_several_names_are_checked() {
    let property = "event any = accept File.Open;\nevent main = accept File.Open by Main;\nevent c = accept File.Close;
(defquery \"after\" \"nofair\" (sequence (interval :initial t :forbid '(\"any\") :ends-with '(\"c\"))))
(defquery \"counted\" \"nofair\" (sequence (interval :initial t :ends-with '(\"c\") :constraints '((> \"main\" \"any\")))))
(defquery \"both\" \"nofair\" (sequence (interval :initial t :ends-with '(\"c\") :constraints '((>= (+ \"any\" \"main\") 2)))))
ordered: for events {main, any, c} show all executions satisfy any; c;
";
    let swapped = property
        .replace("event any = accept File.Open;\nevent main", "event main")
        .replace("by Main;\n", "by Main;\nevent any = accept File.Open;\n");
    for (order, text) in [property, &swapped].into_iter().enumerate() {
        let folder =
            folder(&format!("overlap{order}"), &[("main.adb", FILES), ("rules.qre", text.as_bytes())]);
        let run = rendez(
            &["check", "--engine", "ilp", "--certificate", "out", "--property", "rules.qre", "main.adb"],
            &folder,
        );
        assert_eq!(run.status, 1, "{}{}", run.out, run.err);
        for name in ["after", "counted", "ordered"] {
            assert!(run.out.contains(&format!("{name:20} holds")), "{}", run.out);
            let verify = rendez(&["verify", &format!("out/{name}.certificate")], &folder);
            assert_eq!(verify.status, 0, "{}{}", verify.out, verify.err);
        }
        assert!(run.out.contains("both                 violated"), "{}", run.out);
    }
}

#[test]
fn what_holds_vacuously_is_shown_and_denied() {
    let rules = "event o = accept File.Open;\nevent c = accept File.Close;\n
never: pattern: response; o responds to x;\nevent x = accept File.Spare;\nopened: pattern: existence; o;\n";
    let ada = String::from_utf8_lossy(FILES)
        .replace("entry Close;", "entry Close;\n      entry Spare;")
        .replace("or accept Close;", "or accept Close; or accept Spare;")
        .replace("   File.Close;\n", "   if File'Callable then File.Close; else File.Spare; end if;\n");
    let constraint = "event o = accept File.Open;\nonly: pattern: absence; o;\n";
    let folder = folder(
        "vacuous",
        &[
            ("main.adb", ada.replace("File'Callable", "True").as_bytes()),
            ("rules.qre", rules.as_bytes()),
            (
                "opened.qre",
                b"event o = accept File.Open;\nopened: for events {o} show all executions satisfy o;\n",
            ),
            ("only.qre", constraint.as_bytes()),
            (
                "empty.qre",
                b"event o = accept File.Open;\nempty: for events {o} show no executions satisfy .*;\n",
            ),
        ],
    );
    let why = "x never happens, and every execution without it satisfies this";
    for format in ["text", "json", "sarif", "gnat"] {
        let check =
            ["check", "--format", format, "--property", "rules.qre", "--report", "page.html", "main.adb"];
        let run = rendez(&check, &folder);
        assert!(run.status == 0 && run.out.contains(why), "{}{}", run.out, run.err);
        let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
        assert!(page.contains("holds vacuously") && page.contains(why), "{page}");
        let denied = rendez(&[&check[..], &["--deny", "warnings"]].concat(), &folder);
        assert_eq!(denied.status, 1, "{}{}", denied.out, denied.err);
    }
    let check = ["check", "--deny", "warnings", "--property", "opened.qre", "main.adb"];
    assert_eq!(rendez(&check, &folder).status, 0);
    for (constraint, why) in [
        ("only.qre", "no execution that satisfies the constraints ends or goes on for ever"),
        ("empty.qre", "no sequence of events satisfies the constraint empty"),
    ] {
        let run = rendez(&[&check[..], &["--constraint", constraint]].concat(), &folder);
        assert!(run.status == 1 && run.out.contains(why), "{}{}", run.out, run.err);
    }
}

#[test]
fn the_absence_of_an_event_is_not_vacuous() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    // Whether a response comes at last, the others leave open.
    for engine in ["auto", "explore", "reach"] {
        let check = ["check", "--engine", engine, "--property", "seq_triggers.qre", "seq_triggers.adb"];
        let run = rendez(&check, &corpus);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
        let mut last = "";
        let mut vacuous = Vec::new();
        for line in run.out.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [name, "holds", ..] => last = name,
                ["vacuously:", ..] => vacuous.push(last),
                _ => {}
            }
        }
        assert_eq!(vacuous, ["response", "precedence", "scoped", "always_true", "expression"], "{}", run.out);
    }
}

#[test]
fn what_is_said_to_never_happen_does_not() {
    let ada = |values: &str| format!("procedure Main is\n   X : Integer := 0;\nbegin\n{values}end Main;\n");
    let names = "event p = write X = 1 or write X = 3;\nevent s = write X = 2 or write X = 3;\nevent q = write X = 4;\nevent r = write X = 5;\n";
    let rules = format!(
        "{names}answered: pattern: response; s responds to p;\npreceded: pattern: precedence; s precedes p;\nuntil: pattern: response; s responds to p; scope: after q until r;\n"
    );
    let implied =
        "event p = write X = 1;\nevent s = write X /= 0;\nanswered: pattern: response; s responds to p;\n";
    let folder = folder(
        "shared_steps",
        &[
            ("both.adb", ada("   X := 4;\n   X := 3;\n   X := 2;\n").as_bytes()),
            ("one.adb", ada("   X := 4;\n   X := 2;\n").as_bytes()),
            ("rules.qre", rules.as_bytes()),
            ("implied.qre", implied.as_bytes()),
        ],
    );
    // Every name of the rules happens, or need not.
    let check = ["check", "--deny", "warnings", "--property", "rules.qre", "both.adb"];
    for engine in ["auto", "reach", "explore"] {
        let run = rendez(&[&check[..], &["--engine", engine]].concat(), &folder);
        assert!(run.status == 0 && !run.out.contains("vacuously"), "{}{}", run.out, run.err);
    }
    let run = rendez(&["check", "--engine", "reach", "--property", "rules.qre", "one.adb"], &folder);
    let said = "vacuously:   p never happens, and every execution without it satisfies this";
    assert_eq!(run.out.matches(said).count(), 3, "{}{}", run.out, run.err);
    let run = rendez(&["check", "--property", "implied.qre", "both.adb"], &folder);
    let said = "vacuously:   every sequence of steps that can have these names satisfies it";
    assert!(run.out.contains(said), "{}{}", run.out, run.err);
}

#[test]
fn names_that_are_something_else_are_explained() {
    let ada = b"procedure Main is
   type Color is (Red, Green);
   type Rec is record X, Y : Integer := 0; end record;
   R : Rec;
   protected P is
      entry Go (Color);
   end P;
   protected body P is
      entry Go (for I in Color) when True is begin null; end Go;
   end P;
   task type W is entry E; end W;
   task body W is begin accept E; end W;
   A, B : W;
begin
   P.Go (Red);
   A.E;
   B.E;
   R.X := 1;
end Main;
";
    for (event, message) in [
        (
            "accept W.E",
            "error: the program has no entry `W.E`: there is A.E, B.E; `E` alone means every one of them\n --> bad.qre:1:7\n",
        ),
        ("accept P.Go (Red)", "an index is a number, `true`, `false`, or the position of a literal, from 0"),
        ("write A", "the program has no variable `A`: it is a task"),
        ("write P", "the program has no variable `P`: it is a protected object"),
        ("accept R", "the program has no entry `R`: it is a record"),
        ("write R = 1", "`R` is a record: only its components have values to compare"),
        ("accept P.Go (", "expected an index"),
    ] {
        let text = format!("event e = {event};\npattern: existence; e;\n");
        let files = [("main.adb", &ada[..]), ("bad.qre", text.as_bytes())];
        refused("explained", &files, &["check", "--property", "bad.qre", "main.adb"], message);
    }
}

#[test]
fn automata_are_made_in_time_or_refused() {
    let rule = |text: &str| format!("event o = accept File.Open;\nevent c = accept File.Close;\n{text}\n");
    let bounded = rule("pattern: bounded existence; o at most 1000; scope: between o and c;");
    let long = rule(&format!(
        "for events {{o, c}} show all executions satisfy {};",
        vec!["o?"; 4000].join("; ") + "; .*"
    ));
    let large = rule("for events {o, c} show all executions satisfy .*; o; .^40;");
    let folder = folder(
        "automata",
        &[("main.adb", FILES), ("bounded.qre", bounded.as_bytes()), ("long.qre", long.as_bytes())],
    );
    for file in ["bounded.qre", "long.qre"] {
        let start = std::time::Instant::now();
        let run = rendez(&["check", "--timeout", "20", "--property", file, "main.adb"], &folder);
        assert_eq!(run.status, 0, "{}{}", run.out, run.err);
        assert!(start.elapsed().as_secs() < 20, "{file} took {:?}", start.elapsed());
    }
    let files = [("main.adb", FILES), ("large.qre", large.as_bytes())];
    let check = ["check", "--property", "large.qre", "main.adb"];
    refused("automaton", &files, &check, "too much work\n --> large.qre:3:1\n");
}

#[test]
fn what_would_do_nothing_is_refused() {
    let rules = b"event o = accept File.Open;\npattern: existence; o;\n";
    let files = [("main.adb", FILES), ("rules.qre", &rules[..]), ("latin.qre", b"--  caf\xe9\n")];
    let refuse = |options: &[&str], message: &str| {
        refused("nothing", &files, &[&["check"], options, &["main.adb"]].concat(), message);
    };
    for engine in ["ilp", "directed", "explore"] {
        refuse(&["--engine", engine, "--keep", "hashes"], "error: --keep is for the default checks");
    }
    refuse(&["--only", "spin", "--property", "rules.qre"], "error: --only is for the default checks");
    refuse(&["--property", "latin.qre"], "error: this file is not UTF-8\n --> latin.qre:1:1\n");
}

#[test]
fn a_bound_is_not_answered_with_time() {
    let ada = b"procedure Main is
   task S is
      entry E;
   end S;
   task body S is
   begin
      accept E;
   end S;
   procedure Deep (K : Integer) is
   begin
      if K > 0 then
         Deep (K - 1);
      else
         S.E;
      end if;
   end Deep;
begin
   Deep (50);
end Main;
";
    let folder = folder("bounded", &[("main.adb", ada)]);
    let run = rendez(&["check", "--format", "json", "main.adb"], &folder);
    assert_eq!(run.status, 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("\"obstacle\": \"bound\""), "{}", run.out);
    assert!(run.out.contains("--recursion-bound follows deeper calls"), "{}", run.out);
    assert!(!run.out.contains("--timeout gives more time"), "{}", run.out);
}

/// A client that asks a server which another client keeps busy, and does something of its own.
const BUSY: &[u8] = b"procedure Busy is
   task Server is
      entry Ask;
   end Server;
   task Fast;
   task Slow;
   task body Server is
   begin
      loop
         accept Ask;
      end loop;
   end Server;
   task body Fast is
   begin
      loop
         Server.Ask;
      end loop;
   end Fast;
   task body Slow is
   begin
      --@ event begins
      null;
      Server.Ask;
   end Slow;
begin
   null;
end Busy;
";

#[test]
fn fairness_decides_who_may_wait_for_ever() {
    let rules = b"event asked = accept Server.Ask by Slow;\nbegun: pattern: existence; begins;\nserved: pattern: response; asked responds to begins;\nearly: pattern: absence; asked; scope: before begins;\n";
    let formulas =
        b"begun: eventually event begins;\nserved: always (event begins -> eventually accept Server.Ask by Slow);\n";
    let here = folder("fairness", &[("busy.adb", BUSY), ("p.qre", rules), ("p.ctl", formulas)]);
    // Weakly fair schedulers let everybody begin; only fair queues let everybody be served.
    let expected = [
        ("none", ["violated", "violated"], "every execution"),
        ("weak", ["holds", "violated"], "every execution, under weak fairness"),
        (
            "fifo",
            ["holds", "holds"],
            "every execution, under weak fairness, with queues that serve everybody",
        ),
    ];
    for (fair, verdicts, covers) in expected {
        for (file, engine) in
            [("p.qre", "auto"), ("p.qre", "reach"), ("p.qre", "explore"), ("p.ctl", "reach")]
        {
            let given = [
                "check",
                "--property",
                file,
                "--engine",
                engine,
                "--fair",
                fair,
                "--format",
                "json",
                "busy.adb",
            ];
            let run = rendez(&given, &here);
            let report: serde_json::Value = serde_json::from_str(&run.out).expect("a report");
            let result = |name: &str| {
                let mut all = report["results"].as_array().expect("results").iter();
                all.find(|r| r["property"] == name).expect("a verdict").clone()
            };
            for (name, verdict) in ["begun", "served"].into_iter().zip(verdicts) {
                assert_eq!(
                    result(name)["verdict"],
                    verdict,
                    "{name} of {file}, {engine}, {fair}: {}",
                    run.out
                );
                assert_eq!(result(name)["covers"], covers, "{name} of {file}");
            }
            if file == "p.qre" {
                assert_eq!(result("early")["covers"], "every execution");
            }
        }
    }
    // What is said by default is weak fairness, and it is said.
    let run = rendez(&["check", "--property", "p.qre", "busy.adb"], &here);
    assert!(run.out.contains("covers:      every execution, under weak fairness\n"), "{}", run.out);
    assert!(run.out.contains("assumes: the scheduler is weakly fair"), "{}", run.out);
    // A trace that goes on for ever is one on the semantics.
    assert!(run.out.contains("LOOP: from here on for ever"), "{}", run.out);
    // Engines that look at steps and ends refute, but do not prove.
    for engine in ["flow", "ilp", "directed"] {
        let run = rendez(&["check", "--property", "p.qre", "--engine", engine, "busy.adb"], &here);
        assert_eq!(run.status, 3, "{engine}: {}", run.out);
        assert!(run.out.contains("executions that block or go on for ever only"), "{engine}: {}", run.out);
        assert!(run.out.contains("early                holds"), "{engine}: {}", run.out);
    }
}

#[test]
fn verdicts_on_expressions_say_what_they_cover() {
    let rules = b"event asked = accept Server.Ask;\nlast: for events {asked} show all executions satisfy .*; asked;\n";
    let here = folder("covers", &[("busy.adb", BUSY), ("p.qre", rules)]);
    for engine in ["auto", "explore", "reach", "flow", "ilp"] {
        let run = rendez(&["check", "--property", "p.qre", "--engine", engine, "busy.adb"], &here);
        let covers = "every execution that ends; of the others, that some continuation could satisfy it";
        assert!(run.out.contains(covers), "{engine}: {}", run.out);
    }
}

/// Programs of the corpus whose properties depend on the order of things that have nothing to do with each other: what
/// flow leaves open must be found by everybody else, whatever is left out.
#[test]
fn orders_of_what_is_independent_are_kept() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for name in ["orders_after_exceptions", "orders_of_workers", "orders_of_entries"] {
        let (source, rules) = (format!("{name}.adb"), format!("{name}.qre"));
        for engine in ["reach", "explore", "directed", "auto"] {
            for option in ["--threads=1", "--threads=2", "--no-stubborn", "--no-merge"] {
                let words = ["check", &source, "--property", &rules, "--engine", engine, option];
                let run = rendez(&words, &corpus);
                assert_eq!(run.status, 1, "{words:?}\n{}{}", run.out, run.err);
            }
        }
    }
}

#[test]
fn a_barrier_set_outside_of_its_object_proves_nothing() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    // Where the search comes to no end, the code alone is asked.
    let run = rendez(&["check", "barrier_set_outside.adb", "--engine", "reach", "--states", "1"], &corpus);
    assert!(matches!(run.status, 1 | 3), "{}{}", run.out, run.err);
    assert!(!run.out.contains("no task waits for ever in an entry call"), "{}", run.out);
}
