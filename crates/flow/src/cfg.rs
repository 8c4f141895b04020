//! Control-flow graphs of single tasks, with procedures unfolded.
//!
//! This file makes the graph that FLAVERS analyses for one task (Dwyer, Clarke, Cobleigh and Naumovich, *Flow analysis
//! for verifying properties of concurrent software systems*, 2004, section 4.1.1). A node is something that a task
//! executes. Its operations say what it does to data, its letters what automata see. A task at a node may go on to the
//! successors, or take part in an interaction: a role says in which, and where the task goes on afterwards. `tfg.rs`
//! joins roles that fit together.
//!
//! FLAVERS inlines calls in the source. Here a node is a pair of a location and a context, and a context is the stack
//! of what the task is in the middle of: calls, bodies of protected entries, accept statements, abortable parts. A
//! recursive call shares the context of the call that is already open, and its returns lead to all callers: an
//! over-approximation.
//!
//! Why this is right: every step that the semantics allows the task has its node. Where others decide whether a step
//! can happen and no role says so, it is allowed at any time. An expression that may raise an exception has an edge to
//! every handler that may take it, and out of every procedure that it may leave; an abort or the end of an asynchronous
//! select leads away from every node of its region. What cannot be expressed is refused with its place, never left out.
//!
//! `facts.rs` collects what the graph of one task needs to know about the others, `letters.rs` says what automata see,
//! and `builder.rs` unfolds the task. This file has the graph itself.
//!
//! As published, no check and no call fails. That reading exists for comparisons with the published tables.

mod builder;
mod facts;
mod letters;

use rendez_model::{EntryId, Expr, Formal, Loc, LockMode, ObjectId, Place, TaskId, VarId};

pub use builder::Builder;
pub use facts::{Facts, copies_in, copies_out, is_trackable};
pub use letters::{accepted, begun, finished};

pub type Id = u32;

/// What a node does to data.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The expression has this truth value.
    Assume(Expr, bool),
    /// Evaluating the expression raises an exception.
    Raises(Expr),
    Assign(Place, Expr),
    /// Gives a cell a value without a look at its range.
    Set(VarId, Expr),
    /// The assignment raises an exception.
    Fails(Place, Expr),
    Havoc(Place),
    Copy {
        to: VarId,
        from: VarId,
    },
    /// The cell gets its initial value.
    Reset(VarId),
}

/// How a node takes part in interactions.
#[derive(Clone, Debug, PartialEq)]
pub enum Participation {
    /// Waits for an entry of a task to accept; `site` numbers the call.
    /// `more` are the arguments of others who share the node.
    Call {
        entry: EntryId,
        args: Vec<VarId>,
        more: Vec<Vec<VarId>>,
        site: Id,
    },
    /// Waits for the lock and the barrier of a protected entry.
    Enter {
        entry: EntryId,
        object: ObjectId,
        formals: Vec<Formal>,
        args: Vec<VarId>,
    },
    /// Ready to accept; `accept` numbers the statement.
    Accept {
        entry: EntryId,
        formals: Vec<Formal>,
        accept: Id,
        whole: bool,
    },
    /// Ends the rendezvous that began with an accept statement.
    Finish {
        accept: Id,
        formals: Vec<Formal>,
    },
    /// An exception ends it, in both tasks.
    Fail {
        accept: Id,
    },
    /// The caller goes to another queue.
    Requeue {
        accept: Id,
        entry: EntryId,
        formals: Vec<Formal>,
    },
    Lock {
        object: ObjectId,
        mode: LockMode,
    },
    Unlock {
        object: ObjectId,
    },
    /// Starts one of the tasks.
    Start {
        tasks: Vec<TaskId>,
    },
    /// Waits for the end of one of the tasks.
    Join {
        tasks: Vec<TaskId>,
    },
    /// May be ended by a master that waits.
    Terminable,
    /// Not running: may be started.
    Startable,
    /// Waits for a call at a task that may be completed.
    Refused {
        entry: EntryId,
    },
    /// The rendezvous of a call may fail.
    Broken {
        site: Id,
    },
}

#[derive(Clone, Debug)]
pub struct InteractionRole {
    pub part: Participation,
    pub then: Vec<Id>,
}

/// A letter of one of the automata that are followed.
pub type Letter = (u8, u32);

#[derive(Clone, Debug)]
pub struct CfgNode {
    pub loc: Loc,
    pub ops: Vec<Op>,
    pub letters: Vec<Letter>,
    pub succ: Vec<Id>,
    pub roles: Vec<InteractionRole>,
    /// The task is completed here: calls fail.
    pub completed: bool,
    /// A construct that has no meaning in the model.
    pub unsupported: bool,
    context: u32,
}

/// A place where an entry is called.
#[derive(Clone, Debug, Default)]
pub struct CallSite {
    /// Where the call waits at each entry it may be requeued to.
    pub pending: Vec<(EntryId, Id)>,
}

/// The control-flow graph of one task.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub task: TaskId,
    pub nodes: Vec<CfgNode>,
    pub init: Id,
    pub last: Id,
    pub sites: Vec<CallSite>,
    /// The nodes of accept statements inside of regions that are left at any time.
    pub fragile: Vec<Id>,
}

/// Why a program cannot be analysed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub reason: String,
    pub loc: Loc,
}
