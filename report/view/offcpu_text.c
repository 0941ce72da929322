/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/offcpu_text.h"

#include <inttypes.h>
#include <stdio.h>

static void put_switch_count(struct strbuf *out, uint64_t n, const char *text)
{
	if (n)
		strbuf_printf(out, "; %" PRIu64 " %s", n, text);
}

void offcpu_text_put(const struct offcpu_counts *counts, struct strbuf *out)
{
	size_t i;

	for (i = counts->ns[STATE_ON] ? STATE_ON : STATE_BLOCKED;
		i < THREAD_STATES; i++)
		strbuf_printf(out, "%.6f s %s%s",
			(double)counts->ns[i] / (double)NSEC_PER_SEC,
			thread_state_name((enum thread_state)i),
			i + 1 < THREAD_STATES ? ", " : "");
	strbuf_printf(out, "; %" PRIu64 " switches", counts->switches);
	put_switch_count(
		out, counts->open, "of them lasted until the recording ended");
	put_switch_count(out, counts->brief, "too short to count");
	put_switch_count(out, counts->lost,
		"left out because switch records were lost at that time");
	put_switch_count(out, counts->unknown,
		"left out because their length is unknown");
}

void offcpu_text_put_json(
	const struct offcpu_counts *counts, const char *key, struct json *json)
{
	size_t i;

	json_begin_object(json, key);
	for (i = 0; i < THREAD_STATES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s_ns",
			thread_state_name((enum thread_state)i));
		json_unsigned(json, name, counts->ns[i]);
	}
	json_unsigned(json, "switches", counts->switches);
	json_unsigned(json, "open", counts->open);
	json_unsigned(json, "brief", counts->brief);
	json_unsigned(json, "lost", counts->lost);
	json_unsigned(json, "unknown", counts->unknown);
	json_end_object(json);
}
