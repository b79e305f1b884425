#!/usr/bin/env python3
"""Checks how the sources read. Prints one line per finding and ends with status 1 if any.

  tidy.py TREE         checks the tree
  tidy.py --self-test  checks that each rule reports a small bad sample, and only that
"""

import os
import re
import sys

sys.dont_write_bytecode = True  # the sources stay as they are
from c_source import Source

FOLDERS = ("src", "include", "tests", "stress", "bench", "examples", "cmake")
ENDINGS = (".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".cmake", "CMakeLists.txt", ".in")
FLOORS = ("base", "depot", "pool", "frame", "jobs")  # lowest first; a folder of src each
ORDERED_FLOORS = FLOORS[1:]  # every atomic access there says why its order is enough

LINE_COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
BARE_ATOMIC = re.compile(r"\b(?:atomic_\w+|__atomic_\w+|__sync_\w+|_Atomic)\b|\bck_pr_\w+")
ATOMIC_CALL = re.compile(
    r"\b\w+_(?:load|store|exchange|cas_weak|cas_strong|fetch_[a-z]+)"
    r"_(relaxed|acquire|release|acq_rel|seq_cst)\s*\("
    r"|\bTARN_(?:LOAD|STORE)_RELAXED\s*\(")
EDGE = re.compile(r"\bE(\d+)\b")
EDGE_LISTED = re.compile(r"^[ \t]*(?:/\*|\*)[ \t]*E(\d+)[ \t]+\S", re.MULTILINE)
TABLE_ROW = re.compile(r" \*   +[a-zA-Z]\w*(  +| \w+ .* ->)")
ACQUIRING = ("acquire", "acq_rel", "seq_cst")
RELEASING = ("release", "acq_rel", "seq_cst")


class Tree:
    """The files of a tree by path, and what was found in them."""

    def __init__(self, files):
        self.files = files
        self.sources = {path: Source(text) for path, text in files.items()
                        if path.endswith((".c", ".h", ".cpp", ".hpp"))}
        self.findings = []

    def report(self, rule, path, line, text):
        self.findings.append((rule, f"{path}:{line}: {text} [{rule}]"))


def floor_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def check_lines(tree):
    for path, text in tree.files.items():
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_COLUMNS_MAX:
                tree.report("columns", path, number, f"{len(line)} columns")
            if "\t" in line:
                tree.report("tab", path, number, "a tab")
            if line != line.rstrip():
                tree.report("trailing-blank", path, number, "a blank at the end of the line")
        if lines[-1]:
            tree.report("last-line", path, len(lines), "no newline at the end of the file")
        if len(lines) - 1 > FILE_LINES_MAX:
            tree.report("file-lines", path, len(lines) - 1, f"{len(lines) - 1} lines")


def check_comments(tree):
    """clang-format leaves these where a comment is one word too long, and breaks tables."""
    for path in tree.sources:
        lines = tree.files[path].split("\n")
        for number, (before, line) in enumerate(zip(lines, lines[1:]), 1):
            begun = before.rpartition("/*")[2] if "/*" in before else "*/"
            if line.strip() == "*/" and "*/" not in begun:
                tree.report("lone-end", path, number + 1, "a comment's end, alone on its line")
            if TABLE_ROW.match(before) and re.match(r" \* \S", line):
                tree.report("broken-table", path, number + 1, "a row goes on at the margin")


def check_functions(tree):
    for path, source in tree.sources.items():
        for first, last in source.functions:
            if last - first + 1 > FUNCTION_LINES_MAX:
                tree.report("function-lines", path, first, f"{last - first + 1} lines")


def check_bare_atomics(tree):
    """Outside base, atomics go through base/atomic.h and Concurrency Kit through base."""
    for path, source in tree.sources.items():
        if not path.startswith("src/") or floor_of(path) == "base":
            continue
        for match in BARE_ATOMIC.finditer(source.code):
            tree.report("bare-atomic", path, source.line_at(match.start()), match.group())
        for match in INCLUDE.finditer(source.text):
            if match.group(2) == "stdatomic.h" or match.group(2).startswith("ck_"):
                tree.report("bare-atomic", path, source.line_at(match.start()), match.group(2))


def check_floors(tree):
    """A file of src includes its own floor and lower ones, and public headers."""
    for path, source in tree.sources.items():
        if not path.startswith(("src/", "include/")):
            continue
        floor = floor_of(path)
        if floor is not None and floor not in FLOORS:
            tree.report("floor", path, 1, f"the floor '{floor}' is not in tidy.py's list")
            continue
        allowed = ("tarn",) + FLOORS[:FLOORS.index(floor) + 1] if floor else ("tarn",)
        for match in INCLUDE.finditer(source.text):
            if match.group(1) == '"' and match.group(2).split("/")[0] not in allowed:
                tree.report("floor", path, source.line_at(match.start()),
                            f"includes {match.group(2)}")


def has_relaxed_reason(source, line, is_public_word):
    """A comment 'relaxed: ...' in the function, up to the line, or right above the function. For
    the words that the public header shares, the file's opening comment may say it once."""
    comments = []
    if is_public_word:
        comments += [comment for comment in source.comments if comment.first_line == 1]
    function = source.function_at(line)
    if function:
        comments += source.comments_of(function[0], line)
    return any("relaxed:" in comment.text for comment in comments)


def edges_at(source, offset):
    """The edges that the comments of the statement around an offset name."""
    first, last = source.statement_at(offset)
    text = " ".join(comment.text for comment in source.comments_of(first, last))
    return {int(number) for number in EDGE.findall(text)}


def check_orders(tree):
    """Each atomic access says which edge it is a side of, or why relaxed is enough.
    Returns (path, line, order, edge) for every side found."""
    sides = []
    for path, source in tree.sources.items():
        if floor_of(path) not in ORDERED_FLOORS:
            continue
        for match in ATOMIC_CALL.finditer(source.code):
            line = source.line_at(match.start())
            order = match.group(1) or "relaxed"
            if order == "relaxed":
                if not has_relaxed_reason(source, line, match.group(1) is None):
                    tree.report("relaxed-reason", path, line, "no 'relaxed: <why>' before it")
                continue
            edges = edges_at(source, match.start())
            if not edges:
                tree.report("edge-missing", path, line, f"{order} without its edge E<n>")
            sides += [(path, line, order, edge) for edge in edges]
    return sides


def listed_edges(source):
    return {int(number) for comment in source.comments
            for number in EDGE_LISTED.findall(comment.text)}


def header_of_edge(tree, path, edge):
    """The nearest header whose list has the edge: the file's own, or one that it includes."""
    waiting, seen = [path, os.path.splitext(path)[0] + ".h"], set()
    while waiting:
        header = waiting.pop(0)
        if header in seen or header not in tree.sources:
            continue
        seen.add(header)
        if header.endswith(".h") and edge in listed_edges(tree.sources[header]):
            return header
        waiting += ["src/" + match.group(2)
                    for match in INCLUDE.finditer(tree.sources[header].text)]
    return None


def check_edges(tree, sides):
    """Each edge that a header lists has a releasing and an acquiring side in the code."""
    orders = {}
    for path, line, order, edge in sides:
        header = header_of_edge(tree, path, edge)
        if header is None:
            tree.report("edge-unlisted", path, line, f"no header that it includes lists E{edge}")
        orders.setdefault((header, edge), set()).add(order)
    for path, source in tree.sources.items():
        if floor_of(path) not in ORDERED_FLOORS or not path.endswith(".h"):
            continue
        for edge in sorted(listed_edges(source)):
            found = orders.get((path, edge), set())
            for side, wanted in (("release", RELEASING), ("acquire", ACQUIRING)):
                if not found.intersection(wanted):
                    tree.report("edge-side", path, 1, f"E{edge} has no {side} side in the code")


def check(tree):
    check_lines(tree)
    check_comments(tree)
    check_functions(tree)
    check_bare_atomics(tree)
    check_floors(tree)
    check_edges(tree, check_orders(tree))
    return tree.findings


def read_tree(root):
    files = {}
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = [name for name in folders if name not in ("build", "__pycache__")]
            for name in names:
                if name.endswith(ENDINGS):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, root)] = file.read()
    for name in ("CMakeLists.txt", "tarn.sh"):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            files[name] = file.read()
    return dict(sorted(files.items()))


def main(arguments):
    if arguments == ["--self-test"]:
        from self_test import run
        return run()
    if len(arguments) != 1 or not os.path.isdir(os.path.join(arguments[0], "src")):
        print("tidy: expected the source tree, or --self-test", file=sys.stderr)
        return 2
    files = read_tree(arguments[0])
    findings = check(Tree(files))
    for _, text in findings:
        print(text)
    print(f"{len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
