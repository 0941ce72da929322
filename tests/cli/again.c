/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs programs one after the other, all with the PID of the first one. Ends
 * with 1 if the kernel does not give the PID again.
 */
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns as fork(). The child gets the ID PID; 0: any. */
static pid_t fork_as(pid_t pid)
{
	const struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = pid ? (uintptr_t)&pid : 0,
		.set_tid_size = pid ? 1 : 0,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

int main(int argc, char **argv)
{
	pid_t pid = 0;
	int i;

	for (i = 1; i < argc; i++) {
		pid = fork_as(pid);
		if (pid < 0) {
			perror("clone3");
			return 1;
		}
		if (!pid) {
			execlp(argv[i], argv[i], (char *)NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
