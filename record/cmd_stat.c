/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "common/util/clock.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/control.h"
#include "record/event/group.h"
#include "record/open/relocate.h"
#include "record/stat/count_text.h"
#include "record/stat/counters.h"
#include "record/stat_options.h"

#define DEFAULT_EVENTS                                            \
	"task-clock,context-switches,cpu-migrations,page-faults," \
	"cycles,instructions,branches,branch-misses"

struct stat_session {
	const struct stat_options *options;
	FILE *out;
	struct pmus pmus;
	struct selection selection;
	struct workload workload;
	struct target target;
	struct control control;
	struct counters counters;
	uint64_t started_ns, ended_ns;
};

/* Opens the file of -o. */
static struct error *open_stat_output(struct stat_session *session)
{
	const struct stat_options *options = session->options;
	time_t now = time(NULL);
	char date[64];
	struct tm when;

	session->out = stderr;
	if (!options->output)
		return NULL;
	session->out = fopen(options->output, options->appends ? "ae" : "we");
	if (!session->out)
		return error_errno(errno, "cannot write %s", options->output);
	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y",
		localtime_r(&now, &when));
	fprintf(session->out, "# started on %s\n\n", date);
	return NULL;
}

/*
 * Forks the command and resolves the target. The command is forked first, so
 * that it inherits none of the changes to the limits and signals of dwell.
 */
static struct error *prepare_stat_target(
	struct stat_session *session, int *status_ret)
{
	const struct stat_options *options = session->options;
	struct target_config config = {
		.pids = options->pids,
		.tids = options->tids,
		.cpus = options->cpus,
		.name = options->name,
		.user = options->user,
		.is_waiting = options->waits_for_target,
		.is_system_wide = options->is_system_wide || options->cgroups,
	};
	struct error *err = NULL;

	if (options->command) {
		err = workload_find(options->command, status_ret);
		if (!err)
			err = workload_fork(options->command, STDOUT_FILENO,
				&session->workload);
	}
	config.command = session->workload.pid;
	if (!err)
		err = target_resolve(&config, &session->target);
	if (!err)
		err = control_init(&session->control, &session->workload);
	return err;
}

/* Returns whether a core PMU of this machine has the named event NAME. */
static bool has_core_event(const struct pmus *pmus, const char *name)
{
	_cleanup_strbuf_ struct strbuf terms = { 0 };

	array_each(&pmus->list, pmu)
		if (pmu->is_core && pmu_event(pmus, pmu, name, &terms))
			return true;
	return false;
}

static struct error *add_default_events(
	const struct pmus *pmus, struct selection *selection)
{
	static const char *const optional[] = { "stalled-cycles-frontend",
		"stalled-cycles-backend" };
	struct error *err = selection_add(selection, DEFAULT_EVENTS, pmus);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(optional) && !err; i++)
		if (has_core_event(pmus, optional[i]))
			err = selection_add(selection, optional[i], pmus);
	return err;
}

static void report_wide_probes(const struct stat_session *session)
{
	array_each(&session->selection.events, event)
		if (session->target.kind != TARGET_SYSTEM && event->is_wide) {
			log_note(
				"%s: counts all processes that run this code. "
				"The kernel cannot limit a probe to the target "
				"and its new threads. To count only existing "
				"threads: -i",
				event->name);
			return;
		}
}

static struct error *select_counted_events(struct stat_session *session)
{
	const struct stat_options *options = session->options;
	enum target_kind kind = session->target.kind;
	const struct sampling sampling = {
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
		.is_cpu_wide = kind == TARGET_SYSTEM,
		.inherits = kind != TARGET_SYSTEM && !options->has_no_inherit,
		.starts_at_exec = kind == TARGET_COMMAND,
	};
	struct error *err = NULL;

	pmus_read(NULL, &session->pmus);
	if (options->events.texts.n)
		err = event_options_select(&options->events, options->command,
			&session->pmus, &session->selection);
	else if (!options->counts_nothing)
		err = add_default_events(&session->pmus, &session->selection);
	if (err)
		return err;
	selection_count(&session->selection, &sampling);
	groups_configure(&session->selection);
	report_wide_probes(session);
	return NULL;
}

/* Lets the command exec: its process was forked before and waits. */
static struct error *start_counted_command(struct stat_session *session)
{
	bool is_needed = relocate_is_needed(&session->selection);
	struct error *err =
		is_needed ? relocate_begin(session->workload.pid) : NULL;

	if (!err)
		err = workload_go(&session->workload);
	if (err || !is_needed)
		return err;
	return relocate_finish(&session->selection, session->counters.fds.at,
		session->counters.fds.n, session->workload.pid, true);
}

/*
 * Counts until the command or the target ends or a signal arrives. A command
 * that is the target always ends before its events are read, so that its counts
 * are complete.
 */
static struct error *count_until_end(struct stat_session *session)
{
	bool is_command = session->target.kind == TARGET_COMMAND;
	struct error *err = NULL;

	control_watch(&session->control, &session->target);
	if (is_command)
		counters_enable_wide(&session->counters);
	else
		counters_enable();
	session->started_ns = clock_now_ns();
	if (session->workload.pid)
		err = start_counted_command(session);
	if (err)
		return err;
	control_wait(&session->control);
	if (is_command) {
		workload_terminate(&session->workload);
		control_wait_workload(&session->control);
	}
	session->ended_ns = clock_now_ns();
	counters_disable();
	counters_read(&session->counters);
	if (session->workload.pid) {
		workload_terminate(&session->workload);
		control_wait_workload(&session->control);
	}
	return NULL;
}

static struct count_row row_of(const struct stat_session *session, size_t event)
{
	struct reading total = counters_total(&session->counters, event);
	struct count_row row = {
		.event = &session->selection.events.at[event],
		.value = reading_estimate(&total),
		.running_ns = (double)total.running,
		.share = reading_share(&total),
	};

	if (!session->counters.events.at[event].is_supported)
		row.state = COUNT_UNSUPPORTED;
	else if (!reading_is_counted(&total))
		row.state = COUNT_NONE;
	return row;
}

static void make_table(
	const struct stat_session *session, struct count_table *ret)
{
	size_t i;

	ret->elapsed_ns = (double)(session->ended_ns - session->started_ns);
	for (i = 0; i < session->selection.events.n; i++)
		*array_push(&ret->rows) = row_of(session, i);
}

static void put_target_name(
	const struct stat_options *options, struct strbuf *out)
{
	char *const *word;

	if (options->pids)
		strbuf_printf(out, "process id '%s'", options->pids);
	else if (options->tids)
		strbuf_printf(out, "thread id '%s'", options->tids);
	else if (options->name || options->user)
		strbuf_printf(out, "processes of '%s'",
			options->name ? options->name : options->user);
	else if (options->cpus)
		strbuf_printf(out, "CPU(s) %s", options->cpus);
	else if (options->is_system_wide || options->cgroups)
		strbuf_puts(out, "'system wide'");
	else {
		strbuf_putc(out, '\'');
		for (word = options->command; *word; word++) {
			strbuf_puts(out, word == options->command ? "" : " ");
			escape_text(out, *word);
		}
		strbuf_putc(out, '\'');
	}
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void put_times(const struct stat_session *session, struct strbuf *out)
{
	const struct rusage *usage = &session->workload.usage;

	strbuf_printf(out, "%s %17.9f seconds time elapsed\n\n",
		session->selection.events.n ? "\n" : "",
		(double)(session->ended_ns - session->started_ns) / 1e9);
	if (session->target.kind == TARGET_COMMAND)
		strbuf_printf(out,
			" %17.9f seconds user\n %17.9f seconds sys\n\n",
			seconds_of(&usage->ru_utime),
			seconds_of(&usage->ru_stime));
	strbuf_puts(out, "\n");
}

static struct error *print_counts(struct stat_session *session)
{
	const struct stat_options *options = session->options;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct count_table table = { 0 };

	make_table(session, &table);
	strbuf_puts(&text, "\n Performance counter stats for ");
	put_target_name(options, &text);
	strbuf_puts(&text, ":\n\n");
	count_text(&table, options->has_thousands, &text);
	put_times(session, &text);
	count_table_free(&table);
	if (fwrite(text.at, 1, text.n, session->out) != text.n ||
		fflush(session->out))
		return error_errno(errno, "cannot write %s",
			options->output ? options->output : "the counts");
	return NULL;
}

static struct error *run_stat(struct stat_session *session, int *status_ret)
{
	struct error *err = count_until_end(session);

	if (err) {
		*status_ret = session->workload.status;
		return err;
	}
	err = print_counts(session);
	if (!err && session->control.end == CONTROL_WORKLOAD)
		*status_ret = session->workload.status;
	return err;
}

static struct error *stat_session(
	const struct stat_options *options, int *status_ret)
{
	struct stat_session session = { .options = options };
	struct error *err = open_stat_output(&session);

	session.control.signal_fd = -1;
	if (!err)
		err = prepare_stat_target(&session, status_ret);
	if (!err)
		err = select_counted_events(&session);
	if (!err)
		err = counters_open(&session.counters, &opener_kernel,
			&session.selection, &session.target, options->cgroups);
	if (!err)
		err = run_stat(&session, status_ret);
	counters_close(&session.counters);
	control_deinit(&session.control);
	target_deinit(&session.target);
	workload_deinit(&session.workload);
	selection_deinit(&session.selection);
	pmus_deinit(&session.pmus);
	if (session.out && options->output)
		fclose(session.out);
	return err;
}

struct error *cmd_stat(int argc, char **argv, int *status_ret)
{
	struct stat_options options;
	struct error *err = stat_options_parse(argc, argv, &options);

	if (!err)
		err = stat_session(&options, status_ret);
	stat_options_deinit(&options);
	return err;
}
