/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how long a command on a terminal of 80x24 takes until it shows TEXT,
 * for bench.sh:
 *
 *     screen FILE TEXT COMMAND [ARGUMENT...]
 *
 * appends "wall SECONDS cpu SECONDS" to FILE: the time since the command's
 * start, and the CPU time of all its threads. The command must send TEXT
 * without escape sequences in it. Then the command is killed.
 */
#define _GNU_SOURCE 1
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_of(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads until TEXT appears. Returns 0 if it does not appear. */
static int wait_for(int terminal, const char *text)
{
	static char all[1 << 20];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(all) &&
		(got = read(terminal, all + n, sizeof(all) - n)) > 0) {
		n += (size_t)got;
		if (memmem(all, n, text, strlen(text)))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	double start = clock_of(CLOCK_MONOTONIC), wall, cpu = 0;
	clockid_t clock;
	int terminal, is_seen;
	FILE *out;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr,
			"usage: screen FILE TEXT COMMAND "
			"[ARGUMENT...]\n");
		return 2;
	}
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0) {
		perror("screen");
		return 1;
	}
	is_seen = wait_for(terminal, argv[2]);
	wall = clock_of(CLOCK_MONOTONIC) - start;
	if (clock_getcpuclockid(pid, &clock) == 0)
		cpu = clock_of(clock);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	out = is_seen ? fopen(argv[1], "a") : NULL;
	if (!out || fprintf(out, "wall %.6f cpu %.6f\n", wall, cpu) < 0 ||
		fclose(out)) {
		fprintf(stderr, "screen: '%s' did not appear\n", argv[2]);
		return 1;
	}
	return 0;
}
