/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_filter.h"

#include <ctype.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"
#include "record/event/tracefs.h"

static bool is_field_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Returns whether FORMAT contains "field:TYPE WORD;" with a WORD of LENGTH
 * bytes.
 */
static bool has_filter_field(
	const char *format, const char *word, size_t length)
{
	const char *at = format;

	while ((at = strstr(at, "field:"))) {
		const char *end = at + strcspn(at, ";\n");

		/*
		 * The name precedes "[16]" in "char comm[16]", but ends the
		 * field in "__data_loc char[] name".
		 */
		if (end[-1] == ']')
			while (*end != '[' && end > at)
				end--;
		if ((size_t)(end - at) > length &&
			!memcmp(end - length, word, length) &&
			!is_field_char(end[-(ssize_t)length - 1]))
			return true;
		at += strlen("field:");
	}
	return false;
}

/*
 * Returns whether WORD is a field that every tracepoint has, but no format
 * contains.
 */
static bool is_common_field(const char *word, size_t length)
{
	static const char *const names[] = { "cpu", "CPU", "comm", "COMM",
		"stacktrace", "STACKTRACE" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == length &&
			!memcmp(names[i], word, length))
			return true;
	return false;
}

/*
 * The syntax of filters: FIELD OPERATOR VALUE, joined by && and ||, with ! and
 * parentheses.
 */
bool event_filter_find_fault(const char *filter, const char *format,
	size_t *at_ret, size_t *length_ret)
{
	const char *at = filter;

	for (;;) {
		const char *start = at += strspn(at, " \t!(");
		size_t length;

		while (is_field_char(*at))
			at++;
		length = (size_t)(at - start);
		if (!length)
			return false;
		if (!has_filter_field(format, start, length) &&
			!is_common_field(start, length)) {
			*at_ret = (size_t)(start - filter);
			*length_ret = length;
			return true;
		}
		at += strspn(at, " \t=!<>~&");
		/* To the end of the word, number or quoted string. */
		const char *value = at;
		char quote = *value;

		at = value + strcspn(value, " \t&|)");
		if (quote == '"' || quote == '\'') {
			value++;
			while (*value && *value != quote)
				value++;
			at = *value ? value + 1 : value;
		}
		at += strspn(at, " \t)");
		if (!string_starts(at, "&&") && !string_starts(at, "||"))
			return false;
		at += 2;
	}
}

static int set_filter(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ? errno : 0;
}

int event_filter_set(const struct selection_event *event, int fd)
{
	return event->filter ? set_filter(fd, event->filter) : 0;
}

int event_filter_exclude_threads(const struct selection_event *event, int fd,
	const pid_t *threads, size_t n)
{
	_cleanup_strbuf_ struct strbuf excluded = { 0 };
	_cleanup_free_ char *filter = NULL;
	size_t i;

	if (!event->tracepoint || !n)
		return 0;
	for (i = 0; i < n; i++)
		strbuf_printf(&excluded, "%scommon_pid != %d", i ? " && " : "",
			(int)threads[i]);
	filter = event->filter
		? xasprintf("(%s) && %s", event->filter, excluded.at)
		: xstrdup(excluded.at);
	return set_filter(fd, filter);
}

static struct error *read_format(const struct selection *selection,
	const char *tracepoint, struct strbuf *ret)
{
	_cleanup_free_ char *group = xstrdup(tracepoint);
	char *name = strchr(group, ':');
	struct tracefs tracefs = { -1 };
	struct error *err = tracefs_open(selection->tracefs, &tracefs);

	if (err)
		return err;
	*name++ = '\0';
	if (!tracefs_format(&tracefs, group, name, ret) || !ret->n)
		err = error_new(
			"cannot read the format of %s in tracefs", tracepoint);
	tracefs_close(&tracefs);
	return err;
}

/* Appends the field of FORMAT that is similar to WANTED as a hint to ERR. */
static struct error *suggest_field(
	struct error *err, const char *wanted, const char *format)
{
	struct spell_suggest nearest;
	const char *at = format;

	spell_suggest_init(&nearest, wanted);
	while ((at = strstr(at, "field:"))) {
		const char *end = at + strcspn(at, ";[\n"), *start = end;
		_cleanup_free_ char *name = NULL;

		while (start > at && is_field_char(start[-1]))
			start--;
		name = xstrndup(start, (size_t)(end - start));
		spell_suggest_offer(&nearest, name);
		at += strlen("field:");
	}
	return spell_suggest_hint(&nearest, err);
}

/*
 * Sets the filter on a temporary event. If this event cannot be opened, the
 * filter is not checked; opening the real event reports the cause.
 */
static struct error *try_filter(const struct selection *selection,
	const struct selection_event *event, const char *text)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = PERF_ATTR_SIZE_VER0,
		.config = event->attr.config,
		.disabled = 1,
	};
	_cleanup_close_ int fd = (int)syscall(
		SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int errnum = fd < 0 ? 0 : set_filter(fd, text);

	if (errnum == EINVAL) {
		_cleanup_strbuf_ struct strbuf format = { 0 };
		_cleanup_free_ char *word = NULL;
		struct error *err;
		size_t at, length;

		err = read_format(selection, event->tracepoint, &format);
		if (err)
			return error_wrap(err, "--filter");
		if (!event_filter_find_fault(text, format.at, &at, &length)) {
			err = error_usage(
				"--filter: the kernel rejected this filter for %s",
				event->tracepoint);
			err = error_hint(err,
				"the operators are == != < <= > >= & and ~");
			return error_point(err, text, 0, strlen(text));
		}
		word = xstrndup(text + at, length);
		err = error_usage("--filter: %s has no field '%s'",
			event->tracepoint, word);
		return error_point(
			suggest_field(err, word, format.at), text, at, length);
	}
	return errnum ? error_errno(errnum, "--filter: %s", text) : NULL;
}

struct error *event_filter_add(
	struct selection *selection, size_t first, const char *text)
{
	size_t i;

	for (i = first; i < selection->events.n; i++) {
		struct selection_event *event = &selection->events.at[i];
		_cleanup_free_ char *old = event->filter;
		struct error *err;

		if (!event->tracepoint)
			return error_usage(
				"--filter: '%s' is not a tracepoint; only "
				"tracepoints have fields to filter by",
				event->name);
		err = try_filter(selection, event, text);
		if (err)
			return err;
		event->filter = old ? xasprintf("(%s) && (%s)", old, text)
				    : xstrdup(text);
	}
	return NULL;
}
