/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

/* open() returns FD, the lowest free number: all numbers below are open. */
void standard_streams_occupy(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/", O_PATH | O_CLOEXEC) != fd)
			_exit(1);
}

struct error *standard_streams_exit(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		exit(0);
	if (errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return error_errno(errno ?: EIO, "writing to standard output");
}
