/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/evlist.h"

#include <inttypes.h>

#include "common/util/alloc.h"

static void print_frequency(
	const struct perf_event_attr *attr, struct strbuf *out)
{
	strbuf_printf(out, ": %s=%" PRIu64,
		attr->freq ? "sample_freq" : "sample_period",
		(uint64_t)attr->sample_period);
}

static void print_event(const char *name, const struct perf_event_attr *attr,
	const char *flags, struct strbuf *out)
{
	strbuf_puts(out, name);
	if (strstr(flags, "-v")) {
		strbuf_puts(out, ": ");
		attr_print(attr, out);
	} else if (strstr(flags, "-F")) {
		print_frequency(attr, out);
	}
	strbuf_puts(out, "\n");
}

void evlist_print(
	const struct event_fds *opened, const char *flags, struct strbuf *out)
{
	_cleanup_free_ char *sideband = attr_name(&opened->sideband_attr);

	array_each(&opened->selection->events, event)
		print_event(event->name, &event->attr, flags, out);
	print_event(sideband, &opened->sideband_attr, flags, out);
}
