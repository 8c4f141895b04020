//! What it means that a default check holds, in words that are true whatever else was found.
//!
//! A check that holds promises something about every execution. But checks overlap: a task in a circular wait is
//! blocked as well, and a check on clients that "holds" beside a circle must not promise that nobody waits for ever. So
//! each promise names the checks that were violated or left open, as exceptions: "..., circular-wait aside". Where
//! nothing could be violated (no assertion, no entry, an environment that may stop calling at any time), it says so
//! instead of promising anything.
//!
//! Earlier, "no task waits for ever in an entry call" was printed below tasks that do, in a circle.

use rendez_model::{Action, Program};

use crate::finding::Kind;
use crate::verdict::{Outcome, Verdict};

impl Outcome {
    /// What is promised where a check holds. What another check found, or left open, is excepted.
    pub fn promise(&self, kind: Kind, program: &Program) -> String {
        let holds = |k: Kind| self.answers.iter().any(|(of, a)| *of == k && matches!(a, Verdict::Holds));
        let besides = |others: &[Kind]| -> String {
            let open: Vec<&str> = others.iter().filter(|k| !holds(**k)).map(|k| k.name()).collect();
            if open.is_empty() { String::new() } else { format!(", {} aside", open.join(" and ")) }
        };
        let asserts = || program.nodes.iter().any(|n| matches!(n.action, Action::Assert { .. }));
        let rest = match kind {
            Kind::CircularWait => besides(&[Kind::ServerIdle]),
            Kind::ServerIdle if program.open => {
                return "the environment may stop calling at any time: no server counts as idle".into();
            }
            // A call that is requeued in circles is a spin.
            Kind::ClientBlocked
                if program.nodes.iter().any(|n| matches!(n.action, Action::Requeue { .. })) =>
            {
                besides(&[Kind::CircularWait, Kind::Spin])
            }
            Kind::ClientBlocked | Kind::ServerIdle => besides(&[Kind::CircularWait]),
            Kind::UnhandledException => besides(&[Kind::TaskingError, Kind::ProgramError]),
            Kind::Assertion if !asserts() => return "there is no assertion that could fail".into(),
            Kind::DeadEntry if program.entries.is_empty() => return "there is no entry".into(),
            Kind::DeadEntry if program.branches_on_untracked() => {
                ", if values that are not followed allow it".into()
            }
            _ => String::new(),
        };
        format!("{}{rest}", kind.promise())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    /// The promise of a check, where some others do not hold.
    fn promise(kind: Kind, not: &[Kind], program: &Program) -> String {
        let answer = |k: &Kind| match not.contains(k) {
            true if *k == Kind::TaskingError => Verdict::Inconclusive(Reason::NotAsked, Vec::new()),
            true => Verdict::Violated(Vec::new()),
            false => Verdict::Holds,
        };
        let answers = Kind::ALL.iter().map(|k| (*k, answer(k))).collect();
        Outcome { answers, ..Outcome::nothing(crate::EngineId::Explore) }.promise(kind, program)
    }

    #[test]
    fn promises_except_what_was_found_or_left_open() {
        use Kind::*;
        let program = rendez_ada::read_text(
            "procedure P is
                task T is entry E; end T;
                task body T is begin accept E; end T;
                X : Integer := 0;
             begin
                T.E;
                X := X + 1;
                pragma Assert (X > 0);
             end P;",
        );
        let program = program.program.expect("a program");
        for (kind, not, expected) in [
            (CircularWait, &[][..], "no tasks wait for each other in a circle"),
            (CircularWait, &[ServerIdle], "no tasks wait for each other in a circle, server-idle aside"),
            (ClientBlocked, &[], "no task waits for ever in an entry call"),
            (ClientBlocked, &[ServerIdle, Spin], "no task waits for ever in an entry call"),
            (ClientBlocked, &[CircularWait], "no task waits for ever in an entry call, circular-wait aside"),
            (ServerIdle, &[ClientBlocked], "no server without terminate waits for calls that never come"),
            (
                ServerIdle,
                &[CircularWait],
                "no server without terminate waits for calls that never come, circular-wait aside",
            ),
            (Spin, &[CircularWait], "no task waits busily for what nobody will change"),
            (UnhandledException, &[Assertion], "no task dies of an exception"),
            (UnhandledException, &[TaskingError], "no task dies of an exception, tasking-error aside"),
            (
                UnhandledException,
                &[TaskingError, ProgramError],
                "no task dies of an exception, tasking-error and program-error aside",
            ),
            (Assertion, &[], "every assertion holds"),
            (DeadEntry, &[], "every entry is called and served in some execution"),
        ] {
            assert_eq!(promise(kind, not, &program), expected, "{kind:?} {not:?}");
        }
        let empty = Program::default();
        assert_eq!(promise(Assertion, &[], &empty), "there is no assertion that could fail");
        assert_eq!(promise(DeadEntry, &[], &empty), "there is no entry");
        let source = "with Ada.Calendar;
             procedure P is
                task T is entry E; end T;
                task body T is begin accept E; end T;
             begin
                if Ada.Calendar.Seconds (Ada.Calendar.Clock) < 0.0 then T.E; end if;
             end P;";
        let unknown = rendez_ada::read_text(source).program.expect("a program");
        assert!(promise(DeadEntry, &[], &unknown).ends_with(", if values that are not followed allow it"));
        let open = Program { open: true, ..Program::default() };
        assert!(promise(ServerIdle, &[], &open).starts_with("the environment may stop"));
    }
}
