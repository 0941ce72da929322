/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked of report, script or export. */
#ifndef DWELL_REPORT_OPTIONS_H
#define DWELL_REPORT_OPTIONS_H

#include "common/error.h"
#include "report/filter.h"
#include "report/script_line.h"

enum graph_style {
	GRAPH_TREE,   /* -g graph */
	GRAPH_FOLDED, /* -g folded */
	GRAPH_NONE,   /* -g none */
};

enum choice {
	CHOICE_DEFAULT, /* by what the recording holds */
	CHOICE_ON,
	CHOICE_OFF,
};

struct options {
	const char *input;   /* NULL: dwell.data, else perf.data */
	const char *view;    /* name of the view: "stdio", "json", "csv" */
	const char *format;  /* of an export */
	const char *output;  /* of an export; NULL or "-": stdout */
	const char *sort;    /* -s: names of fields; NULL: as is usual */
	const char *fields;  /* -F: the same */
	enum choice branches;
	bool weighs_accesses; /* --mem-mode */
	uint64_t quantum_ns;  /* of the field time */
	enum choice children;
	enum choice callers_first;
	enum graph_style graph;
	double tree_limit, percent_limit;
	bool has_colour; /* stdout is a terminal and NO_COLOR is not set */
	bool shows_samples, shows_period, shows_header, shows_stats, dumps_records;
	struct filter filter;
	struct script_style script;
};

/* Each fills OPTIONS, zeroed before, for one verb. */
struct error *options_report(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_script(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_export(
	int argc, char **argv, struct options *options) _must_check_;
void options_deinit(struct options *options);

#endif
