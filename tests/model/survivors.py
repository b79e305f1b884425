"""The mutants that the model does not notice, each with the reason why that is right."""

ONE_FORGOTTEN = ("every other change of the head still steps the tag, and an index comes back on "
                 "top only by a removal and a push: one forgotten place is harmless, by design")
FIGURE = "a figure that no balance contains; the unit tests of the statistics read it"
SEARCH = "where a search begins: from there it goes to the last group and on from the first"
CLEAR = "clear runs alone, so that one thread can tell: for the unit tests of trimming"
NAME = "a name for people, which may be old; one thread can tell: for the unit tests"
LATE_CALL = "the gate turns away calls on a cache that has ended: misuse, for the unit tests"
BUFFERED = ("it keeps a thief's read before a later write of the same place: the model explores no "
            "load that reads a store of its future")
ALONE = "no thread but the owner is there: for the unit tests"
BETTER = "which sleeper is the better one to wake; the wrong one passes it on"
ONE_MORE = "a wake too many: the sleeper looks and sleeps again"

SURVIVORS = {
    # ---- orders ----
    "jobs/deque.h tarn_deque_push: load_acquire as relaxed": BUFFERED,
    "jobs/deque.h tarn_deque_take_alone: store_release as relaxed": ALONE,
    "jobs/deque.h tarn_deque_take_oldest_: store_release as relaxed":
        "who steals by this bottom has read, and fenced after it, the top that the CAS before made",
    "jobs/deque.h tarn_deque_take_oldest_: cas_strong_seq_cst as acquire":
        "the fences order it after the thieves' CASes; seq_cst as the paper proves it",
    "jobs/deque.h tarn_deque_steal_some: cas_strong_seq_cst as acquire":
        "as in take; and what it releases, " + BUFFERED,
    "jobs/team.c tarn_team_is_done_elsewhere_: load_acquire as relaxed #3":
        "nothing is read after it",
    "depot/stack.c tarn_stack_take_all: load_acquire as relaxed":
        "nothing is read through the head before the CAS, which acquires",
    "pool/cache.c tarn_cache_detach: cas_strong_acquire as relaxed":
        "its caller is the cache's user, who knows what is in it; between two detaches the CAS "
        "decides by being atomic",
    "pool/space/groups.c tarn_groups_are_dry_: load_acquire as relaxed #2":
        "nothing is read after it; the looks before it acquire what it must not be older than",
    # ---- tags ----
    "depot/stack.c tarn_stack_push_chain: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_pop: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_pop_some: without a step of the tag": ONE_FORGOTTEN,
    "depot/stack.c tarn_stack_take_all: without a step of the tag": ONE_FORGOTTEN,
    # ---- left out ----
    "jobs/deque.h tarn_deque_take_alone: left out tarn_u64_store_release": ALONE,
    "jobs/deque.h tarn_deque_push: left out tarn_u64_store_release #2":
        "thieves go by bottom then, as before: for the unit test that looks at low",
    "jobs/team.h tarn_team_tie: left out tarn_u64_fetch_or_relaxed":
        "whether a wait runs strangers: for the unit tests of dependent jobs",
    "jobs/team.c tarn_team_renounce_: taken to succeed": ONE_MORE,
    "jobs/idle.c tarn_idle_announce_: left out tarn_u64_fetch_or_relaxed": BETTER,
    "jobs/idle.c tarn_idle_renounce_: left out tarn_u64_fetch_and_relaxed": BETTER,
    "jobs/idle.c tarn_idle_pass_on_: left out wake_one_of":
        "a job that waits until its own thread is free, though another could have helped",
    "depot/magazine.c tarn_magazines_init: left out tarn_u32_store_relaxed":
        "the memory of a new pool is zero already",
    "pool/shelf.c tarn_shelf_bypass_: left out tarn_counter_add_": FIGURE + " (depot_puts)",
    "pool/refill.c from_depot: left out tarn_counter_add_": FIGURE + " (depot_takes)",
    "pool/refill.c from_other_shelves: left out tarn_counter_add_": FIGURE + " (steals)",
    "pool/reclaim.c tarn_reclaim_request_: left out tarn_u64_fetch_add_relaxed":
        FIGURE + " (drain_requests)",
    "pool/grow.c commit_region: left out tarn_u64_fetch_add_relaxed": FIGURE + " (committed_bytes)",
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
    "pool/space/groups.c push: left out lower_first": SEARCH,
    "pool/space/groups.c lower_first: taken to succeed": SEARCH,
    "pool/space/groups.c lower_first: by a store": SEARCH,
    "pool/space/groups.c tarn_groups_take_: left out tarn_u32_store_relaxed": SEARCH,
    "pool/space/groups.c decommit: left out tarn_u64_fetch_add_relaxed":
        FIGURE + " (committed_bytes)",
    "pool/space/groups.c tarn_groups_give_back_: left out tarn_u32_store_relaxed":
        "clear reads it, also in a forked child: for the unit tests of both",
    "pool/space/groups.c restore_one: left out tarn_u32_store_relaxed":
        "clear reads it, also in a forked child: for the unit tests of both",
    "pool/space/groups.c restore_one: not waiting for another":
        "its callers look again, since the other has changed the number of what is sorted",
    "pool/space/groups.c restore_one: left out tarn_u64_fetch_add_relaxed":
        FIGURE + " (committed_bytes)",
    "pool/space/prepare.c put_magazine: left out tarn_u64_fetch_add_relaxed": FIGURE + " (splits)",
    "pool/space/prepare.c tarn_prepare_repair_: left out tarn_u32_store_relaxed":
        "a forked child calls it: for the unit tests of that",
    "pool/space/groups.c relist_trimmed: left out tarn_u64_store_relaxed": CLEAR,
    "pool/space/groups.c tarn_groups_clear_: left out tarn_u32_store_relaxed": CLEAR,
    "pool/space/groups.c tarn_groups_clear_: left out tarn_u32_store_relaxed #2": CLEAR,
    "pool/space/groups.c tarn_groups_clear_: left out add_sorted": CLEAR,
    "frame/gate.c refuse: left out tarn_u64_fetch_add_relaxed": FIGURE + " (late_refusals)",
    "frame/gate.c tarn_gate_repair_: left out tarn_u64_store_relaxed":
        "a forked child calls it: for the unit tests of that",
    "frame/lane.c set_label: left out tarn_u64_store_relaxed": NAME,
    "frame/lane.c set_inside: left out tarn_u32_store_relaxed": NAME,
    "frame/lane.c enter_outermost: left out set_inside": NAME,
    "frame/lane.c enter_outermost: left out set_inside #2": NAME,
    "frame/lane.c tarn_lane_leave: left out set_inside": NAME,
    "frame/lane.c turn_to: left out tarn_deferred_run_":
        "who ends the frame does what is left: it comes later, and loses nothing",
    "frame/deferred.c tarn_deferred_run_: left out tarn_links_unlist_":
        "a number that is too high costs a look at lists that are empty",
    "frame/finalizers.c tarn_finalizers_run_: left out tarn_links_unlist_":
        "a number that is too high costs a look at lists that are empty",
    "frame/deferred.c reserve: left out uncount":
        "no batch is refused but by the system: for the unit tests with memory that fails",
}
