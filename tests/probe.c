/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether this user can sample their own process. Exits with 0 if the
 * kernel allows it, otherwise with 77, the skip status, and prints the reason
 * in one line. Uses no code of dwell, so that a refusing kernel is not reported
 * as a bug of dwell.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIP 77

static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int level = 0;

	if (file) {
		if (fscanf(file, "%d", &level) != 1)
			level = 0;
		fclose(file);
	}
	return level;
}

static int refused(const char *call)
{
	int code = errno, level = paranoid_level();

	printf("%s: %s", call, strerror(code));
	if (code == ENOSYS)
		printf(" (a kernel without perf events, or a container that "
		       "hides them)");
	else if ((code == EACCES || code == EPERM) && level > 2)
		printf(" (kernel.perf_event_paranoid is %d; "
		       "\"sysctl kernel.perf_event_paranoid=2\" as root "
		       "allows it)",
			level);
	else if (code == EACCES || code == EPERM)
		printf(" (a container that forbids it?)");
	printf("\n");
	return SKIP;
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = 100,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_callchain_kernel = 1,
	};
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	long fd;

	fd = syscall(
		SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return refused("perf_event_open");
	if (mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    (int)fd, 0) == MAP_FAILED)
		return refused("mmap of a perf ring");
	return 0;
}
