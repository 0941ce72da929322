/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/tracepoint_try.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* For all formats of a file: real ones take milliseconds. */
#define SECONDS_MAX 5u

/* What the child says of itself would only confuse. */
static void be_quiet(void)
{
	const struct rlimit none = { 0, 0 };
	const struct rlimit time = { SECONDS_MAX, SECONDS_MAX };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &time);
}

/* A byte into the pipe before each: so it's known which was the last. */
static _Noreturn void run_child(void (*try)(void *data, size_t i), void *data,
	size_t first, size_t n, int pipe)
{
	size_t i;

	be_quiet();
	for (i = first; i < n; i++) {
		if (write(pipe, "", 1) != 1)
			_exit(1);
		try(data, i);
	}
	_exit(0);
}

/* Whether CHILD ended well; how many it began goes to N_RET. */
static bool wait_child(pid_t child, int pipe, size_t *n_ret)
{
	char bytes[256];
	ssize_t n;
	int status;

	*n_ret = 0;
	while ((n = read(pipe, bytes, sizeof(bytes))) > 0 ||
		(n < 0 && errno == EINTR))
		*n_ret += n > 0 ? (size_t)n : 0;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void tracepoint_try(void (*try)(void *data, size_t i), void *data, size_t n,
	bool *is_bad)
{
	size_t first = 0, deaths = 0, begun;

	while (first < n && deaths++ < TRACEPOINT_DEATHS_MAX) {
		int ends[2];
		bool is_well = false;
		pid_t child;

		if (pipe2(ends, O_CLOEXEC) < 0)
			break;
		child = fork();
		if (child == 0)
			run_child(try, data, first, n, ends[1]);
		close(ends[1]);
		begun = 0;
		if (child > 0)
			is_well = wait_child(child, ends[0], &begun);
		close(ends[0]);
		if (is_well)
			return;
		if (!begun)
			break;
		first += begun;
		is_bad[first - 1] = true;
	}
	memset(is_bad + first, true, n - first);
}
