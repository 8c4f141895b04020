//! Types, objects, names and scopes: what the front end knows while it elaborates.

use std::collections::HashMap;
use std::rc::Rc;

use rendez_model::{EntryId, ExceptionId, Expr, MasterId, TableId, TaskId, VarId};
use rendez_source::Span;

use crate::syntax;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitTypeId(pub usize);

/// An instance of a protected type: its number is that of the model's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceId(pub usize);

#[derive(Clone, Debug)]
pub struct Type<'a> {
    pub name: String,
    /// The type that this is a subtype of, itself for a first subtype.
    pub root: TypeId,
    pub kind: TypeKind<'a>,
    /// Where it is declared: its operations are declared there, too.
    pub scope: ScopeId,
    /// The type that it is derived from.
    pub parent: Option<TypeId>,
    /// `T'Class`: objects of the type or of any type derived from it.
    pub class_wide: bool,
    pub predicates: Vec<Contract<'a>>,
    pub invariants: Vec<Contract<'a>>,
    /// What holds of objects that are initialised by default.
    pub initials: Vec<Contract<'a>>,
}

/// A condition on the values of a type, in which the name of the type stands for the value.
#[derive(Clone, Debug)]
pub struct Contract<'a> {
    pub condition: &'a syntax::Expr,
    pub name: &'a syntax::Ident,
    pub scope: ScopeId,
    pub kind: &'a syntax::Ident,
    /// What is evaluated if it does not hold.
    pub failure: Option<&'a syntax::Expr>,
}

#[derive(Clone, Debug)]
pub enum TypeKind<'a> {
    Integer {
        lo: i64,
        hi: i64,
        modulus: Option<i64>,
    },
    Enumeration {
        literals: Rc<Vec<String>>,
        lo: i64,
        hi: i64,
    },
    Array {
        bounds: Option<Vec<(i64, i64)>>,
        dimensions: usize,
        element: TypeId,
    },
    Record {
        def: &'a syntax::RecordDef,
        discriminants: &'a [syntax::Param],
        scope: ScopeId,
        parent: Option<TypeId>,
        /// A constraint on the discriminants, and where to evaluate it.
        constraint: Option<(&'a [syntax::Arg], ScopeId)>,
    },
    Access {
        target: TypeId,
        master: MasterId,
        /// A subtype that restricts what is designated: its check is not followed.
        constrained: bool,
    },
    /// Values number the subprograms whose access is ever taken.
    AccessSubprogram {
        profile: &'a syntax::Profile,
        scope: ScopeId,
    },
    Task {
        of: UnitTypeId,
        constraint: Option<(&'a [syntax::Arg], ScopeId)>,
    },
    Protected {
        of: UnitTypeId,
        constraint: Option<(&'a [syntax::Arg], ScopeId)>,
    },
    /// What it designates is a task, a protected object or a tagged record.
    Interface,
    /// Numbers that are not followed; passed by copy.
    Real,
    /// Not followed: strings, private types of the library.
    Opaque,
    /// Calling or selecting anything of such an object is rejected, with this text.
    Unmodelled(&'static str),
    /// Declared, but its full declaration was not seen yet.
    Unfinished,
}

/// A task or protected type.
pub struct UnitType<'a> {
    pub name: String,
    pub span: Span,
    pub scope: ScopeId,
    pub discriminants: &'a [syntax::Param],
    pub entries: Vec<&'a syntax::EntryDecl>,
    /// Declarations of a protected type, private ones last.
    pub items: Vec<&'a syntax::Decl>,
    pub body: UnitBody<'a>,
    /// Implements interfaces.
    pub implements: bool,
    /// Its tasks belong to the environment.
    pub background: bool,
    /// The priority of its tasks, or the ceiling of its objects.
    pub priority: Option<&'a syntax::Expr>,
    /// Its functions exclude each other, as its procedures do.
    pub exclusive: bool,
}

impl UnitType<'_> {
    pub fn is_protected(&self) -> bool {
        !self.items.is_empty()
    }

    /// Whether its operations are attached to interrupts.
    pub fn handles_interrupts(&self) -> bool {
        let is_it =
            |name: &syntax::Ident| matches!(name.key.as_str(), "attach_handler" | "interrupt_handler");
        self.items.iter().any(|item| match &item.kind {
            syntax::DeclKind::Subprogram { spec, .. } => spec.aspects.iter().any(|a| is_it(&a.name)),
            syntax::DeclKind::Pragma { name, .. } => is_it(name),
            _ => false,
        })
    }
}

pub enum UnitBody<'a> {
    Missing,
    Task(&'a syntax::Body),
    Protected(&'a [syntax::Decl]),
}

/// An entry or entry family of one task or protected object.
#[derive(Clone, Debug)]
pub struct EntrySet<'a> {
    pub decl: &'a syntax::EntryDecl,
    pub first: EntryId,
    /// Index range of a family.
    pub bounds: Option<(i64, i64)>,
    /// Where its parameter types are declared.
    pub scope: ScopeId,
}

/// What was made of a task or protected object.
pub struct Instance<'a> {
    pub of: UnitTypeId,
    /// Holds the discriminants, entries and components.
    pub scope: ScopeId,
    pub entries: HashMap<String, EntrySet<'a>>,
    pub name: String,
}

#[derive(Clone, Debug)]
pub enum Obj {
    Cell(VarId),
    Const(i64),
    /// A value that is computed where it is read.
    Value(Expr),
    Array(Rc<ArrayObj>),
    Record(Rc<Vec<(String, Obj, TypeId)>>),
    Task(TaskId),
    Protected(InstanceId),
    /// One of several, chosen at run time by an index counted from 0.
    Chosen {
        index: Expr,
        choices: Rc<Vec<Obj>>,
    },
    /// What an access value designates.
    Designated {
        pool: PoolId,
        index: Expr,
        path: Rc<Vec<Step>>,
    },
    /// Some of the cells that a table names, or none: nobody knows which.
    Among(TableId),
    /// A value without storage that anybody else could name.
    Opaque,
}

#[derive(Debug)]
pub struct ArrayObj {
    pub bounds: Vec<(i64, i64)>,
    pub elements: Vec<Obj>,
    pub element: TypeId,
}

/// A way into a designated object.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Field(String),
    /// An element by its position in row-major order.
    Element(usize),
    /// Any of this many elements: the index of the designated object is multiplied by it.
    AnyElement(usize),
}

pub struct Subprogram<'a> {
    pub name: String,
    pub spec: &'a syntax::Spec,
    pub scope: ScopeId,
    pub span: Span,
    pub kind: SubprogramKind<'a>,
}

#[derive(Clone)]
pub enum SubprogramKind<'a> {
    /// Its body is found when it is called: it may be declared later.
    Plain,
    Body(&'a syntax::SubprogramBody),
    /// Operation of a protected object.
    Operation(InstanceId),
    /// Another name for something callable.
    Renamed(&'a syntax::Expr, ScopeId),
    Abstract,
}

#[derive(Clone)]
pub enum Binding<'a> {
    Object {
        obj: Obj,
        ty: TypeId,
        constant: bool,
    },
    Number(i64),
    Type(TypeId),
    Literal(TypeId, i64),
    Exception(ExceptionId),
    Package(ScopeId),
    Subprogram(Rc<Subprogram<'a>>),
    Generic {
        formals: &'a [syntax::Decl],
        decl: &'a syntax::Decl,
        scope: ScopeId,
    },
    Entry(Rc<EntrySet<'a>>),
    /// What a handler has caught: the cell that says which exception it is.
    Occurrence(VarId),
    /// A name for an expression that is evaluated where it is used.
    Renamed(&'a syntax::Expr, ScopeId),
    /// Part of a library unit that is not modelled.
    Library(Rc<str>),
    /// Has no value that can be followed.
    Opaque,
}

#[derive(Default)]
pub struct Scope<'a> {
    pub parent: Option<ScopeId>,
    pub names: HashMap<String, Vec<Binding<'a>>>,
    pub uses: Vec<ScopeId>,
    /// Library units made directly visible.
    pub library_uses: Vec<Rc<str>>,
    pub name: String,
    /// What pragmas say about kinds of assertions, the last one last.
    pub policies: Vec<crate::checks::Stated>,
}

/// Everything a name can mean.
#[derive(Clone)]
pub enum Meaning<'a> {
    Object(Obj, TypeId, bool),
    Value(Expr, Option<TypeId>),
    /// A value that is not followed; `input` if the environment chooses it.
    Unknown {
        input: bool,
    },
    Type(TypeId),
    Package(ScopeId),
    Subprograms(Vec<Rc<Subprogram<'a>>>),
    Exception(ExceptionId),
    Literals(Vec<(TypeId, i64)>),
    /// What a handler has caught.
    Occurrence(VarId),
    /// An entry of known or run-time owner; still to be indexed if a family.
    Entry(EntryRef<'a>),
    /// Operations of a tagged type, called with an object before the dot.
    Prefixed {
        subs: Vec<Rc<Subprogram<'a>>>,
        prefix: &'a syntax::Expr,
        /// The prefix is an access value, implicitly dereferenced.
        dereference: bool,
    },
    /// Protected operation of an object chosen at run time.
    Operation {
        prefix: Obj,
        ty: TypeId,
        name: syntax::Ident,
    },
    /// A subprogram that an access value designates.
    Routine {
        value: Expr,
        ty: TypeId,
    },
    Generic {
        formals: &'a [syntax::Decl],
        decl: &'a syntax::Decl,
        scope: ScopeId,
    },
    Library(Rc<str>),
    Undeclared(String),
}

#[derive(Clone, Debug)]
pub struct EntryRef<'a> {
    /// Evaluates to the number of the entry, or of the first of its family.
    pub entry: Expr,
    pub set: Rc<EntrySet<'a>>,
}

/// What an attribute is of.
pub enum Prefix {
    Type(TypeId),
    Object(Obj, TypeId),
}

/// A value of an expression. Who does not use it must note what it reads.
#[derive(Clone, Debug)]
#[must_use]
pub enum Val {
    Scalar(Expr, Option<TypeId>),
    Composite(Obj, TypeId),
    Unknown { input: bool },
}

/// How many values a range has, as far as they can be counted.
pub fn length((lo, hi): (i64, i64)) -> i64 {
    hi.saturating_sub(lo).saturating_add(1).max(0)
}

/// How many elements an array with these bounds has.
pub fn elements(bounds: &[(i64, i64)]) -> i64 {
    bounds.iter().map(|b| length(*b)).fold(1, i64::saturating_mul)
}
