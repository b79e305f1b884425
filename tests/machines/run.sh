#!/bin/bash
# Builds the library and the tests' short form for other machines, runs them under an emulator, and
# looks for calls of __atomic_* helpers, which may take locks, in the object code. One line per
# machine; fails when one fails. A machine whose tools are missing is skipped, with the reason.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/machines
failures=0

usage() {
    cat <<'END'
usage: tests/machines/run.sh [--build DIR] [MACHINE ...]

Machines: aarch64 riscv64 armhf i386 ppc64 (big-endian) windows; all of them by default.
END
}

# machine -> compiler's prefix, what runs its programs, and CMake's names of system and processor.
# x86-64 runs i386 by itself.
describe() {
    case $1 in
    aarch64) echo aarch64-linux-gnu qemu-aarch64 Linux aarch64 ;;
    riscv64) echo riscv64-linux-gnu qemu-riscv64 Linux riscv64 ;;
    armhf) echo arm-linux-gnueabihf qemu-arm Linux armv7 ;;
    i386) echo i686-linux-gnu /usr/i686-linux-gnu/lib/ld-linux.so.2 Linux i686 ;;
    ppc64) echo powerpc64-linux-gnu qemu-ppc64 Linux ppc64 ;;
    windows) echo x86_64-w64-mingw32 wine Windows AMD64 ;;
    *) return 1 ;;
    esac
}

line() {
    printf '%-9s %s\n' "$1" "$2"
}

# Concurrency Kit's headers alone: beside them in /usr/include lie this machine's own.
copy_ck_headers() {
    local folder
    folder=$(dirname "$(echo '#include <ck_backoff.h>' | gcc -E -H - 2>&1 >/dev/null |
        sed -n 's/^\. \(.*ck_backoff.h\)$/\1/p')")
    mkdir -p "$build/ck"
    cp -r "$folder"/ck_*.h "$folder/gcc" "$build/ck/"
}

configure() {
    local machine=$1 prefix=$2 emulator=$3 system=$4 processor=$5 emulation linking=
    case $machine in
    windows) emulation=$emulator linking=-static ;; # wine does not find the compiler's libraries
    i386) emulation="$emulator;--library-path;/usr/$prefix/lib" ;;
    *) emulation="$emulator;-L;/usr/$prefix" ;;
    esac
    cmake -S "$root" -B "$build/$machine" -G Ninja \
        -DCMAKE_SYSTEM_NAME="$system" -DCMAKE_SYSTEM_PROCESSOR="$processor" \
        -DCMAKE_C_COMPILER="$(compiler_of "$prefix")" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$emulation" -DCMAKE_EXE_LINKER_FLAGS=$linking \
        -DTARN_CK_INCLUDE_DIR="$build/ck" -DTARN_VALGRIND=OFF -DTARN_WERROR=ON \
        -DTARN_TESTS_SHORT=ON \
        -DTARN_BUILD_BENCH=OFF -DTARN_BUILD_EXAMPLES=OFF -DTARN_BUILD_STRESS=OFF
}

# MinGW-w64 comes with two kinds of threads.
compiler_of() {
    command -v "$1-gcc-posix" || command -v "$1-gcc"
}

test_machine() {
    local machine=$1
    ctest --test-dir "$build/$machine" --output-on-failure --verbose --no-tests=error
}

helpers_in() {
    "$1-nm" --undefined-only "$2"/lib/libtarn*.a | sed -n 's/.* \(_*__atomic_[a-z0-9_]*\)$/\1/p' |
        sort -u | tr '\n' ' '
}

run_machine() {
    local machine=$1 prefix emulator system processor start=$SECONDS log helpers checks
    read -r prefix emulator system processor < <(describe "$machine")
    if ! compiler_of "$prefix" >/dev/null; then
        line "$machine" "SKIPPED: no compiler $prefix-gcc"
        return
    elif ! "$emulator" --version &>/dev/null; then
        line "$machine" "SKIPPED: $emulator does not run here"
        return
    fi
    log=$build/$machine.log
    if ! { configure "$machine" "$prefix" "$emulator" "$system" "$processor" &&
        cmake --build "$build/$machine" --parallel "$(nproc)"; } >"$log" 2>&1; then
        fail "$machine" "FAILED to build" "$log"
        return
    fi
    helpers=$(helpers_in "$prefix" "$build/$machine")
    if ! test_machine "$machine" >>"$log" 2>&1; then
        fail "$machine" "FAILED" "$log"
    elif [[ -n $helpers ]]; then
        fail "$machine" "FAILED: the object code calls $helpers" /dev/null
    else
        checks=$(sed -n 's/.* \([0-9]* checks passed\), 0 failed.*/\1/p' "$log" | tail -1)
        line "$machine" "$checks, no __atomic_* helper, $((SECONDS - start)) s"
    fi
}

fail() {
    tail -40 "$3"
    line "$1" "$2"
    failures=$((failures + 1))
}

main() {
    local machines=() machine
    while [[ $# -gt 0 ]]; do
        case $1 in
        --help)
            usage
            exit 0
            ;;
        --build)
            build=${2:?--build needs a folder}
            shift
            ;;
        *)
            describe "$1" >/dev/null || {
                echo "run.sh: no machine '$1'" >&2
                usage >&2
                exit 2
            }
            machines+=("$1")
            ;;
        esac
        shift
    done
    [[ ${#machines[@]} -gt 0 ]] || machines=(aarch64 riscv64 armhf i386 ppc64 windows)
    copy_ck_headers
    export WINEDEBUG=-all WINEPREFIX=$build/wine
    for machine in "${machines[@]}"; do
        run_machine "$machine"
    done
    [[ $failures == 0 ]]
}

main "$@"
