/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/known_runtimes.h"

#include <ctype.h>
#include <stdlib.h>

#include "common/maps/runtime_dso.h"

struct known_runtime {
	const char *name;
	unsigned kinds;
	/*
	 * Texts before the version in the names of folders; NULL if the version
	 * is in the name of the file.
	 */
	const char *folders[2];
	/* A number in the name of the file is not a version of the runtime. */
	bool is_unversioned;
	/*
	 * Names of the program and of the library, without a version, if dwell does not
	 * read the structures of the runtime.
	 */
	const char *files[4];
	bool needs_bpf; /* is read by BPF only */
	/* First version for which .remedy helps; NULL: all versions. */
	const char *since;
	/* A sentence "Start ..." for the user; NULL: no remedy. */
	const char *remedy;
};

/* The first RUNTIMES are those that dwell reads: runtime_dso.h has the names of their files. */
static const struct known_runtime known_runtimes[] = {
	[RUNTIME_PYTHON] = { .name = "Python",
		.kinds = KNOWN_RUNTIME_INTERPRETS },
	/* DumpPerfMapAtExit exists since 17. -g needs the frame pointers. */
	[RUNTIME_JAVA] = { .name = "OpenJDK",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.folders = { "/java-", "/jdk-" },
		.since = "17",
		.remedy = "Start it with -XX:+UnlockDiagnosticVMOptions "
			  "-XX:+DumpPerfMapAtExit "
			  "-XX:+PreserveFramePointer" },
	[RUNTIME_NODE] = { .name = "Node.js",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.folders = { "/node/v", "/node-v" },
		.remedy = "Start it with --perf-basic-prof" },
	[RUNTIME_PERL] = { .name = "Perl",
		.kinds = KNOWN_RUNTIME_INTERPRETS,
		.needs_bpf = true },
	[RUNTIME_RUBY] = { .name = "Ruby",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES,
		.needs_bpf = true },
	[RUNTIME_PHP] = { .name = "PHP",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES },
	[RUNTIME_LUAJIT] = { .name = "LuaJIT",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES,
		/* 5.1 in libluajit-5.1.so.2 is the version of the language. */
		.is_unversioned = true,
		.needs_bpf = true },
	[RUNTIMES] = { .files = { "libcoreclr" },
		.name = ".NET",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.folders = { "/Microsoft.NETCore.App/" },
		/*
		 * With W^X, code is in a memory file. A perf map has no names for
		 * mappings of files.
		 */
		.remedy = "Start it with DOTNET_PerfMapEnabled=1 and "
			  "DOTNET_EnableWriteXorExecute=0" },
	{ .files = { "mono", "mono-sgen", "libmonosgen", "libmono" },
		.name = "Mono",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.is_unversioned = true,
		.remedy = "Start it with dwell record --runtime-env" },
	{ .files = { "beam.smp" },
		.name = "Erlang",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.remedy = "Start it with dwell record --runtime-env" },
	{ .files = { "lua", "liblua" },
		.name = "Lua",
		.kinds = KNOWN_RUNTIME_INTERPRETS },
	{ .files = { "pypy", "libpypy" },
		.name = "PyPy",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES },
	{ .files = { "sbcl" },
		.name = "SBCL",
		.kinds = KNOWN_RUNTIME_COMPILES },
};

/* Returns whether dwell reads the structures of RUNTIME (record/runtimes). */
static bool is_read(const struct known_runtime *runtime)
{
	return runtime - known_runtimes < RUNTIMES;
}

/* As runtime_dso_version(). */
static const char *after_any_name(
	const struct known_runtime *runtime, const char *path)
{
	return is_read(runtime)
		? runtime_dso_version(
			  (enum runtime_number)(runtime - known_runtimes), path)
		: runtime_dso_version_of(
			  runtime->files, ARRAY_SIZE(runtime->files), path);
}

const struct known_runtime *known_runtime_find(const char *path, unsigned kinds)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_runtimes); i++)
		if (known_runtimes[i].kinds & kinds &&
			after_any_name(&known_runtimes[i], path))
			return &known_runtimes[i];
	return NULL;
}

/*
 * Returns the text in PATH from the version on, which follows one of the texts
 * .folders of RUNTIME. Returns "" if there is no such version.
 */
static const char *after_folder(
	const struct known_runtime *runtime, const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runtime->folders); i++) {
		const char *folder = runtime->folders[i];
		const char *found = folder ? strstr(path, folder) : NULL;

		if (found && isdigit((unsigned char)found[strlen(folder)]))
			return found + strlen(folder);
	}
	return "";
}

/*
 * Returns the version of RUNTIME in PATH, and sets *LENGTH_RET to its length,
 * which is 0 if PATH does not contain the version.
 */
static const char *find_runtime_version(const struct known_runtime *runtime,
	const char *path, size_t *length_ret)
{
	const char *version = after_any_name(runtime, path);
	size_t n;

	if (runtime->folders[0])
		version = after_folder(runtime, path);
	else if (!version || runtime->is_unversioned)
		version = "";
	else if (string_starts(version, ".so."))
		version += strlen(".so.");
	n = strspn(version, "0123456789.");
	/* "libpython3.11.so.1.0" has the version "3.11". */
	while (n && version[n - 1] == '.')
		n--;
	*length_ret = n;
	return version;
}

void known_runtime_put_name(const struct known_runtime *runtime,
	const char *path, struct strbuf *out)
{
	size_t length;
	const char *version = find_runtime_version(runtime, path, &length);

	strbuf_puts(out, runtime->name);
	if (!length)
		return;
	strbuf_putc(out, ' ');
	strbuf_put(out, version, length);
}

/*
 * Returns true if VERSION, such as "3.9.1", is before SINCE. Returns false if
 * VERSION has too few parts for the comparison.
 */
static bool is_version_before(const char *version, const char *since)
{
	char *version_end, *since_end;
	unsigned long major = strtoul(version, &version_end, 10);
	unsigned long least = strtoul(since, &since_end, 10);

	if (version_end == version || major > least)
		return false;
	if (major < least)
		return true;
	return *version_end == '.' && *since_end == '.' &&
		is_version_before(version_end + 1, since_end + 1);
}

void known_runtime_put_remedy(const struct known_runtime *runtime,
	const char *path, bool reads_runtimes, struct strbuf *out)
{
	size_t length;
	const char *version = find_runtime_version(runtime, path, &length);
	bool is_old = runtime->since && length &&
		is_version_before(version, runtime->since);
	const char *remedy = is_old ? NULL : runtime->remedy;

	if (is_read(runtime) && !reads_runtimes)
		strbuf_printf(out, "Record it with -g%s%s",
			remedy ? ", or s" : "",
			remedy ? remedy + strlen("S") : "");
	else if (remedy)
		strbuf_puts(out, remedy);
	else if (is_read(runtime) && !is_old)
		strbuf_printf(out,
			"dwell could not read the structures of %s%s",
			runtime->name,
			runtime->needs_bpf
				? ", which requires BPF. dwell doctor says "
				  "whether BPF can be used"
				: "");
	else
		strbuf_printf(out, "dwell names no functions of %s%s%s",
			runtime->name, is_old ? " before " : "",
			is_old ? runtime->since : "");
}
