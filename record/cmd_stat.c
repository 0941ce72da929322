/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <sys/resource.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/control.h"
#include "record/event/group.h"
#include "record/open/relocate.h"
#include "record/stat/counters.h"
#include "record/stat_print.h"

#define DEFAULT_EVENTS                                            \
	"task-clock,context-switches,cpu-migrations,page-faults," \
	"cycles,instructions,branches,branch-misses"

struct stat_session {
	const struct stat_options *options;
	struct stat_print print;
	struct pmus pmus;
	struct count_runs runs;
	struct fallback_state limits;
	/* Of the current run: */
	struct selection selection;
	struct workload workload;
	struct target target;
	struct control control;
	struct counters counters;
	uint64_t started_ns, ended_ns;
};

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

	if (options->events.texts.n)
		err = event_options_select(&options->events, options->command,
			&session->pmus, &session->selection);
	else if (!options->counts_nothing)
		err = add_default_events(&session->pmus, &session->selection);
	if (err)
		return err;
	selection_count(&session->selection, &sampling);
	groups_configure(&session->selection);
	if (!session->runs.elapsed_ns.n)
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
		.enabled_ns = (double)total.enabled,
		.running_ns = (double)total.running,
	};

	if (!session->counters.events.at[event].is_supported)
		row.state = COUNT_UNSUPPORTED;
	else if (!reading_is_counted(&total))
		row.state = COUNT_NONE;
	return row;
}

/* Adds the counts of this run to .runs. Prints the means if IS_LAST is true. */
static struct error *finish_run(struct stat_session *session, bool is_last)
{
	struct count_table table = { .elapsed_ns = (double)(session->ended_ns -
					     session->started_ns) };
	struct error *err = NULL;
	size_t i;

	for (i = 0; i < session->selection.events.n; i++)
		*array_push(&table.rows) = row_of(session, i);
	count_runs_take(&session->runs, &table);
	if (is_last)
		err = stat_print_counts(&session->print, &table, &session->runs,
			session->target.kind == TARGET_COMMAND
				? &session->workload.usage
				: NULL);
	count_table_free(&table);
	return err;
}

static struct error *open_counters(struct stat_session *session)
{
	const struct counters_plan plan = {
		.opener = &opener_kernel,
		.selection = &session->selection,
		.target = &session->target,
		.cgroups = session->options->cgroups,
		.limits = &session->limits,
	};

	return counters_open(&plan, &session->counters);
}

static struct error *run_once(
	struct stat_session *session, bool is_last, int *status_ret)
{
	struct error *err = prepare_stat_target(session, status_ret);

	if (!err)
		err = select_counted_events(session);
	if (!err)
		err = open_counters(session);
	if (err)
		return err;
	err = count_until_end(session);
	if (err)
		*status_ret = session->workload.status;
	if (!err)
		err = finish_run(session,
			is_last || session->control.end != CONTROL_WORKLOAD);
	if (!err && session->control.end == CONTROL_WORKLOAD)
		*status_ret = session->workload.status;
	return err;
}

/*
 * Frees what belongs to one run, and restores what the next command would
 * inherit: the signals and the limit of descriptors.
 */
static void end_run(struct stat_session *session, const struct rlimit *limit)
{
	counters_close(&session->counters);
	if (session->control.signal_fd >= 0)
		control_restore_all_signals(&session->control);
	control_deinit(&session->control);
	target_deinit(&session->target);
	workload_deinit(&session->workload);
	selection_deinit(&session->selection);
	setrlimit(RLIMIT_NOFILE, limit);
}

static struct error *run_all(struct stat_session *session, int *status_ret)
{
	enum control_end end = CONTROL_WORKLOAD;
	struct error *err = NULL;
	struct rlimit limit;
	uint64_t left;

	getrlimit(RLIMIT_NOFILE, &limit);
	for (left = session->options->n_runs;
		left && !err && end == CONTROL_WORKLOAD; left--) {
		session->selection = (struct selection){ 0 };
		session->workload = (struct workload){ 0 };
		session->target = (struct target){ 0 };
		session->control = (struct control){ .signal_fd = -1 };
		session->counters = (struct counters){ 0 };
		err = run_once(session, left == 1, status_ret);
		end = session->control.end;
		end_run(session, &limit);
	}
	return err;
}

struct error *cmd_stat(int argc, char **argv, int *status_ret)
{
	struct stat_options options;
	struct stat_session session = { .options = &options,
		.limits.counts = true };
	struct error *err = stat_options_parse(argc, argv, &options);

	if (!err)
		err = stat_print_open(&options, &session.print);
	if (!err) {
		pmus_read(NULL, &session.pmus);
		err = run_all(&session, status_ret);
	}
	stat_print_close(&session.print);
	count_runs_free(&session.runs);
	pmus_deinit(&session.pmus);
	stat_options_deinit(&options);
	return err;
}
