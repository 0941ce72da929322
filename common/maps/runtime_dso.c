/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/maps/runtime_dso.h"

#include <ctype.h>

static const char *const runtime_paths[RUNTIMES] = {
	[RUNTIME_JAVA] = "[java]",
	[RUNTIME_NODE] = "[node]",
	[RUNTIME_PYTHON] = "[python]",
	[RUNTIME_PHP] = "[php]",
	[RUNTIME_RUBY] = "[ruby]",
	[RUNTIME_PERL] = "[perl]",
	[RUNTIME_LUAJIT] = "[luajit]",
};

const char *runtime_dso_path(enum runtime_number runtime)
{
	return runtime_paths[runtime];
}

enum runtime_number runtime_dso_find(const char *path)
{
	unsigned i;

	for (i = 0; i < RUNTIMES && path[0] == '['; i++)
		if (string_is(runtime_paths[i], path))
			return i;
	return RUNTIMES;
}

/*
 * Names of files without a version. A version, letters of the build, and the suffix of a
 * library can follow: "python3.6m", "luajit-2.1.0-beta3", "libruby-3.1.so.3.1.2".
 */
static const char *const interpreter_files[RUNTIMES][4] = {
	[RUNTIME_PYTHON] = { "python", "libpython" },
	[RUNTIME_PHP] = { "php", "php-cgi", "php-fpm", "libphp" },
	[RUNTIME_RUBY] = { "ruby", "libruby" },
	[RUNTIME_PERL] = { "perl", "libperl" },
	[RUNTIME_LUAJIT] = { "luajit", "libluajit" },
};

static bool is_version(const char *text)
{
	text += *text == '-';
	while (isdigit((unsigned char)*text) || *text == '.')
		text++;
	if (string_starts(text, "-beta"))
		text += strlen("-beta");
	while (isdigit((unsigned char)*text))
		text++;
	while (*text && strchr("dmt", *text))
		text++;
	return !*text || string_starts(text, "so") ||
		string_starts(text, ".so");
}

bool runtime_dso_has_file(enum runtime_number runtime, const char *path)
{
	const char *file = path_base(path);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(interpreter_files[0]); i++) {
		const char *name = interpreter_files[runtime][i];

		if (name && string_starts(file, name) &&
			is_version(file + strlen(name)))
			return true;
	}
	return false;
}

bool runtime_dso_has_interpreter(const char *path)
{
	unsigned i;

	for (i = 0; i < RUNTIMES; i++)
		if (runtime_dso_has_file(i, path))
			return true;
	return false;
}

bool runtime_dso_is_interpreted(enum runtime_number runtime)
{
	return interpreter_files[runtime][0];
}
