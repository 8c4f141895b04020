//! A state of the program, and its compact byte form.

use crate::expr::Value;
use crate::program::{EntryId, ExceptionId, Loc, ProcId, TaskId};
use crate::watch::{Log, Watched};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub vars: Watched<Value>,
    pub tasks: Watched<TaskState>,
    /// First in, first out, per entry.
    pub queues: Watched<Vec<Caller>>,
    pub locks: Watched<Lock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Not created yet; its entries can already be called.
    Unborn,
    /// Taken from a pool by an allocator.
    Created,
    Activating,
    Active,
    /// Its entries can no longer be called; it may wait for dependents.
    Completed,
    Terminated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Control is at `pc`; whether the action there can happen now is for `enabled` to say.
    Nothing,
    Queued {
        entry: EntryId,
        cancellable: bool,
    },
    /// In a rendezvous, as the caller.
    Rendezvous {
        acceptor: TaskId,
    },
    /// At a select: one bit per open alternative, then per open delay, then for terminate.
    Select {
        open: Open,
    },
    /// For the tasks it activates.
    Activation,
}

/// A set of alternatives of a select.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Open([u64; Open::WORDS]);

impl Open {
    const WORDS: usize = 8;
    /// So many alternatives a set can hold.
    pub const MOST: usize = Open::WORDS * 64;

    pub fn get(self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub fn is_empty(self) -> bool {
        self.0 == [0; Open::WORDS]
    }
}

/// A call in a queue: the ordinary call of a task (level 0) or the trigger of its k-th active
/// asynchronous transfer (level k).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub task: TaskId,
    pub level: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The call, to which control returns.
    pub site: Loc,
    pub proc: ProcId,
    /// Values of the procedure's locals before a recursive call; empty otherwise.
    pub saved: Vec<Value>,
    /// The task runs an entry body for somebody else, whose asynchronous select it triggers; then
    /// `site` is where the task itself goes on.
    pub serving: Option<Caller>,
}

/// A rendezvous in progress, seen from the accepting task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rendezvous {
    pub caller: Caller,
    pub entry: EntryId,
    /// The select and the alternative taken.
    pub site: Loc,
    pub alternative: u16,
}

/// An asynchronous select whose abortable part is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    pub site: Loc,
    pub frames: u16,
    pub trigger: Pending,
    /// The abortable part is being left: what must be cleaned up on the way is.
    pub leaving: bool,
}

/// How far the trigger of an asynchronous select has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pending {
    /// It may end at any time.
    Delay,
    Queued {
        entry: EntryId,
        cancellable: bool,
    },
    /// Somebody runs the accept or entry body: the call can no longer be withdrawn.
    Served,
    Done,
    /// The call ended with an exception, which is raised once the abortable part is left.
    Failed {
        exception: ExceptionId,
        by_tasking: bool,
    },
}

impl Transfer {
    /// Whether the call has come to its end.
    pub fn fired(&self) -> bool {
        matches!(self.trigger, Pending::Done | Pending::Failed { .. })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskState {
    pub status: Status,
    pub pc: Loc,
    pub wait: Wait,
    pub aborted: bool,
    /// Aborted, and past a point where the abort must take effect.
    pub due: bool,
    /// How many regions that defer an abort the task is in.
    pub deferred: u16,
    /// Its activation failed and its activator does not know yet.
    pub failed: bool,
    pub frames: Vec<Frame>,
    pub accepts: Vec<Rendezvous>,
    pub transfers: Vec<Transfer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lock {
    Free,
    Write(TaskId),
    Read(u16),
}

impl State {
    /// Whether an abort of a task has to wait. A call that was requeued without abort is protected like a
    /// rendezvous.
    pub fn defers_abort(&self, task: TaskId) -> bool {
        let ts = &self.tasks[task.index()];
        ts.deferred > 0
            || ts.frames.iter().any(|f| f.serving.is_some())
            || matches!(ts.wait, Wait::Rendezvous { .. } | Wait::Queued { cancellable: false, .. })
            || self.locks.iter().any(|lock| *lock == Lock::Write(task))
    }

    /// Appends a byte form that is equal exactly for equal states of one program.
    pub fn encode(&self, out: &mut Vec<u8>) {
        for value in self.vars.iter() {
            match value {
                Value::Any => out.push(0),
                // Small values take one byte.
                Value::Known(v) => varint(out, zigzag(*v) + 1),
            }
        }
        for lock in self.locks.iter() {
            match lock {
                Lock::Free => out.push(0),
                Lock::Write(task) => varint(out, 2 + 2 * u128::from(task.0)),
                Lock::Read(count) => varint(out, 1 + 2 * u128::from(*count)),
            }
        }
        for queue in self.queues.iter() {
            varint(out, queue.len() as u128);
            for caller in queue {
                varint(out, u128::from(caller.task.0));
                out.push(caller.level);
            }
        }
        for task in self.tasks.iter() {
            out.push(
                task.status as u8
                    | u8::from(task.aborted) << 3
                    | u8::from(task.failed) << 4
                    | u8::from(task.due) << 5
                    | u8::from(task.deferred > 0) << 6,
            );
            if task.deferred > 0 {
                varint(out, u128::from(task.deferred));
            }
            if task.status == Status::Unborn || task.status == Status::Terminated {
                continue;
            }
            varint(out, u128::from(task.pc.0));
            match task.wait {
                Wait::Nothing => out.push(0),
                Wait::Queued { entry, cancellable } => {
                    out.push(1 + u8::from(cancellable));
                    varint(out, u128::from(entry.0));
                }
                Wait::Rendezvous { acceptor } => {
                    out.push(3);
                    varint(out, u128::from(acceptor.0));
                }
                Wait::Select { open } => {
                    out.push(4);
                    let words = open.0.iter().rposition(|w| *w != 0).map_or(0, |last| last + 1);
                    out.push(words as u8);
                    open.0[..words].iter().for_each(|word| varint(out, u128::from(*word)));
                }
                Wait::Activation => out.push(5),
            }
            varint(out, task.frames.len() as u128);
            for frame in &task.frames {
                varint(out, u128::from(frame.site.0));
                varint(out, u128::from(frame.proc.0));
                varint(out, frame.saved.len() as u128);
                for value in &frame.saved {
                    varint(out, value.known().map_or(0, |v| zigzag(v) + 1));
                }
                match frame.serving {
                    None => out.push(0),
                    Some(caller) => {
                        out.push(caller.level);
                        varint(out, u128::from(caller.task.0));
                    }
                }
            }
            varint(out, task.accepts.len() as u128);
            for r in &task.accepts {
                varint(out, u128::from(r.caller.task.0));
                out.push(r.caller.level);
                varint(out, u128::from(r.entry.0));
                varint(out, u128::from(r.site.0));
                varint(out, u128::from(r.alternative));
            }
            varint(out, task.transfers.len() as u128);
            for t in &task.transfers {
                varint(out, u128::from(t.site.0));
                varint(out, u128::from(t.frames));
                out.push(t.leaving.into());
                match t.trigger {
                    Pending::Delay => out.push(0),
                    Pending::Served => out.push(1),
                    Pending::Done => out.push(2),
                    Pending::Queued { entry, cancellable } => {
                        out.push(3 + u8::from(cancellable));
                        varint(out, u128::from(entry.0));
                    }
                    Pending::Failed { exception, by_tasking } => {
                        out.push(5 + u8::from(by_tasking));
                        varint(out, u128::from(exception.0));
                    }
                }
            }
        }
    }

    /// The state that `bytes` stands for; `like` gives the numbers of cells, tasks, queues and
    /// locks. Positions of tasks that are not alive are not stored.
    pub fn decode(bytes: &[u8], like: &State) -> State {
        let mut r = Reader { bytes, at: 0 };
        let vars = like.vars.iter().map(|_| r.value()).collect();
        let locks = like
            .locks
            .iter()
            .map(|_| match r.number() {
                0 => Lock::Free,
                n if n % 2 == 0 => Lock::Write(TaskId((n as u32 - 2) / 2)),
                n => Lock::Read((n / 2) as u16),
            })
            .collect();
        let queues = like.queues.iter().map(|_| (0..r.number()).map(|_| r.caller()).collect()).collect();
        let tasks = like.tasks.iter().map(|t| r.task(t)).collect();
        State { vars, tasks, queues, locks }
    }

    /// A log of every access from now on, in this state and in those cloned from it. Parts are
    /// numbered: cells first, then tasks, queues and locks.
    pub fn watch(&mut self) -> std::sync::Arc<Log> {
        let parts = self.vars.len() + self.tasks.len() + self.queues.len() + self.locks.len();
        let log = std::sync::Arc::new(Log::new(parts));
        let mut first = 0;
        self.vars.watch(&mut first, &log);
        self.tasks.watch(&mut first, &log);
        self.queues.watch(&mut first, &log);
        self.locks.watch(&mut first, &log);
        log
    }
}

fn zigzag(v: i64) -> u128 {
    u128::from(((v << 1) ^ (v >> 63)) as u64)
}

fn varint(out: &mut Vec<u8>, mut n: u128) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn number(&mut self) -> u128 {
        let mut n = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            n |= u128::from(byte & 127) << shift;
            if byte < 128 {
                return n;
            }
            shift += 7;
        }
    }

    fn index(&mut self) -> u32 {
        self.number() as u32
    }

    fn value(&mut self) -> Value {
        match self.number() {
            0 => Value::Any,
            n => {
                let z = (n - 1) as u64;
                Value::Known((z >> 1) as i64 ^ -((z & 1) as i64))
            }
        }
    }

    fn caller(&mut self) -> Caller {
        Caller { task: TaskId(self.index()), level: self.byte() }
    }

    fn task(&mut self, like: &TaskState) -> TaskState {
        let flags = self.byte();
        let status = [
            Status::Unborn,
            Status::Created,
            Status::Activating,
            Status::Active,
            Status::Completed,
            Status::Terminated,
        ][usize::from(flags & 7)];
        let mut task = TaskState {
            status,
            pc: like.pc,
            wait: Wait::Nothing,
            aborted: flags & 8 != 0,
            due: flags & 32 != 0,
            deferred: if flags & 64 != 0 { self.number() as u16 } else { 0 },
            failed: flags & 16 != 0,
            frames: Vec::new(),
            accepts: Vec::new(),
            transfers: Vec::new(),
        };
        if status == Status::Unborn || status == Status::Terminated {
            return task;
        }
        task.pc = Loc(self.index());
        task.wait = match self.byte() {
            0 => Wait::Nothing,
            n @ (1 | 2) => Wait::Queued { entry: EntryId(self.index()), cancellable: n == 2 },
            3 => Wait::Rendezvous { acceptor: TaskId(self.index()) },
            4 => {
                let mut open = Open::default();
                for word in 0..usize::from(self.byte()).min(Open::WORDS) {
                    open.0[word] = self.number() as u64;
                }
                Wait::Select { open }
            }
            _ => Wait::Activation,
        };
        task.frames = (0..self.number())
            .map(|_| Frame {
                site: Loc(self.index()),
                proc: ProcId(self.index()),
                saved: (0..self.number()).map(|_| self.value()).collect(),
                serving: match self.byte() {
                    0 => None,
                    level => Some(Caller { task: TaskId(self.index()), level }),
                },
            })
            .collect();
        task.accepts = (0..self.number())
            .map(|_| Rendezvous {
                caller: self.caller(),
                entry: EntryId(self.index()),
                site: Loc(self.index()),
                alternative: self.number() as u16,
            })
            .collect();
        task.transfers = (0..self.number())
            .map(|_| Transfer {
                site: Loc(self.index()),
                frames: self.number() as u16,
                leaving: self.byte() == 1,
                trigger: match self.byte() {
                    0 => Pending::Delay,
                    1 => Pending::Served,
                    2 => Pending::Done,
                    n @ (3 | 4) => Pending::Queued { entry: EntryId(self.index()), cancellable: n == 4 },
                    n => Pending::Failed { exception: ExceptionId(self.index()), by_tasking: n == 6 },
                },
            })
            .collect();
        task
    }
}
