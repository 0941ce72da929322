/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat_print.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "common/util/escape.h"
#include "record/open/event_fds.h"
#include "record/stat/count_lines.h"

#define SECONDS_DIGITS_MAX 9

static void print_date(FILE *file)
{
	time_t now = time(NULL);
	char date[64];
	struct tm when;

	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y",
		localtime_r(&now, &when));
	fprintf(file, "# started on %s\n\n", date);
}

struct error *stat_print_open(
	const struct stat_options *options, struct stat_print *ret)
{
	*ret = (struct stat_print){ options, stderr };
	if (!options->output)
		return NULL;
	ret->file = fopen(options->output, options->appends ? "ae" : "we");
	if (!ret->file)
		return error_errno(errno, "cannot write %s", options->output);
	if (!options->is_json)
		print_date(ret->file);
	return NULL;
}

void stat_print_close(struct stat_print *print)
{
	if (print->file && print->options->output)
		fclose(print->file);
}

static struct error *write_counts(
	const struct stat_print *print, const struct strbuf *text)
{
	const char *name = print->options->output;

	if (fwrite(text->at, 1, text->n, print->file) == text->n &&
		fflush(print->file) == 0)
		return NULL;
	return error_errno(errno, "cannot write %s", name ? name : "counts");
}

static void put_command(char *const *command, struct strbuf *out)
{
	char *const *word;

	for (word = command; *word; word++) {
		strbuf_puts(out, word == command ? "" : " ");
		escape_text(out, *word);
	}
}

static void put_title(
	const struct stat_options *options, size_t n_runs, struct strbuf *out)
{
	strbuf_puts(out, "\n Performance counter stats for ");
	if (options->target.pids)
		strbuf_printf(out, "process id '%s'", options->target.pids);
	else if (options->target.tids)
		strbuf_printf(out, "thread id '%s'", options->target.tids);
	else if (options->target.name || options->target.user) {
		strbuf_puts(out, "processes of '");
		escape_text(out, options->target.name ?: options->target.user);
		strbuf_putc(out, '\'');
	} else if (options->target.cpus)
		strbuf_printf(out, "'CPU(s) %s'", options->target.cpus);
	else if (options->target.is_system_wide || options->target.has_cgroups)
		strbuf_puts(out, "'system wide'");
	else {
		strbuf_putc(out, '\'');
		put_command(options->command, out);
		strbuf_putc(out, '\'');
	}
	if (n_runs > 1)
		strbuf_printf(out, " (%zu runs)", n_runs);
	strbuf_puts(out, ":\n\n");
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Returns the digits after the point with which three of ERROR are shown. */
static int digits_of(double error)
{
	if (!(error > 0))
		return SECONDS_DIGITS_MAX;
	return MIN(MAX(2 - (int)floor(log10(error)), 2), SECONDS_DIGITS_MAX);
}

static void put_elapsed(const struct spread *elapsed_ns, struct strbuf *out)
{
	double seconds = elapsed_ns->mean / 1e9;
	double error = spread_error(elapsed_ns) / 1e9;
	int digits = digits_of(error);

	if (elapsed_ns->n < 2)
		strbuf_printf(out, " %17.9f seconds time elapsed\n\n", seconds);
	else
		strbuf_printf(out,
			" %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% "
			")\n\n",
			digits, seconds, digits, error,
			spread_error_percent(elapsed_ns));
}

static void put_cpu_time(const struct rusage *usage, struct strbuf *out)
{
	strbuf_printf(out, " %17.9f seconds user\n %17.9f seconds sys\n\n\n",
		seconds_of(&usage->ru_utime), seconds_of(&usage->ru_stime));
}

static void put_times(const struct count_runs *runs, size_t n_rows,
	const struct rusage *usage, struct strbuf *out)
{
	if (n_rows)
		strbuf_puts(out, "\n");
	put_elapsed(&runs->elapsed_ns, out);
	if (usage && runs->elapsed_ns.n < 2)
		put_cpu_time(usage, out);
}

static void put_lines(const struct stat_print *print,
	const struct count_table *table, struct strbuf *out)
{
	if (print->options->is_json)
		count_lines_json(table, out);
	else if (print->options->separator)
		count_lines_csv(table, print->options->separator, out);
	else
		count_lines_text(table, print->options->has_thousands, out);
}

static bool prints_text(const struct stat_print *print)
{
	return !print->options->is_json && !print->options->separator;
}

struct error *stat_print_interval(const struct stat_print *print,
	const struct count_table *table, bool is_first)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (is_first && prints_text(print))
		count_lines_header(table, &text);
	put_lines(print, table, &text);
	return write_counts(print, &text);
}

struct error *stat_print_counts(const struct stat_print *print,
	const struct count_table *table, const struct count_runs *runs,
	const struct rusage *usage)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (prints_text(print))
		put_title(print->options, runs->elapsed_ns.n, &text);
	put_lines(print, table, &text);
	if (prints_text(print))
		put_times(runs, table->rows.n, usage, &text);
	return write_counts(print, &text);
}

void stat_print_events(const struct selection *selection, const char *flags)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	evlist_print(selection, NULL, flags, &text);
	fputs(text.at ? text.at : "", stderr);
}
