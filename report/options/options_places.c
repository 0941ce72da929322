/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "report/options/options_shared.h"

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

struct error *options_take_held(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;
	struct error *err = filter_add_numbers(
		&options->places.held, "--held", value);

	if (err)
		return err;
	array_each(&options->places.held.numbers, number)
		if (fcntl((int)*number, F_GETFD) < 0)
			return error_usage(
				"--held: %u is no descriptor that is open",
				*number);
	return NULL;
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

/* What libdebuginfod reads; without "://" it takes a word for a host. */
static struct error *check_urls(const char *urls)
{
	static const char *const known[] = { "http://", "https://", "file://" };
	bool is_known;
	size_t length, i;

	for (; *(urls += strspn(urls, " ")); urls += length) {
		_cleanup_free_ char *url = NULL;

		length = strcspn(urls, " ");
		url = xasprintf("%.*s", (int)MIN(length, (size_t)4096), urls);
		is_known = !strstr(url, "://");
		for (i = 0; i < ARRAY_SIZE(known); i++)
			is_known |= !strncasecmp(url, known[i], strlen(known[i]));
		if (!is_known)
			return error_usage("--debuginfod: '%s' is no URL that "
					   "can be asked: http, https and file "
					   "can",
				url);
	}
	return NULL;
}

/* Nobody is asked only because a variable is set. */
struct error *options_take_debuginfod(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;
	const char *urls = value ? value : getenv("DEBUGINFOD_URLS");

	options->places.asks_servers = is_on;
	options->places.server_urls = value;
	if (!is_on)
		return NULL;
	if (urls && urls[strspn(urls, " ")])
		return check_urls(urls);
	return error_usage("--debuginfod: no server is named: give "
			   "--debuginfod=URL, or set DEBUGINFOD_URLS");
}
