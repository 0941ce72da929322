/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/demangle.h"

#ifdef HAVE_DEMANGLE
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

/* libiberty recurses: names beyond this are shown as they are. */
#define NAME_MAX_SIZE 8192u

char *demangle(const char *name)
{
	bool is_mangled = string_starts(name, "_Z") ||
		string_starts(name, "_R") || string_starts(name, "__Z");

	if (!is_mangled || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	return cplus_demangle(name, DMGL_AUTO | DMGL_NO_OPTS);
}

#else

char *demangle(const char *name _unused_)
{
	return NULL;
}

#endif
