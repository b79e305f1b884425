"""The mutants that the model does not notice, each with the reason why that is right."""

ONE_FORGOTTEN = ("every other change of the head still steps the tag, and an index comes back on "
                 "top only by a removal and a push: one forgotten place is harmless, by design")
FIGURE = "a figure that no balance contains; the unit tests of the statistics read it"
LATE_CALL = "the gate turns away calls on a cache that has ended: misuse, for the unit tests"

SURVIVORS = {
    # ---- orders ----
    "depot/stack.c tarn_stack_take_all: load_acquire as relaxed":
        "nothing is read through the head before the CAS, which acquires",
    "depot/stack.c tarn_stack_peek: load_acquire as relaxed":
        "two looks are about one instant, which is checked without stale reads (depot_is_dry); "
        "with them, no acquire would be enough",
    "pool/cache.c tarn_cache_detach: cas_strong_acquire as relaxed":
        "its caller is the cache's user, who knows what is in it; between two detaches the CAS "
        "decides by being atomic",
    # ---- tags ----
    "depot/stack.c tarn_stack_push_chain: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_pop: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_pop_some: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_take_all: without a step of the tag": ONE_FORGOTTEN,
    # ---- left out ----
    "depot/magazine.c tarn_magazines_init: left out tarn_u32_store_relaxed":
        "the memory of a new pool is zero already",
    "pool/shelf.c tarn_shelf_bypass_: left out tarn_counter_add_": FIGURE + " (depot_puts)",
    "pool/refill.c from_depot: left out tarn_counter_add_": FIGURE + " (depot_takes)",
    "pool/refill.c from_other_shelves: left out tarn_counter_add_": FIGURE + " (steals)",
    "pool/reclaim.c tarn_reclaim_request_: left out tarn_u64_fetch_add_relaxed":
        FIGURE + " (drain_requests)",
    "pool/grow.c commit_region: left out tarn_counter_add_": FIGURE + " (committed_bytes)",
    "pool/grow.c grow_as_owner: left out tarn_counter_add_": FIGURE + " (growths)",
    "pool/cache.c tarn_cache_refused_: left out tarn_u64_fetch_add_relaxed": FIGURE + " (refusals)",
    "pool/cache.c tarn_cache_leave_: left out tarn_gate_close_": LATE_CALL,
    "pool/cache.c tarn_cache_detach: left out tarn_gate_close_": LATE_CALL,
    "pool/reserve.c tarn_reserve_make_: left out tarn_gate_close_":
        "the reservation's end is noticed later; nothing is lost or refused by it",
    "pool/drain.c put_aside: left out tarn_gate_close_":
        "one thread alone can tell: see tests/mutate, gate-open-with-objects-aside",
    "pool/drain.c tarn_drain_settle_: left out tarn_u32_store_relaxed":
        "a request that stays costs a drain at each slow call, and loses nothing",
}
