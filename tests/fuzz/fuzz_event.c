/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of event names: parses any text as the argument of -e, on a
 * machine with PMUs and tracepoints. An error must point into the text. A
 * newline separates the argument of --filter.
 */
#include "config.h"

#include "common/util/alloc.h"
#include "record/event/event.h"
#include "record/event/event_filter.h"
#include "tests/fuzz/machine.h"

#define INPUT_MAX KIB(4)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sched_switch[] =
	"\tfield:unsigned short common_type;\toffset:0;\n"
	"\tfield:char prev_comm[16];\toffset:8;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\n";

static void make_machine(struct pmus *pmus)
{
	static const char *const files[][2] = {
		{ "devices/cpu/type", "4\n" },
		{ "devices/cpu/caps/max_precise", "2\n" },
		{ "devices/cpu/format/event", "config:0-7,32-35\n" },
		{ "devices/cpu/format/inv", "config:23\n" },
		{ "devices/cpu/format/ldlat", "config1:0-15\n" },
		{ "devices/cpu/events/mem-loads", "event=0xcd,ldlat=3\n" },
		{ "devices/uncore_imc_0/type", "21\n" },
		{ "devices/uncore_imc_0/cpumask", "0\n" },
		{ "devices/uncore_imc_0/events/reads", "config=4\n" },
		{ "devices/kprobe/type", "6\n" },
		{ "devices/kprobe/format/retprobe", "config:0\n" },
		{ "tracing/events/sched/sched_switch/id", "300\n" },
		{ "tracing/events/sched/sched_switch/format", sched_switch },
		{ "tracing/events/sched/sched_wakeup/id", "301\n" },
		{ "tracing/events/irq/irq_handler_entry/id", "12\n" },
	};
	static char devices[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		machine_put(files[i][0], files[i][1], strlen(files[i][1]));
	memccpy(devices, machine_path("devices"), 0, sizeof(devices));
	pmus_read(devices, pmus);
}

static void check(struct error *err, const char *source)
{
	if (err &&
		(err->source ? err->at + err->length > strlen(source)
			     : err->kind == ERROR_USAGE))
		abort();
	error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmus pmus;
	struct selection selection = { 0 };
	const struct selection_sampling sampling = { .frequency = 99,
		.has_callchains = true };
	_cleanup_free_ char *text = NULL;
	size_t at = 0, length = 0;
	char *filter;

	/* An input must not name files of this machine. */
	if (size > INPUT_MAX || memmem(data, size, "uprobe:/", 8))
		return 0;
	if (!pmus.path)
		make_machine(&pmus);
	selection.tracefs = machine_path("tracing");
	text = xstrndup((const char *)data, size);
	filter = strchr(text, '\n');
	if (filter)
		*filter++ = '\0';
	check(event_select(&selection, text, &pmus), text);
	selection_configure(&selection, &sampling);
	array_each(&selection.events, event)
		if (!event->name)
			abort();
	if (filter &&
		event_filter_find_fault(filter, sched_switch, &at, &length) &&
		(!length || at + length > strlen(filter)))
		abort();
	selection_deinit(&selection);
	return 0;
}
