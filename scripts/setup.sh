#!/bin/sh
# Brings what the build needs: a Rust toolchain, a C compiler for tree-sitter's grammar, a C++
# compiler, cmake and libclang for the HiGHS solver; with the argument `gnat` the Ada compiler, with `test`
# the browser that the pages are tested in.
has() {
    case $1 in
    libclang) ls /usr/lib/llvm-*/lib/libclang[-.]*so* /usr/lib/*/libclang[-.]*so* 2>/dev/null | grep -q 'libclang\(-[0-9.]*\)\{0,1\}\.so' ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}
need() {
    has "$1" && return 0
    if command -v apt-get >/dev/null 2>&1; then
        echo "installing $2"
        (apt-get update -qq && apt-get install -y -qq "$2") >/dev/null 2>&1 && return 0
    fi
    echo "rendez needs $1: please install the package $2" >&2
    exit 1
}
need cc gcc
need c++ g++
need cmake cmake
need libclang libclang-dev
need cargo cargo
[ "$1" = gnat ] && need gnatmake gnat
[ "$1" = test ] && need chromium chromium
true
