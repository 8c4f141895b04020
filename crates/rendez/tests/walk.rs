//! The walk of a check in ARCHITECTURE.md names functions that are there, in the files that it says.

use std::path::Path;

/// The words between single backquotes, in order.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_walk_of_a_check_names_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the map");
    let (_, walk) = text.split_once("## The walk of a check").expect("the section");
    let walk = walk.split("\n## ").next().unwrap_or(walk);
    let steps: Vec<&str> = walk.split("\n1").collect();
    assert!(steps.len() > 3, "a numbered list");
    let mut checked = 0;
    // A function stands before the file that holds it; several may share one.
    let words = quoted(walk);
    let mut waiting: Vec<&str> = Vec::new();
    for word in words {
        if let Some(path) = word.strip_prefix("crates/").filter(|p| p.ends_with(".rs")) {
            let file = root.join("crates").join(path);
            let code = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{word}: {e}"));
            // The nearest name belongs to the file for certain.
            let name = waiting.pop().expect("a function before its file");
            assert!(
                code.contains(&format!("fn {name}(")) || code.contains(&format!("fn {name}<")),
                "{word} has no function {name}"
            );
            checked += 1;
            waiting.clear();
        } else if word.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            waiting.push(word);
        }
    }
    assert!(checked >= 12, "{checked} functions were looked for");
}
