"""Checks the chapter 9 tests of ACATS and prints a table of verdicts.

A test is proved if Report.Failed cannot be reached, the main procedure cannot die of an exception,
and no task waits or spins for ever. One that is not, but is if delays are longer than whatever
happens meanwhile, depends on time, and so do those in acats/time.txt: they are told with the
delays. The table is followed by totals; the exit status is 1 if a test is violated.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess

BLOCKING = ["circular-wait", "client-blocked", "server-idle", "spin"]


def judge(report, main):
    """The verdict on one test, and why."""
    reasons = []
    for result in report["results"]:
        kind, verdict = result["kind"], result["verdict"]
        if kind not in BLOCKING + ["assertion", "unhandled-exception"]:
            continue
        if verdict == "violated":
            findings = result["findings"]
            if kind == "unhandled-exception":
                # A task that dies of an exception is what some tests are about.
                findings = [f for f in findings if f" in {main}" in f["message"]]
            if findings:
                return "violated", f"{kind}: {findings[0]['message']}"
        elif verdict == "inconclusive":
            reasons.append(f"{kind}: {result.get('reason', '')}")
    return ("inconclusive", reasons[0]) if reasons else ("proved", "")


def delays(test):
    """The delays of a test, as they are written."""
    text = test.read_text(errors="replace")
    code = "\n".join(line.split("--")[0] for line in text.splitlines())
    found = re.findall(r"(?<![\w\"])delay\s+([^;\"]+);", code, re.IGNORECASE)
    unique = dict.fromkeys(" ".join(d.split()) for d in found)
    return ", ".join(list(unique)[:4])


def listed():
    """Tests that depend on how delays compare with each other."""
    lines = (pathlib.Path(__file__).parent / "acats" / "time.txt").read_text().splitlines()
    return dict(line.split(None, 1) for line in lines if line and not line.startswith("#"))


def check(arguments, test):
    """Time is arbitrary at first. A test that fails so, but not if delays are long, depends on time."""
    name, verdict, why, modelled = run(arguments, test, "any")
    if verdict in ("violated", "inconclusive"):
        _, timed, timed_why, _ = run(arguments, test, "long")
        if timed == "proved":
            verdict, why = "time", f"holds if these are long: {delays(test)}"
        elif verdict == "inconclusive" and timed == "violated":
            verdict, why = timed, timed_why
    if verdict == "violated" and test.stem in listed():
        verdict, why = "time", listed()[test.stem]
    return name, verdict, why, modelled


def run(arguments, test, delays):
    command = [arguments.rendez, "check", "--format", "json", "--timeout", str(arguments.timeout), "--delays", delays,
               "--memory", arguments.memory, "-I", arguments.report, "-I", arguments.support, str(test)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=arguments.timeout * 4 + 30)
    except subprocess.TimeoutExpired:
        return test.name, "past its limit", "", False
    if done.returncode not in (0, 1, 3):
        text = done.stderr.decode(errors="replace").strip().splitlines()
        kind = "no model" if done.returncode == 2 else "crash"
        return test.name, kind, text[0] if text else f"status {done.returncode}", False
    report = json.loads(done.stdout)
    rejected = next((r.get("reason", "") for r in report["results"]
                     if "not modelled" in r.get("reason", "")), "")
    verdict, why = judge(report, report["program"]["tasks"][0])
    if rejected and verdict != "violated":
        verdict, why = "rejected", rejected
    return test.name, verdict, why, not rejected


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rendez", default="target/release/rendez")
    parser.add_argument("--report", default="scripts/acats", help="folder with the model of Report")
    parser.add_argument("--support", required=True)
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--brief", action="store_true", help="only what is not proved")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    tests = sorted(pathlib.Path(arguments.folder).iterdir())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda t: check(arguments, t), tests))
    for name, verdict, why, _ in rows:
        if not (arguments.brief and verdict == "proved"):
            print(f"{name:14} {verdict:14} {why[:150]}")
    counts = collections.Counter(verdict for _, verdict, _, _ in rows)
    print()
    print(f"{len(rows)} files; {sum(modelled for *_, modelled in rows)} become a model "
          "without a reachable rejected construct")
    for verdict, count in counts.most_common():
        print(f"{count:5} {verdict}")
    return 1 if counts["violated"] or counts["crash"] or counts["past its limit"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
