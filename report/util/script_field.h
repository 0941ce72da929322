/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields that dwell script prints for a sample. Field names, and the rules
 * for -F [KIND:]FIELD,..., are those of perf (perf-script(1)). The default
 * fields depend on the kind of event.
 */
#ifndef DWELL_REPORT_UTIL_SCRIPT_FIELD_H
#define DWELL_REPORT_UTIL_SCRIPT_FIELD_H

#include "common/file/reader.h"
#include "common/util/completion.h"
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

/* Number of kinds of events: PERF_TYPE_* below 6, and all other types. */
#define SCRIPT_KINDS 7u

struct script_choice {
	uint32_t of[SCRIPT_KINDS];    /* fields to print, one bit per field */
	uint32_t named[SCRIPT_KINDS]; /* fields that -F names, one bit per
	                               * field */
	bool is_chosen[SCRIPT_KINDS]; /* -F was given for this kind of event */
};

/* Sets the default fields of each kind of event. */
void script_choice_init(struct script_choice *choice);
/* Applies TEXT, the argument of one -F option, to CHOICE. */
/* Offers fields. */
COMPLETER(script_choice_complete);
struct error *script_choice_add(
	struct script_choice *choice, const char *text) _must_check_;

/*
 * Returns the fields to print for samples of EVENT: the fields of its kind,
 * without fields that EVENT does not record. For tracepoints with call chains,
 * the fields of code addresses are added if SHOWS_CHAINS and -F chose no fields
 * for tracepoints.
 */
uint32_t script_choice_fit(const struct script_choice *choice,
	const struct event *event, bool shows_chains);
/*
 * Returns an error if -F names a field for a kind of event of which READER's
 * recording has events, but none that records the field.
 */
struct error *script_choice_check(const struct script_choice *choice,
	const struct reader *reader) _must_check_;

/* Whether -F names FIELD for any kind of event. */
bool script_choice_names(
	const struct script_choice *choice, enum script_field field);

static inline bool script_has(uint32_t fields, enum script_field field)
{
	return fields >> field & 1;
}

#endif
