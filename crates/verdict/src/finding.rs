//! What the default checks look for, and what they found.

use rendez_model::TaskId;
use rendez_source::Span;

use crate::blocking::Waiting;
use crate::trace::Trace;

/// The default checks, in the order of their reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    CircularWait,
    ClientBlocked,
    ServerIdle,
    Spin,
    TaskingError,
    ProgramError,
    UnhandledException,
    Race,
    Assertion,
    DeadEntry,
    /// A temporal formula: no default check.
    Ctl,
    /// A property of event sequences: no default check.
    Sequence,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::CircularWait,
        Kind::ClientBlocked,
        Kind::ServerIdle,
        Kind::Spin,
        Kind::TaskingError,
        Kind::ProgramError,
        Kind::UnhandledException,
        Kind::Race,
        Kind::Assertion,
        Kind::DeadEntry,
    ];

    /// The stable name of the check.
    pub fn name(self) -> &'static str {
        match self {
            Kind::CircularWait => "circular-wait",
            Kind::ClientBlocked => "client-blocked",
            Kind::ServerIdle => "server-idle",
            Kind::Spin => "spin",
            Kind::TaskingError => "tasking-error",
            Kind::ProgramError => "program-error",
            Kind::UnhandledException => "unhandled-exception",
            Kind::Race => "race",
            Kind::Assertion => "assertion",
            Kind::DeadEntry => "dead-entry",
            Kind::Ctl => "ctl",
            Kind::Sequence => "sequence",
        }
    }

    /// What is expected of a program; `Outcome::promise` says what is known of one.
    pub fn promise(self) -> &'static str {
        match self {
            Kind::CircularWait => "no tasks wait for each other in a circle",
            Kind::ClientBlocked => "no task waits for ever in an entry call",
            Kind::ServerIdle => "no server without terminate waits for calls that never come",
            Kind::Spin => "no task waits busily for what nobody will change",
            Kind::TaskingError => "no call or activation raises Tasking_Error",
            Kind::ProgramError => "no select, barrier or ceiling raises Program_Error",
            Kind::UnhandledException => "no task dies of an exception",
            Kind::Race => "no variable is accessed by two tasks at once, one writing",
            Kind::Assertion => "every assertion holds",
            Kind::DeadEntry => "every entry is called and served in some execution",
            Kind::Ctl => "the formula holds",
            Kind::Sequence => "the property holds",
        }
    }

    pub fn severity(self) -> Severity {
        match self {
            Kind::ServerIdle | Kind::DeadEntry => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

pub use rendez_source::Severity;

/// One finding: a kind of problem, where, and how to get there.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: Kind,
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// The tasks that it is about.
    pub tasks: Vec<TaskId>,
    /// Other tasks to which the same was seen to happen at the same place.
    pub alike: Vec<Vec<TaskId>>,
    /// What stands beside the source line.
    pub label: String,
    /// Another place that takes part, such as the second access of a race.
    pub other: Option<(Span, String)>,
    pub trace: Option<Trace>,
    /// Who waits for whom at the end of the trace.
    pub waiting: Vec<Waiting>,
    /// The trace needs a branch on a value that the model does not know.
    pub guessed: bool,
    /// That it lasts for ever was not shown: too much can follow the trace.
    pub unshown: bool,
}

impl Finding {
    /// With nothing but what every finding has.
    pub(crate) fn new(kind: Kind, severity: Severity, message: String, span: Span) -> Finding {
        Finding {
            kind,
            severity,
            message,
            span,
            tasks: Vec::new(),
            alike: Vec::new(),
            label: String::new(),
            other: None,
            trace: None,
            waiting: Vec::new(),
            guessed: false,
            unshown: false,
        }
    }

    pub fn is_certain(&self) -> bool {
        !self.guessed && !self.unshown
    }
}
