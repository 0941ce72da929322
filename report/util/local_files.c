/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/local_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "common/elf/path_in_root.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/log.h"

/*
 * Limit of the files that messages report: a hostile recording can contain very
 * many files.
 */
#define REPORTED_MAX 256u
/*
 * Below this limit of open files, files that exist cannot be opened and seem to
 * be missing.
 */
#define OPEN_FILES_MIN 64u
/*
 * The programs that dwell starts have the limit, too. Some of them go through all
 * numbers below it.
 */
#define OPEN_FILES_MAX 65536u

bool local_files_match_host(const struct reader *reader)
{
	const char *recorded = reader_features(reader)->hostname;
	struct utsname here;

	return !recorded ||
		(uname(&here) == 0 && string_is(recorded, here.nodename));
}

/* Returns false if PATH was reported before, or too many paths were. */
static bool is_first_report(const char *path)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static ARRAY(char *) reported;
	bool is_reported = false;

	pthread_mutex_lock(&lock);
	array_each(&reported, other)
		is_reported |= string_is(*other, path);
	is_reported |= reported.n == REPORTED_MAX;
	if (!is_reported)
		*array_push(&reported) = xstrdup(path);
	pthread_mutex_unlock(&lock);
	return !is_reported;
}

void local_file_report(const char *path, const char *problem)
{
	if (is_first_report(path))
		log_note("%s: %s", path, problem);
}

void local_file_report_other(
	const char *path, bool has_changed, const char *what)
{
	if (!is_first_report(path))
		return;
	if (has_changed)
		log_note("%s: the file has changed since the recording: its %s "
			 "are not used",
			path, what);
	else
		log_note("%s: the recorded file has another build ID: the %s "
			 "of the file here are not used; if the program ran in "
			 "another root or on another machine, use --symfs",
			path, what);
}

struct error *local_files_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return NULL;
	if (limit.rlim_cur < MIN(limit.rlim_max, (rlim_t)OPEN_FILES_MAX)) {
		limit.rlim_cur = MIN(limit.rlim_max, (rlim_t)OPEN_FILES_MAX);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_max >= OPEN_FILES_MIN)
		return NULL;
	return error_hint(error_new("dwell opens up to %u files at a time, and "
				    "the limit of open files is %" PRIu64,
				  OPEN_FILES_MIN, (uint64_t)limit.rlim_max),
		"start dwell with a higher limit: ulimit -n %u",
		OPEN_FILES_MIN);
}

int local_file_open(const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open(path,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	_cleanup_free_ char *problem = NULL;

	if (fd < 0 || fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode)) {
		int errnum = fd < 0 ? errno : 0;

		if (errnum != ENOENT && errnum != ENOTDIR)
			local_file_report(path,
				errnum == ELOOP
					? "ignored: it is a symbolic link"
					: errnum
					? "ignored: it cannot be read"
					: "ignored: it is not a regular file");
		return -1;
	}
	if (!ret->st_uid || ret->st_uid == geteuid())
		return take_fd(fd);
	problem =
		xasprintf("ignored: it is owned by user %u, not by root or you",
			(unsigned)ret->st_uid);
	local_file_report(path, problem);
	return -1;
}

/* --- the folder of --symfs --------------------------------------------- */

/* Flags for open(), which must not wait for a FIFO or a device. */
#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

char *local_symfs_path(const char *symfs, const char *path)
{
	return xasprintf("%s%s%s", symfs ? symfs : "",
		symfs && *path != '/' ? "/" : "", path);
}

int local_symfs_open(const char *symfs, const char *path, struct stat *ret)
{
	size_t length = symfs ? strlen(symfs) : 0;
	_cleanup_close_ int root = -1, fd = -1;

	if (!symfs || strncmp(path, symfs, length) || path[length] != '/')
		fd = open(path, FLAGS);
	else if ((root = open(symfs, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0)
		fd = path_in_root_open(
			root, path + length, FLAGS, PATH_LINKS_FOLLOWED);
	if (fd < 0 || fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))
		return -1;
	return take_fd(fd);
}
