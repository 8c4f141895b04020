//! Elaboration: from syntax trees to the program model.
//!
//! The front end runs the declarations of the program the way Ada does, once for every task
//! instance, protected object, generic instance and calling task, and writes down the statements
//! as control-flow graphs. What Ada knows statically (bounds, discriminants given by constants,
//! array sizes) is thereby known here, and every variable becomes a set of cells.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rendez_model::{Expr as Model, *};
use rendez_source::{Diagnostic, Span};

use crate::checks::Checks;
use crate::env::{Type, *};
use crate::parse::dotted;
use crate::static_expression::Staticness;
use crate::syntax::{self, Decl, DeclKind, ExprKind, Ident, SubprogramBody};
use crate::units::{Units, unit_name};

/// Limits that make a program finite, each of which is listed in the assumptions if it is met; and how far
/// the environment is followed.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Tasks created by one allocator whose number of evaluations is not static.
    pub tasks_per_allocator: usize,
    /// Iterations of a loop that is unrolled because it creates objects.
    pub unrolled_iterations: i64,
    /// Elements of an array that are followed one by one.
    pub array_elements: i64,
    /// Tasks or protected objects of one array at most.
    pub active_elements: i64,
    /// Tasks declared by tasks declared by tasks: how deep.
    pub task_nesting: usize,
    /// Whether input may end, or have the wrong form, where nobody names the exceptions.
    pub input_ends: bool,
    pub checks: Checks,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            tasks_per_allocator: 3,
            unrolled_iterations: 64,
            array_elements: 256,
            active_elements: 4096,
            task_nesting: 5,
            input_ends: false,
            checks: Checks::Pass,
        }
    }
}

/// What elaboration yields besides the program.
pub struct Elaborated {
    pub program: Program,
    /// Constructs without a model, at their places; they matter only if they are reached.
    pub rejected: Vec<Diagnostic>,
    pub diagnostics: Vec<Diagnostic>,
}

pub struct Elaborator<'a> {
    pub(crate) units: &'a Units,
    pub(crate) bounds: Bounds,
    pub(crate) program: Program,
    pub(crate) types: Vec<Type<'a>>,
    pub(crate) scopes: Vec<Scope<'a>>,
    pub(crate) unit_types: Vec<UnitType<'a>>,
    pub(crate) task_instances: HashMap<TaskId, Rc<Instance<'a>>>,
    pub(crate) instances: Vec<Rc<Instance<'a>>>,
    /// The task whose code creates a task.
    pub(crate) made_by: HashMap<TaskId, TaskId>,
    pub(crate) procs: HashMap<ProcKey, ProcId>,
    pub(crate) proc_info: HashMap<ProcId, ProcInfo>,
    /// Entry calls written so far: who calls, and what names the entry.
    pub(crate) entry_calls: Vec<(TaskId, Model)>,
    /// Entries that trigger asynchronous selects: any task may have to run their bodies.
    pub(crate) triggers: Vec<Model>,
    /// Entries that calls are requeued to, and whether by accept bodies, whoever the caller is.
    pub(crate) requeued: Vec<(Model, bool)>,
    pub(crate) jobs: std::collections::VecDeque<Job<'a>>,
    pub(crate) pools: Vec<Vec<(Obj, TypeId)>>,
    pub(crate) pool_of: HashMap<TypeId, PoolId>,
    pub(crate) class_types: HashMap<TypeId, TypeId>,
    pub(crate) regions: Vec<crate::finalization::Region<'a>>,
    /// Protected objects declared by task bodies.
    pub(crate) task_objects: Vec<(TaskId, std::ops::Range<usize>)>,
    /// Syntax that is not in the source: calls with their prefix among the arguments.
    pub(crate) arena: &'a typed_arena::Arena<Vec<syntax::Arg>>,
    pub(crate) fixups: Vec<Fixup>,
    pub(crate) fixup_tables: HashMap<String, TableId>,
    /// Subprograms whose access is taken; access values number them.
    pub(crate) routines: Vec<Rc<Subprogram<'a>>>,
    pub(crate) generic_bodies: HashMap<(ScopeId, String), &'a Decl>,
    pub(crate) record_fields: HashMap<TypeId, Rc<Vec<(String, TypeId)>>>,
    /// Subprograms known to evaluate an allocator, or not to.
    pub(crate) creators: HashMap<(usize, ScopeId), bool>,
    /// Cells that hold random numbers of a large range.
    pub(crate) random: HashSet<VarId>,
    /// Places at which any exception may be raised, where control goes if none is, and whether one is.
    pub(crate) raises_any: Vec<(Loc, Loc, bool)>,
    pub(crate) rejected: Vec<Diagnostic>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) cx: Cx,
    pub(crate) std: Standard,
    elaborated: HashSet<usize>,
    packages: HashMap<String, ScopeId>,
    /// Library units that are no packages: generics, subprograms, renamings.
    library_units: HashMap<String, Binding<'a>>,
    pub(crate) depth: usize,
    /// Scopes whose declarations are being elaborated.
    pub(crate) elaborating: Vec<ScopeId>,
    /// Contracts of subprograms, by scope, name and profile of the declaration.
    pub(crate) contracts: HashMap<(ScopeId, String, String), Vec<crate::checks::Clause<'a>>>,
    /// Types without their constraints, by the type.
    pub(crate) bases: HashMap<TypeId, TypeId>,
    /// Blocking in a protected action raises Program_Error for sure.
    pub(crate) detect_blocking: bool,
    /// Protected objects have ceilings.
    pub(crate) ceilings: bool,
    /// The priority of the main procedure, and of what it elaborates.
    pub(crate) main_priority: Option<&'a syntax::Expr>,
    /// The component of a record or protected object is being made.
    pub(crate) in_component: bool,
    /// An object gets its initial value.
    pub(crate) in_declaration: bool,
    /// The next aggregate of an array must have the bounds of its target.
    pub(crate) exact_bounds: bool,
    /// What gets a value is something that nobody can name yet.
    pub(crate) fresh: bool,
    /// Access subtypes without null.
    pub(crate) excludes_null: HashSet<TypeId>,
    /// Constants with known values, and whether these are static.
    pub(crate) static_constants: HashMap<(ScopeId, String), Staticness>,
    /// Subtypes of real numbers with a range.
    pub(crate) narrow: HashSet<TypeId>,
    /// The ranges of the index subtypes of unconstrained arrays, by their first subtypes.
    pub(crate) index_ranges: HashMap<TypeId, Vec<Option<(i64, i64)>>>,
    /// A barrier is being evaluated: what raises an exception stays part of the expression.
    pub(crate) in_barrier: bool,
    /// What a function returned, where its promises are looked at.
    pub(crate) result: Option<(Obj, TypeId)>,
    /// Operations that the program gives to a type under the name of an attribute or aspect.
    pub(crate) operational: HashMap<(TypeId, String), (&'a syntax::Expr, ScopeId)>,
    /// Types whose components share storage.
    pub(crate) packed: HashSet<TypeId>,
    /// Components of record types that share storage, in groups.
    pub(crate) layouts: HashMap<TypeId, Vec<Vec<String>>>,
    /// What the source says about unsynchronised access to all objects of a type.
    pub(crate) type_sharing: HashMap<TypeId, Sharing>,
    /// Cells that share storage, and one that stands for it.
    pub(crate) neighbours: Vec<(VarId, Vec<i64>)>,
}

#[derive(Clone, Copy)]
pub struct Standard {
    pub scope: ScopeId,
    pub boolean: TypeId,
    pub integer: TypeId,
    pub opaque: TypeId,
    /// The characters of a string: it is followed as a whole only.
    pub letter: TypeId,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProcKey {
    pub code: usize,
    pub scope: ScopeId,
    pub task: TaskId,
    pub references: String,
    pub around: Around,
}

/// What the code of a subprogram is part of when it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Around {
    /// The innermost protected action.
    pub action: Option<InstanceId>,
    /// The body of an accept statement, outside of a protected action.
    pub accept: bool,
}

/// Code that is still to be written.
pub enum Job<'a> {
    Task(TaskId),
    Proc {
        proc: ProcId,
        sub: Rc<Subprogram<'a>>,
        formals: Vec<BoundFormal>,
        result: Option<(Obj, TypeId)>,
        once: bool,
        around: Around,
    },
    EntryBody {
        proc: ProcId,
        task: TaskId,
        instance: InstanceId,
        entry: EntryId,
    },
    Dispatch(Dispatch),
    /// An interrupt that calls its handler, again and again.
    Interrupt {
        task: TaskId,
        instance: InstanceId,
        handler: String,
    },
    /// An interrupt that calls an entry, again and again.
    InterruptEntry {
        task: TaskId,
        entry: EntryId,
        parameters: bool,
    },
}

/// How a procedure is called.
#[derive(Clone, Default)]
pub struct ProcInfo {
    /// Per parameter, the cells that carry it.
    pub cells: Vec<Vec<VarId>>,
    pub result: Option<(Obj, TypeId)>,
    pub result_cells: Vec<VarId>,
}

/// A formal parameter bound to its storage.
#[derive(Clone)]
pub struct BoundFormal {
    pub name: Ident,
    pub obj: Obj,
    pub ty: TypeId,
}

/// A call whose target is chosen at run time among those known when all code is written.
pub struct Dispatch {
    pub proc: ProcId,
    pub task: TaskId,
    pub among: Among,
    pub index: VarId,
    pub args: Vec<VarId>,
    pub result: Option<VarId>,
    pub around: Around,
    pub span: Span,
}

/// What a call chooses from, by number.
pub enum Among {
    /// The operation of this name of the objects that an access value may designate.
    Operations { of: UnitTypeId, pool: PoolId, path: Rc<Vec<Step>>, operation: Ident },
    /// What the objects of a class do under this name.
    Primitives { pool: PoolId, name: String, params: usize, function: bool },
    /// The subprograms with this profile whose access was taken.
    Routines { params: Vec<TypeId>, function: bool },
}

/// What one object does when an operation is called on it.
pub enum Target<'a> {
    /// With the object itself as first argument, if it is one.
    Subprogram(Rc<Subprogram<'a>>, Option<(Obj, TypeId)>),
    Entry(EntryId),
}

/// A table whose contents are known when all objects are.
pub struct Fixup {
    pub table: TableId,
    pub source: FixupSource,
    pub leaf: Leaf,
}

pub enum FixupSource {
    Pool(PoolId, Rc<Vec<Step>>),
    /// All tasks of the program, by number.
    Tasks,
}

#[derive(Clone, Debug)]
pub enum Leaf {
    Cell,
    /// Every cell of the object, and none of them.
    Parts,
    /// The first entry of this name.
    Entry(String),
    /// The task that a task depends on.
    Master,
    /// The number of the task among everything that implements an interface.
    Member,
}

#[derive(Clone, Debug)]
pub enum Cleanup {
    Await(MasterId),
    /// Leaves the abortable part of an asynchronous select.
    EndAsync,
    /// Finalises the controlled objects of a region.
    Finalize(usize),
}

pub struct LoopCx {
    pub label: Option<String>,
    pub exit: Loc,
    pub cleanups: usize,
}

#[derive(Clone)]
pub struct ReturnCx {
    pub target: Loc,
    pub cleanups: usize,
    pub result: Option<(Obj, TypeId)>,
}

/// Where code is being written.
pub struct Cx {
    pub task: TaskId,
    pub scope: ScopeId,
    pub cur: Loc,
    pub span: Span,
    pub handler: Option<HandlerId>,
    pub cleanups: Vec<Cleanup>,
    pub loops: Vec<LoopCx>,
    pub ret: Option<ReturnCx>,
    pub occurrence: Option<VarId>,
    /// Exceptions that the statements around name in their handlers.
    pub prepared_for: Vec<ExceptionId>,
    pub locals: Vec<VarId>,
    /// Declared tasks that wait for their activation, with the region they are declared in.
    pub pending: Vec<(TaskId, ScopeId)>,
    /// The package or block whose declarations are being elaborated.
    pub region: ScopeId,
    /// Inside a nested package body: its `begin` activates its own tasks only.
    pub package: Option<ScopeId>,
    pub master: MasterId,
    pub labels: HashMap<String, (Loc, usize)>,
    pub object: Option<InstanceId>,
    /// The code may run more than once.
    pub repeated: bool,
    pub storage: Storage,
    pub prefix: String,
    /// Where control goes after the accept statement, inside its body.
    pub after_accept: Option<(Loc, usize)>,
    /// What the subprogram that is being written is part of.
    pub around: Around,
    /// In the declarations of a task body: its own activation is still to be announced.
    pub activating: bool,
    /// The region that finalises what is declared here.
    pub controlled: Option<usize>,
    /// Values that were evaluated here and go nowhere: the next action comes after their reads.
    pub reads: Vec<Model>,
}

/// Elaborates the program whose main procedure is the unit numbered `main`.
pub fn elaborate(units: &Units, main: usize, bounds: Bounds, files: Vec<String>) -> Elaborated {
    let arena = typed_arena::Arena::new();
    let mut e = Elaborator::new(units, &arena, bounds, files);
    e.run(main);
    Elaborated { program: e.program, rejected: e.rejected, diagnostics: e.diagnostics }
}

/// Locations of a program at most: what is larger could not be explored anyway.
const MOST_LOCATIONS: usize = 400_000;

impl<'a> Elaborator<'a> {
    /// Gives up on a program that is too large; parts of it are not written.
    fn too_large(&mut self) {
        self.jobs.clear();
        self.diagnostics.push(
            Diagnostic::general(format!(
                "the program is too large to be modelled as a whole: it has more than {MOST_LOCATIONS} locations"
            ))
            .help("analyse a library unit of it with --root UNIT"),
        );
    }

    fn new(
        units: &'a Units,
        arena: &'a typed_arena::Arena<Vec<syntax::Arg>>,
        bounds: Bounds,
        files: Vec<String>,
    ) -> Self {
        let mut program = Program::new("");
        program.files = files;
        program.checks_may_fail = bounds.checks == Checks::MayFail;
        let task = program.add_task("main", None, Span::NOWHERE);
        let master = program.add_master("library", task);
        let cur = program.add_node(Action::Return, Span::NOWHERE, None);
        program.tasks[0].start = cur;
        let cx = Cx {
            task,
            scope: ScopeId(0),
            cur,
            span: Span::NOWHERE,
            handler: None,
            cleanups: Vec::new(),
            loops: Vec::new(),
            ret: None,
            occurrence: None,
            prepared_for: Vec::new(),
            locals: Vec::new(),
            pending: Vec::new(),
            region: ScopeId(0),
            package: None,
            master,
            labels: HashMap::new(),
            object: None,
            repeated: false,
            storage: Storage::Shared,
            prefix: String::new(),
            after_accept: None,
            around: Around::default(),
            activating: false,
            controlled: None,
            reads: Vec::new(),
        };
        let none = TypeId(0);
        let std = Standard { scope: ScopeId(0), boolean: none, integer: none, opaque: none, letter: none };
        let mut e = Elaborator {
            units,
            bounds,
            program,
            types: Vec::new(),
            scopes: vec![Scope::default()],
            unit_types: Vec::new(),
            task_instances: HashMap::new(),
            instances: Vec::new(),
            made_by: HashMap::new(),
            procs: HashMap::new(),
            proc_info: HashMap::new(),
            entry_calls: Vec::new(),
            triggers: Vec::new(),
            requeued: Vec::new(),
            jobs: std::collections::VecDeque::new(),
            // The first pool holds everything that may be designated by access to a class.
            pools: vec![Vec::new()],
            pool_of: HashMap::new(),
            class_types: HashMap::new(),
            regions: Vec::new(),
            task_objects: Vec::new(),
            arena,
            fixups: Vec::new(),
            fixup_tables: HashMap::new(),
            routines: Vec::new(),
            generic_bodies: HashMap::new(),
            record_fields: HashMap::new(),
            creators: HashMap::new(),
            random: HashSet::new(),
            raises_any: Vec::new(),
            rejected: Vec::new(),
            diagnostics: Vec::new(),
            cx,
            std,
            elaborated: HashSet::new(),
            packages: HashMap::new(),
            library_units: HashMap::new(),
            depth: 0,
            elaborating: Vec::new(),
            contracts: HashMap::new(),
            bases: HashMap::new(),
            detect_blocking: false,
            ceilings: false,
            main_priority: None,
            in_component: false,
            in_declaration: false,
            exact_bounds: false,
            fresh: false,
            excludes_null: HashSet::new(),
            static_constants: HashMap::default(),
            narrow: HashSet::new(),
            index_ranges: HashMap::new(),
            in_barrier: false,
            result: None,
            operational: HashMap::new(),
            packed: HashSet::new(),
            layouts: HashMap::new(),
            type_sharing: HashMap::new(),
            neighbours: Vec::new(),
        };
        e.standard();
        e
    }

    fn standard(&mut self) {
        let literals = Rc::new(vec!["False".to_owned(), "True".to_owned()]);
        let boolean = self.new_type("Boolean", TypeKind::Enumeration { literals, lo: 0, hi: 1 });
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let integer = self.new_type("Integer", TypeKind::Integer { lo: min, hi: max, modulus: None });
        let real = self.new_type("real", TypeKind::Real);
        let opaque = self.new_type("opaque", TypeKind::Opaque);
        let letter = self.new_type("letter", TypeKind::Opaque);
        self.std = Standard { scope: ScopeId(0), boolean, integer, opaque, letter };
        let scope = ScopeId(0);
        for (name, value) in [("false", 0), ("true", 1)] {
            self.bind(scope, name, Binding::Literal(boolean, value));
        }
        self.bind(scope, "boolean", Binding::Type(boolean));
        self.bind(scope, "integer", Binding::Type(integer));
        for (name, lo, hi) in [("natural", 0, max), ("positive", 1, max)] {
            let ty = self.new_subtype(name, integer, TypeKind::Integer { lo, hi, modulus: None });
            self.bind(scope, name, Binding::Type(ty));
        }
        for (name, lo, hi) in [
            ("long_integer", i64::MIN, i64::MAX),
            ("long_long_integer", i64::MIN, i64::MAX),
            ("short_integer", -32768, 32767),
            ("short_short_integer", -128, 127),
        ] {
            let ty = self.new_type(name, TypeKind::Integer { lo, hi, modulus: None });
            self.bind(scope, name, Binding::Type(ty));
        }
        let letters: Vec<String> = (0..256u32).map(|c| format!("'{}'", char::from(c as u8))).collect();
        let character =
            self.new_type("Character", TypeKind::Enumeration { literals: Rc::new(letters), lo: 0, hi: 255 });
        self.bind(scope, "character", Binding::Type(character));
        // Characters of strings are not followed, but lengths that are static are known.
        for name in ["string", "wide_string", "wide_wide_string"] {
            let kind = TypeKind::Array { bounds: None, dimensions: 1, element: letter };
            let ty = self.new_type(name, kind);
            self.index_ranges.insert(ty, vec![Some((1, i64::from(i32::MAX)))]);
            self.bind(scope, name, Binding::Type(ty));
        }
        for name in ["float", "long_float", "short_float", "duration", "wide_character", "long_long_float"] {
            self.bind(scope, name, Binding::Type(real));
        }
        for (i, name) in ExceptionId::PREDEFINED.iter().enumerate() {
            self.bind(scope, &name.to_lowercase(), Binding::Exception(ExceptionId::from(i)));
        }
        self.bind(scope, "numeric_error", Binding::Exception(ExceptionId::CONSTRAINT_ERROR));
        self.bind(scope, "standard", Binding::Package(scope));
        self.bind(scope, "ascii", Binding::Library("ascii".into()));
        self.bind(scope, "rendez_model", Binding::Library("rendez_model".into()));
    }

    fn run(&mut self, main: usize) {
        let unit = &self.units.all[main];
        let (name, _) = unit_name(&unit.decl);
        self.program.name = name;
        for (name, span) in self.units.opaque.clone() {
            self.register_library(&name);
            if !crate::library::is_unremarkable(&name) && !crate::library::synchronises(&name) {
                self.program.assume(
                    format!("library unit {name} is not modelled: its operations are taken not to synchronise, to raise no exception, and to return any value"),
                    span,
                );
            }
        }
        self.elaborate_context(main);
        let DeclKind::Subprogram { spec, body: SubprogramBody::Body(body) } = &unit.decl.kind else {
            return;
        };
        self.cx.span = unit.decl.span;
        self.main_priority = crate::checks::main_priority(self.units, main);
        // The way out was made before the main procedure was known.
        for node in &mut self.program.nodes {
            node.span = spec.ident.span;
        }
        self.program.tasks[0].span = spec.ident.span;
        self.program.tasks[0].name = spec.ident.text.to_lowercase();
        let scope = self.unit_scope(main);
        let outer = std::mem::replace(&mut self.cx.scope, scope);
        // Generic bodies and nested units are found in the scope that the unit is declared in.
        self.bind_subprogram(spec, &self.subprogram_body(main), scope, unit.decl.span);
        self.cx.prefix = String::new();
        self.main_contract(spec, &body.decls, true);
        self.subprogram_code(&body.decls, &body.handled, None, spec.ident.text.clone());
        self.main_contract(spec, &body.decls, false);
        self.cx.scope = outer;
        let exit = self.program.tasks[0].exit;
        self.goto(exit);
        self.drain();
        self.finish();
    }

    fn subprogram_body(&self, unit: usize) -> SubprogramKind<'a> {
        match &self.units.all[unit].decl.kind {
            DeclKind::Subprogram { body, .. } => SubprogramKind::Body(body),
            _ => SubprogramKind::Plain,
        }
    }

    /// What the main procedure requires, or promises at its end.
    fn main_contract(&mut self, spec: &'a syntax::Spec, decls: &'a [Decl], starts: bool) {
        let found = self.scopes[self.cx.scope.0].names.get(&spec.ident.key);
        let Some(Binding::Subprogram(sub)) = found.and_then(|l| l.first()).cloned() else { return };
        let clauses = self.all_contracts_of(&sub, decls);
        match starts {
            true => {
                self.precondition(&sub, &clauses, &[]);
                self.old_values(&sub, &clauses);
            }
            false => self.postcondition(&sub, &clauses, None),
        }
    }

    /// Writes all code that was asked for.
    fn drain(&mut self) {
        while let Some(job) = self.jobs.pop_front() {
            if self.program.nodes.len() > MOST_LOCATIONS {
                self.too_large();
                return;
            }
            match job {
                Job::Task(task) => self.task_code(task),
                Job::Proc { proc, sub, formals, result, once, around } => {
                    self.proc_code(proc, &sub, formals, result, once, around)
                }
                Job::EntryBody { proc, task, instance, entry } => {
                    self.entry_code(proc, task, instance, entry)
                }
                Job::Dispatch(dispatch) => self.dispatch_code(dispatch),
                Job::Interrupt { task, instance, handler } => self.interrupt_code(task, instance, &handler),
                Job::InterruptEntry { task, entry, parameters } => {
                    self.interrupt_entry_code(task, entry, parameters)
                }
            }
        }
    }

    fn finish(&mut self) {
        self.drain();
        self.write_exits();
        self.set_barriers();
        // Objects are known only when all code is written, and writing the bodies of entries that
        // they make callable may need more code.
        loop {
            self.drain();
            self.fill_tables();
            if !self.need_entry_bodies() {
                break;
            }
        }
        self.set_barriers();
        self.write_raises();
        self.program.close_masters();
        crate::tidy::touch_neighbours(&mut self.program, &self.neighbours);
        crate::tidy::tidy(&mut self.program);
    }

    /// What tasks do when they end, after the tasks that depend on them.
    fn write_exits(&mut self) {
        for task in (0..self.program.tasks.len()).map(TaskId::from) {
            let announced = self.library_package("ada.task_termination").filter(|_| task.0 > 0);
            let objects: Vec<_> =
                self.task_objects.iter().filter(|o| o.0 == task).map(|o| o.1.clone()).collect();
            if announced.is_none() && objects.is_empty() && !self.regions.iter().any(|r| r.task == task) {
                continue;
            }
            let exit = self.program.tasks[task.index()].exit;
            let Action::Complete { next: wait } = self.program.node(exit).action else { continue };
            let span = self.program.node(exit).span;
            let before = self.program.add_node(Action::Return, span, None);
            let Action::Await { next, .. } = &mut self.program.nodes[wait.index()].action else { continue };
            let end = std::mem::replace(next, before);
            self.task_context(task, before, |e| {
                for range in objects {
                    e.close_objects(range.start, range.end);
                }
                e.leave_all_regions();
                if let Some(scope) = announced {
                    // Handlers of task termination are in use.
                    let list = e.scopes[scope.0].names.get("task_ended").cloned().unwrap_or_default();
                    if let Meaning::Subprograms(subs) = e.bindings(list, "Task_Ended") {
                        e.call_procedure(&subs, &[], span);
                    }
                }
                e.put(Action::Skip { next: end });
            });
        }
    }

    fn fill_tables(&mut self) {
        for i in 0..self.fixups.len() {
            let Fixup { table, source, leaf } = &self.fixups[i];
            let table = *table;
            let mut values = Vec::new();
            match source {
                FixupSource::Pool(pool, path) => {
                    for (member, _) in &self.pools[pool.0] {
                        for obj in self.follow(member, path) {
                            match leaf {
                                Leaf::Parts => crate::instantiate::cells_in(&obj, &mut values),
                                leaf => values.push(self.leaf_number(&obj, leaf)),
                            }
                        }
                    }
                    if let Leaf::Parts = leaf {
                        values.push(-1);
                    }
                }
                FixupSource::Tasks => {
                    for t in 0..self.program.tasks.len() {
                        values.push(self.leaf_number(&Obj::Task(TaskId::from(t)), leaf));
                    }
                }
            }
            self.program.tables[table.index()].values = values;
        }
    }

    fn leaf_number(&self, obj: &Obj, leaf: &Leaf) -> i64 {
        match (obj, leaf) {
            (Obj::Cell(v), Leaf::Cell) => i64::from(v.0),
            (Obj::Task(t), Leaf::Member) => {
                let known = self
                    .pools
                    .first()
                    .and_then(|p| p.iter().position(|(o, _)| matches!(o, Obj::Task(u) if u == t)));
                known.map_or(-1, |i| i as i64)
            }
            (Obj::Task(t), Leaf::Master) => self.program.tasks[t.index()]
                .master
                .map_or(0, |m| i64::from(self.program.masters[m.index()].owner.0)),
            (Obj::Task(t), Leaf::Entry(name)) => self
                .task_instances
                .get(t)
                .and_then(|i| i.entries.get(name))
                .map_or(-1, |e| i64::from(e.first.0)),
            (Obj::Protected(p), Leaf::Entry(name)) => {
                self.instances[p.0].entries.get(name).map_or(-1, |e| i64::from(e.first.0))
            }
            _ => -1,
        }
    }

    /// The objects that a path leads to: one, or several for any element.
    pub(crate) fn follow(&self, obj: &Obj, path: &[Step]) -> Vec<Obj> {
        let Some((step, rest)) = path.split_first() else { return vec![obj.clone()] };
        match (step, obj) {
            (Step::Field(name), Obj::Record(fields)) => match fields.iter().find(|f| f.0 == *name) {
                Some(field) => self.follow(&field.1, rest),
                None => vec![Obj::Opaque],
            },
            (Step::Element(i), Obj::Array(array)) => match array.elements.get(*i) {
                Some(element) => self.follow(element, rest),
                None => vec![Obj::Opaque],
            },
            (Step::AnyElement(n), Obj::Array(array)) if array.elements.len() == *n => {
                array.elements.iter().flat_map(|e| self.follow(e, rest)).collect()
            }
            (Step::AnyElement(n), _) => vec![Obj::Opaque; *n],
            _ => vec![Obj::Opaque],
        }
    }

    // ---- writing code ------------------------------------------------------------------------

    /// A location to be filled later.
    pub(crate) fn reserve(&mut self) -> Loc {
        self.program.add_node(Action::Return, self.cx.span, self.cx.handler)
    }

    /// Puts an action at the current location.
    pub(crate) fn put(&mut self, action: Action) {
        self.read_now();
        self.put_here(action);
    }

    fn put_here(&mut self, action: Action) {
        let node = &mut self.program.nodes[self.cx.cur.index()];
        node.action = action;
        node.span = self.cx.span;
        node.handler = self.cx.handler;
    }

    /// Puts an action whose successor becomes the current location.
    pub(crate) fn emit(&mut self, action: impl FnOnce(Loc) -> Action) {
        let next = self.reserve();
        self.put(action(next));
        self.cx.cur = next;
    }

    /// Ends the current path with an action that has no successor.
    pub(crate) fn end_path(&mut self, action: Action) {
        self.put(action);
        self.cx.cur = self.reserve();
    }

    pub(crate) fn goto(&mut self, target: Loc) {
        self.end_path(Action::Skip { next: target });
    }

    pub(crate) fn assign(&mut self, to: Place, value: Model) {
        if to == Place::Nowhere {
            return self.note(value);
        }
        if self.is_unfollowed(&to) {
            self.note(value);
            // Nobody else can name an object before its declaration is over.
            if self.in_declaration && matches!(to, Place::Var(_)) {
                return;
            }
            // What is read for a value that is not followed is read in the same step.
            let value = self.noted().unwrap_or(Model::Any);
            return self.emit(|next| Action::Assign { to, value, next });
        }
        self.emit(|next| Action::Assign { to, value, next });
    }

    /// Whether an assignment to the place changes nothing that is followed.
    pub(crate) fn is_unfollowed(&self, to: &Place) -> bool {
        let (mut any, mut all) = (false, true);
        to.each_cell(&self.program, |cell| {
            any = true;
            all &= self.program.vars[cell.index()].domain == Domain::Opaque;
        });
        any && all
    }

    // ---- values that are not followed --------------------------------------------------------

    /// Evaluates an expression whose value goes nowhere: it still reads, calls and may fail.
    pub(crate) fn effects(&mut self, e: &'a syntax::Expr) {
        let value = self.value(e, None);
        if let Val::Scalar(value, ty) = &value {
            self.intermediate(value, *ty, e);
        }
        self.note_value(value);
    }

    pub(crate) fn note_value(&mut self, value: Val) {
        match value {
            Val::Scalar(value, _) => self.note(value),
            Val::Composite(obj, ty) => self.note_object(&obj, ty),
            Val::Unknown { .. } => {}
        }
    }

    /// All of an object is read.
    pub(crate) fn note_object(&mut self, obj: &Obj, ty: TypeId) {
        for (leaf, _) in self.leaves(obj, ty) {
            let value = self.read(&leaf);
            self.note(value);
        }
    }

    /// A value is evaluated here, and not used.
    pub(crate) fn note(&mut self, value: Model) {
        let mut reads = false;
        value.walk(&mut |e| reads |= matches!(e, Model::Var(_) | Model::Load(..) | Model::Lookup(..)));
        if reads && !self.cx.reads.contains(&value) {
            self.cx.reads.push(value);
        }
    }

    /// Reads everything that is noted and not written down yet. Its value means nothing.
    fn noted(&mut self) -> Option<Model> {
        fn all(reads: &[Model]) -> Model {
            match reads {
                [only] => only.clone(),
                reads => {
                    let (a, b) = reads.split_at(reads.len() / 2);
                    // A comparison cannot fail itself.
                    Model::Binary(BinaryOp::Equal, Box::new(all(a)), Box::new(all(b)))
                }
            }
        }
        let reads = std::mem::take(&mut self.cx.reads);
        (!reads.is_empty()).then(|| all(&reads))
    }

    /// Writes down what is noted. Control must not be moved elsewhere before.
    pub(crate) fn read_now(&mut self) {
        if let Some(value) = self.noted() {
            let next = self.reserve();
            self.put_here(Action::Assign { to: Place::Nowhere, value, next });
            self.cx.cur = next;
        }
    }

    /// What is evaluated meanwhile was evaluated elsewhere, or is not evaluated at all.
    pub(crate) fn unread<T>(&mut self, code: impl FnOnce(&mut Self) -> T) -> T {
        let reads = std::mem::take(&mut self.cx.reads);
        let result = code(self);
        self.cx.reads = reads;
        result
    }

    /// The value of a condition with everything that it reads.
    pub(crate) fn with_reads(&mut self, condition: Model) -> Model {
        match self.noted() {
            None => condition,
            Some(reads) => Model::If(Box::new(reads), Box::new(condition.clone()), Box::new(condition)),
        }
    }

    pub(crate) fn raise(&mut self, exception: ExceptionId) {
        if self.in_barrier {
            // Whatever it is, the callers get Program_Error.
            return self.cx.reads.push(Model::Check(Box::new(Model::FALSE), 1, 1));
        }
        let exception = Model::Const(i64::from(exception.0));
        self.end_path(Action::Raise { exception, by_tasking: false });
    }

    /// Records a construct without a model; reaching it ends the analysis of that execution.
    pub(crate) fn reject(&mut self, span: Span, text: impl Into<String>) {
        let text = text.into();
        let outer = std::mem::replace(&mut self.cx.span, span);
        self.end_path(Action::Unsupported { text: text.clone() });
        self.cx.span = outer;
        let diagnostic = Diagnostic::warning(span, text).label("not modelled");
        if !self.rejected.contains(&diagnostic) {
            self.rejected.push(diagnostic);
        }
    }

    pub(crate) fn cell(&mut self, name: String, domain: Domain, init: Value, span: Span) -> VarId {
        let var = self.program.add_var(name, domain, init, self.cx.storage);
        self.program.vars[var.index()].span = span;
        self.cx.locals.push(var);
        var
    }

    /// A cell for an intermediate value.
    pub(crate) fn temporary(&mut self, name: &str, domain: Domain) -> VarId {
        let var = self.local(name, domain, self.cx.span);
        self.program.vars[var.index()].temporary = true;
        var
    }

    /// A cell of the task whose code is being written.
    pub(crate) fn local(&mut self, name: &str, domain: Domain, span: Span) -> VarId {
        let storage = std::mem::replace(&mut self.cx.storage, Storage::Local(self.cx.task));
        let var = self.cell(format!("{}{name}", self.cx.prefix), domain, Value::Any, span);
        self.cx.storage = storage;
        var
    }

    /// Leaves nested scopes down to `depth`, in order.
    pub(crate) fn clean_up(&mut self, depth: usize) {
        for cleanup in self.cx.cleanups[depth..].iter().rev().cloned().collect::<Vec<_>>() {
            match cleanup {
                Cleanup::Await(master) => {
                    self.emit(|next| Action::Await { masters: vec![master], next });
                }
                Cleanup::EndAsync => self.emit(|next| Action::EndAsync { next }),
                Cleanup::Finalize(region) => self.leave_region(region, None),
            }
        }
    }

    /// Runs `code` with a handler that catches everything; `on_failure` is written at the
    /// handler's location and gets the cell of the occurrence.
    pub(crate) fn guarded(
        &mut self,
        code: impl FnOnce(&mut Self),
        on_failure: impl FnOnce(&mut Self, VarId),
    ) {
        self.caught(true, code, on_failure);
    }

    /// The same; `cleanup` says whether what was caught goes on after that, so that nobody has handled it.
    pub(crate) fn caught(
        &mut self,
        cleanup: bool,
        code: impl FnOnce(&mut Self),
        on_failure: impl FnOnce(&mut Self, VarId),
    ) {
        let occurrence = self.temporary("occurrence", Domain::Range(0, i64::from(u16::MAX)));
        let outer = self.cx.handler;
        let target = self.reserve();
        self.program.handlers.push(Handler {
            choices: vec![(Catch::Others, target)],
            occurrence: Some(occurrence),
            outer,
            cleanup,
        });
        self.cx.handler = Some(HandlerId::from(self.program.handlers.len() - 1));
        code(self);
        self.read_now();
        self.cx.handler = outer;
        let after = self.cx.cur;
        self.cx.cur = target;
        on_failure(self, occurrence);
        self.cx.cur = after;
    }

    // ---- scopes and names --------------------------------------------------------------------

    pub(crate) fn new_scope(&mut self, parent: ScopeId, name: impl Into<String>) -> ScopeId {
        self.scopes.push(Scope { parent: Some(parent), name: name.into(), ..Scope::default() });
        ScopeId(self.scopes.len() - 1)
    }

    pub(crate) fn bind(&mut self, scope: ScopeId, name: &str, binding: Binding<'a>) {
        let list = self.scopes[scope.0].names.entry(name.to_owned()).or_default();
        let overloads =
            |b: &Binding| matches!(b, Binding::Subprogram(_) | Binding::Literal(..) | Binding::Entry(_));
        if !overloads(&binding) {
            list.clear();
        }
        // The newest declaration is found first.
        list.insert(0, binding);
    }

    pub(crate) fn bind_object(&mut self, name: &Ident, obj: Obj, ty: TypeId, constant: bool) {
        self.bind(self.cx.scope, &name.key, Binding::Object { obj, ty, constant });
    }

    /// What a simple name may mean, the nearest first.
    pub(crate) fn look_up(&self, scope: ScopeId, name: &str) -> Vec<Binding<'a>> {
        let mut found: Vec<Binding<'a>> = Vec::new();
        let mut at = Some(scope);
        let overloads =
            |b: &Binding| matches!(b, Binding::Subprogram(_) | Binding::Literal(..) | Binding::Entry(_));
        let mut libraries: Vec<Rc<str>> = Vec::new();
        while let Some(id) = at {
            let scope = &self.scopes[id.0];
            for list in [scope.names.get(name)].into_iter().flatten() {
                for binding in list {
                    if !overloads(binding) {
                        if found.is_empty() {
                            found.push(binding.clone());
                        }
                        return found;
                    }
                    found.push(binding.clone());
                }
            }
            at = scope.parent;
        }
        // Names made visible by use clauses are hidden by directly visible ones.
        let mut at = Some(scope);
        let mut used = Vec::new();
        while let Some(id) = at {
            let scope = &self.scopes[id.0];
            for package in &scope.uses {
                if let Some(list) = self.scopes[package.0].names.get(name) {
                    used.extend(list.iter().cloned());
                }
            }
            libraries.extend(scope.library_uses.iter().cloned());
            at = scope.parent;
        }
        if found.is_empty() && used.iter().any(|b| !overloads(b)) {
            used.retain(|b| !overloads(b));
            used.truncate(1);
        } else {
            used.retain(overloads);
        }
        found.extend(used);
        if found.is_empty()
            && let Some(unit) = libraries.first()
        {
            found.push(Binding::Library(format!("{unit}.{name}").into()));
        }
        found
    }

    fn register_library(&mut self, name: &str) {
        let mut scope = self.std.scope;
        let parts: Vec<&str> = name.split('.').collect();
        for (i, part) in parts.iter().enumerate() {
            let full = parts[..=i].join(".");
            let existing = self.scopes[scope.0].names.get(*part).and_then(|l| l.first()).cloned();
            match existing {
                Some(Binding::Package(inner)) => scope = inner,
                Some(_) => return,
                None => {
                    self.bind(scope, part, Binding::Library(full.into()));
                    return;
                }
            }
        }
    }

    // ---- library units -----------------------------------------------------------------------

    /// Elaborates what a unit needs, and makes its context clause visible in its scope.
    fn elaborate_context(&mut self, unit: usize) {
        let unit = &self.units.all[unit];
        for with in &unit.withs {
            self.elaborate_unit(&dotted(with));
        }
        // A unit with limited view comes later; until then its name stands for something unknown.
        for with in &unit.limited {
            let full = dotted(with);
            let (parent, simple) = full.rsplit_once('.').unwrap_or(("", &full));
            let scope = self.packages.get(parent).copied().unwrap_or(self.std.scope);
            if !self.scopes[scope.0].names.contains_key(simple) {
                self.bind(scope, simple, Binding::Library(full.as_str().into()));
            }
        }
    }

    /// The scope in which a library unit is declared: its parent's, with its use clauses.
    fn unit_scope(&mut self, unit: usize) -> ScopeId {
        let (name, _) = unit_name(&self.units.all[unit].decl);
        let parent = match name.rsplit_once('.') {
            Some((parent, _)) => {
                self.elaborate_unit(parent);
                self.packages.get(parent).copied().unwrap_or(self.std.scope)
            }
            None => self.std.scope,
        };
        let scope = self.new_scope(parent, "");
        self.use_context(unit, scope);
        scope
    }

    fn use_context(&mut self, unit: usize, scope: ScopeId) {
        let outer = std::mem::replace(&mut self.cx.scope, scope);
        for decl in &self.units.all[unit].context {
            self.declare(decl);
        }
        self.cx.scope = outer;
    }

    /// Elaborates a library unit by name, its specification before its body. Tasks of a unit that is
    /// being elaborated around it start with that unit's body, not with this one's.
    fn elaborate_unit(&mut self, name: &str) {
        let around = std::mem::take(&mut self.cx.pending);
        self.elaborate_parts(name);
        let left = std::mem::replace(&mut self.cx.pending, around);
        self.cx.pending.extend(left);
    }

    fn elaborate_parts(&mut self, name: &str) {
        if let Some((parent, _)) = name.rsplit_once('.') {
            self.elaborate_unit(parent);
        }
        for index in
            [self.units.specs.get(name).copied(), self.units.bodies.get(name).copied()].into_iter().flatten()
        {
            if !self.elaborated.insert(index) {
                continue;
            }
            self.elaborate_context(index);
            let unit = &self.units.all[index];
            match &unit.decl.kind {
                DeclKind::Package { name: full, decls, private } => {
                    let outer = self.unit_scope(index);
                    let scope = self.package_scope(full, outer);
                    self.register_bodies(scope, decls);
                    if let Some(body) = self.units.bodies.get(name)
                        && let DeclKind::PackageBody { decls, .. } = &self.units.all[*body].decl.kind
                    {
                        self.register_bodies(scope, decls);
                    }
                    self.package_part(scope, &full_name(full), |e| {
                        e.declare_all(decls);
                        e.declare_all(private);
                    });
                    if !self.units.bodies.contains_key(name) {
                        self.activate_pending();
                    }
                    for with in &self.units.all[index].limited {
                        self.elaborate_unit(&dotted(with));
                    }
                }
                DeclKind::PackageBody { name: full, decls, handled } => {
                    let Some(&scope) = self.packages.get(name) else { continue };
                    // A generic's body is elaborated with its instances.
                    self.use_context(index, scope);
                    self.package_part(scope, &full_name(full), |e| {
                        e.declare_all(decls);
                        if let Some(handled) = handled {
                            e.handled(handled);
                        }
                    });
                    self.activate_pending();
                }
                _ => {
                    let scope = self.unit_scope(index);
                    let outer = std::mem::replace(&mut self.cx.scope, scope);
                    if let (DeclKind::Generic { decl, .. }, Some(body)) =
                        (&unit.decl.kind, self.units.bodies.get(name))
                    {
                        let (simple, _) = unit_name(decl);
                        let simple = simple.rsplit('.').next().unwrap_or("").to_owned();
                        self.use_context(*body, scope);
                        self.elaborate_context(*body);
                        self.generic_bodies.insert((scope, simple), &self.units.all[*body].decl);
                    }
                    self.declare(&unit.decl);
                    self.cx.scope = outer;
                    if let DeclKind::Subprogram { spec, .. } = &unit.decl.kind {
                        self.unit_contracts(name, spec, scope);
                    }
                    // The unit's own name is declared in its scope; make it visible to all.
                    let simple = name.rsplit('.').next().unwrap_or(name);
                    let parent = self.scopes[scope.0].parent.unwrap_or(self.std.scope);
                    if let Some(list) = self.scopes[scope.0].names.get(simple).cloned() {
                        for binding in list.into_iter().rev() {
                            match &binding {
                                Binding::Package(inner) => {
                                    self.packages.insert(name.to_owned(), *inner);
                                }
                                _ => {
                                    self.library_units.insert(name.to_owned(), binding.clone());
                                }
                            }
                            self.bind(parent, simple, binding);
                        }
                    }
                }
            }
        }
    }

    /// A library unit that was elaborated, by its full name.
    pub(crate) fn library_unit(&self, name: &str) -> Option<Binding<'a>> {
        match self.packages.get(name) {
            Some(scope) => Some(Binding::Package(*scope)),
            None => self.library_units.get(name).cloned(),
        }
    }

    /// The scope of a library package that was elaborated.
    pub(crate) fn library_package(&self, name: &str) -> Option<ScopeId> {
        self.packages.get(name).copied()
    }

    fn package_scope(&mut self, name: &syntax::Expr, outer: ScopeId) -> ScopeId {
        let full = dotted(name);
        let simple = full.rsplit('.').next().unwrap_or(&full).to_owned();
        let scope = self.new_scope(outer, full_name(name));
        let parent = self.scopes[outer.0].parent.unwrap_or(self.std.scope);
        self.bind(parent, &simple, Binding::Package(scope));
        self.packages.insert(full, scope);
        scope
    }

    fn package_part(&mut self, scope: ScopeId, name: &str, code: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.cx.scope, scope);
        let prefix = std::mem::replace(&mut self.cx.prefix, format!("{name}."));
        code(self);
        self.cx.prefix = prefix;
        self.cx.scope = outer;
    }

    /// Notes bodies of generic units, which may be instantiated before they are reached.
    pub(crate) fn register_bodies(&mut self, scope: ScopeId, decls: &'a [Decl]) {
        for decl in decls {
            let is_body = matches!(
                &decl.kind,
                DeclKind::PackageBody { .. }
                    | DeclKind::Subprogram {
                        body: SubprogramBody::Body(_) | SubprogramBody::Expression(_),
                        ..
                    }
            );
            if is_body {
                let (name, _) = unit_name(decl);
                self.generic_bodies.entry((scope, name)).or_insert(decl);
            }
        }
    }
}

/// A dotted name as written.
pub(crate) fn full_name(name: &syntax::Expr) -> String {
    match &name.kind {
        ExprKind::Name(ident) => ident.text.clone(),
        ExprKind::Select(prefix, ident) => format!("{}.{}", full_name(prefix), ident.text),
        _ => String::new(),
    }
}
