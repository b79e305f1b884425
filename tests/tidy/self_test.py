"""Small bad samples, one or more for each rule. Each must be reported by its rule alone, and the
good samples by none."""

from tidy import Tree, check

STACK_H = """/* A stack.
 *
 *   E1 push's CAS (release) -> pop's read (acquire)
 */
"""
PUSH = """void push(stack *s)
{
    /* E1 release: the links. */
    tarn_u64_cas_weak_release(&s->head, &head, next);
}
"""
POP = """void pop(stack *s)
{
    return tarn_u64_load_acquire(&s->head); /* E1 acquire */
}
"""
SHARED_WORD = """void f(void)
{
    TARN_STORE_RELAXED(x, 1);
}
"""
READ = """int read_count(stack *s)
{
    %s
    return tarn_u32_load_relaxed(&s->count);
}
"""
LOOP = """void push_all(stack *s)
{
    do {
        link(s);
        /* E1 release: the links. */
    } while (!tarn_u64_cas_weak_release(&s->head,
                                        &head));
}
"""


def stack_with(*functions):
    return {"src/depot/stack.h": STACK_H, "src/depot/stack.c": '#include "depot/stack.h"\n\n' +
            "\n".join(functions)}


def function_of(lines):
    return "int f(void)\n{\n" + "    g();\n" * (lines - 3) + "}\n"


GOOD = [
    {"src/base/x.c": '#include "base/y.h"\n#include <stdatomic.h>\n\n_Atomic int x;\n'},
    {"src/pool/x.c": '#include "base/y.h"\n#include "depot/y.h"\n#include "tarn/pool.h"\n'},
    {"src/pool/x.c": '/* an _Atomic in words */\nconst char *x = "atomic_load";\n'},
    {"tests/x.c": "#include <stdatomic.h>\n\natomic_int x;\n" + function_of(70)},
    {"include/tarn/x.h": 'extern "C" {\n' + function_of(70) + function_of(70) + "}\n"},
    {"src/base/x.c": "int x;\n" * 400},
    {"src/base/x.c": "/* In a\n * block\n */\nint x; /* and */\n"},
    {"src/base/x.h": "/* A table:\n *\n *   x   a row that\n *       goes on\n *\n * Text. */\n"},
    {"src/base/x.c": "x" * 99 + ";\n"},
    {"src/pool/x.c": "static const int x[] = {\n" + "    1,\n" * 100 + "};\n"},
    stack_with(PUSH, POP),
    stack_with(LOOP, POP),
    stack_with(PUSH, POP, READ % "/* relaxed: a count, nothing behind it. */"),
    stack_with(PUSH, POP, "/* relaxed: nobody else is here yet. */\n" + READ % "go();"),
    {**stack_with(PUSH), "src/pool/x.c": '#include "depot/stack.h"\n\n' + POP},
    {**stack_with(PUSH), "src/pool/x.c": '#include "pool/y.h"\n\n' + POP,
     "src/pool/y.h": '#include "depot/stack.h"\n'},
    {"src/pool/x.c": "/* relaxed: one writer. */\n" + SHARED_WORD},
]

BAD = [
    ("columns", {"src/base/x.c": "x" * 100 + ";\n"}),
    ("tab", {"bench/x.c": "\tint x;\n"}),
    ("trailing-blank", {"cmake/x.cmake": "set(x) \n"}),
    ("last-line", {"stress/x.c": "int x;"}),
    ("file-lines", {"src/base/x.c": "int x;\n" * 401}),
    ("lone-end", {"src/base/x.c": "/* One word too long.\n */\nint x;\n"}),
    ("broken-table", {"src/base/x.h": "/* A table:\n *\n *   x   a row that\n * goes on. */\n"}),
    ("broken-table", {"src/base/x.h": "/*\n *   E1 a store -> a load: all\n * of it. */\n"}),
    ("function-lines", {"tests/x.c": function_of(71)}),
    ("function-lines", {"include/tarn/x.h": 'extern "C" {\n' + function_of(71) + "}\n"}),
    ("bare-atomic", {"src/depot/x.c": "_Atomic int x;\n"}),
    ("bare-atomic", {"src/pool/x.c": "int x = __atomic_load_n(&y, 0);\n"}),
    ("bare-atomic", {"src/pool/x.c": "int x = atomic_load(&y);\n"}),
    ("bare-atomic", {"src/pool/x.c": "#include <stdatomic.h>\n"}),
    ("bare-atomic", {"src/depot/x.c": "#include <ck_pr.h>\n"}),
    ("floor", {"src/base/x.c": '#include "depot/y.h"\n'}),
    ("floor", {"src/depot/x.c": '#include "pool/y.h"\n'}),
    ("floor", {"src/pool/x.c": '#include "y.h"\n'}),
    ("floor", {"include/tarn/x.h": '#include "base/y.h"\n'}),
    ("floor", {"src/attic/x.c": "int x;\n"}),
    ("relaxed-reason", stack_with(PUSH, POP, READ % "go();")),
    ("relaxed-reason", stack_with(PUSH, POP, READ % "/* relaxed */")),
    ("relaxed-reason", stack_with(READ % "/* relaxed: a count. */", PUSH, POP,
                                  SHARED_WORD)),
    ("relaxed-reason", {"src/pool/x.c": SHARED_WORD}),
    ("relaxed-reason", {"src/pool/x.c": "/* relaxed: one writer. */\n\nint x;\n" +
                        READ % "go();"}),
    ("relaxed-reason", stack_with(PUSH, POP, "#define READ(s) tarn_u32_load_relaxed(s)\n")),
    ("edge-missing", stack_with(PUSH, POP, POP.replace(" /* E1 acquire */", ""))),
    ("edge-missing", stack_with(PUSH, POP, PUSH.replace("E1 ", ""))),
    ("edge-missing", stack_with(PUSH, POP, LOOP.replace("E1 ", ""))),
    ("edge-unlisted", stack_with(PUSH, POP, POP.replace("E1", "E2"))),
    ("edge-side", stack_with(PUSH)),
    ("edge-side", stack_with(POP)),
]


def rules_reported(files):
    return {rule for rule, _ in check(Tree(files))}


def run():
    failures = 0
    for files in GOOD:
        rules = rules_reported(files)
        if rules:
            failures += 1
            print(f"a good sample was reported by {sorted(rules)}: {files}")
    for rule, files in BAD:
        rules = rules_reported(files)
        if rules != {rule}:
            failures += 1
            print(f"{rule}: reported by {sorted(rules)} instead: {files}")
    print(f"{len(GOOD)} good and {len(BAD)} bad samples, {failures} failures")
    return 1 if failures else 0
