//! Prints the program of a seed: print SEED [NAME]

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let name = arguments.next().unwrap_or_else(|| "Main".into());
    print!("{}", rendez_generate::program(seed, &name));
}
