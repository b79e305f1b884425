#!/bin/sh
# tarn-record and tarn-replay from outside: known calls, every end of a program, a real program,
# wrong command lines, traces that are none. Usage: test_trace_tools.sh TOOLS_DIR PROGRAMS_DIR
set -u
tools=$1
programs=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# expect STATUS TEXT COMMAND...: runs it; its status and something that it prints.
expect()
{
    status=$1 text=$2
    shift 2
    "$@" > output 2>&1
    seen=$?
    if [ "$seen" -ne "$status" ] || ! grep -q -e "$text" output; then
        echo "FAILED: $* : status $seen instead of $status, or no \"$text\" in:"
        cat output
        failures=$((failures + 1))
    fi
}

# one_line STATUS TEXT COMMAND...: as expect, and the message is one line.
one_line()
{
    expect "$@"
    if [ "$(wc -l < output)" -ne 1 ]; then
        echo "FAILED: $* : more than one line"
        failures=$((failures + 1))
    fi
}

# silent STATUS COMMAND...: runs it; its status, and that it prints nothing.
silent()
{
    status=$1
    shift
    "$@" > output 2>&1
    seen=$?
    if [ "$seen" -ne "$status" ] || [ -s output ]; then
        echo "FAILED: $* : status $seen instead of $status, or a message:"
        cat output
        failures=$((failures + 1))
    fi
}

record=$tools/tarn-record
replay=$tools/tarn-replay
known=$programs/known_calls
check=$programs/check_known

# Each end that can be seen, and the status of the program with it.
for end in return:0 short-threads:9 fork:9 vfork:9 close:9 _exit:7; do
    silent "${end#*:}" "$record" -o known.trace "$known" "${end%:*}"
    silent 0 "$check" known.trace
done

# An address that is given again before the call that took it back has returned.
silent 9 env LD_PRELOAD="$programs/libslow_allocator.so" "$record" -o slot.trace "$known" slot
silent 0 "$check" slot.trace
expect 0 'threads  *5, at most 5' "$replay" -r 1 known.trace
expect 0 'content  *right' "$replay" --rounds 0 --window 1 known.trace
silent 9 "$record" -o known.trace "$known" short-threads
expect 0 'threads  *105, at most 5' "$replay" -r 1 known.trace

# A process that becomes another program: the last is recorded, or each where the name has %p.
silent 8 "$record" -o exec.trace "$known" exec
expect 0 'recorded  *sh,' "$replay" -r 1 exec.trace
silent 8 "$record" -o 'image.%p' "$known" exec
silent 0 "$check" "$(ls image.* | head -n 1)"
expect 0 'recorded  *sh,' "$replay" -r 1 "$(ls image.*.1)"

# A program that is killed leaves a trace that says so.
expect 134 'without closing' "$record" -o killed.trace "$known" kill
one_line 2 'no closing block' "$replay" killed.trace

# Real programs: compress with two threads, and a shell's children each in a file of its own.
cat "$known" "$check" "$replay" "$record" > input
cat input input input input > larger
silent 0 "$record" -o xz.trace -- xz -T2 -0 -k --block-size=100000 larger
silent 0 sh -c 'xz -dc larger.xz | cmp - larger'
expect 0 'tarn / malloc' "$replay" xz.trace
expect 0 'tarn_pool_options' "$replay" xz.trace
silent 0 "$record" -o 'child.%p' sh -c 'ls / > /dev/null; xz -0 -k -c input > /dev/null'
expect 0 '^3$' sh -c 'ls child.* | wc -l'
for trace in child.*; do
    expect 0 'content  *right' "$replay" -r 1 "$trace"
done

# What is no trace, and what is cut: an error with the place.
: > empty.trace
echo 'this is not a trace' > text.trace
head -c 1000 xz.trace > cut.trace
{ cat xz.trace; echo; } > longer.trace
one_line 2 'empty.trace: the file is empty' "$replay" empty.trace
one_line 2 'not a tarn trace' "$replay" text.trace
one_line 2 'byte 1000' "$replay" cut.trace
one_line 2 'follow the closing block' "$replay" longer.trace
one_line 2 'cannot be opened' "$replay" missing.trace

# Wrong command lines.
one_line 2 'no command' "$record"
one_line 2 'no command' "$record" -o file.trace --
one_line 2 'unknown option' "$record" --loud true
one_line 2 'must follow' "$record" -o
one_line 2 'cannot write' "$record" -o "$folder/none/file.trace" true
one_line 127 'cannot run' "$record" -o none.trace "$folder/none"
one_line 126 'cannot run' "$record" -o none.trace "$folder/input"
one_line 2 'no trace' "$replay"
one_line 2 'unknown option' "$replay" --loud xz.trace
one_line 2 'rounds takes' "$replay" --rounds many xz.trace
one_line 2 'rounds takes' "$replay" --rounds 1001 xz.trace
one_line 2 'rounds takes' "$replay" xz.trace --rounds
one_line 2 'window takes' "$replay" -w 0 xz.trace
one_line 2 'one file' "$replay" xz.trace xz.trace
expect 0 'usage: tarn-record' "$record" --help
expect 0 'usage: tarn-replay' "$replay" --help

[ "$failures" -eq 0 ]
