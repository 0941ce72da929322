/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/main_loop.h"

#include <stdio.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/open/evlist.h"

/* When events are switched again: 1, 10, 100 and 1000 ms after a change. */
#define AGAIN_FIRST_NS NSEC_PER_MSEC
#define AGAIN_LAST_NS NSEC_PER_SEC
#define AGAIN_FACTOR 10

static uint64_t fire_second(void *data, uint64_t now)
{
	struct steering *steering = data;

	steering->on_second(steering->data);
	return now + NSEC_PER_SEC;
}

static uint64_t fire_duration(void *data, uint64_t now)
{
	struct steering *steering = data;

	(void)now;
	control_stop(steering->control, CONTROL_DURATION);
	return CONTROL_NEVER;
}

static uint64_t time_of_step(const struct steering *steering)
{
	const struct schedule *schedule = &steering->options->schedule;

	if (steering->step >= schedule->steps.n)
		return CONTROL_NEVER;
	return steering->started +
		schedule->steps.at[steering->step].after_ns;
}

static uint64_t fire_again(void *data, uint64_t now)
{
	struct steering *steering = data;
	uint64_t delay = steering->again_ns;

	opened_switch_again(steering->opened);
	steering->again_ns *= AGAIN_FACTOR;
	return delay < AGAIN_LAST_NS ? now + steering->again_ns : CONTROL_NEVER;
}

/* After each change, at once and when whoever was preempted has run again. */
static void switch_again_soon(struct steering *steering)
{
	if (opened_is_cpu_wide(steering->opened))
		return;
	steering->again_ns = AGAIN_FIRST_NS;
	control_on_time(steering->control, clock_now_ns() + steering->again_ns,
		fire_again, steering);
}

static void switch_events(struct steering *steering, uint32_t event, bool is_on)
{
	opened_switch(steering->opened, event, is_on);
	switch_again_soon(steering);
}

static uint64_t fire_step(void *data, uint64_t now)
{
	struct steering *steering = data;
	const struct schedule *schedule = &steering->options->schedule;
	bool is_on = schedule->steps.at[steering->step++].is_on;

	(void)now;
	switch_events(steering, OPENED_ALL, is_on);
	log_verbose(is_on ? "sampling" : "not sampling");
	if (steering->step == schedule->steps.n && schedule_has_end(schedule))
		control_stop(steering->control, CONTROL_RANGES);
	return time_of_step(steering);
}

/*
 * Takes what is overwritten otherwise, and begins another file. What was lost
 * until now has to be in the one that ends.
 */
static void take_snapshot(void *data)
{
	struct steering *steering = data;
	const struct options *options = steering->options;

	if (options->is_overwritten)
		drain_snapshot(steering->drain);
	if (options->switching.has_many) {
		steering->on_second(steering->data);
		files_ask(steering->files);
	}
	if (!options->is_overwritten && !options->switching.has_many)
		log_note("a snapshot is of use only with --overwrite or "
			 "--switch-output");
}

static uint64_t fire_interval(void *data, uint64_t now)
{
	struct steering *steering = data;

	take_snapshot(steering);
	return now + steering->options->switching.interval_ns;
}

static void take_notice(void *data)
{
	struct steering *steering = data;
	unsigned notice = blocks_take_notice(steering->blocks);

	if (notice & BLOCKS_FAILED)
		control_stop(steering->control, CONTROL_FAILED);
	if (notice & BLOCKS_LARGE)
		take_snapshot(steering);
	if (notice & BLOCKS_FULL)
		control_stop(steering->control, CONTROL_SIZE);
}

static void switch_named(
	struct steering *steering, const char *name, bool is_on)
{
	const struct selection *selection = steering->opened->selection;
	bool is_found = false;
	uint32_t i;

	if (!*name)
		switch_events(steering, OPENED_ALL, is_on);
	for (i = 0; i < selection->events.n && *name; i++) {
		if (!string_is(selection->events.at[i].name, name))
			continue;
		switch_events(steering, i, is_on);
		is_found = true;
	}
	if (*name && !is_found)
		log_note("--control: there is no event '%s'", name);
	else
		log_verbose("%s %s", *name ? name : "events",
			is_on ? "enabled" : "disabled");
}

/* An answer, not a message: as it is, and also with -q. */
static void show_events(const struct steering *steering, const char *words)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	evlist_print(steering->opened, words, &text);
	fputs(text.at, stderr);
}

static void act(void *data, enum command_kind kind, const char *words)
{
	struct steering *steering = data;

	switch (kind) {
	case COMMAND_ENABLE:
	case COMMAND_DISABLE:
		switch_named(steering, words, kind == COMMAND_ENABLE);
		break;
	case COMMAND_EVLIST:
		show_events(steering, words);
		break;
	case COMMAND_STOP:
		control_stop(steering->control, CONTROL_STOPPED);
		break;
	case COMMAND_SNAPSHOT:
		take_snapshot(steering);
		break;
	case COMMAND_PING:
		break;
	}
}

static void take_commands(void *data)
{
	struct steering *steering = data;

	if (!commands_take(steering->commands, act, steering))
		control_forget_fd(steering->control, steering->commands->fd);
}

/* Whoever sits before a recording without an end has to know how to end it. */
static void tell_how_to_end(const struct options *options)
{
	if (isatty(STDERR_FILENO) && !options->command &&
		!options->duration_ns && !options->max_size &&
		!schedule_has_end(&options->schedule))
		log_note("recording; Ctrl-C ends it");
}

enum control_end steer(struct steering *steering)
{
	const struct options *options = steering->options;
	struct control *control = steering->control;

	steering->started = clock_now_ns();
	/* Before the timers: they may not grow in number while they fire. */
	control_on_time(control, CONTROL_NEVER, fire_again, steering);
	if (!options->command && !options->schedule.starts_off)
		switch_again_soon(steering);
	control_on_time(control, steering->started + NSEC_PER_SEC,
		fire_second, steering);
	if (options->duration_ns)
		control_on_time(control,
			steering->started + options->duration_ns,
			fire_duration, steering);
	control_on_time(control, time_of_step(steering), fire_step, steering);
	if (options->switching.interval_ns)
		control_on_time(control,
			steering->started + options->switching.interval_ns,
			fire_interval, steering);
	if (options->switching.has_many || options->is_overwritten)
		control_on_usr2(control, take_snapshot, steering);
	control_on_fd(control, blocks_notice_fd(steering->blocks), take_notice,
		steering);
	if (steering->commands)
		control_on_fd(control, steering->commands->fd, take_commands,
			steering);
	tell_how_to_end(options);
	control_wait(control);
	/* Signals are still taken while the command is waited for. */
	control_on_usr2(control, NULL, NULL);
	return control->end;
}
