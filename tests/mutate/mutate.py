#!/usr/bin/env python3
"""Puts one fault at a time into a copy of the library and checks that the tests notice.

  mutate.py --tree TREE --build BUILD [--only NAME]... [--jobs N] [--cc COMPILER] [--tsan]
  mutate.py --list

Prints one line per fault: killed by which test, or survived. Ends with status 1 if a fault
survives, if its place in the source is no longer found, or if the tests fail without any.
A test that hangs has noticed. The list of faults is mutations.py. Needs ninja.
"""

import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # the sources stay as they are
from mutations import MUTATIONS, TSAN_MUTATIONS

TREE_PARTS = ("CMakeLists.txt", "LICENSE", "cmake", "include", "src", "tests")
TEST_SECONDS_MAX = 20  # of a test that has no fault in it
HANG_SECONDS = 4  # beyond HANG_FACTOR times what it took then, a test with a fault hangs
HANG_FACTOR = 6


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"mutate.py: {message}; --help lists the arguments", file=sys.stderr)
        sys.exit(2)


def parse():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                    allow_abbrev=False)
    parser.add_argument("--tree", help="the project's root")
    parser.add_argument("--build", help="a folder for the copy and what is built of it")
    parser.add_argument("--only", action="append", metavar="NAME", help="this fault alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--cc", default="cc", metavar="COMPILER")
    parser.add_argument("--tsan", action="store_true",
                        help="the faults in memory orders, under ThreadSanitizer")
    parser.add_argument("--list", action="store_true", help="names the faults and ends")
    arguments = parser.parse_args()
    known = {mutation.name for mutation in chosen_list(arguments)}
    for name in arguments.only or ():
        if name not in known:
            parser.error(f"there is no fault named '{name}'")
    if not arguments.list and not (arguments.tree and arguments.build):
        parser.error("--tree and --build are needed")
    if arguments.jobs < 1:
        parser.error("--jobs needs a positive number")
    return arguments


def chosen_list(arguments):
    return TSAN_MUTATIONS if arguments.tsan else MUTATIONS


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Copy:
    """A copy of the tree, configured once, built test by test."""

    def __init__(self, arguments):
        self.tree = os.path.join(arguments.build, "tree")
        self.build = os.path.join(arguments.build, "tsan" if arguments.tsan else "plain")
        self.jobs = str(arguments.jobs)
        self.environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 exitcode=66")
        self.known_commands = {}
        self.seconds_max = {}
        self.copy(arguments.tree)
        self.configure(arguments)

    def copy(self, source):
        """Files that are the same already keep their times, so that a second run builds less."""
        wanted = set()
        for part in TREE_PARTS:
            for path in files_under(source, part):
                wanted.add(path)
                target = os.path.join(self.tree, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                if not os.path.exists(target) or \
                        not filecmp.cmp(target, os.path.join(source, path), shallow=False):
                    shutil.copy(os.path.join(source, path), target)
        for path in [path for part in TREE_PARTS for path in files_under(self.tree, part)]:
            if path not in wanted:
                os.remove(os.path.join(self.tree, path))

    def configure(self, arguments):
        options = {
            "CMAKE_C_COMPILER": arguments.cc,
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_C_FLAGS_RELEASE": "-O1 -DNDEBUG",
            "TARN_BUILD_STRESS": "OFF",
            "TARN_BUILD_BENCH": "OFF",
            "TARN_BUILD_EXAMPLES": "OFF",
            "TARN_INSTALL": "OFF",
            "TARN_SANITIZE": "thread" if arguments.tsan else "",
        }
        command = ["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build]
        done = subprocess.run(command + [f"-D{key}={value}" for key, value in options.items()],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + "mutate.py: the copy could not be configured")

    def compile(self, tests):
        """Returns the compiler's output if it failed, or None."""
        done = subprocess.run(["cmake", "--build", self.build, "--parallel", self.jobs,
                               "--target", *tests],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout if done.returncode != 0 else None

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", self.build, *arguments], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def learn(self, tests):
        """How each test is compiled and linked, and what each object is made of."""
        for test in tests:
            compiles, archives, link = {}, {}, ""
            for line in self.ninja("-t", "commands", test).splitlines():
                made = re.search(r" -o (\S+\.o) -c (\S+)", line)
                archive = re.search(r"/ar \S+ (\S+\.a) (.*?) &&", line)
                if made:
                    compiles[made.group(1)] = (made.group(2), line)
                elif archive:
                    archives.update((name, archive.group(1)) for name in archive.group(2).split())
                elif f" -o tests/{test} " in line:
                    link = line
            self.known_commands[test] = (linked(compiles, archives, link), link)
        self.known_dependencies = {}
        for line in self.ninja("-t", "deps").splitlines():
            if line and not line.startswith(" "):
                paths = self.known_dependencies[line.split(":")[0]] = set()
            elif line:
                paths.add(os.path.normpath(os.path.join(self.build, line.strip())))

    def commands(self, test):
        return self.known_commands[test]

    def dependencies(self, name):
        return self.known_dependencies.get(name, ())

    def shell(self, command):
        """Returns the output if the command failed, or None."""
        done = subprocess.run(command, shell=True, cwd=self.build, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.stdout + "\n" if done.returncode != 0 else None

    def run_sound(self, test):
        """The same without a fault; notes how long it may take with one."""
        start = time.monotonic()
        noticed = self.run(os.path.join(self.build, "tests", test), TEST_SECONDS_MAX)
        self.seconds_max[test] = HANG_SECONDS + HANG_FACTOR * (time.monotonic() - start)
        return noticed

    def run(self, program, seconds_max):
        """Returns what the test noticed, or None when it passed."""
        try:
            done = subprocess.run([program], cwd=os.path.join(self.build, "tests"),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=self.environment, timeout=seconds_max)
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode < 0:
            return f"signal {-done.returncode}"
        return f"status {done.returncode}" if done.returncode else None


def linked(compiles, archives, link):
    """The commands of the objects that the linker takes: a source that is in two archives comes
    from the first."""
    chosen = {}
    for name, (source, command) in compiles.items():
        place = link.find(f" {archives.get(name, name)} ")
        if place >= 0 and (source not in chosen or place < chosen[source][0]):
            chosen[source] = (place, name, command)
    return {name: command for place, name, command in chosen.values()}


def files_under(tree, part):
    """Paths relative to the tree."""
    path = os.path.join(tree, part)
    if os.path.isfile(path):
        yield part
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), tree)


def check_baseline(copy, mutations):
    tests = sorted({test for mutation in mutations for test in mutation.tests})
    output = copy.compile(tests)
    if output:
        sys.exit(output + "mutate.py: the tests do not build")
    copy.learn(tests)
    failing = [test for test in tests if copy.run_sound(test)]
    if failing:
        sys.exit(f"mutate.py: fails without any fault: {' '.join(failing)}")


def with_fault(mutation, text):
    """The source with the fault in it, or None where one of its places is not there just once."""
    for old, new in mutation.edits:
        if text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text


class Trial:
    """One fault, compiled beside the sound library: only what includes it is built again."""

    def __init__(self, copy, mutation):
        self.copy = copy
        self.mutation = mutation
        self.path = os.path.normpath(os.path.join(copy.tree, mutation.file))
        self.folder = os.path.join(copy.build, "trials", mutation.name)
        self.objects = {}  # the sound object's path: the faulty one's

    def write_source(self, text):
        """A header goes where it is found before the sound one."""
        shutil.rmtree(self.folder, ignore_errors=True)
        root = os.path.join(self.copy.tree, "include" if "/include/" in self.path else "src")
        self.overlay = os.path.join(self.folder, "overlay")
        self.source = os.path.join(self.overlay, os.path.relpath(self.path, root))
        os.makedirs(os.path.dirname(self.source))
        write(self.source, text)

    def compile(self, name, command):
        """Returns the compiler's output if it failed, or None."""
        if name in self.objects:
            return None
        made = os.path.join(self.folder, f"{len(self.objects)}.o")
        command = re.sub(r" -MD -MT \S+ -MF \S+", "", command)
        command = command.replace(f" -o {name} ", f" -o {made} ")
        command = command.replace(" -I", f" -I{self.overlay} -I", 1)
        command = command.replace(f" -c {self.path}", f" -c {self.source}")
        self.objects[name] = made
        return self.copy.shell(command)

    def link(self, test, command):
        """The faulty objects stand before the archive, whose own are then not looked for."""
        program = os.path.join(self.folder, test)
        extra = []
        for name, made in self.objects.items():
            if f" {name} " in command:
                command = command.replace(f" {name} ", f" {made} ")
            else:
                extra.append(made)
        command = command.replace(f" -o tests/{test} ", f" -o {program} {' '.join(extra)} ")
        return self.copy.shell(command), program

    def build(self, test):
        compiles, link = self.copy.commands(test)
        for name, command in compiles.items():
            if self.path in self.copy.dependencies(name):
                output = self.compile(name, command)
                if output:
                    return output, None
        if not self.objects:
            return f"{self.mutation.file} is no part of {test}", None
        return self.link(test, link)

    def run(self):
        """Returns whether the fault was killed, and how."""
        changed = with_fault(self.mutation, read(self.path))
        if changed is None:
            return False, f"its place is no longer there, just once, in {self.mutation.file}"
        self.write_source(changed)
        try:
            for test in self.mutation.tests:
                self.objects = {}
                output, program = self.build(test)
                if output:
                    return False, "does not build:\n" + output
                noticed = self.copy.run(program, self.copy.seconds_max[test])
                if noticed:
                    return True, f"killed by {test}: {noticed}"
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return False, "SURVIVED " + " ".join(self.mutation.tests)


def main():
    arguments = parse()
    mutations = [mutation for mutation in chosen_list(arguments)
                 if not arguments.only or mutation.name in arguments.only]
    if arguments.list:
        for mutation in mutations:
            print(f"{mutation.name}  {mutation.file}  {' '.join(mutation.tests)}")
        return 0
    start = time.monotonic()
    copy = Copy(arguments)
    check_baseline(copy, mutations)
    survivors = 0
    at_once = 1 if arguments.tsan else arguments.jobs  # a race needs threads that meet
    with ThreadPoolExecutor(at_once) as executor:
        results = executor.map(lambda mutation: Trial(copy, mutation).run(), mutations)
        for mutation, (killed, how) in zip(mutations, results):
            survivors += not killed
            print(f"{'ok  ' if killed else 'FAIL'} {mutation.name}: {how}", flush=True)
    print(f"{len(mutations)} faults, {survivors} not killed, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
