/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options -e and --filter of the commands that record and count, and the
 * events that they select.
 */
#ifndef DWELL_RECORD_EVENT_OPTIONS_H
#define DWELL_RECORD_EVENT_OPTIONS_H

#include "common/util/array.h"
#include "common/util/cli.h"
#include "record/event/event.h"

/* The strings are borrowed from argv. */
struct event_options {
	ARRAY(const char *) texts; /* values of -e */
	/* Each --filter applies to the events of the -e before it. */
	ARRAY(struct event_option_filter {
		size_t text; /* index into .texts */
		const char *filter;
	})
	filters;
};

/* Parse -e and --filter; SLOT is a struct event_options. */
CLI_PARSER(event_options_parse_event);
CLI_PARSER(event_options_parse_filter);
void event_options_deinit(struct event_options *options);

/*
 * Adds the events of OPTIONS to SELECTION. COMMAND, or NULL, is the command
 * that runs; symbols of mem: are looked up in its program.
 */
struct error *event_options_select(const struct event_options *options,
	char *const *command, const struct pmus *pmus,
	struct selection *selection) _must_check_;

#endif
