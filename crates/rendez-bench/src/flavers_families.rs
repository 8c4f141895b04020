//! The programs and properties of the FLAVERS papers, as Ada source and property files. The sources
//! of the original programs are lost; these are written from their descriptions. Nothing in them is
//! annotated but the events of philosophers who start and stop eating.

use std::fmt::Write as _;

/// A program that grows, with its properties.
pub struct Family {
    pub name: &'static str,
    pub what: &'static str,
    /// What the second number counts, and what it is if it is left out.
    pub second: Option<(&'static str, usize)>,
    pub ada: fn(usize, usize) -> String,
    pub properties: &'static [Property],
}

/// A property of a family.
pub struct Property {
    pub name: &'static str,
    pub text: fn(usize, usize) -> String,
    /// The constraints that the paper used.
    pub published: &'static str,
}

/// What nobody knows: whether there is more to do.
const MORE: &str = "   package Environment is
      function More return Boolean;
      pragma Import (C, More);
   end Environment;
   use Environment;
";

pub const FAMILIES: &[Family] = &[
    Family {
        name: "flavers-rw",
        what: "readers, and as many writers",
        second: None,
        ada: |n, _| readers_writers(n),
        properties: &[
            Property {
                name: "exclusive read write",
                text: |_, _| {
                    rw(
                        "(~[wstart]*; wstart; ~[wstart, rstart, wstop]*; wstop)*; ~[wstart]*; (wstart; ~[wstart, rstart, wstop]*)?",
                    )
                },
                published: "TA control, VA WriterPresent",
            },
            Property {
                name: "no write while reading",
                text: |n, _| no_write_while_reading(n),
                published: "TA control, VA ActiveReaders",
            },
            Property {
                name: "no write while reading 2",
                text: |_, _| NO_WRITE_2.to_owned(),
                published: "TA control",
            },
            Property {
                name: "write first",
                text: |_, _| rw("(~[wstart, rstart]*; wstart; .*) | ~[rstart]*"),
                published: "TA control",
            },
        ],
    },
    Family {
        name: "flavers-gas",
        what: "customers",
        second: Some(("pumps", 3)),
        ada: gas_station,
        properties: &[
            Property {
                name: "mutual exclusion",
                text: |_, _| {
                    format!(
                        "{GAS_EVENTS}for events {{c1_start, c2_start, c1_stop, c2_stop}}\nshow all executions satisfy\n((c1_start; c1_stop) | (c2_start; c2_stop))*; (c1_start | c2_start)?\n"
                    )
                },
                published: "TA pump 1 and every customer",
            },
            Property {
                name: "customer 1 start/stop",
                text: |_, _| {
                    format!(
                        "{GAS_EVENTS}for events {{c1_start, c1_stop}}\nshow all executions satisfy (c1_start; c1_stop)*; c1_start?\n"
                    )
                },
                published: "none",
            },
            Property { name: "pump 1 start/stop", text: |n, _| pump_start_stop(n), published: "TA pump 1" },
            Property {
                name: "correct change",
                text: |_, pumps| correct_change(pumps),
                published: "TA operator, customer 1, pump 1",
            },
        ],
    },
    Family {
        name: "flavers-dp-standard",
        what: "philosophers, one of them left-handed",
        second: None,
        ada: |n, _| philosophers(n, Table::Standard),
        properties: &[
            Property {
                name: "mutual exclusion",
                text: |_, _| EATING.to_owned(),
                published: "TA phil_1, phil_2, fork_2",
            },
            Property { name: "no fork 1 up twice", text: |_, _| FORK_1.to_owned(), published: "TA fork_1" },
        ],
    },
    Family {
        name: "flavers-dp-manager",
        what: "philosophers, a manager of forks",
        second: None,
        ada: |n, _| fork_manager(n),
        properties: &[
            Property {
                name: "mutual exclusion",
                text: |_, _| EATING.to_owned(),
                published: "TA manager, phil_1, phil_2; VA fork_2",
            },
            Property {
                name: "no fork 1 up twice",
                text: |_, _| MANAGED_FORK_1.to_owned(),
                published: "TA manager",
            },
        ],
    },
    Family {
        name: "flavers-dp-dictionary",
        what: "philosophers, a dictionary that goes round",
        second: None,
        ada: |n, _| philosophers(n, Table::Dictionary),
        properties: &[
            Property {
                name: "mutual exclusion",
                text: |_, _| EATING.to_owned(),
                published: "TA phil_1, phil_2, fork_2",
            },
            Property { name: "no fork 1 up twice", text: |_, _| FORK_1.to_owned(), published: "TA fork_1" },
        ],
    },
    Family {
        name: "flavers-dp-host",
        what: "philosophers, a host at the door",
        second: None,
        ada: |n, _| philosophers(n, Table::Host),
        properties: &[
            Property {
                name: "mutual exclusion",
                text: |_, _| EATING.to_owned(),
                published: "TA phil_1, phil_2, fork_2",
            },
            Property { name: "no fork 1 up twice", text: |_, _| FORK_1.to_owned(), published: "TA fork_1" },
        ],
    },
    Family {
        name: "flavers-chiron",
        what: "events, one dispatcher",
        second: None,
        ada: |n, _| chiron(n, Dispatch::One),
        properties: CHIRON,
    },
    Family {
        name: "flavers-chiron-decomposed",
        what: "events, a dispatcher for each",
        second: None,
        ada: |n, _| chiron(n, Dispatch::Each),
        properties: CHIRON,
    },
    Family {
        name: "chiron-subsystem",
        what: "events, a dispatcher for each behind one that passes everything on",
        second: None,
        ada: |n, _| chiron(n, Dispatch::Behind),
        properties: CHIRON,
    },
    Family {
        name: "flavers-cyclic",
        what: "schedulers, each with its customer",
        second: None,
        ada: |n, _| cyclic(n),
        properties: &[
            Property {
                name: "in turn",
                text: |_, _| {
                    "event a = accept Customer_1.Start;\nevent b = accept Customer_2.Start;\nfor events {a, b} show all executions satisfy (a; b)*; a?\n".to_owned()
                },
                published: "-",
            },
            Property {
                name: "done before the next",
                text: |_, _| {
                    "event s = accept Customer_1.Start;\nevent d = accept Scheduler_1.Done;\nfor events {s, d} show all executions satisfy (s; d)*; s?\n".to_owned()
                },
                published: "-",
            },
        ],
    },
    Family {
        name: "flavers-ring",
        what: "users of a token ring",
        second: None,
        ada: |n, _| ring(n),
        properties: &[Property {
            name: "one at a time",
            text: |_, _| {
                "event u1 = event use_1;\nevent l1 = event leave_1;\nevent u2 = event use_2;\nevent l2 = event leave_2;\nfor events {u1, l1, u2, l2} show all executions satisfy ((u1; l1) | (u2; l2))*; (u1 | u2)?\n".to_owned()
            },
            published: "-",
        }],
    },
];

fn rw(expression: &str) -> String {
    format!(
        "event wstart = accept Control.Start_Write;\nevent wstop = accept Control.Stop_Write;\n\
         event rstart = accept Control.Start_Read;\nevent rstop = accept Control.Stop_Read;\n\
         for events {{wstart, wstop, rstart, rstop}} show all executions satisfy\n{expression}\n"
    )
}

/// Counts the readers that have started and not stopped. As an expression, the nesting of the
/// published one would have to be repeated for executions that end while somebody reads.
fn no_write_while_reading(n: usize) -> String {
    let all: Vec<String> = (0..=n).map(|i| format!("s{i}")).collect();
    // A reader has started or stopped when the rendezvous ends: then the controller has counted it.
    let mut text = format!(
        "event wstart = accept Control.Start_Write;\nevent rstart = finish Control.Start_Read;\n\
         event rstop = finish Control.Stop_Read;\n\
         automaton counted all {{\n  events wstart, rstart, rstop;\n  start s0;\n  accepting {};\n  s0 -> s0 on wstart;\n",
        all.join(", ")
    );
    for i in 0..n {
        let _ = writeln!(text, "  s{i} -> s{0} on rstart;\n  s{0} -> s{i} on rstop;", i + 1);
    }
    text + "}\n"
}

const NO_WRITE_2: &str = "\
event r0 = write Active_Readers = 0;
event is_r0 = test Active_Readers = 0;
event other = write Active_Readers /= 0;
event wstart = accept Control.Start_Write;
for events {r0, is_r0, other, wstart} show all executions satisfy
(~[wstart, r0, is_r0] | [r0, is_r0]; ([r0, is_r0] | wstart)*; ~[wstart, r0, is_r0])*;
([r0, is_r0]; ([r0, is_r0] | wstart)*)?
";

fn readers_writers(n: usize) -> String {
    format!(
        "procedure Readers_Writers is
{MORE}   task Control is
      entry Start_Read;
      entry Stop_Read;
      entry Start_Write;
      entry Stop_Write;
   end Control;
   task type Reader;
   task type Writer;
   task body Control is
      Writer_Present : Boolean := False;
      Active_Readers : Natural range 0 .. {n};
   begin
      Active_Readers := 0;
      --  There must be something to read.
      accept Start_Write;
      Writer_Present := True;
      loop
         select
            when not Writer_Present =>
               accept Start_Read do
                  Active_Readers := Active_Readers + 1;
               end Start_Read;
         or
            accept Stop_Read do
               Active_Readers := Active_Readers - 1;
            end Stop_Read;
         or
            when not Writer_Present and Active_Readers = 0 =>
               accept Start_Write;
               Writer_Present := True;
         or
            accept Stop_Write;
            Writer_Present := False;
         or
            terminate;
         end select;
      end loop;
   end Control;
   task body Reader is
   begin
      while More loop
         Control.Start_Read;
         Control.Stop_Read;
      end loop;
   end Reader;
   task body Writer is
   begin
      while More loop
         Control.Start_Write;
         Control.Stop_Write;
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

const GAS_EVENTS: &str = "\
event c1_start = accept Pump_1.Start by Customer_1;
event c1_stop = accept Pump_1.Finish by Customer_1;
event c2_start = accept Pump_1.Start by Customer_2;
event c2_stop = accept Pump_1.Finish by Customer_2;
";

fn pump_start_stop(n: usize) -> String {
    let mut text = String::new();
    for i in 1..=n {
        let _ = writeln!(text, "event c{i}_start = accept Pump_1.Start by Customer_{i};");
        let _ = writeln!(text, "event c{i}_stop = accept Pump_1.Finish by Customer_{i};");
    }
    let list = |what: &str| (1..=n).map(|i| format!("c{i}_{what}")).collect::<Vec<_>>().join(", ");
    let (starts, stops) = (list("start"), list("stop"));
    text + &format!(
        "for events {{{starts}, {stops}}}\nshow all executions satisfy ([{starts}]; [{stops}])*; [{starts}]?\n"
    )
}

fn correct_change(pumps: usize) -> String {
    let mut text = "event c1_prepay_p1 = accept Operator.Prepay(1) by Customer_1;\n".to_owned();
    for p in 1..=pumps {
        let _ = writeln!(text, "event c1_change_p{p} = accept Customer_1.Change({p});");
    }
    let all: String = (1..=pumps).map(|p| format!("c1_change_p{p}, ")).collect();
    let others: Vec<String> = (2..=pumps).map(|p| format!("c1_change_p{p}")).collect();
    let others = if others.is_empty() { String::new() } else { format!(" | [{}]", others.join(", ")) };
    text + &format!(
        "for events {{{all}c1_prepay_p1}}\nshow all executions satisfy ((c1_prepay_p1; c1_change_p1){others})*; c1_prepay_p1?\n"
    )
}

fn gas_station(n: usize, pumps: usize) -> String {
    let customers: String = (1..=n).map(|i| format!("   Customer_{i} : Customer ({i});\n")).collect();
    let all: String = (1..=pumps).map(|p| format!("   Pump_{p} : Pump ({p});\n")).collect();
    let alternatives: Vec<String> = (1..=pumps)
        .map(|p| {
            let changes: String =
                (1..=n).map(|i| format!("               when {i} => Customer_{i}.Change ({p});\n")).collect();
            format!(
                "            when Who_{p} = 0 =>
               accept Prepay ({p}) (Customer : Customer_Id) do
                  Who_{p} := Customer;
               end Prepay;
               Pump_{p}.Activate;
         or
            accept Charge ({p});
            case Who_{p} is
               when 0 => null;
{changes}            end case;
            Who_{p} := 0;
"
            )
        })
        .collect();
    let who: String =
        (1..=pumps).map(|p| format!("      Who_{p} : Natural range 0 .. {n} := 0;\n")).collect();
    let uses: String = (1..=pumps)
        .map(|p| {
            format!(
                "            when {p} =>
               Operator.Prepay ({p}) (Id);
               Pump_{p}.Start;
               Pump_{p}.Finish;
"
            )
        })
        .collect();
    let changes: Vec<String> = (1..=pumps).map(|p| format!("            accept Change ({p});\n")).collect();
    format!(
        "procedure Gas_Station is
   subtype Pump_Id is Positive range 1 .. {pumps};
   subtype Customer_Id is Positive range 1 .. {n};
   package Environment is
      function More return Boolean;
      function Free return Pump_Id;
      pragma Import (C, More);
      pragma Import (C, Free);
   end Environment;
   use Environment;
   task Operator is
      entry Prepay (Pump_Id) (Customer : Customer_Id);
      entry Charge (Pump_Id);
   end Operator;
   task type Pump (Id : Pump_Id) is
      entry Activate;
      entry Start;
      entry Finish;
   end Pump;
   task type Customer (Id : Customer_Id) is
      entry Change (Pump_Id);
   end Customer;
{all}{customers}   task body Operator is
{who}   begin
      loop
         select
{}         or
            terminate;
         end select;
      end loop;
   end Operator;
   task body Pump is
   begin
      loop
         select
            accept Activate;
         or
            terminate;
         end select;
         accept Start;
         accept Finish;
         Operator.Charge (Id);
      end loop;
   end Pump;
   task body Customer is
   begin
      while More loop
         case Free is
{uses}         end case;
         select
{}         end select;
      end loop;
   end Customer;
begin
   null;
end Gas_Station;
",
        alternatives.join("         or\n"),
        changes.join("         or\n")
    )
}

const EATING: &str = "for events {p1start, p1stop, p2start, p2stop}
show all executions satisfy ((p1start; p1stop) | (p2start; p2stop))*; (p1start | p2start)?
";

const FORK_1: &str = "event up = accept Fork_1.Up;
event down = accept Fork_1.Down;
for events {up, down} show all executions satisfy
(~[up]*; up; ~[up,down]*; down)*; ~[up]*; (up; ~[up,down]*)?
";

const MANAGED_FORK_1: &str = "event up = write Busy_1 = 1;
event down = write Busy_1 = 0;
for events {up, down} show all executions satisfy
(~[up]*; up; ~[up,down]*; down)*; ~[up]*; (up; ~[up,down]*)?
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Standard,
    Dictionary,
    Host,
}

/// As far as the growth tables tell: loops that may end at any time, forks put down in the order in
/// which they were taken.
fn philosophers(n: usize, table: Table) -> String {
    let mut out = format!("procedure Philosophers is\n{MORE}");
    for i in 1..=n {
        let _ = write!(out, "   task Fork_{i} is\n      entry Up;\n      entry Down;\n   end Fork_{i};\n");
    }
    if table == Table::Host {
        out.push_str("   task Host is\n      entry Enter;\n      entry Leave;\n   end Host;\n");
    }
    for i in 1..=n {
        match table {
            Table::Dictionary => {
                let _ = write!(out, "   task Phil_{i} is\n      entry Take;\n   end Phil_{i};\n");
            }
            _ => {
                let _ = writeln!(out, "   task Phil_{i};");
            }
        }
    }
    for i in 1..=n {
        let _ = write!(
            out,
            "   task body Fork_{i} is
   begin
      while More loop
         accept Up;
         accept Down;
      end loop;
   end Fork_{i};
"
        );
    }
    if table == Table::Host {
        out.push_str(
            "   task body Host is
   begin
      while More loop
         select
            accept Enter;
         or
            accept Leave;
         end select;
      end loop;
   end Host;
",
        );
    }
    for i in 1..=n {
        let next = i % n + 1;
        let (a, b) = if table == Table::Standard && i == n { (next, i) } else { (i, next) };
        let (start, stop) = match i <= 2 {
            true => (format!("         --@ event p{i}start\n"), format!("         --@ event p{i}stop\n")),
            false => (String::new(), String::new()),
        };
        let (enter, leave) = match table {
            Table::Host => ("         Host.Enter;\n", "         Host.Leave;\n"),
            _ => ("", ""),
        };
        let (declare, holds, ends) = match table {
            Table::Dictionary => {
                let other = if i == 1 { n } else { i - 1 };
                (
                    format!("      Has : Boolean := {};\n", if i == 1 { "True" } else { "False" }),
                    format!(
                        "         while Has loop
            select
               Phil_{other}.Take;
               Has := False;
            else
               null;
            end select;
         end loop;
         select
            accept Take;
            Has := True;
         else
            null;
         end select;
         if not Has then
"
                    ),
                    "         end if;\n",
                )
            }
            _ => (String::new(), String::new(), ""),
        };
        let _ = write!(
            out,
            "   task body Phil_{i} is
{declare}   begin
      while More loop
{holds}{enter}         Fork_{a}.Up;
         Fork_{b}.Up;
{start}{stop}         Fork_{a}.Down;
         Fork_{b}.Down;
{leave}{ends}      end loop;
   end Phil_{i};
"
        );
    }
    out + "begin\n   null;\nend Philosophers;\n"
}

fn fork_manager(n: usize) -> String {
    let mut out = format!("procedure Fork_Manager is\n{MORE}   task Manager is\n");
    for i in 1..=n {
        let _ = write!(out, "      entry Up_{i};\n      entry Down_{i};\n");
    }
    out.push_str("   end Manager;\n   task body Manager is\n");
    for i in 1..=n {
        let _ = writeln!(out, "      Busy_{i} : Boolean := False;");
    }
    out.push_str("   begin\n      loop\n         select\n");
    for i in 1..=n {
        let next = i % n + 1;
        let _ = write!(
            out,
            "            when not Busy_{i} and not Busy_{next} =>
               accept Up_{i};
               Busy_{i} := True;
               Busy_{next} := True;
         or
            accept Down_{i};
            Busy_{i} := False;
            Busy_{next} := False;
         or
"
        );
    }
    out.push_str("            terminate;\n         end select;\n      end loop;\n   end Manager;\n");
    for i in 1..=n {
        let (start, stop) = match i <= 2 {
            true => (format!("         --@ event p{i}start\n"), format!("         --@ event p{i}stop\n")),
            false => (String::new(), String::new()),
        };
        let _ = write!(
            out,
            "   task Phil_{i};
   task body Phil_{i} is
   begin
      while More loop
         Manager.Up_{i};
{start}{stop}         Manager.Down_{i};
      end loop;
   end Phil_{i};
"
        );
    }
    out + "begin\n   null;\nend Fork_Manager;\n"
}

const CHIRON: &[Property] = &[
    Property {
        name: "p01",
        text: |_, _| chiron_property("reg, unreg", "(reg; unreg)*; reg?"),
        published: "TA artist1",
    },
    Property {
        name: "p02",
        // Registered, the event received, and another one received before the artist has it.
        text: |_, _| {
            chiron_property_no(
                "reg, unreg, got1, got2, give",
                ".*; reg; ~[unreg]*; got1; ~[give, unreg]*; [got1, got2]; .*",
            )
        },
        published: "TA dispatcher; VA list size, slot 1, slot 2",
    },
    Property {
        name: "p03",
        text: |_, _| chiron_property("got1, give, give_2", "(~[give, give_2]*; got1; .*) | ~[give, give_2]*"),
        published: "TA dispatcher",
    },
    Property {
        name: "p04",
        text: |_, _| {
            chiron_property_no("got1, got2, other1, other2", ".*; got1; ~[got1, got2]*; [other1, other2]; .*")
        },
        published: "TA dispatcher",
    },
    Property {
        name: "p05",
        text: |_, _| {
            registered(
                "give, give_2",
                "",
                "  one -> one on give, give_2;\n  two -> two on give, give_2;\n  both -> both on give, give_2;\n",
            )
        },
        published: "TA artist1, artist2",
    },
    Property {
        name: "p06",
        text: |_, _| chiron_property("reg, unreg, give", "(reg; give*; unreg)*; (reg; give*)?"),
        published: "TA artist1",
    },
    Property {
        name: "p07",
        text: |_, _| {
            chiron_property_no(
                "reg, reg_2, unreg, unreg_2, got1, give, give_2",
                "~[reg, reg_2]*; reg; ~[unreg, unreg_2, reg_2]*; reg_2; ~[unreg, unreg_2]*; got1; ~[give, unreg, unreg_2, got1]*; give_2; .*",
            )
        },
        published: "TA dispatcher; VA list size, slot 1",
    },
    Property {
        name: "p08",
        // The list gets its second member only if both are registered; whoever registers twice, or
        // gives up twice, changes nothing.
        text: |_, _| {
            registered(
                "full",
                "",
                "  both -> both on full, reg, reg_2;\n  none -> none on unreg, unreg_2;\n  one -> one on reg, unreg_2;\n  two -> two on reg_2, unreg;\n",
            )
        },
        published: "TA dispatcher; VA list size, slot 1, slot 2",
    },
    Property { name: "p09", text: |_, _| registered("", "only", ""), published: "TA artist1, artist2" },
];

const CHIRON_EVENTS: &str = "\
event reg = accept Register_1_1;
event unreg = accept Unregister_1_1;
event reg_2 = accept Register_1_2;
event unreg_2 = accept Unregister_1_2;
event full = write Size_1 = 2;
event got1 = accept Receive_1;
event got2 = accept Receive_2;
event give = accept Artist_1.Notify_1;
event give_2 = accept Artist_2.Notify_1;
event other1 = accept Artist_1.Notify_2;
event other2 = accept Artist_2.Notify_2;
";

/// Who is registered for the first event; with `only`, nobody may be at the end.
fn registered(events: &str, only: &str, moves: &str) -> String {
    let comma = if events.is_empty() { "" } else { ", " };
    let accepting = if only.is_empty() { "none, one, two, both" } else { "none" };
    format!(
        "{CHIRON_EVENTS}automaton registered all {{
  events reg, unreg, reg_2, unreg_2{comma}{events};
  start none;
  accepting {accepting};
  none -> one on reg;
  none -> two on reg_2;
  one -> none on unreg;
  one -> both on reg_2;
  two -> none on unreg_2;
  two -> both on reg;
  both -> two on unreg;
  both -> one on unreg_2;
{moves}}}
"
    )
}

fn chiron_property(events: &str, expression: &str) -> String {
    format!("{CHIRON_EVENTS}for events {{{events}}} show all executions satisfy\n{expression}\n")
}

fn chiron_property_no(events: &str, expression: &str) -> String {
    format!("{CHIRON_EVENTS}for events {{{events}}} show no executions satisfy\n{expression}\n")
}

/// Who keeps the lists of those who are registered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dispatch {
    /// One dispatcher.
    One,
    /// One for each event; they run at the same time.
    Each,
    /// One for each event, behind one that waits for them: nothing more happens at the same time.
    Behind,
}

/// Two artists who register for events: a third of them for the first only, a third for the second
/// only, a third for both. The dispatcher keeps a list of who is registered for each event.
fn chiron(events: usize, dispatch: Dispatch) -> String {
    let name = match dispatch {
        Dispatch::One => "Chiron",
        Dispatch::Each => "Chiron_Decomposed",
        Dispatch::Behind => "Chiron_Subsystem",
    };
    // The first two events are for both.
    let wants = |artist: usize, e: usize| e <= 2 || e.is_multiple_of(3) || e % 3 == artist;
    let server = |e: usize| match dispatch {
        Dispatch::Each => format!("Dispatcher_{e}"),
        _ => "Dispatcher".to_owned(),
    };
    let all: Vec<usize> = (1..=events).collect();
    let each = |called: &str| all.iter().map(|e| (format!("{called}_{e}"), vec![*e])).collect();
    let groups: Vec<(String, Vec<usize>)> = match dispatch {
        Dispatch::Each => each("Dispatcher"),
        _ => vec![(server(1), all.clone())],
    };
    let keepers: Vec<(String, Vec<usize>)> = match dispatch {
        Dispatch::Behind => each("Dispatch"),
        _ => Vec::new(),
    };
    let mut out = format!(
        "procedure {name} is
{MORE}"
    );
    let outside = groups.iter().map(|group| (group, OUTSIDE));
    for ((d, list), names) in outside.chain(keepers.iter().map(|keeper| (keeper, INSIDE))) {
        let [register, unregister, receive] = names;
        let _ = writeln!(out, "   task {d} is");
        for e in list {
            for a in (1..=2).filter(|a| wants(*a, *e)) {
                let _ = write!(out, "      entry {register}_{e}_{a};\n      entry {unregister}_{e}_{a};\n");
            }
            let _ = writeln!(out, "      entry {receive}_{e};");
        }
        let _ = writeln!(out, "   end {d};");
    }
    for a in 1..=2 {
        let _ = writeln!(out, "   task Artist_{a} is");
        for e in (1..=events).filter(|e| wants(a, *e)) {
            let _ = writeln!(out, "      entry Notify_{e};");
        }
        let _ = writeln!(out, "   end Artist_{a};");
    }
    out.push_str("   task Source;\n");
    for (d, list) in &groups {
        match dispatch {
            Dispatch::Behind => front(d, list, &wants, &mut out),
            _ => dispatcher(d, list, OUTSIDE, &wants, &mut out),
        }
    }
    for (d, list) in &keepers {
        dispatcher(d, list, INSIDE, &wants, &mut out);
    }
    for a in 1..=2 {
        let _ = write!(out, "   task body Artist_{a} is\n   begin\n");
        for e in (1..=events).filter(|e| wants(a, *e)) {
            let _ = writeln!(out, "      {}.Register_{e}_{a};", server(e));
        }
        out.push_str("      while More loop\n         select\n");
        let accepts: Vec<String> = (1..=events)
            .filter(|e| wants(a, *e))
            .map(|e| format!("            accept Notify_{e};\n"))
            .collect();
        out.push_str(&accepts.join("         or\n"));
        out.push_str("         else\n            null;\n         end select;\n      end loop;\n");
        for e in (1..=events).filter(|e| wants(a, *e)) {
            // The dispatcher may be about to call.
            let _ = write!(
                out,
                "      loop
         select
            {}.Unregister_{e}_{a};
            exit;
         else
            select
               accept Notify_{e};
            else
               null;
            end select;
         end select;
      end loop;
",
                server(e)
            );
        }
        let _ = writeln!(out, "   end Artist_{a};");
    }
    out.push_str("   task body Source is\n   begin\n      while More loop\n");
    for e in 1..=events {
        let _ =
            writeln!(out, "         if More then\n            {}.Receive_{e};\n         end if;", server(e));
    }
    out.push_str("      end loop;\n   end Source;\n");
    out + &format!("begin\n   null;\nend {name};\n")
}

/// What the entries of a dispatcher are called, and those of one behind it.
const OUTSIDE: [&str; 3] = ["Register", "Unregister", "Receive"];
const INSIDE: [&str; 3] = ["Add", "Drop", "Pass"];

/// A dispatcher that passes everything on, and waits until it is done.
fn front(name: &str, events: &[usize], wants: &dyn Fn(usize, usize) -> bool, out: &mut String) {
    let _ = write!(out, "   task body {name} is\n   begin\n      loop\n         select\n");
    for e in events {
        for a in (1..=2).filter(|a| wants(*a, *e)) {
            let pairs = OUTSIDE.iter().zip(INSIDE).take(2);
            for (outside, inside) in pairs {
                let _ = write!(
                    out,
                    "            accept {outside}_{e}_{a} do\n               Dispatch_{e}.{inside}_{e}_{a};\n            end {outside}_{e}_{a};\n         or\n"
                );
            }
        }
        let _ =
            write!(out, "            accept Receive_{e};\n            Dispatch_{e}.Pass_{e};\n         or\n");
    }
    let _ = write!(out, "            terminate;\n         end select;\n      end loop;\n   end {name};\n");
}

/// A dispatcher for some events. Its list is kept without arithmetic, so that no check can fail, and it
/// survives the end of an artist.
fn dispatcher(
    name: &str,
    events: &[usize],
    names: [&str; 3],
    wants: &dyn Fn(usize, usize) -> bool,
    out: &mut String,
) {
    let [register, unregister, receive] = names;
    let _ = writeln!(out, "   task body {name} is");
    for e in events {
        let _ = write!(
            out,
            "      Size_{e}   : Natural range 0 .. 2 := 0;\n      Slot_{e}_1 : Natural range 0 .. 2 := 0;\n      Slot_{e}_2 : Natural range 0 .. 2 := 0;\n"
        );
    }
    out.push_str("   begin\n      loop\n         select\n");
    for e in events {
        let artists: Vec<usize> = (1..=2).filter(|a| wants(*a, *e)).collect();
        for a in &artists {
            let _ = write!(
                out,
                "            accept {register}_{e}_{a} do
               if Size_{e} = 0 then
                  Slot_{e}_1 := {a};
                  Size_{e} := 1;
               elsif Size_{e} = 1 and Slot_{e}_1 /= {a} then
                  Slot_{e}_2 := {a};
                  Size_{e} := 2;
               end if;
            end {register}_{e}_{a};
         or
            accept {unregister}_{e}_{a} do
               if Size_{e} = 2 and Slot_{e}_2 = {a} then
                  Size_{e} := 1;
               elsif Size_{e} = 2 and Slot_{e}_1 = {a} then
                  Slot_{e}_1 := Slot_{e}_2;
                  Size_{e} := 1;
               elsif Size_{e} = 1 and Slot_{e}_1 = {a} then
                  Size_{e} := 0;
               end if;
            end {unregister}_{e}_{a};
         or
"
            );
        }
        // Whoever is behind another one lets it wait.
        let waits = names == INSIDE;
        let _ = writeln!(out, "            accept {receive}_{e}{}", if waits { " do" } else { ";" });
        for slot in 1..=2 {
            let _ = writeln!(
                out,
                "            if Size_{e} >= {slot} then\n               case Slot_{e}_{slot} is"
            );
            for a in &artists {
                let _ = writeln!(
                    out,
                    "                  when {a} =>
                     begin
                        Artist_{a}.Notify_{e};
                     exception
                        when others => null;
                     end;"
                );
            }
            out.push_str(
                "                  when others => null;\n               end case;\n            end if;\n",
            );
        }
        if waits {
            let _ = writeln!(out, "            end {receive}_{e};");
        }
        out.push_str("         or\n");
    }
    let _ = write!(out, "            terminate;\n         end select;\n      end loop;\n   end {name};\n");
}

/// Milner's scheduler: each in turn starts its customer and passes the turn on.
fn cyclic(n: usize) -> String {
    let mut out = format!("procedure Cyclic is\n{MORE}");
    for i in 1..=n {
        let _ = write!(
            out,
            "   task Scheduler_{i} is\n      entry Turn;\n      entry Done;\n   end Scheduler_{i};\n   task Customer_{i} is\n      entry Start;\n   end Customer_{i};\n"
        );
    }
    for i in 1..=n {
        let next = i % n + 1;
        let first = if i == 1 { "" } else { "         accept Turn;\n" };
        let last = if i == 1 { "         accept Turn;\n" } else { "" };
        let _ = write!(
            out,
            "   task body Scheduler_{i} is
   begin
      loop
{first}         Customer_{i}.Start;
         Scheduler_{next}.Turn;
         accept Done;
{last}      end loop;
   end Scheduler_{i};
   task body Customer_{i} is
   begin
      loop
         accept Start;
         Scheduler_{i}.Done;
      end loop;
   end Customer_{i};
"
        );
    }
    out + "begin\n   null;\nend Cyclic;\n"
}

/// Users who share a resource; whoever has the token may use it.
fn ring(n: usize) -> String {
    let mut out = "procedure Ring is
   package Environment is
      function More return Boolean;
      pragma Import (C, More);
   end Environment;
   use Environment;
"
    .to_owned();
    for i in 1..=n {
        let _ = write!(
            out,
            "   task Station_{i} is\n      entry Token;\n      entry Ask;\n      entry Free;\n   end Station_{i};\n   task User_{i};\n"
        );
    }
    for i in 1..=n {
        let next = i % n + 1;
        let (first, last) = match i {
            1 => ("", "         accept Token;\n"),
            _ => ("         accept Token;\n", ""),
        };
        let _ = write!(
            out,
            "   task body Station_{i} is
   begin
      loop
{first}         select
            accept Ask;
            accept Free;
         else
            null;
         end select;
         Station_{next}.Token;
{last}      end loop;
   end Station_{i};
   task body User_{i} is
   begin
      while More loop
         Station_{i}.Ask;
         --@ event use_{i}
         --@ event leave_{i}
         Station_{i}.Free;
      end loop;
   end User_{i};
"
        );
    }
    out + "begin\n   null;\nend Ring;\n"
}
