/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_break.h"

#include <linux/hw_breakpoint.h>

#include "record/event/event_place.h"
#include "record/event/event_term.h"

/*
 * perf's default length for data; on x86, breakpoints on code need the size of
 * a long.
 */
#define DATA_LENGTH HW_BREAKPOINT_LEN_4
#define CODE_LENGTH sizeof(long)

static struct error *read_break_access(
	const char *source, struct span span, uint32_t *ret)
{
	size_t at;

	*ret = 0;
	for (at = span.at; at < span.at + span.n; at++) {
		uint32_t bit = source[at] == 'r' ? HW_BREAKPOINT_R
			: source[at] == 'w'	 ? HW_BREAKPOINT_W
						 : HW_BREAKPOINT_X;

		if (*ret & bit)
			return error_point(
				error_usage(
					"-e: a breakpoint has each access letter (r, w, x) once"),
				source, at, 1);
		*ret |= bit;
	}
	if (!*ret)
		*ret = HW_BREAKPOINT_RW;
	return NULL;
}

static struct error *read_break_length(
	const char *source, struct span span, uint64_t *ret)
{
	_cleanup_free_ char *text = span_copy(source, span);

	if (event_number(text, ret) && *ret >= 1 && *ret <= 8 &&
		!(*ret & (*ret - 1)))
		return NULL;
	return span_point(
		error_usage(
			"-e: the length of a breakpoint is 1, 2, 4 or 8 bytes"),
		source, span);
}

/* A breakpoint covers a whole variable if its size and alignment allow it. */
static uint64_t default_break_length(
	const struct event_place *place, uint32_t access)
{
	if (access == HW_BREAKPOINT_X)
		return CODE_LENGTH;
	if (place->size && place->size <= 8 &&
		!(place->size & (place->size - 1)) &&
		place->address % place->size == 0)
		return place->size;
	return DATA_LENGTH;
}

static struct error *find_break_address(const char *source, struct span span,
	const char *program, struct event_place *ret)
{
	_cleanup_free_ char *text = span_copy(source, span);

	return span_point(event_place_find(program, text, ret), source, span);
}

struct error *event_break_apply(const char *source,
	const struct event_text *text, const char *program,
	struct selected *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct event_place place;
	uint64_t length = 0;
	struct error *err =
		read_break_access(source, text->words[2], &attr->bp_type);

	if (!err)
		err = find_break_address(
			source, text->words[0], program, &place);
	if (!err && text->words[1].n)
		err = read_break_length(source, text->words[1], &length);
	if (err)
		return err;
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_addr = place.address;
	attr->bp_len =
		length ? length : default_break_length(&place, attr->bp_type);
	event->is_relocated = place.is_relocated;
	event->entry = place.entry;
	event->takes_each = true;
	return event_terms_apply(source, text, event);
}
