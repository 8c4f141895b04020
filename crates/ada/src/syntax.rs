//! The syntax tree of Ada, as far as the front end looks at it.

use rendez_source::Span;

/// A name as written, and the form in which Ada compares it.
#[derive(Clone, Debug, Default)]
pub struct Ident {
    pub text: String,
    pub key: String,
    pub span: Span,
}

impl Ident {
    pub fn new(text: &str, span: Span) -> Ident {
        Ident { text: text.to_owned(), key: text.to_lowercase(), span }
    }
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub withs: Vec<Expr>,
    /// Units of which only the types are seen, incompletely.
    pub limited: Vec<Expr>,
    /// Use clauses and pragmas before the unit.
    pub context: Vec<Decl>,
    pub separate: Option<Expr>,
    pub decl: Decl,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Concat,
    Multiply,
    Divide,
    Mod,
    Rem,
    Power,
    And,
    AndThen,
    Or,
    OrElse,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Binary {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Concat => "&",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Mod => "mod",
            Binary::Rem => "rem",
            Binary::Power => "**",
            Binary::And | Binary::AndThen => "and",
            Binary::Or | Binary::OrElse => "or",
            Binary::Xor => "xor",
            Binary::Equal => "=",
            Binary::NotEqual => "/=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Plus,
    Minus,
    Abs,
    Not,
}

impl Unary {
    pub fn symbol(self) -> &'static str {
        match self {
            Unary::Plus => "+",
            Unary::Minus => "-",
            Unary::Abs => "abs",
            Unary::Not => "not",
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Real,
    Str(String),
    Char(char),
    Null,
    Name(Ident),
    /// `prefix.selector`; the selector `all` dereferences.
    Select(Box<Expr>, Ident),
    /// A call, an index or a conversion: only names tell.
    Call(Box<Expr>, Vec<Arg>),
    Slice(Box<Expr>, Box<Choice>),
    Attribute(Box<Expr>, Ident),
    Qualified(Box<Expr>, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Vec<Choice>, bool),
    If(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Case(Box<Expr>, Vec<(Vec<Choice>, Expr)>),
    Quantified {
        all: bool,
        name: Ident,
        domain: Box<Choice>,
        predicate: Box<Expr>,
    },
    Aggregate(Vec<Component>),
    New(Box<Subtype>, Option<Box<Expr>>),
    /// With its message.
    Raise(Box<Expr>, Option<Box<Expr>>),
    /// `<>`
    Default,
    /// `(base with delta ...)`: the choices are components of a record, or indices.
    Delta(Box<Expr>, Vec<Component>),
    /// Its value is not followed; what it evaluates is.
    Parts(Vec<Expr>),
    /// An expression that the front end does not look into.
    Other(&'static str),
}

impl Expr {
    /// Visits the expressions that this one consists of.
    pub fn each_part<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Select(e, _)
            | ExprKind::Attribute(e, _)
            | ExprKind::Qualified(_, e)
            | ExprKind::Unary(_, e) => f(e),
            ExprKind::Call(prefix, args) => {
                f(prefix);
                args.iter().for_each(|a| a.value.each_expr(f));
            }
            ExprKind::Slice(prefix, range) => {
                f(prefix);
                range.each_expr(f);
            }
            ExprKind::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::In(e, choices, _) => {
                f(e);
                choices.iter().for_each(|c| c.each_expr(f));
            }
            ExprKind::If(arms, otherwise) => {
                for (condition, value) in arms {
                    f(condition);
                    f(value);
                }
                otherwise.iter().for_each(|e| f(e));
            }
            ExprKind::Case(on, arms) => {
                f(on);
                arms.iter().for_each(|a| f(&a.1));
            }
            ExprKind::Quantified { predicate, .. } => f(predicate),
            ExprKind::Aggregate(components) => components.iter().for_each(|c| f(&c.value)),
            ExprKind::New(subtype, init) => {
                if let Some(Constraint::Args(args)) = &subtype.constraint {
                    args.iter().for_each(|a| a.value.each_expr(f));
                }
                init.iter().for_each(|e| f(e));
            }
            ExprKind::Raise(_, message) => message.iter().for_each(|e| f(e)),
            ExprKind::Delta(base, components) => {
                f(base);
                components.iter().for_each(|c| {
                    c.choices.iter().for_each(|choice| choice.each_expr(f));
                    f(&c.value);
                });
            }
            ExprKind::Parts(parts) => parts.iter().for_each(f),
            ExprKind::Int(_)
            | ExprKind::Real
            | ExprKind::Str(_)
            | ExprKind::Char(_)
            | ExprKind::Null
            | ExprKind::Name(_)
            | ExprKind::Default
            | ExprKind::Other(_) => {}
        }
    }
}

impl Choice {
    /// Visits the expressions of a choice.
    pub fn each_expr<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match self {
            Choice::Expr(e) => f(e),
            Choice::Range(a, b) => {
                f(a);
                f(b);
            }
            // A bare name may have been read as a subtype mark.
            Choice::Subtype(subtype) => f(&subtype.mark),
            Choice::RangeOf(..) | Choice::Open(_) | Choice::Others => {}
        }
    }
}

#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Option<Ident>,
    pub value: Choice,
}

#[derive(Clone, Debug)]
pub struct Component {
    pub choices: Vec<Choice>,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub enum Choice {
    Expr(Expr),
    Range(Box<Expr>, Box<Expr>),
    /// `prefix'Range`, with its dimension.
    RangeOf(Box<Expr>, Option<Box<Expr>>),
    Subtype(Box<Subtype>),
    /// `T range <>`: the bounds are left open.
    Open(Box<Expr>),
    Others,
}

#[derive(Clone, Debug)]
pub struct Subtype {
    pub mark: Expr,
    pub constraint: Option<Constraint>,
    /// `not null`
    pub not_null: bool,
}

#[derive(Clone, Debug)]
pub enum Constraint {
    Range(Choice),
    Args(Vec<Arg>),
    /// Digits or delta: real types are opaque.
    Real,
}

#[derive(Clone, Debug)]
pub enum TypeRef {
    Subtype(Box<Subtype>),
    /// And whether it excludes null.
    Access(Box<Expr>, bool),
    AccessSubprogram(Box<Profile>),
    Array(Vec<Choice>, Box<TypeRef>),
}

#[derive(Clone, Debug)]
pub enum TypeDef {
    Enumeration(Vec<Ident>),
    Range(Box<Expr>, Box<Expr>),
    Modular(Box<Expr>),
    /// And whether it has a range of its own.
    Real(bool),
    Array(Vec<Choice>, Box<TypeRef>),
    Record(RecordDef),
    /// And whether it excludes null.
    Access(Subtype, bool),
    AccessSubprogram(Box<Profile>),
    Derived(Subtype, Option<RecordDef>),
    Interface,
    Private,
    Incomplete,
    /// A generic formal type, bound at instantiation.
    Formal,
}

#[derive(Clone, Debug, Default)]
pub struct RecordDef {
    pub tagged: bool,
    pub components: Vec<Decl>,
    pub variants: Option<VariantPart>,
}

#[derive(Clone, Debug)]
pub struct VariantPart {
    pub on: Ident,
    pub variants: Vec<(Vec<Choice>, RecordDef)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    In,
    Out,
    InOut,
}

impl From<ParamMode> for rendez_model::Mode {
    fn from(mode: ParamMode) -> Self {
        match mode {
            ParamMode::In => rendez_model::Mode::In,
            ParamMode::Out => rendez_model::Mode::Out,
            ParamMode::InOut => rendez_model::Mode::InOut,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Ident,
    pub mode: ParamMode,
    pub ty: TypeRef,
    pub default: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Spec {
    pub name: Expr,
    pub ident: Ident,
    pub params: Vec<Param>,
    /// The result, for functions.
    pub result: Option<TypeRef>,
    pub aspects: Vec<Aspect>,
}

/// What a subprogram designated by an access value takes and returns.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub params: Vec<Param>,
    pub result: Option<TypeRef>,
    /// Access values to it exclude null.
    pub not_null: bool,
}

#[derive(Clone, Debug)]
pub struct EntryDecl {
    pub name: Ident,
    pub family: Option<Choice>,
    pub params: Vec<Param>,
    /// The hardware calls it.
    pub interrupt: bool,
    pub aspects: Vec<Aspect>,
}

#[derive(Clone, Debug)]
pub struct Aspect {
    pub name: Ident,
    /// `Name'Class`.
    pub class: bool,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Decl {
    pub kind: DeclKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Body {
    pub decls: Vec<Decl>,
    pub handled: Handled,
}

#[derive(Clone, Debug, Default)]
pub struct Handled {
    pub stmts: Vec<Stmt>,
    pub handlers: Vec<HandlerSyntax>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct HandlerSyntax {
    pub occurrence: Option<Ident>,
    /// None is `others`.
    pub choices: Vec<Option<Expr>>,
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum SubprogramBody {
    None,
    Abstract,
    Null,
    Expression(Expr),
    Body(Body),
    Separate,
}

#[derive(Clone, Debug)]
pub enum Renamed {
    Object,
    Package,
    Exception,
    Generic,
    Subprogram(Box<Spec>),
}

#[derive(Clone, Debug)]
pub enum DeclKind {
    Object {
        names: Vec<Ident>,
        constant: bool,
        ty: TypeRef,
        init: Option<Expr>,
        aspects: Vec<Aspect>,
    },
    Number {
        names: Vec<Ident>,
        value: Expr,
    },
    Type {
        name: Ident,
        discriminants: Vec<Param>,
        def: TypeDef,
        aspects: Vec<Aspect>,
    },
    Subtype {
        name: Ident,
        subtype: Subtype,
        aspects: Vec<Aspect>,
    },
    Exception {
        names: Vec<Ident>,
    },
    Renaming {
        name: Ident,
        what: Renamed,
        target: Expr,
    },
    Subprogram {
        spec: Spec,
        body: SubprogramBody,
    },
    Package {
        name: Expr,
        decls: Vec<Decl>,
        private: Vec<Decl>,
    },
    PackageBody {
        name: Expr,
        decls: Vec<Decl>,
        handled: Option<Handled>,
    },
    Task {
        name: Ident,
        single: bool,
        discriminants: Vec<Param>,
        entries: Vec<EntryDecl>,
        interfaces: Vec<Expr>,
        priority: Option<Expr>,
        aspects: Vec<Aspect>,
    },
    TaskBody {
        name: Ident,
        body: Body,
    },
    Protected {
        name: Ident,
        single: bool,
        discriminants: Vec<Param>,
        items: Vec<Decl>,
        private: Vec<Decl>,
        interfaces: Vec<Expr>,
        /// The ceiling.
        priority: Option<Expr>,
        aspects: Vec<Aspect>,
    },
    ProtectedBody {
        name: Ident,
        items: Vec<Decl>,
    },
    Entry(EntryDecl),
    EntryBody {
        name: Ident,
        index: Option<(Ident, Choice)>,
        params: Vec<Param>,
        barrier: Expr,
        body: Body,
    },
    Generic {
        formals: Vec<Decl>,
        decl: Box<Decl>,
    },
    Instance {
        name: Expr,
        ident: Ident,
        generic: Expr,
        args: Vec<Arg>,
    },
    FormalSubprogram {
        spec: Spec,
        default: Option<Expr>,
        box_default: bool,
    },
    FormalPackage {
        name: Ident,
    },
    Use {
        names: Vec<Expr>,
        is_type: bool,
    },
    Pragma {
        name: Ident,
        args: Vec<(Option<Ident>, Expr)>,
    },
    /// `for T'Write use P`, and the like.
    Operational {
        of: Ident,
        attribute: Ident,
        value: Expr,
    },
    Stub {
        name: Ident,
    },
    /// Representation clauses and the like, without effect here.
    Ignored,
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// Its first line, for messages.
    pub span: Span,
    /// All of it.
    pub whole: Span,
    pub labels: Vec<Ident>,
}

#[derive(Clone, Debug)]
pub enum Scheme {
    While(Expr),
    For { name: Ident, reverse: bool, domain: Choice },
    Parallel { name: Ident, domain: Choice },
    Of { name: Ident, reverse: bool, array: Expr },
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub struct Accept {
    pub entry: Ident,
    pub index: Option<Expr>,
    pub params: Vec<Param>,
    pub body: Option<Handled>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum SelectAlternative {
    Accept(Accept, Vec<Stmt>),
    Delay(Expr, Vec<Stmt>),
    Terminate,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Null,
    Assign(Expr, Expr),
    Call(Expr),
    Return(Option<Expr>),
    ExtendedReturn {
        name: Ident,
        ty: TypeRef,
        init: Option<Expr>,
        body: Option<Handled>,
    },
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    Case(Expr, Vec<(Vec<Choice>, Vec<Stmt>)>),
    Loop {
        label: Option<Ident>,
        scheme: Option<Scheme>,
        body: Vec<Stmt>,
    },
    Block {
        decls: Vec<Decl>,
        handled: Handled,
    },
    Exit {
        label: Option<Ident>,
        when: Option<Expr>,
    },
    Goto(Ident),
    Accept(Accept),
    Select {
        alternatives: Vec<(Option<Expr>, SelectAlternative)>,
        otherwise: Option<Vec<Stmt>>,
    },
    ConditionalCall {
        call: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    TimedCall {
        call: Expr,
        then: Vec<Stmt>,
        delay: Expr,
        otherwise: Vec<Stmt>,
    },
    Asynchronous {
        trigger: Box<Stmt>,
        then: Vec<Stmt>,
        abortable: Vec<Stmt>,
    },
    /// `parallel do ... and ... end do`
    Parallel(Vec<Vec<Stmt>>),
    Delay(Expr),
    Abort(Vec<Expr>),
    /// An exception, or the one at hand, and a message.
    Raise(Option<Expr>, Option<Expr>),
    Requeue {
        entry: Expr,
        with_abort: bool,
    },
    Pragma {
        name: Ident,
        args: Vec<(Option<Ident>, Expr)>,
    },
    /// `--@ assert`, with the condition.
    Assertion(Expr, String),
    /// `--@ event`.
    Event(String),
    /// A temporal formula that is asserted where control comes here.
    Formula(String),
    Unsupported(&'static str),
}

/// The name of a pragma that stands for a record representation clause: the type, then, for each component, its
/// position and its first and last bit.
pub const LAYOUT: &str = "record layout";
