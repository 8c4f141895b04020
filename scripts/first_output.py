#!/usr/bin/env python3
"""Time until rendez has printed its verdict on a program, beside that of GNAT's `gcc -c` of the same file.

Both run anew each time, in turns, after both files were dropped from the page cache where that is allowed.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time


def drop_caches():
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        return True
    except OSError:
        return False


def seconds(command, folder):
    started = time.monotonic()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rendez", default="target/release/rendez")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("source", nargs="?", default="examples/philosophers.adb")
    arguments = parser.parse_args()
    rendez, source = os.path.abspath(arguments.rendez), os.path.abspath(arguments.source)
    cold = drop_caches()
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.runs):
            drop_caches()
            ours.append(seconds([rendez, "check", source], folder))
            drop_caches()
            theirs.append(seconds(["gcc", "-c", source], folder))
    a, b = statistics.median(ours), statistics.median(theirs)
    state = "cold" if cold else "warm: the page cache cannot be dropped here"
    print(f"rendez check {a:.3f} s, gcc -c {b:.3f} s, ratio {a / b:.2f} ({state}, median of {arguments.runs})")


if __name__ == "__main__":
    main()
