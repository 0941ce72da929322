/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/probe_rule.h"

#include "common/util/clock.h"

/*
 * Time until the next probe. It grows by a half with each probe, except in the first PROBES_FAST
 * probes while the runtime is starting.
 */
#define PAUSE_NS (5 * NSEC_PER_MSEC)
#define PAUSE_NS_MAX (2 * NSEC_PER_SEC)
#define PROBES_FAST 40u
/*
 * A process that has run for this CPU time since it was starting has initialized the data
 * of its runtime. The dynamic linker needs some 10 ms for the largest runtimes.
 */
#define RUN_ENOUGH_NS NSEC_PER_SEC
/*
 * Nearly each process has initialized them after this time. If two probes have found the
 * same, the reason of the refusal is printed.
 */
#define RUN_LIKELY_NS (NSEC_PER_SEC / 10)
/* So many equal results are final even if the process runs only now and then. */
#define EQUAL_ENOUGH 24u

bool probe_rule_is_due(const struct probe_rule *rule, uint64_t now)
{
	return !rule->is_final && (!rule->n_probes || now >= rule->at);
}

bool probe_rule_has_run(const struct probe_rule *rule, uint64_t cpu)
{
	uint64_t least = rule->state == RUNTIME_READY ? PAUSE_NS : 1;

	return !rule->n_probes || (cpu && cpu - rule->cpu >= least);
}

static bool is_equal_result(
	const struct probe_rule *rule, const struct probe_result *result)
{
	if (!rule->n_probes || rule->state != result->state)
		return false;
	if (result->state == RUNTIME_READY)
		return result->is_same;
	return rule->reason == result->reason;
}

static bool is_final_result(
	const struct probe_rule *rule, const struct probe_result *result)
{
	if (result->state == RUNTIME_STARTING)
		return false;
	if (!result->can_change || rule->n_equal >= EQUAL_ENOUGH ||
		rule->cpu - rule->since >= RUN_ENOUGH_NS)
		return true;
	return result->state == RUNTIME_READY && rule->n_equal;
}

void probe_rule_add(struct probe_rule *rule, const struct probe_result *result,
	struct probe_times times)
{
	bool is_changed = !rule->n_probes || rule->state != result->state;
	bool is_starting = result->state == RUNTIME_STARTING;

	if (times.cpu)
		rule->cpu = times.cpu;
	rule->n_equal = is_equal_result(rule, result) ? rule->n_equal + 1 : 0;
	if (is_changed)
		rule->since = rule->cpu;
	rule->n_probes++;
	rule->state = result->state;
	rule->reason = result->reason;
	rule->is_final = is_final_result(rule, result);
	rule->is_true = is_starting || rule->is_final ||
		(rule->n_equal && rule->cpu - rule->since >= RUN_LIKELY_NS);
	rule->pause =
		rule->n_probes <= PROBES_FAST && (is_starting || is_changed)
		? PAUSE_NS
		: MIN(rule->pause + rule->pause / 2, PAUSE_NS_MAX);
	rule->at = times.now + rule->pause;
}

void probe_rule_end(struct probe_rule *rule, const char *reason)
{
	if (!rule->n_probes++) {
		rule->state = RUNTIME_REFUSED;
		rule->reason = reason;
		rule->is_true = true;
	}
	rule->is_final = true;
}

const char *probe_rule_reason(const struct probe_rule *rule)
{
	return rule->reason && rule->is_true
		? rule->reason
		: "the runtime was starting when samples were taken";
}
