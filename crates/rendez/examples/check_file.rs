//! Checks a file, a project or a folder and prints the report that `rendez check` prints.
//!
//! `cargo run -p rendez --example check_file -- examples/philosophers.adb`

use rendez::{Depth, Error, Preparation, Settings, Sources, Style};

fn main() -> Result<(), Error> {
    let Some(path) = std::env::args().nth(1) else {
        return Err(Error::Settings("name a source file, a project file or a folder".into()));
    };
    let loaded = rendez::load(&Sources::path(path))?;
    let prepared = rendez::prepare(loaded, &Preparation::default(), Vec::new())?;
    let outcome = rendez::check(&prepared, &Settings::default())?;
    let style = Style { colour: false, depth: Depth::Story, width: 100 };
    print!("{}", rendez::text(&prepared.report(&outcome), style));
    Ok(())
}
