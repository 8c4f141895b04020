//! The ways to ask the same question: engines, and reductions singly on and off.

/// What is asked about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Rules about event sequences that an automaton follows.
    Regular,
    /// Queries that count, or that are about a loop.
    Counting,
    /// Temporal formulas.
    Temporal,
    /// The default checks.
    Checks,
}

/// A way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub options: &'static str,
    /// With the bindings of the rules the other way round.
    pub turned: bool,
}

impl Way {
    /// Takes as long as many others.
    pub fn is_dear(self) -> bool {
        self == CROSS_CHECK
    }
}

const fn way(options: &'static str) -> Way {
    Way { options, turned: false }
}

/// The reference, and what it says when every step is interleaved, and the program left as it is.
const EXPLORE: [Way; 3] = [
    way("--engine explore"),
    way("--engine explore --no-merge"),
    way("--engine explore --no-merge --without constants,slicing,locks"),
];

const REACH: [Way; 11] = [
    way("--engine reach"),
    way("--engine reach --no-stubborn"),
    way("--engine reach --no-symmetry"),
    way("--engine reach --no-merge"),
    way("--engine reach --threads 2"),
    way("--engine reach --without constants"),
    way("--engine reach --without slicing"),
    way("--engine reach --without locks"),
    way("--engine reach --without meeting"),
    way("--engine reach --without forgetting"),
    way(
        "--engine reach --no-stubborn --no-symmetry --no-merge --without constants,slicing,locks,meeting,forgetting",
    ),
];

const FLOW: [Way; 3] =
    [way("--engine flow"), way("--engine flow --no-stubborn"), way("--engine flow --no-symmetry")];

const ILP: Way = way("--engine ilp");
/// The folder is [`crate::run::PROOFS`].
const CERTIFIED: Way = way("--engine ilp --certificate proofs");
const DIRECTED: Way = way("--engine directed");
const CROSS_CHECK: Way = way("--cross-check");
const TOGETHER: [Way; 3] = [way("--threads 1"), way("--threads 2"), CROSS_CHECK];

const TURNED: [Way; 2] =
    [Way { options: "--engine explore", turned: true }, Way { options: "--threads 1", turned: true }];

/// All ways to ask something, the reference first. Where it is said what is fair, only those who look at executions
/// without end are asked.
pub fn ways(question: Question, fair: bool) -> Vec<Way> {
    match question {
        Question::Regular if fair => [&EXPLORE[..], &REACH, &TOGETHER, &TURNED].concat(),
        Question::Regular => {
            [&EXPLORE[..], &REACH, &FLOW, &[ILP, CERTIFIED, DIRECTED], &TOGETHER, &TURNED].concat()
        }
        Question::Counting => [&[ILP, CERTIFIED][..], &TOGETHER, &TURNED[1..]].concat(),
        // The reference explorer leaves formulas to `reach`.
        Question::Temporal if fair => [&REACH[..], &TOGETHER].concat(),
        Question::Temporal => [&REACH[..], &[DIRECTED], &TOGETHER].concat(),
        Question::Checks => [&EXPLORE[..], &REACH, &[ILP, DIRECTED], &TOGETHER].concat(),
    }
}
