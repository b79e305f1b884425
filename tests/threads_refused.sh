#!/bin/bash
# threads_refused.sh COMMAND...: the system refuses the n-th thread and all later ones, for every n
# until the command needs no more. It must fail each time, say what it lacks, and not hang.
# Exit code 77: the system does not let strace do this.

set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run_with_threads() {
    timeout 60 strace -f -qq -o "$scratch/calls" -e trace=clone3,clone \
        -e "inject=clone3,clone:error=EAGAIN:when=$1+" "${@:2}" \
        >"$scratch/out" 2>"$scratch/err"
}

strace -qq -o /dev/null true 2>/dev/null || exit 77

for n in {1..100}; do
    code=0
    run_with_threads "$n" "$@" || code=$?
    if ! grep -q INJECTED "$scratch/calls"; then
        [[ $code == 0 && $n -gt 1 ]] && echo "$((n - 1)) threads refused, one after the other"
        exit "$code"
    elif [[ $code == 0 || $code -ge 124 ]] ||
        ! grep -qiE "thread|process" "$scratch/out" "$scratch/err"; then
        cat "$scratch/out" "$scratch/err"
        echo "thread $n was refused: exit code $code"
        exit 1
    fi
done
echo "more threads than this test waits for"
exit 1
