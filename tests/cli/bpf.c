/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads a BPF program of a given name that does nothing, prints "ready", and
 * keeps the program until standard input ends. Exits with 77 without the
 * privilege to load programs.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* r0 = 0; exit */
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	char c;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t) "GPL";
	strncpy(attr.prog_name, argc > 1 ? argv[1] : "", 15);
	if (syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)) < 0) {
		perror("bpf");
		return 77;
	}
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
