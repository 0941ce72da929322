/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces tarball.c if dwell is built without libarchive. */
#include "config.h"

#include "report/pack/tarball.h"

struct error *tarball_open(
	int fd _unused_, const char *name, struct tarball **ret _unused_)
{
	return error_new("%s: cannot read archives: dwell was built without "
			 "libarchive (Debian package: libarchive-dev). Unpack "
			 "it with tar(1), and use dwell report --debug-dir "
			 "DIR",
		name);
}

void tarball_close(struct tarball *tarball _unused_)
{
}

int tarball_next(
	struct tarball *tarball _unused_, struct tarball_entry *ret _unused_)
{
	return 1;
}

int tarball_read(
	struct tarball *tarball _unused_, struct tarball_piece *ret _unused_)
{
	return 1;
}

struct error *tarball_error(struct tarball *tarball _unused_)
{
	return NULL;
}
