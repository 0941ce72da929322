/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked of report, annotate, diff, script or export. */
#ifndef DWELL_REPORT_OPTIONS_OPTIONS_H
#define DWELL_REPORT_OPTIONS_OPTIONS_H

#include "common/util/error.h"
#include "report/rows/branches.h"
#include "report/survey/offcpu_time.h"
#include "report/util/annotation_style.h"
#include "report/util/diff_style.h"
#include "report/util/script_records.h"
#include "report/util/script_style.h"
#include "report/util/search_paths.h"

enum graph_style {
	GRAPH_TREE,    /* -g graph: shares of the event */
	GRAPH_FRACTAL, /* -g fractal: a tree, shares of the branch */
	GRAPH_FLAT,    /* -g flat: whole paths, a frame a line */
	GRAPH_FOLDED,  /* -g folded: whole paths, a line each */
	GRAPH_NONE,    /* -g none */
};

enum graph_value {
	GRAPH_PERCENT,
	GRAPH_PERIOD,
	GRAPH_COUNT, /* of samples */
};

/* How call graphs are shown: -g. */
struct graph_options {
	enum graph_style style;
	enum graph_value value;
	double limit;      /* percent: smaller branches aren't shown */
	uint64_t entries;  /* as many branches of one at most; 0: all */
	enum branch_key key;
	bool is_asked;     /* -g was given: programs get graphs, too */
};

enum choice {
	CHOICE_DEFAULT, /* by what the recording holds */
	CHOICE_ON,
	CHOICE_OFF,
};

struct options {
	struct name_list inputs; /* none: dwell.data, else perf.data */
	const char *single;  /* what takes one input only; NULL: takes many */
	const char *view;    /* name of the view: "stdio", "json", "csv" */
	enum choice interactive; /* --tui; OFF: a view was named */
	const char *chosen_view; /* the option that named it; or NULL */
	const char *format;  /* of an export */
	const char *output;  /* of an export; NULL or "-": stdout */
	bool is_forced;      /* it may replace a file */
	const char *sort;    /* -s: names of fields; NULL: as is usual */
	const char *fields;  /* -F: the same */
	enum choice branches;
	enum choice groups; /* --group; ON: all events if there are none */
	bool by_place;   /* samples are told apart by their addresses */
	bool weighs_accesses; /* --mem-mode */
	uint64_t quantum_ns;  /* of the field time */
	enum counted_time time; /* --off-cpu, --wall */
	bool is_for_code;       /* who has no callers isn't told so */
	bool has_chosen_time;   /* by one of them, or its --no- */
	bool prefers_wall;      /* of what was recorded with --off-cpu */
	uint64_t least_ns;      /* --min-block */
	bool needs_times;       /* between which times samples were taken */
	enum choice children;
	const char *separator; /* -t: between columns without blanks; or NULL */
	struct width_list {
		ARRAY(uint32_t) columns; /* -w; 0: as wide as needed */
	} widths;
	enum choice callers_first; /* -g caller, -g callee */
	bool is_inverted;          /* -G: callers first, whatever -g says */
	struct graph_options graph;
	bool has_inlines;          /* of callchains */
	bool has_no_names;         /* of functions: none is asked for */
	bool joins_builds;         /* files of one path have one name */
	bool has_full_paths;       /* of files of source code */
	double percent_limit;
	const char *parent;          /* -p, a regular expression; or NULL */
	bool excludes_other;         /* -x: samples without one */
	const char *ignored_callees; /* a regular expression; or NULL */
	bool hides_unresolved;
	bool is_relative; /* shares are of what passes the filters */
	bool has_colour; /* stdout is a terminal and NO_COLOR is not set */
	bool shows_samples, shows_period, shows_header, shows_stats, dumps_records;
	bool shows_tasks, shows_maps;
	bool shows_dsos; /* --dsos without names */
	bool only_header, shows_info; /* shows_info: all of the header */
	struct filter filter;
	struct places places;
	struct script_style script;
	struct script_records records;
	struct name_list functions; /* of annotate; none: the hottest, */
	uint64_t max_functions;     /* so many of them; 0: all */
	struct annotation_style annotation;
	struct diff_style diff;
};

/* Each fills OPTIONS, zeroed before, for one verb. */
struct error *options_report(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_annotate(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_diff(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_script(
	int argc, char **argv, struct options *options) _must_check_;
struct error *options_export(
	int argc, char **argv, struct options *options) _must_check_;
/*
 * OPTIONS, of whichever verb, ask for what functions_find() needs instead: each
 * sample is where it was taken, without callers, branches and weights.
 */
void options_count_places(struct options *options);
/* OPTIONS ask for rows of functions, without callers, instead. */
void options_count_functions(struct options *options);
/*
 * Parses ARGV by CLI into CONTEXT, where INPUTS lie: words that are no options
 * are recordings.
 */
struct cli;
struct error *options_words(const struct cli *cli, int argc, char **argv,
	void *context, struct name_list *inputs) _must_check_;
/* INPUTS with the recordings in directories in their place, appended to RET. */
struct error *options_find_inputs(
	const struct options *options, struct name_list *ret) _must_check_;
void options_deinit(struct options *options);

#endif
