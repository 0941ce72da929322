/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in sections, and the command line. */
#include "config.h"

#include "common/file/feature.h"
#include "common/file/feature_private.h"

#define CMDLINE_MAX 65536u

char *feature_take_text(struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	return text ? xstrndup(text, size) : NULL;
}

void feature_put_text(struct strbuf *out, const char *text)
{
	size_t length = strlen(text ? text : "");
	size_t room = ALIGN_UP(length + 1, FEATURE_TEXT_ALIGN);

	strbuf_put_u32(out, (uint32_t)room);
	strbuf_put(out, text ? text : "", length);
	strbuf_fill(out, 0, room - length);
}

bool feature_read_cmdline(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	if (n > CMDLINE_MAX)
		return false;
	for (i = 0; i < n && b->ok; i++) {
		char *word = feature_take_text(b);

		if (word)
			*array_push(&f->cmdline) = word;
	}
	return b->ok;
}

void feature_write_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->cmdline.n);
	array_each(&f->cmdline, word)
		feature_put_text(out, *word);
}

void feature_print_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_puts(out, "# cmdline :");
	array_each(&f->cmdline, word)
		strbuf_printf(out, " %s", *word);
	strbuf_putc(out, '\n');
}
