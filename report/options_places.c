/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <sys/stat.h>

#include "common/alloc.h"
#include "report/options_shared.h"

static struct error *check_folder(const char *option, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return NULL;
	return error_usage("%s: '%s' is no folder", option, path);
}

struct error *options_take_symfs(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;

	options->places.symfs = value;
	return check_folder("--symfs", value);
}

struct error *options_take_debug_dir(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;

	*array_push(&options->places.debug_dirs.names) = xstrdup(value);
	return check_folder("--debug-dir", value);
}

static struct error *check_file(const char *option, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
		access(path, R_OK) == 0)
		return NULL;
	return error_usage("%s: '%s' is no file that can be read", option, path);
}

struct error *options_take_vmlinux(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;

	options->places.vmlinux = value;
	return check_file("--vmlinux", value);
}

struct error *options_take_kallsyms(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;

	options->places.kallsyms = value;
	return check_file("--kallsyms", value);
}

/* Nobody is asked only because a variable is set. */
struct error *options_take_debuginfod(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;
	const char *urls = value ? value : getenv("DEBUGINFOD_URLS");

	options->places.asks_servers = is_on;
	options->places.server_urls = value;
	if (!is_on || (urls && urls[strspn(urls, " ")]))
		return NULL;
	return error_usage("--debuginfod: no server is named: give "
			   "--debuginfod=URL, or set DEBUGINFOD_URLS");
}
