"""Runs rendez on programs that once had a wrong answer, and compares with what is expected of them.

ada/: the first line of a program says `--  expect: KIND, ?KIND, !KIND ; why`. Every kind named must be violated, one
with a question mark may be, one with an exclamation mark must not be; no other error may be. The warnings dead-entry and
server-idle count only where they are named. A folder is a program of several units. Programs of the corpus are in ada/cases.tsv: case,
program, what is expected.
engines/cases.tsv: program, property file, options, rule or check, verdict (`{}` is the folder, `status N` the exit status).

Ends with a line of counts; the exit status is 1 if an answer is wrong.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRONG = ["wrong holds", "false alarm", "crash", "refused", "wrong"]


class Command:
    def __init__(self, rendez, timeout):
        self.words = [rendez, "check", "--threads", "1", "--timeout", str(timeout), "--memory", "2G", "--format", "json"]
        self.patience = 4 * timeout + 30

    def run(self, *words):
        """The exit status and the report, if there is one."""
        try:
            done = subprocess.run([*self.words, *words], capture_output=True, timeout=self.patience)
        except subprocess.TimeoutExpired:
            return None, None
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.returncode, None


def first_line(path):
    """What the first line of a program says about it; none if it says nothing."""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = re.match(r"--\s*expect:\s*(.*)", file.readline())
    return found and found.group(1)


def expectation(text):
    """The kinds that must, may and must not be violated."""
    words = [w for w in re.split(r"[,\s]+", text.split(";")[0]) if w and w != "none"]
    marked = lambda mark: {w[1:] for w in words if w[0] == mark}
    return {w for w in words if w[0] not in "?!"}, marked("?"), marked("!")


def judge_program(command, path, expected):
    must, may, never = expectation(expected)
    status, report = command.run(str(path))
    if report is None or status not in (0, 1, 3):
        return ("refused" if status == 2 else "crash"), f"status {status}"
    verdicts = {r["kind"]: r["verdict"] for r in report["results"]}
    said = lambda verdict: {k for k, v in verdicts.items() if v == verdict}
    free = (may | ({"dead-entry", "server-idle"} - must)) - never
    for kind, which in [
        ("wrong", must - set(verdicts)),
        ("wrong holds", must & said("holds")),
        ("false alarm", said("violated") - must - free),
        ("undecided", said("inconclusive") - free),
    ]:
        if which:
            return kind, ", ".join(sorted(which))
    return "ok", ""


def judge_case(command, folder, line):
    program, rules, options, rule, expected = line.split("\t")[:5]
    words = options.replace("{}", str(folder)).split()
    if rules != "-":
        words += ["--property", str(folder / rules)]
    status, report = command.run(*words, str(folder / program))
    if expected.startswith("status") or report is None or status not in (0, 1, 3):
        kind = "ok" if expected == f"status {status}" else "crash" if status in (None, 4) else "wrong"
        return kind, f"status {status}, expected {expected}"
    got = [r["verdict"] for r in report["results"] if rule in (r["property"], r["kind"])]
    if got and all(g in expected.split("|") for g in got):
        return "ok", ""
    return ("undecided" if "inconclusive" in got else "wrong"), f"{', '.join(got) or 'no answer'}, expected {expected}"


def table(path, only):
    """The lines of a table that have a text in them; none if there is no such table."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#") and only in line]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendez", default="target/release/rendez")
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--all", action="store_true", help="print what is right, too")
    parser.add_argument("--only", default="", help="only programs and cases with this in their name")
    parser.add_argument("folder", nargs="?", default="defects", type=pathlib.Path)
    arguments = parser.parse_args()
    command = Command(arguments.rendez, arguments.timeout)
    counts = collections.Counter()

    def tell(name, judged):
        kind, why = judged
        counts[kind] += 1
        if arguments.all or kind in WRONG:
            print(f"{kind:13} {name} {why}", flush=True)

    for path in sorted((arguments.folder / "ada").rglob("*.adb")):
        expected = first_line(path)
        if arguments.only in str(path) and expected is not None:
            tell(path.relative_to(arguments.folder), judge_program(command, path, expected))
    for line in table(arguments.folder / "ada" / "cases.tsv", arguments.only):
        name, path, expected = line.split("\t")
        tell(f"{name} {path}", judge_program(command, ROOT / path, expected))
    engines = arguments.folder / "engines"
    for line in table(engines / "cases.tsv", arguments.only):
        tell(" ".join(line.split("\t")[:4]), judge_case(command, engines, line))
    print(", ".join(f"{counts[kind]} {kind}" for kind in ["ok", "undecided", *WRONG]))
    return 1 if any(counts[kind] for kind in WRONG) else 0


if __name__ == "__main__":
    raise SystemExit(main())
