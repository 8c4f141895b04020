//! Random programs: passes and the merging of local steps must not change a verdict.
//!
//! A generator writes small Ada programs with tasks, entries, selects, protected objects, shared
//! variables and exceptions. Each is explored three ways: as the front end wrote it, with every
//! step interleaved; the same with local steps merged; and after all passes. The violated checks
//! must be the same. RENDEZ_SEED and RENDEZ_PROGRAMS choose others and more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rendez_explore::{Answer, Control, End, Kind, Options, check};
use rendez_model::Program;

struct One(String);

impl rendez_ada::Files for One {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Writes a random program: two or three tasks, one protected object, two shared variables.
struct Writer {
    random: Random,
    text: String,
    indent: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("   ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn program(seed: u64) -> String {
        let mut w = Writer {
            random: Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1),
            text: String::new(),
            indent: 0,
        };
        let tasks = 2 + w.random.below(2);
        w.line("procedure Main is");
        w.indent = 1;
        w.line("X : Integer range 0 .. 2 := 0;");
        w.line("Flag : Boolean := False;");
        w.line("protected P is");
        w.line("   entry Wait;");
        w.line("   procedure Set (N : Integer);");
        w.line("   function Get return Integer;");
        w.line("private");
        w.line("   Count : Integer range 0 .. 2 := 0;");
        w.line("end P;");
        w.line("protected body P is");
        let barrier = ["Count > 0", "Count = 2", "Wait'Count > 1", "True"][w.random.below(4) as usize];
        w.line(&format!("   entry Wait when {barrier} is"));
        w.line("   begin");
        w.line("      if Count > 0 then Count := Count - 1; end if;");
        w.line("   end Wait;");
        w.line("   procedure Set (N : Integer) is");
        w.line("   begin");
        w.line("      Count := N;");
        w.line("   end Set;");
        w.line("   function Get return Integer is");
        w.line("   begin");
        w.line("      return Count;");
        w.line("   end Get;");
        w.line("end P;");
        for t in 1..=tasks {
            w.line(&format!("task T{t} is entry A; entry B (N : in out Integer); end T{t};"));
        }
        for t in 1..=tasks {
            w.line(&format!("task body T{t} is"));
            w.line("   L : Integer := 1;");
            w.line("begin");
            w.indent = 2;
            let count = 1 + w.random.below(3);
            for _ in 0..count {
                w.statement(t, tasks, 0);
            }
            w.indent = 1;
            if w.random.chance(25) {
                w.line("exception");
                let which = ["others", "Tasking_Error", "Constraint_Error | Program_Error"];
                let which = which[w.random.below(3) as usize];
                w.line(&format!("   when {which} => X := 0;"));
            }
            w.line(&format!("end T{t};"));
        }
        w.line("L : Integer := 0;");
        w.text.push_str("begin\n");
        let count = w.random.below(3);
        for _ in 0..count {
            w.statement(0, tasks, 0);
        }
        w.line("null;");
        w.text.push_str("end Main;\n");
        w.text
    }

    /// A statement of task `me`; 0 is the main program, which has no entries.
    fn statement(&mut self, me: u64, tasks: u64, depth: usize) {
        let other = 1 + self.random.below(tasks);
        let (pick, condition) = (self.pick(), self.condition());
        let rounds = 1 + self.random.below(2);
        match self.random.below(if depth < 2 { 17 } else { 10 }) {
            0 => self.line(&format!("T{other}.A;")),
            1 => self.line(&format!("T{other}.B (L);")),
            2 if me > 0 => self.line("accept A;"),
            3 if me > 0 => {
                self.line("accept B (N : in out Integer) do");
                self.line(&format!("   N := (N + {pick}) mod 3;"));
                if self.random.chance(15) {
                    self.line("   raise Program_Error;");
                }
                self.line("end B;");
            }
            4 => self.line("P.Wait;"),
            5 => self.line(&format!("P.Set ({pick});")),
            6 => self.line("L := P.Get;"),
            7 => self.line("X := (X + 1) mod 3;"),
            8 => self.line(&format!("Flag := {condition};")),
            9 => self.line(&format!("pragma Assert ({condition});")),
            10 => {
                self.line(&format!("if {condition} then"));
                self.nested(me, tasks, depth);
                self.line("end if;");
            }
            11 => {
                self.line(&format!("for I in 1 .. {rounds} loop"));
                self.nested(me, tasks, depth);
                self.line("end loop;");
            }
            12 if me > 0 => {
                self.line("select");
                if self.random.chance(40) {
                    self.line(&format!("   when {condition} => accept A;"));
                } else {
                    self.line("   accept A;");
                }
                self.line("or");
                self.line("   accept B (N : in out Integer);");
                match self.random.below(4) {
                    0 => self.line("or terminate;"),
                    1 => self.line("or delay 1.0;"),
                    2 => {
                        self.line("else");
                        self.nested(me, tasks, depth);
                    }
                    _ => {}
                }
                self.line("end select;");
            }
            13 => {
                let call = ["T1.A;", "P.Wait;"][self.random.below(2) as usize];
                self.line("select");
                self.line(&format!("   {call}"));
                self.line(if rounds == 1 { "else" } else { "or delay 1.0;" });
                self.nested(me, tasks, depth);
                self.line("end select;");
            }
            14 => {
                self.line("begin");
                self.nested(me, tasks, depth);
                self.line("exception");
                self.line("   when others => null;");
                self.line("end;");
            }
            15 if rounds == 1 => self.line(&format!("abort T{other};")),
            16 => {
                self.line("declare");
                self.line("   task Inner;");
                self.line("   task body Inner is begin X := 1; end Inner;");
                self.line("begin");
                self.nested(me, tasks, depth);
                self.line("end;");
            }
            _ => self.line("X := X + 1;"),
        }
    }

    fn nested(&mut self, me: u64, tasks: u64, depth: usize) {
        self.indent += 1;
        self.statement(me, tasks, depth + 1);
        self.indent -= 1;
    }

    fn pick(&mut self) -> u64 {
        self.random.below(3)
    }

    fn condition(&mut self) -> String {
        match self.random.below(5) {
            0 => "Flag".into(),
            1 => format!("X = {}", self.pick()),
            2 => format!("L < {}", 1 + self.pick()),
            3 => "not Flag and X > 0".into(),
            _ => "P.Get = 0 or else L = 1".into(),
        }
    }
}

/// The violated checks; None if the state space is too large.
fn verdicts(program: &Program, merge_local: bool) -> Option<BTreeSet<Kind>> {
    let options = Options { max_states: 30_000, merge_local, ..Options::default() };
    let outcome = check(program, &options, &Control::default());
    assert!(outcome.contradictions.is_empty(), "{:?}", outcome.contradictions);
    assert!(outcome.reached.is_empty(), "{:?}", outcome.reached);
    if outcome.end != End::Complete {
        return None;
    }
    Some(outcome.answers.iter().filter(|(_, a)| !matches!(a, Answer::Holds)).map(|(k, _)| *k).collect())
}

fn explored_three_ways(source: &str) -> Option<Result<(), String>> {
    let request = rendez_ada::Request { sources: vec!["main.adb".into()], ..Default::default() };
    let front = rendez_ada::read(&request, &One(source.to_owned()));
    let Some(program) = front.program else {
        return Some(Err(format!("{:?}", front.diagnostics)));
    };
    let printed = rendez_model::text::print(&program);
    match rendez_model::text::parse(&printed) {
        Ok(parsed) if parsed == program => {}
        other => return Some(Err(format!("the text form does not come back: {other:?}"))),
    }
    let plain = verdicts(&program, false)?;
    let merged = verdicts(&program, true)?;
    let mut passed = program.clone();
    rendez_model::passes::propagate_constants(&mut passed);
    rendez_model::passes::slice(&mut passed, &[]);
    let broken = rendez_model::validate(&passed);
    if !broken.is_empty() {
        return Some(Err(format!("the passes break the model: {broken:?}")));
    }
    let sliced = verdicts(&passed, true)?;
    let mut flat = program.clone();
    rendez_model::passes::inline(&mut flat, 4);
    let inlined = verdicts(&flat, true)?;
    if plain == merged && merged == sliced && sliced == inlined {
        return Some(Ok(()));
    }
    Some(Err(format!("plain {plain:?}\nmerged {merged:?}\nsliced {sliced:?}\ninlined {inlined:?}")))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn passes_and_merging_keep_the_verdicts_of_random_programs() {
    let first = number("RENDEZ_SEED", 1);
    let count = number("RENDEZ_PROGRAMS", 400);
    let next = std::sync::atomic::AtomicU64::new(first);
    let decided = std::sync::atomic::AtomicU64::new(0);
    let failure = std::sync::Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, || {
                    loop {
                        let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if seed >= first + count || failure.lock().expect("no panic").is_some() {
                            return;
                        }
                        let source = Writer::program(seed);
                        match explored_three_ways(&source) {
                            Some(Ok(())) => {
                                decided.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            }
                            None => {}
                            Some(Err(why)) => {
                                *failure.lock().expect("no panic") =
                                    Some(format!("seed {seed}: {why}\n{source}"));
                            }
                        }
                    }
                })
                .expect("a thread");
        }
    });
    if let Some(failure) = failure.into_inner().expect("no panic") {
        panic!("{failure}");
    }
    let decided = decided.into_inner();
    assert!(decided * 2 > count, "only {decided} of {count} programs were small enough");
}
