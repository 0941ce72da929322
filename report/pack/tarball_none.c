/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where libarchive wasn't there when dwell was built. */
#include "config.h"

#include "report/pack/tarball.h"

struct error *tarball_open(
	int fd _unused_, const char *name, struct tarball **ret _unused_)
{
	return error_new("%s: archives can't be read: dwell was built without "
			 "libarchive (Debian's package is libarchive-dev); "
			 "unpack it with tar(1), and name that folder with "
			 "dwell report --debug-dir",
		name);
}

void tarball_close(struct tarball *tarball _unused_)
{
}

int tarball_next(struct tarball *tarball _unused_,
	struct tarball_entry *ret _unused_)
{
	return 1;
}

int tarball_read(struct tarball *tarball _unused_,
	struct tarball_piece *ret _unused_)
{
	return 1;
}

struct error *tarball_error(struct tarball *tarball _unused_)
{
	return NULL;
}
