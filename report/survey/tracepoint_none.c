/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where libtraceevent wasn't there when dwell was built. */
#include "config.h"

#include "common/util/log.h"
#include "report/survey/tracepoint.h"

struct tracepoints *tracepoints_create(const struct features *features,
	const struct tracepoint_names *names _unused_)
{
	if (features->tracing_data)
		log_note("the fields of tracepoints are left out: dwell was "
			 "built without libtraceevent (Debian's package is "
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
