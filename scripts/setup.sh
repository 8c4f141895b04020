#!/bin/sh
# Brings what the build needs: a Rust toolchain and a C compiler (for tree-sitter's grammar), and
# with the argument `gnat` the Ada compiler.
need() {
    command -v "$1" >/dev/null 2>&1 && return 0
    if command -v apt-get >/dev/null 2>&1; then
        echo "installing $2"
        (apt-get update -qq && apt-get install -y -qq "$2") >/dev/null 2>&1 && return 0
    fi
    echo "rendez needs $1: please install the package $2" >&2
    exit 1
}
need cc gcc
need cargo cargo
[ "$1" = gnat ] && need gnatmake gnat
true
