/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/known_runtimes.h"

#include <ctype.h>

#include "common/maps/maps.h"

struct known_runtime {
	/* Names of the program and of the library, without a version. */
	const char *files[4];
	const char *name;
	unsigned kinds;
	/*
	 * Texts before the version in the names of folders; NULL if the version
	 * is in the name of the file.
	 */
	const char *folders[2];
	/* A number in the name of the file is not a version of the runtime. */
	bool is_unversioned;
	/* dwell reads the structures of the runtime (record/runtimes). */
	bool is_read;
	bool needs_bpf; /* is read by BPF only */
	/* First version for which .remedy helps; NULL: all versions. */
	const char *since;
	/* A sentence "Start ..." for the user; NULL: no remedy. */
	const char *remedy;
};

static const struct known_runtime known_runtimes[] = {
	{ .files = { "python", "libpython" },
		.name = "Python",
		.kinds = KNOWN_RUNTIME_INTERPRETS,
		.is_read = true },
	/* DumpPerfMapAtExit exists since 17. -g needs the frame pointers. */
	{ .files = { "libjvm" },
		.name = "OpenJDK",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.folders = { "/java-", "/jdk-" },
		.since = "17",
		.is_read = true,
		.remedy = "Start it with -XX:+UnlockDiagnosticVMOptions "
			  "-XX:+DumpPerfMapAtExit "
			  "-XX:+PreserveFramePointer" },
	{ .files = { "node", "nodejs", "libnode" },
		.name = "Node.js",
		.kinds = KNOWN_RUNTIME_COMPILES,
		.folders = { "/node/v", "/node-v" },
		.is_read = true,
		.remedy = "Start it with --perf-basic-prof" },
	{ .files = { "libcoreclr" },
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
	{ .files = { "perl", "libperl" },
		.name = "Perl",
		.kinds = KNOWN_RUNTIME_INTERPRETS,
		.is_read = true,
		.needs_bpf = true },
	{ .files = { "ruby", "libruby" },
		.name = "Ruby",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES,
		.is_read = true,
		.needs_bpf = true },
	{ .files = { "php", "php-fpm", "libphp" },
		.name = "PHP",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES,
		.is_read = true },
	{ .files = { "luajit", "libluajit" },
		.name = "LuaJIT",
		.kinds = KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES,
		/* 5.1 in libluajit-5.1.so.2 is the version of the language. */
		.is_unversioned = true,
		.is_read = true,
		.needs_bpf = true },
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

/*
 * Returns the text after the name of RUNTIME in PATH, if the text is empty, a
 * version, or the suffix of a library: "3.11", "2.1" of "-2.1", ".so.1".
 * Returns NULL if PATH is not that of a file of RUNTIME, such as "perlbench" or
 * "node-exporter".
 */
static const char *after_any_name(
	const struct known_runtime *runtime, const char *path)
{
	const char *file = path_base(path), *rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runtime->files) && runtime->files[i]; i++) {
		if (!string_starts(file, runtime->files[i]))
			continue;
		rest = file + strlen(runtime->files[i]);
		if (*rest == '-' && isdigit((unsigned char)rest[1]))
			return rest + 1;
		if (rest == maps_path_end(file) ||
			isdigit((unsigned char)*rest) ||
			string_starts(rest, ".so"))
			return rest;
	}
	return NULL;
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

	if (runtime->is_read && !reads_runtimes)
		strbuf_printf(out, "Record it with -g%s%s",
			remedy ? ", or s" : "",
			remedy ? remedy + strlen("S") : "");
	else if (remedy)
		strbuf_puts(out, remedy);
	else if (runtime->is_read && !is_old)
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
