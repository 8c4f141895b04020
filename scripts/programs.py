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
import subprocess
import sys

BLOCKING = ("circular-wait", "client-blocked", "server-idle", "spin")


def run(arguments, row):
    path = os.path.join(arguments.dir, row["repository"].replace("/", "+"), row["path"])
    command = [arguments.rendez, "check", "--format", "json", "--timeout", str(arguments.timeout),
               "--memory", arguments.memory, path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=arguments.timeout * 4 + 60)
    except subprocess.TimeoutExpired:
        return row, "TIMEOUT", [], ""
    if done.returncode not in (0, 1, 3):
        text = done.stderr.decode("utf-8", "replace").strip().splitlines()
        kind = "BAD INPUT" if done.returncode == 2 else "CRASH"
        return row, kind, [], " ".join(text[:3])[:160]
    report = json.loads(done.stdout)
    rejected = [d for d in report["diagnostics"] if d["severity"] == "warning" and d["file"]]
    kinds = {r["kind"]: r for r in report["results"]}
    found = [k for k in kinds if kinds[k]["verdict"] == "violated"]
    states = report["results"][0]["stats"]["states"]
    undecided = not any(k in BLOCKING for k in found) and any(
        kinds[k]["verdict"] == "inconclusive" for k in BLOCKING)
    # What is not modelled matters only where an execution reaches it.
    reason = next((r.get("reason", "") for r in report["results"] if r["verdict"] == "inconclusive"), "")
    modelled = "not modelled" not in (reason or "")
    verdict = "model" if modelled else "REJECTED"
    note = f"{states} states"
    if undecided:
        note += "; undecided: " + (reason or "")[:90]
    return row, verdict, found, note


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rendez", required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--memory", default="2G")
    arguments = parser.parse_args()
    with open(arguments.list, newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file, delimiter="\t") if r["compiles_with_gnat"] == "yes"]
    modelled = blocked = reported = decided = 0
    print("| program | observed | model | found | notes |")
    print("|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for row, verdict, found, note in pool.map(lambda r: run(arguments, r), rows):
            modelled += verdict == "model"
            decided += "undecided" not in note and verdict in ("model", "REJECTED")
            hangs = row["observed"] in ("BLOCKS_FOREVER", "MAY_DEADLOCK", "MAY_SPIN_FOREVER")
            seen = any(k in BLOCKING for k in found)
            blocked += hangs
            reported += hangs and seen
            mark = " **missed**" if hangs and not seen else ""
            name = row["repository"] + "/" + row["path"]
            print(f"| {name} | {row['observed']} | {verdict} | {', '.join(found)}{mark} | {note} |")
            sys.stdout.flush()
    print(f"\n{len(rows)} programs, {modelled} without a reachable construct that is not modelled; "
          f"{decided} decided for blocking; "
          f"{blocked} observed to block or spin, {reported} of them reported.")


if __name__ == "__main__":
    main()
