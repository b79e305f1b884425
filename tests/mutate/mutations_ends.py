"""The faults in hooks, in what a full pool does, and in the ends of all lives together, that the
tests must notice: see mutations.py."""

from fault import fault

FULL = "pool/full.c"
LIFE = "pool/life/life.c"
ENDS = "pool/life/ends.c"
EACH = "pool/life/each.c"
POOL = "pool/pool.c"

ENDS_MUTATIONS = [
    # ---- hooks ----
    fault("reset-before-the-first-life", LIFE,
          "    if (before & TARN_LIFE_USED)\n", "    if (before & TARN_LIFE_BUILT || before == 0)\n",
          "test_lives"),
    fault("construct-at-each-life", LIFE,
          "    else if (!(before & TARN_LIFE_BUILT) && !construct(pool, object))",
          "    if (!construct(pool, object))",
          "test_lives"),
    fault("construct-that-failed-goes-on", LIFE,
          "    count(&pool->constructs_refused);\n    return false;",
          "    count(&pool->constructs_refused);\n    return true;",
          "test_lives"),
    fault("zero-fill-forgotten", LIFE,
          "        memset(object, 0, pool->plan.object_bytes);",
          "        (void)object;",
          "test_lives"),
    fault("reset-on-return-and-on-take", LIFE,
          "    else if (!pool->hooks.reset_on_return)\n", "    else\n",
          "test_lives"),
    # ---- a full pool ----
    fault("callback-asks-itself", FULL,
          "    if ((!pool->evict && !pool->full) || is_asking(pool))",
          "    if (!pool->evict && !pool->full)",
          "test_full"),
    fault("asking-never-ends", FULL,
          "    innermost = here.outer;\n", "",
          "test_full"),
    fault("victims-tried-for-ever", FULL,
          "tried < TARN_EVICTIONS_TRIED_MAX", "tried < TARN_EVICTIONS_TRIED_MAX * 2",
          "test_full"),
    fault("spent-victim-handed-out", FULL,
          "    if (end == TARN_LIFE_SPENT) {", "    if (false) {",
          "test_full"),
    fault("eviction-not-counted-as-allocation", FULL,
          "        tarn_array_count_allocs_(cache, 1);\n        return;\n", "        return;\n",
          "test_full"),
    fault("full-asked-once-only", FULL,
          "    for (uint32_t attempt = 0; pool->full(pool->full_context, pool, attempt); attempt++) {",
          "    for (uint32_t attempt = 0;\n"
          "         attempt == 0 && pool->full(pool->full_context, pool, attempt); attempt++) {",
          "test_full"),
    fault("pinned-is-lowest", EACH,
          "    search s = {score, context, TARN_SCORE_PINNED, {0}};",
          "    search s = {score, context, TARN_SCORE_PINNED, {1}};",
          "test_full"),
    fault("highest-goes", EACH,
          "    if (score < s->lowest_score) {", "    if (score <= s->lowest_score) {",
          "test_full"),
    # ---- the ends of all ----
    fault("clear-runs-hooks-as-it-goes", ENDS,
          "        tarn_links_set(&pool->depot.slots, (uint32_t)slot + 1, first);\n"
          "        first = (uint32_t)slot + 1;",
          "        (void)first;\n"
          "        tarn_life_finish_(pool, tarn_slot_object_(pool, slot));",
          "test_ends"),
    fault("clear-lists-what-is-live", ENDS,
          "    return !tarn_life_is_live_(word) && word != TARN_LIFE_RETIRED;",
          "    return word != TARN_LIFE_RETIRED;",
          "test_ends"),
    fault("destruction-builds-on", ENDS,
          "    pool->is_ending = true;\n", "",
          "test_ends"),
    fault("destruction-tells-nobody", POOL,
          "        tarn_ends_report_live_(pool);\n", "",
          "test_ends"),
    fault("destruction-destroys-nothing", POOL,
          "    tarn_ends_destroy_all_(pool);\n", "",
          "test_ends"),
    fault("functions-that-exclude-each-other", POOL,
          "!(options->zero_fill && has_hooks(options)) && !(options->evict && options->full)",
          "true",
          "test_full"),
]
