/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/here.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include "common/log.h"

bool here_was_recorded(const struct reader *reader)
{
	const char *recorded = reader_features(reader)->hostname;
	struct utsname here;

	return !recorded ||
		(uname(&here) == 0 && string_is(recorded, here.nodename));
}

int here_open(const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open(path,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);

	if (fd < 0 || fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))
		return -1;
	if (!ret->st_uid || ret->st_uid == geteuid())
		return take_fd(fd);
	log_note("%s is of user %u, not of root or your own: what it says "
		 "about code is ignored",
		path, (unsigned)ret->st_uid);
	return -1;
}
