/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines of several verbs share. */
#ifndef DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H
#define DWELL_REPORT_OPTIONS_OPTIONS_SHARED_H

#include "common/util/cli.h"
#include "report/options/options.h"

#define INPUT_OPTION                                                           \
	{ 'i', "input", CLI_VALUE, "FILE",                                     \
		"recording to read, - for stdin (dwell.data, else perf.data)", \
		options_take_input }
/* The code of so many functions is in a page, unless another number is asked for. */
#define OPTIONS_PAGE_FUNCTIONS 50u
#define HEADER_OPTIONS                                                         \
	{ 0, "header", CLI_NONE, NULL, "facts about the recording first",      \
		.slot = offsetof(struct options, shows_header) },              \
		{ 0, "header-only", CLI_NONE, NULL, "only these facts",        \
			.slot = offsetof(struct options, only_header) },       \
		{ 'I', "show-info", CLI_NONE, NULL,                            \
			"how the machine was built among them",                \
			.slot = offsetof(struct options, shows_info) }
#define FILTER_OPTIONS                                                         \
	FILTER_OPTIONS_WITH(CLI_VALUE,                                         \
		"only samples in these programs and libraries")
#define FILTER_OPTIONS_WITH(dsos_value, dsos_help)                             \
	FILTER_OPTIONS_BY('c', 'C', dsos_value, dsos_help),                    \
		{ 0, "time", CLI_VALUE, "PART",                                \
			"only this time: START,STOP or 10%-20% or 10%/2",      \
			options_take_times }
/* Letters differ from verb to verb, as perf's do. */
#define FILTER_OPTIONS_BY(comms_letter, cpu_letter, dsos_value, dsos_help)     \
	{ comms_letter, "comms", CLI_VALUE, "NAME,...", "only these commands",          \
		options_take_comms },                                                  \
		{ 'd', "dsos", dsos_value, "NAME,...", dsos_help,              \
			options_take_dsos },                                           \
		{ 'S', "symbols", CLI_VALUE, "NAME,...",                       \
			"only samples in these functions", options_take_symbols },     \
		{ 0, "pid", CLI_VALUE, "PID,...", "only these processes",      \
			options_take_pids },                                           \
		{ 0, "tid", CLI_VALUE, "TID,...", "only these threads",        \
			options_take_tids },                                           \
		{ cpu_letter, "cpu", CLI_VALUE, "CPU,...",                            \
			"only samples of these CPUs: 0-3,7", options_take_cpus },      \
		{ 'e', "event", CLI_VALUE, "NAME,...",                         \
			"only these events, by name or glob", options_take_events },   \
		{ 0, "cgroup", CLI_VALUE, "PATH,...",                          \
			"only these control groups, by path or glob",          \
			options_take_cgroups },                                        \
		{ 0, "host", CLI_VALUE, "NAME,...",                            \
			"only what was recorded on these machines, by name "   \
			"or glob",                                             \
			options_take_hosts }

/* Where files are looked for; perf has but the first one. */
#define PLACE_OPTIONS                                                          \
	{ 0, "symfs", CLI_VALUE, "DIR",                                        \
		"programs and libraries are below this folder",                \
		options_take_symfs },                                          \
		{ 0, "debug-dir", CLI_VALUE, "DIR",                            \
			"look for files and debug files here, too",            \
			options_take_debug_dir },                              \
		{ 'k', "vmlinux", CLI_VALUE, "FILE",                           \
			"the kernel that was recorded, with its symbols",      \
			options_take_vmlinux },                                \
		{ 0, "kallsyms", CLI_VALUE, "FILE",                            \
			"its symbols, as /proc/kallsyms had them",             \
			options_take_kallsyms },                               \
		{ 0, "debuginfod", CLI_OPTIONAL, "URLS",                       \
			"ask these servers for what is missing (those of "     \
			"DEBUGINFOD_URLS)",                                    \
			options_take_debuginfod }

#define INLINE_OPTION                                                          \
	{ 0, "inline", CLI_NONE, NULL,                                         \
		"inlined functions are frames of call chains (default)",       \
		.slot = offsetof(struct options, has_inlines) }

#define TIME_OPTIONS                                                           \
	{ 0, "off-cpu", CLI_NONE, NULL,                                        \
		"count how long threads were off their CPUs, in ns",           \
		options_take_off_cpu },                                        \
		{ 0, "wall", CLI_NONE, NULL,                                   \
			"count how long they were on and off their CPUs",      \
			options_take_wall },                                   \
		{ 0, "min-block", CLI_VALUE, "TIME",                           \
			"with these: only where they were off for so long: "   \
			"1ms, 50us",                                           \
			options_take_min_block }

#define FULL_PATH_OPTION                                                       \
	{ 0, "full-source-path", CLI_NONE, NULL,                               \
		"files of source code with their folders",                     \
		.slot = offsetof(struct options, has_full_paths) }

#define DEMANGLE_OPTION                                                        \
	{ 0, "demangle", CLI_NONE, NULL,                                       \
		"names as they were written, of C++, Rust and D (default)",    \
		options_take_demangle }

/* report's own is of rows. */
#define SYMBOL_FILTER_OPTION                                                   \
	{ 0, "symbol-filter", CLI_VALUE, "TEXT",                               \
		"only samples in functions whose name holds this text",        \
		.slot = offsetof(struct options, filter.symbol_part) }

/* What perf's verbs have that read recordings. */
#define FOREIGN_FORCE                                                          \
	{ 'f', "force", "whoever may read a recording may report it" }

/* --tui, of those that tui_choose() decides for. */
#define TUI_OPTION                                                             \
	{ 0, "tui", CLI_NONE, NULL,                                            \
		"an interactive view (default on a terminal)",                 \
		options_take_tui }
/* PAGE of the manual has the shape. */
#define JSON_OPTION(page)                                                      \
	{ 0, "json", CLI_NONE, NULL, "JSON, documented in " page,              \
		options_take_json }
#define TABLE_OPTIONS(page)                                                    \
	JSON_OPTION(page),                                                     \
		{ 0, "csv", CLI_NONE, NULL, "comma-separated values",          \
			options_take_csv }
/* Of an HTML page; LETTER is of --output, or 0. */
#define PAGE_OPTIONS(letter)                                                   \
	{ letter, "output", CLI_VALUE, "FILE",                                 \
		"where the page goes to (standard output)",                    \
		.slot = offsetof(struct options, output) },                    \
		{ 0, "force", CLI_NONE, NULL,                                  \
			"replace that file if it is there",                    \
			.slot = offsetof(struct options, is_forced) }

/* Parses ARGV by CLI into OPTIONS, zeroed before. */
struct error *options_parse(const struct cli *cli, int argc, char **argv,
	struct options *options) _must_check_;
/* The same where words that are no options are no recordings: they go to WORDS. */
struct error *options_parse_words(const struct cli *cli, int argc, char **argv,
	struct options *options, struct name_list *words) _must_check_;

/* That there may be fields called NAMES, of the option OPTION. */
struct error *options_check_fields(
	const char *option, const char *names) _must_check_;

/* TEXT of the option WHAT as a number of percent, with or without the sign. */
struct error *options_take_percent(
	const char *what, const char *text, double *ret) _must_check_;

/* TEXT of the option WHAT as a span of time: "10s", "5us". */
struct error *options_take_span(
	const char *what, const char *text, uint64_t *ret_ns) _must_check_;

/*
 * As struct cli_option calls them, with the struct options as CONTEXT, or what
 * begins with one.
 */
struct error *options_take_stdio(
	void *context, const char *value, bool is_on);
struct error *options_take_json(
	void *context, const char *value, bool is_on);
struct error *options_take_csv(
	void *context, const char *value, bool is_on);
struct error *options_take_html(
	void *context, const char *value, bool is_on);
struct error *options_take_comms(
	void *context, const char *value, bool is_on);
struct error *options_take_tui(
	void *context, const char *value, bool is_on);
struct error *options_take_dsos(
	void *context, const char *value, bool is_on);
struct error *options_take_symbols(
	void *context, const char *value, bool is_on);
struct error *options_take_events(
	void *context, const char *value, bool is_on);
struct error *options_take_input(
	void *context, const char *value, bool is_on);
struct error *options_take_symfs(
	void *context, const char *value, bool is_on);
struct error *options_take_debug_dir(
	void *context, const char *value, bool is_on);
struct error *options_take_held(
	void *context, const char *value, bool is_on);
struct error *options_take_vmlinux(
	void *context, const char *value, bool is_on);
struct error *options_take_kallsyms(
	void *context, const char *value, bool is_on);
struct error *options_take_debuginfod(
	void *context, const char *value, bool is_on);
struct error *options_take_demangle(
	void *context, const char *value, bool is_on);
struct error *options_take_hosts(
	void *context, const char *value, bool is_on);
struct error *options_take_cgroups(
	void *context, const char *value, bool is_on);
struct error *options_take_pids(
	void *context, const char *value, bool is_on);
struct error *options_take_tids(
	void *context, const char *value, bool is_on);
struct error *options_take_cpus(
	void *context, const char *value, bool is_on);
struct error *options_take_times(
	void *context, const char *value, bool is_on);
struct error *options_take_off_cpu(
	void *context, const char *value, bool is_on);
struct error *options_take_wall(
	void *context, const char *value, bool is_on);
struct error *options_take_min_block(
	void *context, const char *value, bool is_on);
struct error *options_take_percentage(
	void *context, const char *value, bool is_on);
struct error *options_take_separator(
	void *context, const char *value, bool is_on);
struct error *options_take_graph(
	void *context, const char *value, bool is_on);
struct error *options_take_max_stack(
	void *context, const char *value, bool is_on);

#endif
