#!/bin/bash
# Installs tarn below SCRATCH_DIR as a packager would, and builds and runs the host project of
# this folder against it in one way.
#   check_package.sh install KIND      into SCRATCH_DIR/KIND/prefix (KIND: static, shared)
#   check_package.sh cmake KIND        find_package
#   check_package.sh pkgconfig KIND    pkg-config and the bare compilers
#   check_package.sh subdirectory KIND add_subdirectory
#   check_package.sh symbols           what the shared library shows, and under which name
# The environment gives TARN_TREE, SCRATCH_DIR, CMAKE, CC, CXX and, for pkgconfig, PKG_CONFIG.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
way=$1
kind=${2:-shared}
work=$SCRATCH_DIR/$kind
prefix=$work/prefix
config=$TARN_TREE/include/tarn/config.h
version=$(sed -n 's/^#define TARN_VERSION_[A-Z]* //p' "$config" | paste -sd.)
shared=OFF
[[ $kind == shared ]] && shared=ON
configure=("$CMAKE" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DBUILD_SHARED_LIBS=$shared"
           "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX")

die() {
    echo "FAILED: $*" >&2
    exit 1
}

library() {
    find "$prefix" -name "$1" | grep . || die "$1 was not installed"
}

run_both() {
    for language in c cpp; do
        "$1/consumer_$language" || die "consumer_$language ended with status $?"
    done
}

# Moves the installed tree once, so that a path fixed at build time is noticed.
install_package() {
    rm -rf "$work"
    "${configure[@]}" -S "$TARN_TREE" -B "$work/build" -DTARN_BUILD_TESTS=OFF \
        -DTARN_BUILD_STRESS=OFF -DTARN_BUILD_BENCH=OFF -DTARN_BUILD_EXAMPLES=OFF
    "$CMAKE" --build "$work/build" -j 2
    "$CMAKE" --install "$work/build" --prefix "$work/first"
    mv "$work/first" "$prefix"
}

build_with_cmake() {
    rm -rf "${work:?}/$way"
    "${configure[@]}" -S "$here" -B "$work/$way" "$@"
    "$CMAKE" --build "$work/$way" -j 2
    run_both "$work/$way"
}

build_with_pkgconfig() {
    local flags static=() pc
    pc=$(library tarn.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    [[ $kind == static ]] && static=(--static)
    read -ra flags <<<"$("$PKG_CONFIG" "${static[@]}" --cflags --libs tarn)"
    mkdir -p "$work/$way"
    "$CC" "$here/consumer.c" -o "$work/$way/consumer_c" "${flags[@]}"
    "$CXX" -std=c++11 "$here/consumer.cpp" -o "$work/$way/consumer_cpp" "${flags[@]}" -pthread
    [[ $kind == static ]] || export LD_LIBRARY_PATH=${pc%/pkgconfig/*}
    run_both "$work/$way"
}

check_symbols() {
    local file soname others
    file=$(library "libtarn.so.$version")
    soname=$(objdump -p "$file" | awk '$1 == "SONAME" {print $2}')
    [[ $soname == "libtarn.so.${version%.*}" ]] || die "the soname is '$soname'"
    library "$soname" >/dev/null
    others=$(nm -D --defined-only "$file" | awk '$3 !~ /^tarn_[a-z_]*$/ {print $3}')
    [[ -z $others ]] || die "the shared library also shows: $others"
    nm -D --defined-only "$file" | grep -qw tarn_pool_create || die "tarn_pool_create is hidden"
    # Concurrency Kit is for building tarn only.
    ! grep -rlE '\<ck_|libck' "$prefix" --include='*.h' --include='*.cmake' --include='*.pc' ||
        die "these installed files name Concurrency Kit"
}

case $way in
install) install_package ;;
cmake) build_with_cmake "-DCMAKE_PREFIX_PATH=$prefix" "-DTARN_VERSION=$version" ;;
pkgconfig) build_with_pkgconfig ;;
subdirectory) build_with_cmake "-DTARN_TREE=$TARN_TREE" ;;
symbols) check_symbols ;;
*) die "unknown way $way" ;;
esac
