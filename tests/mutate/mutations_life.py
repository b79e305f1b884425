"""The faults in lives, handles and iteration that the tests must notice: see mutations.py."""

from fault import fault

EACH = "pool/life/each.c"
FAST = "pool/life/fast.h"
HANDLES = "pool/life/handles.c"
LIFE = "pool/life/life.c"
WORD = "pool/life/word.h"
HANDLE = "../include/tarn/handle.h"

LIFE_MUTATIONS = [
    # ---- looking up ----
    fault("resolve-ignores-the-life", HANDLE,
          "    if (TARN_UNLIKELY((named ^ handle.bits) | (~word & 1)))",
          "    if (TARN_UNLIKELY(((named ^ handle.bits) & table->index_mask) | (~word & 1)))",
          "test_handles"),
    fault("resolve-finds-what-is-free", HANDLE,
          "    if (TARN_UNLIKELY((named ^ handle.bits) | (~word & 1)))",
          "    if (TARN_UNLIKELY(named ^ handle.bits))",
          "test_handles"),
    fault("resolve-beyond-the-pools-memory", HANDLE,
          "    if (TARN_UNLIKELY(slot >= TARN_LOAD_RELAXED(&table->slots_bound)))\n"
          "        return NULL;\n", "",
          "test_handles_bits"),
    fault("resolve-reads-the-life-first-and-does-not-compare-it", HANDLE,
          "    uint64_t named = table->pool_bits | lives << table->index_bits | slot;",
          "    uint64_t named = handle.bits | (lives & 0);",
          "test_handles_race", "test_handles"),
    fault("handle-of-what-is-free", HANDLES,
          "    return tarn_life_is_live_(word) ? tarn_life_handle_(pool, slot, word) : none;",
          "    return tarn_life_handle_(pool, slot, word);",
          "test_handles"),
    fault("handle-of-any-address", HANDLES,
          "    if (slot >= TARN_LOAD_RELAXED(&pool->table.slots_bound))\n        return none;\n",
          "",
          "test_handles_bits"),
    # ---- ending lives by their handles ----
    fault("release-ignores-the-life", HANDLES,
          "    if (tarn_life_handle_(pool, slot, word).bits != handle.bits ||\n"
          "        !tarn_life_try_end_(pool, slot, word))",
          "    if (!tarn_life_try_end_(pool, slot, word))",
          "test_handles"),
    fault("release-beyond-the-pools-memory", HANDLES,
          "    if (TARN_UNLIKELY(slot >= TARN_LOAD_RELAXED(&table->slots_bound)))\n"
          "        return TARN_ERROR_STALE;\n", "",
          "test_handles_bits"),
    fault("foreign-handle-called-stale", HANDLES,
          "    if (TARN_UNLIKELY(is_foreign(pool, handle)))\n"
          "        return TARN_ERROR_FOREIGN;\n",
          "    (void)is_foreign;\n",
          "test_handles_bits"),
    fault("pools-without-numbers", HANDLES,
          "    pool->table.pool_bits = (number & mask) << layout->pool_shift;",
          "    pool->table.pool_bits = (number & mask & 0) << layout->pool_shift;",
          "test_handles_bits"),
    fault("pool-without-handles-calls-them-stale", HANDLES,
          "    if (!pool->has_lives)\n        return TARN_ERROR_INVALID;\n", "",
          "test_handles"),
    fault("failed-take-leaves-the-object", HANDLES,
          "    if (object)\n        *object = NULL;\n    return status;", "    return status;",
          "test_handles"),
    fault("failed-release-leaves-its-site", HANDLES,
          "        forget_site(pool, state);", "        (void)forget_site;",
          "test_check_handles"),
    fault("fast-release-by-load-and-store", FAST,
          "    if (TARN_UNLIKELY(!tarn_u32_cas_strong_relaxed(&pool->lives[slot], &live_word, "
          "live_word + 1)))\n        return false;\n",
          "    if (tarn_u32_load_relaxed(&pool->lives[slot]) != live_word)\n"
          "        return false;\n"
          "    tarn_u32_store_relaxed(&pool->lives[slot], live_word + 1);\n",
          "test_handles_overlap"),
    fault("fast-release-of-any-pools-handle", FAST,
          "    if (TARN_UNLIKELY(tarn_life_handle_(pool, slot, live_word).bits != handle.bits ||\n"
          "                      !tarn_life_is_live_(live_word) ||",
          "    if (TARN_UNLIKELY(!tarn_life_is_live_(live_word) ||",
          "test_handles_bits"),
    fault("fast-release-of-what-is-free", FAST,
          "                      !tarn_life_is_live_(live_word) || "
          "!tarn_fast_can_put_(cache, live_word)))",
          "                      !tarn_fast_can_put_(cache, live_word)))",
          "test_handles_bits"),
    fault("fast-release-beyond-the-pools-memory", FAST,
          "    if (TARN_UNLIKELY(slot >= TARN_LOAD_RELAXED(&table->slots_bound)))\n"
          "        return false;\n", "",
          "test_handles_bits"),
    # ---- lives ----
    fault("life-ended-by-load-and-store", LIFE,
          "        if (tarn_u32_cas_weak_relaxed(&pool->lives[slot], &word, "
          "tarn_life_word_after_(pool, word)))\n            return true;",
          "    {\n"
          "        if (tarn_u32_load_relaxed(&pool->lives[slot]) != word)\n"
          "            return false;\n"
          "        tarn_u32_store_relaxed(&pool->lives[slot], "
          "tarn_life_word_after_(pool, word));\n"
          "        return true;\n"
          "    }",
          "test_handles_overlap"),
    fault("next-life-ended-by-the-one-overtaken", LIFE,
          "    while ((word & TARN_LIVES_MASK_) == lives && tarn_life_is_live_(word))",
          "    while (lives > 0 && tarn_life_is_live_(word))",
          "test_handles_overlap"),
    fault("free-does-not-end-the-life", LIFE,
          "    tarn_life_set_word_(pool, slot, tarn_life_word_after_(pool, word));\n"
          "    return tarn_life_finish_(pool, object);",
          "    return tarn_life_finish_(pool, object);",
          "test_handles"),
    fault("fast-free-does-not-end-the-life", FAST,
          "    tarn_life_set_word_(pool, slot, word + 1);\n", "",
          "test_handles"),
    fault("fast-end-of-a-last-life", FAST,
          "           (live_word & TARN_LIVES_MASK_) != pool->table.lives_mask &&\n", "",
          "test_retire"),
    fault("lives-begin-again-after-the-last", WORD,
          "    return is_last ? TARN_LIFE_RETIRED : live_word + 1;",
          "    return is_last ? TARN_LIFE_USED | TARN_LIFE_BUILT : live_word + 1;",
          "test_retire"),
    fault("retired-slot-handed-out", LIFE,
          "    if (TARN_LIKELY(own_word(pool, slot) != TARN_LIFE_RETIRED))",
          "    if (TARN_LIKELY(own_word(pool, slot) != 1))",
          "test_retire"),
    fault("retired-slot-not-counted", LIFE,
          "    count(&pool->slots_retired);\n", "",
          "test_retire"),
    fault("last-free-not-counted", LIFE,
          "    tarn_cache_forget_(pool, cache);\n", "    (void)cache;\n",
          "test_retire"),
    fault("retired-object-not-destroyed", LIFE,
          "    destroy(pool, slot);\n    count(&pool->slots_retired);",
          "    count(&pool->slots_retired);",
          "test_retire"),
    # ---- iteration ----
    fault("each-visits-what-has-ended", EACH,
          "    if (!tarn_life_is_live_(word))\n        return true;\n", "",
          "test_each"),
    fault("each-leaves-out-the-last-slots", EACH,
          "        add_live(pool, first, end - first, q);\n", "",
          "test_each"),
    fault("each-leaves-out-one-in-eight", EACH,
          "look(word + 6) | look(word + 7)) &", "look(word + 6)) &",
          "test_each"),
    fault("each-forgets-its-queue", EACH,
          "        uint32_t kept = first < end ? AHEAD_OBJECTS : 0;",
          "        uint32_t kept = AHEAD_OBJECTS;",
          "test_each"),
    fault("each-visits-its-queue-again", EACH,
          "    memmove(q->live, q->live + count, q->count * sizeof q->live[0]);\n", "",
          "test_each"),
    fault("each-does-not-stop", EACH,
          "        if (!visit_slot(pool, q->live[i], v))\n            return false;\n",
          "        visit_slot(pool, q->live[i], v);\n",
          "test_each"),
    fault("range-wraps-around", EACH,
          "    size_t end = first + tarn_size_min(range.count, slots - first);",
          "    size_t end = tarn_size_min(first + range.count, slots);",
          "test_each"),
    fault("parts-overlap", EACH,
          "    size_t end = first + each + (index < rest);",
          "    size_t end = first + each + (index <= rest);",
          "test_each"),
    fault("last-part-left-out", EACH,
          "    size_t lines = (slots + SLOTS_PER_LINE - 1) / SLOTS_PER_LINE;",
          "    size_t lines = slots / SLOTS_PER_LINE;",
          "test_each"),
    fault("evicts-the-highest-slot-of-equals", EACH,
          "    if (score < s->lowest_score) {", "    if (score <= s->lowest_score) {",
          "test_full"),
]

LIFE_TSAN_MUTATIONS = [
    fault("e6-begin-not-released", WORD,
          "    tarn_u32_store_release(&pool->lives[slot], word);",
          "    tarn_u32_store_relaxed(&pool->lives[slot], word);",
          "test_handles_edge"),
    fault("e6-resolve-not-acquired", HANDLE,
          "    uint32_t word = __atomic_load_n(&table->words[slot], __ATOMIC_ACQUIRE);",
          "    uint32_t word = __atomic_load_n(&table->words[slot], __ATOMIC_RELAXED);",
          "test_handles_edge"),
    fault("e6-visit-not-acquired", WORD,
          "    return tarn_u32_load_acquire(&pool->lives[slot]);",
          "    return tarn_u32_load_relaxed(&pool->lives[slot]);",
          "test_handles_edge"),
]
