"""Measures what each yardstick reaches and compares it with floors.tsv.

Prints a table and ends with status 1 if anything is worse. What is better is told, so that the floor can be raised;
--raise does so. Times are never compared.
"""

import argparse
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parent.parent
FLOORS = ROOT / "floors.tsv"


def output(*words, environment=None):
    """What a command prints, and whether it ends with status 0."""
    done = subprocess.run(
        [str(w) for w in words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
    )
    return done.stdout.decode(errors="replace"), done.returncode == 0


def number(pattern, text):
    """The number that a pattern finds; none if it is not there."""
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


def acats(arguments):
    output("sh", "scripts/acats.sh")
    text, _ = output("python3", "scripts/acats.py", "--brief", "--rendez", arguments.rendez, "--support",
                     "target/acats/all/support", "target/acats/chapter9")
    if number(r"(\d+) files;", text) is None:
        return {}, text
    kinds = ["proved", "violated", "crash", "past its limit"]
    return {kind: number(rf"(?m)^ *(\d+) {kind}$", text) or 0 for kind in kinds}, text


def conformance(arguments):
    output("sh", "scripts/setup.sh", "gnat")
    text, _ = output("cargo", "run", "--release", "--quiet", "-p", "rendez-conformance", "--", "--programs", "300",
                     "--runs", "10", "--seed", "1")
    programs = re.search(r"(\d+) corpus and (\d+) generated programs", text)
    if not programs:
        return {}, text
    return {"programs": int(programs.group(1)) + int(programs.group(2)),
            "mismatches": number(r"(\d+) mismatches", text)}, text


def defects(arguments):
    text, _ = output("python3", "scripts/defects.py", "--rendez", arguments.rendez, "--timeout", "10")
    kinds = ["ok", "wrong holds", "false alarm", "crash", "refused", "wrong"]
    return {kind: number(rf"(?m)(\d+) {kind}(?:,|$)", text.strip().splitlines()[-1]) for kind in kinds}, text


def agree(arguments):
    text, _ = output("cargo", "run", "--release", "--quiet", "-p", "rendez-agree", "--", "--rendez", arguments.rendez,
                     "--seed", "7000000", "--pairs", "500", "--rules", "1")
    return {"pairs": number(r"(?m)^(\d+) pairs", text), "contradictions": number(r"(?m)^(\d+) contradictions", text)}, text


def random(arguments):
    """The first generator, on other programs than `make test`."""
    text, fine = output("cargo", "test", "--quiet", "-p", "rendez", "--test", "random", "--",
                        "passes_and_merging", "--nocapture",
                        environment={"RENDEZ_SEED": "7000000", "RENDEZ_PROGRAMS": "2000", "RENDEZ_STATES": "1500"})
    agreed = number(r"(\d+) of \d+ programs were small enough, and all their verdicts agree", text)
    return {"programs": agreed if fine else 0}, text


def cats(arguments):
    text, _ = output(arguments.rendez, "bench", "cats")
    return {"rows equal": number(r"(\d+) of \d+ rows equal", text)}, text


def parts(arguments, table, names):
    """Runs the parts of a table: what they print, and how many are as published."""
    runs = [output(arguments.rendez, "bench", table, "--only", name) for name in names]
    return "".join(text for text, _ in runs), sum(fine for _, fine in runs)


def flavers(arguments):
    text, fine = parts(arguments, "flavers", ["atm", "table-viii", "table-vi", "sizes", "reduction"])
    largest, proved = parts(arguments, "flavers", ["largest"])
    return {"parts as published": fine + proved, "properties proved": largest.count("| holds |")}, text + largest


def inca(arguments):
    text, fine = parts(arguments, "inca", ["example", "figure-10", "families", "deadlock"])
    return {"parts as published": fine, "certified": text.count("| holds, certified |")}, text


YARDSTICKS = [cats, defects, agree, acats, inca, flavers, random, conformance]


def floors():
    lines = [line.split("\t") for line in FLOORS.read_text().splitlines() if line and not line.startswith("#")]
    return {(yardstick, name): (better, int(floor)) for yardstick, name, better, floor in lines}


def compare(better, floor, measured):
    if measured is None:
        return "NOT MEASURED"
    gain = measured - floor if better == "more" else floor - measured
    return "WORSE" if gain < 0 else "ok" if gain == 0 else "better"


def lift(known, measured):
    """Writes the floors that were passed."""
    lines = FLOORS.read_text().splitlines()
    for i, line in enumerate(lines):
        fields = line.split("\t")
        key = tuple(fields[:2])
        if key in measured and compare(*known[key], measured[key]) == "better":
            lines[i] = "\t".join([*fields[:3], str(measured[key])])
    FLOORS.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendez", default="target/release/rendez", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=[y.__name__ for y in YARDSTICKS])
    parser.add_argument("--raise", dest="lift", action="store_true", help="write better numbers into floors.tsv")
    arguments = parser.parse_args()
    arguments.rendez = arguments.rendez.absolute()
    known, measured, worse = floors(), {}, False
    print(f"{'yardstick':12} {'number':20} {'floor':>8} {'measured':>8}", flush=True)
    for yardstick in YARDSTICKS:
        if arguments.only and yardstick.__name__ not in arguments.only:
            continue
        reached, text = yardstick(arguments)
        for (name, what), (better, floor) in known.items():
            if name != yardstick.__name__:
                continue
            value = reached.get(what)
            measured[name, what] = value
            said = compare(better, floor, value)
            print(f"{name:12} {what:20} {floor:8} {'-' if value is None else value:>8} {said}", flush=True)
            worse |= said in ("WORSE", "NOT MEASURED")
        log = ROOT / "target" / "floors" / f"{yardstick.__name__}.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text)
    print("What each one printed is in target/floors.")
    better = [key for key in measured if measured[key] is not None and compare(*known[key], measured[key]) == "better"]
    if better and arguments.lift:
        lift(known, measured)
    elif better:
        print(f"{len(better)} numbers are better than their floor: python3 scripts/floors.py --raise keeps them.")
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
