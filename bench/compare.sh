#!/bin/bash
# compare.sh COMMIT [ROUNDS [MILLISECONDS]]: whether the present sources are slower than those of
# the commit. Builds both libraries, release, with the present bench's workers; the workers' runs
# take turns. Prints the medians in nanoseconds and their ratio. Asserts nothing.

set -euo pipefail

workloads=(pair burst1000_lifo burst1000_random burst100000_random handoff_oneway
           handoff_bothways mixed)
subjects=(tarn tarn_guest)
object_bytes=64

if [[ $# -lt 1 || $# -gt 3 ]]; then
    sed -n 's/^# //p' "$0" >&2
    exit 2
fi
commit=$1
rounds=${2:-5}
milliseconds=${3:-150}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# build SOURCES TO: the workers that allocate from tarn.
build() {
    if ! cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTARN_BUILD_TESTS=OFF \
        -DTARN_BUILD_BENCH=ON >"$scratch/log" 2>&1 ||
        ! cmake --build "$2" --target "${subjects[@]/#/tarn-bench-}" >>"$scratch/log" 2>&1; then
        cat "$scratch/log" >&2
        exit 1
    fi
}

# run SIDE SUBJECT WORKLOAD THREADS: adds a row "workload threads subject side ns".
run() {
    local ns
    ns=$("$scratch/$1/bin/tarn-bench-$2" run "$3" "$4" "$object_bytes" "$milliseconds")
    echo "$3 $4 $2 $1 $ns" >>"$scratch/rows"
}

# The side that runs first changes from round to round.
run_round() {
    local sides=(before now) workload threads subject side
    (($1 % 2)) || sides=(now before)
    for workload in "${workloads[@]}"; do
        for threads in 1 2; do
            [[ $workload == handoff* && $threads == 1 ]] && continue
            for subject in "${subjects[@]}"; do
                for side in "${sides[@]}"; do
                    run "$side" "$subject" "$workload" "$threads"
                done
            done
        done
    done
}

print_table() {
    printf '%-20s %7s  %-12s %10s %10s %8s\n' workload threads subject before now ratio
    sort -k1,1 -k2,2n -k3,3 -k4,4 -k5,5g "$scratch/rows" | awk '
        function finish() {
            if (n) median[side] = (ns[int((n + 1) / 2)] + ns[int(n / 2) + 1]) / 2
            n = 0
        }
        function print_row() {
            if (row) printf "%-20s %7d  %-12s %10.2f %10.2f %8.3f\n", part[1], part[2], part[3],
                            median["before"], median["now"], median["now"] / median["before"]
        }
        {
            next_row = $1 " " $2 " " $3
            if (next_row != row || $4 != side) finish()
            if (next_row != row) print_row()
            row = next_row
            split(row, part, " ")
            side = $4
            ns[++n] = $5
        }
        END { finish(); print_row() }'
}

git -C "$root" rev-parse --verify --quiet "$commit^{commit}" >/dev/null || {
    echo "compare.sh: no commit '$commit' here" >&2
    exit 2
}
mkdir "$scratch/sources"
git -C "$root" archive "$commit" | tar -x -C "$scratch/sources"
rm -rf "$scratch/sources/bench"
cp -r "$root/bench" "$scratch/sources/bench"
build "$scratch/sources" "$scratch/before"
build "$root" "$scratch/now"
for ((round = 1; round <= rounds; round++)); do
    run_round "$round"
done
print_table
