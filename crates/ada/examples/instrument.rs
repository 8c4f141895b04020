//! Prints the instrumented text of a program: instrument FILE

fn main() {
    let file = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    match rendez_ada::instrument::instrument(&text) {
        Some(text) => print!("{text}"),
        None => eprintln!("{file}: cannot be parsed"),
    }
}
