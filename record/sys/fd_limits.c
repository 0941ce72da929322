/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/fd_limits.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "record/sys/sysfile.h"

/* The highest hard limit that even root may set (proc(5), fs.nr_open). */
#define NR_OPEN "/proc/sys/fs/nr_open"
/* Beside those of events: files, pipes, the descriptors of standard I/O. */
#define OTHERS 64

static uint64_t most_of_all(void)
{
	int64_t limit;

	return sysfile_number(NR_OPEN, &limit) && limit > 0 ? (uint64_t)limit
							    : 1024 * 1024;
}

struct error *limits_descriptors(uint64_t n)
{
	uint64_t need = n + OTHERS, most = most_of_all();
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return NULL;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max >= need)
		return NULL;
	limit.rlim_cur = limit.rlim_max = MIN(need, most);
	if (need <= most && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return NULL;
	getrlimit(RLIMIT_NOFILE, &limit);
	return error_hint(
		error_new("%" PRIu64 " descriptors are needed, one per thread, "
			  "CPU and event, and %" PRIu64 " are allowed",
			need, (uint64_t)limit.rlim_max),
		need > most ? "as root: sysctl fs.nr_open=%" PRIu64
			    : "as root: ulimit -Hn %" PRIu64,
		need);
}
