//! Compiling instrumented programs with GNAT and running them.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::accept::{End, Entry};

const LOG_SPEC: &str = include_str!("../ada/rendez_log.ads");
const LOG_BODY: &str = include_str!("../ada/rendez_log.adb");

/// Several programs in one executable.
pub struct Compiled {
    executable: PathBuf,
    input: PathBuf,
}

/// Writes the programs and a driver that runs one of them, and compiles everything.
pub fn compile(folder: &Path, programs: &[(String, String)]) -> Result<Compiled, String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write("rendez_log.ads", LOG_SPEC)?;
    write("rendez_log.adb", LOG_BODY)?;
    let mut driver = String::from("with Ada.Environment_Variables;\n");
    let mut cases = String::new();
    for (i, (name, text)) in programs.iter().enumerate() {
        write(&format!("{}.adb", name.to_lowercase()), text)?;
        driver.push_str(&format!("with {name};\n"));
        cases.push_str(&format!("      when {i} => {name};\n"));
    }
    driver.push_str("procedure Rendez_Drive is\nbegin\n");
    driver.push_str("   case Integer'Value (Ada.Environment_Variables.Value (\"RENDEZ_PROGRAM\")) is\n");
    driver.push_str(&cases);
    driver.push_str("      when others => null;\n   end case;\nend Rendez_Drive;\n");
    write("rendez_drive.adb", &driver)?;
    let output = Command::new("gnatmake")
        .current_dir(folder)
        .args(["-q", "-j2", "-gnat2020", "-gnatws", "-O0", "rendez_drive.adb"])
        .output()
        .map_err(|e| format!("gnatmake cannot be run: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    // Whoever reads input gets as many ones as they like.
    write("input", &"1\n".repeat(10_000))?;
    Ok(Compiled { executable: folder.join("rendez_drive"), input: folder.join("input") })
}

/// Events of one run at most.
const MOST: usize = 250;

impl Compiled {
    /// Runs a program once; `silence` without events means that it is blocked.
    pub fn run(&self, program: usize, seed: u64, silence: Duration) -> Result<(Vec<Entry>, End), String> {
        let mut child = Command::new(&self.executable)
            .env("RENDEZ_PROGRAM", program.to_string())
            .env("RENDEZ_SEED", seed.to_string())
            .stdin(std::fs::File::open(&self.input).map_err(|e| e.to_string())?)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let Some(stderr) = child.stderr.take() else { return Err("no log".into()) };
        let (send, receive) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in std::io::BufReader::new(stderr).lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut log = Vec::new();
        let end = loop {
            match receive.recv_timeout(silence) {
                Ok(line) => {
                    let mut words = line.split_whitespace();
                    if words.next() != Some("@@") {
                        continue;
                    }
                    if let (Some(who), Some(label)) = (words.next(), words.next()) {
                        let who = (who != "-").then(|| who.to_owned());
                        log.push(Entry { who, label: label.to_owned() });
                    }
                    if log.len() >= MOST {
                        break End::Running;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => break End::Blocked,
                Err(mpsc::RecvTimeoutError::Disconnected) => break End::Ended,
            }
        };
        if end != End::Ended {
            let _ = child.kill();
        }
        let _ = child.wait();
        drop(receive);
        let _ = reader.join();
        Ok((log, end))
    }
}
