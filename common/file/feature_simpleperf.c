/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections that simpleperf adds: what it tells of a recording, and its files. */
#include "config.h"

#include "common/file/feature.h"
#include "common/file/feature_private.h"

bool feature_read_meta_info(struct features *f, struct bytes *b)
{
	feature_keep(&f->meta_info, b);
	return true;
}

bool feature_read_simpleperf_files(struct features *f, struct bytes *b)
{
	feature_keep(&f->simpleperf_files, b);
	return true;
}

/* A value may be a list with a line for each. */
static void put_line(struct strbuf *out, const char *value)
{
	for (; *value; value++)
		strbuf_putc(out, *value == '\n' ? ' ' : *value);
	strbuf_putc(out, '\n');
}

/* Names and values, in turn. */
void feature_print_meta_info(const struct features *f, struct strbuf *o)
{
	struct bytes b = feature_kept(&f->meta_info);

	while (bytes_left(&b)) {
		const char *name = bytes_string(&b);
		const char *value = bytes_string(&b);

		if (!b.ok)
			return;
		strbuf_printf(o, "# %s : ", name);
		put_line(o, value);
	}
}
