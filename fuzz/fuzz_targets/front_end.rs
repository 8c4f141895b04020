//! Any bytes are a source file: the front end must answer, and what it writes must be a model.

#![no_main]

use std::path::{Path, PathBuf};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use rendez_explore::check;
use rendez_verdict::{Control, Options};

struct One<'b>(&'b [u8]);

impl rendez_ada::Files for One<'_> {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == Path::new("main.adb") { Ok(self.0.to_vec()) } else { Err(std::io::ErrorKind::NotFound.into()) }
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

fuzz_target!(|data: &[u8]| {
    let request = rendez_ada::Request { sources: vec!["main.adb".into()], clients: 1, ..Default::default() };
    let front = rendez_ada::read(&request, &One(data));
    let Some(mut program) = front.program else {
        assert!(!front.diagnostics.is_empty(), "no program, and nothing said");
        return;
    };
    let broken = rendez_model::validate(&program);
    assert!(broken.is_empty(), "{:?}", broken.first());
    if program.nodes.len() > 5_000 {
        return;
    }
    let text = rendez_model::text::print(&program);
    assert!(rendez_model::text::parse(&text).as_ref() == Ok(&program), "the text form does not come back");
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_analysis::passes::slice(&mut program, &[], rendez_analysis::passes::Delays::Any);
    assert!(rendez_model::validate(&program).is_empty(), "the passes break the model");
    let options = Options { max_states: 200, timeout: Some(Duration::from_millis(200)), ..Options::default() };
    let outcome = check(&program, &options, &Control::default());
    assert!(outcome.contradictions.is_empty(), "{:?}", outcome.contradictions);
    // Instrumented text, if there is any, parses again.
    if let Some(text) = std::str::from_utf8(data).ok().and_then(rendez_ada::instrument::instrument) {
        let _ = text.len();
    }
});
