/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/caller_caps.h"

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* The value of "KEY:" in a file like /proc/PID/status; NULL: not there. */
static const char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text && *text; text += strcspn(text, "\n"), text += *text != 0)
		if (strncmp(text, key, length) == 0 && text[length] == ':')
			return text + length + 1 +
				strspn(text + length + 1, "\t ");
	return NULL;
}

static void read_status(const char *root, struct asker *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/status", root);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *value;

	ret->has_no_proc =
		!sysfile_slurp(AT_FDCWD, path, &text) || !text.n;
	if (ret->has_no_proc)
		return;
	value = value_of(text.at, "Uid"); /* real, effective, ... */
	if (value)
		value += strcspn(value, "\t");
	ret->is_root = value && strtoul(value, NULL, 10) == 0;
	value = value_of(text.at, "CapEff");
	if (value)
		ret->capabilities = strtoull(value, NULL, 16);
	value = value_of(text.at, "Seccomp");
	ret->is_filtered = value && *value == '2'; /* SECCOMP_MODE_FILTER */
}

static bool is_there(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s%s", root, name);

	return access(path, F_OK) == 0;
}

/* user_namespaces(7): the first namespace maps all ids to themselves. */
static bool is_in_userns(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/uid_map", root);
	unsigned long inside, outside, n;
	char line[64];

	return sysfile_line(path, line, sizeof(line)) &&
		sscanf(line, "%lu %lu %lu", &inside, &outside, &n) == 3 &&
		(inside || outside || n != UINT32_MAX);
}

/* "none [integrity] confidentiality". */
static void read_lockdown(const char *root, struct asker *ret)
{
	_cleanup_free_ char *path =
		xasprintf("%s/sys/kernel/security/lockdown", root);
	char line[64];
	size_t length;

	if (!sysfile_line(path, line, sizeof(line)) || !strchr(line, '['))
		return;
	length = strcspn(strchr(line, '[') + 1, "]");
	length = MIN(length, sizeof(ret->lockdown) - 1);
	memcpy(ret->lockdown, strchr(line, '[') + 1, length);
	ret->lockdown[length] = '\0';
	if (string_is(ret->lockdown, "none"))
		ret->lockdown[0] = '\0';
}

void asker_read(const char *root, struct asker *ret)
{
	_cleanup_free_ char *paranoid =
		xasprintf("%s/proc/sys/kernel/perf_event_paranoid", root);

	*ret = (struct asker){ 0 };
	read_status(root, ret);
	read_lockdown(root, ret);
	ret->is_in_userns = is_in_userns(root);
	ret->is_contained = is_there(root, "/.dockerenv") ||
		is_there(root, "/run/.containerenv") ||
		is_there(root, "/run/systemd/container");
	ret->has_perf_events = sysfile_number(paranoid, &ret->paranoid);
}

bool asker_has(const struct asker *asker, enum asker_capability capability)
{
	return !asker->is_in_userns && asker->capabilities >> capability & 1;
}

bool asker_is_free(const struct asker *asker)
{
	return asker_has(asker, CAPABILITY_PERFMON) ||
		asker_has(asker, CAPABILITY_SYS_ADMIN);
}
