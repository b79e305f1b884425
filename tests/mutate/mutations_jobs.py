"""The faults in jobs that the tests must notice: see mutations.py. Memory orders, fences and lost
wake-ups are the model's: see tests/model/mutate.py."""

from fault import fault

DEQUE = "jobs/deque.h"
FIND = "jobs/find.c"
WAIT = "jobs/wait.c"
RUN = "jobs/run.c"
RUN_HEADER = "jobs/run.h"
MARK = "jobs/mark.c"
AFTER = "jobs/after.c"
TEAM = "jobs/team.c"
TEAM_HEADER = "jobs/team.h"
THREAD = "jobs/thread.c"
DESTROY = "jobs/destroy.c"
RANGE = "jobs/range.c"
QUOTA = "base/os_quota.c"
POSIX = "base/os_posix.c"

JOBS_MUTATIONS = [
    # ---- the deque ----
    fault("deque-overflows", DEQUE,
          "        if (bottom - deque->top_seen > deque->mask)\n            return false;\n", "",
          "test_jobs_deque"),
    fault("last-item-taken-without-a-cas", DEQUE,
          "        if (!tarn_u64_cas_strong_seq_cst(&deque->top, &top, top + 1))\n"
          "            item = 0;\n", "",
          "test_jobs_deque"),
    fault("low-is-not-lowered", DEQUE,
          "    tarn_deque_lower_(deque, bottom);\n", "", "test_jobs_deque"),
    fault("low-is-not-lowered-alone", DEQUE,
          "    tarn_deque_lower_(deque, bottom - 1);\n", "", "test_jobs_deque"),
    fault("low-stays-behind", DEQUE,
          ">= 2 * deque->lag)\n", ">= deque->mask * 2)\n", "test_jobs_deque"),
    fault("steal-goes-by-low-only", DEQUE,
          "        (int64_t)(tarn_u64_load_acquire(&deque->bottom) - top) <= 0)\n"
          "        return TARN_STEAL_EMPTY;", "        true)\n        return TARN_STEAL_EMPTY;",
          "test_jobs_deque"),
    fault("job-that-came-below-is-not-seen", FIND,
          "!found && tarn_links_get(links, last) == TARN_INDEX_NONE", "!found",
          "test_jobs_overlap"),
    fault("job-that-came-on-top-is-not-seen", FIND,
          "            search->inboxes_seen[priority] = made;",
          "            search->inboxes_seen[priority] = ((void)made, tarn_stack_peek(inbox));",
          "test_jobs_overlap"),
    fault("full-deque-drops-the-job", FIND,
          "        put_inbox(tarn_worker_jobs_(worker), task);\n", "        (void)0;\n",
          "test_jobs_start"),
    fault("full-deque-drops-a-plain-job", RUN,
          "        tarn_find_put_aside_(face->jobs, task);\n", "        (void)0;\n",
          "test_jobs"),
    # ---- what a wait runs ----
    fault("floor-never-set", RUN,
          "        if (bottom < team->floor[TARN_PRIORITY_NORMAL] &&",
          "        if (bottom > team->floor[TARN_PRIORITY_NORMAL] &&",
          "test_jobs"),
    fault("floor-set-once", RUN,
          "        if (bottom < team->floor[TARN_PRIORITY_NORMAL] &&",
          "        if (team->floor[TARN_PRIORITY_NORMAL] == TARN_TEAM_FLOOR_ABOVE &&",
          "test_jobs"),
    fault("wait-runs-strangers-on-top", FIND,
          "        if (!task || tarn_team_descends(task->team, team))\n"
          "            return task;\n"
          "        tarn_find_put_aside_",
          "        if (!task || team)\n            return task;\n        tarn_find_put_aside_",
          "test_jobs"),
    fault("wait-runs-strangers-it-stole", FIND,
          "    if (!task || tarn_team_descends(task->team, search->team))\n        return task;\n",
          "    if (!task || search)\n        return task;\n",
          "test_jobs_waits"),
    fault("wait-helps-its-own-group-only", TEAM_HEADER,
          "    while (team && team != from && team->depth > from->depth)\n"
          "        team = team->parent;\n", "",
          "test_jobs_waits"),
    fault("submitted-jobs-not-dug-for", FIND,
          "            task = dig(worker, search, order[i]);\n", "            task = NULL;\n",
          "test_jobs"),
    fault("strangers-pile-up", WAIT,
          "    return !is_full_of_strangers(wait) && (wait->any ||",
          "    return wait->worker->strangers < 100 && (wait->any ||",
          "test_jobs_waits"),
    fault("dependents-not-tied", RUN,
          "        tarn_team_tie(task->team);\n", "        (void)0;\n",
          "test_jobs_after"),
    # ---- counting ----
    fault("own-count-kept-when-it-moves", TEAM,
          "        tarn_team_own_add(team, -own);\n", "        (void)0;\n",
          "test_jobs_waits", "test_jobs_flow"),
    fault("own-count-forgotten-elsewhere", TEAM,
          "before == after && tarn_team_own_of(before) + shared == 0", "shared == 0",
          "test_jobs_fibers"),
    fault("waiter-not-woken", RUN,
          "        tarn_idle_wake_tag_(jobs, end.wakes);\n", "        (void)0;\n",
          "test_jobs_idle"),
    fault("cancelled-jobs-run", RUN_HEADER,
          "tarn_jobs_is_stopping_(jobs) || (team && tarn_team_is_cancelled(team))",
          "tarn_jobs_is_stopping_(jobs)",
          "test_jobs"),
    fault("begun-group-is-cancelled-still", WAIT,
          "    tarn_u32_store_relaxed(&team->cancelled, 0);\n", "", "test_jobs"),
    fault("stranger-on-top-is-lost", WAIT,
          "            tarn_find_put_(tarn_worker_jobs_(worker), worker, task);\n", "",
          "test_jobs_waits"),
    # ---- no job is free ----
    fault("job-without-a-place-is-lost", RUN,
          "        return run_without_task(worker, group, function, payload, payload_bytes);\n",
          "        return (void)run_without_task, TARN_OK;\n",
          "test_jobs_few"),
    fault("dependent-without-a-place-runs-at-once", RUN,
          "    return options->after_groups_count + options->after_jobs_count == 0 &&",
          "    return options->function &&",
          "test_jobs_few"),
    # ---- names, dependents ----
    fault("job-never-over", MARK,
          "        after = (ended_of(word) + 1) << TARN_MARK_CHAIN_BITS;",
          "        after = ended_of(word) << TARN_MARK_CHAIN_BITS;",
          "test_jobs_after"),
    fault("jobs-chain-dropped", RUN,
          "    if (chain != TARN_INDEX_NONE)\n        tarn_after_release_(worker, chain);\n", "",
          "test_jobs_after"),
    fault("groups-chain-dropped", RUN,
          "        tarn_after_release_(worker, end.chain);\n", "        (void)0;\n",
          "test_jobs_after"),
    fault("waits-for-what-is-over", AFTER,
          "        over++;\n", "",
          "test_jobs_after"),
    fault("starts-after-the-first", AFTER,
          "    return tarn_u32_fetch_add_acq_rel(&task->waits, 0u - count) == count;",
          "    return tarn_u32_fetch_add_acq_rel(&task->waits, 0u - count) >= count;",
          "test_jobs_after"),
    # ---- order and place ----
    fault("urgent-jobs-second", FIND,
          "order[TARN_PRIORITIES] = {TARN_PRIORITY_HIGH, TARN_PRIORITY_NORMAL,",
          "order[TARN_PRIORITIES] = {TARN_PRIORITY_NORMAL, TARN_PRIORITY_HIGH,",
          "test_jobs_start"),
    fault("pinned-jobs-anywhere", FIND,
          "    if (task->flags & TARN_TASK_PINNED) {", "    if (task->pinned_to > 64) {",
          "test_jobs_start"),
    fault("pinned-jobs-forgotten", FIND,
          "    if (worker->pinned_first == TARN_INDEX_NONE)\n        worker->pinned_first = first;",
          "    if (worker)\n        worker->pinned_first = first;",
          "test_jobs_start"),
    # ---- sleep ----
    fault("sleeps-without-another-look", THREAD,
          "    tarn_task *task = tarn_find_any_(worker);\n"
          "    if (!task && !tarn_jobs_is_stopping_(tarn_worker_jobs_(worker)))\n"
          "        tarn_idle_sleep_",
          "    tarn_task *task = NULL;\n"
          "    if (!task && !tarn_jobs_is_stopping_(tarn_worker_jobs_(worker)))\n"
          "        tarn_idle_sleep_",
          "test_jobs_overlap"),
    fault("group-ends-between-look-and-sleep", TEAM,
          "    return count == 0 || before & TARN_TEAM_ALWAYS ? waiter : 0;",
          "    return before & TARN_TEAM_ALWAYS ? waiter : 0;",
          "test_jobs_overlap"),
    fault("push-wakes-nobody", RUN,
          "        tarn_idle_notify_(face->jobs);\n", "        (void)0;\n",
          "test_jobs_wake"),
    fault("lane-kept-by-who-leaves", THREAD,
          "    tarn_lane_detach(worker->face.lane); /* NULL without a frame */\n", "",
          "test_jobs_frame"),
    fault("lane-that-is-missing-not-told", THREAD,
          "        status = attach_lane(worker, name);", "        (void)attach_lane(worker, name);",
          "test_jobs_frame"),
    fault("never-sleeps", THREAD,
          "        tarn_idle_sleep_(worker, ticket, timeout_ns);\n",
          "        (void)ticket, (void)timeout_ns;\n",
          "test_jobs_idle"),
    # ---- the end ----
    fault("queued-jobs-left-at-the-end", DESTROY,
          "        if (worker)\n            end_leftovers(jobs, worker);\n", "",
          "test_jobs_stop"),
    fault("jobs-begin-after-the-end", RUN_HEADER,
          "tarn_jobs_is_stopping_(jobs) || (team && tarn_team_is_cancelled(team))",
          "(team && tarn_team_is_cancelled(team))",
          "test_jobs_stop"),
    fault("attached-thread-not-waited-for", DESTROY,
          "    return is_creator || tarn_thread_place_(",
          "    return is_creator || index >= jobs->is.workers_count || tarn_thread_place_(",
          "test_jobs_stop"),
    # ---- ranges ----
    fault("rest-of-a-range-forgotten", RANGE,
          "    if (part->begin < part->end)\n", "    if (part->begin > part->end)\n",
          "test_jobs_waits"),
    fault("halves-overlap", RANGE,
          "back.begin = part->end = part->begin + (part->end - part->begin) / 2;",
          "part->end = part->begin + (part->end - part->begin) / 2;\n"
          "            back.begin = part->end - 1;",
          "test_jobs_waits"),
    # ---- processors ----
    fault("quota-rounded-down", QUOTA,
          "    long long whole = quota / period + (quota % period != 0);",
          "    long long whole = quota / period;",
          "test_jobs_idle"),
    fault("quota-of-the-leaf-alone", QUOTA,
          "    while (strlen(folder) >= strlen(mount)) {",
          "    for (int once = 0; once < 1; once++) {",
          "test_jobs_idle"),
    fault("affinity-ignored", POSIX,
          "    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&",
          "    if (sched_getaffinity(0, sizeof allowed, &allowed) > 0 &&",
          "test_jobs_idle"),
]

JOBS_TSAN_MUTATIONS = [
    fault("deque-bottom-relaxed", DEQUE,
          "    tarn_u64_store_release(&deque->bottom, bottom + 1);\n    /* relaxed",
          "    tarn_u64_store_relaxed(&deque->bottom, bottom + 1);\n    /* relaxed",
          "test_jobs_deque"),
    fault("group-ends-relaxed", TEAM,
          "tarn_u64_fetch_add_release(&team->shared", "tarn_u64_fetch_add_relaxed(&team->shared",
          "test_jobs_waits"),
    fault("job-ends-relaxed", MARK,
          "    } while (!tarn_u64_cas_weak_acq_rel(mark, &word, after));",
          "    } while (!tarn_u64_cas_weak_relaxed(mark, &word, after));",
          "test_jobs_after"),
]
