/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces servers.c if dwell is built without libdebuginfod. */
#include "config.h"

#include "common/util/log.h"
#include "report/symbols/servers.h"

struct servers *servers_create(const char *urls _unused_)
{
	log_note("cannot request debug files: dwell was built without "
		 "libdebuginfod (Debian package: libdebuginfod-dev)");
	return NULL;
}

void servers_destroy(struct servers *servers _unused_)
{
}

char *servers_find(struct servers *servers _unused_,
	enum servers_kind kind _unused_, const struct build_id *id _unused_,
	const char *name _unused_)
{
	return NULL;
}

bool servers_have_missed(const struct servers *servers _unused_)
{
	return false;
}

void servers_refuse(struct servers *servers _unused_, const char *path _unused_,
	const char *name _unused_)
{
}
