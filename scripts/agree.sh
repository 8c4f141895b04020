#!/bin/sh
# Random agreement: half the time for the second generator, through the command line, and half for the first one and its
# tests. The seed comes from the clock, or is given: agree.sh SECONDS [SEED].
cd "$(dirname "$0")/.."
seconds=$1
seed=${2:-$(date +%s)000}
half=$((seconds / 2))
status=0
echo "make agree SECONDS=$seconds AGREE_SEED=$seed"
cargo run --release --quiet -p rendez-agree -- --rendez target/release/rendez --seed "$seed" --seconds "$half" || status=1
for part in random:4 sequences:8 temporal:8; do
    test=${part%:*}
    RENDEZ_SEED=$seed RENDEZ_PROGRAMS=1000000000 RENDEZ_STATES=1500 RENDEZ_SECONDS=$((seconds / ${part#*:})) \
        cargo test --release --quiet -p rendez --test "$test" -- --nocapture || status=1
done
exit $status
