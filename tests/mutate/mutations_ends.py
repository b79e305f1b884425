"""The faults in hooks, in what a full pool does, and in the ends of all lives together, that the
tests must notice: see mutations.py."""

from fault import fault

FULL = "pool/full.c"
LIFE = "pool/life/life.c"
ENDS = "pool/life/ends.c"
EACH = "pool/life/each.c"
CALLS = "pool/life/calls.c"
HANDLES = "pool/life/handles.c"
WATCH = "pool/watch.c"
RESERVE = "pool/reserve.c"
PREPARE = "pool/space/prepare.c"
POOL = "pool/pool.c"

ENDS_MUTATIONS = [
    # ---- hooks ----
    fault("reset-before-the-first-life", LIFE,
          "    if (before & TARN_LIFE_USED)\n",
          "    if (before & TARN_LIFE_BUILT || before == 0)\n",
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
    fault("construct-undone-is-kept", CALLS,
          "        tarn_direct_undo_(pool, *object);\n", "        (void)pool;\n",
          "test_faults_hooks"),
    fault("construct-undone-is-counted", CALLS,
          "        tarn_cache_untake_(cache, 1, object);",
          "        tarn_cache_put_(cache, *object);",
          "test_faults_hooks"),
    fault("bulk-begins-before-all-are-built", CALLS,
          "    if (!tarn_life_build_all_(cache->pool, count, objects)) {\n"
          "        tarn_cache_untake_(cache, count, objects);\n"
          "        return TARN_ERROR_CONSTRUCT;\n"
          "    }\n"
          "    uint32_t word;\n"
          "    for (size_t i = 0; i < count; i++)\n"
          "        tarn_life_begin_(cache->pool, objects[i], &word);\n"
          "    return TARN_OK;\n",
          "    uint32_t word;\n"
          "    for (size_t i = 0; i < count; i++) {\n"
          "        if (tarn_life_begin_(cache->pool, objects[i], &word))\n"
          "            continue;\n"
          "        tarn_cache_untake_(cache, count - i, objects + i);\n"
          "        for (size_t k = 0; k < i; k++)\n"
          "            tarn_calls_free_(cache, objects[k]);\n"
          "        return TARN_ERROR_CONSTRUCT;\n"
          "    }\n"
          "    return TARN_OK;\n",
          "test_faults_hooks"),
    fault("watched-bulk-keeps-what-was-not-built", WATCH,
          "        tarn_cache_untake_(cache, count, objects);\n"
          "        return TARN_ERROR_CONSTRUCT;",
          "        return TARN_ERROR_CONSTRUCT;",
          "test_faults_hooks"),
    fault("watched-construct-undone-is-kept", WATCH,
          "    tarn_loan_end_(pool, object, site);\n    untake(pool, cache, object);\n",
          "    tarn_loan_end_(pool, object, site);\n",
          "test_faults_hooks"),
    fault("build-all-builds-one", LIFE,
          "    for (size_t i = 0; i < count; i++)\n        if (!tarn_life_build_(pool,",
          "    for (size_t i = 0; i < count && i < 1; i++)\n        if (!tarn_life_build_(pool,",
          "test_faults_hooks"),
    fault("watched-life-ends-twice", WATCH,
          "            tarn_loan_refuse_end_(pool, object, site);\n            return false;",
          "            tarn_loan_refuse_end_(pool, object, site);",
          "test_check_lives"),
    # ---- a full pool ----
    fault("victim-taken-without-a-look-at-its-life", HANDLES,
          "    if (tarn_life_handle_(pool, slot, word).bits != handle.bits ||\n"
          "        !tarn_life_try_end_(pool, slot, word))",
          "    if (!tarn_life_try_end_(pool, slot, word))",
          "test_full_host"),
    fault("victim-not-reset-on-return", FULL,
          "    tarn_life_end end = tarn_life_finish_(pool, object);",
          "    tarn_life_end end = TARN_LIFE_ENDED;",
          "test_full_host"),
    fault("victim-still-lent", FULL,
          "    if (pool->is_watched)\n        tarn_loan_end_(pool, object, NULL);\n", "",
          "test_full"),
    fault("room-that-came-meanwhile-not-seen", FULL,
          "so something may be free */\n            *object = take(pool, cache);\n",
          "so something may be free */\n            continue;\n",
          "test_full_host"),
    fault("what-the-host-frees-stays-in-quarantine", FULL,
          "    if (pool->is_watched)\n        return tarn_watch_take_(pool, cache);\n", "",
          "test_full_host"),
    fault("only-the-innermost-pool-is-asking", "pool/inside.h",
          "i = i->outer)", "i = NULL)",
          "test_full_host"),
    fault("eviction-not-counted", FULL,
          "    tarn_u64_fetch_add_relaxed(&pool->evictions, 1);\n", "",
          "test_full_race"),
    fault("callback-asks-itself", FULL,
          "    if ((!pool->evict && !pool->full) || tarn_inside_count_(asking, pool) > 0)",
          "    if (!pool->evict && !pool->full)",
          "test_full"),
    fault("asking-never-ends", FULL,
          "    asking = here.outer;\n", "",
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
          "    for (uint32_t attempt = 0; pool->full(pool->full_context, pool, attempt); "
          "attempt++) {",
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
    fault("destruction-leaves-caches-open", ENDS,
          "    pool->opens_to_lives = false;\n", "",
          "test_ends"),
    fault("destruction-lets-memory-go", ENDS,
          "    tarn_trim_begin_(pool);", "",
          "test_ends"),
    fault("destruction-asks-the-host", CALLS,
          "    *object = NULL;\n    if (pool->is_ending)\n"
          "        return refused(pool, TARN_ERROR_FULL);\n"
          "    *object = tarn_direct_alloc_(pool);\n",
          "    *object = pool->is_ending ? NULL : tarn_direct_alloc_(pool);\n",
          "test_ends"),
    fault("destruction-serves-what-is-reserved", WATCH,
          "    if (cache->pool->is_ending)\n        return true;\n", "",
          "test_ends"),
    fault("destruction-reserves", RESERVE,
          " && !cache->pool->is_ending;", ";",
          "test_ends"),
    fault("destruction-prepares", PREPARE,
          "    if (pool->is_ending) /* what it built now would not be destroyed */\n"
          "        return TARN_ERROR_FULL;\n", "",
          "test_ends"),
    fault("clear-forgets-nothing-of-the-loans", ENDS,
          "    if (pool->is_watched)\n        tarn_loan_end_(pool, object, NULL);\n", "",
          "test_clear_lives"),
    fault("clear-retires-without-counting", ENDS,
          "    if (end == TARN_LIFE_SPENT)\n        tarn_life_forget_(pool, NULL, object);\n}\n\n"
          "/* Hooks run", "    (void)end;\n}\n\n/* Hooks run",
          "test_clear_lives"),
    fault("clear-lists-what-is-retired", ENDS,
          "    return !tarn_life_is_live_(word) && word != TARN_LIFE_RETIRED;",
          "    return !tarn_life_is_live_(word);",
          "test_clear_lives"),
    fault("clear-counts-the-reserve-of-an-exact-pool-as-lost", POOL,
          "    if (pool->plan.exact) /* what is reserved there was taken, but never allocated */\n",
          "    if (false)\n",
          "test_clear_lives"),
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
