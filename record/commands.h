/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of --control, as perf has them: lines from a FIFO or an open
 * descriptor, each answered with "ack\n" once it is done. Knows the words, not
 * what they do.
 */
#ifndef DWELL_RECORD_COMMANDS_H
#define DWELL_RECORD_COMMANDS_H

#include "common/util/error.h"

#define COMMAND_LENGTH_MAX 1024u

enum command_kind {
	COMMAND_ENABLE,
	COMMAND_DISABLE,
	COMMAND_EVLIST,
	COMMAND_PING,
	COMMAND_SNAPSHOT,
	COMMAND_STOP,
};

struct commands {
	int fd, ack_fd; /* -1: none */
	int flags;      /* of FD, as it was given to us; -1: not known */
	char line[COMMAND_LENGTH_MAX];
	size_t n;       /* of the line that isn't whole yet */
};

/* HOW is "fifo:CTL[,ACK]", paths, or "fd:CTL[,ACK]", numbers. */
struct error *commands_open(
	const char *how, struct commands *ret) _must_check_;
void commands_close(struct commands *commands);

/*
 * Calls ACT for the commands that have come, with the words behind each (""
 * without any), and answers. Never waits, and ends also if more come for ever:
 * what is left is for the next call. False if no more can come.
 */
bool commands_take(struct commands *commands,
	void (*act)(void *data, enum command_kind kind, const char *words),
	void *data);

#endif
