/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/tracing.h"

#include "common/util/alloc.h"

static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n',
	'g' };

/*
 * Reads a file in TRACING_DATA: its size, then its bytes, which are returned.
 */
static const char *take_tracing_file(struct bytes *b, size_t *size_ret)
{
	uint64_t size = bytes_u64(b);

	if (size > bytes_left(b))
		b->ok = false;
	*size_ret = b->ok ? (size_t)size : 0;
	return bytes_take(b, *size_ret);
}

/*
 * Skips the file NAME in TRACING_DATA. It has the layout of ftrace's ring
 * buffer, which perf.data does not use.
 */
static void skip_tracing_file(struct bytes *b, const char *name)
{
	size_t size;

	if (!string_is(bytes_string(b), name))
		b->ok = false;
	take_tracing_file(b, &size);
}

bool tracing_begin(struct bytes b, struct tracing *ret)
{
	const void *start = bytes_take(&b, sizeof(magic));

	if (!start || memcmp(start, magic, sizeof(magic)) != 0)
		return false;
	memset(ret, 0, sizeof(*ret));
	bytes_string(&b); /* version */
	ret->is_big_endian = bytes_u8(&b);
	b.swap = ret->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	ret->long_size = bytes_u8(&b);
	ret->page_size = bytes_u32(&b);
	skip_tracing_file(&b, "header_page");
	skip_tracing_file(&b, "header_event");
	ret->system = "ftrace";
	ret->n_ftrace = bytes_u32(&b);
	ret->b = b;
	if (!ret->n_ftrace)
		ret->n_systems = bytes_u32(&ret->b);
	return ret->b.ok && (ret->long_size == 4 || ret->long_size == 8);
}

bool tracing_next(
	struct tracing *tracing, const char **text_ret, size_t *size_ret)
{
	if (tracing->n_ftrace) {
		*text_ret = take_tracing_file(&tracing->b, size_ret);
		if (!--tracing->n_ftrace)
			tracing->n_systems = bytes_u32(&tracing->b);
		return *text_ret;
	}
	while (tracing->b.ok && !tracing->n_events && tracing->n_systems) {
		tracing->n_systems--;
		tracing->system = bytes_string(&tracing->b);
		tracing->n_events = bytes_u32(&tracing->b);
	}
	if (!(tracing->b.ok && tracing->n_events))
		return false;
	tracing->n_events--;
	*text_ret = take_tracing_file(&tracing->b, size_ret);
	return *text_ret;
}

bool tracing_find(const struct features *features, const char *name,
	struct tracing *tracing_ret, const char **text_ret, size_t *size_ret)
{
	struct bytes b = bytes_of(
		features->tracing_data, features->tracing_data_size, false);
	_cleanup_free_ char *head = xasprintf("name: %s\n", name);
	size_t n = strlen(head);

	if (!tracing_begin(b, tracing_ret))
		return false;
	while (tracing_next(tracing_ret, text_ret, size_ret))
		if (*size_ret >= n && memcmp(*text_ret, head, n) == 0)
			return true;
	return false;
}
