/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/maps/runtime_dso.h"

#include <ctype.h>

#include "common/maps/maps.h"

/*
 * .files are names of programs and libraries without a version. A version, letters of the
 * build, and the suffix of a library can follow: "python3.6m", "luajit-2.1.0-beta3",
 * "libruby-3.1.so.3.1.2".
 */
static const struct {
	const char *path;
	bool is_interpreter;
	const char *files[4];
} runtime_rows[RUNTIMES] = {
	[RUNTIME_JAVA] = { "[java]", false, { "libjvm" } },
	[RUNTIME_NODE] = { "[node]", false, { "node", "nodejs", "libnode" } },
	[RUNTIME_PYTHON] = { "[python]", true, { "python", "libpython" } },
	[RUNTIME_PHP] = { "[php]", true,
		{ "php", "php-cgi", "php-fpm", "libphp" } },
	[RUNTIME_RUBY] = { "[ruby]", true, { "ruby", "libruby" } },
	[RUNTIME_PERL] = { "[perl]", true, { "perl", "libperl" } },
	[RUNTIME_LUAJIT] = { "[luajit]", true, { "luajit", "libluajit" } },
};

const char *runtime_dso_path(enum runtime_number runtime)
{
	return runtime_rows[runtime].path;
}

enum runtime_number runtime_dso_find(const char *path)
{
	unsigned i;

	for (i = 0; i < RUNTIMES && path[0] == '['; i++)
		if (string_is(runtime_rows[i].path, path))
			return i;
	return RUNTIMES;
}

/*
 * Returns whether TEXT, the rest of a file name after the name of a runtime, is empty, a
 * version, or the suffix of a library. A suffix of the build can follow the version:
 * "5.36-x86_64-linux-gnu".
 */
static bool is_version(const char *text)
{
	const char *end = maps_path_end(text);

	if (text == end || string_starts(text, ".so"))
		return true;
	text += *text == '-';
	if (!isdigit((unsigned char)*text))
		return false;
	while (isdigit((unsigned char)*text) || *text == '.')
		text++;
	while (*text && strchr("dmt", *text))
		text++;
	return text == end || *text == '-' || string_starts(text, "so") ||
		string_starts(text, ".so");
}

const char *runtime_dso_version_of(
	const char *const *names, size_t n, const char *path)
{
	const char *file = path_base(path), *rest;
	size_t i;

	for (i = 0; i < n && names[i]; i++) {
		if (!string_starts(file, names[i]))
			continue;
		rest = file + strlen(names[i]);
		if (is_version(rest))
			return rest + (*rest == '-');
	}
	return NULL;
}

const char *runtime_dso_version(enum runtime_number runtime, const char *path)
{
	return runtime_dso_version_of(runtime_rows[runtime].files,
		ARRAY_SIZE(runtime_rows[0].files), path);
}

bool runtime_dso_has_file(enum runtime_number runtime, const char *path)
{
	return runtime_dso_version(runtime, path);
}

bool runtime_dso_has_interpreter(const char *path)
{
	unsigned i;

	for (i = 0; i < RUNTIMES; i++)
		if (runtime_rows[i].is_interpreter &&
			runtime_dso_has_file(i, path))
			return true;
	return false;
}

bool runtime_dso_is_interpreted(enum runtime_number runtime)
{
	return runtime_rows[runtime].is_interpreter;
}
