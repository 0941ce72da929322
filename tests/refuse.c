/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse ERRNO COMMAND...: runs COMMAND under a seccomp filter that makes
 * perf_event_open(2) fail with ERRNO (a number), as in containers. Exits with
 * 77, the skip status, if the filter cannot be set.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIP 77

static int set_filter(unsigned errnum)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {
		sizeof(program) / sizeof(*program),
		program,
	};

	if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: refuse ERRNO COMMAND...\n", stderr);
		return 2;
	}
	if (set_filter((unsigned)strtoul(argv[1], NULL, 10)) < 0) {
		perror("seccomp");
		return SKIP;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
