//! Library units that come without source: which are silent, which give input, which block.

/// Roots of the predefined hierarchies: their units are opaque when no source is given.
const ROOTS: [&str; 5] = ["ada", "system", "interfaces", "gnat", "standard"];

/// Ada 83 names of library units.
const SHORT: [&str; 10] = [
    "text_io",
    "calendar",
    "io_exceptions",
    "sequential_io",
    "direct_io",
    "unchecked_conversion",
    "unchecked_deallocation",
    "machine_code",
    "low_level_io",
    "ada_io",
];

/// Units whose operations synchronise tasks and that have no model: treating them as silent would
/// be wrong.
const SYNCHRONISING: [&str; 6] = [
    "ada.asynchronous_task_control",
    "ada.execution_time",
    "ada.interrupts.attach_handler",
    "ada.interrupts.detach_handler",
    "ada.interrupts.exchange_handler",
    "gnat.threads",
];

macro_rules! models {
    ($($file:literal)*) => {
        [$(($file, include_str!(concat!("../library/", $file)))),*]
    };
}

/// Models of library units, written in Ada; a file of the same name among the sources comes first.
const MODELS: [(&str, &str); 22] = models!(
    "ada-containers-bounded_priority_queues.adb"
    "ada-containers-bounded_priority_queues.ads"
    "ada-containers-bounded_synchronized_queues.adb"
    "ada-containers-bounded_synchronized_queues.ads"
    "ada-containers-synchronized_queue_interfaces.ads"
    "ada-containers-unbounded_priority_queues.adb"
    "ada-containers-unbounded_priority_queues.ads"
    "ada-containers-unbounded_synchronized_queues.adb"
    "ada-containers-unbounded_synchronized_queues.ads"
    "ada-finalization.ads"
    "ada-real_time-timing_events.adb"
    "ada-real_time-timing_events.ads"
    "ada-synchronous_barriers.adb"
    "ada-synchronous_barriers.ads"
    "ada-synchronous_task_control.adb"
    "ada-synchronous_task_control.ads"
    "ada-task_identification.adb"
    "ada-task_identification.ads"
    "ada-task_termination.adb"
    "ada-task_termination.ads"
    "gnat-semaphores.adb"
    "gnat-semaphores.ads"
);

/// The model of a library unit, by the name of its file.
pub fn model(file: &str) -> Option<&'static str> {
    MODELS.iter().find(|m| m.0 == file).map(|m| m.1)
}

pub fn is_predefined(unit: &str) -> bool {
    let root = unit.split('.').next().unwrap_or(unit);
    ROOTS.contains(&root) || SHORT.contains(&unit)
}

/// Whether a name belongs to a unit that synchronises tasks.
pub fn synchronises(name: &str) -> bool {
    let within = |unit: &str| name.strip_prefix(unit).is_some_and(|r| r.is_empty() || r.starts_with('.'));
    SYNCHRONISING.iter().any(|unit| within(unit))
        || MODELS.iter().any(|(file, _)| {
            let stem = file.rsplit_once('.').map_or(*file, |f| f.0);
            within(&stem.replace('-', "."))
        })
}

/// Whether a call ends the program at once.
pub fn ends_program(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(last, "os_exit" | "os_abort")
}

/// Whether a call only reads its arguments.
pub fn is_output(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    ["put", "new_line", "flush", "skip_line", "new_page", "image"].iter().any(|p| last.starts_with(p))
}

/// Whether a call leaves the numbers among its arguments alone: output, not input.
pub fn is_silent(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    ["put", "new_line", "set_", "flush", "skip_line", "new_page", "close", "reset", "image", "free"]
        .iter()
        .any(|prefix| last.starts_with(prefix))
        || ["open", "create", "delete", "append", "randomize", "write", "seed"].contains(&last)
}

/// Whether the unit's values come from outside the program.
pub fn is_input(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    name.contains("random")
        || [
            "clock",
            "get",
            "get_line",
            "look_ahead",
            "end_of_file",
            "argument",
            "argument_count",
            "get_immediate",
        ]
        .contains(&last)
        || name.contains("command_line")
}

/// Whether a library operation may raise an exception of the library, and whether the environment
/// decides it.
pub fn may_raise(operation: &str, exception: &str) -> Option<bool> {
    let unit = |name: &'static str| operation.contains(name);
    let last = exception.rsplit('.').next().unwrap_or(exception);
    match last {
        "time_error" if unit("calendar") => Some(false),
        "data_error" | "end_error" | "status_error" | "mode_error" | "name_error" | "use_error"
        | "device_error" | "layout_error"
            if unit("_io") || unit("stream") || unit("directories") =>
        {
            Some(last != "layout_error")
        }
        _ => None,
    }
}

/// Whether a unit that is worth no assumption has an operation here that may well raise an exception: everything
/// but output and what asks for something that is there.
pub fn may_fail(operation: &str) -> bool {
    let Some((unit, last)) = operation.rsplit_once('.') else { return false };
    let tame =
        ["clock", "random", "end_of_", "is_open", "argument_count", "command_name", "exception_", "get"];
    let input_output = unit.contains("_io") || unit.contains("command_line") || unit.contains("calendar");
    input_output && !is_output(operation) && !tame.iter().any(|t| last.starts_with(t))
}

/// The exceptions of input and output have other names in each of the units for it.
pub fn renamed(exception: &str) -> String {
    match exception.rsplit_once('.') {
        Some((unit, last))
            if unit.ends_with("_io") && (last.ends_with("_error") && may_raise(unit, last) == Some(true)) =>
        {
            format!("ada.io_exceptions.{last}")
        }
        _ => exception.to_owned(),
    }
}

/// Units worth no assumption: they print, or only compute with values that are not followed.
pub fn is_unremarkable(unit: &str) -> bool {
    unit.contains("text_io")
        || unit.contains("_io")
        || [
            "ada",
            "system",
            "gnat",
            "interfaces",
            "ada.containers",
            "ada.interrupts",
            "ada.interrupts.names",
            "ada.numerics",
            "ada.strings",
            "ada.exceptions",
            "ada.calendar",
            "calendar",
            "ada.real_time",
            "ada.unchecked_deallocation",
            "unchecked_deallocation",
            "ada.numerics.discrete_random",
            "ada.numerics.float_random",
            "ada.command_line",
        ]
        .contains(&unit)
}
