/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a fork storm: `storm PARENTS N` starts PARENTS processes. Each of them
 * runs N short processes, one after another, which execute this program again.
 * Prints the number of processes without the first one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_children(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		pid_t child = vfork();

		if (child == 0) {
			execl("/proc/self/exe", "storm-child", (char *)NULL);
			_exit(1);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	int parents, n, i, status;

	if (argc < 3)
		return 0;
	parents = atoi(argv[1]);
	n = atoi(argv[2]);
	for (i = 0; i < parents; i++)
		if (fork() == 0) {
			run_children(n);
			_exit(0);
		}
	while (wait(&status) > 0)
		if (status)
			return 1;
	printf("%d\n", parents * (n + 1));
	return 0;
}
