/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/cli.h"
#include "common/util/log.h"
#include "common/util/trusted_file.h"

/*
 * Limit of the bytes that one call of commands_take() reads, so that a program
 * that writes commands without pauses does not delay signals and timers.
 */
#define BYTES_AT_ONCE 4096u

/*
 * Limit of the replies that are printed, in bytes, so that a program that
 * repeats "evlist" does not fill the disk of the log. The reply that exceeds the
 * limit is the last one.
 */
#define REPLIES_MAX MIB(1)

static const struct {
	const char *word;
	enum command_kind kind;
} command_words[] = {
	{ "enable", COMMAND_ENABLE },
	{ "disable", COMMAND_DISABLE },
	{ "evlist", COMMAND_EVLIST },
	{ "ping", COMMAND_PING },
	{ "snapshot", COMMAND_SNAPSHOT },
	{ "stop", COMMAND_STOP },
};

/*
 * Opens the FIFO PATH for reading and writing, so that read() never returns
 * end-of-file.
 */
static struct error *open_fifo(const char *path, int *fd_ret)
{
	struct stat status;

	*fd_ret = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (*fd_ret < 0)
		return error_errno(errno, "--control: cannot open %s", path);
	if (fstat(*fd_ret, &status) < 0 || !S_ISFIFO(status.st_mode))
		return error_new("--control: %s is not a FIFO. To create one: "
				 "mkfifo FILE",
			path);
	/* Another user must not control what this user records. */
	if (!trusted_file_owner(status.st_uid))
		return error_new("--control: cannot use %s: it is a FIFO of "
				 "user %u. To create your own: mkfifo FILE",
			path, (unsigned)status.st_uid);
	return NULL;
}

static struct error *open_inherited_fd(const char *text, int *fd_ret)
{
	uint64_t number = 0;
	struct error *err = cli_number(text, "--control", 0, INT_MAX, &number);

	if (err)
		return err;
	/*
	 * Inherited descriptors have no FD_CLOEXEC, but all descriptors that
	 * this program opens have FD_CLOEXEC. Refuse descriptors that this
	 * program opened.
	 */
	if (fcntl((int)number, F_GETFD) & FD_CLOEXEC)
		errno = EBADF;
	else
		*fd_ret = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
	if (*fd_ret < 0)
		return error_errno(errno,
			"--control: cannot use file descriptor %s, which the "
			"caller did not open",
			text);
	return NULL;
}

COMPLETER(commands_complete)
{
	bool has_paths = string_starts(completion->word, "fifo:");

	completion_skip(completion, ":,");
	if (has_paths) {
		completion_offer_paths(completion, "", NULL);
	} else if (completion->word == completion->whole) {
		completion_offer(completion, "fifo:", "named pipes");
		completion_offer(completion, "fd:", "descriptors");
	}
}

struct error *commands_open(const char *how, struct commands *ret)
{
	struct error *(*open_one)(const char *, int *) = NULL;
	_cleanup_free_ char *copy = xstrdup(how);
	char *rest = copy, *first;
	struct error *err;

	*ret = (struct commands){ .fd = -1, .ack_fd = -1, .flags = -1 };
	if (string_starts(how, "fifo:"))
		open_one = open_fifo;
	else if (string_starts(how, "fd:"))
		open_one = open_inherited_fd;
	strsep(&rest, ":");
	first = strsep(&rest, ",");
	if (!open_one || !*first)
		return error_usage(
			"--control: '%s' is not fifo:CTL[,ACK] or fd:CTL[,ACK]",
			how);
	err = open_one(first, &ret->fd);
	if (!err && rest)
		err = open_one(rest, &ret->ack_fd);
	if (err)
		return err;
	ret->flags = fcntl(ret->fd, F_GETFL);
	if (ret->flags < 0 ||
		fcntl(ret->fd, F_SETFL, ret->flags | O_NONBLOCK) < 0)
		return error_errno(
			errno, "--control: cannot make %s non-blocking", how);
	return NULL;
}

void commands_close(struct commands *commands)
{
	/*
	 * Restore the file status flags: they are shared with other processes,
	 * which do not expect EAGAIN.
	 */
	if (commands->fd >= 0 && commands->flags >= 0)
		fcntl(commands->fd, F_SETFL, commands->flags);
	if (commands->fd >= 0)
		close(commands->fd);
	if (commands->ack_fd >= 0)
		close(commands->ack_fd);
	commands->fd = commands->ack_fd = -1;
}

/*
 * Executes and acknowledges the command in .line. As in perf, a line matches a
 * command by its prefix, so "pings" is the command "ping".
 */
static void execute_line(const struct commands *commands,
	void (*execute)(void *data, enum command_kind kind, const char *words),
	void *data)
{
	size_t i;

	if (!*commands->line)
		return;
	for (i = 0; i < ARRAY_SIZE(command_words); i++) {
		const char *words =
			commands->line + strlen(command_words[i].word);

		if (!string_starts(commands->line, command_words[i].word))
			continue;
		execute(data, command_words[i].kind,
			words + strspn(words, " "));
		/*
		 * Write "ack", or drop the acknowledgement if the program at
		 * the other end does not read: a blocked write must not stop
		 * the recording.
		 */
		static const char answer[] = "ack\n";
		struct pollfd ready = { commands->ack_fd, POLLOUT, 0 };

		if (commands->ack_fd >= 0) {
			if (poll(&ready, 1, 0) < 1 ||
				!(ready.revents & POLLOUT) ||
				write(commands->ack_fd, answer,
					sizeof(answer) - 1) < 0)
				log_verbose(
					"--control: dropped an acknowledgement: the reader "
					"does not read");
		}
		return;
	}
	log_note("--control: ignored unknown command '%s'. Known are enable, "
		 "disable, evlist, ping, snapshot and stop",
		commands->line);
}

bool commands_take(struct commands *commands,
	void (*execute)(void *data, enum command_kind kind, const char *words),
	void *data)
{
	size_t left = BYTES_AT_ONCE;
	char byte;
	ssize_t n = 1;

	while (left-- && (n = read(commands->fd, &byte, 1)) == 1) {
		bool is_end = byte == '\n' || byte == '\0';

		if (!is_end && commands->n < sizeof(commands->line) - 1)
			commands->line[commands->n++] = byte;
		if (!is_end)
			continue;
		commands->line[commands->n] = '\0';
		commands->n = 0;
		execute_line(commands, execute, data);
	}
	return n == 1 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool commands_take_reply(struct commands *commands, size_t size)
{
	bool is_allowed = commands->replied < REPLIES_MAX;

	if (is_allowed)
		commands->replied += size;
	else if (!commands->has_ended_replies)
		log_note("--control: evlist prints no more events: its output "
			 "has reached 1 MiB");
	commands->has_ended_replies = !is_allowed;
	return is_allowed;
}
