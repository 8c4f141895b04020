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

/// Units whose operations synchronise tasks: treating them as silent would be wrong.
const SYNCHRONISING: [&str; 12] = [
    "ada.synchronous_task_control",
    "ada.synchronous_barriers",
    "ada.asynchronous_task_control",
    "ada.real_time.timing_events",
    "ada.execution_time",
    "ada.containers.synchronized_queue_interfaces",
    "ada.containers.bounded_synchronized_queues",
    "ada.containers.unbounded_synchronized_queues",
    "ada.containers.bounded_priority_queues",
    "ada.containers.unbounded_priority_queues",
    "gnat.semaphores",
    "gnat.threads",
];

pub fn is_predefined(unit: &str) -> bool {
    let root = unit.split('.').next().unwrap_or(unit);
    ROOTS.contains(&root) || SHORT.contains(&unit)
}

pub fn synchronises(unit: &str) -> bool {
    SYNCHRONISING.iter().any(|s| unit == *s || unit.strip_prefix(s).is_some_and(|r| r.starts_with('.')))
}

/// Whether a call leaves its arguments alone: output, not input.
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
        || name.contains("calendar")
        || name.contains("real_time")
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
            "ada.task_identification",
        ]
        .contains(&unit)
}
