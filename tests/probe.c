/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	probe [breakpoint | kernel | inherited-counts | vdso | userfaultfd]
 *	probe event TYPE CONFIG
 *	probe tmpfile FOLDER
 *
 * Does on this machine what a test needs: without arguments, opens an event
 * and a ring buffer for its own process. Exits with 0 if that works, otherwise
 * with 77, the skip status, and prints the reason in one line. Uses no code of
 * dwell, so that a refusing kernel is not reported as a bug of dwell. The names
 * of the requirements are in tests/needs.bash.
 *
 *	breakpoint	counts writes to a variable, and calls of a function
 *	kernel		takes samples in the kernel
 *	inherited-counts opens an event whose samples have counts of each thread
 *	vdso		reads the clock without a system call
 *	userfaultfd	makes a page that blocks its readers
 *	event		counts an event of TYPE and CONFIG: numbers, as in sysfs
 *	tmpfile		creates a file without a name in FOLDER
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SKIP 77
#define TIMES 10

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

static int fails(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return SKIP;
}

/* Opens an event of this process on any CPU. */
static int open_event(struct perf_event_attr *attr)
{
	attr->size = PERF_ATTR_SIZE_VER5;
	return (int)syscall(
		SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_mmap_page *map_ring(int fd)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *ring = mmap(
		NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return ring == MAP_FAILED ? NULL : ring;
}

/* A clock event with samples. */
static struct perf_event_attr clock_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = 100,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_callchain_kernel = 1,
	};
}

static int probe_live(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd = open_event(&attr);

	if (fd < 0)
		return refused("perf_event_open");
	if (!map_ring(fd))
		return refused("mmap of a perf ring");
	return 0;
}

/* The system calls run until the first sample, for at most two seconds. */
static int probe_kernel(void)
{
	struct perf_event_attr attr = clock_attr();
	struct perf_event_mmap_page *ring;
	static char zeros[1 << 20];
	clock_t end = clock() + 2 * CLOCKS_PER_SEC;
	int fd, zero = open("/dev/zero", O_RDONLY);

	attr.sample_freq = 1000;
	attr.disabled = attr.exclude_kernel = 0;
	attr.exclude_callchain_kernel = 0;
	attr.exclude_user = 1;
	fd = open_event(&attr);
	if (fd < 0)
		return refused("perf_event_open");
	ring = map_ring(fd);
	if (!ring)
		return refused("mmap of a perf ring");
	while (!*(volatile __u64 *)&ring->data_head) {
		if (clock() > end || read(zero, zeros, sizeof(zeros)) <= 0) {
			printf("no sample in the kernel\n");
			return SKIP;
		}
	}
	return 0;
}

static volatile long watched;

__attribute__((noinline)) static void write_watched(void)
{
	watched++;
}

/* Returns how often a breakpoint fires while a function runs TIMES times. */
static long count_hits(unsigned type, uintptr_t address, unsigned size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = type,
		.bp_addr = address,
		.bp_len = size,
		.exclude_kernel = 1,
	};
	int i, fd = open_event(&attr);
	uint64_t count;

	if (fd < 0)
		return -1;
	for (i = 0; i < TIMES; i++)
		write_watched();
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return -1;
	close(fd);
	return (long)count;
}

static int probe_breakpoint(void)
{
	long writes = count_hits(
		HW_BREAKPOINT_W, (uintptr_t)&watched, HW_BREAKPOINT_LEN_4);
	long calls = count_hits(
		HW_BREAKPOINT_X, (uintptr_t)write_watched, sizeof(long));

	if (writes < 0 || calls < 0)
		return refused("perf_event_open");
	if (writes == TIMES && calls == TIMES)
		return 0;
	printf("breakpoints count %ld of %d writes and %ld of %d calls\n",
		writes, TIMES, calls, TIMES);
	return SKIP;
}

static int probe_inherited_counts(void)
{
	struct perf_event_attr attr = clock_attr();

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	attr.inherit = 1;
	return open_event(&attr) < 0 ? refused("perf_event_open") : 0;
}

/* The kernel needs no ring buffer to count. */
static int probe_event(const char *type, const char *config)
{
	struct perf_event_attr attr = {
		.type = (unsigned)strtoul(type, NULL, 0),
		.config = strtoull(config, NULL, 0),
	};
	const struct timespec shortly = { .tv_nsec = 1000000 };
	int i, fd = open_event(&attr);
	uint64_t count;

	if (fd < 0)
		return refused("perf_event_open");
	for (i = 0; i < TIMES; i++)
		syscall(SYS_getppid);
	nanosleep(&shortly, NULL);
	if (read(fd, &count, sizeof(count)) == sizeof(count) && count)
		return 0;
	printf("the event was not counted\n");
	return SKIP;
}

/* With a filter that makes the system call fail. */
static int probe_vdso(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };
	struct timespec now;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return fails("seccomp");
	if (clock_gettime(CLOCK_MONOTONIC, &now) < 0) {
		printf("the clock needs a system call\n");
		return SKIP;
	}
	return 0;
}

static int probe_userfaultfd(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)page, size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
		ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		return fails("userfaultfd");
	return 0;
}

static int probe_tmpfile(const char *folder)
{
	if (open(folder, O_TMPFILE | O_WRONLY, 0600) < 0)
		return fails("O_TMPFILE");
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 1)
		return probe_live();
	if (argc == 2 && !strcmp(what, "breakpoint"))
		return probe_breakpoint();
	if (argc == 2 && !strcmp(what, "kernel"))
		return probe_kernel();
	if (argc == 2 && !strcmp(what, "inherited-counts"))
		return probe_inherited_counts();
	if (argc == 2 && !strcmp(what, "vdso"))
		return probe_vdso();
	if (argc == 2 && !strcmp(what, "userfaultfd"))
		return probe_userfaultfd();
	if (argc == 4 && !strcmp(what, "event"))
		return probe_event(argv[2], argv[3]);
	if (argc == 3 && !strcmp(what, "tmpfile"))
		return probe_tmpfile(argv[2]);
	fputs("usage: probe [breakpoint | kernel | inherited-counts | vdso | "
	      "userfaultfd | event TYPE CONFIG | tmpfile FOLDER]\n",
		stderr);
	return 2;
}
