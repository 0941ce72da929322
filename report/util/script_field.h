/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a sample's text: perf's names and perf's rules for -F
 * [KIND:]FIELD,... (perf-script(1)). The default fields depend on the kind of
 * event.
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
	uint32_t of[SCRIPT_KINDS];    /* sets of fields, one bit per field */
	uint32_t named[SCRIPT_KINDS]; /* sets of fields named by -F */
	bool is_chosen[SCRIPT_KINDS]; /* -F was given for this kind */
};

/* Sets the default fields. */
void script_choice_init(struct script_choice *choice);
/* Adds one -F option. */
struct error *script_choice_add(
	struct script_choice *choice, const char *text) _must_check_;

/*
 * Returns the fields of EVENT's samples: those of its kind, without default
 * fields that its samples lack. For tracepoints with call chains, addresses are
 * added if no fields were chosen for tracepoints and SHOWS_CHAINS.
 */
uint32_t script_choice_fit(const struct script_choice *choice,
	const struct event *event, bool shows_chains);
/* Returns an error if a named field is in no event of its kind. */
struct error *script_choice_check(const struct script_choice *choice,
	const struct reader *reader) _must_check_;

/* Whether FIELD was named for any kind of event. */
bool script_choice_names(
	const struct script_choice *choice, enum script_field field);

static inline bool script_has(uint32_t fields, enum script_field field)
{
	return fields >> field & 1;
}

#endif
