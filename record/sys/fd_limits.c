/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/fd_limits.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "record/sys/sysfile.h"

/* The highest hard limit that even root may set (proc(5), fs.nr_open). */
#define NR_OPEN "/proc/sys/fs/nr_open"
/* Number of descriptors other than events: files, pipes and standard I/O. */
#define OTHER_FDS 64

struct error *fd_limits_raise(uint64_t n)
{
	int64_t number;
	uint64_t need = n + OTHER_FDS, most = 1024 * 1024;
	struct rlimit limit;

	if (sysfile_number(NR_OPEN, &number) && number > 0)
		most = (uint64_t)number;
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
		error_new("%" PRIu64
			  " file descriptors are needed, one per thread, CPU "
			  "and event, and the limit is %" PRIu64,
			need, (uint64_t)limit.rlim_max),
		need > most ? "as root: sysctl fs.nr_open=%" PRIu64
			    : "as root: ulimit -Hn %" PRIu64,
		need);
}
