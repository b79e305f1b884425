#!/usr/bin/env python3
"""Weakens the lock-free files one place at a time and checks that the model notices.

  mutate.py --tree TREE --build BUILD [--cc COMPILER] [--ck FOLDER] [--jobs N] [--only PATTERN]
  mutate.py --tree TREE --list

Made by rule, from the sources as they are: each acquire and release becomes relaxed; each atomic
store, link, count and gate is left out; each CAS is taken to succeed, or replaced by a store; each
change of a stack's head is made without a step of the tag, and then all are; lives are not counted,
or slots never retired. Some by hand: counts moved to the other side of what they count. What the
model does not notice must equal survivors.py, where each has its reason. Ends with status 1 if it
does not.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the sources stay as they are
from by_hand import BY_HAND
from survivors import SURVIVORS

FILES = ("depot/stack.c", "depot/magazine.c", "depot/depot.c", "pool/shelf.c", "pool/empties.c",
         "pool/refill.c", "pool/drain.c", "pool/reclaim.c", "pool/direct.c", "pool/slots.c",
         "pool/grow.c", "pool/cache.c", "pool/reserve.c", "pool/registry.c", "pool/full.c",
         "pool/life/word.h", "pool/life/fast.h", "pool/life/life.c", "pool/life/handles.c",
         "pool/space/groups.c", "pool/space/prepare.c", "pool/space/trim.c",
         "frame/gate.c", "frame/lane.c", "frame/deferred.c", "frame/finalizers.c", "frame/idle.c",
         "jobs/deque.h", "jobs/team.h", "jobs/team.c", "jobs/idle.h", "jobs/idle.c", "jobs/mark.c")

# Their clients run first: most of their mutants do not get past them.
LIVES_AND_SPACE = re.compile(r"pool/(?:life|space)/|pool/full\.c")
LIVES_AND_SPACE_GROUPS = ("lives", "handles", "trim", "space")
# No other clients come near these.
OWN_GROUPS = {"frame": ("frame", "lanes", "deferred", "releases"),
              "jobs": ("deque", "group", "idle")}
MODEL_STEPS_MAX = 100_000_000  # of one client; none needs a third of it
MODEL_SECONDS_MAX = 600         # of all together, on a machine that does much else

ORDERS = (
    ("_load_acquire(", "_load_relaxed("),
    ("_store_release(", "_store_relaxed("),
    ("_fetch_add_release(", "_fetch_add_relaxed("),
    ("_cas_weak_acquire(", "_cas_weak_relaxed("),
    ("_cas_weak_release(", "_cas_weak_relaxed("),
    ("_cas_strong_acquire(", "_cas_strong_relaxed("),
    ("_cas_weak_acq_rel(", "_cas_weak_acquire("),
    ("_cas_weak_acq_rel(", "_cas_weak_release("),
    ("_cas_strong_seq_cst(", "_cas_strong_acquire("),
    ("_fetch_or_acq_rel(", "_fetch_or_relaxed("),
)

STATEMENT = re.compile(
    r"(?:tarn_u(?:32|64)_(?:store|fetch_add|fetch_or|fetch_and)_\w+"
    r"|tarn_links_set|link_in_order|tarn_counter_add_"
    r"|tarn_gate_close_|note_use|tarn_empties_put_|tarn_shelf_look_back_"
    r"|tarn_fence_seq_cst|tarn_fence_compiler|tarn_idle_fence_|tarn_os_process_barrier"
    r"|tarn_park_wake|tarn_team_own_add|tarn_idle_hand_on_|wake_one_of"
    r"|tarn_life_set_word_|tarn_life_unbuild_|add_sorted|add_count|lower_first"
    r"|tarn_gate_leave_|tarn_lane_give_back_|leave_fully|turn_to|set_inside|uncount"
    r"|stop_waiting|set_waiting|tarn_links_list_|tarn_links_unlist_|take_in|list"
    r"|tarn_deferred_run_|tarn_finalizers_run_to_|tarn_drop_|tarn_stack_push(?=\(&frame))\(")
CAS = re.compile(r"tarn_u(32|64)_cas_\w+\(")
FUNCTION = re.compile(r"^(?:static )?[a-z][\w ]*[ *](\w+)\([^;]*?\)\s*\{", re.MULTILINE)

class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"mutate.py: {message}; --help lists the arguments", file=sys.stderr)
        sys.exit(2)


def parse():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                    allow_abbrev=False)
    parser.add_argument("--tree", required=True, help="the project's root")
    parser.add_argument("--build", help="a folder for what is built")
    parser.add_argument("--cc", default="cc", metavar="COMPILER")
    parser.add_argument("--ck", metavar="FOLDER", help="where Concurrency Kit's headers are")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--only", default="", metavar="PATTERN",
                        help="the mutants whose name matches this regular expression")
    parser.add_argument("--list", action="store_true", help="names the mutants and ends")
    arguments = parser.parse_args()
    if not arguments.list and not arguments.build:
        parser.error("--build is needed")
    if arguments.jobs < 1:
        parser.error("--jobs needs a positive number")
    return arguments


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Mutant:
    def __init__(self, file, name, text):
        self.file, self.name, self.text = file, name, text


def closing(text, opening):
    """The offset behind the parenthesis that closes the one at `opening`."""
    depth = 0
    for offset in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[offset], 0)
        if depth == 0:
            return offset + 1
    raise ValueError("a parenthesis is never closed")


def arguments_of(text):
    """The arguments in a call's text, split at its own commas."""
    inside = text[text.index("(") + 1:-1]
    parts, depth = [""], 0
    for letter in inside:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def changes_in(text):
    """(kind, first offset, last offset, replacement) for each place that a rule applies to."""
    for old, new in ORDERS:
        for match in re.finditer(re.escape(old), text):
            kind = old[1:-1] + " as " + re.search(r"(acquire|release|relaxed)\($", new).group(1)
            yield kind, match.start(), match.end(), new
    for match in STATEMENT.finditer(text):
        end = closing(text, match.end() - 1)
        before = text[:match.start()].rstrip()
        if text[end] == ";" and before[-1:] in ";{})/":
            yield "left out " + match.group()[:-1], match.start(), end, "(void)0"
    for match in CAS.finditer(text):
        end = closing(text, match.end() - 1)
        call = text[match.start():end]
        cell, expected, desired = arguments_of(call)
        yield "taken to succeed", match.start(), end, f"({call} || true)"
        store = f"(tarn_u{match.group(1)}_store_relaxed({cell}, {desired}), (void){expected}, true)"
        yield "by a store", match.start(), end, store
    for match in re.finditer(r"\(seen >> links->index_bits\) \+ 1", text):
        yield "no tag", match.start(), match.end(), match.group()[:-1] + "0"
    for match in re.finditer(r"head_after\(links, head, (\w+)\)", text):
        untagged = f"(head - index_of(links, head) + {match.group(1)})"
        yield "without a step of the tag", match.start(), match.end(), untagged
    for match in re.finditer(r"\b(?:before|word|live_word) \+ 1\b(?=[,);])", text):
        yield "life not counted", match.start(), match.end(), match.group()[:-4]
    for match in re.finditer(r"is_last \? TARN_LIFE_RETIRED : ", text):
        yield "never retired", match.start(), match.end(), ""
        wrapped = "is_last ? live_word & ~TARN_LIVES_MASK_ : "
        yield "wraps", match.start(), match.end(), wrapped


def function_at(text, offset):
    name = "file"
    for match in FUNCTION.finditer(text):
        if match.start() > offset:
            break
        name = match.group(1)
    return name


def make_mutants(tree):
    mutants = []
    for file in FILES:
        text = read(os.path.join(tree, "src", file))
        counts = {}
        for kind, start, end, new in changes_in(text):
            name = f"{file} {function_at(text, start)}: {kind}"
            counts[name] = counts.get(name, 0) + 1
            if counts[name] > 1:
                name += f" #{counts[name]}"
            mutants.append(Mutant(file, name, text[:start] + new + text[end:]))
    for file, function, kind, old, new in BY_HAND:
        text = read(os.path.join(tree, "src", file))
        if text.count(old) != 1:
            sys.exit(f"mutate.py: the text of {file} {function}: {kind} is not there once")
        mutants.append(Mutant(file, f"{file} {function}: {kind}", text.replace(old, new)))
    return mutants


def groups_of(file):
    """The groups of clients that a file's mutants go through, in steps; none: all of them."""
    floor = file.split("/")[0]
    if floor in OWN_GROUPS:
        return (OWN_GROUPS[floor],)
    return (LIVES_AND_SPACE_GROUPS, ()) if LIVES_AND_SPACE.match(file) else ((),)


class Build:
    """Everything compiled once; then one file and a link for each mutant."""

    def __init__(self, arguments):
        self.cc, self.folder = arguments.cc, arguments.build
        self.source = os.path.join(self.folder, "source")
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("src", "include", "tests/model"):
            shutil.copytree(os.path.join(arguments.tree, part), os.path.join(self.source, part))
        model = os.path.join(self.source, "tests/model")
        self.flags = ["-std=c11", "-w", "-fno-pie", "-I" + model,
                      "-I" + os.path.join(self.source, "src"),
                      "-I" + os.path.join(self.source, "include")]
        if arguments.ck:
            self.flags += ["-isystem", arguments.ck]
        self.watched = ["-O1", "-fsanitize=thread", "-DTARN_BUILDING", "-include",
                        os.path.join(model, "engine/rename.h")]
        self.objects = {}
        self.texts = {}
        for part in ("src", "tests/model/clients"):
            for folder, _, names in os.walk(os.path.join(self.source, part)):
                for name in names:
                    path = os.path.join(folder, name)
                    self.texts[os.path.relpath(path, self.source)] = read(path)

    def compile(self, source, target, watched, first=()):
        flags = self.watched if watched else ["-O2"]
        return subprocess.run([self.cc, *first, *self.flags, *flags, "-c", source, "-o", target],
                              capture_output=True, text=True)

    def sources(self):
        """(path in the copy, whether the model watches it)."""
        for folder, watched in (("src/base", True), ("src/depot", True), ("src/pool", True),
                                ("src/pool/life", True), ("src/pool/space", True),
                                ("src/frame", True),
                                ("src/jobs", True),
                                ("tests/model/engine", False), ("tests/model/clients", None),
                                ("tests/model", False)):
            for name in sorted(os.listdir(os.path.join(self.source, folder))):
                if not name.endswith(".c") or name.startswith("os_"):
                    continue
                if watched is None:
                    yield f"{folder}/{name}", name.endswith(("_clients.c", "_kit.c"))
                else:
                    yield f"{folder}/{name}", watched

    def compile_all(self, jobs):
        def one(item):
            path, watched = item
            target = os.path.join(self.folder, path.replace("/", "_") + ".o")
            return path, target, self.compile(os.path.join(self.source, path), target, watched)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for path, target, done in pool.map(one, list(self.sources())):
                if done.returncode != 0:
                    sys.exit(done.stderr + f"mutate.py: {path} does not compile")
                self.objects[path] = target

    def run(self, program, groups):
        """Returns what the model noticed, or None when it passed."""
        try:
            done = subprocess.run([program, "--quick", "--quiet", "--first", "--steps",
                                   str(MODEL_STEPS_MAX), *groups], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=MODEL_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode == 0:
            return None
        lines = [line for line in done.stdout.splitlines() if line and line[0] != " "]
        return " ".join(lines[-1].split()) if lines else f"status {done.returncode}"

    def link_and_run(self, objects, program, groups=((),)):
        done = subprocess.run([self.cc, "-no-pie", "-o", program, *objects.values()],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr + "mutate.py: the model does not link")
        return next(filter(None, (self.run(program, some) for some in groups)), None)

    def users_of(self, header):
        """The files, of library and clients, whose text a header reaches, by way of others too."""
        users, headers = set(), {header}
        while True:
            wanted = tuple(f'#include "{name}"' for name in headers)
            found = {path for path, text in self.texts.items()
                     if any(line in text for line in wanted)}
            more = {path[4:] for path in found if re.match(r"src/.*\.h$", path)} - headers
            users |= {path for path in found if path.endswith(".c")}
            if not more:
                return sorted(users)
            headers |= more

    def try_mutant(self, mutant, number):
        """Its file comes first where headers are looked for; what includes it is compiled anew."""
        folder = os.path.join(self.folder, f"mutant_{number}")
        changed = os.path.join(folder, mutant.file)
        write(changed, mutant.text)
        is_header = mutant.file.endswith(".h")
        objects, done = dict(self.objects), None
        for path in self.users_of(mutant.file) if is_header else ["src/" + mutant.file]:
            source = os.path.join(self.source, path) if is_header else changed
            objects[path] = os.path.join(folder, path.replace("/", "_") + ".o")
            done = self.compile(source, objects[path], True, ["-I" + folder])
            if done.returncode != 0:
                break
        noticed = "does not compile:\n" + done.stderr
        if done.returncode == 0:
            program = os.path.join(folder, "model")
            noticed = self.link_and_run(objects, program, groups_of(mutant.file))
        shutil.rmtree(folder)
        return noticed, done.returncode == 0


def judge(mutant, noticed, compiles):
    """Returns whether the result is the reviewed one, and a line about it."""
    expected = SURVIVORS.get(mutant.name)
    if not compiles:
        return False, f"FAIL {mutant.name}: {noticed}"
    if noticed and expected:
        return False, f"FAIL {mutant.name}: in survivors.py, but noticed: {noticed}"
    if noticed:
        return True, f"ok   {mutant.name}: {noticed}"
    if expected:
        return True, f"ok   {mutant.name}: survives: {expected}"
    return False, f"FAIL {mutant.name}: SURVIVES, and is not in survivors.py"


def main():
    arguments = parse()
    mutants = make_mutants(arguments.tree)
    names = {mutant.name for mutant in mutants}
    gone = [name for name in SURVIVORS if name not in names]
    mutants = [mutant for mutant in mutants if re.search(arguments.only, mutant.name)]
    if arguments.list:
        print("\n".join(mutant.name for mutant in mutants))
        return 0
    start = time.monotonic()
    build = Build(arguments)
    build.compile_all(arguments.jobs)
    needed = {groups_of(mutant.file)[-1] for mutant in mutants}
    noticed = build.link_and_run(build.objects, os.path.join(build.folder, "model"),
                                 needed if () not in needed else ((),))
    if noticed:
        sys.exit(f"mutate.py: fails without any mutant: {noticed}")
    bad = len(gone)
    for name in gone:
        print(f"FAIL {name}: in survivors.py, but there is no such mutant")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda item: build.try_mutant(item[1], item[0]), enumerate(mutants))
        for mutant, (what, compiles) in zip(mutants, results):
            good, line = judge(mutant, what, compiles)
            bad += not good
            print(line, flush=True)
    print(f"{len(mutants)} mutants, {bad} not as reviewed, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
