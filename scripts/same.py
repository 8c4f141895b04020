"""Compares two binaries of rendez: every corpus program with every engine, and what else is printed for it.

For changes that must not change what rendez says. Times, memory and the version are left out of the comparison; so is, for the
portfolio, who decided, which depends on the machine. Prints what differs and ends with status 1 if anything does.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parent.parent
ENGINES = ["auto", "explore", "reach", "flow", "ilp", "directed"]
# What differs from run to run.
MOVING = {"seconds", "peak_bytes", "version", "states_per_second"}
BY_CHANCE = {"stats", "engine", "trace", "certificate", "message", "reason", "notes", "findings"}


def stripped(value, without):
    if isinstance(value, dict):
        return {k: stripped(v, without) for k, v in value.items() if k not in without}
    if isinstance(value, list):
        return [stripped(v, without) for v in value]
    return value


def run(binary, words):
    done = subprocess.run([binary, *words], cwd=ROOT, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def asked(binary, words, engine):
    status, out, err = run(binary, words)
    try:
        out = stripped(json.loads(out), MOVING | (BY_CHANCE if engine == "auto" else {"stats"} if engine == "directed" else set()))
    except ValueError:
        pass
    return status, out, re.sub(r"\d+\.\d+ s", "", err)


def header(path):
    text = path.read_text(encoding="latin-1")
    return dict(m.groups() for m in re.finditer(r"^-- *(\w+): *(.*?) *$", text, re.M))


def cases(limit):
    for path in sorted((ROOT / "corpus").glob("*.adb")):
        fields = header(path)
        name = f"corpus/{path.name}"
        options = fields.get("options", "").split()
        rules = ["--property", f"corpus/{fields['property']}"] if "property" in fields else []
        for engine in ENGINES:
            if engine == "auto" or "--engine" not in options:
                chosen = [] if engine == "auto" else ["--engine", engine]
                words = ["check", "--format", "json", *limit, *options, *rules, *chosen, name]
                yield engine, words
        yield "dump", ["dump", "--stage", "explored", name]
        yield "simulate", ["simulate", "--seed", "7", "--steps", "60", name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="programs whose name contains this")
    arguments = parser.parse_args()
    old, new = (str(pathlib.Path(p).resolve()) for p in (arguments.old, arguments.new))
    all_cases = [c for c in cases(["--timeout", "20"]) if arguments.only in c[1][-1]]

    def compare(case):
        engine, words = case
        return words, asked(old, words, engine), asked(new, words, engine)

    different = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
        for words, before, after in pool.map(compare, all_cases):
            if before != after:
                different += 1
                print("different: rendez " + " ".join(words))
                for what, a, b in zip(("status", "output", "messages"), before, after):
                    if a != b:
                        a, b = (v if isinstance(v, str) else json.dumps(v) for v in (a, b))
                        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                        print(f"  {what}: ...{a[max(0, at - 60):at + 60]!r}\n  {'':{len(what)}}  ...{b[max(0, at - 60):at + 60]!r}")
    print(f"{len(all_cases)} runs of each, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
