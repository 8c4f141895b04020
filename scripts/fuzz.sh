#!/bin/sh
# Fuzzes the front end for a number of seconds: fuzz.sh [SECONDS]
set -e
cd "$(dirname "$0")/.."
seconds=${1:-60}
command -v cargo-fuzz >/dev/null 2>&1 || cargo install cargo-fuzz --quiet
# The corpus starts with the programs that the tests use.
mkdir -p fuzz/corpus/front_end
cp corpus/*.adb fuzz/corpus/front_end/
ulimit -s unlimited 2>/dev/null || ulimit -s 1000000 2>/dev/null || true
# Coverage is an unstable option of the compiler.
RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none front_end -- \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=6000 -max_len=8000 -dict=fuzz/ada.dict -jobs="${JOBS:-2}" -workers="${JOBS:-2}"
