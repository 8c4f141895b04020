"""Mutation testing of the code that must not be wrong.

cargo-mutants lists the mutants: changed operators, replaced results, deleted match arms. Building each of them takes longer than
testing it, so this script builds a sample of them at once: it copies the sources and gives every function with mutants one body per
mutant, chosen at run time by the variable RENDEZ_MUTANT. Each mutant then runs the tests below, which take less than a minute
without one. It is caught if a test fails, or runs twice as long as usual.

A survivor is a change that no test notices. `scripts/mutants.tsv` explains those that change nothing a user could see.

Left out, because one function cannot hold two bodies there: `const fn`, and functions that return `impl Trait`.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPLAINED = ROOT / "scripts" / "mutants.tsv"
FILES = [
    "crates/model/src/semantics.rs", "crates/model/src/semantics/*.rs", "crates/model/src/monitor.rs",
    "crates/analysis/src/symmetry.rs", "crates/analysis/src/symmetry/*.rs", "crates/analysis/src/passes/slice.rs",
    "crates/analysis/src/passes/slice/*.rs", "crates/reach/src/stubborn.rs",
    "crates/reach/src/stubborn/*.rs", "crates/reach/src/symmetry.rs", "crates/reach/src/progress.rs",
    "crates/certificate/src/proof.rs", "crates/certificate/src/derive.rs", "crates/certificate/src/system.rs",
]
# The quick tests first: most mutants are caught by the first one.
TESTS = ["rendez_model", "rendez_analysis", "rendez_certificate", "rendez_reach", "pinned", "certificates", "corpus", "random", "sequences", "temporal"]
SWITCH = """
/// Which mutant runs, if any.
pub fn mutant() -> u32 {
    static CHOSEN: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("RENDEZ_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0));
    *CHOSEN
}
"""


def braces(text):
    """The places of braces that are code, as pairs of an opening and a closing one."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\[^\']*|[^\'\\])\'|[{}]', re.S)
    pairs, stack = {}, []
    for found in token.finditer(text):
        if found.group() == "{":
            stack.append(found.start())
        elif found.group() == "}":
            pairs[found.start()] = stack.pop()
    return pairs


class Source:
    """A file with the mutants of its functions."""

    def __init__(self, path, tree):
        self.path, self.text = path, (tree / path).read_text()
        self.lines = [0]
        for line in self.text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.close = braces(self.text)
        self.places = []

    def offset(self, place):
        return self.lines[place["line"] - 1] + place["column"] - 1

    def body(self, mutant):
        """Where the body of the mutated function stands; none if it can have one body only."""
        span = mutant["function"]["span"]
        start, end = self.offset(span["start"]), self.offset(span["end"])
        last = self.text.rfind("}", start, end)
        opened = self.close.get(last)
        if opened is None or opened < start:
            return None
        signature = self.text[start:opened]
        if re.search(r"\bconst\s+fn\b|->\s*[^;]*\bimpl\b", signature):
            return None
        return opened, last

    def changed(self, mutant, body):
        start, end = self.offset(mutant["span"]["start"]), self.offset(mutant["span"]["end"])
        return self.text[body[0]:start] + mutant["replacement"] + self.text[end:body[1] + 1]

    def write(self, tree, mutants, switch):
        """Writes the file with all bodies, and remembers the lines of each."""
        by_body = collections.defaultdict(list)
        for mutant in mutants:
            by_body[mutant["body"]].append(mutant)
        out, done = [], 0
        line = lambda: "".join(out).count("\n") + 1
        self.places = []
        for body in sorted(by_body):
            out.append(self.text[done:body[0]] + "{ match " + switch + " {\n")
            for mutant in by_body[body]:
                first = line()
                out.append(f"{mutant['id']} => {self.changed(mutant, body)}\n")
                self.places.append((first, line(), mutant["id"]))
            out.append(f"_ => {self.text[body[0]:body[1] + 1]}\n}} }}")
            done = body[1] + 1
        out.append(self.text[done:])
        (tree / self.path).write_text("".join(out))


def apart(bodies, body):
    """Whether a body is one of those, or overlaps none of them."""
    return body in bodies or all(body[1] < b[0] or b[1] < body[0] for b in bodies)


def sample(arguments, tree):
    """The mutants to try, with numbers from 1 on, and the files they are in."""
    words = [w for pattern in arguments.file or FILES for w in ("--file", pattern)]
    text = subprocess.run(["cargo", "mutants", "--list", "--json", *words], cwd=ROOT, check=True, capture_output=True).stdout
    everything = [m for m in json.loads(text) if m.get("function")]
    random.Random(arguments.sample).shuffle(everything)
    if arguments.again:
        lines = arguments.again.read_text().splitlines()
        missed = {change(line.split(" ", 1)[1].removesuffix(": MISSED")) for line in lines if line.endswith(": MISSED")}
        everything = [m for m in everything if change(m["name"]) in missed]
    sources, taken, bodies = {}, [], collections.defaultdict(set)
    for mutant in everything:
        if len(taken) == arguments.count:
            break
        path = mutant["file"]
        source = sources.setdefault(path, Source(path, tree))
        body = source.body(mutant)
        if body and apart(bodies[path], body):
            bodies[path].add(body)
            line = source.text.splitlines()[mutant["span"]["start"]["line"] - 1].strip()
            taken.append({**mutant, "body": body, "id": len(taken) + 1, "line": line})
    print(f"{len(taken)} of {len(everything)} mutants, sample {arguments.sample}", flush=True)
    return taken, sources


def write(tree, sources, mutants):
    for path, source in sources.items():
        switch = "crate::mutant()" if path.startswith("crates/model/") else "rendez_model::mutant()"
        source.write(tree, [m for m in mutants if m["file"] == path], switch)


def broken(messages, sources):
    """The mutants that the compiler refuses."""
    found = set()
    for line in messages.splitlines():
        message = json.loads(line)
        if message.get("reason") != "compiler-message" or message["message"]["level"] != "error":
            continue
        for span in message["message"]["spans"]:
            path = next((p for p in sources if span["file_name"].endswith(p) or p.endswith(span["file_name"])), None)
            places = sources[path].places if path else []
            found |= {number for first, last, number in places if first <= span["line_start"] <= last}
    return found


def name(crate):
    """What the package in a folder is called."""
    return re.search(r'(?m)^name = "(.*)"', (crate / "Cargo.toml").read_text()).group(1)


def build(tree, target, sources, mutants):
    """The test programs by name, and the mutants that they hold."""
    packages = [w for p in ("rendez", "rendez-cli", "rendez-model", "rendez-analysis", "rendez-reach", "rendez-certificate") for w in ("-p", p)]
    # Fast, but with the assertions that `make test` has.
    checked = [w for p in sorted((tree / "crates").iterdir())
               for w in ("--config", f"profile.release.package.{name(p)}.debug-assertions=true")]
    while True:
        write(tree, sources, mutants)
        done = subprocess.run(
            ["cargo", "test", "--release", "--no-run", "--message-format", "json", *checked, *packages], cwd=tree, capture_output=True, text=True,
            env={**os.environ, "CARGO_TARGET_DIR": str(target)})
        if done.returncode == 0:
            messages = [json.loads(line) for line in done.stdout.splitlines()]
            made = {m["target"]["name"]: m["executable"] for m in messages
                    if m.get("executable") and m.get("profile", {}).get("test")}
            return made, mutants
        refused = broken(done.stdout, sources)
        if not refused:
            raise SystemExit("the mutants do not build:\n" + done.stderr[-4000:])
        print(f"{len(refused)} are no programs", flush=True)
        mutants = [m for m in mutants if m["id"] not in refused]


def run(tree, tests, number, limits):
    """Who notices a mutant: the name of a test, or none. Without limits, how long each test takes."""
    times = {}
    for name, program in tests:
        started = time.monotonic()
        child = subprocess.Popen(
            [program, "--test-threads", "1"], cwd=tree / "crates" / "rendez-cli", stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
            env={**os.environ, "RENDEZ_MUTANT": str(number), "RENDEZ_PROGRAMS": os.environ.get("RENDEZ_PROGRAMS", "60"),
                 "RENDEZ_STATES": "1500"})
        late = threading.Timer(limits[name] if limits else 600, end, [child])
        late.start()
        # The first test that fails tells enough.
        lines = []
        failed = False
        for line in child.stdout:
            lines.append(line)
            failed = failed or line.rstrip().endswith("FAILED")
            if failed and limits:
                break
        late.cancel()
        times[name] = time.monotonic() - started
        if failed and limits:
            end(child)
            return name
        if child.wait() != 0:
            if not limits:
                return name, "".join(lines)
            return f"{name}, by its time" if times[name] >= limits[name] else name
    return None if limits else times


def end(child):
    """Ends a test and whatever it has started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def explained():
    """The survivors that change nothing, with the reason."""
    if not EXPLAINED.exists():
        return {}
    lines = [line.split("\t") for line in EXPLAINED.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple(known): why for *known, why in lines}


def change(name):
    """The file and the change of a mutant, without its place, which moves."""
    return re.sub(r"^([^:]*):\S+: ", r"\1\t", name)


def described(mutant):
    """The file, the change and the line of a mutant."""
    return *change(mutant["name"]).split("\t", 1), mutant["line"]


def tell(mutants, refused, results):
    known = explained()
    rows = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        noticed = results[mutant["id"]]
        kind = "caught" if noticed else "equivalent" if described(mutant) in known else "missed"
        rows[mutant["file"]][kind] += 1
    kinds = ["caught", "equivalent", "missed"]
    total = collections.Counter()
    print("| file | " + " | ".join(kinds) + " |\n|---|---|---|---|")
    for file in sorted(rows):
        total += rows[file]
        print(f"| {file} | " + " | ".join(str(rows[file][k]) for k in kinds) + " |")
    print("| all | " + " | ".join(str(total[k]) for k in kinds) + " |")
    print(f"{refused} more are no programs.")
    for mutant in mutants:
        if not results[mutant["id"]] and described(mutant) not in known:
            print("missed: " + "\t".join(described(mutant)))
    return total["missed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--sample", type=int, default=0, help="which sample")
    parser.add_argument("--file", action="append", help="only these files")
    parser.add_argument("--again", type=pathlib.Path, help="only what this run missed, told by what it printed")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    if not shutil.which("cargo-mutants"):
        subprocess.run(["cargo", "install", "--quiet", "--locked", "cargo-mutants"], check=True)
    out = ROOT / "target" / "mutants"
    tree, target = out / "tree", out / "build"
    shutil.rmtree(tree, ignore_errors=True)
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, kept):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    mutants, sources = sample(arguments, tree)
    library = tree / "crates/model/src/lib.rs"
    library.write_text(library.read_text() + SWITCH)
    made, viable = build(tree, target, sources, mutants)
    tests = [(name, made[name]) for name in TESTS if name in made]
    usual = run(tree, tests, 0, None)
    if not isinstance(usual, dict):
        raise SystemExit(f"test {usual[0]} fails without a mutant:\n{usual[1][-4000:]}")
    print("without a mutant: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in usual.items()), flush=True)
    limits = {name: 2 * seconds + 20 for name, seconds in usual.items()}
    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
        tried = {pool.submit(run, tree, tests, m["id"], limits): m for m in viable}
        for future in concurrent.futures.as_completed(tried):
            mutant = tried[future]
            results[mutant["id"]] = future.result()
            print(f"{len(results)}/{len(viable)} {mutant['name']}: {future.result() or 'MISSED'}", flush=True)
    return 1 if tell(viable, len(mutants) - len(viable), results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
