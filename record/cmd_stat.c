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
#include "record/sys/sysfile.h"

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
	ARRAY(struct count_place) places; /* empty: they have no rows */
	uint64_t started_ns, ended_ns;
	uint64_t interval_ns;  /* start of the current interval of -I */
	uint64_t n_intervals;  /* that were printed */
	struct error *failure; /* owned; of printing an interval */
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
		.starts_at_exec = kind == TARGET_COMMAND && !options->delay_ms,
	};
	struct error *err = NULL;

	if (options->events.texts.n)
		err = event_options_select(&options->events, options->command,
			&session->pmus, &session->selection);
	else if (!options->counts_nothing)
		err = add_default_events(&session->pmus, &session->selection);
	if (err)
		return err;
	/* A probe of a thread alone does not have to count on all CPUs. */
	array_each(&session->selection.events, event)
		if (options->by_thread && event->probed &&
			event->inherits == EVENT_CHOICE_DEFAULT)
			event->inherits = EVENT_CHOICE_NO;
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

/* Adds a row for EVENT, at its place with index INDEX or at all of them. */
static void add_count_row(const struct stat_session *session, size_t event,
	size_t index, struct count_table *table)
{
	const struct counters *counters = &session->counters;
	struct count_row *row = array_push(&table->rows);
	struct reading reading = { 0 };
	bool is_here = true;

	if (session->places.n)
		is_here = counters_at_place(counters, event, index, &reading);
	else
		reading = counters_total(counters, event);
	*row = (struct count_row){
		.event = &session->selection.events.at[event],
		.place = session->places.n ? &session->places.at[index] : NULL,
		.value = reading_estimate(&reading),
		.enabled_ns = (double)reading.enabled,
		.running_ns = (double)reading.running,
	};
	if (!counters->events.at[event].is_supported)
		row->state = COUNT_UNSUPPORTED;
	else if (!is_here)
		row->state = COUNT_ABSENT;
	else if (!reading_is_counted(&reading))
		row->state = COUNT_NONE;
}

/* Makes a table of what was counted from SINCE_NS until NOW_NS. */
static void make_count_table(const struct stat_session *session,
	uint64_t since_ns, uint64_t now_ns, struct count_table *ret)
{
	size_t event, place;

	*ret = (struct count_table){
		.n_places = MAX(session->places.n, (size_t)1),
		.is_interval = session->options->interval_ms,
		.elapsed_ns = (double)(now_ns - since_ns),
		.end_ns = (double)(now_ns - session->started_ns),
	};
	for (event = 0; event < session->selection.events.n; event++)
		for (place = 0; place < ret->n_places; place++)
			add_count_row(session, event, place, ret);
}

/* Prints what was counted since the last interval. */
static struct error *print_interval(struct stat_session *session, uint64_t now)
{
	struct count_table table;
	struct error *err;

	make_count_table(session, session->interval_ns, now, &table);
	err = stat_print_interval(
		&session->print, &table, !session->n_intervals++);
	count_table_free(&table);
	counters_mark(&session->counters);
	session->interval_ns = now;
	return err;
}

static uint64_t fire_count_interval(void *data, uint64_t now)
{
	struct stat_session *session = data;
	const struct stat_options *options = session->options;
	uint64_t every_ns = options->interval_ms * NSEC_PER_MSEC;

	counters_read(&session->counters);
	session->failure = print_interval(session, now);
	if (session->failure)
		control_stop(&session->control, CONTROL_FAILED);
	if (session->n_intervals == options->n_intervals)
		control_stop(&session->control, CONTROL_STOPPED);
	/* The times of the intervals do not drift. */
	return now + every_ns - (now - session->started_ns) % every_ns;
}

static uint64_t fire_timeout(void *data, uint64_t now _unused_)
{
	struct stat_session *session = data;

	control_stop(&session->control, CONTROL_DURATION);
	return CONTROL_NEVER;
}

/* Begins the times of the run: the events are enabled now. */
static void begin_counting(struct stat_session *session)
{
	const struct stat_options *options = session->options;

	session->started_ns = session->interval_ns = clock_now_ns();
	if (options->interval_ms)
		control_on_time(&session->control,
			session->started_ns +
				options->interval_ms * NSEC_PER_MSEC,
			fire_count_interval, session);
	if (options->timeout_ms)
		control_on_time(&session->control,
			session->started_ns +
				options->timeout_ms * NSEC_PER_MSEC,
			fire_timeout, session);
}

static uint64_t fire_count_delay(void *data, uint64_t now _unused_)
{
	counters_enable();
	begin_counting(data);
	return CONTROL_NEVER;
}

/* Enables the events, or schedules this for -D, and lets the command exec. */
static struct error *start_counting(struct stat_session *session)
{
	bool is_command = session->target.kind == TARGET_COMMAND;

	/* The number of timers must not change while timers fire. */
	control_on_time(
		&session->control, CONTROL_NEVER, fire_count_interval, session);
	control_on_time(
		&session->control, CONTROL_NEVER, fire_timeout, session);
	if (session->options->delay_ms)
		control_on_time(&session->control,
			clock_now_ns() +
				session->options->delay_ms * NSEC_PER_MSEC,
			fire_count_delay, session);
	else if (is_command)
		counters_enable_wide(&session->counters);
	else
		counters_enable();
	session->started_ns = 0;
	if (!session->options->delay_ms)
		begin_counting(session);
	return session->workload.pid ? start_counted_command(session) : NULL;
}

/* Ends the command, if it is running, and waits for it. */
static void end_command(struct stat_session *session)
{
	if (!session->workload.pid)
		return;
	workload_terminate(&session->workload);
	control_wait_workload(&session->control);
}

/*
 * Counts until the command or the target ends, a time is over or a signal
 * arrives. A command that is the target always ends before its events are read,
 * so that its counts are complete.
 */
static struct error *count_until_end(struct stat_session *session)
{
	struct error *err;

	control_watch(&session->control, &session->target);
	err = start_counting(session);
	if (err)
		return err;
	control_wait(&session->control);
	if (session->target.kind == TARGET_COMMAND)
		end_command(session);
	session->ended_ns = clock_now_ns();
	/* The command may end before the time of -D. */
	if (!session->started_ns)
		session->started_ns = session->interval_ns = session->ended_ns;
	counters_disable();
	counters_read(&session->counters);
	end_command(session);
	return session->failure;
}

/* Adds the counts of this run to .runs. Prints the means if IS_LAST is true. */
static struct error *finish_run(struct stat_session *session, bool is_last)
{
	struct count_table table;
	struct error *err = NULL;

	make_count_table(
		session, session->started_ns, session->ended_ns, &table);
	count_runs_take(&session->runs, &table);
	if (is_last)
		err = stat_print_counts(&session->print, &table, &session->runs,
			session->target.kind == TARGET_COMMAND
				? &session->workload.usage
				: NULL);
	count_table_free(&table);
	return err;
}

/* Prints the last interval, which is shorter, unless all are printed. */
static struct error *finish_intervals(struct stat_session *session)
{
	return session->control.end == CONTROL_STOPPED
		? NULL
		: print_interval(session, session->ended_ns);
}

static void add_thread_place(struct stat_session *session, pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", (int)tid);
	struct count_place *place = array_push(&session->places);

	place->cpu = -1;
	place->tid = tid;
	if (!sysfile_line(path, place->name, sizeof(place->name)))
		place->name[0] = '\0';
}

/* Lists the places that have rows of their own. */
static void list_places(struct stat_session *session)
{
	if (session->options->by_cpu)
		array_each(&session->target.sampled.list, cpu)
			array_push(&session->places)->cpu = (int)*cpu;
	if (session->options->by_thread)
		array_each(&session->counters.threads.list, tid)
			add_thread_place(session, *tid);
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

	struct error *err = counters_open(&plan, &session->counters);

	list_places(session);
	return err;
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
	if (!err && session->options->interval_ms)
		err = finish_intervals(session);
	else if (!err)
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
	array_free(&session->places);
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
