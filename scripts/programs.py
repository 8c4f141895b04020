#!/usr/bin/env python3
"""Runs rendez on public Ada programs and prints a table of what they do.

The list is a tab-separated file with the columns repository, commit, path, files, loc,
compiles_with_gnat, observed, note, features; the folder holds the repositories as owner+name.
A program of several files finds its units beside it.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import time

BLOCKING = ("circular-wait", "client-blocked", "server-idle", "spin")


def run(arguments, row):
    path = os.path.join(arguments.dir, row["repository"].replace("/", "+"), row["path"])
    command = [arguments.rendez, "check", "--format", "json", "--timeout", str(arguments.timeout),
               "--memory", arguments.memory, *arguments.options.split(), path]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=arguments.timeout * 4 + 60)
    except subprocess.TimeoutExpired:
        return row, "TIMEOUT", [], "", "", arguments.timeout
    seconds = time.monotonic() - started
    if done.returncode not in (0, 1, 3):
        text = done.stderr.decode("utf-8", "replace").strip().splitlines()
        kind = "BAD INPUT" if done.returncode == 2 else "CRASH"
        return row, kind, [], "", " ".join(text[:3])[:160], seconds
    report = json.loads(done.stdout)
    kinds = {r["kind"]: r for r in report["results"]}
    found = [k for k in kinds if kinds[k]["verdict"] == "violated"]
    blocking = [k for k in BLOCKING if k in found]
    undecided = [] if blocking else [k for k in BLOCKING if kinds[k]["verdict"] == "inconclusive"]
    decided = blocking or [k for k in BLOCKING if k not in undecided]
    engines = sorted({kinds[k]["engine"] for k in decided})
    # What is not modelled matters only where an execution reaches it.
    reason = next((r.get("reason", "") for r in report["results"] if r["verdict"] == "inconclusive"), "")
    verdict = "REJECTED" if "not modelled" in (reason or "") else "model"
    note = ("undecided: " + (kinds[undecided[0]].get("reason") or "")[:90]) if undecided else ""
    if "deadlock" in kinds and kinds["deadlock"]["verdict"] == "holds" and undecided:
        note += "; never stands still (ilp)"
    return row, verdict, found, "+".join(engines), note, seconds


def corpus(arguments):
    """Every program of a folder with the options of its leading comment."""
    print("| program | expected | found | decided by | seconds |")
    print("|---|---|---|---|---|")
    for name in sorted(os.listdir(arguments.corpus)):
        path = os.path.join(arguments.corpus, name)
        if not name.endswith(".adb"):
            continue
        with open(path, encoding="latin-1") as file:
            fields = dict(m.groups() for m in re.finditer(r"^-- *(\w+): *(.*?) *$", file.read(), re.M))
        if "expect" not in fields:
            continue
        command = [arguments.rendez, "check", "--format", "json", *fields.get("options", "").split()]
        if "property" in fields:
            command += ["--property", os.path.join(arguments.corpus, fields["property"])]
        started = time.monotonic()
        done = subprocess.run([*command, path], capture_output=True, check=False)
        seconds = time.monotonic() - started
        results = json.loads(done.stdout)["results"]
        found = [r["property"] + ("?" if r["verdict"] == "inconclusive" else "")
                 for r in results if r["verdict"] != "holds"]
        engines = "+".join(sorted({r["engine"] for r in results}))
        print(f"| {name} | {fields['expect']} | {', '.join(found) or 'holds'} | {engines} | {seconds:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rendez", required=True)
    parser.add_argument("--dir", help="the folder with the repositories")
    parser.add_argument("--list", help="the list of programs")
    parser.add_argument("--corpus", help="a folder of programs with their outcome in the leading comment, instead")
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--options", default="", help="further options of rendez check")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    arguments = parser.parse_args()
    if arguments.corpus:
        return corpus(arguments)
    if not arguments.dir or not arguments.list:
        parser.error("--dir and --list, or --corpus, are needed")
    with open(arguments.list, newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file, delimiter="\t") if r["compiles_with_gnat"] == "yes"]
    rows = [r for r in rows if arguments.only in r["repository"] + "/" + r["path"]]
    modelled = blocked = reported = decided = 0
    print("| program | observed | found | decided by | seconds | notes |")
    print("|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row, verdict, found, engines, note, seconds in pool.map(lambda r: run(arguments, r), rows):
            modelled += verdict == "model"
            decided += "undecided" not in note and verdict in ("model", "REJECTED")
            hangs = row["observed"] in ("BLOCKS_FOREVER", "MAY_DEADLOCK", "MAY_SPIN_FOREVER")
            seen = any(k in BLOCKING for k in found)
            blocked += hangs
            reported += hangs and seen
            mark = " **missed**" if hangs and not seen else ""
            if verdict != "model":
                note = (verdict + " " + note).strip()
            name = row["repository"] + "/" + row["path"]
            what = ", ".join(found) or "nothing"
            print(f"| {name} | {row['observed']} | {what}{mark} | {engines} | {seconds:.1f} | {note} |")
            sys.stdout.flush()
    print(f"\n{len(rows)} programs, {modelled} without a reachable construct that is not modelled; "
          f"{decided} decided for blocking; "
          f"{blocked} observed to block or spin, {reported} of them reported.")


if __name__ == "__main__":
    main()
