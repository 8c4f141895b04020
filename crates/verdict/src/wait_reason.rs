//! Why a task waits, as data. The text is made where it is printed, and nothing is decided on it.

use std::fmt;

/// Why a task waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitReason {
    pub cause: WaitCause,
    /// The triggering calls that are queued as well: serving one of them ends the wait, too.
    pub triggers: Vec<String>,
}

/// What a task waits for. All names are as the program's text has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// A task accepts its call. That task may be doing something else.
    Acceptance { entry: String, meanwhile: Option<(String, Doing)> },
    /// The barrier of a protected entry opens. Variables that it reads, with their values.
    Barrier { entry: String, values: Vec<(String, String)> },
    /// The rendezvous ends in which another task serves it.
    Rendezvous { acceptor: String, entry: Option<String> },
    /// Somebody calls one of its open entries.
    Call { entries: Vec<String>, or_terminate: bool },
    /// The tasks that it has created are activated.
    Activation,
    /// Its dependents end.
    Dependents(Vec<String>),
    /// A protected object is free.
    Lock { object: String },
    /// It has not called yet: the object is locked, or the task not ready.
    BeforeCall { entry: String },
    /// The triggering call of its asynchronous select ends.
    TriggeringCall,
}

/// What a task does that does not accept a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It waits in a queue itself.
    Queued { entry: String },
    /// It accepts calls of other entries.
    Accepts { entries: Vec<String> },
}

impl WaitReason {
    /// Whether the reason names a task, or something that is declared in it.
    pub fn names(&self, task: &str) -> bool {
        let is_within = |name: &&str| {
            let next = name.strip_prefix(task).map(|rest| rest.chars().next());
            next.is_some_and(|next| !next.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '('))
        };
        self.all_names().iter().any(|name| is_within(&name.as_str()))
    }

    /// The names of parts of the program that the reason has.
    fn all_names(&self) -> Vec<&String> {
        let mut all: Vec<&String> = match &self.cause {
            WaitCause::Acceptance { entry, meanwhile } => {
                let doing = meanwhile.iter().flat_map(|(owner, doing)| match doing {
                    Doing::Queued { entry } => vec![owner, entry],
                    Doing::Accepts { entries } => std::iter::once(owner).chain(entries).collect(),
                });
                std::iter::once(entry).chain(doing).collect()
            }
            WaitCause::Barrier { entry, values } => {
                std::iter::once(entry).chain(values.iter().map(|(cell, _)| cell)).collect()
            }
            WaitCause::Rendezvous { acceptor, entry } => std::iter::once(acceptor).chain(entry).collect(),
            WaitCause::Call { entries, .. } => entries.iter().collect(),
            WaitCause::Dependents(tasks) => tasks.iter().collect(),
            WaitCause::Lock { object } => vec![object],
            WaitCause::BeforeCall { entry } => vec![entry],
            WaitCause::Activation | WaitCause::TriggeringCall => Vec::new(),
        };
        all.extend(&self.triggers);
        all
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        self.triggers
            .iter()
            .try_for_each(|entry| write!(f, ", or for its triggering call of {entry} to be served"))
    }
}

impl fmt::Display for WaitCause {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            WaitCause::Acceptance { entry, meanwhile } => {
                write!(f, "waits for {entry} to be accepted")?;
                meanwhile.iter().try_for_each(|(owner, doing)| write!(f, " ({owner} {doing})"))
            }
            WaitCause::Barrier { entry, values } => {
                write!(f, "waits for the barrier of {entry} to open")?;
                let values: Vec<String> =
                    values.iter().map(|(cell, value)| format!("{cell} = {value}")).collect();
                if values.is_empty() { Ok(()) } else { write!(f, " ({})", values.join(", ")) }
            }
            WaitCause::Rendezvous { acceptor, entry } => {
                write!(f, "waits for {acceptor} to end the rendezvous")?;
                entry.iter().try_for_each(|entry| write!(f, " of {entry}"))
            }
            WaitCause::Call { entries, or_terminate } => {
                let terminate = if *or_terminate { " or to terminate" } else { "" };
                write!(f, "waits for a call of {}{terminate}", entries.join(" or "))
            }
            WaitCause::Activation => f.write_str("waits for the activation of its tasks"),
            WaitCause::Dependents(tasks) => write!(f, "waits for the end of {}", tasks.join(", ")),
            WaitCause::Lock { object } => write!(f, "waits for protected object {object}"),
            WaitCause::BeforeCall { entry } => write!(f, "is about to call {entry}"),
            WaitCause::TriggeringCall => f.write_str("waits for the end of the triggering call"),
        }
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Doing::Queued { entry } => write!(f, "is itself waiting in {entry}"),
            Doing::Accepts { entries } => write!(f, "accepts only {}", entries.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_with_what_is_declared_in_it() {
        let call = |entry: &str| WaitReason {
            cause: WaitCause::Acceptance { entry: entry.into(), meanwhile: None },
            triggers: vec!["Clock.Tick".into()],
        };
        for (entry, task, is_named) in [
            ("Server.Put", "Server", true),
            ("Server.Put", "Serv", false),
            ("Server.Put", "Put", false),
            ("Server(1).Put", "Server", false),
            ("Server(1).Put", "Server(1)", true),
            ("Outer.Inner.Put", "Outer", true),
            ("Server.Put", "Clock", true),
        ] {
            assert_eq!(call(entry).names(task), is_named, "{task} in {entry}");
        }
    }
}
