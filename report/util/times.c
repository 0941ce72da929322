/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/times.h"

#include <ctype.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"

/*
 * Limit of the ranges of --time. More ranges are a mistake, and would slow down
 * the processing of each sample.
 */
#define RANGES_MAX 1024u
#define SECONDS_MAX (UINT64_MAX / NSEC_PER_SEC)

static struct error *time_usage_error(const char *word)
{
	return error_usage("--time: '%s' is not a time: use START,STOP in "
			   "seconds, or 10%%-20%%, 10%%/2 or 10%%",
		word);
}

/* Parses "12.345": no sign, no exponent, at most nine decimals. */
static bool parse_seconds(const char *text, uint64_t *ret)
{
	uint64_t seconds = 0, part = 0, unit = NSEC_PER_SEC;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		seconds = seconds * 10 + (uint64_t)(*text - '0');
		if (seconds >= SECONDS_MAX)
			return false;
	}
	if (*text == '.') {
		for (text++; isdigit((unsigned char)*text); text++) {
			unit /= 10;
			part += (uint64_t)(*text - '0') * unit;
		}
	}
	*ret = seconds * NSEC_PER_SEC + part;
	return !*text && unit;
}

/* Parses "START,STOP"; WORD is modified. */
static bool parse_absolute(char *word, struct time_range *ret)
{
	char *comma = strchr(word, ',');

	*ret = (struct time_range){ 0, UINT64_MAX };
	if (!comma)
		return false;
	*comma = '\0';
	if (*word && !parse_seconds(word, &ret->first))
		return false;
	return (!comma[1] || parse_seconds(comma + 1, &ret->last)) &&
		ret->first <= ret->last;
}

/* Parses "12.5%" at the start of TEXT as a fraction; NULL if there is none. */
static const char *parse_percent(const char *text, double *ret)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return NULL;
	*ret = strtod(text, &end) / 100;
	return *end == '%' ? end + 1 : NULL;
}

/*
 * Returns PART, from 0 to 1, of LENGTH, rounded. LENGTH as a double can be
 * 2^64, which does not fit into 64 bits.
 */
static uint64_t scale_length(uint64_t length, double part)
{
	double scaled = part * (double)length + 0.5;

	return scaled >= (double)length ? length : (uint64_t)scaled;
}

/*
 * Stores the part of WHOLE between the fractions FROM and UNTIL in RET. As in
 * perf, the part ends one nanosecond before the next part.
 */
static bool find_time_part(const struct time_range *whole, double from,
	double until, struct time_range *ret)
{
	uint64_t length = whole->last - whole->first;

	if (!(from >= 0 && until <= 1 && from <= until))
		return false;
	ret->first = whole->first + scale_length(length, from);
	ret->last = whole->first + scale_length(length, until);
	if (ret->last > ret->first && ret->last != whole->last)
		ret->last--;
	return true;
}

static bool parse_relative(const char *word, const struct time_range *whole,
	struct time_range *ret)
{
	double from, until;
	unsigned long slice = 1;
	const char *rest = parse_percent(word, &from);
	char *end;

	if (!rest)
		return false;
	if (*rest == '-') {
		rest = parse_percent(rest + 1, &until);
		return rest && !*rest &&
			find_time_part(whole, from, until, ret);
	}
	if (*rest == '/') {
		slice = strtoul(rest + 1, &end, 10);
		if (!isdigit((unsigned char)rest[1]) || *end || !slice)
			return false;
	} else if (*rest) {
		return false;
	}
	return from > 0 &&
		find_time_part(whole, from * (double)(slice - 1),
			from * (double)slice, ret);
}

struct error *times_parse(const char *text, const struct time_range *whole,
	struct time_ranges *ret)
{
	bool is_relative = strchr(text, '%');
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *word;
	size_t n = 0;

	*ret = (struct time_ranges){ 0 };
	while ((word = strsep(&rest, is_relative ? ", " : " "))) {
		_cleanup_free_ char *shown = xstrdup(word);
		struct time_range range;

		if (!*word)
			continue;
		if (ret->ranges.n < RANGES_MAX &&
			(is_relative ? parse_relative(word, whole, &range)
				     : parse_absolute(word, &range))) {
			*array_push(&ret->ranges) = range;
			continue;
		}
		times_deinit(ret);
		return time_usage_error(shown);
	}
	array_sort(&ret->ranges, array_compare_u64);
	array_each(&ret->ranges, range) {
		struct time_range *before = n ? &ret->ranges.at[n - 1] : NULL;

		if (before && range->first <= before->last)
			before->last = MAX(before->last, range->last);
		else
			ret->ranges.at[n++] = *range;
	}
	ret->ranges.n = n;
	return ret->ranges.n ? NULL : time_usage_error(text);
}

void times_deinit(struct time_ranges *times)
{
	array_free(&times->ranges);
}

bool times_meet(const struct time_ranges *times, uint64_t first, uint64_t last)
{
	array_each(&times->ranges, range)
		if (first <= range->last && last >= range->first)
			return true;
	return times->ranges.n == 0;
}

bool times_have(const struct time_ranges *times, uint64_t time)
{
	return times_meet(times, time, time);
}

bool times_cut(const struct time_ranges *times, size_t *next,
	const struct time_range *whole, struct time_range *ret)
{
	*ret = *whole;
	if (!times->ranges.n)
		return !(*next)++;
	while (*next < times->ranges.n) {
		const struct time_range *range = &times->ranges.at[(*next)++];

		ret->first = MAX(range->first, whole->first);
		ret->last = MIN(range->last, whole->last);
		if (ret->last > ret->first ||
			(ret->last == ret->first &&
				whole->first == whole->last))
			return true;
	}
	return false;
}

uint64_t times_length(
	const struct time_ranges *times, const struct time_range *whole)
{
	struct time_range part;
	uint64_t length = 0;
	size_t next = 0;

	while (times_cut(times, &next, whole, &part))
		length += part.last > part.first ? part.last - part.first : 0;
	return length;
}
