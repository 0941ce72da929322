/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/demangle.h"

#ifdef HAVE_DEMANGLE
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

static bool is_off;

void demangle_turn(bool is_on)
{
	is_off = !is_on;
}

/* libiberty recurses: names beyond this are shown as they are. */
#define NAME_MAX_SIZE 8192u

/* In this order of frequency; the library would look at every name at length. */
static bool is_mangled(const char *name)
{
	static const char *const starts[] = { "_Z", "_R", "__Z", "___Z",
		"_GLOBAL_", "_D" };
	size_t i;

	for (i = 0; name[0] == '_' && i < ARRAY_SIZE(starts); i++)
		if (string_starts(name, starts[i]))
			return true;
	return false;
}

char *demangle(const char *name)
{
	if (is_off || !is_mangled(name) || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	return cplus_demangle(name,
		string_starts(name, "_D") ? DMGL_DLANG : DMGL_AUTO);
}

#else

void demangle_turn(bool is_on _unused_)
{
}

char *demangle(const char *name _unused_)
{
	return NULL;
}

#endif
