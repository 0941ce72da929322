/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/caller_caps.h"

#include <stdio.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* Returns the value of "KEY:" in a text such as /proc/PID/status, or NULL. */
static const char *status_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text && *text; text += strcspn(text, "\n"), text += *text != 0)
		if (strncmp(text, key, length) == 0 && text[length] == ':')
			return text + length + 1 +
				strspn(text + length + 1, "\t ");
	return NULL;
}

static bool file_exists(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s%s", root, name);

	return access(path, F_OK) == 0;
}

void caller_caps_read(const char *root, struct caller_caps *ret)
{
	_cleanup_free_ char *paranoid =
		xasprintf("%s/proc/sys/kernel/perf_event_paranoid", root);
	_cleanup_free_ char *status = xasprintf("%s/proc/self/status", root);
	_cleanup_free_ char *lockdown =
		xasprintf("%s/sys/kernel/security/lockdown", root);
	_cleanup_free_ char *uid_map = xasprintf("%s/proc/self/uid_map", root);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	unsigned long inside, outside, n;
	const char *value;
	char line[64];

	*ret = (struct caller_caps){ 0 };
	ret->has_no_proc = !sysfile_slurp(AT_FDCWD, status, &text) || !text.n;
	if (!ret->has_no_proc) {
		value = status_value(text.at, "Uid"); /* real, effective, ... */
		if (value)
			value += strcspn(value, "\t");
		ret->is_root = value && strtoul(value, NULL, 10) == 0;
		value = status_value(text.at, "CapEff");
		if (value)
			ret->capabilities = strtoull(value, NULL, 16);
		value = status_value(text.at, "Seccomp");
		ret->is_filtered =
			value && *value == '2'; /* SECCOMP_MODE_FILTER */
	}
	/*
	 * The active level is in brackets: "none [integrity] confidentiality".
	 */
	value = sysfile_line(lockdown, line, sizeof(line)) ? strchr(line, '[')
							   : NULL;
	if (value) {
		size_t length = strcspn(++value, "]");

		length = MIN(length, sizeof(ret->lockdown) - 1);
		memcpy(ret->lockdown, value, length);
		ret->lockdown[length] = '\0';
		if (string_is(ret->lockdown, "none"))
			ret->lockdown[0] = '\0';
	}
	/*
	 * user_namespaces(7): only the first namespace maps all IDs to
	 * themselves.
	 */
	ret->is_in_userns = sysfile_line(uid_map, line, sizeof(line)) &&
		sscanf(line, "%lu %lu %lu", &inside, &outside, &n) == 3 &&
		(inside || outside || n != UINT32_MAX);
	ret->is_contained = file_exists(root, "/.dockerenv") ||
		file_exists(root, "/run/.containerenv") ||
		file_exists(root, "/run/systemd/container");
	ret->has_perf_events = sysfile_number(paranoid, &ret->paranoid);
}

bool caller_caps_has(
	const struct caller_caps *caller, enum caller_cap capability)
{
	return !caller->is_in_userns && caller->capabilities >> capability & 1;
}

bool caller_caps_are_full(const struct caller_caps *caller)
{
	return caller_caps_has(caller, CALLER_CAP_PERFMON) ||
		caller_caps_has(caller, CALLER_CAP_SYS_ADMIN);
}
