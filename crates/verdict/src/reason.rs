//! Why a question is open: as data, so that whoever combines answers or advises users decides on no text.

use std::fmt::{Display, Formatter};

use crate::End;

/// What kind of thing leaves a question open: what may help depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obstacle {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit on states.
    States,
    /// A bound of the model on tasks or on calls within each other.
    Bound,
    /// Something that is not modelled.
    Unmodelled,
    /// Anything else.
    #[default]
    Other,
}

impl Obstacle {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Obstacle::Time => "time",
            Obstacle::Memory => "memory",
            Obstacle::States => "states",
            Obstacle::Bound => "bound",
            Obstacle::Unmodelled => "unmodelled",
            Obstacle::Other => "other",
        }
    }
}

/// What depends on a value that the model does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependent {
    /// A step of the trace.
    Trace,
    /// Whether the formula holds.
    Formula,
    /// Some step of the program.
    Program,
}

/// Why nothing is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was met, or somebody stopped the engine; after so many states, if it counts them.
    Ended {
        /// How it ended.
        end: End,
        /// The states that it had looked at.
        states: Option<usize>,
    },
    /// The search kept less than its states, so some may be missing.
    Lossy {
        /// How it ended.
        end: End,
        /// The states that it looked at.
        states: usize,
        /// What it kept of them.
        kept: &'static str,
        /// The probability that states were missed.
        missed: String,
    },
    /// Nobody asked for it.
    NotAsked,
    /// No engine came to an answer within the limits.
    NoAnswer,
    /// An error ended the run before this was decided, for which there was another reason.
    ErrorFirst(Box<Reason>),
    /// An execution meets a bound of the model.
    Bound {
        /// The bound, in words.
        bound: String,
        /// Where, if that is not said otherwise.
        place: Option<String>,
        /// It does; otherwise it may.
        certain: bool,
    },
    /// An execution reaches something that is not modelled.
    Unmodelled {
        /// What that is, if it is known.
        what: Option<String>,
        /// Where, if that is not said otherwise.
        place: Option<String>,
        /// It does; otherwise it may.
        certain: bool,
    },
    /// A value is not tracked.
    Untracked(Dependent),
    /// There is no trace that replays.
    NotReplayed,
    /// There is no trace that replays and shows the violation at its end.
    NotShown,
    /// That what the trace shows lasts for ever was not shown.
    NotShownToLast,
    /// Which executions are fair decides.
    Fairness,
    /// Only executions that block or go on for ever may break it, and the engine does not look at these.
    NeverEnding,
    /// The method of the engine leaves it open, for a reason in its words.
    Method(String),
}

impl Reason {
    /// What is in the way.
    pub fn obstacle(&self) -> Obstacle {
        match self {
            Reason::Ended { end, .. } | Reason::Lossy { end, .. } => end.obstacle(),
            Reason::ErrorFirst(why) => why.obstacle(),
            Reason::Bound { .. } => Obstacle::Bound,
            Reason::Unmodelled { .. } => Obstacle::Unmodelled,
            Reason::NotAsked
            | Reason::NoAnswer
            | Reason::Untracked(_)
            | Reason::NotReplayed
            | Reason::NotShown
            | Reason::NotShownToLast
            | Reason::Fairness
            | Reason::NeverEnding
            | Reason::Method(_) => Obstacle::Other,
        }
    }

    /// Whether its text says itself what may help.
    pub fn advises(&self) -> bool {
        matches!(self, Reason::ErrorFirst(_))
    }

    /// An execution meets a bound.
    pub fn meets(bound: impl Into<String>) -> Reason {
        Reason::Bound { bound: bound.into(), place: None, certain: true }
    }

    /// An execution may meet a bound.
    pub fn may_meet(bound: impl Into<String>, place: Option<String>) -> Reason {
        Reason::Bound { bound: bound.into(), place, certain: false }
    }

    /// An execution reaches something that is not modelled.
    pub fn unmodelled(what: Option<String>) -> Reason {
        Reason::Unmodelled { what, place: None, certain: true }
    }

    /// An execution may reach something that is not modelled.
    pub fn may_be_unmodelled(place: Option<String>) -> Reason {
        Reason::Unmodelled { what: None, place, certain: false }
    }

    /// What the method of an engine leaves open.
    pub fn method(text: impl Into<String>) -> Reason {
        Reason::Method(text.into())
    }
}

fn ended(end: End, states: Option<usize>, f: &mut Formatter) -> std::fmt::Result {
    let Some(states) = states else { return f.write_str(end.cause()) };
    match end {
        End::Complete => Ok(()),
        End::States => write!(f, "the limit on states was reached after {states}"),
        End::Time | End::Memory | End::Interrupted | End::Found => {
            write!(f, "{} after {states} states", end.cause())
        }
        End::Hashed => write!(f, "states may have been missed among {states}"),
    }
}

fn at(place: Option<&String>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        match self {
            Reason::Ended { end, states } => ended(*end, *states, f),
            Reason::Lossy { end, states, kept, missed } => {
                match end {
                    End::Complete => write!(f, "{states} states were searched, but ")?,
                    end => {
                        ended(*end, Some(*states), f)?;
                        f.write_str(", and ")?;
                    }
                }
                write!(f, "only {kept} were kept; the probability that states were missed is about {missed}")
            }
            Reason::NotAsked => f.write_str("it was not asked for"),
            Reason::NoAnswer => f.write_str("no engine came to an answer within the limits"),
            Reason::ErrorFirst(why) => write!(
                f,
                "an error was found before this was decided; --timeout gives it more time ({why})"
            ),
            Reason::Bound { bound, place, certain } => {
                let meets = if *certain { "meets" } else { "may meet" };
                write!(f, "an execution {meets} a bound: {bound}{}", at(place.as_ref()))
            }
            Reason::Unmodelled { what, place, certain } => {
                let reaches = if *certain { "reaches" } else { "may reach" };
                let what = what.as_ref().map_or_else(String::new, |what| format!(": {what}"));
                let place = at(place.as_ref());
                write!(f, "an execution {reaches} something that is not modelled{what}{place}")
            }
            Reason::Untracked(Dependent::Trace) => {
                f.write_str("the trace depends on a value that the model does not follow")
            }
            Reason::Untracked(Dependent::Formula) => {
                f.write_str("whether it holds depends on a value that the model does not follow")
            }
            Reason::Untracked(Dependent::Program) => {
                f.write_str("it may depend on something that the model does not follow")
            }
            Reason::NotReplayed => f.write_str("the trace does not replay"),
            Reason::NotShown => f.write_str("the trace does not replay, or does not show the violation"),
            Reason::NotShownToLast => {
                f.write_str("what is said to last for ever was not shown to: too many states may follow")
            }
            Reason::Fairness => f.write_str("it depends on what is fair"),
            Reason::NeverEnding => f.write_str(
                "no step and no end breaks it; whether it is kept by executions that block or go on for ever only \
                 --engine reach and explore decide",
            ),
            Reason::Method(text) => f.write_str(text),
        }
    }
}
