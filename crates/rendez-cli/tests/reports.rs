//! Reports: documents that programs read are valid, and the page shows what the trace says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What rendez prints; the exit status must not be that of a failure.
fn rendez(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rendez"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("rendez runs");
    let status = output.status.code().unwrap_or(-1);
    assert!(matches!(status, 0 | 1 | 3), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Programs of the corpus that are read, with their options.
fn corpus() -> Vec<Vec<String>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root().join("corpus")).expect("the corpus").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "adb"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file).expect("a file");
        let text = rendez_source::decode(&bytes).expect("text");
        let head: Vec<&str> = text.lines().take_while(|l| l.starts_with("--")).collect();
        let field = |name: &str| {
            head.iter().find_map(|l| l.trim_start_matches('-').trim().strip_prefix(name)).map(str::trim)
        };
        if field("reject:").is_some() {
            continue;
        }
        let mut arguments: Vec<String> =
            field("options:").map_or(Vec::new(), |o| o.split_whitespace().map(str::to_owned).collect());
        if let Some(property) = field("property:") {
            arguments.extend(["--property".into(), format!("corpus/{property}")]);
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        arguments.push(format!("corpus/{name}"));
        all.push(arguments);
    }
    all
}

fn check(options: &[&str], rest: &[String]) -> String {
    let mut arguments = vec!["check"];
    arguments.extend(options);
    arguments.extend(rest.iter().map(String::as_str));
    rendez(&arguments)
}

#[test]
fn every_json_report_is_valid() {
    let schema = std::fs::read_to_string(root().join("schema/report-1.schema.json")).expect("the schema");
    let validator = jsonschema::validator_for(&json(&schema)).expect("a schema");
    let mut verdicts = std::collections::BTreeSet::new();
    for program in corpus() {
        let report = json(&check(&["--format", "json"], &program));
        let wrong: Vec<String> =
            validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{program:?}: {}", wrong.join("\n"));
        for result in report["results"].as_array().expect("results") {
            verdicts.insert(result["verdict"].as_str().unwrap_or("").to_owned());
        }
    }
    assert_eq!(verdicts.len(), 3);
}

/// The official schema, which a package contains.
fn sarif_schema() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata = json(&String::from_utf8_lossy(&output.stdout));
    let packages = metadata["packages"].as_array().expect("packages");
    let manifest = packages
        .iter()
        .find(|p| p["name"] == "serde-sarif")
        .and_then(|p| p["manifest_path"].as_str())
        .expect("the package");
    let path = Path::new(manifest).with_file_name("src").join("schema.json");
    let mut schema = json(&std::fs::read_to_string(path).expect("the schema"));
    // A language, which reports do not name, has a pattern with a bracket too many: no regular expression.
    for part in ["run", "toolComponent"] {
        let language = schema.pointer_mut(&format!("/definitions/{part}/properties/language"));
        language.and_then(Value::as_object_mut).map(|l| l.remove("pattern"));
    }
    schema
}

#[test]
fn every_sarif_report_is_valid() {
    let validator = jsonschema::validator_for(&sarif_schema()).expect("a schema");
    let mut flows = 0;
    for program in corpus() {
        let log = json(&check(&["--format", "sarif"], &program));
        let wrong: Vec<String> =
            validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{program:?}: {}", wrong.join("\n"));
        for result in log["runs"][0]["results"].as_array().expect("results") {
            let Some(threads) = result["codeFlows"][0]["threadFlows"].as_array() else { continue };
            flows += 1;
            // One order over all tasks, without gaps.
            let mut order: Vec<u64> = threads
                .iter()
                .flat_map(|t| t["locations"].as_array().expect("steps"))
                .map(|l| l["executionOrder"].as_u64().expect("a number"))
                .collect();
            order.sort();
            assert_eq!(order, (1..=order.len() as u64).collect::<Vec<_>>(), "{program:?}");
        }
    }
    assert!(flows > 50);
}

#[test]
fn messages_have_the_form_of_the_compilers() {
    let out = rendez(&["check", "--format", "gnat", "examples/philosophers.adb"]);
    let first = out.lines().next().expect("a line");
    assert_eq!(
        first,
        "examples/philosophers.adb:24:10: error: P0, P1 and P2 wait for each other for ever [circular-wait]"
    );
    for line in out.lines() {
        let mut parts = line.splitn(4, ':');
        assert!(parts.next().is_some_and(|f| f.ends_with(".adb")), "{line}");
        assert!(parts.next().is_some_and(|n| n.parse::<u32>().is_ok()), "{line}");
        assert!(parts.next().is_some_and(|n| n.parse::<u32>().is_ok()), "{line}");
        let rest = parts.next().expect("a message");
        assert!([" error: ", " warning: ", " info: "].iter().any(|w| rest.starts_with(w)), "{line}");
    }
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What a browser makes of a page with a script of the test's at its end.
fn browse(page: &Path, script: &str) -> String {
    let text = std::fs::read_to_string(page).expect("the page");
    let tested = page.with_extension("tested.html");
    std::fs::write(&tested, text.replace("</body>", &format!("<script>{script}</script></body>")))
        .expect("a file");
    let home = page.with_extension("home");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", home.display()))
        .arg(format!("file://{}", tested.display()))
        .stdin(Stdio::null())
        .output()
        .expect("chromium is installed by scripts/setup.sh");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_page_lights_up_what_each_step_does() {
    let folder = folder("page");
    let page = folder.join("philosophers.html");
    let path = page.to_string_lossy().into_owned();
    let report =
        json(&rendez(&["check", "--format", "json", "--report", &path, "examples/philosophers.adb"]));
    let html = std::fs::read_to_string(&page).expect("the page");
    for needed in ["src=", "<link", "@import", "url(http", "url(//", "fetch("] {
        assert!(!html.contains(needed), "the page needs nothing else: {needed}");
    }
    // From the start to the end by the keyboard, and one step back.
    let script = r#"
      const finding = document.querySelector("section.finding");
      const press = (key) => finding.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      const lit = () => {
        const row = finding.querySelector(".lane .l.now");
        const lane = row && row.closest(".lane").querySelector("h4").firstChild.textContent.trim();
        const steps = [...finding.querySelectorAll("svg .step.now")].map((s) => s.dataset.step).join();
        const later = finding.querySelectorAll("svg .step.later").length;
        return row ? `${lane}:${row.dataset.line}:${steps}:${later}` : "nothing";
      };
      const all = [];
      press("Home");
      all.push(lit());
      const steps = Number(finding.dataset.steps);
      for (let i = 0; i < steps; i++) { press("ArrowRight"); all.push(lit()); }
      press("ArrowLeft");
      all.push(lit());
      const out = document.createElement("pre");
      out.id = "lit";
      out.textContent = all.join("\n");
      document.body.append(out);
    "#;
    let dom = browse(&page, script);
    let lit = dom.split("<pre id=\"lit\">").nth(1).and_then(|d| d.split("</pre>").next()).expect("a result");
    let lit: Vec<&str> = lit.lines().collect();
    let trace = report["results"][0]["trace"].as_array().expect("a trace");
    let expected = |i: usize| {
        let (task, line) = (trace[i]["task"].as_str().unwrap_or(""), &trace[i]["line"]);
        format!("{task}:{line}:{}:{}", i + 1, trace.len() - i - 1)
    };
    let mut wanted = vec!["nothing".to_owned()];
    wanted.extend((0..trace.len()).map(expected));
    wanted.push(expected(trace.len() - 2));
    assert_eq!(lit, wanted);
}

#[test]
fn a_page_about_many_tasks_stays_small() {
    let folder = folder("large_page");
    let source = rendez_bench::source("philosophers:100").expect("a program");
    let (program, page) = (folder.join("main.adb"), folder.join("main.html"));
    std::fs::write(&program, source).expect("a file");
    let (program, path) = (program.to_string_lossy().into_owned(), page.to_string_lossy().into_owned());
    let report = json(&rendez(&["check", "--format", "json", "--report", &path, "--timeout", "5", &program]));
    assert!(report["program"]["tasks"].as_array().is_some_and(|t| t.len() >= 200));
    let html = std::fs::read_to_string(&page).expect("the page");
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert!(html.contains("Without lanes of their own"), "what is left out is said");
}

#[test]
fn every_finding_has_its_page() {
    let list = rendez(&["explain"]);
    for line in list.lines() {
        let name = line.split_whitespace().next().expect("a name");
        assert!(rendez(&["explain", name]).starts_with(&format!("# {name}")), "{name}");
    }
    let kinds = ["circular-wait", "race", "dead-entry", "sequence"];
    assert!(kinds.iter().all(|k| list.contains(k)));
}

#[test]
fn traces_have_three_depths() {
    let story = rendez(&["check", "examples/philosophers.adb"]);
    let lanes = rendez(&["check", "--trace", "lanes", "examples/philosophers.adb"]);
    let full = rendez(&["check", "--trace", "full", "examples/philosophers.adb"]);
    let ending = "P0  waits for Forks(1).Pick_Up to be accepted (Forks(1) accepts only Put_Down)";
    for text in [&story, &lanes] {
        assert!(text.contains(ending), "{text}");
    }
    assert!(story.lines().count() < lanes.lines().count());
    assert!(lanes.contains("Forks(0)            Forks(1)"), "{lanes}");
    assert!(full.lines().filter(|l| l.contains("philosophers.adb:")).count() > 25, "{full}");
}

#[test]
fn all_engines_agree_when_they_are_asked_to() {
    let out = rendez(&["check", "--cross-check", "--timeout", "20", "examples/philosophers.adb"]);
    assert!(out.contains("circular-wait        violated"), "{out}");
    let out = rendez(&["check", "--cross-check", "--property", "corpus/atm.qre", "corpus/atm.adb"]);
    assert!(out.contains(" holds "), "{out}");
}

/// Traces may differ from run to run; what is said and decided may not.
#[test]
fn the_guide_to_properties_shows_what_is_printed() {
    let guide = std::fs::read_to_string(root().join("docs/properties.md")).expect("a file");
    let blocks: Vec<&str> = guide.split("\n$ rendez ").skip(1).collect();
    assert!(blocks.len() >= 5, "{} commands", blocks.len());
    for block in blocks {
        let (command, shown) = block.split_once('\n').expect("a command and what it prints");
        let shown = shown.split("\n```").next().unwrap_or("");
        let out = rendez(&command.split_whitespace().collect::<Vec<_>>());
        let said = ["error: ", " holds ", " violated ", " covers: "];
        for line in shown.lines().filter(|line| said.iter().any(|word| line.contains(word))) {
            assert!(out.lines().any(|printed| printed == line), "{command}: {line}\n{out}");
        }
    }
}

#[test]
fn links_in_the_documentation_lead_somewhere() {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .iter()
        .map(|f| root().join(f))
        .collect();
    for folder in ["docs", "docs/findings"] {
        let found = std::fs::read_dir(root().join(folder)).expect("a folder").flatten().map(|e| e.path());
        pages.extend(found.filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a file");
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a file");
        for link in text.split("](").skip(1).filter_map(|l| l.split(')').next()) {
            let target = link.split('#').next().unwrap_or("");
            if !target.is_empty() && !target.contains("://") {
                let path = page.with_file_name(target);
                assert!(path.exists(), "{}: {link}", page.display());
            }
        }
        let in_book = page.strip_prefix(root().join("docs")).ok().filter(|p| p.as_os_str() != "SUMMARY.md");
        if let Some(path) = in_book {
            assert!(
                summary.contains(&format!("({})", path.display())),
                "{} is not in the book",
                path.display()
            );
        }
    }
}
