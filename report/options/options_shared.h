/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options, and parsers of option values, that several verbs share. */
#ifndef DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H
#define DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H

#include "common/util/cli.h"
#include "report/options/options.h"
#include "report/survey/paths.h"
#include "report/util/output.h"

#define INPUT_OPTION                                                    \
	{                                                               \
		'i', "input", CLI_VALUE, "FILE",                        \
			"read the recording FILE; - is standard input " \
			"(default: dwell.data, otherwise perf.data)",   \
			offsetof(struct options, input.inputs),         \
			options_push_name, .complete = paths_complete   \
	}
/* Default number of functions with code in an HTML page. */
#define OPTIONS_PAGE_FUNCTIONS 50u
#define HEADER_OPTIONS                                                         \
	{ 0, "header", CLI_NONE, NULL,                                         \
		"print the header of the recording first",                     \
		.slot = offsetof(struct options, facts.shows_header) },        \
		{ 0, "header-only", CLI_NONE, NULL,                            \
			"print only the header of the recording",              \
			.slot = offsetof(struct options, facts.only_header) }, \
	{                                                                      \
		'I', "show-info", CLI_NONE, NULL,                              \
			"print the header with CPU topology, memory and "      \
			"caches",                                              \
			.slot = offsetof(struct options, facts.shows_info)     \
	}
#define FILTER_OPTIONS       \
	FILTER_OPTIONS_WITH( \
		CLI_VALUE, "use only samples in these programs and libraries")
#define FILTER_OPTIONS_WITH(dsos_value, dsos_help)                            \
	FILTER_OPTIONS_BY('c', 'C', dsos_value, dsos_help),                   \
	{                                                                     \
		0, "time", CLI_VALUE, "PART",                                 \
			"use only samples in this time range: START,STOP or " \
			"10%-20% or 10%/2",                                   \
			offsetof(struct options, filter.times),               \
			options_parse_times                                   \
	}
/* The letters of --comms and --cpu differ between verbs, as in perf. */
#define FILTER_OPTIONS_BY(comms_letter, cpu_letter, dsos_value, dsos_help)    \
	{ comms_letter, "comms", CLI_VALUE, "NAME,...",                       \
		"use only samples of threads with these names",               \
		offsetof(struct options, filter.comms),                       \
		options_parse_listed },                                       \
		{ 'd', "dsos", dsos_value, "NAME,...", dsos_help, 0,          \
			options_parse_dsos },                                 \
		{ 'S', "symbols", CLI_VALUE, "NAME,...",                      \
			"use only samples in these functions",                \
			offsetof(struct options, filter.symbols),             \
			options_parse_listed },                               \
		{ 0, "pid", CLI_VALUE, "PID,...",                             \
			"use only samples of these processes",                \
			offsetof(struct options, filter.pids),                \
			options_parse_numbers },                              \
		{ 0, "tid", CLI_VALUE, "TID,...",                             \
			"use only samples of these threads",                  \
			offsetof(struct options, filter.tids),                \
			options_parse_numbers },                              \
		{ cpu_letter, "cpu", CLI_VALUE, "CPU,...",                    \
			"use only samples of these CPUs: 0-3,7",              \
			offsetof(struct options, filter.cpus),                \
			options_parse_cpus,                                   \
			.complete = completion_offer_cpus },                  \
		{ 'e', "event", CLI_VALUE, "NAME,...",                        \
			"use only samples of these events; NAME can be a "    \
			"glob",                                               \
			offsetof(struct options, filter.events),              \
			options_parse_names },                                \
		{ 0, "cgroup", CLI_VALUE, "PATH,...",                         \
			"use only samples of these control groups; PATH can " \
			"be a glob",                                          \
			offsetof(struct options, filter.cgroups),             \
			options_parse_names },                                \
	{                                                                     \
		0, "host", CLI_VALUE, "NAME,...",                             \
			"use only recordings of these machines; NAME can be " \
			"a glob",                                             \
			offsetof(struct options, filter.hosts),               \
			options_parse_names                                   \
	}

/*
 * Options that set where files with symbols and debug information are searched.
 */
#define PLACE_OPTIONS                                                        \
	{ 0, "symfs", CLI_VALUE, "DIR",                                      \
		"look for programs, libraries and debug files below DIR "    \
		"instead of /",                                              \
		offsetof(struct options, places.symfs),                      \
		options_parse_folder },                                      \
		{ 0, "debug-dir", CLI_VALUE, "DIR",                          \
			"also look for programs, libraries and debug files " \
			"in DIR",                                            \
			offsetof(struct options, places.debug_dirs),         \
			options_push_folder },                               \
		{ 'k', "vmlinux", CLI_VALUE, "FILE",                         \
			"read symbols of the recorded kernel from the "      \
			"vmlinux FILE",                                      \
			offsetof(struct options, places.vmlinux),            \
			options_parse_file },                                \
		{ 0, "kallsyms", CLI_VALUE, "FILE",                          \
			"read symbols of the recorded kernel from FILE, a "  \
			"copy of /proc/kallsyms",                            \
			offsetof(struct options, places.kallsyms),           \
			options_parse_file },                                \
	{                                                                    \
		0, "debuginfod", CLI_OPTIONAL, "URLS",                       \
			"download missing files from these debuginfod "      \
			"servers (default: DEBUGINFOD_URLS)",                \
			offsetof(struct options, places),                    \
			options_parse_servers                                \
	}

/* An option of the verbs that show or pack text of source files. */
#define SOURCE_PATH_OPTION                                                  \
	{                                                                   \
		0, "source-path", CLI_VALUE, "OLD=NEW",                     \
			"look for source files whose recorded path begins " \
			"with folder OLD below NEW; OLD \".\": relative "   \
			"paths",                                            \
			offsetof(struct options, places.source_paths),      \
			options_push_source_path                            \
	}

#define INLINE_OPTION                                                       \
	{                                                                   \
		0, "inline", CLI_NONE, NULL,                                \
			"show inlined functions as frames of call chains "  \
			"(default)",                                        \
			.slot = offsetof(struct options, names.has_inlines) \
	}

#define INLINE_SELF_OPTION                                                     \
	{                                                                      \
		0, "inline-self", CLI_NONE, NULL,                              \
			"count the self time of inlined code for the inlined " \
			"function (default only in the interactive view)",     \
			offsetof(struct options, stacks.inline_self),          \
			options_parse_choice                                   \
	}

#define LANG_FRAMES_OPTION                                                   \
	{                                                                    \
		0, "lang-frames", CLI_VALUE, "WHICH",                        \
			"in stacks with functions of Java, JavaScript, "     \
			"Python, PHP, Ruby, Perl or LuaJIT: show all but "   \
			"those of the interpreter (fold, the default), all " \
			"(both), only these functions (only), or only "      \
			"native code (native)",                              \
			offsetof(struct options, stacks.transforms),         \
			options_parse_lang_frames,                           \
			.complete = options_complete_lang_frames             \
	}

/* Options that change stacks, in the order of the command line. */
#define TRANSFORM_OPTIONS                                                           \
	{ 0, "cut-stacks", CLI_NONE, NULL,                                          \
		"show stacks without their outer callers below one frame "          \
		"[cut stacks] (default)",                                           \
		.slot = offsetof(struct options, stacks.groups_cut_stacks) },       \
		{ 0, "focus", CLI_VALUE, "FUNCTION",                                \
			"use only samples with FUNCTION in their call stacks, and " \
			"begin the stacks there",                                   \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform },                                  \
		{ 0, "drop", CLI_VALUE, "FUNCTION",                                 \
			"leave out samples with FUNCTION in their call "            \
			"stacks",                                                   \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform },                                  \
		{ 0, "merge-fn", CLI_VALUE, "FUNCTION",                             \
			"remove FUNCTION from call stacks; its time counts "        \
			"for its callers",                                          \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform },                                  \
		{ 0, "collapse-recursion", CLI_VALUE, "FUNCTION",                   \
			"keep one of several calls of FUNCTION in a call "          \
			"stack, without the frames between them",                   \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform },                                  \
		{ 0, "collapse-dso", CLI_VALUE, "DSO",                              \
			"join consecutive frames of DSO, a program or "             \
			"library, to one frame [DSO]",                              \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform },                                  \
		LANG_FRAMES_OPTION,                                                 \
	{                                                                           \
		0, "hide-glue", CLI_NONE, NULL,                                     \
			"remove functions of standard libraries and start "         \
			"code of C, C++, Rust and Go from call stacks",             \
			offsetof(struct options, stacks.transforms),                \
			options_parse_transform                                     \
	}

#define TIME_OPTIONS                                                      \
	{ 0, "off-cpu", CLI_NONE, NULL,                                   \
		"report off-CPU time, in nanoseconds, by call stack", 0,  \
		options_parse_counted_time },                             \
		{ 0, "wall", CLI_NONE, NULL,                              \
			"report the sum of on-CPU and off-CPU time", 0,   \
			options_parse_counted_time },                     \
	{                                                                 \
		0, "min-block", CLI_VALUE, "TIME",                        \
			"with --off-cpu or --wall: ignore off-CPU times " \
			"shorter than TIME: 1ms, 50us",                   \
			offsetof(struct options, time.least_ns),          \
			options_parse_span                                \
	}

#define FULL_PATH_OPTION                                                       \
	{                                                                      \
		0, "full-source-path", CLI_NONE, NULL,                         \
			"print the full paths of source files",                \
			.slot = offsetof(struct options, names.has_full_paths) \
	}

#define DEMANGLE_OPTION                                                \
	{                                                              \
		0, "demangle", CLI_NONE, NULL,                         \
			"demangle names of C++, Rust and D functions " \
			"(default)",                                   \
			0, options_parse_demangle                      \
	}

#define GUESS_OPTION                                                        \
	{                                                                   \
		0, "guessed-functions", CLI_NONE, NULL,                     \
			"show code without symbols as functions by its "    \
			"unwind rules (default)",                           \
			.slot = offsetof(struct options, names.has_guesses) \
	}

/* --group-by. DEFAULTS are the values that are used without the option. */
#define GROUPING_OPTION(defaults)                                        \
	{                                                                \
		0, "group-by", CLI_VALUE, "WHAT",                        \
			"first frame of each stack: process, thread or " \
			"none (default: " defaults ")",                  \
			0, options_parse_grouping,                       \
			.complete = style_flame_grouping_complete        \
	}

/* dwell report has another --symbol-filter, which filters rows. */
#define SYMBOL_FILTER_OPTION                                                 \
	{                                                                    \
		0, "symbol-filter", CLI_VALUE, "TEXT",                       \
			"use only samples in functions whose name contains " \
			"TEXT",                                              \
			.slot = offsetof(struct options, filter.symbol_part) \
	}

/* --tui of the verbs that use tui_decide(). */
#define TUI_OPTION                                                             \
	{                                                                      \
		0, "tui", CLI_NONE, NULL,                                      \
			"show an interactive view (default on a terminal)", 0, \
			options_parse_view                                     \
	}
/* --json. The manual page PAGE documents the JSON output. */
#define JSON_OPTION(page)                                                     \
	{                                                                     \
		0, "json", CLI_NONE, NULL, "print JSON, documented in " page, \
			0, options_parse_view                                 \
	}
#define TABLE_OPTIONS(page)                                      \
	JSON_OPTION(page),                                       \
	{                                                        \
		0, "csv", CLI_NONE, NULL,                        \
			"print comma-separated values (CSV)", 0, \
			options_parse_view                       \
	}
/* Options of an HTML page. LETTER is the letter of --output, or 0. */
#define PAGE_OPTIONS(letter)                                               \
	{ letter, "output", CLI_VALUE, "FILE",                             \
		"write the page to FILE (default: standard output)",       \
		.slot = offsetof(struct options, output.file) },           \
	{                                                                  \
		0, "force", CLI_NONE, NULL, "replace FILE if it exists",   \
			.slot = offsetof(struct options, output.is_forced) \
	}

/*
 * A verb with this option sets options.output.max_output to OUTPUT_LIMIT_BY_INPUT
 * before it parses the command line.
 */
#define MAX_OUTPUT_OPTION                                                   \
	{                                                                   \
		0, "max-output", CLI_VALUE, "SIZE",                         \
			"stop if more than SIZE bytes are written; K, M "   \
			"or G; 0: no limit (default: 1,000 times the size " \
			"of the recording, at least 1 GiB)",                \
			offsetof(struct options, output.max_output),        \
			cli_parse_size, 0, OUTPUT_LIMIT_BY_INPUT - 1        \
	}

/*
 * Parses ARGV by the option table CLI into OPTIONS, which the caller has zeroed
 * or set to defaults. Words that are not options are appended to
 * OPTIONS->inputs.
 */
struct error *options_parse(const struct cli *cli, int argc, char **argv,
	struct options *options) _must_check_;
/*
 * Parses ARGV like options_parse(), but appends words that are not options to
 * WORDS instead of OPTIONS->inputs.
 */
struct error *options_parse_words(const struct cli *cli, int argc, char **argv,
	struct options *options, struct filter_names *words) _must_check_;

/*
 * Reads TEXT, a percentage from 0 to 100 with or without "%", to RET. Returns
 * an error for other text; WHAT is the name of the option for the message.
 */
struct error *options_read_percent(
	const char *what, const char *text, double *ret) _must_check_;

/* The values of --percentage. */
extern const char *const options_percentages[];

/*
 * Parsers for struct cli_option. A parser whose comment names a type of SLOT
 * stores the value in the member of this type. For the other parsers, SLOT is
 * the struct options.
 */
/* SLOT is an enum option_choice: stores OPTION_ON or OPTION_OFF. */
CLI_PARSER(options_parse_choice);
/*
 * SLOT is a double: stores a percentage, with or without "%"; 0 for --no-NAME.
 */
CLI_PARSER(options_parse_percent);
/* SLOT is a uint64_t: stores a time such as "10s" or "5us" in nanoseconds. */
CLI_PARSER(options_parse_span);
/* SLOT is a const char *: stores an extended regular expression. */
CLI_PARSER(options_parse_regex);
/* SLOT is a const char *: stores a list of names that may be field names. */
CLI_PARSER(options_parse_fields);
/* SLOT is a const char *: stores the text between columns. */
CLI_PARSER(options_parse_separator);
/* SLOT is a const char *: stores the text of valid time ranges. */
CLI_PARSER(options_parse_times);
/* SLOT is a const char *: stores the path of a folder that exists. */
CLI_PARSER(options_parse_folder);
/* SLOT is a const char *: stores the path of a readable regular file. */
CLI_PARSER(options_parse_file);
/* SLOT is a struct filter_names: appends VALUE. */
CLI_PARSER(options_push_name);
/* SLOT is a struct filter_names: appends VALUE, a folder that exists. */
CLI_PARSER(options_push_folder);
/* SLOT is a struct search_sources: appends VALUE, "OLD=NEW". */
CLI_PARSER(options_push_source_path);
/*
 * SLOT is a struct filter_names: appends the words of a comma-separated list.
 */
CLI_PARSER(options_parse_names);
/* SLOT is a struct filter_names: appends names with filter_add_listed(). */
CLI_PARSER(options_parse_listed);
/*
 * SLOT is a struct filter_numbers: appends the numbers of a comma-separated
 * list.
 */
CLI_PARSER(options_parse_numbers);
/*
 * SLOT is a struct filter_numbers: appends the numbers of a comma-separated
 * list, which must be open file descriptors.
 */
CLI_PARSER(options_parse_descriptors);
/*
 * SLOT is a struct transform_list: appends the transform of the option, or with
 * --no-NAME removes all transforms of the option.
 */
CLI_PARSER(options_parse_transform);
CLI_PARSER(options_parse_lang_frames);
COMPLETER(options_complete_lang_frames);
/* SLOT is a struct cpus: stores a list of CPUs. */
CLI_PARSER(options_parse_cpus);
/* SLOT is a struct search_paths: stores the debuginfod servers. */
CLI_PARSER(options_parse_servers);
/* Parses --stdio, --tui, --json, --csv and --html, which choose a view. */
CLI_PARSER(options_parse_view);
/* Parses --off-cpu and --wall. */
CLI_PARSER(options_parse_counted_time);
/* Parses --group-by. */
CLI_PARSER(options_parse_grouping);
/* Parses --dsos; without names, the option requests a table of DSOs. */
CLI_PARSER(options_parse_dsos);
/* Parses --call-graph. */
CLI_PARSER(options_parse_graph);
COMPLETER(options_complete_graph);
/* Parses --demangle, for the whole program; SLOT is not used. */
CLI_PARSER(options_parse_demangle);

#endif
