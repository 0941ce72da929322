/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields a sample's text has: perf's names, and perf's rules for
 * -F [KIND:]FIELD,... (perf-script(1)). What is shown by default depends on the
 * kind of event.
 */
#ifndef DWELL_REPORT_UTIL_SCRIPT_FIELD_H
#define DWELL_REPORT_UTIL_SCRIPT_FIELD_H

#include "common/file/reader.h"
#include "common/util/error.h"

enum script_field {
	SCRIPT_COMM,
	SCRIPT_TID,
	SCRIPT_PID,
	SCRIPT_TIME,
	SCRIPT_CPU,
	SCRIPT_MISC,
	SCRIPT_PERIOD,
	SCRIPT_EVENT,
	SCRIPT_FLAGS,
	SCRIPT_TRACE,
	SCRIPT_ADDR,
	SCRIPT_DATA_SRC,
	SCRIPT_WEIGHT,
	SCRIPT_INS_LAT,
	SCRIPT_RETIRE_LAT,
	SCRIPT_CGROUP,
	SCRIPT_STACK_ORIGIN,
	SCRIPT_IP,
	SCRIPT_SYM,
	SCRIPT_SYMOFF,
	SCRIPT_DSO,
	SCRIPT_SRCLINE,
	SCRIPT_IREGS,
	SCRIPT_UREGS,
	SCRIPT_BRSTACK,
	SCRIPT_BRSTACKSYM,
	SCRIPT_BRSTACKOFF,
	SCRIPT_PHYS_ADDR,
	SCRIPT_DATA_PAGE_SIZE,
	SCRIPT_CODE_PAGE_SIZE,
	SCRIPT_FIELDS,
};

/* Kinds of events: PERF_TYPE_* below 6, and all others. */
#define SCRIPT_KINDS 7u

struct script_choice {
	uint32_t of[SCRIPT_KINDS];     /* sets of fields, a bit for each */
	uint32_t asked[SCRIPT_KINDS];  /* of these, by name */
	bool is_chosen[SCRIPT_KINDS];  /* -F was given for these */
};

/* What is shown without -F. */
void script_choice_init(struct script_choice *choice);
/* One -F. */
struct error *script_choice_add(
	struct script_choice *choice, const char *text) _must_check_;

/*
 * The fields of one event's samples: those chosen for its kind, without those
 * that it doesn't have and nobody asked for. With a callchain a tracepoint has
 * its addresses, too, if nothing was chosen for tracepoints and SHOWS_CHAINS.
 */
uint32_t script_choice_fit(
	const struct script_choice *choice, const struct event *event,
	bool shows_chains);
/*
 * Refuses what can't be shown: a field that was asked for and that no event of
 * its kind has.
 */
struct error *script_choice_check(const struct script_choice *choice,
	const struct reader *reader) _must_check_;

/* Whether FIELD was named, for any kind of events. */
bool script_choice_names(
	const struct script_choice *choice, enum script_field field);

static inline bool script_has(uint32_t fields, enum script_field field)
{
	return fields >> field & 1;
}

#endif
