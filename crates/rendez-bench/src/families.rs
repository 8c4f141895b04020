//! Families of programs that grow with a number, as Ada source, and some as Promela.

use std::fmt::Write as _;

/// A family: its name, what the numbers count, and the program for them.
pub struct Family {
    pub name: &'static str,
    pub what: &'static str,
    /// What the second number counts, and what it is if it is left out.
    pub second: Option<(&'static str, usize)>,
    ada: fn(usize, usize) -> String,
}

impl Family {
    pub fn source(&self, n: usize, second: Option<usize>) -> String {
        (self.ada)(n, second.or(self.second.map(|s| s.1)).unwrap_or(0))
    }

    const fn one(name: &'static str, what: &'static str, ada: fn(usize, usize) -> String) -> Family {
        Family { name, what, second: None, ada }
    }
}

pub const FAMILIES: &[Family] = &[
    Family::one("philosophers", "philosophers who take the left fork first", philosophers),
    Family::one("ordered", "philosophers who take the lower fork first", ordered),
    Family::one("butler", "philosophers with a butler", butler),
    Family::one("readers-writers", "readers, and as many writers", readers_writers),
    Family { name: "gas-station", what: "customers", second: Some(("pumps", 3)), ada: gas_station },
    Family {
        name: "chiron-centralised",
        what: "artists, one dispatcher",
        second: Some(("events", 2)),
        ada: |n, m| chiron(n, m, false),
    },
    Family {
        name: "chiron-decomposed",
        what: "artists, a dispatcher for each event",
        second: Some(("events", 2)),
        ada: |n, m| chiron(n, m, true),
    },
    Family::one("figure-2", "(no meaning)", figure_2),
    Family::one("figure-7-if", "(no meaning)", figure_7_if),
    Family::one("figure-7-select", "(no meaning)", figure_7_select),
];

const FORK: &str = "\
   task type Fork is
      entry Up;
      entry Down;
   end Fork;
   task body Fork is
   begin
      loop
         accept Up;
         accept Down;
      end loop;
   end Fork;
";

fn table(name: &str, n: usize, ordered: bool, butler: bool) -> String {
    let mut out = format!("procedure {name} is\n{FORK}   Forks : array (1 .. {n}) of Fork;\n");
    if butler {
        let _ = write!(
            out,
            "   task Butler is
      entry Enter;
      entry Leave;
   end Butler;
   task body Butler is
      Room_Occupants : Natural := 0;
      Room_Capacity  : constant := {};
   begin
      loop
         select
            when Room_Occupants < Room_Capacity =>
               accept Enter;
               Room_Occupants := Room_Occupants + 1;
         or
            accept Leave;
            Room_Occupants := Room_Occupants - 1;
         end select;
      end loop;
   end Butler;
",
            n - 1
        );
    }
    for i in 1..=n {
        let other = if i == 1 { n } else { i - 1 };
        let (a, b) = if ordered { (i.min(other), i.max(other)) } else { (i, other) };
        let (enter, leave) = match butler {
            true => ("         Butler.Enter;\n", "         Butler.Leave;\n"),
            false => ("", ""),
        };
        let _ = write!(
            out,
            "   task Phil{i};
   task body Phil{i} is
   begin
      loop
{enter}         Forks ({a}).Up;
         Forks ({b}).Up;
         Forks ({a}).Down;
         Forks ({b}).Down;
{leave}      end loop;
   end Phil{i};
"
        );
    }
    out + &format!("begin\n   null;\nend {name};\n")
}

fn philosophers(n: usize, _: usize) -> String {
    table("Philosophers", n, false, false)
}

fn ordered(n: usize, _: usize) -> String {
    table("Ordered", n, true, false)
}

fn butler(n: usize, _: usize) -> String {
    table("With_Butler", n, false, true)
}

fn readers_writers(n: usize, _: usize) -> String {
    format!(
        "procedure Readers_Writers is
   task Control is
      entry Start_Read;
      entry End_Read;
      entry Start_Write;
      entry End_Write;
   end Control;
   task Log is
      entry Note;
   end Log;
   task type Reader;
   task type Writer;
   task body Control is
      Readers : Natural := 0;
      Writing : Boolean := False;
   begin
      loop
         select
            when not Writing =>
               accept Start_Read;
               Readers := Readers + 1;
         or
            accept End_Read;
            Readers := Readers - 1;
         or
            when not Writing and Readers = 0 =>
               accept Start_Write;
               Writing := True;
         or
            accept End_Write;
            Writing := False;
         end select;
      end loop;
   end Control;
   task body Log is
   begin
      loop
         accept Note;
      end loop;
   end Log;
   task body Reader is
   begin
      loop
         Control.Start_Read;
         Control.End_Read;
         Log.Note;
      end loop;
   end Reader;
   task body Writer is
   begin
      loop
         Control.Start_Write;
         Control.End_Write;
         Log.Note;
      end loop;
   end Writer;
   Readers : array (1 .. {n}) of Reader;
   Writers : array (1 .. {n}) of Writer;
begin
   null;
end Readers_Writers;
"
    )
}

fn gas_station(n: usize, pumps: usize) -> String {
    let changes: String =
        (1..=n).map(|i| format!("               when {i} => Customer_{i}.Change;\n")).collect();
    let customers: String = (1..=n).map(|i| format!("   Customer_{i} : Customer ({i});\n")).collect();
    let alternatives: Vec<String> = (1..=pumps)
        .map(|p| {
            format!(
                "            when Who ({p}) = 0 =>
               accept Prepay ({p}) (Customer : Positive) do
                  Who ({p}) := Customer;
               end Prepay;
               Pump_{p}.Activate;
         or
            accept Charge ({p});
            case Who ({p}) is
{changes}               when others => null;
            end case;
            Who ({p}) := 0;
"
            )
        })
        .collect();
    let all: String = (1..=pumps).map(|p| format!("   Pump_{p} : Pump ({p});\n")).collect();
    let uses: String =
        (1..=pumps).map(|p| format!("            when {p} => Pump_{p}.Start; Pump_{p}.Finish;\n")).collect();
    format!(
        "procedure Gas_Station is
   subtype Pump_Id is Positive range 1 .. {pumps};
   task Operator is
      entry Prepay (Pump_Id) (Customer : Positive);
      entry Charge (Pump_Id);
   end Operator;
   task type Pump (Id : Pump_Id) is
      entry Activate;
      entry Start;
      entry Finish;
   end Pump;
   task type Customer (Id : Positive) is
      entry Change;
   end Customer;
{all}{customers}   task body Operator is
      Who : array (Pump_Id) of Natural := (others => 0);
   begin
      loop
         select
{}         end select;
      end loop;
   end Operator;
   task body Pump is
   begin
      loop
         accept Activate;
         accept Start;
         accept Finish;
         Operator.Charge (Id);
      end loop;
   end Pump;
   task body Customer is
      At_Pump : Pump_Id := 1;
   begin
      loop
         Operator.Prepay (At_Pump) (Id);
         case At_Pump is
{uses}         end case;
         accept Change;
         At_Pump := At_Pump mod {pumps} + 1;
      end loop;
   end Customer;
begin
   null;
end Gas_Station;
",
        alternatives.join("         or\n")
    )
}

/// Artists register for events of a dispatcher; the wrapper of the data type reports every change to
/// the dispatcher, which notifies those registered; then artists give up and the application ends.
fn chiron(artists: usize, events: usize, decomposed: bool) -> String {
    let name = if decomposed { "Chiron_Decomposed" } else { "Chiron_Centralised" };
    let mut out = format!("procedure {name} is\n");
    let dispatchers: Vec<(String, Vec<usize>)> = match decomposed {
        true => (1..=events).map(|e| (format!("Dispatcher_{e}"), vec![e])).collect(),
        false => vec![("Dispatcher".to_owned(), (1..=events).collect())],
    };
    let each = |f: &dyn Fn(usize) -> String| (1..=events).map(f).collect::<String>();
    for (d, events) in &dispatchers {
        let _ = writeln!(out, "   task {d} is");
        for e in events {
            for entry in ["Register", "Unregister"] {
                for a in 1..=artists {
                    let _ = writeln!(out, "      entry {entry}_{a}_{e};");
                }
            }
            let _ = writeln!(out, "      entry Notify_{e};");
        }
        let _ = writeln!(out, "   end {d};");
    }
    for a in 1..=artists {
        let _ = writeln!(
            out,
            "   task Artist_{a} is\n{}      entry Close;\n   end Artist_{a};",
            each(&|e| format!("      entry Notify_{e};\n"))
        );
    }
    let changes = each(&|e| format!("      entry Change_{e};\n"));
    let _ = write!(out, "   task Wrapper is\n{changes}      entry Close;\n   end Wrapper;\n");
    for (d, events) in &dispatchers {
        let _ = writeln!(out, "   task body {d} is");
        for e in events {
            for a in 1..=artists {
                let _ = writeln!(out, "      Is_{a}_{e} : Boolean := False;");
            }
        }
        out.push_str("   begin\n      loop\n         select\n");
        let mut alternatives = Vec::new();
        for e in events {
            for a in 1..=artists {
                alternatives
                    .push(format!("            accept Register_{a}_{e};\n            Is_{a}_{e} := True;\n"));
                alternatives.push(format!(
                    "            accept Unregister_{a}_{e};\n            Is_{a}_{e} := False;\n"
                ));
            }
            let mut notify = format!("            accept Notify_{e};\n");
            for a in 1..=artists {
                let _ = writeln!(
                    notify,
                    "            if Is_{a}_{e} then\n               Artist_{a}.Notify_{e};\n            end if;"
                );
            }
            alternatives.push(notify);
        }
        out.push_str(&alternatives.join("         or\n"));
        let _ = write!(
            out,
            "         or\n            terminate;\n         end select;\n      end loop;\n   end {d};\n"
        );
    }
    let dispatcher = |e: usize| if decomposed { format!("Dispatcher_{e}") } else { "Dispatcher".to_owned() };
    for a in 1..=artists {
        let _ = write!(
            out,
            "   task body Artist_{a} is
   begin
{}      loop
         select
{}            accept Close;
            exit;
         end select;
      end loop;
   end Artist_{a};
",
            each(&|e| format!("      {}.Register_{a}_{e};\n", dispatcher(e))),
            each(&|e| format!("            accept Notify_{e};\n         or\n")),
        );
    }
    let closes: String = (1..=artists).map(|a| format!("            Artist_{a}.Close;\n")).collect();
    let _ = write!(
        out,
        "   task body Wrapper is
   begin
      loop
         select
{}            accept Close;
{closes}            exit;
         end select;
      end loop;
   end Wrapper;
begin
{}   Wrapper.Change_1;
   Wrapper.Close;
end {name};
",
        each(&|e| format!(
            "            accept Change_{e};\n            {}.Notify_{e};\n         or\n",
            dispatcher(e)
        )),
        each(&|e| format!("   Wrapper.Change_{e};\n")),
    );
    out
}

fn figure_2(_: usize, _: usize) -> String {
    "with Ada.Text_IO;
procedure Figure_2 is
   task T0;
   task T1 is
      entry P;
      entry Q;
   end T1;
   task T2;
   task body T0 is
   begin
      T1.P;
   end T0;
   task body T1 is
      package Boolean_IO is new Ada.Text_IO.Enumeration_IO (Boolean);
      Done : Boolean;
   begin
      loop
         select
            accept P;
         or
            accept Q;
         end select;
         Boolean_IO.Get (Done);
         exit when Done;
      end loop;
   end T1;
   task body T2 is
   begin
      T1.Q;
   end T2;
begin
   null;
end Figure_2;
"
    .into()
}

fn figure_7(choice: &str) -> String {
    format!(
        "with Ada.Command_Line;
procedure Figure_7 is
   task TA is
      entry X;
      entry Y;
   end TA;
   task TB;
   task body TA is
   begin
{choice}   end TA;
   task body TB is
   begin
      TA.X;
   end TB;
begin
   null;
end Figure_7;
"
    )
}

fn figure_7_if(_: usize, _: usize) -> String {
    figure_7(
        "      if Ada.Command_Line.Argument_Count = 0 then
         accept X;
      else
         accept Y;
      end if;
",
    )
}

fn figure_7_select(_: usize, _: usize) -> String {
    figure_7(
        "      select
         accept X;
      or
         accept Y;
      end select;
",
    )
}

/// The same rendezvous in Promela, for the families that are compared with SPIN.
pub fn promela(family: &str, n: usize) -> Option<String> {
    let mut out = String::new();
    match family {
        "ordered" => {
            let _ = write!(out, "chan up[{n}] = [0] of {{ bit }};\nchan down[{n}] = [0] of {{ bit }};\n");
            for i in 0..n {
                let _ =
                    writeln!(out, "active proctype Fork{i}() {{ end: do :: up[{i}]?_ -> down[{i}]?_ od }}");
            }
            for i in 0..n {
                let other = (i + n - 1) % n;
                let (a, b) = (i.min(other), i.max(other));
                let _ = writeln!(
                    out,
                    "active proctype Phil{i}() {{ end: do :: up[{a}]!0 -> up[{b}]!0 -> down[{a}]!0 -> down[{b}]!0 od }}"
                );
            }
        }
        "readers-writers" => {
            // A guarded accept receives from a channel that nobody sends to while it is closed.
            let _ = write!(
                out,
                "chan sr[2] = [0] of {{ bit }};\nchan er = [0] of {{ bit }};\nchan sw[2] = [0] of {{ bit }};
chan ew = [0] of {{ bit }};\nchan note = [0] of {{ bit }};\nbyte r = 0;\nbit w = 0;
active proctype Control() {{ end: do
  :: atomic {{ sr[w]?_ -> r++ }}
  :: atomic {{ er?_ -> r-- }}
  :: atomic {{ sw[(w || r > 0)]?_ -> w = 1 }}
  :: atomic {{ ew?_ -> w = 0 }}
  od }}
active proctype Log() {{ end: do :: note?_ od }}
active [{n}] proctype Reader() {{ end: do :: sr[0]!0 -> er!0 -> note!0 od }}
active [{n}] proctype Writer() {{ end: do :: sw[0]!0 -> ew!0 -> note!0 od }}
"
            );
        }
        "gas-station" => {
            let _ = write!(
                out,
                "chan pp[6] = [0] of {{ byte }};\nchan act[3] = [0] of {{ bit }};\nchan st[3] = [0] of {{ bit }};
chan fin[3] = [0] of {{ bit }};\nchan ch[3] = [0] of {{ bit }};\nchan change[{}] = [0] of {{ bit }};\nbyte who[3];\n",
                n + 1
            );
            out.push_str("active proctype Operator() { byte c = 0; end: do\n");
            for p in 0..3 {
                let _ = writeln!(
                    out,
                    "  :: atomic {{ pp[{}+(who[{p}]!=0)]?c -> who[{p}] = c; c = 0 }} -> act[{p}]!0",
                    2 * p
                );
                let _ = writeln!(out, "  :: ch[{p}]?_ -> change[who[{p}]]!0");
            }
            out.push_str("  od }\n");
            for p in 0..3 {
                let _ = writeln!(
                    out,
                    "active proctype Pump{p}() {{ end: do :: act[{p}]?_ -> st[{p}]?_ -> fin[{p}]?_ -> ch[{p}]!0 od }}"
                );
            }
            // The receiver of a rendezvous goes on at once; so it is the customer who leaves the pump.
            for i in 1..=n {
                let rounds: Vec<String> = (0..3)
                    .map(|p| format!("pp[{}]!{i} -> st[{p}]!0 -> fin[{p}]!0 -> atomic {{ change[{i}]?_ -> who[{p}] = 0 }}", 2 * p))
                    .collect();
                let _ = writeln!(
                    out,
                    "active proctype Customer{i}() {{ end: do :: {} od }}",
                    rounds.join(" -> ")
                );
            }
        }
        _ => return None,
    }
    Some(out)
}
