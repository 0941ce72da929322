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

/* libiberty has no way to leave out those of D: "a.b!(int).c(int) const". */
static void cut_parameters(char *name)
{
	char *end = strrchr(name, ')'), *at = end;
	int depth = 0;

	if (!end || (end[1] && end[1] != ' '))
		return;
	for (; at > name; at--) {
		depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	if (at > name && at[-1] != '!')
		*at = '\0';
}

static char *demangle_d(const char *name)
{
	char *shown = cplus_demangle(name, DMGL_DLANG);

	if (shown)
		cut_parameters(shown);
	return shown;
}

char *demangle(const char *name)
{
	if (is_off || !is_mangled(name) || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	return string_starts(name, "_D") ? demangle_d(name)
					 : cplus_demangle(name, DMGL_AUTO);
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
