//! Checks a rule of one's own: a file must not be read after it was closed.
//!
//! `cargo run -p rendez --example own_property`

use rendez::{Error, Preparation, RuleFile, Settings, Verdict};

const PROGRAM: &str = "
procedure Main is
   task File is
      entry Open;
      entry Read;
      entry Close;
   end File;
   task body File is
   begin
      accept Open;
      loop
         select
            accept Read;
         or
            accept Close;
         or
            terminate;
         end select;
      end loop;
   end File;
   task Reader;
   task body Reader is
   begin
      File.Read;
   end Reader;
begin
   File.Open;
   File.Close;
end Main;
";

const RULE: &str = "
event read = accept File.Read;
event close = accept File.Close;
no_read_after_close: pattern: absence; read; scope: after close;
";

fn main() -> Result<(), Error> {
    let mut loaded = rendez::load_text(PROGRAM)?;
    let rule = RuleFile::from_text("rule.qre", RULE, &mut loaded.map);
    let prepared = rendez::prepare(loaded, &Preparation::default(), vec![rule])?;
    let outcome = rendez::check(&prepared, &Settings::default())?;
    for property in &outcome.properties {
        match &property.answer {
            Verdict::Holds => println!("{} holds", property.name),
            Verdict::Violated(findings) => println!("{}: {}", property.name, findings[0].message),
            Verdict::Inconclusive(why, _) => println!("{} is open: {why}", property.name),
        }
    }
    Ok(())
}
