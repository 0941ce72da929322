/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/runtime_env.h"

#include "common/util/alloc.h"

static const struct {
	const char *name, *value;
	bool is_list; /* options, separated by spaces */
} variables[] = {
	/* mono(1), since 6.8: writes /tmp/perf-PID.map. */
	{ "MONO_ENV_OPTIONS", "--jitmap", true },
	/* erl(1), since OTP 24 with the JIT: writes a perf map and a jitdump. */
	{ "ERL_FLAGS", "+JPperf true", true },
	/* .NET since 6: 1 writes a perf map and a jitdump. */
	{ "DOTNET_PerfMapEnabled", "1", false },
	/*
	 * With W^X, the default since .NET 7, code is in a memory file. A perf map has no
	 * names for mappings of files.
	 */
	{ "DOTNET_EnableWriteXorExecute", "0", false },
};

void runtime_env_set(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *now = getenv(variables[i].name);
		_cleanup_free_ char *both = NULL;

		if (now && *now && !variables[i].is_list)
			continue;
		/* Of an option that occurs twice, the last one is used. */
		if (now && *now)
			both = xasprintf("%s %s", variables[i].value, now);
		setenv(variables[i].name, both ? both : variables[i].value, 1);
	}
}
