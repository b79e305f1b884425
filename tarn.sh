#!/bin/bash
# tarn's commands. Each installs what is missing, builds what is out of date, and runs.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(gcc g++ libc6-dev cmake ninja-build pkg-config python3 libck-dev libcmocka-dev
          libmimalloc-dev libjemalloc-dev xz-utils git strace valgrind)
clang_packages=(clang-19 libclang-rt-19-dev)
bench_packages=(gnuplot-nox libapr1-dev libtbb-dev clang libomp-dev)
machine_packages=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu
                  libc6-dev-riscv64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
                  gcc-i686-linux-gnu libc6-dev-i386-cross gcc-powerpc64-linux-gnu
                  libc6-dev-ppc64-cross gcc-mingw-w64-x86-64-posix wine wine64)

usage() {
    cat <<'END'
usage: ./tarn.sh WORD [ARGS]

  run            the frame loop of examples/engine on tarn and on malloc; then records what real
                 programs of this machine allocate, and replays it on tarn and on malloc
  test           builds and tests everything: gcc, clang, checked, TSan, ASan with UBSan, fuzz
  test --quick   the release build's tests alone
  test --all     that, the mutation runs of the model and under TSan (long), and a short form of
                 the tests on other machines under emulators
  bench ARGS     tarn-bench; `bench --help` lists its arguments
  stress ARGS    tarn-stress; `stress --help` lists its arguments
  help           this text

On Debian and Ubuntu each word first installs the packages that it needs and does not find; as
another user than root it asks sudo. All that is built and written lies in build/.
END
}

say() {
    printf '\n== %s\n' "$*"
}

die() {
    echo "tarn.sh: $*" >&2
    exit 1
}

wrong_usage() {
    echo "tarn.sh: $*" >&2
    usage >&2
    exit 2
}

# ---- what the machine must have ----

as_root() {
    if [[ $EUID == 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Prints those of the packages that are not installed; nothing where there is no dpkg to ask.
missing_packages() {
    local package
    command -v dpkg-query >/dev/null || return 0
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            echo "$package"
    done
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Older releases of Debian and Ubuntu do not have clang 19 at all.
install_clang() {
    if [[ -z $(missing_packages "${clang_packages[@]}") ]] || apt-cache show clang-19 &>/dev/null
    then
        install_packages "${clang_packages[@]}" || die "clang 19 could not be installed"
    fi
    command -v clang-19 >/dev/null
}

# ---- building ----

# quietly NAME COMMAND...: the output goes to a log, and is shown only when the command fails.
quietly() {
    local log=$root/build/logs/$1.log
    shift
    mkdir -p "$root/build/logs"
    "$@" >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
}

build() {
    say "building build/$1"
    (cd "$root" && quietly "$1-configure" cmake --preset "$1") &&
        quietly "$1-build" cmake --build "$root/build/$1" --parallel "$(nproc)"
}

# ---- run ----

# A tar of this tree, repeated until it keeps two compressing threads busy.
make_input() {
    local tree=$1/tree.tar
    tar -cf "$tree" -C "$root" --exclude=./build --exclude=./.git .
    while [[ $(stat -c %s "$tree") -lt 8000000 ]]; do
        cat "$tree" "$tree" >"$tree.twice"
        mv "$tree.twice" "$tree"
    done
}

# record_and_replay NAME COMMAND...: the command's own output is not of interest.
record_and_replay() {
    local trace=$root/build/run/$1.tarntrace
    shift
    say "recording: $*"
    "$root/build/release/bin/tarn-record" -o "$trace" -- "$@" >/dev/null
    say "replaying ${trace#"$root"/}"
    "$root/build/release/bin/tarn-replay" "$trace"
}

run() {
    [[ $# == 0 ]] || wrong_usage "run takes no arguments"
    install_packages "${packages[@]}"
    build release
    say "examples/engine"
    "$root/build/release/bin/engine"

    local work=$root/build/run compiler
    mkdir -p "$work"
    make_input "$work"
    record_and_replay xz xz --threads=2 --block-size=256KiB --keep --stdout "$work/tree.tar"
    compiler=$(gcc -print-prog-name=cc1)
    record_and_replay gcc "$compiler" -quiet -O2 -imultiarch "$(gcc -print-multiarch)" \
        -I"$root/include" "$root/examples/hello.c" -o "$work/hello.s"
    record_and_replay cmake cmake -S "$root" -B "$work/cmake" -G Ninja
    if git -C "$root" rev-parse --quiet --verify HEAD &>/dev/null; then
        record_and_replay git git -C "$root" pack-objects --all --threads=2 --no-reuse-delta \
            --window=50 --quiet --stdout </dev/null
    else
        say "SKIPPED: recording git, since this tree is no git checkout with a history to pack"
    fi
}

# ---- test ----

# ThreadSanitizer's memory map does not bear as much address randomisation as some kernels use.
with_fixed_addresses() {
    local bits
    bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
    if [[ $bits -gt 28 ]] && setarch -R true 2>/dev/null; then
        setarch -R "$@"
    else
        "$@"
    fi
}

# Adds to passed and failed what ctest's closing line says; a pass that did not get there failed.
count_results() {
    local line
    line=$(grep -E 'tests passed, [0-9]+ tests failed out of' "$1" | tail -1) || true
    if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
        failed=$((failed + BASH_REMATCH[1]))
        passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
    else
        failed=$((failed + 1))
    fi
}

# test_pass NAME [PRESET]: the test preset NAME, in the build of PRESET. Adds a line to summary, and
# one for each test that failed.
test_pass() {
    local name=$1 preset=${2:-$1} start=$SECONDS verdict=passed log=$root/build/logs/$1-test.log
    mkdir -p "$root/build/logs"
    : >"$log"
    if build "$preset"; then
        say "testing $name"
        (cd "$root" && with_fixed_addresses ctest --preset "$name") 2>&1 | tee "$log" ||
            verdict=FAILED
    else
        verdict="FAILED to build"
    fi
    count_results "$log"
    summary+=("$(printf '%-12s %-16s %4d s' "$name" "$verdict" $((SECONDS - start)))")
    # ctest's list of the tests that failed.
    mapfile -t -O ${#summary[@]} summary < <(sed -n 's/^\t *[0-9]* - /    /p' "$log")
}

# Other machines' compilers and emulators may be missing or refused, one by one.
install_machines() {
    local package
    for package in $(missing_packages "${machine_packages[@]}"); do
        (install_packages "$package") || say "$package could not be installed"
    done
}

# Adds the script's line for each machine to summary.
test_machines() {
    local log=$root/build/logs/machines.log all_passed=yes failed_before=$failed
    mkdir -p "$root/build/logs"
    say "testing other machines"
    install_machines
    "$root/tests/machines/run.sh" 2>&1 | tee "$log" || all_passed=no
    passed=$((passed + $(grep -c 'checks passed, no' "$log" || true)))
    failed=$((failed + $(grep -c '^[a-z0-9]* *FAILED' "$log" || true)))
    [[ $all_passed == yes || $failed -gt $failed_before ]] || failed=$((failed + 1))
    mapfile -t -O ${#summary[@]} summary < <(
        grep -E '^[a-z0-9]+ +(FAILED|SKIPPED|[0-9]+ checks passed)' "$log")
}

run_tests() {
    local passes=(clang checked tsan tsan-clang asan fuzz)
    local passed=0 failed=0 summary=() all=no preset
    case "$*" in
    '') ;;
    --quick) passes=() ;;
    --all) all=yes ;;
    *) wrong_usage "test takes --quick, --all or nothing" ;;
    esac
    install_packages "${packages[@]}"
    local has_clang=yes
    [[ ${#passes[@]} == 0 ]] || install_clang || has_clang=no

    test_pass release
    test_pass model release # one thread each, so that several run at once
    for preset in "${passes[@]}"; do
        if [[ $preset =~ clang|fuzz && $has_clang == no ]]; then
            summary+=("$(printf '%-12s SKIPPED: this system has no clang 19' "$preset")")
        else
            test_pass "$preset"
        fi
    done
    if [[ $all == yes ]]; then
        test_pass long release
        test_machines
    fi

    say "summary"
    printf '%s\n' "${summary[@]}"
    echo "$passed passed, $failed failed"
    [[ $failed == 0 ]]
}

# ---- one program with the caller's arguments, in the caller's folder ----

run_program() {
    local preset=$1 program=$2
    shift 2
    build "$preset" >&2
    "$root/build/$preset/bin/$program" "$@"
}

word=${1:-}
[[ $# == 0 ]] || shift
case $word in
run) run "$@" ;;
test) run_tests "$@" ;;
bench)
    install_packages "${packages[@]}" "${bench_packages[@]}" >&2
    run_program release tarn-bench "$@"
    ;;
stress)
    install_packages "${packages[@]}" >&2
    run_program stress tarn-stress "$@"
    ;;
help | -h | --help) usage ;;
'') wrong_usage "a word is missing" ;;
*) wrong_usage "unknown word '$word'" ;;
esac
