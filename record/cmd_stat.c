/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <sys/resource.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/commands.h"
#include "record/control.h"
#include "record/event/group.h"
#include "record/open/relocate.h"
#include "record/open/target.h"
#include "record/stat/count_places.h"
#include "record/stat_options.h"
#include "record/stat_print.h"
#include "record/synth/cgroups.h"

#define DEFAULT_EVENTS                                            \
	"task-clock,context-switches,cpu-migrations,page-faults," \
	"cycles,instructions,branches,branch-misses"

/* The events that -d, -dd and -ddd add, as in perf. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Returns whether a core PMU of this machine has the named event NAME. */
static bool has_core_event(const struct pmus *pmus, const char *name)
{
	_cleanup_strbuf_ struct strbuf terms = { 0 };

	array_each(&pmus->list, pmu)
		if (pmu->is_core && pmu_event(pmus, pmu, name, &terms))
			return true;
	return false;
}

/*
 * Adds the events to RET, configured for a target of KIND: all events for each
 * control group of GROUPS, if there are any.
 */
static struct error *stat_events_select(const struct stat_options *options,
	enum target_kind kind, const struct pmus *pmus,
	const struct cgroup_names *groups, struct selection *ret)
{
	const struct selection_sampling sampling = {
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
		.is_cpu_wide = kind == TARGET_SYSTEM,
		.inherits = kind != TARGET_SYSTEM && !options->has_no_inherit,
		.starts_at_exec = kind == TARGET_COMMAND && !options->delay_ms,
	};
	struct error *err = NULL;
	size_t i;

	if (options->events.texts.n)
		err = event_options_select(
			&options->events, options->command, pmus, ret);
	else if (!options->counts_nothing) {
		static const char *const optional[] = {
			"stalled-cycles-frontend", "stalled-cycles-backend"
		};
		err = event_select(ret, DEFAULT_EVENTS, pmus);

		for (i = 0; i < ARRAY_SIZE(optional) && !err; i++)
			if (has_core_event(pmus, optional[i]))
				err = event_select(ret, optional[i], pmus);
	}
	for (i = 0; i < MIN(options->detail, ARRAY_SIZE(details)) && !err &&
		!options->counts_nothing;
		i++)
		err = event_select(ret, details[i], pmus);
	if (!err)
		err = event_options_set_cgroups(&options->events, ret);
	if (err)
		return err;
	if (groups->list.n) {
		/*
		 * Replace the events by one copy of all events for each control
		 * group.
		 */
		struct selection all = *ret;
		uint32_t n_groups = 0, shift = 0;

		memset(&all.events, 0, sizeof(all.events));
		array_each(&ret->events, event)
			n_groups = MAX(n_groups, event->group);
		array_each(&groups->list, name) {
			array_each(&ret->events, event) {
				struct selection_event *copy =
					array_push(&all.events);

				selection_event_copy(event, copy);
				copy->cgroup = xstrdup(*name);
				copy->group += copy->group ? shift : 0;
			}
			shift += n_groups;
		}
		selection_deinit(ret);
		*ret = all;
	}
	/* Only a probe of a thread alone does not count on all CPUs. */
	array_each(&ret->events, event)
		if (options->by == COUNT_BY_THREAD && event->probed)
			event->inherits = SELECTION_CHOICE_NO;
	selection_count(ret, &sampling);
	groups_configure(ret);
	return NULL;
}

struct stat_session {
	const struct stat_options *options;
	struct stat_print print;
	struct pmus pmus;
	struct cgroup_names groups; /* of --for-each-cgroup, for all runs */
	struct count_runs runs;
	struct open_fallback limits;
	sigset_t mask;		  /* the blocked signals of each command */
	struct commands commands; /* of --control */
	/* Of the current run: */
	struct selection selection;
	struct workload workload;
	struct target target;
	struct control control;
	struct counters counters;
	struct count_places places;
	uint64_t started_ns, ended_ns;
	uint64_t interval_ns;  /* start of the current interval of -I */
	uint64_t n_intervals;  /* that have ended in time */
	bool has_printed;      /* an interval */
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
	struct target_config config = options->target;
	struct error *err = NULL;

	if (options->command) {
		err = workload_find(options->command, status_ret);
		if (!err)
			err = workload_fork(options->command, STDOUT_FILENO,
				&session->mask, &session->workload);
	}
	config.command = session->workload.pid;
	if (!err)
		err = target_resolve(&config, &session->target);
	if (!err)
		err = control_init(&session->control, &session->workload);
	return err;
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
		session->counters.fds.n, session->workload.pid,
		!session->options->delay_ms);
}

/* Makes a table of what was counted from SINCE_NS until NOW_NS. */
static void make_count_table(const struct stat_session *session,
	uint64_t since_ns, uint64_t now_ns, struct count_table *ret)
{
	*ret = (struct count_table){
		.is_interval = session->options->interval_ms,
		.has_cgroups = session->options->target.has_cgroups,
		.elapsed_ns = (double)(now_ns - since_ns),
		.end_ns = (double)(now_ns - session->started_ns),
	};
	count_places_fill(&session->places, &session->counters, ret);
}

/* Prints what was counted since the last interval. */
static struct error *print_interval(struct stat_session *session, uint64_t now)
{
	struct count_table table;
	struct error *err;

	make_count_table(session, session->interval_ns, now, &table);
	err = stat_print_interval(
		&session->print, &table, !session->has_printed);
	session->has_printed = true;
	count_table_free(&table);
	counters_mark(&session->counters);
	session->interval_ns = now;
	return err;
}

static void end_interval(struct stat_session *session, uint64_t now)
{
	if (session->failure)
		return;
	counters_read(&session->counters);
	session->failure = print_interval(session, now);
	if (session->failure)
		control_stop(&session->control, CONTROL_FAILED);
}

static uint64_t fire_count_interval(void *data, uint64_t now)
{
	struct stat_session *session = data;
	const struct stat_options *options = session->options;
	uint64_t every_ns = options->interval_ms * NSEC_PER_MSEC;

	end_interval(session, now);
	if (++session->n_intervals == options->n_intervals)
		control_stop(&session->control, CONTROL_STOPPED);
	/* The times of the intervals do not drift. */
	return now + every_ns - (now - session->started_ns) % every_ns;
}

/* The last interval may have ended at the same time. */
static uint64_t fire_timeout(void *data, uint64_t now)
{
	struct stat_session *session = data;

	control_stop(&session->control,
		session->interval_ns == now ? CONTROL_STOPPED
					    : CONTROL_DURATION);
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
	struct stat_session *session = data;

	counters_enable();
	/* A command of --control may have enabled the events before. */
	if (!session->started_ns)
		begin_counting(session);
	return CONTROL_NEVER;
}

/* Enables or disables the event NAME, or all events if NAME is empty. */
static void switch_counted(
	struct stat_session *session, const char *name, bool is_on)
{
	const struct selection *selection = &session->selection;
	bool is_found = !*name;
	uint32_t i;

	if (!*name && is_on)
		counters_enable();
	else if (!*name)
		counters_disable();
	for (i = 0; i < selection->events.n && *name; i++) {
		if (!string_is(selection->events.at[i].name, name))
			continue;
		counters_switch(&session->counters, i, is_on);
		is_found = true;
	}
	if (!is_found) {
		log_note("--control: ignored command for unknown event '%s'. "
			 "The command evlist lists the events",
			name);
		return;
	}
	if (session->started_ns && session->options->interval_ms)
		end_interval(session, clock_now_ns());
	else if (!session->started_ns && is_on)
		begin_counting(session);
}

static void execute_stat_command(
	void *data, enum command_kind kind, const char *words)
{
	struct stat_session *session = data;

	switch (kind) {
	case COMMAND_ENABLE:
	case COMMAND_DISABLE:
		switch_counted(session, words, kind == COMMAND_ENABLE);
		break;
	case COMMAND_EVLIST:
		stat_print_events(
			&session->selection, words, &session->commands);
		break;
	/* Unlike CONTROL_STOPPED: the last interval is printed. */
	case COMMAND_STOP:
		control_stop(&session->control, CONTROL_DURATION);
		break;
	case COMMAND_SNAPSHOT:
	case COMMAND_PING: break;
	}
}

static void take_stat_commands(void *data)
{
	struct stat_session *session = data;

	if (!commands_take(&session->commands, execute_stat_command, session))
		control_forget_fd(&session->control, session->commands.fd);
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
 * so that its counts are complete. Sets STATUS_RET if the command cannot start.
 */
static struct error *count_until_end(
	struct stat_session *session, int *status_ret)
{
	struct error *err;

	control_watch(&session->control, &session->target);
	/*
	 * Enable the events, or schedule this for -D, and let the command
	 * exec.
	 */
	bool is_command = session->target.kind == TARGET_COMMAND;
	uint64_t delay_ms = session->options->delay_ms;

	/* The number of timers must not change while timers fire. */
	control_on_time(
		&session->control, CONTROL_NEVER, fire_count_interval, session);
	control_on_time(
		&session->control, CONTROL_NEVER, fire_timeout, session);
	if (session->options->control)
		control_on_fd(&session->control, session->commands.fd,
			take_stat_commands, session);
	if (delay_ms && delay_ms != STAT_DELAY_FOREVER)
		control_on_time(&session->control,
			clock_now_ns() + delay_ms * NSEC_PER_MSEC,
			fire_count_delay, session);
	else if (!delay_ms && is_command)
		counters_enable_wide(&session->counters);
	else if (!delay_ms)
		counters_enable();
	session->started_ns = 0;
	if (!delay_ms || delay_ms == STAT_DELAY_FOREVER)
		begin_counting(session);
	err = session->workload.pid ? start_counted_command(session) : NULL;
	if (err) {
		*status_ret = session->workload.status;
		/* Does not wait: a signal may have stopped the command. */
		workload_terminate(&session->workload);
		return err;
	}
	control_wait(&session->control);
	if (session->target.kind == TARGET_COMMAND) {
		/* The command may handle Ctrl-C: a second one ends it. */
		if (session->control.has_typed_interrupt)
			control_wait_workload(&session->control);
		end_command(session);
	}
	session->ended_ns = clock_now_ns();
	/* The command may end before the time of -D. */
	if (!session->started_ns)
		session->started_ns = session->interval_ns = session->ended_ns;
	counters_disable();
	counters_read(&session->counters);
	end_command(session);
	return session->failure;
}

static struct error *run_once(
	struct stat_session *session, bool is_last, int *status_ret)
{
	struct error *err;

	if (session->options->syncs)
		sync();
	err = prepare_stat_target(session, status_ret);
	if (!err)
		err = stat_events_select(session->options, session->target.kind,
			&session->pmus, &session->groups, &session->selection);
	if (!err) {
		const struct counters_plan plan = {
			.opener = &opener_kernel,
			.selection = &session->selection,
			.target = &session->target,
			.limits = &session->limits,
		};
		err = counters_open(&plan, &session->counters);

		count_places_list(&session->counters, "", session->options->by,
			&session->places);
	}
	/* A file is not truncated before the events are known to be valid. */
	if (!err && !session->print.is_open)
		err = stat_print_open(session->options, &session->print);
	if (err)
		return err;
	if (session->options->has_no_target)
		log_note("counting the whole system%s. To count a command: "
			 "dwell stat -- COMMAND",
			session->options->timeout_ms ? "" : " until Ctrl-C");
	array_each(&session->selection.events, event)
		if (!session->runs.elapsed_ns.n && event->is_wide &&
			session->target.kind != TARGET_SYSTEM) {
			log_note(
				"%s: counts all processes that run this code. "
				"The kernel cannot limit a probe to the target "
				"and its new threads. To count only existing "
				"threads: -i",
				event->name);
			break;
		}
	err = count_until_end(session, status_ret);
	/* A signal may also arrive just after the end of a command. */
	if (!is_last && control_take_signals(&session->control))
		session->control.end = CONTROL_INTERRUPTED;
	is_last |= session->control.end != CONTROL_WORKLOAD;
	/* Print the last interval, which is shorter, unless all are printed. */
	if (!err && session->options->interval_ms)
		err = session->control.end == CONTROL_STOPPED
			? NULL
			: print_interval(session, session->ended_ns);
	else if (!err) {
		/*
		 * Add the counts of this run to .runs. Print the means if
		 * IS_LAST is true.
		 */
		struct count_table table;

		make_count_table(session, session->started_ns,
			session->ended_ns, &table);
		err = count_runs_take(&session->runs, &table);
		if (!err && is_last)
			err = stat_print_counts(&session->print, &table,
				&session->runs,
				session->target.kind == TARGET_COMMAND
					? &session->workload.usage
					: NULL);
		count_table_free(&table);
	}
	if (!err && session->control.end == CONTROL_WORKLOAD)
		*status_ret = session->workload.status;
	return err;
}

static struct error *run_all(struct stat_session *session, int *status_ret)
{
	enum control_end end = CONTROL_WORKLOAD;
	struct error *err = NULL;
	struct rlimit limit;
	uint64_t left;

	getrlimit(RLIMIT_NOFILE, &limit);
	sigprocmask(SIG_BLOCK, NULL, &session->mask);
	for (left = session->options->n_runs;
		left && !err && end == CONTROL_WORKLOAD; left--) {
		session->selection = (struct selection){ 0 };
		session->workload = (struct workload){ 0 };
		session->target = (struct target){ 0 };
		session->control = (struct control){ .signal_fd = -1 };
		session->counters = (struct counters){ 0 };
		err = run_once(session, left == 1, status_ret);
		end = session->control.end;
		/*
		 * Free what belongs to one run, and restore what the next
		 * command would inherit: the actions of signals and the limit
		 * of descriptors. The signals stay blocked, so that one between
		 * two runs ends the next run, unless that run first waits for
		 * its target.
		 */
		counters_close(&session->counters);
		if (session->control.signal_fd >= 0)
			control_restore_actions(&session->control);
		if (session->options->target.is_waiting)
			sigprocmask(SIG_SETMASK, &session->mask, NULL);
		control_deinit(&session->control);
		target_deinit(&session->target);
		workload_deinit(&session->workload);
		selection_deinit(&session->selection);
		count_places_free(&session->places);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return err;
}

struct error *cmd_stat(int argc, char **argv, int *status_ret)
{
	struct stat_options options;
	struct stat_session session = { .options = &options,
		.limits.counts = true,
		.commands = { .fd = -1, .ack_fd = -1 } };
	struct error *err = stat_options_parse(argc, argv, &options);

	if (!err && options.control)
		err = commands_open(options.control, &session.commands);
	if (!err && options.each_cgroup)
		err = cgroup_names_list(options.each_cgroup, &session.groups);
	if (!err) {
		pmus_read(NULL, &session.pmus);
		err = run_all(&session, status_ret);
	}
	commands_close(&session.commands);
	stat_print_close(&session.print);
	count_runs_free(&session.runs);
	cgroup_names_free(&session.groups);
	pmus_deinit(&session.pmus);
	stat_options_deinit(&options);
	return err;
}
