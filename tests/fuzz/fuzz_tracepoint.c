/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of tracepoints. The input is a tracepoint's format as in a
 * recording, a NUL, and raw data.
 */
#include "config.h"

#include "common/util/alloc.h"
#include "report/survey/tracepoint.h"

#define INPUT_MAX KIB(128)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_file(struct strbuf *out, const void *data, size_t size)
{
	strbuf_put_u64(out, size);
	strbuf_put(out, data, size);
}

/* Makes TRACING_DATA with one format. */
static void wrap(const uint8_t *format, size_t size, struct strbuf *out)
{
	static const uint8_t start[] = "\x17\x08\x44tracing0.6";

	strbuf_put(out, start, sizeof(start));
	strbuf_put_u8(out, 0);
	strbuf_put_u8(out, 8);
	strbuf_put_u32(out, 4096);
	strbuf_put(out, "header_page", sizeof("header_page"));
	put_file(out, NULL, 0);
	strbuf_put(out, "header_event", sizeof("header_event"));
	put_file(out, NULL, 0);
	strbuf_put_u32(out, 0);
	strbuf_put_u32(out, 1);
	strbuf_put(out, "made", sizeof("made"));
	strbuf_put_u32(out, 1);
	put_file(out, format, size);
}

/*
 * Returns the number behind "ID:" in the format, by which raw data refer to it.
 */
static uint64_t id_of(const uint8_t *format, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)format, size);
	const char *at = strstr(text, "ID:");

	return at ? strtoull(at + 3, NULL, 0) : 0;
}

static const char *find_function(
	void *data _unused_, uint64_t address, uint64_t *start_ret)
{
	*start_ret = address & ~UINT64_C(0xff);
	return address & 1 ? "function" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tracepoint_names names = { find_function, NULL };
	_cleanup_strbuf_ struct strbuf tracing = { 0 }, out = { 0 };
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t format_size = nul ? (size_t)(nul - data) : size;
	size_t raw_size = nul ? size - format_size - 1 : 0;
	struct features features = { 0 };
	struct tracepoints *tracepoints;

	if (size > INPUT_MAX)
		return 0;
	wrap(data, format_size, &tracing);
	features.tracing_data = (uint8_t *)tracing.at;
	features.tracing_data_size = tracing.n;
	tracepoints = tracepoints_create(&features, &names);
	if (nul && raw_size <= UINT16_MAX)
		tracepoints_print(tracepoints, id_of(data, format_size),
			nul + 1, raw_size, &out);
	tracepoints_destroy(tracepoints);
	return 0;
}
