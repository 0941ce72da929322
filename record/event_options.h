/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options -e, --filter and -G of the verbs that record and count, and
 * the events that they select.
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
	/* Each -G applies to the events of all -e before it. */
	ARRAY(struct event_option_cgroups {
		size_t n_texts;	   /* -e options before it; 0: to all events */
		const char *names; /* "a,,b" */
	})
	cgroups;
};

/* Parse -e, --filter and -G; SLOT is a struct event_options. */
CLI_PARSER(event_options_parse_event);
CLI_PARSER(event_options_parse_filter);
CLI_PARSER(event_options_parse_cgroups);
void event_options_deinit(struct event_options *options);

/*
 * Adds the events of OPTIONS to SELECTION. COMMAND, or NULL, is the command
 * that runs; symbols of mem: are looked up in its program.
 */
struct error *event_options_select(const struct event_options *options,
	char *const *command, const struct pmus *pmus,
	struct selection *selection) _must_check_;

/*
 * Sets the control groups of the events of SELECTION, to which all events have
 * been added. The first name is that of the first event, and so on. An empty
 * name changes nothing. If the first -G has only one name, its group is that
 * of all events to which this -G applies.
 */
struct error *event_options_set_cgroups(const struct event_options *options,
	struct selection *selection) _must_check_;

#endif
