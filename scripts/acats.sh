#!/bin/sh
# Unpacks the ACATS tests that come with Debian's gcc-12-source into target/acats.
set -e
cd "$(dirname "$0")/.."
if ! ls /usr/src/gcc-12/gcc-*.tar.* >/dev/null 2>&1; then
    if command -v apt-get >/dev/null 2>&1; then
        (apt-get update -qq && apt-get install -y -qq gcc-12-source) >/dev/null
    else
        echo "please install the package gcc-12-source" >&2
        exit 1
    fi
fi
folder=target/acats
if [ ! -d "$folder/chapter9" ]; then
    mkdir -p "$folder/all" "$folder/chapter9"
    tar xf /usr/src/gcc-12/gcc-*.tar.* -C "$folder/all" --wildcards --strip-components=5 '*/gcc/testsuite/ada/acats/*'
    cp "$folder"/all/tests/c9/* "$folder/chapter9/"
fi
