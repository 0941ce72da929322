/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "report/options/options_shared.h"

CLI_PARSER(options_parse_folder)
{
	struct stat status;

	*(const char **)slot = value;
	if (stat(value, &status) == 0 && S_ISDIR(status.st_mode))
		return NULL;
	return error_usage(
		"--%s: '%s' is not a directory", option->name, value);
}

CLI_PARSER(options_push_folder)
{
	const char *path;
	struct error *err = options_parse_folder(option, value, is_on, &path);

	return err ? err : options_push_name(option, value, is_on, slot);
}

CLI_PARSER(options_parse_descriptors)
{
	struct number_list *list = slot;
	struct error *err = options_parse_numbers(option, value, is_on, list);

	if (err)
		return err;
	array_each(&list->numbers, number)
		if (fcntl((int)*number, F_GETFD) < 0)
			return error_usage(
				"--%s: file descriptor %u is not open",
				option->name, *number);
	return NULL;
}

CLI_PARSER(options_parse_file)
{
	struct stat status;

	*(const char **)slot = value;
	if (stat(value, &status) == 0 && S_ISREG(status.st_mode) &&
		access(value, R_OK) == 0)
		return NULL;
	return error_usage("--%s: cannot read file '%s'", option->name, value);
}

/* Checks URLs as libdebuginfod reads them. A word without "://" is a host. */
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
			is_known |=
				!strncasecmp(url, known[i], strlen(known[i]));
		if (!is_known)
			return error_usage(
				"--debuginfod: '%s' is not a supported URL; "
				"use http, https or file",
				url);
	}
	return NULL;
}

/* DEBUGINFOD_URLS alone sends no request: the option must be given. */
CLI_PARSER(options_parse_servers)
{
	struct search_paths *places = slot;
	const char *urls = value ? value : getenv("DEBUGINFOD_URLS");

	places->uses_servers = is_on;
	places->server_urls = value;
	if (!is_on)
		return NULL;
	if (urls && urls[strspn(urls, " ")])
		return check_urls(urls);
	return error_usage("--debuginfod: no server given; use "
			   "--debuginfod=URL or set DEBUGINFOD_URLS");
}
