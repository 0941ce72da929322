/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/control.h"
#include "record/event/offcpu_events.h"
#include "record/select_events.h"
#include "record/kernel_unwinding.h"
#include "record/kernel_waits.h"
#include "record/main_loop.h"
#include "record/open/event_fds.h"
#include "record/open/open.h"
#include "record/open/open_task.h"
#include "record/open/relocate.h"
#include "record/recording_stages.h"
#include "record/stream/attach_running.h"
#include "record/stream/file_head.h"
#include "record/stream/finish.h"
#include "record/stream/output.h"
#include "record/stream/packing.h"
#include "record/sys/clocks.h"
#include "record/sys/hotplug.h"
#include "record/sys/priority.h"
#include "record/sys/sysfile.h"

/*
 * Checks that run about once a second while recording: CPUs that go offline or
 * come online, lost sideband records, and the time of the BPF program. The
 * caller sets .options, .opened, .stages, .head, .bpf (all borrowed) and
 * .uevents, and zeroes the other members.
 */
struct periodic {
	const struct options *options;
	struct event_fds *opened;
	struct recording_stages *stages;
	struct features *head;	/* the file header, from file_head_describe() */
	int uevents;		/* descriptor from hotplug_open(); closed by
				   destroy_session() */
	struct bpf_unwind *bpf; /* or NULL */
	struct kernel_unwinding_watch watch;
	struct hotplug hotplug;
	bool has_lost_sideband;
	bool has_new_ids; /* event IDs that HEAD does not contain yet */
};

/* Reads /proc again, which replaces the lost sideband records. */
static void resync_processes(struct periodic *periodic)
{
	attach_running_resync(periodic->opened->target, periodic->stages->drain,
		periodic->stages->procs, clocks_now());
}

/*
 * Opens the events of the CPUs in BACK again. The drain thread is stopped
 * meanwhile, and the ring buffers hold the new records.
 */
static void reopen_cpus(struct periodic *periodic, const struct cpus *back)
{
	struct error *err = NULL;

	drain_stop(periodic->stages->drain);
	array_each(&back->list, cpu) {
		if (!err)
			err = open_cpu_again(periodic->opened, *cpu);
		if (!err)
			err = kernel_unwinding_connect_cpu(
				periodic->bpf, periodic->opened, *cpu);
		log_note("CPU %" PRIu32 " is online again", *cpu);
	}
	if (err)
		log_note("%s. This CPU is no longer recorded", err->text);
	error_free(err);
	err = drain_start(
		periodic->stages->drain, (int)periodic->options->realtime);
	if (err)
		log_error("%s. Further samples will be lost", err->text);
	error_free(err);
	periodic->has_new_ids = true;
	resync_processes(periodic);
}

static void check_cpus(struct periodic *periodic)
{
	const struct target *target = periodic->opened->target;
	struct hotplug_change change;
	struct cpus online = { 0 };

	sysfile_cpus_online(&online);
	if (hotplug_update(
		    &periodic->hotplug, &target->online, &online, &change)) {
		array_each(&change.gone.list, cpu)
			log_note("CPU %" PRIu32 " went offline. It is recorded "
				 "again when it returns",
				*cpu);
		array_each(&change.others.list, cpu)
			log_note("CPU %" PRIu32
				 " came online. It is not recorded, because it "
				 "was offline at the start",
				*cpu);
		if (change.back.list.n)
			reopen_cpus(periodic, &change.back);
	}
	hotplug_change_deinit(&change);
	cpus_deinit(&online);
}

/* Also detects a CPU that went offline and returned within a second. */
static void periodic_on_uevent(void *data)
{
	struct periodic *periodic = data;
	struct cpus online = { 0 }, left = { 0 };

	hotplug_take(periodic->uevents, &left);
	sysfile_cpus_online(&online);
	array_each(&left.list, cpu)
		if (cpus_has(&online, *cpu))
			hotplug_mark_offline(&periodic->hotplug,
				&periodic->opened->target->online, *cpu);
	if (left.list.n)
		check_cpus(periodic);
	cpus_deinit(&online);
	cpus_deinit(&left);
}

/*
 * Adds the event IDs of CPUs that are online again to .head. No other thread
 * may read .head during the call.
 */
static void periodic_add_ids(struct periodic *periodic)
{
	if (periodic->has_new_ids)
		file_head_add_ids(periodic->opened, periodic->head);
	periodic->has_new_ids = false;
}

/*
 * Checks for CPUs that went offline or came online, and for lost sideband
 * records. DATA is a struct periodic. Call this function about once a second.
 */
static void periodic_check(void *data)
{
	struct periodic *periodic = data;

	check_cpus(periodic);
	if (periodic->opened->selection->measures_waits) {
		_cleanup_strbuf_ struct strbuf waits = { 0 };

		kernel_waits_collect(periodic->bpf, &waits);
		drain_inject(periodic->stages->drain, &waits);
	}
	kernel_unwinding_watch(periodic->bpf, &periodic->watch);
	if (!output_files_is_switching(periodic->stages->files))
		periodic_add_ids(periodic);
	if (!losses_read(periodic->stages->losses))
		return;
	periodic->has_lost_sideband = true;
	resync_processes(periodic);
}

#define HELD_FILES_MAX 1024u

struct session {
	const struct options *options;
	struct pmus pmus;
	struct selection selection;
	struct workload workload;
	struct target target;
	struct control control;
	struct commands commands;
	struct event_fds opened;
	struct features head;
	struct sample_filter *filter;
	struct inherited_tasks
		*target_tasks; /* NULL: no event samples other processes */
	struct recording_stages stages;
	struct kallsyms kallsyms;
	struct periodic periodic;
	enum control_end end;
	struct bpf_unwind *bpf; /* owned; NULL: no BPF */
};

/* Returns .bpf if it measures waits, else NULL. */
static struct bpf_unwind *waits_of(const struct session *session)
{
	return session->selection.measures_waits ? session->bpf : NULL;
}

/*
 * Forks the command and resolves the target. The command is forked first, so
 * that it inherits none of the changes that the recorder makes to its own
 * priority, limits, signals and descriptors.
 */
static struct error *prepare_target(struct session *session, int *status_ret)
{
	const struct options *options = session->options;
	struct target_config config = options->target;
	struct error *err = NULL;

	if (options->command) {
		err = workload_find(options->command, status_ret);
		if (!err && options->sets_runtime_env)
			workload_set_runtime_env();
		if (!err)
			err = workload_fork(options->command,
				output_is_stream(options->output)
					? STDERR_FILENO
					: STDOUT_FILENO,
				NULL, &session->workload);
	}
	/*
	 * At normal priority, opening events next to 1,000 busy threads takes
	 * minutes.
	 */
	priority_raise(options->realtime ? PRIORITY_LOWEST : PRIORITY_OWN, -18);
	config.command = session->workload.pid;
	if (!err)
		err = target_resolve(&config, &session->target);
	if (!err)
		err = control_init(&session->control, &session->workload);
	return err;
}

/*
 * Returns how many sampled files can be held open: a quarter of the free
 * descriptors, because threads that start later need descriptors, too.
 */
static size_t spare_descriptors(const struct session *session)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		limit.rlim_cur <= session->opened.fds.n)
		return 0;
	return MIN(
		(limit.rlim_cur - session->opened.fds.n) / 4, HELD_FILES_MAX);
}

/* Lets the command exec: its process was forked before and waits. */
static struct error *start_workload(struct session *session)
{
	bool is_needed = relocate_is_needed(&session->selection);
	struct error *err =
		is_needed ? relocate_begin(session->workload.pid) : NULL;

	if (!session->options->schedule.starts_off)
		event_fds_enable_wide(&session->opened);
	if (!err)
		err = workload_go(&session->workload);
	if (err || !is_needed)
		return err;
	return relocate_finish(&session->selection, session->opened.fds.at,
		session->opened.fds.n, session->workload.pid,
		!session->options->schedule.starts_off);
}

static struct error *start_recording(struct session *session)
{
	bool is_command = session->target.kind == TARGET_COMMAND;
	struct error *err;

	recording_stages_add_kernel_state(&session->stages, session->options,
		&session->selection, &session->kallsyms);
	err = attach_running(&session->opened, session->stages.intake,
		session->stages.drain, session->stages.procs);
	file_head_add_ids(&session->opened, &session->head);
	if (!err)
		err = file_tracker_start(
			session->stages.tracker, spare_descriptors(session));
	if (!err)
		err = moved_code_start(session->stages.moved);
	if (err)
		return err;
	err = drain_start(
		session->stages.drain, (int)session->options->realtime);
	if (err)
		return err;
	if (session->options->excludes_self)
		event_fds_exclude_self(&session->opened);
	control_watch(&session->control, &session->target);
	err = kernel_waits_start(waits_of(session), session->options,
		&session->target, &session->kallsyms);
	if (err)
		return err;
	if (!is_command && !session->options->schedule.starts_off)
		event_fds_enable(&session->opened);
	return session->workload.pid ? start_workload(session) : NULL;
}

/* Stops sampling and writes all recorded samples. */
static struct error *stop_recording(struct session *session)
{
	_cleanup_strbuf_ struct strbuf waits = { 0 };
	struct error *err;

	/* The disabled events would not take the stacks of the last waits. */
	kernel_waits_stop(waits_of(session), &waits);
	event_fds_disable();
	drain_stop(session->stages.drain);
	if (session->options->is_overwritten)
		drain_snapshot(session->stages.drain);
	drain_empty(session->stages.drain);
	/* The stacks of these waits were in the ring buffers. */
	drain_inject(session->stages.drain, &waits);
	drain_empty(session->stages.drain);
	session->periodic.has_lost_sideband |=
		losses_read(session->stages.losses);
	/* The drain takes no further records. */
	moved_code_stop(session->stages.moved);
	drain_finish(session->stages.drain);
	file_tracker_stop(session->stages.tracker);
	queue_close(session->stages.queue);
	if (output_is_stream(session->options->output)) {
		/*
		 * The command must not run on when a second signal ends
		 * this process.
		 */
		workload_terminate(&session->workload);
		control_restore_signals();
	}
	err = blocks_join(session->stages.blocks);
	periodic_add_ids(&session->periodic);
	return err;
}

static struct error *finish_recording(
	struct session *session, struct error *err)
{
	struct error *closing = output_files_finish(
		session->stages.files, control_end_name(session->end));

	if (!err && !closing) {
		const struct finish_summary summary = {
			.runtimes = session->stages.runtimes,
			.losses = session->stages.losses,
			.unsampled_time = session->stages.unsampled_time,
			.intake = session->stages.intake,
			.size = output_files_size(session->stages.files),
			.n_files = output_files_count(session->stages.files),
			.path = output_files_name(session->stages.files),
			.stacks = output_files_stacks(session->stages.files),
			.selection = &session->selection,
			.sampled = session->stages.sampled,
			.by_frame_pointers = session->stages.batch ||
					session->options->keeps_stacks
				? NULL
				: session->stages.sampled,
			.has_lost_sideband =
				session->periodic.has_lost_sideband,
		};

		finish_report(&summary);
		if (session->stages.batch)
			batch_report(session->stages.batch);
		if (session->filter)
			log_note("--record-filter excluded %" PRIu64 " samples",
				sample_filter_n_rejected(session->filter));
		if (session->target_tasks)
			log_verbose("%" PRIu64
				    " samples of other processes were excluded",
				inherited_tasks_n_rejected(
					session->target_tasks));
	}
	/*
	 * The first error, ERR, is the cause of an error in closing the files.
	 */
	if (err)
		error_free(closing);
	else
		err = closing;
	if (err &&
		(err->errnum == ENOSPC || err->errnum == EFBIG ||
			err->errnum == EDQUOT))
		err = error_hint(err,
			"the recording ended there. The samples written before "
			"can be reported");
	if (err && err->errnum == EPIPE)
		err = error_hint(
			err, "the program that read the stream has ended");
	/*
	 * Add the name of the output file. The error for the next file of
	 * --switch-output already contains it.
	 */
	const char *name = output_files_name(session->stages.files);

	return err && strstr(err->text, name) ? err
					      : error_wrap(err, "%s", name);
}

static struct error *run_session(struct session *session, int *status_ret)
{
	struct error *err = start_recording(session);
	int status;

	if (err) {
		*status_ret = session->workload.status;
		/*
		 * Remove the output files of a recording that could not start.
		 */
		moved_code_stop(session->stages.moved);
		drain_stop(session->stages.drain);
		queue_close(session->stages.queue);
		error_free(blocks_join(session->stages.blocks));
		output_files_discard(session->stages.files);
		return err;
	}
	struct main_loop loop = {
		.options = session->options,
		.opened = &session->opened,
		.control = &session->control,
		.commands =
			session->options->control ? &session->commands : NULL,
		.blocks = session->stages.blocks,
		.drain = session->stages.drain,
		.files = session->stages.files,
		.on_second = periodic_check,
		.data = &session->periodic,
	};

	if (session->periodic.uevents >= 0)
		control_on_fd(&session->control, session->periodic.uevents,
			periodic_on_uevent, &session->periodic);
	session->end = main_loop_run(&loop);
	err = stop_recording(session);
	workload_terminate(&session->workload);
	err = finish_recording(session, err);
	/* Wait for the end of the command. */
	status = 0;
	if (session->workload.pid) {
		control_wait_workload(&session->control);
		status = session->end == CONTROL_WORKLOAD
			? session->workload.status
			: 0;
	}
	if (!err)
		*status_ret = status;
	return err;
}

/*
 * Returns the command that reports the recording, or NULL if there are no
 * samples or standard error is not a terminal. The caller owns the string.
 */
static char *find_next_command(const struct session *session)
{
	const struct options *options = session->options;
	const char *name = output_files_name(session->stages.files);
	struct strbuf command = { 0 };

	if (!isatty(STDERR_FILENO) || output_is_stream(options->output) ||
		!losses_sum(session->stages.losses).samples)
		return NULL;
	strbuf_printf(&command, "dwell report%s",
		options->has_off_cpu ? " --off-cpu" : "");
	if (!string_is(name, OPTIONS_OUTPUT_DEFAULT)) {
		strbuf_puts(&command, " -i ");
		escape_shell(&command, name);
	}
	return command.at;
}

static void destroy_session(struct session *session)
{
	kernel_waits_report(waits_of(session), session->stages.intake);
	if (session->selection.unwinds_in_kernel)
		kernel_unwinding_report(
			session->bpf, &session->opened, &session->stages);
	recording_stages_destroy(&session->stages);
	bpf_unwind_destroy(session->bpf);
	sample_filter_destroy(session->filter);
	inherited_tasks_destroy(session->target_tasks);
	features_deinit(&session->head);
	kallsyms_deinit(&session->kallsyms);
	event_fds_deinit(&session->opened);
	control_deinit(&session->control);
	commands_close(&session->commands);
	target_deinit(&session->target);
	struct periodic *periodic = &session->periodic;

	hotplug_deinit(&periodic->hotplug);
	if (periodic->uevents >= 0)
		close(periodic->uevents);
	workload_deinit(&session->workload);
	selection_deinit(&session->selection);
	pmus_deinit(&session->pmus);
}

/* Opens the events, and builds the stages of the recording. */
static struct error *prepare_session(
	struct session *session, int argc, char **argv, int *status_ret)
{
	const struct options *options = session->options;
	struct event_fds_config config = {
		.sample_size = options->ring_size,
		.has_all_cgroups = options->has_all_cgroups,
		.has_namespaces = options->has_namespaces,
		.has_switches = options->has_switches,
		/*
		 * perf needs the mappings of data to find the unwind rules of
		 * stack copies.
		 */
		.has_data =
			options->sample_fields.data || options->keeps_stacks,
		.has_copy_size = options->callgraph.copy_size,
	};
	struct error *err = sample_filter_create(
		(const char *const *)options->record_filters.at,
		options->record_filters.n, &session->filter);

	if (!err)
		err = prepare_target(session, status_ret);
	if (!err && options->control)
		err = commands_open(options->control, &session->commands);
	if (err)
		return err;
	pmus_read(NULL, &session->pmus);
	session->bpf = kernel_waits_choose(options, &session->target);
	session->selection.measures_waits = session->bpf;
	config.has_switches |= options->has_off_cpu && !session->bpf;
	err = select_events_add(options, &session->pmus, &session->selection);
	if (err)
		return err;
	select_events_set_sampling(
		options, session->target.kind, &session->selection);
	kernel_unwinding_choose(options, &session->selection, &session->bpf);
	session->periodic.bpf = session->bpf;
	err = open_start(&session->opened,
		session->selection.unwinds_in_kernel
			? bpf_unwind_opener(session->bpf, options->keeps_stacks)
			: &opener_kernel,
		&session->selection, &session->target, &config);
	if (!err)
		err = kernel_unwinding_connect(session->bpf, &session->opened);
	if (err)
		return err;
	offcpu_report(&session->selection);
	file_head_describe(&session->opened, &session->pmus, options->level,
		argc, argv, &session->head);
	/*
	 * Create .target_tasks, the set of tasks of the target, if an event is
	 * opened per CPU and therefore samples all processes.
	 */
	if (session->target.kind != TARGET_SYSTEM) {
		array_each(&session->selection.events, event)
			if (event->is_wide && !event->woken_at &&
				!event->is_wait && !session->target_tasks)
				session->target_tasks = inherited_tasks_create(
					&session->target);
	}
	const struct recording_stages_setup setup = {
		.options = session->options,
		.opened = &session->opened,
		.filter = session->filter,
		.target_tasks = session->target_tasks,
		.head = &session->head,
		.kallsyms = &session->kallsyms,
		.bpf = session->bpf,
	};

	err = recording_stages_build(&session->stages, &setup);
	if (err)
		output_files_discard(session->stages.files);
	return err;
}

/*
 * What is done after the end of a session, whose rings and BPF programs would
 * remain while dwell pack runs.
 */
struct follow_up {
	struct packing packing;
	char *next_command; /* suggested to the user; owned; or NULL */
};

static struct error *record_session(const struct options *options, int argc,
	char **argv, struct follow_up *then, int *status_ret)
{
	struct session session = { .options = options };
	struct error *err;

	session.periodic = (struct periodic){ .options = options,
		.opened = &session.opened,
		.stages = &session.stages,
		.head = &session.head,
		.uevents = hotplug_open() };
	session.control.signal_fd = -1;
	session.commands.fd = session.commands.ack_fd = -1;
	clocks_choose(options->clock);
	err = prepare_session(&session, argc, argv, status_ret);
	if (!err)
		err = run_session(&session, status_ret);
	if (!err) {
		then->next_command = find_next_command(&session);
		if (options->packs)
			packing_hold_files(&then->packing,
				session.stages.sampled,
				file_tracker_pins(session.stages.tracker));
	}
	destroy_session(&session);
	return err;
}

struct error *cmd_record(int argc, char **argv, int *status_ret)
{
	struct options options = { 0 };
	struct follow_up then = { 0 };
	struct error *err = options_parse_record(argc, argv, &options);

	if (!err)
		err = record_session(&options, argc, argv, &then, status_ret);
	if (!err && options.packs)
		packing_run(&then.packing, options.output);
	if (then.next_command)
		log_note("to show which functions used the time, type: %s",
			then.next_command);
	packing_deinit(&then.packing);
	free(then.next_command);
	options_deinit_record(&options);
	return err;
}
