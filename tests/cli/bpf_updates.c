/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_updates SECONDS: updates a BPF map all the time. Meanwhile the kernel runs no BPF
 * programs for samples on this CPU, and leaves the samples out. Exits with 77 without
 * the privilege to make maps.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	uint64_t key = 0, value = 0;
	union bpf_attr attr;
	long map;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_HASH;
	attr.key_size = sizeof(key);
	attr.value_size = sizeof(value);
	attr.max_entries = 1000;
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0) {
		perror("bpf");
		return 77;
	}
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&value;
	while ((double)clock() / CLOCKS_PER_SEC < seconds) {
		int i;

		for (i = 0; i < 10000; i++) {
			key = (key + 1) % 1000;
			bpf(BPF_MAP_UPDATE_ELEM, &attr);
		}
	}
	return 0;
}
