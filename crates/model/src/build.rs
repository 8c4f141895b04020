//! Putting a program together, for front ends, passes and tests.

use rendez_source::Span;

use crate::expr::Value;
use crate::program::*;

impl Program {
    /// An empty program with its predefined exceptions.
    pub fn new(name: impl Into<String>) -> Program {
        Program {
            name: name.into(),
            exceptions: ExceptionId::PREDEFINED.iter().map(|e| (*e).to_owned()).collect(),
            ..Program::default()
        }
    }

    pub fn add_var(
        &mut self,
        name: impl Into<String>,
        domain: Domain,
        init: Value,
        storage: Storage,
    ) -> VarId {
        self.vars.push(Var {
            name: name.into(),
            domain,
            init,
            storage,
            sharing: Sharing::Plain,
            temporary: false,
            span: Span::NOWHERE,
        });
        VarId::from(self.vars.len() - 1)
    }

    pub fn add_table(&mut self, name: impl Into<String>, first: i64, values: Vec<i64>) -> TableId {
        let table = Table { name: name.into(), first, values };
        // A table is a value: two that agree are one.
        if let Some(same) =
            self.tables.iter().position(|t| t.first == table.first && t.values == table.values)
        {
            return TableId::from(same);
        }
        self.tables.push(table);
        TableId::from(self.tables.len() - 1)
    }

    pub fn add_node(&mut self, action: Action, span: Span, handler: Option<HandlerId>) -> Loc {
        self.nodes.push(Node { action, span, handler });
        Loc::from(self.nodes.len() - 1)
    }

    pub fn add_master(&mut self, name: impl Into<String>, owner: TaskId) -> MasterId {
        self.masters.push(Master { name: name.into(), owner });
        MasterId::from(self.masters.len() - 1)
    }

    pub fn add_entry(
        &mut self,
        name: impl Into<String>,
        owner: Owner,
        barrier: Option<crate::Expr>,
        span: Span,
    ) -> EntryId {
        self.entries.push(Entry { name: name.into(), owner, barrier, span });
        EntryId::from(self.entries.len() - 1)
    }

    pub fn add_exception(&mut self, name: impl Into<String>) -> ExceptionId {
        self.exceptions.push(name.into());
        ExceptionId::from(self.exceptions.len() - 1)
    }

    /// A task without code yet: its way out exists, its start is to be set.
    pub fn add_task(&mut self, name: impl Into<String>, master: Option<MasterId>, span: Span) -> TaskId {
        let terminate = self.add_node(Action::Terminate, span, None);
        let wait = self.add_node(Action::Await { masters: Vec::new(), next: terminate }, span, None);
        let exit = self.add_node(Action::Complete { next: wait }, span, None);
        self.tasks.push(Task { name: name.into(), span, master, start: exit, exit, background: false });
        TaskId::from(self.tasks.len() - 1)
    }

    /// Makes every task wait, at its end, for all masters that it owns.
    pub fn close_masters(&mut self) {
        for t in 0..self.tasks.len() {
            let owned: Vec<MasterId> = (0..self.masters.len())
                .map(MasterId::from)
                .filter(|m| self.masters[m.index()].owner == TaskId::from(t))
                .collect();
            let exit = self.tasks[t].exit;
            let Action::Complete { next } = self.nodes[exit.index()].action else { continue };
            if let Action::Await { masters, .. } = &mut self.nodes[next.index()].action {
                *masters = owned;
            }
        }
    }
}
