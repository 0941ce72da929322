/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a process is probed for a runtime, and which result is final. The files of a
 * runtime are mapped before the dynamic linker and the runtime initialize their data. A
 * probe in this time finds values that are missing or wrong. Therefore a result that
 * depends on the process is final only after the process has run and a later probe has found the
 * same, or after the process has run for long enough. A final result costs nothing more.
 *
 * In: results of probes, and the CPU time of the process. The module reads no process.
 *
 * Not thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_PROBE_RULE_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_PROBE_RULE_H

#include "record/runtimes/interface/runtime.h"

/* The result of a probe: RUNTIME_READY, RUNTIME_STARTING or RUNTIME_REFUSED. */
struct probe_result {
	enum runtime_state state;
	const char *
		reason; /* constant text, can be NULL if .state is not RUNTIME_REFUSED */
	/* the result depends on the process: files alone do not decide it */
	bool can_change;
	/* of RUNTIME_READY: the previous result was ready, with the same description */
	bool is_same;
};

/* Nanoseconds: clock_now_ns(), and the CPU time of the process (task_cpu_time()). */
struct probe_times {
	uint64_t now, cpu;
};

/* Zero-initialized: no probe yet. */
struct probe_rule {
	enum runtime_state
		state; /* of the last probe; valid if .n_probes is not 0 */
	const char *reason;
	bool is_true;  /* .reason is not that of a runtime that is starting */
	bool is_final; /* the process is not probed again */
	unsigned n_probes;
	unsigned n_equal; /* probes before the last one with the same result */
	uint64_t
		since; /* CPU time of the process at the first probe with .state */
	uint64_t cpu; /* CPU time of the process at the last probe */
	uint64_t pause,
		at; /* the next probe is .pause later, not before the time .at */
};

/*
 * Returns whether the next probe can be due at the time NOW. If true, the probe is due if
 * probe_rule_has_run().
 */
bool probe_rule_is_due(const struct probe_rule *rule, uint64_t now);
/*
 * Returns whether the process, with the CPU time CPU or 0, has run since the last probe. A
 * process that was ready must have run for some milliseconds.
 */
bool probe_rule_has_run(const struct probe_rule *rule, uint64_t cpu);
/* Adds the RESULT of a probe that ended at the time TIMES. */
void probe_rule_add(struct probe_rule *rule, const struct probe_result *result,
	struct probe_times times);
/*
 * The process cannot be read any more, for REASON. The last result is final. If there is
 * none, the process is refused.
 */
void probe_rule_end(struct probe_rule *rule, const char *reason);
/* Returns why the runtime is not ready, a constant text. */
const char *probe_rule_reason(const struct probe_rule *rule);

#endif
