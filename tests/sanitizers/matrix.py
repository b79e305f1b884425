#!/usr/bin/env python3
"""Runs a faulty program under each memory checker and asserts that the checker reports the fault,
and reports nothing in a program without one.

  matrix.py --tree TREE --build BUILD [--include FOLDER]... [--only TOOL]...

Prints one line per tool and fault. A tool that this machine lacks is skipped, with the reason.
Ends with status 1 if a tool missed a fault or reported one where there is none.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

RUN_SECONDS_MAX = 60
REPORTED = 99  # the status by which a tool says that it reported something

# compiler, flags, what the program runs under, environment; faults: the fault and words of its
# report, None where nothing may be reported.
Tool = namedtuple("Tool", "name compiler flags runner environment faults")

ASAN_FAULTS = {
    "clean": None,
    "owner_of_memory": None,
    "leak_behind_a_free_object": "LeakSanitizer: detected memory leaks",
    "use_after_free_in_cache": "use-after-poison",
    "use_after_free_in_depot": "use-after-poison",
    "use_after_clear": "use-after-poison",
    "write_after_free": "use-after-poison",
    "overrun": "use-after-poison",
    "double_free": "use-after-poison",
    "clean_with_hooks": None,
    "use_after_free_with_hooks": "use-after-poison",
    "use_after_release": "use-after-poison",
    "clean_frame": None,
    "read_dropped_scratch": "use-after-poison",
    "read_dropped_span": "use-after-poison",
    "read_rewound_scratch": "use-after-poison",
    "read_dropped_frame_object": "use-after-poison",
    "write_dropped_scratch": "use-after-poison",
    "overrun_scratch": "use-after-poison",
    "overrun_span": "use-after-poison",
    "overrun_frame_object": "use-after-poison",
    "read_deferred_object_after_its_frame": "use-after-poison",
}
ASAN_ENVIRONMENT = {"ASAN_OPTIONS": f"exitcode={REPORTED}:detect_leaks=1",
                    "LSAN_OPTIONS": f"exitcode={REPORTED}"}

TOOLS = (
    Tool("asan-gcc", "gcc", ["-fsanitize=address"], [], ASAN_ENVIRONMENT, ASAN_FAULTS),
    Tool("asan-clang", "clang-19", ["-fsanitize=address"], [], ASAN_ENVIRONMENT, ASAN_FAULTS),
    Tool("msan-clang", "clang-19", ["-fsanitize=memory"], [],
         {"MSAN_OPTIONS": f"exit_code={REPORTED}"}, {
             "clean": None,
             "use_after_free_in_cache": "use-of-uninitialized-value",
             "use_after_free_in_depot": "use-of-uninitialized-value",
             "use_after_clear": "use-of-uninitialized-value",
             "uninitialised_read": "use-of-uninitialized-value",
             "clean_with_hooks": None,
             "use_after_free_with_hooks": "use-of-uninitialized-value",
             "use_after_release": "use-of-uninitialized-value",
             "clean_frame": None,
             "read_dropped_scratch": "use-of-uninitialized-value",
             "read_dropped_span": "use-of-uninitialized-value",
             "read_rewound_scratch": "use-of-uninitialized-value",
             "read_dropped_frame_object": "use-of-uninitialized-value",
             "uninitialised_scratch": "use-of-uninitialized-value",
             "read_deferred_object_after_its_frame": "use-of-uninitialized-value",
         }),
    Tool("memcheck", "gcc", ["-DTARN_VALGRIND"],
         ["valgrind", "--quiet", f"--error-exitcode={REPORTED}", "--leak-check=full",
          "--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect"], {}, {
             "clean": None,
             "owner_of_memory": None,
             "leak_behind_a_free_object": "100 bytes in 1 blocks are definitely lost",
             "use_after_free_in_cache": "Invalid read",
             "use_after_free_in_depot": "Invalid read",
             "use_after_clear": "Invalid read",
             "write_after_free": "Invalid write",
             "overrun": "Invalid write",
             "double_free": "Invalid free",
             "uninitialised_read": "uninitialised value",
             "clean_with_hooks": None,
             "use_after_free_with_hooks": "Invalid read",
             "use_after_release": "Invalid read",
             "clean_frame": None,
             "read_dropped_scratch": "Invalid read",
             "read_dropped_span": "Invalid read",
             "read_rewound_scratch": "Invalid read",
             "read_dropped_frame_object": "Invalid read",
             "write_dropped_scratch": "Invalid write",
             "overrun_scratch": "Invalid write",
             "overrun_span": "Invalid write",
             "overrun_frame_object": "Invalid write",
             "uninitialised_scratch": "uninitialised value",
             "read_deferred_object_after_its_frame": "Invalid read",
         }),
    Tool("checked", "gcc", [], [], {"TARN_CHECK": "fill,redzone"}, {
        "clean": None,
        "clean_with_hooks": None,
        "write_after_free": "an object was written to after it was freed",
        "overrun": "the bytes behind an object were written to",
        "double_free": "an object was freed that is free already",
        "pool_leak": "objects were not freed",
        "clean_frame": None,
        "write_dropped_scratch": "frame memory was written to after it was dropped",
        "overrun_scratch": "the bytes behind an object were written to",
        "overrun_span": "the bytes behind an object were written to",
        "alloc_outside": "frame memory was asked for outside the frame",
    }),
)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", required=True, help="the project's root")
    parser.add_argument("--build", required=True, help="a folder for what is built")
    parser.add_argument("--include", action="append", default=[], metavar="FOLDER",
                        help="where further headers are")
    parser.add_argument("--only", action="append", choices=[tool.name for tool in TOOLS],
                        help="this tool alone")
    return parser.parse_args()


def compile_and_run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **options)


def build(tool, arguments):
    """Returns the program's path, or None and what the compiler says."""
    folder = os.path.join(arguments.build, tool.name)
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(arguments.tree, "src")
    files = [path for path in glob.glob(os.path.join(source, "**", "*.c"), recursive=True)
             if not path.endswith(("_windows.c", "_ck.c"))]
    files += [os.path.join(arguments.tree, "tests", "sanitizers", name)
              for name in ("fault.c", "fault_frame.c")]
    includes = [f"-I{folder}" for folder in (os.path.join(arguments.tree, "include"), source)]
    includes += [flag for folder in arguments.include for flag in ("-isystem", folder)]
    flags = ["-std=c11", "-O1", "-g", "-pthread", *tool.flags, *includes]

    def compile_one(path):
        target = os.path.join(folder, path.replace(os.sep, "-") + ".o")
        return target, compile_and_run([tool.compiler, *flags, "-c", path, "-o", target])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, files))
    for _, done in objects:
        if done.returncode != 0:
            return None, done.stdout
    program = os.path.join(folder, "fault")
    done = compile_and_run([tool.compiler, *flags, *(path for path, _ in objects), "-o", program])
    return (program, "") if done.returncode == 0 else (None, done.stdout)


def why_missing(tool):
    """Why this machine cannot run the tool, or None."""
    for program in (tool.compiler, *tool.runner[:1]):
        if not shutil.which(program):
            return f"there is no {program}"
    probe = compile_and_run([tool.compiler, *tool.flags, "-x", "c", "-", "-o", os.devnull],
                            input="#ifdef TARN_VALGRIND\n#include <valgrind/memcheck.h>\n#endif\n"
                                  "int main(void) { return 0; }\n")
    return None if probe.returncode == 0 else f"{tool.compiler} cannot build for it"


def verdict(tool, program, fault, words):
    """Returns what is wrong, or None."""
    environment = {name: value for name, value in os.environ.items() if name != "TARN_CHECK"}
    environment.update(tool.environment)
    try:
        done = compile_and_run([*tool.runner, program, fault], env=environment,
                               timeout=RUN_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return "hangs"
    if words is None:
        return None if done.returncode == 0 and not done.stdout else \
            f"status {done.returncode}, says:\n{done.stdout}"
    if done.returncode == 0:
        return "missed"
    return None if words in done.stdout else f"no \"{words}\" in:\n{done.stdout}"


def run_tool(tool, arguments):
    """Returns how many verdicts were wrong."""
    reason = why_missing(tool)
    if reason:
        print(f"SKIPPED {tool.name}: {reason}")
        return 0
    program, output = build(tool, arguments)
    if not program:
        print(f"FAIL {tool.name}: does not build\n{output}")
        return 1
    wrong = 0
    for fault, words in tool.faults.items():
        problem = verdict(tool, program, fault, words)
        wrong += problem is not None
        print(f"{'FAIL' if problem else 'ok  '} {tool.name} {fault}: "
              f"{problem or ('reported' if words else 'silent')}", flush=True)
    return wrong


def main():
    arguments = parse()
    tools = [tool for tool in TOOLS if not arguments.only or tool.name in arguments.only]
    wrong = sum(run_tool(tool, arguments) for tool in tools)
    print(f"{len(tools)} tools, {wrong} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
