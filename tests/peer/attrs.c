/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the attributes of the events on its command line, one event per line,
 * also of events that this machine cannot count. For the comparison with perf.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "record/event/event.h"

/* Prints the attributes with the names of perf's debug output. */
static void print(const struct selection_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{ "type", attr->type },
		{ "config", attr->config },
		{ "config1", attr->config1 },
		{ "config2", attr->config2 },
		{ "bp_type", attr->bp_type },
		{ "exclude_user", attr->exclude_user },
		{ "exclude_kernel", attr->exclude_kernel },
		{ "exclude_hv", attr->exclude_hv },
		{ "exclude_host", attr->exclude_host },
		{ "exclude_guest", attr->exclude_guest },
		{ "exclude_idle", attr->exclude_idle },
		{ "precise_ip", event->seeks_precise ? 0 : attr->precise_ip },
		{ "pinned", attr->pinned },
		{ "exclusive", attr->exclusive },
		{ "inherit", attr->inherit },
		{ "freq", attr->freq },
		{ "rate", attr->sample_period },
		{ "chain", !!(attr->sample_type & PERF_SAMPLE_CALLCHAIN) },
		{ "max_stack", attr->sample_max_stack },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].value)
			printf("%s=%" PRIu64 " ", fields[i].name,
				fields[i].value);
	printf("\n");
}

int main(int argc, char **argv)
{
	const struct selection_sampling sampling = { .frequency = 4000,
		.inherits = true };
	struct pmus pmus;
	int i;

	pmus_read(NULL, &pmus);
	for (i = 1; i < argc; i++) {
		struct selection selection = { 0 };
		struct error *err = event_select(&selection, argv[i], &pmus);

		if (err)
			printf("refused\n");
		error_free(err);
		selection_configure(&selection, &sampling);
		if (!err)
			array_each(&selection.events, event)
				print(event);
		selection_deinit(&selection);
	}
	pmus_deinit(&pmus);
	return 0;
}
