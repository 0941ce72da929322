/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command and measures its time and memory, for bench.sh:
 *
 *     meter FILE COMMAND [ARGUMENT...]
 *
 * writes "wall SECONDS cpu SECONDS peak KIB end SECONDS" to FILE: the time
 * from start to end, the user and system time of the command and of every
 * child it waited for, the peak memory of the largest of these processes
 * (VmHWM), and the monotonic clock at the end. Exits with the command's status.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start, end;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: meter FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	start = clock_now();
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("meter");
		return 1;
	}
	end = clock_now();
	out = fopen(argv[1], "w");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "wall %.6f cpu %.6f peak %ld end %.6f\n", end - start,
		seconds(usage.ru_utime) + seconds(usage.ru_stime),
		usage.ru_maxrss, end);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
