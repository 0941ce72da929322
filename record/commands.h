/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of --control, with the syntax of perf: lines that are read from
 * a FIFO or a file descriptor. Each command is acknowledged with "ack\n" after
 * it is executed. This module parses the lines; the caller executes the
 * commands.
 */
#ifndef DWELL_RECORD_COMMANDS_H
#define DWELL_RECORD_COMMANDS_H

#include "common/util/completion.h"
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
	int fd, ack_fd; /* descriptors of the commands and of the
			   acknowledgements; -1: none */
	int flags;	/* file status flags of FD before commands_open(); -1:
			   unknown */
	char line[COMMAND_LENGTH_MAX];
	size_t n;	  /* bytes of the incomplete line in LINE */
	uint64_t replied; /* bytes of commands_take_reply() */
	bool has_ended_replies;
};

/*
 * Opens HOW, the value of --control: "fifo:CTL[,ACK]" with paths, or
 * "fd:CTL[,ACK]" with descriptor numbers. commands_close() closes RET, also
 * after an error.
 */
struct error *commands_open(const char *how, struct commands *ret) _must_check_;
void commands_close(struct commands *commands);
/* Offers "fifo:" and "fd:", and files behind "fifo:". */
COMPLETER(commands_complete);

/*
 * Reads the available commands. Calls EXECUTE for each command with DATA and
 * the arguments of the command ("" if there are none), and then acknowledges
 * the command. Does not block, and reads a limited number of bytes; the next
 * call reads further bytes. Returns false at the end of the input.
 */
bool commands_take(struct commands *commands,
	void (*execute)(void *data, enum command_kind kind, const char *words),
	void *data);
/*
 * Returns whether a reply of SIZE bytes to a command may be printed, and counts
 * it. Returns false, and prints one note, when many bytes have been printed.
 */
bool commands_take_reply(struct commands *commands, size_t size);

#endif
