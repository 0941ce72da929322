/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "common/util/base.h"

/*
 * Limit of the items that repetitions add: "(ab){100}" adds 198 items. The time
 * of regcomp() is their square: 4,000 take less than a second.
 */
#define REPEATED_MAX 4000u
/* Limit of groups in groups. regcomp() calls itself for each. */
#define NESTED_MAX 100u

/* Limits of counted items and of a number in "{}", so that sums fit. */
#define ITEMS_MAX (UINT64_C(1) << 32)
#define TIMES_MAX (UINT64_C(1) << 16)

/*
 * If TEXT starts with an interval such as "{2,5}", returns its length and sets
 * *TIMES_RET to the number of copies that regcomp() makes. Else returns 0.
 */
static size_t read_interval(const char *text, uint64_t *times_ret)
{
	char *end;
	unsigned long times;

	if (*text != '{' || !strchr("0123456789,", text[1]) || !text[1])
		return 0;
	times = strtoul(text + 1, &end, 10);
	if (*end == ',')
		times = end[1] == '}' ? MIN(times, TIMES_MAX) + 1
				      : strtoul(end + 1, &end, 10);
	end = strchr(end, '}');
	*times_ret = MIN(MAX(times, 1ul), TIMES_MAX);
	return end ? (size_t)(end + 1 - text) : 0;
}

/* Returns the length of the item at TEXT, which is no group. */
static size_t item_length(const char *text)
{
	size_t i = 1;

	if (*text == '\\' && text[1])
		return 2;
	if (*text != '[')
		return 1;
	/* A "]" at the start, and "[:alpha:]", belong to "[...]". */
	i += text[i] == '^';
	i += text[i] == ']';
	for (; text[i] && text[i] != ']'; i++)
		if (text[i] == '[' && text[i + 1] &&
			strchr(":.=", text[i + 1])) {
			const char end[] = { text[i + 1], ']', '\0' };
			const char *close = strstr(text + i + 2, end);

			if (close)
				i = (size_t)(close + 1 - text);
		}
	return i + (text[i] == ']');
}

/* Returns whether regcomp() compiles TEXT in a short time. */
static bool is_small_pattern(const char *text)
{
	/* For each open group: the items in it, and in its last item. */
	struct {
		uint64_t items, last;
	} groups[NESTED_MAX + 1] = { 0 }, *group = groups;
	uint64_t n_written = 0, times;

	while (*text) {
		size_t length = read_interval(text, &times);

		/* "a+" is compiled as "aa*". */
		if (length || *text == '+') {
			group->last = MIN(group->last, ITEMS_MAX) *
				(length ? times : 2);
			text += length ?: 1;
			continue;
		}
		if (*text == '*' || *text == '?') {
			group->last++;
			text++;
			continue;
		}
		group->items += group->last;
		group->last = 0;
		if (*text == '(') {
			if (group == groups + NESTED_MAX)
				return false;
			*++group = (typeof(*group)){ 0 };
			text++;
		} else if (*text == ')' && group > groups) {
			uint64_t items = group->items;

			/* An empty group is an item, too. */
			n_written += !items;
			(--group)->last = MAX(items, UINT64_C(1));
			text++;
		} else {
			group->last = 1;
			n_written++;
			text += item_length(text);
		}
	}
	for (; group > groups; group--)
		group[-1].items += group->items + group->last;
	return group->items + group->last <= n_written + REPEATED_MAX;
}

struct error *pattern_compile(const char *what, const char *text, regex_t *ret)
{
	char reason[256];
	int failure;

	if (!is_small_pattern(text))
		return error_hint(error_usage("%s: the regular expression has "
					      "too many repetitions",
					  what),
			"use smaller numbers in { }, or fewer groups");
	failure = regcomp(ret, text, REG_EXTENDED | REG_NOSUB);
	if (!failure)
		return NULL;
	regerror(failure, ret, reason, sizeof(reason));
	return error_usage("%s: '%s': %s", what, text, reason);
}
