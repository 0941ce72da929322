/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat_print.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "common/util/escape.h"
#include "common/util/trusted_file.h"
#include "record/commands.h"
#include "record/open/event_fds.h"
#include "record/stat/count_lines.h"

#define SECONDS_DIGITS_MAX 9
#define SIGNAL_POLL_MS 100

/*
 * Waits until FD can take PIPE_BUF bytes. Returns false if a signal that ends dwell arrives
 * first: these signals are blocked, and a program that does not read its pipe must not keep
 * dwell running.
 */
static bool wait_until_writable(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };
	sigset_t pending;

	while (poll(&polled, 1, SIGNAL_POLL_MS) <= 0) {
		if (sigpending(&pending) == 0 &&
			(sigismember(&pending, SIGINT) ||
				sigismember(&pending, SIGTERM) ||
				sigismember(&pending, SIGHUP)))
			return false;
	}
	return true;
}

static struct error *write_text(
	const struct stat_print *print, const struct strbuf *text)
{
	const char *name = print->options->output ?: "counts";
	size_t at = 0;
	ssize_t n;

	while (at < text->n) {
		if (!wait_until_writable(print->fd))
			return error_new(
				"cannot write %s: a signal arrived, and the "
				"program that reads the output does not read",
				name);
		n = write(print->fd, text->at + at,
			MIN(text->n - at, (size_t)PIPE_BUF));
		if (n < 0 && errno != EINTR)
			return error_errno(errno, "cannot write %s", name);
		at += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

struct error *stat_print_open(
	const struct stat_options *options, struct stat_print *ret)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct error *err;

	*ret = (struct stat_print){
		.options = options, .fd = STDERR_FILENO, .is_open = true
	};
	if (!options->output)
		return NULL;
	err = trusted_file_open_output(
		options->output, options->appends, &ret->fd);
	ret->is_open = !err;
	if (!err && !options->is_json) {
		time_t now = time(NULL);
		char date[64];
		struct tm when;

		strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y",
			localtime_r(&now, &when));
		strbuf_printf(&text, "# started on %s\n\n", date);
		err = write_text(ret, &text);
	}
	return err;
}

void stat_print_close(struct stat_print *print)
{
	if (print->is_open && print->options->output)
		close(print->fd);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
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
	return write_text(print, &text);
}

struct error *stat_print_counts(const struct stat_print *print,
	const struct count_table *table, const struct count_runs *runs,
	const struct rusage *usage)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (prints_text(print)) {
		const struct stat_options *options = print->options;

		strbuf_puts(&text, "\n Performance counter stats for ");
		if (options->target.pids)
			strbuf_printf(
				&text, "process id '%s'", options->target.pids);
		else if (options->target.tids)
			strbuf_printf(
				&text, "thread id '%s'", options->target.tids);
		else if (options->target.name || options->target.user) {
			strbuf_puts(&text, "processes of '");
			escape_text(&text,
				options->target.name ?: options->target.user);
			strbuf_putc(&text, '\'');
		} else if (options->target.cpus)
			strbuf_printf(
				&text, "'CPU(s) %s'", options->target.cpus);
		else if (options->target.is_system_wide ||
			options->target.has_cgroups)
			strbuf_puts(&text, "'system wide'");
		else {
			strbuf_putc(&text, '\'');
			char *const *word;

			for (word = options->command; *word; word++) {
				strbuf_puts(&text,
					word == options->command ? "" : " ");
				escape_text(&text, *word);
			}
			strbuf_putc(&text, '\'');
		}
		if (runs->elapsed_ns.n > 1)
			strbuf_printf(&text, " (%zu runs)", runs->elapsed_ns.n);
		strbuf_puts(&text, ":\n\n");
	}
	put_lines(print, table, &text);
	if (prints_text(print)) {
		if (table->rows.n)
			strbuf_puts(&text, "\n");
		const struct count_spread *elapsed_ns = &runs->elapsed_ns;

		double seconds = elapsed_ns->mean / 1e9;
		double error = count_runs_error(elapsed_ns) / 1e9;
		/* Show three digits of the error. */
		int digits = !(error > 0)
			? SECONDS_DIGITS_MAX
			: MIN(MAX(2 - (int)floor(log10(error)), 2),
				  SECONDS_DIGITS_MAX);

		if (elapsed_ns->n < 2)
			strbuf_printf(&text, " %17.9f seconds time elapsed\n\n",
				seconds);
		else
			strbuf_printf(&text,
				" %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% "
				")\n\n",
				digits, seconds, digits, error,
				count_runs_error_percent(elapsed_ns));
		if (usage && runs->elapsed_ns.n < 2)
			strbuf_printf(&text,
				" %17.9f seconds user\n %17.9f seconds sys\n\n\n",
				seconds_of(&usage->ru_utime),
				seconds_of(&usage->ru_stime));
	}
	return write_text(print, &text);
}

void stat_print_events(const struct selection *selection, const char *flags,
	struct commands *commands)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	event_fds_print(selection, NULL, flags, &text);
	if (text.n && commands_take_reply(commands, text.n))
		fputs(text.at, stderr);
}
