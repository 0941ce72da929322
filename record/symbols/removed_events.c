/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/removed_events.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/escape.h"

/* Limit of .starting: a process is only there until its program is mapped. */
#define STARTING_MAX 1024u
#define PROGRAMS_MAX 3u

/* Removes process PID from .starting and returns it in RET, if it is there. */
static bool take_starting(struct removed_events *removed, uint32_t pid,
	struct removed_starting *ret)
{
	size_t i;

	for (i = 0; i < removed->starting.n; i++) {
		if (removed->starting.at[i].pid != pid)
			continue;
		*ret = removed->starting.at[i];
		removed->starting.at[i] =
			removed->starting.at[--removed->starting.n];
		return true;
	}
	return false;
}

static void add_removed(
	struct removed_events *removed, const struct removed_starting *program)
{
	struct removed_program *added;

	array_each(&removed->programs, known)
		if (string_is(known->name, program->name)) {
			known->n++;
			return;
		}
	if (removed->programs.n == PROGRAMS_MAX) {
		removed->n_others++;
		return;
	}
	added = array_push(&removed->programs);
	added->pid = program->pid;
	added->n = 1;
	memcpy(added->name, program->name, sizeof(added->name));
}

/*
 * After an exec, the kernel maps the program, which each program needs to run.
 * If it removes the events instead, it writes an EXIT record, although the
 * process runs on.
 */
void removed_events_add_record(
	struct removed_events *removed, const struct record *record)
{
	struct removed_starting program;
	struct record_comm comm;
	struct record_task task;
	struct record_mmap map;

	switch (record->type) {
	case RECORD_COMM:
		if (!record_read_comm(record, &comm) || !comm.is_exec)
			break;
		take_starting(removed, comm.pid, &program);
		struct removed_starting *starting;
		if (removed->starting.n == STARTING_MAX)
			array_clear(&removed->starting);
		starting = array_push(&removed->starting);
		starting->pid = comm.pid;
		snprintf(starting->name, sizeof(starting->name), "%s",
			comm.comm);
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (removed->starting.n && record_read_mmap(record, &map))
			take_starting(removed, map.pid, &program);
		break;
	case RECORD_EXIT:
		if (record_read_task(record, &task) && task.pid == task.tid &&
			take_starting(removed, task.pid, &program))
			add_removed(removed, &program);
		break;
	case RECORD_LOST:
		/* Records of mappings can be missing. */
		array_clear(&removed->starting);
		break;
	default: break;
	}
}

void removed_events_put(
	const struct removed_events *removed, bool is_root, struct strbuf *out)
{
	const char *before = "samples of ";

	if (!removed->programs.n)
		return;
	array_each(&removed->programs, program) {
		strbuf_puts(out, before);
		escape_text(out, program->name);
		strbuf_printf(out, " (PID %" PRIu32, program->pid);
		if (program->n > 1)
			strbuf_printf(
				out, " and %" PRIu64 " more", program->n - 1);
		strbuf_putc(out, ')');
		before = ", ";
	}
	if (removed->n_others)
		strbuf_printf(out, " and %" PRIu64 " other process%s",
			removed->n_others, removed->n_others == 1 ? "" : "es");
	strbuf_printf(out,
		" are missing: the kernel removes the events of a process that "
		"executes a program which is set-user-ID or set-group-ID, has "
		"capabilities, or cannot be read. To record it: dwell record "
		"-a%s",
		is_root ? "" : ", or run dwell record as root");
}

void removed_events_deinit(struct removed_events *removed)
{
	array_free(&removed->starting);
	array_free(&removed->programs);
}
