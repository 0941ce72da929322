/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces tracepoint.c if dwell is built without libtraceevent. */
#include "config.h"

#include "common/util/log.h"
#include "report/survey/tracepoint.h"

struct tracepoints *tracepoints_create(const struct features *features,
	const struct tracepoint_names *names _unused_)
{
	if (features->tracing_data)
		log_note("tracepoint fields are not shown: dwell was built "
			 "without libtraceevent (Debian package: "
			 "libtraceevent-dev)");
	return NULL;
}

void tracepoints_destroy(struct tracepoints *tracepoints _unused_)
{
}

void tracepoints_print_fields(const struct tracepoints *tracepoints _unused_,
	uint64_t id _unused_, struct strbuf *out _unused_)
{
}

bool tracepoints_have_field(struct tracepoints *tracepoints _unused_,
	uint64_t id _unused_, const char *name _unused_)
{
	return false;
}

void tracepoints_print_value(struct tracepoints *tracepoints _unused_,
	uint64_t id _unused_, const uint8_t *raw _unused_, size_t size _unused_,
	const char *name _unused_, struct strbuf *out _unused_)
{
}

void tracepoints_print(struct tracepoints *tracepoints _unused_,
	uint64_t id _unused_, const uint8_t *raw _unused_, size_t size _unused_,
	struct strbuf *out _unused_)
{
}
