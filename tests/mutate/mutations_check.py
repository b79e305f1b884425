"""The faults in checked pools that the tests must notice: see mutations.py."""

from fault import fault

CHECKS = "pool/checks.c"
LEAKS = "pool/leaks.c"
LOAN = "pool/loan.c"
QUARANTINE = "pool/quarantine.c"
REPORT = "pool/report.c"
SITE = "pool/site.c"
STATISTICS = "pool/statistics.c"
USER = "pool/user.c"
WATCH = "pool/watch.c"
WORDS = "pool/words.c"
POOL = "pool/pool.c"
PLAN = "pool/plan.c"

CHECK_MUTATIONS = [
    fault("loan-ended-by-load-and-store", LOAN,
          "        if (tarn_u32_cas_weak_relaxed(&loan->state, &state, TARN_LOAN_RETURNED))\n"
          "            return true;",
          "    {\n"
          "        state = tarn_u32_load_relaxed(&loan->state);\n"
          "        if (state != TARN_LOAN_LENT)\n"
          "            break;\n"
          "        tarn_u32_store_relaxed(&loan->state, TARN_LOAN_RETURNED);\n"
          "        return true;\n"
          "    }",
          "test_check_overlap"),
    fault("loan-ended-again", LOAN,
          "    uint32_t state = TARN_LOAN_LENT;\n    /* relaxed: it decides",
          "    uint32_t state = state_of(loan);\n"
          "    if (state == TARN_LOAN_RETURNED)\n        return true;\n    /* relaxed: it decides",
          "test_check_loans"),
    fault("loan-not-begun", LOAN,
          "    tarn_u32_store_relaxed(&loan->state, TARN_LOAN_LENT);\n",
          "    (void)loan;\n",
          "test_check_loans"),
    fault("free-site-not-noted", LOAN,
          "    set_site(&loan->free_site, site);\n", "",
          "test_check_loans"),
    fault("clear-keeps-loans", LOAN,
          "        if (try_end(&pool->loans[slot]))\n", "        if (slot > count)\n",
          "test_check_bytes"),
    fault("fill-one-byte-short", LOAN,
          "            memset(object, TARN_BYTE_FREE, plan->object_bytes);",
          "            memset(object, TARN_BYTE_FREE, plan->object_bytes - 1);",
          "test_check_bytes"),
    fault("fill-looked-at-from-the-second-byte", LOAN,
          "expect_bytes(pool, object, 0, pool->plan.object_bytes,",
          "expect_bytes(pool, object, 1, pool->plan.object_bytes,",
          "test_check_bytes"),
    fault("damage-not-repaired", LOAN,
          "    memset(object + offset, byte, end - offset);\n", "",
          "test_check_bytes"),
    fault("red-zone-not-looked-at", LOAN,
          "        expect_red_zone(pool, object, site);\n        if (pool->check.fill)",
          "        if (pool->check.fill)",
          "test_check_bytes"),
    fault("red-zone-begins-late", LOAN,
          "    size_t first = pool->plan.object_bytes;\n",
          "    size_t first = pool->plan.object_bytes + 1;\n",
          "test_check_bytes"),
    fault("destruction-does-not-look", POOL,
          "    if (pool->is_watched)\n        tarn_loan_inspect_all_(pool);\n", "",
          "test_check_bytes"),
    fault("red-zone-not-planned", PLAN,
          "plan->object_bytes + red_zone_bytes,", "plan->object_bytes + red_zone_bytes * 0,",
          "test_check_bytes"),
    fault("leaks-not-grouped", LEAKS,
          "            if (compare_sites(&leaks[first], &leaks[end]) != 0)",
          "            if (end > first)",
          "test_check_loans"),
    fault("leaks-in-one-group", LEAKS,
          "            if (compare_sites(&leaks[first], &leaks[end]) != 0)",
          "            if (end < first)",
          "test_check_loans"),
    fault("leaks-not-reported", POOL,
          "        if (pool->checked)\n            tarn_leaks_report_(pool);\n", "",
          "test_check_loans"),
    fault("leaks-abort", REPORT,
          "    if (report.misuse != TARN_MISUSE_LEAK)", "    if (report.misuse)",
          "test_check_loans"),
    fault("site-of-another-call", SITE,
          "last.whose == cache || last.whose == pool ? last.site", "cache || pool ? last.site",
          "test_check_loans"),
    fault("site-kept-for-the-next-call", SITE,
          "    noted = (noted_site){0};\n", "",
          "test_check_loans"),
    fault("cache-shared-unseen", USER,
          "        if (user == self)\n", "        if (user)\n",
          "test_check_users"),
    fault("cache-user-not-nested", USER,
          "        if (user == self)\n", "        if (user == self + 1)\n",
          "test_check_users"),
    fault("cache-user-stays", USER,
          "        tarn_u32_store_relaxed(&cache->user, 0);\n", "        (void)cache;\n",
          "test_check_users"),
    fault("nested-call-ends-its-outer-one", USER,
          "            return TARN_USER_NESTED;\n        if", "            break;\n        if",
          "test_check_users"),
    fault("quarantine-is-a-stack", QUARANTINE,
          "    void *oldest = tarn_slot_object_(pool, *place_of(pool, 0));\n"
          "    quarantine->first = (quarantine->first + 1) % pool->plan.quarantine_objects;\n",
          "    void *oldest =\n"
          "        tarn_slot_object_(pool, *place_of(pool, tarn_quarantine_count_(pool) - 1));\n",
          "test_check_tricks"),
    fault("quarantine-hides-the-capacity", QUARANTINE,
          "    if (tarn_quarantine_count_(pool) > 0)\n        release_oldest(pool, cache);\n",
          "    (void)cache;\n",
          "test_check_tricks"),
    fault("quarantine-kept-over-clear", POOL,
          "    if (pool->is_watched)\n        tarn_quarantine_clear_(pool);\n", "",
          "test_check_tricks"),
    fault("quarantine-not-in-the-figures", STATISTICS,
          "    sum.frees += quarantined;\n", "    sum.frees += quarantined * 0;\n",
          "test_check_tricks"),
    fault("reservation-blind-to-the-quarantine", WATCH,
          "        status = tarn_reserve_make_(cache, count);\n"
          "    } while (status == TARN_ERROR_FULL &&",
          "        status = tarn_reserve_make_(cache, count);\n"
          "    } while (status == TARN_ERROR_FULL && count == 0 &&",
          "test_check_tricks"),
    fault("bulk-blind-to-the-quarantine", WATCH,
          "        status = tarn_bulk_take_(cache, count, objects);\n"
          "    } while (status == TARN_ERROR_FULL &&",
          "        status = tarn_bulk_take_(cache, count, objects);\n"
          "    } while (status == TARN_ERROR_FULL && count == 0 &&",
          "test_check_tricks"),
    fault("shuffle-loses-an-object", WATCH,
          "    *chosen = *top;\n", "",
          "test_check_tricks"),
    fault("reserved-refused", WATCH,
          "    return tarn_reserve_left_(cache) < count && is_to_fail(cache->pool);",
          "    return count && is_to_fail(cache->pool);",
          "test_check_tricks"),
    fault("seed-not-used", WATCH,
          "    uint64_t x = pool->check.seed + drawn * ", "    uint64_t x = drawn * ",
          "test_check_tricks"),
    fault("words-with-numbers-that-wrap", WORDS,
          " || *number > (UINT64_MAX - digit) / 10)", ")",
          "test_check_words"),
    fault("words-begin-like-a-name", WORDS,
          "w->name_length == strlen(name) &&\n", "w->name_length <= strlen(name) &&\n",
          "test_check_words"),
    fault("words-out-of-range", WORDS,
          "    if (number > max)\n        return false;\n", "    (void)max;\n",
          "test_check_words"),
    fault("environment-not-followed", CHECKS,
          "        checks.is_checked = true;\n", "        checks.is_watched = true;\n",
          "test_check_words"),
]

CHECK_TSAN_MUTATIONS = [
    fault("e5-unlock-not-released", QUARANTINE,
          "tarn_u32_store_release(&quarantine->lock, 0);",
          "tarn_u32_store_relaxed(&quarantine->lock, 0);",
          "test_check_tricks"),
    fault("e5-lock-not-acquired", QUARANTINE,
          "    while (tarn_u32_exchange_acquire(&quarantine->lock, 1) != 0)\n"
          "        tarn_thread_yield();\n",
          "    uint32_t open = 0;\n"
          "    while (!tarn_u32_cas_weak_relaxed(&quarantine->lock, &open, 1)) {\n"
          "        open = 0;\n"
          "        tarn_thread_yield();\n"
          "    }\n",
          "test_check_tricks"),
]
