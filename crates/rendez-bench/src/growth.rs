//! Time and memory against the size of a program, with and without reductions.

use std::fmt::Write as _;
use std::path::Path;

use super::peers::ours;

/// Size, states, seconds, bytes.
pub(super) type Point = (usize, usize, f64, usize);
/// Name of a curve, and its points.
pub(super) type Curve = (String, Vec<Point>);
/// What is drawn of a point.
pub(super) type Part = fn(&Point) -> f64;

pub(super) fn run(output: Option<&Path>) -> u8 {
    if let Some(folder) = output.filter(|f| !f.is_dir()) {
        crate::complain!("error: {}: there is no such folder", folder.display());
        return crate::BAD_INPUT;
    }
    let mut curves: Vec<Curve> = Vec::new();
    crate::say!("| program | reductions | n | states | seconds | kB |");
    crate::say!("|---|---|---|---|---|---|");
    let families: [(&str, &[usize], &[usize]); 4] = [
        ("philosophers", &[4, 6, 8, 10, 12, 14], &[4, 8, 16, 32, 64, 100]),
        ("ordered", &[4, 6, 8, 10, 12, 14], &[4, 8, 16, 32, 64, 100]),
        ("readers-writers", &[3, 4, 5, 6, 7, 8], &[3, 4, 6, 8, 16, 32, 64]),
        ("gas-station", &[2, 3, 4, 5, 6], &[2, 3, 4, 5, 6]),
    ];
    for (family, plain, reduced) in families {
        for (reductions, sizes) in [(false, plain), (true, reduced)] {
            let mut points = Vec::new();
            for n in sizes {
                let Some(row) = ours(family, *n, 1, reductions, 60) else { break };
                let (states, seconds) = (row.states, row.seconds + row.ready);
                let bytes = row.bytes + row.other_bytes;
                let what = if reductions { "all" } else { "none" };
                crate::say!("| {family} | {what} | {n} | {states} | {seconds:.3} | {} |", bytes / 1024);
                points.push((*n, states, seconds, bytes));
            }
            curves.push((format!("{family}, {}", if reductions { "reduced" } else { "full" }), points));
        }
    }
    if let Some(folder) = output {
        let plots: [(&str, &str, Part); 2] = [
            ("growth-time.svg", "seconds", |p| p.2.max(1e-4)),
            ("growth-memory.svg", "kilobytes", |p| p.3 as f64 / 1024.0),
        ];
        for (file, unit, value) in plots {
            if let Err(error) = std::fs::write(folder.join(file), plot(&curves, unit, value)) {
                crate::complain!("error: {}: cannot be written: {error}", folder.join(file).display());
                return crate::BAD_INPUT;
            }
        }
    }
    0
}

const COLOURS: [&str; 8] =
    ["#1b6ca8", "#7fb4dd", "#b5382c", "#e59a90", "#2d7d46", "#93c9a3", "#8a5a00", "#dcb36a"];

/// Curves over sizes, both axes logarithmic.
pub(super) fn plot(curves: &[Curve], unit: &str, value: Part) -> String {
    let (width, height, left, bottom) = (760.0, 420.0, 70.0, 50.0);
    let all = || curves.iter().flat_map(|c| &c.1);
    let range = |f: &dyn Fn(&Point) -> f64| {
        all().map(f).fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let (x0, x1) = range(&|p| (p.0 as f64).ln());
    let (y0, y1) = range(&|p| value(p).ln());
    let x = |v: f64| left + (v - x0) / (x1 - x0).max(1e-9) * (width - left - 230.0);
    let y = |v: f64| height - bottom - (v - y0) / (y1 - y0).max(1e-9) * (height - bottom - 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for n in [2usize, 4, 8, 16, 32, 64, 100, 200] {
        let at = (n as f64).ln();
        if at >= x0 && at <= x1 + 1e-9 {
            let _ = writeln!(
                out,
                "<line x1=\"{0:.1}\" y1=\"20\" x2=\"{0:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/><text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{n}</text>",
                x(at),
                height - bottom,
                height - bottom + 16.0
            );
        }
    }
    let (low, high) =
        ((y0 / std::f64::consts::LN_10).floor() as i32, (y1 / std::f64::consts::LN_10).ceil() as i32);
    for power in low..=high {
        let at = f64::from(power) * std::f64::consts::LN_10;
        if at >= y0 && at <= y1 {
            let _ = writeln!(
                out,
                "<line x1=\"{left}\" y1=\"{0:.1}\" x2=\"{1:.1}\" y2=\"{0:.1}\" stroke=\"#ddd\"/><text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\">10^{power}</text>",
                y(at),
                width - 230.0,
                left - 6.0,
                y(at) + 4.0
            );
        }
    }
    for (i, (name, points)) in curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path: Vec<String> =
            points.iter().map(|p| format!("{:.1},{:.1}", x((p.0 as f64).ln()), y(value(p).ln()))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for point in path {
            if let Some((px, py)) = point.split_once(',') {
                let _ = writeln!(out, "<circle cx=\"{px}\" cy=\"{py}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
        let at = 34.0 + 18.0 * i as f64;
        let _ = writeln!(
            out,
            "<line x1=\"{0:.1}\" y1=\"{1:.1}\" x2=\"{2:.1}\" y2=\"{1:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{3:.1}\" y=\"{4:.1}\">{name}</text>",
            width - 215.0,
            at,
            width - 190.0,
            width - 184.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">size n</text><text x=\"16\" y=\"{:.1}\" transform=\"rotate(-90 16 {:.1})\" text-anchor=\"middle\">{unit}</text>\n</svg>",
        (left + width - 230.0) / 2.0,
        height - 12.0,
        height / 2.0,
        height / 2.0
    );
    out
}
