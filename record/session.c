/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/session.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "common/util/log.h"
#include "record/control.h"
#include "record/event/offcpu_events.h"
#include "record/main_loop.h"
#include "record/open/exclude_self.h"
#include "record/open/open.h"
#include "record/open/relocate.h"
#include "record/periodic.h"
#include "record/pipeline.h"
#include "record/select.h"
#include "record/stream/attach_running.h"
#include "record/stream/file_head.h"
#include "record/stream/finish.h"
#include "record/stream/output.h"
#include "record/stream/packing.h"
#include "record/synth_kernel.h"
#include "record/sys/clocks.h"
#include "record/sys/priority.h"
#include "record/sys/uevents.h"

#define KEPT_FILES_MAX 1024u

struct session {
	const struct options *options;
	struct pmus pmus;
	struct selection selection;
	struct workload workload;
	struct target target;
	struct control control;
	struct commands commands;
	struct opened opened;
	struct features head;
	struct sieve *sieve;
	struct kin *kin; /* NULL: no event sees strangers */
	struct pipeline pipe;
	struct kallsyms kallsyms;
	struct upkeep upkeep;
	enum control_end end;
};

/* Forks first of all, so that the command inherits nothing of ours. */
static struct error *prepare_target(struct session *session, int *status_ret)
{
	const struct options *options = session->options;
	struct target_wish wish = {
		.pids = options->pids,
		.tids = options->tids,
		.cpus = options->cpus,
		.name = options->name,
		.user = options->user,
		.is_waiting = options->is_waiting,
		.is_system_wide = options->is_system_wide || options->cgroups,
	};
	struct error *err = NULL;

	if (options->command) {
		err = workload_find(options->command, status_ret);
		if (!err)
			err = workload_fork(
				options->command,
				output_is_stream(options->output)
					? STDERR_FILENO
					: STDOUT_FILENO,
				&session->workload);
	}
	/* Beside a thousand busy threads it all takes minutes at theirs. */
	priority_raise(
		options->realtime ? PRIORITY_LOWEST : PRIORITY_OWN, -18);
	wish.command = session->workload.pid;
	if (!err)
		err = target_resolve(&wish, &session->target);
	if (!err)
		err = control_init(&session->control, &session->workload);
	return err;
}

/* Events of whole CPUs see everybody. */
static void find_kin(struct session *session)
{
	if (session->target.kind == TARGET_SYSTEM)
		return;
	array_each(&session->selection.events, event)
		if (event->is_wide && !event->woken_at && !session->kin)
			session->kin = kin_create(&session->target);
}

static struct error *build(struct session *session)
{
	const struct pipeline_setup setup = {
		.options = session->options,
		.opened = &session->opened,
		.sieve = session->sieve,
		.kin = session->kin,
		.head = &session->head,
		.kallsyms = &session->kallsyms,
	};

	return pipeline_build(&session->pipe, &setup);
}

/* Threads that start later need descriptors, too. */
static size_t spare_files(const struct session *session)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		limit.rlim_cur <= session->opened.fds.n)
		return 0;
	return MIN((limit.rlim_cur - session->opened.fds.n) / 4,
		KEPT_FILES_MAX);
}

/* Lets the command exec. */
static struct error *let_go(struct session *session)
{
	bool is_needed = relocate_is_needed(&session->selection);
	struct error *err =
		is_needed ? relocate_begin(session->workload.pid) : NULL;

	if (!session->options->schedule.starts_off)
		opened_enable_wide(&session->opened);
	if (!err)
		err = workload_go(&session->workload);
	if (err || !is_needed)
		return err;
	return relocate_finish(&session->opened, session->workload.pid,
		!session->options->schedule.starts_off);
}

static struct error *start(struct session *session)
{
	bool is_command = session->target.kind == TARGET_COMMAND;
	struct error *err;

	before_tell(session->options, &session->selection, &session->kallsyms,
		&session->pipe);
	err = attach(&session->opened, session->pipe.intake, session->pipe.drain,
		session->pipe.procs);
	head_add_ids(&session->opened, &session->head);
	if (!err)
		err = keeper_start(session->pipe.keeper, spare_files(session));
	if (err)
		return err;
	err = drain_start(session->pipe.drain, session->options->realtime);
	if (err)
		return err;
	if (session->options->leaves_itself_out)
		own_leave_out(&session->opened);
	control_watch(&session->control, &session->target);
	if (!is_command && !session->options->schedule.starts_off)
		opened_enable(&session->opened);
	return session->workload.pid ? let_go(session) : NULL;
}

static void wait_for_end(struct session *session)
{
	struct steering steering = {
		.options = session->options,
		.opened = &session->opened,
		.control = &session->control,
		.commands = session->options->control ? &session->commands
						      : NULL,
		.blocks = session->pipe.blocks,
		.drain = session->pipe.drain,
		.files = session->pipe.files,
		.on_second = upkeep_look,
		.data = &session->upkeep,
	};

	if (session->upkeep.uevents >= 0)
		control_on_fd(&session->control, session->upkeep.uevents,
			upkeep_hear, &session->upkeep);
	session->end = steer(&steering);
}

/* Stops sampling and gets everything that was sampled onto the disk. */
static struct error *stop(struct session *session)
{
	struct error *err;

	opened_disable();
	drain_stop(session->pipe.drain);
	if (session->options->is_overwritten)
		drain_snapshot(session->pipe.drain);
	drain_empty(session->pipe.drain);
	session->upkeep.has_lost_sideband |= losses_read(session->pipe.losses);
	drain_finish(session->pipe.drain);
	keeper_stop(session->pipe.keeper);
	queue_close(session->pipe.queue);
	if (output_is_stream(session->options->output)) {
		/* It must not go on when a second signal ends us. */
		workload_terminate(&session->workload);
		control_let_go();
	}
	err = blocks_join(session->pipe.blocks);
	upkeep_add_ids(&session->upkeep);
	return err;
}

/* Nothing was sampled: takes back what was begun. */
static void abandon(struct session *session)
{
	drain_stop(session->pipe.drain);
	queue_close(session->pipe.queue);
	error_free(blocks_join(session->pipe.blocks));
	files_discard(session->pipe.files);
}

static bool is_full(int errnum)
{
	return errnum == ENOSPC || errnum == EFBIG || errnum == EDQUOT;
}

static void tell(const struct session *session)
{
	const struct summary summary = {
		.losses = session->pipe.losses,
		.intake = session->pipe.intake,
		.size = files_size(session->pipe.files),
		.n_files = files_count(session->pipe.files),
		.path = files_name(session->pipe.files),
		.stacks = files_stacks(session->pipe.files),
		.has_lost_sideband = session->upkeep.has_lost_sideband,
	};

	finish_tell(&summary);
	if (session->pipe.batch)
		batch_tell(session->pipe.batch);
	if (session->sieve)
		log_note("--record-filter left out %" PRIu64 " samples",
			sieve_count(session->sieve));
	if (session->kin)
		log_verbose("%" PRIu64 " samples of others were left out",
			kin_count(session->kin));
}

static struct error *finish(struct session *session, struct error *err)
{
	struct error *closing = files_finish(
		session->pipe.files, control_end_name(session->end));

	if (!err && !closing)
		tell(session);
	/* The first one is what the user has to know. */
	if (err)
		error_free(closing);
	else
		err = closing;
	if (err && is_full(err->errnum))
		err = error_hint(err, "recording stopped there; what was "
				      "written before is kept");
	if (err && err->errnum == EPIPE)
		err = error_hint(err, "whoever read it has ended");
	return error_wrap(err, "%s", files_name(session->pipe.files));
}

/*
 * The command ends with the recording, however that came about. Its status
 * tells something only if it ended by itself.
 */
static int end_workload(struct session *session)
{
	if (!session->workload.pid)
		return 0;
	control_wait_workload(&session->control);
	return session->end == CONTROL_WORKLOAD ? session->workload.status : 0;
}

static struct error *run(struct session *session, int *status_ret)
{
	struct error *err = start(session);
	int status;

	if (err) {
		*status_ret = session->workload.status;
		abandon(session);
		return err;
	}
	wait_for_end(session);
	err = stop(session);
	workload_terminate(&session->workload);
	err = finish(session, err);
	status = end_workload(session);
	if (!err)
		*status_ret = status;
	return err;
}

static void clean_up(struct session *session)
{
	pipeline_destroy(&session->pipe);
	sieve_destroy(session->sieve);
	kin_destroy(session->kin);
	features_deinit(&session->head);
	kallsyms_deinit(&session->kallsyms);
	opened_deinit(&session->opened);
	control_deinit(&session->control);
	commands_close(&session->commands);
	target_deinit(&session->target);
	upkeep_deinit(&session->upkeep);
	workload_deinit(&session->workload);
	selection_deinit(&session->selection);
	pmus_deinit(&session->pmus);
}

struct error *session_record(const struct options *options, int argc,
	char **argv, int *status_ret)
{
	struct session session = { .options = options };
	struct open_wish wish = {
		.sample_size = options->ring_size,
		.cgroups = options->cgroups,
		.has_all_cgroups = options->has_all_cgroups,
		.has_namespaces = options->has_namespaces,
		.has_switches = options->has_switches || options->has_off_cpu,
		/* perf reads rules only where a mapping shows them. */
		.has_data = options->carried.data || options->keeps_stacks,
		.has_dump_size = options->callgraph.dump_size,
	};
	struct packing packing = { 0 };
	struct error *err;

	session.upkeep = (struct upkeep){ .options = options,
		.opened = &session.opened,
		.pipe = &session.pipe,
		.head = &session.head,
		.uevents = uevents_open() };
	session.control.signal_fd = -1;
	session.commands.fd = session.commands.ack_fd = -1;
	clocks_choose(options->clock);
	err = sieve_create((const char *const *)options->record_filters.at,
		options->record_filters.n, &session.sieve);
	if (!err)
		err = prepare_target(&session, status_ret);
	if (!err && options->control)
		err = commands_open(options->control, &session.commands);
	pmus_read(NULL, &session.pmus);
	if (!err)
		err = select_events(options, &session.pmus, &session.selection);
	if (!err) {
		select_sampling(options, session.target.kind,
			&session.selection);
		err = open_start(&session.opened, &opener_kernel,
			&session.selection, &session.target, &wish);
	}
	if (!err) {
		offcpu_tell(&session.selection);
		head_describe(&session.opened, &session.pmus, options->level,
			argc, argv, &session.head);
		find_kin(&session);
		err = build(&session);
		if (err)
			files_discard(session.pipe.files);
	}
	if (!err)
		err = run(&session, status_ret);
	if (!err && options->packs)
		packing_keep(&packing, session.pipe.hits,
			keeper_pins(session.pipe.keeper));
	clean_up(&session);
	if (!err && options->packs)
		packing_run(&packing, options->output);
	packing_deinit(&packing);
	return err;
}
