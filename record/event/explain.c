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

/*
 * Appends the setcap command for dwell, except in a container: a file with more
 * capabilities than the container has cannot be executed there.
 */
static void put_setcap_command(
	struct strbuf *out, const struct refusal_case *refused)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0 || refused->caller->is_contained)
		return;
	path[n] = '\0';
	strbuf_puts(out, ", or for dwell only: setcap cap_perfmon=ep ");
	escape_text(out, path);
}

/* Appends the value of the placeholder NAME. Returns false if it is unknown. */
static bool put_placeholder(const char *name,
	const struct refusal_case *refused, struct strbuf *out)
{
	struct rlimit limit = { 0 };
	int64_t number = 0;

	if (string_is(name, "alone")) {
		put_setcap_command(out, refused);
		return true;
	}
	if (string_is(name, "host")) {
		if (refused->caller->is_contained)
			strbuf_puts(out, " on the host");
		return true;
	}
	if (string_is(name, "memlock") || string_is(name, "nofile")) {
		bool is_memory = string_is(name, "memlock");

		getrlimit(is_memory ? RLIMIT_MEMLOCK : RLIMIT_NOFILE, &limit);
		strbuf_printf(out, "%" PRIu64,
			(uint64_t)limit.rlim_cur / (is_memory ? 1024 : 1));
		return true;
	}
	if (string_is(name, "cpu"))
		number = refused->cpu;
	else if (string_is(name, "depth"))
		number = refused->attr->sample_max_stack;
	else if (string_is(name, "max_rate"))
		sysfile_number(PROC_MAX_RATE, &number);
	else if (string_is(name, "max_stack"))
		sysfile_number(
			"/proc/sys/kernel/perf_event_max_stack", &number);
	else if (string_is(name, "paranoid"))
		number = refused->caller->paranoid;
	else if (string_is(name, "pid"))
		number = refused->pid;
	else if (string_is(name, "rate"))
		number = (int64_t)refused->attr->sample_freq;
	else if (string_is(name, "wanted"))
		number = refusal_paranoid(refused);
	else
		return false;
	strbuf_printf(out, "%" PRId64, number);
	return true;
}

/*
 * Appends TEXT with values in place of {placeholders}. A test finds unknown
 * placeholders.
 */
static void put_explanation(struct strbuf *out, const char *text,
	const struct refusal_case *refused)
{
	for (;;) {
		size_t plain = strcspn(text, "{"), length;
		_cleanup_free_ char *name = NULL;

		strbuf_put(out, text, plain);
		text += plain;
		if (!*text)
			return;
		length = strcspn(text, "}");
		name = xstrndup(text + 1, length - 1);
		if (!put_placeholder(name, refused, out)) {
			strbuf_puts(out, text);
			return;
		}
		text += length + 1;
	}
}

void explain_cause(const struct refusal_case *refused, struct strbuf *why,
	struct strbuf *remedy)
{
	const struct refusal *row = refusal_find(refused);

	put_explanation(
		why, row->why ? row->why : strerror(refused->errnum), refused);
	put_explanation(remedy, row->remedy, refused);
}

struct error *explain_to_caller(const struct refusal_case *refused)
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

struct error *explain_refusal(const struct refusal_case *refused)
{
	struct refusal_case complete = *refused;
	struct caller_caps caller;

	caller_caps_read("", &caller);
	complete.caller = &caller;
	_cleanup_free_ char *path = xasprintf("/proc/%d", (int)refused->pid);
	struct stat status;
	complete.is_of_others = refused->pid > 0 && stat(path, &status) == 0 &&
		status.st_uid != geteuid();
	return explain_to_caller(&complete);
}
