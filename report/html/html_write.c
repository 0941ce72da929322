/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_write.h"

#include "report/html/html_page.h"

/* Bytes per line of base64, a multiple of 3. */
#define LINE_BYTES 57u

static void put_base64(struct strbuf *out, const struct strbuf *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	const uint8_t *at = (const uint8_t *)bytes->at;
	size_t i;

	for (i = 0; i < bytes->n; i += 3) {
		size_t left = bytes->n - i;
		uint32_t three = (uint32_t)at[i] << 16 |
			(left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
			(left > 2 ? at[i + 2] : 0);

		strbuf_putc(out, digits[three >> 18]);
		strbuf_putc(out, digits[three >> 12 & 63]);
		strbuf_putc(out, left > 1 ? digits[three >> 6 & 63] : '=');
		strbuf_putc(out, left > 2 ? digits[three & 63] : '=');
		if (i % LINE_BYTES == LINE_BYTES - 3)
			strbuf_putc(out, '\n');
	}
}

static int append_deflated(void *data, const void *bytes, size_t size)
{
	strbuf_put(data, bytes, size);
	return 0;
}

static void put_page_data(const struct html_data *data, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf packed = { 0 };
	const struct sink sink = { .append = append_deflated, .data = &packed };
	struct deflate *deflate = deflate_begin(&sink, DEFLATE_ZLIB);

	html_data_put(data, deflate);
	deflate_end(deflate);
	put_base64(out, &packed);
}

void html_write(const struct html_data *data, struct outflow *out)
{
	strbuf_put(&out->text, html_page_begin, html_page_begin_size);
	put_page_data(data, &out->text);
	strbuf_put(&out->text, html_page_end, html_page_end_size);
}
