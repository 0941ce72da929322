/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/main_loop.h"

#include <stdio.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/open/event_fds.h"

/*
 * After events were enabled or disabled, this is repeated with delays of 1, 10,
 * 100 and 1000 ms.
 */
#define REPEAT_FIRST_NS NSEC_PER_MSEC
#define REPEAT_LAST_NS NSEC_PER_SEC
#define REPEAT_FACTOR 10

static uint64_t fire_every_second(void *data, uint64_t now)
{
	struct main_loop *loop = data;

	loop->on_second(loop->data);
	return now + NSEC_PER_SEC;
}

static uint64_t fire_duration(void *data, uint64_t now)
{
	struct main_loop *loop = data;

	(void)now;
	control_stop(loop->control, CONTROL_DURATION);
	return CONTROL_NEVER;
}

static uint64_t time_of_next_step(const struct main_loop *loop)
{
	const struct schedule *schedule = &loop->options->schedule;

	if (loop->step >= schedule->steps.n)
		return CONTROL_NEVER;
	return loop->started + schedule->steps.at[loop->step].after_ns;
}

static uint64_t fire_repetition(void *data, uint64_t now)
{
	struct main_loop *loop = data;
	uint64_t delay = loop->repeat_ns;

	event_fds_switch_again(loop->opened);
	loop->repeat_ns *= REPEAT_FACTOR;
	return delay < REPEAT_LAST_NS ? now + loop->repeat_ns : CONTROL_NEVER;
}

/*
 * Schedules repetitions of enabling or disabling events: an ioctl(2) of an
 * event does not reach a thread that is preempted at this moment.
 */
static void start_repetitions(struct main_loop *loop)
{
	if (event_fds_are_cpu_wide(loop->opened))
		return;
	loop->repeat_ns = REPEAT_FIRST_NS;
	control_on_time(loop->control, clock_now_ns() + loop->repeat_ns,
		fire_repetition, loop);
}

static void switch_events(struct main_loop *loop, uint32_t event, bool is_on)
{
	event_fds_switch(loop->opened, event, is_on);
	start_repetitions(loop);
}

static uint64_t fire_step(void *data, uint64_t now)
{
	struct main_loop *loop = data;
	const struct schedule *schedule = &loop->options->schedule;
	bool is_on = schedule->steps.at[loop->step++].is_on;

	(void)now;
	switch_events(loop, EVENT_FDS_ALL, is_on);
	log_verbose(is_on ? "sampling" : "not sampling");
	if (loop->step == schedule->steps.n && schedule_ends(schedule))
		control_stop(loop->control, CONTROL_RANGES);
	return time_of_next_step(loop);
}

/*
 * With --overwrite, reads the samples in the ring buffers. With
 * --switch-output, starts the next file; the losses until now are read first,
 * because they belong to the file that ends.
 */
static void take_snapshot(void *data)
{
	struct main_loop *loop = data;
	const struct options *options = loop->options;

	if (options->is_overwritten)
		drain_snapshot(loop->drain);
	if (options->rotation.has_many) {
		loop->on_second(loop->data);
		output_files_request_switch(loop->files);
	}
	if (!options->is_overwritten && !options->rotation.has_many)
		log_note("ignored the snapshot command: it needs --overwrite "
			 "or --switch-output");
}

static uint64_t fire_interval(void *data, uint64_t now)
{
	struct main_loop *loop = data;

	take_snapshot(loop);
	return now + loop->options->rotation.interval_ns;
}

static void take_writer_notice(void *data)
{
	struct main_loop *loop = data;
	unsigned notice = blocks_take_notice(loop->blocks);

	if (notice & BLOCKS_FAILED)
		control_stop(loop->control, CONTROL_FAILED);
	if (notice & BLOCKS_LARGE)
		take_snapshot(loop);
	if (notice & BLOCKS_FULL)
		control_stop(loop->control, CONTROL_SIZE);
}

static void execute_command(
	void *data, enum command_kind kind, const char *words)
{
	struct main_loop *loop = data;

	switch (kind) {
	case COMMAND_ENABLE:
	case COMMAND_DISABLE: {
		bool is_on = kind == COMMAND_ENABLE;
		const struct selection *selection = loop->opened->selection;
		bool is_found = false;
		uint32_t i;

		if (!*words)
			switch_events(loop, EVENT_FDS_ALL, is_on);
		for (i = 0; i < selection->events.n && *words; i++) {
			if (!string_is(selection->events.at[i].name, words))
				continue;
			switch_events(loop, i, is_on);
			is_found = true;
		}
		if (*words && !is_found)
			log_note(
				"--control: ignored command for unknown event '%s'. "
				"The command evlist lists the events",
				words);
		else
			log_verbose("%s %s", *words ? words : "events",
				is_on ? "enabled" : "disabled");
	} break;
	case COMMAND_EVLIST: {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		/* Also with -q: the events are the reply, not a message. */
		event_fds_print(loop->opened->selection,
			&loop->opened->sideband_attr, words, &text);
		if (commands_take_reply(loop->commands, text.n))
			fputs(text.at, stderr);
		break;
	}
	case COMMAND_STOP: control_stop(loop->control, CONTROL_STOPPED); break;
	case COMMAND_SNAPSHOT: take_snapshot(loop); break;
	case COMMAND_PING: break;
	}
}

static void take_commands(void *data)
{
	struct main_loop *loop = data;

	if (!commands_take(loop->commands, execute_command, loop))
		control_forget_fd(loop->control, loop->commands->fd);
}

enum control_end main_loop_run(struct main_loop *loop)
{
	const struct options *options = loop->options;
	struct control *control = loop->control;

	loop->started = clock_now_ns();
	/*
	 * Register the timer of repetitions before control_wait(): the number
	 * of timers must not change while timers fire.
	 */
	control_on_time(control, CONTROL_NEVER, fire_repetition, loop);
	if (!options->command && !options->schedule.starts_off)
		start_repetitions(loop);
	control_on_time(
		control, loop->started + NSEC_PER_SEC, fire_every_second, loop);
	if (options->duration_ns)
		control_on_time(control, loop->started + options->duration_ns,
			fire_duration, loop);
	control_on_time(control, time_of_next_step(loop), fire_step, loop);
	if (options->rotation.interval_ns)
		control_on_time(control,
			loop->started + options->rotation.interval_ns,
			fire_interval, loop);
	if (options->rotation.has_many || options->is_overwritten)
		control_on_usr2(control, take_snapshot, loop);
	control_on_fd(control, blocks_notice_fd(loop->blocks),
		take_writer_notice, loop);
	if (loop->commands)
		control_on_fd(control, loop->commands->fd, take_commands, loop);
	/*
	 * Print how to end the recording if no option or command ends it: on a
	 * terminal, and for the whole system, which may not be what the user
	 * expects.
	 */
	bool is_whole = options->target.is_system_wide &&
		!options->target.cpus && !options->target.has_cgroups;

	if ((is_whole || isatty(STDERR_FILENO)) && !options->command &&
		!options->duration_ns && !options->max_size &&
		!schedule_ends(&options->schedule))
		log_note("recording%s. Press Ctrl-C to stop",
			is_whole ? " the whole system" : "");
	control_wait(control);
	/*
	 * SIGUSR2 can still arrive while the recorder waits for the end of the
	 * command. Ignore it.
	 */
	control_on_usr2(control, NULL, NULL);
	return control->end;
}
