//! Who accesses what: one task writes X, another one does something, and the verdict on races is compared.

use std::process::Command;

/// Runs the program in which one task assigns to X and another one executes a statement.
fn verdict(number: usize, declarations: &str, write: &str, statement: &str) -> String {
    let folder = std::env::temp_dir().join(format!("rendez-races-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("p{number}.adb"));
    let text = format!(
        "with Ada.Text_IO; with Ada.Integer_Text_IO; with Ada.Calendar; with Ada.Strings.Unbounded;\n\
         with Ada.Containers.Vectors; with Ada.Numerics.Elementary_Functions; with Ada.Numerics.Float_Random;\n\
         use Ada.Text_IO; use Ada.Integer_Text_IO; use Ada.Calendar; use Ada.Strings.Unbounded;\n\
         procedure P{number} is\n\
         \x20  package Lists is new Ada.Containers.Vectors (Positive, Integer);\n\
         \x20  {declarations}\n\
         \x20  task T1;\n\
         \x20  task T2;\n\
         \x20  task body T1 is\n\
         \x20  begin\n\
         \x20     {write}\n\
         \x20  end T1;\n\
         \x20  task body T2 is\n\
         \x20     Y : Integer := 0;\n\
         \x20     F : Float := 0.0;\n\
         \x20     B : Boolean := False;\n\
         \x20     S : String (1 .. 3) := \"abc\";\n\
         \x20  begin\n\
         \x20     {statement}\n\
         \x20  end T2;\n\
         begin\n\
         \x20  null;\n\
         end P{number};\n"
    );
    std::fs::write(&file, text).expect("a file");
    let output =
        Command::new(env!("CARGO_BIN_EXE_rendez")).arg("check").arg(&file).output().expect("rendez runs");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = report.lines().find(|l| l.starts_with("race "));
    let word = line.and_then(|l| l.split_whitespace().nth(1));
    word.unwrap_or_else(|| panic!("no verdict: {report}{}", String::from_utf8_lossy(&output.stderr)))
        .to_owned()
}

fn compare(wanted: &str, first: usize, cases: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (i, (declarations, write, statement)) in cases.iter().enumerate() {
        let found = verdict(first + i, declarations, write, statement);
        if found != wanted {
            wrong.push(format!("{declarations} | {write} | {statement}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{wanted} was expected of\n{}", wrong.join("\n"));
}

const INTEGER: &str = "X : Integer := 1;";
const REAL: &str = "X : Float := 1.0;";
const TEXT: &str = "X : Unbounded_String;";
const LIST: &str = "X : Lists.Vector;";

#[test]
fn reads_wherever_they_stand() {
    let set = "X := 2;";
    let statements = [
        "Put_Line (Integer'Image (X));",
        "Put_Line (X'Image);",
        "Put (X);",
        "Put (Item => X, Width => 3);",
        "F := Float (X);",
        "delay Duration (X);",
        "delay until Clock + Duration (X);",
        "Y := 2 ** X;",
        "Y := X ** 2;",
        "Y := Integer (F) + X;",
        "B := F > Float (X);",
        "B := X in Integer (F) .. 3;",
        "S (X) := 'a';",
        "S (X .. 3) := \"a\";",
        "S := S (1 .. X) & \"a\";",
        "F := (if X > 0 then 1.0 else 2.0);",
        "F := (case X is when 1 => 1.0, when others => 2.0);",
        "B := True; F := (if B then Float (X) else 2.0);",
        "B := (for all I in 1 .. X => I > 0);",
        "Y := Integer'Value (Integer'Image (X));",
        "Y := Integer'Max (X, Y);",
        "F := Ada.Numerics.Elementary_Functions.Sqrt (Float (X));",
        "declare A : array (1 .. X) of Integer; begin A (1) := 0; end;",
        "declare A : String (1 .. X); begin A (1) := 'a'; end;",
        "declare A : array (1 .. 1000) of Integer; begin A (X) := 1; end;",
        "declare A : array (1 .. 1000) of Integer := (others => X); begin Y := A (1); end;",
        "declare L : Lists.Vector; begin L.Append (X); Lists.Append (L, X); end;",
        "declare T : Unbounded_String := To_Unbounded_String (X'Image); begin Put_Line (To_String (T)); end;",
        "declare R : Integer renames X; begin Put (R); end;",
        "declare P : access Integer := new Integer'(X); begin null; end;",
        "for I in 1 .. X loop null; end loop;",
        "case X is when 1 => null; when others => null; end case;",
        "raise Program_Error with Integer'Image (X);",
        "B := X'Valid;",
        "select delay Duration (X); then abort null; end select;",
        "Y := Y / X;",
        "Y := -X;",
        "exit_if : loop exit exit_if when Float (X) > 0.0; end loop exit_if;",
    ];
    let cases: Vec<(&str, &str, &str)> = statements.iter().map(|s| (INTEGER, set, *s)).collect();
    compare("violated", 0, &cases);
}

#[test]
fn objects_of_every_kind() {
    compare(
        "violated",
        100,
        &[
            (REAL, "X := 2.0;", "X := 3.0;"),
            (REAL, "X := 2.0;", "F := X + 1.0;"),
            (REAL, "X := 2.0;", "Put_Line (X'Image);"),
            (REAL, "X := X + 1.0;", "if X > 1.0 then null; end if;"),
            ("type M is delta 0.1 range 0.0 .. 1.0; X : M;", "X := 0.5;", "X := X;"),
            ("type M is mod 2 ** 64; X : M := 0;", "X := X + 1;", "X := X xor 3;"),
            ("type M is mod 16; X : M := 0;", "X := 1;", "X := X and 3;"),
            ("X : Duration := 1.0;", "X := 2.0;", "delay X;"),
            ("X : Time := Clock;", "X := Clock;", "F := Float (Clock - X);"),
            (TEXT, "X := To_Unbounded_String (\"a\");", "Put_Line (To_String (X));"),
            (TEXT, "Append (X, 'a'); X := X & 'b';", "B := X = \"a\";"),
            (LIST, "X.Append (1);", "X.Clear;"),
            (LIST, "X := Lists.Empty_Vector;", "X.Append (1);"),
            (LIST, "X.Append (1);", "Y := Integer (Lists.Length (X));"),
            ("X : String := \"abc\";", "X := \"xyz\";", "Put_Line (X);"),
            ("X : String := \"abc\";", "X := \"xyz\";", "S := X;"),
            ("X : array (1 .. 3) of Float;", "X (2) := 1.0;", "X (2) := 2.0;"),
            ("X : array (1 .. 3) of Float;", "for I in X'Range loop X (I) := 1.0; end loop;", "F := X (3);"),
            ("X : array (1 .. 3) of Float;", "X := (others => 0.0);", "F := X (3);"),
            ("X : array (1 .. 1000) of Float;", "X := (others => 0.0);", "X := (others => 1.0);"),
            ("type R is record A, B : Float; end record; X : R;", "X.A := 1.0;", "F := X.A;"),
            ("type R is record A, B : Float; end record; X : R;", "X := (1.0, 2.0);", "F := X.B;"),
            ("type R is record A : Float; N : Integer; end record; X, Z : R;", "X := Z;", "Z.A := 1.0;"),
            (
                "type R is record T : String (1 .. 3); end record; X : R;",
                "X.T := \"abc\";",
                "Put_Line (X.T);",
            ),
            ("X : array (1 .. 4) of Integer := (others => 0);", "X (2 .. 3) := (1, 2);", "Y := X (3);"),
            ("X : array (1 .. 4) of Integer := (others => 0);", "X (2) := 1;", "X (1 .. 2) := X (3 .. 4);"),
            ("type A is access Float; X : A := new Float;", "X.all := 1.0;", "F := X.all;"),
            ("procedure Set (N : out Float) is begin N := 1.0; end Set; X : Float;", "Set (X);", "F := X;"),
            ("procedure Show (N : Float) is begin null; end Show; X : Float;", "X := 1.0;", "Show (X);"),
            (
                "function Next return Float; X : Float := 0.0; function Next return Float is begin X := X + 1.0; return X; end Next;",
                "F1 : declare G : Float; begin G := Next; end F1;",
                "Put_Line (Float'Image (Next));",
            ),
            ("X : Integer := 0;", "Get (X);", "Y := X;"),
        ],
    );
}

#[test]
fn what_nobody_knows_is_possible() {
    compare(
        "inconclusive",
        200,
        &[
            ("X : array (1 .. 1000) of Integer;", "X (1) := 1;", "X (2) := 1;"),
            ("X : array (1 .. 1000) of Float;", "X := (others => 0.0);", "X (2) := 1.0;"),
            ("X : array (1 .. 4) of Integer := (others => 0);", "X (1) := 1;", "X (Integer (F)) := 2;"),
            ("X : String := \"abc\";", "X (1) := 'a';", "X (2) := 'b';"),
            (LIST, "Lists.Append (X, 1);", "Lists.Append (X, 2);"),
            (
                "X : Ada.Numerics.Float_Random.Generator;",
                "declare F : Float; begin F := Ada.Numerics.Float_Random.Random (X); end;",
                "F := Ada.Numerics.Float_Random.Random (X);",
            ),
            (
                "type A is access all Integer; X : aliased Integer := 0; P : array (1 .. 300) of A := (others => X'Access);",
                "P (1).all := 1;",
                "P (2).all := 2;",
            ),
        ],
    );
}

#[test]
fn no_race() {
    compare(
        "holds",
        300,
        &[
            ("X, Z : array (1 .. 1000) of Integer;", "X (1) := 1;", "Z (1) := 1;"),
            (REAL, "Put_Line (X'Image);", "F := X + 1.0;"),
            (LIST, "Put_Line (Integer'Image (Integer (Lists.Length (X))));", "Y := Integer (X.Length);"),
            (TEXT, "Put_Line (To_String (X));", "Put_Line (To_String (X) & \"a\");"),
            ("X : String := \"abc\";", "Put_Line (X (1 .. 2));", "S := X;"),
            ("X : constant Time := Clock;", "delay until X + 1.0;", "F := Float (Clock - X);"),
            ("X : array (1 .. 4) of Float;", "X (1) := 1.0;", "X (2) := 1.0;"),
            ("X : array (1 .. 4) of Float;", "X (1 .. 2) := (1.0, 2.0);", "X (3 .. 4) := X (3 .. 4);"),
            ("type R is record A, B : Float; end record; X : R;", "X.A := 1.0;", "X.B := 1.0;"),
            ("X : array (1 .. 1000) of Float := (others => 1.0);", "Put_Line (X (1)'Image);", "F := X (2);"),
            (INTEGER, "Y : declare Z : Integer; begin Z := X'Size; end Y;", "Y := X;"),
            (
                "protected X is procedure Set; private F : Float := 0.0; end X; protected body X is procedure Set is begin F := F + 1.0; end Set; end X;",
                "X.Set;",
                "X.Set;",
            ),
            (
                "procedure P (N : Float) is M : Float := N; begin M := M + 1.0; end P; X : Float := 1.0;",
                "P (X);",
                "P (X);",
            ),
            (
                "function Sum (N : Float) return Float is begin return N + 1.0; end Sum;",
                "declare F : Float; begin F := Sum (1.0); end;",
                "F := Sum (F);",
            ),
            (
                "Ready : Boolean := False with Atomic; X : Integer := 0;",
                "if Ready and then Float (X) > 0.0 then null; end if;",
                "Y := X;",
            ),
        ],
    );
}
