"""One fault: a place in a source of the library, and what is put there instead."""

from collections import namedtuple

Mutation = namedtuple("Mutation", "name file edits tests")


def fault(name, file, old, new, *tests):
    """old and new are texts, or as many texts each that are replaced together."""
    pairs = [(old, new)] if isinstance(old, str) else list(zip(old, new, strict=True))
    return Mutation(name, "src/" + file, pairs, tests)
