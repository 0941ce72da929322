/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of report, annotate, diff, script and export. options_*() parse
 * the command line; the rest of the program reads struct options.
 */
#ifndef DWELL_REPORT_OPTIONS_OPTIONS_H
#define DWELL_REPORT_OPTIONS_OPTIONS_H

#include "common/util/error.h"
#include "report/rows/branches.h"
#include "report/survey/offcpu_time.h"
#include "report/util/search_paths.h"
#include "report/util/style.h"
#include "report/util/transform_list.h"

enum option_graph_style {
	OPTION_GRAPH_TREE,    /* -g graph: tree, percentages of the event */
	OPTION_GRAPH_FRACTAL, /* -g fractal: tree, percentages of the branch */
	OPTION_GRAPH_FLAT,    /* -g flat: whole paths, one frame per line */
	OPTION_GRAPH_FOLDED,  /* -g folded: whole paths, one path per line */
	OPTION_GRAPH_NONE,    /* -g none */
};

enum option_graph_value {
	OPTION_GRAPH_PERCENT,
	OPTION_GRAPH_PERIOD,
	OPTION_GRAPH_COUNT, /* number of samples */
};

/* How call graphs are shown (-g). */
struct option_graph {
	enum option_graph_style style;
	enum option_graph_value value;
	double limit;	  /* percent; smaller branches are omitted */
	uint64_t entries; /* maximum of branches per node; 0: all */
	enum branch_key key;
	bool is_requested; /* -g was given: JSON has call graphs, too */
};

enum option_choice {
	OPTION_DEFAULT, /* depends on the recording */
	OPTION_ON,
	OPTION_OFF,
};

/* The recordings to read. */
struct input_options {
	struct filter_names inputs; /* empty: dwell.data, or perf.data */
	const char *single; /* verb or option that accepts only one recording,
			     * for messages; or NULL */
};

/* Where and how the result is shown. */
struct output_options {
	const char *view; /* name of the view: "stdio", "json", "csv" */
	enum option_choice
		interactive;	 /* --tui; OFF: another view was chosen */
	const char *chosen_view; /* option that chose the view, or NULL */
	const char *format;	 /* --format of dwell export */
	const char *file;	 /* file of an export; NULL or "-": stdout */
	bool is_forced;		 /* --force: replace an existing file */
	uint64_t max_output;	 /* bytes, for output_limit_begin() */
	bool has_colour; /* stdout is a terminal and NO_COLOR is not set */
};

/* What is counted. */
struct count_options {
	enum option_choice branches;
	enum option_choice
		groups;	      /* --group; ON: also groups ungrouped events */
	bool by_place;	      /* fill result.hits */
	bool weighs_accesses; /* --mem-mode */
	uint64_t quantum_ns;  /* interval of the field time */
	bool keeps_times;     /* stacks keep the time of each sample */
	bool needs_times;     /* find the times of the first and last sample */
	bool is_for_code;     /* no message if call chains are missing */
};

/* Which time is counted. */
struct time_options {
	enum offcpu_counted counted; /* --off-cpu, --wall */
	bool is_chosen;	   /* --[no-]off-cpu or --[no-]wall was given */
	bool prefers_wall; /* use --wall if recorded with --off-cpu */
	uint64_t least_ns; /* --min-block */
};

/* The rows and columns of a report. */
struct row_options {
	const char *sort;   /* -s: names of fields; NULL: default */
	const char *fields; /* -F: names of fields; NULL: default */
	enum option_choice children;
	const char *separator; /* -t: text between unaligned columns, or NULL */
	struct option_widths {
		ARRAY(uint32_t) columns; /* -w; 0: no fixed width */
	} widths;
	double percent_limit;
	bool is_relative; /* percentages of samples that match the filters */
	bool shows_samples, shows_period;
};

/* The stacks, before rows are made of them. */
struct stack_options {
	enum style_flame_grouping grouping; /* --group-by */
	bool has_chosen_grouping;	    /* --group-by was given */
	bool has_callees_first;		    /* --inverted of dwell export */
	enum option_choice callers_first;   /* -g caller, -g callee */
	bool is_inverted;	     /* -G: callers first, overrides -g */
	const char *parent;	     /* -p, a regular expression; or NULL */
	bool excludes_other;	     /* -x: omit samples without a parent */
	const char *ignored_callees; /* --ignore-callees, a regex; or NULL */
	bool hides_unresolved;
	struct transform_list transforms;
	bool groups_cut_stacks; /* cut_stacks.h */
	/*
	 * Own time belongs to inlined functions. OPTION_DEFAULT: only in the
	 * interactive view.
	 */
	enum option_choice inline_self;
};

/* The names of functions and files. */
struct name_options {
	bool has_inlines;    /* inlined functions in call chains */
	bool has_guesses;    /* code without symbols has functions */
	bool has_no_names;   /* do not resolve functions */
	bool stitch_builds;  /* merge builds of a file with one path */
	bool has_full_paths; /* full paths of source files */
};

/* Texts about a recording, beside or instead of a report. */
struct fact_options {
	bool shows_header, shows_stats, dumps_records;
	bool shows_tasks, shows_maps;
	bool shows_dsos;	      /* --dsos without names */
	bool only_header, shows_info; /* shows_info: the complete header */
};

/* The comparison of unwinders. */
struct check_options {
	bool is_requested; /* --check-unwinding */
	const char *judge; /* its library, or NULL */
	double max_differ; /* --max-differ, in percent */
};

/* The functions to annotate. */
struct code_options {
	struct filter_names functions; /* empty: the hottest ones */
	uint64_t max_functions;	       /* number of hottest functions; 0: all */
};

/* A file that needs one part gets only this part. */
struct options {
	struct input_options input;
	struct output_options output;
	struct count_options count;
	struct time_options time;
	struct row_options rows;
	struct option_graph graph;
	struct stack_options stacks;
	struct name_options names;
	struct fact_options facts;
	struct check_options check;
	struct filter filter;
	struct search_paths places;
	struct style_script script;
	struct style_records records;
	struct code_options code;
	struct style_annotation annotation;
	struct style_diff diff;
};

/*
 * Each options_*() function below parses the options of one verb into
 * OPTIONS, which the caller has zeroed.
 */
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
 * Changes OPTIONS of any verb to count samples by address, without rows of
 * callers, branches and weights, for functions_find().
 */
void options_count_places(struct options *options);
/* Changes OPTIONS to count rows by function, without callers. */
void options_count_functions(struct options *options);
struct cli;
/*
 * Parses ARGV by the option table CLI into CONTEXT. Words that are not options
 * are appended to INPUTS as recordings.
 */
struct error *options_words(const struct cli *cli, int argc, char **argv,
	void *context, struct filter_names *inputs) _must_check_;
/*
 * Appends the paths of the recordings in OPTIONS to RET. A folder is
 * replaced by the recordings in the folder.
 */
struct error *options_find_inputs(
	const struct options *options, struct filter_names *ret) _must_check_;
void options_deinit(struct options *options);

#endif
