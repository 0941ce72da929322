/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options and parsers of several commands. */
#ifndef DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H
#define DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H

#include "common/util/cli.h"
#include "report/options/options.h"
#include "report/util/output.h"

#define INPUT_OPTION                                                        \
	{                                                                   \
		'i', "input", CLI_VALUE, "FILE",                            \
			"read the recording FILE; - is standard input "     \
			"(default: dwell.data, otherwise perf.data)",       \
			offsetof(struct options, inputs), options_push_name \
	}
/* Default number of functions with code in an HTML page. */
#define OPTIONS_PAGE_FUNCTIONS 50u
#define HEADER_OPTIONS                                                    \
	{ 0, "header", CLI_NONE, NULL,                                    \
		"print the header of the recording first",                \
		.slot = offsetof(struct options, shows_header) },         \
		{ 0, "header-only", CLI_NONE, NULL,                       \
			"print only the header of the recording",         \
			.slot = offsetof(struct options, only_header) },  \
	{                                                                 \
		'I', "show-info", CLI_NONE, NULL,                         \
			"print the header with CPU topology, memory and " \
			"caches",                                         \
			.slot = offsetof(struct options, shows_info)      \
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
/* The letters differ between commands, as in perf. */
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
			options_parse_cpus },                                 \
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

/* Places to search for files; perf has only the first option. */
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

#define INLINE_OPTION                                                      \
	{                                                                  \
		0, "inline", CLI_NONE, NULL,                               \
			"show inlined functions as frames of call chains " \
			"(default)",                                       \
			.slot = offsetof(struct options, has_inlines)      \
	}

#define TIME_OPTIONS                                                           \
	{ 0, "off-cpu", CLI_NONE, NULL,                                        \
		"report off-CPU time, in nanoseconds, by call stack", 0,       \
		options_parse_counted_time },                                  \
		{ 0, "wall", CLI_NONE, NULL,                                   \
			"report the sum of on-CPU and off-CPU time", 0,        \
			options_parse_counted_time },                          \
	{                                                                      \
		0, "min-block", CLI_VALUE, "TIME",                             \
			"with --off-cpu or --wall: ignore off-CPU times "      \
			"shorter than TIME: 1ms, 50us",                        \
			offsetof(struct options, least_ns), options_parse_span \
	}

#define FULL_PATH_OPTION                                                 \
	{                                                                \
		0, "full-source-path", CLI_NONE, NULL,                   \
			"print the full paths of source files",          \
			.slot = offsetof(struct options, has_full_paths) \
	}

#define DEMANGLE_OPTION                                                \
	{                                                              \
		0, "demangle", CLI_NONE, NULL,                         \
			"demangle names of C++, Rust and D functions " \
			"(default)",                                   \
			0, options_parse_demangle                      \
	}

/* dwell report has another --symbol-filter, which filters rows. */
#define SYMBOL_FILTER_OPTION                                                 \
	{                                                                    \
		0, "symbol-filter", CLI_VALUE, "TEXT",                       \
			"use only samples in functions whose name contains " \
			"TEXT",                                              \
			.slot = offsetof(struct options, filter.symbol_part) \
	}

/* Option of all perf commands that read recordings. */
#define FOREIGN_FORCE                                                         \
	{                                                                     \
		'f', "force", "dwell does not check the owner of a recording" \
	}

/* --tui of the commands that use tui_choose(). */
#define TUI_OPTION                                                             \
	{                                                                      \
		0, "tui", CLI_NONE, NULL,                                      \
			"show an interactive view (default on a terminal)", 0, \
			options_parse_view                                     \
	}
/* The manual page PAGE documents the JSON. */
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
#define PAGE_OPTIONS(letter)                                             \
	{ letter, "output", CLI_VALUE, "FILE",                           \
		"write the page to FILE (default: standard output)",     \
		.slot = offsetof(struct options, output) },              \
	{                                                                \
		0, "force", CLI_NONE, NULL, "replace FILE if it exists", \
			.slot = offsetof(struct options, is_forced)      \
	}

/* A verb with this option sets .max_output to OUTPUT_LIMIT_BY_INPUT first. */
#define MAX_OUTPUT_OPTION                                                 \
	{                                                                 \
		0, "max-output", CLI_VALUE, "SIZE",                       \
			"stop if more than SIZE bytes are written; K, M " \
			"or G; 0: no limit (1,000 times the recording, "  \
			"at least 1 GB)",                                 \
			offsetof(struct options, max_output),             \
			cli_parse_size, 0, OUTPUT_LIMIT_BY_INPUT - 1      \
	}

/* Parses ARGV by CLI into OPTIONS, which are zeroed before. */
struct error *options_parse(const struct cli *cli, int argc, char **argv,
	struct options *options) _must_check_;
/*
 * Does the same, but appends words that are not options to WORDS instead of the
 * recordings.
 */
struct error *options_parse_words(const struct cli *cli, int argc, char **argv,
	struct options *options, struct name_list *words) _must_check_;

/*
 * Fails unless TEXT, the value of an option (WHAT, for messages), is a
 * percentage, with or without "%".
 */
struct error *options_read_percent(
	const char *what, const char *text, double *ret) _must_check_;

/* --percentage */
extern const char *const options_percentages[];

/*
 * Parsers of struct cli_option. The first ones store their value in the member
 * at SLOT, of the type that is named here. The others need the struct options
 * at SLOT.
 */
/* enum choice: CHOICE_ON or CHOICE_OFF. */
CLI_PARSER(options_parse_choice);
/* double: a percentage, with or without "%"; 0 for --no-NAME. */
CLI_PARSER(options_parse_percent);
/* uint64_t, in nanoseconds: "10s", "5us". */
CLI_PARSER(options_parse_span);
/* const char *: an extended regular expression. */
CLI_PARSER(options_parse_regex);
/* const char *: names of fields, which may exist. */
CLI_PARSER(options_parse_fields);
/* const char *: the text between columns. */
CLI_PARSER(options_parse_separator);
/* const char *: valid ranges of time. */
CLI_PARSER(options_parse_times);
/* const char *: a folder that exists. */
CLI_PARSER(options_parse_folder);
/* const char *: a regular file that is readable. */
CLI_PARSER(options_parse_file);
/* struct name_list: appends VALUE. */
CLI_PARSER(options_push_name);
/* struct name_list: appends VALUE, a folder that exists. */
CLI_PARSER(options_push_folder);
/* struct name_list: appends the words of a comma-separated list. */
CLI_PARSER(options_parse_names);
/* struct name_list: as filter_add_listed(). */
CLI_PARSER(options_parse_listed);
/* struct number_list: appends the numbers of a comma-separated list. */
CLI_PARSER(options_parse_numbers);
/* struct number_list: the same of open file descriptors. */
CLI_PARSER(options_parse_descriptors);
/* struct cpus */
CLI_PARSER(options_parse_cpus);
/* struct search_paths: the debuginfod servers. */
CLI_PARSER(options_parse_servers);
/* --stdio, --tui, --json, --csv and --html: the view of that name. */
CLI_PARSER(options_parse_view);
/* --off-cpu and --wall */
CLI_PARSER(options_parse_counted_time);
/* --dsos; without names it requests a table. */
CLI_PARSER(options_parse_dsos);
/* --call-graph */
CLI_PARSER(options_parse_graph);
/* --demangle, for the whole program; SLOT is not used. */
CLI_PARSER(options_parse_demangle);

#endif
