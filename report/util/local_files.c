/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/local_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/utsname.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/log.h"

/* A recording may name as many files as somebody likes. */
#define TOLD_MAX 256u

bool here_was_recorded(const struct reader *reader)
{
	const char *recorded = reader_features(reader)->hostname;
	struct utsname here;

	return !recorded ||
		(uname(&here) == 0 && string_is(recorded, here.nodename));
}

/* False: something was told of PATH before, or of too many. */
static bool is_news(const char *path)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static ARRAY(char *) told;
	bool is_told = false;

	pthread_mutex_lock(&lock);
	array_each(&told, other)
		is_told |= string_is(*other, path);
	is_told |= told.n == TOLD_MAX;
	if (!is_told)
		*array_push(&told) = xstrdup(path);
	pthread_mutex_unlock(&lock);
	return !is_told;
}

void here_tell(const char *path, const char *why)
{
	if (is_news(path))
		log_note("%s %s", path, why);
}

void here_tell_changed(const char *path, const char *what)
{
	if (is_news(path))
		log_note("%s: another file than the recorded one is there "
			 "now, so it gives %s",
			path, what);
}

/* What isn't there is nothing to tell about. */
static void tell_refused(const char *path, int errnum)
{
	const char *what = errnum == ELOOP ? "is a symbolic link"
		: errnum ? "can't be read"
			 : "is no regular file";
	_cleanup_free_ char *why =
		xasprintf("%s: what it says about code is ignored", what);

	if (errnum != ENOENT && errnum != ENOTDIR)
		here_tell(path, why);
}

int here_open(const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open(path,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	_cleanup_free_ char *why = NULL;

	if (fd < 0 || fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode)) {
		tell_refused(path, fd < 0 ? errno : 0);
		return -1;
	}
	if (!ret->st_uid || ret->st_uid == geteuid())
		return take_fd(fd);
	why = xasprintf("is of user %u, not of root or your own: what it says "
			"about code is ignored",
		(unsigned)ret->st_uid);
	here_tell(path, why);
	return -1;
}
