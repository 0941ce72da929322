/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/tracepoint_check.h"

#include <errno.h>
#include <event-parse.h>
#include <stdlib.h>

#include "common/util/alloc.h"

#define NESTING_MAX 40u
#define OPERATORS_MAX 1000u
#define FIELDS_MAX 512u
/* Limit of the text of a divisor: longer than any number of 64 bits. */
#define DIVISOR_SIZE 32u
/*
 * Limit in bytes of the end of a field in raw data, and of the size of a list.
 */
#define EXTENT_MAX KIB(64)
/* Limit of the digits of a width in a printf format. */
#define WIDTH_DIGITS_MAX 3u

/* --- before parsing ------------------------------------------------------- */

/*
 * Whether all printf widths from AT to END have at most WIDTH_DIGITS_MAX
 * digits. A width of "*" is valid only in "%*pb", the width of a bit mask,
 * which is not used for padding. "%.*s" is valid, because the precision only
 * truncates.
 */
static bool has_valid_widths(const char *at, const char *end)
{
	while ((at = memchr(at, '%', (size_t)(end - at)))) {
		size_t digits;

		at++;
		at += strspn(at, "-+ #0'");
		if (*at == '*' && strncmp(at, "*pb", 3) != 0)
			return false;
		digits = strspn(at, "0123456789");
		if (digits > WIDTH_DIGITS_MAX)
			return false;
		at += digits;
		if (*at == '.' &&
			strspn(at + 1, "0123456789") > WIDTH_DIGITS_MAX)
			return false;
		if (at >= end)
			return true;
		at += *at == '%';
	}
	return true;
}

/*
 * Whether the divisor at AT, which is behind the operator, is a number that is
 * not 0. The parser of libtraceevent evaluates divisions of constants.
 */
static bool is_valid_divisor(const char *at, const char *end)
{
	_cleanup_free_ char *word = NULL;
	uint64_t value;

	while (at < end && (*at == ' ' || *at == '('))
		at++;
	word = xstrndup(at, MIN((size_t)(end - at), DIVISOR_SIZE));
	if (string_starts(word, "sizeof("))
		return !string_starts(word, "sizeof(REC");
	errno = 0;
	value = strtoull(word, NULL, 0);
	return *word >= '0' && *word <= '9' && !errno && value &&
		value <= INT64_MAX;
}

bool tracepoint_check_text(const char *text, size_t size)
{
	_cleanup_free_ char *copy = xstrndup(text, size);
	const char *at = copy, *end = copy + strlen(copy);
	size_t nesting = 0, operators = 0;

	if (!size || size > TRACEPOINT_FORMAT_MAX)
		return false;
	while (at < end) {
		if ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t')
			return false;
		if (*at == '"') {
			const char *start = ++at;

			while (at < end && *at != '"')
				at += 1 + (*at == '\\');
			if (at >= end || !has_valid_widths(start, at))
				return false;
			at++;
			continue;
		}
		if (strchr("([{", *at))
			nesting++;
		else if (strchr(")]}", *at) && nesting)
			nesting--;
		else if (strchr("?:+-*/%&|^~!<>=", *at))
			operators++;
		if ((*at == '/' || *at == '%') &&
			!is_valid_divisor(at + 1, end))
			return false;
		if (nesting > NESTING_MAX)
			return false;
		/*
		 * Limits are per line: each field is a line of its own, with
		 * colons.
		 */
		if (*at == '\n')
			operators = nesting = 0;
		if (operators > OPERATORS_MAX)
			return false;
		at++;
	}
	return true;
}

/* --- after parsing -------------------------------------------------------- */

static bool check_format_fields(
	const struct tep_format_field *field, size_t *n, size_t *extent)
{
	for (; field; field = field->next) {
		if (++*n > FIELDS_MAX || field->offset < 0 || field->size < 0 ||
			field->offset > EXTENT_MAX ||
			field->size > EXTENT_MAX - field->offset)
			return false;
		/*
		 * A dynamic field is the offset and size of data, 16 bits each.
		 */
		if (field->flags & TEP_FIELD_IS_DYNAMIC && field->size != 4)
			return false;
		*extent = MAX(*extent, (size_t)field->offset + field->size);
	}
	return true;
}

/* Whether ARG is a number from LEAST to MOST. */
static bool is_number_atom(
	const struct tep_print_arg *arg, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t value;

	if (!arg || arg->type != TEP_PRINT_ATOM || !arg->atom.atom)
		return false;
	errno = 0;
	value = strtoull(arg->atom.atom, &end, 0);
	return !errno && end != arg->atom.atom && arg->atom.atom[0] != '-' &&
		value >= least && value <= most;
}

static enum tracepoint_use check_print_args(const struct tep_event *event,
	const struct tep_print_arg *arg, unsigned depth);

static enum tracepoint_use check_print_op(const struct tep_event *event,
	const struct tep_print_arg *arg, unsigned depth)
{
	const char *op = arg->op.op;
	const struct tep_print_arg *list = arg->op.left;
	const struct tep_format_field *field;
	enum tracepoint_use left, right;
	uint64_t n;

	if (!op || !arg->op.right)
		return TRACEPOINT_FIELDS;
	if ((*op == '/' || *op == '%') &&
		!is_number_atom(arg->op.right, 1, INT64_MAX))
		return TRACEPOINT_FIELDS;
	if (*op == '[') {
		/*
		 * An access such as REC->args[5] must stay inside a field of
		 * known length. Other indexed expressions can read anywhere.
		 */
		if (!list || list->type != TEP_PRINT_FIELD || !list->field.name)
			return TRACEPOINT_FIELDS;
		field = tep_find_any_field(
			(struct tep_event *)event, list->field.name);
		if (!field || !(field->flags & TEP_FIELD_IS_ARRAY) ||
			field->flags & TEP_FIELD_IS_DYNAMIC ||
			field->elementsize > sizeof(uint64_t))
			return TRACEPOINT_FIELDS;
		n = field->elementsize ? field->size / field->elementsize : 0;
		return n && is_number_atom(arg->op.right, 0, n - 1)
			? TRACEPOINT_ALL
			: TRACEPOINT_FIELDS;
	}
	left = list ? check_print_args(event, list, depth) : TRACEPOINT_ALL;
	right = check_print_args(event, arg->op.right, depth);
	return MIN(left, right);
}

/*
 * libtraceevent finds a field by NAME when it prints a sample, so NAME is
 * checked before.
 */
static enum tracepoint_use check_field_name(
	const struct tep_event *event, const char *name)
{
	return name && tep_find_any_field((struct tep_event *)event, name)
		? TRACEPOINT_ALL
		: TRACEPOINT_FIELDS;
}

static enum tracepoint_use check_print_arg(const struct tep_event *event,
	const struct tep_print_arg *arg, unsigned depth)
{
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return arg->atom.atom ? TRACEPOINT_ALL : TRACEPOINT_FIELDS;
	case TEP_PRINT_FIELD: return check_field_name(event, arg->field.name);
	case TEP_PRINT_STRING:
		return check_field_name(event, arg->string.string);
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		return check_field_name(event, arg->bitmask.bitmask);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
	case TEP_PRINT_DYNAMIC_ARRAY:
		return arg->dynarray.field && !arg->dynarray.index
			? TRACEPOINT_ALL
			: TRACEPOINT_FIELDS;
	case TEP_PRINT_FLAGS:
		return check_print_args(event, arg->flags.field, depth);
	case TEP_PRINT_SYMBOL:
		return check_print_args(event, arg->symbol.field, depth);
	case TEP_PRINT_TYPE:
		return check_print_args(event, arg->typecast.item, depth);
	case TEP_PRINT_OP: return check_print_op(event, arg, depth);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
	case TEP_PRINT_INT_ARRAY: return TRACEPOINT_COUNTS;
	default: return TRACEPOINT_FIELDS;
	}
}

static enum tracepoint_use check_print_args(const struct tep_event *event,
	const struct tep_print_arg *arg, unsigned depth)
{
	enum tracepoint_use use = TRACEPOINT_ALL, one;

	if (!arg || depth > OPERATORS_MAX)
		return TRACEPOINT_FIELDS;
	for (; arg; arg = arg->next) {
		one = check_print_arg(event, arg, depth + 1);
		/* tracepoint_check_counts() checks only outermost arguments. */
		if (one == TRACEPOINT_COUNTS && depth)
			one = TRACEPOINT_FIELDS;
		use = MIN(use, one);
	}
	return use;
}

enum tracepoint_use tracepoint_check_event(
	const struct tep_event *event, size_t *extent_ret)
{
	size_t n = 0;

	*extent_ret = 0;
	if (!check_format_fields(event->format.common_fields, &n, extent_ret) ||
		!check_format_fields(event->format.fields, &n, extent_ret))
		return TRACEPOINT_NOT;
	if (event->flags & TEP_EVENT_FL_FAILED || !event->print_fmt.format)
		return TRACEPOINT_FIELDS;
	if (!event->print_fmt.args)
		return TRACEPOINT_ALL;
	return check_print_args(event, event->print_fmt.args, 0);
}

/* --- before printing ------------------------------------------------------ */

/* Returns the largest value that ARG can have; UINT64_MAX if not known. */
static uint64_t find_largest_value(
	const struct tep_print_arg *arg, const void *raw, unsigned depth)
{
	unsigned long long value;

	if (!arg || depth > NESTING_MAX)
		return UINT64_MAX;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return arg->atom.atom ? strtoull(arg->atom.atom, NULL, 0)
				      : UINT64_MAX;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN: return UINT16_MAX;
	case TEP_PRINT_TYPE:
		return find_largest_value(arg->typecast.item, raw, depth + 1);
	case TEP_PRINT_FIELD:
		if (!arg->field.field ||
			tep_read_number_field(arg->field.field, raw, &value))
			return UINT64_MAX;
		return value;
	case TEP_PRINT_OP:
		return arg->op.op && *arg->op.op == '/'
			? find_largest_value(arg->op.left, raw, depth + 1)
			: UINT64_MAX;
	default: return UINT64_MAX;
	}
}

static bool is_array_field(
	const struct tep_event *event, const struct tep_print_arg *arg)
{
	return arg &&
		(arg->type == TEP_PRINT_FIELD ||
			arg->type == TEP_PRINT_DYNAMIC_ARRAY) &&
		check_print_arg(event, arg, 0) == TRACEPOINT_ALL;
}

bool tracepoint_check_counts(const struct tep_event *event, const void *raw)
{
	const struct tep_print_arg *arg;

	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		uint64_t count = 0, size = 1;
		bool is_list = true;

		if (arg->type == TEP_PRINT_INT_ARRAY) {
			count = find_largest_value(
				arg->int_array.count, raw, 0);
			size = find_largest_value(
				arg->int_array.el_size, raw, 0);
			is_list = is_array_field(event, arg->int_array.field);
		} else if (arg->type == TEP_PRINT_HEX ||
			arg->type == TEP_PRINT_HEX_STR) {
			count = find_largest_value(arg->hex.size, raw, 0);
			is_list = is_array_field(event, arg->hex.field);
		}
		if (!is_list || size > sizeof(uint64_t) ||
			count > EXTENT_MAX / MAX(size, UINT64_C(1)))
			return false;
	}
	return true;
}
