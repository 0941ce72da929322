/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a stack can be copied and read. */
#include "config.h"

#include "record/doctor/check.h"

#include <inttypes.h>

#include "record/event/stack_copy.h"
#include "record/open/stack_copy_size.h"

#define RATE 4000u /* the default */
#define PTRACE_SCOPE "/proc/sys/kernel/yama/ptrace_scope"

/* Bytes of a stack that samples can have at the default rate. */
static uint32_t copied_size(const struct facts *facts)
{
	struct selected event = { .attr = {
		.freq = 1,
		.sample_freq = RATE,
		.sample_type = PERF_SAMPLE_STACK_USER,
		.sample_stack_user = DUMP_SIZE_MAX,
	} };
	struct selection selection = { 0 };
	uint32_t size;

	*array_push(&selection.events) = event;
	size = dumping_fit_ring(&selection, facts_ring_size(facts));
	array_free(&selection.events);
	return size ? size : DUMP_SIZE_MAX;
}

/* ptrace(2), PTRACE_MODE_ATTACH; Yama lets parents read their children only. */
static bool may_read_others(const struct facts *facts)
{
	int64_t scope = 0;

	facts_number(facts, PTRACE_SCOPE, &scope);
	return !scope || asker_has(&facts->asker, CAPABILITY_SYS_PTRACE);
}

void check_stacks(const struct facts *facts, struct finding *ret)
{
	uint32_t size = copied_size(facts);

	strbuf_printf(&ret->value, "%" PRIu32 " bytes at %u Hz", size, RATE);
	ret->meaning = "--call-graph dwarf has whole stacks";
	if (size < DUMP_SIZE_MAX) {
		ret->status = CHECK_LIMITED;
		ret->meaning = "--call-graph dwarf copies more with larger "
			       "rings, or a lower -F";
		strbuf_puts(&ret->remedy, "as root: sysctl "
					  "kernel.perf_event_mlock_kb=16640");
	} else if (!may_read_others(facts)) {
		ret->status = CHECK_LIMITED;
		ret->meaning = "deeper ones are completed only in commands "
			       "that dwell starts";
		strbuf_puts(&ret->remedy,
			"as root: sysctl kernel.yama.ptrace_scope=0");
	}
}
