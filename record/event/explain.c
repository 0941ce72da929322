/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "record/sys/sysfile.h"

/* The put functions below append the value of one {placeholder} each. */

static void put_explained_number(struct strbuf *out, int64_t value)
{
	strbuf_printf(out, "%" PRId64, value);
}

static void put_refused_pid(struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, refused->pid);
}

static void put_refused_cpu(struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, refused->cpu);
}

static void put_paranoid(struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, refused->caller->paranoid);
}

static void put_allowing_paranoid(
	struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, refused_paranoid(refused));
}

static void put_host_hint(struct strbuf *out, const struct refused *refused)
{
	if (refused->caller->is_contained)
		strbuf_puts(out, " on the host");
}

/*
 * Appends the setcap command for dwell, except in a container: a file with more
 * capabilities than the container has cannot be executed there.
 */
static void put_setcap_command(
	struct strbuf *out, const struct refused *refused)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0 || refused->caller->is_contained)
		return;
	path[n] = '\0';
	strbuf_puts(out, ", or for dwell only: setcap cap_perfmon=ep ");
	escape_text(out, path);
}

static void put_resource_limit(struct strbuf *out, int resource, uint64_t unit)
{
	struct rlimit limit = { 0 };

	getrlimit((__rlimit_resource_t)resource, &limit);
	strbuf_printf(out, "%" PRIu64, (uint64_t)limit.rlim_cur / unit);
}

static void put_memlock(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_resource_limit(out, RLIMIT_MEMLOCK, 1024);
}

static void put_nofile(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_resource_limit(out, RLIMIT_NOFILE, 1);
}

static void put_sysctl(struct strbuf *out, const char *path)
{
	int64_t value = 0;

	sysfile_number(path, &value);
	put_explained_number(out, value);
}

static void put_max_rate(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_sysctl(out, PROC_MAX_RATE);
}

static void put_refused_rate(struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, (int64_t)refused->attr->sample_freq);
}

static void put_max_stack(struct strbuf *out, const struct refused *refused)
{
	(void)refused;
	put_sysctl(out, "/proc/sys/kernel/perf_event_max_stack");
}

static void put_refused_depth(struct strbuf *out, const struct refused *refused)
{
	put_explained_number(out, refused->attr->sample_max_stack);
}

static const struct placeholder {
	const char *name;
	void (*put)(struct strbuf *out, const struct refused *refused);
} placeholders[] = {
	{ "alone", put_setcap_command },
	{ "cpu", put_refused_cpu },
	{ "depth", put_refused_depth },
	{ "host", put_host_hint },
	{ "max_rate", put_max_rate },
	{ "max_stack", put_max_stack },
	{ "memlock", put_memlock },
	{ "nofile", put_nofile },
	{ "paranoid", put_paranoid },
	{ "pid", put_refused_pid },
	{ "rate", put_refused_rate },
	{ "wanted", put_allowing_paranoid },
};

static const struct placeholder *find_placeholder(
	const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(placeholders); i++)
		if (strlen(placeholders[i].name) == length &&
			strncmp(placeholders[i].name, name, length) == 0)
			return &placeholders[i];
	return NULL;
}

/*
 * Appends TEXT with values in place of {placeholders}. A test finds unknown
 * placeholders.
 */
static void put_explanation(
	struct strbuf *out, const char *text, const struct refused *refused)
{
	for (;;) {
		size_t plain = strcspn(text, "{"), length;
		const struct placeholder *placeholder;

		strbuf_put(out, text, plain);
		text += plain;
		if (!*text)
			return;
		length = strcspn(text, "}");
		placeholder = find_placeholder(text + 1, length - 1);
		if (!placeholder) {
			strbuf_puts(out, text);
			return;
		}
		placeholder->put(out, refused);
		text += length + 1;
	}
}

void explain_cause(const struct refused *refused, struct strbuf *why,
	struct strbuf *remedy)
{
	const struct refusal *row = refusal_find(refused);

	put_explanation(
		why, row->why ? row->why : strerror(refused->errnum), refused);
	put_explanation(remedy, row->remedy, refused);
}

struct error *explain_to_caller(const struct refused *refused)
{
	_cleanup_strbuf_ struct strbuf why = { 0 };
	_cleanup_strbuf_ struct strbuf remedy = { 0 };
	struct error *err;

	explain_cause(refused, &why, &remedy);
	/* For a missing process, the message needs no "cannot open event". */
	if (refused->errnum == ESRCH)
		err = error_new("%s; %s", why.at, remedy.at);
	else if (refused->name && !refused->is_ring)
		err = error_new("cannot open event '%s': %s; %s", refused->name,
			why.at, remedy.at);
	else
		err = error_new("cannot %s: %s; %s",
			refused->is_ring ? "map the ring buffers"
				: refused->pid < 0
				? "record the whole system"
				: "record mappings and forks",
			why.at, remedy.at);
	err->errnum = refused->errnum;
	return err;
}

static bool is_process_of_other_user(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d", (int)pid);
	struct stat status;

	return pid > 0 && stat(path, &status) == 0 &&
		status.st_uid != geteuid();
}

struct error *explain_refusal(const struct refused *refused)
{
	struct refused complete = *refused;
	struct caller_caps caller;

	caller_caps_read("", &caller);
	complete.caller = &caller;
	complete.is_of_others = is_process_of_other_user(refused->pid);
	return explain_to_caller(&complete);
}
